/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of the operations on data in device memory, one B-scan at a time, next
 * to a copy from device to device as the upper limit.
 *
 * Every stage has several buffers that are used in turn, as in a pipeline.
 */
#include "check.h"
#include "oct-nufft.h"
#include "oct-window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS 3 /* at most */
#define MAX_STAGES 8
#define RUNS 60 /* B-scans between two events */
#define REPEATS 15

typedef struct {
  const char *name;
  const OctOperationTable *table;
  OctPlan *plan;
  gsize in_row, out_row; /* bytes */
  double bytes;          /* read and written at least */
  gboolean is_first;     /* reads raw spectra */
  gpointer in[BUFFERS], out[BUFFERS];
} Stage;

typedef struct {
  guint samples, lines, upsample;
  OctSampleFormat raw;
  OctResampleMethod method;
  gboolean dispersion;
  OctRange range;
  OctImageFormat image;
  guint buffers; /* of every kind but the raw spectra, used in turn */
  OctBackgroundMode mode;
} Setup;

static void
new_buffers (gpointer *buffers, gsize bytes)
{
  for (guint i = 0; i < BUFFERS; i++)
    check_cuda (cudaMalloc (&buffers[i], bytes), "memory");
}

static void
fill_raw (const Setup *setup, gpointer *buffers)
{
  gsize values = (gsize)setup->samples * setup->lines;
  g_autofree guint16 *raw = g_new (guint16, values);
  GRand *random = g_rand_new_with_seed (1);

  for (guint b = 0; b < BUFFERS; b++) {
    for (guint line = 0; line < setup->lines; line++) {
      double phase = g_rand_double (random) * 2 * G_PI;
      for (guint i = 0; i < setup->samples; i++) {
        double x = (double)i / setup->samples;
        double source = 30000 * exp (-8 * (x - 0.5) * (x - 0.5));
        double fringe = 0.2 * cos (900 * x + phase) + 0.02 * cos (2500 * x);
        raw[(gsize)line * setup->samples + i] =
            (guint16)(source * (1 + fringe) + 40 * g_rand_double (random));
      }
    }
    check_cuda (
        cudaMemcpy (buffers[b], raw, values * 2, cudaMemcpyHostToDevice),
        "upload");
  }
  g_rand_free (random);
}

static void
add_stage (const Check *check, Stage *stages, guint *count,
    OctOperation operation, gconstpointer params, gsize in_row, gsize out_row,
    guint out_rows, double bytes)
{
  Stage *stage = &stages[*count];
  GError *error = NULL;

  stage->table = check->cuda->operations[operation];
  stage->name = oct_operation_get_name (operation);
  stage->plan = stage->table->create (params, &error);
  if (stage->plan == NULL) {
    printf ("%s: %s\n", stage->name, error->message);
    exit (1);
  }
  stage->in_row = in_row;
  stage->out_row = out_row;
  stage->bytes = bytes;
  stage->is_first = *count == 0;
  if (*count > 0)
    memcpy (stage->in, stages[*count - 1].out, sizeof (stage->in));
  new_buffers (stage->out, out_row * out_rows);
  (*count)++;
}

