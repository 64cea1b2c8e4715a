/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The kernels of oct-cuda-nufft-pass.cuh for A-lines with dispersion, of as
 * many cells as those of oct-cuda-nufft-fused.cu, and the choice between them
 * and the others.
 */
#include "oct-cuda-nufft-pass.cuh"

extern "C" cudaError_t
oct_cuda_use_complex_nufft_pass (const OctCudaPass *p,
    const OctCudaFused *fused, const OctCudaNufftPass *more, OctCudaQueue queue)
{
  switch (fused->grid) {
#define CASE(size)                                                             \
  case size:                                                                   \
    return use_nufft_size<size, true> (p, fused, more, queue)
    CASE (640);
    CASE (768);
    CASE (1024);
    CASE (1280);
    CASE (1536);
    CASE (2048);
    CASE (2560);
#undef CASE
  default:
    return cudaErrorInvalidValue;
  }
}

extern "C" cudaError_t
oct_cuda_launch_nufft_pass (const OctCudaPass *p, const OctCudaFused *fused,
    const OctCudaNufftPass *more, OctCudaQueue queue)
{
  return p->is_complex ? oct_cuda_use_complex_nufft_pass (p, fused, more, queue)
                       : oct_cuda_use_real_nufft_pass (p, fused, more, queue);
}

extern "C" int
oct_cuda_nufft_pass_fits (const OctCudaPass *p, const OctCudaFused *fused)
{
  const OctCudaNufftPass more = { NULL, 1 };
  OctCudaPass none = *p;
  bool fits;

  none.rows.lines = 0;
  fits = oct_cuda_launch_nufft_pass (&none, fused, &more, OctCudaQueue ())
         == cudaSuccess;
  cudaGetLastError ();
  return fits;
}
