/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume-cs.h"

#include "oct-mask.h"

#include <math.h>
#include <string.h>

/* Depths of fully developed speckle are bright and dark by themselves: what is
 * less than this much above the noise, in power, is not compared. */
#define SIGNAL 2.0
#define SURELY 1.15

/* A spot of FWHM F has a standard deviation of F / this. */
#define FWHM_PER_SD 2.3548200450309493
/* A phase step below this part of the band that the spot passes is left in. */
#define PHASE_STEP 0.25

gboolean
oct_volume_cs_params_check (const OctVolumeCsParams *p, GError **error)
{
  guint least = p->spectra ? 4 : 1;

  if (p->columns < least || p->columns > OCT_MAX_SAMPLES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Volumes of A-lines of %u values cannot be filled in: there must be "
        "%u to %u",
        p->columns, least, OCT_MAX_SAMPLES);
    return FALSE;
  }
  if (p->spectra && !(p->rate > 0 && p->rate <= 1)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The sampling rate is %g: it must be above 0 and at most 1", p->rate);
    return FALSE;
  }
  if (p->spectra
      && rint (p->rate * p->columns) < MIN (OCT_MASK_LEAST, p->columns)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The sampling rate is %g, which keeps %.0f of the %u samples of an "
        "A-line, but an A-scan needs %u at least; set a higher rate",
        p->rate, rint (p->rate * p->columns), p->columns,
        MIN (OCT_MASK_LEAST, p->columns));
    return FALSE;
  }
  return TRUE;
}

static gboolean
takes_all (const OctScanMask *mask)
{
  return mask->count == (guint64)mask->lines * mask->bscans;
}

/* Whether the method can be used with such data. */
static gboolean
volume_cs_check_method (
    const OctVolumeCsParams *p, OctVolumeCsMethod method, GError **error)
{
  if (method == OCT_VOLUME_CS_ENVELOPE && !p->spectra) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The method envelope makes A-scans of a part of the samples of "
        "spectra, but A-scans came; leave octfft out, or set another method");
    return FALSE;
  }
  if (method == OCT_VOLUME_CS_ENVELOPE && !takes_all (p->mask)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The method envelope takes all A-lines of a volume, but the scan takes "
        "%u of %" G_GUINT64_FORMAT "; set joint or linear",
        p->mask->count, (guint64)p->mask->lines * p->mask->bscans);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_volume_cs_settings_check (const OctVolumeCsParams *params,
    const OctVolumeCsSettings *s, GError **error)
{
  if (!volume_cs_check_method (params, s->method, error))
    return FALSE;
  if (s->spot_x >= 0 && s->spot_y >= 0 && s->noise >= 0 && s->tau >= 0
      && s->steps >= 1 && fabs (s->phase_step_x) <= G_PI
      && fabs (s->phase_step_y) <= G_PI)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A spot of %g x %g lines, a noise of %g, tau=%g, %u steps and phase "
      "steps of %g and %g rad were asked for: none of the first four may be "
      "below 0, there is at least one step, and phase steps are at most pi",
      s->spot_x, s->spot_y, s->noise, s->tau, s->steps, s->phase_step_x,
      s->phase_step_y);
  return FALSE;
}

gboolean
oct_volume_cs_lacks_samples (const OctVolumeCsParams *p)
{
  return p->spectra && rint (p->rate * p->columns) < p->columns;
}

guint
oct_volume_cs_get_depths (const OctVolumeCsParams *p)
{
  return p->spectra ? p->columns / 2 : p->columns;
}

guint64
oct_volume_cs_get_size (const OctVolumeCsParams *p)
{
  guint64 lines = (guint64)p->mask->lines * p->mask->bscans;
  guint64 depths = (oct_volume_cs_get_depths (p) + 15u) / 16 * 16;
  guint64 value = p->spectra ? 4 : 8;

  /* the volume twice, what was stored and what is not explained of it */
  return lines * depths * 16
         + 2 * (p->mask->count + 15ull) * p->columns * value;
}

