/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * TIFF: each page is a B-scan, each row of it an A-line.  libtiff unpacks and
 * turns the bytes; what all pages must agree in is looked at before any is
 * read.
 */
#include "oct-format.h"

#include <fcntl.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

#define MAX_PAGES 1000000
/* What libtiff may allocate at once, and of a tile. */
#define MAX_ALLOCATION (256u << 20)
#define MAX_TILE (64u << 20)

typedef struct {
  guint32 columns, rows;
  guint16 bits, type, values; /* of a pixel */
  guint16 compression, photometric;
} Page;

typedef struct {
  char *file;
  TIFF *tiff;
  GArray *places; /* guint64: of the pages in the file */
  Page page;      /* all are like this one */
} Content;

/* What libtiff has to say is for programmers. */
static int
keep_quiet (TIFF *tiff, void *data, const char *module, const char *format,
    va_list arguments)
{
  return 1;
}

static TIFF *
open_tiff (const OctOpening *opening)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  int fd = fcntl (opening->fd, F_DUPFD_CLOEXEC, 0);
  TIFF *tiff;

  TIFFOpenOptionsSetMaxSingleMemAlloc (options, MAX_ALLOCATION);
  TIFFOpenOptionsSetErrorHandlerExtR (options, keep_quiet, NULL);
  TIFFOpenOptionsSetWarningHandlerExtR (options, keep_quiet, NULL);
  /* m: mapped, a file that shrinks would end the program; D: strips of a page
   * are looked up when it is read */
  tiff = fd >= 0 ? TIFFFdOpenExt (fd, opening->path, "rmD", options) : NULL;
  TIFFOpenOptionsFree (options);
  if (tiff == NULL && fd >= 0)
    close (fd);
  return tiff;
}

/* ------------------------------------------------------------------ reading */

static gboolean
read_strips (Content *content, guint8 *dest)
{
  gsize row = (gsize)TIFFScanlineSize (content->tiff);
  guint32 rows = content->page.rows, per_strip = 0;

  TIFFGetFieldDefaulted (content->tiff, TIFFTAG_ROWSPERSTRIP, &per_strip);
  if (per_strip == 0)
    return FALSE;
  per_strip = MIN (per_strip, rows);
  for (guint32 first = 0; first < rows; first += per_strip) {
    tmsize_t size = (tmsize_t)(MIN (per_strip, rows - first) * row);

    if (TIFFReadEncodedStrip (content->tiff,
            TIFFComputeStrip (content->tiff, first, 0), dest + first * row,
            size)
        != size)
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_tiles (Content *content, guint8 *dest)
{
  TIFF *tiff = content->tiff;
  gsize bytes = content->page.bits / 8, row = content->page.columns * bytes;
  tmsize_t size = TIFFTileSize (tiff);
  guint32 width = 0, height = 0;
  g_autofree guint8 *tile = NULL;

  TIFFGetField (tiff, TIFFTAG_TILEWIDTH, &width);
  TIFFGetField (tiff, TIFFTAG_TILELENGTH, &height);
  if (width == 0 || height == 0 || size <= 0 || size > MAX_TILE
      || (guint64)size != (guint64)width * height * bytes)
    return FALSE;
  tile = g_malloc ((gsize)size);
  for (guint32 y = 0; y < content->page.rows; y += height)
    for (guint32 x = 0; x < content->page.columns; x += width) {
      gsize part = MIN (width, content->page.columns - x) * bytes;

      if (TIFFReadEncodedTile (
              tiff, TIFFComputeTile (tiff, x, y, 0, 0), tile, size)
          != size)
        return FALSE;
      for (guint32 i = 0; i < MIN (height, content->page.rows - y); i++)
        memcpy (
            dest + (y + i) * row + x * bytes, tile + i * width * bytes, part);
    }
  return TRUE;
}

static gboolean
tiff_read_bscan (gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;
  Page *page = &content->page;

  if (TIFFSetSubDirectory (
          content->tiff, g_array_index (content->places, guint64, frame))
      && TIFFScanlineSize (content->tiff)
             == (tmsize_t)((gsize)page->columns * page->bits / 8)
      && (TIFFIsTiled (content->tiff) ? read_tiles (content, values)
                                      : read_strips (content, values)))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
      "%s: page %" G_GUINT64_FORMAT " cannot be read, the file is damaged or "
      "cut off; copy it again",
      content->file, frame + 1);
  return FALSE;
}

static void
tiff_close_content (gpointer data)
{
  Content *content = data;

  if (content->tiff != NULL)
    TIFFClose (content->tiff);
  g_array_unref (content->places);
  g_free (content->file);
  g_free (content);
}

static const OctContainer container = { tiff_read_bscan, tiff_close_content };

/* ------------------------------------------------------------------ opening */

static gboolean
tiff_refuse (const char *file, guint page, const char *found,
    const char *advice, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is a TIFF file that cannot be read as spectra: page %u %s; %s", file,
      page, found, advice);
  return FALSE;
}

