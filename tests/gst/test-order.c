/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Elements in a wrong order: they do not link, and one warning says which of
 * them, what it takes, and what to put where.
 */
#include "oct-test.h"

static const struct {
  const char *launch, *sentence;
} wrong_orders[] = {
  { "octsrc ! octdcsub ! octfft",
      "octfft* cannot follow octdcsub*: it takes spectra uniform in wavenumber "
      "(axis=wavenumber), not spectra as measured (axis=wavelength); put "
      "octkresample between them, or octnufft in place of octfft, or set "
      "axis=wavenumber on octdcsub if the samples are uniform in wavenumber "
      "already." },
  { "octsrc ! octdcsub ! octkresample ! octnufft",
      "octnufft* cannot follow octkresample*: *; leave octkresample out, *" },
  { "octsrc ! octdcsub axis=wavenumber ! octnufft ! octlogscale",
      "octnufft* cannot follow octdcsub*: *put octfft in place of octnufft." },
  { "octsrc ! octdcsub ! octdispersion ! octfft",
      "octfft* cannot follow octdispersion*: *not complex spectra as measured "
      "(axis=wavelength); put octkresample before octdispersion, *" },
  { "octsrc ! octdcsub ! queue ! octfft",
      "octfft* cannot follow queue*; put octkresample between them, *" },
  { "octsrc ! octdcsub ! application/x-oct-spectra ! octfft ! fakesink",
      "octfft* cannot follow capsfilter*; put octkresample between them, *" },
  { "octsrc ! octlogscale",
      "octlogscale* cannot follow octsrc*: it takes A-scans, not video*; put "
      "octdcsub ! octkresample ! octfft between them." },
  { "octsrc ! octfft",
      "octfft* octsrc*; put octdcsub ! octkresample between*" },
  { "videotestsrc ! octnufft",
      "octnufft* videotestsrc*; put octdcsub between them." },
  { "videotestsrc ! octcs", "octcs* videotestsrc*; put octdcsub between*" },
  { "videotestsrc ! octkresample",
      "octkresample* videotestsrc*; put octdcsub between them." },
  { "videotestsrc ! octdispersion",
      "octdispersion* videotestsrc*; put octdcsub between them." },
  { "videotestsrc ! video/x-raw,format=RGB ! octdcsub ! fakesink",
      "octdcsub* capsfilter*: *not video of format RGB; set the camera to a "
      "grey format, *" },
  { "octdcsub axis=wavenumber ! octkresample",
      "octkresample* octdcsub*; leave octkresample out." },
  { "octkresample ! octkclock",
      "octkclock* octkresample*; leave octkclock out." },
  { "octkresample ! octkresample", "octkresample*; leave octkresample out." },
  { "octdcsub axis=wavelength ! octlogscale",
      "octlogscale* octdcsub*; put octkresample ! octfft, or octnufft, *" },
  { "octkresample ! octlogscale",
      "octlogscale* octkresample*; put octfft between them." },
  { "octdcsub axis=wavelength ! octdispersion ! octlogscale",
      "octlogscale* octdispersion*; put octnufft between them, *" },
  { "octkresample ! octdispersion ! octlogscale",
      "octlogscale* octdispersion*; put octfft between them." },
  { "octkresample ! octdispersion ! octnufft",
      "octnufft* octdispersion*; leave octkresample out, *" },
  { "octdcsub axis=wavelength ! octdispersion ! octkresample",
      "octkresample* octdispersion*; put octkresample before octdispersion." },
  { "octdispersion ! octdispersion",
      "octdispersion* octdispersion*; leave one octdispersion out." },
  { "octdispersion ! octdcsub",
      "octdcsub* octdispersion*; put octdcsub before octdispersion." },
  { "octfft ! octdcsub", "octdcsub* octfft*; put octdcsub first, *" },
  { "octfft ! octkresample",
      "octkresample* octfft*; spectra become A-scans *" },
  { "octfft ! octdispersion",
      "octdispersion* octfft*; put octdispersion before the transform." },
  { "octnufft ! octfft", "octfft* octnufft*; spectra become A-scans once, *" },
  { "octfft ! octnufft", "octnufft* octfft*; spectra become A-scans once, *" },
  { "octfft ! octcs", "octcs* octfft*; spectra become A-scans once, *" },
  { "octfft ! octvolume", "octvolume* octfft*; put octlogscale between them." },
  { "octfft ! octenface", "octenface* octfft*; put octlogscale between them." },
  { "octdcsub ! octslice",
      "octslice* octdcsub*: it takes images of 8 bit *; put what makes images "
      "of spectra between them, *" },
  { "octfft ! octflip", "octflip* octfft*; put octlogscale between them." },
  { "octdispersion ! octremap",
      "octremap* octdispersion*: it takes grey images *; put what makes images "
      "of spectra between them, *" },
  { "octdispersion ! octaverage",
      "octaverage* octdispersion*: it takes images or A-scans, *; put what "
      "makes images of spectra between them, *" },
  { "octdispersion ! octangio",
      "octangio* octdispersion*: it takes A-scans, *; put octnufft between "
      "them, *" },
  { "octdcsub ! octalign",
      "octalign* octdcsub*: it takes A-scans, *; put octkresample ! octfft, or "
      "octnufft, between them." },
  { "octfft ! octspeckle",
      "octspeckle* octfft*; put octlogscale between them." },
  { "octfft ! octsharpen",
      "octsharpen* octfft*; put octlogscale between them." },
  { "octdcsub axis=wavenumber ! octdoppler",
      "octdoppler* octdcsub*: it takes A-scans, *; put octfft between them." },
  { "octlogscale ! octdoppler", "octdoppler* octlogscale*: it takes A-scans, "
                                "*; put octdoppler in place of "
                                "octlogscale." },
  { "octreconstruct ! octdynamic",
      "octdynamic* cannot follow octreconstruct*; set output=ascans on "
      "octreconstruct." },
  { "octdcsub axis=wavenumber ! octrefocus",
      "octrefocus* octdcsub*: it takes A-scans, *; put octfft between them." },
  { "octlogscale ! octrefocus",
      "octrefocus* octlogscale*; put octrefocus before octlogscale." },
  { "octreconstruct ! octrefocus",
      "octrefocus* cannot follow octreconstruct*; set output=ascans on "
      "octreconstruct, and put octlogscale after octrefocus." },
  { "octfft ! octcolormap",
      "octcolormap* octfft*; put octlogscale between them." },
  { "octlogscale ! octlogscale", "octlogscale*; octlogscale comes last, *" },
  { "octlogscale ! octfft", "octfft* octlogscale*; octlogscale comes last, *" },
  { "octdispersion ! octreconstruct",
      "octreconstruct* octdispersion*: it takes raw spectra * or real spectra, "
      "not complex spectra *; put octreconstruct first, *" },
  { "octkresample ! octreconstruct",
      "octreconstruct* octkresample*; *or set axis=wavenumber on it." },
  { "octfft ! octreconstruct",
      "octreconstruct* octfft*; put octreconstruct first, *" },
  { "videotestsrc ! video/x-raw,format=RGB ! octreconstruct ! fakesink",
      "octreconstruct* capsfilter*: *not video of format RGB; set the camera "
      "to a grey format, *" },
  { "octreconstruct ! octlogscale",
      "octlogscale* cannot follow octreconstruct*; octreconstruct comes last, "
      "*" },
  { "octreconstruct ! octvolumecs",
      "octvolumecs* cannot follow octreconstruct*: it takes A-scans, or real "
      "spectra *, not video*; set output=ascans on octreconstruct, and put "
      "octlogscale after octvolumecs." },
  { "octlogscale ! octvolumecs",
      "octvolumecs* octlogscale*; put octvolumecs before octlogscale." },
  { "octdcsub ! octigtlsink",
      "octigtlsink* octdcsub*; put what makes images of spectra between "
      "them, *" },
  { "octdcsub ! octkeep", "octkeep* octdcsub*; put it after the source, *" },
  { "octdcsub ! octrawsink",
      "octrawsink* octdcsub*; put it after the source, *" },
  { "octfft ! octrawsink", "octrawsink* octfft*; put it after the source, *" },
  { "videotestsrc ! video/x-raw,format=RGB ! octmeter ! fakesink",
      "octmeter* capsfilter*: it takes spectra or A-scans, *not video of "
      "format "
      "RGB; set the camera to a grey format, *" },
  { "octfft ! videoconvert",
      "videoconvert* cannot follow octfft*: it takes video, not A-scans; put "
      "octlogscale between them." },
  { "octsrc ! octdcsub ! octkresample ! videoconvert",
      "videoconvert* octkresample*: it takes video, not spectra uniform in "
      "wavenumber *; put octfft ! octlogscale between them." },
  { "octsrc ! octdcsub ! octnufft ! videoscale",
      "videoscale* octnufft*; put octlogscale between them." },
  { "octdcsub axis=wavelength ! octmeter ! octfft",
      "octfft* octmeter*; put octkresample between them, *" },
};

