/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wavenumbers and dispersion from simulated mirrors, against what was
 * simulated, and from the mirrors of the C-scan, against the calibration that
 * comes with them.
 *
 * The limits are those of the float64 reference, which has 0.012 rad for K,
 * 0.006 for D and 0.01 dB of loss; with 27 % of the samples saturated 0.12 rad,
 * with a ghost 0.033 for D, at 21 dB between 0.2 and 2.4 rad for K.  Where a
 * narrow source leaves the ends of the record dark, their place is a guess:
 * that scales the window, -0.25 to 0.25 dB, and blurs nothing. */
#include "oct-calibration.h"
#include "oct-curve.h"
#include "oct-fourier.h"
#include "oct-mirror-peak.h"
#include "oct-mirrors.h"
#include "oct-reader.h"
#include "mirror-camera.h"
#include "oct-test.h"

#define MAX_MIRRORS 31

typedef struct {
  const char *name;
  MirrorCamera camera;
  double depths[MAX_MIRRORS + 1]; /* um, ends with 0 */
  guint lines;
  gboolean background, reversed;
  /* limits: rad rms of K at the deepest mirror and of D, dB */
  double k, d, loss;
} Case;

/* rms of v from the best straight line in k, over the light; and its slope. */
static double
off_line (const double *v, const double *k, const double *light, guint n,
    double *slope)
{
  double offset, sum = 0, square = 0;

  oct_curve_fit_line (k, v, light, n, &offset, slope);
  for (guint i = 0; i < n; i++) {
    double r = v[i] - offset - *slope * k[i];

    sum += light[i];
    square += light[i] * r * r;
  }
  return sqrt (square / sum);
}

static void
reverse (double *v, guint n)
{
  for (guint i = 0; i < n / 2; i++) {
    double swap = v[i];

    v[i] = v[n - 1 - i];
    v[n - 1 - i] = swap;
  }
}

/* Level of a mirror without noise, after a calibration. */
static double
find_level (const Case *c, double depth, const double *k_index,
    const double *dispersion)
{
  guint n = c->camera.samples;
  MirrorCamera camera = c->camera;
  OctMirrorPeak peak;
  g_autofree double *counts = g_new (double, n);
  g_autofree double *source = g_new (double, n);
  g_autofree double complex *y = g_new (double complex, n);
  g_autofree double *ascan = NULL;

  camera.seed = 0;
  camera.ghost = 0;
  camera.level = 0.7;
  camera.reflectivity = 0.3;
  mirror_camera_see (&camera, depth, 1, counts);
  camera.reflectivity = 0;
  mirror_camera_see (&camera, depth, 1, source);
  for (guint i = 0; i < n; i++)
    y[i] = counts[c->reversed ? n - 1 - i : i]
           - source[c->reversed ? n - 1 - i : i];
  ascan = oct_mirror_peak_transform (y, n, k_index, dispersion);
  oct_mirror_peak_measure (ascan, n, 8, n / 2.0, &peak);
  return peak.level;
}

static OctFringe *
see (const Case *c, double depth, const double *background)
{
  guint n = c->camera.samples;
  g_autofree double *counts = g_new (double, (gsize)n * c->lines);

  mirror_camera_see (&c->camera, depth, c->lines, counts);
  for (guint line = 0; c->reversed && line < c->lines; line++)
    reverse (counts + (gsize)line * n, n);
  return oct_fringe_new (counts, c->lines, n, background);
}

static double *
see_background (const Case *c)
{
  MirrorCamera camera = c->camera;
  double *background = g_new0 (double, camera.samples);
  g_autofree double *counts = g_new (double, 50 * (gsize)camera.samples);

  camera.reflectivity = 0;
  mirror_camera_see (&camera, 0, 50, counts);
  for (guint i = 0; i < 50 * camera.samples; i++)
    background[i % camera.samples] += counts[i] / 50;
  if (c->reversed)
    reverse (background, camera.samples);
  return background;
}

