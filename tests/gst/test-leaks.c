/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A representative set of pipelines under GStreamer's leaks tracer: when all
 * are gone no object, buffer, event or caps may be alive.  With --leak one is
 * left on purpose, so that it shows that the tracer would find it.
 */
#include <gst/gst.h>

#include <string.h>

#define CHAIN                                                                  \
  "! octdcsub ! octkresample ! octdispersion ! octfft ! octlogscale "
#define FILE_SOURCE                                                            \
  "octsrc location=" OCT_TEST_VECTORS "/octdcsub-bscan-u16-input.npy "         \
  "calibration=" OCT_TEST_VECTORS "/k-index-101.csv "
#define FLOATS                                                                 \
  "octsrc location=" OCT_TEST_VECTORS "/octdcsub-bscan-f32-input.npy "         \
  "preload=true loop=true num-buffers=5 "

/* Some end, some fail on purpose, some are cut off. */
static const char *const launches[] = {
  "octsrc num-buffers=5 samples=256 lines=16 " CHAIN "! fakesink",
  "octsrc samples=256 lines=16 phantom=mirror " CHAIN "! fakesink",
  "octsrc is-live=true line-rate=1e5 num-buffers=5 samples=256 lines=16 " CHAIN
  "! fakesink",
  FILE_SOURCE CHAIN "! videoconvert ! fakesink",
  FILE_SOURCE CHAIN "! video/x-raw,format=NV12 ! fakesink",
  FILE_SOURCE "loop=true preload=true num-buffers=20 " CHAIN "! fakesink",
  FLOATS "! octdcsub mode=background background=" OCT_TEST_VECTORS
         "/octdcsub-bscan-u16-input.npy ! fakesink",
  FLOATS "! tee name=t t. ! queue ! octdcsub ! fakesink t. ! queue ! octdcsub "
         "mode=running calibration=" OCT_TEST_VECTORS "/wavelength-101.csv ! "
         "octkresample method=lanczos upsample=2 ! octfft length=256 ! "
         "fakesink",
  "octsrc location=nowhere.raw " CHAIN "! fakesink",
  "octsrc num-buffers=5 samples=256 lines=16 calibration=nowhere.csv " CHAIN
  "! fakesink",
  "octsrc num-buffers=5 samples=256 lines=16 ! octdcsub mode=background ! "
  "fakesink",
  "octsrc num-buffers=5 samples=256 lines=16 ! octdcsub axis=wavenumber ! "
  "octfft length=100 ! fakesink",
  "videotestsrc num-buffers=3 ! octdcsub ! octkresample ! fakesink",
};

static void
run (const char *launch, guint round)
{
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstBus *bus;
  GstMessage *message;

  if (pipeline == NULL)
    g_error ("%s", launch);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  /* the second time it is stopped wherever it is */
  message = gst_bus_timed_pop_filtered (bus,
      round == 0 ? GST_SECOND : 20 * GST_MSECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (message != NULL)
    gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

static guint alive = 0;

static void
count_alive (GstDebugCategory *category, GstDebugLevel level, const char *file,
    const char *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer user_data)
{
  const char *text = gst_debug_message_get (message);

  if (text != NULL && strstr (text, "object-alive,") != NULL) {
    g_printerr ("alive: %s\n", text);
    alive++;
  }
}

static gboolean
has_tracer (void)
{
  GList *tracers = gst_tracing_get_active_tracers ();
  gboolean found = tracers != NULL;

  g_list_free_full (tracers, gst_object_unref);
  return found;
}

int
main (int argc, char **argv)
{
  gboolean leak = argc > 1 && strcmp (argv[1], "--leak") == 0;
  guint round, i;

  g_setenv ("GST_TRACERS", "leaks", TRUE);
  gst_init (NULL, NULL);
  if (!has_tracer ()) {
    g_print ("SKIP: this GStreamer has no leaks tracer\n");
    return 77;
  }
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (count_alive, NULL, NULL);
  gst_debug_set_threshold_from_string ("GST_TRACER:7", TRUE);
  gst_debug_set_active (TRUE);
  for (round = 0; round < 2; round++)
    for (i = 0; i < G_N_ELEMENTS (launches); i++)
      run (launches[i], round);
  if (leak)
    gst_object_ref_sink (gst_element_factory_make ("octdcsub", "forgotten"));
  gst_deinit ();
  g_print ("%u objects left\n", alive);
  return alive != 0;
}
