/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-live: a web page that shows B-scans as they are taken, on this computer
 * or in another room.  docs/live.md describes its use.
 */
#include "oct-listener.h"
#include "oct-live-control.h"
#include "oct-live-pedal.h"
#include "oct-live-program.h"
#include "oct-terminal.h"

#include <glib-unix.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GOODBYE_TIME 1500 /* ms for pages to hear that it is over */
#define GOODBYE_STEP 50

/* ----------------------------------------------------------------------- end
 */

static gboolean
on_goodbye (gpointer data)
{
  OctLiveProgram *program = data;

  program->goodbye_left -= GOODBYE_STEP;
  if (program->live.clients->len > 0 && program->goodbye_left > 0)
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (program->loop);
  return G_SOURCE_REMOVE;
}

/* Recording ends first: its files are being completed while pages are
 * notified. */
static void
live_end (OctLiveProgram *program, const char *reason, gboolean over)
{
  program->over |= over;
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
  live_end (data, "oct-live was ended at the instrument.", TRUE);
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
  OctLiveProgram *program = data;

  if (program->last != NULL)
    return;
  program->failure = g_strdup (message);
  live_end (program, program->failure, program->live.setup == NULL);
}

/* Pages ask for it, and hear the answer first. */
static gboolean
live_on_left (gpointer data)
{
  OctLiveProgram *program = data;

  program->leaving = 0;
  live_end (program,
      program->live.graph != NULL ? "Another source is being chosen."
                                  : "The source begins.",
      FALSE);
  return G_SOURCE_REMOVE;
}

static gboolean
live_on_quit (gpointer data)
{
  ((OctLiveProgram *)data)->leaving = 0;
  live_end (data, "oct-live was ended on the page.", TRUE);
  return G_SOURCE_REMOVE;
}

static void
live_on_leave (gboolean quit, gpointer data)
{
  OctLiveProgram *program = data;

  if (program->leaving == 0)
    program->leaving = g_idle_add (quit ? live_on_quit : live_on_left, program);
}

static void
live_on_setup (gpointer data)
{
  oct_live_clients_tell_setup (data);
}

/* When the source has failed, the recording is over. */
static void
on_trouble (gpointer data)
{
  OctLiveProgram *program = data;
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
  OctLiveProgram *program = data;
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
  OctLiveProgram *program = data;

  if (problem != NULL)
    oct_live_clients_tell_problem (&program->live, problem);
  oct_live_clients_tell_state (&program->live);
}

static void
live_on_measured (const GstStructure *measurement, gpointer data)
{
  OctLiveProgram *program = data;
  OctLive *live = &program->live;

  if (live->recording != NULL)
    oct_live_recording_add_measurement (live->recording, measurement);
  oct_live_clients_tell_measurement (live, measurement);
}

static void
on_shown (const char *problem, gpointer data)
{
  OctLiveProgram *program = data;

  if (problem != NULL)
    oct_live_clients_tell_problem (&program->live, problem);
  oct_live_clients_tell_look (&program->live);
}

/* Streaming thread. */
static void
live_on_screen (GstBuffer *picture, GstCaps *caps, gpointer data)
{
  OctLiveProgram *program = data;

  oct_live_streams_push_screen (
      oct_live_graph_get_streams (program->live.graph), picture, caps);
}

/* Any thread.  The first picture decides on the size of all that are recorded: a
 * recording that waits for one takes another. */
static void
live_on_field (GstBuffer *picture, GstCaps *caps, GstClockTime time,
    gboolean none, gpointer data)
{
  OctLiveProgram *program = data;

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
  OctLiveProgram *program = data;

  if (problem != NULL)
    oct_live_clients_tell_problem (&program->live, problem);
  live_note_microscope (&program->live);
  oct_live_clients_tell_screen (&program->live);
}

static gboolean
live_on_second (gpointer data)
{
  OctLiveProgram *program = data;
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
  if (live->setup != NULL && counts.frames > 0)
    oct_live_setup_succeed (live->setup);
  oct_live_clients_tick (live);
  oct_live_clients_update_measuring (live);
  return G_SOURCE_CONTINUE;
}

/* -------------------------------------------------------------------- pedals
 */

static void
live_on_pedal (OctLivePedalAction action, gpointer data)
{
  OctLiveProgram *program = data;
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
  OctLiveProgram *program = data;

  g_printerr ("Note: %s\n", sentence);
  if (gone)
    oct_live_clients_tell_problem (&program->live, sentence);
}

