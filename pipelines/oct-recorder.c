/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-recorder.h"
#include "oct-disk.h"
#include "oct-encoder.h"
#include "oct-tap.h"

#include <glib/gstdio.h>
#include <string.h>

#define DEFAULT_PART_SECONDS 180
/* What may wait for encoder or disk, and is lost with this process: not more,
 * so that a crash costs less than a second. */
#define QUEUE (600 * GST_MSECOND)
#define POLL_TIME (100 * GST_MSECOND)
/* At least every second what was recorded is on the disk. */
#define SYNC_TIME (400 * G_TIME_SPAN_MILLISECOND)
/* Ends a recording while its files can still be finished: a MiB for the index
 * and what may come within this time. */
#define RESERVE_BYTES ((guint64)1 << 20)
#define RESERVE_TIME (G_TIME_SPAN_SECOND)
#define FRAGMENT_MS 300

struct _OctRecorder {
  OctRecordKind kind;
  char *output, *folder;
  char *comment_path; /* NULL: no comment */
  char *taken;        /* the first file, NULL: octrawsink takes its own */
  guint part_seconds;
  GstElement *pipeline;
  GstAppSrc *appsrc;
  GstElement *raw_sink; /* raw only */
  OctTap *tap;
  GThread *thread;
  GPtrArray *new_files; /* under the lock: to be looked after */
  OctFiles *files;      /* the recorder's thread */
  gint64 started, synced;
  gboolean eos_sent;

  GMutex lock;
  GCond ended;
  gboolean stop;
  OctRecorderStats stats; /* owns its message */
};

/* ------------------------------------------------------------------- ending */

/* The first reason is the one that counts. */
static void
fail (OctRecorder *self, char *message)
{
  g_mutex_lock (&self->lock);
  if (self->stats.message == NULL && message != NULL) {
    self->stats.message = message;
    message = NULL;
  }
  g_mutex_unlock (&self->lock);
  g_free (message);
}

static void
on_tap_ended (const char *reason, gpointer data)
{
  OctRecorder *self = data;

  fail (self, g_strdup (reason));
  oct_recorder_stop (self);
}

static char *
describe_full_disk (OctRecorder *self)
{
  g_autofree char *name = g_filename_display_name (self->folder);

  return g_strdup_printf (
      "The disk with the folder '%s' is full: the recording was stopped after "
      "%.0f s, what was recorded is kept; make room or record to another disk.",
      name, self->stats.time / (double)GST_SECOND);
}

/* NULL when it is not the format that an element refused. */
static char *
describe_format (OctRecorder *self, GstMessage *message)
{
  g_autoptr (GstCaps) caps = gst_app_src_get_caps (self->appsrc);
  g_autofree char *text = caps != NULL ? gst_caps_to_string (caps) : NULL;
  const GstStructure *details = NULL;
  gint flow = GST_FLOW_OK;

  gst_message_parse_error_details (message, &details);
  if (details != NULL)
    gst_structure_get_int (details, "flow-return", &flow);
  if (flow != GST_FLOW_NOT_NEGOTIATED)
    return NULL;
  return g_strdup_printf (
      "What passes here cannot be recorded as %s (it is %s); %s.",
      self->kind == OCT_RECORD_RAW ? "raw spectra" : "images", text,
      self->kind == OCT_RECORD_RAW
          ? "spectra are GRAY8 or GRAY16_LE"
          : "images are video/x-raw of 16 x 16 pixels or more");
}

