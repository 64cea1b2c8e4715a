/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TIFF page per B-scan, with the third dimension for ImageJ in the
 * description of the first one. */
#include <errno.h>
#include <stdarg.h>
#include <tiffio.h>
#include <unistd.h>

#include "oct-volume-file-kinds.h"

/* Rows that are written at a time. */
#define STRIP_BYTES 262144

/* The messages of libtiff are dropped: errno says what users can do. */
static int
be_silent (TIFF *tiff, void *data, const char *module, const char *format,
    va_list arguments)
{
  return 1;
}

static TIFF *
open_stack (int fd, const char *path)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  TIFF *tiff;

  TIFFOpenOptionsSetErrorHandlerExtR (options, be_silent, NULL);
  TIFFOpenOptionsSetWarningHandlerExtR (options, be_silent, NULL);
  tiff = TIFFFdOpenExt (fd, path, "wl", options);
  TIFFOpenOptionsFree (options);
  return tiff;
}

static gboolean
write_page (TIFF *tiff, const OctVolumeFileInfo *info, guint bscan,
    const char *description, const guint8 *pixels)
{
  gsize row = (gsize)info->columns * oct_sample_format_size (info->voxel);
  guint rows = (guint)CLAMP (STRIP_BYTES / row, 1, info->rows);
  double down = oct_volume_file_get_row_spacing (info);
  gboolean ok = TRUE;

  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)info->columns);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, (uint32_t)info->rows);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE,
      (int)oct_sample_format_size (info->voxel) * 8);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT,
      info->voxel == OCT_SAMPLE_F32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)rows);
  TIFFSetField (tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
  TIFFSetField (tiff, TIFFTAG_PAGENUMBER, (int)MIN (bscan, 65535),
      (int)MIN (info->bscans, 65535));
  TIFFSetField (tiff, TIFFTAG_SOFTWARE, "gst-oct");
  if (info->x_spacing > 0.0 && down > 0.0) {
    /* pixels per unit: mm as the description has it */
    TIFFSetField (tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
    TIFFSetField (tiff, TIFFTAG_XRESOLUTION, 1e-3 / info->x_spacing);
    TIFFSetField (tiff, TIFFTAG_YRESOLUTION, 1e-3 / down);
  }
  if (bscan == 0)
    TIFFSetField (tiff, TIFFTAG_IMAGEDESCRIPTION, description);
  for (guint first = 0; ok && first < info->rows; first += rows) {
    guint n = MIN (rows, info->rows - first);

    /* libtiff does not change it: nothing has to be swapped or packed */
    ok = TIFFWriteEncodedStrip (tiff, first / rows,
             (void *)(gsize)(pixels + first * row), (tmsize_t)(n * row))
         >= 0;
  }
  return ok && TIFFWriteDirectory (tiff) != 0;
}

/* All pages.  Values are turned, so that the depth runs downwards in them as in
 * images. */
static gboolean
write_pages (TIFF *tiff, const OctVolumeFileInfo *info, const char *description,
    const guint8 *voxels)
{
  gsize slice = oct_volume_file_get_slice_size (info);
  OctVolumeFileInfo turned = *info;
  g_autofree float *page = NULL;
  gboolean ok = TRUE;

  if (info->voxel == OCT_SAMPLE_F32) {
    turned.rows = info->columns;
    turned.columns = info->rows;
    page = g_try_malloc (slice);
    if (page == NULL) {
      errno = ENOMEM;
      return FALSE;
    }
  }
  for (guint i = 0; ok && i < info->bscans; i++) {
    const guint8 *from = voxels + i * slice;

    for (guint y = 0; page != NULL && y < info->rows; y++)
      for (guint x = 0; x < info->columns; x++)
        page[(gsize)x * info->rows + y] =
            ((const float *)(gconstpointer)from)[(gsize)y * info->columns + x];
    ok = write_page (tiff, &turned, i, description,
        page != NULL ? (const guint8 *)page : from);
  }
  return ok;
}

gboolean
oct_volume_file_write_tiff (const OctVolumeFileInfo *info, const guint8 *voxels,
    int fd, const char *path, guint64 *least, GError **error)
{
  double between = oct_volume_file_get_slice_spacing (info);
  g_autofree char *spacing = NULL, *index = NULL, *repeats = NULL;
  g_autofree char *values = NULL;
  g_autofree char *description = NULL;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean ok;
  /* libtiff closes its file */
  int own = dup (fd);
  TIFF *tiff = NULL;

  if (between > 0.0)
    spacing = g_strdup_printf ("spacing=%s\n",
        g_ascii_formatd (number, sizeof number, "%.9g", between * 1e3));
  if (info->refractive_index > 0.0)
    index = g_strdup_printf (
        "refractive_index=%s\n", g_ascii_formatd (number, sizeof number, "%.9g",
                                     info->refractive_index));
  if (info->repeats > 1)
    repeats = g_strdup_printf ("repeats=%u\n", info->repeats);
  if (info->quantity != NULL)
    values = g_strdup_printf ("quantity=%s\nquantity_unit=%s\n", info->quantity,
        info->unit != NULL ? info->unit : "1");
  /* with a number of images, ImageJ looks at the first page alone and takes the
   * others to follow without a gap; but their directories are between them */
  description = g_strdup_printf (
      "ImageJ=1.53\nslices=%u\nunit=mm\n%sloop=false\n%s%s%s", info->bscans,
      spacing != NULL ? spacing : "", index != NULL ? index : "",
      repeats != NULL ? repeats : "", values != NULL ? values : "");
  errno = 0;
  if (own >= 0)
    tiff = open_stack (own, path);
  if (tiff == NULL) {
    oct_volume_file_set_error (error, path, errno);
    if (own >= 0)
      close (own);
    return FALSE;
  }
  ok = write_pages (tiff, info, description, voxels);
  /* closing reports no error */
  ok = ok && TIFFFlush (tiff) != 0;
  if (!ok)
    oct_volume_file_set_error (error, path, errno);
  TIFFClose (tiff);
  return ok;
}
