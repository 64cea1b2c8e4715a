/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octslice
 *
 * Shows a plane through volumes: images of B-scans go in, a section in any
 * direction comes out. It works on an NVIDIA GPU or on the CPU.
 *
 * |[
 * gst-launch-1.0 octsrc bscans=64 lines=128 num-buffers=192
 *   ! octreconstruct range-smoothing=0.99
 *   ! octslice plane=depth position-z=0.4
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctslice.h"
#include "gstoctbus.h"
#include "gstoctvolumecaps.h"

#include <math.h>

typedef enum {
  PLANE_BSCAN,
  PLANE_CROSS,
  PLANE_DEPTH,
  PLANE_OBLIQUE,
} Plane;

typedef struct {
  GstOctVolumeCommon common;
  Plane plane;
  double x, y, z; /* parts of the volume */
  double yaw, tilt;
} Settings;

struct _GstOctSlice {
  GstOctVolumeFilter parent;
  Settings used; /* under the stream lock of the sink pad */
};

G_DEFINE_TYPE (GstOctSlice, gst_oct_slice, GST_TYPE_OCT_VOLUME_FILTER);
GST_OCT_REGISTER_DEFINE (
    octslice, "octslice", GST_RANK_NONE, GST_TYPE_OCT_SLICE);

static const GEnumValue planes[] = {
  { PLANE_BSCAN, "A-lines across, depth down: a B-scan, at `position-y`",
      "bscan" },
  { PLANE_CROSS, "B-scans across, depth down, at `position-x`", "cross" },
  { PLANE_DEPTH, "A-lines across, B-scans down, at `position-z`", "depth" },
  { PLANE_OBLIQUE, "Through the three positions, turned by `yaw` and `tilt`",
      "oblique" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (get_plane_type, "GstOctPlane", planes)

#define POSITION(axis, nick, what)                                             \
  {                                                                            \
    "position-" #axis, nick,                                                   \
        "Position of the plane along " what ", from 0 to 1",                   \
        GST_OCT_PROPERTY_RAMPED, NULL,                                         \
        GST_OCT_DOUBLE (Settings, axis, 0.0, 1.0, 0.5)                         \
  }

    static const GstOctProperty rows[] = {
      GST_OCT_VOLUME_COMMON_ROWS (Settings, common,
          "Depths that are averaged to one voxel: 1, 2, 4 or 8", 1, 1, 0),
      { "plane", "Plane", "Which plane is shown",
          GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, NULL,
          GST_OCT_ENUM (Settings, plane, get_plane_type, PLANE_BSCAN) },
      POSITION (x, "Position along A-lines", "the A-lines"),
      POSITION (y, "Position along B-scans", "the B-scans"),
      POSITION (z, "Position along the depth", "the depth"),
      { "yaw", "Yaw",
          "plane=oblique: rotation about the depth axis in degrees (0 = as a "
          "B-scan, 90 = as plane=cross)",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_DOUBLE (Settings, yaw, -360.0, 360.0, 0.0) },
      { "tilt", "Tilt",
          "plane=oblique: tilt in degrees (0 = upright, 90 = as plane=depth)",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_DOUBLE (Settings, tilt, -180.0, 180.0, 0.0) },
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* ----------------------------------------------------------------- geometry */

enum { X, Y, Z, AXES };

/* All in mm from the first corner of the volume. */
typedef struct {
  double size[AXES];              /* of the volume */
  double pitch[AXES];             /* of its voxels */
  double point[AXES];             /* that the plane goes through */
  double right[AXES], down[AXES]; /* unit vectors */
  double wide, high;              /* of the part of the plane that is seen */
} Geometry;

static double
slice_dot (const double *a, const double *b)
{
  return a[X] * b[X] + a[Y] * b[Y] + a[Z] * b[Z];
}

static void
set_directions (const Settings *s, Geometry *g)
{
  double yaw = 0, tilt = 0;

  if (s->plane == PLANE_OBLIQUE) {
    yaw = s->yaw * G_PI / 180;
    tilt = s->tilt * G_PI / 180;
  } else if (s->plane == PLANE_CROSS) {
    yaw = G_PI / 2;
  } else if (s->plane == PLANE_DEPTH) {
    tilt = G_PI / 2;
  }
  g->right[X] = cos (yaw);
  g->right[Y] = sin (yaw);
  g->right[Z] = 0;
  g->down[X] = -sin (yaw) * sin (tilt);
  g->down[Y] = cos (yaw) * sin (tilt);
  g->down[Z] = cos (tilt);
}

/* `depth`: voxels; FALSE: nothing is known of the volume yet. */
static gboolean
get_geometry (GstOctVolumeFilter *filter, const Settings *s, Geometry *g)
{
  GstOctVoxel voxel = gst_oct_volume_filter_get_voxel_of (filter, &s->common);
  guint depth = voxel.x > 0 ? filter->input.rows / filter->input.bscans : 0;
  guint voxels = MAX (1, depth / s->common.decimation);
  const double part[AXES] = { s->x, s->y, s->z };

  if (!(voxel.x > 0))
    return FALSE;
  g->pitch[X] = voxel.x;
  g->pitch[Y] = voxel.y;
  /* depths that are left over at the end do not make a voxel */
  g->pitch[Z] = voxel.z * MIN (depth, s->common.decimation);
  g->size[X] = voxel.x * filter->input.columns;
  g->size[Y] = voxel.y * filter->places;
  g->size[Z] = g->pitch[Z] * voxels;
  g->wide = g->high = 0;
  set_directions (s, g);
  for (guint i = 0; i < AXES; i++) {
    g->point[i] = part[i] * g->size[i];
    g->wide += fabs (g->right[i]) * g->size[i];
    g->high += fabs (g->down[i]) * g->size[i];
  }
  return TRUE;
}

/* Square pixels as small as the voxels along the plane. */
static void
slice_choose_size (const Geometry *g, guint *width, guint *height)
{
  double pixel = MAX (g->wide, g->high);

  for (guint i = 0; i < AXES; i++)
    if (fabs (g->right[i]) > 1e-6 || fabs (g->down[i]) > 1e-6)
      pixel = MIN (pixel, g->pitch[i]);
  pixel = MAX (pixel, MAX (g->wide, g->high) / OCT_SECTION_MAX_PICTURE);
  *width =
      (guint)CLAMP (floor (g->wide / pixel + 0.5), 1, OCT_SECTION_MAX_PICTURE);
  *height =
      (guint)CLAMP (floor (g->high / pixel + 0.5), 1, OCT_SECTION_MAX_PICTURE);
}

/* All there is to see in the middle of a picture with square pixels. */
static OctSlice
get_slice (const Geometry *g, guint width, guint height)
{
  double pixel = MAX (g->wide / width, g->high / height);
  double from[AXES], origin[AXES], right, down;
  float *o, *r, *d;
  OctSlice slice;

  for (guint i = 0; i < AXES; i++)
    from[i] = g->size[i] / 2 - g->point[i];
  right = slice_dot (from, g->right) - pixel * width / 2;
  down = slice_dot (from, g->down) - pixel * height / 2;
  o = &slice.origin.x;
  r = &slice.right.x;
  d = &slice.down.x;
  for (guint i = 0; i < AXES; i++) {
    origin[i] = g->point[i] + right * g->right[i] + down * g->down[i];
    o[i] = (float)(origin[i] / g->pitch[i]);
    r[i] = (float)(pixel * g->right[i] / g->pitch[i]);
    d[i] = (float)(pixel * g->down[i] / g->pitch[i]);
  }
  return slice;
}

/* ------------------------------------------------------------------ pictures
 */

static gboolean
gst_oct_slice_configure (GstOctVolumeFilter *filter, gconstpointer settings,
    GstOctPurpose purpose, GError **error)
{
  if (purpose == GST_OCT_TO_USE)
    GST_OCT_SLICE (filter)->used = *(const Settings *)settings;
  return TRUE;
}

static GstCaps *
gst_oct_slice_choose_caps (GstOctVolumeFilter *filter, gconstpointer settings,
    GstCaps *possible, gint n, gint d)
{
  Geometry geometry;
  guint width = 1, height = 1;

  if (get_geometry (filter, settings, &geometry))
    slice_choose_size (&geometry, &width, &height);
  return gst_oct_section_caps_fixate (
      filter->src, possible, width, height, 1, n, d);
}

static gboolean
gst_oct_slice_draw (GstOctVolumeFilter *filter, GstClockTime at, gboolean fine,
    GstBuffer *out, gboolean *coarse, GError **error)
{
  Geometry geometry;
  OctSlice slice;

  gst_oct_volume_filter_get_voxel (filter, TRUE);
  if (!get_geometry (filter, &GST_OCT_SLICE (filter)->used, &geometry))
    return FALSE;
  slice = get_slice (&geometry, filter->output.columns, filter->output.rows);
  return gst_oct_renderer_slice (filter->renderer, &slice, out, error);
}

static void
gst_oct_slice_class_init (GstOctSliceClass *klass)
{
  GstOctVolumeFilterClass *filter_class = GST_OCT_VOLUME_FILTER_CLASS (klass);

  filter_class->configure = gst_oct_slice_configure;
  filter_class->choose_caps = gst_oct_slice_choose_caps;
  filter_class->draw = gst_oct_slice_draw;
  gst_oct_volume_filter_class_describe (filter_class,
      &(GstOctVolumeFilterDescription){ .kind = GST_OCT_RENDERER_SECTIONS,
          .properties = &properties,
          .common = G_STRUCT_OFFSET (Settings, common),
          .long_name = "OCT planes through volumes",
          .description = "Shows a plane through volumes of B-scans, in any "
                         "direction",
          .caps = GST_OCT_CAPS_SECTION,
          .gpu_caps = GST_OCT_CAPS_GPU_SECTION });
}

static void
gst_oct_slice_init (GstOctSlice *self)
{
}
