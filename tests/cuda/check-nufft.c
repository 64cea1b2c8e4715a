/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The transforms of samples at any positions, on the device, against plain sums
 * in double precision: the same gridding (rounding alone differs), the exact
 * transform (the error that gridding is known to have); and against the CPU.
 */
#include "../reference/gridding-errors.h"
#include "nufft-cases.h"
#include "oct-window.h"

#include <math.h>

/* A case against its own definition. */
static void
check_definition (Check *check, OctOperation operation, const OctNufftParams *p,
    Nodes nodes, guint padding)
{
  gboolean gridded =
      is_gridded (operation) && !nodes_uniform (nodes, p->samples);
  char *name = wanted_name (check, operation, p, nodes_names[nodes]);
  char *problem = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (check->seed + check->cases);
  GError *error = NULL;
  Rows in, out;

  if (name == NULL)
    return;
  in = new_input (p, padding);
  out = new_output (p, padding);
  fill_input (&in, random);
  if (!run_once (check, operation, p, &in, &out, &error)) {
    problem = g_strdup (error->message);
  } else {
    double worst = worst_error (p, &in, &out, gridded);
    problem = padding_problem (&out);
    if (problem == NULL && !(worst <= ROUNDING))
      problem = g_strdup_printf ("relative l2 %g", worst);
  }
  check_report (check, name, problem);
  g_clear_error (&error);
  g_free (in.data);
  g_free (out.data);
}

static const struct {
  double oversampling;
  guint width;
} grids[] = { { 1.25, 6 }, { 1.5, 5 }, { 2, 4 }, { 1.3125, 5 }, { 2, 8 } };

/* Every operation and format for some nodes and depths. */
static void
check_nodes (Check *check, guint samples, guint lines, Nodes nodes,
    gint depth_start, guint depth_bins, guint variant)
{
  g_autofree double *positions = g_new (double, samples);
  g_autofree double *window = g_new (double, samples);
  GRand *random = g_rand_new_with_seed (samples + 7 * nodes + 1);
  OctNufftParams p = { .samples = samples,
    .lines = lines,
    .depth_start = depth_start,
    .depth_bins = depth_bins,
    .nodes = positions,
    .window = window };

  nodes_fill (nodes, samples, random, positions);
  for (guint n = 0; n < samples; n++)
    window[n] = g_rand_double_range (random, 0.2, 2);
  g_rand_free (random);
  for (OctOperation operation = OCT_OPERATION_NUFFT;
       operation <= OCT_OPERATION_NUDFT; operation++) {
    for (guint kind = 0; kind < (is_gridded (operation) ? 8 : 2); kind++) {
      guint choice = (variant + kind) % G_N_ELEMENTS (grids);
      p.format = kind % 2 ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32;
      /* real spectra have half of the A-scan */
      p.depth_start = kind % 2 ? depth_start : MAX (depth_start, 0);
      p.depth_bins = MIN (depth_bins, kind % 2 ? samples : (samples + 1) / 2);
      p.weights =
          kind / 2 % 2 ? OCT_WEIGHTS_ON_THE_FLY : OCT_WEIGHTS_PRECOMPUTED;
      p.kernel = kind / 4 ? OCT_KERNEL_GAUSSIAN : OCT_KERNEL_KAISER_BESSEL;
      p.width = grids[choice].width;
      p.grid = oct_nufft_grid_length (samples, grids[choice].oversampling);
      check_definition (check, operation, &p, nodes, (variant + kind) % 3);
    }
  }
}

