/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include "oct-types.h"

G_BEGIN_DECLS

/* Posts `error` (OCT_ERROR) as an element error of the domain that fits it.
 * Takes the error and clears it. */
void gst_oct_element_error (GstElement *element, GError **error);

G_END_DECLS
