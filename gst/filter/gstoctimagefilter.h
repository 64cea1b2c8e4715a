/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstOctImageFilter: base class of the elements that make images of images of
 * the same size and format, in the memory where they are, or in that of the
 * elements around them.  An element states its properties and `configure`.
 */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_IMAGE_FILTER (gst_oct_image_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstOctImageFilter, gst_oct_image_filter, GST,
    OCT_IMAGE_FILTER, GstOctFilter)

struct _GstOctImageFilterClass {
  GstOctFilterClass parent_class;
};

/* As gst_oct_filter_class_describe(), which gets the memories and the caps of
 * images from here; `sink_caps`: others that go through as well, or NULL. */
void gst_oct_image_filter_class_describe (
    GstOctFilterClass *klass, const GstOctFilterDescription *description);

/* The format of an image as backends name it. */
OctImageFormat gst_oct_image_format (const GstOctInfo *info);

G_END_DECLS
