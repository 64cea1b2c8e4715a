/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in, on the GPU: the order of the kernels of each
 * method.  Nothing here waits.
 */
#include "oct-cuda-volume-cs-private.h"

#include <math.h>

static gboolean
cuda_fill_check (cudaError_t status, GError **error)
{
  return oct_cuda_volume_cs_check (status, error);
}

/* -------------------------------------------------------------------- axial */

gboolean
oct_cuda_volume_cs_axial (
    OctVolumeCs *cs, const OctVolumeCsSettings *s, GError **error)
{
  OctCudaVolumeCsAxial axial = {
    .cs = cs->cs, .fft = cs->axial, .steps = s->steps
  };

  return cuda_fill_check (
      oct_cuda_launch_volume_cs_axial (&axial, cs->stream), error);
}

/* ------------------------------------------------------------------- linear */

/* Between what is there, beyond it as the nearest one; `number`: of those
 * there, NULL: the place itself. */
static void
find_mix (const gint32 *number, const guint8 *there, guint count,
    OctCudaVolumeCsMix *mix)
{
  guint before = count, after = 0;

  for (guint i = 0; i < count; i++) {
    guint a, b;

    mix[i] = (OctCudaVolumeCsMix){ -1, -1, 0 };
    if (there[i]) {
      before = i;
      if (number != NULL)
        mix[i].a = mix[i].b = number[i];
      continue;
    }
    for (after = MAX (after, i); after < count && !there[after];)
      after++;
    if (after == count && before == count)
      continue;
    a = before < count ? before : after;
    b = after < count ? after : before;
    mix[i].a = number != NULL ? number[a] : (gint32)a;
    mix[i].b = number != NULL ? number[b] : (gint32)b;
    /* amplitudes also where there is one neighbour alone */
    mix[i].weight = a == b ? 1 : (float)(i - before) / (float)(after - before);
  }
}

gboolean
oct_cuda_volume_cs_linear (OctVolumeCs *cs, GError **error)
{
  const OctScanMask *mask = cs->params.mask;
  gsize places = (gsize)mask->lines * mask->bscans;
  gsize bytes = (places + mask->bscans) * sizeof (OctCudaVolumeCsMix);
  g_autofree OctCudaVolumeCsMix *mix = g_malloc (bytes);
  g_autofree guint8 *there = g_malloc0 (places);
  g_autofree guint8 *rows = g_malloc0 (mask->bscans);
  g_autofree gint32 *number = g_new0 (gint32, places);
  const OctCudaVolumeCsMix *device;

  for (guint k = 0; k < mask->count; k++) {
    number[mask->places[k]] = (gint32)k;
    there[mask->places[k]] = cs->valid[k];
    rows[mask->places[k] / mask->lines] |= cs->valid[k];
  }
  for (guint y = 0; y < mask->bscans; y++) {
    gsize at = (gsize)y * mask->lines;

    find_mix (number + at, there + at, mask->lines, mix + at);
  }
  find_mix (NULL, rows, mask->bscans, mix + places);
  if (!oct_cuda_volume_cs_reserve (cs, &cs->mix, bytes, error)
      || !cuda_fill_check (cudaMemcpyAsync (cs->mix, mix, bytes,
                               cudaMemcpyHostToDevice, cs->stream),
          error))
    return FALSE;
  device = cs->mix;
  return cuda_fill_check (oct_cuda_launch_volume_cs_linear (&cs->cs, device,
                              device + places, cs->volume, cs->stream),
      error);
}

/* -------------------------------------------------------------------- joint */

#define FALL 0.6 /* of the thresholds from step to step */
/* A volume without noise has no threshold, and its own rounding. */
#define LEAST_NOISE 1e-6

static gboolean
upload_pass (OctVolumeCs *cs, guint d, guint count, double spot, GError **error)
{
  g_autofree float *pass = g_new (float, count);

  for (guint i = 0; i < count; i++)
    pass[i] = (float)oct_volume_cs_get_transfer (i, count, spot);
  return oct_cuda_volume_cs_reserve (
             cs, (gpointer *)&cs->pass[d], count * sizeof *pass, error)
         && cuda_fill_check (
             cudaMemcpyAsync (cs->pass[d], pass, count * sizeof *pass,
                 cudaMemcpyHostToDevice, cs->stream),
             error);
}

static gboolean
reserve_joint (OctVolumeCs *cs, OctCudaVolumeCsJoint *j, GError **error)
{
  gsize taken = cs->cs.taken;
  gsize residual = cs->params.spectra
                       ? taken * cs->params.columns * sizeof (float)
                       : taken * cs->cs.pitch * sizeof (float2);

  j->along = cs->lateral[0];
  j->across = cs->lateral[1];
  j->n_changed = cs->params.spectra ? (cs->cs.taken + 1) / 2
                                    : oct_cuda_volume_cs_column_blocks (j);
  if (!oct_cuda_volume_cs_reserve (cs, &cs->work,
          oct_cuda_volume_cs_values (cs) * sizeof (float2), error)
      || !oct_cuda_volume_cs_reserve (cs, &cs->residual, residual, error)
      || !oct_cuda_volume_cs_reserve (cs, (gpointer *)&cs->moved,
          oct_cuda_volume_cs_row_blocks (j) * sizeof (double), error)
      || !oct_cuda_volume_cs_reserve (
          cs, (gpointer *)&cs->changed, j->n_changed * sizeof (double), error))
    return FALSE;
  j->c = cs->work;
  j->residual = cs->residual;
  j->moved = cs->moved;
  j->changed = cs->changed;
  return TRUE;
}

