/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctimagefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_AVERAGE (gst_oct_average_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctAverage, gst_oct_average, GST, OCT_AVERAGE, GstOctImageFilter)

GST_ELEMENT_REGISTER_DECLARE (octaverage);

G_END_DECLS
