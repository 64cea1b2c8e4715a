/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What is alike in all filters against speckle, see OctSpeckleParams.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

gboolean oct_check_speckle (const OctSpeckleParams *params, GError **error);

/* Of every filter of images: sizes that are possible, images that can stand
 * below each other, a format that is one. */
gboolean oct_check_image (guint width, guint height, guint bscans,
    OctImageFormat format, GError **error);

/* sigma in the levels of the format. */
double oct_speckle_get_sigma (const OctSpeckleParams *params);

G_END_DECLS
