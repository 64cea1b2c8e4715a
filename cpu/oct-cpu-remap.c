/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-lines of a path to the rows of a raster, on the CPU.  A-lines are kept
 * with their depths side by side.  If B-scans come between the rows the pixels
 * are kept too, and those alone are made anew whose A-lines have come.
 */
#include "oct-cpu-private.h"
#include "oct-remap.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define MOST OCT_SCAN_REMAP_MOST
/* Columns of a task. */
#define TILE 16u

struct _OctRemap {
  OctRemapParams params;
  gsize line;      /* bytes of an A-line */
  guint8 *store;   /* [count] A-lines, 0 before they come */
  guint8 *pixels;  /* [rows][columns] A-lines; NULL: made each time */
  guint8 *stale;   /* [rows][columns] an A-line of the pixel has come since */
  guint8 *scratch; /* [threads][TILE] A-lines */
  float *sums;     /* [threads][2 x depths] */
  gsize sums_size; /* floats of a thread */
  guint threads;
};

static void
cpu_remap_destroy (OctRemap *remap)
{
  g_free (remap->store);
  g_free (remap->pixels);
  g_free (remap->stale);
  oct_cpu_free (remap->scratch);
  oct_cpu_free (remap->sums);
  g_free (remap);
}

static gboolean
cpu_remap_alloc (OctRemap *remap, GError **error)
{
  const OctRemapParams *p = &remap->params;
  gsize pixels = (gsize)p->map->columns * p->map->rows;
  gboolean keeps = p->users != NULL;

  /* may be more than there is */
  remap->store = g_try_malloc0_n (p->map->count, remap->line);
  remap->pixels = keeps ? g_try_malloc_n (pixels, remap->line) : NULL;
  remap->stale = keeps ? g_try_malloc (pixels) : NULL;
  if (remap->store == NULL
      || (keeps && (remap->pixels == NULL || remap->stale == NULL))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "A volume of %u A-lines of %u depths takes %" G_GUINT64_FORMAT
        " MB, and there is not as much memory for octremap; make the scan "
        "smaller, or put octremap after octlogscale.",
        p->map->count, p->depths,
        ((guint64)p->map->count + (keeps ? pixels : 0)) * remap->line
            / 1000000);
    return FALSE;
  }
  if (keeps)
    memset (remap->stale, 1, pixels);
  remap->sums_size = oct_cpu_pad (2 * (gsize)p->depths * sizeof (float));
  remap->sums = oct_cpu_alloc (remap->threads, remap->sums_size, error);
  if (remap->sums == NULL)
    return FALSE;
  remap->sums_size /= sizeof (float);
  remap->scratch =
      oct_cpu_alloc (remap->threads, oct_cpu_pad (TILE * remap->line), error);
  return remap->scratch != NULL;
}

static OctRemap *
cpu_remap_create (const OctRemapParams *params, gpointer stream, GError **error)
{
  OctRemap *remap;

  if (!oct_remap_params_check (params, error))
    return NULL;
  remap = g_new0 (OctRemap, 1);
  remap->params = *params;
  remap->line = oct_remap_get_line_size (params);
  remap->threads = oct_parallel_get_threads ();
  if (cpu_remap_alloc (remap, error))
    return remap;
  cpu_remap_destroy (remap);
  return NULL;
}

/* -------------------------------------------------------------------- store */

/* A column of an image. */
static void
store_image (OctRemap *remap, guint8 *to, const OctPlane *from, guint line)
{
  guint depths = remap->params.depths;

  if (remap->params.format == OCT_SAMPLE_U8) {
    const guint8 *values = (const guint8 *)from->data + line;

    for (guint z = 0; z < depths; z++)
      to[z] = values[z * from->stride];
  } else {
    const guint8 *values = (const guint8 *)from->data + 2 * (gsize)line;

    for (guint z = 0; z < depths; z++)
      memcpy (to + 2 * (gsize)z, values + z * from->stride, 2);
  }
}

