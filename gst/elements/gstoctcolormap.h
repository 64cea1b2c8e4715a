/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_COLORMAP (gst_oct_colormap_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctColormap, gst_oct_colormap, GST, OCT_COLORMAP, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octcolormap);

G_END_DECLS
