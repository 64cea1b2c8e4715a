/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_SCATTER (gst_oct_scatter_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctScatter, gst_oct_scatter, GST, OCT_SCATTER, GstElement)

/* Its branches are these GPUs of octreconstruct, "0,1", and what is wrong in
 * one of them names that property.  Before the start. */
void gst_oct_scatter_set_devices (GstOctScatter *self, const char *devices);

GST_ELEMENT_REGISTER_DECLARE (octscatter);

G_END_DECLS
