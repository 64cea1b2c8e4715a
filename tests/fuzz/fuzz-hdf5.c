/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HDF5 files of any shape, type and layout, which the bytes of the input choose
 * and HDF5's own library writes: what is ours has to cope with all that the
 * format allows.  Damaged bytes are not tried here, because the library itself
 * reads out of bounds with some (seen with 1.10.8), which is not ours to mend.
 */
#include "fuzz-reader.h"

/* the names of 1.10, which later versions have too */
#define H5_USE_110_API
#include <glib/gstdio.h>
#include <hdf5.h>

#define MAX_RANK 5
#define MAX_WRITTEN 4096 /* values */

/* Leaks of the library itself. */
const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:libhdf5";
}

typedef struct {
  const guint8 *data;
  gsize size, at;
} Recipe;

/* 0 .. count - 1 */
static guint
choose (Recipe *recipe, guint count)
{
  return recipe->at < recipe->size ? recipe->data[recipe->at++] % count : 0;
}

static hid_t
make_compound (hid_t member)
{
  hid_t type = H5Tcreate (H5T_COMPOUND, 2 * H5Tget_size (member));

  H5Tinsert (type, "r", 0, member);
  H5Tinsert (type, "i", H5Tget_size (member), member);
  return type;
}

static hid_t
make_special_type (guint which)
{
  hsize_t length = 3;
  hid_t type;

  switch (which) {
  case 0:
    return make_compound (H5T_NATIVE_FLOAT);
  case 1:
    type = H5Tcopy (H5T_C_S1);
    H5Tset_size (type, H5T_VARIABLE);
    return type;
  case 2:
    type = H5Tcopy (H5T_C_S1);
    H5Tset_size (type, 31);
    return type;
  case 3:
    return H5Tarray_create2 (H5T_NATIVE_UINT16, 1, &length);
  case 4:
    return H5Tvlen_create (H5T_NATIVE_UINT16);
  case 5:
    return H5Tcreate (H5T_OPAQUE, 5);
  case 6:
    return H5Tenum_create (H5T_NATIVE_UINT8);
  case 7: /* 12 bits in 16, as of a camera */
    type = H5Tcopy (H5T_STD_U16LE);
    H5Tset_precision (type, 12);
    H5Tset_offset (type, 4);
    return type;
  default: /* half precision */
    type = H5Tcopy (H5T_IEEE_F32LE);
    H5Tset_fields (type, 15, 10, 5, 0, 10);
    H5Tset_precision (type, 16);
    H5Tset_ebias (type, 15);
    H5Tset_size (type, 2);
    return type;
  }
}

static hid_t
choose_type (Recipe *recipe)
{
  const hid_t plain[] = { H5T_STD_U8LE, H5T_STD_I8LE, H5T_STD_U16LE,
    H5T_STD_U16BE, H5T_STD_I16LE, H5T_STD_I32BE, H5T_STD_U64LE, H5T_IEEE_F32LE,
    H5T_IEEE_F64BE, H5T_NATIVE_LDOUBLE, H5T_STD_REF_OBJ, H5T_STD_B16LE };
  guint which = choose (recipe, G_N_ELEMENTS (plain) + 9);

  return which < G_N_ELEMENTS (plain)
             ? H5Tcopy (plain[which])
             : make_special_type (which - G_N_ELEMENTS (plain));
}

static hid_t
choose_space (Recipe *recipe, int *rank, hsize_t *lengths)
{
  static const hsize_t choices[] = { 1, 2, 3, 4, 5, 8, 17, 300, 0, 65536, 65537,
    1u << 20, G_GUINT64_CONSTANT (1) << 33, G_GUINT64_CONSTANT (1) << 62 };
  hsize_t most[MAX_RANK];

  *rank = (int)choose (recipe, MAX_RANK + 2);
  if (*rank > MAX_RANK) {
    *rank = 0;
    return H5Screate (H5S_NULL);
  }
  for (int i = 0; i < *rank; i++) {
    lengths[i] = choices[choose (recipe, G_N_ELEMENTS (choices))];
    most[i] = choose (recipe, 4) == 0 ? H5S_UNLIMITED : lengths[i];
  }
  return *rank > 0 ? H5Screate_simple (*rank, lengths, most)
                   : H5Screate (H5S_SCALAR);
}

/* Not nbit and scaleoffset, with which 1.10.8 writes out of bounds. */
static void
choose_filters (Recipe *recipe, hid_t plist)
{
  guint filters = choose (recipe, 16);

  if (filters & 1)
    H5Pset_shuffle (plist);
  if (filters & 2)
    H5Pset_deflate (plist, 1);
  if (filters & 4)
    H5Pset_fletcher32 (plist);
  if (filters & 8) /* one that nobody has */
    H5Pset_filter (plist, 999, H5Z_FLAG_OPTIONAL, 0, NULL);
}

/* The library multiplies lengths with a wrap. */
static gboolean
is_small (int rank, const hsize_t *lengths)
{
  hsize_t values = 1;

  for (int i = 0; i < rank; i++) {
    if (lengths[i] > MAX_WRITTEN)
      return FALSE;
    values *= lengths[i];
    if (values > MAX_WRITTEN)
      return FALSE;
  }
  return TRUE;
}

