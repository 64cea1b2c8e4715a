/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-listener.h"
#include "oct-live-server.h"

#include <gst/video/video.h>
#include <string.h>

#define RESOURCES "/oct-live/"
#define SNAPSHOT_TIME (5 * GST_SECOND)
#define MAX_SNAPSHOTS 2 /* at once: they take a core each */

typedef struct {
  const char *path, *resource, *type;
} Page;

static const Page pages[] = {
  { "/", "index.html", "text/html; charset=utf-8" },
  { "/live.js", "live.js", "text/javascript; charset=utf-8" },
  { "/media.js", "media.js", "text/javascript; charset=utf-8" },
  { "/view.js", "view.js", "text/javascript; charset=utf-8" },
  { "/live.css", "live.css", "text/css; charset=utf-8" },
  { "/icon.svg", "icon.svg", "image/svg+xml" },
};

static const char *
get_header (SoupServerMessage *message, const char *name)
{
  return soup_message_headers_get_one (
      soup_server_message_get_request_headers (message), name);
}

static void
set_header (SoupServerMessage *message, const char *name, const char *value)
{
  soup_message_headers_replace (
      soup_server_message_get_response_headers (message), name, value);
}

static void
answer (SoupServerMessage *message, guint status, const char *text)
{
  soup_server_message_set_status (message, status, NULL);
  soup_server_message_set_response (message, "text/plain; charset=utf-8",
      SOUP_MEMORY_COPY, text, strlen (text));
}

static OctLiveRole
get_role (OctLive *live, SoupServerMessage *message)
{
  return oct_live_access_get_role (
      live->access, get_header (message, "Cookie"));
}

/* The token of a link that was opened, else NULL. */
static const char *
get_token (const char *path, GHashTable *query)
{
  if (query == NULL || !g_str_equal (path, "/"))
    return NULL;
  return g_hash_table_lookup (query, "token");
}

/* -------------------------------------------------------- before the handlers
 */

