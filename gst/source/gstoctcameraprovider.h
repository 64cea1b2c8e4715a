/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Lists the cameras that octcamerasrc can open, for gst-device-monitor-1.0 and
 * programs with a choice of devices.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_CAMERA_PROVIDER (gst_oct_camera_provider_get_type ())
G_DECLARE_FINAL_TYPE (GstOctCameraProvider, gst_oct_camera_provider, GST,
    OCT_CAMERA_PROVIDER, GstDeviceProvider)

GST_DEVICE_PROVIDER_REGISTER_DECLARE (octcameraprovider);

G_END_DECLS
