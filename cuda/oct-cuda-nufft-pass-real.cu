/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The kernels of oct-cuda-nufft-pass.cuh for A-lines without dispersion: of as
 * many cells as those of oct-cuda-nufft-fused.cu.
 */
#include "oct-cuda-nufft-pass.cuh"

extern "C" cudaError_t
oct_cuda_use_real_nufft_pass (const OctCudaPass *p, const OctCudaFused *fused,
    const OctCudaNufftPass *more, OctCudaQueue queue)
{
  switch (fused->grid) {
#define CASE(size)                                                             \
  case size:                                                                   \
    return use_nufft_size<size / 2, false> (p, fused, more, queue)
    CASE (1280);
    CASE (1536);
    CASE (2048);
    CASE (2560);
    CASE (3072);
    CASE (4096);
    CASE (5120);
#undef CASE
  default:
    return cudaErrorInvalidValue;
  }
}
