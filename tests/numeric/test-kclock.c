/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * k-clocks whose phase is known: how exactly wavenumbers are found, what is
 * refused, and what happens where there is no clock.
 */
#include "numeric.h"
#include "oct-kclock-delay.h"
#include "oct-parallel.h"
#include "sweep.h"

#include <math.h>
#include <string.h>

/* The source and the figures of docs/elements/octkclock.md. */
static const Sweep source = { .samples = 1536,
  .cycles = 300,
  .chirp = 0.35,
  .edge = 0.4,
  .snr = 20,
  .jitter = 0.5,
  .depth = 0.5 };

static OctKclockParams
params_of (const Sweep *sweep, guint lines, OctKclockMethod method)
{
  return (OctKclockParams){ .format = OCT_SAMPLE_F32,
    .samples = sweep->samples,
    .lines = lines,
    .method = method,
    .order = 6,
    .average = 256,
    .max_jitter = 1,
    .min_snr = 5 };
}

static OctPlan *
new_plan (const OctKclockParams *params)
{
  GError *error = NULL;
  OctPlan *plan = oct_backend_cpu ()->operations[OCT_OPERATION_KCLOCK]->create (
      params, &error);

  g_assert_no_error (error);
  return plan;
}

/* in[lines][2 samples] -> out[lines][samples] */
static void
run (OctPlan *plan, guint lines, guint samples, const float *in, float *out)
{
  GError *error = NULL;
  OctFrame from = { { { (gpointer)in, 2 * samples * sizeof *in } }, lines };
  OctFrame to = { { { out, samples * sizeof *out } } };

  g_assert_true (oct_backend_cpu ()->operations[OCT_OPERATION_KCLOCK]->run (
      plan, &from, &to, NULL, &error));
  g_assert_no_error (error);
}

static void
destroy (OctPlan *plan)
{
  oct_backend_cpu ()->operations[OCT_OPERATION_KCLOCK]->destroy (plan);
}

static const guint64 *
get_counts (OctPlan *plan)
{
  static guint64 counts[OCT_MOST_COUNTS];

  oct_backend_cpu ()->operations[OCT_OPERATION_KCLOCK]->get_counts (
      plan, counts);
  return counts;
}

static float *
new_sweeps (const Sweep *sweep, guint seed, guint lines)
{
  gsize count = (gsize)lines * 2 * sweep->samples;
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autofree double *values = g_new (double, count);
  float *floats = g_new (float, count);

  sweep_fill (sweep, random, lines, values);
  for (gsize i = 0; i < count; i++)
    floats[i] = (float)values[i];
  return floats;
}

/* ------------------------------------------------------------------- accuracy */

/* Rms error in rad of the clock's phase: that of fringes cos and sin without
 * noise, which share the clock's noise, less one straight line for all A-lines,
 * as the ends of the reference fix the axis, and without 40 samples at either
 * end, 54 of the axis.  The last frame of
 * `frames` counts. */
static double
phase_error (
    const Sweep *sweep, OctKclockParams params, guint frames, guint seed)
{
  const guint n = params.samples, lines = params.lines, edge = 54;
  float *out[2];
  double sums[5] = { 0 }, a, b, error = 0;
  g_autofree double *phase = g_new (double, (gsize)lines *n);

  for (guint part = 0; part < 2; part++) {
    Sweep turned = *sweep;
    g_autofree float *in = NULL;
    OctPlan *plan = new_plan (&params);

    turned.turn = part ? -G_PI / 2 : 0;
    in = new_sweeps (&turned, seed, lines * frames);
    out[part] = g_new (float, (gsize)lines *n);
    for (guint i = 0; i < frames; i++)
      run (plan, lines, n, in + (gsize)i * lines * 2 * n, out[part]);
    g_assert_cmpint (get_counts (plan)[OCT_KCLOCK_GOOD], ==, lines * frames);
    destroy (plan);
  }
  for (guint l = 0; l < lines; l++) {
    double whole = 0;

    for (guint j = edge; j < n - edge; j++) {
      gsize at = (gsize)l * n + j;
      double ideal = sweep->depth
                     * (sweep_phase (sweep, 0)
                         + (sweep_phase (sweep, n - 1) - sweep_phase (sweep, 0))
                               * j / (n - 1));
      double d = atan2 (out[1][at], out[0][at]) - ideal;

      if (j > edge)
        d -= 2 * G_PI * rint ((d - phase[at - 1]) / (2 * G_PI));
      phase[at] = d;
      whole += d / (n - 2 * edge);
    }
    whole = 2 * G_PI * rint (whole / (2 * G_PI));
    for (guint j = edge; j < n - edge; j++) {
      double d = phase[(gsize)l * n + j] -= whole, x = j;

      sums[0] += 1;
      sums[1] += x;
      sums[2] += x * x;
      sums[3] += d;
      sums[4] += x * d;
    }
  }
  b = (sums[0] * sums[4] - sums[1] * sums[3])
      / (sums[0] * sums[2] - sums[1] * sums[1]);
  a = (sums[3] - b * sums[1]) / sums[0];
  for (guint l = 0; l < lines; l++)
    for (guint j = edge; j < n - edge; j++)
      error += pow (phase[(gsize)l * n + j] - a - b * j, 2);
  g_free (out[0]);
  g_free (out[1]);
  return sqrt (error / sums[0]) / sweep->depth;
}

