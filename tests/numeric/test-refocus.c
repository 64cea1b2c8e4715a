/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Focus that is known: a point at ten Rayleigh lengths is as wide as in focus,
 * the focus and the aberrations of a volume are found, what is flat stays; and
 * what is refused.
 */
#include "numeric.h"
#include "oct-reference.h"
#include "oct-refocus.h"
#include "signals.h"

#include <math.h>
#include <string.h>

#define SIZE 96u
#define SPACING 2e-6
#define RADIUS 4e-6
#define K (2 * G_PI * OCT_TISSUE_INDEX / 850e-9)
/* k w^2 / 2: there the beam is 2^1/2 times as wide */
#define RAYLEIGH (K * RADIUS * RADIUS / 2)

static OctRefocusParams
point_params (guint bins, double z_spacing)
{
  return (OctRefocusParams){ .depth_bins = bins,
    .lines = SIZE * SIZE,
    .bscans = SIZE,
    .x_spacing = SPACING,
    .y_spacing = SPACING,
    .z_spacing = z_spacing,
    .wavenumber = K,
    .modes = 1 };
}

static float *
volume_new (guint bins)
{
  return g_new0 (float, 2 * (gsize)SIZE * SIZE * bins);
}

/* A point at (0, 0) of the exact spectrum exp (-w^2 u / 8 - i (dz d +
 * aberration)), the conjugate of the factor of refocusing. */
static void
make_point (double out_of_focus, double astigmatism, Complex *point)
{
  enum { N = SIZE };
  Complex *spectrum = g_new (Complex, N * N), *half = g_new0 (Complex, N * N);
  Complex turns[N];
  double step = 2 * G_PI / (N * SPACING), unit = G_PI / 2 / SPACING;

  memset (point, 0, N * N * sizeof *point);
  for (gint i = 0; i < N; i++)
    turns[i] = cexp (2 * G_PI * I * i / N) / N;
  for (gint y = 0; y < N; y++)
    for (gint x = 0; x < N; x++) {
      double uy = step * (y < N / 2 ? y : y - N);
      double ux = step * (x < N / 2 ? x : x - N), u = ux * ux + uy * uy;
      double phase = out_of_focus * (2 * K - sqrt (4 * K * K - u))
                     + astigmatism * (ux * ux - uy * uy) / (unit * unit);

      spectrum[y * N + x] = exp (-RADIUS * RADIUS * u / 8) * cexp (-I * phase);
    }
  for (guint i = 0; i < N * N; i++)
    for (guint j = 0; j < N; j++)
      half[i] += spectrum[i / N * N + j] * turns[j * (i % N) % N];
  for (guint i = 0; i < N * N; i++)
    for (guint j = 0; j < N; j++)
      point[i] += half[j * N + i % N] * turns[j * (i / N) % N];
  g_free (spectrum);
  g_free (half);
}

/* Adds a point at (px, py) times `factor` to plane q. */
static void
add_point (float *volume, guint bins, guint q, const Complex *point, guint py,
    guint px, Complex factor)
{
  for (guint y = 0; y < SIZE; y++)
    for (guint x = 0; x < SIZE; x++) {
      float *a = volume + 2 * (((gsize)y * SIZE + x) * bins + q);
      Complex value =
          factor
          * point[(y + SIZE - py) % SIZE * SIZE + (x + SIZE - px) % SIZE];

      a[0] += (float)creal (value);
      a[1] += (float)cimag (value);
    }
}

/* Returns what was found. */
static double
refocus (const OctRefocusParams *params, float *in, float *out)
{
  gsize stride = 2 * sizeof (float) * params->depth_bins;
  OctFrame from = { { { in, stride }, { NULL, 0 } } };
  OctFrame to = { { { out, stride }, { NULL, 0 } } };
  OctPlan *plan = plan_new (OCT_OPERATION_REFOCUS, params);
  double found;

  plan_run (OCT_OPERATION_REFOCUS, plan, &from, &to);
  found = operation_table (OCT_OPERATION_REFOCUS)->get_found (plan);
  plan_free (OCT_OPERATION_REFOCUS, plan);
  return found;
}

static double
power_at (const float *volume, guint bins, guint q, guint y, guint x)
{
  const float *a = volume + 2 * (((gsize)y * SIZE + x) * bins + q);

  return (double)a[0] * a[0] + (double)a[1] * a[1];
}

/* Full width at half maximum of the power along x through the middle, in metres,
 * linear between samples. */
