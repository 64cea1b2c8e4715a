/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Doppler shifts whose phases are known: near the Nyquist limit in noise,
 * across a vessel in tissue that moves, over several turns; and what is
 * refused.
 */
#include "oct-reference.h"
#include "numeric.h"
#include "signals.h"

#include <math.h>

static double
doppler_wrap (double phase)
{
  return phase - 2 * G_PI * rint (phase / (2 * G_PI));
}

static OctDopplerParams
doppler_params (guint lines, guint bins)
{
  return (OctDopplerParams){ .depth_bins = bins,
    .lines = lines,
    .values = TRUE,
    .window_lines = 5,
    .window_bins = 5,
    .scale = 1,
    .range = G_PI };
}

/* A B-scan through a plan. */
static void
doppler_run (
    OctPlan *plan, const Complex *in, guint lines, guint bins, float *out)
{
  gsize n = (gsize)lines * bins;
  g_autofree float *values = g_new (float, 2 * n);
  OctFrame from = { { { values, 2 * sizeof (float) * bins }, { NULL, 0 } } };
  OctFrame to = { { { out, sizeof (float) * bins }, { NULL, 0 } } };

  for (gsize i = 0; i < n; i++) {
    values[2 * i] = (float)creal (in[i]);
    values[2 * i + 1] = (float)cimag (in[i]);
  }
  plan_run (OCT_OPERATION_DOPPLER, plan, &from, &to);
}

/* ------------------------------------------------------------------- Nyquist
 */

/* 2.86 rad from A-line to A-line, 0.28 below the limit, in noise of 5 dB below
 * the tissue.  The standard deviation of a window of 5 x 5 values is about 0.2
 * rad, so that the mean of the 30,000 windows that are apart is known to 0.0012
 * rad: 1,600 are enough for 0.01 at two standard deviations. */
static void
test_nyquist (void)
{
  enum { BINS = 500, LINES = 501, SCANS = 3 };
  static Complex in[LINES * BINS];
  static float out[LINES * BINS];
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  const double shift = 2.86, noise = sqrt (pow (10, -0.5));
  OctDopplerParams params = doppler_params (LINES, BINS);
  OctPlan *plan = plan_new (OCT_OPERATION_DOPPLER, &params);
  double sum = 0, squares = 0, of_phases = 0;
  guint n = 0;

  for (guint scan = 0; scan < SCANS; scan++) {
    for (guint q = 0; q < BINS; q++) {
      Complex speckle = signal_complex (random);

      for (guint x = 0; x < LINES; x++)
        in[x * BINS + q] =
            speckle * cexp (I * shift * x) + noise * signal_complex (random);
    }
    doppler_run (plan, in, LINES, BINS, out);
    for (guint x = 2; x + 3 < LINES; x += 5)
      for (guint q = 2; q + 2 < BINS; q += 5) {
        double error = doppler_wrap (out[x * BINS + q] - shift);

        sum += error;
        squares += error * error;
        of_phases += carg (in[(x + 1) * BINS + q] * conj (in[x * BINS + q]));
        n++;
      }
  }
  plan_free (OCT_OPERATION_DOPPLER, plan);
  g_test_message ("%u windows: bias %.4f, standard deviation %.3f rad; mean of "
                  "phases %.2f off",
      n, sum / n, sqrt (squares / n), of_phases / n - shift);
  g_assert_cmpfloat (fabs (sum / n), <, 0.01);
  g_assert_cmpfloat (sqrt (squares / n), <, 0.3);
  /* the data are such that an average of phases fails */
  g_assert_cmpfloat (of_phases / n - shift, <, -0.4);
}

/* ---------------------------------------------------------------------- bulk
 */

/* Tissue that turns by 0.9 rad, with a vessel through half of its depth, where
 * speckle flows by up to 2.5 rad more and changes.  The rest in still tissue is
 * the error of the bulk phase: 0.02 to 0.12 rad with a histogram over 9
 * A-lines, 0.25 to 0.52 with a mean. */