/* Returns: TRUE when the pipeline has ended, by an error too. */
static gboolean
poll_bus (OctRecorder *self)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, POLL_TIME, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return FALSE;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return TRUE;
  gst_message_parse_error (message, &error, NULL);
  if (g_error_matches (
          error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    fail (self, describe_full_disk (self));
  else
    fail (self, describe_format (self, message));
  fail (self, g_strdup (error->message));
  return TRUE;
}

/* --------------------------------------------------------------- the thread */

static void
update_stats (OctRecorder *self)
{
  OctTapStats tap;
  guint64 disk_left = oct_disk_left (self->folder);
  guint64 bytes;
  guint parts;

  oct_tap_get_stats (self->tap, &tap);
  if (self->raw_sink != NULL)
    g_object_get (self->raw_sink, "bytes", &bytes, "parts", &parts, NULL);
  else
    bytes = oct_files_get_size (self->files, &parts);
  g_mutex_lock (&self->lock);
  self->stats.time = tap.time;
  self->stats.frames = tap.frames;
  self->stats.dropped = tap.dropped;
  self->stats.bytes = bytes;
  self->stats.parts = parts;
  self->stats.disk_left = disk_left;
  g_mutex_unlock (&self->lock);
}

/* Takes its time where the disk does; nobody waits for it. */
static void
look_after_files (OctRecorder *self, gboolean now)
{
  gint64 time = g_get_monotonic_time ();
  gpointer *paths;
  gsize count;

  g_mutex_lock (&self->lock);
  paths = g_ptr_array_steal (self->new_files, &count);
  g_mutex_unlock (&self->lock);
  for (gsize i = 0; i < count; i++) {
    oct_files_add (self->files, paths[i]);
    g_free (paths[i]);
  }
  g_free (paths);
  if (!now && time - self->synced < SYNC_TIME)
    return;
  self->synced = time;
  oct_files_sync (self->files);
}

static void
drop_taken (OctRecorder *self)
{
  GStatBuf status;

  if (self->taken != NULL && g_stat (self->taken, &status) == 0
      && status.st_size == 0)
    g_unlink (self->taken);
}

/* Where nothing was recorded, nothing is left that takes the name. */
static void
remove_empty (OctRecorder *self)
{
  OctTapStats tap;

  oct_files_remove_empty (self->files);
  oct_tap_get_stats (self->tap, &tap);
  if (tap.frames > 0)
    return;
  if (self->comment_path != NULL)
    g_unlink (self->comment_path);
  drop_taken (self);
}

/* Before the disk is full, so that the files can be finished. */
static void
check_disk (OctRecorder *self)
{
  gint64 time = g_get_monotonic_time () - self->started;
  guint64 reserve = RESERVE_BYTES
                    + gst_util_uint64_scale (self->stats.bytes, RESERVE_TIME,
                        MAX (time, RESERVE_TIME));

  if (self->stats.disk_left >= reserve)
    return;
  fail (self, describe_full_disk (self));
  oct_recorder_stop (self);
}

static gboolean
is_stopped (OctRecorder *self)
{
  gboolean stop;

  g_mutex_lock (&self->lock);
  stop = self->stop;
  g_mutex_unlock (&self->lock);
  return stop;
}

/* Returns: TRUE when there is nothing to wait for. */
static gboolean
finish (OctRecorder *self)
{
  OctTapStats tap;

  if (self->eos_sent)
    return FALSE;
  oct_tap_close (self->tap);
  oct_tap_get_stats (self->tap, &tap);
  /* without caps the elements could not even end */
  if (tap.frames == 0)
    return TRUE;
  self->eos_sent = TRUE;
  gst_app_src_end_of_stream (self->appsrc);
  return FALSE;
}

static gpointer
run (gpointer data)
{
  OctRecorder *self = data;
  gboolean done = FALSE;

  while (!done) {
    done = poll_bus (self);
    look_after_files (self, FALSE);
    update_stats (self);
    if (!is_stopped (self))
      check_disk (self);
    else if (!done)
      done = finish (self);
  }
  oct_recorder_stop (self);
  oct_tap_close (self->tap);
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  look_after_files (self, TRUE);
  remove_empty (self);
  update_stats (self);
  g_mutex_lock (&self->lock);
  self->stats.state =
      self->stats.message != NULL ? OCT_RECORDER_FAILED : OCT_RECORDER_DONE;
  g_cond_broadcast (&self->ended);
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* ---------------------------------------------------------------- pipelines */

static char *
name_part (OctRecorder *self, guint part)
{
  return g_strdup_printf ("%s-%05u.mkv", self->output, part);
}

static char *
on_new_part (GstElement *sink, guint part, GstSample *first, gpointer data)
{
  OctRecorder *self = data;
  char *path = name_part (self, part);

  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->new_files, g_strdup (path));
  g_mutex_unlock (&self->lock);
  return path;
}

/* Nothing waits in this process that a crash of it would lose. */
static GstElement *
make_file_sink (void)
{
  GstElement *sink = gst_element_factory_make ("filesink", NULL);

  if (sink != NULL)
    gst_util_set_object_arg (G_OBJECT (sink), "buffer-mode", "unbuffered");
  return sink;
}

static GstElement *
make_part_sink (OctRecorder *self)
{
  GstElement *sink = gst_element_factory_make ("splitmuxsink", NULL);
  GstElement *muxer = gst_element_factory_make ("matroskamux", NULL);

  if (sink == NULL || muxer == NULL)
    return NULL;
  /* on it the player jumps, and the recorder cuts off what is half */
  g_object_set (muxer, "min-cluster-duration",
      (gint64)FRAGMENT_MS * GST_MSECOND, "offset-to-zero", FALSE, NULL);
  g_object_set (sink, "muxer", muxer, "sink", make_file_sink (),
      "max-size-time", (guint64)self->part_seconds * GST_SECOND, NULL);
  g_signal_connect (
      sink, "format-location-full", G_CALLBACK (on_new_part), self);
  return sink;
}

static GstElement *
make_mp4_sink (OctRecorder *self)
{
  g_autofree char *path = g_strconcat (self->output, ".mp4", NULL);
  g_autofree char *description =
      g_strdup_printf ("capsfilter caps=video/x-h264 ! mp4mux "
                       "fragment-duration=%d ! filesink name=file "
                       "buffer-mode=unbuffered",
          FRAGMENT_MS);
  GstElement *bin = gst_parse_bin_from_description (description, TRUE, NULL);
  g_autoptr (GstElement) file = NULL;

  if (bin == NULL)
    return NULL;
  file = gst_bin_get_by_name (GST_BIN (bin), "file");
  g_object_set (file, "location", path, NULL);
  g_ptr_array_add (self->new_files, g_steal_pointer (&path));
  return bin;
}

static GstElement *
make_encoder (
    OctRecorder *self, const OctRecorderSettings *settings, GError **error)
{
  const OctEncoderSettings encoder = { .bitrate = settings->bitrate };

  if (self->kind == OCT_RECORD_RAW)
    return gst_element_factory_make ("identity", NULL);
  if (self->kind != OCT_RECORD_LOSSLESS)
    return oct_encoder_new (&encoder, NULL, error);
  return gst_parse_bin_from_description_full (
      "videoconvert ! avenc_ffv1 gop-size=1 threads=auto thread-type=slice "
      "slices=16 slicecrc=1",
      TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
}

static GstElement *
make_sink (OctRecorder *self)
{
  switch (self->kind) {
  case OCT_RECORD_RAW:
    self->raw_sink = gst_element_factory_make ("octrawsink", NULL);
    if (self->raw_sink != NULL)
      g_object_set (self->raw_sink, "location", self->output, NULL);
    return self->raw_sink;
  case OCT_RECORD_MP4:
    return make_mp4_sink (self);
  default:
    return make_part_sink (self);
  }
}

static gboolean
make_pipeline (
    OctRecorder *self, const OctRecorderSettings *settings, GError **error)
{
  GError *local = NULL;
  GstElement *source = oct_tap_make_source (OCT_TAP_FROM_ZERO);
  GstElement *encoder = make_encoder (self, settings, &local);
  GstElement *sink = make_sink (self);

  self->pipeline = gst_pipeline_new (NULL);
  if (source != NULL && encoder != NULL && sink != NULL) {
    gst_bin_add_many (GST_BIN (self->pipeline), source, encoder, sink, NULL);
    self->appsrc = GST_APP_SRC (source);
    if (gst_element_link_many (source, encoder, sink, NULL))
      return TRUE;
  }
  if (local != NULL)
    g_propagate_error (error, local);
  else
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "Elements for recording are missing; install the packages "
        "gstreamer1.0-plugins-good and gstreamer1.0-libav, and name the folder "
        "of this plugin in GST_PLUGIN_PATH.");
  return FALSE;
}

/* ------------------------------------------------------------------- public */

static gboolean
check_files (OctRecorder *self, GError **error)
{
  static const struct {
    const char *first, *parts;
  } endings[] = {
    [OCT_RECORD_VIDEO] = { "-00000.mkv", ".mkv" },
    [OCT_RECORD_MP4] = { ".mp4", NULL },
    [OCT_RECORD_LOSSLESS] = { "-00000.mkv", ".mkv" },
    [OCT_RECORD_RAW] = { ".oct", ".raw" },
  };
  const char *parts = endings[self->kind].parts;
  g_autofree char *path =
      g_strconcat (self->output, endings[self->kind].first, NULL);

  if (!oct_disk_check_new_file (path, error)
      || (parts != NULL
          && !oct_disk_check_new_parts (self->output, parts, error))
      || !oct_disk_check_room (self->folder, 4 * RESERVE_BYTES, error))
    return FALSE;
  if (self->kind == OCT_RECORD_RAW)
    return TRUE;
  if (!oct_disk_take_new_file (path, error))
    return FALSE;
  self->taken = g_steal_pointer (&path);
  return TRUE;
}

static gboolean
save_comment (OctRecorder *self, const char *comment, GError **error)
{
  g_autofree char *path = g_strconcat (self->output, ".txt", NULL);
  g_autofree char *text = NULL;

  if (comment == NULL)
    return TRUE;
  text = g_strconcat (comment, "\n", NULL);
  if (!oct_disk_check_new_file (path, error)
      || !g_file_set_contents_full (path, text, -1,
          G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666,
          error))
    return FALSE;
  self->comment_path = g_steal_pointer (&path);
  return TRUE;
}

static void
dispose (OctRecorder *self)
{
  if (self->pipeline != NULL)
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
  oct_tap_free (self->tap);
  gst_clear_object (&self->pipeline);
  oct_files_free (self->files);
  g_ptr_array_unref (self->new_files);
  g_free (self->output);
  g_free (self->folder);
  g_free (self->comment_path);
  g_free (self->taken);
  g_free ((char *)self->stats.message);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->ended);
  g_free (self);
}