static void
look_at_page (TIFF *tiff, Page *page)
{
  memset (page, 0, sizeof *page);
  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &page->columns);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &page->rows);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_BITSPERSAMPLE, &page->bits);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLEFORMAT, &page->type);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLESPERPIXEL, &page->values);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_COMPRESSION, &page->compression);
  page->photometric = PHOTOMETRIC_MINISBLACK;
  TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &page->photometric);
}

/* FALSE: values of a kind that no spectra have. */
static gboolean
choose_stored (const Page *page, OctStored *stored)
{
  /* libtiff turns the bytes */
  return oct_stored_find (page->type == SAMPLEFORMAT_UINT     ? 'u'
                          : page->type == SAMPLEFORMAT_INT    ? 'i'
                          : page->type == SAMPLEFORMAT_IEEEFP ? 'f'
                                                              : '\0',
             page->bits / 8, FALSE, stored)
         && page->bits % 8 == 0;
}

static gboolean
check_page (const char *file, guint number, const Page *page, const Page *first,
    OctStored *stored, GError **error)
{
  g_autofree char *found = NULL;

  if (page->columns != first->columns || page->rows != first->rows
      || page->bits != first->bits || page->type != first->type) {
    found = g_strdup_printf ("has %u rows of %u values of %u bits, but page 1 "
                             "has %u rows of %u values of %u bits",
        page->rows, page->columns, page->bits, first->rows, first->columns,
        first->bits);
    return tiff_refuse (
        file, number, found, "save pages of one size and type", error);
  }
  if (page->values != 1 || page->photometric != PHOTOMETRIC_MINISBLACK)
    return tiff_refuse (file, number, "is in colour, or inverted",
        "save it in grey, with one value for each sample", error);
  if (!choose_stored (page, stored)) {
    found = g_strdup_printf ("has %s of %u bits",
        page->type == SAMPLEFORMAT_IEEEFP ? "float values" : "values",
        page->bits);
    return tiff_refuse (file, number, found,
        "save them as 8 or 16 bits without sign, or as float", error);
  }
  if (TIFFIsCODECConfigured (page->compression))
    return TRUE;
  found = g_strdup_printf (
      "is compressed in a way (%u) that libtiff does not have here",
      page->compression);
  return tiff_refuse (
      file, number, found, "save it without compression", error);
}

/* ImageJ saves what is larger than 4 GB as one page, and the others behind it
 * without a word in the format. */
static gboolean
check_imagej (const char *file, TIFF *tiff, guint pages, GError **error)
{
  const char *text = NULL, *images;
  g_autofree char *found = NULL;
  guint64 count;

  if (!TIFFGetField (tiff, TIFFTAG_IMAGEDESCRIPTION, &text)
      || !g_str_has_prefix (text, "ImageJ=")
      || (images = strstr (text, "\nimages=")) == NULL)
    return TRUE;
  count = g_ascii_strtoull (images + 8, NULL, 10);
  if (count == pages)
    return TRUE;
  found = g_strdup_printf ("says that ImageJ saved %" G_GUINT64_FORMAT
                           " images, but the file has %u pages",
      count, pages);
  return tiff_refuse (file, 1, found,
      "save it in parts of less than 4 GB, or as raw data", error);
}

static gboolean
list_pages (OctOpening *opening, Content *content, GError **error)
{
  guint number = 0;
  Page page;

  do {
    guint64 place = TIFFCurrentDirOffset (content->tiff);

    look_at_page (content->tiff, &page);
    if (number++ == 0) {
      content->page = page;
    } else if (number > MAX_PAGES) {
      return tiff_refuse (opening->file, number, "is one too many",
          "save it in several files", error);
    }
    if (!check_page (opening->file, number, &page, &content->page,
            &opening->stored, error))
      return FALSE;
    g_array_append_val (content->places, place);
  } while (TIFFReadDirectory (content->tiff));
  if (!TIFFLastDirectory (content->tiff))
    return tiff_refuse (opening->file, number + 1, "is damaged or cut off",
        "copy the file again", error);
  return TIFFSetSubDirectory (
             content->tiff, g_array_index (content->places, guint64, 0))
         && check_imagej (opening->file, content->tiff, number, error);
}

gboolean
oct_format_open_tiff (OctOpening *opening, GError **error)
{
  Content *content = g_new0 (Content, 1);
  g_autofree char *text = NULL;
  guint64 shape[3];

  opening->container = &container;
  opening->content = content;
  content->file = g_strdup (opening->file);
  content->places = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (!oct_opening_check_raw_only (opening, "a TIFF file", error)
      || !oct_opening_check_unnamed (opening, error))
    return FALSE;
  content->tiff = open_tiff (opening);
  if (content->tiff == NULL)
    return tiff_refuse (
        opening->file, 1, "is damaged or cut off", "copy it again", error);
  if (!list_pages (opening, content, error))
    return FALSE;
  shape[0] = content->places->len;
  shape[1] = content->page.rows;
  shape[2] = content->page.columns;
  text = g_strdup_printf ("%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                          " x %" G_GUINT64_FORMAT,
      shape[0], shape[1], shape[2]);
  return oct_opening_take_shape (opening, 3, shape, text, error);
}
