/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transform of A-lines side by side against sums in double precision and
 * against transforms that are known. */
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES 16

/* Rounding of a value is at most 6e-8 of it and adds up like noise over the
 * log2 (length) levels of a transform: 3e-8 each, 1.2e-7 for 65536; a
 * convolution has three transforms and three products.  A wrong factor or place
 * would show as 1e-2 or more. */
#define TOLERANCE 2e-7
#define TOLERANCE_CONVOLUTION 3e-7

/* Lengths that are compared with a sum over all values are below this one; the
 * transforms of longer ones are known. */
#define LONGEST_SUM 1024

static float *
new_values (gsize count)
{
  GError *error = NULL;
  float *values = oct_cpu_alloc (count, sizeof (float), &error);

  g_assert_no_error (error);
  return values;
}

static gboolean
is_fast (guint n)
{
  for (guint prime = 2; prime <= 7; prime++)
    while (n % prime == 0)
      n /= prime;
  return n == 1;
}

static double
tolerance (guint n)
{
  return is_fast (n) ? TOLERANCE : TOLERANCE_CONVOLUTION;
}

/* [2] exp (sign 2 pi i k / n) */
static void
unit (gint64 k, guint n, double *to)
{
  double angle = 2 * G_PI * (double)(((k % n) + n) % n) / n;

  to[0] = cos (angle);
  to[1] = sin (angle);
}

static OctLanesFft *
new_plan (guint n, gboolean backward, gboolean real)
{
  GError *error = NULL;
  OctLanesFft *fft = real ? oct_lanes_fft_new_real (n, backward, &error)
                          : oct_lanes_fft_new (n, backward, &error);

  g_assert_no_error (error);
  g_assert_nonnull (fft);
  g_assert_cmpuint (oct_lanes_fft_scratch (fft) % 64, ==, 0);
  return fft;
}

/* Scratch with values that would show in a result. */
static gpointer
new_scratch (const OctLanesFft *fft)
{
  gsize size = oct_lanes_fft_scratch (fft);
  float *scratch = new_values (size / sizeof (float));

  for (gsize i = 0; i < size / sizeof (float); i++)
    scratch[i] = NAN;
  return scratch;
}

static void
fill_noise (GRand *random, float *values, gsize count)
{
  for (gsize i = 0; i < count; i++)
    values[i] = (float)g_rand_double_range (random, -1, 1);
}

/* Bin q of an A-line [n][2][16] or, real, [n][16], by its sum. */
static void
exact_bin (const float *in, guint n, gboolean real, guint lane, gint64 q,
    int sign, double *to)
{
  double w[2];

  to[0] = to[1] = 0;
  for (guint i = 0; i < n; i++) {
    gsize at = (gsize)i * (real ? LANES : 2 * LANES) + lane;
    double re = in[at], im = real ? 0 : in[at + LANES];
    unit (sign * q * i, n, w);
    to[0] += re * w[0] - im * w[1];
    to[1] += re * w[1] + im * w[0];
  }
}

/* |got - expected| / |expected| of the bins of one A-line */
static double
error_of_lane (const float *in, const float *out, guint n, gboolean real,
    gboolean backward, guint lane, guint first, guint count)
{
  double wrong = 0, all = 0, exact[2];

  for (guint i = 0; i < count; i++) {
    const float *got = out + (gsize)i * 2 * LANES + lane;
    exact_bin (in, n, real, lane, (first + i) % n, backward ? 1 : -1, exact);
    wrong += (got[0] - exact[0]) * (got[0] - exact[0])
             + (got[LANES] - exact[1]) * (got[LANES] - exact[1]);
    all += exact[0] * exact[0] + exact[1] * exact[1];
  }
  return all > 0 ? sqrt (wrong / all) : sqrt (wrong);
}

/* All bins, against the sums. */
static void
check_complex (GRand *random, guint n, gboolean backward)
{
  OctLanesFft *fft = new_plan (n, backward, FALSE);
  gpointer scratch = new_scratch (fft);
  float *in = new_values ((gsize)n * 2 * LANES);
  float *out = new_values ((gsize)n * 2 * LANES);
  guint step = n > 128 ? 7 : 3;

  fill_noise (random, in, (gsize)n * 2 * LANES);
  oct_lanes_fft_run (fft, in, out, 0, n, scratch);
  for (guint lane = n % step; lane < LANES; lane += step)
    g_assert_cmpfloat (error_of_lane (in, out, n, FALSE, backward, lane, 0, n),
        <, tolerance (n));
  /* where it lies, the same bits */
  oct_lanes_fft_run (fft, in, in, 0, n, scratch);
  g_assert_cmpmem (in, (gsize)n * 2 * LANES * sizeof (float), out,
      (gsize)n * 2 * LANES * sizeof (float));
  oct_cpu_free (in);
  oct_cpu_free (out);
  oct_cpu_free (scratch);
  oct_lanes_fft_free (fft);
}

