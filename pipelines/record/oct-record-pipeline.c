/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-record-pipeline.h"

#include "oct-method-names.h"
#include "oct-fill.h"
#include "oct-masked.h"
#include "oct-remapped.h"

#define BSCAN_RATE 30
#define PHANTOM_LINES 512
/* Rate of images with a camera next to them. */
#define CAMERA_RATE 30

/* Downstream of a slow element the oldest frames are dropped: code that waits
 * for them waits in vain, and everything else goes on. */
#define LEAKY "queue leaky=downstream max-size-bytes=0 max-size-time=0 "
#define CLOCK                                                                  \
  "clockoverlay time-format=\"%Y-%m-%d  %H:%M:%S\" valignment=bottom "         \
  "halignment=left shaded-background=true font-desc=\"Sans 11\" ! "

/* Pictures that are put together need it: left to themselves, grey levels of 0
 * to 255 and a camera's of 16 to 235 would be taken for the same. */
#define YUV "video/x-raw,format=I420,colorimetry=bt709"

/* Vessels of the virtual system, 20 places per second. */
#define FLOW_REPEATS 4
#define FLOW_PLACES 32
#define FLOW_LINES 128
#define FLOW_SAMPLES 1024
#define FLOW_LINE_RATE (20.0 * FLOW_REPEATS * FLOW_LINES)
#define FLOW                                                                   \
  "ascans. ! queue leaky=downstream max-size-buffers=32 max-size-bytes=0 "     \
  "max-size-time=0 ! octalign name=align ! octangio name=angio method=index "  \
  "! video/x-raw ! videoscale method=lanczos add-borders=false ! "             \
  "videoconvert ! " YUV ",width=%d,height=%d,pixel-aspect-ratio=1/1 ! "        \
  "capsfilter name=flow ! fakesink sync=false async=false "

#define COUNTS "oct-record-counts"
#define SCANNER "oct-record-scanner"
#define SCAN_SAMPLES 1024

/* How long the program of the digitizer is waited for, ms. */
#define DIGITIZER_TIME 5000

typedef struct {
  gint offered, made;         /* atomic */
  GstElement *source, *queue; /* source: octsrc, octcamerasrc, octdaqsrc or
                                 NULL */
  const char *dropped;        /* its property */
} Counts;

/* The digitizer, once it was looked at, and the scanner. */
typedef struct {
  OctDigitizerRing ring; /* all 0 without one */
  char *source, *clock;  /* launch lines, or NULL */
  OctScanner *scanner;   /* or NULL */
  guint lines, bscans;   /* of its scan */
} Digitizer;

/* ------------------------------------------------------------- launch lines */

/* A device or a picture that moves, with the clock of this machine. */
static char *
describe_camera (const OctRecordOptions *options)
{
  if (g_str_equal (options->camera, "test"))
    return g_strdup ("videotestsrc is-live=true pattern=ball ! "
                     "video/x-raw,width=640,height=480,framerate=30/1");
  return g_strdup_printf ("v4l2src name=camera device=\"%s\"", options->camera);
}

static char *
describe_images (const OctRecordOptions *options)
{
  gint w = options->width, h = options->height;
  g_autofree char *camera = NULL;
  g_autofree char *filters =
      oct_view_options_describe_filters (&options->images);
  g_autofree char *scale = g_strdup_printf (
      "octlogscale name=grey range=contrast range-smoothing=0.9 ! %s"
      "video/x-raw ! videoscale method=lanczos add-borders=false ! "
      "videoconvert",
      filters);

  if (options->camera == NULL)
    return g_strdup_printf ("%s ! video/x-raw,width=%d,height=%d,"
                            "pixel-aspect-ratio=1/1,format=%s ! %s"
                            "capsfilter name=images",
        scale, w, h, options->clock ? "I420" : "GRAY8",
        options->clock ? CLOCK : "");
  camera = describe_camera (options);
  return g_strdup_printf (
      "%s ! " YUV ",width=%d,height=%d,pixel-aspect-ratio=1/1"
      " ! " LEAKY "max-size-buffers=2 ! both.sink_0 "
      "%s ! " LEAKY "max-size-buffers=2 ! videoconvert ! " YUV " ! both.sink_1 "
      "compositor name=both background=black sink_1::xpos=%d sink_1::width=%d "
      "sink_1::height=%d sink_1::sizing-policy=keep-aspect-ratio ! " YUV
      ",width=%d,height=%d,framerate=%d/1,"
      "pixel-aspect-ratio=1/1 ! %scapsfilter name=images",
      scale, w, h, camera, w, w, h, 2 * w, h, CAMERA_RATE, CLOCK);
}

