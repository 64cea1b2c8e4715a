/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of compressive sensing on data in device memory.
 */
#include "check-cs.h"
#include "oct-sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS 3
#define RUNS 20 /* B-scans between two events */
#define REPEATS 11
#define BRIGHTNESS 30000 /* of counts */

typedef struct {
  const char *name;
  OctSampleFormat format;
  OctCsTransform transform;
  double rate, noise, oversampling;
  guint width, iterations;
  gboolean compact;
  OctCsSolver solver;
  gboolean counts; /* of 16 bit, in one pass with the mean of the B-scan */
} Bench;

#define R OCT_SAMPLE_F32
#define C OCT_SAMPLE_CF32

static const Bench benches[] = {
  { "nudft", R, OCT_CS_NUDFT, 0.4, 20, 0, 0, 15, FALSE },
  { "nudft compact", R, OCT_CS_NUDFT, 0.4, 20, 0, 0, 15, TRUE },
  { "nudft estimated", R, OCT_CS_NUDFT, 0.4, 0, 0, 0, 15, FALSE },
  { "nudft 1 step", R, OCT_CS_NUDFT, 0.4, 20, 0, 0, 1, FALSE },
  { "nudft all samples", R, OCT_CS_NUDFT, 1, 20, 0, 0, 15, FALSE },
  { "nudft complex", C, OCT_CS_NUDFT, 0.4, 20, 0, 0, 15, FALSE },
  { "nufft 1.25 width 6", R, OCT_CS_NUFFT, 0.4, 20, 1.25, 6, 15, FALSE },
  { "nufft 2 width 3", R, OCT_CS_NUFFT, 0.4, 20, 2, 3, 15, FALSE },
  { "nufft 2 width 3 complex", C, OCT_CS_NUFFT, 0.4, 20, 2, 3, 15, FALSE },
  { "fft", R, OCT_CS_FFT, 0.4, 20, 0, 0, 15, FALSE },
  { "persistent 8", R, OCT_CS_NUDFT, 0.4, 0, 0, 0, 8, FALSE,
      OCT_CS_PERSISTENT },
  { "persistent 6", R, OCT_CS_NUDFT, 0.4, 0, 0, 0, 6, FALSE,
      OCT_CS_PERSISTENT },
  { "persistent 8 complex", C, OCT_CS_NUDFT, 0.4, 0, 0, 0, 8, FALSE,
      OCT_CS_PERSISTENT },
  { "continued 8", R, OCT_CS_NUDFT, 0.4, 20, 0, 0, 8, FALSE, OCT_CS_CONTINUED },
  { "continued 8 estimated", R, OCT_CS_NUDFT, 0.4, 0, 0, 0, 8, FALSE,
      OCT_CS_CONTINUED },
  { "persistent 8, counts", R, OCT_CS_NUDFT, 0.4, 0, 0, 0, 8, FALSE,
      OCT_CS_PERSISTENT, TRUE },
  { "continued 8 estimated, counts", R, OCT_CS_NUDFT, 0.4, 0, 0, 0, 8, FALSE,
      OCT_CS_CONTINUED, TRUE },
};

