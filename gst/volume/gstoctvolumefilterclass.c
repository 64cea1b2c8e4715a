/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctvolumefilter.h"
#include "gstoctallocation.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctlost.h"
#include "gstoctorder.h"
#include "gstoctscanmask.h"
#include "gstoctvolumecaps.h"

GST_DEBUG_CATEGORY (gst_oct_volume_filter_debug);
#define GST_CAT_DEFAULT gst_oct_volume_filter_debug

/* After so long without a picture nothing moves, and it may be a fine one. */
#define REST (300 * G_TIME_SPAN_MILLISECOND)
/* Pictures of a camera that moves while nothing is scanned are this far apart
 * at least. */
#define REDRAW (G_TIME_SPAN_SECOND / 60)

#define CLASS(self) GST_OCT_VOLUME_FILTER_GET_CLASS (self)

/* clang-format off */
G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstOctVolumeFilter, gst_oct_volume_filter,
    GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_oct_volume_filter_debug, "octvolumefilter", 0,
        "OCT pictures of volumes"))
/* clang-format on */

/* ----------------------------------------------------------------- settings */

/* The function with which GstOctChoice tries settings. */
static gboolean
volume_filter_try_settings (GstElement *element, gconstpointer settings,
    GstOctPurpose purpose, GError **error)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (element);
  GstOctVolumeFilterClass *klass = CLASS (self);

  if (purpose == GST_OCT_FOR_CAPS)
    return klass->check_caps == NULL
           || klass->check_caps (self, settings, error);
  if (klass->configure != NULL
      && !klass->configure (self, settings, purpose, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE)
    self->common = *(const GstOctVolumeCommon *)G_STRUCT_MEMBER_P (
        settings, klass->common);
  return TRUE;
}

