/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Grey levels of images for pictures of volumes, which are made of 8 bit. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* An image of GRAY16_LE as one of GRAY8, each level rounded, with the times and
 * the metadata of the image; *caps are replaced.  Others come back as they are.
 * Returns: a reference of the caller, NULL if the image is not as its caps
 * say. */
GstBuffer *oct_live_levels_reduce (GstBuffer *image, GstCaps **caps);

G_END_DECLS
