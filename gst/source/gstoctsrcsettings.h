/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The settings of octsrc, and the properties that set them.
 */
#pragma once

#include "gstoctbackend.h"
#include "gstoctinput.h"

G_BEGIN_DECLS

typedef struct {
  GstOctInputSettings input; /* owns its location */
  gboolean loop;
  guint per_buffer;   /* B-scans, 0 = those of a volume */
  double line_rate;   /* A-lines per second, 0 = that of the input */
  double volume_rate; /* 0 = as line_rate says */
  OctCalibrationSettings calibration;
  GstOctBackendChoice backend;
  gint cuda_device_id;
} GstOctSrcSettings;

extern const GstOctProperties gst_oct_src_properties;

/* After `row` was set.  TRUE if it is one of the calibration's. */
gboolean gst_oct_src_settings_changed (
    GstOctSrcSettings *settings, const GstOctProperty *row);

/* B-scans per second as they are set, else those of the input; 0 = as fast as
 * possible. */
double gst_oct_src_settings_get_bscan_rate (
    const GstOctSrcSettings *settings, const GstOctInput *input);

/* FALSE with an error when a live source has no line rate. */
gboolean gst_oct_src_settings_check_live (const GstOctSrcSettings *settings,
    const GstOctInput *input, GError **error);

/* B-scans in a buffer; 0 with an error when so many do not fit one. */
guint gst_oct_src_settings_count_per_buffer (const GstOctSrcSettings *settings,
    const OctReaderInfo *info, GError **error);

/* The caps of buffers of `count` B-scans: their format, how far they are apart,
 * how many come per second (a range if no line rate is known). */
GstStructure *gst_oct_src_settings_describe (
    const GstOctSrcSettings *settings, GstOctInput *input, guint count);

G_END_DECLS
