/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-playable.h"

#include <gst/gst.h>

static GstPadProbeReturn
playable_on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer frames)
{
  (*(guint64 *)frames)++;
  return GST_PAD_PROBE_OK;
}

guint64
oct_playable_count (const char *path, gboolean mp4)
{
  g_autofree char *description =
      g_strdup_printf ("filesrc name=file ! %s ! fakesink name=frames",
          mp4 ? "qtdemux" : "matroskademux");
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, NULL);
  g_autoptr (GstElement) file = NULL, sink = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstBus) bus = NULL;
  guint64 frames = 0;

  if (pipeline == NULL)
    return 0;
  file = gst_bin_get_by_name (GST_BIN (pipeline), "file");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "frames");
  pad = gst_element_get_static_pad (sink, "sink");
  bus = gst_element_get_bus (pipeline);
  g_object_set (file, "location", path, NULL);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, playable_on_frame, &frames, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  /* a file that is cut off ends in one or the other */
  gst_message_unref (gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return frames;
}
