/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations from wavelengths, k maps, polynomials and files against the
 * reference.  Refused ones: test-calibration-errors.c. */
#include "oct-calibration-text.h"

#include "oct-reference.h"
#include "oct-test-calibration.h"
#include "oct-test.h"

#include <locale.h>

#define N 16

/* Input of calibrations, from make_columns(): wavelengths that rise, and fall;
 * phases; positions inside the samples, and beyond both ends. */
static double wavelength_up[N], wavelength_down[N], dispersion_at_pixels[N];
static double k_index_up[N], k_index_down[N], polynomial_s[N];
/* 800 to 900 nm, and the phase of a2 = 60 um^2, a3 = 7 um^3 there */
static OctReferenceCalibration *linear;
static double linear_phase[N];

static void
make_columns (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  double even[N];

  for (guint n = 0; n < N; n++) {
    double x = n / (N - 1.);
    wavelength_up[n] = 790 + 95 * x + 6 * x * x - 3 * x * x * x;
    wavelength_down[N - 1 - n] = wavelength_up[n] + 0.25;
    dispersion_at_pixels[n] = 5 * sin (3 * x) + x * x;
    k_index_up[n] = 0.5 + (N - 2.25) * (x + 0.2 * x * (1 - x))
                    + 0.05 * g_rand_double (random);
    k_index_down[n] = N - 0.4 - (N + 0.1) * (x - 0.3 * x * (1 - x));
    polynomial_s[n] = 14.5 - 12 * x - 3.25 * x * x + 1.5 * x * x * x;
    even[n] = 800 + 100 * x;
  }
  linear = oct_reference_calibration_new (N, even, NULL, NULL, NULL);
  oct_reference_calibration_phase (linear, FALSE, 60, 7, linear_phase);
}

/* The order of the arguments of oct_calibration_new_from_arrays(). */
enum { NM, K_INDEX, DISPERSION, BACKGROUND, N_COLUMNS };

static const char *const names[N_COLUMNS] = { "wavelength_nm", "k_index",
  "dispersion_rad", "background" };

/* A file of the columns given, in the order of `names` or the other one. */
static char *
write_columns (const double *const *columns, guint n, gboolean backwards)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint row = 0; row <= n; row++) {
    const char *comma = "";

    for (guint i = 0; i < N_COLUMNS; i++) {
      guint column = backwards ? N_COLUMNS - 1 - i : i;

      if (!columns[column])
        continue;
      g_string_append_printf (text, "%s%s", comma,
          row == 0 ? names[column]
                   : g_ascii_dtostr (
                       number, sizeof number, columns[column][row - 1]));
      comma = ",";
    }
    g_string_append_c (text, '\n');
  }
  return g_strdup (oct_test_write ("columns.csv", text->str, text->len));
}

static void
test_wavelengths (void)
{
  const double *const cases[] = { wavelength_up, wavelength_down };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const double *nm = cases[i / 2];
    const double *columns[N_COLUMNS] = { nm, NULL, dispersion_at_pixels,
      wavelength_up };
    g_autofree char *file = write_columns (columns, N, i % 2);
    g_autoptr (OctReferenceCalibration) expected =
        oct_reference_calibration_new (
            N, nm, NULL, dispersion_at_pixels, wavelength_up);
    g_autoptr (OctCalibration) c =
        oct_test_calibration ((OctCalibrationSettings){ .file = file }, N);
    /* z = pi / P, P = (k_max - k_min) N / (N - 1) rad/um */
    double z_spacing =
        1e-6 * G_PI / ((expected->k_max - expected->k_min) * N / (N - 1.));
    double k_min, k_max, z;

    oct_test_assert_close (
        oct_calibration_get_positions (c), expected->positions, N, 1e-11);
    oct_test_assert_close (
        oct_calibration_get_nodes (c), expected->nodes, N, 1e-11);
    oct_test_assert_close (
        oct_calibration_get_dispersion (c), expected->phase, N, 1e-11);
    oct_test_assert_close (
        oct_calibration_get_background (c), wavelength_up, N, 0);
    g_assert_true (oct_calibration_get_k_range (c, &k_min, &k_max));
    oct_test_assert_close (&k_min, &expected->k_min, 1, 1e-13);
    oct_test_assert_close (&k_max, &expected->k_max, 1, 1e-13);
    z = oct_calibration_get_z_spacing (c, N);
    oct_test_assert_close (&z, &z_spacing, 1, 1e-18);
    g_assert_cmpfloat_with_epsilon (
        oct_calibration_get_z_spacing (c, 2 * N), z / 2, 1e-18);
    g_assert_cmpfloat (oct_calibration_get_z_spacing (c, 0), ==, 0);
  }
}

