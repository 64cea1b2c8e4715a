/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert-parts.h"

#include <string.h>
#include <sys/statvfs.h>

#include "oct-method-names.h"
#include "oct/oct.h"

/* FALSE with a sentence on the option that is wrong. */
static gboolean
convert_file_set_method (
    const OctConvertOptions *options, GstElement *reconstruct, GError **error)
{
  const OctMethod *method = options->method != NULL
                                ? oct_method_find (options->method)
                                : oct_methods ();

  g_return_val_if_fail (method != NULL && method->id != NULL, FALSE);
  oct_method_use (reconstruct, method);
  return oct_view_options_use (&options->view, reconstruct, error)
         && oct_sensing_options_use (&options->sensing, reconstruct, error);
}

/* One range for all images: by the contrast so far, slowly, or as set. */
static void
set_range (GstElement *reconstruct, const OctConvertOptions *options)
{
  if (options->max > options->min) {
    gst_util_set_object_arg (G_OBJECT (reconstruct), "range", "manual");
    g_object_set (reconstruct, "min", options->min, "max", options->max, NULL);
  } else {
    gst_util_set_object_arg (G_OBJECT (reconstruct), "range", "contrast");
    g_object_set (reconstruct, "range-smoothing", 0.99, NULL);
  }
}

/* Leaves A-lines out of the frames. */
static char *
describe_frames (const OctConvertOptions *options)
{
  return options->crop_start > 0 || options->crop_end > 0
             ? g_strdup_printf (" ! videocrop top=%d bottom=%d",
                 options->crop_start, options->crop_end)
             : g_strdup ("");
}

/* Elements between A-scans and the file. */
static const char *
describe_result (const OctConvertOptions *options)
{
  if (options->flow)
    return "octalign ! octangio ! ";
  return options->doppler ? "octdoppler ! application/x-oct-values ! " : "";
}

static GstElement *
convert_file_make_pipeline (const OctConvertOptions *options, GError **error)
{
  g_autoptr (GstElement) reconstruct = NULL;
  g_autofree char *frames = describe_frames (options);
  g_autofree char *filters = oct_view_options_describe_filters (&options->view);
  g_autofree char *raster = oct_convert_remap_describe (options);
  gboolean ascans = options->ascans || options->flow || options->doppler;
  g_autofree char *launch = g_strdup_printf (
      "octsrc name=source%s%s ! octreconstruct "
      "name=reconstruct output=%s ! %s%s%s"
      "octvolumesink name=sink",
      frames, options->bids ? " ! octmeter name=meter" : "",
      ascans ? "ascans" : "images", raster, filters, describe_result (options));
  GstElement *pipeline =
      gst_parse_launch_full (launch, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (pipeline == NULL)
    return NULL;
  reconstruct = gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");
  if (!ascans)
    set_range (reconstruct, options);
  oct_source_options_set_depths (&options->source, reconstruct);
  if (!convert_file_set_method (options, reconstruct, error)
      || !oct_convert_remap_use (options, pipeline, error))
    g_clear_pointer (&pipeline, gst_object_unref);
  return pipeline;
}

gboolean
oct_convert_check_pipeline (const OctConvertOptions *options, GError **error)
{
  g_autoptr (GstElement) pipeline = convert_file_make_pipeline (options, error);

  return pipeline != NULL;
}

static void
set_files (GstElement *pipeline, const OctConvertOptions *options,
    const OctConvertInput *input, const char *folder)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  OctSourceOptions given = options->source;
  g_autofree char *base = g_path_get_basename (input->name);
  g_autofree char *file = g_strconcat (base,
      options->bids && g_str_equal (options->format, "zarr") ? ".ome." : ".",
      options->format, NULL);
  g_autofree char *location = g_build_filename (folder, file, NULL);

  given.data = input->path;
  oct_source_options_set (&given, source);
  if (options->bscans > 0)
    g_object_set (source, "bscans", options->bscans, NULL);
  if (options->repeats > 0)
    g_object_set (source, "repeats", options->repeats, NULL);
  if (options->line_rate > 0.0)
    g_object_set (source, "line-rate", options->line_rate, NULL);
  g_object_set (sink, "location", location, "refractive-index",
      options->refractive_index, "dicom-tags", options->dicom_tags, "file-mode",
      options->file_mode & 0666, "deidentify", options->deidentify, NULL);
}

