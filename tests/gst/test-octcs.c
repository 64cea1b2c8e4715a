/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octcs: known answers, the minimum, live properties, and what it refuses.
 * Masks are in test-octcs-masks.c.
 */
#include "oct-test.h"

#include <glib/gstdio.h>
#include <math.h>

#define WAVELENGTH "calibration=@/wavelength-101.csv"
#define MASK "mask=file mask-file=@/mask-101.txt"

static char *folder;

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("oct-cs-XXXXXX", NULL);
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
  }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

static OctArray *
load_input (void)
{
  return oct_test_input ("fringes-4x101");
}

static OctArray *
push (GstHarness *harness, const OctArray *input)
{
  return oct_test_push (harness, oct_test_buffer (input, 0, 0));
}

/* A-scans by elements of their own. */
static OctArray *
run (const OctArray *input, const char *launch, const char *axis)
{
  GstHarness *harness = oct_test_harness (launch);
  OctArray *output = oct_test_run (harness, input, axis);

  gst_harness_teardown (harness);
  return output;
}

/* Promised are 1e-4 of transform=fft, 1e-3 of the others.  A step takes its
 * length from the two before, which makes more of rounding than one operation
 * does: 1.04e-5 was seen, with one of the FFT's plans. */
#define ITERATES_TOLERANCE 2e-5

/* On a GPU transform=nufft is computed like nudft (docs/elements/octcs.md),
 * without the errors of a kernel, which are in the expected values of the
 * gridded cases.  There the reference is the exact transform, and that of the
 * default kernel to within 1e-3, as documented for either backend. */
static void
check_exact (const OctTestCase *test, const OctArray *found)
{
  g_autoptr (OctArray) exact = oct_test_expected (
      g_str_has_suffix (test->name, "-complex") ? "octcs-nudft-complex"
                                                : "octcs-nudft-real");

  fail_unless (oct_test_error (found, exact) < ITERATES_TOLERANCE);
  if (strstr (test->name, "-nufft-") != NULL)
    fail_unless (oct_test_error (found, test->expected) < 1e-3);
}

GST_START_TEST (test_known_answers)
{
  g_autoptr (OctTestCase) test = oct_test_get_case ("octcs-", __i__);
  g_autoptr (OctArray) found = run (test->input, test->launch, test->axis);

  fail_unless_equals_int (test->bscans, 1);
  fail_unless_equals_int (found->rows, test->expected->rows);
  fail_unless_equals_int (found->columns, test->expected->columns);
  if (oct_test_on_gpu ()
      && (strstr (test->name, "-nufft-") != NULL
          || strstr (test->name, "-gaussian-") != NULL))
    check_exact (test, found);
  else
    fail_unless (oct_test_error (found, test->expected) < ITERATES_TOLERANCE);
}
GST_END_TEST;

static guint
get_kept (GstHarness *harness)
{
  GstElement *element = gst_harness_find_element (harness, "octcs");
  guint kept;

  g_object_get (element, "kept-samples", &kept, NULL);
  gst_object_unref (element);
  return kept;
}

/* The first step with all samples and no threshold is the plain transform; on
 * a GPU the exact one where the kernel loses more than rounding does. */
