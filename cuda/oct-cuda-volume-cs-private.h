/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in, on the GPU: what the host keeps of one.
 */
#pragma once

#include "oct-cuda-private.h"
#include "oct-cuda-volume-cs-kernels.h"
#include "oct-volume-cs.h"

G_BEGIN_DECLS

struct _OctVolumeCs {
  OctVolumeCsParams params;
  cudaStream_t stream;
  OctCudaVolumeCs cs;
  /* of spectra; along B-scans and across them, count 0: not made yet */
  OctCudaVolumeCsFft axial, lateral[2];

  guint8 *valid;            /* [taken] host, as measure() found it */
  OctCudaVolumeCsMost most; /* likewise */
  guint lines;              /* likewise, that are there */

  float2 *volume;
  gpointer work;     /* the same size, NULL before it is needed */
  gpointer residual; /* [taken][pitch] float2, or [taken][samples] float */
  gpointer mix;      /* OctCudaVolumeCsMix of places, then of B-scans */
  gpointer there;    /* [bscans][lines], then [bscans]: of `paper` */
  double *sums, *moved, *changed;
  OctCudaVolumeCsMost *found;
  OctCudaVolumeCsStep *step;
  float *pass[2]; /* [lines], [bscans] */
};

gboolean oct_cuda_volume_cs_check (cudaError_t status, GError **error);
/* *memory of that size, unless there is some; FALSE with a sentence that says
 * what the volume takes. */
gboolean oct_cuda_volume_cs_reserve (
    OctVolumeCs *cs, gpointer *memory, gsize bytes, GError **error);
/* Values of the host in new memory. */
gpointer oct_cuda_volume_cs_upload (
    gconstpointer values, gsize bytes, GError **error);

/* Transforms of `count` values, 1 << most_bits of them side by side at most. */
gboolean oct_cuda_volume_cs_fft_init (
    OctCudaVolumeCsFft *fft, guint count, guint most_bits, GError **error);
/* The same with other lines side by side. */
void oct_cuda_volume_cs_fft_set_side (OctCudaVolumeCsFft *fft, guint most_bits);
void oct_cuda_volume_cs_fft_clear (OctCudaVolumeCsFft *fft);
/* Those of direction d (0: along B-scans), once. */
gboolean oct_cuda_volume_cs_need_lateral (
    OctVolumeCs *cs, guint d, GError **error);

static inline gsize
oct_cuda_volume_cs_values (const OctVolumeCs *cs)
{
  return (gsize)cs->cs.lines * cs->cs.bscans * cs->cs.pitch;
}

/* A-scans of a part of the samples, in place of those that measure() made. */
gboolean oct_cuda_volume_cs_axial (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error);

/* Fill in the volume, after measure(). */
gboolean oct_cuda_volume_cs_linear (OctVolumeCs *cs, GError **error);
gboolean oct_cuda_volume_cs_joint (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error);
gboolean oct_cuda_volume_cs_envelope (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error);
gboolean oct_cuda_volume_cs_paper (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error);

G_END_DECLS
