/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-record-options.h"
#include "oct-fill.h"
#include "oct-moment.h"
#include "oct-options.h"

#include <math.h>
#include <stdio.h>

gboolean
oct_record_options_stream (const OctRecordProgramOptions *options)
{
  return options->stream != NULL || options->rtsp_port >= 0;
}

/* Without a display autovideosink may choose a sink that crashes. */
static gboolean
on_view (const char *name, const char *value, gpointer data, GError **error)
{
  OctRecordOptions *options = data;

  if (value == NULL && g_getenv ("DISPLAY") == NULL
      && g_getenv ("WAYLAND_DISPLAY") == NULL) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "There is no display for --view; start on a desktop, or name "
        "a sink, as in --view=kmssink.");
    return FALSE;
  }
  g_free (options->view);
  options->view = g_strdup (value != NULL ? value : "autovideosink sync=false");
  return TRUE;
}

static gboolean
check_fill (const char *way, GError **error)
{
  g_autofree char *list = oct_fill_list ();

  if (way == NULL || oct_fill_find (way) != NULL)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--fill is one of %s here, not '%s'.", list, way);
  return FALSE;
}

/* --lines is of a scan, too. */
static gboolean
describe_file (const OctRecordOptions *options)
{
  OctSourceOptions file = options->spectra;

  if (options->scanner.pattern != NULL)
    file.lines = 0;
  return oct_source_options_describe_file (&file) || options->line_rate != 0.0;
}

/* NULL: there is none. */
static const char *
find_source_problem (const OctRecordOptions *options)
{
  gboolean digitizer = options->digitizer.socket != NULL;

  if ((options->source != NULL) + (options->spectra.data != NULL) + digitizer
      > 1)
    return "Only one of --data, --source, --oct-camera and --daq gives the "
           "spectra.";
  if (digitizer && describe_file (options))
    return "The ring of --daq says the sizes and the rate; leave out "
           "--samples, --lines, --line-rate and others that describe a file.";
  return NULL;
}

static gboolean
check_options (OctRecordProgramOptions *options, GError **error)
{
  OctRecordOptions *pipeline = &options->pipeline;
  const char *problem = NULL;

  if (options->output == NULL && !oct_record_options_stream (options))
    problem = "Give the recording a name with --output NAME.";
  else if (options->output == NULL
           && (pipeline->raw || pipeline->lossless || options->mp4
               || pipeline->volume.wanted || pipeline->flow))
    problem = "--raw, --lossless, --volume, --flow and --mp4 record: give a "
              "name with --output.";
  else if (options->output != NULL
           && (*options->output == '\0'
               || g_str_has_suffix (options->output, "/")))
    problem =
        "--output is a folder and a name in it, as in surgery/patient-17.";
  else if (options->rtsp_port < -1 || options->rtsp_port > 65535)
    problem = "--rtsp is a port of 1 to 65535, or 0 for any free one.";
  else if (options->no_video && !pipeline->raw && !pipeline->lossless
           && !pipeline->volume.wanted && !pipeline->flow
           && options->keep_seconds == 0)
    problem = "--no-video leaves nothing to record; add --raw, --lossless, "
              "--volume, --flow or --keep-seconds.";
  else if (pipeline->flow && pipeline->volume.wanted && pipeline->source == NULL
           && pipeline->spectra.data == NULL
           && pipeline->digitizer.socket == NULL)
    problem =
        "The virtual OCT system is recorded with --flow or with --volume, "
        "not with both.";
  else if (pipeline->scanner.pattern != NULL
           && (pipeline->source != NULL || pipeline->spectra.data != NULL))
    problem = OCT_SCANNER_NO_SOURCE;
  else if (pipeline->scanner.pattern != NULL && pipeline->flow)
    problem = OCT_SCANNER_NO_REPEATS;
  else if (pipeline->repeats != 0 && !pipeline->flow)
    problem = "--repeats belongs to --flow.";
  else if (pipeline->repeats < 0 || pipeline->repeats == 1
           || pipeline->repeats > OCT_RECORD_MOST_REPEATS)
    problem = "--repeats is the number of B-scans at each place, 2 to 64.";
  else if (sscanf (options->size, "%dx%d", &pipeline->width, &pipeline->height)
               != 2
           || pipeline->width < 64 || pipeline->height < 64
           || pipeline->width > 8192 || pipeline->height > 8192)
    problem = "--size is WIDTHxHEIGHT in pixels, as in 640x512.";
  else if (!(pipeline->max > pipeline->min) || !isfinite (pipeline->min)
           || !isfinite (pipeline->max))
    problem = "--max has to be larger than --min, both in dB.";
  else if (options->seconds < 0 || options->part_seconds < 0
           || options->bitrate < 0 || !(pipeline->line_rate >= 0.0))
    problem = "--seconds, --part-seconds, --bitrate and --line-rate are not "
              "negative.";
  else if (pipeline->images.depths != NULL
           && oct_source_options_has_depths (&pipeline->spectra))
    problem = OCT_VIEW_DEPTHS_TWICE;
  else if ((problem = find_source_problem (pipeline)) == NULL)
    problem = oct_record_volume_check (
        &pipeline->volume, pipeline->scanner.pattern != NULL);
  pipeline->meters = options->output != NULL && !options->no_meters;
  pipeline->held = options->keep_memory > 0;
  if (problem != NULL)
    g_set_error_literal (
        error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, problem);
  return problem == NULL
         && oct_digitizer_options_check (&pipeline->digitizer, error)
         && oct_scanner_options_check (&pipeline->scanner, error)
         && oct_view_options_check (&pipeline->images, error)
         && check_fill (pipeline->fill, error)
         && oct_moment_check_options (options->keep_seconds,
             options->keep_memory, options->output != NULL, error)
         && oct_launch_set_mode (options->mode, &options->file_mode, error);
}

