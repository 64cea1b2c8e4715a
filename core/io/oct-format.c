/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE /* memmem */
#include "oct-format.h"

#include "oct-file.h"
#include "oct-layout.h"
#include "oct-npy.h"
#include "oct-recording.h"

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

/* B-scans that a file may announce for each one that it has: a scan may have
 * been stopped early, but a volume of black B-scans is of use to nobody. */
#define MAX_ANNOUNCED 1000

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
  { .format = OCT_FILE_RAW,
      .nick = "raw",
      .blurb = "Flat samples after a header of `header-size`",
      .name = "a raw file",
      .open = oct_format_open_raw },
};

const char *
oct_reader_describe_format (guint n, OctFileFormat *format, const char **blurb)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i].nick == NULL || n-- > 0)
      continue;
    *format = formats[i].format;
    *blurb = formats[i].blurb;
    return formats[i].nick;
  }
  return NULL;
}

static gboolean
format_fits (const OctFormat *format, const OctOpening *opening)
{
  gboolean any = format->magics[0].size == 0;

  for (const OctMagic *magic = format->magics; !any && magic->size > 0; magic++)
    any = opening->head_size >= magic->offset + magic->size
          && memcmp (opening->head + magic->offset, magic->bytes, magic->size)
                 == 0;
  return any && (format->probe == NULL || format->probe (opening));
}

#define RECORDING_MEDIA "application/x-oct-recording"

const char *
oct_reader_recognise (const guint8 *head, gsize size)
{
  const OctOpening opening = { .path = "", .head = head, .head_size = size };

  if (oct_recording_begins (head, size))
    return RECORDING_MEDIA;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].media != NULL && format_fits (&formats[i], &opening))
      return formats[i].media;
  return NULL;
}

const char *
oct_reader_get_media_type (guint n)
{
  if (n-- == 0)
    return RECORDING_MEDIA;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].media != NULL && n-- == 0)
      return formats[i].media;
  return NULL;
}

/* "auto, raw or npy" */
static char *
list_nicks (void)
{
  g_autoptr (GString) list = g_string_new ("auto");
  OctFileFormat format;
  const char *nick, *blurb;

  for (guint n = 0;
       (nick = oct_reader_describe_format (n, &format, &blurb)) != NULL; n++)
    g_string_append_printf (list, ", %s", nick);
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
            ? !format_fits (format, opening)
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

/* -------------------------------------------------- files that belong to one */

void
oct_format_add_file (GPtrArray *files, const char *path)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    g_ptr_array_add (files, g_strdup (path));
}

void
oct_format_add_beside (GPtrArray *files, const char *path,
    gboolean (*belongs) (const char *name, gconstpointer data),
    gconstpointer data)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
  const char *name;

  while (entries != NULL && (name = g_dir_read_name (entries)) != NULL)
    if (belongs (name, data))
      g_ptr_array_add (files, g_build_filename (folder, name, NULL));
}

static int
format_compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

GPtrArray *
oct_reader_list_files (const char *path)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);

  oct_recording_list_files (path, files);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].list_files != NULL)
      formats[i].list_files (path, files);
  g_ptr_array_sort (files, format_compare_paths);
  return files;
}

/* ------------------------------------------------------- what openers share */

gboolean
oct_opening_check_raw_only (
    const OctOpening *opening, const char *name, GError **error)
{
  if (opening->settings->packing != OCT_PACKING_NONE) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is %s, which tells how its values are stored, but `packing` is "
        "set; leave it none or set `format` to raw",
        opening->file, name);
    return FALSE;
  }
  if (opening->settings->header_size == 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s is %s, which tells the size of its header, but `header-size` is set "
      "to %" G_GUINT64_FORMAT "; leave it 0 or set `format` to raw",
      opening->file, name, opening->settings->header_size);
  return FALSE;
}