/* At 20 dB; the bound of a single sample is .070 rad. */
static void
test_figures (void)
{
  OctKclockParams params = params_of (&source, 64, OCT_KCLOCK_STATIC);
  double first, fit, full, average;

  first = phase_error (&source, params, 1, 1);
  params.method = OCT_KCLOCK_FIT;
  fit = phase_error (&source, params, 1, 1);
  params.method = OCT_KCLOCK_FULL;
  full = phase_error (&source, params, 1, 1);
  params = params_of (&source, 256, OCT_KCLOCK_STATIC);
  average = phase_error (&source, params, 3, 2);
  g_test_message (
      "rad: static, of 64 %.4f; fit %.4f; full %.4f; static, of 256 "
      "%.4f",
      first, fit, full, average);
  g_assert_cmpfloat (first, <=, 0.011);
  g_assert_cmpfloat (fit, <=, 0.014);
  g_assert_cmpfloat (full, <=, 0.075);
  g_assert_cmpfloat (average, <=, 0.0065);
}

/* Sweeps that differ by .3 rad: auto takes fit, which is several times nearer. */
static void
test_auto (void)
{
  Sweep bent = source;
  OctKclockParams params = params_of (&source, 64, OCT_KCLOCK_AUTO);
  double found, is_static;

  bent.bend = 0.3;
  bent.wave = 0.1;
  bent.snr = 40;
  found = phase_error (&bent, params, 1, 3);
  params.method = OCT_KCLOCK_STATIC;
  is_static = phase_error (&bent, params, 1, 3);
  g_test_message ("rad: auto %.4f, static %.4f", found, is_static);
  g_assert_cmpfloat (found, <=, 0.03);
  g_assert_cmpfloat (is_static, >=, 0.1);
  bent = source;
  params.method = OCT_KCLOCK_AUTO;
  g_assert_cmpfloat (phase_error (&bent, params, 1, 3), <=, 0.011);
}

/* More than a cycle of the clock, which has 4 to 8 samples. */
static void
test_cycles (void)
{
  Sweep late = source;
  OctKclockParams params = params_of (&source, 64, OCT_KCLOCK_STATIC);

  late.jitter = 6;
  params.max_jitter = 7;
  g_assert_cmpfloat (phase_error (&late, params, 1, 4), <=, 0.02);
  late.late = 3.3;
  params.delay = 3.3;
  g_assert_cmpfloat (phase_error (&late, params, 1, 4), <=, 0.02);
}

/* Cables: the other channel 3.3 samples later, its fringe on the spectrum of a
 * source; and channels that say nothing. */
static void
test_delay (void)
{
  const guint n = source.samples;
  static const double delays[] = { 3.3, -2.6, 0 };
  double delay, deviation;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (delays); i++) {
    Sweep late = source;
    g_autofree float *rows = NULL;

    late.depth = 0.9;
    late.late = delays[i];
    rows = new_sweeps (&late, 20 + i, 64);
    for (gsize at = 0; at < (gsize)64 * 2 * n; at++)
      if (at / n % 2 == 0)
        rows[at] =
            (float)(10 * sweep_amplitude (&source, (double)(at % n))
                    + sweep_amplitude (&source, (double)(at % n)) * rows[at]);
    g_assert_true (
        oct_kclock_find_delay (rows, n, 64, &delay, &deviation, NULL));
    g_test_message (
        "%g found as %.4f, standard error %.4f", delays[i], delay, deviation);
    g_assert_cmpfloat (fabs (delay - delays[i]), <=, 0.03);
    g_assert_cmpfloat (deviation, <=, 0.02);
    memset (rows, 0, n * sizeof *rows);
    for (guint line = 0; line < 64; line++)
      memset (rows + (line * 2 + i % 2) * n, 0, n * sizeof *rows);
    g_assert_false (
        oct_kclock_find_delay (rows, n, 64, &delay, &deviation, &error));
    g_assert_nonnull (
        strstr (error->message, i % 2 ? "second half" : "first half"));
    g_clear_error (&error);
  }
}

