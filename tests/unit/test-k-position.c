/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations that say where each sample lies on the axis of uniform
 * wavenumbers, as k_position of a file or as Thorlabs' Chirp.dat.  The sample
 * to read for each wavenumber is the inverse, known here from the formula. */
#include "oct-test-calibration.h"

#define N 2048

/* The axis of a spectrometer over its samples, from `low` to `high`. */
static double
get_place (double sample, double low, double high)
{
  double x = sample / (N - 1);
  double bent = (N - 1) * x + 170 * sin (G_PI * x) - 40 * sin (2 * G_PI * x);

  return low + (high - low) * bent / (N - 1);
}

/* The sample that lies there, by halving: to the last bit but a few. */
static double
find_sample (double place, double low, double high)
{
  double from = 0, to = N - 1;

  for (guint i = 0; i < 60; i++) {
    double middle = 0.5 * (from + to);

    if (get_place (middle, low, high) <= place)
      from = middle;
    else
      to = middle;
  }
  return 0.5 * (from + to);
}

static char *
write_places (const char *title, double low, double high, gboolean turned,
    const char *line_end)
{
  g_autoptr (GString) text = g_string_new (title);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < N; i++) {
    double place = get_place (turned ? N - 1 - i : i, low, high);

    g_string_append_printf (
        text, "%s%s", g_ascii_dtostr (number, sizeof number, place), line_end);
  }
  return g_strdup (oct_test_write ("places", text->str, text->len));
}

/* The axis rises over the samples, or falls; a sample more is the next one. */
static void
test_inverse (void)
{
  for (guint turned = 0; turned < 2; turned++) {
    g_autofree char *file =
        write_places ("k_position\n", 0, N - 1, turned, "\n");
    g_autoptr (OctCalibration) c =
        oct_test_calibration ((OctCalibrationSettings){ .file = file }, N);
    const double *positions = oct_calibration_get_positions (c);
    const double *nodes = oct_calibration_get_nodes (c);

    for (guint j = 0; j < N; j++) {
      double sample = find_sample (j, 0, N - 1);
      double expected = turned ? N - 1 - sample : sample;

      g_assert_cmpfloat_with_epsilon (positions[j], expected, 1e-9);
      g_assert_cmpfloat_with_epsilon (
          nodes[j], get_place (turned ? N - 1 - j : j, 0, N - 1), 1e-12);
    }
    g_assert_false (oct_calibration_get_k_range (c, NULL, NULL));
  }
}

/* Wavenumbers that no sample sees lie on the straight line through the two
 * samples at the end. */
static void
test_ends (void)
{
  const double low = 20, high = N - 1 - 30;
  g_autofree char *file = write_places ("k_position\n", low, high, FALSE, "\n");
  g_autoptr (OctCalibration) c = oct_test_calibration (
      (OctCalibrationSettings){
          .file = file, .wavelength_min = 790, .wavelength_max = 900 },
      N);
  const double *positions = oct_calibration_get_positions (c);
  double k_min, k_max;

  for (guint j = 0; j < N; j++) {
    double expected = find_sample (j, low, high);

    if (j < low)
      expected = (j - low) / (get_place (1, low, high) - low);
    else if (j > high)
      expected = N - 1 + (j - high) / (high - get_place (N - 2, low, high));
    g_assert_cmpfloat_with_epsilon (positions[j], expected, 1e-8);
  }
  /* the ends of the axis, beside it */
  g_assert_true (oct_calibration_get_k_range (c, &k_min, &k_max));
  g_assert_cmpfloat_with_epsilon (k_min, 2 * G_PI / 0.9, 1e-12);
  g_assert_cmpfloat_with_epsilon (k_max, 2 * G_PI / 0.79, 1e-12);
}

