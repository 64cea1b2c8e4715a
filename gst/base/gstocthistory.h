/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What an element has found out by itself and set, one action after the other,
 * to be taken back in the opposite order: each time exactly the last one.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Under the object lock of the element; zeros at first. */
typedef struct {
  GQueue entries;
} GstOctHistory;

/* What was put in force is a property or several; `former` (taken) has a field
 * for each of them with the value of before, a choice by its nick.  The oldest
 * are forgotten where there are many.  Any thread. */
void gst_oct_history_push (
    GstOctHistory *history, GstElement *element, GstStructure *former);

/* Sets what was set before the last one, together, and returns it, to be freed.
 * NULL: there is nothing to take back. */
GstStructure *gst_oct_history_undo (
    GstOctHistory *history, GstElement *element);

/* The last one was taken back elsewhere. */
void gst_oct_history_drop (GstOctHistory *history, GstElement *element);

void gst_oct_history_clear (GstOctHistory *history);

G_END_DECLS
