/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of refocusing a volume in device memory: with a focus that is given, and
 * of the search in noise, which has none.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 5
#define SIDE 256u
#define BINS 1024u

static void
measure_refocus (
    const Check *check, const OctRefocusParams *params, float *in, float *out)
{
  const OctOperationTable *table =
      check->cuda->operations[OCT_OPERATION_REFOCUS];
  OctFrame from = { { { in, 8 * BINS } } }, to = { { { out, 8 * BINS } } };
  GError *error = NULL;
  OctPlan *plan = table->create (params, &error);
  cudaEvent_t start, end;
  float time = 0;

  check_cuda (cudaEventCreate (&start), "event");
  check_cuda (cudaEventCreate (&end), "event");
  for (gint i = -1; plan != NULL && error == NULL && i < RUNS; i++) {
    if (i == 0)
      check_cuda (cudaEventRecord (start, check->stream), "event");
    if (!table->run (plan, &from, &to, check->stream, &error))
      break;
  }
  if (error != NULL) {
    printf ("Bail out! refocus: %s\n", error->message);
    exit (1);
  }
  check_cuda (cudaEventRecord (end, check->stream), "event");
  check_cuda (cudaEventSynchronize (end), "refocus");
  check_cuda (cudaEventElapsedTime (&time, start, end), "event");
  printf ("%u x %u x %u, %-18s %8.2f ms\n", SIDE, SIDE, BINS,
      params->automatic ? "search alone" : "focus given", time / RUNS);
  table->destroy (plan);
  check_cuda (cudaEventDestroy (start), "event");
  check_cuda (cudaEventDestroy (end), "event");
}

void
bench_refocus (Check *check)
{
  gsize values = 2 * (gsize)SIDE * SIDE * BINS;
  float *volume = g_new (float, values), *in, *out;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  OctRefocusParams params = { .depth_bins = BINS,
    .lines = SIDE * SIDE,
    .bscans = SIDE,
    .x_spacing = 2e-6,
    .y_spacing = 2e-6,
    .z_spacing = 2e-6,
    .wavenumber = 1e7,
    .align = TRUE,
    .focus = 300,
    .modes = 1 };

  for (gsize i = 0; i < values; i++)
    volume[i] = (float)(g_rand_int (random) * 4e-10 - 0.8);
  check_cuda (cudaMalloc ((void **)&in, values * sizeof *in), "memory");
  check_cuda (cudaMalloc ((void **)&out, values * sizeof *out), "memory");
  check_cuda (
      cudaMemcpy (in, volume, values * sizeof *in, cudaMemcpyHostToDevice),
      "upload");
  measure_refocus (check, &params, in, out);
  params.automatic = TRUE;
  measure_refocus (check, &params, in, out);
  cudaFree (in);
  cudaFree (out);
  g_free (volume);
}
