/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The mean spectrum of B-scans that were taken (gstocttake.h).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A-lines of each B-scan: the noise of their mean is far below that of a single
 * one. */
#define GST_OCT_MEAN_LINES 256

typedef struct {
  double *values; /* [samples] counts */
  guint samples, lines;
} GstOctMean;

/* `find` and `free_result` of a GstOctTakeKind: a GstOctMean. */
gpointer gst_oct_mean_find (
    GPtrArray *bscans, const gint *cancelled, GError **error);
void gst_oct_mean_free (gpointer mean);

G_END_DECLS