static guint
make_chain (const Check *check, const Setup *setup, Stage *stages)
{
  guint n = setup->samples, l = setup->lines, depth = n / 2, count = 0;
  double values = (double)n * l;
  gsize pixel = setup->image == OCT_IMAGE_GRAY16 ? 2
                : setup->image == OCT_IMAGE_RGBA ? 4
                                                 : 1;
  g_autofree double *positions = g_new (double, n);
  g_autofree double *phase = g_new (double, n);
  g_autofree double *window = g_new (double, n);
  g_autofree double *stored = g_new (double, n);
  OctSampleFormat format = setup->dispersion ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32;
  gsize spectrum = oct_sample_format_size (format);
  OctBackgroundParams background = { .format = OCT_SAMPLE_U16,
    .samples = n,
    .lines = l,
    .mode = setup->mode,
    .running_weight = 0.1,
    .high_pass_lines = 31,
    .background = stored };
  OctResampleParams resample = { n, l, setup->method, setup->upsample,
    positions };
  OctDispersionParams dispersion = { n, l, phase };
  OctFftParams fft = { format, n, l, n, 0, depth, window };
  OctLogscaleParams logscale = { .depth_bins = depth,
    .lines = l,
    .format = setup->image,
    .range = setup->range,
    .min = -20,
    .max = 60 };

  for (guint i = 0; i < n; i++) {
    double x = n > 1 ? (double)i / (n - 1) : 0;
    positions[i] = (n - 1) * x * (1 + 0.12 * (1 - x));
    phase[i] = 40 * (x - 0.5) * (x - 0.5);
    stored[i] = 2000;
  }
  oct_window_fill (OCT_WINDOW_HANN, n, NULL, window);
  new_buffers (stages[0].in, (gsize)n * l * 2);
  fill_raw (setup, stages[0].in);
  add_stage (check, stages, &count, OCT_OPERATION_BACKGROUND, &background,
      n * 2, n * 4, l, values * (2 + 4));
  add_stage (check, stages, &count, OCT_OPERATION_RESAMPLE, &resample, n * 4,
      n * 4, l, values * 8);
  if (setup->dispersion)
    add_stage (check, stages, &count, OCT_OPERATION_DISPERSION, &dispersion,
        n * 4, n * 8, l, values * 12);
  add_stage (check, stages, &count, OCT_OPERATION_FFT, &fft, n * spectrum,
      (gsize)depth * 8, l, values * (double)spectrum + (double)depth * l * 8);
  add_stage (check, stages, &count, OCT_OPERATION_LOGSCALE, &logscale,
      (gsize)depth * 8, l * pixel, depth + (depth + 1) / 2,
      (double)depth * l
          * ((setup->range == OCT_RANGE_MANUAL ? 8 : 16) + (double)pixel));
  return count;
}

