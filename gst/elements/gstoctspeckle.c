/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octspeckle
 *
 * Smooths the speckle of images and keeps their edges.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct
 *   ! octspeckle method=bilateral size=7
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctspeckle.h"
#include "gstoctbus.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_speckle_debug);
#define GST_CAT_DEFAULT gst_oct_speckle_debug

typedef struct {
  OctSpeckleMethod method;
  guint size;
  double sigma, spatial_sigma;
} Settings;

struct _GstOctSpeckle {
  GstOctImageFilter parent;
};

G_DEFINE_TYPE (GstOctSpeckle, gst_oct_speckle, GST_TYPE_OCT_IMAGE_FILTER);
GST_OCT_REGISTER_DEFINE (
    octspeckle, "octspeckle", GST_RANK_NONE, GST_TYPE_OCT_SPECKLE);

static const GEnumValue methods[] = {
  { OCT_SPECKLE_BILATERAL,
      "Mean of the neighbouring pixels of similar brightness; keeps edges",
      "bilateral" },
  { OCT_SPECKLE_MEDIAN,
      "Median of the neighbouring pixels; removes single bright or dark pixels",
      "median" },
  { OCT_SPECKLE_LEE,
      "Lee's filter: the local mean where there is only speckle, the pixel "
      "itself where there is structure",
      "lee" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (
    speckle_get_method_type, "GstOctSpeckleMethod", methods);

static const GstOctProperty rows[] = {
  { "method", "Method", "Speckle filter", GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_ENUM (
          Settings, method, speckle_get_method_type, OCT_SPECKLE_BILATERAL) },
  { "size", "Size",
      "Size of the window in pixels, laterally and in depth: 3, 5 or 7",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, size, 3, OCT_SPECKLE_LARGEST, 5) },
  { "sigma", "Speckle",
      "Standard deviation of grey levels (0 to 255) that counts as speckle, "
      "not for method=median",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, sigma, 0.1, 255.0, 25.0) },
  { "spatial-sigma", "Width",
      "method=bilateral: standard deviation of the weights over the distance, "
      "in pixels",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, spatial_sigma, 0.1, 100.0, 2.0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static gboolean
gst_oct_speckle_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctSpeckleParams params = { .width = input->columns,
    .height = input->rows,
    .bscans = input->bscans,
    .format = gst_oct_image_format (input),
    .method = settings->method,
    .size = settings->size,
    .sigma = settings->sigma,
    .spatial_sigma = settings->spatial_sigma };

  return gst_oct_filter_set_plan (
      filter, OCT_OPERATION_SPECKLE, &params, error);
}

static void
gst_oct_speckle_class_init (GstOctSpeckleClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_speckle_debug, "octspeckle", 0, "OCT speckle reduction");
  filter_class->configure = gst_oct_speckle_configure;
  gst_oct_image_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_SPECKLE,
          .properties = &properties,
          .long_name = "OCT speckle reduction",
          .description =
              "Smooths the speckle of images and keeps their edges" });
}

static void
gst_oct_speckle_init (GstOctSpeckle *self)
{
}
