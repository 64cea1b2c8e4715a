/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means of frames that are moved to where the last one is.
 */
#pragma once

#include "oct-average.h"
#include "oct-cuda-private.h"

G_BEGIN_DECLS

typedef struct _OctCudaRegistered OctCudaRegistered;

/* `kind`: of the values of `params`.  NULL with an error. */
OctCudaRegistered *oct_cuda_registered_new (
    const OctAverageParams *params, OctCudaAverageKind kind, GError **error);
void oct_cuda_registered_free (OctCudaRegistered *registered);
/* One B-scan to its mean; planes have been checked. */
gboolean oct_cuda_registered_run (OctCudaRegistered *registered,
    const OctAverageTurn *turn, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error);

G_END_DECLS
