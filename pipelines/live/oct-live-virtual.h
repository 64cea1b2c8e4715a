/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The virtual OCT system of the live viewer: its octsrc, of that name. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A launch line: of blood that flows; of volumes, if a volume has several
 * B-scans; or of one B-scan over and over. */
const char *oct_live_virtual_describe (gboolean flow, guint bscans);

/* Its B-scans of a volume and at each place, 0 = not chosen: a volume of
 * several places if it is blood, otherwise one place. */
void oct_live_virtual_set (
    GstElement *octsrc, gboolean flow, guint bscans, guint repeats);

/* In place of that: has it look along the places in the file `path`, in volumes
 * of `bscans` B-scans of `lines` A-lines, `rate` of them per second. */
void oct_live_virtual_follow (GstElement *octsrc, const char *path, guint lines,
    guint bscans, double rate);

G_END_DECLS
