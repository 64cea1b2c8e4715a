/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The virtual OCT system against the float64 reference and against physics. */
#include <math.h>
#include <string.h>

#include "oct-parallel.h"
#include "oct-phantom.h"
#include "oct-phantom-spectrometer.h"
#include "oct-phantom-surgery.h"
#include "oct-reference.h"

#define FULL_SCALE 4095.0

/* Camera: shot noise of 2e5 electrons and read noise of 120 at full scale. */
#define COUNTS_PER_ELECTRON (FULL_SCALE / 2.0e5)
#define READ_COUNTS (120.0 * COUNTS_PER_ELECTRON)

/* spot_x: of a spot of that width, and half of it from B-scan to B-scan. */
static OctPhantom *
make_phantom_seen (OctPhantomKind kind, guint samples, guint lines,
    guint bscans, double depth, double noise, guint seed, double spot_x)
{
  OctPhantomSettings settings = { .kind = kind,
    .samples = samples,
    .lines = lines,
    .bscans = bscans,
    .sample_format = OCT_SAMPLE_U16,
    .depth = depth,
    .noise = noise,
    .seed = seed,
    .spot_x = spot_x,
    .spot_y = 0.5 * spot_x };
  g_autoptr (GError) error = NULL;
  OctPhantom *phantom = oct_phantom_new (&settings, &error);

  g_assert_no_error (error);
  g_assert_nonnull (phantom);
  return phantom;
}

static OctPhantom *
make_phantom (OctPhantomKind kind, guint samples, guint lines, guint bscans,
    double depth, double noise, guint seed)
{
  return make_phantom_seen (
      kind, samples, lines, bscans, depth, noise, seed, 0.0);
}

/* [lines][samples], free with g_free. */
static guint16 *
render (OctPhantom *phantom, guint64 frame, guint samples, guint lines)
{
  guint16 *bscan = g_new0 (guint16, (gsize)samples * lines);

  oct_phantom_render (phantom, frame, bscan, samples * sizeof (guint16));
  return bscan;
}

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

/* a (z) of one spectrum, re and im, integrated over the wavenumbers of the
 * phantom's camera: sum of (counts - background) hann exp (-2 i k z + i
 * compensation) dk.  z in um. */
static void
find_a_scan (OctPhantom *phantom, const guint16 *line, guint samples, double z,
    double a[2])
{
  OctCalibration *calibration = oct_phantom_get_calibration (phantom);
  const double *background = oct_calibration_get_background (calibration);
  const double *nodes = oct_calibration_get_nodes (calibration);
  const double *dispersion = oct_calibration_get_dispersion (calibration);
  double re = 0.0, im = 0.0;
  guint n;

  for (n = 0; n < samples; n++) {
    double wavelength = 0.845 + (n - 0.5 * (samples - 1)) * 0.110 / samples;
    double hann = 0.5 - 0.5 * cos (2.0 * G_PI * nodes[n] / (samples - 1));
    guint j = MIN ((guint)nodes[n], samples - 2);
    double part = nodes[n] - j;
    double phase = dispersion[j] * (1.0 - part) + dispersion[j + 1] * part
                   - 4.0 * G_PI / wavelength * z;
    double value = (line[n] - background[n]) * hann / (wavelength * wavelength);

    re += value * cos (phase);
    im += value * sin (phase);
  }
  a[0] = re;
  a[1] = im;
}

