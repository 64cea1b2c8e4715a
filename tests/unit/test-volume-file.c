/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of volumes: their bytes where a format is small enough to know them,
 * else what octsrc's readers find; what is refused.  tests/pipelines/
 * volume-files.py has others read them. */
#include "oct-volume-file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>

#include "oct-file-tree.h"
#include "oct-reader.h"
#include "oct-volume-file-kinds.h"

static const guint8 voxels[2 * 3 * 4] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
  13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 };

static OctVolumeFileInfo
make_info (void)
{
  return (OctVolumeFileInfo){ .voxel = OCT_SAMPLE_U8,
    .bscans = 2,
    .rows = 3,
    .columns = 4,
    .x_spacing = 1e-5,
    .y_spacing = 2e-5,
    .z_spacing = 4e-6,
    .refractive_index = 1.25,
    .repeats = 2 };
}

static char *
make_path (const char *name)
{
  g_autofree char *folder = g_dir_make_tmp ("oct-XXXXXX", NULL);

  return g_build_filename (folder, name, NULL);
}

static void
remove_all (char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_remove (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (path);
}

static void
write_file (OctVolumeFileKind kind, const char *path)
{
  OctVolumeFileInfo info = make_info ();
  g_autoptr (GError) error = NULL;

  g_assert_true (
      oct_volume_file_write (kind, path, &info, voxels, 0600, &error));
  g_assert_no_error (error);
}

static void
test_npy (void)
{
  char *path = make_path ("a.npy");
  g_autofree char *data = NULL;
  gsize size;

  write_file (OCT_VOLUME_FILE_NPY, path);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpuint (size, ==, 128 + sizeof voxels);
  g_assert_cmpmem (data, 10, "\x93NUMPY\x01\x00\x76\x00", 10);
  g_assert_nonnull (strstr (data + 10,
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }"));
  g_assert_cmpint (data[127], ==, '\n');
  g_assert_cmpmem (data + 128, size - 128, voxels, sizeof voxels);
  remove_all (path);
}

static float
get_float (const char *data, guint at)
{
  union {
    guint32 bits;
    float number;
  } value;

  memcpy (&value.bits, data + at, 4);
  value.bits = GUINT32_FROM_LE (value.bits);
  return value.number;
}

/* Fields by their places in nifti1.h. */
static void
test_nifti (void)
{
  static const char dim[] = { 3, 0, 4, 0, 3, 0, 2, 0, 1, 0, 1, 0, 1, 0, 1, 0 };
  char *path = make_path ("a.nii");
  g_autofree char *data = NULL;
  gsize size;

  write_file (OCT_VOLUME_FILE_NIFTI, path);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpuint (size, ==, 352 + sizeof voxels);
  g_assert_cmpmem (data, 4, "\x5c\x01\x00\x00", 4);
  g_assert_cmpmem (data + 40, sizeof dim, dim, sizeof dim);
  g_assert_cmpmem (data + 70, 4, "\x02\x00\x08\x00", 4);
  g_assert_cmpfloat_with_epsilon (get_float (data, 80), 0.010, 1e-7);
  g_assert_cmpfloat_with_epsilon (get_float (data, 84), 0.004, 1e-7);
  g_assert_cmpfloat_with_epsilon (get_float (data, 88), 0.020, 1e-7);
  g_assert_cmpfloat (get_float (data, 108), ==, 352.0f);
  g_assert_cmpstr (
      data + 148, ==, "OCT volume, gst-oct, refractive index 1.25, repeats 2");
  g_assert_cmpfloat_with_epsilon (get_float (data, 280), 0.010, 1e-7);
  g_assert_cmpfloat_with_epsilon (get_float (data, 304), -0.020, 1e-7);
  g_assert_cmpfloat_with_epsilon (get_float (data, 316), -0.004, 1e-7);
  g_assert_cmpmem (data + 344, 4, "n+1", 4);
  g_assert_cmpmem (data + 352, size - 352, voxels, sizeof voxels);
  remove_all (path);
}

/* Those that have a library, by the reader of this project. */
static void
test_read_again (gconstpointer data)
{
  OctVolumeFileKind kind = GPOINTER_TO_INT (data);
  OctReaderSettings settings = { 0 };
  OctVolumeFileInfo info = make_info ();
  g_autoptr (GError) error = NULL;
  g_autoptr (OctReader) reader = NULL;
  guint8 bscan[12];
  char *path = make_path ("a.h5");

  if (!oct_volume_file_check (kind, &info, &error)) {
    g_test_skip (error->message);
    g_clear_error (&error);
    remove_all (path);
    return;
  }
  write_file (kind, path);
  reader = oct_reader_open (path, &settings, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (oct_reader_get_info (reader)->samples, ==, 4);
  g_assert_cmpuint (oct_reader_get_info (reader)->lines, ==, 3);
  g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, 2);
  for (guint i = 0; i < 2; i++) {
    g_assert_true (oct_reader_read (reader, i, bscan, 4, &error));
    g_assert_cmpmem (bscan, sizeof bscan, voxels + 12 * i, 12);
  }
  remove_all (path);
}

static void
remove_store (char *path)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);

  (void)oct_file_tree_remove (AT_FDCWD, part);
  (void)oct_file_tree_remove (AT_FDCWD, path);
  remove_all (path);
}

