/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Repeated B-scans moved onto the first of a place: loops over A-lines find the
 * shifts, then shift and turn, then add to the mean of the repeats.  Its real
 * and imaginary parts are apart.
 */
#include "oct-cpu-align-lines.h"
#include "oct-cpu-private.h"

#include <string.h>

#define MOST_LAGS (2 * OCT_ALIGN_FARTHEST + 1)
#define LATERAL_LAGS (2 * OCT_ALIGN_LATERAL + 1)
/* lines of scratch memory of a thread, with room around each */
#define SCRATCH_LINES 12

struct _OctPlan {
  OctAlignParams params; /* lines: of one B-scan */
  guint count;           /* repeats of this place */
  guint kept;            /* of them, in the mean */
  guint threads, groups;
  float *mean;      /* [lines][2][depth_bins] */
  float *moved;     /* the same, TRANSLATION: b after the axial shift */
  float *lags;      /* [lines][MOST_LAGS] */
  double *bands;    /* [lines][OCT_ALIGN_BANDS] powers */
  float *shifts;    /* [groups] */
  double *lateral;  /* [lines][2 LATERAL_LAGS] products, powers */
  double *powers;   /* [lines][2] of a, b */
  double *coherent; /* [lines][4] */
  gsize line_size;  /* floats of a line in scratch memory */
  float *scratch;   /* [threads][SCRATCH_LINES][line_size] */
  /* B-scan under way */
  const OctPlane *from, *to;
  float noise, least, along;
  gboolean is_kept;
};

static void
cpu_align_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->mean);
  oct_cpu_free (plan->moved);
  oct_cpu_free (plan->lags);
  oct_cpu_free (plan->bands);
  oct_cpu_free (plan->shifts);
  oct_cpu_free (plan->lateral);
  oct_cpu_free (plan->powers);
  oct_cpu_free (plan->coherent);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static gboolean
