/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat files: raw and NumPy. */
#include "oct-formats.h"

#include "oct-layout.h"
#include "oct-npy.h"

#include <string.h>

/* The format that the ending of a name promises; had the content kept the
 * promise, it would not be read as a raw file. */
static const char *
get_promise (const OctOpening *opening)
{
  static const struct {
    const char *ending, *promise;
  } endings[] = { { ".npy'", "a NumPy .npy file" },
    { ".mat'", "a MATLAB file" }, { ".h5'", "an HDF5 file" },
    { ".hdf5'", "an HDF5 file" }, { ".tif'", "a TIFF file" },
    { ".tiff'", "a TIFF file" },
    { ".oct'", "an .oct file of Thorlabs, Bioptigen or octrawsink" },
    { ".srr'", "a Thorlabs .srr file" }, { ".tdms'", "a TDMS file" } };
  g_autofree char *file = g_ascii_strdown (opening->file, -1);

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (file, endings[i].ending))
      return endings[i].promise;
  return NULL;
}

static void
set_no_sizes (const OctOpening *opening, GError **error)
{
  const OctReaderSettings *settings = opening->settings;
  const char *promise =
      settings->format == OCT_FILE_AUTO ? get_promise (opening) : NULL;

  if (promise != NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s has a name like %s, but not the content of one, and is read as a "
        "raw file, which does not tell its sizes; copy or save it again, or "
        "set `samples` (values per A-line, now %u) and `lines` (A-lines per "
        "B-scan, now %u) if it is raw",
        opening->file, promise, settings->samples, settings->lines);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is read as a raw file, which does not tell its sizes; set "
        "`samples` (values per A-line, now %u) and `lines` (A-lines per "
        "B-scan, now %u)",
        opening->file, settings->samples, settings->lines);
}

gboolean
oct_format_open_raw (OctOpening *opening, GError **error)
{
  const OctReaderSettings *settings = opening->settings;

  if (!oct_opening_take_frames (opening, error))
    return FALSE;
  if (settings->samples == 0 || settings->lines == 0) {
    set_no_sizes (opening, error);
    return FALSE;
  }
  opening->stored = settings->stored;
  if (settings->header_size >= opening->file_size) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s has %" G_GUINT64_FORMAT
        " bytes, but `header-size` skips %" G_GUINT64_FORMAT
        "; set `header-size` smaller",
        opening->file, opening->file_size, settings->header_size);
    return FALSE;
  }
  opening->data_offset = settings->header_size;
  if (!(settings->packing != OCT_PACKING_NONE
              ? oct_format_open_packed (opening, error)
              : oct_opening_count_frames (
                  opening, settings->samples, settings->lines, 0, error)))
    return FALSE;
  opening->info.bscans = settings->bscans
                             ? settings->bscans
                             : (guint)MIN (opening->info.frames, G_MAXUINT);
  return TRUE;
}

gboolean
oct_format_open_npy (OctOpening *opening, GError **error)
{
  g_autofree char *text = NULL;
  OctNpyHeader header;
  OctShape shape = { 0 };

  if (!oct_npy_parse_header (
          opening->file, opening->head, opening->head_size, &header, error)
      || !oct_opening_check_raw_only (opening, "a NumPy file", error)
      || !oct_opening_check_no_names (opening, error))
    return FALSE;
  opening->stored = header.stored;
  opening->data_offset = header.data_offset;
  text = oct_npy_describe_shape (&header);
  shape.dims = header.dims;
  memcpy (shape.lengths, header.shape, sizeof header.shape);
  shape.first_is_fastest = header.fortran_order;
  shape.text = text;
  return oct_opening_take_array (opening, &shape, NULL, error);
}
