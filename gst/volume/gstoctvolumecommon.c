/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctvolumecommon.h"

static const GEnumValue updates[] = {
  { GST_OCT_UPDATE_VOLUME, "Pictures are of complete volumes", "volume" },
  { GST_OCT_UPDATE_SCAN, "Pictures grow while the beam moves", "scan" },
  { 0, NULL, NULL },
};

GST_OCT_DEFINE_ENUM (
    gst_oct_volume_update_get_type, "GstOctVolumeUpdate", updates)

static const GEnumValue repeated[] = {
  { GST_OCT_REPEATED_FIRST, "The first one of each place", "first" },
  { GST_OCT_REPEATED_MEAN, "The mean of those of each place", "mean" },
  { GST_OCT_REPEATED_ALL, "All, each as if at a place of its own", "all" },
  { 0, NULL, NULL },
};

GST_OCT_DEFINE_ENUM (gst_oct_repeated_get_type, "GstOctRepeated", repeated)

/* If it is not known: a field of view twice as wide as tissue is deep, and 2 mm
 * of depth. */
#define ASSUMED_DEPTH 2.0
#define ASSUMED_WIDTH 2.0

GstOctVoxel
gst_oct_volume_common_get_voxel (const GstOctVolumeCommon *common,
    const GstOctSpacing *stream, guint lines, guint depth, guint bscans,
    double seen_part)
{
  double x = common->x_spacing > 0 ? common->x_spacing : stream->x;
  double y = common->y_spacing > 0 ? common->y_spacing : stream->y;
  double z = common->z_spacing > 0 ? common->z_spacing : stream->z;
  double deep = z * depth, wide;

  deep = z > 0 ? deep * 1e3 / common->refractive_index : ASSUMED_DEPTH;
  wide = x > 0   ? x * lines * 1e3
         : y > 0 ? y * bscans * 1e3
                 : ASSUMED_WIDTH * deep * seen_part;
  if (!(z > 0) && (x > 0 || y > 0))
    deep = wide / ASSUMED_WIDTH / seen_part;
  return (GstOctVoxel){ .x = x > 0 ? x * 1e3 : wide / lines,
    .y = y > 0 ? y * 1e3 : wide / MAX (bscans, 8),
    .z = deep / depth,
    .knows_x = x > 0,
    .knows_y = y > 0,
    .knows_z = z > 0 };
}
