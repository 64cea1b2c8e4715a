/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_METER (gst_oct_meter_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctMeter, gst_oct_meter, GST, OCT_METER, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (octmeter);

G_END_DECLS
