/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Possible caps of pictures of volumes, and the defaults where they are open.
 */
#pragma once

#include "gstoctcuda.h"

G_BEGIN_DECLS

#define GST_OCT_CAPS_PICTURE_OF(format)                                        \
  "video/x-raw, format = (string) " format                                     \
  ", width = (int) [ 16, 8192 ], height = (int) [ 16, 8192 ]"                  \
  ", framerate = " GST_OCT_RATE_RANGE
/* with the colours that they are made in */
#define GST_OCT_CAPS_PICTURE                                                   \
  GST_OCT_CAPS_PICTURE_OF ("NV12")                                             \
  ", colorimetry = (string) bt709; " GST_OCT_CAPS_PICTURE_OF ("RGBA")

/* Grey pictures of sections. */
#define GST_OCT_CAPS_SECTION                                                   \
  GST_OCT_CAPS_SECTION_OF ("{ GRAY8, NV12 }")                                  \
  ", colorimetry = (string) " GST_OCT_FULL_RANGE
#define GST_OCT_CAPS_GPU_SECTION                                               \
  GST_OCT_CAPS_SECTION_OF ("NV12")                                             \
  ", colorimetry = (string) " GST_OCT_FULL_RANGE                               \
  "; " GST_OCT_CAPS_SECTION_OF ("RGBA")
#define GST_OCT_CAPS_SECTION_OF(formats)                                       \
  "video/x-raw, format = (string) " formats                                    \
  ", width = (int) [ 1, 8192 ], height = (int) [ 1, 8192 ]"                    \
  ", framerate = " GST_OCT_RATE_RANGE

/* Images that are taken. */
#define GST_OCT_CAPS_SLICE                                                     \
  "video/x-raw, format = (string) { GRAY8, NV12 }"                             \
  ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE             \
  ", framerate = " GST_OCT_RATE_RANGE

/* `host`, in GPU memory too where `gpu`, and then first where `gpu_first`. */
GstCaps *gst_oct_volume_caps_new (
    const char *host, const char *gpu, gboolean has_gpu, gboolean gpu_first);

/* Caps of one picture out of `possible` (taken), what is left open as it is
 * best: `has_gpu`: a GPU makes them; `stereo`: side by side; `n` / `d`: the
 * frame rate to aim at. */
GstCaps *gst_oct_volume_caps_fixate (
    GstCaps *possible, gboolean has_gpu, gboolean stereo, gint n, gint d);

/* The same of a section, of that size where it is left open, with pixels
 * `aspect` times as wide as high; `src`: where it goes. */
GstCaps *gst_oct_section_caps_fixate (GstPad *src, GstCaps *possible,
    guint width, guint height, double aspect, gint n, gint d);

/* Pictures per second for images of such caps, `bscans` a volume: as a film has
 * them, or as often as there is something new, with a volume (`whole`) or each
 * B-scan. */
void gst_oct_volume_caps_choose_rate (
    const GstCaps *input, guint bscans, gboolean whole, gint *n, gint *d);

G_END_DECLS