/* --------------------------------------------------------------------- faults */

static void
fill_hop (float *clock, const Sweep *s, guint at, double by)
{
  for (guint i = 0; i < s->samples; i++)
    clock[i] = (float)(sweep_amplitude (s, i)
                       * cos (sweep_phase (s, i)
                              + by / (1 + exp (-((double)i - at) / 3))));
}

/* A-lines with one fault each, the others good; the good ones come out as they
 * do without these. */
static void
test_faults (void)
{
  const guint n = source.samples;
  OctKclockParams params = params_of (&source, 64, OCT_KCLOCK_STATIC);
  g_autofree float *in = new_sweeps (&source, 5, 64);
  g_autofree float *out = g_new (float, 64 * n);
  OctPlan *plan = new_plan (&params);
  const guint64 *counts;

  memset (in + (3 * 2 + 1) * n, 0, n * sizeof *in);
  for (guint i = 0; i < n; i++)
    in[(5 * 2 + 1) * n + i] = in[(5 * 2 + 1) * n + i] > 0 ? NAN : 0;
  memset (in + (7 * 2 + 1) * n + 500, 0, 40 * sizeof *in);
  fill_hop (in + (9 * 2 + 1) * n, &source, 512, 1);
  fill_hop (in + (11 * 2 + 1) * n, &source, 560, 3);
  fill_hop (in + (13 * 2 + 1) * n, &source, 600, 2 * G_PI);
  for (guint i = 0; i < n; i++)
    in[(15 * 2 + 1) * n + i] = (float)(sweep_amplitude (&source, i - 2.7)
                                       * cos (sweep_phase (&source, i - 1.8)));
  run (plan, 64, n, in, out);
  counts = get_counts (plan);
  g_assert_cmpint (counts[OCT_KCLOCK_GOOD], ==, 57);
  g_assert_cmpint (counts[OCT_KCLOCK_WEAK], ==, 2);
  g_assert_cmpint (counts[OCT_KCLOCK_GAP] + counts[OCT_KCLOCK_HOP], ==, 4);
  g_assert_cmpint (counts[OCT_KCLOCK_LATE], ==, 1);
  for (gsize i = 0; i < (gsize)64 * n; i++)
    g_assert_true (isfinite (out[i]));
  destroy (plan);
}

/* 10 dB: none of 256 A-lines is refused. */
static void
test_noisy (void)
{
  Sweep noisy = source;
  OctKclockParams params = params_of (&source, 256, OCT_KCLOCK_STATIC);
  g_autofree float *out = g_new (float, 256 * source.samples);
  g_autofree float *in = NULL;
  OctPlan *plan = new_plan (&params);

  noisy.snr = 10;
  in = new_sweeps (&noisy, 6, 256);
  run (plan, 256, source.samples, in, out);
  g_assert_cmpint (get_counts (plan)[OCT_KCLOCK_GOOD], ==, 256);
  destroy (plan);
}

/* Nothing, noise, too many and too few cycles: zeros, counted; then a clock
 * comes, and is found. */
