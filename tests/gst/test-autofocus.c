/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The signal autofocus of octdispersion and octreconstruct: on scenes whose
 * dispersion is known, taken back, and where there is no answer.
 */
#include "oct-simulation-layers.h"
#include "oct-simulation-scene.h"
#include "oct-test-files.h"
#include "oct-test-pipelines.h"
#include "oct-test.h"

#define LINES 100
#define WAVELENGTHS "wavelength-min=795 wavelength-max=895"

/* rad/um, half of the range of wavenumbers */
static double
half_range (void)
{
  return 1e3 * G_PI * (1 / 795.0 - 1 / 895.0);
}

static GstHarness *
new_harness (const char *launch, const OctArray *spectra, const char *axis,
    const char *calibration)
{
  GstHarness *harness = oct_test_harness (launch);

  /* results are messages, too */
  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  oct_test_set_caps (harness, spectra, axis);
  if (calibration != NULL)
    gst_harness_push_event (
        harness, oct_test_calibration (calibration, spectra->columns));
  return harness;
}

static OctArray *
push (GstHarness *harness, const OctArray *spectra)
{
  return oct_test_push (harness, oct_test_buffer (spectra, 0, 0));
}

static gboolean
emit (GstElement *element, const char *signal)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (element, signal, &taken);
  return taken;
}

static GstElement *
get_element (GstHarness *harness, const char *factory)
{
  GstElement *element = gst_harness_find_element (harness, factory);

  /* the harness holds it for as long as it lives */
  gst_object_unref (element);
  return element;
}

/* The next message of autofocus; "result" is as expected. */
static GstStructure *
wait_for_result (GstBus *bus, const char *result)
{
  GstMessage *message = NULL;
  GstStructure *s;

  do {
    g_clear_pointer (&message, gst_message_unref);
    message = gst_bus_timed_pop_filtered (
        bus, 30 * GST_SECOND, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "no result after half a minute");
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
  } while (!gst_message_has_name (message, "oct-autofocus"));
  s = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  g_print ("%s\n", gst_structure_get_string (s, "text"));
  assert_equals_string (gst_structure_get_string (s, "result"), result);
  return s;
}

static double
get_double (GObject *object, const char *name)
{
  double value;

  g_object_get (object, name, &value, NULL);
  return value;
}

static void
assert_phase (double found, double order, double expected, double tolerance)
{
  double rad = found * pow (half_range (), order);

  fail_unless (fabs (rad - expected) <= tolerance,
      "%g rad at the ends in place of %g", rad, expected);
}

/* [LINES][SIM_N] of layers, uniform in wavenumber */
static OctArray *
make_tissue (double c2, double c3)
{
  OctArray *array = oct_array_new ('f', 4, LINES, SIM_N);
  Simulation sim;

  simulation_init (&sim, 11, 0);
  simulation_tissue (&sim, LINES, c2, c3, (float *)array->data);
  simulation_clear (&sim);
  return array;
}

static OctArray *
make_noise (void)
{
  OctArray *array = oct_array_new ('f', 4, LINES, SIM_N);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);

  for (guint i = 0; i < LINES * SIM_N; i++)
    ((float *)array->data)[i] = (float)signal_normal (random);
  return array;
}

/* A tilted mirror as measured: wavelengths rise from pixel to pixel. */
static OctArray *
make_mirror_as_measured (double c2, double c3)
{
  OctArray *array = oct_array_new ('f', 4, LINES, SIM_N);
  double half = half_range (), middle = 1e3 * G_PI * (1 / 795.0 + 1 / 895.0);

  for (guint line = 0; line < LINES; line++)
    for (guint p = 0; p < SIM_N; p++) {
      double nm = 795 + 100.0 * p / (SIM_N - 1), k = 2e3 * G_PI / nm;
      double x = (k - middle) / half;

      ((float *)array->data)[line * SIM_N + p] =
          (float)(500 * exp (-pow ((nm - 845) / 30, 2))
                  * cos (2 * k * (150 + 0.3 * line) + x * x * (c2 + c3 * x)));
    }
  return array;
}

/* The dispersion is found and used for the next B-scan, taken back, found
 * again, and what is as good stays. */
