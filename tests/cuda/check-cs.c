/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing on the device: against the CPU backend, against the
 * printed procedure with dense sums in double precision, and compact spectra
 * against whole ones.
 */
#include "check-cs.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-3 /* relative l2 of all A-lines, nufft and nudft */
/* the same, fft; but of persistent shrinkage, which makes more of rounding */
#define TOLERANCE_FFT 1e-4
#define STEPS 2 /* B-scans of a plan */

typedef double complex Complex;

/* ------------------------------------------------------------------ inputs */

guint
check_cs_nodes (CsNodes kind, guint samples, double *nodes)
{
  double last = MAX (samples, 2) - 1;

  for (guint n = 0; n < samples; n++) {
    double x = n / last, low = 1 / 965., high = 1 / 725.;
    double k = 1 / (725 + 240 * x);

    nodes[n] = kind == CS_NODES_UNIFORM  ? n
               : kind == CS_NODES_RISING ? last * (1 - (k - low) / (high - low))
                                         : last * (k - low) / (high - low);
  }
  return samples;
}

/* More samples where the source is bright, as in Xu 2014. */
guint
check_cs_mask (guint samples, double rate, guint32 seed, guint32 *kept)
{
  GRand *random = g_rand_new_with_seed (seed);
  guint wanted = (guint)CLAMP (rint (rate * samples), 1, samples), count = 0;
  g_autofree gboolean *chosen = g_new0 (gboolean, samples);

  while (count < wanted) {
    guint n = (guint)g_rand_int_range (random, 0, (gint32)samples);
    double x = (n + 0.5) / samples - 0.5;
    if (chosen[n] || g_rand_double (random) > exp (-8 * x * x) + 0.1)
      continue;
    chosen[n] = TRUE;
    count++;
  }
  count = 0;
  for (guint n = 0; n < samples; n++)
    if (chosen[n])
      kept[count++] = n;
  g_rand_free (random);
  return count;
}

/* Counts of a camera less their mean: a few reflectors, some deep, and noise of
 * the standard deviation `noise`. */
void
check_cs_row (const double *nodes, guint samples, gboolean is_complex,
    double noise, GRand *random, float *row)
{
  double depths[6], phases[6];

  for (guint r = 0; r < 6; r++) {
    depths[r] = g_rand_double_range (random, 0.01, r < 4 ? 0.25 : 0.48);
    phases[r] = g_rand_double_range (random, 0, 2 * G_PI);
  }
  for (guint n = 0; n < samples; n++) {
    double x = (n + 0.5) / samples - 0.5, re = 0, im = 0;
    for (guint r = 0; r < 6; r++) {
      double angle = 2 * G_PI * nodes[n] * depths[r] + phases[r];
      double amplitude = 300 / (r + 1.) * exp (-8 * x * x);
      re += amplitude * cos (angle);
      im += amplitude * sin (angle);
    }
    for (guint k = 0; k < (is_complex ? 2u : 1u); k++) {
      double sum = 0; /* of twelve, nearly normal */
      for (guint i = 0; i < 12; i++)
        sum += g_rand_double (random) - 0.5;
      row[is_complex ? 2 * n + k : n] = (float)((k ? im : re) + noise * sum);
    }
  }
}

/* ------------------------------------------------------------- the problem */

typedef struct {
  const char *name;
  OctSampleFormat format;
  OctCsTransform transform;
  guint samples, lines;
  double rate;
  CsNodes nodes;
  double tau, noise; /* 0: estimated */
  guint iterations;
  gboolean compact; /* rows hold the kept samples alone */
  guint padding;    /* values after a row */
  gboolean bad;     /* A-lines that are not finite, and one of zeros */
  double gain;      /* of some A-lines, 0: none */
  OctKernel kernel;
  double oversampling;
  guint width;
  /* nufft whose kernel loses more than the tolerance, and which the device
   * computes exactly: the CPU has to, too */
  gboolean exact;
  OctCsSolver solver;
} Problem;

typedef struct {
  OctCsParams params;
  guint32 *kept, *column;
  double *axis, *nodes, *window; /* axis of all samples */
  gsize in_stride, out_stride, in_size, out_size;
} Setup;

