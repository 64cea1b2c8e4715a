/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes without identity: names of numbers alone, and the manifest, which says
 * whose they are, away from them.
 */
#include "oct-convert-parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "oct-file-tree.h"
#include "oct-file.h"

#define NAME "oct-"
#define MANIFEST "oct-convert"

/* Things that are counted: files, and subjects and samples of BIDS. */
enum { FILES, SUBJECTS, SAMPLES, N_COUNTS };

/* Keys of BIDS for them; its standard has none for a file, which is an
 * acquisition. */
static const char *const keys[N_COUNTS] = { "acq", "sub", "sample" };

/* The numbers that are given away. */
typedef struct {
  gboolean bids;
  guint most[N_COUNTS];
  GHashTable *known[N_COUNTS]; /* number by key */
} Numbers;

/* ------------------------------------------------------------------ manifest */

/* Without links, as far as there is something. */
static char *
deidentify_resolve (const char *path)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL);
  g_autofree char *base = g_path_get_basename (full);
  g_autofree char *parent = g_path_get_dirname (full);
  char *real = realpath (full, NULL), *result;

  if (real != NULL) {
    result = g_strdup (real);
    free (real);
    return result;
  }
  if (g_str_equal (parent, full))
    return g_steal_pointer (&full);
  real = deidentify_resolve (parent);
  result = g_build_filename (real, base, NULL);
  g_free (real);
  return result;
}

static gboolean
check_apart (const char *output, const char *table, GError **error)
{
  g_autofree char *volumes = deidentify_resolve (output);
  g_autofree char *place = deidentify_resolve (table);
  gsize size = strlen (volumes);

  if (strncmp (place, volumes, size) != 0
      || (place[size] != '\0' && place[size] != G_DIR_SEPARATOR))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "'%s' is in the folder of the volumes, but the table says whose they "
      "are; "
      "set --table to a folder outside '%s'.",
      table, output);
  return FALSE;
}

/* A manifest of a run with names. */
static gboolean
check_no_manifest (const char *output, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  (void)oct_file_list_folder (output, names, NULL);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];

    if (!g_str_has_prefix (name, MANIFEST) || !g_str_has_suffix (name, ".csv"))
      continue;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
        "'%s' has a manifest of an earlier run, %s, with the names of files; "
        "set --output to another folder.",
        output, name);
    return FALSE;
  }
  return TRUE;
}

char *
oct_convert_deidentify_open (
    const char *output, const char *table, GError **error)
{
  if (!check_no_manifest (output, error))
    return NULL;
  if (table == NULL)
    return g_dir_make_tmp (MANIFEST "-XXXXXX", error);
  return check_apart (output, table, error) ? g_strdup (table) : NULL;
}

void
oct_convert_deidentify_close (const char *folder, const char *table)
{
  if (folder != NULL && table == NULL)
    (void)oct_file_tree_remove (AT_FDCWD, folder);
}

/* --------------------------------------------------------------------- names */

/* The number in a name that this program gave, or 0. */
static guint
deidentify_read_number (const Numbers *numbers, const char *name, guint what)
{
  g_autofree char *base = g_path_get_basename (name);
  g_autofree char *label = NULL;
  guint64 number;

  if (numbers->bids)
    label = oct_convert_bids_get_label (name, keys[what]);
  else if (what == FILES && g_str_has_prefix (base, NAME))
    label = g_strdup (base + strlen (NAME));
  number = label != NULL ? g_ascii_strtoull (label, NULL, 10) : 0;
  return number < G_MAXINT ? (guint)number : 0;
}

/* The number that an input had before, or 0. */
static guint
deidentify_find_number (const Numbers *numbers,
    const OctConvertManifest *manifest, const OctConvertInput *input,
    guint what)
{
  static const OctConvertState states[] = { OCT_CONVERT_DONE,
    OCT_CONVERT_MOVING };

  for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
    GPtrArray *outputs =
        oct_convert_manifest_get_outputs (manifest, input, states[i]);

    for (guint k = 0; outputs != NULL && k < outputs->len; k++) {
      guint number = deidentify_read_number (
          numbers, ((OctConvertOutput *)outputs->pdata[k])->name, what);

      if (number > 0)
        return number;
    }
  }
  return 0;
}