OctVolumeCsMethod
oct_volume_cs_choose (const OctVolumeCsParams *params,
    const OctVolumeCsMeasures *m, const char **reason)
{
  gboolean one = params->mask->bscans == 1;
  OctVolumeCsMethod other =
      params->spectra && params->rate < 1 && takes_all (params->mask)
          ? OCT_VOLUME_CS_ENVELOPE
          : OCT_VOLUME_CS_LINEAR;

  if (m->coherence_x < 0 || (m->coherence_y < 0 && !one)) {
    *reason = "no two neighbours were taken, so that nothing says whether the "
              "scan keeps its phase";
    return other;
  }
  if (m->coherence_x < OCT_VOLUME_CS_COHERENT
      || (m->coherence_y < OCT_VOLUME_CS_COHERENT && !one)) {
    *reason = "neighbours have too little in common: they are too far apart, "
              "or the scan does not keep its phase";
    return other;
  }
  *reason = "neighbours are alike with their phase";
  return OCT_VOLUME_CS_JOINT;
}

gboolean
oct_volume_cs_is_missing (
    const OctVolumeCsParams *p, const guint8 *valid, guint d)
{
  const OctScanMask *mask = p->mask;
  guint rows = 0;

  for (guint y = 0; y < mask->bscans; y++) {
    guint there = 0;

    for (guint k = mask->first[y]; k < mask->first[y + 1]; k++)
      there += valid[k] != 0;
    rows += there > 0;
    if (d == 0 && there > 0 && there < mask->lines)
      return TRUE;
  }
  return d == 1 && rows < mask->bscans;
}

double
oct_volume_cs_get_spot (double coherence, guint lines)
{
  double most = MAX (1, lines / 4.0);

  if (!(coherence > 0))
    return 0;
  if (coherence >= 1)
    return most;
  return MIN (sqrt (2 * G_LN2 / -log (coherence)), most);
}

double
oct_volume_cs_get_phase_step (double phase_step, double spot)
{
  /* A Gaussian spot passes spatial frequencies with a standard deviation of
   * FWHM_PER_SD / spot, rad per line. */
  return fabs (phase_step) * spot < PHASE_STEP * FWHM_PER_SD ? 0 : phase_step;
}

double
oct_volume_cs_get_transfer (guint j, guint count, double spot)
{
  double f = G_PI * j / (2.0 * count) * spot / FWHM_PER_SD;

  return exp (-4 * f * f);
}

guint8 *
oct_volume_cs_make_masks (const OctVolumeCsParams *p, GError **error)
{
  g_autofree guint8 *masks = g_malloc (OCT_VOLUME_CS_MASKS * (gsize)p->columns);

  for (guint i = 0; i < OCT_VOLUME_CS_MASKS; i++) {
    OctMaskSettings settings = { .kind = OCT_MASK_LINEAR_K,
      .samples = p->columns,
      .rate = p->rate,
      .seed = p->seed + (p->same_samples ? 0 : i) };
    g_autofree guint8 *mask = oct_mask_new (&settings, error);

    if (mask == NULL)
      return NULL;
    memcpy (masks + (gsize)i * p->columns, mask, p->columns);
  }
  return g_steal_pointer (&masks);
}

/* ---------------------------------------------------------------- measures */

static guint
count_blocks (const OctVolumeCsParams *p)
{
  guint depths = oct_volume_cs_get_depths (p);

  return (depths + OCT_VOLUME_CS_DEPTHS - 1) / OCT_VOLUME_CS_DEPTHS;
}

/* Depths in block `block` that there are. */
static guint
depths_in (const OctVolumeCsParams *p, guint block)
{
  return MIN (OCT_VOLUME_CS_DEPTHS,
      oct_volume_cs_get_depths (p) - block * OCT_VOLUME_CS_DEPTHS);
}

/* The mean power of the darkest block of depths.  The first one holds the rest
 * of the background: it counts only if it is the only one.  *all: of all
 * depths. */
static double
find_noise2 (const OctVolumeCsParams *p, const OctVolumeCsSums *sums,
    guint valid, double *all)
{
  guint blocks = count_blocks (p);
  double least = G_MAXDOUBLE, power = 0;

  *all = 0;
  if (valid == 0)
    return 0;
  for (guint block = 0; block < blocks; block++) {
    guint depths = depths_in (p, block);
    double sum = 0;

    for (guint y = 0; y < p->mask->bscans; y++)
      sum += sums[(gsize)y * blocks + block].power;
    power += sum;
    if (block >= MIN (1, blocks - 1)
        && (depths == OCT_VOLUME_CS_DEPTHS || blocks <= 2))
      least = MIN (least, sum / ((double)valid * depths));
  }
  *all = power / ((double)valid * oct_volume_cs_get_depths (p));
  return least;
}

