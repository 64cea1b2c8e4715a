/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The position of B-scans as programs in other languages write it: octgather
 * puts two B-scans together where the second one's place follows the first. */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#define CAPS "video/x-raw,format=GRAY8,width=64,height=2,framerate=10/1"

/* A B-scan whose meta has these fields, NULL: without a meta. */
static GstBuffer *
make_bscan (const char *fields)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 2, NULL);

  gst_buffer_memset (buffer, 0, 0, 64 * 2);
  if (fields != NULL) {
    g_autofree char *text = g_strdup_printf ("fields,%s;", fields);
    g_autoptr (GstStructure) s = gst_structure_from_string (text, NULL);
    GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, "GstOctScanMeta");

    fail_unless (s != NULL && meta != NULL);
    for (gint i = 0; i < gst_structure_n_fields (s); i++) {
      const char *name = gst_structure_nth_field_name (s, (guint)i);

      gst_structure_set_value (gst_custom_meta_get_structure (meta), name,
          gst_structure_get_value (s, name));
    }
  }
  return buffer;
}

/* B-scans per buffer that come out of octgather. */
static void
check_gathered (const char *first, const char *second, guint expected)
{
  GstHarness *harness = oct_test_harness ("octgather bscans=2");
  guint n;

  gst_harness_set_src_caps_str (harness, CAPS);
  fail_unless (
      gst_harness_push (harness, make_bscan (first)) == GST_FLOW_OK
      && gst_harness_push (harness, make_bscan (second)) == GST_FLOW_OK);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  for (n = 0; gst_harness_buffers_in_queue (harness) > 0; n++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);

    fail_unless_equals_int (gst_buffer_get_size (buffer), expected * 64 * 2);
  }
  fail_unless_equals_int (n * expected, 2);
  gst_harness_teardown (harness);
}

/* {first, second, B-scans in a buffer} */
static const struct {
  const char *first, *second;
  guint together;
} pairs[] = {
  /* whole numbers of any type; volume and count may be left out */
  { "bscan=(uint)0,bscans=(uint)4", "bscan=(uint)1,bscans=(uint)4", 2 },
  { "bscan=(int)0,bscans=(int)4", "bscan=(gint64)1,bscans=(guint64)4", 2 },
  { "bscan=(int)4,bscans=(int)5,volume=(int)6",
      "bscan=(int)0,bscans=(int)5,volume=(int)7,count=(int)1", 2 },
  /* buffers of two are in step with volumes of four */
  { "bscan=(int)3,bscans=(int)4,volume=(int)6",
      "bscan=(int)0,bscans=(int)4,volume=(int)7,count=(int)1", 1 },
  /* the same, but not the next one */
  { "bscan=(int)0,bscans=(int)4", "bscan=(int)2,bscans=(int)4", 1 },
  { "bscan=(int)0,bscans=(int)4", "bscan=(int)1,bscans=(int)5", 1 },
  /* place and repeat, one B-scan at a place: the next place, another one */
  { "bscan=(int)0,bscans=(int)4,place=(int)1,repeat=(int)0",
      "bscan=(int)1,bscans=(int)4,place=(uint)2,repeat=(uint)0", 2 },
  { "bscan=(int)0,bscans=(int)4,place=(int)1,repeat=(int)0",
      "bscan=(int)1,bscans=(int)4,place=(int)3,repeat=(int)0", 1 },
  { "bscan=(int)0,bscans=(int)4,place=(int)1,repeat=(int)0",
      "bscan=(int)1,bscans=(int)4", 1 },
  /* one meta cannot say which A-lines of two buffers are lost */
  { "bscan=(int)0,bscans=(int)4,valid=(buffer)0100",
      "bscan=(int)1,bscans=(int)4", 1 },
  { "bscan=(int)0,bscans=(int)4",
      "bscan=(int)1,bscans=(int)4,valid=(buffer)0100", 1 },
  /* none at all, and none that can be one, which counts as none */
  { NULL, NULL, 2 },
  { NULL, "bscan=(int)0,bscans=(int)0", 2 },
  { NULL, "bscan=(int)0,bscans=(int)16777217", 2 },
  { NULL, "bscan=(int)-1,bscans=(int)4", 2 },
  { NULL, "bscan=(int)4,bscans=(int)4", 2 },
  { NULL, "bscan=(string)first,bscans=(int)4", 2 },
  { NULL, "bscans=(int)4", 2 },
  { NULL, "bscan=(int)1,bscans=(int)4,volume=(int)-1", 2 },
  { NULL, "bscan=(int)1,bscans=(int)4,volume=(guint64)18446744073709551615",
      2 },
  { NULL, "bscan=(int)1,bscans=(int)4,count=(int)0", 2 },
  { NULL, "bscan=(int)1,bscans=(int)4,place=(int)1", 2 },
  { NULL, "bscan=(int)1,bscans=(int)4,repeat=(int)1", 2 },
  { NULL, "bscan=(int)1,bscans=(int)4,place=(int)4,repeat=(int)0", 2 },
  { "bscan=(int)0,bscans=(int)4", NULL, 1 },
};

