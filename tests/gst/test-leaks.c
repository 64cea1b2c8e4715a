/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A representative set of pipelines under GStreamer's leaks tracer: when all
 * are gone no object, buffer, event or caps may be alive.  With --leak one is
 * left on purpose and has to be found.
 */
#include "oct-test.h"

#include <string.h>

#define CHAIN                                                                  \
  "! octdcsub ! octkresample ! octdispersion ! octfft ! octlogscale "
#define FILE_SOURCE                                                            \
  "octsrc location=@/u16.npy "                                                 \
  "calibration=@/k-index-101.csv "
#define FLOATS                                                                 \
  "octsrc location=@/f32.npy "                                                 \
  "preload=true loop=true num-buffers=5 "

/* How a pipeline is to come to its end; anything else would leave a test that
 * tests nothing. */
typedef enum {
  AT_EOS,
  BY_ERROR,
  CUT_OFF, /* never by itself */
} Ending;

static const struct {
  Ending ending;
  const char *launch;
} pipelines[] = {
  { AT_EOS, "octsrc num-buffers=5 samples=256 lines=16 " CHAIN "! fakesink" },
  { CUT_OFF, "octsrc samples=256 lines=16 phantom=mirror depth=2e-4 " CHAIN
             "! fakesink" },
  { AT_EOS, "octsrc is-live=true line-rate=1e5 num-buffers=5 samples=256 "
            "lines=16 " CHAIN "! fakesink" },
  { AT_EOS, FILE_SOURCE CHAIN "! videoconvert ! fakesink" },
  { AT_EOS, FILE_SOURCE CHAIN "! video/x-raw,format=NV12 ! fakesink" },
  { AT_EOS,
      FILE_SOURCE "loop=true preload=true num-buffers=20 " CHAIN "! fakesink" },
  { AT_EOS, FLOATS "! octdcsub mode=background background="
                   "@/u16.npy ! fakesink" },
  { AT_EOS,
      FLOATS "! tee name=t t. ! queue ! octdcsub ! fakesink t. ! queue ! "
             "octdcsub mode=running calibration="
             "@/wavelength-101.csv ! octkresample method=lanczos upsample=2 ! "
             "octfft length=256 ! fakesink" },
  { AT_EOS, "octsrc num-buffers=5 samples=256 lines=16 ! octmeter interval=0 ! "
            "octdcsub ! octmeter interval=0 ! octkresample ! octdispersion ! "
            "octfft ! octmeter interval=0 roll-off=true ! octlogscale ! "
            "fakesink" },
  { CUT_OFF, "octsrc samples=256 lines=16 ! octmeter interval=0 ! octdcsub ! "
             "octmeter interval=0 ! octkresample ! octfft ! octmeter "
             "interval=0 ! octlogscale ! fakesink" },
  { AT_EOS, FILE_SOURCE "! octreconstruct ! fakesink" },
  { CUT_OFF, "octsrc samples=256 lines=16 ! octreconstruct method=cs ! "
             "fakesink" },
  { AT_EOS, "octimagesrc ! fakesink num-buffers=2" },
  { AT_EOS, "octsrc num-buffers=24 bscans=8 samples=256 lines=16 " CHAIN
            "! octvolume turn-rate=90 max-render-time=5 ! "
            "video/x-raw,width=64,height=48 ! videoconvert ! fakesink" },
  { AT_EOS, "octsrc num-buffers=24 bscans=8 samples=256 lines=16 " CHAIN
            "! tee name=t t. ! queue ! octenface flatten=true update=scan ! "
            "octcolormap map=hot ! videoconvert ! fakesink t. ! queue ! "
            "octslice plane=oblique yaw=30 ! fakesink" },
  { AT_EOS, "octsrc num-buffers=24 bscans=8 samples=256 lines=16 " CHAIN
            "! octaverage mode=block frames=3 ! octspeckle ! octflip "
            "way-back=odd ! videoconvert ! fakesink" },
  { BY_ERROR, "octsrc bscans=8 samples=256 lines=16 " CHAIN
              "! octenface range=manual min=2 max=1 ! fakesink" },
  { CUT_OFF, "octsrc bscans=8 samples=256 lines=16 " CHAIN
             "! octvolume update=scan ! video/x-raw,width=64,height=48 ! "
             "fakesink" },
  { BY_ERROR, "octsrc bscans=8 samples=256 lines=16 " CHAIN
              "! octvolume crop-left=1 ! fakesink" },
  { BY_ERROR, "octsrc samples=256 lines=16 ! octreconstruct method=nufft "
              "depth-start=500 ! fakesink" },
  { BY_ERROR, "octsrc location=nowhere.raw " CHAIN "! fakesink" },
  { BY_ERROR, "octsrc samples=256 lines=16 calibration=nowhere.csv " CHAIN
              "! fakesink" },
  { BY_ERROR, FLOATS "! octdcsub mode=background ! fakesink" },
  { BY_ERROR, "octsrc samples=256 lines=16 ! octdcsub axis=wavenumber ! "
              "octfft length=100 ! fakesink" },
  { BY_ERROR, "videotestsrc ! octdcsub ! octkresample ! fakesink" },
};

static void
check_ending (const char *launch, Ending ending, GstMessage *message)
{
  Ending found = CUT_OFF;

  if (message != NULL)
    found = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS ? AT_EOS : BY_ERROR;
  if (found != ending)
    g_error ("%s: ending %u instead of %u", launch, found, ending);
}

/* To its own end, or stopped wherever it is. */
static void
run (const char *launch, Ending ending, gboolean to_end)
{
  g_autofree char *full = oct_test_launch (launch);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (full, &error);
  gboolean wait = to_end && ending != CUT_OFF;
  GstBus *bus;
  GstMessage *message;

  if (error != NULL)
    g_error ("%s: %s", launch, error->message);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus,
      wait ? 60 * GST_SECOND : 20 * GST_MSECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (to_end)
    check_ending (launch, ending, message);
  g_clear_pointer (&message, gst_message_unref);
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
  guint i;

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
  for (i = 0; i < G_N_ELEMENTS (pipelines); i++) {
    run (pipelines[i].launch, pipelines[i].ending, TRUE);
    run (pipelines[i].launch, pipelines[i].ending, FALSE);
  }
  if (leak)
    gst_object_ref_sink (gst_element_factory_make ("octdcsub", "forgotten"));
  gst_deinit ();
  g_print ("%u objects left\n", alive);
  return (alive != 0) != leak;
}
