/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octmeter: everything passes as it is, at once and whatever the thread that
 * measures does; what it measures is what is there.
 */
#include "oct-simulation.h"
#include "oct-test-files.h"
#include "oct-test-pipelines.h"
#include "oct-test.h"

#include <glib/gstdio.h>

#define BINS 256
#define LINES_OF_EACH 20 /* of the tests that count A-lines */
#define GREY " ! capsfilter caps=video/x-raw,format=GRAY8"

static GstHarness *
new_harness (const char *launch, const OctArray *values, const char *axis)
{
  GstHarness *harness = oct_test_harness (launch);

  /* measurements are messages, too */
  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  oct_test_set_caps (harness, values, axis);
  return harness;
}

/* A copy of the next measurement; NULL when there is none within `seconds`,
 * which may be 0 alone. */
static GstStructure *
next_measurement (GstBus *bus, guint seconds)
{
  GstStructure *s = NULL;
  GstMessage *message;

  while (s == NULL
         && (message = gst_bus_timed_pop_filtered (bus, seconds * GST_SECOND,
                 GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR))) {
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    if (gst_message_has_name (message, "oct-meter"))
      s = gst_structure_copy (gst_message_get_structure (message));
    gst_message_unref (message);
  }
  fail_unless (s != NULL || seconds == 0, "nothing was measured");
  if (s != NULL) {
    g_autofree char *text = gst_structure_to_string (s);

    g_print ("%s\n", text);
  }
  return s;
}

/* Pushes `values` and returns their measurement. */
static GstStructure *
measure (GstHarness *harness, const OctArray *values)
{
  oct_array_free (oct_test_push (harness, oct_test_buffer (values, 0, 0)));
  return next_measurement (oct_test_bus (harness), 30);
}

static void
assert_field (
    const GstStructure *s, const char *name, double expected, double tolerance)
{
  double value = NAN;

  fail_unless (gst_structure_get_double (s, name, &value), "no %s", name);
  fail_unless (fabs (value - expected) <= tolerance, "%s is %g, not %g", name,
      value, expected);
}

static void
assert_missing (const GstStructure *s, guint64 bscans, guint64 missing)
{
  guint64 found;

  fail_unless (gst_structure_get_uint64 (s, "bscans", &found));
  fail_unless (found == bscans);
  fail_unless (gst_structure_get_uint64 (s, "missing", &found));
  fail_unless (found == missing);
  fail_unless (gst_structure_get_uint64 (s, "missing-lines", &found));
  fail_unless (found == missing * LINES_OF_EACH);
}

/* [lines][BINS] A-scans: a Hann window's peak at `bin` of 20 log10 |a| = level,
 * and noise of E |n|^2 = 1 */
static OctArray *
make_peak (guint lines, double bin, double level)
{
  OctArray *array = oct_array_new ('c', 8, lines, BINS);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  for (guint line = 0; line < lines; line++)
    for (guint i = 0; i < BINS; i++) {
      double x = i - bin;
      double size = pow (10, level / 20);
      Complex value = signal_complex (random) * sqrt (0.5);

      if (fabs (x) < 1e-9)
        value += size;
      else if (fabs (fabs (x) - 1) < 1e-9)
        value += size * 0.5 * -1;
      else
        value += size * cexp (-I * G_PI * x) * sin (G_PI * x)
                 / (G_PI * x * (1 - x * x));
      ((float *)array->data)[2 * (line * BINS + i)] = (float)creal (value);
      ((float *)array->data)[2 * (line * BINS + i) + 1] = (float)cimag (value);
    }
  return array;
}

