/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octangio
 *
 * Shows what moves: blood that flows, from B-scans that are repeated at each
 * place. Still tissue and noise are black. Put octalign before it, if the
 * sample moves.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct mode=background output=ascans
 *   ! octangio repeats=4 ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctangio.h"
#include "gstoctbus.h"
#include "gstoctcaps.h"
#include "gstoctimagefilter.h"
#include "gstoctimages.h"
#include "gstoctphases.h"
#include "gstoctrepeats.h"

#include "oct-angio.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_angio_debug);
#define GST_CAT_DEFAULT gst_oct_angio_debug

typedef struct {
  OctAngioMethod method;
  OctAverageMode mode;
  guint repeats, window_lines, window_bins;
  double still, noise, min, max;
} Settings;

struct _GstOctAngio {
  GstOctFilter parent;

  /* streaming thread */
  OctAverageMode mode; /* in force */
  guint repeats;
  guint count; /* of them in the last image */
  GstOctRepeats last;
  GstClockTime begin; /* of the block */
  GstBuffer *former;  /* mode=block: without values, the last B-scan of a place
                         that has not all of them yet */
  guint incomplete;   /* places so far that have lost B-scans */
  gboolean warned;    /* that there is one B-scan at each place */
  gboolean asked;     /* for phases */
};

G_DEFINE_TYPE (GstOctAngio, gst_oct_angio, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octangio, "octangio", GST_RANK_NONE, GST_TYPE_OCT_ANGIO);

static const GEnumValue methods[] = {
  { OCT_ANGIO_FLOW,
      "Part of the power that changes, without what noise and still tissue "
      "change",
      "flow" },
  { OCT_ANGIO_INDEX,
      "What changes, in dB over what noise and still tissue change", "index" },
  { OCT_ANGIO_COMPLEX_DIFFERENCE,
      "Power of the differences of consecutive repeats, in dB over the noise",
      "complex-difference" },
  { OCT_ANGIO_SPECKLE_VARIANCE,
      "Variance of the amplitudes, in dB over the noise", "speckle-variance" },
  { OCT_ANGIO_NOISE_IMMUNE, "Decorrelation of the signal without the noise",
      "noise-immune" },
  { OCT_ANGIO_ID_MASK,
      "Decorrelation, where it is more than that of the noise at this signal",
      "id-mask" },
  { OCT_ANGIO_PHASE_VARIANCE,
      "Variance of the phases between consecutive repeats", "phase-variance" },
  { OCT_ANGIO_CDV,
      "Complex differential variance: decorrelation of consecutive repeats",
      "cdv" },
  { 0, NULL, NULL },
};

