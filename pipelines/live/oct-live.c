/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-live: a web page that shows B-scans as they are taken, on this computer
 * or in another room.  docs/live.md describes its use.
 */
#include "oct-listener.h"
#include "oct-live-control.h"
#include "oct-live-listener.h"
#include "oct-live-options.h"
#include "oct-live-pedal.h"
#include "oct-live-server.h"
#include "oct-moment.h"
#include "oct-terminal.h"

#include <arpa/inet.h>
#include <glib-unix.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GOODBYE_TIME 1500 /* ms for pages to hear that it is over */
#define GOODBYE_STEP 50
#define DIGITIZER_TIME 5000 /* ms for its program to be there */

typedef struct {
  OctLiveOptions options;
  OctLive live;
  OctLiveTokens tokens;
  OctLiveListener *listener;
  GPtrArray *pedals; /* OctLivePedal */
  SoupServer *server;
  GMainLoop *loop;
  char *failure;       /* why it ends by itself */
  gboolean incomplete; /* a recording is */
  const char *last;    /* the last message to pages */
  guint goodbye_left;
  guint64 frames;
  gint64 counted_at;
} Program;

/* --------------------------------------------------------------------- start
 */

static gboolean
make_access (Program *program, gboolean *guarded, GError **error)
{
  const OctLiveOptions *options = &program->options;

  *guarded = !options->loopback || options->token_file != NULL;
  if (options->token_file != NULL)
    return oct_live_tokens_load (&program->tokens, options->token_file, error);
  if (*guarded)
    oct_live_tokens_make (&program->tokens);
  return TRUE;
}

static gboolean
load_certificate (const OctLiveOptions *options, GTlsCertificate **certificate,
    GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (options->cert == NULL)
    return TRUE;
  if (!g_tls_backend_supports_tls (g_tls_backend_get_default ())) {
    g_set_error (error, G_TLS_ERROR, G_TLS_ERROR_UNAVAILABLE,
        "Encryption is not installed; install the package glib-networking.");
    return FALSE;
  }
  *certificate =
      g_tls_certificate_new_from_files (options->cert, options->key, &reason);
  if (*certificate == NULL)
    g_set_error (error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE,
        "The certificate '%s' and its key '%s' cannot be used: %s.",
        options->cert, options->key, reason->message);
  return *certificate != NULL;
}

/* One that is not there is a mistake on the command line, as a source that
 * cannot be started. */
static gboolean
await_digitizer (Program *program, OctDigitizerRing *ring, GError **error)
{
  const OctDigitizerOptions *digitizer = &program->options.digitizer;

  *ring = (OctDigitizerRing){ 0 };
  return digitizer->socket == NULL
         || oct_digitizer_look (digitizer, DIGITIZER_TIME, ring, error);
}

/* The ring says the sizes of volumes, or options do. */
static gboolean
make_scanner (Program *program, const OctDigitizerRing *ring,
    OctLiveSource *source, GError **error)
{
  OctLiveOptions *o = &program->options;
  g_autofree char *kept = NULL;
  double rate =
      ring->line_rate > 0.0 ? ring->line_rate : OCT_SCANNER_VIRTUAL_RATE;

  if (o->scanner.pattern == NULL)
    return TRUE;
  if (o->instrument.load != NULL)
    kept = oct_instrument_get_scan (o->instrument.load);
  oct_scanner_options_use_kept (&o->scanner, kept);
  source->scan_lines = (guint)o->file.lines;
  if (source->scan_lines == 0)
    source->scan_lines = ring->lines > 0 ? ring->lines : OCT_SCANNER_LINES;
  source->scan_bscans = (guint)o->bscans;
  if (source->scan_bscans == 0)
    source->scan_bscans = ring->bscans > 0 ? ring->bscans : OCT_SCANNER_BSCANS;
  /* the raster has its own */
  source->bscans = 0;
  program->live.scanner = oct_scanner_new (
      &o->scanner, source->scan_lines, source->scan_bscans, rate, error);
  if (program->live.scanner == NULL)
    return FALSE;
  source->scan_file = oct_scanner_get_path (program->live.scanner);
  source->scanner = program->live.scanner;
  return TRUE;
}

