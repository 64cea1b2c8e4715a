/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A^H A and A^H y of compressive sensing: FFT, a band of a matrix, FFT.
 */
#include "oct-cpu-cs-parts.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-simd.h"

#include <string.h>

#define VECTORS (OCT_LANES / OCT_VECTOR)

/* -------------------------------------------------------------- operation */

/* Arguments of the callbacks of the transforms. */
typedef struct {
  const OctCpuCsOperator *op;
  const OctCpuCsScratch *scratch;
  const float *change;
  float *gradient;
  double *product, *squares;
} Work;

/* Lanes that are summed up at a time: on ARM no more than a register holds
 * (oct-cpu-vector.h). */
#ifdef __aarch64__
typedef OctVector Some;
#else
typedef OctLanes Some;
#endif
#define SOME (OCT_LANES / (guint)(sizeof (Some) / sizeof (float)))

/* *to = sum over the taps of band[tap] from[tap]; taps and parts are constants
 * when inlined */
OCT_INLINE void
multiply_cell (
    const float *band, guint taps, guint parts, const float *from, float *to)
{
  for (guint part = 0; part < parts * SOME; part++) {
    const Some *at = (const Some *)from + part;
    Some sum = band[0] * at[0];
    for (guint tap = 1; tap < taps; tap++)
      sum += band[tap] * at[tap * parts * SOME];
    ((Some *)to)[part] = sum;
  }
}

/* The same for two adjacent cells: their common values are read once. */
OCT_INLINE void
multiply_two (
    const float *band, guint taps, guint parts, const float *from, float *to)
{
  for (guint part = 0; part < parts * SOME; part++) {
    const Some *at = (const Some *)from + part;
    Some first = band[0] * at[0];
    Some second = band[2 * taps - 1] * at[taps * parts * SOME];
    for (guint tap = 1; tap < taps; tap++) {
      Some value = at[tap * parts * SOME];
      first += band[tap] * value;
      second += band[taps + tap - 1] * value;
    }
    ((Some *)to)[part] = first;
    ((Some *)to)[part + parts * SOME] = second;
  }
}

/* Cells of h in groups of `group`: those of group first, first + step, ... */
OCT_INLINE void
multiply (const Work *work, guint taps, guint parts, guint group, guint first,
    guint step, guint count, float *to)
{
  const OctCpuCsOperator *op = work->op;
  gsize cell = (gsize)parts * OCT_LANES;
  const float *grid = work->scratch->grid - op->margin * cell;

  for (guint i = 0; i < count; i++, to += group * cell) {
    gsize at = (gsize)(first + i * step) * group;
    const float *band = op->band + at * taps;
    if (group == 2)
      multiply_two (band, taps, parts, grid + at * cell, to);
    else
      multiply_cell (band, taps, parts, grid + at * cell, to);
  }
}

OCT_INLINE void
multiply_some (const Work *work, guint parts, guint group, guint first,
    guint step, guint count, float *to)
{
  guint taps = 2 * work->op->margin + 1;

  switch (taps) {
#define CASE(n)                                                                \
  case n:                                                                      \
    multiply (work, n, parts, group, first, step, count, to);                  \
    break
    CASE (1);
    CASE (3);
    CASE (5);
    CASE (7);
    CASE (9);
    CASE (11);
    CASE (13);
    CASE (15);
#undef CASE
  default:
    multiply (work, taps, parts, group, first, step, count, to);
  }
}

/* h of complex A-lines */
OCT_VECTORISED static void
cpu_cs_operator_read_complex (
    gpointer work, guint first, guint step, guint count, float *to)
{
  multiply_some (work, 2, 1, first, step, count, to);
}

/* h of real A-lines, pairs of cells */
OCT_VECTORISED static void
read_pairs (gpointer work, guint first, guint step, guint count, float *to)
{
  multiply_some (work, 1, 2, first, step, count, to);
}

/* h of real A-lines, all cells */
OCT_VECTORISED static void
cpu_cs_operator_read_real (gpointer work, guint length, float *to)
{
  multiply_some (work, 1, 1, 0, 1, length, to);
}

