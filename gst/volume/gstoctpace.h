/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How coarse pictures have to be to be made in time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GST_OCT_PACE_COARSEST 8u

typedef struct {
  guint coarseness; /* of the last picture; 0: there is none */
} GstOctPace;

/* The coarseness of the next picture: the least that is made within `most`
 * seconds (0: any time) when the last one took `took` (0: not known), `fixed`
 * of them whatever its coarseness. */
guint gst_oct_pace_next (
    GstOctPace *pace, double most, double took, double fixed);

G_END_DECLS
