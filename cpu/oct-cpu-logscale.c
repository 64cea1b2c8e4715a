/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to an image: squared magnitude, logarithm, range, transposition.
 *
 * First pass (automatic ranges): the extent of the B-scan, of the power alone,
 * since the logarithm keeps the order; or its noise floor and a histogram of
 * the power (oct-contrast.h).  Second pass: tiles of depth x A-lines are
 * transposed in the cache, so that the image is written in whole cache lines.
 */
#include "oct-cpu-logscale.h"

#include "oct-contrast.h"
#include "oct-cpu-grey.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TILE_LINES 64
#define TILE_DEPTH 32
/* values whose bins are computed together, in LANES lanes */
#define CHUNK 512
#define LANES 16
/* histograms used in turn: increments of one place wait for each other */
#define TURNS 4
#define NO_BIN OCT_CONTRAST_BINS

/* The contribution of one group of A-lines to the range. */
typedef struct {
  /* AUTO: power; lowest > highest when nothing is finite */
  float lowest, highest;
  /* CONTRAST: sums of log2 power or of power, over the values that count */
  double sums[OCT_CONTRAST_BANDS];
  guint64 counts[OCT_CONTRAST_BANDS];
} Extent;

/* CONTRAST: the histogram of one thread in this B-scan.  The last bin is for
 * values that do not count. */
typedef struct {
  gboolean used;
  guint32 counts[TURNS][OCT_CONTRAST_BINS + 1];
} Histogram;

struct _OctPlan {
  OctLogscaleParams params; /* lines: of one B-scan */
  guint threads;
  guint groups;
  Extent *extents;       /* [groups], of OCT_LANES A-lines each */
  Histogram *histograms; /* [threads] */
  gboolean has_history;
  double history_min, history_max; /* in the unit of v */
};

/* Squares are always rounded before they are added, so that a value is in the
 * same bin on every processor and GPU. */
#if defined(__GNUC__) && !defined(__clang__)
#  define WITHOUT_FMA __attribute__ ((optimize ("fp-contract=off")))
#else
#  define WITHOUT_FMA
#endif

/* power[i] = |a_scan[i]|^2 */
WITHOUT_FMA OCT_VECTORISED static void
find_power (const float *restrict a_scan, guint count, float *restrict power)
{
  for (guint i = 0; i < count; i++)
    power[i] =
        a_scan[2 * i] * a_scan[2 * i] + a_scan[2 * i + 1] * a_scan[2 * i + 1];
}

/* power[i][lane] of a_scans[i][part][lane], side by side */
WITHOUT_FMA OCT_VECTORISED static void
find_power_lanes (
    const float *restrict a_scans, guint count, float *restrict power)
{
  for (guint i = 0; i < count; i++) {
    const float *real = a_scans + (gsize)i * 2 * OCT_LANES;
    const float *imaginary = real + OCT_LANES;

    for (guint lane = 0; lane < OCT_LANES; lane++)
      power[(gsize)i * OCT_LANES + lane] =
          real[lane] * real[lane] + imaginary[lane] * imaginary[lane];
  }
}

OCT_VECTORISED static void
find_extent (const float *powers, guint count, float *lowest, float *highest)
{
  float low = *lowest, high = *highest;

#pragma omp simd reduction(min : low) reduction(max : high)
  for (guint i = 0; i < count; i++) {
    float power = powers[i];
    /* comparisons with not-a-number are false */
    float finite = power <= FLT_MAX ? power : -1;
    low = power < low ? power : low;
    high = finite > high ? finite : high;
  }
  *lowest = low;
  *highest = high;
}

/* Neither zero nor anything that is not finite. */
OCT_INLINE gint32
counts (gint32 bits)
{
  return (bits > OCT_CONTRAST_ZERO_BITS) & (bits < OCT_CONTRAST_INFINITE_BITS);
}

OCT_INLINE guint16
bin_of (gint32 bits)
{
  gint32 bin = (bits >> OCT_CONTRAST_SHIFT) - OCT_CONTRAST_FIRST_BIN;

  return (guint16)(counts (bits) ? bin : NO_BIN);
}

/* The bins of up to CHUNK values, and the sum of log2 of those that count: the
 * sum of their exponents, and log2 of the product of their mantissas, which are
 * between sqrt 1/2 and sqrt 2. */
