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
#include <string.h>

#define LANES OCT_LANES
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
  OctNufftTables tables;
  guint32 *first; /* [cells] sample of the first tap that has a weight */
  float *weights; /* of all tiles */
  Tile *tiles;
  guint most_taps;
  guint lead;         /* cells in front of cell 0 of the FFT */
  OctCpuHalf half;    /* real, even grid */
  fftwf_plan forward; /* else */
  guint8 *scratch;    /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
};

/* The scratch of one thread. */
typedef struct {
  float *values;           /* [samples + most_taps][parts][LANES] */
  float *grids;            /* [LANES][grid_stride], 64 byte aligned at `lead` */
  fftwf_complex *spectrum; /* [grid + 2] */
  gsize grid_stride;       /* floats */
} Scratch;

/* -------------------------------------------------------------- gridding */

/* tile[i][part] = sum over the taps of weights[i][tap] values[first[i] + tap];
 * taps and parts are constants where this is inlined */
OCT_INLINE void
read_tile (const float *values, const guint32 *first, const float *weights,
    guint count, guint taps, guint parts, float *tile)
{
  for (guint i = 0; i < count; i++) {
    const OctLanes *from = (const OctLanes *)values + (gsize)first[i] * parts;
    for (guint part = 0; part < parts; part++) {
      OctLanes sum = weights[0] * from[part];
      for (guint tap = 1; tap < taps; tap++)
        sum += weights[tap] * from[tap * parts + part];
      ((OctLanes *)tile)[i * parts + part] = sum;
    }
    weights += taps;
  }
}

OCT_INLINE void
grid_block (const OctPlan *plan, guint parts, const float *const *in,
    float *values, float *const *grids)
{
  float tile[TILE * 2 * LANES] __attribute__ ((aligned (64)));
  const OctNufftTables *t = &plan->tables;

  oct_lanes_gather (in, t->samples * parts, values);
  for (guint start = 0, k = 0; start < t->cells; start += TILE, k++) {
    guint count = MIN (TILE, t->cells - start);
    const guint32 *first = plan->first + start;
    const float *weights = plan->weights + plan->tiles[k].weights;
    switch (plan->tiles[k].taps) {
#define CASE(taps)                                                             \
  case taps:                                                                   \
    read_tile (values, first, weights, count, taps, parts, tile);              \
    break
      CASE (1);
      CASE (2);
      CASE (3);
      CASE (4);
      CASE (5);
      CASE (6);
      CASE (7);
      CASE (8);
#undef CASE
    default:
      read_tile (
          values, first, weights, count, plan->tiles[k].taps, parts, tile);
    }
    for (guint part = 0; part < parts; part++) {
      guint begin = part * TILE;
      if (begin < count * parts)
        oct_lanes_scatter (tile + begin * LANES,
            MIN (TILE, count * parts - begin), grids,
            (gsize)start * parts + begin);
    }
  }
}

OCT_VECTORISED static void
grid_real (const OctPlan *plan, const float *const *in, float *values,
    float *const *grids)
{
  grid_block (plan, 1, in, values, grids);
}

OCT_VECTORISED static void
grid_complex (const OctPlan *plan, const float *const *in, float *values,
    float *const *grids)
{
  grid_block (plan, 2, in, values, grids);
}

/* The cells in front of the FFT's and behind it are added to those that they
 * stand for. */
static void
fold (const OctPlan *plan, float *cells)
{
  guint grid = plan->tables.grid, count = plan->tables.cells;
  guint parts = plan->parts;
  float *whole = cells + (gsize)plan->lead * parts;

  if (count < plan->lead + grid)
    memset (cells + (gsize)count * parts, 0,
        (gsize)(plan->lead + grid - count) * parts * sizeof *cells);
  for (guint x = 0; x < MIN (plan->lead, count); x++)
    for (guint part = 0; part < parts; part++)
      whole[(gsize)(grid - plan->lead + x) * parts + part] +=
          cells[(gsize)x * parts + part];
  for (guint x = plan->lead + grid; x < count; x++)
    for (guint part = 0; part < parts; part++)
      whole[(gsize)((x - plan->lead) % grid) * parts + part] +=
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

/* A grid, folded, to the bins asked for.  Bins before 0, of complex lines only,
 * lie at the end of the FFT. */
static void
transform_line (
    const OctPlan *plan, float *cells, const Scratch *scratch, float *out)
{
  const OctNufftParams *p = &plan->params;
  const float *factors = plan->tables.factors;
  fftwf_complex *spectrum = scratch->spectrum;
  guint before =
      p->depth_start < 0 ? MIN ((guint)-p->depth_start, p->depth_bins) : 0;
  guint first = p->depth_start < 0 ? 0 : (guint)p->depth_start;

  if (plan->half.half != 0) {
    oct_cpu_half_run (
        &plan->half, cells, spectrum, first, p->depth_bins, factors, out);
    return;
  }
  if (plan->parts == 2)
    fftwf_execute_dft (plan->forward, (fftwf_complex *)cells, spectrum);
  else
    fftwf_execute_dft_r2c (plan->forward, cells, spectrum);
  if (before > 0)
    scale_bins ((const float *)(spectrum + plan->tables.grid + p->depth_start),
        factors, before, out);
  scale_bins ((const float *)(spectrum + first), factors + before,
      p->depth_bins - before, out + 2 * (gsize)before);
}

/* Divides the scratch of one thread; base may be NULL to find the size. */
static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  const OctNufftTables *t = &plan->tables;
  gsize lead = oct_cpu_pad (plan->lead * plan->parts * sizeof (float));
  gsize cells = MAX (t->cells, plan->lead + t->grid) - plan->lead;
  gsize stride = lead + oct_cpu_pad (cells * plan->parts * sizeof (float)) + 64;
  gsize size = 0;

  scratch->values = (gpointer)(base + size);
  size +=
      ((gsize)t->samples + plan->most_taps) * plan->parts * sizeof (OctLanes);
  scratch->grid_stride = stride / sizeof (float);
  /* so that the cell that comes first in the FFT is aligned */
  scratch->grids = (gpointer)(base + size + lead
                              - plan->lead * plan->parts * sizeof (float));
  size += LANES * stride;
  scratch->spectrum = (gpointer)(base + size);
  size += oct_cpu_pad (((gsize)t->grid + 2) * sizeof (fftwf_complex));
  return size;
}