static void
test_bulk (void)
{
  enum { BINS = 192, LINES = 161, FROM = 60, TO = 100 };
  static Complex in[LINES * BINS];
  static float out[LINES * BINS];
  const double bulk = 0.9, noise = 0.1;

  for (guint round = 0; round < 4; round++) {
    g_autoptr (GRand) random = g_rand_new_with_seed (30 + round);
    OctDopplerParams params = doppler_params (LINES, BINS);
    double histogram = 0, mean = 0;
    OctPlan *plan;

    for (guint q = 0; q < BINS; q++) {
      Complex speckle = signal_complex (random), phase = 1;
      double depth = (q - 96.0) / 48;

      for (guint x = 0; x < LINES; x++) {
        double across = ((double)x - 80) / 40;
        double inside = MAX (0, 1 - across * across) * (fabs (depth) < 1);
        double stay = inside > 0 ? 0.97 : 1;

        phase *= cexp (I * (bulk + 2.5 * inside * (1 - depth * depth)));
        speckle =
            stay * speckle + sqrt (1 - stay * stay) * signal_complex (random);
        in[x * BINS + q] = speckle * phase + noise * signal_complex (random);
      }
    }
    params.window_lines = 1;
    params.window_bins = 31;
    params.bulk_lines = 9;
    plan = plan_new (OCT_OPERATION_DOPPLER, &params);
    doppler_run (plan, in, LINES, BINS, out);
    plan_free (OCT_OPERATION_DOPPLER, plan);
    for (guint x = FROM; x < TO; x++) {
      Complex sum = 0;

      for (guint q = 0; q < BINS; q++)
        sum += in[(x + 1) * BINS + q] * conj (in[x * BINS + q]);
      mean += pow (doppler_wrap (carg (sum) - bulk), 2) / (TO - FROM);
      histogram += pow (out[x * BINS + 20], 2) / (TO - FROM);
    }
    g_test_message ("bulk phase: histogram %.3f, mean %.3f rad",
        sqrt (histogram), sqrt (mean));
    g_assert_cmpfloat (sqrt (histogram), <, 0.12);
    g_assert_cmpfloat (sqrt (mean), >, 0.25);
  }
}

/* ------------------------------------------------------------------ unwrapping
 */

/* A vessel of 12 rad in still tissue, under a dark band. */
static void
test_unwrap (void)
{
  enum { BINS = 90, LINES = 70 };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  static Complex in[2][LINES * BINS];
  static float out[LINES * BINS];
  double worst = 0, peak = 0;
  OctDopplerParams params = doppler_params (LINES, BINS);
  OctPlan *plan;

  params.between = OCT_DOPPLER_REPEATS;
  params.repeats = 2;
  params.window_lines = params.window_bins = 1;
  params.unwrap = TRUE;
  params.noise = 1e-3;
  params.least = 3;
  plan = plan_new (OCT_OPERATION_DOPPLER, &params);
  for (guint x = 0; x < LINES; x++)
    for (guint q = 20; q < BINS; q++) {
      double far = (pow (x - 35.0, 2) + pow (q - 55.0, 2)) / 400;
      Complex a = signal_complex (random) + 3;

      in[0][x * BINS + q] = a;
      in[1][x * BINS + q] = a * cexp (I * 12 * MAX (0, 1 - far));
    }
  for (guint i = 0; i < 2; i++)
    doppler_run (plan, in[i], LINES, BINS, out);
  plan_free (OCT_OPERATION_DOPPLER, plan);
  for (guint x = 0; x < LINES; x++)
    for (guint q = 0; q < BINS; q++) {
      double far = (pow (x - 35.0, 2) + pow (q - 55.0, 2)) / 400;
      double should = q < 20 ? 0 : 12 * MAX (0, 1 - far);

      worst = MAX (worst, fabs (out[x * BINS + q] - should));
      peak = MAX (peak, out[x * BINS + q]);
    }
  g_test_message ("largest phase %.3f, largest error %.1e rad", peak, worst);
  g_assert_cmpfloat (worst, <, 1e-5);
  g_assert_cmpfloat (fabs (peak - 12), <, 0.01);
}

/* -------------------------------------------------------------------- refused
 */

static void
test_refused (void)
{
  OctDopplerParams good = doppler_params (9, 20), params[13];

  for (guint i = 0; i < G_N_ELEMENTS (params); i++)
    params[i] = good;
  params[0].window_lines = 4;
  params[1].window_bins = 33;
  params[2].bulk_lines = 2;
  params[3].bulk_lines = 257;
  params[4].noise = -1;
  params[5].scale = 0;
  params[6].range = 0;
  params[7].between = OCT_DOPPLER_REPEATS; /* no repeats */
  params[8].values = FALSE;
  params[8].format = OCT_IMAGE_GRAY16;
  params[9].between = OCT_DOPPLER_REPEATS;
  params[9].repeats = 2;
  params[9].bscans = 3;
  params[10].quantity = 2;
  params[11].least = NAN;
  params[12].lines = 0;
  plan_check_refused (
      OCT_OPERATION_DOPPLER, params, sizeof *params, G_N_ELEMENTS (params));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/doppler/nyquist", test_nyquist);
  g_test_add_func ("/doppler/bulk", test_bulk);
  g_test_add_func ("/doppler/unwrap", test_unwrap);
  g_test_add_func ("/doppler/refused", test_refused);
  return g_test_run ();
}
