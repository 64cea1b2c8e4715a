/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octfft
 *
 * Transforms spectra that are uniform in wavenumber into A-scans: window, FFT,
 * and the depths asked for.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample ! octfft
 * window=hann depth-bins=512 ! octlogscale ! videoconvert ! autovideosink
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

typedef struct {
  guint length, start, bins;
} GstOctDepths;

struct _GstOctFFT {
  GstOctFilter parent;

  /* under the object lock */
  OctWindow window;
  GstOctDepths wanted;   /* the properties */
  GstOctDepths in_force; /* of the last plan, every 0 replaced; bins 0: none */
};

enum {
  PROP_0,
  PROP_WINDOW,
  PROP_LENGTH,
  PROP_DEPTH_START,
  PROP_DEPTH_BINS,
};

G_DEFINE_TYPE (GstOctFFT, gst_oct_fft, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (octfft, "octfft", GST_RANK_NONE, GST_TYPE_OCT_FFT);

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

static gboolean
depths_fit (const GstOctDepths *depths, guint samples)
{
  guint all = depths->length / 2;

  return depths->length >= samples && depths->start < all
         && depths->bins <= all - depths->start;
}

/* The transform for spectra of `samples` samples, every 0 replaced.  length,
 * depth-start and depth-bins are set one after the other while the picture is
 * live: until they go together again, what was in force stays.  FALSE when they
 * do not and nothing was; then `depths` is what was asked for. */
static gboolean
choose_depths (GstOctFFT *self, guint samples, GstOctDepths *depths)
{
  gboolean fit;

  GST_OBJECT_LOCK (self);
  *depths = self->wanted;
  if (depths->length == 0)
    depths->length = samples;
  fit = depths_fit (depths, samples);
  if (fit && depths->bins == 0)
    depths->bins = depths->length / 2 - depths->start;
  if (!fit && self->in_force.bins != 0
      && depths_fit (&self->in_force, samples)) {
    *depths = self->in_force;
    fit = TRUE;
  }
  GST_OBJECT_UNLOCK (self);
  return fit;
}

static void
set_z_spacing (
    GstOctFFT *self, guint samples, guint length, GstStructure *ascans)
{
  g_autoptr (OctCalibration) calibration =
      gst_oct_filter_ref_calibration (GST_OCT_FILTER (self), samples, NULL);
  double z = calibration != NULL
                 ? oct_calibration_get_z_spacing (calibration, length)
                 : 0.0;

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
      GstOctDepths depths;

      /* Sizes that do not go together are reported with a sentence when the
       * first B-scan comes; here there is none to report with. */
      if (!choose_depths (self, samples, &depths))
        depths.bins = 1;
      gst_structure_set (to, "samples", G_TYPE_INT, (gint)depths.bins, NULL);
      set_z_spacing (self, samples, depths.length, to);
    }
  }
  gst_oct_structure_copy_field (from, "lines", to, "lines");
  gst_oct_structure_copy_field (from, "framerate", to, "framerate");
  gst_caps_append_structure (result, to);
}

static void
set_depths_error (const GstOctDepths *depths, guint samples, GError **error)
{
  if (depths->length < samples)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`length` of octfft is %u, but the spectra have %u samples; set 0 or a "
        "value that is not smaller.",
        depths->length, samples);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The depth bins asked of octfft (depth-start=%u, depth-bins=%u) are "
        "not within the %u that a transform of length %u has; set smaller "
        "ones.",
        depths->start, depths->bins, depths->length / 2, depths->length);
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctFFT *self = GST_OCT_FFT (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  const GstOctInfo *output = gst_oct_filter_get_output (filter);
  OctFftParams params = {
    .format = input->format, .samples = input->columns, .lines = input->rows
  };
  g_autofree double *window = g_new (double, input->columns);
  GstOctDepths depths;
  OctWindow kind;

  if (!choose_depths (self, input->columns, &depths)) {
    set_depths_error (&depths, input->columns, error);
    return FALSE;
  }
  /* set between the negotiation and this B-scan: caps for it will come */
  if (depths.bins != output->columns && gst_oct_filter_has_plan (filter))
    return TRUE;
  GST_OBJECT_LOCK (self);
  kind = self->window;
  self->in_force = depths;
  GST_OBJECT_UNLOCK (self);
  params.length = depths.length;
  params.depth_start = depths.start;
  params.depth_bins = output->columns;
  oct_window_fill (kind, input->columns, NULL, window);
  params.window = window;
  return gst_oct_filter_set_plan (filter, &params, error);
}

static gboolean
stop (GstBaseTransform *trans)
{
  GST_OCT_FFT (trans)->in_force.bins = 0;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_fft_parent_class)->stop (trans);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctFFT *self = GST_OCT_FFT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_WINDOW:
    self->window = g_value_get_enum (value);
    break;
  case PROP_LENGTH:
    self->wanted.length = g_value_get_uint (value);
    break;
  case PROP_DEPTH_START:
    self->wanted.start = g_value_get_uint (value);
    break;
  case PROP_DEPTH_BINS:
    self->wanted.bins = g_value_get_uint (value);
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
    g_value_set_uint (value, self->wanted.length);
    break;
  case PROP_DEPTH_START:
    g_value_set_uint (value, self->wanted.start);
    break;
  case PROP_DEPTH_BINS:
    g_value_set_uint (value, self->wanted.bins);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_size (GObjectClass *klass, guint id, const char *name, const char *nick,
    const char *blurb, guint value)
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
  GST_BASE_TRANSFORM_CLASS (klass)->stop = stop;
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
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_FFT,
          .long_name = "OCT Fourier transform",
          .description =
              "Transforms spectra uniform in wavenumber into A-scans",
          .sink_caps = GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavenumber"),
          .src_caps = GST_OCT_CAPS_ASCANS });
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_WINDOW, 0);
}

static void
gst_oct_fft_init (GstOctFFT *self)
{
  self->window = DEFAULT_WINDOW;
}
