/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Recordings of a pipeline that runs: begun and ended again and again, several
 * at once, and what ends one by itself.  What is in the files: record.py.
 */
#include "oct-recorder.h"

#include <glib/gstdio.h>
#include <string.h>

#define RATE 30
#define WAIT (30 * GST_SECOND)

typedef struct {
  GstElement *pipeline;
  GstPad *pad;
  char *folder;
  gint frames; /* atomic: that passed the pad */
} Live;

static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer live)
{
  g_atomic_int_inc (&((Live *)live)->frames);
  return GST_PAD_PROBE_OK;
}

static void
setup (Live *live, gconstpointer data)
{
  g_autofree char *launch = g_strdup_printf (
      "videotestsrc is-live=true pattern=ball ! capsfilter name=filter "
      "caps=video/x-raw,format=GRAY8,width=64,height=48,framerate=%d/1 ! "
      "fakesink sync=false",
      RATE);
  g_autoptr (GstElement) filter = NULL;

  live->folder = g_dir_make_tmp ("oct-recorder-XXXXXX", NULL);
  live->pipeline = gst_parse_launch (launch, NULL);
  filter = gst_bin_get_by_name (GST_BIN (live->pipeline), "filter");
  live->pad = gst_element_get_static_pad (filter, "src");
  gst_pad_add_probe (
      live->pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, live, NULL);
  gst_element_set_state (live->pipeline, GST_STATE_PLAYING);
}

static guint
count_files (Live *live)
{
  g_autoptr (GDir) dir = g_dir_open (live->folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
teardown (Live *live, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (live->folder, 0, NULL);
  const char *name;

  gst_element_set_state (live->pipeline, GST_STATE_NULL);
  gst_object_unref (live->pad);
  gst_object_unref (live->pipeline);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (live->folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (live->folder);
  g_free (live->folder);
}

static OctRecorder *
start (Live *live, OctRecordKind kind, const char *name)
{
  g_autofree char *output = g_build_filename (live->folder, name, NULL);
  const OctRecorderSettings settings = { .kind = kind, .output = output };
  g_autoptr (GError) error = NULL;
  OctRecorder *recorder = oct_recorder_start (live->pad, &settings, &error);

  g_assert_no_error (error);
  g_assert_nonnull (recorder);
  return recorder;
}

static OctRecorderStats
wait_for_frames (OctRecorder *recorder, guint64 frames)
{
  OctRecorderStats stats;

  do {
    g_usleep (20000);
    oct_recorder_get_stats (recorder, &stats);
  } while (stats.frames < frames && stats.state == OCT_RECORDER_RECORDING);
  return stats;
}

static OctRecorderStats
end (OctRecorder *recorder)
{
  OctRecorderStats stats;

  oct_recorder_stop (recorder);
  oct_recorder_stop (recorder);
  g_assert_true (oct_recorder_wait (recorder, WAIT));
  oct_recorder_get_stats (recorder, &stats);
  return stats;
}

/* Every kind on the same pad, at the same time. */
static void
test_at_once (Live *live, gconstpointer data)
{
  const OctRecordKind kinds[] = { OCT_RECORD_VIDEO, OCT_RECORD_MP4,
    OCT_RECORD_LOSSLESS, OCT_RECORD_RAW };
  const char *names[] = { "video", "mp4", "lossless", "raw" };
  OctRecorder *recorders[G_N_ELEMENTS (kinds)];

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    recorders[i] = start (live, kinds[i], names[i]);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    wait_for_frames (recorders[i], RATE);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    OctRecorderStats stats = end (recorders[i]);

    g_assert_null (stats.message);
    g_assert_cmpint (stats.state, ==, OCT_RECORDER_DONE);
    g_assert_cmpuint (stats.frames, >=, RATE);
    g_assert_cmpuint (stats.parts, ==, 1);
    g_assert_cmpuint (stats.bytes, >, 1000);
    g_assert_cmpuint (stats.disk_left, >, 0);
    g_assert_cmpuint (stats.time, >=, GST_SECOND * 9 / 10);
    oct_recorder_free (recorders[i]);
  }
  g_assert_cmpuint (count_files (live), ==, 5); /* raw: and its text */
}

/* The pad's pipeline does not notice. */
static void
test_again_and_again (Live *live, gconstpointer data)
{
  OctRecordKind kinds[] = { OCT_RECORD_VIDEO, OCT_RECORD_MP4,
    OCT_RECORD_LOSSLESS, OCT_RECORD_RAW };

  for (guint i = 0; i < 40; i++) {
    g_autofree char *name = g_strdup_printf ("n%u", i);
    OctRecorder *recorder = start (live, kinds[i % 4], name);
    gint before = g_atomic_int_get (&live->frames);
    OctRecorderStats stats;

    /* ended at once, after some frames, or freed in the middle */
    if (i % 3 > 0)
      wait_for_frames (recorder, i % 3 * 3);
    if (i % 5 > 0) {
      stats = end (recorder);
      g_assert_cmpint (stats.state, ==, OCT_RECORDER_DONE);
      g_assert_null (stats.message);
    }
    oct_recorder_free (recorder);
    if (i % 3 > 0)
      g_assert_cmpint (g_atomic_int_get (&live->frames), >, before);
  }
}

/* Of a source that delivers nothing there are no files. */
static void
test_nothing_to_record (Live *live, gconstpointer data)
{
  const OctRecordKind kinds[] = { OCT_RECORD_VIDEO, OCT_RECORD_MP4,
    OCT_RECORD_LOSSLESS, OCT_RECORD_RAW };
  OctRecorder *recorders[G_N_ELEMENTS (kinds)];

  gst_element_set_state (live->pipeline, GST_STATE_READY);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *name = g_strdup_printf ("n%u", i);
    g_autofree char *output = g_build_filename (live->folder, name, NULL);
    const OctRecorderSettings settings = { .kind = kinds[i], .output = output };
    g_autoptr (GError) error = NULL;

    recorders[i] = start (live, kinds[i], name);
    /* but the name is taken */
    g_assert_null (oct_recorder_start (live->pad, &settings, &error));
    g_assert_nonnull (strstr (error->message, "overwritten"));
  }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    OctRecorderStats stats = end (recorders[i]);

    g_assert_cmpint (stats.state, ==, OCT_RECORDER_DONE);
    g_assert_cmpuint (stats.frames, ==, 0);
    oct_recorder_free (recorders[i]);
  }
  g_assert_cmpuint (count_files (live), ==, 0);
}

