/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctthread.h"
#include "gstoctwaiting.h"

struct _GstOctThread {
  GstBaseTransform *trans;
  const GstOctThreadFunctions *functions;
  gboolean is_there; /* while the pads are active */
  GstOctWaiting waiting;
  guint count; /* buffers in the one that is in the element */

  /* those of the base class */
  GstPadChainFunction chain;
  GstPadEventFunction event;
  GstPadQueryFunction query;
  GstPadActivateModeFunction activate;
};

static GQuark
thread_quark (void)
{
  return g_quark_from_static_string ("gst-oct-thread");
}

static GstOctThread *
get_thread (GstObject *element)
{
  return g_object_get_qdata (G_OBJECT (element), thread_quark ());
}

/* In the thread of the source, after those that still wait. */
static GstFlowReturn
chain_at_once (GstOctThread *thread, GstPad *pad, GstBuffer *buffer)
{
  GstFlowReturn ret = GST_FLOW_OK;

  if (thread->is_there) {
    gst_oct_waiting_drain (&thread->waiting);
    ret = gst_oct_waiting_take_result (&thread->waiting);
  }
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return ret;
  }
  thread->count = 1;
  return thread->chain (pad, GST_OBJECT (thread->trans), buffer);
}

static GstFlowReturn
thread_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstOctThread *thread = get_thread (parent);
  guint most = thread->is_there ? thread->functions->count (thread->trans) : 0;

  if (most == 0)
    return chain_at_once (thread, pad, buffer);
  buffer = thread->functions->prepare (
      thread->trans, buffer, gst_oct_waiting_is_idle (&thread->waiting));
  return buffer != NULL ? gst_oct_waiting_add (&thread->waiting, buffer, most)
                        : GST_FLOW_ERROR;
}

static gboolean
join (gpointer data, GstOctWaits *last, GstBuffer *buffer)
{
  GstOctThread *thread = data;

  return thread->functions->join (
      thread->trans, &last->buffer, last->count, buffer);
}

static void
thread_loop (gpointer data)
{
  GstOctThread *thread = data;
  GstBuffer *buffer = gst_oct_waiting_take (&thread->waiting, &thread->count);
  GstFlowReturn ret;

  if (buffer == NULL) {
    gst_pad_pause_task (GST_BASE_TRANSFORM_SRC_PAD (thread->trans));
    return;
  }
  ret = thread->chain (GST_BASE_TRANSFORM_SINK_PAD (thread->trans),
      GST_OBJECT (thread->trans), buffer);
  gst_oct_waiting_done (&thread->waiting, ret);
}

static void
start_task (GstOctThread *thread)
{
  gst_oct_waiting_set_flushing (&thread->waiting, FALSE);
  gst_pad_start_task (
      GST_BASE_TRANSFORM_SRC_PAD (thread->trans), thread_loop, thread, NULL);
}

/* Those before the end of the stream have gone on by now, and the source gets
 * no other answer. */
static void
report_result (GstOctThread *thread)
{
  GstFlowReturn result = gst_oct_waiting_take_result (&thread->waiting);

  if (result == GST_FLOW_NOT_LINKED || result < GST_FLOW_EOS)
    GST_ELEMENT_FLOW_ERROR (thread->trans, result);
}

static gboolean
handle_flush (GstOctThread *thread, GstPad *pad, GstEvent *event)
{
  gboolean is_start = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START, ok;

  if (is_start)
    gst_oct_waiting_set_flushing (&thread->waiting, TRUE);
  ok = thread->event (pad, GST_OBJECT (thread->trans), event);
  if (is_start)
    gst_pad_pause_task (GST_BASE_TRANSFORM_SRC_PAD (thread->trans));
  else
    start_task (thread);
  return ok;
}

static GstFlowReturn
thread_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctThread *thread = get_thread (parent);
  GstEventType type = GST_EVENT_TYPE (event);
  gboolean ok;

  if (thread->is_there
      && (type == GST_EVENT_FLUSH_START || type == GST_EVENT_FLUSH_STOP)) {
    ok = handle_flush (thread, pad, event);
  } else if (thread->is_there && GST_EVENT_IS_SERIALIZED (event)
             && !gst_oct_waiting_drain (&thread->waiting)) {
    gst_event_unref (event);
    return GST_FLOW_FLUSHING;
  } else {
    if (thread->is_there && type == GST_EVENT_EOS)
      report_result (thread);
    ok = thread->event (pad, parent, event);
  }
  if (ok)
    return GST_FLOW_OK;
  return type == GST_EVENT_CAPS ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR;
}

static gboolean
thread_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctThread *thread = get_thread (parent);

  if (thread->is_there && GST_QUERY_IS_SERIALIZED (query)
      && !gst_oct_waiting_drain (&thread->waiting))
    return FALSE;
  return thread->query (pad, parent, query);
}

static gboolean
thread_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstOctThread *thread = get_thread (parent);
  gboolean ok;

  if (mode == GST_PAD_MODE_PUSH && active)
    thread->is_there = thread->functions->begin (thread->trans);
  if (mode == GST_PAD_MODE_PUSH && !active)
    gst_oct_waiting_set_flushing (&thread->waiting, TRUE);
  ok = thread->activate == NULL || thread->activate (pad, parent, mode, active);
  if (mode != GST_PAD_MODE_PUSH || !thread->is_there)
    return ok;
  if (active)
    start_task (thread);
  else
    ok &= gst_pad_stop_task (pad);
  return ok;
}

GstOctThread *
gst_oct_thread_new (
    GstBaseTransform *trans, const GstOctThreadFunctions *functions)
{
  GstOctThread *thread = g_new0 (GstOctThread, 1);
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (trans);
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD (trans);

  thread->trans = trans;
  thread->functions = functions;
  gst_oct_waiting_init (&thread->waiting, join, thread);
  g_object_set_qdata (G_OBJECT (trans), thread_quark (), thread);
  thread->chain = GST_PAD_CHAINFUNC (sink);
  thread->event = GST_PAD_EVENTFUNC (sink);
  thread->query = GST_PAD_QUERYFUNC (sink);
  thread->activate = GST_PAD_ACTIVATEMODEFUNC (src);
  gst_pad_set_chain_function (sink, thread_chain);
  gst_pad_set_event_full_function (sink, thread_event);
  gst_pad_set_query_function (sink, thread_query);
  gst_pad_set_activatemode_function (src, thread_activate);
  return thread;
}

void
gst_oct_thread_free (GstOctThread *thread)
{
  gst_oct_waiting_clear (&thread->waiting);
  g_free (thread);
}

guint
gst_oct_thread_count (GstOctThread *thread)
{
  return thread->count;
}