/* Before the source: it hears of its spectra. */
static gboolean
make_kept (Program *program, OctLiveSource *source, GError **error)
{
  const OctLiveOptions *o = &program->options;

  if (o->keep_seconds == 0)
    return TRUE;
  program->live.kept = oct_live_kept_new (o->record, o->file_mode,
      (guint)o->keep_seconds, (guint64)o->keep_memory * OCT_MOMENT_MEGABYTE,
      program->live.audit, error);
  if (program->live.kept != NULL && o->keep_memory > 0) {
    source->spectra = oct_live_kept_watch_spectra;
    source->spectra_data = program->live.kept;
  }
  return program->live.kept != NULL;
}

/* Before the source, whose path it follows. */
static gboolean
make_screen (Program *program, GError **error)
{
  const OctLiveOptions *o = &program->options;
  const OctLiveScreenSettings settings = { .source = o->microscope,
    .stereo = o->stereo,
    .width = o->screen_width,
    .height = o->screen_height,
    .rate = o->screen_rate,
    .aims = o->microscope_aims,
    .file_mode = o->file_mode,
    .always = g_strcmp0 (o->recording, "screen") == 0 };

  if (o->microscope == NULL)
    return TRUE;
  program->live.screen = oct_live_screen_new (&settings, error);
  return program->live.screen != NULL;
}

static gboolean
make_audit (Program *program, GError **error)
{
  const char *path = program->options.audit;

  if (path != NULL)
    program->live.audit = oct_live_audit_new (path, error);
  return path == NULL || program->live.audit != NULL;
}

static void
live_on_path (gpointer data)
{
  OctLive *live = data;

  if (live->scanner != NULL)
    oct_scanner_take_path (live->scanner);
  if (live->screen != NULL)
    oct_live_screen_follow (live->screen, live->track);
  if (live->clients != NULL)
    oct_live_clients_tell_path (live);
}

static gboolean
make_recording (Program *program, GError **error)
{
  const OctLiveOptions *o = &program->options;
  OctLive *live = &program->live;
  OctLiveStreams *streams = oct_live_graph_get_streams (live->graph);
  gboolean screen = g_strcmp0 (o->recording, "screen") == 0;
  g_autoptr (GstPad) pad = screen ? oct_live_streams_get_screen_pad (streams)
                                  : oct_live_streams_get_image_pad (streams);
  g_autoptr (GstPad) field = g_strcmp0 (o->recording, "both") == 0
                                 ? oct_live_streams_get_field_pad (streams)
                                 : NULL;

  live->recording = oct_live_recording_new (o->record, o->file_mode, pad,
      oct_live_graph_has_settings (live->graph), live->audit, error);
  live->records_screen = screen;
  if (live->recording != NULL && (screen || field != NULL))
    oct_live_recording_set_second (
        live->recording, field, screen ? "screen" : "both");
  if (live->kept != NULL)
    oct_live_kept_watch_video (live->kept, streams);
  return live->recording != NULL;
}

static gboolean
make_graph (Program *program, GError **error)
{
  const OctLiveOptions *o = &program->options;
  OctLiveSource source = { .instrument = &o->instrument,
    .ends = &o->ends,
    .file = &o->file,
    .source = o->source,
    .images = o->images,
    .digitizer = o->digitizer.socket != NULL ? &o->digitizer : NULL,
    .scan_mask = o->scan_mask,
    .format = oct_view_options_get_format (&o->view),
    .line_rate = o->line_rate,
    .bitrate = o->bitrate,
    .bscans = o->bscans,
    .repeats = o->repeats,
    .flow = o->flow,
    .width = o->width_um * 1e-6,
    .length = o->length_um * 1e-6,
    .refractive_index = o->refractive_index,
    .wishes = &o->wishes,
    .wished = o->wished,
    .depth_from = o->view.from * 1e-6,
    .depth_to = o->view.to * 1e-6,
    .track = program->live.track };
  OctDigitizerRing ring;

  if (!await_digitizer (program, &ring, error)
      || !make_scanner (program, &ring, &source, error)
      || !make_kept (program, &source, error) || !make_screen (program, error))
    return FALSE;
  program->live.graph = oct_live_graph_new (&source, error);
  if (program->live.graph == NULL)
    return FALSE;
  oct_live_stage_set_screen (
      oct_live_graph_get_stage (program->live.graph), program->live.screen);
  return o->record == NULL || make_recording (program, error);
}

static void
on_cases (gpointer data)
{
  oct_live_clients_tell_cases (data);
}

