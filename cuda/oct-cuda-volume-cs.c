/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in, on the GPU: what is stored, what is measured of
 * it, and the table.
 */
#include "oct-cuda-volume-cs-private.h"

#include <string.h>

/* Blocks of one direction of a grid. */
#define MOST_BLOCKS 65535u

/* ----------------------------------------------------------- create, destroy
 */

static void
cuda_volume_cs_destroy (OctVolumeCs *cs)
{
  gpointer memory[] = { (gpointer)cs->cs.places, (gpointer)cs->cs.number,
    cs->cs.valid, cs->cs.given, (gpointer)cs->cs.window, (gpointer)cs->cs.masks,
    cs->volume, cs->work, cs->residual, cs->mix, cs->there, cs->sums, cs->moved,
    cs->changed, cs->found, cs->step, cs->pass[0], cs->pass[1] };

  if (cudaStreamSynchronize (cs->stream) != cudaSuccess)
    cudaGetLastError ();
  if (cs->cs.ascans != cs->cs.given)
    oct_cuda_free (cs->cs.ascans);
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    oct_cuda_free (memory[i]);
  oct_cuda_volume_cs_fft_clear (&cs->axial);
  for (guint d = 0; d < 2; d++)
    oct_cuda_volume_cs_fft_clear (&cs->lateral[d]);
  g_free (cs->valid);
  g_clear_pointer (&cs->params.mask, oct_scan_mask_unref);
  g_free (cs);
}

static gboolean
upload_mask (OctVolumeCs *cs, GError **error)
{
  const OctScanMask *mask = cs->params.mask;
  gsize places = (gsize)mask->lines * mask->bscans;
  g_autofree gint32 *number = g_new (gint32, places);

  for (gsize i = 0; i < places; i++)
    number[i] = -1;
  for (guint k = 0; k < mask->count; k++)
    number[mask->places[k]] = (gint32)k;
  cs->cs.places = oct_cuda_volume_cs_upload (
      mask->places, mask->count * sizeof *mask->places, error);
  cs->cs.number = cs->cs.places != NULL ? oct_cuda_volume_cs_upload (
                      number, places * sizeof *number, error)
                                        : NULL;
  return cs->cs.number != NULL;
}

static gboolean
upload_spectral (OctVolumeCs *cs, GError **error)
{
  guint n = cs->params.columns;
  g_autofree guint8 *masks = oct_volume_cs_make_masks (&cs->params, error);
  g_autofree double *window = g_new (double, n);
  g_autofree float *values = g_new (float, n);

  G_STATIC_ASSERT (OCT_CUDA_VOLUME_CS_MASKS == OCT_VOLUME_CS_MASKS);
  if (masks == NULL || !oct_cuda_volume_cs_fft_init (&cs->axial, n, 0, error))
    return FALSE;
  oct_window_fill (cs->params.window, n, NULL, window);
  for (guint i = 0; i < n; i++)
    values[i] = (float)window[i];
  cs->cs.window = oct_cuda_volume_cs_upload (values, n * sizeof *values, error);
  cs->cs.masks = cs->cs.window != NULL ? oct_cuda_volume_cs_upload (
                     masks, (gsize)n * OCT_VOLUME_CS_MASKS, error)
                                       : NULL;
  return cs->cs.masks != NULL;
}

