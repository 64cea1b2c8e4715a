/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A chain by the reference, step by step.
 */
#include "chain-case.h"
#include "oct-reference.h"

#include <math.h>

static Complex
raw_value (const ChainCase *c, guint line, guint i)
{
  const guint8 *row = c->raw + line * c->in_stride;

  switch (c->format) {
  case OCT_SAMPLE_U8:
    return row[i];
  case OCT_SAMPLE_U16:
    return ((const guint16 *)row)[i];
  case OCT_SAMPLE_F32:
    return ((const float *)row)[i];
  default:
    return CMPLX (((const float *)row)[2 * i], ((const float *)row)[2 * i + 1]);
  }
}

/* The parameters of a step; a mean that was found before is one that the
 * background finds. */
static OctReference *
reference_of (const OctStep *step)
{
  OctOperation operation = oct_step_get_operation (step);
  OctBackgroundParams background;

  if (operation != OCT_OPERATION_BACKGROUND)
    return oct_reference_new (operation, oct_step_get_params (step), NULL);
  background = *(const OctBackgroundParams *)oct_step_get_params (step);
  background.found = FALSE;
  return oct_reference_new (operation, &background, NULL);
}

/* Square of the norm of the transform's input, in all bins of the transform
 * together. */
static double
energy (const ChainCase *c, const Complex *spectra)
{
  double sum = 0;

  for (guint i = 0; i < c->lines * c->samples; i++)
    sum += pow (
        cabs (spectra[i]) * (c->has_fft ? c->window[i % c->samples] : 1), 2);
  return c->has_fft ? sum * c->length / c->samples : sum;
}

Complex *
chain_case_exact (const ChainCase *c, double *level)
{
  Complex *rows = g_new (Complex, c->lines * c->samples);
  double all;

  for (guint i = 0; i < c->lines * c->samples; i++)
    rows[i] = raw_value (c, i / c->samples, i % c->samples);
  *level = energy (c, rows); /* should there be no step before the transform */
  all = *level;
  for (guint k = 0; k < c->n; k++) {
    g_autoptr (OctReference) step = reference_of (c->steps[k]);
    OctStepShape shape = oct_reference_get_output (step);
    Complex *next = g_new (Complex, shape.rows * shape.values);

    if (c->has_fft && k + 1 == c->n)
      *level = energy (c, rows);
    oct_reference_run (step, rows, NULL, next);
    g_free (rows);
    rows = next;
    if (!c->has_fft)
      *level = energy (c, rows);
  }
  if (oct_background_modes[c->mode].terms > 0 && chain_case_takes_all (c))
    *level = all;
  *level = sqrt (*level * c->bins / (c->has_fft ? c->length : c->samples));
  return rows;
}
