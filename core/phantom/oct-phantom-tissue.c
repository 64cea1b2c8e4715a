/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-tissue.h"
#include "oct-parallel.h"

#include <math.h>

#include "oct-phantom-structure.h"
#include "oct-simd.h"

/* Limit of the memory for the fields; beyond it fewer columns and realisations.
 */
#define MOST_BYTES ((gsize)40 << 20)
#define MOST_COLUMNS 1024
#define LEAST_COLUMNS 256

/* Speckle is this many columns wide (half width of the beam at 1/e). */
#define BEAM 2.2
#define BEAM_REACH 5
#define BEAM_TAPS (2 * BEAM_REACH + 1)

/* Data that all columns share. */
typedef struct {
  OctSynthesis base;
  const OctNoise *noise;
  guint64 seed;
  float beam[BEAM_TAPS]; /* lateral correlation */
} Synthesis;

/* Scratch of one thread. */
typedef struct {
  float *amplitude; /* [depths] */
  float *speckle;   /* [depths + OCT_NOISE_SEGMENT] */
  float *grid;      /* 4 of [grid][OCT_PHANTOM_LANES]: re, im, work */
} Scratch;

static void
synthesis_init (Synthesis *synthesis, const OctSpectrometer *s,
    const OctNoise *noise, guint64 seed)
{
  double sum = 0.0;
  guint i;

  oct_synthesis_init (&synthesis->base, s);
  synthesis->noise = noise;
  synthesis->seed = seed;
  for (i = 0; i < BEAM_TAPS; i++) {
    double x = ((double)i - BEAM_REACH) / BEAM;

    synthesis->beam[i] = exp (-x * x);
    sum += synthesis->beam[i] * synthesis->beam[i];
  }
  /* Real and imaginary part share the mean square of one. */
  for (i = 0; i < BEAM_TAPS; i++)
    synthesis->beam[i] *= (float)(M_SQRT1_2 / sqrt (sum)) / OCT_NOISE_UNIT;
}

OCT_VECTORISED static void
add_deviates (
    float *restrict sum, const gint16 *restrict deviates, float weight)
{
  guint i;

  for (i = 0; i < OCT_NOISE_SEGMENT; i++)
    sum[i] += weight * deviates[i];
}

/* One part (re, im) of the scatterers' field of one column into its lane. */
static void
place_scatterers (const Synthesis *synthesis, guint64 key, guint column,
    guint columns, const float *amplitude, float *speckle, float *lane)
{
  guint depths = synthesis->base.depths;
  guint start, tap, q;

  for (start = 0; start < depths; start += OCT_NOISE_SEGMENT) {
    for (q = 0; q < OCT_NOISE_SEGMENT; q++)
      speckle[start + q] = 0.0f;
    for (tap = 0; tap < BEAM_TAPS; tap++) {
      guint neighbour = (column + tap + columns - BEAM_REACH) % columns;
      const gint16 *deviates = oct_noise_segment (synthesis->noise,
          oct_noise_hash (key, neighbour), start / OCT_NOISE_SEGMENT);

      add_deviates (speckle + start, deviates, synthesis->beam[tap]);
    }
  }
  for (q = 0; q < depths; q++)
    speckle[q] *= amplitude[q];
  oct_synthesis_place (&synthesis->base, speckle, lane);
}

/* OCT_PHANTOM_LANES columns from `column` on, in all realisations. */
static void
make_columns (const Synthesis *synthesis, OctTissue *tissue, guint column,
    Scratch *scratch)
{
  float *re = scratch->grid;
  float *im = re + (gsize)synthesis->base.grid * OCT_PHANTOM_LANES;
  guint realisation, lane;

  for (realisation = 0; realisation < tissue->realisations; realisation++) {
    guint64 key = oct_noise_hash (synthesis->seed, realisation);

    oct_synthesis_clear_grid (&synthesis->base, re);
    for (lane = 0; lane < OCT_PHANTOM_LANES; lane++) {
      oct_structure_fill_column (key, (double)(column + lane) / tissue->columns,
          synthesis->base.depths, scratch->amplitude);
      place_scatterers (synthesis, oct_noise_hash (key, 0), column + lane,
          tissue->columns, scratch->amplitude, scratch->speckle, re + lane);
      place_scatterers (synthesis, oct_noise_hash (key, 1), column + lane,
          tissue->columns, scratch->amplitude, scratch->speckle, im + lane);
    }
    oct_synthesis_see (&synthesis->base, re,
        (gint16 *)oct_tissue_get_field (tissue, realisation, column));
  }
}

/* As many columns and realisations as the memory is meant for. */
static void
tissue_choose_size (OctTissue *tissue, gboolean slow_axis)
{
  gsize column = (gsize)tissue->samples * 2 * sizeof (gint16);

  tissue->columns = MOST_COLUMNS;
  tissue->realisations = slow_axis ? 4 : 1;
  while (column * tissue->columns * tissue->realisations > MOST_BYTES) {
    if (tissue->columns > LEAST_COLUMNS)
      tissue->columns /= 2;
    else if (tissue->realisations > 2)
      tissue->realisations /= 2;
    else
      break;
  }
}

typedef struct {
  const Synthesis *synthesis;
  OctTissue *tissue;
} Making;

/* Pieces of OCT_PHANTOM_LANES columns. */
static void
make_pieces (gpointer data, guint first, guint end, guint thread)
{
  const Making *making = data;
  const Synthesis *synthesis = making->synthesis;
  Scratch scratch;

  scratch.amplitude = g_new (float, synthesis->base.depths);
  scratch.speckle = g_new (float, synthesis->base.depths + OCT_NOISE_SEGMENT);
  scratch.grid = oct_synthesis_new_grid (&synthesis->base);
  for (; first < end; first++)
    make_columns (
        synthesis, making->tissue, first * OCT_PHANTOM_LANES, &scratch);
  g_free (scratch.amplitude);
  g_free (scratch.speckle);
  g_free (scratch.grid);
}

OctTissue *
oct_tissue_new (const OctSpectrometer *spectrometer, const OctNoise *noise,
    guint64 seed, gboolean slow_axis)
{
  OctTissue *tissue = g_new0 (OctTissue, 1);
  Synthesis synthesis;
  Making making = { &synthesis, tissue };

  tissue->samples = spectrometer->samples;
  tissue_choose_size (tissue, slow_axis);
  tissue->fields = g_new (gint16,
      (gsize)tissue->realisations * tissue->columns * 2 * tissue->samples);
  synthesis_init (&synthesis, spectrometer, noise, seed);
  oct_parallel_for (
      (tissue->columns + OCT_PHANTOM_LANES - 1) / OCT_PHANTOM_LANES, 4,
      oct_parallel_get_threads (), make_pieces, &making);
  oct_synthesis_clear (&synthesis.base);
  return tissue;
}

void
oct_tissue_free (OctTissue *tissue)
{
  if (!tissue)
    return;
  g_free (tissue->fields);
  g_free (tissue);
}
