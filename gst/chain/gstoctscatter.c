/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octscatter
 *
 * Distributes B-scans to several branches, each with a thread of its own.
 * octcollect puts the results of the branches back into order. This way several
 * GPUs share one stream, or several processors work on one B-scan each.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octscatter name=s
 *   octcollect name=c ! queue ! videoconvert ! autovideosink
 *   s. ! octreconstruct method=cs ! c.
 *   s. ! octreconstruct method=cs ! c.
 * ]|
 */
#include "gstoctscatter.h"
#include "gstoctbus.h"
#include "gstoctbranches.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctscatterevents.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_scatter_debug);
#define GST_CAT_DEFAULT gst_oct_scatter_debug

#define ASK_TIME (G_USEC_PER_SEC / 5)

struct _GstOctScatter {
  GstElement parent;
  GstPad *sink;

  GMutex lock; /* of all below; nothing is pushed under it */
  GCond changed;
  GstOctScatterPolicy policy;
  guint max_buffers;
  GstOctBranches branches;
  gboolean flushing;
  guint64 lost;
  guint64 n_events; /* that all branches got */
  guint n_pads;     /* that were ever asked for */
  char *devices;    /* see gst_oct_scatter_set_devices(), or NULL */
};

G_DEFINE_TYPE (GstOctScatter, gst_oct_scatter, GST_TYPE_ELEMENT);
GST_OCT_REGISTER_DEFINE (
    octscatter, "octscatter", GST_RANK_NONE, GST_TYPE_OCT_SCATTER);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src_%u", GST_PAD_SRC, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);

static const GEnumValue policies[] = {
  { GST_OCT_SCATTER_ROUND_ROBIN, "In turn, without those that are full",
      "round-robin" },
  { GST_OCT_SCATTER_LEAST_LOADED, "The branch with the fewest buffers to do",
      "least-loaded" },
  { 0, NULL, NULL },
};
static GST_OCT_DEFINE_ENUM (get_policy_type, "GstOctScatterPolicy", policies)

    static const GstOctProperty rows[] = {
      { "policy", "Policy", "Which branch gets the next buffer",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_ENUM (GstOctScatter, policy, get_policy_type,
              GST_OCT_SCATTER_LEAST_LOADED) },
      { "max-buffers", "Most buffers",
          "Largest number of buffers in a branch, including the one that it "
          "works on",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_UINT (GstOctScatter, max_buffers, 1, 1024, 2) },
      { "lost", "Lost",
          "Buffers lost in branches that failed, since the start; at most, "
          "if elements after the one that failed still deliver some",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_UINT64 (GstOctScatter, lost, 0, G_MAXUINT64, 0) },
    };
static const GstOctProperties properties =
    GST_OCT_PROPERTIES (GstOctScatter, rows);

/* ----------------------------------------------------------------- branches */

/* Downstream elements stop first. */
static gboolean
is_stopping (GstOctScatter *self)
{
  GstObject *at = gst_object_ref (GST_OBJECT (self));
  gboolean stopping = FALSE;

  while (at != NULL) {
    GstObject *parent = gst_object_get_parent (at);

    stopping |= GST_STATE_TARGET (at) < GST_STATE_PAUSED;
    gst_object_unref (at);
    at = parent;
  }
  return stopping;
}

/* Why no event goes on. */
static GstFlowReturn
explain_refusal (GstPad *pad)
{
  if (!gst_pad_is_linked (pad))
    return GST_FLOW_NOT_LINKED;
  return is_stopping (GST_OCT_SCATTER (GST_PAD_PARENT (pad)))
             ? GST_FLOW_FLUSHING
             : GST_FLOW_ERROR;
}

/* A queue whose elements have failed refuses the end as well, and does not pass
 * it on. */
static gboolean
says_end (GstEvent *event)
{
  guint64 number;

  return GST_EVENT_TYPE (event) == GST_EVENT_EOS
         || gst_oct_scatter_event_parse (event, &number) == GST_OCT_SCATTER_END;
}

/* Clears `share`, but for an event that a flush which has just begun has
 * dropped. */
