/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-meter-fft.h"

#include <math.h>

struct _OctMeterFft {
  guint length;
  guint32 *order;        /* [length] bit reversal */
  double *cosine, *sine; /* [length / 2] */
};

OctMeterFft *
oct_meter_fft_new (guint length)
{
  OctMeterFft *fft = g_new (OctMeterFft, 1);
  guint bits = g_bit_storage (length) - 1;

  g_assert (length > 0 && (length & (length - 1)) == 0);
  fft->length = length;
  fft->order = g_new0 (guint32, length);
  fft->cosine = g_new (double, MAX (length / 2, 1));
  fft->sine = g_new (double, MAX (length / 2, 1));
  for (guint i = 1; i < length; i++)
    fft->order[i] = fft->order[i / 2] / 2 | (i & 1) << (bits - 1);
  for (guint i = 0; i < length / 2; i++) {
    fft->cosine[i] = cos (2 * G_PI * i / length);
    fft->sine[i] = sin (2 * G_PI * i / length);
  }
  return fft;
}

void
oct_meter_fft_free (OctMeterFft *fft)
{
  g_free (fft->order);
  g_free (fft->cosine);
  g_free (fft->sine);
  g_free (fft);
}

static void
meter_fft_reorder (const OctMeterFft *fft, double *values)
{
  for (guint i = 0; i < fft->length; i++) {
    guint j = fft->order[i];

    if (i < j) {
      double value = values[i];

      values[i] = values[j];
      values[j] = value;
    }
  }
}

void
oct_meter_fft_run (const OctMeterFft *fft, double *re, double *im)
{
  meter_fft_reorder (fft, re);
  meter_fft_reorder (fft, im);
  for (guint half = 1; half < fft->length; half *= 2) {
    guint step = fft->length / (2 * half);

    for (guint start = 0; start < fft->length; start += 2 * half) {
      double *ar = re + start, *ai = im + start;
      double *br = ar + half, *bi = ai + half;

      for (guint i = 0; i < half; i++) {
        double wr = fft->cosine[i * step], wi = fft->sine[i * step];
        double r = br[i] * wr + bi[i] * wi, v = bi[i] * wr - br[i] * wi;

        br[i] = ar[i] - r;
        bi[i] = ai[i] - v;
        ar[i] += r;
        ai[i] += v;
      }
    }
  }
}
