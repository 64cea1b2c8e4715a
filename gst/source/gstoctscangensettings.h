/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The properties of octscangen, and the parts of core/scan that they stand for.
 */
#pragma once

#include "gstoctproperties.h"
#include "oct-file.h"
#include "oct-scan-places.h"
#include "oct-scan-stream.h"

G_BEGIN_DECLS

/* FALSE and TRUE for a program that sets a boolean. */
typedef enum {
  GST_OCT_SCAN_ONE_WAY,
  GST_OCT_SCAN_BOTH_WAYS,
  GST_OCT_SCAN_AUTO_WAYS,
} GstOctScanWays;

typedef struct {
  /* can be set while the scanner runs */
  OctScanKind pattern;
  char *location, *scan_output;
  OctFileContent *curve; /* OctScanCurve; NULL: no file */
  guint lines, bscans;
  double width, height, angle, offset_x, offset_y;
  GstOctScanWays bidirectional;
  guint repeats, group, cycles;
  double pitch, settle, smooth;
  double delay_x, delay_y, galvo_frequency, galvo_damping;

  guint line_rate;
  double amplitude_x, amplitude_y, velocity_x, velocity_y, acceleration_x,
      acceleration_y;
  double volts_x, volts_y, zero_x, zero_y, full_scale;
  gboolean gate, is_live;
  guint samples;
  guint64 volumes;
} GstOctScanGenSettings;

extern const GstOctProperties gst_oct_scan_gen_properties;

/* The beam as such settings have it. */
typedef struct {
  OctScanPath *path; /* of a volume */
  OctScanDrive drive;
  OctScanPlaces *places; /* of its A-lines; NULL: they are not B-scans */
} GstOctScanGenMade;

void gst_oct_scan_gen_made_clear (GstOctScanGenMade *made);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (
    GstOctScanGenMade, gst_oct_scan_gen_made_clear)

/* Reads the file that the path needs.  `to_use`: finds the places, too, and
 * writes them to the file of `scan-output` if there is one.  FALSE with an error,
 * whose sentence names the property. */
gboolean gst_oct_scan_gen_make (const GstOctScanGenSettings *settings,
    gboolean to_use, GstOctScanGenMade *made, GError **error);

G_END_DECLS
