/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing in passes over memory: plans and the order of the passes.
 */
#include "oct-cuda-cs-parts.h"

#include <string.h>

/* Values of the FFTs of the A-lines that are worked on together: enough to fill
 * large devices. */
#define VALUES_TOGETHER ((gsize)1 << 23)

static gboolean
cuda_cs_passes_make_transforms (OctCudaCsTransforms *t,
    const OctCudaCsPasses *p, guint lines, GError **error)
{
  t->lines = lines;
  if (p->is_complex) {
    t->forth = t->back = oct_cuda_fft_plan (
        CUFFT_C2C, p->length, p->length, p->length, lines, OCT_CUDA_CS, error);
    return t->forth != 0;
  }
  t->forth = oct_cuda_fft_plan (
      CUFFT_C2R, p->length, p->pitch, p->length, lines, OCT_CUDA_CS, error);
  if (t->forth == 0)
    return FALSE;
  t->back = oct_cuda_fft_plan (
      CUFFT_R2C, p->length, p->length, p->pitch, lines, OCT_CUDA_CS, error);
  return t->back != 0;
}

static void
clear_transforms (OctCudaCsTransforms *t)
{
  if (t->back != 0 && t->back != t->forth)
    cufftDestroy (t->back);
  if (t->forth != 0)
    cufftDestroy (t->forth);
  t->forth = t->back = 0;
}

/* Where the tables lie in the one that goes to the device, in floats. */
typedef struct {
  gsize band, factors, gridding_factors, cell_weights, first, column, end;
} Layout;

static Layout
cuda_cs_passes_divide (const OctCsTables *t)
{
  const OctNufftTables *g = &t->gridding;
  gsize bins = t->samples / 2 + 1;
  Layout at = { 0 };

  at.factors = at.band + (gsize)t->diagonals * t->length;
  at.gridding_factors = at.factors + bins;
  at.cell_weights = at.gridding_factors + bins;
  at.first = at.cell_weights + (gsize)g->cells * g->taps;
  at.column = at.first + g->cells;
  at.end = at.column + g->samples;
  return at;
}

static void
copy_table (float *host, gsize at, gsize end, gconstpointer values)
{
  memcpy (host + at, values, (end - at) * sizeof (float));
}

static gboolean
cuda_cs_passes_make_tables (OctCudaCsInPasses *c, const OctCsTables *t,
    const guint32 *column, GError **error)
{
  const OctNufftTables *g = &t->gridding;
  OctCudaCsPasses *p = &c->passes;
  Layout at = cuda_cs_passes_divide (t);
  float *host, *device;

  if (!oct_cuda_table_init (
          &c->table, at.end * sizeof (float), OCT_CUDA_CS, error)
      || (host = oct_cuda_table_edit (&c->table, OCT_CUDA_CS, error)) == NULL)
    return FALSE;
  copy_table (host, at.band, at.factors, t->band);
  copy_table (host, at.factors, at.gridding_factors, t->factors);
  copy_table (host, at.gridding_factors, at.cell_weights, g->factors);
  copy_table (host, at.cell_weights, at.first, g->cell_weights);
  copy_table (host, at.first, at.column, g->first);
  copy_table (host, at.column, at.end, column);
  device = c->table.device;
  p->band = device + at.band;
  p->factors = device + at.factors;
  p->gridding_factors = device + at.gridding_factors;
  p->cell_weights = device + at.cell_weights;
  p->first = (gpointer)(device + at.first);
  p->column = (gpointer)(device + at.column);
  return TRUE;
}

