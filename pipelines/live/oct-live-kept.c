/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-kept.h"

#include "oct-moment.h"

enum { VIDEO, SPECTRA, N_PARTS };

typedef struct {
  OctMoment *moment; /* NULL: not held */
  char *sentence;    /* of the last result */
  gboolean failed;   /* that is one */
} Part;

struct _OctLiveKept {
  OctLiveStreams *streams;
  guint receiver, seconds;
  Part parts[N_PARTS];
  gboolean any_failed;
  char *sentence;
  OctLiveAudit *audit;
};

/* Streaming thread of the encoder. */
static void
kept_take (GstBuffer *buffer, GstCaps *caps, gpointer data)
{
  OctLiveKept *kept = data;

  oct_moment_push (kept->parts[VIDEO].moment, buffer, caps);
}

OctLiveKept *
oct_live_kept_new (const char *folder, guint file_mode, guint seconds,
    guint64 memory, OctLiveAudit *audit, GError **error)
{
  g_autofree char *video = g_build_filename (folder, "kept", NULL);
  g_autofree char *spectra = g_build_filename (folder, "kept-spectra", NULL);
  OctMomentSettings settings = { .kind = OCT_MOMENT_H264,
    .location = video,
    .file_mode = file_mode,
    .seconds = seconds };
  OctLiveKept *kept = g_new0 (OctLiveKept, 1);
  gboolean ok;

  kept->seconds = seconds;
  kept->audit = audit;
  kept->parts[VIDEO].moment = oct_moment_new (&settings, error);
  ok = kept->parts[VIDEO].moment != NULL;
  if (ok && memory > 0) {
    settings.kind = OCT_MOMENT_SPECTRA;
    settings.location = spectra;
    settings.memory = memory;
    kept->parts[SPECTRA].moment = oct_moment_new (&settings, error);
    ok = kept->parts[SPECTRA].moment != NULL;
  }
  if (ok)
    return kept;
  oct_live_kept_free (kept);
  return NULL;
}

void
oct_live_kept_watch_video (OctLiveKept *kept, OctLiveStreams *streams)
{
  kept->streams = streams;
  kept->receiver =
      oct_live_streams_add_receiver (streams, OCT_LIVE_H264, kept_take, kept);
}

void
oct_live_kept_watch_spectra (GstPad *pad, GstPad *calibration, gpointer data)
{
  OctLiveKept *kept = data;

  oct_moment_watch (kept->parts[SPECTRA].moment, pad, calibration);
}

static void
kept_read (OctLiveKept *kept, Part *part)
{
  OctAuditField said;
  char *sentence;
  gboolean failed;

  while (
      part->moment != NULL
      && (sentence = oct_moment_take_result (part->moment, &failed)) != NULL) {
    if (failed)
      g_printerr ("Error: %s\n", sentence);
    said = (OctAuditField){ failed ? "trouble" : "files", sentence, 0 };
    oct_live_audit_add (kept->audit, "last seconds kept", &said, 1);
    kept->any_failed |= failed;
    g_free (part->sentence);
    part->sentence = sentence;
    part->failed = failed;
  }
}

const char *
oct_live_kept_get_sentence (OctLiveKept *kept, gboolean *failed)
{
  const char *sentences[N_PARTS + 1] = { NULL };
  guint count = 0;

  *failed = FALSE;
  for (guint i = 0; i < N_PARTS; i++) {
    Part *part = &kept->parts[i];

    kept_read (kept, part);
    *failed |= part->failed;
    if (part->sentence != NULL)
      sentences[count++] = part->sentence;
  }
  g_free (kept->sentence);
  kept->sentence = count > 0 ? g_strjoinv (" ", (char **)sentences) : NULL;
  return kept->sentence;
}

gboolean
oct_live_kept_keep (
    OctLiveKept *kept, const char *comment, const char **sentence)
{
  gboolean ok = TRUE, failed;

  (void)oct_live_kept_get_sentence (kept, &failed);
  for (guint i = 0; i < N_PARTS; i++)
    if (kept->parts[i].moment != NULL)
      ok &= oct_moment_keep (kept->parts[i].moment, comment);
  if (!ok)
    *sentence = oct_live_kept_get_sentence (kept, &failed);
  return ok;
}

guint
oct_live_kept_get_seconds (const OctLiveKept *kept)
{
  return kept->seconds;
}

gboolean
oct_live_kept_free (OctLiveKept *kept)
{
  gboolean complete;

  if (kept->streams != NULL)
    oct_live_streams_remove_receiver (kept->streams, kept->receiver);
  for (guint i = 0; i < N_PARTS; i++) {
    Part *part = &kept->parts[i];

    if (part->moment != NULL)
      oct_moment_end (part->moment);
    kept_read (kept, part);
    oct_moment_free (part->moment);
    g_free (part->sentence);
  }
  complete = !kept->any_failed;
  g_free (kept->sentence);
  g_free (kept);
  return complete;
}