/* Fills the margins periodically, for kernels that cross an end of the grid. */
static void
fill_margins (float *grid, guint length, guint margin, gsize cell)
{
  for (guint i = 0; i < margin; i++) {
    memcpy (grid + (gsize)(length + i) * cell,
        grid + (gsize)(i % length) * cell, cell * sizeof *grid);
    memcpy (grid - (gsize)(i + 1) * cell,
        grid + (gsize)(length - 1 - i % length) * cell, cell * sizeof *grid);
  }
}

/* The number of the mode in bin `bin`; op->modes or more: there is none. */
OCT_INLINE guint
mode_of (const OctCpuCsOperator *op, guint bin)
{
  guint place = op->runs[0].place;

  return bin >= place ? bin - place : bin + op->tables.length - place;
}

/* The modes of the change at their places, zeros elsewhere. */
OCT_VECTORISED static void
read_modes (gpointer data, guint first, guint step, guint count, float *to)
{
  const Work *work = data;

  for (guint i = 0; i < count; i++, to += 2 * OCT_LANES) {
    guint mode = mode_of (work->op, first + i * step);
    gboolean there = mode < work->op->modes;
    const float *from =
        work->change + (gsize)(there ? mode : 0) * 2 * OCT_LANES;
    float factor = there ? work->op->factors[mode] : 0;
    if (there)
      for (guint k = 0; k < 2 * OCT_LANES; k++)
        to[k] = factor * from[k];
    else
      for (guint k = 0; k < 2 * OCT_LANES; k++)
        to[k] = 0;
  }
}

/* Adds T change, from bins of h, to the gradient, with the sums for the step.
 */
OCT_VECTORISED static void
take_modes (gpointer data, guint first, guint step, guint count, float *bins)
{
  const Work *work = data;
  const OctCpuCsOperator *op = work->op;
  OctVector products[VECTORS] = { 0 }, squares[VECTORS] = { 0 };

  for (guint i = 0; i < count; i++) {
    guint mode = mode_of (op, first + i * step);
    gsize at = (gsize)mode * 2 * OCT_LANES;
    float weight;
    if (mode >= op->modes)
      continue;
    weight = (float)oct_cpu_cs_weight (op, mode);
    for (guint k = 0; k < 2 * VECTORS; k++) {
      const float *from = bins + (gsize)i * 2 * OCT_LANES + k * OCT_VECTOR;
      OctVector value = op->factors[mode] * *(const OctVector *)from, sum;
      OctVector *to = (OctVector *)(work->gradient + at + k * OCT_VECTOR);
      products[k % VECTORS] +=
          weight * *(const OctVector *)(work->change + at + k * OCT_VECTOR)
          * value;
      *to = sum = *to + value;
      squares[k % VECTORS] += weight * sum * sum;
    }
  }
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    work->product[lane] += products[lane / OCT_VECTOR][lane % OCT_VECTOR];
    work->squares[lane] += squares[lane / OCT_VECTOR][lane % OCT_VECTOR];
  }
}

/* T for real A-lines: the transforms need their bins in memory. */
static void
apply_real (const OctCpuCsOperator *op, Work *work)
{
  const OctCpuCsScratch *scratch = work->scratch;
  guint length = op->tables.length;

  /* bins after the modes always stay zero */
  read_modes (work, 0, 1, op->modes, scratch->placed);
  oct_lanes_fft_run_back_real (
      op->backward, scratch->placed, scratch->grid, scratch->transform);
  fill_margins (scratch->grid, length, op->margin, OCT_LANES);
  if (length % 2 == 0) {
    oct_lanes_fft_run_real_through (op->forward, read_pairs, work, NULL,
        scratch->placed, 0, op->modes, scratch->transform);
  } else {
    cpu_cs_operator_read_real (work, length, scratch->cells);
    oct_lanes_fft_run_real (op->forward, scratch->cells, scratch->placed, 0,
        op->modes, scratch->transform);
  }
  for (guint q = 0; q < op->modes; q += 16)
    take_modes (work, q, 1, MIN (16, op->modes - q),
        scratch->placed + (gsize)q * 2 * OCT_LANES);
}

