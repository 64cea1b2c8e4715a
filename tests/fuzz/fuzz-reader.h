/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the fuzz targets of oct-reader.h: any bytes are opened as a file;
 * B-scans that can be read keep its promises, or there is an error that can be
 * shown.
 */
#pragma once

#include "fuzz-error.h"
#include "oct-reader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Largest B-scan that is read, so that one input takes less than a second. */
#define FUZZ_MAX_VALUES 65536

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static inline void
fuzz_check_error (GError *error)
{
  fuzz_refuse (error);
  g_assert_true (error->domain == OCT_ERROR);
}

static inline void
fuzz_read_some (OctReader *reader)
{
  const OctReaderInfo *info = oct_reader_get_info (reader);
  gsize row = info->samples * oct_sample_format_size (info->sample_format);
  g_autofree guint8 *values = NULL;
  g_autofree char *doubt = oct_reader_describe_doubt (reader);

  g_assert_true (doubt == NULL || g_utf8_validate (doubt, -1, NULL));
  g_assert_cmpuint (info->frames, >, 0);
  g_assert_cmpuint (info->bscans, >, 0);
  g_assert_cmpuint (info->samples, <=, OCT_MAX_SAMPLES);
  g_assert_cmpuint (info->lines, <=, OCT_MAX_LINES);
  g_debug ("read: %" G_GUINT64_FORMAT " B-scans of %u A-lines of %u samples",
      info->frames, info->lines, info->samples);
  if ((guint64)info->samples * info->lines > FUZZ_MAX_VALUES)
    return;
  values = g_malloc (row * info->lines);
  for (guint64 frame = 0; frame < MIN (info->frames, 3); frame++) {
    g_autoptr (GError) error = NULL;

    if (!oct_reader_read (reader, frame, values, row, &error))
      fuzz_check_error (error);
  }
}

static inline void
fuzz_open_path (const char *path, const OctReaderSettings *settings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OctReader) reader = oct_reader_open (path, settings, &error);

  if (reader != NULL)
    fuzz_read_some (reader);
  else
    fuzz_check_error (error);
}

static inline void
fuzz_open (const guint8 *data, gsize size, const OctReaderSettings *settings)
{
  g_autofree char *path = NULL;
  int fd = memfd_create ("fuzz", MFD_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, size), ==, (gssize)size);
  path = g_strdup_printf ("/proc/self/fd/%d", fd);
  fuzz_open_path (path, settings);
  close (fd);
}

static inline gboolean
fuzz_is_hdf5 (const guint8 *data, gsize size)
{
  for (gsize at = 0; at + 8 <= size; at = at == 0 ? 512 : at * 2)
    if (memcmp (data + at, "\x89HDF\r\n\x1a\n", 8) == 0)
      return TRUE;
  return size >= 10 && memcmp (data, "MATLAB 7.3", 10) == 0;
}

/* ------------------------------------------- files beside those of the spectra
 */

#define FUZZ_RAW_BYTES 96
#define FUZZ_MAX_FILES 3

static char *fuzz_files[FUZZ_MAX_FILES];

/* In place: each input does that anew. */
static inline void
fuzz_write_file (const char *path, gconstpointer data, gsize size)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, size), ==, (gssize)size);
  close (fd);
}

static inline void
fuzz_remove_files (void)
{
  g_autofree char *folder = g_path_get_dirname (fuzz_files[0]);

  for (guint i = 0; i < FUZZ_MAX_FILES && fuzz_files[i] != NULL; i++) {
    unlink (fuzz_files[i]);
    g_free (fuzz_files[i]);
  }
  rmdir (folder);
}

/* `names` of files in a folder, which goes when the program ends: the first has
 * spectra, zeros; all others have the input, and NULL ends them.  A program has
 * one such list. */
static inline void
fuzz_open_beside (const char *const *names, const guint8 *data, gsize size,
    const OctReaderSettings *settings)
{
  static const char raw[FUZZ_RAW_BYTES];

  if (fuzz_files[0] == NULL) {
    g_autofree char *folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);

    g_assert_nonnull (folder);
    for (guint i = 0; names[i] != NULL; i++) {
      g_assert_cmpuint (i, <, FUZZ_MAX_FILES);
      fuzz_files[i] = g_build_filename (folder, names[i], NULL);
    }
    fuzz_write_file (fuzz_files[0], raw, sizeof raw);
    atexit (fuzz_remove_files);
  }
  for (guint i = 1; names[i] != NULL; i++)
    fuzz_write_file (fuzz_files[i], data, size);
  fuzz_open_path (fuzz_files[0], settings);
}
