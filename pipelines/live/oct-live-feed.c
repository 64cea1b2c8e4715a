/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-feed.h"
#include "oct-live-filters.h"
#include "oct-live-properties.h"
#include "oct-masked.h"
#include "oct-remapped.h"

#include <gst/app/gstappsink.h>

/* Smoothing of the range of grey levels, see oct_live_feed_smooth(). */
#define SMOOTHING 0.9
#define VOLUME_SMOOTHING 0.99
#define METER "octmeter active=false "
/* Its arguments: the elements before it, and `axis`. */
#define RECONSTRUCT                                                            \
  "%s%s" METER "name=spectra-meter ! octreconstruct name=reconstruct axis=%s " \
  "output=ascans ! " METER                                                     \
  "name=ascans-meter ! capsfilter name=raster ! octlogscale name=logscale "    \
  "range=contrast range-smoothing=0.9 range-messages=true "                    \
  "! " OCT_LIVE_FILTERS " ! "                                                  \
  "capsfilter name=levels"
#define IN_MEMORY "capsfilter caps=video/x-raw ! "
/* B-scans that a background is taken from: half a second of most cameras. */
#define BACKGROUND_BSCANS 16
/* B-scans in which the delay of the mirrors is found. */
#define DELAY_BSCANS 16
/* From one measurement to the next, ms: for people who look, and to keep */
#define LOOK_TIME 250
#define KEEP_TIME 1000
#define END                                                                    \
  "appsink name=end caps=video/x-raw sync=false async=false max-buffers=1 "    \
  "wait-on-eos=false enable-last-sample=false"

#define AT_END "oct-live-at-end"
#define NOT_STARTED "oct-live-not-started"
/* The end of a pipeline so soon after a change is a consequence of it. */
#define PROBATION (5 * G_TIME_SPAN_SECOND)

struct _OctLiveFeed {
  OctLiveFeedEvents events;
  gpointer data;
  GstElement *pipeline;
  GstElement *source;      /* a bin */
  OctDigitizerRing ring;   /* of a digitizer, else 0 */
  GstElement *octsrc;      /* in it; NULL: another source */
  GstElement *reconstruct; /* octreconstruct; NULL: the images come finished */
  GstElement *logscale;    /* octlogscale after it */
  OctFill *fill;           /* after its A-scans; of the pipeline */
  OctLiveFilters *filters; /* of images, of the pipeline */
  GstElement *meters[2];   /* octmeter, before and after octreconstruct */
  char *range;             /* of octlogscale, if it is automatic */
  double black, white;     /* its range in use, dB */
  gboolean changing;       /* a change of the method is in progress */
  gint64 changed_at;       /* 0 = no change yet */
  guint watch;
  gboolean begun, ended, freed;
  gint closed, delivered; /* atomic */

  GMutex lock;
  GCond cond;
  gboolean started, stop, stopped;
};

static void
clear_feed (gpointer data)
{
  OctLiveFeed *feed = data;

  gst_clear_object (&feed->octsrc);
  gst_clear_object (&feed->reconstruct);
  gst_clear_object (&feed->logscale);
  for (guint i = 0; i < G_N_ELEMENTS (feed->meters); i++)
    gst_clear_object (&feed->meters[i]);
  gst_clear_object (&feed->pipeline);
  g_free (feed->range);
  g_mutex_clear (&feed->lock);
  g_cond_clear (&feed->cond);
}

static void
feed_release (gpointer feed)
{
  g_atomic_rc_box_release_full (feed, clear_feed);
}

/* -------------------------------------------------------------- the pipeline
 */

static gboolean
on_masked_later (gpointer data)
{
  OctLiveFeed *feed = data;

  if (!g_atomic_int_get (&feed->closed))
    feed->events.filled (NULL, feed->data);
  return G_SOURCE_REMOVE;
}

