/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A Thorlabs archive with all B-scans in one entry: it is unpacked once, and
 * not from its beginning for every B-scan.  Other archives: test-formats.c. */
#include "oct-test-reader.h"

enum { SAMPLES = 256, LINES = 32, BSCANS = 64 };

/* As ZIP has it (APPNOTE 4.4.7). */
static guint32
find_checksum (const guint8 *data, gsize size)
{
  guint32 sum = 0xffffffff;

  for (gsize i = 0; i < size; i++) {
    sum ^= data[i];
    for (guint bit = 0; bit < 8; bit++)
      sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum;
}

static void
put_number (GByteArray *to, guint64 number, guint bytes)
{
  for (guint i = 0; i < bytes; i++) {
    guint8 byte = (guint8)(number >> 8 * i);

    g_byte_array_append (to, &byte, 1);
  }
}

/* The fields that an entry has both before itself and in the directory. */
static void
put_fields (GByteArray *to, const char *name, const guint8 *data, gsize size)
{
  put_number (to, 10, 2); /* version that is needed */
  put_number (to, 0, 8);  /* not compressed, no time */
  put_number (to, find_checksum (data, size), 4);
  put_number (to, size, 4);
  put_number (to, size, 4);
  put_number (to, strlen (name), 2);
  put_number (to, 0, 2);
}

static void
put_entry (GByteArray *zip, GByteArray *directory, const char *name,
    const guint8 *data, gsize size)
{
  guint at = zip->len;

  g_byte_array_append (directory, (const guint8 *)"PK\1\2\n", 6);
  put_fields (directory, name, data, size);
  put_number (directory, 0, 8);
  put_number (directory, 0, 2);
  put_number (directory, at, 4);
  g_byte_array_append (directory, (const guint8 *)name, strlen (name));
  g_byte_array_append (zip, (const guint8 *)"PK\3\4", 4);
  put_fields (zip, name, data, size);
  g_byte_array_append (zip, (const guint8 *)name, strlen (name));
  g_byte_array_append (zip, data, size);
}

static char *
write_archive (void)
{
  g_autofree char *header = g_strdup_printf (
      "<Ocity><DataFiles><DataFile SizeZ=\"%d\" SizeX=\"%d\" "
      "BytesPerPixel=\"2\">data\\Spectral0.data</DataFile></DataFiles>"
      "<Instrument><RawDataIsSigned>False</RawDataIsSigned></Instrument>"
      "</Ocity>",
      SAMPLES, LINES);
  g_autoptr (GByteArray) zip = g_byte_array_new ();
  g_autoptr (GByteArray) directory = g_byte_array_new ();
  g_autoptr (GByteArray) values = g_byte_array_new ();
  guint at;

  for (guint v = 0; v < SAMPLES * LINES * BSCANS; v++)
    put_number (values, v % 65521, 2);
  put_entry (zip, directory, "Header.xml", (guint8 *)header, strlen (header));
  put_entry (zip, directory, "data/Spectral0.data", values->data, values->len);
  at = zip->len;
  g_byte_array_append (zip, directory->data, directory->len);
  g_byte_array_append (zip, (const guint8 *)"PK\5\6\0\0\0", 8);
  put_number (zip, 2, 2);
  put_number (zip, 2, 2);
  put_number (zip, directory->len, 4);
  put_number (zip, at, 4);
  put_number (zip, 0, 2);
  return g_strdup (oct_test_write ("one.oct", zip->data, zip->len));
}

/* Bytes that this program has read, whether they came from the disk or not. */
static guint64
count_read (void)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/self/io", &text, NULL, NULL)
      || !g_str_has_prefix (text, "rchar: "))
    return 0;
  return g_ascii_strtoull (text + 7, NULL, 10);
}

static void
check_bscan (OctReader *reader, guint frame)
{
  static guint16 values[SAMPLES * LINES];

  g_assert_true (oct_reader_read (reader, frame, values, SAMPLES * 2, NULL));
  for (guint v = 0; v < SAMPLES * LINES; v++)
    g_assert_cmpuint (values[v], ==, (frame * SAMPLES * LINES + v) % 65521);
}

static void
test_unpacked_once (void)
{
  const guint64 all = SAMPLES * LINES * BSCANS * 2;
  g_autofree char *path = write_archive ();
  g_autoptr (OctReader) reader = oct_test_open (path, (OctReaderSettings){ 0 });
  guint64 before = count_read ();

  g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, BSCANS);
  for (guint frame = 0; frame < BSCANS; frame++)
    check_bscan (reader, frame);
  /* from its beginning each time: 32 times as much */
  if (before > 0)
    g_assert_cmpuint (count_read () - before, <, 2 * all);
  else
    g_test_skip ("/proc/self/io does not tell what was read");
  /* back, within and to the end, whose checksum is looked at */
  check_bscan (reader, 40);
  check_bscan (reader, 3);
  check_bscan (reader, 3);
  check_bscan (reader, BSCANS - 1);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/thorlabs/unpacked-once", test_unpacked_once);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
