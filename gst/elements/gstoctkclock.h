/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_KCLOCK (gst_oct_kclock_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctKClock, gst_oct_kclock, GST, OCT_KCLOCK, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octkclock);

G_END_DECLS
