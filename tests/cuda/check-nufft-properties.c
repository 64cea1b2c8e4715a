/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Properties of the transforms of samples at any positions, on the device:
 * symmetries, no ghosts, uniform nodes as octfft, A-lines that do not meet, and
 * values that change between B-scans.
 */
#include "nufft-cases.h"
#include "oct-window.h"

#include <math.h>

/* ||b - a|| / ||a|| of one line, b[q] to be a[q] or, mirrored, the conjugate of
 * a[-q], for q from `low` to `high`; -1 when a is 0. */
static double
symmetry_error (const Rows *a, guint zero_a, const Rows *b, guint zero_b,
    guint line, gint low, gint high, gboolean mirrored)
{
  g_autofree Complex *left = g_new (Complex, a->values);
  g_autofree Complex *right = g_new (Complex, b->values);
  double error = 0, power = 0;

  get_line (a, line, left);
  get_line (b, line, right);
  for (gint q = low; q <= high; q++) {
    Complex is = right[(gint)zero_b + q];
    Complex should =
        mirrored ? conj (left[(gint)zero_a - q]) : left[(gint)zero_a + q];
    error += pow (cabs (is - should), 2);
    power += pow (cabs (should), 2);
  }
  return power > 0 ? sqrt (error / power) : -1;
}

/* Real spectra given as complex ones, by gridding or exactly. */
static void
check_hermitian_case (
    Check *check, OctOperation operation, OctNufftParams whole, double limit)
{
  gint half = (gint)whole.samples / 2, top = ((gint)whole.samples - 1) / 2;
  OctNufftParams real = whole;
  char *name, *problem = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (check->seed);
  GError *error = NULL;
  Rows y, pairs, found, a;

  whole.format = OCT_SAMPLE_CF32;
  whole.depth_start = -half;
  whole.depth_bins = whole.samples;
  name = wanted_name (check, operation, &whole, "Hermitian,");
  if (name == NULL)
    return;
  y = new_input (&real, 0);
  pairs = new_input (&whole, 0);
  found = new_output (&real, 0);
  a = new_output (&whole, 0);
  for (guint k = 0; k < whole.lines * whole.samples; k++) {
    ((float *)y.data)[k] = (float)g_rand_double_range (random, -1, 1);
    ((float *)pairs.data)[2 * k] = ((float *)y.data)[k];
    ((float *)pairs.data)[2 * k + 1] = 0;
  }
  if (!run_once (check, operation, &real, &y, &found, &error)
      || !run_once (check, operation, &whole, &pairs, &a, &error))
    problem = g_strdup (error->message);
  for (guint line = 0; line < whole.lines && problem == NULL; line++) {
    double mirror = symmetry_error (
        &a, (guint)half, &a, (guint)half, line, -top, top, TRUE);
    double same = symmetry_error (
        &found, 0, &a, (guint)half, line, 0, (gint)real.depth_bins - 1, FALSE);
    if (!(mirror >= 0 && mirror <= limit && same >= 0 && same <= limit))
      problem = g_strdup_printf ("line %u: relative l2 %g of the conjugate of "
                                 "a[-q], %g of the real transform",
          line, mirror, same);
  }
  check_report (check, name, problem);
  g_clear_error (&error);
  g_free (y.data);
  g_free (pairs.data);
  g_free (found.data);
  g_free (a.data);
}

/* a[-q] is the conjugate of a[q], and a[q] what real spectra give: the grid is
 * the same, so that rounding alone differs. */
static void
check_hermitian (Check *check)
{
  static const guint sizes[] = { 200, 101, 1024 };
  double positions[1024], window[1024];

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    OctNufftParams p = spectrometer (sizes[i], 5, positions, window);

    p.width = 4;
    p.grid = oct_nufft_grid_length (sizes[i], 2);
    oct_window_fill (OCT_WINDOW_HANN, sizes[i], positions, window);
    for (guint weights = 0; weights <= OCT_WEIGHTS_ON_THE_FLY; weights++) {
      p.weights = weights;
      check_hermitian_case (check, OCT_OPERATION_NUFFT, p, 2e-6);
    }
    /* numbers of 22 bits, see oct-cuda-nudft.cu */
    check_hermitian_case (check, OCT_OPERATION_NUDFT, p, 4e-6);
  }
}

/* Whether a depth differs by more than `limit` dB of the mirror's peak. */
static char *
ghost_problem (const OctNufftParams *p, const Rows *in, const Rows *out,
    guint line, double limit)
{
  g_autofree Complex *source = g_new (Complex, in->values);
  g_autofree Complex *expected = g_new (Complex, out->values);
  g_autofree Complex *found = g_new (Complex, out->values);
  double peak = 0, worst = 0;

  get_line (in, line, source);
  get_line (out, line, found);
  oct_reference_exact (p, source, expected);
  for (guint n = 0; n < p->samples; n++)
    peak += p->window[n] / sqrt (p->samples);
  for (guint i = 0; i < out->values; i++)
    worst = MAX (worst, cabs (found[i] - expected[i]));
  if (20 * log10 (worst / peak + 1e-12) <= limit)
    return NULL;
  return g_strdup_printf (
      "line %u: %.1f dB", line, 20 * log10 (worst / peak + 1e-12));
}

