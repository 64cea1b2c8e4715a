/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_GATHER (gst_oct_gather_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctGather, gst_oct_gather, GST, OCT_GATHER, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (octgather);

G_END_DECLS
