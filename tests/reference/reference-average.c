/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means of frames: docs/elements/octaverage.md.
 */
#include "reference-plan.h"

#include <math.h>

static Complex
to_add (const OctAverageParams *p, Complex a)
{
  double power = creal (a) * creal (a) + cimag (a) * cimag (a);

  if (p->of == OCT_AVERAGE_POWER)
    return isfinite (power) ? power : 0;
  return CMPLX (isfinite (creal (a)) ? creal (a) : 0,
      isfinite (cimag (a)) ? cimag (a) : 0);
}

static Complex
mean_of (const OctReference *plan, gsize i)
{
  const OctAverageParams *p = plan->params;
  guint n = g_queue_get_length ((GQueue *)&plan->past);
  Complex sum = 0;

  for (GList *frame = plan->past.head; frame != NULL; frame = frame->next)
    sum += ((const Complex *)frame->data)[i];
  if (p->of == OCT_AVERAGE_POWER)
    return sqrt (creal (sum) / n);
  return p->format == OCT_SAMPLE_CF32 ? sum / n
                                      : floor ((2 * creal (sum) + n) / (2 * n));
}

void
reference_average (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctAverageParams *p = plan->params;
  gsize values = (gsize)p->rows / OCT_BSCANS (p) * p->values;

  for (guint bscan = 0; bscan < OCT_BSCANS (p); bscan++) {
    Complex *frame = g_new (Complex, values);

    for (gsize i = 0; i < values; i++)
      frame[i] = to_add (p, in[bscan * values + i]);
    if (p->mode == OCT_AVERAGE_BLOCK
        && g_queue_get_length (&plan->past) == p->frames)
      reference_forget (plan);
    g_queue_push_tail (&plan->past, frame);
    if (g_queue_get_length (&plan->past) > p->frames)
      g_free (g_queue_pop_head (&plan->past));
    for (gsize i = 0; i < values; i++)
      out[bscan * values + i] = mean_of (plan, i);
  }
  plan->found = g_queue_get_length (&plan->past);
}

void
reference_forget (OctReference *plan)
{
  g_queue_clear_full (&plan->past, g_free);
}