static void
test_k_index (void)
{
  const double *const cases[] = { k_index_up, k_index_down };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const double *s = cases[i / 2];
    const double *columns[N_COLUMNS] = { NULL, s, dispersion_at_pixels, NULL };
    g_autofree char *file = write_columns (columns, N, i % 2);
    g_autoptr (OctReferenceCalibration) expected =
        oct_reference_calibration_new (N, NULL, s, dispersion_at_pixels, NULL);
    g_autoptr (OctCalibration) c =
        oct_test_calibration ((OctCalibrationSettings){ .file = file }, N);

    oct_test_assert_close (oct_calibration_get_positions (c), s, N, 0);
    oct_test_assert_close (
        oct_calibration_get_nodes (c), expected->nodes, N, 1e-11);
    oct_test_assert_close (
        oct_calibration_get_dispersion (c), dispersion_at_pixels, N, 0);
    g_assert_null (oct_calibration_get_background (c));
    g_assert_false (oct_calibration_get_k_range (c, NULL, NULL));
    g_assert_cmpfloat (oct_calibration_get_z_spacing (c, N), ==, 0);
  }
}

static void
test_linear_wavelengths (void)
{
  g_autoptr (OctCalibration) c = oct_test_calibration (
      (OctCalibrationSettings){
          .wavelength_min = 800, .wavelength_max = 900, .a2 = 60, .a3 = 7 },
      N);

  oct_test_assert_close (
      oct_calibration_get_positions (c), linear->positions, N, 1e-11);
  oct_test_assert_close (
      oct_calibration_get_nodes (c), linear->nodes, N, 1e-11);
  oct_test_assert_close (
      oct_calibration_get_dispersion (c), linear_phase, N, 1e-11);
}

/* The coefficients of the properties come on top of the phases of a file. */
static void
test_dispersion_adds (void)
{
  const double *columns[N_COLUMNS] = { NULL, NULL, dispersion_at_pixels, NULL };
  g_autofree char *file = write_columns (columns, N, FALSE);
  OctCalibrationSettings settings = {
    .file = file, .wavelength_min = 800, .wavelength_max = 900
  };
  g_autoptr (OctCalibration) without = oct_test_calibration (settings, N);
  g_autoptr (OctCalibration) with = NULL;
  double expected[N], phase[N];

  settings.a2 = 60;
  settings.a3 = 7;
  with = oct_test_calibration (settings, N);
  for (guint i = 0; i < N; i++)
    expected[i] = oct_calibration_get_dispersion (without)[i] + linear_phase[i];
  oct_test_assert_close (
      oct_calibration_get_dispersion (with), expected, N, 1e-11);
  g_assert_true (
      oct_calibration_fill_phase (without, FALSE, 60, 7, phase, NULL));
  oct_test_assert_close (phase, expected, N, 1e-11);
}

/* At the samples: phases given per pixel as they are, to the last bit, and the
 * polynomial at their own wavenumbers, whether it is asked for or part of the
 * calibration; and without wavelengths there is no such place. */