GST_START_TEST (test_find)
{
  g_autoptr (OctArray) spectra = make_tissue (25, 0);
  GstHarness *harness =
      new_harness ("octdispersion a2=7", spectra, "wavenumber", WAVELENGTHS);
  GstElement *element = get_element (harness, "octdispersion");
  g_autoptr (OctArray) before = push (harness, spectra);
  g_autoptr (OctArray) during = NULL, last = NULL;
  g_autoptr (OctArray) after = NULL, same = NULL, undone = NULL;
  g_autofree char *fixed = NULL;
  GstHarness *other;
  GstStructure *s;
  double a2, a3;

  fail_if (emit (element, "undo-autofocus"));
  fail_unless (emit (element, "autofocus"));
  fail_if (emit (element, "autofocus"));
  during = push (harness, spectra);
  fail_unless (oct_array_equal (before, during));
  last = push (harness, spectra);
  s = wait_for_result (oct_test_bus (harness), "changed");
  a2 = get_double (G_OBJECT (element), "a2");
  a3 = get_double (G_OBJECT (element), "a3");
  assert_phase (a2, 2, 25, 2.5);
  assert_phase (a3, 3, 0, 4);
  fail_unless (g_value_get_double (gst_structure_get_value (s, "a2")) == a2);
  fail_unless (
      g_value_get_double (gst_structure_get_value (s, "former-a2")) == 7);
  fail_unless (g_value_get_uint (gst_structure_get_value (s, "lines")) == 200);
  gst_structure_free (s);

  fixed = g_strdup_printf ("octdispersion a2=%.17g a3=%.17g", a2, a3);
  other = new_harness (fixed, spectra, "wavenumber", WAVELENGTHS);
  after = push (harness, spectra);
  same = push (other, spectra);
  fail_unless (oct_array_equal (after, same));
  gst_harness_teardown (other);

  fail_unless (emit (element, "autofocus"));
  oct_array_free (push (harness, spectra));
  oct_array_free (push (harness, spectra));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "kept"));
  fail_unless (get_double (G_OBJECT (element), "a2") == a2);

  fail_unless (emit (element, "undo-autofocus"));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "undone"));
  fail_unless (get_double (G_OBJECT (element), "a2") == 7);
  fail_unless (get_double (G_OBJECT (element), "a3") == 0);
  undone = push (harness, spectra);
  fail_unless (oct_array_equal (before, undone));
  fail_if (emit (element, "undo-autofocus"));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* a3 is given, and a2 alone looked for. */
GST_START_TEST (test_second_order)
{
  g_autoptr (OctArray) spectra = make_tissue (-64, 36);
  g_autofree char *launch = g_strdup_printf (
      "octdispersion autofocus-order=2 a3=%.17g", 36 / pow (half_range (), 3));
  GstHarness *harness =
      new_harness (launch, spectra, "wavenumber", WAVELENGTHS);
  GstElement *element = get_element (harness, "octdispersion");

  fail_unless (emit (element, "autofocus"));
  oct_array_free (push (harness, spectra));
  oct_array_free (push (harness, spectra));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "changed"));
  assert_phase (get_double (G_OBJECT (element), "a2"), 2, -64, 2.5);
  assert_phase (get_double (G_OBJECT (element), "a3"), 3, 36, 1e-6);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Buffers have as many B-scans as waited: each of them is in the search once,
 * whatever came with it. */
GST_START_TEST (test_numbers_of_bscans)
{
  static const guint numbers[] = { 1, 3, 2, 3, 3, 3 };
  const guint lines = 20;
  g_autoptr (OctArray) spectra = make_tissue (-64, 0);
  GstHarness *harness = oct_test_harness ("octdispersion autofocus-order=2");
  GstElement *element = get_element (harness, "octdispersion");
  GstCaps *caps = oct_test_caps (spectra, lines, "wavenumber");
  GstStructure *s;
  guint found = 0;

  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  gst_caps_set_simple (caps, "bscans", G_TYPE_INT, 3, NULL);
  oct_test_set_src_caps (harness, caps);
  gst_harness_push_event (harness, oct_test_calibration (WAVELENGTHS, SIM_N));
  fail_unless (emit (element, "autofocus"));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    fail_unless_equals_int (
        oct_test_push_buffer (
            harness, oct_test_buffer (spectra, 0, numbers[i] * lines)),
        GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (harness));
  }
  s = wait_for_result (oct_test_bus (harness), "changed");
  assert_phase (get_double (G_OBJECT (element), "a2"), 2, -64, 2.5);
  /* 20, 60, 40, 60 and 60: more than 200 */
  fail_unless (gst_structure_get_uint (s, "lines", &found) && found == 240,
      "%u lines", found);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Before octnufft, spectra are as measured; the calibration's phase is in it
 * already. */
