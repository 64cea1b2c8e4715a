/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The look of a volume as a backend needs it: constants of a picture, and of
 * the light in it, for oct-volume-ray.h and the files that include it.
 */
#pragma once

#include "oct-volume.h"

G_BEGIN_DECLS

/* params and look have been checked. */
void oct_volume_scene_init (OctVolumeScene *scene,
    const OctVolumeParams *params, const OctVolumeLook *look);

/* seen[k]: how many grey levels below k have an extinction. */
void oct_volume_get_seen (const OctTransfer *transfer, guint16 seen[257]);

/* Whether a block with values from `low` to `high` has anything to see. */
static inline gboolean
oct_volume_is_seen (const guint16 *seen, guint low, guint high)
{
  guint from = low > 0 ? low - 1 : 0, to = high + 2 < 256 ? high + 2 : 256;

  return seen[to] != seen[from];
}

/* Unit vectors along which occlusion is looked for. */
void oct_volume_get_directions (OctPoint directions[OCT_VOLUME_DIRECTIONS]);

G_END_DECLS
