/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Under-sampled spectra to A-scans by compressive sensing: plans.
 */
#include "oct-cuda-cs-parts.h"

#include <math.h>
#include <string.h>

G_STATIC_ASSERT (OCT_CUDA_CS_REACH == OCT_CS_REACH);

struct _OctPlan {
  OctCsParams params; /* column, nodes and window are its own */
  /* [OCT_CS_NOISE_LINES] page-locked: the noise of A-lines that the device has
   * written, NaN: nothing yet */
  float *told;
  gboolean overlap, is_on_chip;
  OctCudaCsOnChip on_chip;
  OctCudaCsInPasses in_passes; /* where it is not on chip */
};

static gpointer
cuda_cs_copied (gconstpointer values, gsize count, gsize size)
{
  return g_memdup2 (values, count * size);
}

static void
cuda_cs_destroy (OctPlan *plan)
{
  oct_cuda_cs_on_chip_clear (&plan->on_chip);
  oct_cuda_cs_in_passes_clear (&plan->in_passes);
  /* waits for queued work that writes there */
  if (plan->told != NULL && cudaFreeHost (plan->told) != cudaSuccess)
    cudaGetLastError ();
  g_free ((gpointer)plan->params.column);
  g_free ((gpointer)plan->params.nodes);
  g_free ((gpointer)plan->params.window);
  g_free (plan);
}

/* The noise of B-scans before does not count any more. */
static void
forget_told (OctPlan *plan)
{
  for (guint i = 0; i < OCT_CS_NOISE_LINES; i++)
    plan->told[i] = NAN;
}

static gboolean
make_told (OctPlan *plan, GError **error)
{
  if (!oct_cuda_check (cudaHostAlloc ((void **)&plan->told,
                           OCT_CS_NOISE_LINES * sizeof *plan->told,
                           cudaHostAllocMapped | cudaHostAllocPortable),
          OCT_CUDA_CS, error))
    return FALSE;
  forget_told (plan);
  return TRUE;
}

static OctPlan *
cuda_cs_create (gconstpointer data, GError **error)
{
  const OctCsParams *p = data;
  gboolean done;
  OctPlan *plan;

  if (!oct_cs_check (p, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *p;
  plan->params.column = cuda_cs_copied (p->column, p->kept, sizeof *p->column);
  plan->params.nodes = cuda_cs_copied (p->nodes, p->kept, sizeof *p->nodes);
  plan->params.window = cuda_cs_copied (p->window, p->kept, sizeof *p->window);
  plan->overlap = oct_cuda_can_overlap ();
  plan->is_on_chip = oct_cuda_cs_on_chip_can (p);
  done = make_told (plan, error)
         && (plan->is_on_chip
                 ? oct_cuda_cs_on_chip_init (&plan->on_chip, p, error)
                 : oct_cuda_cs_in_passes_init (&plan->in_passes, p, error));
  if (done)
    return plan;
  cuda_cs_destroy (plan);
  return NULL;
}

/* Another solver, number of steps, threshold or depth. */
static gboolean
cuda_cs_update (OctPlan *plan, gconstpointer data)
{
  const OctCsParams *p = data, *own = &plan->params;

  if (!oct_cs_check (p, NULL) || p->format != own->format
      || p->samples != own->samples || p->lines != own->lines
      || OCT_BSCANS (p) != OCT_BSCANS (own) || p->columns != own->columns
      || p->kept != own->kept || p->transform != own->transform
      || p->kernel != own->kernel || p->grid != own->grid
      || p->width != own->width
      || memcmp (p->column, own->column, p->kept * sizeof *p->column) != 0
      || memcmp (p->nodes, own->nodes, p->kept * sizeof *p->nodes) != 0
      || memcmp (p->window, own->window, p->kept * sizeof *p->window) != 0)
    return FALSE;
  if (p->solver != own->solver || p->noise != own->noise)
    forget_told (plan);
  plan->params.solver = p->solver;
  plan->params.iterations = p->iterations;
  plan->params.tau = p->tau;
  plan->params.noise = p->noise;
  plan->params.depth_start = p->depth_start;
  plan->params.depth_bins = p->depth_bins;
  return TRUE;
}

/* sigma_A is to be found before the A-lines are solved. */
static gboolean
has_to_estimate (const OctCsParams *p)
{
  return p->noise == 0 && p->solver != OCT_CS_PERSISTENT;
}

gboolean
oct_cuda_cs_takes_counts (const OctPlan *plan)
{
  return plan->is_on_chip && plan->params.format == OCT_SAMPLE_F32
         && !has_to_estimate (&plan->params);
}

gboolean
oct_cuda_cs_run_counts (OctPlan *plan, const OctCudaCsCounts *counts,
    const OctFrame *in, const OctFrame *out, gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  const OctCsParams *p = &plan->params;
  gsize size =
      counts->size > 0 ? counts->size : oct_sample_format_size (p->format);
  /* only where sigma_A has to be found it matters which A-lines belong together
   */
  gboolean estimate = has_to_estimate (p);
  guint lines = oct_frame_count_lines (in, p->lines);
  guint of_one = p->lines / OCT_BSCANS (p),
        bscans = estimate ? lines / of_one : 1;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaCsRun run = {
    .rows = { from->data, from->stride, to->data, to->stride, lines / bscans,
        p->columns },
    .counts = *counts,
    .solver = p->solver,
    .iterations = p->iterations,
    .sigma = (float)(p->noise * oct_cs_noise_gain (p)),
    .tau = (float)p->tau,
    .estimate = estimate,
    .told = plan->told,
    .bscan = of_one,
    .depth_start = p->depth_start,
    .depth_bins = p->depth_bins,
  };

  if (!oct_cuda_check_plane (from, p->columns * size, size, error)
      || !oct_cuda_check_plane (
          to, p->depth_bins * sizeof (float2), sizeof (float2), error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame one_in = oct_frame_get_bscan (in, bscan, run.rows.lines, 0);
    OctFrame one_out = oct_frame_get_bscan (out, bscan, run.rows.lines, 0);

    run.rows.in = one_in.planes[0].data;
    run.rows.out = one_out.planes[0].data;
    if (counts->table != NULL)
      run.counts.table =
          (const guint8 *)counts->table + bscan * counts->table_step;
    if (!(plan->is_on_chip
                ? oct_cuda_cs_on_chip_run (&plan->on_chip, &run, queue, error)
                : oct_cuda_cs_in_passes_run (
                    &plan->in_passes, &run, queue, error)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
cuda_cs_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  OctCudaCsCounts floats = { 0 };

  return oct_cuda_cs_run_counts (plan, &floats, in, out, stream, error);
}

/* The device may be writing those of the next B-scan. */
static double
cuda_cs_get_found (OctPlan *plan)
{
  double gain = oct_cs_noise_gain (&plan->params);
  float levels[OCT_CS_NOISE_LINES];

  for (guint i = 0; i < OCT_CS_NOISE_LINES; i++)
    levels[i] = ((volatile const float *)plan->told)[i];
  return gain > 0 ? oct_cs_noise_median (levels, OCT_CS_NOISE_LINES) / gain : 0;
}

const OctOperationTable oct_cuda_cs = {
  .create = cuda_cs_create,
  .update = cuda_cs_update,
  .run = cuda_cs_run,
  .get_found = cuda_cs_get_found,
  .destroy = cuda_cs_destroy,
};
