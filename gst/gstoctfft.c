/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octfft
 *
 * Transforms spectra that are uniform in wavenumber into A-scans: window, FFT,
 * and the depths asked for.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample ! octfft window=hann depth-bins=512 ! octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctfft.h"
#include "oct-window.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_fft_debug);
#define GST_CAT_DEFAULT gst_oct_fft_debug

#define DEFAULT_WINDOW OCT_WINDOW_HANN
#define DEFAULT_LENGTH 0
#define DEFAULT_DEPTH_START 0
#define DEFAULT_DEPTH_BINS 0

struct _GstOctFFT {
  GstOctFilter parent;

  /* properties, under the object lock */
  OctWindow window;
  guint length, depth_start, depth_bins;
};

enum {
  PROP_0,
  PROP_WINDOW,
  PROP_LENGTH,
  PROP_DEPTH_START,
  PROP_DEPTH_BINS,
};

G_DEFINE_TYPE (GstOctFFT, gst_oct_fft, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (
    octfft, "octfft", GST_RANK_NONE, GST_TYPE_OCT_FFT);

#define GST_TYPE_OCT_WINDOW (window_get_type ())
static GType
window_get_type (void)
{
  static gsize type = 0;
  static GEnumValue values[OCT_N_WINDOWS + 1];

  if (g_once_init_enter (&type)) {
    guint i;

    for (i = 0; i < OCT_N_WINDOWS; i++) {
      values[i].value = i;
      values[i].value_name = oct_windows[i].description;
      values[i].value_nick = oct_windows[i].nick;
    }
    g_once_init_leave (&type, g_enum_register_static ("GstOctWindow", values));
  }
  return type;
}

/* Depth bins delivered for spectra of `samples` samples, 0 when the properties
 * and the samples do not go together. */
static guint
count_depth_bins (GstOctFFT *self, guint samples)
{
  guint length, all;

  GST_OBJECT_LOCK (self);
  length = self->length != 0 ? self->length : samples;
  all = length / 2;
  if (length < samples || self->depth_start >= all
      || self->depth_bins > all - self->depth_start)
    all = 0;
  else if (self->depth_bins != 0)
    all = self->depth_bins;
  else
    all -= self->depth_start;
  GST_OBJECT_UNLOCK (self);
  return all;
}

static void
set_z_spacing (GstOctFFT *self, guint samples, GstStructure *ascans)
{
  g_autoptr (OctCalibration) calibration = gst_oct_filter_ref_calibration (
      GST_OCT_FILTER (self), samples, NULL);
  guint length;
  double z;

  if (calibration == NULL)
    return;
  GST_OBJECT_LOCK (self);
  length = self->length != 0 ? self->length : samples;
  GST_OBJECT_UNLOCK (self);
  z = oct_calibration_get_z_spacing (calibration, length);
  if (z > 0.0)
    gst_structure_set (ascans, "z-spacing", G_TYPE_DOUBLE, z, NULL);
}

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  GstOctFFT *self = GST_OCT_FFT (filter);
  GstStructure *to;
  gint samples;

  if (direction == GST_PAD_SRC) {
    to = gst_structure_from_string (
        GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavenumber"), NULL);
  } else {
    to = gst_structure_from_string (GST_OCT_CAPS_ASCANS, NULL);
    if (gst_structure_get_int (from, "samples", &samples)) {
      guint bins = count_depth_bins (self, samples);

      /* Sizes that do not go together are reported with a sentence when the
       * first B-scan comes; here there is none to report with. */
      gst_structure_set (
          to, "samples", G_TYPE_INT, (gint) MAX (bins, 1), NULL);
      set_z_spacing (self, samples, to);
    }
  }
  gst_oct_structure_copy_field (from, "lines", to, "lines");
  gst_oct_structure_copy_field (from, "framerate", to, "framerate");
  gst_caps_append_structure (result, to);
}

static gboolean
check_depths (GstOctFFT *self, const GstOctInfo *input, OctFftParams *params,
    GError **error)
{
  guint all = params->length / 2;

  if (params->length < input->columns) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`length` of octfft is %u, but the spectra have %u samples; set 0 or a "
        "value that is not smaller.",
        params->length, input->columns);
    return FALSE;
  }
  if (params->depth_start >= all
      || params->depth_bins > all - params->depth_start) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The depth bins asked of octfft (depth-start=%u, depth-bins=%u) are "
        "not within the %u that a transform of length %u has; set smaller "
        "ones.",
        params->depth_start, params->depth_bins, all, params->length);
    return FALSE;
  }
  return TRUE;
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctFFT *self = GST_OCT_FFT (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  const GstOctInfo *output = gst_oct_filter_get_output (filter);
  OctFftParams params = { .format = input->format,
    .samples = input->columns,
    .lines = input->rows };
  g_autofree double *window = g_new (double, input->columns);
  OctWindow kind;

  GST_OBJECT_LOCK (self);
  kind = self->window;
  params.length = self->length != 0 ? self->length : input->columns;
  params.depth_start = self->depth_start;
  params.depth_bins = self->depth_bins;
  GST_OBJECT_UNLOCK (self);
  if (!check_depths (self, input, &params, error))
    return FALSE;
  params.depth_bins = output->columns;
  oct_window_fill (kind, input->columns, NULL, window);
  params.window = window;
  return gst_oct_filter_set_plan (filter, &params, error);
}

