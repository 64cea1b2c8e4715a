/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-graph.h"
#include "oct-encoder.h"
#include "oct-chain.h"
#include "oct-live-change.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <math.h>

/* The virtual system: 512 depths, 30 B-scans per second, one place. */
#define VIRTUAL                                                                \
  "octsrc name=octsrc is-live=true samples=1024 lines=640 line-rate=19200 "    \
  "bscans=1"
#define LAST                                                                   \
  "octlogscale name=last range=contrast range-smoothing=0.9 ! "                \
  "capsfilter caps=video/x-raw,format=GRAY8"

/* In front of each branch.  Two images are enough to bridge the other thread's
 * start and little enough to stay live. */
#define QUEUE                                                                  \
  "queue leaky=downstream max-size-buffers=2 max-size-bytes=0 max-size-time=0"
/* As large as browsers decode it; the page gives it its proportions back.  Grey
 * levels in the range that every decoder takes for granted. */
#define PICTURE                                                                \
  "capsfilter caps=\"video/x-raw,format=I420,colorimetry=bt709,"               \
  "width=[2,1920],height=[2,1088]\""
#define BRANCHES                                                               \
  "tee name=images allow-not-linked=true "                                     \
  "images. ! " QUEUE " ! appsink name=still sync=false async=false "           \
  "max-buffers=1 drop=true wait-on-eos=false "                                 \
  "images. ! " QUEUE " ! valve name=valve-jpeg drop=true ! videoconvert ! "    \
  "jpegenc quality=85 ! appsink name=jpeg sync=false async=false "             \
  "max-buffers=1 drop=true wait-on-eos=false "                                 \
  "images. ! " QUEUE " name=queue ! valve name=valve-h264 drop=true ! "        \
  "videoconvert ! videoscale ! " PICTURE

#define KEY_DISTANCE                                                           \
  60 /* frames; viewers who join ask for one of their own                      \
      */
#define KEY_INTERVAL (330 * GST_MSECOND)

#define SOURCE_ENDED "oct-live-source-ended"

typedef struct {
  guint id;
  OctLiveStream stream;
  OctLiveBufferFunc func;
  gpointer data;
} Receiver;

struct _OctLiveGraph {
  GstElement *pipeline;
  GstElement *octsrc;               /* NULL: another source */
  GstElement *first, *chain, *last; /* NULL: the images come finished */
  GstElement *images, *queue, *encoder;
  GstElement *valves[OCT_LIVE_N_STREAMS]; /* open while somebody watches */
  GstPad *image_pad;
  const char *encoder_name;
  OctLiveSettings settings; /* main thread */
  guint watch;
  OctLiveEndFunc end;
  gpointer end_data;

  gint made, entered,
      left; /* images, and through the encoder's queue; atomic */

  GMutex lock;
  GArray *receivers;
  guint last_id;
  guint watchers[OCT_LIVE_N_STREAMS]; /* main thread */

  GMutex key_lock;
  GstClockTime last_key;
  guint key_timer;
};

/* -------------------------------------------------------------- the pipeline
 */

