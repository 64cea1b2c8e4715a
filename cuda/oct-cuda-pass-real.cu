/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The kernels of oct-cuda-pass-parts.cuh for A-lines without dispersion.
 */
#include "oct-cuda-pass-parts.cuh"

extern "C" cudaError_t
oct_cuda_use_real_pass (const OctCudaPass *p, OctCudaQueue queue)
{
  return use_pass<false> (p, queue);
}
