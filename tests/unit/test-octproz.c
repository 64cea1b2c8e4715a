/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recordings of OCTproZ: flat samples with settings beside them, which are
 * written here as Qt writes them. */
#include "oct-test-reader.h"

#define SETTINGS                                                               \
  "[General]\r\ntimestamp=20250410_120000000\r\n\r\n"                          \
  "[Virtual%%20OCT%%20System]\r\nbit_depth=%u\r\nbuffers_from_file=2\r\n"      \
  "buffers_per_volume=2\r\ndepth=%u\r\nfile_path=\r\nheight=%u\r\n"            \
  "width=%u\r\n\r\n"                                                           \
  "[main_window_settings]\r\nmain_active_system=Virtual OCT System\r\n"        \
  "main_state=@ByteArray(\\0\\0\\0\\xff\\0)\r\n\r\n"                           \
  "[processing]\r\n%s\r\n[record]\r\ndescription=\"a; b = c\"\r\n"
#define PLAIN "resampling=false\r\nresampling_c0=0\r\nresampling_c1=1024\r\n"

static void
write_settings (const char *name, guint bits, guint bscans, guint lines,
    guint samples, const char *processing)
{
  g_autofree char *text =
      g_strdup_printf (SETTINGS, bits, bscans, lines, samples, processing);

  oct_test_write (name, text, strlen (text));
}

static void
assert_refused (
    OctReaderSettings settings, int code, const char *found, const char *advice)
{
  oct_test_assert_refused (
      oct_test_path ("scan_raw.raw"), settings, code, found, advice);
}

/* Samples of `bytes` bytes that count up. */
static const char *
write_samples (const char *name, guint bytes, guint count)
{
  g_autofree guint8 *samples = g_malloc0 (count * bytes);

  for (guint i = 0; i < count; i++) {
    guint32 value = bytes == 4 ? 70000 * i : bytes == 2 ? 1000 * i : i;

    memcpy (samples + i * bytes, &value, bytes);
  }
  return oct_test_write (name, samples, count * bytes);
}

static void
test_sizes (void)
{
  static const struct {
    guint bits, bytes;
    OctSampleFormat format;
    double step;
  } cases[] = { { 8, 1, OCT_SAMPLE_U8, 1 }, { 12, 2, OCT_SAMPLE_U16, 1000 },
    { 16, 2, OCT_SAMPLE_U16, 1000 }, { 32, 4, OCT_SAMPLE_F32, 70000 } };

  /* two buffers of two B-scans are a volume, and there are six */
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader = NULL;
    const OctReaderInfo *info;

    write_settings ("scan_meta.txt", cases[i].bits, 2, 2, 4, PLAIN);
    reader = oct_test_open (write_samples ("scan_raw.raw", cases[i].bytes, 48),
        (OctReaderSettings){ 0 });
    info = oct_reader_get_info (reader);
    g_assert_cmpint (info->format, ==, OCT_FILE_OCTPROZ);
    g_assert_cmpint (info->sample_format, ==, cases[i].format);
    g_assert_cmpuint (info->samples, ==, 4);
    g_assert_cmpuint (info->lines, ==, 2);
    g_assert_cmpuint (info->frames, ==, 6);
    g_assert_cmpuint (info->bscans, ==, 4);
    for (guint frame = 6; frame-- > 0;)
      oct_test_assert_bscan (reader, frame, cases[i].step);
  }
}

/* Its polynomials have the coefficients that the settings tell over the samples
 * of an A-line from 0 to 1. */
static void
test_polynomials (void)
{
  static const double positions[] = { 0.5, 1.253125, 2.075, 2.984375, 4 };
  static const double phase[] = { -0.1, -0.4, -1.1, -2.2, -3.7 };
  g_autoptr (OctReader) reader = NULL;
  OctCalibration *calibration;

  write_settings ("scan_meta.txt", 16, 1, 1, 5,
      "custom_resampling=false\r\ndispersion_compensation=true\r\n"
      "dispersion_compensation_d0=0.1\r\ndispersion_compensation_d1=0.4\r\n"
      "dispersion_compensation_d2=3.2\r\ndispersion_compensation_d3=0\r\n"
      "resampling=true\r\nresampling_c0=0.5\r\nresampling_c1=2.9\r\n"
      "resampling_c2=0.4\r\nresampling_c3=0.2\r\n");
  reader = oct_test_open (
      write_samples ("scan_raw.raw", 2, 10), (OctReaderSettings){ 0 });
  calibration = oct_reader_get_calibration (reader);
  g_assert_nonnull (calibration);
  oct_test_assert_close (
      oct_calibration_get_positions (calibration), positions, 5, 1e-12);
  oct_test_assert_close (
      oct_calibration_get_dispersion (calibration), phase, 5, 1e-12);
}