static GstFlowReturn
push_event (GstPad *pad, GstOctShare *share)
{
  GstEvent *event = GST_EVENT_CAST (share->object);
  gboolean end = says_end (event);
  gboolean pushed = gst_pad_push_event (pad, gst_event_ref (event));

  if (pushed || !GST_PAD_IS_FLUSHING (pad))
    gst_clear_mini_object (&share->object);
  return pushed || !end || !gst_pad_is_linked (pad) ? GST_FLOW_OK
                                                    : explain_refusal (pad);
}

static gboolean
push_share (GstPad *pad, GstOctShare *share, GstFlowReturn *flow)
{
  GST_LOG_OBJECT (pad, "number %" G_GUINT64_FORMAT ", %" GST_PTR_FORMAT,
      share->number, share->object);
  *flow = GST_IS_BUFFER (share->object) ? gst_pad_push (
              pad, GST_BUFFER_CAST (g_steal_pointer (&share->object)))
                                        : push_event (pad, share);
  if (*flow == GST_FLOW_OK && share->counted
      && !gst_pad_push_event (
          pad, gst_oct_scatter_done_event_new (share->number, share->previous)))
    *flow = explain_refusal (pad);
  return *flow == GST_FLOW_OK;
}

static void
post_end (GstOctScatter *self, const char *name, GstFlowReturn flow, guint lost,
    gboolean alive)
{
  if (flow == GST_FLOW_FLUSHING) /* it was stopped */
    return;
  gst_oct_bus_post (GST_ELEMENT (self),
      gst_structure_new ("oct-branch-ended", "branch", G_TYPE_STRING, name,
          "reason", G_TYPE_STRING, gst_flow_get_name (flow), "lost",
          G_TYPE_UINT, lost, NULL));
  if (flow == GST_FLOW_EOS || !alive)
    return;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("The branch at %s has failed (%s) and gets nothing more: %u buffer%s "
       "lost, the others go on.",
          name, gst_flow_get_name (flow), lost, lost == 1 ? " is" : "s are"),
      (NULL));
}

/* Pads with a reference each. */
static GList *
scatter_list_pads (GstOctScatter *self)
{
  GList *pads;

  GST_OBJECT_LOCK (self);
  pads = g_list_copy_deep (
      GST_ELEMENT (self)->srcpads, (GCopyFunc)(void *)gst_object_ref, NULL);
  GST_OBJECT_UNLOCK (self);
  return pads;
}

/* At once, past what waits. */
static gboolean
push_to_all (GstOctScatter *self, GstEvent *event)
{
  g_autolist (GstPad) pads = scatter_list_pads (self);
  gboolean ok = FALSE;

  for (GList *l = pads; l != NULL; l = l->next)
    ok |= gst_pad_push_event (l->data, gst_event_ref (event));
  gst_event_unref (event);
  return ok;
}

/* Unlocked.  Tells octcollect not to wait for lost numbers.  Returns how many
 * it had not received. */
static guint
tell_numbers (
    GstOctScatter *self, GstOctScatterKind kind, const GArray *numbers)
{
  guint count = 0;

  for (guint i = 0; i < numbers->len; i++) {
    guint64 number = g_array_index (numbers, guint64, i);

    GST_DEBUG_OBJECT (
        self, "number %" G_GUINT64_FORMAT " does not come", number);
    count += push_to_all (self, gst_oct_scatter_event_new (kind, number));
  }
  return count;
}

/* Unlocked, if a branch is gone.  `doubtful`: numbers that come no more.
 * Returns how many of these had not come.  tell_stuck() is to follow. */
static guint
tell_failed (GstOctScatter *self, const GArray *lost, const GArray *doubtful)
{
  guint count = 0;

  tell_numbers (self, GST_OCT_SCATTER_LOST, lost);
  if (doubtful != NULL)
    count = tell_numbers (self, GST_OCT_SCATTER_LOST, doubtful);
  g_mutex_lock (&self->lock);
  self->lost += count;
  g_mutex_unlock (&self->lock);
  return count;
}

