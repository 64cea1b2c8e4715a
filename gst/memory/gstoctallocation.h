/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which memory the B-scans of an element go to.
 */
#pragma once

#include "gstoctcuda.h"

G_BEGIN_DECLS

/* Answers an allocation query as decide_allocation has to: the pool that
 * downstream offers, else one of our own, so that no B-scan costs an
 * allocation.  `pool`: to be used whatever downstream offers, or NULL.
 * `allocator`: for a pool of our own, which then takes the place of one that
 * offers nothing but ordinary memory, or NULL.  FALSE if the caps are not of
 * this plugin or no pool is available. */
gboolean gst_oct_decide_allocation (GstElement *element, GstQuery *query,
    GstBufferPool *pool, GstAllocator *allocator);

/* Answers an allocation query so that a source of `info` writes straight into
 * memory that the GPU can fetch from. */
void gst_oct_propose_pinned_pool (
    GstOctCuda *cuda, const GstOctInfo *info, GstQuery *query);

/* ... or with memory of this allocator, `min` buffers or more. */
void gst_oct_propose_pool (GstAllocator *allocator, const GstOctInfo *info,
    guint min, GstQuery *query);

/* The error for a lack of memory for a B-scan of `info`: on the GPU of `cuda`
 * (`on_gpu`), page-locked for it, or on the host (`cuda` NULL).  It says if the
 * GPU has failed. */
GError *gst_oct_no_memory_new (
    GstOctCuda *cuda, gboolean on_gpu, const GstOctInfo *info);

/* The reader of images that leave a source pad on the GPU. */
typedef enum {
  /* any: an encoder reads with a unit of its own, images are waited for */
  GST_OCT_READER_ANY,
  /* a CUDA filter of GStreamer, in a stream that is ordered with the NULL
   * stream */
  GST_OCT_READER_FILTER,
  /* an element of this plugin, in the same stream */
  GST_OCT_READER_OWN,
} GstOctReader;

/* An element of this plugin that reads images on the GPU adds it to its reply
 * to the ALLOCATION query.  Queues and elements that pass images on as they are
 * hand that on, a tee offers what all of its branches do. */
#define GST_OCT_READER_API_TYPE (gst_oct_reader_api_get_type ())
GType gst_oct_reader_api_get_type (void);

/* The reader of images that leave `pad`.  `query`: for allocation, answered.  A
 * CUDA filter of GStreamer adds nothing to it: it is recognised if it is the
 * next element. */
GstOctReader gst_oct_get_reader (GstPad *pad, GstQuery *query);

G_END_DECLS
