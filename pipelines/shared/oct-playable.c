/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-playable.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <unistd.h>

static GstPadProbeReturn
playable_on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer frames)
{
  (*(guint64 *)frames)++;
  return GST_PAD_PROBE_OK;
}

/* Before a pipeline is made, which needs open files of its own. */
static gboolean
can_open (const char *path, GError **error)
{
  int fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);

  if (fd < 0) {
    g_set_error_literal (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        g_strerror (errno));
    return FALSE;
  }
  close (fd);
  return TRUE;
}

/* Takes `message`, the last one of reading a file. */
static gboolean
is_read (GstMessage *message, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &reason, NULL);
  gst_message_unref (message);
  /* a file that is cut off ends in an error, too: of its contents */
  if (reason == NULL || reason->domain != GST_RESOURCE_ERROR)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

gboolean
oct_playable_count (const char *path, gboolean mp4, guint track,
    guint64 *frames, GError **error)
{
  g_autofree char *description =
      g_strdup_printf ("filesrc name=file ! %s name=demux "
                       "demux.video_%u ! fakesink name=frames",
          mp4 ? "qtdemux" : "matroskademux", track);
  g_autoptr (GstElement) pipeline = NULL, file = NULL, sink = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstBus) bus = NULL;
  gboolean read;

  *frames = 0;
  if (!can_open (path, error))
    return FALSE;
  pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (pipeline == NULL)
    return FALSE;
  file = gst_bin_get_by_name (GST_BIN (pipeline), "file");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "frames");
  pad = gst_element_get_static_pad (sink, "sink");
  bus = gst_element_get_bus (pipeline);
  g_object_set (file, "location", path, NULL);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, playable_on_frame, frames, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  read = is_read (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
                      GST_MESSAGE_EOS | GST_MESSAGE_ERROR),
      error);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return read;
}
