/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-viewer.h"
#include "oct-live-playout.h"

#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#define GST_USE_UNSTABLE_API
#include <gst/webrtc/webrtc.h>

/* Time stamps of RTP are the running time of the source: the page computes the
 * delay from them.  With a bundle the RTP session would get caps without an SSRC
 * and would ask for the clock rate while it makes its first report, without its
 * lock: before GStreamer 1.22.3 a report of the browser that comes just then
 * changes the table that it walks through.  A bundle of one video is worth
 * nothing. */
#define PIPELINE                                                               \
  "appsrc name=in is-live=true format=time max-buffers=0 max-bytes=0 ! "       \
  "rtph264pay name=pay pt=96 mtu=1200 aggregate-mode=zero-latency "            \
  "config-interval=-1 timestamp-offset=0 perfect-rtptime=false ! " RTP_CAPS    \
  " ! webrtcbin name=rtc bundle-policy=none latency=0"
#define RTP_CAPS                                                               \
  "application/x-rtp,media=video,encoding-name=H264,payload=96,"               \
  "clock-rate=90000"
/* Constrained baseline, level 3.1: every browser states that it decodes it. */
#define LEVEL "3.1"
#define CODEC_CAPS                                                             \
  RTP_CAPS                                                                     \
  ",packetization-mode=(string)1,"                                             \
  "profile-level-id=(string)42e01f,level-asymmetry-allowed=(string)1,"         \
  "extmap-" G_STRINGIFY (OCT_LIVE_PLAYOUT_ID) "=(string)" OCT_LIVE_PLAYOUT_URI
#define MAX_WAITING 15 /* frames, half a second */

/* The use of the next frame.  One key frame goes in at once, because
 * webrtcbin makes its offer when it has seen the parameters of the stream;
 * those up to the connection would pile up. */
typedef enum {
  INTRODUCING, /* waits for a key frame */
  CONNECTING,  /* takes none */
  STARTING,    /* waits for a key frame */
  FLOWING,     /* takes all */
  BEHIND,      /* has dropped some, waits for a key frame */
} Phase;

struct _OctLiveViewer {
  OctLiveGraph *graph;
  OctLiveViewerEvents events;
  gpointer data;
  GstElement *pipeline, *in, *rtc;
  guint receiver;
  guint watch;
  gint closed, connected; /* atomic */
  gint dropped;           /* atomic */
  Phase phase;            /* encoder's thread */
  gboolean offered;
};

/* A message from a thread of webrtcbin to the main thread. */
typedef struct {
  OctLiveViewer *viewer; /* a reference */
  char *sdp, *candidate;
  guint mline;
} News;

static void
clear_viewer (gpointer data)
{
  OctLiveViewer *viewer = data;

  gst_object_unref (viewer->in);
  gst_object_unref (viewer->rtc);
  gst_object_unref (viewer->pipeline);
}

static void
viewer_release (OctLiveViewer *viewer)
{
  g_atomic_rc_box_release_full (viewer, clear_viewer);
}

static void
free_news (gpointer data)
{
  News *news = data;

  viewer_release (news->viewer);
  g_free (news->sdp);
  g_free (news->candidate);
  g_free (news);
}

static gboolean
on_news (gpointer data)
{
  News *news = data;
  OctLiveViewer *viewer = news->viewer;

  if (g_atomic_int_get (&viewer->closed))
    return G_SOURCE_REMOVE;
  if (news->sdp != NULL)
    viewer->events.offer (news->sdp, viewer->data);
  else if (news->candidate != NULL)
    viewer->events.candidate (news->mline, news->candidate, viewer->data);
  else
    viewer->events.failed (viewer->data);
  return G_SOURCE_REMOVE;
}

/* Takes the strings. */
static void
viewer_tell (OctLiveViewer *viewer, char *sdp, guint mline, char *candidate)
{
  News *news = g_new (News, 1);

  news->viewer = g_atomic_rc_box_acquire (viewer);
  news->sdp = sdp;
  news->mline = mline;
  news->candidate = candidate;
  g_main_context_invoke_full (
      NULL, G_PRIORITY_DEFAULT, on_news, news, free_news);
}

/* ---------------------------------------------------------------- the frames
 */

/* rtph264pay refuses a level above the one of CODEC_CAPS, which larger or
 * faster images than 1280 x 720 at 30 per second have.  Browsers name that
 * level, read the real one in the stream, and decode what the page shows. */
