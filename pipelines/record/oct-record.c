/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-record: records B-scans as video, images of 16 bit and raw spectra while
 * they are being taken, and shows or streams them.  record.sh builds it and
 * runs it.
 */
#include "oct-listener.h"
#include "oct-pulse.h"
#include "oct-record-kept.h"
#include "oct-record-options.h"
#include "oct-record-pipeline.h"
#include "oct-recorder.h"
#include "oct-stream.h"
#include "oct-terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_RECORDERS 5
/* Recorded time lags behind the clock on the wall by that much at the most, or
 * something is missing in it. */
#define LAG (5 * G_TIME_SPAN_SECOND)
/* A source that has not stopped by then hangs. */
#define CLOSING_TIME (3 * G_TIME_SPAN_SECOND)

typedef struct {
  const char *what; /* as users say it */
  char *files;      /* for the report, of raw spectra */
  OctRecorder *recorder;
  const char *said; /* the last error that was printed */
} Recording;

typedef struct {
  const OctRecordProgramOptions *options;
  GstElement *pipeline;
  Recording recordings[MAX_RECORDERS];
  guint count;
  char *measured; /* output of the recording with measurements, or NULL */
  OctStream *stream;
  OctRecordKept *kept;   /* or NULL */
  guint stream_restarts; /* that were reported */
  gint64 started, shown;
  OctPulse pulse;   /* of the B-scans that come from the source */
  gint64 first_at;  /* 0 = none has come yet */
  gint64 looked_at; /* at the pulse */
  guint gaps;
  gint64 missing; /* in them, us */
} Program;

/* --------------------------------------------------------------- recordings */

static gboolean
record_add (Program *program, const char *what, const char *suffix, GstPad *pad,
    OctRecorderSettings *settings, GError **error)
{
  Recording *recording = &program->recordings[program->count];
  g_autofree char *output =
      g_strconcat (program->options->output, suffix, NULL);

  settings->output = output;
  settings->part_seconds = program->options->part_seconds;
  settings->bitrate = program->options->bitrate;
  settings->file_mode = program->options->file_mode;
  /* next to the first of them, and not with each */
  settings->meters = program->options->pipeline.meters && program->count == 0;
  if (settings->meters)
    program->measured = g_strdup (output);
  settings->measured = program->measured;
  recording->what = what;
  recording->recorder = oct_recorder_start (pad, settings, error);
  if (recording->recorder == NULL)
    return FALSE;
  if (settings->kind == OCT_RECORD_RAW)
    recording->files = g_strconcat (output, ".oct", NULL);
  program->count++;
  return TRUE;
}

static gboolean
add_lossless (Program *program, GError **error)
{
  g_autoptr (GstPad) pad = oct_record_pipeline_get_lossless (program->pipeline);
  const OctRecordOptions *options = &program->options->pipeline;
  g_autofree char *comment = g_strdup_printf (
      "B-scans, depth downwards; grey level g of 0 to 65535 stands for "
      "%g + g/65535 * %g dB",
      options->min, options->max - options->min);
  OctRecorderSettings settings = { .kind = OCT_RECORD_LOSSLESS,
    .comment = comment };

  return record_add (program, "lossless", "-lossless", pad, &settings, error);
}

static gboolean
add_raw (Program *program, GError **error)
{
  g_autoptr (GstPad) pad = oct_record_pipeline_get_spectra (program->pipeline);
  g_autoptr (GstPad) calibration =
      oct_record_pipeline_get_calibration (program->pipeline);
  OctRecorderSettings settings = { .kind = OCT_RECORD_RAW,
    .calibration = calibration };

  return record_add (program, "raw", "", pad, &settings, error);
}

/* Takes the pad of the images. */
static gboolean
add_film (Program *program, const char *name, const char *suffix, GstPad *pad,
    GError **error)
{
  OctRecorderSettings settings = {
    .kind = program->options->mp4 ? OCT_RECORD_MP4 : OCT_RECORD_VIDEO
  };
  gboolean ok = record_add (program, name, suffix, pad, &settings, error);

  gst_object_unref (pad);
  return ok;
}

