/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Frames of a camera as buffers of raw spectra: the camera's memory itself, or
 * values that are unpacked from it.
 */
#pragma once

#include "gstoctcameradevice.h"

G_BEGIN_DECLS

typedef struct _GstOctCameraImages GstOctCameraImages;

/* The page-locked memory that an allocation query offers, or NULL (transfer
 * full). */
GstAllocator *gst_oct_camera_find_allocator (GstQuery *query);

/* As many frames as come in a second (`duration` of one, or NONE), within
 * limits. */
guint gst_oct_camera_images_count_default (
    const GstOctCameraLayout *layout, GstClockTime duration);

/* `count` frames of `layout`, each of which is one buffer of `info`.
 * `allocator`: NULL or as above; `any_stride`: elements downstream read
 * GstVideoMeta. */
GstOctCameraImages *gst_oct_camera_images_new (const GstOctCameraLayout *layout,
    const GstOctInfo *info, guint count, GstAllocator *allocator,
    gboolean any_stride, GError **error);
/* After the end of the stream; buffers that are held stay valid. */
void gst_oct_camera_images_close (GstOctCameraImages *images);

/* See gst_oct_camera_frames_set_stream(). */
void gst_oct_camera_images_set_stream (
    GstOctCameraImages *images, ArvStream *stream);

/* Whether the frame has the size and format of `layout`; FALSE with
 * OCT_ERROR_FORMAT. */
gboolean gst_oct_camera_images_check (
    GstOctCameraImages *images, ArvBuffer *filled, GError **error);

/* Both take the reference to the frame.  take() returns a buffer of it, which
 * it has been checked for; NULL: all are held. */
GstBuffer *gst_oct_camera_images_take (
    GstOctCameraImages *images, ArvBuffer *filled);
void gst_oct_camera_images_give_back (
    GstOctCameraImages *images, ArvBuffer *filled);

guint gst_oct_camera_images_count (GstOctCameraImages *images);
gboolean gst_oct_camera_images_all_held (GstOctCameraImages *images);

G_END_DECLS
