/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of any type, order and number of dimensions.  Value n of the data to
 * be read is n; all bytes are put together here, or by NumPy, SciPy and h5py
 * (make_npy.py, make_formats.py). */
#define OCT_TEST_READER_FOLDER OCT_TEST_VECTORS "/files"
#include "oct-test-vectors.h"

#include "oct-layout.h"

#include <unistd.h>

#define VOLUMES 2
#define BSCANS 3
#define LINES 4
#define SAMPLES 20
#define CHANNELS 2

/* `size` bytes of `bits`, the lowest first unless they are swapped. */
static void
put_value (GByteArray *file, guint64 bits, guint size, gboolean swapped)
{
  for (guint i = 0; i < size; i++) {
    guint8 byte = bits >> 8 * (swapped ? size - 1 - i : i);

    g_byte_array_append (file, &byte, 1);
  }
}

static GByteArray *
begin_npy (const char *descr, gboolean fortran, guint dims, const guint *shape)
{
  GByteArray *file = g_byte_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  guint8 prefix[] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0 };

  g_string_printf (text, "{'descr': '%s', 'fortran_order': %s, 'shape': (",
      descr, fortran ? "True" : "False");
  for (guint i = 0; i < dims; i++)
    g_string_append_printf (text, "%u, ", shape[i]);
  g_string_append (text, ")}\n");
  prefix[8] = (guint8)text->len;
  g_byte_array_append (file, prefix, sizeof prefix);
  g_byte_array_append (file, (const guint8 *)text->str, (guint)text->len);
  return file;
}

/* ------------------------------------------------------------------- types */

/* Four values of each type, and what they are delivered as. */
static const struct {
  OctStored stored; /* or the one after it, of the other order of bytes */
  const char *descr;
  OctSampleFormat format;
  guint64 bits[4];
  double values[4];
} types[] = {
  { OCT_STORED_U1, "u1", OCT_SAMPLE_U8, { 0, 1, 128, 255 },
      { 0, 1, 128, 255 } },
  { OCT_STORED_I1, "i1", OCT_SAMPLE_F32, { 0, 127, 128, 255 },
      { 0, 127, -128, -1 } },
  { OCT_STORED_U2, "u2", OCT_SAMPLE_U16, { 0, 1, 0x1234, 0xffff },
      { 0, 1, 4660, 65535 } },
  { OCT_STORED_I2, "i2", OCT_SAMPLE_F32, { 0x1234, 0x7fff, 0x8000, 0xffff },
      { 4660, 32767, -32768, -1 } },
  /* the last one is halfway between floats, and goes to the even one */
  { OCT_STORED_U4, "u4", OCT_SAMPLE_F32,
      { 0x12345, 0x1000000, 0xffffff00, 0x1000001 },
      { 74565, 16777216, 4294967040.0, 16777216 } },
  { OCT_STORED_I4, "i4", OCT_SAMPLE_F32,
      { 0x12345, 0xffffffff, 0x80000000, 0xfeffffff },
      { 74565, -1, -2147483648.0, -16777216 } },
  { OCT_STORED_U8, "u8", OCT_SAMPLE_F32,
      { 1, 0x100000000, 0x8000000000000000, 0x1000001 },
      { 1, 4294967296.0, 9223372036854775808.0, 16777216 } },
  { OCT_STORED_I8, "i8", OCT_SAMPLE_F32,
      { 1, 0xffffffffffffffff, 0x8000000000000000, 4095 },
      { 1, -1, -9223372036854775808.0, 4095 } },
  /* the largest, the smallest, and the smallest normal one */
  { OCT_STORED_F2, "f2", OCT_SAMPLE_F32, { 0xc000, 0x7bff, 0x0001, 0x0400 },
      { -2, 65504, 0x1p-24, 0x1p-14 } },
  { OCT_STORED_F2, "f2", OCT_SAMPLE_F32, { 0x3555, 0x7c00, 0xfc00, 0x83ff },
      { 0.333251953125, HUGE_VAL, -HUGE_VAL, -0x3ffp-24 } },
  { OCT_STORED_F4, "f4", OCT_SAMPLE_F32,
      { 0x3fc00000, 0xc2f60000, 0x00000001, 0x7f800000 },
      { 1.5, -123, 0x1p-149, HUGE_VAL } },
  { OCT_STORED_F8, "f8", OCT_SAMPLE_F32,
      { 0x3ff8000000000000, 0xc05ec00000000000, 0x3ff0000010000000, 0 },
      { 1.5, -123, 1.0, 0 } },
};