static void
check_real (GRand *random, guint n)
{
  OctLanesFft *fft = new_plan (n, FALSE, TRUE);
  gpointer scratch = new_scratch (fft);
  guint bins = n / 2 + 1;
  float *in = new_values ((gsize)n * LANES);
  float *out = new_values ((gsize)bins * 2 * LANES);

  fill_noise (random, in, (gsize)n * LANES);
  oct_lanes_fft_run_real (fft, in, out, 0, bins, scratch);
  for (guint lane = n % 5; lane < LANES; lane += 5)
    g_assert_cmpfloat (error_of_lane (in, out, n, TRUE, FALSE, lane, 0, bins),
        <, tolerance (n));
  oct_cpu_free (in);
  oct_cpu_free (out);
  oct_cpu_free (scratch);
  oct_lanes_fft_free (fft);
}

/* x[i] of bins 0 .. n / 2 by its sum: those before 0 are the conjugates. */
static double
exact_value (const float *bins, guint n, guint lane, guint i)
{
  double sum = 0, w[2];

  for (guint q = 0; q <= n / 2; q++) {
    const float *bin = bins + (gsize)q * 2 * LANES + lane;
    gboolean alone = q == 0 || 2 * q == n;
    unit ((gint64)q * i, n, w);
    sum += alone ? bin[0] * w[0] : 2 * (bin[0] * w[0] - bin[LANES] * w[1]);
  }
  return sum;
}

static void
check_back_real (GRand *random, guint n)
{
  OctLanesFft *fft = new_plan (n, TRUE, TRUE);
  gpointer scratch = new_scratch (fft);
  guint bins = n / 2 + 1;
  float *in = new_values ((gsize)bins * 2 * LANES);
  float *out = new_values ((gsize)n * LANES);

  fill_noise (random, in, (gsize)bins * 2 * LANES);
  oct_lanes_fft_run_back_real (fft, in, out, scratch);
  for (guint lane = n % 7; lane < LANES; lane += 7) {
    double wrong = 0, all = 0;
    for (guint i = 0; i < n; i++) {
      double exact = exact_value (in, n, lane, i);
      double got = out[(gsize)i * LANES + lane];
      wrong += (got - exact) * (got - exact);
      all += exact * exact;
    }
    g_assert_cmpfloat (sqrt (wrong / all), <, tolerance (n));
  }
  oct_cpu_free (in);
  oct_cpu_free (out);
  oct_cpu_free (scratch);
  oct_lanes_fft_free (fft);
}

static void
test_short (void)
{
  GRand *random = g_rand_new_with_seed (1);

  for (guint n = 1; n <= 70; n++) {
    check_complex (random, n, FALSE);
    check_complex (random, n, TRUE);
    check_real (random, n);
    check_back_real (random, n);
  }
  g_rand_free (random);
}

/* Every radix first, last and between others; primes; one of every size. */
static void
test_medium (void)
{
  static const guint lengths[] = { 81, 96, 97, 100, 105, 112, 120, 125, 127,
    128, 135, 144, 150, 160, 180, 210, 225, 240, 243, 251, 256, 270, 300, 343,
    360, 375, 400, 420, 480, 486, 500, 509, 512, 525, 540, 600, 625, 640, 700,
    720, 729, 750, 768, 800, 810, 840, 864, 900, 960, 972, 1000, 1008, 1009,
    1023, 1024 };
  GRand *random = g_rand_new_with_seed (2);

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    g_assert_cmpuint (lengths[i], <=, LONGEST_SUM);
    check_complex (random, lengths[i], i % 2 != 0);
    check_real (random, lengths[i]);
    check_back_real (random, lengths[i]);
  }
  g_rand_free (random);
}

/* ------------------------------------------------------------ long lengths */

#define WAVES 5