GST_START_TEST (test_as_measured)
{
  g_autoptr (OctArray) spectra = make_mirror_as_measured (40, 10);
  g_autofree char *calibration = g_strdup_printf (
      WAVELENGTHS " dispersion-a2=%.17g", 30 / pow (half_range (), 2));
  GstHarness *harness =
      new_harness ("octdispersion", spectra, "wavelength", calibration);
  GstElement *element = get_element (harness, "octdispersion");

  fail_unless (emit (element, "autofocus"));
  oct_array_free (push (harness, spectra));
  oct_array_free (push (harness, spectra));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "changed"));
  assert_phase (get_double (G_OBJECT (element), "a2"), 2, 10, 0.5);
  assert_phase (get_double (G_OBJECT (element), "a3"), 3, 10, 0.7);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A k map without wavelengths, as of mirrors of which no distance is known: the
 * phases at the ends of the axis are found all the same, used and saved. */
GST_START_TEST (test_without_wavelengths)
{
  g_autoptr (OctArray) spectra = make_mirror_as_measured (40, 10);
  g_autoptr (OctArray) found = NULL, by_a2 = NULL;
  g_autoptr (GString) csv = g_string_new ("k_index\n");
  g_autofree char *scaled = NULL, *text = NULL, *path = NULL,
                  *saved_path = NULL;
  double low = 2e3 * G_PI / 895, step = 2 * half_range () / (SIM_N - 1);
  GstHarness *harness, *other;
  GstElement *element;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean saved = FALSE;
  double phase2, phase3;

  for (guint j = 0; j < SIM_N; j++) {
    double nm = 2e3 * G_PI / (low + j * step);

    g_string_append_printf (csv, "%s\n",
        g_ascii_dtostr (number, sizeof number, (nm - 795) / 100 * (SIM_N - 1)));
  }
  path = oct_test_text ("k-index.csv", csv->str);
  text = g_strdup_printf ("calibration=%s", path);
  harness = new_harness ("octdispersion", spectra, "wavelength", text);
  element = get_element (harness, "octdispersion");
  fail_unless (emit (element, "autofocus"));
  oct_array_free (push (harness, spectra));
  oct_array_free (push (harness, spectra));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "changed"));
  phase2 = get_double (G_OBJECT (element), "phase2");
  phase3 = get_double (G_OBJECT (element), "phase3");
  fail_unless (fabs (phase2 - 40) < 0.5, "%g rad", phase2);
  fail_unless (fabs (phase3 - 10) < 0.7, "%g rad", phase3);
  fail_unless (get_double (G_OBJECT (element), "a2") == 0);
  found = push (harness, spectra);
  /* the same as a2 and a3 where wavelengths are known */
  scaled = g_strdup_printf ("octdispersion a2=%.17g a3=%.17g",
      phase2 / pow (half_range (), 2), phase3 / pow (half_range (), 3));
  other = new_harness (scaled, spectra, "wavelength", WAVELENGTHS);
  by_a2 = push (other, spectra);
  /* of a k map it is linear where samples lie on the axis */
  fail_unless (oct_test_error (found, by_a2) < 1e-4);
  gst_harness_teardown (other);
  /* what is saved has it */
  saved_path = oct_test_file_path ("saved.csv");
  g_signal_emit_by_name (element, "save-calibration", saved_path, &saved);
  fail_unless (saved);
  g_free (scaled);
  scaled = g_strdup_printf ("octdispersion calibration=%s", saved_path);
  other = new_harness (scaled, spectra, "wavelength", NULL);
  g_clear_pointer (&by_a2, oct_array_free);
  by_a2 = push (other, spectra);
  fail_unless (oct_test_error (found, by_a2) < 1e-4);
  gst_harness_teardown (other);
  fail_unless (emit (element, "undo-autofocus"));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "undone"));
  fail_unless (get_double (G_OBJECT (element), "phase2") == 0);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