static gboolean
alloc_all (OctVolumeCs *cs, GError **error)
{
  gsize taken = cs->cs.taken, blocks = cs->cs.pitch / OCT_VOLUME_CS_DEPTHS;
  gsize list = taken * cs->cs.pitch * sizeof (float2);
  gsize given =
      cs->params.spectra ? taken * cs->params.columns * sizeof (float) : list;

  if (!oct_cuda_volume_cs_reserve (cs, (gpointer *)&cs->cs.valid, taken, error)
      || !oct_cuda_volume_cs_reserve (cs, &cs->cs.given, given, error)
      || !oct_cuda_volume_cs_reserve (cs, (gpointer *)&cs->volume,
          oct_cuda_volume_cs_values (cs) * sizeof (float2), error)
      || !oct_cuda_volume_cs_reserve (cs, (gpointer *)&cs->sums,
          blocks * cs->cs.bscans * sizeof (OctVolumeCsSums), error)
      || !oct_cuda_volume_cs_reserve (
          cs, (gpointer *)&cs->found, sizeof *cs->found, error)
      || !oct_cuda_volume_cs_reserve (
          cs, (gpointer *)&cs->step, sizeof *cs->step, error))
    return FALSE;
  if (!cs->params.spectra)
    cs->cs.ascans = cs->cs.given;
  return oct_cuda_volume_cs_reserve (
      cs, (gpointer *)&cs->cs.ascans, list, error);
}

static void
cuda_volume_cs_clear (OctVolumeCs *cs)
{
  /* the next store() reports an error of the device */
  if (cudaMemsetAsync (cs->cs.valid, 0, cs->cs.taken, cs->stream)
      != cudaSuccess)
    cudaGetLastError ();
}

static gboolean
check_size (const OctVolumeCsParams *params, GError **error)
{
  const OctScanMask *mask = params->mask;

  if (mask->lines <= MOST_BLOCKS && mask->bscans <= MOST_BLOCKS)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Volumes of %u B-scans of %u A-lines cannot be filled in on a GPU, which "
      "takes %u of each at most; set backend=cpu.",
      mask->bscans, mask->lines, MOST_BLOCKS);
  return FALSE;
}

static OctVolumeCs *
cuda_volume_cs_create (
    const OctVolumeCsParams *params, gpointer stream, GError **error)
{
  OctVolumeCs *cs;

  if (!oct_volume_cs_params_check (params, error)
      || !check_size (params, error))
    return NULL;
  cs = g_new0 (OctVolumeCs, 1);
  cs->params = *params;
  oct_scan_mask_ref (cs->params.mask);
  cs->stream = (cudaStream_t)stream;
  cs->valid = g_malloc0 (params->mask->count);
  cs->cs = (OctCudaVolumeCs){ .lines = params->mask->lines,
    .bscans = params->mask->bscans,
    .depths = oct_volume_cs_get_depths (params),
    .taken = params->mask->count,
    .samples = params->spectra ? params->columns : 0 };
  cs->cs.pitch = (cs->cs.depths + OCT_CUDA_VOLUME_CS_PITCH - 1)
                 / OCT_CUDA_VOLUME_CS_PITCH * OCT_CUDA_VOLUME_CS_PITCH;
  if (upload_mask (cs, error)
      && (!params->spectra || upload_spectral (cs, error))
      && alloc_all (cs, error)) {
    cuda_volume_cs_clear (cs);
    return cs;
  }
  cuda_volume_cs_destroy (cs);
  return NULL;
}

/* ----------------------------------------------------------- store, measure */

static gboolean
cuda_volume_cs_store (OctVolumeCs *cs, guint bscan, const OctPlane *rows,
    gboolean whole, GError **error)
{
  const OctScanMask *mask = cs->params.mask;
  gsize value = cs->params.spectra ? sizeof (float) : sizeof (float2);

  if (bscan >= cs->cs.bscans)
    return TRUE;
  if (!oct_cuda_check_plane (rows, cs->params.columns * value, value, error))
    return FALSE;
  return oct_cuda_volume_cs_check (
      oct_cuda_launch_volume_cs_store (&cs->cs, rows->data, rows->stride,
          mask->first[bscan], mask->first[bscan + 1], whole, bscan, cs->stream),
      error);
}