static void
test_no_clock (void)
{
  const guint n = source.samples;
  static const struct {
    double cycles, scale;
    OctKclockFault fault;
  } kinds[] = { { 0, 0, OCT_KCLOCK_NONE }, { 0, 1, OCT_KCLOCK_NONE },
    { 640, 1, OCT_KCLOCK_FAST }, { 4, 1, OCT_KCLOCK_SLOW } };

  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    Sweep other = source;
    OctKclockParams params = params_of (&source, 32, OCT_KCLOCK_AUTO);
    g_autofree float *in = NULL, *good = new_sweeps (&source, 7, 32);
    g_autofree float *out = g_new (float, 32 * n);
    OctPlan *plan = new_plan (&params);

    other.cycles = kinds[kind].cycles;
    other.snr = kinds[kind].cycles > 0 ? 40 : -60;
    in = new_sweeps (&other, 8, 32);
    for (gsize i = 0; i < (gsize)32 * 2 * n; i++)
      in[i] *= (float)kinds[kind].scale;
    for (guint i = 0; i < 2; i++)
      run (plan, 32, n, in, out);
    g_assert_cmpint (get_counts (plan)[kinds[kind].fault], ==, 64);
    for (gsize i = 0; i < (gsize)32 * n; i++)
      g_assert_cmpfloat (out[i], ==, 0);
    run (plan, 32, n, good, out);
    g_assert_cmpint (get_counts (plan)[OCT_KCLOCK_GOOD], ==, 32);
    /* the clock goes: one frame is refused, then there is no reference */
    for (guint i = 0; i < 2; i++)
      run (plan, 32, n, in, out);
    g_assert_cmpint (get_counts (plan)[OCT_KCLOCK_GOOD], ==, 32);
    g_assert_cmpint (get_counts (plan)[kinds[kind].fault], ==, 96);
    destroy (plan);
  }
}

/* -------------------------------------------------------------------- contract */

/* Frames of fewer A-lines, in rows that are further apart, on any number of
 * threads; reset() forgets; update() keeps. */
static void
test_frames (void)
{
  const guint n = source.samples;
  OctKclockParams params = params_of (&source, 48, OCT_KCLOCK_FIT);
  const OctOperationTable *table =
      oct_backend_cpu ()->operations[OCT_OPERATION_KCLOCK];
  g_autofree float *in = new_sweeps (&source, 9, 48);
  g_autofree float *out = g_new (float, 48 * n);
  g_autofree float *again = g_new (float, 48 * n);
  OctPlan *plan = new_plan (&params);

  run (plan, 48, n, in, out);
  table->reset (plan);
  oct_parallel_set_threads (1);
  run (plan, 48, n, in, again);
  oct_parallel_set_threads (0);
  g_assert_cmpmem (out, 48 * n * sizeof *out, again, 48 * n * sizeof *out);
  table->reset (plan);
  run (plan, 17, n, in, again);
  g_assert_cmpint (get_counts (plan)[OCT_KCLOCK_GOOD], ==, 113);
  params.delay = 1;
  g_assert_true (table->update (plan, &params));
  run (plan, 48, n, in, again);
  g_assert_true (memcmp (out, again, 48 * n * sizeof *out) != 0);
  params.lines = 49;
  g_assert_false (table->update (plan, &params));
  destroy (plan);
}

static void
expect_refused (OctKclockParams params, const char *sentence)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (oct_backend_cpu ()->operations[OCT_OPERATION_KCLOCK]->create (
      &params, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_assert_nonnull (strstr (error->message, sentence));
}

static void
test_refused (void)
{
  OctKclockParams params = params_of (&source, 8, OCT_KCLOCK_STATIC);

  params.samples = 100;
  expect_refused (params, "A-lines of 100 samples");
  params.samples = 40000;
  expect_refused (params, "A-lines of 40000 samples");
  params = params_of (&source, 8, OCT_KCLOCK_STATIC);
  params.format = OCT_SAMPLE_CF32;
  expect_refused (params, "format");
  params = params_of (&source, 8, OCT_KCLOCK_STATIC);
  params.delay = NAN;
  expect_refused (params, "delay=nan");
  params = params_of (&source, 8, OCT_KCLOCK_STATIC);
  params.max_jitter = 33;
  expect_refused (params, "max-jitter=33");
  params = params_of (&source, 8, OCT_KCLOCK_STATIC);
  params.average = 0;
  expect_refused (params, "average=0");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kclock/figures", test_figures);
  g_test_add_func ("/kclock/auto", test_auto);
  g_test_add_func ("/kclock/cycles", test_cycles);
  g_test_add_func ("/kclock/delay", test_delay);
  g_test_add_func ("/kclock/faults", test_faults);
  g_test_add_func ("/kclock/noisy", test_noisy);
  g_test_add_func ("/kclock/no-clock", test_no_clock);
  g_test_add_func ("/kclock/frames", test_frames);
  g_test_add_func ("/kclock/refused", test_refused);
  return g_test_run ();
}
