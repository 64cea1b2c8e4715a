/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing beside the reference: that it minimises
 * what it says, the estimated noise, compact spectra, lines that touch no
 * other, and what is refused.
 */
#include "numeric.h"
#include "oct-cs.h"

#include <math.h>
#include <string.h>

#define SAMPLES 256u
#define BINS 128u
#define LINES 70u
#define NOISE 5.0

/* One A-line setup in double, its tables as long as the parameters. */
typedef struct {
  guint32 column[SAMPLES];
  double nodes[SAMPLES], window[SAMPLES];
  OctCsParams params;
} Setup;

/* 40 % of a spectrometer linear in wavelength from 725 to 965 nm. */
static void
set_up (Setup *s, OctCsTransform transform)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (4);
  guint kept = 0;

  for (guint n = 0; n < SAMPLES; n++) {
    double nm = 965 + (725.0 - 965.0) * n / (SAMPLES - 1);
    double at = (1 / nm - 1 / 965.0) / (1 / 725.0 - 1 / 965.0) * (SAMPLES - 1);
    if (g_rand_double (random) > 0.4)
      continue;
    s->column[kept] = n;
    s->nodes[kept] = transform == OCT_CS_FFT ? n : at;
    s->window[kept++] = 1;
  }
  s->params = (OctCsParams){ .format = OCT_SAMPLE_F32,
    .samples = SAMPLES,
    .lines = LINES,
    .columns = SAMPLES,
    .kept = kept,
    .column = s->column,
    .nodes = s->nodes,
    .window = s->window,
    .transform = transform,
    .grid = 320,
    .width = 8,
    .iterations = 15,
    .tau = 3,
    .noise = NOISE,
    .depth_bins = BINS };
}

static double
normal (GRand *random)
{
  double sum = -6;

  for (guint k = 0; k < 12; k++)
    sum += g_rand_double (random);
  return sum;
}

/* Noise, and the fringes of mirrors at uniform wavenumbers of `s`. */
static float *
make_spectra (const Setup *s, guint seed, double mirror, double noise)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  float *y = g_new0 (float, SAMPLES *LINES);

  for (guint line = 0; line < LINES; line++)
    for (guint i = 0; i < s->params.kept; i++) {
      double angle = 2 * G_PI * s->nodes[i] / SAMPLES;
      y[line * SAMPLES + s->column[i]] =
          (float)(mirror * cos (angle * 20 + line)
                  + mirror / 4 * cos (angle * (40 + line % 7))
                  + noise * normal (random));
    }
  return y;
}

static float *
solve (const OctCsParams *params, const float *in)
{
  guint parts = params->format == OCT_SAMPLE_CF32 ? 2 : 1;
  float *out = g_new (float, (gsize)params->lines * 2 * params->depth_bins);
  OctFrame from = {
    { { (gpointer)in, (gsize)params->columns * parts * sizeof (float) } }
  };
  OctFrame to = { { { out, 2 * params->depth_bins * sizeof (float) } } };
  OctPlan *plan = plan_new (OCT_OPERATION_CS, params);

  plan_run (OCT_OPERATION_CS, plan, &from, &to);
  plan_free (OCT_OPERATION_CS, plan);
  return out;
}

/* A x at the kept samples, in double: real A-lines, modes 0 .. BINS - 1. */
static double
sense (const Setup *s, const float *x, guint i)
{
  double angle = 2 * G_PI * s->nodes[i] / SAMPLES, sum = x[0];

  for (guint q = 1; q < BINS; q++)
    sum += 2 * (x[2 * q] * cos (angle * q) - x[2 * q + 1] * sin (angle * q));
  return sum / sqrt (SAMPLES);
}

/* x of the solver with its usual number of steps. */
static float *
solve_by (const Setup *s, OctCsSolver solver, const float *in)
{
  OctCsParams params = s->params;

  params.solver = solver;
  params.iterations = oct_cs_limits[solver].usual;
  return solve (&params, in);
}

static double
threshold (const Setup *s)
{
  return s->params.tau * s->params.noise * oct_cs_noise_gain (&s->params);
}

