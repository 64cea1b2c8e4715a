/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octkresample
 *
 * Resamples spectra from the pixels of the spectrometer to uniform wavenumbers,
 * by local interpolation.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub
 *   ! octkresample method=cubic ! octfft ! octlogscale
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctkresample.h"
#include "gstoctbus.h"
#include "gstoctcaps.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_kresample_debug);
#define GST_CAT_DEFAULT gst_oct_kresample_debug

typedef struct {
  OctResampleMethod method;
  guint upsample;
  OctCalibrationSettings calibration;
} Settings;

struct _GstOctKResample {
  GstOctFilter parent;
};

G_DEFINE_TYPE (GstOctKResample, gst_oct_kresample, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octkresample, "octkresample", GST_RANK_NONE, GST_TYPE_OCT_KRESAMPLE);

static const GEnumValue methods[] = {
  { OCT_RESAMPLE_CUBIC, "Natural cubic spline", "cubic" },
  { OCT_RESAMPLE_LINEAR, "Linear, the fastest", "linear" },
  { OCT_RESAMPLE_LANCZOS, "Lanczos, 8 samples", "lanczos" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (
    kresample_get_method_type, "GstOctResampleMethod", methods)

    static const GstOctProperty rows[] = {
      { "method", "Method", "Kind of interpolation", GST_OCT_PROPERTY_LIVE,
          NULL,
          GST_OCT_ENUM (Settings, method, kresample_get_method_type,
              OCT_RESAMPLE_CUBIC) },
      { "upsample", "Upsampling",
          "Factor by which the A-line is lengthened by FFT before the local "
          "interpolation: 1 (not at all) or 2",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_UINT (Settings, upsample, 1, 2, 1) },
      GST_OCT_CALIBRATION_AXIS_ROWS (
          Settings, calibration, GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS),
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* The centre wavelength of the calibration in use replaces that of the caps. */
static void
kresample_set_wavelength (
    GstOctFilter *filter, const OctCalibrationSettings *own, GstStructure *to)
{
  g_autoptr (OctCalibration) calibration = NULL;
  double wavelength;
  gint samples;

  if (!gst_structure_get_int (to, "samples", &samples))
    return;
  calibration = gst_oct_filter_peek_calibration (filter, own, (guint)samples);
  wavelength =
      calibration != NULL ? oct_calibration_get_wavelength (calibration) : 0.0;
  if (gst_oct_wavelength_is_possible (wavelength))
    gst_structure_set (
        to, GST_OCT_WAVELENGTH_FIELD, G_TYPE_DOUBLE, wavelength, NULL);
}

static void
gst_oct_kresample_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;
  GstStructure *to = gst_structure_copy (from);

  if (direction == GST_PAD_SINK)
    kresample_set_wavelength (filter, &settings->calibration, to);
  else
    gst_structure_remove_field (to, GST_OCT_WAVELENGTH_FIELD);
  gst_structure_set (to, "axis", G_TYPE_STRING,
      direction == GST_PAD_SINK ? "wavenumber" : "wavelength", NULL);
  gst_caps_append_structure (result, to);
}

static gboolean
gst_oct_kresample_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctResampleParams params = { .samples = input->columns,
    .lines = input->rows,
    .method = settings->method,
    .upsample = settings->upsample };
  g_autoptr (OctCalibration) calibration =
      gst_oct_filter_ref_wavenumbers (filter, &settings->calibration,
          input->columns, "leave octkresample out and ", error);

  if (calibration == NULL)
    return FALSE;
  params.positions = oct_calibration_get_positions (calibration);
  return gst_oct_filter_set_plan (
      filter, OCT_OPERATION_RESAMPLE, &params, error);
}

static void
gst_oct_kresample_class_init (GstOctKResampleClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_kresample_debug, "octkresample", 0, "OCT wavenumber resampling");
  filter_class->transform_structure = gst_oct_kresample_transform_structure;
  filter_class->configure = gst_oct_kresample_configure;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_RESAMPLE,
          .properties = &properties,
          .long_name = "OCT wavenumber resampling",
          .description =
              "Resamples spectra to uniform wavenumbers by local interpolation",
          .sink_caps = GST_OCT_CAPS_SPECTRA ("F32LE", "wavelength"),
          .src_caps = GST_OCT_CAPS_SPECTRA ("F32LE", "wavenumber") });
}

static void
gst_oct_kresample_init (GstOctKResample *self)
{
}
