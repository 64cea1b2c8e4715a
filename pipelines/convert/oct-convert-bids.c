/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and tables of the Brain Imaging Data Structure (BIDS 1.10, microscopy):
 * sub-A/[ses-B/]micr/sub-A[_ses-B]_sample-C[_acq-D][_stain-E][_run-1][_chunk-1]
 * _OCT.ome.zarr.
 */
#include "oct-convert-parts.h"

#include <string.h>

#include "oct-file-mode.h"
#include "oct-options.h"

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

char *
oct_convert_bids_get_label (const char *name, const char *key)
{
  g_autofree char *base = g_path_get_basename (name);

  return find_in_name (base, key, FALSE);
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

/* Whether this is a folder of a BIDS dataset: sub-A, ses-B or micr. */
static gboolean
is_bids_folder (const char *name, gsize size)
{
  gsize at = 4;

  if (size == 4 && strncmp (name, "micr", 4) == 0)
    return TRUE;
  if (size < 5
      || (strncmp (name, "sub-", 4) != 0 && strncmp (name, "ses-", 4) != 0))
    return FALSE;
  while (at < size && g_ascii_isalnum (name[at]))
    at++;
  return at == size;
}

/* The end of the path that may have labels: the place below the folder that the
 * user has named, and the folders of BIDS that are right above.  Further above
 * are folders of the machine, whose names say nothing about one person. */
static const char *
bids_find_place (const OctConvertInput *input)
{
  guint left = 1;
  const char *at = input->path + strlen (input->path);

  for (const char *c = input->name; *c != '\0'; c++)
    left += *c == G_DIR_SEPARATOR;
  while (at > input->path) {
    const char *begin = at - (*at == G_DIR_SEPARATOR);

    while (begin > input->path && begin[-1] != G_DIR_SEPARATOR)
      begin--;
    if (left > 0)
      left--;
    else if (!is_bids_folder (begin, (gsize)(at - begin)))
      return at + 1;
    at = begin > input->path ? begin - 1 : begin;
  }
  return input->path;
}

static void
add_entity (
    GString *name, const char *place, const char *key, gboolean is_index)
{
  g_autofree char *label = find_in_path (place, key, is_index);

  if (label != NULL)
    g_string_append_printf (name, "_%s-%s", key, label);
}

/* An input may have no labels in its name: its folder is the subject then, and
 * it is the sample; without a folder it is the subject.  `person`: the text of
 * which the subject is made, which other inputs with its label share. */
static gboolean
make_labels (const OctConvertInput *input, const char *place, char **subject,
    char **sample, char **person, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (input->name);
  g_autofree char *base = g_path_get_basename (input->name);
  g_autofree char *own = find_in_name (base, "sub", FALSE);
  gboolean alone = g_str_equal (folder, ".");

  *subject = find_in_path (place, "sub", FALSE);
  *sample = find_in_path (place, "sample", FALSE);
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

static void
set_one_subject (
    const char *path, const char *other, const char *label, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "'%s' and '%s' would be one subject of BIDS, sub-%s, whose label has "
      "letters and digits alone; rename their folders, or put sub-LABEL into "
      "their names.",
      path, other, label);
}

/* "p-1" and "p_1" have one label, and are two people. */
static gboolean
check_subject (GHashTable *subjects, const OctConvertInput *input,
    const char *label, const char *person, GError **error)
{
  const OctConvertInput *other = g_hash_table_lookup (subjects, label);

  if (other == NULL)
    g_hash_table_insert (subjects, g_strdup (label), (gpointer)input);
  if (other == NULL || g_str_equal (other->person, person))
    return TRUE;
  set_one_subject (other->path, input->path, label, error);
  return FALSE;
}

/* Whether a text has this label and is not `person`: -1, or is: 1; 0: it has
 * another label. */
static gint
compare_person (const char *text, const char *label, const char *person)
{
  g_autofree char *own = make_label (text);

  return !g_str_equal (own, label) ? 0 : g_str_equal (text, person) ? 1 : -1;
}

/* Whether an input of an earlier run that got this label may be of this person:
 * the label was made of a label in its path, of the folders that it is in, or of
 * its name. */
static gboolean
may_be_of (const char *path, const char *label, const char *person)
{
  g_autofree char *text = g_strdelimit (g_strdup (path), "%", '_');
  char *slash = strrchr (text, G_DIR_SEPARATOR);
  g_autofree char *base = g_strdup (slash != NULL ? slash + 1 : text);
  gboolean other = FALSE;
  g_auto (GStrv) names = g_strsplit (text, G_DIR_SEPARATOR_S, -1);

  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *found = find_in_name (names[i], "sub", FALSE);

    if (found == NULL || !g_str_equal (found, label))
      continue;
    if (g_str_equal (label, person))
      return TRUE;
    other = TRUE;
  }
  if (slash != NULL)
    *slash = '\0';
  for (char *at = slash; at != NULL && at > text; at--) {
    gint found =
        at[-1] != G_DIR_SEPARATOR ? 0 : compare_person (at, label, person);

    if (found > 0)
      return TRUE;
    other = other || found < 0;
  }
  for (char *end = base + strlen (base); end != NULL;
       end = strrchr (base, '.')) {
    gint found;

    *end = '\0';
    found = compare_person (base, label, person);
    if (found > 0)
      return TRUE;
    other = other || found < 0;
  }
  return !other;
}

