/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-reader.h"

#include "oct-ahead.h"
#include "oct-file.h"
#include "oct-format.h"
#include "oct-formats.h"
#include "oct-number.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Camera counts go from the file to the buffer without a look. */
G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

/* Bytes converted at a time: they stay in the cache. */
#define CHUNK 32768

/* A-lines that are taken from [samples][lines] at once: a line of the cache. */
#define TOGETHER 32

/* Bytes that are examined to guess the type of the values. */
#define LOOK (64 << 10)

struct _OctReader {
  int fd;
  char *file; /* "File 'x.npy'", for messages */
  OctReaderInfo info;
  OctStored stored;
  const OctStoredType *type; /* of that */
  gboolean packed;
  guint64 data_offset;
  OctCalibration *calibration;
  OctMissing *missing;

  OctAhead *ahead; /* flat files */

  /* if a format reads B-scans by itself */
  const OctContainer *container;
  gboolean transposed; /* [samples][lines] are stored */
  GMutex lock;         /* what follows */
  gpointer content;
  gpointer bscan; /* as stored, if another type is delivered */
};

static void
set_read_error (const OctReader *reader, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_READ, "%s cannot be read: %s",
      reader->file, g_strerror (errno));
}

/* Which of the B-scans that are announced are not there; FALSE with an error if
 * that is nearly all of them. */
static gboolean
take_missing (OctReader *reader, OctOpening *opening, GError **error)
{
  OctReaderInfo *info = &opening->info;

  if (info->announced > info->frames)
    oct_missing_add (reader->missing, info->frames,
        info->announced - info->frames, "the file ends too early");
  info->frames = oct_missing_cut_end (reader->missing, info->announced);
  return oct_opening_check_present (opening, info->announced,
      info->announced - oct_missing_count (reader->missing), error);
}

/* Copies the results of an opener. */
static void
take_opening (OctReader *reader, OctOpening *opening)
{
  reader->info = opening->info;
  reader->stored = opening->stored;
  reader->type = oct_stored_get (opening->stored);
  reader->packed = opening->settings->packing != OCT_PACKING_NONE;
  reader->transposed = opening->transposed;
  reader->info.sample_format = reader->type->delivered;
  reader->data_offset = opening->data_offset;
  if (opening->container == NULL)
    reader->ahead = oct_ahead_new (reader->fd, opening->data_offset,
        opening->data_offset
            + opening->info.frames * opening->info.lines * opening->info.samples
                  * reader->type->size);
}

OctReader *
oct_reader_open (
    const char *path, const OctReaderSettings *settings, GError **error)
{
  g_autoptr (OctReader) reader = g_new0 (OctReader, 1);
  g_autofree guint8 *head = g_malloc (OCT_FORMAT_HEAD);
  g_autofree char *store = oct_format_find_store (path);
  OctOpening opening = { .path = path, .head = head, .settings = settings };
  gboolean ok;
  gssize size;

  g_mutex_init (&reader->lock);
  reader->missing = oct_missing_new ();
  reader->file = oct_file_describe ("File", path);
  reader->fd = oct_file_open (
      "File", store != NULL ? store : path, &opening.file_size, error);
  if (reader->fd < 0)
    return NULL;
  if (opening.file_size == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is empty; give a file with spectra", reader->file);
    return NULL;
  }
  size = oct_file_read (reader->fd, 0, head, OCT_FORMAT_HEAD);
  if (size < 0) {
    set_read_error (reader, error);
    return NULL;
  }
  opening.file = reader->file;
  opening.missing = reader->missing;
  opening.fd = reader->fd;
  opening.head_size = size;
  ok = oct_format_open (&opening, error)
       && take_missing (reader, &opening, error);
  reader->container = opening.container;
  reader->content = opening.content;
  reader->calibration = opening.calibration;
  if (!ok)
    return NULL;
  take_opening (reader, &opening);
  /* only advice to the kernel: read ahead generously */
  (void)posix_fadvise (reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return g_steal_pointer (&reader);
}

void
oct_reader_close (OctReader *reader)
{
  if (!reader)
    return;
  if (reader->content != NULL)
    reader->container->close (reader->content);
  oct_ahead_free (reader->ahead);
  if (reader->fd >= 0)
    close (reader->fd);
  g_clear_pointer (&reader->calibration, oct_calibration_unref);
  oct_missing_free (reader->missing);
  g_mutex_clear (&reader->lock);
  g_free (reader->bscan);
  g_free (reader->file);
  g_free (reader);
}

const OctReaderInfo *
oct_reader_get_info (const OctReader *reader)
{
  return &reader->info;
}

OctCalibration *
oct_reader_get_calibration (const OctReader *reader)
{
  return reader->calibration;
}

guint64
oct_reader_count_missing (const OctReader *reader)
{
  return oct_missing_count (reader->missing);
}

gboolean
oct_reader_lacks (const OctReader *reader, guint64 frame)
{
  return oct_missing_has (reader->missing, frame);
}

char *
oct_reader_describe_missing (const OctReader *reader)
{
  guint64 count = oct_missing_count (reader->missing);
  g_autofree char *announced =
      oct_number_count (reader->info.announced, "B-scan");
  g_autofree char *list = NULL;

  if (count == 0)
    return NULL;
  list = oct_missing_describe (reader->missing);
  return g_strdup_printf ("%s says that it has %s, but %" G_GUINT64_FORMAT
                          " of them %s missing: %s; the others are played, "
                          "copy it again if the original has all.",
      reader->file, announced, count, oct_number_be (count), list);
}

static gboolean
read_bytes (const OctReader *reader, guint64 offset, gpointer dest, gsize size,
    GError **error)
{
  gssize done = oct_file_read (reader->fd, offset, dest, size);

  if (done < 0) {
    set_read_error (reader, error);
    return FALSE;
  }
  if ((gsize)done < size) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s has been shortened since it was opened, bytes %" G_GUINT64_FORMAT
        " to %" G_GUINT64_FORMAT
        " are missing; restore the whole file and start again",
        reader->file, offset + done, offset + size - 1);
    return FALSE;
  }
  return TRUE;
}

