/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Buffers that are made of others without a copy: octgather puts several
 * B-scans into one in this way.
 *
 * The memory of each piece is one memory of the whole, and the piece goes back
 * to where it came from with that.  The metadata of every piece stay with the
 * whole, so that its images get those of their own B-scans.
 *
 * Thread-safety: that of GstBuffer.
 */
#pragma once

#include "gstoctcaps.h"

G_BEGIN_DECLS

/* Pieces of a buffer at most: GStreamer copies memory together from there on. */
#define GST_OCT_PIECES_MOST 16u

/* Appends the first `size` bytes of `piece`, whose rows have to be packed as
 * `whole` has them, and keeps a reference as long as `whole` lives.  FALSE: it
 * has fewer, or cannot be read. */
gboolean gst_oct_pieces_append (GstBuffer *whole, GstBuffer *piece, gsize size);

/* Pieces of a buffer, 0: it is not made of any. */
guint gst_oct_pieces_count (GstBuffer *whole);

/* A buffer without memory that has the metadata of piece `i`; it belongs to
 * `whole`. */
GstBuffer *gst_oct_pieces_get (GstBuffer *whole, guint i);

/* Removes what was copied with the metadata of a whole. */
void gst_oct_pieces_forget (GstBuffer *buffer);

/* Whether a buffer has several memories, with the rows of `info` after each
 * other, so that a copy of each suffices. */
gboolean gst_oct_pieces_are_packed (const GstOctInfo *info, GstBuffer *buffer);

/* Whether the rows lie as they do without a GstVideoMeta. */
gboolean gst_oct_rows_are_plain (const GstOctInfo *info, GstBuffer *buffer);

/* Whether a GstVideoMeta says where they lie. */
gboolean gst_oct_rows_are_told (const GstOctInfo *info, GstBuffer *buffer);

/* The memory that one of a whole shows, or `memory` itself. */
GstMemory *gst_oct_piece_get_origin (GstMemory *memory);

G_END_DECLS
