/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octreconstruct on several GPUs: its own elements work on the first one, and
 * another octreconstruct for each of the others.  octscatter hands B-scans out,
 * octcollect puts the images into order.  Properties that are set on the
 * elements of the first one, by people or by a search in the B-scans, are set
 * on all.
 *
 * In and out is host memory: each GPU fetches and delivers by its own link.
 *
 * Thread-safety: gst_oct_devices_take_message() is for any thread.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstOctDevices GstOctDevices;

/* The numbers of `text`, "0,1,2", of gint; NULL with an error if it is not such
 * a list, or has one twice. */
GArray *gst_oct_devices_parse (const char *text, GError **error);

/* Adds the other elements to `bin`, an octreconstruct, in its state.  `text`:
 * the source of `ids`.  `parts`: its own elements; the input of the first is
 * linked to nothing yet. */
GstOctDevices *gst_oct_devices_new (GstBin *bin, const char *text, GArray *ids,
    GstElement **parts, guint n_parts);
/* Takes it out again. */
void gst_oct_devices_free (GstOctDevices *devices);

/* Where B-scans come in and images go out, and where those of the bin's own
 * elements have to go: new references. */
GstPad *gst_oct_devices_get_sink (GstOctDevices *devices);
GstPad *gst_oct_devices_get_src (GstOctDevices *devices);
GstPad *gst_oct_devices_get_own_sink (GstOctDevices *devices);

/* An error of one GPU, if another one is left: it becomes a warning that says
 * which.  NULL: it repeats what another one says about settings that they
 * share.  The same message otherwise.  Takes `message`.  Any thread. */
GstMessage *gst_oct_devices_take_message (
    GstOctDevices *devices, GstMessage *message);

G_END_DECLS
