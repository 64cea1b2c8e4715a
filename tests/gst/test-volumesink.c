/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* octvolumesink as a program sees it; its files are read by other programs in
 * tests/pipelines/volume-files.py. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "oct-test.h"
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <fcntl.h>
#include <glib/gstdio.h>

#include "oct-file-tree.h"

/* Plays four B-scans into `path`.  The message of the file, or an error. */
static GstMessage *
play (const char *path)
{
  GstElement *pipeline = gst_parse_launch (
      "octsrc samples=64 lines=20 bscans=4 num-buffers=4 ! octreconstruct ! "
      "octvolumesink name=sink",
      NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  g_object_set (sink, "location", path, NULL);
  gst_object_unref (sink);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  fail_unless (message != NULL);
  return message;
}

/* File names are bytes, messages are UTF-8. */
GST_START_TEST (test_name_of_bytes)
{
  g_autofree char *path = oct_test_file_path ("eye\xff.npy");
  g_autoptr (GError) error = NULL;
  const GstStructure *s;
  GstMessage *message;
  const char *name;
  guint missing = 9;

  message = play (path);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
  s = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (s, "oct-volume-file"));
  name = gst_structure_get_string (s, "location");
  fail_unless (name != NULL && g_utf8_validate (name, -1, NULL));
  fail_unless (g_str_has_suffix (name, ".npy"));
  fail_unless (gst_structure_get_uint (s, "missing", &missing));
  fail_unless_equals_int (missing, 0);
  gst_message_unref (message);
  fail_unless (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  /* now it is there */
  message = play (path);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_utf8_validate (error->message, -1, NULL));
  fail_unless (strstr (error->message, "exists already") != NULL);
  gst_message_unref (message);
  g_unlink (path);
}
GST_END_TEST;

/* An ending that says nothing, in a name of bytes. */
GST_START_TEST (test_ending_of_bytes)
{
  g_autofree char *path = oct_test_file_path ("eye.\xff");
  g_autoptr (GError) error = NULL;
  GstMessage *message = play (path);

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_utf8_validate (error->message, -1, NULL));
  fail_unless (strstr (error->message, "`format`") != NULL);
  gst_message_unref (message);
}
GST_END_TEST;

/* One spacing does not hold for A-lines, or B-scans, that are here and there.
 */
GST_START_TEST (test_compact)
{
  static const struct {
    const char *file, *mask, *elements;
    gboolean plays;
  } cases[] = {
    { "x.nii", "scan-mask=scattered", "octreconstruct", FALSE },
    { "x.nii", "scan-mask=same-lines scan-rate=0.4",
        "octreconstruct output=ascans", FALSE },
    { "x.nii", "scan-mask=scattered",
        "octreconstruct output=ascans ! octvolumecs", TRUE },
    /* all of it */
    { "x.nii", "scan-mask=scattered scan-rate=1", "octreconstruct", TRUE },
    /* which has no spacings */
    { "x.npy", "scan-mask=scattered", "octreconstruct", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = oct_test_file_path (cases[i].file);
    g_autofree char *launch = g_strdup_printf (
        "octsrc samples=64 lines=20 bscans=8 num-buffers=8 %s ! %s ! "
        "octvolumesink x-spacing=1e-5 y-spacing=1e-5 location=%s",
        cases[i].mask, cases[i].elements, path);
    const char *const words[] = { "8 B-scans of 20 A-lines",
      "spacings would be wrong", "put octvolumecs in front", NULL };

    fail_unless (
        oct_test_plays (launch, cases[i].plays ? NULL : (const char **)words)
            == cases[i].plays,
        "case %u", i);
    fail_unless (g_file_test (path, G_FILE_TEST_EXISTS) == cases[i].plays);
    g_unlink (path);
  }
}
GST_END_TEST;

/* Two recordings, one after the other: no volume of the second one is taken for
 * a late one of the first. */
GST_START_TEST (test_two_recordings)
{
  static const char *const names[] = { "t0.npy", "t1.npy", "t2.npy", NULL };
  g_autofree char *pattern = oct_test_file_path ("t%d.npy");
  g_autofree char *launch = g_strdup_printf (
      "concat name=c ! octreconstruct ! octvolumesink location=%s "
      "octsrc samples=64 lines=20 bscans=8 num-buffers=12 ! c. "
      "octsrc samples=64 lines=20 bscans=8 num-buffers=8 ! c.",
      pattern);

  fail_unless (oct_test_plays (launch, NULL));
  /* a whole one, a part, and a whole one */
  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *path = oct_test_file_path (names[i]);

    fail_unless (g_file_test (path, G_FILE_TEST_IS_REGULAR), "no %s", names[i]);
    g_unlink (path);
  }
}
GST_END_TEST;

