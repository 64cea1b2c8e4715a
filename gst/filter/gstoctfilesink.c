/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfilesink.h"

#include <gst/video/video.h>

#include "gstocterror.h"
#include "gstoctorder.h"

typedef struct {
  gint failed; /* atomic: an own error was posted */
} GstOctFileSinkPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (
    GstOctFileSink, gst_oct_file_sink, GST_TYPE_BASE_SINK);

static GstOctFileSinkPrivate *
get_private (GstOctFileSink *self)
{
  return gst_oct_file_sink_get_instance_private (self);
}

void
gst_oct_file_sink_begin (GstOctFileSink *self)
{
  g_atomic_int_set (&get_private (self)->failed, FALSE);
}

void
gst_oct_file_sink_fail (GstOctFileSink *self, GError **error)
{
  gst_oct_element_error (GST_ELEMENT (self), error);
  g_atomic_int_set (&get_private (self)->failed, TRUE);
}

gboolean
gst_oct_file_sink_has_failed (GstOctFileSink *self)
{
  return g_atomic_int_get (&get_private (self)->failed);
}

/* One sentence for one mistake. */
static gboolean
gst_oct_file_sink_post_message (GstElement *element, GstMessage *message)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      && gst_oct_file_sink_has_failed (GST_OCT_FILE_SINK (element))) {
    gst_message_unref (message);
    return TRUE;
  }
  return GST_ELEMENT_CLASS (gst_oct_file_sink_parent_class)
      ->post_message (element, message);
}

/* After a flush B-scans are taken again, and what is wrong then is said. */
static gboolean
gst_oct_file_sink_event (GstBaseSink *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    gst_oct_file_sink_begin (GST_OCT_FILE_SINK (base));
  return GST_BASE_SINK_CLASS (gst_oct_file_sink_parent_class)
      ->event (base, event);
}

static gboolean
gst_oct_file_sink_query (GstBaseSink *base, GstQuery *query)
{
  if (!GST_BASE_SINK_CLASS (gst_oct_file_sink_parent_class)
           ->query (base, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_oct_order_widen (GST_BASE_SINK_PAD (base), NULL, query);
  return TRUE;
}

static gboolean
gst_oct_file_sink_propose_allocation (GstBaseSink *base, GstQuery *query)
{
  /* rows of any stride are fine */
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

static void
gst_oct_file_sink_class_init (GstOctFileSinkClass *klass)
{
  GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS (klass);

  GST_ELEMENT_CLASS (klass)->post_message = gst_oct_file_sink_post_message;
  base_class->event = gst_oct_file_sink_event;
  base_class->query = gst_oct_file_sink_query;
  base_class->propose_allocation = gst_oct_file_sink_propose_allocation;
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_FILE_SINK, 0);
}

static void
gst_oct_file_sink_init (GstOctFileSink *self)
{
  gst_base_sink_set_sync (GST_BASE_SINK (self), FALSE);
  gst_oct_order_init (GST_BASE_SINK_PAD (self));
}