/* Loss in dB against the true calibration, the worst of three depths. */
static double
find_loss (const Case *c, const OctMirrorFit *fit, const double *k,
    const double *d, double sign)
{
  static const double depths[] = { 100, 500, 1000 };
  guint n = fit->samples;
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *dispersion = g_new (double, n);
  g_autofree double *index = g_new (double, n);
  g_autofree double *true_index = g_new (double, n);
  g_autofree double *true_dispersion = g_new (double, n);
  double worst = 0;

  for (guint i = 0; i < n; i++)
    index[i] = i;
  for (guint i = 0; i < n; i++) {
    true_index[i] = oct_curve_interpolate (k, index, n, i / (n - 1.0));
    true_dispersion[i] = -oct_curve_interpolate (index, d, n, true_index[i]);
  }
  oct_mirror_fit_fill_columns (fit, 1, k_index, dispersion);
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    double loss = find_level (c, sign * depths[i], true_index, true_dispersion)
                  - find_level (c, sign * depths[i], k_index, dispersion);

    worst = MAX (worst, loss);
  }
  return worst;
}

static void
check_fit (const Case *c, const OctMirrorFit *fit)
{
  guint n = c->camera.samples;
  g_autofree double *k = g_new (double, n);
  g_autofree double *d = g_new (double, n);
  g_autofree double *light = g_new (double, n);
  double span = mirror_camera_truth (&c->camera, k, d, light);
  double sign = c->depths[0] < 0 ? -1 : 1, deepest = 0;
  double k_error, d_error, slope, unused, loss;

  for (guint i = 0; i < n; i++)
    d[i] *= sign;
  if (c->reversed) {
    reverse (k, n);
    reverse (d, n);
    reverse (light, n);
    for (guint i = 0; i < n; i++) {
      k[i] = 1 - k[i];
      d[i] = -d[i];
    }
  }
  for (guint m = 0; c->depths[m] != 0; m++)
    deepest = MAX (deepest, 2 * fabs (c->depths[m]) * span);
  k_error = off_line (fit->k, k, light, n, &slope) / 1.0;
  k_error = k_error / slope * deepest;
  loss = find_loss (c, fit, k, d, sign);
  for (guint i = 0; i < n; i++)
    d[i] = fit->d[i] - d[i];
  d_error = off_line (d, k, light, n, &unused);
  g_test_message ("%s: K %.3f rad, D %.3f rad, loss %.2f dB, residual %.3f "
                  "rad, %u rounds",
      c->name, k_error, d_error, loss, fit->residual, fit->rounds);
  g_assert_true (fit->rising);
  g_assert_cmpfloat (k_error, <=, c->k);
  g_assert_cmpfloat (d_error, <=, c->d);
  g_assert_cmpfloat (loss, <=, c->loss);
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autofree double *background = c->background ? see_background (c) : NULL;
  OctFringe *fringes[MAX_MIRRORS];
  double sides[MAX_MIRRORS];
  g_autoptr (OctMirrorFit) fit = NULL;
  guint count = 0;

  for (; c->depths[count] != 0; count++) {
    fringes[count] = see (c, c->depths[count], background);
    sides[count] = c->depths[count] * c->depths[0] > 0 ? 1 : -1;
  }
  fit = oct_mirror_fit_new (fringes, count, sides);
  g_assert_nonnull (fit);
  check_fit (c, fit);
  for (guint m = 0; m < count; m++)
    oct_fringe_free (fringes[m]);
}

/* Values that a case does not set are those of MIRROR_CAMERA. */
static void
complete (MirrorCamera *camera)
{
  MirrorCamera whole = MIRROR_CAMERA;

  if (camera->samples > 0)
    whole.samples = camera->samples;
  if (camera->fwhm > 0)
    whole.fwhm = camera->fwhm;
  if (camera->span > 0)
    whole.span = camera->span;
  if (camera->a2 > 0)
    whole.a2 = camera->a2;
  if (camera->reflectivity > 0)
    whole.reflectivity = camera->reflectivity;
  if (camera->ghost > 0)
    whole.ghost = camera->ghost;
  if (camera->level > 0)
    whole.level = camera->level;
  *camera = whole;
}

