/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which settings of an element are in force.
 *
 * The settings of a user do not have to fit: properties are set one after the
 * other while images are made, and files can be missing.  One rule for all
 * elements: settings that do not fit are one warning on the bus and the
 * previous ones stay, until the settings change once more; without previous
 * ones they are an error.  Other settings that were set at the same time and do
 * not depend on them are used all the same.
 *
 * Thread-safety: any thread, unless a function says otherwise.
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
  /* the same, and they are used from now on; FALSE leaves the previous ones in
   * use if possible */
  GST_OCT_TO_USE,
} GstOctPurpose;

typedef gboolean (*GstOctTry) (GstElement *element, gconstpointer settings,
    GstOctPurpose purpose, GError **error);

/* The sentence of a warning on the settings in force that are called `group`
 * (or NULL), as "The previous range stays in use until then: ..."; NULL: the
 * usual one, which lists them.  g_free() */
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
  GstOctSettings *caps;   /* with which caps were last asked for; NULL: none */
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

/* The settings in force, kept in case the element is started again. */
typedef struct {
  GstOctSettings *former, *told; /* NULL: none yet */
  guint64 refused;
} GstOctChoiceKept;

/* In the streaming thread.  `kept`: zeros, or of an earlier time. */
void gst_oct_choice_keep (GstOctChoice *choice, GstOctChoiceKept *kept);
/* Restores the settings that the element has forgotten since; does nothing if
 * it has forgotten none. */
void gst_oct_choice_take_back (
    GstOctChoice *choice, const GstOctChoiceKept *kept);
void gst_oct_choice_kept_clear (GstOctChoiceKept *kept);

/* For set_property() and get_property(), row `i`; any thread.  A new value
 * counts after publish(), for dispatch_properties_changed(): all values of one
 * g_object_set(), or set while notifications are frozen, count together. */
void gst_oct_choice_set (GstOctChoice *choice, guint i, const GValue *value);
/* FALSE: nothing was set; *affects_caps: caps can depend on the new values. */
gboolean gst_oct_choice_publish (GstOctChoice *choice, gboolean *affects_caps);
void gst_oct_choice_get (GstOctChoice *choice, guint i, GValue *value);
/* Stores a result of the element, a property that can only be read, in the
 * member of `size` bytes at `offset`.  Notifies if the value has changed. */
void gst_oct_choice_set_found (
    GstOctChoice *choice, gsize offset, gconstpointer value, gsize size);

/* The settings that caps are made of: any thread. */
GstOctSettings *gst_oct_choice_ref (GstOctChoice *choice);
/* The settings that were set last, in force or not yet, and perhaps never: any
 * thread. */
GstOctSettings *gst_oct_choice_ref_wanted (GstOctChoice *choice);
/* Caps depend on more than the properties, and that has changed. */
void gst_oct_choice_set_stale (GstOctChoice *choice);
gboolean gst_oct_choice_is_stale (GstOctChoice *choice);

/* In the streaming thread before caps are negotiated: chooses the settings that
 * they are made of.  Reports nothing if none fit. */
void gst_oct_choice_negotiate (GstOctChoice *choice);

/* In the streaming thread before a B-scan: puts the settings in force that fit.
 * Those that were set since caps were asked for wait if caps depend on them.
 * FALSE with an error when nothing fits. */
gboolean gst_oct_choice_configure (GstOctChoice *choice, GError **error);

G_END_DECLS
