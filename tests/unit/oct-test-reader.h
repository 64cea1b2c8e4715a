/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the tests of readers: files that can be read, with values that
 * count up, and files that are refused.
 */
#pragma once

#include "oct-reader.h"
#include "oct-test.h"

static inline OctReader *
oct_test_open (const char *path, OctReaderSettings settings)
{
  g_autoptr (GError) error = NULL;
  OctReader *reader = oct_reader_open (path, &settings, &error);

  g_assert_no_error (error);
  g_assert_nonnull (reader);
  return reader;
}

static inline void
oct_test_assert_refused (const char *path, OctReaderSettings settings, int code,
    const char *found, const char *advice)
{
  GError *error = NULL;

  g_assert_null (oct_reader_open (path, &settings, &error));
  oct_test_assert_error (&error, code, found, advice, NULL);
}

static inline double
oct_test_value (gconstpointer values, OctSampleFormat format, guint i)
{
  switch (format) {
  case OCT_SAMPLE_U8:
    return ((const guint8 *)values)[i];
  case OCT_SAMPLE_U16:
    return ((const guint16 *)values)[i];
  default:
    return ((const float *)values)[i];
  }
}

/* Value v of B-scan `frame` is `step` times its number in the file, whether
 * rows are tight or apart. */
static inline void
oct_test_assert_bscan (OctReader *reader, guint64 frame, double step)
{
  const OctReaderInfo *info = oct_reader_get_info (reader);
  gsize row = info->samples * oct_sample_format_size (info->sample_format);
  g_autoptr (GError) error = NULL;

  for (guint pad = 0; pad <= 8; pad += 8) {
    g_autofree guint8 *rows = g_malloc (info->lines * (row + pad));

    memset (rows, 0xaa, info->lines * (row + pad));
    oct_reader_read (reader, frame, rows, row + pad, &error);
    g_assert_no_error (error);
    for (guint v = 0; v < info->lines * info->samples; v++) {
      const guint8 *line = rows + v / info->samples * (row + pad);

      g_assert_cmpfloat (
          oct_test_value (line, info->sample_format, v % info->samples), ==,
          step * (frame * info->lines * info->samples + v));
      if (pad)
        g_assert_cmpuint (line[row], ==, 0xaa);
    }
  }
}

/* `path` cut anywhere, and with any byte another one: an error or values, and
 * an end.  A sanitiser says the rest.  `name`: how the copy is called;
 * `opened`: the file beside it that is opened, or the same. */
static inline void
oct_test_damage (const char *path, const char *name, const char *opened,
    OctReaderSettings settings, guint step)
{
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  for (gsize i = 0; i < 3 * size; i += step) {
    g_autoptr (GError) error = NULL;
    g_autofree char *bad = g_memdup2 (data, size);
    g_autoptr (OctReader) reader = NULL;
    guint64 values[512];

    if (i >= size)
      bad[i % size] ^= i < 2 * size ? 0x80 : 0x05;
    g_assert_true (g_file_set_contents_full (oct_test_path (name), bad,
        (gssize)(i < size ? i : size), G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    reader = oct_reader_open (oct_test_path (opened), &settings, &error);
    if (reader != NULL) {
      const OctReaderInfo *info = oct_reader_get_info (reader);
      gsize row = info->samples * oct_sample_format_size (info->sample_format);

      if (info->lines * row > sizeof values
          || oct_reader_read (reader, 0, values, row, &error))
        continue;
      g_assert_error (error, OCT_ERROR, OCT_ERROR_READ);
    }
    g_assert_true (error->domain == OCT_ERROR);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
  }
}
