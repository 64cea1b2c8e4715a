/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-refocus.h"

#include "oct-params.h"

#include <math.h>
#include <string.h>

/* Whatever light and scanners have; squares and fourth powers of them and of
 * their ratios stay finite. */
#define SHORTEST 1e-9
#define LONGEST 1.0

static gboolean
refocus_is_length (double metres)
{
  return metres >= SHORTEST && metres <= LONGEST;
}

gboolean
oct_check_refocus (const OctRefocusParams *params, GError **error)
{
  if (!oct_check_size (params->depth_bins, params->lines, error)
      || !oct_check_bscans (params->bscans, params->lines, error))
    return FALSE;
  if (!refocus_is_length (params->x_spacing)
      || !refocus_is_length (params->y_spacing)
      || !refocus_is_length (params->z_spacing)
      || !refocus_is_length (2 * G_PI / params->wavenumber)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A volume with %g m between A-lines, %g m between B-scans, %g m "
        "between depths and a wavenumber of %g rad/m cannot be refocused; set "
        "`x-spacing`, `y-spacing`, `z-spacing` and `wavelength` to lengths "
        "from 1e-9 to 1 m.",
        params->x_spacing, params->y_spacing, params->z_spacing,
        params->wavenumber);
    return FALSE;
  }
  if (params->modes >= 1 && params->modes <= OCT_REFOCUS_MODES
      && (params->automatic || isfinite (params->focus)))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%u modes and a focus at bin %g were asked for; set `modes` to 1 to %u "
      "and "
      "`focus-depth` to a depth in metres.",
      params->modes, params->focus, OCT_REFOCUS_MODES);
  return FALSE;
}

gboolean
oct_refocus_is_same (const OctRefocusParams *a, const OctRefocusParams *b)
{
  return a->depth_bins == b->depth_bins && a->lines == b->lines
         && OCT_BSCANS (a) == OCT_BSCANS (b) && a->automatic == b->automatic;
}

OctRefocusState
oct_refocus_begin (const OctRefocusParams *params)
{
  return (OctRefocusState){ .is_found = !params->automatic,
    .focus = params->automatic ? 0 : params->focus };
}

/* ------------------------------------------------------------------- phases
 */

/* Spatial frequency number i of n, in rad/m. */
static double
refocus_frequency (guint i, guint n, double spacing)
{
  double cycles = i < (n + 1) / 2 ? i : (double)i - n;

  return 2 * G_PI * cycles / (n * spacing);
}

void
oct_refocus_fill_slopes (const OctRefocusParams *params, double *slopes)
{
  guint bscans = OCT_BSCANS (params), lines = params->lines / bscans;
  double whole = 4 * params->wavenumber * params->wavenumber;

  for (guint y = 0; y < bscans; y++)
    for (guint x = 0; x < lines; x++) {
      double uy = refocus_frequency (y, bscans, params->y_spacing);
      double ux = refocus_frequency (x, lines, params->x_spacing);
      double u = MIN (ux * ux + uy * uy, whole);

      /* 2 k - (4 k^2 - u)^1/2, which cancels if u is small */
      slopes[(gsize)y * lines + x] =
          params->z_spacing * u / (2 * params->wavenumber + sqrt (whole - u));
    }
}

void
oct_refocus_fill_phases (const OctRefocusParams *params,
    const OctRefocusState *state, double *phases)
{
  guint bscans = OCT_BSCANS (params), lines = params->lines / bscans;
  double unit = G_PI / (2 * MAX (params->x_spacing, params->y_spacing));
  const double *c = state->modes;

  for (guint y = 0; y < bscans; y++)
    for (guint x = 0; x < lines; x++) {
      double Y = refocus_frequency (y, bscans, params->y_spacing) / unit;
      double X = refocus_frequency (x, lines, params->x_spacing) / unit;
      double R = X * X + Y * Y;

      phases[(gsize)y * lines + x] =
          c[0] * (X * X - Y * Y) + c[1] * 2 * X * Y + c[2] * (3 * R - 2) * X
          + c[3] * (3 * R - 2) * Y + c[4] * (6 * R * R - 6 * R);
    }
}

/* ------------------------------------------------------------------- planes
 */

guint
oct_refocus_count_planes (const OctRefocusParams *params)
{
  return MIN (params->depth_bins, OCT_REFOCUS_PLANES);
}

void
oct_refocus_choose_planes (
    const OctRefocusParams *params, const double *powers, guint *planes)
{
  guint n = oct_refocus_count_planes (params);

  for (guint i = 0; i < n; i++) {
    guint first = (guint)((guint64)i * params->depth_bins / n);
    guint end = (guint)((guint64)(i + 1) * params->depth_bins / n);

    planes[i] = first;
    for (guint q = first; q < end; q++)
      if (powers[q] > powers[planes[i]])
        planes[i] = q;
  }
}

double
oct_refocus_sharpness (const OctRefocusParams *params, const double *sums)
{
  guint n = oct_refocus_count_planes (params), bright = 0;
  double sum = 0;

  for (guint i = 0; i < n; i++)
    if (sums[2 * i] > 0 && isfinite (sums[2 * i + 1])) {
      sum += params->lines * (sums[2 * i + 1] / sums[2 * i]) / sums[2 * i];
      bright++;
    }
  return bright > 0 ? sum / bright : 0;
}

