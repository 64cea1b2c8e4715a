/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Non-uniform FFT, spectra to A-scans (type 1): gridding, FFT, division by the
 * transform of the kernel (core/oct-nufft.h).
 *
 * Gridding works on blocks of A-lines side by side (oct-cpu-lanes.h), the FFT
 * on one A-line after the other, while the grids of the block are still in the
 * L2 cache.
 *
 * Real A-lines are transformed as half as many complex values (oct-cpu-half.h).
 * Of complex ones the even and the odd cells make a grid each, and as only one
 * half of the bins is wanted, A[q] = E[q] + exp (-2 pi i q / M) O[q] is all
 * that is left to do: a quarter faster than one FFT of twice the length.
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

/* All cells, or every other one: cell x is cell (x - lead) mod length of an
 * FFT. */
typedef struct {
  guint length, cells, lead;
  guint32 *first; /* [cells] sample of the first tap that has a weight */
  float *weights; /* of all tiles */
  Tile *tiles;
} Grid;

struct _OctPlan {
  OctNufftParams params; /* without nodes and window */
  guint threads;
  guint parts; /* 1 real, 2 complex: floats of one value */
  guint lanes; /* A-lines of a block: 16 or 8 */
  OctNufftTables tables;
  Grid grids[2]; /* the even and the odd cells, or all in the first */
  guint n_grids;
  guint most_taps;
  OctCpuHalf half;    /* real, even grid */
  fftwf_plan forward; /* else, of one grid */
  float *turns;       /* [depth_bins] x (c, c), two grids: factor x exp (..) */
  float *turns_swapped; /* [depth_bins] x (-s, s) */
  guint8 *scratch;      /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
};

