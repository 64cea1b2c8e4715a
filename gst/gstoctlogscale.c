/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octlogscale
 *
 * Turns A-scans into an image: logarithm of the power, range to grey levels,
 * depth downwards.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample ! octfft !
 * octlogscale range-smoothing=0.9 ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctlogscale.h"
#include "gstoctcuda.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_logscale_debug);
#define GST_CAT_DEFAULT gst_oct_logscale_debug

#define DEFAULT_SCALE OCT_SCALE_LOG
#define DEFAULT_RANGE OCT_RANGE_CONTRAST
#define DEFAULT_MIN 0.0
#define DEFAULT_MAX 60.0
#define DEFAULT_RANGE_SMOOTHING 0.0

#define FORMATS "{ GRAY8, NV12, GRAY16_LE }"

/* Grey levels use all values from 0 to 255; what says nothing of its range is
 * taken for 16 to 235 and shown with black and white cut off. */
#define FULL_RANGE "1:4:0:0"

struct _GstOctLogScale {
  GstOctFilter parent;

  /* properties, under the object lock */
  OctScale scale;
  OctRange range;
  double min, max, range_smoothing;
};

enum {
  PROP_0,
  PROP_SCALE,
  PROP_RANGE,
  PROP_MIN,
  PROP_MAX,
  PROP_RANGE_SMOOTHING,
};

G_DEFINE_TYPE (GstOctLogScale, gst_oct_logscale, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (
    octlogscale, "octlogscale", GST_RANK_NONE, GST_TYPE_OCT_LOGSCALE);

#define GST_TYPE_OCT_SCALE (scale_get_type ())
static GType
scale_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_SCALE_LOG, "Power in dB, 10 log10 |a|^2", "log" },
    { OCT_SCALE_LINEAR, "Power, |a|^2", "linear" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctScale", values));
  return type;
}

#define GST_TYPE_OCT_RANGE (range_get_type ())
static GType
range_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_RANGE_AUTO, "Smallest to largest value of the B-scan", "auto" },
    { OCT_RANGE_MANUAL, "`min` to `max`", "manual" },
    { OCT_RANGE_CONTRAST,
        "Noise floor to what one value of 1000 is above, without the depths "
        "near zero delay",
        "contrast" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctRange", values));
  return type;
}

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  GstStructure *to;

  if (direction == GST_PAD_SINK) {
    to = gst_oct_video_structure (FORMATS, from, "lines", "samples");
    gst_structure_set (to, "colorimetry", G_TYPE_STRING, FULL_RANGE, NULL);
  } else {
    to = gst_structure_from_string (GST_OCT_CAPS_ASCANS, NULL);
    gst_oct_structure_copy_field (from, "height", to, "samples");
    gst_oct_structure_copy_field (from, "width", to, "lines");
    gst_oct_structure_copy_field (from, "framerate", to, "framerate");
  }
  gst_caps_append_structure (result, to);
  if (direction == GST_PAD_SINK)
    gst_caps_append_structure (
        result, gst_oct_video_structure ("RGBA", from, "lines", "samples"));
}

static gboolean
is_on_host (GstCapsFeatures *features, GstStructure *structure, gpointer data)
{
  return !gst_caps_features_contains (features, GST_OCT_CUDA_FEATURE);
}

/* GRAY8 is what programs want, but videoconvert makes I420 of it without
 * minding the range of the grey levels, which cuts off black and white in every
 * recording.  Where YUV is understood, NV12 says what its values mean. */
static GstCaps *
fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *othercaps)
{
  if (direction == GST_PAD_SINK) {
    g_autoptr (GstCaps) peer =
        gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (trans), NULL);
    g_autoptr (GstCaps) i420 =
        gst_caps_from_string ("video/x-raw, format = (string) I420");
    g_autoptr (GstCaps) nv12 =
        gst_caps_from_string ("video/x-raw, format = (string) NV12");

    if (gst_caps_is_any (peer)) {
      /* who does not ask for GPU memory gets what every element can read */
      othercaps = gst_caps_make_writable (othercaps);
      gst_caps_filter_and_map_in_place (othercaps, is_on_host, NULL);
    } else if (is_on_host (gst_caps_get_features (othercaps, 0), NULL, NULL)
               && gst_caps_can_intersect (peer, i420)
               && gst_caps_can_intersect (othercaps, nv12)) {
      GstCaps *preferred = gst_caps_intersect (othercaps, nv12);

      gst_caps_unref (othercaps);
      othercaps = preferred;
    }
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_logscale_parent_class)
      ->fixate_caps (trans, direction, caps, othercaps);
}

