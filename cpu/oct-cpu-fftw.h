/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Plans of FFTW, made once per process for each transform.
 */
#pragma once

#include "oct-types.h"

#include <fftw3.h>

G_BEGIN_DECLS

typedef enum {
  OCT_CPU_FFTW_FORWARD,         /* complex to complex, exp (-i ...) */
  OCT_CPU_FFTW_BACKWARD,        /* complex to complex, exp (+i ...) */
  OCT_CPU_FFTW_REAL_TO_COMPLEX, /* forward */
  OCT_CPU_FFTW_COMPLEX_TO_REAL, /* backward, destroys its input */
} OctCpuFftwKind;

/* A plan for one transform of `length` values, not scaled, between different
 * arrays that are aligned to 64 bytes, for FFTW's new-array execute functions.
 * FFTW measures which of its ways is the fastest, for a second at most; with
 * the same plan for as long as the process lives the same spectra give the same
 * bits, and a change of caps back and forth costs nothing.
 * Never to be destroyed.  NULL with OCT_ERROR_MEMORY. */
fftwf_plan oct_cpu_fftw_plan (
    OctCpuFftwKind kind, guint length, GError **error);

G_END_DECLS
