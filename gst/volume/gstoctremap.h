/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_REMAP (gst_oct_remap_get_type ())
G_DECLARE_FINAL_TYPE (GstOctRemap, gst_oct_remap, GST, OCT_REMAP, GstElement)

GST_ELEMENT_REGISTER_DECLARE (octremap)

G_END_DECLS