/* Streaming thread. */
static void
feed_on_masked (gpointer data)
{
  g_idle_add_full (G_PRIORITY_HIGH, on_masked_later,
      g_atomic_rc_box_acquire (data), feed_release);
}

/* Streaming thread. */
static GstPadProbeReturn
feed_on_ascans (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctLiveFeed *feed = data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (caps != NULL && !g_atomic_int_get (&feed->closed))
    feed->events.ascans (GST_PAD_PROBE_INFO_BUFFER (info), caps, feed->data);
  return GST_PAD_PROBE_OK;
}

/* A probe costs nothing while nobody looks, which a branch would. */
static void
watch_ascans (OctLiveFeed *feed)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (feed->logscale, "sink");

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, feed_on_ascans, feed, NULL);
}

static void
feed_set_levels (GstBin *part, const char *format)
{
  g_autoptr (GstElement) levels = gst_bin_get_by_name (part, "levels");
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, format != NULL ? format : "GRAY8", NULL);

  g_object_set (levels, "caps", caps, NULL);
}

static void
feed_tell_spectra (OctLiveFeed *feed, const OctLiveSource *source)
{
  g_autoptr (GstPad) spectra = gst_element_get_static_pad (feed->source, "src");
  g_autoptr (GstPad) calibration =
      oct_launch_get_pad (feed->pipeline, "dcsub", "src");

  source->spectra (spectra, calibration, source->spectra_data);
}

static char *
feed_describe_reconstruction (OctLiveFeed *feed, const OctLiveSource *source)
{
  g_autofree char *clock =
      source->digitizer != NULL
          ? oct_digitizer_describe_clock (source->digitizer, &feed->ring)
          : g_strdup ("");

  return g_strdup_printf (RECONSTRUCT, source->spectra != NULL ? IN_MEMORY : "",
      clock, oct_digitizer_get_axis (&feed->ring));
}

/* Spectra to images. */
static GstElement *
add_reconstruction (OctLiveFeed *feed, GstElement *from,
    const OctLiveSource *source, const OctLiveSettings *settings,
    GError **error)
{
  g_autofree char *line = feed_describe_reconstruction (feed, source);
  GstElement *part =
      oct_launch_add_own_part (GST_BIN (feed->pipeline), line, error);
  g_autoptr (GstElement) raster = NULL;

  if (part == NULL)
    return NULL;
  feed->reconstruct = gst_bin_get_by_name (GST_BIN (part), "reconstruct");
  feed->logscale = gst_bin_get_by_name (GST_BIN (part), "logscale");
  feed->meters[0] = gst_bin_get_by_name (GST_BIN (part), "spectra-meter");
  feed->meters[1] = gst_bin_get_by_name (GST_BIN (part), "ascans-meter");
  feed->filters = oct_live_filters_new (GST_BIN (part));
  feed_set_levels (GST_BIN (part), source->format);
  watch_ascans (feed);
  raster = gst_bin_get_by_name (GST_BIN (part), "raster");
  oct_remapped_add (feed->meters[1], raster);
  feed->fill = oct_fill_new (
      raster, feed->logscale, settings->fill, feed_on_masked, feed);
  if (source->instrument != NULL
      && !oct_instrument_load (feed->reconstruct, source->instrument->load,
          source->file->calibration, error))
    return NULL;
  /* an instrument may have another one */
  gst_util_set_object_arg (G_OBJECT (feed->reconstruct), "axis",
      oct_digitizer_get_axis (&feed->ring));
  oct_source_options_set_depths (source->file, feed->reconstruct);
  oct_instrument_set_contrast (feed->reconstruct, feed->logscale, &feed->range);
  oct_method_use (feed->reconstruct, oct_method_find (settings->method));
  gst_element_add_property_notify_watch (
      feed->reconstruct, "method-in-use", FALSE);
  if (source->file->calibration != NULL && feed->octsrc == NULL)
    g_object_set (
        feed->reconstruct, "calibration", source->file->calibration, NULL);
  oct_instrument_copy_axis (feed->reconstruct, feed->meters[0]);
  if (!gst_element_link (from, part)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "--source does not end in raw spectra, which are video/x-raw of format "
        "GRAY16_LE or GRAY8 with one A-line per row; finished pictures are "
        "given as --images.");
    return NULL;
  }
  if (source->spectra != NULL)
    feed_tell_spectra (feed, source);
  return part;
}

