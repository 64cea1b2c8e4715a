/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * FFTs of all A-lines of a B-scan by cuFFT, in memory of their own: rows of
 * values to their spectra or back.
 *
 * Values are complex also where they need not be when their number is odd:
 * cuFFT puts two real rows of an odd length into one complex transform, where
 * the rounding errors and infinities of either spoil the other.
 */
#pragma once

#include "oct-cuda-private.h"

G_BEGIN_DECLS

typedef struct {
  cufftHandle plan; /* 0: none */
  gboolean is_complex, inverse;
  guint pitch;     /* values in a row of the spectra */
  gpointer values; /* [lines][length] float, or float2 where is_complex */
  /* [lines][pitch]: bins 0 .. length / 2, or all, in the place of the values,
   * where is_complex */
  float2 *spectra;
} OctCudaTransform;

/* For rows of `length` values of a format, real or complex.  FALSE with an
 * error; `transform`, zeros before, has to be cleared then too. */
gboolean oct_cuda_transform_init (OctCudaTransform *transform,
    OctSampleFormat format, guint length, guint lines, gboolean inverse,
    const char *operation, GError **error);
/* Frees what there is, of zeros nothing, and leaves zeros. */
void oct_cuda_transform_clear (OctCudaTransform *transform);
/* Part of run(): values to spectra, or (inverse) spectra to values, neither of
 * them scaled; what is transformed is lost. */
gboolean oct_cuda_transform_run (OctCudaTransform *transform,
    cudaStream_t stream, const char *operation, GError **error);
/* The same with values in other memory, [lines][length] as in its own and at a
 * multiple of 8 bytes; spectra that are made of them leave them as they are. */
gboolean oct_cuda_transform_run_on (OctCudaTransform *transform,
    gpointer values, cudaStream_t stream, const char *operation,
    GError **error);

G_END_DECLS
