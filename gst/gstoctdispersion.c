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
 *
 * The action signal #GstOctDispersion::autofocus finds a2 and a3 in the scene.
 */
#include "gstoctdispersion.h"
#include "gstoctcuda.h"
#include "gstocterror.h"
#include "gstoctfocus.h"
#include "gstoctmaskfile.h"

#include <math.h>

GST_DEBUG_CATEGORY_STATIC (gst_oct_dispersion_debug);
#define GST_CAT_DEFAULT gst_oct_dispersion_debug

typedef struct {
  double a2, a3;
  GstOctMaskFile mask; /* of compact spectra, or none */
  guint autofocus_order;
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
  { "autofocus-order", "Order of autofocus",
      "What the signal autofocus looks for: 2 = a2 alone, 3 = a2 and a3",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, autofocus_order, 2, 3, 3) },
  GST_OCT_CALIBRATION_FILE_ROW (Settings, calibration, GST_OCT_PROPERTY_LIVE),
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctDispersion {
  GstOctFilter parent;

  GstOctFocus *focus;

  /* under the object lock: what was set before autofocus has changed it */
  gboolean has_former;
  double former_a2, former_a3;
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

/* ---------------------------------------------------------------- autofocus
 */

/* What the search ends at, rad. */
#define LEAST_ERROR 0.1
/* What is found in one scene and another differs by this all the same, rad rms,
 * and nobody sees it. */
#define SAME_C2 0.4
#define SAME_C3 0.8

/* Takes `text`. */
static void
post_result (GstOctDispersion *self, const char *result, double a2, double a3,
    GstStructure *more, char *text)
{
  GstStructure *s = gst_structure_new ("oct-autofocus", "result", G_TYPE_STRING,
      result, "a2", G_TYPE_DOUBLE, a2, "a3", G_TYPE_DOUBLE, a3, "text",
      G_TYPE_STRING, text, NULL);

  GST_INFO_OBJECT (self, "%s", text);
  for (gint i = 0; more != NULL && i < gst_structure_n_fields (more); i++) {
    const char *name = gst_structure_nth_field_name (more, (guint)i);

    gst_structure_set_value (s, name, gst_structure_get_value (more, name));
  }
  if (more != NULL)
    gst_structure_free (more);
  g_free (text);
  gst_element_post_message (
      GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), s));
}

/* What can be taken back. */
static void
set_phase (GstOctDispersion *self, double a2, double a3, double former_a2,
    double former_a3)
{
  GST_OBJECT_LOCK (self);
  self->has_former = TRUE;
  self->former_a2 = former_a2;
  self->former_a3 = former_a3;
  GST_OBJECT_UNLOCK (self);
  g_object_set (self, "a2", a2, "a3", a3, NULL);
}

static char *
describe_found (guint order, double a2, double error2, double a3, double error3,
    gboolean same)
{
  g_autofree char *third =
      order > 2 ? g_strdup_printf (", a3 = %.4g +- %.2g um^3", a3, error3)
                : g_strdup ("");

  return g_strdup_printf ("Dispersion found: a2 = %.4g +- %.2g um^2%s%s.", a2,
      error2, third, same ? "; the former values are as good and stay" : "");
}

/* See GstOctFocusDone.  A value that is as good as the one before is not taken,
 * so that pictures before and after can be compared. */
static void
focus_done (GstElement *element, const OctAutofocus *found, double half_range,
    const GError *error)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (element);
  double a2, a3, former_a2, former_a3, error2, error3;
  guint order;
  gboolean same;

  g_object_get (self, "a2", &former_a2, "a3", &former_a3, "autofocus-order",
      &order, NULL);
  if (error != NULL) {
    post_result (self, "failed", former_a2, former_a3, NULL,
        g_strdup_printf ("%s%s", error->message,
            g_str_has_suffix (error->message, ".") ? "" : "."));
    return;
  }
  a2 = found->c2 / pow (half_range, 2);
  a3 = order > 2 ? found->c3 / pow (half_range, 3) : former_a3;
  error2 = MAX (found->error2, LEAST_ERROR) / pow (half_range, 2);
  error3 =
      order > 2 ? MAX (found->error3, LEAST_ERROR) / pow (half_range, 3) : 0;
  same =
      fabs (a2 - former_a2) <= 2 * MAX (error2, SAME_C2 / pow (half_range, 2))
      && fabs (a3 - former_a3)
             <= 2 * MAX (error3, SAME_C3 / pow (half_range, 3));
  if (!same)
    set_phase (self, a2, a3, former_a2, former_a3);
  post_result (self, same ? "kept" : "changed", a2, a3,
      gst_structure_new ("more", "a2-error", G_TYPE_DOUBLE, error2, "a3-error",
          G_TYPE_DOUBLE, error3, "former-a2", G_TYPE_DOUBLE, former_a2,
          "former-a3", G_TYPE_DOUBLE, former_a3, "c2", G_TYPE_DOUBLE, found->c2,
          "c3", G_TYPE_DOUBLE, found->c3, "lines", G_TYPE_UINT, found->lines,
          NULL),
      describe_found (order, a2, error2, a3, error3, same));
}

