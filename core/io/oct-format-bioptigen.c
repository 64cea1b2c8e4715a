/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Bioptigen .OCT: six bytes, then entries of a name and a value, each with its
 * length before it (32 bit, little endian); a length of zero ends the header
 * and each frame.
 *
 * Nothing in it says whether the values of 16 bits are spectra or images of
 * them, which they are as a rule, so it is read only if the user says so.
 */
#include "oct-formats.h"

#include "oct-file.h"

#include <string.h>

#define FIRST_ENTRY 6
#define MAX_NAME 64
#define MAX_ENTRIES 256
#define MAX_FRAMES 1000000

typedef struct {
  char *file;
  int fd;         /* of the reader */
  GArray *places; /* guint64: of the values of each frame */
  gsize size;     /* of those, bytes */
  guint64 end;    /* of the file */
} Content;

typedef struct {
  char name[MAX_NAME + 1];
  guint64 value, size; /* where its value is */
} Entry;

/* --------------------------------------------------------------- entries */

static gboolean
read_number (const Content *content, guint64 place, guint32 *number)
{
  return oct_file_read (content->fd, place, number, sizeof *number)
         == sizeof *number;
}

/* Reads the entry at *place and moves *place past it; an empty name is the end
 * of a list.  FALSE: there is none. */
static gboolean
bioptigen_read_entry (const Content *content, guint64 *place, Entry *entry)
{
  guint32 length, size;

  if (!read_number (content, *place, &length) || length > MAX_NAME)
    return FALSE;
  memset (entry, 0, sizeof *entry);
  *place += sizeof length;
  if (length == 0)
    return TRUE;
  if (oct_file_read (content->fd, *place, entry->name, length) != (gssize)length
      || !read_number (content, *place + length, &size))
    return FALSE;
  *place += length + sizeof size;
  entry->value = *place;
  entry->size = size;
  /* what holds the others */
  if (strcmp (entry->name, "FRAMEHEADER") == 0
      || strcmp (entry->name, "FRAMEDATA") == 0)
    return TRUE;
  if (size > content->end || *place > content->end - size)
    return FALSE;
  *place += size;
  return TRUE;
}

typedef struct {
  const char *name;
  guint32 value;
} Number;

/* Reads a list of entries to its end, and with it the numbers that are asked
 * for and where the entry `wanted` is (or none: NULL). */
static gboolean
read_list (const Content *content, guint64 *place, Number *numbers, guint n,
    const char *wanted, Entry *found)
{
  Entry entry;

  for (guint i = 0; i < MAX_ENTRIES; i++) {
    if (!bioptigen_read_entry (content, place, &entry))
      return FALSE;
    if (entry.name[0] == '\0')
      return TRUE;
    for (guint k = 0; k < n; k++)
      if (strcmp (entry.name, numbers[k].name) == 0
          && (entry.size != sizeof numbers[k].value
              || !read_number (content, entry.value, &numbers[k].value)))
        return FALSE;
    if (wanted != NULL && strcmp (entry.name, wanted) == 0)
      *found = entry;
  }
  return FALSE;
}

/* ------------------------------------------------------------------ reading */

static gboolean
bioptigen_read_bscan (
    gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;
  guint64 place = g_array_index (content->places, guint64, frame);
  gssize got = oct_file_read (content->fd, place, values, content->size);

  return got == (gssize)content->size
         || oct_missing_set_short (content->file, frame, got, error);
}

static void
bioptigen_close_content (gpointer data)
{
  Content *content = data;

  g_array_unref (content->places);
  g_free (content->file);
  g_free (content);
}

static const OctContainer container = { bioptigen_read_bscan,
  bioptigen_close_content };

/* ------------------------------------------------------------------ opening */

static gboolean
bioptigen_set_damaged (const char *file, const char *what, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is not a whole Bioptigen .OCT file: %s; copy it again", file, what);
  return FALSE;
}

/* Frames of one size; those that are cut off or of another are missing.
 * *lines: the number in the header, valid if a frame has none. */
static gboolean
list_frames (OctOpening *opening, Content *content, guint64 place,
    guint32 count, guint64 samples, guint64 *lines, GError **error)
{
  for (guint32 n = 0; n < count; n++) {
    Number found[] = { { "FRAMELINES", 0 } };
    Entry values = { 0 };

    if (!read_list (content, &place, found, 1, "FRAMESAMPLES", &values))
      break;
    if (found[0].value == 0)
      found[0].value = (guint32)*lines;
    if (n == 0)
      *lines = found[0].value;
    if (*lines == 0 || *lines > OCT_MAX_LINES
        || (n == 0 && values.size != samples * *lines * 2))
      return bioptigen_set_damaged (opening->file,
          "its frames do not have the sizes of its header", error);
    if (found[0].value != *lines || values.size != samples * *lines * 2)
      oct_missing_add (opening->missing, n, 1, "it has another size");
    g_array_append_val (content->places, values.value);
  }
  if (content->places->len < count)
    oct_missing_add (opening->missing, content->places->len,
        count - content->places->len, "the file ends too early");
  return content->places->len > 0
         || bioptigen_set_damaged (opening->file, "it has no frames", error);
}

gboolean
oct_format_open_bioptigen (OctOpening *opening, GError **error)
{
  Number header[] = { { "FRAMECOUNT", 0 }, { "LINELENGTH", 0 },
    { "LINECOUNT", 0 } };
  Content *content;
  guint64 place = FIRST_ENTRY, shape[3] = { 0 };
  g_autofree char *text = NULL;

  if (opening->settings->format == OCT_FILE_AUTO) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is a Bioptigen .OCT file, which usually contains images, and does "
        "not say whether it contains spectra; set `format` to bioptigen if you "
        "know that it was saved with spectra",
        opening->file);
    return FALSE;
  }
  if (!oct_opening_check_raw_only (opening, "a Bioptigen .OCT file", error)
      || !oct_opening_check_unnamed (opening, error))
    return FALSE;
  content = g_new0 (Content, 1);
  *content = (Content){ g_strdup (opening->file), opening->fd,
    g_array_new (FALSE, FALSE, sizeof (guint64)), 0, opening->file_size };
  opening->container = &container;
  opening->content = content;
  opening->stored = OCT_STORED_U2;
  if (!read_list (content, &place, header, G_N_ELEMENTS (header), NULL, NULL)
      || header[0].value == 0 || header[0].value > MAX_FRAMES
      || header[1].value == 0 || header[1].value > OCT_MAX_SAMPLES)
    return bioptigen_set_damaged (opening->file,
        "its header lacks FRAMECOUNT or LINELENGTH, or has others", error);
  shape[1] = header[2].value;
  shape[2] = header[1].value;
  if (!list_frames (
          opening, content, place, header[0].value, shape[2], &shape[1], error))
    return FALSE;
  shape[0] = header[0].value;
  content->size = shape[1] * shape[2] * 2;
  text = g_strdup_printf ("%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                          " x %" G_GUINT64_FORMAT,
      shape[0], shape[1], shape[2]);
  return oct_opening_take_shape (opening, 3, shape, text, error);
}
