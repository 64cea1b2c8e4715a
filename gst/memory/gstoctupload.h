/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * B-scans that are fetched from host memory to the GPU, each in a block of GPU
 * memory of its own that is used again.
 *
 * Nothing waits: the copy is queued in the upload stream, the compute stream
 * waits for it, and the source is kept until it has been fetched.  A few
 * B-scans may be under way, then the host waits for the oldest.  More blocks
 * are made only if downstream elements keep them, as a queue does.
 *
 * Thread-safety: any thread may release a GstOctUpload.
 */
#pragma once

#include "gstoctplanes.h"

G_BEGIN_DECLS

typedef struct _GstOctUploads GstOctUploads;
typedef struct _GstOctUpload GstOctUpload;

/* For B-scans of `info`, each followed by `extra` bytes for values that are
 * found of it.  Counted, since blocks may outlive their user.  Call with the
 * context pushed, as all of the following. */
GstOctUploads *gst_oct_uploads_new (
    GstOctCuda *cuda, const GstOctInfo *info, gsize extra, GError **error);
void gst_oct_uploads_unref (GstOctUploads *uploads);

/* Begins to fetch a buffer of host memory: one reference, NULL with an error.
 */
GstOctUpload *gst_oct_uploads_begin (
    GstOctUploads *uploads, GstBuffer *in, GError **error);
/* Its planes, for work that is queued in the compute stream from now on. */
OctFrame gst_oct_upload_get_frame (const GstOctUpload *upload);
gpointer gst_oct_upload_get_extra (const GstOctUpload *upload);
/* Call after queueing all work that reads it in the compute stream. */
gboolean gst_oct_upload_used (GstOctUpload *upload, GError **error);
/* Call after queueing a part of that work: used() follows, or unref() will
 * do. */
void gst_oct_upload_begun (GstOctUpload *upload);

/* Gives the block back; any thread, whatever context is pushed. */
void gst_oct_upload_unref (GstOctUpload *upload);

G_END_DECLS
