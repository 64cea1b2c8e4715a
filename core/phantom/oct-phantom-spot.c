/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-spot.h"
#include "oct-parallel.h"

#include <math.h>
#include <string.h>

#include "oct-phantom-structure.h"
#include "oct-simd.h"

/* Limit of the memory for the amplitudes of the structure; beyond it fewer
 * columns. */
#define MOST_BYTES ((gsize)40 << 20)
#define MOST_COLUMNS 1024
#define LEAST_COLUMNS 256

/* Columns that a thread makes at a time. */
#define GRAIN 32

/* The weights are cut off below 0.01: this many widths from the middle. */
#define REACH 1.3

struct _OctSpot {
  OctSynthesis synthesis;
  const OctNoise *noise;
  guint64 key;
  double z_spacing; /* um from depth to depth */
  double k_centre;  /* rad/um */
  double k_least;   /* which the synthesis counts phases from */
  guint reach_x, reach_y;
  float *weights_x,
      *weights_y; /* [reach + 1 + reach], mean square of a sum: 1 */
  guint columns;
  guint64 structure;
  float *amplitude; /* [columns][depths] */
};

/* Scatterers are independent: the power of their sum is that of one. */
static float *
make_weights (double width, guint *reach)
{
  float *weights;
  double sum = 0.0;
  guint i;

  *reach = ceil (REACH * width);
  weights = g_new (float, 2 * *reach + 1);
  for (i = 0; i <= 2 * *reach; i++) {
    double off = *reach > 0 ? ((double)i - *reach) / width : 0.0;

    weights[i] = exp (-4.0 * G_LN2 * off * off);
    sum += (double)weights[i] * weights[i];
  }
  for (i = 0; i <= 2 * *reach; i++)
    weights[i] /= sqrt (sum);
  return weights;
}

static void
spot_make_columns (gpointer data, guint first, guint end, guint thread)
{
  OctSpot *spot = data;
  guint depths = spot->synthesis.depths;

  for (; first < end; first++)
    oct_structure_fill_column (spot->structure, (double)first / spot->columns,
        depths, spot->amplitude + (gsize)first * depths);
}

OctSpot *
oct_spot_new (const OctSpectrometer *spectrometer, const OctNoise *noise,
    guint64 seed, double x, double y)
{
  OctSpot *spot = g_new0 (OctSpot, 1);
  gsize column;

  oct_synthesis_init (&spot->synthesis, spectrometer);
  spot->noise = noise;
  /* of the structure as the tissue has it without a spot */
  spot->structure = oct_noise_hash (seed, 0);
  spot->key = oct_noise_hash (seed, 4);
  spot->z_spacing = spectrometer->z_spacing;
  spot->k_centre = spectrometer->k_centre;
  spot->k_least = spectrometer->k[spectrometer->samples - 1];
  spot->weights_x = make_weights (x, &spot->reach_x);
  spot->weights_y = make_weights (y, &spot->reach_y);
  column = spot->synthesis.depths * sizeof (float);
  spot->columns = MOST_COLUMNS;
  while (column * spot->columns > MOST_BYTES && spot->columns > LEAST_COLUMNS)
    spot->columns /= 2;
  spot->amplitude = g_malloc (column * spot->columns);
  oct_parallel_for (spot->columns, GRAIN, oct_parallel_get_threads (),
      spot_make_columns, spot);
  return spot;
}

void
oct_spot_free (OctSpot *spot)
{
  if (!spot)
    return;
  oct_synthesis_clear (&spot->synthesis);
  g_free (spot->weights_x);
  g_free (spot->weights_y);
  g_free (spot->amplitude);
  g_free (spot);
}

guint
oct_spot_get_columns (const OctSpot *spot)
{
  return spot->columns;
}

guint
oct_spot_get_reach_x (const OctSpot *spot)
{
  return spot->reach_x;
}

guint
oct_spot_get_reach_y (const OctSpot *spot)
{
  return spot->reach_y;
}

/* Something at a depth: the nearest one of the synthesis, and the phase by
 * which all of it turns, right for the central wavenumber. */
static gint
spot_find_depth (const OctSpot *spot, double depth, double turns, float turn[2])
{
  gint nearest = (gint)rint (depth / spot->z_spacing);
  double whole = nearest * spot->z_spacing;

  turns += (spot->k_least * whole + spot->k_centre * (depth - whole)) / G_PI;
  turns -= floor (turns);
  turn[0] = cos (2.0 * G_PI * turns);
  turn[1] = sin (2.0 * G_PI * turns);
  return nearest;
}

