/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-lines at any places to the pixels of a raster.
 *
 * Each pixel is a sum of weights times A-lines, which depends on the places
 * alone: one sparse matrix, made once for a path.  Pixel (column i, row j) has
 * its middle at (i, j).
 *
 *   nearest  the nearest A-line
 *   local    the value at the pixel of the plane that fits its 12 nearest
 *            A-lines best (least squares), with the Gaussian weights
 *            w = exp (-4 ln 2 (d / F)^2), F = max (width, 1.2 times the distance
 *            of the fourth), 0 below 1e-3; 1e-3 of the sum of w is added to the
 *            squares of both slopes.  Where a weight would be less than -0.5,
 *            the mean by w (a local linear fit: Cleveland, J. Am. Stat. Assoc.
 *            74, 829 (1979)).
 *
 * A pixel without an A-line within `hole` pixels is a hole.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef enum {
  OCT_SCAN_REMAP_NEAREST,
  OCT_SCAN_REMAP_LOCAL,
} OctScanRemapMethod;

#define OCT_SCAN_REMAP_MOST 12 /* A-lines of a pixel */

typedef struct {
  OctScanRemapMethod method;
  guint columns, rows; /* of the raster, 1 or more */
  double width;        /* local: above 0, pixels */
  double hole;         /* above 0, pixels */
} OctScanRemapSettings;

typedef struct {
  guint columns, rows;
  guint count;    /* A-lines of the path */
  guint holes;    /* pixels */
  guint8 *taken;  /* [rows][columns] 0: a hole */
  guint32 *first; /* [rows x columns + 1] where the weights of a pixel begin */
  guint32 *line;  /* [first[rows x columns]] the nearest A-line first */
  float *weight;  /* the sum of those of a pixel is 1 */
} OctScanRemap;

/* The A-lines are at (x[i], y[i]) pixels; those that are not finite are not
 * taken.  All threads work on it.  NULL with OCT_ERROR_SETTINGS (sizes, numbers
 * that are not positive) or OCT_ERROR_MEMORY; to be freed with
 * oct_scan_remap_free(). */
OctScanRemap *oct_scan_remap_new (const OctScanRemapSettings *settings,
    const double *x, const double *y, guint count, GError **error);
void oct_scan_remap_free (OctScanRemap *remap);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanRemap, oct_scan_remap_free)

/* Which pixels have a value, taken[rows][columns] 0 or 1, of A-lines `seen` as
 * below: no holes, and no pixels with too few A-lines. */
void oct_scan_remap_find_taken (
    const OctScanRemap *remap, const guint8 *seen, guint8 *taken);

/* How A-lines of complex values are summed. */
typedef enum {
  OCT_SCAN_REMAP_AMPLITUDES, /* sum of amplitudes, the phase of the nearest */
  OCT_SCAN_REMAP_COMPLEX,    /* sum of the values */
} OctScanRemapOf;

/* The weights of pixel `pixel` whose A-lines have come, with their A-lines, the
 * nearest of them first.  `seen` [count]: 0 where an A-line has not come, whose
 * weight is shared among the others; NULL: all have.  Returns: how many; 0 for a
 * hole, where less than 0.1 of all weights is left, and where the sum of those
 * that are left is less than half of the sum of their absolute values, as
 * weights below 0 make the others bright.  From several threads at once, too. */
guint oct_scan_remap_get_weights (const OctScanRemap *remap, gsize pixel,
    const guint8 *seen, guint32 lines[OCT_SCAN_REMAP_MOST],
    float weights[OCT_SCAN_REMAP_MOST]);

/* Which pixels use the A-lines of each B-scan: pixel[first[b]] ..
 * pixel[first[b + 1] - 1], in increasing order. */
typedef struct {
  gsize *first;   /* [bscans + 1] */
  guint32 *pixel; /* row x columns + column */
} OctScanRemapUsers;

/* B-scans of `lines` A-lines each, which divide the path.  NULL with
 * OCT_ERROR_MEMORY; to be freed with oct_scan_remap_users_free(). */
OctScanRemapUsers *oct_scan_remap_users_new (
    const OctScanRemap *remap, guint lines, GError **error);
void oct_scan_remap_users_free (OctScanRemapUsers *users);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanRemapUsers, oct_scan_remap_users_free)

G_END_DECLS
