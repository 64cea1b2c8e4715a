/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "oct-file-mode.h"
#include "oct-file-write.h"
#include "oct-file.h"
#include "oct-number.h"
#include "oct-volume-file-kinds.h"

gboolean
oct_volume_file_is_ascans (const OctVolumeFileInfo *info)
{
  return info->voxel == OCT_SAMPLE_CF32 || info->voxel == OCT_SAMPLE_F32;
}

guint64
oct_volume_file_get_size (const OctVolumeFileInfo *info)
{
  return (guint64)info->bscans * info->rows * info->columns
         * oct_sample_format_size (info->voxel);
}

gsize
oct_volume_file_get_slice_size (const OctVolumeFileInfo *info)
{
  return (gsize)info->rows * info->columns
         * oct_sample_format_size (info->voxel);
}

double
oct_volume_file_get_row_spacing (const OctVolumeFileInfo *info)
{
  return info->view == OCT_VOLUME_VIEW_ENFACE ? info->y_spacing
                                              : info->z_spacing;
}

double
oct_volume_file_get_slice_spacing (const OctVolumeFileInfo *info)
{
  return info->view == OCT_VOLUME_VIEW_ENFACE ? 0.0 : info->y_spacing;
}

void
oct_volume_file_set_error (GError **error, const char *path, int number)
{
  g_autofree char *file = oct_file_describe ("Volume", path);

  if (number == ENOSPC || number == EDQUOT)
    g_set_error (error, OCT_ERROR, OCT_ERROR_DISK_FULL,
        "%s cannot be written, the disk is full; make room, or set `location` "
        "to another disk",
        file);
  else if (number == EEXIST)
    g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
        "%s exists already, and volumes are never overwritten; set `location` "
        "to another name",
        file);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
        "%s cannot be written (%s); check `location`", file,
        g_strerror (number != 0 ? number : EIO));
}

/* The header, then all voxels. */
static gboolean
write_flat (const OctVolumeFileInfo *info, const void *header, gsize size,
    const guint8 *voxels, int fd, const char *path, guint64 *least,
    GError **error)
{
  guint64 bytes = oct_volume_file_get_size (info);
  int code = oct_file_write_all (fd, header, size);

  if (code == 0)
    code = oct_file_write_all (fd, voxels, bytes);
  *least = size + bytes;
  if (code != 0)
    oct_volume_file_set_error (error, path, code);
  return code == 0;
}

/* ---------------------------------------------------------------------- npy */

/* NumPy's format 1.0 (numpy.lib.format). */
static gboolean
write_npy (const OctVolumeFileInfo *info, const guint8 *voxels, int fd,
    const char *path, guint64 *least, GError **error)
{
  static const char *const types[] = {
    [OCT_SAMPLE_U8] = "|u1",
    [OCT_SAMPLE_U16] = "<u2",
    [OCT_SAMPLE_F32] = "<f4",
    [OCT_SAMPLE_CF32] = "<c8",
  };
  g_autofree char *text = g_strdup_printf (
      "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u, %u), }",
      types[info->voxel], info->bscans, info->rows, info->columns);
  /* blanks and a line's end fill it up to a multiple of 64 */
  gsize size = (10 + strlen (text) + 1 + 63) / 64 * 64;
  g_autofree char *header = g_malloc (size);

  memset (header, ' ', size);
  memcpy (header, "\x93NUMPY\x01\x00", 8);
  header[8] = (char)((size - 10) & 0xff);
  header[9] = (char)((size - 10) >> 8);
  memcpy (header + 10, text, strlen (text));
  header[size - 1] = '\n';
  return write_flat (info, header, size, voxels, fd, path, least, error);
}

/* -------------------------------------------------------------------- NIfTI */

#define NIFTI_HEADER 348
#define NIFTI_OFFSET 352

/* The fields of NIfTI-1 that are used (nifti1.h), at their places. */
static void
put_short (guint8 *header, guint at, gint value)
{
  gint16 little = GINT16_TO_LE ((gint16)value);

  memcpy (header + at, &little, sizeof little);
}

static void
put_float (guint8 *header, guint at, double value)
{
  union {
    float number;
    guint32 bits;
  } little = { .number = (float)value };

  little.bits = GUINT32_TO_LE (little.bits);
  memcpy (header + at, &little.bits, sizeof little.bits);
}

