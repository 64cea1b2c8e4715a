/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- volume */

gboolean
oct_volume_params_check (const OctVolumeParams *params, GError **error)
{
  guint depth = oct_volume_get_depth (params);

  if (params->lines < 1 || params->depth < 1 || params->bscans < 1
      || params->lines > OCT_VOLUME_MAX_SIZE || depth > OCT_VOLUME_MAX_SIZE
      || params->bscans > OCT_VOLUME_MAX_SIZE) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A volume of %u B-scans of %u A-lines and %u depths (%u voxels deep) "
        "is not possible: it must have 1 to %u of each; set fewer `bscans`, "
        "`lines` or depth bins.",
        params->bscans, params->lines, params->depth, depth,
        OCT_VOLUME_MAX_SIZE);
    return FALSE;
  }
  if ((params->decimation != 1 && params->decimation != 2
          && params->decimation != 4 && params->decimation != 8)
      || (params->pixel_size != 1 && params->pixel_size != 4)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u depths cannot become one voxel; set `decimation` to 1, 2, 4 or 8.",
        params->decimation);
    return FALSE;
  }
  return TRUE;
}

guint
oct_volume_get_depth (const OctVolumeParams *params)
{
  /* an image with fewer rows than that is one voxel deep */
  return params->decimation == 0 ? 0
                                 : MAX (1, params->depth / params->decimation);
}

guint
oct_volume_choose_decimation (
    double x_spacing, double y_spacing, double z_spacing, guint depth)
{
  double most = MAX (x_spacing, y_spacing) / 2;
  guint decimation = 1;

  while (decimation < 8 && 2 * decimation * z_spacing <= most
         && depth / (2 * decimation) >= 64)
    decimation *= 2;
  return decimation;
}

guint64
oct_volume_get_size (const OctVolumeParams *params)
{
  guint64 voxels =
      (guint64)params->lines * oct_volume_get_depth (params) * params->bscans;

  /* extents of blocks of 8 x 8 x 8, distances and light are little */
  return 3 * voxels + voxels / 50
         + 4 * OCT_VOLUME_LIGHT_X * OCT_VOLUME_LIGHT_Y * OCT_VOLUME_LIGHT_Z;
}

guint64
oct_section_get_size (const OctVolumeParams *params)
{
  guint64 lines = (guint64)params->lines * params->bscans;

  /* what is projected, and where the surface is */
  return 2 * lines * oct_volume_get_depth (params) + 8 * lines;
}

/* --------------------------------------------------------------------- look */

double
oct_volume_get_face_white (const OctVolumeLook *look)
{
  return look->face_white > 0 ? look->face_white : OCT_VOLUME_FACE_WHITE;
}

gboolean
oct_volume_look_check (const OctVolumeLook *look, GError **error)
{
  double least = MIN (MIN (look->x_spacing, look->y_spacing), look->z_spacing);
  double most = MAX (MAX (look->x_spacing, look->y_spacing), look->z_spacing);

  if (!(least > 0) || !isfinite (most) || most > 1e4 * least) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A voxel of %g x %g x %g um was asked for; set `x-spacing`, "
        "`y-spacing` "
        "and `z-spacing` to what is between A-lines, B-scans and depths.",
        look->x_spacing * 1e3, look->y_spacing * 1e3, look->z_spacing * 1e3);
    return FALSE;
  }
  if (look->mode >= OCT_N_VOLUME_MODES || look->transfer == NULL
      || look->coarseness < 1 || look->coarseness > 8
      || !(look->window.mip_low < look->window.mip_high)
      || !(look->face_black < oct_volume_get_face_white (look))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no picture of mode %u and coarseness %u, with %g as black "
        "and "
        "%g as white.",
        look->mode, look->coarseness, look->window.mip_low,
        look->window.mip_high);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_volume_picture_check (const OctVolumePicture *p, GError **error)
{
  if ((p->format == OCT_IMAGE_NV12 || p->format == OCT_IMAGE_RGBA)
      && (p->n_eyes == 1 || (p->n_eyes == 2 && p->width % 4 == 0))
      && p->width >= OCT_VOLUME_MIN_PICTURE
      && p->height >= OCT_VOLUME_MIN_PICTURE
      && p->width <= OCT_VOLUME_MAX_PICTURE
      && p->height <= OCT_VOLUME_MAX_PICTURE)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A picture of %u x %u pixels for %u eyes is not possible; set %u to %u "
      "pixels each way, and for two eyes a width that is a multiple of 4.",
      p->width, p->height, p->n_eyes, OCT_VOLUME_MIN_PICTURE,
      OCT_VOLUME_MAX_PICTURE);
  return FALSE;
}

OctPoint
oct_volume_get_size_mm (
    const OctVolumeParams *params, const OctVolumeLook *look)
{
  double z = (double)oct_volume_get_depth (params) * params->decimation;

  return (OctPoint){ (float)(params->lines * look->x_spacing),
    (float)(params->bscans * look->y_spacing),
    (float)(MIN (z, params->depth) * look->z_spacing) };
}