static Case cases[] = {
  { "two with background", { 0 }, { 200, 900 }, 1, TRUE, FALSE, 0.05, 0.03,
      0.05 },
  { "two", { 0 }, { 200, 900 }, 1, FALSE, FALSE, 0.05, 0.03, 0.05 },
  { "two on both sides", { 0 }, { 300, -800 }, 1, FALSE, FALSE, 0.05, 0.03,
      0.05 },
  { "pixels in reverse", { 0 }, { 200, 900 }, 1, FALSE, TRUE, 0.05, 0.03,
      0.05 },
  { "50 lines, phase drifts", { 0 }, { 200, 900 }, 50, FALSE, FALSE, 0.05, 0.03,
      0.05 },
  { "27 % saturated", { .level = 1.8 * 0.7 }, { 200, 900 }, 1, FALSE, FALSE,
      0.2, 0.03, 0.15 },
  { "ghost of 5 %", { .ghost = 0.05 }, { 200, 900 }, 1, FALSE, FALSE, 0.05,
      0.06, 0.1 },
  { "weak", { .reflectivity = 0.01 }, { 200, 900 }, 1, FALSE, FALSE, 1.5, 0.4,
      0.5 },
  { "source of 20 nm on 100", { .fwhm = 0.02 }, { 200, 900 }, 1, FALSE, FALSE,
      0.05, 0.03, 0.3 },
  { "240 nm, 2048 samples", { .samples = 2048, .fwhm = 0.105, .span = 0.24 },
      { 150, 700 }, 1, FALSE, FALSE, 0.05, 0.03, 0.05 },
  { "a2 of 300 um^2", { .a2 = 300 }, { 200, 900 }, 1, FALSE, FALSE, 0.05, 0.03,
      0.05 },
  { "depths close together", { 0 }, { 500, 520 }, 1, FALSE, FALSE, 0.3, 0.3,
      0.2 },
  { "samples no power of two", { .samples = 832 }, { 150, 700 }, 1, FALSE,
      FALSE, 0.05, 0.03, 0.05 },
};

/* Depths in any order and on both sides, which nobody tells. */
static void
test_sides (void)
{
  static const double few[] = { 200, 600, -400, 900 };
  double many[MAX_MIRRORS];

  for (guint i = 0; i < MAX_MIRRORS; i++)
    many[i] = (i % 3 == 1 ? -1 : 1) * (100.0 + 30 * (i * 7 % MAX_MIRRORS));
  for (guint which = 0; which < 2; which++) {
    const double *depths = which ? many : few;
    guint count = which ? G_N_ELEMENTS (many) : G_N_ELEMENTS (few);
    Case c = { "sides that are found", .camera = MIRROR_CAMERA, .lines = 1,
      .k = 0.05, .d = 0.03, .loss = 0.05 };
    OctFringe *fringes[MAX_MIRRORS];
    double sides[MAX_MIRRORS], ratio;
    g_autoptr (OctMirrorFit) fit = NULL;
    g_autoptr (OctMirrorFit) again = NULL;

    memcpy (c.depths, depths, count * sizeof *depths);

    for (guint m = 0; m < count; m++) {
      fringes[m] = see (&c, depths[m], NULL);
      sides[m] = 1;
    }
    fit = oct_mirror_fit_new (fringes, count, sides);
    g_assert_nonnull (fit);
    ratio = oct_mirror_fit_find_sides (fit, sides);
    g_test_message ("%u mirrors: ratio %.1f", count, ratio);
    g_assert_cmpfloat (ratio, >=, 2);
    for (guint m = 0; m < count; m++)
      g_assert_cmpfloat (sides[m], ==, depths[m] * depths[0] > 0 ? 1 : -1);
    again = oct_mirror_fit_new (fringes, count, sides);
    g_assert_nonnull (again);
    check_fit (&c, again);
    for (guint m = 0; m < count; m++)
      oct_fringe_free (fringes[m]);
  }
}

/* Where there is nothing to tell sides by: no dispersion, or two mirrors. */
static void
test_sides_unknown (void)
{
  static const double depths[] = { 200, 600, -400, 900 };
  Case c = { .camera = MIRROR_CAMERA, .lines = 1 };
  OctFringe *fringes[G_N_ELEMENTS (depths)];
  double sides[G_N_ELEMENTS (depths)] = { 1, 1, 1, 1 };
  g_autoptr (OctMirrorFit) fit = NULL;

  c.camera.a2 = c.camera.a3 = 0;
  for (guint m = 0; m < G_N_ELEMENTS (depths); m++)
    fringes[m] = see (&c, depths[m], NULL);
  fit = oct_mirror_fit_new (fringes, G_N_ELEMENTS (depths), sides);
  g_assert_cmpfloat (oct_mirror_fit_find_sides (fit, sides), <, 2);
  /* but positions do */
  memset (sides, 0, sizeof sides);
  g_assert_cmpfloat (
      oct_mirror_fit_find_sides_by_position (fit, depths, sides), >=, 3);
  for (guint m = 0; m < G_N_ELEMENTS (depths); m++) {
    g_assert_cmpfloat (sides[m], ==, depths[m] > 0 ? 1 : -1);
    oct_fringe_free (fringes[m]);
  }
}

