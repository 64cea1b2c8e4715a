/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of other programs: MATLAB, HDF5, Thorlabs.  Good ones are written by
 * SciPy and h5py (make_formats.py), bad ones are made of these. */
#define OCT_TEST_READER_FOLDER OCT_TEST_VECTORS "/files"
#include "oct-test-vectors.h"

static void
assert_vector_refused (const char *name, OctReaderSettings settings, int code,
    const char *found, const char *advice)
{
  GError *error = open_bad_vector (name, settings);

  oct_test_assert_error (&error, code, found, advice, NULL);
}

/* The volume of make_formats.py, B-scans in any order. */
static void
assert_volume (OctReader *reader, double step)
{
  static const guint order[] = { 0, 1, 0, 1, 1, 0 };

  assert_sizes (reader, 4, 3, 2, 2, 0);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    oct_test_assert_bscan (reader, order[i], step);
}

static const struct {
  const char *code;
  OctSampleFormat format;
  double step;
} types[] = {
  { "u1", OCT_SAMPLE_U8, 10 },
  { "i1", OCT_SAMPLE_F32, -5 },
  { "u2", OCT_SAMPLE_U16, 1000 },
  { "i2", OCT_SAMPLE_F32, -1000 },
  { "i4", OCT_SAMPLE_F32, 100000 },
  { "u4", OCT_SAMPLE_F32, 100000 },
  { "f4", OCT_SAMPLE_F32, 0.5 },
  { "f8", OCT_SAMPLE_F32, 0.25 },
};

static void G_GNUC_UNUSED
check_types (const char *pattern, OctFileFormat expected)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    g_auto (GStrv) parts = g_strsplit (pattern, "*", 2);
    g_autofree char *name =
        g_strconcat (parts[0], types[i].code, parts[1], NULL);
    g_autoptr (OctReader) reader = open_vector (name, (OctReaderSettings){ 0 });

    g_test_message ("%s", name);
    g_assert_cmpint (oct_reader_get_info (reader)->format, ==, expected);
    g_assert_cmpint (
        oct_reader_get_info (reader)->sample_format, ==, types[i].format);
    assert_volume (reader, types[i].step);
  }
}

/* [lines][samples] of a file with two dimensions. */
static void G_GNUC_UNUSED
check_flat (const char *name)
{
  g_autoptr (OctReader) reader =
      open_vector (name, (OctReaderSettings){ .lines = 2 });
  const OctReaderInfo *info = oct_reader_get_info (reader);

  g_assert_cmpuint (info->samples, ==, 4);
  g_assert_cmpuint (info->lines, ==, 2);
  g_assert_cmpuint (info->frames, ==, 3);
  for (guint frame = 0; frame < 3; frame++)
    oct_test_assert_bscan (reader, frame, 1);
}

/* Cut anywhere, and with any byte another one: an error or values, and an end.
 * A sanitiser says the rest. */