check_failure (const char *launch, const OctArray *spectra,
    const char *calibration, guint bscans, const char *word)
{
  GstHarness *harness =
      new_harness (launch, spectra, "wavenumber", calibration);
  GstElement *element = get_element (harness, "octdispersion");
  guint i, again;

  for (again = 0; again < 2; again++) {
    GstStructure *s;

    fail_unless (emit (element, "autofocus"));
    for (i = 0; i < bscans; i++)
      oct_array_free (push (harness, spectra));
    s = wait_for_result (oct_test_bus (harness), "failed");
    fail_unless (strstr (gst_structure_get_string (s, "text"), word) != NULL);
    gst_structure_free (s);
  }
  fail_unless (get_double (G_OBJECT (element), "a2") == 0);
  fail_if (emit (element, "undo-autofocus"));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}

/* Spectra that are linear in wavelength need a calibration. */
static void
check_unknown_axis (void)
{
  g_autoptr (OctArray) spectra = make_mirror_as_measured (40, 10);
  GstHarness *harness =
      new_harness ("octdispersion", spectra, "wavelength", NULL);
  GstElement *element = get_element (harness, "octdispersion");
  GstStructure *s;

  fail_unless (emit (element, "autofocus"));
  oct_array_free (push (harness, spectra));
  s = wait_for_result (oct_test_bus (harness), "failed");
  fail_unless (
      strstr (gst_structure_get_string (s, "text"), "wavelength-min") != NULL);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}

/* One sentence, images go on, and one can try again. */
GST_START_TEST (test_no_answer)
{
  g_autoptr (OctArray) noise = make_noise ();
  g_autoptr (OctArray) nothing = oct_array_new ('f', 4, LINES, SIM_N);
  g_autoptr (OctArray) few = oct_array_new ('f', 4, 3, 101);
  g_autoptr (OctArray) some = oct_array_new ('f', 4, 3, 41);

  memset (nothing->data, 0, LINES * SIM_N * sizeof (float));
  memset (few->data, 0, 3 * 101 * sizeof (float));
  memset (some->data, 0, 3 * 41 * sizeof (float));
  check_failure ("octdispersion", noise, WAVELENGTHS, 2, "noise");
  check_failure ("octdispersion", nothing, WAVELENGTHS, 2, "zero");
  /* spectra uniform in wavenumber need no wavelengths */
  check_failure ("octdispersion", noise, NULL, 2, "noise");
  check_failure (
      "octdispersion calibration=@/k-index-101.csv", few, NULL, 64, "zero");
  check_unknown_axis ();
  check_failure (
      "octdispersion mask-file=@/mask-101.txt", some, NULL, 1, "compact");
}
GST_END_TEST;

/* In the middle of it, any number of times. */
GST_START_TEST (test_stop)
{
  g_autoptr (OctArray) spectra = make_tissue (25, 0);
  guint bscans;

  for (bscans = 0; bscans < 4; bscans++) {
    GstHarness *harness =
        new_harness ("octdispersion", spectra, "wavenumber", WAVELENGTHS);
    GstElement *element = get_element (harness, "octdispersion");
    guint i;

    fail_unless (emit (element, "autofocus"));
    for (i = 0; i < bscans; i++)
      oct_array_free (push (harness, spectra));
    gst_element_set_state (element, GST_STATE_NULL);
    fail_unless (emit (element, "autofocus"));
    gst_element_set_state (element, GST_STATE_NULL);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* After elements that defer, in the bin, for every method.  The virtual system
 * reports its own dispersion, so autofocus removes the a2 that is set here. */
GST_START_TEST (test_reconstruct)
{
  static const char *const methods[] = { "resample", "nufft" };
  g_autofree char *launch = g_strdup_printf (
      "octsrc samples=1024 lines=64 bscans=4 noise=1 ! octreconstruct "
      "name=chain method=%s a2=50 ! capsfilter "
      "caps=video/x-raw,format=GRAY8 ! appsink name=sink sync=false "
      "max-buffers=1",
      methods[__i__]);
  g_autofree char *full = oct_test_launch (launch);
  GstElement *pipeline = oct_test_start (full);
  g_autoptr (GstElement) chain =
      gst_bin_get_by_name (GST_BIN (pipeline), "chain");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstStructure *s;
  guint i;

  fail_unless (emit (chain, "autofocus"));
  for (i = 0; i < 8; i++)
    oct_array_free (oct_test_pull (pipeline, "sink"));
  s = wait_for_result (bus, "changed");
  gst_structure_free (s);
  g_print ("a2 = %g\n", get_double (G_OBJECT (chain), "a2"));
  fail_unless (fabs (get_double (G_OBJECT (chain), "a2")) < 5);
  fail_unless (emit (chain, "undo-autofocus"));
  fail_unless (get_double (G_OBJECT (chain), "a2") == 50);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* A field of the last measurement of an octmeter, or NAN. */
static double
get_measured (GstElement *pipeline, const char *meter, const char *field)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), meter);
  GstStructure *last = NULL;
  double value = NAN;

  g_object_get (element, "last", &last, NULL);
  if (last != NULL) {
    gst_structure_get_double (last, field, &value);
    gst_structure_free (last);
  }
  return value;
}

