/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Parts of a plan of the non-uniform FFT for a pass that does the transform in
 * a kernel of its own.
 */
#pragma once

#include "oct-cuda-private.h"

G_BEGIN_DECLS

/* A plan of oct_cuda_nufft, NULL where more than one kernel would do it or none
 * can be made; for oct_cuda_nufft.destroy(). */
OctPlan *oct_cuda_nufft_new_fused (const OctNufftParams *params);

/* All of `fused` but its rows, for a plan that one kernel does. */
void oct_cuda_nufft_describe (const OctPlan *plan, OctCudaFused *fused);

/* Part of run(): brings changed tables to the device.  `queue` no longer lets
 * the next kernel begin before those that make them have ended, where there are
 * such. */
gboolean oct_cuda_nufft_prepare (
    OctPlan *plan, OctCudaQueue *queue, GError **error);

G_END_DECLS
