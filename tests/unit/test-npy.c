/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-npy.h"

#include "oct-test.h"

static gboolean
parse_vector (const char *name, OctNpyHeader *header, GError **error)
{
  g_autofree char *path = g_build_filename (OCT_TEST_VECTORS, name, NULL);
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  return oct_npy_parse_header (
      "File 'x.npy'", (const guint8 *)data, size, header, error);
}

/* A header of version 1.0 around `text`. */
static gboolean
parse_text (const char *text, OctNpyHeader *header, GError **error)
{
  g_autoptr (GByteArray) data = g_byte_array_new ();
  gsize length = strlen (text);
  guint8 prefix[] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, length & 255,
    length >> 8 };

  g_byte_array_append (data, prefix, sizeof prefix);
  g_byte_array_append (data, (const guint8 *)text, length);
  return oct_npy_parse_header (
      "File 'x.npy'", data->data, data->len, header, error);
}

static void
test_types (void)
{
  static const struct {
    const char *name;
    OctStored stored;
  } cases[] = {
    { "volume-u1.npy", OCT_STORED_U1 },
    { "volume-u2.npy", OCT_STORED_U2 },
    { "volume-i2.npy", OCT_STORED_I2 },
    { "volume-f4.npy", OCT_STORED_F4 },
    { "volume-f8.npy", OCT_STORED_F8 },
    { "big-endian.npy", OCT_STORED_U2_BE },
    { "int64.npy", OCT_STORED_I8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *shape = NULL;
    OctNpyHeader header;

    parse_vector (cases[i].name, &header, &error);
    g_assert_no_error (error);
    g_assert_cmpint (header.stored, ==, cases[i].stored);
    g_assert_cmpuint (header.data_offset, ==, 128);
    g_assert_false (header.fortran_order);
    shape = oct_npy_describe_shape (&header);
    g_assert_cmpstr (shape, ==, i < 5 ? "(2, 3, 4)" : "(6, 4)");
  }
}

/* All types, by their codes and by their names, in both orders of bytes. */
static void
test_type_names (void)
{
  static const char *const orders[] = { "<", "=", "", ">" };
  static const struct {
    const char *code, *name;
    OctStored stored;
  } cases[] = {
    { "u1", "uint8", OCT_STORED_U1 },
    { "i1", "int8", OCT_STORED_I1 },
    { "u2", "uint16", OCT_STORED_U2 },
    { "i2", "int16", OCT_STORED_I2 },
    { "u4", "uint32", OCT_STORED_U4 },
    { "i4", "int32", OCT_STORED_I4 },
    { "u8", "uint64", OCT_STORED_U8 },
    { "i8", "int64", OCT_STORED_I8 },
    { "f2", "float16", OCT_STORED_F2 },
    { "f4", "float32", OCT_STORED_F4 },
    { "f8", "float64", OCT_STORED_F8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint n = 0; n < 2 * G_N_ELEMENTS (orders); n++) {
      gboolean swapped =
          n / 2 == 3 && oct_stored_get (cases[i].stored)->size > 1;
      g_autofree char *text = g_strdup_printf (
          "{'descr': '%s%s', 'fortran_order': True, 'shape': (2, 1, 5, 4, 3)}",
          orders[n / 2], n % 2 ? cases[i].name : cases[i].code);
      g_autoptr (GError) error = NULL;
      OctNpyHeader header;

      parse_text (text, &header, &error);
      g_assert_no_error (error);
      g_assert_cmpint (header.stored, ==, cases[i].stored + (swapped ? 1 : 0));
      g_assert_cmpuint (header.dims, ==, 5);
      g_assert_true (header.fortran_order);
    }
}

static void
test_versions (void)
{
  static const char *const names[] = { "lines.npy", "version-2.npy",
    "version-3.npy" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *shape = NULL;
    OctNpyHeader header;

    parse_vector (names[i], &header, &error);
    g_assert_no_error (error);
    g_assert_cmpint (header.stored, ==, OCT_STORED_U2);
    g_assert_cmpuint (header.data_offset, ==, 128);
    shape = oct_npy_describe_shape (&header);
    g_assert_cmpstr (shape, ==, "(6, 4)");
  }
}

static void
test_spellings (void)
{
  static const char *const texts[] = {
    "{'descr': '<u2', 'fortran_order': False, 'shape': (5,), }   \n",
    "{\"descr\":\"=u2\",\"fortran_order\":False,\"shape\":(5,)}",
    "{'shape': (5L,), 'fortran_order': True, 'descr': 'u2'}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *shape = NULL;
    OctNpyHeader header;

    parse_text (texts[i], &header, &error);
    g_assert_no_error (error);
    g_assert_cmpint (header.stored, ==, OCT_STORED_U2);
    shape = oct_npy_describe_shape (&header);
    g_assert_cmpstr (shape, ==, "(5,)");
  }
}

/* Files that NumPy wrote and that have to be saved otherwise. */
static void
test_refused (void)
{
  static const struct {
    const char *name, *found, *advice;
  } cases[] = {
    { "complex.npy", "(NumPy type '<c8'): these are A-scans already",
        "numpy.save(file, a.real.astype('<f4'))" },
    { "records.npy", "several fields", "numpy.save(file, a['name'])" },
    { "scalar.npy", "0 dimensions", "a.reshape(" },
    { "empty.npy", "(0, 4)", "with values" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    OctNpyHeader header;

    g_assert_false (parse_vector (cases[i].name, &header, &error));
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, "File 'x.npy'",
        cases[i].found, cases[i].advice, NULL);
  }
}

static void
test_damaged (void)
{
#define ENTRIES "'descr': '<u2', 'fortran_order': False, "
  static const struct {
    const char *text, *found;
  } cases[] = {
    { "", "'{' expected at byte 10" },
    { "{" ENTRIES "'shape': (6, 4)", "',' or '}' expected at byte 66" },
    { "{" ENTRIES "'shape': (6, 4)} x", "text after '}'" },
    { "{" ENTRIES "}", "'shape' missing" },
    { "{" ENTRIES "'shape': (6)}", "bad 'shape'" },
    { "{" ENTRIES "'shape': (-6,)}", "bad 'shape'" },
    { "{" ENTRIES "'shape': (06,)}", "bad 'shape'" },
    { "{" ENTRIES "'shape': (6 4)}", "bad 'shape'" },
    { "{" ENTRIES "'shape': (18446744073709551616,)}", "bad 'shape'" },
    { "{" ENTRIES "'shape': (4294967296, 4294967296)}", "impossible shape" },
    { "{" ENTRIES "'shape': (4611686018427387904,)}", "impossible shape" },
    { "{" ENTRIES "'shape': (1,), 'x': 1}", "unknown or repeated name" },
    { "{" ENTRIES "'descr': '<u2'}", "unknown or repeated name" },
    { "{" ENTRIES "shape: (1,)}", "a name in quotes" },
    { "{'descr': <u2}", "bad 'descr'" },
    { "{'descr': '<u\\x32'}", "bad 'descr'" },
    { "{'fortran_order': 1}", "bad 'fortran_order'" },
    { "{'descr': '|u2', 'fortran_order': False, 'shape': (1,)}", "'|u2'" },
    { "{'descr': 'uint12', 'fortran_order': False, 'shape': (1,)}",
        "'uint12'" },
    { "{'descr': 'uint', 'fortran_order': False, 'shape': (1,)}", "'uint'" },
    { "{'descr': 'u16', 'fortran_order': False, 'shape': (1,)}", "'u16'" },
    { "{'descr': 'f1', 'fortran_order': False, 'shape': (1,)}", "'f1'" },
    { "{" ENTRIES "'shape': (1, 1, 1, 1, 1, 1)}", "6 dimensions" },
    { "{'descr': '', 'fortran_order': False, 'shape': (1,)}", "type ''" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    OctNpyHeader header;

    g_assert_false (parse_text (cases[i].text, &header, &error));
    oct_test_assert_error (
        &error, OCT_ERROR_FORMAT, cases[i].found, "numpy.save(", NULL);
  }
}

static void
test_prefix (void)
{
  static const struct {
    const char *bytes;
    gsize size;
    const char *found;
  } cases[] = {
    { "", 0, "not a NumPy .npy file" },
    { "\x93NUMPX\1\0\0\0", 10, "not a NumPy .npy file" },
    { "\x93NUMPY\1\0", 8, "end of the file" },
    { "\x93NUMPY\1\0\x76\0", 10, "end of the file" },
    { "\x93NUMPY\2\0\x76\0\0", 11, "end of the file" },
    { "\x93NUMPY\2\0\xff\xff\xff\xff", 12, "4294967307 bytes" },
    { "\x93NUMPY\4\0\x76\0\0\0", 12, "version 4.0" },
    { "\x93NUMPY\1\1\x76\0\0\0", 12, "version 1.1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    OctNpyHeader header;

    g_assert_false (oct_npy_parse_header ("File 'x.npy'",
        (const guint8 *)cases[i].bytes, cases[i].size, &header, &error));
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, cases[i].found, NULL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/npy/types", test_types);
  g_test_add_func ("/npy/type-names", test_type_names);
  g_test_add_func ("/npy/versions", test_versions);
  g_test_add_func ("/npy/spellings", test_spellings);
  g_test_add_func ("/npy/refused", test_refused);
  g_test_add_func ("/npy/damaged", test_damaged);
  g_test_add_func ("/npy/prefix", test_prefix);
  return g_test_run ();
}
