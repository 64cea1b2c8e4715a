/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cuda-gridding.h"

#include <string.h>

static gboolean
on_the_fly (const OctCudaGridding *g)
{
  return g->weights == OCT_WEIGHTS_ON_THE_FLY;
}

/* Floats of one sample after `lowest`: offset and window, or weights. */
static guint
floats_of_sample (const OctCudaGridding *g)
{
  return on_the_fly (g) ? 2 : g->tables.width;
}

static gsize
lowest_at (const OctCudaGridding *g)
{
  return g->shifted ? g->tables.samples * sizeof (float2) : 0;
}

static gsize
factors_at (const OctCudaGridding *g)
{
  return lowest_at (g)
         + (gsize)g->tables.samples * (1 + floats_of_sample (g))
               * sizeof (float);
}

static gboolean
fill_table (OctCudaGridding *g, GError **error)
{
  const OctNufftTables *t = &g->tables;
  guint8 *to = oct_cuda_table_edit (&g->table, g->operation, error);
  gsize row = t->samples * sizeof (float);

  if (to == NULL)
    return FALSE;
  if (g->shifted)
    memcpy (to, t->shifts, 2 * row);
  memcpy (to + factors_at (g), t->factors, g->depth_bins * sizeof (float));
  to += lowest_at (g);
  memcpy (to, t->lowest, row);
  if (on_the_fly (g)) {
    memcpy (to + row, t->offset, row);
    memcpy (to + 2 * row, t->window, row);
  } else {
    memcpy (to + row, t->node_weights, row * t->width);
  }
  g->changed = TRUE;
  return TRUE;
}

gboolean
oct_cuda_gridding_init (OctCudaGridding *g, const OctNufftParams *params,
    const char *operation, GError **error)
{
  memset (g, 0, sizeof *g);
  if (!oct_nufft_check (params, TRUE, error))
    return FALSE;
  g->operation = operation;
  g->kernel = params->kernel;
  g->weights = params->weights;
  g->depth_bins = params->depth_bins;
  if (!oct_nufft_tables_set (&g->tables, params, !on_the_fly (g), error))
    return FALSE;
  g->shifted = g->tables.shifts != NULL;
  if (!oct_cuda_table_init (&g->table,
          factors_at (g) + g->depth_bins * sizeof (float), operation, error))
    return FALSE;
  if (on_the_fly (g)) {
    gsize weights = (gsize)g->tables.samples * g->tables.width;
    g->node_weights =
        oct_cuda_alloc (weights * sizeof (float), operation, error);
    if (g->node_weights == NULL)
      return FALSE;
  }
  return fill_table (g, error);
}

void
oct_cuda_gridding_clear (OctCudaGridding *g)
{
  oct_nufft_tables_clear (&g->tables);
  oct_cuda_table_clear (&g->table);
  oct_cuda_free (g->node_weights);
  memset (g, 0, sizeof *g);
}

gboolean
oct_cuda_gridding_update (OctCudaGridding *g, const OctNufftParams *params)
{
  guint samples = g->tables.samples, width = g->tables.width;
  guint grid = g->tables.grid;

  if (params->samples != samples || params->depth_bins != g->depth_bins
      || params->weights != g->weights || !oct_nufft_check (params, TRUE, NULL)
      || !oct_nufft_tables_set (&g->tables, params, !on_the_fly (g), NULL))
    return FALSE;
  g->kernel = params->kernel;
  return g->tables.width == width && g->tables.grid == grid
         && (g->tables.shifts != NULL) == g->shifted && fill_table (g, NULL);
}

gboolean
oct_cuda_gridding_upload (
    OctCudaGridding *g, OctCudaQueue queue, GError **error)
{
  OctCudaGrid grid = oct_cuda_gridding_grid (g);
  const float *offset = (const float *)grid.lowest + g->tables.samples;

  if (!oct_cuda_table_upload (&g->table, g->operation, queue.stream, error))
    return FALSE;
  if (g->changed && on_the_fly (g)
      && !oct_cuda_check (
          oct_cuda_launch_node_weights (&grid, offset,
              offset + g->tables.samples, (float)g->tables.parameter,
              g->kernel == OCT_KERNEL_GAUSSIAN, g->node_weights, queue),
          g->operation, error))
    return FALSE;
  g->changed = FALSE;
  return TRUE;
}

guint
oct_cuda_gridding_circle (const OctCudaGridding *g, guint together)
{
  const OctNufftTables *t = &g->tables;
  gboolean rising = t->lowest[t->samples - 1] >= t->lowest[0];
  gint32 reach = (gint32)(t->width + together - 2), grid = (gint32)t->grid;
  guint most = 0, last = 0;

  if (t->cells - t->width > t->grid)
    return 0;
  /* a window over the cells where kernels begin, from each sample on, upwards;
   * round the circle once more for those at the end */
  for (guint i = 0; i < t->samples; i++) {
    gint32 begin = t->lowest[rising ? i : t->samples - 1 - i];
    for (; last < i + t->samples; last++) {
      guint k = last < t->samples ? last : last - t->samples;
      gint32 cell = t->lowest[rising ? k : t->samples - 1 - k]
                    + (last < t->samples ? 0 : grid);
      if (cell - begin > reach)
        break;
    }
    most = MAX (most, last - i);
  }
  return most;
}

OctCudaGrid
oct_cuda_gridding_grid (const OctCudaGridding *g)
{
  const OctNufftTables *t = &g->tables;
  const gint32 *lowest =
      (const gint32 *)((const guint8 *)g->table.device + lowest_at (g));
  OctCudaGrid grid = { t->samples, t->width, t->grid, t->cells, t->origin,
    lowest, g->node_weights };

  if (!on_the_fly (g))
    grid.node_weights = (const float *)(lowest + t->samples);
  return grid;
}

const float *
oct_cuda_gridding_factors (const OctCudaGridding *g)
{
  return (const float *)((const guint8 *)g->table.device + factors_at (g));
}

const float2 *
oct_cuda_gridding_shifts (const OctCudaGridding *g)
{
  return g->shifted ? g->table.device : NULL;
}
