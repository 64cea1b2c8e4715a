/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-recording.h"
#include "oct-live-notes.h"

#include "oct-launch.h"
#include "oct-recorder.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define MOST_FIELDS 8

typedef struct {
  OctRecorder *recorder;
  const char *told; /* the last error that was printed */
  gboolean *failed; /* of the OctLiveRecording */
  OctLiveAudit *audit;
  char *name;
  gboolean ended; /* the audit has been told */
  gboolean has_second;
  OctLiveNotes *notes;
} Take;

struct _OctLiveRecording {
  char *folder;
  guint file_mode;
  gboolean meters;
  OctLiveAudit *audit;
  GstPad *pad, *second; /* of the second track, or NULL */
  const char *prefix;   /* of names; static */
  Take *take;           /* the current or the last one, NULL before */
  GPtrArray *finishing; /* Take, stopped before that */
  gboolean failed;      /* one of all was not complete */
  char *name;
  gint64 begun_at; /* monotonic, us */
  guint gaps;
  gint64 missing; /* in them, us */
  char *said;     /* of them */
};

/* When its files are complete. */
static void
live_recording_tell_audit (Take *take, const OctRecorderStats *stats)
{
  OctAuditField fields[MOST_FIELDS] = {
    { "name", take->name, 0 },
    { "images", NULL, (gint64)stats->frames },
    { "dropped", NULL, (gint64)(stats->dropped + stats->lost) },
    { "bytes", NULL, (gint64)stats->bytes },
  };
  guint count = 4;

  if (take->ended || stats->state == OCT_RECORDER_RECORDING
      || stats->state == OCT_RECORDER_STOPPING)
    return;
  take->ended = TRUE;
  if (take->has_second) {
    fields[count++] =
        (OctAuditField){ "microscope", NULL, (gint64)stats->second };
    fields[count++] = (OctAuditField){ "microscope dropped", NULL,
      (gint64)stats->second_dropped };
  }
  if (stats->message != NULL)
    fields[count++] = (OctAuditField){ "trouble", stats->message, 0 };
  oct_live_audit_add (take->audit, "recording ended", fields, count);
}

/* For people at the instrument, when pages show another recording or none. */
static void
live_recording_tell (Take *take)
{
  OctRecorderStats stats;

  oct_recorder_get_stats (take->recorder, &stats);
  live_recording_tell_audit (take, &stats);
  if (stats.message == take->told)
    return;
  take->told = stats.message;
  g_printerr ("Error of a recording: %s\n", stats.message);
}

/* Waits for its files. */
static void
free_take (Take *take)
{
  OctRecorderStats stats;

  oct_recorder_stop (take->recorder);
  oct_recorder_wait_and_tell (take->recorder);
  live_recording_tell (take);
  oct_recorder_get_stats (take->recorder, &stats);
  if (stats.state == OCT_RECORDER_FAILED)
    *take->failed = TRUE;
  oct_recorder_free (take->recorder);
  oct_live_notes_free (take->notes);
  g_free (take->name);
  g_free (take);
}

OctLiveRecording *
oct_live_recording_new (const char *folder, guint file_mode, GstPad *pad,
    gboolean meters, OctLiveAudit *audit, GError **error)
{
  OctLiveRecording *recording;

  if (g_mkdir_with_parents (folder, 0777) != 0
      || g_access (folder, W_OK | X_OK) != 0) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "Nothing can be recorded in the folder '%s' (%s); choose another one "
        "with --record.",
        folder, g_strerror (errno));
    return NULL;
  }
  oct_launch_check_folder (folder, file_mode);
  recording = g_new0 (OctLiveRecording, 1);
  recording->file_mode = file_mode;
  recording->meters = meters;
  recording->audit = audit;
  recording->folder = g_strdup (folder);
  recording->prefix = "bscans";
  recording->pad = gst_object_ref (pad);
  recording->finishing =
      g_ptr_array_new_with_free_func ((GDestroyNotify)free_take);
  return recording;
}

void
oct_live_recording_set_second (
    OctLiveRecording *recording, GstPad *second, const char *prefix)
{
  recording->second = second != NULL ? gst_object_ref (second) : NULL;
  recording->prefix = prefix;
}

/* Frees recorders whose files are complete. */
static void
live_recording_collect (OctLiveRecording *recording)
{
  for (guint i = recording->finishing->len; i-- > 0;) {
    Take *take = g_ptr_array_index (recording->finishing, i);

    if (oct_recorder_wait (take->recorder, 0))
      g_ptr_array_remove_index_fast (recording->finishing, i);
  }
}

gboolean
oct_live_recording_is_active (OctLiveRecording *recording)
{
  OctRecorderStats stats;

  if (recording->take == NULL)
    return FALSE;
  oct_recorder_get_stats (recording->take->recorder, &stats);
  return stats.state == OCT_RECORDER_RECORDING;
}

/* The time, and a number if that was used within the second. */
static char *
live_recording_make_name (OctLiveRecording *recording)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *digits = g_date_time_format (now, "%Y%m%d-%H%M%S");
  g_autofree char *time = g_strconcat (recording->prefix, "-", digits, NULL);
  char *name = g_strdup (time);

  for (guint i = 2; g_strcmp0 (name, recording->name) == 0; i++) {
    g_free (name);
    name = g_strdup_printf ("%s-%u", time, i);
  }
  return name;
}

