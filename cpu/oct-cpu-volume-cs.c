/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in, on the CPU: what is stored, what is measured of
 * it, and linear interpolation.
 */
#include "oct-cpu-volume-cs-parts.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

G_STATIC_ASSERT (OCT_LANES == OCT_VOLUME_CS_DEPTHS);

static void
cpu_volume_cs_destroy (OctVolumeCs *cs)
{
  oct_cpu_free (cs->given);
  oct_cpu_free (cs->volume);
  oct_cpu_free (cs->work);
  oct_cpu_free (cs->residual);
  oct_cpu_free (cs->window);
  oct_cpu_free (cs->masks);
  oct_cpu_free (cs->scratch);
  oct_lanes_fft_free (cs->to_depths);
  oct_lanes_fft_free (cs->to_samples);
  for (guint i = 0; i < 2; i++) {
    oct_lanes_fft_free (cs->forward[i]);
    oct_lanes_fft_free (cs->backward[i]);
    oct_cpu_free (cs->twiddles[i]);
  }
  g_free (cs->valid);
  g_clear_pointer (&cs->params.mask, oct_scan_mask_unref);
  g_free (cs);
}

/* ------------------------------------------------------------------ create */

static gboolean
make_spectra (OctVolumeCs *cs, GError **error)
{
  const OctVolumeCsParams *p = &cs->params;
  guint n = p->columns;
  g_autofree guint8 *masks = oct_volume_cs_make_masks (p, error);
  g_autofree double *window = g_new (double, n);

  if (masks == NULL)
    return FALSE;
  cs->to_depths = oct_lanes_fft_new_real (n, FALSE, error);
  if (cs->to_depths == NULL)
    return FALSE;
  cs->to_samples = oct_lanes_fft_new_real (n, TRUE, error);
  cs->window = oct_cpu_alloc (n, sizeof (float), error);
  if (cs->to_samples == NULL || cs->window == NULL)
    return FALSE;
  cs->masks = oct_cpu_alloc (
      (gsize)n * (OCT_VOLUME_CS_MASKS + 1), sizeof (float), error);
  if (cs->masks == NULL)
    return FALSE;
  oct_window_fill (p->window, n, NULL, window);
  for (guint i = 0; i < n; i++)
    cs->window[i] = (float)window[i];
  for (gsize i = 0; i < (gsize)n * OCT_VOLUME_CS_MASKS; i++)
    cs->masks[i] = masks[i];
  memset (cs->masks + (gsize)n * OCT_VOLUME_CS_MASKS, 0, n * sizeof (float));
  return TRUE;
}

/* Transforms of one direction and the factors that make cosine transforms of
 * them. */
static gboolean
make_direction (OctVolumeCs *cs, guint i, guint count, GError **error)
{
  cs->forward[i] = oct_lanes_fft_new (count, FALSE, error);
  cs->backward[i] =
      cs->forward[i] != NULL ? oct_lanes_fft_new (count, TRUE, error) : NULL;
  if (cs->backward[i] == NULL)
    return FALSE;
  cs->twiddles[i] = oct_cpu_alloc (2 * (gsize)count, sizeof (float), error);
  if (cs->twiddles[i] == NULL)
    return FALSE;
  for (guint k = 0; k < count; k++) {
    double angle = -G_PI * k / (2.0 * count);

    cs->twiddles[i][2 * k] = (float)cos (angle);
    cs->twiddles[i][2 * k + 1] = (float)sin (angle);
  }
  return TRUE;
}

static gboolean
make_scratch (OctVolumeCs *cs, GError **error)
{
  gsize lateral = oct_cpu_volume_cs_lateral_scratch (cs), axial = 0;

  if (cs->params.spectra)
    axial = MAX (oct_cpu_volume_cs_envelope_scratch (cs->params.columns),
                oct_cpu_volume_cs_axial_scratch (cs->params.columns))
            + MAX (oct_lanes_fft_scratch (cs->to_depths),
                oct_lanes_fft_scratch (cs->to_samples));
  cs->scratch_size = oct_cpu_pad (MAX (lateral, axial));
  cs->scratch = oct_cpu_alloc (cs->threads, cs->scratch_size, error);
  return cs->scratch != NULL;
}

static gsize
given_floats (const OctVolumeCs *cs)
{
  return cs->params.spectra ? ((gsize)cs->params.mask->count + OCT_LANES - 1)
                                  / OCT_LANES * OCT_LANES * cs->params.columns
                            : cs->params.mask->count * cs->line;
}

