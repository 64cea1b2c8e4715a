/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means of frames: docs/elements/octaverage.md.
 */
#include "reference-plan.h"
#include "reference-registration.h"

#include <math.h>

/* A frame of a mean. */
typedef struct {
  gint rows, columns; /* where it lies, against the first of all */
  Complex values[];
} Past;

static Complex
to_add (const OctAverageParams *p, Complex a)
{
  double power = creal (a) * creal (a) + cimag (a) * cimag (a);

  if (p->of == OCT_AVERAGE_POWER)
    return isfinite (power) ? power : 0;
  return CMPLX (isfinite (creal (a)) ? creal (a) : 0,
      isfinite (cimag (a)) ? cimag (a) : 0);
}

/* Mean of the values in row `y`, number `i` of that row, over the frames that
 * have one there when all are shifted onto the last one. */
static Complex
mean_of (const OctReference *plan, gint y, gint i)
{
  const OctAverageParams *p = plan->params;
  gint rows = (gint)(p->rows / OCT_BSCANS (p)), values = (gint)p->values;
  gint parts = (gint)MAX (1, p->parts);
  const Past *last = g_queue_peek_tail ((GQueue *)&plan->past);
  Complex sum = 0;
  double n = 0;

  for (GList *link = plan->past.head; link != NULL; link = link->next) {
    const Past *frame = link->data;
    gint row = y + frame->rows - last->rows;
    gint value = i + parts * (frame->columns - last->columns);

    if (row >= 0 && row < rows && value >= 0 && value < values) {
      sum += frame->values[row * values + value];
      n++;
    }
  }
  if (p->of == OCT_AVERAGE_POWER)
    return sqrt (creal (sum) / n);
  return p->format == OCT_SAMPLE_CF32 ? sum / n
                                      : floor ((2 * creal (sum) + n) / (2 * n));
}

/* [rows][values] */
static Complex *
mean_of_all (const OctReference *plan)
{
  const OctAverageParams *p = plan->params;
  gint rows = (gint)(p->rows / OCT_BSCANS (p)), values = (gint)p->values;
  Complex *mean = g_new (Complex, (gsize)rows * p->values);

  for (gint y = 0; y < rows; y++)
    for (gint i = 0; i < values; i++)
      mean[y * values + i] = mean_of (plan, y, i);
  return mean;
}

/* Where the frame is: as far from the one before as it has moved against the
 * mean that came with that. */
static void
find_place (const OctReference *plan, const Complex *in, Past *frame)
{
  const OctAverageParams *p = plan->params;
  const Past *before = g_queue_peek_tail ((GQueue *)&plan->past);
  g_autofree Complex *mean = NULL;
  gint shift[2];

  if (before == NULL || p->registration == OCT_REGISTRATION_NONE)
    return;
  mean = mean_of_all (plan);
  reference_find_shift (p, mean, in, shift);
  frame->rows = before->rows + shift[0];
  frame->columns = before->columns + shift[1];
}

void
reference_average (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctAverageParams *p = plan->params;
  gsize values = (gsize)p->rows / OCT_BSCANS (p) * p->values;

  for (guint bscan = 0; bscan < OCT_BSCANS (p); bscan++) {
    Past *frame = g_malloc0 (sizeof *frame + values * sizeof (Complex));
    g_autofree Complex *result = NULL;

    for (gsize i = 0; i < values; i++)
      frame->values[i] = to_add (p, in[bscan * values + i]);
    if (p->mode == OCT_AVERAGE_BLOCK
        && g_queue_get_length (&plan->past) == p->frames)
      reference_forget (plan);
    find_place (plan, in + bscan * values, frame);
    g_queue_push_tail (&plan->past, frame);
    if (g_queue_get_length (&plan->past) > p->frames)
      g_free (g_queue_pop_head (&plan->past));
    result = mean_of_all (plan);
    for (gsize i = 0; i < values; i++)
      out[bscan * values + i] = result[i];
  }
  plan->found = g_queue_get_length (&plan->past);
}

void
reference_forget (OctReference *plan)
{
  g_queue_clear_full (&plan->past, g_free);
}
