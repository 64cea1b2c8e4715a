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

typedef struct {
  double a2, a3;
  GstOctMaskFile mask; /* of compact spectra, or none */
  OctCalibrationSettings calibration;
} Settings;

static const GstOctProperty rows[] = {
  { "a2", "Second order",
      "Adds the phase -a2 (k - kc)^2 to that of the calibration, in um^2 "
      "(k in rad/um, kc the middle)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, a2, -1e9, 1e9, 0.0) },
  { "a3", "Third order",
      "Adds the phase -a3 (k - kc)^3 to that of the calibration, in um^3 "
      "(k in rad/um, kc the middle)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, a3, -1e9, 1e9, 0.0) },
  { "mask-file", "Mask file",
      "Text file with 0 or 1 for every sample of a whole A-line, of which "
      "the spectra hold those with 1 alone (none = they hold all)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_FILE (Settings, mask.path, mask.content, &gst_oct_mask_file) },
  GST_OCT_CALIBRATION_FILE_ROW (Settings, calibration, GST_OCT_PROPERTY_LIVE),
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctDispersion {
  GstOctFilter parent;
};

G_DEFINE_TYPE (GstOctDispersion, gst_oct_dispersion, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (
    octdispersion, "octdispersion", GST_RANK_NONE, GST_TYPE_OCT_DISPERSION);

static void
transform_structure (GstOctFilter *filter, gconstpointer settings,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  GstStructure *to = gst_structure_copy (from);

  gst_structure_set (to, "format", G_TYPE_STRING,
      direction == GST_PAD_SINK ? "CF32LE" : "F32LE", NULL);
  gst_caps_append_structure (result, to);
}

/* phase[samples] of whole A-lines. */
static gboolean
fill_phase (GstOctFilter *filter, const Settings *settings,
    const OctCalibration *calibration, guint samples, double *phase,
    GError **error)
{
  const GstOctInfo *input = gst_oct_filter_get_input (filter);

  memset (phase, 0, samples * sizeof *phase);
  if (calibration != NULL)
    return oct_calibration_fill_phase (calibration,
        input->axis == GST_OCT_AXIS_WAVELENGTH, settings->a2, settings->a3,
        phase, error);
  if (settings->a2 == 0.0 && settings->a3 == 0.0)
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
 * that the mask file keeps.  NULL with an error. */
static double *
make_phase (GstOctFilter *filter, const Settings *settings, GError **error)
{
  const OctCalibrationSettings *own = &settings->calibration;
  const GstOctMaskFile *file = &settings->mask;
  guint columns = gst_oct_filter_get_input (filter)->columns, samples = columns;
  g_autofree double *phase = NULL;
  g_autoptr (OctCalibration) calibration = NULL;
  const guint8 *mask = NULL;
  GError *local = NULL;

  if (file->content != NULL) {
    mask = gst_oct_mask_file_read (file, "octdispersion", &samples, error);
    if (mask == NULL || !gst_oct_mask_file_check (file, columns, error))
      return NULL;
    calibration =
        gst_oct_mask_file_ref_calibration (file, filter, own, columns, &local);
  } else {
    calibration = gst_oct_filter_ref_calibration (filter, own, columns, &local);
  }
  if (local != NULL) {
    g_propagate_error (error, local);
    return NULL;
  }
  phase = g_new (double, samples);
  if (!fill_phase (filter, settings, calibration, samples, phase, error))
    return NULL;
  if (columns != samples) /* in place: none comes before its own */
    for (guint n = 0, next = 0; n < samples; n++)
      if (mask[n])
        phase[next++] = phase[n];
  return g_steal_pointer (&phase);
}

static gboolean
configure (GstOctFilter *filter, gconstpointer settings, GstOctPurpose purpose,
    GError **error)
{
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  g_autofree double *phase = make_phase (filter, settings, error);
  OctDispersionParams params = {
    .samples = input->columns, .lines = input->rows, .phase = phase
  };

  return phase != NULL
         && gst_oct_filter_set_plan (
             filter, OCT_OPERATION_DISPERSION, &params, error);
}

static void
gst_oct_dispersion_class_init (GstOctDispersionClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_oct_dispersion_debug, "octdispersion", 0,
      "OCT dispersion compensation");
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_DISPERSION,
          .properties = &properties,
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
