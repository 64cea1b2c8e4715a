/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctvolumeevents.h"

gboolean
gst_oct_volume_events_end (GstOctScan *scan, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_oct_scan_take_segment (scan, event);
    return scan->anew;
  }
  return GST_EVENT_TYPE (event) == GST_EVENT_EOS
         || GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START;
}

static void
volume_events_send (GQueue *waiting, GstPad *src)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (waiting)) != NULL)
    gst_pad_push_event (src, event);
}

void
gst_oct_volume_events_begin (GstOctVolumeEvents *events, GstPad *src)
{
  volume_events_send (&events->first, src);
}

void
gst_oct_volume_events_follow (GstOctVolumeEvents *events, GstPad *src)
{
  volume_events_send (&events->after, src);
}

gboolean
gst_oct_volume_events_pass (GstOctVolumeEvents *events, gboolean has_caps,
    gboolean has_data, GstPad *src, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    volume_events_send (&events->first, src);
    volume_events_send (&events->after, src);
  } else if (has_data) {
    g_queue_push_tail (&events->after, event);
    return TRUE;
  } else if (!has_caps && GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START) {
    g_queue_push_tail (&events->first, event);
    return TRUE;
  }
  return gst_pad_push_event (src, event);
}

/* Sticky events hold for data after the flush, too. */
static gboolean
volume_events_hold (const GstEvent *event)
{
  return GST_EVENT_IS_STICKY (event)
         && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
         && GST_EVENT_TYPE (event) != GST_EVENT_EOS;
}

gboolean
gst_oct_volume_events_flush (
    GstOctVolumeEvents *events, gboolean has_caps, GstPad *src, GstEvent *event)
{
  gboolean ok = gst_pad_push_event (src, event);

  while ((event = g_queue_pop_head (&events->after)) != NULL) {
    if (!volume_events_hold (event))
      gst_event_unref (event);
    else if (has_caps)
      gst_pad_push_event (src, event);
    else
      g_queue_push_tail (&events->first, event);
  }
  return ok;
}

void
gst_oct_volume_events_clear (GstOctVolumeEvents *events)
{
  g_queue_clear_full (&events->first, (GDestroyNotify)gst_event_unref);
  g_queue_clear_full (&events->after, (GDestroyNotify)gst_event_unref);
}
