/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctgpuallocator.h"

G_DEFINE_ABSTRACT_TYPE (
    GstOctGpuAllocator, gst_oct_gpu_allocator, GST_TYPE_ALLOCATOR);

static void
gst_oct_gpu_allocator_class_init (GstOctGpuAllocatorClass *klass)
{
}

static void
gst_oct_gpu_allocator_init (GstOctGpuAllocator *allocator)
{
}

gboolean
gst_oct_gpu_allocator_is_on_gpu (GstMemory *memory, GstOctCuda *cuda)
{
  return GST_IS_OCT_GPU_ALLOCATOR (memory->allocator)
         && GST_OCT_GPU_ALLOCATOR_GET_CLASS (memory->allocator)
                ->is_on_gpu (memory, cuda);
}
