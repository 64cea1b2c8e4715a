/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctscatterevents.h"
#include "gstocterror.h"

#define BRANCH "application/x-oct-branch"
/* upstream */
#define MISSED "application/x-oct-scatter-missed"

static const char *const names[] = {
  [GST_OCT_SCATTER_BEGIN] = "application/x-oct-scatter-begin",
  [GST_OCT_SCATTER_DONE] = "application/x-oct-scatter-done",
  [GST_OCT_SCATTER_LOST] = "application/x-oct-scatter-lost",
  [GST_OCT_SCATTER_DROPPED] = "application/x-oct-scatter-dropped",
  [GST_OCT_SCATTER_END] = "application/x-oct-scatter-end",
  [GST_OCT_SCATTER_EVENT] = "application/x-oct-scatter-event",
  [GST_OCT_SCATTER_STUCK] = "application/x-oct-scatter-stuck",
  [GST_OCT_SCATTER_GONE] = "application/x-oct-scatter-gone",
};

GstEvent *
gst_oct_branch_event_new (const char *devices)
{
  GstStructure *branch = gst_structure_new_empty (BRANCH);

  if (devices != NULL)
    gst_structure_set (branch, "devices", G_TYPE_STRING, devices, NULL);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, branch);
}

gboolean
gst_oct_branch_event_is (GstEvent *event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
         && gst_event_has_name (event, BRANCH);
}

/* That of the branch that the element is in: a new reference; NULL: in none. */
static GstEvent *
ref_branch (GstElement *element)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");
  GstEvent *event;

  for (guint i = 0; (event = gst_pad_get_sticky_event (
                         sink, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i))
                    != NULL;
       i++) {
    if (gst_oct_branch_event_is (event))
      return event;
    gst_event_unref (event);
  }
  return NULL;
}

gboolean
gst_oct_branch_allows_volumes (GstElement *element, GError **error)
{
  const char *name = gst_oct_element_type_name (element);
  g_autoptr (GstEvent) branch = ref_branch (element);

  if (branch == NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s needs all B-scans of a volume, but a branch of octscatter gets only "
      "some of them; put %s after octcollect, or in front of octscatter.",
      name, name);
  return FALSE;
}

gboolean
gst_oct_branch_allows_history (GstElement *element, const char *setting,
    const char *instead, GError **error)
{
  g_autoptr (GstEvent) branch = ref_branch (element);

  if (branch == NULL)
    return TRUE;
  gst_oct_branch_refuse_history (element, setting, instead,
      gst_structure_get_string (gst_event_get_structure (branch), "devices"),
      error);
  return FALSE;
}

void
gst_oct_branch_refuse_history (GstElement *element, const char *setting,
    const char *instead, const char *devices, GError **error)
{
  const char *name = gst_oct_element_type_name (element);

  if (devices != NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s of %s depends on the previous B-scans, but devices=%s of "
        "octreconstruct gives each GPU only some of them; %s, or give one GPU "
        "in `devices`.",
        setting, name, devices, instead);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s of %s depends on the previous B-scans, but a branch of octscatter "
        "gets only some of them; put %s in front of octscatter or after "
        "octcollect, or %s.",
        setting, name, name, instead);
}

GstEvent *
gst_oct_scatter_event_new (GstOctScatterKind kind, guint64 number)
{
  /* octcollect may hold up all branches while it waits for lost numbers */
  gboolean at_once = kind == GST_OCT_SCATTER_LOST
                     || kind == GST_OCT_SCATTER_DROPPED
                     || kind == GST_OCT_SCATTER_STUCK;

  return gst_event_new_custom (
      at_once ? GST_EVENT_CUSTOM_DOWNSTREAM_OOB : GST_EVENT_CUSTOM_DOWNSTREAM,
      gst_structure_new (names[kind], "number", G_TYPE_UINT64, number, NULL));
}

GstEvent *
gst_oct_scatter_done_event_new (guint64 number, guint64 previous)
{
  GstEvent *event = gst_oct_scatter_event_new (GST_OCT_SCATTER_DONE, number);

  gst_structure_set (gst_event_writable_structure (event), "previous",
      G_TYPE_UINT64, previous, NULL);
  return event;
}

guint64
gst_oct_scatter_done_event_get_previous (GstEvent *event)
{
  guint64 previous = G_MAXUINT64;

  gst_structure_get_uint64 (
      gst_event_get_structure (event), "previous", &previous);
  return previous;
}

GstEvent *
gst_oct_scatter_missed_event_new (guint64 first, guint64 end)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new (MISSED, "first", G_TYPE_UINT64, first, "end",
          G_TYPE_UINT64, end, NULL));
}

gboolean
gst_oct_scatter_missed_event_parse (
    GstEvent *event, guint64 *first, guint64 *end)
{
  const GstStructure *s = gst_event_get_structure (event);

  return GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM
         && gst_event_has_name (event, MISSED)
         && gst_structure_get_uint64 (s, "first", first)
         && gst_structure_get_uint64 (s, "end", end);
}

GstOctScatterKind
gst_oct_scatter_event_parse (GstEvent *event, guint64 *number)
{
  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_DOWNSTREAM
      && GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_DOWNSTREAM_OOB)
    return GST_OCT_SCATTER_NONE;
  for (guint kind = GST_OCT_SCATTER_BEGIN; kind < G_N_ELEMENTS (names); kind++)
    if (gst_event_has_name (event, names[kind])
        && gst_structure_get_uint64 (
            gst_event_get_structure (event), "number", number))
      return kind;
  return GST_OCT_SCATTER_NONE;
}

char *
gst_oct_scatter_name_pad (GstElement *element, const char *prefix, guint *n)
{
  char *name = NULL;
  GstPad *same;

  do {
    g_free (name);
    name = g_strdup_printf ("%s_%u", prefix, (*n)++);
    same = gst_element_get_static_pad (element, name);
    if (same != NULL)
      gst_object_unref (same);
  } while (same != NULL);
  return name;
}
