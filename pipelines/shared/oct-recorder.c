/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-recorder.h"
#include "oct-disk.h"
#include "oct-encoder.h"
#include "oct-file-mode.h"
#include "oct-measurements.h"
#include "oct-number.h"
#include "oct-parts.h"
#include "oct-recorder-sentences.h"
#include "oct-second-track.h"
#include "oct-tap.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define DEFAULT_PART_SECONDS 180
/* Frames that may wait for encoder or disk, and are lost with this process: not
 * more, so that a crash costs less than a second. */
#define QUEUE (600 * GST_MSECOND)
#define POLL_TIME (100 * GST_MSECOND)
/* Every frame is on the disk after a second at most. */
#define SYNC_TIME (400 * G_TIME_SPAN_MILLISECOND)
/* Ends a recording while its files can still be finished: a MiB for the index
 * and what may come within this time. */
#define RESERVE_BYTES ((guint64)1 << 20)
#define RATE_TIME (500 * G_TIME_SPAN_MILLISECOND)
/* Some disks take no file of 4 GiB. */
#define LARGEST_PART G_GUINT64_CONSTANT (4000000000)
#define FRAGMENT_MS 300
#define DEFAULT_MODE 0600
/* After this time a message says that the files are being finished. */
#define PATIENCE (5 * GST_SECOND)

struct _OctRecorder {
  OctRecordKind kind;
  char *output, *folder;
  char *comment_path, *comment; /* NULL: no comment */
  guint part_seconds, file_mode;
  GstElement *pipeline;
  GstAppSrc *appsrc;
  GstElement *raw_sink;  /* raw only */
  GstElement *part_sink; /* the others */
  OctTap *tap;
  OctSecondTrack *second; /* or NULL */
  GThread *thread;
  OctMeasurements *measurements; /* NULL: none are kept */
  OctParts *parts; /* none of raw spectra, which octrawsink looks after */
  gint64 synced;
  gboolean eos_sent, broken; /* broken: did not come to its end */

  /* streaming thread */
  guint next_part;

  /* how fast it grows; the recorder's thread */
  gint64 rated;
  guint64 rated_bytes;
  guint64 rate; /* bytes per second */

  GMutex lock;
  GCond ended;
  gboolean stop;
  GPtrArray *sentences; /* all messages so far, which belong to us */
  const char *reason;   /* why it ended by itself */
  const char *loss;     /* of files, the last one */
  OctRecorderStats stats;
};

/* ------------------------------------------------------------------- ending */

/* Takes `message`, or NULL.  The first reason counts; `more` is added to it. */
static void
add_reason (OctRecorder *self, char *message, gboolean more)
{
  if (message == NULL)
    return;
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->sentences, message);
  if (more && self->reason != NULL) {
    message = g_strjoin (" ", self->reason, message, NULL);
    g_ptr_array_add (self->sentences, message);
  }
  if (more || self->reason == NULL)
    self->reason = message;
  g_mutex_unlock (&self->lock);
}

static void
recorder_fail (OctRecorder *self, char *message)
{
  add_reason (self, message, FALSE);
}

static gboolean
recorder_has_reason (OctRecorder *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->reason != NULL;
}

/* Files are gone; takes `message`. */
static void
tell_loss (OctRecorder *self, char *message)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->sentences, message);
  self->loss = message;
  g_mutex_unlock (&self->lock);
}

static void
recorder_on_tap_ended (const char *reason, gpointer data)
{
  OctRecorder *self = data;

  recorder_fail (self, g_strdup (reason));
  oct_recorder_stop (self);
}

static void
recorder_take_error (OctRecorder *self, GstMessage *message)
{
  g_autoptr (GstCaps) caps = gst_app_src_get_caps (self->appsrc);
  g_autoptr (GError) error = NULL;

  self->broken = TRUE;
  gst_message_parse_error (message, &error, NULL);
  if (g_error_matches (
          error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    recorder_fail (
        self, oct_recorder_describe_full_disk (self->folder, self->stats.time));
  else
    recorder_fail (self, oct_recorder_describe_format (
                             message, caps, self->kind == OCT_RECORD_RAW));
  recorder_fail (self, g_strdup (error->message));
}

/* A warning of octrawsink about parts that are gone. */
static void
recorder_take_warning (OctRecorder *self, GstMessage *message)
{
  g_autoptr (GError) warning = NULL;

  gst_message_parse_warning (message, &warning, NULL);
  if (g_error_matches (
          warning, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND))
    tell_loss (self, g_strdup (warning->message));
}

/* Returns: TRUE when the pipeline has ended, by an error too. */
static gboolean
recorder_poll_bus (OctRecorder *self, GstClockTime time)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, time, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);

  if (message == NULL)
    return FALSE;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    recorder_take_warning (self, message);
    return FALSE;
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    recorder_take_error (self, message);
  return TRUE;
}

