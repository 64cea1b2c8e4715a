/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A recording of two tracks of video: times of both count from the first frame of
 * the first track, and its counts are those of a decoder.
 */
#include "oct-recorder.h"

#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#define FRAMES 40
#define STEP 10 /* ms from frame to frame */
#define BEGIN 1000
#define AFTER 3 /* ms from a frame of the first track to one of the second */
#define WAIT (60 * GST_SECOND)

typedef struct {
  GstElement *pipeline, *in[2];
  GstPad *pads[2];
  char *folder;
} Live;

static void
setup (Live *live, gconstpointer data)
{
  live->folder = g_dir_make_tmp ("oct-second-XXXXXX", NULL);
  live->pipeline = gst_parse_launch (
      "appsrc name=in0 format=time caps=video/x-raw,format=GRAY8,width=64,"
      "height=48,framerate=100/1 ! fakesink sync=false async=false "
      "appsrc name=in1 format=time caps=video/x-raw,format=GRAY8,width=96,"
      "height=32,framerate=100/1 ! fakesink sync=false async=false",
      NULL);
  for (guint i = 0; i < 2; i++) {
    g_autofree char *name = g_strdup_printf ("in%u", i);

    live->in[i] = gst_bin_get_by_name (GST_BIN (live->pipeline), name);
    live->pads[i] = gst_element_get_static_pad (live->in[i], "src");
  }
  gst_element_set_state (live->pipeline, GST_STATE_PLAYING);
}

static void
teardown (Live *live, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (live->folder, 0, NULL);
  const char *name;

  gst_element_set_state (live->pipeline, GST_STATE_NULL);
  for (guint i = 0; i < 2; i++) {
    gst_object_unref (live->pads[i]);
    gst_object_unref (live->in[i]);
  }
  gst_object_unref (live->pipeline);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (live->folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (live->folder);
  g_free (live->folder);
}

static void
push (Live *live, guint track, guint ms)
{
  gsize size = track == 0 ? 64 * 48 : 96 * 32;
  GstBuffer *frame = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (frame, 0, ms % 256, size);
  GST_BUFFER_PTS (frame) = ms * GST_MSECOND;
  GST_BUFFER_DURATION (frame) = GST_MSECOND;
  gst_app_src_push_buffer (GST_APP_SRC (live->in[track]), frame);
}

static OctRecorder *
begin (Live *live)
{
  g_autofree char *output = g_build_filename (live->folder, "two", NULL);
  const OctRecorderSettings settings = {
    .kind = OCT_RECORD_VIDEO, .output = output, .second = live->pads[1]
  };
  g_autoptr (GError) error = NULL;
  OctRecorder *recorder = oct_recorder_start (live->pads[0], &settings, &error);

  g_assert_no_error (error);
  return recorder;
}

/* Frames that a decoder finds, and their times in ms. */
static guint
decode (const char *path, guint track, guint *times)
{
  g_autofree char *launch =
      g_strdup_printf ("filesrc location=%s ! matroskademux name=demux "
                       "demux.video_%u ! h264parse ! avdec_h264 ! "
                       "appsink name=out sync=false",
          path, track);
  g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  GstSample *sample;
  guint count = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (out))) != NULL) {
    GstBuffer *frame = gst_sample_get_buffer (sample);

    if (count < FRAMES)
      times[count] =
          (guint)((GST_BUFFER_PTS (frame) + GST_MSECOND / 2) / GST_MSECOND);
    count++;
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return count;
}

static void
test_one_clock (Live *live, gconstpointer data)
{
  OctRecorder *recorder = begin (live);
  OctRecorderStats stats;
  g_autofree char *path = NULL;
  guint times[2][FRAMES] = { { 0 } };

  /* before the recording has begun: not in it, and not missing */
  push (live, 1, BEGIN - 20);
  push (live, 1, BEGIN - 10);
  do
    g_usleep (1000);
  while (gst_app_src_get_current_level_buffers (GST_APP_SRC (live->in[1])) > 0);
  for (guint i = 0; i < FRAMES; i++) {
    push (live, 0, BEGIN + i * STEP);
    /* in this order at their pads, too */
    do {
      g_usleep (1000);
      oct_recorder_get_stats (recorder, &stats);
    } while (
        stats.state == OCT_RECORDER_RECORDING && i == 0 && stats.frames == 0);
    push (live, 1, BEGIN + i * STEP + AFTER);
  }
  do {
    g_usleep (20000);
    oct_recorder_get_stats (recorder, &stats);
  } while (stats.state == OCT_RECORDER_RECORDING
           && (stats.frames < FRAMES || stats.second < FRAMES));
  oct_recorder_stop (recorder);
  g_assert_true (oct_recorder_wait (recorder, WAIT));
  oct_recorder_get_stats (recorder, &stats);
  g_assert_cmpstr (stats.message, ==, NULL);
  g_assert_cmpint (stats.state, ==, OCT_RECORDER_DONE);
  g_assert_cmpuint (stats.frames, ==, FRAMES);
  g_assert_cmpuint (stats.second, ==, FRAMES);
  g_assert_cmpuint (stats.dropped + stats.second_dropped, ==, 0);
  g_assert_cmpuint (stats.parts, ==, 1);
  path = g_strdup (stats.first);
  oct_recorder_free (recorder);

  for (guint track = 0; track < 2; track++) {
    g_assert_cmpuint (decode (path, track, times[track]), ==, FRAMES);
    for (guint i = 0; i < FRAMES; i++)
      g_assert_cmpuint (times[track][i], ==, i * STEP + track * AFTER);
  }
}

/* A second track that never comes leaves a file that cannot be complete: the
 * recording ends all the same, and says how much is lost. */
static void
test_nothing_comes (Live *live, gconstpointer data)
{
  OctRecorder *recorder = begin (live);
  OctRecorderStats stats;

  for (guint i = 0; i < FRAMES; i++)
    push (live, 0, BEGIN + i * STEP);
  do {
    g_usleep (20000);
    oct_recorder_get_stats (recorder, &stats);
  } while (stats.state == OCT_RECORDER_RECORDING && stats.frames < FRAMES);
  oct_recorder_stop (recorder);
  g_assert_true (oct_recorder_wait (recorder, WAIT));
  oct_recorder_get_stats (recorder, &stats);
  g_assert_cmpuint (stats.frames + stats.lost, ==, FRAMES);
  g_assert_cmpuint (stats.second, ==, 0);
  if (stats.lost > 0) {
    g_assert_cmpint (stats.state, ==, OCT_RECORDER_FAILED);
    g_assert_nonnull (stats.message);
  }
  oct_recorder_free (recorder);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add (
      "/second-track/one-clock", Live, NULL, setup, test_one_clock, teardown);
  g_test_add ("/second-track/nothing-comes", Live, NULL, setup,
      test_nothing_comes, teardown);
  return g_test_run ();
}