static void
check_sizes (Check *check)
{
  static const struct {
    guint samples, lines;
    gint start;
    guint bins;
  } sizes[] = { { 2, 3, 0, 1 }, { 3, 2, 0, 1 }, { 5, 1, -2, 5 }, { 8, 4, 0, 4 },
    { 101, 7, 0, 50 }, { 128, 5, -64, 128 }, { 300, 6, 20, 77 },
    { 1023, 2, 0, 511 }, { 1024, 3, 0, 512 }, { 2048, 3, 0, 1024 },
    { 2048, 2, 100, 301 }, { 24, 16384, 0, 12 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    for (Nodes nodes = 0; nodes < N_NODES; nodes++) {
      if (sizes[i].samples > 1500 && nodes > NODES_PERIODS
          && sizes[i].start != 0)
        continue;
      check_nodes (check, sizes[i].samples, sizes[i].lines, nodes,
          sizes[i].start, sizes[i].bins, i + nodes);
    }
  }
}

/* One row of gridding_errors, over all lines: within 20 % of the error of
 * the reference; if that is less than 4e-6, as on the CPU, for the float32
 * 3e-7 more (found on an H200: 1.7e-7), with weights computed in it 1.3e-6
 * (9.8e-7). */
static void
check_error_of_gridding (Check *check, guint i, OctNufftParams p,
    const Rows *in, const Complex *expected)
{
  double target = gridding_errors[i].error, found = 0;
  double rounding = p.weights == OCT_WEIGHTS_PRECOMPUTED ? 3e-7 : 1.3e-6;
  g_autofree char *name = NULL;
  GError *error = NULL;
  char *problem = NULL;
  Rows out;

  p.kernel = gridding_errors[i].kernel;
  p.width = gridding_errors[i].width;
  p.grid = oct_nufft_grid_length (p.samples, gridding_errors[i].oversampling);
  name = wanted_name (check, OCT_OPERATION_NUFFT, &p, "error of gridding,");
  if (name == NULL)
    return;
  out = new_output (&p, 0);
  if (!run_once (check, OCT_OPERATION_NUFFT, &p, in, &out, &error))
    problem = g_strdup (error->message);
  for (guint line = 0; line < p.lines && problem == NULL; line++)
    found +=
        line_error (&out, line, expected + line * p.depth_bins, 0) / p.lines;
  if (problem == NULL
      && !(fabs (found - target)
           <= 0.2 * target + (target < 4e-6 ? rounding : 0)))
    problem = g_strdup ("too far");
  check_report (check,
      g_strdup_printf ("%s: %.3g, reference %.3g", name, found, target),
      problem);
  g_clear_error (&error);
  g_free (out.data);
}

/* Error of gridding, N = 2048, 725 to 965 nm, white data: the depths that real
 * spectra have, and those of complex ones of either sign, for which the grid
 * has as many cells. */
static void
check_errors_of_gridding (Check *check)
{
  double positions[2048], window[2048];

  for (OctSampleFormat format = OCT_SAMPLE_F32; format <= OCT_SAMPLE_CF32;
       format++) {
    gboolean is_complex = format == OCT_SAMPLE_CF32;
    /* complex ones have twice the depths for the reference to sum */
    OctNufftParams p =
        spectrometer (2048, is_complex ? 2 : 3, positions, window);
    GRand *random = g_rand_new_with_seed (check->seed);
    g_autofree Complex *source = g_new (Complex, 2048);
    g_autofree Complex *expected = NULL;
    Rows in;

    p.format = format;
    p.depth_start = is_complex ? -1024 : 0;
    p.depth_bins = is_complex ? 2048 : 1024;
    in = new_input (&p, 0);
    for (guint k = 0; k < p.lines * 2048 * (is_complex ? 2 : 1); k++)
      ((float *)in.data)[k] = (float)g_rand_double_range (random, -1, 1);
    g_rand_free (random);
    expected = g_new (Complex, (gsize)p.lines * p.depth_bins);
    for (guint line = 0; line < p.lines; line++) {
      get_line (&in, line, source);
      oct_reference_exact (&p, source, expected + line * p.depth_bins);
    }
    for (guint i = 0; i < G_N_ELEMENTS (gridding_errors); i++) {
      p.weights = OCT_WEIGHTS_PRECOMPUTED;
      check_error_of_gridding (check, i, p, &in, expected);
      p.weights = OCT_WEIGHTS_ON_THE_FLY;
      check_error_of_gridding (check, i, p, &in, expected);
    }
    g_free (in.data);
  }
}

/* Whole B-scans of many sizes as the CPU does them; some A-lines have NaN or
 * infinite values. */
static void
check_against_cpu (Check *check)
{
  static const struct {
    guint samples, lines;
  } sizes[] = { { 2048, 1000 }, { 2048, 1 }, { 2048, 3 }, { 1024, 1337 },
    { 1023, 77 }, { 4096, 130 }, { 1536, 265 }, { 101, 16384 }, { 6000, 9 },
    { 2, 65536 } };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (sizes); i++) {
    OctOperation operation =
        i / 2 % 2 ? OCT_OPERATION_NUDFT : OCT_OPERATION_NUFFT;
    gboolean is_complex = i % 2;
    guint samples = sizes[i / 4].samples, lines = sizes[i / 4].lines;
    guint size = is_complex ? 8 : 4;
    g_autofree double *positions = g_new (double, samples);
    g_autofree double *window = g_new (double, samples);
    OctNufftParams p = spectrometer (samples, lines, positions, window);
    Case test = { .operation = operation,
      .params = &p,
      .in = { size * samples, lines, i % 3 * size },
      .out = { 8 * p.depth_bins, lines, i % 2 * 8 },
      .in_format = is_complex ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32,
      .fill = i % 5 == 0 ? FILL_NAN_LINE : FILL_RANDOM };

    if (operation == OCT_OPERATION_NUDFT && samples * lines > 500000)
      continue; /* takes the CPU too long */
    p.format = is_complex ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32;
    oct_window_fill (OCT_WINDOW_HANN, samples, NULL, window);
    if (samples < 8)
      window[0] = window[samples - 1] = 1;
    test.name = case_name (operation, &p, "as the CPU,");
    check_case (check, &test);
  }
}

void
check_nufft (Check *check)
{
  check_against_cpu (check);
  check_sizes (check);
  check_errors_of_gridding (check);
  check_nufft_properties (check);
}
