/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The conversation with one page.  oct-live-message.h lists its messages; these
 * are sent to it:
 *   hello      once: its role, the possible settings and recordings
 *   state      settings and recording, and why there are no pictures, when
 *              something has changed
 *   status     every second; the page acknowledges it
 *   look       the view of volumes, when something has changed
 *   path       where the A-lines are, if the source tells it (oct-live-track.h)
 *   screen     the layout of microscope and OCT, the same
 *   meters     some times a second while a page shows them, as fast as it
 *              acknowledges (oct-live-meters.h)
 *   offer, candidate, failed   for WebRTC
 *   problem    a sentence for the user
 *   freeze     a pedal: the picture stops, or goes on
 *   setup      what can be chosen before the start (oct-live-setup.h), in place of
 *              all others but status, problem and bye
 *   bye        a sentence, then the connection is closed */
#include "oct-live-server.h"

#include "oct-live-control.h"
#include "oct-live-json.h"
#include "oct-live-message.h"
#include "oct-live-meters.h"
#include "oct-live-reports.h"
#include "oct-live-statuses.h"
#include "oct-live-units.h"

#define BURST 200     /* messages that a page may send at once */
#define PER_SECOND 50 /* and in the long run */
#define SECONDS_BETWEEN_VIEWERS 1
/* From a change of the look until pages get it, ms. */
#define LOOK_DELAY 150
/* Measurements that are sent to a page before it has acknowledged a status. */
#define UNREAD_METERS 16

struct _OctLiveClient {
  OctLive *live;
  SoupWebsocketConnection *socket;
  OctLiveChannel *stream; /* that the socket talks over */
  guint seat;             /* in live->talks */
  OctVisitor visitor;
  OctLiveViewer *viewer; /* NULL: no pictures, or another way */
  OctLiveUnits *units;   /* the same */
  gint64 set;            /* number of the last settings from it, 0 = none */
  OctLiveStatuses statuses;
  double allowance; /* messages */
  gint64 allowed_at;
  gint64 viewer_at;
  gboolean meters; /* are shown */
};

/* ------------------------------------------------------------------- talking
 */

static void
say_text (OctLiveClient *client, const char *text)
{
  if (soup_websocket_connection_get_state (client->socket)
      == SOUP_WEBSOCKET_STATE_OPEN)
    soup_websocket_connection_send_text (client->socket, text);
}

static void
live_client_say (OctLiveClient *client, JsonBuilder *builder)
{
  g_autofree char *text = oct_live_json_finish (builder);

  say_text (client, text);
}

static void
say_sentence (OctLiveClient *client, const char *type, const char *sentence)
{
  JsonBuilder *builder = oct_live_json_begin (type);

  oct_live_json_add_string (builder, "message", sentence);
  live_client_say (client, builder);
}

/* `number` says which of the client's own settings the state includes. */
static void
say_state (OctLiveClient *client)
{
  JsonBuilder *builder = oct_live_report_state (client->live);

  oct_live_label_add (
      &client->live->label, client->visitor.role == OCT_ROLE_CONTROL, builder);
  oct_live_json_add_number (builder, "number", client->set);
  live_client_say (client, builder);
}

static void
say_setup (OctLiveClient *client)
{
  live_client_say (client, oct_live_setup_report (client->live->setup,
                               client->visitor.role == OCT_ROLE_CONTROL));
}

static void
say_hello (OctLiveClient *client)
{
  OctLive *live = client->live;
  JsonBuilder *builder = oct_live_json_begin ("hello");

  oct_live_json_add_boolean (builder, "leavable", live->setup != NULL);
  oct_live_json_add_boolean (
      builder, "control", client->visitor.role == OCT_ROLE_CONTROL);
  oct_live_report_offers (live, builder);
  live_client_say (client, builder);
  say_state (client);
  live_client_say (client, oct_live_report_look (live));
  if (oct_live_track_has_path (live->track))
    live_client_say (client, oct_live_report_path (live));
  if (live->screen != NULL)
    live_client_say (client, oct_live_report_screen (live->screen));
  if (live->worklist == NULL || client->visitor.role != OCT_ROLE_CONTROL)
    return;
  live_client_say (client, oct_live_worklist_report (live->worklist));
  oct_live_worklist_refresh (live->worklist);
}

