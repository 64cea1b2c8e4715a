/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octdcsub
 *
 * Converts raw counts into spectra and removes the spectrum of the source,
 * which would otherwise cover the first depths of the image.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample ! octfft
 *   ! octlogscale ! videoconvert ! autovideosink
 * ]|
 *
 * The action signal #GstOctDcSub::take-background stores the spectrum that is
 * to be removed.
 */
#include "gstoctdcsub.h"
#include "gstoctbus.h"
#include "gstoctphases.h"
#include "gstoctbackground.h"
#include "gstoctcuda.h"
#include "gstocthistory.h"
#include "gstoctrawcaps.h"
#include "gstoctmean.h"
#include "gstocttake.h"
#include "oct-number.h"
#include "oct-operation.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_dcsub_debug);
#define GST_CAT_DEFAULT gst_oct_dcsub_debug

typedef enum { AXIS_AUTO, AXIS_WAVELENGTH, AXIS_WAVENUMBER } AxisChoice;

typedef struct {
  OctBackgroundMode mode;
  double running_weight;
  guint high_pass_lines;
  char *background_path;
  GstOctBackground *background; /* NULL: no file */
  AxisChoice axis;
  OctCalibrationSettings calibration;
} Settings;

struct _GstOctDcSub {
  GstOctFilter parent;

  /* streaming thread: the own calibration that was sent downstream */
  OctCalibration *sent;

  GstOctTake *take;
  GstOctHistory history; /* of the values that it has set */
};

G_DEFINE_TYPE (GstOctDcSub, gst_oct_dcsub, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octdcsub, "octdcsub", GST_RANK_NONE, GST_TYPE_OCT_DCSUB);

/* The modes of oct-operation.c. */
static GType
dcsub_get_mode_type (void)
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
          GST_OCT_ENUM (
              Settings, mode, dcsub_get_mode_type, OCT_BACKGROUND_BSCAN) },
      { "running-weight", "Running weight",
          "mode=running: weight of the newest B-scan in the mean, "
          "dimensionless",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_DOUBLE (Settings, running_weight, 1e-6, 1.0, 0.1) },
      { "high-pass-lines", "High-pass A-lines",
          "mode=high-pass: number of A-lines, centred on each A-line, whose "
          "mean is removed; odd",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_UINT (Settings, high_pass_lines, 3, OCT_HIGH_PASS_MOST, 31) },
      { "background", "Background file",
          "mode=background and background-scaled: .npy or raw file of one or "
          "more spectra in counts, averaged (none = the calibration's column "
          "background)",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_FILE (Settings, background_path, background,
              &gst_oct_background_file) },
      { "background-spectrum", "Background spectrum",
          "mode=background and background-scaled: counts \"v0,v1,...\", one "
          "per sample, as the signal take-background finds them; a part of the "
          "calibration (none = as background says)",
          GST_OCT_PROPERTY_LIVE, "calibration",
          GST_OCT_STRING (Settings, calibration.background) },
      { "axis", "Axis", "Axis along which the samples are uniform",
          GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, NULL,
          GST_OCT_ENUM (Settings, axis, get_axis_type, AXIS_AUTO) },
      GST_OCT_CALIBRATION_ROWS (Settings, calibration, GST_OCT_PROPERTY_LIVE),
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

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
    gst_oct_raw_set_lines (from, to);
  gst_oct_structure_copy_field (
      from, GST_OCT_BSCANS_FIELD, to, GST_OCT_BSCANS_FIELD);
  gst_oct_structure_copy_scan (from, to);
  gst_caps_append_structure (result, to);
}

static void
gst_oct_dcsub_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;
  GstStructure *spectra;

  if (direction == GST_PAD_SINK) {
    append_spectra (settings->axis, from,
        gst_structure_has_name (from, "video/x-raw"), result);
    return;
  }
  gst_oct_raw_append (from, result);
  spectra = gst_structure_copy (from);
  if (settings->axis != AXIS_AUTO)
    gst_structure_remove_field (spectra, "axis");
  gst_caps_append_structure (result, spectra);
}

/* An own calibration takes the place of the one from upstream for every
 * downstream element, until it is removed (NULL). */
static void
dcsub_send_calibration (GstOctDcSub *self, OctCalibration *own)
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

/* The stored background [samples] that is removed; NULL with an error. */
static const double *
get_background (const Settings *settings, const OctCalibration *calibration,
    const GstOctInfo *input, GError **error)
{
  const double *given =
      calibration != NULL ? oct_calibration_get_background (calibration) : NULL;

  if (settings->background != NULL
      && (settings->calibration.background == NULL
          || *settings->calibration.background == '\0'))
    return gst_oct_background_read (
        settings->background, input->format, input->columns, error);
  if (given == NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "mode=%s needs a stored spectrum and there is none; set `background` "
        "to a file of spectra, or use a calibration with a column background.",
        oct_background_modes[settings->mode].nick);
  return given;
}

