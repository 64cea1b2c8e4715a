/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Counts to float, minus the spectrum of the source: plans.
 */
#include "oct-cuda-transform.h"
#include "oct-operation.h"
#include "oct-params.h"

#include <string.h>

#define NAME "background"

/* Values that are transformed together for the fixed pattern. */
#define PATTERN_VALUES (1u << 20)
/* B-scans whose means are found by one launch. */
#define MOST_TOGETHER 64u

/* The fixed pattern: one block of memory, and transforms of A-lines, of the
 * means over the runs, and of the chosen means, back. */
typedef struct {
  OctCudaFixedPattern kernels;
  OctCudaTransform rows, means, back;
  gpointer memory;
  gpointer found; /* the mean, as OCT_OPERATION_MEAN of BSCAN has it */
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
  /* float2 [samples] (high, low) of stored modes, (1, 0) of A_LINE */
  OctCudaTable table;
  guint high_pass_lines;
  guint median_memory; /* see oct_cuda_launch_median() */
  /* the mean alone, or for the fixed pattern; of how many B-scans at a time */
  OctCudaTable scratch;
  guint together;
  guint processors;
  /* NULL: they have not been asked for */
  Pattern *pattern;
  gpointer line; /* what is found and removed at once, as MEAN gives it */
  gpointer copy; /* [lines][samples] floats that are replaced, of HIGH_PASS */
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

/* The parts of the block of memory; each begins at a multiple of 16 bytes. */
static gboolean
pattern_alloc (Pattern *pattern, guint samples, guint lines, GError **error)
{
  OctCudaFixedPattern *k = &pattern->kernels;
  gsize runs = OCT_PATTERN_RUNS, size = 0;
  const struct {
    gpointer *pointer;
    gsize size;
  } parts[] = { { &pattern->found, OCT_MEAN_FITS (samples) },
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

/* The memory and the number of processors for the kernel of the mean. */
static gboolean
prepare_mean (OctPlan *plan, guint together, GError **error)
{
  gsize size = oct_cuda_mean_scratch (plan->samples) * together;
  gpointer scratch;
  int device = 0, processors = 0;

  if (!oct_cuda_check (cudaGetDevice (&device), NAME, error)
      || !oct_cuda_check (cudaDeviceGetAttribute (&processors,
                              cudaDevAttrMultiProcessorCount, device),
          NAME, error)
      || !oct_cuda_table_init (&plan->scratch, size, NAME, error)
      || (scratch = oct_cuda_table_edit (&plan->scratch, NAME, error)) == NULL)
    return FALSE;
  memset (scratch, 0, plan->scratch.size);
  plan->processors = (guint)processors;
  plan->together = together;
  return TRUE;
}

/* Whether one kernel finds the table of this mode, and another removes it. */
static gboolean
has_line (OctBackgroundMode mode)
{
  return oct_background_modes[mode].is_found && mode != OCT_BACKGROUND_BSCAN
         && mode != OCT_BACKGROUND_RUNNING;
}

static gboolean
has_copy (const OctBackgroundParams *params)
{
  return params->mode == OCT_BACKGROUND_HIGH_PASS
         && params->format == OCT_SAMPLE_F32;
}

/* Whether what a mode works with is there. */
static gboolean
cuda_background_has_parts (
    const OctPlan *plan, const OctBackgroundParams *params)
{
  if (params->found)
    return TRUE;
  return (!oct_background_modes[params->mode].has_pattern
             || plan->pattern != NULL)
         && (!has_line (params->mode) || plan->line != NULL)
         && (!has_copy (params) || plan->copy != NULL);
}

static gboolean
cuda_background_make_parts (
    OctPlan *plan, const OctBackgroundParams *params, GError **error)
{
  guint samples = plan->samples, lines = plan->lines;
  int device = 0, memory = 0;

  if (params->found)
    return TRUE;
  if (oct_background_modes[params->mode].has_pattern) {
    plan->pattern = pattern_new (samples, lines, error);
    if (plan->pattern == NULL || !prepare_mean (plan, 1, error))
      return FALSE;
  }
  if (has_line (params->mode)) {
    plan->line = oct_cuda_alloc (OCT_MEAN_SIZE (samples, lines), NAME, error);
    if (plan->line == NULL)
      return FALSE;
  }
  if (has_copy (params)) {
    plan->copy =
        oct_cuda_alloc ((gsize)lines * samples * sizeof (float), NAME, error);
    if (plan->copy == NULL)
      return FALSE;
  }
  if (params->mode != OCT_BACKGROUND_MEDIAN)
    return TRUE;
  if (!oct_cuda_check (cudaGetDevice (&device), NAME, error)
      || !oct_cuda_check (cudaDeviceGetAttribute (&memory,
                              cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          NAME, error))
    return FALSE;
  plan->median_memory = oct_cuda_median_memory ((guint)memory);
  return TRUE;
}

static gboolean
cuda_background_apply_params (
    OctPlan *plan, const OctBackgroundParams *params, GError **error)
{
  if (oct_background_modes[params->mode].is_stored
      || params->mode == OCT_BACKGROUND_A_LINE) {
    float2 *table = oct_cuda_table_edit (&plan->table, NAME, error);
    if (table == NULL)
      return FALSE;
    for (guint i = 0; i < plan->samples; i++) {
      double value =
          params->mode == OCT_BACKGROUND_A_LINE ? 1 : params->background[i];

      table[i].x = (float)value;
      table[i].y = (float)(value - table[i].x);
    }
  }
  plan->bscans = OCT_BSCANS (params);
  plan->mode = params->mode;
  plan->found = params->found;
  plan->running_weight = params->running_weight;
  plan->high_pass_lines = params->high_pass_lines;
  return TRUE;
}

static void
cuda_background_destroy (OctPlan *plan)
{
  oct_cuda_free (plan->running);
  oct_cuda_table_clear (&plan->table);
  oct_cuda_table_clear (&plan->scratch);
  pattern_free (plan->pattern);
  oct_cuda_free (plan->line);
  oct_cuda_free (plan->copy);
  g_free (plan);
}

static OctPlan *
cuda_background_create (gconstpointer data, GError **error)
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
      || !cuda_background_apply_params (plan, params, error)
      || !cuda_background_make_parts (plan, params, error)) {
    cuda_background_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cuda_background_update (OctPlan *plan, gconstpointer data)
{
  const OctBackgroundParams *params = data;

  return params->format == plan->format && params->samples == plan->samples
         && params->lines / OCT_BSCANS (params) == plan->lines
         && oct_check_background (params, NULL)
         && cuda_background_has_parts (plan, params)
         && cuda_background_apply_params (plan, params, NULL);
}

static void
cuda_background_reset (OctPlan *plan)
{
  plan->has_running = FALSE;
}

/* Sums of counts are exact; a mean that has a history, or is one of floats, is
 * not a whole number. */
OctCudaBackgroundMode
oct_cuda_found_mode (OctBackgroundMode mode, OctSampleFormat format)
{
  return mode == OCT_BACKGROUND_BSCAN && format != OCT_SAMPLE_F32
             ? OCT_CUDA_BACKGROUND_SUMS
             : OCT_CUDA_BACKGROUND_TABLE;
}

gboolean
oct_cuda_sums_fit (OctSampleFormat format, guint lines)
{
  return lines <= (format == OCT_SAMPLE_U8 ? OCT_MAX_LINES : 32768);
}

gboolean
oct_cuda_stored_init (OctCudaTable *table,
    const OctBackgroundParams *background, const char *operation,
    GError **error)
{
  float2 *stored;

  if (!oct_cuda_table_init (
          table, OCT_MEAN_FITS (background->samples), operation, error)
      || (stored = oct_cuda_table_edit (table, operation, error)) == NULL)
    return FALSE;
  for (guint i = 0; i < background->samples; i++) {
    stored[i].x = (float)background->background[i];
    stored[i].y = (float)(background->background[i] - stored[i].x);
  }
  return TRUE;
}

gboolean
oct_cuda_check_found (const OctPlane *found, GError **error)
{
  return oct_cuda_check_plane (&(OctPlane){ found->data, 16 }, 16, 16, error);
}

/* ---------------------------------------------------------------- running */

/* The fits, which follow a background that was found. */
static gpointer
fits_of (const OctPlan *plan, gpointer found)
{
  return (guint8 *)found + OCT_MEAN_FITS (plan->samples);
}

/* Where nothing is found by kernels of its own: the mode for the last one. */
static gboolean
cuda_background_choose_mode (OctPlan *plan, const OctPlane *found,
    gpointer stream, OctCudaBackground *background, GError **error)
{
  if (plan->mode == OCT_BACKGROUND_NONE)
    return TRUE;
  if (plan->found) {
    background->mode = oct_cuda_found_mode (plan->mode, plan->format);
    background->table = found->data;
    if (oct_background_modes[plan->mode].terms > 0)
      background->fits = fits_of (plan, found->data);
    return oct_cuda_check_found (found, error);
  }
  if (plan->mode == OCT_BACKGROUND_STORED) {
    background->table = plan->table.device;
    return oct_cuda_table_upload (&plan->table, NAME, stream, error);
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
    .bscans = 1,
    .out_step = OCT_MEAN_SIZE (plan->samples, plan->lines),
  };
}

/* The mean to `to`, where it lies as MEAN of the launcher has it. */
static gboolean
launch_mean (OctPlan *plan, OctCudaBackground *background, OctCudaQueue queue,
    GError **error)
{
  if (background->sample_size == sizeof (float))
    return oct_cuda_check (
        oct_cuda_launch_mean_of_floats (background, queue), NAME, error);
  if (!oct_cuda_table_upload (&plan->scratch, NAME, queue.stream, error))
    return FALSE;
  background->scratch = plan->scratch.device;
  background->processors = plan->processors;
  return oct_cuda_check (
      oct_cuda_launch_mean_of_counts (background, queue), NAME, error);
}

/* Variances of all frequencies, some A-lines after the others. */
static gboolean
cuda_background_find_variances (Pattern *pattern, OctCudaFixedPattern *k,
    OctCudaQueue queue, GError **error)
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
         && cuda_background_find_variances (pattern, &k, queue, error)
         && oct_cuda_check (
             oct_cuda_launch_pattern_choose (&k, queue), NAME, error)
         && oct_cuda_transform_run (&pattern->back, queue.stream, NAME, error)
         && oct_cuda_check (
             oct_cuda_launch_pattern_end (&k, queue), NAME, error);
}

/* A background of the mode, to `to`, as OCT_OPERATION_MEAN gives it. */
static gboolean
find_line (OctPlan *plan, const OctPlane *from, gpointer to, OctCudaQueue queue,
    GError **error)
{
  OctPlane found = { to, 0 };
  OctCudaBackground k = kernel_parameters (plan, from, &found);

  if (oct_background_modes[plan->mode].has_pattern)
    return find_pattern (plan, from, to, queue, error);
  if (plan->mode == OCT_BACKGROUND_MEDIAN)
    return oct_cuda_check (
        oct_cuda_launch_median (&k, plan->median_memory, queue), NAME, error);
  return oct_cuda_table_upload (&plan->table, NAME, queue.stream, error)
         && oct_cuda_check (cudaMemcpyAsync (to, plan->table.device,
                                plan->samples * sizeof (float2),
                                cudaMemcpyDeviceToDevice, queue.stream),
             NAME, error);
}

/* The same, with its fits to the A-lines. */
static gboolean
find_fitted (OctPlan *plan, const OctPlane *from, gpointer to,
    OctCudaQueue queue, GError **error)
{
  OctPlane none = { NULL, 0 };
  OctCudaBackground k = kernel_parameters (plan, from, &none);
  OctCudaFit fit = { .rows = k.rows,
    .sample_size = k.sample_size,
    .table = to,
    .terms = (int)oct_background_modes[plan->mode].terms,
    .fits = fits_of (plan, to) };

  return find_line (plan, from, to, queue, error)
         && (fit.terms == 0
             || oct_cuda_check (
                 oct_cuda_launch_fit (&fit, queue), NAME, error));
}

/* In place of floats: from a copy of them. */
static gboolean
run_high_pass (OctPlan *plan, const OctPlane *from, const OctPlane *to,
    OctCudaQueue queue, GError **error)
{
  OctCudaBackground k = kernel_parameters (plan, from, to);
  gsize row = plan->samples * sizeof (float);

  if (from->data == to->data) {
    if (!oct_cuda_check (
            cudaMemcpy2DAsync (plan->copy, row, from->data, from->stride, row,
                plan->lines, cudaMemcpyDeviceToDevice, queue.stream),
            NAME, error))
      return FALSE;
    k.rows.in = plan->copy;
    k.rows.in_stride = row;
  }
  return oct_cuda_check (oct_cuda_launch_high_pass (&k.rows, k.sample_size,
                             plan->high_pass_lines, queue),
      NAME, error);
}

static gboolean
cuda_background_run_bscan (OctPlan *plan, const OctFrame *in,
    const OctFrame *out, gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaBackground background =
      kernel_parameters (plan, &in->planes[0], &out->planes[0]);

  if (plan->mode == OCT_BACKGROUND_HIGH_PASS)
    return run_high_pass (plan, &in->planes[0], &out->planes[0], queue, error);
  if (has_line (plan->mode) && !plan->found) {
    if (!find_fitted (plan, &in->planes[0], plan->line, queue, error))
      return FALSE;
    background.table = plan->line;
    if (oct_background_modes[plan->mode].terms > 0)
      background.fits = fits_of (plan, plan->line);
  } else if (!cuda_background_choose_mode (
                 plan, &in->planes[1], stream, &background, error))
    return FALSE;
  return oct_cuda_check (
      oct_cuda_launch_background (&background, queue), NAME, error);
}

static gboolean
cuda_background_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  gsize size = oct_sample_format_size (plan->format);
  guint samples = plan->samples;
  guint bscans = oct_frame_count_bscans (in, plan->lines, plan->bscans);

  if (!oct_cuda_check_plane (&in->planes[0], samples * size, size, error)
      || !oct_cuda_check_plane (
          &out->planes[0], samples * sizeof (float), sizeof (float), error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame one_in = oct_frame_get_bscan (
        in, bscan, plan->lines, OCT_MEAN_SIZE (samples, plan->lines));
    OctFrame one_out = oct_frame_get_bscan (out, bscan, plan->lines, 0);

    if (!cuda_background_run_bscan (plan, &one_in, &one_out, stream, error))
      return FALSE;
  }
  return TRUE;
}

static OctPlan *
mean_create (gconstpointer data, GError **error)
{
  OctPlan *plan = cuda_background_create (data, error);

  if (plan != NULL && plan->pattern == NULL
      && !prepare_mean (plan, MIN (plan->bscans, MOST_TOGETHER), error))
    g_clear_pointer (&plan, cuda_background_destroy);
  return plan;
}

/* How many B-scans one launch can have: those whose means depend on nothing
 * but their own counts. */
static guint
count_together (const OctPlan *plan)
{
  return plan->mode == OCT_BACKGROUND_BSCAN && plan->format != OCT_SAMPLE_F32
             ? plan->together
             : 1;
}

static gboolean
cuda_background_find_mean (OctPlan *plan, guint bscans, const OctPlane *from,
    const OctPlane *to, gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaBackground background = kernel_parameters (plan, from, to);

  background.bscans = bscans;
  if (has_line (plan->mode))
    return find_fitted (plan, from, to->data, queue, error);
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
cuda_background_mean_run (OctPlan *plan, const OctFrame *in,
    const OctFrame *out, gpointer stream, GError **error)
{
  gsize size = oct_sample_format_size (plan->format);
  guint together = count_together (plan);
  guint bscans = oct_frame_count_bscans (in, plan->lines, plan->bscans);

  if (!oct_cuda_check_plane (&in->planes[0], plan->samples * size, size, error)
      || !oct_cuda_check_found (&out->planes[0], error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan += together) {
    OctFrame one = oct_frame_get_bscan (in, bscan, plan->lines, 0);
    OctPlane mean = { (guint8 *)out->planes[0].data
                          + bscan * OCT_MEAN_SIZE (plan->samples, plan->lines),
      0 };

    if (!cuda_background_find_mean (plan, MIN (together, bscans - bscan),
            &one.planes[0], &mean, stream, error))
      return FALSE;
  }
  return TRUE;
}

const OctOperationTable oct_cuda_background = {
  .create = cuda_background_create,
  .update = cuda_background_update,
  .run = cuda_background_run,
  .reset = cuda_background_reset,
  .destroy = cuda_background_destroy,
};

const OctOperationTable oct_cuda_mean = {
  .create = mean_create,
  .update = cuda_background_update,
  .run = cuda_background_mean_run,
  .reset = cuda_background_reset,
  .destroy = cuda_background_destroy,
};
