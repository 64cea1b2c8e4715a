/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-streams.h"

#include "oct-encoder.h"
#include "oct-launch.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

/* Each branch has a source of its own.  A leaky queue after a tee would not do:
 * an image that has just left it may go on with the caps of the next ones, which
 * the queue puts on its pad when it drops them.  Two images are enough to bridge
 * the other thread's start and little enough to stay live. */
#define SHOWN                                                                  \
  "is-live=true format=time max-bytes=0 max-buffers=2 leaky-type=downstream "  \
  "! "
/* As large as browsers decode it; the page gives it its proportions back.  Grey
 * levels in the range that every decoder takes for granted. */
#define PICTURE                                                                \
  "capsfilter caps=\"video/x-raw,format=I420,colorimetry=bt709,"               \
  "width=[2,1920],height=[2,1088]\""
/* All levels, as JFIF has them, and grey ones too; jpegenc takes any others for
 * these. */
#define OF_JPEG "capsfilter caps=\"video/x-raw,colorimetry=1:4:0:0\" ! "
#define RECORDED                                                               \
  "is-live=true format=time max-bytes=0 max-buffers=30 "                       \
  "leaky-type=downstream ! "
#define NOWHERE "fakesink sync=false async=false enable-last-sample=false "
/* B-scans, which recordings take downstream of `in`, and next to them the view:
 * the B-scans or pictures of volumes. */
#define BRANCHES                                                               \
  "appsrc name=in " RECORDED NOWHERE "appsrc name=field " RECORDED             \
  "videoconvert ! videoscale ! "                                               \
  "capsfilter name=field-caps caps=video/x-raw,format=I420 ! " NOWHERE         \
  "appsrc name=screen " RECORDED NOWHERE "appsrc name=shown-jpeg " SHOWN       \
  "valve name=valve-jpeg drop=true ! videoconvert ! " OF_JPEG                  \
  "jpegenc quality=85 ! appsink name=jpeg sync=false async=false "             \
  "max-buffers=1 drop=true wait-on-eos=false "                                 \
  "appsrc name=shown-h264 " SHOWN "valve name=valve-h264 drop=true ! "         \
  "videoconvert ! videoscale ! " PICTURE

#define KEY_DISTANCE                                                           \
  60 /* frames; viewers who join ask for one of their own                      \
      */
#define KEY_INTERVAL (330 * GST_MSECOND)

static const char *const stream_names[OCT_LIVE_N_STREAMS] = { "h264", "jpeg" };

typedef struct {
  guint id;
  OctLiveStream stream;
  OctLiveBufferFunc func;
  gpointer data;
} Receiver;

struct _OctLiveStreams {
  OctLiveStreamsFailed failed;
  gpointer data;
  GstElement *pipeline;
  GstElement *in, *encoder;
  GstElement *shown[OCT_LIVE_N_STREAMS];
  GstElement *valves[OCT_LIVE_N_STREAMS]; /* open while somebody watches */
  GstElement *field, *field_caps, *screen;
  gboolean sized; /* the field has its size; field_lock */
  GMutex field_lock;
  GstPad *image_pad;
  GstClockTime base_time;
  const char *encoder_name;
  gboolean broken; /* the pipeline has failed */
  guint watch;

  gint made, entered,
      left; /* images, and through the encoder's source; atomic */

  GMutex lock;
  GArray *receivers;
  guint last_id;
  guint watchers[OCT_LIVE_N_STREAMS]; /* main thread */

  GMutex image_lock;
  GstSample *image; /* the last one shown */

  GMutex key_lock;
  GstClockTime last_key;
  guint key_timer;
};

/* -------------------------------------------------------------- the pipeline
 */

static void
link_stream (OctLiveStreams *streams, const char *name,
    GstFlowReturn (*func) (GstAppSink *sink, gpointer streams))
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (streams->pipeline), name);
  GstAppSinkCallbacks callbacks = { .new_sample = func };

  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, streams, NULL);
}

