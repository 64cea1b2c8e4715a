/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-remap.h"

#include "oct-parallel.h"

#include <math.h>
#include <string.h>

#define MOST OCT_SCAN_REMAP_MOST
#define LEAST_WEIGHT 1e-3
#define SLOPE_WEIGHT 1e-3 /* keeps a fit to A-lines on a straight line finite */
#define LOWEST_WEIGHT -0.5
#define LEAST_LEFT 0.1f
/* Weights that are left, over the sum of their absolute values: they then
 * multiply noise by 2 at most. */
#define LEAST_AGREEMENT 0.5f
#define FOURTH 3
#define FOURTH_FACTOR 1.2
/* Distance in F beyond which weights are below LEAST_WEIGHT. */
#define WEIGHT_REACH 1.579
#define CELL_LINES 2.0   /* A-lines in a cell, on average */
#define MOST_CELLS 16384 /* along an axis */
#define PAIR (sizeof (guint32) + sizeof (float)) /* an A-line and its weight */
#define GRAIN 4

/* A-lines in square cells, so that neighbours are found among few. */
typedef struct {
  const double *x, *y;
  guint columns, rows;
  double left, top, size;
  guint32 *first; /* [columns x rows + 1] */
  guint32 *lines;
} Cells;

typedef struct {
  double square; /* of the distance */
  guint32 line;
} Neighbour;

static guint
cell_of (double at, double begin, double size, guint n)
{
  double cell = floor ((at - begin) / size);

  return cell <= 0 ? 0 : cell >= n - 1 ? n - 1 : (guint)cell;
}

/* The field of those A-lines that can be next to a pixel: one far outside would
 * make cells as large as all of the raster. */
static gboolean
is_near (const OctScanRemapSettings *s, double x, double y)
{
  double margin = MAX (s->columns, s->rows) + s->hole;

  return isfinite (x) && isfinite (y) && x >= -margin && y >= -margin
         && x <= s->columns + margin && y <= s->rows + margin;
}

static void
cells_init (Cells *cells, const OctScanRemapSettings *s, const double *x,
    const double *y, guint count)
{
  double right = -G_MAXDOUBLE, bottom = -G_MAXDOUBLE, width, height;
  guint used = 0, n;

  *cells = (Cells){ .x = x, .y = y, .left = G_MAXDOUBLE, .top = G_MAXDOUBLE };
  for (guint i = 0; i < count; i++) {
    if (!is_near (s, x[i], y[i]))
      continue;
    used++;
    cells->left = MIN (cells->left, x[i]);
    cells->top = MIN (cells->top, y[i]);
    right = MAX (right, x[i]);
    bottom = MAX (bottom, y[i]);
  }
  if (used == 0)
    return;
  width = right - cells->left;
  height = bottom - cells->top;
  cells->size = MAX (
      sqrt (MAX (width, 1.0) * MAX (height, 1.0) / used * CELL_LINES), 1e-3);
  /* however short the other axis is */
  cells->size = MAX (cells->size, MAX (width, height) / MOST_CELLS);
  cells->columns = (guint)(width / cells->size) + 1;
  cells->rows = (guint)(height / cells->size) + 1;
  n = cells->columns * cells->rows;
  cells->first = g_new0 (guint32, n + 1);
  cells->lines = g_new (guint32, used);
  for (guint pass = 0; pass < 2; pass++) {
    for (guint i = count; i-- > 0;) {
      guint at;

      if (!is_near (s, x[i], y[i]))
        continue;
      at = cell_of (y[i], cells->top, cells->size, cells->rows) * cells->columns
           + cell_of (x[i], cells->left, cells->size, cells->columns);
      if (pass == 0)
        cells->first[at]++;
      else
        cells->lines[--cells->first[at]] = i;
    }
    /* ends of cells, which the second pass moves to their beginnings */
    for (guint i = 1; pass == 0 && i <= n; i++)
      cells->first[i] += cells->first[i - 1];
  }
}

static void
keep_neighbour (
    Neighbour *list, guint *count, guint most, double square, guint32 line)
{
  guint at = *count;

  if (at == most
      && (square > list[at - 1].square
          || (square == list[at - 1].square && line > list[at - 1].line)))
    return;
  if (at < most)
    ++*count;
  else
    at--;
  for (; at > 0
         && (square < list[at - 1].square
             || (square == list[at - 1].square && line < list[at - 1].line));
       at--)
    list[at] = list[at - 1];
  list[at] = (Neighbour){ square, line };
}