/* A-lines of a few waves of their own each: their bins are known. */
static void
fill_waves (GRand *random, guint n, gint64 *bins, double *heights, float *in)
{
  double *exact = g_new (double, 2 * (gsize)n * LANES);
  double *turns = g_new (double, 2 * (gsize)n);

  memset (exact, 0, 2 * sizeof *exact * n * LANES);
  for (guint i = 0; i < n; i++)
    unit (i, n, turns + 2 * (gsize)i);
  for (guint lane = 0; lane < LANES; lane++) {
    for (guint k = 0; k < WAVES; k++) {
      guint at = lane * WAVES + k;
      bins[at] = g_rand_int_range (random, 0, (gint)n);
      heights[2 * at] = g_rand_double_range (random, -1, 1);
      heights[2 * at + 1] = g_rand_double_range (random, -1, 1);
      for (guint i = 0; i < n; i++) {
        const double *w = turns + 2 * ((guint64)bins[at] * i % n);
        double *to = exact + (gsize)i * 2 * LANES + lane;
        to[0] += heights[2 * at] * w[0] - heights[2 * at + 1] * w[1];
        to[LANES] += heights[2 * at] * w[1] + heights[2 * at + 1] * w[0];
      }
    }
  }
  for (gsize i = 0; i < 2 * (gsize)n * LANES; i++)
    in[i] = (float)exact[i];
  g_free (exact);
  g_free (turns);
}

/* Forward of waves: their heights at their bins, nothing elsewhere.  The waves
 * are rounded to floats themselves, 3e-8 of their norm. */
static void
check_waves (GRand *random, guint n)
{
  OctLanesFft *fft = new_plan (n, FALSE, FALSE);
  gpointer scratch = new_scratch (fft);
  float *in = new_values ((gsize)n * 2 * LANES);
  float *out = new_values ((gsize)n * 2 * LANES);
  gint64 bins[LANES * WAVES];
  double heights[LANES * WAVES * 2];

  fill_waves (random, n, bins, heights, in);
  oct_lanes_fft_run (fft, in, out, 0, n, scratch);
  for (guint lane = 0; lane < LANES; lane++) {
    double wrong = 0, all = 0;
    for (guint q = 0; q < n; q++) {
      const float *got = out + (gsize)q * 2 * LANES + lane;
      double re = 0, im = 0;
      for (guint at = lane * WAVES; at < (lane + 1) * WAVES; at++) {
        re += bins[at] == q ? n * heights[2 * at] : 0;
        im += bins[at] == q ? n * heights[2 * at + 1] : 0;
      }
      wrong +=
          (got[0] - re) * (got[0] - re) + (got[LANES] - im) * (got[LANES] - im);
      all += re * re + im * im;
    }
    g_assert_cmpfloat (sqrt (wrong / all), <, tolerance (n));
  }
  oct_cpu_free (in);
  oct_cpu_free (out);
  oct_cpu_free (scratch);
  oct_lanes_fft_free (fft);
}

/* Sum of the squares of an A-line, and of the differences from the other one
 * times `scale`. */
static void
compare_lanes (const float *a, const float *b, double scale, gsize count,
    guint lane, double *square, double *difference)
{
  *square = *difference = 0;
  for (gsize i = 0; i < count; i++) {
    double x = a[i * LANES + lane], y = scale * b[i * LANES + lane];
    *square += x * x;
    *difference += (x - y) * (x - y);
  }
}

/* Noise: the norm remains (Parseval), a few bins by their sums, and backward
 * gives it again. */
static void
check_noise (GRand *random, guint n)
{
  OctLanesFft *forward = new_plan (n, FALSE, FALSE);
  OctLanesFft *backward = new_plan (n, TRUE, FALSE);
  gpointer scratch = new_scratch (forward);
  gsize count = (gsize)n * 2 * LANES;
  float *in = new_values (count), *out = new_values (count);
  float *again = new_values (count);

  fill_noise (random, in, count);
  oct_lanes_fft_run (forward, in, out, 0, n, scratch);
  oct_lanes_fft_run (backward, out, again, 0, n, scratch);
  for (guint lane = 0; lane < LANES; lane++) {
    double before, after, wrong, unused;
    compare_lanes (in, again, 1. / n, 2 * (gsize)n, lane, &before, &wrong);
    compare_lanes (out, out, 0, 2 * (gsize)n, lane, &after, &unused);
    g_assert_cmpfloat (fabs (after / n / before - 1), <, 1e-6);
    g_assert_cmpfloat (sqrt (wrong / before), <, 2 * tolerance (n));
  }
  for (guint k = 0; k < 4; k++) {
    guint q = (guint)g_rand_int_range (random, 0, (gint)n), lane = q % LANES;
    double exact[2];
    const float *got = out + (gsize)q * 2 * LANES + lane;
    exact_bin (in, n, FALSE, lane, q, -1, exact);
    /* of the size that a bin has on average, sqrt (2 n / 3) */
    g_assert_cmpfloat (hypot (got[0] - exact[0], got[LANES] - exact[1]), <,
        5 * tolerance (n) * sqrt (2. / 3 * n));
  }
  oct_cpu_free (in);
  oct_cpu_free (out);
  oct_cpu_free (again);
  oct_cpu_free (scratch);
  oct_lanes_fft_free (forward);
  oct_lanes_fft_free (backward);
}