/* The encoder counts time from an hour far away (by its segment).  The
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
send_to_receivers (
    OctLiveStreams *streams, OctLiveStream stream, GstAppSink *sink)
{
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  g_autoptr (GstBuffer) buffer = NULL;

  if (sample == NULL)
    return;
  buffer = stamp_running_time (sample);
  g_mutex_lock (&streams->lock);
  for (guint i = 0; i < streams->receivers->len; i++) {
    Receiver *receiver = &g_array_index (streams->receivers, Receiver, i);

    if (receiver->stream == stream)
      receiver->func (buffer, gst_sample_get_caps (sample), receiver->data);
  }
  g_mutex_unlock (&streams->lock);
}

static GstFlowReturn
on_h264 (GstAppSink *sink, gpointer data)
{
  send_to_receivers (data, OCT_LIVE_H264, sink);
  return GST_FLOW_OK;
}

static GstFlowReturn
streams_on_jpeg (GstAppSink *sink, gpointer data)
{
  send_to_receivers (data, OCT_LIVE_JPEG, sink);
  return GST_FLOW_OK;
}

static GstPadProbeReturn
streams_count (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc ((gint *)data);
  return GST_PAD_PROBE_OK;
}

static void
count_at (GstElement *element, const char *name, gint *counter)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, streams_count, counter, NULL);
}

/* From the images to the streams. */
static gboolean
add_branches (OctLiveStreams *streams, guint bitrate, GError **error)
{
  OctEncoderSettings settings = {
    .bitrate = bitrate, .key_distance = KEY_DISTANCE, .low_delay = TRUE
  };
  GstElement *branches =
      oct_launch_add_own_part (GST_BIN (streams->pipeline), BRANCHES, error);
  GstElement *h264;

  if (branches == NULL)
    return FALSE;
  streams->in = gst_bin_get_by_name (GST_BIN (branches), "in");
  for (guint i = 0; i < OCT_LIVE_N_STREAMS; i++) {
    g_autofree char *shown = g_strconcat ("shown-", stream_names[i], NULL);
    g_autofree char *valve = g_strconcat ("valve-", stream_names[i], NULL);

    streams->shown[i] = gst_bin_get_by_name (GST_BIN (branches), shown);
    streams->valves[i] = gst_bin_get_by_name (GST_BIN (branches), valve);
  }
  streams->encoder = oct_encoder_new (&settings, &streams->encoder_name, error);
  if (streams->encoder == NULL)
    return FALSE;
  gst_object_ref_sink (streams->encoder);
  gst_bin_add (GST_BIN (streams->pipeline), streams->encoder);
  h264 = oct_launch_add_own_part (GST_BIN (streams->pipeline),
      "capsfilter caps=video/x-h264,stream-format=byte-stream,alignment=au,"
      "profile=constrained-baseline ! appsink name=h264 sync=false async=false "
      "max-buffers=2 drop=true wait-on-eos=false",
      error);
  if (h264 == NULL)
    return FALSE;
  if (!gst_element_link_many (branches, streams->encoder, h264, NULL)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The encoder %s does not take pictures.", streams->encoder_name);
    return FALSE;
  }
  streams->image_pad = gst_element_get_static_pad (streams->in, "src");
  streams->field = gst_bin_get_by_name (GST_BIN (branches), "field");
  streams->field_caps = gst_bin_get_by_name (GST_BIN (branches), "field-caps");
  streams->screen = gst_bin_get_by_name (GST_BIN (branches), "screen");
  link_stream (streams, "h264", on_h264);
  link_stream (streams, "jpeg", streams_on_jpeg);
  count_at (streams->in, "src", &streams->made);
  count_at (streams->shown[OCT_LIVE_H264], "src", &streams->left);
  return TRUE;
}

/* Its time goes on whatever happens to the source. */
static void
set_clock (OctLiveStreams *streams)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();

  streams->base_time = gst_clock_get_time (clock);
  gst_pipeline_use_clock (GST_PIPELINE (streams->pipeline), clock);
  gst_element_set_start_time (streams->pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (streams->pipeline, streams->base_time);
}