static void
set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctFFT *self = GST_OCT_FFT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_WINDOW:
      self->window = g_value_get_enum (value);
      break;
    case PROP_LENGTH:
      self->length = g_value_get_uint (value);
      break;
    case PROP_DEPTH_START:
      self->depth_start = g_value_get_uint (value);
      break;
    case PROP_DEPTH_BINS:
      self->depth_bins = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
  gst_oct_filter_property_changed (GST_OCT_FILTER (self), id != PROP_WINDOW);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctFFT *self = GST_OCT_FFT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_WINDOW:
      g_value_set_enum (value, self->window);
      break;
    case PROP_LENGTH:
      g_value_set_uint (value, self->length);
      break;
    case PROP_DEPTH_START:
      g_value_set_uint (value, self->depth_start);
      break;
    case PROP_DEPTH_BINS:
      g_value_set_uint (value, self->depth_bins);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_size (GObjectClass *klass, guint id, const char *name,
    const char *nick, const char *blurb, guint value)
{
  g_object_class_install_property (klass, id,
      g_param_spec_uint (name, nick, blurb, 0, OCT_MAX_SAMPLES, value,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
}

static void
gst_oct_fft_class_init (GstOctFFTClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_fft_debug, "octfft", 0, "OCT Fourier transform");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  g_object_class_install_property (object_class, PROP_WINDOW,
      g_param_spec_enum ("window", "Window",
          "Window along the wavenumber axis, scaled to unit mean square",
          GST_TYPE_OCT_WINDOW, DEFAULT_WINDOW,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  install_size (object_class, PROP_LENGTH, "length", "Length",
      "Samples of the transform, filled up with zeros (0 = those of the "
      "spectra)",
      DEFAULT_LENGTH);
  install_size (object_class, PROP_DEPTH_START, "depth-start", "First depth",
      "First depth bin to deliver", DEFAULT_DEPTH_START);
  install_size (object_class, PROP_DEPTH_BINS, "depth-bins", "Depth bins",
      "Number of depth bins to deliver (0 = all up to length / 2)",
      DEFAULT_DEPTH_BINS);
  gst_oct_filter_class_describe (filter_class, OCT_OPERATION_FFT,
      "OCT Fourier transform",
      "Transforms spectra uniform in wavenumber into A-scans",
      GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavenumber"),
      GST_OCT_CAPS_ASCANS);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_WINDOW, 0);
}

static void
gst_oct_fft_init (GstOctFFT *self)
{
  self->window = DEFAULT_WINDOW;
}
