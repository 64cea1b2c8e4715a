/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target over the files of a folder, without libFuzzer: what once
 * was found stays mended.  --tell prints their names, with the sentence of each
 * that is refused. */
#include <glib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
print_message (
    const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
  g_print ("  %s\n", text);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* In alphabetical order, as tests/same.sh compares the output. */
static GPtrArray *
list_files (const char *path, GError **error)
{
  GPtrArray *names;
  g_autoptr (GDir) folder = g_dir_open (path, 0, error);
  const char *name;

  if (!folder)
    return NULL;
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (folder)))
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static gboolean
run_file (const char *path, GError **error)
{
  g_autofree char *contents = NULL;
  g_autofree guint8 *exact = NULL;
  gsize size;

  if (!g_file_get_contents (path, &contents, &size, error))
    return FALSE;
  /* without the terminator that GLib adds: a sanitiser then sees a read
   * beyond the end */
  exact = g_memdup2 (contents, size);
  LLVMFuzzerTestOneInput (exact ? exact : (const guint8 *)"", size);
  return TRUE;
}

int
main (int argc, char **argv)
{
  gboolean tell = argc == 3 && strcmp (argv[1], "--tell") == 0;
  const char *folder = argv[argc - 1];
  g_autoptr (GPtrArray) names = NULL;
  g_autoptr (GError) error = NULL;

  if (argc != 2 && !tell) {
    g_printerr ("Usage: %s [--tell] FOLDER\n", argv[0]);
    return 2;
  }
  if (tell)
    g_log_set_handler (NULL, G_LOG_LEVEL_DEBUG, print_message, NULL);
  names = list_files (folder, &error);
  for (guint i = 0; names && i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (tell)
      g_print ("%s\n", name);
    if (!run_file (path, &error))
      break;
  }
  if (error) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  g_print ("%u files\n", names->len);
  return names->len > 0 ? 0 : 1;
}
