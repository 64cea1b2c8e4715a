/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctmade.h"
#include "gstoctscatterevents.h"

static void
clear_queue (GQueue *queue)
{
  g_queue_clear_full (queue, (GDestroyNotify)gst_mini_object_unref);
}

void
gst_oct_made_clear (GstOctMade *made)
{
  gst_clear_event (&made->caps);
  gst_clear_event (&made->segment);
  clear_queue (&made->events);
  clear_queue (&made->objects);
}

void
gst_oct_made_free (GstOctMade *made)
{
  gst_oct_made_clear (made);
  g_free (made);
}

GstOctMade *
gst_oct_made_take (GstOctMade *now)
{
  GstOctMade *made = g_new0 (GstOctMade, 1);

  *made = *now;
  g_queue_init (&now->events);
  g_queue_init (&now->objects);
  if (made->caps != NULL)
    now->caps = gst_event_ref (made->caps);
  if (made->segment != NULL)
    now->segment = gst_event_ref (made->segment);
  return made;
}

void
gst_oct_made_flush (GstOctMade *made, GQueue *kept)
{
  guint64 number;

  for (GList *l = made->events.head; l != NULL; l = l->next)
    if (GST_EVENT_IS_STICKY (l->data)
        || gst_oct_scatter_event_parse (l->data, &number)
               == GST_OCT_SCATTER_EVENT)
      g_queue_push_tail (kept, gst_event_ref (l->data));
  clear_queue (&made->events);
  clear_queue (&made->objects);
}
