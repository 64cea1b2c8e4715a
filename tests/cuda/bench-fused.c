/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of the chain on data in device memory: its operations one by one, in
 * one pass, and as a graph of CUDA, which shows what the device does if the
 * host does not matter.
 */
#include "fused-case.h"

#include <stdio.h>
#include <stdlib.h>

#define BUFFERS 3
#define RUNS 60 /* B-scans between two events; graphs begin and end in turn */
#define REPEATS 15

typedef struct {
  const Check *check;
  const char *name;
  guint samples, lines;
  FusedSteps steps;
  OctPlan *single[OCT_N_OPERATIONS]; /* one by one */
  OctPlan *mean, *logscale, *pass;
  gpointer raw[BUFFERS], found[BUFFERS], image[BUFFERS];
  gpointer real, turned, ascans;
  cudaStream_t stream;
} Bench;

/* Queues B-scan `turn`. */
typedef void (*Run) (Bench *bench, guint turn);

/* While a graph is made: what cannot be part of one ends that, and no more. */
static gboolean capturing = FALSE, is_capturable;

static void
check_run (gboolean done, const GError *error)
{
  if (done)
    return;
  if (capturing) {
    is_capturable = FALSE;
    return;
  }
  printf ("Bail out! %s\n", error->message);
  exit (1);
}

/* ------------------------------------------------------------------- data */

static void
fill_raw (Bench *bench)
{
  gsize values = (gsize)bench->samples * bench->lines;
  g_autofree guint16 *raw = g_new (guint16, values);
  GRand *random = g_rand_new_with_seed (1);

  for (guint b = 0; b < BUFFERS; b++) {
    Case rows = { .in = { 2 * bench->samples, bench->lines, 0 },
      .in_format = OCT_SAMPLE_U16,
      .fill = FILL_FRINGES };
    check_fill (&rows, (guint8 *)raw, random);
    check_cuda (cudaMalloc (&bench->raw[b], values * 2), "memory");
    check_cuda (
        cudaMemcpy (bench->raw[b], raw, values * 2, cudaMemcpyHostToDevice),
        "upload");
    check_cuda (cudaMalloc (&bench->found[b],
                    OCT_MEAN_SIZE (bench->samples, bench->lines)),
        "memory");
    check_cuda (cudaMalloc (&bench->image[b], values / 2), "memory");
  }
  check_cuda (cudaMalloc (&bench->real, values * 4), "memory");
  check_cuda (cudaMalloc (&bench->turned, values * 8), "memory");
  check_cuda (cudaMalloc (&bench->ascans, values * 4), "memory");
  g_rand_free (random);
}

static OctPlan *
new_plan (const Bench *bench, OctOperation operation, gconstpointer params)
{
  GError *error = NULL;
  OctPlan *plan =
      bench->check->cuda->operations[operation]->create (params, &error);

  check_run (plan != NULL, error);
  return plan;
}

static void
open_bench (Bench *bench, const FusedCase *test)
{
  const FusedSteps *steps = &bench->steps;

  fused_steps_init (&bench->steps, test, 1);
  fill_raw (bench);
  bench->single[OCT_OPERATION_BACKGROUND] =
      new_plan (bench, OCT_OPERATION_BACKGROUND, &steps->background);
  if (test->method != RESAMPLE_ABSENT)
    bench->single[OCT_OPERATION_RESAMPLE] =
        new_plan (bench, OCT_OPERATION_RESAMPLE, &steps->resample);
  if (test->dispersion)
    bench->single[OCT_OPERATION_DISPERSION] =
        new_plan (bench, OCT_OPERATION_DISPERSION, &steps->dispersion);
  if (test->oversampling > 0)
    bench->single[OCT_OPERATION_NUFFT] =
        new_plan (bench, OCT_OPERATION_NUFFT, &steps->nufft);
  else
    bench->single[OCT_OPERATION_FFT] =
        new_plan (bench, OCT_OPERATION_FFT, &steps->fft);
  bench->single[OCT_OPERATION_LOGSCALE] =
      new_plan (bench, OCT_OPERATION_LOGSCALE, &steps->logscale);
  bench->mean = new_plan (bench, OCT_OPERATION_MEAN, &steps->background);
  bench->logscale = new_plan (bench, OCT_OPERATION_LOGSCALE, &steps->logscale);
  bench->pass =
      bench->check->cuda->fused->create ((const OctStep *const *)steps->steps,
          steps->n, 1, OCT_OPERATION_LOGSCALE);
  check_run (bench->pass != NULL, &(GError){ 0, 0, "there is no pass" });
  check_cuda (cudaStreamCreateWithFlags (&bench->stream, cudaStreamNonBlocking),
      "stream");
}