/* Puts phase steps into A-scans (sign = 1) or takes them out (-1). */
static gboolean
shift_phases (OctVolumeCs *cs, const OctVolumeCsSettings *s, float2 *ascans,
    gboolean listed, double sign, GError **error)
{
  if (s->phase_step_x == 0 && s->phase_step_y == 0)
    return TRUE;
  return cuda_fill_check (
      oct_cuda_launch_volume_cs_phases (&cs->cs, ascans, listed,
          sign * s->phase_step_x, sign * s->phase_step_y, cs->stream),
      error);
}

/* The gradient of the next step, and its size. */
static gboolean
cuda_volume_cs_fill_compare (OctVolumeCs *cs, const OctVolumeCsSettings *s,
    const OctCudaVolumeCsJoint *j, GError **error)
{
  OctCudaVolumeCsSpectra spectra = { .cs = cs->cs,
    .fft = cs->axial,
    .ascans = cs->cs.ascans,
    .residual = cs->residual,
    .sums = cs->changed,
    .first = j->first };
  cudaStream_t stream = cs->stream;

  if (!cs->params.spectra)
    return cuda_fill_check (oct_cuda_launch_volume_cs_columns (
                                j, OCT_CUDA_VOLUME_CS_NEXT, stream),
               error)
           && cuda_fill_check (
               oct_cuda_launch_volume_cs_alpha (j, stream), error);
  return cuda_fill_check (oct_cuda_launch_volume_cs_columns (
                              j, OCT_CUDA_VOLUME_CS_BACK, stream),
             error)
         && shift_phases (cs, s, cs->cs.ascans, TRUE, 1, error)
         && cuda_fill_check (
             oct_cuda_launch_volume_cs_compare (&spectra, stream), error)
         && shift_phases (cs, s, cs->cs.ascans, TRUE, -1, error)
         && cuda_fill_check (oct_cuda_launch_volume_cs_columns (
                                 j, OCT_CUDA_VOLUME_CS_FORTH, stream),
             error)
         && cuda_fill_check (
             oct_cuda_launch_volume_cs_alpha (j, stream), error);
}

gboolean
oct_cuda_volume_cs_joint (
    OctVolumeCs *cs, const OctVolumeCsSettings *s, GError **error)
{
  OctCudaVolumeCsJoint j = { .cs = cs->cs,
    .g = cs->volume,
    .ascans = cs->cs.ascans,
    .step = cs->step,
    .unit =
        (float)MAX (s->tau * s->noise, LEAST_NOISE * sqrt (cs->most.power)) };
  double fall = 1;

  if (!oct_cuda_volume_cs_need_lateral (cs, 0, error)
      || !oct_cuda_volume_cs_need_lateral (cs, 1, error)
      || !reserve_joint (cs, &j, error)
      || !upload_pass (cs, 0, cs->cs.lines, s->spot_x, error)
      || !upload_pass (cs, 1, cs->cs.bscans, s->spot_y, error))
    return FALSE;
  j.pass_x = cs->pass[0];
  j.pass_y = cs->pass[1];
  if (!shift_phases (cs, s, cs->cs.ascans, TRUE, -1, error)
      || !cuda_fill_check (oct_cuda_launch_volume_cs_columns (
                               &j, OCT_CUDA_VOLUME_CS_BEGIN, cs->stream),
          error)
      || !cuda_fill_check (
          oct_cuda_launch_volume_cs_highest (&j, cs->stream), error))
    return FALSE;
  for (guint k = 0; k < s->steps; k++) {
    j.first = k == 0;
    fall *= FALL;
    j.fall = (float)fall;
    if (!cuda_fill_check (
            oct_cuda_launch_volume_cs_rows (&j, cs->stream), error))
      return FALSE;
    if (k + 1 < s->steps && !cuda_volume_cs_fill_compare (cs, s, &j, error))
      return FALSE;
  }
  /* A-scans that were taken are as they came again */
  return cuda_fill_check (oct_cuda_launch_volume_cs_columns (
                              &j, OCT_CUDA_VOLUME_CS_END, cs->stream),
             error)
         && shift_phases (cs, s, cs->volume, FALSE, 1, error)
         && (cs->params.spectra
             || shift_phases (cs, s, cs->cs.ascans, TRUE, 1, error));
}

/* ----------------------------------------------------------------- envelope */

#define PASSES 4
/* Standard deviations of the smoothing, B-scans, A-lines and depths, cut at
 * four of them. */
#define LATERAL 2.0
#define AXIAL 1.0
/* The least noise, as a part of the brightest value: less counts as none. */
#define LEAST_BRIGHT 1e-4f

