/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert-parts.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "oct-file.h"
#include "oct-reader.h"

/* State of the search through folders. */
typedef struct {
  GPtrArray *inputs, *problems;
  GHashTable *seen; /* folders, by "device:number": links make no loops */
} Search;

static void
input_free (gpointer data)
{
  OctConvertInput *input = data;

  g_free (input->path);
  g_free (input->name);
  g_free (input->further);
  g_free (input->person);
  g_free (input->files);
  g_free (input);
}

/* Those from `kept` on were freed or moved. */
static void
convert_inputs_cut (GPtrArray *inputs, guint kept)
{
  g_ptr_array_set_free_func (inputs, NULL);
  g_ptr_array_set_size (inputs, (gint)kept);
  g_ptr_array_set_free_func (inputs, input_free);
}

/* A folder that is one file. */
static gboolean
is_store (const char *path)
{
  g_autofree char *store = oct_reader_find_store (path);

  return store != NULL;
}

static gint64
get_change (const GStatBuf *status)
{
  return (gint64)status->st_mtim.tv_sec * G_USEC_PER_SEC
         + status->st_mtim.tv_nsec / 1000;
}

/* Adds the other files that the input is made of, and takes them from `left`,
 * the inputs that are still their own. */
static void
add_other_files (OctConvertInput *input, GHashTable *left)
{
  g_autoptr (GPtrArray) files = oct_reader_list_files (input->path);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *sum = NULL;

  for (guint i = 0; i < files->len; i++) {
    const char *path = files->pdata[i];
    g_autofree char *name = g_path_get_basename (path);
    GStatBuf status;

    g_hash_table_remove (left, path);
    if (g_stat (path, &status) != 0)
      continue;
    input->size += (guint64)status.st_size;
    g_string_append_printf (text,
        "%s %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT "\n", name,
        (guint64)status.st_size, get_change (&status));
  }
  if (text->len > 0)
    sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text->str, -1);
  input->files = sum != NULL ? g_strndup (sum, 12) : g_strdup ("");
}

/* Leaves the inputs that do not belong to another one.  Where files belong
 * together, as the B-scans of a volume do, the first one stays. */
static void
join_files (GPtrArray *inputs)
{
  g_autoptr (GHashTable) left = g_hash_table_new (g_str_hash, g_str_equal);
  guint kept = 0;

  for (guint i = 0; i < inputs->len; i++)
    g_hash_table_add (left, ((OctConvertInput *)inputs->pdata[i])->path);
  for (guint i = 0; i < inputs->len; i++) {
    OctConvertInput *input = inputs->pdata[i];

    if (g_hash_table_contains (left, input->path))
      add_other_files (input, left);
  }
  for (guint i = 0; i < inputs->len; i++) {
    OctConvertInput *input = inputs->pdata[i];

    /* a file that is named twice is converted once */
    if (g_hash_table_remove (left, input->path))
      inputs->pdata[kept++] = input;
    else
      input_free (input);
  }
  convert_inputs_cut (inputs, kept);
}

static gboolean
convert_inputs_add_file (
    GPtrArray *inputs, const char *path, const char *name, GError **error)
{
  GStatBuf status;
  OctConvertInput *input;

  if (g_stat (path, &status) != 0) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "'%s' cannot be read: %s.", path, g_strerror (errno));
    return FALSE;
  }
  input = g_new0 (OctConvertInput, 1);
  input->path = g_canonicalize_filename (path, NULL);
  /* octvolumesink puts numbers for it */
  input->name = g_strdelimit (g_strdup (name), "%", '_');
  input->size = (guint64)status.st_size;
  input->changed = get_change (&status);
  g_ptr_array_add (inputs, input);
  return TRUE;
}

/* TRUE the first time. */
static gboolean
note_folder (GHashTable *seen, const char *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0
         && g_hash_table_add (
             seen, g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
                       (guint64)status.st_dev, (guint64)status.st_ino));
}

/* A file that cannot be looked at is a problem of its own. */
static void
take_entry (Search *search, const char *path, const char *name)
{
  g_autoptr (GError) error = NULL;

  if (!convert_inputs_add_file (search->inputs, path, name, &error))
    g_ptr_array_add (search->problems, g_strdup (error->message));
}

/* `below`: of the folder that was named, "" or "a/b/".  Ctrl-C ends it. */
static void
add_folder (Search *search, const char *path, const char *below)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  (void)oct_file_list_folder (path, names, &error);
  for (guint i = 0; i < names->len && !oct_launch_interrupted (); i++) {
    const char *entry = names->pdata[i];
    g_autofree char *full = g_build_filename (path, entry, NULL);
    g_autofree char *name = g_strconcat (below, entry, NULL);
    GStatBuf status;
    int code;

    if (entry[0] == '.')
      continue;
    code = g_stat (full, &status) == 0 ? 0 : errno;
    if (code == 0 && S_ISDIR (status.st_mode) && is_store (full)) {
      take_entry (search, full, name);
    } else if (code == 0 && S_ISDIR (status.st_mode)) {
      g_autofree char *inner = g_strconcat (name, G_DIR_SEPARATOR_S, NULL);

      if (note_folder (search->seen, full))
        add_folder (search, full, inner);
    } else if (oct_source_is_spectra (entry) || (code != 0 && code != ENOENT)) {
      /* or a folder that cannot be looked into */
      take_entry (search, full, name);
    }
  }
  /* those that were listed before it are taken */
  if (error != NULL)
    g_ptr_array_add (search->problems, g_strdup_printf ("%s.", error->message));
}

