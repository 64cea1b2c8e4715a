/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations that are refused: the sentence says where, what was found, what
 * was expected and what to set. */
#include "oct-calibration.h"

#include "oct-test-calibration.h"
#include "oct-test.h"

static void
test_file_errors (void)
{
  static const struct {
    const char *text, *found, *advice;
  } cases[] = {
    { "", "has no content", "one row per sample" },
    { "\n# only a comment\n", "has no content", "wavelength_nm" },
    { "wavelength\n1\n2\n", "line 1: the column 'wavelength' is not known",
        "known are wavelength_nm, k_index, k_position, dispersion_rad and "
        "background" },
    { "background,\n1,\n2,\n", "the column '' is not known", "known are" },
    { "k_index,background,k_index\n1,1,1\n", "k_index stands there twice",
        "remove one" },
    { "800.5,1\n801,2\n", "line 1: a number (800.5)", "line of names" },
    { "wavelength_nm;background\n800,5;1\n", "semicolons", "commas" },
    { "wavelength_nm\tbackground\n800\t1\n", "tabs", "commas" },
    { "background\n1\n", "has 1 rows, but the spectra have 2 samples",
        "(or set `samples` of octsrc)" },
    { "background\n1\n2\n3\n", "has 3 rows, but the spectra have 2 samples",
        "give a calibration with one row per sample" },
    { "background\n", "has 0 rows", "one row per sample" },
    { "background\n1\n\n2,3\n", "line 4 has 2 values", "names 1 columns" },
    { "k_index,background\n1\n", "line 2 has 1 values", "names 2 columns" },
    { "background\n1\nx\n", "line 3: 'x' in column background",
        "decimal point" },
    { "background\n1\nnan\n", "'nan'", "finite" },
    { "background\n1\n-inf\n", "'-inf'", "finite" },
    { "background\n1\n1e999\n", "'1e999'", "finite" },
    { "background\n1\n0x10\n", "'0x10'", "not a number" },
    { "background\n1\n1.5e\n", "'1.5e'", "not a number" },
    { "background\n1\n1 2\n", "'1 2'", "not a number" },
    { "background,k_index\n1,0\n,1\n", "line 3: ''", "not a number" },
    { "background\n1\n\xff\xfe\n",
        "'?"
        "?'",
        "not a number" },
    { "background\n1\n1e300\n", "line 3: background is 1e+300", "counts" },
    { "dispersion_rad\n1\n1e12\n", "dispersion_rad is 1e+12", "radians" },
    { "wavelength_nm\n0.84\n0.85\n", "line 2: wavelength_nm is 0.84",
        "nanometres" },
    { "wavelength_nm\n-840\n850\n", "wavelength_nm is -840", "nanometres" },
    { "wavelength_nm\n840\n840\n", "line 3: wavelength_nm is 840 after 840",
        "rise" },
    { "k_index\n1\n1\n", "k_index is 1 after 1", "rise" },
    { "k_index\n0\n3\n", "line 3: k_index is 3, but -0.1 to 1.1 is",
        "positions in samples" },
    { "k_index\n0.5\n0.51\n", "from 0.5 to 0.51", "positions in samples" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = oct_test_refused_calibration (
        oct_test_calibration_file (cases[i].text), 2);

    oct_test_assert_error (&error, OCT_ERROR_FORMAT, "Calibration file '",
        "x.csv'", cases[i].found, cases[i].advice, NULL);
  }
}

static void
test_turning_values (void)
{
  static const char text[] = "# spectrometer 3\nwavelength_nm\n830\n820\n820.5"
                             "\n800\n";
  GError *error =
      oct_test_refused_calibration (oct_test_calibration_file (text), 4);

  oct_test_assert_error (&error, OCT_ERROR_FORMAT,
      "line 5: wavelength_nm is 820.5 after 820", "fall", NULL);
}

static void
test_no_text_file (void)
{
  g_autofree char *folder = g_path_get_dirname (oct_test_path ("x"));
  OctCalibrationSettings settings = { .file = folder };
  GError *error;

  error = oct_test_refused_calibration (settings, 2);
  oct_test_assert_error (&error, OCT_ERROR_READ, "is a folder", NULL);
  settings.file = (char *)oct_test_path ("missing.csv");
  error = oct_test_refused_calibration (settings, 2);
  oct_test_assert_error (&error, OCT_ERROR_NOT_FOUND, "Calibration file '",
      "missing.csv' does not exist", NULL);
  settings.file = (char *)oct_test_write ("binary.csv", "background\n1\0", 13);
  error = oct_test_refused_calibration (settings, 2);
  oct_test_assert_error (
      &error, OCT_ERROR_FORMAT, "binary.csv'", "not plain text", NULL);
}

static void
test_large_file (void)
{
  OctCalibrationSettings settings;
  g_autofree char *path = g_strdup (oct_test_write ("large.csv", "", 0));
  FILE *file = g_fopen (path, "wb");
  GError *error;

  g_assert_cmpint (fseek (file, 64 << 20, SEEK_SET), ==, 0);
  fputc ('1', file);
  fclose (file);
  settings = (OctCalibrationSettings){ .file = path };
  error = oct_test_refused_calibration (settings, 2);
  oct_test_assert_error (
      &error, OCT_ERROR_FORMAT, "67108865 bytes", "at most 67108864", NULL);
}

static void
test_settings_errors (void)
{
  static const struct {
    OctCalibrationSettings settings;
    const char *found, *advice;
  } cases[] = {
    { { 0 }, "No calibration is given", "`k-polynomial`" },
    { { .file = "", .k_polynomial = "" }, "No calibration", "CSV" },
    { { .wavelength_min = 800 }, "`wavelength-max` is not set", "set both" },
    { { .wavelength_max = 800 }, "`wavelength-min` is not set", "set both" },
    { { .wavelength_min = 900, .wavelength_max = 800 }, "is 900 nm", "`flip`" },
    { { .wavelength_polynomial = "800,x" }, "`wavelength-polynomial`: 'x'",
        "give coefficients" },
    { { .wavelength_polynomial = "800,10,-1" }, "wavelength_nm", "fall" },
    { { .wavelength_polynomial = "0.8,0.01" }, "wavelength_nm is 0.8",
        "nanometres" },
    { { .wavelength_polynomial = "800,1e400" }, "'1e400' is not a number",
        "give coefficients" },
    { { .wavelength_polynomial = "800,1",
          .wavelength_min = 800,
          .wavelength_max = 900 },
        "are set too", "remove one" },
    { { .flip = TRUE }, "`flip` is set", "give them" },
    { { .k_warp = "0,0,0.1", .a2 = 3 }, "`k-warp` is set", "give them" },
    { { .k_warp = "0,0,oops", .k_polynomial = "0,15" }, "'oops'",
        "give coefficients" },
    { { .k_warp = "2", .k_polynomial = "0,15" }, "the shift is 2",
        "a smaller one" },
    { { .k_warp = "0,0,0.9", .k_polynomial = "0,15" }, "`k-warp`", "samples" },
    { { .k_warp = "0,-1", .k_polynomial = "0,15" }, "`k-warp`", "rise" },
    { { .wavelength_min = 800, .wavelength_max = 800 }, "min < max",
        "nanometres" },
    { { .wavelength_min = -800, .wavelength_max = 800 }, "is -800 nm",
        "nanometres" },
    { { .wavelength_min = 0.8, .wavelength_max = 0.9 }, "is 0.8 nm",
        "nanometres" },
    { { .wavelength_min = 800, .wavelength_max = NAN }, "nan nm",
        "nanometres" },
    { { .wavelength_min = 800, .wavelength_max = INFINITY }, "inf nm",
        "nanometres" },
    { { .wavelength_min = 800, .wavelength_max = 800.0000000001 }, "sample 1",
        "rise" },
    { { .k_polynomial = "0,x" }, "'x' is not a number", "coefficients" },
    { { .k_polynomial = "0,15," }, "'' is not a number", "coefficients" },
    { { .k_polynomial = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0" }, "k_index",
        "rise" },
    { { .k_polynomial = "0,15,1e12,-2e12,1e12" }, "is uncertain by",
        "fewer coefficients" },
    { { .k_polynomial = "0,15", .background = "1,2,oops" }, "'oops'",
        "a number for each sample" },
    { { .k_polynomial = "0,15", .background = "1,2,3" }, "3 numbers",
        "take it anew" },
    { { .k_polynomial = "0,15", .c2 = 1e300 }, "c2 = 1e+300 rad",
        "set them in rad" },
    { { .k_polynomial = "0,15", .c3 = NAN }, "nan rad", "in rad" },
    { { .k_polynomial = "0,1" }, "from 0 to 1", "positions in samples" },
    { { .k_polynomial = "0,1e308,1e308" }, "k_index is 7.11",
        "positions in samples" },
    { { .k_polynomial = "0,30,-30" }, "k_index", "rise" },
    { { .a2 = 60 }, "need the wavelengths", "`wavelength-min`" },
    { { .k_polynomial = "0,15", .a3 = 60 }, "need the wavelengths",
        "wavelength_nm column" },
    { { .wavelength_min = 800, .wavelength_max = 900, .a2 = 1e300 },
        "a2 = 1e+300 um^2", "set them in um^2" },
    { { .wavelength_min = 800, .wavelength_max = 900, .a3 = NAN }, "nan um^3",
        "um^3" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = oct_test_refused_calibration (cases[i].settings, 16);

    oct_test_assert_error (
        &error, OCT_ERROR_SETTINGS, cases[i].found, cases[i].advice, NULL);
  }
}

static void
test_given_twice (void)
{
  OctCalibrationSettings settings =
      oct_test_calibration_file ("k_index\n1\n0\n");
  GError *error;

  settings.k_polynomial = "1,-1";
  error = oct_test_refused_calibration (settings, 2);
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "x.csv'",
      "column k_index, but `k-polynomial` is set too", "remove one", NULL);

  settings = oct_test_calibration_file ("wavelength_nm\n800\n810\n");
  settings.wavelength_min = 800;
  settings.wavelength_max = 810;
  error = oct_test_refused_calibration (settings, 2);
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "x.csv'",
      "column wavelength_nm, but `wavelength-min` and `wavelength-max` are set",
      NULL);
}

static void
test_samples (void)
{
  static const guint sizes[] = { 0, 1, OCT_MAX_SAMPLES + 1, G_MAXUINT };
  OctCalibrationSettings settings = { .wavelength_min = 800,
    .wavelength_max = 900 };
  double value = 800;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GError *error = oct_test_refused_calibration (settings, sizes[i]);

    oct_test_assert_error (
        &error, OCT_ERROR_SETTINGS, "2 to 65536", "`samples`", NULL);
    g_assert_null (oct_calibration_new_from_arrays (
        sizes[i], &value, NULL, NULL, NULL, &error));
    oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "2 to 65536", NULL);
  }
  oct_calibration_unref (oct_test_calibration (settings, 2));
  oct_calibration_unref (oct_test_calibration (settings, OCT_MAX_SAMPLES));
}

static void
test_array_errors (void)
{
  double values[3] = { 800, NAN, 820 };
  GError *error = NULL;

  g_assert_null (
      oct_calibration_new_from_arrays (3, NULL, NULL, NULL, NULL, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "No calibration", NULL);
  g_assert_null (
      oct_calibration_new_from_arrays (3, values, NULL, NULL, NULL, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT,
      "Calibration, sample 1: wavelength_nm is nan", NULL);
  g_assert_null (
      oct_calibration_new_from_arrays (3, NULL, NULL, NULL, values, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "background is nan", NULL);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
#define ADD(path, function)                                                    \
  g_test_add_func ("/calibration-errors/" path, function)
  ADD ("file-errors", test_file_errors);
  ADD ("turning-values", test_turning_values);
  ADD ("no-text-file", test_no_text_file);
  ADD ("large-file", test_large_file);
  ADD ("settings-errors", test_settings_errors);
  ADD ("given-twice", test_given_twice);
  ADD ("samples", test_samples);
  ADD ("array-errors", test_array_errors);
  result = g_test_run ();
  oct_test_clean ();
  return result;
}