static gboolean
cpu_remap_store (OctRemap *remap, guint bscan, const OctPlane *from,
    const guint8 *valid, GError **error)
{
  const OctRemapParams *p = &remap->params;
  const OctScanRemapUsers *users = p->users;
  gboolean image = p->format != OCT_SAMPLE_CF32;
  gsize first = (gsize)bscan * p->lines;

  if (!oct_cpu_check_plane (from,
          image ? p->lines * oct_sample_format_size (p->format) : remap->line,
          error))
    return FALSE;
  for (guint i = 0; i < p->lines; i++) {
    guint8 *to = remap->store + (first + i) * remap->line;

    if (valid != NULL && valid[i] == 0)
      continue;
    if (image)
      store_image (remap, to, from, i);
    else
      memcpy (to, (const guint8 *)from->data + i * from->stride, remap->line);
  }
  if (users != NULL)
    for (gsize i = users->first[bscan]; i < users->first[bscan + 1]; i++)
      remap->stale[users->pixel[i]] = 1;
  return TRUE;
}

/* --------------------------------------------------------------------- sums */

#define DEFINE_ADD(name, type)                                                 \
  OCT_VECTORISED static void name (                                            \
      float *restrict sums, const type *restrict line, float weight, guint n)  \
  {                                                                            \
    for (guint z = 0; z < n; z++)                                              \
      sums[z] += weight * (float)line[z];                                      \
  }

DEFINE_ADD (add_u8, guint8)
DEFINE_ADD (add_u16, guint16)
DEFINE_ADD (add_float, float)

/* Amplitudes of pairs; in double precision, in which no square is too large. */
OCT_VECTORISED static void
add_amplitudes (
    float *restrict sums, const float *restrict line, float weight, guint n)
{
  for (guint z = 0; z < n; z++) {
    double re = line[2 * z], im = line[2 * z + 1];

    sums[z] += weight * (float)sqrt (re * re + im * im);
  }
}

/* Weights are below 0, too: sums can leave the range. */
#define DEFINE_ROUND(name, type, most)                                         \
  OCT_VECTORISED static void name (                                            \
      type *restrict to, const float *restrict sums, guint n)                  \
  {                                                                            \
    for (guint z = 0; z < n; z++)                                              \
      to[z] = (type)(CLAMP (sums[z], 0.0f, (float)(most)) + 0.5f);             \
  }

DEFINE_ROUND (round_u8, guint8, G_MAXUINT8)
DEFINE_ROUND (round_u16, guint16, G_MAXUINT16)

/* The sum of amplitudes has the phase of the nearest A-line. */
static void
set_amplitudes (float *to, const float *sums, const float *nearest, guint n)
{
  for (guint z = 0; z < n; z++) {
    float own = hypotf (nearest[2 * z], nearest[2 * z + 1]);
    float amplitude = MAX (sums[z], 0.0f);

    to[2 * z] = own > 0.0f ? amplitude * (nearest[2 * z] / own) : amplitude;
    to[2 * z + 1] = own > 0.0f ? amplitude * (nearest[2 * z + 1] / own) : 0.0f;
  }
}

typedef struct {
  OctRemap *remap;
  guint row;
  const guint8 *seen; /* NULL: all are there */
  const OctPlane *to;
} Fetching;

static void
make_pixel (const Fetching *f, gsize pixel, guint thread, guint8 *to)
{
  const OctRemap *remap = f->remap;
  const OctRemapParams *p = &remap->params;
  float *sums = remap->sums + thread * remap->sums_size;
  gboolean amplitudes = p->of == OCT_SCAN_REMAP_AMPLITUDES;
  guint32 lines[MOST];
  float weights[MOST];
  guint n = oct_scan_remap_get_weights (p->map, pixel, f->seen, lines, weights);

  if (n == 0) {
    memset (to, 0, remap->line);
    return;
  }
  memset (sums, 0, 2 * (gsize)p->depths * sizeof *sums);
  for (guint i = 0; i < n; i++) {
    gconstpointer line = remap->store + lines[i] * remap->line;

    if (p->format == OCT_SAMPLE_U8)
      add_u8 (sums, line, weights[i], p->depths);
    else if (p->format == OCT_SAMPLE_U16)
      add_u16 (sums, line, weights[i], p->depths);
    else if (amplitudes)
      add_amplitudes (sums, line, weights[i], p->depths);
    else
      add_float (sums, line, weights[i], 2 * p->depths);
  }
  if (p->format == OCT_SAMPLE_U8)
    round_u8 (to, sums, p->depths);
  else if (p->format == OCT_SAMPLE_U16)
    round_u16 ((guint16 *)(gpointer)to, sums, p->depths);
  else if (amplitudes)
    set_amplitudes ((float *)(gpointer)to, sums,
        (const float *)(gconstpointer)(remap->store + lines[0] * remap->line),
        p->depths);
  else
    memcpy (to, sums, remap->line);
}

