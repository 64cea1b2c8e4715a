/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * URIs of octsrc: oct:///folder/scan.npy?lines=500&calibration=cal.csv, the
 * part after the path sets properties; oct:// alone is the virtual OCT system.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_OCT_URI_PROTOCOL "oct"

/* The elements whose properties a URI sets. */
typedef struct {
  const char *protocol;
  GObject *src;         /* octsrc */
  GObject *reconstruct; /* octreconstruct after it, or NULL */
} GstOctUri;

/* Sets `location` and the properties that `uri` names, each on octsrc if both
 * have it; `element` must not play.  FALSE with an error of GST_URI_ERROR, and
 * nothing is set. */
gboolean gst_oct_uri_set (const GstOctUri *target, GstElement *element,
    const char *uri, GError **error);

/* The URI of the file that `src` reads, without properties; to be freed. */
char *gst_oct_uri_make (const char *protocol, GObject *src);

/* For G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, ...): works on `location`
 * and the other properties of the element. */
void gst_oct_src_uri_handler_init (gpointer iface, gpointer data);

G_END_DECLS