/* ----------------------------------------------------------------- the images
 */

static gboolean
feed_on_begun (gpointer data)
{
  OctLiveFeed *feed = data;

  if (!feed->begun && !g_atomic_int_get (&feed->closed)) {
    feed->begun = TRUE;
    feed->events.begun (feed->data);
  }
  return G_SOURCE_REMOVE;
}

/* Every feed has a base time of its own; the clock is the same for all. */
static GstFlowReturn
feed_on_image (GstAppSink *sink, gpointer data)
{
  OctLiveFeed *feed = data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  g_autoptr (GstBuffer) image = NULL;
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (sample == NULL || g_atomic_int_get (&feed->closed))
    return GST_FLOW_OK;
  image = gst_buffer_copy (gst_sample_get_buffer (sample));
  if (gst_sample_get_segment (sample)->format == GST_FORMAT_TIME)
    time = gst_segment_to_running_time (gst_sample_get_segment (sample),
        GST_FORMAT_TIME, GST_BUFFER_PTS (image));
  if (GST_CLOCK_TIME_IS_VALID (time))
    GST_BUFFER_PTS (image) = time + gst_element_get_base_time (feed->pipeline);
  else /* no time stamp: now */
    GST_BUFFER_PTS (image) = gst_util_get_timestamp ();
  GST_BUFFER_DTS (image) = GST_CLOCK_TIME_NONE;
  feed->events.image (image, gst_sample_get_caps (sample), feed->data);
  if (g_atomic_int_compare_and_exchange (&feed->delivered, FALSE, TRUE))
    g_idle_add_full (G_PRIORITY_HIGH, feed_on_begun,
        g_atomic_rc_box_acquire (feed), feed_release);
  return GST_FLOW_OK;
}

/* The pipeline itself reports the end only when the user's part has ended
 * everywhere. */
static void
feed_on_end (GstAppSink *sink, gpointer data)
{
  OctLiveFeed *feed = data;

  gst_element_post_message (
      feed->pipeline, gst_message_new_application (GST_OBJECT (feed->pipeline),
                          gst_structure_new_empty (AT_END)));
}

static gboolean
add_end (OctLiveFeed *feed, GstElement *from, const OctLiveSource *source,
    GError **error)
{
  GstElement *end =
      oct_launch_add_own_part (GST_BIN (feed->pipeline), END, error);
  GstAppSinkCallbacks callbacks = { .new_sample = feed_on_image,
    .eos = feed_on_end };
  g_autoptr (GstElement) sink = NULL;

  if (end == NULL)
    return FALSE;
  if (!gst_element_link (from, end)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%s does not end in pictures, which are video/x-raw.",
        source->images != NULL ? "--images" : "The reconstruction");
    return FALSE;
  }
  sink = gst_bin_get_by_name (GST_BIN (feed->pipeline), "end");
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, feed, NULL);
  return TRUE;
}

static gboolean
feed_tell_mask (GstElement *from, const OctLiveSource *source, GError **error)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (from, "src");

  return source->scan_mask == NULL || pad == NULL
         || oct_masked_tell (pad, source->scan_mask, error);
}

