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

GST_DEBUG_CATEGORY_STATIC (gst_oct_dcsub_debug);
#define GST_CAT_DEFAULT gst_oct_dcsub_debug

#define DEFAULT_MODE OCT_BACKGROUND_BSCAN
#define DEFAULT_RUNNING_WEIGHT 0.1
#define DEFAULT_AXIS AXIS_AUTO

typedef enum { AXIS_AUTO, AXIS_WAVELENGTH, AXIS_WAVENUMBER } AxisChoice;

struct _GstOctDcSub {
  GstOctFilter parent;

  /* properties, under the object lock */
  OctBackgroundMode mode;
  double running_weight;
  GstOctBackgroundFile background;
  AxisChoice axis;

  /* streaming thread: the own calibration that was sent downstream */
  OctCalibration *sent;
};

enum { PROP_0, PROP_MODE, PROP_RUNNING_WEIGHT, PROP_BACKGROUND, PROP_AXIS };

G_DEFINE_TYPE (GstOctDcSub, gst_oct_dcsub, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (
    octdcsub, "octdcsub", GST_RANK_NONE, GST_TYPE_OCT_DCSUB);

#define GST_TYPE_OCT_BACKGROUND_MODE (background_mode_get_type ())
static GType
background_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_BACKGROUND_BSCAN, "Mean spectrum of each B-scan", "bscan" },
    { OCT_BACKGROUND_RUNNING, "Exponential mean over the B-scans so far",
        "running" },
    { OCT_BACKGROUND_STORED, "Spectrum from `background` or the calibration",
        "background" },
    { OCT_BACKGROUND_NONE, "Nothing is removed", "none" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctBackgroundMode", values));
  return type;
}

#define GST_TYPE_OCT_AXIS (axis_get_type ())
static GType
axis_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { AXIS_AUTO, "As the caps say; camera data: wavelength", "auto" },
    { AXIS_WAVELENGTH, "To be resampled by the calibration", "wavelength" },
    { AXIS_WAVENUMBER, "Already uniform in wavenumber (k-clocked source)",
        "wavenumber" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctAxis", values));
  return type;
}

