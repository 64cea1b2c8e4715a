/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Non-uniform FFT, spectra to A-scans (type 1): gridding, FFT, division by the
 * transform of the kernel (core/oct-nufft.h).
 *
 * Gridding works on blocks of A-lines side by side (oct-cpu-lanes.h), the FFT
 * on one A-line after the other, while the grids of the block are still in the
 * L2 cache.
 */
#include "oct-cpu-fftw.h"
#include "oct-cpu-half.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-nufft.h"
#include "oct-simd.h"

#include <fftw3.h>
#include <math.h>
#include <string.h>

#define TILE OCT_LANES_CHUNK

/* Cells that are computed together, all with as many taps. */
typedef struct {
  guint taps;
  gsize weights; /* of the first cell, [TILE][taps] */
} Tile;

struct _OctPlan {
  OctNufftParams params; /* without nodes and window */
  guint threads;
  guint parts; /* 1 real, 2 complex: floats of one value */
  guint lanes; /* A-lines of a block: 16 or 8 */
  OctNufftTables tables;
  guint32 *first; /* [cells] sample of the first tap that has a weight */
  float *weights; /* of all tiles */
  Tile *tiles;
  float *factors; /* [depth_bins], of real lines half of the tables' */
  guint most_taps;
  guint lead;         /* cells in front of cell 0 of the FFT */
  OctCpuHalf half;    /* real, even grid */
  fftwf_plan forward; /* else */
  guint8 *scratch;    /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
  struct {
    OctCpuBuffer first, weights, tiles, factors, scratch;
  } memory; /* that these lie in */
};

/* The scratch of one thread. */
typedef struct {
  float *values;           /* [samples + most_taps], of all lanes */
  float *cells;            /* [lanes][stride], 64 byte aligned at `lead` */
  gsize stride;            /* floats */
  fftwf_complex *spectrum; /* [grid + 2] */
} Scratch;

/* -------------------------------------------------------------- gridding */

/* tile[i] = sum over the taps of weights[i][tap] values[first[i] + tap]; taps
 * is a constant where this is inlined */
OCT_INLINE void
read_tile (const float *values, const guint32 *first, const float *weights,
    guint count, guint taps, OctLanes *tile)
{
  for (guint i = 0; i < count; i++) {
    const OctLanes *from = (const OctLanes *)values + first[i];
    OctLanes sum = weights[0] * from[0];
    for (guint tap = 1; tap < taps; tap++)
      sum += weights[tap] * from[tap];
    tile[i] = sum;
    weights += taps;
  }
}

/* The cells of a block of A-lines, 16 real or 8 complex ones, from their
 * samples side by side. */
OCT_INLINE void
read_grid (const OctPlan *plan, gboolean is_complex, const float *values,
    float *const *lines)
{
  guint cells = plan->tables.cells;
  OctLanes tile[TILE];

  for (guint start = 0, k = 0; start < cells; start += TILE, k++) {
    guint count = MIN (TILE, cells - start);
    const guint32 *first = plan->first + start;
    const float *weights = plan->weights + plan->tiles[k].weights;
    switch (plan->tiles[k].taps) {
#define CASE(taps)                                                             \
  case taps:                                                                   \
    read_tile (values, first, weights, count, taps, tile);                     \
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
      read_tile (values, first, weights, count, plan->tiles[k].taps, tile);
    }
    if (is_complex)
      oct_lanes_scatter_pairs ((const float *)tile, count, lines, start);
    else
      oct_lanes_scatter ((const float *)tile, count, lines, start);
  }
}

/* values[i] *= shifts[i], complex, of all lanes */
OCT_INLINE void
shift_modes (const float *shifts, guint samples, float *values)
{
  const OctLaneSelection swap = { 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12,
    15, 14 };
  const OctLanes minus = { -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1,
    1 };
  OctLanes *value = (OctLanes *)values;

  for (guint i = 0; i < samples; i++) {
    OctLanes swapped = __builtin_shuffle (value[i], swap) * minus;
    value[i] = shifts[2 * i] * value[i] + shifts[2 * i + 1] * swapped;
  }
}

OCT_VECTORISED static void
grid_real (const OctPlan *plan, const float *const *in, float *values,
    float *const *lines)
{
  oct_lanes_gather (in, plan->params.samples, values);
  read_grid (plan, FALSE, values, lines);
}

OCT_VECTORISED static void
grid_complex (const OctPlan *plan, const float *const *in, float *values,
    float *const *lines)
{
  oct_lanes_gather_pairs (in, plan->params.samples, values);
  if (plan->tables.shifts != NULL)
    shift_modes (plan->tables.shifts, plan->params.samples, values);
  read_grid (plan, TRUE, values, lines);
}

/* The cells in front of the FFT's and behind it are added to those that they
 * stand for. */
static void
fold (const OctPlan *plan, float *cells)
{
  guint lead = plan->lead, grid = plan->tables.grid;
  guint count = plan->tables.cells, parts = plan->parts;
  float *whole = cells + (gsize)lead * parts;

  if (count < lead + grid)
    memset (cells + (gsize)count * parts, 0,
        (gsize)(lead + grid - count) * parts * sizeof *cells);
  for (guint x = 0; x < MIN (lead, count); x++)
    for (guint part = 0; part < parts; part++)
      whole[(gsize)(grid - lead + x) * parts + part] +=
          cells[(gsize)x * parts + part];
  for (guint x = lead + grid; x < count; x++)
    for (guint part = 0; part < parts; part++)
      whole[(gsize)((x - lead) % grid) * parts + part] +=
          cells[(gsize)x * parts + part];
}

