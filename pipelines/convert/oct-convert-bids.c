/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and tables of the Brain Imaging Data Structure (BIDS 1.10, microscopy):
 * sub-A/[ses-B/]micr/sub-A[_ses-B]_sample-C[_acq-D][_stain-E][_run-1][_chunk-1]
 * _OCT.ome.zarr.
 */
#include "oct-convert-parts.h"

#include <string.h>

#include "oct-file-mode.h"
#include "oct-version.h"

#define SUFFIX "_OCT"
#define RUN "_run-"
#define CHUNK "_chunk-"
#define SAMPLES "sample_id\tparticipant_id\tsample_type\n"
#define PARTICIPANTS "participant_id\n"

/* ------------------------------------------------------------------- names */

/* The letters and digits of a name, of which labels are made. */
static char *
make_label (const char *name)
{
  g_autoptr (GString) label = g_string_new (NULL);

  for (; *name != '\0'; name++)
    if (g_ascii_isalnum (*name))
      g_string_append_c (label, *name);
  return g_string_free (g_steal_pointer (&label), FALSE);
}

/* The label after "KEY-" in a name of parts with "_" between them, or NULL. */
static char *
find_in_name (const char *name, const char *key, gboolean is_index)
{
  g_auto (GStrv) parts = g_strsplit (name, "_", -1);

  for (guint i = 0; parts[i] != NULL; i++) {
    const char *value = parts[i] + strlen (key) + 1;
    gsize size;

    if (!g_str_has_prefix (parts[i], key) || parts[i][strlen (key)] != '-')
      continue;
    for (size = 0; is_index ? g_ascii_isdigit (value[size])
                            : g_ascii_isalnum (value[size]);
         size++)
      ;
    if (size > 0 && (value[size] == '\0' || value[size] == '.'))
      return g_strndup (value, size);
  }
  return NULL;
}

/* The same in the name of a file, or of the folders that it is in. */
static char *
find_in_path (const char *path, const char *key, gboolean is_index)
{
  g_auto (GStrv) names = g_strsplit (path, G_DIR_SEPARATOR_S, -1);

  for (guint i = g_strv_length (names); i-- > 0;) {
    char *found = find_in_name (names[i], key, is_index);

    if (found != NULL)
      return found;
  }
  return NULL;
}

static void
add_entity (GString *name, const OctConvertInput *input, const char *key,
    gboolean is_index)
{
  g_autofree char *label = find_in_path (input->path, key, is_index);

  if (label != NULL)
    g_string_append_printf (name, "_%s-%s", key, label);
}

/* An input may have no labels in its name: its folder is the subject then, and
 * it is the sample; without a folder it is the subject.  `person`: the text of
 * which the subject is made, which other inputs with its label share. */
static gboolean
make_labels (const OctConvertInput *input, char **subject, char **sample,
    char **person, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (input->name);
  g_autofree char *base = g_path_get_basename (input->name);
  g_autofree char *own = find_in_name (base, "sub", FALSE);
  gboolean alone = g_str_equal (folder, ".");

  *subject = find_in_path (input->path, "sub", FALSE);
  *sample = find_in_path (input->path, "sample", FALSE);
  if (*sample == NULL)
    *sample = own != NULL || (alone && *subject == NULL) ? g_strdup ("1")
                                                         : make_label (base);
  *person = g_strdup (*subject != NULL ? *subject : alone ? base : folder);
  if (*subject == NULL)
    *subject = make_label (*person);
  if (**subject != '\0' && **sample != '\0')
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "'%s' has no letters or digits for labels of BIDS; call it "
      "sub-LABEL_sample-LABEL, or leave out --bids.",
      input->path);
  return FALSE;
}

/* The first input of a subject, and the text of which its label was made. */
typedef struct {
  const OctConvertInput *input;
  char *person;
} Subject;

static void
subject_free (gpointer data)
{
  Subject *subject = data;

  g_free (subject->person);
  g_free (subject);
}

