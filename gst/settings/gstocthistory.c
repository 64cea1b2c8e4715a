/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstocthistory.h"

/* More than anybody goes back. */
#define MOST 50

void
gst_oct_history_push (
    GstOctHistory *history, GstElement *element, GstStructure *former)
{
  GstStructure *oldest = NULL;

  GST_OBJECT_LOCK (element);
  g_queue_push_tail (&history->entries, former);
  if (history->entries.length > MOST)
    oldest = g_queue_pop_head (&history->entries);
  GST_OBJECT_UNLOCK (element);
  g_clear_pointer (&oldest, gst_structure_free);
}

static GstStructure *
history_pop (GstOctHistory *history, GstElement *element)
{
  GstStructure *last;

  GST_OBJECT_LOCK (element);
  last = g_queue_pop_tail (&history->entries);
  GST_OBJECT_UNLOCK (element);
  return last;
}

static void
history_set (GObject *object, const char *name, const GValue *value)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (object), name);

  if (G_IS_PARAM_SPEC_ENUM (spec))
    gst_util_set_object_arg (object, name, g_value_get_string (value));
  else
    g_object_set_property (object, name, value);
}

GstStructure *
gst_oct_history_undo (GstOctHistory *history, GstElement *element)
{
  GstStructure *last = history_pop (history, element);

  if (last == NULL)
    return NULL;
  g_object_freeze_notify (G_OBJECT (element));
  for (gint i = 0; i < gst_structure_n_fields (last); i++) {
    const char *name = gst_structure_nth_field_name (last, (guint)i);

    history_set (
        G_OBJECT (element), name, gst_structure_get_value (last, name));
  }
  g_object_thaw_notify (G_OBJECT (element));
  return last;
}

void
gst_oct_history_drop (GstOctHistory *history, GstElement *element)
{
  GstStructure *last = history_pop (history, element);

  g_clear_pointer (&last, gst_structure_free);
}

void
gst_oct_history_clear (GstOctHistory *history)
{
  g_queue_clear_full (&history->entries, (GDestroyNotify)gst_structure_free);
}
