/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octcollect
 *
 * Puts the results of the branches of octscatter back into the order of the
 * B-scans, with their time stamps, caps and segments. Its output is the same as
 * with a single branch.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octscatter name=s
 *   octcollect name=c ! queue ! videoconvert ! autovideosink
 *   s. ! octreconstruct ! c.
 *   s. ! octreconstruct ! c.
 * ]|
 */
#include "gstoctcollect.h"
#include "gstoctcollected.h"
#include "gstocterror.h"
#include "gstoctscatterevents.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_collect_debug);
#define GST_CAT_DEFAULT gst_oct_collect_debug

/* In seconds: after it a branch that all others wait for is named. */
#define PATIENCE 10

struct _GstOctCollect {
  GstElement parent;
  GstPad *src;

  GMutex lock; /* of all below; nothing is pushed under it */
  GCond changed;
  GstOctCollected collected;
  GQueue missed;    /* events that went out while a flush began */
  GstOctMade kept;  /* events from before a flush that stay in force */
  gboolean pushing; /* a thread has the output */
  gboolean started;
  gboolean warned; /* of a branch that all others wait for */
  GstFlowReturn flow;
  /* what went out last, so that each is sent once */
  GstEvent *caps, *segment;
  guint64 event;    /* of octscatter */
  GHashTable *sent; /* kind of event to its seqnum */
  guint n_pads;
};

G_DEFINE_TYPE (GstOctCollect, gst_oct_collect, GST_TYPE_ELEMENT);
GST_OCT_REGISTER_DEFINE (
    octcollect, "octcollect", GST_RANK_NONE, GST_TYPE_OCT_COLLECT);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void