static gboolean
make_server (Program *program, GError **error)
{
  const OctLiveOptions *options = &program->options;
  g_autoptr (GTlsCertificate) certificate = NULL;
  OctLive *live = &program->live;
  OctSeatLimits limits;
  gboolean guarded, any;

  if (!make_access (program, &guarded, error)
      || !load_certificate (options, &certificate, error))
    return FALSE;
  any = g_str_equal (options->address, "0.0.0.0")
        || g_str_equal (options->address, "::");
  live->ports = (OctLivePorts){ any ? NULL : options->address,
    options->first_port, options->last_port };
  live->width_um = options->width_um;
  live->length_um = options->length_um;
  live->refractive_index = options->refractive_index;
  live->clients = g_ptr_array_new ();
  if (options->worklist != NULL)
    live->worklist = oct_live_worklist_new (options->worklist, on_cases, live);
  limits = oct_live_http_get_connections (options->viewers, guarded);
  program->server = soup_server_new ("server-header", NULL, NULL);
  oct_live_http_attach (live, program->server);
  program->listener = oct_live_listener_new (options->address, options->port,
      certificate, &limits, program->server, error);
  if (program->listener == NULL)
    return FALSE;
  live->access =
      oct_live_access_new (guarded ? &program->tokens : NULL, options->address,
          oct_live_listener_get_port (program->listener), certificate != NULL);
  oct_live_http_make_places (live, options->viewers);
  return TRUE;
}

/* An address that others can reach, for the links. */
static char *
find_address (const OctLiveOptions *options)
{
  struct ifaddrs *all = NULL;
  char text[INET_ADDRSTRLEN], *found = NULL;

  if (g_str_equal (options->address, "0.0.0.0")
      || g_str_equal (options->address, "::")) {
    if (getifaddrs (&all) == 0)
      for (struct ifaddrs *i = all; i != NULL && found == NULL;
           i = i->ifa_next) {
        struct sockaddr_in *in = (struct sockaddr_in *)i->ifa_addr;

        if (in != NULL && in->sin_family == AF_INET
            && (ntohl (in->sin_addr.s_addr) >> 24) != 127)
          found =
              g_strdup (inet_ntop (AF_INET, &in->sin_addr, text, sizeof text));
      }
    freeifaddrs (all);
    return found != NULL ? found : g_strdup ("127.0.0.1");
  }
  return strchr (options->address, ':') != NULL
             ? g_strdup_printf ("[%s]", options->address)
             : g_strdup (options->address);
}

static void
print_links (Program *program)
{
  const OctLiveOptions *options = &program->options;
  const char *scheme = options->cert != NULL ? "https" : "http";
  g_autofree char *address = find_address (options);
  guint port = oct_live_listener_get_port (program->listener);

  if (oct_live_access_is_open (program->live.access))
    g_print ("Open in a browser on this computer: %s://%s:%u/\n", scheme,
        address, port);
  /* the tokens are not for a log */
  else if (options->token_file != NULL && !isatty (STDOUT_FILENO))
    g_print ("Open in a browser: %s://%s:%u/?token=TOKEN\nThe tokens, for "
             "control and for watching only, are in '%s'.\n",
        scheme, address, port, options->token_file);
  else
    g_print ("To watch and control: %s://%s:%u/?token=%s\n"
             "To watch only:        %s://%s:%u/?token=%s\n",
        scheme, address, port, program->tokens.control, scheme, address, port,
        program->tokens.view);
  if (!options->loopback && options->cert == NULL)
    g_print ("Note: without --cert and --key, who can listen to the network "
             "can read the token; the video itself is always encrypted.\n");
  if (options->record != NULL)
    g_print ("Recordings go to '%s'.\n", options->record);
  g_print ("Ctrl-C ends it.\n");
}

/* ----------------------------------------------------------------------- end
 */

static gboolean
on_goodbye (gpointer data)
{
  Program *program = data;

  program->goodbye_left -= GOODBYE_STEP;
  if (program->live.clients->len > 0 && program->goodbye_left > 0)
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (program->loop);
  return G_SOURCE_REMOVE;
}

/* Recording ends first: its files are being completed while pages are
 * notified. */