/* The very same buffers, of all kinds. */
GST_START_TEST (test_passes_everything)
{
  static const struct {
    char kind;
    guint size;
    const char *axis;
  } kinds[] = { { 'u', 1, NULL }, { 'u', 2, NULL }, { 'f', 4, "wavelength" },
    { 'f', 4, "wavenumber" }, { 'c', 8, "wavenumber" }, { 'c', 8, "depth" } };
  guint i, k;

  for (k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autoptr (OctArray) values =
        oct_array_new (kinds[k].kind, kinds[k].size, 5, 64);
    GstHarness *harness;

    memset (values->data, 0x11, 5 * 64 * values->size);
    harness = new_harness ("octmeter interval=0", values, kinds[k].axis);
    for (i = 0; i < 5; i++) {
      GstBuffer *buffer = oct_test_buffer (values, 0, 0), *passed;

      if (oct_test_on_gpu ()) {
        g_autoptr (OctArray) same = oct_test_push (harness, buffer);

        fail_unless (oct_array_equal (same, values));
        continue;
      }
      gst_buffer_ref (buffer);
      fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
      passed = gst_harness_pull (harness);
      fail_unless (passed == buffer);
      gst_buffer_unref (passed);
      gst_buffer_unref (buffer);
    }
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* Also of a camera that counts 300 without light. */
GST_START_TEST (test_source)
{
  enum { LINES = 200 };
  g_autoptr (OctArray) counts = oct_array_new ('u', 2, LINES, SIM_N);
  GstHarness *harness;
  Simulation sim;
  GstStructure *s;
  double line[SIM_N];
  guint i, p;

  simulation_init (&sim, 5, 0);
  for (i = 0; i < LINES; i++) {
    simulation_detect (&sim, NULL, TRUE, line);
    for (p = 0; p < SIM_N; p++) /* wavelengths rise from pixel to pixel */
      ((guint16 *)counts->data)[i * SIM_N + p] =
          GUINT16_TO_LE ((guint16)line[SIM_N - 1 - p] + 300 * __i__);
    ((guint16 *)counts->data)[i * SIM_N + i] = GUINT16_TO_LE (4095);
  }
  simulation_clear (&sim);
  harness = new_harness (
      __i__ > 0
          ? "octmeter source-only=true saturation-level=4095 black-level=300"
          : "octmeter source-only=true saturation-level=4095",
      counts, NULL);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=795 wavelength-max=895", SIM_N));
  s = measure (harness, counts);
  assert_equals_string (gst_structure_get_string (s, "of"), "spectra");
  assert_field (s, "maximum", 4095, 0);
  assert_field (s, "saturated", 1.0 / SIM_N, 1e-9);
  assert_field (s, "centre-nm", 845, 0.3);
  assert_field (s, "fwhm-nm", 50, 0.3);
  assert_field (s, "resolution-formula-um", 6.30, 0.05);
  assert_field (s, "resolution-hann-um", 9.09, 0.05);
  assert_field (s, "shot-noise-floor", 26.7, 0.5);
  assert_field (s, "camera-gain", 0.2048, 0.006);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_peak)
{
  g_autoptr (OctArray) ascans = make_peak (200, 100.3, 40);
  GstHarness *harness =
      new_harness ("octmeter optical-density=1.5", ascans, "depth");
  GstElement *element = gst_harness_find_element (harness, "octmeter");
  GstStructure *s, *last = NULL;

  g_object_get (element, "last", &last, NULL);
  fail_unless (last == NULL);
  s = measure (harness, ascans);
  assert_equals_string (gst_structure_get_string (s, "of"), "ascans");
  assert_field (s, "peak", 100.3, 0.02);
  assert_field (s, "level", 40, 0.05);
  assert_field (s, "width-3db", 1.438, 0.02);
  assert_field (s, "width-6db", 1.997, 0.02);
  assert_field (s, "width-20db", 3.299, 0.05);
  assert_field (s, "noise-floor", 0, 0.2);
  assert_field (s, "snr", 40, 0.3);
  assert_field (s, "sensitivity", 70, 0.3);
  assert_field (s, "phase-limit", 0.01, 0.001);
  assert_field (s, "phase-noise", 0.01, 0.002);
  g_object_get (element, "last", &last, NULL);
  fail_unless (gst_structure_is_equal (last, s));
  gst_structure_free (last);
  gst_structure_free (s);
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Bins of micrometres, after elements that defer; the numbers of one B-scan
 * come before the end of the stream.  Depths are those of the mirror, whichever
 * part of the A-scans is delivered, and the width is that of the window. */
static const char *const mirrors[][2] = {
  { "", "octfft" },
  { "", "octfft depth-start=100" },
  { "window=blackman", "octfft window=blackman depth-start=40 depth-bins=300" },
  { "window=none", "octfft window=none" },
};

GST_START_TEST (test_mirror)
{
  g_autofree char *text = g_strdup_printf (
      "octsrc num-buffers=1 phantom=mirror depth=0.0005 ! octmeter %s ! "
      "octdcsub mode=none ! octkresample ! octdispersion ! %s ! octmeter ! "
      "octlogscale" GREY " ! appsink name=sink sync=false",
      mirrors[__i__][0], mirrors[__i__][1]);
  g_autofree char *launch = oct_test_launch (text);
  GstElement *pipeline = oct_test_start (launch);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  double width = 0, theory = 0;
  guint i;

  oct_array_free (oct_test_pull (pipeline, "sink"));
  fail_unless (oct_test_pull_from (pipeline, "sink") == NULL);
  for (i = 0; i < 2; i++) {
    GstStructure *s = next_measurement (bus, 0);

    fail_unless (s != NULL);
    if (g_str_equal (gst_structure_get_string (s, "of"), "ascans")) {
      assert_field (s, "peak-um", 500, 0.5);
      gst_structure_get_double (s, "width-6db-um", &width);
    } else {
      gst_structure_get_double (s, "resolution-window-um", &theory);
    }
    gst_structure_free (s);
  }
  fail_unless (fabs (width - theory) < 0.02 * theory,
      "measured %g um, theory %g um", width, theory);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* The virtual system's light is a Gaussian, whose peak has no side lobes above
 * the noise: nothing else is higher by more than the scatter of a mean over 200
 * lines, whatever octdcsub leaves of the source. */
static const char *const backgrounds[] = { "none", "background" };

GST_START_TEST (test_side_lobe)
{
  g_autofree char *text = g_strdup_printf (
      "octsrc num-buffers=1 phantom=mirror ! octdcsub mode=%s ! octkresample ! "
      "octdispersion ! octfft ! octmeter ! octlogscale" GREY
      " ! appsink name=sink sync=false",
      backgrounds[__i__]);
  g_autofree char *launch = oct_test_launch (text);
  GstElement *pipeline = oct_test_start (launch);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  double level, noise;
  GstStructure *s;

  oct_array_free (oct_test_pull (pipeline, "sink"));
  fail_unless (oct_test_pull_from (pipeline, "sink") == NULL);
  s = next_measurement (bus, 0);
  fail_unless (s != NULL);
  fail_unless (gst_structure_get (s, "level", G_TYPE_DOUBLE, &level,
      "noise-floor", G_TYPE_DOUBLE, &noise, NULL));
  assert_field (s, "side-lobe", noise - level + 1.5, 1.5);
  gst_structure_free (s);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* Lateral distances, where the caps tell them, and not where they do not; from
 * a B-scan to the next, where two of them are at each place. */
GST_START_TEST (test_lateral)
{
  static const char *const caps[] = {
    NULL, "", "application/x-oct-ascans(ANY),x-spacing=5e-6,y-spacing=2e-5 ! ",
    "application/x-oct-ascans(ANY),x-spacing=5e-6,y-spacing=4e-5,repeats=2 ! "
  };
  g_autofree char *chain = g_strdup_printf (
      "octsrc num-buffers=1 samples=256 lines=16 ! octdcsub ! octkresample ! "
      "octfft ! %soctmeter ! octlogscale" GREY
      " ! appsink name=sink sync=false",
      caps[__i__]);
  g_autofree char *launch = oct_test_launch (chain);
  GstElement *pipeline = oct_test_start (launch);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstStructure *s;

  oct_array_free (oct_test_pull (pipeline, "sink"));
  fail_unless (oct_test_pull_from (pipeline, "sink") == NULL);
  s = next_measurement (bus, 0);
  fail_unless (s != NULL);
  if (__i__ >= 2) {
    assert_field (s, "x-spacing-um", 5, 1e-9);
    assert_field (s, "y-spacing-um", 20, 1e-9);
  } else {
    fail_if (gst_structure_has_field (s, "x-spacing-um"));
  }
  gst_structure_free (s);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* If a buffer has several B-scans, the lines of one are measured. */
GST_START_TEST (test_one_bscan)
{
  enum { LINES = 12, N_BSCANS = 4 };
  g_autoptr (OctArray) all = oct_array_new ('c', 8, N_BSCANS * LINES, BINS);
  GstHarness *harness = oct_test_harness ("octmeter");
  GstCaps *caps = oct_test_caps (all, LINES, "depth");
  gsize size = (gsize)LINES * BINS * 8;
  GstStructure *s;
  double peak = 0, level = 0;
  guint lines = 0, i;

  for (i = 0; i < N_BSCANS; i++) {
    g_autoptr (OctArray) one = make_peak (LINES, 60.3 + 40 * i, 40 + i);

    memcpy (all->data + i * size, one->data, size);
  }
  gst_caps_set_simple (caps, "bscans", G_TYPE_INT, N_BSCANS, NULL);
  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  oct_test_set_src_caps (harness, caps);
  s = measure (harness, all);
  fail_unless (gst_structure_get_uint (s, "lines", &lines));
  fail_unless_equals_int (lines, LINES);
  /* the mean of several would be lower */
  fail_unless (gst_structure_get_double (s, "peak", &peak));
  fail_unless (gst_structure_get_double (s, "level", &level));
  i = (guint)lround ((peak - 60.3) / 40);
  fail_unless (i < N_BSCANS);
  fail_unless (fabs (peak - 60.3 - 40.0 * i) < 0.05, "peak at %g", peak);
  fail_unless (fabs (level - 40.0 - i) < 0.2, "%g dB", level);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static const double *
get_curve (
    const GstStructure *s, const char *name, guint count, GstMapInfo *map)
{
  const GValue *value = gst_structure_get_value (s, name);

  fail_unless (value != NULL && GST_VALUE_HOLDS_BUFFER (value), "no %s", name);
  fail_unless (
      gst_buffer_map (gst_value_get_buffer (value), map, GST_MAP_READ));
  fail_unless_equals_int (map->size, count * sizeof (double));
  return (const double *)map->data;
}

static void
put_curve (const GstStructure *s, const char *name, GstMapInfo *map)
{
  const GValue *value = gst_structure_get_value (s, name);

  gst_buffer_unmap (gst_value_get_buffer (value), map);
}

/* The mean of all lines, and where they are full; nothing of it unless wished
 * for. */
GST_START_TEST (test_curves_of_spectra)
{
  enum { LINES = 4, N = 64 };
  g_autoptr (OctArray) counts = oct_array_new ('u', 2, LINES, N);
  guint16 *values = (guint16 *)counts->data;
  GstHarness *harness = new_harness ("octmeter interval=0", counts, NULL);
  GstStructure *s;
  GstMapInfo map;
  const double *curve;
  guint i;

  for (i = 0; i < LINES * N; i++)
    values[i] = GUINT16_TO_LE ((guint16)(10 * (i % N) + i / N));
  values[40] = values[N + 40] = values[41] = GUINT16_TO_LE (4095);
  s = measure (harness, counts);
  fail_if (gst_structure_has_field (s, "curve"));
  assert_field (s, "full", 4095, 0);
  gst_structure_free (s);
  oct_test_set (harness, "octmeter", "curves", "true");
  s = measure (harness, counts);
  curve = get_curve (s, "curve", N, &map);
  for (i = 0; i < 40; i++)
    fail_unless (fabs (curve[i] - (10.0 * i + 1.5)) < 1e-9);
  put_curve (s, "curve", &map);
  curve = get_curve (s, "curve-full", N, &map);
  for (i = 0; i < N; i++)
    fail_unless (curve[i] == (i == 40 ? 0.5 : i == 41 ? 0.25 : 0));
  put_curve (s, "curve-full", &map);
  gst_structure_free (s);
  /* no camera ends at 4000 */
  values[40] = values[N + 40] = values[41] = GUINT16_TO_LE (4000);
  s = measure (harness, counts);
  fail_if (gst_structure_has_field (s, "full"));
  fail_if (gst_structure_has_field (s, "curve-full"));
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_curve_of_ascans)
{
  g_autoptr (OctArray) ascans = make_peak (200, 100, 40);
  GstHarness *harness = new_harness ("octmeter curves=true", ascans, "depth");
  GstStructure *s;
  GstMapInfo map;
  const double *db;
  guint i;

  s = measure (harness, ascans);
  db = get_curve (s, "curve", BINS, &map);
  fail_unless (fabs (db[100] - 40) < 0.05, "%g", db[100]);
  fail_unless (fabs (db[99] - (40 - 6.02)) < 0.1, "%g", db[99]);
  for (i = 150; i < BINS; i++)
    fail_unless (fabs (db[i]) < 1.5, "noise of %g dB", db[i]);
  put_curve (s, "curve", &map);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* An inactive octmeter measures nothing, but still counts B-scans. */
GST_START_TEST (test_inactive)
{
  g_autoptr (OctArray) ascans = make_peak (20, 100.3, 40);
  GstHarness *harness =
      new_harness ("octmeter interval=0 active=false", ascans, "depth");
  GstStructure *s;
  guint i;

  for (i = 0; i < 5; i++)
    oct_array_free (oct_test_push (harness, oct_test_buffer (ascans, 0, 0)));
  /* what is under way comes before the end of the stream */
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless (next_measurement (oct_test_bus (harness), 0) == NULL);
  gst_harness_teardown (harness);

  harness = new_harness ("octmeter interval=0 active=false", ascans, "depth");
  for (i = 0; i < 6; i++) {
    oct_array_free (oct_test_push (harness, oct_test_buffer (ascans, 0, 0)));
    if (i == 4)
      oct_test_set (harness, "octmeter", "active", "true");
  }
  s = next_measurement (oct_test_bus (harness), 30);
  assert_missing (s, 6, 0);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Where none comes from upstream; one that does not fit costs the scale alone.
 */
GST_START_TEST (test_own_calibration)
{
  enum { N = 64 };
  g_autoptr (OctArray) counts = oct_array_new ('u', 2, 20, N);
  g_autofree char *path = oct_test_wavelengths ("own.csv", N);
  g_autofree char *launch =
      g_strdup_printf ("octmeter interval=0 calibration=%s", path);
  GstHarness *harness;
  GstStructure *s;
  guint i;

  for (i = 0; i < 20 * N; i++)
    ((guint16 *)counts->data)[i] =
        GUINT16_TO_LE ((guint16)(100 + 900 * (i % N == 20)));
  harness = new_harness (launch, counts, NULL);
  s = measure (harness, counts);
  fail_unless (gst_structure_has_field (s, "centre-nm"));
  gst_structure_free (s);
  oct_test_set (harness, "octmeter", "calibration", "/nowhere/at-all.csv");
  s = measure (harness, counts);
  fail_if (gst_structure_has_field (s, "centre-nm"));
  fail_unless (gst_structure_has_field (s, "centroid"));
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Properties that only change a calibration change the one from upstream. */
GST_START_TEST (test_flipped_calibration)
{
  enum { N = 64 };
  static const char *const launches[] = { "octmeter interval=0",
    "octmeter interval=0 flip=true" };
  g_autoptr (OctArray) counts = oct_array_new ('u', 2, 20, N);
  guint i;

  /* light at the short end */
  for (i = 0; i < 20 * N; i++)
    ((guint16 *)counts->data)[i] =
        GUINT16_TO_LE ((guint16)(i % N < 8 ? 1000 : 10));
  for (i = 0; i < 2; i++) {
    GstHarness *harness = new_harness (launches[i], counts, NULL);
    GstStructure *s;
    double centre = 0;

    gst_harness_push_event (harness,
        oct_test_calibration ("wavelength-min=800 wavelength-max=900", N));
    s = measure (harness, counts);
    fail_unless (gst_structure_get_double (s, "centre-nm", &centre));
    fail_unless (i == 0 ? centre < 820 : centre > 880, "%g nm", centre);
    gst_structure_free (s);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* octmeter does not break an agreement that leaves work to later elements: the
 * images are the same. */
GST_START_TEST (test_images)
{
  g_autofree char *plain = oct_test_launch (
      "octsrc samples=256 lines=16 num-buffers=4 ! octdcsub ! octkresample ! "
      "octdispersion ! octfft ! octlogscale" GREY
      " ! appsink name=sink sync=false");
  g_autofree char *metered = oct_test_launch (
      "octsrc samples=256 lines=16 num-buffers=4 ! octmeter interval=0 ! "
      "octdcsub ! octmeter interval=0 ! octkresample ! octmeter interval=0 ! "
      "octdispersion ! octmeter interval=0 ! octfft ! octmeter interval=0 ! "
      "octlogscale" GREY " ! appsink name=sink sync=false");
  GstElement *one = oct_test_start (plain), *other = oct_test_start (metered);

  oct_test_compare_pipelines (one, other, 4);
  oct_test_stop (one);
  oct_test_stop (other);
}
GST_END_TEST;

/* At most one for each interval, and B-scans that never came are counted. */
GST_START_TEST (test_interval)
{
  g_autoptr (OctArray) ascans = make_peak (20, 100.3, 40);
  GstHarness *harness =
      new_harness ("octmeter interval=3600000", ascans, "depth");
  GstStructure *s;
  guint64 step;
  gint fps_n = 0, fps_d = 1;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->srcpad);
  guint i;

  gst_structure_get_fraction (
      gst_caps_get_structure (caps, 0), "framerate", &fps_n, &fps_d);
  fail_unless (fps_n > 0);
  step = gst_util_uint64_scale (GST_SECOND, fps_d, fps_n);
  for (i = 0; i < 10; i++) {
    GstBuffer *buffer = oct_test_buffer (ascans, 0, 0);

    /* three are missing before the fifth */
    GST_BUFFER_PTS (buffer) = (i + (i >= 5 ? 3 : 0)) * step;
    oct_array_free (oct_test_push (harness, buffer));
    if (i > 0)
      continue;
    s = next_measurement (oct_test_bus (harness), 30);
    assert_missing (s, 1, 0);
    gst_structure_free (s);
  }
  fail_unless (next_measurement (oct_test_bus (harness), 0) == NULL);
  oct_test_set (harness, "octmeter", "interval", "0");
  s = measure (harness, ascans);
  assert_missing (s, 11, 3);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The mirror is moved: 4 dB lost from bin 40 to 120, 18 dB at 200.  Another
 * `roll-off` begins anew. */
GST_START_TEST (test_roll_off)
{
  static const struct {
    double bin, level, lost, slope;
  } steps[] = { { 40, 60, 0, 0 }, { 120, 56, 0, -4 / 80.0 },
    { 121, 50, 0, -4 / 80.0 }, { 200, 42, 120 + 80 * 2 / 14.0, -18 / 160.0 } };
  g_autoptr (OctArray) first = make_peak (40, 40, 60);
  GstHarness *harness =
      new_harness ("octmeter interval=0 roll-off=true", first, "depth");
  GstStructure *s;
  guint i, n;

  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autoptr (OctArray) ascans = make_peak (40, steps[i].bin, steps[i].level);

    s = measure (harness, ascans);
    fail_unless (gst_structure_get_uint (s, "roll-off-depths", &n));
    fail_unless_equals_int (n, i < 2 ? i + 1 : i);
    if (i > 0)
      assert_field (s, "roll-off", steps[i].slope, 0.002);
    if (steps[i].lost > 0)
      assert_field (s, "lost-6db", steps[i].lost, 1);
    else
      fail_if (gst_structure_has_field (s, "lost-6db"));
    gst_structure_free (s);
  }
  oct_test_set (harness, "octmeter", "roll-off", "false");
  oct_test_set (harness, "octmeter", "roll-off", "true");
  s = measure (harness, first);
  fail_unless (gst_structure_get_uint (s, "roll-off-depths", &n));
  fail_unless_equals_int (n, 1);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A sentence, and B-scans go on. */
GST_START_TEST (test_nothing_to_measure)
{
  g_autoptr (OctArray) dark = oct_array_new ('u', 2, 10, 64);
  g_autoptr (OctArray) zeros = oct_array_new ('c', 8, 10, 64);
  g_autoptr (OctArray) few = oct_array_new ('c', 8, 10, 12);
  g_autoptr (OctArray) bad = oct_array_new ('f', 4, 10, 64);
  const struct {
    const OctArray *values;
    const char *axis, *word;
  } cases[] = { { dark, NULL, "no light" }, { zeros, "depth", "zeros" },
    { few, "depth", "depth-bins" }, { bad, "wavelength", "finite" } };
  guint i;

  memset (dark->data, 0, 10 * 64 * 2);
  memset (zeros->data, 0, 10 * 64 * 8);
  memset (few->data, 0, 10 * 12 * 8);
  memset (bad->data, 0xff, 10 * 64 * 4); /* not-a-number */
  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *harness =
        new_harness ("octmeter", cases[i].values, cases[i].axis);
    GstStructure *s;

    oct_array_free (
        oct_test_push (harness, oct_test_buffer (cases[i].values, 0, 0)));
    s = next_measurement (oct_test_bus (harness), 30);
    fail_unless (strstr (gst_structure_get_string (s, "problem"), cases[i].word)
                 != NULL);
    gst_structure_free (s);
    oct_test_assert_quiet (oct_test_bus (harness));
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* A line for each message, with its values; the file is the owner's alone and
 * is never written over. */
GST_START_TEST (test_file)
{
  g_autoptr (OctArray) ascans = make_peak (40, 100.3, 40);
  g_autofree char *path = oct_test_file_path ("meter.csv");
  g_autofree char *launch =
      g_strdup_printf ("octmeter interval=0 location=%s", path);
  GstHarness *harness = new_harness (launch, ascans, "depth");
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_auto (GStrv) names = NULL;
  GStatBuf info;
  GstElement *other;
  double snr[3] = { 0 };
  guint i, column = 0;

  for (i = 0; i < 3; i++) {
    GstStructure *s;

    s = measure (harness, ascans);
    fail_unless (gst_structure_get_double (s, "snr", &snr[i]));
    gst_structure_free (s);
  }
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless (g_stat (path, &info) == 0 && (info.st_mode & 0777) == 0600);
  lines = g_strsplit (text, "\n", -1);
  fail_unless_equals_int (g_strv_length (lines), 5);
  names = g_strsplit (lines[0], ",", -1);
  assert_equals_string (names[0], "time");
  while (names[column] != NULL && !g_str_equal (names[column], "snr"))
    column++;
  for (i = 0; i < 3; i++) {
    g_auto (GStrv) values = g_strsplit (lines[1 + i], ",", -1);

    fail_unless_equals_int (g_strv_length (values), g_strv_length (names));
    assert_equals_string (values[1], "ascans");
    fail_unless (fabs (g_ascii_strtod (values[column], NULL) - snr[i]) < 1e-6);
  }
  gst_harness_teardown (harness);

  other = gst_element_factory_make ("octmeter", NULL);
  {
    g_autoptr (GstBus) bus = gst_bus_new ();

    gst_element_set_bus (other, bus);
    g_object_set (other, "location", path, NULL);
    fail_unless_equals_int (gst_element_set_state (other, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    oct_test_assert_error (
        bus, "meter.csv", "never overwritten", "location", NULL);
    gst_element_set_state (other, GST_STATE_NULL);
    g_object_set (other, "location", "/nowhere/at/all.csv", NULL);
    fail_unless_equals_int (gst_element_set_state (other, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    oct_test_assert_error (
        bus, "/nowhere/at/all.csv", "No such", "location", NULL);
    gst_element_set_state (other, GST_STATE_NULL);
  }
  gst_object_unref (other);
}
GST_END_TEST;

/* --------------------------------------------------------- slow measurement */

static GMutex gate;

static GstBusSyncReply
wait_at_gate (GstBus *bus, GstMessage *message, gpointer came)
{
  if (gst_message_has_name (message, "oct-meter")) {
    g_atomic_int_inc ((gint *)came);
    g_mutex_lock (&gate);
    g_mutex_unlock (&gate);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* While the thread that measures stands still any number of B-scans pass, and
 * none of them is kept for it. */
GST_START_TEST (test_never_waits)
{
  g_autoptr (OctArray) ascans = make_peak (20, 100.3, 40);
  GstHarness *harness = new_harness ("octmeter interval=0", ascans, "depth");
  gint came = 0;
  guint i;

  gst_bus_set_sync_handler (oct_test_bus (harness), wait_at_gate, &came, NULL);
  g_mutex_lock (&gate);
  oct_array_free (oct_test_push (harness, oct_test_buffer (ascans, 0, 0)));
  while (g_atomic_int_get (&came) == 0)
    g_usleep (1000);
  for (i = 0; i < 50; i++)
    oct_array_free (oct_test_push (harness, oct_test_buffer (ascans, 0, 0)));
  fail_unless_equals_int (g_atomic_int_get (&came), 1);
  g_mutex_unlock (&gate);
  gst_harness_teardown (harness);
  fail_unless (came <= 2);
}
GST_END_TEST;

static Suite *
octmeter_suite (void)
{
  Suite *suite = suite_create ("octmeter");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_passes_everything);
  tcase_add_loop_test (tcase, test_source, 0, 2);
  tcase_add_test (tcase, test_peak);
  tcase_add_loop_test (tcase, test_mirror, 0, G_N_ELEMENTS (mirrors));
  tcase_add_loop_test (tcase, test_side_lobe, 0, G_N_ELEMENTS (backgrounds));
  tcase_add_loop_test (tcase, test_lateral, 1, 4);
  tcase_add_test (tcase, test_one_bscan);
  tcase_add_test (tcase, test_curves_of_spectra);
  tcase_add_test (tcase, test_curve_of_ascans);
  tcase_add_test (tcase, test_inactive);
  tcase_add_test (tcase, test_own_calibration);
  tcase_add_test (tcase, test_flipped_calibration);
  tcase_add_test (tcase, test_images);
  tcase_add_test (tcase, test_interval);
  tcase_add_test (tcase, test_roll_off);
  tcase_add_test (tcase, test_nothing_to_measure);
  tcase_add_test (tcase, test_file);
  tcase_add_test (tcase, test_never_waits);
  return suite;
}

GST_CHECK_MAIN (octmeter);
