/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_DYNAMIC (gst_oct_dynamic_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctDynamic, gst_oct_dynamic, GST, OCT_DYNAMIC, GstOctFilter)

GST_ELEMENT_REGISTER_DECLARE (octdynamic);

G_END_DECLS