static const GEnumValue modes[] = {
  { OCT_AVERAGE_RUNNING, "An image for each B-scan, of it and those before",
      "running" },
  { OCT_AVERAGE_BLOCK, "One image of the repeats at each place", "block" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (
    angio_get_method_type, "GstOctAngioMethod", methods);
static GST_OCT_DEFINE_ENUM (angio_get_mode_type, "GstOctAngioMode", modes);

static const GstOctProperty rows[] = {
  { "method", "Method", "Measure of motion", GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_ENUM (Settings, method, angio_get_method_type, OCT_ANGIO_FLOW) },
  { "mode", "Mode", "Which B-scans become an image",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "repeats",
      GST_OCT_ENUM (Settings, mode, angio_get_mode_type, OCT_AVERAGE_BLOCK) },
  { "repeats", "Repeats",
      "B-scans of a place that are compared (0 = as many as the stream says)",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "repeats",
      GST_OCT_UINT (Settings, repeats, 0, OCT_ANGIO_MOST, 0) },
  { "window-lines", "Window over A-lines",
      "A-lines that are averaged, an odd number", GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, window_lines, 1, OCT_ANGIO_WIDEST, 3) },
  { "window-bins", "Window over depths",
      "Depths that are averaged, an odd number", GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, window_bins, 1, OCT_ANGIO_WIDEST, 3) },
  { "still", "Still tissue",
      "method=flow, index: least part of the power that still tissue is taken "
      "to change; more if it is found to",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, still, 0.0, 1.0, 0.01) },
  { "noise", "Noise", "Power of the noise, in counts^2 (0 = it is found)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, noise, 0.0, 1e20, 0.0) },
  { "min", "Black", "Methods in dB: value of black", GST_OCT_PROPERTY_RAMPED,
      "range", GST_OCT_DOUBLE (Settings, min, -100.0, 100.0, 3.0) },
  { "max", "White", "Methods in dB: value of white", GST_OCT_PROPERTY_RAMPED,
      "range", GST_OCT_DOUBLE (Settings, max, -100.0, 100.0, 13.0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* --------------------------------------------------------------------- caps */

static void
gst_oct_angio_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;
  g_autoptr (GstCaps) caps = gst_caps_new_empty ();

  gst_oct_images_transform_structure (direction, from, caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *to = gst_structure_copy (gst_caps_get_structure (caps, i));

    if (settings->mode == OCT_AVERAGE_BLOCK)
      gst_oct_repeats_divide (to, direction, settings->repeats);
    gst_caps_append_structure (result, to);
  }
}

static gboolean
gst_oct_angio_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  GstOctAngio *self = GST_OCT_ANGIO (filter);
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctAngioParams params = { .depth_bins = input->columns,
    .lines = input->rows,
    .bscans = input->bscans,
    .method = settings->method,
    .mode = settings->mode,
    .repeats = settings->repeats > 0 ? settings->repeats : input->repeats,
    .window_lines = settings->window_lines,
    .window_bins = settings->window_bins,
    .still = settings->still,
    .noise = settings->noise,
    .min = settings->min,
    .max = settings->max };

  if (purpose != GST_OCT_FOR_CAPS)
    params.format = gst_oct_image_format (gst_oct_filter_get_output (filter));
  if (!gst_oct_filter_set_plan (filter, OCT_OPERATION_ANGIO, &params, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE) {
    self->mode = params.mode;
    self->repeats = params.repeats;
  }
  return TRUE;
}

/* ------------------------------------------------------------------ repeats
 */

static void
gst_oct_angio_found (GstOctFilter *filter, double value)
{
  GST_OCT_ANGIO (filter)->count = (guint)value;
}

static guint
angio_get_repeats (GstOctAngio *self)
{
  g_autoptr (GstOctSettings) settings =
      gst_oct_choice_ref (gst_oct_filter_get_choice (GST_OCT_FILTER (self)));
  const Settings *used = gst_oct_settings_get (settings);
  const GstOctInfo *input = gst_oct_filter_get_input (GST_OCT_FILTER (self));

  return MAX (1, used->repeats > 0 ? used->repeats : input->repeats);
}

static void
angio_forget (GstOctAngio *self)
{
  gst_clear_buffer (&self->former);
  gst_oct_filter_forget (GST_OCT_FILTER (self));
}

/* Then places that have lost B-scans have no image. */
static gboolean
angio_is_on_gpu (GstBaseTransform *trans)
{
  g_autoptr (GstCaps) caps =
      gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (trans));

  return caps != NULL && gst_oct_caps_is_on_gpu (caps);
}

/* A B-scan of zeros in main memory, which is not a repeat, at the place of the
 * last one. */
static GstBuffer *
angio_make_zeros (GstOctAngio *self)
{
  const GstOctInfo *input = gst_oct_filter_get_input (GST_OCT_FILTER (self));
  gsize size = (gsize)input->rows * input->columns * 2 * sizeof (float);
  GstBuffer *zeros = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (zeros, 0, 0, size);
  gst_buffer_copy_into (
      zeros, self->former, GST_BUFFER_COPY_METADATA, 0, (gsize)-1);
  return zeros;
}

/* The image of a place that has lost B-scans is that of the others. */
static GstFlowReturn
angio_send_incomplete (GstOctAngio *self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstBaseTransformClass *parent =
      GST_BASE_TRANSFORM_CLASS (gst_oct_angio_parent_class);
  GstFlowReturn ret = GST_FLOW_OK;

  if (self->former == NULL)
    return GST_FLOW_OK;
  self->incomplete++;
  GST_DEBUG_OBJECT (self, "a place has %u of %u repeats, %u such places so far",
      self->count, self->repeats, self->incomplete);
  while (self->former != NULL && ret == GST_FLOW_OK) {
    GstBuffer *image = NULL;

    ret = parent->submit_input_buffer (trans, FALSE, angio_make_zeros (self));
    if (ret == GST_FLOW_OK)
      ret = parent->generate_output (trans, &image);
    if (ret == GST_FLOW_OK && image != NULL)
      return gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (trans), image);
    gst_clear_buffer (&image);
    if (ret == GST_BASE_TRANSFORM_FLOW_DROPPED)
      ret = GST_FLOW_OK;
  }
  return ret;
}

