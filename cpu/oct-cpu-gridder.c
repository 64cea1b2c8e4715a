/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-gridder.h"

#include "oct-cpu-lanes.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define LANES OCT_LANES
#define VECTORS (LANES / OCT_VECTOR)

/* --------------------------------------------------------------- weights */

/* Samples low .. end - 1; none if low == end. */
typedef struct {
  guint low, end;
} Range;

/* The samples with a weight in cell x; none if x is not a cell of the tables.
 */
static Range
cpu_gridder_find_range (const OctNufftTables *t, guint x)
{
  const float *weights = t->cell_weights + (gsize)x * t->taps;
  guint low = 0, end = t->taps;

  if (x >= t->cells)
    return (Range){ 0, 0 };
  while (low < end && weights[low] == 0)
    low++;
  while (end > low && weights[end - 1] == 0)
    end--;
  return (Range){ t->first[x] + low, t->first[x] + end };
}

static Range
cpu_gridder_unite (Range a, Range b)
{
  if (a.low == a.end)
    return b;
  if (b.low == b.end)
    return a;
  return (Range){ MIN (a.low, b.low), MAX (a.end, b.end) };
}

static float
cpu_gridder_get_weight (const OctNufftTables *t, guint x, guint sample)
{
  if (x >= t->cells || sample < t->first[x] || sample >= t->first[x] + t->taps)
    return 0;
  return t->cell_weights[(gsize)x * t->taps + sample - t->first[x]];
}

/* The cell of the tables that is the first part of a row; the second part is
 * the next cell.  The first row may begin one cell before the tables. */
static guint
first_cell (const OctCpuGridder *g, guint row)
{
  return g->is_half ? 2 * row - g->tables.origin % 2 : row;
}

/* Computes the samples and the first weight of all rows. */
static gboolean
place_rows (OctCpuGridder *g, gsize *weights, GError **error)
{
  const OctNufftTables *t = &g->tables;

  g->length = g->is_half ? g->grid / 2 : g->grid;
  g->start = g->is_half ? t->origin / 2 : t->origin;
  g->rows = g->is_half ? (t->cells + t->origin % 2 + 1) / 2 : t->cells;
  g->row = oct_cpu_reserve (
      &g->memory.row, (gsize)g->rows + 1, sizeof *g->row, error);
  if (g->row == NULL)
    return FALSE;
  *weights = 0;
  for (guint i = 0; i < g->rows; i++) {
    guint x = first_cell (g, i);
    Range range = cpu_gridder_find_range (t, x);

    if (g->is_half)
      range = cpu_gridder_unite (range, cpu_gridder_find_range (t, x + 1));
    g->row[i] = (OctCpuGridRow){ range.low, (guint32)*weights };
    *weights += range.end - range.low;
  }
  g->row[g->rows] = (OctCpuGridRow){ 0, (guint32)*weights };
  return TRUE;
}

/* Factors of the samples next to their weights, [samples][2]: the phase and the
 * shift of the selected modes.  NULL: there are none. */
static double *
make_phases (
    const OctCpuGridder *g, const OctNufftParams *params, const double *phase)
{
  gint middle = params->depth_start - g->tables.first_mode;
  double *phases;

  if (phase == NULL)
    return NULL;
  phases = g_new (double, 2 * (gsize)params->samples);
  for (guint n = 0; n < params->samples; n++) {
    double angle =
        phase[n] - 2 * G_PI * params->nodes[n] * middle / params->samples;

    phases[2 * n] = cos (angle);
    phases[2 * n + 1] = sin (angle);
  }
  return phases;
}

