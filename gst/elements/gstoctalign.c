/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octalign
 *
 * Moves the repeated B-scans of each place onto the first of them, so that
 * octangio shows only what flows: in depth, along the A-lines, and in phase.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct mode=background output=ascans
 *   ! octalign repeats=4 ! octangio repeats=4
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctalign.h"
#include "gstoctbus.h"
#include "gstoctrepeats.h"

#include "oct-align.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_align_debug);
#define GST_CAT_DEFAULT gst_oct_align_debug

typedef struct {
  guint repeats, max_shift, group;
  OctAlignRegistration registration;
  OctAlignPhase phase;
  double reject;
} Settings;

struct _GstOctAlign {
  GstOctFilter parent;

  /* streaming thread */
  GstOctRepeats last;
};

G_DEFINE_TYPE (GstOctAlign, gst_oct_align, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octalign, "octalign", GST_RANK_NONE, GST_TYPE_OCT_ALIGN);

static const GEnumValue registrations[] = {
  { OCT_ALIGN_NONE, "None: B-scans stay where they are", "none" },
  { OCT_ALIGN_AXIAL, "Shift in depth of each part of a B-scan", "axial" },
  { OCT_ALIGN_TRANSLATION,
      "The same, and a shift of the B-scan along the A-lines", "translation" },
  { 0, NULL, NULL },
};

static const GEnumValue phases[] = {
  { OCT_PHASE_NONE, "None: phases stay as they are", "none" },
  { OCT_PHASE_MEAN, "Mean over all depths", "mean" },
  { OCT_PHASE_HISTOGRAM, "Most frequent phase", "histogram" },
  { OCT_PHASE_MODE, "The same, refined: what moves has little weight", "mode" },
  { OCT_PHASE_LINE, "Phase and slope over depth, for a trigger that jitters",
      "line" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (
    align_get_registration_type, "GstOctAlignRegistration", registrations);
static GST_OCT_DEFINE_ENUM (align_get_phase_type, "GstOctAlignPhase", phases);

static const GstOctProperty rows[] = {
  { "registration", "Registration", "Which motion between repeats is removed",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_ENUM (Settings, registration, align_get_registration_type,
          OCT_ALIGN_AXIAL) },
  { "max-shift", "Largest shift", "Largest shift in depth, in bins",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, max_shift, 2, OCT_ALIGN_FARTHEST, 8) },
  { "group", "Group", "A-lines that have one shift in depth",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, group, 1, 65536, 16) },
  { "phase", "Phase", "Which phase of each A-line is removed",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_ENUM (Settings, phase, align_get_phase_type, OCT_PHASE_MODE) },
  { "reject", "Reject",
      "Decorrelation from which on a repeat becomes zeros (1 = never; of two "
      "repeats none)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, reject, 0.0, 1.0, 0.5) },
  { "repeats", "Repeats", "B-scans of a place (0 = as many as the stream says)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, repeats, 0, OCT_ALIGN_MOST, 0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static void
gst_oct_align_transform_structure (GstOctFilter *filter, gconstpointer settings,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  gst_caps_append_structure (result, gst_structure_copy (from));
}

static guint
align_get_repeats (GstOctAlign *self, const Settings *settings)
{
  const GstOctInfo *input = gst_oct_filter_get_input (GST_OCT_FILTER (self));

  return MAX (1, settings->repeats > 0 ? settings->repeats : input->repeats);
}

static gboolean
gst_oct_align_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctAlignParams params = { .depth_bins = input->columns,
    .lines = input->rows,
    .bscans = input->bscans,
    .repeats = align_get_repeats (GST_OCT_ALIGN (filter), settings),
    .registration = settings->registration,
    .max_shift = settings->max_shift,
    .group = settings->group,
    .phase = settings->phase,
    .reject = settings->reject };

  return gst_oct_filter_set_plan (filter, OCT_OPERATION_ALIGN, &params, error);
}

static void
gst_oct_align_found (GstOctFilter *filter, double value)
{
  if (value > 0)
    GST_LOG_OBJECT (filter, "%g repeats of this place were rejected", value);
}

/* In the streaming thread, before the buffer is worked on: B-scans of two
 * places are never compared. */
static GstFlowReturn
gst_oct_align_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctAlign *self = GST_OCT_ALIGN (trans);
  g_autoptr (GstOctSettings) settings =
      gst_oct_choice_ref (gst_oct_filter_get_choice (GST_OCT_FILTER (self)));

  if (gst_oct_repeats_take (&self->last, buffer,
          align_get_repeats (self, gst_oct_settings_get (settings))))
    gst_oct_filter_forget (GST_OCT_FILTER (self));
  return GST_BASE_TRANSFORM_CLASS (gst_oct_align_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static gboolean
gst_oct_align_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstOctAlign *self = GST_OCT_ALIGN (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    self->last.is_known = FALSE;
    gst_oct_filter_forget (GST_OCT_FILTER (self));
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_align_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_oct_align_start (GstBaseTransform *trans)
{
  GST_OCT_ALIGN (trans)->last.is_known = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_align_parent_class)->start (trans);
}

static void
gst_oct_align_class_init (GstOctAlignClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_align_debug, "octalign", 0, "OCT alignment of repeats");
  filter_class->transform_structure = gst_oct_align_transform_structure;
  filter_class->configure = gst_oct_align_configure;
  filter_class->found = gst_oct_align_found;
  trans_class->submit_input_buffer = gst_oct_align_submit_input_buffer;
  trans_class->sink_event = gst_oct_align_sink_event;
  trans_class->start = gst_oct_align_start;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_ALIGN,
          .properties = &properties,
          .long_name = "OCT alignment of repeats",
          .description = "Moves repeated B-scans of a place onto the first one",
          .sink_caps = GST_OCT_CAPS_ASCANS,
          .src_caps = GST_OCT_CAPS_ASCANS });
}

static void
gst_oct_align_init (GstOctAlign *self)
{
}
