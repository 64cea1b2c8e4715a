/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Meters against analytic values, and against the truth of simulated spectra.
 */
#include "oct-meter.h"

#include "oct-simulation.h"
#include "oct-test.h"

#define BINS (SIM_N / 2)

static void
assert_near (const char *what, double got, double expected, double tolerance)
{
  g_test_message ("%s: %.4f (%.4f)", what, got, expected);
  if (!(fabs (got - expected) <= tolerance))
    g_error ("%s is %.6g, not %.6g +- %g", what, got, expected, tolerance);
}

static void
test_fft (void)
{
  static const guint lengths[] = { 1, 2, 8, 64 };
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
    guint n = lengths[l];
    g_autoptr (OctMeterFft) fft = oct_meter_fft_new (n);
    double re[64], im[64];
    Complex x[64];

    for (guint i = 0; i < n; i++) {
      x[i] = signal_complex (random);
      re[i] = creal (x[i]);
      im[i] = cimag (x[i]);
    }
    oct_meter_fft_run (fft, re, im);
    for (guint q = 0; q < n; q++) {
      Complex sum = 0;

      for (guint i = 0; i < n; i++)
        sum += x[i] * cexp (-2 * G_PI * I * i * q / n);
      g_assert_cmpfloat (cabs (sum - re[q] - I * im[q]), <, 1e-12);
    }
  }
}

/* -------------------------------------------------------------- A-scans */

/* |transform| of the continuous Hann window, 1 at x = 0; x in bins */
static double
hann_line (double x)
{
  if (fabs (x) < 1e-9)
    return 1;
  if (fabs (fabs (x) - 1) < 1e-9)
    return 0.5;
  return fabs (sin (G_PI * x) / (G_PI * x * (1 - x * x)));
}

/* Full width of it `drop` dB below its top. */
static double
hann_width (double drop)
{
  double low = 0, high = 2, level = pow (10, -drop / 20);

  while (high - low > 1e-12) {
    double middle = 0.5 * (low + high);

    if (hann_line (middle) > level)
      low = middle;
    else
      high = middle;
  }
  return 2 * low;
}

/* Its highest value from `x` on, dB. */
static double
hann_side_lobe (double x)
{
  double highest = 0;

  for (; x < 20; x += 0.001)
    highest = MAX (highest, hann_line (x));
  return 20 * log10 (highest);
}

/* lines[n][BINS] of a complex tone of amplitude 1 at `bin`, whose phase drifts
 * from line to line, and of noise. */
static float *
make_tone (guint lines, double bin, double drift, double noise)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autoptr (OctMeterFft) fft = oct_meter_fft_new (SIM_N);
  float *ascans = g_new (float, (gsize)lines * 2 * BINS);
  double window[SIM_N], re[SIM_N], im[SIM_N], phase = 1;

  oct_window_fill (OCT_WINDOW_HANN, SIM_N, NULL, window);
  for (guint line = 0; line < lines; line++) {
    phase += drift * signal_normal (random) + 0.3;
    for (guint n = 0; n < SIM_N; n++) {
      double angle = 2 * G_PI * bin * n / SIM_N + phase;
      double scale = window[n] / sqrt (SIM_N);

      re[n] = (cos (angle) + noise * signal_normal (random)) * scale;
      im[n] = (sin (angle) + noise * signal_normal (random)) * scale;
    }
    oct_meter_fft_run (fft, re, im);
    for (guint i = 0; i < BINS; i++) {
      ascans[((gsize)line * BINS + i) * 2] = re[i];
      ascans[((gsize)line * BINS + i) * 2 + 1] = im[i];
    }
  }
  return ascans;
}

static void
test_psf (void)
{
  static const double bins[] = { 8.9, 100, 100.3, 255.48, 480.77 };
  double level;

  /* sum of the window over sqrt N; its mean over its root mean square */
  level = 20 * log10 (sqrt (SIM_N) * 0.5 / sqrt (0.375));
  for (guint i = 0; i < G_N_ELEMENTS (bins); i++) {
    g_autofree float *ascans = make_tone (1, bins[i], 0, 0);
    OctMeterPeak peak;

    g_assert_true (oct_meter_ascans (
        ascans, 1, BINS, 0, OCT_METER_FIRST_BIN, 0, &peak, NULL));
    g_assert_cmpuint (peak.lines, ==, 1);
    assert_near ("bin", peak.bin, bins[i], 0.01);
    assert_near ("level", peak.level, level, 0.02);
    assert_near ("-3 dB", peak.width[OCT_METER_3DB], hann_width (3), 0.02);
    assert_near ("-6 dB", peak.width[OCT_METER_6DB], hann_width (6), 0.02);
    assert_near ("-20 dB", peak.width[OCT_METER_20DB], hann_width (20), 0.03);
    if (i > 0)
      assert_near ("side lobe", peak.side_lobe,
          hann_side_lobe (1.5 * hann_width (20)), 0.3);
  }
}