static void
add_pictures (OctLiveClient *client, JsonBuilder *builder)
{
  OctLive *live = client->live;
  OctLiveCounts counts;

  oct_live_graph_get_counts (live->graph, &counts);
  oct_live_json_add_number (builder, "time", counts.time / 1e6);
  oct_live_json_add_number (builder, "roundTrip", client->statuses.round_trip);
  client->statuses.round_trip = 0.0;
  oct_live_json_add_number (builder, "frames", counts.frames);
  oct_live_json_add_number (builder, "dropped",
      counts.dropped
          + (client->viewer != NULL
                  ? oct_live_viewer_get_dropped (client->viewer)
                  : 0)
          + (client->units != NULL ? oct_live_units_get_dropped (client->units)
                                   : 0));
  oct_live_report_status (live, &counts, builder);
}

static void
say_status (OctLiveClient *client)
{
  JsonBuilder *builder = oct_live_json_begin ("status");

  json_builder_set_member_name (builder, "number");
  json_builder_add_int_value (builder,
      oct_live_statuses_send (&client->statuses, g_get_monotonic_time ()));
  if (client->live->graph != NULL)
    add_pictures (client, builder);
  live_client_say (client, builder);
}

/* --------------------------------------------------------------------- WebRTC
 */

static void
on_offer (const char *sdp, gpointer data)
{
  JsonBuilder *builder = oct_live_json_begin ("offer");

  oct_live_json_add_string (builder, "sdp", sdp);
  live_client_say (data, builder);
}

static void
on_candidate (guint mline, const char *candidate, gpointer data)
{
  JsonBuilder *builder = oct_live_json_begin ("candidate");

  oct_live_json_add_number (builder, "mline", mline);
  oct_live_json_add_string (builder, "candidate", candidate);
  live_client_say (data, builder);
}

static void
client_on_failed (gpointer data)
{
  OctLiveClient *client = data;

  g_clear_pointer (&client->viewer, oct_live_viewer_free);
  live_client_say (client, oct_live_json_begin ("failed"));
}

static void
client_watch (OctLiveClient *client, const OctLiveMessage *message)
{
  static const OctLiveViewerEvents events = { on_offer, on_candidate,
    client_on_failed };
  g_autoptr (GError) error = NULL;
  gint64 now = g_get_monotonic_time ();

  g_clear_pointer (&client->viewer, oct_live_viewer_free);
  g_clear_pointer (&client->units, oct_live_units_free);
  if (message->units)
    client->units = oct_live_units_new (client->live->graph, client->socket);
  if (!message->webrtc)
    return;
  /* the video connections of all viewers at one address count together: a
   * viewer may open any number of pages, one after the other */
  if (now - client->viewer_at < SECONDS_BETWEEN_VIEWERS * G_TIME_SPAN_SECOND
      || (client->visitor.role == OCT_ROLE_VIEW
          && !oct_door_spend (client->live->videos, client->visitor.address,
              OCT_DOOR_VIDEO, now))) {
    live_client_say (client, oct_live_json_begin ("failed"));
    return;
  }
  client->viewer_at = now;
  client->viewer = oct_live_viewer_new (
      client->live->graph, &client->live->ports, &events, client, &error);
  if (client->viewer == NULL)
    live_client_say (client, oct_live_json_begin ("failed"));
}

static void
take_answer (OctLiveClient *client, const char *sdp)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *taken = NULL;

  if (client->viewer == NULL)
    return;
  taken = oct_live_answer_take (sdp, &error);
  if (taken != NULL)
    oct_live_viewer_set_answer (client->viewer, taken);
  else
    client_on_failed (client);
}