static double
find_width (const float *volume, guint bins, guint q)
{
  guint middle = SIZE / 2, i = middle;
  double half = power_at (volume, bins, q, middle, middle) / 2, before, after;

  while (i + 1 < SIZE && power_at (volume, bins, q, middle, i) > half)
    i++;
  before = power_at (volume, bins, q, middle, i - 1);
  after = power_at (volume, bins, q, middle, i);
  return 2 * SPACING * (i - 1 + (before - half) / (before - after) - middle);
}

/* As the float64 reference has it: 3.2 um in focus, 33.5 um at ten Rayleigh
 * lengths, 3.2 um refocused, within 5 %. */
static void
test_width (void)
{
  static const double distances[] = { 0, 1, 3, 10 };
  double focused = 0;

  for (guint i = 0; i < G_N_ELEMENTS (distances); i++) {
    OctRefocusParams params = point_params (1, 1e-6);
    g_autofree float *in = volume_new (1), *out = volume_new (1);
    g_autofree Complex *point = g_new (Complex, SIZE * SIZE);
    double before, after;

    params.focus = -distances[i] * RAYLEIGH / params.z_spacing;
    make_point (distances[i] * RAYLEIGH, 0, point);
    add_point (in, 1, 0, point, SIZE / 2, SIZE / 2, 1);
    refocus (&params, in, out);
    before = find_width (in, 1, 0);
    after = find_width (out, 1, 0);
    if (i == 0)
      focused = before;
    g_test_message ("%g Rayleigh lengths: %.2f um, refocused %.2f um",
        distances[i], before * 1e6, after * 1e6);
    g_assert_cmpfloat (fabs (after - focused), <, 0.05 * focused);
    if (distances[i] == 10)
      g_assert_cmpfloat (before, >, 9 * focused);
  }
}

static double
find_most (const float *volume, guint bins)
{
  double most = 0;

  for (guint i = 0; i < SIZE * SIZE * bins; i++)
    most = MAX (most, power_at (volume, 1, 0, 0, i));
  return most;
}

/* Two points per plane, of a volume whose focus is above, in or below it. */
static float *
volume_of_points (
    guint bins, double z_spacing, double focus, double astigmatism)
{
  float *volume = volume_new (bins);
  g_autofree Complex *point = g_new (Complex, SIZE * SIZE);

  for (guint q = 0; q < bins; q++) {
    make_point ((q - focus) * z_spacing, astigmatism, point);
    for (guint i = 0; i < 2; i++)
      add_point (volume, bins, q, point, 20 + (37 * q + 13 * i) % 50,
          30 + (11 * q + 29 * i) % 40, 1);
  }
  return volume;
}

/* A quarter of a Rayleigh length makes spots 3 % wider. */
static void
test_automatic (void)
{
  static const double foci[] = { -3.2, 2.4, 6.1 };
  enum { BINS = 4 };
  const double z_spacing = RAYLEIGH;

  for (guint i = 0; i < G_N_ELEMENTS (foci); i++) {
    OctRefocusParams params = point_params (BINS, z_spacing);
    g_autofree float *in = volume_of_points (BINS, z_spacing, foci[i], 0);
    g_autofree float *out = volume_new (BINS);

    params.automatic = TRUE;
    g_assert_cmpfloat (fabs (refocus (&params, in, out) - foci[i]), <, 0.05);
  }
}

/* Eight Rayleigh lengths (16 steps) beside the volume are searched; farther nothing is found,
 * and the volume stays as it is. */
static void
test_too_far (void)
{
  enum { BINS = 2 };
  OctRefocusParams params = point_params (BINS, RAYLEIGH);
  g_autofree float *in = volume_of_points (BINS, RAYLEIGH, 30, 0);
  g_autofree float *out = volume_new (BINS);

  params.automatic = TRUE;
  g_assert_cmpfloat (refocus (&params, in, out), ==, 0);
  g_assert_cmpmem (in, 2 * sizeof (float) * SIZE * SIZE * BINS, out,
      2 * sizeof (float) * SIZE * SIZE * BINS);
}

/* Astigmatism of 2.5 rad at half of the largest frequency spreads points over two
 * lines; the peak is that of sharp points again. */
static void
test_modes (void)
{
  enum { BINS = 2 };
  OctRefocusParams params = point_params (BINS, RAYLEIGH);
  g_autofree float *in = volume_of_points (BINS, RAYLEIGH, 3, 2.5);
  g_autofree float *sharp = volume_of_points (BINS, RAYLEIGH, 0, 0);
  g_autofree float *out = volume_new (BINS);
  double most[3];

  params.automatic = TRUE;
  params.modes = 2;
  refocus (&params, in, out);
  most[0] = find_most (in, BINS);
  most[1] = find_most (sharp, BINS);
  most[2] = find_most (out, BINS);
  g_test_message ("peaks %g, %g in focus, %g", most[0], most[1], most[2]);
  g_assert_cmpfloat (most[0], <, 0.5 * most[1]);
  g_assert_cmpfloat (fabs (most[2] - most[1]), <, 0.1 * most[1]);
}

