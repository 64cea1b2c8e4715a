/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octdispersion
 *
 * Compensates dispersion that is left between the arms of the interferometer,
 * which would otherwise blur every reflection in depth. It multiplies spectra
 * by a phase, at the wavenumber of each sample.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample
 *   ! octdispersion a2=20 ! octfft ! octlogscale
 *   ! videoconvert ! autovideosink
 * ]|
 *
 * The action signal #GstOctDispersion::autofocus finds #GstOctDispersion:a2 and
 * #GstOctDispersion:a3 from the present image.
 */
#include "gstoctdispersion.h"
#include "gstoctbus.h"
#include "gstoctcuda.h"
#include "gstocterror.h"
#include "gstoctfocus.h"
#include "gstocthistory.h"
#include "gstoctmaskfile.h"
#include "oct-calibration-text.h"
#include "oct-file-write.h"

#include <math.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_oct_dispersion_debug);
#define GST_CAT_DEFAULT gst_oct_dispersion_debug

typedef struct {
  double a2, a3;
  double phase2, phase3;
  GstOctMaskFile mask; /* of compact spectra, or none */
  guint autofocus_order;
  OctCalibrationSettings calibration;
} Settings;

static const GstOctProperty rows[] = {
  { "a2", "Second order",
      "Adds the phase -a2 (k - kc)^2 to that of the calibration, in um^2 "
      "(k in rad/um, kc the middle)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, a2, -1e9, 1e9, 0.0) },
  { "a3", "Third order",
      "Adds the phase -a3 (k - kc)^3 to that of the calibration, in um^3 "
      "(k in rad/um, kc the middle)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, a3, -1e9, 1e9, 0.0) },
  { "phase2", "Second order at the ends",
      "Adds the phase -phase2 x^2, x = -1 .. 1 along the uniform wavenumbers, "
      "in rad: as a2, where no wavelengths are known",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, phase2, -1e6, 1e6, 0.0) },
  { "phase3", "Third order at the ends",
      "Adds the phase -phase3 x^3, x = -1 .. 1 along the uniform wavenumbers, "
      "in rad: as a3, where no wavelengths are known",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, phase3, -1e6, 1e6, 0.0) },
  { "mask-file", "Mask file",
      "Text file with 0 or 1 for every sample of a whole A-line; the spectra "
      "contain only the samples with 1 (none = all samples)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_FILE (Settings, mask.path, mask.content, &gst_oct_mask_file) },
  { "autofocus-order", "Order of autofocus",
      "What the signal autofocus looks for: 2 = a2 alone, 3 = a2 and a3",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, autofocus_order, 2, 3, 3) },
  GST_OCT_CALIBRATION_AXIS_ROWS (Settings, calibration, GST_OCT_PROPERTY_LIVE),
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctDispersion {
  GstOctFilter parent;

  GstOctFocus *focus;
  GstOctHistory history; /* of the phases that autofocus has set */
};

G_DEFINE_TYPE (GstOctDispersion, gst_oct_dispersion, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octdispersion, "octdispersion", GST_RANK_NONE, GST_TYPE_OCT_DISPERSION);

static void
gst_oct_dispersion_transform_structure (GstOctFilter *filter,
    gconstpointer settings, GstPadDirection direction, const GstStructure *from,
    GstCaps *result)
{
  GstStructure *to = gst_structure_copy (from);

  gst_structure_set (to, "format", G_TYPE_STRING,
      direction == GST_PAD_SINK ? "CF32LE" : "F32LE", NULL);
  gst_caps_append_structure (result, to);
}

/* phase[samples] of whole A-lines, but for phase2 and phase3. */
static gboolean
dispersion_fill_polynomial (GstOctFilter *filter, const Settings *settings,
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
dispersion_make_phase (
    GstOctFilter *filter, const Settings *settings, GError **error)
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
  if (!dispersion_fill_polynomial (
          filter, settings, calibration, samples, phase, error)
      || !oct_calibration_add_phase (calibration,
          gst_oct_filter_get_input (filter)->axis == GST_OCT_AXIS_WAVELENGTH,
          samples, settings->phase2, settings->phase3, phase, error))
    return NULL;
  if (columns != samples) /* in place: none comes before its own */
    for (guint n = 0, next = 0; n < samples; n++)
      if (mask[n])
        phase[next++] = phase[n];
  return g_steal_pointer (&phase);
}

static gboolean
gst_oct_dispersion_configure (GstOctFilter *filter, gconstpointer settings,
    GstOctPurpose purpose, GError **error)
{
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  g_autofree double *phase = dispersion_make_phase (filter, settings, error);
  OctDispersionParams params = {
    .samples = input->columns, .lines = input->rows, .phase = phase
  };

  return phase != NULL
         && gst_oct_filter_set_plan (
             filter, OCT_OPERATION_DISPERSION, &params, error);
}

/* ---------------------------------------------------------------- autofocus
 */

/* The tolerance of the search, rad. */
#define LEAST_ERROR 0.1
/* Results in different scenes differ by this all the same, rad rms, and nobody
 * sees it. */
#define SAME_C2 0.4
#define SAME_C3 0.8

/* Phases that are set, or could be. */
typedef GstOctFocusPhase Phase;

static Phase
get_phase (GstOctDispersion *self)
{
  Phase phase;

  g_object_get (self, "a2", &phase.a2, "a3", &phase.a3, "phase2", &phase.phase2,
      "phase3", &phase.phase3, NULL);
  return phase;
}

/* Takes `text`. */
static void
post_result (GstOctDispersion *self, const char *result, Phase phase,
    GstStructure *more, char *text)
{
  GstStructure *s = gst_structure_new ("oct-autofocus", "result", G_TYPE_STRING,
      result, "a2", G_TYPE_DOUBLE, phase.a2, "a3", G_TYPE_DOUBLE, phase.a3,
      "phase2", G_TYPE_DOUBLE, phase.phase2, "phase3", G_TYPE_DOUBLE,
      phase.phase3, "text", G_TYPE_STRING, text, NULL);

  GST_INFO_OBJECT (self, "%s", text);
  for (gint i = 0; more != NULL && i < gst_structure_n_fields (more); i++) {
    const char *name = gst_structure_nth_field_name (more, (guint)i);

    gst_structure_set_value (s, name, gst_structure_get_value (more, name));
  }
  if (more != NULL)
    gst_structure_free (more);
  g_free (text);
  gst_oct_bus_post (GST_ELEMENT (self), s);
}

static GstStructure *
describe_former (Phase former)
{
  return gst_structure_new ("former", "former-a2", G_TYPE_DOUBLE, former.a2,
      "former-a3", G_TYPE_DOUBLE, former.a3, "former-phase2", G_TYPE_DOUBLE,
      former.phase2, "former-phase3", G_TYPE_DOUBLE, former.phase3, NULL);
}

static void
set_phase (GstOctDispersion *self, Phase phase, Phase former)
{
  gst_oct_history_push (&self->history, GST_ELEMENT (self),
      gst_structure_new ("former", "a2", G_TYPE_DOUBLE, former.a2, "a3",
          G_TYPE_DOUBLE, former.a3, "phase2", G_TYPE_DOUBLE, former.phase2,
          "phase3", G_TYPE_DOUBLE, former.phase3, NULL));
  g_object_set (self, "a2", phase.a2, "a3", phase.a3, "phase2", phase.phase2,
      "phase3", phase.phase3, NULL);
}

/* The properties for phases in rad at the ends of the axis; without wavelengths
 * they stay in rad. */
static Phase
make_found (double c2, double c3, double half_range)
{
  return half_range > 0 ? (Phase){ .a2 = c2 / pow (half_range, 2),
    .a3 = c3 / pow (half_range, 3) }
                        : (Phase){ .phase2 = c2, .phase3 = c3 };
}

/* "a2 = 12, a3 = 3" with units and, if they are not 0, errors in rad */
static char *
describe_phase (
    Phase phase, guint order, double half_range, double error2, double error3)
{
  gboolean scaled = half_range > 0;
  double second = scaled ? phase.a2 : phase.phase2;
  double third = scaled ? phase.a3 : phase.phase3;
  g_autofree char *text2 = NULL, *text3 = NULL;

  if (error2 > 0) {
    text2 = g_strdup_printf (
        " +- %.2g", scaled ? error2 / pow (half_range, 2) : error2);
    text3 = g_strdup_printf (
        " +- %.2g", scaled ? error3 / pow (half_range, 3) : error3);
  }
  if (order < 3)
    return g_strdup_printf ("%s = %.4g%s %s", scaled ? "a2" : "phase2", second,
        text2 != NULL ? text2 : "", scaled ? "um^2" : "rad");
  return g_strdup_printf ("%s = %.4g%s %s, %s = %.4g%s %s",
      scaled ? "a2" : "phase2", second, text2 != NULL ? text2 : "",
      scaled ? "um^2" : "rad", scaled ? "a3" : "phase3", third,
      text3 != NULL ? text3 : "", scaled ? "um^3" : "rad");
}

/* The result is for the upstream element that has the k map, and a2 and a3 are
 * for its spectra then: nothing is set here. */
static void
take_wavenumbers (
    GstOctDispersion *self, const OctRefine *found, double half_range)
{
  gboolean same = found->change < OCT_REFINE_SAME;
  Phase former = get_phase (self);
  Phase phase = make_found (found->phase2, found->phase3, half_range);
  g_autofree char *warp = oct_refine_compose (found->warp, NULL, NULL);
  g_autofree char *text = describe_phase (phase, 3, half_range, 0, 0);
  GstStructure *more = describe_former (former);

  gst_structure_set (more, "k-warp", G_TYPE_STRING, same ? "" : warp, "change",
      G_TYPE_DOUBLE, found->change, "spread", G_TYPE_DOUBLE, found->spread,
      "lines", G_TYPE_UINT, found->lines, NULL);
  post_result (self, same ? "kept" : "found", same ? former : phase, more,
      same ? g_strdup_printf ("The wavenumbers are right within %.1f rad per "
                              "100 bins, and stay.",
          OCT_REFINE_SAME)
           : g_strdup_printf ("Wavenumbers found that differ by %.2f rad per "
                              "100 bins, and with them %s.",
               found->change, text));
}

/* A value that is as good as the one before is not taken, so that pictures
 * before and after can be compared. */
static gboolean
dispersion_is_same (
    const OctAutofocus *found, guint order, Phase former, double half_range)
{
  double c2 = former.a2 * pow (half_range, 2) + former.phase2;
  double c3 = former.a3 * pow (half_range, 3) + former.phase3;

  return fabs (found->c2 - c2)
             <= 2 * MAX (MAX (found->error2, LEAST_ERROR), SAME_C2)
         && (order < 3
             || fabs (found->c3 - c3)
                    <= 2 * MAX (MAX (found->error3, LEAST_ERROR), SAME_C3));
}

static void
take_dispersion (
    GstOctDispersion *self, const OctAutofocus *found, double half_range)
{
  double error2 = MAX (found->error2, LEAST_ERROR);
  double error3 = MAX (found->error3, LEAST_ERROR);
  Phase former = get_phase (self);
  Phase phase = make_found (found->c2, found->c3, half_range);
  GstStructure *more = describe_former (former);
  g_autofree char *text = NULL;
  gboolean same, certain = oct_autofocus_is_certain (found);
  guint order;

  g_object_get (self, "autofocus-order", &order, NULL);
  if (order < 3) {
    phase.a3 = former.a3;
    phase.phase3 = former.phase3;
  }
  same = dispersion_is_same (found, order, former, half_range);
  if (!same && certain)
    set_phase (self, phase, former);
  text = describe_phase (phase, order, half_range, error2, error3);
  gst_structure_set (more, "c2", G_TYPE_DOUBLE, found->c2, "c3", G_TYPE_DOUBLE,
      found->c3, "gain", G_TYPE_DOUBLE, found->gain, "gain-error",
      G_TYPE_DOUBLE, found->gain_error, "certainty", G_TYPE_DOUBLE,
      found->certainty, "lines", G_TYPE_UINT, found->lines, NULL);
  if (half_range > 0)
    gst_structure_set (more, "a2-error", G_TYPE_DOUBLE,
        error2 / pow (half_range, 2), "a3-error", G_TYPE_DOUBLE,
        order < 3 ? 0 : error3 / pow (half_range, 3), NULL);
  post_result (self, same || !certain ? "kept" : "changed", phase, more,
      g_strdup_printf ("Dispersion found: %s%s.", text,
          same       ? "; the previous values are as good and stay"
          : !certain ? "; this scene cannot tell it from the previous values, "
                       "which stay"
                     : ""));
}

static void
tell_failure (GstOctDispersion *self, const char *sentence)
{
  post_result (self, "failed", get_phase (self), NULL,
      g_strconcat (
          sentence, g_str_has_suffix (sentence, ".") ? NULL : ".", NULL));
}

/* See GstOctFocusDone. */
static void
focus_done (
    GstElement *element, const GstOctFocusResult *result, const GError *error)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (element);

  if (error != NULL)
    tell_failure (self, error->message);
  else if (result->kind == GST_OCT_FOCUS_WAVENUMBERS)
    take_wavenumbers (self, &result->wavenumbers, result->half_range);
  else
    take_dispersion (self, &result->dispersion, result->half_range);
}

