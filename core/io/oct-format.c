/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-format.h"

#include "oct-formats.h"
#include "oct-npy.h"

#include <string.h>

#define HDF5_MAGIC "\x89HDF\r\n\x1a\n"

/* How a row opens files, or the library that is missing for it. */
#define OCT_NEEDS(library, function, what, debian)                             \
  OCT_NEEDS_##library (function, what, debian)
#ifdef HAVE_ZLIB
#  define OCT_NEEDS_ZLIB(function, what, debian) .open = function
#else
#  define OCT_NEEDS_ZLIB(function, what, debian)                               \
    .needs = what, .package = debian
#endif
#ifdef HAVE_HDF5
#  define OCT_NEEDS_HDF5(function, what, debian) .open = function
#else
#  define OCT_NEEDS_HDF5(function, what, debian)                               \
    .needs = what, .package = debian
#endif

#ifdef HAVE_ZIP
#  define OCT_NEEDS_ZIP(function, what, debian) .open = function
#else
#  define OCT_NEEDS_ZIP(function, what, debian) .needs = what, .package = debian
#endif

#ifdef HAVE_TIFF
#  define OCT_NEEDS_TIFF(function, what, debian) .open = function
#else
#  define OCT_NEEDS_TIFF(function, what, debian)                               \
    .needs = what, .package = debian
#endif

#ifdef HAVE_ZARR
#  define OCT_NEEDS_ZARR(function, what, debian) .open = function
#else
#  define OCT_NEEDS_ZARR(function, what, debian)                               \
    .needs = what, .package = debian
#endif

#define SAVE_AS_NPY "save the spectra as .npy (numpy.save)"

/* Recognises a ZIP archive by its name, or by that of an entry that all have.
 */
static gboolean
is_thorlabs (const OctOpening *opening)
{
  g_autofree char *path = g_ascii_strdown (opening->path, -1);

  return g_str_has_suffix (path, ".oct")
         || memmem (opening->head, opening->head_size, "Header.xml", 10)
                != NULL;
}

/* Every Zarr store of version 3 says so in its text. */
static gboolean
is_zarr (const OctOpening *opening)
{
  gsize at = 0;

  while (at < opening->head_size && g_ascii_isspace (opening->head[at]))
    at++;
  return at < opening->head_size && opening->head[at] == '{'
         && memmem (opening->head, opening->head_size, "\"zarr_format\"", 13)
                != NULL;
}

/* The formats: a new one is one row.  Which one a file is, the first row that
 * fits says; the last one fits any. */