static int
convert_inputs_compare (gconstpointer a, gconstpointer b)
{
  const OctConvertInput *const *first = a, *const *second = b;

  return strcmp ((*first)->path, (*second)->path);
}

/* How many bytes of `name` are left without "-1", "-2", ... at its end; 0: it
 * has no such number. */
static gsize
cut_number (const char *name)
{
  gsize size = strlen (name), stem = size;

  while (stem > 0 && g_ascii_isdigit (name[stem - 1]))
    stem--;
  return stem > 1 && stem < size && name[stem - 1] == '-' ? stem - 1 : 0;
}

/* Removes the ending of each name, unless another file would have the same
 * name.  If another one has the name of the second volume, further volumes keep
 * the ending. */
static void
shorten_names (GPtrArray *inputs)
{
  g_autoptr (GHashTable) names =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) numbered =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < inputs->len; i++) {
    OctConvertInput *input = inputs->pdata[i];
    const char *slash = strrchr (input->name, G_DIR_SEPARATOR);
    const char *base = slash != NULL ? slash + 1 : input->name;
    const char *point = strrchr (base, '.');
    g_autofree char *name =
        point != NULL && point > base
            ? g_strndup (input->name, (gsize)(point - input->name))
            : g_strdup (input->name);

    input->further = g_strdup (input->name);
    if (g_hash_table_add (names, g_strdup (name))) {
      g_free (input->name);
      input->name = g_steal_pointer (&name);
    }
    if (cut_number (input->name) > 0)
      g_hash_table_add (
          numbered, g_strndup (input->name, cut_number (input->name)));
  }
  for (guint i = 0; i < inputs->len; i++) {
    OctConvertInput *input = inputs->pdata[i];

    if (g_hash_table_contains (numbered, input->name))
      continue;
    g_free (input->further);
    input->further = g_strdup (input->name);
  }
}

gboolean
oct_convert_input_gives_away (const OctConvertInput *input, const char *output)
{
  gsize size = strlen (input->name);

  return !g_str_equal (input->name, input->further)
         && strncmp (output, input->name, size) == 0 && output[size] == '-'
         && g_ascii_isdigit (output[size + 1]);
}

GPtrArray *
oct_convert_find_inputs (
    char **paths, const char *output, GPtrArray *problems, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (input_free);
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Search search = { inputs, problems, seen };

  note_folder (seen, output);
  for (guint i = 0; paths[i] != NULL; i++) {
    g_autofree char *name = g_path_get_basename (paths[i]);

    if (!g_file_test (paths[i], G_FILE_TEST_IS_DIR) || is_store (paths[i])) {
      if (!convert_inputs_add_file (inputs, paths[i], name, error))
        return NULL;
    } else if (note_folder (seen, paths[i])) {
      add_folder (&search, paths[i], "");
    }
  }
  if (oct_launch_interrupted ()) {
    g_set_error_literal (
        error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Interrupted.");
    return NULL;
  }
  g_ptr_array_sort (inputs, convert_inputs_compare);
  join_files (inputs);
  shorten_names (inputs);
  if (inputs->len > 0)
    return g_steal_pointer (&inputs);
  if (problems->len > 0)
    g_set_error_literal (
        error, G_IO_ERROR, G_IO_ERROR_FAILED, problems->pdata[0]);
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "There is no file of spectra there; name the files, or folders with "
        "files that end with .npy, .mat, .h5, .oct, .srr, .unp, .raw, .bin, "
        ".tdms or .tif, or Zarr stores, other than that of --output.");
  return NULL;
}

/* A file belongs to the part in which its middle byte lies. */
void
oct_convert_take_part (GPtrArray *inputs, guint part, guint parts)
{
  guint64 all = 0, before = 0;
  guint kept = 0;

  for (guint i = 0; i < inputs->len; i++)
    all += ((OctConvertInput *)inputs->pdata[i])->size + 1;
  for (guint i = 0; i < inputs->len; i++) {
    OctConvertInput *input = inputs->pdata[i];
    double middle = (double)before + 0.5 * (double)(input->size + 1);

    before += input->size + 1;
    if ((guint)(middle / (double)all * parts) + 1 == part)
      inputs->pdata[kept++] = input;
    else
      input_free (input);
  }
  convert_inputs_cut (inputs, kept);
}