static gboolean
make_pedals (OctLiveProgram *program, GError **error)
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

/* Ends what belongs to the source; the pages stay.  FALSE when a thread is not
 * done, as of a source that hangs: the objects that it uses are left as they
 * are. */
static gboolean
live_close (OctLiveProgram *program)
{
  OctLive *live = &program->live;
  gboolean clean = TRUE;

  g_clear_pointer (&program->pedals, g_ptr_array_unref);
  if (live->clients != NULL)
    oct_live_clients_drop (live);
  if (live->look_timer != 0)
    g_source_remove (live->look_timer);
  live->look_timer = 0;
  clean = oct_live_http_end (live);
  if (program->server != NULL)
    soup_server_disconnect (program->server);
  if (live->kept != NULL && !oct_live_kept_free (live->kept))
    program->incomplete = TRUE;
  if (live->recording != NULL && !oct_live_recording_free (live->recording))
    program->incomplete = TRUE;
  live->kept = NULL;
  live->recording = NULL;
  g_clear_pointer (&live->recording_note, g_free);
  /* its pictures go to the streams of the graph, whose pictures go to it */
  if (live->screen != NULL)
    clean &= oct_live_screen_close (live->screen);
  if (live->graph != NULL && !oct_live_graph_free (live->graph))
    clean = FALSE;
  live->graph = NULL;
  g_clear_pointer (&program->live.scanner, oct_scanner_free);
  g_clear_pointer (&live->track, oct_live_track_free);
  if (clean)
    g_clear_pointer (&live->screen, oct_live_screen_free);
  live->records_screen = live->field_lost = FALSE;
  live->rate = 0.0;
  return clean;
}

/* FALSE as above. */
static gboolean
live_clear (OctLiveProgram *program)
{
  OctLive *live = &program->live;
  gboolean clean = live_close (program) && !program->hanging;

  g_clear_object (&program->server);
  g_clear_pointer (&program->listener, oct_live_listener_free);
  if (!oct_live_audit_free (live->audit, program->last))
    program->incomplete = TRUE;
  oct_live_label_clear (&live->label);
  if (live->setup != NULL && !oct_live_setup_free (live->setup))
    clean = FALSE;
  live->setup = NULL;
  g_clear_pointer (&live->access, oct_live_access_free);
  g_clear_pointer (&live->clients, g_ptr_array_unref);
  g_clear_pointer (&live->talks, oct_seats_free);
  g_clear_pointer (&live->pictures, oct_seats_free);
  g_clear_pointer (&live->videos, oct_door_free);
  g_clear_pointer (&live->worklist, oct_live_worklist_free);
  g_clear_pointer (&program->links, oct_live_links_free);
  oct_live_tokens_clear (&program->tokens);
  if (clean)
    oct_live_options_clear (&program->options);
  g_free (program->failure);
  return clean;
}

static void
live_catch_signals (OctLiveProgram *program)
{
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
}

/* Until live_end(). */
static void
live_wait (OctLiveProgram *program, GSourceFunc on_second)
{
  guint timer =
      g_timeout_add_seconds_full (G_PRIORITY_HIGH, 1, on_second, program, NULL);

  program->loop = g_main_loop_new (NULL, FALSE);
  g_main_loop_run (program->loop);
  g_clear_pointer (&program->loop, g_main_loop_unref);
  g_source_remove (timer);
  /* asked for twice */
  if (program->leaving != 0)
    g_source_remove (program->leaving);
  program->leaving = 0;
}

static void
live_tell_links (OctLiveProgram *program)
{
  oct_live_links_print (&program->options, program->live.access,
      &program->tokens, oct_live_listener_get_port (program->listener));
  if (program->links != NULL)
    oct_live_links_open (program->links, &program->options,
        program->live.access, &program->tokens,
        oct_live_listener_get_port (program->listener));
}

