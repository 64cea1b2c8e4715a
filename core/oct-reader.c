/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-reader.h"

#include "oct-file.h"
#include "oct-npy.h"

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
  double f8[CHUNK];
} Chunk;

/* How a value is stored in the file and what becomes of it. */
typedef struct {
  OctSampleFormat delivered;
  guint size; /* bytes of one value in the file */
  /* NULL: delivered as stored */
  void (*convert) (const Chunk *chunk, gsize first, gsize count, float *dest);
} StoredType;

struct _OctReader {
  int fd;
  char *file; /* "File 'x.npy'", for messages */
  OctReaderInfo info;
  const StoredType *stored;
  guint64 data_offset;
};

/* What a format's opener works on; it fills info and data_offset. */
typedef struct {
  OctReader *reader;
  const OctReaderSettings *settings;
  const guint8 *head; /* the first bytes of the file */
  gsize head_size;
  guint64 file_size;
} Opening;

static void
convert_i2 (const Chunk *chunk, gsize first, gsize count, float *dest)
{
  for (gsize i = 0; i < count; i++)
    dest[i] = chunk->i2[first + i];
}

static void
convert_f8 (const Chunk *chunk, gsize first, gsize count, float *dest)
{
  for (gsize i = 0; i < count; i++)
    dest[i] = (float)chunk->f8[first + i];
}

static const StoredType stored_types[] = {
  [OCT_NPY_U1] = { OCT_SAMPLE_U8, 1, NULL },
  [OCT_NPY_U2] = { OCT_SAMPLE_U16, 2, NULL },
  [OCT_NPY_I2] = { OCT_SAMPLE_F32, 2, convert_i2 },
  [OCT_NPY_F4] = { OCT_SAMPLE_F32, 4, NULL },
  [OCT_NPY_F8] = { OCT_SAMPLE_F32, 8, convert_f8 },
};

/* Checks the size of a B-scan and counts those in the file, which may be
 * shorter or longer than `wanted` (0 = all there are). */
static gboolean
count_frames (const Opening *opening, guint64 samples, guint64 lines,
    guint64 wanted, GError **error)
{
  OctReader *reader = opening->reader;
  guint64 bytes, frame_bytes;

  if (samples > OCT_MAX_SAMPLES || lines > OCT_MAX_LINES
      || samples * lines > OCT_MAX_BSCAN_VALUES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s would have B-scans of %" G_GUINT64_FORMAT
        " lines of %" G_GUINT64_FORMAT " samples, but at most %u lines of %u "
        "samples and %u values in all are possible; set `lines` or `samples` "
        "smaller",
        reader->file, lines, samples, OCT_MAX_LINES, OCT_MAX_SAMPLES,
        OCT_MAX_BSCAN_VALUES);
    return FALSE;
  }

  frame_bytes = samples * lines * reader->stored->size;
  bytes = opening->file_size - MIN (reader->data_offset, opening->file_size);
  if (wanted)
    bytes = MIN (bytes, wanted);
  if (bytes < frame_bytes) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s holds %" G_GUINT64_FORMAT " bytes of spectra, but one B-scan of "
        "%" G_GUINT64_FORMAT " lines of %" G_GUINT64_FORMAT " samples needs "
        "%" G_GUINT64_FORMAT "; %s",
        reader->file, bytes, lines, samples, frame_bytes,
        wanted ? "it was cut off, copy or save it again"
               : "set `samples`, `lines`, `sample-format` or `header-size` to "
                 "what was recorded");
    return FALSE;
  }
  reader->info.samples = samples;
  reader->info.lines = lines;
  reader->info.frames = bytes / frame_bytes;
  reader->info.leftover_bytes = bytes % frame_bytes;
  return TRUE;
}

static guint
clip_to_uint (guint64 value)
{
  return MIN (value, G_MAXUINT);
}

