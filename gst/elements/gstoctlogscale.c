/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octlogscale
 *
 * Turns A-scans into an image: power in dB, or linear, is scaled to grey
 * levels. Depth runs downwards, A-lines from left to right.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample ! octfft
 *   ! octlogscale range-smoothing=0.9
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctlogscale.h"
#include "gstoctbus.h"
#include "gstoctimagefilter.h"
#include "gstoctimages.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_logscale_debug);
#define GST_CAT_DEFAULT gst_oct_logscale_debug

typedef struct {
  OctScale scale;
  OctRange range;
  double min, max, range_smoothing;
  gboolean range_messages;
} Settings;

struct _GstOctLogScale {
  GstOctFilter parent;
  gint64 told_at; /* the range, monotonic, us; 0 = not yet */
};

G_DEFINE_TYPE (GstOctLogScale, gst_oct_logscale, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octlogscale, "octlogscale", GST_RANK_NONE, GST_TYPE_OCT_LOGSCALE);

static const GEnumValue scales[] = {
  { OCT_SCALE_LOG, "Power in dB, 10 log10 |a|^2", "log" },
  { OCT_SCALE_LINEAR, "Power, |a|^2", "linear" },
  { 0, NULL, NULL },
};

static const GEnumValue ranges[] = {
  { OCT_RANGE_AUTO, "Smallest to largest value of the B-scan", "auto" },
  { OCT_RANGE_MANUAL, "`min` to `max`", "manual" },
  { OCT_RANGE_CONTRAST,
      "Noise floor to the 99.9th percentile, without the depths near the zero "
      "delay",
      "contrast" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (get_scale_type, "GstOctScale",
    scales) static GST_OCT_DEFINE_ENUM (logscale_get_range_type, "GstOctRange",
    ranges)

    static const GstOctProperty rows[] = {
      { "scale", "Scale", "Quantity that the grey levels show",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_ENUM (Settings, scale, get_scale_type, OCT_SCALE_LOG) },
      { "range", "Range", "Which values become black and white",
          GST_OCT_PROPERTY_LIVE, "range",
          GST_OCT_ENUM (
              Settings, range, logscale_get_range_type, OCT_RANGE_CONTRAST) },
      { "min", "Black",
          "range=manual: value of black, in dB (scale=linear: in counts^2)",
          GST_OCT_PROPERTY_RAMPED, "range",
          GST_OCT_DOUBLE (Settings, min, -1e20, 1e20, 0.0) },
      { "max", "White",
          "range=manual: value of white, in dB (scale=linear: in counts^2)",
          GST_OCT_PROPERTY_RAMPED, "range",
          GST_OCT_DOUBLE (Settings, max, -1e20, 1e20, 60.0) },
      { "range-smoothing", "Range smoothing",
          "Weight of the previous B-scans in the range, against flicker (0 = "
          "each B-scan alone), dimensionless",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_DOUBLE (Settings, range_smoothing, 0.0, 0.9999, 0.0) },
      { "range-messages", "Range messages",
          "Post the range in use as the message oct-range, four times a second "
          "at most",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_BOOLEAN (Settings, range_messages, FALSE) },
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static void
gst_oct_logscale_transform_structure (GstOctFilter *filter,
    gconstpointer settings, GstPadDirection direction, const GstStructure *from,
    GstCaps *result)
{
  gst_oct_images_transform_structure (direction, from, result);
}

static const char *
gst_oct_logscale_get_history (gconstpointer data, const char **instead)
{
  *instead = "set range-smoothing=0";
  return ((const Settings *)data)->range_smoothing > 0.0 ? "range-smoothing"
                                                         : NULL;
}

static gboolean
gst_oct_logscale_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctLogscaleParams params = { .depth_bins = input->columns,
    .lines = input->rows,
    .bscans = input->bscans,
    .format = gst_oct_image_format (gst_oct_filter_get_output (filter)),
    .scale = settings->scale,
    .range = settings->range,
    .min = settings->min,
    .max = settings->max,
    .range_smoothing = settings->range_smoothing };

  if (params.range == OCT_RANGE_MANUAL && !(params.min < params.max)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "range=manual of octlogscale needs min < max, found min=%g, max=%g; "
        "set both.",
        params.min, params.max);
    return FALSE;
  }
  return gst_oct_filter_set_plan (
      filter, OCT_OPERATION_LOGSCALE, &params, error);
}

/* Reading it makes the GPU wait: some times a second. */
#define TELL_TIME (G_TIME_SPAN_SECOND / 4)

static void
tell_range (GstOctFilter *filter, gint64 now)
{
  double range[2];

  if (!gst_oct_operator_take_range (
          gst_oct_filter_get_operator (filter), range))
    return;
  GST_OCT_LOGSCALE (filter)->told_at = now;
  gst_oct_bus_post (GST_ELEMENT (filter),
      gst_structure_new ("oct-range", "min", G_TYPE_DOUBLE, range[0], "max",
          G_TYPE_DOUBLE, range[1], NULL));
}

static void
gst_oct_logscale_found (GstOctFilter *filter, double value)
{
  GstOctLogScale *self = GST_OCT_LOGSCALE (filter);
  g_autoptr (GstOctSettings) settings =
      gst_oct_choice_ref (gst_oct_filter_get_choice (filter));
  const Settings *used = gst_oct_settings_get (settings);
  gint64 now;

  if (!used->range_messages)
    return;
  now = g_get_monotonic_time ();
  tell_range (filter, now);
  if (self->told_at == 0 || now - self->told_at >= TELL_TIME)
    gst_oct_operator_want_range (gst_oct_filter_get_operator (filter));
}

static void
gst_oct_logscale_class_init (GstOctLogScaleClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_logscale_debug, "octlogscale", 0, "OCT image scaling");
  filter_class->transform_structure = gst_oct_logscale_transform_structure;
  filter_class->configure = gst_oct_logscale_configure;
  filter_class->get_history = gst_oct_logscale_get_history;
  filter_class->found = gst_oct_logscale_found;
  gst_oct_images_class_describe (filter_class,
      &(GstOctFilterDescription){
          .operation = OCT_OPERATION_LOGSCALE,
          .properties = &properties,
          .long_name = "OCT image scaling",
          .description = "Turns A-scans into an image, logarithmic or linear, "
                         "depth downwards",
      });
}

static void
gst_oct_logscale_init (GstOctLogScale *self)
{
}