static void
assert_four (OctReader *reader, guint type)
{
  OctSampleFormat format = oct_reader_get_info (reader)->sample_format;
  float values[4];

  g_assert_cmpint (format, ==, types[type].format);
  assert_sizes (reader, 4, 1, 1, 1, 0);
  read_good (reader, 0, values, sizeof values);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (
        oct_test_value (values, format, i), ==, types[type].values[i]);
}

static void
test_types (void)
{
  static const guint shape[] = { 4 };

  for (guint n = 0; n < 2 * G_N_ELEMENTS (types); n++) {
    guint type = n / 2, size = oct_stored_get (types[type].stored)->size;
    gboolean swapped = n % 2 && size > 1;
    g_autofree char *descr =
        g_strconcat (n % 2 ? ">" : "<", types[type].descr, NULL);
    g_autoptr (GByteArray) npy = begin_npy (descr, FALSE, 1, shape);
    guint header = npy->len;
    OctReaderSettings raw = { .format = OCT_FILE_RAW,
      .samples = 4,
      .lines = 1,
      .header_size = header,
      .stored = types[type].stored + (swapped ? 1 : 0) };
    g_autoptr (OctReader) array = NULL, flat = NULL;
    const char *path;

    for (guint i = 0; i < 4; i++)
      put_value (npy, types[type].bits[i], size, swapped);
    path = oct_test_write ("types.npy", npy->data, npy->len);
    array = oct_test_open (path, (OctReaderSettings){ 0 });
    assert_four (array, type);
    flat = oct_test_open (path, raw);
    assert_four (flat, type);
  }
}

/* The names of octsrc's `sample-format` say what the types are. */
static void
test_nicks (void)
{
  for (guint i = 0; i < OCT_STORED_COUNT; i++) {
    const OctStoredType *type = oct_stored_get ((OctStored)i);
    g_autofree char *nick = g_strdup_printf ("%s%u%s",
        type->kind == 'f'   ? "f"
        : type->kind == 'i' ? "s"
        : type->size > 2    ? "u"
                            : "gray",
        8 * type->size,
        type->size == 1 ? ""
        : type->swapped ? "-be"
                        : "-le");
    g_autoptr (GError) error = NULL;
    OctStored stored = OCT_STORED_COUNT;

    g_assert_cmpstr (type->nick, ==, nick);
    g_assert_nonnull (strstr (oct_stored_list (), nick));
    g_assert_nonnull (strstr (oct_stored_describe_option (), nick));
    g_assert_true (oct_stored_parse (nick, &stored, &error));
    g_assert_cmpuint (stored, ==, i);
    stored = OCT_STORED_COUNT;
    g_assert_true (
        oct_stored_find (type->kind, type->size, type->swapped, &stored));
    g_assert_cmpuint (stored, ==, i);
  }
}

/* ------------------------------------------------------------------- orders */

/* An array whose dimension i is `is[i]` of [volumes][B-scans][lines][samples]
 * [channels]; value n of channel c is (2 c + 1) n. */
static const char *
write_array (const guint *is, guint dims, gboolean fortran)
{
  static const guint lengths[] = { VOLUMES, BSCANS, LINES, SAMPLES, CHANNELS };
  guint shape[5] = { 0 }, total = 1;
  GByteArray *file;
  const char *path;

  for (guint i = 0; i < dims; i++)
    total *= shape[i] = lengths[is[i]];
  file = begin_npy ("<u2", fortran, dims, shape);
  for (guint n = 0; n < total; n++) {
    guint at[5] = { 0 }, left = n;

    for (guint i = 0; i < dims; i++) {
      guint axis = fortran ? i : dims - 1 - i;

      at[is[axis]] = left % shape[axis];
      left /= shape[axis];
    }
    put_value (file,
        (2 * at[4] + 1)
            * (((at[0] * BSCANS + at[1]) * LINES + at[2]) * SAMPLES + at[3]),
        2, FALSE);
  }
  path = oct_test_write ("array.npy", file->data, file->len);
  g_byte_array_unref (file);
  return path;
}

