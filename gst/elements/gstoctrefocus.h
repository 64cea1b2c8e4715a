/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_REFOCUS (gst_oct_refocus_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctRefocus, gst_oct_refocus, GST, OCT_REFOCUS, GstOctFilter)

GST_ELEMENT_REGISTER_DECLARE (octrefocus);

G_END_DECLS
