/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recordings of a scan that leaves A-lines out, or of A-lines that are lost. */
#include "oct-lost-lines.h"
#include "oct-raw-writer.h"

#include "oct-test.h"

#include <glib/gstdio.h>
#include <string.h>

#define SAMPLES 8u
#define LINES 3u
#define FRAME (SAMPLES * LINES * 2)

/* Known answers: of changes at 6, 9, 12 and 20, B-scans 4 to 11 are lost. */
static void
test_lose_masks (void)
{
  static const struct {
    guint64 frame;
    guint number;
  } changes[] = { { 3, 5 }, { 6, 1 }, { 9, 2 }, { 9, 3 }, { 12, 0 },
    { 20, 1 } };
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U8, 8, 3, 4 };
  g_auto (OctRecordingInfo) again = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  info.first_bscan = 3;
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    g_assert_true (oct_recording_info_set_mask (
        &info, changes[i].frame, changes[i].number));
  text = oct_recording_format (&info);
  /* the first one holds from the beginning on */
  g_assert_nonnull (strstr (text, "scan-masks=0:5;6:1;9:3;12:0;20:1;\n"));
  g_assert_nonnull (strstr (text, "first-bscan=3\n"));
  g_assert_true (oct_recording_info_lose_part (&info, 1, 4, 8));
  g_free (text);
  text = oct_recording_format (&info);
  g_assert_nonnull (strstr (text, "scan-masks=0:5;4:0;12:1;\n"));
  g_assert_true (oct_recording_info_lose_part (&info, 0, 0, 4));
  g_free (text);
  text = oct_recording_format (&info);
  g_assert_nonnull (strstr (text, "scan-masks=0:0;8:1;\n"));
  oct_recording_parse ("x", text, strlen (text), &again, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (again.masks->len, ==, 2);
  g_assert_cmpuint (again.first_bscan, ==, 3);
}

static void
test_many_masks (void)
{
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U8, 8, 3 };

  for (guint i = 0; i < OCT_RECORDING_MAX_MASK_CHANGES; i++)
    g_assert_true (oct_recording_info_set_mask (&info, 2 * i, i % 2));
  g_assert_true (oct_recording_info_set_mask (&info, 10000, 1));
  g_assert_false (oct_recording_info_set_mask (&info, 10001, 0));
  g_assert_cmpuint (info.masks->len, ==, OCT_RECORDING_MAX_MASK_CHANGES);
}

/* Mask number `n` of 100: of 3 B-scans of 12 A-lines, `lines` taken of each. */
static OctScanMask *
make_mask (guint n, guint lines)
{
  guint8 taken[3][12] = { { 0 } };

  for (guint y = 0; y < 3; y++)
    for (guint i = 0; i < lines; i++)
      taken[y][(i + (y == 0 ? n % 10 : n / 10)) % 12] = 1;
  return oct_scan_mask_new_from_array (12, 3, &taken[0][0], NULL);
}

/* B-scans of a compact volume, 3 of 3 A-lines, with gaps: their places, their
 * masks, and how many follow each other. */
static void
test_masks (void)
{
  static const guint places[] = { 1, 2, 5, 6, 7, 9, 10, 11 };
  static const guint numbers[] = { 0, 0, 1, 1, 1, 0, 0, 0 };
  static const guint alike[] = { 2, 1, 3, 2, 1, 3, 2, 1 };
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U16, SAMPLES, LINES, 3 };
  g_autoptr (OctScanMask) one = make_mask (12, 3), other = make_mask (34, 3);
  OctScanMask *const masks[] = { one, other };
  g_autoptr (OctRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  OctRawWriter *writer =
      oct_raw_writer_new (oct_test_path ("places"), 2 * FRAME, 0600, &error);
  guint16 values[SAMPLES * LINES] = { 0 };
  guint number;

  g_assert_no_error (error);
  info.first_bscan = 1;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    if (i > 0 && places[i] > places[i - 1] + 1)
      oct_recording_info_add_gap (&info, i, places[i] - places[i - 1] - 1);
    g_assert_true (
        oct_raw_writer_add_mask (writer, masks[numbers[i]], &number, &error));
    g_assert_cmpuint (number, ==, numbers[i]);
    g_assert_true (oct_recording_info_set_mask (&info, i, number));
    if (i == 0)
      g_assert_true (oct_raw_writer_describe (writer, &info, &error));
    g_assert_true (
        oct_raw_writer_append (writer, values, SAMPLES * 2, NULL, &error));
  }
  g_assert_true (oct_raw_writer_describe (writer, &info, &error));
  g_assert_true (oct_raw_writer_close (writer, &error));
  recording = oct_recording_open (oct_test_path ("places.oct"), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (
      oct_recording_get_frames (recording), ==, G_N_ELEMENTS (places));
  g_assert_null (oct_recording_get_mask_problem (recording));
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    g_assert_cmpuint (oct_recording_get_place (recording, i), ==, places[i]);
    g_assert_cmpuint (oct_recording_count_alike (recording, i), ==, alike[i]);
    g_assert_true (oct_scan_mask_equal (
        oct_recording_get_mask (recording, i), masks[numbers[i]]));
  }
}

