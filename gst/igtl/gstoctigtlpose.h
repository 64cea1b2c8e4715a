/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The place of a scan in the coordinates of others: a matrix as text, and the
 * description of images there.
 */
#pragma once

#include "oct-igtl.h"

G_BEGIN_DECLS

/* Rows of a 3 x 4 matrix.  Columns: the directions of an image's columns
 * (A-lines), of its rows (depths) and of B-scans, then its centre in mm. */
typedef struct {
  double matrix[12];
} GstOctIgtlPose;

/* NULL or "": columns, rows and B-scans along x, y and z, at 0.  FALSE with
 * OCT_ERROR_SETTINGS: `text` is not 12 numbers, or its directions are not of
 * length 1 and at right angles, within 1 %. */
gboolean gst_oct_igtl_pose_parse (
    const char *text, GstOctIgtlPose *pose, GError **error);

/* Sets step and centre of `image`, whose sizes are set.  spacing: of A-lines,
 * depths and B-scans, mm.  `axes`: which of them columns, rows and slices are.
 * `slice`: how far its centre is from that of the volume, in B-scans. */
void gst_oct_igtl_pose_apply (const GstOctIgtlPose *pose,
    const double spacing[3], const guint axes[3], double slice,
    OctIgtlImage *image);

G_END_DECLS