collect_step (GstOctCollect *self, GstOctCollectedEvent event)
{
  g_mutex_lock (&self->lock);
  gst_oct_collected_step (&self->collected, event);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Locked; unlocks while it waits.  Deactivating a pad waits only for events and
 * data that come in order, but an event of octscatter about lost numbers sends
 * B-scans, too. */
static void
collect_wait_for_push (GstOctCollect *self)
{
  while (self->pushing)
    g_cond_wait (&self->changed, &self->lock);
}

/* ------------------------------------------------------------------- output */

/* All branches bring the same events: TRUE for the first one, or if octscatter
 * has said so.  Unlocked. */
static gboolean
is_new (GstOctCollect *self, GstEvent *event, gboolean surely)
{
  const GstStructure *s = gst_event_get_structure (event);
  g_autofree char *kind = g_strdup_printf ("%d %s", (int)GST_EVENT_TYPE (event),
      s != NULL ? gst_structure_get_name (s) : "");
  guint32 number = gst_event_get_seqnum (event);
  gboolean first;
  gpointer last;

  g_mutex_lock (&self->lock);
  first = surely
          || !g_hash_table_lookup_extended (self->sent, kind, NULL, &last)
          || (gint32)(number - GPOINTER_TO_UINT (last)) > 0;
  if (first)
    g_hash_table_insert (
        self->sent, g_steal_pointer (&kind), GUINT_TO_POINTER (number));
  g_mutex_unlock (&self->lock);
  return first;
}

/* Drops the events of a branch that another one has brought before.  The event
 * after one of octscatter is the same in all branches, whatever its seqnum.
 * Elements of the branches send others. */
static void
drop_repeated (GstOctCollect *self, GQueue *events)
{
  gboolean counted = FALSE, first = FALSE, keep;

  for (GList *l = events->head, *next; l != NULL; l = next) {
    GstEvent *event = l->data;
    guint64 number;

    next = l->next;
    if (gst_oct_scatter_event_parse (event, &number) == GST_OCT_SCATTER_EVENT) {
      counted = TRUE;
      first = number > self->event;
      self->event = MAX (self->event, number);
      keep = FALSE;
    } else {
      keep = counted && !first ? FALSE : is_new (self, event, counted);
      counted = FALSE;
    }
    if (keep)
      continue;
    g_queue_delete_link (events, l);
    gst_event_unref (event);
  }
}

static gboolean
same_caps (GstEvent *a, GstEvent *b)
{
  GstCaps *first, *second;

  if (a == NULL || b == NULL)
    return a == b;
  gst_event_parse_caps (a, &first);
  gst_event_parse_caps (b, &second);
  return gst_caps_is_equal (first, second);
}

static gboolean
same_segment (GstEvent *a, GstEvent *b)
{
  const GstSegment *first, *second;

  if (a == NULL || b == NULL)
    return a == b;
  gst_event_parse_segment (a, &first);
  gst_event_parse_segment (b, &second);
  return gst_segment_is_equal (first, second);
}

/* Only the output thread calls this, unlocked.  A pad that has begun to flush
 * also drops events that stay in force after it: they are sent once more. */
static void
push_out (GstOctCollect *self, GstEvent *event)
{
  g_autoptr (GstEvent) sent = gst_event_ref (event);

  if (!gst_pad_push_event (self->src, event) && GST_PAD_IS_FLUSHING (self->src)
      && GST_EVENT_IS_STICKY (sent)
      && GST_EVENT_TYPE (sent) != GST_EVENT_SEGMENT)
    g_queue_push_tail (&self->missed, g_steal_pointer (&sent));
}

/* The same. */
static void
push_missed (GstOctCollect *self)
{
  GstEvent *event;

  for (guint n = self->missed.length; n > 0; n--) {
    event = g_queue_pop_head (&self->missed);
    push_out (self, event);
  }
}

/* The same. */
static void
push_events (GstOctCollect *self, GstOctMade *made)
{
  GstEvent *event;

  drop_repeated (self, &made->events);
  for (GList *l = made->events.head, *next; l != NULL; l = next) {
    next = l->next;
    event = l->data;
    if (GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START)
      continue;
    g_queue_delete_link (&made->events, l);
    push_out (self, event);
    /* they are those of the stream before */
    gst_clear_event (&self->caps);
    gst_clear_event (&self->segment);
  }
  if (made->caps != NULL && !same_caps (made->caps, self->caps)) {
    gst_event_replace (&self->caps, made->caps);
    push_out (self, gst_event_ref (made->caps));
  }
  if (made->segment != NULL && !same_segment (made->segment, self->segment)) {
    gst_event_replace (&self->segment, made->segment);
    push_out (self, gst_event_ref (made->segment));
  }
  while ((event = g_queue_pop_head (&made->events)) != NULL)
    push_out (self, event);
}

static GstFlowReturn
push_made (GstOctCollect *self, GstOctMade *made)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMiniObject *object;

  push_missed (self);
  push_events (self, &self->kept);
  push_events (self, made);
  while (flow == GST_FLOW_OK
         && (object = g_queue_pop_head (&made->objects)) != NULL)
    if (GST_IS_BUFFER (object))
      flow = gst_pad_push (self->src, GST_BUFFER_CAST (object));
    else
      gst_pad_push_event (self->src, GST_EVENT_CAST (object));
  return flow;
}

/* A queue in a branch that fails after the last B-scan keeps its buffers. */
static void
push_end (GstOctCollect *self, guint64 missing, guint32 seqnum)
{
  GstEvent *end = gst_event_new_eos ();

  if (missing > 0)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("%" G_GUINT64_FORMAT " of the last B-scans did not come out of their "
         "branch and are lost; see what its elements report.",
            missing),
        (NULL));
  gst_event_set_seqnum (end, seqnum);
  gst_pad_push_event (self->src, end);
}

/* Locked; unlocks while pushing.  Only the output thread calls this.  Takes
 * `made`; NULL: the end. */
static void
push_one (GstOctCollect *self, GstOctMade *made)
{
  GstFlowReturn flow = GST_FLOW_OK;
  guint64 missing = 0;
  guint32 seqnum = self->collected.end_seqnum;

  if (made == NULL)
    missing = gst_oct_collected_take_missing (&self->collected);
  self->pushing = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (made != NULL)
    flow = push_made (self, made);
  else
    push_end (self, missing, seqnum);
  g_clear_pointer (&made, gst_oct_made_free);
  g_mutex_lock (&self->lock);
  if (flow != GST_FLOW_OK)
    self->flow = flow;
  self->pushing = FALSE;
  g_cond_broadcast (&self->changed);
}

/* Locked; unlocks while pushing: all outputs whose turn it is, in the one
 * output thread. */
static void
push_all (GstOctCollect *self)
{
  while (!self->pushing && !gst_oct_collected_is_closed (&self->collected)) {
    gboolean end;
    GstOctMade *made = gst_oct_collected_take (&self->collected, &end);

    if (made == NULL && !end)
      return;
    push_one (self, made);
  }
}

