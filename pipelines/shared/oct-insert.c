/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-insert.h"
#include "oct/oct.h"

/* Waiting B-scans go on faster, by a tenth of the time. */
#define HURRY 10
#define PACED                                                                  \
  "%s ! queue name=paced leaky=downstream max-size-bytes=0 max-size-time=0 "   \
  "max-size-buffers=%u"

/* Time of the B-scans that a part delivers: thread of its queue. */
typedef struct {
  gint64 begun; /* monotonic, us: first B-scan of the volume */
  GstClockTime first;
} Pace;

guint
oct_insert_get_bscan (GstBuffer *buffer)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  guint bscan = 0;

  if (meta != NULL)
    gst_structure_get_uint (
        gst_custom_meta_get_structure (meta), GST_OCT_SCAN_BSCAN, &bscan);
  return bscan;
}

static GstPadProbeReturn
insert_on_paced (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Pace *pace = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTime time = GST_BUFFER_PTS (buffer);
  gint64 now = g_get_monotonic_time (), wait;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return GST_PAD_PROBE_OK;
  if (oct_insert_get_bscan (buffer) == 0 || time < pace->first) {
    pace->begun = now;
    pace->first = time;
    return GST_PAD_PROBE_OK;
  }
  wait = (gint64)((time - pace->first) / GST_USECOND);
  wait = pace->begun + wait - wait / HURRY - now;
  if (wait > 0)
    g_usleep ((gulong)MIN (wait, G_USEC_PER_SEC));
  return GST_PAD_PROBE_OK;
}

GstElement *
oct_insert_make_paced (const char *line, guint most)
{
  g_autofree char *description = g_strdup_printf (PACED, line, most);
  GstElement *part = gst_parse_bin_from_description (description, TRUE, NULL);
  g_autoptr (GstElement) queue = NULL;
  g_autoptr (GstPad) paced = NULL;

  if (part == NULL)
    return NULL;
  queue = gst_bin_get_by_name (GST_BIN (part), "paced");
  paced = gst_element_get_static_pad (queue, "src");
  gst_pad_add_probe (paced, GST_PAD_PROBE_TYPE_BUFFER, insert_on_paced,
      g_new0 (Pace, 1), g_free);
  return part;
}

static void
insert_take_out (OctInsert *insert)
{
  GstElement *part = g_steal_pointer (&insert->part);

  if (part == NULL) {
    gst_element_unlink (insert->before, insert->after);
    return;
  }
  gst_element_unlink (insert->before, part);
  gst_element_unlink (part, insert->after);
  gst_element_set_locked_state (part, TRUE);
  gst_element_set_state (part, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (GST_OBJECT_PARENT (part)), part);
}

void
oct_insert_change (OctInsert *insert, GstElement *part)
{
  insert_take_out (insert);
  if (part == NULL) {
    gst_element_link_pads (insert->before, "src", insert->after, "sink");
    return;
  }
  insert->part = part;
  gst_bin_add (GST_BIN (GST_OBJECT_PARENT (insert->before)), part);
  gst_element_link_pads (part, "src", insert->after, "sink");
  gst_element_sync_state_with_parent (part);
  gst_element_link_pads (insert->before, "src", part, "sink");
}

GstPadProbeReturn
oct_insert_push_again (GstPad *pad, GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  GST_PAD_PROBE_INFO_FLOW_RETURN (info) =
      gst_pad_push (pad, gst_buffer_ref (buffer));
  gst_buffer_unref (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  return GST_PAD_PROBE_HANDLED;
}
