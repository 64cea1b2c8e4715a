/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "planes.h"

#include <math.h>
#include <string.h>

#define PADDING 6

static void
plane_init (Plane *plane, guint width, guint height, guint parts, guint size,
    guint8 fill)
{
  gsize bytes;

  *plane = (Plane){ width, height, parts, size,
    (gsize)width * parts * size + PADDING, NULL };
  bytes = plane->stride * height;
  plane->data = g_malloc (bytes);
  memset (plane->data, fill, bytes);
}

Image *
image_new (guint width, guint height, OctImageFormat format, guint8 fill)
{
  Image *image = g_new0 (Image, 1);

  image->n = format == OCT_IMAGE_NV12 ? 2 : 1;
  plane_init (&image->planes[0], width, height,
      format == OCT_IMAGE_RGBA ? 4 : 1, format == OCT_IMAGE_GRAY16 ? 2 : 1,
      fill);
  if (image->n > 1)
    plane_init (
        &image->planes[1], (width + 1) / 2, (height + 1) / 2, 2, 1, fill);
  return image;
}

void
image_free (Image *image)
{
  for (guint i = 0; i < image->n; i++)
    g_free (image->planes[i].data);
  g_free (image);
}

void
image_fill_random (Image *image, GRand *random)
{
  for (guint i = 0; i < image->n; i++)
    for (gsize k = 0; k < image->planes[i].stride * image->planes[i].height;
         k++)
      image->planes[i].data[k] = (guint8)g_rand_int_range (random, 0, 256);
}

OctFrame
image_frame (const Image *image)
{
  OctFrame frame = { 0 };

  for (guint i = 0; i < image->n; i++)
    frame.planes[i] =
        (OctPlane){ image->planes[i].data, image->planes[i].stride };
  return frame;
}

guint
plane_get (const Plane *plane, guint row, guint i)
{
  const guint8 *line = plane->data + row * plane->stride;

  return plane->size == 2 ? ((const guint16 *)(gconstpointer)line)[i] : line[i];
}

void
plane_set (Plane *plane, guint row, guint i, guint value)
{
  guint8 *line = plane->data + row * plane->stride;

  if (plane->size == 2)
    ((guint16 *)(gpointer)line)[i] = (guint16)value;
  else
    line[i] = (guint8)value;
}

double *
plane_values (const Plane *plane)
{
  guint row = plane->width * plane->parts;
  double *values = g_new (double, (gsize)row * plane->height);

  for (guint y = 0; y < plane->height; y++)
    for (guint i = 0; i < row; i++)
      values[(gsize)y * row + i] = plane_get (plane, y, i);
  return values;
}

void
plane_compare (
    const Plane *plane, const double *expected, double slack, guint8 fill)
{
  guint row = plane->width * plane->parts;

  for (guint y = 0; y < plane->height; y++) {
    for (guint i = 0; i < row; i++)
      g_assert_cmpfloat (
          fabs (plane_get (plane, y, i) - expected[(gsize)y * row + i]), <=,
          0.5 + slack);
    for (gsize k = (gsize)row * plane->size; k < plane->stride; k++)
      g_assert_cmpuint (plane->data[y * plane->stride + k], ==, fill);
  }
}
