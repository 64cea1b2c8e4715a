/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-remap.h"

#include <math.h>

#define LEAST_LEFT 0.1
#define LEAST_AGREEMENT 0.5

double
oct_reference_remap_pixel (const OctRemapParams *p, const Complex *lines,
    const guint8 *seen, gsize pixel, Complex *value)
{
  guint32 first = p->map->first[pixel], end = p->map->first[pixel + 1];
  double sum = 0, size = 0;
  gboolean all = TRUE, hole = first == end;
  const Complex *nearest = NULL;

  for (guint z = 0; z < p->depths; z++)
    value[z] = 0;
  for (guint32 i = first; i < end; i++) {
    double weight = p->map->weight[i];
    const Complex *line = lines + (gsize)p->map->line[i] * p->depths;

    all = all && seen[p->map->line[i]] != 0;
    if (seen[p->map->line[i]] == 0)
      continue;
    if (nearest == NULL)
      nearest = line;
    sum += weight;
    size += fabs (weight);
    for (guint z = 0; z < p->depths; z++)
      value[z] +=
          weight
          * (p->format == OCT_SAMPLE_CF32 && p->of == OCT_SCAN_REMAP_AMPLITUDES
                  ? cabs (line[z])
                  : line[z]);
  }
  hole =
      hole || (!all && !(sum >= LEAST_LEFT && sum >= LEAST_AGREEMENT * size));
  for (guint z = 0; z < p->depths; z++) {
    if (hole)
      value[z] = 0;
    else if (!all)
      value[z] /= sum;
    if (hole || p->format != OCT_SAMPLE_CF32
        || p->of != OCT_SCAN_REMAP_AMPLITUDES)
      continue;
    value[z] = MAX (creal (value[z]), 0);
    if (cabs (nearest[z]) > 0)
      value[z] *= nearest[z] / cabs (nearest[z]);
  }
  return all ? 1
             : fmin (
                 fabs (sum - LEAST_LEFT), fabs (sum - LEAST_AGREEMENT * size));
}
