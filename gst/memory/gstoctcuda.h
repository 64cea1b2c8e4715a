/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The GPU as the elements see it.  gstoctcuda.c is the only file that knows
 * GstCuda; without the CUDA toolkit at build time, or without a driver, module
 * or device at run time, gst_oct_cuda_is_usable() says so and nothing is called
 * that takes a GstOctCuda.
 *
 * A GstOctCuda is a GstCudaContext with the data that its elements share: the
 * device table of the module and three streams.  All computing of one context
 * goes through one stream, so that buffers are reused in the order of the work
 * and no element waits for another.
 *
 * Thread-safety: any thread; a GstOctCudaSlot is under the object lock of its
 * element.
 */
#pragma once

#include "gstoctcaps.h"
#include "oct-device.h"

G_BEGIN_DECLS

#define GST_OCT_MAP_CUDA (GST_MAP_FLAG_LAST << 1)
/* in addition: the mapping thread works in the compute stream, which is in
 * order */
#define GST_OCT_MAP_QUEUED (GST_MAP_FLAG_LAST << 9)

typedef struct _GstOctCuda GstOctCuda;

typedef enum {
  GST_OCT_STREAM_COMPUTE, /* work in the NULL stream waits for it */
  GST_OCT_STREAM_UPLOAD,
  GST_OCT_STREAM_DOWNLOAD,
  GST_OCT_N_STREAMS
} GstOctStream;

/* See gst_oct_module_set_plugin_file(). */
void gst_oct_cuda_set_plugin_file (const char *file);

/* Whether CUDA elements can work in this process: asked once.  FALSE with
 * OCT_ERROR_DEVICE and a clause that names what is missing ("there is no ...").
 */
gboolean gst_oct_cuda_is_usable (GError **error);

/* Where an element keeps its context; all zero at first.  Other elements ask
 * for it, and hand one over, in any thread. */
typedef struct {
  /*< private >*/
  gpointer context; /* GstCudaContext, under the object lock of the element, */
  GThread *maker;   /* but while this thread looks for one */
} GstOctCudaSlot;

/* The context of the pipeline of `element`, shared with foreign CUDA elements
 * (GstContext), or a new one on GPU `device_id` (-1 = any).
 * Returns: the GstOctCuda, valid until gst_oct_cuda_forget(), or NULL with
 * OCT_ERROR_DEVICE; the slot may be set then too. */
GstOctCuda *gst_oct_cuda_ensure (
    GstElement *element, gint device_id, GstOctCudaSlot *slot, GError **error);
void gst_oct_cuda_forget (GstElement *element, GstOctCudaSlot *slot);

/* For GstElementClass.set_context() and for context queries. */
void gst_oct_cuda_set_context (GstElement *element, GstContext *context,
    gint device_id, GstOctCudaSlot *slot);
gboolean gst_oct_cuda_answer_query (
    GstElement *element, GstQuery *query, GstOctCudaSlot *slot);

/* A context that others have made, a CUcontext of GPU `device` that lives as long
 * as the process.  Returns: a reference, or NULL with OCT_ERROR_DEVICE. */
GstOctCuda *gst_oct_cuda_wrap (gpointer handle, guint device, GError **error);

/* The elements in `pipeline` use this context. */
void gst_oct_cuda_offer (GstOctCuda *cuda, GstElement *pipeline);

/* Waits for all work in the context, also in streams of others. */
void gst_oct_cuda_wait (GstOctCuda *cuda);

/* Whether a buffer is one memory on the GPU in this context. */
gboolean gst_oct_cuda_holds (GstOctCuda *cuda, GstBuffer *buffer);

GstOctCuda *gst_oct_cuda_ref (GstOctCuda *cuda);
void gst_oct_cuda_unref (GstOctCuda *cuda);

const OctDevice *gst_oct_cuda_get_device (GstOctCuda *cuda);
gpointer gst_oct_cuda_get_stream (GstOctCuda *cuda, GstOctStream which);

/* Makes the context current in this thread; around every use of the device. */
gboolean gst_oct_cuda_push (GstOctCuda *cuda, GError **error);
void gst_oct_cuda_pop (GstOctCuda *cuda);

/* A pool of buffers of GPU memory for the caps it is configured with. */
GstBufferPool *gst_oct_cuda_pool_new (GstOctCuda *cuda);

/* Where the planes of a buffer in the memory of this context are on the GPU.
 * The buffer stays mapped until gst_buffer_unmap() with `map`.  FALSE with
 * OCT_ERROR_DEVICE (other memory, or it cannot be mapped) or _FORMAT (smaller
 * than `info` says). */
gboolean gst_oct_cuda_map (GstOctCuda *cuda, const GstOctInfo *info,
    GstBuffer *buffer, GstMapFlags flags, OctFrame *frame, GstMapInfo *map,
    GError **error);

G_END_DECLS
