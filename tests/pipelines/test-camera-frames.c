/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Camera frames that the programs and octgather keep are not overwritten,
 * however long they keep them: frames of Aravis' fake camera, with few buffers.
 * Skipped when Aravis is not installed.
 */
#include "oct-launch.h"
#include "oct-record-pipeline.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define ARAVIS "libaravis-0.8.so.0"
#define CAMERA "aravissrc camera-name=Fake_1 num-arv-buffers=5 ! " CAPS
#define CAPS "video/x-raw,format=GRAY8,width=256,height=64,framerate=50/1"
/* Held while the camera fills its buffers again and again. */
#define FRAMES 20

typedef struct {
  GstElement *pipeline;
  GMutex lock;
  GCond all;
  GPtrArray *held; /* GstBuffer */
  GPtrArray *sums; /* of each, when it came */
} Keeper;

static char *
sum_up (GstBuffer *buffer)
{
  GstMapInfo map;
  char *sum;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_assert_cmpuint (map.size, ==, 256 * 64);
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return sum;
}

static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Keeper *keeper = data;

  g_mutex_lock (&keeper->lock);
  if (keeper->held->len < FRAMES) {
    g_ptr_array_add (keeper->held, gst_buffer_ref (buffer));
    g_ptr_array_add (keeper->sums, sum_up (buffer));
  }
  g_cond_signal (&keeper->all);
  g_mutex_unlock (&keeper->lock);
  return GST_PAD_PROBE_OK;
}

/* As oct-tap does: what passes the pad is kept, not copied. */
static void
check_frames (GstElement *pipeline, GstPad *pad)
{
  gint64 until = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  Keeper keeper = { .pipeline = pipeline };
  guint different = 0;

  keeper.held =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);
  keeper.sums = g_ptr_array_new_with_free_func (g_free);
  g_mutex_init (&keeper.lock);
  g_cond_init (&keeper.all);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &keeper, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_mutex_lock (&keeper.lock);
  while (keeper.held->len < FRAMES)
    g_assert_true (g_cond_wait_until (&keeper.all, &keeper.lock, until));
  g_mutex_unlock (&keeper.lock);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (guint i = 0; i < FRAMES; i++) {
    g_autofree char *sum = sum_up (g_ptr_array_index (keeper.held, i));

    g_assert_cmpstr (sum, ==, g_ptr_array_index (keeper.sums, i));
    different +=
        i > 0 && !g_str_equal (sum, g_ptr_array_index (keeper.sums, i - 1));
  }
  /* else nothing could have been noticed */
  g_assert_cmpuint (different, >, FRAMES / 2);
  g_ptr_array_unref (keeper.held);
  g_ptr_array_unref (keeper.sums);
  g_mutex_clear (&keeper.lock);
  g_cond_clear (&keeper.all);
}

static void
test_part (void)
{
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstPad) pad = NULL;
  GstElement *part, *sink;

  part = oct_launch_add_part (GST_BIN (pipeline), CAMERA " ! identity", &error);
  g_assert_no_error (error);
  sink = gst_element_factory_make ("fakesink", NULL);
  gst_bin_add (GST_BIN (pipeline), sink);
  g_assert_true (gst_element_link (part, sink));
  pad = gst_element_get_static_pad (sink, "sink");
  check_frames (pipeline, pad);
}

/* Calibration of a spectrometer with 256 pixels; the caller deletes the
 * file. */
static char *
write_calibration (void)
{
  g_autoptr (GString) text = g_string_new ("wavelength_nm\n");
  char *path = NULL;
  int fd = g_file_open_tmp ("oct-camera-XXXXXX.csv", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  for (guint i = 0; i < 256; i++)
    g_string_append_printf (text, "%u.%02u\n", 800 + i / 4, i % 4 * 25);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  return path;
}

static void
test_record (void)
{
  OctRecordOptions options = { .source = (char *)CAMERA,
    .raw = TRUE,
    .width = 64,
    .height = 64,
    .min = 0.0,
    .max = 60.0 };
  GOptionContext *context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstPad) pad = NULL;

  options.spectra.calibration = write_calibration ();
  /* says that none is given */
  oct_sensing_options_add (context, &options.sensing);
  g_option_context_free (context);
  pipeline = oct_record_pipeline_new (&options, &error);
  g_assert_no_error (error);
  pad = oct_record_pipeline_get_spectra (pipeline);
  check_frames (pipeline, pad);
  g_unlink (options.spectra.calibration);
  g_free (options.spectra.calibration);
}

/* The line of README and docs for gst-launch-1.0. */
static void
test_gather (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      CAMERA " ! octgather bscans=1 ! fakesink name=sink", &error);
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstPad) pad = NULL;

  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  check_frames (pipeline, pad);
}

/* --oct-camera in the place of --source. */
static void
test_option (void)
{
  static const char *const cases[][2] = {
    { "first", "octcamerasrc" },
    { "Fake_1", "octcamerasrc camera=\"Fake_1\"" },
    { "a \"b\" ! c", "octcamerasrc camera=\"a \\\"b\\\" ! c\"" },
  };
  g_autoptr (GError) error = NULL;
  char *source = NULL;

  g_assert_true (oct_launch_take_camera (NULL, &source, &error));
  g_assert_null (source);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *found = NULL;

    g_assert_true (oct_launch_take_camera (cases[i][0], &found, &error));
    g_assert_cmpstr (found, ==, cases[i][1]);
  }
  g_assert_false (oct_launch_take_camera ("", &source, &error));
  g_assert_nonnull (strstr (error->message, "or first"));
  g_clear_error (&error);
  source = (char *)"videotestsrc";
  g_assert_false (oct_launch_take_camera ("first", &source, &error));
  g_assert_nonnull (strstr (error->message, "not both"));
}

/* The launch line of --oct-camera delivers frames that nobody copies. */
static void
test_oct_camera (void)
{
  g_autoptr (GstElementFactory) factory =
      gst_element_factory_find ("octcamerasrc");
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autofree char *source = NULL, *launch = NULL;

  if (factory == NULL) {
    g_test_skip ("this build has no octcamerasrc");
    return;
  }
  g_assert_true (oct_launch_take_camera ("Fake_1", &source, &error));
  launch = g_strdup_printf ("%s ! " CAPS " ! fakesink name=sink", source);
  pipeline = gst_parse_launch (launch, &error);
  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  check_frames (pipeline, pad);
}

int
main (int argc, char **argv)
{
  g_autoptr (GstElementFactory) factory = NULL;
  void (*enable) (const char *interface) = NULL;
  void *aravis = dlopen (ARAVIS, RTLD_NOW);

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  factory = gst_element_factory_find ("aravissrc");
  if (aravis != NULL)
    enable = (void (*) (const char *))dlsym (aravis, "arv_enable_interface");
  if (factory == NULL || enable == NULL) {
    g_print ("1..0 # SKIP Aravis is not installed (%s, element aravissrc)\n",
        ARAVIS);
    return 0;
  }
  enable ("Fake");
  g_test_add_func ("/camera-frames/part", test_part);
  g_test_add_func ("/camera-frames/record", test_record);
  g_test_add_func ("/camera-frames/gather", test_gather);
  g_test_add_func ("/camera-frames/option", test_option);
  g_test_add_func ("/camera-frames/oct-camera", test_oct_camera);
  return g_test_run ();
}
