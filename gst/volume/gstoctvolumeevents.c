/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctvolumeevents.h"

gboolean
gst_oct_volume_events_end (GstOctScan *scan, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_oct_scan_take_segment (scan, event);
    return scan->anew;
  }
  return GST_EVENT_TYPE (event) == GST_EVENT_EOS;
}

void
gst_oct_volume_events_send (GQueue *waiting, GstPad *src)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (waiting)) != NULL)
    gst_pad_push_event (src, event);
}

gboolean
gst_oct_volume_events_pass (
    GQueue *waiting, gboolean has_caps, GstPad *src, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    gst_oct_volume_events_send (waiting, src);
  } else if (!has_caps && GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START) {
    g_queue_push_tail (waiting, event);
    return TRUE;
  }
  return gst_pad_push_event (src, event);
}
