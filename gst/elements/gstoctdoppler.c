/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octdoppler
 *
 * Finds how fast the sample moves along the beam, from the phases of A-scans:
 * blood in vessels, or a membrane. Bulk motion of the tissue is taken off.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct mode=background output=ascans
 *   ! octdoppler line-rate=100000 wavelength=850e-9 range=10
 *   ! octcolormap map=doppler ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctdoppler.h"
#include "gstoctbus.h"
#include "gstoctcuda.h"
#include "gstoctimagefilter.h"
#include "gstoctphases.h"
#include "gstoctplaces.h"
#include "gstoctrepeats.h"

#include <math.h>

GST_DEBUG_CATEGORY_STATIC (gst_oct_doppler_debug);
#define GST_CAT_DEFAULT gst_oct_doppler_debug

#define FORMATS "{ GRAY8, NV12 }"
#define OF_ANY_SIZE                                                            \
  ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE             \
  ", framerate = " GST_OCT_RATE_RANGE
#define CAPS_IMAGE "video/x-raw, format = (string) " FORMATS OF_ANY_SIZE

typedef enum {
  QUANTITY_VELOCITY,
  QUANTITY_PHASE,
  QUANTITY_VARIANCE,
} Quantity;

typedef struct {
  OctDopplerBetween between;
  Quantity quantity;
  guint window_lines, window_bins, bulk_lines, repeats;
  double wavelength, line_rate, refractive_index, angle;
  double range, noise, threshold;
  gboolean unwrap;
} Settings;

struct _GstOctDoppler {
  GstOctFilter parent;

  /* streaming thread */
  GstOctPlaces places;
  guint count; /* B-scans of the place so far */
  gboolean told_unit, told_single;
  gboolean asked; /* for phases */
};

G_DEFINE_TYPE (GstOctDoppler, gst_oct_doppler, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octdoppler, "octdoppler", GST_RANK_NONE, GST_TYPE_OCT_DOPPLER);

static const GEnumValue betweens[] = {
  { OCT_DOPPLER_LINES, "Each A-line and the next: fast motion", "lines" },
  { OCT_DOPPLER_REPEATS,
      "Each B-scan and the next at the same place: slow motion", "repeats" },
  { 0, NULL, NULL },
};