#define FINE "oversampling=2 kernel-width=8 "
#define EXACT "octnufft method=nudft " WAVELENGTH
GST_START_TEST (test_first_step)
{
  static const struct {
    const char *cs, *plain, *axis, *on_gpu;
  } pairs[] = {
    { "octcs " WAVELENGTH, "octnufft " WAVELENGTH, NULL, EXACT },
    { "octcs window=tukey depth-start=5 transform=nudft " WAVELENGTH,
        "octnufft window=tukey depth-start=5 method=nudft " WAVELENGTH, NULL },
    { "octcs kernel=gaussian oversampling=2 kernel-width=3 " WAVELENGTH,
        "octnufft kernel=gaussian oversampling=2 kernel-width=3 " WAVELENGTH,
        NULL, EXACT },
    { "octcs transform=fft depth-bins=20", "octfft depth-bins=20",
        "wavenumber" },
    { "octcs window=none", "octfft window=none", "wavenumber" },
    /* octnufft has another grid for complex spectra */
    { "octdispersion a2=50 " WAVELENGTH " ! octcs " FINE WAVELENGTH,
        "octdispersion a2=50 " WAVELENGTH " ! octnufft " FINE WAVELENGTH,
        NULL },
  };
  g_autoptr (OctArray) input = load_input ();
  guint i;

  for (i = 0; i < G_N_ELEMENTS (pairs); i++) {
    g_autofree char *launch =
        g_strconcat (pairs[i].cs, " sampling-rate=1 iterations=1 tau=0", NULL);
    g_autoptr (OctArray) found = run (input, launch, pairs[i].axis);
    g_autoptr (OctArray) expected = run (input,
        oct_test_on_gpu () && pairs[i].on_gpu ? pairs[i].on_gpu
                                              : pairs[i].plain,
        pairs[i].axis);

    oct_test_compare (found, expected, 0);
  }
}
GST_END_TEST;

/* The error of gridding is as large as the properties of the kernel say; on a
 * GPU there is none, whatever they say. */
GST_START_TEST (test_kernel)
{
  const char *common = " noise=80 " MASK " " WAVELENGTH;
  g_autoptr (OctArray) input = load_input ();
  g_autofree char *exact_launch =
      g_strconcat ("octcs transform=nudft", common, NULL);
  g_autofree char *fine_launch =
      g_strconcat ("octcs oversampling=2 kernel-width=8", common, NULL);
  g_autofree char *coarse_launch =
      g_strconcat ("octcs kernel-width=2", common, NULL);
  g_autoptr (OctArray) exact = run (input, exact_launch, NULL);
  g_autoptr (OctArray) fine = run (input, fine_launch, NULL);
  g_autoptr (OctArray) coarse = run (input, coarse_launch, NULL);

  fail_unless (oct_test_error (fine, exact) < 1e-3);
  if (oct_test_on_gpu ())
    fail_unless (oct_array_equal (coarse, exact));
  else
    fail_unless (oct_test_error (coarse, exact) > 1e-2);
}
GST_END_TEST;