/* -------------------------------------------------------------------- input */

static GstFlowReturn
gst_oct_collect_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstOctCollect *self = GST_OCT_COLLECT (parent);
  GstFlowReturn flow;
  GstOctCollectedBranch *branch;
  gboolean ours;

  g_mutex_lock (&self->lock);
  branch = gst_oct_collected_find (&self->collected, pad);
  ours = branch != NULL && branch->ours;
  flow = gst_oct_collected_is_closed (&self->collected) ? GST_FLOW_FLUSHING
                                                        : self->flow;
  if (flow == GST_FLOW_OK && ours)
    g_queue_push_tail (&branch->now.objects, g_steal_pointer (&buffer));
  g_mutex_unlock (&self->lock);
  gst_clear_buffer (&buffer);
  if (flow != GST_FLOW_OK || ours)
    return flow;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("A buffer at %s does not come from this octcollect's octscatter; give "
       "octcollect the branches of one octscatter alone, leave `devices` of an "
       "octreconstruct in a branch empty, and use funnel for others.",
          GST_OBJECT_NAME (pad)),
      (NULL));
  return GST_FLOW_ERROR;
}

/* Numbers that were dropped in a branch with their event do not come;
 * octscatter says which ones they were. */
static void
collect_ask_for_dropped (
    GstOctCollect *self, GstPad *pad, guint64 number, guint64 previous)
{
  GstOctCollectedBranch *branch;
  guint64 first = 0;
  gboolean complete = TRUE;

  g_mutex_lock (&self->lock);
  branch = gst_oct_collected_find (&self->collected, pad);
  if (branch != NULL && !gst_oct_collected_is_closed (&self->collected)) {
    complete = branch->last == previous;
    branch->last = number;
    first = self->collected.next;
  }
  g_mutex_unlock (&self->lock);
  if (!complete)
    gst_pad_push_event (pad, gst_oct_scatter_missed_event_new (first, number));
}

/* With the lock, which it leaves.  Downstream may take its time, in a pause for
 * example: that is not a branch's fault. */
static void
collect_wait_for_turn (GstOctCollect *self)
{
  gint64 until = g_get_monotonic_time () + PATIENCE * G_TIME_SPAN_SECOND;
  g_autofree char *name = NULL;

  if (g_cond_wait_until (&self->changed, &self->lock, until) || self->warned
      || self->pushing || gst_oct_collected_is_closed (&self->collected))
    return;
  name = gst_oct_collected_name_awaited (&self->collected);
  if (name == NULL)
    return;
  self->warned = TRUE;
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("Nothing has come from the branch at %s, for %d s, and the other "
       "branches wait for it; open a valve that is closed in it, or take the "
       "branch out.",
          name, PATIENCE),
      (NULL));
  g_mutex_lock (&self->lock);
}

static void
collect_take_done (GstOctCollect *self, GstPad *pad, guint64 number)
{
  GstOctCollected *all = &self->collected;
  GstOctCollectedBranch *branch = gst_oct_collected_find (all, pad);

  gst_oct_collected_take_done (all, branch, number);
  push_all (self);
  /* the pad may be released meanwhile */
  while ((branch = gst_oct_collected_find (all, pad)) != NULL
         && !gst_oct_collected_is_closed (&self->collected)
         && self->flow == GST_FLOW_OK
         && gst_oct_collected_is_ahead (all, number)) {
    gst_oct_collected_branch_step (branch, GST_OCT_COLLECTED_BRANCH_WAIT);
    if (!self->pushing && !gst_oct_collected_may_come (all))
      break;
    collect_wait_for_turn (self);
  }
  if (branch != NULL)
    gst_oct_collected_branch_step (branch, GST_OCT_COLLECTED_BRANCH_CONTINUE);
}

