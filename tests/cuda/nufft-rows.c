/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nufft-rows.h"

#include <math.h>
#include <string.h>

gsize
rows_stride (const Rows *rows)
{
  return (rows->is_complex ? 8 : 4) * (gsize)rows->values + rows->padding;
}

static Rows
new_rows (guint values, guint lines, gboolean is_complex, guint padding)
{
  Rows rows = { values, lines, padding, is_complex, NULL };

  rows.data = g_malloc (rows_stride (&rows) * lines);
  memset (rows.data, CHECK_POISON, rows_stride (&rows) * lines);
  return rows;
}

Rows
new_input (const OctNufftParams *p, guint padding)
{
  gboolean is_complex = p->format == OCT_SAMPLE_CF32;

  return new_rows (
      p->samples, p->lines, is_complex, padding * (is_complex ? 8 : 4));
}

Rows
new_output (const OctNufftParams *p, guint padding)
{
  return new_rows (p->depth_bins, p->lines, TRUE, padding * 8);
}

void
get_line (const Rows *rows, guint line, Complex *values)
{
  const float *row = (const float *)(rows->data + line * rows_stride (rows));

  for (guint i = 0; i < rows->values; i++)
    values[i] = rows->is_complex ? row[2 * i] + I * row[2 * i + 1] : row[i];
}

gboolean
run_rows (const Check *check, const OctOperationTable *table, OctPlan *plan,
    const Rows *in, Rows *out, GError **error)
{
  gsize in_size = rows_stride (in) * in->lines;
  gsize out_size = rows_stride (out) * out->lines;
  gpointer from, to;
  gboolean done;

  check_cuda (cudaMalloc (&from, in_size), "memory");
  check_cuda (cudaMalloc (&to, out_size), "memory");
  check_cuda (
      cudaMemcpy (from, in->data, in_size, cudaMemcpyHostToDevice), "upload");
  check_cuda (cudaMemset (to, CHECK_POISON, out_size), "poison");
  check_cuda (cudaDeviceSynchronize (), "inputs");
  OctFrame source = { { { from, rows_stride (in) } } };
  OctFrame sink = { { { to, rows_stride (out) } } };
  done = table->run (plan, &source, &sink, check->stream, error);
  check_cuda (cudaStreamSynchronize (check->stream), "run");
  check_cuda (
      cudaMemcpy (out->data, to, out_size, cudaMemcpyDeviceToHost), "download");
  check_cuda (cudaFree (from), "free");
  check_cuda (cudaFree (to), "free");
  return done;
}

gboolean
run_once (const Check *check, OctOperation operation, const OctNufftParams *p,
    const Rows *in, Rows *out, GError **error)
{
  const OctOperationTable *table = check->cuda->operations[operation];
  OctPlan *plan = table->create (p, error);
  gboolean done = plan != NULL && run_rows (check, table, plan, in, out, error);

  if (plan != NULL)
    table->destroy (plan);
  return done;
}

double
line_error (const Rows *out, guint line, const Complex *expected, double least)
{
  g_autofree Complex *found = g_new (Complex, out->values);
  double difference = 0, total = 0;

  get_line (out, line, found);
  for (guint i = 0; i < out->values; i++) {
    difference += pow (cabs (found[i] - expected[i]), 2);
    total += pow (cabs (expected[i]), 2);
  }
  total = MAX (total, least);
  if (total == 0 && difference == 0)
    return 0;
  return sqrt (difference / total);
}

char *
padding_problem (const Rows *out)
{
  for (guint line = 0; line < out->lines; line++) {
    const guint8 *end =
        out->data + (line + 1) * rows_stride (out) - out->padding;
    for (guint i = 0; i < out->padding; i++)
      if (end[i] != CHECK_POISON)
        return g_strdup_printf ("line %u: written behind the end", line);
  }
  return NULL;
}
