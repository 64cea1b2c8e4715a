/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The settings of octremap, and the raster that they choose for a path.
 */
#pragma once

#include "gstoctvolumecommon.h"
#include "oct-scan-places.h"
#include "oct-scan-remap.h"

G_BEGIN_DECLS

typedef struct {
  OctScanRemapMethod method;
  guint columns, rows;         /* 0: as large as the path */
  double x_spacing, y_spacing; /* metres; 0: an A-line for each pixel */
  double width, hole;          /* pixels */
  double delay_x, delay_y;     /* A-lines */
  gboolean complex;
  GstOctVolumeUpdate update;
  double interval;        /* seconds */
  guint64 holes, missing; /* to be read */
} GstOctRemapSettings;

extern const GstOctProperties gst_oct_remap_properties;

typedef struct {
  guint columns, rows;
  double spacing[OCT_SCAN_AXES]; /* metres */
} GstOctRemapGrid;

/* Whether the places are those of the B-scans, of `lines` each.  `bscans`: of a
 * volume, 0: the stream does not say it; `places` NULL: none are known.  FALSE
 * with OCT_ERROR_SETTINGS. */
gboolean gst_oct_remap_grid_check (
    const OctScanPlaces *places, guint lines, guint bscans, GError **error);

/* The weights of a path, and the raster.  NULL with OCT_ERROR_SETTINGS. */
OctScanRemap *gst_oct_remap_grid_make (const GstOctRemapSettings *settings,
    const OctScanPlaces *places, GstOctRemapGrid *grid, GError **error);

G_END_DECLS
