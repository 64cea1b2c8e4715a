/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The kernels of oct-cuda-pass-parts.cuh for A-lines with dispersion, and the
 * choice between them and the others.
 */
#include "oct-cuda-pass-parts.cuh"

extern "C" cudaError_t
oct_cuda_use_complex_pass (const OctCudaPass *p, OctCudaQueue queue)
{
  return use_pass<true> (p, queue);
}

extern "C" cudaError_t
oct_cuda_launch_pass (const OctCudaPass *p, OctCudaQueue queue)
{
  return p->is_complex ? oct_cuda_use_complex_pass (p, queue)
                       : oct_cuda_use_real_pass (p, queue);
}

extern "C" cudaError_t
oct_cuda_pass_prepare (OctCudaPass *p, int *fits)
{
  int device = 0, processors = 0;
  uint32_t lines = p->rows.lines;
  cudaError_t status = cudaGetDevice (&device);

  *fits = 0;
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (
        &processors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess)
    return status;
  p->processors = (uint32_t)processors;
  p->rows.lines = 0;
  *fits = oct_cuda_launch_pass (p, OctCudaQueue ()) == cudaSuccess;
  p->rows.lines = lines;
  cudaGetLastError ();
  return cudaSuccess;
}