static gboolean
note_output (const char *input, const char *output, gpointer data)
{
  Numbers *numbers = data;

  for (guint i = 0; i < N_COUNTS; i++)
    numbers->most[i] =
        MAX (numbers->most[i], deidentify_read_number (numbers, output, i));
  return TRUE;
}

/* By which inputs are one: each file is one of its own, samples are those of a
 * subject. */
static char *
make_key (const Numbers *numbers, const OctConvertInput *input, guint what)
{
  g_autofree char *subject = NULL, *sample = NULL;

  if (what == FILES || !numbers->bids)
    return g_strdup (input->path);
  subject = oct_convert_bids_get_label (input->name, keys[SUBJECTS]);
  sample = oct_convert_bids_get_label (input->name, keys[SAMPLES]);
  return what == SUBJECTS ? g_steal_pointer (&subject)
                          : g_strdup_printf ("%s_%s", subject, sample);
}

static void
note_input (Numbers *numbers, const OctConvertManifest *manifest,
    const OctConvertInput *input)
{
  for (guint i = 0; i < N_COUNTS; i++) {
    guint number = deidentify_find_number (numbers, manifest, input, i);

    numbers->most[i] = MAX (numbers->most[i], number);
    if (number > 0)
      g_hash_table_insert (numbers->known[i], make_key (numbers, input, i),
          GUINT_TO_POINTER (number));
  }
}

static guint
deidentify_take_number (
    Numbers *numbers, const OctConvertInput *input, guint what)
{
  g_autofree char *key = make_key (numbers, input, what);
  guint number =
      GPOINTER_TO_UINT (g_hash_table_lookup (numbers->known[what], key));

  if (number > 0)
    return number;
  number = ++numbers->most[what];
  g_hash_table_insert (
      numbers->known[what], g_steal_pointer (&key), GUINT_TO_POINTER (number));
  return number;
}

static void
deidentify_name_input (Numbers *numbers, OctConvertInput *input)
{
  guint file = deidentify_take_number (numbers, input, FILES);
  char *name;

  if (numbers->bids) {
    guint subject = deidentify_take_number (numbers, input, SUBJECTS);
    guint sample = deidentify_take_number (numbers, input, SAMPLES);

    name = g_strdup_printf ("sub-%04u%cmicr%csub-%04u_sample-%04u_acq-%04u_OCT",
        subject, G_DIR_SEPARATOR, G_DIR_SEPARATOR, subject, sample, file);
  } else {
    name = g_strdup_printf (NAME "%04u", file);
  }
  g_free (input->name);
  g_free (input->further);
  input->name = name;
  input->further = g_strdup (name);
}

static int
deidentify_compare (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(OctConvertInput *const *)a)->name,
      (*(OctConvertInput *const *)b)->name);
}

/* For the numbers not to tell the order of the names. */
static void
shuffle (GPtrArray *inputs)
{
  for (guint i = inputs->len; i > 1; i--) {
    guint other = (guint)g_random_int_range (0, (gint)i);
    gpointer last = inputs->pdata[i - 1];

    inputs->pdata[i - 1] = inputs->pdata[other];
    inputs->pdata[other] = last;
  }
}

void
oct_convert_deidentify_name_inputs (
    GPtrArray *inputs, const OctConvertManifest *manifest)
{
  Numbers numbers = { .bids = ((OctConvertInput *)inputs->pdata[0])->is_bids };

  for (guint i = 0; i < N_COUNTS; i++)
    numbers.known[i] =
        g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  (void)oct_convert_manifest_foreach_output (manifest, note_output, &numbers);
  for (guint i = 0; i < inputs->len; i++)
    note_input (&numbers, manifest, inputs->pdata[i]);
  shuffle (inputs);
  for (guint i = 0; i < inputs->len; i++)
    deidentify_name_input (&numbers, inputs->pdata[i]);
  g_ptr_array_sort (inputs, deidentify_compare);
  for (guint i = 0; i < N_COUNTS; i++)
    g_hash_table_unref (numbers.known[i]);
}
