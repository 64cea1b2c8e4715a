/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which encoder is chosen where which works, and that the one of this machine
 * takes every image and delivers what files and viewers need.
 */
#include "oct-encoder.h"

#include <string.h>

static const char *
choose (GError **error)
{
  const OctEncoderSettings settings = { 0 };
  const char *name = NULL;
  GstElement *bin = oct_encoder_new (&settings, &name, error);

  if (bin != NULL)
    gst_object_unref (gst_object_ref_sink (bin));
  return name;
}

/* With x264enc under the name of each encoder that is to work, and without the
 * others. */
static void
test_choice (void)
{
  g_autoptr (GstElementFactory) x264 = gst_element_factory_find ("x264enc");
  g_autoptr (GstElementFactory) nv = gst_element_factory_find ("nvh264enc");
  GstRegistry *registry = gst_registry_get ();
  g_autoptr (GstPluginFeature) loaded =
      gst_plugin_feature_load (GST_PLUGIN_FEATURE (x264));
  GType type =
      gst_element_factory_get_element_type (GST_ELEMENT_FACTORY (loaded));
  g_autoptr (GstElementFactory) ours = NULL;
  GError *error = NULL;

  if (nv != NULL)
    gst_registry_remove_feature (registry, GST_PLUGIN_FEATURE (nv));
  g_assert_cmpstr (choose (&error), ==, "x264enc");
  gst_element_register (NULL, "nvh264enc", GST_RANK_NONE, type);
  ours = gst_element_factory_find ("nvh264enc");
  g_assert_cmpstr (choose (&error), ==, "nvh264enc");
  gst_registry_remove_feature (registry, GST_PLUGIN_FEATURE (x264));
  g_assert_cmpstr (choose (&error), ==, "nvh264enc");
  g_assert_no_error (error);
  gst_registry_remove_feature (registry, GST_PLUGIN_FEATURE (ours));
  g_assert_null (choose (&error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "gstreamer1.0-plugins-ugly"));
  g_assert_true (g_str_has_suffix (error->message, "."));
  g_clear_error (&error);
  gst_registry_add_feature (registry, GST_PLUGIN_FEATURE (x264));
  if (nv != NULL)
    gst_registry_add_feature (registry, GST_PLUGIN_FEATURE (nv));
}

/* GStreamer's answer for this machine: the encoder that is chosen starts. */
static void
test_this_machine (void)
{
  g_autoptr (GError) error = NULL;
  const char *factory = choose (&error);
  GstElement *element;

  g_assert_no_error (error);
  g_test_message ("%s", factory);
  element = gst_element_factory_make (factory, NULL);
  g_assert_nonnull (element);
  gst_object_ref_sink (element);
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_READY), ==,
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

typedef struct {
  guint frames, keys;
  gint width, height;
  char range[32];                /* what the video says of its values */
  GstClockTime last_key, widest; /* between key frames */
} Result;

static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstStructure *s = gst_caps_get_structure (caps, 0);
  Result *result = data;

  gst_structure_get_int (s, "width", &result->width);
  gst_structure_get_int (s, "height", &result->height);
  g_strlcpy (result->range, gst_structure_get_string (s, "colorimetry"),
      sizeof result->range);
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
    if (result->keys++ > 0)
      result->widest =
          MAX (result->widest, GST_BUFFER_PTS (buffer) - result->last_key);
    result->last_key = GST_BUFFER_PTS (buffer);
  }
  result->frames++;
  return GST_PAD_PROBE_OK;
}

static Result
encode (const OctEncoderSettings *settings, const char *caps, guint frames)
{
  g_autofree char *launch = g_strdup_printf (
      "videotestsrc num-buffers=%u ! capsfilter caps=video/x-raw,%s", frames,
      caps);
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *source = gst_parse_bin_from_description (launch, TRUE, NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  g_autoptr (GError) error = NULL;
  GstElement *encoder = oct_encoder_new (settings, NULL, &error);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  Result result = { 0 };

  g_assert_no_error (error);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &result, NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, encoder, sink, NULL);
  g_assert_true (gst_element_link_many (source, encoder, sink, NULL));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return result;
}

/* Whatever octlogscale delivers, odd sizes included. */
static void
test_every_image (void)
{
  const struct {
    const char *caps;
    gint width, height;
  } cases[] = {
    { "format=GRAY8,width=101,height=77,framerate=30/1", 100, 76 },
    { "format=GRAY8,width=100,height=77,framerate=30/1", 100, 76 },
    { "format=GRAY16_LE,width=101,height=64,framerate=30/1", 100, 64 },
    { "format=NV12,width=160,height=120,framerate=30/1", 160, 120 },
  };
  const OctEncoderSettings settings = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Result result = encode (&settings, cases[i].caps, 5);

    g_assert_cmpuint (result.frames, ==, 5);
    g_assert_cmpint (result.width, ==, cases[i].width);
    g_assert_cmpint (result.height, ==, cases[i].height);
  }
}

/* Players show what the source meant: grey levels from 0 to 255, which leave
 * videoconvert as they are, and a camera's from 16 to 235. */
static void
test_range (void)
{
  const struct {
    const char *caps, *range;
  } cases[] = {
    { "format=GRAY8", "1:4:0:0" },
    { "format=GRAY8,colorimetry=1:4:0:0", "1:4:0:0" },
    { "format=GRAY16_LE", "1:4:0:0" },
    { "format=NV12,colorimetry=1:4:0:0", "1:4:0:0" },
    { "format=I420,colorimetry=bt709", "bt709" },
    { "format=I420,colorimetry=bt601", "bt601" },
  };
  const OctEncoderSettings settings = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *caps =
        g_strconcat (cases[i].caps, ",width=64,height=64,framerate=30/1", NULL);
    Result result = encode (&settings, caps, 2);

    g_assert_cmpstr (result.range, ==, cases[i].range);
  }
}

/* Three a second at any rate: that is what a crash may cost. */
static void
test_key_frames (void)
{
  const OctEncoderSettings by_time = { .low_delay = TRUE };
  const OctEncoderSettings by_count = { .key_distance = 4 };
  const guint rates[] = { 10, 30, 120 };
  Result result;

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    g_autofree char *caps = g_strdup_printf (
        "format=GRAY8,width=64,height=64,framerate=%u/1", rates[i]);

    result = encode (&by_time, caps, rates[i] * 3);
    g_assert_cmpuint (result.frames, ==, rates[i] * 3);
    g_assert_cmpuint (
        result.widest, <=, GST_SECOND / 3 + GST_SECOND / rates[i]);
  }
  result =
      encode (&by_count, "format=GRAY8,width=64,height=64,framerate=30/1", 40);
  g_assert_cmpuint (result.keys, ==, 10);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/encoder/choice", test_choice);
  g_test_add_func ("/encoder/this-machine", test_this_machine);
  g_test_add_func ("/encoder/every-image", test_every_image);
  g_test_add_func ("/encoder/range", test_range);
  g_test_add_func ("/encoder/key-frames", test_key_frames);
  return g_test_run ();
}