static GstElement *
add_part (OctLiveGraph *graph, const char *description, GError **error)
{
  GstElement *part = gst_parse_bin_from_description_full (
      description, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (part != NULL)
    gst_bin_add (GST_BIN (graph->pipeline), part);
  return part;
}

static GstElement *
add_own_part (OctLiveGraph *graph, const char *description, GError **error)
{
  g_autoptr (GError) reason = NULL;
  GstElement *part = add_part (graph, description, &reason);

  if (part == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "A part of GStreamer is missing (%s); install the packages listed in "
        "pipelines/packages.sh.",
        reason->message);
  return part;
}

/* What the user has described, which may end in caps; images that come sooner
 * than their time stamps say wait for their time. */
static GstElement *
add_users_part (OctLiveGraph *graph, const char *description,
    const char *option, GError **error)
{
  g_autofree char *timed = g_strconcat (description, " ! clocksync", NULL);
  g_autoptr (GError) reason = NULL;
  GstElement *part = add_part (graph, timed, &reason);

  if (part == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "%s \"%s\" is no pipeline: %s.", option, description, reason->message);
  return part;
}

static GstElement *
add_source (OctLiveGraph *graph, const OctLiveSource *source, GError **error)
{
  GstElement *part;

  if (source->images != NULL)
    return add_users_part (graph, source->images, "--images", error);
  if (source->source != NULL)
    return add_users_part (graph, source->source, "--source", error);
  part = add_own_part (graph,
      source->file->data != NULL ? "octsrc name=octsrc loop=true ! clocksync"
                                 : VIRTUAL,
      error);
  if (part == NULL)
    return NULL;
  graph->octsrc = gst_bin_get_by_name (GST_BIN (part), "octsrc");
  if (source->file->data != NULL) {
    oct_source_options_set (source->file, graph->octsrc);
    g_object_set (graph->octsrc, "line-rate", source->line_rate, NULL);
  }
  return part;
}

/* Spectra to images: octdcsub, the reconstruction chosen, octlogscale. */
static GstElement *
add_reconstruction (OctLiveGraph *graph, GstElement *from,
    const OctLiveSource *source, GError **error)
{
  const OctMethod *method = oct_method_find (graph->settings.method);

  graph->first = add_own_part (graph, "octdcsub name=octdcsub", error);
  if (graph->first != NULL)
    graph->last = add_own_part (graph, LAST, error);
  if (graph->last != NULL)
    graph->chain = oct_chain_new (method, 0.0, 0.0, error);
  if (graph->chain == NULL)
    return NULL;
  if (graph->octsrc == NULL && source->file->calibration != NULL) {
    g_autoptr (GstElement) octdcsub =
        gst_bin_get_by_name (GST_BIN (graph->first), "octdcsub");

    g_object_set (octdcsub, "calibration", source->file->calibration, NULL);
  }
  gst_bin_add (GST_BIN (graph->pipeline), graph->chain);
  if (!gst_element_link_many (
          from, graph->first, graph->chain, graph->last, NULL)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "--source does not end in raw spectra, which are video/x-raw of format "
        "GRAY16_LE or GRAY8 with one A-line per row; finished pictures are "
        "given as --images.");
    return NULL;
  }
  return graph->last;
}

static void
link_stream (OctLiveGraph *graph, const char *name,
    GstFlowReturn (*func) (GstAppSink *sink, gpointer graph))
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (graph->pipeline), name);
  GstAppSinkCallbacks callbacks = { .new_sample = func };

  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, graph, NULL);
}

/* The encoder counts time from an hour far away (its segment says so).  The
 * receivers get running time, which is the same in all pipelines. */
static GstBuffer *
stamp_running_time (GstSample *sample)
{
  GstBuffer *original = gst_sample_get_buffer (sample);
  GstBuffer *buffer = gst_buffer_copy (original);

  GST_BUFFER_PTS (buffer) =
      gst_segment_to_running_time (gst_sample_get_segment (sample),
          GST_FORMAT_TIME, GST_BUFFER_PTS (original));
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  return buffer;
}

static void
send_to_receivers (OctLiveGraph *graph, OctLiveStream stream, GstAppSink *sink)
{
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  g_autoptr (GstBuffer) buffer = NULL;

  if (sample == NULL)
    return;
  buffer = stamp_running_time (sample);
  g_mutex_lock (&graph->lock);
  for (guint i = 0; i < graph->receivers->len; i++) {
    Receiver *receiver = &g_array_index (graph->receivers, Receiver, i);

    if (receiver->stream == stream)
      receiver->func (buffer, gst_sample_get_caps (sample), receiver->data);
  }
  g_mutex_unlock (&graph->lock);
}

static GstFlowReturn
on_h264 (GstAppSink *sink, gpointer data)
{
  send_to_receivers (data, OCT_LIVE_H264, sink);
  return GST_FLOW_OK;
}

static GstFlowReturn
on_jpeg (GstAppSink *sink, gpointer data)
{
  send_to_receivers (data, OCT_LIVE_JPEG, sink);
  return GST_FLOW_OK;
}

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc ((gint *)data);
  return GST_PAD_PROBE_OK;
}

static void
count_at (GstElement *element, const char *name, gint *counter)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count, counter, NULL);
}

/* Closed valves hold back the end of the stream as well, and so the pipeline
 * itself never says that it has come. */
static GstPadProbeReturn
watch_end (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctLiveGraph *graph = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    gst_element_post_message (graph->pipeline,
        gst_message_new_application (GST_OBJECT (graph->pipeline),
            gst_structure_new_empty (SOURCE_ENDED)));
  return GST_PAD_PROBE_OK;
}