OCT_VECTORISED static void
sum_log (const float *powers, guint depth, guint16 *bins, double *total,
    guint64 *count)
{
  const gint32 sqrt_half = 0x3f3504f3, one = 0x3f800000; /* log2 1 = 0 */
  gint32 values[CHUNK] __attribute__ ((aligned (64)));
  float products[LANES] __attribute__ ((aligned (64)));
  gint32 counted = 0;
  guint padded = (depth + LANES - 1) / LANES * LANES;
  gint32 exponents = 0;

#pragma omp simd reduction(+ : counted)
  for (guint i = 0; i < depth; i++) {
    gint32 bits = oct_cpu_bits (powers[i]);
    bins[i] = bin_of (bits);
    values[i] = (counts (bits) ? bits : one) - sqrt_half;
    counted += counts (bits);
  }
  for (guint i = depth; i < padded; i++)
    values[i] = one - sqrt_half;
  for (guint k = 0; k < LANES; k++)
    products[k] = 1;
  for (guint i = 0; i < padded; i += LANES) {
#pragma omp simd reduction(+ : exponents)
    for (guint k = 0; k < LANES; k++) {
      gint32 bits = (values[i + k] & 0x7fffff) + sqrt_half;
      float mantissa;
      memcpy (&mantissa, &bits, sizeof (mantissa));
      products[k] *= mantissa;
      exponents += values[i + k] >> 23;
    }
  }
  for (guint k = 0; k < LANES; k++) {
    gint32 exponent;
    float fraction = oct_cpu_log2 (oct_cpu_bits (products[k]), &exponent);

    *total += (double)exponent + (double)fraction;
  }
  *total += (double)exponents;
  *count += (guint)counted;
}

OCT_VECTORISED static void
sum_power (const float *powers, guint depth, guint16 *bins, double *total,
    guint64 *count)
{
  double sum = 0;
  gint32 counted = 0;

#pragma omp simd reduction(+ : sum, counted)
  for (guint i = 0; i < depth; i++) {
    gint32 bits = oct_cpu_bits (powers[i]);
    bins[i] = bin_of (bits);
    sum += counts (bits) ? powers[i] : 0;
    counted += counts (bits);
  }
  *total += sum;
  *count += (guint)counted;
}

static void
count_bins (const guint16 *bins, guint depth, Histogram *histogram)
{
  guint i;

  for (i = 0; i + TURNS <= depth; i += TURNS)
    for (guint turn = 0; turn < TURNS; turn++)
      histogram->counts[turn][bins[i + turn]]++;
  for (; i < depth; i++)
    histogram->counts[0][bins[i]]++;
}

/* power[i][lane] of OCT_LANES A-scans, `depth` a multiple of 8 */
WITHOUT_FMA OCT_VECTORISED static void
transpose_power (const float *const *a_scans, guint depth, float *power)
{
  for (guint i = 0; i < depth; i += OCT_VECTOR) {
    for (guint lane = 0; lane < OCT_LANES; lane += OCT_VECTOR) {
      const float *from[OCT_VECTOR];
      float *to[OCT_VECTOR];
      float row[OCT_VECTOR][OCT_VECTOR] __attribute__ ((aligned (64)));

      for (guint k = 0; k < OCT_VECTOR; k++) {
        const float *a = a_scans[lane + k] + 2 * (gsize)i;
        for (guint n = 0; n < OCT_VECTOR; n++)
          row[k][n] = a[2 * n] * a[2 * n] + a[2 * n + 1] * a[2 * n + 1];
        from[k] = row[k];
        to[k] = power + (gsize)(i + k) * OCT_LANES + lane;
      }
      oct_transpose (from, to);
    }
  }
}

static void
cpu_logscale_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->extents);
  oct_cpu_free (plan->histograms);
  g_free (plan);
}

static void
cpu_logscale_set_params (OctPlan *plan, const OctLogscaleParams *params)
{
  plan->params = *params;
  plan->params.bscans = OCT_BSCANS (params);
  plan->params.lines = params->lines / plan->params.bscans;
}

