/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shifts between frames, as the text of oct-registration.h says and
 * without its code.
 */
#include "reference-registration.h"

#include <math.h>

/* Values of one level. */
typedef struct {
  gint rows, columns;
  double *values; /* [rows][columns] */
} Level;

static double
get_value (const OctAverageParams *p, const Complex *row, gint x)
{
  double power;

  if (p->format == OCT_SAMPLE_CF32) {
    power = creal (row[x]) * creal (row[x]) + cimag (row[x]) * cimag (row[x]);
    return isfinite (power) ? sqrt (sqrt (power)) : 0;
  }
  if (p->parts == 4)
    return creal (row[4 * x] + row[4 * x + 1] + row[4 * x + 2]);
  return creal (row[x]);
}

static Level
make_level (const OctAverageParams *p, const Complex *image, guint l)
{
  gint rows = (gint)(p->rows / MAX (1, p->bscans));
  gint columns = (gint)(p->values / MAX (1, p->parts)), size = 1 << l;
  Level level = { rows / size, columns / size,
    g_new0 (double, (gsize)rows *(gsize)columns) };

  for (gint y = 0; y < level.rows * size; y++)
    for (gint x = 0; x < level.columns * size; x++)
      level.values[y / size * level.columns + x / size] +=
          get_value (p, image + (gsize)y * p->values, x);
  return level;
}

static gint
get_step (const Level *level)
{
  gint pixels = level->rows * level->columns;

  return MAX (1, MIN ((pixels + 65535) / 65536, level->rows / 16));
}

static double
correlate (const Level *g, const Level *f, gint down, gint across)
{
  double sums[6] = { 0 }, variance_f, variance_g, both;

  for (gint y = 0; y < g->rows; y += get_step (g))
    for (gint x = 0; x < g->columns; x++) {
      double a, b;

      if (y + down < 0 || y + down >= f->rows || x + across < 0
          || x + across >= f->columns)
        continue;
      a = f->values[(y + down) * f->columns + x + across];
      b = g->values[y * g->columns + x];
      sums[0]++;
      sums[1] += a;
      sums[2] += b;
      sums[3] += a * a;
      sums[4] += b * b;
      sums[5] += a * b;
    }
  variance_f = sums[0] * sums[3] - sums[1] * sums[1];
  variance_g = sums[0] * sums[4] - sums[2] * sums[2];
  both = sums[0] * sums[5] - sums[1] * sums[2];
  if (variance_f <= 1e-12 * sums[0] * sums[3]
      || variance_g <= 1e-12 * sums[0] * sums[4])
    return 0;
  return both / sqrt (variance_f * variance_g);
}

static double
get_score (const Level *g, const Level *f, guint l, gint down, gint across)
{
  static const double grains[] = { 9, 2.25, 1, 1, 1 };
  gint rows = (g->rows + get_step (g) - 1) / get_step (g);
  double r = MAX (0, correlate (g, f, down, across));

  return sqrt (rows * g->columns / grains[l] / 2) * atanh (MIN (r, 1 - 1e-9))
         - 5 * ((down != 0) + (across != 0));
}

void
reference_find_shift (const OctAverageParams *p, const Complex *mean,
    const Complex *frame, gint shift[2])
{
  gint rows = (gint)(p->rows / MAX (1, p->bscans));
  gint columns = (gint)(p->values / MAX (1, p->parts));
  gint down = MIN ((gint)p->max_shift, rows / 4);
  gint across = MIN ((gint)p->max_shift, columns / 4);
  guint coarsest = 0;

  while (4 << coarsest < MAX (down, across))
    coarsest++;
  shift[0] = shift[1] = 0;
  for (guint l = coarsest + 1; l-- > 0;) {
    Level g = make_level (p, mean, l), f = make_level (p, frame, l);
    gint size = 1 << l, reach = l == coarsest ? 4 : 2;
    gint most[2] = { (down + size - 1) / size, (across + size - 1) / size };
    gint best[2] = { 0, 0 };
    double highest = -INFINITY;

    for (gint y = 2 * shift[0] - reach; y <= 2 * shift[0] + reach; y++)
      for (gint x = 2 * shift[1] - reach; x <= 2 * shift[1] + reach; x++) {
        double score;

        if (ABS (y) > most[0] || ABS (x) > most[1])
          continue;
        score = get_score (&g, &f, l, y, x);
        if (score > highest) {
          highest = score;
          best[0] = y;
          best[1] = x;
        }
      }
    shift[0] = best[0];
    shift[1] = best[1];
    g_free (g.values);
    g_free (f.values);
  }
}