#define N 64
#define BIN 9

/* |sum_j s_j exp (i (sign 2 pi j n / N + phase_j))| */
static double
transform (const double *s, const double *phase, guint bin, int sign)
{
  double re = 0.0, im = 0.0;

  for (guint j = 0; j < N; j++) {
    double p = sign * 2.0 * G_PI * j * bin / N + phase[j];

    re += s[j] * cos (p);
    im += s[j] * sin (p);
  }
  return hypot (re, im);
}

/* OCTproZ transforms with the opposite sign: a mirror that its phase brings to
 * one bin there comes to the same one with ours. */
static void
test_dispersion_sign (void)
{
  g_autoptr (OctReader) reader = NULL;
  const double *ours;
  double s[N], theirs[N];

  write_settings ("scan_meta.txt", 16, 1, 1, N,
      PLAIN
      "dispersion_compensation=true\r\ndispersion_compensation_d0=0\r\n"
      "dispersion_compensation_d1=-20\r\n"
      "dispersion_compensation_d2=20\r\ndispersion_compensation_d3=6\r\n");
  reader = oct_test_open (
      write_samples ("scan_raw.raw", 2, N), (OctReaderSettings){ 0 });
  ours = oct_calibration_get_dispersion (oct_reader_get_calibration (reader));
  for (guint j = 0; j < N; j++) {
    double x = j / (N - 1.0);

    theirs[j] = -20 * x + 20 * x * x + 6 * x * x * x;
    s[j] = cos (2.0 * G_PI * j * BIN / N + theirs[j]);
  }
  g_assert_cmpfloat (transform (s, theirs, BIN, +1), >, 0.45 * N);
  for (guint bin = 0; bin < N; bin++)
    g_assert_cmpfloat_with_epsilon (
        transform (s, ours, bin, -1), transform (s, theirs, bin, +1), 1e-9);
  g_assert_cmpfloat (transform (s, theirs, BIN, -1), <, 0.3 * N);
}

