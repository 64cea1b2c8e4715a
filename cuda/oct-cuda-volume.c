/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes on the screen: what a volume has on the device, and the order of its
 * work.
 *
 * Images are stored into `raw`, in their own stream; show() smooths the changed
 * B-scans into one of two sets, and pictures are made of the other one until
 * that is done.  So storing never waits for a picture, unless two volumes have
 * been shown since it began.  Pictures, and the measurements for them, have a
 * stream of their own with the lowest priority.
 */
#include "oct-cuda-private.h"
#include "oct-cuda-timer.h"
#include "oct-cuda-volume-parts.h"

#include "oct-volume-noise.h"
#include "oct-volume-scene.h"

#include <string.h>

#define NAME "volume"
#define SETS 2

/* Rows of `raw` and of arrays are written in words of that many bytes. */
#define ROW_ALIGNMENT 16u

typedef struct {
  cudaArray_t array;
  cudaSurfaceObject_t surface;
  cudaTextureObject_t texture;
} Array;

typedef struct {
  Array voxels;
  uchar2 *extents;
  guint8 *stale;     /* [ny] host: to be smoothed */
  guint8 *there;     /* [ny] host: part of `voxels` */
  cudaEvent_t ready; /* smoothed */
  cudaEvent_t drawn; /* no picture reads it any more */
} Set;

G_STATIC_ASSERT (OCT_CUDA_VOLUME_MOST_BSCANS == OCT_VOLUME_MAX_SIZE);

/* Tables that pictures read besides the voxels, one copy to the device. */
typedef struct {
  OctTransferEntry entries[OCT_TRANSFER_SIZE];
  guint16 seen[257];
} Tables;

/* Counts of voxels: on the device, and on their way to the host. */
typedef struct {
  OctVolumeLevels *device, *host;
  cudaEvent_t copied;
  gboolean stale;      /* what is shown has not been counted */
  gboolean on_the_way; /* to `host` */
  gboolean told;       /* the caller has had some since all was cleared */
} Levels;

struct _OctVolume {
  OctVolumeParams params;
  guint nx, ny, nz, tx, tz, gx, gy, gz;

  guint8 *raw;
  gsize raw_row;
  guint8 *there; /* [ny] host: stored in it */
  Set sets[SETS];
  guint front;      /* the set that pictures are of */
  gboolean shown;   /* there is something in it */
  gboolean changed; /* since cells were found */

  uchar2 *cells;
  guint8 *distance, *scratch;
  Array extinction, light;
  OctCudaTable tables;
  OctTransfer transfer; /* that the tables are of */
  OctPoint half;        /* that the light is of */
  float top;            /* the same: low.z */
  gboolean has_tables, has_distance, has_light;

  Levels levels;

  guint8 *small; /* RGBA of fewer rays */
  gsize small_size;

  cudaStream_t stream; /* of pictures */
  OctCudaTimer timer;
};

static gboolean
cuda_volume_check (cudaError_t status, GError **error)
{
  return oct_cuda_check (status, NAME, error);
}

static void
cuda_volume_ignore (cudaError_t status)
{
  if (status != cudaSuccess)
    cudaGetLastError ();
}

/* ------------------------------------------------------------------- arrays */

typedef struct {
  struct cudaChannelFormatDesc channels;
  enum cudaTextureAddressMode beyond;
  enum cudaTextureReadMode read;
  gboolean normalized; /* coordinates 0 .. 1 */
} ArrayKind;

static gboolean
array_init (Array *array, const ArrayKind *kind, guint width, guint height,
    guint depth, GError **error)
{
  struct cudaExtent extent = { width, height, depth };
  struct cudaResourceDesc resource = { .resType = cudaResourceTypeArray };
  struct cudaTextureDesc texture = {
    .addressMode = { kind->beyond, kind->beyond, kind->beyond },
    .filterMode = cudaFilterModeLinear,
    .readMode = kind->read,
    .normalizedCoords = kind->normalized,
  };

  if (!cuda_volume_check (cudaMalloc3DArray (&array->array, &kind->channels,
                              extent, cudaArraySurfaceLoadStore),
          error))
    return FALSE;
  resource.res.array.array = array->array;
  return cuda_volume_check (
             cudaCreateSurfaceObject (&array->surface, &resource), error)
         && cuda_volume_check (cudaCreateTextureObject (
                                   &array->texture, &resource, &texture, NULL),
             error);
}