static const GEnumValue quantities[] = {
  { QUANTITY_VELOCITY, "Velocity along the flow, mm/s, + away from the beam",
      "velocity" },
  { QUANTITY_PHASE, "Phase from one to the next, rad", "phase" },
  { QUANTITY_VARIANCE, "Variance, 0 (they are alike) to 1", "variance" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (
    doppler_get_between_type, "GstOctDopplerBetween", betweens);
static GST_OCT_DEFINE_ENUM (
    doppler_get_quantity_type, "GstOctDopplerQuantity", quantities);

static const GstOctProperty rows[] = {
  { "between", "Between", "What is compared",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "motion",
      GST_OCT_ENUM (
          Settings, between, doppler_get_between_type, OCT_DOPPLER_LINES) },
  { "quantity", "Quantity", "What is found",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "motion",
      GST_OCT_ENUM (
          Settings, quantity, doppler_get_quantity_type, QUANTITY_VELOCITY) },
  { "repeats", "Repeats",
      "between=repeats: B-scans at each place (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "motion",
      GST_OCT_UINT (Settings, repeats, 0, OCT_MAX_LINES, 0) },
  { "window-lines", "Window, A-lines", "A-lines that are averaged (odd)",
      GST_OCT_PROPERTY_LIVE, "window",
      GST_OCT_UINT (Settings, window_lines, 1, OCT_DOPPLER_WIDEST, 5) },
  { "window-bins", "Window, depths", "Depths that are averaged (odd)",
      GST_OCT_PROPERTY_LIVE, "window",
      GST_OCT_UINT (Settings, window_bins, 1, OCT_DOPPLER_WIDEST, 3) },
  { "bulk-lines", "Bulk motion, A-lines",
      "A-lines from which the motion of the tissue is found, to take it off "
      "(odd; 0 = leave it)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, bulk_lines, 0, OCT_DOPPLER_BULK_WIDEST, 9) },
  { "wavelength", "Wavelength",
      "Centre wavelength in metres (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, NULL,
      GST_OCT_DOUBLE (Settings, wavelength, 0.0, 1e-4, 0.0) },
  { "line-rate", "Line rate",
      "between=lines: A-lines per second (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, NULL,
      GST_OCT_DOUBLE (Settings, line_rate, 0.0, 1e12, 0.0) },
  { "refractive-index", "Refractive index", "Refractive index of the sample",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, refractive_index, 1.0, 4.0, OCT_TISSUE_INDEX) },
  { "angle", "Angle", "Angle between the flow and the beam in degrees",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, angle, 0.0, 89.0, 0.0) },
  { "range", "Range",
      "Velocity in mm/s of the brightest and the darkest grey, of "
      "quantity=phase in rad (0 = the largest without unwrapping, half a turn)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, range, 0.0, 1e9, 0.0) },
  { "noise", "Noise",
      "Mean power of the noise of A-scans in counts^2 (0 = that of the darkest "
      "of eight bands of depth)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, noise, 0.0, 1e30, 0.0) },
  { "threshold", "Threshold",
      "What is less than this above the noise, in dB, has velocity 0 (0 = "
      "nothing has)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, threshold, 0.0, 100.0, 5.0) },
  { "unwrap", "Unwrap",
      "Finds velocities of more than half a turn from those beside them",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_BOOLEAN (Settings, unwrap, FALSE) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* --------------------------------------------------------------------- units
 */

static guint
doppler_get_repeats (const Settings *settings, guint of_stream)
{
  if (settings->between == OCT_DOPPLER_LINES)
    return 1;
  return settings->repeats > 0 ? settings->repeats : of_stream;
}

/* mm/s of a rad; 0: not known. */
static double
doppler_get_scale (const Settings *settings, double stream_wavelength,
    double stream_line_rate, double bscan_rate)
{
  double wavelength =
      settings->wavelength > 0 ? settings->wavelength : stream_wavelength;
  double line_rate =
      settings->line_rate > 0 ? settings->line_rate : stream_line_rate;
  double rate = settings->between == OCT_DOPPLER_LINES ? line_rate : bscan_rate;

  return 1e3 * wavelength * rate
         / (4 * G_PI * settings->refractive_index
             * cos (settings->angle * G_PI / 180));
}

static double
doppler_get_scale_of_caps (const Settings *settings, const GstStructure *s)
{
  double wavelength = 0, line_rate = 0, bscan_rate = 0;
  gint n, d, bscans = 1;

  gst_structure_get_double (s, GST_OCT_WAVELENGTH_FIELD, &wavelength);
  gst_structure_get_int (s, GST_OCT_BSCANS_FIELD, &bscans);
  if (gst_structure_get_fraction (s, GST_OCT_LINE_RATE_FIELD, &n, &d))
    line_rate = (double)n / d;
  if (gst_structure_get_fraction (s, "framerate", &n, &d))
    bscan_rate = (double)n / d * bscans;
  return doppler_get_scale (settings, wavelength, line_rate, bscan_rate);
}

static double
doppler_get_scale_of_info (const Settings *settings, const GstOctInfo *info)
{
  return doppler_get_scale (settings, info->wavelength,
      (double)info->line_rate_n / info->line_rate_d, info->bscan_rate);
}

/* --------------------------------------------------------------------- caps */

static void
append_values (
    const Settings *settings, const GstStructure *ascans, GstCaps *result)
{
  gboolean speed = settings->quantity == QUANTITY_VELOCITY
                   && doppler_get_scale_of_caps (settings, ascans) > 0;
  GstStructure *to =
      settings->quantity == QUANTITY_VARIANCE
          ? gst_oct_places_make_values (ascans, "variance", "1")
          : gst_oct_places_make_values (
              ascans, speed ? "velocity" : "phase", speed ? "mm/s" : "rad");

  gst_caps_append_structure (result, to);
}

static void
gst_oct_doppler_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;
  gboolean down = direction == GST_PAD_SINK;
  guint repeats = doppler_get_repeats (
      settings, down ? gst_oct_structure_get_repeats (from) : 0);

  if (down) {
    gst_caps_append_structure (
        result, gst_oct_places_make_images (from, FORMATS, TRUE));
    gst_caps_append_structure (
        result, gst_oct_places_make_images (from, "RGBA", FALSE));
    append_values (settings, from, result);
  } else {
    gst_caps_append_structure (result, gst_oct_places_make_ascans (from));
  }
  for (guint i = 0; settings->between == OCT_DOPPLER_REPEATS
                    && i < gst_caps_get_size (result);
       i++)
    gst_oct_repeats_divide (
        gst_caps_get_structure (result, i), direction, repeats);
}

static GstCaps *
gst_oct_doppler_fixate_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *othercaps)
{
  if (direction == GST_PAD_SINK)
    othercaps = gst_oct_caps_choose_grey (
        GST_BASE_TRANSFORM_SRC_PAD (trans), othercaps);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_doppler_parent_class)
      ->fixate_caps (trans, direction, caps, othercaps);
}

/* ------------------------------------------------------------------ settings
 */

/* Once. */
static void
tell_what_is_missing (GstOctDoppler *self, const Settings *settings,
    const GstOctInfo *input, double scale, guint repeats)
{
  if (settings->quantity == QUANTITY_VELOCITY && !(scale > 0)
      && !self->told_unit) {
    self->told_unit = TRUE;
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The %s is not known, so octdoppler finds phases in rad and no "
         "velocities in mm/s; set %s, or `quantity` to phase.",
            settings->wavelength > 0 || input->wavelength > 0
                ? settings->between == OCT_DOPPLER_LINES ? "line rate"
                                                         : "frame rate"
                : "wavelength",
            settings->between == OCT_DOPPLER_LINES
                ? "`wavelength` and `line-rate`"
                : "`wavelength`, and `framerate` of the source"),
        (NULL));
  }
  if (settings->between == OCT_DOPPLER_REPEATS && repeats == 1
      && !self->told_single) {
    self->told_single = TRUE;
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The stream has one B-scan at each place, and between=repeats of "
         "octdoppler compares several, so all velocities are 0; set `repeats` "
         "if places have more, or `between` to lines."),
        (NULL));
  }
}