static void G_GNUC_UNUSED
damage (const char *name, guint step)
{
  g_autofree char *path = oct_test_vector_path (name);
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  for (gsize i = 0; i < 3 * size; i += step) {
    g_autoptr (GError) error = NULL;
    g_autofree char *bad = g_memdup2 (data, size);
    gsize length = i < size ? i : size;
    OctReaderSettings settings = { 0 };
    g_autoptr (OctReader) reader = NULL;

    if (i >= size)
      bad[i % size] ^= i < 2 * size ? 0x80 : 0x05;
    g_assert_true (g_file_set_contents_full (oct_test_path ("damaged"), bad,
        (gssize)length, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    reader = oct_reader_open (oct_test_path ("damaged"), &settings, &error);
    if (reader == NULL) {
      g_assert_nonnull (error);
      g_assert_true (error->domain == OCT_ERROR);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      continue;
    }
    if (oct_reader_get_info (reader)->samples
            * oct_reader_get_info (reader)->lines
        < 100000) {
      const OctReaderInfo *info = oct_reader_get_info (reader);
      gsize row = info->samples * oct_sample_format_size (info->sample_format);
      g_autofree guint8 *values = g_malloc (row * info->lines);

      for (guint64 frame = 0; frame < MIN (info->frames, 4); frame++)
        if (!oct_reader_read (reader, frame, values, row, &error)) {
          g_assert_error (error, OCT_ERROR, OCT_ERROR_READ);
          break;
        }
    }
  }
}

#ifdef HAVE_ZLIB
static void
test_mat_types (void)
{
  check_types ("plain-*.mat", OCT_FILE_MAT);
  check_types ("packed-*.mat", OCT_FILE_MAT);
}

/* A spectrum of a light source that MATLAB itself has saved (.reuse/dep5 says
 * whose); the values are those that SciPy 1.10 reads. */
static void
test_mat_by_matlab (void)
{
  g_autoptr (OctReader) reader =
      open_vector ("by-matlab.mat", (OctReaderSettings){ 0 });
  g_autofree float *values = g_new (float, 2048);
  g_autoptr (GError) error = NULL;
  double sum = 0.0;

  assert_sizes (reader, 2048, 1, 1, 1, 0);
  g_assert_true (
      oct_reader_read (reader, 0, values, 2048 * sizeof *values, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (values[0], ==, 54.08650104235379f);
  g_assert_cmpfloat (values[1476], ==, 63687.046135773315f);
  for (guint i = 0; i < 2048; i++)
    sum += values[i];
  g_assert_cmpfloat_with_epsilon (sum, 54692182.92725836, 1.0);
}

static void
test_mat_shapes (void)
{
  g_autoptr (OctReader) line =
      open_vector ("line.mat", (OctReaderSettings){ 0 });

  g_assert_cmpuint (oct_reader_get_info (line)->samples, ==, 6);
  g_assert_cmpuint (oct_reader_get_info (line)->lines, ==, 1);
  oct_test_assert_bscan (line, 0, 1);
  check_flat ("flat.mat");
  assert_vector_refused ("flat.mat", (OctReaderSettings){ .samples = 6 },
      OCT_ERROR_SETTINGS, "4 x 6, thus samples 4", "`samples` is set to 6");
}

static void
test_mat_names (void)
{
  g_autoptr (OctReader) reader =
      open_vector ("two.mat", (OctReaderSettings){ .variable = "spectra" });

  assert_volume (reader, 1000);
  assert_vector_refused ("two.mat", (OctReaderSettings){ 0 },
      OCT_ERROR_SETTINGS, "'spectra' (4 x 3 x 2), 'more' (4 x 3);",
      "set `variable`");
  assert_vector_refused ("two.mat",
      (OctReaderSettings){ .variable = "Spectra" }, OCT_ERROR_SETTINGS,
      "'Spectra'", "'dark' (4)");
  assert_vector_refused ("plain-u2.mat",
      (OctReaderSettings){ .variable = "note" }, OCT_ERROR_FORMAT,
      "'note' is text", "set `variable`");
  assert_vector_refused ("plain-u2.mat",
      (OctReaderSettings){ .header_size = 128 }, OCT_ERROR_SETTINGS,
      "a MATLAB file", "`header-size` is set to 128");
}

static void
test_mat_refused (void)
{
  assert_vector_refused ("complex.mat", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "'spectra' (is complex)", "save");
  assert_vector_refused ("sparse.mat", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "'spectra' (is sparse)", "save");
  assert_vector_refused ("four.mat", (OctReaderSettings){ 0 },
      OCT_ERROR_SETTINGS, "4 x 3 x 2 x 2, thus 4 channels", "one of 1 to 4");
  assert_vector_refused ("cell.mat", (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "is a cell array", "save");
  oct_test_assert_refused (
      oct_test_write ("short.mat", "MATLAB 5.0 MAT-file", 19),
      (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT, "header of 128 bytes",
      "save it again");
}

static void
put (GByteArray *file, gconstpointer value, gsize size)
{
  guint8 bytes[8];

  for (gsize i = 0; i < size; i++)
    bytes[i] = ((const guint8 *)value)[size - 1 - i];
  g_byte_array_append (file, bytes, (guint)size);
}

static void
put_u32 (GByteArray *file, guint32 value)
{
  put (file, &value, 4);
}

/* A matrix of class double, name "a", of `type` and `size` bytes of values, in
 * the order of bytes that other machines have. */
static GByteArray *
begin_big_endian (guint rows, guint columns, guint type, guint size)
{
  GByteArray *file = g_byte_array_new ();
  g_autofree char *text = g_strdup_printf ("%-124s", "MATLAB 5.0 MAT-file");

  g_byte_array_append (file, (const guint8 *)text, 124);
  g_byte_array_append (file, (const guint8 *)"\1\0MI", 4);
  put_u32 (file, 14);
  put_u32 (file, 48 + size);
  put_u32 (file, 6);
  put_u32 (file, 8);
  put_u32 (file, 6);
  put_u32 (file, 0);
  put_u32 (file, 5);
  put_u32 (file, 8);
  put_u32 (file, rows);
  put_u32 (file, columns);
  put_u32 (file, 1 << 16 | 1);
  g_byte_array_append (file, (const guint8 *)"a\0\0\0", 4);
  put_u32 (file, type);
  put_u32 (file, size);
  return file;
}

static void
test_mat_big_endian (void)
{
  g_autoptr (GByteArray) doubles = begin_big_endian (4, 3, 9, 96);
  g_autoptr (GByteArray) counts = begin_big_endian (4, 3, 5, 48);
  const struct {
    GByteArray *file;
    OctSampleFormat format;
  } cases[] = { { doubles, OCT_SAMPLE_F32 }, { counts, OCT_SAMPLE_F32 } };

  for (guint i = 0; i < 12; i++) {
    double real = 1000.5 * i;
    gint32 whole = 70000 * (gint32)i;

    put (doubles, &real, 8);
    put (counts, &whole, 4);
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader = oct_test_open (
        oct_test_write ("swapped.mat", cases[i].file->data, cases[i].file->len),
        (OctReaderSettings){ 0 });

    g_assert_cmpint (
        oct_reader_get_info (reader)->sample_format, ==, cases[i].format);
    oct_test_assert_bscan (reader, 0, i == 0 ? 1000.5 : 70000);
  }
}

/* Sizes that lie. */
static void
test_mat_hostile (void)
{
  static const struct {
    guint rows, columns, type, size;
    const char *found;
  } cases[] = {
    { 0x7fffffff, 0x7fffffff, 9, 96, "damaged" },
    { 0xffffffff, 3, 9, 96, "negative size" },
    { 4, 3, 9, 95, "damaged" },
    { 4, 3, 77, 96, "damaged" },
    { 0, 3, 9, 0, "is empty" },
    { 1, 1, 9, 8, "a single number" },
    { 0x7fffffff, 1, 2, 0x7fffffff, "65536 samples" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GByteArray) file = begin_big_endian (
        cases[i].rows, cases[i].columns, cases[i].type, cases[i].size);

    g_byte_array_set_size (file, file->len + MIN (cases[i].size, 96));
    oct_test_assert_refused (
        oct_test_write ("hostile.mat", file->data, file->len),
        (OctReaderSettings){ 0 },
        i == 6 ? OCT_ERROR_SETTINGS : OCT_ERROR_FORMAT, cases[i].found,
        "hostile.mat'");
  }
}

/* The intact part of a packed file can be played, and the rest is an error. */
static void
test_mat_cut (void)
{
  g_autofree char *path = oct_test_vector_path ("noise.mat");
  g_autofree char *data = NULL;
  g_autoptr (OctReader) whole = NULL, cut = NULL;
  g_autoptr (GError) error = NULL;
  guint16 values[12], expected[12];
  guint frame = 0;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  whole = oct_test_open (path, (OctReaderSettings){ 0 });
  cut = oct_test_open (
      oct_test_write ("cut.mat", data, size / 2), (OctReaderSettings){ 0 });
  g_assert_cmpuint (oct_reader_get_info (cut)->frames, ==, 200);
  for (; oct_reader_read (cut, frame, values, 8, &error); frame++) {
    g_assert_true (oct_reader_read (whole, frame, expected, 8, NULL));
    g_assert_cmpmem (values, 24, expected, 24);
  }
  g_assert_cmpuint (frame, >, 80);
  g_assert_cmpuint (frame, <=, 100);
  oct_test_assert_error (
      &error, OCT_ERROR_READ, "cut.mat'", "damaged or cut off", NULL);
  damage ("plain-u2.mat", 1);
  damage ("packed-f4.mat", 1);
}
#endif

#ifdef HAVE_HDF5
static void
test_hdf5_types (void)
{
  check_types ("plain-*.h5", OCT_FILE_HDF5);
}

static void
test_hdf5_layouts (void)
{
  static const char *const names[] = { "packed.h5", "big-endian.h5",
    "matlab73.mat" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (OctReader) reader =
        open_vector (names[i], (OctReaderSettings){ 0 });

    assert_volume (reader, 1000);
  }
}

static void
test_hdf5_names (void)
{
  static const char *const names[] = { "a/spectra", "/a/spectra" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (OctReader) reader = open_vector (
        "two.h5", (OctReaderSettings){ .dataset = (char *)names[i] });

    assert_volume (reader, 1000);
  }
  assert_vector_refused ("two.h5", (OctReaderSettings){ 0 }, OCT_ERROR_SETTINGS,
      "'a/spectra' (2 x 3 x 4), 'b/spectra' (3 x 4);", "set `dataset`");
  assert_vector_refused ("two.h5", (OctReaderSettings){ .dataset = "spectra" },
      OCT_ERROR_SETTINGS, "no array 'spectra'", "'b/spectra' (3 x 4)");
  assert_vector_refused ("matlab73.mat",
      (OctReaderSettings){ .variable = "name" }, OCT_ERROR_FORMAT,
      "'name' is text", "set `variable`");
}

static void
test_hdf5_refused (void)
{
  assert_vector_refused ("complex.h5", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "is complex", "save");
  assert_vector_refused ("text.h5", (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "'spectra' (holds no plain numbers)", "save");
  assert_vector_refused ("records.h5", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "'spectra' (is complex, or has several fields)",
      "save");
  assert_vector_refused ("lzf.h5", (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "HDF5 filter 32000, which is not installed", "save");
  assert_vector_refused ("external.h5", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "lies in other files", "save");
  assert_vector_refused ("never-written.h5", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "nothing was written to it", "save");
  assert_vector_refused ("chunk.h5", (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "pieces (chunks)", "chunks of one B-scan");
  oct_test_assert_refused (oct_test_write ("magic.h5", "\x89HDF\r\n\x1a\n", 8),
      (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT, "damaged or cut off",
      "copy it again");
}

static void
test_hdf5_damaged (void)
{
  damage ("packed.h5", 13);
}
#endif

#ifdef HAVE_ZIP
#  define PIXELS 16

/* As make_formats.py has it. */
static double
get_chirp (guint i)
{
  return i - 0.8 * sin (G_PI * i / (PIXELS - 1));
}

static void
test_thorlabs (void)
{
  static const struct {
    const char *name;
    guint frames, lines;
    double step, background;
  } cases[] = {
    { "thorlabs.oct", 2, 3, 7, 100 },
    { "stored-slashes.oct", 2, 3, 7, 100 },
    { "signed.oct", 2, 3, -7, 100 },
    { "several-in-one.oct", 6, 3, 7, 100 },
    { "regions.oct", 2, 3, 7, 100 },
    { "no-apodization.oct", 2, 5, 7, 200 },
    { "no-scale.oct", 2, 3, 7, 100 },
    { "no-chirp.oct", 2, 3, 7, 100 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader =
        open_vector (cases[i].name, (OctReaderSettings){ 0 });
    const OctReaderInfo *info = oct_reader_get_info (reader);
    OctCalibration *calibration = oct_reader_get_calibration (reader);
    const double *background;

    g_test_message ("%s", cases[i].name);
    g_assert_cmpint (info->format, ==, OCT_FILE_THORLABS);
    g_assert_cmpint (info->sample_format, ==,
        cases[i].step < 0 ? OCT_SAMPLE_F32 : OCT_SAMPLE_U16);
    g_assert_cmpuint (info->samples, ==, PIXELS);
    g_assert_cmpuint (info->lines, ==, cases[i].lines);
    g_assert_cmpuint (info->frames, ==, cases[i].frames);
    g_assert_cmpuint (info->bscans, ==, cases[i].frames);
    for (guint frame = cases[i].frames; frame-- > 0;)
      oct_test_assert_bscan (reader, frame, cases[i].step);
    oct_test_assert_bscan (reader, cases[i].frames - 1, cases[i].step);
    g_assert_nonnull (calibration);
    background = oct_calibration_get_background (calibration);
    g_assert_nonnull (background);
    for (guint s = 0; s < PIXELS; s++)
      g_assert_cmpfloat (background[s], ==, cases[i].background + s);
  }
}

/* Chirp 0 is the shortest wavelength, thus the last of ascending wavenumbers;
 * 8 depths in 100 um of air are of wavenumbers over pi / 12.5 um, less the step
 * from the last one to the first again. */
static void
test_thorlabs_calibration (void)
{
  g_autoptr (OctReader) scaled =
      open_vector ("thorlabs.oct", (OctReaderSettings){ 0 });
  g_autoptr (OctReader) plain =
      open_vector ("no-scale.oct", (OctReaderSettings){ 0 });
  g_autoptr (OctReader) none =
      open_vector ("no-chirp.oct", (OctReaderSettings){ 0 });
  OctCalibration *calibration = oct_reader_get_calibration (scaled);
  double nodes[PIXELS], k_min, k_max;

  for (guint i = 0; i < PIXELS; i++)
    nodes[i] = PIXELS - 1 - get_chirp (i);
  oct_test_assert_close (
      oct_calibration_get_nodes (calibration), nodes, PIXELS, 1e-5);
  g_assert_true (oct_calibration_get_k_range (calibration, &k_min, &k_max));
  g_assert_cmpfloat_with_epsilon (k_max - k_min, G_PI / 12.5 * 15 / 16, 1e-6);
  g_assert_cmpfloat_with_epsilon ((k_max + k_min) / 2, 2 * G_PI / 0.93, 1e-6);
  g_assert_cmpfloat_with_epsilon (
      oct_calibration_get_z_spacing (calibration, PIXELS), 12.5e-6, 1e-11);

  calibration = oct_reader_get_calibration (plain);
  g_assert_false (oct_calibration_get_k_range (calibration, &k_min, &k_max));
  oct_test_assert_close (
      oct_calibration_get_nodes (calibration), nodes, PIXELS, 0.01);
  calibration = oct_reader_get_calibration (none);
  g_assert_null (oct_calibration_get_nodes (calibration));
}

/* 1.5 mm of 3 lines, 0.5 mm of 2 places of B-scans. */
static void
test_thorlabs_spacings (void)
{
  static const struct {
    const char *name;
    double x, y;
    guint repeats;
  } cases[] = { { "lateral.oct", 0.5e-3, 0.25e-3, 0 },
    { "thorlabs.oct", 1e-3 / 3, 0, 0 }, { "lateral-averaged.oct", 0, 0, 0 },
    { "repeats.oct", 0.5e-3, 0.25e-3, 3 },
    { "repeats-alone.oct", 1e-3 / 3, 0, 6 }, { "lateral-wrong.oct", 0, 0, 2 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader =
        open_vector (cases[i].name, (OctReaderSettings){ 0 });
    const OctReaderInfo *info = oct_reader_get_info (reader);

    g_assert_cmpfloat_with_epsilon (info->x_spacing, cases[i].x, 1e-15);
    g_assert_cmpfloat_with_epsilon (info->y_spacing, cases[i].y, 1e-15);
    g_assert_cmpuint (info->repeats, ==, cases[i].repeats);
    g_assert_cmpfloat_with_epsilon (info->wavelength, 930e-9, 1e-15);
  }
}

static void
test_thorlabs_refused (void)
{
  static const struct {
    const char *name, *found;
  } cases[] = {
    { "bad-chirp-length.oct", "bytes that can be read, not 64, one number" },
    { "bad-chirp-falls.oct", "does not rise" },
    { "bad-chirp-nan.oct", "does not rise" },
    { "bad-overlap.oct", "overlap" },
    { "bad-sizes.oct", "do not have the sizes" },
    { "bad-nan.oct", "are not of 16 bit" },
    { "bad-negative.oct", "beyond their lines" },
    { "bad-huge.oct", "are too large" },
    { "bad-end.oct", "beyond their lines" },
    { "bad-xml.oct", "Header.xml is damaged" },
    { "bad-entities.oct", "Header.xml is damaged (Error on line 1" },
    { "bad-utf8.oct", "Header.xml is damaged (Error on line" },
    { "bad-no-header.oct", "Header.xml is missing" },
    { "bad-no-spectra.oct", "has no spectra" },
    { "bad-bomb.oct", "larger than 64 MiB, or not as large as" },
  };
  g_autofree char *path = oct_test_vector_path ("thorlabs.oct");
  g_autofree char *data = NULL;
  gsize size;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_vector_refused (cases[i].name, (OctReaderSettings){ 0 },
        OCT_ERROR_FORMAT, cases[i].found, "copy it again");
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  oct_test_assert_refused (oct_test_write ("cut.oct", data, size - 100),
      (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT, "damaged or cut off",
      "copy it again");
  oct_test_assert_refused (path, (OctReaderSettings){ .lines = 5 },
      OCT_ERROR_SETTINGS, "2 x 3 x 16, thus lines 3", "`lines` is set to 5");
  damage ("thorlabs.oct", 1);
}
/* Where an entry that is not compressed begins in an archive. */
static gsize
find_entry (const char *data, gsize size, const char *name)
{
  gsize n = strlen (name), at = 30;

  /* after the 30 bytes that begin it; Header.xml has names of entries too */
  while (at + n < size
         && (memcmp (data + at - 30, "PK\3\4", 4) != 0
             || memcmp (data + at, name, n) != 0))
    at++;
  g_assert_cmpuint (at + n, <, size);
  return at + n;
}

/* Where nothing is compressed the checksum alone says that a value is another. */
static void
test_thorlabs_checksum (void)
{
  static const struct {
    const char *name, *says;
  } entries[] = { { "Header.xml", "Header.xml is missing, damaged" },
    { "data/Chirp.data", "Chirp.data has 0 bytes that can be read" } };
  g_autofree char *vector = oct_test_vector_path ("stored-slashes.oct");
  g_autofree char *data = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (OctReader) reader = NULL;
  guint16 values[3 * 16];
  gsize size, row = 16 * sizeof *values, at;

  g_assert_true (g_file_get_contents (vector, &data, &size, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++) {
    at = find_entry (data, size, entries[i].name);
    data[at] ^= 1;
    oct_test_assert_refused (oct_test_write ("entry.oct", data, size),
        (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT, entries[i].says, "");
    data[at] ^= 1;
  }
  /* in the last sample of five lines */
  data[find_entry (data, size, "data/Spectral0.data") + 5 * row - 1] ^= 1;
  reader = oct_test_open (
      oct_test_write ("value.oct", data, size), (OctReaderSettings){ 0 });
  g_assert_false (oct_reader_read (reader, 0, values, row, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_READ);
  oct_test_assert_bscan (reader, 1, 7);
}

/* Where the archive's directory says how large its n-th entry is, unpacked
 * (APPNOTE 4.3.12); 0: it has fewer. */
static gsize
find_declared_size (const guint8 *data, gsize size, guint n)
{
  for (gsize i = 0; i + 46 <= size; i++)
    if (memcmp (data + i, "PK\1\2", 4) == 0 && n-- == 0)
      return i + 24;
  return 0;
}

/* An archive that declares a wrong size of one entry: smaller, larger, or more
 * than there is memory for.  The read data is right, or nothing is read. */
static void
test_thorlabs_declared (void)
{
  static const guint32 lies[] = { 0, 1, 16, 100, 5000, 1u << 20, 0xfffffffe };
  g_autofree char *vector = oct_test_vector_path ("thorlabs.oct");
  g_autofree char *data = NULL;
  gsize size, at;
  guint entries = 0, refused = 0;

  g_assert_true (g_file_get_contents (vector, &data, &size, NULL));
  for (; (at = find_declared_size ((guint8 *)data, size, entries)) > 0;
       entries++) {
    for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
      g_autofree char *lie = g_memdup2 (data, size);
      guint32 little = GUINT32_TO_LE (lies[i]);
      OctReaderSettings settings = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (OctReader) reader = NULL;

      memcpy (lie + at, &little, sizeof little);
      reader = oct_reader_open (
          oct_test_write ("lie.oct", lie, size), &settings, &error);
      if (reader == NULL) {
        refused++;
        g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
        g_assert_nonnull (strstr (error->message, "copy it again"));
        continue;
      }
      g_assert_cmpuint (oct_reader_get_info (reader)->announced, ==, 2);
      for (guint frame = 0; frame < 2; frame++) {
        guint16 values[3 * PIXELS];

        if (oct_reader_read (
                reader, frame, values, PIXELS * sizeof (guint16), &error))
          for (guint k = 0; k < 3 * PIXELS; k++)
            g_assert_cmpuint (values[k], ==, 7 * (frame * 3 * PIXELS + k));
        else
          g_assert_error (error, OCT_ERROR, OCT_ERROR_READ);
        g_clear_error (&error);
      }
    }
  }
  /* the header, the chirp and two B-scans at least; each lie of the header */
  g_assert_cmpuint (entries, >=, 4);
  g_assert_cmpuint (refused, >=, G_N_ELEMENTS (lies));
}
#endif

#define SRR_NAME "Data_Y%04u_YTotal2_B%04u_BTotal2_Ganymede.srr"

/* B-scan `frame` of four: two apodization lines of 100 + s on average, three
 * lines that count up; bits above the twelfth are noise. */
static void
write_srr (guint frame, const char *header)
{
  g_autofree char *name =
      g_strdup_printf (SRR_NAME, frame / 2 + 1, frame % 2 + 1);
  g_autoptr (GString) file = g_string_new (NULL);

  g_string_printf (file, "headersize=%u\n%s", (guint)strlen (header), header);
  for (guint i = 0; i < 5 * 8; i++) {
    guint16 value = i < 8    ? 97 + i
                    : i < 16 ? 103 + i - 8
                             : 7 * (frame * 24 + i - 16);

    value |= (i * 0x1357) & 0xf000;
    g_string_append_len (file, (const char *)&value, 2);
  }
  oct_test_write (name, file->str, file->len);
}

#define SRR_HEADER                                                             \
  "size1=8 size2=5 bitdepth=12 aporegions=1,0,2 scanregions=1,2,5 "

static void
test_srr (void)
{
  static const char *const bad[] = { "size1=8", "size1=-8 scanregions=1,2,5",
    "size1=8 scanregions=1,5,2", "size1=8 scanregions=1,nan,5",
    "size1=99999999 scanregions=1,2,5",
    "size1=65536 aporegions=1,0,65535 scanregions=1,65535,65536",
    "size1=8 aporegions=1,0,9 scanregions=1,2,5" };
  g_autofree char *first = g_strdup_printf (SRR_NAME, 1, 1);
  g_autofree char *last = g_strdup_printf (SRR_NAME, 2, 2);
  g_autoptr (OctReader) reader = NULL;
  OctCalibration *calibration;
  double expected[8];
  const char *path;

  for (guint frame = 0; frame < 4; frame++)
    write_srr (frame, SRR_HEADER);
  oct_test_write ("Chirp.dat", "0\n0.5\n1.5\n3\n4\n5.25\n6\n7\n", 23);
  reader = oct_test_open (oct_test_path (last), (OctReaderSettings){ 0 });
  g_assert_cmpint (oct_reader_get_info (reader)->format, ==, OCT_FILE_SRR);
  g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, 4);
  g_assert_cmpuint (oct_reader_get_info (reader)->lines, ==, 3);
  for (guint frame = 4; frame-- > 0;)
    oct_test_assert_bscan (reader, frame, 7);
  calibration = oct_reader_get_calibration (reader);
  for (guint i = 0; i < 8; i++)
    expected[i] = 100 + i;
  oct_test_assert_close (
      oct_calibration_get_background (calibration), expected, 8, 1e-12);
  /* wavenumber 7 - j is at the pixel whose chirp is j */
  g_assert_cmpfloat_with_epsilon (
      oct_calibration_get_positions (calibration)[7 - 3], 3, 1e-6);
  g_assert_cmpfloat_with_epsilon (
      oct_calibration_get_positions (calibration)[7 - 2], 2 + 1.0 / 3, 1e-6);

  oct_test_write ("Chirp.dat", "0\n1\n2\n", 6);
  oct_test_assert_refused (oct_test_path (first), (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "Chirp.dat' does not have 8 numbers", "`calibration`");
  g_remove (oct_test_path ("Chirp.dat"));
  g_remove (oct_test_path (last));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    write_srr (0, bad[i]);
    oct_test_assert_refused (oct_test_path (first), (OctReaderSettings){ 0 },
        OCT_ERROR_FORMAT, "not a whole Thorlabs .srr", "copy all files");
  }
  path = oct_test_write ("x.srr", "headersize=99999999999\n", 23);
  oct_test_assert_refused (path, (OctReaderSettings){ 0 }, OCT_ERROR_FORMAT,
      "header is damaged", "copy all files");
}

#if !defined HAVE_ZLIB || !defined HAVE_HDF5 || !defined HAVE_ZIP
static void
test_left_out (void)
{
#  ifndef HAVE_ZLIB
  assert_vector_refused ("plain-u2.mat", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "made without zlib", "zlib1g-dev");
#  endif
#  ifndef HAVE_HDF5
  assert_vector_refused ("packed.h5", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "made without HDF5", "libhdf5-dev");
  assert_vector_refused ("matlab73.mat", (OctReaderSettings){ 0 },
      OCT_ERROR_FORMAT, "made without HDF5", "libhdf5-dev");
#  endif
}
#endif

static void
test_names_elsewhere (void)
{
  oct_test_assert_refused (oct_test_write ("x.raw", "0123", 4),
      (OctReaderSettings){
          .format = OCT_FILE_RAW, .samples = 1, .lines = 1, .variable = "a" },
      OCT_ERROR_SETTINGS, "`variable` is set", "leave it empty");
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
#ifdef HAVE_ZLIB
  g_test_add_func ("/formats/mat/types", test_mat_types);
  g_test_add_func ("/formats/mat/by-matlab", test_mat_by_matlab);
  g_test_add_func ("/formats/mat/shapes", test_mat_shapes);
  g_test_add_func ("/formats/mat/names", test_mat_names);
  g_test_add_func ("/formats/mat/refused", test_mat_refused);
  g_test_add_func ("/formats/mat/big-endian", test_mat_big_endian);
  g_test_add_func ("/formats/mat/hostile", test_mat_hostile);
  g_test_add_func ("/formats/mat/cut", test_mat_cut);
#endif
#ifdef HAVE_HDF5
  g_test_add_func ("/formats/hdf5/types", test_hdf5_types);
  g_test_add_func ("/formats/hdf5/layouts", test_hdf5_layouts);
  g_test_add_func ("/formats/hdf5/names", test_hdf5_names);
  g_test_add_func ("/formats/hdf5/refused", test_hdf5_refused);
  g_test_add_func ("/formats/hdf5/damaged", test_hdf5_damaged);
#endif
#ifdef HAVE_ZIP
  g_test_add_func ("/formats/thorlabs/read", test_thorlabs);
  g_test_add_func ("/formats/thorlabs/calibration", test_thorlabs_calibration);
  g_test_add_func ("/formats/thorlabs/spacings", test_thorlabs_spacings);
  g_test_add_func ("/formats/thorlabs/refused", test_thorlabs_refused);
  g_test_add_func ("/formats/thorlabs/checksum", test_thorlabs_checksum);
  g_test_add_func ("/formats/thorlabs/declared", test_thorlabs_declared);
#endif
#if !defined HAVE_ZLIB || !defined HAVE_HDF5 || !defined HAVE_ZIP
  g_test_add_func ("/formats/left-out", test_left_out);
#endif
  g_test_add_func ("/formats/srr", test_srr);
  g_test_add_func ("/formats/names-elsewhere", test_names_elsewhere);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
