/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion: tissue with a vessel, a bulk motion and noise, in every quantity,
 * window and format; edges, values that do not count, places.
 */
#include "cases.h"
#include "signals.h"

#include <math.h>

#define BINS 70u
#define LINES 23u

/* A-scans of `scans` B-scans.  Tissue turns from A-line to A-line by `bulk`,
 * from B-scan to B-scan by three times that; a vessel in the middle by up to
 * `flow` more. */
static Array *
array_vessel (GRand *random, guint scans, guint lines, guint bins, double bulk,
    double flow, double noise)
{
  Array *array = array_new ('c', 8, scans * lines, bins);

  for (guint q = 0; q < bins; q++) {
    Complex speckle = signal_complex (random) + 2;

    for (guint line = 0; line < scans * lines; line++) {
      guint x = line % lines, scan = line / lines;
      double across = (2. * x - lines) / lines, down = (2. * q - bins) / bins;
      double inside = MAX (0, 1 - 2 * (across * across + down * down));
      double phase = bulk * (x + 3 * scan) + flow * inside * (x + 2 * scan);

      array_set (array, (gsize)line * bins + q,
          speckle * exp (-3. * q / bins) * cexp (I * phase)
              + noise * signal_complex (random));
    }
  }
  return array;
}

static OctDopplerParams
default_doppler (guint lines, guint bins)
{
  return (OctDopplerParams){ .depth_bins = bins,
    .lines = lines,
    .values = TRUE,
    .window_lines = 5,
    .window_bins = 3,
    .bulk_lines = 9,
    .scale = 1,
    .range = G_PI };
}

static Case *
add_doppler (const char *name, OctDopplerParams params, Array *in)
{
  Case *test = cases_add (g_strdup_printf ("doppler-%s", name),
      OCT_OPERATION_DOPPLER, &params, sizeof params, in);

  test->bscans = in->rows / params.lines;
  return test;
}

static void
add_doppler_settings (GRand *random)
{
  static const guint windows[][2] = { { 1, 1 }, { 3, 1 }, { 1, 7 },
    { 31, 31 } };
  static const guint bulks[] = { 0, 1, 255 };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++) {
    OctDopplerParams params = default_doppler (LINES, BINS);
    g_autofree char *name = g_strdup_printf ("window-%u", i);

    params.window_lines = windows[i][0];
    params.window_bins = windows[i][1];
    params.scale = 4.5;
    add_doppler (
        name, params, array_vessel (random, 1, LINES, BINS, 0.4, 1.5, 0.02));
  }
  for (guint i = 0; i < G_N_ELEMENTS (bulks); i++) {
    OctDopplerParams params = default_doppler (LINES, BINS);
    g_autofree char *name = g_strdup_printf ("bulk-%u", bulks[i]);

    params.bulk_lines = bulks[i];
    add_doppler (
        name, params, array_vessel (random, 1, LINES, BINS, -0.8, 1, 0.02));
  }
}

static void
add_doppler_quantities (GRand *random)
{
  static const OctImageFormat formats[] = { OCT_IMAGE_GRAY8, OCT_IMAGE_RGBA };

  for (guint i = 0; i < 8; i++) {
    OctDopplerParams params = default_doppler (LINES, BINS);
    g_autofree char *name = g_strdup_printf ("quantity-%u", i);

    params.quantity = i % 2;
    params.noise = i / 2 % 2 ? 0.02 : 0;
    params.least = i / 4 ? 3 : 0;
    add_doppler (
        name, params, array_vessel (random, 1, LINES, BINS, 0.3, 1.2, 0.1));
    params.values = FALSE;
    params.format = formats[i / 2 % 2];
    params.range = i / 4 ? G_PI : 0.7;
    g_free (name);
    name = g_strdup_printf ("image-%u", i);
    add_doppler (
        name, params, array_vessel (random, 1, LINES, BINS, 0.3, 1.2, 0.1));
  }
}

