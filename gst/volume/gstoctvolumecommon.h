/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Settings that all elements have which make pictures of volumes: which B-scans
 * are a volume, how large its voxels are, when there is a picture.
 */
#pragma once

#include "gstoctbackend.h"
#include "oct-volume.h"

G_BEGIN_DECLS

typedef enum {
  GST_OCT_UPDATE_VOLUME, /* pictures of complete volumes */
  GST_OCT_UPDATE_SCAN,   /* of all B-scans so far */
} GstOctVolumeUpdate;

/* Which B-scans of a place are its part of the volume. */
typedef enum {
  GST_OCT_REPEATED_FIRST,
  GST_OCT_REPEATED_MEAN, /* of the grey levels */
  GST_OCT_REPEATED_ALL,  /* each as a place of its own */
} GstOctRepeated;

typedef struct {
  guint bscans;
  GstOctRepeated repeated;
  guint decimation; /* 0: chosen */
  GstOctVolumeUpdate update;
  double x_spacing, y_spacing, z_spacing, refractive_index;
} GstOctVolumeCommon;

GType gst_oct_volume_update_get_type (void);
GType gst_oct_repeated_get_type (void);

/* `decimation_*`: of that property; `lateral`: more flags of the two lateral
 * spacings, GST_OCT_PROPERTY_CAPS where caps depend on them */
#define GST_OCT_VOLUME_COMMON_ROWS(Settings, member, decimation_blurb,         \
    decimation_least, decimation_first, lateral)                               \
  { "bscans", "B-scans",                                                       \
    "B-scans per volume, of use where the stream does not say how many "       \
    "(0 = not given)",                                                         \
    0, NULL,                                                                   \
    GST_OCT_UINT (Settings, member.bscans, 0, OCT_VOLUME_MAX_SIZE, 0) },       \
      { "repeated", "Repeated B-scans",                                        \
        "Which of the B-scans that are repeated at a place are shown", 0,      \
        NULL,                                                                  \
        GST_OCT_ENUM (Settings, member.repeated, gst_oct_repeated_get_type,    \
            GST_OCT_REPEATED_FIRST) },                                         \
      { "decimation", "Decimation", decimation_blurb, 0, NULL,                 \
        GST_OCT_UINT (Settings, member.decimation, decimation_least, 8,        \
            decimation_first) },                                               \
      { "update", "Update", "When there is a new picture",                     \
        GST_OCT_PROPERTY_LIVE, NULL,                                           \
        GST_OCT_ENUM (Settings, member.update, gst_oct_volume_update_get_type, \
            GST_OCT_UPDATE_VOLUME) },                                          \
      { "x-spacing", "Spacing of A-lines",                                     \
        "Metres between A-lines (0 = as the stream says, else assumed)",       \
        GST_OCT_PROPERTY_LIVE | (lateral), NULL,                               \
        GST_OCT_DOUBLE (Settings, member.x_spacing, 0.0, 1.0, 0.0) },          \
      { "y-spacing", "Spacing of B-scans",                                     \
        "Metres between B-scans, between places if there are several at each " \
        "(0 = as the stream says, else assumed)",                              \
        GST_OCT_PROPERTY_LIVE | (lateral), NULL,                               \
        GST_OCT_DOUBLE (Settings, member.y_spacing, 0.0, 1.0, 0.0) },          \
      { "z-spacing", "Spacing of depths",                                      \
        "Metres of air between depths (0 = as the stream says, else assumed)", \
        GST_OCT_PROPERTY_LIVE, NULL,                                           \
        GST_OCT_DOUBLE (Settings, member.z_spacing, 0.0, 1.0, 0.0) },          \
  {                                                                            \
    "refractive-index", "Refractive index",                                    \
        "Refractive index of the sample: depths in air are divided by it "     \
        "(1 = air)",                                                           \
        GST_OCT_PROPERTY_LIVE, NULL,                                           \
        GST_OCT_DOUBLE (                                                       \
            Settings, member.refractive_index, 1.0, 4.0, OCT_TISSUE_INDEX)     \
  }

/* The spacing of voxels that the stream states, in metres; 0: none. */
typedef struct {
  double x, y, z;
} GstOctSpacing;

/* Between A-lines, B-scans and depths of the images, in mm of tissue, and which
 * of them are known; the others are assumed. */
typedef struct {
  double x, y, z;
  gboolean knows_x, knows_y, knows_z;
} GstOctVoxel;

/* The spacings in force, in mm of tissue.  If those along or those across the
 * surface are not known, the volume is twice as wide as `seen_part` of its
 * depth, the part that has signal: most of the depths of a scan may be
 * empty. */
GstOctVoxel gst_oct_volume_common_get_voxel (const GstOctVolumeCommon *common,
    const GstOctSpacing *stream, guint lines, guint depth, guint bscans,
    double seen_part);

G_END_DECLS