static void
array_clear (Array *array)
{
  if (array->texture != 0)
    cuda_volume_ignore (cudaDestroyTextureObject (array->texture));
  if (array->surface != 0)
    cuda_volume_ignore (cudaDestroySurfaceObject (array->surface));
  if (array->array != NULL)
    cuda_volume_ignore (cudaFreeArray (array->array));
}

/* ------------------------------------------------------------ create, destroy
 */

static void
cuda_volume_destroy (OctVolume *volume)
{
  if (volume->stream != NULL)
    cuda_volume_ignore (cudaStreamSynchronize (volume->stream));
  for (guint i = 0; i < SETS; i++) {
    Set *set = &volume->sets[i];

    /* smoothing is in another stream */
    if (set->ready != NULL) {
      cuda_volume_ignore (cudaEventSynchronize (set->ready));
      cuda_volume_ignore (cudaEventDestroy (set->ready));
    }
    if (set->drawn != NULL)
      cuda_volume_ignore (cudaEventDestroy (set->drawn));
    array_clear (&set->voxels);
    oct_cuda_free (set->extents);
    g_free (set->stale);
    g_free (set->there);
  }
  array_clear (&volume->extinction);
  array_clear (&volume->light);
  oct_cuda_table_clear (&volume->tables);
  oct_cuda_free (volume->raw);
  g_free (volume->there);
  oct_cuda_free (volume->cells);
  oct_cuda_free (volume->distance);
  oct_cuda_free (volume->scratch);
  oct_cuda_free (volume->small);
  oct_cuda_free (volume->levels.device);
  if (volume->levels.host != NULL)
    cuda_volume_ignore (cudaFreeHost (volume->levels.host));
  if (volume->levels.copied != NULL)
    cuda_volume_ignore (cudaEventDestroy (volume->levels.copied));
  oct_cuda_timer_clear (&volume->timer);
  if (volume->stream != NULL)
    cuda_volume_ignore (cudaStreamDestroy (volume->stream));
  g_free (volume);
}

gboolean
oct_cuda_volume_check_memory (
    const OctVolumeParams *params, guint64 needed, GError **error)
{
  gsize unused = 0, total = 0;

  if (!cuda_volume_check (cudaMemGetInfo (&unused, &total), error))
    return FALSE;
  if (needed <= unused)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "A volume of %u B-scans of %u A-lines and %u depths needs "
      "%" G_GUINT64_FORMAT " MB of memory on the GPU, where %" G_GUINT64_FORMAT
      " of %" G_GUINT64_FORMAT
      " MB are free; set a larger `decimation` or fewer "
      "`bscans`.",
      params->bscans, params->lines, params->depth, needed >> 20,
      (guint64)unused >> 20, (guint64)total >> 20);
  return FALSE;
}