static gboolean
dispersion_autofocus (GstOctDispersion *self)
{
  return gst_oct_focus_begin (self->focus, GST_OCT_FOCUS_DISPERSION);
}

static gboolean
dispersion_refine (GstOctDispersion *self)
{
  return gst_oct_focus_begin (self->focus, GST_OCT_FOCUS_WAVENUMBERS);
}

/* The calibration of `settings` and of the elements before, as they are set by
 * now, with the dispersion in it.  NULL: there is none, or they do not fit. */
static OctCalibration *
dispersion_make_calibration (
    GstOctDispersion *self, const Settings *settings, guint samples)
{
  GstOctFilter *filter = GST_OCT_FILTER (self);
  g_autoptr (OctCalibration) given = NULL;
  OctCalibrationSettings more = { .a2 = settings->a2,
    .a3 = settings->a3,
    .c2 = settings->phase2,
    .c3 = settings->phase3 };

  if (oct_calibration_settings_empty (&settings->calibration))
    given =
        gst_oct_calibration_ask (GST_BASE_TRANSFORM_SINK_PAD (self), samples);
  if (given == NULL)
    given = gst_oct_filter_ref_calibration (
        filter, &settings->calibration, samples, NULL);
  if (oct_calibration_settings_empty (&more))
    return g_steal_pointer (&given);
  return oct_calibration_new_on (given, &more, samples, NULL);
}

