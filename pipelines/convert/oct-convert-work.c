/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert-parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "oct-file-tree.h"
#include "oct-file.h"

#define PREFIX ".oct-convert"
#define CODE_LENGTH 16

struct _OctConvertWork {
  char *folder, *prefix;
  GHashTable *left; /* Left by code */
};

/* The work folder of a program that has ended. */
typedef struct {
  guint begun;
  char *path; /* of the folder, which is empty */
} Left;

static void
left_free (gpointer data)
{
  Left *left = data;

  g_free (left->path);
  g_free (left);
}

static char *
make_code (const OctConvertInput *input, const char *options)
{
  g_autofree char *text =
      g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %s %s %s",
          input->size, input->changed, input->files, options, input->path);
  char *code = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  code[CODE_LENGTH] = '\0';
  return code;
}

/* No link is followed, which somebody may have put in its place. */
static void
empty_folder (const char *path)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *entry;

  if (folder == NULL && fd >= 0)
    close (fd);
  while (folder != NULL && (entry = readdir (folder)) != NULL)
    if (!g_str_equal (entry->d_name, ".") && !g_str_equal (entry->d_name, "..")
        && unlinkat (fd, entry->d_name, 0) != 0)
      (void)oct_file_tree_remove (fd, entry->d_name);
  if (folder != NULL)
    closedir (folder);
}

/* `rest` of the name: "3-0123456789abcdef-XXXXXX".  FALSE: another name. */
static gboolean
take_left (OctConvertWork *work, const char *rest, const char *path)
{
  char *end;
  guint64 begun = g_ascii_strtoull (rest, &end, 10);
  const Left *before;
  g_autofree char *code = NULL;
  Left *left;

  if (end == rest || begun == 0 || begun > G_MAXINT || *end != '-'
      || strlen (end) < 1 + CODE_LENGTH || end[1 + CODE_LENGTH] != '-')
    return FALSE;
  code = g_strndup (end + 1, CODE_LENGTH);
  before = g_hash_table_lookup (work->left, code);
  if (before != NULL && before->begun >= begun)
    return FALSE;
  if (before != NULL)
    g_rmdir (before->path);
  left = g_new0 (Left, 1);
  left->begun = (guint)begun;
  left->path = g_strdup (path);
  g_hash_table_insert (work->left, g_steal_pointer (&code), left);
  return TRUE;
}

OctConvertWork *
oct_convert_work_open (const char *folder, guint part, guint parts)
{
  OctConvertWork *work = g_new0 (OctConvertWork, 1);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  work->folder = g_strdup (folder);
  work->prefix = g_strdup_printf (PREFIX "-%u-of-%u-", part, parts);
  work->left =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, left_free);
  (void)oct_file_list_folder (folder, names, NULL);
  for (guint i = 0; i < names->len; i++) {
    const char *entry = names->pdata[i];
    g_autofree char *path = g_build_filename (folder, entry, NULL);

    if (!g_str_has_prefix (entry, work->prefix))
      continue;
    empty_folder (path);
    if (!take_left (work, entry + strlen (work->prefix), path))
      g_rmdir (path);
  }
  return work;
}

static void
remove_left (gpointer code, gpointer data, gpointer user)
{
  g_rmdir (((Left *)data)->path);
}

void
oct_convert_work_close (OctConvertWork *work, gboolean all)
{
  if (all)
    g_hash_table_foreach (work->left, remove_left, NULL);
  g_hash_table_unref (work->left);
  g_free (work->folder);
  g_free (work->prefix);
  g_free (work);
}

guint
oct_convert_work_count (const OctConvertWork *work,
    const OctConvertInput *input, const char *options)
{
  g_autofree char *code = make_code (input, options);
  const Left *left = g_hash_table_lookup (work->left, code);

  return left != NULL ? left->begun : 0;
}

/* The new one is there before the old one goes. */
static void
forget_left (OctConvertWork *work, const char *code)
{
  const Left *left = g_hash_table_lookup (work->left, code);

  if (left == NULL)
    return;
  g_rmdir (left->path);
  g_hash_table_remove (work->left, code);
}

char *
oct_convert_work_begin (OctConvertWork *work, const OctConvertInput *input,
    const char *options, GError **error)
{
  g_autofree char *code = make_code (input, options);
  g_autofree char *name = g_strdup_printf ("%s%u-%s-XXXXXX", work->prefix,
      oct_convert_work_count (work, input, options) + 1, code);
  g_autofree char *folder = g_build_filename (work->folder, name, NULL);

  if (g_mkdtemp (folder) != NULL) {
    forget_left (work, code);
    return g_steal_pointer (&folder);
  }
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
      "A folder in '%s' cannot be made: %s.", work->folder, g_strerror (errno));
  return NULL;
}

void
oct_convert_work_end (const char *folder)
{
  empty_folder (folder);
  g_rmdir (folder);
}
