/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Non-uniform FFT, spectra to A-scans (type 1): gridding, FFT, division by the
 * transform of the kernel (core/oct-nufft.h).
 *
 * On blocks of A-lines side by side (oct-cpu-lanes-fft.h), for which the
 * weights are the same.
 */
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-nufft.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* cells of the grid that have as many taps each */
#define TILE 16

/* Cells that are computed together, all with as many taps. */
typedef struct {
  guint taps;
  gsize weights; /* of the first cell, [TILE][taps] */
} Tile;

struct _OctPlan {
  OctNufftParams params; /* without nodes and window */
  guint threads;
  guint parts; /* 1 real, 2 complex: floats of one value */
  OctNufftTables tables;
  guint32 *first; /* [cells] sample of the first tap that has a weight */
  float *weights; /* of all tiles */
  Tile *tiles;
  float *factors; /* [depth_bins][2], each twice */
  guint most_taps;
  OctLanesFft *transform;
  guint8 *scratch; /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
  struct {
    OctCpuBuffer first, weights, tiles, factors, scratch;
  } memory; /* that these lie in */
};

/* The scratch of one thread, of all lanes. */
typedef struct {
  float *values; /* [samples + most_taps][parts] */
  float *grid;   /* [grid][parts] */
  float *bins;   /* [depth_bins][2] */
  float *unused; /* [depth_bins][2] of one lane that has no A-line */
  gpointer transform;
} Scratch;

/* -------------------------------------------------------------- gridding */

/* to[i] = sum over the taps of weights[i][tap] values[first[i] + tap], or more
 * by that; taps and parts are constants where this is inlined */
OCT_INLINE void
read_cells (const float *values, const guint32 *first, const float *weights,
    guint count, guint taps, guint parts, gboolean add, float *to)
{
  OctLanes *cell = (OctLanes *)to;

  for (guint i = 0; i < count; i++, weights += taps) {
    const OctLanes *from = (const OctLanes *)values + (gsize)first[i] * parts;
    for (guint part = 0; part < parts; part++, cell++) {
      OctLanes sum = weights[0] * from[part];
      for (guint tap = 1; tap < taps; tap++)
        sum += weights[tap] * from[tap * parts + part];
      if (add)
        sum += *cell;
      *cell = sum;
    }
  }
}

OCT_INLINE void
read_tile (const float *values, const guint32 *first, const float *weights,
    guint count, guint taps, guint parts, gboolean add, float *to)
{
  switch (taps) {
#define CASE(taps)                                                             \
  case taps:                                                                   \
    read_cells (values, first, weights, count, taps, parts, FALSE, to);        \
    break
    CASE (1);
    CASE (2);
    CASE (3);
    CASE (4);
    CASE (5);
    CASE (6);
    CASE (7);
    CASE (8);
    CASE (9);
    CASE (10);
    CASE (11);
    CASE (12);
#undef CASE
  default:
    read_cells (values, first, weights, count, taps, parts, FALSE, to);
  }
}

/* Cells start .. start + count - 1, of one tile and without the end of the FFT
 * between them, to `grid`. */
OCT_INLINE void
read_some (const OctPlan *plan, guint parts, const float *values, guint start,
    guint count, float *grid)
{
  const OctNufftTables *t = &plan->tables;
  const Tile *tile = plan->tiles + start / TILE;
  const guint32 *first = plan->first + start;
  const float *weights =
      plan->weights + tile->weights + (gsize)(start % TILE) * tile->taps;
  float *to = grid + (gsize)((t->origin + start) % t->grid) * parts * OCT_LANES;

  /* cells beyond one period stand for those that are there already */
  if (start >= t->grid)
    read_cells (values, first, weights, count, tile->taps, parts, TRUE, to);
  else
    read_tile (values, first, weights, count, tile->taps, parts, FALSE, to);
}

/* The grid of the FFT of a block of A-lines from their samples. */
OCT_INLINE void
read_grid (const OctPlan *plan, guint parts, const float *values, float *grid)
{
  const OctNufftTables *t = &plan->tables;

  for (guint start = 0, count; start < t->cells; start += count) {
    guint to_end = t->grid - (t->origin + start) % t->grid;
    count = MIN (TILE - start % TILE, t->cells - start);
    count = MIN (count, to_end);
    if (start < t->grid)
      count = MIN (count, t->grid - start);
    read_some (plan, parts, values, start, count, grid);
  }
  /* where no kernel reaches */
  for (guint x = t->cells; x < t->grid; x++)
    memset (grid + (gsize)((t->origin + x) % t->grid) * parts * OCT_LANES, 0,
        parts * OCT_LANES * sizeof *grid);
}