static gboolean
cuda_volume_cs_measure (
    OctVolumeCs *cs, OctVolumeCsMeasures *measures, GError **error)
{
  gsize n = (gsize)(cs->cs.pitch / OCT_VOLUME_CS_DEPTHS) * cs->cs.bscans;
  g_autofree OctVolumeCsSums *sums = g_new (OctVolumeCsSums, n);
  OctCudaVolumeCsSpectra spectra = {
    .cs = cs->cs, .fft = cs->axial, .ascans = cs->cs.ascans
  };

  G_STATIC_ASSERT (OCT_VOLUME_CS_DEPTHS == OCT_CUDA_VOLUME_CS_PITCH);
  G_STATIC_ASSERT (sizeof (OctVolumeCsSums) == 9 * sizeof (double));
  if (cs->params.spectra
      && !oct_cuda_volume_cs_check (
          oct_cuda_launch_volume_cs_adjoint (&spectra, cs->stream), error))
    return FALSE;
  if (!oct_cuda_volume_cs_check (oct_cuda_launch_volume_cs_sums (
                                     &cs->cs, cs->sums, cs->found, cs->stream),
          error)
      || !oct_cuda_volume_cs_check (
          cudaMemcpyAsync (sums, cs->sums, n * sizeof *sums,
              cudaMemcpyDeviceToHost, cs->stream),
          error)
      || !oct_cuda_volume_cs_check (
          cudaMemcpyAsync (&cs->most, cs->found, sizeof cs->most,
              cudaMemcpyDeviceToHost, cs->stream),
          error)
      || !oct_cuda_volume_cs_check (
          cudaMemcpyAsync (cs->valid, cs->cs.valid, cs->cs.taken,
              cudaMemcpyDeviceToHost, cs->stream),
          error)
      || !oct_cuda_volume_cs_check (cudaStreamSynchronize (cs->stream), error))
    return FALSE;
  oct_volume_cs_find_measures (&cs->params, cs->valid, sums, measures);
  cs->lines = measures->lines;
  return TRUE;
}

/* -------------------------------------------------------------- fill, fetch */

static gboolean
cuda_volume_cs_fill (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error)
{
  if (cs->lines == 0 || cs->most.power == 0)
    return oct_cuda_volume_cs_check (
        cudaMemsetAsync (cs->volume, 0,
            oct_cuda_volume_cs_values (cs) * sizeof (float2), cs->stream),
        error);
  switch (settings->method) {
  case OCT_VOLUME_CS_JOINT:
    return oct_cuda_volume_cs_joint (cs, settings, error);
  case OCT_VOLUME_CS_ENVELOPE:
    return oct_cuda_volume_cs_envelope (cs, settings, error);
  case OCT_VOLUME_CS_PAPER:
  case OCT_VOLUME_CS_LINEAR:
    break;
  }
  /* these go on from A-scans */
  if (oct_volume_cs_lacks_samples (&cs->params)
      && !oct_cuda_volume_cs_axial (cs, settings, error))
    return FALSE;
  return settings->method == OCT_VOLUME_CS_PAPER
             ? oct_cuda_volume_cs_paper (cs, settings, error)
             : oct_cuda_volume_cs_linear (cs, error);
}

static gboolean
cuda_volume_cs_fetch (OctVolumeCs *cs, guint bscan, guint first, guint count,
    const OctPlane *rows, GError **error)
{
  gsize pitch = cs->cs.pitch, row = count * sizeof (float2);
  const float2 *from = cs->volume + bscan * cs->cs.lines * pitch + first;

  if (!oct_cuda_check_plane (rows, row, sizeof (float2), error))
    return FALSE;
  return oct_cuda_volume_cs_check (
      cudaMemcpy2DAsync (rows->data, rows->stride, from,
          pitch * sizeof (float2), row, cs->cs.lines, cudaMemcpyDeviceToDevice,
          cs->stream),
      error);
}

const OctVolumeCsTable oct_cuda_volume_cs = {
  .create = cuda_volume_cs_create,
  .clear = cuda_volume_cs_clear,
  .store = cuda_volume_cs_store,
  .measure = cuda_volume_cs_measure,
  .fill = cuda_volume_cs_fill,
  .fetch = cuda_volume_cs_fetch,
  .destroy = cuda_volume_cs_destroy,
};
