/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A GenICam camera: how it is found, set up and described, by Aravis.
 *
 * Thread-safety: one thread at a time.
 */
#pragma once

#include <arv.h>
#include "gstoctcaps.h"

G_BEGIN_DECLS

/* How the camera sends values. */
typedef enum {
  GST_OCT_CAMERA_PLAIN, /* one or two bytes each, as they are delivered */
  GST_OCT_CAMERA_BITS,  /* see oct_unpack_bits() */
  GST_OCT_CAMERA_PAIRS, /* see oct_unpack_pairs() */
} GstOctCameraPacking;

typedef struct {
  const char *name; /* PixelFormat of GenICam */
  guint32 code;     /* ArvPixelFormat */
  guint bits;
  GstOctCameraPacking packing;
} GstOctCameraFormat;

/* A frame of the camera, as it was set up. */
typedef struct {
  const GstOctCameraFormat *format;
  guint width, height;
  gsize size; /* bytes of a frame, with all that the camera sends */
} GstOctCameraLayout;

/* The user's settings, all as the properties of octcamerasrc. */
typedef struct {
  const char *camera, *features, *trigger;
  guint lines;
} GstOctCameraChoice;

typedef struct _GstOctCameraDevice GstOctCameraDevice;

/* Opens and sets up a camera.  NULL with OCT_ERROR_NOT_FOUND when it is not
 * there or does not answer, OCT_ERROR_SETTINGS when it refuses a setting. */
GstOctCameraDevice *gst_oct_camera_device_open (
    const GstOctCameraChoice *choice, GError **error);
void gst_oct_camera_device_close (GstOctCameraDevice *device);

/* Its name in Aravis, which opens the same camera again. */
const char *gst_oct_camera_device_get_id (const GstOctCameraDevice *device);
ArvCamera *gst_oct_camera_device_get_camera (const GstOctCameraDevice *device);

/* Raw spectra that it can deliver, those that it is set to first; (transfer
 * full). */
GstCaps *gst_oct_camera_device_get_caps (const GstOctCameraDevice *device);
/* Makes open formats, sizes and rates of caps (transfer full) those that the
 * camera is set to, whatever the order of the caps is. */
GstCaps *gst_oct_camera_device_fixate (
    const GstOctCameraDevice *device, GstCaps *caps);

/* Has it deliver fixed caps of those.  FALSE with OCT_ERROR_SETTINGS when it
 * does not. */
gboolean gst_oct_camera_device_configure (GstOctCameraDevice *device,
    const GstCaps *caps, GstOctCameraLayout *layout, GError **error);

/* FALSE: it is known to be gone. */
gboolean gst_oct_camera_device_is_there (const GstOctCameraDevice *device);
/* Asks the camera, which can take some seconds if it is gone. */
gboolean gst_oct_camera_device_answers (GstOctCameraDevice *device);

/* Whether frames that there is no memory for have a number, too. */
gboolean gst_oct_camera_device_numbers_all (const GstOctCameraDevice *device);

G_END_DECLS