static void
assert_all (
    OctReader *reader, guint lines, guint bscans, guint frames, double step)
{
  assert_sizes (reader, SAMPLES, lines, bscans, frames, 0);
  /* from the last one on, and all of them once more */
  for (guint i = 0; i < 2 * frames; i++)
    oct_test_assert_bscan (
        reader, i < frames ? frames - 1 - i : i - frames, step);
}

enum { V, B, L, S, C };

static void
test_orders (void)
{
  static const struct {
    guint dims, is[5];
    guint sample_dimension; /* 0: the convention */
    guint lines, bscans, frames;
  } cases[] = {
    { 1, { S }, 0, 1, 1, 1 },
    { 2, { L, S }, 0, LINES, 1, 1 },
    { 2, { S, L }, 1, LINES, 1, 1 },
    { 3, { B, L, S }, 0, LINES, BSCANS, BSCANS },
    { 3, { S, L, B }, 1, LINES, BSCANS, BSCANS },
    { 3, { B, S, L }, 2, LINES, BSCANS, BSCANS },
    { 4, { V, B, L, S }, 0, LINES, BSCANS, 6 },
    { 4, { S, L, B, V }, 1, LINES, BSCANS, 6 },
    { 4, { V, B, S, L }, 3, LINES, BSCANS, 6 },
  };

  for (guint n = 0; n < 4 * G_N_ELEMENTS (cases); n++) {
    guint i = n / 4, dims = cases[i].dims, is[5];
    gboolean fortran = n & 1, channels = n & 2;
    OctReaderSettings settings = { .sample_dimension =
                                       cases[i].sample_dimension };

    memcpy (is, cases[i].is, sizeof is);
    if (channels)
      is[dims++] = C;
    /* in that order the samples may be first */
    if (fortran && settings.sample_dimension == 0)
      settings.sample_dimension = cases[i].dims;
    for (guint channel = channels ? 1 : 0; channel <= (channels ? 2 : 0);
         channel++) {
      g_autoptr (OctReader) reader = NULL;

      settings.channel = channel;
      reader = oct_test_open (write_array (is, dims, fortran), settings);
      assert_all (reader, cases[i].lines, cases[i].bscans, cases[i].frames,
          channel == 2 ? 3 : 1);
    }
  }
}

/* Lines of two dimensions in groups, and volumes that are set. */
static void
test_groups (void)
{
  static const guint flat[] = { L, S, C }, whole[] = { V, B, L, S };

  for (guint fortran = 0; fortran < 2; fortran++) {
    g_autoptr (OctReader) lines = oct_test_open (write_array (flat, 3, fortran),
        (OctReaderSettings){ .lines = 2, .channel = 2, .sample_dimension = 2 });
    g_autoptr (OctReader) volumes = NULL;

    assert_all (lines, 2, 2, 2, 3);
    volumes = oct_test_open (write_array (whole, 4, fortran),
        (OctReaderSettings){ .bscans = 2, .sample_dimension = 4 });
    assert_all (volumes, LINES, 2, 6, 1);
  }
}

/* Only what NumPy itself has written, as vortex does: version 2.0, types by
 * their names, one channel. */
static void
test_stacks (void)
{
  static const char *const names[] = { "../stack-c.npy", "../stack-names.npy" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (OctReader) reader =
        open_vector (names[i], (OctReaderSettings){ 0 });

    assert_all (reader, LINES, BSCANS, 6, 1);
  }
  for (guint channel = 1; channel <= 2; channel++) {
    g_autoptr (OctReader) reader = open_vector ("../stack-channels.npy",
        (OctReaderSettings){ .channel = channel, .sample_dimension = 4 });

    assert_all (reader, LINES, BSCANS, 6, 2 * channel - 1);
  }
}