/* Each on the very next B-scan. */
GST_START_TEST (test_live_properties)
{
  const struct {
    const char *property, *value, *all;
    guint kept, bins;
  } steps[] = {
    { "solver", "sparsa", "solver=sparsa", 40, 50 },
    { "solver", "continued", "solver=continued", 40, 50 },
    { "solver", "persistent", "", 40, 50 },
    { "tau", "1", "tau=1", 40, 50 },
    { "iterations", "4", "tau=1 iterations=4", 40, 50 },
    { "sampling-rate", "0.6", "tau=1 iterations=4 sampling-rate=0.6", 61, 50 },
    { "seed", "2", "tau=1 iterations=4 sampling-rate=0.6 seed=2", 61, 50 },
    { "mask", "max-gap",
        "tau=1 iterations=4 sampling-rate=0.6 seed=2 mask=max-gap", 61, 50 },
    { "max-gap", "2",
        "tau=1 iterations=4 sampling-rate=0.6 seed=2 mask=max-gap max-gap=2",
        61, 50 },
    { "noise", "30",
        "tau=1 iterations=4 sampling-rate=0.6 seed=2 mask=max-gap max-gap=2 "
        "noise=30",
        61, 50 },
    { "mask", "linear-k",
        "tau=1 iterations=4 sampling-rate=0.6 seed=2 mask=linear-k noise=30",
        61, 50 },
    { "transform", "fft",
        "tau=1 iterations=4 sampling-rate=0.6 seed=2 mask=linear-k noise=30 "
        "transform=fft",
        61, 50 },
    { "transform", "nudft",
        "tau=1 iterations=4 sampling-rate=0.6 seed=2 mask=linear-k noise=30 "
        "transform=nudft",
        61, 50 },
    { "window", "none",
        "tau=1 iterations=4 sampling-rate=0.6 seed=2 mask=linear-k noise=30 "
        "transform=nudft window=none",
        61, 50 },
    { "depth-bins", "20",
        "tau=1 iterations=4 sampling-rate=0.6 seed=2 mask=linear-k noise=30 "
        "transform=nudft window=none depth-bins=20",
        61, 20 },
  };
  GstHarness *harness = oct_test_harness ("octcs " WAVELENGTH);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) first = NULL;
  guint i;

  fail_unless_equals_int (get_kept (harness), 0);
  first = oct_test_run (harness, input, NULL);
  fail_unless_equals_int (get_kept (harness), 40);
  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autofree char *all =
        g_strdup_printf ("octcs " WAVELENGTH " %s", steps[i].all);
    g_autoptr (OctArray) expected = run (input, all, NULL);
    g_autoptr (OctArray) output = NULL;

    oct_test_set (harness, "octcs", steps[i].property, steps[i].value);
    output = push (harness, input);
    fail_unless_equals_int (output->columns, steps[i].bins);
    fail_unless_equals_int (get_kept (harness), steps[i].kept);
    fail_unless (oct_array_equal (output, expected));
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The spectrum of the source decides where samples are kept. */
GST_START_TEST (test_density_of_the_calibration)
{
  GstHarness *harness = oct_test_harness ("octcs");
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) with = NULL, without = NULL;
  g_autofree char *path = g_build_filename (folder, "mask.txt", NULL);
  g_autofree char *source = g_build_filename (folder, "source.csv", NULL);
  g_autofree char *text = NULL;
  GString *csv = g_string_new ("wavelength_nm,background\n");
  guint i, count = 0;

  for (i = 0; i < 101; i++)
    g_string_append_printf (csv, "%u,%u\n", 800 + i, i < 30 ? 1000000u : 0u);
  fail_unless (g_file_set_contents (source, csv->str, -1, NULL));
  g_string_free (csv, TRUE);
  oct_test_set (harness, "octcs", "calibration", source);
  oct_test_set (harness, "octcs", "mask-output", path);
  oct_test_set (harness, "octcs", "sampling-rate", "0.2");
  with = oct_test_run (harness, input, NULL);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  for (i = 0; i < 30; i++)
    count += text[2 * i] == '1';
  fail_unless (count > 12, "%u", count);
  oct_test_set (harness, "octcs", "calibration", "@/wavelength-101.csv");
  without = push (harness, input);
  fail_unless (!oct_array_equal (with, without));
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_z_spacing)
{
  double dk = 2 * G_PI * (1 / 800e-9 - 1 / 880e-9);
  double expected = G_PI * 100 / (101 * dk), z = 0;
  g_autoptr (OctArray) input = load_input ();
  g_autofree char *path = oct_test_path ("mask-101.txt");
  g_autoptr (OctArray) some = oct_test_keep_samples (input, path);
  GstHarness *harness = oct_test_harness ("octcs " MASK " " WAVELENGTH);
  g_autoptr (OctArray) output = oct_test_run (harness, some, NULL);
  GstStructure *s = oct_test_output (harness);

  fail_unless (gst_structure_get_double (s, "z-spacing", &z));
  fail_unless (fabs (z / expected - 1) < 1e-9, "%g", z);
  fail_unless_equals_int (output->columns, 50);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ----------------------------------------------------------------- minimum */

#define EVEN 128u
#define NOISE 20.0

/* The function that is minimised, for real A-lines of an even number of
 * samples. */
typedef struct {
  guint kept, places[EVEN];
  double nodes[EVEN], threshold;
} Sensing;

/* Wavelengths of 800 to 880 nm, window=none. */
static void
read_sensing (Sensing *s, const char *mask)
{
  guint i;

  s->kept = oct_test_read_mask (mask, EVEN, s->places);
  for (i = 0; i < s->kept; i++) {
    double nm = 800 + 80.0 * s->places[i] / (EVEN - 1);
    s->nodes[i] = (1 / nm - 1 / 880.0) / (1 / 800.0 - 1 / 880.0) * (EVEN - 1);
  }
  s->threshold = 3 * NOISE * sqrt ((double)s->kept / EVEN);
}

static double
angle_of (const Sensing *s, guint i, guint q)
{
  return 2 * G_PI * fmod (s->nodes[i] * q, EVEN) / EVEN;
}

/* residuals[kept] = y - A x; returns the objective. */
static double
find_residuals (const Sensing *s, const OctArray *x, const OctArray *y,
    guint row, double *residuals)
{
  double objective = 0;
  guint i, q;

  for (q = 0; q < EVEN / 2; q++)
    objective +=
        (q > 0 ? 2 : 1) * s->threshold
        * hypot (oct_array_get (x, row, q, 0), oct_array_get (x, row, q, 1));
  for (i = 0; i < s->kept; i++) {
    double sum = 0;
    for (q = 0; q < EVEN / 2; q++)
      sum += (q > 0 ? 2 : 1)
             * (oct_array_get (x, row, q, 0) * cos (angle_of (s, i, q))
                 - oct_array_get (x, row, q, 1) * sin (angle_of (s, i, q)));
    residuals[i] = oct_array_get (y, row, s->places[i], 0) - sum / sqrt (EVEN);
    objective += residuals[i] * residuals[i] / 2;
  }
  return objective;
}

/* How far A^H (y - A x) is from threshold x / |x|, or above the threshold where
 * x is 0, at most. */
static double
find_violation (
    const Sensing *s, const OctArray *x, guint row, const double *residuals)
{
  double most = 0;
  guint i, q;

  for (q = 0; q < EVEN / 2; q++) {
    double x_re = oct_array_get (x, row, q, 0), re = 0, im = 0;
    double x_im = oct_array_get (x, row, q, 1), size = hypot (x_re, x_im);
    for (i = 0; i < s->kept; i++) {
      re += residuals[i] * cos (angle_of (s, i, q)) / sqrt (EVEN);
      im -= residuals[i] * sin (angle_of (s, i, q)) / sqrt (EVEN);
    }
    if (size > 0)
      most = MAX (most, hypot (re - s->threshold * x_re / size,
                            im - s->threshold * x_im / size));
    else
      most = MAX (most, hypot (re, im) - s->threshold);
  }
  return most;
}

/* Fringes of two mirrors and noise. */
static OctArray *
make_spectra (guint rows)
{
  OctArray *y = oct_array_new ('f', 4, rows, EVEN);
  GRand *random = g_rand_new_with_seed (3);
  guint row, n, i;

  for (row = 0; row < rows; row++)
    for (n = 0; n < EVEN; n++) {
      double nm = 800 + 80.0 * n / (EVEN - 1), sum = -6;
      double turn = 2 * G_PI * 800 * 880 / 80 * (1 / nm - 1 / 880.0);
      for (i = 0; i < 12; i++)
        sum += g_rand_double (random);
      ((float *)y->data)[row * EVEN + n] =
          (float)(400 * cos (turn * 17 + row) + 100 * cos (turn * (30 + row))
                  + NOISE * sum);
    }
  g_rand_free (random);
  return y;
}

/* The objective falls, and after many steps the output of the element meets the
 * conditions of the minimum, evaluated with sums in double precision. */
GST_START_TEST (test_minimum)
{
  static const char *const iterations[] = { "1", "10", "15", "400" };
  g_autofree char *mask = g_build_filename (folder, "mask.txt", NULL);
  g_autofree char *launch = g_strdup_printf (
      "octcs solver=sparsa transform=nudft window=none sampling-rate=0.5 "
      "noise=%g mask-output=%s",
      NOISE, mask);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) y = make_spectra (4);
  double before = HUGE_VAL, now, violation = 0;
  Sensing s;
  guint k, row;

  oct_test_set_caps (harness, y, NULL);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", EVEN));
  for (k = 0; k < G_N_ELEMENTS (iterations); k++, before = now) {
    g_autoptr (OctArray) x = NULL;
    oct_test_set (harness, "octcs", "iterations", iterations[k]);
    x = push (harness, y);
    fail_unless_equals_int (x->columns, EVEN / 2);
    read_sensing (&s, mask);
    now = violation = 0;
    for (row = 0; row < y->rows; row++) {
      double residuals[EVEN];
      now += find_residuals (&s, x, y, row, residuals);
      violation = MAX (violation, find_violation (&s, x, row, residuals));
    }
    GST_INFO ("%s steps: objective %.8g, at most %.2e of the threshold amiss",
        iterations[k], now, violation / s.threshold);
    fail_unless (now < before, "%s steps: %g", iterations[k], now);
  }
  /* what is left is the rounding of fringes 30 times the threshold; after 15
   * steps it is 5e-3 */
  fail_unless (
      violation < 1e-3 * s.threshold, "%g of %g", violation, s.threshold);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ----------------------------------------------------------------- refused */

static void
check_refused (
    const char *launch, const char *axis, const char *word, const char *other)
{
  g_autofree char *in_folder = NULL;
  g_auto (GStrv) parts = g_strsplit (launch, "%", -1);
  GstHarness *harness;
  g_autoptr (OctArray) input = load_input ();

  in_folder = g_strjoinv (folder, parts);
  harness = oct_test_harness (in_folder);
  oct_test_set_caps (harness, input, axis);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), word, other, NULL);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_refused)
{
  check_refused ("octcs sampling-rate=0 " WAVELENGTH, NULL,
      "sampling rate is 0", "above 0");
  check_refused ("octcs mask=max-gap max-gap=1 " WAVELENGTH, NULL,
      "gaps of at most 1", "set a larger max-gap");
  check_refused ("octcs mask-output=%/no/mask.txt " WAVELENGTH, NULL,
      "cannot be written", "`mask-output`");
  check_refused ("octcs transform=fft " WAVELENGTH, NULL, "axis=wavelength",
      "octkresample");
  check_refused ("octcs", NULL, "calibration", "none");
  check_refused (
      "octcs depth-start=50 " WAVELENGTH, NULL, "depth-start=50", "50");
  check_refused (
      "octcs calibration=@/k-index-64.csv", NULL, "64 rows", "101 samples");
}
GST_END_TEST;

