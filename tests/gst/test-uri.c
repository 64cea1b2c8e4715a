/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Files as other programs of GStreamer meet them: told by their first bytes,
 * and named by a URI.
 */
#include "oct-test-files.h"
#include "oct-test.h"

#include <gst/base/gsttypefindhelper.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>
#include <math.h>

#define NPY "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3, 4), }"

static const struct {
  const char *file, *media;
} known[] = {
  { "plain-u2.mat", "application/x-matlab-data" },
  { "packed.h5", "application/x-hdf5" },
  { "matlab73.mat", "application/x-hdf5" },
  { "thorlabs.oct", "application/x-oct-thorlabs" },
  { "stored-slashes.oct", "application/x-oct-thorlabs" },
  { "plain-u2.tif", "image/tiff" },
};

static char *
find_type (const guint8 *data, gsize size)
{
  GstTypeFindProbability probability;
  g_autoptr (GstCaps) caps =
      gst_type_find_helper_for_data (NULL, data, size, &probability);

  return caps != NULL ? g_strdup (
             gst_structure_get_name (gst_caps_get_structure (caps, 0)))
                      : NULL;
}

GST_START_TEST (test_types)
{
  static const struct {
    const char *text, *media;
  } texts[] = {
    { "[oct-recording]\nversion=1\nsample-format=gray16-le\n",
        "application/x-oct-recording" },
    { "# of the eye\n[oct-recording]\nversion=1\n",
        "application/x-oct-recording" },
    { "headersize=40\nsize1=8 size2=5 bitdepth=12 scanregions=1,2,5",
        "application/x-oct-srr" },
    { "\x93NUMPY\1", "application/x-npy" },
    { "......\13...FRAMEHEADER.", "application/x-oct-bioptigen" },
    { "TDSm\16", "application/x-tdms" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    guint8 begin[128] = { 0 };
    g_autofree char *media = NULL;

    memcpy (begin, texts[i].text, strlen (texts[i].text));
    media = find_type (begin, sizeof begin);
    fail_unless_equals_string (media, texts[i].media);
  }
  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    g_autofree char *path =
        g_build_filename (oct_test_vectors (), known[i].file, NULL);
    g_autofree char *data = NULL, *media = NULL;
    gsize size;

    fail_unless (g_file_get_contents (path, &data, &size, NULL));
#ifndef HAVE_HDF5
    if (g_str_equal (known[i].media, "application/x-hdf5"))
      continue;
#endif
    media = find_type ((const guint8 *)data, size);
    fail_unless_equals_string (media, known[i].media);
  }
}
GST_END_TEST;

/* Foreign data is not recognised as one of our types. */
GST_START_TEST (test_other_types)
{
  static const char *const texts[] = { "PK\3\4 an archive", "plain text", "PK",
    "x", "[oct-other]\n", "headersize 40" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *media =
        find_type ((const guint8 *)texts[i], strlen (texts[i]));

    fail_if (media != NULL && strstr (media, "oct") != NULL
             && !g_str_equal (media, "application/octet-stream"));
  }
}
GST_END_TEST;

static char *
write_npy (const char *name)
{
  guint16 counts[24];

  for (guint i = 0; i < 24; i++)
    counts[i] = (guint16)i;
  return oct_test_npy (name, NPY, counts, sizeof counts);
}

static char *
make_uri (const char *protocol, const char *path, const char *query)
{
  g_autofree char *escaped = g_uri_escape_string (path, "/", FALSE);

  return g_strconcat (protocol, "://", escaped, query, NULL);
}