/* A calibration that makes the same images without any of the properties.  It
 * includes settings since the last B-scan: a program that is told of a result
 * saves it at once. */
static char *
dispersion_make_calibration_csv (GstOctDispersion *self)
{
  GstOctFilter *filter = GST_OCT_FILTER (self);
  g_autoptr (GstCaps) caps =
      gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  g_autoptr (GstOctSettings) wanted =
      gst_oct_choice_ref_wanted (gst_oct_filter_get_choice (filter));
  g_autoptr (GstOctSettings) used =
      gst_oct_choice_ref (gst_oct_filter_get_choice (filter));
  g_autoptr (OctCalibration) all = NULL;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *comment = g_date_time_format (
      now, "made by octdispersion, %Y-%m-%d %H:%M, its dispersion included");
  GstOctInfo info;

  if (caps == NULL || !gst_oct_info_from_caps (&info, caps, NULL))
    return NULL;
  all = dispersion_make_calibration (
      self, gst_oct_settings_get (wanted), info.columns);
  if (all == NULL) /* they do not fit: the previous ones stay */
    all = dispersion_make_calibration (
        self, gst_oct_settings_get (used), info.columns);
  return all != NULL ? oct_calibration_format (all, comment) : NULL;
}

static gboolean
dispersion_save_calibration (GstOctDispersion *self, const char *path)
{
  g_autofree char *text = dispersion_make_calibration_csv (self);
  int code;

  if (text == NULL)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("There is no calibration to be saved yet: start the pipeline, and "
         "give one to octsrc or octdcsub."),
        (NULL));
  else if (path == NULL || *path == '\0')
    GST_ELEMENT_WARNING (self, RESOURCE, OPEN_WRITE,
        ("A calibration is saved to a file; give its name."), (NULL));
  else if ((code = oct_file_replace (path, text, strlen (text), -1)) == 0)
    return TRUE;
  else
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("The calibration was not saved: '%s' cannot be written: %s.", path,
            g_strerror (code)),
        (NULL));
  return FALSE;
}

