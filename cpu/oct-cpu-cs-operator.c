/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A^H A and A^H y of compressive sensing: FFT, a band of a matrix, FFT.
 */
#include "oct-cpu-cs.h"
#include "oct-cpu-fftw.h"
#include "oct-cpu-private.h"
#include "oct-cpu-vector.h"
#include "oct-simd.h"

#include <string.h>

/* Floats around a grid: more than a kernel of complex values is wide, and the
 * grid remains aligned to 64 bytes. */
#define MARGIN ((gsize)2 * OCT_NUFFT_MAX_WIDTH + 16)

/* -------------------------------------------------------------- operation */

/* to[i] = band[0][i] from[i]
 *         + sum_d band[d][i] from[i + d shift] + band[d][i - d shift] from[..],
 * `shift` the floats of one cell; diagonals and shift are constants where this
 * is inlined */
OCT_INLINE void
multiply (const float *band, gsize row, guint diagonals, guint shift,
    const float *from, gsize count, float *to)
{
  for (gsize i = 0; i < count; i += OCT_VECTOR) {
    OctVector sum =
        *(const OctVector *)(band + i) * *(const OctVector *)(from + i);
    for (guint d = 1; d < diagonals; d++) {
      const float *weights = band + d * row + i;
      gsize step = (gsize)d * shift;
      sum += *(const OctVector *)weights * *(const OctVector *)(from + i + step)
             + *(const OctVector *)(weights - step)
                   * *(const OctVector *)(from + i - step);
    }
    *(OctVector *)(to + i) = sum;
  }
}

OCT_INLINE void
multiply_band (const float *band, gsize row, guint diagonals, guint shift,
    const float *from, gsize count, float *to)
{
  switch (diagonals) {
#define CASE(n)                                                                \
  case n:                                                                      \
    multiply (band, row, n, shift, from, count, to);                           \
    break
    CASE (1);
    CASE (2);
    CASE (3);
    CASE (4);
    CASE (5);
    CASE (6);
    CASE (7);
    CASE (8);
#undef CASE
  default:
    multiply (band, row, diagonals, shift, from, count, to);
  }
}

OCT_VECTORISED static void
multiply_real (const float *band, gsize row, guint diagonals, const float *from,
    gsize count, float *to)
{
  multiply_band (band, row, diagonals, 1, from, count, to);
}

OCT_VECTORISED static void
multiply_complex (const float *band, gsize row, guint diagonals,
    const float *from, gsize count, float *to)
{
  multiply_band (band, row, diagonals, 2, from, count, to);
}

/* What a kernel at one end of the grid reaches at the other. */
static void
fill_margins (float *grid, gsize count, gsize margin)
{
  for (gsize i = 0; i < margin; i++) {
    grid[count + i] = grid[i % count];
    *(grid - 1 - i) = grid[count - 1 - i % count];
  }
}

OCT_VECTORISED static void
scale_run (const float *factors, const float *spectrum, gsize count, float *out)
{
  for (gsize i = 0; i < count; i++)
    out[i] = factors[i] * spectrum[i];
}

/* The modes of the cells; the factors of real ones of even length are halves.
 */
static void
transform_cells (const OctCpuCsOperator *op, const OctCpuCsScratch *scratch,
    const float *factors, float *out)
{
  if (op->half.half != 0) {
    oct_cpu_half_run (&op->half, scratch->cells, scratch->spectrum, 0,
        op->runs[0].modes, NULL, out);
    scale_run (factors, out, 2 * (gsize)op->runs[0].modes, out);
    return;
  }
  if (op->parts == 2)
    fftwf_execute_dft (
        op->forward, (fftwf_complex *)scratch->cells, scratch->spectrum);
  else
    fftwf_execute_dft_r2c (op->forward, scratch->cells, scratch->spectrum);
  for (guint r = 0; r < op->n_runs; r++) {
    const OctCpuCsRun *run = &op->runs[r];
    scale_run (factors + run->start,
        (const float *)(scratch->spectrum + run->place), 2 * (gsize)run->modes,
        out + run->start);
  }
}

