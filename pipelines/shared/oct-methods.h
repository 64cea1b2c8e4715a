/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The reconstructions that people can choose from, in all programs, as
 * octreconstruct lists them.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  const char *id;            /* on command lines and in messages */
  const char *label;         /* on pages */
  const char *method;        /* of octreconstruct */
  const char *interpolation; /* of octreconstruct, or NULL: it has none */
} OctMethod;

/* All reconstructions, the default first; the last one has no id.  None if
 * GStreamer does not find octreconstruct.  After gst_init(). */
const OctMethod *oct_methods (void);

/* Has octreconstruct use it; while images are made that is a wish. */
void oct_method_use (GstElement *reconstruct, const OctMethod *method);

G_END_DECLS
