/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The cost for the host of the calls for one short B-scan: 1024 samples of 16
 * bit x 256 A-lines, an image of 512 depths, kernels that do nothing.  Compared
 * are the calls of the elements, one cooperative kernel in the place of three,
 * and a CUDA graph whose nodes are set again for each B-scan.  Prints
 * microseconds for each B-scan, medians: of the host alone, and until the GPU
 * has done all.
 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SPECTRA (1024 * 256 * 2)
#define IMAGE (512 * 256)
#define BLOCKS 128
#define THREADS 128
#define KERNELS 3 /* mean, pass, map */
#define ROUNDS 200
#define BSCANS 50 /* of a round */

/* as large as the parameters of our kernels */
struct Parameters {
  unsigned char bytes[200];
};

static void
check (cudaError_t status)
{
  if (status == cudaSuccess)
    return;
  fprintf (stderr, "%s\n", cudaGetErrorString (status));
  exit (1);
}

/* `Number` makes three of it. */
template <int Number>
__global__ void
nothing (Parameters parameters, int *out)
{
  if (parameters.bytes[0] == Number + 1)
    *out = Number;
}

__global__ void
nothing_together (Parameters parameters, int *out)
{
  for (int i = 0; i < KERNELS; i++) {
    if (parameters.bytes[i] == i + 1)
      *out = i;
    if (i + 1 < KERNELS)
      cooperative_groups::this_grid ().sync ();
  }
}

typedef void (*Kernel) (Parameters, int *);
static const Kernel kernels[KERNELS] = { nothing<0>, nothing<1>, nothing<2> };

static Parameters parameters;
static cudaStream_t compute, upload;
static cudaEvent_t fetched;
static int *out;
static void *spectra, *image, *host;

static double
now ()
{
  return std::chrono::duration<double, std::micro> (
      std::chrono::steady_clock::now ().time_since_epoch ())
      .count ();
}

static double
median (std::vector<double> &values)
{
  std::sort (values.begin (), values.end ());
  return values[values.size () / 2];
}

template <typename Calls>
static void
measure (const char *name, Calls calls)
{
  std::vector<double> begun, done;

  for (int round = 0; round < ROUNDS; round++) {
    check (cudaDeviceSynchronize ());
    double start = now ();
    for (int i = 0; i < BSCANS; i++)
      calls (i);
    begun.push_back ((now () - start) / BSCANS);
    check (cudaDeviceSynchronize ());
    done.push_back ((now () - start) / BSCANS);
  }
  printf ("%-50s %6.2f %6.2f\n", name, median (begun), median (done));
}

static void
launch (Kernel kernel, bool overlap)
{
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};

  config.gridDim = BLOCKS;
  config.blockDim = THREADS;
  config.stream = compute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = overlap ? 1 : 0;
  check (cudaLaunchKernelEx (&config, kernel, parameters, out));
}

static void
launch_three ()
{
  for (Kernel kernel : kernels)
    launch (kernel, true);
}

static void
launch_together ()
{
  void *arguments[] = { &parameters, &out };

  check (cudaLaunchCooperativeKernel ((const void *)nothing_together,
      dim3 (BLOCKS), dim3 (THREADS), arguments, 0, compute));
}

static void
fetch ()
{
  check (
      cudaMemcpyAsync (spectra, host, SPECTRA, cudaMemcpyHostToDevice, upload));
  check (cudaEventRecord (fetched, upload));
  check (cudaStreamWaitEvent (compute, fetched, 0));
}

/* A copy and the three kernels after it. */
struct Graph {
  cudaGraphExec_t graph;
  cudaGraphNode_t copy, nodes[KERNELS];
  cudaKernelNodeParams kernels[KERNELS];
  void *arguments[2];

  Graph ()
  {
    cudaGraph_t made;

    arguments[0] = &parameters;
    arguments[1] = &out;
    check (cudaGraphCreate (&made, 0));
    check (cudaGraphAddMemcpyNode1D (
        &copy, made, NULL, 0, spectra, host, SPECTRA, cudaMemcpyHostToDevice));
    for (int i = 0; i < KERNELS; i++) {
      kernels[i] = {};
      kernels[i].func = (void *)::kernels[i];
      kernels[i].gridDim = dim3 (BLOCKS);
      kernels[i].blockDim = dim3 (THREADS);
      kernels[i].kernelParams = arguments;
      check (cudaGraphAddKernelNode (
          &nodes[i], made, i > 0 ? &nodes[i - 1] : &copy, 1, &kernels[i]));
    }
    check (cudaGraphInstantiate (&graph, made, 0));
  }

  void set ()
  {
    check (cudaGraphExecMemcpyNodeSetParams1D (
        graph, copy, spectra, host, SPECTRA, cudaMemcpyHostToDevice));
    for (int i = 0; i < KERNELS; i++)
      check (cudaGraphExecKernelNodeSetParams (graph, nodes[i], &kernels[i]));
  }

  void run (cudaStream_t stream)
  {
    check (cudaGraphLaunch (graph, stream));
  }
};

int
main ()
{
  int count;

  if (cudaGetDeviceCount (&count) != cudaSuccess || count == 0) {
    fprintf (stderr, "There is no NVIDIA GPU here.\n");
    return 77;
  }
  check (cudaStreamCreate (&compute));
  check (cudaStreamCreateWithFlags (&upload, cudaStreamNonBlocking));
  check (cudaEventCreateWithFlags (&fetched, cudaEventDisableTiming));
  check (cudaMalloc (&out, sizeof *out));
  check (cudaMalloc (&spectra, SPECTRA));
  check (cudaMalloc (&image, IMAGE));
  check (cudaMallocHost (&host, SPECTRA));
  Graph graphs[2];

  printf ("%-50s %6s %6s\n", "us", "host", "done");
  measure ("one kernel", [] (int) { launch (kernels[0], false); });
  measure ("one kernel, started before the one in front ends",
      [] (int) { launch (kernels[0], true); });
  measure ("three of them", [] (int) { launch_three (); });
  measure ("one cooperative kernel", [] (int) { launch_together (); });
  measure ("spectra to the GPU", [] (int) {
    check (cudaMemcpyAsync (
        spectra, host, SPECTRA, cudaMemcpyHostToDevice, upload));
  });
  measure ("an image to the host", [] (int) {
    check (
        cudaMemcpyAsync (host, image, IMAGE, cudaMemcpyDeviceToHost, upload));
  });
  measure ("an event recorded",
      [] (int) { check (cudaEventRecord (fetched, upload)); });
  measure ("a stream waits for an event",
      [] (int) { check (cudaStreamWaitEvent (compute, fetched, 0)); });
  measure ("the host waits for an event that is over",
      [] (int) { check (cudaEventSynchronize (fetched)); });
  measure ("spectra, event, wait, three kernels", [] (int) {
    fetch ();
    launch_three ();
  });
  measure ("spectra, event, wait, one cooperative kernel", [] (int) {
    fetch ();
    launch_together ();
  });
  measure ("graph of spectra and three kernels",
      [&] (int) { graphs[0].run (compute); });
  measure ("the same, all of it set before", [&] (int) {
    graphs[0].set ();
    graphs[0].run (compute);
  });
  measure ("the same, two graphs in two streams in turn", [&] (int i) {
    graphs[i % 2].set ();
    graphs[i % 2].run (i % 2 ? upload : compute);
  });
  return 0;
}