static double
objective (const Setup *s, const float *x, const float *y)
{
  double value = 0;

  for (guint i = 0; i < s->params.kept; i++) {
    double r = sense (s, x, i) - y[s->column[i]];
    value += r * r / 2;
  }
  for (guint q = 0; q < BINS; q++)
    value += (q > 0 ? 2 : 1) * threshold (s) * hypot (x[2 * q], x[2 * q + 1]);
  return value;
}

/* Single Barzilai-Borwein steps may rise; over all lines and several steps the
 * objective falls, and after 15 it is near the minimum. */
static void
test_objective (gconstpointer transform)
{
  static const guint iterations[] = { 400, 1, 10, 15 };
  double sums[G_N_ELEMENTS (iterations)] = { 0 }, before = 0;
  g_autofree float *y = NULL;
  Setup s;

  set_up (&s, GPOINTER_TO_INT (transform));
  y = make_spectra (&s, 1, 100, NOISE);
  for (guint i = 0; i < SAMPLES * LINES; i++)
    before += (double)y[i] * y[i] / 2;
  for (guint k = 0; k < G_N_ELEMENTS (iterations); k++) {
    g_autofree float *x = NULL;
    s.params.iterations = iterations[k];
    x = solve (&s.params, y);
    for (guint line = 0; line < LINES; line++)
      sums[k] += objective (&s, x + line * 2 * BINS, y + line * SAMPLES);
    g_test_message ("%u steps: %.6g", iterations[k], sums[k]);
  }
  g_assert_cmpfloat (sums[1], <, before);
  g_assert_cmpfloat (sums[2], <, sums[1]);
  g_assert_cmpfloat (sums[3], <, sums[2]);
  g_assert_cmpfloat (sums[3], <, 1.02 * sums[0]);
}

/* The other way to the same minimum is nearer to it with half the steps. */
static void
test_continued (gconstpointer transform)
{
  g_autofree float *y = NULL, *least = NULL, *x = NULL;
  double sums[2] = { 0 };
  Setup s;

  set_up (&s, GPOINTER_TO_INT (transform));
  y = make_spectra (&s, 1, 100, NOISE);
  s.params.iterations = 400;
  least = solve (&s.params, y);
  x = solve_by (&s, OCT_CS_CONTINUED, y);
  for (guint line = 0; line < LINES; line++) {
    sums[0] += objective (&s, least + line * 2 * BINS, y + line * SAMPLES);
    sums[1] += objective (&s, x + line * 2 * BINS, y + line * SAMPLES);
  }
  g_test_message ("8 steps: %.3e above the minimum", sums[1] / sums[0] - 1);
  g_assert_cmpfloat (sums[1], <, 1.0005 * sums[0]);
}

/* The minimum: A^H (y - A x) is threshold x / |x| where x is not 0, and at most
 * the threshold elsewhere. */
static void
test_optimality (gconstpointer transform)
{
  g_autofree float *y = NULL, *x = NULL;
  double most = 0;
  Setup s;

  set_up (&s, GPOINTER_TO_INT (transform));
  s.params.iterations = 400;
  y = make_spectra (&s, 2, 100, NOISE);
  x = solve (&s.params, y);
  for (guint line = 0; line < LINES; line += 13) {
    const float *at = x + line * 2 * BINS;
    double r[SAMPLES];
    for (guint i = 0; i < s.params.kept; i++)
      r[i] = y[line * SAMPLES + s.column[i]] - sense (&s, at, i);
    for (guint q = 1; q < BINS; q++) {
      double re = 0, im = 0, size = hypot (at[2 * q], at[2 * q + 1]);
      for (guint i = 0; i < s.params.kept; i++) {
        double angle = 2 * G_PI * s.nodes[i] / SAMPLES * q;
        re += r[i] * cos (angle) / sqrt (SAMPLES);
        im -= r[i] * sin (angle) / sqrt (SAMPLES);
      }
      if (size > 0) {
        re -= threshold (&s) * at[2 * q] / size;
        im -= threshold (&s) * at[2 * q + 1] / size;
        most = MAX (most, hypot (re, im));
      } else {
        most = MAX (most, hypot (re, im) - threshold (&s));
      }
    }
  }
  g_test_message ("residual %.2e of the threshold", most / threshold (&s));
  /* what a kernel 8 cells wide loses, of fringes 40 times the threshold */
  g_assert_cmpfloat (most, <, 2e-4 * threshold (&s));
}

