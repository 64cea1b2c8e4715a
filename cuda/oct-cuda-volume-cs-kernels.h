/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels that fill in volumes, as those of
 * oct-cuda-kernels.h.
 *
 * A-scans are [place][pitch], the depth runs fastest, pitch a multiple of 16
 * and zeros after the last depth: steps along the lateral directions read and
 * write some depths side by side.  Lists of A-scans or spectra that were taken
 * have the same rows, in the order of the scan.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_CUDA_VOLUME_CS_PITCH 16u
#define OCT_CUDA_VOLUME_CS_MASKS 16u
/* Values that a thread holds of a transform, and threads of a block. */
#define OCT_CUDA_VOLUME_CS_EACH 8u
#define OCT_CUDA_VOLUME_CS_THREADS 1024u
/* Values of the longest transform. */
#define OCT_CUDA_VOLUME_CS_MOST                                                \
  (OCT_CUDA_VOLUME_CS_EACH * OCT_CUDA_VOLUME_CS_THREADS)
/* Values of a block, where lines side by side are short enough. */
#define OCT_CUDA_VOLUME_CS_SOME 4096u
#define OCT_CUDA_VOLUME_CS_STAGES 16u

typedef struct {
  uint32_t radix;
  uint32_t before; /* product of the radices before */
  uint32_t magic;  /* 2^32 / before, rounded up */
} OctCudaVolumeCsStage;

/* A Fourier transform of `count` values in shared memory, 1 << bits of them
 * side by side: [count][1 << bits]. */
typedef struct {
  uint32_t count, bits, stages, threads;
  const OctCudaVolumeCsStage *stage; /* [stages] */
  const float2 *roots;               /* [count] exp (-2 pi i k / count) */
  const float2 *quarter;             /* [count] exp (-pi i k / (2 count)) */
  float unit;                        /* 1 / sqrt (count) */
} OctCudaVolumeCsFft;

/* The parameters of all of them. */
typedef struct {
  uint32_t lines, bscans, depths, pitch;
  uint32_t taken, samples; /* A-lines; 0: A-scans were stored */
  const uint32_t *places;  /* [taken] */
  const int32_t *number;   /* [bscans][lines] of a place, -1: not taken */
  uint8_t *valid;          /* [taken] */
  void *given;          /* [taken][pitch] float2, or [taken][samples] float */
  float2 *ascans;       /* [taken][pitch] of it; of A-scans it is that */
  const float *window;  /* [samples] */
  const uint8_t *masks; /* [OCT_CUDA_VOLUME_CS_MASKS][samples] */
} OctCudaVolumeCs;

/* The largest |value|^2 of all A-scans, and |real or imaginary part|. */
typedef struct {
  float power, part;
} OctCudaVolumeCsMost;

/* rows [last - first] of A-lines `first` .. `last` - 1 of those that are taken;
 * `whole`: all A-lines of B-scan `bscan`. */
cudaError_t oct_cuda_launch_volume_cs_store (const OctCudaVolumeCs *cs,
    const void *rows, size_t stride, uint32_t first, uint32_t last, int whole,
    uint32_t bscan, cudaStream_t stream);

/* sums [bscans][blocks of 16 depths][9]: power, and re, im, a, b of pairs along
 * and across, see OctVolumeCsPairs.  `most` is written. */
cudaError_t oct_cuda_launch_volume_cs_sums (const OctCudaVolumeCs *cs,
    double *sums, OctCudaVolumeCsMost *most, cudaStream_t stream);

/* Where a line is filled in from: amplitudes of a and b, 1 - weight and weight
 * of them; a = b: the line itself. */
typedef struct {
  int32_t a, b;
  float weight;
} OctCudaVolumeCsMix;

/* mix [bscans][lines], in numbers of lines that were taken, -1: nothing to do;
 * then rows [bscans], in B-scans. */
cudaError_t oct_cuda_launch_volume_cs_linear (const OctCudaVolumeCs *cs,
    const OctCudaVolumeCsMix *mix, const OctCudaVolumeCsMix *rows,
    float2 *volume, cudaStream_t stream);

/* Spectra of one step, two A-lines a block. */
typedef struct {
  OctCudaVolumeCs cs;
  OctCudaVolumeCsFft fft; /* of the samples, bits = 0 */
  float2 *ascans;         /* of the model, then A^H of the residual */
  float *residual;
  double *sums;
  int first; /* the residual is what was given, negative */
} OctCudaVolumeCsSpectra;

/* ascans = A^H given */
cudaError_t oct_cuda_launch_volume_cs_adjoint (
    const OctCudaVolumeCsSpectra *spectra, cudaStream_t stream);
/* ... = A^H (A ascans - given); sums [(taken + 1) / 2] of the square of the
 * change of the residual, over half of the modes */
cudaError_t oct_cuda_launch_volume_cs_compare (
    const OctCudaVolumeCsSpectra *spectra, cudaStream_t stream);

/* One step of all A-lines at once. */
typedef struct {
  double alpha;
  float high;
} OctCudaVolumeCsStep;

