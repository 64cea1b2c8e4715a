/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume-cs.h"

#include "oct-mask.h"

#include <math.h>
#include <string.h>

/* A spot of FWHM F has a standard deviation of F / this. */
#define FWHM_PER_SD 2.3548200450309493

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
  return TRUE;
}

static gboolean
takes_all (const OctScanMask *mask)
{
  return mask->count == (guint64)mask->lines * mask->bscans;
}

/* Whether the method can do anything with what there is. */
static gboolean
check_method (
    const OctVolumeCsParams *p, OctVolumeCsMethod method, GError **error)
{
  if ((method == OCT_VOLUME_CS_LINEAR || method == OCT_VOLUME_CS_PAPER)
      && p->spectra && p->rate < 1) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The methods linear and paper take A-scans of all samples, but a "
        "sampling rate of %g was set; set 1, or make the A-scans with octcs",
        p->rate);
    return FALSE;
  }
  if (method == OCT_VOLUME_CS_ENVELOPE && !p->spectra) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The method envelope makes A-scans of a part of the samples of "
        "spectra, but A-scans came; leave octfft out, or set another method");
    return FALSE;
  }
  if (method == OCT_VOLUME_CS_ENVELOPE && !takes_all (p->mask)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The method envelope takes all A-lines of a volume, but the scan takes "
        "%u of %" G_GUINT64_FORMAT "; set joint, or linear behind octcs",
        p->mask->count, (guint64)p->mask->lines * p->mask->bscans);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_volume_cs_settings_check (const OctVolumeCsParams *params,
    const OctVolumeCsSettings *s, GError **error)
{
  if (!check_method (params, s->method, error))
    return FALSE;
  if (s->method == OCT_VOLUME_CS_LINEAR
      || (s->spot_x >= 0 && s->spot_y >= 0 && s->noise >= 0 && s->tau >= 0
          && s->steps >= 1))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A spot of %g x %g lines, a noise of %g, tau=%g and %u steps were asked "
      "for: none may be below 0, and there is at least one step",
      s->spot_x, s->spot_y, s->noise, s->tau, s->steps);
  return FALSE;
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
      .seed = p->seed + i };
    g_autofree guint8 *mask = oct_mask_new (&settings, error);

    if (mask == NULL)
      return NULL;
    memcpy (masks + (gsize)i * p->columns, mask, p->columns);
  }
  return g_steal_pointer (&masks);
}
