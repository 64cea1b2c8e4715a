/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The contents of a file whose writing was interrupted. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Frames that a player finds in video track `track`, from 0 on, of a file
 * (Matroska, or `mp4`), which is read to its end; 0 if there is none.  FALSE with the system's error if the
 * file cannot be read, which proves nothing about its frames.  Takes as long as
 * reading it. */
gboolean oct_playable_count (const char *path, gboolean mp4, guint track,
    guint64 *frames, GError **error);

G_END_DECLS
