/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * B-scans of the transforms of samples at any positions on the host, and a run
 * of a plan on the device with them.
 */
#pragma once

#include "check.h"
#include "nufft-nodes.h"

/* Rows of input or output: complex or real numbers and padding. */
typedef struct {
  guint values, lines, padding; /* padding in bytes */
  gboolean is_complex;
  guint8 *data; /* g_free() */
} Rows;

/* Rows for these parameters, with `padding` values after every row. */
Rows new_input (const OctNufftParams *p, guint padding);
Rows new_output (const OctNufftParams *p, guint padding);
/* Bytes from one row to the next. */
gsize rows_stride (const Rows *rows);
/* values[rows->values] of one line */
void get_line (const Rows *rows, guint line, Complex *values);

/* Runs a plan once; the padding of the output has to be left alone. */
gboolean run_rows (const Check *check, const OctOperationTable *table,
    OctPlan *plan, const Rows *in, Rows *out, GError **error);
/* The same with a plan made for it. */
gboolean run_once (const Check *check, OctOperation operation,
    const OctNufftParams *p, const Rows *in, Rows *out, GError **error);

/* ||found - expected|| / ||expected|| of one line.  `least`: ||expected||^2 is
 * taken to be so much at least. */
double line_error (
    const Rows *out, guint line, const Complex *expected, double least);
/* NULL when the padding is as it was, else a sentence. */
char *padding_problem (const Rows *out);