GST_START_TEST (test_uri)
{
  g_autofree char *path = write_npy ("a scan, 100 %.npy");
  g_autofree char *uri = make_uri ("oct", path,
      "?bscans-per-buffer=2&loop=true&calibration=a%20b.csv"
      "&num-buffers=3");
  g_autofree char *location = NULL, *calibration = NULL, *got = NULL;
  g_autofree char *plain = make_uri ("oct", path, "");
  g_autoptr (GError) error = NULL;
  GstElement *src = gst_element_make_from_uri (GST_URI_SRC, uri, NULL, &error);
  gboolean loop;
  guint count;
  int most;

  g_assert_no_error (error);
  fail_unless_equals_string (
      GST_OBJECT_NAME (gst_element_get_factory (src)), "octsrc");
  g_object_get (src, "location", &location, "bscans-per-buffer", &count, "loop",
      &loop, "calibration", &calibration, "num-buffers", &most, NULL);
  fail_unless_equals_string (location, path);
  fail_unless_equals_string (calibration, "a b.csv");
  fail_unless (loop);
  fail_unless_equals_int (count, 2);
  fail_unless_equals_int (most, 3);
  got = gst_uri_handler_get_uri (GST_URI_HANDLER (src));
  fail_unless (gst_uri_handler_set_uri (GST_URI_HANDLER (src), got, &error));
  g_clear_pointer (&location, g_free);
  g_object_get (src, "location", &location, NULL);
  fail_unless_equals_string (location, path);

  /* nothing after "oct://" is the virtual system */
  fail_unless (
      gst_uri_handler_set_uri (GST_URI_HANDLER (src), "oct://", &error));
  g_clear_pointer (&location, g_free);
  g_object_get (src, "location", &location, NULL);
  fail_unless (location == NULL);
  g_free (got);
  got = gst_uri_handler_get_uri (GST_URI_HANDLER (src));
  fail_unless_equals_string (got, "oct://");
  gst_object_unref (src);
}
GST_END_TEST;

GST_START_TEST (test_bad_uris)
{
  static const struct {
    const char *uri, *found;
  } cases[] = {
    { "oct:///x.npy?sample=4", "sets 'sample', which octsrc does not have" },
    { "oct:///x.npy?samples=many", "sets 'samples' to 'many'" },
    { "oct:///x.npy?samples=-1", "sets 'samples' to '-1'" },
    { "oct:///x.npy?samples=99999999", "sets 'samples' to '99999999'" },
    { "oct:///x.npy?samples", "sets 'samples' to ''" },
    { "oct:///x.npy?location=/etc/passwd",
        "sets 'location', which a URI may not set" },
    { "oct:///x.npy?scan-mask-output=y",
        "sets 'scan-mask-output', which a URI may not set" },
    { "oct:///x.npy?frames=3", "sets 'frames', which a URI may not set" },
    { "oct:///x.npy?name=y", "sets 'name', which a URI may not set" },
    { "oct:///x.npy?blocksize=9", "sets 'blocksize', which a URI may not set" },
    { "oct:///x.npy?num-buffers=few", "sets 'num-buffers' to 'few'" },
    { "oct:///x.npy?lines=2&samples=no", "sets 'samples' to 'no'" },
    { "oct://elsewhere/x.npy", "names a computer" },
    { "oct:///x.npy#part", "is not a URI" },
  };
  GstElement *src = gst_element_factory_make ("octsrc", NULL);
  g_autofree char *location = NULL;
  guint lines;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    fail_if (
        gst_uri_handler_set_uri (GST_URI_HANDLER (src), cases[i].uri, &error));
    g_assert_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI);
    fail_unless (strstr (error->message, cases[i].found) != NULL
                     && strstr (error->message, "; write oct:///") != NULL,
        "%s", error->message);
  }
  g_object_get (src, "location", &location, "lines", &lines, NULL);
  fail_unless (location == NULL);
  fail_unless_equals_int (lines, 0);
  gst_object_unref (src);
}
GST_END_TEST;

