/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-demo-flow.h"

#include <unistd.h>

#include "oct-terminal.h"
#include "oct-types.h"
#include "oct/oct.h"

/* The virtual system looks at blood that flows. */
#define PHANTOM_SAMPLES 1024
#define PHANTOM_LINES 256
#define PHANTOM_DEPTHS 220 /* below them there is only noise */
#define PHANTOM_PLACES 128
#define PHANTOM_REPEATS 4

/* The film shows so many, whatever the time between places is. */
#define PLACES_PER_SECOND 15

#define HEIGHT 512
#define MOST_WIDTH 960
#define LEAST_WIDTH 256

/* Structure is the mean of the powers of a place.  docs/elements/octangio.md
 * says which method suits B-scans, and which pictures from above. */
#define CHAIN                                                                  \
  "octsrc name=source ! octreconstruct name=reconstruct mode=%s "              \
  "output=ascans ! octalign ! tee name=ascans "                                \
  "ascans. ! queue ! octaverage mode=block frames=%d ! octlogscale "           \
  "range=contrast range-smoothing=0.99 ! " TO_FILM "both.sink_0 "              \
  "ascans. ! queue ! octangio method=index ! octcolormap map=hot ! " TO_FILM   \
  "both.sink_1 "                                                               \
  "ascans. ! queue ! octangio ! octenface name=above ! videoconvert ! pngenc " \
  "compression-level=9 ! fakesink name=picture async=false "                   \
  "compositor name=both sink_1::xpos=%d ! " YUV                                \
  ",width=%d,height=%d ! queue name=film ! "                                   \
  "x264enc pass=qual quantizer=21 bitrate=50000 speed-preset=veryfast "        \
  "bframes=0 key-int-max=15 ! video/x-h264,profile=high ! mp4mux "             \
  "faststart=true ! filesink name=sink"
#define YUV "video/x-raw,format=I420,colorimetry=bt709,pixel-aspect-ratio=1/1"
#define TO_FILM                                                                \
  "videoscale method=lanczos add-borders=false ! videoconvert ! " YUV          \
  ",width=%d,height=%d ! "

typedef struct {
  const OctSourceOptions *source;
  const OctDemoVolumeOptions *options;
  gint asked;  /* repeats, 0: as the file says */
  gint places; /* of the virtual system */
  gint lines, depths, repeats, bscans;
  double x_spacing, z_spacing; /* metres, 0 = unknown */
  gint width;                  /* of a B-scan in the film */
} FlowTask;

static void
demo_flow_set_source (GstElement *pipeline, const FlowTask *task)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstElement) reconstruct =
      gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");
  const OctSourceOptions *given = task->source;
  gint bscans = task->options->bscans, repeats = task->asked;

  oct_source_options_set (given, source);
  if (given->data == NULL) {
    gst_util_set_object_arg (G_OBJECT (source), "phantom", "flow");
    repeats = repeats > 0 ? repeats : PHANTOM_REPEATS;
    bscans = bscans > 0 ? bscans : task->places * repeats;
    if (given->lines == 0)
      g_object_set (source, "lines", PHANTOM_LINES, NULL);
    if (given->samples == 0)
      g_object_set (source, "samples", PHANTOM_SAMPLES, NULL);
    if (given->samples == 0 || given->samples / 2 > PHANTOM_DEPTHS)
      g_object_set (reconstruct, "depth-bins", PHANTOM_DEPTHS, NULL);
  }
  if (bscans > 0)
    g_object_set (source, "bscans", bscans, NULL);
  if (repeats > 0)
    g_object_set (source, "repeats", repeats, NULL);
  oct_source_options_set_depths (given, reconstruct);
}

static GstElement *
demo_flow_parse (const FlowTask *task, const char *description, GError **error)
{
  GstElement *pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (pipeline != NULL)
    demo_flow_set_source (pipeline, task);
  return pipeline;
}

static void
demo_flow_stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* ------------------------------------------------------------------- stream */

static gboolean
learn_caps (FlowTask *task, GstElement *pipeline, GError **error)
{
  g_autoptr (GstPad) pad = oct_launch_get_pad (pipeline, "reconstruct", "src");
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint64 all = 0;

  task->repeats = 1;
  gst_structure_get_int (s, "lines", &task->lines);
  gst_structure_get_int (s, "samples", &task->depths);
  gst_structure_get_double (s, "x-spacing", &task->x_spacing);
  gst_structure_get_double (s, "z-spacing", &task->z_spacing);
  gst_structure_get_int (s, GST_OCT_REPEATS_FIELD, &task->repeats);
  if (task->options->width_um > 0.0)
    task->x_spacing = task->options->width_um * 1e-6 / task->lines;
  if (gst_element_query_duration (source, GST_FORMAT_DEFAULT, &all) && all > 0)
    task->bscans = (gint)MIN (all, G_MAXINT);
  else
    g_object_get (source, "bscans", &task->bscans, NULL);
  if (task->repeats > 1)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "There is one B-scan at each place, but flow is what changes between two "
      "or more of them; set --repeats to the number of B-scans at a place.");
  return FALSE;
}