static void
setup_clear (Setup *s)
{
  g_free (s->kept);
  g_free (s->column);
  g_free (s->axis);
  g_free (s->nodes);
  g_free (s->window);
}

static void
setup_make (Setup *s, const Problem *p)
{
  gsize size = oct_sample_format_size (p->format);
  guint kept, columns;

  s->axis = g_new (double, p->samples);
  s->kept = g_new (guint32, p->samples);
  s->column = g_new (guint32, p->samples);
  s->nodes = g_new (double, p->samples);
  s->window = g_new (double, p->samples);
  check_cs_nodes (p->nodes, p->samples, s->axis);
  kept = check_cs_mask (p->samples, p->rate, 7, s->kept);
  for (guint i = 0; i < kept; i++) {
    s->column[i] = p->compact ? i : s->kept[i];
    s->nodes[i] = s->axis[s->kept[i]];
    s->window[i] = 1 + 0.3 * sin (0.01 * s->kept[i]);
  }
  columns = p->compact ? kept : p->samples;
  s->params = (OctCsParams){ .format = p->format,
    .samples = p->samples,
    .lines = p->lines,
    .columns = columns,
    .kept = kept,
    .column = s->column,
    .nodes = s->nodes,
    .window = s->window,
    .transform = p->transform,
    .kernel = p->kernel,
    .grid = oct_nufft_grid_length (
        p->samples, p->oversampling > 0 ? p->oversampling : 1.25),
    .width = p->width > 0 ? p->width : 6,
    .solver = p->solver,
    .iterations = p->iterations,
    .tau = p->tau,
    .noise = p->noise,
    .depth_bins = (p->samples + 1) / 2 };
  if (p->samples > 100) {
    s->params.depth_start = 3;
    s->params.depth_bins -= 5;
  }
  s->in_stride = (columns + p->padding) * size;
  s->out_stride = (s->params.depth_bins + p->padding) * 8;
  s->in_size = s->in_stride * p->lines;
  s->out_size = s->out_stride * p->lines;
}

static gboolean
is_bad (const Problem *p, guint line)
{
  return p->bad && line % 5 == 2;
}

static void
fill_input (const Problem *p, const Setup *s, guint32 seed, guint8 *input)
{
  gboolean is_complex = p->format == OCT_SAMPLE_CF32;
  guint parts = is_complex ? 2 : 1;
  g_autofree float *row = g_new (float, 2 * (gsize)p->samples);

  memset (input, CHECK_POISON, s->in_size);
  for (guint line = 0; line < p->lines; line++) {
    GRand *random = g_rand_new_with_seed (seed + line);
    float *to = (gpointer)(input + line * s->in_stride);
    check_cs_row (s->axis, p->samples, is_complex, p->noise > 0 ? p->noise : 20,
        random, row);
    for (guint i = 0; i < parts * p->samples; i++) {
      if (p->gain > 0 && line % 3 == 1)
        row[i] *= (float)p->gain;
      if (p->bad && line % 5 == 4)
        row[i] = 0;
      if (p->bad && line % 7 == 6)
        row[i] *= 1e15f;
    }
    if (is_bad (p, line))
      row[parts * s->kept[s->params.kept / 2]] = line % 2 ? NAN : -INFINITY;
    for (guint i = 0; i < s->params.columns; i++)
      for (guint k = 0; k < parts; k++)
        to[parts * i + k] = row[parts * (p->compact ? s->kept[i] : i) + k];
    g_rand_free (random);
  }
}

/* -------------------------------------------------------------- comparison */

/* outputs [STEPS], a plan of either backend; fewer steps and another threshold
 * from the second B-scan on, of which the noise is that found */