static gboolean
count_message (const char *domain, GLogLevelFlags level, const char *message,
    gpointer count)
{
  (*(guint *)count)++;
  return TRUE;
}

/* More steps than single precision has digits for: while images are made a
 * warning, until another solver is asked for. */
GST_START_TEST (test_steps_of_solvers)
{
  GstHarness *harness = oct_test_harness ("octcs " WAVELENGTH);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) first = NULL, same = NULL, other = NULL;

  check_refused ("octcs iterations=16 " WAVELENGTH, NULL,
      "16 iterations are too many for solver=persistent", "set 1 to 15");
  first = oct_test_run (harness, input, NULL);
  oct_test_set (harness, "octcs", "iterations", "16");
  same = push (harness, input);
  fail_unless (oct_array_equal (same, first));
  oct_test_assert_refused_live (
      oct_test_bus (harness), "solver=persistent", "continued", NULL);
  oct_test_set (harness, "octcs", "solver", "sparsa");
  other = push (harness, input);
  fail_unless (!oct_array_equal (other, first));
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
count_notification (GObject *object, GParamSpec *pspec, gpointer count)
{
  (*(guint *)count)++;
}

/* Wait for the device: it tells of the B-scan before. */
static double
get_noise_found (GstHarness *harness, const OctArray *y)
{
  GstElement *element = gst_harness_find_element (harness, "octcs");
  double found;
  guint i;

  for (i = 0; i < 3; i++) {
    g_autoptr (OctArray) x = push (harness, y);
  }
  g_object_get (element, "noise-found", &found, NULL);
  gst_object_unref (element);
  return found;
}

