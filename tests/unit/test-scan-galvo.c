/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Mirrors that are late, against the closed solutions of their equation.
 */
#include "oct-scan-galvo.h"

#include "oct-test.h"

#define RATE 1e5

/* Roundings of ten thousand steps of numbers about 1. */
#define TOLERANCE 1e-9

static OctScanGalvo *
make_galvo (double frequency, double damping, double dead)
{
  GError *error = NULL;
  OctScanGalvo *galvo =
      oct_scan_galvo_new (frequency, damping, dead, RATE, &error);

  g_assert_no_error (error);
  return galvo;
}

static void
assert_near (double got, double expected, double tolerance)
{
  if (!(fabs (got - expected) <= tolerance))
    g_error ("%.17g is not %.17g", got, expected);
}

/* A ramp u = t from rest: y = t - L + exp (-z w t) (L cos q t + (z w L - 1) / q
 * sin q t), q = w sqrt (1 - z^2), L = 2 z / w; all of it `dead` later. */
static double
solve_ramp (double w, double z, double t)
{
  double q = w * sqrt (1 - z * z), lag = 2 * z / w;

  return t <= 0 ? 0
                : t - lag
                      + exp (-z * w * t)
                            * (lag * cos (q * t)
                                + (z * w * lag - 1) / q * sin (q * t));
}

static void
test_ramp (void)
{
  static const double deads[] = { 0, 0.25e-5, 1e-5, 12.7e-5 };
  const double w = 2 * G_PI * 2000, z = 0.8;

  for (guint i = 0; i < G_N_ELEMENTS (deads); i++) {
    g_autoptr (OctScanGalvo) galvo = make_galvo (2000, z, deads[i]);

    for (guint n = 0; n < 10000; n++) {
      OctScanPoint at = oct_scan_galvo_follow (
          galvo, &(OctScanPoint){ { n / RATE, -2 * (n / RATE) } });
      double expected = solve_ramp (w, z, n / RATE - deads[i]);

      assert_near (at.at[0], expected, TOLERANCE);
      assert_near (at.at[1], -2 * expected, 2 * TOLERANCE);
    }
  }
}

/* A sine, when it has settled: the gain and the phase of w^2 / (s^2 + 2 z w s +
 * w^2) at s = 2 pi i f.  It is linear between samples: 500 of them a cycle
 * leave (pi / 500)^2 / 2. */
static void
test_sine (void)
{
  const double w = 2 * G_PI * 1000, z = 0.5, s = 2 * G_PI * 200, dead = 3e-5;
  double re = w * w - s * s, im = 2 * z * w * s, gain = w * w / hypot (re, im);
  double phase = -atan2 (im, re) - s * dead;
  g_autoptr (OctScanGalvo) galvo = make_galvo (1000, z, dead);

  for (guint n = 0; n < 10000; n++) {
    OctScanPoint u = { { sin (s * n / RATE), 0 } };
    OctScanPoint at = oct_scan_galvo_follow (galvo, &u);

    if (n > 5000)
      assert_near (at.at[0], gain * sin (s * n / RATE + phase), 3e-5);
    g_assert_cmpfloat (at.at[1], ==, 0);
  }
}

/* Critically damped and slow ones; from rest they end at a step's height. */
static void
test_step (void)
{
  static const double dampings[] = { 0.05, 1, 10 };

  for (guint i = 0; i < G_N_ELEMENTS (dampings); i++) {
    g_autoptr (OctScanGalvo) galvo = make_galvo (5000, dampings[i], 0);
    OctScanPoint at = { { 0 } };

    for (guint n = 0; n < 10000; n++)
      at = oct_scan_galvo_follow (galvo, &(OctScanPoint){ { 3, -1 } });
    assert_near (at.at[0], 3, 1e-9);
    assert_near (at.at[1], -1, 1e-9);
  }
}

/* Without a lag of their own only the dead time is left, parts of a sample
 * too. */
static void
test_dead_time (void)
{
  g_autoptr (OctScanGalvo) galvo = make_galvo (0, 0.8, 2.25e-5);

  for (guint n = 0; n < 100; n++) {
    OctScanPoint at =
        oct_scan_galvo_follow (galvo, &(OctScanPoint){ { n, n % 2 } });

    assert_near (at.at[0], MAX (n - 2.25, 0), 1e-9);
    if (n > 4)
      assert_near (at.at[1], n % 2 == 0 ? 0.25 : 0.75, 1e-9);
  }
}

/* However stiff: numbers that stay finite. */
static void
test_extremes (void)
{
  static const double rates[] = { 1e-3, 1e9 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    OctScanGalvo *galvo = oct_scan_galvo_new (1e9, 10, 0, rates[i], NULL);

    g_assert_nonnull (galvo);
    for (guint n = 0; n < 1000; n++) {
      OctScanPoint at =
          oct_scan_galvo_follow (galvo, &(OctScanPoint){ { 1, n % 7 } });

      g_assert_true (isfinite (at.at[0]) && fabs (at.at[1]) < 100);
    }
    oct_scan_galvo_free (galvo);
  }
}

static void
test_refused (void)
{
  static const double bad[][4] = { { NAN, 1, 0, 1e5 }, { -1, 1, 0, 1e5 },
    { 1e3, 0, 0, 1e5 }, { 1e3, NAN, 0, 1e5 }, { 1e3, 1, -1e-6, 1e5 },
    { 1e3, 1, 1, 1e5 }, { 1e3, 1, 0, 0 }, { 1e3, 1, 0, INFINITY } };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (oct_scan_galvo_new (
        bad[i][0], bad[i][1], bad[i][2], bad[i][3], &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scan-galvo/ramp", test_ramp);
  g_test_add_func ("/scan-galvo/sine", test_sine);
  g_test_add_func ("/scan-galvo/step", test_step);
  g_test_add_func ("/scan-galvo/dead-time", test_dead_time);
  g_test_add_func ("/scan-galvo/extremes", test_extremes);
  g_test_add_func ("/scan-galvo/refused", test_refused);
  return g_test_run ();
}