static gboolean
run_backend (const Check *check, const OctBackend *backend, const Setup *s,
    guint8 **inputs, guint8 **outputs, double *noise, GError **error)
{
  const OctOperationTable *table = backend->operations[OCT_OPERATION_CS];
  OctPlan *plan = table->create (&s->params, error);
  OctCsParams update = s->params;
  gboolean done = plan != NULL;

  update.iterations = (update.iterations + 1) / 2;
  update.tau *= 0.8;
  for (guint i = 0; done && i < STEPS; i++) {
    OctFrame in = { { { inputs[i], s->in_stride } } };
    OctFrame out = { { { outputs[i], s->out_stride } } };
    if (i == 1 && !table->update (plan, &update)) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS, "no update");
      done = FALSE;
      break;
    }
    done = table->run (plan, &in, &out, check->stream, error);
  }
  check_cuda (cudaStreamSynchronize (check->stream), "compressive sensing");
  if (done)
    *noise = table->get_found (plan);
  if (plan != NULL)
    table->destroy (plan);
  return done;
}

static gboolean
run_device (const Check *check, const Setup *s, guint8 **inputs,
    guint8 **outputs, double *noise, GError **error)
{
  gpointer in[STEPS], out[STEPS];
  gboolean done;

  for (guint i = 0; i < STEPS; i++) {
    check_cuda (cudaMalloc (&in[i], s->in_size), "memory");
    check_cuda (cudaMalloc (&out[i], s->out_size), "memory");
    check_cuda (
        cudaMemcpy (in[i], inputs[i], s->in_size, cudaMemcpyHostToDevice),
        "upload");
    check_cuda (cudaMemset (out[i], CHECK_POISON, s->out_size), "poison");
  }
  check_cuda (cudaDeviceSynchronize (), "inputs");
  done = run_backend (
      check, check->cuda, s, (guint8 **)in, (guint8 **)out, noise, error);
  for (guint i = 0; i < STEPS; i++) {
    check_cuda (
        cudaMemcpy (outputs[i], out[i], s->out_size, cudaMemcpyDeviceToHost),
        "download");
    check_cuda (cudaFree (in[i]), "free");
    check_cuda (cudaFree (out[i]), "free");
  }
  return done;
}

/* Worst and all in all relative l2 of the A-lines; a sentence when one is not
 * as it should be. */
static char *
compare_lines (const Problem *p, const Setup *s, const guint8 *expected,
    const guint8 *found, double *worst, double *all)
{
  guint bins = s->params.depth_bins;
  double difference = 0, total = 0;

  *worst = 0;
  for (guint line = 0; line < p->lines; line++) {
    const float *a = (gconstpointer)(expected + line * s->out_stride);
    const float *b = (gconstpointer)(found + line * s->out_stride);
    const guint8 *behind = (gconstpointer)(b + 2 * bins);
    double own_difference = 0, own = 0;
    for (guint i = 0; i < p->padding * 8; i++)
      if (behind[i] != CHECK_POISON)
        return g_strdup_printf ("line %u: padding overwritten", line);
    for (guint i = 0; i < 2 * bins; i++) {
      if (is_bad (p, line) ? !isnan (b[i]) : !isfinite (b[i]))
        return g_strdup_printf (
            "line %u value %u: %g instead of %g", line, i, b[i], a[i]);
      if (is_bad (p, line))
        continue;
      own_difference += pow ((double)a[i] - b[i], 2);
      own += (double)a[i] * a[i];
    }
    if (own > 0)
      *worst = MAX (*worst, sqrt (own_difference / own));
    if (p->bad && line % 7 == 6) /* these alone would count */
      continue;
    difference += own_difference;
    total += own;
  }
  *all = total > 0 ? sqrt (difference / total) : difference > 0 ? INFINITY : 0;
  return NULL;
}

static gboolean
run_cpu (const Check *check, const Problem *p, const Setup *s, guint8 **inputs,
    guint8 **outputs, double *noise, GError **error)
{
  Setup own = *s;

  if (p->exact)
    own.params.transform = OCT_CS_NUDFT;
  return run_backend (check, check->cpu, &own, inputs, outputs, noise, error);
}

static gboolean
is_left_out (const Check *check, const Problem *p, const char *name)
{
  return !check_has (check, name)
         || (check->reduced && p->lines * p->samples > 30000);
}

