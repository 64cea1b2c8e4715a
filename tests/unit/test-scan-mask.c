/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Masks of the A-lines of a volume: that they are always the same, what they
 * take and leave out, and their files.
 */
#include "oct-scan-mask.h"

#include "oct-test.h"

static OctScanMask *
make (const OctScanMaskSettings *settings)
{
  GError *error = NULL;
  OctScanMask *mask = oct_scan_mask_new (settings, &error);

  g_assert_no_error (error);
  return mask;
}

/* Rows of zeros and ones, one below the other. */
static void
assert_rows (const OctScanMask *mask, const char *const *rows)
{
  for (guint y = 0; y < mask->bscans; y++) {
    g_autoptr (GString) row = g_string_new (NULL);
    for (guint x = 0; x < mask->lines; x++)
      g_string_append_c (
          row, (char)('0' + mask->taken[(gsize)y * mask->lines + x]));
    g_assert_cmpstr (row->str, ==, rows[y]);
  }
}

/* A scanner may have been set up with it: by the reference in Python. */
static void
test_known (void)
{
  static const char *const same[] = { "1010100111001111", "1010100111001111",
    "0000000000000000", "1010100111001111", "1010100111001111",
    "0000000000000000", "0000000000000000", "1010100111001111" };
  static const char *const scattered[] = { "1000101010001001",
    "1000100011001001", "1000100010011001", "1000101010001001" };
  OctScanMaskSettings settings = { .kind = OCT_SCAN_MASK_SAME_LINES,
    .lines = 16,
    .bscans = 8,
    .rate = 0.36,
    .seed = 11 };
  g_autoptr (OctScanMask) a = make (&settings), b = NULL;

  assert_rows (a, same);
  g_assert_cmpuint (a->taken_bscans, ==, 5);
  g_assert_cmpuint (a->lines_each, ==, 10);
  settings = (OctScanMaskSettings){ .kind = OCT_SCAN_MASK_SCATTERED,
    .lines = 16,
    .bscans = 4,
    .rate = 0.4,
    .max_gap = 3,
    .seed = 5 };
  b = make (&settings);
  assert_rows (b, scattered);
}

/* The derived lists agree with the mask itself. */
static void
test_places (void)
{
  static const guint8 taken[] = { 0, 0, 0, /**/ 1, 0, 7, /**/ 0, 0, 0,
    /**/ 0, 1, 0 };
  static const guint32 places[] = { 3, 5, 10 }, first[] = { 0, 0, 2, 2, 3 },
                       bscans[] = { 1, 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (OctScanMask) mask =
      oct_scan_mask_new_from_array (3, 4, taken, &error);
  g_autoptr (OctScanMask) again = oct_scan_mask_ref (mask);

  g_assert_no_error (error);
  g_assert_cmpuint (mask->count, ==, 3);
  g_assert_cmpuint (mask->taken_bscans, ==, 2);
  g_assert_cmpuint (mask->lines_each, ==, 0);
  g_assert_cmpmem (mask->places, 12, places, 12);
  g_assert_cmpmem (mask->first, 20, first, 20);
  g_assert_cmpmem (mask->bscan_of, 8, bscans, 8);
  g_assert_true (oct_scan_mask_equal (mask, again));
  g_assert_false (oct_scan_mask_equal (mask, NULL));
}

/* As many as were asked for, with gaps no longer than that, in B-scans that
 * differ. */
static void
test_gaps (void)
{
  OctScanMaskSettings settings = { .kind = OCT_SCAN_MASK_SCATTERED,
    .lines = 500,
    .bscans = 20,
    .rate = 0.3,
    .max_gap = 5,
    .seed = 3 };
  g_autoptr (OctScanMask) mask = make (&settings), other = NULL;

  g_assert_cmpuint (mask->lines_each, ==, 150);
  g_assert_cmpuint (mask->taken_bscans, ==, 20);
  for (guint y = 0; y < 20; y++) {
    const guint8 *row = mask->taken + y * 500;
    guint missing = 0;

    g_assert_true (row[0] && row[499]);
    for (guint x = 0; x < 500; x++) {
      missing = row[x] ? 0 : missing + 1;
      g_assert_cmpuint (missing, <=, 5);
    }
    if (y > 0)
      g_assert_true (memcmp (row, row - 500, 500) != 0);
  }
  settings.seed = 4;
  other = make (&settings);
  g_assert_false (oct_scan_mask_equal (mask, other));
  settings.rate = 1;
  oct_scan_mask_unref (other);
  other = make (&settings);
  g_assert_cmpuint (other->count, ==, 10000);
}

static void
test_file (void)
{
  OctScanMaskSettings settings = { .kind = OCT_SCAN_MASK_SAME_LINES,
    .lines = 30,
    .bscans = 21,
    .rate = 0.25,
    .seed = 9 };
  g_autoptr (OctScanMask) mask = make (&settings), read = NULL, parsed = NULL;
  g_autofree char *path = g_strdup (oct_test_path ("scan.txt"));
  const char *text = "\xEF\xBB\xBF# every other\r\n1 0,1\r\n0\t0 0\r\n\r\n011";
  g_autoptr (GError) error = NULL;

  g_assert_true (oct_scan_mask_write (mask, path, &error));
  read = oct_scan_mask_read (path, &error);
  g_assert_no_error (error);
  g_assert_true (oct_scan_mask_equal (mask, read));
  parsed = oct_scan_mask_parse ("File", text, strlen (text), &error);
  g_assert_no_error (error);
  assert_rows (parsed, (const char *const[]){ "101", "000", "011" });
  g_unlink (path);
}

static void
fails (const char *text, const char *a, const char *b)
{
  GError *error = NULL;

  g_assert_null (oct_scan_mask_parse ("File 'x'", text, strlen (text), &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "File 'x'", a, b, NULL);
}

static void
test_errors (void)
{
  static const guint8 nothing[6] = { 0 };
  OctScanMaskSettings settings = { .kind = OCT_SCAN_MASK_SAME_LINES,
    .lines = 100,
    .bscans = 100,
    .rate = 0,
    .seed = 1 };
  GError *error = NULL;

  fails ("101\n10\n", "2 entries in line 2", "3 in the first");
  fails ("101\n1a1\n", "'a'", "line 2");
  fails ("# no\n000\n000\n", "none of 3 A-lines of 2 B-scans", "a 1");
  fails ("", "none", "a 1");
  g_assert_null (oct_scan_mask_new (&settings, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "above 0", NULL);
  settings.rate = 0.1;
  settings.max_gap = 1;
  g_assert_null (oct_scan_mask_new (&settings, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "100 A-lines", "at most 1", "larger", NULL);
  settings.lines = settings.bscans = 65536;
  g_assert_null (oct_scan_mask_new (&settings, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "65536 B-scans", "set how many", NULL);
  g_assert_null (oct_scan_mask_new_from_array (3, 2, nothing, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "takes none", NULL);
  g_assert_null (oct_scan_mask_read (oct_test_path ("none.txt"), &error));
  oct_test_assert_error (&error, OCT_ERROR_NOT_FOUND, "Scan mask file", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scan-mask/known", test_known);
  g_test_add_func ("/scan-mask/places", test_places);
  g_test_add_func ("/scan-mask/gaps", test_gaps);
  g_test_add_func ("/scan-mask/file", test_file);
  g_test_add_func ("/scan-mask/errors", test_errors);
  return g_test_run ();
}
