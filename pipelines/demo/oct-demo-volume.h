/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** oct-demo --volume: a turn around a volume. */
#pragma once

#include "oct-launch.h"

G_BEGIN_DECLS

typedef struct {
  gint bscans; /* per volume, 0: as the file says */
  /* of a B-scan, and from the first to the last of them; 0: as the file says */
  double width_um, length_um;
} OctDemoVolumeOptions;

/* Writes volume.png and volume.mp4 of `pictures` pictures (0: one turn) into
 * `folder`, which exists, and prints a description of them.  Ctrl-C ends the
 * video early; it can be played.  FALSE with a sentence. */
gboolean oct_demo_make_volume (const OctSourceOptions *source,
    const OctDemoVolumeOptions *options, const char *folder, gint pictures,
    GError **error);

G_END_DECLS