static OctDopplerParams
doppler_make_params (const Settings *settings, const GstOctInfo *input,
    const GstOctInfo *output, double scale, guint repeats)
{
  gboolean speed = settings->quantity == QUANTITY_VELOCITY && scale > 0;
  OctDopplerParams params = { .depth_bins = input->columns,
    .lines = input->rows,
    .bscans = input->bscans,
    .values = !output->is_video,
    .between = settings->between,
    .repeats = repeats,
    .quantity = settings->quantity == QUANTITY_VARIANCE ? OCT_DOPPLER_VARIANCE
                                                        : OCT_DOPPLER_PHASE,
    .window_lines = settings->window_lines,
    .window_bins = settings->window_bins,
    .bulk_lines = settings->bulk_lines,
    .noise = settings->noise,
    .least = settings->threshold > 0 ? pow (10, settings->threshold / 10) : 0,
    .scale = speed ? scale : 1,
    .unwrap = settings->unwrap };

  if (output->is_video)
    params.format = gst_oct_image_format (output);
  /* a range in mm/s says nothing of phases */
  params.range =
      settings->range > 0 && (speed || settings->quantity == QUANTITY_PHASE)
          ? settings->range
          : G_PI * params.scale;
  return params;
}

static const char *
gst_oct_doppler_get_history (gconstpointer data, const char **instead)
{
  *instead = "set between=lines";
  return ((const Settings *)data)->between == OCT_DOPPLER_REPEATS
             ? "between=repeats"
             : NULL;
}