/* The scratch of one thread. */
typedef struct {
  float *values;              /* [samples + most_taps], of all lanes */
  float *cells[2];            /* [lanes][stride], 64 byte aligned at `lead` */
  gsize stride[2];            /* floats */
  fftwf_complex *spectrum[2]; /* [length + 2] */
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
read_grid (const Grid *grid, gboolean is_complex, const float *values,
    float *const *lines)
{
  OctLanes tile[TILE];

  for (guint start = 0, k = 0; start < grid->cells; start += TILE, k++) {
    guint count = MIN (TILE, grid->cells - start);
    const guint32 *first = grid->first + start;
    const float *weights = grid->weights + grid->tiles[k].weights;
    switch (grid->tiles[k].taps) {
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
#undef CASE
    default:
      read_tile (values, first, weights, count, grid->tiles[k].taps, tile);
    }
    if (is_complex)
      oct_lanes_scatter_pairs ((const float *)tile, count, lines, start);
    else
      oct_lanes_scatter ((const float *)tile, count, lines, start);
  }
}

OCT_VECTORISED static void
grid_real (const OctPlan *plan, const float *const *in, float *values,
    float *const *lines)
{
  oct_lanes_gather (in, plan->params.samples, values);
  read_grid (&plan->grids[0], FALSE, values, lines);
}

OCT_VECTORISED static void
grid_complex (const OctPlan *plan, const float *const *in, float *values,
    float *const *lines, float *const *odd_lines)
{
  oct_lanes_gather_pairs (in, plan->params.samples, values);
  read_grid (&plan->grids[0], TRUE, values, lines);
  if (plan->n_grids == 2)
    read_grid (&plan->grids[1], TRUE, values, odd_lines);
}

/* The cells in front of the FFT's and behind it are added to those that they
 * stand for. */
static void
fold (const Grid *grid, guint parts, float *cells)
{
  guint lead = grid->lead, length = grid->length;
  float *whole = cells + (gsize)lead * parts;

  if (grid->cells < lead + length)
    memset (cells + (gsize)grid->cells * parts, 0,
        (gsize)(lead + length - grid->cells) * parts * sizeof *cells);
  for (guint x = 0; x < MIN (lead, grid->cells); x++)
    for (guint part = 0; part < parts; part++)
      whole[(gsize)(length - lead + x) * parts + part] +=
          cells[(gsize)x * parts + part];
  for (guint x = lead + length; x < grid->cells; x++)
    for (guint part = 0; part < parts; part++)
      whole[(gsize)((x - lead) % length) * parts + part] +=
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

/* out[i] = factors[i] even[i] + (c[i] + i s[i]) odd[i] */
OCT_VECTORISED static void
join_bins (const float *even, const float *odd, const float *factors,
    const float *turns, const float *turns_swapped, guint count,
    float *restrict out)
{
  guint i = 0;

  for (; i + OCT_VECTOR / 2 <= count; i += OCT_VECTOR / 2) {
    const float *f = factors + i;
    OctVector factor = { f[0], f[0], f[1], f[1], f[2], f[2], f[3], f[3] };
    OctVector o = *(const OctVector *)(odd + 2 * i);
    *(OctVector *)(out + 2 * i) =
        factor * *(const OctVector *)(even + 2 * i)
        + o * *(const OctVector *)(turns + 2 * i)
        + OCT_PICK (o, o, 1, 0, 3, 2, 5, 4, 7, 6)
              * *(const OctVector *)(turns_swapped + 2 * i);
  }
  for (; i < count; i++) {
    const float *e = even + 2 * i, *o = odd + 2 * i;
    out[2 * i] =
        factors[i] * e[0] + o[0] * turns[2 * i] + o[1] * turns_swapped[2 * i];
    out[2 * i + 1] = factors[i] * e[1] + o[1] * turns[2 * i]
                     + o[0] * turns_swapped[2 * i + 1];
  }
}

/* `count` bins of complex lines, the first of them bin `at` of the FFT and bin
 * `from` of the result. */
static void
take_bins (const OctPlan *plan, const Scratch *scratch, guint at, guint from,
    guint count, float *out)
{
  const float *factors = plan->tables.factors + from;
  const float *even = (const float *)(scratch->spectrum[0] + at);

  out += 2 * (gsize)from;
  if (plan->n_grids == 2)
    join_bins (even, (const float *)(scratch->spectrum[1] + at), factors,
        plan->turns + 2 * (gsize)from, plan->turns_swapped + 2 * (gsize)from,
        count, out);
  else
    scale_bins (even, factors, count, out);
}

/* One A-line from its grids, folded, to the bins asked for.  Bins before 0, of
 * complex lines only, lie at the end of the FFT. */
static void
transform_line (const OctPlan *plan, float *const *cells,
    const Scratch *scratch, float *out)
{
  const OctNufftParams *p = &plan->params;
  guint before =
      p->depth_start < 0 ? MIN ((guint)-p->depth_start, p->depth_bins) : 0;
  guint first = p->depth_start < 0 ? 0 : (guint)p->depth_start;

  if (plan->half.half != 0) {
    oct_cpu_half_run (&plan->half, cells[0], scratch->spectrum[0], first,
        p->depth_bins, plan->tables.factors, out);
    return;
  }
  for (guint g = 0; g < plan->n_grids; g++) {
    if (plan->parts == 2)
      fftwf_execute_dft (
          plan->forward, (fftwf_complex *)cells[g], scratch->spectrum[g]);
    else
      fftwf_execute_dft_r2c (plan->forward, cells[g], scratch->spectrum[g]);
  }
  if (before > 0)
    take_bins (plan, scratch, plan->grids[0].length - (guint)-p->depth_start, 0,
        before, out);
  take_bins (plan, scratch, first, before, p->depth_bins - before, out);
}

/* Divides the scratch of one thread; base may be NULL to find the size. */
static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  gsize value = plan->parts * sizeof (float), size = 0;

  scratch->values = (gpointer)(base + size);
  size += ((gsize)plan->tables.samples + plan->most_taps) * sizeof (OctLanes);
  for (guint g = 0; g < plan->n_grids; g++) {
    const Grid *grid = &plan->grids[g];
    gsize lead = oct_cpu_pad (grid->lead * value);
    gsize rest = MAX (grid->cells, grid->lead + grid->length) - grid->lead;
    gsize stride = lead + oct_cpu_pad (rest * value) + 64;

    scratch->stride[g] = stride / sizeof (float);
    /* so that the cell that comes first in the FFT is aligned */
    scratch->cells[g] = (gpointer)(base + size + lead - grid->lead * value);
    size += plan->lanes * stride;
    scratch->spectrum[g] = (gpointer)(base + size);
    size += oct_cpu_pad (((gsize)grid->length + 2) * sizeof (fftwf_complex));
  }
  return size;
}

/* ------------------------------------------------------------------ plans */

static void
clear_grid (Grid *grid)
{
  oct_cpu_free (grid->first);
  oct_cpu_free (grid->tiles);
  oct_cpu_free (grid->weights);
  memset (grid, 0, sizeof *grid);
}

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

/* Every `step`-th cell of the tables from cell `start` on, with as many taps
 * for all cells of a tile. */
static gboolean
pack_grid (OctPlan *plan, Grid *grid, guint start, guint step, GError **error)
{
  const OctNufftTables *t = &plan->tables;
  guint tiles, low, end;
  gsize size = 0;

  clear_grid (grid);
  grid->length = t->grid / step;
  grid->cells = (t->cells + step - 1 - start) / step;
  grid->lead = (t->grid - (t->origin + start) % t->grid) % t->grid;
  grid->lead = (grid->lead + step - 1) / step % grid->length;
  tiles = (grid->cells + TILE - 1) / TILE;
  if (!(grid->first = oct_cpu_alloc (grid->cells, sizeof *grid->first, error))
      || !(grid->tiles = oct_cpu_alloc (tiles, sizeof *grid->tiles, error)))
    return FALSE;
  for (guint k = 0; k < tiles; k++) {
    grid->tiles[k] = (Tile){ .taps = 1, .weights = size };
    for (guint x = k * TILE; x < MIN (grid->cells, (k + 1) * TILE); x++) {
      find_taps (t, start + x * step, &low, &end);
      grid->first[x] = t->first[start + x * step] + low;
      grid->tiles[k].taps = MAX (grid->tiles[k].taps, end - low);
    }
    plan->most_taps = MAX (plan->most_taps, grid->tiles[k].taps);
    size += TILE * grid->tiles[k].taps;
  }
  if (!(grid->weights = oct_cpu_alloc (size, sizeof (float), error)))
    return FALSE;
  for (guint x = 0; x < grid->cells; x++) {
    const Tile *tile = grid->tiles + x / TILE;
    gsize from = (gsize)(start + x * step) * t->taps;
    float *to = grid->weights + tile->weights + (gsize)(x % TILE) * tile->taps;
    find_taps (t, start + x * step, &low, &end);
    for (guint tap = 0; tap < tile->taps; tap++)
      to[tap] = low + tap < end ? t->cell_weights[from + low + tap] : 0;
  }
  return TRUE;
}

static gboolean
set_turns (OctPlan *plan, GError **error)
{
  guint bins = plan->params.depth_bins;

  oct_cpu_free (plan->turns);
  oct_cpu_free (plan->turns_swapped);
  plan->turns_swapped = NULL;
  if (!(plan->turns = oct_cpu_alloc (bins, 2 * sizeof (float), error))
      || !(plan->turns_swapped =
               oct_cpu_alloc (bins, 2 * sizeof (float), error)))
    return FALSE;
  for (guint i = 0; i < bins; i++) {
    double q = (double)plan->params.depth_start + i;
    double angle = -2 * G_PI * q / plan->tables.grid;
    float *turn = plan->turns + 2 * (gsize)i;
    float *swapped = plan->turns_swapped + 2 * (gsize)i;
    turn[0] = turn[1] = (float)(plan->tables.factors[i] * cos (angle));
    swapped[1] = (float)(plan->tables.factors[i] * sin (angle));
    swapped[0] = -swapped[1];
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
  plan->most_taps = 1;
  if (!oct_nufft_tables_set (t, params, TRUE, error))
    return FALSE;
  plan->n_grids = plan->parts == 2 && t->grid % 2 == 0 ? 2 : 1;
  for (guint g = 0; g < plan->n_grids; g++) {
    /* grid 0 has the cells that come at even places of the FFT */
    guint start = plan->n_grids == 2 ? (t->origin + g) % 2 : 0;
    if (!pack_grid (plan, &plan->grids[g], start, plan->n_grids, error))
      return FALSE;
  }
  if (plan->n_grids == 2)
    return set_turns (plan, error);
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
      grid / plan->n_grids, error);
  return plan->forward != NULL;
}

static void
nufft_destroy (OctPlan *plan)
{
  oct_nufft_tables_clear (&plan->tables);
  oct_cpu_half_clear (&plan->half);
  clear_grid (&plan->grids[0]);
  clear_grid (&plan->grids[1]);
  oct_cpu_free (plan->turns);
  oct_cpu_free (plan->turns_swapped);
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
  guint count = MIN (plan->lanes, plan->params.lines - start);
  const float *in[OCT_LANES];
  float *cells[2][OCT_LANES];
  Scratch scratch;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < plan->lanes; lane++) {
    in[lane] = oct_cpu_row (loop->from, start + MIN (lane, count - 1));
    for (guint g = 0; g < plan->n_grids; g++)
      cells[g][lane] = scratch.cells[g] + lane * scratch.stride[g];
  }
  if (plan->parts == 2)
    grid_complex (plan, in, scratch.values, cells[0], cells[1]);
  else
    grid_real (plan, in, scratch.values, cells[0]);
  for (guint lane = 0; lane < count; lane++) {
    float *whole[2];
    for (guint g = 0; g < plan->n_grids; g++) {
      fold (&plan->grids[g], plan->parts, cells[g][lane]);
      whole[g] = cells[g][lane] + (gsize)plan->grids[g].lead * plan->parts;
    }
    transform_line (
        plan, whole, &scratch, oct_cpu_row (loop->to, start + lane));
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