/* With one step and from x = 0, |b| - |x| is the threshold where x is not 0. */
static double
used_threshold (const Setup *s, const float *y)
{
  Setup plain = *s, one = *s;
  g_autofree float *b = NULL, *x = NULL;
  double sum = 0;
  guint count = 0;

  plain.params.iterations = one.params.iterations = 1;
  plain.params.tau = 0;
  b = solve (&plain.params, y);
  x = solve (&one.params, y);
  for (guint i = 0; i < LINES * BINS; i++) {
    double size = hypot (x[2 * i], x[2 * i + 1]);
    if (size > 0) {
      sum += hypot (b[2 * i], b[2 * i + 1]) - size;
      count++;
    }
  }
  return count > 0 ? sum / count : 0;
}

static void
test_given_noise (void)
{
  g_autofree float *y = NULL;
  Setup s;

  set_up (&s, OCT_CS_NUFFT);
  s.params.tau = 1;
  for (guint i = 0; i < s.params.kept; i++)
    s.window[i] = 0.5 + 0.001 * i;
  y = make_spectra (&s, 3, 100, NOISE);
  g_assert_cmpfloat (
      fabs (used_threshold (&s, y) / threshold (&s) - 1), <, 1e-4);
}

/* The noise estimate described in oct-cs.h, with room for 128 bins instead of
 * 1024. */
static void
test_estimated_noise (gconstpointer transform)
{
  for (guint k = 0; k < 3; k++) {
    double mirror = k == 0 ? 0 : k == 1 ? 20 : 1000;
    g_autofree float *y = NULL;
    double expected, found;
    Setup s;

    set_up (&s, GPOINTER_TO_INT (transform));
    s.params.tau = 1;
    expected = threshold (&s);
    y = make_spectra (&s, 4 + k, mirror, NOISE);
    /* lines with NaN or infinite values do not count */
    y[LINES / 2 * SAMPLES + s.column[0]] = NAN;
    for (guint i = 0; i < SAMPLES; i++)
      y[3 * SAMPLES + i] = INFINITY;
    s.params.noise = 0;
    found = used_threshold (&s, y);
    g_test_message ("mirror %g: %.3f of the noise", mirror, found / expected);
    g_assert_cmpfloat (found, >, 0.8 * expected);
    /* beside a mirror 60 dB above it ten steps leave as much again */
    g_assert_cmpfloat (found, <, (mirror > 500 ? 2 : 1.3) * expected);
  }
}

/* The same of a plan, in counts. */
static double
get_found (const OctCsParams *params, const float *in)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_CS);
  g_autofree float *out = g_new (float, (gsize)params->lines * 2 * BINS);
  OctFrame from = { { { (gpointer)in, params->columns * sizeof (float) } } };
  OctFrame to = { { { out, 2 * params->depth_bins * sizeof (float) } } };
  OctPlan *plan = plan_new (OCT_OPERATION_CS, params);
  double found;

  g_assert_cmpfloat (table->get_found (plan), ==, 0);
  plan_run (OCT_OPERATION_CS, plan, &from, &to);
  found = table->get_found (plan);
  plan_free (OCT_OPERATION_CS, plan);
  return found;
}

/* The reported noise of a B-scan with mirrors is the true one.  If a larger one
 * is given, the persistent solver reports that, and the others report 0. */
static void
test_found (void)
{
  g_autofree float *y = NULL;
  Setup s;

  set_up (&s, OCT_CS_NUFFT);
  for (guint i = 0; i < s.params.kept; i++)
    s.window[i] = 0.5 + 0.004 * i;
  y = make_spectra (&s, 13, 20, NOISE);
  for (guint i = 0; i < SAMPLES; i++) /* has no say */
    y[3 * SAMPLES + i] = INFINITY;
  for (guint solver = 0; solver < OCT_CS_N_SOLVERS; solver++) {
    double found;
    s.params.solver = solver;
    s.params.iterations = oct_cs_limits[solver].usual;
    s.params.noise = 0;
    found = get_found (&s.params, y);
    g_test_message ("%s: %.2f of %g", oct_cs_limits[solver].name, found, NOISE);
    g_assert_cmpfloat (found, >, 0.8 * NOISE);
    g_assert_cmpfloat (found, <, 1.3 * NOISE);
    s.params.noise = 20;
    g_assert_cmpfloat (fabs (get_found (&s.params, y)
                             - (solver == OCT_CS_PERSISTENT ? 20 : 0)),
        <, 1e-4);
  }
}