/* 80 bytes of text. */
static void
put_description (guint8 *header, const OctVolumeFileInfo *info)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *repeats = NULL, *values = NULL;

  g_ascii_formatd (number, sizeof number, "%.9g", info->refractive_index);
  if (info->repeats > 1)
    repeats = g_strdup_printf (", repeats %u", info->repeats);
  if (info->quantity != NULL)
    values = g_strdup_printf (
        ", %s in %s", info->quantity, info->unit != NULL ? info->unit : "1");
  g_snprintf ((char *)header + 148, 80, "OCT volume, gst-oct%s%s%s%s",
      values != NULL ? values : "",
      info->refractive_index > 0.0 ? ", refractive index " : "",
      info->refractive_index > 0.0 ? number : "",
      repeats != NULL ? repeats : "");
}

/* A-lines go to the right, B-scans to the back, depth down: as they are seen
 * from where the beam comes, with the first B-scan on top.  En face, rows go to
 * the back and pictures lie below each other. */
static gboolean
write_nifti (const OctVolumeFileInfo *info, const guint8 *voxels, int fd,
    const char *path, guint64 *least, GError **error)
{
  static const gint types[] = {
    [OCT_SAMPLE_U8] = 2,
    [OCT_SAMPLE_U16] = 512,
    [OCT_SAMPLE_F32] = 16,
    [OCT_SAMPLE_CF32] = 32,
  };
  gboolean is_ascans = oct_volume_file_is_ascans (info);
  /* mm; 1 if it is not known, as programs expect a number */
  double x = info->x_spacing > 0.0 ? info->x_spacing * 1e3 : 1.0;
  double row = oct_volume_file_get_row_spacing (info) * 1e3;
  double slice = oct_volume_file_get_slice_spacing (info) * 1e3;
  guint8 header[NIFTI_OFFSET] = { 0 };
  guint32 size = GUINT32_TO_LE (NIFTI_HEADER);
  gint bits = (gint)oct_sample_format_size (info->voxel) * 8;
  /* which of the file's axes is which direction; `depth`: that of rows */
  guint line = is_ascans ? 1 : 0, depth = is_ascans ? 0 : 1;
  /* where the matrix has rows and slices: of y, of z */
  gboolean is_enface = info->view == OCT_VOLUME_VIEW_ENFACE;
  guint row_at = is_enface ? 296 : 312, slice_at = is_enface ? 312 : 296;

  row = row > 0.0 ? row : 1.0;
  slice = slice > 0.0 ? slice : 1.0;

  memcpy (header, &size, sizeof size);
  put_short (header, 40, 3); /* dim */
  put_short (header, 42, (gint)info->columns);
  put_short (header, 44, (gint)info->rows);
  put_short (header, 46, (gint)info->bscans);
  for (guint i = 48; i < 56; i += 2)
    put_short (header, i, 1);
  put_short (header, 70, types[info->voxel]);
  put_short (header, 72, bits);
  put_float (header, 76, 1.0); /* pixdim */
  put_float (header, 80 + 4 * line, x);
  put_float (header, 80 + 4 * depth, row);
  put_float (header, 88, slice);
  put_float (header, 108, NIFTI_OFFSET);
  put_float (header, 112, 1.0); /* slope */
  header[123] = 2;              /* mm */
  put_description (header, info);
  if (info->quantity != NULL) {
    put_short (header, 68, 1001); /* intent: an estimate of a quantity */
    g_snprintf ((char *)header + 328, 16, "%s", info->quantity);
  }
  put_short (header, 254, 1); /* sform: scanner */
  put_float (header, 280 + 4 * line, x);
  put_float (header, slice_at + 4 * 2, -slice);
  put_float (header, row_at + 4 * depth, -row);
  memcpy (header + 344, "n+1", 4);
  return write_flat (
      info, header, sizeof header, voxels, fd, path, least, error);
}

/* -------------------------------------------------------------------- table */

#ifdef HAVE_TIFF
#  define TIFF_WRITE oct_volume_file_write_tiff
#else
#  define TIFF_WRITE NULL
#endif
#ifdef HAVE_DCMTK
#  define DICOM_WRITE oct_volume_file_write_dicom, oct_volume_file_check_dicom
#else
#  define DICOM_WRITE NULL, NULL
#endif
#ifdef HAVE_HDF5
#  define HDF5_WRITE oct_volume_file_write_hdf5
#else
#  define HDF5_WRITE NULL
#endif

#ifdef HAVE_ZARR
#  define ZARR_STREAM &oct_volume_stream_zarr
#else
#  define ZARR_STREAM NULL
#endif

