/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-graph.h"
#include "oct-encoder.h"
#include "oct-launch.h"
#include "oct-live-change.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

/* In front of each branch.  Two images are enough to bridge the other thread's
 * start and little enough to stay live. */
#define QUEUE                                                                  \
  "queue leaky=downstream max-size-buffers=2 max-size-bytes=0 max-size-time=0"
/* As large as browsers decode it; the page gives it its proportions back.  Grey
 * levels in the range that every decoder takes for granted. */
#define PICTURE                                                                \
  "capsfilter caps=\"video/x-raw,format=I420,colorimetry=bt709,"               \
  "width=[2,1920],height=[2,1088]\""
/* What drops here is what the branches could not even be given. */
#define BRANCHES                                                               \
  "appsrc name=in is-live=true format=time max-bytes=0 max-buffers=30 "        \
  "leaky-type=downstream ! tee name=images allow-not-linked=true "             \
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

/* Until the source is tried again, s. */
static const guint delays[] = { 1, 2, 4, 8, 10 };
/* What has run for so long is tried again after the shortest of them. */
#define RUNS_WELL (10 * G_TIME_SPAN_SECOND)
#define CLOSING_TIME (3 * G_TIME_SPAN_SECOND)

typedef struct {
  guint id;
  OctLiveStream stream;
  OctLiveBufferFunc func;
  gpointer data;
} Receiver;

struct _OctLiveGraph {
  OctLiveSource source;
  OctLiveGraphEvents events;
  gpointer data;

  /* From the source to the images; all of it in the main thread. */
  OctLiveFeed *feed;         /* NULL while there is none */
  gboolean closing;          /* the feed is */
  guint timer;               /* for the next one */
  gboolean soon;             /* the next one, once this one is closed */
  guint failures;            /* in a row */
  gint64 begun_at;           /* of the feed's first image, 0 = none yet */
  gint seen;                 /* there was an image once; atomic */
  guint64 missed;            /* by former feeds */
  char *trouble, *reported;  /* now, and what was printed last */
  OctLiveSettings settings;  /* method: the one wished for */
  const char *used, *former; /* methods: in use, and before that */
  const char *trying;        /* method that is, or NULL */
  OctLiveInfo info;          /* as far as it was known last */

  /* From the images to the streams. */
  GstElement *pipeline;
  GstElement *in, *images, *queue, *encoder;
  GstElement *valves[OCT_LIVE_N_STREAMS]; /* open while somebody watches */
  GstPad *image_pad;
  GstClockTime base_time;
  const char *encoder_name;
  gboolean broken; /* the pipeline has failed */
  guint watch;

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

/* From the images to the streams. */
static gboolean
add_branches (OctLiveGraph *graph, GError **error)
{
  OctEncoderSettings settings = { .bitrate = graph->source.bitrate,
    .key_distance = KEY_DISTANCE,
    .low_delay = TRUE };
  GstElement *branches =
      oct_launch_add_own_part (GST_BIN (graph->pipeline), BRANCHES, error);
  GstElement *h264;

  if (branches == NULL)
    return FALSE;
  graph->in = gst_bin_get_by_name (GST_BIN (branches), "in");
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
  h264 = oct_launch_add_own_part (GST_BIN (graph->pipeline),
      "capsfilter caps=video/x-h264,stream-format=byte-stream,alignment=au,"
      "profile=constrained-baseline ! appsink name=h264 sync=false async=false "
      "max-buffers=2 drop=true wait-on-eos=false",
      error);
  if (h264 == NULL)
    return FALSE;
  if (!gst_element_link_many (branches, graph->encoder, h264, NULL)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The encoder %s does not take pictures.", graph->encoder_name);
    return FALSE;
  }
  graph->image_pad = gst_element_get_static_pad (graph->in, "src");
  link_stream (graph, "h264", on_h264);
  link_stream (graph, "jpeg", on_jpeg);
  count_at (graph->images, "sink", &graph->made);
  count_at (graph->queue, "sink", &graph->entered);
  count_at (graph->queue, "src", &graph->left);
  return TRUE;
}

/* Its time goes on whatever happens to the source. */
static void
set_clock (OctLiveGraph *graph)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();