static gboolean
make_memory (OctVolumeCs *cs, GError **error)
{
  gsize given = given_floats (cs), volume = cs->line * cs->lines * cs->bscans;
  guint64 machine =
      (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE);

  cs->given = oct_cpu_alloc (given, sizeof (float), NULL);
  cs->volume = oct_cpu_alloc (volume, sizeof (float), NULL);
  if (cs->given != NULL && cs->volume != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "There is no memory for a volume of %u B-scans of %u A-lines of %u "
      "depths, which takes %" G_GUINT64_FORMAT " MB with method=linear or "
      "paper and %" G_GUINT64_FORMAT " MB with others, of %" G_GUINT64_FORMAT
      " MB that this computer has; set fewer depths, by `depth-bins` of "
      "octfft, octnufft or octreconstruct in front of octvolumecs",
      cs->bscans, cs->lines, cs->depths,
      (guint64)(given + volume) * sizeof (float) / 1000000,
      oct_volume_cs_get_size (&cs->params) / 1000000, machine / 1000000);
  return FALSE;
}

static void
cpu_volume_cs_clear (OctVolumeCs *cs)
{
  memset (cs->valid, 0, cs->params.mask->count);
  memset (cs->given, 0, given_floats (cs) * sizeof (float));
}

static OctVolumeCs *
cpu_volume_cs_create (
    const OctVolumeCsParams *params, gpointer stream, GError **error)
{
  OctVolumeCs *cs;

  if (!oct_volume_cs_params_check (params, error))
    return NULL;
  cs = g_new0 (OctVolumeCs, 1);
  cs->params = *params;
  oct_scan_mask_ref (cs->params.mask);
  cs->lines = params->mask->lines;
  cs->bscans = params->mask->bscans;
  cs->depths = oct_volume_cs_get_depths (params);
  cs->blocks = (cs->depths + OCT_LANES - 1) / OCT_LANES;
  cs->line = (gsize)cs->blocks * OCT_CPU_VOLUME_CS_BLOCK;
  cs->threads = oct_parallel_get_threads ();
  cs->valid = g_malloc0 (params->mask->count);
  if ((!params->spectra || make_spectra (cs, error))
      && make_direction (cs, 0, cs->lines, error)
      && make_direction (cs, 1, cs->bscans, error) && make_scratch (cs, error)
      && make_memory (cs, error)) {
    cpu_volume_cs_clear (cs);
    return cs;
  }
  cpu_volume_cs_destroy (cs);
  return NULL;
}

/* ------------------------------------------------------------------- store */

static gboolean
are_numbers (const float *values, guint count)
{
  /* NaN times 0 is NaN, and so is the sum */
  float sum = 0;

  for (guint i = 0; i < count; i++)
    sum += values[i] * 0.0f;
  return sum == 0;
}

/* A-scan of interleaved pairs to blocks. */
static void
cpu_volume_cs_split (const OctVolumeCs *cs, const float *pairs, float *to)
{
  for (guint i = 0; i < cs->depths; i++) {
    float *block = to + (gsize)(i / OCT_LANES) * OCT_CPU_VOLUME_CS_BLOCK;

    block[i % OCT_LANES] = pairs[2 * i];
    block[OCT_LANES + i % OCT_LANES] = pairs[2 * i + 1];
  }
}

static void
store_line (OctVolumeCs *cs, guint k, const float *row)
{
  guint n = cs->params.columns;

  cs->valid[k] = are_numbers (row, cs->params.spectra ? n : 2 * n);
  if (!cs->valid[k])
    return;
  if (!cs->params.spectra) {
    cpu_volume_cs_split (cs, row, cs->given + k * cs->line);
  } else {
    const float *mask = oct_cpu_volume_cs_mask_of (cs, k);
    float *to =
        cs->given + (gsize)(k / OCT_LANES) * n * OCT_LANES + k % OCT_LANES;

    for (guint i = 0; i < n; i++)
      to[(gsize)i * OCT_LANES] = row[i] * cs->window[i] * mask[i];
  }
}

static gboolean
cpu_volume_cs_store (OctVolumeCs *cs, guint bscan, const OctPlane *rows,
    gboolean whole, GError **error)
{
  const OctScanMask *mask = cs->params.mask;
  gsize bytes = (gsize)cs->params.columns
                * oct_sample_format_size (
                    cs->params.spectra ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32);

  if (bscan >= cs->bscans || !oct_cpu_check_plane (rows, bytes, error))
    return bscan >= cs->bscans;
  for (guint k = mask->first[bscan]; k < mask->first[bscan + 1]; k++)
    store_line (cs, k,
        oct_cpu_row (rows, whole ? mask->places[k] - bscan * cs->lines
                                 : k - mask->first[bscan]));
  return TRUE;
}

/* ----------------------------------------------------------------- measure */