OctLiveStreams *
oct_live_streams_new (
    guint bitrate, OctLiveStreamsFailed failed, gpointer data, GError **error)
{
  OctLiveStreams *streams = g_new0 (OctLiveStreams, 1);

  streams->failed = failed;
  streams->data = data;
  g_mutex_init (&streams->lock);
  g_mutex_init (&streams->image_lock);
  g_mutex_init (&streams->key_lock);
  g_mutex_init (&streams->field_lock);
  streams->receivers = g_array_new (FALSE, FALSE, sizeof (Receiver));
  streams->pipeline =
      gst_object_ref_sink (gst_pipeline_new ("oct-live-streams"));
  set_clock (streams);
  if (add_branches (streams, bitrate, error))
    return streams;
  oct_live_streams_free (streams);
  return NULL;
}

void
oct_live_streams_free (OctLiveStreams *streams)
{
  if (streams->watch != 0)
    g_source_remove (streams->watch);
  gst_element_set_state (streams->pipeline, GST_STATE_NULL);
  /* after that no thread of the pipeline asks for a key frame any more */
  if (streams->key_timer != 0)
    g_source_remove (streams->key_timer);
  g_clear_pointer (&streams->image_pad, gst_object_unref);
  g_clear_pointer (&streams->in, gst_object_unref);
  gst_clear_object (&streams->field);
  gst_clear_object (&streams->field_caps);
  gst_clear_object (&streams->screen);
  for (guint i = 0; i < OCT_LIVE_N_STREAMS; i++) {
    g_clear_pointer (&streams->shown[i], gst_object_unref);
    g_clear_pointer (&streams->valves[i], gst_object_unref);
  }
  g_clear_pointer (&streams->encoder, gst_object_unref);
  gst_object_unref (streams->pipeline);
  g_clear_pointer (&streams->image, gst_sample_unref);
  g_array_unref (streams->receivers);
  g_mutex_clear (&streams->lock);
  g_mutex_clear (&streams->image_lock);
  g_mutex_clear (&streams->key_lock);
  g_mutex_clear (&streams->field_lock);
  g_free (streams);
}

/* ------------------------------------------------------------------ its life
 */

/* Name of the part of the streams that has posted `message`. */
static char *
streams_name_part (OctLiveStreams *streams, GstMessage *message)
{
  GstObject *object = GST_MESSAGE_SRC (message);
  GstElementFactory *factory =
      GST_IS_ELEMENT (object) ? gst_element_get_factory (GST_ELEMENT (object))
                              : NULL;

  if (object == GST_OBJECT (streams->encoder)
      || gst_object_has_as_ancestor (object, GST_OBJECT (streams->encoder)))
    return g_strdup_printf ("The encoder %s", streams->encoder_name);
  if (factory != NULL
      && gst_element_factory_list_is_type (
          factory, GST_ELEMENT_FACTORY_TYPE_ENCODER))
    return g_strdup_printf ("The encoder %s", GST_OBJECT_NAME (factory));
  return g_strdup_printf ("What makes a video of the pictures (%s)",
      factory != NULL ? GST_OBJECT_NAME (factory) : GST_OBJECT_NAME (object));
}

static void
streams_take_error (OctLiveStreams *streams, GstMessage *message)
{
  g_autofree char *what = streams_name_part (streams, message);
  g_autoptr (GError) error = NULL;

  /* of several the first one counts */
  if (streams->broken)
    return;
  streams->broken = TRUE;
  gst_message_parse_error (message, &error, NULL);
  streams->failed (what, error->message, streams->data);
}

static gboolean
streams_on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OctLiveStreams *streams = data;
  g_autofree char *sentence = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    streams_take_error (streams, message);
    break;
  case GST_MESSAGE_WARNING:
    sentence = oct_launch_describe_warning (message);
    g_printerr ("Note: %s\n", sentence);
    break;
  case GST_MESSAGE_LATENCY:
    gst_bin_recalculate_latency (GST_BIN (streams->pipeline));
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

void
oct_live_streams_start (OctLiveStreams *streams)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (streams->pipeline);

  streams->watch = gst_bus_add_watch_full (
      bus, G_PRIORITY_HIGH, streams_on_message, streams, NULL);
  gst_element_set_state (streams->pipeline, GST_STATE_PLAYING);
}

/* Takes a reference of the sample, or NULL for none. */
static void
streams_set_image (OctLiveStreams *streams, GstSample *sample)
{
  GstSample *former;

  g_mutex_lock (&streams->image_lock);
  former = streams->image;
  streams->image = sample;
  g_mutex_unlock (&streams->image_lock);
  if (former != NULL)
    gst_sample_unref (former);
}

