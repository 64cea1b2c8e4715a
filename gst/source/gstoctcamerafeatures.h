/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Features of a camera, which are the names and values of GenICam, from text.
 */
#pragma once

#include <arv.h>

G_BEGIN_DECLS

/* "NAME=VALUE NAME=VALUE COMMAND ...", in this order; values with spaces are in
 * quotes.  `id`: the camera, for errors; `features` may be NULL.  `has_format`:
 * whether PixelFormat is one of them.  FALSE with OCT_ERROR_SETTINGS and a
 * sentence. */
gboolean gst_oct_camera_set_features (ArvCamera *camera, const char *id,
    const char *features, gboolean *has_format, GError **error);

/* NULL: as the camera is set; "free": without a trigger; else by the rising
 * edge of this source, such as Line1.  FALSE with OCT_ERROR_SETTINGS. */
gboolean gst_oct_camera_set_trigger (
    ArvCamera *camera, const char *id, const char *trigger, GError **error);
gboolean gst_oct_camera_is_triggered (const char *trigger);

G_END_DECLS
