/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define OCT_TEST_READER_FOLDER OCT_TEST_VECTORS
#include "oct-test-vectors.h"

#include <sys/stat.h>
#include <unistd.h>

#define RAW_FILE(s, l)                                                         \
  ((OctReaderSettings){ .format = OCT_FILE_RAW,                                \
      .samples = s,                                                            \
      .lines = l,                                                              \
      .stored = OCT_STORED_U2 })

/* Every stored type, rows tight and apart; values as make_npy.py has them. */
static void
test_types (void)
{
  static const struct {
    const char *name;
    OctSampleFormat format;
    double step, offset;
  } cases[] = {
    { "volume-u1.npy", OCT_SAMPLE_U8, 10, 0 },
    { "volume-u2.npy", OCT_SAMPLE_U16, 1000, 0 },
    { "volume-i2.npy", OCT_SAMPLE_F32, 1000, -5000 },
    { "volume-f4.npy", OCT_SAMPLE_F32, 1000, -4999.5 },
    { "volume-f8.npy", OCT_SAMPLE_F32, 1000, -4999.5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader =
        open_vector (cases[i].name, (OctReaderSettings){ 0 });
    OctSampleFormat format = cases[i].format;
    gsize row = 4 * oct_sample_format_size (format);

    g_assert_cmpint (oct_reader_get_info (reader)->sample_format, ==, format);
    g_assert_cmpint (oct_reader_get_info (reader)->format, ==, OCT_FILE_NPY);
    assert_sizes (reader, 4, 3, 2, 2, 0);
    for (guint pad = 0; pad <= 8; pad += 8) {
      for (guint frame = 0; frame < 2; frame++) {
        guint32 rows[3 * (16 + 8) / 4];

        memset (rows, 0xaa, sizeof rows);
        read_good (reader, frame, rows, row + pad);
        for (guint v = 0; v < 12; v++) {
          const guint8 *line = (guint8 *)rows + v / 4 * (row + pad);

          g_assert_cmpfloat (oct_test_value (line, format, v % 4), ==,
              cases[i].step * (frame * 12 + v) + cases[i].offset);
          if (pad)
            g_assert_cmpuint (line[row], ==, 0xaa);
        }
      }
    }
  }
}

/* Rows that do not divide the buffer of the conversion, longer and shorter. */
static void
test_conversion_of_long_rows (void)
{
  static const guint sizes[][2] = { { 5000, 3 }, { 4096, 2 }, { 3, 5001 },
    { 12289, 1 } };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    guint samples = sizes[s][0], lines = sizes[s][1], n = samples * lines;
    g_autoptr (GByteArray) file = g_byte_array_new ();
    g_autofree float *got = g_new0 (float, n + lines);
    g_autofree char *header = g_strdup_printf (
        "{'descr': '<i2', 'fortran_order': False, 'shape': (%u, %u), }", lines,
        samples);
    guint8 prefix[] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, strlen (header),
      0 };
    g_autoptr (OctReader) reader = NULL;

    g_byte_array_append (file, prefix, sizeof prefix);
    g_byte_array_append (file, (guint8 *)header, strlen (header));
    for (guint i = 0; i < n; i++) {
      gint16 value = i * 7 - 30000;
      g_byte_array_append (file, (guint8 *)&value, 2);
    }
    reader = oct_test_open (oct_test_write ("long.npy", file->data, file->len),
        (OctReaderSettings){ .samples = samples });
    assert_sizes (reader, samples, lines, 1, 1, 0);
    read_good (reader, 0, got, (samples + 1) * sizeof (float));
    for (guint i = 0; i < n; i++)
      g_assert_cmpfloat (got[i / samples * (samples + 1) + i % samples], ==,
          (gint16)(i * 7 - 30000));
  }
}