/* ------------------------------------------------------------------ listening
 */

gboolean
oct_live_clients_control (OctLive *live, const OctLiveMessage *message,
    const OctVisitor *visitor, GError **error)
{
  g_autoptr (GError) reason = NULL;
  gboolean done = oct_live_control (live, message, &reason);

  oct_live_audit_command (live->audit, message, visitor, reason);
  if (!done)
    g_propagate_error (error, g_steal_pointer (&reason));

  if (live->graph == NULL)
    return done;
  if (message->type == OCT_LIVE_LOOK)
    oct_live_clients_tell_look (live);
  else if (message->type == OCT_LIVE_SCREEN || message->type == OCT_LIVE_AIM)
    oct_live_clients_tell_screen (live);
  else
    oct_live_clients_tell_state (live);
  return done;
}

static void
live_client_control (OctLiveClient *client, const OctLiveMessage *message)
{
  g_autoptr (GError) error = NULL;

  if (client->visitor.role != OCT_ROLE_CONTROL) {
    say_sentence (client, "problem",
        "This link is for watching; settings and recording need the link for "
        "control.");
    return;
  }
  if (message->type == OCT_LIVE_SET)
    client->set = message->number;
  if (!oct_live_clients_control (
          client->live, message, &client->visitor, &error))
    say_sentence (client, "problem", error->message);
}

/* Everybody who may see the picture may see how good it is. */
static void
show_meters (OctLiveClient *client, gboolean on)
{
  client->meters = on;
  oct_live_clients_update_measuring (client->live);
}

/* Before the start; all else needs pictures. */
static void
client_take_choice (OctLiveClient *client, const OctLiveMessage *message)
{
  switch (message->type) {
  case OCT_LIVE_ACK:
    oct_live_statuses_answer (
        &client->statuses, message->number, g_get_monotonic_time ());
    break;
  case OCT_LIVE_WATCH:
  case OCT_LIVE_ANSWER:
  case OCT_LIVE_CANDIDATE:
  case OCT_LIVE_DECODED:
  case OCT_LIVE_METERS:
    break;
  default:
    live_client_control (client, message);
  }
}

static void
client_take_message (OctLiveClient *client, const OctLiveMessage *message)
{
  switch (message->type) {
  case OCT_LIVE_WATCH:
    client_watch (client, message);
    break;
  case OCT_LIVE_ANSWER:
    take_answer (client, message->sdp);
    break;
  case OCT_LIVE_CANDIDATE:
    /* a browser may name an address that we do not know how to use: it is left
     * out, others may do */
    if (client->viewer != NULL
        && oct_live_candidate_is_usable (message->candidate))
      oct_live_viewer_add_candidate (
          client->viewer, message->mline, message->candidate);
    break;
  case OCT_LIVE_ACK:
    oct_live_statuses_answer (
        &client->statuses, message->number, g_get_monotonic_time ());
    break;
  case OCT_LIVE_DECODED:
    if (client->units != NULL)
      oct_live_units_answer (client->units, message->number);
    break;
  case OCT_LIVE_METERS:
    show_meters (client, message->on);
    break;
  case OCT_LIVE_SET:
  case OCT_LIVE_LOOK:
  case OCT_LIVE_RECORD:
  case OCT_LIVE_KEEP:
  case OCT_LIVE_FOCUS:
  case OCT_LIVE_REFINE:
  case OCT_LIVE_BACKGROUND:
  case OCT_LIVE_LABEL:
  case OCT_LIVE_NOTE:
  case OCT_LIVE_SCAN:
  case OCT_LIVE_SCREEN:
  case OCT_LIVE_AIM:
  case OCT_LIVE_TUNE:
  case OCT_LIVE_BEGIN:
  case OCT_LIVE_SEEK:
  case OCT_LIVE_LEAVE:
  case OCT_LIVE_QUIT:
    live_client_control (client, message);
    break;
  }
}

