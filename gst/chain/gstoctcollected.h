/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The output of the branches of octscatter in octcollect, its order, and the
 * end of a stream.
 *
 * Thread-safety: one thread at a time; octcollect locks.
 */
#pragma once

#include "gstoctmade.h"

G_BEGIN_DECLS

/* The state of octcollect. */
typedef enum {
  GST_OCT_COLLECTED_STOPPED,  /* before the start and after the stop */
  GST_OCT_COLLECTED_FLUSHING, /* between the events of a flush */
  /* data go out: */
  GST_OCT_COLLECTED_GOING,
  GST_OCT_COLLECTED_COUNTING, /* octscatter still reports lost numbers */
  GST_OCT_COLLECTED_ENDED,    /* the end was taken */
} GstOctCollectedState;

typedef enum {
  GST_OCT_COLLECTED_START,
  GST_OCT_COLLECTED_STOP,
  GST_OCT_COLLECTED_FLUSH,
  GST_OCT_COLLECTED_FLUSHED,
  GST_OCT_COLLECTED_LOSE,    /* a number was lost, */
  GST_OCT_COLLECTED_COUNTED, /* and this was the last one */
  GST_OCT_COLLECTED_END,
  GST_OCT_COLLECTED_NEXT, /* another stream */
} GstOctCollectedEvent;

/* The state of a branch. */
typedef enum {
  GST_OCT_COLLECTED_BRANCH_GOING,
  GST_OCT_COLLECTED_BRANCH_WAITING, /* with a number that is too far ahead */
  GST_OCT_COLLECTED_BRANCH_ENDED,   /* its stream, which may be one before
                                     * others' */
  GST_OCT_COLLECTED_BRANCH_GONE,    /* octscatter has given it up, and all of it
                                     * has come */
  GST_OCT_COLLECTED_BRANCH_GONE_ENDED, /* both */
} GstOctCollectedBranchState;

typedef enum {
  GST_OCT_COLLECTED_BRANCH_START,
  GST_OCT_COLLECTED_BRANCH_WAIT,
  GST_OCT_COLLECTED_BRANCH_CONTINUE,
  GST_OCT_COLLECTED_BRANCH_END,
  GST_OCT_COLLECTED_BRANCH_GIVE_UP,
  GST_OCT_COLLECTED_BRANCH_FLUSH,
} GstOctCollectedBranchEvent;

/* The output of one branch. */
typedef struct {
  GstPad *pad;   /* not owned */
  gboolean ours; /* octscatter has said that the branch is its own */
  GstOctCollectedBranchState state;
  guint32 stream; /* seqnum of its stream-start, that of all branches */
  guint64 last;   /* number that came last, G_MAXUINT64: none yet */
  GstOctMade now; /* until its number comes */
} GstOctCollectedBranch;

typedef struct {
  GstOctCollectedState state;
  GPtrArray *branches; /* of GstOctCollectedBranch */
  GHashTable *made;    /* of guint64 to GstOctMade */
  GHashTable *lost;    /* of guint64, which octscatter has given up */
  guint64 next;        /* number that is waited for */
  guint64 end;         /* there are no more; G_MAXUINT64: not known */
  guint64 past_end;    /* that of the stream before; G_MAXUINT64: none */
  guint64 missing;     /* that were passed over at the end */
  guint stuck;         /* branches given up, of which nothing more comes */
  gboolean has_stream; /* one has begun: */
  guint32 last_stream; /* the newest one that a branch has begun */
  guint32 end_stream;  /* the last one that a branch has ended, */
  guint32 end_seqnum;  /* and by which event */
} GstOctCollected;

/* Begins in GST_OCT_COLLECTED_GOING. */
void gst_oct_collected_init (GstOctCollected *self);
void gst_oct_collected_clear (GstOctCollected *self);
void gst_oct_collected_step (GstOctCollected *self, GstOctCollectedEvent event);
/* Whether nothing is taken or sent. */
gboolean gst_oct_collected_is_closed (const GstOctCollected *self);
void gst_oct_collected_branch_step (
    GstOctCollectedBranch *branch, GstOctCollectedBranchEvent event);
gboolean gst_oct_collected_branch_has_ended (
    const GstOctCollectedBranch *branch);
/* For a flush: appends to `kept` the events that stay in force. */
void gst_oct_collected_flush (GstOctCollected *self, GQueue *kept);
/* Back to the beginning, with the same branches. */
void gst_oct_collected_reset (GstOctCollected *self);

GstOctCollectedBranch *gst_oct_collected_add (
    GstOctCollected *self, GstPad *pad);
/* NULL: it was removed. */
GstOctCollectedBranch *gst_oct_collected_find (
    GstOctCollected *self, GstPad *pad);
void gst_oct_collected_remove (GstOctCollected *self, GstPad *pad);

/* octscatter begins with `number`: those before do not count. */
void gst_oct_collected_begin (GstOctCollected *self, guint64 number);
/* octscatter says that nothing comes of `number`: FALSE if it can come no more,
 * or is here.  An end waits until it has counted them and says how many
 * branches are stuck, so that losses are reported before the end. */
gboolean gst_oct_collected_lose (GstOctCollected *self, guint64 number);
/* The same of one that was dropped in a branch that goes on: it surely does not
 * come, and no end waits for it. */
gboolean gst_oct_collected_drop (GstOctCollected *self, guint64 number);
void gst_oct_collected_set_stuck (GstOctCollected *self, guint count);
/* The branch has brought all of `number`.  If its turn has passed, as it was
 * given up, it is dropped: it would come out of order. */
void gst_oct_collected_take_done (
    GstOctCollected *self, GstOctCollectedBranch *branch, guint64 number);
/* Takes `made`, the output of `number`. */
void gst_oct_collected_keep (
    GstOctCollected *self, guint64 number, GstOctMade *made);
/* Whether `number` is so far ahead that its branch had better wait. */
gboolean gst_oct_collected_is_ahead (GstOctCollected *self, guint64 number);
/* Whether another branch than those that wait can bring the number that is
 * waited for. */
gboolean gst_oct_collected_may_come (GstOctCollected *self);
/* "sink_1, after valve0": such a branch, or NULL; g_free(). */
char *gst_oct_collected_name_awaited (GstOctCollected *self);

/* octscatter has had its end: `number` is the first that does not come. */
void gst_oct_collected_set_end (GstOctCollected *self, guint64 number);
/* An end of stream, a stream-start, with their seqnums. */
void gst_oct_collected_branch_ends (
    GstOctCollected *self, GstOctCollectedBranch *branch, guint32 seqnum);
void gst_oct_collected_branch_starts (
    GstOctCollected *self, GstOctCollectedBranch *branch, guint32 seqnum);

/* The next output, owned by the caller.  A number that no branch can bring any
 * more is left out.  NULL: nothing yet, or, with *end, once, the end of the
 * stream. */
GstOctMade *gst_oct_collected_take (GstOctCollected *self, gboolean *end);
/* How many numbers were left out up to an end; counts from 0 again. */
guint64 gst_oct_collected_take_missing (GstOctCollected *self);

G_END_DECLS
