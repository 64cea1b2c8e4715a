/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Inputs made from seeds, cases that turn them into something, and what must
 * come out by the reference in double precision (tests/reference).
 */
#pragma once

#include <glib.h>

/* Values [rows][columns] of a .npy file or of a buffer. */
typedef struct {
  char kind;  /* 'u' unsigned, 'f' float, 'c' complex */
  guint size; /* bytes of a value */
  guint rows, columns;
  guint8 *data;
} OctArray;

OctArray *oct_array_new (char kind, guint size, guint rows, guint columns);
/* From any .npy file; 1-D arrays are one row. */
OctArray *oct_array_load (const char *path);
/* Rows first .. first + rows - 1. */
OctArray *oct_array_rows (const OctArray *array, guint first, guint rows);
void oct_array_free (OctArray *array);
/* part 1: the imaginary part */
double oct_array_get (
    const OctArray *array, guint row, guint column, guint part);
gboolean oct_array_equal (const OctArray *a, const OctArray *b);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctArray, oct_array_free)

/* An input of the table in oct-test-inputs.c. */
OctArray *oct_test_input (const char *name);

/* Path of a file in a folder that is there until the program ends: NAME.npy of
 * every input that is not complex, and
 *   k-index-33.csv, -64, -101, -128  k_index, dispersion_rad and background
 *   wavelength-101.csv               wavelength_nm, 800 to 880 nm
 *   uniform-101.csv                  k_index 0, 1, ...
 *   mask-101.txt                     41 samples of 101 */
char *oct_test_path (const char *name);
/* `text` with that folder in the place of every '@'. */
char *oct_test_in_folder (const char *text);

/* A row of cases.c: elements (a launch line with '@'), what they take and what
 * it is: */
typedef struct {
  const char *name, *launch;
  const char *input; /* of the table of inputs */
  const char *axis;  /* of spectra of floats, wavelength when NULL */
  guint bscans;      /* in the input, one after the other; 0: one */
} OctTestRow;

/* Row `i`, or NULL after the last. */
const OctTestRow *oct_test_get_row (guint i);

/* The output of `launch` for this input, in double precision and rounded to
 * float at the end; images as they are.  Elements: octdcsub, octkresample,
 * octdispersion, octfft, octnufft, octcs, octlogscale, and capsfilter for its
 * format. */
OctArray *oct_test_compute (
    const char *launch, const OctArray *input, const char *axis, guint bscans);
/* The same of a case. */
OctArray *oct_test_expected (const char *name);