/* The noise of the spectra is told, in their unit, whatever the window is (and
 * what eight steps leave of mirrors 20 times as large is small beside it), once
 * for B-scans that are alike; none where it was given. */
GST_START_TEST (test_noise_found)
{
  GstHarness *harness = oct_test_harness ("octcs sampling-rate=0.9");
  GstElement *element = gst_harness_find_element (harness, "octcs");
  g_autoptr (OctArray) y = make_spectra (64);
  guint told = 0;
  double found;

  g_signal_connect (
      element, "notify::noise-found", G_CALLBACK (count_notification), &told);
  oct_test_set_caps (harness, y, NULL);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", EVEN));
  found = get_noise_found (harness, y);
  GST_INFO ("found %g of %g", found, NOISE);
  fail_unless (found > 0.8 * NOISE && found < 1.5 * NOISE, "%g", found);
  /* a device may be read while it tells */
  fail_unless (told >= 1 && told <= (oct_test_on_gpu () ? 2 : 1), "%u", told);
  oct_test_set (harness, "octcs", "noise", "50");
  fail_unless (fabs (get_noise_found (harness, y) - 50) < 0.5);
  oct_test_set (harness, "octcs", "solver", "sparsa");
  fail_unless (get_noise_found (harness, y) == 0);
  oct_test_set (harness, "octcs", "noise", "0");
  found = get_noise_found (harness, y);
  fail_unless (found > 0.8 * NOISE && found < 1.5 * NOISE, "%g", found);
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Properties out of range never take effect: GLib says so and keeps the value.
 */
GST_START_TEST (test_out_of_range)
{
  static const struct {
    const char *name;
    double value, former;
  } wrong[] = { { "sampling-rate", 1.5, 0.7 }, { "sampling-rate", -0.1, 0.7 },
    { "sampling-rate", NAN, 0.7 }, { "tau", -1, 2 }, { "tau", NAN, 2 },
    { "noise", -1, 30 }, { "noise", NAN, 30 } };
  GstElement *element = gst_element_factory_make ("octcs", NULL);
  guint i, said = 0;

  g_object_set (element, "sampling-rate", 0.7, "tau", 2.0, "noise", 30.0, NULL);
  gst_check_add_log_filter ("GLib-GObject",
      G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL,
      g_regex_new ("out of range", 0, 0, NULL), count_message, &said, NULL);
  for (i = 0; i < G_N_ELEMENTS (wrong); i++) {
    double found;

    g_object_set (element, wrong[i].name, wrong[i].value, NULL);
    g_object_get (element, wrong[i].name, &found, NULL);
    fail_unless (found == wrong[i].former, "%s: %g", wrong[i].name, found);
    fail_unless_equals_int (said, i + 1);
  }
  gst_check_clear_log_filter ();
  gst_object_unref (element);
}
GST_END_TEST;

/* Every sample at its largest: nothing is left without the background, and with
 * it a line at depth 0. */
GST_START_TEST (test_saturated)
{
  g_autoptr (OctArray) input = oct_array_new ('u', 2, 4, 101);
  g_autoptr (OctArray) without = NULL, with = NULL;
  guint row, i, part;

  memset (input->data, 0xff, 2 * 4 * 101);
  without = run (input, "octdcsub " WAVELENGTH " ! octcs", NULL);
  with = run (input,
      "octdcsub mode=none " WAVELENGTH " ! octcs sampling-rate=1 noise=1",
      NULL);
  for (row = 0; row < input->rows; row++) {
    double first = hypot (
        oct_array_get (with, row, 0, 0), oct_array_get (with, row, 0, 1));
    for (i = 0; i < with->columns; i++) {
      for (part = 0; part < 2; part++)
        fail_unless (oct_array_get (without, row, i, part) == 0);
      /* the window spreads it over two bins */
      fail_unless (hypot (oct_array_get (with, row, i, 0),
                       oct_array_get (with, row, i, 1))
                       <= (i < 2 ? first : 0.1 * first),
          "bin %u of A-line %u", i, row);
    }
    fail_unless (first > 65535, "%g", first);
  }
}
GST_END_TEST;

/* An A-line with a NaN is dark, and its neighbours are not affected: not a bit
 * of them changes.  But on a GPU two real A-lines are the real and the
 * imaginary part of one transform; next to zeros the other one of the pair is
 * rounded differently, and no more than that. */
GST_START_TEST (test_not_a_number)
{
  const guint bad = 2, other = 3;
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) expected =
      run (input, "octcs noise=80 sampling-rate=1 " WAVELENGTH, NULL);
  g_autoptr (OctArray) found = NULL;
  guint row, i, part;

  ((float *)input->data)[bad * input->columns + 60] = NAN;
  found = run (input, "octcs noise=80 sampling-rate=1 " WAVELENGTH, NULL);
  for (row = 0; row < found->rows; row++) {
    g_autoptr (OctArray) is = oct_array_rows (found, row, 1);
    g_autoptr (OctArray) should = oct_array_rows (expected, row, 1);

    if (row == bad)
      for (i = 0; i < found->columns; i++)
        for (part = 0; part < 2; part++)
          fail_unless (isnan (oct_array_get (is, 0, i, part)));
    else if (row == other && oct_test_on_gpu ())
      fail_unless (oct_test_error (is, should) < 1e-4);
    else
      fail_unless (oct_array_equal (is, should), "A-line %u", row);
  }
}
GST_END_TEST;

