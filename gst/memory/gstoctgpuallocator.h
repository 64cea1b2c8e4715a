/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Allocators of memory that can be on a GPU and is not GstCudaMemory: how
 * gst_oct_cuda_map() recognises it.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstOctCuda GstOctCuda; /* gstoctcuda.h */

#define GST_TYPE_OCT_GPU_ALLOCATOR (gst_oct_gpu_allocator_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstOctGpuAllocator, gst_oct_gpu_allocator, GST,
    OCT_GPU_ALLOCATOR, GstAllocator)

struct _GstOctGpuAllocatorClass {
  GstAllocatorClass parent_class;

  /* whether GST_OCT_MAP_CUDA maps this memory on the GPU of `cuda` */
  gboolean (*is_on_gpu) (GstMemory *memory, GstOctCuda *cuda);
};

/* The same of any memory; FALSE for memory of another kind of allocator. */
gboolean gst_oct_gpu_allocator_is_on_gpu (GstMemory *memory, GstOctCuda *cuda);

G_END_DECLS