static char *
record_pipeline_describe (
    const OctRecordOptions *options, const Digitizer *digitizer)
{
  g_autofree char *images = describe_images (options);
  g_autofree char *view =
      options->view != NULL ? g_strdup_printf (
          LEAKY "max-size-buffers=2 ! videoconvert ! %s", options->view)
                            : g_strdup ("fakesink sync=false async=false");
  char min[G_ASCII_DTOSTR_BUF_SIZE], max[G_ASCII_DTOSTR_BUF_SIZE];
  const char *spectra =
      options->meters ? "octmeter name=oct-record-spectra ! " : "";
  const char *ascans =
      options->meters ? "octmeter name=oct-record-ascans ! " : "";
  g_autofree char *lossless = NULL;
  g_autofree char *flow =
      options->flow ? g_strdup_printf (FLOW, options->width, options->height)
                    : g_strdup ("");

  g_ascii_dtostr (min, sizeof min, options->min);
  g_ascii_dtostr (max, sizeof max, options->max);
  if (options->lossless)
    lossless = g_strdup_printf (
        "ascans. ! octlogscale range=manual min=%s max=%s ! "
        "capsfilter name=lossless caps=video/x-raw,format=GRAY16_LE ! "
        "fakesink sync=false async=false",
        min, max);
  return g_strdup_printf (
      "%s ! capsfilter name=spectra%s ! " LEAKY "name=incoming "
      "max-size-buffers=8 ! %s%soctreconstruct name=reconstruct axis=%s "
      "output=ascans ! "
      "%scapsfilter name=raster ! tee name=ascans %s %s %s ascans. ! %s ! %s",
      options->source != NULL ? options->source : "octsrc name=octsrc",
      options->raw || options->held ? " caps=video/x-raw" : "",
      digitizer->clock != NULL ? digitizer->clock : "", spectra,
      oct_digitizer_get_axis (&digitizer->ring), ascans,
      lossless != NULL ? lossless : "",
      options->volume.wanted ? oct_record_volume_describe () : "", flow, images,
      view);
}

/* ------------------------------------------------------------------- source */

/* Whether it is the virtual OCT system, looking at blood. */
static gboolean
record_pipeline_is_virtual_flow (const OctRecordOptions *options)
{
  return options->flow && options->source == NULL
         && options->spectra.data == NULL;
}

/* Whether it is the virtual OCT system, scanning volumes. */
static gboolean
record_pipeline_is_virtual_volume (const OctRecordOptions *options)
{
  return options->volume.wanted && options->source == NULL
         && options->spectra.data == NULL && options->scanner.pattern == NULL;
}

/* A-lines per second; 0: the recording says it. */
static double
get_line_rate (const OctRecordOptions *options)
{
  const OctSourceOptions *spectra = &options->spectra;
  guint lines;

  if (options->line_rate > 0.0 || oct_source_options_is_recording (spectra))
    return options->line_rate;
  if (record_pipeline_is_virtual_flow (options))
    return FLOW_LINE_RATE;
  if (options->scanner.pattern != NULL)
    return OCT_SCANNER_VIRTUAL_RATE;
  if (record_pipeline_is_virtual_volume (options))
    return OCT_RECORD_VOLUME_LINE_RATE;
  lines = spectra->data != NULL ? oct_source_options_count_lines (spectra)
                                : (guint)spectra->lines;
  return BSCAN_RATE * (double)(lines != 0 ? lines : PHANTOM_LINES);
}

