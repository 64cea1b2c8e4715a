/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dynamic.h"

#include "oct-doppler.h"
#include "oct-params.h"

#include <math.h>

static gboolean
dynamic_check_numbers (const OctDynamicParams *params, GError **error)
{
  if (!(params->rate > 0 && isfinite (params->rate) && params->min_frequency > 0
          && params->max_frequency > params->min_frequency
          && isfinite (params->max_frequency))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Frequencies from %g to %g Hz were asked for, of %g B-scans of a place "
        "per second; set `min-frequency` above 0 and `max-frequency` above "
        "that.",
        params->min_frequency, params->max_frequency, params->rate);
    return FALSE;
  }
  if (params->min < params->max && isfinite (params->min)
      && isfinite (params->max) && params->noise >= 0
      && isfinite (params->noise))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "min=%g dB, max=%g dB and noise=%g were asked for; set `max` above `min` "
      "and `noise` to 0 or more.",
      params->min, params->max, params->noise);
  return FALSE;
}

gboolean
oct_check_dynamic (const OctDynamicParams *params, GError **error)
{
  gboolean colour = params->quantity == OCT_DYNAMIC_COLOUR;

  if (!oct_check_size (params->depth_bins, params->lines, error)
      || !oct_check_bscans (params->bscans, params->lines, error)
      || !oct_check_flow_window (
          params->window_lines, params->window_bins, OCT_DYNAMIC_WIDEST, error)
      || !dynamic_check_numbers (params, error))
    return FALSE;
  if ((guint)params->quantity > OCT_DYNAMIC_ACTIVITY
      || (params->values && colour)
      || (!params->values && params->format != OCT_IMAGE_RGBA
          && (colour
              || (params->format != OCT_IMAGE_GRAY8
                  && params->format != OCT_IMAGE_NV12)))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There are no fluctuations of kind %d as %s of format %d.",
        params->quantity, params->values ? "values" : "images", params->format);
    return FALSE;
  }
  if (params->frames < 2 || params->frames > OCT_DYNAMIC_MOST) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Fluctuations over %u B-scans were asked for; set `frames` to 2 to %u.",
        params->frames, OCT_DYNAMIC_MOST);
    return FALSE;
  }
  if (params->repeats == 0 || OCT_BSCANS (params) == 1)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "B-scans of places that have %u each came in buffers of %u B-scans; "
      "deliver "
      "one B-scan per buffer.",
      params->repeats, OCT_BSCANS (params));
  return FALSE;
}

gboolean
oct_dynamic_is_same (const OctDynamicParams *a, const OctDynamicParams *b)
{
  return a->depth_bins == b->depth_bins && a->lines == b->lines
         && OCT_BSCANS (a) == OCT_BSCANS (b) && a->values == b->values
         && a->format == b->format && a->quantity == b->quantity
         && a->repeats == b->repeats;
}

OctDynamicTurn
oct_dynamic_next (OctDynamicState *state, const OctDynamicParams *params)
{
  OctDynamicTurn turn = { 0 };
  float least = 1.0f / (float)params->frames;

  if (params->repeats > 0 && state->count >= params->repeats)
    state->count = 0;
  turn.is_first = state->count == 0;
  turn.g = MAX (least, 1.0f / (float)(state->count + 1));
  turn.h = turn.is_first ? 0 : MAX (least, 1.0f / (float)state->count);
  state->count++;
  return turn;
}