static void
watch_images (OctLiveGraph *graph)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (graph->images, "sink");

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_end, graph, NULL);
  count_at (graph->images, "sink", &graph->made);
}

/* From the images to the streams. */
static gboolean
add_branches (OctLiveGraph *graph, GstElement *from,
    const OctLiveSource *source, GError **error)
{
  OctEncoderSettings settings = {
    .bitrate = source->bitrate, .key_distance = KEY_DISTANCE, .low_delay = TRUE
  };
  GstElement *branches = add_own_part (graph, BRANCHES, error);
  GstElement *h264;

  if (branches == NULL)
    return FALSE;
  graph->images = gst_bin_get_by_name (GST_BIN (branches), "images");
  graph->queue = gst_bin_get_by_name (GST_BIN (branches), "queue");
  graph->valves[OCT_LIVE_H264] =
      gst_bin_get_by_name (GST_BIN (branches), "valve-h264");
  graph->valves[OCT_LIVE_JPEG] =
      gst_bin_get_by_name (GST_BIN (branches), "valve-jpeg");
  graph->encoder = oct_encoder_new (&settings, &graph->encoder_name, error);
  if (graph->encoder == NULL)
    return FALSE;
  gst_object_ref_sink (graph->encoder);
  gst_bin_add (GST_BIN (graph->pipeline), graph->encoder);
  h264 = add_own_part (graph,
      "capsfilter caps=video/x-h264,stream-format=byte-stream,alignment=au,"
      "profile=constrained-baseline ! appsink name=h264 sync=false async=false "
      "max-buffers=2 drop=true wait-on-eos=false",
      error);
  if (h264 == NULL)
    return FALSE;
  if (!gst_element_link (from, branches)
      || !gst_element_link_many (branches, graph->encoder, h264, NULL)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%s does not end in pictures, which are video/x-raw.",
        source->images != NULL ? "--images" : "The reconstruction");
    return FALSE;
  }
  graph->image_pad = gst_element_get_static_pad (from, "src");
  link_stream (graph, "h264", on_h264);
  link_stream (graph, "jpeg", on_jpeg);
  watch_images (graph);
  count_at (graph->queue, "sink", &graph->entered);
  count_at (graph->queue, "src", &graph->left);
  return TRUE;
}

OctLiveGraph *
oct_live_graph_new (const OctLiveSource *source, GError **error)
{
  OctLiveGraph *graph = g_new0 (OctLiveGraph, 1);
  GstElement *last;

  g_mutex_init (&graph->lock);
  g_mutex_init (&graph->key_lock);
  graph->receivers = g_array_new (FALSE, FALSE, sizeof (Receiver));
  graph->pipeline = gst_pipeline_new ("oct-live");
  graph->settings = (OctLiveSettings){
    .automatic = TRUE, .min = 0.0, .max = 60.0, .method = oct_methods[0].id
  };
  if (source->images == NULL
      && oct_method_find (graph->settings.method) == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer does not find the elements of this project; install the "
        "plugin or set GST_PLUGIN_PATH to its folder.");
    oct_live_graph_free (graph);
    return NULL;
  }
  last = add_source (graph, source, error);
  if (last != NULL && source->images == NULL)
    last = add_reconstruction (graph, last, source, error);
  if (last == NULL || !add_branches (graph, last, source, error)) {
    oct_live_graph_free (graph);
    return NULL;
  }
  return graph;
}

/* ------------------------------------------------------------ start and end */

static void
report_end (OctLiveGraph *graph, const char *message)
{
  OctLiveEndFunc end = graph->end;

  graph->end = NULL;
  if (end != NULL)
    end (message, graph->end_data);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OctLiveGraph *graph = data;
  g_autoptr (GError) error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    gst_message_parse_error (message, &error, NULL);
    report_end (graph, error->message);
    break;
  case GST_MESSAGE_APPLICATION:
    if (gst_message_has_name (message, SOURCE_ENDED))
      report_end (graph, NULL);
    break;
  case GST_MESSAGE_EOS:
    report_end (graph, NULL);
    break;
  case GST_MESSAGE_WARNING:
    gst_message_parse_warning (message, &error, NULL);
    g_printerr ("Note: %s\n", error->message);
    break;
  case GST_MESSAGE_LATENCY:
    gst_bin_recalculate_latency (GST_BIN (graph->pipeline));
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

void
oct_live_graph_start (OctLiveGraph *graph, OctLiveEndFunc func, gpointer data)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (graph->pipeline);

  graph->end = func;
  graph->end_data = data;
  graph->watch = gst_bus_add_watch (bus, on_message, graph);
  gst_element_set_state (graph->pipeline, GST_STATE_PLAYING);
}

