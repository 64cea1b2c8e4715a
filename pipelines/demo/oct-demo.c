/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-demo: from raw spectra to a video of B-scans (H.264 in MP4), a picture
 * of one of them (PNG) and the rate of the reconstruction.  demo.sh builds it
 * and runs it.
 *
 * Three pipelines, one after the other, with the same elements in front:
 * the picture, the measurement, the video.  With --volume a turn around a
 * volume instead (oct-demo-volume.c), with --flow vessels (oct-demo-flow.c).
 */
#include "oct-demo-flow.h"
#include "oct-launch.h"
#include "oct-terminal.h"
#include "oct-types.h"
#include "oct-options.h"
#include "oct-view.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHAIN                                                                  \
  "octsrc name=source ! octreconstruct name=reconstruct mode=%s "              \
  "range=contrast range-smoothing=%s ! %s"
#define SCALE                                                                  \
  "videoscale method=lanczos add-borders=false ! capsfilter name=size ! "
#define PICTURE                                                                \
  "capsfilter caps=video/x-raw,format=%s ! " SCALE                             \
  "videoconvert ! capsfilter caps=video/x-raw,format=%s ! "                    \
  "pngenc compression-level=9 ! fakesink name=sink"
#define MEASURE "fakesink name=sink"
#define VIDEO                                                                  \
  "queue ! " SCALE "videoconvert ! video/x-raw,format=I420 ! "                 \
  "x264enc pass=qual quantizer=21 bitrate=50000 speed-preset=veryfast "        \
  "bframes=0 key-int-max=30 ! video/x-h264,profile=high ! mp4mux "             \
  "faststart=true ! "                                                          \
  "filesink name=sink"

#define DEFAULT_FRAMES 300 /* 10 s of the virtual system */
#define MEASURE_TIME (2 * GST_SECOND)
#define MOST_WIDTH 1920
#define MOST_ASPECT 8.0
#define MOST_REPEATS 64

typedef struct {
  OctSourceOptions source;
  OctViewOptions view;
  char *output;
  gint frames;
  gboolean volume, flow; /* in place of all else */
  gint repeats; /* --flow: B-scans at each place, 0: as the file says */
  OctDemoVolumeOptions of_volume;
} Options;

/* Properties of the spectra, known after the picture was made. */
typedef struct {
  guint64 frames;   /* B-scans in the video */
  guint64 pictured; /* number of the B-scan of the picture */
  gint samples, lines, depths;
  gint width, height;  /* of picture and video, pixels */
  double x_spacing;    /* metres between A-lines, 0 = unknown */
  double z_spacing;    /* metres of air per depth bin, 0 = unknown */
  const char *backend; /* as users write it */
} Scan;

/* Counts and times B-scans as they enter and leave the reconstruction. */
typedef struct {
  gint done;                  /* atomic */
  GstClockTime entered, busy; /* streaming thread */
} Watch;

/* ---------------------------------------------------------------- pipelines */

static void
demo_set_source (GstElement *pipeline, const Options *options)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");

  oct_source_options_set (&options->source, source);
}

static GstElement *
demo_make_pipeline (const Options *options, const char *tail,
    const char *smoothing, GError **error)
{
  g_autofree char *filters = oct_view_options_describe_filters (&options->view);
  g_autofree char *chain = g_strdup_printf (CHAIN,
      oct_source_options_get_mode (&options->source, NULL), smoothing, filters);
  g_autofree char *description = g_strconcat (chain, tail, NULL);
  GstElement *pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (pipeline != NULL) {
    g_autoptr (GstElement) reconstruct =
        gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");

    demo_set_source (pipeline, options);
    oct_source_options_set_depths (&options->source, reconstruct);
    if (!oct_view_options_use (&options->view, reconstruct, error))
      g_clear_pointer (&pipeline, gst_object_unref);
  }
  return pipeline;
}

static void
set_size (GstElement *pipeline, const Scan *scan)
{
  g_autofree char *caps =
      g_strdup_printf ("video/x-raw,width=%d,height=%d,pixel-aspect-ratio=1/1",
          scan->width, scan->height);

  oct_launch_set (pipeline, "size", "caps", caps);
}

