/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-synthesis.h"

#include <math.h>
#include <string.h>

#include "oct-simd.h"

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

static void
fill_kernel (OctSynthesis *synthesis, const OctSpectrometer *s)
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

void
oct_synthesis_init (OctSynthesis *synthesis, const OctSpectrometer *s)
{
  guint q;

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
}

void
oct_synthesis_clear (OctSynthesis *synthesis)
{
  g_free (synthesis->twiddles);
  g_free (synthesis->depth_weights);
  g_free (synthesis->first);
  g_free (synthesis->kernel);
  g_free (synthesis->turn);
}

/* field[OCT_PHANTOM_LANES][2][samples] from the transformed grid. */
OCT_VECTORISED static void
see_pixels (const OctSynthesis *synthesis, const float *restrict grid_re,
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

float *
oct_synthesis_new_grid (const OctSynthesis *synthesis)
{
  return g_new (float, 4 * (gsize)synthesis->grid * OCT_PHANTOM_LANES);
}

void
oct_synthesis_clear_grid (const OctSynthesis *synthesis, float *grid)
{
  memset (
      grid, 0, 2 * sizeof (float) * (gsize)synthesis->grid * OCT_PHANTOM_LANES);
}

void
oct_synthesis_see (const OctSynthesis *synthesis, float *grid, gint16 *field)
{
  gsize plane = (gsize)synthesis->grid * OCT_PHANTOM_LANES;

  oct_phantom_fft (synthesis->grid, synthesis->twiddles, grid, grid + plane,
      grid + 2 * plane, grid + 3 * plane);
  see_pixels (synthesis, grid, grid + plane, field);
}