static double
tolerance_of (const Problem *p)
{
  gboolean finds = p->noise == 0 || p->solver == OCT_CS_PERSISTENT;

  return p->transform == OCT_CS_FFT && !finds ? TOLERANCE_FFT : TOLERANCE;
}

static void
check_problem (Check *check, const Problem *p)
{
  Setup s = { 0 };
  guint8 *arrays[4][STEPS] = { 0 }; /* inputs, expected, found, again */
  GError *error = NULL;
  g_autofree char *problem = NULL;
  double worst = 0, all = 0, noise[3] = { 0 };
  g_autofree char *name = g_strdup_printf ("cs %s %s %s %u x %u rate %g",
      oct_cs_limits[p->solver].name, p->name,
      p->format == OCT_SAMPLE_CF32 ? "complex" : "real", p->samples, p->lines,
      p->rate);

  if (is_left_out (check, p, name))
    return;
  setup_make (&s, p);
  for (guint i = 0; i < STEPS; i++) {
    for (guint k = 0; k < 4; k++)
      arrays[k][i] = g_malloc (k == 0 ? s.in_size : s.out_size);
    fill_input (p, &s, check->seed + 1000 * i, arrays[0][i]);
  }
  if (run_cpu (check, p, &s, arrays[0], arrays[1], &noise[0], &error)
      && run_device (check, &s, arrays[0], arrays[2], &noise[1], &error))
    run_device (check, &s, arrays[0], arrays[3], &noise[2], &error);
  if (error != NULL)
    problem = g_strdup (error->message);
  else if (!(fabs (noise[1] - noise[0]) <= TOLERANCE * noise[0])
           || noise[2] != noise[1])
    problem = g_strdup_printf (
        "found noise of %g and %g, not %g", noise[1], noise[2], noise[0]);
  for (guint i = 0; i < STEPS && problem == NULL; i++) {
    problem = compare_lines (p, &s, arrays[1][i], arrays[2][i], &worst, &all);
    if (problem == NULL && !(all <= tolerance_of (p)))
      problem = g_strdup_printf ("B-scan %u: too far", i);
    if (problem == NULL && memcmp (arrays[2][i], arrays[3][i], s.out_size) != 0)
      problem = g_strdup ("two runs differ");
  }
  check_report (check,
      g_strdup_printf (
          "%s: relative l2 %.2g, worst A-line %.2g", name, all, worst),
      g_steal_pointer (&problem));
  g_clear_error (&error);
  for (guint i = 0; i < STEPS; i++)
    for (guint k = 0; k < 4; k++)
      g_free (arrays[k][i]);
  setup_clear (&s);
}

/* Rows of the kept samples alone: the same as from all of them, to the last
 * bit. */
static void
check_compact (Check *check, const Problem *p)
{
  guint8 *in[STEPS], *out[2][STEPS];
  gboolean same = TRUE;
  double noise;
  GError *error = NULL;
  g_autofree char *name = g_strdup_printf ("cs as compact %s %s %s %u x %u",
      oct_cs_limits[p->solver].name, p->name,
      p->format == OCT_SAMPLE_CF32 ? "complex" : "real", p->samples, p->lines);

  if (is_left_out (check, p, name))
    return;
  for (guint k = 0; k < 2; k++) {
    Problem one = *p;
    Setup s = { 0 };
    one.compact = k;
    setup_make (&s, &one);
    for (guint i = 0; i < STEPS; i++) {
      in[i] = g_malloc (s.in_size);
      out[k][i] = g_malloc (s.out_size);
      fill_input (&one, &s, check->seed + 1000 * i, in[i]);
    }
    same = same && run_device (check, &s, in, out[k], &noise, &error);
    for (guint i = 0; i < STEPS; i++) {
      if (same && k == 1)
        same = memcmp (out[0][i], out[1][i], s.out_size) == 0;
      g_free (in[i]);
    }
    setup_clear (&s);
  }
  check_report (check, g_steal_pointer (&name),
      same ? NULL
           : g_strdup (error != NULL ? error->message : "the bits differ"));
  g_clear_error (&error);
  for (guint i = 0; i < STEPS; i++) {
    g_free (out[0][i]);
    g_free (out[1][i]);
  }
}

