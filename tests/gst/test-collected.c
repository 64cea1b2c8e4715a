/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The bookkeeping of octcollect about its branches, without threads: the tests
 * write down the orders in which branches can be late, and do not wait for
 * them.
 */
#include "gstoctcollected.h"

#include <gst/check/gstcheck.h>

#define SLOW 0
#define FAST 1

static GstOctCollected all;
static GstPad *pads[2];
static GstOctCollectedBranch *branches[2];

static void
setup (void)
{
  gst_oct_collected_init (&all);
  for (guint i = 0; i < 2; i++) {
    pads[i] = gst_pad_new (NULL, GST_PAD_SINK);
    branches[i] = gst_oct_collected_add (&all, pads[i]);
    gst_oct_collected_branch_starts (&all, branches[i], 1);
  }
}

static void
teardown (void)
{
  gst_oct_collected_clear (&all);
  for (guint i = 0; i < 2; i++)
    gst_object_unref (pads[i]);
}

/* One buffer, whose offset is its number. */
static void
bring (guint64 number)
{
  GstOctMade *made = g_new0 (GstOctMade, 1);
  GstBuffer *buffer = gst_buffer_new ();

  GST_BUFFER_OFFSET (buffer) = number;
  g_queue_push_tail (&made->objects, buffer);
  gst_oct_collected_keep (&all, number, made);
}

static void
assert_next (guint64 number)
{
  gboolean end;
  GstOctMade *made = gst_oct_collected_take (&all, &end);

  ck_assert_msg (
      made != NULL, "%" G_GUINT64_FORMAT " does not come, end %d", number, end);
  ck_assert (!end);
  ck_assert_uint_eq (made->objects.length, 1);
  ck_assert_uint_eq (GST_BUFFER_OFFSET (made->objects.head->data), number);
  gst_oct_made_free (made);
}

/* Nothing now; whether as it is the end. */
static void
assert_none (gboolean end)
{
  gboolean is_end;

  ck_assert (gst_oct_collected_take (&all, &is_end) == NULL);
  ck_assert_int_eq (is_end, end);
}

GST_START_TEST (test_order)
{
  assert_none (FALSE);
  bring (1);
  bring (2);
  assert_none (FALSE);
  bring (0);
  for (guint i = 0; i < 3; i++)
    assert_next (i);
  assert_none (FALSE);
}

GST_END_TEST;

/* Those that the pipeline did before do not count. */
GST_START_TEST (test_begins_later)
{
  bring (3);
  bring (7);
  gst_oct_collected_begin (&all, 7);
  ck_assert (!gst_oct_collected_lose (&all, 3));
  ck_assert (!gst_oct_collected_lose (&all, 7));
  gst_oct_collected_set_stuck (&all, 0);
  assert_next (7);
  assert_none (FALSE);
}

GST_END_TEST;

GST_START_TEST (test_end)
{
  gst_oct_collected_set_end (&all, 2);
  gst_oct_collected_branch_ends (&all, branches[FAST], 5);
  bring (0);
  assert_next (0);
  /* the other one has it */
  assert_none (FALSE);
  bring (1);
  assert_next (1);
  assert_none (TRUE);
  ck_assert_uint_eq (all.end_seqnum, 5);
  ck_assert_uint_eq (gst_oct_collected_take_missing (&all), 0);
  /* once */
  gst_oct_collected_branch_ends (&all, branches[SLOW], 5);
  assert_none (FALSE);
}

GST_END_TEST;

/* In the middle and at the end; those that came go out all the same. */
GST_START_TEST (test_lost)
{
  gst_oct_collected_set_end (&all, 5);
  bring (0);
  bring (2);
  assert_next (0);
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  assert_none (FALSE);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 1);
  assert_next (2);
  assert_none (TRUE);
  ck_assert_uint_eq (gst_oct_collected_take_missing (&all), 3);
  ck_assert_uint_eq (gst_oct_collected_take_missing (&all), 0);
}

GST_END_TEST;