/* Beyond a turn, of tissue above noise. */
static void
add_doppler_unwrapped (GRand *random)
{
  for (guint i = 0; i < 3; i++) {
    OctDopplerParams params = default_doppler (LINES + i, BINS - 7 * i);
    g_autofree char *name = g_strdup_printf ("unwrap-%u", i);

    params.unwrap = TRUE;
    params.window_lines = params.window_bins = 1;
    params.noise = 1e-4;
    params.least = i == 1 ? 0 : 3;
    params.scale = 2;
    add_doppler (name, params,
        array_vessel (
            random, 1, params.lines, params.depth_bins, 0.2, 2.5 + i, 0.003));
  }
}

/* B-scans in a frame do not mix; two places of three B-scans, the first of
 * which has nothing before it. */
static void
add_doppler_scans (GRand *random)
{
  OctDopplerParams several = default_doppler (3 * 8, BINS);
  OctDopplerParams places = default_doppler (LINES, BINS);

  several.bscans = 3;
  add_doppler (
      "several", several, array_vessel (random, 3, 8, BINS, 0.3, 1, 0.02));
  places.between = OCT_DOPPLER_REPEATS;
  places.repeats = 3;
  for (guint i = 0; i < 4; i++) {
    g_autofree char *name = g_strdup_printf ("repeats-%u", i);

    places.quantity = i % 2;
    places.noise = i * 1e-3;
    places.bulk_lines = i / 2 * 5;
    add_doppler (
        name, places, array_vessel (random, 7, LINES, BINS, 0.3, 0.5, 0.05));
  }
}

/* One A-line, one bin, two A-lines; what is not finite, or too much; nothing. */
static void
add_doppler_edges (GRand *random)
{
  static const guint sizes[][2] = { { 1, BINS }, { LINES, 1 }, { 2, 9 } };
  Array *lost = array_vessel (random, 1, LINES, BINS, 0.3, 1, 0.02);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    OctDopplerParams params = default_doppler (sizes[i][0], sizes[i][1]);
    g_autofree char *name = g_strdup_printf ("size-%u", i);

    add_doppler (name, params,
        array_vessel (random, 1, sizes[i][0], sizes[i][1], 0.4, 1, 0.02));
    params.unwrap = TRUE;
    g_free (name);
    name = g_strdup_printf ("size-unwrap-%u", i);
    add_doppler (name, params,
        array_vessel (random, 1, sizes[i][0], sizes[i][1], 0.4, 1, 0.02));
    params.quantity = OCT_DOPPLER_VARIANCE;
    g_free (name);
    name = g_strdup_printf ("size-variance-%u", i);
    add_doppler (name, params,
        array_vessel (random, 1, sizes[i][0], sizes[i][1], 0.4, 1, 0.02));
  }
  for (guint q = 0; q < BINS; q++) {
    array_set (lost, 4 * BINS + q, NAN);
    array_set (lost, 9 * BINS + q, q % 2 ? INFINITY : CMPLX (1, NAN));
    array_set (lost, 15 * BINS + q, 1e19);
  }
  add_doppler ("lost", default_doppler (LINES, BINS), lost);
  add_doppler ("zeros", default_doppler (LINES, BINS),
      array_constant (LINES, BINS, 'c', 8, 0));
}

/* ------------------------------------------------------------------- dynamic
 */

static OctDynamicParams
default_dynamic (guint lines, guint bins)
{
  return (OctDynamicParams){ .depth_bins = bins,
    .lines = lines,
    .values = TRUE,
    .quantity = OCT_DYNAMIC_FREQUENCY,
    .frames = 4,
    .window_lines = 3,
    .window_bins = 3,
    .rate = 50,
    .min_frequency = 0.5,
    .max_frequency = 20,
    .min = 0,
    .max = 20 };
}

static void
add_dynamic (const char *name, OctDynamicParams params, guint frames, Array *in)
{
  cases_add (g_strdup_printf ("dynamic-%s", name), OCT_OPERATION_DYNAMIC,
      &params, sizeof params, in)
      ->bscans = frames;
}

