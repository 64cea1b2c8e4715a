/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include "gstoctbus.h"
#include "oct-types.h"

G_BEGIN_DECLS

/* Posts `error` (OCT_ERROR) as an element error of the domain that fits it; its
 * debug text names the caller.  Takes the error and clears it. */
#define gst_oct_element_error(element, error)                                  \
  gst_oct_element_error_at (element, error, __FILE__, GST_FUNCTION, __LINE__)
void gst_oct_element_error_at (GstElement *element, GError **error,
    const char *file, const char *function, gint line);

/* Posts a warning that settings are not used, and with `kept` which ones stay
 * in their place ("The previous range stays in use until then: ...").  Takes
 * the error and clears it. */
void gst_oct_element_warn_former (
    GstElement *element, GError **error, const char *kept);

/* For set_property(), before the value is stored and without the object lock:
 * TRUE, with a warning, if the property is for the time before the start and
 * the element has been started.  Everything that is not marked
 * GST_PARAM_MUTABLE_PAUSED or _PLAYING is. */
gboolean gst_oct_element_refuses_property (
    GstElement *element, GParamSpec *pspec);

/* The name a user launches the element by, such as "octfft". */
const char *gst_oct_element_type_name (GstElement *element);

/* Adds the property that names the file to the error of a file that is missing
 * or cannot be opened, read or written: the functions for files do not know
 * it. */
void gst_oct_error_name_property (GError **error, const char *property);

/* The error with which the base class of a source ends the stream says a number
 * only.  Takes it and returns one with a sentence if downstream elements are
 * not linked, do not go together or have failed, else the same. */
GstMessage *gst_oct_explain_flow (GstElement *source, GstMessage *message);

G_END_DECLS
