/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A step: an operation with parameters of its own that never change, counted.
 *
 * Elements pass steps on in place of results (deferring), so that the element
 * that needs the values can do many operations in one pass over the data.  A
 * step is independent of the backend; oct-sequence.h makes the plan that runs
 * it.
 */
#pragma once

#include "oct-operation.h"

G_BEGIN_DECLS

/* `params`: the struct that OCT_OPERATIONS names; it and all tables that it
 * points to are copied.  Returns: one reference, to be released with
 * oct_step_unref(), or NULL with OCT_ERROR_SETTINGS when the parameters make no
 * sense, with the sentence that create() of a backend has for it, or when the
 * operation is none that can be a step. */
OctStep *oct_step_new (
    OctOperation operation, gconstpointer params, GError **error);
OctStep *oct_step_ref (OctStep *step);
void oct_step_unref (OctStep *step);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctStep, oct_step_unref)

/* oct_operation_can_wait(), of any number. */
gboolean oct_step_is_possible (OctOperation operation, gconstpointer params);

OctOperation oct_step_get_operation (const OctStep *step);
/* The parameters, valid as long as the step. */
gconstpointer oct_step_get_params (const OctStep *step);
OctStepShape oct_step_get_input (const OctStep *step);
OctStepShape oct_step_get_output (const OctStep *step);

/* Bytes of one row, and of all. */
gsize oct_step_shape_row (const OctStepShape *shape);
gsize oct_step_shape_size (const OctStepShape *shape);

G_END_DECLS