static void
set_moved (GstOctVolumeFilter *self)
{
  g_mutex_lock (&self->lock);
  self->moved = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/* ------------------------------------------------------- while nothing comes
 */

/* With the stream lock of the sink pad, as if a B-scan had come. */
static void
volume_filter_redraw (
    GstOctVolumeFilter *self, gint64 drawn_at, gboolean fine, gboolean late)
{
  GstClockTime time = self->drawn;
  GstFlowReturn ret;

  if (self->failed || self->ended || self->renderer == NULL)
    return;
  if (late && self->common.update == GST_OCT_UPDATE_SCAN
      && gst_oct_volume_filter_show (self) != GST_FLOW_OK)
    return;
  if (!self->shown)
    return;
  if (GST_CLOCK_TIME_IS_VALID (time)) {
    time += (g_get_monotonic_time () - drawn_at) * GST_USECOND;
    /* B-scans of a file may come faster than their times say */
    if (late && GST_CLOCK_TIME_IS_VALID (self->time))
      time = MAX (time, self->time);
  }
  ret = gst_oct_volume_filter_make_picture (self, time, fine);
  GST_LOG_OBJECT (self, "drawn again: %s", gst_flow_get_name (ret));
}

/* The time after which scanning has paused.  B-scans may be made slowly, which
 * is not a pause: their usual distance is the lesser of the last two, as one of
 * these may have been a pause. */
static gint64
get_pause_time (const GstOctVolumeFilter *self)
{
  gint64 usual = MIN (self->between[0], self->between[1]);

  return self->came_at + MAX (REST, 3 * usual);
}

/* Until when nothing is to be done; 0: now.  With the lock. */
static gint64
get_redraw_time (GstOctVolumeFilter *self, gboolean *fine)
{
  gint64 due = G_MAXINT64;

  *fine = FALSE;
  if (self->moved)
    return self->drawn_at + REDRAW;
  *fine = TRUE;
  if (self->coarse)
    due = self->drawn_at + REST;
  if (self->late)
    due = MIN (due, get_pause_time (self));
  return due;
}

static gpointer
redraw_all (gpointer data)
{
  GstOctVolumeFilter *self = data;

  g_mutex_lock (&self->lock);
  while (!self->stops) {
    gboolean fine;
    gint64 due = get_redraw_time (self, &fine), drawn_at = self->drawn_at;

    if (due == G_MAXINT64) {
      g_cond_wait (&self->cond, &self->lock);
      continue;
    }
    if (g_get_monotonic_time () < due) {
      g_cond_wait_until (&self->cond, &self->lock, due);
      continue;
    }
    g_mutex_unlock (&self->lock);
    GST_PAD_STREAM_LOCK (self->sink);
    g_mutex_lock (&self->lock);
    /* a B-scan may have had it drawn while this one waited */
    due = get_redraw_time (self, &fine);
    drawn_at = self->drawn_at;
    if (!self->stops && g_get_monotonic_time () >= due) {
      gboolean late = self->late;

      self->moved = self->coarse = self->late = FALSE;
      g_mutex_unlock (&self->lock);
      volume_filter_redraw (self, drawn_at, fine, late);
    } else {
      g_mutex_unlock (&self->lock);
    }
    GST_PAD_STREAM_UNLOCK (self->sink);
    g_mutex_lock (&self->lock);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* ---------------------------------------------------------- events, queries */

static GstFlowReturn
gst_oct_volume_filter_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (parent);
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret;

  /* memory of a GPU is not written to from here */
  if (self->has_input && !self->input_on_gpu && !self->failed)
    buffer = gst_oct_lost_mend (buffer, &self->input, &error);
  if (buffer == NULL)
    return gst_oct_volume_filter_fail (self, &error);
  ret = gst_oct_volume_filter_take_buffer (self, buffer);
  gst_buffer_unref (buffer);
  return ret;
}

/* Whether B-scans have a place for each A-line of the mask, as octremap makes
 * them; those of octsrc lack some, and whole volumes are larger. */
static gboolean
has_holes_in_place (const GstOctVolumeFilter *self, const OctScanMask *mask)
{
  return self->has_input && self->input.columns == mask->lines
         && !gst_structure_has_field (
             gst_caps_get_structure (self->input_caps, 0),
             GST_OCT_SCAN_BSCANS_FIELD);
}

/* Pictures of such a scan do not show its voxels where they are; octvolumecs
 * lets no mask through. */
static void
warn_of_gaps (GstOctVolumeFilter *self, GstEvent *event)
{
  g_autoptr (OctScanMask) mask = gst_oct_scan_mask_event_parse (event);

  if (mask == NULL || mask->count == (guint64)mask->lines * mask->bscans
      || has_holes_in_place (self, mask))
    return;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The scan takes %u of the %u A-lines of a volume, and the picture shows "
       "them without the gaps; put octvolumecs in front of octlogscale to fill "
       "them in.",
          mask->count, mask->lines * mask->bscans),
      (NULL));
}

static gboolean
set_input (GstOctVolumeFilter *self, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  g_autoptr (GError) error = NULL;
  GstOctInfo info;
  gboolean input_on_gpu = gst_oct_caps_is_on_gpu (caps);
  gint start = 0;

  if (!gst_oct_info_from_caps (&info, caps, &error)) {
    gst_oct_volume_filter_fail (self, &error);
    return FALSE;
  }
  if (input_on_gpu && gst_oct_place_get_cuda (&self->place) == NULL) {
    g_set_error (&error, OCT_ERROR, OCT_ERROR_DEVICE,
        "%s was asked for memory on a GPU and was started without one; set "
        "`backend` before the start, the same on all elements.",
        gst_oct_element_type_name (GST_ELEMENT (self)));
    gst_oct_volume_filter_fail (self, &error);
    return FALSE;
  }
  if (!self->has_input || !gst_oct_info_same_layout (&info, &self->input)
      || input_on_gpu != self->input_on_gpu) {
    /* what there was is of another size */
    g_clear_pointer (&self->renderer, gst_oct_renderer_free);
    gst_oct_scan_forget (&self->scan);
    self->shown = self->fresh = FALSE;
    g_mutex_lock (&self->lock);
    self->late = FALSE;
    g_mutex_unlock (&self->lock);
  }
  self->input = info;
  self->input_on_gpu = input_on_gpu;
  self->has_input = TRUE;
  self->row = G_MAXUINT;
  /* rates may be others */
  self->has_output = FALSE;
  g_atomic_int_set (&self->stale, TRUE);
  gst_caps_replace (&self->input_caps, caps);
  memset (&self->spacing, 0, sizeof self->spacing);
  gst_structure_get_double (s, "y-spacing", &self->spacing.y);
  gst_structure_get_double (s, "x-spacing", &self->spacing.x);
  gst_structure_get_double (s, "z-spacing", &self->spacing.z);
  gst_structure_get_int (s, GST_OCT_DEPTH_START_FIELD, &start);
  self->depth_start = (guint)CLAMP (start, 0, G_MAXUINT16);
  return TRUE;
}

