/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Raw files with 12 bits a value, against bytes written out by hand and against
 * values that are packed bit by bit. */
#include "oct-packed.h"
#include "oct-test-reader.h"

#include <unistd.h>

#define PACKED(s, l, p)                                                        \
  ((OctReaderSettings){                                                        \
      .samples = s, .lines = l, .stored = OCT_STORED_U2, .packing = p })

/* 0x123 and 0xabc, then 0xfff and 0x001. */
static void
test_bytes (void)
{
  static const guint8 mono12p[] = { 0x23, 0xc1, 0xab, 0xff, 0x1f, 0x00 };
  static const guint8 mono12packed[] = { 0x12, 0xc3, 0xab, 0xff, 0x1f, 0x00 };
  static const guint16 expected[] = { 0x123, 0xabc, 0xfff, 0x001 };
  static const struct {
    const guint8 *bytes;
    OctPacking packing;
  } cases[] = { { mono12p, OCT_PACKING_MONO12P },
    { mono12packed, OCT_PACKING_MONO12PACKED } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader =
        oct_test_open (oct_test_write ("x.raw", cases[i].bytes, 6),
            PACKED (4, 1, cases[i].packing));
    guint16 values[4];

    g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, 1);
    g_assert_cmpint (
        oct_reader_get_info (reader)->sample_format, ==, OCT_SAMPLE_U16);
    g_assert_true (oct_reader_read (reader, 0, values, 8, NULL));
    g_assert_cmpmem (values, 8, expected, 8);
  }
}

/* A value of `bits` bits that is at `index` of those packed, lowest first. */
static void
put_bits (guint8 *bytes, gsize index, guint value, guint bits)
{
  for (guint bit = 0; bit < bits; bit++) {
    gsize place = index * bits + bit;

    if (value >> bit & 1)
      bytes[place / 8] |= (guint8)(1u << place % 8);
  }
}

/* Cameras pack other numbers of bits too; at the end of the memory of the
 * values, and any number of them. */
static void
test_depths (void)
{
  enum { MOST = 37 };

  for (guint bits = 10; bits <= 14; bits += 2)
    for (guint count = 1; count <= MOST; count++) {
      guint8 packed[MOST * 2] = { 0 };
      guint16 expected[MOST], values[MOST + 1];
      gsize size = (count * bits + 7) / 8;

      for (guint i = 0; i < count; i++) {
        expected[i] = (guint16)g_test_rand_int_range (0, 1 << bits);
        put_bits (packed, i, expected[i], bits);
      }
      values[count] = 0x5a5a;
      memcpy ((guint8 *)values + count * 2 - size, packed, size);
      oct_unpack_bits (
          (guint8 *)values + count * 2 - size, values, count, bits);
      g_assert_cmpmem (values, count * 2, expected, count * 2);
      g_assert_cmphex (values[count], ==, 0x5a5a);
    }
}

/* Mono10Packed: 0x123 and 0x2bc, then 0x3ff and 0x001. */
static void
test_pairs (void)
{
  static const guint8 packed[] = { 0x48, 0x03, 0xaf, 0xff, 0x13, 0x00 };
  static const guint16 expected[] = { 0x123, 0x2bc, 0x3ff, 0x001 };
  guint16 values[4];

  oct_unpack_pairs (packed, values, 4, 10);
  g_assert_cmpmem (values, 8, expected, 8);
}

/* Lines of an odd number of samples begin within a byte.  data: the lines are
 * columns of a frame, or rows. */
