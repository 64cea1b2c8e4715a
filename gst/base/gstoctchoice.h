/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which settings of an element are in force.
 *
 * What a user sets does not have to fit: properties are set one after the other
 * while images are made, and files can be missing.  Here, in one place for all
 * elements: what does not fit while the element has other settings is one
 * warning on the bus and the previous ones stay, until what was set changes
 * once more; with nothing before it is an error.  What is set beside it, and
 * has nothing to do with it, is taken all the same.
 */
#pragma once

#include "gstoctproperties.h"

G_BEGIN_DECLS

/* Why an element is asked to make its parameters of settings. */
typedef enum {
  /* for the caps of the next B-scans: nothing is changed, and nothing written
   */
  GST_OCT_FOR_CAPS,
  /* for the caps in force, to see whether they fit */
  GST_OCT_TO_TRY,
  /* the same, and they are used from now on; FALSE leaves what was in use where
   * that can be */
  GST_OCT_TO_USE,
} GstOctPurpose;

typedef gboolean (*GstOctTry) (GstElement *element, gconstpointer settings,
    GstOctPurpose purpose, GError **error);

/* What some settings that are called `group` (or NULL) come to, as "Until then
 * the previous ... are kept."; NULL: they are named as they were set.
 * g_free() */
typedef char *(*GstOctDescribe) (
    GstElement *element, gconstpointer settings, const char *group);

typedef struct {
  GstElement *element; /* not referenced */
  const GstOctProperties *properties;
  GstOctTry try;
  GstOctDescribe describe; /* may be NULL */

  /* under the object lock of the element */
  GstOctSettings *set;    /* the properties */
  GstOctSettings *wanted; /* the same after the last g_object_set() */
  GstOctSettings *caps;   /* what caps were last asked for; NULL: not yet */
  GstOctSettings *former; /* in force; NULL: none yet */
  gboolean stale;         /* caps have to be asked for again */
  guint64 refused;        /* rows that were reported as impossible */

  GstOctSettings *told; /* streaming thread: those that were impossible */
} GstOctChoice;

void gst_oct_choice_init (GstOctChoice *choice, GstElement *element,
    const GstOctProperties *properties, GstOctTry try, GstOctDescribe describe);
void gst_oct_choice_clear (GstOctChoice *choice);
/* For stop(): as before the start, and files are read again. */
void gst_oct_choice_forget (GstOctChoice *choice);

/* What is in force, kept for the case that the element is begun anew. */
typedef struct {
  GstOctSettings *former, *told; /* NULL: none yet */
  guint64 refused;
} GstOctChoiceKept;

/* In the streaming thread.  `kept`: zeros, or of an earlier time. */
void gst_oct_choice_keep (GstOctChoice *choice, GstOctChoiceKept *kept);
/* Puts back what the element has forgotten since, and nothing where it has
 * forgotten nothing. */
void gst_oct_choice_take_back (
    GstOctChoice *choice, const GstOctChoiceKept *kept);
void gst_oct_choice_kept_clear (GstOctChoiceKept *kept);

/* For set_property() and get_property(), row `i`; any thread.  What is set
 * counts after publish(), for dispatch_properties_changed(): what one
 * g_object_set() sets, or is set while the notifications are frozen, counts
 * together. */
void gst_oct_choice_set (GstOctChoice *choice, guint i, const GValue *value);
/* FALSE: nothing was set; *affects_caps: caps can depend on what was. */
gboolean gst_oct_choice_publish (GstOctChoice *choice, gboolean *affects_caps);
void gst_oct_choice_get (GstOctChoice *choice, guint i, GValue *value);
/* What the element has found out, a property that can only be read: the member
 * of `size` bytes at `offset`.  Notifies where it is another value. */
void gst_oct_choice_set_found (
    GstOctChoice *choice, gsize offset, gconstpointer value, gsize size);

/* What caps are made of: any thread. */
GstOctSettings *gst_oct_choice_ref (GstOctChoice *choice);
/* What was set last, in force or not yet, and perhaps never: any thread. */
GstOctSettings *gst_oct_choice_ref_wanted (GstOctChoice *choice);
/* Caps depend on more than the properties, and that has changed. */
void gst_oct_choice_set_stale (GstOctChoice *choice);
gboolean gst_oct_choice_is_stale (GstOctChoice *choice);

/* In the streaming thread before caps are negotiated: chooses the settings that
 * they are made of.  Says nothing where there are none that fit. */
void gst_oct_choice_negotiate (GstOctChoice *choice);

/* In the streaming thread before a B-scan: puts the settings in force that fit.
 * Those that were set since caps were asked for wait where caps depend on them.
 * FALSE with an error when nothing fits. */
gboolean gst_oct_choice_configure (GstOctChoice *choice, GError **error);

G_END_DECLS