/* A volume of 2 B-scans of values, which is the number of each of them. */
static void
write_values (const char *path)
{
  g_autofree char *launch = g_strdup_printf (
      "octvolumesink location=%s x-spacing=1e-5 y-spacing=2e-5 z-spacing=3e-6",
      path);
  GstHarness *harness = oct_test_harness (launch);
  float values[2][3][4];

  gst_harness_set_src_caps_str (harness,
      "application/x-oct-values, format=F32LE, samples=4, lines=3, "
      "framerate=10/1, quantity=velocity, unit=(string)mm/s");
  for (guint i = 0; i < 24; i++)
    values[i / 12][i / 4 % 3][i % 4] = (float)i - 5.5f;
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (values[i], sizeof values[i]);

    oct_test_add_scan_meta (buffer, i, 2, 0);
    gst_harness_push (harness, buffer);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}

static gboolean
has_bytes (const char *data, gsize size, const char *text)
{
  return memmem (data, size, text, strlen (text)) != NULL;
}

/* Values with their quantity and unit, if the format can hold it; the order of
 * the values in a file of NumPy and in the first page of a TIFF, in which depth
 * runs down. */
GST_START_TEST (test_values)
{
  static const char *const files[] = { "v.npy", "v.nii", "v.tif", "v.h5" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = oct_test_file_path (files[i]);
    g_autofree char *data = NULL;
    float first[24];
    gsize size = 0;

    write_values (path);
    fail_unless (g_file_get_contents (path, &data, &size, NULL), "%s", path);
    g_unlink (path);
    if (i == 0) {
      fail_unless (has_bytes (data, size, "'<f4'"));
      fail_unless (has_bytes (data, size, "(2, 3, 4)"));
    } else {
      fail_unless (has_bytes (data, size, "velocity"), "%s", files[i]);
      fail_unless (has_bytes (data, size, "mm/s"), "%s", files[i]);
    }
    if (i == 1) {
      fail_unless_equals_int (GST_READ_UINT16_LE (data + 70), 16);
      fail_unless_equals_int (GST_READ_UINT16_LE (data + 68), 1001);
    }
    if (i == 2) {
      /* its strip comes after the header of 8 bytes */
      memcpy (first, data + 8, 12 * sizeof (float));
      for (guint k = 0; k < 12; k++)
        fail_unless (first[k] == (float)(k % 3 * 4 + k / 3) - 5.5f);
    } else if (i < 2) {
      memcpy (first, data + size - sizeof first, sizeof first);
      for (guint k = 0; k < 24; k++)
        fail_unless (first[k] == (float)k - 5.5f);
    }
  }
}
GST_END_TEST;

#ifdef HAVE_ZARR
static void
push_values (GstHarness *harness, guint bscan, float value)
{
  float values[3][4];
  GstBuffer *buffer;

  for (guint i = 0; i < 12; i++)
    values[i / 4][i % 4] = value;
  buffer = gst_buffer_new_memdup (values, sizeof values);
  oct_test_add_scan_meta (buffer, bscan, 2, 0);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
}

/* A flush drops the volume that is written meanwhile, also from the disk; the
 * next one has its name. */
GST_START_TEST (test_flush_of_store)
{
  g_autofree char *path = oct_test_file_path ("f.zarr");
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_autofree char *launch =
      g_strdup_printf ("octvolumesink location=%s x-spacing=1e-5 "
                       "y-spacing=2e-5 z-spacing=3e-6",
          path);
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps_str (harness,
      "application/x-oct-values, format=F32LE, samples=4, lines=3, "
      "framerate=10/1, quantity=velocity, unit=(string)mm/s");
  push_values (harness, 0, 1.0f);
  fail_unless (g_file_test (part, G_FILE_TEST_IS_DIR));
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  fail_if (g_file_test (part, G_FILE_TEST_EXISTS));
  fail_if (g_file_test (path, G_FILE_TEST_EXISTS));
  gst_harness_push_event (
      harness, gst_event_new_segment (&(GstSegment){ .rate = 1.0,
                   .applied_rate = 1.0,
                   .format = GST_FORMAT_TIME,
                   .stop = GST_CLOCK_TIME_NONE,
                   .duration = GST_CLOCK_TIME_NONE }));
  push_values (harness, 0, 2.0f);
  push_values (harness, 1, 2.0f);
  fail_unless (g_file_test (path, G_FILE_TEST_IS_DIR));
  fail_if (g_file_test (part, G_FILE_TEST_EXISTS));
  gst_harness_teardown (harness);
  fail_unless_equals_int (oct_file_tree_remove (AT_FDCWD, path), 0);
}
GST_END_TEST;
#endif

static Suite *
volumesink_suite (void)
{
  Suite *suite = suite_create ("octvolumesink");
  TCase *tc = tcase_create ("names");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_test (tc, test_name_of_bytes);
  tcase_add_test (tc, test_ending_of_bytes);
  tcase_add_test (tc, test_compact);
  tcase_add_test (tc, test_two_recordings);
  tcase_add_test (tc, test_values);
#ifdef HAVE_ZARR
  tcase_add_test (tc, test_flush_of_store);
#endif
  return suite;
}

GST_CHECK_MAIN (volumesink)
