/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctpushsrc.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_SCAN_GEN (gst_oct_scan_gen_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctScanGen, gst_oct_scan_gen, GST, OCT_SCAN_GEN, GstOctPushSrc)
GST_ELEMENT_REGISTER_DECLARE (octscangen)

G_END_DECLS
