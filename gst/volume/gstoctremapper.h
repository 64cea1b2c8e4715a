/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-lines of a path that become rasters, wherever B-scans come from and go to:
 * in host memory or on the GPU, where nothing waits.  For one thread at a time.
 */
#pragma once

#include "gstoctpassage.h"
#include "oct-scan-remap.h"

G_BEGIN_DECLS

typedef struct _GstOctRemapper GstOctRemapper;

/* `cuda` NULL: the CPU, and then the input is in host memory.  Takes `map`, of a
 * path of whole B-scans of the input.  `complex`: A-scans as sums of complex
 * values; `rolling`: rasters are made again and again while B-scans come.  NULL
 * with an error. */
GstOctRemapper *gst_oct_remapper_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, OctScanRemap *map, gboolean complex,
    gboolean rolling, GError **error);
void gst_oct_remapper_free (GstOctRemapper *remapper);

/* The way of its B-scans: their caps, and the buffer that is stored. */
GstOctPassage *gst_oct_remapper_get_passage (GstOctRemapper *remapper);

/* B-scan `image` of the buffer under way is B-scan `bscan` of the path.  `valid`
 * [A-lines of the buffer]: those with 0 are lost and stay as they were; NULL:
 * none. */
gboolean gst_oct_remapper_store (GstOctRemapper *remapper, guint image,
    guint bscan, const guint8 *valid, GError **error);

/* Which pixels have a value, of the A-lines that have come: [rows][columns] 0 or
 * 1, to be freed. */
guint8 *gst_oct_remapper_find_taken (const GstOctRemapper *remapper);

/* Row `row` of the raster in a new buffer of the output.  Else, with an error or
 * without one (flushing), what it returns. */
GstFlowReturn gst_oct_remapper_fetch (
    GstOctRemapper *remapper, guint row, GstBuffer **out, GError **error);

G_END_DECLS
