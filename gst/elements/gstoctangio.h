/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_ANGIO (gst_oct_angio_get_type ())
G_DECLARE_FINAL_TYPE (GstOctAngio, gst_oct_angio, GST, OCT_ANGIO, GstOctFilter)

GST_ELEMENT_REGISTER_DECLARE (octangio);

G_END_DECLS