static void
volume_filter_forget (GstOctVolumeFilter *self)
{
  gst_oct_scan_forget (&self->scan);
  self->shown = self->fresh = FALSE;
  self->row = G_MAXUINT;
  self->time = self->drawn = GST_CLOCK_TIME_NONE;
  self->ended = FALSE;
  g_mutex_lock (&self->lock);
  self->late = FALSE;
  g_mutex_unlock (&self->lock);
  if (self->renderer != NULL)
    gst_oct_renderer_clear (self->renderer, NULL);
}

/* Caps come with the first picture, and nothing that describes the stream
 * before them. */
static gboolean
has_to_wait (GstOctVolumeFilter *self, GstEvent *event)
{
  return GST_EVENT_IS_STICKY (event)
         && GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START
         && GST_EVENT_TYPE (event) != GST_EVENT_EOS
         && !gst_pad_has_current_caps (self->src);
}

static gboolean
gst_oct_volume_filter_sink_event (
    GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (parent);
  gboolean ok = TRUE;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    /* pictures have caps of their own, with the first of them */
    gst_event_parse_caps (event, &caps);
    ok = set_input (self, caps);
    gst_event_unref (event);
    return ok;
  case GST_EVENT_EOS:
    gst_oct_volume_filter_drain (self);
    gst_oct_volume_filter_push_waiting (self);
    self->ended = TRUE;
    break;
  case GST_EVENT_FLUSH_STOP:
    g_queue_clear_full (&self->waiting, (GDestroyNotify)gst_event_unref);
    self->failed = FALSE;
    volume_filter_forget (self);
    break;
  case GST_EVENT_SEGMENT:
    gst_event_copy_segment (event, &self->segment);
    gst_oct_scan_take_segment (&self->scan, event);
    self->ended = FALSE;
    self->drawn = GST_CLOCK_TIME_NONE;
    break;
  default:
    warn_of_gaps (self, event);
    break;
  }
  if (has_to_wait (self, event)) {
    g_queue_push_tail (&self->waiting, event);
    return TRUE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_oct_volume_filter_src_event (
    GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (parent);

  if (GST_EVENT_TYPE (event) != GST_EVENT_NAVIGATION
      || CLASS (self)->navigate == NULL
      || !CLASS (self)->navigate (self, event))
    return gst_pad_event_default (pad, parent, event);
  gst_event_unref (event);
  return TRUE;
}

static gboolean
volume_filter_answer_caps (
    GstOctVolumeFilter *self, GstPad *pad, GstQuery *query)
{
  gboolean cuda = gst_oct_place_may_use_cuda (&self->place);
  g_autoptr (GstCaps) caps = NULL;
  GstCaps *filter, *both;

  if (pad == self->sink)
    caps = gst_oct_volume_caps_new (
        GST_OCT_CAPS_SLICE, GST_OCT_CAPS_GPU_IMAGE, cuda, TRUE);
  else
    caps = gst_oct_volume_caps_new (
        CLASS (self)->caps, CLASS (self)->gpu_caps, cuda, TRUE);
  gst_query_parse_caps (query, &filter);
  if (filter != NULL) {
    both = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (caps);
    caps = both;
  }
  gst_query_set_caps_result (query, caps);
  if (pad == self->sink)
    gst_oct_order_widen (self->sink, self->src, query);
  return TRUE;
}

static gboolean
gst_oct_volume_filter_answer_query (
    GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (parent);

  switch (GST_QUERY_TYPE (query)) {
  case GST_QUERY_CAPS:
    return volume_filter_answer_caps (self, pad, query);
  case GST_QUERY_CONTEXT:
    if (gst_oct_place_answer_query (&self->place, GST_ELEMENT (self), query))
      return TRUE;
    break;
  case GST_QUERY_ALLOCATION:
    if (pad == self->src)
      break;
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    if (self->has_input && self->input_on_gpu)
      gst_query_add_allocation_meta (query, GST_OCT_READER_API_TYPE, NULL);
    if (gst_oct_place_get_cuda (&self->place) != NULL && self->has_input
        && !self->input_on_gpu)
      gst_oct_propose_pinned_pool (
          gst_oct_place_get_cuda (&self->place), &self->input, query);
    return TRUE;
  default:
    break;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* ------------------------------------------------------------------- states */

static gboolean
volume_filter_start (GstOctVolumeFilter *self)
{
  g_autoptr (GError) error = NULL;

  if (gst_oct_place_start (&self->place, GST_ELEMENT (self), &error))
    return TRUE;
  gst_oct_volume_filter_fail (self, &error);
  return FALSE;
}

static void
begin_redrawing (GstOctVolumeFilter *self)
{
  self->moved = self->coarse = self->late = self->stops = FALSE;
  self->came_at = self->between[0] = self->between[1] = 0;
  self->thread = g_thread_new ("octpictures", redraw_all, self);
}

static void
volume_filter_stop (GstOctVolumeFilter *self)
{
  g_mutex_lock (&self->lock);
  self->stops = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&self->thread, g_thread_join);
  if (self->pool != NULL)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  g_clear_pointer (&self->renderer, gst_oct_renderer_free);
  gst_oct_scan_clear (&self->scan);
  memset (&self->told, 0, sizeof self->told);
  if (CLASS (self)->stop != NULL)
    CLASS (self)->stop (self);
  self->pictures = 0;
  self->places = 0;
  self->has_input = self->has_output = self->configured = FALSE;
  self->shown = self->fresh = self->failed = self->ended = FALSE;
  self->told_spacing = FALSE;
  self->seen_part = 1;
  self->drew_at = self->draw_time = 0;
  self->time = self->drawn = GST_CLOCK_TIME_NONE;
  gst_caps_replace (&self->input_caps, NULL);
  g_queue_clear_full (&self->waiting, (GDestroyNotify)gst_event_unref);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  gst_oct_place_stop (&self->place, GST_ELEMENT (self));
  gst_oct_choice_forget (&self->choice);
}

static GstStateChangeReturn
gst_oct_volume_filter_change_state (
    GstElement *element, GstStateChange transition)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    if (!volume_filter_start (self))
      return GST_STATE_CHANGE_FAILURE;
    begin_redrawing (self);
  }
  ret = GST_ELEMENT_CLASS (gst_oct_volume_filter_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    volume_filter_stop (self);
  return ret;
}

static void
gst_oct_volume_filter_set_context (GstElement *element, GstContext *context)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (element);

  gst_oct_place_set_context (&self->place, element, context);
  GST_ELEMENT_CLASS (gst_oct_volume_filter_parent_class)
      ->set_context (element, context);
}

