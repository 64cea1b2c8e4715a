/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Counts to float, minus the spectrum of the source: plans.
 */
#include "oct-cuda-transform.h"
#include "oct-params.h"

#include <string.h>

#define NAME "background"

/* Values that are transformed together for the fixed pattern. */
#define PATTERN_VALUES (1u << 20)

/* The fixed pattern: one block of memory, and transforms of A-lines, of the
 * means over the runs, and of what is chosen of them, back. */
typedef struct {
  OctCudaFixedPattern kernels;
  OctCudaTransform rows, means, back;
  gpointer memory;
  gpointer found; /* the mean, as OCT_OPERATION_MEAN of BSCAN has it */
  float2 *table;  /* [samples] what is removed at once */
} Pattern;

struct _OctPlan {
  OctBackgroundMode mode;
  OctSampleFormat format;
  guint samples;
  guint lines; /* of one B-scan */
  guint bscans;
  gboolean found;
  gboolean overlap;
  double running_weight;
  double *running; /* device [samples] */
  gboolean has_running;
  OctCudaTable table; /* float2 [samples] (high, low), STORED */
  /* the mean alone, or for the fixed pattern */
  OctCudaTable scratch;
  guint processors;
  Pattern *pattern; /* NULL: it has not been asked for */
};

/* ------------------------------------------------------------------ plans */

static void
pattern_free (Pattern *pattern)
{
  if (pattern == NULL)
    return;
  oct_cuda_transform_clear (&pattern->rows);
  oct_cuda_transform_clear (&pattern->means);
  oct_cuda_transform_clear (&pattern->back);
  oct_cuda_free (pattern->memory);
  g_free (pattern);
}

/* What is in the block of memory; each begins at a multiple of 16 bytes. */
static gboolean
pattern_alloc (Pattern *pattern, guint samples, guint lines, GError **error)
{
  OctCudaFixedPattern *k = &pattern->kernels;
  gsize runs = OCT_PATTERN_RUNS, size = 0;
  const struct {
    gpointer *pointer;
    gsize size;
  } parts[] = { { &pattern->found, OCT_MEAN_SIZE (samples) },
    { (gpointer *)&pattern->table, samples * sizeof (float2) },
    { (gpointer *)&k->mean, samples * sizeof (float2) },
    { (gpointer *)&k->square, sizeof (double) },
    { (gpointer *)&k->division, sizeof (OctCudaDivision) },
    { (gpointer *)&k->excess, lines * sizeof (float) },
    { (gpointer *)&k->used, lines * sizeof (guint32) },
    { (gpointer *)&k->means, runs * samples * sizeof (float) },
    { (gpointer *)&k->variances, runs * (samples / 2 + 1) * sizeof (double) } };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    size += (parts[i].size + 15) / 16 * 16;
  pattern->memory = oct_cuda_alloc (size, NAME, error);
  if (pattern->memory == NULL)
    return FALSE;
  size = 0;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    *parts[i].pointer = (guint8 *)pattern->memory + size;
    size += (parts[i].size + 15) / 16 * 16;
  }
  return TRUE;
}

static Pattern *
pattern_new (guint samples, guint lines, GError **error)
{
  Pattern *pattern = g_new0 (Pattern, 1);
  OctCudaFixedPattern *k = &pattern->kernels;

  k->many_rows = CLAMP (PATTERN_VALUES / samples, 1, MIN (lines, 32768));
  if (!pattern_alloc (pattern, samples, lines, error)
      || !oct_cuda_transform_init (&pattern->rows, OCT_SAMPLE_F32, samples,
          k->many_rows, FALSE, NAME, error)
      || !oct_cuda_transform_init (&pattern->means, OCT_SAMPLE_F32, samples,
          OCT_PATTERN_RUNS, FALSE, NAME, error)
      || !oct_cuda_transform_init (
          &pattern->back, OCT_SAMPLE_F32, samples, 1, TRUE, NAME, error)) {
    pattern_free (pattern);
    return NULL;
  }
  k->found = pattern->found;
  k->dark = OCT_PATTERN_DARK;
  k->least = OCT_PATTERN_LEAST;
  k->most_runs = OCT_PATTERN_RUNS;
  k->rounding = OCT_PATTERN_ROUNDING * OCT_PATTERN_ROUNDING;
  k->is_complex = pattern->rows.is_complex;
  k->pitch = pattern->rows.pitch;
  k->values = pattern->rows.values;
  k->spectra = pattern->rows.spectra;
  k->mean_values = pattern->means.values;
  k->mean_spectra = pattern->means.spectra;
  k->chosen = pattern->back.spectra;
  k->chosen_values = pattern->back.values;
  return pattern;
}

