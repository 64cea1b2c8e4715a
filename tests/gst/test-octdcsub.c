/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octdcsub: known answers, rows of any stride, live properties, what it
 * forgets and what not, the calibration that it sends.
 */
#include "oct-test-files.h"
#include "oct-test.h"

#include <math.h>

#define SAMPLES 101

GST_START_TEST (test_known_answers)
{
  oct_test_run_case ("octdcsub-", __i__);
}
GST_END_TEST;

/* ------------------------------------------------------------------ strides */

static void
check_strided (const char *name, gsize offset, gsize stride)
{
  GstHarness *harness = oct_test_harness ("octdcsub mode=none");
  g_autoptr (OctArray) input = oct_test_input (name);
  g_autoptr (OctArray) output = NULL;

  oct_test_set_caps (harness, input, NULL);
  output =
      oct_test_push (harness, oct_test_strided_buffer (input, offset, stride));
  fail_unless (oct_test_error (output, input) == 0.0);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_strides)
{
  /* odd width: 101 and 202 bytes a row */
  const gsize offsets[] = { 0, 64, 1024 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (offsets); i++) {
    check_strided ("u8", offsets[i], 101);
    check_strided ("u8", offsets[i], 128);
    check_strided ("u16", offsets[i], 202);
    check_strided ("u16", offsets[i], 256);
    check_strided ("u16", offsets[i], 4096);
  }
}
GST_END_TEST;

/* A GstVideoMeta that promises more than the buffer holds, or something else
 * than the caps, must not be believed. */
static void
check_refused_meta (guint rows, guint columns, gsize stride, const char *word)
{
  GstHarness *harness = oct_test_harness ("octdcsub");
  g_autoptr (OctArray) input = oct_array_new ('u', 2, 8, 32);
  g_autoptr (OctArray) small = oct_array_new ('u', 2, rows, columns);
  GstBuffer *buffer = oct_test_buffer (small, 0, 0);
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 };
  gint strides[GST_VIDEO_MAX_PLANES] = { stride };

  oct_test_set_caps (harness, input, NULL);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY16_LE, columns, word != NULL ? 8 : rows, 1, offsets,
      strides);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, buffer), GST_FLOW_ERROR);
  oct_test_assert_error (
      oct_test_bus (harness), "bytes arrived", "32 x 8", NULL);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_wrong_video_meta)
{
  check_refused_meta (4, 32, 64, "too few rows for the meta");
  check_refused_meta (8, 32, 128, "too few bytes for the stride");
  check_refused_meta (4, 32, 64, NULL); /* meta of another height */
  check_refused_meta (8, 16, 32, NULL); /* meta of another width */
}
GST_END_TEST;

/* Rows of 64 bytes.  More bytes after each, which no GstVideoMeta announces,
 * shift all later rows. */
static GstBuffer *
with_size (const OctArray *array, gsize stride, gsize size)
{
  GstBuffer *buffer = oct_test_strided_buffer (array, 0, stride);
  GstBuffer *bare = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_memset (bare, 0, 0xa5, size);
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  gst_buffer_fill (bare, 0, map.data, MIN (map.size, size));
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return bare;
}

static void
check_size (gsize stride, gsize size, const char *found, const char *hint)
{
  GstHarness *harness = oct_test_harness ("octdcsub mode=none");
  g_autoptr (OctArray) input = oct_array_new ('u', 2, 8, 32);
  g_autoptr (OctArray) output = NULL;
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < 8 * 32; i++)
    ((guint16 *)input->data)[i] = 3 * i + 1;
  buffer = with_size (input, stride, size);
  oct_test_set_caps (harness, input, NULL);
  if (found == NULL) {
    output = oct_test_push (harness, buffer);
    fail_unless (oct_test_error (output, input) == 0.0);
  } else {
    fail_unless_equals_int (
        oct_test_push_buffer (harness, buffer), GST_FLOW_ERROR);
    oct_test_assert_error (
        oct_test_bus (harness), found, "has 512 bytes", hint, NULL);
  }
  gst_harness_teardown (harness);
}