gboolean
oct_live_recording_start (
    OctLiveRecording *recording, const char *comment, GError **error)
{
  g_autofree char *name = NULL, *output = NULL;
  OctRecorderSettings settings = { .kind = OCT_RECORD_VIDEO,
    .second = recording->second,
    .meters = recording->meters,
    .comment = comment,
    .file_mode = recording->file_mode };
  OctAuditField begun;
  OctRecorder *recorder;

  live_recording_collect (recording);
  if (oct_live_recording_is_active (recording))
    return TRUE;
  name = live_recording_make_name (recording);
  output = g_build_filename (recording->folder, name, NULL);
  settings.output = output;
  recorder = oct_recorder_start (recording->pad, &settings, error);
  if (recorder == NULL)
    return FALSE;
  if (recording->take != NULL)
    g_ptr_array_add (recording->finishing, recording->take);
  recording->take = g_new (Take, 1);
  *recording->take = (Take){ .recorder = recorder,
    .failed = &recording->failed,
    .audit = recording->audit,
    .name = g_strdup (name),
    .has_second = recording->second != NULL,
    .notes = oct_live_notes_new (output, recording->file_mode) };
  begun = (OctAuditField){ "name", name, 0 };
  oct_live_audit_add (recording->audit, "recording begun", &begun, 1);
  g_free (recording->name);
  recording->name = g_steal_pointer (&name);
  recording->begun_at = g_get_monotonic_time ();
  recording->gaps = 0;
  recording->missing = 0;
  g_clear_pointer (&recording->said, g_free);
  return TRUE;
}

void
oct_live_recording_stop (OctLiveRecording *recording)
{
  if (recording->take != NULL)
    oct_recorder_stop (recording->take->recorder);
}

gboolean
oct_live_recording_add_note (
    OctLiveRecording *recording, const char *text, GError **error)
{
  OctRecorderStats stats;

  if (!oct_live_recording_is_active (recording)) {
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
        "Notes are kept with a recording, and nothing is being recorded; press "
        "Record first.");
    return FALSE;
  }
  oct_recorder_get_stats (recording->take->recorder, &stats);
  if (oct_live_notes_add (
          recording->take->notes, stats.time / (double)GST_SECOND, text))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
      "This recording has %d notes, and no more are kept; begin another one.",
      OCT_LIVE_MOST_NOTES);
  return FALSE;
}

const char *
oct_live_recording_add_gap (
    OctLiveRecording *recording, gint64 from, gint64 till, gboolean ends)
{
  g_autofree char *count = NULL;
  const char *end = "it went on after that";

  if (!oct_live_recording_is_active (recording) || from < recording->begun_at)
    return NULL;
  recording->gaps++;
  recording->missing += till - from;
  count = recording->gaps == 1
              ? g_strdup ("a gap")
              : g_strdup_printf ("%u gaps, together", recording->gaps);
  if (ends)
    end = recording->gaps == 1 ? "it ended in it" : "it ended in the last one";
  g_free (recording->said);
  recording->said = g_strdup_printf (
      "The recording %s has %s of %.1f s, in which no pictures came; %s.",
      recording->name, count, recording->missing / 1e6, end);
  return recording->said;
}

void
oct_live_recording_add_measurement (
    OctLiveRecording *recording, const GstStructure *measurement)
{
  if (recording->take != NULL)
    oct_recorder_add_measurement (recording->take->recorder, measurement);
}

void
oct_live_recording_get_status (
    OctLiveRecording *recording, OctLiveRecordingStatus *status)
{
  OctRecorderStats stats;

  live_recording_collect (recording);
  *status = (OctLiveRecordingStatus){ .name = recording->name,
    .gaps = recording->said };
  if (recording->take == NULL)
    return;
  oct_recorder_get_stats (recording->take->recorder, &stats);
  status->active = stats.state == OCT_RECORDER_RECORDING;
  status->finishing = stats.state == OCT_RECORDER_STOPPING;
  status->message = stats.message;
  status->seconds = stats.time / (double)GST_SECOND;
  status->frames = stats.frames;
  status->dropped = stats.dropped + stats.lost + stats.second_dropped;
  status->second = stats.second;
  status->bytes = stats.bytes;
  status->disk_left = stats.disk_left;
  status->notes = oct_live_notes_count (recording->take->notes);
}

void
oct_live_recording_watch (OctLiveRecording *recording)
{
  live_recording_collect (recording);
  for (guint i = 0; i < recording->finishing->len; i++)
    live_recording_tell (g_ptr_array_index (recording->finishing, i));
  if (recording->take != NULL)
    live_recording_tell (recording->take);
}

gboolean
oct_live_recording_free (OctLiveRecording *recording)
{
  gboolean complete;

  g_clear_pointer (&recording->take, free_take);
  g_ptr_array_unref (recording->finishing);
  complete = !recording->failed;
  gst_object_unref (recording->pad);
  gst_clear_object (&recording->second);
  g_free (recording->folder);
  g_free (recording->name);
  g_free (recording->said);
  g_free (recording);
  return complete;
}
