/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-options.h"
#include "oct-moment.h"
#include "oct-types.h"
#include "oct-options.h"

#include <gio/gio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SUMMARY                                                                \
  "Shows B-scans live on a web page: of the virtual OCT system, of a file, "   \
  "of "                                                                        \
  "a camera, of a digitizer."

#define MOST_BSCANS 8192
#define MOST_REPEATS 1024
/* As the phantom is made. */
#define VIRTUAL_WIDTH_UM 3800.0
#define VIRTUAL_LENGTH_UM 3200.0
/* Below them there is only noise. */
#define FLOW_DEPTHS 220

static gboolean
live_options_refuse (GError **error, const char *sentence)
{
  g_set_error_literal (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, sentence);
  return FALSE;
}

static void
live_add_network (GOptionContext *context, OctLiveOptions *o)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "address", 0, 0, G_OPTION_ARG_STRING, &o->address,
      "IP address to serve at (default: 127.0.0.1, this computer only; "
      "0.0.0.0: every network)", "A" },
    { "port", 0, 0, G_OPTION_ARG_INT, &o->port,
      "Port to serve at (default: 8080; 0: any)", "P" },
    { "udp-ports", 0, 0, G_OPTION_ARG_STRING, &o->udp_ports,
      "Ports for the video, to open in a firewall (default: any)", "A-B" },
    { "cert", 0, 0, G_OPTION_ARG_FILENAME, &o->cert,
      "Certificate (PEM) for encrypted pages", "FILE" },
    { "key", 0, 0, G_OPTION_ARG_FILENAME, &o->key,
      "Private key (PEM) of the certificate", "FILE" },
    { "token-file", 0, 0, G_OPTION_ARG_FILENAME, &o->token_file,
      "File of the tokens that viewers need; made if it does not exist "
      "(default: new tokens at every start)", "FILE" },
    { "audit", 0, 0, G_OPTION_ARG_FILENAME, &o->audit,
      "File that gets a line for all that is controlled, recorded and refused; "
      "oct-audit checks it (default: none)", "FILE" },
    { "viewers", 0, 0, G_OPTION_ARG_INT, &o->viewers,
      "People who may watch at the same time (default: 8)", "N" },
    { "bitrate", 0, 0, G_OPTION_ARG_INT, &o->bitrate,
      "Bit rate of the video, per viewer (default: 6000)", "KBIT/S" },
    { NULL },
  };
  /* clang-format on */

  oct_options_add (context, "Network", entries, NULL);
}

static void
live_add_microscope (GOptionContext *context, OctLiveOptions *o)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "microscope", 0, 0, G_OPTION_ARG_STRING, &o->microscope,
      "Microscope's video, shown with OCT on one screen: a device as "
      "/dev/video0, rtsp://..., a file, elements of GStreamer, or test",
      "SOURCE" },
    { "microscope-stereo", 0, 0, G_OPTION_ARG_STRING, &o->microscope_stereo,
      "--microscope has both eyes in one picture: side-by-side or top-bottom "
      "(default: none)", "HOW" },
    { "microscope-calibration", 0, 0, G_OPTION_ARG_FILENAME,
      &o->microscope_aims,
      "File that keeps where the scan is in the microscope's picture "
      "(default: known until the end)", "FILE" },
    { "recording", 0, 0, G_OPTION_ARG_STRING, &o->recording,
      "--microscope: recordings have oct, both (OCT and the microscope as two "
      "tracks) or screen (as it is shown; default: oct)", "WHAT" },
    { "screen", 0, 0, G_OPTION_ARG_STRING, &o->screen,
      "--microscope: size of the screen, and pictures per second at most "
      "(default: 1920x1080@30)", "WxH[@N]" },
    { NULL },
  };
  /* clang-format on */

  oct_options_add (context, "Microscope", entries, NULL);
}

static void
live_add_start (GOptionContext *context, OctLiveOptions *o)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "setup", 0, 0, G_OPTION_ARG_NONE, &o->setup,
      "Choose the source on the page", NULL },
    { "open", 0, 0, G_OPTION_ARG_NONE, &o->open,
      "Open the page in the browser of this desktop", NULL },
    { "files", 0, 0, G_OPTION_ARG_FILENAME, &o->files,
      "--setup: offer the files of spectra in this folder", "FOLDER" },
    { NULL },
  };
  /* clang-format on */

  oct_options_add (context, "Start", entries, NULL);
}

