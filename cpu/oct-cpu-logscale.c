/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to an image: squared magnitude, logarithm, range, transposition.
 *
 * First pass (automatic ranges): the extent of the B-scan, of the power alone,
 * since the logarithm keeps the order; or its noise floor and a histogram of
 * the power (core/oct-contrast.h).  Second pass: tiles of depth x A-lines are
 * transposed in the cache, so that the image is written in whole cache lines.
 */
#include "oct-contrast.h"
#include "oct-cpu-private.h"
#include "oct-cpu-vector.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TILE_LINES 64
#define TILE_DEPTH 32
/* A-lines whose extent is found together */
#define GROUP 16
/* values whose bins are found together, in so many lanes */
#define CHUNK 512
#define LANES 16
/* histograms in turn: increments of one place wait for each other */
#define TURNS 4
#define NO_BIN OCT_CONTRAST_BINS
#define POWER_FLOOR 1e-20f
#define DB_PER_OCTAVE 3.0102999566398120 /* 10 log10 2 */

/* What one group of A-lines contributes to the range. */
typedef struct {
  /* AUTO: power; lowest > highest when nothing is finite */
  float lowest, highest;
  /* CONTRAST: of log2 power or power, of the values that count */
  double sums[OCT_CONTRAST_BANDS];
  guint64 counts[OCT_CONTRAST_BANDS];
} Extent;

/* CONTRAST: what one thread has seen of this B-scan, the last bin of what does
 * not count. */
typedef struct {
  gboolean used;
  guint32 counts[TURNS][OCT_CONTRAST_BINS + 1];
} Histogram;

/* level = (exponent - reference) scale + log2 (mantissa) scale + offset (LOG),
 * (power - offset) scale (LINEAR); then clamped to [0, full] and rounded. */
typedef struct {
  float scale, offset, full;
  gint32 reference;
} Mapping;

struct _OctPlan {
  OctLogscaleParams params;
  guint threads;
  guint groups;
  Extent *extents;       /* [groups] */
  Histogram *histograms; /* [threads] */
  gboolean has_history;
  double history_min, history_max; /* in the unit of v */
};

/* log2 of a positive normal number as exponent + fraction, the fraction within
 * 1e-7: polynomial fitted for the least largest error on [sqrt 1/2, sqrt 2). */
OCT_INLINE float
log2_parts (float power, gint32 *exponent)
{
  const gint32 sqrt_half = 0x3f3504f3;
  gint32 bits;
  float f, sum;

  memcpy (&bits, &power, sizeof (bits));
  bits -= sqrt_half;
  *exponent = bits >> 23;
  bits = (bits & 0x7fffff) + sqrt_half;
  memcpy (&f, &bits, sizeof (f));
  f -= 1;
  sum = -0.145744443f;
  sum = sum * f + 0.236890361f;
  sum = sum * f - 0.250069052f;
  sum = sum * f + 0.286707461f;
  sum = sum * f - 0.360087216f;
  sum = sum * f + 0.480939448f;
  sum = sum * f - 0.721357167f;
  sum = sum * f + 1.44269478f;
  return sum * f;
}

OCT_INLINE float
power_of (const float *a)
{
  return a[0] * a[0] + a[1] * a[1];
}

OCT_VECTORISED static void
find_extent (const float *a_scan, guint depth, float *lowest, float *highest)
{
  float low = *lowest, high = *highest;

#pragma omp simd reduction(min : low) reduction(max : high)
  for (guint i = 0; i < depth; i++) {
    float power = power_of (a_scan + 2 * i);
    /* comparisons with not-a-number are false */
    float finite = power <= FLT_MAX ? power : -1;
    low = power < low ? power : low;
    high = finite > high ? finite : high;
  }
  *lowest = low;
  *highest = high;
}

OCT_INLINE gint32
bits_of (float power)
{
  gint32 bits;

  memcpy (&bits, &power, sizeof (bits));
  return bits;
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

/* Squares are rounded before they are added, everywhere: the same value falls
 * into the same bin on every processor and GPU. */
#if defined(__GNUC__) && !defined(__clang__)
#  define WITHOUT_FMA __attribute__ ((optimize ("fp-contract=off")))
#else
#  define WITHOUT_FMA
#endif

/* The bins of up to CHUNK values, and the sum of log2 of those that count: that
 * of their exponents, and log2 of the product of their mantissas, which are
 * between sqrt 1/2 and sqrt 2. */
WITHOUT_FMA OCT_VECTORISED static void
sum_log (const float *a_scan, guint depth, guint16 *bins, double *total,
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
    gint32 bits = bits_of (power_of (a_scan + 2 * i));
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
    float fraction = log2_parts (products[k], &exponent);

    *total += (double)exponent + (double)fraction;
  }
  *total += (double)exponents;
  *count += (guint)counted;
}