static void
record_pipeline_set_source (
    GstElement *pipeline, const OctRecordOptions *options)
{
  g_autoptr (GstElement) octsrc =
      gst_bin_get_by_name (GST_BIN (pipeline), "octsrc");
  const char *calibration = options->spectra.calibration;

  if (octsrc == NULL) {
    if (calibration == NULL)
      return;
    oct_launch_set (pipeline, "reconstruct", "calibration", calibration);
    if (options->meters)
      oct_launch_set (
          pipeline, "oct-record-spectra", "calibration", calibration);
    return;
  }
  oct_source_options_set (&options->spectra, octsrc);
  g_object_set (
      octsrc, "is-live", TRUE, "line-rate", get_line_rate (options), NULL);
  if (record_pipeline_is_virtual_volume (options)
      && options->spectra.lines == 0)
    g_object_set (octsrc, "lines", OCT_RECORD_VOLUME_LINES, NULL);
}

/* The source's repeats; those of --source are in its caps, or only we know. */
static void
set_up_flow (GstElement *pipeline, const OctRecordOptions *options)
{
  g_autoptr (GstElement) octsrc =
      gst_bin_get_by_name (GST_BIN (pipeline), "octsrc");
  gboolean is_virtual = record_pipeline_is_virtual_flow (options);
  gint repeats =
      options->repeats == 0 && is_virtual ? FLOW_REPEATS : options->repeats;
  g_autofree char *text = g_strdup_printf ("%d", repeats);

  if (is_virtual) {
    gst_util_set_object_arg (G_OBJECT (octsrc), "phantom", "flow");
    g_object_set (octsrc, "bscans", FLOW_PLACES * repeats, NULL);
    if (options->spectra.lines == 0)
      g_object_set (octsrc, "lines", FLOW_LINES, NULL);
    if (options->spectra.samples == 0)
      g_object_set (octsrc, "samples", FLOW_SAMPLES, NULL);
  }
  if (repeats > 0 && octsrc != NULL) {
    oct_launch_set (pipeline, "octsrc", "repeats", text);
  } else if (repeats > 0) {
    oct_launch_set (pipeline, "align", "repeats", text);
    oct_launch_set (pipeline, "angio", "repeats", text);
  }
}

static void
set_up_volume (GstElement *pipeline, const OctRecordOptions *options)
{
  g_autoptr (GstElement) grey =
      gst_bin_get_by_name (GST_BIN (pipeline), "volume-grey");
  g_autoptr (GstElement) reconstruct =
      gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");
  double smoothing;

  if (options->instrument.load != NULL) {
    g_object_get (grey, "range-smoothing", &smoothing, NULL);
    oct_instrument_use_contrast (reconstruct, grey);
    g_object_set (grey, "range-smoothing", smoothing, NULL);
  }
  oct_record_volume_set_up (
      &options->volume, pipeline, record_pipeline_is_virtual_volume (options));
}

static gboolean
record_pipeline_tell_mask (
    GstElement *pipeline, const OctRecordOptions *options, GError **error)
{
  g_autoptr (GstPad) pad = oct_record_pipeline_get_spectra (pipeline);

  return options->scan_mask == NULL
         || oct_masked_tell (pad, options->scan_mask, error);
}

static void
record_pipeline_on_masked (gpointer data)
{
  const char *way = data;

  if (g_str_equal (way, OCT_FILL_OFF))
    g_printerr ("Note: the scan leaves A-lines out, and images show only those "
                "that were taken; --fill fills in the others.\n");
  else
    g_printerr ("Note: the scan leaves A-lines out, which images show filled "
                "in (--fill %s), one volume later; --raw keeps what was "
                "taken.\n",
        way);
}

/* Between the A-scans and the images of them. */
static void
add_fill (GstElement *pipeline, const OctRecordOptions *options)
{
  /* pixels that no A-line of a path is near stay black */
  const char *usual =
      options->scanner.pattern != NULL ? OCT_FILL_OFF : OCT_FILL_DEFAULT;
  const char *way =
      options->fill != NULL ? oct_fill_find (options->fill) : usual;
  g_autoptr (GstElement) before = gst_bin_get_by_name (GST_BIN (pipeline),
      options->meters ? "oct-record-ascans" : "reconstruct");
  g_autoptr (GstElement) raster =
      gst_bin_get_by_name (GST_BIN (pipeline), "raster");
  g_autoptr (GstElement) after =
      gst_bin_get_by_name (GST_BIN (pipeline), "ascans");

  oct_remapped_add (before, raster);
  oct_fill_new (raster, after, way, record_pipeline_on_masked, (gpointer)way);
}

