/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctwaiting.h"

void
gst_oct_waiting_init (GstOctWaiting *waiting, GstOctJoin join, gpointer owner)
{
  waiting->join = join;
  waiting->owner = owner;
  g_mutex_init (&waiting->lock);
  g_cond_init (&waiting->changed);
  g_queue_init (&waiting->waits);
  waiting->count = 0;
  waiting->busy = FALSE;
  waiting->sleepers = 0;
  waiting->few = 0;
  waiting->flushing = TRUE;
  waiting->result = GST_FLOW_OK;
}

/* A wake-up is a system call and a switch of threads, as long as the rest of
 * the work for a short B-scan: none if nobody sleeps. */
static void
waiting_wake (GstOctWaiting *waiting)
{
  if (waiting->sleepers > 0)
    g_cond_broadcast (&waiting->changed);
}

static void
waiting_sleep (GstOctWaiting *waiting)
{
  waiting->sleepers++;
  g_cond_wait (&waiting->changed, &waiting->lock);
  waiting->sleepers--;
}

static void
waits_free (gpointer data)
{
  GstOctWaits *waits = data;

  gst_clear_buffer (&waits->buffer);
  g_free (waits);
}

static void
waiting_drop (GstOctWaiting *waiting)
{
  g_queue_clear_full (&waiting->waits, waits_free);
  waiting->count = 0;
}

void
gst_oct_waiting_clear (GstOctWaiting *waiting)
{
  waiting_drop (waiting);
  g_cond_clear (&waiting->changed);
  g_mutex_clear (&waiting->lock);
}

void
gst_oct_waiting_set_flushing (GstOctWaiting *waiting, gboolean flushing)
{
  g_mutex_lock (&waiting->lock);
  waiting->flushing = flushing;
  waiting->result = GST_FLOW_OK;
  if (flushing)
    waiting_drop (waiting);
  waiting_wake (waiting);
  g_mutex_unlock (&waiting->lock);
}

static GstFlowReturn
take_result (GstOctWaiting *waiting)
{
  GstFlowReturn result = waiting->result;

  waiting->result = GST_FLOW_OK;
  return waiting->flushing ? GST_FLOW_FLUSHING : result;
}

/* `buffer` is left if the last one has taken its memory. */
static void
waiting_push (GstOctWaiting *waiting, GstBuffer **buffer)
{
  GstOctWaits *last = g_queue_peek_tail (&waiting->waits);

  waiting->count++;
  if (last != NULL && waiting->join (waiting->owner, last, *buffer)) {
    last->count++;
    return;
  }
  last = g_new (GstOctWaits, 1);
  *last = (GstOctWaits){ g_steal_pointer (buffer), 1 };
  g_queue_push_tail (&waiting->waits, last);
}

GstFlowReturn
gst_oct_waiting_add (GstOctWaiting *waiting, GstBuffer *buffer, guint most)
{
  GstFlowReturn result;

  g_mutex_lock (&waiting->lock);
  waiting->few = most / 2;
  while (!waiting->flushing && waiting->result == GST_FLOW_OK
         && waiting->count >= most)
    waiting_sleep (waiting);
  result = take_result (waiting);
  if (result == GST_FLOW_OK) {
    waiting_push (waiting, &buffer);
    waiting_wake (waiting);
  }
  g_mutex_unlock (&waiting->lock);
  gst_clear_buffer (&buffer);
  return result;
}

gboolean
gst_oct_waiting_drain (GstOctWaiting *waiting)
{
  gboolean done;

  g_mutex_lock (&waiting->lock);
  while (!waiting->flushing
         && (waiting->busy || !g_queue_is_empty (&waiting->waits)))
    waiting_sleep (waiting);
  done = !waiting->flushing;
  g_mutex_unlock (&waiting->lock);
  return done;
}

GstFlowReturn
gst_oct_waiting_take_result (GstOctWaiting *waiting)
{
  GstFlowReturn result;

  g_mutex_lock (&waiting->lock);
  result = take_result (waiting);
  g_mutex_unlock (&waiting->lock);
  return result;
}

GstBuffer *
gst_oct_waiting_take (GstOctWaiting *waiting, guint *count)
{
  GstBuffer *buffer = NULL;
  GstOctWaits *next;

  g_mutex_lock (&waiting->lock);
  while (!waiting->flushing && g_queue_is_empty (&waiting->waits))
    waiting_sleep (waiting);
  if (!waiting->flushing) {
    next = g_queue_pop_head (&waiting->waits);
    buffer = g_steal_pointer (&next->buffer);
    *count = next->count;
    waiting->count -= next->count;
    waits_free (next);
    waiting->busy = TRUE;
    /* once for several, and while there is still work for this thread */
    if (waiting->count <= waiting->few)
      waiting_wake (waiting);
  }
  g_mutex_unlock (&waiting->lock);
  return buffer;
}

void
gst_oct_waiting_done (GstOctWaiting *waiting, GstFlowReturn result)
{
  g_mutex_lock (&waiting->lock);
  waiting->busy = FALSE;
  if (result != GST_FLOW_OK && !waiting->flushing) {
    waiting->result = result;
    waiting_drop (waiting);
  }
  if (waiting->count <= waiting->few)
    waiting_wake (waiting);
  g_mutex_unlock (&waiting->lock);
}

gboolean
gst_oct_waiting_is_idle (GstOctWaiting *waiting)
{
  gboolean idle;

  g_mutex_lock (&waiting->lock);
  idle = !waiting->busy && waiting->count == 0;
  g_mutex_unlock (&waiting->lock);
  return idle;
}
