/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-launch.h"
#include "oct-file-write.h"
#include "oct-options.h"
#include "oct-reader.h"
#include "oct-recording.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_DEPTHS 65536 /* of octreconstruct */
#define POLL_TIME (100 * GST_MSECOND)

/* The parent process may pass on a Ctrl-C that has come here too. */
#define ONE_PRESS_MS 500

static volatile sig_atomic_t interrupted;
static struct timespec interrupted_at; /* the first time; the handler's own */
static volatile sig_atomic_t hung_up;
static struct timespec hung_up_at; /* once that is set */
static struct sigaction of_others; /* notified the first time, or nothing */

void
oct_source_options_add (
    GOptionContext *context, gboolean has_data, OctSourceOptions *options)
{
  const GOptionEntry entries[] = {
    { "data", 0, 0, G_OPTION_ARG_FILENAME, &options->data,
        "File of spectra: raw, NumPy, MATLAB, HDF5, Thorlabs, or a recording "
        "(default: the virtual OCT system)",
        "FILE" },
    { "samples", 0, 0, G_OPTION_ARG_INT, &options->samples,
        "Samples per A-line", "N" },
    { "lines", 0, 0, G_OPTION_ARG_INT, &options->lines, "A-lines per B-scan",
        "L" },
    { "sample-format", 0, 0, G_OPTION_ARG_STRING, &options->sample_format,
        oct_stored_describe_option (), "F" },
    { "packing", 0, 0, G_OPTION_ARG_STRING, &options->packing,
        "Raw file of 12 bit: mono12p or mono12packed, as the camera packs it",
        "P" },
    { "header-size", 0, 0, G_OPTION_ARG_INT64, &options->header_size,
        "Raw file: bytes before the first sample", "B" },
    { "variable", 0, 0, G_OPTION_ARG_STRING, &options->variable,
        "MATLAB file: name of the array of spectra", "NAME" },
    { "dataset", 0, 0, G_OPTION_ARG_STRING, &options->dataset,
        "HDF5 or TDMS file: name of the dataset, or of the channel, of spectra",
        "NAME" },
    { "sample-dimension", 0, 0, G_OPTION_ARG_INT, &options->sample_dimension,
        "Array: which dimension has the samples, 1 is the first; raw file and "
        "TIFF: 2 where columns are A-lines",
        "N" },
    { "channel", 0, 0, G_OPTION_ARG_INT, &options->channel,
        "Array of several channels: which one, 1 is the first", "N" },
    { "calibration", 0, 0, G_OPTION_ARG_FILENAME, &options->calibration,
        "Spectral calibration, see docs/calibration.md", "CSV" },
    { "depth-start", 0, 0, G_OPTION_ARG_INT, &options->depth_start,
        "First depth bin of the images (default: 0, or the instrument's)",
        "N" },
    { "depth-bins", 0, 0, G_OPTION_ARG_INT, &options->depth_bins,
        "Number of depth bins of the images (default: all, or the "
        "instrument's)",
        "N" },
    { NULL },
  };

  options->depth_start = options->depth_bins = -1;
  oct_options_add (
      context, "File of spectra", has_data ? entries : entries + 1, NULL);
}

void
oct_source_options_clear (OctSourceOptions *options)
{
  g_free (options->data);
  g_free (options->calibration);
  g_free (options->sample_format);
  g_free (options->packing);
  g_free (options->variable);
  g_free (options->dataset);
}

gboolean
oct_source_options_check (
    const OctSourceOptions *options, const char *extra, GError **error)
{
  OctPacking packing;
  OctStored stored;

  if (extra != NULL)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "'%s' is not an option; a file of spectra is given as --data FILE.",
        extra);
  else if (options->samples < 0 || options->lines < 0
           || options->header_size < 0)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--samples, --lines and --header-size are not negative.");
  else if (options->depth_start < -1 || options->depth_start > MOST_DEPTHS
           || options->depth_bins < -1 || options->depth_bins > MOST_DEPTHS)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--depth-start and --depth-bins are numbers of depth bins, 0 to %d.",
        MOST_DEPTHS);
  else
    return oct_array_options_check (
               options->sample_dimension, options->channel, error)
           && oct_stored_parse (options->sample_format, &stored, error)
           && oct_packing_parse (options->packing, &packing, error);
  return FALSE;
}

const char *
oct_source_options_get_mode (
    const OctSourceOptions *options, const char *source)
{
  gboolean knows =
      source == NULL && options->data == NULL && options->calibration == NULL;

  return knows ? "background" : "bscan";
}

