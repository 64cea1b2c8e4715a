/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctpushsrc.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_SRC (gst_oct_src_get_type ())
G_DECLARE_FINAL_TYPE (GstOctSrc, gst_oct_src, GST, OCT_SRC, GstOctPushSrc)

GST_ELEMENT_REGISTER_DECLARE (octsrc);

G_END_DECLS
