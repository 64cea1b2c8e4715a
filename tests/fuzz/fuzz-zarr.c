/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a Zarr store: a zarr.json, 0, that of an array "0" in it, 0, and
 * the file of the first chunk or shard of both. */
#include "fuzz-reader.h"

#define N_FILES 4

static const char *const names[N_FILES] = { "zarr.json", "0/zarr.json",
  "c/0/0/0", "0/c/0/0/0" };
static const char *const folders[] = { "0", "c", "c/0", "c/0/0", "0/c", "0/c/0",
  "0/c/0/0" };
static char *store;

static void
remove_store (void)
{
  for (guint i = 0; i < N_FILES; i++) {
    g_autofree char *path = g_build_filename (store, names[i], NULL);

    unlink (path);
  }
  for (guint i = G_N_ELEMENTS (folders); i-- > 0;) {
    g_autofree char *path = g_build_filename (store, folders[i], NULL);

    rmdir (path);
  }
  rmdir (store);
  g_free (store);
}

static void
make_store (void)
{
  store = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
  g_assert_nonnull (store);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *path = g_build_filename (store, folders[i], NULL);

    g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  }
  atexit (remove_store);
}

/* Bytes up to the next 0, all if there is none. */
static gsize
find_end (const guint8 *data, gsize size)
{
  const guint8 *end = size > 0 ? memchr (data, '\0', size) : NULL;

  return end != NULL ? (gsize)(end - data) : size;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const OctReaderSettings settings = { .format = OCT_FILE_ZARR };
  gsize first = find_end (data, size);
  const guint8 *second = data + MIN (first + 1, size);
  gsize left = size - MIN (first + 1, size), middle = find_end (second, left);
  const guint8 *third = second + MIN (middle + 1, left);
  const struct {
    const guint8 *data;
    gsize size;
  } parts[N_FILES] = { { data, first }, { second, middle },
    { third, left - MIN (middle + 1, left) },
    { third, left - MIN (middle + 1, left) } };

  if (store == NULL)
    make_store ();
  for (guint i = 0; i < N_FILES; i++) {
    g_autofree char *path = g_build_filename (store, names[i], NULL);

    fuzz_write_file (path, parts[i].data, parts[i].size);
  }
  fuzz_open_path (store, &settings);
  return 0;
}