typedef struct {
  OctCudaVolumeCs cs;
  OctCudaVolumeCsFft along, across;
  float2 *c, *g;    /* [bscans][lines][pitch] */
  float2 *ascans;   /* of spectra: what goes to and comes from comparing */
  float2 *residual; /* [taken][pitch], A-scans */
  OctCudaVolumeCsStep *step;
  double *moved, *changed; /* sums of blocks */
  uint32_t n_changed;
  float unit;                   /* of thresholds */
  const float *pass_x, *pass_y; /* [lines], [bscans] of the spot, in power */
  float fall;                   /* of the thresholds of this step */
  int first;
} OctCudaVolumeCsJoint;

typedef enum {
  /* g = cosines across of the negative given A-scans */
  OCT_CUDA_VOLUME_CS_BEGIN,
  /* g = cosines across of the residual of the A-scans there */
  OCT_CUDA_VOLUME_CS_NEXT,
  /* spectra: those that were taken to `ascans`, and back from there */
  OCT_CUDA_VOLUME_CS_BACK,
  OCT_CUDA_VOLUME_CS_FORTH,
  /* the volume */
  OCT_CUDA_VOLUME_CS_END,
} OctCudaVolumeCsColumns;

cudaError_t oct_cuda_launch_volume_cs_columns (
    const OctCudaVolumeCsJoint *joint, OctCudaVolumeCsColumns what,
    cudaStream_t stream);
/* values [places][pitch] times exp (i (step_x x + step_y y)) of their A-line x
 * of B-scan y; `listed`: [taken][pitch]. */
cudaError_t oct_cuda_launch_volume_cs_phases (const OctCudaVolumeCs *cs,
    float2 *values, int listed, double step_x, double step_y,
    cudaStream_t stream);
/* step->high of g */
cudaError_t oct_cuda_launch_volume_cs_highest (
    const OctCudaVolumeCsJoint *joint, cudaStream_t stream);
/* c = soft (c - S g / alpha), g = S^T c */
cudaError_t oct_cuda_launch_volume_cs_rows (
    const OctCudaVolumeCsJoint *joint, cudaStream_t stream);
/* step->alpha of moved and changed */
cudaError_t oct_cuda_launch_volume_cs_alpha (
    const OctCudaVolumeCsJoint *joint, cudaStream_t stream);
/* Blocks, as many as sums, of rows and columns. */
uint32_t oct_cuda_volume_cs_row_blocks (const OctCudaVolumeCsJoint *joint);
uint32_t oct_cuda_volume_cs_column_blocks (const OctCudaVolumeCsJoint *joint);

/* All steps of two A-lines a block. */
typedef struct {
  OctCudaVolumeCs cs;
  OctCudaVolumeCsFft fft;
  float2 *volume;
  float *power; /* [bscans][lines][pitch], NULL: nothing is known */
  float noise;
  uint32_t steps;
} OctCudaVolumeCsEnvelope;

cudaError_t oct_cuda_launch_volume_cs_envelope (
    const OctCudaVolumeCsEnvelope *envelope, cudaStream_t stream);

/* A-scans of a part of the samples by basis pursuit, all steps of two A-lines a
 * block: to cs.ascans. */
typedef struct {
  OctCudaVolumeCs cs;
  OctCudaVolumeCsFft fft; /* of the samples, bits = 0 */
  uint32_t steps;         /* at most */
} OctCudaVolumeCsAxial;

cudaError_t oct_cuda_launch_volume_cs_axial (
    const OctCudaVolumeCsAxial *axial, cudaStream_t stream);

#define OCT_CUDA_VOLUME_CS_RADIUS 8u
typedef struct {
  uint32_t radius;
  float weights[2 * OCT_CUDA_VOLUME_CS_RADIUS + 1];
} OctCudaVolumeCsWeights;

/* |volume|^2 smoothed along the depths, then A-lines, then B-scans, to power;
 * smooth: as large. */
cudaError_t oct_cuda_launch_volume_cs_smooth (const OctCudaVolumeCs *cs,
    const float2 *volume, const OctCudaVolumeCsWeights *axial,
    const OctCudaVolumeCsWeights *lateral, float *smooth, float *power,
    cudaStream_t stream);

/* Amplitudes of the missing A-lines along one direction. */
typedef struct {
  OctCudaVolumeCs cs;
  OctCudaVolumeCsFft fft;
  float2 *volume;
  uint32_t direction, basis; /* OctVolumeCsBasis */
  uint32_t count, places;    /* lines, and places of the basis */
  uint32_t bits;             /* values side by side, 1 << bits */
  uint32_t steps;
  const uint8_t *there; /* [bscans][lines], or [bscans] across */
} OctCudaVolumeCsPaper;

/* Amplitudes of the A-scans that were taken where they belong, 0 elsewhere. */
cudaError_t oct_cuda_launch_volume_cs_amplitudes (
    const OctCudaVolumeCs *cs, float2 *volume, cudaStream_t stream);
cudaError_t oct_cuda_launch_volume_cs_pursue (
    const OctCudaVolumeCsPaper *paper, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