static int
compare_times (gconstpointer a, gconstpointer b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

typedef struct {
  guint8 *in[BUFFERS], *out[BUFFERS];
  gsize in_stride, out_stride;
  guint8 *sums; /* of all counts of a sample; and who removes them, or NULL */
  OctSequence *sequence;
} Buffers;

/* Counts in place of the floats that were uploaded. */
static void
use_counts (
    const Check *check, const OctCsParams *p, const float *all, Buffers *b)
{
  gsize count = (gsize)p->samples * p->lines;
  g_autofree guint16 *counts = g_new (guint16, count);
  g_autofree guint32 *sums = g_new (guint32, p->samples);
  OctBackgroundParams background = { .format = OCT_SAMPLE_U16,
    .samples = p->samples,
    .lines = p->lines,
    .mode = OCT_BACKGROUND_BSCAN,
    .found = TRUE };
  GError *error = NULL;
  OctStep *step = oct_step_new (OCT_OPERATION_BACKGROUND, &background, &error);
  guint failed;

  g_assert_no_error (error);
  for (gsize i = 0; i < count; i++)
    counts[i] = (guint16)(BRIGHTNESS + all[i]);
  for (guint i = 0; i < p->samples; i++)
    sums[i] = BRIGHTNESS * p->lines;
  b->in_stride = p->samples * sizeof (guint16);
  check_cuda (
      cudaMalloc ((void **)&b->sums, OCT_MEAN_SIZE (p->samples, p->lines)),
      "memory");
  check_cuda (cudaMemcpy (b->sums, sums, p->samples * sizeof *sums,
                  cudaMemcpyHostToDevice),
      "upload");
  for (guint i = 0; i < BUFFERS; i++)
    check_cuda (cudaMemcpy (b->in[i], counts, count * sizeof *counts,
                    cudaMemcpyHostToDevice),
        "upload");
  b->sequence = oct_sequence_new (
      check->cuda, &step, 1, 1, OCT_OPERATION_CS, &failed, &error);
  g_assert_no_error (error);
  oct_step_unref (step);
}

static void
new_buffers (const Check *check, const Bench *bench, const OctCsParams *p,
    const double *axis, const guint32 *kept, Buffers *b)
{
  gboolean is_complex = p->format == OCT_SAMPLE_CF32;
  guint parts = is_complex ? 2 : 1;
  g_autofree float *row = g_new (float, 2 * (gsize)p->samples);
  g_autofree float *all = g_new (float, parts *(gsize)p->columns * p->lines);
  GRand *random = g_rand_new_with_seed (1);
  guint different = MIN (p->lines, 64); /* A-lines */

  for (guint line = 0; line < p->lines; line++) {
    float *to = all + (gsize)line * parts * p->columns;
    if (line >= different) {
      memcpy (to, to - (gsize)different * parts * p->columns,
          parts * p->columns * sizeof (float));
      continue;
    }
    check_cs_row (axis, p->samples, is_complex, 20, random, row);
    for (guint i = 0; i < p->columns; i++)
      for (guint k = 0; k < parts; k++)
        to[parts * i + k] =
            row[parts * (p->columns < p->samples ? kept[i] : i) + k];
  }
  g_rand_free (random);
  b->in_stride = parts * p->columns * sizeof (float);
  b->out_stride = p->depth_bins * 2 * sizeof (float);
  for (guint i = 0; i < BUFFERS; i++) {
    check_cuda (
        cudaMalloc ((void **)&b->in[i], b->in_stride * p->lines), "memory");
    check_cuda (
        cudaMalloc ((void **)&b->out[i], b->out_stride * p->lines), "memory");
    check_cuda (cudaMemcpy (b->in[i], all, b->in_stride * p->lines,
                    cudaMemcpyHostToDevice),
        "upload");
  }
  b->sums = NULL;
  b->sequence = NULL;
  if (bench->counts)
    use_counts (check, p, all, b);
}

static void
run_plan (const Check *check, OctPlan *plan, const Buffers *b, guint i)
{
  OctFrame in = { { { b->in[i % BUFFERS], b->in_stride }, { b->sums, 0 } } };
  OctFrame out = { { { b->out[i % BUFFERS], b->out_stride } } };
  GError *error = NULL;
  guint failed;

  if (b->sequence != NULL ? oct_sequence_run (
          b->sequence, &in, plan, &out, check->stream, &failed, &error)
                          : check->cuda->operations[OCT_OPERATION_CS]->run (
                              plan, &in, &out, check->stream, &error))
    return;
  printf ("%s\n", error->message);
  exit (1);
}

/* Median seconds of a B-scan of `runs` in a row. */
static double
time_plan (const Check *check, OctPlan *plan, const Buffers *b, guint runs)
{
  float times[REPEATS];
  cudaEvent_t start, end;

  check_cuda (cudaEventCreate (&start), "event");
  check_cuda (cudaEventCreate (&end), "event");
  for (gint r = -2; r < REPEATS; r++) {
    check_cuda (cudaEventRecord (start, check->stream), "event");
    for (guint i = 0; i < runs; i++)
      run_plan (check, plan, b, i);
    check_cuda (cudaEventRecord (end, check->stream), "event");
    check_cuda (cudaEventSynchronize (end), "bench");
    if (r >= 0)
      check_cuda (cudaEventElapsedTime (&times[r], start, end), "event");
  }
  qsort (times, REPEATS, sizeof (times[0]), compare_times);
  cudaEventDestroy (start);
  cudaEventDestroy (end);
  return times[REPEATS / 2] * 1e-3 / runs;
}

static void
bench_one (const Check *check, const Bench *bench, guint samples, guint lines)
{
  const OctOperationTable *table = check->cuda->operations[OCT_OPERATION_CS];
  g_autofree double *axis = g_new (double, samples);
  g_autofree double *nodes = g_new (double, samples);
  g_autofree double *window = g_new (double, samples);
  g_autofree guint32 *kept = g_new (guint32, samples);
  g_autofree guint32 *column = g_new (guint32, samples);
  guint count = check_cs_mask (samples, bench->rate, 7, kept);
  OctCsParams p = { .format = bench->format,
    .samples = samples,
    .lines = lines,
    .columns = bench->compact ? count : samples,
    .kept = count,
    .column = column,
    .nodes = nodes,
    .window = window,
    .transform = bench->transform,
    .grid = oct_nufft_grid_length (
        samples, bench->oversampling > 0 ? bench->oversampling : 2),
    .width = bench->width > 0 ? bench->width : 6,
    .solver = bench->solver,
    .iterations = bench->iterations,
    .tau = 3,
    .noise = bench->noise,
    .depth_bins = samples / 2 };
  Buffers buffers;
  GError *error = NULL;
  OctPlan *plan;
  double many, one;

  check_cs_nodes (
      bench->transform == OCT_CS_FFT ? CS_NODES_UNIFORM : CS_NODES_SPECTROMETER,
      samples, axis);
  for (guint i = 0; i < count; i++) {
    column[i] = bench->compact ? i : kept[i];
    nodes[i] = axis[kept[i]];
    window[i] = 1;
  }
  plan = table->create (&p, &error);
  if (plan == NULL) {
    printf ("%s: %s\n", bench->name, error->message);
    g_clear_error (&error);
    return;
  }
  new_buffers (check, bench, &p, axis, kept, &buffers);
  many = time_plan (check, plan, &buffers, RUNS);
  one = time_plan (check, plan, &buffers, 1);
  printf ("cs %-28s %6u x %5u %9.2f us, alone %9.2f us %8.3f M A-lines/s\n",
      bench->name, samples, lines, many * 1e6, one * 1e6, lines / many * 1e-6);
  fflush (stdout);
  table->destroy (plan);
  if (buffers.sequence != NULL)
    oct_sequence_free (buffers.sequence);
  cudaFree (buffers.sums);
  for (guint i = 0; i < BUFFERS; i++) {
    cudaFree (buffers.in[i]);
    cudaFree (buffers.out[i]);
  }
}

void
bench_cs (Check *check, guint samples, guint lines)
{
  static const guint sizes[][2] = { { 512, 1000 }, { 1024, 1000 },
    { 4096, 1000 }, { 2048, 16000 }, { 2048, 250 }, { 1500, 1000 },
    { 8192, 200 } };

  printf ("\ncompressive sensing, 40 %% of the samples, SpaRSA with 15 "
          "steps where nothing else is said\n");
  for (guint i = 0; i < G_N_ELEMENTS (benches); i++)
    if (!check->reduced || i == 0)
      bench_one (check, &benches[i], samples, lines);
  for (guint i = 0; !check->reduced && i < G_N_ELEMENTS (sizes); i++)
    bench_one (check, &benches[0], sizes[i][0], sizes[i][1]);
}