static hid_t
choose_layout (Recipe *recipe, int rank, const hsize_t *lengths, hid_t space)
{
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  hsize_t chunk[MAX_RANK];

  switch (choose (recipe, 6)) {
  case 0:
  case 1:
    for (int i = 0; i < rank; i++) {
      chunk[i] = 1 + choose (recipe, 255) * (i % 2 ? 1 : 4);
      /* what is written goes through a whole one */
      if (is_small (rank, lengths))
        chunk[i] = MIN (chunk[i], MAX (lengths[i], 1));
    }
    if (rank > 0 && H5Pset_chunk (plist, rank, chunk) >= 0)
      choose_filters (recipe, plist);
    break;
  case 2:
    H5Pset_layout (plist, H5D_COMPACT);
    break;
  case 3:
    H5Pset_external (plist, "elsewhere.raw", 0, H5F_UNLIMITED);
    break;
  case 4:
    H5Pset_virtual (plist, space, "elsewhere.h5", "set", space);
    break;
  default:
    if (choose (recipe, 2))
      H5Pset_alloc_time (plist, H5D_ALLOC_TIME_EARLY);
    break;
  }
  return plist;
}

static void
add_attribute (Recipe *recipe, hid_t set)
{
  static const char *const names[] = { "MATLAB_class", "MATLAB_empty",
    "other" };
  static const char *const classes[] = { "char", "cell", "uint16", "struct" };
  char text[32] = "";
  int rank = 0;
  hsize_t lengths[MAX_RANK];
  hid_t type = choose_type (recipe);
  hid_t space = choose (recipe, 3) ? H5Screate (H5S_SCALAR)
                                   : choose_space (recipe, &rank, lengths);
  const char *name = names[choose (recipe, 3)];
  /* all of it is in memory at once */
  hid_t attribute = is_small (rank, lengths) ? H5Acreate2 (
                        set, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                                             : H5I_INVALID_HID;

  if (attribute >= 0 && H5Tget_class (type) == H5T_STRING
      && !H5Tis_variable_str (type)
      && H5Sget_simple_extent_npoints (space) == 1) {
    g_strlcpy (text, classes[choose (recipe, 4)], sizeof text);
    H5Awrite (attribute, type, text);
  }
  if (attribute >= 0)
    H5Aclose (attribute);
  H5Sclose (space);
  H5Tclose (type);
}

static void
add_dataset (Recipe *recipe, hid_t place, const char *name)
{
  static const float values[MAX_WRITTEN];
  hsize_t lengths[MAX_RANK] = { 0 };
  int rank;
  hid_t type = choose_type (recipe);
  hid_t space = choose_space (recipe, &rank, lengths);
  hid_t plist = choose_layout (recipe, rank, lengths, space);
  hid_t set = H5I_INVALID_HID;
  gboolean small = is_small (rank, lengths);

  /* what is to be there from the start would be that large */
  if (!small)
    H5Pset_alloc_time (plist, H5D_ALLOC_TIME_LATE);
  set = H5Dcreate2 (place, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (set >= 0) {
    if (small && H5Tget_class (type) <= H5T_FLOAT
        && H5Pget_external_count (plist) == 0
        && H5Pget_layout (plist) != H5D_VIRTUAL)
      H5Dwrite (set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    for (guint n = choose (recipe, 3); n > 0; n--)
      add_attribute (recipe, set);
    H5Dclose (set);
  }
  H5Pclose (plist);
  H5Sclose (space);
  H5Tclose (type);
}

static void
add_object (Recipe *recipe, hid_t place, guint depth)
{
  static const char *const names[] = { "spectra", "dark", "#refs#", "a b",
    "\xff\xfe", "MATLAB_class" };
  const char *name = names[choose (recipe, G_N_ELEMENTS (names))];
  hid_t group, type;

  switch (choose (recipe, 8)) {
  case 0:
    group = H5Gcreate2 (place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
      return;
    if (depth < 4)
      add_object (recipe, group, depth + 1);
    H5Gclose (group);
    return;
  case 1:
    H5Lcreate_soft ("/nowhere/../dark", place, name, H5P_DEFAULT, H5P_DEFAULT);
    return;
  case 2:
    H5Lcreate_external (
        "elsewhere.h5", "/set", place, name, H5P_DEFAULT, H5P_DEFAULT);
    return;
  case 3:
    type = choose_type (recipe);
    H5Tcommit2 (place, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose (type);
    return;
  case 4: /* a circle */
    H5Lcreate_hard (place, "/", place, name, H5P_DEFAULT, H5P_DEFAULT);
    return;
  default:
    add_dataset (recipe, place, name);
  }
}

static gboolean
write_file (Recipe *recipe, const char *path)
{
  hid_t create = H5Pcreate (H5P_FILE_CREATE);
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);
  guint choices = choose (recipe, 4);
  hid_t file;

  if (choices & 1)
    H5Pset_userblock (create, 512);
  if (choices & 2)
    H5Pset_libver_bounds (access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  file = H5Fcreate (path, H5F_ACC_TRUNC, create, access);
  H5Pclose (create);
  H5Pclose (access);
  if (file < 0)
    return FALSE;
  for (guint n = 1 + choose (recipe, 6); n > 0; n--)
    add_object (recipe, file, 0);
  return H5Fclose (file) >= 0;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static char *const names[] = { NULL, NULL, "spectra", "/dark", "", "\xff" };
  Recipe recipe = { data, size, 0 };
  OctReaderSettings settings = { .format = OCT_FILE_HDF5,
    .lines = choose (&recipe, 6) == 1 ? 2 : 0,
    .bscans = choose (&recipe, 6) == 1 ? 2 : 0,
    .dataset = names[choose (&recipe, G_N_ELEMENTS (names))] };
  g_autofree char *path = NULL;
  /* the library asks for the name, which a file in memory has not */
  int fd = g_file_open_tmp ("fuzz-hdf5-XXXXXX", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  H5Eset_auto2 (H5E_DEFAULT, NULL, NULL);
  if (write_file (&recipe, path))
    fuzz_open_path (path, &settings);
  g_assert_cmpint (H5Fget_obj_count (H5F_OBJ_ALL, H5F_OBJ_ALL), ==, 0);
  g_remove (path);
  return 0;
}
