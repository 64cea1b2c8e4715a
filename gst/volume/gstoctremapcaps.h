/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Caps of octremap: what comes goes on in the same format, in host memory or on
 * a GPU.
 */
#pragma once

#include "gstoctcaps.h"

G_BEGIN_DECLS

/* Caps of the sink pad (`is_sink`) or the source pad, of the formats that
 * `there` has a place for: what the element on the other side of octremap takes
 * or delivers; NULL: of all. */
GstCaps *gst_oct_remap_caps_new (
    gboolean is_sink, gboolean has_gpu, GstCaps *there);

GstPadTemplate *gst_oct_remap_caps_new_template (GstPadDirection direction);

/* Whether GPU memory is possible for a raster of these caps of host memory. */
gboolean gst_oct_remap_caps_may_be_on_gpu (const GstCaps *caps);

G_END_DECLS