static void
test_phase_at_samples (void)
{
  const double *columns[N_COLUMNS] = { NULL, NULL, dispersion_at_pixels, NULL };
  g_autofree char *file = write_columns (columns, N, FALSE);
  OctCalibrationSettings settings = { .file = file,
    .wavelength_min = 800,
    .wavelength_max = 900 },
                         added = { .a2 = 60, .a3 = 7 };
  g_autoptr (OctCalibration) c = oct_test_calibration (settings, N);
  g_autoptr (OctCalibration) on = oct_calibration_new_on (c, &added, N, NULL);
  g_autoptr (OctCalibration) with = NULL;
  g_autoptr (OctCalibration) bare = oct_calibration_new_from_arrays (
      N, NULL, NULL, dispersion_at_pixels, NULL, NULL);
  g_autoptr (GError) error = NULL;
  double low = 2e3 * G_PI / 900, high = 2e3 * G_PI / 800;
  double expected[N], phase[N];

  settings.a2 = 60;
  settings.a3 = 7;
  with = oct_test_calibration (settings, N);
  for (guint n = 0; n < N; n++) {
    double k = 2e3 * G_PI / (800 + 100. * n / (N - 1)) - (low + high) / 2;
    expected[n] = dispersion_at_pixels[n] - (60 * k * k + 7 * k * k * k);
  }
  g_assert_true (oct_calibration_fill_phase (c, TRUE, 0, 0, phase, NULL));
  oct_test_assert_close (phase, dispersion_at_pixels, N, 0);
  oct_test_assert_close (
      oct_calibration_get_sample_dispersion (c), dispersion_at_pixels, N, 0);
  g_assert_true (oct_calibration_fill_phase (c, TRUE, 60, 7, phase, NULL));
  oct_test_assert_close (phase, expected, N, 1e-11);
  g_assert_true (oct_calibration_fill_phase (with, TRUE, 0, 0, phase, NULL));
  oct_test_assert_close (phase, expected, N, 1e-11);
  g_assert_true (oct_calibration_fill_phase (on, TRUE, 0, 0, phase, NULL));
  oct_test_assert_close (phase, expected, N, 1e-11);
  g_assert_true (oct_calibration_equal (on, with));
  g_assert_false (oct_calibration_fill_phase (bare, TRUE, 0, 0, phase, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
}

/* Phases given per uniform wavenumber are linear between them; and a
 * polynomial alone is not. */
static void
test_phase_between_wavenumbers (void)
{
  g_autoptr (OctCalibration) c = oct_calibration_new_from_arrays (
      N, NULL, k_index_up, dispersion_at_pixels, NULL, NULL);
  g_autoptr (OctCalibration) polynomial = oct_test_calibration (
      (OctCalibrationSettings){
          .wavelength_min = 800, .wavelength_max = 900, .a2 = 60, .a3 = 7 },
      N);
  g_autoptr (OctReferenceCalibration) reference =
      oct_reference_calibration_new (
          N, NULL, k_index_up, dispersion_at_pixels, NULL);
  double low = 2e3 * G_PI / 900, high = 2e3 * G_PI / 800;
  double expected[N], phase[N];

  oct_reference_calibration_phase (reference, TRUE, 0, 0, expected);
  g_assert_null (oct_calibration_get_sample_dispersion (c));
  g_assert_true (oct_calibration_fill_phase (c, TRUE, 0, 0, phase, NULL));
  oct_test_assert_close (phase, expected, N, 1e-10);
  g_assert_true (oct_calibration_fill_phase (c, FALSE, 0, 0, phase, NULL));
  oct_test_assert_close (phase, dispersion_at_pixels, N, 0);
  for (guint n = 0; n < N; n++) {
    double k = 2e3 * G_PI / (800 + 100. * n / (N - 1)) - (low + high) / 2;
    expected[n] = -(60 * k * k + 7 * k * k * k);
  }
  g_assert_true (
      oct_calibration_fill_phase (polynomial, TRUE, 0, 0, phase, NULL));
  oct_test_assert_close (phase, expected, N, 1e-11);
}

/* Calibrations whose phases differ at the samples alone are not the same. */
static void
test_equal (void)
{
  static const double nm[4] = { 800, 801, 802, 803 };
  static const double phases[2][4] = { { 1, 2, 3, 4 }, { 1, 2.5, 3, 4 } };
  g_autoptr (OctCalibration) a =
      oct_calibration_new_from_arrays (4, nm, NULL, phases[0], NULL, NULL);
  OctCalibration *others[3];
  double k_min, k_max;

  g_assert_true (oct_calibration_get_k_range (a, &k_min, &k_max));
  for (guint i = 0; i < 3; i++)
    others[i] =
        oct_calibration_new_from_values (4, oct_calibration_get_positions (a),
            oct_calibration_get_nodes (a), oct_calibration_get_dispersion (a),
            i == 2 ? NULL : phases[i], NULL, k_min, k_max, NULL);
  g_assert_true (oct_calibration_equal (a, others[0]));
  g_assert_false (oct_calibration_equal (a, others[1]));
  g_assert_false (oct_calibration_equal (a, others[2]));
  for (guint i = 0; i < 3; i++)
    oct_calibration_unref (others[i]);
}

static void
test_polynomial (void)
{
  OctCalibrationSettings settings = { .k_polynomial = "14.5,-12, -3.25,1.5" };
  g_autoptr (OctCalibration) c = oct_test_calibration (settings, N);
  g_autoptr (OctCalibration) scaled = NULL;
  g_autoptr (OctReferenceCalibration) expected =
      oct_reference_calibration_new (N, NULL, polynomial_s, NULL, NULL);
  g_autoptr (GError) error = NULL;
  double k_min, k_max, phase[N];

  oct_test_assert_close (
      oct_calibration_get_positions (c), polynomial_s, N, 1e-12);
  oct_test_assert_close (
      oct_calibration_get_nodes (c), expected->nodes, N, 1e-11);
  g_assert_null (oct_calibration_get_dispersion (c));
  g_assert_false (oct_calibration_fill_phase (c, FALSE, 1, 0, phase, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);

  /* wavelengths beside it are the ends of the axis and leave it as it is */
  settings.wavelength_min = 800;
  settings.wavelength_max = 900;
  settings.a2 = 60;
  settings.a3 = 7;
  scaled = oct_test_calibration (settings, N);
  oct_test_assert_close (
      oct_calibration_get_positions (scaled), polynomial_s, N, 1e-12);
  oct_test_assert_close (
      oct_calibration_get_dispersion (scaled), linear_phase, N, 1e-11);
  g_assert_true (oct_calibration_get_k_range (scaled, &k_min, &k_max));
  g_assert_cmpfloat_with_epsilon (k_min, 2 * G_PI / 0.9, 1e-12);
  g_assert_cmpfloat_with_epsilon (k_max, 2 * G_PI / 0.8, 1e-12);
}

/* a2 and a3 alone add to a calibration that is there; anything else replaces
 * it. */
static void
test_on_another (void)
{
  static const double nm[5] = { 800, 810, 820, 830, 840 };
  static const double phase[5] = { 1, -2, 3, 0.5, 4 };
  g_autoptr (GError) error = NULL;
  g_autoptr (OctCalibration) base =
      oct_calibration_new_from_arrays (5, nm, NULL, phase, nm, &error);
  g_autoptr (OctCalibration) sum = NULL, other = NULL, none = NULL;
  OctCalibrationSettings settings = { .a2 = 60, .a3 = 7 };
  double k_min, k_max;

  g_assert_no_error (error);
  sum = oct_calibration_new_on (base, &settings, 5, &error);
  g_assert_no_error (error);
  g_assert_true (oct_calibration_get_k_range (base, &k_min, &k_max));
  for (guint j = 0; j < 5; j++) {
    double k = (k_max - k_min) * (j / 4.0 - 0.5);
    double expected =
        oct_calibration_get_dispersion (base)[j] - (60 * k * k + 7 * k * k * k);

    g_assert_cmpfloat_with_epsilon (
        oct_calibration_get_dispersion (sum)[j], expected, 1e-12);
  }
  oct_test_assert_close (oct_calibration_get_positions (sum),
      oct_calibration_get_positions (base), 5, 0);
  oct_test_assert_close (oct_calibration_get_background (sum), nm, 5, 0);

  settings.wavelength_min = 700;
  settings.wavelength_max = 900;
  other = oct_calibration_new_on (base, &settings, 5, &error);
  g_assert_no_error (error);
  g_assert_null (oct_calibration_get_background (other));
  settings.wavelength_min = settings.wavelength_max = 0;
  none = oct_calibration_new_on (base, &settings, 6, &error);
  g_assert_null (none);
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
}

/* k_index rules where to read, the wavelengths there the scale. */
/* As the columns of a file with the same wavelengths, rising or falling. */
static void
test_wavelength_polynomial (void)
{
  static const char *const texts[] = { "790,6.5,-0.02,0.0004",
    "895,-6.5,0.02,-0.0004", "800.5,1.25,0,0,0,0,0,1e-6" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (OctCalibration) c = oct_test_calibration (
        (OctCalibrationSettings){ .wavelength_polynomial = (char *)texts[i] },
        N);
    g_autoptr (OctReferenceCalibration) expected = NULL;
    double nm[N], k_min, k_max;

    for (guint p = 0; p < N; p++)
      nm[p] = i == 0   ? 790 + 6.5 * p - 0.02 * p * p + 0.0004 * pow (p, 3)
              : i == 1 ? 895 - 6.5 * p + 0.02 * p * p - 0.0004 * pow (p, 3)
                       : 800.5 + 1.25 * p + 1e-6 * pow (p, 7);
    expected = oct_reference_calibration_new (N, nm, NULL, NULL, NULL);
    oct_test_assert_close (
        oct_calibration_get_positions (c), expected->positions, N, 1e-10);
    oct_test_assert_close (
        oct_calibration_get_nodes (c), expected->nodes, N, 1e-10);
    g_assert_true (oct_calibration_get_k_range (c, &k_min, &k_max));
    oct_test_assert_close (&k_min, &expected->k_min, 1, 1e-12);
    oct_test_assert_close (&k_max, &expected->k_max, 1, 1e-12);
  }
}

static void
turn (const double *values, double *turned)
{
  for (guint i = 0; i < N; i++)
    turned[i] = values[N - 1 - i];
}

/* Whatever it is given by, it is that of a camera the other way round. */
static void
test_flip (void)
{
  double nm[N], phase[N], background[N], positions[N];
  const double *columns[N_COLUMNS] = { wavelength_up, NULL,
    dispersion_at_pixels, wavelength_down };
  g_autofree char *file = write_columns (columns, N, FALSE);
  g_autoptr (OctReferenceCalibration) expected = NULL;
  g_autoptr (OctReferenceCalibration) k_expected = NULL;
  g_autoptr (OctCalibration) c = oct_test_calibration (
      (OctCalibrationSettings){ .file = file, .flip = TRUE }, N);
  g_autoptr (OctCalibration) base =
      oct_test_calibration ((OctCalibrationSettings){ .file = file }, N);
  g_autoptr (OctCalibration) on = oct_calibration_new_on (
      base, &(OctCalibrationSettings){ .flip = TRUE }, N, NULL);
  g_autoptr (OctCalibration) k = oct_test_calibration (
      (OctCalibrationSettings){
          .k_polynomial = "14.5,-12,-3.25,1.5", .flip = TRUE },
      N);

  turn (wavelength_up, nm);
  turn (dispersion_at_pixels, phase);
  turn (wavelength_down, background);
  expected = oct_reference_calibration_new (N, nm, NULL, phase, background);
  oct_test_assert_close (
      oct_calibration_get_positions (c), expected->positions, N, 1e-10);
  oct_test_assert_close (
      oct_calibration_get_nodes (c), expected->nodes, N, 1e-10);
  oct_test_assert_close (
      oct_calibration_get_dispersion (c), expected->phase, N, 1e-10);
  oct_test_assert_close (
      oct_calibration_get_sample_dispersion (c), phase, N, 0);
  oct_test_assert_close (oct_calibration_get_background (c), background, N, 0);
  g_assert_true (oct_calibration_equal (c, on));

  for (guint i = 0; i < N; i++)
    positions[i] = N - 1 - polynomial_s[i];
  k_expected = oct_reference_calibration_new (N, NULL, positions, NULL, NULL);
  oct_test_assert_close (
      oct_calibration_get_positions (k), positions, N, 1e-12);
  oct_test_assert_close (
      oct_calibration_get_nodes (k), k_expected->nodes, N, 1e-10);
}

/* A straight map read elsewhere: positions of which every one is known. */
static void
test_k_warp (void)
{
  OctCalibrationSettings settings = { .k_polynomial = "0,15",
    .wavelength_min = 800,
    .wavelength_max = 900,
    .k_warp = "-0.01,0.02,0.05,-0.03" };
  double positions[N], k_min, k_max, phase[N];
  g_autoptr (OctReferenceCalibration) expected = NULL;
  g_autoptr (OctCalibration) c = oct_test_calibration (settings, N),
                             base = NULL, on = NULL;

  for (guint j = 0; j < N; j++) {
    double x = 2.0 * j / (N - 1) - 1;
    double at = x - 0.01 + 0.02 * x + 0.05 * x * x - 0.03 * x * x * x;

    positions[j] = (at + 1) / 2 * (N - 1);
  }
  expected = oct_reference_calibration_new (N, NULL, positions, NULL, NULL);
  oct_test_assert_close (
      oct_calibration_get_positions (c), positions, N, 1e-12);
  oct_test_assert_close (
      oct_calibration_get_nodes (c), expected->nodes, N, 1e-10);
  g_assert_true (oct_calibration_get_k_range (c, &k_min, &k_max));
  g_assert_cmpfloat_with_epsilon (k_min, 2 * G_PI / 0.9, 1e-12);
  g_assert_cmpfloat_with_epsilon (k_max, 2 * G_PI / 0.8, 1e-12);

  /* alone on one from elsewhere; phases stay on the uniform axis */
  settings.k_warp = NULL;
  settings.a2 = 60;
  settings.a3 = 7;
  base = oct_test_calibration (settings, N);
  on = oct_calibration_new_on (base,
      &(OctCalibrationSettings){ .k_warp = "-0.01,0.02,0.05,-0.03" }, N, NULL);
  g_assert_nonnull (on);
  oct_test_assert_close (
      oct_calibration_get_positions (on), positions, N, 1e-12);
  oct_test_assert_close (
      oct_calibration_get_dispersion (on), linear_phase, N, 1e-11);
  g_assert_true (oct_calibration_fill_phase (on, TRUE, 0, 0, phase, NULL));
}

/* A written calibration is read back unchanged. */
static void
test_format (void)
{
  const double *columns[N_COLUMNS] = { wavelength_down, NULL,
    dispersion_at_pixels, wavelength_up };
  g_autofree char *file = write_columns (columns, N, FALSE);
  const OctCalibrationSettings cases[] = {
    { .file = file, .a2 = 60, .a3 = 7 },
    { .wavelength_min = 800, .wavelength_max = 900, .k_warp = "0,0,0.02" },
    { .k_polynomial = "14.5,-12,-3.25,1.5" },
    { .wavelength_polynomial = "800,5", .flip = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctCalibration) c = oct_test_calibration (cases[i], N);
    g_autofree char *text = oct_calibration_format (c, "for people");
    g_autoptr (OctCalibration) again =
        oct_test_calibration (oct_test_calibration_file (text), N);
    double k_min, k_max, k_min_again, k_max_again;

    g_assert_true (g_str_has_prefix (text, "# for people\n"));
    oct_test_assert_close (oct_calibration_get_positions (again),
        oct_calibration_get_positions (c), N, 0);
    if (oct_calibration_get_dispersion (c) != NULL)
      oct_test_assert_close (oct_calibration_get_dispersion (again),
          oct_calibration_get_dispersion (c), N, 0);
    if (oct_calibration_get_background (c) != NULL)
      oct_test_assert_close (oct_calibration_get_background (again),
          oct_calibration_get_background (c), N, 0);
    if (!oct_calibration_get_k_range (c, &k_min, &k_max)) {
      g_assert_false (oct_calibration_get_k_range (again, NULL, NULL));
      continue;
    }
    g_assert_true (
        oct_calibration_get_k_range (again, &k_min_again, &k_max_again));
    oct_test_assert_close (&k_min_again, &k_min, 1, 2e-4 * k_min);
    oct_test_assert_close (&k_max_again, &k_max, 1, 2e-4 * k_max);
  }
}

static void
test_both_columns (void)
{
  static const double nm[4] = { 800, 810, 820, 830 };
  static const double k_index[4] = { 2.5, 2, 1, 0.1 };
  static const double phase[4] = { 1, 2, 3, 4 };
  g_autoptr (GError) error = NULL;
  g_autoptr (OctCalibration) c =
      oct_calibration_new_from_arrays (4, nm, k_index, phase, NULL, &error);
  double k_min, k_max;

  g_assert_no_error (error);
  oct_test_assert_close (oct_calibration_get_positions (c), k_index, 4, 0);
  oct_test_assert_close (oct_calibration_get_dispersion (c), phase, 4, 0);
  g_assert_true (oct_calibration_get_k_range (c, &k_min, &k_max));
  g_assert_cmpfloat_with_epsilon (k_min, 2 * G_PI / 0.825, 1e-12);
  g_assert_cmpfloat_with_epsilon (k_max, 2 * G_PI / 0.801, 1e-12);
}

static void
test_both_columns_disagree (void)
{
  static const double nm[4] = { 800, 810, 820, 830 };
  static const double k_index[4] = { 0, 1, 2, 3 };
  GError *error = NULL;

  g_assert_null (
      oct_calibration_new_from_arrays (4, nm, k_index, NULL, NULL, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "800 nm to 830 nm",
      "reverse the order of k_index", NULL);
}

static void
test_parts (void)
{
  static const double background[2] = { 5, 6 };
  g_autoptr (GError) error = NULL;
  g_autoptr (OctCalibration) c =
      oct_calibration_new_from_arrays (2, NULL, NULL, NULL, background, &error);
  OctCalibration *same;

  g_assert_no_error (error);
  g_assert_null (oct_calibration_get_positions (c));
  g_assert_null (oct_calibration_get_nodes (c));
  g_assert_null (oct_calibration_get_dispersion (c));
  oct_test_assert_close (oct_calibration_get_background (c), background, 2, 0);
  g_assert_true (oct_calibration_get_background (c) != background);
  same = oct_calibration_ref (c);
  g_assert_true (same == c);
  oct_calibration_unref (same);
  oct_test_assert_close (oct_calibration_get_background (c), background, 2, 0);
}

static void
test_csv_spellings (void)
{
  static const char *const texts[] = {
    "background\n1\n-2.5\n3e2\n",
    "background\r\n1\r\n-2.5\r\n3e2",
    "background\r1\r-2.5\r3e2\r",
    ("\xef\xbb\xbf"
     "background\n1\n-2.5\n3e2\n"),
    "# a comment, with commas\n\n  background \n#\n 1\n\n\t-2.5 \n+3.0E+2\n \n",
    "\"background\"\n\"1\"\n\" -2.5\"\n300\n",
    "background,dispersion_rad\n1,0\n-2.5 ,0\n300, 0\n",
    "dispersion_rad,background\n0,1.\n0,-2.5\n0,300\n",
  };
  static const double expected[3] = { 1, -2.5, 300 };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (OctCalibration) c =
        oct_test_calibration (oct_test_calibration_file (texts[i]), 3);

    oct_test_assert_close (oct_calibration_get_background (c), expected, 3, 0);
  }
}

/* With a comma as the decimal point, numbers are read as ever. */
static void
test_locale (void)
{
  static const char *const locales[] = { "de_DE.UTF-8", "de_DE.utf8",
    "fr_FR.UTF-8" };
  g_autofree char *before = g_strdup (setlocale (LC_ALL, NULL));
  g_autoptr (OctCalibration) c = NULL;
  static const double expected[2] = { 1.5, 2.5 };
  gboolean set = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (locales) && !set; i++)
    set = setlocale (LC_ALL, locales[i]) != NULL;
  c = oct_test_calibration (
      oct_test_calibration_file ("background\n1.5\n2.5\n"), 2);
  setlocale (LC_ALL, before);
  oct_test_assert_close (oct_calibration_get_background (c), expected, 2, 0);
  if (!set)
    g_test_skip ("no locale with a decimal comma is installed");
}

static void
test_settings_struct (void)
{
  OctCalibrationSettings settings = { .file = g_strdup ("x"),
    .k_polynomial = g_strdup ("1"),
    .wavelength_polynomial = g_strdup ("2"),
    .k_warp = g_strdup ("3"),
    .background = g_strdup ("4,5"),
    .flip = TRUE,
    .a3 = 1 };
  OctCalibrationSettings copy;

  oct_calibration_settings_copy (&copy, &settings);
  g_assert_true (oct_calibration_settings_equal (&copy, &settings));
  g_assert_false (oct_calibration_settings_change_only (&copy));
  copy.flip = FALSE;
  g_assert_false (oct_calibration_settings_equal (&copy, &settings));
  copy.flip = TRUE;
  g_free (copy.background);
  copy.background = NULL;
  g_assert_false (oct_calibration_settings_equal (&copy, &settings));
  oct_calibration_settings_clear (&copy);
  g_assert_false (oct_calibration_settings_empty (&settings));
  oct_calibration_settings_clear (&settings);
  g_assert_true (oct_calibration_settings_empty (&settings));
  settings.a2 = 1;
  g_assert_false (oct_calibration_settings_empty (&settings));
  settings = (OctCalibrationSettings){ .c3 = 1 };
  g_assert_false (oct_calibration_settings_empty (&settings));
  settings = (OctCalibrationSettings){ .background = "1,2" };
  g_assert_true (oct_calibration_settings_change_only (&settings));
  g_assert_false (oct_calibration_settings_empty (&settings));
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  make_columns ();
#define ADD(path, function) g_test_add_func ("/calibration/" path, function)
  ADD ("on-another", test_on_another);
  ADD ("wavelengths", test_wavelengths);
  ADD ("k-index", test_k_index);
  ADD ("linear-wavelengths", test_linear_wavelengths);
  ADD ("dispersion-adds", test_dispersion_adds);
  ADD ("phase-at-samples", test_phase_at_samples);
  ADD ("phase-between-wavenumbers", test_phase_between_wavenumbers);
  ADD ("equal", test_equal);
  ADD ("polynomial", test_polynomial);
  ADD ("wavelength-polynomial", test_wavelength_polynomial);
  ADD ("flip", test_flip);
  ADD ("k-warp", test_k_warp);
  ADD ("format", test_format);
  ADD ("both-columns", test_both_columns);
  ADD ("both-columns-disagree", test_both_columns_disagree);
  ADD ("parts", test_parts);
  ADD ("csv-spellings", test_csv_spellings);
  ADD ("locale", test_locale);
  ADD ("settings-struct", test_settings_struct);
  result = g_test_run ();
  oct_reference_calibration_free (linear);
  oct_test_clean ();
  return result;
}
