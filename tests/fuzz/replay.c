/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target over the files of a folder, without libFuzzer: what once
 * was found stays mended. */
#include <glib.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = NULL;
  const char *name;
  guint count = 0;

  if (argc != 2) {
    g_printerr ("Usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  folder = g_dir_open (argv[1], 0, &error);
  if (!folder) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  while ((name = g_dir_read_name (folder))) {
    g_autofree char *path = g_build_filename (argv[1], name, NULL);
    g_autofree char *contents = NULL;
    g_autofree guint8 *exact = NULL;
    gsize size;

    if (!g_file_get_contents (path, &contents, &size, &error)) {
      g_printerr ("%s\n", error->message);
      return 1;
    }
    /* without the terminator that GLib adds: a sanitiser then sees a read
     * behind the end */
    exact = g_memdup2 (contents, size);
    LLVMFuzzerTestOneInput (exact ? exact : (const guint8 *)"", size);
    count++;
  }
  g_print ("%u files\n", count);
  return count > 0 ? 0 : 1;
}
