/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The virtual OCT system against the float64 reference and against physics. */
#include "oct-parallel.h"
#include "oct-phantom-spectrometer.h"
#include "oct-reference.h"
#include "phantom-test.h"

#define FULL_SCALE 4095.0

/* Camera: shot noise of 2e5 electrons and read noise of 120 at full scale. */
#define COUNTS_PER_ELECTRON (FULL_SCALE / 2.0e5)
#define READ_COUNTS (120.0 * COUNTS_PER_ELECTRON)

/* Counts are rounded once, from a spectrum in single precision. */
static void
test_mirror_reference (void)
{
  static const double depths[] = { 0, 20, 150, 300, 400 }; /* um */
  const guint samples = 256;

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    g_autoptr (OctPhantom) phantom = make_phantom (
        OCT_PHANTOM_MIRROR, samples, 1, 1, depths[d] * 1e-6, 0.0, 0);
    g_autofree guint16 *line = render (phantom, 0, samples, 1);
    g_autofree double *expected = g_new (double, samples);

    oct_reference_mirror (samples, depths[d], expected);
    for (guint n = 0; n < samples; n++)
      g_assert_cmpfloat (fabs (line[n] - expected[n] * FULL_SCALE), <, 0.505);
  }
}

/* The mirror appears at its depth, as sharp as the spectrum allows, and weaker
 * with depth as pixel and spot predict. */
static void
test_mirror_point_spread (void)
{
  const guint samples = 1024;
  const double depths[] = { 100.0, 400.0, 800.0, 1200.0, 1500.0 };
  double first = 0.0, first_fall_off = 1.0;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (depths); i++) {
    g_autoptr (OctPhantom) phantom = make_phantom (
        OCT_PHANTOM_MIRROR, samples, 1, 1, depths[i] * 1e-6, 0.0, 0);
    g_autofree guint16 *line = render (phantom, 0, samples, 1);
    double pixel_k = 2.0 * G_PI / (0.845 * 0.845) * 0.110 / samples;
    double cycles = pixel_k * depths[i] / G_PI;
    double fall_off = sin (G_PI * cycles) / (G_PI * cycles)
                      * exp (-G_PI * G_PI * cycles * cycles / (4.0 * G_LN2));
    double peak = 0.0, peak_z = 0.0, half_width = 0.0;
    double z;

    for (z = depths[i] - 20.0; z < depths[i] + 20.0; z += 0.1) {
      double value = get_a_scan (phantom, line, samples, z);

      if (value > peak) {
        peak = value;
        peak_z = z;
      }
    }
    while (
        get_a_scan (phantom, line, samples, peak_z + half_width) > 0.5 * peak)
      half_width += 0.1;
    if (i == 0) {
      first = peak;
      first_fall_off = fall_off;
    }
    g_test_message ("%g um: at %g um, half width %g um, %.2f dB (%.2f dB)",
        depths[i], peak_z, half_width, 20.0 * log10 (peak / first),
        20.0 * log10 (fall_off / first_fall_off));
    g_assert_cmpfloat (fabs (peak_z - depths[i]), <, 0.6);
    g_assert_cmpfloat (half_width, <, 6.5);
    /* The prediction holds for the centre of the spectrum. */
    g_assert_cmpfloat (
        fabs (20.0 * log10 (peak / first * first_fall_off / fall_off)), <, 0.6);
  }
}

static void
test_calibration (void)
{
  g_autoptr (OctPhantom) phantom =
      make_phantom (OCT_PHANTOM_MIRROR, 512, 1, 1, 1e-4, 0.0, 0);
  OctCalibration *calibration = oct_phantom_get_calibration (phantom);
  double first = 2.0 * G_PI / (0.845 - 255.5 * 0.110 / 512);
  double last = 2.0 * G_PI / (0.845 + 255.5 * 0.110 / 512);
  double spacing = G_PI / ((first - last) * 512 / 511) * 1e-6;

  g_assert_cmpuint (oct_calibration_get_samples (calibration), ==, 512);
  g_assert_cmpfloat_with_epsilon (
      oct_calibration_get_z_spacing (calibration, 512), spacing,
      spacing * 1e-9);
  g_assert_cmpfloat (oct_calibration_get_dispersion (calibration)[0], <, -5.0);
}

