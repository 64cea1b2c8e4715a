/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-demo-volume.h"
#include "oct-terminal.h"

#include <unistd.h>

/* One turn, of so many pictures a second. */
#define TURN 150
#define VIDEO_RATE "25/1"
#define TURN_RATE "60"

/* The virtual system looks at surgery. */
#define PHANTOM_SAMPLES 1024
#define PHANTOM_LINES 192
#define PHANTOM_BSCANS 128
#define PHANTOM_RATE "5"
#define PHANTOM_WIDTH_UM 3800.0
#define PHANTOM_LENGTH_UM 3200.0
/* A file is scanned again and again. */
#define FILE_RATE "1"

#define CHAIN                                                                  \
  "octsrc name=source ! octreconstruct name=reconstruct mode=%s "              \
  "range=contrast range-smoothing=0.99 ! octvolume name=volume pitch=34"       \
  " zoom=1.05 ! capsfilter "                                                   \
  "caps=video/x-raw,width=%d,height=%d ! "
#define PICTURE "pngenc compression-level=9 ! fakesink name=sink"
#define VIDEO                                                                  \
  "video/x-raw,framerate=" VIDEO_RATE " ! videorate name=rate ! queue ! "      \
  "videoconvert ! "                                                            \
  "video/x-raw,format=I420 ! "                                                 \
  "x264enc pass=qual quantizer=21 bitrate=50000 speed-preset=veryfast "        \
  "bframes=0 key-int-max=25 ! video/x-h264,profile=high ! mp4mux "             \
  "faststart=true ! filesink name=sink"
#define WIDTH 960
#define HEIGHT 720

typedef struct {
  const OctSourceOptions *source;
  const OctDemoVolumeOptions *options;
  gint lines; /* A-lines per B-scan */
} Task;

typedef struct {
  gint made, wanted; /* pictures; the first is atomic */
} Film;

static void
demo_volume_set_source (GstElement *pipeline, const Task *task)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  gint bscans = task->options->bscans;

  oct_source_options_set (task->source, source);
  if (task->source->data == NULL) {
    gst_util_set_object_arg (G_OBJECT (source), "phantom", "surgery");
    if (task->source->lines == 0)
      g_object_set (source, "lines", PHANTOM_LINES, NULL);
    if (task->source->samples == 0)
      g_object_set (source, "samples", PHANTOM_SAMPLES, NULL);
    bscans = bscans > 0 ? bscans : PHANTOM_BSCANS;
  }
  if (bscans > 0)
    g_object_set (source, "bscans", bscans, NULL);
}

static void
demo_volume_set_spacings (GstElement *pipeline, const Task *task)
{
  g_autoptr (GstElement) volume =
      gst_bin_get_by_name (GST_BIN (pipeline), "volume");
  double width = task->options->width_um, length = task->options->length_um;
  gint bscans = task->options->bscans;

  if (task->source->data == NULL) {
    bscans = bscans > 0 ? bscans : PHANTOM_BSCANS;
    width = width > 0.0 ? width : PHANTOM_WIDTH_UM;
    length = length > 0.0 ? length : PHANTOM_LENGTH_UM;
  }
  if (width > 0.0 && task->lines > 0)
    g_object_set (volume, "x-spacing", width * 1e-6 / task->lines, NULL);
  if (length > 0.0 && bscans > 1)
    g_object_set (volume, "y-spacing", length * 1e-6 / (bscans - 1), NULL);
}

static GstElement *
demo_volume_make_pipeline (const Task *task, const char *tail, GError **error)
{
  g_autofree char *chain = g_strdup_printf (
      CHAIN, oct_source_options_get_mode (task->source, NULL), WIDTH, HEIGHT);
  g_autofree char *description = g_strconcat (chain, tail, NULL);
  g_autoptr (GstElement) reconstruct = NULL;
  GstElement *pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (pipeline == NULL)
    return NULL;
  reconstruct = gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");
  oct_source_options_set_depths (task->source, reconstruct);
  demo_volume_set_source (pipeline, task);
  demo_volume_set_spacings (pipeline, task);
  return pipeline;
}