static void
place_spectra (gpointer data, guint first, guint end, guint thread)
{
  OctVolumeCs *cs = data;
  float *bins = oct_cpu_volume_cs_scratch (cs, thread);
  gsize size = ((gsize)cs->params.columns / 2 + 1) * OCT_CPU_VOLUME_CS_BLOCK;

  for (guint group = first; group < end; group++)
    oct_cpu_volume_cs_adjoint (cs, group,
        cs->given + (gsize)group * cs->params.columns * OCT_LANES, cs->volume,
        bins, bins + size);
}

/* Copies the stored A-scans to their places, 0 elsewhere. */
static void
cpu_volume_cs_place (OctVolumeCs *cs)
{
  const OctScanMask *mask = cs->params.mask;

  memset (cs->volume, 0, cs->line * cs->lines * cs->bscans * sizeof (float));
  if (cs->params.spectra) {
    oct_parallel_for ((mask->count + OCT_LANES - 1) / OCT_LANES, 1,
        oct_cpu_threads (cs->threads), place_spectra, cs);
    return;
  }
  for (guint k = 0; k < mask->count; k++)
    if (cs->valid[k])
      memcpy (oct_cpu_volume_cs_line (cs, cs->volume, mask->places[k]),
          cs->given + k * cs->line, cs->line * sizeof (float));
}

/* conj (a) b, |a|^2, |b|^2 of 16 depths, added to sum. */
static OCT_VECTORISED void
add_pair (const float *a, const float *b, double *sum)
{
  float re = 0, im = 0, aa = 0, bb = 0;

  for (guint i = 0; i < OCT_LANES; i++) {
    float ar = a[i], ai = a[OCT_LANES + i];
    float br = b[i], bi = b[OCT_LANES + i];

    re += ar * br + ai * bi;
    im += ar * bi - ai * br;
    aa += ar * ar + ai * ai;
    bb += br * br + bi * bi;
  }
  sum[0] += re;
  sum[1] += im;
  sum[2] += aa;
  sum[3] += bb;
}

typedef struct {
  const OctVolumeCs *cs;
  const guint8 *there;   /* [bscans][lines] */
  OctVolumeCsSums *sums; /* [bscans][blocks] */
} Measuring;

static void
add_line (const Measuring *m, guint x, guint y, OctVolumeCsSums *sums)
{
  const OctVolumeCs *cs = m->cs;
  guint32 at = y * cs->lines + x;
  const float *a = oct_cpu_volume_cs_line (cs, cs->volume, at);
  gboolean along = x + 1 < cs->lines && m->there[at + 1];
  gboolean across = y + 1 < cs->bscans && m->there[at + cs->lines];

  for (guint block = 0; block < cs->blocks; block++) {
    double power[4] = { 0 };

    add_pair (a, a, power);
    sums[block].power += power[2];
    if (along)
      add_pair (a, a + cs->line, sums[block].along);
    if (across)
      add_pair (a, a + cs->lines * cs->line, sums[block].across);
    a += OCT_CPU_VOLUME_CS_BLOCK;
  }
}

static void
add_bscans (gpointer data, guint first, guint end, guint thread)
{
  const Measuring *m = data;

  for (guint y = first; y < end; y++)
    for (guint x = 0; x < m->cs->lines; x++)
      if (m->there[y * m->cs->lines + x])
        add_line (m, x, y, m->sums + (gsize)y * m->cs->blocks);
}

static gboolean
cpu_volume_cs_measure (
    OctVolumeCs *cs, OctVolumeCsMeasures *measures, GError **error)
{
  const OctScanMask *mask = cs->params.mask;
  g_autofree guint8 *there = g_malloc0 ((gsize)cs->lines * cs->bscans);
  g_autofree OctVolumeCsSums *sums =
      g_new0 (OctVolumeCsSums, (gsize)cs->bscans * cs->blocks);
  Measuring m = { cs, there, sums };

  cpu_volume_cs_place (cs);
  for (guint k = 0; k < mask->count; k++)
    there[mask->places[k]] = cs->valid[k];
  oct_parallel_for (
      cs->bscans, 1, oct_cpu_threads (cs->threads), add_bscans, &m);
  oct_volume_cs_find_measures (&cs->params, cs->valid, sums, measures);
  return TRUE;
}

/* ------------------------------------------------------------------ linear */

/* to = (1 - w) |a| + w |b| */
static OCT_VECTORISED void
cpu_volume_cs_mix (
    const float *a, const float *b, float w, guint blocks, float *to)
{
  for (guint block = 0; block < blocks; block++) {
    gsize at = (gsize)block * OCT_CPU_VOLUME_CS_BLOCK;

    for (guint i = 0; i < OCT_LANES; i++) {
      float p = a[at + i], q = a[at + OCT_LANES + i];
      float r = b[at + i], s = b[at + OCT_LANES + i];

      to[at + i] = (1 - w) * sqrtf (p * p + q * q) + w * sqrtf (r * r + s * s);
      to[at + OCT_LANES + i] = 0;
    }
  }
}

