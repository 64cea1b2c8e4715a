/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Messages of octscatter to octcollect, and to the elements in its branches:
 * events that travel in order with the data.
 *
 * octscatter numbers the buffers that it hands out.  After each buffer it sends
 * "done" with the number down the same branch: all output of the branch before
 * that event was made of that buffer, one, several or none.  So octcollect
 * knows the order without any mark on buffers, which elements may replace.
 * Before each event that all branches get it sends "event", so that one of them
 * goes on.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Sticky, first of all in every branch: it is one of octscatter's.  `devices`:
 * "0,1" if octreconstruct has built the branches for these GPUs, or NULL. */
GstEvent *gst_oct_branch_event_new (const char *devices);
gboolean gst_oct_branch_event_is (GstEvent *event);

/* For settings with a history of the B-scans before: FALSE with an error in a
 * branch, which sees only some of them.  `setting`: "range-smoothing";
 * `instead`: what to set in its place, "set range-smoothing=0". */
gboolean gst_oct_branch_allows_history (GstElement *element,
    const char *setting, const char *instead, GError **error);
/* That error, OCT_ERROR_SETTINGS, also before there is a stream; `devices` as
 * above. */
void gst_oct_branch_refuse_history (GstElement *element, const char *setting,
    const char *instead, const char *devices, GError **error);

/* For elements that make something of whole volumes, once the first buffer is
 * there: FALSE with OCT_ERROR_SETTINGS in a branch. */
gboolean gst_oct_branch_allows_volumes (GstElement *element, GError **error);

typedef enum {
  GST_OCT_SCATTER_NONE,  /* another event */
  GST_OCT_SCATTER_BEGIN, /* numbers before that one are void, as after a seek */
  GST_OCT_SCATTER_DONE,  /* all that was made of that number has come */
  GST_OCT_SCATTER_LOST, /* of a branch that failed: nothing comes; out of order;
                         * octcollect uses it if it waits for it */
  GST_OCT_SCATTER_DROPPED, /* in a branch: nothing comes; out of order */
  GST_OCT_SCATTER_END,     /* numbers end before that one */
  GST_OCT_SCATTER_EVENT,   /* the next event is that one of all branches */
  GST_OCT_SCATTER_GONE,    /* of a branch that failed: it brings nothing more */
  GST_OCT_SCATTER_STUCK,   /* so many that failed do not let that go on; out of
                          * order */
} GstOctScatterKind;

GstEvent *gst_oct_scatter_event_new (GstOctScatterKind kind, guint64 number);
GstOctScatterKind gst_oct_scatter_event_parse (
    GstEvent *event, guint64 *number);

/* Those of GST_OCT_SCATTER_DONE say which number the branch got before,
 * G_MAXUINT64 for none: one that did not come was dropped in the branch with
 * its event, as a valve does and a leaky queue. */
GstEvent *gst_oct_scatter_done_event_new (guint64 number, guint64 previous);
guint64 gst_oct_scatter_done_event_get_previous (GstEvent *event);
/* Upstream, from octcollect, about the branch that it goes through: the branch
 * brings no more numbers from `first` on and before `end`. */
GstEvent *gst_oct_scatter_missed_event_new (guint64 first, guint64 end);
gboolean gst_oct_scatter_missed_event_parse (
    GstEvent *event, guint64 *first, guint64 *end);

/* For a pad of a request without a name: "src_2", which no pad has that was
 * asked for by its name.  *n: where to begin; it goes on. */
char *gst_oct_scatter_name_pad (
    GstElement *element, const char *prefix, guint *n);

G_END_DECLS
