/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-reference.h"
#include "signals.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------- inputs */

typedef enum {
  COUNTS,  /* a source with fringes */
  FRINGES, /* the same less its mean */
  A_SCANS, /* speckle that falls with depth */
  FLAT,    /* all values `level` */
  PART,    /* the first lines of `of` */
  TURNED,  /* `of` times exp (i dispersion) */
} Kind;

static const struct {
  const char *name;
  Kind what;
  char kind;
  guint size, lines, samples;
  double level;   /* of the source, of full scale; or the value */
  guint bscans;   /* of different brightness, one after the other */
  const char *of; /* PART, TURNED */
} inputs[] = {
  { "u8", COUNTS, 'u', 1, 11, 101, 0.45 },
  { "u16", COUNTS, 'u', 2, 11, 101, 0.45 },
  { "f32", COUNTS, 'f', 4, 11, 101, 0.45 },
  { "u16-one-line", PART, 'u', 2, 1, 101, .of = "u16" },
  { "u16-five-lines", PART, 'u', 2, 5, 101, .of = "u16" },
  { "u16-bscans", COUNTS, 'u', 2, 20, 51, 0.3, 4 },
  { "u16-5x101", COUNTS, 'u', 2, 5, 101, 0.45 },
  { "u16-4x128", COUNTS, 'u', 2, 4, 128, 0.45 },
  { "u16-9x128", COUNTS, 'u', 2, 9, 128, 0.45 },
  { "u16-3x33", COUNTS, 'u', 2, 3, 33, 0.45 },
  { "saturated-u16", COUNTS, 'u', 2, 7, 64, 0.95 },
  { "saturated-u8", COUNTS, 'u', 1, 7, 64, 0.95 },
  { "constant", FLAT, 'u', 2, 4, 64, 65535 },
  { "fringes-5x101", FRINGES, 'f', 4, 5, 101, 0.45 },
  { "fringes-4x128", FRINGES, 'f', 4, 4, 128, 0.45 },
  { "fringes-3x101", FRINGES, 'f', 4, 3, 101, 0.45 },
  { "fringes-3x128", FRINGES, 'f', 4, 3, 128, 0.45 },
  { "fringes-1x101", PART, 'f', 4, 1, 101, .of = "fringes-3x101" },
  { "fringes-4x101", FRINGES, 'f', 4, 4, 101, 0.45 },
  { "complex-4x101", TURNED, 'c', 8, 4, 101, .of = "fringes-4x101" },
  { "a-scans", A_SCANS, 'c', 8, 37, 41, 1 },
  { "a-scans-one-line", PART, 'c', 8, 1, 41, .of = "a-scans" },
  { "a-scans-zeros", FLAT, 'c', 8, 9, 16, 0 },
  { "a-scans-bscans", A_SCANS, 'c', 8, 27, 20, 1, 3 },
};

static void
put (OctArray *array, gsize i, Complex value)
{
  if (array->kind == 'u' && array->size == 1)
    array->data[i] = (guint8)creal (value);
  else if (array->kind == 'u')
    ((guint16 *)array->data)[i] = (guint16)creal (value);
  else if (array->kind == 'f')
    ((float *)array->data)[i] = (float)creal (value);
  else {
    ((float *)array->data)[2 * i] = (float)creal (value);
    ((float *)array->data)[2 * i + 1] = (float)cimag (value);
  }
}

/* Spectra of one B-scan, from line `first` on. */
static void
fill_spectra (OctArray *array, guint first, guint lines, double level,
    gboolean without_mean, GRand *random)
{
  guint samples = array->columns;
  double full = array->size == 1 ? 255 : 65535;
  g_autofree double *counts = g_new (double, (gsize)lines *samples);

  signal_spectra (random, lines, samples, full, level, counts);
  for (guint i = 0; i < samples; i++) {
    double mean = 0;
    for (guint line = 0; without_mean && line < lines; line++)
      mean += counts[(gsize)line * samples + i] / lines;
    for (guint line = 0; line < lines; line++) {
      double value = counts[(gsize)line * samples + i] - mean;
      put (array, (gsize)(first + line) * samples + i,
          value * (array->kind == 'f' && !without_mean ? 0.37 : 1));
    }
  }
}

static void
fill_a_scans (
    OctArray *array, guint first, guint lines, double factor, GRand *random)
{
  gsize count = (gsize)lines * array->columns;
  g_autofree Complex *values = g_new (Complex, count);

  signal_a_scans (random, lines, array->columns, values);
  for (gsize i = 0; i < count; i++)
    put (array, (gsize)first * array->columns + i, factor * values[i]);
}

static void
fill_from (OctArray *array, const OctArray *of, gboolean turned)
{
  g_autofree double *phase = g_new0 (double, array->columns);

  if (turned)
    signal_dispersion (array->columns, phase);
  for (guint line = 0; line < array->rows; line++)
    for (guint i = 0; i < array->columns; i++) {
      Complex value = CMPLX (
          oct_array_get (of, line, i, 0), oct_array_get (of, line, i, 1));
      put (array, (gsize)line * array->columns + i,
          turned ? value * cexp (I * phase[i]) : value);
    }
}

