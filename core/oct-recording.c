/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-recording.h"

#include "oct-file.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct {
  char *path;
  guint64 first, frames; /* number of its first B-scan, how many */
} Part;

struct _OctRecording {
  char *file; /* "Recording 'x.oct'", for messages */
  OctRecordingInfo info;
  GArray *parts; /* Part, those with whole B-scans */
  guint64 frames;
  guint64 leftover;  /* bytes behind the last whole B-scans of the parts */
  OctReader *reader; /* of part `open` */
  guint open;
};

/* -------------------------------------------------------------------- parts */

char *
oct_recording_part_path (const char *base, guint part)
{
  return g_strdup_printf ("%s-%05u.raw", base, part);
}

static void
clear_part (gpointer part)
{
  g_free (((Part *)part)->path);
}

/* Parts up to the first number that is not there, without those that were lost.
 * A part with no whole B-scan is what a crash leaves right after it was begun.
 */
static guint
find_parts (OctRecording *recording, const char *base)
{
  const OctRecordingInfo *info = &recording->info;
  guint64 frame_size = (guint64)info->samples * info->lines
                       * oct_sample_format_size (info->sample_format);
  GStatBuf status;
  guint n;

  for (n = 0; n < G_MAXUINT; n++) {
    g_autofree char *path = oct_recording_part_path (base, n);
    Part part = { .first = recording->frames };

    if (oct_recording_info_lacks_part (info, n))
      continue;
    if (g_stat (path, &status) != 0)
      break;
    part.frames = (guint64)status.st_size / frame_size;
    recording->leftover += (guint64)status.st_size % frame_size;
    if (part.frames == 0)
      continue;
    part.path = g_steal_pointer (&path);
    recording->frames += part.frames;
    g_array_append_val (recording->parts, part);
  }
  return n;
}

char *
oct_recording_find_part (const char *base, guint64 from)
{
  g_autofree char *folder = g_path_get_dirname (base);
  g_autofree char *name = g_path_get_basename (base);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  gsize length = strlen (name);
  const char *entry;
  guint64 number;
  char *end;

  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL) {
    if (strncmp (entry, name, length) != 0 || entry[length] != '-'
        || !g_ascii_isdigit (entry[length + 1]))
      continue;
    number = g_ascii_strtoull (entry + length + 1, &end, 10);
    if (strcmp (end, ".raw") == 0 && number >= from)
      return g_build_filename (folder, entry, NULL);
  }
  return NULL;
}

/* FALSE when a part with a number above `count` lies in the folder. */
static gboolean
check_gap (const OctRecording *recording, const char *base, guint count,
    GError **error)
{
  g_autofree char *later = oct_recording_find_part (base, (guint64)count + 1);
  g_autofree char *name = g_path_get_basename (base);
  g_autofree char *missing = oct_recording_part_path (name, count);

  if (later == NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
      "%s lacks the part '%s', though later ones are there; put it back, or "
      "remove those behind it",
      recording->file, missing);
  return FALSE;
}

OctRecording *
oct_recording_open (const char *path, GError **error)
{
  g_autoptr (OctRecording) recording = g_new0 (OctRecording, 1);
  g_autofree char *base = g_strdup (path);
  guint count;

  recording->file = oct_file_describe ("Recording", path);
  recording->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (recording->parts, clear_part);
  if (!oct_recording_read_text (path, &recording->info, error))
    return NULL;
  if (g_str_has_suffix (base, OCT_RECORDING_SUFFIX))
    base[strlen (base) - strlen (OCT_RECORDING_SUFFIX)] = '\0';
  count = find_parts (recording, base);
  if (!check_gap (recording, base, count, error))
    return NULL;
  if (recording->frames == 0) {
    g_autofree char *first = oct_recording_part_path (base, 0);
    g_autofree char *name = g_filename_display_name (first);

    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has no whole B-scan of %u lines of %u samples in its parts ('%s', "
        "...); put the parts beside it",
        recording->file, recording->info.lines, recording->info.samples, name);
    return NULL;
  }
  return g_steal_pointer (&recording);
}

void
oct_recording_close (OctRecording *recording)
{
  if (recording == NULL)
    return;
  g_clear_pointer (&recording->reader, oct_reader_close);
  g_array_unref (recording->parts);
  oct_recording_info_clear (&recording->info);
  g_free (recording->file);
  g_free (recording);
}

const OctRecordingInfo *
oct_recording_get_info (const OctRecording *recording)
{
  return &recording->info;
}

guint64
oct_recording_get_frames (const OctRecording *recording)
{
  return recording->frames;
}

guint64
oct_recording_get_leftover (const OctRecording *recording)
{
  return recording->leftover;
}

/* The part that holds `frame`. */
static guint
find_part (const OctRecording *recording, guint64 frame)
{
  guint low = 0, high = recording->parts->len;

  while (high - low > 1) {
    guint middle = low + (high - low) / 2;

    if (g_array_index (recording->parts, Part, middle).first <= frame)
      low = middle;
    else
      high = middle;
  }
  return low;
}

gboolean
oct_recording_read (OctRecording *recording, guint64 frame, gpointer dest,
    gsize stride, GError **error)
{
  const OctRecordingInfo *info = &recording->info;
  const OctReaderSettings settings = { .format = OCT_FILE_RAW,
    .samples = info->samples,
    .lines = info->lines,
    .sample_format = info->sample_format };
  const Part *part;
  guint n;

  if (frame >= recording->frames) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s has %" G_GUINT64_FORMAT " B-scans, but B-scan %" G_GUINT64_FORMAT
        " was asked for",
        recording->file, recording->frames, frame);
    return FALSE;
  }
  n = find_part (recording, frame);
  part = &g_array_index (recording->parts, Part, n);
  if (recording->reader == NULL || recording->open != n) {
    g_clear_pointer (&recording->reader, oct_reader_close);
    recording->reader = oct_reader_open (part->path, &settings, error);
    recording->open = n;
    if (recording->reader == NULL)
      return FALSE;
  }
  return oct_reader_read (
      recording->reader, frame - part->first, dest, stride, error);
}