static gboolean
undo_autofocus (GstOctDispersion *self)
{
  GstStructure *undone =
      gst_oct_history_undo (&self->history, GST_ELEMENT (self));
  Phase phase;
  gboolean scaled;

  if (undone == NULL)
    return FALSE;
  gst_structure_free (undone);
  phase = get_phase (self);
  scaled = phase.phase2 == 0 && phase.phase3 == 0;
  post_result (self, "undone", phase, NULL,
      scaled ? g_strdup_printf ("Back to a2 = %.4g um^2, a3 = %.4g um^3 of "
                                "before.",
          phase.a2, phase.a3)
             : g_strdup_printf ("Back to phase2 = %.4g rad, phase3 = %.4g rad "
                                "of before.",
                 phase.phase2, phase.phase3));
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
  const Phase former = { settings->a2, settings->a3, settings->phase2,
    settings->phase3 };
  g_autoptr (GError) error = NULL;

  if (caps == NULL || info->columns == 0)
    return;
  if (settings->mask.path != NULL && *settings->mask.path != '\0')
    g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The dispersion cannot be found in compact spectra, since a mask has "
        "left out samples; look for it once with whole spectra and set a2 and "
        "a3.");
  else
    calibration = gst_oct_filter_ref_calibration (
        filter, &settings->calibration, info->columns, &error);
  if (error != NULL)
    gst_oct_focus_refuse (self->focus, error);
  else
    gst_oct_focus_add (self->focus, buffer, info, gst_oct_caps_is_on_gpu (caps),
        calibration, settings->autofocus_order > 2, &former);
}

