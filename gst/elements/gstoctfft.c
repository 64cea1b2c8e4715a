/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octfft
 *
 * Transforms spectra that are uniform in wavenumber into A-scans: it multiplies
 * them by a window, computes the FFT, and delivers the depths that are asked
 * for.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octkresample
 *   ! octfft window=hann depth-bins=512 ! octlogscale
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctfft.h"
#include "gstoctbus.h"
#include "gstoctascans.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_fft_debug);
#define GST_CAT_DEFAULT gst_oct_fft_debug

typedef struct {
  GstOctAScans ascans;
} Settings;

static const GstOctProperty rows[] = {
  GST_OCT_ASCANS_ROWS (Settings, ascans, "length / 2"),
  GST_OCT_SIZE_ROW (Settings, ascans.depths.length, "length", "Length",
      "Length of the transform in samples, zero-padded (0 = that of the "
      "spectra)"),
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctFFT {
  GstOctFilter parent;
};

G_DEFINE_TYPE (GstOctFFT, gst_oct_fft, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (octfft, "octfft", GST_RANK_NONE, GST_TYPE_OCT_FFT);

static void
gst_oct_fft_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;

  gst_oct_ascans_transform_structure (filter, &settings->ascans, NULL,
      direction, from, GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavenumber"),
      result);
}

static gboolean
gst_oct_fft_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctFftParams params = {
    .format = input->format, .samples = input->columns, .lines = input->rows
  };
  g_autofree double *window = g_new (double, input->columns);
  GstOctDepths depths;

  if (!gst_oct_ascans_resolve (
          filter, &settings->ascans, input->columns, purpose, &depths, error))
    return FALSE;
  params.length = depths.length;
  params.depth_start = depths.start;
  params.depth_bins = depths.bins;
  oct_window_fill (settings->ascans.window, input->columns, NULL, window);
  params.window = window;
  return gst_oct_filter_set_plan (filter, OCT_OPERATION_FFT, &params, error);
}

static char *
gst_oct_fft_describe (
    GstOctFilter *filter, gconstpointer data, const char *group)
{
  const Settings *settings = data;

  return gst_oct_ascans_describe (
      &settings->ascans, gst_oct_filter_get_input (filter)->columns, group);
}

static void
gst_oct_fft_class_init (GstOctFFTClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_fft_debug, "octfft", 0, "OCT Fourier transform");
  filter_class->transform_structure = gst_oct_fft_transform_structure;
  filter_class->configure = gst_oct_fft_configure;
  filter_class->describe = gst_oct_fft_describe;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_FFT,
          .properties = &properties,
          .long_name = "OCT Fourier transform",
          .description =
              "Transforms spectra uniform in wavenumber into A-scans",
          .sink_caps = GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavenumber"),
          .src_caps = GST_OCT_CAPS_ASCANS,
          .downloads = TRUE });
}

static void
gst_oct_fft_init (GstOctFFT *self)
{
}
