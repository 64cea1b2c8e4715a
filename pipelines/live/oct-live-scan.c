/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-scan.h"

/* Not memcmp(): there is a gap between its members. */
gboolean
oct_live_scan_equal (const OctLiveScan *a, const OctLiveScan *b)
{
  return a->lines == b->lines && a->depths == b->depths
         && a->bscans == b->bscans && a->repeats == b->repeats
         && a->width == b->width && a->length == b->length
         && a->z_spacing == b->z_spacing
         && a->refractive_index == b->refractive_index && a->rate == b->rate
         && a->line_rate == b->line_rate && a->wavelength == b->wavelength
         && a->spectra == b->spectra;
}

void
oct_live_scan_get_size (const OctLiveScan *scan, double size[3])
{
  double depth =
      scan->z_spacing * scan->depths / MAX (1.0, scan->refractive_index);

  size[0] = scan->width > 0.0 ? scan->width : scan->length;
  if (!(size[0] > 0.0))
    size[0] = depth > 0.0 ? 2.0 * depth : 2e-3;
  size[1] = scan->length > 0.0 ? scan->length : size[0];
  size[2] = depth > 0.0 ? depth : size[0] / 2.0;
}

/* Pictures show one B-scan of each place. */
guint
oct_live_scan_count_places (const OctLiveScan *scan)
{
  guint repeats = MAX (1, scan->repeats);

  return (scan->bscans + repeats - 1) / repeats;
}

gint
oct_live_scan_round (double pixels)
{
  return MAX (16, 2 * (gint)(pixels / 2.0 + 0.5));
}
