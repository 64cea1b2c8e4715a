/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octdcsub
 *
 * Turns raw counts into spectra and removes the spectrum of the source, which
 * would otherwise bury the first depths.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample ! octfft !
 * octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctdcsub.h"
#include "gstoctbackground.h"
#include "oct-operation.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_dcsub_debug);
#define GST_CAT_DEFAULT gst_oct_dcsub_debug

typedef enum { AXIS_AUTO, AXIS_WAVELENGTH, AXIS_WAVENUMBER } AxisChoice;

typedef struct {
  OctBackgroundMode mode;
  double running_weight;
  char *background_path;
  GstOctBackground *background; /* NULL: no file */
  AxisChoice axis;
  OctCalibrationSettings calibration;
} Settings;

struct _GstOctDcSub {
  GstOctFilter parent;

  /* streaming thread: the own calibration that was sent downstream */
  OctCalibration *sent;
};

G_DEFINE_TYPE (GstOctDcSub, gst_oct_dcsub, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (
    octdcsub, "octdcsub", GST_RANK_NONE, GST_TYPE_OCT_DCSUB);

/* The modes of core/oct-operation.c. */
static GType
get_mode_type (void)
{
  static GEnumValue modes[OCT_N_BACKGROUND_MODES + 1];
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    for (gint i = 0; i < OCT_N_BACKGROUND_MODES; i++)
      modes[i] = (GEnumValue){ i, oct_background_modes[i].summary,
        oct_background_modes[i].nick };
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctBackgroundMode", modes));
  }
  return type;
}

