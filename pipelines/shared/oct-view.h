/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Options of programs for the images themselves, with the same names in all of them:
 * --depth-um, --average, --background, --window and --speckle; --bits.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define OCT_VIEW_DEPTHS_TWICE                                                  \
  "--depth-um says the same as --depth-start and --depth-bins; give one or "   \
  "the other."

typedef struct {
  char *depths, *background, *window; /* as they were given, or NULL */
  gint average;
  gboolean speckle;
  gint bits;       /* of grey levels: 8 or 16 */
  double from, to; /* um in the sample, 0 and 0: all depths */
  double index;    /* of refraction, 0: that of tissue */
} OctViewOptions;

/* --depth-um has two values, which one argument holds after this; before the
 * command line is parsed. */
void oct_view_options_join (int *argc, char **argv);

/* `has_bits`: with --bits, of programs that make pictures of their own. */
void oct_view_options_add (
    GOptionContext *context, gboolean has_bits, OctViewOptions *options);

/* After parsing, FALSE with a sentence; before gst_init(). */
gboolean oct_view_options_check (OctViewOptions *options, GError **error);
void oct_view_options_clear (OctViewOptions *options);

/* The filters of images, as "octaverage frames=4 ! octspeckle ! ", or "". */
char *oct_view_options_describe_filters (const OctViewOptions *options);

/* The format of video/x-raw with these grey levels. */
const char *oct_view_options_get_format (const OctViewOptions *options);

/* Sets background, window and depths of octreconstruct.  Depths become bins as
 * soon as caps tell the scale, before the first image. */
gboolean oct_view_options_use (
    const OctViewOptions *options, GstElement *reconstruct, GError **error);

G_END_DECLS
