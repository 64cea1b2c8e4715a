/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octaverage
 *
 * Averages images, or A-scans, over time. This reduces changes from B-scan to
 * B-scan: noise falls with the square root of #GstOctAverage:frames, and the
 * speckle of parts that move is smoothed. Structures that stay become clearer.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct ! octaverage frames=8
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctaverage.h"
#include "gstoctbus.h"
#include "gstoctrepeats.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_average_debug);
#define GST_CAT_DEFAULT gst_oct_average_debug

typedef struct {
  OctAverageMode mode;
  guint frames;
  OctAverageOf of;
  OctRegistration registration;
  guint max_shift;
} Settings;

struct _GstOctAverage {
  GstOctImageFilter parent;

  /* streaming thread */
  OctAverageMode mode; /* in force */
  guint frames;
  guint count;           /* B-scans in the last mean */
  gboolean has_group;    /* B-scans that say where they belong */
  guint64 volume, group; /* of the last one */
  gboolean warned;       /* that a buffer has B-scans of two volumes */
  GstClockTime begin;    /* of the block */
  guint place;           /* of its first B-scan, where they say it */
  guint repeats;         /* B-scans at each place */
  gboolean told_places;  /* that a block has B-scans of several places */
};

G_DEFINE_TYPE (GstOctAverage, gst_oct_average, GST_TYPE_OCT_IMAGE_FILTER);
GST_OCT_REGISTER_DEFINE (
    octaverage, "octaverage", GST_RANK_NONE, GST_TYPE_OCT_AVERAGE);

static const GEnumValue modes[] = {
  { OCT_AVERAGE_RUNNING, "Mean of each B-scan and those before it", "running" },
  { OCT_AVERAGE_BLOCK, "One mean for every `frames` B-scans", "block" },
  { 0, NULL, NULL },
};

static const GEnumValue kinds[] = {
  { OCT_AVERAGE_VALUES, "Complex values: contributions of random phase cancel",
      "complex" },
  { OCT_AVERAGE_POWER, "Power, without the phase", "power" },
  { 0, NULL, NULL },
};

static const GEnumValue registrations[] = {
  { OCT_REGISTRATION_NONE, "None: B-scans are averaged as they are", "none" },
  { OCT_REGISTRATION_TRANSLATION,
      "Shift of the previous B-scans onto the newest one, in depth and along "
      "the A-lines",
      "translation" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (average_get_mode_type, "GstOctAverageMode", modes);
static GST_OCT_DEFINE_ENUM (average_get_kind_type, "GstOctAverageOf", kinds);
static GST_OCT_DEFINE_ENUM (
    get_registration_type, "GstOctRegistration", registrations);

static const GstOctProperty rows[] = {
  { "mode", "Mode", "Which B-scans become one",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "mean",
      GST_OCT_ENUM (
          Settings, mode, average_get_mode_type, OCT_AVERAGE_RUNNING) },
  { "frames", "B-scans", "Number of B-scans in a mean",
      GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS, "mean",
      GST_OCT_UINT (Settings, frames, 1, OCT_AVERAGE_MOST, 4) },
  { "of", "What of A-scans", "A-scans: what is averaged", GST_OCT_PROPERTY_LIVE,
      NULL,
      GST_OCT_ENUM (Settings, of, average_get_kind_type, OCT_AVERAGE_POWER) },
  { "registration", "Registration",
      "Correction of motion from B-scan to B-scan", GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_ENUM (Settings, registration, get_registration_type,
          OCT_REGISTRATION_NONE) },
  { "max-shift", "Largest shift",
      "registration=translation: largest shift from one B-scan to the next, in "
      "depths and in A-lines; never more than a quarter of the image",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, max_shift, 1, OCT_REGISTRATION_MOST, 16) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* --------------------------------------------------------------------- caps */

static void
gst_oct_average_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;
  GstStructure *to = gst_structure_copy (from);

  if (settings->mode == OCT_AVERAGE_BLOCK)
    gst_oct_repeats_divide (to, direction, settings->frames);
  gst_caps_append_structure (result, to);
}

static OctAverageParams
make_params (const Settings *settings, const GstOctInfo *input)
{
  OctAverageParams params = { .format = input->format,
    .values = input->columns,
    .rows = input->rows,
    .bscans = input->bscans,
    .mode = settings->mode,
    .frames = settings->frames,
    .of = input->is_video ? OCT_AVERAGE_VALUES : settings->of,
    .registration = settings->registration,
    .max_shift = settings->max_shift,
    .parts = 1 };

  if (!input->is_video)
    return params;
  switch (gst_oct_image_format (input)) {
  case OCT_IMAGE_RGBA:
    params.values *= 4;
    params.parts = 4;
    break;
  case OCT_IMAGE_NV12:
    params.more_values = (input->columns + 1) / 2 * 2;
    params.more_rows = (input->rows + 1) / 2;
    break;
  default:
    break;
  }
  return params;
}

static const char *
gst_oct_average_get_history (gconstpointer data, const char **instead)
{
  *instead = "set frames=1";
  return ((const Settings *)data)->frames > 1 ? "frames" : NULL;
}

static gboolean
gst_oct_average_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  GstOctAverage *self = GST_OCT_AVERAGE (filter);
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctAverageParams params = make_params (settings, input);

  if (params.mode == OCT_AVERAGE_BLOCK && input->bscans > 1) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "mode=block of octaverage takes one B-scan per buffer, not buffers of "
        "%u B-scans; set `mode` to running, or deliver one B-scan per buffer.",
        input->bscans);
    return FALSE;
  }
  if (!gst_oct_filter_set_plan (filter, OCT_OPERATION_AVERAGE, &params, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE) {
    self->mode = settings->mode;
    self->frames = settings->frames;
    self->repeats = input->repeats;
  }
  return TRUE;
}

