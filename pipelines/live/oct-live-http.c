/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-connection.h"
#include "oct-live-head.h"
#include "oct-live-png.h"
#include "oct-live-server.h"

#include <string.h>

#define RESOURCES "/oct-live/"

typedef struct {
  const char *path, *resource, *type;
} Page;

static const Page pages[] = {
  { "/", "index.html", "text/html; charset=utf-8" },
  { "/setup.js", "setup.js", "text/javascript; charset=utf-8" },
  { "/setup.css", "setup.css", "text/css; charset=utf-8" },
  { "/live.js", "live.js", "text/javascript; charset=utf-8" },
  { "/case.js", "case.js", "text/javascript; charset=utf-8" },
  { "/crop.js", "crop.js", "text/javascript; charset=utf-8" },
  { "/delays.js", "delays.js", "text/javascript; charset=utf-8" },
  { "/indicators.js", "indicators.js", "text/javascript; charset=utf-8" },
  { "/microscope.js", "microscope.js", "text/javascript; charset=utf-8" },
  { "/flow.js", "flow.js", "text/javascript; charset=utf-8" },
  { "/keys.js", "keys.js", "text/javascript; charset=utf-8" },
  { "/measure.js", "measure.js", "text/javascript; charset=utf-8" },
  { "/media.js", "media.js", "text/javascript; charset=utf-8" },
  { "/volume.js", "volume.js", "text/javascript; charset=utf-8" },
  { "/scan.js", "scan.js", "text/javascript; charset=utf-8" },
  { "/signal.js", "signal.js", "text/javascript; charset=utf-8" },
  { "/snapshot.js", "snapshot.js", "text/javascript; charset=utf-8" },
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
live_http_answer (SoupServerMessage *message, guint status, const char *text)
{
  soup_server_message_set_status (message, status, NULL);
  soup_server_message_set_response (message, "text/plain; charset=utf-8",
      SOUP_MEMORY_COPY, text, strlen (text));
}

/* The page for visitors without a link that is right. */
#define STRANGER_STYLE                                                         \
  "html{color-scheme:dark;background:#0b0e13;color:#e6edf3;"                   \
  "font:17px/1.5 system-ui,sans-serif}"                                        \
  "body{max-width:36rem;margin:12vh auto;padding:0 1.2rem}"                    \
  "h1{font-size:1.4rem}code{color:#7ee787}li{margin:.6em 0}"
#define STRANGER_PAGE                                                          \
  "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"                  \
  "<meta name=\"viewport\" content=\"width=device-width\">"                    \
  "<title>OCT live</title><style>" STRANGER_STYLE "</style>"                   \
  "<h1>This page is opened by its link</h1><p>%s</p><ul>"                      \
  "<li>oct-live prints two links where it is started, one to watch and "       \
  "control and one to watch only. They end with <code>?token=</code> and "     \
  "letters. Open one of them whole, or ask whoever runs the instrument for "   \
  "it.</li>"                                                                   \
  "<li>If oct-live keeps its tokens in a file (<code>--token-file</code>, as " \
  "the service does), put one of them after "                                  \
  "<code>?token=</code> at the end of this address.</li>"                      \
  "<li>A link opens the page for twelve hours in this browser; then it has "   \
  "to be opened again. If oct-live was started again without a file of "       \
  "tokens, its links are new.</li></ul>\n"

/* Says why nothing is shown, to a person; scripts and pictures get a sentence. */
static void
answer_stranger (
    SoupServerMessage *message, const char *path, const char *sentence)
{
  static const char style[] = STRANGER_STYLE;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *hash = NULL, *policy = NULL, *page = NULL, *text = NULL;
  guint8 digest[32];
  gsize length = sizeof digest;

  if (!g_str_equal (path, "/")) {
    text = g_strdup_printf ("Not allowed. %s\n", sentence);
    live_http_answer (message, SOUP_STATUS_UNAUTHORIZED, text);
    return;
  }
  g_checksum_update (checksum, (const guchar *)style, sizeof style - 1);
  g_checksum_get_digest (checksum, digest, &length);
  hash = g_base64_encode (digest, length);
  policy = g_strdup_printf ("default-src 'none'; style-src 'sha256-%s'; "
                            "base-uri 'none'; form-action 'none'; "
                            "frame-ancestors 'none'",
      hash);
  page = g_strdup_printf (STRANGER_PAGE, sentence);
  set_header (message, "Content-Security-Policy", policy);
  soup_server_message_set_status (message, SOUP_STATUS_UNAUTHORIZED, NULL);
  soup_server_message_set_response (message, "text/html; charset=utf-8",
      SOUP_MEMORY_COPY, page, strlen (page));
}

/* ---------------------------------------------------------------------- places
 */

/* One address has at most this share of the places for everybody. */
static guint
live_http_share (guint places)
{
  return MAX (1, places - places / 4);
}

OctSeatLimits
oct_live_http_get_connections (guint viewers, gboolean guarded)
{
  guint max = OCT_LIVE_CONNECTIONS (viewers);

  return (OctSeatLimits){ max, guarded ? OCT_LIVE_CONTROL_CONNECTIONS : 0,
    OCT_LIVE_CONNECTIONS_PER_SESSION, live_http_share (max) };
}

void
oct_live_http_make_places (OctLive *live, guint viewers)
{
  gboolean open = oct_live_access_is_open (live->access);
  OctSeatLimits limits = { viewers, open ? 0 : OCT_LIVE_CONTROL_PLACES,
    OCT_LIVE_PLACES_PER_SESSION, live_http_share (viewers) };

  live->talks = oct_seats_new (&limits);
  live->pictures = oct_seats_new (&limits);
  live->videos = oct_door_new ();
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

/* No script, picture or connection but our own; no frames of other pages. */
static void
live_http_protect (OctLive *live, SoupServerMessage *message)
{
  const char *host = get_header (message, "Host");
  g_autofree char *policy = NULL;
  g_auto (GStrv) lines = NULL;

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
  lines = g_strsplit (oct_live_connection_headers, "\r\n", -1);
  for (guint i = 0; *lines[i] != '\0'; i++) {
    g_auto (GStrv) header = g_strsplit (lines[i], ": ", 2);

    set_header (message, header[0], header[1]);
  }
  if (oct_live_access_is_encrypted (live->access))
    set_header (message, "Strict-Transport-Security", OCT_LIVE_HSTS);
}

static OctVisitor
get_visitor (
    OctLive *live, SoupServerMessage *message, OctLiveConnection *connection)
{
  OctVisitor visitor = { 0 };

  visitor.role = oct_live_access_get_role (
      live->access, get_header (message, "Cookie"), &visitor.session);
  g_strlcpy (visitor.address, oct_live_connection_get_address (connection),
      sizeof visitor.address);
  return visitor;
}

/* Refuses requests that have no business here.  oct-live-head.c has checked
 * that the request has no body, and comes from no other site. */
static void
on_headers (SoupServer *server, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  OctLive *live = data;
  OctLiveConnection *connection = oct_live_connection_get (message);
  OctVisitor visitor;

  live_http_protect (live, message);
  soup_message_headers_remove (
      soup_server_message_get_request_headers (message), "Range");
  soup_message_body_set_accumulate (
      soup_server_message_get_request_body (message), FALSE);
  if (connection == NULL) {
    live_http_answer (message, SOUP_STATUS_BAD_REQUEST, "");
    return;
  }
  visitor = get_visitor (live, message, connection);
  /* a handler of libsoup's is one for all paths below its own, too */
  if (g_str_has_prefix (path, OCT_LIVE_SOCKET_PATH)
      && !oct_live_connection_is_upgrade (connection))
    live_http_answer (
        message, SOUP_STATUS_NOT_FOUND, "There is nothing here.\n");
  else if (!oct_live_access_host_is_ours (
               live->access, get_header (message, "Host")))
    live_http_answer (message, SOUP_STATUS_FORBIDDEN,
        "oct-live serves this computer only; open it as localhost.\n");
  else if (visitor.role != OCT_ROLE_NOBODY) {
    if (!oct_live_connection_admit (connection, &visitor))
      live_http_answer (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
          "Too many pages are open; close some, or try again.\n");
  } else if (get_token (path, query) == NULL)
    answer_stranger (message, path,
        "Open the link that oct-live has printed, with its token.");
}

/* ------------------------------------------------------------------ the page
 */

static void
http_tell_audit (OctLive *live, SoupServerMessage *message, const char *event)
{
  OctLiveConnection *connection = oct_live_connection_get (message);
  OctVisitor visitor;

  if (connection == NULL)
    return;
  visitor = get_visitor (live, message, connection);
  oct_live_audit_visit (live->audit, event, &visitor);
}

/* The token leaves the address again.  If another site's link led here, a
 * browser would not send the new cookie along a redirection. */
static void
exchange_token (OctLive *live, SoupServerMessage *message, const char *token)
{
  g_autofree char *cookie = oct_live_access_exchange (
      live->access, token, get_header (message, "Cookie"));

  if (cookie == NULL) {
    http_tell_audit (live, message, "link refused");
    answer_stranger (message, "/",
        "The token of this link is not, or no longer, right; open the link "
        "that oct-live has printed.");
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

/* The address is the same before the start. */
static const char *
get_resource (OctLive *live, const Page *page)
{
  return live->graph == NULL && g_str_equal (page->path, "/") ? "setup.html"
                                                              : page->resource;
}

static gboolean
answer_page (OctLive *live, SoupServerMessage *message, const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    if (g_str_equal (path, pages[i].path)) {
      g_autofree char *name =
          g_strconcat (RESOURCES, get_resource (live, &pages[i]), NULL);
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

static gboolean
http_shows_screen (OctLive *live)
{
  return live->screen != NULL && oct_live_screen_takes (live->screen);
}

static GstSample *
get_image (gpointer data)
{
  OctLive *live = data;

  /* the screen says of each of its pictures if it is old */
  return http_shows_screen (live) ? oct_live_streams_get_image (
             oct_live_graph_get_streams (live->graph))
                                  : oct_live_graph_get_image (live->graph);
}

/* The scales of a B-scan, and how it was made, are written into the file. */
typedef struct {
  double x, z, z_air; /* metres per pixel, 0 = not known */
  char *spacings, *range, *method, *calibration, *time, *label;
  const char *side;
} Description;

static void
free_description (gpointer data)
{
  Description *d = data;

  g_free (d->spacings);
  g_free (d->range);
  g_free (d->method);
  g_free (d->calibration);
  g_free (d->time);
  g_free (d->label);
  g_free (d);
}

static void
http_describe_settings (OctLive *live, Description *d)
{
  OctLiveSettings s;

  oct_live_graph_get_settings (live->graph, &s);
  d->method = g_strdup_printf ("%s, window %s", s.method, s.window);
  d->calibration = g_strdup_printf (
      "a2=%.9g um^2, a3=%.9g um^3, phase2=%.9g rad, phase3=%.9g rad added%s%s",
      s.a2, s.a3, s.phase2, s.phase3, s.k_warp != NULL ? ", k-warp=" : "",
      s.k_warp != NULL ? s.k_warp : "");
}

static void
http_describe_scales (OctLive *live, Description *d)
{
  double index = MAX (1.0, live->refractive_index);
  OctLiveInfo info;

  oct_live_graph_get_info (live->graph, &info);
  d->x = live->width_um > 0.0 && info.width > 0
             ? live->width_um * 1e-6 / info.width
             : info.x_spacing;
  d->z_air = info.z_spacing;
  d->z = info.z_spacing / index;
  d->spacings = g_strdup_printf (
      "lateral %.6g um, depth %.6g um (refractive index %.6g; in air %.6g um); "
      "0 = not known",
      d->x * 1e6, d->z * 1e6, index, d->z_air * 1e6);
  if (info.white > info.black)
    d->range = g_strdup_printf (
        "black %.2f dB, white %.2f dB", info.black, info.white);
  if (oct_live_graph_has_settings (live->graph))
    http_describe_settings (live, d);
}

/* The case is not for those who only watch, unless they are shown it. */
static Description *
make_description (OctLive *live, gboolean is_bscan, gboolean knows)
{
  Description *d = g_new0 (Description, 1);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  d->time = g_date_time_format_iso8601 (now);
  if (is_bscan)
    http_describe_scales (live, d);
  if (knows || live->label.shown) {
    d->label = g_strdup (live->label.text);
    d->side = oct_live_label_get_side (&live->label);
  }
  return d;
}

static GBytes *
http_describe (SoupServerMessage *message, GBytes *png)
{
  const Description *d =
      g_object_get_data (G_OBJECT (message), "oct-description");

  if (d == NULL)
    return g_bytes_ref (png);
  return oct_live_png_describe (png, d->x, d->z,
      (const char *[]){ "Software", "gst-oct oct-live", "Creation Time",
          d->time, "Spacings", d->spacings, "Range", d->range, "Method",
          d->method, "Calibration", d->calibration, "Case", d->label,
          "Laterality", d->side, NULL });
}

static void
http_on_png (GBytes *png, gpointer data)
{
  SoupServerMessage *message = data;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%Y%m%d-%H%M%S");
  const char *what = g_object_get_data (G_OBJECT (message), "oct-shown");
  g_autofree char *disposition =
      g_strdup_printf ("inline; filename=\"%s-%s.png\"", what, time);

  if (g_object_get_data (G_OBJECT (message), "oct-finished") != NULL) {
    g_object_unref (message);
    return;
  }
  if (png != NULL) {
    g_autoptr (GBytes) described = http_describe (message, png);

    set_header (message, "Content-Disposition", disposition);
    soup_message_headers_set_content_type (
        soup_server_message_get_response_headers (message), "image/png", NULL);
    soup_message_body_append_bytes (
        soup_server_message_get_response_body (message), described);
    soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  } else
    live_http_answer (message, SOUP_STATUS_INTERNAL_SERVER_ERROR,
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

/* The next image, unchanged: in full size and without losses. */
static void
answer_snapshot (OctLive *live, SoupServerMessage *message)
{
  g_autoptr (GstSample) image = get_image (live);
  gboolean is_bscan, knows;
  const char *shown;
  OctLiveLook look;

  if (image == NULL) {
    set_header (message, "Retry-After", "1");
    live_http_answer (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "There is no picture yet; try again.\n");
    return;
  }
  oct_live_stage_get_look (oct_live_graph_get_stage (live->graph), &look);
  shown = http_shows_screen (live)
              ? "screen"
              : oct_live_look_get_choice (&look, OCT_LIVE_SHOW);
  g_object_set_data (G_OBJECT (message), "oct-shown", (gpointer)shown);
  is_bscan = g_str_equal (shown, "bscan");
  knows = oct_live_access_get_role (
              live->access, get_header (message, "Cookie"), NULL)
          == OCT_ROLE_CONTROL;
  g_object_set_data_full (G_OBJECT (message), "oct-description",
      make_description (live, is_bscan, knows), free_description);
  g_signal_connect (
      message, "finished", G_CALLBACK (on_snapshot_finished), NULL);
  soup_server_message_pause (message);
  oct_live_snapshots_ask (live->snapshots, http_on_png, g_object_ref (message));
}

/* ---------------------------------------------------------------- calibration
 */

/* However many ask for it, it is made once a second; right after a change,
 * which is in force with the next B-scan, as often as there are some. */
static gboolean
is_fresh (OctLive *live, gint64 now)
{
  gint64 changed = oct_live_graph_get_changed_at (live->graph);
  gint64 age = live->calibration_at - changed;
  gint64 lasts = age > G_TIME_SPAN_SECOND ? G_TIME_SPAN_SECOND
                                          : 50 * G_TIME_SPAN_MILLISECOND;

  return live->calibration_at != 0 && age > 0
         && now - live->calibration_at < lasts;
}

static const char *
http_get_calibration (OctLive *live)
{
  gint64 now = g_get_monotonic_time ();

  if (!is_fresh (live, now)) {
    g_free (live->calibration);
    live->calibration = oct_live_graph_get_calibration (live->graph);
    live->calibration_at = now;
  }
  return live->calibration;
}

static void
answer_calibration (OctLive *live, SoupServerMessage *message)
{
  const char *text = http_get_calibration (live);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *disposition = g_date_time_format (
      now, "attachment; filename=\"calibration-%Y%m%d-%H%M%S.csv\"");

  if (text == NULL) {
    live_http_answer (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "There is no calibration to be saved: there are no spectra, or none "
        "with one.\n");
    return;
  }
  set_header (message, "Content-Disposition", disposition);
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_server_message_set_response (message, "text/csv; charset=utf-8",
      SOUP_MEMORY_COPY, text, strlen (text));
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
  else if (live->graph == NULL) {
    if (!answer_page (live, message, path))
      live_http_answer (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
          "No source has been chosen yet; open the page and choose one.\n");
  } else if (g_str_equal (path, "/snapshot.png")) {
    http_tell_audit (live, message, "picture saved");
    answer_snapshot (live, message);
  } else if (g_str_equal (path, "/calibration.csv")) {
    http_tell_audit (live, message, "calibration saved");
    answer_calibration (live, message);
  } else if (g_str_equal (path, "/stream.mjpg")) {
    http_tell_audit (live, message, "pictures watched");
    oct_live_jpeg_answer (live, message);
  } else if (!answer_page (live, message, path))
    live_http_answer (
        message, SOUP_STATUS_NOT_FOUND, "There is nothing here.\n");
}

/* Only requests that oct-live-head.c has found to be our page's come here;
 * that libsoup would take others has been a hole before. */
static void
on_socket (SoupServer *server, SoupServerMessage *message, const char *path,
    SoupWebsocketConnection *socket, gpointer data)
{
  OctLive *live = data;
  OctLiveConnection *connection = oct_live_connection_get (message);

  if (connection == NULL)
    return;
  if (!oct_live_connection_is_upgrade (connection)) {
    oct_live_connection_cut (connection);
    return;
  }
  oct_live_connection_stay (connection);
  oct_live_client_new (live, socket,
      oct_live_connection_get_channel (connection),
      oct_live_connection_get_visitor (connection));
}

void
oct_live_http_begin (OctLive *live)
{
  live->snapshots = oct_live_snapshots_new (get_image, live);
}

gboolean
oct_live_http_end (OctLive *live)
{
  gboolean clean =
      live->snapshots == NULL || oct_live_snapshots_free (live->snapshots);

  live->snapshots = NULL;
  g_clear_pointer (&live->calibration, g_free);
  live->calibration_at = 0;
  return clean;
}

void
oct_live_http_attach (OctLive *live, SoupServer *server)
{
  /* inflates messages that are small on the wire and large in memory */
  soup_server_remove_websocket_extension (
      server, SOUP_TYPE_WEBSOCKET_EXTENSION_DEFLATE);
  soup_server_add_early_handler (server, "/", on_headers, live, NULL);
  soup_server_add_handler (server, "/", on_request, live, NULL);
  soup_server_add_early_handler (
      server, OCT_LIVE_SOCKET_PATH, on_headers, live, NULL);
  soup_server_add_websocket_handler (
      server, OCT_LIVE_SOCKET_PATH, NULL, NULL, on_socket, live, NULL);
}