static void
run_stages (
    const Check *check, const Setup *setup, Stage *stages, guint count, guint b)
{
  GError *error = NULL;

  for (guint s = 0; s < count; s++) {
    guint from = stages[s].is_first ? b : b % setup->buffers;
    guint to = b % setup->buffers;
    OctFrame in = { { { stages[s].in[from], stages[s].in_row } } };
    OctFrame out = { { { stages[s].out[to], stages[s].out_row } } };
    out.planes[1] = out.planes[0];
    out.planes[1].data =
        (guint8 *)out.planes[0].data + stages[s].out_row * setup->samples / 2;
    if (!stages[s].table->run (
            stages[s].plan, &in, &out, check->stream, &error)) {
      printf ("%s: %s\n", stages[s].name, error->message);
      exit (1);
    }
  }
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Median seconds of one B-scan; *host: seconds of the calls alone. */
static double
time_stages (const Check *check, const Setup *setup, Stage *stages, guint count,
    double *host)
{
  float times[REPEATS];
  cudaEvent_t start, end;
  gint64 before;

  check_cuda (cudaEventCreate (&start), "event");
  check_cuda (cudaEventCreate (&end), "event");
  *host = 1;
  for (gint r = -2; r < REPEATS; r++) {
    check_cuda (cudaEventRecord (start, check->stream), "event");
    before = g_get_monotonic_time ();
    for (guint i = 0; i < RUNS; i++)
      run_stages (check, setup, stages, count, i % BUFFERS);
    *host =
        MIN (*host, (double)(g_get_monotonic_time () - before) * 1e-6 / RUNS);
    check_cuda (cudaEventRecord (end, check->stream), "event");
    check_cuda (cudaEventSynchronize (end), "bench");
    if (r >= 0)
      check_cuda (cudaEventElapsedTime (&times[r], start, end), "event");
  }
  qsort (times, REPEATS, sizeof (times[0]), compare_times);
  cudaEventDestroy (start);
  cudaEventDestroy (end);
  return times[REPEATS / 2] * 1e-3 / RUNS;
}

static void
report (
    const char *name, double seconds, double host, double bytes, guint lines)
{
  printf ("%-34s %8.2f us %8.2f us host %8.2f M A-lines/s %7.0f GB/s\n", name,
      seconds * 1e6, host * 1e6, lines / seconds * 1e-6,
      bytes / seconds * 1e-9);
}

static void
bench_copy (const Check *check)
{
  const gsize bytes = (gsize)1 << 30;
  gpointer from, to;
  float times[REPEATS];
  cudaEvent_t start, end;

  check_cuda (cudaMalloc (&from, bytes), "memory");
  check_cuda (cudaMalloc (&to, bytes), "memory");
  check_cuda (cudaMemset (from, 37, bytes), "memset");
  check_cuda (cudaEventCreate (&start), "event");
  check_cuda (cudaEventCreate (&end), "event");
  for (gint r = -2; r < REPEATS; r++) {
    check_cuda (cudaEventRecord (start, check->stream), "event");
    check_cuda (cudaMemcpyAsync (
                    to, from, bytes, cudaMemcpyDeviceToDevice, check->stream),
        "copy");
    check_cuda (cudaEventRecord (end, check->stream), "event");
    check_cuda (cudaEventSynchronize (end), "copy");
    if (r >= 0)
      check_cuda (cudaEventElapsedTime (&times[r], start, end), "event");
  }
  qsort (times, REPEATS, sizeof (times[0]), compare_times);
  printf ("copy of 1 GiB on the device, read and written: %.0f GB/s\n",
      2e-6 * (double)bytes / times[REPEATS / 2]);
  cudaFree (from);
  cudaFree (to);
}

static void
clear_stages (Stage *stages, guint count)
{
  for (guint s = 0; s < count; s++) {
    stages[s].table->destroy (stages[s].plan);
    for (guint b = 0; b < BUFFERS; b++) {
      cudaFree (stages[s].out[b]);
      if (s == 0)
        cudaFree (stages[s].in[b]);
    }
  }
}

/* The first operation alone, with all that it can remove. */
static void
bench_backgrounds (const Check *check, const Setup *base)
{
  printf (
      "\nbackgrounds: %u samples x %u A-lines\n", base->samples, base->lines);
  for (guint mode = 0; mode < OCT_N_BACKGROUND_MODES; mode++) {
    Stage stages[MAX_STAGES] = { 0 };
    Setup setup = *base;
    double seconds, host;
    guint count;

    setup.mode = mode;
    count = make_chain (check, &setup, stages);
    run_stages (check, &setup, stages, 1, 0);
    seconds = time_stages (check, &setup, stages, 1, &host);
    report (oct_background_modes[mode].nick, seconds, host, stages[0].bytes,
        setup.lines);
    clear_stages (stages, count);
  }
}

static void
bench_setup (
    const Check *check, const Setup *setup, const char *name, gboolean all)
{
  Stage stages[MAX_STAGES] = { 0 };
  guint count = make_chain (check, setup, stages);
  double bytes = 0, host, seconds;

  printf (
      "\n%s: %u samples x %u A-lines\n", name, setup->samples, setup->lines);
  run_stages (check, setup, stages, count, 0);
  run_stages (check, setup, stages, count, 1);
  run_stages (check, setup, stages, count, 2);
  for (guint s = 0; s < count; s++) {
    bytes += stages[s].bytes;
    if (!all)
      continue;
    seconds = time_stages (check, setup, &stages[s], 1, &host);
    report (stages[s].name, seconds, host, stages[s].bytes, setup->lines);
  }
  seconds = time_stages (check, setup, stages, count, &host);
  report ("chain", seconds, host, bytes, setup->lines);
  clear_stages (stages, count);
}

/* One transform of samples at any positions, on data of a spectrometer. */
typedef struct {
  OctOperation operation;
  OctSampleFormat format;
  double oversampling;
  guint width;
  OctWeights weights;
  gboolean new_nodes; /* before every B-scan */
} Transform;

static const Transform transforms[] = {
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_F32, 1.25, 6, 0, FALSE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_F32, 1.5, 5, 0, FALSE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_F32, 2, 4, 0, FALSE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_F32, 1.3125, 5, 0, FALSE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_CF32, 1.25, 6, 0, FALSE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_CF32, 1.5, 5, 0, FALSE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_CF32, 2, 4, 0, FALSE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_F32, 2, 4, OCT_WEIGHTS_PRECOMPUTED, TRUE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_F32, 2, 4, OCT_WEIGHTS_ON_THE_FLY, TRUE },
  { OCT_OPERATION_NUFFT, OCT_SAMPLE_F32, 1.25, 6, OCT_WEIGHTS_ON_THE_FLY,
      TRUE },
  { OCT_OPERATION_NUDFT, OCT_SAMPLE_F32, 2, 4, 0, FALSE },
  { OCT_OPERATION_NUDFT, OCT_SAMPLE_F32, 2, 4, 0, TRUE },
  { OCT_OPERATION_NUDFT, OCT_SAMPLE_CF32, 2, 4, 0, FALSE },
};