/* Positions in um give the span of wavenumbers and the wavelengths; one of them
 * is wrong. */
static void
test_scale (void)
{
  static const double depths[] = { 100, 250, 400, 550, 700, 850 };
  static const double positions[] = { -5100, -5250, -5400, -5320, -5700,
    -5850 };
  const guint count = G_N_ELEMENTS (depths);
  Case c = { .camera = MIRROR_CAMERA, .lines = 1 };
  OctFringe *fringes[G_N_ELEMENTS (depths)];
  const double sides[] = { 1, 1, 1, 1, 1, 1 };
  double k[1024], d[1024], light[1024], nm[1024], span;
  g_autoptr (OctMirrorFit) fit = NULL;
  OctMirrorScale scale = { 0 };

  for (guint m = 0; m < count; m++)
    fringes[m] = see (&c, depths[m], NULL);
  fit = oct_mirror_fit_new (fringes, count, sides);
  g_assert_true (oct_mirror_fit_find_scale (fit, positions, &scale));
  span = mirror_camera_truth (&c.camera, k, d, light);
  g_assert_cmpfloat (fabs (scale.k_span / span - 1), <, 2e-4);
  g_assert_cmpfloat (
      fabs (scale.bin_um / (G_PI * 1023 / (1024 * span)) - 1), <, 2e-4);
  g_assert_cmpfloat (scale.error_um, <, 0.1);
  for (guint m = 0; m < count; m++)
    g_assert_cmpint (scale.off[m], ==, m == 3);
  oct_mirror_fit_fill_wavelengths (fit, scale.k_span, 845, TRUE, nm);
  for (guint i = 0; i < 1024; i++)
    g_assert_cmpfloat (
        fabs (nm[i] - 1e3 * mirror_camera_wavelength (&c.camera, i)), <, 0.5);
  for (guint m = 0; m < count; m++)
    oct_fringe_free (fringes[m]);
  oct_mirror_scale_clear (&scale);
}

/* The error caused by noise is least near the mirrors and grows away from
 * them. */
static void
test_errors (void)
{
  Case c = { .camera = MIRROR_CAMERA, .lines = 1 };
  OctFringe *fringes[2] = { see (&c, 500, NULL), see (&c, 520, NULL) };
  const double sides[] = { 1, 1 };
  g_autoptr (OctMirrorFit) fit = oct_mirror_fit_new (fringes, 2, sides);
  double bins[] = { 20, 0, 400 }, errors[3];

  bins[1] = oct_mirror_fit_get_bin (fit, 0);
  oct_mirror_fit_find_errors (fit, 1, bins, 3, errors);
  g_test_message ("%.4f %.4f %.4f rad", errors[0], errors[1], errors[2]);
  g_assert_cmpfloat (errors[1], <, 0.05);
  g_assert_cmpfloat (errors[0], >, 2 * errors[1]);
  g_assert_cmpfloat (errors[2], >, 2 * errors[1]);
  oct_fringe_free (fringes[0]);
  oct_fringe_free (fringes[1]);
}