GST_START_TEST (test_sizes_without_meta)
{
  check_size (64, 512, NULL, NULL);
  check_size (64, 515, NULL, NULL); /* a driver appends 3 bytes */
  check_size (
      80, 640, "640 bytes", "padded to 80 bytes in place of 64; set rawvideo");
  check_size (
      128, 1024, "1024 bytes", "padded to 128 bytes in place of 64; set rawv");
  check_size (
      66, 528, "528 bytes", "padded to 66 bytes in place of 64; set rawvideo");
  check_size (70, 554, "554 bytes", "check the width"); /* not the last row */
  check_size (64, 579, "579 bytes", "check the width");
}
GST_END_TEST;

/* The remedy in the sentence, between a source of padded rows and octdcsub. */
GST_START_TEST (test_padded_rows_parsed)
{
  GstHarness *harness =
      oct_test_harness ("rawvideoparse width=32 height=8 format=gray16-le "
                        "framerate=10/1 plane-strides=\"<80>\" ! "
                        "octdcsub mode=none");
  g_autoptr (OctArray) input = oct_array_new ('u', 2, 8, 32);
  g_autoptr (OctArray) output = NULL;
  guint i;

  for (i = 0; i < 8 * 32; i++)
    ((guint16 *)input->data)[i] = 3 * i + 1;
  oct_test_set_caps (harness, input, NULL);
  output = oct_test_push (harness, with_size (input, 80, 640));
  fail_unless (oct_test_error (output, input) == 0.0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* --------------------------------------------------------- running, flushing
 */

/* B-scans of one value each. */
static GstBuffer *
constant (guint8 value)
{
  g_autoptr (OctArray) array = oct_array_new ('u', 1, 3, 8);

  memset (array->data, value, 24);
  return oct_test_buffer (array, 0, 0);
}

static double
push_constant (GstHarness *harness, guint8 value)
{
  g_autoptr (OctArray) output = oct_test_push (harness, constant (value));

  return oct_array_get (output, 2, 7, 0);
}

static GstHarness *
harness_for_constants (const char *launch)
{
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) shape = oct_array_new ('u', 1, 3, 8);

  oct_test_set_caps (harness, shape, NULL);
  return harness;
}

GST_START_TEST (test_flush_forgets)
{
  GstHarness *harness =
      harness_for_constants ("octdcsub mode=running running-weight=0.25");
  GstSegment segment;

  fail_unless_equals_float (push_constant (harness, 100), 0);
  /* mean 100 + 0.25 (180 - 100) = 120 */
  fail_unless_equals_float (push_constant (harness, 180), 60);
  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
  fail_unless_equals_float (push_constant (harness, 180), 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Neither another property nor a new negotiation with the same sizes makes the
 * picture jump. */
GST_START_TEST (test_running_survives)
{
  GstHarness *harness =
      harness_for_constants ("octdcsub mode=running running-weight=0.5 "
                             "wavelength-min=800 wavelength-max=880");

  fail_unless_equals_float (push_constant (harness, 100), 0);
  oct_test_set (harness, "octdcsub", "running-weight", "0.25");
  fail_unless_equals_float (push_constant (harness, 180), 60); /* mean 120 */
  oct_test_set (harness, "octdcsub", "dispersion-a2", "10");
  fail_unless_equals_float (push_constant (harness, 200), 60); /* mean 140 */
  fail_unless (
      gst_harness_push_upstream_event (harness, gst_event_new_reconfigure ()));
  fail_unless_equals_float (push_constant (harness, 200), 45); /* mean 155 */
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------------ fixed pattern */

#define PATTERN_LINES 180
#define PATTERN_SAMPLES 64

/* The signal of the sample: a reflection that drifts, in a third of the
 * A-lines. */
static double
drifting (guint line, guint i)
{
  return line >= 60 && line < 120
             ? 600 * cos (2 * G_PI * 12 * i / PATTERN_SAMPLES + 0.03 * line)
             : 0;
}

/* A source, and fringes of the optics that are the same in all A-lines. */
static OctArray *
fixed_and_drifting (void)
{
  OctArray *array = oct_array_new ('u', 2, PATTERN_LINES, PATTERN_SAMPLES);
  guint line, i;

  for (line = 0; line < PATTERN_LINES; line++)
    for (i = 0; i < PATTERN_SAMPLES; i++)
      ((guint16 *)array->data)[line * PATTERN_SAMPLES + i] =
          (guint16)rint (20000 + 900 * cos (2 * G_PI * 5 * i / PATTERN_SAMPLES)
                         + drifting (line, i) + (line * 7 + i * 3) % 5);
  return array;
}

/* Root mean square of the signal that should be absent, in A-lines without the
 * reflection, in counts. */
static double
ghost (const char *launch)
{
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = fixed_and_drifting ();
  g_autoptr (OctArray) output = oct_test_run (harness, input, NULL);
  double sum = 0;
  guint line, i;

  for (line = 0; line < 60; line++)
    for (i = 0; i < PATTERN_SAMPLES; i++)
      sum += pow (oct_array_get (output, line, i, 0), 2);
  /* all of the reflection is still where it was */
  for (line = 60; strstr (launch, "fixed") && line < 120; line++)
    for (i = 0; i < PATTERN_SAMPLES; i++)
      fail_unless (
          fabs (oct_array_get (output, line, i, 0) - drifting (line, i)) < 5);
  gst_harness_teardown (harness);
  return sqrt (sum / (60 * PATTERN_SAMPLES));
}

/* The mean has a third of the reflection in it and puts it into every A-line.
 */
GST_START_TEST (test_fixed_pattern)
{
  fail_unless (ghost ("octdcsub mode=bscan") > 80);
  fail_unless (ghost ("octdcsub mode=fixed-pattern") < 2);
}
GST_END_TEST;

/* Every B-scan by itself: nothing is left of the one before. */
GST_START_TEST (test_fixed_pattern_live)
{
  GstHarness *harness = harness_for_constants ("octdcsub mode=bscan");

  fail_unless_equals_float (push_constant (harness, 100), 0);
  oct_test_set (harness, "octdcsub", "mode", "fixed-pattern");
  fail_unless_equals_float (push_constant (harness, 50), 0);
  fail_unless_equals_float (push_constant (harness, 200), 0);
  oct_test_set (harness, "octdcsub", "mode", "none");
  fail_unless_equals_float (push_constant (harness, 50), 50);
  oct_test_set (harness, "octdcsub", "mode", "fixed-pattern");
  fail_unless_equals_float (push_constant (harness, 50), 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------- scaled, and others */

#define FLICKER_LINES 40
#define FLICKER_SAMPLES 128

/* The source, counts. */
static double
source_at (guint i)
{
  double x = 2. * i / (FLICKER_SAMPLES - 1) - 1;

  return 30000 * exp (-2 * x * x);
}

/* The signal of the sample. */
static double
fringe_at (guint line, guint i)
{
  return 300 * cos (2 * G_PI * 20 * i / FLICKER_SAMPLES + 0.7 * line)
         * source_at (i) / 30000;
}

/* A source that flickers and tilts by some percent, and fringes; `fringes`
 * FALSE: 20 A-lines of the source alone, 5 % brighter. */
static OctArray *
flickering (gboolean fringes)
{
  guint lines = fringes ? FLICKER_LINES : 20, line, i;
  OctArray *array = oct_array_new ('u', 2, lines, FLICKER_SAMPLES);

  for (line = 0; line < lines; line++)
    for (i = 0; i < FLICKER_SAMPLES; i++) {
      double x = 2. * i / (FLICKER_SAMPLES - 1) - 1;
      double bright = 1 + 0.02 * sin (2.3 * line) + 0.01 * cos (line) * x
                      + 0.005 * sin (1.7 * line) * x * x;
      double value = source_at (i) * (fringes ? bright : 1.05);

      ((guint16 *)array->data)[line * FLICKER_SAMPLES + i] =
          (guint16)rint (value + (fringes ? fringe_at (line, i) : 0));
    }
  return array;
}

/* Root mean square of the remaining signal that is not of the sample, in
 * counts. */
static double
left_of_source (const char *mode, const char *file)
{
  g_autofree char *launch =
      g_strdup_printf ("octdcsub mode=%s background=%s", mode, file);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = flickering (TRUE);
  g_autoptr (OctArray) output = oct_test_run (harness, input, NULL);
  double sum = 0;
  guint line, i;

  for (line = 0; line < FLICKER_LINES; line++)
    for (i = 0; i < FLICKER_SAMPLES; i++)
      sum += pow (oct_array_get (output, line, i, 0) - fringe_at (line, i), 2);
  gst_harness_teardown (harness);
  return sqrt (sum / (FLICKER_LINES * FLICKER_SAMPLES));
}

/* The counts are whole numbers: 0.3 of them is the rounding, and the fit takes
 * a hundredth of the fringes. */
GST_START_TEST (test_scaled)
{
  g_autoptr (OctArray) source = flickering (FALSE);
  g_autofree char *file = oct_test_npy ("source.npy",
      "{'descr': '<u2', 'fortran_order': False, 'shape': (20, 128), }",
      source->data, 20 * FLICKER_SAMPLES * 2);

  fail_unless (left_of_source ("background", file) > 500);
  fail_unless (left_of_source ("bscan", file) > 100);
  fail_unless (left_of_source ("background-scaled", file) < 1);
  fail_unless (left_of_source ("fixed-pattern", file) > 100);
  fail_unless (left_of_source ("fixed-pattern-scaled", file) < 20);
  oct_test_remove_files ();
}
GST_END_TEST;

/* Three of seven A-lines are saturated: the median is that of the others, the
 * mean is not. */
GST_START_TEST (test_median)
{
  static const char *const modes[] = { "median", "bscan" };
  guint k, line, i;

  for (k = 0; k < G_N_ELEMENTS (modes); k++) {
    g_autofree char *launch = g_strdup_printf ("octdcsub mode=%s", modes[k]);
    GstHarness *harness = oct_test_harness (launch);
    g_autoptr (OctArray) input = oct_array_new ('u', 1, 7, 33);
    g_autoptr (OctArray) output = NULL;

    for (line = 0; line < 7; line++)
      for (i = 0; i < 33; i++)
        ((guint8 *)input->data)[line * 33 + i] =
            line % 2 ? 255 : (guint8)(60 + 3 * i);
    output = oct_test_run (harness, input, NULL);
    for (i = 0; i < 33; i++) {
      double left = oct_array_get (output, 2, i, 0);

      fail_unless (k == 0 ? left == 0 : left < -40);
    }
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* A background that becomes brighter by one count from A-line to A-line, and a
 * step: what is around each A-line goes, the step stays near itself. */
GST_START_TEST (test_high_pass)
{
  GstHarness *harness =
      oct_test_harness ("octdcsub mode=high-pass high-pass-lines=5");
  g_autoptr (OctArray) input = oct_array_new ('u', 2, 60, 9);
  g_autoptr (OctArray) output = NULL;
  guint line, i;

  for (line = 0; line < 60; line++)
    for (i = 0; i < 9; i++)
      ((guint16 *)input->data)[line * 9 + i] =
          (guint16)(1000 + line + 10 * i + (line < 30 ? 0 : 500));
  output = oct_test_run (harness, input, NULL);
  for (line = 2; line < 58; line++) {
    /* so many of the five are on the other side */
    double other = line < 30 ? MAX (0, (gint)line - 27)
                             : -(double)MAX (0, 32 - (gint)line);

    for (i = 0; i < 9; i++)
      fail_unless_equals_float (
          oct_array_get (output, line, i, 0), (float)(-100 * other));
  }
  /* the first stands in for two: 0 0 0 1 2 */
  fail_unless_equals_float (oct_array_get (output, 0, 4, 0), (float)-0.6);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* From one to the next while images are made. */
GST_START_TEST (test_live_backgrounds)
{
  static const char *const modes[] = { "median", "a-line", "high-pass",
    "fixed-pattern-scaled", "bscan", "high-pass", "a-line" };
  GstHarness *harness = harness_for_constants ("octdcsub mode=none");
  guint i;

  for (i = 0; i < G_N_ELEMENTS (modes); i++) {
    oct_test_set (harness, "octdcsub", "mode", modes[i]);
    fail_unless_equals_float (push_constant (harness, 100 + i), 0);
    oct_test_set (harness, "octdcsub", "mode", "none");
    fail_unless_equals_float (push_constant (harness, 50), 50);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ---------------------------------------------------------- live properties */

GST_START_TEST (test_live_mode)
{
  GstHarness *harness = harness_for_constants ("octdcsub mode=none");
  g_autofree char *file = oct_test_path ("u8.npy");

  fail_unless_equals_float (push_constant (harness, 100), 100);
  oct_test_set (harness, "octdcsub", "mode", "bscan");
  fail_unless_equals_float (push_constant (harness, 100), 0);
  oct_test_set (harness, "octdcsub", "mode", "running");
  fail_unless_equals_float (push_constant (harness, 100), 0);
  oct_test_set (harness, "octdcsub", "running-weight", "1");
  fail_unless_equals_float (push_constant (harness, 50), 0);
  oct_test_set (harness, "octdcsub", "mode", "none");
  fail_unless_equals_float (push_constant (harness, 50), 50);
  /* a stored spectrum of another length */
  oct_test_set (harness, "octdcsub", "background", file);
  fail_unless_equals_float (push_constant (harness, 50), 50);
  oct_test_assert_quiet (oct_test_bus (harness));
  oct_test_set (harness, "octdcsub", "mode", "background");
  fail_unless_equals_float (push_constant (harness, 50), 50);
  oct_test_assert_refused_live (
      oct_test_bus (harness), file, "101", "8", "samples", "mode=none", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_live_background)
{
  GstHarness *harness = oct_test_harness (
      "octdcsub mode=background calibration=@/k-index-101.csv");
  g_autoptr (OctArray) input = oct_test_input ("u16");
  g_autoptr (OctArray) stored = oct_test_expected ("octdcsub-stored");
  g_autoptr (OctArray) mean = oct_test_expected ("octdcsub-bscan-u16");
  g_autofree char *file = oct_test_path ("u16.npy");
  g_autoptr (OctArray) first = oct_test_run (harness, input, NULL);
  g_autoptr (OctArray) second = NULL, third = NULL;

  oct_test_compare (first, stored, 0);
  /* the mean of the very B-scan: as mode=bscan */
  oct_test_set (harness, "octdcsub", "background", file);
  second = oct_test_push (harness, oct_test_buffer (input, 0, 0));
  oct_test_compare (second, mean, 0);
  oct_test_set (harness, "octdcsub", "background", NULL);
  third = oct_test_push (harness, oct_test_buffer (input, 0, 0));
  oct_test_compare (third, stored, 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_no_background)
{
  static const char *const modes[] = { "mode=background",
    "mode=background-scaled" };
  g_autofree char *launch = g_strconcat ("octdcsub ", modes[__i__], NULL);
  GstHarness *harness = harness_for_constants (launch);

  fail_unless_equals_int (
      oct_test_push_buffer (harness, constant (50)), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), modes[__i__], "`background`",
      "calibration", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_even_high_pass)
{
  GstHarness *harness =
      harness_for_constants ("octdcsub mode=high-pass high-pass-lines=30");

  fail_unless_equals_int (
      oct_test_push_buffer (harness, constant (50)), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "30 A-lines", "odd number",
      "`high-pass-lines`", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_live_axis)
{
  GstHarness *harness = harness_for_constants ("octdcsub");
  const char *axes[] = { "wavelength", "wavenumber", "wavelength" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (axes); i++) {
    GstStructure *s;

    if (i > 0)
      oct_test_set (harness, "octdcsub", "axis", axes[i]);
    push_constant (harness, 1);
    s = oct_test_output (harness);
    fail_unless_equals_string (gst_structure_get_string (s, "axis"), axes[i]);
    gst_structure_free (s);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* -------------------------------------------------------------- calibration */

static guint
count_calibrations (GstHarness *harness)
{
  guint count = 0;
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (harness)) != NULL) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY)
      count++;
    gst_event_unref (event);
  }
  return count;
}

GST_START_TEST (test_sends_calibration)
{
  GstHarness *harness =
      harness_for_constants ("octdcsub wavelength-min=800 wavelength-max=880");

  push_constant (harness, 1);
  fail_unless_equals_int (count_calibrations (harness), 1);
  push_constant (harness, 1);
  fail_unless_equals_int (count_calibrations (harness), 0);
  oct_test_set (harness, "octdcsub", "dispersion-a2", "10");
  push_constant (harness, 1);
  fail_unless_equals_int (count_calibrations (harness), 1);
  oct_test_set (harness, "octdcsub", "mode", "none");
  push_constant (harness, 1);
  fail_unless_equals_int (count_calibrations (harness), 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_passes_calibration_on)
{
  GstHarness *harness = harness_for_constants ("octdcsub");
  GstEvent *event =
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", 8);
  GstEvent *sticky;

  fail_unless (gst_harness_push_event (harness, gst_event_ref (event)));
  push_constant (harness, 1);
  fail_unless_equals_int (count_calibrations (harness), 1);
  sticky = gst_pad_get_sticky_event (
      harness->sinkpad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0);
  fail_unless (gst_structure_is_equal (
      gst_event_get_structure (sticky), gst_event_get_structure (event)));
  gst_event_unref (sticky);
  gst_event_unref (event);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The own one replaces what comes from upstream, whenever it comes, until it is
 * taken away again. */
GST_START_TEST (test_own_calibration_wins)
{
  GstHarness *harness = oct_test_harness (
      "octdcsub mode=none calibration=@/k-index-101.csv ! octkresample");
  g_autoptr (OctArray) input = oct_test_input ("u16");
  g_autoptr (OctArray) own = NULL, late = NULL, upstream = NULL;
  g_autoptr (OctArray) expected_own = NULL, expected_upstream = NULL;
  GstHarness *plain = oct_test_harness (
      "octdcsub mode=none ! octkresample calibration=@/k-index-101.csv");

  expected_own = oct_test_run (plain, input, NULL);
  oct_test_set (plain, "octkresample", "calibration", "@/wavelength-101.csv");
  expected_upstream = oct_test_push (plain, oct_test_buffer (input, 0, 0));
  fail_unless (oct_test_error (expected_own, expected_upstream) > 0.01);

  oct_test_set_caps (harness, input, NULL);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", SAMPLES));
  own = oct_test_push (harness, oct_test_buffer (input, 0, 0));
  oct_test_compare (own, expected_own, 0);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", SAMPLES));
  late = oct_test_push (harness, oct_test_buffer (input, 0, 0));
  oct_test_compare (late, expected_own, 0);
  oct_test_set (harness, "octdcsub", "calibration", NULL);
  upstream = oct_test_push (harness, oct_test_buffer (input, 0, 0));
  oct_test_compare (upstream, expected_upstream, 0);
  gst_harness_teardown (plain);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_calibration_of_another_length)
{
  GstHarness *harness =
      harness_for_constants ("octdcsub calibration=@/k-index-101.csv");

  fail_unless_equals_int (
      oct_test_push_buffer (harness, constant (50)), GST_FLOW_ERROR);
  oct_test_assert_error (
      oct_test_bus (harness), "k-index-101.csv", "101", "8", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* -------------------------------------------------------------- to the GPU */

static GstPadProbeReturn
note_memory (GstPad *pad, GstPadProbeInfo *info, gpointer kinds)
{
  GstMemory *memory =
      gst_buffer_peek_memory (GST_PAD_PROBE_INFO_BUFFER (info), 0);

  g_ptr_array_add (kinds, g_strdup (memory->allocator->mem_type));
  return GST_PAD_PROBE_OK;
}

/* Sources, ours and others, write to where the GPU fetches at full rate. */
GST_START_TEST (test_page_locked)
{
  const char *const sources[] = { "octsrc samples=64 lines=8 num-buffers=6",
    "octsrc location=%s samples=64 lines=8 loop=true num-buffers=6",
    "octsrc location=%s samples=64 lines=8 loop=true num-buffers=6 "
    "preload=true",
    "videotestsrc num-buffers=6 ! "
    "video/x-raw,format=GRAY8,width=64,height=8" };
  g_autofree char *path = oct_test_sparse ("spectra.raw", 4 * 64 * 8 * 2);
  g_auto (GStrv) parts = g_strsplit (sources[__i__], "%s", 2);
  g_autofree char *from = g_strjoinv (path, parts);
  g_autofree char *launch =
      g_strconcat (from, " ! octdcsub name=in backend=cuda ! fakesink", NULL);
  g_autoptr (GPtrArray) kinds = g_ptr_array_new_with_free_func (g_free);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint i;

  gst_pad_add_probe (element->sinkpads->data, GST_PAD_PROBE_TYPE_BUFFER,
      note_memory, kinds, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 30 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (
      message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (kinds->len, 6);
  for (i = 0; i < kinds->len; i++)
    fail_unless_equals_string (kinds->pdata[i], "OctPinnedMemory");
  gst_object_unref (bus);
  gst_object_unref (element);
  gst_object_unref (pipeline);
  oct_test_remove_files ();
}
GST_END_TEST;

static Suite *
octdcsub_suite (void)
{
  Suite *suite = suite_create ("octdcsub");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_known_answers, 0, oct_test_count_cases ("octdcsub-"));
  tcase_add_test (tcase, test_strides);
  tcase_add_test (tcase, test_wrong_video_meta);
  tcase_add_test (tcase, test_sizes_without_meta);
  tcase_add_test (tcase, test_padded_rows_parsed);
  tcase_add_test (tcase, test_fixed_pattern);
  tcase_add_test (tcase, test_fixed_pattern_live);
  tcase_add_test (tcase, test_scaled);
  tcase_add_test (tcase, test_median);
  tcase_add_test (tcase, test_high_pass);
  tcase_add_test (tcase, test_live_backgrounds);
  tcase_add_test (tcase, test_flush_forgets);
  tcase_add_test (tcase, test_running_survives);
  tcase_add_test (tcase, test_live_mode);
  tcase_add_test (tcase, test_live_background);
  tcase_add_loop_test (tcase, test_no_background, 0, 2);
  tcase_add_test (tcase, test_even_high_pass);
  tcase_add_test (tcase, test_live_axis);
  tcase_add_test (tcase, test_sends_calibration);
  tcase_add_test (tcase, test_passes_calibration_on);
  tcase_add_test (tcase, test_own_calibration_wins);
  tcase_add_test (tcase, test_calibration_of_another_length);
  if (oct_test_on_gpu ())
    tcase_add_loop_test (tcase, test_page_locked, 0, 4);
  return suite;
}

GST_CHECK_MAIN (octdcsub);
