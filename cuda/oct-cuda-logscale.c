/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to an image: plans.  The range of a B-scan, and its history, are
 * found and kept on the device; nothing comes back to the host.
 */
#include "oct-cuda-logscale.h"
#include "oct-params.h"

#include <string.h>

#define NAME "logscale"

/* B-scans whose ranges are found by one launch. */
#define MOST_TOGETHER 64u

struct _OctPlan {
  OctLogscaleParams params; /* lines: of one B-scan */
  gboolean overlap;
  gboolean forget; /* the history, with the next automatic range */
  /* 0 and 1, by automatic ranges, and by those that were found here */
  guint turn, found_turn;
  OctCudaTable range;     /* OctCudaRange */
  OctCudaExtent *extents; /* device */
  /* device [together], where that is more than 1: of B-scans that are mapped
   * together */
  OctCudaMapping *mappings;
  guint together;
};

static const struct {
  guint pixel_size;
  double full;
} image_formats[] = {
  [OCT_IMAGE_GRAY8] = { 1, 255 },
  [OCT_IMAGE_GRAY16] = { 2, 65535 },
  [OCT_IMAGE_NV12] = { 1, 255 },
  [OCT_IMAGE_RGBA] = { 4, 255 },
};

void
oct_cuda_statistics_init (OctCudaStatistics *statistics)
{
  memset (statistics, 0, sizeof (*statistics));
  statistics->lowest = OCT_CUDA_NO_LOWEST;
  statistics->highest = OCT_CUDA_NO_HIGHEST;
}

static void
cuda_logscale_destroy (OctPlan *plan)
{
  oct_cuda_table_clear (&plan->range);
  oct_cuda_free (plan->extents);
  oct_cuda_free (plan->mappings);
  g_free (plan);
}

static void
cuda_logscale_set_params (OctPlan *plan, const OctLogscaleParams *params)
{
  plan->params = *params;
  plan->params.bscans = OCT_BSCANS (params);
  plan->params.lines = params->lines / plan->params.bscans;
}

static gboolean
cuda_logscale_make_memory (OctPlan *plan, GError **error)
{
  gsize blocks = oct_cuda_extent_blocks (plan->params.lines);

  plan->together = MIN (plan->params.bscans, MOST_TOGETHER);
  plan->extents = oct_cuda_alloc (blocks * sizeof (OctCudaExtent), NAME, error);
  if (plan->extents == NULL)
    return FALSE;
  if (plan->together > 1)
    plan->mappings =
        oct_cuda_alloc (plan->together * sizeof (OctCudaMapping), NAME, error);
  return plan->together == 1 || plan->mappings != NULL;
}

