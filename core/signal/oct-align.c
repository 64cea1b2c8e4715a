/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-align.h"

#include "oct-params.h"

gboolean
oct_check_align (const OctAlignParams *params, GError **error)
{
  if (!oct_check_size (params->depth_bins, params->lines, error)
      || !oct_check_bscans (params->bscans, params->lines, error))
    return FALSE;
  if ((guint)params->registration > OCT_ALIGN_TRANSLATION
      || (guint)params->phase > OCT_PHASE_LINE) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Registration %d and phase %d are not known; set `registration` and "
        "`phase` to values that gst-inspect-1.0 octalign lists.",
        params->registration, params->phase);
    return FALSE;
  }
  if (params->repeats < 1 || params->repeats > OCT_ALIGN_MOST) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Alignment of %u repeats was asked for; set `repeats` to 1 to %u.",
        params->repeats, OCT_ALIGN_MOST);
    return FALSE;
  }
  if (params->max_shift >= 2 && params->max_shift <= OCT_ALIGN_FARTHEST
      && params->group >= 1 && params->group <= OCT_MAX_LINES
      && params->reject >= 0 && params->reject <= 1)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "max-shift=%u, group=%u and reject=%g were asked for; set `max-shift` to "
      "2 "
      "to %u bins, `group` to 1 to %u A-lines and `reject` to 0 to 1.",
      params->max_shift, params->group, params->reject, OCT_ALIGN_FARTHEST,
      OCT_MAX_LINES);
  return FALSE;
}

gboolean
oct_align_is_same (const OctAlignParams *a, const OctAlignParams *b)
{
  return a->depth_bins == b->depth_bins
         && a->lines / OCT_BSCANS (a) == b->lines / OCT_BSCANS (b)
         && a->repeats == b->repeats && a->registration == b->registration
         && a->max_shift == b->max_shift && a->group == b->group;
}

gboolean
oct_align_may_reject (const OctAlignParams *params)
{
  return params->repeats > 2 && params->reject < 1;
}