/* values[i] *= shifts[i], complex, of all lanes */
OCT_INLINE void
shift_modes (const float *shifts, guint samples, float *values)
{
  for (guint i = 0; i < samples; i++) {
    OctLanes *re = (OctLanes *)values + 2 * (gsize)i, *im = re + 1, r = *re;
    *re = shifts[2 * i] * r - shifts[2 * i + 1] * *im;
    *im = shifts[2 * i] * *im + shifts[2 * i + 1] * r;
  }
}

OCT_VECTORISED static void
grid_real (
    const OctPlan *plan, const float *const *in, float *values, float *grid)
{
  oct_lanes_gather (in, plan->params.samples, values);
  read_grid (plan, 1, values, grid);
}

OCT_VECTORISED static void
grid_complex (
    const OctPlan *plan, const float *const *in, float *values, float *grid)
{
  oct_lanes_gather (in, 2 * plan->params.samples, values);
  if (plan->tables.shifts != NULL)
    shift_modes (plan->tables.shifts, plan->params.samples, values);
  read_grid (plan, 2, values, grid);
}

OCT_VECTORISED static void
scatter_bins (
    const float *bins, const float *factors, guint count, float *const *lines)
{
  oct_lanes_scatter_scaled (bins, factors, count, lines);
}

/* Divides the scratch of one thread; base may be NULL to find the size. */
static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  gsize bins = (gsize)plan->params.depth_bins * 2, size = 0;

#define TAKE(member, floats)                                                   \
  scratch->member = (gpointer)(base + size);                                   \
  size += oct_cpu_pad ((floats) * sizeof (float))
  TAKE (values, ((gsize)plan->tables.samples + plan->most_taps) * plan->parts
                    * OCT_LANES);
  TAKE (grid, (gsize)plan->tables.grid * plan->parts * OCT_LANES);
  TAKE (bins, bins * OCT_LANES);
  TAKE (unused, bins);
#undef TAKE
  scratch->transform = base + size;
  return size + oct_lanes_fft_scratch (plan->transform);
}

/* ------------------------------------------------------------------ plans */

/* The taps of cell x of the tables that have a weight: from *low to *end. */
static void
find_taps (const OctNufftTables *t, guint x, guint *low, guint *end)
{
  const float *weights = t->cell_weights + (gsize)x * t->taps;

  *low = 0;
  *end = t->taps;
  while (*low + 1 < t->taps && weights[*low] == 0)
    (*low)++;
  while (*end > *low + 1 && weights[*end - 1] == 0)
    (*end)--;
}

/* The weights of the tables, with as many taps for all cells of a tile. */
static gboolean
pack_weights (OctPlan *plan, GError **error)
{
  const OctNufftTables *t = &plan->tables;
  guint tiles = (t->cells + TILE - 1) / TILE, low, end;
  gsize size = 0;

  if (!(plan->first = oct_cpu_reserve (
            &plan->memory.first, t->cells, sizeof *plan->first, error))
      || !(plan->tiles = oct_cpu_reserve (
               &plan->memory.tiles, tiles, sizeof *plan->tiles, error)))
    return FALSE;
  plan->most_taps = 1;
  for (guint k = 0; k < tiles; k++) {
    Tile *tile = &plan->tiles[k];
    *tile = (Tile){ .taps = 1, .weights = size };
    for (guint x = k * TILE; x < MIN (t->cells, (k + 1) * TILE); x++) {
      find_taps (t, x, &low, &end);
      plan->first[x] = t->first[x] + low;
      tile->taps = MAX (tile->taps, end - low);
    }
    plan->most_taps = MAX (plan->most_taps, tile->taps);
    size += TILE * tile->taps;
  }
  plan->weights =
      oct_cpu_reserve (&plan->memory.weights, size, sizeof (float), error);
  if (plan->weights == NULL)
    return FALSE;
  for (guint x = 0; x < t->cells; x++) {
    const Tile *tile = plan->tiles + x / TILE;
    const float *from = t->cell_weights + (gsize)x * t->taps;
    float *to = plan->weights + tile->weights + (gsize)(x % TILE) * tile->taps;
    find_taps (t, x, &low, &end);
    for (guint tap = 0; tap < tile->taps; tap++)
      to[tap] = low + tap < end ? from[low + tap] : 0;
  }
  return TRUE;
}

