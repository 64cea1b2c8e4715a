/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-average.h"

#include "oct-params.h"

gboolean
oct_check_average (const OctAverageParams *params, GError **error)
{
  guint most = params->format == OCT_SAMPLE_U8 ? 4 : 1;

  /* pixels of RGBA have four values */
  if (!oct_check_size ((params->values + most - 1) / most, params->rows, error)
      || !oct_check_bscans (params->bscans, params->rows, error))
    return FALSE;
  if ((params->format != OCT_SAMPLE_U8 && params->format != OCT_SAMPLE_U16
          && params->format != OCT_SAMPLE_CF32)
      || (params->of != OCT_AVERAGE_VALUES
          && (params->of != OCT_AVERAGE_POWER
              || params->format != OCT_SAMPLE_CF32))
      || (guint)params->mode > OCT_AVERAGE_BLOCK) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no mean of kind %d of %d, of values of format %d.",
        params->mode, params->of, params->format);
    return FALSE;
  }
  if (params->more_rows > 0
      && (params->format != OCT_SAMPLE_U8 || OCT_BSCANS (params) > 1
          || params->more_values == 0
          || params->more_values > params->values + 1
          || params->more_rows > params->rows)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u images of format NV12 cannot stand below each other in a buffer; "
        "set the format to GRAY8 or RGBA.",
        OCT_BSCANS (params));
    return FALSE;
  }
  if ((guint)params->registration > OCT_REGISTRATION_TRANSLATION
      || (params->registration != OCT_REGISTRATION_NONE
          && (params->max_shift < 1 || params->max_shift > OCT_REGISTRATION_MOST
              || params->values % OCT_AVERAGE_PARTS (params) != 0))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Registration of kind %d with shifts of %u pixels was asked for; set "
        "`max-shift` to 1 to %u.",
        params->registration, params->max_shift, OCT_REGISTRATION_MOST);
    return FALSE;
  }
  if (params->frames < 1 || params->frames > OCT_AVERAGE_MOST) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A mean of %u frames was asked for; set `frames` to 1 to %u.",
        params->frames, OCT_AVERAGE_MOST);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_average_is_same (const OctAverageParams *a, const OctAverageParams *b)
{
  return a->format == b->format && a->values == b->values
         && a->rows / OCT_BSCANS (a) == b->rows / OCT_BSCANS (b)
         && a->more_values == b->more_values && a->more_rows == b->more_rows
         && a->mode == b->mode && a->frames == b->frames && a->of == b->of
         && a->registration == b->registration
         && (a->registration == OCT_REGISTRATION_NONE
             || (a->max_shift == b->max_shift && a->parts == b->parts));
}

gboolean
oct_average_is_registered (const OctAverageParams *params)
{
  return params->registration != OCT_REGISTRATION_NONE && params->frames > 1;
}

gsize
oct_average_count_values (const OctAverageParams *params)
{
  return (gsize)params->rows / OCT_BSCANS (params) * params->values
         + (gsize)params->more_rows * params->more_values;
}

OctAverageTurn
oct_average_next (OctAverageState *state, const OctAverageParams *params)
{
  OctAverageTurn turn = { .place = state->place };

  if (params->mode == OCT_AVERAGE_BLOCK && state->count == params->frames)
    state->count = 0;
  turn.is_first = state->count == 0;
  if (turn.is_first)
    turn.place = 0;
  turn.replaces = state->count == params->frames;
  state->count = MIN (state->count + 1, params->frames);
  turn.wraps = turn.place == params->frames - 1;
  state->place = (turn.place + 1) % params->frames;
  turn.count = state->count;
  return turn;
}