/* No script, picture or connection but our own; nobody shows us in a frame. */
static void
protect (SoupServerMessage *message)
{
  const char *host = get_header (message, "Host");
  g_autofree char *policy = NULL;

  /* some browsers do not count WebSockets as 'self' */
  if (host == NULL
      || strspn (host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789.:[]-")
             != strlen (host))
    host = "localhost";
  policy = g_strdup_printf ("default-src 'none'; script-src 'self'; "
                            "style-src 'self'; img-src 'self' blob:; "
                            "media-src 'self' blob:; "
                            "connect-src 'self' ws://%s wss://%s; "
                            "base-uri 'none'; form-action 'none'; "
                            "frame-ancestors 'none'",
      host, host);
  set_header (message, "Content-Security-Policy", policy);
  set_header (message, "X-Content-Type-Options", "nosniff");
  set_header (message, "X-Frame-Options", "DENY");
  set_header (message, "Referrer-Policy", "no-referrer");
  set_header (message, "Cross-Origin-Opener-Policy", "same-origin");
  set_header (message, "Cross-Origin-Resource-Policy", "same-origin");
  set_header (message, "Permissions-Policy",
      "camera=(), microphone=(), geolocation=()");
  set_header (message, "Cache-Control", "no-store");
  set_header (message, "Connection", "close");
}

/* Browsers say who causes a request: only our own page may cause any but that
 * for the page. */
static gboolean
comes_from_elsewhere (SoupServerMessage *message, const char *path)
{
  const char *site = get_header (message, "Sec-Fetch-Site");

  return site != NULL && !g_str_equal (path, "/")
         && !g_str_equal (site, "same-origin") && !g_str_equal (site, "none");
}

/* Refuses what has no business here before anything of it is read further. */
static void
on_headers (SoupServer *server, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  OctLive *live = data;
  const char *method = soup_server_message_get_method (message);
  SoupMessageHeaders *headers =
      soup_server_message_get_request_headers (message);
  const char *host = get_header (message, "Host");

  protect (message);
  soup_message_headers_remove (headers, "Range");
  soup_message_body_set_accumulate (
      soup_server_message_get_request_body (message), FALSE);
  if (method != SOUP_METHOD_GET && method != SOUP_METHOD_HEAD)
    answer (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "Only GET is allowed.\n");
  else if (!oct_live_access_host_is_ours (live->access, host))
    answer (message, SOUP_STATUS_FORBIDDEN,
        "oct-live serves this computer only; open it as localhost.\n");
  else if (comes_from_elsewhere (message, path))
    answer (
        message, SOUP_STATUS_FORBIDDEN, "Other sites may not use oct-live.\n");
  else if (g_str_equal (path, "/socket")
           && !oct_live_access_same_origin (
               live->access, get_header (message, "Origin"), host))
    answer (
        message, SOUP_STATUS_FORBIDDEN, "Other sites may not use oct-live.\n");
  else if (get_role (live, message) == OCT_LIVE_NOBODY
           && get_token (path, query) == NULL)
    answer (message, SOUP_STATUS_UNAUTHORIZED,
        "Not allowed: open the link that oct-live has printed, with its "
        "token.\n");
}

/* ------------------------------------------------------------------ the page
 */

/* The token leaves the address again.  Where another site's link led here, a
 * browser would not send the new cookie along a redirection. */
static void
exchange_token (OctLive *live, SoupServerMessage *message, const char *token)
{
  g_autofree char *cookie = oct_live_access_exchange (live->access, token);

  if (cookie == NULL) {
    answer (message, SOUP_STATUS_UNAUTHORIZED,
        "Not allowed: this token is not, or no longer, right; open the link "
        "that oct-live has printed.\n");
    return;
  }
  set_header (message, "Set-Cookie", cookie);
  if (g_strcmp0 (get_header (message, "Sec-Fetch-Site"), "cross-site") == 0) {
    static const char page[] =
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=/\">";

    soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
    soup_server_message_set_response (message, "text/html; charset=utf-8",
        SOUP_MEMORY_STATIC, page, strlen (page));
    return;
  }
  soup_server_message_set_status (message, SOUP_STATUS_SEE_OTHER, NULL);
  set_header (message, "Location", "/");
}

static gboolean
answer_page (SoupServerMessage *message, const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    if (g_str_equal (path, pages[i].path)) {
      g_autofree char *name = g_strconcat (RESOURCES, pages[i].resource, NULL);
      g_autoptr (GBytes) bytes =
          g_resources_lookup_data (name, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

      soup_message_headers_set_content_type (
          soup_server_message_get_response_headers (message), pages[i].type,
          NULL);
      soup_message_body_append_bytes (
          soup_server_message_get_response_body (message), bytes);
      soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
      return TRUE;
    }
  return FALSE;
}

/* ------------------------------------------------------------------ snapshots
 */

static void
make_png (
    GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("image/png");
  GError *error = NULL;
  GstSample *png = gst_video_convert_sample (data, caps, SNAPSHOT_TIME, &error);

  if (png != NULL)
    g_task_return_pointer (task, png, (GDestroyNotify)gst_sample_unref);
  else
    g_task_return_error (task, error);
}

static void
on_png (GObject *source, GAsyncResult *result, gpointer data)
{
  SoupServerMessage *message = data;
  OctLive *live = g_object_get_data (G_OBJECT (message), "oct-live");
  g_autoptr (GError) error = NULL;
  g_autoptr (GstSample) png =
      g_task_propagate_pointer (G_TASK (result), &error);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *disposition =
      g_date_time_format (now, "inline; filename=\"bscan-%Y%m%d-%H%M%S.png\"");
  GstMapInfo map;

  live->snapshots--;
  if (g_object_get_data (G_OBJECT (message), "oct-finished") != NULL) {
    g_object_unref (message);
    return;
  }
  if (png != NULL
      && gst_buffer_map (gst_sample_get_buffer (png), &map, GST_MAP_READ)) {
    set_header (message, "Content-Disposition", disposition);
    soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
    soup_server_message_set_response (message, "image/png", SOUP_MEMORY_COPY,
        (const char *)map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (png), &map);
  } else
    answer (message, SOUP_STATUS_INTERNAL_SERVER_ERROR,
        "The picture could not be made.\n");
  soup_server_message_unpause (message);
  g_object_unref (message);
}

/* The browser may leave before the picture is made. */
static void
on_snapshot_finished (SoupServerMessage *message, gpointer data)
{
  g_object_set_data (G_OBJECT (message), "oct-finished", message);
}

/* The last image, unchanged: in full size and without losses. */
static void
answer_snapshot (OctLive *live, SoupServerMessage *message)
{
  GstSample *image = oct_live_graph_get_image (live->graph);
  g_autoptr (GTask) task = NULL;

  if (image == NULL || live->snapshots >= MAX_SNAPSHOTS) {
    g_clear_pointer (&image, gst_sample_unref);
    set_header (message, "Retry-After", "1");
    answer (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "There is no picture yet, or too many are asked for; try again.\n");
    return;
  }
  live->snapshots++;
  g_object_set_data (G_OBJECT (message), "oct-live", live);
  g_signal_connect (
      message, "finished", G_CALLBACK (on_snapshot_finished), NULL);
  task = g_task_new (NULL, NULL, on_png, g_object_ref (message));
  g_task_set_task_data (task, image, (GDestroyNotify)gst_sample_unref);
  soup_server_message_pause (message);
  g_task_run_in_thread (task, make_png);
}

/* -------------------------------------------------------------------- server
 */

static void
on_request (SoupServer *server, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  OctLive *live = data;
  const char *token = get_token (path, query);

  if (token != NULL && !oct_live_access_is_open (live->access))
    exchange_token (live, message, token);
  else if (g_str_equal (path, "/snapshot.png"))
    answer_snapshot (live, message);
  else if (g_str_equal (path, "/stream.mjpg"))
    oct_live_jpeg_answer (live, message);
  else if (!answer_page (message, path))
    answer (message, SOUP_STATUS_NOT_FOUND, "There is nothing here.\n");
}

static void
on_socket (SoupServer *server, SoupServerMessage *message, const char *path,
    SoupWebsocketConnection *socket, gpointer data)
{
  OctLive *live = data;

  oct_live_client_new (live, socket, get_role (live, message));
}

static void
on_request_read (SoupServer *server, SoupServerMessage *message, gpointer data)
{
  oct_live_listener_accept_request (message);
}

void
oct_live_http_attach (OctLive *live, SoupServer *server)
{
  /* inflates what is small on the wire and large in memory */
  soup_server_remove_websocket_extension (
      server, SOUP_TYPE_WEBSOCKET_EXTENSION_DEFLATE);
  g_signal_connect (server, "request-read", G_CALLBACK (on_request_read), NULL);
  soup_server_add_early_handler (server, "/", on_headers, live, NULL);
  soup_server_add_handler (server, "/", on_request, live, NULL);
  soup_server_add_early_handler (server, "/socket", on_headers, live, NULL);
  soup_server_add_websocket_handler (
      server, "/socket", NULL, NULL, on_socket, live, NULL);
}