/* In the streaming thread, before the buffer is worked on: B-scans of two
 * places are never compared. */
static GstFlowReturn
gst_oct_angio_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctAngio *self = GST_OCT_ANGIO (trans);

  if (gst_oct_repeats_take (&self->last, buffer, angio_get_repeats (self))) {
    GstFlowReturn ret = angio_send_incomplete (self);

    angio_forget (self);
    if (ret != GST_FLOW_OK) {
      gst_buffer_unref (buffer);
      return ret;
    }
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_angio_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static gboolean
gst_oct_angio_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstOctAngio *self = GST_OCT_ANGIO (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    (void)angio_send_incomplete (self);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    self->last.is_known = FALSE;
    angio_forget (self);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_angio_parent_class)
      ->sink_event (trans, event);
}

static void
angio_warn_of_one (GstOctAngio *self)
{
  if (self->warned || self->repeats > 1)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The stream has one B-scan at each place, and flow is found from at "
       "least two: all images are black; set `repeats` of octangio, or of the "
       "source, to the number of B-scans at each place."),
      (NULL));
}

static GstFlowReturn
gst_oct_angio_transform (
    GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  GstOctAngio *self = GST_OCT_ANGIO (trans);
  GstFlowReturn ret = GST_BASE_TRANSFORM_CLASS (gst_oct_angio_parent_class)
                          ->transform (trans, inbuf, outbuf);

  if (ret != GST_FLOW_OK)
    return ret;
  angio_warn_of_one (self);
  gst_oct_phases_check (trans, &self->asked);
  if (self->mode != OCT_AVERAGE_BLOCK)
    return ret;
  if (self->count == 1)
    self->begin = GST_BUFFER_PTS (inbuf);
  gst_clear_buffer (&self->former);
  if (self->count < self->repeats) {
    /* a B-scan without a position is never of another place */
    if (self->last.is_known && !angio_is_on_gpu (trans))
      self->former = gst_buffer_new ();
    if (self->former != NULL)
      gst_buffer_copy_into (
          self->former, inbuf, GST_BUFFER_COPY_METADATA, 0, (gsize)-1);
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  }
  gst_oct_repeats_stamp (outbuf, self->begin, self->repeats);
  return ret;
}

static gboolean
gst_oct_angio_start (GstBaseTransform *trans)
{
  GST_OCT_ANGIO (trans)->last.is_known = FALSE;
  GST_OCT_ANGIO (trans)->warned = GST_OCT_ANGIO (trans)->asked = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_angio_parent_class)->start (trans);
}

static gboolean
gst_oct_angio_stop (GstBaseTransform *trans)
{
  gst_clear_buffer (&GST_OCT_ANGIO (trans)->former);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_angio_parent_class)->stop (trans);
}

static void
gst_oct_angio_class_init (GstOctAngioClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_angio_debug, "octangio", 0, "OCT angiography");
  filter_class->transform_structure = gst_oct_angio_transform_structure;
  filter_class->configure = gst_oct_angio_configure;
  filter_class->found = gst_oct_angio_found;
  trans_class->submit_input_buffer = gst_oct_angio_submit_input_buffer;
  trans_class->sink_event = gst_oct_angio_sink_event;
  trans_class->transform = gst_oct_angio_transform;
  trans_class->start = gst_oct_angio_start;
  trans_class->stop = gst_oct_angio_stop;
  gst_oct_images_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_ANGIO,
          .properties = &properties,
          .long_name = "OCT angiography",
          .description = "Shows what moves, from repeated B-scans" });
}

static void
gst_oct_angio_init (GstOctAngio *self)
{
}