WITHOUT_FMA OCT_VECTORISED static void
sum_power (const float *a_scan, guint depth, guint16 *bins, double *total,
    guint64 *count)
{
  double sum = 0;
  gint32 counted = 0;

#pragma omp simd reduction(+ : sum, counted)
  for (guint i = 0; i < depth; i++) {
    float power = power_of (a_scan + 2 * i);
    gint32 bits = bits_of (power);
    bins[i] = bin_of (bits);
    sum += counts (bits) ? power : 0;
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

/* tile[depth][line] = power of TILE_LINES A-scans, `depth` a multiple of 8 */
OCT_VECTORISED static void
transpose_power (const float *const *a_scans, guint depth, float *tile)
{
  float power[OCT_VECTOR][TILE_DEPTH] __attribute__ ((aligned (64)));

  for (guint line = 0; line < TILE_LINES; line += OCT_VECTOR) {
    for (guint k = 0; k < OCT_VECTOR; k++)
      for (guint i = 0; i < depth; i++)
        power[k][i] = power_of (a_scans[line + k] + 2 * i);
    for (guint i = 0; i < depth; i += OCT_VECTOR) {
      const float *from[OCT_VECTOR];
      float *to[OCT_VECTOR];
      for (guint k = 0; k < OCT_VECTOR; k++) {
        from[k] = power[k] + i;
        to[k] = tile + (i + k) * TILE_LINES + line;
      }
      oct_transpose (from, to);
    }
  }
}

OCT_INLINE float
level_log (float power, const Mapping *map)
{
  gint32 exponent;
  float fraction =
      log2_parts (power < POWER_FLOOR ? POWER_FLOOR : power, &exponent);
  return (float)(exponent - map->reference) * map->scale
         + (fraction * map->scale + map->offset);
}

OCT_INLINE float
level_linear (float power, const Mapping *map)
{
  return (power - map->offset) * map->scale;
}

/* To the nearest whole level, even at ties: beyond 2^23 a float has none
 * between.  Not-a-number is 0, whatever came of it before. */
OCT_INLINE guint32
finish_level (float level, float power, float full)
{
  level = level > 0 ? level : 0;
  level = level < full ? level : full;
  level = (level + 8388608.f) - 8388608.f;
  return power == power ? (guint32)(gint32)level : 0;
}

#define DEFINE_MAP(name, level_of, type, factor, alpha)                        \
  OCT_VECTORISED static void name (const float *restrict power, guint count,   \
      const Mapping *mapping, gpointer out)                                    \
  {                                                                            \
    type *restrict pixels = out;                                               \
    Mapping map = *mapping;                                                    \
                                                                               \
    for (guint i = 0; i < count; i++) {                                        \
      guint32 level =                                                          \
          finish_level (level_of (power[i], &map), power[i], map.full);        \
      pixels[i] = (type)(level * factor + alpha);                              \
    }                                                                          \
  }

DEFINE_MAP (map_log_8, level_log, guint8, 1u, 0u)
DEFINE_MAP (map_log_16, level_log, guint16, 1u, 0u)
DEFINE_MAP (map_log_rgba, level_log, guint32, 0x010101u, 0xff000000u)
DEFINE_MAP (map_linear_8, level_linear, guint8, 1u, 0u)
DEFINE_MAP (map_linear_16, level_linear, guint16, 1u, 0u)
DEFINE_MAP (map_linear_rgba, level_linear, guint32, 0x010101u, 0xff000000u)

typedef void (*MapFunction) (
    const float *power, guint count, const Mapping *mapping, gpointer out);

static const struct {
  guint pixel_size;
  float full;
  MapFunction map[2]; /* by OctScale */
} image_formats[] = {
  [OCT_IMAGE_GRAY8] = { 1, 255, { map_log_8, map_linear_8 } },
  [OCT_IMAGE_GRAY16] = { 2, 65535, { map_log_16, map_linear_16 } },
  [OCT_IMAGE_NV12] = { 1, 255, { map_log_8, map_linear_8 } },
  [OCT_IMAGE_RGBA] = { 4, 255, { map_log_rgba, map_linear_rgba } },
};

static void
logscale_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->extents);
  oct_cpu_free (plan->histograms);
  g_free (plan);
}