static OctPlan *
cuda_logscale_create (gconstpointer data, GError **error)
{
  const OctLogscaleParams *params = data;
  OctPlan *plan;
  OctCudaRange *range;

  if (!oct_check_logscale (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  cuda_logscale_set_params (plan, params);
  plan->overlap = oct_cuda_can_overlap ();
  if (!cuda_logscale_make_memory (plan, error)
      || !oct_cuda_table_init (&plan->range, sizeof (OctCudaRange), NAME, error)
      || (range = oct_cuda_table_edit (&plan->range, NAME, error)) == NULL) {
    cuda_logscale_destroy (plan);
    return NULL;
  }
  memset (range, 0, sizeof (*range));
  for (guint turn = 0; turn < 2; turn++)
    oct_cuda_statistics_init (&range->statistics[turn]);
  return plan;
}

/* The history is converted by the device when the scale has changed. */
static gboolean
cuda_logscale_update (OctPlan *plan, gconstpointer data)
{
  const OctLogscaleParams *params = data;

  if (params->depth_bins != plan->params.depth_bins
      || params->lines / OCT_BSCANS (params) != plan->params.lines
      || params->format != plan->params.format
      || !oct_check_logscale (params, NULL))
    return FALSE;
  cuda_logscale_set_params (plan, params);
  return TRUE;
}

static void
cuda_logscale_reset (OctPlan *plan)
{
  plan->forget = TRUE;
}

OctCudaFind
oct_cuda_logscale_get_find (const OctPlan *plan)
{
  const OctLogscaleParams *params = &plan->params;

  if (params->range == OCT_RANGE_MANUAL)
    return OCT_CUDA_FIND_NOTHING;
  if (params->range == OCT_RANGE_AUTO)
    return OCT_CUDA_FIND_EXTENT;
  /* for the others there is oct_cuda_launch_find_range() */
  return params->scale == OCT_SCALE_LOG
                 && params->depth_bins >= OCT_CUDA_PASS_LEAST
             ? OCT_CUDA_FIND_CONTRAST
             : OCT_CUDA_FIND_NOTHING;
}

static gboolean
cuda_logscale_find_range (
    OctPlan *plan, OctCudaMap *map, OctCudaQueue queue, GError **error)
{
  OctCudaRange *range = plan->range.device;
  OctCudaFindRange find = {
    .ascans = map->ascans,
    .is_log = map->is_log,
    .contrast = map->contrast,
    .extents = plan->extents,
    .statistics = &range->statistics[plan->found_turn],
  };

  map->statistics = find.statistics;
  map->next = &range->statistics[1 - plan->found_turn];
  map->n_next = 1;
  map->is_behind_find = TRUE;
  plan->found_turn ^= 1;
  return oct_cuda_check (
      oct_cuda_launch_find_range (&find, queue), NAME, error);
}

static gboolean
cuda_logscale_check_image (
    const OctPlan *plan, const OctFrame *out, GError **error)
{
  const OctLogscaleParams *params = &plan->params;
  gsize pixel_size = image_formats[params->format].pixel_size;

  return oct_cuda_check_plane (
             &out->planes[0], params->lines * pixel_size, pixel_size, error)
         && (params->format != OCT_IMAGE_NV12
             || oct_cuda_check_plane (
                 &out->planes[1], (params->lines + 1) / 2 * 2, 1, error));
}

static gboolean
cuda_logscale_check_images (
    const OctPlan *plan, guint bscans, const OctFrame *out, GError **error)
{
  for (guint bscan = 0; bscan < bscans; bscan++)
    if (!cuda_logscale_check_image (plan, &out[bscan], error))
      return FALSE;
  return TRUE;
}

gboolean
oct_cuda_logscale_check (const OctPlan *plan, guint bscans, guint lines,
    guint depth_bins, const OctFrame *out, GError **error)
{
  const OctLogscaleParams *params = &plan->params;

  if (bscans > params->bscans || lines != params->lines
      || depth_bins != params->depth_bins) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There are %u B-scans of %u A-scans of %u bins where up to %u of %u of "
        "%u were expected",
        bscans, lines, depth_bins, params->bscans, params->lines,
        params->depth_bins);
    return FALSE;
  }
  return cuda_logscale_check_images (plan, bscans, out, error);
}

/* All of a mapping but the range; `stride`: bytes between two A-scans. */
static OctCudaMap
make_map (const OctPlan *plan, gconstpointer ascans, gsize stride,
    const OctFrame *out)
{
  const OctLogscaleParams *params = &plan->params;
  OctCudaMap map = {
    .ascans = { ascans, stride, params->lines, params->depth_bins, FALSE },
    .bscans = 1,
    .is_log = params->scale == OCT_SCALE_LOG,
    .pixel_size = image_formats[params->format].pixel_size,
    .images = { { out->planes[0].data, NULL } },
    .out_stride = out->planes[0].stride,
    .full = image_formats[params->format].full,
    .contrast = params->range == OCT_RANGE_CONTRAST,
    .smoothing = params->range_smoothing,
    .history = ((OctCudaRange *)plan->range.device)->history,
    .forget = plan->forget,
    .turn = plan->turn,
  };

  if (params->format == OCT_IMAGE_NV12) {
    map.images[0].chroma = out->planes[1].data;
    map.chroma_stride = out->planes[1].stride;
  }
  if (params->range == OCT_RANGE_MANUAL)
    map.mapping =
        oct_cuda_make_mapping (map.is_log, map.full, params->min, params->max);
  return map;
}