static gboolean
init_sets (OctVolume *volume, GError **error)
{
  const ArrayKind kind = { cudaCreateChannelDesc (
                               8, 0, 0, 0, cudaChannelFormatKindUnsigned),
    cudaAddressModeClamp, cudaReadModeNormalizedFloat, FALSE };

  for (guint i = 0; i < SETS; i++) {
    Set *set = &volume->sets[i];

    set->stale = g_malloc (volume->ny);
    set->there = g_malloc0 (volume->ny);
    if (!array_init (&set->voxels, &kind, (guint)volume->raw_row, volume->nz,
            volume->ny, error)
        || !(set->extents = oct_cuda_alloc (
                 (gsize)volume->tx * volume->tz * volume->ny * sizeof (uchar2),
                 NAME, error))
        || !cuda_volume_check (
            cudaEventCreateWithFlags (&set->ready, cudaEventDisableTiming),
            error)
        || !cuda_volume_check (
            cudaEventCreateWithFlags (&set->drawn, cudaEventDisableTiming),
            error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
init_light (OctVolume *volume, GError **error)
{
  /* nothing dims the light outside */
  const ArrayKind extinction = { cudaCreateChannelDesc (
                                     32, 0, 0, 0, cudaChannelFormatKindFloat),
    cudaAddressModeBorder, cudaReadModeElementType, TRUE };
  const ArrayKind light = { cudaCreateChannelDesc (
                                8, 8, 0, 0, cudaChannelFormatKindUnsigned),
    cudaAddressModeClamp, cudaReadModeNormalizedFloat, TRUE };

  return array_init (&volume->extinction, &extinction, OCT_VOLUME_LIGHT_X,
             OCT_VOLUME_LIGHT_Z, OCT_VOLUME_LIGHT_Y, error)
         && array_init (&volume->light, &light, OCT_VOLUME_LIGHT_X,
             OCT_VOLUME_LIGHT_Z, OCT_VOLUME_LIGHT_Y, error);
}

/* A blocking stream: a picture that is read by the NULL stream is done. */
static gboolean
init_stream (OctVolume *volume, GError **error)
{
  int least = 0, greatest = 0;

  return cuda_volume_check (
             cudaDeviceGetStreamPriorityRange (&least, &greatest), error)
         && cuda_volume_check (cudaStreamCreateWithPriority (
                                   &volume->stream, cudaStreamDefault, least),
             error)
         && oct_cuda_timer_init (&volume->timer, NAME, error);
}

static gboolean
init_levels (Levels *levels, GError **error)
{
  return (levels->device = oct_cuda_alloc (sizeof *levels->device, NAME, error))
         && cuda_volume_check (
             cudaMallocHost ((void **)&levels->host, sizeof *levels->host),
             error)
         && cuda_volume_check (
             cudaEventCreateWithFlags (&levels->copied, cudaEventDisableTiming),
             error);
}

static gboolean
init_all (OctVolume *volume, GError **error)
{
  gsize cells = (gsize)volume->gx * volume->gy * volume->gz;

  return init_stream (volume, error) && init_sets (volume, error)
         && init_light (volume, error) && init_levels (&volume->levels, error)
         && (volume->raw = oct_cuda_alloc (
                 volume->raw_row * volume->nz * volume->ny, NAME, error))
         && (volume->cells =
                 oct_cuda_alloc (cells * sizeof (uchar2), NAME, error))
         && (volume->distance = oct_cuda_alloc (cells, NAME, error))
         && (volume->scratch = oct_cuda_alloc (cells, NAME, error))
         && oct_cuda_table_init (&volume->tables, sizeof (Tables), NAME, error);
}

static gboolean
cuda_volume_clear (OctVolume *volume, gpointer stream, GError **error)
{
  for (guint i = 0; i < SETS; i++)
    memset (volume->sets[i].stale, TRUE, volume->ny);
  memset (volume->there, 0, volume->ny);
  volume->levels.told = FALSE;
  return cuda_volume_check (
      cudaMemsetAsync (volume->raw, 0,
          volume->raw_row * volume->nz * volume->ny, (cudaStream_t)stream),
      error);
}

static OctVolume *
cuda_volume_create (const OctVolumeParams *params, GError **error)
{
  OctVolume *volume;

  if (!oct_volume_params_check (params, error)
      || !oct_cuda_volume_check_memory (
          params, oct_volume_get_size (params), error))
    return NULL;
  volume = g_new0 (OctVolume, 1);
  volume->params = *params;
  volume->nx = params->lines;
  volume->ny = params->bscans;
  volume->there = g_malloc0 (volume->ny);
  volume->nz = oct_volume_get_depth (params);
  volume->gx = volume->tx = OCT_VOLUME_CELLS (volume->nx);
  volume->gy = OCT_VOLUME_CELLS (volume->ny);
  volume->gz = volume->tz = OCT_VOLUME_CELLS (volume->nz);
  volume->raw_row =
      (volume->nx + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
  /* nothing may read before zeros are there: pictures and images have streams
   * of their own */
  if (init_all (volume, error) && cuda_volume_clear (volume, NULL, error)
      && cuda_volume_check (cudaStreamSynchronize (NULL), error))
    return volume;
  cuda_volume_destroy (volume);
  return NULL;
}

/* --------------------------------------------------------------- store, show
 */

static gboolean
cuda_volume_store (OctVolume *volume, const OctFrame *images, guint first,
    guint n, gpointer stream, GError **error)
{
  const OctPlane *plane = &images->planes[0];
  OctCudaVolumeStore store = { .images = plane->data,
    .stride = plane->stride,
    .pixel_size = volume->params.pixel_size,
    .decimation = volume->params.decimation,
    .depth = volume->params.depth,
    .raw = volume->raw + (gsize)first * volume->nz * volume->raw_row,
    .raw_row = volume->raw_row,
    .nx = volume->nx,
    .nz = volume->nz,
    .bscans = n };

  if (!oct_cuda_check_plane (
          plane, (gsize)volume->nx * volume->params.pixel_size, 1, error))
    return FALSE;
  g_return_val_if_fail (first + n <= volume->ny, FALSE);
  /* it is part of the smoothed B-scans before and after it */
  for (guint i = 0; i < SETS; i++)
    for (guint y = first > 0 ? first - 1 : 0;
         y < MIN (first + n + 1, volume->ny); y++)
      volume->sets[i].stale[y] = TRUE;
  memset (volume->there + first, TRUE, n);
  return cuda_volume_check (
      oct_cuda_launch_volume_store (&store, (cudaStream_t)stream), error);
}

/* Smooths the stale B-scans, run by run. */
static gboolean
cuda_volume_smooth (
    OctVolume *volume, Set *set, cudaStream_t stream, GError **error)
{
  OctCudaVolumeSmooth s = { .raw = volume->raw,
    .raw_row = volume->raw_row,
    .nx = volume->nx,
    .ny = volume->ny,
    .nz = volume->nz,
    .outer = volume->params.decimation == 1,
    .voxels = set->voxels.surface,
    .extents = set->extents,
    .tx = volume->tx,
    .tz = volume->tz };

  for (guint y = 0; y < volume->ny;) {
    guint end = y;

    while (end < volume->ny && set->stale[end])
      set->stale[end++] = FALSE;
    s.first = y;
    s.count = end - y;
    if (s.count > 0
        && !cuda_volume_check (
            oct_cuda_launch_volume_smooth (&s, stream), error))
      return FALSE;
    y = end + 1;
  }
  return TRUE;
}

static gboolean
cuda_volume_show (OctVolume *volume, gpointer data, GError **error)
{
  cudaStream_t stream = (cudaStream_t)data;
  guint back = (volume->front + 1) % SETS;
  Set *set = &volume->sets[back];

  if (!cuda_volume_check (cudaStreamWaitEvent (stream, set->drawn, 0), error)
      || !cuda_volume_smooth (volume, set, stream, error)
      || !cuda_volume_check (cudaEventRecord (set->ready, stream), error))
    return FALSE;
  memcpy (set->there, volume->there, volume->ny);
  volume->front = back;
  volume->shown = volume->changed = volume->levels.stale = TRUE;
  return TRUE;
}

/* ------------------------------------------------------------------- counts */

/* In the stream of pictures, and part of them: the next show() waits for it as
 * for a picture. */
static gboolean
cuda_volume_count (OctVolume *volume, GError **error)
{
  Set *set = &volume->sets[volume->front];
  Levels *levels = &volume->levels;
  OctCudaVolumeCount count = { .voxels = set->voxels.surface,
    .nx = volume->nx,
    .ny = volume->ny,
    .nz = volume->nz,
    .step = oct_volume_levels_get_step (&volume->params),
    .first = oct_volume_levels_get_first (&volume->params),
    .levels = levels->device };
  guint8 chosen[OCT_VOLUME_MAX_SIZE];

  oct_volume_levels_choose (&volume->params, set->there, chosen);
  for (guint y = 0; y < volume->ny; y++)
    count.chosen[y / 32] |= (guint32)chosen[y] << y % 32;
  levels->stale = FALSE;
  levels->on_the_way = TRUE;
  return cuda_volume_check (
             cudaStreamWaitEvent (volume->stream, set->ready, 0), error)
         && cuda_volume_check (
             oct_cuda_launch_volume_count (&count, volume->stream), error)
         && cuda_volume_check (
             cudaMemcpyAsync (levels->host, levels->device,
                 sizeof *levels->host, cudaMemcpyDeviceToHost, volume->stream),
             error)
         && cuda_volume_check (
             cudaEventRecord (levels->copied, volume->stream), error)
         && cuda_volume_check (
             cudaEventRecord (set->drawn, volume->stream), error);
}

/* Takes counts that have arrived; `wait`: until they have. */
static gboolean
cuda_volume_take_counts (OctVolume *volume, gboolean wait, OctVolumeLevels *to,
    gboolean *changed, GError **error)
{
  Levels *levels = &volume->levels;
  cudaError_t status;

  if (!levels->on_the_way)
    return TRUE;
  status = wait ? cudaEventSynchronize (levels->copied)
                : cudaEventQuery (levels->copied);
  if (status == cudaErrorNotReady) {
    cudaGetLastError ();
    return TRUE;
  }
  if (!cuda_volume_check (status, error))
    return FALSE;
  levels->on_the_way = FALSE;
  levels->told = *changed = TRUE;
  *to = *levels->host;
  return TRUE;
}

static gboolean
cuda_volume_get_levels (
    OctVolume *volume, OctVolumeLevels *to, gboolean *changed, GError **error)
{
  Levels *levels = &volume->levels;
  gboolean wait = !levels->told;

  *changed = FALSE;
  if (!volume->shown && !cuda_volume_show (volume, volume->stream, error))
    return FALSE;
  /* without waiting for those of another volume */
  if (wait && levels->stale)
    levels->on_the_way = FALSE;
  if (!cuda_volume_take_counts (volume, FALSE, to, changed, error))
    return FALSE;
  if (!levels->on_the_way && levels->stale
      && !cuda_volume_count (volume, error))
    return FALSE;
  return !wait || cuda_volume_take_counts (volume, TRUE, to, changed, error);
}

/* ----------------------------------------------------------------- pictures */

static gboolean
take_transfer (OctVolume *volume, const OctTransfer *transfer, GError **error)
{
  Tables *tables;

  if (volume->has_tables
      && memcmp (&volume->transfer, transfer, sizeof *transfer) == 0)
    return TRUE;
  tables = oct_cuda_table_edit (&volume->tables, NAME, error);
  if (tables == NULL)
    return FALSE;
  memcpy (tables->entries, transfer->entries, sizeof tables->entries);
  oct_volume_get_seen (transfer, tables->seen);
  volume->transfer = *transfer;
  volume->has_tables = TRUE;
  volume->has_distance = volume->has_light = FALSE;
  return oct_cuda_table_upload (&volume->tables, NAME, volume->stream, error);
}

static gboolean
cuda_volume_find_cells (OctVolume *volume, gboolean distances, GError **error)
{
  OctCudaVolumeCells cells = { .extents = volume->sets[volume->front].extents,
    .tx = volume->tx,
    .tz = volume->tz,
    .ny = volume->ny,
    .cells = volume->cells,
    .distance = volume->distance,
    .scratch = volume->scratch,
    .gx = volume->gx,
    .gy = volume->gy,
    .gz = volume->gz,
    .seen = ((const Tables *)volume->tables.device)->seen };

  if (volume->changed) {
    if (!cuda_volume_check (
            oct_cuda_launch_volume_cells (&cells, volume->stream), error))
      return FALSE;
    volume->has_distance = volume->has_light = FALSE;
    volume->changed = FALSE;
  }
  if (!distances || volume->has_distance)
    return TRUE;
  volume->has_distance = TRUE;
  return cuda_volume_check (
      oct_cuda_launch_volume_distances (&cells, volume->stream), error);
}

static OctCudaVolumeRead
get_read (OctVolume *volume)
{
  return (
      OctCudaVolumeRead){ .voxels = volume->sets[volume->front].voxels.texture,
    .light = volume->light.texture,
    .extinction = volume->extinction.texture,
    .distance = volume->distance,
    .cells = volume->cells,
    .transfer = ((const Tables *)volume->tables.device)->entries };
}

static gboolean
cuda_volume_find_light (
    OctVolume *volume, const OctVolumeScene *scene, GError **error)
{
  OctCudaVolumeLight light = { .scene = *scene,
    .read = get_read (volume),
    .extinction = volume->extinction.surface,
    .light = volume->light.surface };

  if (volume->has_light
      && memcmp (&volume->half, &scene->half, sizeof volume->half) == 0
      && volume->top == scene->low.z)
    return TRUE;
  oct_volume_get_directions (light.directions);
  volume->half = scene->half;
  volume->top = scene->low.z;
  volume->has_light = TRUE;
  return cuda_volume_check (
      oct_cuda_launch_volume_light (&light, volume->stream), error);
}

/* With fewer rays than pixels, a picture of them in between. */
static gboolean
cuda_volume_set_target (OctVolume *volume, const OctVolumePicture *picture,
    guint coarseness, OctCudaVolumeTarget *rays, OctCudaVolumeTarget *to,
    GError **error)
{
  gsize size;

  *to = (OctCudaVolumeTarget){ .planes = { picture->frame.planes[0].data,
                                   picture->frame.planes[1].data },
    .strides = { picture->frame.planes[0].stride,
        picture->frame.planes[1].stride },
    .width = picture->width / picture->n_eyes,
    .height = picture->height,
    .eyes = picture->n_eyes,
    .is_nv12 = picture->format == OCT_IMAGE_NV12 };
  *rays = *to;
  if (coarseness == 1)
    return TRUE;
  rays->width = (to->width + coarseness - 1) / coarseness;
  rays->height = (to->height + coarseness - 1) / coarseness;
  rays->is_nv12 = FALSE;
  rays->strides[0] = (gsize)rays->width * rays->eyes * 4;
  size = rays->strides[0] * rays->height;
  if (size > volume->small_size) {
    /* freeing waits for pictures under way */
    oct_cuda_free (volume->small);
    volume->small_size = 0;
    volume->small = oct_cuda_alloc (size, NAME, error);
    if (volume->small == NULL)
      return FALSE;
    volume->small_size = size;
  }
  rays->planes[0] = volume->small;
  return TRUE;
}

static gboolean
cast_rays (OctVolume *volume, const OctVolumeScene *scene,
    const OctVolumeLook *look, const OctVolumePicture *picture, GError **error)
{
  OctCudaVolumeRender render = { .scene = *scene,
    .read = get_read (volume),
    .eyes = { picture->eyes[0], picture->eyes[1] },
    .mode = look->mode };
  OctCudaVolumeTarget to;

  return cuda_volume_set_target (
             volume, picture, look->coarseness, &render.to, &to, error)
         && cuda_volume_check (
             oct_cuda_launch_volume_render (&render, volume->stream), error)
         && (look->coarseness == 1
             || cuda_volume_check (
                 oct_cuda_launch_volume_scale (&render.to, &to, volume->stream),
                 error));
}

static gboolean
cuda_volume_check_frame (const OctVolumePicture *p, GError **error)
{
  gboolean is_nv12 = p->format == OCT_IMAGE_NV12;

  return oct_cuda_check_plane (&p->frame.planes[0],
             is_nv12 ? p->width : 4 * (gsize)p->width, is_nv12 ? 1 : 4, error)
         && (!is_nv12
             || oct_cuda_check_plane (
                 &p->frame.planes[1], ((gsize)p->width + 1) / 2 * 2, 2, error));
}

static gboolean
cuda_volume_render (OctVolume *volume, const OctVolumeLook *look,
    const OctVolumePicture *picture, GError **error)
{
  Set *set;
  gboolean sums = look->mode == OCT_VOLUME_MIP || look->mode == OCT_VOLUME_MEAN;
  gboolean lit = look->mode == OCT_VOLUME_FULL || look->mode == OCT_VOLUME_ONCE;
  OctVolumeScene scene;
  gboolean timed;

  if (!oct_volume_look_check (look, error)
      || !oct_volume_picture_check (picture, error)
      || !cuda_volume_check_frame (picture, error)
      || (!volume->shown && !cuda_volume_show (volume, volume->stream, error)))
    return FALSE;
  set = &volume->sets[volume->front];
  oct_volume_scene_init (&scene, &volume->params, look);
  if (!cuda_volume_check (
          cudaStreamWaitEvent (volume->stream, set->ready, 0), error)
      || !oct_cuda_timer_begin (
          &volume->timer, volume->stream, &timed, NAME, error)
      || !take_transfer (volume, look->transfer, error)
      || !cuda_volume_find_cells (volume, !sums, error)
      || (lit && !cuda_volume_find_light (volume, &scene, error))
      || !cast_rays (volume, &scene, look, picture, error)
      || !oct_cuda_timer_end (
          &volume->timer, volume->stream, timed, NAME, error))
    return FALSE;
  return cuda_volume_check (
      cudaEventRecord (set->drawn, volume->stream), error);
}

static gpointer
cuda_volume_get_stream (OctVolume *volume)
{
  return volume->stream;
}

static double
cuda_volume_get_time (OctVolume *volume)
{
  return oct_cuda_timer_get (&volume->timer);
}

const OctVolumeTable oct_cuda_volume = {
  .create = cuda_volume_create,
  .store = cuda_volume_store,
  .show = cuda_volume_show,
  .render = cuda_volume_render,
  .clear = cuda_volume_clear,
  .get_levels = cuda_volume_get_levels,
  .get_stream = cuda_volume_get_stream,
  .get_time = cuda_volume_get_time,
  .destroy = cuda_volume_destroy,
};