/* Buffers of a B-scan that was given up and skipped are not sent after later
 * ones; only sticky events are. */
GST_START_TEST (test_given_up_and_brought)
{
  gboolean end;
  GstOctMade *made;

  bring (1);
  ck_assert (gst_oct_collected_lose (&all, 0));
  made = gst_oct_collected_take (&all, &end);
  ck_assert (made != NULL);
  gst_oct_made_free (made);
  assert_next (1);
  g_queue_push_tail (&branches[SLOW]->now.objects, gst_buffer_new ());
  g_queue_push_tail (&branches[SLOW]->now.events,
      gst_event_new_tag (gst_tag_list_new_empty ()));
  gst_oct_collected_take_done (&all, branches[SLOW], 0);
  assert_none (FALSE);
  ck_assert_uint_eq (branches[SLOW]->now.objects.length, 0);
  ck_assert_uint_eq (branches[SLOW]->now.events.length, 1);
  /* one whose turn has not passed comes */
  ck_assert (gst_oct_collected_lose (&all, 3));
  g_queue_push_tail (&branches[SLOW]->now.objects, gst_buffer_new ());
  GST_BUFFER_OFFSET (branches[SLOW]->now.objects.head->data) = 3;
  gst_oct_collected_take_done (&all, branches[SLOW], 3);
  bring (2);
  assert_next (2);
  assert_next (3);
}

GST_END_TEST;

/* B-scans dropped in a branch are skipped, and no end waits for them.  Those
 * that have arrived or were sent were not dropped. */
GST_START_TEST (test_dropped)
{
  gboolean end;
  GstOctMade *made;

  bring (2);
  ck_assert (!gst_oct_collected_drop (&all, 2));
  ck_assert (gst_oct_collected_drop (&all, 0));
  ck_assert (gst_oct_collected_drop (&all, 1));
  for (guint i = 0; i < 2; i++) {
    made = gst_oct_collected_take (&all, &end);
    ck_assert (made != NULL);
    ck_assert_uint_eq (made->objects.length, 0);
    gst_oct_made_free (made);
  }
  assert_next (2);
  ck_assert (!gst_oct_collected_drop (&all, 1));
  gst_oct_collected_set_end (&all, 3);
  for (guint i = 0; i < 2; i++)
    gst_oct_collected_branch_ends (&all, branches[i], 1);
  assert_none (TRUE);
  ck_assert_uint_eq (gst_oct_collected_take_missing (&all), 0);
}

GST_END_TEST;

/* octscatter counts what is lost, and says so, before the end comes. */
GST_START_TEST (test_end_behind_count)
{
  gboolean end;
  GstOctMade *made;

  gst_oct_collected_set_end (&all, 2);
  bring (0);
  assert_next (0);
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  ck_assert (gst_oct_collected_lose (&all, 1));
  ck_assert (!gst_oct_collected_lose (&all, 1));
  made = gst_oct_collected_take (&all, &end);
  ck_assert (made != NULL);
  ck_assert_uint_eq (made->objects.length, 0);
  gst_oct_made_free (made);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 1);
  assert_none (FALSE);
  gst_oct_collected_set_stuck (&all, 1);
  assert_none (TRUE);
  ck_assert_uint_eq (gst_oct_collected_take_missing (&all), 0);
}

GST_END_TEST;

/* Buffers that a branch held back until its end have no number. */
GST_START_TEST (test_rest)
{
  gboolean end;
  GstOctMade *made;

  g_queue_push_tail (&branches[SLOW]->now.objects, gst_buffer_new ());
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  assert_none (FALSE);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 1);
  made = gst_oct_collected_take (&all, &end);
  ck_assert (made != NULL);
  gst_oct_made_free (made);
  assert_none (TRUE);
}

GST_END_TEST;

/* The fast branch has ended a stream and is in the next one before the slow one
 * says that the first has ended. */
