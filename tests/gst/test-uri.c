/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Files as other programs of GStreamer meet them: told by their first bytes,
 * and named by a URI.
 */
#include "oct-test-files.h"
#include "oct-test.h"

#include <gst/base/gsttypefindhelper.h>
#include <gst/pbutils/pbutils.h>

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
        g_build_filename (OCT_TEST_VECTORS, known[i].file, NULL);
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

/* What is none of ours is not taken for it. */
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
make_uri (const char *path, const char *query)
{
  g_autofree char *escaped = g_uri_escape_string (path, "/", FALSE);

  return g_strconcat ("oct://", escaped, query, NULL);
}

GST_START_TEST (test_uri)
{
  g_autofree char *path = write_npy ("a scan, 100 %.npy");
  g_autofree char *uri =
      make_uri (path, "?bscans-per-buffer=2&loop=true&calibration=a%20b.csv"
                      "&num-buffers=3");
  g_autofree char *location = NULL, *calibration = NULL, *got = NULL;
  g_autofree char *plain = make_uri (path, "");
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

  /* nothing behind it is the virtual system */
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
    { "oct:///x.npy#part", "is no URI" },
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

static void
count_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  guint *count = data;

  fail_unless_equals_int (gst_buffer_get_size (buffer), 24);
  ++*count;
}

/* As programs do that know nothing of OCT. */
GST_START_TEST (test_decodebin)
{
  g_autofree char *path = write_npy ("x.npy");
  g_autofree char *uri = make_uri (path, "");
  g_autofree char *line = g_strdup_printf (
      "uridecodebin uri=\"%s\" ! fakesink name=s signal-handoffs=true "
      "sync=false",
      uri);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  g_autoptr (GError) error = NULL;
  guint count = 0;

  g_signal_connect (sink, "handoff", G_CALLBACK (count_buffer), &count);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  g_assert_no_error (error);
  fail_unless_equals_int (count, 2);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
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

/* What gst-discoverer-1.0 prints. */
GST_START_TEST (test_discoverer)
{
  g_autofree char *path = write_npy ("x.npy");
  g_autofree char *uri = make_uri (path, "");
  g_autofree char *file = g_filename_to_uri (path, NULL, NULL);
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
    tcase_add_test (test_case, test_discoverer);
  }
  tcase_add_test (test_case, test_other_types);
  tcase_add_test (test_case, test_uri);
  tcase_add_test (test_case, test_bad_uris);
  tcase_add_test (test_case, test_playing);
  return suite;
}

GST_CHECK_MAIN (uri)
