/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert-parts.h"

#include <string.h>

#include "oct-file.h"

/* The place of NAME.nii, NAME-1.nii, ..., as octvolumesink calls them. */
static char *
make_output_name (const OctConvertInput *input, const char *file,
    gboolean several, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (input->name);
  g_autofree char *base = g_path_get_basename (input->name);
  g_autofree char *further = g_path_get_basename (input->further);
  const char *rest = file + strlen (base);
  g_autofree char *name =
      input->is_bids ? oct_convert_bids_name_volume (base, rest, several, error)
                     : g_strconcat (*rest == '-' ? further : base, rest, NULL);

  if (name == NULL)
    return NULL;
  return g_str_equal (folder, ".") ? g_steal_pointer (&name)
                                   : g_build_filename (folder, name, NULL);
}

/* Only files that were made of the same input may be replaced. */
static gboolean
check_free (const OctConvertManifest *manifest, const char *folder,
    const OctConvertInput *input, const char *name, gboolean *there,
    GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  OctConvertFile file;
  const char *owner;

  *there = oct_convert_place_look (folder, name, &file);
  if (!*there)
    return TRUE;
  owner = oct_convert_manifest_get_owner (manifest, name, &file);
  if (g_strcmp0 (owner, input->path) == 0)
    return TRUE;
  if (owner != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
        "'%s' is there already, made of %s; set --output to another folder.",
        path, owner);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
        "'%s' is there already, and is nothing that the manifest says was made "
        "of this file; remove it, or set --output to another folder.",
        path);
  return FALSE;
}

/* Those that the input does not have any more, as they were written. */
static void
remove_stale (const OctConvertManifest *manifest, const char *folder,
    const OctConvertInput *input, const char *work, GPtrArray *before,
    GPtrArray *now)
{
  for (guint i = 0; before != NULL && i < before->len; i++) {
    const OctConvertOutput *output = before->pdata[i];
    gboolean stays = FALSE;
    OctConvertFile file;

    for (guint k = 0; k < now->len; k++)
      stays |=
          g_str_equal (output->name, ((OctConvertOutput *)now->pdata[k])->name);
    if (!stays && oct_convert_place_look (folder, output->name, &file)
        && oct_convert_place_compare (&output->file, &file) >= 0
        && g_strcmp0 (
               oct_convert_manifest_get_owner (manifest, output->name, &file),
               input->path)
               == 0)
      oct_convert_place_remove (folder, output->name, work);
  }
}

static gpointer
copy_output (gconstpointer data, gpointer user)
{
  const OctConvertOutput *from = data;
  OctConvertOutput *output = g_new0 (OctConvertOutput, 1);

  output->name = g_strdup (from->name);
  output->sum = g_strdup (from->sum);
  output->file = from->file;
  return output;
}

static GPtrArray *
copy_outputs (GPtrArray *outputs)
{
  GPtrArray *copy = oct_convert_outputs_new ();

  if (outputs != NULL)
    g_ptr_array_extend (copy, outputs, copy_output, NULL);
  return copy;
}

gboolean
oct_convert_is_sidecar (const char *name)
{
  return g_str_has_suffix (name, ".json");
}

static guint
count_volumes (GPtrArray *files)
{
  guint count = 0;

  for (guint i = 0; i < files->len; i++)
    count += !oct_convert_is_sidecar (files->pdata[i]);
  return count;
}

/* The files to move from `work`, named in `files`. */
static GPtrArray *
list_outputs (const OctConvertInput *input, const char *work, GPtrArray *files,
    gboolean checksums, GError **error)
{
  g_autoptr (GPtrArray) outputs = oct_convert_outputs_new ();

  for (guint i = 0; i < files->len; i++) {
    OctConvertOutput *output = g_new0 (OctConvertOutput, 1);

    g_ptr_array_add (outputs, output);
    output->name = make_output_name (
        input, files->pdata[i], count_volumes (files) > 1, error);
    if (output->name == NULL)
      return NULL;
    if (!oct_convert_place_look (work, files->pdata[i], &output->file))
      output->file.changed = -1;
    output->sum = checksums
                      ? oct_convert_place_sum (work, files->pdata[i], error)
                      : g_strdup ("");
    if (output->sum == NULL)
      return NULL;
  }
  if (outputs->len > 0)
    return g_steal_pointer (&outputs);
  g_set_error_literal (
      error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "It holds no whole B-scan.");
  return NULL;
}

/* `there`: gboolean for each of them, whether it is replaced. */
static gboolean
check_all_free (const OctConvertManifest *manifest, const char *folder,
    const OctConvertInput *input, GPtrArray *outputs, GArray *there,
    GError **error)
{
  for (guint i = 0; i < outputs->len; i++) {
    const OctConvertOutput *output = outputs->pdata[i];
    gboolean is_there;

    if (!check_free (manifest, folder, input, output->name, &is_there, error))
      return FALSE;
    g_array_append_val (there, is_there);
  }
  return TRUE;
}

gboolean
oct_convert_deliver (OctConvertManifest *manifest, const char *folder,
    const OctConvertInput *input, const char *options, const char *work,
    gboolean checksums, const char *note, guint *count, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) outputs =
      oct_file_list_folder (work, files, error)
          ? list_outputs (input, work, files, checksums, error)
          : NULL;
  g_autoptr (GPtrArray) done = copy_outputs (
      oct_convert_manifest_get_outputs (manifest, input, OCT_CONVERT_DONE));
  g_autoptr (GPtrArray) moved = copy_outputs (
      oct_convert_manifest_get_outputs (manifest, input, OCT_CONVERT_MOVING));
  g_autoptr (GArray) there = g_array_new (FALSE, FALSE, sizeof (gboolean));

  *count = outputs != NULL ? count_volumes (files) : 0;
  if (outputs == NULL
      || !check_all_free (manifest, folder, input, outputs, there, error)
      || !oct_convert_manifest_begin_move (
          manifest, input, options, outputs, note, error))
    return FALSE;
  for (guint i = 0; i < outputs->len; i++) {
    g_autofree char *from = g_build_filename (work, files->pdata[i], NULL);

    if (!oct_convert_place_put (folder,
            ((OctConvertOutput *)outputs->pdata[i])->name, from,
            g_array_index (there, gboolean, i), error))
      return FALSE;
  }
  /* it is done when these are gone, too */
  remove_stale (manifest, folder, input, work, done, outputs);
  remove_stale (manifest, folder, input, work, moved, outputs);
  return oct_convert_manifest_end_move (manifest, input, error);
}
