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
#include "gstocterror.h"
#include "gstoctmaskfile.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_dispersion_debug);
#define GST_CAT_DEFAULT gst_oct_dispersion_debug

struct _GstOctDispersion {
  GstOctFilter parent;

  /* properties, under the object lock */
  double a2, a3;
  GstOctMaskFile wanted; /* of compact spectra, or none */
  GstOctMaskFile former; /* what the last plan was made with */
  gboolean has_former;   /* there was one since the start */
  gboolean told;         /* that the wanted one is impossible */
};

enum { PROP_0, PROP_A2, PROP_A3, PROP_MASK_FILE };

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

/* phase[samples] of whole A-lines. */
static gboolean
fill_phase (GstOctFilter *filter, const OctCalibration *calibration,
    guint samples, double *phase, GError **error)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  double a2, a3;

  GST_OBJECT_LOCK (self);
  a2 = self->a2;
  a3 = self->a3;
  GST_OBJECT_UNLOCK (self);
  memset (phase, 0, samples * sizeof *phase);
  if (calibration != NULL)
    return oct_calibration_fill_phase (calibration,
        input->axis == GST_OCT_AXIS_WAVELENGTH, a2, a3, phase, error);
  if (a2 == 0.0 && a3 == 0.0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "a2 and a3 of octdispersion need the wavelengths of the spectra and "
      "there is no calibration; set `calibration`%s.",
      samples == input->columns
          ? ", or `wavelength-min` and `wavelength-max`, on octsrc or octdcsub"
          : " of octdispersion to the file of the whole A-line");
  return FALSE;
}

/* phase[columns] of the samples that the spectra hold, g_free(): all, or those
 * that `file` keeps.  NULL with an error. */
static double *
make_phase (GstOctFilter *filter, GstOctMaskFile *file, GError **error)
{
  guint columns = gst_oct_filter_get_input (filter)->columns, samples = columns;
  g_autofree double *phase = NULL;
  g_autoptr (OctCalibration) calibration = NULL;
  const guint8 *mask = NULL;
  GError *local = NULL;

  if (gst_oct_mask_file_given (file)) {
    mask = gst_oct_mask_file_read (file, "octdispersion", &samples, error);
    if (mask == NULL || !gst_oct_mask_file_check (file, columns, error))
      return NULL;
    calibration =
        gst_oct_mask_file_ref_calibration (file, filter, columns, &local);
  } else {
    calibration = gst_oct_filter_ref_calibration (filter, columns, &local);
  }
  if (local != NULL) {
    g_propagate_error (error, local);
    return NULL;
  }
  phase = g_new (double, samples);
  if (!fill_phase (filter, calibration, samples, phase, error))
    return NULL;
  if (columns != samples) /* in place: none comes before its own */
    for (guint n = 0, next = 0; n < samples; n++)
      if (mask[n])
        phase[next++] = phase[n];
  return g_steal_pointer (&phase);
}

/* That of the mask file that is wanted or, where it does not fit while images
 * are being made, of the one before; `used` is set to it. */
static double *
choose_phase (GstOctDispersion *self, GstOctMaskFile *used, GError **error)
{
  GstOctFilter *filter = GST_OCT_FILTER (self);
  g_auto (GstOctMaskFile) former = { 0 };
  GError *local = NULL;
  double *phase;
  gboolean has_former;

  GST_OBJECT_LOCK (self);
  gst_oct_mask_file_copy (used, &self->wanted);
  has_former = self->has_former;
  if (has_former)
    gst_oct_mask_file_copy (&former, &self->former);
  GST_OBJECT_UNLOCK (self);
  phase = make_phase (filter, used, &local);
  if (phase != NULL) {
    GST_OBJECT_LOCK (self);
    self->told = FALSE;
    GST_OBJECT_UNLOCK (self);
    return phase;
  }
  if (has_former)
    phase = make_phase (filter, &former, NULL);
  if (phase == NULL) {
    g_propagate_error (error, local);
    return NULL;
  }
  gst_oct_element_warn_former (GST_ELEMENT (self), &self->told, &local,
      "Until then the former phase is used.");
  gst_oct_mask_file_copy (used, &former);
  return phase;
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  g_auto (GstOctMaskFile) used = { 0 };
  g_autofree double *phase = choose_phase (self, &used, error);
  OctDispersionParams params = {
    .samples = input->columns, .lines = input->rows, .phase = phase
  };

  if (phase == NULL || !gst_oct_filter_set_plan (filter, &params, error))
    return FALSE;
  GST_OBJECT_LOCK (self);
  gst_oct_mask_file_copy (&self->former, &used);
  self->has_former = TRUE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (trans);

  GST_OBJECT_LOCK (self);
  self->has_former = self->told = FALSE;
  gst_oct_mask_file_clear (&self->former);
  gst_oct_mask_file_forget (&self->wanted);
  GST_OBJECT_UNLOCK (self);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dispersion_parent_class)
      ->stop (trans);
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
  case PROP_MASK_FILE:
    gst_oct_mask_file_set (&self->wanted, g_value_get_string (value));
    self->told = FALSE;
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
  case PROP_MASK_FILE:
    g_value_set_string (value, self->wanted.path);
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
finalize (GObject *object)
{
  gst_oct_mask_file_clear (&GST_OCT_DISPERSION (object)->wanted);
  gst_oct_mask_file_clear (&GST_OCT_DISPERSION (object)->former);
  G_OBJECT_CLASS (gst_oct_dispersion_parent_class)->finalize (object);
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
  object_class->finalize = finalize;
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  GST_BASE_TRANSFORM_CLASS (klass)->stop = stop;
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
  g_object_class_install_property (object_class, PROP_MASK_FILE,
      g_param_spec_string ("mask-file", "Mask file",
          "Text file with 0 or 1 for every sample of a whole A-line, of which "
          "the spectra hold those with 1 alone (none = they hold all)",
          NULL, live));
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