static void
test_shapes (void)
{
  static const struct {
    const char *name;
    OctReaderSettings settings;
    guint samples, lines, bscans, frames, leftover;
  } cases[] = {
    { "one-line.npy", { 0 }, 24, 1, 1, 1, 0 },
    { "one-line.npy", { .samples = 24, .lines = 1 }, 24, 1, 1, 1, 0 },
    { "lines.npy", { 0 }, 4, 6, 1, 1, 0 },
    { "lines.npy", { .lines = 2 }, 4, 2, 3, 3, 0 },
    { "lines.npy", { .lines = 4 }, 4, 4, 1, 1, 16 },
    { "lines.npy", { .lines = 2, .bscans = 7 }, 4, 2, 7, 3, 0 },
    { "volume-u2.npy",
        { .format = OCT_FILE_NPY, .samples = 4, .lines = 3, .bscans = 2 }, 4, 3,
        2, 2, 0 },
    { "volume-u2.npy", { .bscans = 1 }, 4, 3, 1, 2, 0 },
    { "version-2.npy", { 0 }, 4, 6, 1, 1, 0 },
    { "version-3.npy", { 0 }, 4, 6, 1, 1, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader =
        open_vector (cases[i].name, cases[i].settings);

    assert_sizes (reader, cases[i].samples, cases[i].lines, cases[i].bscans,
        cases[i].frames, cases[i].leftover);
  }
}

static void
test_regrouped_values (void)
{
  g_autoptr (OctReader) reader =
      open_vector ("lines.npy", (OctReaderSettings){ .lines = 2 });
  guint16 values[8];

  for (guint frame = 0; frame < 3; frame++) {
    read_good (reader, frame, values, 8);
    for (guint i = 0; i < 8; i++)
      g_assert_cmpuint (values[i], ==, frame * 8 + i);
  }
}

static void
test_contradictions (void)
{
  static const struct {
    const char *name;
    OctReaderSettings settings;
    const char *found, *property;
  } cases[] = {
    { "lines.npy", { .samples = 8 }, "(6, 4), thus samples 4",
        "`samples` is set to 8" },
    { "lines.npy", { .lines = 7 }, "(6, 4), thus lines 6",
        "`lines` is set to 7" },
    { "one-line.npy", { .lines = 2 }, "(24,), thus lines 1",
        "`lines` is set to 2" },
    { "volume-u2.npy", { .lines = 2 }, "(2, 3, 4), thus lines 3",
        "`lines` is set to 2" },
    { "volume-u2.npy", { .bscans = 3 }, "(2, 3, 4), thus bscans 2",
        "`bscans` is set to 3" },
    { "volume-u2.npy", { .header_size = 128 }, "a NumPy file",
        "`header-size` is set to 128" },
    { "lines.npy", { .format = 77 }, "77", "set `format` to" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = open_bad_vector (cases[i].name, cases[i].settings);

    oct_test_assert_error (&error, OCT_ERROR_SETTINGS, cases[i].name,
        cases[i].found, cases[i].property, NULL);
  }
}

/* A file cut short by a full disk gives its whole B-scans. */
static void
test_truncated_npy (void)
{
  g_autofree char *path = oct_test_vector_path ("volume-u2.npy");
  g_autofree char *data = NULL;
  g_autoptr (OctReader) reader = NULL;
  guint16 values[12];
  GError *error;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  reader = oct_test_open (
      oct_test_write ("cut.npy", data, size - 5), (OctReaderSettings){ 0 });
  assert_sizes (reader, 4, 3, 2, 1, 19);
  read_good (reader, 0, values, 8);
  g_assert_cmpuint (values[11], ==, 11000);

  error = open_bad (
      oct_test_write ("cut.npy", data, 128 + 23), (OctReaderSettings){ 0 });
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "cut.npy'", "23 bytes",
      "3 lines of 4 samples needs 24", "cut off", NULL);
  error = open_bad (
      oct_test_write ("cut.npy", data, 128), (OctReaderSettings){ 0 });
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "holds 0 bytes", NULL);
}

/* Bytes after the array, as a second array in one file, are not spectra. */
static void
test_trailing_npy (void)
{
  g_autofree char *path = oct_test_vector_path ("lines.npy");
  g_autoptr (OctReader) reader = NULL;
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  data = g_realloc (data, size + 100);
  memset (data + size, 7, 100);
  reader = oct_test_open (oct_test_write ("more.npy", data, size + 100),
      (OctReaderSettings){ .lines = 2 });
  assert_sizes (reader, 4, 2, 3, 3, 0);
}

static void
test_raw (void)
{
  guint16 values[30], got[8];
  g_autoptr (OctReader) reader = NULL;
  OctReaderSettings settings = RAW_FILE (4, 2);
  const char *path;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = 100 * i;
  path = oct_test_write ("spectra.raw", values, sizeof values);

  settings.format = OCT_FILE_AUTO;
  reader = oct_test_open (path, settings);
  g_assert_cmpint (oct_reader_get_info (reader)->format, ==, OCT_FILE_RAW);
  g_assert_cmpint (
      oct_reader_get_info (reader)->sample_format, ==, OCT_SAMPLE_U16);
  assert_sizes (reader, 4, 2, 3, 3, 12);
  read_good (reader, 2, got, 8);
  g_assert_cmpmem (got, 16, values + 16, 16);
  g_clear_pointer (&reader, oct_reader_close);

  settings.header_size = 3;
  settings.stored = OCT_STORED_U1;
  settings.bscans = 2;
  reader = oct_test_open (path, settings);
  assert_sizes (reader, 4, 2, 2, 7, 1);
  read_good (reader, 6, got, 4);
  g_assert_cmpmem (got, 8, (guint8 *)values + 3 + 48, 8);
}

