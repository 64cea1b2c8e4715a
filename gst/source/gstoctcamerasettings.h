/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The properties of octcamerasrc.
 */
#pragma once

#include "gstoctlivesrc.h"
#include "gstoctproperties.h"

G_BEGIN_DECLS

typedef struct {
  char *camera, *features, *trigger;
  guint lines, buffers, timeout, bscans;
  gboolean keep_incomplete, reconnect;
} GstOctCameraSettings;

extern const GstOctProperties gst_oct_camera_setting_properties;
/* of a GstOctLiveCounters */
extern const GstOctProperties gst_oct_camera_counter_properties;

G_END_DECLS
