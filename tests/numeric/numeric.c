/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numeric.h"

#include <stdio.h>
#include <string.h>

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

Array *
array_load (const char *path)
{
  g_autofree char *content = NULL, *header = NULL;
  const char *descr, *shape;
  GError *error = NULL;
  gsize length, start;
  guint size, rows, columns;
  char kind;
  Array *array;

  g_file_get_contents (path, &content, &length, &error);
  g_assert_no_error (error);
  g_assert_cmpint (length, >, 10);
  g_assert_true (memcmp (content, "\x93NUMPY\x01", 7) == 0);
  start = 10 + (guint8)content[8] + ((gsize)(guint8)content[9] << 8);
  g_assert_cmpint (start, <=, length);
  header = g_strndup (content + 10, start - 10);
  g_assert_nonnull (strstr (header, "'fortran_order': False"));
  descr = strstr (header, "'descr': '");
  shape = strstr (header, "'shape': (");
  g_assert_true (descr != NULL && shape != NULL);
  g_assert_cmpint (sscanf (descr + 11, "%c%u", &kind, &size), ==, 2);
  switch (sscanf (shape + 10, "%u, %u", &rows, &columns)) {
  case 1:
    columns = rows;
    rows = 1;
    break;
  case 2:
    break;
  default:
    g_error ("%s: shape not understood", path);
  }
  g_assert_cmpint (length - start, ==, (gsize)size * rows * columns);
  array = array_new (kind, size, rows, columns);
  memcpy (array->data, content + start, length - start);
  return array;
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