static gboolean
gst_oct_doppler_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  GstOctDoppler *self = GST_OCT_DOPPLER (filter);
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  double scale = doppler_get_scale_of_info (settings, input);
  guint repeats = doppler_get_repeats (settings, input->repeats);
  OctDopplerParams params = doppler_make_params (
      settings, input, gst_oct_filter_get_output (filter), scale, repeats);

  if (!gst_oct_filter_set_plan (filter, OCT_OPERATION_DOPPLER, &params, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE) {
    self->places.repeats =
        settings->between == OCT_DOPPLER_REPEATS ? repeats : 0;
    tell_what_is_missing (self, settings, input, scale, repeats);
  }
  return TRUE;
}

/* --------------------------------------------------------------------- stream
 */

static void
gst_oct_doppler_found (GstOctFilter *filter, double value)
{
  GST_OCT_DOPPLER (filter)->count = (guint)value;
}

static GstFlowReturn
gst_oct_doppler_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctDoppler *self = GST_OCT_DOPPLER (trans);
  GstFlowReturn ret;

  gst_oct_phases_check (trans, &self->asked);
  (void)gst_oct_places_take (&self->places, trans, buffer, &ret);
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return ret;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_doppler_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static GstFlowReturn
gst_oct_doppler_transform (
    GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  GstOctDoppler *self = GST_OCT_DOPPLER (trans);
  GstFlowReturn ret = GST_BASE_TRANSFORM_CLASS (gst_oct_doppler_parent_class)
                          ->transform (trans, inbuf, outbuf);

  return ret == GST_FLOW_OK
             ? gst_oct_places_finish (&self->places, inbuf, outbuf, self->count)
             : ret;
}

static gboolean
gst_oct_doppler_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  gst_oct_places_event (&GST_OCT_DOPPLER (trans)->places, trans, event);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_doppler_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_oct_doppler_start (GstBaseTransform *trans)
{
  GstOctDoppler *self = GST_OCT_DOPPLER (trans);

  self->told_unit = self->told_single = self->asked = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_doppler_parent_class)->start (trans);
}

static gboolean
gst_oct_doppler_stop (GstBaseTransform *trans)
{
  gst_oct_places_forget (&GST_OCT_DOPPLER (trans)->places);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_doppler_parent_class)->stop (trans);
}

static void
gst_oct_doppler_class_init (GstOctDopplerClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_doppler_debug, "octdoppler", 0, "OCT Doppler velocity");
  filter_class->transform_structure = gst_oct_doppler_transform_structure;
  filter_class->configure = gst_oct_doppler_configure;
  filter_class->get_history = gst_oct_doppler_get_history;
  filter_class->found = gst_oct_doppler_found;
  trans_class->fixate_caps = gst_oct_doppler_fixate_caps;
  trans_class->submit_input_buffer = gst_oct_doppler_submit_input_buffer;
  trans_class->transform = gst_oct_doppler_transform;
  trans_class->sink_event = gst_oct_doppler_sink_event;
  trans_class->start = gst_oct_doppler_start;
  trans_class->stop = gst_oct_doppler_stop;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_DOPPLER,
          .properties = &properties,
          .long_name = "OCT Doppler velocity",
          .description = "Finds how fast the sample moves along the beam",
          .sink_caps = GST_OCT_CAPS_ASCANS,
          .src_caps = CAPS_IMAGE "; " GST_OCT_CAPS_VALUES,
          .gpu_src_caps = GST_OCT_CAPS_GPU_IMAGE "; " GST_OCT_CAPS_VALUES,
          .downloads = TRUE });
}

static void
gst_oct_doppler_init (GstOctDoppler *self)
{
  gst_oct_places_forget (&self->places);
}
