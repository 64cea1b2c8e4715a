/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume.h"

#include <math.h>

#define RADIANS (G_PI / 180.0)

static OctPoint
volume_camera_scaled (OctPoint a, double factor)
{
  return (OctPoint){ (float)(a.x * factor), (float)(a.y * factor),
    (float)(a.z * factor) };
}

static OctPoint
volume_camera_sum (OctPoint a, OctPoint b)
{
  return (OctPoint){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static double
volume_camera_dot (OctPoint a, OctPoint b)
{
  return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z;
}

/* The sphere around the volume touches the nearer edges of the picture at zoom
 * 1.  Volumes are flat and seen from a slope: they reach less far than it. */
#define FIT 0.86

void
oct_volume_camera_get_eye (const OctVolumeCamera *camera, OctPoint size,
    gint eye, guint width, guint height, OctVolumeEye *result)
{
  double yaw = camera->yaw * RADIANS, pitch = camera->pitch * RADIANS;
  double aspect = (double)width / height;
  double radius =
      FIT * 0.5 * sqrt (volume_camera_dot (size, size)) / camera->zoom;
  gboolean parallel = camera->field_of_view <= 0;
  double view = (parallel ? 30.0 : camera->field_of_view) * RADIANS / 2;
  /* of the narrower direction */
  double narrow = atan (tan (view) * MIN (1.0, aspect));
  double distance = radius / sin (narrow);
  double half = parallel ? radius / MIN (1.0, aspect) : distance * tan (view);
  double shift = eye * distance * tan (camera->eye_separation * RADIANS / 2);
  OctPoint forward = { (float)(sin (yaw) * cos (pitch)),
    (float)(cos (yaw) * cos (pitch)), (float)sin (pitch) };
  OctPoint right = { (float)cos (yaw), (float)-sin (yaw), 0 };
  /* depth grows downwards */
  OctPoint up = { (float)(sin (yaw) * sin (pitch)),
    (float)(cos (yaw) * sin (pitch)), (float)-cos (pitch) };
  OctPoint target = volume_camera_sum (camera->middle,
      volume_camera_sum (
          volume_camera_scaled (right, -camera->pan_x * 2 * half),
          volume_camera_scaled (up, -camera->pan_y * 2 * half)));

  result->parallel = parallel;
  result->forward = forward;
  if (parallel) {
    /* eyes look from two sides */
    OctPoint side = volume_camera_scaled (
        right, -tan (eye * camera->eye_separation * RADIANS / 2));

    result->forward = volume_camera_sum (forward, side);
    result->origin = volume_camera_sum (target,
        volume_camera_scaled (result->forward, -(distance + 2 * radius)));
    result->right = volume_camera_scaled (right, half * aspect);
    result->up = volume_camera_scaled (up, half);
    return;
  }
  result->origin = volume_camera_sum (
      volume_camera_sum (target, volume_camera_scaled (forward, -distance)),
      volume_camera_scaled (right, shift));
  result->forward = volume_camera_sum (
      forward, volume_camera_scaled (right, -shift / distance));
  result->right = volume_camera_scaled (right, tan (view) * aspect);
  result->up = volume_camera_scaled (up, tan (view));
}

gboolean
oct_volume_eye_project (const OctVolumeEye *eye, OctPoint point, guint width,
    guint height, double *x, double *y)
{
  OctPoint d =
      volume_camera_sum (point, volume_camera_scaled (eye->origin, -1));
  double right = volume_camera_dot (eye->right, eye->right),
         up = volume_camera_dot (eye->up, eye->up);
  OctPoint line = {
    eye->right.y * eye->up.z - eye->right.z * eye->up.y,
    eye->right.z * eye->up.x - eye->right.x * eye->up.z,
    eye->right.x * eye->up.y - eye->right.y * eye->up.x,
  };
  /* along the line of sight, in units of `forward` */
  double depth =
      volume_camera_dot (d, line) / volume_camera_dot (eye->forward, line);
  OctPoint rest =
      volume_camera_sum (d, volume_camera_scaled (eye->forward, -depth));
  double scale = eye->parallel ? 1.0 : depth;

  if (!(depth > 0))
    return FALSE;
  *x = (1 + volume_camera_dot (rest, eye->right) / right / scale) * width / 2;
  *y = (1 - volume_camera_dot (rest, eye->up) / up / scale) * height / 2;
  return TRUE;
}