static gboolean
name_input (OctConvertInput *input, GHashTable *subjects, GError **error)
{
  g_autofree char *subject = NULL, *sample = NULL, *session = NULL;
  g_autofree char *place = g_strdup (bids_find_place (input));
  g_autoptr (GString) name = NULL;

  g_clear_pointer (&input->person, g_free);
  if (!make_labels (input, place, &subject, &sample, &input->person, error)
      || !check_subject (subjects, input, subject, input->person, error))
    return FALSE;
  session = find_in_path (place, "ses", FALSE);
  name = g_string_new (NULL);
  g_string_append_printf (name, "sub-%s%c", subject, G_DIR_SEPARATOR);
  if (session != NULL)
    g_string_append_printf (name, "ses-%s%c", session, G_DIR_SEPARATOR);
  g_string_append_printf (name, "micr%csub-%s", G_DIR_SEPARATOR, subject);
  if (session != NULL)
    g_string_append_printf (name, "_ses-%s", session);
  g_string_append_printf (name, "_sample-%s", sample);
  add_entity (name, place, "acq", FALSE);
  add_entity (name, place, "stain", FALSE);
  add_entity (name, place, "run", TRUE);
  add_entity (name, place, "chunk", TRUE);
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
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

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

/* For the check of earlier runs. */
typedef struct {
  GHashTable *paths, *subjects; /* of this run: inputs by path and by label */
  GError **error;
} Earlier;

static gboolean
check_earlier (const char *path, const char *output, gpointer data)
{
  const Earlier *earlier = data;
  const OctConvertInput *input;
  g_autofree char *base = g_path_get_basename (output);
  g_autofree char *label = find_in_name (base, "sub", FALSE);

  if (label == NULL || g_hash_table_contains (earlier->paths, path))
    return TRUE;
  input = g_hash_table_lookup (earlier->subjects, label);
  if (input == NULL || may_be_of (path, label, input->person))
    return TRUE;
  set_one_subject (path, input->path, label, earlier->error);
  return FALSE;
}

gboolean
oct_convert_bids_check_earlier (
    GPtrArray *inputs, const OctConvertManifest *manifest, GError **error)
{
  g_autoptr (GHashTable) paths = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) subjects =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Earlier earlier = { paths, subjects, error };

  for (guint i = 0; i < inputs->len; i++) {
    OctConvertInput *input = inputs->pdata[i];
    g_autofree char *base = g_path_get_basename (input->name);

    g_hash_table_add (paths, input->path);
    g_hash_table_insert (subjects, find_in_name (base, "sub", FALSE), input);
  }
  return oct_convert_manifest_foreach_output (
      manifest, check_earlier, &earlier);
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

/* The cells of the line at `line`, and the next line, or NULL. */
static GStrv
split_line (const char *line, const char **next)
{
  gsize size = strcspn (line, "\r\n");
  g_autofree char *text = g_strndup (line, size);

  *next = strchr (line + size, '\n');
  *next = *next != NULL && (*next)[1] != '\0' ? *next + 1 : NULL;
  return g_strsplit (text, "\t", -1);
}

/* Whether a line has these cells in these columns. */
static gboolean
has_row (const char *table, const int *columns, const char *const *cells)
{
  const char *line = table, *next;

  for (; line != NULL; line = next) {
    g_auto (GStrv) found = split_line (line, &next);
    gboolean same = TRUE;

    for (guint i = 0; cells[i] != NULL; i++)
      same = same && columns[i] < (int)g_strv_length (found)
             && g_str_equal (found[columns[i]], cells[i]);
    if (same)
      return TRUE;
  }
  return FALSE;
}

/* Somebody may have added columns, or put them into another order: nobody has
 * said what is in the others. */
static void
add_row (GString *table, const int *columns, const char *const *cells)
{
  const char *next, *ending = strstr (table->str, "\r\n");
  g_auto (GStrv) row = split_line (table->str, &next);

  if (has_row (table->str, columns, cells))
    return;
  for (guint i = 0; row[i] != NULL; i++) {
    g_free (row[i]);
    row[i] = g_strdup ("n/a");
  }
  for (guint i = 0; cells[i] != NULL; i++) {
    g_free (row[columns[i]]);
    row[columns[i]] = g_strdup (cells[i]);
  }
  ending = ending != NULL ? "\r\n" : "\n";
  if (table->len > 0 && table->str[table->len - 1] != '\n')
    g_string_append (table, ending);
  for (guint i = 0; row[i] != NULL; i++)
    g_string_append_printf (table, "%s%s", i > 0 ? "\t" : "", row[i]);
  g_string_append (table, ending);
}

/* The columns of a table with these names; FALSE with a sentence on one that it
 * lacks. */
static gboolean
bids_find_columns (const char *path, const char *table,
    const char *const *names, int *columns, GError **error)
{
  const char *next;
  /* editors may begin a file with a byte order mark */
  g_auto (GStrv) found = split_line (
      table + (g_str_has_prefix (table, "\xef\xbb\xbf") ? 3 : 0), &next);

  for (guint i = 0; names[i] != NULL; i++) {
    for (columns[i] = 0; found[columns[i]] != NULL; columns[i]++)
      if (g_str_equal (found[columns[i]], names[i]))
        break;
    if (found[columns[i]] == NULL) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "'%s' has no column %s in its first line, but BIDS needs one; put it "
          "back, or move the file away to have a new one.",
          path, names[i]);
      return FALSE;
    }
  }
  return TRUE;
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
  const char *const names[] = { "participant_id", samples ? "sample_id" : NULL,
    NULL };
  int columns[2];
  GString *table;

  if (before == NULL)
    return FALSE;
  table = g_string_new (*before != '\0' ? before
                        : samples       ? SAMPLES
                                        : PARTICIPANTS);
  if (!bids_find_columns (path, table->str, names, columns, error)) {
    g_string_free (table, TRUE);
    return FALSE;
  }
  for (guint i = 0; i < inputs->len; i++) {
    const OctConvertInput *input = inputs->pdata[i];
    g_autofree char *base = g_path_get_basename (input->name);
    g_autofree char *label = find_in_name (base, "sub", FALSE);
    g_autofree char *sample_label = find_in_name (base, "sample", FALSE);
    g_autofree char *subject = g_strconcat ("sub-", label, NULL);
    g_autofree char *sample = g_strconcat ("sample-", sample_label, NULL);
    const char *const cells[] = { subject, samples ? sample : NULL, NULL };

    add_row (table, columns, cells);
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
oct_convert_bids_write_tables (const char *folder, const char *title,
    GPtrArray *inputs, guint mode, GError **error)
{
  g_autofree char *full = g_canonicalize_filename (folder, NULL);
  g_autofree char *name = g_path_get_basename (full);
  g_autofree char *shown =
      oct_convert_sidecar_quote (title != NULL ? title : name);
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