void
oct_cpu_cs_apply (
    const OctCpuCsOperator *op, const OctCpuCsScratch *scratch, float *tx)
{
  const OctCsTables *t = &op->tables;
  gsize count = (gsize)t->length * op->parts;

  if (op->half.half != 0) {
    oct_cpu_half_run_back (
        &op->half, scratch->placed, scratch->spectrum, scratch->grid);
  } else if (op->parts == 2) {
    fftwf_execute_dft (
        op->backward, scratch->placed, (fftwf_complex *)scratch->grid);
  } else {
    /* this one destroys its input */
    memcpy (
        scratch->spectrum, scratch->placed, op->bins * sizeof (fftwf_complex));
    fftwf_execute_dft_c2r (op->backward, scratch->spectrum, scratch->grid);
  }
  fill_margins (
      scratch->grid, count, MAX (OCT_VECTOR, (t->diagonals - 1) * op->parts));
  if (op->parts == 2)
    multiply_complex (op->band + MARGIN, op->band_row, t->diagonals,
        scratch->grid, count, scratch->cells);
  else
    multiply_real (op->band + MARGIN, op->band_row, t->diagonals, scratch->grid,
        count, scratch->cells);
  transform_cells (op, scratch, op->behind, tx);
}

/* width and parts are constants where this is inlined */
OCT_INLINE void
spread (const OctNufftTables *g, guint width, guint parts,
    const guint32 *column, const float *row, float *cells)
{
  const float *weights = g->node_weights;

  for (guint n = 0; n < g->samples; n++, weights += width) {
    const float *value = row + (gsize)column[n] * parts;
    float *to = cells + (gsize)g->lowest[n] * parts;
    for (guint m = 0; m < width; m++)
      for (guint part = 0; part < parts; part++)
        to[m * parts + part] += weights[m] * value[part];
  }
}

OCT_INLINE void
spread_samples (const OctNufftTables *g, guint parts, const guint32 *column,
    const float *row, float *cells)
{
  switch (g->width) {
#define CASE(width)                                                            \
  case width:                                                                  \
    spread (g, width, parts, column, row, cells);                              \
    break
    CASE (1);
    CASE (2);
    CASE (3);
    CASE (4);
    CASE (5);
    CASE (6);
    CASE (7);
    CASE (8);
#undef CASE
  default:
    spread (g, g->width, parts, column, row, cells);
  }
}

OCT_VECTORISED static void
spread_real (const OctNufftTables *g, const guint32 *column, const float *row,
    float *cells)
{
  spread_samples (g, 1, column, row, cells);
}

OCT_VECTORISED static void
spread_complex (const OctNufftTables *g, const guint32 *column,
    const float *row, float *cells)
{
  spread_samples (g, 2, column, row, cells);
}

/* Cells of a grid without end, in `grid`, to those of the FFT that they stand
 * for, in `cells`. */
void
oct_cpu_cs_adjoint (const OctCpuCsOperator *op, const OctCpuCsScratch *scratch,
    const guint32 *column, const float *row, float *b)
{
  const OctNufftTables *g = &op->tables.gridding;
  gsize count = (gsize)g->cells * op->parts;
  gsize length = (gsize)g->grid * op->parts;
  gsize at = (gsize)g->origin * op->parts;

  memset (scratch->grid, 0, count * sizeof (float));
  memset (scratch->cells, 0, length * sizeof (float));
  if (op->parts == 2)
    spread_complex (g, column, row, scratch->grid);
  else
    spread_real (g, column, row, scratch->grid);
  for (gsize done = 0; done < count;) {
    gsize some = MIN (count - done, length - at);
    for (gsize i = 0; i < some; i++)
      scratch->cells[at + i] += scratch->grid[done + i];
    done += some;
    at = 0;
  }
  transform_cells (op, scratch, op->gridding, b);
}

/* ---------------------------------------------------------------- making */

