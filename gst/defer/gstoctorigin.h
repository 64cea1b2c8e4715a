/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Steps that have not been done yet, and the B-scan that they start from.
 *
 * Thread-safety: any thread may hold and release a GstOctOrigin; a
 * GstOctPending belongs to one thread.
 */
#pragma once

#include "gstoctframe.h"
#include "gstoctupload.h"
#include "oct-sequence.h"

G_BEGIN_DECLS

/* The B-scan that steps start from, kept as long as somebody may need it;
 * counted. */
typedef struct _GstOctOrigin GstOctOrigin;

/* Keeps `buffer`, a B-scan of `info` in host memory, mapped for reading; or a
 * copy if its owner has a limited number of buffers.  `mean_size`: of the mean
 * that goes with it, 0 for none.  NULL with an error. */
GstOctOrigin *gst_oct_origin_new (const OctBackend *backend,
    const GstOctInfo *info, GstBuffer *buffer, gsize mean_size, GError **error);
/* The same in GPU memory: `buffer`; or a fetched B-scan, whose reference is
 * taken, with its extra bytes for the mean. */
GstOctOrigin *gst_oct_origin_new_on_gpu (GstOctCuda *cuda,
    const GstOctInfo *info, GstBuffer *buffer, GError **error);
GstOctOrigin *gst_oct_origin_new_fetched (
    GstOctCuda *cuda, GstOctUpload *upload);
/* Marks read-only memory that is plentiful all the same: neither it nor parts
 * of it are copied. */
void gst_oct_origin_allow (GstMemory *memory);
GstOctOrigin *gst_oct_origin_ref (GstOctOrigin *origin);
void gst_oct_origin_unref (GstOctOrigin *origin);
/* planes[1].data: the mean, or NULL; with the number of its A-lines if there
 * are fewer than its info says. */
OctFrame gst_oct_origin_get_frame (const GstOctOrigin *origin);
/* Call after queueing all work that reads it on the GPU. */
gboolean gst_oct_origin_used (GstOctOrigin *origin, GError **error);
/* Call after queueing work if used() may never follow. */
void gst_oct_origin_begun (GstOctOrigin *origin);

/* Steps that are pending, each with the element that it belongs to. */
typedef struct {
  GstOctOrigin *origin;
  guint bscans; /* that it can hold */
  guint n;
  OctStep *steps[OCT_SEQUENCE_MAX];
  GstElement *owners[OCT_SEQUENCE_MAX];
} GstOctPending;

/* Keeps references. */
void gst_oct_pending_add (
    GstOctPending *pending, OctStep *step, GstElement *owner);
void gst_oct_pending_clear (GstOctPending *pending);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstOctPending, gst_oct_pending_clear)

G_END_DECLS