/* Five depths in a row and a mirror: what is 5 times above the
 * noise is kept with its level, and the dark is dark. */
static void
test_persistent (gconstpointer transform)
{
  const guint from = 30, to = 34, mirror = 80;
  g_autofree float *y = NULL, *x = NULL, *least = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (21);
  double level = 0, old = 0, dark = 0, truth, sigma, peak = 0;
  Setup s;

  set_up (&s, GPOINTER_TO_INT (transform));
  truth = 5 * NOISE; /* of a depth, rms */
  y = make_spectra (&s, 14, 0, NOISE);
  for (guint line = 0; line < LINES; line++)
    for (guint q = from; q <= mirror; q += q == to ? mirror - to : 1) {
      double size = q == mirror ? 40 * truth : truth;
      double phase = g_rand_double_range (random, 0, 2 * G_PI);
      for (guint i = 0; i < s.params.kept; i++)
        y[line * SAMPLES + s.column[i]] +=
            (float)(2 * size / sqrt (SAMPLES)
                    * cos (2 * G_PI * s.nodes[i] / SAMPLES * q + phase));
    }
  x = solve_by (&s, OCT_CS_PERSISTENT, y);
  least = solve_by (&s, OCT_CS_SPARSA, y);
  for (guint line = 0; line < LINES; line++) {
    const float *at = x + line * 2 * BINS, *l1 = least + line * 2 * BINS;
    for (guint q = from; q <= to; q++) {
      level += hypot (at[2 * q], at[2 * q + 1]);
      old += hypot (l1[2 * q], l1[2 * q + 1]);
    }
    for (guint q = 50; q < 70; q++)
      dark += hypot (at[2 * q], at[2 * q + 1]);
    peak += hypot (at[2 * mirror], at[2 * mirror + 1]);
  }
  level /= LINES * (to - from + 1) * truth;
  old /= LINES * (to - from + 1) * truth;
  sigma = NOISE * oct_cs_noise_gain (&s.params);
  dark /= LINES * 20 * sigma;
  peak /= LINES * 40 * truth;
  g_test_message ("layers %.3f (l1 %.3f), mirror %.3f, dark %.3f sigma", level,
      old, peak, dark);
  g_assert_cmpfloat (fabs (level - 1), <, 0.2);
  g_assert_cmpfloat (old, <, 0.5);
  g_assert_cmpfloat (fabs (peak - 1), <, 0.02);
  g_assert_cmpfloat (dark, <, 0.1);
}

/* A-lines of any size: what is squared on the way neither overflows nor
 * vanishes. */
static void
test_sizes (gconstpointer solver)
{
  g_autofree float *y = NULL, *expected = NULL;
  Setup s;

  set_up (&s, OCT_CS_NUDFT);
  s.params.noise = 0;
  y = make_spectra (&s, 15, 100, NOISE);
  expected = solve_by (&s, GPOINTER_TO_INT (solver), y);
  for (gint power = -90; power <= 90; power += 60) {
    g_autofree float *other = g_new (float, SAMPLES *LINES), *x = NULL;
    for (guint i = 0; i < SAMPLES * LINES; i++)
      other[i] = ldexpf (y[i], power);
    x = solve_by (&s, GPOINTER_TO_INT (solver), other);
    for (guint i = 0; i < 2 * LINES * BINS; i++)
      g_assert_cmpfloat (ldexpf (x[i], -power), ==, expected[i]);
  }
}

