/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats, for those that choose from them or look for files. */
#include "oct-format.h"
#include "oct-formats.h"
#include "oct-reader.h"
#include "oct-recording.h"

#include <string.h>

const char *
oct_reader_describe_format (guint n, OctFileFormat *format, const char **blurb)
{
  const OctFormat *row;

  for (guint i = 0; (row = oct_format_get (i)) != NULL; i++) {
    if (row->nick == NULL || n-- > 0)
      continue;
    *format = row->format;
    *blurb = row->blurb;
    return row->nick;
  }
  return NULL;
}

#define RECORDING_MEDIA "application/x-oct-recording"

const char *
oct_reader_recognise (const guint8 *head, gsize size)
{
  const OctFormat *row;
  const OctOpening opening = { .path = "", .head = head, .head_size = size };

  if (oct_recording_begins (head, size))
    return RECORDING_MEDIA;
  for (guint i = 0; (row = oct_format_get (i)) != NULL; i++)
    if (row->media != NULL && oct_format_fits (row, &opening))
      return row->media;
  return NULL;
}

const char *
oct_reader_get_media_type (guint n)
{
  const OctFormat *row;

  if (n-- == 0)
    return RECORDING_MEDIA;
  for (guint i = 0; (row = oct_format_get (i)) != NULL; i++)
    if (row->media != NULL && n-- == 0)
      return row->media;
  return NULL;
}

static int
format_compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

GPtrArray *
oct_reader_list_files (const char *path)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  const OctFormat *row;

  oct_recording_list_files (path, files);
  for (guint i = 0; (row = oct_format_get (i)) != NULL; i++)
    if (row->list_files != NULL)
      row->list_files (path, files);
  g_ptr_array_sort (files, format_compare_paths);
  return files;
}

char *
oct_reader_find_store (const char *path)
{
  return oct_format_find_store (path);
}