/* ------------------------------------------------------------------ plans */

/* The taps of each cell that have a weight, as many for all cells of a tile. */
static gboolean
pack_weights (OctPlan *plan, GError **error)
{
  const OctNufftTables *t = &plan->tables;
  guint tiles = (t->cells + TILE - 1) / TILE;
  gsize size = 0;

  oct_cpu_free (plan->first);
  oct_cpu_free (plan->tiles);
  oct_cpu_free (plan->weights);
  plan->weights = NULL;
  plan->tiles = NULL;
  if (!(plan->first = oct_cpu_alloc (t->cells, sizeof *plan->first, error))
      || !(plan->tiles = oct_cpu_alloc (tiles, sizeof *plan->tiles, error)))
    return FALSE;
  plan->most_taps = 1;
  for (guint k = 0; k < tiles; k++) {
    plan->tiles[k] = (Tile){ .taps = 1, .weights = size };
    for (guint x = k * TILE; x < MIN (t->cells, (k + 1) * TILE); x++) {
      const float *weights = t->cell_weights + (gsize)x * t->taps;
      guint low = 0, end = t->taps;
      while (low + 1 < t->taps && weights[low] == 0)
        low++;
      while (end > low + 1 && weights[end - 1] == 0)
        end--;
      plan->first[x] = t->first[x] + low;
      plan->tiles[k].taps = MAX (plan->tiles[k].taps, end - low);
    }
    plan->most_taps = MAX (plan->most_taps, plan->tiles[k].taps);
    size += TILE * plan->tiles[k].taps;
  }
  if (!(plan->weights = oct_cpu_alloc (size, sizeof (float), error)))
    return FALSE;
  for (guint x = 0; x < t->cells; x++) {
    const Tile *tile = plan->tiles + x / TILE;
    float *to = plan->weights + tile->weights + (gsize)(x % TILE) * tile->taps;
    for (guint tap = 0; tap < tile->taps; tap++) {
      guint from = plan->first[x] - t->first[x] + tap;
      to[tap] = from < t->taps ? t->cell_weights[(gsize)x * t->taps + from] : 0;
    }
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
  plan->lead = (t->grid - t->origin) % t->grid;
  /* half of what a real transform gives is added from two */
  for (guint i = 0;
       plan->parts == 1 && t->grid % 2 == 0 && i < params->depth_bins; i++)
    t->factors[i] /= 2;
  return TRUE;
}

static gboolean
make_scratch (OctPlan *plan, GError **error)
{
  Scratch scratch;

  plan->scratch_size = divide_scratch (plan, NULL, &scratch);
  plan->scratch = oct_cpu_alloc (plan->threads, plan->scratch_size, error);
  /* what lies behind the samples is read with weight 0 */
  if (plan->scratch != NULL)
    memset (plan->scratch, 0, plan->threads * plan->scratch_size);
  return plan->scratch != NULL;
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
  oct_cpu_free (plan->first);
  oct_cpu_free (plan->weights);
  oct_cpu_free (plan->tiles);
  oct_cpu_free (plan->scratch);
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
  oct_cpu_free (plan->scratch);
  return make_scratch (plan, NULL);
}

static void
transform_block (const OctCpuLoop *loop, guint start, guint thread)
{
  const OctPlan *plan = loop->plan;
  const float *in[LANES];
  float *grids[LANES];
  Scratch scratch;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < LANES; lane++) {
    guint line = MIN (start + lane, plan->params.lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    grids[lane] = scratch.grids + lane * scratch.grid_stride;
  }
  if (plan->parts == 2)
    grid_complex (plan, in, scratch.values, grids);
  else
    grid_real (plan, in, scratch.values, grids);
  for (guint lane = 0; lane < LANES && start + lane < plan->params.lines;
       lane++) {
    fold (plan, grids[lane]);
    transform_line (plan, grids[lane] + (gsize)plan->lead * plan->parts,
        &scratch, oct_cpu_row (loop->to, start + lane));
  }
}

static void
transform_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    transform_block (data, block * LANES, thread);
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
  oct_parallel_for ((plan->params.lines + LANES - 1) / LANES, 1,
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