/* Nothing is set where one of them cannot be. */
GST_START_TEST (test_bad_image_uris)
{
  static const struct {
    const char *uri, *found;
  } cases[] = {
    { "octimage:///x.npy?method=nufft&sample=4",
        "sets 'sample', which neither octsrc nor octreconstruct has" },
    { "octimage:///x.npy?method=best", "sets 'method' to 'best'" },
    { "octimage:///x.npy?method=nufft&output=ascans",
        "sets 'output', which a URI may not set" },
    { "octimage:///x.npy?method-in-use=nufft",
        "sets 'method-in-use', which a URI may not set" },
    { "octimage:///x.npy?method=nufft&location=y",
        "sets 'location', which a URI may not set" },
    { "octimage:///x.npy?name=y", "sets 'name', which a URI may not set" },
    { "octimage://elsewhere/x.npy?method=nufft", "names a computer" },
  };
  GstElement *both = gst_element_factory_make ("octimagesrc", NULL);
  GstElement *src = gst_bin_get_by_name (GST_BIN (both), "source");
  GstElement *reconstruct = gst_bin_get_by_name (GST_BIN (both), "reconstruct");
  g_autofree char *location = NULL;
  int method;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    fail_if (
        gst_uri_handler_set_uri (GST_URI_HANDLER (both), cases[i].uri, &error));
    g_assert_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI);
    fail_unless (strstr (error->message, cases[i].found) != NULL
                     && strstr (error->message, "; write octimage:///") != NULL,
        "%s", error->message);
  }
  g_object_get (src, "location", &location, NULL);
  g_object_get (reconstruct, "method", &method, NULL);
  fail_unless (location == NULL);
  fail_unless_equals_int (method, 0);
  gst_object_unref (src);
  gst_object_unref (reconstruct);
  gst_object_unref (both);
}
GST_END_TEST;

static void
count_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  guint *count = data;

  fail_unless_equals_int (gst_buffer_get_size (buffer), 24);
  ++*count;
}

/* Plays `launch` to its end. */
static void
play (const char *launch, const char *uri, GCallback handoff, gpointer data)
{
  g_autofree char *line = g_strdup_printf (
      "%s uri=\"%s\" ! fakesink name=s signal-handoffs=true sync=false", launch,
      uri);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  g_autoptr (GError) error = NULL;

  g_signal_connect (sink, "handoff", handoff, data);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  g_assert_no_error (error);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}

/* As programs do that know nothing of OCT. */
GST_START_TEST (test_decodebin)
{
  g_autofree char *path = write_npy ("x.npy");
  g_autofree char *uri = make_uri ("oct", path, "");
  guint count = 0;

  play ("uridecodebin", uri, G_CALLBACK (count_buffer), &count);
  fail_unless_equals_int (count, 2);
}
GST_END_TEST;

/* ------------------------------------------------------------------- images */

enum { SAMPLES = 64, LINES = 5, BSCANS = 3, FRINGES = 20 };

/* A recording of a mirror: cosines with so many periods over an A-line, which
 * is uniform in wavenumber. */
static char *
write_mirror (void)
{
  guint16 counts[BSCANS * LINES * SAMPLES];

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    counts[i] = (guint16)lround (
        20000 + 5000 * cos (2 * G_PI * FRINGES * (i % SAMPLES) / SAMPLES));
  return oct_test_npy ("mirror.npy",
      "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 5, 64), }", counts,
      sizeof counts);
}

/* The mirror is where its number of fringes says: white, in each A-scan. */
static void
check_image (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  guint *count = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;
  GstVideoFrame frame;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_caps_unref (caps);
  fail_unless_equals_int (
      GST_VIDEO_INFO_FORMAT (&info), GST_VIDEO_FORMAT_GRAY8);
  fail_unless_equals_int (GST_VIDEO_INFO_WIDTH (&info), LINES);
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info), SAMPLES / 2);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint line = 0; line < LINES; line++) {
    guint brightest = 0, most = 0;

    for (guint depth = 1; depth < SAMPLES / 2; depth++) {
      const guint8 *row = (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
                          + depth * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);

      if (row[line] > most) {
        most = row[line];
        brightest = depth;
      }
    }
    fail_unless_equals_int (brightest, FRINGES);
  }
  gst_video_frame_unmap (&frame);
  ++*count;
}

