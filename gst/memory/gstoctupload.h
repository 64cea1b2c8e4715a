/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * B-scans that are fetched from host memory to the GPU, each in a block of GPU
 * memory of its own that is used again.
 *
 * Nothing waits: the copy is queued in the upload stream, the compute stream
 * waits for it, and the source is kept until it has been fetched.  A few
 * B-scans may be under way, then the host waits for the oldest.  More blocks
 * are made only where somebody keeps them, as a queue does.
 */
#pragma once

#include "gstoctplanes.h"

G_BEGIN_DECLS

typedef struct _GstOctUploads GstOctUploads;
typedef struct _GstOctUpload GstOctUpload;

/* For B-scans of `info`, with `extra` bytes behind each for what is found of
 * it. Counted, since blocks may outlive whoever asked for them.  With the
 * context pushed, as all of the following. */
GstOctUploads *gst_oct_uploads_new (
    GstOctCuda *cuda, const GstOctInfo *info, gsize extra, GError **error);
void gst_oct_uploads_unref (GstOctUploads *uploads);

/* Begins to fetch a buffer of host memory: one reference, NULL with an error.
 */
GstOctUpload *gst_oct_uploads_begin (
    GstOctUploads *uploads, GstBuffer *in, GError **error);
/* Where it will be for what is queued in the compute stream from now on. */
OctFrame gst_oct_upload_get_frame (const GstOctUpload *upload);
gpointer gst_oct_upload_get_extra (const GstOctUpload *upload);
/* What is in the compute stream so far reads it: to be called behind all that
 * does. */
gboolean gst_oct_upload_used (GstOctUpload *upload, GError **error);
/* The same where more is to come: used() behind that, or unref(), will do. */
void gst_oct_upload_begun (GstOctUpload *upload);

/* Gives the block back; any thread, whatever context is pushed. */
void gst_oct_upload_unref (GstOctUpload *upload);

G_END_DECLS