#if defined HAVE_ZLIB || defined HAVE_HDF5
static void
check_stack (const char *name, const OctReaderSettings *settings)
{
  for (guint channel = 1; channel <= 2; channel++) {
    OctReaderSettings one = *settings;
    g_autoptr (OctReader) reader = NULL;

    g_test_message ("%s, channel %u", name, channel);
    one.channel = channel;
    reader = open_vector (name, one);
    assert_all (reader, LINES, BSCANS, 6, 2 * channel - 1);
  }
}
#endif

#ifdef HAVE_ZLIB
static void
test_mat (void)
{
  static const OctReaderSettings matlab = { .variable = "matlab" };
  static const char *const names[] = { "stack-plain.mat", "stack-packed.mat" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    /* SciPy writes NumPy's order, MATLAB the reverse */
    g_autoptr (OctReader) scipy = open_vector (names[i],
        (OctReaderSettings){ .variable = "scipy_one", .sample_dimension = 3 });
    GError *error = NULL;

    assert_all (scipy, LINES, BSCANS, BSCANS, 1);
    check_stack (names[i], &matlab);
    error =
        open_bad_vector (names[i], (OctReaderSettings){ .variable = "matlab" });
    oct_test_assert_error (&error, OCT_ERROR_SETTINGS,
        "2 x 20 x 4 x 3 x 2, thus 2 channels", "one of 1 to 2", NULL);
    error = open_bad_vector (
        names[i], (OctReaderSettings){ .variable = "matlab", .channel = 3 });
    oct_test_assert_error (
        &error, OCT_ERROR_SETTINGS, "`channel` is 3", "one of 1 to 2", NULL);
  }
}
#endif

#ifdef HAVE_HDF5
/* Attributes of the dataset, or of the file. */
static void
test_hdf5_scan (void)
{
  static const struct {
    const char *name;
    guint repeats;
    double line_rate, wavelength;
  } cases[] = { { "repeats.h5", 2, 1e5, 1.31e-6 },
    { "repeats-of-file.h5", 2, 1e5, 1.31e-6 },
    { "repeats-wrong.h5", 0, 0.0, 1310.0 }, { "packed.h5", 0, 0.0, 0.0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader =
        open_vector (cases[i].name, (OctReaderSettings){ 0 });
    const OctReaderInfo *info = oct_reader_get_info (reader);

    g_assert_cmpuint (info->repeats, ==, cases[i].repeats);
    g_assert_cmpfloat (info->line_rate, ==, cases[i].line_rate);
    g_assert_cmpfloat (info->wavelength, ==, cases[i].wavelength);
  }
}

static void
test_hdf5 (void)
{
  static const OctReaderSettings plain = { .dataset = "stack" },
                                 turned = { .dataset = "turned",
                                   .sample_dimension = 3 };
  g_autoptr (OctReader) one =
      open_vector ("stack.h5", (OctReaderSettings){ .dataset = "one" });
  g_autoptr (OctReader) half =
      open_vector ("stack.h5", (OctReaderSettings){ .dataset = "half" });

  check_stack ("stack.h5", &plain);
  check_stack ("stack.h5", &turned);
  assert_all (one, LINES, BSCANS, 6, 1);
  g_assert_cmpint (
      oct_reader_get_info (half)->sample_format, ==, OCT_SAMPLE_F32);
  assert_all (half, LINES, BSCANS, BSCANS, 0.5);
}
#endif

/* ------------------------------------------------------------- what is refused */

static void
assert_refused (const guint *shape, guint dims, gboolean fortran,
    OctReaderSettings settings, const char *found, const char *advice)
{
  g_autoptr (GByteArray) file = begin_npy ("|u1", fortran, dims, shape);
  gsize size = 1;
  GError *error;

  for (guint i = 0; i < dims; i++)
    size *= shape[i];
  g_byte_array_set_size (file, file->len + (guint)size);
  error = open_bad (
      oct_test_write ("refused.npy", file->data, file->len), settings);
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "refused.npy'", found, advice, NULL);
}

