/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Fluctuations that are known: frequencies of speckle that loses its coherence,
 * what is still, the 60 dB between a bright tissue and its noise; and what is
 * refused.
 */
#include "oct-reference.h"
#include "numeric.h"
#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 96u
#define LINES 48u

static OctDynamicParams
dynamic_params (OctDynamicQuantity quantity)
{
  return (OctDynamicParams){ .depth_bins = BINS,
    .lines = LINES,
    .values = TRUE,
    .quantity = quantity,
    .frames = 32,
    .window_lines = 3,
    .window_bins = 3,
    .rate = 50,
    .min_frequency = 0.5,
    .max_frequency = 20,
    .max = 20 };
}

/* Speckle of which each B-scan keeps the share `stay`, and noise. */
static void
next_scan (GRand *random, double stay, double noise, Complex *field, float *out)
{
  for (gsize i = 0; i < LINES * BINS; i++) {
    Complex a;

    field[i] =
        stay * field[i] + sqrt (1 - stay * stay) * signal_complex (random);
    a = field[i] + noise * signal_complex (random);
    out[2 * i] = (float)creal (a);
    out[2 * i + 1] = (float)cimag (a);
  }
}

static int
compare_floats (gconstpointer a, gconstpointer b)
{
  float x = *(const float *)a, y = *(const float *)b;

  return (x > y) - (x < y);
}

/* The median of a quantity after `scans` B-scans. */
static double
median_of (OctDynamicParams params, double stay, double noise, guint scans)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (17);
  g_autofree Complex *field = g_new (Complex, LINES * BINS);
  g_autofree float *in = g_new (float, 2 * LINES * BINS);
  g_autofree float *out = g_new (float, LINES *BINS);
  OctFrame from = { { { in, 2 * sizeof (float) * BINS }, { NULL, 0 } } };
  OctFrame to = { { { out, sizeof (float) * BINS }, { NULL, 0 } } };
  OctPlan *plan = plan_new (OCT_OPERATION_DYNAMIC, &params);

  for (gsize i = 0; i < LINES * BINS; i++)
    field[i] = signal_complex (random);
  for (guint i = 0; i < scans; i++) {
    next_scan (random, stay, noise, field, in);
    plan_run (OCT_OPERATION_DYNAMIC, plan, &from, &to);
  }
  plan_free (OCT_OPERATION_DYNAMIC, plan);
  qsort (out, LINES * BINS, sizeof *out, compare_floats);
  return out[LINES * BINS / 2];
}

/* The frequency is a mean of the spectrum, not its corner: 3.9, 6, 9 and 12 Hz
 * for corners of 0.3, 1, 3 and 10 Hz at 50 B-scans a second in noise 20 dB
 * below the tissue; faster is always higher. */
static void
test_frequency (void)
{
  static const double corners[][2] = { { 0.3, 3.9 }, { 1, 6 }, { 3, 9 },
    { 10, 12 } };
  double before = 0;

  for (guint i = 0; i < G_N_ELEMENTS (corners); i++) {
    double stay = exp (-2 * G_PI * corners[i][0] / 50);
    double found =
        median_of (dynamic_params (OCT_DYNAMIC_FREQUENCY), stay, 0.1, 64);

    g_test_message ("corner %g Hz: %.2f Hz, published %g", corners[i][0], found,
        corners[i][1]);
    g_assert_cmpfloat (found, >, 1.2 * before);
    before = found;
  }
}

/* A fast tone of a known frequency: |a| = 2 + cos (2 pi f t). */
static void
test_tone (void)
{
  static const double tones[] = { 2, 5, 12.5, 20 };

  for (guint k = 0; k < G_N_ELEMENTS (tones); k++) {
    OctDynamicParams params = dynamic_params (OCT_DYNAMIC_FREQUENCY);
    g_autofree float *in = g_new0 (float, 2 * LINES * BINS);
    g_autofree float *out = g_new (float, LINES *BINS);
    OctFrame from = { { { in, 2 * sizeof (float) * BINS }, { NULL, 0 } } };
    OctFrame to = { { { out, sizeof (float) * BINS }, { NULL, 0 } } };
    OctPlan *plan;

    params.frames = 400;
    plan = plan_new (OCT_OPERATION_DYNAMIC, &params);
    for (guint t = 0; t < 400; t++) {
      for (gsize i = 0; i < LINES * BINS; i++)
        in[2 * i] = (float)(2 + cos (2 * G_PI * tones[k] * t / 50 + (double)i));
      plan_run (OCT_OPERATION_DYNAMIC, plan, &from, &to);
    }
    plan_free (OCT_OPERATION_DYNAMIC, plan);
    for (gsize i = 0; i < LINES * BINS; i++)
      g_assert_cmpfloat (fabs (out[i] / tones[k] - 1), <, 0.01);
  }
}

/* Noise 30 dB below still tissue changes its amplitude by half of the power of
 * the noise, and what is left is black.  Tissue that changes has 0.215 of its
 * own power. The power of signal_complex() is 2. */
static void
test_activity (void)
{
  OctDynamicParams params = dynamic_params (OCT_DYNAMIC_ACTIVITY);
  double moving;

  params.noise = 2e-3;
  g_assert_cmpfloat (median_of (params, 1, sqrt (1e-3), 200), <, -3);
  moving = median_of (params, 0.1, sqrt (1e-3), 200);
  g_test_message ("tissue that changes: %.2f dB", moving);
  g_assert_cmpfloat (
      fabs (moving - 10 * log10 (2 * (1 - G_PI / 4) / 1e-3)), <, 0.5);
}

/* Still tissue 60 dB above its noise: sums of squares in single precision would
 * lose the variance. */
static void
test_bright (void)
{
  OctDynamicParams params = dynamic_params (OCT_DYNAMIC_ACTIVITY);
  double found;

  /* half of the noise is said, so that as much is left as was taken */
  params.noise = 1e-6;
  params.frames = 256;
  params.window_lines = params.window_bins = 31;
  found = median_of (params, 1, 1e-3, 256);
  g_test_message ("60 dB: %.2f dB", found);
  g_assert_cmpfloat (fabs (found), <, 0.5);
}

static void
test_refused (void)
{
  OctDynamicParams params[12];

  for (guint i = 0; i < G_N_ELEMENTS (params); i++)
    params[i] = dynamic_params (OCT_DYNAMIC_FREQUENCY);
  params[0].window_lines = 2;
  params[1].window_bins = 0;
  params[2].frames = 1;
  params[3].rate = 0;
  params[4].min_frequency = 0;
  params[5].max_frequency = 0.5;
  params[6].max = 0;
  params[7].noise = NAN;
  params[8].repeats = 2;
  params[8].bscans = 2;
  params[9].quantity = OCT_DYNAMIC_COLOUR;
  params[10].values = FALSE;
  params[10].format = OCT_IMAGE_GRAY16;
  params[11].values = FALSE;
  params[11].quantity = OCT_DYNAMIC_COLOUR;
  plan_check_refused (
      OCT_OPERATION_DYNAMIC, params, sizeof *params, G_N_ELEMENTS (params));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dynamic/frequency", test_frequency);
  g_test_add_func ("/dynamic/tone", test_tone);
  g_test_add_func ("/dynamic/activity", test_activity);
  g_test_add_func ("/dynamic/bright", test_bright);
  g_test_add_func ("/dynamic/refused", test_refused);
  return g_test_run ();
}
