/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The action signal tune of octremap: octscangen drives mirrors that are late,
 * the virtual system sees along their path, and octscangen with the delay that is
 * found has none left; A-scans and images; and how a search ends without one.
 */
#include "oct-test-files.h"
#include "oct-test-mirrors.h"
#include "oct-test-pipelines.h"

#include <math.h>
#include <string.h>

#define LINES OCT_TEST_MIRRORS_LINES
#define BSCANS OCT_TEST_MIRRORS_BSCANS
#define SAMPLES OCT_TEST_MIRRORS_SAMPLES
/* With this multiple of a camera's noise the A-scans have 10 dB or less. */
#define NOISE 9.0
#define METRES 1e-3

typedef enum {
  FORTH_AND_BACK,
  ONE_WAY,
  DOWNWARDS, /* forth and back along y */
  SLANTED,
} Ways;

/* The path of a raster of B-scans of this length and at this distance, in mm. */
static GstEvent *
make_path (Ways ways, guint lines, guint bscans, double width, double step)
{
  guint n = lines * bscans;
  double *axes[2] = { g_new0 (double, n), g_new0 (double, n) };
  GstBuffer *buffers[2];
  GstStructure *s;

  for (guint i = 0; i < n; i++) {
    guint at = i % lines, bscan = i / lines;
    double along, across = METRES * step * bscan;

    if (ways != ONE_WAY && bscan % 2 == 1)
      at = lines - 1 - at;
    along = METRES * width * ((at + 0.5) / lines - 0.5);
    axes[0][i] = ways == DOWNWARDS ? across : along;
    axes[1][i] = ways == DOWNWARDS ? along
                 : ways == SLANTED ? along + across
                                   : across;
  }
  for (guint i = 0; i < 2; i++)
    buffers[i] = gst_buffer_new_wrapped (axes[i], n * sizeof (double));
  s = gst_structure_new ("application/x-oct-scan-path", "lines", G_TYPE_UINT,
      lines, "bscans", G_TYPE_UINT, bscans, "x", GST_TYPE_BUFFER, buffers[0],
      "y", GST_TYPE_BUFFER, buffers[1], NULL);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (buffers[i]);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s);
}

static void
assert_failed (GstStructure *s, const char *part)
{
  const char *text = gst_structure_get_string (s, "text");

  assert_equals_string (gst_structure_get_string (s, "result"), "failed");
  fail_unless (strstr (text, part) != NULL, "%s", text);
  gst_structure_free (s);
}

/* ------------------------------------------------------------------ the loop */

/* Before the first B-scan. */
static GstPadProbeReturn
tell_path (GstPad *pad, GstPadProbeInfo *info, gpointer event)
{
  fail_unless (gst_pad_push_event (pad, event));
  return GST_PAD_PROBE_REMOVE;
}

/* The result in these spectra. */
static GstStructure *
tune_spectra (const char *reconstruct, Ways ways, guint bscans)
{
  g_autofree char *spectra = oct_test_file_path ("spectra.raw");
  g_autofree char *calibration = oct_test_file_path ("calibration.csv");
  g_autofree char *launch = g_strdup_printf (
      "octsrc name=src location=%s samples=%u lines=%u bscans=%u "
      "line-rate=100000 ! octreconstruct calibration=%s %s ! octremap "
      "name=remap columns=64 rows=2 method=nearest ! fakesink",
      spectra, SAMPLES, LINES, BSCANS, calibration, reconstruct);
  GstElement *pipeline = oct_test_make (launch);
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstPad *pad = gst_element_get_static_pad (src, "src");
  GstStructure *s;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, tell_path,
      make_path (ways, LINES, BSCANS, OCT_TEST_MIRRORS_WIDTH, 1e-4 / BSCANS),
      NULL);
  gst_object_unref (pad);
  gst_object_unref (src);
  fail_unless (oct_test_mirrors_tune (pipeline, "remap", bscans));
  fail_unless (!oct_test_mirrors_tune (pipeline, "remap", bscans));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  s = oct_test_mirrors_wait (pipeline);
  oct_test_stop (pipeline);
  return s;
}

static const char *const outputs[] = {
  "output=ascans",
  "range=manual min=25 max=70 ! video/x-raw,format=GRAY8",
  "range=manual min=25 max=70 ! video/x-raw,format=GRAY16_LE",
};

/* From the scanner to A-scans and images: the delay is that of the mirrors,
 * 2 z / w, and with it in octscangen there is none left. */
