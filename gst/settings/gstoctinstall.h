/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Installs tables of properties in the class of an element and answers
 * g_object_set() and g_object_get() for them.  A property for the time before
 * the start is refused with a warning while the element runs
 * (gst_oct_element_refuses_property()).
 */
#pragma once

#include "gstoctchoice.h"

G_BEGIN_DECLS

/* A table over a struct of the element. */
typedef struct {
  const GstOctProperties *properties;
  /* From the object to the struct, bytes. */
  gssize offset;
  /* The lock of the struct; NULL: the object lock. */
  GMutex *(*get_lock) (GObject *object);
  /* May be NULL; both are called under that lock: after a row was set, before
   * one is read. */
  void (*changed) (GObject *object, const GstOctProperty *row);
  void (*refresh) (GObject *object);
} GstOctHolder;

/* A table over the GstOctChoice of the element. */
typedef struct {
  GstOctChoice *(*find) (GObject *object);
  /* Without locks, after all that one g_object_set() has set was published. */
  void (*changed) (GObject *object, gboolean affects_caps);
} GstOctChooser;

/* Installs every row; the identifiers count from `first_id`.  Returns the next
 * one.  All arguments but `klass` are static. */
guint gst_oct_holder_install (
    const GstOctHolder *holder, GObjectClass *klass, guint first_id);
guint gst_oct_chooser_install (const GstOctChooser *chooser,
    const GstOctProperties *properties, GObjectClass *klass, guint first_id);

/* The functions that the two above have put into the class, for an element that
 * has another property as well. */
void gst_oct_installed_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void gst_oct_installed_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