static gboolean
autofocus (GstOctDispersion *self)
{
  return gst_oct_focus_begin (self->focus);
}

static gboolean
undo_autofocus (GstOctDispersion *self)
{
  double a2, a3;
  gboolean has_former;

  GST_OBJECT_LOCK (self);
  has_former = self->has_former;
  a2 = self->former_a2;
  a3 = self->former_a3;
  self->has_former = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (!has_former)
    return FALSE;
  g_object_set (self, "a2", a2, "a3", a3, NULL);
  post_result (self, "undone", a2, a3, NULL,
      g_strdup_printf (
          "Back to a2 = %.4g um^2, a3 = %.4g um^3 of before.", a2, a3));
  return TRUE;
}

/* In the streaming thread. */
static void
give_to_focus (GstOctDispersion *self, GstBuffer *buffer)
{
  GstOctFilter *filter = GST_OCT_FILTER (self);
  const GstOctInfo *info = gst_oct_filter_get_input (filter);
  g_autoptr (GstOctSettings) held =
      gst_oct_choice_ref (gst_oct_filter_get_choice (filter));
  const Settings *settings = gst_oct_settings_get (held);
  g_autoptr (GstCaps) caps =
      gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  g_autoptr (OctCalibration) calibration = NULL;
  g_autoptr (GError) error = NULL;

  if (caps == NULL)
    return;
  if (settings->mask.path != NULL && *settings->mask.path != '\0')
    g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The dispersion cannot be looked for in compact spectra, of which a "
        "mask keeps a part; look for it once with whole spectra and set a2 and "
        "a3.");
  else
    calibration = gst_oct_filter_ref_calibration (
        filter, &settings->calibration, info->columns, &error);
  if (error != NULL)
    gst_oct_focus_refuse (self->focus, error);
  else
    gst_oct_focus_add (self->focus, buffer, info,
        gst_caps_features_contains (
            gst_caps_get_features (caps, 0), GST_OCT_CUDA_FEATURE),
        calibration, settings->autofocus_order > 2, settings->a3);
}

static GstFlowReturn
submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (trans);

  if (gst_oct_focus_wants (self->focus))
    give_to_focus (self, buffer);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dispersion_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static gboolean
stop (GstBaseTransform *trans)
{
  gst_oct_focus_stop (GST_OCT_DISPERSION (trans)->focus);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dispersion_parent_class)
      ->stop (trans);
}

static void
finalize (GObject *object)
{
  gst_oct_focus_free (GST_OCT_DISPERSION (object)->focus);
  G_OBJECT_CLASS (gst_oct_dispersion_parent_class)->finalize (object);
}

static void
add_signals (GType type)
{
  /**
   * GstOctDispersion::autofocus:
   *
   * Finds a2 and a3 (autofocus-order) in the next B-scans, in a thread of its
   * own, and sets them.  The element message "oct-autofocus" on the bus says
   * what came of it.
   *
   * Returns: %FALSE when that is under way already
   */
  g_signal_new_class_handler ("autofocus", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (autofocus), NULL, NULL,
      NULL, G_TYPE_BOOLEAN, 0);
  /**
   * GstOctDispersion::undo-autofocus:
   *
   * Sets a2 and a3 of before the last autofocus that changed them.
   *
   * Returns: %FALSE when there was none
   */
  g_signal_new_class_handler ("undo-autofocus", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (undo_autofocus), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 0);
}

static void
gst_oct_dispersion_class_init (GstOctDispersionClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_oct_dispersion_debug, "octdispersion", 0,
      "OCT dispersion compensation");
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  trans_class->submit_input_buffer = submit_input_buffer;
  trans_class->stop = stop;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  add_signals (G_TYPE_FROM_CLASS (klass));
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
  self->focus = gst_oct_focus_new (GST_ELEMENT (self), focus_done);
}