static void
append_spectra (
    GstOctDcSub *self, const GstStructure *from, gboolean raw, GstCaps *result)
{
  GstStructure *to = gst_structure_new (
      GST_OCT_SPECTRA_NAME, "format", G_TYPE_STRING, "F32LE", NULL);
  AxisChoice axis;

  GST_OBJECT_LOCK (self);
  axis = self->axis;
  GST_OBJECT_UNLOCK (self);
  if (axis == AXIS_AUTO && !raw)
    gst_oct_structure_copy_field (from, "axis", to, "axis");
  else
    gst_structure_set (to, "axis", G_TYPE_STRING,
        axis == AXIS_WAVENUMBER ? "wavenumber" : "wavelength", NULL);
  gst_oct_structure_copy_field (from, raw ? "width" : "samples", to, "samples");
  gst_oct_structure_copy_field (from, raw ? "height" : "lines", to, "lines");
  gst_oct_structure_copy_field (from, "framerate", to, "framerate");
  gst_caps_append_structure (result, to);
}

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  GstOctDcSub *self = GST_OCT_DCSUB (filter);
  GstStructure *spectra;

  if (direction == GST_PAD_SINK) {
    append_spectra (
        self, from, gst_structure_has_name (from, "video/x-raw"), result);
    return;
  }
  gst_caps_append_structure (
      result, gst_oct_video_structure (
                  "{ GRAY16_LE, GRAY8 }", from, "samples", "lines"));
  spectra = gst_structure_copy (from);
  GST_OBJECT_LOCK (self);
  if (self->axis != AXIS_AUTO)
    gst_structure_remove_field (spectra, "axis");
  GST_OBJECT_UNLOCK (self);
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
get_background (GstOctDcSub *self, const OctCalibration *calibration,
    const GstOctInfo *input, GError **error)
{
  const double *given =
      calibration != NULL ? oct_calibration_get_background (calibration) : NULL;
  g_autofree char *file = NULL;
  guint generation;

  GST_OBJECT_LOCK (self);
  file = g_strdup (self->background.path);
  generation = self->background.generation;
  GST_OBJECT_UNLOCK (self);
  if (file != NULL)
    return gst_oct_background_file_read (&self->background, file, generation,
        input->format, input->columns, error);
  if (given == NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "mode=background needs a stored spectrum and there is none; set "
        "`background` to a file of spectra, or use a calibration with a column "
        "background.");
  return given;
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctDcSub *self = GST_OCT_DCSUB (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctBackgroundParams params = {
    .format = input->format, .samples = input->columns, .lines = input->rows
  };
  gboolean own = gst_oct_filter_has_own_calibration (filter);
  g_autoptr (OctCalibration) calibration = NULL;

  GST_OBJECT_LOCK (self);
  params.mode = self->mode;
  params.running_weight = self->running_weight;
  GST_OBJECT_UNLOCK (self);

  if (own || params.mode == OCT_BACKGROUND_STORED) {
    GError *local = NULL;

    calibration =
        gst_oct_filter_ref_calibration (filter, input->columns, &local);
    if (local != NULL) {
      g_propagate_error (error, local);
      return FALSE;
    }
  }
  send_calibration (self, own ? calibration : NULL);
  if (params.mode == OCT_BACKGROUND_STORED) {
    params.background = get_background (self, calibration, input, error);
    if (params.background == NULL)
      return FALSE;
  }
  return gst_oct_filter_set_plan (filter, &params, error);
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  /* an event that makes no calibration is reported by the base class */
  g_autoptr (OctCalibration) calibration =
      gst_oct_calibration_event_parse (&event, NULL);

  if (calibration != NULL
      && gst_oct_filter_has_own_calibration (GST_OCT_FILTER (trans))) {
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
  gst_oct_background_file_forget (&self->background);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_dcsub_parent_class)->stop (trans);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctDcSub *self = GST_OCT_DCSUB (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_MODE:
    self->mode = g_value_get_enum (value);
    break;
  case PROP_RUNNING_WEIGHT:
    self->running_weight = g_value_get_double (value);
    break;
  case PROP_BACKGROUND:
    gst_oct_background_file_set (&self->background, g_value_get_string (value));
    break;
  case PROP_AXIS:
    self->axis = g_value_get_enum (value);
    break;
  default:
    GST_OBJECT_UNLOCK (self);
    gst_oct_filter_set_calibration_property (
        GST_OCT_FILTER (self), id, value, pspec);
    return;
  }
  GST_OBJECT_UNLOCK (self);
  gst_oct_filter_property_changed (GST_OCT_FILTER (self), id == PROP_AXIS);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctDcSub *self = GST_OCT_DCSUB (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_MODE:
    g_value_set_enum (value, self->mode);
    break;
  case PROP_RUNNING_WEIGHT:
    g_value_set_double (value, self->running_weight);
    break;
  case PROP_BACKGROUND:
    g_value_set_string (value, self->background.path);
    break;
  case PROP_AXIS:
    g_value_set_enum (value, self->axis);
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
  gst_oct_background_file_clear (&GST_OCT_DCSUB (object)->background);
  G_OBJECT_CLASS (gst_oct_dcsub_parent_class)->finalize (object);
}

static void
gst_oct_dcsub_class_init (GstOctDcSubClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);
  GParamFlags live =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_dcsub_debug, "octdcsub", 0, "OCT background removal");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  trans_class->sink_event = sink_event;
  trans_class->stop = stop;
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  g_object_class_install_property (object_class, PROP_MODE,
      g_param_spec_enum ("mode", "Mode", "Which spectrum to remove",
          GST_TYPE_OCT_BACKGROUND_MODE, DEFAULT_MODE, live));
  g_object_class_install_property (object_class, PROP_RUNNING_WEIGHT,
      g_param_spec_double ("running-weight", "Running weight",
          "mode=running: weight of the newest B-scan in the mean, "
          "dimensionless",
          1e-6, 1.0, DEFAULT_RUNNING_WEIGHT, live));
  g_object_class_install_property (object_class, PROP_BACKGROUND,
      g_param_spec_string ("background", "Background file",
          "mode=background: .npy or raw file of one or more spectra in counts, "
          "averaged (none = the calibration's column background)",
          NULL, live));
  g_object_class_install_property (object_class, PROP_AXIS,
      g_param_spec_enum ("axis", "Axis", "What the samples are uniform in",
          GST_TYPE_OCT_AXIS, DEFAULT_AXIS, live));
  gst_oct_calibration_install_properties (object_class, TRUE);
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_BACKGROUND,
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
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_BACKGROUND_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_AXIS, 0);
}

static void
gst_oct_dcsub_init (GstOctDcSub *self)
{
  self->mode = DEFAULT_MODE;
  self->running_weight = DEFAULT_RUNNING_WEIGHT;
  self->axis = DEFAULT_AXIS;
}