static void
turn_bscans (GRand *random, guint bins, float *volume)
{
  for (guint y = 0; y < SIZE; y++) {
    Complex turn = cexp (I * g_rand_double_range (random, -G_PI, G_PI));

    for (guint i = y * SIZE * bins; i < (y + 1) * SIZE * bins; i++) {
      Complex a = turn * CMPLX (volume[2 * i], volume[2 * i + 1]);

      volume[2 * i] = (float)creal (a);
      volume[2 * i + 1] = (float)cimag (a);
    }
  }
}

/* B-scans with phases of their own.  One point has a curvature along y that
 * alignment takes for phases, many at random places have none: the reference
 * keeps 0.98 of the sharpness, of 24 planes. */
static void
test_phases (void)
{
  enum { BINS = 16, POINTS = 40 };
  OctRefocusParams params = point_params (BINS, 1e-9);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autofree float *in = volume_new (BINS), *out = volume_new (BINS);
  g_autofree Complex *point = g_new (Complex, SIZE * SIZE);
  double still, turned;

  params.focus = -5 * RAYLEIGH / params.z_spacing;
  make_point (5 * RAYLEIGH, 0, point);
  for (guint i = 0; i < BINS * POINTS; i++)
    add_point (in, BINS, i % BINS, point, g_rand_int_range (random, 0, SIZE),
        g_rand_int_range (random, 0, SIZE),
        cexp (I * g_rand_double_range (random, -G_PI, G_PI)));
  refocus (&params, in, out);
  still = find_most (out, BINS);
  turn_bscans (random, BINS, in);
  refocus (&params, in, out);
  turned = find_most (out, BINS);
  params.align = TRUE;
  refocus (&params, in, out);
  g_test_message ("peaks %g, of turned B-scans %g, aligned %g", still, turned,
      find_most (out, BINS));
  g_assert_cmpfloat (turned, <, 0.5 * still);
  g_assert_cmpfloat (find_most (out, BINS), >, 0.9 * still);
}

/* There and back again is what it was; the power stays. */
static void
test_inverse (void)
{
  enum { BINS = 3 };
  OctRefocusParams params = point_params (BINS, 20e-6);
  g_autoptr (GRand) random = g_rand_new_with_seed (4);
  g_autofree float *in = volume_new (BINS), *out = volume_new (BINS);
  g_autofree float *back = volume_new (BINS);
  gsize n = 2 * (gsize)SIZE * SIZE * BINS;
  double powers[2] = { 0 }, worst = 0;

  for (gsize i = 0; i < n; i++)
    in[i] = (float)g_rand_double_range (random, -1, 1);
  params.focus = 40;
  refocus (&params, in, out);
  for (gsize i = 0; i < n; i++) {
    powers[0] += in[i] * in[i];
    powers[1] += out[i] * out[i];
    /* the conjugate goes the other way */
    if (i % 2)
      out[i] = -out[i];
  }
  refocus (&params, out, back);
  for (gsize i = 0; i < n; i++)
    worst = MAX (worst, fabs (in[i] - (i % 2 ? -back[i] : back[i])));
  g_assert_cmpfloat (fabs (powers[1] / powers[0] - 1), <, 1e-6);
  g_assert_cmpfloat (worst, <, 5e-6);
}

static void
test_refused (void)
{
  OctRefocusParams bad[11];

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    bad[i] = point_params (4, 1e-6);
  bad[0].depth_bins = 0;
  bad[1].bscans = 7;
  bad[2].x_spacing = 0;
  bad[3].y_spacing = -1e-6;
  bad[4].z_spacing = NAN;
  bad[5].wavenumber = INFINITY;
  bad[6].modes = 0;
  bad[7].modes = OCT_REFOCUS_MODES + 1;
  bad[8].focus = NAN;
  bad[9].lines = OCT_MAX_LINES + SIZE;
  bad[10].wavenumber = 0;
  plan_check_refused (
      OCT_OPERATION_REFOCUS, bad, sizeof bad[0], G_N_ELEMENTS (bad));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/refocus/width", test_width);
  g_test_add_func ("/refocus/automatic", test_automatic);
  g_test_add_func ("/refocus/too-far", test_too_far);
  g_test_add_func ("/refocus/modes", test_modes);
  g_test_add_func ("/refocus/phases", test_phases);
  g_test_add_func ("/refocus/inverse", test_inverse);
  g_test_add_func ("/refocus/refused", test_refused);
  return g_test_run ();
}
