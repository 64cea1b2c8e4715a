/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cuda-transform.h"

#include <string.h>

gboolean
oct_cuda_transform_init (OctCudaTransform *t, OctSampleFormat format,
    guint length, guint lines, gboolean inverse, const char *operation,
    GError **error)
{
  gsize rows = lines;
  cufftType real = inverse ? CUFFT_C2R : CUFFT_R2C;
  guint from, to;

  t->is_complex = format == OCT_SAMPLE_CF32 || length % 2 != 0;
  t->inverse = inverse;
  t->pitch = t->is_complex ? length : length / 2 + 1;
  t->spectra =
      oct_cuda_alloc (rows * t->pitch * sizeof (float2), operation, error);
  if (t->spectra == NULL)
    return FALSE;
  t->values = t->is_complex ? t->spectra
                            : oct_cuda_alloc (rows * length * sizeof (float),
                                operation, error);
  if (t->values == NULL)
    return FALSE;
  from = inverse ? t->pitch : length;
  to = inverse ? length : t->pitch;
  t->plan = oct_cuda_fft_plan (t->is_complex ? CUFFT_C2C : real, length, from,
      to, lines, operation, error);
  return t->plan != 0;
}

void
oct_cuda_transform_clear (OctCudaTransform *t)
{
  if (t->plan != 0)
    cufftDestroy (t->plan);
  if (t->values != t->spectra)
    oct_cuda_free (t->values);
  oct_cuda_free (t->spectra);
  memset (t, 0, sizeof *t);
}

gboolean
oct_cuda_transform_run (OctCudaTransform *t, cudaStream_t stream,
    const char *operation, GError **error)
{
  return oct_cuda_transform_run_on (t, t->values, stream, operation, error);
}

gboolean
oct_cuda_transform_run_on (OctCudaTransform *t, gpointer values,
    cudaStream_t stream, const char *operation, GError **error)
{
  cufftResult status;

  if (!oct_cuda_check_fft (cufftSetStream (t->plan, stream), operation, error))
    return FALSE;
  if (t->is_complex && t->inverse)
    status = cufftExecC2C (t->plan, t->spectra, values, CUFFT_INVERSE);
  else if (t->is_complex)
    status = cufftExecC2C (t->plan, values, t->spectra, CUFFT_FORWARD);
  else if (t->inverse)
    status = cufftExecC2R (t->plan, t->spectra, values);
  else
    status = cufftExecR2C (t->plan, values, t->spectra);
  return oct_cuda_check_fft (status, operation, error);
}
