/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-doppler.h"

#include "oct-params.h"

#include <math.h>

gboolean
oct_check_flow_window (guint lines, guint bins, guint widest, GError **error)
{
  if (lines % 2 == 1 && bins % 2 == 1 && lines <= widest && bins <= widest)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A window of %u A-lines and %u bins was asked for; set `window-lines` "
      "and "
      "`window-bins` to odd numbers from 1 to %u.",
      lines, bins, widest);
  return FALSE;
}

static gboolean
doppler_check_numbers (const OctDopplerParams *params, GError **error)
{
  if (params->noise >= 0 && isfinite (params->noise) && params->least >= 0
      && isfinite (params->least) && params->scale > 0
      && isfinite (params->scale) && params->range > 0
      && isfinite (params->range))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "noise=%g, a threshold of %g, a scale of %g and range=%g were asked for; "
      "set `noise` to 0 or more, and the others above 0.",
      params->noise, params->least, params->scale, params->range);
  return FALSE;
}

gboolean
oct_check_doppler (const OctDopplerParams *params, GError **error)
{
  if (!oct_check_size (params->depth_bins, params->lines, error)
      || !oct_check_bscans (params->bscans, params->lines, error)
      || !oct_check_flow_window (
          params->window_lines, params->window_bins, OCT_DOPPLER_WIDEST, error)
      || !doppler_check_numbers (params, error))
    return FALSE;
  if ((guint)params->between > OCT_DOPPLER_REPEATS
      || (guint)params->quantity > OCT_DOPPLER_VARIANCE
      || (!params->values && params->format != OCT_IMAGE_GRAY8
          && params->format != OCT_IMAGE_NV12
          && params->format != OCT_IMAGE_RGBA)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There are no Doppler shifts of kind %d of %d, as images of format %d.",
        params->quantity, params->between, params->format);
    return FALSE;
  }
  if (params->bulk_lines > OCT_DOPPLER_BULK_WIDEST
      || (params->bulk_lines > 0 && params->bulk_lines % 2 == 0)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The phase of the tissue was to be found from %u A-lines; set "
        "`bulk-lines` to an odd number from 1 to %u, or to 0 to leave it.",
        params->bulk_lines, OCT_DOPPLER_BULK_WIDEST);
    return FALSE;
  }
  if (params->between == OCT_DOPPLER_REPEATS
      && (params->repeats < 1 || OCT_BSCANS (params) > 1)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "between=repeats needs 2 or more B-scans at each place, one in a "
        "buffer, "
        "found %u at a place and %u in a buffer; set `repeats`, and deliver "
        "one "
        "B-scan per buffer, or set `between` to lines.",
        params->repeats, OCT_BSCANS (params));
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_doppler_is_same (const OctDopplerParams *a, const OctDopplerParams *b)
{
  return a->depth_bins == b->depth_bins && a->lines == b->lines
         && OCT_BSCANS (a) == OCT_BSCANS (b) && a->values == b->values
         && a->format == b->format && a->between == b->between
         && a->repeats == b->repeats && a->bulk_lines == b->bulk_lines
         && a->quantity == b->quantity && a->unwrap == b->unwrap;
}

float
oct_doppler_find_bulk (const float histogram[OCT_DOPPLER_BULK])
{
  const guint n = OCT_DOPPLER_BULK;
  float smooth[OCT_DOPPLER_BULK];
  float left, middle, right, bend, shift = 0;
  guint at = 0;

  for (guint i = 0; i < n; i++)
    smooth[i] =
        2 * histogram[i] + histogram[(i + 1) % n] + histogram[(i + n - 1) % n];
  for (guint i = 1; i < n; i++)
    if (smooth[i] > smooth[at])
      at = i;
  middle = smooth[at];
  left = smooth[(at + n - 1) % n];
  right = smooth[(at + 1) % n];
  if (!(middle > 0))
    return 0;
  if (left > 0 && right > 0) {
    left = logf (left / middle);
    right = logf (right / middle);
    bend = left + right;
    shift = bend < 0 ? 0.5f * (left - right) / bend : 0;
  }
  return ((float)at + 0.5f + shift) * (float)(2 * G_PI / n) - (float)G_PI;
}

double
oct_flow_find_noise (const double sums[OCT_FLOW_BANDS], double count)
{
  double least = sums[0];

  for (guint i = 1; i < OCT_FLOW_BANDS; i++)
    least = MIN (least, sums[i]);
  return count > 0 ? least / count : 0;
}