/* Settings on the command line replace those of the instrument. */
static gboolean
set_up (GstElement *pipeline, const OctRecordOptions *options,
    const OctMethod *method, GError **error)
{
  const OctInstrumentOptions *instrument = &options->instrument;
  g_autoptr (GstElement) reconstruct =
      gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");
  g_autoptr (GstElement) grey =
      gst_bin_get_by_name (GST_BIN (pipeline), "grey");

  if (!oct_instrument_load (
          reconstruct, instrument->load, options->spectra.calibration, error))
    return FALSE;
  oct_source_options_set_depths (&options->spectra, reconstruct);
  /* a named instrument keeps its settings */
  if (instrument->load == NULL)
    oct_launch_set (pipeline, "reconstruct", "mode",
        oct_source_options_get_mode (&options->spectra, options->source));
  if (instrument->load == NULL || options->method != NULL)
    oct_method_use (reconstruct, method);
  if (instrument->load != NULL)
    oct_instrument_use_contrast (reconstruct, grey);
  if (!oct_sensing_options_use (&options->sensing, reconstruct, error)
      || !oct_view_options_use (&options->images, reconstruct, error))
    return FALSE;
  record_pipeline_set_source (pipeline, options);
  if (!record_pipeline_tell_mask (pipeline, options, error))
    return FALSE;
  add_fill (pipeline, options);
  if (options->volume.wanted)
    set_up_volume (pipeline, options);
  if (options->flow)
    set_up_flow (pipeline, options);
  if ((instrument->load != NULL || options->images.window != NULL)
      && options->meters) {
    g_autoptr (GstElement) meter =
        gst_bin_get_by_name (GST_BIN (pipeline), "oct-record-spectra");

    oct_instrument_copy_axis (reconstruct, meter);
  }
  return oct_instrument_save (
      reconstruct, instrument->save, options->spectra.calibration, error);
}

/* Parses it by itself, to distinguish it from the elements that we add. */
static gboolean
record_pipeline_check_source (const char *source, GError **error)
{
  g_autofree char *description = g_strconcat (source, " ! identity", NULL);
  g_autoptr (GError) reason = NULL;
  GstElement *bin = gst_parse_bin_from_description_full (
      description, FALSE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &reason);

  if (bin == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "--source \"%s\" is not a valid pipeline: %s.", source,
        reason->message);
    return FALSE;
  }
  gst_object_ref_sink (bin);
  gst_object_unref (bin);
  return TRUE;
}

static const OctMethod *
find_method (const char *id, GError **error)
{
  const OctMethod *method =
      id != NULL ? oct_method_find (id) : oct_method_find (oct_methods ()->id);
  g_autofree char *list = method == NULL ? oct_method_list () : NULL;

  if (method != NULL)
    return method;
  if (*list == '\0')
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer does not find the elements of this project; install the "
        "plugin or set GST_PLUGIN_PATH to its folder.");
  else
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "--method is one of %s here, not '%s'.", list, id);
  return NULL;
}

/* The ring says the sizes of volumes, or options do. */
static gboolean
record_pipeline_make_scanner (
    const OctRecordOptions *options, Digitizer *digitizer, GError **error)
{
  const OctDigitizerRing *ring = &digitizer->ring;
  guint lines = (guint)options->spectra.lines;
  guint bscans = (guint)options->volume.bscans;
  double rate =
      ring->line_rate > 0.0 ? ring->line_rate : OCT_SCANNER_VIRTUAL_RATE;

  if (lines == 0)
    lines = ring->lines > 0 ? ring->lines : OCT_SCANNER_LINES;
  if (bscans == 0)
    bscans = ring->bscans > 0 ? ring->bscans : OCT_SCANNER_BSCANS;
  digitizer->lines = lines;
  digitizer->bscans = bscans;
  digitizer->scanner =
      oct_scanner_new (&options->scanner, lines, bscans, rate, error);
  return digitizer->scanner != NULL;
}