/* --------------------------------------------------------------- the thread */

/* Counts of either kind of files, as far as they are there. */
static OctPartsStats
get_files (OctRecorder *self)
{
  OctPartsStats files = { 0 };

  if (self->raw_sink != NULL)
    g_object_get (self->raw_sink, "bytes", &files.bytes, "parts", &files.count,
        "frames", &files.frames, "lost", &files.lost_frames, NULL);
  else
    oct_parts_get_stats (self->parts, &files);
  return files;
}

/* `last`: nothing comes any more. */
static void
update_stats (OctRecorder *self, gboolean last)
{
  guint64 disk_left = oct_disk_left (self->folder);
  OctPartsStats files = get_files (self);
  OctTapStats tap, second;

  oct_tap_get_stats (self->tap, &tap);
  oct_second_track_get_stats (self->second, &second);
  g_mutex_lock (&self->lock);
  self->stats.second = last ? files.second : second.frames;
  self->stats.second_dropped =
      second.dropped + (last ? second.frames - files.second : 0);
  self->stats.time = tap.time;
  self->stats.frames = last ? files.frames : tap.frames - files.lost_frames;
  self->stats.lost = tap.frames - self->stats.frames;
  self->stats.dropped = tap.dropped;
  self->stats.bytes = files.bytes;
  self->stats.parts = files.count;
  self->stats.first = files.first;
  self->stats.disk_left = disk_left;
  g_mutex_unlock (&self->lock);
}

static gboolean
write_comment (OctRecorder *self, const char *path, GError **error)
{
  return oct_file_mode_write (path, self->comment, -1, self->file_mode, error);
}

/* Gone with the folder, perhaps, in which there is a new part now. */
static void
keep_comment (OctRecorder *self)
{
  if (self->comment_path != NULL
      && !g_file_test (self->comment_path, G_FILE_TEST_EXISTS))
    (void)write_comment (self, self->comment_path, NULL);
}

static void
check_parts (OctRecorder *self)
{
  gboolean current;
  g_autofree char *gone = oct_parts_check (self->parts, &current);
  gboolean goes_on = current && !self->eos_sent && !self->broken;

  if (gone == NULL)
    return;
  tell_loss (self,
      g_strconcat (gone,
          goes_on ? "; the recording goes on in a new part." : ".", NULL));
  if (goes_on)
    g_signal_emit_by_name (self->part_sink, "split-now");
}

/* Takes as long as the disk does; nobody waits for it. */
static void
recorder_look_after_files (OctRecorder *self, gboolean now)
{
  gint64 time = g_get_monotonic_time ();
  int code;

  if (self->parts == NULL || (!now && time - self->synced < SYNC_TIME))
    return;
  self->synced = time;
  check_parts (self);
  keep_comment (self);
  code = oct_parts_sync (self->parts);
  if (code == 0)
    return;
  recorder_fail (self,
      code == ENOSPC || code == EDQUOT
          ? oct_recorder_describe_full_disk (self->folder, self->stats.time)
          : oct_recorder_describe_failed_disk (self->folder, code));
  /* data that the disk has not taken are not in the files */
  self->broken = TRUE;
  oct_recorder_stop (self);
}

/* If nothing was recorded, no file remains that takes the name. */
static void
remove_empty (OctRecorder *self)
{
  OctTapStats tap;

  if (self->parts != NULL)
    oct_parts_remove_empty (self->parts);
  oct_tap_get_stats (self->tap, &tap);
  if (tap.frames == 0 && self->comment_path != NULL)
    g_unlink (self->comment_path);
}

/* How fast the files grow: the last half second, or on average if that was
 * more. */
static void
measure_rate (OctRecorder *self)
{
  gint64 time = g_get_monotonic_time ();
  guint64 grown =
      self->stats.bytes - MIN (self->rated_bytes, self->stats.bytes);

  if (self->rated != 0 && time - self->rated < RATE_TIME)
    return;
  self->rate = gst_util_uint64_scale (
      self->stats.bytes, GST_SECOND, MAX (self->stats.time, GST_SECOND / 10));
  if (self->rated != 0)
    self->rate = MAX (self->rate,
        gst_util_uint64_scale (grown, G_TIME_SPAN_SECOND, time - self->rated));
  self->rated = time;
  self->rated_bytes = self->stats.bytes;
}

