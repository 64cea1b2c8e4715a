/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Files of OCT_TEST_READER_FOLDER, such as can be read and such as cannot.
 */
#pragma once

#include "oct-test-reader.h"

static inline char *
oct_test_vector_path (const char *name)
{
  return g_build_filename (OCT_TEST_READER_FOLDER, name, NULL);
}

static inline OctReader *
open_vector (const char *name, OctReaderSettings settings)
{
  g_autofree char *path = oct_test_vector_path (name);

  return oct_test_open (path, settings);
}

static inline GError *
open_bad (const char *path, OctReaderSettings settings)
{
  GError *error = NULL;

  g_assert_null (oct_reader_open (path, &settings, &error));
  return error;
}

static inline GError *
open_bad_vector (const char *name, OctReaderSettings settings)
{
  g_autofree char *path = oct_test_vector_path (name);

  return open_bad (path, settings);
}

static inline void
read_good (OctReader *reader, guint64 frame, gpointer dest, gsize stride)
{
  g_autoptr (GError) error = NULL;

  oct_reader_read (reader, frame, dest, stride, &error);
  g_assert_no_error (error);
}

static inline void
assert_sizes (const OctReader *reader, guint samples, guint lines, guint bscans,
    guint64 frames, guint64 leftover)
{
  const OctReaderInfo *info = oct_reader_get_info (reader);

  g_assert_cmpuint (info->samples, ==, samples);
  g_assert_cmpuint (info->lines, ==, lines);
  g_assert_cmpuint (info->bscans, ==, bscans);
  g_assert_cmpuint (info->frames, ==, frames);
  g_assert_cmpuint (info->leftover_bytes, ==, leftover);
}
