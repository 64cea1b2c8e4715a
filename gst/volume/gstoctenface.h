/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctvolumefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_ENFACE (gst_oct_enface_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctEnface, gst_oct_enface, GST, OCT_ENFACE, GstOctVolumeFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octenface);

G_END_DECLS