static GstPadProbeReturn
on_enter (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  ((Watch *)data)->entered = gst_util_get_timestamp ();
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_leave (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Watch *watch = data;
  GstMapInfo map;

  /* from a GPU the image may still be on its way */
  if (gst_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), &map, GST_MAP_READ))
    gst_buffer_unmap (GST_PAD_PROBE_INFO_BUFFER (info), &map);
  /* the first B-scan has the planning of the transforms in it */
  if (g_atomic_int_add (&watch->done, 1) > 0)
    watch->busy += gst_util_get_timestamp () - watch->entered;
  return GST_PAD_PROBE_OK;
}

static void
add_watch (GstElement *pipeline, Watch *watch)
{
  g_autoptr (GstPad) enter = oct_launch_get_pad (pipeline, "dcsub", "sink");
  g_autoptr (GstPad) leave = oct_launch_get_pad (pipeline, "logscale", "src");

  gst_pad_add_probe (enter, GST_PAD_PROBE_TYPE_BUFFER, on_enter, watch, NULL);
  gst_pad_add_probe (leave, GST_PAD_PROBE_TYPE_BUFFER, on_leave, watch, NULL);
}

/* Takes the next message.  Returns: TRUE when the pipeline is done (EOS, or
 * state changes complete when `prerolling`), FALSE with error or without. */
static gboolean
demo_poll_bus (GstElement *pipeline, gboolean prerolling, GError **error)
{
  GstMessageType type = oct_launch_poll (pipeline, prerolling, error);

  return type == GST_MESSAGE_EOS
         || (prerolling && type == GST_MESSAGE_ASYNC_DONE);
}

static gboolean
demo_preroll (GstElement *pipeline, GError **error)
{
  while (!demo_poll_bus (pipeline, TRUE, error)) {
    if (*error != NULL)
      return FALSE;
    if (oct_launch_interrupted ()) {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INTR, "Interrupted.");
      return FALSE;
    }
  }
  return TRUE;
}

static void
demo_stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* ------------------------------------------------------------------ picture */

/* A size to look at: as high as the depth if that suits a screen, in the shape
 * of the sample if it is known, else between 4:3 and 16:9; even in both
 * directions as H.264 wants it.  A width that is not that of the B-scan is a
 * multiple of 16, with which no decoder has to crop: avdec_h264 of GStreamer
 * 1.26 may abort if it does. */
static void
demo_choose_size (Scan *scan)
{
  double wide = scan->x_spacing * scan->lines;
  double deep = scan->z_spacing * scan->depths / OCT_TISSUE_INDEX;
  int narrowest, widest;

  scan->height = CLAMP (scan->depths, 512, 768) & ~1;
  if (wide > 0.0 && deep > 0.0) {
    double aspect = CLAMP (wide / deep, 1.0 / MOST_ASPECT, MOST_ASPECT);

    scan->width =
        GST_ROUND_UP_16 ((int)MIN (scan->height * aspect, MOST_WIDTH));
    scan->height = GST_ROUND_UP_2 ((int)(scan->width / aspect));
    return;
  }
  narrowest = GST_ROUND_UP_16 (scan->height * 4 / 3);
  widest = GST_ROUND_DOWN_16 (scan->height * 16 / 9);
  scan->width = GST_ROUND_UP_2 (CLAMP (scan->lines, narrowest, widest));
}

static void
demo_learn (GstElement *pipeline, const Options *options, Scan *scan)
{
  g_autoptr (GstPad) in = oct_launch_get_pad (pipeline, "dcsub", "src");
  g_autoptr (GstPad) out = oct_launch_get_pad (pipeline, "logscale", "sink");
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstCaps) spectra = gst_pad_get_current_caps (in);
  g_autoptr (GstCaps) ascans = gst_pad_get_current_caps (out);
  GstStructure *s = gst_caps_get_structure (spectra, 0);
  GstStructure *a = gst_caps_get_structure (ascans, 0);
  gint64 frames = 0;

  gst_structure_get_int (s, "samples", &scan->samples);
  gst_structure_get_int (s, "lines", &scan->lines);
  gst_structure_get_int (a, "samples", &scan->depths);
  gst_structure_get_double (a, "x-spacing", &scan->x_spacing);
  gst_structure_get_double (a, "z-spacing", &scan->z_spacing);
  scan->backend = gst_caps_features_contains (
                      gst_caps_get_features (ascans, 0), "memory:CUDAMemory")
                      ? "CUDA"
                      : "CPU";
  if (!gst_element_query_duration (source, GST_FORMAT_DEFAULT, &frames)
      || frames <= 0)
    frames = DEFAULT_FRAMES;
  else if (options->frames > 0)
    frames = MIN (frames, options->frames);
  if (options->frames > 0 && options->source.data == NULL)
    frames = options->frames;
  scan->frames = frames;
  scan->pictured = frames / 2;
  demo_choose_size (scan);
}