GST_START_TEST (test_positions)
{
  g_autoptr (GstPlugin) plugin = gst_plugin_load_by_name ("oct");

  fail_unless (plugin != NULL);
  check_gathered (
      pairs[__i__].first, pairs[__i__].second, pairs[__i__].together);
}
GST_END_TEST;

/* An image for each B-scan says of its own A-lines which are lost. */
GST_START_TEST (test_valid_of_images)
{
  g_autoptr (GstPlugin) plugin = gst_plugin_load_by_name ("oct");
  GstHarness *harness = oct_test_harness ("octlogscale range=manual");
  GstBuffer *buffer = make_bscan (
      "bscan=(int)0,bscans=(int)4,count=(int)2,valid=(buffer)01000001");

  fail_unless (plugin != NULL);
  gst_buffer_append_memory (
      buffer, gst_allocator_alloc (NULL, 4 * 16 * 8 - 64 * 2, NULL));
  gst_buffer_memset (buffer, 0, 0, 4 * 16 * 8);
  oct_test_set_src_caps (harness,
      gst_caps_from_string (
          "application/x-oct-ascans,format=CF32LE,samples=16,lines=2,bscans=2,"
          "framerate=10/1"));
  fail_unless (oct_test_push_buffer (harness, buffer) == GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 2);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) image = gst_harness_pull (harness);
    GstCustomMeta *meta = gst_buffer_get_custom_meta (image, "GstOctScanMeta");
    GstBuffer *valid = NULL;
    guint8 bytes[2];

    fail_unless (gst_structure_get (gst_custom_meta_get_structure (meta),
        "valid", GST_TYPE_BUFFER, &valid, NULL));
    fail_unless_equals_int (gst_buffer_get_size (valid), 2);
    gst_buffer_extract (valid, 0, bytes, 2);
    fail_unless (bytes[0] == (i == 0) && bytes[1] == (i == 1));
    gst_buffer_unref (valid);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Positions beyond 2^24 B-scans of a volume are not read: sources say none.
 * Files without volumes are cut. */
GST_START_TEST (test_most)
{
  enum { MOST = 1 << 24, SAMPLES = 16 };
  const char *words[] = { "Volumes of 16777217 B-scans", "`bscans`", NULL };
  g_autofree char *path =
      oct_test_sparse ("m.raw", (MOST + 1) * 2ull * SAMPLES);
  g_autofree char *launch =
      g_strdup_printf ("octsrc location=%s samples=16 lines=1 num-buffers=1 ! "
                       "appsink name=sink sync=false",
          path);
  GstElement *pipeline = oct_test_start (launch);
  GstSample *sample = oct_test_pull_from (pipeline, "sink");

  fail_unless (sample != NULL);
  fail_unless_equals_int (
      oct_test_get_scan_position (gst_sample_get_buffer (sample)).bscans, MOST);
  gst_sample_unref (sample);
  oct_test_stop (pipeline);
  fail_if (oct_test_plays (
      "octsrc samples=64 lines=1 bscans=16777217 num-buffers=1 ! fakesink",
      words));
}
GST_END_TEST;

static Suite *
scanmeta_suite (void)
{
  Suite *suite = suite_create ("scanmeta");
  TCase *tcase = tcase_create ("positions");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_positions, 0, G_N_ELEMENTS (pairs));
  tcase_add_unchecked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_valid_of_images);
  tcase_add_test (tcase, test_most);
  return suite;
}

GST_CHECK_MAIN (scanmeta);
