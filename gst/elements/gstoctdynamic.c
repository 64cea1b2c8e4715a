/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octdynamic
 *
 * Shows how much and how fast the sample fluctuates from B-scan to B-scan at
 * the same place: living cells beside still tissue. Slow is blue, fast is red,
 * and still parts are dark.
 *
 * |[
 * gst-launch-1.0 octsrc bscans=1 num-buffers=100
 *   ! octreconstruct output=ascans ! octdynamic frames=32 ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctdynamic.h"
#include "gstoctbus.h"
#include "gstoctcuda.h"
#include "gstoctimagefilter.h"
#include "gstoctplaces.h"
#include "gstoctrepeats.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_dynamic_debug);
#define GST_CAT_DEFAULT gst_oct_dynamic_debug

#define GREY "{ GRAY8, NV12 }"
#define OF_ANY_SIZE                                                            \
  ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE             \
  ", framerate = " GST_OCT_RATE_RANGE
#define CAPS_IMAGE                                                             \
  "video/x-raw, format = (string) { RGBA, GRAY8, NV12 }" OF_ANY_SIZE

typedef struct {
  OctDynamicQuantity quantity;
  guint frames, repeats;
  guint window_lines, window_bins;
  double rate, min_frequency, max_frequency;
  double min, max, noise;
} Settings;

struct _GstOctDynamic {
  GstOctFilter parent;

  /* streaming thread */
  GstOctPlaces places;
  guint count; /* B-scans of the place so far */
  gboolean told_single;
};

G_DEFINE_TYPE (GstOctDynamic, gst_oct_dynamic, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octdynamic, "octdynamic", GST_RANK_NONE, GST_TYPE_OCT_DYNAMIC);

static const GEnumValue quantities[] = {
  { OCT_DYNAMIC_COLOUR, "Frequency as hue, activity as brightness", "colour" },
  { OCT_DYNAMIC_FREQUENCY, "Frequency, Hz", "frequency" },
  { OCT_DYNAMIC_ACTIVITY, "Variance above that of noise, dB", "activity" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (
    dynamic_get_quantity_type, "GstOctDynamicQuantity", quantities);

static const GstOctProperty rows[] = {
  { "quantity", "Quantity", "What is shown",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "quantity",
      GST_OCT_ENUM (
          Settings, quantity, dynamic_get_quantity_type, OCT_DYNAMIC_COLOUR) },
  { "frames", "B-scans", "B-scans of a place that are taken together, about",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, frames, 2, OCT_DYNAMIC_MOST, 32) },
  { "repeats", "Repeats",
      "B-scans at each place, of which one image is made (0 = as the stream "
      "says; of a stream that says 1 and no volume, all are of one place, and "
      "each makes an image)",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "quantity",
      GST_OCT_UINT (Settings, repeats, 0, OCT_MAX_LINES, 0) },
  { "window-lines", "Window, A-lines", "A-lines that are averaged (odd)",
      GST_OCT_PROPERTY_LIVE, "window",
      GST_OCT_UINT (Settings, window_lines, 1, OCT_DYNAMIC_WIDEST, 3) },
  { "window-bins", "Window, depths", "Depths that are averaged (odd)",
      GST_OCT_PROPERTY_LIVE, "window",
      GST_OCT_UINT (Settings, window_bins, 1, OCT_DYNAMIC_WIDEST, 3) },
  { "rate", "Rate",
      "B-scans of a place per second (0 = the frame rate of the stream)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, rate, 0.0, 1e9, 0.0) },
  { "min-frequency", "Lowest frequency", "Frequency of blue, Hz",
      GST_OCT_PROPERTY_LIVE, "frequencies",
      GST_OCT_DOUBLE (Settings, min_frequency, 1e-6, 1e9, 0.5) },
  { "max-frequency", "Highest frequency",
      "Frequency of red, Hz; at most half of the rate can be found",
      GST_OCT_PROPERTY_LIVE, "frequencies",
      GST_OCT_DOUBLE (Settings, max_frequency, 1e-6, 1e9, 20.0) },
  { "min", "Black", "Activity of black, dB above noise", GST_OCT_PROPERTY_LIVE,
      "range", GST_OCT_DOUBLE (Settings, min, -50.0, 200.0, 0.0) },
  { "max", "Brightest", "Activity of full brightness, dB above noise",
      GST_OCT_PROPERTY_LIVE, "range",
      GST_OCT_DOUBLE (Settings, max, -50.0, 200.0, 20.0) },
  { "noise", "Noise",
      "Mean power of the noise of A-scans in counts^2 (0 = that of the darkest "
      "of eight bands of depth)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, noise, 0.0, 1e30, 0.0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static guint
dynamic_get_repeats (const Settings *settings, guint of_stream)
{
  return settings->repeats > 0 ? settings->repeats : of_stream;
}

/* --------------------------------------------------------------------- caps */

static void
gst_oct_dynamic_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;
  gboolean down = direction == GST_PAD_SINK;
  guint repeats = dynamic_get_repeats (
      settings, down ? gst_oct_structure_get_repeats (from) : 0);

  if (!down) {
    gst_caps_append_structure (result, gst_oct_places_make_ascans (from));
  } else if (settings->quantity == OCT_DYNAMIC_COLOUR) {
    gst_caps_append_structure (
        result, gst_oct_places_make_images (from, "RGBA", FALSE));
  } else {
    gboolean is_rate = settings->quantity == OCT_DYNAMIC_FREQUENCY;

    gst_caps_append_structure (
        result, gst_oct_places_make_images (from, GREY, TRUE));
    gst_caps_append_structure (
        result, gst_oct_places_make_images (from, "RGBA", FALSE));
    gst_caps_append_structure (
        result, gst_oct_places_make_values (from,
                    is_rate ? "frequency" : "activity", is_rate ? "Hz" : "dB"));
  }
  for (guint i = 0; i < gst_caps_get_size (result); i++)
    gst_oct_repeats_divide (
        gst_caps_get_structure (result, i), direction, repeats);
}

static GstCaps *
gst_oct_dynamic_fixate_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *othercaps)
{
  if (direction == GST_PAD_SINK)
    othercaps = gst_oct_caps_choose_grey (
        GST_BASE_TRANSFORM_SRC_PAD (trans), othercaps);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dynamic_parent_class)
      ->fixate_caps (trans, direction, caps, othercaps);
}

/* ------------------------------------------------------------------ settings
 */

static const char *
gst_oct_dynamic_get_history (gconstpointer data, const char **instead)
{
  *instead = "take octdynamic out";
  return "frames";
}

static gboolean
gst_oct_dynamic_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  GstOctDynamic *self = GST_OCT_DYNAMIC (filter);
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  const GstOctInfo *output = gst_oct_filter_get_output (filter);
  double rate = settings->rate > 0 ? settings->rate : input->bscan_rate;
  guint repeats = dynamic_get_repeats (settings, input->repeats);
  OctDynamicParams params = { .depth_bins = input->columns,
    .lines = input->rows,
    .bscans = input->bscans,
    .values = !output->is_video,
    .quantity = settings->quantity,
    .repeats = repeats > 1 ? repeats : 0,
    .frames = settings->frames,
    .window_lines = settings->window_lines,
    .window_bins = settings->window_bins,
    .rate = rate > 0 ? rate : 1,
    .min_frequency = settings->min_frequency,
    .max_frequency = settings->max_frequency,
    .min = settings->min,
    .max = settings->max,
    .noise = settings->noise };

  /* what the output was before is of another quantity */
  if (purpose != GST_OCT_TO_USE) {
    params.values = FALSE;
    params.format = OCT_IMAGE_RGBA;
  } else if (output->is_video) {
    params.format = gst_oct_image_format (output);
  }
  if (rate <= 0 && settings->quantity != OCT_DYNAMIC_ACTIVITY) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The stream does not say how many B-scans there are per second, which "
        "octdynamic needs for frequencies; set `rate`, or `quantity` to "
        "activity.");
    return FALSE;
  }
  if (!gst_oct_filter_set_plan (filter, OCT_OPERATION_DYNAMIC, &params, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE)
    self->places.repeats = repeats;
  return TRUE;
}

