/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octsrc with files that announce B-scans that are not there, or are damaged:
 * it says so, and the others have their own numbers, times and places.
 */
#include "oct-test-files.h"
#include "oct-test-source.h"

#include <string.h>

#define LINES 3
#define SAMPLES 16
#define BSCANS 6

/* The archive without its first entry, and in it `damaged` (from 1 on) with
 * other bytes; 0: none. */
static char *
make_archive (guint damaged)
{
  g_autofree char *data = NULL;
  gsize size;

  fail_unless (g_file_get_contents (
      OCT_TEST_VECTORS "/missing-first.oct", &data, &size, NULL));
  for (guint n = 1; n < BSCANS; n++) {
    g_autofree char *name = g_strdup_printf ("data\\Spectral%u.data", n);
    gsize length = strlen (name);

    /* after 30 bytes and its name comes what is packed */
    for (gsize i = 0; i + 40 + length < size; i++)
      if ((n == damaged || damaged == BSCANS)
          && memcmp (data + i, "PK\3\4", 4) == 0
          && memcmp (data + i + 30, name, length) == 0)
        memset (data + i + 30 + length + 4, 0x55, 8);
  }
  return oct_test_file ("scan.oct", data, size);
}

static guint64
get_missing (Source *s)
{
  guint64 missing;

  g_object_get (s->src, "missing", &missing, NULL);
  return missing;
}

/* Buffer `i` is the B-scans `start` to `start` + `count` - 1 of the file, in
 * its pass `pass`, `lines` lines of each: the first ones, `every` apart. */
static void
check_buffer (Source *s, guint i, guint pass, guint start, guint count,
    guint lines, guint every)
{
  GstBuffer *buffer = source_get (s, i);
  const guint16 *values;
  GstMapInfo map;

  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), pass * BSCANS + start);
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET_END (buffer), pass * BSCANS + start + count);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer),
      gst_util_uint64_scale (pass * BSCANS + start, GST_SECOND, 30));
  source_check_scan (s, i, start, BSCANS, pass);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, count * lines * SAMPLES * 2);
  values = (const guint16 *)map.data;
  for (guint b = 0; b < count; b++)
    for (guint line = 0; line < lines; line++)
      for (guint k = 0; k < SAMPLES; k++)
        fail_unless_equals_int (values[(b * lines + line) * SAMPLES + k],
            7 * (((start + b) * LINES + line * every) * SAMPLES + k));
  gst_buffer_unmap (buffer, &map);
}

static void
check_discont (Source *s, guint i, gboolean expected)
{
  fail_unless_equals_int (
      GST_BUFFER_FLAG_IS_SET (source_get (s, i), GST_BUFFER_FLAG_DISCONT),
      expected);
}

GST_START_TEST (test_missing)
{
  g_autoptr (Source) s = source_new (
      "octsrc name=src location=" OCT_TEST_VECTORS "/missing-entry.oct");
  static const guint there[] = { 0, 1, 2, 4, 5 };

  source_play (s);
  source_collect (s);
  source_check_warning (s->bus, "has 6 B-scans, but 1 of them is missing",
      "B-scan 3 (data/Spectral3.data is not in the archive)");
  fail_unless_equals_int (source_count (s), 5);
  for (guint i = 0; i < 5; i++) {
    check_buffer (s, i, 0, there[i], 1, LINES, 1);
    check_discont (s, i, i == 0 || i == 3);
  }
  fail_unless_equals_uint64 (get_missing (s), 1);
}
GST_END_TEST

/* Damaged B-scans are only found when they are read. */
GST_START_TEST (test_damaged)
{
  g_autofree char *path = make_archive (3);
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s", path);
  static const guint there[] = { 1, 2, 4, 5 };
  g_autoptr (GstMessage) first = NULL;

  source_play (s);
  source_collect (s);
  first = gst_bus_pop_filtered (s->bus, GST_MESSAGE_WARNING);
  fail_unless (first != NULL);
  source_check_warning (s->bus, "B-scan 3 cannot be read", "It is left out");
  fail_unless_equals_int (source_count (s), 4);
  for (guint i = 0; i < 4; i++) {
    check_buffer (s, i, 0, there[i], 1, LINES, 1);
    check_discont (s, i, i == 0 || i == 2);
  }
  fail_unless_equals_uint64 (get_missing (s), 2);
}
GST_END_TEST