static gboolean
demo_make_picture (
    const Options *options, const char *path, Scan *scan, GError **error)
{
  g_autofree char *tail =
      g_strdup_printf (PICTURE, oct_view_options_get_format (&options->view),
          options->view.bits == 16 ? "GRAY16_BE" : "GRAY8"); /* of PNG */
  GstElement *pipeline = demo_make_pipeline (options, tail, "0", error);
  gboolean ok;

  if (pipeline == NULL)
    return FALSE;
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  ok = demo_preroll (pipeline, error);
  if (ok) {
    g_autoptr (GstElement) source =
        gst_bin_get_by_name (GST_BIN (pipeline), "source");
    gint64 time = 0;

    demo_learn (pipeline, options, scan);
    set_size (pipeline, scan);
    gst_element_query_convert (
        source, GST_FORMAT_DEFAULT, scan->pictured, GST_FORMAT_TIME, &time);
    gst_element_seek_simple (
        pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, time);
    ok = demo_preroll (pipeline, error)
         && oct_launch_save_last (pipeline, "sink", path, error);
  }
  demo_stop (pipeline);
  return ok;
}

/* -------------------------------------------------------------- measurement */

/* A-lines per second from counts to grey levels: the time between a B-scan
 * entering octdcsub and leaving octlogscale, nothing else.  They share one
 * thread with the source, so neither runs while the other is timed. */
static gboolean
demo_measure (
    const Options *options, const Scan *scan, double *rate, GError **error)
{
  GstElement *pipeline = demo_make_pipeline (options, MEASURE, "0", error);
  Watch watch = { 0 };
  GstClockTime end = gst_util_get_timestamp () + MEASURE_TIME;
  gboolean done = FALSE;

  if (pipeline == NULL)
    return FALSE;
  if (options->source.data != NULL)
    oct_launch_set (pipeline, "source", "loop", "true");
  add_watch (pipeline, &watch);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done && *error == NULL && !oct_launch_interrupted ()
         && (gst_util_get_timestamp () < end
             || g_atomic_int_get (&watch.done) < 2))
    done = demo_poll_bus (pipeline, FALSE, error);
  demo_stop (pipeline);
  if (*error == NULL && oct_launch_interrupted ())
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INTR, "Interrupted.");
  *rate = watch.busy == 0 ? 0.0
                          : (double)scan->lines * (watch.done - 1) * GST_SECOND
                                / watch.busy;
  return *error == NULL;
}

/* -------------------------------------------------------------------- video */

static void
demo_show_progress (guint64 done, const Scan *scan, gboolean last)
{
  static gint shown = -1;
  gint percent = (gint)(100 * MIN (done, scan->frames) / scan->frames);

  oct_terminal_rewrite ();
  if (isatty (STDOUT_FILENO))
    g_print ("  B-scan %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
             " (%d %%)%s",
        done, scan->frames, percent, last ? "\n" : "");
  else if (percent / 10 != shown / 10 || shown < 0)
    g_print ("  B-scan %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
             " (%d %%)\n",
        done, scan->frames, percent);
  shown = percent;
}

static gboolean
play_video (
    GstElement *pipeline, const Scan *scan, Watch *watch, GError **error)
{
  gboolean stopping = FALSE, done = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done && *error == NULL) {
    if (oct_launch_interrupted () && !stopping) {
      /* an end of stream, so that the file is finished and can be played */
      gst_element_send_event (pipeline, gst_event_new_eos ());
      stopping = TRUE;
    }
    done = demo_poll_bus (pipeline, FALSE, error);
    if (!done && *error == NULL)
      demo_show_progress (g_atomic_int_get (&watch->done), scan, FALSE);
  }
  if (done)
    demo_show_progress (g_atomic_int_get (&watch->done), scan, TRUE);
  return done;
}

