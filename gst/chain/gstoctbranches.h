/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Distributes buffers and events over the branches of octscatter, also after
 * one has failed.
 *
 * Thread-safety: one thread at a time; octscatter locks.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  GST_OCT_SCATTER_ROUND_ROBIN,
  GST_OCT_SCATTER_LEAST_LOADED,
} GstOctScatterPolicy;

/* An object for one branch to push. */
typedef struct {
  GstMiniObject *object; /* a buffer, or an event */
  guint64 order;         /* in which all of them came, those of all branches */
  gboolean counted;      /* it has a number of its own: */
  guint64 number;
  guint64 previous; /* that its branch got before; G_MAXUINT64: none */
} GstOctShare;

void gst_oct_share_free (GstOctShare *share);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstOctShare, gst_oct_share_free)

typedef struct {
  GstPad *pad;        /* not owned */
  GQueue shares;      /* of GstOctShare, in order */
  guint load;         /* counted ones that wait or are being pushed */
  guint64 passed;     /* order of the last one that was taken */
  GstFlowReturn flow; /* anything but OK: it gets no more */
  gboolean stopped;   /* its thread is to end */
  gboolean stuck;     /* it has failed and lets go nothing that it has */
  gboolean doing;     /* a counted one has been taken and is not done yet: */
  guint64 number;     /* this one */
  guint64 last;       /* the last one that was taken; G_MAXUINT64: none */
  GQueue pushed;      /* of guint64, those that were done last */
} GstOctBranch;

typedef struct {
  GPtrArray *branches; /* of GstOctBranch */
  guint turn;          /* the one that round robin asks first */
  guint64 order, number;
} GstOctBranches;

void gst_oct_branches_init (GstOctBranches *self);
void gst_oct_branches_clear (GstOctBranches *self);
GstOctBranch *gst_oct_branches_add (GstOctBranches *self, GstPad *pad);
GstOctBranch *gst_oct_branches_find (GstOctBranches *self, GstPad *pad);
/* Forgets what waits in all of them, but for events that stay in force;
 * branches that have ended go on, those that have failed do not. */
void gst_oct_branches_flush (GstOctBranches *self);
/* Back to the beginning, with the same branches. */
void gst_oct_branches_reset (GstOctBranches *self);

/* FALSE: all have ended, or are not linked; *flow: why, GST_FLOW_NOT_LINKED
 * without any. */
gboolean gst_oct_branches_are_alive (GstOctBranches *self, GstFlowReturn *flow);

guint gst_oct_branches_count_stuck (GstOctBranches *self);

/* Whether one has something to do that is counted. */
gboolean gst_oct_branches_are_busy (GstOctBranches *self);

/* The next one to get something, of those with less than `most`; NULL: all are
 * full, or have ended. */
GstOctBranch *gst_oct_branches_choose (
    GstOctBranches *self, GstOctScatterPolicy policy, guint most);

/* Gives `branch` the next number of all.  Takes `object`. */
void gst_oct_branches_give (
    GstOctBranches *self, GstOctBranch *branch, GstMiniObject *object);
/* Gives it to all that are alive.  Takes `event`. */
void gst_oct_branches_give_all (GstOctBranches *self, GstEvent *event);
/* Gives it to those that are alive and have nothing to do.  Takes `event`. */
void gst_oct_branches_give_idle (GstOctBranches *self, GstEvent *event);
/* The next one that it is to push, NULL: none. */
GstOctShare *gst_oct_branch_take (GstOctBranch *branch);
/* It could not be pushed, as a flush has begun: it is the next one after that
 * if it stays in force.  Takes `share`. */
void gst_oct_branch_give_back (GstOctBranch *branch, GstOctShare *share);

/* That one has been pushed. */
void gst_oct_branch_done (GstOctBranch *branch);

/* Appends to `dropped`, of guint64, the numbers from `first` to `end` that were
 * pushed into `branch`, which brings them no more: those that no other one has,
 * and that do not wait for it. */
void gst_oct_branches_list_dropped (GstOctBranches *self,
    const GstOctBranch *branch, guint64 first, guint64 end, GArray *dropped);

/* The branch has ended with `flow`: waiting shares go to the others.  Appends
 * to `lost`, of guint64, the numbers of the one that it was doing, and of those
 * of which the settings that they belong to have passed everywhere; to
 * `doubtful` those that were pushed and that a queue in the branch may still
 * have. */
void gst_oct_branches_end (GstOctBranches *self, GstOctBranch *branch,
    GstFlowReturn flow, GArray *lost, GArray *doubtful);
/* It is not there any more; `branch` is gone. */
void gst_oct_branches_remove (
    GstOctBranches *self, GstOctBranch *branch, GArray *lost, GArray *doubtful);

G_END_DECLS
