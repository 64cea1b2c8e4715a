/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Non-uniform FFT, A-scans to spectra (type 2, the adjoint of type 1): division
 * by the transform of the kernel, FFT, reading of the grid at the samples
 * (core/oct-nufft.h).  One A-line at a time in scratch that stays in the cache.
 */
#include "oct-cpu-fftw.h"
#include "oct-cpu-private.h"
#include "oct-cpu-vector.h"
#include "oct-nufft.h"
#include "oct-simd.h"

#include <fftw3.h>
#include <string.h>

struct _OctPlan {
  OctNufftParams params; /* without nodes and window */
  guint threads;
  guint parts; /* 1 real, 2 complex: floats of one value */
  OctNufftTables tables;
  fftwf_plan backward;
  guint8 *scratch; /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
  OctCpuBuffer memory; /* of the scratch */
};

/* The scratch of one thread. */
typedef struct {
  fftwf_complex *modes; /* [grid], zeros where there is no depth */
  float *grid;          /* [grid + 1] values */
  float *cells;         /* [cells] values: the grid as often as it is met */
} Scratch;

static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  gsize value = plan->parts * sizeof (float), size = 0;

  scratch->modes = (gpointer)(base + size);
  size += oct_cpu_pad ((plan->tables.grid + 1) * sizeof (fftwf_complex));
  scratch->grid = (gpointer)(base + size);
  size += oct_cpu_pad (((gsize)plan->tables.grid + 1) * value);
  scratch->cells = (gpointer)(base + size);
  size += oct_cpu_pad (plan->tables.cells * value);
  return size;
}

/* out[n] = sum_m weights[n][m] cells[lowest[n] + m]; width and parts are
 * constants where this is inlined */
OCT_INLINE void
read_cells (const OctNufftTables *t, guint width, guint parts,
    const float *cells, float *restrict out)
{
  const float *weights = t->node_weights;

  for (guint n = 0; n < t->samples; n++) {
    const float *from = cells + (gsize)t->lowest[n] * parts;
    for (guint part = 0; part < parts; part++) {
      float sum = 0;
      for (guint m = 0; m < width; m++)
        sum += weights[m] * from[m * parts + part];
      out[n * parts + part] = sum;
    }
    weights += width;
  }
}

OCT_INLINE void
read_line (const OctNufftTables *t, guint parts, const float *cells, float *out)
{
  switch (t->width) {
#define CASE(width)                                                            \
  case width:                                                                  \
    read_cells (t, width, parts, cells, out);                                  \
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
    read_cells (t, t->width, parts, cells, out);
  }
}

OCT_VECTORISED static void
read_real (const OctNufftTables *t, const float *cells, float *out)
{
  read_line (t, 1, cells, out);
}

OCT_VECTORISED static void
read_complex (const OctNufftTables *t, const float *cells, float *out)
{
  const float *shifts = t->shifts;

  read_line (t, 2, cells, out);
  /* back from around 0: the conjugate of what type 1 multiplies by */
  for (guint n = 0; shifts != NULL && n < t->samples; n++) {
    float re = out[2 * n], im = out[2 * n + 1];
    out[2 * n] = shifts[2 * n] * re + shifts[2 * n + 1] * im;
    out[2 * n + 1] = shifts[2 * n] * im - shifts[2 * n + 1] * re;
  }
}

/* The modes at their places in the FFT.  The real part of the sum over
 * q = 0, 1, ... is the Hermitian sum over all q of modes / 2, but for q = 0. */
static void
place_modes (const OctPlan *plan, const float *in, float *modes)
{
  const OctNufftTables *t = &plan->tables;

  for (guint i = 0; i < plan->params.depth_bins; i++) {
    gint q = t->first_mode + (gint)i;
    gsize at = q < 0 ? t->grid - (guint)-q : (guint)q;
    float factor = t->factors[i] * (plan->parts == 1 && q != 0 ? 0.5f : 1);
    modes[2 * at] = factor * in[2 * i];
    modes[2 * at + 1] = factor * in[2 * i + 1];
  }
}

static void
transform_line (
    const OctPlan *plan, const Scratch *scratch, const float *in, float *out)
{
  const OctNufftTables *t = &plan->tables;
  guint parts = plan->parts, done = 0;

  /* the transform of real values destroys its input */
  memset (scratch->modes, 0, (t->grid + 1) * sizeof (fftwf_complex));
  place_modes (plan, in, (float *)scratch->modes);
  if (parts == 2)
    fftwf_execute_dft (
        plan->backward, scratch->modes, (fftwf_complex *)scratch->grid);
  else
    fftwf_execute_dft_c2r (plan->backward, scratch->modes, scratch->grid);
  while (done < t->cells) {
    guint at = (t->origin + done) % t->grid;
    guint count = MIN (t->cells - done, t->grid - at);
    memcpy (scratch->cells + (gsize)done * parts,
        scratch->grid + (gsize)at * parts, count * parts * sizeof (float));
    done += count;
  }
  if (parts == 2)
    read_complex (t, scratch->cells, out);
  else
    read_real (t, scratch->cells, out);
}

static gboolean
set_tables (OctPlan *plan, const OctNufftParams *params, GError **error)
{
  plan->params = *params;
  plan->params.nodes = plan->params.window = NULL;
  plan->parts = params->format == OCT_SAMPLE_CF32 ? 2 : 1;
  return oct_nufft_tables_set (&plan->tables, params, TRUE, error);
}

static gboolean
make_scratch (OctPlan *plan, GError **error)
{
  Scratch scratch;

  plan->scratch_size = divide_scratch (plan, NULL, &scratch);
  plan->scratch =
      oct_cpu_reserve (&plan->memory, plan->threads, plan->scratch_size, error);
  return plan->scratch != NULL;
}

static void
adjoint_destroy (OctPlan *plan)
{
  oct_nufft_tables_clear (&plan->tables);
  oct_cpu_release (&plan->memory);
  g_free (plan);
}

static OctPlan *
adjoint_create (gconstpointer data, GError **error)
{
  const OctNufftParams *params = data;
  OctPlan *plan;

  if (!oct_nufft_check (params, TRUE, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->threads = oct_backend_cpu_get_threads ();
  if (!set_tables (plan, params, error) || !make_scratch (plan, error)
      || !(plan->backward = oct_cpu_fftw_plan (
               plan->parts == 1 ? OCT_CPU_FFTW_COMPLEX_TO_REAL
                                : OCT_CPU_FFTW_BACKWARD,
               plan->tables.grid, error))) {
    adjoint_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
adjoint_update (OctPlan *plan, gconstpointer data)
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
transform_lines (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  Scratch scratch;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint line = first; line < end; line++)
    transform_line (plan, &scratch, oct_cpu_row (loop->from, line),
        oct_cpu_row (loop->to, line));
}

static gboolean
adjoint_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan, .from = from, .to = to };
  gsize row = (gsize)plan->params.samples * plan->parts * sizeof (float);

  if (!oct_cpu_check_plane (
          from, plan->params.depth_bins * sizeof (fftwf_complex), error)
      || !oct_cpu_check_plane (to, row, error))
    return FALSE;
  oct_parallel_for (plan->params.lines, OCT_CPU_GRAIN,
      oct_cpu_threads (plan->threads), transform_lines, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_nufft_adjoint = {
  .name = "adjoint nufft",
  .create = adjoint_create,
  .update = adjoint_update,
  .run = adjoint_run,
  .destroy = adjoint_destroy,
};
