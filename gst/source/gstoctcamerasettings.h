/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The properties of octcamerasrc.
 */
#pragma once

#include "gstoctproperties.h"

G_BEGIN_DECLS

typedef struct {
  char *camera, *features, *trigger;
  guint lines, buffers, timeout, bscans;
  gboolean keep_incomplete, reconnect;
} GstOctCameraSettings;

/* Frames, since the start. */
typedef struct {
  guint64 frames;     /* delivered */
  guint64 lost;       /* never came */
  guint64 all_held;   /* of these, for want of a buffer */
  guint64 incomplete; /* came without a part, or with another size */
  guint64 reconnects;
} GstOctCameraCounters;

extern const GstOctProperties gst_oct_camera_setting_properties;
extern const GstOctProperties gst_oct_camera_counter_properties;

G_END_DECLS
