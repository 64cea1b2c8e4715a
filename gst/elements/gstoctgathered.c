/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctgathered.h"
#include "gstoctscanmeta.h"

void
gst_oct_expected_clear (GstOctExpected *expected)
{
  expected->end = GST_CLOCK_TIME_NONE;
  expected->jitter = 0;
  expected->next = GST_BUFFER_OFFSET_NONE;
}

GstOctExpected
gst_oct_expected_after (const GstOctGathered *gathered, GstBuffer *last)
{
  guint bscans = gathered->info.bscans;
  GstClockTime duration = GST_BUFFER_DURATION (last);
  gboolean counts =
      GST_BUFFER_OFFSET_IS_VALID (last)
      && GST_BUFFER_OFFSET_END (last) == GST_BUFFER_OFFSET (last) + bscans;
  GstOctExpected expected;

  gst_oct_expected_clear (&expected);
  if (!GST_CLOCK_TIME_IS_VALID (duration) && gathered->fps_n > 0)
    duration = gst_util_uint64_scale (bscans * GST_SECOND,
        (guint64)gathered->fps_d, (guint64)gathered->fps_n);
  if (GST_BUFFER_PTS_IS_VALID (last) && GST_CLOCK_TIME_IS_VALID (duration)) {
    expected.end = GST_BUFFER_PTS (last) + duration;
    /* half a B-scan, as octrawsink counts */
    expected.jitter = MAX (1, duration / bscans / 2);
  }
  if (counts)
    expected.next = GST_BUFFER_OFFSET_END (last);
  return expected;
}

static gboolean
time_follows (const GstOctExpected *expected, GstBuffer *buffer)
{
  GstClockTime time = GST_BUFFER_PTS (buffer), end = expected->end;

  return !GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (end)
         || MAX (time, end) - MIN (time, end) < expected->jitter;
}

static gboolean
place_follows (const GstOctGathered *gathered, GstBuffer *first, guint count,
    GstBuffer *buffer)
{
  const GstOctInfo *info = &gathered->info;
  GstOctScanPosition expected, position;
  gboolean has_first = gst_oct_scan_meta_get (first, &expected);
  gboolean has_next = gst_oct_scan_meta_get (buffer, &position);

  if (!has_first || !has_next)
    return has_first == has_next;
  gst_oct_scan_position_select (
      &expected, count * info->bscans, position.count, info->repeats);
  /* after B-scans that were lost: with the next volume in step again */
  return (!gathered->in_volume || expected.bscan > 0
             || expected.bscans % (gathered->group * info->bscans) != 0)
         && position.bscan == expected.bscan
         && position.bscans == expected.bscans
         && position.volume == expected.volume
         && position.has_place == expected.has_place
         && position.place == expected.place
         && position.repeat == expected.repeat;
}

gboolean
gst_oct_gathered_follows (const GstOctGathered *gathered,
    const GstOctExpected *expected, GstBuffer *first, guint count,
    GstBuffer *buffer)
{
  guint64 number = GST_BUFFER_OFFSET (buffer);

  /* one meta cannot say of several buffers which A-lines are lost */
  return !GST_BUFFER_IS_DISCONT (buffer) && !gst_oct_scan_meta_has_valid (first)
         && !gst_oct_scan_meta_has_valid (buffer)
         && time_follows (expected, buffer)
         && place_follows (gathered, first, count, buffer)
         && (number == GST_BUFFER_OFFSET_NONE
             || expected->next == GST_BUFFER_OFFSET_NONE
             || number == expected->next);
}

void
gst_oct_gathered_stamp (const GstOctGathered *gathered,
    const GstOctExpected *expected, guint count, GstBuffer *whole)
{
  GstClockTime end = expected->end;
  GstOctScanPosition position;
  guint bscans = count * gathered->info.bscans;

  if (GST_CLOCK_TIME_IS_VALID (end) && GST_BUFFER_PTS_IS_VALID (whole)
      && end > GST_BUFFER_PTS (whole))
    GST_BUFFER_DURATION (whole) = end - GST_BUFFER_PTS (whole);
  else
    GST_BUFFER_DURATION (whole) = GST_CLOCK_TIME_NONE;
  if (GST_BUFFER_OFFSET_IS_VALID (whole))
    GST_BUFFER_OFFSET_END (whole) = GST_BUFFER_OFFSET (whole) + bscans;
  if (gst_oct_scan_meta_get (whole, &position)) {
    position.count = bscans;
    gst_oct_scan_meta_set (whole, &position);
  }
}
