/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which caps of GstOctFilter become which: those of the element, on the host
 * and on the GPU as `backend` allows, and the sizes that they stand for.
 * Virtual functions of GstBaseTransform.
 */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

/* What the pad opposite to `direction` can be when the pad in `direction` is
 * `caps`, within `filter_caps` (NULL: any); to be unreffed.  Any thread. */
GstCaps *gst_oct_filter_caps_transform (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *filter_caps);

/* Of any element.  Bytes of a buffer of `othercaps`, whatever `size` is.  FALSE: they are none of
 * ours. */
gboolean gst_oct_filter_caps_transform_size (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, gsize size, GstCaps *othercaps,
    gsize *othersize);

/* Of any element.  Bytes of a buffer of `caps`; FALSE as above. */
gboolean gst_oct_filter_caps_get_unit_size (
    GstBaseTransform *trans, GstCaps *caps, gsize *size);

G_END_DECLS
