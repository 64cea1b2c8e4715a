/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The delay of the mirrors from images or A-scans that were taken
 * (gstocttake.h), of B-scans that run forth and back in turn.
 */
#pragma once

#include <glib.h>
#include "gstoctcaps.h"

G_BEGIN_DECLS

/* Grey levels are taken for amplitudes in dB, black for this many below white:
 * amplitudes err less than their logarithms, in which the noise is as large as
 * the signal. */
#define GST_OCT_TUNE_RANGE 30.0

/* `info` of images, or A-scans, as gst_oct_take_add() needs it for them: all bytes of a row
 * are values. */
GstOctInfo gst_oct_tune_get_info (const GstOctInfo *images);

/* `find` of a GstOctTakeKind; B-scans whose numbers do not follow each other
 * are not compared.  An OctScanTuning, g_free() it. */
gpointer gst_oct_tune_find (
    GPtrArray *bscans, const gint *cancelled, GError **error);

G_END_DECLS
