/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_COLLECT (gst_oct_collect_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctCollect, gst_oct_collect, GST, OCT_COLLECT, GstElement)

GST_ELEMENT_REGISTER_DECLARE (octcollect);

G_END_DECLS