void
oct_live_streams_repair (OctLiveStreams *streams)
{
  if (!streams->broken)
    return;
  streams->broken = FALSE;
  gst_element_set_state (streams->pipeline, GST_STATE_NULL);
  streams_set_image (streams, NULL);
  gst_element_set_state (streams->pipeline, GST_STATE_PLAYING);
}

static GstSample *
stamp_ours (OctLiveStreams *streams, GstBuffer *image, GstCaps *caps)
{
  GstClockTime time = GST_BUFFER_PTS (image);

  GST_BUFFER_PTS (image) =
      time > streams->base_time ? time - streams->base_time : 0;
  return gst_sample_new (image, caps, NULL, NULL);
}

static void
streams_show (OctLiveStreams *streams, GstSample *sample)
{
  for (guint i = 0; i < OCT_LIVE_N_STREAMS; i++)
    if (gst_app_src_push_sample (GST_APP_SRC (streams->shown[i]), sample)
            == GST_FLOW_OK
        && i == OCT_LIVE_H264)
      g_atomic_int_inc (&streams->entered);
  streams_set_image (streams, gst_sample_ref (sample));
}

void
oct_live_streams_push (
    OctLiveStreams *streams, GstBuffer *image, GstCaps *caps, gboolean show)
{
  g_autoptr (GstSample) sample = stamp_ours (streams, image, caps);

  gst_app_src_push_sample (GST_APP_SRC (streams->in), sample);
  if (show)
    streams_show (streams, sample);
}

void
oct_live_streams_show (
    OctLiveStreams *streams, GstBuffer *picture, GstCaps *caps)
{
  g_autoptr (GstSample) sample = stamp_ours (streams, picture, caps);

  streams_show (streams, sample);
}

/* A recording cannot follow another size, nor another rate in the caps. */
static void
streams_fix_field (OctLiveStreams *streams, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;
  g_autoptr (GstCaps) fixed = NULL;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  fixed = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "I420",
      "width", G_TYPE_INT, MAX (16, width / 2 * 2), "height", G_TYPE_INT,
      MAX (16, height / 2 * 2), NULL);
  g_object_set (streams->field_caps, "caps", fixed, NULL);
}

void
oct_live_streams_push_field (OctLiveStreams *streams, GstBuffer *picture,
    GstCaps *caps, GstClockTime time)
{
  g_autoptr (GstBuffer) copy = gst_buffer_copy (picture);
  g_autoptr (GstCaps) own = gst_caps_copy (caps);
  g_autoptr (GstSample) sample = NULL;

  gst_caps_set_simple (own, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  GST_BUFFER_PTS (copy) = time;
  GST_BUFFER_DTS (copy) = GST_BUFFER_DURATION (copy) = GST_CLOCK_TIME_NONE;
  sample = stamp_ours (streams, copy, own);
  g_mutex_lock (&streams->field_lock);
  if (!streams->sized)
    streams_fix_field (streams, own);
  streams->sized = TRUE;
  gst_app_src_push_sample (GST_APP_SRC (streams->field), sample);
  g_mutex_unlock (&streams->field_lock);
}

void
oct_live_streams_push_screen (
    OctLiveStreams *streams, GstBuffer *picture, GstCaps *caps)
{
  g_autoptr (GstSample) sample = stamp_ours (streams, picture, caps);

  gst_app_src_push_sample (GST_APP_SRC (streams->screen), sample);
  streams_show (streams, sample);
}

/* ----------------------------------------------------------------- receivers
 */

guint
oct_live_streams_add_receiver (OctLiveStreams *streams, OctLiveStream stream,
    OctLiveBufferFunc func, gpointer data)
{
  Receiver receiver = { .stream = stream, .func = func, .data = data };

  g_mutex_lock (&streams->lock);
  receiver.id = ++streams->last_id;
  g_array_append_val (streams->receivers, receiver);
  g_mutex_unlock (&streams->lock);
  if (streams->watchers[stream]++ == 0)
    g_object_set (streams->valves[stream], "drop", FALSE, NULL);
  if (stream == OCT_LIVE_H264)
    oct_live_streams_request_key_frame (streams);
  return receiver.id;
}

void
oct_live_streams_remove_receiver (OctLiveStreams *streams, guint id)
{
  OctLiveStream stream = OCT_LIVE_N_STREAMS;

  g_mutex_lock (&streams->lock);
  for (guint i = 0; i < streams->receivers->len; i++) {
    Receiver *receiver = &g_array_index (streams->receivers, Receiver, i);

    if (receiver->id == id) {
      stream = receiver->stream;
      g_array_remove_index_fast (streams->receivers, i);
      break;
    }
  }
  g_mutex_unlock (&streams->lock);
  if (stream < OCT_LIVE_N_STREAMS && --streams->watchers[stream] == 0)
    g_object_set (streams->valves[stream], "drop", TRUE, NULL);
}

static void
force_key_frame (OctLiveStreams *streams)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (streams->encoder, "src");

  gst_pad_send_event (pad, gst_video_event_new_upstream_force_key_unit (
                               GST_CLOCK_TIME_NONE, TRUE, 0));
}

