/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octremap after the virtual system: every path shows the same sample, and goes
 * from octsrc to a recording and back.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <math.h>
#include <string.h>

#define VIRTUAL                                                                \
  "octsrc phantom=surgery seed=3 noise=0 samples=256 lines=48 bscans=48 "      \
  "num-buffers=48 "
#define GRID "octremap columns=48 rows=48 x-spacing=125e-6 y-spacing=125e-6 "
#define IMAGES "! octreconstruct range=manual min=20 max=80 ! "
#define TO_SINK "! appsink name=sink sync=false"

/* A raster becomes itself. */
GST_START_TEST (test_raster)
{
  GstElement *direct = oct_test_start (
      VIRTUAL "scan=raster " IMAGES "video/x-raw,format=GRAY8 " TO_SINK);
  GstElement *mapped = oct_test_start (
      VIRTUAL "scan=raster " IMAGES GRID
              "method=nearest ! video/x-raw,format=GRAY8 " TO_SINK);

  oct_test_compare_pipelines (direct, mapped, 48);
  oct_test_stop (direct);
  oct_test_stop (mapped);
}
GST_END_TEST;

/* The picture from above of a volume of the virtual system. */
static OctArray *
see (const char *scan)
{
  g_autofree char *launch = g_strdup_printf (VIRTUAL
      "scan=%s " IMAGES GRID "! octenface update=volume "
      "! video/x-raw,width=48,height=48 " TO_SINK,
      scan);
  GstElement *pipeline = oct_test_start (launch);
  OctArray *picture = oct_test_pull (pipeline, "sink");

  oct_test_stop (pipeline);
  return picture;
}

/* Correlation of two pictures within the middle; `turned`: b with x for y. */
static double
correlate (const OctArray *a, const OctArray *b, gboolean turned)
{
  double n = 0, sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;

  for (guint y = 8; y < 40; y++)
    for (guint x = 8; x < 40; x++) {
      double u = a->data[y * a->columns + x], v;

      v = turned ? b->data[x * b->columns + y] : b->data[y * b->columns + x];

      n++;
      sa += u;
      sb += v;
      aa += u * u;
      bb += v * v;
      ab += u * v;
    }
  return (n * ab - sa * sb) / sqrt ((n * aa - sa * sa) * (n * bb - sb * sb));
}

/* Each path shows the same sample: the forceps and vessels are in their places.
 * Its speckle differs, so that they are not equal. */
GST_START_TEST (test_same_sample)
{
  static const char *const scans[] = { "spiral", "lissajous", "rosette",
    "radial", "spiral-angular" };
  OctArray *raster = see ("raster"), *other = see (scans[__i__]);
  double found = correlate (raster, other, FALSE);

  fail_unless (found > 0.6, "%s: %g", scans[__i__], found);
  found = correlate (raster, other, TRUE);
  fail_unless (found < 0.4, "%s, turned: %g", scans[__i__], found);
  oct_array_free (raster);
  oct_array_free (other);
}
GST_END_TEST;

static GstBuffer *
take_axis (const char *launch, const char *axis)
{
  GstElement *pipeline = oct_test_start (launch);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample = oct_test_pull_from (pipeline, "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstEvent) event = NULL;
  GstBuffer *values = NULL;

  fail_unless (sample != NULL);
  for (guint i = 0; event == NULL; i++) {
    event =
        gst_pad_get_sticky_event (pad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i);
    fail_unless (event != NULL, "there is no path");
    if (!gst_event_has_name (event, "application/x-oct-scan-path"))
      g_clear_pointer (&event, gst_event_unref);
  }
  gst_structure_get (
      gst_event_get_structure (event), axis, GST_TYPE_BUFFER, &values, NULL);
  gst_sample_unref (sample);
  gst_object_unref (sink);
  oct_test_stop (pipeline);
  return values;
}

/* A recording tells the path again, to the last bit; a scan file too. */
GST_START_TEST (test_recorded)
{
  g_autofree char *base = oct_test_file_path ("spiral");
  g_autofree char *record = g_strdup_printf (
      "octsrc scan=spiral samples=64 lines=16 bscans=8 num-buffers=8 ! "
      "octrawsink location=%s",
      base);
  g_autofree char *file = g_strconcat (base, "-scan-path.txt", NULL);
  g_autofree char *played =
      g_strdup_printf ("octsrc location=%s.oct " TO_SINK, base);
  g_autofree char *again = g_strdup_printf (
      "octsrc scan=file scan-file=%s samples=64 " TO_SINK, file);
  const char *axes[] = { "x", "y" };

  fail_unless (oct_test_plays (record, NULL));
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) first = take_axis (
        "octsrc scan=spiral samples=64 lines=16 bscans=8 " TO_SINK, axes[i]);
    g_autoptr (GstBuffer) second = take_axis (played, axes[i]);
    g_autoptr (GstBuffer) third = take_axis (again, axes[i]);
    GstMapInfo map;

    fail_unless (gst_buffer_map (first, &map, GST_MAP_READ));
    fail_unless_equals_int (map.size, 16 * 8 * sizeof (double));
    fail_unless_equals_int (
        gst_buffer_memcmp (second, 0, map.data, map.size), 0);
    fail_unless_equals_int (
        gst_buffer_memcmp (third, 0, map.data, map.size), 0);
    gst_buffer_unmap (first, &map);
  }
}
GST_END_TEST;

/* A path beside a recording that is not its own is not used, with a sentence. */
GST_START_TEST (test_wrong_file)
{
  g_autofree char *base = oct_test_file_path ("wrong");
  g_autofree char *record = g_strdup_printf (
      "octsrc scan=spiral samples=64 lines=16 bscans=8 num-buffers=8 ! "
      "octrawsink location=%s",
      base);
  g_autofree char *file = NULL;
  g_autofree char *play = g_strdup_printf (
      "octsrc location=%s.oct ! octreconstruct ! octremap ! fakesink", base);
  const char *words[] = { "knows no places", NULL };

  fail_unless (oct_test_plays (record, NULL));
  file = oct_test_text ("wrong-scan-path.txt", "0 0\n1 1\n\n2 2\n3 3\n");
  fail_if (oct_test_plays (play, words));
}
GST_END_TEST;

static const struct {
  const char *launch;
  const char *words[2];
} mistakes[] = {
  { "octsrc scan=file ! fakesink", { "scan-file" } },
  { "octsrc scan=spiral phantom=flow ! fakesink", { "phantom=layers" } },
  { "octsrc scan=spiral spot-x=2 ! fakesink", { "spot-x" } },
  { "octsrc scan=spiral scan-mask=scattered ! fakesink", { "scan-mask" } },
  { "octsrc scan=raster repeats=2 ! fakesink", { "repeats" } },
  { "octsrc scan=spiral lines=16 bscans=16 samples=256 ! octreconstruct ! "
    "octremap x-spacing=1e-9 ! fakesink",
      { "columns" } },
};

GST_START_TEST (test_mistakes)
{
  const char *words[] = { mistakes[__i__].words[0], NULL };

  fail_if (oct_test_plays (mistakes[__i__].launch, words));
}
GST_END_TEST;

static Suite *
octremap_virtual_suite (void)
{
  Suite *suite = suite_create ("octremap-virtual");
  TCase *tcase = tcase_create ("general");

  tcase_add_unchecked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_raster);
  tcase_add_loop_test (tcase, test_same_sample, 0, 5);
  tcase_add_test (tcase, test_recorded);
  tcase_add_test (tcase, test_wrong_file);
  tcase_add_loop_test (tcase, test_mistakes, 0, G_N_ELEMENTS (mistakes));
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (octremap_virtual)
