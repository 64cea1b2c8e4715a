/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-files.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static char *folder;
G_LOCK_DEFINE_STATIC (folder);

/* Threads of a test may ask at the same time, and get the same folder. */
static const char *
get_folder (void)
{
  g_autoptr (GError) error = NULL;

  G_LOCK (folder);
  if (folder == NULL)
    folder = g_dir_make_tmp ("oct-test-XXXXXX", &error);
  G_UNLOCK (folder);
  g_assert_no_error (error);
  return folder;
}

char *
oct_test_file_path (const char *name)
{
  return g_build_filename (get_folder (), name, NULL);
}

char *
oct_test_file (const char *name, gconstpointer data, gsize size)
{
  char *path = oct_test_file_path (name);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, data, size, &error);
  g_assert_no_error (error);
  return path;
}

char *
oct_test_text (const char *name, const char *text)
{
  return oct_test_file (name, text, strlen (text));
}

char *
oct_test_sparse (const char *name, guint64 size)
{
  char *path = oct_test_file (name, "", 0);

  g_assert_cmpint (truncate (path, size), ==, 0);
  return path;
}

GBytes *
oct_test_pattern (gsize size)
{
  guint8 *data = g_malloc (size);
  guint32 state = 1;
  gsize i;

  for (i = 0; i < size; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = state >> 24;
  }
  return g_bytes_new_take (data, size);
}

char *
oct_test_npy (
    const char *name, const char *dictionary, gconstpointer data, gsize size)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  gsize length = strlen (dictionary) + 1;
  const guint8 start[] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, length & 0xff,
    length >> 8 };

  g_byte_array_append (file, start, sizeof start);
  g_byte_array_append (file, (const guint8 *)dictionary, length - 1);
  g_byte_array_append (file, (const guint8 *)"\n", 1);
  if (size > 0)
    g_byte_array_append (file, data, size);
  return oct_test_file (name, file->data, file->len);
}

char *
oct_test_wavelengths (const char *name, guint rows)
{
  g_autoptr (GString) text = g_string_new ("wavelength_nm\n");
  guint i;

  for (i = 0; i < rows; i++)
    g_string_append_printf (text, "%u.%u\n", 800 + i / 10, i % 10);
  return oct_test_text (name, text->str);
}

void
oct_test_remove_files (void)
{
  const char *name;
  GDir *dir;

  if (folder == NULL)
    return;
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = oct_test_file_path (name);

    if (g_unlink (path) != 0)
      g_rmdir (path);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}
