/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which caps of GstOctFilter become which: those of the element, on the host
 * and on the GPU as `backend` allows, and the sizes that they stand for.
 * Virtual functions of GstBaseTransform.
 */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

/* The possible caps of the pad opposite to `direction` when the pad in
 * `direction` has `caps`, within `filter_caps` (NULL: any); to be unreffed.
 * Any thread. */
GstCaps *gst_oct_filter_caps_transform (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *filter_caps);

/* Bytes of a buffer of `othercaps`, whatever `size` is; for any element.
 * FALSE: they are not caps of this plugin. */
gboolean gst_oct_filter_caps_transform_size (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, gsize size, GstCaps *othercaps,
    gsize *othersize);

/* Bytes of a buffer of `caps`, for any element; FALSE as above. */
gboolean gst_oct_filter_caps_get_unit_size (
    GstBaseTransform *trans, GstCaps *caps, gsize *size);

G_END_DECLS