OctLiveFeed *
oct_live_feed_new (const OctLiveSource *source, const OctLiveSettings *settings,
    const OctLiveFeedEvents *events, gpointer data, GError **error)
{
  OctLiveFeed *feed = g_atomic_rc_box_new0 (OctLiveFeed);
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstElement *last;

  g_mutex_init (&feed->lock);
  g_cond_init (&feed->cond);
  feed->events = *events;
  feed->data = data;
  feed->pipeline = gst_object_ref_sink (gst_pipeline_new ("oct-live"));
  gst_pipeline_use_clock (GST_PIPELINE (feed->pipeline), clock);
  last = feed->source = oct_live_source_add (
      source, GST_BIN (feed->pipeline), &feed->ring, error);
  if (last != NULL && source->images == NULL && source->source == NULL)
    feed->octsrc = gst_bin_get_by_name (GST_BIN (last), "octsrc");
  if (last != NULL && !feed_tell_mask (last, source, error))
    last = NULL;
  if (last != NULL && source->images == NULL)
    last = add_reconstruction (feed, last, source, settings, error);
  if (last != NULL && add_end (feed, last, source, error)) {
    oct_live_feed_set (feed, settings);
    return feed;
  }
  feed_release (feed);
  return NULL;
}

/* -------------------------------------------------------------- start and end
 */

static void
report_end (
    OctLiveFeed *feed, OctLiveEnd how, const char *message, OctLiveBlame method)
{
  if (feed->ended)
    return;
  /* the first image may have come without being reported yet */
  if (g_atomic_int_get (&feed->delivered))
    feed_on_begun (feed);
  feed->ended = TRUE;
  feed->events.ended (how, message, method, feed->data);
}

/* A source that fails by itself, and not because an element downstream did. */
static gboolean
is_sources_own (OctLiveFeed *feed, GstMessage *message)
{
  const GstStructure *details = NULL;

  gst_message_parse_error_details (message, &details);
  return gst_object_has_as_ancestor (
             GST_MESSAGE_SRC (message), GST_OBJECT (feed->source))
         && (details == NULL
             || !gst_structure_has_field (details, "flow-return"));
}

/* Elements that depend on the method; the first and the last one do not. */
static gboolean
is_of_method (OctLiveFeed *feed, GstObject *object)
{
  return feed->reconstruct != NULL
         && !g_str_equal (GST_OBJECT_NAME (object), "dcsub")
         && !g_str_equal (GST_OBJECT_NAME (object), "logscale")
         && (object == GST_OBJECT (feed->reconstruct)
             || gst_object_has_as_ancestor (
                 object, GST_OBJECT (feed->reconstruct)));
}

static OctLiveBlame
find_blame (OctLiveFeed *feed, GstMessage *message)
{
  gboolean soon = feed->changed_at != 0
                  && g_get_monotonic_time () - feed->changed_at < PROBATION;

  if (is_of_method (feed, GST_MESSAGE_SRC (message)))
    return OCT_LIVE_GUILTY;
  return !is_sources_own (feed, message) && (feed->changing || soon)
             ? OCT_LIVE_SUSPECTED
             : OCT_LIVE_INNOCENT;
}

/* NULL: it is in use. */
static void
feed_end_change (OctLiveFeed *feed, const char *problem)
{
  feed->changing = FALSE;
  if (problem == NULL)
    feed->changed_at = g_get_monotonic_time ();
  feed->events.changed (problem, feed->data);
}

static void
feed_take_warning (OctLiveFeed *feed, GstMessage *message)
{
  g_autofree char *sentence = oct_launch_describe_warning (message);

  if (feed->changing
      && GST_MESSAGE_SRC (message) == GST_OBJECT (feed->reconstruct))
    feed_end_change (feed, sentence);
  else
    g_printerr ("Note: %s\n", sentence);
}

/* The method that octvolumecs has chosen, as a sentence for people. */
static void
take_filling (OctLiveFeed *feed, const GstStructure *s)
{
  const char *method = gst_structure_get_string (s, "method");
  const char *reason = gst_structure_get_string (s, "reason");
  g_autofree char *note =
      method != NULL && reason != NULL && oct_fill_is_chosen (feed->fill)
          ? g_strdup_printf ("It is %s, since %s.", method, reason)
          : NULL;

  feed->events.filled (note, feed->data);
}

