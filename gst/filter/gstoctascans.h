/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the elements that make A-scans of spectra: window, depths and the
 * resulting caps.
 */
#pragma once

#include "gstoctfilter.h"
#include "oct-window.h"

G_BEGIN_DECLS

GType gst_oct_window_get_type (void);

/* The length of a transform, and the bins that are delivered. */
typedef struct {
  guint length, start, bins;
} GstOctDepths;

/* A member of the settings of an element; a size of 0 stands for all there
 * are. */
typedef struct {
  OctWindow window;
  GstOctDepths depths;
} GstOctAScans;

#define GST_OCT_SIZE_ROW(settings, member, name, nick, blurb)                  \
  {                                                                            \
    name, nick, blurb, GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "range", \
        GST_OCT_UINT (settings, member, 0, OCT_MAX_SAMPLES, 0)                 \
  }

/* all: how many bins there are at most */
#define GST_OCT_ASCANS_ROWS(settings, member, all)                             \
  { "window", "Window",                                                        \
    "Window along the wavenumber axis, scaled to unit mean square",            \
    GST_OCT_PROPERTY_LIVE, NULL,                                               \
    GST_OCT_ENUM (                                                             \
        settings, member.window, gst_oct_window_get_type, OCT_WINDOW_HANN) },  \
      GST_OCT_SIZE_ROW (settings, member.depths.start, "depth-start",          \
          "First depth", "First depth bin to deliver"),                        \
      GST_OCT_SIZE_ROW (settings, member.depths.bins, "depth-bins",            \
          "Depth bins",                                                        \
          "Number of depth bins to deliver (0 = all up to " all ")")

/* For transform_structure(): A-scans from spectra, or spectra `formats`, `axis`
 * from A-scans.  `own`: of the settings; NULL: the element has none. */
void gst_oct_ascans_transform_structure (GstOctFilter *filter,
    const GstOctAScans *ascans, const OctCalibrationSettings *own,
    GstPadDirection direction, const GstStructure *from, const char *spectra,
    GstCaps *result);

/* For configure(): the depths of the plan for A-lines of `samples`.  FALSE with
 * OCT_ERROR_SETTINGS when they do not go together. */
gboolean gst_oct_ascans_resolve (GstOctFilter *filter,
    const GstOctAScans *ascans, guint samples, GstOctPurpose purpose,
    GstOctDepths *depths, GError **error);

/* For describe(): the range for A-lines of `samples`. */
char *gst_oct_ascans_describe (
    const GstOctAScans *ascans, guint samples, const char *group);

G_END_DECLS
