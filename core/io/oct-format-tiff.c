/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * TIFF: each page is a B-scan, each row of it an A-line (or each column, as
 * `sample-dimension` says); with `lines` a page is several B-scans, one below
 * the other.  libtiff unpacks and turns the bytes; the properties in which all
 * pages must agree are checked before any is read.
 *
 * ImageJ saves a stack of more than 4 GB as one page, whose description says
 * how many images there are: all of them follow each other from where the page
 * has its values.
 */
#include "oct-formats.h"

#include "oct-file.h"

#include <fcntl.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

#define MAX_PAGES 1000000
/* Limits, in bytes, of one allocation by libtiff and of one tile. */
#define MAX_ALLOCATION (256u << 20)
#define MAX_TILE (64u << 20)
/* Largest strip that is kept for the next B-scan. */
#define MAX_STRIP (256u << 20)

typedef struct {
  guint32 columns, rows;
  guint16 bits, type, values; /* of a pixel */
  guint16 compression, photometric;
} Page;

typedef struct {
  char *file;
  TIFF *tiff;
  int fd;         /* of the reader */
  GArray *places; /* guint64: of the pages in the file */
  Page page;      /* all are like this one */
  gboolean whole; /* the last page is the last of the file */
  guint lines;    /* rows of a B-scan */
  /* byte where all B-scans begin, if they follow each other as they are; 0:
   * they are read page by page */
  guint64 flat;

  /* of page `strip_page`, unpacked for several B-scans; NULL: none */
  guint8 *strip;
  guint32 strip_number;
  guint64 strip_page;
} Content;

/* The messages of libtiff are for programmers. */
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
   * are looked up when it is read; c: they are those of the file, and not parts
   * of them that libtiff makes up */
  tiff = fd >= 0 ? TIFFFdOpenExt (fd, opening->path, "rmDc", options) : NULL;
  TIFFOpenOptionsFree (options);
  if (tiff == NULL && fd >= 0)
    close (fd);
  return tiff;
}

/* ------------------------------------------------------------------ reading */

/* The next B-scan needs the rest of this strip. */
static const guint8 *
unpack_strip (Content *content, guint64 page, guint32 number, tmsize_t size)
{
  if (content->strip != NULL && content->strip_page == page
      && content->strip_number == number)
    return content->strip;
  g_clear_pointer (&content->strip, g_free);
  if (size > MAX_STRIP)
    return NULL;
  content->strip = g_malloc ((gsize)size);
  content->strip_page = page;
  content->strip_number = number;
  if (TIFFReadEncodedStrip (content->tiff, number, content->strip, size)
      != size)
    g_clear_pointer (&content->strip, g_free);
  return content->strip;
}

/* Rows from `top` on, as many as a B-scan has. */
static gboolean
read_strips (Content *content, guint64 page, guint32 top, guint8 *dest)
{
  gsize row = (gsize)TIFFScanlineSize (content->tiff);
  guint32 rows = content->page.rows, per_strip = 0;
  guint32 bottom = top + content->lines;

  TIFFGetFieldDefaulted (content->tiff, TIFFTAG_ROWSPERSTRIP, &per_strip);
  if (per_strip == 0)
    return FALSE;
  per_strip = MIN (per_strip, rows);
  for (guint32 first = top / per_strip * per_strip; first < bottom;
       first += MIN (per_strip, bottom - first)) {
    guint32 number = TIFFComputeStrip (content->tiff, first, 0);
    guint32 end = first + MIN (per_strip, rows - first);
    guint32 from = MAX (first, top), to = MIN (end, bottom);
    tmsize_t size = (tmsize_t)((end - first) * row);
    const guint8 *strip;

    if (from == first && to == end) {
      if (TIFFReadEncodedStrip (
              content->tiff, number, dest + (first - top) * row, size)
          != size)
        return FALSE;
      continue;
    }
    strip = unpack_strip (content, page, number, size);
    if (strip == NULL)
      return FALSE;
    memcpy (dest + (from - top) * row, strip + (from - first) * row,
        (to - from) * row);
  }
  return TRUE;
}

static gboolean
read_tiles (Content *content, guint32 top, guint8 *dest)
{
  guint32 bottom = top + content->lines;
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
  for (guint64 y = top / height * height; y < bottom; y += height)
    for (guint32 x = 0; x < content->page.columns; x += width) {
      gsize part = MIN (width, content->page.columns - x) * bytes;

      if (TIFFReadEncodedTile (
              tiff, TIFFComputeTile (tiff, x, (guint32)y, 0, 0), tile, size)
          != size)
        return FALSE;
      for (guint64 i = MAX (y, top); i < MIN (y + height, bottom); i++)
        memcpy (dest + (i - top) * row + x * bytes,
            tile + (i - y) * width * bytes, part);
    }
  return TRUE;
}

static gboolean
tiff_read_flat (Content *content, guint64 frame, gpointer values)
{
  tmsize_t count = (tmsize_t)content->page.columns * content->lines;
  gsize size = (gsize)count * (content->page.bits / 8);

  if (oct_file_read (content->fd, content->flat + frame * size, values, size)
      != (gssize)size)
    return FALSE;
  if (TIFFIsByteSwapped (content->tiff) && content->page.bits == 16)
    TIFFSwabArrayOfShort (values, count);
  else if (TIFFIsByteSwapped (content->tiff) && content->page.bits == 32)
    TIFFSwabArrayOfLong (values, count);
  else if (TIFFIsByteSwapped (content->tiff) && content->page.bits == 64)
    TIFFSwabArrayOfLong8 (values, count);
  return TRUE;
}

