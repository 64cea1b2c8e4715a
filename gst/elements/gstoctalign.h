/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_ALIGN (gst_oct_align_get_type ())
G_DECLARE_FINAL_TYPE (GstOctAlign, gst_oct_align, GST, OCT_ALIGN, GstOctFilter)

GST_ELEMENT_REGISTER_DECLARE (octalign);

G_END_DECLS
