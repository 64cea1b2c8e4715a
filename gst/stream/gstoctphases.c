/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctphases.h"

#include "oct-background-modes.h"

#define QUERY_NAME "oct-removed-background"
#define FIELD "mode"

/* The mean of other A-lines has a part of the sample in it. */
static gboolean
phases_are_kept (OctBackgroundMode mode)
{
  switch (mode) {
  case OCT_BACKGROUND_STORED:
  case OCT_BACKGROUND_STORED_SCALED:
  case OCT_BACKGROUND_A_LINE:
  case OCT_BACKGROUND_NONE:
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean
gst_oct_phases_answer (GstQuery *query, OctBackgroundMode mode)
{
  const GstStructure *fields = gst_query_get_structure (query);

  if (GST_QUERY_TYPE (query) != GST_QUERY_CUSTOM || fields == NULL
      || !gst_structure_has_name (fields, QUERY_NAME))
    return FALSE;
  gst_structure_set (gst_query_writable_structure (query), FIELD, G_TYPE_INT,
      (gint)mode, NULL);
  return TRUE;
}

void
gst_oct_phases_check (GstBaseTransform *trans, gboolean *asked)
{
  GstQuery *query;
  gint mode = OCT_BACKGROUND_NONE;

  if (*asked)
    return;
  *asked = TRUE;
  query = gst_query_new_custom (
      GST_QUERY_CUSTOM, gst_structure_new_empty (QUERY_NAME));
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (trans), query))
    gst_structure_get_int (gst_query_get_structure (query), FIELD, &mode);
  gst_query_unref (query);
  if (phases_are_kept (mode))
    return;
  GST_ELEMENT_WARNING (trans, STREAM, FORMAT,
      ("octdcsub removes what A-lines have in common (mode=%s), and changes "
       "the phases of a sample that looks alike in many of them; set `mode` of "
       "octdcsub or octreconstruct to background, or to a-line.",
          oct_background_modes[mode].nick),
      (NULL));
}
