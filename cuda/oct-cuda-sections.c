/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sections of volumes: what a volume has on the device, and the order of its
 * work.
 *
 * All of it is done in the stream of the images: a section is made in some tens
 * of microseconds, in order after the images that it shows.
 */
#include "oct-cuda-private.h"
#include "oct-cuda-sections.h"
#include "oct-cuda-timer.h"
#include "oct-cuda-volume-parts.h"

#include <string.h>

#define NAME "sections"

/* Rows are written in words, see OctCudaVolumeStore. */
#define ROW_ALIGNMENT 16u

/* The OctVolume of this table. */
typedef struct {
  OctVolumeParams params;
  guint nx, ny, nz;
  guint8 *raw, *shown; /* stored, and what of it pictures are of */
  gsize row;
  guint8 *stale; /* [ny] host: raw differs from shown */

  OctEnfaceState state; /* host */
  gint16 *found;
  float *projected;
  float2 *range;
  OctCudaTable there; /* [ny] of the state */
  gboolean has_there;

  OctCudaTimer timer;
} Sections;

#define SECTIONS(volume) ((Sections *)(volume))

static gboolean
cuda_sections_check (cudaError_t status, GError **error)
{
  return oct_cuda_check (status, NAME, error);
}

/* ----------------------------------------------------------- create, destroy
 */

static void
cuda_sections_destroy (OctVolume *volume)
{
  Sections *s = SECTIONS (volume);

  /* which waits for queued work */
  oct_cuda_free (s->raw);
  oct_cuda_free (s->shown);
  oct_cuda_free (s->found);
  oct_cuda_free (s->projected);
  oct_cuda_free (s->range);
  oct_cuda_table_clear (&s->there);
  oct_cuda_timer_clear (&s->timer);
  oct_enface_state_clear (&s->state);
  g_free (s->stale);
  g_free (s);
}

static gboolean
cuda_sections_alloc_all (Sections *s, GError **error)
{
  gsize voxels = s->row * s->ny * s->nz, lines = (gsize)s->nx * s->ny;

  return (s->raw = oct_cuda_alloc (voxels, NAME, error))
         && (s->shown = oct_cuda_alloc (voxels, NAME, error))
         && (s->found = oct_cuda_alloc (lines * sizeof *s->found, NAME, error))
         && (s->projected =
                 oct_cuda_alloc (lines * sizeof *s->projected, NAME, error))
         && (s->range = oct_cuda_alloc (sizeof *s->range, NAME, error))
         && oct_cuda_table_init (&s->there, s->ny, NAME, error)
         && oct_cuda_timer_init (&s->timer, NAME, error);
}

static gboolean
cuda_sections_clear (OctVolume *volume, gpointer stream, GError **error)
{
  Sections *s = SECTIONS (volume);
  gsize voxels = s->row * s->ny * s->nz;

  memset (s->stale, FALSE, s->ny);
  oct_enface_state_forget (&s->state);
  s->has_there = FALSE;
  return cuda_sections_check (
             cudaMemsetAsync (s->raw, 0, voxels, (cudaStream_t)stream), error)
         && cuda_sections_check (
             cudaMemsetAsync (s->shown, 0, voxels, (cudaStream_t)stream),
             error);
}

