/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctscatterevents.h"
#include "gstocterror.h"

#define BRANCH "application/x-oct-branch"

static const char *const names[] = {
  [GST_OCT_SCATTER_BEGIN] = "application/x-oct-scatter-begin",
  [GST_OCT_SCATTER_DONE] = "application/x-oct-scatter-done",
  [GST_OCT_SCATTER_LOST] = "application/x-oct-scatter-lost",
  [GST_OCT_SCATTER_END] = "application/x-oct-scatter-end",
};

GstEvent *
gst_oct_branch_event_new (void)
{
  return gst_event_new_custom (
      GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, gst_structure_new_empty (BRANCH));
}

gboolean
gst_oct_branch_event_is (GstEvent *event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
         && gst_event_has_name (event, BRANCH);
}

static gboolean
is_in_branch (GstElement *element)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");
  gboolean found = FALSE;
  GstEvent *event;

  for (guint i = 0; !found
                    && (event = gst_pad_get_sticky_event (
                            sink, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i))
                           != NULL;
       i++) {
    found = gst_oct_branch_event_is (event);
    gst_event_unref (event);
  }
  return found;
}

gboolean
gst_oct_branch_allows_volumes (GstElement *element, GError **error)
{
  const char *name = gst_oct_element_type_name (element);

  if (!is_in_branch (element))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s needs all B-scans of a volume, and a branch of octscatter brings "
      "only some of them; put %s behind octcollect, or in front of octscatter.",
      name, name);
  return FALSE;
}

gboolean
gst_oct_branch_allows_history (GstElement *element, const char *setting,
    const char *instead, GError **error)
{
  gboolean allowed = !is_in_branch (element);

  if (!allowed)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s of %s goes by the B-scans before, and a branch of octscatter "
        "brings "
        "only some of them; put %s in front of octscatter or behind "
        "octcollect, or %s.",
        setting, gst_oct_element_type_name (element),
        gst_oct_element_type_name (element), instead);
  return allowed;
}

GstEvent *
gst_oct_scatter_event_new (GstOctScatterKind kind, guint64 number)
{
  /* who waits for what is lost may hold up all branches */
  return gst_event_new_custom (kind == GST_OCT_SCATTER_LOST
                                   ? GST_EVENT_CUSTOM_DOWNSTREAM_OOB
                                   : GST_EVENT_CUSTOM_DOWNSTREAM,
      gst_structure_new (names[kind], "number", G_TYPE_UINT64, number, NULL));
}

GstOctScatterKind
gst_oct_scatter_event_parse (GstEvent *event, guint64 *number)
{
  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_DOWNSTREAM
      && GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_DOWNSTREAM_OOB)
    return GST_OCT_SCATTER_NONE;
  for (guint kind = GST_OCT_SCATTER_BEGIN; kind <= GST_OCT_SCATTER_END; kind++)
    if (gst_event_has_name (event, names[kind])
        && gst_structure_get_uint64 (
            gst_event_get_structure (event), "number", number))
      return kind;
  return GST_OCT_SCATTER_NONE;
}
