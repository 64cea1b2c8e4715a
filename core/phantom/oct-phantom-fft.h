/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A small Fourier transform for the tables that the phantom prepares once: the
 * core needs no backend.
 */
#pragma once

#include <glib.h>

/* Transforms made side by side, one per vector lane. */
#define OCT_PHANTOM_LANES 8

/* Twiddle factors of transforms of `length`, a power of two; g_free.
 * [length / 2] pairs (re, im) of exp (+2 pi i j / length). */
float *oct_phantom_fft_twiddles (guint length);

/* In place, y_j = sum_q x_q exp (+2 pi i j q / length), not scaled.
 * re, im, work_re, work_im: [length][OCT_PHANTOM_LANES]. */
void oct_phantom_fft (guint length, const float *twiddles, float *re, float *im,
    float *work_re, float *work_im);