static void
test_raw_settings (void)
{
  const char *path = oct_test_write ("small.raw", "0123456789", 10);
  OctReaderSettings settings = { 0 };
  GError *error;

  error = open_bad (path, settings);
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "small.raw", "`samples`", "`lines`", NULL);
  settings.samples = 4;
  error = open_bad (path, settings);
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS,
      "`lines` (A-lines per "
      "B-scan, now 0)",
      NULL);

  error = open_bad (path, RAW_FILE (4, 2));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "holds 10 bytes", "needs 16",
      "set `samples`, `lines`", NULL);
  error = open_bad (path, RAW_FILE (65537, 1));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "65537 samples", "65536",
      "set `lines` or `samples` smaller", NULL);
  error = open_bad (path, RAW_FILE (1, 65537));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "65537 lines", NULL);
  error = open_bad (path, RAW_FILE (65536, 65536));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "values in all", NULL);
  error = open_bad (path, RAW_FILE (G_MAXUINT, G_MAXUINT));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "4294967295", NULL);

  settings = RAW_FILE (1, 1);
  settings.header_size = 10;
  error = open_bad (path, settings);
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "10 bytes",
      "set `header-size` smaller", NULL);
  settings.header_size = G_MAXUINT64;
  error = open_bad (path, settings);
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "skips 18446744073709551615", NULL);
}

static void
test_recognised_and_refused (void)
{
  static const struct {
    const char *bytes;
    gsize size;
    const char *name;
  } cases[] = {
    { "PK\3\4 ", 5, ".npz" },
    { "\x89PNG\r\n\x1a\n", 8, "PNG" },
    { "\x1f\x8b\x08 ", 4, "gunzip" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *path =
        oct_test_write ("foreign", cases[i].bytes, cases[i].size);
    OctReaderSettings settings = RAW_FILE (1, 1);
    g_autoptr (OctReader) reader = oct_test_open (path, settings);
    GError *error;

    assert_sizes (
        reader, 1, 1, cases[i].size / 2, cases[i].size / 2, cases[i].size % 2);
    settings.format = OCT_FILE_AUTO;
    error = open_bad (path, settings);
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, "foreign'", cases[i].name,
        "set `format` to raw and `header-size`", NULL);
    settings.format = OCT_FILE_NPY;
    error = open_bad (path, settings);
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, "not a NumPy .npy file",
        "set `format`", NULL);
  }
}

/* A name that promises another content: the sentence says so, unless it was
 * set how the file is to be read. */
static void
test_wrong_ending (void)
{
  static const struct {
    const char *name, *promise;
  } cases[] = { { "a.npy", "NumPy" }, { "a.mat", "MATLAB" }, { "a.H5", "HDF5" },
    { "a.hdf5", "HDF5" }, { "a.tif", "TIFF" }, { "a.TIFF", "TIFF" },
    { "a.oct", "Thorlabs" }, { "a.srr", "Thorlabs .srr" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *path = oct_test_write (cases[i].name, "some text", 9);
    OctReaderSettings settings = { .lines = 2 };
    GError *error = open_bad (path, settings);

    oct_test_assert_error (&error, OCT_ERROR_SETTINGS, cases[i].name,
        cases[i].promise, "not the content of one", "`samples`",
        "per B-scan, now 2)", NULL);
    settings.format = OCT_FILE_RAW;
    error = open_bad (path, settings);
    g_assert_null (strstr (error->message, "content"));
    oct_test_assert_error (
        &error, OCT_ERROR_SETTINGS, "is read as a raw file", NULL);
  }
}

static void
test_no_file (void)
{
  g_autofree char *folder = g_path_get_dirname (oct_test_path ("x"));
  OctReaderSettings settings = RAW_FILE (1, 1);
  const char *path;
  GError *error;

  error = open_bad (oct_test_path ("missing.npy"), settings);
  oct_test_assert_error (
      &error, OCT_ERROR_NOT_FOUND, "missing.npy'", "does not exist", NULL);
  error = open_bad (oct_test_path ("\xff-missing"), settings);
  oct_test_assert_error (&error, OCT_ERROR_NOT_FOUND, NULL);
  error = open_bad (folder, settings);
  oct_test_assert_error (&error, OCT_ERROR_READ, "is a folder", NULL);
  error = open_bad ("/dev/zero", settings);
  oct_test_assert_error (&error, OCT_ERROR_READ, "a pipe or a device", NULL);

  path = oct_test_path ("pipe");
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  error = open_bad (path, settings);
  oct_test_assert_error (&error, OCT_ERROR_READ, "a pipe or a device", NULL);

  error = open_bad (oct_test_write ("nothing", "", 0), settings);
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "is empty", NULL);
}