/* Nothing but zeros: no noise, no threshold, no image. */
static void
test_no_signal (void)
{
  g_autofree float *y = g_new0 (float, SAMPLES *LINES);
  Setup s;

  for (guint i = 0; i < (OCT_CS_FFT + 1) * OCT_CS_N_SOLVERS; i++) {
    g_autofree float *x = NULL;
    set_up (&s, i / OCT_CS_N_SOLVERS);
    s.params.noise = 0;
    x = solve_by (&s, i % OCT_CS_N_SOLVERS, y);
    for (guint k = 0; k < 2 * LINES * BINS; k++)
      g_assert_cmpfloat (x[k], ==, 0);
  }
}

static void
test_compact (gconstpointer transform)
{
  g_autofree float *y = NULL, *some = NULL;
  guint32 place[SAMPLES];
  OctCsParams compact;
  Setup s;

  set_up (&s, GPOINTER_TO_INT (transform));
  s.params.noise = 0;
  y = make_spectra (&s, 9, 100, NOISE);
  some = g_new (float, LINES *s.params.kept);
  for (guint line = 0; line < LINES; line++)
    for (guint i = 0; i < s.params.kept; i++)
      some[line * s.params.kept + i] = y[line * SAMPLES + s.column[i]];
  for (guint i = 0; i < s.params.kept; i++)
    place[i] = i;
  compact = s.params;
  compact.columns = s.params.kept;
  compact.column = place;
  for (guint solver = 0; solver < OCT_CS_N_SOLVERS; solver++) {
    g_autofree float *from_all = NULL, *from_some = NULL;
    s.params.solver = compact.solver = solver;
    from_all = solve (&s.params, y);
    from_some = solve (&compact, some);
    g_assert_cmpmem (from_all, 2 * LINES * BINS * sizeof (float), from_some,
        2 * LINES * BINS * sizeof (float));
  }
}

/* A NaN or infinite sample spoils its whole A-line and no other one; one that
 * is not kept spoils nothing. */
static void
test_not_a_number (gconstpointer format)
{
  static const float bad[] = { NAN, INFINITY, -INFINITY };
  g_autofree float *y = NULL;
  guint unused = 0;
  Setup s;

  set_up (&s, OCT_CS_NUFFT);
  while (s.column[unused] == unused)
    unused++;
  y = make_spectra (&s, 10, 100, NOISE);
  if (GPOINTER_TO_INT (format) == OCT_SAMPLE_CF32) {
    float *pairs = g_new0 (float, 2 * SAMPLES * LINES);
    for (guint i = 0; i < SAMPLES * LINES; i++)
      pairs[2 * i] = y[i];
    g_free (y);
    y = pairs;
    s.params.format = OCT_SAMPLE_CF32;
  }
  for (guint k = 0; k < G_N_ELEMENTS (bad) * OCT_CS_N_SOLVERS; k++) {
    guint row = SAMPLES * (s.params.format == OCT_SAMPLE_CF32 ? 2 : 1);
    guint step = row / SAMPLES;
    g_autofree float *spoilt = g_memdup2 (y, LINES * row * sizeof (float));
    g_autofree float *expected = NULL, *found = NULL;
    s.params.solver = k % OCT_CS_N_SOLVERS;
    expected = solve (&s.params, y);
    spoilt[17 * row + s.column[30] * step] = bad[k / OCT_CS_N_SOLVERS];
    spoilt[18 * row + unused * step] = bad[k / OCT_CS_N_SOLVERS];
    found = solve (&s.params, spoilt);
    for (guint line = 0; line < LINES; line++) {
      const float *at = found + line * 2 * BINS;
      if (line == 17)
        for (guint i = 0; i < 2 * BINS; i++)
          g_assert_true (isnan (at[i]));
      else
        g_assert_cmpmem (at, 2 * BINS * sizeof (float),
            expected + line * 2 * BINS, 2 * BINS * sizeof (float));
    }
  }
}

static void
test_threads (gconstpointer solver)
{
  g_autofree float *y = NULL, *one = NULL, *three = NULL;
  Setup s;

  set_up (&s, OCT_CS_NUFFT);
  s.params.noise = 0;
  y = make_spectra (&s, 11, 100, NOISE);
  oct_backend_cpu_set_threads (1);
  one = solve_by (&s, GPOINTER_TO_INT (solver), y);
  oct_backend_cpu_set_threads (3);
  three = solve_by (&s, GPOINTER_TO_INT (solver), y);
  oct_backend_cpu_set_threads (0);
  g_assert_cmpmem (one, 2 * LINES * BINS * sizeof (float), three,
      2 * LINES * BINS * sizeof (float));
}

