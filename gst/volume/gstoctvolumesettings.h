/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The properties of octvolume and what pictures are to look like by them.
 */
#pragma once

#include "gstoctcamera.h"
#include "gstoctvolumecommon.h"
#include "oct-volume.h"

G_BEGIN_DECLS

typedef enum {
  GST_OCT_FIT_SIGNAL, /* the depths that have signal */
  GST_OCT_FIT_VOLUME, /* all */
} GstOctFit;

typedef enum {
  GST_OCT_STEREO_NONE,
  GST_OCT_STEREO_SIDE_BY_SIDE,
} GstOctStereo;

typedef enum {
  GST_OCT_PROJECTION_PERSPECTIVE,
  GST_OCT_PROJECTION_ORTHOGRAPHIC,
} GstOctProjection;

typedef enum {
  GST_OCT_CORNER_FRONT_LEFT,
  GST_OCT_CORNER_FRONT_RIGHT,
  GST_OCT_CORNER_BACK_LEFT,
  GST_OCT_CORNER_BACK_RIGHT,
} GstOctCorner;

typedef struct {
  GstOctVolumeCommon common;
  guint max_render_time; /* ms */

  OctVolumeMode mode;
  OctTransferKind transfer;
  char *transfer_path;
  gpointer transfer_file;
  double threshold, opacity, depth_hue;

  GstOctView view;
  double turn_rate, field_of_view, eye_separation;
  GstOctProjection projection;
  GstOctFit fit;
  GstOctStereo stereo;

  double crop_left, crop_right, crop_front, crop_back, crop_top, crop_bottom;
  GstOctCorner cut_corner;
  double cut_x, cut_y, cut_z;
  char *planes[OCT_VOLUME_PLANES];
} GstOctVolumeSettings;

extern const GstOctProperties gst_oct_volume_properties;

/* The properties that navigation changes, in the order of GstOctView. */
extern const char *const gst_oct_view_properties[5];

/* Fills the look but for its spacings and what is found of the volume: a
 * threshold or `crop-top` below 0, the window.  Reads the file of the transfer
 * function where that has not been done.  FALSE with OCT_ERROR_SETTINGS, or
 * what is wrong with the file. */
gboolean gst_oct_volume_settings_get_look (
    const GstOctVolumeSettings *settings, OctVolumeLook *look, GError **error);
/* With the threshold in force.  FALSE as above. */
gboolean gst_oct_volume_settings_fill_transfer (
    const GstOctVolumeSettings *settings, double threshold,
    OctTransfer *transfer, GError **error);

/* `seconds`: of the stream, for turn-rate. */
OctVolumeCamera gst_oct_volume_settings_get_camera (
    const GstOctVolumeSettings *settings, double seconds);

G_END_DECLS
