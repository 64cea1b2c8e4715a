/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Random numbers by position instead of by sequence, so that any A-line of any
 * frame can be made by any thread with the same result; and the detector that
 * uses them.
 */
#pragma once

#include "oct-types.h"

/* Deviates are read from tables in segments of this many; each segment starts
 * at a place of its own. */
#define OCT_NOISE_SEGMENT 256
#define OCT_NOISE_TABLES 8
#define OCT_NOISE_PERIOD 8192

/* One standard deviation in units of a deviate. */
#define OCT_NOISE_UNIT 4096.0f

/* Standard normal deviates.  Each table is the transform of a spectrum of
 * constant modulus and random phase: the deviates are normal, of exactly zero
 * mean and unit variance, and white over all lags, so that neither averaging
 * nor the reconstruction ever sees the tables. */
typedef struct {
  gint16 table[OCT_NOISE_TABLES][OCT_NOISE_PERIOD + OCT_NOISE_SEGMENT];
} OctNoise;

OctNoise *oct_noise_new (guint64 seed);

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014
 * (the finaliser of SplitMix64). */
static inline guint64
oct_noise_hash (guint64 key, guint64 counter)
{
  guint64 h = key + (counter + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  h = (h ^ (h >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  h = (h ^ (h >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return h ^ (h >> 31);
}

/* Uniform in [0, 1). */
static inline double
oct_noise_uniform (guint64 key, guint64 counter)
{
  return (double)(oct_noise_hash (key, counter) >> 11) * 0x1p-53;
}

/* OCT_NOISE_SEGMENT deviates for segment `counter` of the stream `key`. */
static inline const gint16 *
oct_noise_segment (const OctNoise *noise, guint64 key, guint64 counter)
{
  guint64 h = oct_noise_hash (key, counter);

  return noise->table[h % OCT_NOISE_TABLES]
         + (h / OCT_NOISE_TABLES) % OCT_NOISE_PERIOD;
}

/* Shot noise (normal instead of Poisson: thousands of electrons), read noise
 * and the converter. */
typedef struct {
  const OctNoise *noise;
  float shot;       /* variance per count of the signal, counts */
  float read;       /* variance, counts^2 */
  float full_scale; /* largest count */
} OctDetector;

/* expected[samples], counts before the converter -> out[samples], U8 or U16.
 * key: one per A-line. */
void oct_detector_read (const OctDetector *detector, guint64 key,
    OctSampleFormat format, guint samples, const float *expected, gpointer out);
