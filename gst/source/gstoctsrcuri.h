/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * URIs of octsrc: oct:///folder/scan.npy?lines=500&calibration=cal.csv, what is
 * behind the path sets properties; oct:// alone is the virtual OCT system.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_OCT_URI_PROTOCOL "oct"

/* For G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, ...): works on `location`
 * and the other properties of the element. */
void gst_oct_src_uri_handler_init (gpointer iface, gpointer data);

G_END_DECLS
