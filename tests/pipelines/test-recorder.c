/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Recordings of a pipeline that runs: begun and ended again and again, several
 * at once, and errors that end one.  The contents of the files: record.py.
 */
#include "oct-recorder.h"
#include "oct-tap.h"
#include "oct/oct.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define RATE 30
#define WAIT (30 * GST_SECOND)

typedef struct {
  GstElement *pipeline;
  GstPad *pad;
  char *folder;
  gint frames;  /* atomic: that passed the pad */
  gint blocked; /* atomic: none passes any more */
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
empty_folder (Live *live)
{
  g_autoptr (GDir) dir = g_dir_open (live->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (live->folder, name, NULL);

    g_unlink (path);
  }
}

static void
teardown (Live *live, gconstpointer data)
{
  gst_element_set_state (live->pipeline, GST_STATE_NULL);
  gst_object_unref (live->pad);
  gst_object_unref (live->pipeline);
  empty_folder (live);
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

/* A source that delivers nothing gives no files. */
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

/* ------------------------------------------------- files that are taken away
 */

static GstPadProbeReturn
on_decoded (GstPad *pad, GstPadProbeInfo *info, gpointer frames)
{
  (*(guint64 *)frames)++;
  return GST_PAD_PROBE_OK;
}

/* Number of frames that a decoder outputs for the input `launch`. */
static guint64
decode (const char *launch)
{
  g_autofree char *description =
      g_strdup_printf ("%s ! fakesink name=end", launch);
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, NULL);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "end");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  guint64 frames = 0;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_decoded, &frames, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (
      bus, WAIT, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return frames;
}

/* In all files of this ending; why not into the buffers of a sink: tap.py. */
static guint64
decode_all (Live *live, const char *ending)
{
  g_autoptr (GDir) dir = g_dir_open (live->folder, 0, NULL);
  gboolean raw = g_str_equal (ending, ".oct");
  const char *name;
  guint64 frames = 0;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *launch =
        g_strdup_printf (raw ? "octsrc location=%s/%s"
                             : "filesrc location=%s/%s ! decodebin ! "
                               "identity drop-allocation=true",
            live->folder, name);

    if (g_str_has_suffix (name, ending))
      frames += decode (launch);
  }
  return frames;
}

static const struct {
  OctRecordKind kind;
  const char *first, *second, *ending;
} kinds_of_files[] = {
  { OCT_RECORD_VIDEO, "x-00000.mkv", "x-00001.mkv", ".mkv" },
  { OCT_RECORD_MP4, "x.mp4", "x-2.mp4", ".mp4" },
  { OCT_RECORD_LOSSLESS, "x-00000.mkv", "x-00001.mkv", ".mkv" },
  { OCT_RECORD_RAW, "x-00000.raw", "x-00001.raw", ".oct" },
};

static OctRecorderStats
wait_for_message (OctRecorder *recorder, const char *except)
{
  gint64 until = g_get_monotonic_time () + WAIT / 1000;
  OctRecorderStats stats;

  do {
    g_usleep (20000);
    oct_recorder_get_stats (recorder, &stats);
    g_assert_cmpint (g_get_monotonic_time (), <, until);
  } while (stats.message == NULL || stats.message == except);
  return stats;
}

/* The reported number of frames is the decoder's. */
static void
assert_decoded (Live *live, guint kind, const OctRecorderStats *stats)
{
  g_assert_cmpuint (
      decode_all (live, kinds_of_files[kind].ending), ==, stats->frames);
}

/* For every kind: a message, the recording goes on, and the reported number of
 * frames is the decoder's. */
static void
test_deleted (Live *live, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds_of_files); i++) {
    OctRecorder *recorder = start (live, kinds_of_files[i].kind, "x");
    g_autofree char *first =
        g_build_filename (live->folder, kinds_of_files[i].first, NULL);
    g_autofree char *second =
        g_build_filename (live->folder, kinds_of_files[i].second, NULL);
    OctRecorderStats stats = wait_for_frames (recorder, RATE);

    g_assert_null (stats.message);
    g_assert_cmpint (g_unlink (first), ==, 0);
    stats = wait_for_message (recorder, NULL);
    g_assert_nonnull (strstr (stats.message, kinds_of_files[i].first));
    g_assert_nonnull (strstr (stats.message, "goes on in a new part"));
    g_assert_cmpint (stats.state, ==, OCT_RECORDER_RECORDING);
    wait_for_frames (recorder, stats.frames + RATE);
    stats = end (recorder);
    g_assert_cmpint (stats.state, ==, OCT_RECORDER_FAILED);
    g_assert_cmpuint (stats.lost, >, 0);
    g_assert_cmpuint (stats.parts, ==, 1);
    g_assert_cmpuint (stats.frames, >, 5);
    g_assert_true (g_file_test (second, G_FILE_TEST_IS_REGULAR));
    assert_decoded (live, i, &stats);
    oct_recorder_free (recorder);
    empty_folder (live);
  }
}

