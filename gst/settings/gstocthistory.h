/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The values that an element has found and set by itself, one action after the
 * other, to be undone in the opposite order: each time exactly the last one.
 *
 * Thread-safety: any thread; all but clear() lock the element.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Under the object lock of the element; zeros at first. */
typedef struct {
  GQueue entries;
} GstOctHistory;

/* Adds an action that has set one or several properties; `former` (taken) has a
 * field for each of them with the previous value, a choice by its nick.  Drops
 * the oldest action if there are many.  Any thread. */
void gst_oct_history_push (
    GstOctHistory *history, GstElement *element, GstStructure *former);

/* Sets the values from before the last action, together, and returns them, to
 * be freed.  NULL: there is nothing to undo. */
GstStructure *gst_oct_history_undo (
    GstOctHistory *history, GstElement *element);

/* Drops the last action, which was undone elsewhere. */
void gst_oct_history_drop (GstOctHistory *history, GstElement *element);

void gst_oct_history_clear (GstOctHistory *history);

G_END_DECLS