#define R OCT_SAMPLE_F32
#define C OCT_SAMPLE_CF32

/* On the chip and in passes; noise given and estimated. */
static const Problem compact_problems[] = {
  { "nudft", R, OCT_CS_NUDFT, 2048, 5, 0.4, 0, 3, 20, 15 },
  { "nudft estimated", R, OCT_CS_NUDFT, 2048, 70, 0.4, 0, 3, 0, 15 },
  { "nudft padded", C, OCT_CS_NUDFT, 1024, 9, 0.3, 1, 3, 20, 15, FALSE, 3 },
  { "nudft estimated", C, OCT_CS_NUDFT, 1500, 9, 0.4, 0, 3, 0, 15 },
  { "nufft", R, OCT_CS_NUFFT, 2048, 5, 0.4, 0, 3, 0, 15 },
  { "fft", R, OCT_CS_FFT, 2048, 5, 0.4, 2, 3, 20, 15 },
  { "fft", C, OCT_CS_FFT, 999, 5, 0.4, 2, 1, 0, 15 },
  { "nufft width 3", R, OCT_CS_NUFFT, 4200, 5, 0.4, 0, 3, 0, 15, FALSE, 1,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3 },
  { "nufft width 3", C, OCT_CS_NUFFT, 4200, 5, 0.4, 1, 3, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3 },
};

