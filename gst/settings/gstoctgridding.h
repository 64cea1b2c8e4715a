/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The properties of the kernel, for the elements that spread samples over a
 * grid.
 */
#pragma once

#include "gstoctproperties.h"
#include "oct-nufft.h"

G_BEGIN_DECLS

/* OctKernel */
GType gst_oct_kernel_get_type (void);

/* A member of the settings of an element. */
typedef struct {
  OctKernel kernel;
  double oversampling;
  guint width;
} GstOctGridding;

/* The cheapest of those that lose less than 1e-3: docs/elements/octnufft.md.
 * Compressive sensing itself loses more. */
#define GST_OCT_DEFAULT_OVERSAMPLING 1.25
#define GST_OCT_DEFAULT_KERNEL_WIDTH 6

/* when: the setting of another property with which they count, as
 * "method=nufft"; cells: the blurb of `oversampling`. */
#define GST_OCT_GRIDDING_ROWS(settings, member, when, cells)                   \
  { "kernel", "Kernel", "Gridding kernel (" when ")", GST_OCT_PROPERTY_LIVE,   \
    "gridding",                                                                \
    GST_OCT_ENUM (settings, member.kernel, gst_oct_kernel_get_type,            \
        OCT_KERNEL_KAISER_BESSEL) },                                           \
      { "oversampling", "Oversampling", cells " (" when ")",                   \
        GST_OCT_PROPERTY_LIVE, "gridding",                                     \
        GST_OCT_DOUBLE (settings, member.oversampling, 1.25, 2.0,              \
            GST_OCT_DEFAULT_OVERSAMPLING) },                                   \
  {                                                                            \
    "kernel-width", "Kernel width",                                            \
        "Width of the gridding kernel in cells of the grid (" when ")",        \
        GST_OCT_PROPERTY_LIVE, "gridding",                                     \
        GST_OCT_UINT (                                                         \
            settings, member.width, 2, 8, GST_OCT_DEFAULT_KERNEL_WIDTH)        \
  }

G_END_DECLS
