/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Depths of the command line, which are in metres of the sample. */
#pragma once

#include "oct-live-feed.h"

G_BEGIN_DECLS

/* Sets the depth bins of `settings` to those from depth_from to depth_to of the
 * source; if they cannot be used, the terminal says why. */
void oct_live_crop_take (const OctLiveSource *source, const OctLiveInfo *info,
    OctLiveSettings *settings);

G_END_DECLS