/* Adds what a source of that amplitude leaves at zero delay: a Gaussian in the
 * spectrum, with an echo of 1 % at bin 40. */
static void
add_source (float *ascans, guint lines, double amplitude)
{
  g_autoptr (OctMeterFft) fft = oct_meter_fft_new (SIM_N);
  double window[SIM_N], re[SIM_N], im[SIM_N] = { 0 };

  oct_window_fill (OCT_WINDOW_HANN, SIM_N, NULL, window);
  for (guint n = 0; n < SIM_N; n++)
    re[n] = amplitude * window[n] / sqrt (SIM_N)
            * exp (-pow ((n - SIM_N / 2.0) / (SIM_N / 8.0), 2))
            * (1 + 0.02 * cos (2 * G_PI * 40 * n / SIM_N));
  oct_meter_fft_run (fft, re, im);
  for (guint i = 0; i < lines * BINS; i++) {
    ascans[2 * i] += re[i % BINS];
    ascans[2 * i + 1] += im[i % BINS];
  }
}

/* The source is not a peak or a side lobe, and changes nothing between bins:
 * the analytic values of the peak stay, also where the source is 28 dB
 * higher. */
static void
test_residue (void)
{
  static const double sources[] = { 0, 0.01, 0.3, 20, 60 };
  double lobe = hann_side_lobe (1.5 * hann_width (20));

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    for (guint first = 0; first <= 40; first += 8) {
      g_autofree float *ascans = make_tone (1, 255.48, 0, 0);
      OctMeterPeak peak;

      add_source (ascans, 1, sources[i]);
      g_assert_true (
          oct_meter_ascans (ascans, 1, BINS, 0, first, 0, &peak, NULL));
      assert_near ("bin", peak.bin, 255.48, 0.01);
      assert_near ("-20 dB", peak.width[OCT_METER_20DB], hann_width (20), 0.03);
      assert_near ("side lobe", peak.side_lobe, lobe, 0.3);
    }
}

/* A single other peak is a side lobe, unless the source may have put it there;
 * and if there is only the source, nothing is reported. */
static void
test_residue_and_ghost (void)
{
  g_autofree float *ascans = make_tone (1, 255.48, 0, 0);
  g_autofree float *ghost = make_tone (1, 90, 0, 0);
  OctMeterPeak peak;

  for (guint i = 0; i < 2 * BINS; i++)
    ascans[i] += 0.01f * ghost[i];
  g_assert_true (oct_meter_ascans (ascans, 1, BINS, 0, 8, 0, &peak, NULL));
  assert_near ("ghost", peak.side_lobe, -40, 0.3);
  add_source (ascans, 1, 0.3);
  g_assert_true (oct_meter_ascans (ascans, 1, BINS, 0, 8, 0, &peak, NULL));
  assert_near ("ghost, faint source", peak.side_lobe, -40, 0.3);
  add_source (ascans, 1, 60);
  g_assert_true (oct_meter_ascans (ascans, 1, BINS, 0, 8, 0, &peak, NULL));
  assert_near ("bright source", peak.side_lobe,
      hann_side_lobe (1.5 * hann_width (20)), 0.3);
  g_assert_true (oct_meter_ascans (ascans, 1, BINS, 0, 0, 4, &peak, NULL));
  g_assert_true (isnan (peak.side_lobe));
}