static void
search_cell (const Cells *cells, gint column, gint row, double x, double y,
    Neighbour *list, guint *count, guint most)
{
  guint cell;

  if (column < 0 || row < 0 || column >= (gint)cells->columns
      || row >= (gint)cells->rows)
    return;
  cell = (guint)row * cells->columns + (guint)column;
  for (guint i = cells->first[cell]; i < cells->first[cell + 1]; i++) {
    guint32 line = cells->lines[i];
    double dx = cells->x[line] - x, dy = cells->y[line] - y;

    keep_neighbour (list, count, most, dx * dx + dy * dy, line);
  }
}

/* Whether no A-line at the distance `nearest` or farther would be used. */
static gboolean
is_enough (const OctScanRemapSettings *s, double nearest, guint most,
    const Neighbour *list, guint count)
{
  double f;

  if (count == 0)
    return nearest > s->hole;
  if (count == most)
    return list[count - 1].square <= nearest * nearest;
  if (count <= FOURTH)
    return FALSE;
  f = MAX (s->width, FOURTH_FACTOR * sqrt (list[FOURTH].square));
  return list[FOURTH].square <= nearest * nearest && nearest > WEIGHT_REACH * f;
}

/* The `most` nearest A-lines of a place, by distance: cells in growing squares
 * around it, until none outside would be used. */
static guint
find_neighbours (const OctScanRemapSettings *s, const Cells *cells, double x,
    double y, guint most, Neighbour *list)
{
  gint column = (gint)floor ((x - cells->left) / cells->size);
  gint row = (gint)floor ((y - cells->top) / cells->size);
  gint columns = (gint)cells->columns, rows = (gint)cells->rows;
  /* the first ring that touches cells: those before it are empty */
  gint first = MAX (
      MAX (-column, column - columns + 1), MAX (MAX (-row, row - rows + 1), 0));
  gint reach =
      MAX (MAX (column, columns - 1 - column), MAX (row, rows - 1 - row));
  guint count = 0;

  for (gint ring = first; ring <= reach; ring++) {
    /* from the place to the nearest cell of this ring */
    double nearest = (ring - 1) * cells->size;

    if (ring > 1 && is_enough (s, nearest, most, list, count))
      break;
    for (gint i = MAX (-ring, -column); i <= MIN (ring, columns - 1 - column);
         i++) {
      search_cell (cells, column + i, row - ring, x, y, list, &count, most);
      if (ring == 0)
        break;
      search_cell (cells, column + i, row + ring, x, y, list, &count, most);
    }
    for (gint i = MAX (1 - ring, -row); i < MIN (ring, rows - row); i++) {
      search_cell (cells, column - ring, row + i, x, y, list, &count, most);
      search_cell (cells, column + ring, row + i, x, y, list, &count, most);
    }
  }
  return count;
}

/* -------------------------------------------------------------------- weights */

/* Solves the symmetric a[3][3] s = (1, 0, 0). */
static gboolean
solve_first (const double a[6], double s[3])
{
  /* a: 00 01 02 11 12 22 */
  double c0 = a[3] * a[5] - a[4] * a[4];
  double c1 = a[2] * a[4] - a[1] * a[5];
  double c2 = a[1] * a[4] - a[2] * a[3];
  double det = a[0] * c0 + a[1] * c1 + a[2] * c2;

  s[0] = c0 / det;
  s[1] = c1 / det;
  s[2] = c2 / det;
  return isfinite (s[0]) && isfinite (s[1]) && isfinite (s[2]);
}

static void
fit_plane (const Cells *cells, double x, double y, double width,
    const Neighbour *list, guint count, double *weights)
{
  double f =
      MAX (width, FOURTH_FACTOR * sqrt (list[MIN (FOURTH, count - 1)].square));
  double a[6] = { 0 }, s[3], sum = 0, w[MOST];
  gboolean good;

  for (guint i = 0; i < count; i++) {
    double ex = (cells->x[list[i].line] - x) / f;
    double ey = (cells->y[list[i].line] - y) / f;

    w[i] = exp (-4 * G_LN2 * list[i].square / (f * f));
    if (w[i] < LEAST_WEIGHT)
      w[i] = i == 0 ? LEAST_WEIGHT : 0;
    sum += w[i];
    a[1] += w[i] * ex;
    a[2] += w[i] * ey;
    a[3] += w[i] * ex * ex;
    a[4] += w[i] * ex * ey;
    a[5] += w[i] * ey * ey;
  }
  a[0] = sum;
  a[3] += SLOPE_WEIGHT * sum;
  a[5] += SLOPE_WEIGHT * sum;
  good = solve_first (a, s);
  for (guint i = 0; good && i < count; i++) {
    double ex = (cells->x[list[i].line] - x) / f;
    double ey = (cells->y[list[i].line] - y) / f;

    weights[i] = w[i] * (s[0] + s[1] * ex + s[2] * ey);
    good = weights[i] >= LOWEST_WEIGHT;
  }
  for (guint i = 0; !good && i < count; i++)
    weights[i] = w[i] / sum;
}