static const Problem problems[] = {
  { "nudft", R, OCT_CS_NUDFT, 2048, 37, 0.4, 0, 3, 20, 15 },
  { "nudft estimated", R, OCT_CS_NUDFT, 2048, 70, 0.4, 0, 3, 0, 15 },
  { "nudft one line", R, OCT_CS_NUDFT, 2048, 1, 0.4, 0, 3, 20, 15 },
  { "nudft padded", R, OCT_CS_NUDFT, 2048, 3, 0.3, 1, 3, 20, 15, FALSE, 3 },
  { "nudft compact", R, OCT_CS_NUDFT, 2048, 4, 0.4, 0, 3, 20, 15, TRUE },
  { "nudft all", R, OCT_CS_NUDFT, 2048, 4, 1, 0, 3, 20, 15 },
  { "nudft one sample", R, OCT_CS_NUDFT, 2048, 2, 1e-9, 0, 0.1, 20, 15 },
  { "nudft not finite", R, OCT_CS_NUDFT, 2048, 32, 0.4, 0, 3, 20, 15, FALSE, 0,
      TRUE },
  { "nudft not finite estimated", R, OCT_CS_NUDFT, 2048, 9, 0.4, 0, 3, 0, 15,
      FALSE, 1, TRUE },
  { "nudft gains", R, OCT_CS_NUDFT, 2048, 32, 0.4, 0, 1e-3, 20, 15, FALSE, 0,
      FALSE, 1e-6 },
  { "nudft one step", R, OCT_CS_NUDFT, 2048, 4, 0.4, 0, 3, 20, 1 },
  { "nudft many steps", R, OCT_CS_NUDFT, 2048, 4, 0.4, 0, 3, 20, 100 },
  { "nudft", C, OCT_CS_NUDFT, 2048, 19, 0.4, 0, 3, 20, 15 },
  { "nudft estimated", C, OCT_CS_NUDFT, 2048, 33, 0.4, 0, 3, 0, 15 },
  { "nudft not finite", C, OCT_CS_NUDFT, 2048, 14, 0.4, 0, 3, 20, 15, FALSE, 1,
      TRUE },
  { "fft", R, OCT_CS_FFT, 2048, 5, 0.4, 2, 1, 20, 15 },
  { "fft estimated", R, OCT_CS_FFT, 2048, 5, 0.4, 2, 3, 0, 15 },
  { "fft", C, OCT_CS_FFT, 2048, 5, 0.4, 2, 3, 20, 15 },
  { "nufft", R, OCT_CS_NUFFT, 2048, 6, 0.4, 0, 3, 20, 15 },
  { "nufft estimated", R, OCT_CS_NUFFT, 2048, 6, 0.4, 0, 3, 0, 15 },
  { "nufft", C, OCT_CS_NUFFT, 2048, 6, 0.4, 0, 3, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 512, 65, 0.4, 0, 3, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 1024, 65, 0.4, 0, 3, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 4096, 9, 0.4, 0, 3, 20, 15 },
  { "nudft estimated", R, OCT_CS_NUDFT, 512, 9, 0.4, 0, 3, 0, 15 },
  { "nudft estimated", R, OCT_CS_NUDFT, 1024, 9, 0.4, 0, 3, 0, 15 },
  { "nudft estimated", R, OCT_CS_NUDFT, 4096, 9, 0.4, 0, 3, 0, 15 },
  { "nudft", C, OCT_CS_NUDFT, 512, 9, 0.4, 0, 3, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 1024, 9, 0.4, 0, 3, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 4096, 9, 0.4, 0, 3, 20, 15 },
  { "nudft estimated", C, OCT_CS_NUDFT, 512, 9, 0.4, 0, 3, 0, 15 },
  { "nudft estimated", C, OCT_CS_NUDFT, 1024, 9, 0.4, 0, 3, 0, 15 },
  { "nudft estimated", C, OCT_CS_NUDFT, 4096, 9, 0.4, 0, 3, 0, 15 },
  { "fft", R, OCT_CS_FFT, 512, 9, 0.4, 2, 1, 20, 15 },
  { "fft", R, OCT_CS_FFT, 4096, 9, 0.4, 2, 1, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 2047, 5, 0.4, 0, 1, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 2047, 5, 0.4, 0, 1, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 1500, 5, 0.4, 0, 1, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 1500, 5, 0.4, 0, 1, 20, 15 },
  { "nudft estimated", R, OCT_CS_NUDFT, 1500, 5, 0.4, 0, 1, 0, 15 },
  { "nudft", R, OCT_CS_NUDFT, 100, 50, 0.5, 0, 1, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 17, 16384, 0.6, 0, 1, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 16, 5, 0.6, 0, 1, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 16, 5, 0.6, 0, 1, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 15, 5, 0.6, 0, 1, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 3, 5, 1, 0, 1, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 1, 3, 1, 0, 0, 20, 15 },
  { "fft", R, OCT_CS_FFT, 1, 3, 1, 2, 0, 20, 15 },
  { "fft", R, OCT_CS_FFT, 2, 3, 1, 2, 0.1, 20, 15 },
  { "fft", R, OCT_CS_FFT, 1000, 5, 0.4, 2, 1, 20, 15 },
  { "fft estimated", R, OCT_CS_FFT, 1000, 5, 0.4, 2, 1, 0, 15 },
  { "fft", C, OCT_CS_FFT, 1000, 5, 0.4, 2, 1, 20, 15 },
  { "fft", R, OCT_CS_FFT, 999, 5, 0.4, 2, 1, 20, 15 },
  { "fft", C, OCT_CS_FFT, 999, 5, 0.4, 2, 1, 20, 15 },
  { "fft not finite", R, OCT_CS_FFT, 999, 15, 0.4, 2, 1, 20, 15, FALSE, 1,
      TRUE },
  { "nufft width 3", R, OCT_CS_NUFFT, 2048, 6, 0.4, 0, 3, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3, TRUE },
  { "nufft width 3", C, OCT_CS_NUFFT, 2048, 6, 0.4, 0, 3, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3, TRUE },
  { "nufft width 3 estimated", R, OCT_CS_NUFFT, 2048, 34, 0.4, 0, 3, 0, 15,
      FALSE, 1, TRUE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3, TRUE },
  { "nufft width 3 estimated", C, OCT_CS_NUFFT, 2048, 34, 0.4, 0, 3, 0, 15,
      FALSE, 1, TRUE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3, TRUE },
  { "nufft gaussian", R, OCT_CS_NUFFT, 2048, 6, 0.4, 0, 3, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_GAUSSIAN, 1.5, 4, TRUE },
  { "nufft width 4", R, OCT_CS_NUFFT, 1500, 6, 0.4, 0, 3, 20, 15, TRUE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 1.5, 4, TRUE },
  { "nufft width 3", R, OCT_CS_NUFFT, 4200, 6, 0.4, 0, 3, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3 },
  { "nufft width 3", C, OCT_CS_NUFFT, 4200, 6, 0.4, 0, 3, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3 },
  { "nufft width 3 estimated", R, OCT_CS_NUFFT, 4200, 34, 0.4, 0, 3, 0, 15,
      FALSE, 1, TRUE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3 },
  { "nufft width 3 estimated", C, OCT_CS_NUFFT, 4200, 34, 0.4, 0, 3, 0, 15,
      FALSE, 1, TRUE, 0, OCT_KERNEL_KAISER_BESSEL, 2, 3 },
  { "nufft gaussian", R, OCT_CS_NUFFT, 4200, 6, 0.4, 0, 3, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_GAUSSIAN, 1.5, 4 },
  { "nufft width 4", R, OCT_CS_NUFFT, 4200, 6, 0.4, 0, 3, 20, 15, TRUE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 1.5, 4 },
  { "nufft width 2", R, OCT_CS_NUFFT, 512, 7, 0.4, 0, 3, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 1.25, 2, TRUE },
  { "nufft", R, OCT_CS_NUFFT, 8192, 3, 0.4, 0, 3, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 8192, 3, 0.4, 0, 3, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 8200, 3, 0.4, 0, 3, 20, 15 },
  { "nudft estimated", R, OCT_CS_NUDFT, 8200, 3, 0.4, 0, 3, 0, 15 },
  { "fft", R, OCT_CS_FFT, 65536, 2, 0.4, 2, 3, 20, 15 },
  { "nudft B-scan", R, OCT_CS_NUDFT, 2048, 1000, 0.4, 0, 3, 0, 15 },
};

