/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Results that have not been computed yet.
 *
 * An element may hand on a B-scan with the steps that lead to it in place of
 * its values, so that who needs the values does all steps in one pass over the
 * data.  It does so only where the element behind agreed, by adding
 * GST_OCT_PENDING_API_TYPE to its reply to the ALLOCATION query: queues hand
 * that on, a tee offers what all of its branches do.
 *
 * It is safe without that too: the steps hang on the GstMemory, and whoever
 * maps it has them done first.  Steps keep the settings they were made with.
 */
#pragma once

#include "gstoctrunner.h"
#include "gstoctupload.h"

G_BEGIN_DECLS

#define GST_OCT_PENDING_API_TYPE (gst_oct_pending_api_get_type ())
GType gst_oct_pending_api_get_type (void);

/* The B-scan that steps start from, kept as long as somebody may need it;
 * counted. */
typedef struct _GstOctOrigin GstOctOrigin;

/* Keeps `buffer`, a B-scan of `info` in host memory, mapped for reading; where
 * whoever made it has a limited number of buffers, a copy.  `mean_size`: of the
 * mean that goes with it, 0 for none.  NULL with an error. */
GstOctOrigin *gst_oct_origin_new (const OctBackend *backend,
    const GstOctInfo *info, GstBuffer *buffer, gsize mean_size, GError **error);
/* The same in GPU memory: `buffer`; or what has been fetched there, whose
 * reference is taken, with its extra bytes for the mean. */
GstOctOrigin *gst_oct_origin_new_on_gpu (GstOctCuda *cuda,
    const GstOctInfo *info, GstBuffer *buffer, GError **error);
GstOctOrigin *gst_oct_origin_new_fetched (
    GstOctCuda *cuda, GstOctUpload *upload);
/* Of memory that is not to be written, and that is plentiful all the
 * same: no copy is made of it, nor of parts of it. */
void gst_oct_origin_allow (GstMemory *memory);
GstOctOrigin *gst_oct_origin_ref (GstOctOrigin *origin);
void gst_oct_origin_unref (GstOctOrigin *origin);
/* planes[1].data: the mean, or NULL. */
OctFrame gst_oct_origin_get_frame (const GstOctOrigin *origin);
/* NULL: it is in host memory. */
GstOctCuda *gst_oct_origin_get_cuda (const GstOctOrigin *origin);
/* To be called behind all that was queued to read it on the GPU. */
gboolean gst_oct_origin_used (GstOctOrigin *origin, GError **error);
/* To be called where something was queued and more is to come, or nothing. */
void gst_oct_origin_begun (GstOctOrigin *origin);

/* Steps that are pending, each with the element that it belongs to. */
struct _GstOctPending {
  GstOctOrigin *origin;
  guint bscans; /* that it holds */
  guint n;
  OctStep *steps[OCT_SEQUENCE_MAX];
  GstElement *owners[OCT_SEQUENCE_MAX];
};

/* Keeps references. */
void gst_oct_pending_add (
    GstOctPending *pending, OctStep *step, GstElement *owner);
void gst_oct_pending_clear (GstOctPending *pending);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstOctPending, gst_oct_pending_clear)

/* Memory that holds the result of the last step.  Takes what `pending` holds;
 * `runner` does the steps where somebody maps the memory. */
GstMemory *gst_oct_pending_memory_new (
    GstOctPending *pending, GstOctRunner *runner);

/* TRUE when the values of the buffer have not been computed and start from
 * memory of `cuda` (NULL: of the host): `pending` is filled with references of
 * its own.  FALSE: it is to be mapped like any other. */
gboolean gst_oct_pending_get (
    GstBuffer *buffer, GstOctCuda *cuda, GstOctPending *pending);

/* The same wherever it starts from, for a thread beside those of the pipeline:
 * *runner is another one (a new reference), so that nobody waits. */
gboolean gst_oct_pending_get_aside (
    GstBuffer *buffer, GstOctPending *pending, GstOctRunner **runner);

/* Whether it is such memory, done or not, on the GPU of `cuda`. */
gboolean gst_oct_pending_is_on_gpu (GstMemory *memory, GstOctCuda *cuda);

G_END_DECLS
