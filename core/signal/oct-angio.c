/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-angio.h"

#include "oct-params.h"

#include <math.h>

static gboolean
check_repeats (const OctAngioParams *params, GError **error)
{
  if (params->repeats < 1 || params->repeats > OCT_ANGIO_MOST) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Flow of %u repeats was asked for; set `repeats` to 1 to %u.",
        params->repeats, OCT_ANGIO_MOST);
    return FALSE;
  }
  if (params->mode != OCT_AVERAGE_BLOCK || OCT_BSCANS (params) == 1)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "mode=block takes one B-scan per buffer, not buffers of %u B-scans; set "
      "`mode` to running, or deliver one B-scan per buffer.",
      OCT_BSCANS (params));
  return FALSE;
}

static gboolean
is_window (guint size)
{
  return size % 2 == 1 && size <= OCT_ANGIO_WIDEST;
}

gboolean
oct_check_angio (const OctAngioParams *params, GError **error)
{
  if (!oct_check_size (params->depth_bins, params->lines, error)
      || !oct_check_bscans (params->bscans, params->lines, error)
      || !check_repeats (params, error))
    return FALSE;
  if ((guint)params->format > OCT_IMAGE_RGBA
      || (guint)params->method >= OCT_N_ANGIO_METHODS
      || (guint)params->mode > OCT_AVERAGE_BLOCK) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Method %d, mode %d and format %d are not known together; set `method` "
        "and `mode` to values that gst-inspect-1.0 octangio lists.",
        params->method, params->mode, params->format);
    return FALSE;
  }
  if (!is_window (params->window_lines) || !is_window (params->window_bins)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A window of %u x %u values was asked for; set `window-lines` and "
        "`window-bins` to odd numbers from 1 to %u.",
        params->window_lines, params->window_bins, OCT_ANGIO_WIDEST);
    return FALSE;
  }
  if (!(params->still >= 0 && params->still <= 1)
      || !(params->noise >= 0 && isfinite (params->noise))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "still=%g and noise=%g were asked for; set `still` to a value from 0 "
        "to "
        "1 and `noise` to a power, or to 0 to have it found.",
        params->still, params->noise);
    return FALSE;
  }
  if (params->min < params->max)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The range of flow needs min < max, found min=%g, max=%g; set both.",
      params->min, params->max);
  return FALSE;
}

gboolean
oct_angio_is_same (const OctAngioParams *a, const OctAngioParams *b)
{
  return a->depth_bins == b->depth_bins
         && a->lines / OCT_BSCANS (a) == b->lines / OCT_BSCANS (b)
         && a->mode == b->mode && a->repeats == b->repeats
         && a->format == b->format;
}

static const struct {
  OctAngioShow show;
  gboolean is_log;
} methods[] = {
  [OCT_ANGIO_FLOW] = { OCT_ANGIO_SHOW_FLOW, FALSE },
  [OCT_ANGIO_INDEX] = { OCT_ANGIO_SHOW_INDEX, TRUE },
  [OCT_ANGIO_COMPLEX_DIFFERENCE] = { OCT_ANGIO_SHOW_RATIO, TRUE },
  [OCT_ANGIO_SPECKLE_VARIANCE] = { OCT_ANGIO_SHOW_RATIO, TRUE },
  [OCT_ANGIO_NOISE_IMMUNE] = { OCT_ANGIO_SHOW_NOISE_IMMUNE, FALSE },
  [OCT_ANGIO_ID_MASK] = { OCT_ANGIO_SHOW_MASK, FALSE },
  [OCT_ANGIO_PHASE_VARIANCE] = { OCT_ANGIO_SHOW_PHASES, FALSE },
  [OCT_ANGIO_CDV] = { OCT_ANGIO_SHOW_PRODUCTS, FALSE },
};
G_STATIC_ASSERT (G_N_ELEMENTS (methods) == OCT_N_ANGIO_METHODS);

OctAngioShow
oct_angio_get_show (OctAngioMethod method)
{
  return methods[method].show;
}

gboolean
oct_angio_is_log (OctAngioMethod method)
{
  return methods[method].is_log;
}

OctAngioTurn
oct_angio_next (OctAngioState *state, const OctAngioParams *params)
{
  gboolean is_block = params->mode == OCT_AVERAGE_BLOCK;
  OctAngioTurn turn;

  if (is_block && state->count == params->repeats)
    state->count = 0;
  if (state->count == 0)
    state->place = 0;
  turn.place = state->place;
  turn.first = state->count == params->repeats
                   ? (state->place + 1) % params->repeats
                   : 0;
  state->count = MIN (state->count + 1, params->repeats);
  state->place = (state->place + 1) % params->repeats;
  turn.count = state->count;
  turn.shown = turn.count >= 2 && (!is_block || turn.count == params->repeats);
  return turn;
}
