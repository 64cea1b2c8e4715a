/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Transforms per second of FFTW alone, single precision, from one B-scan of
 * [lines][samples] to another, complex or real, median of the repetitions: the
 * upper limit of a chain of operations on this machine.  0 if FFTW is not built
 * in (meson setup -Dfftw=enabled). */
double bench_fftw_rate (gboolean real, guint samples, guint lines,
    guint threads, guint repetitions);
