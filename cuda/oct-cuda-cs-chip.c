/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing on the chip: where it is possible, and its tables.
 */
#include "oct-cuda-cs-parts.h"

#include <math.h>
#include <string.h>

/* Gridding for b: over twice the modes or more it loses 5e-8. */
#define EXACT_WIDTH 8u

#define LEAST_SAMPLES (4 * OCT_CS_REACH)

static gboolean
cuda_cs_chip_is_uniform (const OctCsParams *p)
{
  for (guint i = 0; i < p->kept; i++)
    if (fabs (p->nodes[i] - rint (p->nodes[i])) > OCT_NUFFT_UNIFORM
        || rint (p->nodes[i]) < 0 || rint (p->nodes[i]) > p->samples - 1)
      return FALSE;
  return TRUE;
}

static guint
find_size (guint samples)
{
  guint size = 1024;

  while (size < 2 * samples)
    size *= 2;
  return size;
}

gboolean
oct_cuda_cs_on_chip_can (const OctCsParams *params)
{
  guint size = find_size (params->samples);

  /* so few modes are neighbours of themselves */
  if (!oct_cuda_cs_chip_has (size) || params->samples < LEAST_SAMPLES)
    return FALSE;
  return !cuda_cs_chip_is_uniform (params) || 2 * params->samples == size;
}

/* The cells and weights of each sample, [kept][width]. */
typedef struct {
  guint width;
  guint32 *cells;
  float *weights;
} Spread;

static void
spread_clear (Spread *spread)
{
  g_free (spread->cells);
  g_free (spread->weights);
}

/* Uniform samples lie at every second cell. */
static void
spread_uniform (Spread *spread, const OctCsParams *p, float *factors)
{
  spread->width = 1;
  spread->cells = g_new (guint32, p->kept);
  spread->weights = g_new (float, p->kept);
  for (guint i = 0; i < p->kept; i++) {
    spread->cells[i] = 2 * (guint)rint (p->nodes[i]);
    spread->weights[i] = (float)p->window[i];
  }
  for (guint q = 0; q <= p->samples / 2; q++)
    factors[q] = (float)(1 / sqrt (p->samples));
}

static gboolean
spread_exact (Spread *spread, const OctCsParams *p, guint size, float *factors,
    GError **error)
{
  OctNufftTables t = { 0 };
  /* modes of both signs, as real spectra have them */
  OctNufftParams gridding = { .format = OCT_SAMPLE_F32,
    .samples = p->samples,
    .lines = p->lines,
    .depth_bins = p->samples / 2 + 1,
    .kernel = OCT_KERNEL_KAISER_BESSEL,
    .grid = size,
    .width = EXACT_WIDTH,
    .weights = OCT_WEIGHTS_PRECOMPUTED,
    .nodes = p->nodes,
    .window = p->window };
  gboolean done =
      oct_nufft_tables_set_some (&t, &gridding, p->kept, TRUE, error);

  if (done) {
    gsize count = (gsize)p->kept * t.width;
    spread->width = t.width;
    spread->cells = g_new (guint32, count);
    spread->weights = g_new (float, count);
    for (gsize i = 0; i < count; i++)
      spread->cells[i] =
          (guint32)(((guint64)t.lowest[i / t.width] + i % t.width + t.origin)
                    % size);
    memcpy (spread->weights, t.node_weights, count * sizeof (float));
    memcpy (factors, t.factors, (p->samples / 2 + 1) * sizeof (float));
  }
  oct_nufft_tables_clear (&t);
  return done;
}

/* T in the modes of one diagonal over `size` cells. */
static gboolean
make_band (const OctCsParams *p, guint size, gboolean uniform, double *band,
    GError **error)
{
  if (!uniform && !oct_cs_toeplitz (p, size, band, error))
    return FALSE;
  if (uniform) {
    memset (band, 0, size * sizeof (double));
    for (guint i = 0; i < p->kept; i++)
      band[2 * (guint)rint (p->nodes[i])] += (double)size / p->samples;
  }
  return TRUE;
}