static gboolean
open_raw (const Opening *opening, GError **error)
{
  OctReader *reader = opening->reader;
  const OctReaderSettings *settings = opening->settings;

  if (settings->samples == 0 || settings->lines == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is read as a raw file, which does not tell its sizes; set "
        "`samples` (values per A-line, now %u) and `lines` (A-lines per "
        "B-scan, now %u)",
        reader->file, settings->samples, settings->lines);
    return FALSE;
  }
  if (settings->sample_format == OCT_SAMPLE_U8) {
    reader->stored = &stored_types[OCT_NPY_U1];
  } else if (settings->sample_format == OCT_SAMPLE_U16) {
    reader->stored = &stored_types[OCT_NPY_U2];
  } else {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is read as a raw file, which holds values of 8 or 16 bit; set "
        "`sample-format` to gray8 or gray16-le",
        reader->file);
    return FALSE;
  }
  if (settings->header_size >= opening->file_size) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s has %" G_GUINT64_FORMAT
        " bytes, but `header-size` skips %" G_GUINT64_FORMAT
        "; set `header-size` smaller",
        reader->file, opening->file_size, settings->header_size);
    return FALSE;
  }
  reader->data_offset = settings->header_size;
  if (!count_frames (opening, settings->samples, settings->lines, 0, error))
    return FALSE;
  reader->info.bscans =
      settings->bscans ? settings->bscans : clip_to_uint (reader->info.frames);
  return TRUE;
}

/* FALSE with an error when the user's `setting` is not the `found` of the
 * file. */
static gboolean
check_setting (const Opening *opening, const OctNpyHeader *header,
    const char *property, guint setting, guint64 found, GError **error)
{
  g_autofree char *shape = NULL;

  if (setting == 0 || setting == found)
    return TRUE;
  shape = oct_npy_describe_shape (header);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s has the shape %s, thus %s %" G_GUINT64_FORMAT ", but `%s` is set to "
      "%u; leave `%s` 0 or set it to %" G_GUINT64_FORMAT,
      opening->reader->file, shape, property, found, property, setting,
      property, found);
  return FALSE;
}

/* The volume of a three-dimensional array may be several, one after the
 * other. */
static gboolean
check_bscans (
    const Opening *opening, const OctNpyHeader *header, GError **error)
{
  guint setting = opening->settings->bscans;

  if (header->dims < 3 || setting == 0 || header->shape[0] % setting == 0)
    return TRUE;
  return check_setting (
      opening, header, "bscans", setting, header->shape[0], error);
}

static gboolean
open_npy (const Opening *opening, GError **error)
{
  OctReader *reader = opening->reader;
  const OctReaderSettings *settings = opening->settings;
  OctNpyHeader header;
  guint64 samples, lines, total;

  if (!oct_npy_parse_header (
          reader->file, opening->head, opening->head_size, &header, error))
    return FALSE;
  if (settings->header_size) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is a NumPy file, which tells the size of its header, but "
        "`header-size` is set to %" G_GUINT64_FORMAT "; leave it 0 or set "
        "`format` to raw",
        reader->file, settings->header_size);
    return FALSE;
  }
  reader->stored = &stored_types[header.type];
  reader->data_offset = header.data_offset;

  samples = header.shape[header.dims - 1];
  lines = header.dims > 1 ? header.shape[header.dims - 2] : 1;
  total = samples * lines * reader->stored->size;
  if (header.dims == 3)
    total *= header.shape[0];
  if (!check_setting (
          opening, &header, "samples", settings->samples, samples, error))
    return FALSE;
  /* the lines of a two-dimensional array can be grouped to B-scans */
  if (header.dims == 2 && settings->lines && settings->lines <= lines)
    lines = settings->lines;
  if (!check_setting (opening, &header, "lines", settings->lines, lines, error)
      || !check_bscans (opening, &header, error)
      || !count_frames (opening, samples, lines, total, error))
    return FALSE;

  reader->info.bscans = settings->bscans;
  if (settings->bscans == 0)
    reader->info.bscans =
        clip_to_uint (header.dims == 3 ? header.shape[0] : reader->info.frames);
  return TRUE;
}

/* The formats, by the first bytes of a file; a new one is one row.  Without
 * `open` it is recognised and refused, as `advice` says. */
static const struct {
  OctFileFormat format;
  const char *magic;
  guint magic_size; /* 0: anything else */
  const char *name;
  gboolean (*open) (const Opening *opening, GError **error);
  const char *advice;
} formats[] = {
  { OCT_FILE_NPY, OCT_NPY_MAGIC, OCT_NPY_MAGIC_SIZE, "a NumPy .npy file",
      open_npy, NULL },
  { 0, "\x89HDF\r\n\x1a\n", 8, "an HDF5 file (also MATLAB 7.3)", NULL, NULL },
  { 0, "MATLAB 7.3", 10, "a MATLAB 7.3 file", NULL, NULL },
  { 0, "MATLAB 5.0", 10, "a MATLAB 5 file", NULL, NULL },
  { 0, "PK\3\4", 4, "a ZIP archive (also .npz)", NULL, NULL },
  { 0, "II*\0", 4, "a TIFF image", NULL, NULL },
  { 0, "MM\0*", 4, "a TIFF image", NULL, NULL },
  { 0, "II+\0", 4, "a BigTIFF image", NULL, NULL },
  { 0, "MM\0+", 4, "a BigTIFF image", NULL, NULL },
  { 0, "\x89PNG", 4, "a PNG image", NULL, NULL },
  { 0, "\x1f\x8b\x08", 3, "compressed with gzip", NULL,
      "unpack it with gunzip" },
  { OCT_FILE_RAW, "", 0, "a raw file", open_raw, NULL },
};