/* The losses have been counted and reported: now the end may come. */
static void
tell_stuck (GstOctScatter *self)
{
  guint stuck;

  g_mutex_lock (&self->lock);
  stuck = gst_oct_branches_count_stuck (&self->branches);
  g_mutex_unlock (&self->lock);
  push_to_all (self, gst_oct_scatter_event_new (GST_OCT_SCATTER_STUCK, stuck));
}

/* octcollect asks which numbers were dropped in a branch. */
static gboolean
gst_oct_scatter_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctScatter *self = GST_OCT_SCATTER (parent);
  g_autoptr (GArray) dropped = g_array_new (FALSE, FALSE, sizeof (guint64));
  GstOctBranch *branch;
  guint64 first, end;

  if (!gst_oct_scatter_missed_event_parse (event, &first, &end))
    return gst_pad_event_default (pad, parent, event);
  gst_event_unref (event);
  g_mutex_lock (&self->lock);
  branch = gst_oct_branches_find (&self->branches, pad);
  if (branch != NULL && !self->flushing)
    gst_oct_branches_list_dropped (
        &self->branches, branch, first, end, dropped);
  g_mutex_unlock (&self->lock);
  tell_numbers (self, GST_OCT_SCATTER_DROPPED, dropped);
  return TRUE;
}

static void
end_branch (GstOctScatter *self, GstPad *pad, GstFlowReturn flow)
{
  g_autoptr (GArray) lost = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GArray) doubtful = g_array_new (FALSE, FALSE, sizeof (guint64));
  GstOctBranch *branch;
  GstFlowReturn all;
  gboolean alive, stuck;
  guint n_lost;

  g_mutex_lock (&self->lock);
  branch = gst_oct_branches_find (&self->branches, pad);
  if (branch == NULL || self->flushing || branch->stopped) {
    g_mutex_unlock (&self->lock);
    return;
  }
  gst_oct_branches_end (&self->branches, branch, flow, lost, doubtful);
  self->lost += lost->len;
  g_cond_broadcast (&self->changed);
  alive = gst_oct_branches_are_alive (&self->branches, &all);
  g_mutex_unlock (&self->lock);
  /* a queue before the failed element takes nothing more, and gives nothing */
  stuck = flow != GST_FLOW_EOS && flow != GST_FLOW_FLUSHING
          && !gst_pad_push_event (
              pad, gst_oct_scatter_event_new (GST_OCT_SCATTER_GONE, 0));
  g_mutex_lock (&self->lock);
  branch = gst_oct_branches_find (&self->branches, pad);
  if (branch != NULL)
    branch->stuck = stuck;
  g_mutex_unlock (&self->lock);
  n_lost = lost->len + tell_failed (self, lost, stuck ? doubtful : NULL);
  GST_INFO_OBJECT (pad, "ended: %s", gst_flow_get_name (flow));
  post_end (self, GST_OBJECT_NAME (pad), flow, n_lost, alive);
  tell_stuck (self);
}