/* Finds the range where the map has none yet, and maps. */
static gboolean
run_map (OctPlan *plan, OctCudaMap *map, OctCudaQueue queue, GError **error)
{
  if (plan->params.range != OCT_RANGE_MANUAL) {
    if (!oct_cuda_table_upload (&plan->range, NAME, queue.stream, error)
        || (map->statistics == NULL
            && !cuda_logscale_find_range (plan, map, queue, error)))
      return FALSE;
    plan->forget = FALSE;
    plan->turn ^= 1;
  }
  return oct_cuda_check (oct_cuda_launch_map (map, queue), NAME, error);
}

/* Resets statistics as a map does after it has read them. */
static gboolean
make_ready (OctCudaStatistics *statistics, cudaStream_t stream, GError **error)
{
  /* nearly the largest number of all is as good as infinity */
  return oct_cuda_check (cudaMemsetAsync (&statistics->lowest, 0x7f,
                             sizeof (statistics->lowest), stream),
             NAME, error)
         && oct_cuda_check (cudaMemsetAsync (&statistics->highest, 0,
                                sizeof (statistics->highest), stream),
             NAME, error);
}

/* The powers of one B-scan. */
static gboolean
map_one (OctPlan *plan, const OctCudaPowers *powers, const OctFrame *out,
    gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaMap map = make_map (plan, powers->values, powers->stride, out);

  map.ascans.is_power = TRUE;
  if (powers->find != OCT_CUDA_FIND_NOTHING) {
    map.statistics = powers->statistics;
    map.next = powers->next;
    map.n_next = powers->n_next;
    /* parameters may have changed since */
    if (powers->find != oct_cuda_logscale_get_find (plan)) {
      map.statistics = NULL;
      for (guint i = 0; i < powers->n_next; i++)
        if (!make_ready (&powers->next[i], stream, error))
          return FALSE;
    }
  }
  return run_map (plan, &map, queue, error);
}

/* Those of `n` B-scans from B-scan `bscan` on.  The last of them make ready
 * what a frame of more B-scans has used before. */
static OctCudaPowers
get_powers (const OctPlan *plan, const OctCudaPowers *all, guint bscan, guint n)
{
  gsize rows = (gsize)bscan * plan->params.lines;
  guint left = all->n_next > bscan ? all->n_next - bscan : 0;

  return (OctCudaPowers){ all->values + rows * all->stride / sizeof (float),
    all->stride, bscan + n < all->bscans ? n : all->bscans - bscan, all->find,
    all->statistics != NULL ? all->statistics + bscan : NULL,
    all->next != NULL ? all->next + bscan : NULL,
    bscan + n < all->bscans ? MIN (n, left) : left };
}

static gboolean
is_like (const OctFrame *image, const OctFrame *other)
{
  return image->planes[0].stride == other->planes[0].stride
         && image->planes[1].stride == other->planes[1].stride;
}

/* The ranges of `bscans` B-scans to plan->mappings. */
static gboolean
find_mappings (OctPlan *plan, const OctCudaPowers *powers, OctCudaMap *map,
    OctCudaQueue queue, GError **error)
{
  map->statistics = powers->statistics;
  map->next = powers->next;
  map->n_next = powers->n_next;
  if (!oct_cuda_table_upload (&plan->range, NAME, queue.stream, error)
      || !oct_cuda_check (
          oct_cuda_launch_mappings (map, plan->mappings, queue), NAME, error))
    return FALSE;
  plan->forget = FALSE;
  plan->turn ^= 1;
  map->statistics = NULL;
  map->next = NULL;
  return TRUE;
}

/* At most plan->together B-scans, with ranges that were found with the powers
 * or are set. */
