/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Numbers of oct-section.h that CUDA reads too: nothing of GLib.
 */
#pragma once

/* depths above and below a surface that are compared */
#define OCT_ENFACE_STEP 8
#define OCT_ENFACE_MAX_RADIUS 5u

/* of the automatic range: bins, and the part that is outside at either end */
#define OCT_ENFACE_BINS 4096
#define OCT_ENFACE_OUTSIDE 200u