static gboolean
tiff_read_rows (Content *content, guint64 frame, gpointer values)
{
  const Page *page = &content->page;
  guint64 per_page = page->rows / content->lines;
  guint32 top = (guint32)(frame % per_page) * content->lines;

  return TIFFSetSubDirectory (content->tiff,
             g_array_index (content->places, guint64, frame / per_page))
         && TIFFScanlineSize (content->tiff)
                == (tmsize_t)((gsize)page->columns * page->bits / 8)
         && (TIFFIsTiled (content->tiff)
                 ? read_tiles (content, top, values)
                 : read_strips (content, frame / per_page, top, values));
}

static gboolean
tiff_read_bscan (gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;

  if (content->flat > 0 ? tiff_read_flat (content, frame, values)
                        : tiff_read_rows (content, frame, values))
    return TRUE;
  return oct_missing_set_unread (
      content->file, frame, OCT_MISSING_DAMAGED, error);
}

static void
tiff_close_content (gpointer data)
{
  Content *content = data;

  if (content->tiff != NULL)
    TIFFClose (content->tiff);
  g_array_unref (content->places);
  g_free (content->strip);
  g_free (content->file);
  g_free (content);
}

static const OctContainer container = { tiff_read_bscan, tiff_close_content,
  TRUE };

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

/* Images that ImageJ has saved, by the description of the first page; 0: it
 * does not say. */
static guint64
count_imagej (TIFF *tiff)
{
  const char *text = NULL, *images;

  return TIFFGetField (tiff, TIFFTAG_IMAGEDESCRIPTION, &text)
                 && g_str_has_prefix (text, "ImageJ=")
                 && (images = strstr (text, "\nimages=")) != NULL
             ? g_ascii_strtoull (images + 8, NULL, 10)
             : 0;
}

/* Where the values of the only page begin, which lie there as they are; 0: they
 * do not. */
static guint64
find_flat (const Content *content)
{
  guint16 order = FILLORDER_MSB2LSB;

  TIFFGetFieldDefaulted (content->tiff, TIFFTAG_FILLORDER, &order);
  return content->places->len == 1
                 && content->page.compression == COMPRESSION_NONE
                 && order == FILLORDER_MSB2LSB && !TIFFIsTiled (content->tiff)
                 && TIFFNumberOfStrips (content->tiff) == 1
             ? TIFFGetStrileOffset (content->tiff, 0)
             : 0;
}

/* Pages that are there and that ImageJ announces, or that are damaged. */
static gboolean
count_pages (
    OctOpening *opening, Content *content, guint64 *announced, GError **error)
{
  guint64 size = (guint64)content->page.columns * content->page.rows
                 * (content->page.bits / 8);
  guint64 pages = content->places->len, images;

  if (!TIFFSetSubDirectory (
          content->tiff, g_array_index (content->places, guint64, 0)))
    return tiff_refuse (
        opening->file, 1, "is damaged or cut off", "copy it again", error);
  images = MIN (count_imagej (content->tiff), MAX_PAGES);
  *announced = MAX (images, pages + !content->whole);
  if (images > 1 || content->lines < content->page.rows)
    content->flat = find_flat (content);
  if (content->flat > 0)
    pages = (opening->file_size - MIN (content->flat, opening->file_size))
            / MAX (size, 1);
  if (pages < *announced)
    oct_missing_add (opening->missing,
        pages * (content->page.rows / content->lines),
        (*announced - pages) * (content->page.rows / content->lines),
        "the file is damaged or cut off there");
  return TRUE;
}

/* A page may be several B-scans, where `lines` says so. */
static void
tiff_choose_lines (const OctOpening *opening, Content *content)
{
  guint lines = opening->settings->lines;

  /* an empty page has no B-scan */
  content->lines = MAX (content->page.rows, 1);
  if (!opening->transposed && lines > 0 && content->page.rows % lines == 0)
    content->lines = lines;
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
    /* asked for before the next one is read, as it is forgotten if that fails */
    content->whole = TIFFLastDirectory (content->tiff);
  } while (!content->whole && TIFFReadDirectory (content->tiff));
  return TRUE;
}

gboolean
oct_format_open_tiff (OctOpening *opening, GError **error)
{
  Content *content = g_new0 (Content, 1);
  g_autofree char *text = NULL;
  guint64 shape[3], pages;

  opening->container = &container;
  opening->content = content;
  content->file = g_strdup (opening->file);
  content->fd = opening->fd;
  content->places = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (!oct_opening_check_raw_only (opening, "a TIFF file", error)
      || !oct_opening_take_frames (opening, error))
    return FALSE;
  content->tiff = open_tiff (opening);
  if (content->tiff == NULL)
    return tiff_refuse (
        opening->file, 1, "is damaged or cut off", "copy it again", error);
  if (!list_pages (opening, content, error))
    return FALSE;
  tiff_choose_lines (opening, content);
  if (!count_pages (opening, content, &pages, error))
    return FALSE;
  shape[0] = pages * (content->page.rows / content->lines);
  shape[opening->transposed ? 2 : 1] = content->lines;
  shape[opening->transposed ? 1 : 2] = content->page.columns;
  text = g_strdup_printf ("%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                          " x %" G_GUINT64_FORMAT,
      shape[0], shape[1], shape[2]);
  return oct_opening_take_shape (opening, 3, shape, text, error);
}
