/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octflip
 *
 * Flips images that are upside down or mirrored, mirrors the B-scans that a
 * scanner records on its way back, and corrects the distortion of a beam that
 * moves as a sine. The action signal #GstOctFlip::tune finds the delay of the
 * way back.
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
#include "gstocttake.h"
#include "gstocttune.h"
#include "oct-flip.h"
#include "oct-scan-tuner.h"

#include <math.h>

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

  GstOctTake *take;
  double
      line_rate; /* A-lines per second, 0: not known; under the object lock */

  /* streaming thread */
  guint64 next; /* number of the next B-scan, of buffers that do not say it */
  guint first;  /* the number of the first B-scan of this buffer */
  guint volume; /* numbers start again after so many, 0: they go on */
  OctFlipParams params; /* that are in use */
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

  if (!gst_oct_filter_set_plan (filter, OCT_OPERATION_FLIP, &params, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE)
    GST_OCT_FLIP (filter)->params = params;
  return TRUE;
}

/* The metadata of the result say of its columns which are lost. */
static GstFlowReturn
gst_oct_flip_transform (
    GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  const OctFlipParams *params = &GST_OCT_FLIP (trans)->params;
  GstFlowReturn ret = GST_BASE_TRANSFORM_CLASS (gst_oct_flip_parent_class)
                          ->transform (trans, inbuf, outbuf);
  guint count = params->width * MAX (params->bscans, 1);
  g_autofree guint8 *valid = NULL;
  g_autofree guint8 *turned = NULL;

  if (ret != GST_FLOW_OK || !gst_oct_scan_meta_has_valid (outbuf))
    return ret;
  valid = g_malloc (count);
  turned = g_malloc (count);
  if (gst_oct_scan_meta_get_valid (outbuf, valid, count)) {
    oct_flip_valid (params, valid, turned);
    gst_oct_scan_meta_set_valid (outbuf, turned, count);
  }
  return ret;
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

/* --------------------------------------------------------------------- tune */

static void
flip_post_tuning (GstOctFlip *self, const char *result, GstStructure *more)
{
  gst_structure_set (more, "result", G_TYPE_STRING, result, NULL);
  GST_INFO_OBJECT (self, "%s", gst_structure_get_string (more, "text"));
  gst_oct_bus_post (GST_ELEMENT (self), more);
}

static char *
flip_describe_tuning (const OctScanTuning *found, double line_rate)
{
  if (line_rate <= 0)
    return g_strdup_printf ("The beam is %.3f A-lines late (correlation %.2f).",
        found->lag, found->correlation);
  return g_strdup_printf (
      "The beam is %.3f A-lines or %.4g us late (correlation "
      "%.2f); add this to the delay of the scanner.",
      found->lag, found->lag / line_rate * 1e6, found->correlation);
}

/* `done` of the GstOctTakeKind. */
static void
flip_take_done (GstElement *element, gconstpointer result, const GError *error)
{
  GstOctFlip *self = GST_OCT_FLIP (element);
  const OctScanTuning *found = result;
  g_autofree char *text = NULL;
  double former, line_rate;
  GstStructure *s;

  if (found == NULL) {
    flip_post_tuning (self, "failed",
        gst_structure_new (
            "oct-tune", "text", G_TYPE_STRING, error->message, NULL));
    return;
  }
  GST_OBJECT_LOCK (self);
  line_rate = self->line_rate;
  GST_OBJECT_UNLOCK (self);
  text = flip_describe_tuning (found, line_rate);
  g_object_get (self, "way-back-shift", &former, NULL);
  g_object_set (self, "way-back-shift", 2 * found->lag, NULL);
  s = gst_structure_new ("oct-tune", "text", G_TYPE_STRING, text, "delay-lines",
      G_TYPE_DOUBLE, found->lag, "correlation", G_TYPE_DOUBLE,
      found->correlation, "pairs", G_TYPE_UINT, found->pairs, "way-back-shift",
      G_TYPE_DOUBLE, 2 * found->lag, "former-way-back-shift", G_TYPE_DOUBLE,
      former, NULL);
  if (isfinite (found->error))
    gst_structure_set (s, "delay-error", G_TYPE_DOUBLE, found->error, NULL);
  if (line_rate > 0)
    gst_structure_set (s, "delay", G_TYPE_DOUBLE, found->lag / line_rate, NULL);
  flip_post_tuning (self, "changed", s);
}

static const GstOctTakeKind flip_take_kind = { "oct-tune", 0, gst_oct_tune_find,
  g_free, flip_take_done };

static gboolean
flip_tune (GstOctFlip *self, guint bscans)
{
  return gst_oct_take_begin (self->take, MAX (bscans, 2));
}

/* Takes B-scan `number` and those after it in the buffer. */
static void
flip_take (GstOctFlip *self, GstBuffer *buffer, guint64 number)
{
  const GstOctInfo *input = gst_oct_filter_get_input (GST_OCT_FILTER (self));
  GstOctInfo info = gst_oct_tune_get_info (input);
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (self);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (sink);
  GstOctScanPosition scan;
  GstOctBscanNumber first = { number, 0 };

  if (gst_oct_scan_meta_get (buffer, &scan) && scan.bscans > 1)
    first.volume = scan.bscans;
  GST_OBJECT_LOCK (self);
  self->line_rate = input->line_rate_n > 0 && input->line_rate_d > 0
                        ? (double)input->line_rate_n / input->line_rate_d
                        : 0;
  GST_OBJECT_UNLOCK (self);
  gst_oct_take_add (self->take, buffer, &info,
      caps != NULL && gst_oct_caps_is_on_gpu (caps), &first);
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
  if (gst_oct_take_wants (self->take) && info->columns > 0)
    flip_take (self, buffer, number);
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

static gboolean
gst_oct_flip_stop (GstBaseTransform *trans)
{
  gst_oct_take_stop (GST_OCT_FLIP (trans)->take);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_flip_parent_class)->stop (trans);
}

static void
gst_oct_flip_finalize (GObject *object)
{
  gst_oct_take_free (GST_OCT_FLIP (object)->take);
  G_OBJECT_CLASS (gst_oct_flip_parent_class)->finalize (object);
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
  trans_class->transform = gst_oct_flip_transform;
  trans_class->sink_event = gst_oct_flip_sink_event;
  trans_class->start = gst_oct_flip_start;
  trans_class->stop = gst_oct_flip_stop;
  G_OBJECT_CLASS (klass)->finalize = gst_oct_flip_finalize;
  /**
   * GstOctFlip::tune:
   * @bscans: how many B-scans, 2 to 100
   *
   * Finds the delay of the mirrors in the next B-scans, as they come in, of a
   * scanner that takes every second B-scan on its way back, and sets
   * way-back-shift to twice the delay.  The element message "oct-tune" says
   * what came of it.
   *
   * Returns: %FALSE when that is under way already
   */
  g_signal_new_class_handler ("tune", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (flip_tune), NULL, NULL,
      NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT);
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
  self->take = gst_oct_take_new (GST_ELEMENT (self), &flip_take_kind);
}
