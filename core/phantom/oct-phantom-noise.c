/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-noise.h"

#include <math.h>
#include <string.h>

#include "oct-phantom-fft.h"
#include "oct-simd.h"

/* Spectrum [OCT_NOISE_PERIOD] of a real table: unit modulus but for the mean,
 * which is nothing, and the last frequency, which is real. */
static void
fill_spectrum (guint64 key, guint lane, float *re, float *im)
{
  guint half = OCT_NOISE_PERIOD / 2;
  guint q;

  re[lane] = im[lane] = 0.0f;
  for (q = 1; q < half; q++) {
    double phase = 2.0 * G_PI * oct_noise_uniform (key, q);
    gsize at = (gsize)q * OCT_PHANTOM_LANES + lane;
    gsize mirrored = (gsize)(OCT_NOISE_PERIOD - q) * OCT_PHANTOM_LANES + lane;

    re[at] = re[mirrored] = cos (phase);
    im[at] = sin (phase);
    im[mirrored] = -im[at];
  }
  re[half * OCT_PHANTOM_LANES + lane] =
      oct_noise_hash (key, half) & 1 ? 1.0f : -1.0f;
  im[half * OCT_PHANTOM_LANES + lane] = 0.0f;
}

OctNoise *
oct_noise_new (guint64 seed)
{
  G_STATIC_ASSERT (OCT_NOISE_TABLES == OCT_PHANTOM_LANES);
  OctNoise *noise = g_new (OctNoise, 1);
  gsize size = OCT_NOISE_PERIOD * OCT_PHANTOM_LANES;
  g_autofree float *twiddles = oct_phantom_fft_twiddles (OCT_NOISE_PERIOD);
  g_autofree float *buffer = g_new (float, 4 * size);
  float scale = OCT_NOISE_UNIT / sqrtf (OCT_NOISE_PERIOD - 1);
  guint lane, i;

  for (lane = 0; lane < OCT_NOISE_TABLES; lane++)
    fill_spectrum (oct_noise_hash (seed, lane), lane, buffer, buffer + size);
  oct_phantom_fft (OCT_NOISE_PERIOD, twiddles, buffer, buffer + size,
      buffer + 2 * size, buffer + 3 * size);
  for (lane = 0; lane < OCT_NOISE_TABLES; lane++) {
    gint16 *table = noise->table[lane];

    for (i = 0; i < OCT_NOISE_PERIOD; i++) {
      float value = buffer[(gsize)i * OCT_PHANTOM_LANES + lane] * scale;

      table[i] = lrintf (CLAMP (value, -32767.0f, 32767.0f));
    }
    /* A segment may start anywhere: it runs on into the beginning. */
    memcpy (
        table + OCT_NOISE_PERIOD, table, sizeof (gint16) * OCT_NOISE_SEGMENT);
  }
  return noise;
}

static inline float
phantom_noise_detect (
    float expected, float deviate, float shot, float read, float full)
{
  float variance = shot * MAX (expected, 0.0f) + read;
  float value = expected + sqrtf (variance) * deviate + 0.5f;

  return MIN (MAX (value, 0.0f), full);
}

OCT_VECTORISED static void
detect_u16 (guint count, const float *restrict expected,
    const gint16 *restrict deviates, float shot, float read, float full,
    guint16 *restrict out)
{
  guint i;

  for (i = 0; i < count; i++)
    out[i] =
        (gint)phantom_noise_detect (expected[i], deviates[i], shot, read, full);
}

OCT_VECTORISED static void
detect_u8 (guint count, const float *restrict expected,
    const gint16 *restrict deviates, float shot, float read, float full,
    guint8 *restrict out)
{
  guint i;

  for (i = 0; i < count; i++)
    out[i] =
        (gint)phantom_noise_detect (expected[i], deviates[i], shot, read, full);
}

void
oct_detector_read (const OctDetector *detector, guint64 key,
    OctSampleFormat format, guint samples, const float *expected, gpointer out)
{
  float shot = detector->shot / (OCT_NOISE_UNIT * OCT_NOISE_UNIT);
  float read = detector->read / (OCT_NOISE_UNIT * OCT_NOISE_UNIT);
  float full = detector->full_scale;
  guint start;

  for (start = 0; start < samples; start += OCT_NOISE_SEGMENT) {
    guint count = MIN (samples - start, OCT_NOISE_SEGMENT);
    const gint16 *deviates =
        oct_noise_segment (detector->noise, key, start / OCT_NOISE_SEGMENT);

    if (format == OCT_SAMPLE_U8)
      detect_u8 (count, expected + start, deviates, shot, read, full,
          (guint8 *)out + start);
    else
      detect_u16 (count, expected + start, deviates, shot, read, full,
          (guint16 *)out + start);
  }
}
