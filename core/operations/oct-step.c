/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-step.h"

struct _OctStep {
  gint references;
  OctOperation operation;
  gpointer params;
};

gboolean
oct_step_is_possible (OctOperation operation, gconstpointer params)
{
  return (guint)operation < OCT_N_OPERATIONS
         && oct_operation_can_wait (operation, params);
}

OctStep *
oct_step_new (OctOperation operation, gconstpointer params, GError **error)
{
  OctStep *step;

  if (!oct_step_is_possible (operation, params)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Operation %d with a history of its own cannot be done later",
        operation);
    return NULL;
  }
  if (!oct_operation_check (operation, params, error))
    return NULL;
  step = g_new0 (OctStep, 1);
  step->references = 1;
  step->operation = operation;
  step->params = oct_operation_copy_params (operation, params);
  return step;
}

OctStep *
oct_step_ref (OctStep *step)
{
  g_atomic_int_inc (&step->references);
  return step;
}

void
oct_step_unref (OctStep *step)
{
  if (!g_atomic_int_dec_and_test (&step->references))
    return;
  oct_operation_free_params (step->operation, step->params);
  g_free (step);
}

OctOperation
oct_step_get_operation (const OctStep *step)
{
  return step->operation;
}

gconstpointer
oct_step_get_params (const OctStep *step)
{
  return step->params;
}

OctStepShape
oct_step_get_input (const OctStep *step)
{
  OctStepShape in, out;

  oct_operation_get_shapes (step->operation, step->params, &in, &out);
  return in;
}

OctStepShape
oct_step_get_output (const OctStep *step)
{
  OctStepShape in, out;

  oct_operation_get_shapes (step->operation, step->params, &in, &out);
  return out;
}

gsize
oct_step_shape_row (const OctStepShape *shape)
{
  return shape->values * oct_sample_format_size (shape->format);
}

gsize
oct_step_shape_size (const OctStepShape *shape)
{
  return shape->rows * oct_step_shape_row (shape);
}