/* Links the elements of a launch line one after the other, as far as they go.
 * gst_parse_launch() would not do: from GStreamer 1.26 on it swallows the
 * messages that elements post meanwhile. */
static GstElement *
link_one_by_one (const char *launch)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  g_auto (GStrv) parts = g_strsplit (launch, " ! ", -1);
  GstElement *before = NULL;

  for (guint i = 0; parts[i] != NULL; i++) {
    gboolean is_caps = g_str_has_prefix (parts[i], "video/")
                       || g_str_has_prefix (parts[i], "application/");
    g_autofree char *text =
        g_strconcat (is_caps ? "capsfilter caps=" : "", parts[i], NULL);
    GstElement *element = gst_parse_launch (text, NULL);

    gst_bin_add (GST_BIN (pipeline), element);
    if (before != NULL && !gst_element_link (before, element))
      break;
    before = element;
  }
  return pipeline;
}

/* A wrong order of elements does not even link, and the bus says why. */
GST_START_TEST (test_wrong_order)
{
  const char *launch = wrong_orders[__i__].launch;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) warning = NULL;
  GstElement *pipeline =
      gst_parse_launch_full (launch, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  GstBus *bus;
  GstMessage *message;

  fail_unless (error != NULL, "%s", launch);
  fail_unless (g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK),
      "%s", error->message);
  gst_clear_object (&pipeline);

  pipeline = link_one_by_one (launch);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL, "%s says nothing", launch);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (
      g_pattern_match_simple (wrong_orders[__i__].sentence, warning->message),
      "%s: %s", launch, warning->message);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message == NULL, "%s says it twice", launch);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}
