/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Raw files of cameras that pack two values of 12 bits into three bytes
 * (oct-packed.h), without a gap between lines.
 */
#include "oct-formats.h"

#include "oct-file.h"
#include "oct-packed.h"

typedef struct {
  char *file;
  int fd; /* of the reader */
  guint64 offset;
  gsize values; /* of a B-scan, even */
  OctPacking packing;
} Content;

gboolean
oct_packing_parse (const char *name, OctPacking *packing, GError **error)
{
  static const char *const names[] = { [OCT_PACKING_NONE] = "none",
    [OCT_PACKING_MONO12P] = "mono12p",
    [OCT_PACKING_MONO12PACKED] = "mono12packed" };

  *packing = OCT_PACKING_NONE;
  if (name == NULL)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i])) {
      *packing = (OctPacking)i;
      return TRUE;
    }
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "'%s' is not a packing of samples; set none, mono12p or mono12packed.",
      name);
  return FALSE;
}

/* The packed bytes are read to the end of `values` and unpacked from there to
 * its begin: the bytes of a pair are always read before its values reach them.
 */
static gboolean
packed_read_bscan (
    gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;
  gsize size = content->values / 2 * 3;
  guint8 *packed = (guint8 *)values + content->values * 2 - size;
  gssize got =
      oct_file_read (content->fd, content->offset + frame * size, packed, size);

  if (got != (gssize)size)
    return oct_missing_set_short (content->file, frame, got, error);
  if (content->packing == OCT_PACKING_MONO12P)
    oct_unpack_bits (packed, values, content->values, 12);
  else
    oct_unpack_pairs (packed, values, content->values, 12);
  return TRUE;
}

static void
packed_close_content (gpointer data)
{
  Content *content = data;

  g_free (content->file);
  g_free (content);
}

static const OctContainer container = { packed_read_bscan,
  packed_close_content };

gboolean
oct_format_open_packed (OctOpening *opening, GError **error)
{
  const OctReaderSettings *settings = opening->settings;
  guint64 values = (guint64)settings->samples * settings->lines;
  guint64 size = values / 2 * 3;
  guint64 bytes = opening->file_size - settings->header_size;
  Content *content;

  if (settings->stored != OCT_STORED_U2 || values % 2 != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is read as pairs of packed values of 12 bits, which need an even "
        "number of them in a B-scan and `sample-format` gray16-le, but there "
        "are %u lines of %u samples of %s; set `lines` or `samples` to what "
        "was "
        "recorded, or `packing` to none",
        opening->file, settings->lines, settings->samples,
        oct_stored_get (settings->stored)->nick);
    return FALSE;
  }
  opening->stored = OCT_STORED_U2;
  opening->container = &container;
  opening->content = content = g_new (Content, 1);
  *content = (Content){ g_strdup (opening->file), opening->fd,
    settings->header_size, values, settings->packing };
  /* unpacked: the output of oct_reader_read() */
  if (!oct_opening_count_frames (opening, settings->samples, settings->lines,
          MAX (bytes / size, 1) * values * 2, error))
    return FALSE;
  if (bytes < size) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s holds %" G_GUINT64_FORMAT " bytes of spectra, but one B-scan of "
        "%u lines of %u samples needs %" G_GUINT64_FORMAT "; set `samples`, "
        "`lines`, `packing` or `header-size` to what was recorded",
        opening->file, bytes, settings->lines, settings->samples, size);
    return FALSE;
  }
  opening->info.leftover_bytes = bytes % size;
  return TRUE;
}