/* The range of bins, and bins that are all that there is of a deeper A-scan. */
static void
test_range (void)
{
  g_autofree float *ascans = make_tone (2, 300.4, 0, 0);
  g_autofree float *cut = g_new (float, 2 * 2 * 40);
  OctMeterPeak peak;

  for (guint line = 0; line < 2; line++)
    memcpy (
        cut + line * 80, ascans + (line * BINS + 280) * 2, 80 * sizeof (float));
  g_assert_true (oct_meter_ascans (cut, 2, 40, 0, 0, 0, &peak, NULL));
  assert_near ("bin", peak.bin, 20.4, 0.05);
  assert_near ("-6 dB", peak.width[OCT_METER_6DB], 2, 0.03);
  /* from zero delay */
  g_assert_true (oct_meter_ascans (cut, 2, 40, 280, 8, 0, &peak, NULL));
  assert_near ("bin", peak.bin, 300.4, 0.05);
  assert_near ("-6 dB", peak.width[OCT_METER_6DB], 2, 0.03);
  g_assert_true (oct_meter_ascans (cut, 2, 40, 280, 290, 300, &peak, NULL));
  g_assert_cmpfloat (peak.bin, >, 297.9);
  g_assert_cmpfloat (peak.bin, <, 300.1);
  g_assert_true (oct_meter_ascans (cut, 2, 40, 280, 302, 400, &peak, NULL));
  g_assert_cmpfloat (peak.bin, >, 301.9);
  g_assert_cmpfloat (peak.bin, <, 303);
  g_assert_true (oct_meter_ascans (ascans, 2, BINS, 0, 50, 290, &peak, NULL));
  g_assert_cmpfloat (peak.bin, <, 291);
}

static void
test_noise (void)
{
  static const guint lines[] = { 200, 4 };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree float *ascans = make_tone (lines[i], 100.3, 0.02, 1.5);
    double signal = SIM_N * 0.25 / 0.375, noise = 2 * 1.5 * 1.5;
    double limit = sqrt (noise / signal);
    OctMeterPeak peak;

    g_assert_true (oct_meter_ascans (
        ascans, lines[i], BINS, 0, OCT_METER_FIRST_BIN, 0, &peak, NULL));
    /* the median of that many values: 4 % rms with 4 lines, 0.5 % with 200 */
    assert_near ("floor", peak.floor, 10 * log10 (noise), i > 0 ? 0.4 : 0.1);
    if (lines[i] < 100)
      continue;
    assert_near ("SNR", peak.snr, 10 * log10 (signal / noise), 0.3);
    assert_near ("limit of the phase", peak.phase_limit, limit, 0.003);
    /* of two lines, one component each, and the drift */
    assert_near ("phase", peak.phase_noise, hypot (limit, 0.02), 0.01);
  }
}

