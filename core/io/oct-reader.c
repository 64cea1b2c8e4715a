/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-reader.h"

#include "oct-ahead.h"
#include "oct-file.h"
#include "oct-format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Camera counts go from the file to the buffer without a look. */
G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

/* Values converted at a time: 32 KiB of doubles stay in the cache. */
#define CHUNK 4096

typedef union {
  gint16 i2[CHUNK];
  guint32 u4[CHUNK];
  double f8[CHUNK];
} Chunk;

/* How a value is stored in the file and what becomes of it. */
typedef struct {
  OctSampleFormat delivered;
  /* NULL: delivered as stored */
  void (*convert) (const Chunk *chunk, gsize first, gsize count, float *dest);
} StoredType;

struct _OctReader {
  int fd;
  char *file; /* "File 'x.npy'", for messages */
  OctReaderInfo info;
  const StoredType *stored;
  gsize stored_size; /* bytes of one value in the file */
  guint64 data_offset;
  OctCalibration *calibration;
  OctMissing *missing;

  OctAhead *ahead; /* flat files */

  /* where a format reads B-scans by itself */
  const OctContainer *container;
  GMutex lock; /* what follows */
  gpointer content;
  gpointer bscan; /* as stored, where that is not what is delivered */
};

static void
convert_i2 (const Chunk *chunk, gsize first, gsize count, float *dest)
{
  for (gsize i = 0; i < count; i++)
    dest[i] = chunk->i2[first + i];
}

static void
convert_u4 (const Chunk *chunk, gsize first, gsize count, float *dest)
{
  for (gsize i = 0; i < count; i++)
    dest[i] = chunk->u4[first + i];
}

static void
convert_f8 (const Chunk *chunk, gsize first, gsize count, float *dest)
{
  for (gsize i = 0; i < count; i++)
    dest[i] = (float)chunk->f8[first + i];
}

static const StoredType stored_types[] = {
  [OCT_STORED_U1] = { OCT_SAMPLE_U8, NULL },
  [OCT_STORED_U2] = { OCT_SAMPLE_U16, NULL },
  [OCT_STORED_I2] = { OCT_SAMPLE_F32, convert_i2 },
  [OCT_STORED_U4] = { OCT_SAMPLE_F32, convert_u4 },
  [OCT_STORED_F4] = { OCT_SAMPLE_F32, NULL },
  [OCT_STORED_F8] = { OCT_SAMPLE_F32, convert_f8 },
};

static void
set_read_error (const OctReader *reader, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_READ, "%s cannot be read: %s",
      reader->file, g_strerror (errno));
}

/* Which of the B-scans that are announced are not there; FALSE with an error
 * where that is nearly all of them. */
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

/* What a format has filled. */
static void
take_opening (OctReader *reader, OctOpening *opening)
{
  reader->info = opening->info;
  reader->stored = &stored_types[opening->stored];
  reader->stored_size = oct_stored_size (opening->stored);
  reader->info.sample_format = reader->stored->delivered;
  reader->data_offset = opening->data_offset;
  if (opening->container == NULL)
    reader->ahead = oct_ahead_new (reader->fd, opening->data_offset,
        opening->data_offset
            + opening->info.frames * opening->info.lines * opening->info.samples
                  * reader->stored_size);
}