/* `lines` A-lines at a time. */
static gboolean
make_buffers (OctCudaCsInPasses *c, guint lines, GError **error)
{
  OctCudaCsPasses *p = &c->passes;
  gsize value = p->is_complex ? sizeof (float2) : sizeof (float);
  gsize row = p->length * value, modes = p->modes * sizeof (float2);
  const struct {
    gpointer to;
    gsize bytes;
  } buffers[] = { { &p->samples, p->kept * value }, { &p->grid, row },
    { &p->product, p->diagonals > 1 ? row : 0 },
    { &p->spectrum, p->is_complex ? 0 : p->pitch * sizeof (float2) },
    { &p->x, modes }, { &p->g, modes }, { &p->states, sizeof *p->states },
    { &p->power, p->modes * sizeof (float) }, { &p->steps, sizeof *p->steps } };

  G_STATIC_ASSERT (G_N_ELEMENTS (buffers) == G_N_ELEMENTS (c->buffers));

  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    if (buffers[i].bytes == 0)
      continue;
    c->buffers[i] =
        oct_cuda_alloc (lines * buffers[i].bytes, OCT_CUDA_CS, error);
    if (c->buffers[i] == NULL)
      return FALSE;
    *(gpointer *)buffers[i].to = c->buffers[i];
  }
  if (p->product == NULL)
    p->product = p->grid;
  if (p->spectrum == NULL) /* in place, and where the band leaves its product */
    p->spectrum = p->product;
  c->sigmas =
      oct_cuda_alloc (OCT_CS_NOISE_LINES * sizeof (float), OCT_CUDA_CS, error);
  return c->sigmas != NULL;
}

static gboolean
make_plan (OctCudaCsInPasses *c, const OctCsParams *params,
    const OctCsTables *t, GError **error)
{
  OctCudaCsPasses *p = &c->passes;
  guint n = t->samples, parts, together;
  /* sigma_A is found for every B-scan, whose A-lines are then worked on alone
   */
  guint lines = params->lines / OCT_BSCANS (params);

  p->real_input = params->format == OCT_SAMPLE_F32;
  /* cuFFT puts two real rows of an odd length into one complex transform */
  p->is_complex = !p->real_input || t->length % 2 != 0;
  p->all_samples = n;
  p->kept = params->kept;
  p->negative = p->is_complex ? n / 2 : 0;
  p->modes = p->is_complex ? n : (n + 1) / 2 + (t->nyquist ? 1 : 0);
  p->length = t->length;
  p->pitch = p->is_complex ? t->length : t->length / 2 + 1;
  p->diagonals = t->diagonals;
  p->origin = t->gridding.origin;
  p->cells = t->gridding.cells;
  p->taps = t->gridding.taps;
  p->rate = (float)params->kept / (float)params->samples;
  p->step_min = OCT_CS_STEP_MIN;
  p->step_max = OCT_CS_STEP_MAX;
  p->noise_lines = oct_cuda_cs_noise_lines (params);
  together = (guint)MAX (VALUES_TOGETHER / t->length, 1);
  parts = (lines + together - 1) / together;
  together = (lines + parts - 1) / parts;
  return cuda_cs_passes_make_tables (c, t, params->column, error)
         && make_buffers (c, MAX (together, p->noise_lines), error)
         && cuda_cs_passes_make_transforms (&c->all, p, together, error)
         && cuda_cs_passes_make_transforms (&c->some, p, p->noise_lines, error);
}

gboolean
oct_cuda_cs_in_passes_init (
    OctCudaCsInPasses *c, const OctCsParams *params, GError **error)
{
  OctCsTables tables = { 0 };
  gboolean done = oct_cs_tables_set (&tables, params, error)
                  && make_plan (c, params, &tables, error);

  oct_cs_tables_clear (&tables);
  return done;
}

void
oct_cuda_cs_in_passes_clear (OctCudaCsInPasses *c)
{
  clear_transforms (&c->all);
  clear_transforms (&c->some);
  oct_cuda_table_clear (&c->table);
  for (guint i = 0; i < G_N_ELEMENTS (c->buffers); i++)
    oct_cuda_free (c->buffers[i]);
  oct_cuda_free (c->sigmas);
}

static gboolean
go_forth (const OctCudaCsTransforms *t, const OctCudaCsPasses *p,
    OctCudaQueue queue, GError **error)
{
  return oct_cuda_check_fft (
             cufftSetStream (t->forth, queue.stream), OCT_CUDA_CS, error)
         && oct_cuda_check_fft (
             p->is_complex ? cufftExecC2C (
                 t->forth, p->spectrum, (float2 *)p->grid, CUFFT_INVERSE)
                           : cufftExecC2R (t->forth, p->spectrum, p->grid),
             OCT_CUDA_CS, error);
}

static gboolean
go_back (const OctCudaCsTransforms *t, const OctCudaCsPasses *p, void *cells,
    OctCudaQueue queue, GError **error)
{
  return oct_cuda_check_fft (
             cufftSetStream (t->back, queue.stream), OCT_CUDA_CS, error)
         && oct_cuda_check_fft (
             p->is_complex
                 ? cufftExecC2C (t->back, cells, p->spectrum, CUFFT_FORWARD)
                 : cufftExecR2C (t->back, cells, p->spectrum),
             OCT_CUDA_CS, error);
}

