/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The CUDA backend: a module that is loaded at run time, so that the plugin
 * itself needs neither the CUDA runtime nor cuFFT.
 *
 * Every function of its table is called with its CUDA context current.
 * Planes are device pointers of that context, aligned to their values (8 bytes
 * for complex ones) with strides that keep it so.  The stream of run() is a
 * cudaStream_t (CUstream) of the context; run() only queues work in it.  All
 * runs of a plan use one stream, or streams ordered by the caller.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

/* The backend, or NULL with OCT_ERROR_DEVICE and a clause ("there is no ...")
 * when driver or device are missing.  Makes no context. */
const OctBackend *oct_backend_cuda (GError **error);

G_END_DECLS