static void
test_refused (void)
{
  assert_refused ((guint[]){ 1024, 64, 8 }, 3, FALSE, (OctReaderSettings){ 0 },
      "(1024, 64, 8), thus A-lines of 8 samples, but hundreds are expected",
      "set `sample-dimension` to 1 if the 1024 are the samples, or to 3");
  assert_refused ((guint[]){ 30, 20 }, 2, TRUE, (OctReaderSettings){ 0 },
      "fortran_order", "set `sample-dimension` to 1 if the 30 are the samples");
  assert_refused ((guint[]){ 2, 3, 40, 6 }, 4, FALSE, (OctReaderSettings){ 0 },
      "thus 6 channels, but only one can be read; set ",
      "set `channel` to one of 1 to 6, or `sample-dimension` if dimension 4");
  assert_refused ((guint[]){ 2, 3, 40 }, 3, FALSE,
      (OctReaderSettings){ .sample_dimension = 4 }, "`sample-dimension` is 4",
      "one of 1 to 3");
  assert_refused ((guint[]){ 2, 3, 400 }, 3, FALSE,
      (OctReaderSettings){ .channel = 1 }, "no channels, but `channel` is 1",
      "leave it 0");
  assert_refused ((guint[]){ 2, 3, 4, 300 }, 4, FALSE,
      (OctReaderSettings){ .bscans = 4 }, "thus bscans 6",
      "`bscans` is set to 4");
}

/* Settings without a meaning. */
static void
test_no_arrays (void)
{
  const char *path = oct_test_write ("x.raw", "0123", 4);
  OctReaderSettings settings = {
    .format = OCT_FILE_RAW, .samples = 1, .lines = 1, .channel = 1
  };

  oct_test_assert_refused (
      path, settings, OCT_ERROR_SETTINGS, "`channel` is set", "leave it 0");
  settings.channel = 0;
  settings.sample_dimension = 1;
  oct_test_assert_refused (path, settings, OCT_ERROR_SETTINGS,
      "`sample-dimension` is 1", "set it to 2 if each column is a spectrum");
  settings.sample_dimension = 4;
  oct_test_assert_refused (path, settings, OCT_ERROR_SETTINGS,
      "`sample-dimension` is 4", "leave it 0 if each row is one");
}

/* In a file that was cut off, the whole B-scans can be read, if their values
 * are contiguous. */
static void
test_cut (void)
{
  static const guint c[] = { V, B, L, S, C }, f[] = { B, L, S };
  const gsize bscan = LINES * SAMPLES * CHANNELS * 2;
  g_autoptr (OctReader) reader = NULL;
  g_autofree char *data = NULL;
  guint16 values[LINES * SAMPLES];
  const char *path;
  GError *error = NULL;
  gsize size;

  g_assert_true (
      g_file_get_contents (write_array (c, 5, FALSE), &data, &size, NULL));
  /* but for the channel that is not read, the fifth is whole */
  path = oct_test_write ("cut.npy", data, size - bscan - 2);
  reader = oct_test_open (path, (OctReaderSettings){ .channel = 1 });
  g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, 5);
  oct_test_assert_bscan (reader, 4, 1);
  g_clear_pointer (&reader, oct_reader_close);
  reader = oct_test_open (path, (OctReaderSettings){ .channel = 2 });
  g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, 4);
  oct_test_assert_bscan (reader, 3, 3);
  /* cut off since it was opened */
  g_assert_cmpint (truncate (path, (off_t)(size - 4 * bscan)), ==, 0);
  g_clear_pointer (&reader, oct_reader_close);
  reader = oct_test_open (path, (OctReaderSettings){ .channel = 2 });
  g_assert_cmpint (truncate (path, 200), ==, 0);
  g_assert_false (oct_reader_read (reader, 1, values, SAMPLES * 2, &error));
  oct_test_assert_error (&error, OCT_ERROR_READ, "B-scan 1", "cut off", NULL);

  g_clear_pointer (&data, g_free);
  g_assert_true (
      g_file_get_contents (write_array (f, 3, TRUE), &data, &size, NULL));
  error = open_bad (oct_test_write ("cut.npy", data, size - 1),
      (OctReaderSettings){ .sample_dimension = 3 });
  oct_test_assert_error (
      &error, OCT_ERROR_FORMAT, "not all of", "(3, 4, 20)", NULL);
}