/* Pictures, until they end.  FALSE with a sentence: they did not begin. */
static gboolean
live_show (OctLiveProgram *program, GError **error)
{
  static const OctLiveGraphEvents events = { on_not_begun, on_trouble,
    on_settings, on_gap, live_on_measured, on_shown };
  static const OctLiveScreenEvents of_screen = { live_on_screen, live_on_field,
    on_screen_changed };
  OctLive *live = &program->live;
  gboolean first = program->server == NULL;

  if (!oct_live_program_make_graph (program, error)
      || (first && !oct_live_program_make_server (program, error))
      || !make_pedals (program, error))
    return FALSE;
  if (first)
    live_catch_signals (program);
  oct_live_http_begin (live);
  oct_live_graph_start (live->graph, &events, program);
  if (live->scanner != NULL)
    oct_scanner_start (live->scanner);
  if (live->screen != NULL)
    oct_live_screen_start (live->screen, &of_screen, program);
  if (live->worklist != NULL)
    oct_live_worklist_refresh (live->worklist);
  if (first)
    live_tell_links (program);
  program->counted_at = 0;
  live_wait (program, live_on_second);
  if (program->failure != NULL)
    g_set_error_literal (
        error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, program->failure);
  return program->failure == NULL;
}

/* -------------------------------------------------------------------- choice
 */

static gboolean
live_on_waiting (gpointer data)
{
  OctLiveProgram *program = data;
  OctLive *live = &program->live;
  g_autofree char *problem = oct_live_audit_tick (live->audit);

  if (problem != NULL) {
    g_printerr ("Note: %s\n", problem);
    oct_live_clients_tell_problem (live, problem);
  }
  oct_live_clients_tick (live);
  return G_SOURCE_CONTINUE;
}

/* FALSE: the program ends. */
static gboolean
live_choose (OctLiveProgram *program, const char *problem)
{
  OctLiveOptions chosen;

  program->last = NULL;
  g_clear_pointer (&program->failure, g_free);
  oct_live_setup_ask (program->live.setup, problem);
  live_wait (program, live_on_waiting);
  if (program->over || !oct_live_setup_take (program->live.setup, &chosen))
    return FALSE;
  oct_live_clients_drop (&program->live);
  soup_server_disconnect (program->server);
  oct_live_options_clear (&program->options);
  program->options = chosen;
  program->last = NULL;
  return TRUE;
}

/* One source after the other. */
static gboolean
live_run_setup (OctLiveProgram *program, char *const *arguments, GError **error)
{
  OctLive *live = &program->live;
  g_autofree char *problem = NULL;

  live->leave = live_on_leave;
  live->leave_data = program;
  if (!oct_live_program_make_server (program, error))
    return FALSE;
  live->setup =
      oct_live_setup_new (arguments, &program->options, live_on_setup, live);
  live_catch_signals (program);
  live_tell_links (program);
  while (live_choose (program, problem)) {
    g_autoptr (GError) reason = NULL;

    g_clear_pointer (&problem, g_free);
    if (!live_show (program, &reason)) {
      problem = g_strdup (reason->message);
      g_printerr ("Note: %s\n", problem);
    }
    program->hanging = !live_close (program);
    /* settings may have been saved until then */
    if (problem != NULL)
      oct_live_setup_fail (live->setup);
    if (program->hanging || program->over)
      break;
  }
  if (program->hanging && !program->over)
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "The source does not end, and no other one can be chosen; start "
        "oct-live again.");
  return !program->hanging || program->over;
}

static gboolean
live_run (OctLiveProgram *program, char *const *arguments, GError **error)
{
  gboolean ok;

  /* a context without an owner is run by any thread that has a call for it, such
   * as one with a picture for a viewer that is being freed */
  (void)g_main_context_acquire (NULL);
  if (!oct_live_program_make_audit (program, error))
    return FALSE;
  ok = program->options.setup ? live_run_setup (program, arguments, error)
                              : live_show (program, error);
  return ok;
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
  OctLiveProgram program = { 0 };
  g_auto (GStrv) arguments = g_strdupv (argv);
  g_autoptr (GError) error = NULL;
  gboolean ok, clean;

  oct_terminal_begin ();
  restrict_tls ();
  oct_listener_raise_limit ();
  if (!oct_live_options_parse (&program.options, &argc, &argv, &error)) {
    g_printerr ("%s See --help.\n", error->message);
    return 2;
  }
  if (program.options.open
      && !oct_live_links_claim (program.options.setup, &program.links)) {
    oct_live_options_clear (&program.options);
    return EXIT_SUCCESS;
  }
  gst_init (NULL, NULL);
  oct_launch_shows_warnings ();
  ok = live_run (&program, arguments, &error);
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