void
oct_source_options_set (const OctSourceOptions *options, GstElement *octsrc)
{
  g_object_set (octsrc, "location", options->data, "samples", options->samples,
      "lines", options->lines, "header-size", (guint64)options->header_size,
      "variable", options->variable, "dataset", options->dataset,
      "sample-dimension", options->sample_dimension, "channel",
      options->channel, "calibration", options->calibration, NULL);
  /* one place, watched over time, as in an intervention */
  if (options->data == NULL)
    g_object_set (octsrc, "bscans", 1, NULL);
  if (options->sample_format != NULL)
    gst_util_set_object_arg (
        G_OBJECT (octsrc), "sample-format", options->sample_format);
  if (options->packing != NULL)
    gst_util_set_object_arg (G_OBJECT (octsrc), "packing", options->packing);
}

gboolean
oct_source_options_has_depths (const OctSourceOptions *options)
{
  return options->depth_start >= 0 || options->depth_bins >= 0;
}

void
oct_source_options_set_depths (
    const OctSourceOptions *options, GstElement *reconstruct)
{
  g_object_freeze_notify (G_OBJECT (reconstruct));
  if (options->depth_start >= 0)
    g_object_set (reconstruct, "depth-start", options->depth_start, NULL);
  if (options->depth_bins >= 0)
    g_object_set (reconstruct, "depth-bins", options->depth_bins, NULL);
  g_object_thaw_notify (G_OBJECT (reconstruct));
}

gboolean
oct_source_options_describe_file (const OctSourceOptions *options)
{
  return options->samples != 0 || options->lines != 0
         || options->header_size != 0 || options->sample_format != NULL
         || options->packing != NULL || options->variable != NULL
         || options->dataset != NULL || options->sample_dimension != 0
         || options->channel != 0;
}

gboolean
oct_source_options_is_recording (const OctSourceOptions *options)
{
  return options->data != NULL && oct_recording_is_one (options->data);
}

gboolean
oct_source_is_spectra (const char *name)
{
  static const char *const endings[] = { ".npy", ".mat", ".h5", ".hdf5", ".oct",
    ".srr", ".unp", ".raw", ".bin", ".tdms", ".tif", ".tiff", NULL };
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (guint i = 0; endings[i] != NULL; i++)
    if (g_str_has_suffix (lower, endings[i]))
      return TRUE;
  return FALSE;
}

guint
oct_source_options_count_lines (const OctSourceOptions *options)
{
  OctReaderSettings settings = { .samples = (guint)options->samples,
    .lines = (guint)options->lines,
    .header_size = (guint64)options->header_size,
    .variable = options->variable,
    .dataset = options->dataset,
    .sample_dimension = (guint)options->sample_dimension,
    .channel = (guint)options->channel };
  g_autoptr (OctReader) reader = NULL;

  if (options->data != NULL
      && oct_stored_parse (options->sample_format, &settings.stored, NULL)
      && oct_packing_parse (options->packing, &settings.packing, NULL))
    reader = oct_reader_open (options->data, &settings, NULL);
  return reader != NULL ? oct_reader_get_info (reader)->lines : 0;
}

char *
oct_launch_quote (const char *text)
{
  GString *quoted = g_string_new ("\"");

  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      g_string_append_c (quoted, '\\');
    g_string_append_c (quoted, *text);
  }
  g_string_append_c (quoted, '"');
  return g_string_free (quoted, FALSE);
}

gboolean
oct_launch_take_camera (const char *camera, char **source, GError **error)
{
  g_autofree char *quoted = NULL;

  if (camera == NULL)
    return TRUE;
  if (*source != NULL || *camera == '\0') {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        *source != NULL
            ? "Either --oct-camera or --source gives the spectra, not both."
            : "--oct-camera is the name or address of a camera, as "
              "gst-device-monitor-1.0 lists them, or first.");
    return FALSE;
  }
  quoted = oct_launch_quote (camera);
  *source = g_str_equal (camera, "first")
                ? g_strdup ("octcamerasrc")
                : g_strdup_printf ("octcamerasrc camera=%s", quoted);
  return TRUE;
}

/* aravissrc gives the memory of a buffer back to the camera as soon as it was
 * pushed, even if others keep the buffer: a recording would hold later frames
 * in the places of earlier ones. */
static GstPadProbeReturn
on_camera_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstBuffer *copy = gst_buffer_copy_deep (buffer);

  /* without memory for it the frame is lost */
  if (copy == NULL)
    return GST_PAD_PROBE_DROP;
  gst_buffer_unref (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = copy;
  return GST_PAD_PROBE_OK;
}

static void
copy_its_frames (const GValue *item, gpointer data)
{
  GstElement *element = g_value_get_object (item);
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) pad = NULL;

  if (factory == NULL || !g_str_equal (GST_OBJECT_NAME (factory), "aravissrc"))
    return;
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, on_camera_frame, NULL, NULL);
}