/* Ends the recording before the disk is full, so that the files can be
 * finished, with the bytes of the next second and those still in the encoder.
 * All recordings on this disk write at the same time. */
static void
check_disk (OctRecorder *self)
{
  OctPartsStats files = get_files (self);
  guint64 waiting = self->stats.frames - MIN (self->stats.frames, files.frames);
  guint64 reserve = RESERVE_BYTES + self->rate
                    + waiting * (files.bytes / MAX (files.frames, 1));

  oct_disk_set_reserve (self, self->folder, reserve);
  if (self->stats.disk_left >= oct_disk_get_reserve (self->folder))
    return;
  recorder_fail (
      self, oct_recorder_describe_full_disk (self->folder, self->stats.time));
  oct_recorder_stop (self);
}

/* None without a frame, which would be all that is left of the recording. */
static void
recorder_keep_measurements (OctRecorder *self, gboolean last)
{
  if (self->measurements != NULL && self->stats.frames > 0)
    oct_measurements_write (self->measurements, last);
}

static gboolean
recorder_is_stopped (OctRecorder *self)
{
  gboolean stop;

  g_mutex_lock (&self->lock);
  stop = self->stop;
  g_mutex_unlock (&self->lock);
  return stop;
}

/* Returns: TRUE when there is nothing to wait for. */
static gboolean
recorder_finish (OctRecorder *self)
{
  OctTapStats tap;

  if (self->eos_sent || !oct_tap_finish (self->tap))
    return FALSE;
  oct_tap_get_stats (self->tap, &tap);
  /* without caps the elements could not even end */
  if (tap.frames == 0)
    return TRUE;
  if (!oct_second_track_finish (self->second))
    return FALSE;
  self->eos_sent = TRUE;
  gst_app_src_end_of_stream (self->appsrc);
  return FALSE;
}

/* octrawsink may have something to say when it closes its files. */
static void
empty_bus (OctRecorder *self)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);

  while (gst_bus_have_pending (bus))
    recorder_poll_bus (self, 0);
}

/* Finishes the files, or ends with those that cannot be finished. */
static void
recorder_end (OctRecorder *self)
{
  oct_recorder_stop (self);
  oct_tap_close (self->tap);
  oct_second_track_close (self->second);
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  empty_bus (self);
  recorder_look_after_files (self, TRUE);
  /* a disk that fills up may store only a part of the last data, and not report
   * that to the program that writes */
  if ((self->broken || recorder_has_reason (self)) && self->parts != NULL)
    add_reason (self, oct_parts_recount (self->parts), TRUE);
  remove_empty (self);
  update_stats (self, TRUE);
  recorder_keep_measurements (self, TRUE);
  if (self->stats.lost > 0 && !recorder_has_reason (self)
      && self->loss == NULL) {
    g_autofree char *lost = oct_number_count (self->stats.lost, "B-scan");

    recorder_fail (self, g_strconcat ("The files lack ", lost,
                             " that did not come through the encoder.", NULL));
  }
  oct_disk_set_reserve (self, self->folder, 0);
}

static gpointer
recorder_run (gpointer data)
{
  OctRecorder *self = data;
  gboolean done = FALSE;

  while (!done) {
    done = recorder_poll_bus (self, POLL_TIME);
    recorder_look_after_files (self, FALSE);
    update_stats (self, FALSE);
    recorder_keep_measurements (self, FALSE);
    measure_rate (self);
    if (!recorder_is_stopped (self))
      check_disk (self);
    else if (!done)
      done = recorder_finish (self);
  }
  recorder_end (self);
  g_mutex_lock (&self->lock);
  self->stats.state = self->reason != NULL || self->loss != NULL
                          ? OCT_RECORDER_FAILED
                          : OCT_RECORDER_DONE;
  g_cond_broadcast (&self->ended);
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* ---------------------------------------------------------------- pipelines */

static char *
recorder_name_part (OctRecorder *self, guint part)
{
  if (self->kind != OCT_RECORD_MP4)
    return g_strdup_printf ("%s-%05u.mkv", self->output, part);
  return part == 0 ? g_strconcat (self->output, ".mp4", NULL)
                   : g_strdup_printf ("%s-%u.mp4", self->output, part + 1);
}

/* The file is made here, before the sink would write over one that somebody
 * else has put there.  The first one was made at the start. */
static char *
on_new_part (GstElement *sink, guint number, GstSample *first, gpointer data)
{
  OctRecorder *self = data;

  if (self->next_part == 1 && number == 0
      && oct_parts_current_is_there (self->parts))
    return recorder_name_part (self, 0);
  oct_disk_make_folder (self->folder, self->file_mode);
  for (;;) {
    g_autofree char *path = recorder_name_part (self, self->next_part++);
    g_autoptr (GError) error = NULL;

    if (oct_parts_begin (self->parts, path, &error))
      return g_steal_pointer (&path);
    if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_EXIST))
      continue;
    recorder_fail (self, g_strdup (error->message));
    /* a file that cannot be made cannot be opened either, and that ends it */
    return g_strconcat (path, "/", NULL);
  }
}