static gboolean
map_together (OctPlan *plan, guint bscans, const OctCudaPowers *powers,
    const OctFrame *out, gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaMap map = make_map (plan, powers->values, powers->stride, out);
  gboolean finds = powers->find != OCT_CUDA_FIND_NOTHING;
  guint first = 0, n;

  map.ascans.is_power = TRUE;
  map.bscans = bscans;
  if (finds && !find_mappings (plan, powers, &map, queue, error))
    return FALSE;
  for (; first < bscans; first += n) {
    OctCudaPowers some = get_powers (plan, powers, first, 1);

    for (n = 0; n < OCT_CUDA_MAP_IMAGES && first + n < bscans
                && is_like (&out[first + n], &out[first]);
         n++) {
      const OctPlane *planes = out[first + n].planes;

      map.images[n] = (OctCudaImage){ planes[0].data,
        plan->params.format == OCT_IMAGE_NV12 ? planes[1].data : NULL };
    }
    map.ascans.in = some.values;
    map.bscans = n;
    map.out_stride = out[first].planes[0].stride;
    map.chroma_stride = out[first].planes[1].stride;
    map.mappings = finds ? plan->mappings + first : NULL;
    if (!oct_cuda_check (oct_cuda_launch_map (&map, queue), NAME, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
oct_cuda_logscale_map (OctPlan *plan, const OctCudaPowers *powers,
    const OctFrame *out, gpointer stream, GError **error)
{
  OctCudaFind find = oct_cuda_logscale_get_find (plan);
  guint bscans = powers->bscans, n;

  for (guint bscan = 0; bscan < bscans; bscan += n) {
    OctCudaPowers some;
    gboolean is_known =
        plan->params.range == OCT_RANGE_MANUAL || find != OCT_CUDA_FIND_NOTHING;
    gboolean together = is_known && find == powers->find;

    n = together ? MIN (plan->together, bscans - bscan) : 1;
    some = get_powers (plan, powers, bscan, n);
    if (!(n > 1 ? map_together (plan, n, &some, &out[bscan], stream, error)
                : map_one (plan, &some, &out[bscan], stream, error)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
cuda_logscale_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  guint bscans =
      oct_frame_count_bscans (in, plan->params.lines, plan->params.bscans);

  if (!oct_cuda_check_plane (&in->planes[0],
          plan->params.depth_bins * sizeof (float2), sizeof (float2), error)
      || !cuda_logscale_check_images (plan, bscans, out, error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame one = oct_frame_get_bscan (in, bscan, plan->params.lines, 0);
    OctCudaMap map =
        make_map (plan, one.planes[0].data, one.planes[0].stride, &out[bscan]);

    if (!run_map (plan, &map, queue, error))
      return FALSE;
  }
  return TRUE;
}

/* Waits for the device: not for every B-scan. */
static gboolean
cuda_logscale_get_range (OctPlan *plan, gpointer stream, double range[2])
{
  OctCudaRange *kept = plan->range.device;
  OctCudaHistory history = { 0 };

  if (plan->params.range == OCT_RANGE_MANUAL) {
    range[0] = plan->params.min;
    range[1] = plan->params.max;
    return TRUE;
  }
  if (cudaMemcpyAsync (&history, &kept->history[plan->turn], sizeof history,
          cudaMemcpyDeviceToHost, stream)
          != cudaSuccess
      || cudaStreamSynchronize (stream) != cudaSuccess)
    return FALSE;
  range[0] = history.min;
  range[1] = history.max;
  return history.is_valid
         && (history.is_log != 0) == (plan->params.scale == OCT_SCALE_LOG);
}

const OctOperationTable oct_cuda_logscale = {
  .create = cuda_logscale_create,
  .update = cuda_logscale_update,
  .run = cuda_logscale_run,
  .reset = cuda_logscale_reset,
  .get_range = cuda_logscale_get_range,
  .destroy = cuda_logscale_destroy,
};
