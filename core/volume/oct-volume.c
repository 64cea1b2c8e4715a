/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume-scene.h"

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
      || !(look->window.mip_low < look->window.mip_high)) {
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

/* -------------------------------------------------------------------- scene */

static OctPoint
volume_normalized (double x, double y, double z)
{
  double length = sqrt (x * x + y * y + z * z);

  return (OctPoint){ (float)(x / length), (float)(y / length),
    (float)(z / length) };
}

static float
part_of (double fraction, float half)
{
  return (float)(2 * CLAMP (fraction, 0.0, 1.0) - 1) * half;
}

static void
set_boxes (OctVolumeScene *scene, const OctVolumeLook *look)
{
  const float half[3] = { scene->half.x, scene->half.y, scene->half.z };
  float *low[2] = { &scene->low.x, &scene->cut_low.x };
  float *high[2] = { &scene->high.x, &scene->cut_high.x };
  guint n = 0;

  scene->has_cut = TRUE;
  for (guint i = 0; i < 3; i++) {
    low[0][i] = part_of (look->crop_low[i], half[i]);
    high[0][i] = part_of (look->crop_high[i], half[i]);
    low[1][i] = part_of (look->cut_low[i], half[i]);
    high[1][i] = part_of (look->cut_high[i], half[i]);
    scene->has_cut = scene->has_cut && low[1][i] < high[1][i];
    /* what is cut at a face of the volume is open there */
    if (look->cut_low[i] <= 0)
      low[1][i] -= 1;
    if (look->cut_high[i] >= 1)
      high[1][i] += 1;
  }
  for (guint i = 0; i < OCT_VOLUME_PLANES; i++) {
    const double *p = look->planes[i];
    double length = sqrt (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);

    if (!(length > 0))
      continue;
    for (guint k = 0; k < 4; k++)
      scene->planes[n][k] = (float)(p[k] / length);
    n++;
  }
  scene->n_planes = (gint)n;
}

/* Over how much of the tissue its slope is found, mm: as much as what is to be
 * seen, of a volume of usual size. */
#define SLOPE_MM 0.045f

/* Physical lengths, in voxels of each axis. */
static void
set_slopes (OctVolumeScene *scene)
{
  scene->reach = (OctPoint){ MAX (1, SLOPE_MM * scene->per_mm.x),
    MAX (1, SLOPE_MM * scene->per_mm.y),
    MAX (1, 0.6f * SLOPE_MM * scene->per_mm.z) };
  scene->per_reach = (OctPoint){ 0.5f * scene->per_mm.x / scene->reach.x,
    0.5f * scene->per_mm.y / scene->reach.y,
    0.5f * scene->per_mm.z / scene->reach.z };
}

/* Rays step a voxel of the axis in which they cross most of them; through
 * voxels that are flat less. */
static float
volume_choose_step (const OctVolumeParams *params)
{
  return params->decimation == 1 ? 1.0f : params->decimation == 2 ? 0.8f : 0.6f;
}

static void
set_light (OctVolumeScene *scene)
{
  scene->light = volume_normalized (-.85, .35, -1.);
  scene->ambient = .30f;
  scene->diffuse = .74f;
  scene->specular = .20f;
  scene->shininess = 28;
  scene->shadow = .75f;
  scene->occlusion = .85f;
  scene->gradient_low = 1.2f;
  scene->gradient_high = 5.f;
  scene->light_bias = .06f;
  scene->inside = .03f;
  scene->relight = .02f;
}

void
oct_volume_scene_init (OctVolumeScene *scene, const OctVolumeParams *params,
    const OctVolumeLook *look)
{
  OctPoint size = oct_volume_get_size_mm (params, look);

  memset (scene, 0, sizeof *scene);
  scene->nx = (gint)params->lines;
  scene->ny = (gint)params->bscans;
  scene->nz = (gint)oct_volume_get_depth (params);
  scene->gx = OCT_VOLUME_CELLS (scene->nx);
  scene->gy = OCT_VOLUME_CELLS (scene->ny);
  scene->gz = OCT_VOLUME_CELLS (scene->nz);
  scene->half = (OctPoint){ size.x / 2, size.y / 2, size.z / 2 };
  scene->mm =
      (OctPoint){ size.x / scene->nx, size.y / scene->ny, size.z / scene->nz };
  scene->per_mm =
      (OctPoint){ 1 / scene->mm.x, 1 / scene->mm.y, 1 / scene->mm.z };
  set_boxes (scene, look);
  set_slopes (scene);
  set_light (scene);
  scene->step = volume_choose_step (params);
  scene->depth_hue = (float)look->depth_hue;
  scene->hue_low = -.5f * scene->half.z;
  scene->hue_high = .5f * scene->half.z;
  scene->mip_low = (float)(look->window.mip_low / 255);
  scene->mip_high = (float)(look->window.mip_high / 255);
  scene->mean_low = (float)(look->window.low / 255);
  scene->mean_gain = (float)(look->window.gain / size.z);
  scene->back_top = (OctPoint){ .10f, .115f, .135f };
  scene->back_bottom = (OctPoint){ .015f, .018f, .022f };
  scene->everywhere = look->everywhere;
}

void
oct_volume_get_seen (const OctTransfer *transfer, guint16 seen[257])
{
  seen[0] = 0;
  for (guint level = 0; level < 256; level++) {
    gint entry = (gint)(level / 255.f * (OCT_TRANSFER_SIZE - 1) + 0.5f);
    gboolean any = FALSE;

    /* and those beside it, for what rounding does */
    for (gint i = MAX (entry - 2, 0);
         i <= MIN (entry + 2, OCT_TRANSFER_SIZE - 1); i++)
      any |= transfer->entries[i].extinction > 0;
    seen[level + 1] = (guint16)(seen[level] + any);
  }
}

void
oct_volume_get_directions (OctPoint directions[OCT_VOLUME_DIRECTIONS])
{
  directions[0] = (OctPoint){ 0, 0, -1 };
  for (guint i = 1; i < OCT_VOLUME_DIRECTIONS; i++) {
    double angle = 2 * G_PI * (i - 1) / (OCT_VOLUME_DIRECTIONS - 1) + 0.4;

    directions[i] = volume_normalized (cos (angle), sin (angle), -0.6);
  }
}
