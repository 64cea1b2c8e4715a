/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcollected.h"

/* Numbers that a branch may be ahead of the one that is waited for, for each
 * branch: more than octscatter has them do at a time, or branches would wait
 * for each other. */
#define MAX_AHEAD 8

/* ------------------------------------------------------------------- states
 */

#define STATE(name) GST_OCT_COLLECTED_##name
#define BRANCH(name) GST_OCT_COLLECTED_BRANCH_##name

/* Other events change nothing. */
typedef struct {
  guint from, event, to;
} Transition;

/* clang-format off */
static const Transition transitions[] = {
  { STATE (STOPPED), STATE (START), STATE (GOING) },
  { STATE (GOING), STATE (LOSE), STATE (COUNTING) },
  { STATE (COUNTING), STATE (COUNTED), STATE (GOING) },
  { STATE (GOING), STATE (END), STATE (ENDED) },
  { STATE (ENDED), STATE (NEXT), STATE (GOING) },
  { STATE (GOING), STATE (FLUSH), STATE (FLUSHING) },
  { STATE (COUNTING), STATE (FLUSH), STATE (FLUSHING) },
  { STATE (ENDED), STATE (FLUSH), STATE (FLUSHING) },
  { STATE (FLUSHING), STATE (FLUSHED), STATE (GOING) },
  { STATE (GOING), STATE (STOP), STATE (STOPPED) },
  { STATE (COUNTING), STATE (STOP), STATE (STOPPED) },
  { STATE (ENDED), STATE (STOP), STATE (STOPPED) },
  { STATE (FLUSHING), STATE (STOP), STATE (STOPPED) },
};
static const Transition branch_transitions[] = {
  { BRANCH (GOING), BRANCH (WAIT), BRANCH (WAITING) },
  { BRANCH (WAITING), BRANCH (CONTINUE), BRANCH (GOING) },
  { BRANCH (GOING), BRANCH (END), BRANCH (ENDED) },
  { BRANCH (WAITING), BRANCH (END), BRANCH (ENDED) },
  { BRANCH (GONE), BRANCH (END), BRANCH (GONE_ENDED) },
  { BRANCH (ENDED), BRANCH (START), BRANCH (GOING) },
  { BRANCH (GONE_ENDED), BRANCH (START), BRANCH (GONE) },
  { BRANCH (GOING), BRANCH (GIVE_UP), BRANCH (GONE) },
  { BRANCH (WAITING), BRANCH (GIVE_UP), BRANCH (GONE) },
  { BRANCH (ENDED), BRANCH (GIVE_UP), BRANCH (GONE_ENDED) },
  { BRANCH (WAITING), BRANCH (FLUSH), BRANCH (GOING) },
  { BRANCH (ENDED), BRANCH (FLUSH), BRANCH (GOING) },
  { BRANCH (GONE_ENDED), BRANCH (FLUSH), BRANCH (GONE) },
};
/* clang-format on */

static guint
find_next (const Transition *rows, guint n, guint state, guint event)
{
  for (guint i = 0; i < n; i++)
    if (rows[i].from == state && rows[i].event == event)
      return rows[i].to;
  return state;
}

void
gst_oct_collected_step (GstOctCollected *self, GstOctCollectedEvent event)
{
  self->state =
      find_next (transitions, G_N_ELEMENTS (transitions), self->state, event);
}

void
gst_oct_collected_branch_step (
    GstOctCollectedBranch *branch, GstOctCollectedBranchEvent event)
{
  branch->state = find_next (branch_transitions,
      G_N_ELEMENTS (branch_transitions), branch->state, event);
}

gboolean
gst_oct_collected_is_closed (const GstOctCollected *self)
{
  return self->state == STATE (STOPPED) || self->state == STATE (FLUSHING);
}

/* ----------------------------------------------------------------- branches
 */

static void
collected_branch_free (gpointer data)
{
  GstOctCollectedBranch *branch = data;

  gst_oct_made_clear (&branch->now);
  g_free (branch);
}

GstOctCollectedBranch *
gst_oct_collected_add (GstOctCollected *self, GstPad *pad)
{
  GstOctCollectedBranch *branch = g_new0 (GstOctCollectedBranch, 1);

  branch->pad = pad;
  branch->last = G_MAXUINT64;
  g_queue_init (&branch->now.events);
  g_queue_init (&branch->now.objects);
  g_ptr_array_add (self->branches, branch);
  return branch;
}

GstOctCollectedBranch *
gst_oct_collected_find (GstOctCollected *self, GstPad *pad)
{
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctCollectedBranch *branch = g_ptr_array_index (self->branches, i);

    if (branch->pad == pad)
      return branch;
  }
  return NULL;
}

void
gst_oct_collected_remove (GstOctCollected *self, GstPad *pad)
{
  GstOctCollectedBranch *branch = gst_oct_collected_find (self, pad);

  if (branch != NULL)
    g_ptr_array_remove (self->branches, branch);
}

gboolean
gst_oct_collected_branch_has_ended (const GstOctCollectedBranch *branch)
{
  return branch->state == BRANCH (ENDED)
         || branch->state == BRANCH (GONE_ENDED);
}

