/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-recording.h"

#include "oct-file.h"
#include "oct-lost-lines.h"
#include "oct-opening.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct {
  char *path;
  guint number;
  guint64 first, frames; /* number of its first B-scan, how many */
} Part;

struct _OctRecording {
  char *file; /* "Recording 'x.oct'", for messages */
  OctRecordingInfo info;
  GArray *parts; /* Part, those with whole B-scans */
  guint64 frames;
  guint64 leftover;  /* bytes after the last whole B-scans of the parts */
  OctReader *reader; /* of part `open` */
  guint open;

  /* [OCT_RECORDING_MAX_MASKS] those that the text names; all NULL: none */
  OctScanMask *masks[OCT_RECORDING_MAX_MASKS];
  char *mask_problem;    /* or NULL */
  OctScanPlaces *places; /* or NULL */
  char *places_problem;  /* or NULL */
  GArray *lost;          /* OctLostLines, as the file has them; NULL: none */
  char *lost_problem;    /* or NULL */
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
recording_find_parts (OctRecording *recording, const char *base)
{
  const OctRecordingInfo *info = &recording->info;
  guint64 frame_size = (guint64)info->samples * info->lines
                       * oct_sample_format_size (info->sample_format);
  GStatBuf status;
  guint n;

  for (n = 0; n < G_MAXUINT; n++) {
    g_autofree char *path = oct_recording_part_path (base, n);
    Part part = { .number = n, .first = recording->frames };

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

/* Whether `name` is "<begin><number of at least `from`><suffix>". */
static gboolean
is_numbered (
    const char *name, const char *begin, guint64 from, const char *suffix)
{
  gsize length = strlen (begin);
  char *end;

  return strncmp (name, begin, length) == 0 && g_ascii_isdigit (name[length])
         && g_ascii_strtoull (name + length, &end, 10) >= from
         && strcmp (end, suffix) == 0;
}

/* Any file "BASE-<infix><number of at least `from`><suffix>"; NULL: none. */
static char *
find_file (
    const char *base, const char *infix, guint64 from, const char *suffix)
{
  g_autofree char *folder = g_path_get_dirname (base);
  g_autofree char *name = g_path_get_basename (base);
  g_autofree char *begin = g_strconcat (name, "-", infix, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  (void)oct_file_list_folder (folder, names, NULL);
  for (guint i = 0; i < names->len; i++)
    if (is_numbered (names->pdata[i], begin, from, suffix))
      return g_build_filename (folder, names->pdata[i], NULL);
  return NULL;
}

char *
oct_recording_find_part (const char *base, guint64 from)
{
  return find_file (base, "", from, ".raw");
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
      "remove those after it",
      recording->file, missing);
  return FALSE;
}

/* -------------------------------------------------------------------- masks */

#define MASK_INFIX "scan-mask-"
#define MASK_SUFFIX ".txt"

char *
oct_recording_mask_path (const char *base, guint number)
{
  return g_strdup_printf ("%s-" MASK_INFIX "%05u" MASK_SUFFIX, base, number);
}

char *
oct_recording_find_mask (const char *base)
{
  return find_file (base, MASK_INFIX, 0, MASK_SUFFIX);
}

#define PLACES_SUFFIX "scan-path.txt"

char *
oct_recording_places_path (const char *base)
{
  return g_strconcat (base, "-" PLACES_SUFFIX, NULL);
}

#define LOST_SUFFIX "lost-lines.txt"

char *
oct_recording_lost_path (const char *base)
{
  return g_strconcat (base, "-" LOST_SUFFIX, NULL);
}

/* Whether `name` is a part, a mask, the places or the losses of the recording
 * whose file names begin with `begin`. */
static gboolean
recording_has_file (const char *name, gconstpointer begin)
{
  g_autofree char *mask = g_strconcat (begin, MASK_INFIX, NULL);
  g_autofree char *places = g_strconcat (begin, PLACES_SUFFIX, NULL);

  g_autofree char *lost = g_strconcat (begin, LOST_SUFFIX, NULL);

  return g_str_equal (name, places) || g_str_equal (name, lost)
         || is_numbered (name, begin, 0, ".raw")
         || is_numbered (name, mask, 0, MASK_SUFFIX);
}

void
oct_recording_list_files (const char *path, GPtrArray *files)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *begin = NULL;
  gsize size = strlen (name), suffix = strlen (OCT_RECORDING_SUFFIX);

  if (!g_str_has_suffix (name, OCT_RECORDING_SUFFIX))
    return;
  begin = g_strdup_printf ("%.*s-", (int)(size - suffix), name);
  oct_format_add_beside (files, path, recording_has_file, begin);
}

/* Whether the B-scans are those of volumes with the mask, or whole ones. */
static gboolean
is_mask_of (const OctScanMask *mask, const OctRecordingInfo *info)
{
  return (mask->lines_each == info->lines
             && (info->bscans == 0 || info->bscans == mask->taken_bscans))
         || (mask->lines == info->lines
             && (info->bscans == 0 || info->bscans == mask->bscans));
}

/* NULL with an error. */
static OctScanMask *
recording_read_mask (const char *path, const OctRecordingInfo *info,
    const OctScanMask *other, GError **error)
{
  g_autoptr (OctScanMask) mask = oct_scan_mask_read (path, error);
  g_autofree char *source = NULL;

  if (mask == NULL)
    return NULL;
  if (is_mask_of (mask, info)
      && (other == NULL || oct_scan_mask_same_sizes (mask, other)))
    return g_steal_pointer (&mask);
  source = oct_file_describe ("Scan mask file", path);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s takes %u A-lines of each of %u B-scans, of volumes of %u B-scans of "
      "%u A-lines, but the recording has volumes of %u B-scans of %u A-lines",
      source, mask->lines_each, mask->taken_bscans, mask->bscans, mask->lines,
      info->bscans, info->lines);
  return NULL;
}

static void
forget_masks (OctRecording *recording)
{
  for (guint i = 0; i < OCT_RECORDING_MAX_MASKS; i++)
    g_clear_pointer (&recording->masks[i], oct_scan_mask_unref);
}

/* If there are any; those of other volumes would make a wrong raster. */
static void
read_places (OctRecording *recording, const char *base)
{
  g_autofree char *path = oct_recording_places_path (base);
  const OctRecordingInfo *info = &recording->info;
  g_autoptr (OctScanPlaces) places = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return;
  places = oct_scan_places_read (path, info->lines, &error);
  if (places == NULL) {
    recording->places_problem = g_strdup_printf (
        "The places of A-lines are not known: %s", error->message);
  } else if (places->lines != info->lines
             || (info->bscans != 0 && info->bscans != places->bscans)) {
    g_autofree char *source = oct_file_describe ("Scan path file", path);

    recording->places_problem = g_strdup_printf (
        "%s has %u B-scans of %u A-lines, but the recording has volumes of %u "
        "of %u, and it is not used; put that of the recording back.",
        source, places->bscans, places->lines, info->bscans, info->lines);
  } else {
    recording->places = g_steal_pointer (&places);
  }
}

/* A recording that a crash has cut off has the file, and may lack the key. */
static void
read_lost (OctRecording *recording, const char *base)
{
  g_autofree char *path = oct_recording_lost_path (base);
  g_autoptr (GError) error = NULL;

  if (!recording->info.lost_lines && !g_file_test (path, G_FILE_TEST_EXISTS))
    return;
  recording->lost = oct_lost_lines_read (path, recording->info.lines, &error);
  if (recording->lost == NULL)
    recording->lost_problem = g_strdup_printf (
        "%s has lost A-lines, but which ones is not known, and they are played "
        "as they are, zeros: %s.",
        recording->file, error->message);
}

const char *
oct_recording_get_lost_problem (const OctRecording *recording)
{
  return recording->lost_problem;
}

OctScanPlaces *
oct_recording_get_places (const OctRecording *recording)
{
  return recording->places;
}

const char *
oct_recording_get_places_problem (const OctRecording *recording)
{
  return recording->places_problem;
}

/* All that the text names, or none: B-scans of a mask that is not known would
 * be taken for those of the one before. */
static void
read_masks (OctRecording *recording, const char *base)
{
  const GArray *list = recording->info.masks;
  const OctScanMask *first = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; list != NULL && i < list->len; i++) {
    guint number = g_array_index (list, OctRecordingMask, i).number;
    g_autofree char *path = oct_recording_mask_path (base, number);

    if (recording->masks[number] != NULL)
      continue;
    recording->masks[number] =
        recording_read_mask (path, &recording->info, first, &error);
    if (error != NULL)
      break;
    if (first == NULL)
      first = recording->masks[number];
  }
  if (error == NULL)
    return;
  forget_masks (recording);
  recording->mask_problem = g_strdup_printf (
      "%s leaves A-lines out, but which ones is not known: %s; put the file "
      "back, or set `scan-mask-file` of octvolumecs to a copy of it.",
      recording->file, error->message);
}