GST_START_TEST (test_images)
{
  g_autofree char *path = write_mirror ();
  g_autofree char *uri = make_uri ("octimage", path,
      "?axis=wavenumber&mode=a-line&range=manual&min=20&max=160&backend=cpu");
  g_autofree char *two = make_uri ("octimage", path,
      "?axis=wavenumber&mode=a-line&num-buffers=2&window=hann");
  guint count = 0;

  play ("uridecodebin", uri, G_CALLBACK (check_image), &count);
  fail_unless_equals_int (count, BSCANS);
  count = 0;
  play ("uridecodebin", two, G_CALLBACK (check_image), &count);
  fail_unless_equals_int (count, 2);
}
GST_END_TEST;

/* As in a film. */
GST_START_TEST (test_seek_images)
{
  g_autofree char *path = write_mirror ();
  g_autofree char *uri = make_uri ("octimage", path, "?axis=wavenumber");
  GstElement *src = gst_element_make_from_uri (GST_URI_SRC, uri, NULL, NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstClockTime last = gst_util_uint64_scale (BSCANS - 1, GST_SECOND, 30);
  GstSample *sample = NULL;

  gst_bin_add_many (GST_BIN (pipeline), src, sink, NULL);
  fail_unless (gst_element_link (src, sink));
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND)
               == GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_element_seek_simple (
      pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, (gint64)last));
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND)
               == GST_STATE_CHANGE_SUCCESS);
  g_object_get (sink, "last-sample", &sample, NULL);
  fail_unless_equals_uint64 (
      GST_BUFFER_PTS (gst_sample_get_buffer (sample)), last);
  gst_sample_unref (sample);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}
GST_END_TEST;

/* The element that each parameter is set on. */
GST_START_TEST (test_image_uri)
{
  g_autofree char *path = write_mirror ();
  g_autofree char *uri = make_uri ("octimage", path,
      "?loop=true&calibration=a%20b.csv&backend=cpu&method=nufft&a2=3&noise=2");
  g_autofree char *plain = make_uri ("octimage", path, "");
  g_autofree char *location = NULL, *calibration = NULL, *none = NULL;
  g_autofree char *got = NULL;
  g_autoptr (GError) error = NULL;
  GstElement *both = gst_element_make_from_uri (GST_URI_SRC, uri, NULL, &error);
  GstElement *src, *reconstruct;
  int backends[2], method;
  double a2, noise;
  gboolean loop;

  g_assert_no_error (error);
  src = gst_bin_get_by_name (GST_BIN (both), "source");
  reconstruct = gst_bin_get_by_name (GST_BIN (both), "reconstruct");
  g_object_get (src, "location", &location, "loop", &loop, "calibration",
      &calibration, "backend", &backends[0], "noise", &noise, NULL);
  g_object_get (reconstruct, "calibration", &none, "backend", &backends[1],
      "method", &method, "a2", &a2, NULL);
  fail_unless_equals_string (location, path);
  fail_unless_equals_string (calibration, "a b.csv");
  fail_unless (none == NULL);
  fail_unless (loop);
  fail_unless_equals_int (backends[0], 2); /* cpu */
  fail_unless_equals_int (backends[1], 2); /* cpu */
  fail_unless_equals_int (method, 1);      /* nufft */
  fail_unless_equals_float (a2, 3);
  fail_unless_equals_float (noise, 2);
  got = gst_uri_handler_get_uri (GST_URI_HANDLER (both));
  fail_unless_equals_string (got, plain);
  gst_object_unref (src);
  gst_object_unref (reconstruct);
  gst_object_unref (both);
}
GST_END_TEST;