OCT_VECTORISED static void
add_scatterers (guint count, const gint16 *restrict deviates,
    const gint16 *restrict deviates_im, const float *restrict amplitude,
    const float turn[2], float *restrict re, float *restrict im)
{
  float c = turn[0], s = turn[1];
  guint q;

  for (q = 0; q < count; q++) {
    float x = amplitude[q] * deviates[q];
    float y = amplitude[q] * deviates_im[q];

    re[q] += x * c - y * s;
    im[q] += x * s + y * c;
  }
}

static void
add_tissue (const OctSpot *spot, const OctSpotPlace *place, gint bscan,
    float weight, float *sum)
{
  gint depths = spot->synthesis.depths;
  guint column = place->column & (spot->columns - 1);
  const float *amplitude = spot->amplitude + (gsize)column * depths;
  guint64 key = oct_noise_hash (oct_noise_hash (spot->key, column), bscan);
  guint64 key_im = oct_noise_hash (key, G_MAXUINT32);
  float turn[2];
  gint shift = spot_find_depth (spot, place->shift, 0.0, turn);
  gint start;

  /* Real and imaginary part share the mean square of one. */
  weight *= place->light * (float)M_SQRT1_2 / OCT_NOISE_UNIT;
  turn[0] *= weight;
  turn[1] *= weight;
  for (start = 0; start < depths; start += OCT_NOISE_SEGMENT) {
    gint first = MAX (start, -shift);
    gint end = MIN (MIN (start + OCT_NOISE_SEGMENT, depths), depths - shift);
    guint segment = start / OCT_NOISE_SEGMENT;

    if (first < end)
      add_scatterers (end - first,
          oct_noise_segment (spot->noise, key, segment) + (first - start),
          oct_noise_segment (spot->noise, key_im, segment) + (first - start),
          amplitude + first, turn, sum + first + shift,
          sum + depths + first + shift);
  }
}

/* A rough surface: a phase of its own at each place. */
static void
spot_add_metal (
    const OctSpot *spot, const OctSpotPlace *place, float weight, float *sum)
{
  guint depths = spot->synthesis.depths;
  float turn[2];
  gint at = spot_find_depth (spot, place->metal_depth,
      oct_noise_uniform (spot->key, place->metal_key), turn);

  if (at < 0 || at >= (gint)depths)
    return;
  sum[at] += weight * place->metal * turn[0];
  sum[depths + at] += weight * place->metal * turn[1];
}

void
oct_spot_add_place (const OctSpot *spot, const OctSpotPlace *place, gint bscan,
    gint off, float *sum)
{
  float weight = spot->weights_y[off + (gint)spot->reach_y];

  add_tissue (spot, place, bscan, weight, sum);
  if (place->metal > 0.0f)
    spot_add_metal (spot, place, weight, sum);
}

OCT_VECTORISED static void
spot_add_weighted (gsize count, const float *restrict values, float weight,
    float *restrict sum)
{
  gsize i;

  for (i = 0; i < count; i++)
    sum[i] += weight * values[i];
}

void
oct_spot_see (
    const OctSpot *spot, const float *sums, guint count, gint16 *field)
{
  const OctSynthesis *synthesis = &spot->synthesis;
  guint samples = synthesis->samples;
  gsize size = 2 * (gsize)synthesis->depths;
  g_autofree float *line = g_new (float, size);
  g_autofree float *grid = oct_synthesis_new_grid (synthesis);
  g_autofree gint16 *lanes =
      g_new (gint16, (gsize)OCT_PHANTOM_LANES * 2 * samples);
  gsize plane = (gsize)synthesis->grid * OCT_PHANTOM_LANES;
  guint lane, tap;

  oct_synthesis_clear_grid (synthesis, grid);
  for (lane = 0; lane < count; lane++) {
    memset (line, 0, size * sizeof (float));
    for (tap = 0; tap <= 2 * spot->reach_x; tap++)
      spot_add_weighted (
          size, sums + (lane + tap) * size, spot->weights_x[tap], line);
    oct_synthesis_place (synthesis, line, grid + lane);
    oct_synthesis_place (synthesis, line + size / 2, grid + plane + lane);
  }
  oct_synthesis_see (synthesis, grid, lanes);
  memcpy (field, lanes, (gsize)count * 2 * samples * sizeof (gint16));
}
