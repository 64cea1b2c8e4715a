/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-tissue.h"
#include "oct-parallel.h"

#include <math.h>

#include "oct-phantom-fft.h"
#include "oct-phantom-structure.h"
#include "oct-simd.h"

/* What the fields may take; beyond it fewer columns and realisations. */
#define MOST_BYTES ((gsize)40 << 20)
#define MOST_COLUMNS 1024
#define LEAST_COLUMNS 256

/* Speckle is this many columns wide (half width of the beam at 1/e). */
#define BEAM 2.2
#define BEAM_REACH 5
#define BEAM_TAPS (2 * BEAM_REACH + 1)

/* From depth bins to the pixels' wavenumbers: non-uniform transform, Gaussian
 * gridding (Greengard, Lee: Accelerating the nonuniform fast Fourier
 * transform, SIAM Review 2004, eq. 8), error below 1e-3 of the field, which
 * lies under the quantisation. */
#define KERNEL_WIDTH 8
#define KERNEL_OVERSAMPLING 2.0
#define KERNEL_THETA                                                           \
  (KERNEL_OVERSAMPLING * KERNEL_OVERSAMPLING / (4.0 * G_PI * G_PI) * G_PI      \
      / (KERNEL_OVERSAMPLING * (KERNEL_OVERSAMPLING - 0.5)) * KERNEL_WIDTH     \
      / 2.0)

/* What all columns share. */
typedef struct {
  const OctNoise *noise;
  guint64 seed;
  guint samples, depths, grid;
  float *twiddles;
  float *depth_weights; /* [depths] fall-off over the kernel's transform */
  guint *first;         /* [samples] first grid point of the kernel */
  float *kernel;        /* [samples][KERNEL_WIDTH] */
  float *turn;          /* [samples] pairs (re, im): dispersion, middle depth */
  float beam[BEAM_TAPS]; /* lateral correlation */
} Synthesis;

/* Scratch of one thread. */
typedef struct {
  float *amplitude; /* [depths] */
  float *speckle;   /* [depths + OCT_NOISE_SEGMENT] */
  float *grid;      /* 4 of [grid][OCT_PHANTOM_LANES]: re, im, work */
} Scratch;

static void
fill_kernel (Synthesis *synthesis, const OctSpectrometer *s)
{
  double k_min = s->k[s->samples - 1];
  double k_span = s->k[0] - k_min;
  guint n, i;

  for (n = 0; n < s->samples; n++) {
    double cycles = (s->k[n] - k_min) / k_span * (s->samples - 1) / s->samples;
    double u = cycles * synthesis->grid;
    double first = ceil (u - KERNEL_WIDTH / 2.0);
    double phase =
        s->dispersion[n] + 2.0 * G_PI * cycles * (synthesis->depths / 2);

    for (i = 0; i < KERNEL_WIDTH; i++) {
      double d = first + i - u;

      synthesis->kernel[n * KERNEL_WIDTH + i] =
          exp (-d * d / (4.0 * KERNEL_THETA));
    }
    synthesis->first[n] = (gint)first & (synthesis->grid - 1);
    synthesis->turn[2 * n] = cos (phase);
    synthesis->turn[2 * n + 1] = sin (phase);
  }
}

static void
synthesis_init (Synthesis *synthesis, const OctSpectrometer *s,
    const OctNoise *noise, guint64 seed)
{
  double sum = 0.0;
  guint i, q;

  synthesis->noise = noise;
  synthesis->seed = seed;
  synthesis->samples = s->samples;
  synthesis->depths = s->samples / 2;
  for (synthesis->grid = 16; synthesis->grid < s->samples;)
    synthesis->grid *= 2;
  synthesis->twiddles = oct_phantom_fft_twiddles (synthesis->grid);
  synthesis->depth_weights = g_new (float, synthesis->depths);
  synthesis->first = g_new (guint, s->samples);
  synthesis->kernel = g_new (float, (gsize)s->samples *KERNEL_WIDTH);
  synthesis->turn = g_new (float, (gsize)s->samples * 2);

  for (q = 0; q < synthesis->depths; q++) {
    double mode = ((double)q - synthesis->depths / 2) / synthesis->grid;
    double x = 2.0 * G_PI * mode;
    double response =
        sqrt (4.0 * G_PI * KERNEL_THETA) * exp (-KERNEL_THETA * x * x);

    synthesis->depth_weights[q] =
        oct_spectrometer_get_fall_off (s, q * s->z_spacing) / response;
  }
  fill_kernel (synthesis, s);

  for (i = 0; i < BEAM_TAPS; i++) {
    double x = ((double)i - BEAM_REACH) / BEAM;

    synthesis->beam[i] = exp (-x * x);
    sum += synthesis->beam[i] * synthesis->beam[i];
  }
  /* Real and imaginary part share the mean square of one. */
  for (i = 0; i < BEAM_TAPS; i++)
    synthesis->beam[i] *= (float)(M_SQRT1_2 / sqrt (sum)) / OCT_NOISE_UNIT;
}