/* Complex spectra of mirrors at depths of either sign, shown and not, against
 * the exact transform: limits in dB of test_ghosts in tests/numeric. */
static void
check_ghosts (Check *check)
{
  static const double depths[] = { -220, -158.7, -100, -25, 10, 51, 113, 220 };
  static const struct {
    guint width, start, bins;
    double limit;
  } cases[] = { { 6, 0, 256, -100 }, { 6, 60, 100, -100 }, { 4, 0, 256, -70 },
    { 4, 60, 100, -90 }, { 2, 0, 256, -32 }, { 2, 60, 100, -40 } };
  double positions[512], window[512];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    OctNufftParams p =
        spectrometer (512, G_N_ELEMENTS (depths), positions, window);
    char *name, *problem = NULL;
    GError *error = NULL;
    Rows in, out;

    oct_window_fill (OCT_WINDOW_HANN, 512, positions, window);
    p.format = OCT_SAMPLE_CF32;
    p.width = cases[i].width;
    p.depth_start = (gint)cases[i].start;
    p.depth_bins = cases[i].bins;
    name = wanted_name (check, OCT_OPERATION_NUFFT, &p, "ghosts,");
    if (name == NULL)
      continue;
    in = new_input (&p, 0);
    out = new_output (&p, 0);
    for (guint k = 0; k < p.lines * 512; k++) {
      double angle = 2 * G_PI * positions[k % 512] * depths[k / 512] / 512;
      ((float *)in.data)[2 * k] = (float)cos (angle);
      ((float *)in.data)[2 * k + 1] = (float)sin (angle);
    }
    if (!run_once (check, OCT_OPERATION_NUFFT, &p, &in, &out, &error))
      problem = g_strdup (error->message);
    for (guint line = 0; line < p.lines && problem == NULL; line++)
      problem = ghost_problem (&p, &in, &out, line, cases[i].limit);
    check_report (check, name, problem);
    g_clear_error (&error);
    g_free (in.data);
    g_free (out.data);
  }
}

/* Uniform nodes: the FFT operation. */
static void
check_uniform (Check *check)
{
  static const guint sizes[] = { 2, 100, 1024, 2048, 1536 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    guint samples = sizes[i / 2];
    g_autofree double *positions = g_new (double, samples);
    g_autofree double *window = g_new (double, samples);
    OctNufftParams p = spectrometer (samples, 6, positions, window);
    OctFftParams fft = { .samples = samples,
      .lines = 6,
      .length = samples,
      .depth_bins = samples / 2,
      .window = window };
    const OctOperationTable *table = check->cuda->operations[OCT_OPERATION_FFT];
    g_autoptr (GRand) random = g_rand_new_with_seed (i);
    GError *error = NULL;
    OctPlan *plan;
    char *name, *problem = NULL;
    Rows in, out, right;

    p.format = fft.format = i % 2 ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32;
    nodes_fill (NODES_UNIFORM, samples, NULL, positions);
    oct_window_fill (OCT_WINDOW_NONE, samples, NULL, window);
    name = wanted_name (check, OCT_OPERATION_NUFFT, &p, "as octfft, uniform");
    if (name == NULL)
      continue;
    in = new_input (&p, 0);
    out = new_output (&p, 0);
    right = new_output (&p, 0);
    fill_input (&in, random);
    plan = table->create (&fft, &error);
    if (plan == NULL || !run_rows (check, table, plan, &in, &right, &error)
        || !run_once (check, OCT_OPERATION_NUFFT, &p, &in, &out, &error))
      problem = g_strdup (error->message);
    if (plan != NULL)
      table->destroy (plan);
    for (guint line = 0; line < 6 && problem == NULL; line++) {
      g_autofree Complex *expected = g_new (Complex, p.depth_bins);
      get_line (&right, line, expected);
      if (!(line_error (&out, line, expected, 0) <= 1e-6))
        problem = g_strdup_printf (
            "relative l2 %g", line_error (&out, line, expected, 0));
    }
    check_report (check, name, problem);
    g_clear_error (&error);
    g_free (in.data);
    g_free (out.data);
    g_free (right.data);
  }
}