/* ------------------------------------------------------------------- search
 */

/* The largest of `count` values that are `step` apart, from `first` on, refined
 * by a parabola. */
static double
refocus_find_peak (const double *values, guint count, double first, double step)
{
  guint best = 0;
  double bend, offset;

  for (guint i = 1; i < count; i++)
    if (values[i] > values[best])
      best = i;
  best = CLAMP (best, 1, count - 2);
  bend = values[best - 1] - 2 * values[best] + values[best + 1];
  offset = bend < 0 ? 0.5 * (values[best - 1] - values[best + 1]) / bend : 0;
  return first + (best + CLAMP (offset, -1, 1)) * step;
}

/* Where a search goes: the focus alone, by bins, or an aberration, by rad, and
 * the focus with it. */
typedef struct {
  gint mode;    /* -1: none */
  double focus; /* bins for 1 */
} Direction;

static void
refocus_go (const OctRefocusState *from, Direction direction, double by,
    OctRefocusState *to)
{
  *to = *from;
  to->focus += by * direction.focus;
  if (direction.mode >= 0)
    to->modes[direction.mode] += by;
}

/* Measures at `count` places, `step` apart, and goes to the one with the largest
 * sharpness. */
static gboolean
refocus_search_grid (OctRefocusMeasure measure, gpointer data,
    OctRefocusState *state, Direction direction, double first, double step,
    guint count, double *sharpness, GError **error)
{
  OctRefocusState begin = *state;

  for (guint i = 0; i < count; i++) {
    refocus_go (&begin, direction, first + i * step, state);
    if (!measure (data, state, &sharpness[i], error))
      return FALSE;
  }
  refocus_go (&begin, direction,
      refocus_find_peak (sharpness, count, first, step), state);
  return TRUE;
}

static gboolean
refocus_is_clear (
    const OctRefocusParams *params, const double *sharpness, guint count)
{
  double values = (double)params->lines * oct_refocus_count_planes (params);
  double mean = 0;
  guint best = 0;

  for (guint i = 0; i < count; i++) {
    mean += sharpness[i] / count;
    if (sharpness[i] > sharpness[best])
      best = i;
  }
  /* at an end it may be farther */
  return best > 0 && best < count - 1
         && sharpness[best] > (1 + OCT_REFOCUS_CLEAR / sqrt (values)) * mean;
}

/* The focus alone; `*step`: of its grid. */
static gboolean
refocus_search_focus (const OctRefocusParams *params, OctRefocusMeasure measure,
    gpointer data, OctRefocusState *state, double *step, GError **error)
{
  enum { MOST = 2 * OCT_REFOCUS_COARSE + 2 };
  double sharpness[MOST];
  double range = params->depth_bins - 1, extent, first;
  guint count;

  *step = MAX (params->wavenumber * params->x_spacing * params->y_spacing
                   / params->z_spacing,
      range / OCT_REFOCUS_COARSE);
  extent = MAX (range / 2, 16 * *step);
  first = params->depth_start - extent;
  /* so that rounding alone adds no step */
  count = (guint)ceil ((range + 2 * extent) / *step - 1e-9) + 1;
  count = MIN (count, MOST);
  *step = (range + 2 * extent) / (count - 1);
  if (!refocus_search_grid (measure, data, state, (Direction){ -1, 1 }, first,
          *step, count, sharpness, error))
    return FALSE;
  state->is_found = refocus_is_clear (params, sharpness, count);
  return TRUE;
}

/* The directions of a round, in their order. */
static guint
refocus_list_directions (const OctRefocusParams *params, Direction *directions)
{
  double unit = G_PI / (2 * MAX (params->x_spacing, params->y_spacing));
  double focus = 4 * params->wavenumber / (params->z_spacing * unit * unit);
  guint n = 0;

  directions[n++] = (Direction){ -1, 1 };
  for (gint m = 0; m + 1 < (gint)params->modes; m++) {
    directions[n++] = (Direction){ m, 0 };
    /* astigmatism has two foci, and from one of them this leads to both */
    for (gint sign = -1; m < 2 && sign <= 1; sign += 2)
      directions[n++] = (Direction){ m, sign * focus };
  }
  return n;
}

gboolean
oct_refocus_search (const OctRefocusParams *params, OctRefocusMeasure measure,
    gpointer data, OctRefocusState *state, GError **error)
{
  double sharpness[OCT_REFOCUS_STEPS], width, span = OCT_REFOCUS_SPAN;
  Direction directions[OCT_REFOCUS_MODES + 4];
  guint n = refocus_list_directions (params, directions);

  memset (state, 0, sizeof *state);
  if (!refocus_search_focus (params, measure, data, state, &width, error))
    return FALSE;
  if (!state->is_found) {
    state->focus = 0;
    return TRUE;
  }
  for (guint round = 0; round < OCT_REFOCUS_ROUNDS; round++) {
    for (guint i = 0; i < n; i++) {
      double w = directions[i].mode < 0 ? width : span;

      if (!refocus_search_grid (measure, data, state, directions[i], -w,
              2 * w / (OCT_REFOCUS_STEPS - 1), OCT_REFOCUS_STEPS, sharpness,
              error))
        return FALSE;
    }
    width /= 4;
    span /= 4;
  }
  return TRUE;
}
