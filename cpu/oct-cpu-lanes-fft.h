/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Fourier transform of OCT_LANES (16) A-lines side by side.
 *
 * Complex values are [n][2][16]: the real parts of the 16 A-lines, then their
 * imaginary parts.  Real values are [n][16], so that those of even length are
 * half as many complex values in place.  Arrays are aligned to 64 bytes.
 *
 * Nothing is scaled: forward is the sum of x exp (-2 pi i n q / length),
 * backward that with exp (+2 pi i n q / length).  Single precision; the error
 * is due to rounding, about 2e-7 of the norm.  A-lines are independent: a
 * non-finite value spoils only its own A-line.
 *
 * Thread-safety: a plan is immutable.  Any number of threads may run it, each
 * with its own scratch.
 */
#pragma once

#include "oct-cpu-lanes-kernels.h"

G_BEGIN_DECLS

typedef struct _OctLanesFft OctLanesFft;

/* Any length from 1 on; lengths without prime factors above 7 are fast.  Free
 * with oct_lanes_fft_free().  NULL with OCT_ERROR_MEMORY. */
OctLanesFft *oct_lanes_fft_new (
    guint length, gboolean backward, GError **error);

/* The same for real values: forward from real values to bins, backward from
 * bins to real values. */
OctLanesFft *oct_lanes_fft_new_real (
    guint length, gboolean backward, GError **error);

/* For tests: new plans use vectors of at most that many floats, 4, 8 or 16.
 * FALSE: the processor has no vectors of this width. */
gboolean oct_lanes_fft_set_width (guint floats);

/* NULL is allowed. */
void oct_lanes_fft_free (OctLanesFft *fft);

/* Bytes of scratch of run, uninitialised, aligned to 64 bytes; a multiple of
 * 64. */
gsize oct_lanes_fft_scratch (const OctLanesFft *fft);

/* Complex to complex, for oct_lanes_fft_new(): in [length][2][16], out
 * [count][2][16], the bins first, first + 1, ... modulo length; first < length,
 * count <= length.  in and out may be the same. */
void oct_lanes_fft_run (const OctLanesFft *fft, const float *in, float *out,
    guint first, guint count, gpointer scratch);

/* The same with callbacks, so that neither values nor bins need memory.  `read`
 * is called for each value once, at most 16 at a time, for all values before
 * the first bin is written.  `write` gets each requested bin once, and perhaps
 * others, in any order.  read NULL: in; write NULL: out. */
void oct_lanes_fft_run_through (const OctLanesFft *fft, OctLanesRead read,
    OctLanesWrite write, gpointer data, const float *in, float *out,
    guint first, guint count, gpointer scratch);

/* Real to complex, for oct_lanes_fft_new_real(, FALSE,): in [length][16], out
 * [count][2][16]; first + count <= length / 2 + 1.  in and out may be the same.
 */
void oct_lanes_fft_run_real (const OctLanesFft *fft, const float *in,
    float *out, guint first, guint count, gpointer scratch);

/* The same with values from a callback, each once, all of them before the first
 * bin is written: pairs of real values in place of complex ones (value 2 first,
 * 2 first + 1, 2 (first + step), ...). `factors`: [count] factors of the bins,
 * NULL: 1.  Even lengths only. */
void oct_lanes_fft_run_real_through (const OctLanesFft *fft, OctLanesRead read,
    gpointer data, const float *factors, float *out, guint first, guint count,
    gpointer scratch);

/* Complex to real, for oct_lanes_fft_new_real(, TRUE,): from bins 0 .. length /
 * 2, in [length / 2 + 1][2][16], to out [length][16].  Bins before 0 are the
 * conjugates.  Imaginary parts of bin 0, and of bin length / 2 of even lengths,
 * are ignored.  in and out may be the same. */
void oct_lanes_fft_run_back_real (
    const OctLanesFft *fft, const float *in, float *out, gpointer scratch);

G_END_DECLS
