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

/* The path of a volume: reads the file that it needs.  NULL with an error,
 * whose sentence names the property. */
OctScanPath *gst_oct_scan_gen_make_path (
    const GstOctScanGenSettings *settings, GError **error);

/* The places of its A-lines, and writes them to the file of `scan-output` if
 * there is one.  *places: NULL without such a file if a volume is not one path.
 * FALSE with an error, whose sentence names the property. */
gboolean gst_oct_scan_gen_make_places (const GstOctScanGenSettings *settings,
    OctScanPlaces **places, GError **error);

/* How it is sent.  FALSE with OCT_ERROR_SETTINGS if the limits are beyond the
 * full scale of the output. */
gboolean gst_oct_scan_gen_make_drive (
    const GstOctScanGenSettings *settings, OctScanDrive *drive, GError **error);

G_END_DECLS