/* A NaN, infinite, zero, huge or tiny value only affects its own A-line. */
static void
check_isolation (Check *check)
{
  double positions[2048], window[2048];

  for (OctOperation operation = OCT_OPERATION_NUFFT;
       operation <= OCT_OPERATION_NUDFT; operation++) {
    for (guint kind = 0; kind < 6; kind++) {
      OctNufftParams p = spectrometer (kind < 2   ? 2048
                                       : kind < 4 ? 300
                                                  : 101,
          9, positions, window);
      static const double values[] = { 0, NAN, 1e28, INFINITY, 1e-30,
        -INFINITY };
      g_autoptr (GRand) random = g_rand_new_with_seed (kind);
      GError *error = NULL;
      char *name, *problem = NULL;
      Rows in, out;

      p.format = kind % 2 ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32;
      name = wanted_name (check, operation, &p, "odd lines,");
      if (name == NULL)
        continue;
      in = new_input (&p, 1);
      out = new_output (&p, 1);
      fill_input (&in, random);
      for (guint line = 0; line < 6; line++) {
        float *row = (float *)(in.data + line * rows_stride (&in));
        for (guint i = 0; i < in.values * (in.is_complex ? 2 : 1); i++) {
          if (values[line] == 0 || isnan (values[line]))
            row[i] = line == 0 || i == 17 ? (float)values[line] : row[i];
          else if (isfinite (values[line]))
            row[i] *= (float)values[line];
          else if (i == 33)
            row[i] = (float)values[line];
        }
      }
      if (!run_once (check, operation, &p, &in, &out, &error))
        problem = g_strdup (error->message);
      for (guint line = 0; line < p.lines && problem == NULL; line++) {
        g_autofree Complex *source = g_new (Complex, in.values);
        g_autofree Complex *expected = g_new (Complex, out.values);
        double wrong;
        if (line < 6 && !(fabs (values[line]) <= 1e30))
          continue;
        get_line (&in, line, source);
        if (is_gridded (operation))
          oct_reference_gridded (&p, source, expected);
        else
          oct_reference_exact (&p, source, expected);
        wrong = line_error (&out, line, expected, 0);
        if (!(wrong <= ROUNDING))
          problem = g_strdup_printf ("line %u: relative l2 %g", line, wrong);
      }
      check_report (check, name, problem);
      g_clear_error (&error);
      g_free (in.data);
      g_free (out.data);
    }
  }
}

/* Nodes, window and depths that change between B-scans in flight. */
static void
check_updates (Check *check)
{
  static const guint sizes[] = { 300, 2048 };

  for (guint i = 0; i < 8 * G_N_ELEMENTS (sizes); i++) {
    OctOperation operation =
        i / 4 % 2 ? OCT_OPERATION_NUDFT : OCT_OPERATION_NUFFT;
    const OctOperationTable *table = check->cuda->operations[operation];
    guint samples = sizes[i / 8];
    g_autofree double *positions = g_new (double, samples);
    g_autofree double *window = g_new (double, samples);
    OctNufftParams p = spectrometer (samples, 4, positions, window);
    g_autoptr (GRand) random = g_rand_new_with_seed (i);
    GError *error = NULL;
    char *name, *problem = NULL;
    OctPlan *plan;
    Rows in, out;

    p.format = i % 2 ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32;
    p.weights = i / 2 % 2 ? OCT_WEIGHTS_ON_THE_FLY : OCT_WEIGHTS_PRECOMPUTED;
    p.depth_bins = samples / 4;
    name = wanted_name (check, operation, &p, "update,");
    if (name == NULL)
      continue;
    in = new_input (&p, 0);
    out = new_output (&p, 0);
    plan = table->create (&p, &error);
    if (plan == NULL)
      problem = g_strdup (error->message);
    for (guint step = 0; step < 4 && problem == NULL; step++) {
      double worst;
      for (guint n = 0; n < samples && step > 0; n++) {
        /* jitter, as of a swept source; the last falls another way */
        positions[n] += g_rand_double_range (random, -0.05, 0.05);
        window[n] = g_rand_double_range (random, 0.5, 1.5);
      }
      if (step == 3)
        for (guint n = 0; n < samples; n++)
          positions[n] = samples - 1 - positions[n];
      p.depth_start = (gint)step * 5;
      if (step > 0 && !table->update (plan, &p))
        problem = g_strdup_printf ("step %u: no update", step);
      fill_input (&in, random);
      if (problem == NULL && !run_rows (check, table, plan, &in, &out, &error))
        problem = g_strdup (error->message);
      if (problem != NULL)
        break;
      worst = worst_error (&p, &in, &out, is_gridded (operation));
      if (!(worst <= ROUNDING))
        problem = g_strdup_printf ("step %u: relative l2 %g", step, worst);
    }
    if (plan != NULL)
      table->destroy (plan);
    check_report (check, name, problem);
    g_clear_error (&error);
    g_free (in.data);
    g_free (out.data);
  }
}

void
check_nufft_properties (Check *check)
{
  check_uniform (check);
  check_hermitian (check);
  check_ghosts (check);
  check_isolation (check);
  check_updates (check);
}
