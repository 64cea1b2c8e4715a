/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images of any format in memory, with rows that are apart, for the operations
 * that make images of images.
 */
#pragma once

#include "numeric.h"

typedef struct {
  guint width, height; /* of a plane, in pixels */
  guint parts, size;   /* values of a pixel, bytes of a value */
  gsize stride;
  guint8 *data;
} Plane;

typedef struct {
  guint n;
  Plane planes[2];
} Image;

/* All bytes are `fill`, also those after the rows. */
Image *image_new (
    guint width, guint height, OctImageFormat format, guint8 fill);
void image_free (Image *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Image, image_free)
void image_fill_random (Image *image, GRand *random);
OctFrame image_frame (const Image *image);

/* Value `i` of a row: pixel i / parts. */
guint plane_get (const Plane *plane, guint row, guint i);
void plane_set (Plane *plane, guint row, guint i, guint value);
/* [height][width][parts] */
double *plane_values (const Plane *plane);

/* Every value is the expected one rounded to nearest, and next to a half by
 * `slack` either one; the bytes after the rows are still `fill`. */
void plane_compare (
    const Plane *plane, const double *expected, double slack, guint8 fill);