static OctVolume *
cuda_sections_create (const OctVolumeParams *params, GError **error)
{
  Sections *s;

  if (!oct_volume_params_check (params, error)
      || !oct_cuda_volume_check_memory (
          params, oct_section_get_size (params), error))
    return NULL;
  s = g_new0 (Sections, 1);
  s->params = *params;
  s->nx = params->lines;
  s->ny = params->bscans;
  s->nz = oct_volume_get_depth (params);
  s->row = (s->nx + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
  s->stale = g_malloc (s->ny);
  oct_enface_state_init (&s->state, s->ny);
  /* images are stored in a stream that does not wait for the NULL stream */
  if (cuda_sections_alloc_all (s, error)
      && cuda_sections_clear ((OctVolume *)s, NULL, error)
      && cuda_sections_check (cudaStreamSynchronize (NULL), error))
    return (OctVolume *)s;
  cuda_sections_destroy ((OctVolume *)s);
  return NULL;
}

/* --------------------------------------------------------------- store, show
 */

static gboolean
cuda_sections_store (OctVolume *volume, const OctFrame *images, guint first,
    guint n, gpointer stream, GError **error)
{
  Sections *s = SECTIONS (volume);
  const OctPlane *plane = &images->planes[0];
  OctCudaVolumeStore store = { .images = plane->data,
    .stride = plane->stride,
    .pixel_size = s->params.pixel_size,
    .decimation = s->params.decimation,
    .depth = s->params.depth,
    .raw = s->raw + (gsize)first * s->nz * s->row,
    .raw_row = s->row,
    .nx = s->nx,
    .nz = s->nz,
    .bscans = n };

  if (!oct_cuda_check_plane (
          plane, (gsize)s->nx * s->params.pixel_size, 1, error))
    return FALSE;
  g_return_val_if_fail (first + n <= s->ny, FALSE);
  memset (s->stale + first, TRUE, n);
  return cuda_sections_check (
      oct_cuda_launch_volume_store (&store, (cudaStream_t)stream), error);
}

static gboolean
cuda_sections_show (OctVolume *volume, gpointer stream, GError **error)
{
  Sections *s = SECTIONS (volume);
  gsize size = s->row * s->nz;
  guint first = 0, n;

  while (oct_enface_next_run (s->stale, s->ny, &first, &n)) {
    if (!cuda_sections_check (
            cudaMemcpyAsync (s->shown + first * size, s->raw + first * size,
                n * size, cudaMemcpyDeviceToDevice, (cudaStream_t)stream),
            error))
      return FALSE;
    for (; n > 0; n--)
      oct_enface_state_change (&s->state, first++);
    s->has_there = FALSE;
  }
  return TRUE;
}

/* ----------------------------------------------------------------- pictures
 */

static OctCudaVoxels
cuda_sections_get_voxels (const Sections *s)
{
  return (OctCudaVoxels){ s->shown, s->row, s->nx, s->ny, s->nz };
}

/* Where the grey levels go; the chroma of NV12 is filled. */
static gboolean
begin_picture (const OctSectionPicture *p, OctCudaGrey *to, cudaStream_t stream,
    GError **error)
{
  const OctPlane *plane = &p->frame.planes[0];
  guint pixel_size = p->format == OCT_IMAGE_RGBA ? 4 : 1;

  if (!oct_section_picture_check (p, error)
      || !oct_cuda_check_plane (
          plane, (gsize)p->width * pixel_size, pixel_size, error))
    return FALSE;
  *to = (OctCudaGrey){ plane->data, plane->stride, p->width, p->height,
    pixel_size };
  return p->format != OCT_IMAGE_NV12
         || oct_cuda_clear_chroma (
             &p->frame.planes[1], p->width, p->height, NAME, stream, error);
}

static void
copy_point (const OctPoint *from, float to[3])
{
  to[0] = from->x;
  to[1] = from->y;
  to[2] = from->z;
}

static gboolean
cuda_sections_slice (OctVolume *volume, const OctSlice *slice,
    const OctSectionPicture *picture, gpointer data, GError **error)
{
  Sections *s = SECTIONS (volume);
  cudaStream_t stream = (cudaStream_t)data;
  OctCudaSlice launch = { .from = cuda_sections_get_voxels (s) };
  gboolean timed;

  if (!oct_slice_check (slice, error)
      || !oct_cuda_timer_begin (&s->timer, stream, &timed, NAME, error)
      || !begin_picture (picture, &launch.to, stream, error))
    return FALSE;
  copy_point (&slice->origin, launch.origin);
  copy_point (&slice->right, launch.right);
  copy_point (&slice->down, launch.down);
  return cuda_sections_check (oct_cuda_launch_slice (&launch, stream), error)
         && oct_cuda_timer_end (&s->timer, stream, timed, NAME, error);
}

static const OctCudaEnfaceMode modes[OCT_N_ENFACE_MODES] = {
  [OCT_ENFACE_MEAN] = OCT_CUDA_MEAN,
  [OCT_ENFACE_MAX] = OCT_CUDA_MAX,
  [OCT_ENFACE_SUM] = OCT_CUDA_SUM,
  [OCT_ENFACE_DEPTH] = OCT_CUDA_DEPTH,
};

static gboolean
cuda_sections_project (
    Sections *s, const OctEnface *e, cudaStream_t stream, GError **error)
{
  OctCudaEnface launch = { .from = cuda_sections_get_voxels (s),
    .mode = modes[e->mode],
    .start = e->start,
    .thickness = e->thickness,
    .threshold = e->threshold,
    .flatten = e->flatten,
    .surface_from = e->surface_from,
    .surface_rise = e->surface_rise,
    .surface_radius = e->surface_radius,
    .found = s->found,
    .projected = s->projected };

  oct_enface_state_take (&s->state, e);
  while (e->flatten
         && oct_enface_next_run (
             s->state.found, s->ny, &launch.first, &launch.count)) {
    if (!cuda_sections_check (oct_cuda_launch_surface (&launch, stream), error))
      return FALSE;
    launch.first += launch.count;
  }
  launch.first = 0;
  while (oct_enface_next_run (
      s->state.project, s->ny, &launch.first, &launch.count)) {
    if (!cuda_sections_check (oct_cuda_launch_project (&launch, stream), error))
      return FALSE;
    launch.first += launch.count;
  }
  return TRUE;
}

static gboolean
cuda_sections_find_range (
    Sections *s, const OctEnface *e, cudaStream_t stream, GError **error)
{
  OctCudaEnfaceRange range = { .projected = s->projected,
    .nx = s->nx,
    .ny = s->ny,
    .full = oct_enface_get_full (e, s->nz),
    .range = s->range };

  if (!s->has_there) {
    guint8 *there = oct_cuda_table_edit (&s->there, NAME, error);

    if (there == NULL)
      return FALSE;
    memcpy (there, s->state.there, s->ny);
    s->has_there = TRUE;
  }
  if (!oct_cuda_table_upload (&s->there, NAME, stream, error))
    return FALSE;
  range.there = s->there.device;
  return cuda_sections_check (
      oct_cuda_launch_enface_range (&range, stream), error);
}

static gboolean
cuda_sections_enface (OctVolume *volume, const OctEnface *enface,
    const OctSectionPicture *picture, gpointer data, GError **error)
{
  Sections *s = SECTIONS (volume);
  cudaStream_t stream = (cudaStream_t)data;
  gboolean depths = enface->mode == OCT_ENFACE_DEPTH;
  gboolean find = enface->is_auto && !depths;
  OctCudaEnfacePicture launch = { .projected = s->projected,
    .nx = s->nx,
    .ny = s->ny,
    .range = find ? s->range : NULL,
    .black = (float)enface->black,
    .white = (float)enface->white,
    .thickness = depths ? enface->thickness : 0 };
  gboolean timed;

  return oct_enface_check (enface, error)
         && oct_cuda_timer_begin (&s->timer, stream, &timed, NAME, error)
         && begin_picture (picture, &launch.to, stream, error)
         && cuda_sections_project (s, enface, stream, error)
         && (!find || cuda_sections_find_range (s, enface, stream, error))
         && cuda_sections_check (
             oct_cuda_launch_enface_picture (&launch, stream), error)
         && oct_cuda_timer_end (&s->timer, stream, timed, NAME, error);
}

static gpointer
cuda_sections_get_stream (OctVolume *volume)
{
  return NULL;
}

static double
cuda_sections_get_time (OctVolume *volume)
{
  return oct_cuda_timer_get (&SECTIONS (volume)->timer);
}

const OctVolumeTable oct_cuda_sections = {
  .create = cuda_sections_create,
  .store = cuda_sections_store,
  .show = cuda_sections_show,
  .slice = cuda_sections_slice,
  .enface = cuda_sections_enface,
  .clear = cuda_sections_clear,
  .get_stream = cuda_sections_get_stream,
  .get_time = cuda_sections_get_time,
  .destroy = cuda_sections_destroy,
};