OctRecorder *
oct_recorder_start (
    GstPad *pad, const OctRecorderSettings *settings, GError **error)
{
  OctRecorder *self = g_new0 (OctRecorder, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->ended);
  self->kind = settings->kind;
  self->output = g_strdup (settings->output);
  self->folder = g_path_get_dirname (settings->output);
  self->part_seconds = settings->part_seconds != 0 ? settings->part_seconds
                                                   : DEFAULT_PART_SECONDS;
  self->new_files = g_ptr_array_new_with_free_func (g_free);
  self->files = oct_files_new ();
  if (!check_files (self, error) || !make_pipeline (self, settings, error)
      || !save_comment (self, settings->comment, error)) {
    drop_taken (self);
    dispose (self);
    return NULL;
  }
  self->started = g_get_monotonic_time ();
  if (gst_element_set_state (self->pipeline, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE) {
    poll_bus (self);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, "%s",
        self->stats.message != NULL ? self->stats.message
                                    : "The recording does not start.");
    drop_taken (self);
    dispose (self);
    return NULL;
  }
  self->stats.disk_left = oct_disk_left (self->folder);
  self->tap = oct_tap_new (pad, self->appsrc, OCT_TAP_FROM_ZERO, QUEUE,
      settings->calibration, on_tap_ended, self);
  self->thread = g_thread_new ("oct-recorder", run, self);
  return self;
}

