/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra of a swept source made uniform in wavenumber by its k-clock: plans.
 * The first reference is found on the host; the device renews it.
 */
#include "oct-cuda-kclock.h"
#include "oct-cuda-transform.h"
#include "oct-kclock.h"

#include <math.h>
#include <string.h>

#define NAME "kclock"

G_STATIC_ASSERT ((int)OCT_CUDA_KCLOCK_FIT == (int)OCT_KCLOCK_FIT);
G_STATIC_ASSERT ((int)OCT_CUDA_KCLOCK_FULL == (int)OCT_KCLOCK_FULL);
G_STATIC_ASSERT ((int)OCT_CUDA_KCLOCK_LATE == (int)OCT_KCLOCK_LATE);

struct _OctPlan {
  OctKclockParams params;
  OctKclock *clock;
  gboolean overlap;
  OctCudaTransform forward, backward;
  OctCudaTable kernel;
  OctCudaKclockTables tables;
  guint8 *faults; /* on the device, as the next */
  int *state;
  OctCudaKclockTold *told; /* page-locked, as the device sees it */
  guint8 *rows;            /* on the host: clocks of the first A-lines */
  float *first;
  guint64 none[OCT_MOST_COUNTS]; /* A-lines without a reference */
};

static void
cuda_kclock_free_tables (OctCudaKclockTables *t)
{
  oct_cuda_free (t->phase);
  oct_cuda_free (t->amplitude);
  oct_cuda_free ((gpointer)t->weight);
  oct_cuda_free ((gpointer)t->filter);
  oct_cuda_free ((gpointer)t->role);
  oct_cuda_free (t->turns);
  oct_cuda_free (t->gap);
  oct_cuda_free (t->place);
  oct_cuda_free (t->fraction);
  oct_cuda_free (t->inverse);
}

static void
cuda_kclock_destroy (OctPlan *plan)
{
  oct_cuda_transform_clear (&plan->forward);
  oct_cuda_transform_clear (&plan->backward);
  oct_cuda_table_clear (&plan->kernel);
  cuda_kclock_free_tables (&plan->tables);
  oct_cuda_free (plan->faults);
  oct_cuda_free (plan->state);
  if (plan->told != NULL)
    cudaFreeHost (plan->told);
  oct_kclock_free (plan->clock);
  g_free (plan->rows);
  g_free (plan->first);
  g_free (plan);
}

/* Device memory of `bytes` to *memory. */
static gboolean
cuda_kclock_take (gpointer memory, gsize bytes, GError **error)
{
  gpointer *to = memory;

  *to = oct_cuda_alloc (bytes, NAME, error);
  return *to != NULL;
}

static gboolean
cuda_kclock_alloc_tables (OctPlan *plan, GError **error)
{
  OctCudaKclockTables *t = &plan->tables;
  const gsize n = plan->params.samples, more = n + 2 * OCT_KCLOCK_EXTENT;
  const gsize bins = plan->clock->length / 2 + 1;

  return cuda_kclock_take (&t->phase, more * sizeof (double), error)
         && cuda_kclock_take (&t->amplitude, n * sizeof (double), error)
         && cuda_kclock_take (&t->weight, n * sizeof (float), error)
         && cuda_kclock_take (&t->filter, bins * sizeof (float), error)
         && cuda_kclock_take (&t->role, bins, error)
         && cuda_kclock_take (&t->turns, more * sizeof (float4), error)
         && cuda_kclock_take (&t->gap, n * sizeof (float), error)
         && cuda_kclock_take (&t->place, n * sizeof (int), error)
         && cuda_kclock_take (&t->fraction, n * sizeof (float), error)
         && cuda_kclock_take (&t->inverse, n * sizeof (float), error);
}

static gboolean
cuda_kclock_make_kernel (OctPlan *plan, GError **error)
{
  gsize size = (OCT_KCLOCK_PHASES + 1) * OCT_KCLOCK_TAPS * sizeof (float);
  float *kernel;

  if (!oct_cuda_table_init (&plan->kernel, size, NAME, error))
    return FALSE;
  kernel = oct_cuda_table_edit (&plan->kernel, NAME, error);
  if (kernel == NULL)
    return FALSE;
  oct_kclock_fill_kernel (kernel);
  return TRUE;
}