static void
fill_floats (gpointer *buffers, gsize bytes)
{
  g_autofree float *values = g_malloc (bytes);
  GRand *random = g_rand_new_with_seed (2);

  for (gsize i = 0; i < bytes / sizeof (float); i++)
    values[i] = (float)g_rand_double_range (random, -1000, 1000);
  g_rand_free (random);
  for (guint b = 0; b < BUFFERS; b++)
    check_cuda (cudaMemcpy (buffers[b], values, bytes, cudaMemcpyHostToDevice),
        "upload");
}

static void
move_node (Stage *stage, OctNufftParams *params, double *nodes, guint i)
{
  nodes[params->samples / 3] += i % 2 ? 1e-3 : -1e-3;
  if (stage->table->update (stage->plan, params))
    return;
  printf ("%s: no update\n", stage->name);
  exit (1);
}

/* Seconds of update and run together; *host: of the calls alone, *update: of
 * updates alone, while the device has nothing to do. */
static double
time_updates (const Check *check, const Setup *setup, Stage *stage,
    OctNufftParams *params, double *nodes, double *host, double *update)
{
  gint64 before = g_get_monotonic_time ();

  for (guint i = 0; i < RUNS; i++)
    move_node (stage, params, nodes, i);
  *update = (double)(g_get_monotonic_time () - before) * 1e-6 / RUNS;
  for (guint i = 0; i < RUNS + 4; i++) {
    if (i == 4) {
      check_cuda (cudaStreamSynchronize (check->stream), "bench");
      before = g_get_monotonic_time ();
    }
    move_node (stage, params, nodes, i);
    run_stages (check, setup, stage, 1, i % BUFFERS);
  }
  *host = (double)(g_get_monotonic_time () - before) * 1e-6 / RUNS;
  check_cuda (cudaStreamSynchronize (check->stream), "bench");
  return (double)(g_get_monotonic_time () - before) * 1e-6 / RUNS;
}