/* Where spectra or images come from, besides files and digitizers. */
static void
live_add_source (GOptionContext *context, OctLiveOptions *o)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "source", 0, 0, G_OPTION_ARG_STRING, &o->source,
      "Pipeline of raw spectra, as of a camera", "PIPELINE" },
    { "oct-camera", 0, 0, G_OPTION_ARG_STRING, &o->oct_camera,
      "GenICam camera of spectra: its name or address, or first", "NAME" },
    { "images", 0, 0, G_OPTION_ARG_STRING, &o->images,
      "Pipeline of finished images", "PIPELINE" },
    { "line-rate", 0, 0, G_OPTION_ARG_DOUBLE, &o->line_rate,
      "File: A-lines per second (default: 30 B-scans per second)", "HZ" },
    { "scan-mask-file", 0, 0, G_OPTION_ARG_FILENAME, &o->scan_mask,
      "Text file of 0 and 1: the A-lines of a volume that the camera takes "
      "(default: as the source says)", "FILE" },
    { NULL },
  };
  /* clang-format on */

  oct_options_add (context, "Source", entries, NULL);
}

static void
live_add_volumes (GOptionContext *context, OctLiveOptions *o)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "bscans", 0, 0, G_OPTION_ARG_INT, &o->bscans,
      "B-scans per volume, to show volumes (default: as the source says; "
      "virtual OCT system: no volumes)", "N" },
    { "flow", 0, 0, G_OPTION_ARG_NONE, &o->flow,
      "Begin with what flows, found between repeated B-scans; virtual OCT "
      "system: look at blood", NULL },
    { "repeats", 0, 0, G_OPTION_ARG_INT, &o->repeats,
      "B-scans at each place (default: as the source says; virtual OCT system "
      "with --flow: 4)", "N" },
    { "width-um", 0, 0, G_OPTION_ARG_DOUBLE, &o->width_um,
      "Width of a B-scan, for the lateral scale bar and volumes", "UM" },
    { "length-um", 0, 0, G_OPTION_ARG_DOUBLE, &o->length_um,
      "Length of a volume, from its first B-scan to its last (default: as its "
      "width)",
      "UM" },
    { "refractive-index", 0, 0, G_OPTION_ARG_DOUBLE, &o->refractive_index,
      "Refractive index of the sample, for the depth scale bar and volumes "
      "(default: " G_STRINGIFY (OCT_TISSUE_INDEX) ", tissue; 1: air)", "N" },
    { NULL },
  };
  /* clang-format on */

  oct_options_add (context, "Volumes and flow", entries, NULL);
}

static void
live_add_recording (GOptionContext *context, OctLiveOptions *o)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "record", 0, 0, G_OPTION_ARG_FILENAME, &o->record,
      "Folder to record into when the page asks for it (default: no "
      "recording)", "FOLDER" },
    { "worklist", 0, 0, G_OPTION_ARG_FILENAME, &o->worklist,
      "Text file of the cases that the page offers as labels, one in each "
      "line", "FILE" },
    { "keep-seconds", 0, 0, G_OPTION_ARG_INT, &o->keep_seconds,
      "Hold the last N seconds of the video, which the page can keep in FOLDER "
      "(default: 0, off)", "N" },
    { "keep-memory", 0, 0, G_OPTION_ARG_INT, &o->keep_memory,
      "With --keep-seconds: hold the raw spectra too, in at most MB megabytes "
      "(default: 0, none)", "MB" },
    { "pedal", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->pedals,
      "Foot pedal at this computer, as /dev/input/by-id/...-event-kbd; can be "
      "given several times", "DEVICE" },
    { "pedal-keys", 0, 0, G_OPTION_ARG_STRING, &o->pedal_keys,
      "Actions of pedals, as \"KEY_B=record, long:any=keep\": record, keep, "
      "mark, freeze, background, focus; press, long, double (default: "
      "\"any=keep, long:any=record\", or freeze without --keep-seconds)", "MAP" },
    { "mode", 0, 0, G_OPTION_ARG_STRING, &o->mode,
      "Permissions of recordings, such as 0640 (default: 0600, you alone)",
      "OCTAL" },
    { NULL },
  };
  /* clang-format on */

  oct_options_add (context, "Recording", entries, NULL);
}