static OctPlan *
logscale_create (gconstpointer data, GError **error)
{
  const OctLogscaleParams *params = data;
  OctPlan *plan;

  if (!oct_check_logscale (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->threads = oct_backend_cpu_get_threads ();
  plan->groups = (params->lines + GROUP - 1) / GROUP;
  plan->extents = oct_cpu_alloc (plan->groups, sizeof (Extent), error);
  if (plan->extents != NULL)
    plan->histograms = oct_cpu_alloc (plan->threads, sizeof (Histogram), error);
  if (plan->histograms == NULL) {
    logscale_destroy (plan);
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
logscale_update (OctPlan *plan, gconstpointer data)
{
  const OctLogscaleParams *params = data;

  if (params->depth_bins != plan->params.depth_bins
      || params->lines != plan->params.lines
      || params->format != plan->params.format
      || !oct_check_logscale (params, NULL))
    return FALSE;
  if (params->scale != plan->params.scale) {
    plan->history_min = between_scales (plan->history_min, params->scale);
    plan->history_max = between_scales (plan->history_max, params->scale);
  }
  plan->params = *params;
  return TRUE;
}

static void
logscale_reset (OctPlan *plan)
{
  plan->has_history = FALSE;
}

/* What the counted values of one A-scan contribute. */
static void
add_contrast (const OctLogscaleParams *params, const float *a_scan,
    Extent *extent, Histogram *histogram)
{
  guint16 bins[CHUNK] __attribute__ ((aligned (64)));

  for (guint band = 0; band < OCT_CONTRAST_BANDS; band++) {
    guint end = oct_contrast_band (params->depth_bins, band + 1);
    guint first = oct_contrast_band (params->depth_bins, band);

    for (guint i = first; i < end; i += CHUNK) {
      guint depth = MIN (CHUNK, end - i);
      if (params->scale == OCT_SCALE_LOG)
        sum_log (a_scan + 2 * i, depth, bins, &extent->sums[band],
            &extent->counts[band]);
      else
        sum_power (a_scan + 2 * i, depth, bins, &extent->sums[band],
            &extent->counts[band]);
      count_bins (bins, depth, histogram);
    }
  }
}

static void
group_extent (OctPlan *plan, const OctPlane *from, guint group, guint thread)
{
  const OctLogscaleParams *params = &plan->params;
  Extent *extent = &plan->extents[group];
  Histogram *histogram = &plan->histograms[thread];
  guint end = MIN ((group + 1) * GROUP, params->lines);

  memset (extent, 0, sizeof (*extent));
  extent->lowest = INFINITY;
  extent->highest = -1;
  if (params->range == OCT_RANGE_CONTRAST && !histogram->used) {
    memset (histogram, 0, sizeof (*histogram));
    histogram->used = TRUE;
  }
  for (guint line = group * GROUP; line < end; line++) {
    const float *a_scan = oct_cpu_row (from, line);

    if (params->range == OCT_RANGE_CONTRAST)
      add_contrast (params, a_scan, extent, histogram);
    else
      find_extent (
          a_scan, params->depth_bins, &extent->lowest, &extent->highest);
  }
}

static void
find_extents (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;

  for (guint group = first; group < end; group++)
    group_extent (loop->plan, loop->from, group, thread);
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
  *min = plan->params.scale == OCT_SCALE_LOG ? lowest * DB_PER_OCTAVE : lowest;
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

/* The range of this image, in the unit of v.  FALSE: nothing is finite. */
static gboolean
find_range (OctPlan *plan, const OctPlane *from, double *min, double *max)
{
  const OctLogscaleParams *params = &plan->params;
  double weight = plan->has_history ? params->range_smoothing : 0;
  OctCpuLoop loop = { .plan = plan, .from = from };

  if (params->range == OCT_RANGE_MANUAL) {
    *min = params->min;
    *max = params->max;
    return TRUE;
  }
  for (guint thread = 0; thread < plan->threads; thread++)
    plan->histograms[thread].used = FALSE;
  oct_parallel_for (
      plan->groups, 1, oct_cpu_threads (plan->threads), find_extents, &loop);
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

/* Without an extent every level is below 0. */
static Mapping
make_mapping (OctScale scale, double full, double min, double max)
{
  Mapping map = { .scale = 0, .offset = -1, .full = (float)full };

  if (!(max > min))
    return map;
  if (scale == OCT_SCALE_LINEAR) {
    map.scale = (float)(full / (max - min));
    map.offset = (float)min;
    return map;
  }
  /* counted from the octave of the minimum, the terms stay small */
  map.reference = (gint32)CLAMP (floor (min / DB_PER_OCTAVE), -1e6, 1e6);
  map.scale = (float)(full * DB_PER_OCTAVE / (max - min));
  map.offset =
      (float)((map.reference * DB_PER_OCTAVE - min) * full / (max - min));
  return map;
}

static void
map_tile (const OctPlan *plan, const OctPlane *from, const OctPlane *to,
    const Mapping *mapping, guint depth, guint line)
{
  const OctLogscaleParams *params = &plan->params;
  guint lines = MIN (TILE_LINES, params->lines - line);
  guint bins = MIN (TILE_DEPTH, params->depth_bins - depth);
  guint pixel_size = image_formats[params->format].pixel_size;
  MapFunction map = image_formats[params->format].map[params->scale];
  const float *a_scans[TILE_LINES];
  float tile[TILE_DEPTH * TILE_LINES] __attribute__ ((aligned (64)));

  if (bins % OCT_VECTOR == 0) {
    /* the last A-scan stands in for those behind the end */
    for (guint i = 0; i < TILE_LINES; i++)
      a_scans[i] = (const float *)oct_cpu_row (from, line + MIN (i, lines - 1))
                   + 2 * depth;
    transpose_power (a_scans, bins, tile);
  } else {
    for (guint i = 0; i < lines; i++)
      for (guint k = 0; k < bins; k++)
        tile[k * TILE_LINES + i] = power_of (
            (const float *)oct_cpu_row (from, line + i) + 2 * (depth + k));
  }
  for (guint k = 0; k < bins; k++)
    map (tile + k * TILE_LINES, lines, mapping,
        (guint8 *)oct_cpu_row (to, depth + k) + (gsize)line * pixel_size);
}

/* Tiles are counted along the A-lines first. */
static void
map_tiles (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  guint across = (loop->plan->params.lines + TILE_LINES - 1) / TILE_LINES;

  for (guint tile = first; tile < end; tile++)
    map_tile (loop->plan, loop->from, loop->to, loop->extra,
        tile / across * TILE_DEPTH, tile % across * TILE_LINES);
}

static gboolean
logscale_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctLogscaleParams *params = &plan->params;
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize chroma_bytes = (params->lines + 1) / 2 * 2;
  double min = 0, max = 0;
  Mapping mapping;
  OctCpuLoop loop = { .plan = plan, .from = from, .to = to, .extra = &mapping };
  guint tiles;

  if (!oct_cpu_check_plane (
          from, params->depth_bins * 2 * sizeof (float), error)
      || !oct_cpu_check_plane (to,
          (gsize)params->lines * image_formats[params->format].pixel_size,
          error)
      || (params->format == OCT_IMAGE_NV12
          && !oct_cpu_check_plane (&out->planes[1], chroma_bytes, error)))
    return FALSE;
  if (!find_range (plan, from, &min, &max))
    min = max = 0;
  mapping = make_mapping (
      params->scale, image_formats[params->format].full, min, max);
  tiles = ((params->lines + TILE_LINES - 1) / TILE_LINES)
          * ((params->depth_bins + TILE_DEPTH - 1) / TILE_DEPTH);
  oct_parallel_for (
      tiles, 1, oct_cpu_threads (plan->threads), map_tiles, &loop);
  if (params->format == OCT_IMAGE_NV12)
    for (guint row = 0; row < (params->depth_bins + 1) / 2; row++)
      memset (oct_cpu_row (&out->planes[1], row), 128, chroma_bytes);
  return TRUE;
}

const OctOperationTable oct_cpu_logscale = {
  .name = "logscale",
  .create = logscale_create,
  .update = logscale_update,
  .run = logscale_run,
  .reset = logscale_reset,
  .destroy = logscale_destroy,
};
