/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume-scene.h"

#include <math.h>
#include <string.h>

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

/* The length of tissue over which its slope is found, mm: that of the smallest
 * details to be seen in a volume of usual size. */
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
  scene->face_low = (float)(look->face_black / 255);
  scene->face_high = (float)(oct_volume_get_face_white (look) / 255);
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

    /* and its neighbours, because of rounding */
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