/* A buffer has only B-scans that follow each other. */
GST_START_TEST (test_several)
{
  g_autofree char *path = make_archive (3);
  g_autoptr (Source) s =
      source_new ("octsrc name=src location=%s bscans-per-buffer=0", path);

  source_play (s);
  source_collect (s);
  fail_unless_equals_int (source_count (s), 2);
  check_buffer (s, 0, 0, 1, 2, LINES, 1);
  check_buffer (s, 1, 0, 4, 2, LINES, 1);
  check_discont (s, 1, TRUE);
}
GST_END_TEST

/* The second time it is known before. */
GST_START_TEST (test_loop)
{
  g_autofree char *path = make_archive (5);
  g_autoptr (Source) s =
      source_new ("octsrc name=src location=%s loop=true num-buffers=8", path);
  g_autoptr (GstMessage) first = NULL;

  source_play (s);
  source_collect (s);
  first = gst_bus_pop_filtered (s->bus, GST_MESSAGE_WARNING);
  fail_unless (first != NULL);
  source_check_warning (s->bus, "B-scan 5 cannot be read", "It is left out");
  fail_unless_equals_int (source_count (s), 8);
  for (guint i = 0; i < 8; i++)
    check_buffer (s, i, i / 4, 1 + i % 4, 1, LINES, 1);
}
GST_END_TEST

GST_START_TEST (test_preload)
{
  g_autofree char *path = make_archive (3);
  g_autoptr (Source) s = source_new (
      "octsrc name=src location=%s preload=true bscans-per-buffer=0", path);

  source_play (s);
  source_collect (s);
  source_check_warning (s->bus, "2 of them are missing: B-scan 0 (data/",
      "B-scan 3 (it is damaged)");
  fail_unless_equals_int (source_count (s), 2);
  check_buffer (s, 0, 0, 1, 2, LINES, 1);
  check_buffer (s, 1, 0, 4, 2, LINES, 1);
}
GST_END_TEST

/* Two of three lines of each. */
GST_START_TEST (test_cut_down)
{
  g_autofree char *path = make_archive (4);
  g_autofree char *mask =
      oct_test_text ("mask.txt", "1 0 1\n1 0 1\n1 0 1\n1 0 1\n1 0 1\n1 0 1\n");
  g_autoptr (Source) s =
      source_new ("octsrc name=src location=%s scan-mask=file "
                  "scan-mask-file=%s",
          path, mask);
  static const guint there[] = { 1, 2, 3, 5 };

  source_play (s);
  source_collect (s);
  fail_unless_equals_int (source_count (s), 4);
  for (guint i = 0; i < 4; i++)
    check_buffer (s, i, 0, there[i], 1, 2, 2);
}
GST_END_TEST

GST_START_TEST (test_none)
{
  g_autofree char *path = make_archive (BSCANS);
  g_autoptr (Source) s =
      source_new ("octsrc name=src location=%s loop=true", path);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  source_play (s);
  message =
      gst_bus_timed_pop_filtered (s->bus, 20 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "no B-scan that can be read") != NULL,
      "%s", error->message);
}
GST_END_TEST

#ifdef HAVE_ZIP
static const gboolean has_archives = TRUE;
#else
static const gboolean has_archives = FALSE;
#endif

static Suite *
octmissing_suite (void)
{
  Suite *suite = suite_create ("octmissing");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  if (has_archives) {
    tcase_add_test (tcase, test_missing);
    tcase_add_test (tcase, test_damaged);
    tcase_add_test (tcase, test_several);
    tcase_add_test (tcase, test_loop);
    tcase_add_test (tcase, test_preload);
    tcase_add_test (tcase, test_cut_down);
    tcase_add_test (tcase, test_none);
  }
  return suite;
}

GST_CHECK_MAIN (octmissing);