static void
cpu_gridder_fill_weights (OctCpuGridder *g, const double *phases)
{
  const OctNufftTables *t = &g->tables;

  for (guint i = 0; i < g->rows; i++) {
    guint taps = g->row[i + 1].weights - g->row[i].weights;
    guint x = first_cell (g, i);

    for (guint tap = 0; tap < taps; tap++) {
      gsize at = (gsize)g->row[i].weights + tap;
      guint n = g->row[i].first + tap;
      float weight = cpu_gridder_get_weight (t, x, n);

      if (g->parts == 2) {
        g->weights[at] = weight;
      } else if (phases != NULL) {
        g->weights[2 * at] = (float)(weight * phases[2 * n]);
        g->weights[2 * at + 1] = (float)(weight * phases[2 * n + 1]);
      } else {
        g->weights[2 * at] = weight;
        g->weights[2 * at + 1] =
            g->is_half ? cpu_gridder_get_weight (t, x + 1, n) : 0;
      }
    }
  }
}

/* ------------------------------------------------------------------- plans */

static gboolean
cpu_gridder_make_transform (
    OctCpuGridder *g, guint grid, gboolean is_half, GError **error)
{
  if (g->fft != NULL && g->grid == grid && g->is_half == is_half)
    return TRUE;
  oct_lanes_fft_free (g->fft);
  g->grid = grid;
  g->is_half = is_half;
  g->fft = is_half ? oct_lanes_fft_new_real (grid, FALSE, error)
                   : oct_lanes_fft_new (grid, FALSE, error);
  return g->fft != NULL;
}

gboolean
oct_cpu_gridder_set (OctCpuGridder *g, const OctNufftParams *params,
    const double *phase, GError **error)
{
  guint grid = oct_nufft_grid_of (params);
  gboolean is_half = params->format == OCT_SAMPLE_F32 && grid % 2 == 0;
  g_autofree double *phases = NULL;
  gsize weights;

  if (!cpu_gridder_make_transform (g, grid, is_half, error)
      || !oct_nufft_tables_set (&g->tables, params, TRUE, error))
    return FALSE;
  g->parts = params->format == OCT_SAMPLE_CF32 && phase == NULL ? 2 : 1;
  g->bins = params->depth_bins;
  /* modes before 0, of complex lines only, lie at the end of the FFT */
  g->first_bin = g->tables.first_mode < 0 ? grid - (guint)-g->tables.first_mode
                                          : (guint)g->tables.first_mode;
  if (!place_rows (g, &weights, error))
    return FALSE;
  g->weights = oct_cpu_reserve (&g->memory.weights, MAX (weights, 1),
      (g->parts == 2 ? 1 : 2) * sizeof (float), error);
  if (g->weights == NULL)
    return FALSE;
  phases = make_phases (g, params, phase);
  cpu_gridder_fill_weights (g, phases);
  return TRUE;
}

void
oct_cpu_gridder_clear (OctCpuGridder *g)
{
  oct_nufft_tables_clear (&g->tables);
  oct_lanes_fft_free (g->fft);
  oct_cpu_release (&g->memory.row);
  oct_cpu_release (&g->memory.weights);
  memset (g, 0, sizeof *g);
}

gsize
oct_cpu_gridder_scratch (const OctCpuGridder *g)
{
  return oct_lanes_fft_scratch (g->fft);
}

/* -------------------------------------------------------------------- run */

/* Adds complex samples times real weights. */
OCT_INLINE void
add_complex (const float *values, const float *weights, const float *end,
    OctVector *re, OctVector *im)
{
  const OctVector *from = (const OctVector *)values;

  for (; weights < end; weights++, from += 2 * VECTORS)
    for (guint k = 0; k < VECTORS; k++) {
      re[k] += weights[0] * from[k];
      im[k] += weights[0] * from[VECTORS + k];
    }
}

/* Adds real samples times two weights each. */
OCT_INLINE void
add_real (const float *values, const float *weights, const float *end,
    OctVector *re, OctVector *im)
{
  const OctVector *from = (const OctVector *)values;

  for (; weights < end; weights += 2, from += VECTORS)
    for (guint k = 0; k < VECTORS; k++) {
      re[k] += weights[0] * from[k];
      im[k] += weights[1] * from[k];
    }
}

/* Values first, first + step, ... of the transform; parts is a constant when
 * inlined. */