static GstFlowReturn
gst_oct_dispersion_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctDispersion *self = GST_OCT_DISPERSION (trans);

  if (gst_oct_focus_wants (self->focus))
    give_to_focus (self, buffer);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dispersion_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static gboolean
gst_oct_dispersion_stop (GstBaseTransform *trans)
{
  gst_oct_focus_stop (GST_OCT_DISPERSION (trans)->focus);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dispersion_parent_class)
      ->stop (trans);
}

static void
gst_oct_dispersion_finalize (GObject *object)
{
  gst_oct_focus_free (GST_OCT_DISPERSION (object)->focus);
  gst_oct_history_clear (&GST_OCT_DISPERSION (object)->history);
  G_OBJECT_CLASS (gst_oct_dispersion_parent_class)->finalize (object);
}

static void
dispersion_add_signals (GType type)
{
  /**
   * GstOctDispersion::autofocus:
   *
   * Finds a2 and a3 (autofocus-order) in the next B-scans, in a thread of its
   * own, and sets them; phase2 and phase3 where no wavelengths are known.  The
   * element message "oct-autofocus" on the bus says what came of it.
   *
   * Returns: %FALSE when that is under way already
   */
  g_signal_new_class_handler ("autofocus", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (dispersion_autofocus),
      NULL, NULL, NULL, G_TYPE_BOOLEAN, 0);
  /**
   * GstOctDispersion::refine:
   *
   * Finds a correction of the k map in the next B-scans, with the a2 and a3
   * that belong to it: the message "oct-autofocus" has it as "k-warp", for
   * octdcsub. octreconstruct sets it.
   *
   * Returns: %FALSE when a search is under way already
   */
  g_signal_new_class_handler ("refine", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (dispersion_refine), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 0);
  /**
   * GstOctDispersion::calibration-csv:
   *
   * Returns: the calibration with a2 and a3 in it, as the text of a file for
   *     `calibration`; %NULL as long as there is none
   */
  g_signal_new_class_handler ("calibration-csv", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (dispersion_make_calibration_csv), NULL, NULL, NULL,
      G_TYPE_STRING, 0);
  /**
   * GstOctDispersion::save-calibration:
   * @path: the file, which is written over
   *
   * Writes that text.
   *
   * Returns: %FALSE when it could not; a warning says why
   */
  g_signal_new_class_handler ("save-calibration", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (dispersion_save_calibration), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
  /**
   * GstOctDispersion::undo-autofocus:
   *
   * Sets a2 and a3 of before the last autofocus that changed them; once more,
   * those of before the one before.
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
  filter_class->transform_structure = gst_oct_dispersion_transform_structure;
  filter_class->configure = gst_oct_dispersion_configure;
  trans_class->submit_input_buffer = gst_oct_dispersion_submit_input_buffer;
  trans_class->stop = gst_oct_dispersion_stop;
  G_OBJECT_CLASS (klass)->finalize = gst_oct_dispersion_finalize;
  dispersion_add_signals (G_TYPE_FROM_CLASS (klass));
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
