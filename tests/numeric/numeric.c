/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numeric.h"

Array *
array_new (char kind, guint size, guint rows, guint columns)
{
  Array *array = g_new (Array, 1);

  array->kind = kind;
  array->size = size;
  array->rows = rows;
  array->columns = columns;
  array->data = g_malloc0 ((gsize)size * rows * columns);
  return array;
}

void
array_free (Array *array)
{
  g_free (array->data);
  g_free (array);
}

double
array_get (const Array *array, guint row, guint column, guint part)
{
  gsize i = (gsize)row * array->columns + column;

  if (array->kind == 'u')
    return part == 1          ? 0
           : array->size == 1 ? ((const guint8 *)array->data)[i]
                              : ((const guint16 *)array->data)[i];
  if (array->kind == 'f')
    return part == 1          ? 0
           : array->size == 4 ? ((const float *)array->data)[i]
                              : ((const double *)array->data)[i];
  return array->size == 8 ? ((const float *)array->data)[2 * i + part]
                          : ((const double *)array->data)[2 * i + part];
}

OctFrame
array_frame (const Array *array)
{
  return (OctFrame){ { { array->data, (gsize)array->size * array->columns },
      { NULL, 0 } } };
}

const OctOperationTable *
operation_table (OctOperation operation)
{
  return oct_backend_cpu ()->operations[operation];
}

OctPlan *
plan_new (OctOperation operation, gconstpointer params)
{
  GError *error = NULL;
  OctPlan *plan = operation_table (operation)->create (params, &error);

  g_assert_no_error (error);
  g_assert_nonnull (plan);
  return plan;
}

void
plan_run (OctOperation operation, OctPlan *plan, const OctFrame *in,
    const OctFrame *out)
{
  GError *error = NULL;
  gboolean done =
      operation_table (operation)->run (plan, in, out, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (done);
}

void
plan_free (OctOperation operation, OctPlan *plan)
{
  operation_table (operation)->destroy (plan);
}

void
plan_check_refused (
    OctOperation operation, gconstpointer params, gsize size, guint count)
{
  const OctOperationTable *table = operation_table (operation);

  for (guint i = 0; i < count; i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (table->create ((const guint8 *)params + i * size, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  }
}
