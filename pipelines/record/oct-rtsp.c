/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-rtsp.h"
#include "oct-listener.h"
#include "oct-rtsp-connection.h"
#include "oct-rtsp-message.h"
#include "oct-tap.h"

#include <gst/rtsp-server/rtsp-server.h>

#define PATH "/oct"
#define USER "oct"
#define ROLE "viewer"
#define TAP "oct-tap"
#define MAX_VIEWERS 16
/* Frames that may wait for the server, which waits for nobody. */
#define QUEUE (300 * GST_MSECOND)
#define CLEANUP_SECONDS 5

struct _OctRtsp {
  GstPad *pad;
  GstRTSPServer *server;
  OctListener *listener;
  OctRtspHall hall;
  char *url;
  GMainContext *context;
  GMainLoop *loop;
  GThread *thread;
};

/* ---------------------------------------------------- the video of a viewer */

static void
rtsp_on_tap_ended (const char *reason, gpointer appsrc)
{
  gst_app_src_end_of_stream (appsrc);
}

/* At the latest when the media is freed: some are never prepared. */
static void
on_unprepared (GstRTSPMedia *media, gpointer data)
{
  g_object_set_data (G_OBJECT (media), TAP, NULL);
}

/* A viewer has come. */
static void
on_configure (GstRTSPMediaFactory *factory, GstRTSPMedia *media, gpointer data)
{
  OctRtsp *rtsp = data;
  g_autoptr (GstElement) bin = gst_rtsp_media_get_element (media);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name_recurse_up (GST_BIN (bin), "source");
  OctTap *tap;

  oct_tap_set_up_source (source, OCT_TAP_ARRIVAL);
  tap = oct_tap_new (rtsp->pad, GST_APP_SRC (source), OCT_TAP_ARRIVAL, QUEUE,
      NULL, rtsp_on_tap_ended, source);
  g_object_set_data_full (
      G_OBJECT (media), TAP, tap, (GDestroyNotify)oct_tap_free);
  g_signal_connect (media, "unprepared", G_CALLBACK (on_unprepared), NULL);
}

static GstRTSPMediaFactory *
make_factory (OctRtsp *rtsp, gboolean with_password)
{
  GstRTSPMediaFactory *factory = gst_rtsp_media_factory_new ();

  gst_rtsp_media_factory_set_launch (factory,
      "( appsrc name=source ! h264parse ! "
      "rtph264pay name=pay0 pt=96 config-interval=-1 "
      "aggregate-mode=zero-latency"
      " )");
  /* Each viewer has its own packets of the one encoded video: media that viewers
   * share is lost for the one that comes while the last one leaves. */
  gst_rtsp_media_factory_set_shared (factory, FALSE);
  /* TCP passes tunnels and loses nothing. */
  gst_rtsp_media_factory_set_protocols (factory, GST_RTSP_LOWER_TRANS_TCP);
  gst_rtsp_media_factory_set_suspend_mode (factory, GST_RTSP_SUSPEND_MODE_NONE);
  if (with_password)
    gst_rtsp_media_factory_add_role (factory, ROLE,
        GST_RTSP_PERM_MEDIA_FACTORY_ACCESS, G_TYPE_BOOLEAN, TRUE,
        GST_RTSP_PERM_MEDIA_FACTORY_CONSTRUCT, G_TYPE_BOOLEAN, TRUE, NULL);
  g_signal_connect (
      factory, "media-configure", G_CALLBACK (on_configure), rtsp);
  return factory;
}

/* ------------------------------------------------------------------- server */

/* Digest: the password itself does not cross the network. */
static void
set_password (GstRTSPServer *server, const char *password)
{
  g_autoptr (GstRTSPAuth) auth = gst_rtsp_auth_new ();
  GstRTSPToken *token = gst_rtsp_token_new (
      GST_RTSP_TOKEN_MEDIA_FACTORY_ROLE, G_TYPE_STRING, ROLE, NULL);

  gst_rtsp_auth_set_supported_methods (auth, GST_RTSP_AUTH_DIGEST);
  gst_rtsp_auth_add_digest (auth, USER, password, token);
  gst_rtsp_token_unref (token);
  gst_rtsp_server_set_auth (server, auth);
}

static gboolean
on_cleanup (gpointer data)
{
  g_autoptr (GstRTSPSessionPool) pool = gst_rtsp_server_get_session_pool (data);

  gst_rtsp_session_pool_cleanup (pool);
  return G_SOURCE_CONTINUE;
}

