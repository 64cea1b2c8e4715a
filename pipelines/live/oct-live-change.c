/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-change.h"

/* What a change needs, kept until the pad has no buffer under way. */
typedef struct {
  GstElement *pipeline, *before, *old, *chain, *after;
} Change;

static void
free_change (gpointer data)
{
  Change *change = data;

  gst_object_unref (change->pipeline);
  gst_object_unref (change->before);
  gst_object_unref (change->old);
  gst_object_unref (change->chain);
  gst_object_unref (change->after);
  g_free (change);
}

static GstPadProbeReturn
on_idle (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Change *change = data;

  gst_element_unlink (change->before, change->old);
  gst_element_unlink (change->old, change->after);
  gst_element_set_state (change->old, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (change->pipeline), change->old);
  gst_bin_add (GST_BIN (change->pipeline), change->chain);
  if (!gst_element_link (change->chain, change->after)
      || !gst_element_sync_state_with_parent (change->chain)
      || !gst_element_link (change->before, change->chain))
    GST_ELEMENT_ERROR (change->pipeline, CORE, NEGOTIATION,
        ("The reconstruction cannot be changed to this method."), (NULL));
  return GST_PAD_PROBE_REMOVE;
}

static gboolean
fits (GstPad *before, GstElement *chain)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (chain, "sink");
  g_autoptr (GstCaps) taken = gst_pad_query_caps (sink, NULL);
  g_autoptr (GstCaps) given = gst_pad_get_current_caps (before);

  return given == NULL || gst_caps_can_intersect (given, taken);
}

gboolean
oct_live_chain_replace (GstElement *pipeline, GstElement *before,
    GstElement *old, GstElement *chain, GstElement *after, GError **error)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (before, "src");
  Change *change;

  gst_object_ref_sink (chain);
  if (!fits (pad, chain)) {
    gst_object_unref (chain);
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "This reconstruction does not take these spectra; choose another one.");
    return FALSE;
  }
  change = g_new (Change, 1);
  change->pipeline = gst_object_ref (pipeline);
  change->before = gst_object_ref (before);
  change->old = gst_object_ref (old);
  change->chain = chain;
  change->after = gst_object_ref (after);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_IDLE, on_idle, change, free_change);
  return TRUE;
}