static gboolean
is_from_remap (OctLiveFeed *feed, GstMessage *message)
{
  g_autoptr (GstElement) remap = oct_remapped_find (GST_BIN (feed->pipeline));

  return remap != NULL && GST_MESSAGE_SRC (message) == GST_OBJECT (remap);
}

/* Those of the user's own elements are for somebody else. */
static void
take_element_message (OctLiveFeed *feed, GstMessage *message)
{
  const GstStructure *s = gst_message_get_structure (message);

  if (gst_structure_has_name (s, "oct-range")
      && GST_MESSAGE_SRC (message) == GST_OBJECT (feed->logscale)) {
    gst_structure_get_double (s, "min", &feed->black);
    gst_structure_get_double (s, "max", &feed->white);
  }
  if (gst_structure_has_name (s, "oct-volume-cs") && feed->fill != NULL
      && oct_fill_is_from (feed->fill, message))
    take_filling (feed, s);

  if ((gst_structure_has_name (s, "oct-autofocus")
          || gst_structure_has_name (s, "oct-background"))
      && feed->reconstruct != NULL
      && (GST_MESSAGE_SRC (message) == GST_OBJECT (feed->reconstruct)
          || gst_object_has_as_ancestor (
              GST_MESSAGE_SRC (message), GST_OBJECT (feed->reconstruct))))
    feed->events.focused (s, feed->data);
  if (gst_structure_has_name (s, "oct-tune") && is_from_remap (feed, message))
    feed->events.focused (s, feed->data);
  for (guint i = 0; i < G_N_ELEMENTS (feed->meters); i++)
    if (gst_structure_has_name (s, "oct-meter")
        && GST_MESSAGE_SRC (message) == GST_OBJECT (feed->meters[i]))
      feed->events.measured (s, feed->data);
}

static gboolean
feed_on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OctLiveFeed *feed = g_atomic_rc_box_acquire (data);
  g_autoptr (GError) error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    oct_launch_parse_error (message, &error);
    report_end (
        feed, OCT_LIVE_FAILED, error->message, find_blame (feed, message));
    break;
  case GST_MESSAGE_APPLICATION:
    if (gst_message_has_name (message, AT_END))
      report_end (feed,
          oct_live_source_is_file (GST_BIN (feed->pipeline)) ? OCT_LIVE_AT_END
                                                             : OCT_LIVE_ENDED,
          NULL, OCT_LIVE_INNOCENT);
    else if (gst_message_has_name (message, NOT_STARTED))
      report_end (feed, OCT_LIVE_FAILED, "The source could not be started.",
          OCT_LIVE_INNOCENT);
    break;
  case GST_MESSAGE_WARNING:
    feed_take_warning (feed, message);
    break;
  case GST_MESSAGE_PROPERTY_NOTIFY:
    if (feed->changing)
      feed_end_change (feed, NULL);
    break;
  case GST_MESSAGE_ELEMENT:
    take_element_message (feed, message);
    break;
  case GST_MESSAGE_LATENCY:
    gst_bin_recalculate_latency (GST_BIN (feed->pipeline));
    break;
  default:
    break;
  }
  feed_release (feed);
  return G_SOURCE_CONTINUE;
}

static gboolean
feed_on_closed (gpointer data)
{
  OctLiveFeed *feed = data;

  if (!feed->freed)
    feed->events.closed (feed->data);
  return G_SOURCE_REMOVE;
}

