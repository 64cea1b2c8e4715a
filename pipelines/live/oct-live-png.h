/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** PNG files that say how large a pixel is, and how they were made. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Adds pHYs and tEXt (iTXt for more than ASCII) to a PNG, right after its head.
 * Returns: a new reference, or `png` itself if it is not a PNG.  `x`, `y`:
 * metres per pixel; 0 = not known: then pHYs is left out.  `texts`: keyword in
 * ASCII and value in turn, then NULL; those without a value are left out. */
GBytes *oct_live_png_describe (
    GBytes *png, double x, double y, const char *const *texts);

G_END_DECLS
