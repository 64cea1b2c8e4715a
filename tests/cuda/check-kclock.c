/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Swept sources with a k-clock: cases, and their speed.
 */
#include "check.h"
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Relative to the amplitude of a fringe: places in float32, and against the reference
 * the table of kernels, the steps of FIT and the phases of FULL. */
#define KCLOCK_ROUNDING 2e-4
#define KCLOCK_REFERENCE 5e-3

static const struct {
  guint samples, lines;
} sizes[] = { { 300, 40 }, { 128, 1 }, { 131, 7 }, { 257, 33 }, { 1536, 300 },
  { 2048, 1000 }, { 4096, 65 }, { 32768, 3 } };

static void
check_one_kclock (Check *check, OctKclockParams params, guint kind)
{
  guint size = (guint)oct_sample_format_size (params.format);
  OctKclockParams update = params;
  Case test = { .operation = OCT_OPERATION_KCLOCK,
    .params = &params,
    .in = { size * 2 * params.samples, params.lines, kind % 3 * size },
    .out = { 4 * params.samples, params.lines, kind % 2 * 8 },
    .in_format = params.format,
    .fill = FILL_SWEEPS,
    .steps = 5,
    .update = &update,
    .reset = kind % 2 };
  double full = params.format == OCT_SAMPLE_U8    ? 60
                : params.format == OCT_SAMPLE_U16 ? 15000
                                                  : 1;

  /* larger cases take the reference too long; of one A-line a parabola of its
   * noise more or less is all the difference there is */
  if (check->reference != NULL
      && (params.samples * params.lines > 20000 || params.lines == 1))
    return;
  update.method = OCT_KCLOCK_STATIC;
  update.delay = 2.25;
  test.rounding =
      (check->reference != NULL ? KCLOCK_REFERENCE : KCLOCK_ROUNDING) * full
      * sqrt (0.5 * params.samples * params.lines);
  test.name = g_strdup_printf ("kclock method %d, average %u, jitter up to %g, "
                               "%u bytes, %u x %u",
      params.method, params.average, params.max_jitter, size, params.samples,
      params.lines);
  check_case (check, &test);
}

void
check_kclock (Check *check)
{
  static const guint averages[] = { 256, 7, 30, 1024 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 12; kind++) {
      OctKclockParams params = { .format = kind % 3,
        .samples = sizes[i].samples,
        .lines = sizes[i].lines,
        .method = kind % 4 == OCT_KCLOCK_FULL ? OCT_KCLOCK_FIT : kind % 4,
        .order = kind % 2 ? 6 : 3,
        .average = averages[kind / 3],
        .max_jitter = kind / 6 ? 1 : 4,
        .min_snr = 5,
        .falling = kind % 2 };

      check_one_kclock (check, params, kind);
    }
}

/* ----------------------------------------------------------------------- speed */

#define RUNS 20
#define SAMPLES 2048u
#define LINES 8192u

/* Device time of a run, with the upload of the next input in the same stream if
 * `from` is given. */
static float
measure_kclock (const Check *check, OctPlan *plan, const OctFrame *in,
    const OctFrame *out, const guint16 *from, gboolean runs)
{
  const OctOperationTable *table =
      check->cuda->operations[OCT_OPERATION_KCLOCK];
  GError *error = NULL;
  cudaEvent_t start, end;
  float time = 0;

  check_cuda (cudaEventCreate (&start), "event");
  check_cuda (cudaEventCreate (&end), "event");
  for (gint i = -2; i < RUNS; i++) {
    if (i == 0)
      check_cuda (cudaEventRecord (start, check->stream), "event");
    if (from != NULL)
      check_cuda (cudaMemcpyAsync (in->planes[0].data, from,
                      (gsize)LINES * 2 * SAMPLES * sizeof *from,
                      cudaMemcpyHostToDevice, check->stream),
          "upload");
    if (runs && !table->run (plan, in, out, check->stream, &error)) {
      printf ("Bail out! kclock: %s\n", error->message);
      exit (1);
    }
  }
  check_cuda (cudaEventRecord (end, check->stream), "event");
  check_cuda (cudaEventSynchronize (end), "kclock");
  check_cuda (cudaEventElapsedTime (&time, start, end), "event");
  check_cuda (cudaEventDestroy (start), "event");
  check_cuda (cudaEventDestroy (end), "event");
  return time / RUNS;
}

void
bench_kclock (Check *check)
{
  static const char *const names[] = { "static", "fit", "full" };
  const Sweep sweep = { .samples = SAMPLES,
    .cycles = 400,
    .chirp = 0.35,
    .edge = 0.4,
    .snr = 20,
    .jitter = 0.5,
    .depth = 0.5 };
  gsize values = (gsize)LINES * 2 * SAMPLES, part = values / 32;
  g_autofree double *sweeps = g_new (double, part);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint16 *host;
  OctFrame in = { { { NULL, 4 * SAMPLES } } };
  OctFrame out = { { { NULL, 4 * SAMPLES } } };

  check_cuda (cudaMallocHost ((void **)&host, values * sizeof *host), "memory");
  check_cuda (cudaMalloc (&in.planes[0].data, values * sizeof *host), "memory");
  check_cuda (cudaMalloc (&out.planes[0].data, values * 2), "memory");
  sweep_fill (&sweep, random, LINES / 32, sweeps);
  for (gsize i = 0; i < values; i++)
    host[i] = (guint16)lrint (32768 + 15000 * sweeps[i % part]);
  for (guint method = 0; method < G_N_ELEMENTS (names); method++) {
    OctKclockParams params = { .format = OCT_SAMPLE_U16,
      .samples = SAMPLES,
      .lines = LINES,
      .method = method,
      .order = 6,
      .average = 256,
      .max_jitter = 1,
      .min_snr = 5 };
    const OctOperationTable *table =
        check->cuda->operations[OCT_OPERATION_KCLOCK];
    OctPlan *plan = table->create (&params, NULL);
    float upload = measure_kclock (check, plan, &in, &out, host, FALSE);
    float alone = measure_kclock (check, plan, &in, &out, NULL, TRUE);
    float both = measure_kclock (check, plan, &in, &out, host, TRUE);

    printf ("kclock %-6s %u x %u: %.3f ms, %.2f M A-lines/s; upload %.3f ms, "
            "%.2f M; one after the other %.3f ms, %.2f M\n",
        names[method], SAMPLES, LINES, alone, LINES / alone / 1e3, upload,
        LINES / upload / 1e3, both, LINES / both / 1e3);
    table->destroy (plan);
  }
  check_cuda (cudaFreeHost (host), "free");
  check_cuda (cudaFree (in.planes[0].data), "free");
  check_cuda (cudaFree (out.planes[0].data), "free");
}