void
oct_launch_copy_camera_frames (GstBin *bin)
{
  GstIterator *all = gst_bin_iterate_recurse (bin);

  /* nothing is added or removed meanwhile */
  gst_iterator_foreach (all, copy_its_frames, NULL);
  gst_iterator_free (all);
}

GstElement *
oct_launch_add_part (GstBin *bin, const char *description, GError **error)
{
  GstElement *part = gst_parse_bin_from_description_full (
      description, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (part == NULL)
    return NULL;
  oct_launch_copy_camera_frames (GST_BIN (part));
  gst_bin_add (bin, part);
  return part;
}

GstElement *
oct_launch_add_own_part (GstBin *bin, const char *description, GError **error)
{
  g_autoptr (GError) reason = NULL;
  GstElement *part = oct_launch_add_part (bin, description, &reason);

  if (part == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "A part of GStreamer is missing (%s); install the packages listed in "
        "pipelines/packages.sh.",
        reason->message);
  return part;
}

void
oct_launch_set (GstElement *pipeline, const char *name, const char *property,
    const char *value)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), name);

  gst_util_set_object_arg (G_OBJECT (element), property, value);
}

GstPad *
oct_launch_get_pad (GstElement *pipeline, const char *name, const char *pad)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), name);

  return gst_element_get_static_pad (element, pad);
}

gboolean
oct_launch_save_last (
    GstElement *pipeline, const char *name, const char *path, GError **error)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstSample) sample = NULL;
  GstBuffer *buffer;
  GstMapInfo map;
  int code;

  g_object_get (sink, "last-sample", &sample, NULL);
  buffer = sample != NULL ? gst_sample_get_buffer (sample) : NULL;
  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
        "No B-scan arrived at the picture.");
    return FALSE;
  }
  code = oct_file_replace (path, map.data, map.size, -1);
  gst_buffer_unmap (buffer, &map);
  if (code != 0)
    oct_file_set_write_error (error, path, code);
  return code == 0;
}

gboolean
oct_launch_finish_file (
    const char *part, const char *path, gboolean ok, GError **error)
{
  int fd, code;

  if (!ok) {
    g_unlink (part);
    return FALSE;
  }
  fd = g_open (part, O_RDONLY | O_CLOEXEC, 0);
  code = fd >= 0 ? oct_file_end_as (fd, 1, part, path) : errno;
  if (code != 0)
    oct_file_set_write_error (error, path, code);
  return code == 0;
}

/* Those of oct_source_options_add(), whose names are those of octsrc. */
static char *
launch_name_options (const char *sentence)
{
  g_autoptr (GRegex) property =
      g_regex_new ("`(samples|lines|sample-format|packing|header-size|variable|"
                   "dataset|sample-dimension|channel|calibration|"
                   "scan-mask-file)`"
                   "( of octsrc| of octvolumecs)?",
          0, 0, NULL);

  return g_regex_replace (property, sentence, -1, 0, "--\\1", 0, NULL);
}

void
oct_launch_parse_error (GstMessage *message, GError **error)
{
  GError *found = NULL;
  char *sentence;

  gst_message_parse_error (message, &found, NULL);
  if (strstr (found->message, "needs a spectral calibration and found none")
      != NULL) {
    g_free (found->message);
    found->message =
        g_strdup ("There is no spectral calibration, which says which "
                  "wavelength each sample of the spectra has; give it with "
                  "--calibration CSV, as docs/calibration.md describes.");
  }
  sentence = launch_name_options (found->message);
  if (sentence != NULL) { /* else it is not UTF-8 */
    g_free (found->message);
    found->message = sentence;
  }
  g_propagate_error (error, found);
}

char *
oct_launch_describe_warning (GstMessage *message)
{
  g_autoptr (GError) warning = NULL;
  char *sentence;

  gst_message_parse_warning (message, &warning, NULL);
  sentence = launch_name_options (warning->message);
  return sentence != NULL ? sentence : g_strdup (warning->message);
}

static void
report_warning (GstMessage *message)
{
  g_autofree char *sentence = oct_launch_describe_warning (message);

  g_printerr ("Note: %s\n", sentence);
}

GstMessageType
oct_launch_poll (GstElement *pipeline, gboolean show_warnings, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus, POLL_TIME,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS
          | GST_MESSAGE_ASYNC_DONE);

  if (message == NULL)
    return GST_MESSAGE_UNKNOWN;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    oct_launch_parse_error (message, error);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING && show_warnings)
    report_warning (message);
  return GST_MESSAGE_TYPE (message);
}