static OctImageFormat
get_image_format (const GstOctInfo *output)
{
  switch (GST_VIDEO_INFO_FORMAT (&output->video)) {
  case GST_VIDEO_FORMAT_GRAY16_LE:
    return OCT_IMAGE_GRAY16;
  case GST_VIDEO_FORMAT_NV12:
    return OCT_IMAGE_NV12;
  case GST_VIDEO_FORMAT_RGBA:
    return OCT_IMAGE_RGBA;
  default:
    return OCT_IMAGE_GRAY8;
  }
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctLogScale *self = GST_OCT_LOGSCALE (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctLogscaleParams params = { .depth_bins = input->columns,
    .lines = input->rows,
    .format = get_image_format (gst_oct_filter_get_output (filter)) };

  GST_OBJECT_LOCK (self);
  params.scale = self->scale;
  params.range = self->range;
  params.min = self->min;
  params.max = self->max;
  params.range_smoothing = self->range_smoothing;
  GST_OBJECT_UNLOCK (self);
  if (params.range == OCT_RANGE_MANUAL && !(params.min < params.max)) {
    if (gst_oct_filter_has_plan (filter)) {
      /* min and max are set one after the other while the picture is live */
      GST_WARNING_OBJECT (self, "min %g is not below max %g, range not changed",
          params.min, params.max);
      return TRUE;
    }
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "range=manual of octlogscale needs min < max, found min=%g, max=%g; "
        "set both.",
        params.min, params.max);
    return FALSE;
  }
  return gst_oct_filter_set_plan (filter, &params, error);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctLogScale *self = GST_OCT_LOGSCALE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_SCALE:
    self->scale = g_value_get_enum (value);
    break;
  case PROP_RANGE:
    self->range = g_value_get_enum (value);
    break;
  case PROP_MIN:
    self->min = g_value_get_double (value);
    break;
  case PROP_MAX:
    self->max = g_value_get_double (value);
    break;
  case PROP_RANGE_SMOOTHING:
    self->range_smoothing = g_value_get_double (value);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
  gst_oct_filter_property_changed (GST_OCT_FILTER (self), FALSE);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctLogScale *self = GST_OCT_LOGSCALE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_SCALE:
    g_value_set_enum (value, self->scale);
    break;
  case PROP_RANGE:
    g_value_set_enum (value, self->range);
    break;
  case PROP_MIN:
    g_value_set_double (value, self->min);
    break;
  case PROP_MAX:
    g_value_set_double (value, self->max);
    break;
  case PROP_RANGE_SMOOTHING:
    g_value_set_double (value, self->range_smoothing);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_double (GObjectClass *klass, guint id, const char *name,
    const char *nick, const char *blurb, double low, double high, double value)
{
  g_object_class_install_property (klass, id,
      g_param_spec_double (name, nick, blurb, low, high, value,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
}

static void
gst_oct_logscale_class_init (GstOctLogScaleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);
  GParamFlags live =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_logscale_debug, "octlogscale", 0, "OCT image scaling");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  GST_BASE_TRANSFORM_CLASS (klass)->fixate_caps = fixate_caps;
  g_object_class_install_property (object_class, PROP_SCALE,
      g_param_spec_enum ("scale", "Scale", "What becomes grey levels",
          GST_TYPE_OCT_SCALE, DEFAULT_SCALE, live));
  g_object_class_install_property (object_class, PROP_RANGE,
      g_param_spec_enum ("range", "Range",
          "Which values become black and white", GST_TYPE_OCT_RANGE,
          DEFAULT_RANGE, live));
  install_double (object_class, PROP_MIN, "min", "Black",
      "range=manual: value of black, in dB (scale=linear: in counts^2)", -1e20,
      1e20, DEFAULT_MIN);
  install_double (object_class, PROP_MAX, "max", "White",
      "range=manual: value of white, in dB (scale=linear: in counts^2)", -1e20,
      1e20, DEFAULT_MAX);
  install_double (object_class, PROP_RANGE_SMOOTHING, "range-smoothing",
      "Range smoothing",
      "Weight of the range of the B-scans before, against flicker (0 = each "
      "B-scan alone), dimensionless",
      0.0, 0.9999, DEFAULT_RANGE_SMOOTHING);
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_LOGSCALE,
          .long_name = "OCT image scaling",
          .description = "Turns A-scans into an image, logarithmic or linear, "
                         "depth downwards",
          .sink_caps = GST_OCT_CAPS_ASCANS,
          .src_caps = GST_OCT_CAPS_IMAGE,
          .gpu_src_caps = GST_OCT_CAPS_GPU_IMAGE,
          .downloads = TRUE });
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_SCALE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_RANGE, 0);
}

static void
gst_oct_logscale_init (GstOctLogScale *self)
{
  self->scale = DEFAULT_SCALE;
  self->range = DEFAULT_RANGE;
  self->min = DEFAULT_MIN;
  self->max = DEFAULT_MAX;
  self->range_smoothing = DEFAULT_RANGE_SMOOTHING;
}