static double *
read_spectrum (const char *folder, const char *name)
{
  const OctReaderSettings settings = { 0 };
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree float *values = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (OctReader) reader = oct_reader_open (path, &settings, &error);
  double *spectrum;
  guint n;

  g_assert_no_error (error);
  n = oct_reader_get_info (reader)->samples;
  values = g_new (float, n);
  spectrum = g_new (double, n);
  oct_reader_read (reader, 0, values, n * sizeof *values, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    spectrum[i] = values[i];
  return spectrum;
}

static OctMirrorPeak
measure (
    const OctFringe *fringe, const double *k_index, const double *dispersion)
{
  OctMirrorPeak peak;
  g_autofree double *ascan = oct_mirror_peak_transform (
      fringe->average, fringe->samples, k_index, dispersion);

  oct_mirror_peak_measure (
      ascan, fringe->samples, 8, fringe->samples / 2.0, &peak);
  return peak;
}

static double
sinc (double x)
{
  return x == 0 ? 1 : sin (G_PI * x) / (G_PI * x);
}

/* Full width at half of the highest value, bins, of the window a[0] + 2 a[1]
 * cos + 2 a[2] cos 2: F. J. Harris, "On the use of windows for harmonic
 * analysis", Proc. IEEE 66 (1978), equation 31, for many samples. */
static double
find_cosine_width (const double a[3])
{
  double low = 0, high = 2;

  for (guint step = 0; step < 50; step++) {
    double x = (low + high) / 2, value = a[0] * sinc (x);

    for (guint i = 1; i < 3; i++)
      value += a[i] * (sinc (x - i) + sinc (x + i));
    if (value > a[0] / 2)
      low = x;
    else
      high = x;
  }
  return 2 * low;
}

/* A bin is computed in eight steps, with lines between them. */
static void
test_windows (void)
{
  static const struct {
    OctWindow window;
    double a[3];
  } known[] = { { OCT_WINDOW_NONE, { 1 } }, { OCT_WINDOW_HANN, { 0.5, 0.25 } },
    { OCT_WINDOW_HAMMING, { 0.54, 0.23 } },
    { OCT_WINDOW_BLACKMAN, { 0.42, 0.25, 0.04 } } };
  const guint n = 1024;
  g_autofree double complex *fringe = g_new (double complex, n);

  for (guint i = 0; i < n; i++)
    fringe[i] = cexp (2 * I * G_PI * 200 * i / n);
  for (guint w = 0; w < G_N_ELEMENTS (known); w++) {
    g_autofree double *ascan =
        oct_mirror_peak_transform_with (fringe, n, NULL, NULL, known[w].window);
    OctMirrorPeak peak;

    oct_mirror_peak_measure (ascan, n, 8, n / 2.0, &peak);
    g_assert_cmpfloat_with_epsilon (
        peak.width_6db, find_cosine_width (known[w].a), 0.01);
    g_assert_cmpfloat_with_epsilon (peak.bin, 200, 0.01);
  }
}

/* Level in dB and width at -6 dB in bins, of the reference. */
static void
test_cscan (void)
{
  static const double before[2][2] = { { 13.79, 7.35 }, { 8.40, 14.91 } };
  static const double after[2][2] = { { 18.82, 2.21 }, { 16.29, 2.20 } };
  const char *folder = g_getenv ("OCT_TEST_DATA");
  double sides[] = { 1, -1 };
  OctFringe *fringes[2];
  g_autoptr (OctMirrorFit) fit = NULL;
  g_autoptr (OctCalibration) theirs = NULL;
  g_autofree char *csv = NULL;
  OctCalibrationSettings settings = { 0 };

  csv = g_build_filename (
      folder != NULL ? folder : OCT_TEST_CSCAN, "calibration.csv", NULL);
  if (!g_file_test (csv, G_FILE_TEST_EXISTS)) {
    g_test_skip ("the C-scan is not there");
    return;
  }
  folder = folder != NULL ? folder : OCT_TEST_CSCAN;
  settings.file = csv;
  theirs = oct_calibration_new (&settings, 1024, NULL);
  for (guint m = 0; m < 2; m++) {
    g_autofree char *name = g_strdup_printf ("mirror%u.npy", m + 1);
    g_autofree char *dark = g_strdup_printf ("dark_sample%u.npy", m + 1);
    g_autofree double *raw = read_spectrum (folder, name);
    g_autofree double *reference = read_spectrum (folder, "dark_ref.npy");
    g_autofree double *sample = read_spectrum (folder, dark);
    g_autofree double *none = read_spectrum (folder, "dark_not.npy");

    for (guint i = 0; i < 1024; i++)
      reference[i] += sample[i] - none[i];
    fringes[m] = oct_fringe_new (raw, 1, 1024, reference);
  }
  fit = oct_mirror_fit_new (fringes, 2, sides);
  g_assert_nonnull (fit);
  for (guint m = 0; m < 2; m++) {
    double k_index[1024], dispersion[1024], phase[1024];
    OctMirrorPeak none, ours, others;

    oct_mirror_fit_fill_columns (fit, sides[m], k_index, dispersion);
    for (guint i = 0; i < 1024; i++)
      phase[i] = -sides[m] * oct_calibration_get_dispersion (theirs)[i];
    none = measure (fringes[m], NULL, NULL);
    ours = measure (fringes[m], k_index, dispersion);
    others =
        measure (fringes[m], oct_calibration_get_positions (theirs), phase);
    g_test_message ("mirror %u at bin %.1f: none %.2f dB, %.2f bins; its own "
                    "%.2f dB, %.2f bins; found %.2f dB, %.2f bins",
        m + 1, ours.bin, none.level, none.width_6db, others.level,
        others.width_6db, ours.level, ours.width_6db);
    g_assert_cmpfloat (fabs (none.level - before[m][0]), <=, 0.05);
    g_assert_cmpfloat (fabs (none.width_6db - before[m][1]), <=, 0.03);
    g_assert_cmpfloat (fabs (ours.level - after[m][0]), <=, 0.05);
    g_assert_cmpfloat (fabs (ours.width_6db - after[m][1]), <=, 0.03);
    g_assert_cmpfloat (ours.level, >=, others.level);
    g_assert_cmpfloat (ours.width_6db, <=, others.width_6db + 0.005);
    oct_fringe_free (fringes[m]);
  }
}

/* No phase is in noise, and a fringe that reaches half of the sampling rate is
 * told from one that does not. */
static void
test_fringes (void)
{
  Case c = { .camera = MIRROR_CAMERA, .lines = 1 };
  g_autoptr (OctFringe) good = see (&c, 700, NULL);
  g_autoptr (OctFringe) near = see (&c, 1750, NULL);
  g_autoptr (OctFringe) beyond = see (&c, 1900, NULL);
  g_autoptr (OctFringe) none = NULL;

  c.camera.reflectivity = 0;
  none = see (&c, 700, NULL);
  g_test_message ("%.1f %.1f %.1f %.1f dB at %.0f %.0f %.0f", good->snr,
      near->snr, beyond->snr, none->snr, good->frequency, near->frequency,
      beyond->frequency);
  g_assert_cmpfloat (good->snr, >, OCT_FRINGE_GOOD_SNR);
  g_assert_cmpfloat (none->snr, <, OCT_FRINGE_MIN_SNR);
  g_assert_false (good->folded);
  g_assert_true (near->folded);
  g_assert_true (beyond->folded);
}

/* A B-scan over a tilted mirror is at many depths: lines at one are used. Noise
 * does not reduce their number. */
static void
test_tilted (void)
{
  static const double depths[] = { 200, 900 };
  Case c = { "tilted", .camera = MIRROR_CAMERA, .depths = { 200, 900 },
    .lines = 60, .k = 0.05, .d = 0.03, .loss = 0.05 };
  const double sides[] = { 1, 1 };
  OctFringe *fringes[2];
  g_autoptr (OctMirrorFit) fit = NULL;
  g_autoptr (OctFringe) weak = NULL;
  g_autofree double *counts = g_new (double, 60 * 1024);

  for (guint m = 0; m < 2; m++) {
    for (guint line = 0; line < 60; line++)
      mirror_camera_see (
          &c.camera, depths[m] + line / 3.0, 1, counts + line * 1024);
    fringes[m] = oct_fringe_new (counts, 60, 1024, NULL);
    g_test_message ("%u of %u lines, agreement %.2f, coherence %.2f",
        fringes[m]->lines, fringes[m]->given, fringes[m]->agreement,
        fringes[m]->coherence);
    g_assert_cmpuint (fringes[m]->lines, <, 20);
    g_assert_cmpfloat (fringes[m]->agreement, <, 0.8);
    g_assert_cmpfloat (fringes[m]->coherence, >, 0.9);
  }
  fit = oct_mirror_fit_new (fringes, 2, sides);
  g_assert_nonnull (fit);
  check_fit (&c, fit);
  c.camera.reflectivity = 0.003;
  weak = see (&c, 600, NULL);
  g_test_message ("weak: agreement %.2f, %.1f dB", weak->agreement, weak->snr);
  g_assert_cmpuint (weak->lines, ==, 60);
  g_assert_cmpfloat (weak->agreement, <, 0.95);
  oct_fringe_free (fringes[0]);
  oct_fringe_free (fringes[1]);
}

/* Direct sums. */
static void
test_fourier (void)
{
  static const guint lengths[] = { 1, 2, 64, 100, 127, 832 };
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    guint n = lengths[i];
    g_autoptr (OctFourier) fourier = oct_fourier_new (n);
    g_autofree double complex *x = g_new (double complex, n);
    g_autofree double complex *y = g_new (double complex, n);

    for (guint j = 0; j < n; j++)
      x[j] = y[j] = g_rand_double (random) + I * g_rand_double (random);
    oct_fourier_forward (fourier, y);
    for (guint q = 0; q < n; q++) {
      double complex sum = 0;

      for (guint j = 0; j < n; j++)
        sum += x[j] * cexp (-2 * I * G_PI * ((guint64)j * q % n) / n);
      g_assert_cmpfloat (cabs (sum - y[q]), <, 1e-11 * n);
    }
    oct_fourier_backward (fourier, y);
    for (guint j = 0; j < n; j++)
      g_assert_cmpfloat (cabs (x[j] - y[j]), <, 1e-12);
  }
}