/* With 16 added: seen through a spot. */
static void
test_bytes_repeat (gconstpointer data)
{
  OctPhantomKind kind = GPOINTER_TO_INT (data) % 16;
  double spot = GPOINTER_TO_INT (data) / 16 * 4.5;
  const guint samples = 300, lines = 70;
  gsize bytes = samples * lines * sizeof (guint16);
  g_autoptr (OctPhantom) phantom =
      make_phantom_seen (kind, samples, lines, 10, 1e-4, 1.0, 5, spot);
  g_autoptr (OctPhantom) other =
      make_phantom_seen (kind, samples, lines, 10, 1e-4, 1.0, 6, spot);
  g_autoptr (OctPhantom) again = NULL;
  g_autofree guint16 *third = render (phantom, 3, samples, lines);
  g_autofree guint16 *seventh = render (phantom, 7, samples, lines);
  g_autofree guint16 *other_seventh = render (other, 7, samples, lines);
  g_autofree guint16 *again_seventh = NULL;
  guint threads = oct_parallel_get_threads ();

  oct_parallel_set_threads (threads > 8 ? 1 : 16);
  again = make_phantom_seen (kind, samples, lines, 10, 1e-4, 1.0, 5, spot);
  again_seventh = render (again, 7, samples, lines);
  oct_parallel_set_threads (threads);
  g_assert_cmpmem (seventh, bytes, again_seventh, bytes);
  g_assert_true (memcmp (seventh, third, bytes) != 0);
  g_assert_true (memcmp (seventh, other_seventh, bytes) != 0);
}

/* Variance of every pixel over many A-lines, and that of their means. */
static void
test_noise_variance (void)
{
  const guint samples = 256, lines = 500, frames = 4;
  g_autoptr (OctPhantom) phantom =
      make_phantom (OCT_PHANTOM_MIRROR, samples, lines, 1, 1e-4, 1.0, 1);
  g_autoptr (OctPhantom) quiet =
      make_phantom (OCT_PHANTOM_MIRROR, samples, 1, 1, 1e-4, 0.0, 1);
  g_autofree guint16 *expected = render (quiet, 0, samples, 1);
  g_autofree double *sum = g_new0 (double, samples);
  g_autofree double *squares = g_new0 (double, samples);
  double ratio = 0.0, mean_ratio = 0.0;
  double count = lines * frames;
  guint frame, line, n;

  for (frame = 0; frame < frames; frame++) {
    g_autofree guint16 *bscan = render (phantom, frame, samples, lines);

    for (line = 0; line < lines; line++) {
      for (n = 0; n < samples; n++) {
        double off = (double)bscan[line * samples + n] - expected[n];

        sum[n] += off;
        squares[n] += off * off;
      }
    }
  }
  for (n = 0; n < samples; n++) {
    double variance = expected[n] * COUNTS_PER_ELECTRON
                      + READ_COUNTS * READ_COUNTS + 1.0 / 12.0;
    double mean = sum[n] / count;
    double found = squares[n] / count - mean * mean;

    /* Six standard deviations of 2000 values. */
    g_assert_cmpfloat (fabs (found / variance - 1.0), <, 0.19);
    ratio += found / variance / samples;
    /* `expected` is rounded, so it may be off by 0.5 itself. */
    g_assert_cmpfloat (fabs (mean), <, 0.5 + 5.0 * sqrt (variance / count));
    mean_ratio += mean / samples;
  }
  g_assert_cmpfloat (fabs (ratio - 1.0), <, 0.01);
  g_assert_cmpfloat (fabs (mean_ratio), <, 0.1);
}