/* The B-scans of a volume, by the first B-scan, which waits for the start. */
static guint
convert_file_get_bscans (GstElement *sink)
{
  g_autoptr (GstSample) sample = NULL;
  GstBuffer *buffer;
  GstCustomMeta *meta;
  guint bscans = 0;

  g_object_get (sink, "last-sample", &sample, NULL);
  buffer = sample != NULL ? gst_sample_get_buffer (sample) : NULL;
  meta = buffer != NULL
             ? gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME)
             : NULL;
  if (meta != NULL)
    gst_structure_get_uint (
        gst_custom_meta_get_structure (meta), GST_OCT_SCAN_BSCANS, &bscans);
  return bscans;
}

/* The size of images, A-scans or values.  Returns: the bytes of one. */
static gint
get_size (const GstStructure *s, gint *lines, gint *depths)
{
  if (gst_structure_get_int (s, "width", lines)) {
    gst_structure_get_int (s, "height", depths);
    return 1;
  }
  gst_structure_get_int (s, "lines", lines);
  gst_structure_get_int (s, "samples", depths);
  return gst_structure_has_name (s, GST_OCT_VALUES_NAME) ? 4 : 8;
}

/* Sizes are known when the first B-scan waits for the start. */
static void
convert_file_set_spacing (
    GstElement *pipeline, const OctConvertOptions *options)
{
  g_autoptr (GstPad) pad = oct_launch_get_pad (pipeline, "sink", "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const guint bscans = convert_file_get_bscans (sink);
  gint lines = 0, depths = 0;

  get_size (s, &lines, &depths);
  if (options->width_um > 0.0 && lines > 0)
    g_object_set (sink, "x-spacing", options->width_um * 1e-6 / lines, NULL);
  if (options->length_um > 0.0 && bscans > 1)
    g_object_set (
        sink, "y-spacing", options->length_um * 1e-6 / (bscans - 1), NULL);
}

/* Names our options in a sentence of octvolumesink on its properties. */
static void
convert_file_name_options (GError *error)
{
  static const char *const names[][2] = {
    { "`x-spacing`, `y-spacing` and `z-spacing`",
        "--width-um and --length-um, and --calibration where the file has "
        "none" },
    { "`location`", "--output" },
    { "octremap knows no places of the A-lines; set `scan` of octsrc, or send "
      "an event application/x-oct-scan-path before the first B-scan.",
        "It keeps no scan path, which --remap needs: a recording has it beside "
        "it, as NAME-scan-path.txt; leave out --remap for rasters." },
    { "send the path of this scan, or set --lines and `bscans` of the source",
        "use the path that was recorded with it, or set --lines and "
        "--bscans" },
    { "set `columns`", "set --remap-settings with `columns`" },
  };
  g_autoptr (GString) sentence = g_string_new (error->message);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_string_replace (sentence, names[i][0], names[i][1], 0);
  g_free (error->message);
  error->message = g_string_free (g_steal_pointer (&sentence), FALSE);
}

/* In the thread of the volumes. */
static void
on_element (GstBus *bus, GstMessage *message, gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  guint missing = 0;

  if (s != NULL && gst_structure_has_name (s, "oct-volume-file")
      && gst_structure_get_uint (s, "missing", &missing))
    *(guint64 *)data += missing;
}

/* A warning of octsrc on its file: the missing B-scans and the cause; of
 * octremap: a volume without A-lines.  In any thread. */
static void
convert_file_on_warning (GstBus *bus, GstMessage *message, gpointer data)
{
  g_autofree char *sentence = NULL;

  if (g_strcmp0 (GST_MESSAGE_SRC_NAME (message), "source") != 0
      && g_strcmp0 (GST_MESSAGE_SRC_NAME (message), "remap") != 0)
    return;
  sentence = oct_launch_describe_warning (message);
  g_printerr ("Note: %s\n", sentence);
  if (*(char **)data == NULL)
    *(char **)data = g_steal_pointer (&sentence);
}

/* In the thread of the meter. */
static void
convert_file_on_measurement (GstBus *bus, GstMessage *message, gpointer meters)
{
  const GstStructure *s = gst_message_get_structure (message);

  if (s != NULL && gst_structure_has_name (s, "oct-meter"))
    oct_convert_meters_add (meters, s);
}

static void
count_missing (GstElement *pipeline, guint64 *missing, char **warning)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  *missing = 0;
  gst_bus_enable_sync_message_emission (bus);
  g_signal_connect (
      bus, "sync-message::element", G_CALLBACK (on_element), missing);
  g_signal_connect (bus, "sync-message::warning",
      G_CALLBACK (convert_file_on_warning), warning);
}

/* B-scans at each place, by the caps of the A-scans. */
static gint
convert_file_get_repeats (GstElement *pipeline)
{
  g_autoptr (GstPad) pad = oct_launch_get_pad (pipeline, "reconstruct", "src");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gint repeats = 1;

  gst_structure_get_int (
      gst_caps_get_structure (caps, 0), GST_OCT_REPEATS_FIELD, &repeats);
  return repeats;
}

