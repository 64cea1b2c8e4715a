/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Scans with a focal spot that is wider than the distance of two lines: that
 * octvolumecs finds the coherence that octsrc simulates, chooses joint, and
 * comes nearer to the whole volume than between neighbours' amplitudes.
 */
#include "oct-test-pipelines.h"

#include <math.h>
#include <string.h>

#define LINES 64
#define BSCANS 24

/* octnufft leaves noise white along depth, which resampling does not. */
#define SCAN                                                                   \
  "octsrc %s samples=512 lines=64 bscans=24 num-buffers=24 %s ! "              \
  "octdcsub mode=background ! octnufft ! "
#define SINK "appsink name=sink sync=false"

static const struct {
  const char *source;
  double spot_x, spot_y;
} cases[] = {
  { "phantom=surgery spot-x=6 spot-y=3", 6, 3 },
  { "phantom=layers spot-x=4 spot-y=4 seed=2", 4, 4 },
};

/* |A-scans| of a volume, [count], g_free(). */
static float *
pull_amplitudes (GstElement *pipeline, gsize *count)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint y = 0; y < BSCANS; y++) {
    GstSample *sample = oct_test_pull_from (pipeline, "sink");
    GstMapInfo map;

    fail_unless (sample != NULL, "B-scan %u", y);
    fail_unless (
        gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ));
    for (gsize i = 0; i < map.size / (2 * sizeof (float)); i++) {
      const float *v = (const float *)map.data + 2 * i;
      float amplitude = hypotf (v[0], v[1]);

      g_array_append_val (all, amplitude);
    }
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
  *count = all->len;
  return (float *)g_array_free (all, FALSE);
}

/* l2 of the difference from the whole volume, relative to that. */
static double
find_error (const float *found, const float *whole, gsize count)
{
  double error = 0, norm = 0;

  for (gsize i = 0; i < count; i++) {
    error += pow ((double)found[i] - whole[i], 2);
    norm += pow (whole[i], 2);
  }
  return sqrt (error / norm);
}

static float *
play (const char *source, const char *mask, const char *rest, gsize *count,
    GstElement **pipeline)
{
  g_autofree char *scan = g_strdup_printf (SCAN, source, mask);
  g_autofree char *launch = g_strconcat (scan, rest, SINK, NULL);

  *pipeline = oct_test_start (launch);
  return pull_amplitudes (*pipeline, count);
}

/* The coherence of neighbouring lines, exp (-2 ln 2 / F^2).  The estimate is
 * within 0.02 of it: by chance a quarter of the 4000 independent values give
 * 0.3 / (2 * 1000)^(1/2) = 0.007, and noise that is known to 5 % turns a third
 * of that, as depths have at least twice its power, into 0.017 at the darkest
 * depths and less at all others. */
static void
check_coherence (GstElement *cs, const char *name, double spot)
{
  double found, expected = exp (-2 * G_LN2 / (spot * spot));

  g_object_get (cs, name, &found, NULL);
  fail_unless (fabs (found - expected) < 0.02, "%s is %g, the spot's %g", name,
      found, expected);
}

GST_START_TEST (test_joint)
{
  const char *source = cases[__i__].source, *mask = "scan-mask=scattered";
  GstElement *whole_line, *linear_line, *auto_line, *cs;
  gsize n, m, k;
  g_autofree float *whole = play (source, "", "", &n, &whole_line);
  g_autofree float *linear =
      play (source, mask, "octvolumecs method=linear ! ", &m, &linear_line);
  g_autofree float *joint =
      play (source, mask, "octvolumecs name=cs ! ", &k, &auto_line);
  double joint_error, linear_error;
  g_autofree char *chosen = NULL;

  fail_unless (n == LINES * BSCANS * 256 && m == n && k == n);
  cs = gst_bin_get_by_name (GST_BIN (auto_line), "cs");
  g_object_get (cs, "chosen", &chosen, NULL);
  fail_unless_equals_string (chosen, "joint");
  check_coherence (cs, "coherence-x", cases[__i__].spot_x);
  check_coherence (cs, "coherence-y", cases[__i__].spot_y);
  joint_error = find_error (joint, whole, n);
  linear_error = find_error (linear, whole, n);
  GST_INFO ("errors: joint %.3f, linear %.3f", joint_error, linear_error);
  fail_unless (joint_error < linear_error, "joint %g, linear %g", joint_error,
      linear_error);
  gst_object_unref (cs);
  oct_test_stop (whole_line);
  oct_test_stop (linear_line);
  oct_test_stop (auto_line);
}
GST_END_TEST;

/* Without a spot the phases of neighbours have nothing in common. */
GST_START_TEST (test_without)
{
  GstElement *pipeline, *cs;
  g_autofree char *chosen = NULL;
  gsize n;
  g_autofree float *found = play ("phantom=surgery", "scan-mask=scattered",
      "octvolumecs name=cs ! ", &n, &pipeline);

  cs = gst_bin_get_by_name (GST_BIN (pipeline), "cs");
  g_object_get (cs, "chosen", &chosen, NULL);
  fail_unless_equals_string (chosen, "linear");
  gst_object_unref (cs);
  oct_test_stop (pipeline);
}
GST_END_TEST;

static Suite *
octsrc_spot_suite (void)
{
  Suite *suite = suite_create ("octsrc-spot");
  TCase *tcase = tcase_create ("general");

  tcase_add_loop_test (tcase, test_joint, 0, G_N_ELEMENTS (cases));
  tcase_add_test (tcase, test_without);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (octsrc_spot)