static const GEnumValue axes[] = {
  { AXIS_AUTO, "As the caps say; camera data: wavelength", "auto" },
  { AXIS_WAVELENGTH, "To be resampled by the calibration", "wavelength" },
  { AXIS_WAVENUMBER, "Already uniform in wavenumber (k-clocked source)",
      "wavenumber" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (get_axis_type, "GstOctAxis", axes)

    static const GstOctProperty rows[] = {
      { "mode", "Mode", "Which spectrum to remove", GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_ENUM (Settings, mode, get_mode_type, OCT_BACKGROUND_BSCAN) },
      { "running-weight", "Running weight",
          "mode=running: weight of the newest B-scan in the mean, "
          "dimensionless",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_DOUBLE (Settings, running_weight, 1e-6, 1.0, 0.1) },
      { "background", "Background file",
          "mode=background: .npy or raw file of one or more spectra in counts, "
          "averaged (none = the calibration's column background)",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_FILE (Settings, background_path, background,
              &gst_oct_background_file) },
      { "axis", "Axis", "What the samples are uniform in",
          GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, NULL,
          GST_OCT_ENUM (Settings, axis, get_axis_type, AXIS_AUTO) },
      GST_OCT_CALIBRATION_ROWS (Settings, calibration, GST_OCT_PROPERTY_LIVE),
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* Rows are those of all B-scans of a buffer, lines those of one. */
static void
set_lines_of_rows (const GstStructure *raw, GstStructure *spectra)
{
  gint rows, bscans;

  if (!gst_structure_has_field (raw, GST_OCT_BSCANS_FIELD))
    return;
  /* what does not go together is reported with a sentence when it is set */
  if (gst_structure_get_int (raw, "height", &rows)
      && gst_structure_get_int (raw, GST_OCT_BSCANS_FIELD, &bscans)
      && bscans >= 1)
    gst_structure_set (
        spectra, "lines", G_TYPE_INT, MAX (1, rows / bscans), NULL);
  else
    gst_structure_set (
        spectra, "lines", GST_TYPE_INT_RANGE, 1, (gint)OCT_MAX_LINES, NULL);
}

static void
append_spectra (
    AxisChoice axis, const GstStructure *from, gboolean raw, GstCaps *result)
{
  GstStructure *to = gst_structure_new (
      GST_OCT_SPECTRA_NAME, "format", G_TYPE_STRING, "F32LE", NULL);

  if (axis == AXIS_AUTO && !raw)
    gst_oct_structure_copy_field (from, "axis", to, "axis");
  else
    gst_structure_set (to, "axis", G_TYPE_STRING,
        axis == AXIS_WAVENUMBER ? "wavenumber" : "wavelength", NULL);
  gst_oct_structure_copy_field (from, raw ? "width" : "samples", to, "samples");
  gst_oct_structure_copy_field (from, raw ? "height" : "lines", to, "lines");
  if (raw)
    set_lines_of_rows (from, to);
  gst_oct_structure_copy_field (
      from, GST_OCT_BSCANS_FIELD, to, GST_OCT_BSCANS_FIELD);
  gst_oct_structure_copy_field (from, "framerate", to, "framerate");
  gst_caps_append_structure (result, to);
}

/* Raw spectra for `from`: as many rows as A-lines, or those of several B-scans.
 */
static void
append_raw (const GstStructure *from, GstCaps *result)
{
  GstStructure *one = gst_oct_video_structure (
      "{ GRAY16_LE, GRAY8 }", from, "samples", "lines");
  GstStructure *several;
  gint lines, bscans = 0;

  if (!gst_structure_get_int (from, "lines", &lines)) {
    gst_oct_structure_copy_field (
        from, GST_OCT_BSCANS_FIELD, one, GST_OCT_BSCANS_FIELD);
    gst_caps_append_structure (result, one);
    return;
  }
  if (gst_structure_has_field (from, GST_OCT_BSCANS_FIELD)
      && (!gst_structure_get_int (from, GST_OCT_BSCANS_FIELD, &bscans)
          || bscans > 1))
    gst_structure_free (one);
  else
    gst_caps_append_structure (result, one);
  if (bscans == 1)
    return;
  several = gst_oct_video_structure (
      "{ GRAY16_LE, GRAY8 }", from, "samples", "height");
  gst_structure_set (several, "height", GST_TYPE_INT_RANGE, 1,
      (gint)OCT_MAX_LINES, GST_OCT_BSCANS_FIELD, GST_TYPE_INT_RANGE, 2,
      (gint)OCT_MAX_LINES, NULL);
  if (bscans > 1)
    gst_structure_set (several, "height", G_TYPE_INT,
        (gint)MIN ((gint64)lines * bscans, G_MAXINT), GST_OCT_BSCANS_FIELD,
        G_TYPE_INT, bscans, NULL);
  gst_caps_append_structure (result, several);
}

static void
transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;
  GstStructure *spectra;

  if (direction == GST_PAD_SINK) {
    append_spectra (settings->axis, from,
        gst_structure_has_name (from, "video/x-raw"), result);
    return;
  }
  append_raw (from, result);
  spectra = gst_structure_copy (from);
  if (settings->axis != AXIS_AUTO)
    gst_structure_remove_field (spectra, "axis");
  gst_caps_append_structure (result, spectra);
}

/* An own calibration takes the place of the one from upstream for every
 * element behind this one, until it is taken away (NULL). */
static void
send_calibration (GstOctDcSub *self, OctCalibration *own)
{
  g_autoptr (OctCalibration) upstream = NULL;

  if (own == self->sent)
    return;
  g_clear_pointer (&self->sent, oct_calibration_unref);
  if (own != NULL)
    self->sent = oct_calibration_ref (own);
  else
    own = upstream =
        gst_oct_filter_ref_upstream_calibration (GST_OCT_FILTER (self));
  if (own != NULL)
    gst_pad_push_event (
        GST_BASE_TRANSFORM_SRC_PAD (self), gst_oct_calibration_event_new (own));
}

/* [samples] what mode=background removes; NULL with an error. */
static const double *
get_background (const Settings *settings, const OctCalibration *calibration,
    const GstOctInfo *input, GError **error)
{
  const double *given =
      calibration != NULL ? oct_calibration_get_background (calibration) : NULL;

  if (settings->background != NULL)
    return gst_oct_background_read (
        settings->background, input->format, input->columns, error);
  if (given == NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "mode=background needs a stored spectrum and there is none; set "
        "`background` to a file of spectra, or use a calibration with a column "
        "background.");
  return given;
}

static gboolean
configure (GstOctFilter *filter, gconstpointer data, GstOctPurpose purpose,
    GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctBackgroundParams params = { .format = input->format,
    .samples = input->columns,
    .lines = input->rows,
    .bscans = input->bscans,
    .mode = settings->mode,
    .running_weight = settings->running_weight };
  gboolean own = !oct_calibration_settings_empty (&settings->calibration);
  g_autoptr (OctCalibration) calibration = NULL;

  if (own || params.mode == OCT_BACKGROUND_STORED) {
    GError *local = NULL;

    calibration = gst_oct_filter_ref_calibration (
        filter, &settings->calibration, input->columns, &local);
    if (local != NULL) {
      g_propagate_error (error, local);
      return FALSE;
    }
  }
  if (params.mode == OCT_BACKGROUND_STORED) {
    params.background = get_background (settings, calibration, input, error);
    if (params.background == NULL)
      return FALSE;
  }
  if (!gst_oct_filter_set_plan (
          filter, OCT_OPERATION_BACKGROUND, &params, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE)
    send_calibration (GST_OCT_DCSUB (filter), own ? calibration : NULL);
  return TRUE;
}

static gboolean
has_own_calibration (GstOctFilter *filter)
{
  g_autoptr (GstOctSettings) settings =
      gst_oct_choice_ref (gst_oct_filter_get_choice (filter));
  const Settings *used = gst_oct_settings_get (settings);

  return !oct_calibration_settings_empty (&used->calibration);
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  /* an event that makes no calibration is reported by the base class */
  g_autoptr (OctCalibration) calibration =
      gst_oct_calibration_event_parse (&event, NULL);

  if (calibration != NULL && has_own_calibration (GST_OCT_FILTER (trans))) {
    GST_DEBUG_OBJECT (trans, "own calibration wins over the one upstream");
    gst_oct_filter_set_upstream_calibration (
        GST_OCT_FILTER (trans), calibration);
    gst_event_unref (event);
    return TRUE;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dcsub_parent_class)
      ->sink_event (trans, event);
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstOctDcSub *self = GST_OCT_DCSUB (trans);

  g_clear_pointer (&self->sent, oct_calibration_unref);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dcsub_parent_class)->stop (trans);
}

static void
gst_oct_dcsub_class_init (GstOctDcSubClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_dcsub_debug, "octdcsub", 0, "OCT background removal");
  trans_class->sink_event = sink_event;
  trans_class->stop = stop;
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_BACKGROUND,
          .properties = &properties,
          .long_name = "OCT background removal",
          .description = "Converts raw spectra to float and removes the "
                         "spectrum of the source",
          .sink_caps = GST_OCT_CAPS_RAW
          "; " GST_OCT_CAPS_SPECTRA ("F32LE", "{ wavelength, wavenumber }"),
          .src_caps =
              GST_OCT_CAPS_SPECTRA ("F32LE", "{ wavelength, wavenumber }"),
          .gpu_sink_caps =
              GST_OCT_CAPS_SPECTRA ("F32LE", "{ wavelength, wavenumber }"),
          .uploads = TRUE });
}

static void
gst_oct_dcsub_init (GstOctDcSub *self)
{
}
