/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Starting kernels one after the other with little in between.
 *
 * On devices that can, a kernel is started while the one before is ending: its
 * blocks take the places that become free and wait in begin_kernel() until all
 * results of the earlier kernels are there.  Starting it sooner still, with
 * let_next_start(), only pays for a kernel that has something to do before
 * begin_kernel(): waiting blocks take places unevenly (the chain of operations
 * took 32.4 us instead of 31.1 us on an H200 with it in every kernel).
 *
 * Before begin_kernel() a kernel may read data that were complete before the
 * previous kernel began (see oct-cuda-pass-parts.cuh), and tables of its plan,
 * which only copies in the same stream change: a kernel after a copy is not
 * started early.
 */
#pragma once

#include "oct-cuda-kernels.h"

#include <utility>

/* resident on one multiprocessor at most */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
#  define THREADS_PER_SM 1024
#elif __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1100)
#  define THREADS_PER_SM 2048
#else
#  define THREADS_PER_SM 1536
#endif

__device__ __forceinline__ void
begin_kernel ()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize ();
#endif
}

/* Lets the next kernel take free places before the blocks of this one end. */
__device__ __forceinline__ void
let_next_start ()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion ();
#endif
}

template <typename... Parameters, typename... Arguments>
static cudaError_t
launch (OctCudaQueue queue, void (*kernel) (Parameters...), dim3 grid,
    dim3 block, size_t shared, Arguments &&...arguments)
{
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  cudaError_t status;

  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = queue.stream;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = queue.overlap ? 1 : 0;
  status = cudaLaunchKernelEx (
      &config, kernel, std::forward<Arguments> (arguments)...);
  return status != cudaSuccess ? status : cudaGetLastError ();
}

template <typename Value>
__device__ __forceinline__ Value *
row_of (Value *rows, size_t stride, size_t row)
{
  return (Value *)((char *)rows + stride * row);
}

/* A real value as a complex one, the real part of a complex one, or itself. */
__device__ __forceinline__ void
convert (float value, float &to)
{
  to = value;
}

__device__ __forceinline__ void
convert (float2 value, float2 &to)
{
  to = value;
}

__device__ __forceinline__ void
convert (float value, float2 &to)
{
  to = make_float2 (value, 0);
}

__device__ __forceinline__ void
convert (float2 value, float &to)
{
  to = value.x;
}

static inline bool
is_aligned (const void *rows, size_t stride, size_t alignment)
{
  return (size_t)rows % alignment == 0 && stride % alignment == 0;
}
