/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which A-lines an image is made of that is turned the right way round, see
 * OctFlipParams: computed once, in double precision, for every backend.
 *
 * For any thread; nothing here has a state.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

gboolean oct_check_flip (const OctFlipParams *params, GError **error);

/* Column x of the result is the sum of weights[i] in[first[x] + i - start[x]],
 * i = start[x] .. start[x + 1] - 1; all columns that are read are there. */
typedef struct {
  guint width;
  guint taps;       /* start[width] */
  guint32 *start;   /* [width + 1] */
  guint32 *first;   /* [width] */
  float *weights;   /* [taps] */
  gboolean is_copy; /* every weight is 1 */
} OctFlipMap;

/* Makes the map of a plane of `width` columns: that of the parameters, or that
 * of the chroma.  oct_flip_map_clear() it. */
void oct_flip_map_init (OctFlipMap *map, const OctFlipParams *params,
    guint width, gboolean is_way_back);
void oct_flip_map_clear (OctFlipMap *map);
/* Whether the maps of both are the same, in planes of the same size. */
gboolean oct_flip_has_same_maps (
    const OctFlipParams *a, const OctFlipParams *b);

/* Which columns of the result, to[bscans][width], have no part of a lost A-line;
 * `valid`, the same of the input: 0 where an A-line is lost.  A weight of up to
 * 1e-3 is none. */
void oct_flip_valid (
    const OctFlipParams *params, const guint8 *valid, guint8 *to);

/* Whether B-scan `bscan` of the frame was taken on the way back. */
static inline gboolean
oct_flip_is_way_back (const OctFlipParams *params, guint bscan)
{
  guint number = params->first + bscan;

  if (params->volume > 0)
    number %= params->volume;
  return params->way_back != OCT_WAY_BACK_NONE
         && (number & 1) == (params->way_back == OCT_WAY_BACK_ODD);
}

/* Columns of the chroma of NV12: pairs of blue and red. */
static inline guint
oct_chroma_size (guint size)
{
  return (size + 1) / 2;
}

G_END_DECLS