static gboolean
demo_make_video (const Options *options, const char *path, const Scan *scan,
    guint64 *frames, GError **error)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_autofree char *count = g_strdup_printf ("%" G_GUINT64_FORMAT, scan->frames);
  GstElement *pipeline = demo_make_pipeline (options, VIDEO, "0.9", error);
  Watch watch = { 0 };
  gboolean ok;

  if (pipeline == NULL)
    return FALSE;
  oct_launch_set (pipeline, "source", "num-buffers", count);
  oct_launch_set (pipeline, "sink", "location", part);
  set_size (pipeline, scan);
  add_watch (pipeline, &watch);
  ok = play_video (pipeline, scan, &watch, error);
  demo_stop (pipeline);
  *frames = watch.done;
  return oct_launch_finish_file (part, path, ok, error);
}

/* --------------------------------------------------------------------- main */

static gboolean
check_numbers (const Options *o, GError **error)
{
  const OctDemoVolumeOptions *v = &o->of_volume;
  const char *problem = NULL;

  if (o->frames < 0)
    problem = "--frames is not negative.";
  else if (v->bscans < 0 || !(v->width_um >= 0.0) || !(v->length_um >= 0.0))
    problem = "--bscans, --width-um and --length-um are not negative.";
  else if (o->volume && o->flow)
    problem = "Either --volume or --flow is made, not both.";
  else if (!o->volume && !o->flow
           && (v->bscans != 0 || v->width_um != 0.0 || v->length_um != 0.0))
    problem = "--bscans, --width-um and --length-um belong to --volume and "
              "--flow.";
  else if (o->repeats != 0 && !o->flow)
    problem = "--repeats belongs to --flow.";
  else if (o->repeats < 0 || o->repeats == 1 || o->repeats > MOST_REPEATS)
    problem = "--repeats is the number of B-scans at each place, 2 to 64.";
  else if ((o->volume || o->flow)
           && (o->view.depths != NULL || o->view.average != 1
               || o->view.background != NULL || o->view.window != NULL
               || o->view.speckle || o->view.bits != 8))
    problem = "--depth-um, --average, --background, --window, --speckle and "
              "--bits are for B-scans, not for --volume and --flow.";
  else if (o->view.depths != NULL && oct_source_options_has_depths (&o->source))
    problem = OCT_VIEW_DEPTHS_TWICE;
  else if (v->length_um > 0.0 && v->bscans == 0)
    problem = "--length-um needs --bscans, the B-scans over that length.";
  if (problem != NULL)
    g_set_error (
        error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s", problem);
  return problem == NULL;
}

static gboolean
demo_parse_options (int *argc, char ***argv, Options *options, GError **error)
{
  GOptionEntry entries[] = {
    { "frames", 0, 0, G_OPTION_ARG_INT, &options->frames,
        "Pictures in the video (default: all of a file, 300 otherwise; 150 "
        "with --volume, one turn; with --flow places)",
        "N" },
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &options->output,
        "Folder for the results (default: ./out)", "DIR" },
    { "volume", 0, 0, G_OPTION_ARG_NONE, &options->volume,
        "Make a video of one turn around a volume, instead of one of B-scans",
        NULL },
    { "flow", 0, 0, G_OPTION_ARG_NONE, &options->flow,
        "Make a film and a picture of vessels, from repeated B-scans", NULL },
    { "repeats", 0, 0, G_OPTION_ARG_INT, &options->repeats,
        "--flow: B-scans at each place (default: as the file says)", "N" },
    { "bscans", 0, 0, G_OPTION_ARG_INT, &options->of_volume.bscans,
        "--volume, --flow: B-scans per volume, with all repeats (default: as "
        "the file says)",
        "N" },
    { "width-um", 0, 0, G_OPTION_ARG_DOUBLE, &options->of_volume.width_um,
        "--volume, --flow: width of a B-scan (default: a square)", "UM" },
    { "length-um", 0, 0, G_OPTION_ARG_DOUBLE, &options->of_volume.length_um,
        "--volume, --flow: length from the first B-scan to the last, with "
        "--bscans",
        "UM" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context,
      "Reconstructs B-scans from raw OCT spectra, and writes a video and a "
      "picture.");
  oct_source_options_add (context, TRUE, &options->source);
  oct_view_options_join (argc, *argv);
  oct_view_options_add (context, TRUE, &options->view);
  g_option_context_add_main_entries (context, entries, NULL);
  oct_options_add_help (context);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (options->output == NULL)
    options->output = g_strdup ("out");
  if (!oct_source_options_check (
          &options->source, *argc > 1 ? (*argv)[1] : NULL, error))
    return FALSE;
  return oct_view_options_check (&options->view, error)
         && check_numbers (options, error);
}

static void
demo_describe (const Options *options, const Scan *scan)
{
  g_print ("Spectra: %s\n  %d samples per A-line, %d A-lines per B-scan, "
           "%" G_GUINT64_FORMAT " B-scans\n",
      options->source.data != NULL ? options->source.data
                                   : "virtual OCT system",
      scan->samples, scan->lines, scan->frames);
  if (scan->z_spacing > 0.0)
    g_print ("  %d depths over %.2f mm\n", scan->depths,
        scan->z_spacing * scan->depths * 1e3);
}

static gboolean
demo_run (const Options *options, GError **error)
{
  g_autofree char *png = g_build_filename (options->output, "bscan.png", NULL);
  g_autofree char *mp4 = g_build_filename (options->output, "bscans.mp4", NULL);
  Scan scan = { 0 };
  double rate = 0.0;
  guint64 frames = 0;
  GstClockTime start;

  /* made before the work, so that nothing is computed for nothing */
  if (!oct_launch_make_folder (options->output, error))
    return FALSE;
  oct_launch_check_folder (options->output, 0600);
  if (options->volume)
    return oct_demo_make_volume (&options->source, &options->of_volume,
        options->output, options->frames, error);
  if (options->flow)
    return oct_demo_make_flow (&options->source, &options->of_volume,
        options->repeats, options->output, options->frames, error);
  if (!demo_make_picture (options, png, &scan, error))
    return FALSE;
  demo_describe (options, &scan);
  g_print ("Picture: %s  (B-scan %" G_GUINT64_FORMAT ")\n", png, scan.pictured);
  g_print ("Measuring the reconstruction ...\n");
  if (!demo_measure (options, &scan, &rate, error))
    return FALSE;
  g_print ("Making the video ...\n");
  start = gst_util_get_timestamp ();
  if (!demo_make_video (options, mp4, &scan, &frames, error))
    return FALSE;
  g_print ("  took %.1f s with %s and encoding\n",
      (gst_util_get_timestamp () - start) / (double)GST_SECOND,
      options->source.data != NULL ? "reading" : "simulating");
  g_print ("\nVideo:   %s  (%d x %d, %" G_GUINT64_FORMAT " B-scans)\n", mp4,
      scan.width, scan.height, frames);
  g_print ("Speed:   %.0f A-lines/s for the reconstruction alone "
           "(counts in memory to grey levels)\n",
      rate);
  if (g_str_equal (scan.backend, "CPU"))
    g_print ("Backend: CPU, %u threads\n", g_get_num_processors ());
  else
    g_print ("Backend: %s\n", scan.backend);
  return TRUE;
}

int
main (int argc, char **argv)
{
  Options options = { 0 };
  g_autoptr (GError) error = NULL;

  oct_terminal_begin ();
  if (!demo_parse_options (&argc, &argv, &options, &error)) {
    g_printerr ("%s See --help.\n", error->message);
    return 2;
  }
  /* of --data, too, which may be of a patient */
  oct_launch_set_mode (NULL, NULL, NULL);
  oct_launch_catch_interrupts ();
  gst_init (NULL, NULL);
  oct_launch_shows_warnings ();
  demo_run (&options, &error);
  if (error != NULL)
    g_printerr ("Error: %s\n", error->message);
  oct_source_options_clear (&options.source);
  oct_view_options_clear (&options.view);
  g_free (options.output);
  return error == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
