/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.h"
#include "signals.h"

#include <string.h>

static GPtrArray *all;

static void
keep (gpointer memory)
{
  static GPtrArray *kept;

  if (kept == NULL)
    kept = g_ptr_array_new ();
  g_ptr_array_add (kept, memory);
}

double *
cases_doubles (guint count)
{
  double *values = g_new (double, count);

  keep (values);
  return values;
}

Case *
cases_add (char *name, OctOperation operation, gconstpointer params, gsize size,
    Array *in)
{
  Case *test = g_new0 (Case, 1);

  test->name = name;
  test->bscans = 1;
  test->in = in;
  g_ptr_array_add (all, test);
  cases_add_step (test, operation, params, size);
  return test;
}

void
cases_add_step (
    Case *test, OctOperation operation, gconstpointer params, gsize size)
{
  g_assert_cmpint (test->n, <, MAX_STEPS);
  test->steps[test->n].operation = operation;
  test->steps[test->n++].params = g_memdup2 (params, size);
}

const GPtrArray *
cases_get (void)
{
  /* a seed for each, so that a case more leaves the others as they are */
  static void (*const groups[]) (GRand * random) = { cases_add_spectra,
    cases_add_images, cases_add_non_uniform, cases_add_sensing,
    cases_add_random, cases_add_repeats, cases_add_flow, cases_add_refocus,
    cases_add_kclock };

  if (all != NULL)
    return all;
  all = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    g_autoptr (GRand) random = g_rand_new_with_seed (20 + i);
    groups[i](random);
  }
  return all;
}

/* ------------------------------------------------------------------- arrays */

void
array_set (Array *array, gsize i, Complex value)
{
  if (array->kind == 'u' && array->size == 1)
    ((guint8 *)array->data)[i] = (guint8)creal (value);
  else if (array->kind == 'u')
    ((guint16 *)array->data)[i] = (guint16)creal (value);
  else if (array->kind == 'f')
    ((float *)array->data)[i] = (float)creal (value);
  else {
    ((float *)array->data)[2 * i] = (float)creal (value);
    ((float *)array->data)[2 * i + 1] = (float)cimag (value);
  }
}

Array *
array_spectra (GRand *random, guint lines, guint samples, char kind, guint size,
    double full, double level)
{
  Array *array = array_new (kind, size, lines, samples);
  g_autofree double *counts = g_new (double, (gsize)lines *samples);

  signal_spectra (random, lines, samples, full, level, counts);
  for (gsize i = 0; i < (gsize)lines * samples; i++)
    array_set (array, i, counts[i] * (kind == 'f' ? 0.37 : 1));
  return array;
}

Array *
array_fringes (GRand *random, guint lines, guint samples)
{
  Array *array = array_new ('f', 4, lines, samples);
  g_autofree double *counts = g_new (double, (gsize)lines *samples);

  signal_spectra (random, lines, samples, 65535, 0.45, counts);
  for (guint i = 0; i < samples; i++) {
    double mean = 0;
    for (guint line = 0; line < lines; line++)
      mean += counts[(gsize)line * samples + i] / lines;
    for (guint line = 0; line < lines; line++) {
      gsize at = (gsize)line * samples + i;
      array_set (array, at, counts[at] - (lines > 1 ? mean : 0));
    }
  }
  return array;
}

Array *
array_noise (GRand *random, guint lines, guint samples, char kind, double scale)
{
  Array *array = array_new (kind, kind == 'f' ? 4 : 8, lines, samples);

  for (gsize i = 0; i < (gsize)lines * samples; i++)
    array_set (array, i,
        scale
            * (kind == 'f' ? signal_normal (random) : signal_complex (random)));
  return array;
}

Array *
array_constant (
    guint lines, guint samples, char kind, guint size, Complex value)
{
  Array *array = array_new (kind, size, lines, samples);

  for (gsize i = 0; i < (gsize)lines * samples; i++)
    array_set (array, i, value);
  return array;
}

Array *
array_turned (const Array *array, const double *phase)
{
  Array *turned = array_new ('c', 8, array->rows, array->columns);

  for (guint row = 0; row < array->rows; row++)
    for (guint i = 0; i < array->columns; i++)
      array_set (turned, (gsize)row * array->columns + i,
          array_get (array, row, i, 0) * cexp (I * phase[i]));
  return turned;
}

Array *
array_part (const Array *array, guint rows, guint columns)
{
  Array *part = array_new (array->kind, array->size, rows, columns);
  gsize row_size = (gsize)array->size * columns;

  for (guint row = 0; row < rows; row++)
    memcpy ((guint8 *)part->data + row * row_size,
        (const guint8 *)array->data + (gsize)row * array->size * array->columns,
        row_size);
  return part;
}

Array *
array_joined (Array *const *arrays, guint n)
{
  const Array *first = arrays[0];
  gsize size = (gsize)first->size * first->rows * first->columns;
  Array *joined =
      array_new (first->kind, first->size, n * first->rows, first->columns);

  for (guint i = 0; i < n; i++)
    memcpy ((guint8 *)joined->data + i * size, arrays[i]->data, size);
  return joined;
}
