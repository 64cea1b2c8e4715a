/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Scan paths that a source was sent while it runs, until the first B-scan of
 * each of them comes: a volume is of one path only.
 *
 * Thread-safety: offer() in any thread, the others in that of the stream.
 */
#pragma once

#include <gst/gst.h>
#include "oct-scan-places.h"

G_BEGIN_DECLS

typedef struct {
  GMutex lock;
  /* under the lock; `recounted`: A-lines that paths name are of a count that has
   * ended */
  GQueue waiting;
  gboolean recounted;
  /* of the stream; `begun`: B-scan last - 1 was the last one */
  gboolean begun;
  guint64 last;
} GstOctNextPaths;

void gst_oct_next_paths_init (GstOctNextPaths *paths);
void gst_oct_next_paths_clear (GstOctNextPaths *paths);

/* Takes what an event of a scan path says (oct/oct.h), and not the event; a
 * warning of `element` says that it is not valid, or that too many wait.  It
 * replaces one of the same A-line that has not begun.  FALSE: another event. */
gboolean gst_oct_next_paths_offer (
    GstOctNextPaths *paths, GstElement *element, GstEvent *event);

/* B-scans `bscan` .. bscan + count - 1, counted from the first volume on, come
 * next, of volumes of `bscans` B-scans of `lines` A-lines.  The path that holds
 * from `bscan` on, to be released; NULL: the one before.  Paths of other sizes,
 * and those that begin within a volume, are left out with a warning of
 * `element`. */
OctScanPlaces *gst_oct_next_paths_take (GstOctNextPaths *paths,
    GstElement *element, guint64 bscan, guint count, guint lines, guint bscans);

/* B-scans are counted anew: the paths that wait hold at once.  `recounted`: the
 * scanner was not started anew, and those that come hold from the next volume
 * on, whatever A-line they name. */
void gst_oct_next_paths_restart (GstOctNextPaths *paths, gboolean recounted);

G_END_DECLS