GST_START_TEST (test_loop)
{
  g_autofree OctScanPoint *late = oct_test_mirrors_follow (0), *right = NULL;
  GstStructure *s;
  guint pairs;

  oct_test_mirrors_take (late, NOISE);
  s = tune_spectra (outputs[__i__], FORTH_AND_BACK, BSCANS);
  assert_equals_string (gst_structure_get_string (s, "result"), "found");
  assert_equals_string (gst_structure_get_string (s, "axes"), "x");
  oct_test_mirrors_check_delay (s);
  fail_unless (gst_structure_get_uint (s, "pairs", &pairs));
  fail_unless_equals_int (pairs, BSCANS - 1);
  right = oct_test_mirrors_follow (oct_test_mirrors_get (s, "delay"));
  gst_structure_free (s);
  oct_test_mirrors_take (right, NOISE);
  s = tune_spectra (outputs[__i__], FORTH_AND_BACK, BSCANS);
  fail_unless (fabs (oct_test_mirrors_get (s, "delay-lines")) < 0.02);
  gst_structure_free (s);
}
GST_END_TEST;

/* A pattern that goes one way, and a stream that ends too soon. */
GST_START_TEST (test_refused)
{
  g_autofree OctScanPoint *late = oct_test_mirrors_follow (0);

  oct_test_mirrors_take (late, 0);
  assert_failed (tune_spectra (outputs[0], ONE_WAY, BSCANS),
      "This pattern does not go forth and back");
  assert_failed (tune_spectra (outputs[0], FORTH_AND_BACK, BSCANS + 1),
      "The stream has ended before");
}
GST_END_TEST;

/* ------------------------------------------------------------ B-scans by hand */

#define WIDE OCT_TEST_MIRRORS_WIDE
#define HIGH OCT_TEST_MIRRORS_HIGH
#define VOLUME 5u /* B-scans */
#define SHIFT 3

/* B-scan `number` since the start, `late` A-lines late; the first `lost` A-lines
 * are. */
static GstBuffer *
make_bscan (guint number, gint late, guint lost)
{
  guint8 pixels[HIGH][WIDE];
  GstBuffer *buffer;

  oct_test_mirrors_draw (pixels[0], number % VOLUME % 2 == 1, late);
  buffer = gst_buffer_new_memdup (pixels, sizeof pixels);
  oct_test_add_scan_meta (buffer, number % VOLUME, VOLUME, number / VOLUME);
  if (lost > 0)
    oct_test_lose_lines (buffer, WIDE, 0, lost);
  return buffer;
}

static GstHarness *
start_by_hand (Ways ways)
{
  GstHarness *harness = oct_test_mirrors_harness (
      "octremap name=remap columns=8 rows=2 method=nearest", 1);

  fail_unless (gst_harness_push_event (
      harness, make_path (ways, WIDE, VOLUME, 1, 0.01)));
  return harness;
}

static void
push (GstHarness *harness, guint number, gint late, guint lost)
{
  fail_unless_equals_int (
      gst_harness_push (harness, make_bscan (number, late, lost)), GST_FLOW_OK);
}

/* The axes along which the beam moves; the last B-scan of a volume and the first
 * of the next one are not compared. */