GST_END_TEST

/* Caps that a source sends once it has started, as pngdec sends GRAY16_BE for
 * an image of 16 bit. */
static const struct {
  const char *element, *format, *sentence;
} wrong_formats[] = {
  { "octdcsub", "GRAY16_BE",
      "octdcsub* cannot follow source: it takes raw spectra *, not video of "
      "format GRAY16_BE; put videoconvert ! video/x-raw,format=GRAY16_LE "
      "between them, which keeps all bits." },
  { "octreconstruct wavelength-min=800 wavelength-max=900", "GRAY16_BE",
      "octreconstruct* cannot follow source*, which keeps all bits." },
  { "octgather", "GRAY16_BE", "octgather*,format=GRAY16_LE between them, *" },
  { "octdcsub", "RGB",
      "octdcsub*format RGB; set the camera to a grey format, or put "
      "videoconvert ! video/x-raw,format=GRAY8 between them." },
  { "octdcsub", "ARGB64",
      "octdcsub*, or put videoconvert ! video/x-raw,format=GRAY16_LE between "
      "them." },
};

/* Elements that link, as nothing is known of the source yet. */
static const struct {
  const char *elements, *sentence;
} wrong_late[] = {
  { "octdcsub ! octfft",
      "octfft* cannot follow octdcsub*, not spectra as measured "
      "(axis=wavelength); put octkresample between them, *" },
  { "octdcsub ! queue ! octdispersion ! octfft",
      "octfft* cannot follow octdispersion*; put octkresample before *" },
  { "octgather ! octfft",
      "octfft* cannot follow octgather*; put octdcsub ! octkresample between "
      "them." },
  { "octmeter ! octfft",
      "octfft* cannot follow octmeter*; put octdcsub ! octkresample between "
      "them." },
};