/* The noise is white: equal power in all parts of its transform. */
static void
test_noise_white (void)
{
  const guint samples = 512, lines = 600, bands = 8;
  g_autoptr (OctPhantom) phantom =
      make_phantom (OCT_PHANTOM_MIRROR, samples, lines, 1, 1e-4, 1.0, 2);
  g_autofree guint16 *bscan = render (phantom, 0, samples, lines);
  const double *background =
      oct_calibration_get_background (oct_phantom_get_calibration (phantom));
  g_autofree double *mean = g_new0 (double, samples);
  g_autofree double *cosine = g_new (double, samples);
  double power[8] = { 0 };
  double all = 0.0;
  guint line, n, q;

  for (n = 0; n < samples; n++)
    cosine[n] = cos (2.0 * G_PI * n / samples);
  for (line = 0; line < lines; line++)
    for (n = 0; n < samples; n++)
      mean[n] += (double)bscan[line * samples + n] / lines;
  for (line = 0; line < lines; line++) {
    for (q = 1; q < samples / 2; q += 3) {
      double re = 0.0, im = 0.0;

      for (n = 0; n < samples; n++) {
        double value = (bscan[line * samples + n] - mean[n])
                       / sqrt (background[n] + 100.0);

        re += value * cosine[(n * q) % samples];
        im += value * cosine[(n * q + samples / 4) % samples];
      }
      power[q * bands / (samples / 2)] += re * re + im * im;
    }
  }
  for (q = 0; q < bands; q++)
    all += power[q] / bands;
  /* Some bands hold 10, some 11 frequencies; 1.3 % are by chance. */
  for (q = 0; q < bands; q++)
    g_assert_cmpfloat (fabs (power[q] / all - 1.0), <, 0.13);
}

static void
test_stride_and_bytes (void)
{
  const guint samples = 97, lines = 13, stride = 128;
  OctPhantomSettings settings = { .kind = OCT_PHANTOM_LAYERS,
    .samples = samples,
    .lines = lines,
    .bscans = 3,
    .sample_format = OCT_SAMPLE_U8,
    .noise = 1.0,
    .seed = 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (OctPhantom) phantom = oct_phantom_new (&settings, &error);
  g_autofree guint8 *tight = g_malloc0 (samples * lines);
  g_autofree guint8 *loose = g_malloc (stride * lines);
  const double *background;
  guint line, n;

  g_assert_no_error (error);
  background =
      oct_calibration_get_background (oct_phantom_get_calibration (phantom));
  memset (loose, 0xa5, stride * lines);
  oct_phantom_render (phantom, 1, tight, samples);
  oct_phantom_render (phantom, 1, loose, stride);
  for (line = 0; line < lines; line++) {
    g_assert_cmpmem (
        tight + line * samples, samples, loose + line * stride, samples);
    for (n = samples; n < stride; n++)
      g_assert_cmpuint (loose[line * stride + n], ==, 0xa5);
  }
  g_assert_cmpfloat (background[samples / 2], >, 170.0);
  g_assert_cmpfloat (background[samples / 2], <, 185.0);
}

static void
test_sizes (void)
{
  const guint sizes[][2] = { { 16, 1 }, { 17, 3 }, { 33, 1100 }, { 1000, 2 } };
  guint i, kind;

  for (kind = OCT_PHANTOM_LAYERS; kind <= OCT_PHANTOM_SURGERY; kind++) {
    for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
      g_autoptr (OctPhantom) phantom =
          make_phantom (kind, sizes[i][0], sizes[i][1], 2, 1e-5, 1.0, 0);
      g_autofree guint16 *bscan =
          render (phantom, G_MAXUINT64, sizes[i][0], sizes[i][1]);

      g_autoptr (OctPhantom) seen = make_phantom_seen (
          kind, sizes[i][0], sizes[i][1], 2, 1e-5, 1.0, 0, i == 0 ? 32 : 3);
      g_autofree guint16 *blurred =
          render (seen, G_MAXUINT64, sizes[i][0], sizes[i][1]);

      g_assert_cmpuint (bscan[sizes[i][0] / 2], <=, 4095);
      g_assert_cmpuint (blurred[sizes[i][0] / 2], <=, 4095);
    }
  }
}