cpu_align_alloc (OctPlan *plan, GError **error)
{
  const OctAlignParams *params = &plan->params;
  gsize values = 2 * (gsize)params->lines * params->depth_bins;
  gboolean is_lateral = params->registration == OCT_ALIGN_TRANSLATION;
  struct {
    gpointer *memory;
    gsize count, size;
  } const parts[] = {
    { (gpointer *)&plan->mean, values, sizeof (float) },
    { (gpointer *)&plan->moved, is_lateral ? values : 0, sizeof (float) },
    { (gpointer *)&plan->lags, (gsize)params->lines * MOST_LAGS,
        sizeof (float) },
    { (gpointer *)&plan->bands, (gsize)params->lines * OCT_ALIGN_BANDS,
        sizeof (double) },
    { (gpointer *)&plan->shifts, plan->groups, sizeof (float) },
    { (gpointer *)&plan->lateral, (gsize)params->lines * 2 * LATERAL_LAGS,
        sizeof (double) },
    { (gpointer *)&plan->powers, (gsize)params->lines * 2, sizeof (double) },
    { (gpointer *)&plan->coherent, (gsize)params->lines * 4, sizeof (double) },
    { (gpointer *)&plan->scratch, plan->threads * SCRATCH_LINES,
        plan->line_size * sizeof (float) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    *parts[i].memory = oct_cpu_alloc (parts[i].count, parts[i].size, error);
    if (*parts[i].memory == NULL)
      return FALSE;
  }
  return TRUE;
}

static void
cpu_align_set_params (OctPlan *plan, const OctAlignParams *params)
{
  plan->params = *params;
  plan->params.bscans = OCT_BSCANS (params);
  plan->params.lines = params->lines / plan->params.bscans;
}

static OctPlan *
cpu_align_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_align (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  cpu_align_set_params (plan, data);
  plan->threads = oct_backend_cpu_get_threads ();
  plan->groups =
      oct_align_count_groups (plan->params.lines, plan->params.group);
  plan->line_size =
      oct_cpu_pad (plan->params.depth_bins + 2 * OCT_CPU_ALIGN_PAD);
  if (cpu_align_alloc (plan, error))
    return plan;
  cpu_align_destroy (plan);
  return NULL;
}

static gboolean
cpu_align_update (OctPlan *plan, gconstpointer data)
{
  OctAlignParams mine = plan->params;

  mine.lines *= mine.bscans;
  if (!oct_check_align (data, NULL) || !oct_align_is_same (&mine, data))
    return FALSE;
  cpu_align_set_params (plan, data);
  return TRUE;
}

static void
cpu_align_reset (OctPlan *plan)
{
  plan->count = plan->kept = 0;
}

static double
cpu_align_get_found (OctPlan *plan)
{
  return plan->count - plan->kept;
}

/* -------------------------------------------------------------------- lines
 */

/* Line number `i` of the scratch memory of a thread, with room before it. */
static float *
cpu_align_scratch (const OctPlan *plan, guint thread, guint i)
{
  return plan->scratch + (thread * SCRATCH_LINES + i) * plan->line_size
         + OCT_CPU_ALIGN_PAD;
}

static OctCpuParts
cpu_align_pair (const OctPlan *plan, guint thread, guint i)
{
  return (OctCpuParts){ cpu_align_scratch (plan, thread, i),
    cpu_align_scratch (plan, thread, i + 1) };
}

static OctCpuParts
cpu_align_line (const OctPlan *plan, float *plane, guint line)
{
  gsize depth = plan->params.depth_bins;

  return (
      OctCpuParts){ plane + 2 * line * depth, plane + (2 * line + 1) * depth };
}

static void
cpu_align_clear_around (const OctPlan *plan, OctCpuParts parts)
{
  gsize bytes = OCT_CPU_ALIGN_PAD * sizeof (float);
  guint depth = plan->params.depth_bins;

  memset (parts.re - OCT_CPU_ALIGN_PAD, 0, bytes);
  memset (parts.im - OCT_CPU_ALIGN_PAD, 0, bytes);
  memset (parts.re + depth, 0, bytes);
  memset (parts.im + depth, 0, bytes);
}

/* A line of the B-scan, with zeros around it. */
static OctCpuParts
cpu_align_load_line (const OctPlan *plan, guint line, guint thread)
{
  OctCpuParts b = cpu_align_pair (plan, thread, 0);

  cpu_align_clear_around (plan, b);
  oct_cpu_align_load (
      oct_cpu_row (plan->from, line), plan->params.depth_bins, b);
  return b;
}

/* The first of a place. */
static void
cpu_align_begin_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;

  for (guint line = first; line < end; line++) {
    OctCpuParts mean = cpu_align_line (plan, plan->mean, line);

    oct_cpu_align_load (
        oct_cpu_row (plan->from, line), plan->params.depth_bins, mean);
    oct_cpu_align_store (
        mean, plan->params.depth_bins, oct_cpu_row (plan->to, line));
  }
}

static void
cpu_align_lag_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  guint depth = plan->params.depth_bins;

  for (guint line = first; line < end; line++) {
    OctCpuParts b = cpu_align_load_line (plan, line, thread);

    for (guint band = 0; band < OCT_ALIGN_BANDS; band++) {
      guint from = oct_align_band (depth, band);
      OctCpuParts part = { b.re + from, b.im + from };

      plan->bands[line * OCT_ALIGN_BANDS + band] =
          oct_cpu_align_power (part, oct_align_band (depth, band + 1) - from);
    }
    if (plan->params.registration != OCT_ALIGN_NONE)
      oct_cpu_align_lags (cpu_align_line (plan, plan->mean, line), b, depth,
          plan->params.max_shift, plan->lags + (gsize)line * MOST_LAGS);
  }
}