/* A plan that has been given other parameters does what a new one does. */
static void
test_update (void)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_CS);
  g_autofree float *y = NULL, *found = g_new (float, 2 * LINES * BINS);
  OctFrame to = { { { found, 2 * BINS * sizeof (float) } } }, from;
  OctPlan *plan;
  Setup s;

  set_up (&s, OCT_CS_NUFFT);
  y = make_spectra (&s, 12, 100, NOISE);
  from = (OctFrame){ { { y, SAMPLES * sizeof (float) } } };
  plan = plan_new (OCT_OPERATION_CS, &s.params);
  for (guint k = 0; k < 8; k++) {
    g_autofree float *expected = NULL;
    set_up (&s, k % 4 == 3 ? OCT_CS_FFT : k % 4 == 2 ? OCT_CS_NUDFT : k % 2);
    s.params.solver = k / 2 % OCT_CS_N_SOLVERS;
    s.params.tau = k;
    s.params.noise = k % 3;
    s.params.kept -= 7 * k;
    s.params.width = 8 - k;
    s.params.width = MAX (s.params.width, 3);
    s.params.depth_start = k;
    s.params.depth_bins = BINS - k;
    to.planes[0].stride = 2 * (BINS - k) * sizeof (float);
    expected = solve (&s.params, y);
    if (!table->update (plan, &s.params)) {
      plan_free (OCT_OPERATION_CS, plan);
      plan = plan_new (OCT_OPERATION_CS, &s.params);
    }
    plan_run (OCT_OPERATION_CS, plan, &from, &to);
    g_assert_cmpmem (found, (gsize)LINES * 2 * (BINS - k) * sizeof (float),
        expected, (gsize)LINES * 2 * (BINS - k) * sizeof (float));
  }
  plan_free (OCT_OPERATION_CS, plan);
}

/* Sizes down to one sample, all kept; by rounding no NaN and no crash. */
static void
test_small (void)
{
  const float y[2 * 9] = { 5, -3, 8, 1, 0, -7, 2, 4, 6, 1, 2, 3, 4, 5, 6, 7, 8,
    9 };

  for (guint samples = 1; samples <= 9; samples++) {
    for (guint format = OCT_SAMPLE_F32; format <= OCT_SAMPLE_CF32; format++) {
      for (guint transform = 0; transform <= OCT_CS_FFT; transform++) {
        Setup s;
        set_up (&s, OCT_CS_FFT);
        s.params.format = format;
        s.params.transform = transform;
        s.params.samples = s.params.columns = s.params.kept = samples;
        s.params.lines = 1;
        s.params.depth_bins = (samples + 1) / 2;
        s.params.grid = 2 * samples;
        s.params.width = 4;
        s.params.tau = 0;
        for (guint i = 0; i < samples; i++) {
          s.column[i] = i;
          s.nodes[i] = transform == OCT_CS_FFT ? i : i * 0.93 + 0.01;
        }
        for (guint solver = 0; solver < OCT_CS_N_SOLVERS; solver++) {
          g_autofree float *x = NULL;
          s.params.solver = solver;
          x = solve (&s.params, y);
          for (guint i = 0; i < 2 * s.params.depth_bins; i++)
            g_assert_true (isfinite (x[i]));
        }
      }
    }
  }
}

static void
check_refused (const OctCsParams *params, const char *word)
{
  GError *error = NULL;
  OctPlan *plan = operation_table (OCT_OPERATION_CS)->create (params, &error);

  g_assert_null (plan);
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, word));
  g_assert_null (strchr (error->message, '\n'));
  g_clear_error (&error);
}

#define REFUSED(change, word)                                                  \
  do {                                                                         \
    set_up (&s, OCT_CS_NUFFT);                                                 \
    change;                                                                    \
    check_refused (&s.params, word);                                           \
  } while (0)

