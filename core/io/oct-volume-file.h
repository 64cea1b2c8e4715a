/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Writes volumes as other programs read them.  One file is one volume, complete
 * on the disk or not there.
 *
 * A volume is slices [bscan][row][column]: images have the depth downwards and
 * A-lines from left to right, A-scans are a row each with the depth running
 * fastest.  Pictures en face are slices, too, with a row for each B-scan or as
 * many as were asked for; each is a file of its own as a rule (bscans = 1).
 */
#pragma once

#include "oct-volume-file-info.h"

G_BEGIN_DECLS

/* The n-th kind that a user can choose, this build may lack some; NULL: there
 * are no more.  Texts are static. */
const char *oct_volume_file_describe (
    guint n, OctVolumeFileKind *kind, const char **blurb);

/* The kind of a file with this name.  OCT_VOLUME_FILE_AUTO with
 * OCT_ERROR_SETTINGS if the ending is unknown. */
OctVolumeFileKind oct_volume_file_guess (const char *path, GError **error);

/* Whether such volumes can be written: OCT_ERROR_SETTINGS names the impossible
 * setting, before there is a volume. */
gboolean oct_volume_file_check (
    OctVolumeFileKind kind, const OctVolumeFileInfo *info, GError **error);

/* Whether the file `path` can be made: nothing has its name yet, and its folder
 * can be written to.  OCT_ERROR_WRITE. */
gboolean oct_volume_file_check_new (const char *path, GError **error);

/* Writes `voxels`, tightly packed, as the file `path`, which must not exist,
 * with the permissions `mode`, whatever the umask.  While it is written it is
 * PATH.part; it is on the disk under its name when this returns.
 * OCT_ERROR_WRITE, _DISK_FULL (before anything is written, if that can be
 * seen), _SETTINGS. */
gboolean oct_volume_file_write (OctVolumeFileKind kind, const char *path,
    const OctVolumeFileInfo *info, gconstpointer voxels, guint mode,
    GError **error);

/* A volume that is written B-scan by B-scan, of a kind that can. */
typedef struct _OctVolumeStream OctVolumeStream;
gboolean oct_volume_file_is_streamed (OctVolumeFileKind kind);

/* Begins PATH.part, as oct_volume_file_write(), which checks the same; the texts
 * of `info` are copied or not used any more.  NULL with an error. */
OctVolumeStream *oct_volume_stream_open (OctVolumeFileKind kind,
    const char *path, const OctVolumeFileInfo *info, guint mode,
    GError **error);
/* B-scan `bscan` of [rows][columns], rows `stride` bytes apart, in any order:
 * it is on the disk when all of its neighbours are there, or at the end.  One
 * that comes again replaces the first. */
gboolean oct_volume_stream_put (OctVolumeStream *stream, guint bscan,
    const guint8 *pixels, gsize stride, GError **error);
/* B-scans that never came are black.  It has its name when this returns TRUE;
 * frees the stream in any case, and with an error PATH.part stays. */
gboolean oct_volume_stream_end (OctVolumeStream *stream, GError **error);
/* Frees it; PATH.part stays as it is, or goes. */
void oct_volume_stream_leave (OctVolumeStream *stream, gboolean remove);

G_END_DECLS
