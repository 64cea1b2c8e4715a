/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Does pending steps.  A runner keeps the sequence of steps of the last B-scan,
 * which is that of the next one too until a setting changes.  Counted.
 *
 * Thread-safety: any thread; runs one at a time.
 */
#pragma once

#include "gstoctcuda.h"
#include "gstoctorigin.h"

G_BEGIN_DECLS

typedef struct _GstOctRunner GstOctRunner;

/* `cuda`: NULL on the CPU. */
GstOctRunner *gst_oct_runner_new (const OctBackend *backend, GstOctCuda *cuda);
GstOctRunner *gst_oct_runner_ref (GstOctRunner *runner);
void gst_oct_runner_unref (GstOctRunner *runner);

const OctBackend *gst_oct_runner_get_backend (GstOctRunner *runner);
GstOctCuda *gst_oct_runner_get_cuda (GstOctRunner *runner);

/* Does the steps of `pending`, and then `last` with `plan`, or OCT_N_OPERATIONS
 * and NULL; on a GPU queued in the compute stream.  `failed`: set on failure to
 * the element of the failed step (no reference), or to NULL for that of
 * `last`. */
gboolean gst_oct_runner_run (GstOctRunner *runner, const GstOctPending *pending,
    OctOperation last, OctPlan *plan, const OctFrame *to, GstElement **failed,
    GError **error);

G_END_DECLS