/* When nothing comes any more to be recorded. */
static void
test_all_deleted (Live *live, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds_of_files); i++) {
    OctRecorder *recorder = start (live, kinds_of_files[i].kind, "x");
    OctRecorderStats stats;

    wait_for_frames (recorder, RATE);
    oct_recorder_stop (recorder);
    /* in the middle of the end, or after it */
    empty_folder (live);
    stats = end (recorder);
    if (stats.state == OCT_RECORDER_FAILED) {
      /* the last frames may have come into a new part */
      g_assert_cmpuint (stats.frames, <, RATE);
      g_assert_cmpuint (stats.lost + stats.frames, >=, RATE);
      assert_decoded (live, i, &stats);
    }
    oct_recorder_free (recorder);
    empty_folder (live);
  }
}

/* The name of the next part is another one's. */
static void
test_next_name_is_taken (Live *live, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds_of_files); i++) {
    OctRecorder *recorder = start (live, kinds_of_files[i].kind, "x");
    g_autofree char *first =
        g_build_filename (live->folder, kinds_of_files[i].first, NULL);
    g_autofree char *second =
        g_build_filename (live->folder, kinds_of_files[i].second, NULL);
    g_autofree char *text = NULL;
    OctRecorderStats stats;

    wait_for_frames (recorder, 5);
    g_assert_true (g_file_set_contents (second, "precious", -1, NULL));
    g_assert_cmpint (g_unlink (first), ==, 0);
    stats = wait_for_message (recorder, NULL);
    wait_for_frames (recorder, stats.frames + RATE);
    stats = end (recorder);
    g_assert_cmpuint (stats.frames, >, 5);
    g_assert_cmpuint (stats.parts, ==, 1);
    g_assert_true (g_file_get_contents (second, &text, NULL, NULL));
    g_assert_cmpstr (text, ==, "precious");
    if (kinds_of_files[i].kind != OCT_RECORD_RAW)
      g_assert_cmpint (g_unlink (second), ==, 0);
    assert_decoded (live, i, &stats);
    oct_recorder_free (recorder);
    empty_folder (live);
  }
}

/* Files are made for their owner alone, or as it is said. */
static void
test_permissions (Live *live, gconstpointer data)
{
  const guint modes[] = { 0, 0640 };
  mode_t before = umask (0);

  for (guint i = 0; i < G_N_ELEMENTS (kinds_of_files) * 2; i++) {
    guint mode = modes[i % 2];
    g_autofree char *output = g_build_filename (live->folder, "x", NULL);
    const OctRecorderSettings settings = { .kind = kinds_of_files[i / 2].kind,
      .output = output,
      .comment = "of a patient",
      .file_mode = mode };
    g_autoptr (GError) error = NULL;
    OctRecorder *recorder = oct_recorder_start (live->pad, &settings, &error);
    g_autoptr (GDir) dir = NULL;
    const char *name;

    g_assert_no_error (error);
    wait_for_frames (recorder, 5);
    end (recorder);
    dir = g_dir_open (live->folder, 0, NULL);
    while ((name = g_dir_read_name (dir)) != NULL) {
      g_autofree char *path = g_build_filename (live->folder, name, NULL);
      GStatBuf status;

      g_assert_cmpint (g_stat (path, &status), ==, 0);
      g_assert_cmpint (status.st_mode & 0777, ==, mode != 0 ? mode : 0600);
    }
    oct_recorder_free (recorder);
    empty_folder (live);
  }
  umask (before);
}

/* No file can be opened any more, not even those that are recorded: what went
 * into them is not said to be nothing. */
static void
test_no_open_files (Live *live, gconstpointer data)
{
  g_autofree char *output = g_build_filename (live->folder, "x", NULL);
  const OctRecorderSettings settings = {
    .kind = OCT_RECORD_VIDEO, .output = output, .part_seconds = 2
  };
  g_autoptr (GError) error = NULL;
  OctRecorder *recorder = oct_recorder_start (live->pad, &settings, &error);
  struct rlimit limit, none;
  OctRecorderStats stats;

  g_assert_no_error (error);
  wait_for_frames (recorder, RATE);
  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  none = limit;
  none.rlim_cur = 3;
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &none), ==, 0);
  g_assert_true (oct_recorder_wait (recorder, WAIT));
  oct_recorder_get_stats (recorder, &stats);
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  g_assert_cmpint (stats.state, ==, OCT_RECORDER_FAILED);
  g_assert_cmpuint (stats.frames, >=, RATE);
  g_assert_nonnull (strstr (stats.message, g_strerror (EMFILE)));
  g_assert_nonnull (strstr (stats.message, "x-00000.mkv' cannot be read"));
  oct_recorder_free (recorder);
}

#define SAMPLES 64

static GstEvent *
make_calibration (void)
{
  double nm[SAMPLES];

  for (guint i = 0; i < SAMPLES; i++)
    nm[i] = 800.0 + i;
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new (GST_OCT_CALIBRATION_EVENT_NAME,
          GST_OCT_CALIBRATION_WAVELENGTH, GST_TYPE_BUFFER,
          gst_buffer_new_memdup (nm, sizeof nm), NULL));
}

