/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Where an element computes: the backend that is asked for, and the GPU that is
 * used.
 */
#pragma once

#include "gstoctbackend.h"
#include "gstoctcuda.h"

G_BEGIN_DECLS

typedef struct {
  /* properties, for the time before the start */
  GstOctBackendChoice backend;
  gint cuda_device_id;

  /*< private >*/
  GstOctCudaSlot slot;
  GstOctCuda *cuda;
  gint failed; /* atomic: no context could be made */
} GstOctPlace;

#define GST_OCT_PLACE_ROWS                                                     \
  GST_OCT_BACKEND_ROWS (GstOctPlace, backend, cuda_device_id)

/* At the start.  TRUE if the element can work: on a GPU, or on the CPU if that
 * is allowed.  FALSE with OCT_ERROR_DEVICE. */
gboolean gst_oct_place_start (
    GstOctPlace *place, GstElement *element, GError **error);
/* At the stop, and at the end: there is no GPU any more. */
void gst_oct_place_stop (GstOctPlace *place, GstElement *element);

/* NULL: the CPU.  In the threads that the start has begun. */
GstOctCuda *gst_oct_place_get_cuda (const GstOctPlace *place);

/* Whether to offer memory on a GPU, in any thread: an element that insists on a
 * GPU does, and gets an error at the start if there is none. */
gboolean gst_oct_place_may_use_cuda (const GstOctPlace *place);
/* Whether to offer memory on a GPU alone. */
gboolean gst_oct_place_insists (const GstOctPlace *place);

/* Whether the element after the source pad brings buffers of the host to a GPU,
 * once it has been started. */
gboolean gst_oct_place_is_on_gpu (GstPad *src);

/* For GstElementClass.set_context(), and for queries of the context and of
 * gst_oct_place_is_on_gpu(). */
void gst_oct_place_set_context (
    GstOctPlace *place, GstElement *element, GstContext *context);
gboolean gst_oct_place_answer_query (
    GstOctPlace *place, GstElement *element, GstQuery *query);

G_END_DECLS