  graph->base_time = gst_clock_get_time (clock);
  gst_pipeline_use_clock (GST_PIPELINE (graph->pipeline), clock);
  gst_element_set_start_time (graph->pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (graph->pipeline, graph->base_time);
}

static OctLiveFeed *make_feed (OctLiveGraph *graph, GError **error);

OctLiveGraph *
oct_live_graph_new (const OctLiveSource *source, GError **error)
{
  OctLiveGraph *graph = g_new0 (OctLiveGraph, 1);

  g_mutex_init (&graph->lock);
  g_mutex_init (&graph->key_lock);
  graph->receivers = g_array_new (FALSE, FALSE, sizeof (Receiver));
  graph->source = *source;
  graph->pipeline = gst_object_ref_sink (gst_pipeline_new ("oct-live-streams"));
  graph->used = graph->former = oct_methods[0].id;
  graph->settings = (OctLiveSettings){
    .automatic = TRUE, .min = 0.0, .max = 60.0, .method = graph->used
  };
  if (source->images == NULL && oct_method_find (graph->used) == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer does not find the elements of this project; install the "
        "plugin or set GST_PLUGIN_PATH to its folder.");
    oct_live_graph_free (graph);
    return NULL;
  }
  set_clock (graph);
  graph->feed = make_feed (graph, error);
  if (graph->feed == NULL || !add_branches (graph, error)) {
    oct_live_graph_free (graph);
    return NULL;
  }
  return graph;
}

/* ----------------------------------------------------------------- the source
 */

/* Streaming thread of the feed. */
static void
on_image (GstBuffer *image, GstCaps *caps, gpointer data)
{
  OctLiveGraph *graph = data;
  GstClockTime time = GST_BUFFER_PTS (image);
  g_autoptr (GstSample) sample = NULL;

  GST_BUFFER_PTS (image) =
      time > graph->base_time ? time - graph->base_time : 0;
  g_atomic_int_set (&graph->seen, TRUE);
  sample = gst_sample_new (image, caps, NULL, NULL);
  gst_app_src_push_sample (GST_APP_SRC (graph->in), sample);
}

/* Takes the sentence. */
static void
set_trouble (OctLiveGraph *graph, char *trouble)
{
  g_free (graph->trouble);
  graph->trouble = trouble;
  if (g_strcmp0 (trouble, graph->reported) != 0) {
    g_printerr (
        "%s\n", trouble != NULL ? trouble : "Pictures are coming again.");
    g_free (graph->reported);
    graph->reported = g_strdup (trouble);
  }
  graph->events.trouble (graph->data);
}

static void
close_feed (OctLiveGraph *graph)
{
  if (graph->feed == NULL || graph->closing)
    return;
  graph->closing = TRUE;
  graph->trying = NULL;
  oct_live_feed_close (graph->feed);
}

static gboolean begin (gpointer data);

static void
begin_in (OctLiveGraph *graph, guint seconds)
{
  if (graph->timer == 0)
    graph->timer = g_timeout_add_seconds_full (
        G_PRIORITY_HIGH, seconds, begin, graph, NULL);
}

static guint
next_delay (OctLiveGraph *graph)
{
  guint delay = delays[MIN (graph->failures, G_N_ELEMENTS (delays) - 1)];

  graph->failures++;
  return delay;
}

/* What comes from elsewhere may lack the full stop. */
static char *
describe_failure (const char *message)
{
  return g_strdup_printf (
      "The source of the pictures has failed: %s%s It is being tried again.",
      message, g_str_has_suffix (message, ".") ? "" : ".");
}

static void
take_end (OctLiveGraph *graph, OctLiveEnd how, const char *message)
{
  if (!g_atomic_int_get (&graph->seen)) {
    close_feed (graph);
    graph->events.not_begun (message, graph->data);
    return;
  }
  if (graph->begun_at != 0
      && g_get_monotonic_time () - graph->begun_at > RUNS_WELL)
    graph->failures = 0;
  close_feed (graph);
  if (how == OCT_LIVE_FAILED)
    set_trouble (graph, describe_failure (message));
  else
    set_trouble (graph,
        g_strdup (how == OCT_LIVE_AT_END
                      ? "The source of the pictures has ended."
                      : "The source of the pictures has ended. It is being "
                        "tried again."));
  if (how != OCT_LIVE_AT_END)
    begin_in (graph, next_delay (graph));
}

