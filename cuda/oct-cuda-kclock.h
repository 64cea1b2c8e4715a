/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels of k-clocks, as in oct-cuda-kernels.h.
 */
#pragma once

#include "oct-cuda-kernels.h"
#include "oct-kclock-line.h"

#ifdef __cplusplus
extern "C" {
#endif

/* OctKclockMethod and OctKclockFault for the kernels. */
enum { OCT_CUDA_KCLOCK_STATIC, OCT_CUDA_KCLOCK_FIT, OCT_CUDA_KCLOCK_FULL };
enum {
  OCT_CUDA_KCLOCK_GOOD,
  OCT_CUDA_KCLOCK_WEAK,
  OCT_CUDA_KCLOCK_GAP,
  OCT_CUDA_KCLOCK_HOP,
  OCT_CUDA_KCLOCK_LATE,
  OCT_CUDA_KCLOCK_FAULTS
};

/* Written by the device and read by the host at any time. */
typedef struct {
  unsigned long long counts[OCT_CUDA_KCLOCK_FAULTS]; /* A-lines */
  int is_lost; /* fewer than half of a frame were good */
} OctCudaKclockTold;

/* The reference, on the device: as OctKclock. */
typedef struct {
  double *phase;             /* [samples + 2 OCT_KCLOCK_EXTENT] */
  double *amplitude;         /* [samples] */
  const float *weight;       /* [samples] */
  const float *filter;       /* [length / 2 + 1] */
  const int8_t *role;        /* [length / 2 + 1] */
  float4 *turns;             /* [samples + 2 OCT_KCLOCK_EXTENT] */
  float *gap;                /* [samples] */
  int *place;                /* [samples] */
  float *fraction, *inverse; /* [samples] */
} OctCudaKclockTables;

typedef struct {
  OctCudaRows rows;        /* samples: of the spectrum or the clock */
  uint32_t sample_size;    /* bytes: 1 and 2 are counts, 4 is float */
  int length;              /* of the transforms */
  int pitch;               /* of the bins */
  float *padded;           /* [lines][length] clocks */
  const float2 *bins;      /* [lines][pitch] */
  float2 *analytic;        /* [lines][length] */
  const float *kernel;     /* see oct_kclock_fill_kernel() */
  uint8_t *faults;         /* [lines] */
  int *state;              /* [2] A-lines that are good, and those that renew */
  OctCudaKclockTold *told; /* on the host */
  OctCudaKclockTables tables;
  int method, order, signals, noises, step, average;
  float least_snr, weight_inside, limit, most_jitter, delay;
  int falling;
  double first, last;
  OctKclockBlocks blocks;
  float fit[OCT_KCLOCK_MOST_ORDER + 1][OCT_KCLOCK_BLOCKS];
} OctCudaKclock;

/* The tables of a new reference. */
cudaError_t oct_cuda_launch_kclock_tables (
    const OctCudaKclock *clock, OctCudaQueue queue);
/* Clocks to be transformed to bins. */
cudaError_t oct_cuda_launch_kclock_load (
    const OctCudaKclock *clock, OctCudaQueue queue);
/* Bins to those of the analytic signal, and which A-lines are weak. */
cudaError_t oct_cuda_launch_kclock_filter (
    const OctCudaKclock *clock, OctCudaQueue queue);
/* Spectra to uniform wavenumbers, and the next reference. */
cudaError_t oct_cuda_launch_kclock_resample (
    const OctCudaKclock *clock, OctCudaQueue queue);

#ifdef __cplusplus
}
#endif
