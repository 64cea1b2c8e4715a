/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-fft.h"

#include <math.h>
#include <string.h>

#include "oct-simd.h"

float *
oct_phantom_fft_twiddles (guint length)
{
  float *twiddles = g_new (float, length);
  guint j;

  for (j = 0; j < length / 2; j++) {
    double angle = 2.0 * G_PI * j / length;

    twiddles[2 * j] = cos (angle);
    twiddles[2 * j + 1] = sin (angle);
  }
  return twiddles;
}

/* One butterfly of the self-sorting radix-2 transform over a run of `count`
 * values that share the twiddle factor. */
OCT_VECTORISED static void
fft_run (guint count, float wr, float wi, const float *restrict ar,
    const float *restrict ai, const float *restrict br,
    const float *restrict bi, float *restrict sum_re, float *restrict sum_im,
    float *restrict turned_re, float *restrict turned_im)
{
  guint i;

  for (i = 0; i < count; i++) {
    float dr = ar[i] - br[i];
    float di = ai[i] - bi[i];

    sum_re[i] = ar[i] + br[i];
    sum_im[i] = ai[i] + bi[i];
    turned_re[i] = wr * dr - wi * di;
    turned_im[i] = wr * di + wi * dr;
  }
}

/* Stockham's form: no bit reversal, and the runs stay contiguous. */
void
oct_phantom_fft (guint length, const float *twiddles, float *re, float *im,
    float *work_re, float *work_im)
{
  float *xr = re, *xi = im, *yr = work_re, *yi = work_im;
  gsize half, run;

  for (half = length / 2, run = OCT_PHANTOM_LANES; half >= 1;
       half /= 2, run *= 2) {
    gsize other = half * run;
    gsize j;

    for (j = 0; j < half; j++) {
      const float *w = twiddles + 2 * j * (length / (2 * half));
      gsize from = j * run;
      gsize to = 2 * j * run;

      fft_run (run, w[0], w[1], xr + from, xi + from, xr + other + from,
          xi + other + from, yr + to, yi + to, yr + to + run, yi + to + run);
    }
    float *swap_re = xr, *swap_im = xi;
    xr = yr;
    xi = yi;
    yr = swap_re;
    yi = swap_im;
  }
  if (xr != re) {
    memcpy (re, xr, sizeof (float) * length * OCT_PHANTOM_LANES);
    memcpy (im, xi, sizeof (float) * length * OCT_PHANTOM_LANES);
  }
}
