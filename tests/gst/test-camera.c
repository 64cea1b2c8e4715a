/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A GenICam camera in place of octsrc: Aravis' fake one, within this process.
 * Skipped when Aravis is not installed.
 */
#include "oct-test.h"

#include <dlfcn.h>

#define ARAVIS "libaravis-0.8.so.0"
#define FRAMES 5
#define CHAIN                                                                  \
  "octdcsub wavelength-min=800 wavelength-max=880 ! octkresample ! "           \
  "octdispersion ! octfft ! octlogscale ! "                                    \
  "capsfilter caps=video/x-raw,format=GRAY8"

static GstSample *
pull (GstElement *pipeline, const char *name)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstSample *sample = NULL;

  g_signal_emit_by_name (sink, "try-pull-sample", 30 * GST_SECOND, &sample);
  fail_unless (sample != NULL, "the camera delivers nothing");
  gst_object_unref (sink);
  return sample;
}

/* The very frames of the camera are kept beside their images, which must be
 * those that the chain makes of them again. */
GST_START_TEST (test_fake_camera)
{
  const char *formats[] = { "GRAY8", "GRAY16_LE" };
  g_autofree char *launch = g_strdup_printf (
      "aravissrc camera-name=Fake_1 ! "
      "capsfilter caps=video/x-raw,format=%s,width=256,height=64,"
      "framerate=50/1 ! tee name=t ! queue ! appsink name=raw sync=false "
      "t. ! queue ! " CHAIN " ! appsink name=image sync=false",
      formats[__i__]);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstHarness *harness = oct_test_harness (CHAIN);
  guint i;

  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < FRAMES; i++) {
    GstSample *raw = pull (pipeline, "raw");
    GstSample *image = pull (pipeline, "image");
    GstBuffer *frame = gst_sample_get_buffer (raw);
    g_autoptr (OctArray) found = oct_test_read (
        gst_sample_get_buffer (image), gst_sample_get_caps (image));
    g_autoptr (OctArray) again = NULL;

    fail_unless_equals_uint64 (
        GST_BUFFER_PTS (frame), GST_BUFFER_PTS (gst_sample_get_buffer (image)));
    oct_test_set_src_caps (harness, gst_caps_ref (gst_sample_get_caps (raw)));
    again = oct_test_push (harness, gst_buffer_ref (frame));
    fail_unless_equals_int (found->columns, 64);
    fail_unless_equals_int (found->rows, 128);
    fail_unless (oct_array_equal (found, again), "frame %u", i);
    gst_sample_unref (raw);
    gst_sample_unref (image);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octcamera_suite (void)
{
  Suite *suite = suite_create ("octcamera");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_fake_camera, 0, 2);
  return suite;
}

int
main (int argc, char **argv)
{
  GstElementFactory *factory;
  void (*enable) (const char *interface) = NULL;
  void *aravis;

  gst_check_init (&argc, &argv);
  factory = gst_element_factory_find ("aravissrc");
  aravis = dlopen (ARAVIS, RTLD_NOW);
  if (aravis != NULL)
    enable = (void (*) (const char *))dlsym (aravis, "arv_enable_interface");
  if (factory == NULL || enable == NULL) {
    g_print ("SKIP: Aravis is not installed (%s, element aravissrc)\n", ARAVIS);
    return 77;
  }
  gst_object_unref (factory);
  enable ("Fake");
  return gst_check_run_suite (octcamera_suite (), "octcamera", __FILE__);
}