/* The one that failed is given up for the one before, once, and nobody sees
 * more of it than a gap.  FALSE when it was that one already. */
static gboolean
revert (OctLiveGraph *graph, const char *message)
{
  const char *bad = graph->trying != NULL ? graph->trying : graph->used;
  const char *good = graph->trying != NULL ? graph->used : graph->former;

  if (bad == good || !g_atomic_int_get (&graph->seen))
    return FALSE;
  graph->used = graph->former = good;
  graph->settings.method = good;
  graph->soon = TRUE;
  close_feed (graph);
  graph->events.settings (message, graph->data);
  return TRUE;
}

static void
on_ended (OctLiveEnd how, const char *message, gboolean method, gpointer data)
{
  OctLiveGraph *graph = data;

  if (how != OCT_LIVE_FAILED || !method || !revert (graph, message))
    take_end (graph, how, message);
}

/* Begins the next change, if there is a wish left. */
static void
change (OctLiveGraph *graph)
{
  if (graph->feed == NULL || graph->closing || graph->begun_at == 0
      || graph->trying != NULL || graph->settings.method == graph->used)
    return;
  if (oct_live_feed_change (graph->feed, &graph->settings))
    graph->trying = graph->settings.method;
}

static void
on_changed (const char *problem, gpointer data)
{
  OctLiveGraph *graph = data;
  const char *tried = graph->trying;
  gboolean last = graph->settings.method == tried;

  graph->trying = NULL;
  if (problem == NULL) {
    graph->former = graph->used;
    graph->used = tried;
  } else if (last)
    graph->settings.method = graph->used;
  if (last)
    graph->events.settings (problem, graph->data);
  change (graph);
}

static void
on_begun (gpointer data)
{
  OctLiveGraph *graph = data;

  graph->begun_at = g_get_monotonic_time ();
  if (graph->trouble != NULL) {
    set_trouble (graph, NULL);
    oct_live_graph_request_key_frame (graph);
  }
  change (graph);
}

static void
on_closed (gpointer data)
{
  OctLiveGraph *graph = data;

  graph->missed += oct_live_feed_get_missed (graph->feed);
  graph->closing = FALSE;
  g_clear_pointer (&graph->feed, oct_live_feed_free);
  if (graph->soon)
    begin (graph);
}

static OctLiveFeed *
make_feed (OctLiveGraph *graph, GError **error)
{
  static const OctLiveFeedEvents events = { on_image, on_begun, on_ended,
    on_changed, on_closed };
  OctLiveSettings settings = graph->settings;

  settings.method = graph->used;
  graph->begun_at = 0;
  return oct_live_feed_new (&graph->source, &settings, &events, graph, error);
}

static gboolean
begin (gpointer data)
{
  OctLiveGraph *graph = data;
  g_autoptr (GError) error = NULL;

  if (graph->timer != 0)
    g_source_remove (graph->timer);
  graph->timer = 0;
  /* no source can be opened twice, and some take their time to be let go of */
  graph->soon = graph->feed != NULL;
  if (graph->soon)
    return G_SOURCE_REMOVE;
  if (graph->broken) {
    graph->broken = FALSE;
    gst_element_set_state (graph->pipeline, GST_STATE_NULL);
    gst_element_set_state (graph->pipeline, GST_STATE_PLAYING);
  }
  graph->feed = make_feed (graph, &error);
  if (graph->feed != NULL)
    oct_live_feed_start (graph->feed);
  else
    take_end (graph, OCT_LIVE_FAILED, error->message);
  return G_SOURCE_REMOVE;
}

/* ------------------------------------------------------------ start and end */

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OctLiveGraph *graph = data;
  g_autoptr (GError) error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    gst_message_parse_error (message, &error, NULL);
    if (!graph->broken) {
      graph->broken = TRUE;
      take_end (graph, OCT_LIVE_FAILED, error->message);
    }
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
oct_live_graph_start (
    OctLiveGraph *graph, const OctLiveGraphEvents *events, gpointer data)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (graph->pipeline);

  graph->events = *events;
  graph->data = data;
  graph->watch =
      gst_bus_add_watch_full (bus, G_PRIORITY_HIGH, on_message, graph, NULL);
  gst_element_set_state (graph->pipeline, GST_STATE_PLAYING);
  oct_live_feed_start (graph->feed);
}

