/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctpace.h"

/* A finer picture has to be well within the time: they differ. */
#define MARGIN 0.8

/* Rays have at least that part of the time: fewer of them do not help where
 * something else takes it. */
#define RAYS_PART 0.25

guint
gst_oct_pace_next (GstOctPace *pace, double most, double took, double fixed)
{
  guint now = MAX (1, pace->coarseness), next = 1;

  if (most > 0 && took > 0) {
    /* in proportion to the number of rays */
    double work = MAX (took - fixed, 0) * now * now;
    double room = MAX (most - fixed, most * RAYS_PART);

    while (next < GST_OCT_PACE_COARSEST
           && work > room * next * next * (next < now ? MARGIN : 1.0))
      next++;
  } else if (most > 0) {
    next = now;
  }
  pace->coarseness = next;
  return next;
}