/* The upper half changes from B-scan to B-scan, more with each A-line. */
static Array *
array_fluctuating (GRand *random, guint scans, guint lines, guint bins)
{
  Array *array = array_new ('c', 8, scans * lines, bins);
  g_autofree Complex *still = g_new (Complex, (gsize)lines * bins);

  for (gsize i = 0; i < (gsize)lines * bins; i++)
    still[i] = signal_complex (random) + 0.5;
  for (guint line = 0; line < scans * lines; line++)
    for (guint q = 0; q < bins; q++) {
      double share = q < bins / 2 ? (line % lines + 1.) / lines : 0.05;

      array_set (array, (gsize)line * bins + q,
          exp (-4. * q / bins)
              * (still[line % lines * bins + q]
                  + share * signal_complex (random)));
    }
  return array;
}

static void
add_dynamics (GRand *random)
{
  static const OctImageFormat formats[] = { OCT_IMAGE_GRAY8, OCT_IMAGE_RGBA };
  OctDynamicParams params = default_dynamic (LINES, BINS);

  for (guint i = 0; i < 6; i++) {
    g_autofree char *name = g_strdup_printf ("values-%u", i);

    params.quantity = i % 2 ? OCT_DYNAMIC_ACTIVITY : OCT_DYNAMIC_FREQUENCY;
    params.noise = i == 1 ? 0.001 : 0;
    params.frames = 2 + i * i;
    params.window_lines = i < 4 ? 3 : 1;
    params.window_bins = i < 4 ? 3 : 31;
    params.repeats = i < 3 ? 0 : 4;
    add_dynamic (name, params, 6, array_fluctuating (random, 6, LINES, BINS));
  }
  params = default_dynamic (LINES, BINS);
  for (guint i = 0; i < 6; i++) {
    g_autofree char *name = g_strdup_printf ("image-%u", i);

    params.values = FALSE;
    params.quantity = i % 3;
    params.format =
        params.quantity == OCT_DYNAMIC_COLOUR ? OCT_IMAGE_RGBA : formats[i / 3];
    params.noise = 0.01;
    add_dynamic (name, params, 5, array_fluctuating (random, 5, LINES, BINS));
  }
  params = default_dynamic (3 * 8, BINS);
  params.bscans = 3;
  add_dynamic ("several", params, 2, array_fluctuating (random, 6, 8, BINS));
}

static void
add_dynamic_edges (GRand *random)
{
  static const guint sizes[][2] = { { 1, BINS }, { LINES, 1 }, { 2, 9 } };
  Array *lost = array_fluctuating (random, 4, LINES, BINS);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    OctDynamicParams params = default_dynamic (sizes[i][0], sizes[i][1]);
    g_autofree char *name = g_strdup_printf ("size-%u", i);

    add_dynamic (name, params, 4,
        array_fluctuating (random, 4, sizes[i][0], sizes[i][1]));
    params.quantity = OCT_DYNAMIC_ACTIVITY;
    g_free (name);
    name = g_strdup_printf ("size-activity-%u", i);
    add_dynamic (name, params, 4,
        array_fluctuating (random, 4, sizes[i][0], sizes[i][1]));
  }
  for (guint q = 0; q < BINS; q++) {
    array_set (lost, 4 * BINS + q, NAN);
    array_set (lost, (LINES + 9) * BINS + q, q % 2 ? INFINITY : CMPLX (1, NAN));
    array_set (lost, (2 * LINES + 15) * BINS + q, 1e19);
  }
  add_dynamic ("lost", default_dynamic (LINES, BINS), 4, lost);
  add_dynamic ("zeros", default_dynamic (LINES, BINS), 3,
      array_constant (3 * LINES, BINS, 'c', 8, 0));
}

void
cases_add_flow (GRand *random)
{
  add_doppler_settings (random);
  add_doppler_quantities (random);
  add_doppler_unwrapped (random);
  add_doppler_scans (random);
  add_doppler_edges (random);
  add_dynamics (random);
  add_dynamic_edges (random);
}