gboolean
oct_live_graph_free (OctLiveGraph *graph)
{
  if (graph->watch != 0)
    g_source_remove (graph->watch);
  if (graph->key_timer != 0)
    g_source_remove (graph->key_timer);
  if (graph->timer != 0)
    g_source_remove (graph->timer);
  close_feed (graph);
  if (graph->feed != NULL && !oct_live_feed_wait (graph->feed, CLOSING_TIME))
    return FALSE;
  gst_element_set_state (graph->pipeline, GST_STATE_NULL);
  g_clear_pointer (&graph->feed, oct_live_feed_free);
  g_clear_pointer (&graph->image_pad, gst_object_unref);
  g_clear_pointer (&graph->in, gst_object_unref);
  g_clear_pointer (&graph->images, gst_object_unref);
  g_clear_pointer (&graph->queue, gst_object_unref);
  for (guint i = 0; i < OCT_LIVE_N_STREAMS; i++)
    g_clear_pointer (&graph->valves[i], gst_object_unref);
  g_clear_pointer (&graph->encoder, gst_object_unref);
  gst_object_unref (graph->pipeline);
  g_array_unref (graph->receivers);
  g_mutex_clear (&graph->lock);
  g_mutex_clear (&graph->key_lock);
  g_free (graph->trouble);
  g_free (graph->reported);
  g_free (graph);
  return !oct_live_trial_is_any_running ();
}

const char *
oct_live_graph_get_trouble (OctLiveGraph *graph)
{
  return graph->trouble;
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
  return graph->source.images == NULL;
}

void
oct_live_graph_get_settings (OctLiveGraph *graph, OctLiveSettings *settings)
{
  *settings = graph->settings;
}

gboolean
oct_live_graph_is_changing (OctLiveGraph *graph)
{
  return graph->settings.method != graph->used;
}

static gboolean
check_settings (
    OctLiveGraph *graph, const OctLiveSettings *settings, GError **error)
{
  if (!oct_live_graph_has_settings (graph)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "These pictures come finished from their source; there is nothing to "
        "set here.");
    return FALSE;
  }
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
  if (!check_settings (graph, settings, error))
    return FALSE;
  graph->settings = *settings;
  graph->settings.method = oct_method_find (settings->method)->id;
  if (graph->feed != NULL)
    oct_live_feed_set (graph->feed, &graph->settings);
  change (graph);
  return TRUE;
}

/* --------------------------------------------------------------- information
 */

void
oct_live_graph_get_info (OctLiveGraph *graph, OctLiveInfo *info)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (graph->images, "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo video;

  if (graph->feed != NULL && !graph->closing)
    oct_live_feed_get_info (graph->feed, &graph->info);
  if (caps != NULL && gst_video_info_from_caps (&video, caps)) {
    graph->info.width = video.width;
    graph->info.height = video.height;
    graph->info.rate =
        video.fps_d > 0 ? (double)video.fps_n / video.fps_d : 0.0;
  }
  graph->info.encoder = graph->encoder_name;
  *info = graph->info;
}

void
oct_live_graph_get_counts (OctLiveGraph *graph, OctLiveCounts *counts)
{
  gint entered = g_atomic_int_get (&graph->entered);
  gint left = g_atomic_int_get (&graph->left), waiting;

  g_object_get (graph->queue, "current-level-buffers", &waiting, NULL);
  counts->frames = g_atomic_int_get (&graph->made);
  counts->dropped = MAX (0, entered - left - waiting);
  counts->missed = graph->missed;
  if (graph->feed != NULL)
    counts->missed += oct_live_feed_get_missed (graph->feed);
  counts->time = gst_element_get_current_running_time (graph->pipeline);
}

GstSample *
oct_live_graph_get_image (OctLiveGraph *graph)
{
  g_autoptr (GstElement) sink = NULL;
  GstSample *sample = NULL;

  /* nobody shall take an old picture for one of now */
  if (graph->trouble != NULL)
    return NULL;
  sink = gst_bin_get_by_name (GST_BIN (graph->pipeline), "still");
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
  *base_time = graph->base_time;
  return gst_pipeline_get_clock (GST_PIPELINE (graph->pipeline));
}
