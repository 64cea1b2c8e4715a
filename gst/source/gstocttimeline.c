/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstocttimeline.h"

GstClockTime
gst_oct_timeline_time (const GstOctTimeline *timeline, guint64 n)
{
  return gst_util_uint64_scale (
      n, GST_SECOND * timeline->fps_d, timeline->fps_n);
}

guint64
gst_oct_timeline_frame (
    const GstOctTimeline *timeline, GstClockTime time, gboolean round_up)
{
  guint64 scale = GST_SECOND * timeline->fps_d;

  /* start times were rounded down to nanoseconds: one more brings them back
   * to the B-scan that they start */
  return round_up ? gst_util_uint64_scale_ceil (time, timeline->fps_n, scale)
                  : gst_util_uint64_scale (time + 1, timeline->fps_n, scale);
}

GstClockTime
gst_oct_timeline_duration (const GstOctTimeline *timeline)
{
  return timeline->count != G_MAXUINT64
             ? gst_oct_timeline_time (timeline, timeline->count)
             : GST_CLOCK_TIME_NONE;
}

gboolean
gst_oct_timeline_convert (const GstOctTimeline *timeline, GstFormat from,
    gint64 value, GstFormat to, gint64 *result)
{
  guint64 size = ABS (value), converted;

  if (timeline->fps_n <= 0)
    return FALSE;
  if (from == to)
    converted = size;
  else if (from == GST_FORMAT_DEFAULT && to == GST_FORMAT_TIME)
    converted = gst_oct_timeline_time (timeline, size);
  else if (from == GST_FORMAT_TIME && to == GST_FORMAT_DEFAULT)
    converted = gst_oct_timeline_frame (timeline, size, FALSE);
  else
    return FALSE;
  if (converted > G_MAXINT64)
    return FALSE;
  *result = value < 0 ? -(gint64)converted : (gint64)converted;
  return TRUE;
}

static gboolean
from_frames (const GstOctTimeline *timeline, guint64 frames, GstFormat format,
    gint64 *result)
{
  return frames <= G_MAXINT64
         && gst_oct_timeline_convert (
             timeline, GST_FORMAT_DEFAULT, frames, format, result);
}

static gboolean
query_convert (const GstOctTimeline *timeline, GstQuery *query)
{
  GstFormat from, to;
  gint64 value, result;

  gst_query_parse_convert (query, &from, &value, &to, NULL);
  if (!gst_oct_timeline_convert (timeline, from, value, to, &result))
    return FALSE;
  gst_query_set_convert (query, from, value, to, result);
  return TRUE;
}

static gboolean
query_seeking (
    const GstOctTimeline *timeline, GstQuery *query, gboolean seekable)
{
  GstFormat format;
  gint64 end;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  if (format != GST_FORMAT_TIME && format != GST_FORMAT_DEFAULT)
    return FALSE;
  if (!from_frames (timeline, timeline->count, format, &end))
    end = -1;
  gst_query_set_seeking (query, format, seekable, 0, end);
  return TRUE;
}

gboolean
gst_oct_timeline_query (
    const GstOctTimeline *timeline, GstQuery *query, gboolean seekable)
{
  GstFormat format;
  gint64 result;

  switch (GST_QUERY_TYPE (query)) {
  case GST_QUERY_DURATION:
    gst_query_parse_duration (query, &format, NULL);
    if (!from_frames (timeline, timeline->count, format, &result))
      return FALSE;
    gst_query_set_duration (query, format, result);
    return TRUE;
  case GST_QUERY_POSITION:
    gst_query_parse_position (query, &format, NULL);
    if (!from_frames (timeline, timeline->next, format, &result))
      return FALSE;
    gst_query_set_position (query, format, result);
    return TRUE;
  case GST_QUERY_CONVERT:
    return query_convert (timeline, query);
  case GST_QUERY_SEEKING:
    return query_seeking (timeline, query, seekable);
  default:
    return FALSE;
  }
}

static gboolean
convert_seek_value (const GstOctTimeline *timeline, GstFormat format,
    GstSeekType type, gint64 *value)
{
  if (type == GST_SEEK_TYPE_NONE || (type == GST_SEEK_TYPE_SET && *value < 0))
    return TRUE;
  return gst_oct_timeline_convert (
      timeline, format, *value, GST_FORMAT_TIME, value);
}

gboolean
gst_oct_timeline_seek (
    const GstOctTimeline *timeline, GstEvent *seek, GstSegment *segment)
{
  gdouble rate;
  GstFormat format;
  GstSeekFlags flags;
  GstSeekType start_type, stop_type;
  gint64 start, stop;

  gst_event_parse_seek (
      seek, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  return convert_seek_value (timeline, format, start_type, &start)
         && convert_seek_value (timeline, format, stop_type, &stop)
         && gst_segment_do_seek (segment, rate, GST_FORMAT_TIME, flags,
             start_type, start, stop_type, stop, NULL);
}

void
gst_oct_timeline_restart (const GstOctTimeline *timeline, GstClockTime old_time,
    guint64 stop, GstSegment *segment)
{
  segment->base =
      gst_segment_to_running_time (segment, GST_FORMAT_TIME, old_time);
  segment->offset = 0;
  segment->start = segment->time = segment->position =
      gst_oct_timeline_time (timeline, timeline->next);
  segment->stop = stop != G_MAXUINT64 ? gst_oct_timeline_time (timeline, stop)
                                      : GST_CLOCK_TIME_NONE;
}
