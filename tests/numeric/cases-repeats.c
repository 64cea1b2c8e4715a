/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Repeated B-scans: what moves.
 */
#include "cases.h"
#include "signals.h"

#include <math.h>

static const char *const methods[] = { "flow", "index", "complex-difference",
  "speckle-variance", "noise-immune", "id-mask", "phase-variance", "cdv" };
G_STATIC_ASSERT (G_N_ELEMENTS (methods) == OCT_N_ANGIO_METHODS);

/* B-scans of tissue that is weaker the deeper it is, with noise of power 2; a
 * third of the A-lines is new in each of them. */
static Array *
array_repeats (
    GRand *random, guint bscans, guint lines, guint depth, double level)
{
  Array *array = array_new ('c', 8, bscans * lines, depth);
  gsize values = (gsize)lines * depth;
  g_autofree Complex *tissue = g_new (Complex, values);

  for (guint bscan = 0; bscan < bscans; bscan++)
    for (gsize i = 0; i < values; i++) {
      guint line = (guint)(i / depth), q = (guint)(i % depth);

      if (bscan == 0 || line % 6 > 3)
        tissue[i] = level * exp (-4. * q / depth) * signal_complex (random);
      array_set (
          array, bscan * values + i, tissue[i] + signal_complex (random));
    }
  return array;
}

static void
add_flow (char *name, const Array *in, OctAngioParams params, guint bscans)
{
  params.depth_bins = in->columns;
  params.lines = in->rows / bscans;
  params.min = 3;
  params.max = 13;
  params.still = 0.01;
  if (params.window_lines == 0)
    params.window_lines = params.window_bins = 3;
  cases_add (name, OCT_OPERATION_ANGIO, &params, sizeof params,
      array_part (in, in->rows, in->columns))
      ->bscans = bscans;
}

static void
add_methods (const Array *in)
{
  for (guint i = 0; i < OCT_N_ANGIO_METHODS; i++)
    for (guint repeats = 2; repeats <= 4; repeats++) {
      OctAngioParams params = { .method = i,
        .repeats = repeats,
        .format = repeats == 3 ? OCT_IMAGE_NV12 : OCT_IMAGE_GRAY8,
        .mode = repeats % 2 ? OCT_AVERAGE_RUNNING : OCT_AVERAGE_BLOCK };

      add_flow (
          g_strdup_printf ("angio-%s-%u", methods[i], repeats), in, params, 9);
      params.noise = 1.5;
      params.format = repeats % 2 ? OCT_IMAGE_RGBA : OCT_IMAGE_GRAY16;
      add_flow (g_strdup_printf ("angio-%s-%u-noise", methods[i], repeats), in,
          params, 9);
    }
}

/* Windows as large as the image and larger, of one value; one repeat. */
static void
add_windows (const Array *in)
{
  static const guint windows[][2] = { { 1, 1 }, { 5, 3 }, { 3, 31 },
    { 31, 7 } };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    add_flow (
        g_strdup_printf ("angio-window-%u-%u", windows[i][0], windows[i][1]),
        in,
        (OctAngioParams){ .method = i % 2,
            .repeats = 3,
            .window_lines = windows[i][0],
            .window_bins = windows[i][1] },
        9);
  for (guint mode = 0; mode < 2; mode++)
    add_flow (g_strdup_printf ("angio-one-%u", mode), in,
        (OctAngioParams){ .repeats = 1, .mode = mode }, 9);
}

/* Values that do not count: all of a repeat, of an A-line, some. */
static void
add_lost_repeats (const Array *in)
{
  g_autoptr (Array) lost = array_part (in, in->rows, in->columns);
  g_autoptr (Array) none = array_constant (8, 40, 'c', 8, 0);
  g_autoptr (Array) nan = array_constant (8, 40, 'c', 8, NAN);
  guint lines = in->rows / 9, depth = in->columns;

  for (guint line = 0; line < in->rows; line++)
    for (guint q = 0; q < depth; q++)
      if (line / lines == 2 || line == 4 || (line % lines == 7 && q > 20)
          || (line + q) % 13 == 0)
        array_set (lost, (gsize)line * depth + q,
            line / lines == 2 ? 0
            : q % 2           ? CMPLX (NAN, 1)
                              : CMPLX (2, -INFINITY));
  for (guint i = 0; i < OCT_N_ANGIO_METHODS; i++) {
    OctAngioParams params = { .method = i, .repeats = 3 };

    add_flow (g_strdup_printf ("angio-lost-%s", methods[i]), lost, params, 9);
    add_flow (g_strdup_printf ("angio-zeros-%s", methods[i]), none, params, 4);
    add_flow (g_strdup_printf ("angio-nan-%s", methods[i]), nan, params, 4);
  }
}

