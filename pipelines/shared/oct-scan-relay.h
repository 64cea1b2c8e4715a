/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * From octscangen in one pipeline to the source in another one: paths, before
 * the first A-line of each is sent to the scanner, so that the source never has
 * an A-line of a path that it does not know.
 *
 * Thread-safety: any threads.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctScanRelay OctScanRelay;

OctScanRelay *oct_scan_relay_new (void);
void oct_scan_relay_unref (OctScanRelay *relay);

/* Passes on the paths that the element `name` of `bin` tells. */
void oct_scan_relay_watch (OctScanRelay *relay, GstBin *bin, const char *name);

/* Passes on this event of a path. */
void oct_scan_relay_tell (OctScanRelay *relay, GstEvent *event);

/* The source, of which no reference is kept, gets the last paths before; it is
 * not in use yet.  `counted`: it is octdaqsrc and counts the A-lines of the
 * scanner, if its program is that of the first source. */
void oct_scan_relay_set_source (
    OctScanRelay *relay, GstElement *source, gboolean counted);

/* Whether the last source is counted, and whether its A-lines are not those of the
 * scanner any more, as its program was started again. */
gboolean oct_scan_relay_is_counted (OctScanRelay *relay);
gboolean oct_scan_relay_is_broken (OctScanRelay *relay);

G_END_DECLS