/* Samples that reach a cell, the most of all. */
static guint
count_taps (const Spread *spread, guint kept, guint size)
{
  g_autofree guint32 *counts = g_new0 (guint32, size);
  guint taps = 1;

  for (gsize i = 0; i < (gsize)kept * spread->width; i++)
    taps = MAX (taps, ++counts[spread->cells[i]]);
  return taps;
}

/* [taps][size], `places` says where a cell stands. */
static void
fill_gridding (const Spread *spread, guint kept, guint size,
    const guint32 *places, float2 *gridding)
{
  g_autofree guint32 *counts = g_new0 (guint32, size);

  for (gsize i = 0; i < (gsize)kept * spread->width; i++) {
    guint cell = spread->cells[i];
    guint32 sample = (guint32)(i / spread->width);
    float2 *entry = &gridding[(gsize)counts[cell]++ * size + places[cell]];
    entry->x = spread->weights[i];
    memcpy (&entry->y, &sample, sizeof sample);
  }
}

static void
fill_circle (guint size, guint count, float2 *circle)
{
  for (guint k = 0; k < count; k++) {
    double angle = 2 * G_PI * k / size;
    circle[k].x = (float)cos (angle);
    circle[k].y = (float)sin (angle);
  }
}

/* Where the tables lie in the one that goes to the device. */
typedef struct {
  gsize band, circle, factors, column, gridding, sigmas, end;
} Layout;

#define CIRCLE 512u

static Layout
cuda_cs_chip_divide (const OctCsParams *p, guint size, guint taps)
{
  Layout at = { 0 };

  at.circle = at.band + size * sizeof (float);
  at.gridding = at.circle + CIRCLE * sizeof (float2);
  at.factors = at.gridding + (gsize)taps * size * sizeof (float2);
  at.column = at.factors + (size / 4 + 4) * sizeof (float);
  at.sigmas = at.column + (p->kept + 3) / 4 * 4 * sizeof (guint32);
  at.end = at.sigmas + OCT_CS_NOISE_LINES * sizeof (float);
  return at;
}

/* The kernel reads the band in another order of the cells than the gridding:
 * thread by thread. */
static void
fill_tables (guint8 *host, const Layout *at, const OctCsParams *p, guint size,
    const Spread *spread, const double *band, const float *factors)
{
  g_autofree guint32 *cells = g_new (guint32, size);
  g_autofree guint32 *places = g_new (guint32, size);
  guint threads = size / 32;
  float half = p->format == OCT_SAMPLE_F32 ? 0.5f : 1;
  float *to = (gpointer)(host + at->band);

  oct_cuda_cs_chip_cells (size, cells);
  memset (host, 0, at->end);
  for (guint i = 0; i < size; i++) {
    guint t = i % threads, group = i / threads / 16, k = i / threads % 16;
    places[cells[i]] = i;
    to[16 * (t + group * threads) + k] = half * (float)(band[cells[i]] / size);
  }
  to = (gpointer)(host + at->factors);
  for (guint q = 0; q <= p->samples / 2; q++)
    to[q] = half * factors[q];
  fill_circle (size, CIRCLE, (gpointer)(host + at->circle));
  fill_gridding (
      spread, p->kept, size, places, (gpointer)(host + at->gridding));
  memcpy (host + at->column, p->column, p->kept * sizeof *p->column);
}

static gboolean
cuda_cs_chip_make_tables (OctCudaCsOnChip *c, const OctCsParams *p,
    const Spread *spread, const double *band, const float *factors,
    GError **error)
{
  guint size = c->chip.size;
  Layout at;
  guint8 *host, *device;

  c->chip.taps = count_taps (spread, p->kept, size);
  at = cuda_cs_chip_divide (p, size, c->chip.taps);
  if (!oct_cuda_table_init (&c->table, at.end, OCT_CUDA_CS, error)
      || (host = oct_cuda_table_edit (&c->table, OCT_CUDA_CS, error)) == NULL)
    return FALSE;
  fill_tables (host, &at, p, size, spread, band, factors);
  device = c->table.device;
  c->chip.band = (gpointer)(device + at.band);
  c->chip.circle = (gpointer)(device + at.circle);
  c->chip.gridding = (gpointer)(device + at.gridding);
  c->chip.factors = (gpointer)(device + at.factors);
  c->chip.column = (gpointer)(device + at.column);
  c->chip.sigmas = (gpointer)(device + at.sigmas);
  return TRUE;
}

