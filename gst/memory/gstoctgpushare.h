/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Arrays on a GPU that are shared with other libraries of the process, without
 * a copy.  Python (python/gstoct/_cuda.py) finds these functions by their names
 * in the file of the plugin; nothing else is exported.
 *
 * Other libraries (CuPy, PyTorch, all of CUDA's run time) work in the primary
 * context of a GPU, where pointers of another context are not valid.  So a
 * pipeline has to be given that context.  The order of work is that of CUDA's
 * legacy default stream, handle 1: the stream of computing waits for it, and it
 * waits for the stream of computing.
 *
 * Thread-safety: any thread.
 */
#pragma once

#include "gstoctcuda.h"

G_BEGIN_DECLS

/* Whether GPUs can be used: see gst_oct_cuda_is_usable(). */
GST_PLUGIN_EXPORT gboolean gst_oct_gpu_share_is_usable (GError **error);

/* The elements' side of a CUcontext of GPU `device`, for the rest of the
 * process.  NULL with OCT_ERROR_DEVICE. */
GST_PLUGIN_EXPORT GstOctCuda *gst_oct_gpu_share_open (
    gpointer handle, guint device, GError **error);

/* Makes the elements of a pipeline work in it, before they start. */
GST_PLUGIN_EXPORT void gst_oct_gpu_share_use (
    GstOctCuda *cuda, GstElement *pipeline);

/* Memory at the address `data` of the GPU, which can be read only, belongs to
 * the caller and has to live until the memory is freed; `data` NULL: new memory
 * of `size` bytes.  Work that writes to it is in the order of the legacy default stream.  Mapping it without GST_OCT_MAP_CUDA downloads it.
 * NULL with OCT_ERROR_MEMORY or _DEVICE. */
GST_PLUGIN_EXPORT GstMemory *gst_oct_gpu_share_memory_new (
    GstOctCuda *cuda, gpointer data, gsize size, GError **error);

/* A DLManagedTensor (DLPack 0.8, dlpack.h) on GPU `device` of values in a buffer
 * that is in memory of `cuda`: from byte `offset` on, `n` axes of these sizes and
 * distances (in values, copied), the type as DLDataType has it.  It holds the
 * buffer until its deleter is called, in any thread.  `wait`: the deleter waits
 * for all work in the context, as it is not known which stream the values are
 * read in; else that has to be in the order of the legacy default stream.  NULL
 * with OCT_ERROR_DEVICE (other memory, or it cannot be mapped) or _FORMAT (the
 * values do not fit into the buffer). */
GST_PLUGIN_EXPORT gpointer gst_oct_gpu_share_tensor_new (GstOctCuda *cuda,
    gint device, GstBuffer *buffer, gsize offset, gint n, const gint64 *sizes,
    const gint64 *distances, guint8 code, guint8 bits, gboolean wait,
    GError **error);

/* The address of memory that gst_oct_gpu_share_memory_new() made for `cuda` and
 * that is all of a buffer, NULL: of other memory. */
gpointer gst_oct_gpu_share_peek (GstBuffer *buffer, GstOctCuda *cuda);

G_END_DECLS