void
oct_cpu_cs_apply (const OctCpuCsOperator *op, const OctCpuCsScratch *scratch,
    const float *change, float *gradient, double *product, double *squares)
{
  Work work = { op, scratch, change, gradient, product, squares };
  guint length = op->tables.length;

  memset (product, 0, OCT_LANES * sizeof *product);
  memset (squares, 0, OCT_LANES * sizeof *squares);
  if (op->parts == 1) {
    apply_real (op, &work);
    return;
  }
  oct_lanes_fft_run_through (op->backward, read_modes, NULL, &work, NULL,
      scratch->grid, 0, length, scratch->transform);
  fill_margins (scratch->grid, length, op->margin, 2 * OCT_LANES);
  /* one run of bins, around the end of the FFT */
  oct_lanes_fft_run_through (op->forward, cpu_cs_operator_read_complex,
      take_modes, &work, NULL, NULL, op->runs[0].place, op->modes,
      scratch->transform);
}

/* values *= factors; squares += |values|^2 */
OCT_VECTORISED static void
scale_modes (const OctCpuCsOperator *op, float *values, double *squares)
{
  for (guint i = 0; i < op->modes; i += 16) {
    OctVector sums[VECTORS] = { 0 };
    for (guint mode = i; mode < MIN (i + 16, op->modes); mode++) {
      float weight = (float)oct_cpu_cs_weight (op, mode);
      OctVector *to = (OctVector *)(values + (gsize)mode * 2 * OCT_LANES);
      for (guint k = 0; k < 2 * VECTORS; k++) {
        OctVector value = op->gridding[mode] * to[k];
        to[k] = value;
        sums[k % VECTORS] += weight * value * value;
      }
    }
    for (guint lane = 0; lane < OCT_LANES; lane++)
      squares[lane] += sums[lane / OCT_VECTOR][lane % OCT_VECTOR];
  }
}

/* Adds the samples to the cells of the grid; cells beyond its end wrap around.
 */
OCT_VECTORISED static void
spread_samples (const OctNufftTables *g, guint parts, const guint32 *column,
    const float *rows, const float *scale, float *cells)
{
  const OctVector *scales = (const OctVector *)scale;
  const float *weights = g->node_weights;
  guint row = parts * VECTORS;

  for (guint n = 0; n < g->samples; n++) {
    const OctVector *from = (const OctVector *)rows + (gsize)column[n] * row;
    guint at = (g->origin + (guint)g->lowest[n]) % g->grid;
    OctVector value[2 * VECTORS];
    for (guint k = 0; k < row; k++)
      value[k] = scales[k % VECTORS] * from[k];
    for (guint m = 0; m < g->width; m++) {
      OctVector *to = (OctVector *)cells + (gsize)at * row;
      for (guint k = 0; k < row; k++)
        to[k] += *weights * value[k];
      weights++;
      at = at + 1 < g->grid ? at + 1 : 0;
    }
  }
}

void
oct_cpu_cs_adjoint (const OctCpuCsOperator *op, const OctCpuCsScratch *scratch,
    const guint32 *column, const float *rows, const float *scale, float *b,
    double *squares)
{
  const OctNufftTables *g = &op->tables.gridding;

  memset (scratch->cells, 0,
      (gsize)g->grid * op->parts * OCT_LANES * sizeof (float));
  spread_samples (g, op->parts, column, rows, scale, scratch->cells);
  if (op->parts == 2)
    oct_lanes_fft_run (op->forward, scratch->cells, b, op->runs[0].place,
        op->modes, scratch->transform);
  else
    oct_lanes_fft_run_real (
        op->forward, scratch->cells, b, 0, op->modes, scratch->transform);
  memset (squares, 0, OCT_LANES * sizeof *squares);
  scale_modes (op, b, squares);
}

/* ---------------------------------------------------------------- making */

gsize
oct_cpu_cs_divide (
    const OctCpuCsOperator *op, guint8 *base, OctCpuCsScratch *scratch)
{
  const OctCsTables *t = &op->tables;
  gsize cell = (gsize)op->parts * OCT_LANES * sizeof (float);
  gsize margin = op->margin * cell, size = 0;

  scratch->placed = (gpointer)base;
  if (op->parts == 1)
    size += ((gsize)t->length / 2 + 1) * 2 * OCT_LANES * sizeof (float);
  scratch->grid = (gpointer)(base + size + margin);
  size += t->length * cell + 2 * margin;
  scratch->cells = (gpointer)(base + size);
  size += t->length * cell;
  scratch->transform = base + size;
  return size
         + MAX (oct_lanes_fft_scratch (op->forward),
             oct_lanes_fft_scratch (op->backward));
}