GST_START_TEST (test_late_end)
{
  gst_oct_collected_set_end (&all, 1);
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  bring (0);
  assert_next (0);
  assert_none (TRUE);
  gst_oct_collected_branch_starts (&all, branches[FAST], 2);
  bring (1);
  gst_oct_collected_set_end (&all, 1);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 1);
  /* it ends nothing of the second */
  assert_next (1);
  assert_none (FALSE);
  gst_oct_collected_branch_starts (&all, branches[SLOW], 2);
  gst_oct_collected_set_end (&all, 3);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 9);
  assert_none (FALSE);
  bring (2);
  assert_next (2);
  assert_none (TRUE);
  ck_assert_uint_eq (all.end_seqnum, 9);
  ck_assert_uint_eq (gst_oct_collected_take_missing (&all), 0);
}

GST_END_TEST;

/* The fast branch has ended the next stream as well, before the slow one has
 * begun it. */
GST_START_TEST (test_late_by_a_stream)
{
  gst_oct_collected_set_end (&all, 0);
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 1);
  assert_none (TRUE);
  gst_oct_collected_branch_starts (&all, branches[FAST], 2);
  bring (1);
  gst_oct_collected_set_end (&all, 2);
  gst_oct_collected_branch_ends (&all, branches[FAST], 2);
  assert_none (FALSE);
  gst_oct_collected_branch_starts (&all, branches[SLOW], 2);
  bring (0);
  assert_next (0);
  assert_next (1);
  assert_none (TRUE);
  ck_assert_uint_eq (gst_oct_collected_take_missing (&all), 0);
}

GST_END_TEST;

/* The seqnum of the end is that of the stream that has ended, here without a
 * B-scan. */
GST_START_TEST (test_ends_of_two_streams)
{
  gst_oct_collected_set_end (&all, 0);
  gst_oct_collected_branch_ends (&all, branches[FAST], 5);
  assert_none (TRUE);
  ck_assert_uint_eq (all.end_seqnum, 5);
  gst_oct_collected_branch_starts (&all, branches[FAST], 2);
  gst_oct_collected_set_end (&all, 0);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 5);
  assert_none (FALSE);
  gst_oct_collected_set_end (&all, 1);
  gst_oct_collected_branch_ends (&all, branches[FAST], 6);
  bring (0);
  assert_next (0);
  assert_none (TRUE);
  ck_assert_uint_eq (all.end_seqnum, 6);
}

GST_END_TEST;

/* A branch that begins a stream that has ended does not begin a new one. */
GST_START_TEST (test_late_start)
{
  gst_oct_collected_set_end (&all, 0);
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  assert_none (TRUE);
  gst_oct_collected_branch_starts (&all, branches[SLOW], 1);
  assert_none (FALSE);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 1);
  assert_none (FALSE);
}

GST_END_TEST;

/* Nothing waits for a branch that failed, or it would wait for ever. */
GST_START_TEST (test_given_up)
{
  gst_oct_collected_branch_step (
      branches[SLOW], GST_OCT_COLLECTED_BRANCH_GIVE_UP);
  gst_oct_collected_set_end (&all, 2);
  bring (1);
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  assert_next (1);
  assert_none (TRUE);
  ck_assert_uint_eq (gst_oct_collected_take_missing (&all), 1);
  gst_oct_collected_reset (&all);
  /* the same where it is known only how many there are */
  all.stuck = 1;
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  assert_none (TRUE);
}

GST_END_TEST;

/* A branch that is far ahead waits while another one can bring the B-scans
 * before. */
GST_START_TEST (test_ahead)
{
  ck_assert (!gst_oct_collected_is_ahead (&all, 15));
  ck_assert (gst_oct_collected_is_ahead (&all, 16));
  gst_oct_collected_branch_step (branches[FAST], GST_OCT_COLLECTED_BRANCH_WAIT);
  ck_assert (gst_oct_collected_may_come (&all));
  gst_oct_collected_branch_step (branches[SLOW], GST_OCT_COLLECTED_BRANCH_WAIT);
  ck_assert (!gst_oct_collected_may_come (&all));
  gst_oct_collected_branch_step (
      branches[SLOW], GST_OCT_COLLECTED_BRANCH_CONTINUE);
  gst_oct_collected_remove (&all, pads[SLOW]);
  ck_assert (gst_oct_collected_find (&all, pads[SLOW]) == NULL);
  ck_assert (!gst_oct_collected_may_come (&all));
  ck_assert (gst_oct_collected_is_ahead (&all, 8));
}