/* A slow one that has ended the stream before will bring what it has of this
 * one.
 */
static gboolean
has_ended (GstOctCollected *self, const GstOctCollectedBranch *branch)
{
  return gst_oct_collected_branch_has_ended (branch)
         && branch->stream == self->last_stream;
}

static gboolean
any_other_ended (GstOctCollected *self, const GstOctCollectedBranch *but)
{
  for (guint i = 0; i < self->branches->len; i++) {
    const GstOctCollectedBranch *branch = g_ptr_array_index (self->branches, i);

    if (branch != but && has_ended (self, branch))
      return TRUE;
  }
  return FALSE;
}

static gboolean
any_ended (GstOctCollected *self)
{
  return any_other_ended (self, NULL);
}

/* All but those that octscatter has given up. */
static gboolean
all_ended (GstOctCollected *self)
{
  guint going = 0;

  for (guint i = 0; i < self->branches->len; i++) {
    GstOctCollectedBranch *branch = g_ptr_array_index (self->branches, i);

    going += !has_ended (self, branch) && branch->state != BRANCH (GONE)
             && branch->state != BRANCH (GONE_ENDED);
  }
  return any_ended (self) && going <= self->stuck;
}

/* Whether it may bring the number that is waited for. */
static gboolean
is_awaited (const GstOctCollectedBranch *branch)
{
  return branch->state == BRANCH (GOING);
}

/* A branch that has taken over a number that was for a failed branch can have
 * it after those that it waits with. */
gboolean
gst_oct_collected_may_come (GstOctCollected *self)
{
  guint going = 0;

  for (guint i = 0; i < self->branches->len; i++) {
    GstOctCollectedBranch *branch = g_ptr_array_index (self->branches, i);

    going += is_awaited (branch);
  }
  return going > self->stuck;
}

char *
gst_oct_collected_name_awaited (GstOctCollected *self)
{
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctCollectedBranch *branch = g_ptr_array_index (self->branches, i);
    g_autoptr (GstPad) peer = gst_pad_get_peer (branch->pad);
    g_autoptr (GstElement) element =
        peer != NULL ? gst_pad_get_parent_element (peer) : NULL;

    if (is_awaited (branch))
      return g_strdup_printf ("%s, after %s", GST_OBJECT_NAME (branch->pad),
          element != NULL ? GST_OBJECT_NAME (element) : "nothing");
  }
  return NULL;
}

/* ------------------------------------------------------------------ numbers */

static GstOctMade *
get_made (GstOctCollected *self, guint64 number)
{
  return g_hash_table_lookup (self->made, &number);
}

void
gst_oct_collected_begin (GstOctCollected *self, guint64 number)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->made);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (*(guint64 *)key < number)
      g_hash_table_iter_remove (&iter);
  self->next = MAX (self->next, number);
}

/* Drops what it was about to bring, but for events that stay in force. */
static void
branch_drop (GstOctCollectedBranch *branch)
{
  GQueue kept = G_QUEUE_INIT;

  gst_oct_made_flush (&branch->now, &kept);
  branch->now.events = kept;
}

void
gst_oct_collected_take_done (
    GstOctCollected *self, GstOctCollectedBranch *branch, guint64 number)
{
  if (number >= self->next)
    gst_oct_collected_keep (self, number, gst_oct_made_take (&branch->now));
  else if (g_hash_table_contains (self->lost, &number))
    branch_drop (branch);
}

void
gst_oct_collected_keep (GstOctCollected *self, guint64 number, GstOctMade *made)
{
  g_hash_table_insert (self->made, g_memdup2 (&number, sizeof number), made);
}

gboolean
gst_oct_collected_drop (GstOctCollected *self, guint64 number)
{
  if (number < self->next || get_made (self, number) != NULL)
    return FALSE;
  gst_oct_collected_keep (self, number, g_new0 (GstOctMade, 1));
  return TRUE;
}

gboolean
gst_oct_collected_lose (GstOctCollected *self, guint64 number)
{
  gst_oct_collected_step (self, STATE (LOSE));
  if (!gst_oct_collected_drop (self, number))
    return FALSE;
  g_hash_table_add (self->lost, g_memdup2 (&number, sizeof number));
  return TRUE;
}

void
gst_oct_collected_set_stuck (GstOctCollected *self, guint count)
{
  self->stuck = count;
  gst_oct_collected_step (self, STATE (COUNTED));
}

gboolean
gst_oct_collected_is_ahead (GstOctCollected *self, guint64 number)
{
  return number >= self->next + (guint64)MAX_AHEAD * self->branches->len;
}

/* NULL: it has not come.  Where no branch can bring it any more it is left out.
 */
static GstOctMade *
collected_take_number (GstOctCollected *self)
{
  gpointer key, made;

  if (self->next >= self->end) /* the next stream's */
    return NULL;
  while (!g_hash_table_steal_extended (self->made, &self->next, &key, &made)) {
    if (g_hash_table_size (self->made) == 0 || !all_ended (self))
      return NULL;
    self->next++;
    self->missing++;
  }
  g_free (key);
  self->next++;
  return made;
}

