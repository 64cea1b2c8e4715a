/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nufft-cases.h"

#include <math.h>

static const char *
operation_name (OctOperation operation)
{
  return operation == OCT_OPERATION_NUFFT ? "nufft" : "nudft";
}

char *
case_name (OctOperation operation, const OctNufftParams *p, const char *nodes)
{
  g_autofree char *grid =
      is_gridded (operation) ? g_strdup_printf (" %s grid %u width %u %s",
          p->kernel == OCT_KERNEL_GAUSSIAN ? "gaussian" : "kaiser-bessel",
          p->grid, p->width,
          p->weights == OCT_WEIGHTS_PRECOMPUTED ? "precomputed" : "on-the-fly")
                             : g_strdup ("");

  return g_strdup_printf ("%s %s %u x %u bins %u from %d%s %s nodes",
      operation_name (operation),
      p->format == OCT_SAMPLE_CF32 ? "complex" : "real", p->samples, p->lines,
      p->depth_bins, p->depth_start, grid, nodes);
}

char *
wanted_name (const Check *check, OctOperation operation,
    const OctNufftParams *p, const char *nodes)
{
  g_autofree char *name = case_name (operation, p, nodes);

  if (!check_has (check, name)
      || (check->reduced && (gsize)p->samples * p->lines > 20000))
    return NULL;
  return g_steal_pointer (&name);
}

void
fill_input (Rows *rows, GRand *random)
{
  for (guint line = 0; line < rows->lines; line++) {
    float *row = (float *)(rows->data + line * rows_stride (rows));
    double size = pow (10, (double)(line % 5) * 3 - 4);
    for (guint i = 0; i < rows->values * (rows->is_complex ? 2 : 1); i++)
      row[i] = (float)(size * g_rand_double_range (random, -1, 1));
  }
}

/* Sum of squares of a line of the output whose terms do not cancel: those of
 * few samples may, down to their rounding. */
static double
usual_power (const OctNufftParams *p, const Complex *source)
{
  double power = 0;

  for (guint n = 0; n < p->samples; n++)
    power += pow (p->window[n] * cabs (source[n]), 2);
  return power * p->depth_bins / p->samples;
}

double
worst_error (
    const OctNufftParams *p, const Rows *in, const Rows *out, gboolean gridded)
{
  g_autofree Complex *source = g_new (Complex, in->values);
  g_autofree Complex *expected = g_new (Complex, out->values);
  guint step = MAX (1, p->lines / (p->samples > 500 ? 2 : 8));
  double worst = 0, error;

  for (guint line = 0; line < p->lines; line += step) {
    get_line (in, line, source);
    if (gridded)
      oct_reference_gridded (p, source, expected);
    else
      oct_reference_exact (p, source, expected);
    error = line_error (
        out, line, expected, p->samples < 8 ? usual_power (p, source) : 0);
    worst = error <= worst ? worst : error; /* keeps not-a-number */
  }
  return worst;
}

OctNufftParams
spectrometer (guint samples, guint lines, double *positions, double *window)
{
  OctNufftParams p = { .format = OCT_SAMPLE_F32,
    .samples = samples,
    .lines = lines,
    .depth_bins = samples / 2,
    .width = 6,
    .grid = oct_nufft_grid_length (samples, 1.25),
    .nodes = positions,
    .window = window };

  nodes_fill (NODES_SPECTROMETER, samples, NULL, positions);
  for (guint n = 0; n < samples; n++)
    window[n] = 1;
  return p;
}