/* The virtual system looks along the path; a digitizer may lose A-lines, which
 * the mean of a B-scan must not contain. */
static void
record_pipeline_follow (GstElement *pipeline, const OctRecordOptions *options,
    const Digitizer *digitizer)
{
  g_autoptr (GstElement) octsrc =
      gst_bin_get_by_name (GST_BIN (pipeline), "octsrc");

  if (digitizer->scanner == NULL)
    return;
  if (octsrc != NULL) {
    gst_util_set_object_arg (G_OBJECT (octsrc), "phantom", "surgery");
    gst_util_set_object_arg (G_OBJECT (octsrc), "scan", "file");
    /* quick enough to be looked at */
    if (options->spectra.samples == 0)
      g_object_set (octsrc, "samples", SCAN_SAMPLES, NULL);
    g_object_set (octsrc, "scan-file",
        oct_scanner_get_path (digitizer->scanner), "lines", digitizer->lines,
        "bscans", digitizer->bscans, NULL);
  } else if (options->images.background == NULL
             && options->instrument.load == NULL) {
    oct_launch_set (pipeline, "reconstruct", "mode", "fixed-pattern-scaled");
  }
}

void
oct_record_pipeline_scan (GstElement *pipeline)
{
  OctScanner *scanner = g_object_get_data (G_OBJECT (pipeline), SCANNER);

  if (scanner != NULL)
    oct_scanner_start (scanner);
}

/* Looks at the ring if there is a digitizer. */
static gboolean
record_pipeline_find_digitizer (
    const OctRecordOptions *options, Digitizer *digitizer, GError **error)
{
  if (options->digitizer.socket != NULL
      && !oct_digitizer_look (
          &options->digitizer, DIGITIZER_TIME, &digitizer->ring, error))
    return FALSE;
  if (options->scanner.pattern != NULL
      && !record_pipeline_make_scanner (options, digitizer, error))
    return FALSE;
  if (options->digitizer.socket == NULL)
    return TRUE;
  if ((options->raw || options->held) && !digitizer->ring.is_raw) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "--raw and --keep-memory take samples of 8 or 16 bits as they were "
        "measured, which this digitizer does not deliver; leave them out.");
    return FALSE;
  }
  digitizer->source =
      oct_digitizer_describe (&options->digitizer, &digitizer->ring,
          digitizer->scanner != NULL ? oct_scanner_get_path (digitizer->scanner)
                                     : NULL);
  digitizer->clock =
      oct_digitizer_describe_clock (&options->digitizer, &digitizer->ring);
  return TRUE;
}

static GstElement *
record_pipeline_make (const OctRecordOptions *options,
    const Digitizer *digitizer, const OctMethod *method, GError **error)
{
  g_autofree char *description = record_pipeline_describe (options, digitizer);
  g_autoptr (GError) reason = NULL;
  GstElement *pipeline;

  if (options->source != NULL
      && !record_pipeline_check_source (options->source, error))
    return NULL;
  pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &reason);
  if (pipeline != NULL) {
    oct_launch_copy_camera_frames (GST_BIN (pipeline));
    if (!set_up (pipeline, options, method, error))
      gst_clear_object (&pipeline);
    else { /* an instrument may have another one */
      oct_launch_set (pipeline, "reconstruct", "axis",
          oct_digitizer_get_axis (&digitizer->ring));
      record_pipeline_follow (pipeline, options, digitizer);
    }
  } else if (options->source != NULL
             && g_error_matches (reason, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK))
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "--source does not end in raw spectra, which are video/x-raw of format "
        "GRAY16_LE or GRAY8 with one A-line per row (%s).",
        reason->message);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  return pipeline;
}