/* Output that branches had kept back came at their end, without a number.  The
 * unfinished output of a failed branch does not count. */
static GstOctMade *
take_rest (GstOctCollected *self)
{
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctCollectedBranch *branch = g_ptr_array_index (self->branches, i);

    if (gst_oct_collected_branch_has_ended (branch)
        && (branch->now.objects.length > 0 || branch->now.events.length > 0))
      return gst_oct_made_take (&branch->now);
  }
  return NULL;
}

/* ------------------------------------------------------------ end of stream */

/* A slow branch brings that of the stream before when others are in the next
 * one already. */
void
gst_oct_collected_set_end (GstOctCollected *self, guint64 number)
{
  if (self->past_end == G_MAXUINT64 || number > self->past_end)
    self->end = number;
}

void
gst_oct_collected_branch_ends (
    GstOctCollected *self, GstOctCollectedBranch *branch, guint32 seqnum)
{
  gst_oct_collected_branch_step (branch, BRANCH (END));
  if (any_other_ended (self, branch)
      && (gint32)(branch->stream - self->end_stream) <= 0)
    return;
  self->end_stream = branch->stream;
  self->end_seqnum = seqnum;
}

void
gst_oct_collected_branch_starts (
    GstOctCollected *self, GstOctCollectedBranch *branch, guint32 seqnum)
{
  gst_oct_collected_branch_step (branch, BRANCH (START));
  branch->stream = seqnum;
  if (!self->has_stream || (gint32)(seqnum - self->last_stream) > 0)
    self->last_stream = seqnum;
  self->has_stream = TRUE;
  /* a slow branch can still be in a stream before the one that has ended */
  if (self->state != STATE (ENDED) || seqnum == self->end_stream)
    return;
  if (self->end != G_MAXUINT64)
    self->past_end = self->end;
  self->end = G_MAXUINT64;
  gst_oct_collected_step (self, STATE (NEXT));
}

static gboolean
is_end (GstOctCollected *self)
{
  return self->state == STATE (GOING)
         && (all_ended (self) || (self->next >= self->end && any_ended (self)));
}

GstOctMade *
gst_oct_collected_take (GstOctCollected *self, gboolean *end)
{
  GstOctMade *made = collected_take_number (self);

  *end = FALSE;
  if (made != NULL || !is_end (self))
    return made;
  made = take_rest (self);
  if (made != NULL)
    return made;
  if (self->next < self->end && self->end != G_MAXUINT64) {
    self->missing += self->end - self->next;
    self->next = self->end;
  }
  gst_oct_collected_step (self, STATE (END));
  *end = TRUE;
  return NULL;
}

guint64
gst_oct_collected_take_missing (GstOctCollected *self)
{
  guint64 missing = self->missing;

  self->missing = 0;
  return missing;
}

/* ------------------------------------------------------------------- object */

void
gst_oct_collected_flush (GstOctCollected *self, GQueue *kept)
{
  for (; g_hash_table_size (self->made) > 0; self->next++) {
    GstOctMade *made = get_made (self, self->next);

    if (made != NULL)
      gst_oct_made_flush (made, kept);
    g_hash_table_remove (self->made, &self->next);
  }
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctCollectedBranch *branch = g_ptr_array_index (self->branches, i);

    branch_drop (branch);
    gst_clear_event (&branch->now.segment);
    gst_oct_collected_branch_step (branch, BRANCH (FLUSH));
    branch->last = G_MAXUINT64;
  }
  g_hash_table_remove_all (self->lost);
  self->end = self->past_end = G_MAXUINT64;
  self->missing = 0;
}

void
gst_oct_collected_reset (GstOctCollected *self)
{
  g_hash_table_remove_all (self->made);
  g_hash_table_remove_all (self->lost);
  for (guint i = 0; i < self->branches->len; i++) {
    GstOctCollectedBranch *branch = g_ptr_array_index (self->branches, i);

    gst_oct_made_clear (&branch->now);
    branch->ours = FALSE;
    branch->state = BRANCH (GOING);
    branch->last = G_MAXUINT64;
  }
  self->next = 0;
  self->end = self->past_end = G_MAXUINT64;
  self->missing = 0;
  self->stuck = 0;
  self->has_stream = FALSE;
  gst_oct_collected_step (self, STATE (FLUSH));
  gst_oct_collected_step (self, STATE (FLUSHED));
}

void
gst_oct_collected_init (GstOctCollected *self)
{
  *self = (GstOctCollected){
    .state = STATE (GOING), .end = G_MAXUINT64, .past_end = G_MAXUINT64
  };
  self->branches = g_ptr_array_new_with_free_func (collected_branch_free);
  self->made = g_hash_table_new_full (
      g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)gst_oct_made_free);
  self->lost =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

void
gst_oct_collected_clear (GstOctCollected *self)
{
  g_ptr_array_unref (self->branches);
  g_hash_table_unref (self->made);
  g_hash_table_unref (self->lost);
}