/* The last entry that is not after `frame`; `end`: the start of the next one.
 */
static const OctRecordingMask *
find_mask (const OctRecording *recording, guint64 frame, guint64 *end)
{
  const GArray *list = recording->info.masks;
  const OctRecordingMask *found = NULL;

  *end = G_MAXUINT64;
  for (guint i = 0; list != NULL && i < list->len; i++) {
    const OctRecordingMask *mask = &g_array_index (list, OctRecordingMask, i);

    if (mask->frame > frame) {
      *end = mask->frame;
      break;
    }
    found = mask;
  }
  return found;
}

OctScanMask *
oct_recording_get_mask (const OctRecording *recording, guint64 frame)
{
  guint64 end;
  const OctRecordingMask *mask = find_mask (recording, frame, &end);

  return mask != NULL ? recording->masks[mask->number] : NULL;
}

const char *
oct_recording_get_mask_problem (const OctRecording *recording)
{
  return recording->mask_problem;
}

/* ------------------------------------------------------------------ reading */

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
  count = recording_find_parts (recording, base);
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
  read_masks (recording, base);
  read_places (recording, base);
  read_lost (recording, base);
  return g_steal_pointer (&recording);
}

void
oct_recording_close (OctRecording *recording)
{
  if (recording == NULL)
    return;
  g_clear_pointer (&recording->reader, oct_reader_close);
  g_array_unref (recording->parts);
  forget_masks (recording);
  g_free (recording->mask_problem);
  g_clear_pointer (&recording->places, oct_scan_places_unref);
  g_free (recording->places_problem);
  g_clear_pointer (&recording->lost, g_array_unref);
  g_free (recording->lost_problem);
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

guint64
oct_recording_get_place (const OctRecording *recording, guint64 frame)
{
  const GArray *gaps = recording->info.gaps;
  guint64 place = recording->info.first_bscan + frame;

  for (guint i = 0; gaps != NULL && i < gaps->len; i++) {
    const OctRecordingGap *gap = &g_array_index (gaps, OctRecordingGap, i);

    if (gap->frame > frame)
      break;
    /* a text may contain any number */
    place += MIN (gap->count, G_MAXINT64 - MIN (place, G_MAXINT64));
  }
  return place;
}

guint64
oct_recording_count_alike (const OctRecording *recording, guint64 frame)
{
  const GArray *gaps = recording->info.gaps;
  guint64 end;

  (void)find_mask (recording, frame, &end);
  end = MIN (end, recording->frames);
  for (guint i = 0; gaps != NULL && i < gaps->len; i++) {
    guint64 gap = g_array_index (gaps, OctRecordingGap, i).frame;

    if (gap > frame)
      end = MIN (end, gap);
  }
  return MAX (end, frame + 1) - frame;
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

/* The first row that is not before B-scan `bscan` of part `part`. */
static guint
find_lost (const GArray *lost, guint part, guint64 bscan)
{
  guint low = 0, high = lost->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    const OctLostLines *run = &g_array_index (lost, OctLostLines, middle);

    if (run->part < part || (run->part == part && run->bscan < bscan))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

gboolean
oct_recording_get_valid (
    const OctRecording *recording, guint64 frame, guint8 *valid)
{
  const GArray *lost = recording->lost;
  const Part *part;
  guint64 bscan;
  guint begin, i;

  if (lost == NULL || frame >= recording->frames)
    return FALSE;
  part = &g_array_index (recording->parts, Part, find_part (recording, frame));
  bscan = frame - part->first;
  begin = find_lost (lost, part->number, bscan);
  for (i = begin; i < lost->len; i++) {
    const OctLostLines *run = &g_array_index (lost, OctLostLines, i);

    if (run->part != part->number || run->bscan != bscan)
      break;
    if (i == begin)
      memset (valid, 1, recording->info.lines);
    memset (valid + run->first, 0, run->count);
  }
  return i > begin;
}

gboolean
oct_recording_read (OctRecording *recording, guint64 frame, gpointer dest,
    gsize stride, GError **error)
{
  const OctRecordingInfo *info = &recording->info;
  const OctReaderSettings settings = { .format = OCT_FILE_RAW,
    .samples = info->samples,
    .lines = info->lines,
    .stored =
        info->sample_format == OCT_SAMPLE_U8 ? OCT_STORED_U1 : OCT_STORED_U2 };
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
