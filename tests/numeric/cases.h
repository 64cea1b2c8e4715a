/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The test cases for the operations of a backend: settings and inputs of every
 * kind, edges, then some at random.  Expected values are those of
 * tests/reference.
 */
#pragma once

#include "numeric.h"
#include "oct-reference.h"

#define MAX_STEPS 5

typedef struct {
  OctOperation operation;
  gpointer params; /* with all that it points to kept for ever */
} Step;

typedef struct {
  char *name;
  guint n;
  Step steps[MAX_STEPS]; /* each takes the output of the one before */
  guint bscans;          /* in the input, one after the other */
  Array *in;
  gboolean seldom; /* takes long: once is enough */
} Case;

/* All of them, in a fixed order; the list and its cases are kept for ever. */
const GPtrArray *cases_get (void);

/* For the files of cases: takes `in` and adds a case of one step, whose
 * parameters are copied. */
Case *cases_add (char *name, OctOperation operation, gconstpointer params,
    gsize size, Array *in);
/* The same at the end of the case added last. */
void cases_add_step (
    Case *test, OctOperation operation, gconstpointer params, gsize size);
/* Memory that is kept. */
double *cases_doubles (guint count);

void cases_add_spectra (GRand *random);
void cases_add_images (GRand *random);
void cases_add_flow (GRand *random);
void cases_add_refocus (GRand *random);
void cases_add_kclock (GRand *random);
void cases_add_non_uniform (GRand *random);
void cases_add_sensing (GRand *random);
void cases_add_repeats (GRand *random);
void cases_add_random (GRand *random);

/* Arrays: of counts ('u'), real ('f') or complex ('c') floats. */
void array_set (Array *array, gsize i, Complex value);
Array *array_spectra (GRand *random, guint lines, guint samples, char kind,
    guint size, double full, double level);
/* Real spectra less their mean, as octdcsub outputs them. */
Array *array_fringes (GRand *random, guint lines, guint samples);
/* White noise. */
Array *array_noise (
    GRand *random, guint lines, guint samples, char kind, double scale);
Array *array_constant (
    guint lines, guint samples, char kind, guint size, Complex value);
/* Times exp (i phase), complex. */
Array *array_turned (const Array *array, const double *phase);
/* Rows and columns from the first on. */
Array *array_part (const Array *array, guint rows, guint columns);
Array *array_joined (Array *const *arrays, guint n);
