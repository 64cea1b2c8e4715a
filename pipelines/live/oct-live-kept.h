/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The last seconds of the video as it is shown, which pages can keep: written
 * to files of their own in the folder of the recordings.  Main thread.
 */
#pragma once

#include "oct-live-streams.h"

G_BEGIN_DECLS

typedef struct _OctLiveKept OctLiveKept;

/* Holds `seconds` of `streams`, which are encoded from now on whether or not
 * somebody watches.  `folder` exists; `file_mode`: permissions of the files.
 * NULL with an error of one sentence: an element is missing. */
OctLiveKept *oct_live_kept_new (const char *folder, guint file_mode,
    guint seconds, OctLiveStreams *streams, GError **error);

/* Begins to write a file.  FALSE with a sentence for the page, which belongs to
 * `kept`. */
gboolean oct_live_kept_keep (OctLiveKept *kept, const char **sentence);

/* About the last file, or the reason why there is none, one sentence; NULL
 * before the first one.  Prints failures on the terminal.  `failed`: whether it
 * is one.  Belongs to `kept`. */
const char *oct_live_kept_get_sentence (OctLiveKept *kept, gboolean *failed);
guint oct_live_kept_get_seconds (const OctLiveKept *kept);

/* Waits for the files under way.  FALSE: one of all could not be written. */
gboolean oct_live_kept_free (OctLiveKept *kept);

G_END_DECLS