static gpointer
rtsp_run (gpointer data)
{
  OctRtsp *rtsp = data;
  GSource *cleanup = g_timeout_source_new_seconds (CLEANUP_SECONDS);

  g_main_context_push_thread_default (rtsp->context);
  g_source_set_callback (cleanup, on_cleanup, rtsp->server, NULL);
  g_source_attach (cleanup, rtsp->context);
  g_main_loop_run (rtsp->loop);
  g_source_destroy (cleanup);
  g_source_unref (cleanup);
  g_main_context_pop_thread_default (rtsp->context);
  return NULL;
}

static void
rtsp_on_incoming (GSocketConnection *incoming, gpointer data)
{
  oct_rtsp_connection_begin (&((OctRtsp *)data)->hall, incoming);
}

static void
rtsp_on_second (gint64 now, gpointer data)
{
  GPtrArray *connections = ((OctRtsp *)data)->hall.connections;

  /* one that is over leaves the list */
  for (guint i = connections->len; i-- > 0;)
    oct_rtsp_connection_check (g_ptr_array_index (connections, i), now);
}

static gboolean
listen_at (OctRtsp *rtsp, const char *address, guint port, GError **error)
{
  static const OctListenerEvents events = { rtsp_on_incoming, rtsp_on_second };
  g_autoptr (GError) local = NULL;

  g_main_context_push_thread_default (rtsp->context);
  rtsp->listener = oct_listener_new (address, port, &events, rtsp, &local);
  g_main_context_pop_thread_default (rtsp->context);
  if (rtsp->listener == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE,
        "The RTSP server cannot listen at %s, port %u: %s; choose another port "
        "or an address of this machine.",
        address, port, local->message);
    return FALSE;
  }
  rtsp->url = g_strdup_printf (
      strchr (address, ':') ? "rtsp://[%s]:%u" PATH : "rtsp://%s:%u" PATH,
      address, oct_listener_get_port (rtsp->listener));
  return TRUE;
}

OctRtsp *
oct_rtsp_new (GstPad *pad, const char *address, guint port,
    const char *password, GError **error)
{
  /* the viewers at one address leave seats for others */
  const OctSeatLimits limits = { .max = MAX_VIEWERS,
    .per_address = password != NULL ? MAX_VIEWERS - MAX_VIEWERS / 4 : 0 };
  OctRtsp *rtsp = g_new0 (OctRtsp, 1);
  g_autoptr (GstRTSPMountPoints) mounts = NULL;
  g_autoptr (GstRTSPSessionPool) pool = NULL;

  rtsp->pad = gst_object_ref (pad);
  rtsp->context = g_main_context_new ();
  rtsp->loop = g_main_loop_new (rtsp->context, FALSE);
  rtsp->server = gst_rtsp_server_new ();
  mounts = gst_rtsp_server_get_mount_points (rtsp->server);
  gst_rtsp_mount_points_add_factory (
      mounts, PATH, make_factory (rtsp, password != NULL));
  pool = gst_rtsp_server_get_session_pool (rtsp->server);
  gst_rtsp_session_pool_set_max_sessions (pool, MAX_VIEWERS);
  gst_rtsp_server_set_content_length_limit (rtsp->server, OCT_RTSP_MAX_BODY);
  if (password != NULL)
    set_password (rtsp->server, password);
  oct_rtsp_hall_init (&rtsp->hall, rtsp->server, &limits);
  if (!listen_at (rtsp, address, port, error)) {
    oct_rtsp_free (rtsp);
    return NULL;
  }
  rtsp->thread = g_thread_new ("oct-rtsp", rtsp_run, rtsp);
  return rtsp;
}

const char *
oct_rtsp_get_url (const OctRtsp *rtsp)
{
  return rtsp->url;
}

static GstRTSPFilterResult
remove_client (GstRTSPServer *server, GstRTSPClient *client, gpointer data)
{
  return GST_RTSP_FILTER_REMOVE;
}

void
oct_rtsp_free (OctRtsp *rtsp)
{
  if (rtsp == NULL)
    return;
  if (rtsp->thread != NULL) {
    gst_rtsp_server_client_filter (rtsp->server, remove_client, NULL);
    g_main_loop_quit (rtsp->loop);
    g_thread_join (rtsp->thread);
  }
  g_main_context_push_thread_default (rtsp->context);
  g_clear_pointer (&rtsp->listener, oct_listener_free);
  oct_rtsp_hall_clear (&rtsp->hall);
  /* sources that wait for a connection end too */
  while (g_main_context_iteration (rtsp->context, FALSE))
    ;
  g_main_context_pop_thread_default (rtsp->context);
  gst_object_unref (rtsp->server);
  g_main_loop_unref (rtsp->loop);
  g_main_context_unref (rtsp->context);
  gst_object_unref (rtsp->pad);
  g_free (rtsp->url);
  g_free (rtsp);
}
