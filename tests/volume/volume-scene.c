/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "volume-scene.h"

/* Opaque from the middle of the grey levels on, white. */
static const OctTransferStops opaque = { 4,
  { { 0, { 1, 1, 1, 0 } }, { 120, { 1, 1, 1, 0 } }, { 135, { 1, 1, 1, 2000 } },
      { 255, { 1, 1, 1, 2000 } } } };

void
scene_store (Scene *s, const guint8 *images, guint first, guint n)
{
  gsize size = (gsize)s->params.lines * s->params.depth * n;
  gpointer memory = volume_device_alloc (s->device, size);
  OctFrame frame = { .planes[0] = { memory, s->params.lines } };
  GError *error = NULL;

  volume_device_upload (s->device, memory, images, size);
  volume_device_expect (s->device->table->store (s->volume, &frame, first, n,
                            s->device->stream, &error),
      error);
  volume_device_wait (s->device, s->device->stream);
  volume_device_free (s->device, memory);
}

void
scene_show (Scene *s)
{
  GError *error = NULL;

  volume_device_expect (
      s->device->table->show (s->volume, s->device->stream, &error), error);
}

Scene *
scene_new (const VolumeDevice *device, const VolumeSize *size,
    const guint8 *images, double x_mm, double y_mm, double z_mm,
    guint decimation)
{
  Scene *s = g_new0 (Scene, 1);
  GError *error = NULL;

  s->device = device;
  s->params = (OctVolumeParams){ .lines = size->lines,
    .depth = size->depth,
    .bscans = size->bscans,
    .decimation = decimation,
    .pixel_size = 1 };
  s->volume = device->table->create (&s->params, &error);
  volume_device_expect (s->volume != NULL, error);
  s->look = (OctVolumeLook){ .x_spacing = x_mm,
    .y_spacing = y_mm,
    .z_spacing = z_mm,
    .transfer = &s->transfer,
    .window = OCT_VOLUME_WINDOW,
    .face_black = OCT_VOLUME_FACE_BLACK (0),
    .crop_high = { 1, 1, 1 },
    .coarseness = 1 };
  s->camera = (OctVolumeCamera){
    .yaw = -35, .pitch = 38, .zoom = 1.1, .field_of_view = 30
  };
  oct_transfer_fill (&opaque, 0, 1, &s->transfer);
  scene_store (s, images, 0, size->bscans);
  scene_show (s);
  return s;
}

void
scene_free (Scene *s)
{
  s->device->table->destroy (s->volume);
  g_free (s);
}

OctPoint
scene_size (const Scene *s)
{
  return oct_volume_get_size_mm (&s->params, &s->look);
}

OctVolumeEye
scene_eye (const Scene *s)
{
  OctVolumeEye eye;

  oct_volume_camera_get_eye (
      &s->camera, scene_size (s), 0, SCENE_WIDTH, SCENE_HEIGHT, &eye);
  return eye;
}

guint8 *
scene_draw (Scene *s)
{
  gpointer memory = volume_device_alloc (s->device, 4 * SCENE_PIXELS);
  guint8 *pixels = g_malloc (4 * SCENE_PIXELS);
  OctVolumePicture picture = { .format = OCT_IMAGE_RGBA,
    .width = SCENE_WIDTH,
    .height = SCENE_HEIGHT,
    .n_eyes = 1,
    .eyes = { scene_eye (s) },
    .frame.planes[0] = { memory, 4 * SCENE_WIDTH } };
  GError *error = NULL;

  volume_device_expect (
      s->device->table->render (s->volume, &s->look, &picture, &error), error);
  volume_device_download (s->device, pixels, memory, 4 * SCENE_PIXELS,
      s->device->table->get_stream (s->volume));
  volume_device_free (s->device, memory);
  return pixels;
}

SceneDifference
scene_compare (const guint8 *a, const guint8 *b)
{
  SceneDifference d = { 0 };

  for (guint i = 0; i < 4 * SCENE_PIXELS; i++) {
    gint one = (gint)a[i] - b[i];
    guint difference = (guint)ABS (one);

    d.mean += difference;
    d.bias += one;
    d.most = MAX (d.most, difference);
    d.differing += difference != 0;
    d.far += difference > 8;
  }
  d.mean /= 3.0 * SCENE_PIXELS;
  d.bias /= 3.0 * SCENE_PIXELS;
  return d;
}

const char *const scene_modes[OCT_N_VOLUME_MODES] = { "full", "once", "alpha",
  "mip", "mean" };