/* The life of the pipeline. */
static gpointer
feed_run (gpointer data)
{
  OctLiveFeed *feed = data;

  if (gst_element_set_state (feed->pipeline, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE)
    /* after the error, if there is one */
    gst_element_post_message (feed->pipeline,
        gst_message_new_application (GST_OBJECT (feed->pipeline),
            gst_structure_new_empty (NOT_STARTED)));
  g_mutex_lock (&feed->lock);
  while (!feed->stop)
    g_cond_wait (&feed->cond, &feed->lock);
  g_mutex_unlock (&feed->lock);
  gst_element_set_state (feed->pipeline, GST_STATE_NULL);
  g_mutex_lock (&feed->lock);
  feed->stopped = TRUE;
  g_cond_broadcast (&feed->cond);
  g_mutex_unlock (&feed->lock);
  g_idle_add_full (G_PRIORITY_HIGH, feed_on_closed, feed, feed_release);
  return NULL;
}

void
oct_live_feed_start (OctLiveFeed *feed)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (feed->pipeline);

  feed->watch = gst_bus_add_watch_full (
      bus, G_PRIORITY_HIGH, feed_on_message, feed, NULL);
  feed->started = TRUE;
  g_thread_unref (
      g_thread_new ("oct-live-feed", feed_run, g_atomic_rc_box_acquire (feed)));
}

void
oct_live_feed_close (OctLiveFeed *feed)
{
  g_atomic_int_set (&feed->closed, TRUE);
  feed->ended = TRUE;
  if (feed->watch != 0)
    g_source_remove (feed->watch);
  feed->watch = 0;
  g_mutex_lock (&feed->lock);
  feed->stop = TRUE;
  g_cond_broadcast (&feed->cond);
  g_mutex_unlock (&feed->lock);
}

gboolean
oct_live_feed_wait (OctLiveFeed *feed, gint64 timeout)
{
  gint64 until = g_get_monotonic_time () + timeout;
  gboolean in_time = TRUE;

  g_mutex_lock (&feed->lock);
  while (in_time && feed->started && !feed->stopped)
    in_time = g_cond_wait_until (&feed->cond, &feed->lock, until);
  g_mutex_unlock (&feed->lock);
  return in_time;
}

void
oct_live_feed_free (OctLiveFeed *feed)
{
  feed->freed = TRUE;
  feed_release (feed);
}

/* ------------------------------------------------------------------- settings
 */

void
oct_live_feed_set (OctLiveFeed *feed, const OctLiveSettings *settings)
{
  if (feed->reconstruct == NULL)
    return;
  gst_util_set_object_arg (G_OBJECT (feed->logscale), "range",
      settings->automatic ? feed->range : "manual");
  g_object_set (
      feed->logscale, "min", settings->min, "max", settings->max, NULL);
  oct_live_settings_put (settings, feed->reconstruct);
  oct_fill_set (feed->fill, settings->fill);
  oct_live_filters_set (feed->filters, settings->average, settings->speckle);
  /* with a stored spectrum things that stand still stay as they are */
  if (settings->still && !g_str_has_prefix (settings->mode, "background"))
    gst_util_set_object_arg (G_OBJECT (feed->reconstruct), "mode", "none");
  oct_live_settings_put_properties (settings, feed->meters[0]);
  g_object_set (feed->meters[0], "k-warp", settings->k_warp, NULL);
  g_object_set (feed->meters[1], "optical-density", settings->density,
      "roll-off", settings->roll_off, NULL);
}

static gboolean
on_changed_at_once (gpointer data)
{
  OctLiveFeed *feed = data;

  if (feed->changing && !g_atomic_int_get (&feed->closed))
    feed_end_change (feed, NULL);
  return G_SOURCE_REMOVE;
}

gboolean
oct_live_feed_change (OctLiveFeed *feed, const OctLiveSettings *settings)
{
  const OctMethod *method = oct_method_find (settings->method);
  gint wanted, used;

  if (feed->reconstruct == NULL || feed->changing)
    return FALSE;
  feed->changing = TRUE;
  g_object_get (feed->reconstruct, "method-in-use", &used, NULL);
  oct_method_use (feed->reconstruct, method);
  g_object_get (feed->reconstruct, "method", &wanted, NULL);
  /* another interpolation needs no trial, and nothing is heard of it */
  if (wanted == used)
    g_idle_add_full (G_PRIORITY_HIGH, on_changed_at_once,
        g_atomic_rc_box_acquire (feed), feed_release);
  return TRUE;
}

