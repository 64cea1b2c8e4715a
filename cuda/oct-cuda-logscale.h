/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A plan of logscale at the end of a pass: the pass leaves the powers of
 * A-scans and their statistics, and the plan, which keeps the history of the
 * range, maps them to an image.
 */
#pragma once

#include "oct-cuda-private.h"

G_BEGIN_DECLS

/* Powers, [bscans][lines][depth_bins] float, in device memory. */
typedef struct {
  const float *values;
  gsize stride; /* bytes */
  guint bscans;
  /* [bscans] what was found of them, and [n_next] statistics to make ready
   * (lowest and highest) for later B-scans, those of as many as a frame can
   * have: the frame before may have had more than this one */
  OctCudaFind find;
  OctCudaStatistics *statistics, *next;
  guint n_next;
} OctCudaPowers;

/* The statistics that are needed of the powers of the next B-scan. */
OctCudaFind oct_cuda_logscale_get_find (const OctPlan *plan);

/* Whether the plan is one for so many B-scans of so many A-scans and
 * out[bscans] can be written: errors other than those of the device are found
 * before anything is queued. */
gboolean oct_cuda_logscale_check (const OctPlan *plan, guint bscans,
    guint lines, guint depth_bins, const OctFrame *out, GError **error);

/* cuda_logscale_run() for the powers of all B-scans: few kernels for all of
 * them where that can be.  `stream` may be another one than that of the pass,
 * waiting for it, as long as it is always the same. */
gboolean oct_cuda_logscale_map (OctPlan *plan, const OctCudaPowers *powers,
    const OctFrame *out, gpointer stream, GError **error);

/* Statistics before any B-scan. */
void oct_cuda_statistics_init (OctCudaStatistics *statistics);

G_END_DECLS
