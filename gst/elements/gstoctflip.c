/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octflip
 *
 * Flips images that are upside down or mirrored, mirrors the B-scans that a
 * scanner records on its way back, and corrects the distortion of a beam that
 * moves as a sine.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct
 *   ! octflip depth=true way-back=odd
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctflip.h"
#include "gstoctbus.h"
#include "gstoctscanmeta.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_flip_debug);
#define GST_CAT_DEFAULT gst_oct_flip_debug

typedef struct {
  gboolean depth, lateral;
  OctWayBack way_back;
  double way_back_shift;
  OctMotion scan;
  double duty;
} Settings;

struct _GstOctFlip {
  GstOctImageFilter parent;

  /* streaming thread */
  guint64 next; /* number of the next B-scan, of buffers that do not say it */
  guint first;  /* the number of the first B-scan of this buffer */
  guint volume; /* numbers start again after so many, 0: they go on */
};

G_DEFINE_TYPE (GstOctFlip, gst_oct_flip, GST_TYPE_OCT_IMAGE_FILTER);
GST_OCT_REGISTER_DEFINE (octflip, "octflip", GST_RANK_NONE, GST_TYPE_OCT_FLIP);

static const GEnumValue ways_back[] = {
  { OCT_WAY_BACK_NONE, "None", "none" },
  { OCT_WAY_BACK_ODD, "B-scans 1, 3, 5 ... of the volume, counted from 0",
      "odd" },
  { OCT_WAY_BACK_EVEN, "B-scans 0, 2, 4 ... of the volume", "even" },
  { 0, NULL, NULL },
};

static const GEnumValue motions[] = {
  { OCT_MOTION_LINEAR, "Evenly: A-lines are equally far apart", "linear" },
  { OCT_MOTION_SINE, "As a sine, like a resonant scanner", "sine" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (get_way_back_type, "GstOctWayBack", ways_back);
static GST_OCT_DEFINE_ENUM (get_motion_type, "GstOctMotion", motions);

static const GstOctProperty rows[] = {
  { "depth", "Upside down", "Turn images upside down", GST_OCT_PROPERTY_LIVE,
      NULL, GST_OCT_BOOLEAN (Settings, depth, FALSE) },
  { "lateral", "Mirrored", "Mirror images: the first A-line becomes the last",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_BOOLEAN (Settings, lateral, FALSE) },
  { "way-back", "Way back",
      "Which B-scans were recorded on the way back of the beam; they are "
      "mirrored",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_ENUM (Settings, way_back, get_way_back_type, OCT_WAY_BACK_NONE) },
  { "way-back-shift", "Shift of the way back",
      "Delay of the B-scans of the way back, in A-lines and fractions of them",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, way_back_shift, -65536.0, 65536.0, 0.0) },
  { "scan", "Motion of the beam", "How the beam moves along a B-scan",
      GST_OCT_PROPERTY_LIVE, "scan",
      GST_OCT_ENUM (Settings, scan, get_motion_type, OCT_MOTION_LINEAR) },
  { "duty", "Recorded part",
      "scan=sine: part of each sweep of the beam in which A-lines are "
      "recorded, centred on its middle",
      GST_OCT_PROPERTY_LIVE, "scan",
      GST_OCT_DOUBLE (Settings, duty, 0.01, 1.0, 1.0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static gboolean
gst_oct_flip_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctFlipParams params = { .width = input->columns,
    .height = input->rows,
    .bscans = input->bscans,
    .format = gst_oct_image_format (input),
    .depth = settings->depth,
    .lateral = settings->lateral,
    .way_back = settings->way_back,
    .first = GST_OCT_FLIP (filter)->first,
    .volume = GST_OCT_FLIP (filter)->volume,
    .way_back_shift = settings->way_back_shift,
    .motion = settings->scan,
    .duty = settings->duty };

  return gst_oct_filter_set_plan (filter, OCT_OPERATION_FLIP, &params, error);
}

/* The number of the first B-scan: in its volume, else that of the volume, else
 * since the start.  `volume`: as GstOctFlip has it, for `n` B-scans. */
static guint64
flip_get_number (GstOctFlip *self, GstBuffer *buffer, guint n, guint *volume)
{
  GstOctScanPosition scan;

  *volume = 0;
  if (!gst_oct_scan_meta_get (buffer, &scan))
    return self->next;
  if (scan.bscans == 1)
    return scan.volume;
  /* even numbers stay even in the next volume, too, if volumes are even */
  if (scan.bscans % 2 == 1 && n > scan.bscans - scan.bscan)
    *volume = scan.bscans;
  return scan.bscan;
}

/* In the streaming thread, before the buffer is worked on. */
static GstFlowReturn
gst_oct_flip_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctFlip *self = GST_OCT_FLIP (trans);
  const GstOctInfo *info = gst_oct_filter_get_input (GST_OCT_FILTER (self));
  guint n = MAX (1, info->bscans), volume;
  guint64 number = flip_get_number (self, buffer, n, &volume);
  guint first = (guint)(volume > 0 ? number : number % 2);

  self->next = number + n;
  if (first != self->first || volume != self->volume) {
    self->first = first;
    self->volume = volume;
    gst_oct_filter_changed (GST_OCT_FILTER (self), FALSE);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_flip_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static gboolean
gst_oct_flip_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    GST_OCT_FLIP (trans)->next = 0;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_flip_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_oct_flip_start (GstBaseTransform *trans)
{
  GST_OCT_FLIP (trans)->next = 0;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_flip_parent_class)->start (trans);
}

static void
gst_oct_flip_class_init (GstOctFlipClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_flip_debug, "octflip", 0, "OCT flipping of images");
  filter_class->configure = gst_oct_flip_configure;
  trans_class->submit_input_buffer = gst_oct_flip_submit_input_buffer;
  trans_class->sink_event = gst_oct_flip_sink_event;
  trans_class->start = gst_oct_flip_start;
  gst_oct_image_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_FLIP,
          .properties = &properties,
          .long_name = "OCT flipping of images",
          .description = "Flips images, mirrors those of the way back, and "
                         "corrects the distortion of sinusoidal scans" });
}

static void
gst_oct_flip_init (GstOctFlip *self)
{
}