static void
test_nothing_to_measure (void)
{
  g_autofree float *ascans = g_new0 (float, 10 * 2 * BINS);
  g_autoptr (GError) error = NULL;
  OctMeterPeak peak;

  g_assert_false (oct_meter_ascans (ascans, 10, BINS, 0, 8, 0, &peak, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "zeros", "source", NULL);
  for (guint line = 0; line < 10; line++)
    ascans[line * 2 * BINS + 5] = line % 2 ? NAN : INFINITY;
  g_assert_false (oct_meter_ascans (ascans, 10, BINS, 0, 8, 0, &peak, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "finite", NULL);
  g_assert_cmpuint (peak.lines, ==, 0);
  g_assert_false (oct_meter_ascans (ascans, 10, 15, 0, 0, 0, &peak, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "depth-bins", NULL);
  g_assert_false (
      oct_meter_ascans (ascans, 10, BINS, 0, 70, 71, &peak, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "70", "71", NULL);
  /* none of the range is there */
  g_assert_false (
      oct_meter_ascans (ascans, 10, 40, 280, 8, 280, &peak, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "8 to 280", "280 to 320", NULL);
  g_assert_false (
      oct_meter_ascans (ascans, 10, 40, 280, 320, 0, &peak, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "320 to 320", "280 to 320", NULL);
}

/* One line that is not finite is left out, and changes nothing else. */
static void
test_bad_line (void)
{
  g_autofree float *ascans = make_tone (30, 100.3, 0, 0.5);
  OctMeterPeak all, rest;

  ascans[29 * 2 * BINS + 100] = NAN;
  g_assert_true (oct_meter_ascans (ascans, 29, BINS, 0, 8, 0, &all, NULL));
  g_assert_true (oct_meter_ascans (ascans, 30, BINS, 0, 8, 0, &rest, NULL));
  g_assert_cmpuint (rest.lines, ==, 29);
  g_assert_cmpfloat (all.snr, ==, rest.snr);
  g_assert_cmpfloat (all.bin, ==, rest.bin);
}

static void
test_roll_off (void)
{
  static const double depth[] = { 1.5, 0.5, 1.0, 2.0 };
  static const double level[] = { 52, 60, 57, 40 };
  double slope, lost;

  g_assert_true (oct_meter_roll_off (depth, level, 4, &slope, &lost));
  assert_near ("6 dB", lost, 1.0 + 0.5 * 3 / 5, 1e-12);
  /* sum (z - 1.25) (v - 52.25) / sum (z - 1.25)^2 */
  assert_near ("slope", slope, -16.25 / 1.25, 1e-12);
  g_assert_true (oct_meter_roll_off (depth, level, 3, &slope, &lost));
  g_assert_true (oct_meter_roll_off (depth, level, 2, &slope, &lost));
  assert_near ("slope", slope, -8, 1e-12);
  g_assert_true (oct_meter_roll_off (depth + 1, level + 1, 2, &slope, &lost));
  g_assert_true (isnan (lost));
  g_assert_false (oct_meter_roll_off (depth, level, 1, &slope, &lost));
  g_assert_false (oct_meter_roll_off (
      (double[]){ 1, 1 }, (double[]){ 3, 4 }, 2, &slope, &lost));
  g_assert_true (isnan (slope) && isnan (lost));
}

/* -------------------------------------------------------------- spectra */

/* A Gaussian in k: |a| has the full width 4 ln 2 / (its width), which the
 * smoothing, by a Hann kernel of 11 samples, makes larger. */
static void
test_gaussian_source (void)
{
  double kernel = 11 * 11 * (1.0 / 3 - 2 / (G_PI * G_PI));
  double width = sqrt (160 * 160 + 8 * G_LN2 * kernel);
  double k[SIM_N], spectrum[SIM_N];
  OctMeterSource source, reverse;

  for (guint i = 0; i < SIM_N; i++) {
    k[i] = 7.4 + 0.0009 * (i - 511.5);
    spectrum[i] = 3000 * exp (-4 * G_LN2 * pow ((i - 480.0) / 160, 2));
  }
  g_assert_true (
      oct_meter_source (spectrum, SIM_N, k, OCT_WINDOW_HANN, &source, NULL));
  assert_near ("centroid", source.centroid, 480, 0.01);
  assert_near ("FWHM", source.fwhm, width, 0.02);
  assert_near (
      "resolution", source.bare_um, 4 * G_LN2 / (width * 0.0009), 0.01);
  for (guint i = 0; i < SIM_N / 2; i++) {
    double value = k[i];

    k[i] = k[SIM_N - 1 - i];
    k[SIM_N - 1 - i] = value;
    value = spectrum[i];
    spectrum[i] = spectrum[SIM_N - 1 - i];
    spectrum[SIM_N - 1 - i] = value;
  }
  g_assert_true (
      oct_meter_source (spectrum, SIM_N, k, OCT_WINDOW_HANN, &reverse, NULL));
  assert_near ("the other way round", reverse.hann_um, source.hann_um, 1e-6);
  g_assert_true (oct_meter_source (
      spectrum, SIM_N, NULL, OCT_WINDOW_HANN, &reverse, NULL));
  g_assert_true (isnan (reverse.centre_nm) && isnan (reverse.hann_um));
  /* a flat one ends at both ends */
  for (guint i = 0; i < SIM_N; i++)
    spectrum[i] = 7;
  g_assert_true (
      oct_meter_source (spectrum, SIM_N, k, OCT_WINDOW_HANN, &source, NULL));
  assert_near ("centroid", source.centroid, 511.5, 1e-6);
  assert_near ("FWHM", source.fwhm, SIM_N, 1e-6);
}

static double
sinc (double x)
{
  return x == 0 ? 1 : sin (G_PI * x) / (G_PI * x);
}

/* Bins where the transform of a - b cos + c cos 2, of one period, is half of
 * its maximum, to both sides. */
static double
cosines_width (double a, double b, double c)
{
  double low = 0, high = 2;

  for (guint i = 0; i < 60; i++) {
    double x = (low + high) / 2;
    double value = a * sinc (x) + b / 2 * (sinc (x - 1) + sinc (x + 1))
                   + c / 2 * (sinc (x - 2) + sinc (x + 2));

    *(value > a / 2 ? &low : &high) = x;
  }
  return 2 * low;
}

/* Over a flat spectrum. */
static void
test_windows (void)
{
  static const struct {
    OctWindow window;
    double a, b, c;
  } known[] = { { OCT_WINDOW_NONE, 1, 0, 0 }, { OCT_WINDOW_HANN, 0.5, 0.5, 0 },
    { OCT_WINDOW_HAMMING, 0.54, 0.46, 0 },
    { OCT_WINDOW_BLACKMAN, 0.42, 0.5, 0.08 } };
  double k[SIM_N], spectrum[SIM_N];

  for (guint i = 0; i < SIM_N; i++) {
    k[i] = 7.4 + 0.0009 * i;
    spectrum[i] = 1000;
  }
  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    double bin = G_PI / (0.0009 * SIM_N); /* um */
    OctMeterSource source;

    g_assert_true (
        oct_meter_source (spectrum, SIM_N, k, known[i].window, &source, NULL));
    assert_near (oct_windows[known[i].window].nick, source.window_um / bin,
        cosines_width (known[i].a, known[i].b, known[i].c), 0.005);
    assert_near ("hann", source.hann_um / bin, 2, 0.005);
    assert_near ("none", source.bare_um / bin, 1.2067, 0.005);
  }
}

static void
test_no_light (void)
{
  double spectrum[SIM_N] = { 0 };
  g_autoptr (GError) error = NULL;
  OctMeterSource source;
  OctMeterCamera camera;

  g_assert_false (oct_meter_source (
      spectrum, SIM_N, NULL, OCT_WINDOW_HANN, &source, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "no light", NULL);
  g_assert_false (
      oct_meter_camera (spectrum, spectrum, SIM_N, &camera, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "several lines", NULL);
  spectrum[3] = NAN;
  g_assert_false (oct_meter_source (
      spectrum, SIM_N, NULL, OCT_WINDOW_HANN, &source, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "light", NULL);
}

/* Variances without noise of their own, and such as only a fit without negative
 * parts explains. */
static void
test_photon_transfer (void)
{
  double mean[SIM_N], variance[SIM_N];
  OctMeterCamera camera;

  for (guint i = 0; i < SIM_N; i++) {
    mean[i] = 3.0 * (i + 1);
    variance[i] = 36 + 0.2 * mean[i] + pow (0.004 * mean[i], 2);
  }
  g_assert_true (oct_meter_camera (mean, variance, SIM_N, &camera, NULL));
  assert_near ("gain", camera.gain, 0.2, 1e-6);
  assert_near ("read noise", camera.read, 6, 1e-4);
  assert_near ("intensity noise", camera.intensity, 0.004, 1e-6);
  for (guint i = 0; i < SIM_N; i++)
    variance[i] = 36 + 0.2 * mean[i] - 1e-6 * mean[i] * mean[i];
  g_assert_true (oct_meter_camera (mean, variance, SIM_N, &camera, NULL));
  g_assert_cmpfloat (camera.intensity, ==, 0);
  assert_near ("gain", camera.gain, 0.2, 0.005);
  /* all light where the window is 1 / 0.375^1/2 */
  for (guint i = 0; i < SIM_N; i++)
    variance[i] = i == SIM_N / 2 ? 1000 : 0;
  assert_near ("with a window",
      oct_meter_shot_noise_floor (variance, SIM_N, 1, NULL, OCT_WINDOW_HANN),
      10 * log10 (1000 / 0.375 / SIM_N), 1e-2);
  assert_near ("without one",
      oct_meter_shot_noise_floor (variance, SIM_N, 1, NULL, OCT_WINDOW_NONE),
      10 * log10 (1000.0 / SIM_N), 1e-6);
  assert_near ("shot noise floor",
      oct_meter_shot_noise_floor (mean, SIM_N, 0.2, NULL, OCT_WINDOW_HANN),
      10 * log10 (0.2 * 3.0 * (SIM_N + 1) / 2), 1e-3);
}

static void
test_lines (void)
{
  enum { LINES = 3, N = 4 };
  static const guint8 bytes[LINES][N] = { { 1, 2, 255, 0 }, { 3, 2, 255, 9 },
    { 5, 2, 250, 0 } };
  guint16 words[LINES][N];
  float reals[LINES + 1][N], pairs[LINES][2 * N];
  const double expected_mean[] = { 3, 2, 760.0 / 3, 3 };
  const double expected_variance[] = { 4, 0, 25.0 / 3, 27 };
  const double largest[] = { 0, 0, 2.0 / 3, 0 }, high[] = { 0, 0, 1, 0 };
  double mean[N], variance[N], full[N];
  OctMeterLines found;

  for (guint i = 0; i < LINES * N; i++) {
    words[i / N][i % N] = GUINT16_TO_LE (bytes[i / N][i % N]);
    reals[i / N][i % N] = bytes[i / N][i % N];
    pairs[i / N][2 * (i % N)] = 0;
    pairs[i / N][2 * (i % N) + 1] = bytes[i / N][i % N];
  }
  for (guint i = 0; i < N; i++)
    reals[LINES][i] = i == 2 ? NAN : 1;
  for (guint format = 0; format < 4; format++) {
    gconstpointer rows[] = { bytes, words, reals, pairs };

    found = oct_meter_lines ((OctSampleFormat)format, rows[format],
        N * oct_sample_format_size ((OctSampleFormat)format),
        format == OCT_SAMPLE_F32 ? LINES + 1 : LINES, N, 0, mean, variance,
        full);
    g_assert_cmpuint (found.lines, ==, LINES);
    assert_near ("largest", found.largest, 255, 0);
    assert_near ("full", found.full, 2.0 / 12, 1e-12);
    oct_test_assert_close (mean, expected_mean, N, 1e-9);
    oct_test_assert_close (variance, expected_variance, N, 1e-9);
    oct_test_assert_close (full, largest, N, 1e-12);
  }
  found = oct_meter_lines (
      OCT_SAMPLE_U8, bytes, N, LINES, N, 250, mean, variance, full);
  assert_near ("full", found.full, 3.0 / 12, 1e-12);
  oct_test_assert_close (full, high, N, 1e-12);
}

static void
test_full_scale (void)
{
  static const double full[] = { 255, 1023, 4095, 16383, 65535, 65280, 65472,
    65520, 65532 };
  static const double others[] = { -1, 0, 1, 254, 256, 3000, 4094, 4094.5,
    65534, 131071, NAN, INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (full); i++)
    g_assert_true (oct_meter_is_full_scale (full[i]));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_false (oct_meter_is_full_scale (others[i]));
}

/* 3 + 4i and 0 + 1i; a line that is not finite does not count. */
static void
test_profile (void)
{
  static const float ascans[3][6] = { { 3, 4, 0, 0, 1, 0 },
    { 0, 1, 0, 0, 0, 1 }, { 1, 1, 1, 1, NAN, 1 } };
  double db[3];

  oct_meter_profile (ascans[0], 3, 3, db);
  assert_near ("of 25 and 1", db[0], 10 * log10 (13), 1e-9);
  g_assert_true (isinf (db[1]) && db[1] < 0);
  assert_near ("of 1 and 1", db[2], 0, 1e-9);
  oct_meter_profile (ascans[2], 1, 3, db);
  g_assert_true (isnan (db[0]));
}

/* --------------------------------------------------- a simulated instrument
 */

static void
test_source_and_camera (void)
{
  enum { LINES = 200 };
  Simulation sim;
  g_autofree guint16 *counts = g_new (guint16, LINES * SIM_N);
  double line[SIM_N], mean[SIM_N], variance[SIM_N], full[SIM_N];
  OctMeterSource source;
  OctMeterCamera camera;

  simulation_init (&sim, 5, 0);
  for (guint i = 0; i < LINES; i++) {
    simulation_detect (&sim, NULL, TRUE, line);
    for (guint p = 0; p < SIM_N; p++)
      counts[i * SIM_N + p] = GUINT16_TO_LE ((guint16)line[p]);
  }
  oct_meter_lines (OCT_SAMPLE_U16, counts, SIM_N * 2, LINES, SIM_N, SIM_FULL,
      mean, variance, full);
  g_assert_true (oct_meter_camera (mean, variance, SIM_N, &camera, NULL));
  assert_near ("counts per electron", camera.gain, SIM_FULL / SIM_ELECTRONS,
      0.03 * SIM_FULL / SIM_ELECTRONS);
  assert_near ("read noise", camera.read, SIM_READ * SIM_FULL / SIM_ELECTRONS,
      0.02 * SIM_READ * SIM_FULL / SIM_ELECTRONS);
  g_assert_cmpfloat (camera.intensity, <, 0.002);
  g_assert_true (
      oct_meter_source (mean, SIM_N, sim.k, OCT_WINDOW_HANN, &source, NULL));
  assert_near ("centre", source.centre_nm, 845, 0.1);
  assert_near ("FWHM", source.fwhm_nm, 50, 0.2);
  assert_near ("formula", source.formula_um, 6.30, 0.03);
  assert_near ("spectrum", source.bare_um, 6.52, 0.03);
  assert_near ("with the window", source.hann_um, 9.09, 0.03);
  assert_near ("shot noise",
      oct_meter_shot_noise_floor (
          mean, SIM_N, camera.gain, sim.nodes, OCT_WINDOW_HANN),
      26.7, 0.15);
  simulation_clear (&sim);
}

/* A source of `fwhm` nm, seen by a camera that adds `black` counts. */
static void
see_source (
    Simulation *sim, double fwhm, double black, double *mean, double *variance)
{
  enum { LINES = 200 };
  g_autofree guint16 *counts = g_new (guint16, LINES * SIM_N);
  double full[SIM_N];

  simulation_init (sim, 5, 0);
  for (guint p = 0; p < SIM_N; p++)
    sim->light[p] =
        exp (-4 * G_LN2 * pow ((2e3 * G_PI / sim->k[p] - 845) / fwhm, 2));
  for (guint i = 0; i < LINES; i++) {
    for (guint p = 0; p < SIM_N; p++) {
      /* read noise is not cut off at zero: that is what a black level is for */
      double electrons = SIM_LEVEL * SIM_ELECTRONS * sim->light[p];

      electrons += sqrt (electrons) * signal_normal (sim->random)
                   + SIM_READ * signal_normal (sim->random);
      counts[i * SIM_N + p] = GUINT16_TO_LE (
          (guint16)rint (black + electrons / SIM_ELECTRONS * SIM_FULL));
    }
  }
  oct_meter_lines (OCT_SAMPLE_U16, counts, SIM_N * 2, LINES, SIM_N, SIM_FULL,
      mean, variance, full);
}

/* A black level is found in pixels that no light reaches; where there are none
 * it has to be known, and read noise is not said to be zero. */
static void
test_black_level (void)
{
  static const double gain = SIM_FULL / SIM_ELECTRONS;
  Simulation sim;
  double mean[SIM_N], variance[SIM_N], level;
  OctMeterSource source;
  OctMeterCamera camera;

  for (guint i = 0; i < 2; i++) {
    double black = i ? 400 : 100;

    see_source (&sim, 25, black, mean, variance);
    level = oct_meter_black_level (mean, variance, SIM_N, 200);
    assert_near ("black level", level, black, 1);
    for (guint p = 0; p < SIM_N; p++)
      mean[p] -= level;
    g_assert_true (oct_meter_camera (mean, variance, SIM_N, &camera, NULL));
    assert_near ("gain", camera.gain, gain, 0.03 * gain);
    assert_near (
        "read noise", camera.read, SIM_READ * gain, 0.02 * SIM_READ * gain);
    g_assert_true (
        oct_meter_source (mean, SIM_N, sim.k, OCT_WINDOW_HANN, &source, NULL));
    assert_near ("FWHM", source.fwhm_nm, 25, 0.1);
    simulation_clear (&sim);
  }
  see_source (&sim, 50, 400, mean, variance);
  g_assert_true (isnan (oct_meter_black_level (mean, variance, SIM_N, 200)));
  g_assert_true (oct_meter_camera (mean, variance, SIM_N, &camera, NULL));
  assert_near ("gain", camera.gain, gain, 0.03 * gain);
  g_assert_true (isnan (camera.read));
  for (guint p = 0; p < SIM_N; p++)
    mean[p] -= 400;
  g_assert_true (oct_meter_camera (mean, variance, SIM_N, &camera, NULL));
  assert_near (
      "read noise", camera.read, SIM_READ * gain, 0.02 * SIM_READ * gain);
  g_assert_true (
      oct_meter_source (mean, SIM_N, sim.k, OCT_WINDOW_HANN, &source, NULL));
  assert_near ("FWHM", source.fwhm_nm, 50, 0.2);
  simulation_clear (&sim);
  /* the same light in all pixels does not give a black level */
  for (guint p = 0; p < SIM_N; p++)
    mean[p] = 1000 + 0.1 * sin (p);
  g_assert_true (isnan (oct_meter_black_level (mean, variance, SIM_N, 200)));
}

/* Mirrors at four depths: the truth of a peak is that of fringes without noise,
 * of the noise the variance of the pixels, thinned by the spline. */
static void
test_mirrors (void)
{
  enum { LINES = 60, NOISE_LINES = 200 };
  static const double depths[] = { 200, 500, 900, 1300 };
  const double gain = SIM_FULL / SIM_ELECTRONS;
  g_autofree double *values = g_new (double, NOISE_LINES *SIM_N);
  g_autofree double *uniform = g_new (double, NOISE_LINES *SIM_N);
  g_autofree float *ascans = g_new (float, NOISE_LINES *SIM_N);
  double source[SIM_N], line[SIM_N], noise = 0;
  Simulation sim;

  simulation_init (&sim, 5, 0);
  simulation_detect (&sim, NULL, FALSE, source);
  for (guint i = 0; i < NOISE_LINES * SIM_N; i++)
    values[i] =
        signal_normal (sim.random)
        * sqrt (source[i % SIM_N] * gain + pow (SIM_READ * gain, 2) + 1.0 / 12);
  simulation_resample (&sim, NOISE_LINES, values, uniform);
  simulation_transform (NOISE_LINES, uniform, ascans);
  for (guint i = 0; i < NOISE_LINES; i++)
    for (guint q = 2 * (SIM_N / 10); q < 2 * (SIM_N * 45 / 100); q++)
      noise += pow (ascans[i * SIM_N + q], 2);
  noise = 10 * log10 (noise / NOISE_LINES / (SIM_N * 45 / 100 - SIM_N / 10));
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    Complex field[SIM_N];
    OctMeterPeak truth, peak;
    double phase = 0.5;

    for (guint i = 0; i <= LINES; i++) {
      phase += 0.02 * signal_normal (sim.random);
      for (guint p = 0; p < SIM_N; p++)
        field[p] = 0.01 * cexp (I * (2 * sim.k[p] * depths[d] + phase));
      simulation_detect (&sim, field, i > 0, line);
      for (guint p = 0; p < SIM_N; p++)
        values[i * SIM_N + p] = line[p] - source[p];
    }
    simulation_resample (&sim, LINES + 1, values, uniform);
    simulation_transform (LINES + 1, uniform, ascans);
    g_assert_true (oct_meter_ascans (ascans, 1, BINS, 0, 8, 0, &truth, NULL));
    g_assert_true (
        oct_meter_ascans (ascans + SIM_N, LINES, BINS, 0, 8, 0, &peak, NULL));
    assert_near ("bin", peak.bin, depths[d] / simulation_bin (&sim), 0.1);
    assert_near ("floor", peak.floor, noise, 0.3);
    assert_near ("SNR", peak.snr, truth.level - noise, 0.3);
    assert_near ("-6 dB in um",
        peak.width[OCT_METER_6DB] * simulation_bin (&sim), 9.09, 0.2);
  }
  simulation_clear (&sim);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/meter/fft", test_fft);
  g_test_add_func ("/meter/psf", test_psf);
  g_test_add_func ("/meter/residue", test_residue);
  g_test_add_func ("/meter/residue-and-ghost", test_residue_and_ghost);
  g_test_add_func ("/meter/range", test_range);
  g_test_add_func ("/meter/noise", test_noise);
  g_test_add_func ("/meter/nothing-to-measure", test_nothing_to_measure);
  g_test_add_func ("/meter/bad-line", test_bad_line);
  g_test_add_func ("/meter/roll-off", test_roll_off);
  g_test_add_func ("/meter/windows", test_windows);
  g_test_add_func ("/meter/gaussian-source", test_gaussian_source);
  g_test_add_func ("/meter/no-light", test_no_light);
  g_test_add_func ("/meter/photon-transfer", test_photon_transfer);
  g_test_add_func ("/meter/lines", test_lines);
  g_test_add_func ("/meter/full-scale", test_full_scale);
  g_test_add_func ("/meter/profile", test_profile);
  g_test_add_func ("/meter/source-and-camera", test_source_and_camera);
  g_test_add_func ("/meter/black-level", test_black_level);
  g_test_add_func ("/meter/mirrors", test_mirrors);
  return g_test_run ();
}