static void
live_end (Program *program, const char *reason)
{
  if (program->last != NULL)
    return;
  program->last = reason;
  oct_live_control_end_recording (&program->live);
  oct_live_clients_say_goodbye (&program->live, reason);
  program->goodbye_left = GOODBYE_TIME;
  g_timeout_add_full (G_PRIORITY_HIGH, GOODBYE_STEP, on_goodbye, program, NULL);
}

static gboolean
live_on_interrupt (gpointer data)
{
  live_end (data, "oct-live was ended at the instrument.");
  return G_SOURCE_CONTINUE;
}

static gboolean
live_on_hangup (gpointer data)
{
  oct_launch_note_hangup ();
  return live_on_interrupt (data);
}

/* A source that cannot even be started is a mistake on the command line. */
static void
on_not_begun (const char *message, gpointer data)
{
  Program *program = data;

  if (program->last != NULL)
    return;
  program->failure = g_strdup (message);
  live_end (program, program->failure);
}

/* When the source has failed, the recording is over. */
static void
on_trouble (gpointer data)
{
  Program *program = data;
  OctLive *live = &program->live;
  OctLiveRecordingStatus status = { 0 };

  if (live->recording != NULL)
    oct_live_recording_get_status (live->recording, &status);
  if (oct_live_graph_get_trouble (live->graph) != NULL && status.active
      && !live->records_screen) {
    g_free (live->recording_note);
    live->recording_note = g_strdup_printf (
        "The recording %s was ended because no pictures came any more; what "
        "was recorded is kept.",
        status.name);
    g_printerr ("Note: %s\n", live->recording_note);
    oct_live_control_end_recording (live);
  }
  oct_live_clients_tell_state (live);
}

/* A recording goes on over a gap, since none is worse, and has to report it. */
static void
on_gap (gint64 from, gint64 till, gpointer data)
{
  Program *program = data;
  OctLive *live = &program->live;
  const char *said = NULL;

  if (live->recording != NULL)
    said = oct_live_recording_add_gap (live->recording, from, till, FALSE);
  if (said != NULL)
    g_printerr ("Note: %s\n", said);
  oct_live_clients_tell_state (live);
}

static void
on_settings (const char *problem, gpointer data)
{
  Program *program = data;

  if (problem != NULL)
    oct_live_clients_tell_problem (&program->live, problem);
  oct_live_clients_tell_state (&program->live);
}

static void
live_on_measured (const GstStructure *measurement, gpointer data)
{
  Program *program = data;
  OctLive *live = &program->live;

  if (live->recording != NULL)
    oct_live_recording_add_measurement (live->recording, measurement);
  oct_live_clients_tell_measurement (live, measurement);
}

static void
on_shown (const char *problem, gpointer data)
{
  Program *program = data;

  if (problem != NULL)
    oct_live_clients_tell_problem (&program->live, problem);
  oct_live_clients_tell_look (&program->live);
}

/* Streaming thread. */
static void
live_on_screen (GstBuffer *picture, GstCaps *caps, gpointer data)
{
  Program *program = data;

  oct_live_streams_push_screen (
      oct_live_graph_get_streams (program->live.graph), picture, caps);
}

/* Any thread.  The first picture decides on the size of all that are recorded: a
 * recording that waits for one takes another. */
static void
live_on_field (GstBuffer *picture, GstCaps *caps, GstClockTime time,
    gboolean none, gpointer data)
{
  Program *program = data;

  if (g_strcmp0 (program->options.recording, "both") == 0
      && (!none || oct_live_recording_is_active (program->live.recording)))
    oct_live_streams_push_field (
        oct_live_graph_get_streams (program->live.graph), picture, caps, time);
}

/* A recording that goes on has it as notes. */
static void
live_note_microscope (OctLive *live)
{
  OctLiveScreenState state;

  oct_live_screen_get_state (live->screen, &state);
  if (live->recording == NULL || live->field_lost == (state.trouble != NULL))
    return;
  live->field_lost = state.trouble != NULL;
  (void)oct_live_recording_add_note (live->recording,
      live->field_lost ? "No pictures of the microscope"
                       : "Pictures of the microscope again",
      NULL);
}

static void
on_screen_changed (const char *problem, gpointer data)
{
  Program *program = data;

  if (problem != NULL)
    oct_live_clients_tell_problem (&program->live, problem);
  live_note_microscope (&program->live);
  oct_live_clients_tell_screen (&program->live);
}