static const OctVolumeFormat formats[] = {
  { OCT_VOLUME_FILE_NPY, "npy", "NumPy: [B-scan][depth][A-line]", { ".npy" },
      "NumPy", TRUE, TRUE, 0, 0, write_npy, NULL, NULL, NULL },
  { OCT_VOLUME_FILE_NIFTI, "nifti", "NIfTI-1, for 3D Slicer and others",
      { ".nii" }, "NIfTI", TRUE, TRUE, G_MAXINT16, 0, write_nifti, NULL, NULL,
      NULL },
  { OCT_VOLUME_FILE_TIFF, "tiff", "TIFF stack of B-scans, for ImageJ",
      { ".tif", ".tiff" }, "TIFF", FALSE, TRUE, 0,
      G_GUINT64_CONSTANT (4200000000), TIFF_WRITE, NULL, "libtiff-dev", NULL },
  { OCT_VOLUME_FILE_HDF5, "hdf5",
      "HDF5, dataset `images`, `ascans` or `values`", { ".h5", ".hdf5" },
      "HDF5", TRUE, TRUE, 0, 0, HDF5_WRITE, NULL, "libhdf5-dev", NULL },
  { OCT_VOLUME_FILE_DICOM, "dicom",
      "DICOM, an ophthalmic tomography image, for archives", { ".dcm" },
      "DICOM", FALSE, FALSE, 65535, G_GUINT64_CONSTANT (4200000000),
      DICOM_WRITE, "libdcmtk-dev", NULL },
  { OCT_VOLUME_FILE_ZARR, "zarr",
      "OME-Zarr 0.5, a folder, written while it is scanned", { ".zarr" },
      "Zarr", FALSE, TRUE, 0, 0, NULL, NULL, "libzstd-dev and libjson-glib-dev",
      ZARR_STREAM },
};

static const OctVolumeFormat *
volume_file_get_format (OctVolumeFileKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].kind == kind)
      return &formats[i];
  g_return_val_if_reached (NULL);
}

const char *
oct_volume_file_describe (guint n, OctVolumeFileKind *kind, const char **blurb)
{
  if (n >= G_N_ELEMENTS (formats))
    return NULL;
  *kind = formats[n].kind;
  *blurb = formats[n].blurb;
  return formats[n].nick;
}

OctVolumeFileKind
oct_volume_file_guess (const char *path, GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (GString) endings = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    for (guint k = 0; formats[i].endings[k] != NULL; k++) {
      if (g_str_has_suffix (lower, formats[i].endings[k]))
        return formats[i].kind;
      g_string_append_printf (
          endings, "%s%s", endings->len > 0 ? ", " : "", formats[i].endings[k]);
    }
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The name '%s' does not say which kind of file to write; let `location` "
      "end with one of %s, or set `format`",
      name, endings->str);
  return OCT_VOLUME_FILE_AUTO;
}

gboolean
oct_volume_file_check (
    OctVolumeFileKind kind, const OctVolumeFileInfo *info, GError **error)
{
  const OctVolumeFormat *format = volume_file_get_format (kind);
  guint longest = MAX (info->bscans, MAX (info->rows, info->columns));
  guint64 size = oct_volume_file_get_size (info);

  if (format->write == NULL && format->stream == NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s files cannot be written by this build, which lacks a library "
        "(Debian: %s); set `format` to another one",
        format->name, format->package);
  else if (info->voxel == OCT_SAMPLE_CF32 && !format->has_complex)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s files hold images, not complex A-scans; put octlogscale in front, "
        "or set `format` to hdf5 or npy",
        format->name);
  else if (info->voxel == OCT_SAMPLE_F32 && !format->has_values)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s files hold images, not values such as velocities; set `format` to "
        "hdf5, nifti, tiff, zarr or npy, or take images of the element in "
        "front",
        format->name);
  else if (format->most > 0 && longest > format->most)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A volume of %u x %u x %u is too large for %s, which has at most "
        "%" G_GUINT64_FORMAT " in each direction; set `format` to hdf5 or npy",
        info->bscans, info->rows, info->columns, format->name, format->most);
  else if (format->most_bytes > 0 && size > format->most_bytes)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A volume of %.1f GB is too large for %s, which holds 4 GB; set "
        "`format` to hdf5 or npy",
        size * 1e-9, format->name);
  else
    return format->check == NULL || format->check (info, error);
  return FALSE;
}

/* ------------------------------------------------------------------ writing */

