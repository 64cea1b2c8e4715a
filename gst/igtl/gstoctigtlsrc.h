/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctpushsrc.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_IGTL_SRC (gst_oct_igtl_src_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctIgtlSrc, gst_oct_igtl_src, GST, OCT_IGTL_SRC, GstOctPushSrc)

GST_ELEMENT_REGISTER_DECLARE (octigtlsrc);

G_END_DECLS