static void
check_late_caps (const char *launch, const char *format, const char *sentence)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, format, "width", G_TYPE_INT, 64, "height", G_TYPE_INT, 8,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_allocate (NULL, 64 * 8 * 8, NULL);
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow;
  GstMessage *message;

  g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_signal_emit_by_name (source, "push-buffer", buffer, &flow);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s says nothing", launch);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_pattern_match_simple (sentence, error->message), "%s: %s",
      launch, error->message);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

GST_START_TEST (test_wrong_format)
{
  g_autofree char *launch = g_strdup_printf (
      "appsrc name=source ! %s ! fakesink", wrong_formats[__i__].element);

  check_late_caps (
      launch, wrong_formats[__i__].format, wrong_formats[__i__].sentence);
}
GST_END_TEST

GST_START_TEST (test_wrong_late)
{
  g_autofree char *launch = g_strdup_printf (
      "appsrc name=source ! %s ! fakesink", wrong_late[__i__].elements);

  check_late_caps (launch, "GRAY8", wrong_late[__i__].sentence);
}
GST_END_TEST

static GstEvent *
new_video_caps (const char *format)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, format, "width", G_TYPE_INT, 64, "height", G_TYPE_INT, 8,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);

  return gst_event_new_caps (caps);
}

/* Elements in between ask octdcsub about caps that are sent to them, or not. */
static const char *const between[] = { "identity", "queue" };

/* Nothing has failed as long as no buffer comes with the caps, and then it is
 * one error. */
GST_START_TEST (test_other_format)
{
  g_autofree char *launch = g_strconcat (between[__i__], " ! octdcsub", NULL);
  GstHarness *harness = gst_harness_new_parse (launch);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GError) error = NULL;
  GstMessage *message;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_element_set_bus (harness->element, bus);
  gst_harness_push_event (harness, new_video_caps ("RGB"));
  gst_harness_push_event (harness, new_video_caps ("GRAY8"));
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  fail_unless_equals_int (
      GST_FLOW_OK, gst_harness_push (harness,
                       gst_buffer_new_allocate (NULL, (gsize)64 * 8, NULL)));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message == NULL);
  gst_harness_push_event (harness, new_video_caps ("RGB"));
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (GST_FLOW_NOT_NEGOTIATED,
        gst_harness_push (
            harness, gst_buffer_new_allocate (NULL, (gsize)64 * 8 * 3, NULL)));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (
      g_pattern_match_simple ("octdcsub* cannot follow *format RGB; set the "
                              "camera to a grey format, *",
          error->message),
      "%s", error->message);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message == NULL);
  gst_element_set_bus (harness->element, NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST

static Suite *
order_suite (void)
{
  Suite *suite = suite_create ("order");
  TCase *tc = tcase_create ("order");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_wrong_order, 0, G_N_ELEMENTS (wrong_orders));
  tcase_add_loop_test (tc, test_wrong_format, 0, G_N_ELEMENTS (wrong_formats));
  tcase_add_loop_test (tc, test_wrong_late, 0, G_N_ELEMENTS (wrong_late));
  tcase_add_loop_test (tc, test_other_format, 0, G_N_ELEMENTS (between));
  return suite;
}

GST_CHECK_MAIN (order)
