/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A^H A and A^H y of compressive sensing: FFT, a band of a matrix, FFT.
 */
#include "oct-cpu-cs.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-simd.h"

#include <string.h>

#define VECTORS (OCT_LANES / OCT_VECTOR)

/* -------------------------------------------------------------- operation */

/* to[c] = sum over the taps of band[c][tap] from[c + tap]; taps and parts are
 * constants where this is inlined */
OCT_INLINE void
multiply (const float *band, guint taps, guint parts, guint length,
    const float *from, float *to)
{
  guint row = parts * VECTORS;

  for (guint c = 0; c < length; c++, band += taps) {
    for (guint k = 0; k < row; k++) {
      const OctVector *at = (const OctVector *)from + (gsize)c * row + k;
      OctVector sum = band[0] * at[0];
      for (guint tap = 1; tap < taps; tap++)
        sum += band[tap] * at[tap * row];
      *(OctVector *)to = sum;
      to += OCT_VECTOR;
    }
  }
}

OCT_INLINE void
multiply_band (const float *band, guint taps, guint parts, guint length,
    const float *from, float *to)
{
  switch (taps) {
#define CASE(n)                                                                \
  case n:                                                                      \
    multiply (band, n, parts, length, from, to);                               \
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
    multiply (band, taps, parts, length, from, to);
  }
}

OCT_VECTORISED static void
multiply_real (
    const float *band, guint taps, guint length, const float *from, float *to)
{
  multiply_band (band, taps, 1, length, from, to);
}

OCT_VECTORISED static void
multiply_complex (
    const float *band, guint taps, guint length, const float *from, float *to)
{
  multiply_band (band, taps, 2, length, from, to);
}

/* What a kernel at one end of the grid reaches at the other. */
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

OCT_VECTORISED static void
scale_modes (const float *factors, guint modes, float *values)
{
  for (guint i = 0; i < modes; i++)
    for (guint k = 0; k < 2 * OCT_LANES; k++)
      values[(gsize)i * 2 * OCT_LANES + k] *= factors[i];
}

/* The modes of the cells. */
static void
transform_cells (const OctCpuCsOperator *op, const OctCpuCsScratch *scratch,
    const float *factors, float *out)
{
  /* one run of bins, around the end of the FFT */
  guint first = op->n_runs == 2 ? op->runs[0].place : 0;

  if (op->parts == 2)
    oct_lanes_fft_run (
        op->forward, scratch->cells, out, first, op->modes, scratch->transform);
  else
    oct_lanes_fft_run_real (
        op->forward, scratch->cells, out, 0, op->modes, scratch->transform);
  scale_modes (factors, op->modes, out);
}

void
oct_cpu_cs_apply (
    const OctCpuCsOperator *op, const OctCpuCsScratch *scratch, float *tx)
{
  const OctCsTables *t = &op->tables;
  gsize cell = (gsize)op->parts * OCT_LANES;
  guint taps = 2 * op->margin + 1;
  const float *from = scratch->grid - op->margin * cell;

  if (op->parts == 2)
    oct_lanes_fft_run (op->backward, scratch->placed, scratch->grid, 0,
        t->length, scratch->transform);
  else
    oct_lanes_fft_run_back_real (
        op->backward, scratch->placed, scratch->grid, scratch->transform);
  fill_margins (scratch->grid, t->length, op->margin, cell);
  if (op->parts == 2)
    multiply_complex (op->band, taps, t->length, from, scratch->cells);
  else
    multiply_real (op->band, taps, t->length, from, scratch->cells);
  transform_cells (op, scratch, op->factors, tx);
}

/* The cells of a grid without end go to those of the FFT that they stand for.
 */
OCT_VECTORISED static void
spread_samples (const OctNufftTables *g, guint parts, const guint32 *column,
    const float *rows, float *cells)
{
  const float *weights = g->node_weights;
  guint row = parts * VECTORS;

  for (guint n = 0; n < g->samples; n++) {
    const OctVector *value = (const OctVector *)rows + (gsize)column[n] * row;
    guint at = (g->origin + (guint)g->lowest[n]) % g->grid;
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
    const guint32 *column, const float *rows, float *b)
{
  const OctNufftTables *g = &op->tables.gridding;

  memset (scratch->cells, 0,
      (gsize)g->grid * op->parts * OCT_LANES * sizeof (float));
  spread_samples (g, op->parts, column, rows, scratch->cells);
  transform_cells (op, scratch, op->gridding, b);
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
  size += (gsize)op->bins * 2 * OCT_LANES * sizeof (float);
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
    /* in the order in which they follow each other around the end */
    op->runs[1] = (OctCpuCsRun){ .start = negative, .modes = positive };
    op->runs[0] =
        (OctCpuCsRun){ .modes = negative, .place = t->length - negative };
    op->n_runs = 2;
  }
  op->modes = op->runs[0].modes + op->runs[1].modes;
  op->bins = op->parts == 1 ? t->length / 2 + 1 : t->length;
  op->margin = t->diagonals - 1;
}

/* `table`[|q|] for every mode of an iterate */
static gboolean
set_factors (const OctCpuCsOperator *op, const float *table, float **factors,
    GError **error)
{
  guint before = op->n_runs == 2 ? op->runs[0].modes : 0;

  oct_cpu_free (*factors);
  *factors = oct_cpu_alloc (op->modes, sizeof (float), error);
  for (guint i = 0; *factors != NULL && i < op->modes; i++)
    (*factors)[i] = table[i < before ? before - i : i - before];
  return *factors != NULL;
}

/* All that a cell of h takes from those around, in their order. */
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
  if (!oct_cs_tables_set (&op->tables, params, error)
      || !set_transforms (op, error))
    return FALSE;
  set_runs (op);
  return set_factors (op, t->factors, &op->factors, error)
         && set_factors (op, t->gridding.factors, &op->gridding, error)
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