static const char *
gst_oct_dcsub_get_history (gconstpointer data, const char **instead)
{
  *instead = "set mode=bscan";
  return ((const Settings *)data)->mode == OCT_BACKGROUND_RUNNING
             ? "mode=running"
             : NULL;
}

static gboolean
gst_oct_dcsub_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctBackgroundParams params = { .format = input->format,
    .samples = input->columns,
    .lines = input->rows,
    .bscans = input->bscans,
    .mode = settings->mode,
    .running_weight = settings->running_weight,
    .high_pass_lines = settings->high_pass_lines };
  gboolean own = !oct_calibration_settings_empty (&settings->calibration);
  gboolean is_stored = oct_background_modes[params.mode].is_stored;
  g_autoptr (OctCalibration) calibration = NULL;

  if (own || is_stored) {
    GError *local = NULL;

    calibration = gst_oct_filter_ref_calibration (
        filter, &settings->calibration, input->columns, &local);
    if (local != NULL) {
      g_propagate_error (error, local);
      return FALSE;
    }
  }
  if (is_stored) {
    params.background = get_background (settings, calibration, input, error);
    if (params.background == NULL)
      return FALSE;
  }
  if (!gst_oct_filter_set_plan (
          filter, OCT_OPERATION_BACKGROUND, &params, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE)
    dcsub_send_calibration (GST_OCT_DCSUB (filter), own ? calibration : NULL);
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
gst_oct_dcsub_sink_event (GstBaseTransform *trans, GstEvent *event)
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
dcsub_answer_phases (GstOctChoice *choice, GstQuery *query)
{
  g_autoptr (GstOctSettings) used = gst_oct_choice_ref (choice);
  const Settings *settings = gst_oct_settings_get (used);

  return gst_oct_phases_answer (query, settings->mode);
}

/* A calibration that was set since the last B-scan is sent with the next
 * one. */
static gboolean
gst_oct_dcsub_query (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctChoice *choice = gst_oct_filter_get_choice (filter);
  g_autoptr (GstOctSettings) wanted = NULL, used = NULL;
  g_autoptr (OctCalibration) calibration = NULL;
  const Settings *settings;
  guint samples;

  if (direction == GST_PAD_SRC && dcsub_answer_phases (choice, query))
    return TRUE;
  if (direction != GST_PAD_SRC
      || !gst_oct_calibration_query_parse (query, &samples))
    return GST_BASE_TRANSFORM_CLASS (gst_oct_dcsub_parent_class)
        ->query (trans, direction, query);
  wanted = gst_oct_choice_ref_wanted (choice);
  settings = gst_oct_settings_get (wanted);
  calibration = gst_oct_filter_ref_calibration (
      filter, &settings->calibration, samples, NULL);
  if (calibration == NULL) { /* it does not fit: the previous one stays */
    used = gst_oct_choice_ref (choice);
    settings = gst_oct_settings_get (used);
    calibration = gst_oct_filter_ref_calibration (
        filter, &settings->calibration, samples, NULL);
  }
  if (calibration != NULL)
    gst_oct_calibration_query_answer (query, calibration);
  return calibration != NULL;
}

static gboolean
gst_oct_dcsub_stop (GstBaseTransform *trans)
{
  GstOctDcSub *self = GST_OCT_DCSUB (trans);

  gst_oct_take_stop (self->take);
  g_clear_pointer (&self->sent, oct_calibration_unref);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dcsub_parent_class)->stop (trans);
}

/* ---------------------------------------------------------- take-background */

static char *
format_spectrum (const double *values, guint n)
{
  GString *text = g_string_sized_new (10 * (gsize)n);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append_c (text, ',');
    g_string_append (
        text, g_ascii_formatd (number, sizeof number, "%.7g", values[i]));
  }
  return g_string_free (text, FALSE);
}

/* Takes `more` (or NULL) and `text`. */
static void
post_background (
    GstOctDcSub *self, const char *result, GstStructure *more, char *text)
{
  GstStructure *s = more != NULL ? more : gst_structure_new_empty ("more");

  GST_INFO_OBJECT (self, "%s", text);
  gst_structure_set_name (s, "oct-background");
  gst_structure_set (
      s, "result", G_TYPE_STRING, result, "text", G_TYPE_STRING, text, NULL);
  g_free (text);
  gst_oct_bus_post (GST_ELEMENT (self), s);
}

/* The spectrum is of use in the modes of stored ones alone: another one becomes
 * the one that suits a source as it is. */
static OctBackgroundMode
dcsub_choose_mode (OctBackgroundMode mode)
{
  return oct_background_modes[mode].is_stored ? mode
                                              : OCT_BACKGROUND_STORED_SCALED;
}

