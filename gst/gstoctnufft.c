/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octnufft
 *
 * Transforms spectra into A-scans straight from the wavelengths that the
 * samples have, without resampling: by the non-uniform FFT, or exactly.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octdispersion ! octnufft !
 * octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctnufft.h"
#include "gstoctascans.h"
#include "gstoctgridding.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_nufft_debug);
#define GST_CAT_DEFAULT gst_oct_nufft_debug

typedef enum { METHOD_NUFFT, METHOD_NUDFT } GstOctNufftMethod;

struct _GstOctNUFFT {
  GstOctFilter parent;

  GstOctAScans ascans;
  GstOctGridding gridding;

  /* under the object lock */
  GstOctNufftMethod method;
  OctWeights weights;
  guint grid; /* of the last plan; 0: none, or no grid */
};

enum {
  PROP_0,
  PROP_METHOD,
  PROP_WEIGHTS,
  PROP_GRID_LENGTH,
};

G_DEFINE_TYPE (GstOctNUFFT, gst_oct_nufft, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (
    octnufft, "octnufft", GST_RANK_NONE, GST_TYPE_OCT_NUFFT);

#define GST_TYPE_OCT_NUFFT_METHOD (method_get_type ())
static GType
method_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { METHOD_NUFFT, "Gridding and FFT", "nufft" },
    { METHOD_NUDFT, "The exact sum, slow", "nudft" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctNufftMethod", values));
  return type;
}

#define GST_TYPE_OCT_WEIGHTS (weights_get_type ())
static GType
weights_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_WEIGHTS_PRECOMPUTED, "In double precision, once per calibration",
        "precomputed" },
    { OCT_WEIGHTS_ON_THE_FLY,
        "In single precision and fast, for calibrations that change with "
        "every B-scan",
        "on-the-fly" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctWeights", values));
  return type;
}

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  gst_oct_ascans_transform_structure (filter, &GST_OCT_NUFFT (filter)->ascans,
      direction, from, GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavelength"),
      result);
}

/* The caps tell the depths of the calibration. */
static void
prepare (GstOctFilter *filter, guint columns)
{
  OctCalibration *calibration =
      gst_oct_filter_ref_calibration (filter, columns, NULL);

  g_clear_pointer (&calibration, oct_calibration_unref);
}