/* The thread of a branch. */
static void
scatter_loop (gpointer data)
{
  GstPad *pad = data;
  GstOctScatter *self = GST_OCT_SCATTER (GST_PAD_PARENT (pad));
  g_autoptr (GstOctShare) share = NULL;
  GstOctBranch *branch;
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  while ((branch = gst_oct_branches_find (&self->branches, pad)) != NULL
         && !branch->stopped && (share = gst_oct_branch_take (branch)) == NULL)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
  if (share == NULL) {
    gst_pad_pause_task (pad);
    return;
  }
  if (!push_share (pad, share, &flow)) {
    end_branch (self, pad, flow);
    return;
  }
  g_mutex_lock (&self->lock);
  branch = gst_oct_branches_find (&self->branches, pad);
  if (branch != NULL && share->counted)
    gst_oct_branch_done (branch);
  else if (branch != NULL && share->object != NULL)
    gst_oct_branch_give_back (branch, g_steal_pointer (&share));
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Ends the thread; what downstream holds it up was asked to let go. */
static void
set_stopped (GstOctScatter *self, GstPad *pad, gboolean stopped)
{
  GstOctBranch *branch;

  g_mutex_lock (&self->lock);
  branch = gst_oct_branches_find (&self->branches, pad);
  if (branch != NULL)
    branch->stopped = stopped;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static gboolean
gst_oct_scatter_activate_src (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  set_stopped (GST_OCT_SCATTER (parent), pad, !active);
  return active ? gst_pad_start_task (pad, scatter_loop, pad, NULL)
                : gst_pad_stop_task (pad);
}

/* --------------------------------------------------------------------- data */

static GstFlowReturn
scatter_give (GstOctScatter *self, GstMiniObject *object)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstOctBranch *branch = NULL;

  g_mutex_lock (&self->lock);
  while (!self->flushing && gst_oct_branches_are_alive (&self->branches, &flow)
         && (branch = gst_oct_branches_choose (
                 &self->branches, self->policy, self->max_buffers))
                == NULL)
    g_cond_wait (&self->changed, &self->lock);
  if (branch != NULL) {
    flow = GST_FLOW_OK;
    gst_oct_branches_give (&self->branches, branch, g_steal_pointer (&object));
    g_cond_broadcast (&self->changed);
  } else if (self->flushing) {
    flow = GST_FLOW_FLUSHING;
  }
  g_mutex_unlock (&self->lock);
  gst_clear_mini_object (&object);
  return flow;
}

static GstFlowReturn
gst_oct_scatter_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  return scatter_give (GST_OCT_SCATTER (parent), GST_MINI_OBJECT_CAST (buffer));
}

static gboolean
scatter_start_flush (GstOctScatter *self, GstEvent *event)
{
  g_autolist (GstPad) pads = scatter_list_pads (self);
  gboolean ok;

  g_mutex_lock (&self->lock);
  self->flushing = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  ok = push_to_all (self, event);
  for (GList *l = pads; l != NULL; l = l->next) {
    set_stopped (self, l->data, TRUE);
    gst_pad_pause_task (l->data);
  }
  return ok;
}

static gboolean
scatter_stop_flush (GstOctScatter *self, GstEvent *event)
{
  g_autolist (GstPad) pads = scatter_list_pads (self);
  gboolean ok = push_to_all (self, event);

  g_mutex_lock (&self->lock);
  self->flushing = FALSE;
  gst_oct_branches_flush (&self->branches);
  gst_oct_branches_give_all (&self->branches,
      gst_oct_scatter_event_new (GST_OCT_SCATTER_BEGIN, self->branches.number));
  g_mutex_unlock (&self->lock);
  for (GList *l = pads; l != NULL; l = l->next)
    if (gst_pad_is_active (l->data))
      gst_pad_start_task (l->data, scatter_loop, l->data, NULL);
  return ok;
}

static void
give_all (GstOctScatter *self, GstEvent *event)
{
  g_mutex_lock (&self->lock);
  if (self->flushing)
    gst_event_unref (event);
  else
    gst_oct_branches_give_all (&self->branches, event);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* octcollect lets one of each go on. */
static void
give_event (GstOctScatter *self, GstEvent *event)
{
  g_mutex_lock (&self->lock);
  if (self->flushing) {
    gst_event_unref (event);
  } else {
    gst_oct_branches_give_all (&self->branches,
        gst_oct_scatter_event_new (GST_OCT_SCATTER_EVENT, ++self->n_events));
    gst_oct_branches_give_all (&self->branches, event);
  }
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Waits until all is done: after the end no branch could take over work that
 * another one leaves undone.  An idle branch may have a queue that keeps the
 * B-scans that the others wait for, since the element after it has failed: the
 * end of the numbers tests that, since the queue would refuse it.  Returns how
 * many there were. */
static guint64
scatter_finish (GstOctScatter *self)
{
  GstFlowReturn flow;
  guint64 number;

  g_mutex_lock (&self->lock);
  number = self->branches.number;
  while (!self->flushing && gst_oct_branches_are_alive (&self->branches, &flow)
         && gst_oct_branches_are_busy (&self->branches))
    if (!g_cond_wait_until (
            &self->changed, &self->lock, g_get_monotonic_time () + ASK_TIME)) {
      gst_oct_branches_give_idle (&self->branches,
          gst_oct_scatter_event_new (GST_OCT_SCATTER_END, number));
      g_cond_broadcast (&self->changed);
    }
  g_mutex_unlock (&self->lock);
  return number;
}

static gboolean
gst_oct_scatter_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctScatter *self = GST_OCT_SCATTER (parent);
  guint64 number;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_FLUSH_START:
    return scatter_start_flush (self, event);
  case GST_EVENT_FLUSH_STOP:
    return scatter_stop_flush (self, event);
  case GST_EVENT_GAP:          /* instead of a buffer */
  case GST_EVENT_SEGMENT_DONE: /* no buffer comes that it could go with */
    return scatter_give (self, GST_MINI_OBJECT_CAST (event)) == GST_FLOW_OK;
  case GST_EVENT_EOS:
    number = scatter_finish (self);
    give_all (self, gst_oct_scatter_event_new (GST_OCT_SCATTER_END, number));
    give_all (self, event);
    return TRUE;
  default:
    if (!GST_EVENT_IS_SERIALIZED (event))
      return push_to_all (self, event);
    give_event (self, gst_event_ref (event));
    if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
      give_all (self, gst_oct_branch_event_new (self->devices));
    gst_event_unref (event);
    return TRUE;
  }
}

