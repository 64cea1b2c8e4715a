/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-program.h"
#include "oct-moment.h"

#define DIGITIZER_TIME 5000 /* ms for its program to be there */

static gboolean
make_access (OctLiveProgram *program, gboolean *guarded, GError **error)
{
  const OctLiveOptions *options = &program->options;

  /* files of one user are not for the others of this computer to choose */
  *guarded =
      !options->loopback || options->token_file != NULL || options->setup;
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
await_digitizer (
    OctLiveProgram *program, OctDigitizerRing *ring, GError **error)
{
  const OctDigitizerOptions *digitizer = &program->options.digitizer;

  *ring = (OctDigitizerRing){ 0 };
  return digitizer->socket == NULL
         || oct_digitizer_look (digitizer, DIGITIZER_TIME, ring, error);
}

/* The ring says the sizes of volumes, or options do. */
static gboolean
make_scanner (OctLiveProgram *program, const OctDigitizerRing *ring,
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
make_kept (OctLiveProgram *program, OctLiveSource *source, GError **error)
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
make_screen (OctLiveProgram *program, GError **error)
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

gboolean
oct_live_program_make_audit (OctLiveProgram *program, GError **error)
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
make_recording (OctLiveProgram *program, GError **error)
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

gboolean
oct_live_program_make_graph (OctLiveProgram *program, GError **error)
{
  const OctLiveOptions *o = &program->options;
  OctLiveTrack *track = oct_live_track_new (live_on_path, &program->live);
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
    .track = track };
  OctDigitizerRing ring;

  program->live.track = track;
  if (!await_digitizer (program, &ring, error)
      || !make_scanner (program, &ring, &source, error)
      || !make_kept (program, &source, error) || !make_screen (program, error))
    return FALSE;
  program->live.width_um = o->width_um;
  program->live.length_um = o->length_um;
  program->live.refractive_index = o->refractive_index;
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

gboolean
oct_live_program_make_server (OctLiveProgram *program, GError **error)
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
