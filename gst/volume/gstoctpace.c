/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctpace.h"

/* A finer picture has to be well within the time: they differ. */
#define MARGIN 0.8

guint
gst_oct_pace_next (GstOctPace *pace, double most, double took)
{
  guint now = MAX (1, pace->coarseness), next = 1;

  if (most > 0 && took > 0) {
    /* in proportion to the number of rays */
    double work = took * now * now;

    while (next < GST_OCT_PACE_COARSEST
           && work > most * next * next * (next < now ? MARGIN : 1.0))
      next++;
  } else if (most > 0) {
    next = now;
  }
  pace->coarseness = next;
  return next;
}