static gboolean
start_recordings (Program *program, GError **error)
{
  const OctRecordProgramOptions *options = program->options;
  g_autofree char *folder = NULL;

  if (options->output == NULL)
    return TRUE;
  folder = g_path_get_dirname (options->output);
  if (!oct_launch_make_folder (folder, error)
      || (!options->no_video
          && !add_film (program, "video", "",
              oct_record_pipeline_get_images (program->pipeline), error))
      || (options->pipeline.volume.wanted
          && !add_film (program, "volume", "-volume",
              oct_record_volume_get_film (program->pipeline), error))
      || (options->pipeline.flow
          && !add_film (program, "flow", "-flow",
              oct_record_pipeline_get_flow (program->pipeline), error))
      || (options->pipeline.lossless && !add_lossless (program, error))
      || (options->pipeline.raw && !add_raw (program, error)))
    return FALSE;
  oct_launch_check_folder (folder, options->file_mode);
  return TRUE;
}

static void
stop_recordings (Program *program)
{
  for (guint i = 0; i < program->count; i++)
    oct_recorder_stop (program->recordings[i].recorder);
}

/* Threads of the pipeline.  --source may have an octmeter of its own. */
static void
on_element_message (GstBus *bus, GstMessage *message, gpointer data)
{
  if (gst_message_has_name (message, "oct-meter")
      && g_str_has_prefix (GST_MESSAGE_SRC_NAME (message), "oct-record-"))
    oct_recorder_add_measurement (data, gst_message_get_structure (message));
}

static void
record_keep_measurements (Program *program)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (program->pipeline);

  if (program->count == 0)
    return;
  gst_bus_enable_sync_message_emission (bus);
  g_signal_connect (bus, "sync-message::element",
      G_CALLBACK (on_element_message), program->recordings[0].recorder);
}

/* ------------------------------------------------------------------- stream */

/* The first line of the file.  FALSE with a sentence. */
static gboolean
read_password (const char *path, char **password, GError **error)
{
  if (path == NULL)
    return TRUE;
  if (!g_file_get_contents (path, password, NULL, error))
    return FALSE;
  g_strdelimit (*password, "\r\n", '\0');
  if (strlen (*password) >= 8)
    return TRUE;
  g_clear_pointer (password, g_free);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
      "The first line of '%s' is the password and must have at least 8 "
      "characters.",
      path);
  return FALSE;
}

static gboolean
start_stream (Program *program, GError **error)
{
  const OctRecordProgramOptions *options = program->options;
  g_autoptr (GstPad) pad = oct_record_pipeline_get_images (program->pipeline);
  g_autofree char *password = NULL;
  OctStreamSettings settings = { .bitrate = options->bitrate,
    .launch = options->stream,
    .rtsp_port = options->rtsp_port,
    .address = options->address };

  if (!oct_record_options_stream (options))
    return TRUE;
  if (!read_password (options->password_file, &password, error))
    return FALSE;
  settings.password = password;
  program->stream = oct_stream_start (pad, &settings, error);
  if (program->stream == NULL)
    return FALSE;
  if (options->rtsp_port >= 0)
    g_print ("Live: %s%s\n", oct_stream_get_url (program->stream),
        password != NULL ? " (user oct, and the password)" : "");
  return TRUE;
}

static gboolean
start_kept (Program *program, GError **error)
{
  program->kept =
      oct_record_kept_new (program->options, program->pipeline, error);
  return program->kept != NULL || *error == NULL;
}

/* A viewer that cannot be reached is not a reason to stop. */
static void
watch_stream (Program *program)
{
  OctStreamStats stats;

  if (program->stream == NULL)
    return;
  oct_stream_get_stats (program->stream, &stats);
  if (stats.restarts > 0 && program->stream_restarts == 0)
    g_printerr ("Note: the stream failed and is tried again every 2 s: %s\n",
        stats.problem);
  program->stream_restarts = stats.restarts;
}

/* ------------------------------------------------------------------- source */

static GstPadProbeReturn
record_on_spectra (GstPad *pad, GstPadProbeInfo *info, gpointer pulse)
{
  oct_pulse_beat (pulse, g_get_monotonic_time ());
  return GST_PAD_PROBE_OK;
}

static void
add_pulse (Program *program)
{
  g_autoptr (GstPad) pad = oct_record_pipeline_get_spectra (program->pipeline);

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, record_on_spectra, &program->pulse, NULL);
}

