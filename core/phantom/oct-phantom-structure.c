/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-structure.h"

#include <math.h>

#include "oct-phantom-noise.h"

/* Light from all bins of the strongest layer together, were it to fill the
 * range unattenuated: the same fringe contrast for any number of bins. */
#define BRIGHTNESS 0.27

#define WAVES 3

/* A sum of sines that wraps around with the columns. */
typedef struct {
  double offset;
  struct {
    double amplitude;
    guint count;
    double phase;
  } waves[WAVES];
} Boundary;

/* Skin, more or less; each layer ends at its lower boundary. */
static const struct {
  const char *name;
  double scattering;  /* dB of the strongest */
  double attenuation; /* dB per range */
  double clumping;    /* 0 = even, 1 = in bundles with gaps */
  Boundary end;       /* below the surface */
} layers[] = {
  { "horny layer", 3.0, 70.0, 0.2,
      { 0.013, { { 0.003, 5, 1.0 }, { 0.0013, 17, 0.0 } } } },
  { "epidermis", -10.0, 31.0, 0.3,
      { 0.075,
          { { 0.008, 4, 2.0 }, { 0.009, 21, 0.0 }, { 0.004, 34, 1.0 } } } },
  { "papillary dermis", -2.0, 42.0, 0.5,
      { 0.175, { { 0.015, 3, 0.3 }, { 0.005, 11, 2.0 } } } },
  { "reticular dermis", -5.0, 50.0, 1.0,
      { 0.390, { { 0.026, 2, 1.5 }, { 0.010, 5, 0.0 } } } },
  { "subcutis", -12.0, 54.0, 0.8, { 2.0, { { 0.0, 0, 0.0 } } } },
};

static const Boundary surface = { 0.170,
  { { 0.026, 1, 0.4 }, { 0.010, 3, 2.2 }, { 0.003, 8, 0.0 } } };

/* Blood vessels running along the slow axis: they scatter little towards the
 * detector and cast a shadow. */
static const struct {
  double lateral, depth; /* of the centre, below the surface */
  double width, height;  /* half axes */
} vessels[] = {
  { 0.105, 0.150, 0.014, 0.020 },
  { 0.290, 0.245, 0.030, 0.038 },
  { 0.430, 0.130, 0.010, 0.015 },
  { 0.585, 0.205, 0.020, 0.030 },
  { 0.770, 0.270, 0.034, 0.036 },
  { 0.900, 0.135, 0.012, 0.016 },
};
#define VESSEL_SCATTERING 0.16
#define VESSEL_ATTENUATION 115.0 /* dB per range, more than around it */

/* Bundles: cells of the noise that makes them, wider than high. */
#define CELLS_ACROSS 48
#define CELLS_DEEP 90.0

static double
get_boundary (const Boundary *boundary, double lateral)
{
  double depth = boundary->offset;
  guint i;

  for (i = 0; i < WAVES; i++)
    depth += boundary->waves[i].amplitude
             * sin (2.0 * G_PI * boundary->waves[i].count * lateral
                    + boundary->waves[i].phase);
  return depth;
}

static double
get_cell (guint64 seed, gint64 across, gint64 deep)
{
  return oct_noise_uniform (
      oct_noise_hash (seed, across % CELLS_ACROSS), deep + 1);
}

static double
smooth_step (double x)
{
  return x * x * (3.0 - 2.0 * x);
}

/* Smooth noise in [0, 1], periodic across. */
static double
get_bundles (guint64 seed, double lateral, double depth)
{
  double x = lateral * CELLS_ACROSS;
  double z = depth * CELLS_DEEP;
  gint64 cell_x = floor (x);
  gint64 cell_z = floor (z);
  double fx = smooth_step (x - cell_x);
  double fz = smooth_step (z - cell_z);
  double above = get_cell (seed, cell_x, cell_z) * (1.0 - fx)
                 + get_cell (seed, cell_x + 1, cell_z) * fx;
  double below = get_cell (seed, cell_x, cell_z + 1) * (1.0 - fx)
                 + get_cell (seed, cell_x + 1, cell_z + 1) * fx;

  return above * (1.0 - fz) + below * fz;
}

/* Height of the part of this column inside a vessel, from `*top` to
 * `*bottom`; FALSE when the column misses it. */
static gboolean
cross_vessel (guint vessel, double lateral, double *top, double *bottom)
{
  double off = lateral - vessels[vessel].lateral;
  double x = (off - rint (off)) / vessels[vessel].width;
  double half;

  if (fabs (x) >= 1.0)
    return FALSE;
  half = vessels[vessel].height * sqrt (1.0 - x * x);
  *top = vessels[vessel].depth - half;
  *bottom = vessels[vessel].depth + half;
  return TRUE;
}

void
oct_structure_fill_column (
    guint64 seed, double lateral, guint depths, float *amplitude)
{
  double start = get_boundary (&surface, lateral);
  double ends[G_N_ELEMENTS (layers)];
  double top[G_N_ELEMENTS (vessels)], bottom[G_N_ELEMENTS (vessels)];
  double brightest = BRIGHTNESS / sqrt (depths);
  double loss = 0.0; /* dB so far */
  guint n_crossed = 0;
  guint i, q, layer = 0;

  for (i = 0; i < G_N_ELEMENTS (layers); i++)
    ends[i] = get_boundary (&layers[i].end, lateral);
  for (i = 0; i < G_N_ELEMENTS (vessels); i++)
    n_crossed += cross_vessel (i, lateral, &top[n_crossed], &bottom[n_crossed]);

  for (q = 0; q < depths; q++) {
    double depth = (double)q / depths - start;
    double clumping, bundles, scattering;
    double attenuation;

    amplitude[q] = 0.0f;
    if (depth < 0.0)
      continue;
    while (layer + 1 < G_N_ELEMENTS (layers) && depth > ends[layer])
      layer++;
    clumping = layers[layer].clumping;
    bundles = get_bundles (seed, lateral, depth);
    scattering = 1.0 - 0.7 * clumping + 1.4 * clumping * bundles * bundles;
    attenuation = layers[layer].attenuation;
    for (i = 0; i < n_crossed; i++) {
      if (depth > top[i] && depth < bottom[i]) {
        scattering = VESSEL_SCATTERING;
        attenuation += VESSEL_ATTENUATION;
      }
    }
    loss += attenuation / depths;
    amplitude[q] = brightest * scattering
                   * exp (G_LN10 / 20.0 * (layers[layer].scattering - loss));
  }
}