static void
test_settings_refused (void)
{
  const OctPhantomSettings good = { .kind = OCT_PHANTOM_MIRROR,
    .samples = 1024,
    .lines = 8,
    .bscans = 1,
    .sample_format = OCT_SAMPLE_U16,
    .depth = 1e-3,
    .noise = 1.0 };
  const struct {
    double depth, noise;
    guint samples, lines, bscans;
    OctSampleFormat format;
    const char *named;
    double spot_x, spot_y;
  } cases[] = {
    { 2e-3, 1.0, 1024, 8, 1, OCT_SAMPLE_U16, "depth" },
    { 2e-3, 1.0, 1024, 8, 1, OCT_SAMPLE_U16, "0.001654 m" },
    { -1e-3, 1.0, 1024, 8, 1, OCT_SAMPLE_U16, "depth" },
    { NAN, 1.0, 1024, 8, 1, OCT_SAMPLE_U16, "depth" },
    { 1e-3, NAN, 1024, 8, 1, OCT_SAMPLE_U16, "noise" },
    { 1e-3, -1.0, 1024, 8, 1, OCT_SAMPLE_U16, "noise" },
    { 1e-3, 1.0, 15, 8, 1, OCT_SAMPLE_U16, "samples" },
    { 1e-3, 1.0, 65537, 8, 1, OCT_SAMPLE_U16, "samples" },
    { 1e-3, 1.0, 1024, 0, 1, OCT_SAMPLE_U16, "lines" },
    { 1e-3, 1.0, 2048, 65536, 1, OCT_SAMPLE_U16, "lines" },
    { 1e-3, 1.0, 1024, 8, 0, OCT_SAMPLE_U16, "bscans" },
    { 1e-3, 1.0, 1024, 8, 1, OCT_SAMPLE_F32, "sample-format" },
    { 1e-3, 1.0, 1024, 8, 1, OCT_SAMPLE_U16, "spot-x", 32.1, 0.0 },
    { 1e-3, 1.0, 1024, 8, 1, OCT_SAMPLE_U16, "spot-y", 0.0, -0.1 },
    { 1e-3, 1.0, 1024, 8, 1, OCT_SAMPLE_U16, "spot-y", 0.0, NAN },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    OctPhantomSettings settings = good;
    g_autoptr (GError) error = NULL;

    settings.depth = cases[i].depth;
    settings.noise = cases[i].noise;
    settings.samples = cases[i].samples;
    settings.lines = cases[i].lines;
    settings.bscans = cases[i].bscans;
    settings.sample_format = cases[i].format;
    settings.spot_x = cases[i].spot_x;
    settings.spot_y = cases[i].spot_y;
    g_assert_null (oct_phantom_new (&settings, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
    g_assert_nonnull (strstr (error->message, cases[i].named));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/phantom/mirror/reference", test_mirror_reference);
  g_test_add_func ("/phantom/mirror/point-spread", test_mirror_point_spread);
  g_test_add_func ("/phantom/calibration", test_calibration);
  g_test_add_data_func ("/phantom/mirror/repeat",
      GINT_TO_POINTER (OCT_PHANTOM_MIRROR), test_bytes_repeat);
  g_test_add_data_func ("/phantom/flow/repeat",
      GINT_TO_POINTER (OCT_PHANTOM_FLOW), test_bytes_repeat);
  g_test_add_data_func ("/phantom/layers/repeat",
      GINT_TO_POINTER (OCT_PHANTOM_LAYERS), test_bytes_repeat);
  g_test_add_func ("/phantom/noise/variance", test_noise_variance);
  g_test_add_func ("/phantom/noise/white", test_noise_white);
  g_test_add_func ("/phantom/layers/stride", test_stride_and_bytes);
  g_test_add_data_func ("/phantom/surgery/repeat",
      GINT_TO_POINTER (OCT_PHANTOM_SURGERY), test_bytes_repeat);
  g_test_add_data_func ("/phantom/surgery/spot/repeat",
      GINT_TO_POINTER (16 + OCT_PHANTOM_SURGERY), test_bytes_repeat);
  g_test_add_data_func ("/phantom/layers/spot/repeat",
      GINT_TO_POINTER (16 + OCT_PHANTOM_LAYERS), test_bytes_repeat);
  g_test_add_func ("/phantom/sizes", test_sizes);
  g_test_add_func ("/phantom/settings", test_settings_refused);
  return g_test_run ();
}