static void
add_flow_sizes (GRand *random)
{
  static const guint sizes[][2] = { { 1, 1 }, { 1, 40 }, { 40, 1 }, { 17, 7 },
    { 33, 600 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (Array) in =
        array_repeats (random, 4, sizes[i][0], sizes[i][1], 30);

    add_flow (g_strdup_printf ("angio-size-%u-%u", sizes[i][0], sizes[i][1]),
        in, (OctAngioParams){ .method = i % 2, .repeats = 2 }, 4);
  }
}

/* ---------------------------------------------------------------- alignment
 */

/* Each B-scan moved by part of a bin and of an A-line, A-lines turned at
 * random; tissue that falls off, and noise.  Number `bad` is from elsewhere. */
static Array *
array_moving (GRand *random, guint bscans, guint lines, guint depth, guint bad)
{
  Array *array = array_new ('c', 8, bscans * lines, depth);
  guint n = 60;
  g_autofree Complex *points = g_new (Complex, (gsize)lines * n);
  g_autofree double *depths = g_new (double, (gsize)lines *n);

  for (guint i = 0; i < lines * n; i++) {
    points[i] = 40 * signal_complex (random);
    depths[i] = g_rand_double_range (random, 4, depth * 0.8);
  }
  for (guint bscan = 0; bscan < bscans; bscan++)
    for (guint line = 0; line < lines; line++) {
      double shift = bscan * 0.9 - 1.3 + 0.02 * line;
      double phase = g_rand_double_range (random, -G_PI, G_PI);

      for (guint q = 0; q < depth; q++) {
        Complex sum = 0.5 * signal_complex (random);

        for (guint i = 0; i < n; i++) {
          guint at = ((line + (bscan == bad ? 5 : 0)) % lines) * n + i;
          double x = q - depths[at] - (bscan > 0 ? shift : 0);

          sum += (q % 2 ? -1 : 1) * exp (-x * x / 2) * points[at];
        }
        array_set (array, ((gsize)bscan * lines + line) * depth + q,
            sum * cexp (I * phase));
      }
    }
  return array;
}

static void
add_aligned (char *name, const Array *in, OctAlignParams params, guint bscans)
{
  params.depth_bins = in->columns;
  params.lines = in->rows / bscans;
  if (params.max_shift == 0)
    params.max_shift = 8;
  if (params.group == 0)
    params.group = 16;
  cases_add (name, OCT_OPERATION_ALIGN, &params, sizeof params,
      array_part (in, in->rows, in->columns))
      ->bscans = bscans;
}

static void
add_alignments (GRand *random)
{
  static const char *const registrations[] = { "none", "axial", "translation" };
  static const char *const phases[] = { "none", "mean", "histogram", "mode",
    "line" };
  g_autoptr (Array) in = array_moving (random, 6, 37, 90, 99);
  g_autoptr (Array) bad = array_moving (random, 6, 37, 90, 2);
  g_autoptr (Array) lost = array_part (in, in->rows, in->columns);
  g_autoptr (Array) none = array_constant (8, 40, 'c', 8, 0);
  g_autoptr (Array) one = array_moving (random, 4, 1, 30, 99);

  for (guint i = 0; i < in->rows * in->columns; i += 7)
    array_set (lost, i, i % 2 ? NAN : CMPLX (3, INFINITY));
  for (guint i = 0; i < G_N_ELEMENTS (registrations); i++)
    for (guint k = 0; k < G_N_ELEMENTS (phases); k++) {
      OctAlignParams params = {
        .registration = i, .phase = k, .repeats = 3, .reject = 0.5
      };

      add_aligned (g_strdup_printf ("align-%s-%s", registrations[i], phases[k]),
          in, params, 6);
      add_aligned (
          g_strdup_printf ("align-%s-%s-lost", registrations[i], phases[k]),
          lost, params, 6);
      add_aligned (
          g_strdup_printf ("align-%s-%s-zeros", registrations[i], phases[k]),
          none, params, 4);
      add_aligned (
          g_strdup_printf ("align-%s-%s-line", registrations[i], phases[k]),
          one, params, 4);
      params.repeats = 6;
      params.group = 5;
      params.max_shift = 5;
      add_aligned (
          g_strdup_printf ("align-%s-%s-bad", registrations[i], phases[k]), bad,
          params, 6);
    }
}

void
cases_add_repeats (GRand *random)
{
  g_autoptr (Array) in = array_repeats (random, 9, 23, 90, 100);
  g_autoptr (Array) bright = array_repeats (random, 4, 23, 90, 1e4);

  add_alignments (random);
  add_methods (in);
  add_windows (in);
  add_lost_repeats (in);
  add_flow_sizes (random);
  /* 80 dB over the noise */
  add_flow (g_strdup ("angio-bright"), bright,
      (OctAngioParams){ .method = OCT_ANGIO_INDEX, .repeats = 4 }, 4);
}
