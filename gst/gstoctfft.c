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
#include "gstoctascans.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_fft_debug);
#define GST_CAT_DEFAULT gst_oct_fft_debug

struct _GstOctFFT {
  GstOctFilter parent;

  GstOctAScans ascans;
};

G_DEFINE_TYPE (GstOctFFT, gst_oct_fft, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (octfft, "octfft", GST_RANK_NONE, GST_TYPE_OCT_FFT);

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  gst_oct_ascans_transform_structure (filter, &GST_OCT_FFT (filter)->ascans,
      direction, from, GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavenumber"),
      result);
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctFFT *self = GST_OCT_FFT (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctFftParams params = {
    .format = input->format, .samples = input->columns, .lines = input->rows
  };
  g_autofree double *window = g_new (double, input->columns);
  GstOctDepths depths;
  OctWindow kind;

  if (!gst_oct_ascans_configure (
          filter, &self->ascans, input->columns, &depths, &kind, error))
    return FALSE;
  if (depths.bins == 0)
    return TRUE;
  params.length = depths.length;
  params.depth_start = depths.start;
  params.depth_bins = depths.bins;
  oct_window_fill (kind, input->columns, NULL, window);
  params.window = window;
  return gst_oct_filter_set_plan (filter, &params, error);
}

static gboolean
stop (GstBaseTransform *trans)
{
  GST_OCT_FFT (trans)->ascans.has_former = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_fft_parent_class)->stop (trans);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (!gst_oct_ascans_set_property (
          GST_OCT_FILTER (object), &GST_OCT_FFT (object)->ascans, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (!gst_oct_ascans_get_property (
          GST_OCT_FILTER (object), &GST_OCT_FFT (object)->ascans, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
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
  gst_oct_ascans_install_properties (object_class, TRUE);
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_FFT,
          .long_name = "OCT Fourier transform",
          .description =
              "Transforms spectra uniform in wavenumber into A-scans",
          .sink_caps = GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "wavenumber"),
          .src_caps = GST_OCT_CAPS_ASCANS });
}

static void
gst_oct_fft_init (GstOctFFT *self)
{
}
