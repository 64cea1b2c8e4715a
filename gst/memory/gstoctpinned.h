/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Page-locked host memory: the GPU fetches from it and writes to it at the full
 * rate of the link, while the host goes on.  Mapping memory waits for a
 * download that is still under way to it, nothing else does.
 *
 * Thread-safety: several threads may map the memory.
 */
#pragma once

#include "gstoctcuda.h"

G_BEGIN_DECLS

/* Allocates page-locked memory in the context of `cuda` or, if the system gives
 * none, ordinary memory, which the log says.  Memory whose download has failed
 * cannot be mapped, which not every element reports: `element` then posts an
 * error, once, unless it is NULL. */
GstAllocator *gst_oct_pinned_allocator_new (
    GstOctCuda *cuda, GstElement *element);

/* Whether it is one of these. */
gboolean gst_oct_pinned_is_allocator (GstAllocator *allocator);

/* Whether `memory` is page-locked and of such an allocator of this context. */
gboolean gst_oct_pinned_is (GstMemory *memory, GstOctCuda *cuda);

/* Whether all of a buffer is in such memory. */
gboolean gst_oct_pinned_holds (GstBuffer *buffer, GstOctCuda *cuda);

/* Whether all of a buffer is in memory of such an allocator of any context:
 * every GPU fetches from it while the host goes on (CUDA Programming Guide,
 * "Page-Locked Host Memory": with unified addresses it is that of all
 * devices). */
gboolean gst_oct_pinned_is_ours (GstBuffer *buffer);

/* The address, without waiting; valid as long as the memory. */
gpointer gst_oct_pinned_peek (GstMemory *memory);

/* Work that is in the stream so far writes to the memory: mapping it waits for
 * that.  Call with the context pushed. */
gboolean gst_oct_pinned_mark (
    GstMemory *memory, gpointer stream, GError **error);

/* A block of page-locked memory for several images, which is used again when
 * nobody has it or a part of it; NULL: `allocator` is another one, or there is
 * no memory.  Parts can be written, as they do not overlap. */
GstMemory *gst_oct_pinned_block_new (GstAllocator *allocator, gsize size);
GstMemory *gst_oct_pinned_part_new (GstMemory *block, gsize offset, gsize size);

/* Whether the buffers are parts of one memory, `step` bytes apart. */
gboolean gst_oct_pinned_are_parts (
    GstBuffer *const *buffers, guint n, gsize step);

G_END_DECLS