/* b after the axial shift */
static OctCpuParts
cpu_align_shift_line (const OctPlan *plan, guint line, guint thread)
{
  const OctAlignParams *params = &plan->params;
  OctCpuParts b = cpu_align_load_line (plan, line, thread);
  OctCpuParts moved = cpu_align_pair (plan, thread, 2);
  float shift;

  if (params->registration == OCT_ALIGN_NONE)
    return b;
  shift = oct_align_between (plan->shifts, params->lines, plan->groups, line);
  oct_cpu_align_shift (b, shift, params->depth_bins, moved);
  return moved;
}

/* Turns a line back, keeps the sums that show whether the repeat is good. */
static void
cpu_align_finish_line (OctPlan *plan, guint line, OctCpuParts b, guint thread)
{
  const OctAlignParams *params = &plan->params;
  OctCpuParts mean = cpu_align_line (plan, plan->mean, line);
  OctCpuAlignScratch scratch = { .c = cpu_align_pair (plan, thread, 4),
    .weighted = cpu_align_pair (plan, thread, 6),
    .turns = cpu_align_pair (plan, thread, 8),
    .p = cpu_align_scratch (plan, thread, 10),
    .bins = (gint32 *)(gpointer)cpu_align_scratch (plan, thread, 11) };

  oct_cpu_align_phase (
      params->phase, mean, b, params->depth_bins, plan->noise, &scratch);
  if (oct_align_may_reject (params))
    oct_cpu_align_coherence (mean, b, params->depth_bins, plan->least,
        plan->coherent + 4 * (gsize)line);
  oct_cpu_align_store (b, params->depth_bins, oct_cpu_row (plan->to, line));
}

static void
cpu_align_finish_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;

  for (guint line = first; line < end; line++)
    cpu_align_finish_line (
        plan, line, cpu_align_shift_line (plan, line, thread), thread);
}

/* ------------------------------------------------------------------ lateral
 */

static void
cpu_align_move_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  gsize bytes = plan->params.depth_bins * sizeof (float);

  for (guint line = first; line < end; line++) {
    OctCpuParts b = cpu_align_shift_line (plan, line, thread);
    OctCpuParts to = cpu_align_line (plan, plan->moved, line);

    memcpy (to.re, b.re, bytes);
    memcpy (to.im, b.im, bytes);
  }
}

static void
cpu_align_lateral_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  gint lines = (gint)plan->params.lines;
  guint depth = plan->params.depth_bins;

  for (guint line = first; line < end; line++) {
    OctCpuParts a = cpu_align_line (plan, plan->mean, line);

    plan->powers[2 * line] = oct_cpu_align_power (a, depth);
    plan->powers[2 * line + 1] =
        oct_cpu_align_power (cpu_align_line (plan, plan->moved, line), depth);
    for (gint j = -OCT_ALIGN_LATERAL; j <= OCT_ALIGN_LATERAL; j++) {
      double *sum =
          plan->lateral
          + 2 * ((gsize)line * LATERAL_LAGS + (guint)(j + OCT_ALIGN_LATERAL));
      gint other = (gint)line + j;

      sum[0] = sum[1] = 0;
      if (other >= 0 && other < lines)
        oct_cpu_align_product (
            a, cpu_align_line (plan, plan->moved, (guint)other), depth, sum);
    }
  }
}

/* One shift along the A-lines, 0 if none is clear. */
static float
cpu_align_find_lateral (const OctPlan *plan)
{
  gint lines = (gint)plan->params.lines;
  float sums[LATERAL_LAGS], peak;

  for (gint j = -OCT_ALIGN_LATERAL; j <= OCT_ALIGN_LATERAL; j++) {
    double coherent = 0, power = 0;

    for (gint line = MAX (0, -j); line < MIN (lines, lines - j); line++) {
      const double *sum =
          plan->lateral + 2 * (line * LATERAL_LAGS + j + OCT_ALIGN_LATERAL);

      coherent += sum[0] * sum[0] + sum[1] * sum[1];
      power += plan->powers[2 * line] * plan->powers[2 * (line + j) + 1];
    }
    sums[j + OCT_ALIGN_LATERAL] = (float)(power > 0 ? coherent / power : 0);
  }
  peak = oct_align_peak (sums, OCT_ALIGN_LATERAL, 1);
  return fabsf (peak) > OCT_ALIGN_LATERAL_LEAST ? peak : 0;
}