static void
demo_volume_stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* A-lines are known when octsrc has opened its file. */
static gboolean
learn_lines (Task *task, GError **error)
{
  GstElement *pipeline = gst_parse_launch_full ("octsrc name=source ! fakesink",
      NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  gboolean done = FALSE;

  if (pipeline == NULL)
    return FALSE;
  demo_volume_set_source (pipeline, task);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  while (!done && *error == NULL && !oct_launch_interrupted ())
    done = oct_launch_poll (pipeline, FALSE, error) == GST_MESSAGE_ASYNC_DONE;
  if (done) {
    g_autoptr (GstPad) pad = oct_launch_get_pad (pipeline, "source", "src");
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
    GstStructure *s = gst_caps_get_structure (caps, 0);

    if (!gst_structure_get_int (s, "lines", &task->lines))
      gst_structure_get_int (s, "height", &task->lines);
  }
  demo_volume_stop (pipeline);
  return done;
}

/* ------------------------------------------------------------------ picture */

static gboolean
demo_volume_make_picture (const Task *task, const char *path, GError **error)
{
  GstElement *pipeline = demo_volume_make_pipeline (task, PICTURE, error);
  gboolean done = FALSE;

  if (pipeline == NULL)
    return FALSE;
  /* the first complete volume is the first picture */
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  while (!done && *error == NULL && !oct_launch_interrupted ()) {
    GstMessageType type = oct_launch_poll (pipeline, TRUE, error);

    done = type == GST_MESSAGE_ASYNC_DONE || type == GST_MESSAGE_EOS;
  }
  if (done)
    done = oct_launch_save_last (pipeline, "sink", path, error);
  demo_volume_stop (pipeline);
  return done;
}

/* -------------------------------------------------------------------- video */

/* Counts pictures, and lets through as many as were asked for. */
static GstPadProbeReturn
demo_volume_on_picture (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Film *film = data;

  return g_atomic_int_add (&film->made, 1) < film->wanted ? GST_PAD_PROBE_OK
                                                          : GST_PAD_PROBE_DROP;
}

static gboolean
demo_volume_play (GstElement *pipeline, Film *film, GError **error)
{
  gboolean stopping = FALSE, done = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done && *error == NULL) {
    gint made = MIN (g_atomic_int_get (&film->made), film->wanted);

    if (!stopping && (oct_launch_interrupted () || made == film->wanted)) {
      /* an end of stream, so that the file is finished and can be played */
      gst_element_send_event (pipeline, gst_event_new_eos ());
      stopping = TRUE;
    }
    done = oct_launch_poll (pipeline, FALSE, error) == GST_MESSAGE_EOS;
    oct_terminal_rewrite ();
    if (isatty (STDOUT_FILENO))
      g_print ("  picture %d of %d%s", made, film->wanted, done ? "\n" : "");
  }
  return done;
}

static gboolean
demo_volume_make_video (
    const Task *task, const char *path, Film *film, GError **error)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  GstElement *pipeline = demo_volume_make_pipeline (task, VIDEO, error);
  g_autoptr (GstPad) pad = NULL;
  gboolean ok;

  if (pipeline == NULL)
    return FALSE;
  if (task->source->data != NULL)
    oct_launch_set (pipeline, "source", "loop", "true");
  oct_launch_set (pipeline, "source", "volume-rate",
      task->source->data == NULL ? PHANTOM_RATE : FILE_RATE);
  oct_launch_set (pipeline, "volume", "turn-rate", TURN_RATE);
  oct_launch_set (pipeline, "volume", "mode", "once");
  oct_launch_set (pipeline, "sink", "location", part);
  pad = oct_launch_get_pad (pipeline, "rate", "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, demo_volume_on_picture, film, NULL);
  ok = demo_volume_play (pipeline, film, error);
  demo_volume_stop (pipeline);
  return oct_launch_finish_file (part, path, ok, error);
}

gboolean
oct_demo_make_volume (const OctSourceOptions *source,
    const OctDemoVolumeOptions *options, const char *folder, gint pictures,
    GError **error)
{
  g_autofree char *png = g_build_filename (folder, "volume.png", NULL);
  g_autofree char *mp4 = g_build_filename (folder, "volume.mp4", NULL);
  Task task = { .source = source, .options = options };
  Film film = { 0, pictures > 0 ? pictures : TURN };
  gboolean ok;

  g_print ("Making the picture ...\n");
  ok = learn_lines (&task, error)
       && demo_volume_make_picture (&task, png, error);
  if (ok) {
    g_print ("Making the video ...\n");
    ok = demo_volume_make_video (&task, mp4, &film, error);
  }
  if (!ok) {
    if (*error == NULL)
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INTR, "Interrupted.");
    return FALSE;
  }
  g_print ("\nVideo:   %s  (%d x %d, %d pictures)\n", mp4, WIDTH, HEIGHT,
      MIN (film.made, film.wanted));
  g_print ("Picture: %s\n", png);
  return TRUE;
}