static gboolean
read_command_line (OctLiveOptions *o, int *argc, char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  oct_view_options_join (argc, *argv);
  g_option_context_set_summary (context, SUMMARY);
  live_add_start (context, o);
  live_add_source (context, o);
  oct_source_options_add (context, TRUE, &o->file);
  oct_digitizer_options_add (context, &o->digitizer);
  oct_scanner_options_add (context, &o->scanner);
  oct_instrument_options_add (context, &o->instrument);
  oct_view_options_add (context, TRUE, &o->view);
  oct_ends_options_add (context, &o->ends);
  live_add_volumes (context, o);
  live_add_microscope (context, o);
  live_add_recording (context, o);
  live_add_network (context, o);
  oct_options_add_help (context);
  return g_option_context_parse (context, argc, argv, error)
         && oct_view_options_check (&o->view, error)
         && oct_ends_options_check (&o->ends, error)
         && oct_digitizer_options_check (&o->digitizer, error)
         && oct_scanner_options_check (&o->scanner, error);
}

static gboolean
live_options_check_scan (const OctLiveOptions *o, GError **error)
{
  if (o->scanner.pattern == NULL)
    return TRUE;
  if (o->file.data != NULL || o->source != NULL || o->images != NULL)
    return live_options_refuse (error, OCT_SCANNER_NO_SOURCE);
  if (o->flow || o->repeats > 0)
    return live_options_refuse (error, OCT_SCANNER_NO_REPEATS);
  if (o->width_um != 0.0 || o->length_um != 0.0)
    return live_options_refuse (error,
        "--scan has its size from --size-um; leave out --width-um and "
        "--length-um.");
  return TRUE;
}

/* --lines is of a scan, too. */
static gboolean
live_options_describe_file (const OctLiveOptions *o)
{
  OctSourceOptions file = o->file;

  if (o->scanner.pattern != NULL)
    file.lines = 0;
  return oct_source_options_describe_file (&file) || o->line_rate != 0.0;
}

static gboolean
live_options_check_source (const OctLiveOptions *o, GError **error)
{
  const gboolean of_file = live_options_describe_file (o);

  if ((o->file.data != NULL) + (o->source != NULL) + (o->images != NULL)
          + (o->digitizer.socket != NULL)
      > 1)
    return live_options_refuse (error,
        "Only one of --data, --source, --oct-camera, --daq and --images can be "
        "shown.");
  if (of_file && o->file.data == NULL)
    return live_options_refuse (error,
        "--samples, --lines, --sample-format, --packing, "
        "--header-size, --variable, --dataset and --line-rate describe a "
        "file given as --data.");
  if (o->file.calibration != NULL && o->file.data == NULL && o->source == NULL
      && o->digitizer.socket == NULL)
    return live_options_refuse (
        error, "--calibration belongs to --data, --source or --daq.");
  if (o->images != NULL && o->scan_mask != NULL)
    return live_options_refuse (error,
        "--scan-mask-file is for spectra, but --images takes finished images.");
  if (o->images != NULL && oct_source_options_has_depths (&o->file))
    return live_options_refuse (error,
        "--depth-start and --depth-bins are for spectra, but --images takes "
        "finished images.");
  if (o->images != NULL && (o->flow || o->repeats > 0))
    return live_options_refuse (error,
        "--flow and --repeats are for spectra, but --images takes finished "
        "images.");
  if (o->images != NULL
      && (o->instrument.load != NULL || o->instrument.save != NULL))
    return live_options_refuse (error,
        "--instrument and --save-instrument are for spectra, but "
        "--images takes finished images.");
  if (o->images != NULL
      && (o->view.depths != NULL || o->view.average != 1
          || o->view.background != NULL || o->view.window != NULL
          || o->view.speckle || o->view.bits != 8))
    return live_options_refuse (error,
        "--depth-um, --average, --background, --window, --speckle and --bits "
        "are for spectra, but --images takes finished images.");
  if (o->view.depths != NULL && oct_source_options_has_depths (&o->file))
    return live_options_refuse (error, OCT_VIEW_DEPTHS_TWICE);
  if (!(o->line_rate >= 0.0 && isfinite (o->line_rate)))
    return live_options_refuse (error, "--line-rate is not negative.");
  if (o->bscans < 0 || o->bscans > MOST_BSCANS)
    return live_options_refuse (error,
        "--bscans is the number of B-scans in a volume, up "
        "to 8192.");
  if (o->repeats < 0 || o->repeats > MOST_REPEATS)
    return live_options_refuse (
        error, "--repeats is the number of B-scans at each place, up to 1024.");
  if (o->repeats > 0 && o->bscans % o->repeats != 0)
    return live_options_refuse (
        error, "--bscans counts all repeats: it is a multiple of --repeats.");
  if (!(o->width_um >= 0.0 && o->width_um <= 1e6))
    return live_options_refuse (error,
        "--width-um is the width of a B-scan in micrometres, "
        "up to 1000000.");
  if (!(o->length_um >= 0.0 && o->length_um <= 1e6))
    return live_options_refuse (error,
        "--length-um is the length of a volume in "
        "micrometres, up to 1000000.");
  if (!(o->refractive_index >= 1.0 && o->refractive_index <= 4.0))
    return live_options_refuse (
        error, "--refractive-index is between 1 and 4.");
  return TRUE;
}