static void
viewer_push (OctLiveViewer *viewer, GstBuffer *buffer, GstCaps *caps)
{
  g_autoptr (GstCaps) taken = gst_caps_copy (caps);

  gst_caps_set_simple (taken, "level", G_TYPE_STRING, LEVEL, NULL);
  gst_app_src_set_caps (GST_APP_SRC (viewer->in), taken);
  gst_app_src_push_buffer (GST_APP_SRC (viewer->in), gst_buffer_ref (buffer));
}

/* In the encoder's thread.  The frame's time is the running time, and this
 * pipeline shares clock and base time with the source's. */
static void
viewer_on_frame (GstBuffer *buffer, GstCaps *caps, gpointer data)
{
  OctLiveViewer *viewer = data;
  gboolean key = !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);

  if (viewer->phase == CONNECTING && g_atomic_int_get (&viewer->connected))
    viewer->phase = STARTING;
  if (viewer->phase == FLOWING
      && gst_app_src_get_current_level_buffers (GST_APP_SRC (viewer->in))
             >= MAX_WAITING) {
    viewer->phase = BEHIND;
    oct_live_streams_request_key_frame (
        oct_live_graph_get_streams (viewer->graph));
  }
  if (viewer->phase == BEHIND && !key)
    g_atomic_int_inc (&viewer->dropped);
  if (viewer->phase == CONNECTING || (viewer->phase != FLOWING && !key))
    return;
  viewer->phase = viewer->phase == INTRODUCING ? CONNECTING : FLOWING;
  viewer_push (viewer, buffer, caps);
}

/* A request for a key frame arrives here on its way to the encoder. */
static GstPadProbeReturn
on_upstream (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctLiveViewer *viewer = data;

  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info))
      && !g_atomic_int_get (&viewer->closed))
    oct_live_streams_request_key_frame (
        oct_live_graph_get_streams (viewer->graph));
  return GST_PAD_PROBE_OK;
}

/* --------------------------------------------------------------- negotiation
 */

static void
on_offer_created (GstPromise *promise, gpointer data)
{
  OctLiveViewer *viewer = data;
  const GstStructure *reply = gst_promise_get_reply (promise);
  GstWebRTCSessionDescription *offer = NULL;

  if (reply != NULL)
    gst_structure_get (
        reply, "offer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &offer, NULL);
  if (offer != NULL) {
    g_signal_emit_by_name (viewer->rtc, "set-local-description", offer, NULL);
    viewer_tell (viewer, gst_sdp_message_as_text (offer->sdp), 0, NULL);
    gst_webrtc_session_description_free (offer);
  } else
    viewer_tell (viewer, NULL, 0, NULL);
  gst_promise_unref (promise);
}

static void
on_negotiation_needed (GstElement *rtc, gpointer data)
{
  OctLiveViewer *viewer = data;
  GstPromise *promise;

  if (viewer->offered)
    return;
  viewer->offered = TRUE;
  promise = gst_promise_new_with_change_func (on_offer_created,
      g_atomic_rc_box_acquire (viewer), (GDestroyNotify)viewer_release);
  g_signal_emit_by_name (rtc, "create-offer", NULL, promise);
}

static void
on_ice_candidate (
    GstElement *rtc, guint mline, const char *candidate, gpointer data)
{
  viewer_tell (data, NULL, mline, g_strdup (candidate));
}

static void
on_connection_state (GstElement *rtc, GParamSpec *pspec, gpointer data)
{
  OctLiveViewer *viewer = data;
  GstWebRTCPeerConnectionState state;

  g_object_get (rtc, "connection-state", &state, NULL);
  if (state == GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED
      && g_atomic_int_compare_and_exchange (&viewer->connected, FALSE, TRUE))
    oct_live_streams_request_key_frame (
        oct_live_graph_get_streams (viewer->graph));
  else if (state == GST_WEBRTC_PEER_CONNECTION_STATE_FAILED
           || state == GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED)
    viewer_tell (data, NULL, 0, NULL);
}

static gboolean
viewer_on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OctLiveViewer *viewer = data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      && !g_atomic_int_get (&viewer->closed))
    viewer->events.failed (viewer->data);
  return G_SOURCE_CONTINUE;
}