/* ------------------------------------------------------------------ history
 */

static void
gst_oct_average_found (GstOctFilter *filter, double value)
{
  GST_OCT_AVERAGE (filter)->count = (guint)value;
}

/* Which of the blocks of a volume a B-scan is of. */
static guint64
average_get_group (GstOctAverage *self, const GstOctScanPosition *scan)
{
  g_autoptr (GstOctSettings) settings =
      gst_oct_choice_ref (gst_oct_filter_get_choice (GST_OCT_FILTER (self)));
  const Settings *used = gst_oct_settings_get (settings);

  return used->mode == OCT_AVERAGE_BLOCK ? scan->bscan / used->frames : 0;
}

/* The mean starts again with a buffer, and not in the middle of one. */
static void
warn_of_two_volumes (GstOctAverage *self, const GstOctScanPosition *scan)
{
  if (self->warned || self->frames < 2
      || scan->bscan + scan->count <= scan->bscans)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("A buffer has B-scans of two volumes, and octaverage puts both into a "
       "mean; set `bscans` of octgather, or `bscans-per-buffer` of octsrc, to "
       "a number that divides the %u B-scans of a volume.",
          scan->bscans),
      (NULL));
}

/* In the streaming thread, before the buffer is worked on.  A B-scan of another
 * volume or block begins a new mean, also if B-scans of the previous block are
 * missing. */
static GstFlowReturn
gst_oct_average_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctAverage *self = GST_OCT_AVERAGE (trans);
  GstOctScanPosition scan;
  gboolean has_group = gst_oct_scan_meta_get (buffer, &scan) && scan.bscans > 1;

  if (has_group) {
    guint64 group = average_get_group (self, &scan);

    warn_of_two_volumes (self, &scan);
    if (self->has_group
        && (scan.volume != self->volume || group != self->group))
      gst_oct_filter_forget (GST_OCT_FILTER (self));
    self->volume = scan.volume;
    self->group = group;
  }
  self->has_group = has_group;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_average_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static gboolean
gst_oct_average_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstOctAverage *self = GST_OCT_AVERAGE (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    self->has_group = FALSE;
    gst_oct_filter_forget (GST_OCT_FILTER (self));
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_average_parent_class)
      ->sink_event (trans, event);
}

/* A block is of one place, or of none in particular.  `scan`: of its last
 * B-scan; `block`: of the block. */
static void
keep_place (GstOctAverage *self, const GstOctScanPosition *scan,
    GstOctScanPosition *block)
{
  gboolean mixed = scan->place != self->place;

  if (mixed && !self->told_places)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("mode=block of octaverage takes %u B-scans one after the other, and "
         "those come from several places, as from %u and %u; set `mode` to "
         "running and `frames` to 1, or deliver the repeats of a place one "
         "after the other.",
            self->frames, self->place, scan->place),
        (NULL));
  self->told_places |= mixed;
  block->bscan = scan->bscan / self->frames;
  block->has_place = !mixed && self->repeats % self->frames == 0;
  block->place = scan->place;
  block->repeat = scan->repeat / self->frames;
}

/* A whole block: from the time of its first B-scan to the end of its last. */
static void
stamp_block (GstOctAverage *self, GstBuffer *buffer)
{
  GstOctScanPosition scan, block;
  gboolean is_placed = gst_oct_scan_meta_get (buffer, &scan) && scan.has_place
                       && scan.bscans > 1;

  gst_oct_repeats_stamp (buffer, self->begin, self->frames);
  if (!is_placed || !gst_oct_scan_meta_get (buffer, &block))
    return;
  keep_place (self, &scan, &block);
  gst_oct_scan_meta_set (buffer, &block);
}

static GstFlowReturn
gst_oct_average_transform (
    GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  GstOctAverage *self = GST_OCT_AVERAGE (trans);
  GstFlowReturn ret = GST_BASE_TRANSFORM_CLASS (gst_oct_average_parent_class)
                          ->transform (trans, inbuf, outbuf);

  if (ret != GST_FLOW_OK || self->mode != OCT_AVERAGE_BLOCK)
    return ret;
  if (self->count == 1) {
    GstOctScanPosition scan = { 0 };

    (void)gst_oct_scan_meta_get (inbuf, &scan);
    self->begin = GST_BUFFER_PTS (inbuf);
    self->place = scan.place;
  }
  if (self->count < self->frames)
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  stamp_block (self, outbuf);
  return ret;
}

static gboolean
gst_oct_average_start (GstBaseTransform *trans)
{
  GST_OCT_AVERAGE (trans)->has_group = FALSE;
  GST_OCT_AVERAGE (trans)->warned = FALSE;
  GST_OCT_AVERAGE (trans)->told_places = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_average_parent_class)->start (trans);
}

static void
gst_oct_average_class_init (GstOctAverageClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_average_debug, "octaverage", 0, "OCT averaging over time");
  filter_class->configure = gst_oct_average_configure;
  filter_class->get_history = gst_oct_average_get_history;
  filter_class->found = gst_oct_average_found;
  trans_class->submit_input_buffer = gst_oct_average_submit_input_buffer;
  trans_class->sink_event = gst_oct_average_sink_event;
  trans_class->transform = gst_oct_average_transform;
  trans_class->start = gst_oct_average_start;
  gst_oct_image_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_AVERAGE,
          .properties = &properties,
          .long_name = "OCT averaging over time",
          .description = "Averages images or A-scans over several B-scans",
          .sink_caps = GST_OCT_CAPS_ASCANS });
  filter_class->transform_structure = gst_oct_average_transform_structure;
}

static void
gst_oct_average_init (GstOctAverage *self)
{
}
