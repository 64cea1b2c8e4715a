/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The operation of one element: its settings, and how it is done to a B-scan:
 * at once, together with pending steps, or later by a downstream element.
 *
 * Settings that make a step (oct-step.h) get a plan only if the element runs
 * the operation alone; all others have a plan from the start, which keeps the
 * history.
 *
 * Thread-safety: the streaming thread alone, between gst_oct_access_enter() and
 * leave().
 */
#pragma once

#include "gstoctaccess.h"
#include "gstoctpending.h"

G_BEGIN_DECLS

typedef struct _GstOctOperator GstOctOperator;

/* `owner`: not referenced. */
GstOctOperator *gst_oct_operator_new (
    GstElement *owner, const OctBackend *backend);
void gst_oct_operator_free (GstOctOperator *op);

/* Stores settings, and keeps the history if the backend can.  Makes all that
 * they need before it frees the previous ones.  FALSE with an error when they
 * make no sense or no plan can be made: the previous ones stay then, but a
 * backend may have begun to change a plan with a history, so set them again. */
gboolean gst_oct_operator_set (GstOctOperator *op, OctOperation operation,
    gconstpointer params, GError **error);
gboolean gst_oct_operator_is_set (GstOctOperator *op);

/* Whether the settings make sense, without making anything of them. */
gboolean gst_oct_operator_check (
    OctOperation operation, gconstpointer params, GError **error);

/* See OctOperationTable; 0 if nothing is found. */
double gst_oct_operator_get_found (GstOctOperator *op);

/* A-lines so far, by their kind, see OctOperationTable: zeros where
 * nothing is counted. */
void gst_oct_operator_get_counts (
    GstOctOperator *op, guint64 counts[OCT_MOST_COUNTS]);

/* Asks for the range that the next B-scan is shown with; take_range() gives it
 * once, after that B-scan.  FALSE: it was not asked for, or there is none. */
void gst_oct_operator_want_range (GstOctOperator *op);
gboolean gst_oct_operator_take_range (GstOctOperator *op, double range[2]);

/* Forgets the history, as after a seek. */
void gst_oct_operator_reset (GstOctOperator *op);
/* Forgets everything, as after an error. */
void gst_oct_operator_clear (GstOctOperator *op);

/* Whether the operation can be left to a downstream element; after set(). */
gboolean gst_oct_operator_can_defer (GstOctOperator *op, GstOctAccess *access);

/* Memory for the result of `in`, a B-scan of `info`, that is not computed yet;
 * a value that is needed at once (the mean) is.  NULL with an error. */
GstMemory *gst_oct_operator_defer (GstOctOperator *op, GstOctAccess *access,
    const GstOctInfo *info, GstBuffer *in, GError **error);

/* Does the operation on `in`, and what is pending there.  `out`: see
 * gst_oct_access_begin().  FALSE with an error, and in *failed the element that
 * it belongs to (a reference) if that is another one. */
gboolean gst_oct_operator_run (GstOctOperator *op, GstOctAccess *access,
    GstBuffer *in, GstBuffer *const *out, GstElement **failed, GError **error);

G_END_DECLS