/* More B-scans than are kept at once (256 MiB), in a file with a hole: value
 * (b, l, s) of Fortran order is byte b + B (l + L s). */
static void
test_large (void)
{
  enum { N = 258, HIGH = 1024, LONG = 1024 };
  static const guint shape[] = { N, HIGH, LONG };
  static const guint marks[][3] = { { 0, 3, 5 },
    { N - 1, HIGH - 1, LONG - 1 } };
  g_autoptr (GByteArray) file = begin_npy ("|u1", TRUE, 3, shape);
  const char *path = oct_test_write ("large.npy", file->data, file->len);
  g_autofree guint8 *values = g_malloc (HIGH * LONG);
  g_autoptr (OctReader) reader = NULL;
  FILE *stream = g_fopen (path, "r+b");

  g_assert_nonnull (stream);
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
    gsize at =
        marks[i][0] + (gsize)N * (marks[i][1] + (gsize)HIGH * marks[i][2]);

    g_assert_cmpint (fseeko (stream, (off_t)(file->len + at), SEEK_SET), ==, 0);
    g_assert_cmpint (fputc (77 + (int)i, stream), ==, 77 + (int)i);
  }
  fclose (stream);
  reader = oct_test_open (path, (OctReaderSettings){ .sample_dimension = 3 });
  assert_sizes (reader, LONG, HIGH, N, N, 0);
  for (guint i = G_N_ELEMENTS (marks); i-- > 0;) {
    guint at = marks[i][1] * LONG + marks[i][2], found = 0;

    read_good (reader, marks[i][0], values, LONG);
    for (guint v = 0; v < HIGH * LONG; v++)
      found += values[v] != 0;
    g_assert_cmpuint (found, ==, 1);
    g_assert_cmpuint (values[at], ==, 77 + i);
  }
}

/* -------------------------------------------------------------- wrong types */

/* Spectra as a camera counts them: a source, fringes of two depths, noise. */
static double
get_spectrum (guint line, guint i, double depth)
{
  double x = ((double)i - 512) / 256;
  guint noise = ((line * 1024 + i) * 2654435761u) >> 24; /* 0 .. 255 */

  return 100 + noise / 40.0
         + 2000 * exp (-x * x)
               * (1 + 0.2 * cos (depth * i + line) + 0.1 * cos (1.9 * i));
}

/* Two B-scans of 16 spectra, in rows, or in columns of a frame. */
static void
put_spectra (GByteArray *file, const OctStoredType *type, double offset,
    double depth, gboolean columns)
{
  for (guint v = 0; v < 32 * 1024; v++) {
    guint line = columns ? v / (16 * 1024) * 16 + v % 16 : v / 1024;
    guint sample = columns ? v / 16 % 1024 : v % 1024;
    double value = get_spectrum (line, sample, depth) - offset;
    float f4 = (float)value;
    guint64 bits = (guint64)(gint64)rint (value);

    if (type->kind == 'f' && type->size == 8) {
      memcpy (&bits, &value, sizeof bits);
    } else if (type->kind == 'f') {
      guint32 word;

      memcpy (&word, &f4, sizeof word);
      bits = word;
      if (type->size == 2) /* positive, normal, cut off */
        bits = (word >> 13) - (112 << 10);
    }
    put_value (file, bits, type->size, type->swapped);
  }
}

static char *
find_doubt (
    OctStored is, OctStored set, double offset, double depth, gboolean columns)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (OctReader) reader = NULL;

  put_spectra (file, oct_stored_get (is), offset, depth, columns);
  reader = oct_test_open (oct_test_write ("a.raw", file->data, file->len),
      (OctReaderSettings){ .format = OCT_FILE_RAW,
          .samples = 1024,
          .lines = 16,
          .sample_dimension = columns ? 2 : 0,
          .stored = set });
  return oct_reader_describe_doubt (reader);
}

