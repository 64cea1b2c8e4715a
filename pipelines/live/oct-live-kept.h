/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The last seconds of the video as it is shown, and of the spectra, which pages
 * and pedals can keep: written to files of their own in the folder of the
 * recordings.  Main thread.
 */
#pragma once

#include "oct-live-audit.h"
#include "oct-live-streams.h"

G_BEGIN_DECLS

typedef struct _OctLiveKept OctLiveKept;

/* To hold `seconds`, and of these as many of the spectra as `memory` bytes have
 * room for; 0: no spectra.  `folder` exists when something is kept;
 * `file_mode`: permissions of the files.  `audit` may be NULL.  NULL with an error of one sentence: an
 * element is missing. */
OctLiveKept *oct_live_kept_new (const char *folder, guint file_mode,
    guint seconds, guint64 memory, OctLiveAudit *audit, GError **error);

/* Video, which is encoded from now on whether or not somebody watches. */
void oct_live_kept_watch_video (OctLiveKept *kept, OctLiveStreams *streams);
/* `kept`: an OctLiveKept.  Spectra that will come from `pad`, in place of those
 * before; `calibration`: a pad that knows their calibration. */
void oct_live_kept_watch_spectra (
    GstPad *pad, GstPad *calibration, gpointer kept);

/* Begins to write the files; `comment`: a line beside them, or NULL.  FALSE with
 * a sentence for the page, which belongs to `kept`. */
gboolean oct_live_kept_keep (
    OctLiveKept *kept, const char *comment, const char **sentence);

/* About the last files, or the reason why there are none; NULL before the first
 * one.  Prints failures on the terminal.  `failed`: whether there is one.
 * Belongs to `kept`.  To be called every second or so. */
const char *oct_live_kept_get_sentence (OctLiveKept *kept, gboolean *failed);
guint oct_live_kept_get_seconds (const OctLiveKept *kept);

/* Waits for the files under way.  FALSE: one of all could not be written. */
gboolean oct_live_kept_free (OctLiveKept *kept);

G_END_DECLS