static gboolean
cuda_kclock_alloc (OctPlan *plan, GError **error)
{
  const OctKclockParams *p = &plan->params;
  gsize first;

  plan->clock = oct_kclock_new (p, error);
  if (plan->clock == NULL)
    return FALSE;
  first = (gsize)oct_kclock_first_lines (p) * p->samples;
  plan->rows = g_malloc (first * oct_sample_format_size (p->format));
  plan->first = g_new (float, first);
  if (!oct_cuda_transform_init (&plan->forward, OCT_SAMPLE_F32,
          plan->clock->length, p->lines, FALSE, NAME, error)
      || !oct_cuda_transform_init (&plan->backward, OCT_SAMPLE_CF32,
          plan->clock->length, p->lines, TRUE, NAME, error)
      || !cuda_kclock_make_kernel (plan, error)
      || !cuda_kclock_alloc_tables (plan, error)
      || !cuda_kclock_take (&plan->faults, p->lines, error)
      || !cuda_kclock_take (&plan->state, 2 * sizeof (int), error)
      || !oct_cuda_check (
          cudaHostAlloc ((void **)&plan->told, sizeof *plan->told,
              cudaHostAllocMapped | cudaHostAllocPortable),
          NAME, error))
    return FALSE;
  memset (plan->told, 0, sizeof *plan->told);
  return TRUE;
}

static OctPlan *
cuda_kclock_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_kclock (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *(const OctKclockParams *)data;
  plan->overlap = oct_cuda_can_overlap ();
  if (cuda_kclock_alloc (plan, error))
    return plan;
  cuda_kclock_destroy (plan);
  return NULL;
}

static gboolean
cuda_kclock_update (OctPlan *plan, gconstpointer data)
{
  if (!oct_check_kclock (data, NULL)
      || !oct_kclock_is_same (&plan->params, data))
    return FALSE;
  plan->params = *(const OctKclockParams *)data;
  oct_kclock_set_params (plan->clock, &plan->params);
  return TRUE;
}

/* ------------------------------------------------------------------- reference */

static gboolean
cuda_kclock_send (gconstpointer to, gconstpointer from, gsize bytes,
    gpointer stream, GError **error)
{
  return oct_cuda_check (cudaMemcpyAsync ((gpointer)to, from, bytes,
                             cudaMemcpyHostToDevice, stream),
      NAME, error);
}

/* The host memory is pageable: it can be written again at once. */
static gboolean
cuda_kclock_upload (OctPlan *plan, gpointer stream, GError **error)
{
  const OctCudaKclockTables *t = &plan->tables;
  const OctKclock *k = plan->clock;
  const gsize n = plan->params.samples, bins = k->length / 2 + 1;

  return cuda_kclock_send (t->phase, k->phase,
             (n + 2 * OCT_KCLOCK_EXTENT) * sizeof (double), stream, error)
         && cuda_kclock_send (
             t->amplitude, k->amplitude, n * sizeof (double), stream, error)
         && cuda_kclock_send (
             t->weight, k->weight, n * sizeof (float), stream, error)
         && cuda_kclock_send (
             t->filter, k->filter, bins * sizeof (float), stream, error)
         && cuda_kclock_send (t->role, k->role, bins, stream, error);
}

static void
cuda_kclock_convert (OctPlan *plan, gsize count)
{
  for (gsize i = 0; i < count; i++)
    switch (plan->params.format) {
    case OCT_SAMPLE_U8:
      plan->first[i] = plan->rows[i];
      break;
    case OCT_SAMPLE_U16:
      plan->first[i] = ((const guint16 *)(gpointer)plan->rows)[i];
      break;
    default:
      plan->first[i] = ((const float *)(gpointer)plan->rows)[i];
    }
}

/* Waits for the A-lines, and for all of before, which tells no more then. */
static gboolean
cuda_kclock_find (OctPlan *plan, const OctPlane *from, guint lines,
    gpointer stream, GError **error)
{
  const guint n = plan->params.samples;
  const gsize row = n * oct_sample_format_size (plan->params.format);
  guint wanted = MIN (oct_kclock_first_lines (&plan->params), lines);

  for (guint i = 0; i < wanted; i++)
    if (!oct_cuda_check (
            cudaMemcpyAsync (plan->rows + i * row,
                (const guint8 *)from->data
                    + (gsize)i * lines / wanted * from->stride + row,
                row, cudaMemcpyDeviceToHost, stream),
            NAME, error))
      return FALSE;
  if (!oct_cuda_check (cudaStreamSynchronize (stream), NAME, error))
    return FALSE;
  cuda_kclock_convert (plan, (gsize)wanted * n);
  plan->told->is_lost = 0;
  oct_kclock_find (plan->clock, plan->first, wanted);
  return !plan->clock->found || cuda_kclock_upload (plan, stream, error);
}