static void
record_add_source (GOptionContext *context, OctRecordOptions *p)
{
  const GOptionEntry entries[] = {
    { "source", 0, 0, G_OPTION_ARG_STRING, &p->source,
        "Camera: GStreamer elements that deliver raw spectra", "PIPELINE" },
    { "oct-camera", 0, 0, G_OPTION_ARG_STRING, &p->oct_camera,
        "GenICam camera of spectra: its name or address, or first", "NAME" },
    { "line-rate", 0, 0, G_OPTION_ARG_DOUBLE, &p->line_rate,
        "A-lines per second (default: 30 B-scans per second)", "R" },
    { "scan-mask-file", 0, 0, G_OPTION_ARG_FILENAME, &p->scan_mask,
        "Text file of 0 and 1: the A-lines of a volume that the camera takes "
        "(default: as the source says)",
        "FILE" },
    { NULL },
  };

  oct_options_add (context, "Source", entries, NULL);
}

static void
record_add_reconstruction (GOptionContext *context, OctRecordOptions *p)
{
  const GOptionEntry entries[] = {
    { "method", 0, 0, G_OPTION_ARG_STRING, &p->method,
        "Reconstruction: cubic (default), linear, lanczos, nufft, nudft, cs",
        "M" },
    { "fill", 0, 0, G_OPTION_ARG_STRING, &p->fill,
        "A-lines that a scan leaves out: linear (default), joint, auto, off",
        "WAY" },
    { NULL },
  };

  oct_options_add (context, "Reconstruction", entries, NULL);
}

static void
record_add_recording (GOptionContext *context, OctRecordProgramOptions *options)
{
  OctRecordOptions *p = &options->pipeline;
  const GOptionEntry entries[] = {
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &options->output,
        "Name of the recording, without ending", "NAME" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &options->seconds,
        "End after S seconds (default: at Ctrl-C)", "S" },
    { "mp4", 0, 0, G_OPTION_ARG_NONE, &options->mp4,
        "Video as one MP4 file instead of parts", NULL },
    { "part-seconds", 0, 0, G_OPTION_ARG_INT, &options->part_seconds,
        "Length of a part (default: 180)", "S" },
    { "bitrate", 0, 0, G_OPTION_ARG_INT, &options->bitrate,
        "Bit rate of the video in kbit/s (default: 8000)", "B" },
    { "size", 0, 0, G_OPTION_ARG_STRING, &options->size,
        "Pixels of the B-scan in the video (default: 640x512)", "WxH" },
    { "camera", 0, 0, G_OPTION_ARG_STRING, &p->camera,
        "Camera beside the B-scan: /dev/video0, ... or test", "DEVICE" },
    { "clock", 0, 0, G_OPTION_ARG_NONE, &p->clock,
        "Date and time in the video (always with --camera)", NULL },
    { "raw", 0, 0, G_OPTION_ARG_NONE, &p->raw, "Record the raw spectra too",
        NULL },
    { "lossless", 0, 0, G_OPTION_ARG_NONE, &p->lossless,
        "Record images of 16 bit too, without loss", NULL },
    { "min", 0, 0, G_OPTION_ARG_DOUBLE, &p->min,
        "With --lossless: value of black in dB (default: 0)", "DB" },
    { "max", 0, 0, G_OPTION_ARG_DOUBLE, &p->max,
        "With --lossless: value of white in dB (default: 100)", "DB" },
    { "no-video", 0, 0, G_OPTION_ARG_NONE, &options->no_video,
        "Record only what --raw, --lossless, --volume and --flow say", NULL },
    { "no-meters", 0, 0, G_OPTION_ARG_NONE, &options->no_meters,
        "Keep no measurements of the signal beside the recording", NULL },
    { "keep-seconds", 0, 0, G_OPTION_ARG_INT, &options->keep_seconds,
        "Hold the last N seconds of the video, which Enter or SIGUSR1 writes "
        "to "
        "a file of their own (default: 0, off)",
        "N" },
    { "keep-memory", 0, 0, G_OPTION_ARG_INT, &options->keep_memory,
        "With --keep-seconds: hold the raw spectra too, in at most MB "
        "megabytes "
        "(default: 0, none)",
        "MB" },
    { "mode", 0, 0, G_OPTION_ARG_STRING, &options->mode,
        "Permissions of the files, such as 0640 (default: 0600, you alone)",
        "OCTAL" },
    { NULL },
  };

  oct_options_add (context, "Recording", entries, NULL);
}

