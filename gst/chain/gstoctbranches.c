/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctbranches.h"
#include "gstoctscatterevents.h"

/* A queue holds 200 buffers by default. */
#define MAX_PUSHED 1024

static GstOctShare *
share_new (GstMiniObject *object, guint64 order)
{
  GstOctShare *share = g_new0 (GstOctShare, 1);

  share->object = object;
  share->order = order;
  return share;
}

void
gst_oct_share_free (GstOctShare *share)
{
  gst_clear_mini_object (&share->object);
  g_free (share);
}

static void
branches_empty (GstOctBranch *branch)
{
  g_queue_clear_full (&branch->shares, (GDestroyNotify)gst_oct_share_free);
  g_queue_clear_full (&branch->pushed, g_free);
  branch->load = 0;
  branch->doing = FALSE;
  branch->last = G_MAXUINT64;
}

static void
branch_free (gpointer data)
{
  branches_empty (data);
  g_free (data);
}

void
gst_oct_branches_init (GstOctBranches *self)
{
  self->branches = g_ptr_array_new_with_free_func (branch_free);
}

void
gst_oct_branches_clear (GstOctBranches *self)
{
  g_clear_pointer (&self->branches, g_ptr_array_unref);
}

GstOctBranch *
gst_oct_branches_add (GstOctBranches *self, GstPad *pad)
{
  GstOctBranch *branch = g_new0 (GstOctBranch, 1);

  branch->pad = pad;
  branch->passed = self->order; /* what came before is for others */
  branch->last = G_MAXUINT64;
  g_queue_init (&branch->shares);
  g_queue_init (&branch->pushed);
  g_ptr_array_add (self->branches, branch);
  return branch;
}

static GstOctBranch *
branches_get (GstOctBranches *self, guint i)
{
  return g_ptr_array_index (self->branches, i);
}

GstOctBranch *
gst_oct_branches_find (GstOctBranches *self, GstPad *pad)
{
  for (guint i = 0; i < self->branches->len; i++)
    if (branches_get (self, i)->pad == pad)
      return branches_get (self, i);
  return NULL;
}

/* Whether a share stays in force after a flush. */
static gboolean
is_lasting (const GstOctShare *share)
{
  guint64 number;

  return !share->counted && GST_IS_EVENT (share->object)
         && (GST_EVENT_IS_STICKY (share->object)
             || gst_oct_scatter_event_parse (
                    GST_EVENT_CAST (share->object), &number)
                    == GST_OCT_SCATTER_EVENT)
         && GST_EVENT_TYPE (share->object) != GST_EVENT_SEGMENT
         && GST_EVENT_TYPE (share->object) != GST_EVENT_EOS;
}

void
gst_oct_branches_flush (GstOctBranches *self)
{
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctBranch *branch = branches_get (self, i);
    GQueue left = branch->shares;
    GstOctShare *share;

    g_queue_init (&branch->shares);
    while ((share = g_queue_pop_head (&left)) != NULL)
      if (is_lasting (share))
        g_queue_push_tail (&branch->shares, share);
      else
        gst_oct_share_free (share);
    g_queue_clear_full (&branch->pushed, g_free);
    branch->load = 0;
    branch->doing = FALSE;
    branch->last = G_MAXUINT64;
    branch->stopped = FALSE;
    if (branch->flow == GST_FLOW_EOS || branch->flow == GST_FLOW_FLUSHING)
      branch->flow = GST_FLOW_OK;
  }
}

void
gst_oct_branches_reset (GstOctBranches *self)
{
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctBranch *branch = branches_get (self, i);

    branches_empty (branch);
    branch->flow = GST_FLOW_OK;
    branch->stuck = FALSE;
    branch->passed = 0;
  }
  self->turn = 0;
  self->order = self->number = 0;
}

gboolean
gst_oct_branches_are_alive (GstOctBranches *self, GstFlowReturn *flow)
{
  *flow = self->branches->len == 0 ? GST_FLOW_NOT_LINKED : GST_FLOW_EOS;
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctBranch *branch = branches_get (self, i);
    GstFlowReturn one = branch->flow;

    if (one == GST_FLOW_OK && gst_pad_is_linked (branch->pad))
      return TRUE;
    if (one == GST_FLOW_OK)
      one = GST_FLOW_NOT_LINKED;
    if (one == GST_FLOW_FLUSHING) {
      *flow = GST_FLOW_FLUSHING;
      break;
    }
    /* it is not the end if others have failed */
    if (one != GST_FLOW_EOS && (*flow == GST_FLOW_EOS || one < *flow))
      *flow = one;
  }
  return FALSE;
}

guint
gst_oct_branches_count_stuck (GstOctBranches *self)
{
  guint count = 0;

  for (guint i = 0; i < self->branches->len; i++)
    count += branches_get (self, i)->stuck;
  return count;
}

gboolean
gst_oct_branches_are_busy (GstOctBranches *self)
{
  for (guint i = 0; i < self->branches->len; i++)
    if (branches_get (self, i)->load > 0)
      return TRUE;
  return FALSE;
}

GstOctBranch *
gst_oct_branches_choose (
    GstOctBranches *self, GstOctScatterPolicy policy, guint most)
{
  GstOctBranch *chosen = NULL;
  guint n = self->branches->len, place = 0;

  for (guint i = 0; i < n; i++) {
    guint at = (self->turn + i) % n;
    GstOctBranch *branch = branches_get (self, at);

    /* one that is not linked yet would fail */
    if (branch->flow != GST_FLOW_OK || branch->load >= most
        || !gst_pad_is_linked (branch->pad)
        || (chosen != NULL
            && (policy == GST_OCT_SCATTER_ROUND_ROBIN
                || branch->load >= chosen->load)))
      continue;
    chosen = branch;
    place = at;
  }
  if (chosen != NULL)
    self->turn = (place + 1) % n;
  return chosen;
}

