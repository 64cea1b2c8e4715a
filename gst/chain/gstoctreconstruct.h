/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_RECONSTRUCT (gst_oct_reconstruct_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctReconstruct, gst_oct_reconstruct, GST,
    OCT_RECONSTRUCT, GstBin)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octreconstruct);

G_END_DECLS