static gboolean
check_screen (OctLiveOptions *o, GError **error)
{
  char rest;
  gint n;

  o->screen_width = 1920;
  o->screen_height = 1080;
  o->screen_rate = 30;
  if (o->microscope == NULL)
    return (o->microscope_stereo == NULL && o->microscope_aims == NULL
               && o->screen == NULL && o->recording == NULL)
           || live_options_refuse (error,
               "--microscope-stereo, --microscope-calibration, --recording and "
               "--screen belong to --microscope, the source.");
  if (o->recording != NULL && !g_str_equal (o->recording, "oct")
      && !g_str_equal (o->recording, "both")
      && !g_str_equal (o->recording, "screen"))
    return live_options_refuse (error, "--recording is oct, both or screen.");
  if (o->recording != NULL && o->record == NULL)
    return live_options_refuse (error,
        "--recording says what is recorded; name a folder for it with "
        "--record.");
  for (; o->microscope_stereo != NULL
         && !g_str_equal (
             o->microscope_stereo, oct_live_stereo_names[o->stereo]);)
    if (++o->stereo == OCT_LIVE_N_STEREOS)
      return live_options_refuse (
          error, "--microscope-stereo is side-by-side, top-bottom or none.");
  if (o->screen == NULL)
    return TRUE;
  n = sscanf (o->screen, "%dx%d@%d%c", &o->screen_width, &o->screen_height,
      &o->screen_rate, &rest);
  if (n == 2 && strchr (o->screen, '@') == NULL
      && sscanf (o->screen, "%*dx%*d%c", &rest) < 1)
    n = 3;
  if (n != 3 || o->screen_width < 320 || o->screen_width > 1920
      || o->screen_height < 240 || o->screen_height > 1088
      || o->screen_width % 2 != 0 || o->screen_height % 2 != 0
      || o->screen_rate < 1 || o->screen_rate > 60)
    return live_options_refuse (error,
        "--screen is an even width and height, 320x240 to 1920x1088, and 1 to "
        "60 pictures per second, as in --screen 1280x720@60.");
  return TRUE;
}

static gboolean
check_address (OctLiveOptions *o, GError **error)
{
  g_autoptr (GInetAddress) address = NULL;

  if (g_str_equal (o->address, "localhost")) {
    g_free (o->address);
    o->address = g_strdup ("127.0.0.1");
  }
  address = g_inet_address_new_from_string (o->address);
  if (address == NULL)
    return live_options_refuse (error,
        "--address is an IP address of this computer, as "
        "192.168.1.20, or 0.0.0.0 for all of them.");
  o->loopback = g_inet_address_get_is_loopback (address);
  return TRUE;
}

static gboolean
check_server (OctLiveOptions *o, GError **error)
{
  char rest;

  if (!check_address (o, error))
    return FALSE;
  if (o->port < 0 || o->port > 65535)
    return live_options_refuse (error, "--port is between 0 and 65535.");
  if (o->udp_ports != NULL
      && (sscanf (o->udp_ports, "%u-%u%c", &o->first_port, &o->last_port, &rest)
              != 2
          || o->first_port < 1024 || o->last_port > 65535
          || o->first_port > o->last_port))
    return live_options_refuse (error,
        "--udp-ports is a range between 1024 and 65535, as "
        "50000-50100.");
  if ((o->cert != NULL) != (o->key != NULL))
    return live_options_refuse (error, "--cert and --key are given together.");
  if (!oct_moment_check_options (
          o->keep_seconds, o->keep_memory, o->record != NULL, error))
    return FALSE;
  if (o->keep_memory > 0 && o->images != NULL)
    return live_options_refuse (error,
        "--keep-memory holds raw spectra, and --images has none; leave one of "
        "them out.");
  if (o->pedal_keys != NULL && o->pedals == NULL)
    return live_options_refuse (
        error, "--pedal-keys belongs to --pedal, the device of a pedal.");
  if (o->files != NULL && !o->setup)
    return live_options_refuse (
        error, "--files belongs to --setup, whose page offers them.");
  if (o->viewers < 1 || o->viewers > 100)
    return live_options_refuse (error, "--viewers is between 1 and 100.");
  if (o->bitrate < 100 || o->bitrate > 100000)
    return live_options_refuse (
        error, "--bitrate is between 100 and 100000 kbit/s.");
  return TRUE;
}

