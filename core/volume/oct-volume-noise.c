/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume-noise.h"

#include "oct-contrast.h"

#include <math.h>
#include <string.h>

/* Part of a normal distribution that is more than its standard deviation below
 * its mean. */
#define BELOW_SPREAD 0.158655254
/* The part of the A-lines of MIP below black, and above white. */
#define OUTSIDE 0.005

guint
oct_volume_levels_get_step (const OctVolumeParams *params)
{
  guint step = 1;

  while ((guint64)((params->lines + step - 1) / step)
             * ((params->bscans + step - 1) / step)
         > OCT_VOLUME_COUNTED)
    step++;
  return step;
}

void
oct_volume_levels_choose (
    const OctVolumeParams *params, const guint8 *there, guint8 *chosen)
{
  guint step = oct_volume_levels_get_step (params), last = params->bscans - 1;
  gboolean any = FALSE;

  memset (chosen, 0, params->bscans);
  for (guint y = 0; y <= last; y += step) {
    chosen[y] =
        there[y] && there[y > 0 ? y - 1 : 0] && there[MIN (y + 1, last)];
    any |= chosen[y];
  }
  for (guint y = 0; !any && y <= last; y += step)
    chosen[y] = there[y];
}

guint
oct_volume_levels_get_first (const OctVolumeParams *params)
{
  guint rows = oct_contrast_first_row (params->depth + params->depth_start);

  rows -= MIN (rows, params->depth_start);
  return (rows + params->decimation - 1) / params->decimation;
}

static guint64
count_above_zero (const guint *counts)
{
  guint64 n = 0;

  for (guint level = 1; level < 256; level++)
    n += counts[level];
  return n;
}

/* The level that this part of n values above 0 is below.  The values of a level
 * stand for even steps from half a level below it to half a level above. */
static double
get_quantile (const guint *counts, guint64 n, double part)
{
  double wanted = part * (double)n, below = 0;
  guint level = 1;

  while (level < 255 && below + counts[level] < wanted)
    below += counts[level++];
  return level - 0.5
         + (counts[level] > 0 ? (wanted - below) / counts[level] : 0);
}

typedef struct {
  guint64 n;
  double median, spread;
} Band;

/* Whether two levels above 0 have been counted. */
static gboolean
noise_varies (const OctVolumeLevels *levels)
{
  guint first = 0;

  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    for (guint level = 1; level < 256; level++) {
      if (levels->bands[band][level] == 0 || level == first)
        continue;
      if (first != 0)
        return TRUE;
      first = level;
    }
  return FALSE;
}

static double
get_limit (const Band *band)
{
  return band->median + OCT_VOLUME_NOISE_SPREADS * band->spread;
}

/* The band with the smallest median before `end`, among those whose limit is
 * below `most`; NULL: none. */
static const Band *
find_darkest (const Band *bands, guint end, double most)
{
  const Band *darkest = NULL;

  for (guint i = 0; i < end; i++)
    if (bands[i].n > 0 && get_limit (&bands[i]) < most
        && bands[i].spread <= OCT_VOLUME_NOISE_MOST_SPREAD
        && (darkest == NULL || bands[i].median < darkest->median))
      darkest = &bands[i];
  return darkest;
}

void
oct_volume_noise_find (const OctVolumeLevels *levels, OctVolumeNoise *noise)
{
  Band bands[OCT_VOLUME_BANDS];
  const Band *found;
  guint brightest = 0;

  *noise = (OctVolumeNoise){ 0 };
  if (!noise_varies (levels))
    return;
  for (guint i = 0; i < OCT_VOLUME_BANDS; i++) {
    const guint *counts = levels->bands[i];
    guint64 n = count_above_zero (counts);

    bands[i] = (Band){ .n = n };
    if (n == 0)
      continue;
    bands[i].median = get_quantile (counts, n, 0.5);
    bands[i].spread = bands[i].median - get_quantile (counts, n, BELOW_SPREAD);
    if (bands[i].median > bands[brightest].median)
      brightest = i;
  }
  found = find_darkest (bands, brightest, bands[brightest].median);
  if (found == NULL)
    found = find_darkest (bands, OCT_VOLUME_BANDS, G_MAXDOUBLE);
  if (found == NULL)
    return;
  noise->is_found = TRUE;
  noise->level = found->median;
  noise->spread = found->spread;
  noise->threshold = MIN (get_limit (found), 255.0);
}