static void
test_volume (gconstpointer data)
{
  gboolean columns = data != NULL;
  enum { SAMPLES = 7, LINES = 6, BSCANS = 5, HEADER = 11, REST = 4 };
  enum { BYTES = SAMPLES * LINES * BSCANS * 3 / 2 };
  OctReaderSettings settings = PACKED (SAMPLES, LINES, OCT_PACKING_MONO12P);
  g_autofree guint8 *file = g_malloc0 (HEADER + BYTES + REST);
  guint16 expected[SAMPLES * LINES * BSCANS], values[LINES * (SAMPLES + 3)];
  g_autoptr (OctReader) reader = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    expected[i] = (guint16)g_test_rand_int_range (0, 4096);
    /* sample first, then the line */
    put_bits (file + HEADER,
        columns ? i / (SAMPLES * LINES) * SAMPLES * LINES + i % SAMPLES * LINES
                      + i / SAMPLES % LINES
                : i,
        expected[i], 12);
  }
  settings.sample_dimension = columns ? 2 : 0;
  settings.header_size = HEADER;
  reader = oct_test_open (
      oct_test_write ("x.raw", file, HEADER + BYTES + REST), settings);
  g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, BSCANS);
  g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, BSCANS);
  g_assert_cmpuint (oct_reader_get_info (reader)->leftover_bytes, ==, REST);
  for (guint frame = BSCANS; frame-- > 0;)
    for (guint pad = 0; pad <= 3; pad += 3) {
      const guint16 *bscan = expected + frame * SAMPLES * LINES;

      g_assert_true (
          oct_reader_read (reader, frame, values, (SAMPLES + pad) * 2, NULL));
      for (guint line = 0; line < LINES; line++)
        g_assert_cmpmem (values + line * (SAMPLES + pad), SAMPLES * 2,
            bscan + line * SAMPLES, SAMPLES * 2);
    }
}

static void
test_refused (void)
{
  static const guint8 bytes[60];
  OctReaderSettings gray8 = PACKED (4, 2, OCT_PACKING_MONO12P);
  g_autoptr (OctReader) reader = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_strdup (oct_test_write ("x.raw", bytes, sizeof bytes));
  guint16 values[8];

  oct_test_assert_refused (path, PACKED (3, 1, OCT_PACKING_MONO12P),
      OCT_ERROR_SETTINGS, "1 lines of 3 samples", "set `lines` or `samples`");
  gray8.stored = OCT_STORED_U1;
  oct_test_assert_refused (
      path, gray8, OCT_ERROR_SETTINGS, "of gray8", "`sample-format` gray16-le");
  oct_test_assert_refused (path, PACKED (100, 100, OCT_PACKING_MONO12P),
      OCT_ERROR_FORMAT,
      "60 bytes of spectra, but one B-scan of 100 lines of 100 samples needs "
      "15000",
      "set `samples`");
  oct_test_assert_refused (path, PACKED (65536, 65536, OCT_PACKING_MONO12P),
      OCT_ERROR_SETTINGS, "at most", "`lines` or `samples` smaller");
  oct_test_assert_refused (path, PACKED (0, 0, OCT_PACKING_MONO12P),
      OCT_ERROR_SETTINGS, "does not tell its sizes", "set `samples`");
  oct_test_assert_refused (
      oct_test_write ("x.npy",
          "\x93NUMPY\1\0\x46\0{'descr': '<u2', 'fortran_order': "
          "False, 'shape': (1, 2), }           \n0123",
          84),
      PACKED (0, 0, OCT_PACKING_MONO12P), OCT_ERROR_SETTINGS, "a NumPy file",
      "`packing` is set");
  reader = oct_test_open (path, PACKED (4, 2, OCT_PACKING_MONO12P));
  g_assert_cmpint (truncate (path, 20), ==, 0);
  g_assert_true (oct_reader_read (reader, 0, values, 8, NULL));
  g_assert_false (oct_reader_read (reader, 4, values, 8, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_READ, "has been shortened", "start again", NULL);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/packed/bytes", test_bytes);
  g_test_add_func ("/packed/depths", test_depths);
  g_test_add_func ("/packed/pairs", test_pairs);
  g_test_add_data_func ("/packed/volume", NULL, test_volume);
  g_test_add_data_func ("/packed/columns", "columns", test_volume);
  g_test_add_func ("/packed/refused", test_refused);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
