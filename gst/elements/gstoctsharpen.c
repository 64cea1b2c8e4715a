/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octsharpen
 *
 * Sharpens the edges of images, by an unsharp mask.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct
 *   ! octsharpen amount=1 radius=2
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctsharpen.h"
#include "gstoctbus.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_sharpen_debug);
#define GST_CAT_DEFAULT gst_oct_sharpen_debug

typedef struct {
  double amount, radius;
} Settings;

struct _GstOctSharpen {
  GstOctImageFilter parent;
};

G_DEFINE_TYPE (GstOctSharpen, gst_oct_sharpen, GST_TYPE_OCT_IMAGE_FILTER);
GST_OCT_REGISTER_DEFINE (
    octsharpen, "octsharpen", GST_RANK_NONE, GST_TYPE_OCT_SHARPEN);

/* The defaults of ImageJ, whose mask weight 0.6 is the amount 0.6 / 0.4. */
static const GstOctProperty rows[] = {
  { "amount", "Amount",
      "How much of the difference to the smoothed image is added; 0: none",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, amount, 0.0, OCT_SHARPEN_STRONGEST, 1.5) },
  { "radius", "Radius",
      "Standard deviation in pixels of the Gaussian that smooths",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, radius, 0.1, OCT_SHARPEN_WIDEST, 1.0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static gboolean
gst_oct_sharpen_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctSharpenParams params = { .width = input->columns,
    .height = input->rows,
    .bscans = input->bscans,
    .format = gst_oct_image_format (input),
    .amount = settings->amount,
    .radius = settings->radius };

  return gst_oct_filter_set_plan (
      filter, OCT_OPERATION_SHARPEN, &params, error);
}

static void
gst_oct_sharpen_class_init (GstOctSharpenClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_sharpen_debug, "octsharpen", 0, "OCT unsharp mask");
  filter_class->configure = gst_oct_sharpen_configure;
  gst_oct_image_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_SHARPEN,
          .properties = &properties,
          .long_name = "OCT unsharp mask",
          .description = "Sharpens the edges of images, by an unsharp mask" });
}

static void
gst_oct_sharpen_init (GstOctSharpen *self)
{
}