static gboolean
cuda_cs_passes_queued (cudaError_t status, GError **error)
{
  return oct_cuda_check (status, OCT_CUDA_CS, error);
}

/* b, in place of the later results of go_back() */
static gboolean
cuda_cs_passes_begin (const OctCudaCsTransforms *t, const OctCudaCsPasses *p,
    OctCudaQueue queue, GError **error)
{
  return cuda_cs_passes_queued (oct_cuda_launch_cs_begin (p, queue), error)
         && go_back (t, p, p->grid, queue, error);
}

/* T s */
static gboolean
cuda_cs_passes_apply (const OctCudaCsTransforms *t, const OctCudaCsPasses *p,
    OctCudaQueue queue, GError **error)
{
  return go_forth (t, p, queue, error)
         && cuda_cs_passes_queued (
             oct_cuda_launch_cs_multiply (p, queue), error)
         && go_back (t, p, p->product, queue, error);
}

/* All steps of some A-lines. */
static gboolean
solve_some (const OctCudaCsTransforms *t, OctCudaCsPasses *p,
    OctCsSolver solver, OctCudaQueue queue, GError **error)
{
  if (!cuda_cs_passes_begin (t, p, queue, error))
    return FALSE;
  for (guint i = 0; i < p->iterations; i++) {
    p->is_first = i == 0;
    p->iteration = i;
    if (!cuda_cs_passes_queued (solver == OCT_CS_SPARSA
                                    ? oct_cuda_launch_cs_advance (p, queue)
                                    : oct_cuda_launch_cs_step (
                                        p, solver == OCT_CS_PERSISTENT, queue),
            error)
        || (i + 1 < p->iterations
            && !cuda_cs_passes_apply (t, p, queue, error)))
      return FALSE;
  }
  return TRUE;
}

/* sigma_A of a B-scan: the noise that persistent shrinkage finds in some of its
 * A-lines */
static gboolean
cuda_cs_passes_estimate (OctCudaCsInPasses *c, const OctCudaCsRun *run,
    OctCudaQueue queue, GError **error)
{
  OctCudaCsPasses p = c->passes;

  p.rows = run->rows;
  p.lines = c->some.lines;
  p.spread = TRUE;
  p.sigmas = c->sigmas;
  p.told = run->told;
  p.iterations = OCT_CS_NOISE_STEPS;
  p.tau = p.threshold = 0;
  return solve_some (&c->some, &p, OCT_CS_PERSISTENT, queue, error);
}

static gboolean
cuda_cs_passes_solve (OctCudaCsInPasses *c, const OctCudaCsRun *run,
    guint first_line, OctCudaQueue queue, GError **error)
{
  OctCudaCsPasses p = c->passes;

  p.rows = run->rows;
  p.lines = c->all.lines;
  p.first_line = first_line;
  p.sigmas = run->estimate ? c->sigmas : NULL;
  p.told = run->told;
  p.bscan = run->bscan;
  p.iterations = run->iterations;
  p.tau = run->tau;
  p.threshold =
      run->solver == OCT_CS_PERSISTENT ? run->sigma : run->tau * run->sigma;
  p.depth_start = run->depth_start;
  p.depth_bins = run->depth_bins;
  return solve_some (&c->all, &p, run->solver, queue, error)
         && cuda_cs_passes_queued (oct_cuda_launch_cs_write (&p, queue), error);
}

/* The last A-lines that are worked on together may be some of those before,
 * too. */
gboolean
oct_cuda_cs_in_passes_run (OctCudaCsInPasses *c, const OctCudaCsRun *run,
    OctCudaQueue queue, GError **error)
{
  guint lines = run->rows.lines, together = c->all.lines;

  if (!oct_cuda_table_upload (&c->table, OCT_CUDA_CS, queue.stream, error)
      || (run->estimate && !cuda_cs_passes_estimate (c, run, queue, error)))
    return FALSE;
  for (guint first = 0; first < lines; first += together)
    if (!cuda_cs_passes_solve (
            c, run, MIN (first, lines - together), queue, error))
      return FALSE;
  return TRUE;
}
