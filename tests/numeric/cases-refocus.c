/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes out of focus: points in speckle, of sizes with large prime factors and
 * of one line, with values that do not count.
 */
#include "cases.h"
#include "signals.h"

#include <math.h>

#define BINS 20u
#define WAVELENGTH 850e-9

static OctRefocusParams
default_refocus (guint bscans, guint lines, guint bins)
{
  return (OctRefocusParams){ .depth_bins = bins,
    .lines = bscans * lines,
    .bscans = bscans,
    .x_spacing = 2e-6,
    .y_spacing = 2e-6,
    .z_spacing = 15e-6,
    .wavenumber = 2 * G_PI * OCT_TISSUE_INDEX / WAVELENGTH,
    .align = TRUE,
    .focus = 7.3,
    .modes = 1 };
}

/* Points in weak speckle: Gaussian spots of radius `w` metres in focus at bin
 * `focus`, whose curvature is that of the paraxial beam elsewhere, and B-scans
 * with a phase of their own. */
static Array *
array_defocused (GRand *random, const OctRefocusParams *p, double focus,
    double w, double phase)
{
  guint lines = p->lines / p->bscans;
  Array *array = array_new ('c', 8, p->lines, p->depth_bins);

  for (guint q = 0; q < p->depth_bins; q++) {
    Complex width =
        w * w / 2
        + I * (p->depth_start + q - focus) * p->z_spacing / p->wavenumber;
    double py = g_rand_double_range (random, 0.3, 0.7) * p->bscans;
    double px = g_rand_double_range (random, 0.3, 0.7) * lines;

    for (guint y = 0; y < p->bscans; y++)
      for (guint x = 0; x < lines; x++) {
        double dy = (y - py) * p->y_spacing, dx = (x - px) * p->x_spacing;
        Complex a = w * w / 2 / width * cexp (-(dx * dx + dy * dy) / width);

        array_set (array, ((gsize)y * lines + x) * p->depth_bins + q,
            (a + 0.01 * signal_complex (random))
                * cexp (I * phase * y * (y + 1)));
      }
  }
  return array;
}

static void
add_refocus (char *name, OctRefocusParams params, Array *in)
{
  cases_add (name, OCT_OPERATION_REFOCUS, &params, sizeof params, in);
}

/* Also lengths that are prime, one B-scan and one A-line. */
static void
add_refocus_sizes (GRand *random)
{
  static const guint sizes[][3] = { { 12, 20, 17 }, { 13, 23, 16 },
    { 1, 40, 33 }, { 31, 1, 5 }, { 1, 1, 3 }, { 16, 16, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    OctRefocusParams params =
        default_refocus (sizes[i][0], sizes[i][1], sizes[i][2]);

    params.y_spacing = (2 + i) * 1e-6;
    params.align = i % 2;
    params.depth_start = 3 * i;
    add_refocus (g_strdup_printf ("refocus-size-%u", i), params,
        array_defocused (random, &params, 4, 4e-6, 0.4));
  }
}

static void
add_refocus_searches (GRand *random)
{
  for (guint i = 0; i < 4; i++) {
    OctRefocusParams params = default_refocus (24, 20 + i, BINS);

    params.automatic = TRUE;
    params.modes = i == 3 ? 4 : 1;
    params.depth_start = i;
    /* number 2: B-scans turn, and nobody turns them back */
    params.align = i != 2;
    add_refocus (g_strdup_printf ("refocus-automatic-%u", i), params,
        array_defocused (random, &params, 6 + 3 * i, 4e-6, i % 2));
  }
}

/* Noise alone, no signal, and values without end: nothing is found. */
static void
add_refocus_unclear (GRand *random)
{
  OctRefocusParams params = default_refocus (16, 15, BINS);

  params.automatic = TRUE;
  add_refocus (g_strdup ("refocus-noise"), params,
      array_noise (random, params.lines, BINS, 'c', 5));
  add_refocus (g_strdup ("refocus-zeros"), params,
      array_constant (params.lines, BINS, 'c', 8, 0));
  add_refocus (g_strdup ("refocus-nan"), params,
      array_constant (params.lines, BINS, 'c', 8, NAN));
}

void
cases_add_refocus (GRand *random)
{
  OctRefocusParams params = default_refocus (12, 15, BINS);
  Array *lost = array_defocused (random, &params, 9, 4e-6, 1);

  add_refocus_sizes (random);
  add_refocus_searches (random);
  add_refocus_unclear (random);
  for (guint i = 0; i < lost->rows * lost->columns; i += 7)
    array_set (lost, i, i % 2 ? NAN : CMPLX (3, INFINITY));
  add_refocus (g_strdup ("refocus-lost"), params, lost);
  /* a whole B-scan: the one after it goes on from the one before it */
  lost = array_defocused (random, &params, 9, 4e-6, 1);
  for (guint i = 0; i < 15 * lost->columns; i++)
    array_set (lost, (gsize)5 * 15 * lost->columns + i, NAN);
  add_refocus (g_strdup ("refocus-lost-bscan"), params, lost);
}
