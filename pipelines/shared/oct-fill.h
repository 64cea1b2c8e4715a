/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Fills in the A-lines that a scan leaves out, in a pipeline that runs:
 * octvolumecs is put after the A-scans as soon as the source announces that
 * there are such (GST_OCT_SCAN_MASK_EVENT_NAME), and never if it does not.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Choices for people: methods of octvolumecs, and not to fill in. */
#define OCT_FILL_OFF "off"
#define OCT_FILL_DEFAULT "linear"

typedef struct {
  const char *id;    /* on command lines and in messages */
  const char *label; /* on pages */
} OctFillWay;

/* All of them; the last one has no id. */
const OctFillWay *oct_fill_ways (void);
/* The id of that name, static, or NULL. */
const char *oct_fill_find (const char *name);
/* Their names, as "linear, joint, auto, off"; to free. */
char *oct_fill_list (void);

typedef struct _OctFill OctFill;

/* Streaming thread: the source leaves A-lines out. */
typedef void (*OctFillMasked) (gpointer data);

/* Between the elements `before` and `after`, of one bin and linked by their
 * pads "src" and "sink"; `way`: one of oct_fill_find().  `masked`: or NULL.
 * Freed with `before`.  B-scans come a volume later if they are filled in, as
 * evenly as they were taken. */
OctFill *oct_fill_new (GstElement *before, GstElement *after, const char *way,
    OctFillMasked masked, gpointer data);

/* From the next volume on.  Any thread. */
void oct_fill_set (OctFill *fill, const char *way);

/* Whether a message "oct-volume-cs" is of our octvolumecs, and whether it was
 * left to that to choose a method. */
gboolean oct_fill_is_from (OctFill *fill, GstMessage *message);
gboolean oct_fill_is_chosen (OctFill *fill);

G_END_DECLS