/* `done` of the GstOctTakeKind. */
static void
dcsub_take_done (GstElement *element, gconstpointer result, const GError *error)
{
  const GstOctMean *mean = result;
  GstOctDcSub *self = GST_OCT_DCSUB (element);
  g_autofree char *text = NULL, *former = NULL, *count = NULL;
  const char *nick, *former_nick;
  OctBackgroundMode mode;

  if (mean == NULL) {
    post_background (self, "failed", NULL,
        g_strconcat (error->message,
            g_str_has_suffix (error->message, ".") ? NULL : ".", NULL));
    return;
  }
  g_object_get (self, "background-spectrum", &former, "mode", &mode, NULL);
  former_nick = oct_background_modes[mode].nick;
  mode = dcsub_choose_mode (mode);
  nick = oct_background_modes[mode].nick;
  text = format_spectrum (mean->values, mean->samples);
  count = oct_number_count (mean->lines, "A-line");
  gst_oct_history_push (&self->history, element,
      gst_structure_new ("former", "background-spectrum", G_TYPE_STRING, former,
          "mode", G_TYPE_STRING, former_nick, NULL));
  g_object_set (self, "background-spectrum", text, "mode", mode, NULL);
  post_background (self, "changed",
      gst_structure_new ("more", "background-spectrum", G_TYPE_STRING, text,
          "mode", G_TYPE_STRING, nick, "former-background-spectrum",
          G_TYPE_STRING, former, "former-mode", G_TYPE_STRING, former_nick,
          "lines", G_TYPE_UINT, mean->lines, NULL),
      g_strdup_printf (
          "Background taken: the mean of %s, removed with mode=%s.", count,
          nick));
}

static const GstOctTakeKind dcsub_take_kind = { "oct-background",
  GST_OCT_MEAN_LINES, gst_oct_mean_find, gst_oct_mean_free, dcsub_take_done };

static gboolean
dcsub_take_background (GstOctDcSub *self, guint bscans)
{
  return gst_oct_take_begin (self->take, bscans);
}

static gboolean
undo_background (GstOctDcSub *self)
{
  GstStructure *undone =
      gst_oct_history_undo (&self->history, GST_ELEMENT (self));

  if (undone == NULL)
    return FALSE;
  post_background (self, "undone", undone,
      g_strdup_printf ("Back to mode=%s and the background of before.",
          gst_structure_get_string (undone, "mode")));
  return TRUE;
}

/* In the streaming thread. */
static GstFlowReturn
gst_oct_dcsub_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctDcSub *self = GST_OCT_DCSUB (trans);
  const GstOctInfo *info = gst_oct_filter_get_input (GST_OCT_FILTER (self));
  g_autoptr (GstCaps) caps = NULL;

  if (gst_oct_take_wants (self->take) && info->columns > 0) {
    caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (trans));
    gst_oct_take_add (self->take, buffer, info,
        caps != NULL && gst_oct_caps_is_on_gpu (caps), NULL);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dcsub_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static void
gst_oct_dcsub_finalize (GObject *object)
{
  gst_oct_take_free (GST_OCT_DCSUB (object)->take);
  gst_oct_history_clear (&GST_OCT_DCSUB (object)->history);
  G_OBJECT_CLASS (gst_oct_dcsub_parent_class)->finalize (object);
}

static void
dcsub_add_signals (GType type)
{
  /**
   * GstOctDcSub::take-background:
   * @bscans: how many B-scans, 1 to 100
   *
   * Stores the mean of the next B-scans, as they come in, as
   * background-spectrum, for the B-scans after them; a mode that has no stored
   * spectrum becomes background-scaled.  The element message "oct-background"
   * says what came of it.
   *
   * Returns: %FALSE when that is under way already
   */
  g_signal_new_class_handler ("take-background", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (dcsub_take_background),
      NULL, NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT);
  /**
   * GstOctDcSub::undo-background:
   *
   * Sets background-spectrum and mode of before the last take-background; once
   * more, those of before the one before.
   *
   * Returns: %FALSE when there was none
   */
  g_signal_new_class_handler ("undo-background", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (undo_background), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 0);
}

static void
gst_oct_dcsub_class_init (GstOctDcSubClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_dcsub_debug, "octdcsub", 0, "OCT background removal");
  trans_class->sink_event = gst_oct_dcsub_sink_event;
  trans_class->query = gst_oct_dcsub_query;
  trans_class->stop = gst_oct_dcsub_stop;
  trans_class->submit_input_buffer = gst_oct_dcsub_submit_input_buffer;
  G_OBJECT_CLASS (klass)->finalize = gst_oct_dcsub_finalize;
  dcsub_add_signals (G_TYPE_FROM_CLASS (klass));
  filter_class->transform_structure = gst_oct_dcsub_transform_structure;
  filter_class->configure = gst_oct_dcsub_configure;
  filter_class->get_history = gst_oct_dcsub_get_history;
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
  self->take = gst_oct_take_new (GST_ELEMENT (self), &dcsub_take_kind);
}