static void
close_bench (Bench *bench)
{
  const OctBackend *cuda = bench->check->cuda;

  for (guint i = 0; i < OCT_N_OPERATIONS; i++)
    if (bench->single[i] != NULL)
      cuda->operations[i]->destroy (bench->single[i]);
  cuda->operations[OCT_OPERATION_MEAN]->destroy (bench->mean);
  cuda->operations[OCT_OPERATION_LOGSCALE]->destroy (bench->logscale);
  cuda->fused->destroy (bench->pass);
  for (guint i = 0; i < BUFFERS; i++) {
    cudaFree (bench->raw[i]);
    cudaFree (bench->found[i]);
    cudaFree (bench->image[i]);
  }
  cudaFree (bench->real);
  cudaFree (bench->turned);
  cudaFree (bench->ascans);
  cudaStreamDestroy (bench->stream);
  fused_steps_clear (&bench->steps);
}

/* ------------------------------------------------------------------- runs */

static void
run_operation (const Bench *bench, OctOperation operation, OctPlan *plan,
    const OctFrame *in, const OctFrame *out, cudaStream_t stream)
{
  GError *error = NULL;

  check_run (bench->check->cuda->operations[operation]->run (
                 plan, in, out, stream, &error),
      error);
}

static OctFrame
raw_frame (const Bench *bench, guint b)
{
  return (OctFrame){ { { bench->raw[b], 2 * bench->samples },
      { bench->found[b], 0 } } };
}

static OctFrame
image_frame (const Bench *bench, guint b)
{
  return (OctFrame){ { { bench->image[b], bench->lines } } };
}

/* The output frame of an operation on B-scan b. */
static OctFrame
frame_behind (const Bench *bench, OctOperation operation, guint b)
{
  guint n = bench->samples;

  switch (operation) {
  case OCT_OPERATION_BACKGROUND:
  case OCT_OPERATION_RESAMPLE:
    return (OctFrame){ { { bench->real, 4 * n } } };
  case OCT_OPERATION_DISPERSION:
    return (OctFrame){ { { bench->turned, 8 * n } } };
  case OCT_OPERATION_LOGSCALE:
    return image_frame (bench, b);
  default:
    return (OctFrame){ { { bench->ascans, 4 * n } } };
  }
}

static void
run_single (Bench *bench, guint turn)
{
  static const OctOperation operations[] = { OCT_OPERATION_BACKGROUND,
    OCT_OPERATION_RESAMPLE, OCT_OPERATION_DISPERSION, OCT_OPERATION_FFT,
    OCT_OPERATION_NUFFT, OCT_OPERATION_LOGSCALE };
  guint b = turn % BUFFERS;
  OctFrame from = raw_frame (bench, b);

  for (guint i = 0; i < G_N_ELEMENTS (operations); i++) {
    OctPlan *plan = bench->single[operations[i]];
    OctFrame to = frame_behind (bench, operations[i], b);

    if (plan == NULL)
      continue;
    run_operation (bench, operations[i], plan, &from, &to, bench->stream);
    from = to;
  }
}

static void
find_mean (Bench *bench, guint b, cudaStream_t stream)
{
  OctFrame in = raw_frame (bench, b);
  OctFrame out = {
    { { bench->found[b], OCT_MEAN_SIZE (bench->samples, bench->lines) } }
  };

  run_operation (bench, OCT_OPERATION_MEAN, bench->mean, &in, &out, stream);
}

static void
run_mean (Bench *bench, guint turn)
{
  find_mean (bench, turn % BUFFERS, bench->stream);
}

static void
run_fused (Bench *bench, guint turn)
{
  guint b = turn % BUFFERS;
  OctFrame in = raw_frame (bench, b), out = image_frame (bench, b);
  GError *error = NULL;

  find_mean (bench, b, bench->stream);
  check_run (bench->check->cuda->fused->run (bench->pass, &in, bench->logscale,
                 &out, bench->stream, &error),
      error);
}

static void
check_call (cudaError_t status, const char *what)
{
  if (!capturing)
    check_cuda (status, what);
  else if (status != cudaSuccess)
    is_capturable = FALSE;
}

/* ----------------------------------------------------------------- timing */