/* A static mirror, background left: its peak becomes as narrow as it can be. */
GST_START_TEST (test_peak_is_ideal)
{
  g_autofree char *launch = oct_test_launch (
      "octsrc samples=1024 lines=64 phantom=mirror ! octmeter name=source "
      "interval=0 ! octreconstruct name=chain mode=none a2=60 a3=-20 "
      "output=ascans ! octmeter name=peak interval=0 first-bin=80 ! appsink "
      "name=sink "
      "sync=false max-buffers=1");
  GstElement *pipeline = oct_test_start (launch);
  g_autoptr (GstElement) chain =
      gst_bin_get_by_name (GST_BIN (pipeline), "chain");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  double ideal = NAN, width = NAN;
  guint i;

  for (i = 0; i < 500 && !(isfinite (ideal) && isfinite (width)); i++) {
    gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
    ideal = get_measured (pipeline, "source", "resolution-hann-um");
    width = get_measured (pipeline, "peak", "width-6db-um");
  }
  fail_unless (width > 2 * ideal, "%g um, ideal %g um", width, ideal);
  fail_unless (emit (chain, "autofocus"));
  for (i = 0; i < 8; i++)
    gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
  gst_structure_free (wait_for_result (bus, "changed"));
  /* a measurement in between may have no width */
  for (i = 0; i < 500 && !(fabs (width - ideal) <= 0.05 * ideal); i++) {
    gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
    width = get_measured (pipeline, "peak", "width-6db-um");
  }
  g_print ("%g um, ideal %g um\n", width, ideal);
  fail_unless (
      fabs (width - ideal) <= 0.05 * ideal, "%g um, ideal %g um", width, ideal);
  oct_test_stop (pipeline);
}
GST_END_TEST;

static char *
get_text (GstElement *element, const char *name)
{
  char *text;

  g_object_get (element, name, &text, NULL);
  return text;
}

/* rad per 100 bins that the calibration in force is off. */
static double
get_bend (GstElement *chain)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) rows = NULL;
  double positions[SIM_N];
  Simulation sim;
  double bend;
  guint i;

  g_signal_emit_by_name (chain, "calibration-csv", &text);
  fail_unless (text != NULL);
  rows = g_strsplit (text, "\n", 0);
  assert_equals_string (rows[1], "wavelength_nm,k_index,dispersion_rad");
  for (i = 0; i < SIM_N; i++) {
    g_auto (GStrv) cells = g_strsplit (rows[2 + i], ",", 0);

    positions[i] = g_ascii_strtod (cells[1], NULL);
  }
  simulation_init (&sim, 1, 4);
  bend = simulation_find_bend (&sim, positions);
  simulation_clear (&sim);
  return bend;
}

/* A file of layers that reach deep, seen by a spectrometer that is bent by 4
 * nm; its wavelengths fall. */
static char *
write_layers (void)
{
  g_autofree guint16 *counts = g_new (guint16, LINES * SIM_N);
  double line[SIM_N];
  Simulation sim;
  guint i, p;

  simulation_init (&sim, 1, 4);
  for (i = 0; i < LINES; i++) {
    simulation_expose_layers (&sim, &simulation_deep, line);
    for (p = 0; p < SIM_N; p++)
      counts[i * SIM_N + p] = GUINT16_TO_LE ((guint16)line[p]);
  }
  simulation_clear (&sim);
  return oct_test_file ("layers.raw", counts, LINES * SIM_N * sizeof *counts);
}

/* The next result with this name, while images are pulled: on a GPU more B-scans
 * are under way than a sink with one image holds up. */