/* Sizes are known when octsrc has opened its file. */
static gboolean
learn_stream (FlowTask *task, GError **error)
{
  GstElement *pipeline = demo_flow_parse (task,
      "octsrc name=source ! octreconstruct name=reconstruct output=ascans ! "
      "fakesink",
      error);
  gboolean done = FALSE;

  if (pipeline == NULL)
    return FALSE;
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  while (!done && *error == NULL && !oct_launch_interrupted ())
    done = oct_launch_poll (pipeline, FALSE, error) == GST_MESSAGE_ASYNC_DONE;
  done = done && learn_caps (task, pipeline, error);
  demo_flow_stop (pipeline);
  return done;
}

/* As wide as the sample is, a multiple of 16 (oct-demo.c says why). */
static gint
choose_width (const FlowTask *task)
{
  double wide = task->x_spacing * task->lines;
  double deep = task->z_spacing * task->depths / OCT_TISSUE_INDEX;
  double width = wide > 0.0 && deep > 0.0 ? HEIGHT * wide / deep : HEIGHT;

  return GST_ROUND_UP_16 ((gint)CLAMP (width, LEAST_WIDTH, MOST_WIDTH));
}

/* --------------------------------------------------------------------- film */

/* The film has its own time: for the eye places come too fast. */
static GstPadProbeReturn
demo_flow_on_picture (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint64 *made = data;
  GstBuffer *buffer = gst_buffer_make_writable (info->data);

  GST_BUFFER_PTS (buffer) = *made * GST_SECOND / PLACES_PER_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / PLACES_PER_SECOND;
  *made += 1;
  info->data = buffer;
  return GST_PAD_PROBE_OK;
}

static GstElement *
make_film (const FlowTask *task, gint places, const char *path, GError **error)
{
  gint w = task->width;
  g_autofree char *description =
      g_strdup_printf (CHAIN, oct_source_options_get_mode (task->source, NULL),
          task->repeats, w, HEIGHT, w, HEIGHT, w, 2 * w, HEIGHT);
  GstElement *pipeline = demo_flow_parse (task, description, error);
  g_autoptr (GstElement) above = NULL, source = NULL;
  double length = task->options->length_um * 1e-6;

  if (pipeline == NULL)
    return NULL;
  above = gst_bin_get_by_name (GST_BIN (pipeline), "above");
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  if (task->options->width_um > 0.0)
    g_object_set (above, "x-spacing", task->x_spacing, NULL);
  if (length > 0.0)
    g_object_set (above, "y-spacing",
        length / MAX (task->options->bscans / task->repeats - 1, 1), NULL);
  g_object_set (source, "num-buffers", places * task->repeats, NULL);
  oct_launch_set (pipeline, "sink", "location", path);
  return pipeline;
}

static void
show_places (const GstElement *pipeline, gint places, gboolean last)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  gint64 at = 0;

  if (!isatty (STDOUT_FILENO))
    return;
  gst_element_query_position (source, GST_FORMAT_DEFAULT, &at);
  oct_terminal_rewrite ();
  g_print ("  B-scan %" G_GINT64_FORMAT ", of %d places%s", at, places,
      last ? "\n" : "");
}

static gboolean
demo_flow_play (GstElement *pipeline, gint places, GError **error)
{
  gboolean stopping = FALSE, done = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done && *error == NULL) {
    if (!stopping && oct_launch_interrupted ()) {
      /* an end of stream, so that the file is finished and can be played */
      gst_element_send_event (pipeline, gst_event_new_eos ());
      stopping = TRUE;
    }
    done = oct_launch_poll (pipeline, TRUE, error) == GST_MESSAGE_EOS;
    show_places (pipeline, places, done);
  }
  return done;
}

static gboolean
make_files (const FlowTask *task, gint places, const char *png, const char *mp4,
    GError **error)
{
  g_autofree char *part = g_strconcat (mp4, ".part", NULL);
  GstElement *pipeline = make_film (task, places, part, error);
  g_autoptr (GstPad) pad = NULL;
  guint64 made = 0;
  gboolean ok;

  if (pipeline == NULL)
    return FALSE;
  pad = oct_launch_get_pad (pipeline, "film", "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, demo_flow_on_picture, &made, NULL);
  ok = demo_flow_play (pipeline, places, error)
       && oct_launch_save_last (pipeline, "picture", png, error);
  demo_flow_stop (pipeline);
  return oct_launch_finish_file (part, mp4, ok, error);
}

gboolean
oct_demo_make_flow (const OctSourceOptions *source,
    const OctDemoVolumeOptions *options, gint repeats, const char *folder,
    gint places, GError **error)
{
  g_autofree char *png = g_build_filename (folder, "vessels.png", NULL);
  g_autofree char *mp4 = g_build_filename (folder, "flow.mp4", NULL);
  FlowTask task = { .source = source,
    .options = options,
    .asked = repeats,
    .places = places > 0 ? places : PHANTOM_PLACES };

  if (!learn_stream (&task, error)) {
    if (*error == NULL)
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INTR, "Interrupted.");
    return FALSE;
  }
  task.width = choose_width (&task);
  if (places == 0)
    places = MAX (task.bscans / task.repeats, 1);
  g_print ("Making the film of %d places, with %d B-scans at each ...\n",
      places, task.repeats);
  if (!make_files (&task, places, png, mp4, error))
    return FALSE;
  g_print ("\nFilm:    %s  (%d x %d, %d places: structure, and what flows)\n",
      mp4, 2 * task.width, HEIGHT, places);
  g_print ("Picture: %s  (vessels from above)\n", png);
  return TRUE;
}