/* Everybody who can read a file can enter its folder. */
static guint
get_folder_mode (guint mode)
{
  return mode | 0700 | (mode & 0444) >> 2;
}

gboolean
oct_launch_set_mode (const char *text, guint *mode, GError **error)
{
  guint64 value = 0600;

  if (text != NULL
      && (!g_ascii_string_to_unsigned (text, 8, 0600, 0666, &value, NULL)
          || (value & ~(guint64)0666) != 0)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--mode takes the permissions of the files in octal digits, from 0600 "
        "(you alone) to 0666 (everybody), such as 0640; '%s' is not.",
        text);
    return FALSE;
  }
  umask (~get_folder_mode ((guint)value) & 0777);
  if (mode != NULL)
    *mode = (guint)value;
  return TRUE;
}

void
oct_launch_check_folder (const char *path, guint mode)
{
  g_autofree char *name = g_filename_display_name (path);
  guint others = ~get_folder_mode (mode) & 0077;
  struct stat status;
  const char *what;
  gboolean shared;

  if (stat (path, &status) != 0 || (status.st_mode & others) == 0)
    return;
  shared = (status.st_mode & S_ISVTX) != 0 || status.st_uid != geteuid ();
  what =
      (status.st_mode & others & 0022) != 0 && (status.st_mode & S_ISVTX) == 0
          ? "can see and delete the files"
          : "can see the names of the files";
  g_printerr (
      "Note: other users of this computer %s in the folder '%s'; ", what, name);
  /* of a folder for everybody, as that for temporary files, others depend */
  if (shared)
    g_printerr ("a new folder in it is yours alone.\n");
  else
    g_printerr (
        "'chmod %o' of it ends that.\n", status.st_mode & 0777 & ~others);
}

gboolean
oct_launch_make_folder (const char *path, GError **error)
{
  if (g_mkdir_with_parents (path, 0777) == 0 && g_access (path, W_OK) == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
      "The folder '%s' cannot be written to: %s.", path, g_strerror (errno));
  return FALSE;
}

gboolean
oct_launch_survives_hangup (void)
{
  struct sigaction before;

  return sigaction (SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
}

static void
leave_to_bus (
    const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
}

void
oct_launch_shows_warnings (void)
{
  /* G_LOG_DOMAIN of the elements */
  g_log_set_handler ("oct", G_LOG_LEVEL_MESSAGE, leave_to_bus, NULL);
}

void
oct_launch_ignore_failed_writes (void)
{
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
}

void
oct_launch_note_hangup (void)
{
  if (hung_up)
    return;
  (void)clock_gettime (CLOCK_MONOTONIC, &hung_up_at);
  hung_up = TRUE;
}

static void
launch_on_hangup (int signal_number)
{
  int code = errno;

  oct_launch_note_hangup ();
  interrupted = TRUE;
  errno = code;
}

/* Only what is allowed in a signal handler. */
static void
launch_on_interrupt (int signal_number)
{
  static const char sentence[] =
      "\nEnded at once by the second Ctrl-C; what was not on the disk yet is "
      "lost.\n";
  struct timespec now = { 0 };
  const struct timespec *first = &interrupted_at;
  int code = errno;

  (void)clock_gettime (CLOCK_MONOTONIC, &now);
  /* a SIGTERM after it is sent to end all programs, in the same manner */
  if (interrupted_at.tv_sec == 0 && hung_up && signal_number == SIGINT)
    first = &hung_up_at;
  if (first->tv_sec == 0) {
    interrupted_at = now;
    interrupted = TRUE;
    if (of_others.sa_handler != NULL)
      of_others.sa_handler (signal_number);
  } else if ((now.tv_sec - first->tv_sec) * 1000
                 + (now.tv_nsec - first->tv_nsec) / 1000000
             > ONE_PRESS_MS) {
    (void)!write (STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit (128 + signal_number);
  }
  errno = code;
}

void
oct_launch_end_at_second_interrupt (void)
{
  struct sigaction action = { .sa_handler = launch_on_interrupt,
    .sa_flags = SA_RESTART };

  sigaddset (&action.sa_mask, SIGINT);
  sigaddset (&action.sa_mask, SIGTERM);
  sigaction (SIGINT, &action, &of_others);
  sigaction (SIGTERM, &action, NULL);
}

void
oct_launch_catch_interrupts (void)
{
  const struct sigaction hangup = { .sa_handler = launch_on_hangup };

  oct_launch_end_at_second_interrupt ();
  of_others.sa_handler = NULL;
  oct_launch_ignore_failed_writes ();
  if (!oct_launch_survives_hangup ())
    sigaction (SIGHUP, &hangup, NULL);
}

gboolean
oct_launch_interrupted (void)
{
  return interrupted;
}