void
oct_volume_window_find (
    const OctVolumeLevels *levels, double threshold, OctVolumeWindow *window)
{
  double black = MAX (threshold, OCT_VOLUME_LEAST_BLACK), sum = 0, voxels = 0;
  guint64 lines = count_above_zero (levels->maxima);
  double seen = (double)lines / MAX (1, lines + levels->maxima[0]);

  *window = (OctVolumeWindow)OCT_VOLUME_WINDOW;
  if (lines == 0)
    return;
  for (guint band = 0; band < OCT_VOLUME_BANDS; band++)
    for (guint level = 0; level < 256; level++) {
      sum += levels->bands[band][level] * MAX (level - black, 0.0);
      voxels += levels->bands[band][level];
    }
  window->low = black;
  window->mip_high = MAX (get_quantile (levels->maxima, lines, 1 - OUTSIDE),
      black + OCT_VOLUME_LEAST_WINDOW);
  window->mip_low = CLAMP (get_quantile (levels->maxima, lines, OUTSIDE), black,
      window->mip_high - OCT_VOLUME_LEAST_WINDOW);
  if (sum > 0)
    window->gain = OCT_VOLUME_MEAN_GREY * seen * voxels * 255 / sum;
}

/* The voxels of a band that are seen, and *all of them. */
static guint64
count_seen (const guint *counts, double threshold, guint64 *all)
{
  guint64 seen = 0;

  *all = 0;
  for (guint level = 0; level < 256; level++) {
    *all += counts[level];
    if (level >= threshold)
      seen += counts[level];
  }
  return seen;
}

gboolean
oct_volume_extent_find (
    const OctVolumeLevels *levels, double threshold, OctVolumeExtent *extent)
{
  gboolean found = FALSE;

  *extent = (OctVolumeExtent)OCT_VOLUME_WHOLE_EXTENT;
  for (guint band = 0; band < OCT_VOLUME_BANDS; band++) {
    guint64 all, seen = count_seen (levels->bands[band], threshold, &all);

    if (seen == 0 || seen < OCT_VOLUME_LEAST_SIGNAL * all)
      continue;
    if (!found)
      extent->first = band;
    extent->last = band;
    found = TRUE;
  }
  return found;
}

static void
extend (OctVolumeExtent *extent, const OctVolumeExtent *by)
{
  extent->first = MIN (extent->first, by->first);
  extent->last = MAX (extent->last, by->last);
}

static OctVolumeExtent
widen (const OctVolumeExtent *extent)
{
  return (OctVolumeExtent){ extent->first - (extent->first > 0),
    MIN (extent->last + 1, OCT_VOLUME_BANDS - 1) };
}

void
oct_volume_frame_follow (OctVolumeFrame *frame, const OctVolumeExtent *found)
{
  OctVolumeExtent wide = widen (found);
  guint spare;

  if (!frame->begun) {
    *frame = (OctVolumeFrame){ .begun = TRUE, .shown = wide };
    return;
  }
  if (found->first < frame->shown.first || found->last > frame->shown.last)
    extend (&frame->shown, &wide);
  spare = frame->shown.last - frame->shown.first;
  spare -= MIN (spare, wide.last - wide.first);
  if (spare < OCT_VOLUME_EXTENT_SPARE) {
    frame->waited = 0;
    return;
  }
  if (frame->waited++ == 0)
    frame->since = wide;
  extend (&frame->since, &wide);
  if (frame->waited <= OCT_VOLUME_EXTENT_WAIT)
    return;
  frame->shown = frame->since;
  frame->waited = 0;
}

double
oct_volume_face_white_find (const OctVolumeLevels *levels, double threshold)
{
  double brightest = 0;

  for (guint band = 0; band < OCT_VOLUME_BANDS; band++) {
    guint seen[256] = { 0 };
    guint64 all, n = count_seen (levels->bands[band], threshold, &all);
    guint least = (guint)MAX (1.0, ceil (threshold));

    if (!(threshold > 0) || n == 0 || n < OCT_VOLUME_LEAST_SIGNAL * all
        || least > 255)
      continue;
    memcpy (seen + least, levels->bands[band] + least,
        (256 - least) * sizeof *seen);
    n = count_above_zero (seen);
    if (n > 0)
      brightest = MAX (brightest, get_quantile (seen, n, 0.5));
  }
  return CLAMP (2 * brightest - OCT_VOLUME_FACE_BLACK (threshold),
      OCT_VOLUME_FACE_WHITE, OCT_VOLUME_FACE_MOST_WHITE);
}

double
oct_volume_follow (double before, double found, double small_change)
{
  if (!(fabs (found - before) <= small_change))
    return found;
  return before + OCT_VOLUME_FOLLOWED * (found - before);
}
