/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctigtlpose.h"

#include <math.h>

#define NUMBERS 12
#define BSCANS 2
/* of lengths, and of cosines */
#define TOLERANCE 0.01

static gboolean
igtl_pose_read (const char *text, double matrix[NUMBERS])
{
  for (guint i = 0; i < NUMBERS; i++) {
    char *end;

    matrix[i] = g_ascii_strtod (text, &end);
    if (end == text || !isfinite (matrix[i]))
      return FALSE;
    for (text = end; g_ascii_isspace (*text) || *text == ',';)
      text++;
  }
  return *text == '\0';
}

/* The product of two columns of the rotation. */
static double
igtl_pose_multiply (const double matrix[NUMBERS], guint a, guint b)
{
  return matrix[a] * matrix[b] + matrix[4 + a] * matrix[4 + b]
         + matrix[8 + a] * matrix[8 + b];
}

gboolean
gst_oct_igtl_pose_parse (const char *text, GstOctIgtlPose *pose, GError **error)
{
  *pose = (GstOctIgtlPose){ { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 } };
  if (text == NULL || *text == '\0')
    return TRUE;
  if (!igtl_pose_read (text, pose->matrix)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`pose` is '%.100s', not 12 numbers; set it to the rows of a 3 x 4 "
        "matrix, as \"1 0 0 0  0 1 0 0  0 0 1 0\"",
        text);
    return FALSE;
  }
  for (guint a = 0; a < 3; a++)
    for (guint b = a; b < 3; b++) {
      double product = igtl_pose_multiply (pose->matrix, a, b);

      if (fabs (product - (a == b ? 1.0 : 0.0)) <= TOLERANCE)
        continue;
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "The columns %u and %u of `pose` have the product %g; set it to a "
          "rotation, whose columns have the length 1 and are at right angles, "
          "and a place in mm",
          a + 1, b + 1, product);
      return FALSE;
    }
  return TRUE;
}

void
gst_oct_igtl_pose_apply (const GstOctIgtlPose *pose, const double spacing[3],
    const guint axes[3], double slice, OctIgtlImage *image)
{
  for (guint row = 0; row < 3; row++) {
    for (guint i = 0; i < 3; i++)
      image->step[i][row] = pose->matrix[4 * row + axes[i]] * spacing[axes[i]];
    image->centre[row] =
        pose->matrix[4 * row + 3]
        + slice * spacing[BSCANS] * pose->matrix[4 * row + BSCANS];
  }
}
