/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A film as a DICOM file: a Video Photographic Image (PS3.3, A.32.7) in the transfer
 * syntax MPEG-4 AVC/H.264 High Profile / Level 4.1 (PS3.5, 8.2.7).
 *
 * DICOM has no SOP class for films of ophthalmology.  Those for endoscopes and
 * microscopes stand for such an instrument, which did not make a film of OCT; the one
 * for photographs stands for any camera.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef struct {
  guint rows, columns, frames;
  double frame_time; /* from a frame to the next, seconds */
  const char *tags;  /* as OctVolumeFileInfo's, or NULL */
} OctVideoInfo;

/* Bytes of a film: a fragment has no more. */
#define OCT_VIDEO_FILE_MOST G_GUINT64_CONSTANT (0xfffffffe)

/* Writes the DICOM file `path` around the bytes of the MP4 file `film`, which fits
 * the transfer syntax as the caller knows.  OCT_ERROR_READ, _SETTINGS, _WRITE. */
gboolean oct_video_file_write (const char *film, const char *path,
    const OctVideoInfo *info, GError **error);

G_END_DECLS