static void
bench_transform (const Check *check, const Setup *setup, const Transform *t)
{
  guint n = setup->samples, l = setup->lines;
  gsize spectrum = n * oct_sample_format_size (t->format), ascan = n / 2 * 8;
  g_autofree double *nodes = g_new (double, n);
  g_autofree double *window = g_new (double, n);
  g_autofree char *name = NULL;
  OctNufftParams params = { .format = t->format,
    .samples = n,
    .lines = l,
    .depth_bins = n / 2,
    .grid = oct_nufft_grid_length (n, t->oversampling),
    .width = t->width,
    .weights = t->weights,
    .nodes = nodes,
    .window = window };
  Stage stage = { 0 };
  guint count = 0;
  double host, update = 0, seconds;

  for (guint i = 0; i < n; i++) {
    double k = 1 / (725 + 240. * i / (n - 1));
    nodes[i] = (n - 1) * (k - 1 / 965.) / (1 / 725. - 1 / 965.);
  }
  oct_window_fill (OCT_WINDOW_HANN, n, NULL, window);
  new_buffers (stage.in, spectrum * l);
  fill_floats (stage.in, spectrum * l);
  add_stage (check, &stage, &count, t->operation, &params, spectrum, ascan, l,
      (double)l * (double)(ascan + spectrum));
  run_stages (check, setup, &stage, 1, 0);
  seconds = t->new_nodes ? time_updates (
                check, setup, &stage, &params, nodes, &host, &update)
                         : time_stages (check, setup, &stage, 1, &host);
  name = g_strdup_printf ("%s %s grid %u width %u", stage.name,
      t->format == OCT_SAMPLE_CF32 ? "complex" : "real", params.grid, t->width);
  report (name, seconds, host, stage.bytes, l);
  if (t->new_nodes)
    printf ("  with new nodes every time, weights %s, update %.2f us host\n",
        t->weights ? "on-the-fly" : "precomputed", update * 1e6);
  stage.table->destroy (stage.plan);
  for (guint b = 0; b < BUFFERS; b++) {
    cudaFree (stage.in[b]);
    cudaFree (stage.out[b]);
  }
}

static void
bench_transforms (const Check *check, guint samples, guint lines)
{
  Setup setup = { .samples = samples, .lines = lines, .buffers = BUFFERS };

  printf ("\ntransforms at any positions: %u samples x %u A-lines\n", samples,
      lines);
  for (guint i = 0; i < G_N_ELEMENTS (transforms); i++)
    if (check->filter == NULL
        || strcmp (
               oct_operation_get_name (transforms[i].operation), check->filter)
               == 0)
      bench_transform (check, &setup, &transforms[i]);
}

void
bench (Check *check, guint samples, guint lines)
{
  Setup setup = { samples, lines, 1, OCT_SAMPLE_U16, OCT_RESAMPLE_CUBIC, TRUE,
    OCT_RANGE_AUTO, OCT_IMAGE_GRAY8, BUFFERS };
  Setup other;

  if (check->filter != NULL) {
    bench_transforms (check, samples, lines);
    return;
  }
  bench_copy (check);
  bench_setup (check, &setup, "cubic, dispersion, automatic range", TRUE);
  if (check->reduced)
    return;
  other = setup;
  other.range = OCT_RANGE_CONTRAST;
  bench_setup (check, &other, "contrast range, the default", TRUE);
  other = setup;
  other.buffers = 1;
  bench_setup (check, &other, "one buffer of every kind", TRUE);
  other = setup;
  other.dispersion = FALSE;
  bench_setup (check, &other, "real spectra", TRUE);
  other = setup;
  other.range = OCT_RANGE_MANUAL;
  other.image = OCT_IMAGE_NV12;
  other.method = OCT_RESAMPLE_LINEAR;
  bench_setup (check, &other, "linear, manual range, NV12", TRUE);
  other.method = OCT_RESAMPLE_LANCZOS;
  other.range = OCT_RANGE_CONTRAST;
  bench_setup (check, &other, "lanczos, contrast range, NV12", TRUE);
  other = setup;
  other.upsample = 2;
  bench_setup (check, &other, "cubic after upsampling", TRUE);
  other = setup;
  other.samples = samples - samples / 8;
  bench_setup (check, &other, "a length for cuFFT", TRUE);
  other = setup;
  other.lines = lines * 16;
  bench_setup (check, &other, "16 B-scans in one", TRUE);
  other.lines = MAX (lines / 4, 1);
  bench_setup (check, &other, "a quarter of a B-scan", FALSE);
  bench_setup (check, &setup, "the first again", FALSE);
  bench_backgrounds (check, &setup);
  bench_transforms (check, samples, lines);
  bench_transforms (check, samples, lines * 16);
}
