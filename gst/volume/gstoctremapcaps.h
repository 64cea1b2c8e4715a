/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Caps of octremap: what comes goes on in the same format, in host memory or on
 * a GPU.
 */
#pragma once

#include "gstoctcaps.h"

G_BEGIN_DECLS

/* Answers a query of caps of that pad; `other`: that on the other side. */
void gst_oct_remap_caps_answer (
    GstQuery *query, gboolean is_sink, gboolean has_gpu, GstPad *other);

GstPadTemplate *gst_oct_remap_caps_new_template (GstPadDirection direction);

/* Whether GPU memory is possible for a raster of these caps of host memory. */
gboolean gst_oct_remap_caps_may_be_on_gpu (const GstCaps *caps);

G_END_DECLS