/* Real noise: the bins are those of the complex transform, backward gives the
 * noise again. */
static void
check_real_noise (GRand *random, guint n)
{
  OctLanesFft *forward = new_plan (n, FALSE, TRUE);
  OctLanesFft *backward = new_plan (n, TRUE, TRUE);
  OctLanesFft *whole = new_plan (n, FALSE, FALSE);
  gpointer scratch = new_scratch (forward), other = new_scratch (whole);
  gsize bins = n / 2 + 1, count = (gsize)n * LANES;
  float *in = new_values (count), *again = new_values (count);
  float *out = new_values (bins * 2 * LANES);
  float *values = new_values (2 * count);
  double square, wrong;

  fill_noise (random, in, count);
  memset (values, 0, 2 * count * sizeof (float));
  for (guint i = 0; i < n; i++)
    memcpy (values + (gsize)i * 2 * LANES, in + (gsize)i * LANES,
        LANES * sizeof (float));
  oct_lanes_fft_run_real (forward, in, out, 0, (guint)bins, scratch);
  oct_lanes_fft_run_back_real (backward, out, again, scratch);
  oct_lanes_fft_run (whole, values, values, 0, n, other);
  for (guint lane = 0; lane < LANES; lane++) {
    compare_lanes (values, out, 1, 2 * bins, lane, &square, &wrong);
    g_assert_cmpfloat (sqrt (wrong / square), <, 2 * tolerance (n));
    compare_lanes (in, again, 1. / n, n, lane, &square, &wrong);
    g_assert_cmpfloat (sqrt (wrong / square), <, 2 * tolerance (n));
  }
  oct_cpu_free (in);
  oct_cpu_free (again);
  oct_cpu_free (out);
  oct_cpu_free (values);
  oct_cpu_free (scratch);
  oct_cpu_free (other);
  oct_lanes_fft_free (forward);
  oct_lanes_fft_free (backward);
  oct_lanes_fft_free (whole);
}

static void
test_long (gconstpointer data)
{
  guint n = GPOINTER_TO_UINT (data);
  GRand *random = g_rand_new_with_seed (n);

  check_waves (random, n);
  check_noise (random, n);
  check_real_noise (random, n);
  g_rand_free (random);
}

/* ---------------------------------------------------------------- contract */

/* One value gives a wave of the same height in all bins, exactly one where it
 * is the first. */
static void
test_delta (void)
{
  static const guint lengths[] = { 1, 2, 60, 64, 2000, 2048, 4096 };

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
    guint n = lengths[l];
    OctLanesFft *fft = new_plan (n, FALSE, FALSE);
    gpointer scratch = new_scratch (fft);
    float *values = new_values ((gsize)n * 2 * LANES);

    memset (values, 0, (gsize)n * 2 * LANES * sizeof (float));
    for (guint lane = 0; lane < LANES; lane++)
      values[lane] = (float)lane;
    oct_lanes_fft_run (fft, values, values, 0, n, scratch);
    for (gsize i = 0; i < (gsize)n * 2 * LANES; i++)
      g_assert_cmpfloat (
          values[i], ==, i / LANES % 2 == 0 ? (float)(i % LANES) : 0);
    oct_cpu_free (values);
    oct_cpu_free (scratch);
    oct_lanes_fft_free (fft);
  }
}

/* A range of bins is equal to the bit to the same bins of the whole, around the
 * end too, and nothing is written beyond it. */