static OctCudaVolumeCsWeights
get_weights (double sd)
{
  OctCudaVolumeCsWeights w = { .radius = (guint)(4 * sd + 0.5) };
  double sum = 0;

  for (guint i = 0; i <= 2 * w.radius; i++)
    sum += exp (-0.5 * pow (((double)i - w.radius) / sd, 2));
  for (guint i = 0; i <= 2 * w.radius; i++)
    w.weights[i] =
        (float)(exp (-0.5 * pow (((double)i - w.radius) / sd, 2)) / sum);
  return w;
}

gboolean
oct_cuda_volume_cs_envelope (
    OctVolumeCs *cs, const OctVolumeCsSettings *s, GError **error)
{
  OctCudaVolumeCsWeights axial = get_weights (AXIAL);
  OctCudaVolumeCsWeights lateral = get_weights (LATERAL);
  gsize size = oct_cuda_volume_cs_values (cs);
  OctCudaVolumeCsEnvelope e = { .cs = cs->cs,
    .fft = cs->axial,
    .volume = cs->volume,
    .noise = MAX ((float)s->noise, LEAST_BRIGHT * cs->most.part),
    .steps = s->steps };
  float *power;

  if (!oct_cuda_volume_cs_reserve (
          cs, &cs->work, size * sizeof (float2), error))
    return FALSE;
  power = cs->work;
  for (guint pass = 0; pass < PASSES; pass++) {
    if (!cuda_fill_check (
            oct_cuda_launch_volume_cs_envelope (&e, cs->stream), error))
      return FALSE;
    e.power = power;
    if (pass + 1 < PASSES
        && !cuda_fill_check (
            oct_cuda_launch_volume_cs_smooth (&cs->cs, cs->volume, &axial,
                &lateral, power + size, power, cs->stream),
            error))
      return FALSE;
  }
  return TRUE;
}

/* -------------------------------------------------------------------- paper */

/* Pairs of values side by side, at most 1 << this. */
#define MOST_BITS 3u

static gboolean
cuda_fill_direction (OctVolumeCs *cs, OctCudaVolumeCsPaper *p, guint d,
    const guint8 *there, GError **error)
{
  const guint warp = 32 * OCT_CUDA_VOLUME_CS_EACH;

  if (!oct_volume_cs_is_missing (&cs->params, cs->valid, d))
    return TRUE;
  p->direction = d;
  p->there = there;
  p->count = d == 0 ? cs->cs.lines : cs->cs.bscans;
  /* the wavelets take more places than there are */
  p->places = p->basis == OCT_VOLUME_CS_WAVELET
                  ? 16 * ((p->count + 15) / 16 + 1)
                  : p->count;
  if (p->places > OCT_CUDA_VOLUME_CS_MOST) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Lines of %u places cannot be filled in by wavelets on a GPU, which "
        "takes %u at most; set another basis, or backend=cpu.",
        p->places, OCT_CUDA_VOLUME_CS_MOST);
    return FALSE;
  }
  if (!oct_cuda_volume_cs_need_lateral (cs, d, error))
    return FALSE;
  p->fft = cs->lateral[d];
  oct_cuda_volume_cs_fft_set_side (&p->fft, MOST_BITS);
  p->bits = p->fft.bits;
  if (p->basis == OCT_VOLUME_CS_WAVELET) {
    while (p->bits > 0 && p->places << p->bits > OCT_CUDA_VOLUME_CS_SOME)
      p->bits--;
    p->fft.bits = p->bits;
    p->fft.threads = MAX (64, ((p->places << p->bits) + warp - 1) / warp * 32);
  }
  return cuda_fill_check (
      oct_cuda_launch_volume_cs_pursue (p, cs->stream), error);
}

gboolean
oct_cuda_volume_cs_paper (
    OctVolumeCs *cs, const OctVolumeCsSettings *s, GError **error)
{
  const OctScanMask *mask = cs->params.mask;
  gsize places = (gsize)mask->lines * mask->bscans;
  gsize bytes = places + mask->bscans;
  g_autofree guint8 *there = g_malloc0 (bytes);
  OctCudaVolumeCsPaper p = {
    .cs = cs->cs, .volume = cs->volume, .basis = s->basis, .steps = s->steps
  };
  const guint8 *device;

  for (guint k = 0; k < mask->count; k++) {
    there[mask->places[k]] = cs->valid[k];
    there[places + mask->places[k] / mask->lines] |= cs->valid[k];
  }
  if (!oct_cuda_volume_cs_reserve (cs, &cs->there, bytes, error)
      || !cuda_fill_check (cudaMemcpyAsync (cs->there, there, bytes,
                               cudaMemcpyHostToDevice, cs->stream),
          error)
      || !cuda_fill_check (oct_cuda_launch_volume_cs_amplitudes (
                               &cs->cs, cs->volume, cs->stream),
          error))
    return FALSE;
  device = cs->there;
  return cuda_fill_direction (cs, &p, 0, device, error)
         && cuda_fill_direction (cs, &p, 1, device + places, error);
}