/* What this element's own properties say. */
static OctOperation
fill_params (GstOctNUFFT *self, OctNufftParams *params)
{
  OctOperation operation;
  gboolean changed;
  guint grid;

  GST_OBJECT_LOCK (self);
  operation =
      self->method == METHOD_NUDFT ? OCT_OPERATION_NUDFT : OCT_OPERATION_NUFFT;
  params->kernel = self->gridding.kernel;
  params->weights = self->weights;
  params->width = self->gridding.width;
  params->grid =
      oct_nufft_grid_length (params->samples, self->gridding.oversampling);
  grid = self->method == METHOD_NUDFT ? 0 : oct_nufft_grid_of (params);
  changed = grid != self->grid;
  self->grid = grid;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    g_object_notify (G_OBJECT (self), "grid-length");
  return operation;
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctNUFFT *self = GST_OCT_NUFFT (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctNufftParams params = {
    .format = input->format, .samples = input->columns, .lines = input->rows
  };
  g_autofree double *window = g_new (double, input->columns);
  g_autoptr (OctCalibration) calibration = NULL;
  GstOctDepths depths;
  OctWindow kind;
  OctOperation operation;

  if (!gst_oct_ascans_configure (
          filter, &self->ascans, input->columns, &depths, &kind, error))
    return FALSE;
  if (depths.bins == 0)
    return TRUE;
  calibration = gst_oct_filter_ref_wavenumbers (
      filter, input->columns, "use octfft in place of octnufft and ", error);
  if (calibration == NULL)
    return FALSE;
  params.depth_start = (gint)depths.start;
  params.depth_bins = depths.bins;
  params.nodes = oct_calibration_get_nodes (calibration);
  oct_window_fill (kind, input->columns, params.nodes, window);
  params.window = window;
  operation = fill_params (self, &params);
  gst_oct_filter_set_operation (filter, operation);
  return gst_oct_filter_set_plan (filter, &params, error);
}

static gboolean
stop (GstBaseTransform *trans)
{
  GST_OCT_NUFFT (trans)->ascans.has_former = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_nufft_parent_class)->stop (trans);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctNUFFT *self = GST_OCT_NUFFT (object);
  GstOctFilter *filter = GST_OCT_FILTER (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_METHOD:
    self->method = g_value_get_enum (value);
    break;
  case PROP_WEIGHTS:
    self->weights = g_value_get_enum (value);
    break;
  default:
    GST_OBJECT_UNLOCK (self);
    if (!gst_oct_gridding_set_property (filter, &self->gridding, id, value)
        && !gst_oct_ascans_set_property (filter, &self->ascans, id, value))
      gst_oct_filter_set_calibration_property (filter, id, value, pspec);
    return;
  }
  GST_OBJECT_UNLOCK (self);
  gst_oct_filter_property_changed (filter, FALSE);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctNUFFT *self = GST_OCT_NUFFT (object);
  GstOctFilter *filter = GST_OCT_FILTER (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_METHOD:
    g_value_set_enum (value, self->method);
    break;
  case PROP_WEIGHTS:
    g_value_set_enum (value, self->weights);
    break;
  case PROP_GRID_LENGTH:
    g_value_set_uint (value, self->grid);
    break;
  default:
    GST_OBJECT_UNLOCK (self);
    if (!gst_oct_gridding_get_property (filter, &self->gridding, id, value)
        && !gst_oct_ascans_get_property (filter, &self->ascans, id, value))
      gst_oct_filter_get_calibration_property (filter, id, value, pspec);
    return;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_properties (GObjectClass *klass)
{
  GParamFlags live =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, PROP_METHOD,
      g_param_spec_enum ("method", "Method", "How the sums are computed",
          GST_TYPE_OCT_NUFFT_METHOD, METHOD_NUFFT, live));
  g_object_class_install_property (klass, PROP_WEIGHTS,
      g_param_spec_enum ("weights", "Weights",
          "How the weights of the kernel are computed (method=nufft)",
          GST_TYPE_OCT_WEIGHTS, OCT_WEIGHTS_PRECOMPUTED, live));
  g_object_class_install_property (klass, PROP_GRID_LENGTH,
      g_param_spec_uint ("grid-length", "Grid length",
          "Cells of the grid in use, which is the length of the FFT (0 = none "
          "yet, or method=nudft)",
          0, G_MAXUINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_oct_gridding_install_properties (klass, "method=nufft",
      "Cells of the grid per sample of real spectra, rounded up to an FFT "
      "length without large prime factors, see grid-length; complex spectra "
      "always have as many cells as samples");
  gst_oct_ascans_install_properties (klass, FALSE);
  gst_oct_calibration_install_properties (klass, FALSE);
}

static void
gst_oct_nufft_class_init (GstOctNUFFTClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_nufft_debug, "octnufft", 0, "OCT non-uniform Fourier transform");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  filter_class->transform_structure = transform_structure;
  filter_class->prepare = prepare;
  filter_class->configure = configure;
  GST_BASE_TRANSFORM_CLASS (klass)->stop = stop;
  install_properties (object_class);
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_NUFFT,
          .long_name = "OCT non-uniform Fourier transform",
          .description = "Transforms spectra into A-scans straight from the "
                         "wavelengths of their samples",
          .sink_caps = GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavelength"),
          .src_caps = GST_OCT_CAPS_ASCANS });
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_NUFFT_METHOD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_WEIGHTS, 0);
}

static void
gst_oct_nufft_init (GstOctNUFFT *self)
{
  gst_oct_gridding_init (&self->gridding);
}
