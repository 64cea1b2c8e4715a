/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-stream.h"
#include "oct-encoder.h"
#include "oct-rtsp.h"
#include "oct-tap.h"

#include <string.h>

/* Frames that may wait for the encoder. */
#define QUEUE (200 * GST_MSECOND)
#define POLL_TIME (100 * GST_MSECOND)
#define RETRY_TIME (2 * G_TIME_SPAN_SECOND)
#define LOOPBACK "127.0.0.1"

/* Encodes, and hands H.264 on. */
struct _OctStream {
  GstElement *encoding;
  OctTap *images;
  /* the elements of `launch`, in a pipeline of their own: it may fail and be
   * started again */
  GstElement *sending;
  OctTap *video;
  OctRtsp *rtsp;
  GThread *thread;

  GMutex lock;
  gboolean stop;
  guint restarts;
  char *problem;
  GPtrArray *problems; /* all that were handed out */
};

static void
stream_on_tap_ended (const char *reason, gpointer appsrc)
{
  gst_app_src_end_of_stream (appsrc);
}

static GstPad *
get_video_pad (OctStream *self)
{
  g_autoptr (GstElement) encoder =
      gst_bin_get_by_name (GST_BIN (self->encoding), "h264");

  return gst_element_get_static_pad (encoder, "src");
}

/* ----------------------------------------------------------------- encoding */

static gboolean
start_encoding (OctStream *self, GstPad *pad, const OctStreamSettings *settings,
    GError **error)
{
  const OctEncoderSettings encoder_settings = { .bitrate = settings->bitrate,
    .low_delay = TRUE };
  GstElement *encoder = oct_encoder_new (&encoder_settings, NULL, error);
  GstElement *source, *sink;

  if (encoder == NULL)
    return FALSE;
  self->encoding = gst_pipeline_new (NULL);
  gst_object_set_name (GST_OBJECT (encoder), "h264");
  source = oct_tap_make_source (OCT_TAP_ARRIVAL);
  sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add_many (GST_BIN (self->encoding), source, encoder, sink, NULL);
  gst_element_link_many (source, encoder, sink, NULL);
  gst_element_set_state (self->encoding, GST_STATE_PLAYING);
  self->images = oct_tap_new (pad, GST_APP_SRC (source), OCT_TAP_ARRIVAL, QUEUE,
      NULL, stream_on_tap_ended, source);
  return TRUE;
}

/* ------------------------------------------------------------------ sending */

static GstElement *
make_sending (const char *launch, GError **error)
{
  g_autofree char *description =
      g_strconcat ("appsrc name=source ! h264parse ! ", launch, NULL);
  GstElement *pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_autoptr (GstElement) source = NULL;

  if (pipeline == NULL)
    return NULL;
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  oct_tap_set_up_source (source, OCT_TAP_ARRIVAL);
  return pipeline;
}

static void
start_sending (OctStream *self)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (self->sending), "source");
  g_autoptr (GstPad) pad = get_video_pad (self);

  gst_element_set_state (self->sending, GST_STATE_PLAYING);
  self->video = oct_tap_new (pad, GST_APP_SRC (source), OCT_TAP_ARRIVAL, QUEUE,
      NULL, stream_on_tap_ended, source);
}

static void
stop_sending (OctStream *self)
{
  gst_element_set_state (self->sending, GST_STATE_NULL);
  g_clear_pointer (&self->video, oct_tap_free);
}

/* Returns: TRUE when sending failed. */
static gboolean
stream_poll_bus (OctStream *self)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->sending);
  g_autoptr (GstMessage) message =
      gst_bus_timed_pop_filtered (bus, POLL_TIME, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return FALSE;
  gst_message_parse_error (message, &error, NULL);
  g_mutex_lock (&self->lock);
  self->restarts++;
  if (self->problem == NULL || strcmp (self->problem, error->message) != 0) {
    self->problem = g_strdup (error->message);
    g_ptr_array_add (self->problems, self->problem);
  }
  g_mutex_unlock (&self->lock);
  return TRUE;
}

static gboolean
stream_is_stopped (OctStream *self)
{
  gboolean stop;

  g_mutex_lock (&self->lock);
  stop = self->stop;
  g_mutex_unlock (&self->lock);
  return stop;
}

/* Receivers may come and go: a sink that failed is tried again. */
static gpointer
stream_run (gpointer data)
{
  OctStream *self = data;
  gint64 retry = 0;

  start_sending (self);
  while (!stream_is_stopped (self)) {
    if (retry == 0 && stream_poll_bus (self)) {
      stop_sending (self);
      retry = g_get_monotonic_time () + RETRY_TIME;
    } else if (retry != 0 && g_get_monotonic_time () >= retry) {
      retry = 0;
      start_sending (self);
    } else if (retry != 0) {
      g_usleep (POLL_TIME / 1000);
    }
  }
  stop_sending (self);
  return NULL;
}

/* ------------------------------------------------------------------- public */

static gboolean
start_server (
    OctStream *self, const OctStreamSettings *settings, GError **error)
{
  const char *address =
      settings->address != NULL ? settings->address : LOOPBACK;
  gboolean alone =
      g_str_equal (address, LOOPBACK) || g_str_equal (address, "::1");
  g_autoptr (GstPad) pad = NULL;

  if (!alone && settings->password == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The address %s can be reached from other machines, for which a "
        "password is needed; give it in a file with --password-file.",
        address);
    return FALSE;
  }
  pad = get_video_pad (self);
  self->rtsp = oct_rtsp_new (
      pad, address, settings->rtsp_port, settings->password, error);
  return self->rtsp != NULL;
}

OctStream *
oct_stream_start (
    GstPad *pad, const OctStreamSettings *settings, GError **error)
{
  OctStream *self = g_new0 (OctStream, 1);

  g_mutex_init (&self->lock);
  self->problems = g_ptr_array_new_with_free_func (g_free);
  if ((settings->launch != NULL
          && (self->sending = make_sending (settings->launch, error)) == NULL)
      || !start_encoding (self, pad, settings, error)
      || (settings->rtsp_port >= 0 && !start_server (self, settings, error))) {
    oct_stream_free (self);
    return NULL;
  }
  if (self->sending != NULL)
    self->thread = g_thread_new ("oct-stream", stream_run, self);
  return self;
}

const char *
oct_stream_get_url (const OctStream *self)
{
  return self->rtsp != NULL ? oct_rtsp_get_url (self->rtsp) : NULL;
}

void
oct_stream_get_stats (OctStream *self, OctStreamStats *stats)
{
  OctTapStats tap;

  oct_tap_get_stats (self->images, &tap);
  g_mutex_lock (&self->lock);
  *stats = (OctStreamStats){ tap.frames, tap.dropped, self->restarts,
    self->problem };
  g_mutex_unlock (&self->lock);
}

void
oct_stream_free (OctStream *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->stop = TRUE;
  g_mutex_unlock (&self->lock);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  oct_rtsp_free (self->rtsp);
  if (self->encoding != NULL)
    gst_element_set_state (self->encoding, GST_STATE_NULL);
  oct_tap_free (self->images);
  gst_clear_object (&self->encoding);
  gst_clear_object (&self->sending);
  g_ptr_array_unref (self->problems);
  g_mutex_clear (&self->lock);
  g_free (self);
}