static GstStructure *
pull_result (GstElement *pipeline, const char *name, const char *result)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = NULL;
  gint64 end = g_get_monotonic_time () + 120 * G_TIME_SPAN_SECOND;
  GstStructure *s;

  while (message == NULL && g_get_monotonic_time () < end) {
    gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
    if (message != NULL && !gst_message_has_name (message, name))
      gst_clear_message (&message);
  }
  fail_unless (message != NULL, "no %s", name);
  s = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  g_print ("%s\n", gst_structure_get_string (s, "text"));
  assert_equals_string (gst_structure_get_string (s, "result"), result);
  return s;
}

/* Corrects wavelengths that were wrongly assumed to be linear, together with
 * the settings made before; one undo restores all of them.  Images continue
 * throughout. */
GST_START_TEST (test_refine)
{
  /* a part of the necessary warp */
  static const char bent[] = "-0.01,0,0.02,0.01";
  g_autofree char *path = write_layers ();
  g_autofree char *chain_launch = g_strdup_printf (
      "octsrc location=%s samples=1024 lines=100 loop=true " WAVELENGTHS
      " flip=true ! octreconstruct name=chain k-warp=\"%s\" a2=3 ! capsfilter "
      "caps=video/x-raw,format=GRAY8 ! appsink name=sink sync=false "
      "max-buffers=1",
      path, bent);
  g_autofree char *launch = oct_test_launch (chain_launch);
  GstElement *pipeline = oct_test_start (launch);
  g_autoptr (GstElement) chain =
      gst_bin_get_by_name (GST_BIN (pipeline), "chain");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autofree char *warp = NULL, *back = NULL;
  GstStructure *s;
  double a2;
  guint i;

  fail_if (emit (chain, "undo-autofocus"));
  gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
  fail_unless (get_bend (chain) > 1);
  fail_unless (emit (chain, "refine"));
  fail_if (emit (chain, "refine"));
  fail_if (emit (chain, "autofocus"));
  s = pull_result (pipeline, "oct-autofocus", "changed");
  warp = get_text (chain, "k-warp");
  a2 = get_double (G_OBJECT (chain), "a2");
  assert_equals_string (gst_structure_get_string (s, "k-warp"), warp);
  fail_unless (g_value_get_double (gst_structure_get_value (s, "a2")) == a2);
  gst_structure_free (s);
  /* at once, and from the next B-scan on it is in force */
  for (i = 0; i < 4;
       gst_sample_unref (oct_test_pull_from (pipeline, "sink")), i++)
    fail_unless (get_bend (chain) < 0.25, "%g", get_bend (chain));
  fail_unless (emit (chain, "refine"));
  gst_structure_free (pull_result (pipeline, "oct-autofocus", "kept"));
  back = get_text (chain, "k-warp");
  assert_equals_string (back, warp);
  fail_unless (emit (chain, "undo-autofocus"));
  gst_structure_free (wait_for_result (bus, "undone"));
  g_free (back);
  back = get_text (chain, "k-warp");
  assert_equals_string (back, bent);
  fail_unless (get_double (G_OBJECT (chain), "a2") == 3);
  fail_unless (get_double (G_OBJECT (chain), "a3") == 0);
  fail_if (emit (chain, "undo-autofocus"));
  gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
  oct_test_assert_quiet (bus);
  oct_test_stop (pipeline);
}
GST_END_TEST;

static gboolean
take (GstElement *element)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (element, "take-background", 2, &taken);
  return taken;
}

static void
assert_settings (GstElement *chain, const char *warp, double a2,
    const char *mode, gboolean background)
{
  g_autofree char *found = get_text (chain, "k-warp");
  g_autofree char *spectrum = get_text (chain, "background-spectrum");
  GValue value = G_VALUE_INIT;
  g_autofree char *nick = NULL;

  g_value_init (
      &value, g_object_class_find_property (G_OBJECT_GET_CLASS (chain), "mode")
                  ->value_type);
  g_object_get_property (G_OBJECT (chain), "mode", &value);
  nick = gst_value_serialize (&value);
  g_value_unset (&value);
  assert_equals_string (found, warp);
  assert_equals_string (nick, mode);
  fail_unless (get_double (G_OBJECT (chain), "a2") == a2);
  fail_unless ((spectrum != NULL) == background);
}

/* Wavenumbers, dispersion and background, one after the other: each time what
 * was done last is taken back, and nothing else. */
