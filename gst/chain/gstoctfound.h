/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The results that the elements of octreconstruct have found (dispersion,
 * wavenumbers, a background), in one history: a result that is set on several
 * of them is put in force together, and undone together.
 */
#pragma once

#include "gstocthistory.h"

G_BEGIN_DECLS

/* In the thread that posts it: a message "oct-autofocus" of octdispersion or
 * "oct-background" of octdcsub, or another one.  Wavenumbers that were found
 * are set on `element`, for the next B-scan, and the message that is returned
 * in place of `message` says so. */
GstMessage *gst_oct_found_take (
    GstOctHistory *history, GstElement *element, GstMessage *message);

/* Undoes the last result and posts that, under the name of its message.  FALSE
 * if there is none. */
gboolean gst_oct_found_undo (GstOctHistory *history, GstElement *element);

G_END_DECLS
