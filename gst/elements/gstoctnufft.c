/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octnufft
 *
 * Transforms spectra into A-scans directly from samples at non-uniform
 * wavenumbers, by the non-uniform FFT or exactly. It takes the place of
 * octkresample and octfft. As nothing is interpolated, sensitivity is not lost
 * with depth, and reflections have no shoulders beside them.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octdispersion
 *   ! octnufft ! octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctnufft.h"
#include "gstoctbus.h"
#include "gstoctascans.h"
#include "gstoctgridding.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_nufft_debug);
#define GST_CAT_DEFAULT gst_oct_nufft_debug

typedef enum { METHOD_NUFFT, METHOD_NUDFT } GstOctNufftMethod;

typedef struct {
  GstOctAScans ascans;
  GstOctGridding gridding;
  GstOctNufftMethod method;
  OctWeights weights;
  OctCalibrationSettings calibration;
  guint grid; /* of the last plan; 0: none, or no grid */
} Settings;

struct _GstOctNUFFT {
  GstOctFilter parent;
};

G_DEFINE_TYPE (GstOctNUFFT, gst_oct_nufft, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octnufft, "octnufft", GST_RANK_NONE, GST_TYPE_OCT_NUFFT);

static const GEnumValue methods[] = {
  { METHOD_NUFFT, "Gridding and FFT", "nufft" },
  { METHOD_NUDFT, "The exact sum, slow", "nudft" },
  { 0, NULL, NULL },
};

static const GEnumValue weights[] = {
  { OCT_WEIGHTS_PRECOMPUTED, "In double precision, once per calibration",
      "precomputed" },
  { OCT_WEIGHTS_ON_THE_FLY,
      "In single precision and fast, for calibrations that change with "
      "every B-scan",
      "on-the-fly" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (octnufft_get_method_type, "GstOctNufftMethod",
    methods) static GST_OCT_DEFINE_ENUM (get_weights_type, "GstOctWeights",
    weights)

    static const GstOctProperty rows[] = {
      { "method", "Method", "Algorithm of the transform", GST_OCT_PROPERTY_LIVE,
          NULL,
          GST_OCT_ENUM (
              Settings, method, octnufft_get_method_type, METHOD_NUFFT) },
      { "weights", "Weights",
          "How the weights of the kernel are computed (method=nufft)",
          GST_OCT_PROPERTY_LIVE, NULL,
          GST_OCT_ENUM (
              Settings, weights, get_weights_type, OCT_WEIGHTS_PRECOMPUTED) },
      { "grid-length", "Grid length",
          "Cells of the grid in use, which is the length of the FFT (0 = none "
          "yet, or method=nudft)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_UINT (Settings, grid, 0, G_MAXUINT, 0) },
      GST_OCT_GRIDDING_ROWS (Settings, gridding, "method=nufft",
          "Cells of the grid per sample of real spectra, rounded up to an FFT "
          "length without large prime factors, see grid-length; complex "
          "spectra "
          "always have as many cells as samples"),
      GST_OCT_ASCANS_ROWS (Settings, ascans, "half the samples"),
      GST_OCT_CALIBRATION_AXIS_ROWS (
          Settings, calibration, GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS),
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static void
gst_oct_nufft_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;

  gst_oct_ascans_transform_structure (filter, &settings->ascans,
      &settings->calibration, direction, from,
      GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavelength"), result);
}

static gboolean
gst_oct_nufft_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  gboolean exact = settings->method == METHOD_NUDFT;
  OctNufftParams params = { .format = input->format,
    .samples = input->columns,
    .lines = input->rows,
    .kernel = settings->gridding.kernel,
    .weights = settings->weights,
    .width = settings->gridding.width,
    .grid = oct_nufft_grid_length (
        input->columns, settings->gridding.oversampling) };
  g_autofree double *window = g_new (double, input->columns);
  g_autoptr (OctCalibration) calibration = NULL;
  GstOctDepths depths;
  guint grid;

  if (!gst_oct_ascans_resolve (
          filter, &settings->ascans, input->columns, purpose, &depths, error))
    return FALSE;
  calibration = gst_oct_filter_ref_wavenumbers (filter, &settings->calibration,
      input->columns, "use octfft in place of octnufft and ", error);
  if (calibration == NULL)
    return FALSE;
  params.depth_start = (gint)depths.start;
  params.depth_bins = depths.bins;
  params.nodes = oct_calibration_get_nodes (calibration);
  oct_window_fill (
      settings->ascans.window, input->columns, params.nodes, window);
  params.window = window;
  if (!gst_oct_filter_set_plan (filter,
          exact ? OCT_OPERATION_NUDFT : OCT_OPERATION_NUFFT, &params, error))
    return FALSE;
  grid = exact ? 0 : oct_nufft_grid_of (&params);
  if (purpose == GST_OCT_TO_USE)
    gst_oct_choice_set_found (gst_oct_filter_get_choice (filter),
        G_STRUCT_OFFSET (Settings, grid), &grid, sizeof grid);
  return TRUE;
}

static char *
gst_oct_nufft_describe (
    GstOctFilter *filter, gconstpointer data, const char *group)
{
  const Settings *settings = data;

  return gst_oct_ascans_describe (
      &settings->ascans, gst_oct_filter_get_input (filter)->columns, group);
}

static void
gst_oct_nufft_class_init (GstOctNUFFTClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_nufft_debug, "octnufft", 0, "OCT non-uniform Fourier transform");
  filter_class->transform_structure = gst_oct_nufft_transform_structure;
  filter_class->configure = gst_oct_nufft_configure;
  filter_class->describe = gst_oct_nufft_describe;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_NUFFT,
          .properties = &properties,
          .long_name = "OCT non-uniform Fourier transform",
          .description = "Transforms spectra into A-scans straight from the "
                         "wavelengths of their samples",
          .sink_caps = GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavelength"),
          .src_caps = GST_OCT_CAPS_ASCANS,
          .downloads = TRUE });
}

static void
gst_oct_nufft_init (GstOctNUFFT *self)
{
}
