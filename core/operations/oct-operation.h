/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The description of an operation, once for every backend, the elements and the
 * tests: its name, its parameters and their constraints, its two sides, and its
 * permitted uses.  The list of them is in oct-backend.h, the descriptions are
 * the rows of one table in oct-operation.c.
 *
 * For any thread; nothing here has a state.
 */
#pragma once

#include "oct-background-modes.h"

G_BEGIN_DECLS

/* One side of an operation: [rows][values], tightly packed. */
typedef struct {
  OctSampleFormat format;
  guint values, rows;
} OctStepShape;

/* For tests, logs and errors: "background", as the file of a backend is called.
 */
const char *oct_operation_get_name (OctOperation operation);
/* Whether a frame must have all B-scans that the plan is made for. */
gboolean oct_operation_needs_all (OctOperation operation);
/* A summary for docs/development.md. */
const char *oct_operation_get_summary (OctOperation operation);

/* run() may be called with in and out the same memory when both have the same
 * row size. */
gboolean oct_operation_is_in_place (OctOperation operation);

/* Whether it depends on nothing but these parameters and the B-scan (no
 * history), and gives spectra or A-scans: it can be done later, see oct-step.h.
 */
gboolean oct_operation_can_wait (OctOperation operation, gconstpointer params);

/* Whether `params`, the struct that the list names, make sense: else FALSE with
 * OCT_ERROR_SETTINGS and the sentence that create() of every backend has for
 * it. */
gboolean oct_operation_check (
    OctOperation operation, gconstpointer params, GError **error);

/* A copy of parameters that passed the check, with all tables that they point
 * to; oct_operation_free_params() it. */
gpointer oct_operation_copy_params (
    OctOperation operation, gconstpointer params);
void oct_operation_free_params (OctOperation operation, gpointer params);

/* Both sides.  The mean is one row for every B-scan; the values of an image are
 * its grey levels, whatever its format, B-scans one after the other. */
void oct_operation_get_shapes (OctOperation operation, gconstpointer params,
    OctStepShape *input, OctStepShape *output);

G_END_DECLS