static void
test_unreadable (void)
{
  const char *path = oct_test_write ("secret", "12", 2);
  GError *error;

  if (geteuid () == 0) {
    g_test_skip ("root may read everything");
    return;
  }
  g_assert_cmpint (g_chmod (path, 0), ==, 0);
  error = open_bad (path, RAW_FILE (1, 1));
  oct_test_assert_error (
      &error, OCT_ERROR_READ, "cannot be opened for reading", NULL);
}

static void
test_shrunk (void)
{
  guint16 values[16] = { 0 };
  const char *path = oct_test_write ("shrinks", values, sizeof values);
  g_autoptr (OctReader) reader = oct_test_open (path, RAW_FILE (4, 2));
  GError *error = NULL;

  g_assert_cmpint (truncate (path, 20), ==, 0);
  read_good (reader, 0, values, 8);
  g_assert_false (oct_reader_read (reader, 1, values, 8, &error));
  oct_test_assert_error (&error, OCT_ERROR_READ, "shrinks'", "shortened since",
      "bytes 20 to", NULL);
  g_assert_false (oct_reader_read (reader, 2, values, 8, &error));
  oct_test_assert_error (&error, OCT_ERROR_READ, "2 B-scans", "B-scan 2", NULL);
  g_assert_false (oct_reader_read (reader, 0, values, 7, &error));
  oct_test_assert_error (&error, OCT_ERROR_READ, "rows of 7 bytes", NULL);
}

/* Offsets beyond 4 GiB, in a file with a hole. */
static void
test_beyond_4_gib (void)
{
  const char *path = oct_test_write ("sparse", "", 0);
  OctReaderSettings settings = RAW_FILE (1024, 1024);
  g_autoptr (OctReader) reader = NULL;
  g_autofree guint16 *values = g_new (guint16, 1 << 20);
  guint64 size = (guint64)5 << 30;
  const guint16 last = 4321;
  FILE *file;

  if (truncate (path, size) != 0) {
    g_test_skip ("no sparse files here");
    return;
  }
  file = g_fopen (path, "r+b");
  g_assert_nonnull (file);
  g_assert_cmpint (fseeko (file, size - 2, SEEK_SET), ==, 0);
  g_assert_cmpuint (fwrite (&last, 2, 1, file), ==, 1);
  fclose (file);

  reader = oct_test_open (path, settings);
  assert_sizes (reader, 1024, 1024, 2560, 2560, 0);
  read_good (reader, 2559, values, 2048);
  g_assert_cmpuint (values[(1 << 20) - 1], ==, last);
  g_assert_cmpuint (values[(1 << 20) - 2], ==, 0);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reader/types", test_types);
  g_test_add_func (
      "/reader/conversion-of-long-rows", test_conversion_of_long_rows);
  g_test_add_func ("/reader/shapes", test_shapes);
  g_test_add_func ("/reader/regrouped-values", test_regrouped_values);
  g_test_add_func ("/reader/contradictions", test_contradictions);
  g_test_add_func ("/reader/truncated-npy", test_truncated_npy);
  g_test_add_func ("/reader/trailing-npy", test_trailing_npy);
  g_test_add_func ("/reader/raw", test_raw);
  g_test_add_func ("/reader/raw-settings", test_raw_settings);
  g_test_add_func (
      "/reader/recognised-and-refused", test_recognised_and_refused);
  g_test_add_func ("/reader/wrong-ending", test_wrong_ending);
  g_test_add_func ("/reader/no-file", test_no_file);
  g_test_add_func ("/reader/unreadable", test_unreadable);
  g_test_add_func ("/reader/shrunk", test_shrunk);
  g_test_add_func ("/reader/beyond-4-gib", test_beyond_4_gib);
  result = g_test_run ();
  oct_test_clean ();
  return result;
}