/* All branches are of one kind, or caps would not go together: the first one
 * says which memory it likes to read, as far as that is of the host.  Each
 * keeps some buffers. */
static gboolean
answer_allocation (GstOctScatter *self, GstQuery *query)
{
  g_autolist (GstPad) pads = scatter_list_pads (self);
  GstCaps *caps;
  GstBufferPool *pool;
  guint size, least, most, more;

  gst_query_parse_allocation (query, &caps, NULL);
  if (pads == NULL || caps == NULL
      || !gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)
      || !gst_pad_peer_query (pads->data, query))
    return FALSE;
  g_mutex_lock (&self->lock);
  more = self->max_buffers * g_list_length (pads);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < gst_query_get_n_allocation_pools (query); i++) {
    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &least, &most);
    gst_query_set_nth_allocation_pool (
        query, i, pool, size, least + more, most == 0 ? 0 : most + more);
    gst_clear_object (&pool);
  }
  return TRUE;
}

static gboolean
gst_oct_scatter_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return answer_allocation (GST_OCT_SCATTER (parent), query);
  return gst_pad_query_default (pad, parent, query);
}

/* --------------------------------------------------------------------- pads */

static gboolean
give_sticky (GstPad *pad, GstEvent **event, gpointer data)
{
  GstOctBranch *branch = data;
  GstOctScatter *self = GST_OCT_SCATTER (GST_PAD_PARENT (pad));
  gboolean starts = GST_EVENT_TYPE (*event) == GST_EVENT_STREAM_START;

  for (guint i = 0; i < (starts ? 2 : 1); i++) {
    GstOctShare *share = g_new0 (GstOctShare, 1);

    share->object = GST_MINI_OBJECT_CAST (
        i == 0 ? gst_event_ref (*event)
               : gst_oct_branch_event_new (self->devices));
    share->order = ++self->branches.order;
    g_queue_push_tail (&branch->shares, share);
  }
  return TRUE;
}

static GstPad *
gst_oct_scatter_request_new_pad (GstElement *element, GstPadTemplate *template,
    const char *name, const GstCaps *caps)
{
  GstOctScatter *self = GST_OCT_SCATTER (element);
  g_autofree char *given = NULL;
  GstOctBranch *branch;
  GstPad *pad;

  g_mutex_lock (&self->lock);
  if (name == NULL)
    name = given = gst_oct_scatter_name_pad (element, "src", &self->n_pads);
  g_mutex_unlock (&self->lock);
  pad = gst_pad_new_from_template (template, name);
  gst_pad_set_activatemode_function (pad, gst_oct_scatter_activate_src);
  gst_pad_set_event_function (pad, gst_oct_scatter_src_event);
  GST_PAD_SET_PROXY_CAPS (pad);
  g_mutex_lock (&self->lock);
  branch = gst_oct_branches_add (&self->branches, pad);
  /* a later branch gets the events that the others have got */
  gst_pad_sticky_events_foreach (self->sink, give_sticky, branch);
  g_mutex_unlock (&self->lock);
  if (!gst_element_add_pad (element, pad)) {
    g_mutex_lock (&self->lock);
    g_ptr_array_remove (self->branches.branches, branch);
    g_mutex_unlock (&self->lock);
    return NULL;
  }
  return pad;
}