/* "p-1" and "p_1" have one label, and are two people. */
static gboolean
check_subject (GHashTable *subjects, const OctConvertInput *input,
    const char *label, const char *person, GError **error)
{
  Subject *other = g_hash_table_lookup (subjects, label);

  if (other == NULL) {
    other = g_new (Subject, 1);
    other->input = input;
    other->person = g_strdup (person);
    g_hash_table_insert (subjects, g_strdup (label), other);
  }
  if (g_str_equal (other->person, person))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "'%s' and '%s' would be one subject of BIDS, sub-%s, whose label has "
      "letters and digits alone; rename their folders, or put sub-LABEL into "
      "their names.",
      other->input->path, input->path, label);
  return FALSE;
}

static gboolean
name_input (OctConvertInput *input, GHashTable *subjects, GError **error)
{
  g_autofree char *subject = NULL, *sample = NULL, *session = NULL;
  g_autofree char *person = NULL;
  g_autoptr (GString) name = NULL;

  if (!make_labels (input, &subject, &sample, &person, error)
      || !check_subject (subjects, input, subject, person, error))
    return FALSE;
  session = find_in_path (input->path, "ses", FALSE);
  name = g_string_new (NULL);
  g_string_append_printf (name, "sub-%s%c", subject, G_DIR_SEPARATOR);
  if (session != NULL)
    g_string_append_printf (name, "ses-%s%c", session, G_DIR_SEPARATOR);
  g_string_append_printf (name, "micr%csub-%s", G_DIR_SEPARATOR, subject);
  if (session != NULL)
    g_string_append_printf (name, "_ses-%s", session);
  g_string_append_printf (name, "_sample-%s", sample);
  add_entity (name, input, "acq", FALSE);
  add_entity (name, input, "stain", FALSE);
  add_entity (name, input, "run", TRUE);
  add_entity (name, input, "chunk", TRUE);
  g_string_append (name, SUFFIX);
  g_free (input->name);
  g_free (input->further);
  input->name = g_string_free (g_steal_pointer (&name), FALSE);
  input->further = g_strdup (input->name);
  input->is_bids = TRUE;
  return TRUE;
}

gboolean
oct_convert_bids_name_inputs (GPtrArray *inputs, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) subjects =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, subject_free);

  for (guint i = 0; i < inputs->len; i++) {
    OctConvertInput *input = inputs->pdata[i];
    const OctConvertInput *other;

    if (!name_input (input, subjects, error))
      return FALSE;
    other = g_hash_table_lookup (names, input->name);
    if (other != NULL) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
          "'%s' and '%s' would have one name of BIDS, '%s'; put run-1, run-2, "
          "or labels such as sample-A, into their names.",
          other->path, input->path, input->name);
      return FALSE;
    }
    g_hash_table_insert (names, input->name, input);
  }
  return TRUE;
}

/* "NAME_OCT-1.ome.zarr" is run 2. */
char *
oct_convert_bids_name_volume (
    const char *base, const char *rest, gboolean several, GError **error)
{
  char *ending = (char *)rest;
  guint64 number = *rest == '-' ? g_ascii_strtoull (rest + 1, &ending, 10) : 0;
  const char *at = strstr (base, CHUNK);

  if (!several)
    return g_strconcat (base, rest, NULL);
  if (strstr (base, RUN) != NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "It has several volumes, each a run of BIDS, but a run is in its name; "
        "take '%s' out of it.",
        RUN + 1);
    return NULL;
  }
  if (at == NULL)
    at = base + strlen (base) - strlen (SUFFIX);
  return g_strdup_printf ("%.*s" RUN "%" G_GUINT64_FORMAT "%s%s",
      (int)(at - base), base, number + 1, at, ending);
}

/* ------------------------------------------------------------------ tables */

