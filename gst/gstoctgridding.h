/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What the elements that spread samples over a grid share: the properties of
 * the kernel.
 */
#pragma once

#include "gstoctfilter.h"
#include "oct-nufft.h"

G_BEGIN_DECLS

/* OctKernel */
#define GST_TYPE_OCT_KERNEL (gst_oct_kernel_get_type ())
GType gst_oct_kernel_get_type (void);

/* Under the object lock of the element. */
typedef struct {
  OctKernel kernel;
  double oversampling;
  guint width;
} GstOctGridding;

/* Identifiers of the properties, beyond those any element uses itself. */
enum {
  GST_OCT_PROP_KERNEL = 1300,
  GST_OCT_PROP_OVERSAMPLING,
  GST_OCT_PROP_KERNEL_WIDTH,
};

void gst_oct_gridding_init (GstOctGridding *gridding);

/* Installs `kernel`, `oversampling` and `kernel-width`.  when: the setting of
 * another property with which they count, as "method=nufft"; oversampling: what
 * is said of the property of that name. */
void gst_oct_gridding_install_properties (
    GObjectClass *klass, const char *when, const char *oversampling);

/* FALSE when `id` is none of these; otherwise the filter is told of a new
 * value.  Take the object lock of the element themselves. */
gboolean gst_oct_gridding_set_property (GstOctFilter *filter,
    GstOctGridding *gridding, guint id, const GValue *value);
gboolean gst_oct_gridding_get_property (
    GstOctFilter *filter, GstOctGridding *gridding, guint id, GValue *value);

G_END_DECLS