/* From one B-scan to the next by the caps of the source, us; 0: not known. */
static gint64
record_get_period (Program *program)
{
  g_autoptr (GstPad) pad = oct_record_pipeline_get_spectra (program->pipeline);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gint rate, seconds;

  if (caps == NULL
      || !gst_structure_get_fraction (
          gst_caps_get_structure (caps, 0), "framerate", &rate, &seconds)
      || rate <= 0)
    return 0;
  return gst_util_uint64_scale (G_TIME_SPAN_SECOND, seconds, rate);
}

static const char *
new_line (void)
{
  return isatty (STDERR_FILENO) ? "\n" : "";
}

static void
record_tell_stopped (Program *program, gint64 now)
{
  gboolean any;
  gint64 last = oct_pulse_get_last (&program->pulse, &any);

  g_printerr ("%sNote: %s for %.0f s, and no error: look at the source and its "
              "cables, and start again if none come.\n",
      new_line (),
      any ? "no new B-scans have come from the source"
          : "no B-scan has come from the source yet",
      (now - last) / 1e6);
}

/* The wait for the first B-scan is none. */
static void
add_gap (Program *program, gint64 from, gint64 till)
{
  if (from <= program->started)
    return;
  program->gaps++;
  program->missing += till - from;
}

/* A source may hang, or wait for its trigger: nothing is ended for that. */
static void
watch_source (Program *program)
{
  gint64 now = g_get_monotonic_time (), from, till;
  gboolean any;

  (void)oct_pulse_get_last (&program->pulse, &any);
  if (any && program->first_at == 0)
    program->first_at = now;
  if (now - program->looked_at < G_TIME_SPAN_SECOND)
    return;
  program->looked_at = now;
  switch (oct_pulse_check (
      &program->pulse, now, record_get_period (program), &from, &till)) {
  case OCT_PULSE_STOPPED:
    record_tell_stopped (program, now);
    break;
  case OCT_PULSE_BACK:
    g_printerr ("%sNote: B-scans are coming%s, after %.1f s without any.\n",
        new_line (), from > program->started ? " again" : "",
        (till - from) / 1e6);
    add_gap (program, from, till);
    break;
  case OCT_PULSE_REGULAR:
    break;
  }
}

/* Before the recordings are stopped, which takes its time. */
static void
end_pulse (Program *program)
{
  gint64 from, till;

  if (program->first_at != 0
      && oct_pulse_get_gap (&program->pulse, g_get_monotonic_time (),
          record_get_period (program), &from, &till))
    add_gap (program, from, till);
}

static void
report_gaps (Program *program)
{
  g_autofree char *count = NULL;

  if (program->gaps == 0 || program->count == 0)
    return;
  count = program->gaps == 1
              ? g_strdup ("a gap")
              : g_strdup_printf ("%u gaps, together", program->gaps);
  g_print ("The source had %s of %.1f s, in which no B-scans came: they are "
           "missing in the recording.\n",
      count, program->missing / 1e6);
}

/* ----------------------------------------------------------------- progress */

/* Time of the longest recording, as another one may have ended by itself;
 * without any, time since the start. */
static GstClockTime
record_get_time (Program *program)
{
  GstClockTime time = 0;

  if (program->count == 0)
    return (g_get_monotonic_time () - program->started) * GST_USECOND;
  for (guint i = 0; i < program->count; i++) {
    OctRecorderStats stats;

    oct_recorder_get_stats (program->recordings[i].recorder, &stats);
    time = MAX (time, stats.time);
  }
  return time;
}

static char *
describe_time (GstClockTime time)
{
  guint64 s = time / GST_SECOND;

  return s < 3600 ? g_strdup_printf ("%u:%02u", (guint)s / 60, (guint)s % 60)
                  : g_strdup_printf ("%u:%02u:%02u", (guint)(s / 3600),
                      (guint)(s / 60 % 60), (guint)(s % 60));
}

/* Empty if nothing is lost. */
static char *
describe_lost (const OctRecorderStats *stats)
{
  return stats->lost > 0
             ? g_strdup_printf ("%" G_GUINT64_FORMAT " lost, ", stats->lost)
             : g_strdup ("");
}

static void
record_append (GString *line, const Recording *recording)
{
  g_autofree char *lost = NULL;
  OctRecorderStats stats;

  oct_recorder_get_stats (recording->recorder, &stats);
  lost = describe_lost (&stats);
  g_string_append_printf (line,
      "; %s %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
      " dropped, %s%.1f MB%s",
      recording->what, stats.frames, stats.dropped, lost, stats.bytes / 1e6,
      stats.state == OCT_RECORDER_FAILED ? " (stopped)" : "");
}