static void
test_refused (void)
{
  Setup s;

  REFUSED (s.params.tau = -1, "tau is -1");
  REFUSED (s.params.tau = NAN, "tau is nan");
  REFUSED (s.params.tau = INFINITY, "tau is inf");
  REFUSED (s.params.noise = -0.5, "noise is -0.5");
  REFUSED (s.params.noise = NAN, "noise is nan");
  REFUSED (s.params.iterations = 0, "0 iterations");
  REFUSED (s.params.iterations = 1001, "1001 iterations");
  REFUSED (s.params.solver = OCT_CS_N_SOLVERS, "no solver 3");
  REFUSED ((s.params.solver = OCT_CS_PERSISTENT, s.params.iterations = 16),
      "set 1 to 15");
  REFUSED (s.params.kept = 0, "keeps 0 samples");
  REFUSED (s.params.kept = SAMPLES + 1, "keeps 257 samples");
  REFUSED (s.params.column = NULL, "keeps 0 samples");
  REFUSED (s.column[5] = SAMPLES, "keeps sample 256");
  REFUSED (s.params.columns = 30, "have 30");
  REFUSED (s.params.columns = SAMPLES + 1, "257 samples");
  REFUSED (s.params.columns = 0, "0 samples");
  REFUSED (s.params.samples = 0, "0 values");
  REFUSED (s.params.lines = 0, "0 A-lines");
  REFUSED (s.params.depth_bins = 0, "0 depth bins");
  REFUSED (s.params.depth_bins = BINS + 1, "129 depth bins");
  REFUSED (s.params.depth_start = 1, "from bin 1");
  REFUSED (s.params.depth_start = G_MAXUINT, "from bin");
  REFUSED (s.params.transform = 3, "transform 3");
  REFUSED (s.params.kernel = 2, "kernel 2");
  REFUSED (s.params.grid = 255, "255 cells");
  REFUSED (s.params.width = 0, "0 cells");
  REFUSED (s.params.format = OCT_SAMPLE_U16, "sample format");
  REFUSED (s.nodes[3] = NAN, "not a finite number");
  REFUSED (s.nodes[3] = s.nodes[4], "must rise");
  REFUSED (s.window[3] = INFINITY, "window");
  REFUSED (s.params.transform = OCT_CS_FFT, "whole numbers");
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "nufft", "nudft", "fft" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    static const struct {
      const char *name;
      GTestDataFunc test;
    } tests[] = { { "objective", test_objective },
      { "optimality", test_optimality }, { "continued", test_continued },
      { "persistent", test_persistent },
      { "estimated-noise", test_estimated_noise },
      { "compact", test_compact } };
    for (guint k = 0; k < G_N_ELEMENTS (tests); k++) {
      g_autofree char *path =
          g_strdup_printf ("/cs/%s/%s", tests[k].name, names[i]);
      g_test_add_data_func (path, GINT_TO_POINTER (i), tests[k].test);
    }
  }
  g_test_add_data_func ("/cs/not-a-number/real",
      GINT_TO_POINTER (OCT_SAMPLE_F32), test_not_a_number);
  g_test_add_data_func ("/cs/not-a-number/complex",
      GINT_TO_POINTER (OCT_SAMPLE_CF32), test_not_a_number);
  g_test_add_func ("/cs/given-noise", test_given_noise);
  g_test_add_func ("/cs/no-signal", test_no_signal);
  g_test_add_func ("/cs/found", test_found);
  for (guint i = 0; i < OCT_CS_N_SOLVERS; i++) {
    const char *name = oct_cs_limits[i].name;
    g_autofree char *sizes = g_strconcat ("/cs/sizes/", name, NULL);
    g_autofree char *threads = g_strconcat ("/cs/threads/", name, NULL);
    g_test_add_data_func (sizes, GINT_TO_POINTER (i), test_sizes);
    g_test_add_data_func (threads, GINT_TO_POINTER (i), test_threads);
  }
  g_test_add_func ("/cs/update", test_update);
  g_test_add_func ("/cs/small", test_small);
  g_test_add_func ("/cs/refused", test_refused);
  return g_test_run ();
}