static void
test_some_bins (void)
{
  static const guint lengths[] = { 1, 2, 7, 16, 30, 53, 64, 360, 1031, 2048 };
  GRand *random = g_rand_new_with_seed (3);

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
    guint n = lengths[l];
    for (guint backward = 0; backward < 2; backward++) {
      OctLanesFft *fft = new_plan (n, backward, FALSE);
      gpointer scratch = new_scratch (fft);
      float *in = new_values ((gsize)n * 2 * LANES);
      float *all = new_values ((gsize)n * 2 * LANES);
      float *some = new_values (((gsize)n + 1) * 2 * LANES);

      fill_noise (random, in, (gsize)n * 2 * LANES);
      oct_lanes_fft_run (fft, in, all, 0, n, scratch);
      for (guint k = 0; k < 6; k++) {
        guint first = (guint)g_rand_int_range (random, 0, (gint)n);
        guint count = (guint)g_rand_int_range (random, 0, (gint)n + 1);
        for (gsize i = 0; i < ((gsize)n + 1) * 2 * LANES; i++)
          some[i] = -1234;
        oct_lanes_fft_run (fft, in, some, first, count, scratch);
        for (guint i = 0; i < count; i++)
          g_assert_cmpmem (some + (gsize)i * 2 * LANES,
              2 * LANES * sizeof (float),
              all + (gsize)((first + i) % n) * 2 * LANES,
              2 * LANES * sizeof (float));
        for (gsize i = (gsize)count * 2 * LANES; i < ((gsize)n + 1) * 2 * LANES;
             i++)
          g_assert_cmpfloat (some[i], ==, -1234);
      }
      oct_cpu_free (in);
      oct_cpu_free (all);
      oct_cpu_free (some);
      oct_cpu_free (scratch);
      oct_lanes_fft_free (fft);
    }
  }
  g_rand_free (random);
}

/* The same for real values, which have half of the bins. */
static void
test_some_real_bins (void)
{
  static const guint lengths[] = { 1, 2, 3, 30, 53, 64, 106, 2048 };
  GRand *random = g_rand_new_with_seed (4);

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
    guint n = lengths[l], bins = n / 2 + 1;
    OctLanesFft *fft = new_plan (n, FALSE, TRUE);
    gpointer scratch = new_scratch (fft);
    float *in = new_values ((gsize)n * LANES);
    float *all = new_values ((gsize)bins * 2 * LANES);
    float *some = new_values ((gsize)bins * 2 * LANES);

    fill_noise (random, in, (gsize)n * LANES);
    oct_lanes_fft_run_real (fft, in, all, 0, bins, scratch);
    for (guint k = 0; k < 6; k++) {
      guint first = (guint)g_rand_int_range (random, 0, (gint)bins);
      guint count =
          (guint)g_rand_int_range (random, 0, (gint)(bins - first) + 1);
      oct_lanes_fft_run_real (fft, in, some, first, count, scratch);
      g_assert_cmpmem (some, (gsize)count * 2 * LANES * sizeof (float),
          all + (gsize)first * 2 * LANES,
          (gsize)count * 2 * LANES * sizeof (float));
    }
    oct_cpu_free (in);
    oct_cpu_free (all);
    oct_cpu_free (some);
    oct_cpu_free (scratch);
    oct_lanes_fft_free (fft);
  }
  g_rand_free (random);
}

/* A NaN or infinite value spoils all bins of its A-line and no others. */
static void
test_not_finite (void)
{
  static const guint lengths[] = { 2, 15, 16, 53, 360, 2048 };
  GRand *random = g_rand_new_with_seed (5);

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
    guint n = lengths[l];
    OctLanesFft *fft = new_plan (n, FALSE, FALSE);
    gpointer scratch = new_scratch (fft);
    float *in = new_values ((gsize)n * 2 * LANES);
    float *good = new_values ((gsize)n * 2 * LANES);
    float *out = new_values ((gsize)n * 2 * LANES);

    fill_noise (random, in, (gsize)n * 2 * LANES);
    oct_lanes_fft_run (fft, in, good, 0, n, scratch);
    in[(gsize)(n / 2) * 2 * LANES + 3] = NAN;
    in[(gsize)(n - 1) * 2 * LANES + LANES + 11] = INFINITY;
    oct_lanes_fft_run (fft, in, out, 0, n, scratch);
    for (guint q = 0; q < n; q++) {
      for (guint lane = 0; lane < LANES; lane++) {
        gsize at = (gsize)q * 2 * LANES + lane;
        if (lane == 3 || lane == 11) {
          g_assert_false (isfinite (out[at]) && isfinite (out[at + LANES]));
        } else {
          g_assert_cmpfloat (out[at], ==, good[at]);
          g_assert_cmpfloat (out[at + LANES], ==, good[at + LANES]);
        }
      }
    }
    oct_cpu_free (in);
    oct_cpu_free (good);
    oct_cpu_free (out);
    oct_cpu_free (scratch);
    oct_lanes_fft_free (fft);
  }
  g_rand_free (random);
}

