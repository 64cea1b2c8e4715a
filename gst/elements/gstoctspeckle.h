/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctimagefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_SPECKLE (gst_oct_speckle_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctSpeckle, gst_oct_speckle, GST, OCT_SPECKLE, GstOctImageFilter)

GST_ELEMENT_REGISTER_DECLARE (octspeckle);

G_END_DECLS