gboolean
oct_cuda_cs_on_chip_init (
    OctCudaCsOnChip *c, const OctCsParams *p, GError **error)
{
  guint size = find_size (p->samples);
  gboolean uniform = cuda_cs_chip_is_uniform (p), done = TRUE;
  g_autofree double *band = g_new (double, size);
  g_autofree float *factors = g_new (float, p->samples / 2 + 1);
  Spread spread = { 0 };

  c->chip.is_complex = p->format == OCT_SAMPLE_CF32;
  c->chip.samples = p->samples;
  c->chip.modes = (p->samples + 1) / 2;
  c->chip.kept = p->kept;
  c->chip.size = size;
  c->chip.nyquist = uniform && p->format == OCT_SAMPLE_F32;
  c->chip.step_min = OCT_CS_STEP_MIN;
  c->chip.step_max = OCT_CS_STEP_MAX;
  c->chip.noise_lines = oct_cuda_cs_noise_lines (p);
  c->chip.rate = (float)p->kept / (float)p->samples;
  if (uniform)
    spread_uniform (&spread, p, factors);
  else
    done = spread_exact (&spread, p, size, factors, error);
  done = done && make_band (p, size, uniform, band, error)
         && cuda_cs_chip_make_tables (c, p, &spread, band, factors, error);
  spread_clear (&spread);
  return done;
}

void
oct_cuda_cs_on_chip_clear (OctCudaCsOnChip *c)
{
  oct_cuda_table_clear (&c->table);
}

/* sigma_A of a B-scan: the noise that persistent shrinkage finds in some of its
 * A-lines */
static gboolean
cuda_cs_chip_estimate (
    const OctCudaCsChip *begin, OctCudaQueue queue, GError **error)
{
  OctCudaCsChip chip = *begin;

  chip.spread = TRUE;
  chip.iterations = OCT_CS_NOISE_STEPS;
  chip.tau = chip.threshold = 0;
  return oct_cuda_check (
      oct_cuda_launch_cs_persistent (&chip, queue), OCT_CUDA_CS, error);
}

gboolean
oct_cuda_cs_on_chip_run (OctCudaCsOnChip *c, const OctCudaCsRun *run,
    OctCudaQueue queue, GError **error)
{
  OctCudaCsChip chip = c->chip;
  cudaError_t status;

  if (!oct_cuda_table_upload (&c->table, OCT_CUDA_CS, queue.stream, error))
    return FALSE;
  chip.rows = run->rows;
  chip.sample_size =
      run->counts.size > 0 ? run->counts.size : (guint)sizeof (float);
  chip.mode = run->counts.mode;
  chip.table = run->counts.table;
  chip.table_step = run->counts.table_step;
  chip.told = run->told;
  chip.bscan = run->bscan;
  if (run->estimate && !cuda_cs_chip_estimate (&chip, queue, error))
    return FALSE;
  if (!run->estimate)
    chip.sigmas = NULL;
  chip.iterations = run->iterations;
  chip.tau = run->tau;
  chip.threshold =
      run->solver == OCT_CS_PERSISTENT ? run->sigma : run->tau * run->sigma;
  chip.depth_start = run->depth_start;
  chip.depth_bins = run->depth_bins;
  status = run->solver == OCT_CS_SPARSA ? oct_cuda_launch_cs_chip (&chip, queue)
           : run->solver == OCT_CS_CONTINUED
               ? oct_cuda_launch_cs_continued (&chip, queue)
               : oct_cuda_launch_cs_persistent (&chip, queue);
  return oct_cuda_check (status, OCT_CUDA_CS, error);
}