/* Only addresses and ports that were meant, no TCP, no opening of routers. */
static void
restrict_ports (OctLiveViewer *viewer, const OctLivePorts *ports)
{
  g_autoptr (GstObject) ice = NULL;
  g_autoptr (GObject) agent = NULL;
  gboolean added;

  g_object_get (viewer->rtc, "ice-agent", &ice, NULL);
  g_object_get (ice, "agent", &agent, NULL);
  g_object_set (agent, "ice-tcp", FALSE, "upnp", FALSE, NULL);
  if (ports->address != NULL)
    g_signal_emit_by_name (ice, "add-local-ip-address", ports->address, &added);
  if (ports->last_port != 0)
    g_object_set (ice, "min-rtp-port", ports->first_port, "max-rtp-port",
        ports->last_port, NULL);
}

static void
set_up_sending (OctLiveViewer *viewer)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (viewer->rtc, "sink_0");
  g_autoptr (GstCaps) caps = gst_caps_from_string (CODEC_CAPS);
  g_autoptr (GstWebRTCRTPTransceiver) transceiver = NULL;

  g_object_get (pad, "transceiver", &transceiver, NULL);
  g_object_set (transceiver, "direction",
      GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDONLY, "codec-preferences", caps,
      NULL);
}

OctLiveViewer *
oct_live_viewer_new (OctLiveGraph *graph, const OctLivePorts *ports,
    const OctLiveViewerEvents *events, gpointer data, GError **error)
{
  GstElement *pipeline = gst_parse_launch_full (
      PIPELINE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_autoptr (GstElement) payloader = NULL;
  g_autoptr (GstClock) clock = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstBus) bus = NULL;
  GstClockTime base_time;
  OctLiveViewer *viewer;

  if (pipeline == NULL)
    return NULL;
  viewer = g_atomic_rc_box_new0 (OctLiveViewer);
  viewer->graph = graph;
  viewer->events = *events;
  viewer->data = data;
  viewer->pipeline = pipeline;
  viewer->in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  viewer->rtc = gst_bin_get_by_name (GST_BIN (pipeline), "rtc");
  payloader = gst_bin_get_by_name (GST_BIN (pipeline), "pay");
  oct_live_playout_add (payloader);
  bus = gst_element_get_bus (pipeline);
  viewer->watch = gst_bus_add_watch (bus, viewer_on_message, viewer);
  pad = gst_element_get_static_pad (viewer->in, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_upstream, viewer, NULL);
  restrict_ports (viewer, ports);
  set_up_sending (viewer);
  g_signal_connect (viewer->rtc, "on-negotiation-needed",
      G_CALLBACK (on_negotiation_needed), viewer);
  g_signal_connect (
      viewer->rtc, "on-ice-candidate", G_CALLBACK (on_ice_candidate), viewer);
  g_signal_connect (viewer->rtc, "notify::connection-state",
      G_CALLBACK (on_connection_state), viewer);
  clock = oct_live_streams_get_clock (
      oct_live_graph_get_streams (graph), &base_time);
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  gst_element_set_start_time (pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (pipeline, base_time);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  viewer->receiver =
      oct_live_streams_add_receiver (oct_live_graph_get_streams (graph),
          OCT_LIVE_H264, viewer_on_frame, viewer);
  return viewer;
}

void
oct_live_viewer_set_answer (OctLiveViewer *viewer, const char *sdp)
{
  GstSDPMessage *message;
  GstWebRTCSessionDescription *answer;

  gst_sdp_message_new_from_text (sdp, &message);
  answer =
      gst_webrtc_session_description_new (GST_WEBRTC_SDP_TYPE_ANSWER, message);
  g_signal_emit_by_name (viewer->rtc, "set-remote-description", answer, NULL);
  gst_webrtc_session_description_free (answer);
}

void
oct_live_viewer_add_candidate (
    OctLiveViewer *viewer, guint mline, const char *candidate)
{
  g_signal_emit_by_name (viewer->rtc, "add-ice-candidate", mline, candidate);
}

guint
oct_live_viewer_get_dropped (OctLiveViewer *viewer)
{
  return g_atomic_int_get (&viewer->dropped);
}

void
oct_live_viewer_free (OctLiveViewer *viewer)
{
  g_atomic_int_set (&viewer->closed, TRUE);
  oct_live_streams_remove_receiver (
      oct_live_graph_get_streams (viewer->graph), viewer->receiver);
  g_source_remove (viewer->watch);
  gst_element_set_state (viewer->pipeline, GST_STATE_NULL);
  viewer_release (viewer);
}