/* ----------------------------------------------------- printed procedure */

/* One A-line with dense sums, residuals and all: the paper's. Real A-lines of
 * even N without -N/2, unless the nodes are uniform. */
static void
solve_densely (
    const OctCsParams *p, gboolean uniform, const float *row, Complex *x)
{
  guint m = p->kept, n = p->samples;
  gboolean is_complex = p->format == OCT_SAMPLE_CF32;
  guint first = !is_complex && !uniform && n % 2 == 0;
  double step = 1;
  double threshold = p->tau * p->noise * oct_cs_noise_gain (p);
  g_autofree Complex *a = g_new (Complex, (gsize)m * n);
  g_autofree Complex *r = g_new (Complex, m), *old = g_new (Complex, n);
  g_autofree Complex *next = g_new (Complex, m);

  for (guint i = 0; i < m; i++) {
    guint c = p->column[i];
    r[i] =
        -p->window[i] * (is_complex ? row[2 * c] + I * row[2 * c + 1] : row[c]);
    for (guint k = 0; k < n; k++) {
      double turn = p->nodes[i] / n * ((double)k - n / 2);
      a[(gsize)i * n + k] =
          k < first ? 0 : cexp (2 * G_PI * I * (turn - rint (turn))) / sqrt (n);
    }
  }
  memset (x, 0, n * sizeof *x);
  for (guint iteration = 0; iteration < p->iterations; iteration++) {
    double squares = 0, energy = 0;
    for (guint k = 0; k < n; k++) {
      Complex sum = 0, u;
      for (guint i = 0; i < m; i++)
        sum += conj (a[(gsize)i * n + k]) * r[i];
      u = x[k] - sum / step;
      old[k] = x[k];
      x[k] = cabs (u) > threshold / step
                 ? u / cabs (u) * (cabs (u) - threshold / step)
                 : 0;
      squares += pow (cabs (x[k] - old[k]), 2);
    }
    for (guint i = 0; i < m; i++) {
      next[i] = r[i];
      for (guint k = 0; k < n; k++)
        next[i] += a[(gsize)i * n + k] * (x[k] - old[k]);
      energy += pow (cabs (next[i] - r[i]), 2);
      r[i] = next[i];
    }
    step = squares > 0 ? CLAMP (energy / squares, 0.1, 1e30) : 1e30;
  }
}

