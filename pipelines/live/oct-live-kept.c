/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-kept.h"

#include "oct-launch.h"

#include <gst/app/gstappsrc.h>

/* A slow computer may not fill the memory: some seconds of video. */
#define MOST_WAITING (32 * 1024 * 1024)

struct _OctLiveKept {
  OctLiveStreams *streams;
  guint receiver, seconds;
  GstElement *pipeline, *source, *keep;
  gboolean is_failed, any_failed;
  char *sentence;
};

/* Streaming thread of the encoder. */
static void
kept_take (GstBuffer *buffer, GstCaps *caps, gpointer data)
{
  OctLiveKept *kept = data;
  g_autoptr (GstSample) sample = gst_sample_new (buffer, caps, NULL, NULL);

  if (gst_app_src_get_current_level_bytes (GST_APP_SRC (kept->source))
      < MOST_WAITING)
    gst_app_src_push_sample (GST_APP_SRC (kept->source), sample);
}

OctLiveKept *
oct_live_kept_new (const char *folder, guint file_mode, guint seconds,
    OctLiveStreams *streams, GError **error)
{
  g_autofree char *location = g_build_filename (folder, "kept", NULL);
  g_autoptr (GError) reason = NULL;
  GstElement *pipeline = gst_parse_launch_full (
      "appsrc name=source format=time is-live=true ! h264parse ! "
      "octkeep name=keep async=false",
      NULL, GST_PARSE_FLAG_FATAL_ERRORS, &reason);
  OctLiveKept *kept;

  if (pipeline == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "--keep-seconds cannot be used here: %s; install "
        "gstreamer1.0-plugins-bad.",
        reason->message);
    return NULL;
  }
  /* files that are finished while it stops are told, too */
  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (pipeline), FALSE);
  kept = g_new0 (OctLiveKept, 1);
  kept->streams = streams;
  kept->seconds = seconds;
  kept->pipeline = pipeline;
  kept->source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  kept->keep = gst_bin_get_by_name (GST_BIN (pipeline), "keep");
  g_object_set (kept->keep, "location", location, "file-mode", file_mode,
      "seconds", (double)seconds, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  kept->receiver =
      oct_live_streams_add_receiver (streams, OCT_LIVE_H264, kept_take, kept);
  return kept;
}

static void
kept_set_sentence (OctLiveKept *kept, gboolean is_failed, char *sentence)
{
  if (is_failed)
    g_printerr ("Error: %s\n", sentence);
  kept->is_failed = is_failed;
  kept->any_failed |= is_failed;
  g_free (kept->sentence);
  kept->sentence = sentence;
}

static void
kept_take_message (OctLiveKept *kept, GstMessage *message)
{
  const GstStructure *s = gst_message_get_structure (message);
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL;
  guint64 duration = 0;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    if (!gst_structure_has_name (s, "oct-kept"))
      return;
    name = g_path_get_basename (gst_structure_get_string (s, "location"));
    gst_structure_get_uint64 (s, "duration", &duration);
    kept_set_sentence (kept, FALSE,
        g_strdup_printf (
            "Kept the last %.0f s: %s.", (double)duration / GST_SECOND, name));
    return;
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_error (message, &error, NULL);
  kept_set_sentence (kept, TRUE, g_strdup (error->message));
}

static void
kept_read_bus (OctLiveKept *kept)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (kept->pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus,
              GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))
         != NULL) {
    kept_take_message (kept, message);
    gst_message_unref (message);
  }
}

gboolean
oct_live_kept_keep (OctLiveKept *kept, const char **sentence)
{
  g_autofree char *location = NULL;

  kept_read_bus (kept);
  g_signal_emit_by_name (kept->keep, "keep", &location);
  if (location != NULL)
    return TRUE;
  kept_read_bus (kept);
  *sentence = kept->sentence;
  return FALSE;
}

const char *
oct_live_kept_get_sentence (OctLiveKept *kept, gboolean *failed)
{
  kept_read_bus (kept);
  *failed = kept->is_failed;
  return kept->sentence;
}

guint
oct_live_kept_get_seconds (const OctLiveKept *kept)
{
  return kept->seconds;
}

gboolean
oct_live_kept_free (OctLiveKept *kept)
{
  gboolean complete;

  oct_live_streams_remove_receiver (kept->streams, kept->receiver);
  gst_element_set_state (kept->pipeline, GST_STATE_NULL);
  kept_read_bus (kept);
  complete = !kept->any_failed;
  gst_object_unref (kept->source);
  gst_object_unref (kept->keep);
  gst_object_unref (kept->pipeline);
  g_free (kept->sentence);
  g_free (kept);
  return complete;
}
