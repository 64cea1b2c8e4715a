/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The picture of one eye from frames of two. */
#pragma once

#include "oct-live-layout.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Has a videocrop leave the half of each frame that eye `eye` sees (0 left, 1
 * right), whatever sizes of frames come. */
void oct_live_eye_crop (GstElement *crop, OctLiveStereo stereo, guint eye);

G_END_DECLS