#define STORE_BSCANS 100
#define STORE_ROWS 200
#define STORE_COLUMNS 300

/* A value of each pixel of each B-scan that no other has nearby. */
static void
fill_bscan (guint8 *pixels, guint bscan, guint salt)
{
  for (guint y = 0; y < STORE_ROWS; y++)
    for (guint x = 0; x < STORE_COLUMNS; x++)
      pixels[y * STORE_COLUMNS + x] =
          (guint8)(bscan * 31 + y * 7 + x * 3 + salt);
}

/* B-scans that come in any order, and some twice: those of a slab that is on
 * the disk come back from it. */
static void
test_zarr_order (void)
{
  OctVolumeFileInfo info = make_info ();
  const OctReaderSettings settings = { .format = OCT_FILE_ZARR };
  g_autofree guint8 *pixels = g_malloc (STORE_ROWS * STORE_COLUMNS);
  g_autofree guint8 *found = g_malloc (STORE_ROWS * STORE_COLUMNS);
  char *path = make_path ("a.zarr");
  g_autoptr (GError) error = NULL;
  g_autoptr (OctReader) reader = NULL;
  OctVolumeStream *stream;

  info.bscans = STORE_BSCANS;
  info.rows = STORE_ROWS;
  info.columns = STORE_COLUMNS;
  if (!oct_volume_file_check (OCT_VOLUME_FILE_ZARR, &info, &error)) {
    g_assert_nonnull (strstr (error->message, "lacks"));
    g_test_skip (error->message);
    remove_all (path);
    return;
  }
  stream =
      oct_volume_stream_open (OCT_VOLUME_FILE_ZARR, path, &info, 0600, &error);
  g_assert_no_error (error);
  /* all, 37 apart, and then every third one again with other values */
  for (guint i = 0; i < STORE_BSCANS; i++) {
    guint bscan = i * 37 % STORE_BSCANS;

    fill_bscan (pixels, bscan, 0);
    g_assert_true (
        oct_volume_stream_put (stream, bscan, pixels, STORE_COLUMNS, &error));
  }
  for (guint i = 0; i < STORE_BSCANS; i += 3) {
    fill_bscan (pixels, i, 100);
    g_assert_true (
        oct_volume_stream_put (stream, i, pixels, STORE_COLUMNS, &error));
  }
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (oct_volume_stream_end (stream, &error));
  g_assert_no_error (error);
  reader = oct_reader_open (path, &settings, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, STORE_BSCANS);
  for (guint i = 0; i < STORE_BSCANS; i++) {
    fill_bscan (pixels, i, i % 3 == 0 ? 100 : 0);
    g_assert_true (oct_reader_read (reader, i, found, STORE_COLUMNS, &error));
    g_assert_cmpmem (
        found, STORE_ROWS * STORE_COLUMNS, pixels, STORE_ROWS * STORE_COLUMNS);
  }
  remove_store (path);
}