/* FALSE: of a number that it is not waited for. */
static gboolean
collect_take_message (
    GstOctCollect *self, GstPad *pad, GstOctScatterKind kind, guint64 number)
{
  gboolean news = kind != GST_OCT_SCATTER_LOST; /* also in a flush */
  GstOctCollectedBranch *branch;

  GST_LOG_OBJECT (
      pad, "message %d, number %" G_GUINT64_FORMAT, (int)kind, number);
  g_mutex_lock (&self->lock);
  branch = gst_oct_collected_find (&self->collected, pad);
  switch (gst_oct_collected_is_closed (&self->collected) || branch == NULL
              ? GST_OCT_SCATTER_NONE
              : kind) {
  case GST_OCT_SCATTER_BEGIN:
    gst_oct_collected_begin (&self->collected, number);
    break;
  case GST_OCT_SCATTER_DONE:
    collect_take_done (self, pad, number);
    break;
  case GST_OCT_SCATTER_LOST:
    news = gst_oct_collected_lose (&self->collected, number);
    break;
  case GST_OCT_SCATTER_DROPPED:
    gst_oct_collected_drop (&self->collected, number);
    break;
  case GST_OCT_SCATTER_STUCK:
    gst_oct_collected_set_stuck (&self->collected, (guint)number);
    g_cond_broadcast (&self->changed);
    break;
  case GST_OCT_SCATTER_GONE:
    gst_oct_collected_branch_step (branch, GST_OCT_COLLECTED_BRANCH_GIVE_UP);
    g_cond_broadcast (&self->changed);
    break;
  case GST_OCT_SCATTER_END:
    gst_oct_collected_set_end (&self->collected, number);
    break;
  default:
    break;
  }
  push_all (self);
  g_mutex_unlock (&self->lock);
  return news;
}

static gboolean
collect_start_flush (GstOctCollect *self, GstEvent *event)
{
  gboolean first;

  g_mutex_lock (&self->lock);
  first = !gst_oct_collected_is_closed (&self->collected);
  gst_oct_collected_step (&self->collected, GST_OCT_COLLECTED_FLUSH);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (first)
    return gst_pad_push_event (self->src, event);
  gst_event_unref (event);
  return TRUE;
}

/* Locked. */
static void
collect_forget_made (GstOctCollect *self)
{
  gst_oct_collected_flush (&self->collected, &self->kept.events);
  gst_clear_event (&self->segment);
  self->flow = GST_FLOW_OK;
}

/* octscatter has begun to flush all branches before it ends that in one. */
static gboolean
collect_stop_flush (GstOctCollect *self, GstEvent *event)
{
  gboolean first;

  g_mutex_lock (&self->lock);
  collect_wait_for_push (self);
  first = self->collected.state == GST_OCT_COLLECTED_FLUSHING;
  if (first)
    collect_forget_made (self);
  g_mutex_unlock (&self->lock);
  if (!first) {
    gst_event_unref (event);
    return TRUE;
  }
  gst_pad_push_event (self->src, event);
  collect_step (self, GST_OCT_COLLECTED_FLUSHED);
  return TRUE;
}

/* Events that come in order with the data. */
static void
collect_take_event (GstOctCollect *self, GstPad *pad, GstEvent *event)
{
  GstOctCollectedBranch *branch;

  g_mutex_lock (&self->lock);
  branch = gst_oct_collected_find (&self->collected, pad);
  if (branch == NULL || gst_oct_collected_is_closed (&self->collected)) {
    gst_event_unref (event);
    g_mutex_unlock (&self->lock);
    return;
  }
  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    gst_event_take (&branch->now.caps, event);
    /* downstream has the caps before it is asked for memory */
    if (!self->started && !self->pushing)
      push_one (self, gst_oct_made_take (&branch->now));
    self->started = TRUE;
    break;
  case GST_EVENT_SEGMENT:
    gst_event_take (&branch->now.segment, event);
    break;
  case GST_EVENT_GAP:
  case GST_EVENT_SEGMENT_DONE:
    g_queue_push_tail (&branch->now.objects, event);
    break;
  case GST_EVENT_EOS:
    gst_oct_collected_branch_ends (
        &self->collected, branch, gst_event_get_seqnum (event));
    g_cond_broadcast (&self->changed); /* it brings nothing to wait for */
    gst_event_unref (event);
    break;
  case GST_EVENT_STREAM_START:
    gst_oct_collected_branch_starts (
        &self->collected, branch, gst_event_get_seqnum (event));
    g_queue_push_tail (&branch->now.events, event);
    break;
  default:
    g_queue_push_tail (&branch->now.events, event);
    break;
  }
  push_all (self);
  g_mutex_unlock (&self->lock);
}