static gboolean
live_on_second (gpointer data)
{
  Program *program = data;
  OctLive *live = &program->live;
  gint64 now = g_get_monotonic_time ();
  g_autofree char *problem = oct_live_audit_tick (live->audit);
  gboolean failed;
  OctLiveCounts counts;

  oct_live_graph_get_counts (live->graph, &counts);
  if (program->counted_at != 0)
    live->rate =
        (counts.frames - program->frames) * 1e6 / (now - program->counted_at);
  program->frames = counts.frames;
  program->counted_at = now;
  if (live->recording != NULL)
    oct_live_recording_watch (live->recording);
  if (live->kept != NULL)
    (void)oct_live_kept_get_sentence (live->kept, &failed);
  if (problem != NULL) {
    g_printerr ("Note: %s\n", problem);
    oct_live_clients_tell_problem (live, problem);
  }
  oct_live_clients_tick (live);
  oct_live_clients_update_measuring (live);
  return G_SOURCE_CONTINUE;
}

/* -------------------------------------------------------------------- pedals
 */

static void
live_on_pedal (OctLivePedalAction action, gpointer data)
{
  Program *program = data;
  OctLive *live = &program->live;
  OctLiveMessage message = { .text = "" };
  OctLiveRecordingStatus status = { 0 };
  g_autoptr (GError) error = NULL;

  switch (action) {
  case OCT_LIVE_PEDAL_RECORD:
    if (live->recording != NULL)
      oct_live_recording_get_status (live->recording, &status);
    message.type = OCT_LIVE_RECORD;
    message.on = !status.active;
    break;
  case OCT_LIVE_PEDAL_KEEP:
    message.type = OCT_LIVE_KEEP;
    break;
  case OCT_LIVE_PEDAL_MARK:
    message.type = OCT_LIVE_NOTE;
    break;
  case OCT_LIVE_PEDAL_BACKGROUND:
    message.type = OCT_LIVE_BACKGROUND;
    break;
  case OCT_LIVE_PEDAL_FOCUS:
    message.type = OCT_LIVE_FOCUS;
    break;
  case OCT_LIVE_PEDAL_FREEZE:
    oct_live_clients_freeze (live);
    return;
  case OCT_LIVE_PEDAL_NOTHING:
  case OCT_LIVE_N_PEDAL_ACTIONS:
    return;
  }
  if (program->last == NULL
      && !oct_live_clients_control (live, &message, NULL, &error))
    oct_live_clients_tell_problem (live, error->message);
}

static void
live_on_pedal_told (const char *sentence, gboolean gone, gpointer data)
{
  Program *program = data;

  g_printerr ("Note: %s\n", sentence);
  if (gone)
    oct_live_clients_tell_problem (&program->live, sentence);
}

static gboolean
make_pedals (Program *program, GError **error)
{
  static const OctLivePedalEvents events = { live_on_pedal,
    live_on_pedal_told };
  const OctLiveOptions *options = &program->options;

  program->pedals =
      g_ptr_array_new_with_free_func ((GDestroyNotify)oct_live_pedal_free);
  for (guint i = 0; options->pedals != NULL && options->pedals[i] != NULL;
       i++) {
    OctLivePedal *pedal = oct_live_pedal_new (
        options->pedals[i], options->pedal_keys, &events, program, error);

    if (pedal == NULL)
      return FALSE;
    g_ptr_array_add (program->pedals, pedal);
  }
  return TRUE;
}

/* ----------------------------------------------------------------------- run
 */

/* FALSE when a thread is not done, as of a source that hangs: the objects that
 * it uses are left as they are. */
