/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-crop.h"

#include <math.h>

static char *
live_crop_find (const OctLiveSource *source, const OctLiveInfo *info,
    OctLiveSettings *settings)
{
  double spacing = info->z_spacing / MAX (1.0, source->refractive_index);
  long from, to;

  if (!(spacing > 0.0))
    return g_strdup (
        "--depth-um is not used: no wavelengths are known, which give depths "
        "their size; use --depth-start and --depth-bins, or give a "
        "--calibration with wavelengths.");
  from = lround (MIN (source->depth_from / spacing, info->all_depths));
  to = lround (MIN (source->depth_to / spacing, info->all_depths));
  if (from >= to)
    return g_strdup_printf (
        "--depth-um is not used: it begins at %.0f um, but depths reach to "
        "%.0f um; begin above that.",
        source->depth_from * 1e6, info->all_depths * spacing * 1e6);
  settings->depth_start = (gint)from;
  settings->depth_bins = (gint)(to - from);
  return NULL;
}

void
oct_live_crop_take (const OctLiveSource *source, const OctLiveInfo *info,
    OctLiveSettings *settings)
{
  g_autofree char *problem = live_crop_find (source, info, settings);

  if (problem != NULL)
    g_printerr ("Note: %s\n", problem);
}