/* The pad of an element that has not delivered anything. */
static GstPad *
make_calibration_pad (void)
{
  GstPad *pad = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));

  gst_pad_set_active (pad, TRUE);
  gst_pad_push_event (pad, gst_event_new_stream_start ("spectra"));
  return pad;
}

static void
push_frame (GstPad *pad)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_pad_push (pad, gst_buffer_new ());
}

static GstPadProbeReturn
on_blocked (GstPad *pad, GstPadProbeInfo *info, gpointer blocked)
{
  g_atomic_int_set ((gint *)blocked, TRUE);
  return GST_PAD_PROBE_OK;
}

/* Until the end of the test no further frame passes `live->pad`. */
static void
end_frames (Live *live)
{
  g_autoptr (GstElement) filter =
      gst_bin_get_by_name (GST_BIN (live->pipeline), "filter");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (filter, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER,
      on_blocked, &live->blocked, NULL);

  while (!g_atomic_int_get (&live->blocked))
    g_usleep (20000);
}

static OctRecorder *
start_raw (Live *live, GstPad *calibration, const char *output)
{
  const OctRecorderSettings settings = {
    .kind = OCT_RECORD_RAW, .output = output, .calibration = calibration
  };
  g_autoptr (GError) error = NULL;
  OctRecorder *recorder = oct_recorder_start (live->pad, &settings, &error);

  g_assert_no_error (error);
  wait_for_frames (recorder, 3);
  return recorder;
}

/* Computing is slow to begin: the calibration comes when the last frame was
 * recorded already. */
static void
test_late_calibration (Live *live, gconstpointer data)
{
  g_autofree char *output = g_build_filename (live->folder, "x", NULL);
  g_autofree char *path = g_strconcat (output, ".oct", NULL);
  g_autoptr (GstPad) pad = make_calibration_pad ();
  OctRecorder *recorder = start_raw (live, pad, output);
  g_autoptr (GKeyFile) text = g_key_file_new ();

  end_frames (live);
  oct_recorder_stop (recorder);
  gst_pad_push_event (pad, make_calibration ());
  push_frame (pad);
  g_assert_cmpint (end (recorder).state, ==, OCT_RECORDER_DONE);
  oct_recorder_free (recorder);
  g_assert_true (g_key_file_load_from_file (text, path, G_KEY_FILE_NONE, NULL));
  /* 2 pi / wavelength in um */
  g_assert_cmpfloat_with_epsilon (
      g_key_file_get_double (text, "calibration", "k-min", NULL),
      2.0 * G_PI / 0.863, 1e-6);
  g_assert_cmpfloat_with_epsilon (
      g_key_file_get_double (text, "calibration", "k-max", NULL),
      2.0 * G_PI / 0.8, 1e-6);
}

/* A system without one, or one that delivers nothing at all. */
static void
test_no_calibration (Live *live, gconstpointer data)
{
  for (guint i = 0; i < 2; i++) {
    g_autofree char *name = g_strdup_printf ("x%u", i);
    g_autofree char *output = g_build_filename (live->folder, name, NULL);
    g_autofree char *path = g_strconcat (output, ".oct", NULL);
    g_autoptr (GstPad) pad = make_calibration_pad ();
    OctRecorder *recorder = start_raw (live, pad, output);
    g_autoptr (GKeyFile) text = g_key_file_new ();

    if (i == 0)
      push_frame (pad);
    g_assert_cmpint (end (recorder).state, ==, OCT_RECORDER_DONE);
    oct_recorder_free (recorder);
    g_assert_true (
        g_key_file_load_from_file (text, path, G_KEY_FILE_NONE, NULL));
    g_assert_false (g_key_file_has_group (text, "calibration"));
  }
}

static void
note_end (const char *reason, gpointer data)
{
}

/* A tap that ends before a frame came leaves no probe on either pad. */
static void
test_tap_without_frames (Live *live, gconstpointer data)
{
  g_autoptr (GstElement) source = oct_tap_make_source (OCT_TAP_FROM_ZERO);
  g_autoptr (GstPad) out = gst_element_get_static_pad (source, "src");
  g_autoptr (GstPad) in = gst_object_ref_sink (gst_pad_new ("in", GST_PAD_SRC));

  oct_tap_free (oct_tap_new (in, GST_APP_SRC (source), OCT_TAP_FROM_ZERO,
      GST_SECOND, NULL, note_end, NULL));
  g_assert_cmpint (in->num_probes, ==, 0);
  g_assert_cmpint (out->num_probes, ==, 0);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (source), ==, 1);
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
  ADD ("deleted", test_deleted);
  ADD ("all-deleted", test_all_deleted);
  ADD ("next-name-is-taken", test_next_name_is_taken);
  ADD ("permissions", test_permissions);
  ADD ("no-open-files", test_no_open_files);
  ADD ("late-calibration", test_late_calibration);
  ADD ("no-calibration", test_no_calibration);
  ADD ("tap-without-frames", test_tap_without_frames);
  return g_test_run ();
}