static OctPlan *
cpu_logscale_create (gconstpointer data, GError **error)
{
  const OctLogscaleParams *params = data;
  OctPlan *plan;

  if (!oct_check_logscale (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  cpu_logscale_set_params (plan, params);
  plan->threads = oct_backend_cpu_get_threads ();
  plan->groups = (plan->params.lines + OCT_LANES - 1) / OCT_LANES;
  plan->extents = oct_cpu_alloc (plan->groups, sizeof (Extent), error);
  if (plan->extents != NULL)
    plan->histograms = oct_cpu_alloc (plan->threads, sizeof (Histogram), error);
  if (plan->histograms == NULL) {
    cpu_logscale_destroy (plan);
    return NULL;
  }
  return plan;
}

static double
to_scale (double power, OctScale scale)
{
  return scale == OCT_SCALE_LOG ? 10 * log10 (MAX (power, 1e-20)) : power;
}

static double
between_scales (double value, OctScale to)
{
  return to == OCT_SCALE_LOG ? to_scale (value, to) : pow (10, value / 10);
}

static gboolean
cpu_logscale_update (OctPlan *plan, gconstpointer data)
{
  const OctLogscaleParams *params = data;

  if (params->depth_bins != plan->params.depth_bins
      || params->lines / OCT_BSCANS (params) != plan->params.lines
      || params->format != plan->params.format
      || !oct_check_logscale (params, NULL))
    return FALSE;
  if (params->scale != plan->params.scale) {
    plan->history_min = between_scales (plan->history_min, params->scale);
    plan->history_max = between_scales (plan->history_max, params->scale);
  }
  cpu_logscale_set_params (plan, params);
  return TRUE;
}

static void
cpu_logscale_reset (OctPlan *plan)
{
  plan->has_history = FALSE;
}

/* Adds the powers of one depth band to sums and histogram. */
static void
add_contrast (OctPlan *plan, guint group, guint band, const float *powers,
    guint count, guint thread)
{
  Extent *extent = &plan->extents[group];
  guint16 bins[CHUNK] __attribute__ ((aligned (64)));

  for (guint i = 0; i < count; i += CHUNK) {
    guint some = MIN (CHUNK, count - i);

    if (plan->params.scale == OCT_SCALE_LOG)
      sum_log (
          powers + i, some, bins, &extent->sums[band], &extent->counts[band]);
    else
      sum_power (
          powers + i, some, bins, &extent->sums[band], &extent->counts[band]);
    count_bins (bins, some, &plan->histograms[thread]);
  }
}

static void
cpu_logscale_add_line (
    OctPlan *plan, guint group, const float *a_scan, guint thread)
{
  float powers[CHUNK] __attribute__ ((aligned (64)));
  gboolean contrast = plan->params.range == OCT_RANGE_CONTRAST;
  guint depth = plan->params.depth_bins, bands = OCT_CONTRAST_BANDS;
  Extent *extent = &plan->extents[group];

  for (guint band = 0; band < (contrast ? bands : 1); band++) {
    guint first = contrast ? oct_contrast_band (depth, band) : 0;
    guint end = contrast ? oct_contrast_band (depth, band + 1) : depth;

    for (guint i = first; i < end; i += CHUNK) {
      guint count = MIN (CHUNK, end - i);

      find_power (a_scan + 2 * (gsize)i, count, powers);
      if (contrast)
        add_contrast (plan, group, band, powers, count, thread);
      else
        find_extent (powers, count, &extent->lowest, &extent->highest);
    }
  }
}

static void
begin_group (OctPlan *plan, guint group, guint thread)
{
  Extent *extent = &plan->extents[group];
  Histogram *histogram = &plan->histograms[thread];

  memset (extent, 0, sizeof (*extent));
  extent->lowest = INFINITY;
  extent->highest = -1;
  if (plan->params.range == OCT_RANGE_CONTRAST && !histogram->used) {
    memset (histogram, 0, sizeof (*histogram));
    histogram->used = TRUE;
  }
}

static void
find_extents (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  OctPlan *plan = loop->plan;

  for (guint group = first; group < end; group++) {
    guint end_line = MIN ((group + 1) * OCT_LANES, plan->params.lines);

    begin_group (plan, group, thread);
    for (guint line = group * OCT_LANES; line < end_line; line++)
      cpu_logscale_add_line (
          plan, group, oct_cpu_row (loop->from, line), thread);
  }
}

/* Computes the powers of rows first .. end - 1 of a block, and adds them to the
 * range.  band: their depth band, or OCT_CONTRAST_BANDS: none. */
static void
cpu_logscale_add_rows (OctPlan *plan, guint block, guint band,
    const float *a_scans, guint first, guint end, float *power, guint thread)
{
  guint lanes = MIN (OCT_LANES, plan->params.lines - block * OCT_LANES);
  Extent *extent = &plan->extents[block];
  float counted[CHUNK] __attribute__ ((aligned (64)));

  for (guint i = first; i < end; i += CHUNK / OCT_LANES) {
    guint rows = MIN (CHUNK / OCT_LANES, end - i);
    float *to = power + (gsize)i * OCT_LANES;
    const float *seen = to;

    find_power_lanes (a_scans + (gsize)i * 2 * OCT_LANES, rows, to);
    if (plan->params.range == OCT_RANGE_AUTO)
      find_extent (to, rows * OCT_LANES, &extent->lowest, &extent->highest);
    if (plan->params.range != OCT_RANGE_CONTRAST || band == OCT_CONTRAST_BANDS)
      continue;
    if (lanes < OCT_LANES) {
      /* zeros do not count */
      memset (counted, 0, sizeof counted);
      for (guint k = 0; k < rows; k++)
        memcpy (counted + k * OCT_LANES, to + (gsize)k * OCT_LANES,
            lanes * sizeof (float));
      seen = counted;
    }
    add_contrast (plan, block, band, seen, rows * OCT_LANES, thread);
  }
}

void
oct_cpu_logscale_add (OctPlan *plan, guint block, const float *a_scans,
    float *power, guint thread)
{
  guint depth = plan->params.depth_bins;

  begin_group (plan, block, thread);
  cpu_logscale_add_rows (plan, block, OCT_CONTRAST_BANDS, a_scans, 0,
      oct_contrast_band (depth, 0), power, thread);
  for (guint band = 0; band < OCT_CONTRAST_BANDS; band++)
    cpu_logscale_add_rows (plan, block, band, a_scans,
        oct_contrast_band (depth, band), oct_contrast_band (depth, band + 1),
        power, thread);
}

/* The lowest mean over a depth band.  FALSE: nothing counts. */
static gboolean
noise_floor (const OctPlan *plan, double *min, guint64 *total)
{
  double lowest = INFINITY;

  *total = 0;
  for (guint band = 0; band < OCT_CONTRAST_BANDS; band++) {
    double sum = 0;
    guint64 count = 0;
    for (guint group = 0; group < plan->groups; group++) {
      sum += plan->extents[group].sums[band];
      count += plan->extents[group].counts[band];
    }
    if (count > 0)
      lowest = MIN (lowest, sum / (double)count);
    *total += count;
  }
  *min = plan->params.scale == OCT_SCALE_LOG ? lowest * OCT_CPU_DB_PER_OCTAVE
                                             : lowest;
  return *total > 0;
}

static gboolean
contrast_range (const OctPlan *plan, double *min, double *max)
{
  gboolean is_log = plan->params.scale == OCT_SCALE_LOG;
  guint64 total, above, more = 0;
  guint32 count = 0;
  guint bin = OCT_CONTRAST_BINS;
  double least;

  if (!noise_floor (plan, min, &total))
    return FALSE;
  above = total / OCT_CONTRAST_ABOVE;
  while (more + count <= above) {
    more += count;
    count = 0;
    bin--;
    for (guint thread = 0; thread < plan->threads; thread++)
      for (guint turn = 0; plan->histograms[thread].used && turn < TURNS;
           turn++)
        count += plan->histograms[thread].counts[turn][bin];
  }
  least =
      is_log ? *min + OCT_CONTRAST_LEAST_DB : *min * OCT_CONTRAST_LEAST_POWER;
  *max = to_scale (
      oct_contrast_power (bin, count, more, above), plan->params.scale);
  *max = MAX (*max, least);
  return TRUE;
}

static gboolean
full_range (const OctPlan *plan, double *min, double *max)
{
  float lowest = INFINITY, highest = -1;

  for (guint group = 0; group < plan->groups; group++) {
    lowest = MIN (lowest, plan->extents[group].lowest);
    highest = MAX (highest, plan->extents[group].highest);
  }
  *min = to_scale (lowest, plan->params.scale);
  *max = to_scale (highest, plan->params.scale);
  return lowest <= highest;
}

/* The range of this image, in the unit of v, from the sums.  FALSE: no value is
 * finite. */
static gboolean
cpu_logscale_find_range (OctPlan *plan, double *min, double *max)
{
  const OctLogscaleParams *params = &plan->params;
  double weight = plan->has_history ? params->range_smoothing : 0;

  if (params->range == OCT_RANGE_MANUAL) {
    *min = params->min;
    *max = params->max;
    return TRUE;
  }
  if (!(params->range == OCT_RANGE_CONTRAST ? contrast_range (plan, min, max)
                                            : full_range (plan, min, max)))
    return FALSE;
  *min = weight * plan->history_min + (1 - weight) * *min;
  *max = weight * plan->history_max + (1 - weight) * *max;
  plan->history_min = *min;
  plan->history_max = *max;
  plan->has_history = TRUE;
  return TRUE;
}

static gboolean
cpu_logscale_get_range (OctPlan *plan, gpointer stream, double range[2])
{
  gboolean is_manual = plan->params.range == OCT_RANGE_MANUAL;

  range[0] = is_manual ? plan->params.min : plan->history_min;
  range[1] = is_manual ? plan->params.max : plan->history_max;
  return is_manual || plan->has_history;
}

/* A loop over tiles of the image. */
typedef struct {
  const OctPlan *plan;
  const OctPlane *from; /* A-scans, or NULL */
  const float *power;   /* [blocks][depth_bins][OCT_LANES], without A-scans */
  const OctPlane *to;
  OctCpuGrey grey;
} MapLoop;

/* Powers of one block of A-scans from `depth` on. */
static void
gather_power (
    const MapLoop *loop, guint line, guint depth, guint rows, float *power)
{
  guint last = loop->plan->params.lines - 1;
  const float *a_scans[OCT_LANES];
  float row[TILE_DEPTH];

  /* lanes beyond the end repeat the last A-scan */
  for (guint i = 0; i < OCT_LANES; i++)
    a_scans[i] = (const float *)oct_cpu_row (loop->from, MIN (line + i, last))
                 + 2 * (gsize)depth;
  if (rows % OCT_VECTOR == 0) {
    transpose_power (a_scans, rows, power);
    return;
  }
  for (guint i = 0; i < OCT_LANES; i++) {
    find_power (a_scans[i], rows, row);
    for (guint k = 0; k < rows; k++)
      power[k * OCT_LANES + i] = row[k];
  }
}

static void
map_tile (const MapLoop *loop, guint depth, guint line)
{
  const OctLogscaleParams *params = &loop->plan->params;
  guint lines = MIN (TILE_LINES, params->lines - line);
  guint rows = MIN (TILE_DEPTH, params->depth_bins - depth);
  guint pixel_size = oct_cpu_grey_pixel_size (params->format);
  gsize block_step = (gsize)params->depth_bins * OCT_LANES;
  float tile[TILE_DEPTH * TILE_LINES] __attribute__ ((aligned (64)));
  const float *power = tile;

  if (loop->from != NULL) {
    block_step = TILE_DEPTH * OCT_LANES;
    for (guint i = 0; i < lines; i += OCT_LANES)
      gather_power (
          loop, line + i, depth, rows, tile + i / OCT_LANES * block_step);
  } else
    power =
        loop->power + line / OCT_LANES * block_step + (gsize)depth * OCT_LANES;
  oct_cpu_grey_map (&loop->grey, power, block_step, lines, rows,
      (guint8 *)oct_cpu_row (loop->to, depth) + (gsize)line * pixel_size,
      loop->to->stride);
}

/* Tiles are counted along the A-lines first. */
static void
map_tiles (gpointer data, guint first, guint end, guint thread)
{
  const MapLoop *loop = data;
  guint across = (loop->plan->params.lines + TILE_LINES - 1) / TILE_LINES;

  for (guint tile = first; tile < end; tile++)
    map_tile (loop, tile / across * TILE_DEPTH, tile % across * TILE_LINES);
}

/* The range, and the image from A-scans or from powers. */
static void
cpu_logscale_finish (OctPlan *plan, const OctPlane *from, const float *power,
    const OctFrame *out)
{
  const OctLogscaleParams *params = &plan->params;
  gsize chroma_bytes = (params->lines + 1) / 2 * 2;
  guint tiles = ((params->lines + TILE_LINES - 1) / TILE_LINES)
                * ((params->depth_bins + TILE_DEPTH - 1) / TILE_DEPTH);
  MapLoop loop = {
    .plan = plan, .from = from, .power = power, .to = &out->planes[0]
  };
  double min = 0, max = 0;

  if (!cpu_logscale_find_range (plan, &min, &max))
    min = max = 0;
  oct_cpu_grey_init (&loop.grey, params->format, params->scale, min, max);
  oct_parallel_for (
      tiles, 1, oct_cpu_threads (plan->threads), map_tiles, &loop);
  if (params->format == OCT_IMAGE_NV12)
    for (guint row = 0; row < (params->depth_bins + 1) / 2; row++)
      memset (oct_cpu_row (&out->planes[1], row), 128, chroma_bytes);
}

void
oct_cpu_logscale_finish (OctPlan *plan, const float *power, const OctFrame *out)
{
  cpu_logscale_finish (plan, NULL, power, out);
}

static gboolean
cpu_logscale_check_image (
    const OctPlan *plan, const OctFrame *out, GError **error)
{
  const OctLogscaleParams *params = &plan->params;
  gsize row = (gsize)params->lines * oct_cpu_grey_pixel_size (params->format);

  return oct_cpu_check_plane (&out->planes[0], row, error)
         && (params->format != OCT_IMAGE_NV12
             || oct_cpu_check_plane (
                 &out->planes[1], (params->lines + 1) / 2 * 2, error));
}

/* Checks the images of the B-scans that there are. */
static gboolean
cpu_logscale_check_images (
    const OctPlan *plan, guint bscans, const OctFrame *out, GError **error)
{
  for (guint bscan = 0; bscan < bscans; bscan++)
    if (!cpu_logscale_check_image (plan, &out[bscan], error))
      return FALSE;
  return TRUE;
}

static void
cpu_logscale_begin (OctPlan *plan)
{
  for (guint thread = 0; thread < plan->threads; thread++)
    plan->histograms[thread].used = FALSE;
}

gboolean
oct_cpu_logscale_check (OctPlan *plan, guint bscans, guint depth_bins,
    guint lines, const OctFrame *out, GError **error)
{
  const OctLogscaleParams *params = &plan->params;

  if (params->depth_bins != depth_bins || params->lines != lines
      || bscans > params->bscans) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Images are made of up to %u B-scans of %u depth bins x %u A-lines "
        "where "
        "there are %u of %u x %u",
        params->bscans, params->depth_bins, params->lines, bscans, depth_bins,
        lines);
    return FALSE;
  }
  return cpu_logscale_check_images (plan, bscans, out, error);
}

void
oct_cpu_logscale_begin (OctPlan *plan, guint *threads)
{
  cpu_logscale_begin (plan);
  *threads = MIN (*threads, plan->threads);
}

static gboolean
cpu_logscale_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  guint bscans =
      oct_frame_count_bscans (in, plan->params.lines, plan->params.bscans);

  if (!oct_cpu_check_plane (
          &in->planes[0], plan->params.depth_bins * 2 * sizeof (float), error)
      || !cpu_logscale_check_images (plan, bscans, out, error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame one = oct_frame_get_bscan (in, bscan, plan->params.lines, 0);
    OctCpuLoop loop = { .plan = plan, .from = &one.planes[0] };

    cpu_logscale_begin (plan);
    if (plan->params.range != OCT_RANGE_MANUAL)
      oct_parallel_for (plan->groups, 1, oct_cpu_threads (plan->threads),
          find_extents, &loop);
    cpu_logscale_finish (plan, &one.planes[0], NULL, &out[bscan]);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_logscale = {
  .create = cpu_logscale_create,
  .update = cpu_logscale_update,
  .run = cpu_logscale_run,
  .reset = cpu_logscale_reset,
  .get_range = cpu_logscale_get_range,
  .destroy = cpu_logscale_destroy,
};