static void
check_densely (Check *check, const Problem *p)
{
  Setup s = { 0 };
  guint8 *in[STEPS], *out[STEPS];
  g_autofree Complex *x = g_new (Complex, p->samples);
  double difference = 0, total = 0, noise;
  gboolean done;
  GError *error = NULL;

  if (!check_has (check, "cs dense"))
    return;
  setup_make (&s, p);
  for (guint i = 0; i < STEPS; i++) {
    in[i] = g_malloc (s.in_size);
    out[i] = g_malloc (s.out_size);
    fill_input (p, &s, check->seed, in[i]);
  }
  done = run_device (check, &s, in, out, &noise, &error);
  for (guint line = 0; done && line < p->lines; line++) {
    const float *found = (gpointer)(out[0] + line * s.out_stride);
    solve_densely (&s.params, p->nodes == CS_NODES_UNIFORM,
        (gpointer)(in[0] + line * s.in_stride), x);
    for (guint i = 0; i < s.params.depth_bins; i++) {
      Complex right = x[p->samples / 2 + s.params.depth_start + i];
      Complex own = found[2 * i] + I * found[2 * i + 1];
      difference += pow (cabs (own - right), 2);
      total += pow (cabs (right), 2);
    }
  }
  done = done
         && difference <= total
                              * pow (p->transform == OCT_CS_FFT ? TOLERANCE_FFT
                                                                : TOLERANCE,
                                  2);
  check_report (check,
      g_strdup_printf ("cs dense %s %s %u: relative l2 %.2g", p->name,
          p->format == OCT_SAMPLE_CF32 ? "complex" : "real", p->samples,
          sqrt (difference / total)),
      done ? NULL : g_strdup (error != NULL ? error->message : "too far"));
  g_clear_error (&error);
  for (guint i = 0; i < STEPS; i++) {
    g_free (in[i]);
    g_free (out[i]);
  }
  setup_clear (&s);
}

static const Problem dense_problems[] = {
  { "nudft", R, OCT_CS_NUDFT, 512, 3, 0.4, 0, 1, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 512, 3, 0.4, 0, 1, 20, 15 },
  { "nudft", R, OCT_CS_NUDFT, 401, 2, 0.4, 0, 1, 20, 15 },
  { "nudft", C, OCT_CS_NUDFT, 402, 2, 0.4, 0, 1, 20, 15 },
  { "fft", R, OCT_CS_FFT, 512, 3, 0.4, 2, 1, 20, 15 },
  { "fft", C, OCT_CS_FFT, 512, 3, 0.4, 2, 1, 20, 15 },
  { "fft", R, OCT_CS_FFT, 401, 2, 0.4, 2, 1, 20, 15 },
  /* exact on the device, though such a kernel loses 0.13 */
  { "nufft width 2", R, OCT_CS_NUFFT, 512, 3, 0.4, 0, 1, 20, 15, FALSE, 0,
      FALSE, 0, OCT_KERNEL_KAISER_BESSEL, 1.25, 2 },
};

/* The same by another solver: in passes, too, where neighbours of a depth are
 * some on the other side of the circle, or all of them. */
static Problem
solved_by (const Problem *problem, OctCsSolver solver)
{
  Problem p = *problem;

  p.solver = solver;
  if (solver != OCT_CS_SPARSA)
    p.iterations = p.iterations == 15 ? oct_cs_limits[solver].usual
                                      : MIN (p.iterations, 15);
  return p;
}

void
check_cs (Check *check)
{
  for (guint i = 0; i < G_N_ELEMENTS (dense_problems); i++)
    check_densely (check, &dense_problems[i]);
  for (guint solver = 0; solver < OCT_CS_N_SOLVERS; solver++) {
    for (guint i = 0; i < G_N_ELEMENTS (problems); i++) {
      Problem p = solved_by (&problems[i], solver);
      check_problem (check, &p);
    }
    for (guint i = 0; i < G_N_ELEMENTS (compact_problems); i++) {
      Problem p = solved_by (&compact_problems[i], solver);
      check_compact (check, &p);
    }
  }
}
