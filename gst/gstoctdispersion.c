/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octdispersion
 *
 * Compensates the dispersion left between the arms of the interferometer: the
 * spectra are multiplied by a phase, at the wavenumber of each sample.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample !
 * octdispersion a2=20 ! octfft ! octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctdispersion.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_dispersion_debug);
#define GST_CAT_DEFAULT gst_oct_dispersion_debug

struct _GstOctDispersion {
  GstOctFilter parent;

  /* properties, under the object lock */
  double a2, a3;
};

enum { PROP_0, PROP_A2, PROP_A3 };

G_DEFINE_TYPE (GstOctDispersion, gst_oct_dispersion, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (
    octdispersion, "octdispersion", GST_RANK_NONE, GST_TYPE_OCT_DISPERSION);

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  GstStructure *to = gst_structure_copy (from);

  gst_structure_set (to, "format", G_TYPE_STRING,
      direction == GST_PAD_SINK ? "CF32LE" : "F32LE", NULL);
  gst_caps_append_structure (result, to);
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctDispersionParams params = { .samples = input->columns,
    .lines = input->rows };
  g_autofree double *phase = g_new (double, input->columns);
  g_autoptr (OctCalibration) calibration = NULL;
  GError *local = NULL;
  double a2, a3;

  GST_OBJECT_LOCK (self);
  a2 = self->a2;
  a3 = self->a3;
  GST_OBJECT_UNLOCK (self);
  calibration = gst_oct_filter_ref_calibration (filter, input->columns, &local);
  if (local != NULL) {
    g_propagate_error (error, local);
    return FALSE;
  }
  if (calibration == NULL && (a2 != 0.0 || a3 != 0.0)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "a2 and a3 of octdispersion need the wavelengths of the spectra and "
        "there is no calibration; set `calibration`, or `wavelength-min` and "
        "`wavelength-max`, on octsrc or octdcsub.");
    return FALSE;
  }
  memset (phase, 0, input->columns * sizeof *phase);
  if (calibration != NULL
      && !oct_calibration_fill_phase (calibration,
          input->axis == GST_OCT_AXIS_WAVELENGTH, a2, a3, phase, error))
    return FALSE;
  params.phase = phase;
  return gst_oct_filter_set_plan (filter, &params, error);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_A2:
    self->a2 = g_value_get_double (value);
    break;
  case PROP_A3:
    self->a3 = g_value_get_double (value);
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
  GstOctDispersion *self = GST_OCT_DISPERSION (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_A2:
    g_value_set_double (value, self->a2);
    break;
  case PROP_A3:
    g_value_set_double (value, self->a3);
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
gst_oct_dispersion_class_init (GstOctDispersionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);
  GParamFlags live =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  GST_DEBUG_CATEGORY_INIT (gst_oct_dispersion_debug, "octdispersion", 0,
      "OCT dispersion compensation");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  g_object_class_install_property (object_class, PROP_A2,
      g_param_spec_double ("a2", "Second order",
          "Adds the phase -a2 (k - kc)^2 to that of the calibration, in um^2 "
          "(k in rad/um, kc the middle)",
          -1e9, 1e9, 0.0, live));
  g_object_class_install_property (object_class, PROP_A3,
      g_param_spec_double ("a3", "Third order",
          "Adds the phase -a3 (k - kc)^3 to that of the calibration, in um^3 "
          "(k in rad/um, kc the middle)",
          -1e9, 1e9, 0.0, live));
  gst_oct_calibration_install_properties (object_class, FALSE);
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_DISPERSION,
          .long_name = "OCT dispersion compensation",
          .description =
              "Multiplies spectra by the phase that compensates dispersion",
          .sink_caps =
              GST_OCT_CAPS_SPECTRA ("F32LE", "{ wavelength, wavenumber }"),
          .src_caps =
              GST_OCT_CAPS_SPECTRA ("CF32LE", "{ wavelength, wavenumber }") });
}

static void
gst_oct_dispersion_init (GstOctDispersion *self)
{
}