static void
gst_oct_scatter_release_pad (GstElement *element, GstPad *pad)
{
  GstOctScatter *self = GST_OCT_SCATTER (element);
  g_autoptr (GArray) lost = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GArray) doubtful = g_array_new (FALSE, FALSE, sizeof (guint64));
  GstOctBranch *branch;

  gst_object_ref (pad);
  gst_pad_set_active (pad, FALSE);
  g_mutex_lock (&self->lock);
  branch = gst_oct_branches_find (&self->branches, pad);
  if (branch != NULL) {
    gst_oct_branches_remove (&self->branches, branch, lost, doubtful);
    self->lost += lost->len;
    g_cond_broadcast (&self->changed);
  }
  g_mutex_unlock (&self->lock);
  tell_failed (self, lost, doubtful);
  tell_stuck (self);
  gst_element_remove_pad (element, pad);
  gst_object_unref (pad);
}

/* ----------------------------------------------------------- states, object */

/* Inputs let go what waits in them when their pad stops. */
static gboolean
gst_oct_scatter_activate_sink (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstOctScatter *self = GST_OCT_SCATTER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  g_mutex_lock (&self->lock);
  self->flushing = !active;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

static void
scatter_forget (GstOctScatter *self)
{
  g_mutex_lock (&self->lock);
  gst_oct_branches_reset (&self->branches);
  self->n_events = 0;
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
gst_oct_scatter_change_state (GstElement *element, GstStateChange transition)
{
  GstOctScatter *self = GST_OCT_SCATTER (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_mutex_lock (&self->lock);
    self->lost = 0;
    g_mutex_unlock (&self->lock);
  }
  ret = GST_ELEMENT_CLASS (gst_oct_scatter_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    scatter_forget (self);
  return ret;
}

static GMutex *
get_scatter_lock (GObject *object)
{
  return &GST_OCT_SCATTER (object)->lock;
}

static void
scatter_changed (GObject *object, const GstOctProperty *row)
{
  g_cond_broadcast (&GST_OCT_SCATTER (object)->changed);
}

static const GstOctHolder holder = {
  .properties = &properties,
  .get_lock = get_scatter_lock,
  .changed = scatter_changed,
};

void
gst_oct_scatter_set_devices (GstOctScatter *self, const char *devices)
{
  g_free (self->devices);
  self->devices = g_strdup (devices);
}

static void
gst_oct_scatter_finalize (GObject *object)
{
  GstOctScatter *self = GST_OCT_SCATTER (object);

  gst_oct_branches_clear (&self->branches);
  g_free (self->devices);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (gst_oct_scatter_parent_class)->finalize (object);
}

static void
gst_oct_scatter_class_init (GstOctScatterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_scatter_debug, "octscatter", 0, "OCT scattering to branches");
  object_class->finalize = gst_oct_scatter_finalize;
  gst_oct_holder_install (&holder, object_class, 1);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "OCT scattering to branches", "Generic",
      "Distributes B-scans to several branches, for several GPUs or processors",
      "The gst-oct developers");
  element_class->request_new_pad = gst_oct_scatter_request_new_pad;
  element_class->release_pad = gst_oct_scatter_release_pad;
  element_class->change_state = gst_oct_scatter_change_state;
}

static void
gst_oct_scatter_init (GstOctScatter *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  gst_oct_branches_init (&self->branches);
  gst_oct_properties_init (&properties, self);
  self->sink = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sink, gst_oct_scatter_chain);
  gst_pad_set_event_function (self->sink, gst_oct_scatter_sink_event);
  gst_pad_set_query_function (self->sink, gst_oct_scatter_sink_query);
  gst_pad_set_activatemode_function (self->sink, gst_oct_scatter_activate_sink);
  GST_PAD_SET_PROXY_CAPS (self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
}