/* -------------------------------------------------------- read and written */

typedef struct {
  const float *in;
  float *out;
  guint seen, length;
} Through;

static void
read_values (gpointer data, guint first, guint step, guint count, float *values)
{
  Through *through = data;

  g_assert_cmpuint (count, <=, 16);
  for (guint i = 0; i < count; i++)
    memcpy (values + (gsize)i * 2 * LANES,
        through->in + (gsize)(first + i * step) * 2 * LANES,
        2 * LANES * sizeof (float));
  through->seen += count;
}

static void
write_bins (gpointer data, guint first, guint step, guint count, float *bins)
{
  Through *through = data;

  g_assert_cmpuint (count, <=, 16);
  for (guint i = 0; i < count; i++) {
    g_assert_cmpuint (first + i * step, <, through->length);
    memcpy (through->out + (gsize)(first + i * step) * 2 * LANES,
        bins + (gsize)i * 2 * LANES, 2 * LANES * sizeof (float));
  }
}

/* The same bits as from and to memory; every value is read once. */
static void
test_through (void)
{
  static const guint lengths[] = { 1, 2, 7, 16, 30, 53, 64, 360, 1031, 2048 };
  GRand *random = g_rand_new_with_seed (6);

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
    guint n = lengths[l];
    gsize count = (gsize)n * 2 * LANES;
    OctLanesFft *fft = new_plan (n, l % 2 != 0, FALSE);
    OctLanesFft *real = new_plan (2 * n, FALSE, TRUE);
    gpointer scratch = new_scratch (fft), other = new_scratch (real);
    float *in = new_values (count), *expected = new_values (count + 2 * LANES);
    float *out = new_values (count + 2 * LANES);
    Through through = { .in = in, .out = out, .length = n };

    fill_noise (random, in, count);
    oct_lanes_fft_run (fft, in, expected, 0, n, scratch);
    for (guint first = 0; first < n; first += n / 3 + 1) {
      through.seen = 0;
      for (gsize i = 0; i < count; i++)
        out[i] = NAN;
      oct_lanes_fft_run_through (fft, read_values, write_bins, &through, NULL,
          NULL, first, n / 2 + 1, scratch);
      g_assert_cmpuint (through.seen, ==, n);
      for (guint i = 0; i < n / 2 + 1; i++) {
        gsize at = (gsize)((first + i) % n) * 2 * LANES;
        g_assert_cmpmem (out + at, 2 * LANES * sizeof (float), expected + at,
            2 * LANES * sizeof (float));
      }
    }
    oct_lanes_fft_run_real (real, in, expected, 0, n + 1, other);
    oct_lanes_fft_run_real_through (
        real, read_values, &through, NULL, out, 0, n + 1, other);
    g_assert_cmpmem (out, (count + 2 * LANES) * sizeof (float), expected,
        (count + 2 * LANES) * sizeof (float));
    oct_cpu_free (in);
    oct_cpu_free (out);
    oct_cpu_free (expected);
    oct_cpu_free (scratch);
    oct_cpu_free (other);
    oct_lanes_fft_free (fft);
    oct_lanes_fft_free (real);
  }
  g_rand_free (random);
}

/* All loops that there are for this machine. */
static void
test_width (gconstpointer data)
{
  if (!oct_lanes_fft_set_width (GPOINTER_TO_UINT (data))) {
    g_test_skip ("this machine has no such vectors");
  } else {
    test_short ();
    test_medium ();
    test_some_bins ();
    test_some_real_bins ();
    test_through ();
  }
  oct_lanes_fft_set_width (16);
}

int
main (int argc, char **argv)
{
  static const guint lengths[] = { 1200, 1280, 2047, 2048, 2560, 4096, 6000,
    8200, 8192, 16384, 30000, 32768, 65521, 65536, 82000, 131072 };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    g_autofree char *path = g_strdup_printf ("/fft/long/%u", lengths[i]);
    g_test_add_data_func (path, GUINT_TO_POINTER (lengths[i]), test_long);
  }
  g_test_add_func ("/fft/delta", test_delta);
  for (guint width = 4; width <= 16; width *= 2) {
    g_autofree char *path = g_strdup_printf ("/fft/width/%u", width);
    g_test_add_data_func (path, GUINT_TO_POINTER (width), test_width);
  }
  g_test_add_func ("/fft/not-finite", test_not_finite);
  return g_test_run ();
}