static void
set_runs (OctCpuCsOperator *op)
{
  const OctCsTables *t = &op->tables;
  guint positive = (t->samples + 1) / 2, negative = t->samples / 2;

  op->runs[0] = (OctCpuCsRun){ .modes = positive };
  op->n_runs = 1;
  if (op->parts == 1) {
    op->runs[0].modes += t->nyquist;
  } else if (negative > 0) {
    /* in their order around the end of the FFT */
    op->runs[1] = (OctCpuCsRun){ .start = negative, .modes = positive };
    op->runs[0] =
        (OctCpuCsRun){ .modes = negative, .place = t->length - negative };
    op->n_runs = 2;
  }
  op->modes = op->runs[0].modes + op->runs[1].modes;
  op->paired = op->modes - (op->parts == 1 && t->nyquist);
  op->margin = t->diagonals - 1;
}

/* `table`[|q|] for every mode of an iterate */
static gboolean
cpu_cs_operator_set_factors (const OctCpuCsOperator *op, const float *table,
    float **factors, GError **error)
{
  guint before = op->n_runs == 2 ? op->runs[0].modes : 0;

  oct_cpu_free (*factors);
  *factors = oct_cpu_alloc (op->modes, sizeof (float), error);
  for (guint i = 0; *factors != NULL && i < op->modes; i++)
    (*factors)[i] = table[i < before ? before - i : i - before];
  return *factors != NULL;
}

/* Copies the weights of all neighbours of each cell of h, in their order. */
static gboolean
set_band (OctCpuCsOperator *op, GError **error)
{
  const OctCsTables *t = &op->tables;
  guint margin = op->margin, taps = 2 * margin + 1;

  oct_cpu_free (op->band);
  op->band = oct_cpu_alloc (t->length, taps * sizeof (float), error);
  if (op->band == NULL)
    return FALSE;
  for (guint c = 0; c < t->length; c++) {
    float *to = op->band + (gsize)c * taps + margin;
    for (guint d = 0; d <= margin; d++) {
      const float *row = t->band + (gsize)d * t->length;
      to[d] = row[c];
      *(to - d) = row[(c + t->length - d % t->length) % t->length];
    }
  }
  return TRUE;
}

static gboolean
set_transforms (OctCpuCsOperator *op, GError **error)
{
  guint length = op->tables.length;

  oct_lanes_fft_free (op->forward);
  oct_lanes_fft_free (op->backward);
  op->backward = NULL;
  op->forward = op->parts == 1 ? oct_lanes_fft_new_real (length, FALSE, error)
                               : oct_lanes_fft_new (length, FALSE, error);
  if (op->forward != NULL)
    op->backward = op->parts == 1 ? oct_lanes_fft_new_real (length, TRUE, error)
                                  : oct_lanes_fft_new (length, TRUE, error);
  return op->backward != NULL;
}

gboolean
oct_cpu_cs_operator_set (
    OctCpuCsOperator *op, const OctCsParams *params, GError **error)
{
  const OctCsTables *t = &op->tables;

  op->parts = params->format == OCT_SAMPLE_CF32 ? 2 : 1;
  op->rate = (float)params->kept / (float)params->samples;
  if (!oct_cs_tables_set (&op->tables, params, error)
      || !set_transforms (op, error))
    return FALSE;
  set_runs (op);
  return cpu_cs_operator_set_factors (op, t->factors, &op->factors, error)
         && cpu_cs_operator_set_factors (
             op, t->gridding.factors, &op->gridding, error)
         && set_band (op, error);
}

void
oct_cpu_cs_operator_clear (OctCpuCsOperator *op)
{
  oct_cs_tables_clear (&op->tables);
  oct_lanes_fft_free (op->forward);
  oct_lanes_fft_free (op->backward);
  oct_cpu_free (op->factors);
  oct_cpu_free (op->gridding);
  oct_cpu_free (op->band);
  memset (op, 0, sizeof *op);
}