/* Masks that do not fit into one recording; an empty recording leaves no mask
 * files. */
static void
test_refused_masks (void)
{
  g_autoptr (OctScanMask) other = make_mask (0, 4);
  GError *error = NULL;
  OctRawWriter *writer =
      oct_raw_writer_new (oct_test_path ("refused"), FRAME, 0600, &error);
  g_autofree char *path =
      oct_recording_mask_path (oct_test_path ("refused"), 63);
  guint number;

  g_assert_no_error (error);
  for (guint i = 0; i < OCT_RECORDING_MAX_MASKS; i++) {
    g_autoptr (OctScanMask) mask = make_mask (i, 3);

    g_assert_true (oct_raw_writer_add_mask (writer, mask, &number, &error));
    g_assert_cmpuint (number, ==, i);
    g_assert_true (oct_raw_writer_add_mask (writer, mask, &number, &error));
    g_assert_cmpuint (number, ==, i);
  }
  g_assert_false (oct_raw_writer_add_mask (writer, other, &number, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "volumes of 3 B-scans",
      "another number of them", "`location`", NULL);
  oct_scan_mask_unref (other);
  other = make_mask (64, 3);
  g_assert_false (oct_raw_writer_add_mask (writer, other, &number, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "64 different masks", "`location`", NULL);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (oct_raw_writer_close (writer, &error));
  g_assert_null (oct_recording_find_mask (oct_test_path ("refused")));
}

/* A-lines of B-scan `n` that are there, as a digit each. */
static const char *const there[] = { "111", "101", "000", "111", "110", "011" };

static void
fill_valid (guint n, guint8 valid[LINES])
{
  for (guint i = 0; i < LINES; i++)
    valid[i] = there[n][i] == '1';
}

static void
check_valid (const OctRecording *recording, guint64 frame, guint n)
{
  guint8 should[LINES], valid[LINES] = { 7, 7, 7 };

  fill_valid (n, should);
  g_assert_true (oct_recording_get_valid (recording, frame, valid)
                 == (strchr (there[n], '0') != NULL));
  if (valid[0] != 7)
    g_assert_cmpmem (valid, LINES, should, LINES);
}

/* B-scans in parts of two, the first of which is deleted while recording if
 * `lose`; with a row of a B-scan that never came, and one that is cut off, as a
 * crash leaves them. */
static OctRecording *
record_losses (const char *name, gboolean lose)
{
  g_autofree char *text = g_strconcat (oct_test_path (name), ".oct", NULL);
  g_autofree char *part = oct_recording_part_path (oct_test_path (name), 0);
  g_autofree char *lost = oct_recording_lost_path (oct_test_path (name));
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U16, SAMPLES, LINES, 3 };
  GError *error = NULL;
  OctRawWriter *writer =
      oct_raw_writer_new (oct_test_path (name), 2 * FRAME, 0600, &error);
  guint16 values[SAMPLES * LINES] = { 0 };
  OctRecording *recording;
  OctRawLoss loss;
  FILE *file;

  g_assert_no_error (error);
  g_assert_true (oct_raw_writer_describe (writer, &info, &error));
  for (guint n = 0; n < G_N_ELEMENTS (there); n++) {
    guint8 valid[LINES];

    fill_valid (n, valid);
    g_assert_true (
        oct_raw_writer_append (writer, values, SAMPLES * 2, valid, &error));
    /* one that lost nothing has no file */
    g_assert_cmpint (g_file_test (lost, G_FILE_TEST_EXISTS), ==, n > 0);
  }
  if (lose) {
    g_unlink (part);
    g_assert_true (oct_raw_writer_check (writer, &loss));
    g_free (loss.path);
    g_assert_true (oct_recording_info_lose_part (&info, 0, 0, 2));
  }
  g_assert_true (oct_raw_writer_describe (writer, &info, &error));
  g_assert_true (oct_raw_writer_close (writer, &error));
  file = g_fopen (lost, "a");
  fputs ("2 2 0 3\n2 3 0", file);
  fclose (file);
  recording = oct_recording_open (text, &error);
  g_assert_no_error (error);
  return recording;
}

static void
test_lost_lines (void)
{
  for (guint lose = 0; lose < 2; lose++) {
    const char *name = lose ? "lossy-cut" : "lossy";
    g_autoptr (OctRecording) recording = record_losses (name, lose);
    g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
    g_autofree char *text = g_strconcat (oct_test_path (name), ".oct", NULL);
    guint8 valid[LINES];

    g_assert_null (oct_recording_get_lost_problem (recording));
    g_assert_cmpuint (oct_recording_get_frames (recording), ==, 6 - 2 * lose);
    for (guint n = 2 * lose; n < G_N_ELEMENTS (there); n++)
      check_valid (recording, n - 2 * lose, n);
    g_assert_false (oct_recording_get_valid (recording, 6, valid));
    /* parts, and the file that says it */
    oct_recording_list_files (text, files);
    g_assert_cmpuint (files->len, ==, lose ? 3 : 4);
  }
}

/* Rows that do not ascend, of other A-lines, of other things: none is taken. */
static void
test_lost_lies (void)
{
  static const char *const lies[] = { "0 0 0 4\n", "0 0 3 1\n", "0 0 0 0\n",
    "0 0 0 1\n0 0 1 1\n", "0 1 0 1\n0 0 0 1\n", "1 0 0 1\n0 5 0 1\n", "0 0 0\n",
    "0 0 0 1 \n", " 0 0 0 1\n", "0 -1 0 1\n", "a\n", "\n",
    "0 99999999999999999999 0 1\n", "99999999999 0 0 1\n",
    "0 0 4294967296 1\n" };
  static const char text[] = "0 0 0 1\n0 0 2 1\n3 9223372036854775807 0 3\n";
  GError *error = NULL;
  g_autoptr (GArray) runs =
      oct_lost_lines_parse ("x", text, sizeof text - 1, LINES, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (runs->len, ==, 3);
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    g_assert_null (
        oct_lost_lines_parse ("x", lies[i], strlen (lies[i]), LINES, &error));
    oct_test_assert_error (
        &error, OCT_ERROR_FORMAT, "PART BSCAN FIRST COUNT", NULL);
  }
}

/* The file is gone, though the text says that there is one. */
static void
test_lost_gone (void)
{
  g_autofree char *path = oct_recording_lost_path (oct_test_path ("lossy"));
  g_autofree char *text = g_strconcat (oct_test_path ("lossy"), ".oct", NULL);
  g_autoptr (OctRecording) recording = NULL;
  g_autofree char *content = NULL;
  g_autofree char *told = NULL;
  GError *error = NULL;

  g_assert_true (g_file_get_contents (text, &content, NULL, &error));
  told = g_strconcat (content, "lost-lines=true\n", NULL);
  g_assert_true (g_file_set_contents (text, told, -1, &error));
  g_assert_cmpint (g_unlink (path), ==, 0);
  recording = oct_recording_open (text, &error);
  g_assert_no_error (error);
  g_assert_nonnull (
      strstr (oct_recording_get_lost_problem (recording), "lost-lines.txt"));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recording-masks/lose", test_lose_masks);
  g_test_add_func ("/recording-masks/many", test_many_masks);
  g_test_add_func ("/recording-masks/places", test_masks);
  g_test_add_func ("/recording-masks/refused", test_refused_masks);
  g_test_add_func ("/recording-masks/lost-lines", test_lost_lines);
  g_test_add_func ("/recording-masks/lost-lies", test_lost_lies);
  g_test_add_func ("/recording-masks/lost-gone", test_lost_gone);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
