/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The memory of a camera's frames: each is filled by the camera, held by the
 * elements downstream as long as they like, and only then filled again.
 *
 * Thread-safety: memory may be freed in any thread; the rest is for one thread.
 */
#pragma once

#include <arv.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstOctCameraFrames GstOctCameraFrames;

/* Memory for `count` frames of `size` bytes, of which a GstMemory shows the
 * first `shown`.  `allocator`: of memory that the host can write to, as
 * page-locked memory, or NULL.  NULL with OCT_ERROR_MEMORY. */
GstOctCameraFrames *gst_oct_camera_frames_new (guint count, gsize size,
    gsize shown, GstAllocator *allocator, GError **error);

/* No frame is filled any more; memory that is held lives until it is freed. */
void gst_oct_camera_frames_close (GstOctCameraFrames *frames);

/* Gives all that nobody holds to a stream, also later, as soon as it is freed.
 * NULL: there is no stream any more; the former one must not exist any more
 * then. */
void gst_oct_camera_frames_set_stream (
    GstOctCameraFrames *frames, ArvStream *stream);

/* A buffer that the stream has filled, whose reference is taken: the memory of
 * the frame, or nothing and the camera has it again. */
GstMemory *gst_oct_camera_frames_take (
    GstOctCameraFrames *frames, ArvBuffer *filled);
void gst_oct_camera_frames_give_back (
    GstOctCameraFrames *frames, ArvBuffer *filled);

/* Memory that nobody holds, without a stream; NULL: all is held. */
GstMemory *gst_oct_camera_frames_take_idle (GstOctCameraFrames *frames);

guint gst_oct_camera_frames_count (GstOctCameraFrames *frames);
guint gst_oct_camera_frames_count_held (GstOctCameraFrames *frames);

G_END_DECLS