/* One B-scan at each place has no flow to be shown. */
static gboolean
convert_file_check_repeats (
    GstElement *pipeline, const OctConvertOptions *options, GError **error)
{
  if (!options->flow || convert_file_get_repeats (pipeline) > 1)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "It has one B-scan at each place, but flow is what changes between two "
      "or more of them; set --repeats to the number of B-scans at a place.");
  return FALSE;
}

/* All volumes have to be on the disk before those of an earlier time go.  Sizes
 * are known when the first B-scan waits for the start. */
static gboolean
convert_file_check_room (GstElement *pipeline, const OctConvertOptions *options,
    const char *folder, GError **error)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = oct_launch_get_pad (pipeline, "sink", "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  guint64 bscans = MAX (convert_file_get_bscans (sink), 1);
  guint64 taken = oct_convert_remap_get_bscans (pipeline);
  gint width = 0, height = 0, value = get_size (s, &width, &height);
  gint64 all = 0;
  double bytes, room;
  struct statvfs disk;

  if (statvfs (folder, &disk) != 0)
    return TRUE;
  gst_element_query_duration (source, GST_FORMAT_DEFAULT, &all);
  if (options->flow)
    all /= MAX (convert_file_get_repeats (pipeline), 1);
  /* the last volume is a whole one, too */
  taken = taken > 0 ? taken : bscans;
  bytes = (double)width * height * value
          * (double)(((guint64)MAX (all, 1) + taken - 1) / taken * bscans);
  room = (double)disk.f_bavail * (double)disk.f_frsize;
  if (bytes <= room)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC,
      "Its volumes need %.1f MB, but %.1f MB are free on the disk of the "
      "output folder; make room, or set --output to a folder on another disk.",
      bytes * 1e-6, room * 1e-6);
  return FALSE;
}

static gboolean
convert_file_report (
    GstElement *pipeline, OctConvertProgress progress, gpointer data)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  gint64 at = 0, all = 0;

  gst_element_query_position (source, GST_FORMAT_DEFAULT, &at);
  gst_element_query_duration (source, GST_FORMAT_DEFAULT, &all);
  return progress ((guint64)MAX (at, 0), (guint64)MAX (all, 0), data)
         && !oct_launch_interrupted ();
}

static gboolean
convert_file_play (GstElement *pipeline, const OctConvertOptions *options,
    const char *folder, OctConvertProgress progress, gpointer data,
    GError **error)
{
  gboolean started = FALSE, done = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  while (!done && *error == NULL) {
    GstMessageType type = oct_launch_poll (pipeline, FALSE, error);

    if (*error != NULL)
      convert_file_name_options (*error);
    done = type == GST_MESSAGE_EOS;
    if (type == GST_MESSAGE_ASYNC_DONE && !started) {
      if (!convert_file_check_repeats (pipeline, options, error)
          || !convert_file_check_room (pipeline, options, folder, error))
        return FALSE;
      convert_file_set_spacing (pipeline, options);
      gst_element_set_state (pipeline, GST_STATE_PLAYING);
      started = TRUE;
    }
    if (!done && *error == NULL
        && !convert_file_report (pipeline, progress, data)) {
      g_set_error_literal (
          error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Interrupted.");
      return FALSE;
    }
  }
  return done;
}

gboolean
oct_convert_file (const OctConvertOptions *options,
    const OctConvertInput *input, const char *folder,
    OctConvertProgress progress, gpointer data, guint64 *missing,
    char **warning, GError **error)
{
  GstElement *pipeline = convert_file_make_pipeline (options, error);
  OctConvertMeters *meters;
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstBus) bus = NULL;
  guint64 absent = 0;
  gboolean ok;

  if (pipeline == NULL)
    return FALSE;
  meters = oct_convert_meters_new ();
  bus = gst_element_get_bus (pipeline);
  g_signal_connect (bus, "sync-message::element",
      G_CALLBACK (convert_file_on_measurement), meters);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  count_missing (pipeline, missing, warning);
  set_files (pipeline, options, input, folder);
  ok = convert_file_play (pipeline, options, folder, progress, data, error)
       && (!options->bids
           || oct_convert_sidecar_write (
               options, input, pipeline, meters, folder, error));
  /* if a whole volume is missing nothing is black */
  g_object_get (source, "missing", &absent, NULL);
  *missing = MAX (*missing, absent);
  *missing = MAX (*missing, oct_convert_remap_get_missing (pipeline));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  oct_convert_meters_free (meters);
  return ok;
}
