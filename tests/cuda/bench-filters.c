/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of the filters of images in device memory.
 */
#include "check.h"
#include "filter-cases.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 60 /* images between two events */
#define REPEATS 15
#define WIDTH 1000
#define HEIGHT 2048

static int
compare (const void *a, const void *b)
{
  float x = *(const float *)a, y = *(const float *)b;

  return (x > y) - (x < y);
}

static void
measure (const Check *check, const FilterCase *one, gpointer in, gpointer out)
{
  const OctOperationTable *table = check->cuda->operations[one->operation];
  OctFrame from = { { { in, WIDTH } } }, to = { { { out, WIDTH } } };
  cudaEvent_t start, end;
  float times[REPEATS];
  GError *error = NULL;
  OctPlan *plan = table->create (&one->params, &error);

  check_cuda (cudaEventCreate (&start), "event");
  check_cuda (cudaEventCreate (&end), "event");
  for (gint r = -2; plan != NULL && r < REPEATS; r++) {
    check_cuda (cudaEventRecord (start, check->stream), "event");
    for (guint i = 0; i < RUNS; i++)
      if (!table->run (plan, &from, &to, check->stream, &error))
        break;
    check_cuda (cudaEventRecord (end, check->stream), "event");
    check_cuda (cudaEventSynchronize (end), one->name);
    if (r >= 0)
      check_cuda (cudaEventElapsedTime (&times[r], start, end), "event");
  }
  if (error != NULL) {
    printf ("Bail out! %s: %s\n", one->name, error->message);
    exit (1);
  }
  qsort (times, REPEATS, sizeof (times[0]), compare);
  printf ("%-20s %8.2f us\n", one->name, times[REPEATS / 2] * 1e3 / RUNS);
  table->destroy (plan);
  check_cuda (cudaEventDestroy (start), "event");
  check_cuda (cudaEventDestroy (end), "event");
}

void
bench_filters (Check *check)
{
  const gsize bytes = (gsize)WIDTH * HEIGHT;
  g_autofree guint8 *image = g_malloc (bytes);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  FilterCase cases[N_FILTER_CASES];
  gpointer in, out;

  for (gsize i = 0; i < bytes; i++)
    image[i] = (guint8)g_rand_int_range (random, 0, 256);
  check_cuda (cudaMalloc (&in, bytes), "memory");
  check_cuda (cudaMalloc (&out, bytes), "memory");
  check_cuda (cudaMemcpy (in, image, bytes, cudaMemcpyHostToDevice), "upload");
  filter_cases_fill (cases, WIDTH, HEIGHT);
  printf ("filters of images of %u x %u\n", WIDTH, HEIGHT);
  for (guint i = 0; i < N_FILTER_CASES; i++)
    measure (check, &cases[i], in, out);
  cudaFree (in);
  cudaFree (out);
}
