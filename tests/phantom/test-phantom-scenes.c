/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scenes of the virtual OCT system: tissue, instruments, vessels, the spot. */
#include "oct-phantom-spectrometer.h"
#include "oct-phantom-surgery.h"
#include "phantom-test.h"

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
 * B-scans after a. */
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

/* A beam that is moved sees, at places that it is told for each B-scan, the
 * sample as along the same path of the settings; a still one is the same in
 * every volume. */
static void
test_along (void)
{
  enum { SAMPLES = 64, LINES = 6, BSCANS = 2, ALL = LINES * BSCANS };
  double path[2 * ALL];
  OctScanPoint places[ALL];
  guint16 seen[2][LINES * SAMPLES], again[LINES * SAMPLES];
  OctPhantomSettings settings = { .kind = OCT_PHANTOM_SURGERY,
    .samples = SAMPLES,
    .lines = LINES,
    .bscans = BSCANS,
    .sample_format = OCT_SAMPLE_U16,
    .seed = 5,
    .columns = 200,
    .still = TRUE };
  g_autoptr (OctPhantom) fixed = NULL;
  g_autoptr (OctPhantom) moved = NULL;

  for (guint i = 0; i < ALL; i++) {
    /* a hundredth of a column apart */
    path[2 * i] = 0.4 + i * 5e-5;
    path[2 * i + 1] = 0.3;
    for (guint axis = 0; axis < 2; axis++)
      places[i].at[axis] = (path[2 * i + axis] - 0.5) * OCT_PHANTOM_SAMPLE;
  }
  settings.path = path;
  fixed = oct_phantom_new (&settings, NULL);
  settings.path = NULL;
  settings.follows = TRUE;
  moved = oct_phantom_new (&settings, NULL);
  for (guint64 frame = 0; frame < 3 * BSCANS; frame++) {
    const OctScanPoint *at = places + frame % BSCANS * LINES;

    oct_phantom_render (fixed, frame, seen[0], SAMPLES * sizeof (guint16));
    oct_phantom_render_along (
        moved, frame, at, seen[1], SAMPLES * sizeof (guint16));
    for (guint i = 0; i < LINES * SAMPLES; i++)
      g_assert_cmpint (ABS (seen[0][i] - seen[1][i]), <=, 1);
    if (frame == 0)
      memcpy (again, seen[1], sizeof again);
    if (frame % BSCANS == 0)
      g_assert_cmpmem (again, sizeof again, seen[1], sizeof again);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/phantom/layers/signal", test_layers_signal);
  g_test_add_func ("/phantom/layers/instrument", test_layers_instrument);
  g_test_add_func ("/phantom/spot/coherence", test_spot_coherence);
  g_test_add_func ("/phantom/spot/power", test_spot_power);
  g_test_add_func ("/phantom/surgery/instrument", test_surgery_instrument);
  g_test_add_func ("/phantom/surgery/pulse", test_surgery_pulse);
  g_test_add_func ("/phantom/surgery/vessel", test_surgery_vessel);
  g_test_add_func ("/phantom/repeats", test_repeats);
  g_test_add_func ("/phantom/along", test_along);
  return g_test_run ();
}
