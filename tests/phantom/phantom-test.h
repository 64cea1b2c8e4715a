/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Phantoms and their A-scans, for the tests of this folder. */
#pragma once

#include <math.h>
#include <string.h>

#include "oct-phantom.h"

/* spot_x: of a spot of that width, and half of it from B-scan to B-scan. */
static inline OctPhantom *
make_phantom_seen (OctPhantomKind kind, guint samples, guint lines,
    guint bscans, double depth, double noise, guint seed, double spot_x)
{
  OctPhantomSettings settings = { .kind = kind,
    .samples = samples,
    .lines = lines,
    .bscans = bscans,
    .sample_format = OCT_SAMPLE_U16,
    .depth = depth,
    .noise = noise,
    .seed = seed,
    .spot_x = spot_x,
    .spot_y = 0.5 * spot_x };
  g_autoptr (GError) error = NULL;
  OctPhantom *phantom = oct_phantom_new (&settings, &error);

  g_assert_no_error (error);
  g_assert_nonnull (phantom);
  return phantom;
}

static inline OctPhantom *
make_phantom (OctPhantomKind kind, guint samples, guint lines, guint bscans,
    double depth, double noise, guint seed)
{
  return make_phantom_seen (
      kind, samples, lines, bscans, depth, noise, seed, 0.0);
}

/* [lines][samples], free with g_free. */
static inline guint16 *
render (OctPhantom *phantom, guint64 frame, guint samples, guint lines)
{
  guint16 *bscan = g_new0 (guint16, (gsize)samples * lines);

  oct_phantom_render (phantom, frame, bscan, samples * sizeof (guint16));
  return bscan;
}

/* a (z) of one spectrum, re and im, integrated over the wavenumbers of the
 * phantom's camera: sum of (counts - background) hann exp (-2 i k z + i
 * compensation) dk.  z in um. */
static inline void
find_a_scan (OctPhantom *phantom, const guint16 *line, guint samples, double z,
    double a[2])
{
  OctCalibration *calibration = oct_phantom_get_calibration (phantom);
  const double *background = oct_calibration_get_background (calibration);
  const double *nodes = oct_calibration_get_nodes (calibration);
  const double *dispersion = oct_calibration_get_dispersion (calibration);
  double re = 0.0, im = 0.0;
  guint n;

  for (n = 0; n < samples; n++) {
    double wavelength = 0.845 + (n - 0.5 * (samples - 1)) * 0.110 / samples;
    double hann = 0.5 - 0.5 * cos (2.0 * G_PI * nodes[n] / (samples - 1));
    guint j = MIN ((guint)nodes[n], samples - 2);
    double part = nodes[n] - j;
    double phase = dispersion[j] * (1.0 - part) + dispersion[j + 1] * part
                   - 4.0 * G_PI / wavelength * z;
    double value = (line[n] - background[n]) * hann / (wavelength * wavelength);

    re += value * cos (phase);
    im += value * sin (phase);
  }
  a[0] = re;
  a[1] = im;
}

static inline double
get_a_scan (OctPhantom *phantom, const guint16 *line, guint samples, double z)
{
  double a[2];

  find_a_scan (phantom, line, samples, z, a);
  return sqrt (a[0] * a[0] + a[1] * a[1]);
}