/* --------------------------------------------------------------------- stream
 */

static void
gst_oct_dynamic_found (GstOctFilter *filter, double value)
{
  GST_OCT_DYNAMIC (filter)->count = (guint)value;
}

/* Once. */
static void
tell_of_single (GstOctDynamic *self)
{
  if (self->told_single || self->places.repeats != 1)
    return;
  self->told_single = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The stream is a volume with one B-scan at each place, and octdynamic "
       "compares several, so it shows nothing; set `repeats` to the number of "
       "B-scans that are of one place."),
      (NULL));
}

static GstFlowReturn
gst_oct_dynamic_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctDynamic *self = GST_OCT_DYNAMIC (trans);
  GstFlowReturn ret;

  if (gst_oct_places_take (&self->places, trans, buffer, &ret))
    tell_of_single (self);
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return ret;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dynamic_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static GstFlowReturn
gst_oct_dynamic_transform (
    GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  GstOctDynamic *self = GST_OCT_DYNAMIC (trans);
  GstFlowReturn ret = GST_BASE_TRANSFORM_CLASS (gst_oct_dynamic_parent_class)
                          ->transform (trans, inbuf, outbuf);

  return ret == GST_FLOW_OK
             ? gst_oct_places_finish (&self->places, inbuf, outbuf, self->count)
             : ret;
}

static gboolean
gst_oct_dynamic_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  gst_oct_places_event (&GST_OCT_DYNAMIC (trans)->places, trans, event);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dynamic_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_oct_dynamic_start (GstBaseTransform *trans)
{
  GST_OCT_DYNAMIC (trans)->told_single = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dynamic_parent_class)->start (trans);
}

static gboolean
gst_oct_dynamic_stop (GstBaseTransform *trans)
{
  gst_oct_places_forget (&GST_OCT_DYNAMIC (trans)->places);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dynamic_parent_class)->stop (trans);
}

static void
gst_oct_dynamic_class_init (GstOctDynamicClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_dynamic_debug, "octdynamic", 0, "OCT dynamic contrast");
  filter_class->transform_structure = gst_oct_dynamic_transform_structure;
  filter_class->configure = gst_oct_dynamic_configure;
  filter_class->get_history = gst_oct_dynamic_get_history;
  filter_class->found = gst_oct_dynamic_found;
  trans_class->fixate_caps = gst_oct_dynamic_fixate_caps;
  trans_class->submit_input_buffer = gst_oct_dynamic_submit_input_buffer;
  trans_class->transform = gst_oct_dynamic_transform;
  trans_class->sink_event = gst_oct_dynamic_sink_event;
  trans_class->start = gst_oct_dynamic_start;
  trans_class->stop = gst_oct_dynamic_stop;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_DYNAMIC,
          .properties = &properties,
          .long_name = "OCT dynamic contrast",
          .description = "Shows how much and how fast the sample fluctuates",
          .sink_caps = GST_OCT_CAPS_ASCANS,
          .src_caps = CAPS_IMAGE "; " GST_OCT_CAPS_VALUES,
          .gpu_src_caps = GST_OCT_CAPS_GPU_IMAGE "; " GST_OCT_CAPS_VALUES,
          .downloads = TRUE });
}

static void
gst_oct_dynamic_init (GstOctDynamic *self)
{
  gst_oct_places_forget (&self->places);
}
