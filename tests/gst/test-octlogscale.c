/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octlogscale: known answers, live properties, padded images, what it forgets
 * and what not.
 */
#include "oct-test.h"

GST_START_TEST (test_known_answers)
{
  oct_test_run_case ("octlogscale-", __i__);
}
GST_END_TEST;

static OctArray *
load_input (void)
{
  return oct_test_input ("a-scans");
}

static OctArray *
push (GstHarness *harness, const OctArray *input)
{
  return oct_test_push (harness, oct_test_buffer (input, 0, 0));
}

/* An image by an element of its own. */
static OctArray *
image_of (const OctArray *input, const char *properties)
{
  g_autofree char *launch = g_strdup_printf ("octlogscale %s", properties);
  GstHarness *harness = oct_test_harness (launch);
  OctArray *output = oct_test_run (harness, input, NULL);

  gst_harness_teardown (harness);
  return output;
}

GST_START_TEST (test_live_properties)
{
  const struct {
    const char *property, *value, *all;
  } steps[] = {
    { "range", "manual", "range=manual min=0 max=60" },
    { "min", "20", "range=manual min=20 max=60" },
    { "max", "70", "range=manual min=20 max=70" },
    { "scale", "linear", "range=manual min=20 max=70 scale=linear" },
    { "range", "contrast", "range=contrast scale=linear" },
    { "scale", "log", "range=contrast" },
    { "range", "auto", "range=auto" },
  };
  GstHarness *harness =
      oct_test_harness ("octlogscale range=auto min=0 max=60");
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) first = oct_test_run (harness, input, NULL);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autoptr (OctArray) expected = image_of (input, steps[i].all);
    g_autoptr (OctArray) output = NULL;

    oct_test_set (harness, "octlogscale", steps[i].property, steps[i].value);
    output = push (harness, input);
    fail_unless (oct_array_equal (output, expected), "%s", steps[i].all);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A user who moves both ends of the range upwards passes a moment at which min
 * is above max: that is said once, the range before stays with its history, and
 * both are taken when they go together. */
