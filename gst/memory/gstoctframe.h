/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * B-scans in buffers of system memory as the operations want them.
 */
#pragma once

#include "gstoctcaps.h"
#include "oct-backend.h"

G_BEGIN_DECLS

typedef struct {
  OctFrame frame; /* where the planes are while mapped */

  /*< private >*/
  gboolean is_video;
  GstVideoFrame video;
  GstBuffer *buffer;
  GstMapInfo map;
} GstOctMappedFrame;

/* Maps a buffer that holds one B-scan of `info`: video with the strides that
 * its GstVideoMeta says, everything else tightly packed.  FALSE with
 * OCT_ERROR_FORMAT when it is of another size, described
 * otherwise, or cannot be mapped.  The buffer has to live until
 * gst_oct_frame_unmap(). */
gboolean gst_oct_frame_map (GstOctMappedFrame *mapped, const GstOctInfo *info,
    GstBuffer *buffer, GstMapFlags flags, GError **error);
void gst_oct_frame_unmap (GstOctMappedFrame *mapped);

/* Sets the error for a buffer of another size, wherever it lies. */
void gst_oct_frame_set_size_error (
    const GstOctInfo *info, gsize size, GError **error);

/* Copies `count` rows of `from` to those of `to` from `row` on. */
gboolean gst_oct_frame_copy_rows (const GstOctInfo *to_info, GstBuffer *to,
    guint row, const GstOctInfo *from_info, GstBuffer *from, guint count,
    GError **error);

G_END_DECLS