static void
record_show_progress (Program *program, gboolean last)
{
  gint64 now = g_get_monotonic_time ();
  gboolean terminal = isatty (STDOUT_FILENO);
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *time = NULL;
  OctRecordCounts counts = oct_record_pipeline_get_counts (program->pipeline);
  OctRecorderStats stats = { 0 };

  if (!last && now - program->shown < G_TIME_SPAN_SECOND)
    return;
  program->shown = now;
  if (program->count > 0)
    oct_recorder_get_stats (program->recordings[0].recorder, &stats);
  time = describe_time (record_get_time (program));
  g_string_append_printf (line,
      "%s  live %" G_GUINT64_FORMAT " B-scans, %" G_GUINT64_FORMAT " dropped",
      time, counts.frames, counts.dropped);
  if (counts.lost_lines > 0)
    g_string_append_printf (
        line, ", %" G_GUINT64_FORMAT " A-lines lost", counts.lost_lines);
  for (guint i = 0; i < program->count; i++)
    record_append (line, &program->recordings[i]);
  if (program->stream != NULL) {
    OctStreamStats stream;

    oct_stream_get_stats (program->stream, &stream);
    g_string_append_printf (line,
        "; stream %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT " dropped",
        stream.frames, stream.dropped);
  }
  if (program->count > 0 && stats.disk_left < G_MAXINT64)
    g_string_append_printf (line, "; %.1f GB left", stats.disk_left / 1e9);
  oct_terminal_rewrite ();
  g_print ("%s%s", line->str, terminal && !last ? "" : "\n");
}

static gboolean
is_ended (const OctRecorderStats *stats)
{
  return stats->state == OCT_RECORDER_DONE
         || stats->state == OCT_RECORDER_FAILED;
}

/* Prints why a recording ended by itself, and its losses, once.  Returns: TRUE
 * when all have ended. */
static gboolean
watch_recordings (Program *program)
{
  gboolean all = TRUE;

  for (guint i = 0; i < program->count; i++) {
    Recording *recording = &program->recordings[i];
    OctRecorderStats stats;

    oct_recorder_get_stats (recording->recorder, &stats);
    all &= is_ended (&stats);
    if (stats.message == recording->said)
      continue;
    recording->said = stats.message;
    g_printerr (
        "%sError (%s): %s\n", new_line (), recording->what, stats.message);
  }
  return all;
}

/* Returns: TRUE when all recordings are complete. */
static gboolean
record_report (Program *program)
{
  gboolean complete = TRUE;

  for (guint i = 0; i < program->count; i++) {
    Recording *recording = &program->recordings[i];
    g_autofree char *name = NULL, *time = NULL, *lost = NULL;
    OctRecorderStats stats;

    oct_recorder_get_stats (recording->recorder, &stats);
    complete &= stats.state == OCT_RECORDER_DONE;
    lost = describe_lost (&stats);
    if (stats.frames == 0) {
      g_print ("%s: %snothing %s\n", recording->what, lost,
          stats.lost > 0 ? "is left of the recording" : "was recorded");
      continue;
    }
    time = describe_time (stats.time);
    name = g_filename_display_name (
        recording->files != NULL ? recording->files : stats.first);
    g_print ("%s: %s  (%s, %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
             " dropped, %s%.1f MB in %u %s)\n",
        recording->what, name, time, stats.frames, stats.dropped, lost,
        stats.bytes / 1e6, stats.parts, stats.parts == 1 ? "part" : "parts");
  }
  report_gaps (program);
  return complete;
}

/* --------------------------------------------------------------------- main */

static gboolean
is_time_over (Program *program, gboolean recording)
{
  gint64 now = g_get_monotonic_time ();
  gint64 time = program->options->seconds * G_TIME_SPAN_SECOND;

  if (time == 0)
    return FALSE;
  if (!recording)
    return now - program->started >= time;
  /* a source that hangs adds nothing to the recorded time */
  return record_get_time (program) >= (GstClockTime)time * GST_USECOND
         || (program->first_at != 0 && now - program->first_at >= time + LAG);
}

