/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Resampling of OCT_LANES A-lines side by side (oct-cpu-lanes.h): the weights
 * of every output sample, computed in double, once, and the spline.
 *
 * Values are [GUARD + fine + GUARD][OCT_LANES], `fine` the samples times the
 * upsampling.
 */
#pragma once

#include "oct-backend.h"
#include "oct-cpu-lanes-fft.h"

G_BEGIN_DECLS

#define OCT_CPU_RESAMPLER_GUARD 4

typedef struct {
  guint samples; /* of the output */
  guint fine;    /* of the input, upsampled */
  OctResampleMethod method;
  guint taps;     /* weights of one output sample */
  guint32 *first; /* [samples], row of the first tap, guard included */
  float *weights; /* [samples][taps] */
  float *factors; /* [fine], elimination of the spline's system; cubic only */
  OctLanesFft *forward, *backward; /* upsampling only */
} OctCpuResampler;

/* `scale`: [samples] factors of the output, or NULL.  FALSE with
 * OCT_ERROR_MEMORY.  Clear the resampler in any case; it must be all zeros
 * before. */
gboolean oct_cpu_resampler_init (OctCpuResampler *resampler,
    const OctResampleParams *params, const double *scale, GError **error);
void oct_cpu_resampler_clear (OctCpuResampler *resampler);

/* Floats of the values. */
gsize oct_cpu_resampler_size (const OctCpuResampler *resampler);
/* Bytes of the scratch of prepare, which may be 0. */
gsize oct_cpu_resampler_scratch (const OctCpuResampler *resampler);

/* Prepares the samples, which begin after the first guard, for the taps:
 * upsamples them, replaces them by the coefficients of the spline if cubic, and
 * fills the guards on both sides. */
void oct_cpu_resampler_prepare (
    const OctCpuResampler *resampler, float *values, gpointer scratch);

/* out[i][lane] = output sample start + i, i < count. */
void oct_cpu_resampler_read (const OctCpuResampler *resampler,
    const float *values, guint start, guint count, float *out);

/* out[i][part][lane] = factors[j][part] x output sample j, j = start + i step:
 * parts are the real and the imaginary one. */
void oct_cpu_resampler_read_complex (const OctCpuResampler *resampler,
    const float *values, const float *factors, guint start, guint step,
    guint count, float *out);

G_END_DECLS
