/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How the B-scans of an element get to its operation and back: mapped where
 * they are, or fetched to the GPU and brought back from it.
 *
 * On the GPU nothing here waits.  Uploads, computing and downloads have a
 * stream each and are tied by events; input buffers are kept until they have
 * been fetched, and mapping output in page-locked memory waits for it; small
 * images of a chain in one pass are written there by the kernels.  A few
 * B-scans may be under way, then begin() waits for the oldest.  Only images
 * that stay on the GPU are waited for, unless the next element works in a
 * stream that can be ordered after ours.
 *
 * Thread-safety: one thread at a time.
 */
#pragma once

#include "gstoctallocation.h"
#include "gstoctupload.h"

G_BEGIN_DECLS

typedef struct _GstOctAccess GstOctAccess;

/* For buffers of these infos, several of the output for each of the input if
 * images of one B-scan are made of buffers with more; `input_on_gpu`,
 * `output_on_gpu`: in memory of `cuda`, which is NULL for the CPU backend and
 * then neither is. */
GstOctAccess *gst_oct_access_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, const GstOctInfo *output, gboolean output_on_gpu,
    GError **error);

/* Buffers of the output for this one of the input, which may have fewer B-scans
 * than its info says: what follows up to end() is for as many as it has.  0
 * with an error: the output takes no fewer, or `needs_all`. */
guint gst_oct_access_expect (
    GstOctAccess *access, GstBuffer *in, gboolean needs_all, GError **error);

/* Bytes of a block for as many images on the host as an input can have, *size
 * bytes each and *step apart; 0: they do not come from a GPU. */
gsize gst_oct_access_get_block (
    const GstOctAccess *access, gsize *step, gsize *size);

/* The reader of output on the GPU, GST_OCT_READER_ANY at first. */
void gst_oct_access_set_reader (GstOctAccess *access, GstOctReader reader);

/* On the GPU: the stream that the operation runs in, which is that of computing
 * at first.  Another one is for operations without an input. */
void gst_oct_access_set_stream (GstOctAccess *access, gpointer stream);

/* Waits for the work under way. */
void gst_oct_access_free (GstOctAccess *access);

/* Makes the context of the GPU current around create(), run() and destroy() of
 * plans; nothing on the CPU. */
gboolean gst_oct_access_enter (GstOctAccess *access, GError **error);
void gst_oct_access_leave (GstOctAccess *access);

/* Where the operation finds its input and puts its output, and the stream to
 * run it in.  `out`: as many buffers as expect() said, there until end();
 * the same buffer twice: in place; `in` NULL: it comes from elsewhere.  `to`:
 * the image of every B-scan, or one frame.  After TRUE end() has to follow,
 * with whether the operation succeeded; both between enter() and leave(). */
gboolean gst_oct_access_begin (GstOctAccess *access, GstBuffer *in,
    GstBuffer *const *out, OctFrame *from, const OctFrame **to,
    gpointer *stream, GError **error);
gboolean gst_oct_access_end (
    GstOctAccess *access, gboolean success, GError **error);

/* Fetches an input from the host to the GPU, for an operation that is run
 * later; can_fetch(): whether the input is on the host and the operation on the
 * GPU. */
gboolean gst_oct_access_can_fetch (GstOctAccess *access);
GstOctUpload *gst_oct_access_fetch (
    GstOctAccess *access, GstBuffer *in, GError **error);

/* NULL: the CPU. */
GstOctCuda *gst_oct_access_get_cuda (GstOctAccess *access);

G_END_DECLS