/* The text of a file, or `otherwise`, if it is not there. */
static char *
read_table (const char *path, const char *otherwise, GError **error)
{
  g_autoptr (GError) reason = NULL;
  char *text = NULL;

  if (g_file_get_contents (path, &text, NULL, &reason))
    return text;
  if (g_error_matches (reason, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return g_strdup (otherwise);
  g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

/* Whether a line begins with these cells. */
static gboolean
has_row (const char *table, const char *cells)
{
  gsize size = strlen (cells);

  for (const char *line = table; line != NULL; line = strchr (line, '\n')) {
    line += *line == '\n';
    if (strncmp (line, cells, size) == 0
        && strchr ("\t\r\n", line[size]) != NULL)
      return TRUE;
  }
  return FALSE;
}

static guint
count_cells (const char *line)
{
  guint count = 1;

  for (; *line != '\0' && *line != '\n'; line++)
    count += *line == '\t';
  return count;
}

/* Somebody may have added columns: nobody has said what is in them. */
static void
add_row (GString *table, const char *cells)
{
  guint columns = count_cells (table->str);

  if (has_row (table->str, cells))
    return;
  if (table->len > 0 && table->str[table->len - 1] != '\n')
    g_string_append_c (table, '\n');
  g_string_append (table, cells);
  for (guint i = count_cells (cells); i < columns; i++)
    g_string_append (table, "\tn/a");
  g_string_append_c (table, '\n');
}

/* Rows that are there stay as somebody may have edited them.  `table` is
 * freed. */
static gboolean
write_table (const char *path, GString *table, const char *before, guint mode,
    GError **error)
{
  g_autofree char *text = g_string_free (table, FALSE);

  return g_str_equal (text, before)
         || oct_file_mode_write (path, text, -1, mode, error);
}

static gboolean
bids_write_rows (const char *folder, GPtrArray *inputs, gboolean samples,
    guint mode, GError **error)
{
  g_autofree char *path = g_build_filename (
      folder, samples ? "samples.tsv" : "participants.tsv", NULL);
  g_autofree char *before = read_table (path, "", error);
  GString *table;

  if (before == NULL)
    return FALSE;
  table = g_string_new (*before != '\0' ? before
                        : samples       ? SAMPLES
                                        : PARTICIPANTS);
  for (guint i = 0; i < inputs->len; i++) {
    const OctConvertInput *input = inputs->pdata[i];
    g_autofree char *base = g_path_get_basename (input->name);
    g_autofree char *subject = find_in_name (base, "sub", FALSE);
    g_autofree char *sample = find_in_name (base, "sample", FALSE);
    g_autofree char *cells =
        samples ? g_strdup_printf ("sample-%s\tsub-%s", sample, subject)
                : g_strdup_printf ("sub-%s", subject);

    add_row (table, cells);
  }
  return write_table (path, table, before, mode, error);
}

static gboolean
write_once (const char *folder, const char *name, const char *text, guint mode,
    GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS)
         || oct_file_mode_write (path, text, -1, mode, error);
}

gboolean
oct_convert_bids_write_tables (
    const char *folder, GPtrArray *inputs, guint mode, GError **error)
{
  g_autofree char *full = g_canonicalize_filename (folder, NULL);
  g_autofree char *name = g_path_get_basename (full);
  g_autofree char *shown = oct_convert_sidecar_quote (name);
  g_autofree char *text = g_strdup_printf (
      "{\n  \"Name\": %s,\n  \"BIDSVersion\": \"1.10.0\",\n"
      "  \"DatasetType\": \"raw\",\n  \"GeneratedBy\": [{\"Name\": \"gst-oct\","
      " \"Version\": \"%s\"}]\n}\n",
      shown, oct_version_get ());

  return write_once (folder, "dataset_description.json", text, mode, error)
         && write_once (
             folder, ".bidsignore", "oct-convert*.csv\n", mode, error)
         && bids_write_rows (folder, inputs, TRUE, mode, error)
         && bids_write_rows (folder, inputs, FALSE, mode, error);
}