/* Other frames than those that it began with. */
static void
test_other_size (Live *live, gconstpointer data)
{
  OctRecorder *recorder = start (live, OCT_RECORD_VIDEO, "x");
  g_autoptr (GstElement) filter =
      gst_bin_get_by_name (GST_BIN (live->pipeline), "filter");
  OctRecorderStats stats;

  wait_for_frames (recorder, 5);
  gst_util_set_object_arg (G_OBJECT (filter), "caps",
      "video/x-raw,format=GRAY8,width=80,height=48,framerate=30/1");
  g_assert_true (oct_recorder_wait (recorder, WAIT));
  oct_recorder_get_stats (recorder, &stats);
  g_assert_cmpint (stats.state, ==, OCT_RECORDER_FAILED);
  g_assert_nonnull (strstr (stats.message, "size"));
  g_assert_cmpuint (stats.frames, >=, 5);
  oct_recorder_free (recorder);
  /* and now it is what it is */
  recorder = start (live, OCT_RECORD_VIDEO, "y");
  wait_for_frames (recorder, 5);
  stats = end (recorder);
  g_assert_cmpint (stats.state, ==, OCT_RECORDER_DONE);
  oct_recorder_free (recorder);
}

/* The source has come to its end. */
static void
test_end_of_stream (Live *live, gconstpointer data)
{
  OctRecorder *recorder = start (live, OCT_RECORD_MP4, "x");
  OctRecorderStats stats;

  wait_for_frames (recorder, 5);
  gst_element_send_event (live->pipeline, gst_event_new_eos ());
  g_assert_true (oct_recorder_wait (recorder, WAIT));
  oct_recorder_get_stats (recorder, &stats);
  g_assert_cmpint (stats.state, ==, OCT_RECORDER_DONE);
  g_assert_null (stats.message);
  oct_recorder_free (recorder);
}

/* Not the pixels of a camera that delivers colour. */
static void
test_raw_of_what_is_not (Live *live, gconstpointer data)
{
  g_autoptr (GstElement) filter =
      gst_bin_get_by_name (GST_BIN (live->pipeline), "filter");
  OctRecorder *recorder;
  OctRecorderStats stats;
  gint before;

  gst_element_set_state (live->pipeline, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (filter), "caps",
      "video/x-raw,format=RGB,width=80,height=48,framerate=30/1");
  recorder = start (live, OCT_RECORD_RAW, "x");
  gst_element_set_state (live->pipeline, GST_STATE_PLAYING);
  g_assert_true (oct_recorder_wait (recorder, WAIT));
  oct_recorder_get_stats (recorder, &stats);
  g_assert_cmpint (stats.state, ==, OCT_RECORDER_FAILED);
  g_test_message ("%s", stats.message);
  g_assert_nonnull (strstr (stats.message, "raw spectra"));
  oct_recorder_free (recorder);
  /* the live picture goes on */
  before = g_atomic_int_get (&live->frames);
  while (g_atomic_int_get (&live->frames) < before + 3)
    g_usleep (20000);
}

static void
test_refused (Live *live, gconstpointer data)
{
  g_autofree char *output = g_build_filename (live->folder, "x", NULL);
  g_autofree char *nowhere = g_build_filename (live->folder, "a", "x", NULL);
  OctRecorderSettings settings = { .kind = OCT_RECORD_RAW, .output = output };
  g_autoptr (GError) error = NULL;
  OctRecorder *recorder = start (live, OCT_RECORD_RAW, "x");

  wait_for_frames (recorder, 3);
  g_assert_null (oct_recorder_start (live->pad, &settings, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST);
  g_assert_nonnull (strstr (error->message, "overwritten"));
  g_clear_error (&error);
  oct_recorder_free (recorder);
  settings.output = nowhere;
  g_assert_null (oct_recorder_start (live->pad, &settings, &error));
  g_assert_nonnull (strstr (error->message, "cannot be written"));
}

#define ADD(name, function)                                                    \
  g_test_add ("/recorder/" name, Live, NULL, setup, function, teardown)

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  ADD ("at-once", test_at_once);
  ADD ("again-and-again", test_again_and_again);
  ADD ("nothing-to-record", test_nothing_to_record);
  ADD ("other-size", test_other_size);
  ADD ("end-of-stream", test_end_of_stream);
  ADD ("raw-of-what-is-not", test_raw_of_what_is_not);
  ADD ("refused", test_refused);
  return g_test_run ();
}