static void
test_doubts (void)
{
  static const struct {
    OctStored is, set;
    double offset;
  } cases[] = {
    { OCT_STORED_U2_BE, OCT_STORED_U2, 0 },
    { OCT_STORED_U2, OCT_STORED_U2_BE, 0 },
    { OCT_STORED_I2, OCT_STORED_U2, 1000 },
    { OCT_STORED_I2_BE, OCT_STORED_U2, 1000 },
    { OCT_STORED_U2, OCT_STORED_U1, 0 },
    { OCT_STORED_F4, OCT_STORED_U2, 0 },
    { OCT_STORED_F4_BE, OCT_STORED_F4, 0 },
    { OCT_STORED_U2, OCT_STORED_F4, 0 },
    { OCT_STORED_I4, OCT_STORED_U2, 0 },
    { OCT_STORED_I4, OCT_STORED_F4, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *nick = oct_stored_get (cases[i].is)->nick;
    g_autofree char *doubt =
        find_doubt (cases[i].is, cases[i].set, cases[i].offset, 0.3, FALSE);
    g_autofree char *advice =
        g_strdup_printf ("set `sample-format` to %s, which", nick);

    g_test_message (
        "%s as %s: %s", nick, oct_stored_get (cases[i].set)->nick, doubt);
    g_assert_nonnull (doubt);
    g_assert_nonnull (strstr (doubt, "a.raw' is read as "));
    g_assert_nonnull (strstr (doubt, advice));
  }
}

/* Data read in its own format gives no doubt, whatever the depth of the
 * reflector is: 3.1 is one at the end of the range. */
static void
test_no_doubts (void)
{
  static const double depths[] = { 0.0, 0.3, 1.0, G_PI / 2, 2.2, 3.1 };

  for (guint n = 0; n < OCT_STORED_COUNT * G_N_ELEMENTS (depths); n++) {
    OctStored stored = (OctStored)(n / G_N_ELEMENTS (depths));
    double depth = depths[n % G_N_ELEMENTS (depths)];
    /* a range of its own has no spectrum of 12 bits */
    g_autofree char *doubt =
        oct_stored_get (stored)->size > 1 ? find_doubt (stored, stored,
            oct_stored_get (stored)->kind == 'i' ? 1000 : 0, depth, FALSE)
                                          : NULL;

    g_assert_cmpstr (doubt, ==, NULL);
  }
}

/* Neighbours along a row of a transposed frame are not neighbours in a
 * spectrum. */
static void
test_doubts_of_columns (void)
{
  g_autofree char *right =
      find_doubt (OCT_STORED_U2, OCT_STORED_U2, 0, G_PI / 2, TRUE);
  g_autofree char *wrong =
      find_doubt (OCT_STORED_U2_BE, OCT_STORED_U2, 0, 0.3, TRUE);

  g_assert_cmpstr (right, ==, NULL);
  g_assert_nonnull (wrong);
  g_assert_nonnull (strstr (wrong, "set `sample-format` to gray16-be"));
}

/* Frames of a raw file whose columns are the spectra, larger than the pieces
 * that they are turned in, with and without a type that is converted. */
static void
test_columns (void)
{
  enum { COLUMNS = 45, ROWS = 1100, FRAMES = 3, HEAD = 5, REST = 3 };
  static const OctStored types[] = { OCT_STORED_U1, OCT_STORED_U2,
    OCT_STORED_U2_BE, OCT_STORED_I4, OCT_STORED_U8_BE };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    const OctStoredType *type = oct_stored_get (types[i]);
    guint range = type->size == 1 ? 251 : 32749;
    g_autoptr (GByteArray) file = g_byte_array_new ();
    g_autoptr (OctReader) reader = NULL;
    gsize row = ROWS * oct_sample_format_size (type->delivered) + 8;
    g_autofree guint8 *bscan = g_malloc (COLUMNS * row);

    g_byte_array_append (file, (const guint8 *)"head.", HEAD);
    for (guint v = 0; v < FRAMES * ROWS * COLUMNS; v++)
      put_value (file, v % range, type->size, type->swapped);
    g_byte_array_append (file, (const guint8 *)"...", REST);
    reader = oct_test_open (oct_test_write ("a.raw", file->data, file->len),
        (OctReaderSettings){ .format = OCT_FILE_RAW,
            .samples = ROWS,
            .lines = COLUMNS,
            .header_size = HEAD,
            .stored = types[i],
            .sample_dimension = 2 });
    g_assert_cmpuint (oct_reader_get_info (reader)->samples, ==, ROWS);
    g_assert_cmpuint (oct_reader_get_info (reader)->lines, ==, COLUMNS);
    g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, FRAMES);
    for (guint frame = FRAMES; frame-- > 0;) {
      g_assert_true (oct_reader_read (reader, frame, bscan, row, NULL));
      for (guint line = 0; line < COLUMNS; line++)
        for (guint s = 0; s < ROWS; s++)
          g_assert_cmpfloat (
              oct_test_value (bscan + line * row, type->delivered, s), ==,
              ((frame * ROWS + s) * COLUMNS + line) % range);
    }
  }
}