/* The noise of A-scans of all samples.  A part of them, by a mask m, leaves m^2
 * of the power of a depth and spreads m (1 - m) of that of all depths over all
 * of them: how much is known to some per cent, and what is taken for noise
 * though it is none costs more than the opposite. */
static double
volume_cs_find_noise (const OctVolumeCsParams *p, double noise2, double all)
{
  double m = p->rate, spread;

  if (!p->spectra || m == 1)
    return sqrt (noise2);
  spread = SURELY * m * (1 - m) * all / m;
  return sqrt (MAX (0, noise2 - spread)) / m;
}

static const double *
pair_of (const OctVolumeCsSums *sum, gboolean across)
{
  return across ? sum->across : sum->along;
}

static double
power_of (const OctVolumeCsSums *sum, gboolean across)
{
  const double *pair = pair_of (sum, across);

  return sqrt (pair[2] * pair[3]);
}

/* The power of these pairs at a depth without signal.  If samples are missing,
 * bright reflections spread over all depths: therefore it is that of the
 * darkest depths of the same lines. */
static double
find_dark (const OctVolumeCsParams *p, const OctVolumeCsSums *sums,
    gboolean across, guint pairs, double noise2)
{
  guint blocks = count_blocks (p);
  double least = G_MAXDOUBLE;

  if (!p->spectra || p->rate == 1)
    return noise2 * pairs;
  for (guint block = MIN (1, blocks - 1); block < blocks; block++)
    least = MIN (least, power_of (&sums[block], across) / depths_in (p, block));
  return least;
}

static guint
count_pairs (
    const OctScanMask *mask, const guint8 *there, guint y, gboolean across)
{
  guint end = across ? mask->lines : mask->lines - 1, pairs = 0;

  there += (gsize)y * mask->lines;
  for (guint x = 0; x < end; x++)
    pairs += there[x] && there[x + (across ? mask->lines : 1)];
  return pairs;
}

/* All pairs of one B-scan and block count as one, so that bright reflections do
 * not speak for all others; they are added with their phase.  *phase_step: the
 * mean phase of their products. */
static double
find_coherence (const OctVolumeCsParams *p, const guint8 *there,
    const OctVolumeCsSums *sums, gboolean across, double noise2,
    double *phase_step)
{
  guint rows = across ? p->mask->bscans - 1 : p->mask->bscans;
  guint blocks = count_blocks (p);
  double re = 0, im = 0, weight = 0;
  gboolean any = FALSE;

  for (guint y = 0; y < rows; y++, sums += blocks) {
    guint pairs = count_pairs (p->mask, there, y, across);
    double dark;

    if (pairs == 0)
      continue;
    any = TRUE;
    dark = find_dark (p, sums, across, pairs, noise2);
    for (guint block = 0; block < blocks; block++) {
      const double *pair = pair_of (&sums[block], across);
      double noise = dark * depths_in (p, block);
      double power = power_of (&sums[block], across) - noise;

      if (!(power > SIGNAL * noise))
        continue;
      re += pair[0] * pairs / power;
      im += pair[1] * pairs / power;
      weight += pairs;
    }
  }
  *phase_step = weight > 0 ? atan2 (im, re) : 0;
  if (!any)
    return -1;
  return weight > 0 ? MIN (1, hypot (re, im) / weight) : 0;
}

void
oct_volume_cs_find_measures (const OctVolumeCsParams *p, const guint8 *valid,
    const OctVolumeCsSums *sums, OctVolumeCsMeasures *m)
{
  const OctScanMask *mask = p->mask;
  g_autofree guint8 *there = g_malloc0 ((gsize)mask->lines * mask->bscans);
  double noise2, all;

  memset (m, 0, sizeof *m);
  for (guint k = 0; k < mask->count; k++) {
    there[mask->places[k]] = valid[k];
    m->lines += valid[k];
  }
  noise2 = find_noise2 (p, sums, m->lines, &all);
  m->noise = volume_cs_find_noise (p, noise2, all);
  m->coherence_x =
      find_coherence (p, there, sums, FALSE, noise2, &m->phase_step_x);
  m->coherence_y =
      find_coherence (p, there, sums, TRUE, noise2, &m->phase_step_y);
}