/* Refuses volumes that do not fit, with room for headers. */
static gboolean
check_room (const char *path, guint64 size, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_filename_display_name (folder);
  struct statvfs disk;
  g_autofree char *needed = NULL, *left = NULL;
  guint64 room;

  size += 65536; /* the file system's own data */
  if (statvfs (folder, &disk) != 0)
    return TRUE; /* the error on opening is better */
  room = (guint64)disk.f_bavail * disk.f_frsize;
  if (room >= size)
    return TRUE;
  needed = oct_number_beside (size * 1e-6, room * 1e-6, 1);
  left = oct_number_beside (room * 1e-6, size * 1e-6, 1);
  g_set_error (error, OCT_ERROR, OCT_ERROR_DISK_FULL,
      "A volume of %s MB does not fit the disk of '%s', where %s MB are "
      "free; make room, or set `location` to another disk",
      needed, name, left);
  return FALSE;
}

gboolean
oct_volume_file_check_new (const char *path, GError **error)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    oct_volume_file_set_error (error, path, EEXIST);
  else if (g_file_test (part, G_FILE_TEST_EXISTS))
    oct_volume_file_set_error (error, part, EEXIST);
  else if (g_access (folder, W_OK | X_OK) != 0)
    oct_volume_file_set_error (error, path, errno);
  else
    return TRUE;
  return FALSE;
}

/* --------------------------------------------------------- while it is scanned
 */

struct _OctVolumeStream {
  const OctVolumeStreamKind *kind;
  gpointer stream;
};

gboolean
oct_volume_file_is_streamed (OctVolumeFileKind kind)
{
  return volume_file_get_format (kind)->stream != NULL;
}

OctVolumeStream *
oct_volume_stream_open (OctVolumeFileKind kind, const char *path,
    const OctVolumeFileInfo *info, guint mode, GError **error)
{
  const OctVolumeFormat *format = volume_file_get_format (kind);
  OctVolumeStream *self;
  gpointer stream;

  g_return_val_if_fail (format->stream != NULL, NULL);
  if (!oct_volume_file_check (kind, info, error)
      || !oct_volume_file_check_new (path, error)
      || !check_room (path, oct_volume_file_get_size (info), error))
    return NULL;
  stream = format->stream->open (path, info, mode, error);
  if (stream == NULL)
    return NULL;
  self = g_new (OctVolumeStream, 1);
  self->kind = format->stream;
  self->stream = stream;
  return self;
}

gboolean
oct_volume_stream_put (OctVolumeStream *self, guint bscan, const guint8 *pixels,
    gsize stride, GError **error)
{
  return self->kind->put (self->stream, bscan, pixels, stride, error);
}

gboolean
oct_volume_stream_end (OctVolumeStream *self, GError **error)
{
  gboolean ok = self->kind->end (self->stream, error);

  g_free (self);
  return ok;
}

void
oct_volume_stream_leave (OctVolumeStream *self, gboolean remove)
{
  self->kind->leave (self->stream, remove);
  g_free (self);
}

/* A volume that is whole already. */
static gboolean
write_streamed (OctVolumeFileKind kind, const char *path,
    const OctVolumeFileInfo *info, const guint8 *voxels, guint mode,
    GError **error)
{
  OctVolumeStream *stream =
      oct_volume_stream_open (kind, path, info, mode, error);
  gsize row = (gsize)info->columns * oct_sample_format_size (info->voxel);

  if (stream == NULL)
    return FALSE;
  for (guint i = 0; i < info->bscans; i++)
    if (!oct_volume_stream_put (
            stream, i, voxels + i * info->rows * row, row, error)) {
      oct_volume_stream_leave (stream, TRUE);
      return FALSE;
    }
  return oct_volume_stream_end (stream, error);
}

gboolean
oct_volume_file_write (OctVolumeFileKind kind, const char *path,
    const OctVolumeFileInfo *info, gconstpointer voxels, guint mode,
    GError **error)
{
  const OctVolumeFormat *format = volume_file_get_format (kind);
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  guint64 least = oct_volume_file_get_size (info);
  int fd, code;

  if (format->stream != NULL)
    return write_streamed (kind, path, info, voxels, mode, error);
  if (!oct_volume_file_check (kind, info, error)
      || !oct_volume_file_check_new (path, error)
      || !check_room (path, oct_volume_file_get_size (info), error))
    return FALSE;
  fd = oct_file_mode_create (part, O_RDWR, mode);
  if (fd < 0) {
    oct_volume_file_set_error (error, errno == EEXIST ? part : path, errno);
    return FALSE;
  }
  if (!format->write (info, voxels, fd, part, &least, error)) {
    close (fd);
    (void)g_unlink (part);
    return FALSE;
  }
  code = oct_file_end_as_new (fd, least, part, path);
  if (code != 0)
    oct_volume_file_set_error (error, path, code);
  return code == 0;
}
