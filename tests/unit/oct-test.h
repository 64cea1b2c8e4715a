/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the unit tests: files of a temporary folder and comparisons.
 */
#pragma once

#include "oct-types.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* The message has every one of the given parts; ends the list with NULL. */
static inline void
oct_test_assert_error (GError **error, int code, ...)
{
  const char *part;
  va_list parts;

  g_assert_error (*error, OCT_ERROR, code);
  g_assert_true (g_utf8_validate ((*error)->message, -1, NULL));
  g_test_message ("%s", (*error)->message);
  va_start (parts, code);
  while ((part = va_arg (parts, const char *)))
    if (!strstr ((*error)->message, part))
      g_error ("'%s' is not in: %s", part, (*error)->message);
  va_end (parts);
  g_clear_error (error);
}

static inline void
oct_test_assert_close (
    const double *got, const double *expected, guint n, double tolerance)
{
  g_assert_nonnull (got);
  for (guint i = 0; i < n; i++)
    if (!(fabs (got[i] - expected[i]) <= tolerance))
      g_error ("value %u is %.17g, not %.17g", i, got[i], expected[i]);
}

/* Path of a file in the folder of this test program, made at the first call. */
static inline const char *
oct_test_path (const char *name)
{
  static char *folder, *path;

  if (!folder)
    folder = g_dir_make_tmp ("oct-test-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_free (path);
  path = g_build_filename (folder, name, NULL);
  return path;
}

static inline const char *
oct_test_write (const char *name, gconstpointer data, gsize size)
{
  const char *path = oct_test_path (name);

  g_assert_true (g_file_set_contents (path, data, size, NULL));
  return path;
}

/* Removes the folder of this program and what is in it. */
static inline void
oct_test_clean (void)
{
  g_autofree char *folder = g_path_get_dirname (oct_test_path ("x"));
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    g_remove (oct_test_path (name));
  g_rmdir (folder);
}