/* The weights of all pixels, MOST of each. */
typedef struct {
  const OctScanRemapSettings *settings;
  const Cells *cells;
  guint32 *lines; /* [pixels][MOST] */
  float *weights;
  guint8 *counts; /* [pixels], 0: a hole */
} Fitting;

static void
fit_pixel (const Fitting *fitting, guint column, guint row)
{
  const OctScanRemapSettings *s = fitting->settings;
  gsize pixel = (gsize)row * s->columns + column;
  guint most = s->method == OCT_SCAN_REMAP_NEAREST ? 1 : MOST, kept = 0;
  Neighbour list[MOST];
  double weights[MOST] = { 1.0 }, sum = 0.0;
  guint count = find_neighbours (s, fitting->cells, column, row, most, list);

  if (count == 0 || list[0].square > s->hole * s->hole)
    return;
  if (s->method == OCT_SCAN_REMAP_LOCAL)
    fit_plane (fitting->cells, column, row, s->width, list, count, weights);
  for (guint i = 0; i < count; i++)
    sum += weights[i];
  for (guint i = 0; i < count; i++) {
    /* the first one stays, whose phase is used */
    if (i > 0 && weights[i] == 0.0)
      continue;
    fitting->lines[pixel * MOST + kept] = list[i].line;
    fitting->weights[pixel * MOST + kept++] = (float)(weights[i] / sum);
  }
  fitting->counts[pixel] = (guint8)kept;
}

static void
fit_rows (gpointer data, guint first, guint end, guint thread)
{
  const Fitting *fitting = data;

  for (; first < end; first++)
    for (guint column = 0; column < fitting->settings->columns; column++)
      fit_pixel (fitting, column, first);
}

static gboolean
remap_check (const OctScanRemapSettings *s, GError **error)
{
  if (s->columns < 1 || s->rows < 1
      || (guint64)s->columns * s->rows > OCT_MAX_BSCAN_VALUES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A raster of %u columns and %u rows was asked for; 1 to %u pixels are "
        "possible, set `columns` and `rows`.",
        s->columns, s->rows, (guint)OCT_MAX_BSCAN_VALUES);
    return FALSE;
  }
  if (s->width > 0.0 && s->hole > 0.0 && isfinite (s->width)
      && isfinite (s->hole))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A `width` of %g and a `hole` of %g pixels were asked for; set both to "
      "numbers above 0.",
      s->width, s->hole);
  return FALSE;
}

/* From MOST places for each pixel to one after the other; NULL: no memory. */
static OctScanRemap *
pack_weights (const OctScanRemapSettings *s, const Fitting *fitting)
{
  gsize pixels = (gsize)s->columns * s->rows, at = 0;
  OctScanRemap *remap = g_new0 (OctScanRemap, 1);

  remap->columns = s->columns;
  remap->rows = s->rows;
  for (gsize i = 0; i < pixels; i++)
    at += fitting->counts[i];
  remap->taken = g_try_new (guint8, pixels);
  remap->first = g_try_new (guint32, pixels + 1);
  remap->line = g_try_new (guint32, MAX (at, 1));
  remap->weight = g_try_new (float, MAX (at, 1));
  if (remap->taken == NULL || remap->first == NULL || remap->line == NULL
      || remap->weight == NULL) {
    oct_scan_remap_free (remap);
    return NULL;
  }
  at = 0;
  for (gsize i = 0; i < pixels; i++) {
    guint n = fitting->counts[i];

    remap->first[i] = (guint32)at;
    remap->taken[i] = n > 0;
    remap->holes += n == 0;
    memcpy (remap->line + at, fitting->lines + i * MOST, n * sizeof (guint32));
    memcpy (
        remap->weight + at, fitting->weights + i * MOST, n * sizeof (float));
    at += n;
  }
  remap->first[pixels] = (guint32)at;
  return remap;
}