static void
test_curve (void)
{
  static const char curve[] = "Sample Number;Sample Value\n0;0\n1;0.75\n"
                              "2;1.5\n3;3\n";
  g_autoptr (OctReader) reader = NULL;
  static const double positions[] = { 0, 0.75, 1.5, 3 };

  write_settings ("scan_meta.txt", 16, 1, 2, 4,
      "resampling=true\r\nresampling_c0=0\r\ncustom_resampling=true\r\n"
      "custom_resampling_filepath=C:/Users/lab/curve.csv\r\n");
  write_samples ("scan_raw.raw", 2, 16);
  g_remove (oct_test_path ("curve.csv"));
  assert_refused ((OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "curve.csv' is not there", "put it there");
  oct_test_write ("curve.csv", curve, strlen (curve) - 4);
  assert_refused ((OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "does not have 4 lines", "put it there");
  oct_test_write ("curve.csv", curve, strlen (curve));
  reader =
      oct_test_open (oct_test_path ("scan_raw.raw"), (OctReaderSettings){ 0 });
  oct_test_assert_close (
      oct_calibration_get_positions (oct_reader_get_calibration (reader)),
      positions, 4, 1e-12);
}

static void
write_text (const char *text)
{
  oct_test_write ("scan_meta.txt", text, strlen (text));
}

/* Each system has its own settings: where they are not known, sizes are to be
 * given, and those of another system are not taken. */
static void
test_other_system (void)
{
  g_autoptr (OctReader) reader = NULL;
  g_autoptr (OctReader) small = NULL;

  write_text ("[Virtual%20OCT%20System]\nbit_depth=16\nbuffers_per_volume=2\n"
              "depth=1\nheight=8\nwidth=2\n[main_window_settings]\n"
              "main_active_system=Own System\n[processing]\n" PLAIN);
  write_samples ("scan_raw.raw", 2, 16);
  assert_refused ((OctReaderSettings){ 0 }, OCT_ERROR_SETTINGS,
      "acquisition system: Own System", "set `samples`, `lines`");
  reader = oct_test_open (oct_test_path ("scan_raw.raw"),
      (OctReaderSettings){ .samples = 4, .lines = 2, .stored = OCT_STORED_U2 });
  g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, 2);
  g_assert_nonnull (oct_reader_get_calibration (reader));
  small = oct_test_open (oct_test_path ("scan_raw.raw"),
      (OctReaderSettings){ .samples = 4, .lines = 2, .stored = OCT_STORED_U1 });
  g_assert_cmpuint (oct_reader_get_info (small)->frames, ==, 4);
}

/* Buffers of 2^64 bytes. */
static void
test_huge (void)
{
  write_settings ("scan_meta.txt", 32, 1u << 30, 1u << 16, 1u << 16, PLAIN);
  write_samples ("scan_raw.raw", 4, 48);
  assert_refused ((OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "192 bytes, which are not whole B-scans of 65536 lines of 65536 samples",
      "copy both again");
}

static void
test_refused (void)
{
  static const char *const no_settings[] = { "", "not settings", "[processing]",
    "[processing]\nresampling_c0=0\nno equals sign\n" };
  g_autofree char *huge = g_strnfill ((1u << 20) + 1, '\n');

  write_settings ("scan_meta.txt", 16, 1, 2, 4, PLAIN);
  write_samples ("scan_raw.raw", 2, 17);
  assert_refused ((OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "34 bytes, which are not whole B-scans of 2 lines of 4 samples",
      "`format` to raw");
  write_samples ("scan_raw.raw", 2, 16);
  assert_refused ((OctReaderSettings){ .samples = 5 }, OCT_ERROR_SETTINGS,
      "thus samples 4", "`samples` is set to 5");
  write_settings ("scan_meta.txt", 16, 1, 65536, 65536, PLAIN);
  assert_refused ((OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "not whole B-scans of 65536 lines", "`format` to raw");
  write_settings ("scan_meta.txt", 16, 1, 2, 4,
      "resampling=true\r\nresampling_c0=0\r\nresampling_c1=nan\r\n");
  assert_refused ((OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "resampling_c1=nan", "a number is expected");
  write_settings ("scan_meta.txt", 16, 1, 2, 4,
      "resampling=true\r\nresampling_c0=0\r\nresampling_c1=1024\r\n");
  assert_refused (
      (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT, "k_index", "`format` to raw");
  for (guint i = 0; i < G_N_ELEMENTS (no_settings); i++) {
    write_text (no_settings[i]);
    assert_refused ((OctReaderSettings){ .format = OCT_FILE_OCTPROZ },
        OCT_ERROR_FORMAT, "are not beside it", "put them there");
    /* without settings it is a raw file as any other */
    assert_refused ((OctReaderSettings){ 0 }, OCT_ERROR_SETTINGS,
        "read as a raw file", "set `samples`");
  }
  write_text (huge);
  assert_refused ((OctReaderSettings){ .format = OCT_FILE_OCTPROZ },
      OCT_ERROR_FORMAT, "are not beside it", "put them there");
}

/* Settings of any bytes: an error or a reader, and an end. */
static void
test_damaged (void)
{
  g_autofree char *path = NULL;

  write_settings ("scan_meta.txt", 12, 1, 2, 4,
      "dispersion_compensation=true\r\ndispersion_compensation_d0=0.1\r\n"
      "resampling=true\r\nresampling_c0=0\r\nresampling_c1=3\r\n");
  write_samples ("scan_raw.raw", 2, 16);
  path = g_strdup (oct_test_path ("scan_meta.txt"));
  oct_test_damage (path, "scan_meta.txt", "scan_raw.raw",
      (OctReaderSettings){ .format = OCT_FILE_OCTPROZ }, 1);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/octproz/sizes", test_sizes);
  g_test_add_func ("/octproz/polynomials", test_polynomials);
  g_test_add_func ("/octproz/dispersion-sign", test_dispersion_sign);
  g_test_add_func ("/octproz/curve", test_curve);
  g_test_add_func ("/octproz/other-system", test_other_system);
  g_test_add_func ("/octproz/refused", test_refused);
  g_test_add_func ("/octproz/huge", test_huge);
  g_test_add_func ("/octproz/damaged", test_damaged);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