static void
record_add_films (GOptionContext *context, OctRecordOptions *p)
{
  const GOptionEntry entries[] = {
    { "volume", 0, 0, G_OPTION_ARG_NONE, &p->volume.wanted,
        "Record a film of the rendered volumes too", NULL },
    { "flow", 0, 0, G_OPTION_ARG_NONE, &p->flow,
        "Record images of vessels too, from B-scans that are repeated at each "
        "place",
        NULL },
    { "repeats", 0, 0, G_OPTION_ARG_INT, &p->repeats,
        "With --flow: B-scans at each place (default: as the source says)",
        "N" },
    { "bscans", 0, 0, G_OPTION_ARG_INT, &p->volume.bscans,
        "B-scans per volume (default: as the source says)", "N" },
    { "width-um", 0, 0, G_OPTION_ARG_DOUBLE, &p->volume.width_um,
        "Width of a volume's B-scans", "UM" },
    { "length-um", 0, 0, G_OPTION_ARG_DOUBLE, &p->volume.length_um,
        "Length of a volume, from its first B-scan to its last", "UM" },
    { "turn-rate", 0, 0, G_OPTION_ARG_DOUBLE, &p->volume.turn_rate,
        "With --volume: rotation in degrees per second (default: 0)", "D" },
    { NULL },
  };

  oct_options_add (context, "Volumes and flow", entries, NULL);
}

static void
record_add_viewers (GOptionContext *context, OctRecordProgramOptions *options)
{
  const GOptionEntry entries[] = {
    { "view", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, on_view,
        "Show the images too (SINK: a GStreamer sink)", "SINK" },
    { "rtsp", 0, 0, G_OPTION_ARG_INT, &options->rtsp_port,
        "Serve the images as rtsp://ADDRESS:PORT/oct", "PORT" },
    { "address", 0, 0, G_OPTION_ARG_STRING, &options->address,
        "Address at which the server listens (default: this computer only)",
        "A" },
    { "password-file", 0, 0, G_OPTION_ARG_FILENAME, &options->password_file,
        "File with the password of the viewers in its first line", "FILE" },
    { "stream", 0, 0, G_OPTION_ARG_STRING, &options->stream,
        "Send H.264 into these GStreamer elements", "PIPELINE" },
    { NULL },
  };

  oct_options_add (context, "Viewers", entries, &options->pipeline);
}

gboolean
oct_record_options_parse (
    OctRecordProgramOptions *options, int *argc, char ***argv, GError **error)
{
  OctRecordOptions *p = &options->pipeline;
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context,
      "Records and streams B-scans of OCT while they are being taken, until "
      "Ctrl-C.");
  p->max = 100.0;
  options->rtsp_port = -1;
  record_add_source (context, p);
  oct_source_options_add (context, TRUE, &p->spectra);
  oct_digitizer_options_add (context, &p->digitizer);
  oct_scanner_options_add (context, &p->scanner);
  oct_instrument_options_add (context, &p->instrument);
  record_add_reconstruction (context, p);
  oct_sensing_options_add (context, &p->sensing);
  oct_view_options_join (argc, *argv);
  oct_view_options_add (context, FALSE, &p->images);
  record_add_recording (context, options);
  record_add_films (context, p);
  record_add_viewers (context, options);
  oct_options_add_help (context);
  if (!g_option_context_parse (context, argc, argv, error)
      || !oct_source_options_check (
          &p->spectra, *argc > 1 ? (*argv)[1] : NULL, error))
    return FALSE;
  if (!oct_launch_take_camera (p->oct_camera, &p->source, error))
    return FALSE;
  if (options->size == NULL)
    options->size = g_strdup ("640x512");
  return check_options (options, error);
}

void
oct_record_options_clear (OctRecordProgramOptions *options)
{
  OctRecordOptions *p = &options->pipeline;

  oct_source_options_clear (&p->spectra);
  oct_digitizer_options_clear (&p->digitizer);
  oct_scanner_options_clear (&p->scanner);
  oct_instrument_options_clear (&p->instrument);
  oct_sensing_options_clear (&p->sensing);
  g_free (p->source);
  g_free (p->oct_camera);
  g_free (p->method);
  oct_view_options_clear (&p->images);
  g_free (p->fill);
  g_free (p->scan_mask);
  g_free (p->camera);
  g_free (p->view);
  g_free (options->output);
  g_free (options->size);
  g_free (options->mode);
  g_free (options->stream);
  g_free (options->address);
  g_free (options->password_file);
}