OctReader *
oct_reader_open (
    const char *path, const OctReaderSettings *settings, GError **error)
{
  g_autoptr (OctReader) reader = g_new0 (OctReader, 1);
  g_autofree guint8 *head = g_malloc (OCT_FORMAT_HEAD);
  OctOpening opening = { .path = path, .head = head, .settings = settings };
  gboolean ok;
  gssize size;

  g_mutex_init (&reader->lock);
  reader->missing = oct_missing_new ();
  reader->file = oct_file_describe ("File", path);
  reader->fd = oct_file_open ("File", path, &opening.file_size, error);
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
  g_autofree char *list = NULL;

  if (count == 0)
    return NULL;
  list = oct_missing_describe (reader->missing);
  return g_strdup_printf ("%s says that it has %" G_GUINT64_FORMAT
                          " B-scans, but %" G_GUINT64_FORMAT
                          " of them %s missing: %s; the others are played, "
                          "copy it again if the original has all.",
      reader->file, reader->info.announced, count, count == 1 ? "is" : "are",
      list);
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

/* `count` values, `value` of the B-scan and those behind it, to the rows of
 * dest, whatever the length of a row is. */
static void
reader_spread (const OctReader *reader, const Chunk *chunk, gsize value,
    gsize count, guint8 *dest, gsize stride)
{
  gsize samples = reader->info.samples;
  gsize taken, n;

  for (taken = 0; taken < count; taken += n) {
    gsize line = (value + taken) / samples;
    gsize sample = (value + taken) % samples;
    float *out = (float *)(dest + line * stride) + sample;

    n = MIN (count - taken, samples - sample);
    reader->stored->convert (chunk, taken, n, out);
  }
}

static gboolean
read_converted (const OctReader *reader, guint64 offset, guint8 *dest,
    gsize stride, GError **error)
{
  gsize total = (gsize)reader->info.samples * reader->info.lines;
  Chunk chunk;
  gsize value, count;

  for (value = 0; value < total; value += count) {
    count = MIN (total - value, CHUNK);
    if (!read_bytes (reader, offset + (guint64)value * reader->stored_size,
            &chunk, count * reader->stored_size, error))
      return FALSE;
    reader_spread (reader, &chunk, value, count, dest, stride);
  }
  return TRUE;
}

/* From memory of the reader, which has the B-scan as it is stored. */
static void
deliver_bscan (const OctReader *reader, guint8 *dest, gsize stride)
{
  gsize row = reader->info.samples * reader->stored_size;
  gsize total = (gsize)reader->info.samples * reader->info.lines;
  const guint8 *bscan = reader->bscan;

  if (reader->stored->convert != NULL) {
    for (gsize value = 0; value < total; value += CHUNK)
      reader_spread (reader,
          (const Chunk *)(bscan + value * reader->stored_size), value,
          MIN (total - value, CHUNK), dest, stride);
    return;
  }
  for (guint line = 0; line < reader->info.lines; line++)
    memcpy (dest + line * stride, bscan + line * row, row);
}

static gboolean
read_container (OctReader *reader, guint64 frame, guint8 *dest, gsize stride,
    GError **error)
{
  gsize row = reader->info.samples * reader->stored_size;
  gboolean direct = reader->stored->convert == NULL && stride == row;
  gboolean ok;

  g_mutex_lock (&reader->lock);
  if (!direct && reader->bscan == NULL)
    reader->bscan = g_malloc (row * reader->info.lines);
  ok = reader->container->read (
      reader->content, frame, direct ? dest : reader->bscan, error);
  if (ok && !direct)
    deliver_bscan (reader, dest, stride);
  g_mutex_unlock (&reader->lock);
  if (!ok && reader->container->apart)
    oct_missing_add (reader->missing, frame, 1, "it is damaged");
  return ok;
}

gboolean
oct_reader_read (OctReader *reader, guint64 frame, gpointer dest, gsize stride,
    GError **error)
{
  const OctReaderInfo *info = &reader->info;
  gsize row = (gsize)info->samples * reader->stored_size;
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
  if (reader->container != NULL)
    return read_container (reader, frame, dest, stride, error);
  offset = reader->data_offset + frame * info->lines * row;
  oct_ahead_follow (reader->ahead, offset, row * info->lines);
  if (reader->stored->convert)
    return read_converted (reader, offset, dest, stride, error);
  if (stride == row)
    return read_bytes (reader, offset, dest, row * info->lines, error);
  for (line = 0; line < info->lines; line++)
    if (!read_bytes (reader, offset + (guint64)line * row,
            (guint8 *)dest + line * stride, row, error))
      return FALSE;
  return TRUE;
}