/* ------------------------------------------------------------------- object */

static const GstOctProperty own_rows[] = {
  GST_OCT_BACKEND_ROWS (
      GstOctVolumeFilter, place.backend, place.cuda_device_id),
  { "stats", "Statistics",
      "Volumes, B-scans that are missing, repeated or late, pictures, and the "
      "seconds that the last one took (none = nothing yet)",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_STRUCTURE (GstOctVolumeFilter, stats) },
};
static const GstOctProperties own_properties =
    GST_OCT_PROPERTIES (GstOctVolumeFilter, own_rows);
static const GstOctHolder holder = { .properties = &own_properties };

static GstOctChoice *
find_volume_filter_choice (GObject *object)
{
  return &GST_OCT_VOLUME_FILTER (object)->choice;
}

static void
volume_filter_changed (GObject *object, gboolean affects_caps)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (object);

  g_atomic_int_set (&self->stale, TRUE);
  if (affects_caps)
    gst_pad_mark_reconfigure (self->src);
  set_moved (self);
}

static const GstOctChooser chooser = {
  .find = find_volume_filter_choice,
  .changed = volume_filter_changed,
};

static void
gst_oct_volume_filter_finalize (GObject *object)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (object);

  gst_oct_choice_clear (&self->choice);
  gst_oct_scan_clear (&self->scan);
  gst_oct_properties_clear (&own_properties, self);
  gst_oct_place_stop (&self->place, GST_ELEMENT (self));
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  G_OBJECT_CLASS (gst_oct_volume_filter_parent_class)->finalize (object);
}

