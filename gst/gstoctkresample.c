/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octkresample
 *
 * Resamples spectra from the pixels of the spectrometer to uniform wavenumbers
 * by local interpolation.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample method=cubic
 * ! octfft ! octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctkresample.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_kresample_debug);
#define GST_CAT_DEFAULT gst_oct_kresample_debug

#define DEFAULT_METHOD OCT_RESAMPLE_CUBIC
#define DEFAULT_UPSAMPLE 1

struct _GstOctKResample {
  GstOctFilter parent;

  /* properties, under the object lock */
  OctResampleMethod method;
  guint upsample;
};

enum { PROP_0, PROP_METHOD, PROP_UPSAMPLE };

G_DEFINE_TYPE (GstOctKResample, gst_oct_kresample, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (
    octkresample, "octkresample", GST_RANK_NONE, GST_TYPE_OCT_KRESAMPLE);

#define GST_TYPE_OCT_RESAMPLE_METHOD (resample_method_get_type ())
static GType
resample_method_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_RESAMPLE_CUBIC, "Natural cubic spline", "cubic" },
    { OCT_RESAMPLE_LINEAR, "Linear, the fastest", "linear" },
    { OCT_RESAMPLE_LANCZOS, "Lanczos, 8 samples", "lanczos" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctResampleMethod", values));
  return type;
}

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  GstStructure *to = gst_structure_copy (from);

  gst_structure_set (to, "axis", G_TYPE_STRING,
      direction == GST_PAD_SINK ? "wavenumber" : "wavelength", NULL);
  gst_caps_append_structure (result, to);
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctKResample *self = GST_OCT_KRESAMPLE (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctResampleParams params = { .samples = input->columns,
    .lines = input->rows };
  g_autoptr (OctCalibration) calibration = NULL;

  calibration = gst_oct_filter_ref_wavenumbers (
      filter, input->columns, "leave octkresample out and ", error);
  if (calibration == NULL)
    return FALSE;
  params.positions = oct_calibration_get_positions (calibration);
  GST_OBJECT_LOCK (self);
  params.method = self->method;
  params.upsample = self->upsample;
  GST_OBJECT_UNLOCK (self);
  return gst_oct_filter_set_plan (filter, &params, error);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctKResample *self = GST_OCT_KRESAMPLE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_METHOD:
    self->method = g_value_get_enum (value);
    break;
  case PROP_UPSAMPLE:
    self->upsample = g_value_get_uint (value);
    break;
  default:
    GST_OBJECT_UNLOCK (self);
    gst_oct_filter_set_calibration_property (
        GST_OCT_FILTER (self), id, value, pspec);
    return;
  }
  GST_OBJECT_UNLOCK (self);
  gst_oct_filter_property_changed (GST_OCT_FILTER (self), FALSE);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctKResample *self = GST_OCT_KRESAMPLE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_METHOD:
    g_value_set_enum (value, self->method);
    break;
  case PROP_UPSAMPLE:
    g_value_set_uint (value, self->upsample);
    break;
  default:
    GST_OBJECT_UNLOCK (self);
    gst_oct_filter_get_calibration_property (
        GST_OCT_FILTER (self), id, value, pspec);
    return;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_oct_kresample_class_init (GstOctKResampleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);
  GParamFlags live =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_kresample_debug, "octkresample", 0, "OCT wavenumber resampling");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  g_object_class_install_property (object_class, PROP_METHOD,
      g_param_spec_enum ("method", "Method", "Kind of interpolation",
          GST_TYPE_OCT_RESAMPLE_METHOD, DEFAULT_METHOD, live));
  g_object_class_install_property (object_class, PROP_UPSAMPLE,
      g_param_spec_uint ("upsample", "Upsampling",
          "Factor by which the A-line is lengthened by FFT before the local "
          "interpolation: 1 (not at all) or 2",
          1, 2, DEFAULT_UPSAMPLE, live));
  gst_oct_calibration_install_properties (object_class, FALSE);
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_RESAMPLE,
          .long_name = "OCT wavenumber resampling",
          .description =
              "Resamples spectra to uniform wavenumbers by local interpolation",
          .sink_caps = GST_OCT_CAPS_SPECTRA ("F32LE", "wavelength"),
          .src_caps = GST_OCT_CAPS_SPECTRA ("F32LE", "wavenumber") });
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_RESAMPLE_METHOD, 0);
}

static void
gst_oct_kresample_init (GstOctKResample *self)
{
  self->method = DEFAULT_METHOD;
  self->upsample = DEFAULT_UPSAMPLE;
}