static gboolean
set_tables (OctPlan *plan, const OctNufftParams *params, GError **error)
{
  OctNufftTables *t = &plan->tables;

  plan->params = *params;
  plan->params.nodes = plan->params.window = NULL;
  plan->parts = params->format == OCT_SAMPLE_CF32 ? 2 : 1;
  if (!oct_nufft_tables_set (t, params, TRUE, error)
      || !pack_weights (plan, error))
    return FALSE;
  plan->factors = oct_cpu_reserve (
      &plan->memory.factors, params->depth_bins, 2 * sizeof (float), error);
  for (guint i = 0; plan->factors != NULL && i < 2 * params->depth_bins; i++)
    plan->factors[i] = t->factors[i / 2];
  return plan->factors != NULL;
}

static gboolean
make_scratch (OctPlan *plan, GError **error)
{
  Scratch scratch;

  plan->scratch_size = divide_scratch (plan, NULL, &scratch);
  plan->scratch = oct_cpu_reserve (
      &plan->memory.scratch, plan->threads, plan->scratch_size, error);
  if (plan->scratch == NULL)
    return FALSE;
  /* what lies behind the samples is read with weight 0, and must not be what
   * was there before, which may be no number */
  for (guint thread = 0; thread < plan->threads; thread++) {
    divide_scratch (
        plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
    memset (
        scratch.values + (gsize)plan->tables.samples * plan->parts * OCT_LANES,
        0, (gsize)plan->most_taps * plan->parts * OCT_LANES * sizeof (float));
  }
  return TRUE;
}

static gboolean
make_transform (OctPlan *plan, GError **error)
{
  guint grid = plan->tables.grid;

  plan->transform = plan->parts == 2
                        ? oct_lanes_fft_new (grid, FALSE, error)
                        : oct_lanes_fft_new_real (grid, FALSE, error);
  return plan->transform != NULL;
}

static void
nufft_destroy (OctPlan *plan)
{
  oct_nufft_tables_clear (&plan->tables);
  oct_lanes_fft_free (plan->transform);
  oct_cpu_release (&plan->memory.first);
  oct_cpu_release (&plan->memory.weights);
  oct_cpu_release (&plan->memory.tiles);
  oct_cpu_release (&plan->memory.factors);
  oct_cpu_release (&plan->memory.scratch);
  g_free (plan);
}

static OctPlan *
nufft_create (gconstpointer data, GError **error)
{
  const OctNufftParams *params = data;
  OctPlan *plan;

  if (!oct_nufft_check (params, TRUE, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->threads = oct_backend_cpu_get_threads ();
  if (!set_tables (plan, params, error) || !make_transform (plan, error)
      || !make_scratch (plan, error)) {
    nufft_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
nufft_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;
  guint grid = plan->tables.grid;

  if (params->format != plan->params.format
      || params->samples != plan->params.samples
      || params->lines != plan->params.lines
      || !oct_nufft_check (params, TRUE, NULL)
      || !set_tables (plan, params, NULL) || plan->tables.grid != grid)
    return FALSE;
  return make_scratch (plan, NULL);
}

static void
transform_block (const OctCpuLoop *loop, guint start, guint thread)
{
  const OctPlan *plan = loop->plan;
  const OctNufftTables *t = &plan->tables;
  guint bins = plan->params.depth_bins;
  /* modes before 0, of complex lines only, lie at the end of the FFT */
  guint mode = t->first_mode < 0 ? t->grid - (guint)-t->first_mode
                                 : (guint)t->first_mode;
  const float *in[OCT_LANES];
  float *out[OCT_LANES];
  Scratch scratch;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint line = MIN (start + lane, plan->params.lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : scratch.unused;
  }
  if (plan->parts == 2) {
    grid_complex (plan, in, scratch.values, scratch.grid);
    oct_lanes_fft_run (plan->transform, scratch.grid, scratch.bins, mode, bins,
        scratch.transform);
  } else {
    grid_real (plan, in, scratch.values, scratch.grid);
    oct_lanes_fft_run_real (plan->transform, scratch.grid, scratch.bins, mode,
        bins, scratch.transform);
  }
  scatter_bins (scratch.bins, plan->factors, 2 * bins, out);
}

static void
transform_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    transform_block (data, block * OCT_LANES, thread);
}

static gboolean
nufft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan, .from = from, .to = to };
  gsize row = (gsize)plan->params.samples * plan->parts * sizeof (float);

  if (!oct_cpu_check_plane (from, row, error)
      || !oct_cpu_check_plane (
          to, plan->params.depth_bins * 2 * sizeof (float), error))
    return FALSE;
  oct_parallel_for ((plan->params.lines + OCT_LANES - 1) / OCT_LANES, 1,
      oct_cpu_threads (plan->threads), transform_blocks, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_nufft = {
  .create = nufft_create,
  .update = nufft_update,
  .run = nufft_run,
  .destroy = nufft_destroy,
};