static void
volume_filter_add_template (GstOctVolumeFilterClass *klass, const char *name,
    GstPadDirection direction, const char *host, const char *gpu)
{
  g_autoptr (GstCaps) caps = gst_oct_volume_caps_new (host, gpu, TRUE, TRUE);

  gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
      gst_pad_template_new (name, direction, GST_PAD_ALWAYS, caps));
}

void
gst_oct_volume_filter_class_describe (GstOctVolumeFilterClass *klass,
    const GstOctVolumeFilterDescription *description)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  klass->kind = description->kind;
  klass->properties = description->properties;
  klass->common = description->common;
  klass->caps = description->caps;
  klass->gpu_caps = description->gpu_caps;
  gst_oct_chooser_install (&chooser, description->properties, object_class,
      gst_oct_holder_install (&holder, object_class, 1));
  volume_filter_add_template (
      klass, "sink", GST_PAD_SINK, GST_OCT_CAPS_SLICE, GST_OCT_CAPS_GPU_IMAGE);
  volume_filter_add_template (
      klass, "src", GST_PAD_SRC, klass->caps, klass->gpu_caps);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      description->long_name, "Filter/Converter/Video",
      description->description, "The gst-oct developers");
}

static GstPad *
volume_filter_add_pad (GstOctVolumeFilter *self, const char *name)
{
  GstPad *pad = gst_pad_new_from_template (
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name),
      name);

  gst_pad_set_query_function (pad, gst_oct_volume_filter_answer_query);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

/* Pads and settings are those of the element. */
static void
gst_oct_volume_filter_constructed (GObject *object)
{
  GstOctVolumeFilter *self = GST_OCT_VOLUME_FILTER (object);

  gst_oct_choice_init (&self->choice, GST_ELEMENT (self),
      CLASS (self)->properties, volume_filter_try_settings, NULL);
  self->sink = volume_filter_add_pad (self, "sink");
  self->src = volume_filter_add_pad (self, "src");
  gst_pad_set_chain_function (self->sink, gst_oct_volume_filter_chain);
  gst_pad_set_event_function (self->sink, gst_oct_volume_filter_sink_event);
  gst_pad_set_event_function (self->src, gst_oct_volume_filter_src_event);
  gst_pad_use_fixed_caps (self->src);
  gst_oct_order_init (self->sink);
  G_OBJECT_CLASS (gst_oct_volume_filter_parent_class)->constructed (object);
}

static void
gst_oct_volume_filter_class_init (GstOctVolumeFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->constructed = gst_oct_volume_filter_constructed;
  object_class->finalize = gst_oct_volume_filter_finalize;
  element_class->change_state = gst_oct_volume_filter_change_state;
  element_class->set_context = gst_oct_volume_filter_set_context;
}

static void
gst_oct_volume_filter_init (GstOctVolumeFilter *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  gst_oct_properties_init (&own_properties, self);
  self->seen_part = 1;
  gst_oct_scan_forget (&self->scan);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->time = self->drawn = GST_CLOCK_TIME_NONE;
}