static gboolean
feed_find_delay (OctLiveFeed *feed)
{
  g_autoptr (GstElement) remap = oct_remapped_find (GST_BIN (feed->pipeline));
  gboolean begun = FALSE;

  if (remap != NULL)
    g_signal_emit_by_name (remap, "tune", DELAY_BSCANS, &begun);
  return begun;
}

gboolean
oct_live_feed_find (OctLiveFeed *feed, OctLiveFind what)
{
  gboolean taken = FALSE;

  if (feed->reconstruct == NULL)
    return FALSE;
  if (what == OCT_LIVE_FIND_DELAY)
    return feed_find_delay (feed);
  if (what == OCT_LIVE_FIND_BACKGROUND)
    g_signal_emit_by_name (
        feed->reconstruct, "take-background", BACKGROUND_BSCANS, &taken);
  else
    g_signal_emit_by_name (feed->reconstruct,
        what == OCT_LIVE_FIND_WAVENUMBERS ? "refine" : "autofocus", &taken);
  return taken;
}

char *
oct_live_feed_get_calibration (OctLiveFeed *feed)
{
  char *text = NULL;

  if (feed->reconstruct != NULL)
    g_signal_emit_by_name (feed->reconstruct, "calibration-csv", &text);
  return text;
}

void
oct_live_feed_measure (OctLiveFeed *feed, const OctLiveMeasuring *measuring)
{
  for (guint i = 0; i < G_N_ELEMENTS (feed->meters); i++)
    if (feed->meters[i] != NULL)
      g_object_set (feed->meters[i], "interval",
          measuring->looking ? LOOK_TIME : KEEP_TIME, "curves",
          measuring->looking, "active",
          measuring->looking || measuring->recording, NULL);
}

void
oct_live_feed_smooth (OctLiveFeed *feed, gboolean volumes)
{
  if (feed->logscale != NULL)
    g_object_set (feed->logscale, "range-smoothing",
        volumes ? VOLUME_SMOOTHING : SMOOTHING, NULL);
}

/* --------------------------------------------------------------- information
 */

/* Depths up to half the samples of a spectrum. */
static gint
feed_count_depths (OctLiveFeed *feed)
{
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (feed->reconstruct, "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gint samples = 0;

  if (caps != NULL)
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &samples);
  return samples / 2;
}

void
oct_live_feed_get_info (OctLiveFeed *feed, OctLiveInfo *info)
{
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstCaps) caps = NULL;

  if (feed->reconstruct == NULL)
    return;
  info->all_depths = feed_count_depths (feed);
  info->lost_lines = oct_digitizer_count_lost (GST_BIN (feed->pipeline));
  pad = gst_element_get_static_pad (feed->logscale, "sink");
  caps = gst_pad_get_current_caps (pad);
  info->black = feed->black;
  info->white = feed->white;
  if (caps == NULL)
    return;
  gst_structure_get_double (
      gst_caps_get_structure (caps, 0), "z-spacing", &info->z_spacing);
  gst_structure_get_double (
      gst_caps_get_structure (caps, 0), "x-spacing", &info->x_spacing);
  /* from the first one on, if they say nothing */
  info->depth_start = 0;
  gst_structure_get_int (
      gst_caps_get_structure (caps, 0), "depth-start", &info->depth_start);
  info->backend = gst_caps_features_contains (
                      gst_caps_get_features (caps, 0), "memory:CUDAMemory")
                      ? "CUDA"
                      : "CPU";
}

guint64
oct_live_feed_get_missed (OctLiveFeed *feed)
{
  guint64 missed = 0;

  if (feed->octsrc != NULL)
    g_object_get (feed->octsrc, "dropped", &missed, NULL);
  return missed;
}