/* Where the noise is estimated that A-line does not count, and the others have
 * a threshold that is a little different: the median of 31 A-lines and not of
 * 32.  That is by a few hundredths of the threshold, and no more is allowed
 * than a tenth; a bad A-line that counted would change it as a whole. */
GST_START_TEST (test_not_a_number_and_noise_estimated)
{
  const guint lines = 32, bad = 5, numbers = EVEN / 2;
  const double allowed = 0.1 * 3 * NOISE;
  GstHarness *harness =
      oct_test_harness ("octcs solver=sparsa sampling-rate=1 window=none");
  g_autoptr (OctArray) y = make_spectra (lines);
  g_autoptr (OctArray) expected = NULL, found = NULL;
  double most = 0;
  guint row, i;

  oct_test_set_caps (harness, y, NULL);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", EVEN));
  expected = push (harness, y);
  ((float *)y->data)[bad * EVEN + 60] = NAN;
  found = push (harness, y);
  fail_unless_equals_int (found->columns, numbers);
  for (row = 0; row < lines; row++)
    for (i = 0; i < numbers; i++) {
      double re = oct_array_get (found, row, i, 0);
      double im = oct_array_get (found, row, i, 1);

      if (row == bad) {
        fail_unless (isnan (re) && isnan (im));
        continue;
      }
      re -= oct_array_get (expected, row, i, 0);
      im -= oct_array_get (expected, row, i, 1);
      fail_unless (hypot (re, im) <= allowed, "A-line %u: %g", row, re);
      most = MAX (most, hypot (re, im));
    }
  GST_INFO ("at most %g of %g", most, allowed);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octcs_suite (void)
{
  Suite *suite = suite_create ("octcs");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (
      tcase, test_known_answers, 0, oct_test_count_cases ("octcs-"));
  tcase_add_test (tcase, test_first_step);
  tcase_add_test (tcase, test_kernel);
  tcase_add_test (tcase, test_live_properties);
  tcase_add_test (tcase, test_density_of_the_calibration);
  tcase_add_test (tcase, test_z_spacing);
  tcase_add_test (tcase, test_minimum);
  tcase_add_test (tcase, test_refused);
  tcase_add_test (tcase, test_steps_of_solvers);
  tcase_add_test (tcase, test_noise_found);
  tcase_add_test (tcase, test_out_of_range);
  tcase_add_test (tcase, test_saturated);
  tcase_add_test (tcase, test_not_a_number);
  tcase_add_test (tcase, test_not_a_number_and_noise_estimated);
  return suite;
}

GST_CHECK_MAIN (octcs);