/* One that is dropped leaves nothing, and one that is left stays as it is. */
static void
test_zarr_left (void)
{
  OctVolumeFileInfo info = make_info ();
  char *path = make_path ("a.zarr");
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_autoptr (GError) error = NULL;
  OctVolumeStream *stream;

  if (!oct_volume_file_check (OCT_VOLUME_FILE_ZARR, &info, &error)) {
    g_test_skip (error->message);
    remove_all (path);
    return;
  }
  for (guint i = 0; i < 2; i++) {
    stream = oct_volume_stream_open (
        OCT_VOLUME_FILE_ZARR, path, &info, 0600, &error);
    g_assert_no_error (error);
    g_assert_true (oct_volume_stream_put (stream, 1, voxels, 4, &error));
    oct_volume_stream_leave (stream, i == 0);
    g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    g_assert_true (g_file_test (part, G_FILE_TEST_EXISTS) == (i == 1));
  }
  /* what is left is not replaced */
  g_assert_null (
      oct_volume_stream_open (OCT_VOLUME_FILE_ZARR, path, &info, 0600, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_WRITE);
  remove_store (path);
}

/* Another writer begins the same name after it was found free: its B-scans
 * stay. */
static void
test_zarr_two_writers (void)
{
#ifdef HAVE_ZARR
  OctVolumeFileInfo info = make_info ();
  char *path = make_path ("a.zarr");
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_autoptr (GError) error = NULL;
  OctVolumeStream *first =
      oct_volume_stream_open (OCT_VOLUME_FILE_ZARR, path, &info, 0600, &error);

  g_assert_no_error (error);
  g_assert_null (oct_volume_stream_zarr.open (path, &info, 0600, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "exists already"));
  g_clear_error (&error);
  g_assert_true (g_file_test (part, G_FILE_TEST_IS_DIR));
  for (guint i = 0; i < info.bscans; i++)
    g_assert_true (oct_volume_stream_put (first, i, voxels, 4, &error));
  g_assert_true (oct_volume_stream_end (first, &error));
  g_assert_no_error (error);
  remove_store (path);
#else
  g_test_skip ("this build lacks zstd or JSON-GLib");
#endif
}

static gboolean
has_text (const char *data, gsize size, const char *text)
{
  gsize length = strlen (text);

  for (gsize i = 0; i + length <= size; i++)
    if (memcmp (data + i, text, length) == 0)
      return TRUE;
  return FALSE;
}

/* tests/pipelines/volume-files.py checks the contents. */
static void
test_dicom (void)
{
  OctVolumeFileInfo info = make_info ();
  g_autoptr (GError) error = NULL;
  g_autofree char *data = NULL;
  char *path = make_path ("a.dcm");
  gsize size;

  info.tags = "PatientName=Doe^Jane; PatientID=42;;ImageLaterality=L";
  if (!oct_volume_file_check (OCT_VOLUME_FILE_DICOM, &info, &error)) {
    g_assert_nonnull (strstr (error->message, "lacks"));
    g_test_skip (error->message);
    remove_all (path);
    return;
  }
  g_assert_true (oct_volume_file_write (
      OCT_VOLUME_FILE_DICOM, path, &info, voxels, 0600, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpmem (data + 128, 4, "DICM", 4);
  g_assert_cmpmem (
      data + size - sizeof voxels, sizeof voxels, voxels, sizeof voxels);
  g_assert_true (has_text (data, size, "refractive index 1.25"));
  g_assert_true (has_text (data, size, "repeats 2; "));
  info.tags = "PatientName=Doe^Jane;PatentID=42";
  g_assert_false (oct_volume_file_check (OCT_VOLUME_FILE_DICOM, &info, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_assert_nonnull (strstr (error->message, "PatentID=42"));
  remove_all (path);
}

/* A picture en face: refused without its distances, with others in its file, or
 * of a volume that is not there; else it is written, without a depth. */
static void
test_dicom_enface (void)
{
  static const struct {
    guint bscans;
    double x, y;
    const char *named;
  } cases[] = {
    { 1, 0.0, 2e-5, "`x-spacing` and `y-spacing` of octenface" },
    { 1, 1e-5, 0.0, "`x-spacing` and `y-spacing` of octenface" },
    { 2, 1e-5, 2e-5, "`bscans`" },
    { 1, 1e-5, 2e-5, NULL },
  };
  char *path = make_path ("a.dcm");
  g_autofree char *data = NULL;
  gsize size;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    OctVolumeFileInfo info = { .voxel = OCT_SAMPLE_U8,
      .view = OCT_VOLUME_VIEW_ENFACE,
      .bscans = cases[i].bscans,
      .rows = 6 / cases[i].bscans,
      .columns = 4,
      .x_spacing = cases[i].x,
      .y_spacing = cases[i].y };
    g_autoptr (GError) error = NULL;
    gboolean ok = oct_volume_file_check (OCT_VOLUME_FILE_DICOM, &info, &error);

    if (!ok && strstr (error->message, "lacks") != NULL) {
      g_test_skip (error->message);
      remove_all (path);
      return;
    }
    g_assert_true (ok == (cases[i].named == NULL));
    if (!ok) {
      g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
      g_assert_nonnull (strstr (error->message, cases[i].named));
      continue;
    }
    info.source = "/nowhere/volume.dcm";
    g_assert_false (oct_volume_file_write (
        OCT_VOLUME_FILE_DICOM, path, &info, voxels, 0600, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_READ);
    g_assert_nonnull (strstr (error->message, "`dicom-source`"));
    g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    g_clear_error (&error);
    info.source = NULL;
    g_assert_true (oct_volume_file_write (
        OCT_VOLUME_FILE_DICOM, path, &info, voxels, 0600, &error));
    g_assert_no_error (error);
  }
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpmem (data + 128, 4, "DICM", 4);
  g_assert_cmpmem (
      data + size - sizeof voxels, sizeof voxels, voxels, sizeof voxels);
  remove_all (path);
}

static void
test_uid (void)
{
  g_autofree char *first = oct_volume_file_make_uid ();
  g_autofree char *second = oct_volume_file_make_uid ();

  g_assert_cmpstr (first, !=, second);
  g_assert_true (g_str_has_prefix (first, "2.25."));
  g_assert_cmpuint (strlen (first), <=, 64);
  g_assert_cmpuint (strspn (first + 5, "0123456789"), ==, strlen (first) - 5);
  g_assert_cmpint (first[5], !=, '0');
}

/* An existing file stays, whatever it is, and nothing is left of the failed
 * one. */
static void
test_existing (void)
{
  char *path = make_path ("a.npy");
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_autofree char *data = NULL;
  OctVolumeFileInfo info = make_info ();

  for (guint i = 0; i < 2; i++) {
    const char *there = i == 0 ? path : part;
    g_autoptr (GError) error = NULL;

    g_assert_true (g_file_set_contents (there, "mine", -1, NULL));
    g_assert_false (oct_volume_file_check_new (path, NULL));
    g_assert_false (oct_volume_file_write (
        OCT_VOLUME_FILE_NPY, path, &info, voxels, 0600, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_WRITE);
    g_assert_nonnull (strstr (error->message, "exists already"));
    g_clear_pointer (&data, g_free);
    g_assert_true (g_file_get_contents (there, &data, NULL, NULL));
    g_assert_cmpstr (data, ==, "mine");
    g_remove (there);
  }
  remove_all (path);
}

static void
test_refused (void)
{
  static const struct {
    OctVolumeFileKind kind;
    OctSampleFormat voxel;
    guint bscans, rows, columns;
    const char *named;
  } cases[] = {
    { OCT_VOLUME_FILE_NIFTI, OCT_SAMPLE_U8, 1, 1, 32768, "32767" },
    { OCT_VOLUME_FILE_NIFTI, OCT_SAMPLE_U8, 40000, 1, 1, "hdf5" },
    { OCT_VOLUME_FILE_TIFF, OCT_SAMPLE_CF32, 1, 1, 1, "octlogscale" },
    { OCT_VOLUME_FILE_TIFF, OCT_SAMPLE_U16, 512, 1024, 4096, "4.3 GB" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    OctVolumeFileInfo info = make_info ();
    g_autoptr (GError) error = NULL;

    info.voxel = cases[i].voxel;
    info.bscans = cases[i].bscans;
    info.rows = cases[i].rows;
    info.columns = cases[i].columns;
    g_assert_false (oct_volume_file_check (cases[i].kind, &info, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
    /* or the library is missing */
    g_assert_true (strstr (error->message, cases[i].named) != NULL
                   || strstr (error->message, "lacks") != NULL);
  }
}

/* More than any disk has: nothing is begun, and no voxel is looked at. */
static void
test_no_room (void)
{
  char *path = make_path ("a.npy");
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  OctVolumeFileInfo info = make_info ();
  g_autoptr (GError) error = NULL;

  info.bscans = info.rows = info.columns = 65536;
  g_assert_false (oct_volume_file_write (
      OCT_VOLUME_FILE_NPY, path, &info, NULL, 0600, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_DISK_FULL);
  g_assert_nonnull (strstr (error->message, "free"));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (part, G_FILE_TEST_EXISTS));
  remove_all (path);
}

static void
test_guess (void)
{
  static const struct {
    const char *name;
    OctVolumeFileKind kind;
  } cases[] = {
    { "a.npy", OCT_VOLUME_FILE_NPY },
    { "/x.y/A.NII", OCT_VOLUME_FILE_NIFTI },
    { "a.tif", OCT_VOLUME_FILE_TIFF },
    { "a%03d.tiff", OCT_VOLUME_FILE_TIFF },
    { "a.b.h5", OCT_VOLUME_FILE_HDF5 },
    { "a.hdf5", OCT_VOLUME_FILE_HDF5 },
    { "a.ome.zarr", OCT_VOLUME_FILE_ZARR },
  };
  static const char *const none[] = { "a", "a.png", "a.npy.gz", "h5", "" };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (
        oct_volume_file_guess (cases[i].name, NULL), ==, cases[i].kind);
  for (guint i = 0; i < G_N_ELEMENTS (none); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (
        oct_volume_file_guess (none[i], &error), ==, OCT_VOLUME_FILE_AUTO);
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
    g_assert_nonnull (strstr (error->message, ".nii"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/volume-file/npy", test_npy);
  g_test_add_func ("/volume-file/nifti", test_nifti);
  g_test_add_data_func ("/volume-file/npy/again",
      GINT_TO_POINTER (OCT_VOLUME_FILE_NPY), test_read_again);
  g_test_add_data_func ("/volume-file/hdf5/again",
      GINT_TO_POINTER (OCT_VOLUME_FILE_HDF5), test_read_again);
  g_test_add_func ("/volume-file/zarr/order", test_zarr_order);
  g_test_add_func ("/volume-file/zarr/left", test_zarr_left);
  g_test_add_func ("/volume-file/zarr/two-writers", test_zarr_two_writers);
  g_test_add_func ("/volume-file/dicom", test_dicom);
  g_test_add_func ("/volume-file/dicom/enface", test_dicom_enface);
  g_test_add_func ("/volume-file/uid", test_uid);
  g_test_add_func ("/volume-file/existing", test_existing);
  g_test_add_func ("/volume-file/refused", test_refused);
  g_test_add_func ("/volume-file/no-room", test_no_room);
  g_test_add_func ("/volume-file/guess", test_guess);
  return g_test_run ();
}