OCT_INLINE void
read_rows (const OctCpuGridder *g, guint parts, const float *values,
    guint first, guint step, guint count, float *out)
{
  guint per_sample = parts == 2 ? 1 : 2;

  for (guint i = 0; i < count; i++, first += step) {
    guint row =
        first >= g->start ? first - g->start : first + g->length - g->start;
    OctVector re[VECTORS] = { 0 }, im[VECTORS] = { 0 };
    OctVector *to = (OctVector *)(out + (gsize)i * 2 * LANES);

    for (; row < g->rows; row += g->length) {
      const OctCpuGridRow *here = &g->row[row];
      const float *from = values + (gsize)here->first * parts * LANES;
      const float *weights = g->weights + (gsize)here[0].weights * per_sample;
      const float *end = g->weights + (gsize)here[1].weights * per_sample;

      if (parts == 2)
        add_complex (from, weights, end, re, im);
      else
        add_real (from, weights, end, re, im);
    }
    for (guint k = 0; k < VECTORS; k++) {
      to[k] = re[k];
      to[VECTORS + k] = im[k];
    }
  }
}

OCT_VECTORISED static void
cpu_gridder_read_real (const OctCpuGridder *g, const float *values, guint first,
    guint step, guint count, float *out)
{
  read_rows (g, 1, values, first, step, count, out);
}

OCT_VECTORISED static void
cpu_gridder_read_complex (const OctCpuGridder *g, const float *values,
    guint first, guint step, guint count, float *out)
{
  read_rows (g, 2, values, first, step, count, out);
}

/* values[i] *= shifts[i], complex, in all lanes */
OCT_VECTORISED static void
shift_modes (const float *shifts, guint samples, float *values)
{
  OctVector *v = (OctVector *)values;

  for (guint i = 0; i < samples; i++, v += 2 * VECTORS)
    for (guint k = 0; k < VECTORS; k++) {
      OctVector re = v[k], im = v[VECTORS + k];

      v[k] = shifts[2 * i] * re - shifts[2 * i + 1] * im;
      v[VECTORS + k] = shifts[2 * i] * im + shifts[2 * i + 1] * re;
    }
}

/* Writes the selected bins, deconvolved. */
OCT_VECTORISED static void
write_scaled (const OctCpuGridder *g, float *out, guint first, guint step,
    guint count, const float *bins)
{
  for (guint i = 0; i < count; i++, first += step) {
    guint at = first >= g->first_bin ? first - g->first_bin
                                     : first + g->grid - g->first_bin;
    const OctVector *from = (const OctVector *)(bins + (gsize)i * 2 * LANES);
    OctVector *to = (OctVector *)(out + (gsize)at * 2 * LANES);

    if (at < g->bins)
      for (guint k = 0; k < 2 * VECTORS; k++)
        to[k] = g->tables.factors[at] * from[k];
  }
}

/* Arguments of the callbacks of one run. */
typedef struct {
  const OctCpuGridder *gridder;
  const float *values;
  float *out;
} Run;

static void
cpu_gridder_read_values (
    gpointer data, guint first, guint step, guint count, float *values)
{
  const Run *run = data;

  if (run->gridder->parts == 2)
    cpu_gridder_read_complex (
        run->gridder, run->values, first, step, count, values);
  else
    cpu_gridder_read_real (
        run->gridder, run->values, first, step, count, values);
}

static void
write_bins (gpointer data, guint first, guint step, guint count, float *bins)
{
  const Run *run = data;

  write_scaled (run->gridder, run->out, first, step, count, bins);
}

void
oct_cpu_gridder_run (
    const OctCpuGridder *g, float *values, float *out, gpointer scratch)
{
  Run run = { g, values, out };

  if (g->parts == 2 && g->tables.shifts != NULL)
    shift_modes (g->tables.shifts, g->tables.samples, values);
  if (g->is_half)
    oct_lanes_fft_run_real_through (g->fft, cpu_gridder_read_values, &run,
        g->tables.factors, out, g->first_bin, g->bins, scratch);
  else
    oct_lanes_fft_run_through (g->fft, cpu_gridder_read_values, write_bins,
        &run, NULL, NULL, g->first_bin, g->bins, scratch);
}
