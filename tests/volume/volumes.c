/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "volumes.h"

#include <math.h>

guint8 *
volume_new (const VolumeSize *size)
{
  return g_malloc0 ((gsize)size->lines * size->depth * size->bscans);
}

static guint32
hash (guint32 x)
{
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

static double
uniform (guint32 x, guint32 y, guint32 z)
{
  return hash (x * 0x9e3779b1u ^ hash (y * 0x85ebca77u ^ hash (z + 77)))
         / 4294967296.0;
}

/* Smooth, -1 .. 1, one hill in about one unit. */
static double
hills (double x, double y, guint32 seed)
{
  double fx = floor (x), fy = floor (y), u = x - fx, v = y - fy;
  guint32 ix = (guint32)(gint)fx, iy = (guint32)(gint)fy;
  double a = uniform (ix, iy, seed), b = uniform (ix + 1, iy, seed);
  double c = uniform (ix, iy + 1, seed), d = uniform (ix + 1, iy + 1, seed);

  u = u * u * (3 - 2 * u);
  v = v * v * (3 - 2 * v);
  a += (b - a) * u;
  c += (d - c) * u;
  return 2 * (a + (c - a) * v) - 1;
}

/* The part of the depth, 0 .. 1, where the tissue begins; x and y 0 .. 1. */
static double
surface (double x, double y)
{
  double r2 = (x - .48) * (x - .48) + (y - .52) * (y - .52);
  double gx = x - .7, gy = y - .36, g = sqrt (gx * gx + gy * gy);
  double folds = cos (7 * atan2 (gy, gx)) * MIN (1, g * 12);

  return .58 - .33 * r2 + .055 * exp (-r2 / .006)
         - exp (-g * g / .02) * (.022 + .016 * folds)
         + .006 * hills (14 * x, 14 * y, 7) + .0015 * hills (80 * x, 80 * y, 9);
}

/* 0 .. 1, how far inside the vessel; *z: of its middle below the surface. */
static double
vessel (double x, double y)
{
  double middle = .78 + .025 * sin (9 * x) - .12 * (x - .5) * (x - .5);
  double d = (y - middle) / .012;

  return d * d < 1 ? sqrt (1 - d * d) : 0;
}

/* Decibels above the noise at depth s below the surface, in parts of all. */
static double
decibels (double s, double inside)
{
  static const struct {
    double to, db;
  } layers[] = { { .014, 26 }, { .045, 18 }, { .058, 10 }, { .07, 17 },
    { .1, 8 }, { .103, 17 }, { .112, 13 }, { .117, 29 }, { .122, 20 },
    { .13, 31 } };

  if (s < 0)
    return -10;
  if (s > .02 && inside > 0 && s < .02 + .03 * inside)
    return 26 - 300 * (s - .02);
  for (guint i = 0; i < G_N_ELEMENTS (layers); i++)
    if (s < layers[i].to)
      return layers[i].db - (inside > 0 && s > .03 ? 9 : 0);
  return 23 - 110 * (s - .13) - (inside > 0 ? 9 : 0);
}

/* As octlogscale shows it: black is the noise, 7 levels for a decibel. */
static guint8
level (double db, double re, double im, double noise_re, double noise_im)
{
  double a = pow (10, db / 20);
  double x = a * re + noise_re, y = a * im + noise_im;
  double v = 7 * 10 * log10 (x * x + y * y + 1e-9);

  return (guint8)CLAMP (v + .5, 0, 255);
}

void
volume_fill_tissue (const VolumeSize *size, guint8 *images)
{
  /* speckle: numbers of normal distribution from a table, which is enough */
  enum { TABLE = 1 << 16 };
  g_autofree float *normal = g_new (float, TABLE);

  for (guint i = 0; i < TABLE; i++) {
    double u = (hash (i) + .5) / 4294967296.0;
    double phase = 2 * G_PI * hash (i + 1000003) / 4294967296.0;

    normal[i] = (float)(sqrt (-log (u)) * cos (phase));
  }
  for (guint b = 0; b < size->bscans; b++)
    for (guint l = 0; l < size->lines; l++) {
      double x = (l + .5) / size->lines, y = (b + .5) / size->bscans;
      double top = surface (x, y), inside = vessel (x, y);
      guint32 at = hash (b * 8191 + l);

      for (guint z = 0; z < size->depth; z++, at++) {
        guint32 h = hash (at / 2);
        double db = decibels ((z + .5) / size->depth - top, inside);

        *volume_at (size, images, l, z, b) = level (db, normal[h % TABLE],
            normal[h / TABLE], normal[at % TABLE], normal[hash (at) % TABLE]);
      }
    }
}

void
volume_fill_shape (const VolumeSize *size, guint8 *images, VolumeShape shape,
    gconstpointer data, guint8 level)
{
  for (guint b = 0; b < size->bscans; b++)
    for (guint z = 0; z < size->depth; z++)
      for (guint l = 0; l < size->lines; l++) {
        double inside = shape ((l + .5) / size->lines, (b + .5) / size->bscans,
            (z + .5) / size->depth, data);

        *volume_at (size, images, l, z, b) = inside >= 0 ? level : 0;
      }
}
