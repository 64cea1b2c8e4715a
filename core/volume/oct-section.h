/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sections of a volume as grey pictures: planes through it, and projections
 * along the depth, en face.
 *
 * Positions are in voxels: voxel (i, k, l), of A-line i, B-scan k, depth l, is
 * at (i + 0.5, k + 0.5, l + 0.5), and the volume is from 0 to its number of
 * voxels along each axis.
 */
#pragma once

#include "oct-backend.h"
#include "oct-section-limits.h"
#include "oct-volume-types.h"

G_BEGIN_DECLS

/* A plane: the middle of the pixel (i, j) is origin + (i + 0.5) right + (j +
 * 0.5) down.  Its grey level is linear between the eight voxels around it,
 * those beyond the outermost as these, rounded to nearest; outside the volume
 * it is black. */
typedef struct {
  OctPoint origin, right, down;
} OctSlice;

typedef enum {
  /* of the grey levels in the slab: */
  OCT_ENFACE_MEAN,  /* their mean */
  OCT_ENFACE_MAX,   /* the largest */
  OCT_ENFACE_SUM,   /* what stands above `threshold`, summed */
  OCT_ENFACE_DEPTH, /* which depth the largest has, the first of them: 1 for the
                       first of the slab; 0 where it is below `threshold` */
  OCT_N_ENFACE_MODES
} OctEnfaceMode;

/* The projection of an A-line with grey levels g[0 .. n - 1]: of its depths
 * start .. start + thickness - 1, as far as there are such, 0 where there are
 * none.
 *
 * With `flatten` they are counted from the surface.  With
 *   d[z] = sum_(k = 0 .. 7) g[min (z + k, n - 1)]
 *          - sum_(k = 1 .. 8) g[max (z - k, 0)]
 * it is the first z >= surface_from with d[z] > 8 surface_rise and d[z + 1] <
 * d[z] (d[n] = -infinity): where the tissue begins, the mean of eight depths
 * rises most steeply.  The surface in force is the median of those that were
 * found over the A-lines and B-scans at most surface_radius away: of m of them
 * the one with m / 2 (rounded down) below it.  Where none was found there is no
 * surface, and the projection is 0. */
typedef struct {
  OctEnfaceMode mode;
  gint start;      /* voxels */
  guint thickness; /* voxels, 1 or more */
  guint threshold; /* grey levels */
  gboolean flatten;
  guint surface_from;   /* voxels */
  guint surface_rise;   /* grey levels, 0 .. 255 */
  guint surface_radius; /* 0 .. OCT_ENFACE_MAX_RADIUS */
  /* The values shown as black and white.  DEPTH ignores them: the first depth
   * of the slab is 1, the last one 255, and 0 is none. */
  gboolean is_auto;
  double black, white; /* of the mode's values; black < white */
} OctEnface;

/* The automatic range: in a histogram of OCT_ENFACE_BINS even bins from 0 to
 * the largest that a projection can be (oct_enface_get_full()), of the A-lines
 * of all B-scans that have been stored whose projection is above 0, n of them:
 * black is the lower end of the first bin with which more than n / 200 (rounded
 * down) are reached, white the upper end of the first with which n less so many
 * are. */

/* The projection, [bscans][lines], becomes the pixels of a picture, [row]
 * [column]: linear between the middles of the A-lines and B-scans, those beyond
 * the outermost as these; with DEPTH the nearest. */

typedef struct {
  OctImageFormat format; /* GRAY8, NV12 (chroma 128) or RGBA */
  guint width, height;   /* 1 .. 8192 */
  OctFrame frame;
} OctSectionPicture;

#define OCT_SECTION_MAX_PICTURE 8192u

/* TRUE, or FALSE with OCT_ERROR_SETTINGS. */
gboolean oct_slice_check (const OctSlice *slice, GError **error);
gboolean oct_enface_check (const OctEnface *enface, GError **error);
gboolean oct_section_picture_check (
    const OctSectionPicture *picture, GError **error);

/* The largest projection, for A-lines of `depth` voxels. */
double oct_enface_get_full (const OctEnface *enface, guint depth);

/* ------------------------------------------------- for backends: what is old
 */

/* Which B-scans have to be projected anew: those that have changed, those whose
 * surface depends on them, all of them where the settings have. */
typedef struct {
  guint bscans;
  gboolean begun;
  OctEnface last;          /* that was found for */
  guint8 *found, *project; /* [bscans] to be done */
  guint8 *there;           /* [bscans] stored since clear() */
} OctEnfaceState;

void oct_enface_state_init (OctEnfaceState *state, guint bscans);
void oct_enface_state_clear (OctEnfaceState *state);
/* No B-scan is there any more. */
void oct_enface_state_forget (OctEnfaceState *state);
/* Call when the shown image of this B-scan has changed. */
void oct_enface_state_change (OctEnfaceState *state, guint bscan);
/* Before a projection: marks what is to be done. */
void oct_enface_state_take (OctEnfaceState *state, const OctEnface *enface);
/* The next run of marked B-scans from *first on, unmarked; FALSE: none. */
gboolean oct_enface_next_run (
    guint8 *marks, guint bscans, guint *first, guint *n);

G_END_DECLS
