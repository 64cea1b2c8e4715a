/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the numeric tests: arrays and one run of an operation.
 */
#pragma once

#include "oct-operation.h"

/* A [rows][columns] array, C order; a 1-D array is one row. */
typedef struct {
  char kind;  /* as numpy: f, c, u */
  guint size; /* bytes of one value */
  guint rows, columns;
  gpointer data;
} Array;

Array *array_new (char kind, guint size, guint rows, guint columns);
void array_free (Array *array);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Array, array_free)

/* Real part (part 0) or imaginary part (part 1) of one value. */
double array_get (const Array *array, guint row, guint column, guint part);

OctFrame array_frame (const Array *array);

/* Creates the plan or stops the test. */
OctPlan *plan_new (OctOperation operation, gconstpointer params);
void plan_run (OctOperation operation, OctPlan *plan, const OctFrame *in,
    const OctFrame *out);
void plan_free (OctOperation operation, OctPlan *plan);

/* Each of the `count` parameters of `size` bytes is refused, with
 * OCT_ERROR_SETTINGS. */
void plan_check_refused (
    OctOperation operation, gconstpointer params, gsize size, guint count);

const OctOperationTable *operation_table (OctOperation operation);