static void
test_smoothing (void)
{
  enum { N = 300, HALF = 17 };
  double complex v[N], out[N];

  for (gint i = 0; i < N; i++)
    v[i] = cexp (0.1 * I * i) + (i % 7);
  oct_curve_smooth (v, N, HALF, out);
  for (gint i = 0; i < N; i++) {
    double complex sum = 0;
    double weights = 0;

    for (gint j = MAX (i - HALF, 0); j <= MIN (i + HALF, N - 1); j++) {
      double w = 0.5 + 0.5 * cos (G_PI * (i - j) / (HALF + 1.0));

      sum += w * v[j];
      weights += w;
    }
    g_assert_cmpfloat (cabs (out[i] - sum / weights), <, 1e-11);
  }
}

/* Through its knots, straight beyond a straight line, near a smooth curve, and
 * the sum of all B-splines is 1. */
static void
test_splines (void)
{
  enum { N = 64 };
  double complex line[N], wave[N], out[2 * N - 1];
  double at[2 * N - 1];

  for (guint i = 0; i < N; i++) {
    line[i] = 3 + 2 * I * i;
    wave[i] = cexp (0.3 * I * i);
  }
  for (guint i = 0; i < 2 * N - 1; i++)
    at[i] = i / 2.0;
  oct_curve_spline (line, N, at, 2 * N - 1, out);
  for (guint i = 0; i < 2 * N - 1; i++)
    g_assert_cmpfloat (cabs (out[i] - (3 + I * i)), <, 1e-12);
  oct_curve_spline (wave, N, at, 2 * N - 1, out);
  for (guint i = 0; i < 2 * N - 1; i++) {
    double error = cabs (out[i] - cexp (0.15 * I * i));

    g_assert_cmpfloat (error, <,
        i % 2 == 0          ? 1e-12
        : i < 20 || i > 108 ? 1e-2
                            : 1e-4);
  }
  for (guint i = 0; i <= 100; i++) {
    double b[4];
    guint first = oct_curve_bspline (48, 101, i, b);

    g_assert_cmpuint (first, <=, 47);
    g_assert_cmpfloat (fabs (b[0] + b[1] + b[2] + b[3] - 1), <, 1e-12);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/mirrors/%s", cases[i].name);

    complete (&cases[i].camera);
    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/mirrors/sides", test_sides);
  g_test_add_func ("/mirrors/sides unknown", test_sides_unknown);
  g_test_add_func ("/mirrors/scale", test_scale);
  g_test_add_func ("/mirrors/errors", test_errors);
  g_test_add_func ("/mirrors/cscan", test_cscan);
  g_test_add_func ("/mirrors/windows", test_windows);
  g_test_add_func ("/mirrors/fringes", test_fringes);
  g_test_add_func ("/mirrors/tilted", test_tilted);
  g_test_add_func ("/mirrors/fourier", test_fourier);
  g_test_add_func ("/mirrors/smoothing", test_smoothing);
  g_test_add_func ("/mirrors/splines", test_splines);
  return g_test_run ();
}