static double
get_a_scan (OctPhantom *phantom, const guint16 *line, guint samples, double z)
{
  double a[2];

  find_a_scan (phantom, line, samples, z, a);
  return sqrt (a[0] * a[0] + a[1] * a[1]);
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

static double
get_mean_power (OctPhantom *phantom, const guint16 *bscan, guint samples,
    guint from, guint to, double z_start, double z_end)
{
  double power = 0.0;
  guint count = 0, line;
  double z;

  for (line = from; line < to; line += 7) {
    for (z = z_start; z < z_end; z += 10.0) {
      double value =
          get_a_scan (phantom, bscan + (gsize)line * samples, samples, z);

      power += value * value;
      count++;
    }
  }
  return power / count;
}

/* Tissue well above the noise, weaker with depth, nothing above it; the mean
 * spectrum is the calibration's background. */
static void
test_layers_signal (void)
{
  const guint samples = 1024, lines = 256;
  double range = 1650.0;
  g_autoptr (OctPhantom) phantom =
      make_phantom (OCT_PHANTOM_LAYERS, samples, lines, 1, 0.0, 1.0, 4);
  g_autofree guint16 *bscan = render (phantom, 0, samples, lines);
  const double *background =
      oct_calibration_get_background (oct_phantom_get_calibration (phantom));
  double tissue, deep, noise;
  guint line, n;

  for (n = 0; n < samples; n++) {
    double mean = 0.0;

    for (line = 0; line < lines; line++)
      mean += (double)bscan[line * samples + n] / lines;
    g_assert_cmpfloat (
        fabs (mean - background[n]), <, 0.06 * background[n] + 3.0);
  }
  tissue = get_mean_power (
      phantom, bscan, samples, 0, lines, 0.22 * range, 0.32 * range);
  deep = get_mean_power (
      phantom, bscan, samples, 0, lines, 0.42 * range, 0.50 * range);
  noise = get_mean_power (
      phantom, bscan, samples, 0, lines, 0.88 * range, 0.96 * range);
  g_test_message ("tissue %.1f dB, deep %.1f dB above the noise",
      10.0 * log10 (tissue / noise), 10.0 * log10 (deep / noise));
  g_assert_cmpfloat (tissue, >, 1000.0 * noise);
  g_assert_cmpfloat (tissue, <, 1e5 * noise);
  g_assert_cmpfloat (deep, >, 3.0 * noise);
  g_assert_cmpfloat (deep, <, 0.3 * tissue);
}

/* Bright metal somewhere within a pass, tissue dark below it. */
static void
test_layers_instrument (void)
{
  const guint samples = 512, lines = 200;
  g_autoptr (OctPhantom) phantom =
      make_phantom (OCT_PHANTOM_LAYERS, samples, lines, 1, 0.0, 1.0, 4);
  double range = 820.0;
  double free_tissue, shadowed;
  g_autofree guint16 *before = render (phantom, 0, samples, lines);
  g_autofree guint16 *during = render (phantom, 120, samples, lines);

  /* At that moment it lies over A-lines 85 to 115. */
  free_tissue = get_mean_power (
      phantom, before, samples, 88, 110, 0.24 * range, 0.32 * range);
  shadowed = get_mean_power (
      phantom, during, samples, 88, 110, 0.24 * range, 0.32 * range);
  g_test_message ("shadow %.1f dB", 10.0 * log10 (shadowed / free_tissue));
  g_assert_cmpfloat (shadowed, <, 0.05 * free_tissue);
}

static double
get_range (guint samples)
{
  OctSpectrometer spectrometer;
  double range;

  oct_spectrometer_init (&spectrometer, samples);
  range = spectrometer.range;
  oct_spectrometer_clear (&spectrometer);
  return range;
}

/* Metal where the geometry says, and tissue below it in its shadow. */
static void
test_surgery_instrument (void)
{
  const guint samples = 512, lines = 128, bscans = 64;
  g_autoptr (OctPhantom) phantom =
      make_phantom (OCT_PHANTOM_SURGERY, samples, lines, bscans, 0.0, 1.0, 4);
  double range = get_range (samples);
  double dark = 0.0, bright = 0.0;
  guint seen = 0, beside = 0;

  for (guint bscan = 28; bscan < 36; bscan += 2) {
    g_autofree guint16 *counts =
        render (phantom, 5 * bscans + bscan, samples, lines);
    OctSurgery surgery;

    oct_surgery_set_moment (&surgery, 5, bscan, bscans);
    for (guint line = 2; line < lines - 2; line += 3) {
      double depth = 0.0, facing, along;
      gboolean hit = oct_surgery_hit_instrument (
          &surgery, (double)line / lines, &depth, &facing, &along);
      double tissue =
          (0.24 + oct_surgery_get_tissue (&surgery, (double)line / lines))
          * range;
      double below = get_mean_power (
          phantom, counts, samples, line, line + 1, tissue, tissue + 80.0);

      if (hit && facing > 0.7 && along > 0.05) {
        const guint16 *spectrum = counts + (gsize)line * samples;
        double z = depth * range;
        double peak = get_a_scan (phantom, spectrum, samples, z);

        g_assert_cmpfloat (
            get_a_scan (phantom, spectrum, samples, z + 30.0), <, 0.2 * peak);
        g_assert_cmpfloat (below, <, 0.01 * peak * peak);
        dark += below;
        seen++;
      } else if (!hit) {
        bright += below;
        beside++;
      }
    }
  }
  g_assert_cmpuint (seen, >, 10);
  g_assert_cmpuint (beside, >, 10);
  g_test_message (
      "shadow %.1f dB", 10.0 * log10 (dark / seen * beside / bright));
  /* 34 dB, above which there is noise */
  g_assert_cmpfloat (dark / seen, <, 0.02 * bright / beside);
}

/* Depth of the first light of tissue around an A-line, um. */
static double
find_surface (OctPhantom *phantom, const guint16 *bscan, guint samples,
    guint line, double range)
{
  double strongest = 0.0, z;

  for (z = 0.1 * range; z < 0.4 * range; z += 4.0)
    strongest = MAX (strongest, get_mean_power (phantom, bscan, samples,
                                    line - 14, line + 14, z, z + 4.0));
  for (z = 0.1 * range; z < 0.4 * range; z += 2.0)
    if (get_mean_power (
            phantom, bscan, samples, line - 14, line + 14, z, z + 2.0)
        > 0.25 * strongest)
      break;
  return z;
}

/* The dome rises by 22 % of its height, 0.075 of the range, with the pulse, and
 * tissue is seen to do so; far from it nothing beats. */
static void
test_surgery_pulse (void)
{
  const guint samples = 512, lines = 128, bscans = 64;
  g_autoptr (OctPhantom) phantom =
      make_phantom (OCT_PHANTOM_SURGERY, samples, lines, bscans, 0.0, 1.0, 4);
  double range = get_range (samples);
  const guint64 calm = 6, beat = 2; /* of a period of 8 volumes */
  const guint bscan = 24, line = 0.62 * lines;
  OctSurgery before, after;
  g_autofree guint16 *low =
      render (phantom, calm * bscans + bscan, samples, lines);
  g_autofree guint16 *high =
      render (phantom, beat * bscans + bscan, samples, lines);
  double rise, expected;

  oct_surgery_set_moment (&before, calm, bscan, bscans);
  oct_surgery_set_moment (&after, beat, bscan, bscans);
  g_assert_cmpfloat (
      fabs (after.dome - before.dome - 0.22 * 0.075), <, 0.2 * 0.0165);
  expected = (oct_surgery_get_tissue (&before, 0.62)
                 - oct_surgery_get_tissue (&after, 0.62))
             * range;
  rise = find_surface (phantom, low, samples, line, range)
         - find_surface (phantom, high, samples, line, range);
  g_test_message ("rise %.1f um, expected %.1f um", rise, expected);
  g_assert_cmpfloat (expected, >, 8.0);
  /* steps of 2 um, and speckle of 6 um */
  g_assert_cmpfloat (fabs (rise - expected), <, 5.0);
  /* without breath all of it is the dome's */
  before.breath = after.breath = 0.0;
  g_assert_cmpfloat (fabs (oct_surgery_get_tissue (&before, 0.0)
                           - oct_surgery_get_tissue (&after, 0.0)),
      <, 2e-4);
}

/* Depth of the tissue's surface at rest, um, and the power just below it, in
 * the A-lines 17 to 21 of this B-scan, over 16 volumes. */
static double
see_surface (OctPhantom *phantom, guint bscan, double range, double *strongest)
{
  double powers[160] = { 0.0 };
  guint at = 0;

  for (guint volume = 0; volume < 16; volume++) {
    g_autofree guint16 *counts =
        render (phantom, volume * 64 + bscan, 512, 128);
    OctSurgery surgery;

    oct_surgery_set_moment (&surgery, volume, bscan, 64);
    for (guint i = 0; i < G_N_ELEMENTS (powers); i++)
      for (guint line = 17; line < 22; line++) {
        double z = (0.2 + surgery.breath) * range + 2.0 * i;

        powers[i] +=
            get_mean_power (phantom, counts, 512, line, line + 1, z, z + 2.0);
      }
  }
  *strongest = 0.0;
  for (guint i = 0; i < G_N_ELEMENTS (powers); i++)
    *strongest = MAX (*strongest, powers[i]);
  while (powers[at] < 0.25 * *strongest)
    at++;
  return 2.0 * at;
}

/* A vessel of radius 0.020 passes here at slow = 0.833: the surface is up to
 * 1.4 * 0.020 of the range higher, and sends back 1 - 0.35 of the amplitude. */
static void
test_surgery_vessel (void)
{
  g_autoptr (OctPhantom) phantom =
      make_phantom (OCT_PHANTOM_SURGERY, 512, 128, 64, 0.0, 1.0, 4);
  double off = (53 / 64.0 - 0.833) / 0.020, above = exp (-off * off);
  double range = get_range (512), power[2];
  double rise = see_surface (phantom, 49, range, &power[1])
                - see_surface (phantom, 53, range, &power[0]);
  double expected = 1.4 * 0.020 * above * range;
  double weaker = power[0] / power[1] / pow (1.0 - 0.35 * above, 2.0);

  g_test_message ("rise %.1f um, expected %.1f um; power %.2f of what it is",
      rise, expected, weaker);
  /* the skin has waves, and speckle is 6 um high */
  g_assert_cmpfloat (fabs (rise - expected), <, 8.0);
  g_assert_cmpfloat (fabs (log (weaker)), <, log (1.6));
  g_assert_cmpfloat (power[0], <, 0.7 * power[1]);
}

/* Neighbours have the coherence that the weights of the spot give. */
#define SPOT_SAMPLES 256
#define SPOT_LINES 192
#define SPOT_BSCANS 32
#define SPOT_DEPTHS 7 /* 10 um apart: the resolution is 6.5 */

typedef struct {
  double a[SPOT_BSCANS][SPOT_LINES][SPOT_DEPTHS][2];
} SpotVolume;

/* |sum conj (a) b| over the root of both powers, b being dx A-lines and dy
 * B-scans behind a. */
static double
find_coherence (const SpotVolume *volume, guint dx, guint dy)
{
  double re = 0.0, im = 0.0, power[2] = { 0.0 };

  for (guint y = 0; y + dy < SPOT_BSCANS; y++) {
    for (guint x = 0; x + dx < SPOT_LINES; x++) {
      for (guint z = 0; z < SPOT_DEPTHS; z++) {
        const double *a = volume->a[y][x][z];
        const double *b = volume->a[y + dy][x + dx][z];

        re += a[0] * b[0] + a[1] * b[1];
        im += a[0] * b[1] - a[1] * b[0];
        power[0] += a[0] * a[0] + a[1] * a[1];
        power[1] += b[0] * b[0] + b[1] * b[1];
      }
    }
  }
  return hypot (re, im) / sqrt (power[0] * power[1]);
}

static SpotVolume *
make_spot_volume (OctPhantomKind kind, double spot)
{
  g_autoptr (OctPhantom) phantom = make_phantom_seen (
      kind, SPOT_SAMPLES, SPOT_LINES, SPOT_BSCANS, 0.0, 0.0, 4, spot);
  SpotVolume *volume = g_new (SpotVolume, 1);

  for (guint y = 0; y < SPOT_BSCANS; y++) {
    /* of the second volume */
    g_autofree guint16 *bscan =
        render (phantom, SPOT_BSCANS + y, SPOT_SAMPLES, SPOT_LINES);

    for (guint x = 0; x < SPOT_LINES; x++)
      for (guint z = 0; z < SPOT_DEPTHS; z++)
        find_a_scan (phantom, bscan + x * SPOT_SAMPLES, SPOT_SAMPLES,
            130.0 + 10.0 * z, volume->a[y][x][z]);
  }
  return volume;
}

static void
test_spot_coherence (void)
{
  static const struct {
    OctPhantomKind kind;
    double spot; /* along x, and half of it along y */
  } cases[] = { { OCT_PHANTOM_SURGERY, 5.0 }, { OCT_PHANTOM_LAYERS, 8.0 } };
  static const guint steps[][2] = { { 1, 0 }, { 0, 1 }, { 3, 0 }, { 0, 2 },
    { 2, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    double x = cases[i].spot, y = 0.5 * x;
    g_autofree SpotVolume *volume = make_spot_volume (cases[i].kind, x);
    /* the area of the square of the coherence, in lines, is that of one
     * independent value; a third of them has most of the light */
    double area = G_PI / (4.0 * G_LN2) * x * y;
    double independent = SPOT_LINES * SPOT_BSCANS * SPOT_DEPTHS / area / 3.0;

    for (guint j = 0; j < G_N_ELEMENTS (steps); j++) {
      double dx = steps[j][0] / x, dy = steps[j][1] / y;
      double expected = exp (-2.0 * G_LN2 * (dx * dx + dy * dy));
      double found = find_coherence (volume, steps[j][0], steps[j][1]);
      /* four standard deviations, and 0.5 % for weights on a grid of lines */
      double allowed =
          0.005 + 4.0 * (1.0 - expected * expected) / sqrt (2.0 * independent);

      g_test_message ("spot %g x %g, %u lines %u B-scans on: %.4f, expected "
                      "%.4f +- %.4f",
          x, y, steps[j][0], steps[j][1], found, expected, allowed);
      g_assert_cmpfloat (fabs (found - expected), <, allowed);
    }
  }
}

/* The spot spreads the light and takes none of it away. */
static void
test_spot_power (void)
{
  const guint samples = 512, lines = 256;
  double range = 820.0, power[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (OctPhantom) phantom = make_phantom_seen (
        OCT_PHANTOM_LAYERS, samples, lines, 1, 0.0, 0.0, 4, i * 4.0);
    g_autofree guint16 *bscan = render (phantom, 0, samples, lines);

    power[i] = get_mean_power (
        phantom, bscan, samples, 0, lines, 0.22 * range, 0.42 * range);
  }
  g_test_message ("with a spot %.3f of the power", power[1] / power[0]);
  /* Both are means over 60 places and 25 depths, of which a third has most of
   * the light: four times the root of 2 / 500. */
  g_assert_cmpfloat (fabs (power[1] / power[0] - 1.0), <, 0.25);
}

/* B-scans that are taken at one place are the same where nothing moves and
 * nothing is noisy, and places are those of a volume without repeats. */
static void
test_repeats (void)
{
  const guint samples = 256, lines = 24, repeats = 3, places = 4;
  OctPhantomSettings settings = { .kind = OCT_PHANTOM_LAYERS,
    .samples = samples,
    .lines = lines,
    .bscans = places,
    .sample_format = OCT_SAMPLE_U16,
    .spot_x = 3.0,
    .spot_y = 2.0,
    .seed = 5 };
  g_autoptr (OctPhantom) single = oct_phantom_new (&settings, NULL);
  g_autoptr (OctPhantom) repeated = NULL;
  gsize size = (gsize)samples * lines * sizeof (guint16);

  settings.bscans = places * repeats;
  settings.repeats = repeats;
  repeated = oct_phantom_new (&settings, NULL);
  for (guint place = 0; place < places; place++) {
    g_autofree guint16 *expected = render (single, place, samples, lines);

    for (guint i = 0; i < repeats; i++) {
      g_autofree guint16 *bscan =
          render (repeated, place * repeats + i, samples, lines);

      g_assert_cmpmem (bscan, size, expected, size);
    }
  }
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
  g_test_add_data_func ("/phantom/layers/repeat",
      GINT_TO_POINTER (OCT_PHANTOM_LAYERS), test_bytes_repeat);
  g_test_add_func ("/phantom/noise/variance", test_noise_variance);
  g_test_add_func ("/phantom/noise/white", test_noise_white);
  g_test_add_func ("/phantom/layers/stride", test_stride_and_bytes);
  g_test_add_func ("/phantom/layers/signal", test_layers_signal);
  g_test_add_func ("/phantom/layers/instrument", test_layers_instrument);
  g_test_add_data_func ("/phantom/surgery/repeat",
      GINT_TO_POINTER (OCT_PHANTOM_SURGERY), test_bytes_repeat);
  g_test_add_data_func ("/phantom/surgery/spot/repeat",
      GINT_TO_POINTER (16 + OCT_PHANTOM_SURGERY), test_bytes_repeat);
  g_test_add_data_func ("/phantom/layers/spot/repeat",
      GINT_TO_POINTER (16 + OCT_PHANTOM_LAYERS), test_bytes_repeat);
  g_test_add_func ("/phantom/spot/coherence", test_spot_coherence);
  g_test_add_func ("/phantom/spot/power", test_spot_power);
  g_test_add_func ("/phantom/surgery/instrument", test_surgery_instrument);
  g_test_add_func ("/phantom/surgery/pulse", test_surgery_pulse);
  g_test_add_func ("/phantom/surgery/vessel", test_surgery_vessel);
  g_test_add_func ("/phantom/repeats", test_repeats);
  g_test_add_func ("/phantom/sizes", test_sizes);
  g_test_add_func ("/phantom/settings", test_settings_refused);
  return g_test_run ();
}