GST_START_TEST (test_undo_in_order)
{
  g_autofree char *path = write_layers ();
  g_autofree char *chain_launch = g_strdup_printf (
      "octsrc location=%s samples=1024 lines=100 loop=true " WAVELENGTHS
      " flip=true ! octreconstruct name=chain ! capsfilter "
      "caps=video/x-raw,format=GRAY8 ! appsink name=sink sync=false "
      "max-buffers=1",
      path);
  g_autofree char *launch = oct_test_launch (chain_launch);
  GstElement *pipeline = oct_test_start (launch);
  g_autoptr (GstElement) chain =
      gst_bin_get_by_name (GST_BIN (pipeline), "chain");
  g_autofree char *warp = NULL;
  double refined, found;

  fail_unless (emit (chain, "refine"));
  gst_structure_free (pull_result (pipeline, "oct-autofocus", "changed"));
  warp = get_text (chain, "k-warp");
  refined = get_double (G_OBJECT (chain), "a2");
  /* somebody sets another value: it is found once more */
  g_object_set (chain, "a2", 500.0, NULL);
  fail_unless (emit (chain, "autofocus"));
  gst_structure_free (pull_result (pipeline, "oct-autofocus", "changed"));
  found = get_double (G_OBJECT (chain), "a2");
  fail_unless (take (chain));
  gst_structure_free (pull_result (pipeline, "oct-background", "changed"));
  assert_settings (chain, warp, found, "background-scaled", TRUE);

  fail_unless (emit (chain, "undo-autofocus"));
  gst_structure_free (pull_result (pipeline, "oct-background", "undone"));
  assert_settings (chain, warp, found, "bscan", FALSE);
  fail_unless (emit (chain, "undo-autofocus"));
  gst_structure_free (pull_result (pipeline, "oct-autofocus", "undone"));
  assert_settings (chain, warp, 500, "bscan", FALSE);
  g_object_set (chain, "a2", refined, NULL);
  fail_unless (emit (chain, "undo-autofocus"));
  gst_structure_free (pull_result (pipeline, "oct-autofocus", "undone"));
  assert_settings (chain, NULL, 0, "bscan", FALSE);
  fail_if (emit (chain, "undo-autofocus"));
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* Uniform spectra have none; octdispersion alone says what it has found. */
GST_START_TEST (test_no_refine)
{
  g_autoptr (OctArray) spectra = make_tissue (25, 0);
  GstHarness *harness =
      new_harness ("octdispersion a2=7", spectra, "wavenumber", WAVELENGTHS);
  GstElement *element = get_element (harness, "octdispersion");
  g_autofree char *launch = oct_test_launch (
      "octsrc samples=256 lines=16 ! octreconstruct name=chain "
      "axis=wavenumber ! fakesink");
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstElement) chain =
      gst_bin_get_by_name (GST_BIN (pipeline), "chain");
  GstStructure *s;

  fail_if (emit (chain, "refine"));
  gst_object_unref (pipeline);
  fail_unless (emit (element, "refine"));
  oct_array_free (push (harness, spectra));
  oct_array_free (push (harness, spectra));
  s = wait_for_result (oct_test_bus (harness), "failed");
  fail_unless (
      strstr (gst_structure_get_string (s, "text"), "close together") != NULL);
  gst_structure_free (s);
  fail_unless (get_double (G_OBJECT (element), "a2") == 7);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
autofocus_suite (void)
{
  Suite *suite = suite_create ("autofocus");
  TCase *tcase = tcase_create ("general"), *slow = tcase_create ("slow");

  suite_add_tcase (suite, tcase);
  suite_add_tcase (suite, slow);
  /* several searches, with sanitizers */
  tcase_set_timeout (slow, 240);
  tcase_add_checked_fixture (slow, NULL, oct_test_remove_files);
  tcase_add_test (slow, test_undo_in_order);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_find);
  tcase_add_test (tcase, test_second_order);
  tcase_add_test (tcase, test_numbers_of_bscans);
  tcase_add_test (tcase, test_as_measured);
  tcase_add_test (tcase, test_without_wavelengths);
  tcase_add_test (tcase, test_no_answer);
  tcase_add_test (tcase, test_stop);
  tcase_add_loop_test (tcase, test_reconstruct, 0, 2);
  tcase_add_test (tcase, test_peak_is_ideal);
  tcase_add_test (tcase, test_refine);
  tcase_add_test (tcase, test_no_refine);
  return suite;
}

GST_CHECK_MAIN (autofocus);