static const OctFormat formats[] = {
  { .format = OCT_FILE_NPY,
      .nick = "npy",
      .blurb = "NumPy array of 1, 2 or 3 dimensions",
      .name = "a NumPy .npy file",
      .media = "application/x-npy",
      .magics = { { 0, OCT_NPY_MAGIC_SIZE, OCT_NPY_MAGIC } },
      .open = oct_format_open_npy },
  { .format = OCT_FILE_MAT,
      .nick = "matlab",
      .blurb = "MATLAB file of version 5 to 7.2: one of its arrays",
      .name = "a MATLAB 5 file",
      .media = "application/x-matlab-data",
      .magics = { { 0, 10, "MATLAB 5.0" } },
      OCT_NEEDS (ZLIB, oct_format_open_mat, "zlib", "zlib1g-dev") },
  { .format = OCT_FILE_HDF5,
      .nick = "hdf5",
      .blurb = "HDF5 file, also of MATLAB 7.3: one of its datasets",
      .name = "an HDF5 file (also MATLAB 7.3)",
      .media = "application/x-hdf5",
      /* after a user block */
      .magics = { { 0, 8, HDF5_MAGIC }, { 0, 10, "MATLAB 7.3" },
          { 512, 8, HDF5_MAGIC }, { 1024, 8, HDF5_MAGIC } },
      OCT_NEEDS (HDF5, oct_format_open_hdf5, "HDF5", "libhdf5-dev") },
  { .format = OCT_FILE_THORLABS,
      .nick = "thorlabs",
      .blurb = "Thorlabs .oct: spectra, chirp and apodization of an archive",
      .name = "a Thorlabs .oct file",
      .media = "application/x-oct-thorlabs",
      .magics = { { 0, 4, "PK\3\4" } },
      .probe = is_thorlabs,
      OCT_NEEDS (ZIP, oct_format_open_thorlabs, "libzip", "libzip-dev") },
  { .format = OCT_FILE_SRR,
      .nick = "srr",
      .blurb =
          "Thorlabs .srr: all files of a volume, by the name of one of them",
      .name = "a Thorlabs .srr file",
      .media = "application/x-oct-srr",
      .magics = { { 0, 11, "headersize=" } },
      .open = oct_format_open_srr,
      .list_files = oct_format_list_srr },
  { .name = "a ZIP archive (also .npz)",
      .magics = { { 0, 4, "PK\3\4" } },
      .advice = SAVE_AS_NPY },
  { .format = OCT_FILE_TIFF,
      .nick = "tiff",
      .blurb = "TIFF, also BigTIFF: each page a B-scan, each row an A-line",
      .name = "a TIFF file",
      .magics = { { 0, 4, "II*\0" }, { 0, 4, "MM\0*" }, { 0, 4, "II+\0" },
          { 0, 4, "MM\0+" } },
      OCT_NEEDS (TIFF, oct_format_open_tiff, "libtiff", "libtiff-dev") },
  { .name = "a PNG image",
      .magics = { { 0, 4, "\x89PNG" } },
      .advice = SAVE_AS_NPY },
  { .name = "compressed with gzip",
      .magics = { { 0, 3, "\x1f\x8b\x08" } },
      .advice = "unpack it with gunzip" },
  { .format = OCT_FILE_BIOPTIGEN,
      .nick = "bioptigen",
      .blurb = "Bioptigen .OCT that was saved with spectra",
      .name = "a Bioptigen .OCT file",
      .media = "application/x-oct-bioptigen",
      .magics = { { 10, 11, "FRAMEHEADER" } },
      .open = oct_format_open_bioptigen },
  { .format = OCT_FILE_TDMS,
      .nick = "tdms",
      .blurb = "TDMS of LabVIEW: one of its channels",
      .name = "a TDMS file",
      .media = "application/x-tdms",
      .magics = { { 0, 4, "TDSm" } },
      .open = oct_format_open_tdms },
  { .name = "the index of a TDMS file",
      .magics = { { 0, 4, "TDSh" } },
      .advice = "name the .tdms file beside it" },
  { .format = OCT_FILE_UNP,
      .nick = "unp",
      .blurb = "octopod's .unp with its XML beside it",
      .name = "an .unp file",
      .probe = oct_format_is_unp,
      .open = oct_format_open_unp,
      .list_files = oct_format_list_unp },
  { .format = OCT_FILE_OCTPROZ,
      .nick = "octproz",
      .blurb = "Recording of OCTproZ with its settings beside it",
      .name = "a recording of OCTproZ",
      .probe = oct_format_is_octproz,
      .open = oct_format_open_octproz,
      .list_files = oct_format_list_octproz },
  { .format = OCT_FILE_ZARR,
      .nick = "zarr",
      .blurb = "Zarr 3, also OME-Zarr 0.5: a folder, one of its arrays",
      .name = "a Zarr store",
      .probe = is_zarr,
      OCT_NEEDS (ZARR, oct_format_open_zarr, "zstd and JSON-GLib",
          "libzstd-dev and libjson-glib-dev"),
      .list_files = oct_format_list_zarr },
  { .format = OCT_FILE_RAW,
      .nick = "raw",
      .blurb = "Flat samples after a header of `header-size`",
      .name = "a raw file",
      .open = oct_format_open_raw },
};

const OctFormat *
oct_format_get (guint n)
{
  return n < G_N_ELEMENTS (formats) ? &formats[n] : NULL;
}

gboolean
oct_format_fits (const OctFormat *format, const OctOpening *opening)
{
  gboolean any = format->magics[0].size == 0;

  for (const OctMagic *magic = format->magics; !any && magic->size > 0; magic++)
    any = opening->head_size >= magic->offset + magic->size
          && memcmp (opening->head + magic->offset, magic->bytes, magic->size)
                 == 0;
  return any && (format->probe == NULL || format->probe (opening));
}

/* "auto, raw or npy" */
static char *
list_nicks (void)
{
  g_autoptr (GString) list = g_string_new ("auto");

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].nick != NULL)
      g_string_append_printf (list, ", %s", formats[i].nick);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static gboolean
format_refuse (
    const OctOpening *opening, const OctFormat *format, GError **error)
{
  if (format->needs != NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is %s, but this build of the plugin was made without %s; install "
        "it (Debian: %s) and build the plugin again",
        opening->file, format->name, format->needs, format->package);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is %s, which cannot be read; %s, or set `format` to raw and "
        "`header-size` to the bytes before the spectra",
        opening->file, format->name, format->advice);
  return FALSE;
}

gboolean
oct_format_open (OctOpening *opening, GError **error)
{
  OctFileFormat wanted = opening->settings->format;
  g_autofree char *nicks = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    const OctFormat *format = &formats[i];

    if (wanted == OCT_FILE_AUTO
            ? !oct_format_fits (format, opening)
            : format->nick == NULL || wanted != format->format)
      continue;
    if (format->open == NULL)
      return format_refuse (opening, format, error);
    opening->info.format = format->format;
    return format->open (opening, error);
  }
  nicks = list_nicks ();
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s: the file format %d is not known; set `format` to one of %s",
      opening->file, wanted, nicks);
  return FALSE;
}
