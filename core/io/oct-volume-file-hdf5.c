/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A dataset [bscan][depth][line] `images`, or [bscan][line][depth] `ascans` or
 * `values`, with element_size_um as Fiji's HDF5 plugins and others read it. */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <string.h>
#include <unistd.h>

#include "oct-hdf5.h"
#include "oct-volume-file-kinds.h"

/* Upper bound of the bytes in a file besides the voxels. */
#define HEADERS 8192

/* Complex numbers as h5py and MATLAB's readers know them. */
static hid_t
make_type (OctSampleFormat voxel, gboolean in_file)
{
  hid_t part = in_file ? H5T_IEEE_F32LE : H5T_NATIVE_FLOAT;
  hid_t type;

  if (voxel == OCT_SAMPLE_U8)
    return H5Tcopy (H5T_STD_U8LE);
  if (voxel == OCT_SAMPLE_U16)
    return H5Tcopy (in_file ? H5T_STD_U16LE : H5T_NATIVE_UINT16);
  if (voxel == OCT_SAMPLE_F32)
    return H5Tcopy (part);
  type = H5Tcreate (H5T_COMPOUND, 8);
  H5Tinsert (type, "r", 0, part);
  H5Tinsert (type, "i", 4, part);
  return type;
}

static gboolean
add_text (hid_t object, const char *name, const char *text)
{
  hid_t type = H5Tcopy (H5T_C_S1);
  hid_t space = H5Screate (H5S_SCALAR);
  hid_t attribute;
  gboolean ok;

  H5Tset_size (type, strlen (text));
  attribute = H5Acreate2 (object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  ok = attribute >= 0 && H5Awrite (attribute, type, text) >= 0;
  if (attribute >= 0)
    H5Aclose (attribute);
  H5Sclose (space);
  H5Tclose (type);
  return ok;
}

static gboolean
add_index (hid_t dataset, const OctVolumeFileInfo *info)
{
  hid_t space, attribute;
  gboolean ok;

  if (!(info->refractive_index > 0.0))
    return TRUE;
  space = H5Screate (H5S_SCALAR);
  attribute = H5Acreate2 (dataset, "refractive_index", H5T_IEEE_F64LE, space,
      H5P_DEFAULT, H5P_DEFAULT);
  ok = attribute >= 0
       && H5Awrite (attribute, H5T_NATIVE_DOUBLE, &info->refractive_index) >= 0;
  if (attribute >= 0)
    H5Aclose (attribute);
  H5Sclose (space);
  return ok;
}

static gboolean
add_repeats (hid_t dataset, const OctVolumeFileInfo *info)
{
  hid_t space, attribute;
  gboolean ok;

  if (info->repeats <= 1)
    return TRUE;
  space = H5Screate (H5S_SCALAR);
  attribute = H5Acreate2 (
      dataset, "repeats", H5T_STD_U32LE, space, H5P_DEFAULT, H5P_DEFAULT);
  ok = attribute >= 0
       && H5Awrite (attribute, H5T_NATIVE_UINT, &info->repeats) >= 0;
  if (attribute >= 0)
    H5Aclose (attribute);
  H5Sclose (space);
  return ok;
}

/* Name and unit of the values. */
static gboolean
add_quantity (hid_t dataset, const OctVolumeFileInfo *info)
{
  return (info->quantity == NULL
             || add_text (dataset, "quantity", info->quantity))
         && (info->unit == NULL || add_text (dataset, "unit", info->unit));
}

static gboolean
add_spacing (hid_t dataset, const OctVolumeFileInfo *info)
{
  gboolean is_ascans = oct_volume_file_is_ascans (info);
  double um[3] = { oct_volume_file_get_slice_spacing (info) * 1e6,
    oct_volume_file_get_row_spacing (info) * 1e6, info->x_spacing * 1e6 };
  hsize_t three = 3;
  hid_t space, attribute;
  gboolean ok;

  if (is_ascans) {
    um[1] = info->x_spacing * 1e6;
    um[2] = info->z_spacing * 1e6;
  }
  if (!(um[0] > 0.0 && um[1] > 0.0 && um[2] > 0.0))
    return TRUE;
  space = H5Screate_simple (1, &three, NULL);
  attribute = H5Acreate2 (dataset, "element_size_um", H5T_IEEE_F64LE, space,
      H5P_DEFAULT, H5P_DEFAULT);
  ok = attribute >= 0 && H5Awrite (attribute, H5T_NATIVE_DOUBLE, um) >= 0;
  if (attribute >= 0)
    H5Aclose (attribute);
  H5Sclose (space);
  return ok;
}

static gboolean
write_dataset (hid_t file, const OctVolumeFileInfo *info, const guint8 *voxels)
{
  gboolean is_ascans = oct_volume_file_is_ascans (info);
  const char *axes = is_ascans ? "bscan, line, depth" : "bscan, depth, line";
  hsize_t shape[3] = { info->bscans, info->rows, info->columns };
  hid_t space = H5Screate_simple (3, shape, NULL);
  hid_t stored = make_type (info->voxel, TRUE);
  hid_t given = make_type (info->voxel, FALSE);
  const char *name = !is_ascans                      ? "images"
                     : info->voxel == OCT_SAMPLE_F32 ? "values"
                                                     : "ascans";
  hid_t dataset = H5Dcreate2 (
      file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  gboolean ok =
      dataset >= 0
      && H5Dwrite (dataset, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, voxels) >= 0
      && add_spacing (dataset, info) && add_index (dataset, info)
      && add_repeats (dataset, info) && add_quantity (dataset, info)
      && add_text (dataset, "axes",
          info->view == OCT_VOLUME_VIEW_ENFACE ? "picture, bscan, line" : axes);

  if (dataset >= 0)
    H5Dclose (dataset);
  H5Tclose (given);
  H5Tclose (stored);
  H5Sclose (space);
  return ok;
}

/* Before the library writes: if it fails, it keeps its file open, and ends the
 * program with a crash.  Some file systems cannot take room in advance. */
static gboolean
take_room (int fd, const OctVolumeFileInfo *info)
{
  return fallocate (fd, 0, 0, (off_t)oct_volume_file_get_size (info) + HEADERS)
             == 0
         || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG);
}

gboolean
oct_volume_file_write_hdf5 (const OctVolumeFileInfo *info, const guint8 *voxels,
    int fd, const char *path, guint64 *least, GError **error)
{
  /* this very file, whatever stands under its name by now */
  g_autofree char *own = g_strdup_printf ("/proc/self/fd/%d", fd);
  hsize_t size = 0;
  hid_t file;
  gboolean ok;
  int number;

  oct_hdf5_enter ();
  errno = 0;
  file = H5Fcreate (g_file_test (own, G_FILE_TEST_EXISTS) ? own : path,
      H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ok = file >= 0 && take_room (fd, info) && write_dataset (file, info, voxels)
       && H5Fflush (file, H5F_SCOPE_LOCAL) >= 0
       && H5Fget_filesize (file, &size) >= 0;
  number = errno;
  if (file >= 0 && H5Fclose (file) < 0 && ok) {
    number = errno;
    ok = FALSE;
  }
  /* unused reserved space */
  if (ok && ftruncate (fd, (off_t)size) != 0) {
    number = errno;
    ok = FALSE;
  }
  oct_hdf5_leave ();
  *least = MAX (*least, size);
  if (!ok)
    oct_volume_file_set_error (error, path, number);
  return ok;
}