/* Fills what is missing of `count` A-scans `step` floats apart; outside of
 * those that are there they are as the nearest one. */
static void
cpu_volume_cs_interpolate (const OctVolumeCs *cs, float *lines, gsize step,
    guint count, const guint8 *there, gsize there_step)
{
  guint before = count;

  for (guint i = 0; i < count; i++) {
    guint after = i;
    float w;

    if (there[i * there_step]) {
      before = i;
      continue;
    }
    while (after < count && !there[after * there_step])
      after++;
    if (after == count && before == count)
      return;
    w = before == count  ? 1
        : after == count ? 0
                         : (float)(i - before) / (float)(after - before);
    cpu_volume_cs_mix (lines + (before < count ? before : after) * step,
        lines + (after < count ? after : before) * step, w, cs->blocks,
        lines + i * step);
  }
}

typedef struct {
  OctVolumeCs *cs;
  const guint8 *there; /* [bscans][lines] */
  const guint8 *rows;  /* [bscans] */
} Linear;

static void
fill_rows (gpointer data, guint first, guint end, guint thread)
{
  const Linear *l = data;
  OctVolumeCs *cs = l->cs;

  for (guint y = first; y < end; y++)
    cpu_volume_cs_interpolate (cs, cs->volume + (gsize)y * cs->lines * cs->line,
        cs->line, cs->lines, l->there + (gsize)y * cs->lines, 1);
}

static void
fill_columns (gpointer data, guint first, guint end, guint thread)
{
  const Linear *l = data;
  OctVolumeCs *cs = l->cs;

  for (guint x = first; x < end; x++)
    cpu_volume_cs_interpolate (cs, cs->volume + x * cs->line,
        cs->lines * cs->line, cs->bscans, l->rows, 1);
}

static void
fill_linear (OctVolumeCs *cs)
{
  const OctScanMask *mask = cs->params.mask;
  g_autofree guint8 *there = g_malloc0 ((gsize)cs->lines * cs->bscans);
  g_autofree guint8 *rows = g_malloc0 (cs->bscans);
  Linear linear = { cs, there, rows };
  guint threads = oct_cpu_threads (cs->threads);

  for (guint k = 0; k < mask->count; k++) {
    there[mask->places[k]] = cs->valid[k];
    rows[mask->places[k] / cs->lines] |= cs->valid[k];
  }
  oct_parallel_for (cs->bscans, 1, threads, fill_rows, &linear);
  oct_parallel_for (cs->lines, 1, threads, fill_columns, &linear);
}

/* ------------------------------------------------------------------- fetch */

static gboolean
cpu_volume_cs_fill (
    OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error)
{
  if (settings->method == OCT_VOLUME_CS_JOINT)
    return oct_cpu_volume_cs_joint (cs, settings, error);
  if (settings->method == OCT_VOLUME_CS_ENVELOPE)
    return oct_cpu_volume_cs_envelope (cs, settings, error);
  /* the others go on from A-scans */
  if (oct_volume_cs_lacks_samples (&cs->params))
    oct_cpu_volume_cs_axial (cs, settings->steps);
  if (settings->method == OCT_VOLUME_CS_PAPER)
    return oct_cpu_volume_cs_paper (cs, settings, error);
  fill_linear (cs);
  return TRUE;
}

static gboolean
cpu_volume_cs_fetch (OctVolumeCs *cs, guint bscan, guint first, guint count,
    const OctPlane *rows, GError **error)
{
  if (!oct_cpu_check_plane (rows, 2 * sizeof (float) * count, error))
    return FALSE;
  for (guint x = 0; x < cs->lines; x++) {
    const float *line =
        oct_cpu_volume_cs_line (cs, cs->volume, bscan * cs->lines + x);
    float *to = oct_cpu_row (rows, x);

    for (guint i = 0; i < count; i++) {
      guint z = first + i;
      const float *block =
          line + (gsize)(z / OCT_LANES) * OCT_CPU_VOLUME_CS_BLOCK;

      to[2 * i] = block[z % OCT_LANES];
      to[2 * i + 1] = block[OCT_LANES + z % OCT_LANES];
    }
  }
  return TRUE;
}

const OctVolumeCsTable oct_cpu_volume_cs = {
  .create = cpu_volume_cs_create,
  .clear = cpu_volume_cs_clear,
  .store = cpu_volume_cs_store,
  .measure = cpu_volume_cs_measure,
  .fill = cpu_volume_cs_fill,
  .fetch = cpu_volume_cs_fetch,
  .destroy = cpu_volume_cs_destroy,
};