GST_START_TEST (test_playing)
{
  GstElement *src = gst_element_factory_make ("octsrc", NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstElement *pipeline = gst_pipeline_new (NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (src, "samples", 64, "lines", 4, NULL);
  gst_bin_add_many (GST_BIN (pipeline), src, sink, NULL);
  fail_unless (gst_element_link (src, sink));
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND)
               == GST_STATE_CHANGE_SUCCESS);
  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (src), "oct:///x", &error));
  g_assert_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}
GST_END_TEST;

/* The output of gst-discoverer-1.0. */
GST_START_TEST (test_discoverer)
{
  g_autofree char *path = write_npy ("x.npy");
  g_autofree char *uri = make_uri ("oct", path, "");
  g_autofree char *file = g_filename_to_uri (path, NULL, NULL);
  g_autofree char *mirror = write_mirror ();
  g_autofree char *images = make_uri ("octimage", mirror, "?axis=wavenumber");
  g_autoptr (GError) error = NULL;
  GstDiscoverer *discoverer = gst_discoverer_new (20 * GST_SECOND, &error);
  GstDiscovererInfo *info =
      gst_discoverer_discover_uri (discoverer, uri, &error);
  GList *streams = gst_discoverer_info_get_video_streams (info);

  g_assert_no_error (error);
  fail_unless_equals_int (g_list_length (streams), 1);
  fail_unless_equals_int (
      gst_discoverer_video_info_get_width (streams->data), 4);
  fail_unless_equals_int (
      gst_discoverer_video_info_get_height (streams->data), 3);
  gst_discoverer_stream_info_list_free (streams);
  gst_discoverer_info_unref (info);

  /* images are as wide as there are A-lines, half as deep as there are samples */
  info = gst_discoverer_discover_uri (discoverer, images, &error);
  g_assert_no_error (error);
  streams = gst_discoverer_info_get_video_streams (info);
  fail_unless_equals_int (g_list_length (streams), 1);
  fail_unless_equals_int (
      gst_discoverer_video_info_get_width (streams->data), LINES);
  fail_unless_equals_int (
      gst_discoverer_video_info_get_height (streams->data), SAMPLES / 2);
  fail_unless_equals_uint64 (
      gst_discoverer_info_get_duration (info), GST_SECOND / 10);
  fail_unless (gst_discoverer_info_get_seekable (info));
  gst_discoverer_stream_info_list_free (streams);
  gst_discoverer_info_unref (info);

  /* as a file its type is named */
  info = gst_discoverer_discover_uri (discoverer, file, &error);
  fail_unless_equals_int (
      gst_discoverer_info_get_result (info), GST_DISCOVERER_MISSING_PLUGINS);
  fail_unless (
      strstr (
          gst_discoverer_info_get_missing_elements_installer_details (info)[0],
          "|decoder-application/x-npy")
      != NULL);
  gst_discoverer_info_unref (info);
  g_object_unref (discoverer);
}
GST_END_TEST;

static Suite *
uri_suite (void)
{
  Suite *suite = suite_create ("uri");
  TCase *test_case = tcase_create ("general");

  suite_add_tcase (suite, test_case);
  tcase_add_checked_fixture (test_case, NULL, oct_test_remove_files);
  /* with GStreamer's own typefinders and decodebin, which the sanitizers' run
   * leaves out */
  if (gst_registry_check_feature_version (
          gst_registry_get (), "uridecodebin", 1, 0, 0)) {
    tcase_add_test (test_case, test_types);
    tcase_add_test (test_case, test_decodebin);
    tcase_add_test (test_case, test_images);
    tcase_add_test (test_case, test_discoverer);
  }
  tcase_add_test (test_case, test_other_types);
  tcase_add_test (test_case, test_uri);
  tcase_add_test (test_case, test_bad_uris);
  tcase_add_test (test_case, test_seek_images);
  tcase_add_test (test_case, test_image_uri);
  tcase_add_test (test_case, test_bad_image_uris);
  tcase_add_test (test_case, test_playing);
  return suite;
}

GST_CHECK_MAIN (uri)