GstElement *
oct_record_pipeline_new (const OctRecordOptions *options, GError **error)
{
  const OctMethod *method = find_method (options->method, error);
  OctRecordOptions all = *options;
  Digitizer digitizer = { 0 };
  GstElement *pipeline = NULL;

  if (method == NULL)
    return NULL;
  if (record_pipeline_find_digitizer (options, &digitizer, error)) {
    if (digitizer.source != NULL)
      all.source = digitizer.source;
    /* the raster says its own */
    if (digitizer.scanner != NULL)
      all.volume.bscans = 0;
    pipeline = record_pipeline_make (&all, &digitizer, method, error);
  }
  if (pipeline != NULL)
    g_object_set_data_full (G_OBJECT (pipeline), SCANNER, digitizer.scanner,
        (GDestroyNotify)oct_scanner_free);
  else
    oct_scanner_free (digitizer.scanner);
  g_free (digitizer.source);
  g_free (digitizer.clock);
  return pipeline;
}

/* ------------------------------------------------------------------- counts */

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer counter)
{
  g_atomic_int_inc ((gint *)counter);
  return GST_PAD_PROBE_OK;
}

static void
free_counts (gpointer data)
{
  Counts *counts = data;

  gst_clear_object (&counts->source);
  gst_clear_object (&counts->queue);
  g_free (counts);
}

/* The source of this kind, which counts what it loses, or NULL. */
static GstElement *
find_source (GstBin *bin, const char *factory)
{
  GstIterator *sources =
      gst_bin_iterate_all_by_element_factory_name (bin, factory);
  GValue value = G_VALUE_INIT;
  GstElement *source = NULL;

  if (gst_iterator_next (sources, &value) == GST_ITERATOR_OK)
    source = g_value_dup_object (&value);
  g_value_unset (&value);
  gst_iterator_free (sources);
  return source;
}

void
oct_record_pipeline_count (GstElement *pipeline)
{
  Counts *counts = g_new0 (Counts, 1);
  g_autoptr (GstPad) spectra = oct_record_pipeline_get_spectra (pipeline);
  g_autoptr (GstPad) ascans =
      oct_launch_get_pad (pipeline, "reconstruct", "src");

  counts->source = gst_bin_get_by_name (GST_BIN (pipeline), "octsrc");
  counts->dropped = "dropped";
  if (counts->source == NULL) {
    counts->source = find_source (GST_BIN (pipeline), "octcamerasrc");
    counts->dropped = "lost";
  }
  if (counts->source == NULL) {
    counts->source = find_source (GST_BIN (pipeline), "octdaqsrc");
    counts->dropped = "incomplete";
  }
  counts->queue = gst_bin_get_by_name (GST_BIN (pipeline), "incoming");
  gst_pad_add_probe (
      spectra, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, &counts->offered, NULL);
  gst_pad_add_probe (
      ascans, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, &counts->made, NULL);
  g_object_set_data_full (G_OBJECT (pipeline), COUNTS, counts, free_counts);
}

OctRecordCounts
oct_record_pipeline_get_counts (GstElement *pipeline)
{
  Counts *counts = g_object_get_data (G_OBJECT (pipeline), COUNTS);
  guint64 at_source = 0;
  guint waiting = 0;
  gint made = g_atomic_int_get (&counts->made), lost;

  if (counts->source != NULL)
    g_object_get (counts->source, counts->dropped, &at_source, NULL);
  g_object_get (counts->queue, "current-level-buffers", &waiting, NULL);
  /* one is being worked on */
  lost = g_atomic_int_get (&counts->offered) - made - (gint)waiting - 1;
  return (OctRecordCounts){ made, at_source + MAX (lost, 0),
    oct_digitizer_count_lost (GST_BIN (pipeline)) };
}

/* --------------------------------------------------------------------- pads */

GstPad *
oct_record_pipeline_get_spectra (GstElement *pipeline)
{
  return oct_launch_get_pad (pipeline, "spectra", "src");
}

GstPad *
oct_record_pipeline_get_images (GstElement *pipeline)
{
  return oct_launch_get_pad (pipeline, "images", "src");
}

GstPad *
oct_record_pipeline_get_lossless (GstElement *pipeline)
{
  return oct_launch_get_pad (pipeline, "lossless", "src");
}

GstPad *
oct_record_pipeline_get_flow (GstElement *pipeline)
{
  return oct_launch_get_pad (pipeline, "flow", "src");
}

GstPad *
oct_record_pipeline_get_calibration (GstElement *pipeline)
{
  return oct_launch_get_pad (pipeline, "dcsub", "src");
}
