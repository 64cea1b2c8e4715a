/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilesink.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_KEEP (gst_oct_keep_get_type ())
G_DECLARE_FINAL_TYPE (GstOctKeep, gst_oct_keep, GST, OCT_KEEP, GstOctFileSink)

GST_ELEMENT_REGISTER_DECLARE (octkeep);

G_END_DECLS
