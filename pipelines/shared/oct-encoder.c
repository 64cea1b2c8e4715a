/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-encoder.h"

#include <gst/video/video.h>

#define DEFAULT_BITRATE 8000
/* The unit in which files and viewers get the video. */
#define KEY_INTERVAL (GST_SECOND / 3)

/* Buffer of the rate control, in ms of video: short for a network, long for a
 * file. */
#define LOW_DELAY_BUFFER 200
#define FILE_BUFFER 2000

/* In the order in which they are tried.  The properties are those that all
 * versions from 1.22 on have; one that an element lacks is left out. */
static const struct {
  const char *factory, *key_distance, *fixed;
} encoders[] = {
  { "nvh264enc", "gop-size",
      "preset=low-latency-hq rc-mode=cbr zerolatency=true bframes=0" },
  /* zerolatency: nothing is held back, which a crash would lose; superfast:
   * speckle gains 0.1 dB at most from a longer search */
  { "x264enc", "key-int-max",
      "tune=zerolatency speed-preset=superfast pass=cbr bframes=0" },
};

static gboolean
gets_ready (const char *factory)
{
  g_autoptr (GstElement) element = gst_element_factory_make (factory, NULL);
  gboolean ready;

  if (element == NULL)
    return FALSE;
  gst_object_ref_sink (element);
  ready = gst_element_set_state (element, GST_STATE_READY)
          == GST_STATE_CHANGE_SUCCESS;
  gst_element_set_state (element, GST_STATE_NULL);
  return ready;
}

static gint
encoder_choose (GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (encoders); i++)
    if (gets_ready (encoders[i].factory))
      return i;
  g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
      "There is no H.264 encoder: neither nvh264enc (an NVIDIA GPU and "
      "GStreamer's nvcodec plugin) nor x264enc works; install the package "
      "gstreamer1.0-plugins-ugly.");
  return -1;
}

static void
set_if_known (GstElement *element, const char *property, const char *value)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), property))
    gst_util_set_object_arg (G_OBJECT (element), property, value);
}

static void
set_uint (GstElement *element, const char *property, guint value)
{
  g_autofree char *text = g_strdup_printf ("%u", value);

  set_if_known (element, property, text);
}

static void
set_all (GstElement *element, const char *settings)
{
  g_auto (GStrv) pairs = g_strsplit (settings, " ", -1);

  for (guint i = 0; pairs[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (pairs[i], "=", 2);

    set_if_known (element, pair[0], pair[1]);
  }
}

/* The last column and row of odd sizes are cut off. */
static void
crop_odd_size (GstBin *bin, const GstStructure *s)
{
  g_autoptr (GstElement) crop = gst_bin_get_by_name (bin, "crop");
  gint width = 0, height = 0;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  g_object_set (crop, "right", width % 2, "bottom", height % 2, NULL);
}

/* Grey levels fill all of the range.  videoconvert takes them over as they are
 * and marks the video, unless caps say otherwise, as one whose black is 16
 * and white 235: players would cut off the levels below and above. */
static void
keep_range (GstBin *bin, const GstStructure *s)
{
  g_autoptr (GstElement) filter = gst_bin_get_by_name (bin, "yuv");
  const char *format = gst_structure_get_string (s, "format");
  g_autoptr (GstCaps) caps =
      gst_caps_from_string (format != NULL && g_str_has_prefix (format, "GRAY")
                                ? "video/x-raw,format=I420,colorimetry=1:4:0:0"
                                : "video/x-raw,format=I420");

  g_object_set (filter, "caps", caps, NULL);
}

static GstPadProbeReturn
on_caps (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  g_autoptr (GstElement) bin = gst_pad_get_parent_element (pad);
  const GstStructure *s;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS || bin == NULL)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  crop_odd_size (GST_BIN (bin), s);
  keep_range (GST_BIN (bin), s);
  return GST_PAD_PROBE_OK;
}

/* Asks for key frames by time, whatever the rate of the frames: the encoders'
 * own settings count frames and hold from the start on. */
static GstPadProbeReturn
encoder_on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstClockTime time = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  GstClockTime *next = data;

  if (!GST_CLOCK_TIME_IS_VALID (time) || time < *next)
    return GST_PAD_PROBE_OK;
  *next = time + KEY_INTERVAL;
  gst_pad_send_event (
      pad, gst_video_event_new_downstream_force_key_unit (
               time, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, TRUE, 0));
  return GST_PAD_PROBE_OK;
}

static void
add_probes (GstElement *bin, GstElement *encoder, gboolean by_time)
{
  g_autoptr (GstPad) in = gst_element_get_static_pad (bin, "sink");
  g_autoptr (GstPad) frames = gst_element_get_static_pad (encoder, "sink");

  gst_pad_add_probe (
      in, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_caps, NULL, NULL);
  if (by_time)
    gst_pad_add_probe (frames, GST_PAD_PROBE_TYPE_BUFFER, encoder_on_frame,
        g_new0 (GstClockTime, 1), g_free);
}

GstElement *
oct_encoder_new (
    const OctEncoderSettings *settings, const char **name, GError **error)
{
  gint i = encoder_choose (error);
  g_autofree char *description = NULL;
  g_autoptr (GstElement) encoder = NULL;
  GstElement *bin;

  if (i < 0)
    return NULL;
  description = g_strdup_printf (
      "videoconvert ! capsfilter name=yuv caps=video/x-raw,format=I420 ! "
      "videocrop name=crop ! "
      "%s name=encoder ! h264parse config-interval=-1",
      encoders[i].factory);
  bin = gst_parse_bin_from_description_full (
      description, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (bin == NULL)
    return NULL;
  encoder = gst_bin_get_by_name (GST_BIN (bin), "encoder");
  set_all (encoder, encoders[i].fixed);
  set_uint (encoder, "bitrate",
      settings->bitrate != 0 ? settings->bitrate : DEFAULT_BITRATE);
  set_uint (encoder, "vbv-buf-capacity",
      settings->low_delay ? LOW_DELAY_BUFFER : FILE_BUFFER);
  if (settings->key_distance != 0)
    set_uint (encoder, encoders[i].key_distance, settings->key_distance);
  add_probes (bin, encoder, settings->key_distance == 0);
  if (name != NULL)
    *name = encoders[i].factory;
  return bin;
}