/* `count` values as stored, `value` of the B-scan and those after it, to the
 * rows of dest, whatever the length of a row is. */
static void
reader_spread (const OctReader *reader, const guint8 *stored, gsize value,
    gsize count, guint8 *dest, gsize stride)
{
  gsize size = oct_sample_format_size (reader->info.sample_format);
  gsize samples = reader->info.samples;
  gsize taken, n;

  for (taken = 0; taken < count; taken += n) {
    gsize line = (value + taken) / samples;
    gsize sample = (value + taken) % samples;
    guint8 *out = dest + line * stride + sample * size;

    n = MIN (count - taken, samples - sample);
    if (reader->type->load != NULL)
      reader->type->load (stored + taken * reader->type->size, n, out);
    else
      memcpy (out, stored + taken * size, n * size);
  }
}

static gboolean
read_converted (const OctReader *reader, guint64 offset, guint8 *dest,
    gsize stride, GError **error)
{
  gsize total = (gsize)reader->info.samples * reader->info.lines;
  gsize size = reader->type->size;
  guint8 chunk[CHUNK];
  gsize value, count;

  for (value = 0; value < total; value += count) {
    count = MIN (total - value, CHUNK / size);
    if (!read_bytes (
            reader, offset + (guint64)value * size, chunk, count * size, error))
      return FALSE;
    reader_spread (reader, chunk, value, count, dest, stride);
  }
  return TRUE;
}

/* Transposes [samples][lines] in blocks that fit in the cache both ways. */
static void
deliver_transposed (const OctReader *reader, guint8 *dest, gsize stride)
{
  gsize lines = reader->info.lines, samples = reader->info.samples;
  gsize size = reader->type->size, most = CHUNK / TOGETHER / size;
  guint8 chunk[CHUNK];

  for (gsize line = 0; line < lines; line += TOGETHER)
    for (gsize sample = 0; sample < samples; sample += most) {
      gsize count = MIN (samples - sample, most);
      gsize n = MIN (lines - line, TOGETHER);
      const guint8 *from =
          (const guint8 *)reader->bscan + (sample * lines + line) * size;

      for (gsize i = 0; i < count; i++)
        for (gsize l = 0; l < n; l++)
          oct_stored_copy_value (chunk + (l * count + i) * size,
              from + (i * lines + l) * size, size);
      for (gsize l = 0; l < n; l++)
        reader_spread (reader, chunk + l * count * size,
            (line + l) * samples + sample, count, dest, stride);
    }
}

/* B-scan `frame` as it is stored, without gaps. */
static gboolean
read_stored (OctReader *reader, guint64 frame, gpointer values, GError **error)
{
  gsize size =
      (gsize)reader->info.samples * reader->info.lines * reader->type->size;
  guint64 offset = reader->data_offset + frame * size;

  if (reader->container != NULL)
    return reader->container->read (reader->content, frame, values, error);
  oct_ahead_follow (reader->ahead, offset, size);
  return read_bytes (reader, offset, values, size, error);
}