void
oct_live_graph_free (OctLiveGraph *graph)
{
  if (graph->watch != 0)
    g_source_remove (graph->watch);
  if (graph->key_timer != 0)
    g_source_remove (graph->key_timer);
  gst_element_set_state (graph->pipeline, GST_STATE_NULL);
  g_clear_pointer (&graph->octsrc, gst_object_unref);
  g_clear_pointer (&graph->image_pad, gst_object_unref);
  g_clear_pointer (&graph->images, gst_object_unref);
  g_clear_pointer (&graph->queue, gst_object_unref);
  for (guint i = 0; i < OCT_LIVE_N_STREAMS; i++)
    g_clear_pointer (&graph->valves[i], gst_object_unref);
  g_clear_pointer (&graph->encoder, gst_object_unref);
  gst_object_unref (graph->pipeline);
  g_array_unref (graph->receivers);
  g_mutex_clear (&graph->lock);
  g_mutex_clear (&graph->key_lock);
  g_free (graph);
}

/* ----------------------------------------------------------------- receivers
 */

guint
oct_live_graph_add_receiver (OctLiveGraph *graph, OctLiveStream stream,
    OctLiveBufferFunc func, gpointer data)
{
  Receiver receiver = { .stream = stream, .func = func, .data = data };

  g_mutex_lock (&graph->lock);
  receiver.id = ++graph->last_id;
  g_array_append_val (graph->receivers, receiver);
  g_mutex_unlock (&graph->lock);
  if (graph->watchers[stream]++ == 0)
    g_object_set (graph->valves[stream], "drop", FALSE, NULL);
  if (stream == OCT_LIVE_H264)
    oct_live_graph_request_key_frame (graph);
  return receiver.id;
}

void
oct_live_graph_remove_receiver (OctLiveGraph *graph, guint id)
{
  OctLiveStream stream = OCT_LIVE_N_STREAMS;

  g_mutex_lock (&graph->lock);
  for (guint i = 0; i < graph->receivers->len; i++) {
    Receiver *receiver = &g_array_index (graph->receivers, Receiver, i);

    if (receiver->id == id) {
      stream = receiver->stream;
      g_array_remove_index_fast (graph->receivers, i);
      break;
    }
  }
  g_mutex_unlock (&graph->lock);
  if (stream < OCT_LIVE_N_STREAMS && --graph->watchers[stream] == 0)
    g_object_set (graph->valves[stream], "drop", TRUE, NULL);
}

static void
force_key_frame (OctLiveGraph *graph)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (graph->encoder, "src");

  gst_pad_send_event (pad, gst_video_event_new_upstream_force_key_unit (
                               GST_CLOCK_TIME_NONE, TRUE, 0));
}

static gboolean
on_key_timer (gpointer data)
{
  OctLiveGraph *graph = data;

  g_mutex_lock (&graph->key_lock);
  graph->key_timer = 0;
  graph->last_key = gst_util_get_timestamp ();
  g_mutex_unlock (&graph->key_lock);
  force_key_frame (graph);
  return G_SOURCE_REMOVE;
}

/* Viewers ask whenever they lose a packet.  Key frames are large: the requests
 * of all viewers within the interval share one. */
void
oct_live_graph_request_key_frame (OctLiveGraph *graph)
{
  GstClockTime now = gst_util_get_timestamp (), since;
  gboolean force = FALSE;

  g_mutex_lock (&graph->key_lock);
  since = now - graph->last_key;
  if (graph->key_timer == 0 && since >= KEY_INTERVAL) {
    graph->last_key = now;
    force = TRUE;
  } else if (graph->key_timer == 0)
    graph->key_timer = g_timeout_add (
        (KEY_INTERVAL - since) / GST_MSECOND + 1, on_key_timer, graph);
  g_mutex_unlock (&graph->key_lock);
  if (force)
    force_key_frame (graph);
}