static gboolean
needs_pattern (const OctBackgroundParams *params)
{
  return params->mode == OCT_BACKGROUND_FIXED_PATTERN && !params->found;
}

/* What the kernel of the mean needs. */
static gboolean
prepare_mean (OctPlan *plan, GError **error)
{
  gpointer scratch;
  int device = 0, processors = 0;

  if (!oct_cuda_check (cudaGetDevice (&device), NAME, error)
      || !oct_cuda_check (cudaDeviceGetAttribute (&processors,
                              cudaDevAttrMultiProcessorCount, device),
          NAME, error)
      || !oct_cuda_table_init (
          &plan->scratch, oct_cuda_mean_scratch (plan->samples), NAME, error)
      || (scratch = oct_cuda_table_edit (&plan->scratch, NAME, error)) == NULL)
    return FALSE;
  memset (scratch, 0, plan->scratch.size);
  plan->processors = (guint)processors;
  return TRUE;
}

static gboolean
prepare_pattern (OctPlan *plan, GError **error)
{
  plan->pattern = pattern_new (plan->samples, plan->lines, error);
  return plan->pattern != NULL && prepare_mean (plan, error);
}

static gboolean
apply_params (OctPlan *plan, const OctBackgroundParams *params, GError **error)
{
  if (params->mode == OCT_BACKGROUND_STORED) {
    float2 *table = oct_cuda_table_edit (&plan->table, NAME, error);
    if (table == NULL)
      return FALSE;
    for (guint i = 0; i < plan->samples; i++) {
      table[i].x = (float)params->background[i];
      table[i].y = (float)(params->background[i] - table[i].x);
    }
  }
  plan->bscans = OCT_BSCANS (params);
  plan->mode = params->mode;
  plan->found = params->found;
  plan->running_weight = params->running_weight;
  return TRUE;
}

static void
background_destroy (OctPlan *plan)
{
  oct_cuda_free (plan->running);
  oct_cuda_table_clear (&plan->table);
  oct_cuda_table_clear (&plan->scratch);
  pattern_free (plan->pattern);
  g_free (plan);
}

