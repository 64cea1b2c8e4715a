/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The caps of elements that make grey images of A-scans.
 */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

/* For transform_structure(): the images of A-scans `from`, or the A-scans of
 * images: images one by one; for several B-scans in a buffer also all of them,
 * one below the other, if an element asks for that many. */
void gst_oct_images_transform_structure (
    GstPadDirection direction, const GstStructure *from, GstCaps *result);

/* Sets fixate_caps() and the pads of a class; the rest as described. */
void gst_oct_images_class_describe (
    GstOctFilterClass *klass, const GstOctFilterDescription *description);

G_END_DECLS