static OctArray *
make_input (guint at)
{
  static const double brightness[] = { 1, 5, 0.2, 2 };
  OctArray *array = oct_array_new (
      inputs[at].kind, inputs[at].size, inputs[at].lines, inputs[at].samples);
  /* a seed for each, so that one more leaves the others as they are */
  g_autoptr (GRand) random =
      g_rand_new_with_seed (g_str_hash (inputs[at].name));
  g_autoptr (OctArray) of =
      inputs[at].of != NULL ? oct_test_input (inputs[at].of) : NULL;
  guint bscans = MAX (1, inputs[at].bscans), lines = array->rows / bscans;

  for (guint n = 0; n < bscans; n++) {
    if (inputs[at].what == COUNTS || inputs[at].what == FRINGES)
      fill_spectra (array, n * lines, lines, inputs[at].level + 0.1 * n,
          inputs[at].what == FRINGES, random);
    else if (inputs[at].what == A_SCANS)
      fill_a_scans (array, n * lines, lines, brightness[n], random);
  }
  for (gsize i = 0;
       inputs[at].what == FLAT && i < (gsize)array->rows * array->columns; i++)
    put (array, i, inputs[at].level);
  if (of != NULL)
    fill_from (array, of, inputs[at].what == TURNED);
  return array;
}

OctArray *
oct_test_input (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    if (g_str_equal (inputs[i].name, name))
      return make_input (i);
  g_error ("There is no input %s", name);
}

/* ---------------------------------------------------------------- the folder
 */

static char *folder;
static pid_t owner;

/* A test that was forked leaves the folder to the program that forked it. */
static void
remove_folder (void)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (folder == NULL || owner != getpid ())
    return;
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
  }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

static void
write_file (const char *name, gconstpointer data, gsize size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, data, (gssize)size, &error);
  g_assert_no_error (error);
}

/* Version 1.0, the header filled up to 128 bytes. */
static void
write_npy (const char *input)
{
  g_autofree char *name = g_strdup_printf ("%s.npy", input);
  g_autoptr (OctArray) array = oct_test_input (input);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  char header[129];

  if (array->kind == 'c')
    return;
  g_snprintf (header, sizeof header,
      "\x93NUMPY\x01%c\x76%c{'descr': '%c%c%u', 'fortran_order': False, "
      "'shape': (%u, %u), }",
      '\1', '\1', array->size == 1 ? '|' : '<', array->kind, array->size,
      array->rows, array->columns);
  for (gsize i = strlen (header); i < 128; i++)
    header[i] = i == 127 ? '\n' : ' ';
  header[7] = header[9] = 0;
  g_byte_array_append (file, (const guint8 *)header, 128);
  g_byte_array_append (
      file, array->data, array->size * array->rows * array->columns);
  write_file (name, file->data, file->len);
}

/* 17 digits: read back to the last bit */
static void
add_number (GString *text, double value, char behind)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_dtostr (number, sizeof number, value));
  g_string_append_c (text, behind);
}

static void
write_k_index (guint samples)
{
  g_autofree char *name = g_strdup_printf ("k-index-%u.csv", samples);
  g_autoptr (GString) text =
      g_string_new ("k_index,dispersion_rad,background\n");
  g_autofree double *positions = g_new (double, samples);
  g_autofree double *phase = g_new (double, samples);

  signal_positions (samples, positions);
  signal_dispersion (samples, phase);
  for (guint i = 0; i < samples; i++) {
    double x = (double)i / (samples - 1) - 0.5;
    add_number (text, positions[i], ',');
    add_number (text, phase[i], ',');
    add_number (text, 20000 * exp (-8 * x * x), '\n');
  }
  write_file (name, text->str, text->len);
}

/* start + i step */
static void
write_column (const char *name, const char *column, double start, double end)
{
  g_autoptr (GString) text = g_string_new (column);

  g_string_append_c (text, '\n');
  for (guint i = 0; i <= 100; i++)
    add_number (text, start + (end - start) * i / 100, '\n');
  write_file (name, text->str, text->len);
}

static void
write_mask (void)
{
  static const char mask[] = "0100000011111000101010000000011010111011100100"
                             "1100110001011100000101111000000000010101001001"
                             "001100110";
  g_autoptr (GString) text = g_string_new ("# one line for every sample\n");

  G_STATIC_ASSERT (sizeof mask == 101 + 1);
  for (guint i = 0; i < 101; i++)
    g_string_append_printf (text, "%c\n", mask[i]);
  write_file ("mask-101.txt", text->str, text->len);
}

static const char *
get_folder (void)
{
  static const guint sizes[] = { 33, 64, 101, 128 };
  g_autoptr (GError) error = NULL;

  if (folder != NULL)
    return folder;
  folder = g_dir_make_tmp ("oct-inputs-XXXXXX", &error);
  g_assert_no_error (error);
  owner = getpid ();
  atexit (remove_folder);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    write_npy (inputs[i].name);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    write_k_index (sizes[i]);
  write_column ("wavelength-101.csv", "wavelength_nm", 800, 880);
  write_column ("uniform-101.csv", "k_index", 0, 100);
  write_mask ();
  return folder;
}

/* Before tests are forked: one that hangs or crashes leaves no folder. */
__attribute__ ((constructor)) static void
make_folder (void)
{
  get_folder ();
}

char *
oct_test_path (const char *name)
{
  return g_build_filename (get_folder (), name, NULL);
}

char *
oct_test_in_folder (const char *text)
{
  g_auto (GStrv) parts = NULL;

  if (strchr (text, '@') == NULL)
    return g_strdup (text);
  parts = g_strsplit (text, "@", -1);
  return g_strjoinv (get_folder (), parts);
}