/* Fewer samples than a polynomial of third order has. */
static void
test_few (void)
{
  g_autoptr (OctCalibration) two = oct_test_calibration (
      oct_test_calibration_file ("k_position\n0\n1\n"), 2);
  g_autoptr (OctCalibration) three = oct_test_calibration (
      oct_test_calibration_file ("k_position\n2\n0.75\n0\n"), 3);

  g_assert_cmpfloat (oct_calibration_get_positions (two)[1], ==, 1);
  g_assert_cmpfloat (oct_calibration_get_positions (three)[0], ==, 2);
  g_assert_cmpfloat (oct_calibration_get_positions (three)[2], ==, 0);
  /* the parabola through (0, 2), (0.75, 1), (2, 0) at 1 */
  g_assert_cmpfloat_with_epsilon (
      oct_calibration_get_positions (three)[1], 11 / 15., 1e-12);
}

/* Thorlabs counts from the shortest wavelength, thus from the largest
 * wavenumber: uniform wavenumber j is where the chirp is N - 1 - j. */
static void
test_chirp (void)
{
  static const char *const ends[] = { "\n", "\r\n", " \r\n" };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    g_autofree char *file = write_places ("", 0, N - 1, FALSE, ends[i]);
    OctCalibrationSettings settings = { .file = file };
    g_autoptr (OctCalibration) c = oct_test_calibration (settings, N);
    const double *positions = oct_calibration_get_positions (c);
    GError *error = NULL;

    g_assert_cmpuint (oct_calibration_settings_count_rows (&settings), ==, N);
    for (guint j = 0; j < N; j++)
      g_assert_cmpfloat_with_epsilon (
          positions[j], find_sample (N - 1 - j, 0, N - 1), 1e-9);
    error = oct_test_refused_calibration (settings, N / 2);
    oct_test_assert_error (&error, OCT_ERROR_FORMAT,
        "has 2048 rows, but the spectra have 1024 samples", NULL);
  }
}

static void
test_refused (void)
{
  static const struct {
    const char *text, *found, *advice;
  } cases[] = {
    { "k_position\n0\n2\n1\n3\n",
        "line 4: k_position is 1 after 2, but the values have to rise",
        "correct this value" },
    { "k_position\n0\n1\n1\n3\n", "line 4: k_position is 1 after 1", "rise" },
    { "k_position\n0\n1\n2\n9\n", "line 5: k_position is 9, but -0.2 to 3.2",
        "positions in samples" },
    { "k_position\n1\n1.1\n1.2\n1.3\n", "k_position runs from 1 to 1.3",
        "positions in samples" },
    { "k_index,k_position\n0,0\n1,1\n2,2\n3,3\n",
        "columns k_index and k_position", "remove one" },
    /* of wavelengths, and of a chirp in percent */
    { "800\n810\n820\n830\n", "line 1: a number (800) stands where",
        "k_position" },
    { "0\n30\n60\n100\n", "line 1: a number (0) stands where", "k_position" },
    { "0\n1\nx\n3\n", "line 1: a number (0) stands where", "k_position" },
    { "0\n2\n1\n3\n", "k_position is 2 after 1", "correct this value" },
  };
  OctCalibrationSettings both;
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    error = oct_test_refused_calibration (
        oct_test_calibration_file (cases[i].text), 4);
    oct_test_assert_error (
        &error, OCT_ERROR_FORMAT, cases[i].found, cases[i].advice, NULL);
  }
  both = oct_test_calibration_file ("k_position\n0\n1\n2\n3\n");
  both.k_polynomial = "0,3";
  error = oct_test_refused_calibration (both, 4);
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS,
      "has a column k_position, but `k-polynomial` is set too", NULL);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/k-position/inverse", test_inverse);
  g_test_add_func ("/k-position/ends", test_ends);
  g_test_add_func ("/k-position/few", test_few);
  g_test_add_func ("/k-position/chirp", test_chirp);
  g_test_add_func ("/k-position/refused", test_refused);
  result = g_test_run ();
  oct_test_clean ();
  return result;
}
