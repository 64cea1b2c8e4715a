/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A small Fourier transform in double precision, for measurements and not for
 * images.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _OctMeterFft OctMeterFft;

/* `length`: a power of two.  To be freed with oct_meter_fft_free(). */
OctMeterFft *oct_meter_fft_new (guint length);
void oct_meter_fft_free (OctMeterFft *fft);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctMeterFft, oct_meter_fft_free)

/* In place, re[length] and im[length]: sum_n x_n exp (-2 pi i n q / length),
 * not scaled.  With re and im exchanged: the sum with exp (+2 pi i ...). */
void oct_meter_fft_run (const OctMeterFft *fft, double *re, double *im);

G_END_DECLS