/* The weights of the four A-lines around a place. */
static void
cpu_align_fill_cubic (float t, float weights[4])
{
  weights[0] = t * (-0.5f + t * (1 - 0.5f * t));
  weights[1] = 1 + t * t * (-2.5f + 1.5f * t);
  weights[2] = t * (0.5f + t * (2 - 1.5f * t));
  weights[3] = t * t * (-0.5f + 0.5f * t);
}

/* Lines that are moved along the A-lines, each without its mean phase. */
static void
cpu_align_cubic_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  guint depth = plan->params.depth_bins;
  gint lines = (gint)plan->params.lines, below = (gint)floorf (plan->along);
  OctCpuParts b = cpu_align_pair (plan, thread, 0);
  float weights[4];

  cpu_align_fill_cubic (plan->along - (float)below, weights);
  for (guint line = first; line < end; line++) {
    memset (b.re, 0, depth * sizeof (float));
    memset (b.im, 0, depth * sizeof (float));
    for (gint k = 0; k < 4; k++) {
      gint other = CLAMP ((gint)line + below + k - 1, 0, lines - 1);
      const double *sum =
          plan->lateral + 2 * ((gsize)other * LATERAL_LAGS + OCT_ALIGN_LATERAL);
      float phase = (float)atan2 (sum[1], sum[0]);

      oct_cpu_align_add_turned (
          cpu_align_line (plan, plan->moved, (guint)other), weights[k],
          cosf (phase), -sinf (phase), depth, b);
    }
    cpu_align_finish_line (plan, line, b, thread);
  }
}

static void
cpu_align_unmoved_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;

  for (guint line = first; line < end; line++)
    cpu_align_finish_line (
        plan, line, cpu_align_line (plan, plan->moved, line), thread);
}

/* ---------------------------------------------------------------------- all
 */

/* The lowest mean power of a band, and that of values that say whether the
 * repeat is good. */
static void
cpu_align_find_noise (OctPlan *plan)
{
  const OctAlignParams *params = &plan->params;
  double lowest = -1, all = 0;

  for (guint band = 0; band < OCT_ALIGN_BANDS; band++) {
    guint rows = oct_align_band (params->depth_bins, band + 1)
                 - oct_align_band (params->depth_bins, band);
    double sum = 0;

    if (rows == 0)
      continue;
    for (guint line = 0; line < params->lines; line++)
      sum += plan->bands[line * OCT_ALIGN_BANDS + band];
    all += sum;
    sum /= (double)rows * params->lines;
    if (lowest < 0 || sum < lowest)
      lowest = sum;
  }
  all /= (double)params->depth_bins * params->lines;
  plan->noise = (float)lowest;
  plan->least = (float)MIN (10 * lowest, all);
}

static float
cpu_align_sum_lags (
    const OctPlan *plan, guint first, guint end, float otherwise)
{
  guint most = plan->params.max_shift;
  float sums[MOST_LAGS], peak;

  for (guint u = 0; u <= 2 * most; u++) {
    double sum = 0;

    for (guint line = first; line < end; line++)
      sum += (double)plan->lags[(gsize)line * MOST_LAGS + u];
    sums[u] = (float)sum;
  }
  peak = oct_align_peak (sums, (gint)most, OCT_ALIGN_CLEAR);
  return isnan (peak) ? otherwise : peak;
}

static void
cpu_align_find_shifts (OctPlan *plan)
{
  guint lines = plan->params.lines;
  float all = cpu_align_sum_lags (plan, 0, lines, 0);

  for (guint i = 0; i < plan->groups; i++)
    plan->shifts[i] =
        cpu_align_sum_lags (plan, oct_align_group (lines, plan->groups, i),
            oct_align_group (lines, plan->groups, i + 1), all);
}

