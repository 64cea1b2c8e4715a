/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-lines of a path to the rows of a raster, on the GPU: what the host keeps of
 * it.
 */
#include "oct-cuda-private.h"
#include "oct-cuda-remap.h"
#include "oct-remap.h"

#define NAME "octremap"

G_STATIC_ASSERT (OCT_CUDA_REMAP_MOST == OCT_SCAN_REMAP_MOST);

struct _OctRemap {
  OctRemapParams params;
  OctCudaRemap remap;
  guint8 *valid; /* [lines] of the B-scan that is stored */
  OctCudaQueue queue;
};

static void
cuda_remap_destroy (OctRemap *remap)
{
  if (cudaStreamSynchronize (remap->queue.stream) != cudaSuccess)
    cudaGetLastError ();
  oct_cuda_free (remap->remap.store);
  oct_cuda_free (remap->remap.seen);
  oct_cuda_free ((gpointer)remap->remap.first);
  oct_cuda_free ((gpointer)remap->remap.number);
  oct_cuda_free ((gpointer)remap->remap.weight);
  oct_cuda_free (remap->valid);
  g_free (remap);
}

/* Values of the host in new memory; NULL with an error. */
static gpointer
cuda_remap_upload (gconstpointer values, gsize bytes, GError **error)
{
  gpointer memory = oct_cuda_alloc (MAX (bytes, 1), NAME, error);

  /* a small copy of pageable memory may still run when it returns, and the
   * streams here do not wait for the default one */
  if (memory == NULL
      || (oct_cuda_check (
              cudaMemcpy (memory, values, bytes, cudaMemcpyHostToDevice), NAME,
              error)
          && oct_cuda_check (cudaStreamSynchronize (NULL), NAME, error)))
    return memory;
  oct_cuda_free (memory);
  return NULL;
}

/* The A-lines, which take most of it. */
static gboolean
cuda_remap_alloc_store (OctRemap *remap, GError **error)
{
  const OctRemapParams *p = &remap->params;
  gsize bytes = p->map->count * remap->remap.pitch, unused = 0, total = 0;
  cudaError_t status = cudaMalloc ((void **)&remap->remap.store, bytes);

  if (status != cudaErrorMemoryAllocation)
    return oct_cuda_check (status, NAME, error);
  cudaGetLastError ();
  remap->remap.store = NULL;
  if (!oct_cuda_check (cudaMemGetInfo (&unused, &total), NAME, error))
    return FALSE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "A volume of %u A-lines of %u depths takes %" G_GUINT64_FORMAT
      " MB, and there is not as much memory for octremap on the GPU, which has "
      "%" G_GUINT64_FORMAT " MB and %" G_GUINT64_FORMAT
      " MB free; make the scan smaller, put octremap after octlogscale, or set "
      "backend=cpu.",
      p->map->count, p->depths, (guint64)bytes / 1000000,
      (guint64)total / 1000000, (guint64)unused / 1000000);
  return FALSE;
}

static gboolean
cuda_remap_alloc (OctRemap *remap, GError **error)
{
  const OctScanRemap *map = remap->params.map;
  OctCudaRemap *r = &remap->remap;
  cudaStream_t stream = remap->queue.stream;
  gsize pixels = (gsize)map->columns * map->rows;
  gsize weights = map->first[pixels];

  r->first =
      cuda_remap_upload (map->first, (pixels + 1) * sizeof *map->first, error);
  if (r->first == NULL)
    return FALSE;
  r->number = cuda_remap_upload (map->line, weights * sizeof *map->line, error);
  if (r->number == NULL)
    return FALSE;
  r->weight =
      cuda_remap_upload (map->weight, weights * sizeof *map->weight, error);
  if (r->weight == NULL)
    return FALSE;
  r->seen = oct_cuda_alloc (map->count, NAME, error);
  if (r->seen == NULL)
    return FALSE;
  remap->valid = oct_cuda_alloc (r->lines, NAME, error);
  return remap->valid != NULL && cuda_remap_alloc_store (remap, error)
         && oct_cuda_check (
             cudaMemsetAsync (r->store, 0, map->count * r->pitch, stream), NAME,
             error)
         && oct_cuda_check (
             cudaMemsetAsync (r->seen, 0, map->count, stream), NAME, error);
}

static OctCudaRemapKind
cuda_remap_get_kind (const OctRemapParams *params)
{
  switch (params->format) {
  case OCT_SAMPLE_U8:
    return OCT_CUDA_REMAP_U8;
  case OCT_SAMPLE_U16:
    return OCT_CUDA_REMAP_U16;
  default:
    return params->of == OCT_SCAN_REMAP_COMPLEX ? OCT_CUDA_REMAP_COMPLEX
                                                : OCT_CUDA_REMAP_AMPLITUDES;
  }
}

static OctRemap *
cuda_remap_create (
    const OctRemapParams *params, gpointer stream, GError **error)
{
  gsize alignment = OCT_CUDA_REMAP_ALIGNMENT;
  OctRemap *remap;

  if (!oct_remap_params_check (params, error))
    return NULL;
  remap = g_new0 (OctRemap, 1);
  remap->params = *params;
  remap->queue = (OctCudaQueue){ stream, oct_cuda_can_overlap () };
  remap->remap = (OctCudaRemap){ .kind = cuda_remap_get_kind (params),
    .lines = params->lines,
    .depths = params->depths,
    .columns = params->map->columns,
    .pitch = (oct_remap_get_line_size (params) + alignment - 1) / alignment
             * alignment };
  if (cuda_remap_alloc (remap, error))
    return remap;
  cuda_remap_destroy (remap);
  return NULL;
}

static gboolean
cuda_remap_store (OctRemap *remap, guint bscan, const OctPlane *from,
    const guint8 *valid, GError **error)
{
  const OctRemapParams *p = &remap->params;
  gsize value = oct_sample_format_size (p->format);
  gsize columns = p->format == OCT_SAMPLE_CF32 ? p->depths : p->lines;

  if (!oct_cuda_check_plane (from, columns * value, value, error))
    return FALSE;
  /* pageable memory may be used again when this returns */
  if (valid != NULL
      && !oct_cuda_check (cudaMemcpyAsync (remap->valid, valid, p->lines,
                              cudaMemcpyHostToDevice, remap->queue.stream),
          NAME, error))
    return FALSE;
  return oct_cuda_check (oct_cuda_launch_remap_store (&remap->remap, from->data,
                             from->stride, (gsize)bscan * p->lines,
                             valid != NULL ? remap->valid : NULL, remap->queue),
      NAME, error);
}

static gboolean
cuda_remap_fetch (OctRemap *remap, guint row, gboolean all, const OctFrame *to,
    GError **error)
{
  const OctRemapParams *p = &remap->params;
  const OctPlane *plane = &to->planes[0];
  gsize value = oct_sample_format_size (p->format);
  guint columns = p->map->columns;
  gsize values = p->format == OCT_SAMPLE_CF32 ? p->depths : columns;

  if (!oct_cuda_check_plane (plane, values * value, value, error)
      || !oct_cuda_check (
          oct_cuda_launch_remap_fetch (&remap->remap, (gsize)row * columns, all,
              plane->data, plane->stride, remap->queue),
          NAME, error))
    return FALSE;
  return to->planes[1].data == NULL
         || oct_cuda_clear_chroma (&to->planes[1], columns, p->depths, NAME,
             remap->queue.stream, error);
}

const OctRemapTable oct_cuda_remap = {
  .create = cuda_remap_create,
  .store = cuda_remap_store,
  .fetch = cuda_remap_fetch,
  .destroy = cuda_remap_destroy,
};