static gboolean
on_key_timer (gpointer data)
{
  OctLiveStreams *streams = data;

  g_mutex_lock (&streams->key_lock);
  streams->key_timer = 0;
  streams->last_key = gst_util_get_timestamp ();
  g_mutex_unlock (&streams->key_lock);
  force_key_frame (streams);
  return G_SOURCE_REMOVE;
}

/* Viewers ask whenever they lose a packet.  Key frames are large: the requests
 * of all viewers within the interval share one. */
void
oct_live_streams_request_key_frame (OctLiveStreams *streams)
{
  GstClockTime now = gst_util_get_timestamp (), since;
  gboolean force = FALSE;

  g_mutex_lock (&streams->key_lock);
  since = now - streams->last_key;
  if (streams->key_timer == 0 && since >= KEY_INTERVAL) {
    streams->last_key = now;
    force = TRUE;
  } else if (streams->key_timer == 0)
    streams->key_timer = g_timeout_add (
        (KEY_INTERVAL - since) / GST_MSECOND + 1, on_key_timer, streams);
  g_mutex_unlock (&streams->key_lock);
  if (force)
    force_key_frame (streams);
}

/* --------------------------------------------------------------- information
 */

const char *
oct_live_streams_get_encoder (OctLiveStreams *streams)
{
  return streams->encoder_name;
}

GstCaps *
oct_live_streams_get_caps (OctLiveStreams *streams)
{
  return gst_pad_get_current_caps (streams->image_pad);
}

void
oct_live_streams_get_counts (OctLiveStreams *streams, guint64 *images,
    guint64 *dropped, GstClockTime *time)
{
  gint entered = g_atomic_int_get (&streams->entered);
  gint left = g_atomic_int_get (&streams->left);
  gint waiting = (gint)gst_app_src_get_current_level_buffers (
      GST_APP_SRC (streams->shown[OCT_LIVE_H264]));

  *images = g_atomic_int_get (&streams->made);
  *dropped = MAX (0, entered - left - waiting);
  *time = gst_element_get_current_running_time (streams->pipeline);
}

GstSample *
oct_live_streams_get_image (OctLiveStreams *streams)
{
  GstSample *sample;

  g_mutex_lock (&streams->image_lock);
  sample = streams->image != NULL ? gst_sample_ref (streams->image) : NULL;
  g_mutex_unlock (&streams->image_lock);
  return sample;
}

GstPad *
oct_live_streams_get_image_pad (OctLiveStreams *streams)
{
  return gst_object_ref (streams->image_pad);
}

GstPad *
oct_live_streams_get_field_pad (OctLiveStreams *streams)
{
  return gst_element_get_static_pad (streams->field_caps, "src");
}

GstPad *
oct_live_streams_get_screen_pad (OctLiveStreams *streams)
{
  return gst_element_get_static_pad (streams->screen, "src");
}

GstClock *
oct_live_streams_get_clock (OctLiveStreams *streams, GstClockTime *base_time)
{
  *base_time = streams->base_time;
  return gst_pipeline_get_clock (GST_PIPELINE (streams->pipeline));
}
