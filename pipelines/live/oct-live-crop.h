/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Depths of the command line, which are in metres of the sample. */
#pragma once

#include "oct-live-feed.h"

G_BEGIN_DECLS

/* Sets the depth bins of `settings` to those from depth_from to depth_to of the
 * source.  NULL, or a sentence on why they are not used, to be freed. */
char *oct_live_crop_find (const OctLiveSource *source, const OctLiveInfo *info,
    OctLiveSettings *settings);

G_END_DECLS