/* A B-scan that a format reads by itself, or that is transposed. */
static gboolean
read_in_one (OctReader *reader, guint64 frame, guint8 *dest, gsize stride,
    GError **error)
{
  gsize row = reader->info.samples * reader->type->size;
  gboolean direct =
      reader->type->load == NULL && stride == row && !reader->transposed;
  gboolean ok;

  g_mutex_lock (&reader->lock);
  if (!direct && reader->bscan == NULL)
    reader->bscan = g_malloc (row * reader->info.lines);
  ok = read_stored (reader, frame, direct ? dest : reader->bscan, error);
  if (ok && reader->transposed)
    deliver_transposed (reader, dest, stride);
  else if (ok && !direct)
    reader_spread (reader, reader->bscan, 0,
        (gsize)reader->info.samples * reader->info.lines, dest, stride);
  g_mutex_unlock (&reader->lock);
  if (!ok && reader->container != NULL && reader->container->apart)
    oct_missing_add (reader->missing, frame, 1, "it is damaged");
  return ok;
}

gboolean
oct_reader_read (OctReader *reader, guint64 frame, gpointer dest, gsize stride,
    GError **error)
{
  const OctReaderInfo *info = &reader->info;
  gsize row = (gsize)info->samples * reader->type->size;
  gsize row_delivered =
      info->samples * oct_sample_format_size (info->sample_format);
  guint64 offset;
  guint line;

  if (frame >= info->frames || stride < row_delivered) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s has %" G_GUINT64_FORMAT " B-scans of rows of %" G_GSIZE_FORMAT
        " bytes, but B-scan %" G_GUINT64_FORMAT " with rows of %" G_GSIZE_FORMAT
        " bytes was asked for",
        reader->file, info->frames, row_delivered, frame, stride);
    return FALSE;
  }
  if (oct_missing_has (reader->missing, frame)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s: B-scan %" G_GUINT64_FORMAT " is missing; copy it again",
        reader->file, frame);
    return FALSE;
  }
  if (reader->container != NULL || reader->transposed)
    return read_in_one (reader, frame, dest, stride, error);
  offset = reader->data_offset + frame * info->lines * row;
  oct_ahead_follow (reader->ahead, offset, row * info->lines);
  if (reader->type->load != NULL)
    return read_converted (reader, offset, dest, stride, error);
  if (stride == row)
    return read_bytes (reader, offset, dest, row * info->lines, error);
  for (line = 0; line < info->lines; line++)
    if (!read_bytes (reader, offset + (guint64)line * row,
            (guint8 *)dest + line * stride, row, error))
      return FALSE;
  return TRUE;
}

/* As stored, some A-lines of the B-scan in the middle, as the first ones may be
 * dark; *got: bytes of them. */
static guint8 *
reader_read_look (const OctReader *reader, gsize *got)
{
  gsize size = reader->type->size;
  gsize samples = reader->info.samples, lines = reader->info.lines;
  gsize n = MAX (LOOK / size / samples, 1), row;
  guint64 offset =
      reader->data_offset + reader->info.frames / 2 * lines * samples * size;
  g_autofree guint8 *bytes = g_malloc0 (samples * n * size);
  g_autofree guint8 *values = NULL;
  gssize read = 0;

  if (!reader->transposed) {
    read = oct_file_read (reader->fd, offset, bytes, samples * n * size);
    *got = (gsize)MAX (read, 0);
    return g_steal_pointer (&bytes);
  }
  n = MIN (n, lines);
  row = n * size;
  values = g_malloc (row);
  *got = samples * row;
  for (gsize sample = 0; sample < samples; sample++) {
    read = oct_file_read (reader->fd,
        offset + (sample * lines + (lines - n) / 2) * size, values, row);
    for (gsize line = 0; read == (gssize)row && line < n; line++)
      oct_stored_copy_value (
          bytes + (line * samples + sample) * size, values + line * size, size);
  }
  return g_steal_pointer (&bytes);
}

char *
oct_reader_describe_doubt (OctReader *reader)
{
  g_autofree guint8 *bytes = NULL;
  OctStored guess;
  gsize got;

  if (reader->info.format != OCT_FILE_RAW || reader->packed)
    return NULL;
  bytes = reader_read_look (reader, &got);
  if (got == 0)
    return NULL;
  guess = oct_stored_guess (reader->stored, bytes, got);
  return guess != reader->stored ? g_strdup_printf (
             "%s is read as %s, but neighbouring samples then differ as "
             "those of no spectrum do; set `sample-format` to %s, which "
             "makes spectra of it, and `samples` to what was recorded.",
             reader->file, reader->type->nick, oct_stored_get (guess)->nick)
                                 : NULL;
}
