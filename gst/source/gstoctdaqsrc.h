/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctlivesrc.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_DAQ_SRC (gst_oct_daq_src_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctDaqSrc, gst_oct_daq_src, GST, OCT_DAQ_SRC, GstOctLiveSrc)

GST_ELEMENT_REGISTER_DECLARE (octdaqsrc);

G_END_DECLS