GST_END_TEST;

/* Only what can follow changes the state. */
GST_START_TEST (test_states)
{
  gst_oct_collected_step (&all, GST_OCT_COLLECTED_STOP);
  ck_assert (gst_oct_collected_is_closed (&all));
  gst_oct_collected_step (&all, GST_OCT_COLLECTED_FLUSH);
  gst_oct_collected_lose (&all, 5);
  ck_assert_int_eq (all.state, GST_OCT_COLLECTED_STOPPED);
  gst_oct_collected_step (&all, GST_OCT_COLLECTED_START);
  ck_assert (!gst_oct_collected_is_closed (&all));
  gst_oct_collected_lose (&all, 6);
  gst_oct_collected_step (&all, GST_OCT_COLLECTED_FLUSH);
  ck_assert (gst_oct_collected_is_closed (&all));
  /* nothing is counted any more */
  gst_oct_collected_step (&all, GST_OCT_COLLECTED_FLUSHED);
  ck_assert_int_eq (all.state, GST_OCT_COLLECTED_GOING);
  /* a branch that was given up stays so in the next stream */
  gst_oct_collected_branch_step (
      branches[SLOW], GST_OCT_COLLECTED_BRANCH_GIVE_UP);
  gst_oct_collected_branch_ends (&all, branches[SLOW], 1);
  ck_assert (gst_oct_collected_branch_has_ended (branches[SLOW]));
  gst_oct_collected_branch_starts (&all, branches[SLOW], 2);
  ck_assert_int_eq (branches[SLOW]->state, GST_OCT_COLLECTED_BRANCH_GONE);
}

GST_END_TEST;

/* After a flush the numbers continue after the previous ones; sticky events are
 * kept. */
GST_START_TEST (test_flush)
{
  GstOctMade *made = g_new0 (GstOctMade, 1);
  GQueue kept = G_QUEUE_INIT;

  g_queue_push_tail (
      &made->events, gst_event_new_tag (gst_tag_list_new_empty ()));
  g_queue_push_tail (&made->objects, gst_buffer_new ());
  gst_oct_collected_keep (&all, 2, made);
  gst_oct_collected_set_end (&all, 3);
  gst_oct_collected_branch_ends (&all, branches[FAST], 1);
  gst_oct_collected_flush (&all, &kept);
  ck_assert_uint_eq (kept.length, 1);
  g_queue_clear_full (&kept, (GDestroyNotify)gst_event_unref);
  assert_none (FALSE);
  ck_assert (!gst_oct_collected_branch_has_ended (branches[FAST]));
  bring (3);
  assert_next (3);
}

GST_END_TEST;

static Suite *
collected_suite (void)
{
  Suite *suite = suite_create ("collected");
  TCase *tcase = tcase_create ("collected");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_order);
  tcase_add_test (tcase, test_begins_later);
  tcase_add_test (tcase, test_end);
  tcase_add_test (tcase, test_lost);
  tcase_add_test (tcase, test_given_up_and_brought);
  tcase_add_test (tcase, test_dropped);
  tcase_add_test (tcase, test_end_behind_count);
  tcase_add_test (tcase, test_rest);
  tcase_add_test (tcase, test_late_end);
  tcase_add_test (tcase, test_late_by_a_stream);
  tcase_add_test (tcase, test_ends_of_two_streams);
  tcase_add_test (tcase, test_late_start);
  tcase_add_test (tcase, test_given_up);
  tcase_add_test (tcase, test_ahead);
  tcase_add_test (tcase, test_states);
  tcase_add_test (tcase, test_flush);
  return suite;
}

GST_CHECK_MAIN (collected);