static GstPadProbeReturn
on_muxed (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  oct_parts_add_frame (((OctRecorder *)data)->parts);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_second_muxed (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  oct_parts_add_second (((OctRecorder *)data)->parts);
  return GST_PAD_PROBE_OK;
}

/* The first track is asked for first. */
static void
on_muxer_pad (GstElement *muxer, GstPad *pad, gpointer data)
{
  gboolean second = g_str_equal (GST_OBJECT_NAME (pad), "video_1");

  if (GST_PAD_IS_SINK (pad))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER,
        second ? on_second_muxed : on_muxed, data, NULL);
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
make_muxer (OctRecorder *self)
{
  gboolean mp4 = self->kind == OCT_RECORD_MP4;
  GstElement *muxer =
      gst_element_factory_make (mp4 ? "mp4mux" : "matroskamux", NULL);

  if (muxer == NULL)
    return NULL;
  if (mp4)
    g_object_set (muxer, "fragment-duration", FRAGMENT_MS, NULL);
  else
    /* on it the player jumps, and the recorder cuts off a half cluster */
    g_object_set (muxer, "min-cluster-duration",
        (gint64)FRAGMENT_MS * GST_MSECOND, "offset-to-zero", FALSE, NULL);
  g_signal_connect (muxer, "pad-added", G_CALLBACK (on_muxer_pad), self);
  return muxer;
}

/* MP4 is one part, as long as nothing happens to it. */
static GstElement *
make_part_sink (OctRecorder *self)
{
  GstElement *sink = gst_element_factory_make ("splitmuxsink", NULL);
  GstElement *muxer = make_muxer (self);
  guint seconds = self->kind == OCT_RECORD_MP4 ? 0 : self->part_seconds;

  if (sink == NULL || muxer == NULL)
    return NULL;
  g_object_set (sink, "muxer", muxer, "sink", make_file_sink (),
      "max-size-time", (guint64)seconds * GST_SECOND, "max-size-bytes",
      self->kind == OCT_RECORD_MP4 ? (guint64)0 : LARGEST_PART, NULL);
  g_signal_connect (
      sink, "format-location-full", G_CALLBACK (on_new_part), self);
  self->part_sink = sink;
  return sink;
}

static GstElement *
make_raw_sink (OctRecorder *self, const char *measured)
{
  GstElement *sink = gst_element_factory_make ("octrawsink", NULL);
  g_autofree char *measurements =
      measured != NULL ? oct_measurements_list (measured, ";") : NULL;

  if (sink != NULL)
    g_object_set (sink, "location", self->output, "file-mode", self->file_mode,
        "measurements", measurements, NULL);
  self->raw_sink = sink;
  return sink;
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

static gboolean
recorder_make_pipeline (
    OctRecorder *self, const OctRecorderSettings *settings, GError **error)
{
  GError *local = NULL;
  GstElement *source = oct_tap_make_source (OCT_TAP_FROM_ZERO);
  GstElement *encoder = make_encoder (self, settings, &local);
  GstElement *sink = self->kind == OCT_RECORD_RAW
                         ? make_raw_sink (self, settings->measured)
                         : make_part_sink (self);

  self->pipeline = gst_pipeline_new (NULL);
  g_object_set (self->pipeline, "auto-flush-bus", FALSE, NULL);
  if (source != NULL && encoder != NULL && sink != NULL) {
    gst_bin_add_many (GST_BIN (self->pipeline), source, encoder, sink, NULL);
    self->appsrc = GST_APP_SRC (source);
    if (gst_element_link_many (source, encoder, sink, NULL)) {
      if (settings->second != NULL)
        self->second = oct_second_track_new (
            GST_BIN (self->pipeline), sink, settings->bitrate, &local);
      if (settings->second == NULL || self->second != NULL)
        return TRUE;
    }
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
recorder_check_files (OctRecorder *self, gboolean meters, GError **error)
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
      || (meters && !oct_measurements_check (self->output, error))
      || !oct_disk_check_room (self->folder, 4 * RESERVE_BYTES, error))
    return FALSE;
  if (self->kind == OCT_RECORD_RAW)
    return TRUE;
  self->parts = oct_parts_new (self->file_mode);
  self->next_part = 1;
  return oct_parts_begin (self->parts, path, error);
}

static gboolean
save_comment (
    OctRecorder *self, const OctRecorderSettings *settings, GError **error)
{
  const char *comment = settings->comment;
  g_autofree char *measurements =
      settings->measured != NULL
          ? oct_measurements_list (settings->measured, ", ")
          : NULL;
  g_autofree char *path = g_strconcat (self->output, ".txt", NULL);

  if (comment == NULL)
    return TRUE;
  self->comment = g_strconcat (comment, "\n",
      measurements != NULL ? "Measured meanwhile: " : NULL, measurements, "\n",
      NULL);
  if (!oct_disk_check_new_file (path, error)
      || !write_comment (self, path, error))
    return FALSE;
  self->comment_path = g_steal_pointer (&path);
  return TRUE;
}

static void
recorder_dispose (OctRecorder *self)
{
  if (self->pipeline != NULL)
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
  oct_second_track_free (self->second);
  oct_tap_free (self->tap);
  gst_clear_object (&self->pipeline);
  oct_parts_free (self->parts);
  oct_measurements_free (self->measurements);
  g_ptr_array_unref (self->sentences);
  g_free (self->output);
  g_free (self->folder);
  g_free (self->comment_path);
  g_free (self->comment);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->ended);
  g_free (self);
}

/* Before it has begun: nothing is left. */
static void
give_up (OctRecorder *self)
{
  if (self->parts != NULL)
    oct_parts_remove_empty (self->parts);
  if (self->comment_path != NULL)
    g_unlink (self->comment_path);
  recorder_dispose (self);
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
  self->file_mode =
      settings->file_mode != 0 ? settings->file_mode : DEFAULT_MODE;
  self->sentences = g_ptr_array_new_with_free_func (g_free);
  if (settings->meters)
    self->measurements = oct_measurements_new (self->output, self->file_mode);
  if (!recorder_check_files (self, settings->meters, error)
      || !recorder_make_pipeline (self, settings, error)
      || !save_comment (self, settings, error)) {
    give_up (self);
    return NULL;
  }
  if (gst_element_set_state (self->pipeline, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE) {
    recorder_poll_bus (self, POLL_TIME);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, "%s",
        self->reason != NULL ? self->reason : "The recording does not start.");
    give_up (self);
    return NULL;
  }
  self->stats.disk_left = oct_disk_left (self->folder);
  self->tap = oct_tap_new (pad, self->appsrc, OCT_TAP_FROM_ZERO, QUEUE,
      settings->calibration, recorder_on_tap_ended, self);
  if (settings->second != NULL)
    oct_second_track_begin (self->second, self->tap, settings->second, QUEUE,
        recorder_on_tap_ended, self);
  self->thread = g_thread_new ("oct-recorder", recorder_run, self);
  return self;
}

void
oct_recorder_add_measurement (
    OctRecorder *self, const GstStructure *measurement)
{
  if (self->measurements != NULL && !recorder_is_stopped (self))
    oct_measurements_add (self->measurements, measurement);
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
oct_recorder_wait_and_tell (OctRecorder *self)
{
  g_autofree char *name = g_filename_display_name (self->folder);

  if (oct_recorder_wait (self, PATIENCE))
    return;
  g_printerr ("Note: the disk with the folder '%s' has not taken the recording "
              "yet; Ctrl-C once more ends the program at once, and what is not "
              "on the disk then is lost.\n",
      name);
  oct_recorder_wait (self, GST_CLOCK_TIME_NONE);
}

void
oct_recorder_get_stats (OctRecorder *self, OctRecorderStats *stats)
{
  g_mutex_lock (&self->lock);
  *stats = self->stats;
  stats->message = stats->state == OCT_RECORDER_FAILED && self->reason != NULL
                       ? self->reason
                       : self->loss;
  g_mutex_unlock (&self->lock);
}

void
oct_recorder_free (OctRecorder *self)
{
  if (self == NULL)
    return;
  oct_recorder_stop (self);
  g_thread_join (self->thread);
  recorder_dispose (self);
}