static int
compare_times (gconstpointer a, gconstpointer b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Median time of `run` or `graph`; host: its calls alone. */
static void
report (Bench *bench, const char *name, Run run, cudaGraphExec_t graph)
{
  float times[REPEATS], seconds;
  double host = 1;
  cudaEvent_t start, end;

  check_cuda (cudaEventCreate (&start), "event");
  check_cuda (cudaEventCreate (&end), "event");
  for (gint r = -2; r < REPEATS; r++) {
    gint64 before = g_get_monotonic_time ();

    check_cuda (cudaEventRecord (start, bench->stream), "event");
    if (graph != NULL)
      check_cuda (cudaGraphLaunch (graph, bench->stream), "graph");
    for (guint i = 0; graph == NULL && i < RUNS; i++)
      run (bench, i);
    host = MIN (host, (double)(g_get_monotonic_time () - before) / RUNS);
    check_cuda (cudaEventRecord (end, bench->stream), "event");
    check_cuda (cudaDeviceSynchronize (), "bench");
    if (r >= 0)
      check_cuda (cudaEventElapsedTime (&times[r], start, end), "event");
    if (r == -2)
      host = 1e6;
  }
  qsort (times, REPEATS, sizeof (times[0]), compare_times);
  seconds = times[REPEATS / 2] * 1e-3f / RUNS;
  printf ("%-34s %8.2f us %8.2f us host %8.2f M A-lines/s\n", name,
      seconds * 1e6, host, bench->lines / seconds * 1e-6);
  cudaEventDestroy (start);
  cudaEventDestroy (end);
}

/* RUNS B-scans as a graph, or NULL where that cannot be. */
static cudaGraph_t
capture (Bench *bench)
{
  cudaGraph_t graph = NULL;

  capturing = is_capturable = TRUE;
  check_call (
      cudaStreamBeginCapture (bench->stream, cudaStreamCaptureModeThreadLocal),
      "capture");
  for (guint i = 0; i < RUNS && is_capturable; i++)
    run_fused (bench, i);
  check_call (cudaStreamEndCapture (bench->stream, &graph), "capture");
  capturing = FALSE;
  cudaGetLastError ();
  return is_capturable ? graph : NULL;
}

static void
report_graph (Bench *bench, const char *name)
{
  cudaGraph_t graph = capture (bench);
  cudaGraphExec_t exec;

  if (graph == NULL || cudaGraphInstantiate (&exec, graph, 0) != cudaSuccess) {
    printf ("%-34s cannot be a graph: %s\n", name,
        cudaGetErrorString (cudaGetLastError ()));
    return;
  }
  report (bench, name, NULL, exec);
  cudaGraphExecDestroy (exec);
  cudaGraphDestroy (graph);
}

static void
bench_case (const Check *check, const char *name, const FusedCase *test)
{
  Bench bench = {
    .check = check, .samples = test->samples, .lines = test->lines
  };

  printf ("\n%s: %u samples x %u A-lines\n", name, test->samples, test->lines);
  open_bench (&bench, test);
  /* all memory and all tables are there */
  for (guint i = 0; i < 2 * BUFFERS; i++) {
    run_single (&bench, i);
    run_fused (&bench, i);
  }
  check_cuda (cudaDeviceSynchronize (), "bench");
  report (&bench, "one by one", run_single, NULL);
  report (&bench, "one pass", run_fused, NULL);
  report (&bench, "  mean alone", run_mean, NULL);
  report_graph (&bench, "one pass, graph");
  close_bench (&bench);
}

/* Grids that lose less than a thousandth; the first is the default. */
static void
bench_nufft (const Check *check)
{
  static const struct {
    guint lines, width;
    double oversampling;
    gboolean dispersion;
    const char *name;
  } cases[] = { { 1000, 6, 1.25, FALSE, "nufft 1.25, 6, real spectra" },
    { 16000, 6, 1.25, FALSE, "nufft 1.25, 6, real spectra" },
    { 256, 6, 1.25, FALSE, "nufft 1.25, 6, real spectra" },
    { 1000, 5, 1.5, FALSE, "nufft 1.5, 5, real spectra" },
    { 1000, 4, 2, FALSE, "nufft 2, 4, real spectra" },
    { 16000, 4, 2, FALSE, "nufft 2, 4, real spectra" },
    { 1000, 6, 1.25, TRUE, "nufft 1.25, 6, dispersion" },
    { 16000, 6, 1.25, TRUE, "nufft 1.25, 6, dispersion" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    FusedCase test = { .samples = 2048,
      .lines = cases[i].lines,
      .format = OCT_SAMPLE_U16,
      .method = RESAMPLE_ABSENT,
      .oversampling = cases[i].oversampling,
      .width = cases[i].width,
      .dispersion = cases[i].dispersion,
      .image = TRUE };

    bench_case (check, cases[i].name, &test);
  }
}

void
bench_fused (Check *check)
{
  static const struct {
    guint samples, lines;
  } sizes[] = { { 2048, 1000 }, { 2048, 16000 }, { 2048, 256 }, { 1024, 512 },
    { 1024, 256 }, { 2048, 64 } };
  FusedCase test = {
    .format = OCT_SAMPLE_U16, .dispersion = TRUE, .image = TRUE
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    test.samples = sizes[i].samples;
    test.lines = sizes[i].lines;
    test.logscale.range = OCT_RANGE_AUTO;
    bench_case (check, "cubic, dispersion, automatic range", &test);
    if (check->reduced)
      return;
    test.logscale.range = OCT_RANGE_CONTRAST;
    if (i < 4)
      bench_case (check, "contrast range", &test);
  }
  test = (FusedCase){
    .samples = 2048, .lines = 1000, .format = OCT_SAMPLE_U16, .image = TRUE
  };
  bench_case (check, "cubic, real spectra", &test);
  test.method = OCT_RESAMPLE_LINEAR;
  bench_case (check, "linear, real spectra", &test);
  test.method = OCT_RESAMPLE_LANCZOS;
  bench_case (check, "lanczos, real spectra", &test);
  test.method = OCT_RESAMPLE_CUBIC;
  for (guint mode = 1; mode < OCT_N_BACKGROUND_MODES; mode++) {
    g_autofree char *name =
        g_strdup_printf ("background %s", oct_background_modes[mode].nick);

    test.remove = mode;
    if (fused_case_finds (&test)) /* what is found apart from the pass */
      bench_case (check, name, &test);
  }
  bench_nufft (check);
}
