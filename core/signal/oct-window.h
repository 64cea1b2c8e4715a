/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Window functions along the wavenumber axis.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef enum {
  OCT_WINDOW_HANN,
  OCT_WINDOW_NONE,
  OCT_WINDOW_HAMMING,
  OCT_WINDOW_BLACKMAN,
  OCT_WINDOW_TUKEY,    /* cosine taper over a quarter at either end */
  OCT_WINDOW_GAUSSIAN, /* sigma = 0.4 of the half width */
  OCT_N_WINDOWS
} OctWindow;

typedef struct {
  const char *nick;           /* as in the property `window` */
  const char *description;    /* one line with the formula */
  double (*shape) (double x); /* x in [0, 1] over the axis */
} OctWindowInfo;

/* Static table, indexed by OctWindow. */
extern const OctWindowInfo oct_windows[OCT_N_WINDOWS];

/* Fills window[samples] with the symmetric window, scaled to unit mean square
 * over the uniform axis, evaluated at the positions t[samples] (clamped to
 * [0, samples - 1]) or, when t is NULL, at 0 .. samples - 1. */
void oct_window_fill (
    OctWindow kind, guint samples, const double *t, double *window);

G_END_DECLS