gboolean
oct_opening_count_frames (OctOpening *opening, guint64 samples, guint64 lines,
    guint64 wanted, GError **error)
{
  guint64 bytes, frame_bytes;

  if (samples > OCT_MAX_SAMPLES || lines > OCT_MAX_LINES
      || samples * lines > OCT_MAX_BSCAN_VALUES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s would have B-scans of %" G_GUINT64_FORMAT
        " lines of %" G_GUINT64_FORMAT " samples, but at most %u lines of %u "
        "samples and %u values in all are possible; set `lines` or `samples` "
        "smaller",
        opening->file, lines, samples, OCT_MAX_LINES, OCT_MAX_SAMPLES,
        OCT_MAX_BSCAN_VALUES);
    return FALSE;
  }

  frame_bytes = samples * lines * oct_stored_get (opening->stored)->size;
  bytes = opening->file_size - MIN (opening->data_offset, opening->file_size);
  if (opening->container != NULL)
    bytes = wanted;
  else if (wanted)
    bytes = MIN (bytes, wanted);
  if (bytes < frame_bytes) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s holds %" G_GUINT64_FORMAT " bytes of spectra, but one B-scan of "
        "%" G_GUINT64_FORMAT " lines of %" G_GUINT64_FORMAT " samples needs "
        "%" G_GUINT64_FORMAT "; %s",
        opening->file, bytes, lines, samples, frame_bytes,
        wanted ? "it was cut off, copy or save it again"
               : "set `samples`, `lines`, `sample-format` or `header-size` to "
                 "what was recorded");
    return FALSE;
  }
  opening->info.samples = samples;
  opening->info.lines = lines;
  opening->info.frames = bytes / frame_bytes;
  opening->info.leftover_bytes = bytes % frame_bytes;
  opening->info.announced =
      wanted ? wanted / frame_bytes : opening->info.frames;
  return TRUE;
}

gboolean
oct_opening_check_present (const OctOpening *opening, guint64 announced,
    guint64 present, GError **error)
{
  g_autofree char *list = NULL;

  if (present > 0 && announced / present <= MAX_ANNOUNCED)
    return TRUE;
  list = oct_missing_describe (opening->missing);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s says that it has %" G_GUINT64_FORMAT
      " B-scans, but only %" G_GUINT64_FORMAT
      " are there%s%s; copy it again, or save those that are there alone",
      opening->file, announced, present, *list != '\0' ? ": missing are " : "",
      list);
  return FALSE;
}

/* FALSE with an error when the user's `setting` is not the `found` of the
 * file. */
static gboolean
check_setting (const OctOpening *opening, const char *text,
    const char *property, guint setting, guint64 found, GError **error)
{
  if (setting == 0 || setting == found)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s has the shape %s, thus %s %" G_GUINT64_FORMAT ", but `%s` is set to "
      "%u; leave `%s` 0 or set it to %" G_GUINT64_FORMAT,
      opening->file, text, property, found, property, setting, property, found);
  return FALSE;
}

gboolean
oct_opening_take_shape (OctOpening *opening, guint dims, const guint64 *shape,
    const char *text, GError **error)
{
  const OctReaderSettings *settings = opening->settings;
  guint64 samples = shape[dims - 1], lines = dims > 1 ? shape[dims - 2] : 1;
  guint64 bscans = dims > 2 ? shape[0] : 1, total;

  g_assert (dims >= 1 && dims <= 3);
  if (samples == 0 || lines == 0 || bscans == 0
      || !g_uint64_checked_mul (
          &total, samples, oct_stored_get (opening->stored)->size)
      || !g_uint64_checked_mul (&total, total, lines)
      || !g_uint64_checked_mul (&total, total, bscans) || total > G_MAXINT64) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s holds an array of the shape %s, which is empty or impossible; "
        "save an array with values",
        opening->file, text);
    return FALSE;
  }
  if (!check_setting (
          opening, text, "samples", settings->samples, samples, error))
    return FALSE;
  /* the lines of a two-dimensional array can be grouped to B-scans */
  if (dims == 2 && settings->lines && settings->lines <= lines)
    lines = settings->lines;
  if (!check_setting (opening, text, "lines", settings->lines, lines, error))
    return FALSE;
  /* the volume of a three-dimensional array may be several, one after the
   * other */
  if (dims == 3 && settings->bscans != 0 && bscans % settings->bscans != 0)
    return check_setting (
        opening, text, "bscans", settings->bscans, bscans, error);
  if (!oct_opening_count_frames (opening, samples, lines, total, error))
    return FALSE;
  opening->info.bscans = settings->bscans;
  if (settings->bscans == 0)
    opening->info.bscans =
        (guint)MIN (dims == 3 ? bscans : opening->info.frames, G_MAXUINT);
  return TRUE;
}

/* ------------------------------------------------------------- flat formats */

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