/* ------------------------------------------------------------------ settings
 */

gboolean
oct_live_graph_has_settings (OctLiveGraph *graph)
{
  return graph->chain != NULL;
}

void
oct_live_graph_get_settings (OctLiveGraph *graph, OctLiveSettings *settings)
{
  *settings = graph->settings;
}

static gboolean
check_settings (const OctLiveSettings *settings, GError **error)
{
  if (!settings->automatic && !(settings->min < settings->max)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "Black is at %g dB and white at %g dB; white has to be above black.",
        settings->min, settings->max);
    return FALSE;
  }
  if (oct_method_find (settings->method) == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "This reconstruction is not installed here; choose another one.");
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_live_graph_set_settings (
    OctLiveGraph *graph, const OctLiveSettings *settings, GError **error)
{
  const OctMethod *method;
  g_autoptr (GstElement) last = NULL;

  if (graph->chain == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "These pictures come finished from their source; there is nothing to "
        "set here.");
    return FALSE;
  }
  if (!check_settings (settings, error))
    return FALSE;
  method = oct_method_find (settings->method);
  if (method->id != graph->settings.method) {
    GstElement *chain =
        oct_chain_new (method, settings->a2, settings->a3, error);

    if (chain == NULL
        || !oct_live_chain_replace (graph->pipeline, graph->first, graph->chain,
            chain, graph->last, error))
      return FALSE;
    graph->chain = chain;
  } else
    oct_chain_set_dispersion (graph->chain, settings->a2, settings->a3);
  last = gst_bin_get_by_name (GST_BIN (graph->last), "last");
  gst_util_set_object_arg (
      G_OBJECT (last), "range", settings->automatic ? "contrast" : "manual");
  g_object_set (last, "min", settings->min, "max", settings->max, NULL);
  graph->settings = *settings;
  graph->settings.method = method->id;
  return TRUE;
}

/* --------------------------------------------------------------- information
 */

static void
get_depth (OctLiveGraph *graph, OctLiveInfo *info)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (graph->last, "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (caps == NULL)
    return;
  gst_structure_get_double (
      gst_caps_get_structure (caps, 0), "z-spacing", &info->z_spacing);
  info->backend = gst_caps_features_contains (
                      gst_caps_get_features (caps, 0), "memory:CUDAMemory")
                      ? "CUDA"
                      : "CPU";
}

void
oct_live_graph_get_info (OctLiveGraph *graph, OctLiveInfo *info)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (graph->images, "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo video;

  *info = (OctLiveInfo){ .encoder = graph->encoder_name };
  if (caps != NULL && gst_video_info_from_caps (&video, caps)) {
    info->width = video.width;
    info->height = video.height;
    if (video.fps_d > 0)
      info->rate = (double)video.fps_n / video.fps_d;
  }
  if (graph->last != NULL)
    get_depth (graph, info);
}

void
oct_live_graph_get_counts (OctLiveGraph *graph, OctLiveCounts *counts)
{
  gint entered = g_atomic_int_get (&graph->entered);
  gint left = g_atomic_int_get (&graph->left), waiting;

  g_object_get (graph->queue, "current-level-buffers", &waiting, NULL);
  counts->frames = g_atomic_int_get (&graph->made);
  counts->dropped = MAX (0, entered - left - waiting);
  counts->missed = 0;
  if (graph->octsrc != NULL)
    g_object_get (graph->octsrc, "dropped", &counts->missed, NULL);
  counts->time = gst_element_get_current_running_time (graph->pipeline);
}

GstSample *
oct_live_graph_get_image (OctLiveGraph *graph)
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (graph->pipeline), "still");
  GstSample *sample = NULL;

  g_object_get (sink, "last-sample", &sample, NULL);
  return sample;
}

GstPad *
oct_live_graph_get_image_pad (OctLiveGraph *graph)
{
  return gst_object_ref (graph->image_pad);
}

GstClock *
oct_live_graph_get_clock (OctLiveGraph *graph, GstClockTime *base_time)
{
  *base_time = gst_element_get_base_time (graph->pipeline);
  return gst_pipeline_get_clock (GST_PIPELINE (graph->pipeline));
}