void
oct_recorder_stop (OctRecorder *self)
{
  g_mutex_lock (&self->lock);
  self->stop = TRUE;
  if (self->stats.state == OCT_RECORDER_RECORDING)
    self->stats.state = OCT_RECORDER_STOPPING;
  g_mutex_unlock (&self->lock);
}

gboolean
oct_recorder_wait (OctRecorder *self, GstClockTime timeout)
{
  gint64 until = GST_CLOCK_TIME_IS_VALID (timeout)
                     ? g_get_monotonic_time () + (gint64)(timeout / 1000)
                     : G_MAXINT64;
  gboolean ended = TRUE;

  g_mutex_lock (&self->lock);
  while (ended && self->stats.state != OCT_RECORDER_DONE
         && self->stats.state != OCT_RECORDER_FAILED) {
    if (until == G_MAXINT64)
      g_cond_wait (&self->ended, &self->lock);
    else
      ended = g_cond_wait_until (&self->ended, &self->lock, until);
  }
  g_mutex_unlock (&self->lock);
  return ended;
}

void
oct_recorder_get_stats (OctRecorder *self, OctRecorderStats *stats)
{
  g_mutex_lock (&self->lock);
  *stats = self->stats;
  if (stats->state != OCT_RECORDER_FAILED)
    stats->message = NULL;
  g_mutex_unlock (&self->lock);
}

void
oct_recorder_free (OctRecorder *self)
{
  if (self == NULL)
    return;
  oct_recorder_stop (self);
  g_thread_join (self->thread);
  dispose (self);
}
