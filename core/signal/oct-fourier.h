/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Fourier transforms in double precision and of any length, for data that are
 * computed once: calibrations.  Images go through a backend.
 */
#pragma once

#include <complex.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct _OctFourier OctFourier;

/* `length` >= 1.  Powers of two are fastest, others about six times slower
 * (Bluestein, IEEE Trans. Audio Electroacoust. 18, 451 (1970)). */
OctFourier *oct_fourier_new (guint length);
void oct_fourier_free (OctFourier *fourier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctFourier, oct_fourier_free)

/* In place, x[length]: X_q = sum_j x_j exp (-2 pi i j q / length).  One thread
 * at a time. */
void oct_fourier_forward (OctFourier *fourier, double complex *x);

/* x_j = 1 / length sum_q X_q exp (+2 pi i j q / length): undoes forward. */
void oct_fourier_backward (OctFourier *fourier, double complex *x);

G_END_DECLS
