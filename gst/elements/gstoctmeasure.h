/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Measurements of one B-scan, for octmeter: the results of oct-meter.h, as
 * fields that people and programs read (docs/elements/octmeter.md).
 */
#pragma once

#include "gstoctaside.h"
#include "oct-calibration.h"
#include "oct-window.h"

G_BEGIN_DECLS

#define GST_OCT_MEASUREMENT_NAME "oct-meter"

/* Data that are known in addition to the values. */
typedef struct {
  gboolean is_ascans;
  double z_spacing;            /* metres from bin to bin, 0: not known */
  double x_spacing, y_spacing; /* metres between A-lines, B-scans; likewise */
  guint depth_start;           /* bins from zero delay to the first one */
  OctWindow window;            /* of the reconstruction */
  OctCalibration *calibration; /* of the spectra, or NULL */
  guint first_bin, last_bin;   /* 0: all */
  double optical_density;      /* of the filter before the mirror */
  double saturation_level;     /* counts, 0: the largest */
  double black_level;          /* counts, below 0: that of the darkest pixels */
  gboolean source_only;
  gboolean curves; /* the measured curves, too */
} GstOctMeasureSettings;

/* Which lines of such a buffer are to be set aside: of one B-scan. */
GstOctLines gst_oct_measure_lines (const GstOctInfo *info);

/* Reads `aside`.  Never NULL: if nothing can be measured, the field "problem"
 * says why. */
GstStructure *gst_oct_measure (
    GstOctAside *aside, const GstOctMeasureSettings *settings);

/* The fall-off of peaks that were measured one after the other. */
typedef struct _GstOctRollOff GstOctRollOff;

GstOctRollOff *gst_oct_roll_off_new (void);
void gst_oct_roll_off_free (GstOctRollOff *roll_off);
void gst_oct_roll_off_forget (GstOctRollOff *roll_off);
/* Adds the peak of a measurement, and to the measurement the fall-off of all
 * peaks. */
void gst_oct_roll_off_add (GstOctRollOff *roll_off, GstStructure *measurement);

G_END_DECLS
