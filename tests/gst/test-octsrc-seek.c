/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Seeks of octsrc: by time and by B-scan number, before the start, while
 * playing and after the end.
 */
#include "oct-test-files.h"
#include "oct-test-source.h"

/* start of B-scan n at 30 per second */
#define F(n) ((n)*GST_SECOND / 30)
#define FLUSH GST_SEEK_FLAG_FLUSH
#define ACCURATE GST_SEEK_FLAG_ACCURATE

static const struct {
  GstFormat format;
  GstSeekFlags flags;
  GstSeekType start_type;
  gint64 start;
  GstSeekType stop_type;
  gint64 stop;
  guint first, count;
} seeks[] = {
  { GST_FORMAT_TIME, FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1, 0,
      8 },
  { GST_FORMAT_DEFAULT, FLUSH, GST_SEEK_TYPE_SET, 5, GST_SEEK_TYPE_NONE, -1, 5,
      3 },
  { GST_FORMAT_DEFAULT, FLUSH, GST_SEEK_TYPE_SET, 2, GST_SEEK_TYPE_SET, 4, 2,
      2 },
  { GST_FORMAT_DEFAULT, FLUSH, GST_SEEK_TYPE_SET, 2, GST_SEEK_TYPE_SET, -1, 2,
      6 },
  { GST_FORMAT_DEFAULT, FLUSH, GST_SEEK_TYPE_END, -3, GST_SEEK_TYPE_NONE, -1, 5,
      3 },
  { GST_FORMAT_DEFAULT, FLUSH, GST_SEEK_TYPE_SET, 8, GST_SEEK_TYPE_NONE, -1, 8,
      0 },
  { GST_FORMAT_DEFAULT, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 3,
      GST_SEEK_TYPE_SET, 5, 3, 2 },
  /* at the start of a B-scan, in the middle of one, just before the next */
  { GST_FORMAT_TIME, FLUSH | ACCURATE, GST_SEEK_TYPE_SET, F (4),
      GST_SEEK_TYPE_NONE, -1, 4, 4 },
  { GST_FORMAT_TIME, FLUSH | ACCURATE, GST_SEEK_TYPE_SET,
      F (4) + 10 * GST_MSECOND, GST_SEEK_TYPE_NONE, -1, 4, 4 },
  { GST_FORMAT_TIME, FLUSH, GST_SEEK_TYPE_SET, F (4) - 2, GST_SEEK_TYPE_NONE,
      -1, 3, 5 },
  /* a stop at the end of a B-scan and in the middle of one */
  { GST_FORMAT_TIME, FLUSH, GST_SEEK_TYPE_SET, F (1), GST_SEEK_TYPE_SET, F (3),
      1, 2 },
  { GST_FORMAT_TIME, FLUSH, GST_SEEK_TYPE_SET, F (1), GST_SEEK_TYPE_SET,
      F (3) + GST_MSECOND, 1, 3 },
  { GST_FORMAT_TIME, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, F (6),
      GST_SEEK_TYPE_NONE, -1, 6, 2 },
  { GST_FORMAT_TIME, FLUSH, GST_SEEK_TYPE_END, -F (2), GST_SEEK_TYPE_NONE, -1,
      6, 2 },
  { GST_FORMAT_TIME, FLUSH | GST_SEEK_FLAG_SEGMENT, GST_SEEK_TYPE_SET, F (2),
      GST_SEEK_TYPE_SET, F (4), 2, 2 },
  { GST_FORMAT_DEFAULT, GST_SEEK_FLAG_SEGMENT, GST_SEEK_TYPE_SET, 2,
      GST_SEEK_TYPE_SET, 4, 2, 2 },
};

static GstEvent *
seek_event (guint i)
{
  return gst_event_new_seek (1.0, seeks[i].format, seeks[i].flags,
      seeks[i].start_type, seeks[i].start, seeks[i].stop_type, seeks[i].stop);
}

/* After the end, so that every B-scan of the seek is known.  Without a flush
 * only the end of a segment can be left. */