GST_START_TEST (test_axes)
{
  static const struct {
    Ways ways;
    const char *axes, *text;
  } cases[] = { { FORTH_AND_BACK, "x", "add this to delay-x of octscangen" },
    { DOWNWARDS, "y", "set delay-y of octremap" },
    { SLANTED, "xy", "add this to delay-x and delay-y of octscangen" } };
  GstHarness *harness = start_by_hand (cases[__i__].ways);
  GstStructure *s;
  guint pairs;

  fail_unless (oct_test_mirrors_tune (harness->element, "remap", 10));
  for (guint i = 0; i < 10; i++)
    push (harness, i, SHIFT, 0);
  s = oct_test_mirrors_wait_for_harness (harness);
  fail_unless (fabs (oct_test_mirrors_get (s, "delay-lines") - SHIFT) < 0.05);
  fail_unless (!gst_structure_has_field (s, "delay"));
  assert_equals_string (
      gst_structure_get_string (s, "axes"), cases[__i__].axes);
  fail_unless (
      strstr (gst_structure_get_string (s, "text"), cases[__i__].text));
  fail_unless (gst_structure_get_uint (s, "pairs", &pairs));
  fail_unless_equals_int (pairs, 8);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A path that is told again, as the scanner was set, begins the search again:
 * B-scans of both are not mixed. */
GST_START_TEST (test_told_again)
{
  GstHarness *harness = start_by_hand (FORTH_AND_BACK);
  GstStructure *s;
  guint pairs;

  fail_unless (oct_test_mirrors_tune (harness->element, "remap", 5));
  for (guint i = 0; i < 3; i++)
    push (harness, i, SHIFT, 0);
  fail_unless (gst_harness_push_event (
      harness, make_path (FORTH_AND_BACK, WIDE, VOLUME, 1, 0.01)));
  for (guint i = 5; i < 10; i++)
    push (harness, i, -1, 0);
  s = oct_test_mirrors_wait_for_harness (harness);
  fail_unless (fabs (oct_test_mirrors_get (s, "delay-lines") + 1) < 0.05);
  fail_unless (gst_structure_get_uint (s, "pairs", &pairs));
  fail_unless_equals_int (pairs, 4);
  gst_structure_free (s);
  /* another pattern ends it */
  fail_unless (oct_test_mirrors_tune (harness->element, "remap", 5));
  push (harness, 10, SHIFT, 0);
  fail_unless (gst_harness_push_event (
      harness, make_path (ONE_WAY, WIDE, VOLUME, 1, 0.01)));
  push (harness, 15, SHIFT, 0);
  assert_failed (oct_test_mirrors_wait_for_harness (harness),
      "does not go forth and back");
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* B-scans that have lost many A-lines are left out, and not waited for. */
GST_START_TEST (test_lost)
{
  GstHarness *harness = start_by_hand (FORTH_AND_BACK);
  GstStructure *s;
  guint pairs;

  fail_unless (oct_test_mirrors_tune (harness->element, "remap", 4));
  for (guint i = 0; i < 6; i++)
    push (harness, i, SHIFT, i == 2 ? WIDE / 8 + 1 : i == 3 ? WIDE / 8 : 0);
  s = oct_test_mirrors_wait_for_harness (harness);
  /* 0 and 1 */
  fail_unless (gst_structure_get_uint (s, "pairs", &pairs));
  fail_unless_equals_int (pairs, 2);
  fail_unless (fabs (oct_test_mirrors_get (s, "delay-lines") - SHIFT) < 0.05);
  gst_structure_free (s);
  fail_unless (oct_test_mirrors_tune (harness->element, "remap", 4));
  for (guint i = 10; i < 210; i++)
    push (harness, i, SHIFT, WIDE / 2);
  assert_failed (oct_test_mirrors_wait_for_harness (harness),
      "an eighth of their A-lines");
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* B-scans without structure; and an element that is stopped says so, once. */
GST_START_TEST (test_ends)
{
  GstHarness *harness = start_by_hand (FORTH_AND_BACK);

  fail_unless (oct_test_mirrors_tune (harness->element, "remap", 0));
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = make_bscan (i, 0, 0);

    gst_buffer_memset (buffer, 0, 100, WIDE * HIGH);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  assert_failed (oct_test_mirrors_wait_for_harness (harness), "resemble");
  fail_unless (oct_test_mirrors_tune (harness->element, "remap", G_MAXUINT));
  push (harness, 5, SHIFT, 0);
  gst_element_set_state (harness->element, GST_STATE_READY);
  assert_failed (oct_test_mirrors_wait_for_harness (harness),
      "The stream has ended before");
  fail_unless (
      gst_bus_pop_filtered (oct_test_bus (harness), GST_MESSAGE_ELEMENT)
      == NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
remap_tune_suite (void)
{
  Suite *suite = suite_create ("octremap-tune");
  TCase *loop = tcase_create ("loop"), *hand = tcase_create ("by-hand");

  tcase_set_timeout (loop, 120);
  tcase_add_unchecked_fixture (loop, NULL, oct_test_remove_files);
  tcase_add_loop_test (loop, test_loop, 0, G_N_ELEMENTS (outputs));
  tcase_add_test (loop, test_refused);
  suite_add_tcase (suite, loop);
  suite_add_tcase (suite, hand);
  if (!oct_test_skips_on_gpu ("it takes no images of the host")) {
    tcase_add_loop_test (hand, test_axes, 0, 3);
    tcase_add_test (hand, test_told_again);
    tcase_add_test (hand, test_lost);
    tcase_add_test (hand, test_ends);
  }
  return suite;
}

GST_CHECK_MAIN (remap_tune);
