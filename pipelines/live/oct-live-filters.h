/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Filters of the images that everybody sees: a running mean, and less speckle.
 * One that has nothing to do passes images on at no cost.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define OCT_LIVE_NO_SPECKLE_FILTER "none"

/* Part of a launch line. */
#define OCT_LIVE_FILTERS                                                       \
  "octaverage name=average frames=1 ! octspeckle name=speckle"

typedef struct _OctLiveFilters OctLiveFilters;

/* The filters in the bin with that part; they are freed with it. */
OctLiveFilters *oct_live_filters_new (GstBin *bin);

/* From the next image on.  `frames`: B-scans in a mean, 1 = none; `speckle`:
 * the name of a filter, see oct_live_filters_find(). */
void oct_live_filters_set (
    OctLiveFilters *filters, gint frames, const char *speckle);

/* "none" or the method of octspeckle of that name, static; NULL: there is
 * none. */
const char *oct_live_filters_find (const char *speckle);

G_END_DECLS
