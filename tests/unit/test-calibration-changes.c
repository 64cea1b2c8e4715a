/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings that change a calibration: polynomials of any order, phases at the
 * ends of the axis, a measured background spectrum. */
#include "oct-calibration.h"

#include "oct-reference.h"
#include "oct-test-calibration.h"
#include "oct-test.h"

#define N 16

/* a T_n (x) + b x as the text of a polynomial in x: coefficients by the
 * recurrence T_n = 2 x T_n-1 - T_n-2. */
static char *
describe_chebyshev (guint order, double a, double b)
{
  g_autofree double *before = g_new0 (double, order + 1);
  g_autofree double *last = g_new0 (double, order + 1);
  GString *text = g_string_new (NULL);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  before[0] = last[1] = 1;
  for (guint n = 2; n <= order; n++) {
    double *swap = before;

    for (guint i = 0; i <= n; i++)
      before[i] = (i > 0 ? 2 * last[i - 1] : 0) - before[i];
    before = last;
    last = swap;
  }
  for (guint i = 0; i <= order; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "",
        g_ascii_dtostr (number, sizeof number, a * last[i] + (i == 1 ? b : 0)));
  return g_string_free (text, FALSE);
}

/* Any order that double precision carries; the sum is known otherwise. */
static void
test_high_order (void)
{
  g_autofree char *twenty = describe_chebyshev (20, 0.02, N - 1);
  g_autofree char *eighty = describe_chebyshev (80, 0.001, N - 1);
  g_autoptr (OctCalibration) c = oct_test_calibration (
      (OctCalibrationSettings){ .k_polynomial = twenty }, N);
  OctCalibrationSettings beyond = { .k_polynomial = eighty };
  double expected[N];
  GError *error = NULL;

  for (guint j = 0; j < N; j++)
    expected[j] = 0.02 * cos (20 * acos (j / (N - 1.0))) + j;
  oct_test_assert_close (oct_calibration_get_positions (c), expected, N, 1e-9);
  g_assert_null (oct_calibration_new (&beyond, N, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "`k-polynomial`",
      "81 terms", "fewer coefficients", NULL);
}

/* Phases in rad at the ends of the axis need no wavelengths. */
static void
test_phase_at_ends (void)
{
  OctCalibrationSettings settings = { .k_polynomial = "14.5,-12,-3.25,1.5" };
  OctCalibrationSettings added = { .c2 = 12, .c3 = -5 };
  g_autoptr (OctCalibration) c = oct_test_calibration (settings, N),
                             with = NULL, on = NULL;
  g_autoptr (OctReferenceCalibration) nodes = NULL;
  double positions[N], uniform[N], samples[N], phase[N] = { 0 };

  for (guint i = 0; i < N; i++) {
    double x = i / (N - 1.);

    positions[i] = 14.5 - 12 * x - 3.25 * x * x + 1.5 * x * x * x;
  }
  nodes = oct_reference_calibration_new (N, NULL, positions, NULL, NULL);
  for (guint i = 0; i < N; i++) {
    double x = 2.0 * i / (N - 1) - 1, at = 2 * nodes->nodes[i] / (N - 1) - 1;

    uniform[i] = -(12 * x * x - 5 * x * x * x);
    samples[i] = -(12 * at * at - 5 * at * at * at);
  }
  g_assert_true (oct_calibration_add_phase (c, FALSE, N, 12, -5, phase, NULL));
  oct_test_assert_close (phase, uniform, N, 1e-11);
  memset (phase, 0, sizeof phase);
  g_assert_true (
      oct_calibration_add_phase (NULL, FALSE, N, 12, -5, phase, NULL));
  oct_test_assert_close (phase, uniform, N, 1e-11);
  memset (phase, 0, sizeof phase);
  g_assert_true (oct_calibration_add_phase (c, TRUE, N, 12, -5, phase, NULL));
  oct_test_assert_close (phase, samples, N, 1e-10);
  g_assert_false (
      oct_calibration_add_phase (NULL, TRUE, N, 12, -5, phase, NULL));
  on = oct_calibration_new_on (c, &added, N, NULL);
  settings.c2 = 12;
  settings.c3 = -5;
  with = oct_test_calibration (settings, N);
  oct_test_assert_close (
      oct_calibration_get_dispersion (with), uniform, N, 1e-11);
  oct_test_assert_close (
      oct_calibration_get_sample_dispersion (with), samples, N, 1e-10);
  g_assert_true (oct_calibration_equal (on, with));
}

/* A spectrum that was taken is one of samples as they come, whatever else is
 * said of their order, and stands in place of the file's. */
static void
test_background (void)
{
  g_autoptr (GString) csv = g_string_new ("wavelength_nm,background\n");
  g_autofree char *file = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (OctCalibration) c = NULL, base = NULL, on = NULL, alone = NULL;
  OctCalibrationSettings taken = { 0 };
  double expected[N];

  for (guint i = 0; i < N; i++) {
    expected[i] = 100 + 2.5 * i;
    g_string_append_printf (
        text, "%s%u.%u", i > 0 ? "," : "", 100 + 5 * i / 2, i % 2 * 5);
    g_string_append_printf (csv, "%u,%u\n", 800 + 5 * i, 7 * i);
  }
  file = g_strdup (oct_test_write ("columns.csv", csv->str, csv->len));
  taken.background = text->str;
  c = oct_test_calibration (
      (OctCalibrationSettings){
          .file = file, .flip = TRUE, .background = text->str },
      N);
  oct_test_assert_close (oct_calibration_get_background (c), expected, N, 0);
  base = oct_test_calibration ((OctCalibrationSettings){ .file = file }, N);
  on = oct_calibration_new_on (base, &taken, N, NULL);
  oct_test_assert_close (oct_calibration_get_background (on), expected, N, 0);
  oct_test_assert_close (oct_calibration_get_positions (on),
      oct_calibration_get_positions (base), N, 0);
  alone = oct_test_calibration (taken, N);
  oct_test_assert_close (
      oct_calibration_get_background (alone), expected, N, 0);
  g_assert_null (oct_calibration_get_positions (alone));
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/calibration/high-order", test_high_order);
  g_test_add_func ("/calibration/phase-at-ends", test_phase_at_ends);
  g_test_add_func ("/calibration/background", test_background);
  result = g_test_run ();
  oct_test_clean ();
  return result;
}
