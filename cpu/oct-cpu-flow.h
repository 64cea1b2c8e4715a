/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the operations on A-scans that move: means over windows, the noise,
 * images of their values.
 *
 * Maps are [lines][bins] floats, tightly packed.
 */
#pragma once

#include "oct-cpu-private.h"

G_BEGIN_DECLS

/* A map and the window around each of its values. */
typedef struct {
  guint lines, bins;
  guint window_lines, window_bins; /* odd */
} OctCpuWindow;

/* Floats of scratch of the sums of a row. */
gsize oct_cpu_flow_scratch (const OctCpuWindow *window);

/* to[bins]: sums over the windows around the values of row `line`. */
void oct_cpu_flow_sum (const OctCpuWindow *window, const float *map, guint line,
    float *scratch, float *to);

/* counts[bins]: values in the windows of a row, of one line of them. */
void oct_cpu_flow_count (const OctCpuWindow *window, float *counts);
/* Lines in the window around row `line`. */
guint oct_cpu_flow_count_lines (const OctCpuWindow *window, guint line);

/* Adds the values of a row to the sums of the equal bands of depth that it has,
 * none if there are fewer bins. */
void oct_cpu_flow_add_bands (
    const float *row, guint bins, double sums[OCT_FLOW_BANDS]);

/* Checks the planes of A-scans and of as many images, or with 0 of values. */
gboolean oct_cpu_flow_check (const OctFrame *in, const OctFrame *out,
    guint images, OctImageFormat format, guint lines, guint bins,
    GError **error);

/* An image [bins][lines] of grey levels [lines][bins], or of colours, pixels of
 * 4 bytes; the last line stands for those after it.  Makes the chroma of NV12
 * grey. */
void oct_cpu_flow_put_image (const guint8 *pixels, gboolean colours,
    guint valid, guint lines, guint bins, OctImageFormat format,
    const OctFrame *out);

/* Rows of values, which end as the images do. */
void oct_cpu_flow_put_values (const float *map, guint valid, guint lines,
    guint bins, const OctPlane *out);

G_END_DECLS