static gboolean
cpu_align_is_good (const OctPlan *plan)
{
  double coherent = 0, of_mean = 0, of_b = 0;

  if (!oct_align_may_reject (&plan->params))
    return TRUE;
  for (guint line = 0; line < plan->params.lines; line++) {
    const double *sums = plan->coherent + 4 * (gsize)line;

    /* each A-line may have any phase */
    coherent += sqrt (sums[0] * sums[0] + sums[1] * sums[1]);
    of_mean += sums[2];
    of_b += sums[3];
  }
  return of_mean + of_b == 0
         || coherent >= (1 - plan->params.reject) * sqrt (of_mean * of_b);
}

/* Into the mean, or out of the output. */
static void
cpu_align_keep_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  guint depth = plan->params.depth_bins;
  float weight = 1.f / (float)(plan->kept + 1);

  for (guint line = first; line < end; line++) {
    OctCpuParts mean = cpu_align_line (plan, plan->mean, line);
    OctCpuParts b = cpu_align_pair (plan, thread, 0);
    float *to = oct_cpu_row (plan->to, line);

    if (!plan->is_kept) {
      memset (to, 0, depth * 2 * sizeof (float));
      continue;
    }
    oct_cpu_align_load (to, depth, b);
    oct_cpu_align_add_turned (mean, -1, 1, 0, depth, b);
    oct_cpu_align_add_turned (b, weight, 1, 0, depth, mean);
  }
}

static void
cpu_align_run_lines (OctPlan *plan, OctParallelTask task)
{
  oct_parallel_for (plan->params.lines, OCT_CPU_GRAIN,
      oct_cpu_threads (plan->threads), task, plan);
}

static void
cpu_align_run_lateral (OctPlan *plan)
{
  cpu_align_run_lines (plan, cpu_align_move_lines);
  cpu_align_run_lines (plan, cpu_align_lateral_lines);
  plan->along = cpu_align_find_lateral (plan);
  cpu_align_run_lines (
      plan, plan->along == 0 ? cpu_align_unmoved_lines : cpu_align_cubic_lines);
}

static void
cpu_align_run_next (OctPlan *plan)
{
  cpu_align_run_lines (plan, cpu_align_lag_lines);
  cpu_align_find_noise (plan);
  if (plan->params.registration != OCT_ALIGN_NONE)
    cpu_align_find_shifts (plan);
  if (plan->params.registration == OCT_ALIGN_TRANSLATION)
    cpu_align_run_lateral (plan);
  else
    cpu_align_run_lines (plan, cpu_align_finish_lines);
  plan->is_kept = cpu_align_is_good (plan);
  cpu_align_run_lines (plan, cpu_align_keep_lines);
  plan->kept += plan->is_kept;
}

static gboolean
cpu_align_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctAlignParams *params = &plan->params;
  gsize row = params->depth_bins * 2 * sizeof (float);

  if (!oct_cpu_check_plane (&in->planes[0], row, error)
      || !oct_cpu_check_plane (&out->planes[0], row, error))
    return FALSE;
  for (guint bscan = 0; bscan < params->bscans; bscan++) {
    OctFrame from = oct_frame_get_bscan (in, bscan, params->lines, 0);
    OctFrame to = oct_frame_get_bscan (out, bscan, params->lines, 0);

    plan->from = &from.planes[0];
    plan->to = &to.planes[0];
    if (plan->count == params->repeats)
      cpu_align_reset (plan);
    if (plan->count == 0) {
      cpu_align_run_lines (plan, cpu_align_begin_lines);
      plan->kept = 1;
    } else {
      cpu_align_run_next (plan);
    }
    plan->count++;
  }
  return TRUE;
}

const OctOperationTable oct_cpu_align = {
  .create = cpu_align_create,
  .update = cpu_align_update,
  .run = cpu_align_run,
  .reset = cpu_align_reset,
  .get_found = cpu_align_get_found,
  .destroy = cpu_align_destroy,
};
