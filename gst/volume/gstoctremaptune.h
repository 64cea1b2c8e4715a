/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The action signal tune of octremap: the delay of the mirrors from B-scans as
 * they come, of a path that goes forth and back.  Each search ends with one
 * message "oct-tune".
 *
 * Thread-safety: the signal is for any thread, all else for the streaming
 * thread, or while nothing streams.
 */
#pragma once

#include "gstoctcaps.h"
#include "oct-scan-places.h"

G_BEGIN_DECLS

typedef struct _GstOctRemapTune GstOctRemapTune;

/* The action signal, for elements with gst_oct_remap_tune_add(). */
void gst_oct_remap_tune_install (GObjectClass *klass);

/* For `element`, which owns it. */
GstOctRemapTune *gst_oct_remap_tune_add (GstElement *element);

/* The B-scans of `buffer`, `on_gpu` as its caps say, belong to `places`; `bscan`: its first one.
 * `valid`: [A-lines of the buffer] 0: lost; NULL: none is. */
void gst_oct_remap_tune_take (GstOctRemapTune *tune, GstBuffer *buffer,
    const GstOctInfo *info, gboolean on_gpu, const OctScanPlaces *places,
    guint bscan, const guint8 *valid);

/* A path was told: the scanner may have been set, and the search begins again. */
void gst_oct_remap_tune_restart (GstOctRemapTune *tune);

/* No more B-scans come: a search that waits for some fails. */
void gst_oct_remap_tune_finish (GstOctRemapTune *tune, const char *why);

/* The search, if there is one, fails: `why` is one sentence. */
void gst_oct_remap_tune_end (GstOctRemapTune *tune, const char *why);

G_END_DECLS