gsize
oct_cpu_cs_divide (
    const OctCpuCsOperator *op, guint8 *base, OctCpuCsScratch *scratch)
{
  const OctCsTables *t = &op->tables;
  gsize grid = (gsize)MAX (t->length, t->gridding.cells) * op->parts;
  gsize floats = oct_cpu_pad ((grid + 2 * MARGIN) * sizeof (float));
  gsize bins = oct_cpu_pad (op->bins * sizeof (fftwf_complex));

  scratch->placed = (gpointer)base;
  scratch->spectrum = (gpointer)(base + bins);
  scratch->grid = (float *)(gpointer)(base + 2 * bins) + MARGIN;
  scratch->cells = (gpointer)(base + 2 * bins + floats);
  return 2 * bins + 2 * floats;
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
    op->runs[1].modes = negative;
    op->runs[1].place = t->length - negative;
    op->n_runs = 2;
  }
  op->iterate = 0;
  for (guint r = 0; r < op->n_runs; r++) {
    op->runs[r].start = op->iterate;
    op->runs[r].values = ((gsize)op->runs[r].modes * 2 + OCT_VECTOR - 1)
                         / OCT_VECTOR * OCT_VECTOR;
    op->iterate +=
        oct_cpu_pad (op->runs[r].values * sizeof (float)) / sizeof (float);
  }
  /* zeros behind the last run are written too */
  op->bins = (op->parts == 1 ? t->length / 2 + 1 : t->length) + OCT_VECTOR;
}

/* `table`[|q|] twice for every mode of an iterate */
static gboolean
set_factors (const OctCpuCsOperator *op, const float *table, float scale,
    float **factors, GError **error)
{
  oct_cpu_free (*factors);
  *factors = oct_cpu_alloc (op->iterate, sizeof (float), error);
  if (*factors == NULL)
    return FALSE;
  memset (*factors, 0, op->iterate * sizeof (float));
  for (guint r = 0; r < op->n_runs; r++) {
    const OctCpuCsRun *run = &op->runs[r];
    for (guint i = 0; i < run->modes; i++) {
      guint q = r == 0 ? i : run->modes - i;
      float *to = *factors + run->start + 2 * (gsize)i;
      to[0] = to[1] = scale * table[q];
    }
  }
  return TRUE;
}

static gboolean
set_band (OctCpuCsOperator *op, GError **error)
{
  const OctCsTables *t = &op->tables;
  gsize count = (gsize)t->length * op->parts;

  oct_cpu_free (op->band);
  op->band_row = count + 2 * MARGIN;
  op->band = oct_cpu_alloc (t->diagonals, op->band_row * sizeof (float), error);
  if (op->band == NULL)
    return FALSE;
  for (guint d = 0; d < t->diagonals; d++) {
    float *row = op->band + d * op->band_row + MARGIN;
    for (gsize i = 0; i < count; i++)
      row[i] = t->band[(gsize)d * t->length + i / op->parts];
    fill_margins (row, count, MARGIN);
  }
  return TRUE;
}

static gboolean
set_transforms (OctCpuCsOperator *op, GError **error)
{
  gboolean real = op->parts == 1;
  guint length = op->tables.length;

  oct_cpu_half_clear (&op->half);
  if (real && length % 2 == 0)
    return oct_cpu_half_init (&op->half, length, error)
           && oct_cpu_half_add_back (&op->half, error);
  op->forward = oct_cpu_fftw_plan (
      real ? OCT_CPU_FFTW_REAL_TO_COMPLEX : OCT_CPU_FFTW_FORWARD, length,
      error);
  if (op->forward == NULL)
    return FALSE;
  op->backward = oct_cpu_fftw_plan (
      real ? OCT_CPU_FFTW_COMPLEX_TO_REAL : OCT_CPU_FFTW_BACKWARD, length,
      error);
  return op->backward != NULL;
}

gboolean
oct_cpu_cs_operator_set (
    OctCpuCsOperator *op, const OctCsParams *params, GError **error)
{
  float half;

  op->parts = params->format == OCT_SAMPLE_CF32 ? 2 : 1;
  if (!oct_cs_tables_set (&op->tables, params, error)
      || !set_transforms (op, error))
    return FALSE;
  set_runs (op);
  half = op->half.half != 0 ? 0.5f : 1;
  return set_factors (op, op->tables.factors, 1, &op->before, error)
         && set_factors (op, op->tables.factors, half, &op->behind, error)
         && set_factors (
             op, op->tables.gridding.factors, half, &op->gridding, error)
         && set_band (op, error);
}

void
oct_cpu_cs_operator_clear (OctCpuCsOperator *op)
{
  oct_cs_tables_clear (&op->tables);
  oct_cpu_half_clear (&op->half);
  oct_cpu_free (op->before);
  oct_cpu_free (op->behind);
  oct_cpu_free (op->gridding);
  oct_cpu_free (op->band);
  memset (op, 0, sizeof *op);
}