static OctCudaKclock
cuda_kclock_describe (OctPlan *plan, const OctFrame *in, const OctFrame *out)
{
  const OctKclockParams *p = &plan->params;
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  const OctKclock *k = plan->clock;
  OctCudaKclock c = {
    .rows = { from->data, from->stride, to->data, to->stride,
        oct_frame_count_lines (in, p->lines), p->samples },
    .sample_size = (guint32)oct_sample_format_size (p->format),
    .length = (int)k->length,
    .pitch = (int)plan->forward.pitch,
    .padded = plan->forward.values,
    .bins = plan->forward.spectra,
    .analytic = plan->backward.values,
    .kernel = plan->kernel.device,
    .faults = plan->faults,
    .state = plan->state,
    .told = plan->told,
    .tables = plan->tables,
    .method = (int)k->method,
    .order = (int)p->order,
    .signals = (int)k->signals,
    .noises = (int)k->noises,
    .step = (int)((p->lines + p->average - 1) / p->average),
    .average = (int)p->average,
    .least_snr = (float)pow (10, p->min_snr / 10),
    .weight_inside = k->weight_inside,
    .limit = k->limit,
    .most_jitter = (float)p->max_jitter,
    .delay = (float)p->delay,
    .falling = p->falling,
    .first = k->first,
    .last = k->last,
    .blocks = k->blocks,
  };

  memcpy (c.fit, k->fit, sizeof c.fit);
  return c;
}

static gboolean
cuda_kclock_clear (
    const OctPlane *to, gsize row, guint lines, gpointer stream, GError **error)
{
  return oct_cuda_check (
      cudaMemset2DAsync (to->data, to->stride, 0, row, lines, stream), NAME,
      error);
}

static gboolean
cuda_kclock_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctKclockParams *p = &plan->params;
  gsize size = oct_sample_format_size (p->format);
  gsize row = p->samples * sizeof (float);
  OctCudaQueue queue = { stream, plan->overlap };
  guint lines = oct_frame_count_lines (in, p->lines);
  gboolean is_new;
  OctCudaKclock c;

  if (!oct_cuda_check_plane (&in->planes[0], 2 * p->samples * size, size, error)
      || !oct_cuda_check_plane (&out->planes[0], row, sizeof (float), error)
      || !oct_cuda_table_upload (&plan->kernel, NAME, stream, error))
    return FALSE;
  is_new = !plan->clock->found || plan->told->is_lost;
  if (is_new && !cuda_kclock_find (plan, &in->planes[0], lines, stream, error))
    return FALSE;
  if (!plan->clock->found) {
    plan->none[plan->clock->why] += lines;
    return cuda_kclock_clear (&out->planes[0], row, lines, stream, error);
  }
  c = cuda_kclock_describe (plan, in, out);
  return (!is_new
             || oct_cuda_check (
                 oct_cuda_launch_kclock_tables (&c, queue), NAME, error))
         && oct_cuda_check (
             oct_cuda_launch_kclock_load (&c, queue), NAME, error)
         && oct_cuda_transform_run (&plan->forward, stream, NAME, error)
         && oct_cuda_check (
             oct_cuda_launch_kclock_filter (&c, queue), NAME, error)
         && oct_cuda_transform_run (&plan->backward, stream, NAME, error)
         && oct_cuda_check (
             oct_cuda_launch_kclock_resample (&c, queue), NAME, error);
}

static void
cuda_kclock_reset (OctPlan *plan)
{
  plan->clock->found = FALSE;
}

static void
cuda_kclock_get_counts (OctPlan *plan, guint64 *counts)
{
  const volatile OctCudaKclockTold *told = plan->told;

  memcpy (counts, plan->none, sizeof plan->none);
  for (guint i = 0; i < OCT_CUDA_KCLOCK_FAULTS; i++)
    counts[i] += told->counts[i];
}

const OctOperationTable oct_cuda_kclock = {
  .create = cuda_kclock_create,
  .update = cuda_kclock_update,
  .run = cuda_kclock_run,
  .reset = cuda_kclock_reset,
  .get_counts = cuda_kclock_get_counts,
  .destroy = cuda_kclock_destroy,
};
