/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Faults of a backend in mid-stream.  A program with this is linked with the
 * elements themselves; the linker (--wrap) puts tables of these between the
 * elements and both backends, which pass everything on until a fault is set.
 */
#pragma once

#include <glib.h>
#include "oct-device.h"

typedef enum {
  OCT_FAULT_NONE,
  /* run() does its work and then says that it failed: what the plan knows of
   * the B-scans before has changed already */
  OCT_FAULT_RUN,
  /* update() does nothing, so that a new plan has to be made, and create() says
   * that there is no memory */
  OCT_FAULT_CREATE,
  /* on a GPU: ahead of the operation a kernel is queued that takes a moment and
   * then writes where no memory is, an error that CUDA reports later */
  OCT_FAULT_STRAY,
  /* several operations in one pass: the same as RUN */
  OCT_FAULT_PASS,
  /* on a GPU: calls of the device fail */
  OCT_FAULT_COPY,
  OCT_FAULT_EVENT_RECORD,
  OCT_FAULT_EVENT_SYNCHRONIZE,
  OCT_FAULT_STREAM_WAIT,
  OCT_FAULT_ALLOC,
  OCT_FAULT_ALLOC_HOST,
  OCT_N_FAULTS
} OctFault;

/* Once, at call `n` from now on (0 is the next), of `operation` for RUN,
 * CREATE and STRAY, else of any. */
void oct_test_fault_set (OctFault fault, OctOperation operation, guint n);

/* Whether a backend may do several operations in one pass, in which none of
 * them can fail on its own: not at first. */
void oct_test_allow_passes (gboolean allow);

/* Whether the backends have the operation at all, as they do at first.  Before
 * elements are started. */
void oct_test_offer_operation (OctOperation operation, gboolean offer);

/* Whether it has happened. */
gboolean oct_test_fault_happened (void);

/* Times that the host has waited for all that was in a stream of the GPU. */
guint oct_test_count_waits (void);

/* Calls of run() of an operation since the program began. */
guint oct_test_count_runs (OctOperation operation);
