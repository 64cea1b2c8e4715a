/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_DOPPLER (gst_oct_doppler_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctDoppler, gst_oct_doppler, GST, OCT_DOPPLER, GstOctFilter)

GST_ELEMENT_REGISTER_DECLARE (octdoppler);

G_END_DECLS