static gboolean
gst_oct_collect_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctCollect *self = GST_OCT_COLLECT (parent);
  GstOctScatterKind kind;
  GstOctCollectedBranch *branch;
  guint64 number;

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    return collect_start_flush (self, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    return collect_stop_flush (self, event);
  kind = gst_oct_scatter_event_parse (event, &number);
  if (kind == GST_OCT_SCATTER_EVENT) {
    collect_take_event (self, pad, event);
  } else if (kind != GST_OCT_SCATTER_NONE) {
    if (kind == GST_OCT_SCATTER_DONE)
      collect_ask_for_dropped (
          self, pad, number, gst_oct_scatter_done_event_get_previous (event));
    gst_event_unref (event);
    return collect_take_message (self, pad, kind, number);
  } else if (gst_oct_branch_event_is (event)) {
    gst_event_unref (event);
    g_mutex_lock (&self->lock);
    branch = gst_oct_collected_find (&self->collected, pad);
    if (branch != NULL)
      branch->ours = TRUE;
    g_mutex_unlock (&self->lock);
  } else if (GST_EVENT_IS_SERIALIZED (event)) {
    collect_take_event (self, pad, event);
  } else {
    if (is_new (self, event, FALSE))
      return gst_pad_push_event (self->src, event);
    gst_event_unref (event);
  }
  return TRUE;
}

/* Branches have memory of their own GPU each; of the host all can use it. */
static gboolean
gst_oct_collect_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctCollect *self = GST_OCT_COLLECT (parent);
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  gst_query_parse_allocation (query, &caps, NULL);
  return caps != NULL
         && gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
             GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)
         && gst_pad_peer_query (self->src, query);
}

/* Pads with a reference each, those that have not ended first. */
static GList *
collect_list_pads (GstOctCollect *self)
{
  GList *pads = NULL, *ended = NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->collected.branches->len; i++) {
    GstOctCollectedBranch *branch =
        g_ptr_array_index (self->collected.branches, i);
    GList **list = gst_oct_collected_branch_has_ended (branch) ? &ended : &pads;

    *list = g_list_append (*list, gst_object_ref (branch->pad));
  }
  g_mutex_unlock (&self->lock);
  return g_list_concat (pads, ended);
}

/* One branch brings it to octscatter; all of them ask for caps again. */
static gboolean
gst_oct_collect_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctCollect *self = GST_OCT_COLLECT (parent);
  g_autolist (GstPad) pads = collect_list_pads (self);
  gboolean all = GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE;
  gboolean ok = FALSE;

  /* which B-scans come late is nothing that one branch can mend */
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS)
    ok = TRUE;
  else
    for (GList *l = pads; l != NULL && (all || !ok); l = l->next)
      ok |= gst_pad_push_event (l->data, gst_event_ref (event));
  gst_event_unref (event);
  return ok;
}

static gboolean
collect_answer_latency (GstOctCollect *self, GstQuery *query)
{
  g_autolist (GstPad) pads = collect_list_pads (self);
  GstClockTime least = 0, most = GST_CLOCK_TIME_NONE;
  gboolean live = FALSE, ok = FALSE;

  for (GList *l = pads; l != NULL; l = l->next) {
    g_autoptr (GstQuery) one = gst_query_new_latency ();
    GstClockTime low, high;
    gboolean is_live;

    if (!gst_pad_peer_query (l->data, one))
      continue;
    gst_query_parse_latency (one, &is_live, &low, &high);
    ok = TRUE;
    live |= is_live;
    least = MAX (least, low);
    most = MIN (most, high); /* GST_CLOCK_TIME_NONE is the largest */
  }
  if (ok)
    gst_query_set_latency (query, live, least, most);
  return ok;
}

static gboolean
gst_oct_collect_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctCollect *self = GST_OCT_COLLECT (parent);
  g_autolist (GstPad) pads = NULL;

  switch (GST_QUERY_TYPE (query)) {
  case GST_QUERY_LATENCY:
    return collect_answer_latency (self, query);
  case GST_QUERY_CAPS:
  case GST_QUERY_ACCEPT_CAPS:
    return gst_pad_query_default (pad, parent, query);
  default:
    pads = collect_list_pads (self);
    for (GList *l = pads; l != NULL; l = l->next)
      if (gst_pad_peer_query (l->data, query))
        return TRUE;
    return FALSE;
  }
}