/* -------------------------------------------------------------------- fetch */

/* Columns first .. end - 1 of an image, of A-lines that follow each other. */
static void
turn_tile (const OctRemap *remap, const guint8 *from, const OctPlane *to,
    guint first, guint end)
{
  gsize value = oct_sample_format_size (remap->params.format);

  for (guint z = 0; z < remap->params.depths; z++) {
    guint8 *row = (guint8 *)to->data + z * to->stride + first * value;

    for (guint i = 0; i < end - first; i++)
      if (value == 1)
        row[i] = from[i * remap->line + z];
      else
        memcpy (row + 2 * i, from + i * remap->line + 2 * (gsize)z, 2);
  }
}

static void
fetch_tile (const Fetching *f, guint first, guint end, guint thread)
{
  OctRemap *remap = f->remap;
  gboolean image = remap->params.format != OCT_SAMPLE_CF32;
  gsize pixel = (gsize)f->row * remap->params.map->columns + first;
  guint8 *kept = remap->scratch + thread * oct_cpu_pad (TILE * remap->line);

  if (remap->pixels != NULL)
    kept = remap->pixels + pixel * remap->line;
  for (guint i = 0; i < end - first; i++) {
    guint8 *made = kept + i * remap->line;
    guint8 *row = (guint8 *)f->to->data + (first + i) * f->to->stride;

    if (remap->pixels == NULL && !image)
      made = row;
    if (remap->pixels == NULL || remap->stale[pixel + i] != 0)
      make_pixel (f, pixel + i, thread, made);
    if (remap->pixels != NULL)
      remap->stale[pixel + i] = 0;
    if (!image && made != row)
      memcpy (row, made, remap->line);
  }
  if (image)
    turn_tile (remap, kept, f->to, first, end);
}

static void
fetch_tiles (gpointer data, guint first, guint end, guint thread)
{
  const Fetching *f = data;
  guint columns = f->remap->params.map->columns;

  for (; first < end; first++)
    fetch_tile (f, first * TILE, MIN (columns, (first + 1) * TILE), thread);
}

static gboolean
cpu_remap_fetch (OctRemap *remap, guint row, gboolean all, const OctFrame *to,
    GError **error)
{
  const OctRemapParams *p = &remap->params;
  guint columns = p->map->columns;
  gboolean image = p->format != OCT_SAMPLE_CF32;
  Fetching fetching = { remap, row, all ? NULL : p->seen, &to->planes[0] };
  gsize chroma = ((gsize)columns + 1) / 2 * 2;
  gsize size =
      image ? columns * oct_sample_format_size (p->format) : remap->line;

  if (!oct_cpu_check_plane (&to->planes[0], size, error)
      || (to->planes[1].data != NULL
          && !oct_cpu_check_plane (&to->planes[1], chroma, error)))
    return FALSE;
  oct_parallel_for ((columns + TILE - 1) / TILE, 1,
      oct_cpu_threads (remap->threads), fetch_tiles, &fetching);
  for (guint z = 0; to->planes[1].data != NULL && z < (p->depths + 1) / 2; z++)
    memset (
        (guint8 *)to->planes[1].data + z * to->planes[1].stride, 128, chroma);
  return TRUE;
}

const OctRemapTable oct_cpu_remap = {
  .create = cpu_remap_create,
  .store = cpu_remap_store,
  .fetch = cpu_remap_fetch,
  .destroy = cpu_remap_destroy,
};