/* The scan of the virtual OCT system is known. */
static void
live_options_complete (OctLiveOptions *o)
{
  gboolean is_virtual = !oct_live_options_has_source (o);
  gboolean known =
      is_virtual && o->bscans > 1 && !o->flow && o->scanner.pattern == NULL;

  if (is_virtual && o->flow && o->view.depths == NULL
      && !oct_source_options_has_depths (&o->file))
    o->file.depth_bins = FLOW_DEPTHS;
  if (known && o->width_um == 0.0)
    o->width_um = VIRTUAL_WIDTH_UM;
  if (known && o->length_um == 0.0)
    o->length_um = VIRTUAL_LENGTH_UM;
}

/* Options that are settings of the page, for its beginning. */
static void
live_options_wish (OctLiveOptions *o)
{
  o->wishes = (OctLiveSettings){ .average = o->view.average,
    .speckle = o->view.speckle ? "bilateral" : "none",
    .mode = o->view.background,
    .window = o->view.window };
  o->wished = 1 << OCT_LIVE_SETTING_average | 1 << OCT_LIVE_SETTING_speckle;
  if (o->view.background != NULL)
    o->wished |= 1 << OCT_LIVE_SETTING_mode;
  if (o->view.window != NULL)
    o->wished |= 1 << OCT_LIVE_SETTING_window;
}

gboolean
oct_live_options_has_source (const OctLiveOptions *o)
{
  return o->file.data != NULL || o->source != NULL || o->images != NULL
         || o->digitizer.socket != NULL;
}

char **
oct_live_options_drop_source (char *const *arguments, char **calibration)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  OctLiveOptions dropped = { 0 };
  char **rest = g_strdupv ((char **)arguments);

  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_ignore_unknown_options (context, TRUE);
  live_add_source (context, &dropped);
  oct_source_options_add (context, TRUE, &dropped.file);
  oct_digitizer_options_add (context, &dropped.digitizer);
  oct_scanner_options_add (context, &dropped.scanner);
  oct_instrument_options_add (context, &dropped.instrument);
  /* they have been read before */
  (void)g_option_context_parse_strv (context, &rest, NULL);
  *calibration = g_steal_pointer (&dropped.file.calibration);
  oct_live_options_clear (&dropped);
  return rest;
}

gboolean
oct_live_options_parse (
    OctLiveOptions *options, int *argc, char ***argv, GError **error)
{
  *options = (OctLiveOptions){ .port = 8080,
    .viewers = 8,
    .bitrate = 6000,
    .refractive_index = OCT_TISSUE_INDEX };
  if (!read_command_line (options, argc, argv, error))
    return FALSE;
  if (!oct_source_options_check (
          &options->file, *argc > 1 ? (*argv)[1] : NULL, error)
      || !oct_launch_take_camera (options->oct_camera, &options->source, error))
    return FALSE;
  if (options->address == NULL)
    options->address = g_strdup ("127.0.0.1");
  live_options_complete (options);
  live_options_wish (options);
  if (!live_options_check_source (options, error)
      || !live_options_check_scan (options, error)
      || !check_screen (options, error) || !check_server (options, error)
      || !oct_launch_set_mode (options->mode, &options->file_mode, error))
    return FALSE;
  if (options->pedal_keys == NULL)
    options->pedal_keys =
        g_strdup (options->keep_seconds > 0 ? "any=keep, long:any=record"
                                            : "any=freeze, long:any=record");
  return TRUE;
}

void
oct_live_options_clear (OctLiveOptions *options)
{
  oct_instrument_options_clear (&options->instrument);
  oct_ends_options_clear (&options->ends);
  oct_source_options_clear (&options->file);
  oct_digitizer_options_clear (&options->digitizer);
  oct_scanner_options_clear (&options->scanner);
  g_free (options->source);
  g_free (options->oct_camera);
  g_free (options->scan_mask);
  g_free (options->files);
  g_free (options->images);
  g_free (options->address);
  g_free (options->udp_ports);
  g_free (options->token_file);
  g_free (options->cert);
  g_free (options->key);
  g_free (options->record);
  g_free (options->mode);
  g_free (options->audit);
  g_strfreev (options->pedals);
  g_free (options->pedal_keys);
  g_free (options->worklist);
  g_free (options->microscope);
  g_free (options->microscope_stereo);
  g_free (options->microscope_aims);
  g_free (options->screen);
  g_free (options->recording);
  oct_view_options_clear (&options->view);
}