OctScanRemap *
oct_scan_remap_new (const OctScanRemapSettings *s, const double *x,
    const double *y, guint count, GError **error)
{
  gsize pixels = (gsize)s->columns * s->rows;
  OctScanRemap *remap = NULL;
  Fitting fitting;
  Cells cells;

  if (!remap_check (s, error))
    return NULL;
  cells_init (&cells, s, x, y, count);
  fitting = (Fitting){ s, &cells, g_try_new (guint32, pixels * MOST),
    g_try_new (float, pixels *MOST), g_try_new0 (guint8, pixels) };
  if (fitting.lines != NULL && fitting.weights != NULL
      && fitting.counts != NULL) {
    if (cells.first != NULL)
      oct_parallel_for (
          s->rows, GRAIN, oct_parallel_get_threads (), fit_rows, &fitting);
    remap = pack_weights (s, &fitting);
  }
  if (remap != NULL)
    remap->count = count;
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "The weights of a raster of %u columns and %u rows take up to "
        "%" G_GUINT64_FORMAT " MB, and there is not as much memory; set "
        "`columns` and `rows` to less.",
        s->columns, s->rows, (guint64)pixels * MOST * PAIR * 2 / 1000000);
  g_free (fitting.lines);
  g_free (fitting.weights);
  g_free (fitting.counts);
  g_free (cells.first);
  g_free (cells.lines);
  return remap;
}

void
oct_scan_remap_free (OctScanRemap *remap)
{
  g_free (remap->taken);
  g_free (remap->first);
  g_free (remap->line);
  g_free (remap->weight);
  g_free (remap);
}

/* ------------------------------------------------------------------ lost A-lines */

guint
oct_scan_remap_get_weights (const OctScanRemap *remap, gsize pixel,
    const guint8 *seen, guint32 lines[MOST], float weights[MOST])
{
  guint n = 0;
  float sum = 0.0f, size = 0.0f;

  for (guint i = remap->first[pixel]; i < remap->first[pixel + 1]; i++) {
    if (seen != NULL && seen[remap->line[i]] == 0)
      continue;
    lines[n] = remap->line[i];
    weights[n] = remap->weight[i];
    size += fabsf (weights[n]);
    sum += weights[n++];
  }
  /* all of them: as they were fitted */
  if (n == remap->first[pixel + 1] - remap->first[pixel])
    return n;
  if (!(sum >= LEAST_LEFT && sum >= LEAST_AGREEMENT * size))
    return 0;
  for (guint i = 0; i < n; i++)
    weights[i] /= sum;
  return n;
}

void
oct_scan_remap_find_taken (
    const OctScanRemap *remap, const guint8 *seen, guint8 *taken)
{
  gsize pixels = (gsize)remap->columns * remap->rows;
  guint32 lines[MOST];
  float weights[MOST];

  for (gsize i = 0; i < pixels; i++)
    taken[i] =
        remap->taken[i] != 0
        && oct_scan_remap_get_weights (remap, i, seen, lines, weights) > 0;
}

/* ------------------------------------------------------------------------- users */

/* The B-scans that a pixel uses, each once; returns how many. */
static guint
remap_find_bscans (
    const OctScanRemap *remap, guint lines, gsize pixel, guint32 found[MOST])
{
  guint n = 0;

  for (guint i = remap->first[pixel]; i < remap->first[pixel + 1]; i++) {
    guint32 bscan = remap->line[i] / lines;
    guint k = 0;

    while (k < n && found[k] != bscan)
      k++;
    if (k == n)
      found[n++] = bscan;
  }
  return n;
}

OctScanRemapUsers *
oct_scan_remap_users_new (
    const OctScanRemap *remap, guint lines, GError **error)
{
  gsize pixels = (gsize)remap->columns * remap->rows;
  guint bscans = remap->count / lines;
  g_autoptr (OctScanRemapUsers) users = g_new0 (OctScanRemapUsers, 1);
  guint32 found[MOST];

  users->first = g_new0 (gsize, (gsize)bscans + 1);
  for (gsize pixel = 0; pixel < pixels; pixel++)
    for (guint k = remap_find_bscans (remap, lines, pixel, found); k-- > 0;)
      users->first[found[k]]++;
  /* ends of B-scans, which the second pass moves to their beginnings */
  for (guint b = 1; b <= bscans; b++)
    users->first[b] += users->first[b - 1];
  users->pixel = g_try_new (guint32, MAX (users->first[bscans], 1));
  if (users->pixel == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "The pixels of every B-scan take %" G_GUINT64_FORMAT
        " MB, and there is not as much memory; set `columns` and `rows` to "
        "less, or update=volume.",
        (guint64)users->first[bscans] * sizeof (guint32) / 1000000);
    return NULL;
  }
  for (gsize pixel = pixels; pixel-- > 0;)
    for (guint k = remap_find_bscans (remap, lines, pixel, found); k-- > 0;)
      users->pixel[--users->first[found[k]]] = (guint32)pixel;
  return g_steal_pointer (&users);
}

void
oct_scan_remap_users_free (OctScanRemapUsers *users)
{
  g_free (users->first);
  g_free (users->pixel);
  g_free (users);
}