/* FALSE when the page has sent more than any person can cause. */
static gboolean
allow_message (OctLiveClient *client)
{
  gint64 now = g_get_monotonic_time ();

  client->allowance += (now - client->allowed_at) * 1e-6 * PER_SECOND;
  client->allowance = MIN (client->allowance, BURST);
  client->allowed_at = now;
  client->allowance -= 1.0;
  return client->allowance >= 0.0;
}

static void
on_socket_message (
    SoupWebsocketConnection *socket, gint type, GBytes *bytes, gpointer data)
{
  OctLiveClient *client = data;
  g_autoptr (OctLiveMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  if (soup_websocket_connection_get_state (socket) != SOUP_WEBSOCKET_STATE_OPEN)
    return;
  if (!allow_message (client)) {
    soup_websocket_connection_close (
        socket, SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION, "Too many messages.");
    return;
  }
  message = oct_live_message_parse (text != NULL ? text : "", length, &error);
  if (message != NULL && client->live->graph == NULL)
    client_take_choice (client, message);
  else if (message != NULL)
    client_take_message (client, message);
  else
    say_sentence (client, "problem", error->message);
}

/* -------------------------------------------------------------- begin and end
 */

static void
free_client (OctLiveClient *client)
{
  oct_live_audit_visit (client->live->audit, "page closed", &client->visitor);
  g_signal_handlers_disconnect_by_data (client->socket, client);
  g_clear_pointer (&client->viewer, oct_live_viewer_free);
  g_clear_pointer (&client->units, oct_live_units_free);
  g_ptr_array_remove_fast (client->live->clients, client);
  oct_seats_leave (client->live->talks, client->seat);
  oct_live_clients_update_measuring (client->live);
  g_object_unref (client->stream);
  g_object_unref (client->socket);
  g_free (client);
}

static void
client_on_closed (SoupWebsocketConnection *socket, gpointer data)
{
  free_client (data);
}

void
oct_live_clients_drop (OctLive *live)
{
  while (live->clients->len > 0)
    free_client (g_ptr_array_index (live->clients, 0));
}

static void
turn_away (SoupWebsocketConnection *socket)
{
  soup_websocket_connection_send_text (socket,
      "{\"type\":\"bye\",\"again\":true,\"message\":\"Too many people "
      "are watching: oct-live's limit (--viewers), or that of one "
      "browser or address, is reached.\"}");
  soup_websocket_connection_close (
      socket, SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION, "full");
  /* libsoup lets go of it when it is closed */
  g_signal_connect (
      g_object_ref (socket), "closed", G_CALLBACK (g_object_unref), NULL);
}

void
oct_live_client_new (OctLive *live, SoupWebsocketConnection *socket,
    OctLiveChannel *stream, const OctVisitor *visitor)
{
  guint seat = oct_seats_take (live->talks, visitor);
  OctLiveClient *client;

  soup_websocket_connection_set_max_incoming_payload_size (
      socket, OCT_LIVE_MAX_MESSAGE);
  if (seat == 0) {
    turn_away (socket);
    return;
  }
  client = g_new0 (OctLiveClient, 1);
  client->live = live;
  client->seat = seat;
  client->socket = g_object_ref (socket);
  client->stream = g_object_ref (stream);
  client->visitor = *visitor;
  client->allowed_at = g_get_monotonic_time ();
  client->allowance = BURST;
  g_ptr_array_add (live->clients, client);
  oct_live_audit_visit (live->audit, "page opened", visitor);
  g_signal_connect (socket, "message", G_CALLBACK (on_socket_message), client);
  g_signal_connect (socket, "closed", G_CALLBACK (client_on_closed), client);
  if (live->graph != NULL)
    say_hello (client);
  else
    say_setup (client);
  say_status (client);
}

void
oct_live_clients_tick (OctLive *live)
{
  for (guint i = live->clients->len; i-- > 0;) {
    OctLiveClient *client = g_ptr_array_index (live->clients, i);

    if (client->statuses.unanswered >= OCT_LIVE_SILENCE)
      oct_live_channel_cut (client->stream); /* with all that waits */
    else
      say_status (client);
  }
}

void
oct_live_clients_tell_state (OctLive *live)
{
  for (guint i = 0; i < live->clients->len; i++)
    say_state (g_ptr_array_index (live->clients, i));
}

void
oct_live_clients_tell_setup (OctLive *live)
{
  for (guint i = 0; i < live->clients->len; i++)
    say_setup (g_ptr_array_index (live->clients, i));
}

void
oct_live_clients_tell_path (OctLive *live)
{
  for (guint i = 0; i < live->clients->len; i++)
    live_client_say (
        g_ptr_array_index (live->clients, i), oct_live_report_path (live));
}

void
oct_live_clients_tell_screen (OctLive *live)
{
  for (guint i = 0; live->screen != NULL && i < live->clients->len; i++)
    live_client_say (g_ptr_array_index (live->clients, i),
        oct_live_report_screen (live->screen));
}

void
oct_live_clients_tell_cases (OctLive *live)
{
  for (guint i = 0; i < live->clients->len; i++) {
    OctLiveClient *client = g_ptr_array_index (live->clients, i);

    if (client->visitor.role == OCT_ROLE_CONTROL)
      live_client_say (client, oct_live_worklist_report (live->worklist));
  }
}

static gboolean
on_look (gpointer data)
{
  OctLive *live = data;

  live->look_timer = 0;
  for (guint i = 0; i < live->clients->len; i++)
    live_client_say (
        g_ptr_array_index (live->clients, i), oct_live_report_look (live));
  return G_SOURCE_REMOVE;
}

void
oct_live_clients_tell_look (OctLive *live)
{
  if (live->look_timer == 0)
    live->look_timer = g_timeout_add (LOOK_DELAY, on_look, live);
}

void
oct_live_clients_update_measuring (OctLive *live)
{
  OctLiveMeasuring measuring = { .recording = live->recording != NULL
                                              && oct_live_recording_is_active (
                                                  live->recording) };

  if (live->graph == NULL)
    return;
  for (guint i = 0; i < live->clients->len; i++) {
    OctLiveClient *client = g_ptr_array_index (live->clients, i);

    measuring.looking |= client->meters;
  }
  oct_live_graph_measure (live->graph, &measuring);
}

void
oct_live_clients_tell_measurement (
    OctLive *live, const GstStructure *measurement)
{
  g_autofree char *text = NULL;

  for (guint i = 0; i < live->clients->len; i++) {
    OctLiveClient *client = g_ptr_array_index (live->clients, i);

    if (!client->meters
        || client->statuses.meters - client->statuses.read >= UNREAD_METERS)
      continue;
    client->statuses.meters++;
    if (text == NULL)
      text = oct_live_meters_describe (measurement);
    say_text (client, text);
  }
}

void
oct_live_clients_tell_problem (OctLive *live, const char *sentence)
{
  for (guint i = 0; i < live->clients->len; i++) {
    OctLiveClient *client = g_ptr_array_index (live->clients, i);

    if (client->visitor.role == OCT_ROLE_CONTROL)
      say_sentence (client, "problem", sentence);
  }
}

void
oct_live_clients_freeze (OctLive *live)
{
  for (guint i = 0; i < live->clients->len; i++)
    live_client_say (
        g_ptr_array_index (live->clients, i), oct_live_json_begin ("freeze"));
}

void
oct_live_clients_say_goodbye (OctLive *live, const char *reason)
{
  for (guint i = live->clients->len; i-- > 0;) {
    OctLiveClient *client = g_ptr_array_index (live->clients, i);

    say_sentence (client, "bye", reason);
    if (soup_websocket_connection_get_state (client->socket)
        == SOUP_WEBSOCKET_STATE_OPEN)
      soup_websocket_connection_close (
          client->socket, SOUP_WEBSOCKET_CLOSE_GOING_AWAY, "stopped");
  }
}