static gboolean
open_format (const Opening *opening, GError **error)
{
  OctFileFormat wanted = opening->settings->format;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (wanted == OCT_FILE_AUTO
            ? opening->head_size >= formats[i].magic_size
                  && memcmp (
                         opening->head, formats[i].magic, formats[i].magic_size)
                         == 0
            : formats[i].open && wanted == formats[i].format)
      break;
  }
  if (i == G_N_ELEMENTS (formats)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s: the file format %d is not known; set `format` to auto, raw or npy",
        opening->reader->file, wanted);
    return FALSE;
  }
  if (!formats[i].open) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is %s, which cannot be read; %s, or set `format` to raw and "
        "`header-size` to the bytes before the spectra",
        opening->reader->file, formats[i].name,
        formats[i].advice ? formats[i].advice
                          : "save the spectra as .npy (numpy.save)");
    return FALSE;
  }
  opening->reader->info.format = formats[i].format;
  return formats[i].open (opening, error);
}

static void
set_read_error (const OctReader *reader, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_READ, "%s cannot be read: %s",
      reader->file, g_strerror (errno));
}

OctReader *
oct_reader_open (
    const char *path, const OctReaderSettings *settings, GError **error)
{
  g_autoptr (OctReader) reader = g_new0 (OctReader, 1);
  g_autofree guint8 *head = g_malloc (OCT_NPY_MAX_HEADER);
  Opening opening = { reader, settings, head, 0, 0 };
  gssize size;

  reader->file = oct_file_describe ("File", path);
  reader->fd = oct_file_open ("File", path, &opening.file_size, error);
  if (reader->fd < 0)
    return NULL;
  if (opening.file_size == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is empty; give a file with spectra", reader->file);
    return NULL;
  }
  size = oct_file_read (reader->fd, 0, head, OCT_NPY_MAX_HEADER);
  if (size < 0) {
    set_read_error (reader, error);
    return NULL;
  }
  opening.head_size = size;
  if (!open_format (&opening, error))
    return NULL;
  reader->info.sample_format = reader->stored->delivered;
  /* only advice to the kernel: read ahead generously */
  (void)posix_fadvise (reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return g_steal_pointer (&reader);
}

void
oct_reader_close (OctReader *reader)
{
  if (!reader)
    return;
  if (reader->fd >= 0)
    close (reader->fd);
  g_free (reader->file);
  g_free (reader);
}

const OctReaderInfo *
oct_reader_get_info (const OctReader *reader)
{
  return &reader->info;
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

/* Values in between are spread over the rows of dest as they come, whatever
 * the length of a row is. */
static gboolean
read_converted (const OctReader *reader, guint64 offset, guint8 *dest,
    gsize stride, GError **error)
{
  const StoredType *stored = reader->stored;
  gsize samples = reader->info.samples;
  gsize total = samples * reader->info.lines;
  Chunk chunk;
  gsize value, taken, count, n;

  for (value = 0; value < total; value += count) {
    count = MIN (total - value, CHUNK);
    if (!read_bytes (reader, offset + (guint64)value * stored->size, &chunk,
            count * stored->size, error))
      return FALSE;
    for (taken = 0; taken < count; taken += n) {
      gsize line = (value + taken) / samples;
      gsize sample = (value + taken) % samples;
      float *out = (float *)(dest + line * stride) + sample;

      n = MIN (count - taken, samples - sample);
      stored->convert (&chunk, taken, n, out);
    }
  }
  return TRUE;
}

gboolean
oct_reader_read (OctReader *reader, guint64 frame, gpointer dest, gsize stride,
    GError **error)
{
  const OctReaderInfo *info = &reader->info;
  gsize row = (gsize)info->samples * reader->stored->size;
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
  offset = reader->data_offset + frame * info->lines * row;
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