/* ------------------------------------------------------------- transform */

OCT_VECTORISED static void
scale_bins (const float *spectrum, const float *factors, guint count,
    float *restrict out)
{
  for (guint i = 0; i < count; i++) {
    out[2 * i] = factors[i] * spectrum[2 * i];
    out[2 * i + 1] = factors[i] * spectrum[2 * i + 1];
  }
}

/* A grid, folded, to the bins asked for.  Modes before 0, of complex lines
 * only, lie at the end of the FFT. */
static void
transform_line (
    const OctPlan *plan, float *cells, const Scratch *scratch, float *out)
{
  const OctNufftTables *t = &plan->tables;
  fftwf_complex *spectrum = scratch->spectrum;
  guint bins = plan->params.depth_bins;
  guint before = t->first_mode < 0 ? MIN ((guint)-t->first_mode, bins) : 0;
  guint first = t->first_mode < 0 ? 0 : (guint)t->first_mode;

  if (plan->half.half != 0) {
    oct_cpu_half_run (
        &plan->half, cells, spectrum, first, bins, plan->factors, out);
    return;
  }
  if (plan->parts == 2)
    fftwf_execute_dft (plan->forward, (fftwf_complex *)cells, spectrum);
  else
    fftwf_execute_dft_r2c (plan->forward, cells, spectrum);
  if (before > 0)
    scale_bins ((const float *)(spectrum + t->grid + t->first_mode),
        plan->factors, before, out);
  scale_bins ((const float *)(spectrum + first), plan->factors + before,
      bins - before, out + 2 * (gsize)before);
}

/* Divides the scratch of one thread; base may be NULL to find the size. */
static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  const OctNufftTables *t = &plan->tables;
  gsize value = plan->parts * sizeof (float), size = 0;
  gsize lead = oct_cpu_pad (plan->lead * value);
  gsize rest = MAX (t->cells, plan->lead + t->grid) - plan->lead;
  gsize stride = lead + oct_cpu_pad (rest * value) + 64;

  scratch->values = (gpointer)(base + size);
  size += ((gsize)t->samples + plan->most_taps) * sizeof (OctLanes);
  scratch->stride = stride / sizeof (float);
  /* so that the cell that comes first in the FFT is aligned */
  scratch->cells = (gpointer)(base + size + lead - plan->lead * value);
  size += plan->lanes * stride;
  scratch->spectrum = (gpointer)(base + size);
  size += oct_cpu_pad (((gsize)t->grid + 2) * sizeof (fftwf_complex));
  return size;
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
  plan->lanes = OCT_LANES / plan->parts;
  if (!oct_nufft_tables_set (t, params, TRUE, error)
      || !pack_weights (plan, error))
    return FALSE;
  plan->lead = (t->grid - t->origin) % t->grid;
  plan->factors = oct_cpu_reserve (
      &plan->memory.factors, params->depth_bins, sizeof (float), error);
  /* half of what a real transform gives is added from two */
  for (guint i = 0; plan->factors != NULL && i < params->depth_bins; i++)
    plan->factors[i] =
        t->factors[i] * (plan->parts == 1 && t->grid % 2 == 0 ? 0.5f : 1);
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
    memset (scratch.values + (gsize)plan->tables.samples * OCT_LANES, 0,
        plan->most_taps * sizeof (OctLanes));
  }
  return TRUE;
}

static gboolean
make_transform (OctPlan *plan, GError **error)
{
  guint grid = plan->tables.grid;

  if (plan->parts == 1 && grid % 2 == 0)
    return oct_cpu_half_init (&plan->half, grid, error);
  plan->forward = oct_cpu_fftw_plan (
      plan->parts == 1 ? OCT_CPU_FFTW_REAL_TO_COMPLEX : OCT_CPU_FFTW_FORWARD,
      grid, error);
  return plan->forward != NULL;
}

static void
nufft_destroy (OctPlan *plan)
{
  oct_nufft_tables_clear (&plan->tables);
  oct_cpu_half_clear (&plan->half);
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
  guint count = MIN (plan->lanes, plan->params.lines - start);
  const float *in[OCT_LANES];
  float *cells[OCT_LANES];
  Scratch scratch;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < plan->lanes; lane++) {
    in[lane] = oct_cpu_row (loop->from, start + MIN (lane, count - 1));
    cells[lane] = scratch.cells + lane * scratch.stride;
  }
  if (plan->parts == 2)
    grid_complex (plan, in, scratch.values, cells);
  else
    grid_real (plan, in, scratch.values, cells);
  for (guint lane = 0; lane < count; lane++) {
    fold (plan, cells[lane]);
    transform_line (plan, cells[lane] + (gsize)plan->lead * plan->parts,
        &scratch, oct_cpu_row (loop->to, start + lane));
  }
}

static void
transform_blocks (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;

  for (guint block = first; block < end; block++)
    transform_block (loop, block * loop->plan->lanes, thread);
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
          to, plan->params.depth_bins * sizeof (fftwf_complex), error))
    return FALSE;
  oct_parallel_for ((plan->params.lines + plan->lanes - 1) / plan->lanes, 1,
      oct_cpu_threads (plan->threads), transform_blocks, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_nufft = {
  .name = "nufft",
  .create = nufft_create,
  .update = nufft_update,
  .run = nufft_run,
  .destroy = nufft_destroy,
};