void
gst_oct_branches_give (
    GstOctBranches *self, GstOctBranch *branch, GstMiniObject *object)
{
  GstOctShare *share = share_new (object, ++self->order);

  share->counted = TRUE;
  share->number = self->number++;
  g_queue_push_tail (&branch->shares, share);
  branch->load++;
}

void
gst_oct_branches_give_all (GstOctBranches *self, GstEvent *event)
{
  self->order++;
  for (guint i = 0; i < self->branches->len; i++)
    if (branches_get (self, i)->flow == GST_FLOW_OK)
      g_queue_push_tail (&branches_get (self, i)->shares,
          share_new (
              gst_mini_object_ref (GST_MINI_OBJECT_CAST (event)), self->order));
  gst_event_unref (event);
}

void
gst_oct_branches_give_idle (GstOctBranches *self, GstEvent *event)
{
  self->order++;
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctBranch *branch = branches_get (self, i);

    if (branch->flow == GST_FLOW_OK && branch->load == 0
        && branch->shares.length == 0)
      g_queue_push_tail (&branch->shares,
          share_new (
              gst_mini_object_ref (GST_MINI_OBJECT_CAST (event)), self->order));
  }
  gst_event_unref (event);
}

GstOctShare *
gst_oct_branch_take (GstOctBranch *branch)
{
  GstOctShare *share = g_queue_pop_head (&branch->shares);

  /* only events mind what came before them */
  if (share != NULL && !share->counted)
    branch->passed = MAX (branch->passed, share->order);
  if (share != NULL && share->counted) {
    branch->doing = TRUE;
    branch->number = share->number;
    share->previous = branch->last;
    branch->last = share->number;
  }
  return share;
}

void
gst_oct_branch_give_back (GstOctBranch *branch, GstOctShare *share)
{
  g_queue_push_head (&branch->shares, share);
}

void
gst_oct_branch_done (GstOctBranch *branch)
{
  if (!branch->doing)
    return;
  branch->load--;
  branch->doing = FALSE;
  g_queue_push_tail (
      &branch->pushed, g_memdup2 (&branch->number, sizeof branch->number));
  if (branch->pushed.length > MAX_PUSHED)
    g_free (g_queue_pop_head (&branch->pushed));
}

static gboolean
holds_share (const GstOctBranch *branch, guint64 number)
{
  for (GList *l = branch->shares.head; l != NULL; l = l->next) {
    const GstOctShare *share = l->data;

    if (share->counted && share->number == number)
      return TRUE;
  }
  return branch->doing && branch->number == number;
}

static gboolean
has_pushed (const GstOctBranch *branch, guint64 number)
{
  for (GList *l = branch->pushed.head; l != NULL; l = l->next)
    if (*(guint64 *)l->data == number)
      return TRUE;
  return FALSE;
}

void
gst_oct_branches_list_dropped (GstOctBranches *self, const GstOctBranch *branch,
    guint64 first, guint64 end, GArray *dropped)
{
  for (guint64 number = first; number < MIN (end, self->number); number++) {
    gboolean held = FALSE;

    for (guint i = 0; i < self->branches->len && !held; i++) {
      const GstOctBranch *other = branches_get (self, i);

      held = holds_share (other, number)
             || (other != branch && has_pushed (other, number));
    }
    if (!held)
      g_array_append_val (dropped, number);
  }
}

static gint
branch_compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const GstOctShare *first = a, *second = b;

  return first->order < second->order ? -1 : first->order > second->order;
}

/* Another branch pushes it among its own, after the same events. */
static gboolean
hand_on (GstOctBranches *self, GstOctShare *share)
{
  GstOctBranch *to = NULL;

  for (guint i = 0; i < self->branches->len; i++) {
    GstOctBranch *branch = branches_get (self, i);

    if (branch->flow == GST_FLOW_OK && branch->passed < share->order
        && gst_pad_is_linked (branch->pad)
        && (to == NULL || branch->load < to->load))
      to = branch;
  }
  if (to == NULL)
    return FALSE;
  g_queue_insert_sorted (&to->shares, share, branch_compare, NULL);
  to->load++;
  return TRUE;
}

void
gst_oct_branches_end (GstOctBranches *self, GstOctBranch *branch,
    GstFlowReturn flow, GArray *lost, GArray *doubtful)
{
  GQueue left = branch->shares;
  GstOctShare *share;
  guint64 *number;

  if (branch->doing)
    g_array_append_val (lost, branch->number);
  branch->doing = FALSE;
  branch->flow = flow;
  branch->load = 0;
  g_queue_init (&branch->shares);
  while ((share = g_queue_pop_head (&left)) != NULL) {
    if (share->counted && hand_on (self, share))
      continue;
    if (share->counted)
      g_array_append_val (lost, share->number);
    gst_oct_share_free (share);
  }
  while ((number = g_queue_pop_head (&branch->pushed)) != NULL) {
    g_array_append_val (doubtful, *number);
    g_free (number);
  }
}

void
gst_oct_branches_remove (
    GstOctBranches *self, GstOctBranch *branch, GArray *lost, GArray *doubtful)
{
  gst_oct_branches_end (self, branch, GST_FLOW_NOT_LINKED, lost, doubtful);
  g_ptr_array_remove (self->branches, branch);
  self->turn = 0;
}
