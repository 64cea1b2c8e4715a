/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctvolumefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_VOLUME (gst_oct_volume_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctVolume, gst_oct_volume, GST, OCT_VOLUME, GstOctVolumeFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octvolume);

G_END_DECLS
