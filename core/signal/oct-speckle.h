/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The common part of all filters against speckle, see OctSpeckleParams.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

gboolean oct_check_speckle (const OctSpeckleParams *params, GError **error);

/* Checks of every filter of images: possible sizes, images that can stand below
 * each other, a valid format. */
gboolean oct_check_image (guint width, guint height, guint bscans,
    OctImageFormat format, GError **error);

/* sigma in the levels of the format. */
double oct_speckle_get_sigma (const OctSpeckleParams *params);

G_END_DECLS
