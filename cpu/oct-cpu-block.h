/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Blocks of OCT_LANES A-lines side by side (oct-cpu-lanes.h) from rows and back
 * to rows: real values are [n][OCT_LANES], complex ones [n][2][OCT_LANES].
 */
#pragma once

#include "oct-cpu-lanes.h"
#include "oct-types.h"

G_BEGIN_DECLS

/* values[i][lane] = (rows[lane][i] - high[i]) - low[i], U8, U16 or F32; see
 * oct-cpu-background.c. */
void oct_cpu_block_load (OctSampleFormat format,
    gconstpointer const rows[OCT_LANES], guint samples, const float *high,
    const float *low, float *values);

/* values[i][lane] -= (e0[lane] + e1[lane] x[i] + e2[lane] x[i]^2) high[i], e
 * [3][OCT_LANES]; see oct-fit.h. */
void oct_cpu_block_fit (float *values, guint samples, const float *high,
    const float *x, const float *e);

/* Real values as they are, or complex ones as twice as many real ones. */
void oct_cpu_block_gather (
    const float *const rows[OCT_LANES], guint count, float *values);
void oct_cpu_block_scatter (
    const float *values, guint count, float *const rows[OCT_LANES]);

/* Real values times factors[i], in place. */
void oct_cpu_block_scale (float *values, const float *factors, guint count);
/* The same for complex values. */
void oct_cpu_block_scale_complex (
    float *values, const float *factors, guint count);
/* out[i][part][lane] = factors[j][part] values[j][lane], j = start + i step:
 * real values to complex ones. */
void oct_cpu_block_turn (const float *values, const float *factors, guint start,
    guint step, guint count, float *out);

G_END_DECLS
