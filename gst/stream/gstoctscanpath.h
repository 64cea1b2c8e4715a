/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The places of the A-lines of a volume on their way through a pipeline: a
 * sticky event from octsrc, or from a program, to octremap and octrawsink.
 * oct/oct.h names its fields.
 */
#pragma once

#include <gst/gst.h>
#include "oct-scan-places.h"

G_BEGIN_DECLS

GstEvent *gst_oct_scan_path_event_new (const OctScanPlaces *places);

/* The same, of volumes from A-line `first` on. */
GstEvent *gst_oct_scan_path_event_new_from (
    const OctScanPlaces *places, guint64 first);

/* *first of such an event; FALSE: it does not say it. */
gboolean gst_oct_scan_path_event_get_first (GstEvent *event, guint64 *first);

/* The places of such an event (a new reference); NULL for any other, and with an
 * error for one whose path is not valid. */
OctScanPlaces *gst_oct_scan_path_event_parse (GstEvent *event, GError **error);

/* The same; a warning of `element` says that a path is not valid. */
OctScanPlaces *gst_oct_scan_path_event_take (
    GstEvent *event, GstElement *element);

G_END_DECLS