/* ---------------------------------------------------- values that are packed */

/* Value n of an array is n; the first that was not fetched yet. */
static gboolean
fetch_forward (gpointer content, guint64 offset, gpointer dest, gsize size)
{
  guint64 *next = content;

  /* to go back means to unpack all of it again */
  g_assert_cmpuint (offset, >=, *next);
  for (gsize i = 0; i < size / 2; i++)
    ((guint16 *)dest)[i] = (guint16)(offset / 2 + i);
  *next = offset + size;
  return TRUE;
}

static void
close_nothing (gpointer content)
{
}

/* [B-scans][samples][lines], as MATLAB's lines x samples x B-scans are, and
 * more than is fetched at once. */
static void
test_packed (void)
{
  enum { FRAMES = 45, WIDE = 500, DEEP = 500 };
  static const OctContainer packed = { NULL, close_nothing };
  const OctReaderSettings settings = { .sample_dimension = 2 };
  const OctShape shape = {
    .dims = 3, .lengths = { FRAMES, DEEP, WIDE }, .text = "3"
  };
  g_autofree guint16 *values = g_new (guint16, WIDE * DEEP);
  guint64 next = 0;
  OctOpening opening = { .file = "File",
    .settings = &settings,
    .stored = OCT_STORED_U2,
    .container = &packed,
    .content = &next };
  GError *error = NULL;

  oct_opening_take_array (&opening, &shape, fetch_forward, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (opening.info.frames, ==, FRAMES);
  for (guint frame = 0; frame < FRAMES; frame++) {
    opening.container->read (opening.content, frame, values, &error);
    g_assert_no_error (error);
    for (guint line = 0; line < WIDE; line++)
      for (guint i = 0; i < DEEP; i++)
        if (values[line * DEEP + i]
            != (guint16)((frame * DEEP + i) * WIDE + line))
          g_error ("B-scan %u, line %u, sample %u", frame, line, i);
  }
  opening.container->close (opening.content);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arrays/types", test_types);
  g_test_add_func ("/arrays/nicks", test_nicks);
  g_test_add_func ("/arrays/orders", test_orders);
  g_test_add_func ("/arrays/groups", test_groups);
  g_test_add_func ("/arrays/stacks", test_stacks);
#ifdef HAVE_ZLIB
  g_test_add_func ("/arrays/mat", test_mat);
#endif
#ifdef HAVE_HDF5
  g_test_add_func ("/arrays/hdf5", test_hdf5);
  g_test_add_func ("/arrays/hdf5/scan", test_hdf5_scan);
#endif
  g_test_add_func ("/arrays/refused", test_refused);
  g_test_add_func ("/arrays/no-arrays", test_no_arrays);
  g_test_add_func ("/arrays/cut", test_cut);
  g_test_add_func ("/arrays/large", test_large);
  g_test_add_func ("/arrays/packed", test_packed);
  g_test_add_func ("/arrays/doubts", test_doubts);
  g_test_add_func ("/arrays/no-doubts", test_no_doubts);
  g_test_add_func ("/arrays/doubts-of-columns", test_doubts_of_columns);
  g_test_add_func ("/arrays/columns", test_columns);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
