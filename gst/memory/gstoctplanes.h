/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The planes of a B-scan where they lie as its caps say, and copies of them
 * between host and GPU.
 */
#pragma once

#include "gstoctcuda.h"

G_BEGIN_DECLS

/* Bytes from one row to the next, and of the values in one row. */
gsize gst_oct_plane_stride (const GstOctInfo *info, guint plane);
gsize gst_oct_plane_row_bytes (const GstOctInfo *info, guint plane);
guint gst_oct_plane_rows (const GstOctInfo *info, guint plane);
guint gst_oct_count_planes (const GstOctInfo *info);

/* The planes in memory of info->size bytes. */
OctFrame gst_oct_planes_in (gpointer memory, const GstOctInfo *info);

/* All planes, in that stream. */
gboolean gst_oct_copy_planes (const OctDevice *device, OctCopy direction,
    const GstOctInfo *info, const OctFrame *dest, const OctFrame *src,
    gpointer stream, GError **error);

G_END_DECLS