static OctPlan *
background_create (gconstpointer data, GError **error)
{
  const OctBackgroundParams *params = data;
  OctPlan *plan;

  if (!oct_check_background (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->format = params->format;
  plan->samples = params->samples;
  plan->lines = params->lines / OCT_BSCANS (params);
  plan->overlap = oct_cuda_can_overlap ();
  plan->running = oct_cuda_alloc (plan->samples * sizeof (double), NAME, error);
  if (plan->running == NULL
      || !oct_cuda_table_init (
          &plan->table, plan->samples * sizeof (float2), NAME, error)
      || !apply_params (plan, params, error)
      || (needs_pattern (params) && !prepare_pattern (plan, error))) {
    background_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
background_update (OctPlan *plan, gconstpointer data)
{
  const OctBackgroundParams *params = data;

  return params->format == plan->format && params->samples == plan->samples
         && params->lines / OCT_BSCANS (params) == plan->lines
         && (plan->pattern != NULL || !needs_pattern (params))
         && oct_check_background (params, NULL)
         && apply_params (plan, params, NULL);
}

static void
background_reset (OctPlan *plan)
{
  plan->has_running = FALSE;
}

/* Sums of counts are exact; a mean that has a history, or is one of floats, is
 * no whole number. */
OctCudaBackgroundMode
oct_cuda_found_mode (OctBackgroundMode mode, OctSampleFormat format)
{
  return mode == OCT_BACKGROUND_BSCAN && format != OCT_SAMPLE_F32
             ? OCT_CUDA_BACKGROUND_SUMS
             : OCT_CUDA_BACKGROUND_TABLE;
}

gboolean
oct_cuda_check_found (const OctPlane *found, GError **error)
{
  return oct_cuda_check_plane (&(OctPlane){ found->data, 16 }, 16, 16, error);
}

/* ---------------------------------------------------------------- running */

/* Of all but STORED and FIXED_PATTERN: the mode for the kernels. */
static gboolean
choose_mode (OctPlan *plan, const OctPlane *found,
    OctCudaBackground *background, GError **error)
{
  if (plan->mode == OCT_BACKGROUND_NONE)
    return TRUE;
  if (plan->found) {
    background->mode = oct_cuda_found_mode (plan->mode, plan->format);
    background->table = found->data;
    return oct_cuda_check_found (found, error);
  }
  if (plan->mode == OCT_BACKGROUND_BSCAN) {
    background->mode = OCT_CUDA_BACKGROUND_MEAN;
    return TRUE;
  }
  background->mode = OCT_CUDA_BACKGROUND_RUNNING;
  plan->has_running = TRUE;
  return TRUE;
}

static OctCudaBackground
kernel_parameters (
    const OctPlan *plan, const OctPlane *from, const OctPlane *to)
{
  return (OctCudaBackground){
    .rows = { from->data, from->stride, to->data, to->stride, plan->lines,
        plan->samples },
    .sample_size = (guint)oct_sample_format_size (plan->format),
    .mode = OCT_CUDA_BACKGROUND_TABLE,
    .running = plan->running,
    .running_weight = plan->running_weight,
    .forget = !plan->has_running,
  };
}

/* The mean to `to`, where it lies as MEAN of the launcher has it. */
static gboolean
launch_mean (OctPlan *plan, OctCudaBackground *background, OctCudaQueue queue,
    GError **error)
{
  if (!oct_cuda_table_upload (&plan->scratch, NAME, queue.stream, error))
    return FALSE;
  background->scratch = plan->scratch.device;
  background->processors = plan->processors;
  return oct_cuda_check (oct_cuda_launch_mean (background, queue), NAME, error);
}

/* Variances of all frequencies, some A-lines after the others. */
static gboolean
find_variances (Pattern *pattern, OctCudaFixedPattern *k, OctCudaQueue queue,
    GError **error)
{
  for (k->first_row = 0; k->first_row < k->rows.lines;
       k->first_row += k->many_rows)
    if (!oct_cuda_check (oct_cuda_launch_pattern_rows (k, queue), NAME, error)
        || !oct_cuda_transform_run (&pattern->rows, queue.stream, NAME, error)
        || !oct_cuda_check (
            oct_cuda_launch_pattern_powers (k, queue), NAME, error))
      return FALSE;
  return TRUE;
}

/* The fixed pattern to `to`, float2 [samples]. */
static gboolean
find_pattern (OctPlan *plan, const OctPlane *from, gpointer to,
    OctCudaQueue queue, GError **error)
{
  Pattern *pattern = plan->pattern;
  OctPlane found = { pattern->found, 0 };
  OctCudaBackground mean = kernel_parameters (plan, from, &found);
  OctCudaFixedPattern k = pattern->kernels;

  mean.mode = OCT_CUDA_BACKGROUND_MEAN;
  k.rows = mean.rows;
  k.rows.out = to;
  k.sample_size = mean.sample_size;
  return launch_mean (plan, &mean, queue, error)
         && oct_cuda_check (
             oct_cuda_launch_pattern_begin (&k, queue), NAME, error)
         && oct_cuda_transform_run (&pattern->means, queue.stream, NAME, error)
         && find_variances (pattern, &k, queue, error)
         && oct_cuda_check (
             oct_cuda_launch_pattern_choose (&k, queue), NAME, error)
         && oct_cuda_transform_run (&pattern->back, queue.stream, NAME, error)
         && oct_cuda_check (
             oct_cuda_launch_pattern_end (&k, queue), NAME, error);
}

/* What is removed where nothing is found by the kernel that removes it. */
static gboolean
get_table (OctPlan *plan, const OctPlane *from, OctCudaQueue queue,
    OctCudaBackground *background, GError **error)
{
  if (plan->mode == OCT_BACKGROUND_STORED) {
    background->table = plan->table.device;
    return oct_cuda_table_upload (&plan->table, NAME, queue.stream, error);
  }
  background->table = plan->pattern->table;
  return find_pattern (plan, from, plan->pattern->table, queue, error);
}

static gboolean
run_bscan (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaBackground background =
      kernel_parameters (plan, &in->planes[0], &out->planes[0]);
  gboolean has_table =
      plan->mode == OCT_BACKGROUND_STORED
      || (plan->mode == OCT_BACKGROUND_FIXED_PATTERN && !plan->found);

  return (has_table
                 ? get_table (plan, &in->planes[0], queue, &background, error)
                 : choose_mode (plan, &in->planes[1], &background, error))
         && oct_cuda_check (
             oct_cuda_launch_background (&background, queue), NAME, error);
}

static gboolean
background_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  gsize size = oct_sample_format_size (plan->format);
  guint samples = plan->samples;

  if (!oct_cuda_check_plane (&in->planes[0], samples * size, size, error)
      || !oct_cuda_check_plane (
          &out->planes[0], samples * sizeof (float), sizeof (float), error))
    return FALSE;
  for (guint bscan = 0; bscan < plan->bscans; bscan++) {
    OctFrame one_in =
        oct_frame_get_bscan (in, bscan, plan->lines, OCT_MEAN_SIZE (samples));
    OctFrame one_out = oct_frame_get_bscan (out, bscan, plan->lines, 0);

    if (!run_bscan (plan, &one_in, &one_out, stream, error))
      return FALSE;
  }
  return TRUE;
}

static OctPlan *
mean_create (gconstpointer data, GError **error)
{
  OctPlan *plan = background_create (data, error);

  if (plan != NULL && plan->pattern == NULL && !prepare_mean (plan, error))
    g_clear_pointer (&plan, background_destroy);
  return plan;
}

static gboolean
find_mean (OctPlan *plan, const OctPlane *from, const OctPlane *to,
    gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaBackground background = kernel_parameters (plan, from, to);

  if (plan->mode == OCT_BACKGROUND_FIXED_PATTERN)
    return find_pattern (plan, from, to->data, queue, error);
  background.mode = OCT_CUDA_BACKGROUND_MEAN;
  if (plan->mode == OCT_BACKGROUND_RUNNING) {
    background.mode = OCT_CUDA_BACKGROUND_RUNNING;
    plan->has_running = TRUE;
  }
  return launch_mean (plan, &background, queue, error);
}

/* The mean of a B-scan alone is one kernel that needs nothing of those of other
 * plans, so that it can run in a stream of its own, and into memory that
 * was used before. */
static gboolean
mean_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  gsize size = oct_sample_format_size (plan->format);

  if (!oct_cuda_check_plane (&in->planes[0], plan->samples * size, size, error)
      || !oct_cuda_check_found (&out->planes[0], error))
    return FALSE;
  for (guint bscan = 0; bscan < plan->bscans; bscan++) {
    OctFrame one = oct_frame_get_bscan (in, bscan, plan->lines, 0);
    OctPlane mean = {
      (guint8 *)out->planes[0].data + bscan * OCT_MEAN_SIZE (plan->samples), 0
    };

    if (!find_mean (plan, &one.planes[0], &mean, stream, error))
      return FALSE;
  }
  return TRUE;
}

const OctOperationTable oct_cuda_background = {
  .create = background_create,
  .update = background_update,
  .run = background_run,
  .reset = background_reset,
  .destroy = background_destroy,
};

const OctOperationTable oct_cuda_mean = {
  .create = mean_create,
  .update = background_update,
  .run = mean_run,
  .reset = background_reset,
  .destroy = background_destroy,
};
