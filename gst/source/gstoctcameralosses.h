/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How octcamerasrc tells of frames that are lost or incomplete: a warning for
 * people, and a message for programs each second in which there were some.
 */
#pragma once

#include "gstoctcamerasettings.h"

G_BEGIN_DECLS

/* The element message, with the fields lost, all-held, incomplete, frames
 * (since the start), lost-now and incomplete-now (since the message before),
 * all guint64. */
#define GST_OCT_CAMERA_LOST_MESSAGE "octcamerasrc-lost"

/* Zeros at first. */
typedef struct {
  GstOctCameraCounters told;
  gint64 told_at;
  gboolean warned_lost, warned_incomplete, warned_others;
} GstOctCameraLosses;

/* `buffers`: how many there are; `last`: do not wait for the end of the
 * second. */
void gst_oct_camera_losses_tell (GstOctCameraLosses *losses,
    GstElement *element, const GstOctCameraCounters *now, guint buffers,
    gboolean last);

/* Frames of another size, or that are not images: somebody else has changed the
 * camera while it runs. */
void gst_oct_camera_losses_warn_of_others (
    GstOctCameraLosses *losses, GstElement *element, const char *reason);

G_END_DECLS
