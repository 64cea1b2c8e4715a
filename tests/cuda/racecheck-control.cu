/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The verdict of the race checker on kernels that are known to be right or
 * wrong, to judge its verdict on the operations:
 *
 *   racecheck-control barriers   groups of a block that wait by barriers of
 *                                their own, as the non-uniform FFT does: right
 *   racecheck-control copies     asynchronous copies to shared memory: right
 *   racecheck-control both       as the non-uniform FFT: right
 *   racecheck-control race       one that does not wait: wrong
 *
 * Each reverses the lines of a small image several times in shared memory and
 * ends with 0 where the result is as it must be (of `race`: always).
 */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#define THREADS 64 /* of a group */
#define GROUPS 4
#define TURNS 4

enum Kind { BARRIERS = 1, COPIES = 2, BOTH = BARRIERS | COPIES, RACE = 4 };

template <int Kind>
__device__ __forceinline__ void
wait_for_group (unsigned group)
{
  if (Kind & RACE)
    return;
  if (Kind & BARRIERS)
    asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "n"(THREADS) : "memory");
  else
    __syncthreads ();
}

template <int Kind>
__global__ void
reverse (const float *in, float *out)
{
  __shared__ float memory[GROUPS][THREADS];
  unsigned t = threadIdx.x % THREADS, group = threadIdx.x / THREADS;

  for (unsigned turn = 0; turn < TURNS; turn++) {
    unsigned line = turn * GROUPS + group;

    if (Kind & COPIES) {
      __pipeline_memcpy_async (
          &memory[group][t], &in[line * THREADS + t], sizeof (float));
      __pipeline_commit ();
      __pipeline_wait_prior (0);
    } else {
      memory[group][t] = in[line * THREADS + t];
    }
    wait_for_group<Kind> (group);
    out[line * THREADS + t] = memory[group][THREADS - 1 - t];
    wait_for_group<Kind> (group);
  }
}

/* Values of the image that are wrong, or -1 where CUDA fails. */
static int
run (void (*kernel) (const float *in, float *out))
{
  static float in[TURNS * GROUPS * THREADS], out[TURNS * GROUPS * THREADS];
  float *device_in = NULL, *device_out = NULL;
  void *arguments[] = { &device_in, &device_out };
  int wrong = 0;

  for (int i = 0; i < TURNS * GROUPS * THREADS; i++)
    in[i] = (float)i;
  if (cudaMalloc (&device_in, sizeof in) != cudaSuccess
      || cudaMalloc (&device_out, sizeof out) != cudaSuccess
      || cudaMemcpy (device_in, in, sizeof in, cudaMemcpyHostToDevice)
             != cudaSuccess
      || cudaLaunchKernel (
             (const void *)kernel, 1, GROUPS * THREADS, arguments, 0, NULL)
             != cudaSuccess
      || cudaMemcpy (out, device_out, sizeof out, cudaMemcpyDeviceToHost)
             != cudaSuccess)
    return -1;
  for (int i = 0; i < TURNS * GROUPS * THREADS; i++)
    wrong += out[i] != in[i / THREADS * THREADS + THREADS - 1 - i % THREADS];
  return wrong;
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*kernel) (const float *in, float *out);
  } kinds[] = { { "barriers", reverse<BARRIERS> },
    { "copies", reverse<COPIES> }, { "both", reverse<BOTH> },
    { "race", reverse<RACE> } };

  for (const auto &kind : kinds) {
    if (argc != 2 || strcmp (argv[1], kind.name) != 0)
      continue;
    int wrong = run (kind.kernel);
    printf ("%s: %d values wrong\n", kind.name, wrong);
    return wrong < 0 || (wrong > 0 && strcmp (kind.name, "race") != 0);
  }
  fprintf (stderr, "racecheck-control barriers|copies|both|race\n");
  return 2;
}