GST_START_TEST (test_seek_after_eos)
{
  g_autoptr (Source) s = source_numbered ("");
  gboolean flush = (seeks[__i__].flags & FLUSH) != 0;
  GstSegment segment;

  source_play (s);
  source_collect (s);
  source_check_numbers (s, 0, 8);
  if (!flush) {
    fail_unless (source_seek (s,
        gst_event_new_seek (1.0, GST_FORMAT_TIME, FLUSH | GST_SEEK_FLAG_SEGMENT,
            GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1)));
    source_collect (s);
    source_check_numbers (s, 0, 8);
  }
  fail_unless (source_seek (s, seek_event (__i__)));
  source_collect (s);
  source_check_numbers (s, seeks[__i__].first, seeks[__i__].count);
  source_get_segment (s, &segment);
  /* what is not flushed goes on where the first pass ended */
  fail_unless_equals_uint64 (segment.base, flush ? 0 : F (8));
  fail_unless_equals_uint64 (segment.time, segment.start);
  if (seeks[__i__].start_type == GST_SEEK_TYPE_SET && source_count (s) > 0)
    fail_unless_equals_uint64 (segment.start,
        seeks[__i__].format == GST_FORMAT_TIME ? seeks[__i__].start
                                               : F (seeks[__i__].start));
}
GST_END_TEST

/* Asked for before the start, when no caps are known yet. */
GST_START_TEST (test_seek_before_start)
{
  g_autoptr (Source) s = source_numbered ("");

  gst_element_set_state (s->src, GST_STATE_READY);
  fail_unless (gst_element_send_event (s->src, seek_event (__i__)));
  source_play (s);
  source_collect (s);
  source_check_numbers (s, seeks[__i__].first, seeks[__i__].count);
}
GST_END_TEST

/* In the middle of an endless stream, twice. */
GST_START_TEST (test_seek_while_playing)
{
  g_autoptr (Source) s = source_numbered ("loop=true");
  guint64 target = 1000003;
  guint pass;

  source_play (s);
  gst_buffer_unref (gst_harness_pull (s->harness));
  for (pass = 0; pass < 2; pass++, target -= 500000) {
    fail_unless (source_seek (
        s, gst_event_new_seek (1.0, GST_FORMAT_DEFAULT, GST_SEEK_FLAG_FLUSH,
               GST_SEEK_TYPE_SET, target, GST_SEEK_TYPE_SET, target + 5)));
    source_collect (s);
    while (source_count (s) > 5)
      g_ptr_array_remove_index (s->buffers, 0);
    source_check_numbers (s, target, 5);
  }
}
GST_END_TEST

GST_START_TEST (test_seek_segment_done)
{
  g_autoptr (Source) s = source_numbered ("");
  g_autoptr (GstMessage) message = NULL;
  GstFormat format;
  gint64 position;

  source_play (s);
  source_collect (s);
  fail_unless (
      source_seek (s, gst_event_new_seek (1.0, GST_FORMAT_TIME,
                          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT,
                          GST_SEEK_TYPE_SET, F (2), GST_SEEK_TYPE_SET, F (4))));
  message = gst_bus_timed_pop_filtered (
      s->bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_SEGMENT_DONE);
  gst_message_parse_segment_done (message, &format, &position);
  fail_unless_equals_int (format, GST_FORMAT_TIME);
  fail_unless_equals_uint64 (position, F (4));
  source_collect (s);
  source_check_numbers (s, 2, 2);
}
GST_END_TEST

GST_START_TEST (test_seek_refused)
{
  g_autoptr (Source) s = source_numbered ("");

  source_play (s);
  source_collect (s);
  fail_if (gst_harness_push_upstream_event (
      s->harness, gst_event_new_seek (-1.0, GST_FORMAT_TIME, FLUSH,
                      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, F (4))));
  fail_if (gst_harness_push_upstream_event (
      s->harness, gst_event_new_seek (1.0, GST_FORMAT_BYTES, FLUSH,
                      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1)));
}
GST_END_TEST

static Suite *
octsrc_seek_suite (void)
{
  Suite *suite = suite_create ("octsrc-seek");
  TCase *tc = tcase_create ("seek");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_loop_test (tc, test_seek_after_eos, 0, G_N_ELEMENTS (seeks));
  tcase_add_loop_test (tc, test_seek_before_start, 0, G_N_ELEMENTS (seeks));
  tcase_add_test (tc, test_seek_while_playing);
  tcase_add_test (tc, test_seek_segment_done);
  tcase_add_test (tc, test_seek_refused);
  return suite;
}

GST_CHECK_MAIN (octsrc_seek)