/* Until the user, the source or the end of the last recording stops it. */
static void
record_watch (Program *program, GError **error)
{
  gboolean seen = program->options->pipeline.view != NULL
                  || program->stream != NULL || program->kept != NULL;
  gboolean over = FALSE;

  while (!over) {
    GstMessageType type = oct_launch_poll (program->pipeline, TRUE, error);
    gboolean all_ended = watch_recordings (program);

    watch_stream (program);
    watch_source (program);
    over = type == GST_MESSAGE_EOS || type == GST_MESSAGE_ERROR
           || oct_launch_interrupted () || is_time_over (program, !all_ended)
           || (all_ended && !seen);
    /* after the end is seen: a signal before it is not lost */
    oct_record_kept_watch (program->kept);
    record_show_progress (program, FALSE);
  }
}

typedef struct {
  GstElement *pipeline;
  GAsyncQueue *closed; /* gets the pipeline */
} Closing;

static gpointer
close_pipeline (gpointer data)
{
  Closing *closing = data;

  gst_element_set_state (closing->pipeline, GST_STATE_NULL);
  g_async_queue_push (closing->closed, closing->pipeline);
  g_async_queue_unref (closing->closed);
  g_free (closing);
  return NULL;
}

/* FALSE when the source hangs and cannot be woken: its threads still use the
 * objects, and the program has to be left without cleaning up. */
static gboolean
record_clear (Program *program)
{
  g_autoptr (GAsyncQueue) closed = g_async_queue_new ();
  Closing *closing = g_new (Closing, 1);

  *closing = (Closing){ program->pipeline, g_async_queue_ref (closed) };
  g_thread_unref (g_thread_new ("oct-close", close_pipeline, closing));
  if (g_async_queue_timeout_pop (closed, CLOSING_TIME) == NULL) {
    g_printerr ("Note: the source does not stop and was left as it is.\n");
    return FALSE;
  }
  for (guint i = 0; i < program->count; i++) {
    oct_recorder_free (program->recordings[i].recorder);
    g_free (program->recordings[i].files);
  }
  oct_record_kept_free (program->kept);
  g_free (program->measured);
  oct_stream_free (program->stream);
  gst_object_unref (program->pipeline);
  oct_pulse_clear (&program->pulse);
  return TRUE;
}

/* `clean`: the result of record_clear(); if FALSE, `program` has to outlive the
 * threads. */
static gboolean
record_run (Program *program, gboolean *clean, GError **error)
{
  gboolean ok = FALSE, kept;

  program->started = g_get_monotonic_time ();
  program->pipeline =
      oct_record_pipeline_new (&program->options->pipeline, error);
  if (program->pipeline == NULL)
    return FALSE;
  oct_record_pipeline_count (program->pipeline);
  oct_pulse_init (&program->pulse, program->started);
  add_pulse (program);
  if (start_recordings (program, error) && start_stream (program, error)
      && start_kept (program, error)) {
    record_keep_measurements (program);
    gst_element_set_state (program->pipeline, GST_STATE_PLAYING);
    oct_record_pipeline_scan (program->pipeline);
    record_watch (program, error);
    end_pulse (program);
    ok = TRUE;
  }
  stop_recordings (program);
  for (guint i = 0; i < program->count; i++)
    oct_recorder_wait_and_tell (program->recordings[i].recorder);
  kept = oct_record_kept_end (program->kept);
  if (ok) {
    record_show_progress (program, TRUE);
    watch_recordings (program);
    ok = record_report (program) && kept && *error == NULL;
  }
  *clean = record_clear (program);
  return ok;
}

int
main (int argc, char **argv)
{
  OctRecordProgramOptions options = { 0 };
  Program program = { .options = &options };
  g_autoptr (GError) error = NULL;
  gboolean ok, clean = TRUE;

  oct_terminal_begin ();
  oct_listener_raise_limit ();
  if (!oct_record_options_parse (&options, &argc, &argv, &error)) {
    g_printerr ("%s See --help.\n", error->message);
    oct_record_options_clear (&options);
    return 2;
  }
  oct_launch_catch_interrupts ();
  oct_record_kept_catch_signal ();
  gst_init (NULL, NULL);
  oct_launch_shows_warnings ();
  ok = record_run (&program, &clean, &error);
  if (error != NULL)
    g_printerr ("Error: %s\n", error->message);
  /* the exit handlers of libraries are not for threads that still run */
  if (!clean) {
    fflush (NULL);
    _exit (ok ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  oct_record_options_clear (&options);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
