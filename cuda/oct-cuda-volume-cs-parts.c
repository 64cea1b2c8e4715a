/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in, on the GPU: memory and transforms.
 */
#include "oct-cuda-volume-cs-private.h"

#include <math.h>
#include <string.h>

#define NAME "octvolumecs"

gboolean
oct_cuda_volume_cs_check (cudaError_t status, GError **error)
{
  return oct_cuda_check (status, NAME, error);
}

gboolean
oct_cuda_volume_cs_reserve (
    OctVolumeCs *cs, gpointer *memory, gsize bytes, GError **error)
{
  gsize unused = 0, total = 0;
  cudaError_t status;

  if (*memory != NULL)
    return TRUE;
  status = cudaMalloc (memory, MAX (bytes, 1));
  if (status != cudaErrorMemoryAllocation)
    return oct_cuda_volume_cs_check (status, error);
  cudaGetLastError ();
  if (!oct_cuda_volume_cs_check (cudaMemGetInfo (&unused, &total), error))
    return FALSE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "A volume of %u B-scans of %u A-lines of %u depths takes "
      "%" G_GUINT64_FORMAT
      " MB of memory on the GPU to fill in, and of %" G_GUINT64_FORMAT
      " MB there %" G_GUINT64_FORMAT
      " MB are free; set fewer depths, or backend=cpu.",
      cs->cs.bscans, cs->cs.lines, cs->cs.depths,
      oct_volume_cs_get_size (&cs->params) / 1000000, (guint64)total / 1000000,
      (guint64)unused / 1000000);
  return FALSE;
}

gpointer
oct_cuda_volume_cs_upload (gconstpointer values, gsize bytes, GError **error)
{
  gpointer memory = oct_cuda_alloc (bytes, NAME, error);

  /* a small copy of pageable memory may still run when it returns, and the
   * streams here do not wait for the default one */
  if (memory == NULL
      || (oct_cuda_volume_cs_check (
              cudaMemcpy (memory, values, bytes, cudaMemcpyHostToDevice), error)
          && oct_cuda_volume_cs_check (cudaStreamSynchronize (NULL), error)))
    return memory;
  oct_cuda_free (memory);
  return NULL;
}

/* --------------------------------------------------------------- transforms */

/* The largest of these that is a factor, else the smallest one there is. */
static guint
find_radix (guint count)
{
  static const guint radices[] = { 10, 8, 7, 5, 4, 3, 2 };
  guint p = 11;

  for (guint i = 0; i < G_N_ELEMENTS (radices); i++)
    if (count % radices[i] == 0)
      return radices[i];
  while (count % p != 0)
    p += 2;
  return p;
}

static guint
find_stages (guint count, OctCudaVolumeCsStage *stages)
{
  guint n = 0, before = 1;

  for (guint left = count; left > 1; n++) {
    guint radix = find_radix (left);

    stages[n].radix = radix;
    stages[n].before = before;
    stages[n].magic = (guint32)(((1ull << 32) + before - 1) / before);
    before *= radix;
    left /= radix;
  }
  return n;
}

static float2 *
upload_roots (guint count, double turn, GError **error)
{
  g_autofree float2 *roots = g_new (float2, count);

  for (guint k = 0; k < count; k++) {
    double angle = -turn * k / count;

    roots[k].x = (float)cos (angle);
    roots[k].y = (float)sin (angle);
  }
  return oct_cuda_volume_cs_upload (roots, count * sizeof *roots, error);
}

/* As few as can hold the values of every stage: of threads without a butterfly
 * the work is in vain. */
void
oct_cuda_volume_cs_fft_set_side (OctCudaVolumeCsFft *fft, guint most_bits)
{
  OctCudaVolumeCsStage stages[OCT_CUDA_VOLUME_CS_STAGES];
  const guint each = OCT_CUDA_VOLUME_CS_EACH;
  guint n = find_stages (fft->count, stages), most = 1, values;

  fft->bits = most_bits;
  while (fft->bits > 0 && fft->count << fft->bits > OCT_CUDA_VOLUME_CS_SOME)
    fft->bits--;
  values = fft->count << fft->bits;
  for (guint i = 0; i < n; i++) {
    guint radix = stages[i].radix;
    /* a prime without a butterfly: each value by itself */
    guint pieces = radix > 10 ? values : values / radix;
    guint times = radix > 10 ? each : (each + radix - 1) / radix;

    most = MAX (most, (pieces + times - 1) / times);
  }
  fft->threads = MAX (64, (most + 31) / 32 * 32);
}

gboolean
oct_cuda_volume_cs_fft_init (
    OctCudaVolumeCsFft *fft, guint count, guint most_bits, GError **error)
{
  OctCudaVolumeCsStage stages[OCT_CUDA_VOLUME_CS_STAGES] = { 0 };

  memset (fft, 0, sizeof *fft);
  if (count > OCT_CUDA_VOLUME_CS_MOST) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Volumes with %u values in a row cannot be filled in on a GPU, which "
        "takes %u samples, A-lines and B-scans at most; set backend=cpu.",
        count, OCT_CUDA_VOLUME_CS_MOST);
    return FALSE;
  }
  fft->count = count;
  fft->unit = (float)(1 / sqrt (count));
  fft->stages = find_stages (count, stages);
  oct_cuda_volume_cs_fft_set_side (fft, most_bits);
  return (fft->stage = oct_cuda_volume_cs_upload (stages, sizeof stages, error))
         && (fft->roots = upload_roots (count, 2 * G_PI, error))
         && (fft->quarter = upload_roots (count, G_PI / 2, error));
}

void
oct_cuda_volume_cs_fft_clear (OctCudaVolumeCsFft *fft)
{
  oct_cuda_free ((gpointer)fft->stage);
  oct_cuda_free ((gpointer)fft->roots);
  oct_cuda_free ((gpointer)fft->quarter);
  memset (fft, 0, sizeof *fft);
}

gboolean
oct_cuda_volume_cs_need_lateral (OctVolumeCs *cs, guint d, GError **error)
{
  OctCudaVolumeCsFft *fft = &cs->lateral[d];

  if (fft->quarter != NULL)
    return TRUE;
  oct_cuda_volume_cs_fft_clear (fft);
  return oct_cuda_volume_cs_fft_init (
      fft, d == 0 ? cs->cs.lines : cs->cs.bscans, 4, error);
}