GST_START_TEST (test_min_above_max_for_a_moment)
{
  GstHarness *harness =
      oct_test_harness ("octlogscale range=manual min=0 max=30");
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) before = oct_test_run (harness, input, NULL);
  g_autoptr (OctArray) linear =
      image_of (input, "scale=linear range=manual min=0 max=30");
  g_autoptr (OctArray) expected =
      image_of (input, "scale=linear range=manual min=40 max=70");
  g_autoptr (OctArray) between = NULL, again = NULL, beside = NULL,
                       after = NULL;

  oct_test_set (harness, "octlogscale", "min", "40");
  between = push (harness, input);
  fail_unless (oct_array_equal (between, before));
  oct_test_assert_refused_live (bus, "min=40, max=30",
      "The previous range stays in use until then: min=0", NULL);
  /* the next setting that does not fit either */
  oct_test_set (harness, "octlogscale", "max", "35");
  again = push (harness, input);
  fail_unless (oct_array_equal (again, before));
  oct_test_assert_refused_live (bus, "min=40, max=35",
      "The previous range stays in use until then: min=0, max=30", NULL);
  /* what has nothing to do with it is taken, and nothing is said twice */
  oct_test_set (harness, "octlogscale", "scale", "linear");
  beside = push (harness, input);
  fail_unless (oct_array_equal (beside, linear));
  oct_test_assert_quiet (bus);
  oct_test_set (harness, "octlogscale", "max", "70");
  after = push (harness, input);
  fail_unless (oct_array_equal (after, expected));
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_min_above_max_from_the_start)
{
  GstHarness *harness =
      oct_test_harness ("octlogscale range=manual min=70 max=30");
  g_autoptr (OctArray) input = load_input ();

  oct_test_set_caps (harness, input, NULL);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (
      oct_test_bus (harness), "min=70", "max=30", "min < max", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ---------------------------------------------------------------- smoothing */

/* B-scans of which the third depends on the ones before. */
static OctArray *
load_several (guint i)
{
  g_autoptr (OctArray) all = oct_test_input ("a-scans-bscans");

  return oct_array_rows (all, 9 * i, 9);
}

static void
push_first (GstHarness *harness)
{
  g_autoptr (OctArray) input = load_several (0);
  g_autoptr (OctArray) output = oct_test_run (harness, input, NULL);
}

GST_START_TEST (test_flush_forgets)
{
  GstHarness *harness =
      oct_test_harness ("octlogscale range=auto range-smoothing=0.7");
  g_autoptr (OctArray) input = load_several (1);
  g_autoptr (OctArray) alone = image_of (input, "range=auto");
  g_autoptr (OctArray) smoothed = NULL, flushed = NULL;
  GstSegment segment;

  push_first (harness);
  smoothed = push (harness, input);
  fail_unless (!oct_array_equal (smoothed, alone));
  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
  flushed = push (harness, input);
  fail_unless (oct_array_equal (flushed, alone));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The spacing of the depths becomes known in mid-stream, or the weight is set:
 * no reason for the picture to jump. */
GST_START_TEST (test_range_survives)
{
  GstHarness *harness =
      oct_test_harness ("octlogscale range=auto range-smoothing=0.2");
  g_autoptr (OctArray) input = load_several (1);
  g_autoptr (OctArray) all = oct_test_expected ("octlogscale-smoothing");
  g_autoptr (OctArray) expected = oct_array_rows (all, 20, 20);
  g_autoptr (OctArray) output = NULL;
  GstCaps *caps = oct_test_caps (input, input->rows, NULL);

  push_first (harness);
  oct_test_set (harness, "octlogscale", "range-smoothing", "0.7");
  gst_caps_set_simple (caps, "z-spacing", G_TYPE_DOUBLE, 4e-6, NULL);
  oct_test_set_src_caps (harness, caps);
  output = push (harness, input);
  oct_test_compare (output, expected, 1);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The range in use is posted when it is asked for: set by hand it makes the
 * same picture. */
GST_START_TEST (test_range_is_told)
{
  GstHarness *harness =
      oct_test_harness ("octlogscale range=auto range-messages=true");
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) expected = oct_test_expected ("octlogscale-auto");
  g_autoptr (OctArray) first = NULL, second = NULL, by_hand = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autofree char *properties = NULL;
  const GstStructure *s;
  double min, max;

  /* it keeps errors alone otherwise */
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  first = oct_test_run (harness, input, NULL);
  second = push (harness, input);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  gst_bus_set_flushing (bus, TRUE);
  s = gst_message_get_structure (message);
  ck_assert_str_eq (gst_structure_get_name (s), "oct-range");
  fail_unless (gst_structure_get_double (s, "min", &min));
  fail_unless (gst_structure_get_double (s, "max", &max));
  properties = g_strdup_printf ("range=manual min=%.9g max=%.9g", min, max);
  by_hand = image_of (input, properties);
  oct_test_compare (by_hand, expected, 1);
  oct_test_compare (second, expected, 1);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Images say which depths they are of. */
GST_START_TEST (test_depths_in_caps)
{
  GstHarness *harness = oct_test_harness ("octlogscale");
  g_autoptr (OctArray) input = load_several (1);
  g_autoptr (OctArray) output = NULL;
  g_autoptr (GstCaps) found = NULL;
  GstCaps *caps = oct_test_caps (input, input->rows, NULL);
  gint start = 0;

  gst_caps_set_simple (caps, "depth-start", G_TYPE_INT, 7, NULL);
  oct_test_set_src_caps (harness, caps);
  output = push (harness, input);
  found = gst_pad_get_current_caps (harness->sinkpad);
  fail_unless (gst_structure_get_int (
      gst_caps_get_structure (found, 0), "depth-start", &start));
  ck_assert_int_eq (start, 7);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------------ padded images */

static GstPadProbeReturn
answer_allocation (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstVideoAlignment align;
  GstBufferPool *pool;
  GstStructure *config;
  GstVideoInfo video;
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  fail_unless (gst_video_info_from_caps (&video, caps));
  gst_video_alignment_reset (&align);
  align.padding_top = 3;
  align.padding_left = 16;
  align.padding_right = 21;
  align.padding_bottom = 5;
  pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, video.size, 2, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option (
      config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
  gst_buffer_pool_config_set_video_alignment (config, &align);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_add_allocation_pool (query, pool, video.size, 2, 0);
  gst_object_unref (pool);
  return GST_PAD_PROBE_HANDLED;
}

static void
check_padded (const char *format, const char *expected_case)
{
  g_autofree char *launch = g_strdup_printf (
      "octlogscale range=auto ! capsfilter caps=video/x-raw,format=%s", format);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) expected = oct_test_expected (expected_case);
  g_autoptr (OctArray) output = NULL;
  GstBuffer *buffer;
  GstCaps *caps;
  GstVideoMeta *meta;

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_allocation, NULL, NULL);
  oct_test_set_caps (harness, input, NULL);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_OK);
  buffer = gst_harness_pull (harness);
  meta = gst_buffer_get_video_meta (buffer);
  fail_unless (meta != NULL, "the pool was not used");
  fail_unless (meta->stride[0] > (gint)expected->columns + 16);
  fail_unless (meta->offset[0] > 0);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  output = oct_test_read (buffer, caps);
  oct_test_compare (output, expected, 1);
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_padded_images)
{
  check_padded ("GRAY8", "octlogscale-auto");
  check_padded ("NV12", "octlogscale-auto");
  check_padded ("GRAY16_LE", "octlogscale-gray16");
}
GST_END_TEST;

/* Without GstVideoMeta downstream rows are as the caps alone say. */
GST_START_TEST (test_no_video_meta)
{
  GstHarness *harness = oct_test_harness (
      "octlogscale ! capsfilter caps=video/x-raw,format=GRAY8");
  g_autoptr (OctArray) input = load_input ();
  GstBuffer *buffer;

  oct_test_set_caps (harness, input, NULL);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_OK);
  buffer = gst_harness_pull (harness);
  fail_unless (gst_buffer_get_video_meta (buffer) == NULL);
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), 40 * 41);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octlogscale_suite (void)
{
  Suite *suite = suite_create ("octlogscale");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_known_answers, 0, oct_test_count_cases ("octlogscale-"));
  tcase_add_test (tcase, test_live_properties);
  tcase_add_test (tcase, test_min_above_max_for_a_moment);
  tcase_add_test (tcase, test_min_above_max_from_the_start);
  tcase_add_test (tcase, test_flush_forgets);
  tcase_add_test (tcase, test_range_survives);
  tcase_add_test (tcase, test_range_is_told);
  tcase_add_test (tcase, test_depths_in_caps);
  tcase_add_test (tcase, test_padded_images);
  tcase_add_test (tcase, test_no_video_meta);
  return suite;
}

GST_CHECK_MAIN (octlogscale);