static gboolean
live_clear (Program *program)
{
  OctLive *live = &program->live;
  gboolean clean = TRUE;

  g_clear_pointer (&program->pedals, g_ptr_array_unref);
  if (live->clients != NULL)
    oct_live_clients_drop (live);
  if (live->look_timer != 0)
    g_source_remove (live->look_timer);
  if (live->snapshots != NULL)
    clean = oct_live_snapshots_free (live->snapshots);
  live->snapshots = NULL;
  if (program->server != NULL)
    soup_server_disconnect (program->server);
  g_clear_object (&program->server);
  g_clear_pointer (&program->listener, oct_live_listener_free);
  if (live->kept != NULL && !oct_live_kept_free (live->kept))
    program->incomplete = TRUE;
  if (live->recording != NULL && !oct_live_recording_free (live->recording))
    program->incomplete = TRUE;
  if (!oct_live_audit_free (live->audit, program->last))
    program->incomplete = TRUE;
  g_clear_pointer (&live->recording_note, g_free);
  g_clear_pointer (&live->calibration, g_free);
  oct_live_label_clear (&live->label);
  /* its pictures go to the streams of the graph, whose pictures go to it */
  if (live->screen != NULL)
    clean &= oct_live_screen_close (live->screen);
  if (live->graph != NULL && !oct_live_graph_free (live->graph))
    clean = FALSE;
  g_clear_pointer (&program->live.scanner, oct_scanner_free);
  g_clear_pointer (&live->track, oct_live_track_free);
  if (clean)
    g_clear_pointer (&live->screen, oct_live_screen_free);
  g_clear_pointer (&live->access, oct_live_access_free);
  g_clear_pointer (&live->clients, g_ptr_array_unref);
  g_clear_pointer (&live->talks, oct_seats_free);
  g_clear_pointer (&live->pictures, oct_seats_free);
  g_clear_pointer (&live->videos, oct_door_free);
  g_clear_pointer (&live->worklist, oct_live_worklist_free);
  oct_live_tokens_clear (&program->tokens);
  if (clean)
    oct_live_options_clear (&program->options);
  g_free (program->failure);
  return clean;
}

static gboolean
live_run (Program *program, GError **error)
{
  static const OctLiveGraphEvents events = { on_not_begun, on_trouble,
    on_settings, on_gap, live_on_measured, on_shown };
  static const OctLiveScreenEvents of_screen = { live_on_screen, live_on_field,
    on_screen_changed };

  program->live.track = oct_live_track_new (live_on_path, &program->live);
  if (!make_audit (program, error) || !make_graph (program, error)
      || !make_server (program, error) || !make_pedals (program, error))
    return FALSE;
  program->loop = g_main_loop_new (NULL, FALSE);
  /* before whatever the network has for us */
  g_unix_signal_add_full (
      G_PRIORITY_HIGH, SIGINT, live_on_interrupt, program, NULL);
  g_unix_signal_add_full (
      G_PRIORITY_HIGH, SIGTERM, live_on_interrupt, program, NULL);
  if (!oct_launch_survives_hangup ())
    g_unix_signal_add_full (
        G_PRIORITY_HIGH, SIGHUP, live_on_hangup, program, NULL);
  oct_launch_end_at_second_interrupt ();
  oct_launch_ignore_failed_writes ();
  g_timeout_add_seconds_full (
      G_PRIORITY_HIGH, 1, live_on_second, program, NULL);
  oct_live_graph_start (program->live.graph, &events, program);
  if (program->live.scanner != NULL)
    oct_scanner_start (program->live.scanner);
  if (program->live.screen != NULL)
    oct_live_screen_start (program->live.screen, &of_screen, program);
  if (program->live.worklist != NULL)
    oct_live_worklist_refresh (program->live.worklist);
  print_links (program);
  g_main_loop_run (program->loop);
  g_main_loop_unref (program->loop);
  /* a context without an owner is run by any thread that has a call for it, such
   * as one with a picture for a viewer that is being freed */
  (void)g_main_context_acquire (NULL);
  if (program->failure != NULL)
    g_set_error_literal (
        error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, program->failure);
  return program->failure == NULL;
}

/* GIO's TLS has no such setting but this, which has to be there before it is
 * used; the user's own value stays, and oct-live-connection.c looks again. */
static void
restrict_tls (void)
{
  g_setenv ("G_TLS_GNUTLS_PRIORITY",
      "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", FALSE);
}

int
main (int argc, char **argv)
{
  Program program = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean ok, clean;

  oct_terminal_begin ();
  restrict_tls ();
  oct_listener_raise_limit ();
  if (!oct_live_options_parse (&program.options, &argc, &argv, &error)) {
    g_printerr ("%s See --help.\n", error->message);
    return 2;
  }
  gst_init (NULL, NULL);
  oct_launch_shows_warnings ();
  ok = live_run (&program, &error);
  clean = live_clear (&program);
  if (!ok)
    g_printerr ("Error: %s\n", error->message);
  ok = ok && !program.incomplete;
  fflush (NULL);
  /* the exit handlers of libraries are not for threads that still run */
  if (!clean)
    _exit (ok ? EXIT_SUCCESS : EXIT_FAILURE);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
