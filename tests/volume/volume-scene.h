/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A volume on a device with the look and the camera of its next picture, for
 * tests of renderers; and pictures compared.
 */
#pragma once

#include "volume-device.h"
#include "volumes.h"

#define SCENE_WIDTH 200u
#define SCENE_HEIGHT 160u
#define SCENE_PIXELS (SCENE_WIDTH * SCENE_HEIGHT)

typedef struct {
  const VolumeDevice *device;
  OctVolumeParams params;
  OctVolume *volume;
  OctTransfer transfer;
  OctVolumeLook look;
  OctVolumeCamera camera;
} Scene;

/* A scene of voxels with these distances along each axis, opaque from the
 * middle of the grey levels on, white. */
Scene *scene_new (const VolumeDevice *device, const VolumeSize *size,
    const guint8 *images, double x_mm, double y_mm, double z_mm,
    guint decimation);
void scene_free (Scene *s);

void scene_store (Scene *s, const guint8 *images, guint first, guint n);
void scene_show (Scene *s);
OctPoint scene_size (const Scene *s);
OctVolumeEye scene_eye (const Scene *s);
/* RGBA; g_free() */
guint8 *scene_draw (Scene *s);

typedef struct {
  double mean, bias;          /* of absolute differences; of differences */
  guint most, differing, far; /* far: by more than 8 grey levels */
} SceneDifference;

SceneDifference scene_compare (const guint8 *a, const guint8 *b);

/* By OctVolumeMode. */
extern const char *const scene_modes[OCT_N_VOLUME_MODES];
