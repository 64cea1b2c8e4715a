/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The method of octreconstruct, and the change to another one while B-scans
 * pass.
 *
 * A change is made between two B-scans, in the streaming thread.  The next
 * B-scan is a trial: if the new method cannot do it, the previous method gets
 * the same B-scan and stays, and a warning says why.
 *
 * Thread-safety: any thread, unless a function says otherwise.
 */
#pragma once

#include "gstoctchoice.h"
#include "gstoctpath.h"

G_BEGIN_DECLS

typedef struct {
  GstBin *bin; /* octreconstruct; not owned */

  GRecMutex lock; /* for the following; elements in `path` stay the same */
  GstOctPath path;
  GstOctMethod wanted; /* the property */
  gboolean running;    /* B-scans may be on their way */

  gint change_due; /* atomic: with the next B-scan */
  /* Locked for writing while elements are linked again, and for reading by
   * events, queries and changes of state, which must not meet that.  The
   * streaming thread only tries to write: a seek waits for it. */
  GRWLock traffic;
  GThread *changer; /* atomic: the streaming thread during a change */

  /* of the changer, about the trial */
  gboolean delivered; /* A-scans have come */
  GError *problem;
  GstOctPart complained; /* GST_OCT_N_PARTS: none of the elements */
  GstOctChoiceKept kept[GST_OCT_N_PARTS]; /* from before it */
} GstOctMethodSwitch;

/* `self`: zeros.  Makes the elements and links those of the default method. */
void gst_oct_method_switch_init (GstOctMethodSwitch *self, GstBin *bin);
void gst_oct_method_switch_clear (GstOctMethodSwitch *self);

/* Locked, while there are no B-scans: links the method that was set if
 * possible.  FALSE with an error otherwise; then the links are gone if the
 * settings do not go together. */
gboolean gst_oct_method_switch_link (GstOctMethodSwitch *self, GError **error);

/* The method, the output or the axis has been set.  Before the start it is put
 * in force at once, for people to see it, or at the latest on the way to
 * PAUSED; an impossible method may be possible by then.  Later it is put in
 * force with the next B-scan.  Any thread. */
void gst_oct_method_switch_update (GstOctMethodSwitch *self);

/* On the way to READY: no B-scan is to begin a change any more. */
void gst_oct_method_switch_stop (GstOctMethodSwitch *self);
/* In READY: makes a change that no B-scan has come for. */
void gst_oct_method_switch_finish (GstOctMethodSwitch *self);

/* Whether the calling thread is trying another method just now. */
gboolean gst_oct_method_switch_is_trying (GstOctMethodSwitch *self);

/* Keeps the links as they are until gst_oct_method_switch_release(), which gets
 * the returned value: the thread of a change needs no hold. */
gboolean gst_oct_method_switch_hold (GstOctMethodSwitch *self);
void gst_oct_method_switch_release (GstOctMethodSwitch *self, gboolean held);

/* Whether people need not hear of a message, as it speaks only against a method
 * that is being tried, or repeats an error.  In the thread that posts it; the
 * message stays the caller's. */
gboolean gst_oct_method_switch_takes_message (
    GstOctMethodSwitch *self, GstMessage *message);

G_END_DECLS