static void
synthesis_clear (Synthesis *synthesis)
{
  g_free (synthesis->twiddles);
  g_free (synthesis->depth_weights);
  g_free (synthesis->first);
  g_free (synthesis->kernel);
  g_free (synthesis->turn);
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
  guint depths = synthesis->depths;
  guint half = depths / 2;
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
  /* The middle depth is the transform's zero. */
  for (q = 0; q < depths; q++) {
    gsize at = (q + synthesis->grid - half) & (synthesis->grid - 1);

    lane[at * OCT_PHANTOM_LANES] =
        speckle[q] * amplitude[q] * synthesis->depth_weights[q];
  }
}

/* field[OCT_PHANTOM_LANES][2][samples] from the transformed grid. */
OCT_VECTORISED static void
see_pixels (const Synthesis *synthesis, const float *restrict grid_re,
    const float *restrict grid_im, gint16 *restrict field)
{
  guint samples = synthesis->samples;
  guint n, tap, lane;

  for (n = 0; n < samples; n++) {
    const float *kernel = synthesis->kernel + (gsize)n * KERNEL_WIDTH;
    float turn_re = synthesis->turn[2 * n] / OCT_TISSUE_FIELD_UNIT;
    float turn_im = synthesis->turn[2 * n + 1] / OCT_TISSUE_FIELD_UNIT;
    float re[OCT_PHANTOM_LANES] = { 0 };
    float im[OCT_PHANTOM_LANES] = { 0 };

    for (tap = 0; tap < KERNEL_WIDTH; tap++) {
      gsize at = ((synthesis->first[n] + tap) & (synthesis->grid - 1))
                 * OCT_PHANTOM_LANES;

      for (lane = 0; lane < OCT_PHANTOM_LANES; lane++) {
        re[lane] += kernel[tap] * grid_re[at + lane];
        im[lane] += kernel[tap] * grid_im[at + lane];
      }
    }
    for (lane = 0; lane < OCT_PHANTOM_LANES; lane++) {
      gint16 *column = field + (gsize)lane * 2 * samples;
      float x = re[lane] * turn_re - im[lane] * turn_im;
      float y = re[lane] * turn_im + im[lane] * turn_re;

      column[n] = MIN (MAX (x, -32767.0f), 32767.0f);
      column[samples + n] = MIN (MAX (y, -32767.0f), 32767.0f);
    }
  }
}

/* OCT_PHANTOM_LANES columns from `column` on, in all realisations. */
static void
make_columns (const Synthesis *synthesis, OctTissue *tissue, guint column,
    Scratch *scratch)
{
  gsize plane = (gsize)synthesis->grid * OCT_PHANTOM_LANES;
  float *re = scratch->grid;
  float *im = re + plane;
  guint realisation, lane;
  gsize i;

  for (realisation = 0; realisation < tissue->realisations; realisation++) {
    guint64 key = oct_noise_hash (synthesis->seed, realisation);

    for (i = 0; i < 2 * plane; i++)
      re[i] = 0.0f;
    for (lane = 0; lane < OCT_PHANTOM_LANES; lane++) {
      oct_structure_fill_column (key, (double)(column + lane) / tissue->columns,
          synthesis->depths, scratch->amplitude);
      place_scatterers (synthesis, oct_noise_hash (key, 0), column + lane,
          tissue->columns, scratch->amplitude, scratch->speckle, re + lane);
      place_scatterers (synthesis, oct_noise_hash (key, 1), column + lane,
          tissue->columns, scratch->amplitude, scratch->speckle, im + lane);
    }
    oct_phantom_fft (synthesis->grid, synthesis->twiddles, re, im, im + plane,
        im + 2 * plane);
    see_pixels (synthesis, re, im,
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
  gsize plane = (gsize)synthesis->grid * OCT_PHANTOM_LANES;
  Scratch scratch;

  scratch.amplitude = g_new (float, synthesis->depths);
  scratch.speckle = g_new (float, synthesis->depths + OCT_NOISE_SEGMENT);
  scratch.grid = g_new (float, 4 * plane);
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
  synthesis_clear (&synthesis);
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