/* --------------------------------------------------------------------- pads */

static GstPad *
gst_oct_collect_request_new_pad (GstElement *element, GstPadTemplate *template,
    const char *name, const GstCaps *caps)
{
  GstOctCollect *self = GST_OCT_COLLECT (element);
  g_autofree char *given = NULL;
  GstPad *pad;

  g_mutex_lock (&self->lock);
  if (name == NULL)
    name = given = gst_oct_scatter_name_pad (element, "sink", &self->n_pads);
  g_mutex_unlock (&self->lock);
  pad = gst_pad_new_from_template (template, name);
  gst_pad_set_chain_function (pad, gst_oct_collect_chain);
  gst_pad_set_event_function (pad, gst_oct_collect_sink_event);
  gst_pad_set_query_function (pad, gst_oct_collect_sink_query);
  GST_PAD_SET_PROXY_CAPS (pad);
  g_mutex_lock (&self->lock);
  gst_oct_collected_add (&self->collected, pad);
  g_mutex_unlock (&self->lock);
  if (gst_element_add_pad (element, pad))
    return pad;
  g_mutex_lock (&self->lock);
  gst_oct_collected_remove (&self->collected, pad);
  g_mutex_unlock (&self->lock);
  return NULL;
}

static void
gst_oct_collect_release_pad (GstElement *element, GstPad *pad)
{
  GstOctCollect *self = GST_OCT_COLLECT (element);

  gst_object_ref (pad);
  g_mutex_lock (&self->lock);
  gst_oct_collected_remove (&self->collected, pad);
  /* what only it could have brought does not come */
  if (self->collected.branches->len > 0)
    push_all (self);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (element, pad);
  gst_object_unref (pad);
}

/* ----------------------------------------------------------- states, object */

static void
collect_forget (GstOctCollect *self)
{
  g_mutex_lock (&self->lock);
  collect_wait_for_push (self);
  gst_oct_collected_reset (&self->collected);
  gst_oct_made_clear (&self->kept);
  g_queue_clear_full (&self->missed, (GDestroyNotify)gst_event_unref);
  gst_clear_event (&self->caps);
  gst_clear_event (&self->segment);
  g_hash_table_remove_all (self->sent);
  self->event = 0;
  self->flow = GST_FLOW_OK;
  self->started = FALSE;
  self->warned = FALSE;
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
gst_oct_collect_change_state (GstElement *element, GstStateChange transition)
{
  GstOctCollect *self = GST_OCT_COLLECT (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    collect_step (self, GST_OCT_COLLECTED_START);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    collect_step (self, GST_OCT_COLLECTED_STOP);
  ret = GST_ELEMENT_CLASS (gst_oct_collect_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    collect_forget (self);
  return ret;
}

static void
gst_oct_collect_finalize (GObject *object)
{
  GstOctCollect *self = GST_OCT_COLLECT (object);

  gst_oct_collected_clear (&self->collected);
  g_hash_table_unref (self->sent);
  gst_oct_made_clear (&self->kept);
  g_queue_clear_full (&self->missed, (GDestroyNotify)gst_event_unref);
  gst_clear_event (&self->caps);
  gst_clear_event (&self->segment);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (gst_oct_collect_parent_class)->finalize (object);
}

static void
gst_oct_collect_class_init (GstOctCollectClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_collect_debug, "octcollect", 0, "OCT collecting of branches");
  G_OBJECT_CLASS (klass)->finalize = gst_oct_collect_finalize;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "OCT collecting of branches", "Generic",
      "Puts the results of the branches of octscatter back into order",
      "The gst-oct developers");
  element_class->request_new_pad = gst_oct_collect_request_new_pad;
  element_class->release_pad = gst_oct_collect_release_pad;
  element_class->change_state = gst_oct_collect_change_state;
}

static void
gst_oct_collect_init (GstOctCollect *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  gst_oct_collected_init (&self->collected);
  self->sent = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gst_oct_collected_step (&self->collected, GST_OCT_COLLECTED_STOP);
  self->src = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->src, gst_oct_collect_src_event);
  gst_pad_set_query_function (self->src, gst_oct_collect_src_query);
  GST_PAD_SET_PROXY_CAPS (self->src);
  gst_element_add_pad (GST_ELEMENT (self), self->src);
}
