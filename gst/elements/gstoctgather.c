/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octgather
 *
 * Puts several B-scans, which a camera delivers one by one, into one buffer.
 * Elements after it work on all at once: faster for small B-scans on a GPU.
 *
 * |[
 * gst-launch-1.0 octsrc lines=64 num-buffers=320 ! octgather bscans=16
 *   ! octdcsub ! octkresample ! octfft ! octlogscale
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctgather.h"
#include "gstoctallocation.h"
#include "gstocterror.h"
#include "gstoctfiltercaps.h"
#include "gstoctframe.h"
#include "gstoctgathercaps.h"
#include "gstoctgathered.h"
#include "gstoctinstall.h"
#include "gstoctorder.h"
#include "gstoctpieces.h"
#include "gstoctplace.h"
#include "gstoctproperties.h"
#include "gstoctscanmeta.h"
#include "gstoctthread.h"
#include "oct-number.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_gather_debug);
#define GST_CAT_DEFAULT gst_oct_gather_debug

typedef struct {
  guint bscans; /* 0: as many as wait */
  guint max_bscans;
  gboolean gpu_only;
} Settings;

struct _GstOctGather {
  GstBaseTransform parent;

  Settings settings; /* under the object lock */

  /* streaming thread, which alone changes it; others read it, so that needs the
   * object lock */
  GstOctGathered each;

  /* streaming thread */
  GstOctInfo out;      /* of all in one buffer */
  GstCaps *whole;      /* of all */
  GstBuffer *gathered; /* NULL: none yet */
  guint count;         /* buffers that are in it */
  GstOctExpected next;
  gboolean warned; /* of B-scans that were left out */

  gint failed; /* atomic: an own error was posted */

  gboolean threaded; /* bscans=0, while the pads are active */
  GstOctThread *thread;
};

G_DEFINE_TYPE (GstOctGather, gst_oct_gather, GST_TYPE_BASE_TRANSFORM);
GST_OCT_REGISTER_DEFINE (
    octgather, "octgather", GST_RANK_NONE, GST_TYPE_OCT_GATHER);

#define SPECTRA GST_OCT_CAPS_SPECTRA ("F32LE", "{ wavelength, wavenumber }")

static const GstOctProperty rows[] = {
  { "bscans", "B-scans",
      "Buffers that are put into one; more are faster for small B-scans, but "
      "each waits until the buffer is full (0 = as many as wait while the "
      "elements after it are busy, without a copy)",
      0, NULL, GST_OCT_UINT (Settings, bscans, 0, OCT_MAX_LINES, 8) },
  { "max-bscans", "Largest number of B-scans",
      "bscans=0: B-scans in a buffer at most", 0, NULL,
      GST_OCT_UINT (
          Settings, max_bscans, 1, GST_OCT_PIECES_MOST, GST_OCT_PIECES_MOST) },
  { "gpu-only", "For a GPU only",
      "bscans=0: passes B-scans on as they come unless the next element brings "
      "them to a GPU",
      0, NULL, GST_OCT_BOOLEAN (Settings, gpu_only, FALSE) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static void
gather_post_error (GstOctGather *self, GError **error)
{
  /* caps that are refused may come again */
  if (g_atomic_int_compare_and_exchange (&self->failed, FALSE, TRUE))
    gst_oct_element_error (GST_ELEMENT (self), error);
}

/* --------------------------------------------------------------------- caps */

static Settings
gather_get_settings (GstOctGather *self)
{
  Settings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  return settings;
}

/* The number of buffers to put into one of such; 0: it is not known yet. */
static guint
gather_find_group (GstOctGather *self, const GstStructure *s)
{
  Settings settings = gather_get_settings (self);
  g_autoptr (GstCaps) caps = NULL;
  GstOctInfo info;

  if (settings.bscans > 0)
    return settings.bscans;
  caps = gst_caps_new_full (gst_structure_copy (s), NULL);
  /* the only field that a source may not have decided yet */
  gst_structure_remove_field (gst_caps_get_structure (caps, 0), "framerate");
  if (!gst_oct_info_from_caps (&info, caps, NULL))
    return 0;
  if (settings.gpu_only
      && !gst_oct_place_is_on_gpu (GST_BASE_TRANSFORM_SRC_PAD (self)))
    return 1;
  return gst_oct_gather_count_waiting (&info, settings.max_bscans);
}

/* FALSE: there is no structure of the other pad. */
static gboolean
gather_transform_structure (GstOctGather *self, GstStructure *s,
    GstCapsFeatures *features, GstPadDirection direction)
{
  guint group = 0;

  if (gst_caps_features_contains (features, GST_OCT_CUDA_FEATURE))
    return gather_get_settings (self).bscans == 0;
  if (direction == GST_PAD_SINK || gather_get_settings (self).bscans > 0)
    group = gather_find_group (self, s);
  if (group == 0)
    gst_oct_gather_open_structure (s);
  return group <= 1 || gst_oct_gather_transform_structure (s, direction, group);
}

static GstCaps *
gst_oct_gather_transform_caps (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstOctGather *self = GST_OCT_GATHER (trans);
  guint i;
  GstCaps *all = gst_caps_new_empty (), *both;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *s = gst_structure_copy (gst_caps_get_structure (caps, i));
    GstCapsFeatures *features = gst_caps_get_features (caps, i);

    if (gather_transform_structure (self, s, features, direction))
      gst_caps_append_structure_full (
          all, s, gst_caps_features_copy (features));
    else
      gst_structure_free (s);
  }
  if (filter == NULL)
    return all;
  both = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (all);
  return both;
}

static gboolean
gst_oct_gather_set_caps (
    GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps)
{
  GstOctGather *self = GST_OCT_GATHER (trans);
  GstOctGathered each = { .in_volume = !self->threaded };
  g_autoptr (GError) error = NULL;

  if (!gst_oct_info_from_caps (&each.info, incaps, &error)
      || !gst_oct_info_from_caps (&self->out, outcaps, &error)) {
    gather_post_error (self, &error);
    return FALSE;
  }
  each.group = self->out.bscans / each.info.bscans;
  gst_caps_replace (&self->whole, outcaps);
  if (!gst_structure_get_fraction (gst_caps_get_structure (incaps, 0),
          "framerate", &each.fps_n, &each.fps_d))
    each.fps_n = 0;
  GST_OBJECT_LOCK (self);
  self->each = each;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* ------------------------------------------------------------------ buffers */

static gboolean
gst_oct_gather_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  /* the memory of the source goes on */
  if (GST_OCT_GATHER (trans)->threaded)
    return TRUE;
  return gst_oct_decide_allocation (GST_ELEMENT (trans), query, NULL, NULL);
}

static gboolean
gst_oct_gather_propose_allocation (
    GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  GstOctGather *self = GST_OCT_GATHER (trans);
  g_autoptr (GstAllocator) allocator = NULL;

  if (self->threaded && self->each.group == 1)
    return gst_pad_peer_query (GST_BASE_TRANSFORM_SRC_PAD (trans), query);
  /* rows of any stride are fine */
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (!self->threaded || decide_query == NULL
      || gst_query_get_n_allocation_params (decide_query) == 0)
    return TRUE;
  gst_query_parse_nth_allocation_param (decide_query, 0, &allocator, NULL);
  /* the memory itself goes on */
  if (allocator != NULL)
    gst_oct_propose_pool (
        allocator, &self->each.info, 4 + self->each.group, query);
  return TRUE;
}

static GError *
no_memory_new (guint bscans)
{
  return g_error_new (OCT_ERROR, OCT_ERROR_MEMORY,
      "There is no memory for %u B-scans in one buffer; set `bscans` of "
      "octgather to less.",
      bscans);
}

static void
gather_forget (GstOctGather *self)
{
  gst_clear_buffer (&self->gathered);
  self->count = 0;
  gst_oct_expected_clear (&self->next);
}

/* Memory for all, whatever the caps in force are, and the metadata of
 * `first`. */
static GstFlowReturn
gather_begin (GstOctGather *self, GstBuffer *first)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  g_autoptr (GstBufferPool) pool = gst_base_transform_get_buffer_pool (trans);
  g_autoptr (GError) error = NULL;
  GstAllocator *allocator = NULL;
  GstAllocationParams params;
  GstFlowReturn ret = GST_FLOW_OK;

  if (pool == NULL) {
    gst_base_transform_get_allocator (trans, &allocator, &params);
    self->gathered =
        gst_buffer_new_allocate (allocator, self->out.size, &params);
    gst_clear_object (&allocator);
  } else if (gst_buffer_pool_is_active (pool)
             || gst_buffer_pool_set_active (pool, TRUE)) {
    ret = gst_buffer_pool_acquire_buffer (pool, &self->gathered, NULL);
  }
  if (self->gathered == NULL && ret == GST_FLOW_OK) {
    error = no_memory_new (self->out.bscans);
    gather_post_error (self, &error);
    ret = GST_FLOW_ERROR;
  }
  if (ret == GST_FLOW_OK)
    GST_BASE_TRANSFORM_GET_CLASS (trans)->copy_metadata (
        trans, first, self->gathered);
  return ret;
}

/* Caps go with the buffers that need them: if hardly any B-scan follows the
 * previous one, they stay those of a single one, and downstream elements make
 * no new plans for each. */
static GstFlowReturn
gather_push (GstOctGather *self, GstBuffer *buffer, GstCaps *caps)
{
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD (self);
  g_autoptr (GstCaps) current = gst_pad_get_current_caps (src);

  if (current == NULL || !gst_caps_is_equal (current, caps))
    gst_pad_push_event (src, gst_event_new_caps (caps));
  /* which also says where the caps were refused */
  return gst_pad_push (src, buffer);
}

/* The rows of `buffer` without padding, in memory of their own. */
static GstBuffer *
gather_pack (GstOctGather *self, const GstOctInfo *info, GstBuffer *buffer,
    GError **error)
{
  g_autoptr (GstBuffer) packed =
      gst_buffer_new_allocate (NULL, info->size, NULL);

  if (packed == NULL) {
    g_propagate_error (error, no_memory_new (info->bscans));
    return NULL;
  }
  if (!gst_oct_frame_copy_rows (
          info, packed, 0, info, buffer, info->rows, error))
    return NULL;
  GST_BASE_TRANSFORM_GET_CLASS (self)->copy_metadata (
      GST_BASE_TRANSFORM (self), buffer, packed);
  return g_steal_pointer (&packed);
}

/* ------------------------------------------------------------ those that wait
 */

static GstOctGathered
gather_get_each (GstOctGather *self)
{
  GstOctGathered each;

  GST_OBJECT_LOCK (self);
  each = self->each;
  GST_OBJECT_UNLOCK (self);
  return each;
}

static gboolean
gather_is_plain (const GstOctInfo *info, GstBuffer *buffer)
{
  return gst_oct_rows_are_plain (info, buffer)
         && gst_buffer_get_size (buffer) == info->size;
}

/* bscans=0, in the thread of the source: a buffer that others can be put into
 * one with. */
static GstBuffer *
gather_prepare (GstBaseTransform *trans, GstBuffer *buffer, gboolean alone)
{
  GstOctGather *self = GST_OCT_GATHER (trans);
  GstOctGathered each = gather_get_each (self);
  gboolean is_small = gst_buffer_get_size (buffer) < each.info.size;
  gboolean is_told = gst_oct_rows_are_told (&each.info, buffer);
  g_autoptr (GError) error = NULL;
  GstBuffer *packed;

  /* one with fewer B-scans than the caps say does not go together with others
   */
  if (gather_is_plain (&each.info, buffer) || (is_told ? alone : is_small))
    return buffer;
  packed = gather_pack (self, &each.info, buffer, &error);
  gst_buffer_unref (buffer);
  if (packed == NULL)
    gather_post_error (self, &error);
  return packed;
}

/* The same thread: one more to those that wait, without a copy. */
static gboolean
gather_join (
    GstBaseTransform *trans, GstBuffer **last, guint count, GstBuffer *buffer)
{
  GstOctGathered each = gather_get_each (GST_OCT_GATHER (trans));
  GstOctExpected next = gst_oct_expected_after (
      &each, count > 1 ? gst_oct_pieces_get (*last, count - 1) : *last);
  g_autoptr (GstBuffer) whole = NULL;

  if (count >= each.group || !gather_is_plain (&each.info, buffer)
      || !gst_oct_gathered_follows (&each, &next, *last, count, buffer))
    return FALSE;
  if (count > 1)
    return gst_oct_pieces_append (*last, buffer, each.info.size);
  if (!gather_is_plain (&each.info, *last))
    return FALSE;
  whole = gst_buffer_new ();
  GST_BASE_TRANSFORM_GET_CLASS (trans)->copy_metadata (trans, *last, whole);
  /* of another octgather */
  gst_oct_pieces_forget (whole);
  if (!gst_oct_pieces_append (whole, *last, each.info.size)
      || !gst_oct_pieces_append (whole, buffer, each.info.size))
    return FALSE;
  gst_buffer_unref (*last);
  *last = g_steal_pointer (&whole);
  return TRUE;
}

/* One by one: the number that goes together has become smaller. */
static GstFlowReturn
gather_push_apart (GstOctGather *self, GstBuffer *whole, guint count)
{
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    GstBuffer *one = gst_buffer_new ();

    GST_BASE_TRANSFORM_GET_CLASS (self)->copy_metadata (
        GST_BASE_TRANSFORM (self), gst_oct_pieces_get (whole, i), one);
    gst_buffer_append_memory (one, gst_buffer_get_memory (whole, i));
    ret = gather_push (self, one, self->whole);
  }
  return ret;
}

/* In its own thread: those that waited, or one alone; takes over `buffer`. */
static GstFlowReturn
gather_push_waiting (GstOctGather *self, GstBuffer *buffer)
{
  guint count = gst_oct_thread_count (self->thread);

  if (count > self->each.group) {
    GstFlowReturn ret = gather_push_apart (self, buffer, count);

    gst_buffer_unref (buffer);
    return ret;
  }
  if (count > 1) {
    GstOctExpected next = gst_oct_expected_after (
        &self->each, gst_oct_pieces_get (buffer, count - 1));

    gst_oct_gathered_stamp (&self->each, &next, count, buffer);
  }
  return gather_push (self, buffer, self->whole);
}

/* -------------------------------------------------------- a number that is set
 */

/* Metadata of the whole for elements downstream. */
static void
gather_stamp (GstOctGather *self, GstBuffer *whole)
{
  gst_oct_gathered_stamp (&self->each, &self->next, self->count, whole);
}

static GstFlowReturn
gather_take_buffer (GstOctGather *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret = GST_FLOW_OK;

  if (self->gathered == NULL)
    ret = gather_begin (self, buffer);
  if (ret != GST_FLOW_OK)
    return ret;
  if (!gst_oct_frame_copy_rows (&self->out, self->gathered,
          self->count * self->each.info.rows, &self->each.info, buffer,
          self->each.info.rows, &error)) {
    gather_post_error (self, &error);
    return GST_FLOW_ERROR;
  }
  self->count++;
  self->next = gst_oct_expected_after (&self->each, buffer);
  return GST_FLOW_OK;
}

/* Caps for as many as there are. */
static GstCaps *
make_caps_of_rest (GstOctGather *self)
{
  g_autoptr (GstCaps) caps =
      gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  GstStructure *s;

  if (caps == NULL)
    return NULL;
  caps = gst_caps_make_writable (caps);
  s = gst_caps_get_structure (caps, 0);
  gst_oct_gather_transform_structure (s, GST_PAD_SINK, self->count);
  if (self->count * self->each.info.bscans == 1)
    gst_structure_remove_field (s, GST_OCT_BSCANS_FIELD);
  return g_steal_pointer (&caps);
}

/* A buffer of the B-scans that there are, with these caps. */
static GstBuffer *
make_rest (GstOctGather *self, GstCaps *caps, GError **error)
{
  g_autoptr (GstBuffer) rest = NULL;
  GstCustomMeta *meta;
  GstOctInfo info;

  if (!gst_oct_info_from_caps (&info, caps, error))
    return NULL;
  rest = gst_buffer_new_allocate (NULL, info.size, NULL);
  if (rest == NULL) {
    g_propagate_error (error, no_memory_new (info.bscans));
    return NULL;
  }
  if (!gst_oct_frame_copy_rows (
          &info, rest, 0, &self->out, self->gathered, info.rows, error))
    return NULL;
  gst_buffer_copy_into (rest, self->gathered,
      GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  meta = gst_buffer_get_custom_meta (self->gathered, GST_OCT_SCAN_META_NAME);
  if (meta != NULL)
    gst_oct_scan_meta_copy (rest, meta);
  gather_stamp (self, rest);
  return g_steal_pointer (&rest);
}

static void
warn_left_out (GstOctGather *self, guint count)
{
  g_autofree char *bscans = oct_number_count (count, "B-scan");

  if (!self->warned)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("%s in front of a gap or of the end %s left out, because the "
         "next element takes %u in a buffer and no fewer; remove `bscans` from "
         "the caps after octgather, or set `bscans` of octgather to 1.",
            bscans, oct_number_be (count), self->out.bscans),
        (NULL));
  self->warned = TRUE;
}

/* Nothing is lost at the end and before a B-scan that does not follow: those
 * gathered go on as a smaller buffer. */
static GstFlowReturn
push_rest (GstOctGather *self)
{
  guint bscans = self->count * self->each.info.bscans;
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GError) error = NULL;
  GstBuffer *rest;
  GstFlowReturn ret;

  if (g_atomic_int_get (&self->failed))
    return GST_FLOW_ERROR;
  if (self->gathered == NULL || (caps = make_caps_of_rest (self)) == NULL)
    return GST_FLOW_OK;
  rest = make_rest (self, caps, &error);
  gather_forget (self);
  if (rest == NULL) {
    gather_post_error (self, &error);
    return GST_FLOW_ERROR;
  }
  GST_DEBUG_OBJECT (self, "a smaller buffer, %" GST_PTR_FORMAT, rest);
  ret = gather_push (self, rest, caps);
  if (ret != GST_FLOW_NOT_NEGOTIATED)
    return ret;
  warn_left_out (self, bscans);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_oct_gather_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctGather *self = GST_OCT_GATHER (trans);
  GstFlowReturn ret = GST_FLOW_OK;

  if (self->gathered != NULL
      && !gst_oct_gathered_follows (
          &self->each, &self->next, self->gathered, self->count, buffer))
    ret = push_rest (self);
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return ret;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_gather_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

static GstFlowReturn
gst_oct_gather_generate_output (GstBaseTransform *trans, GstBuffer **output)
{
  GstOctGather *self = GST_OCT_GATHER (trans);
  g_autoptr (GstBuffer) buffer = g_steal_pointer (&trans->queued_buf);
  GstFlowReturn ret = GST_FLOW_OK;

  *output = NULL;
  if (buffer == NULL)
    return ret;
  if (g_atomic_int_get (&self->failed))
    return GST_FLOW_ERROR;
  if (self->threaded)
    return gather_push_waiting (self, g_steal_pointer (&buffer));
  ret = gather_take_buffer (self, buffer);
  if (ret == GST_FLOW_OK && self->count == self->each.group) {
    GstBuffer *whole = g_steal_pointer (&self->gathered);

    gather_stamp (self, whole);
    gather_forget (self);
    ret = gather_push (self, whole, self->whole);
  }
  return ret;
}

/* ---------------------------------------------------------- events, states */

/* Caps that have no counterpart would only be said not to be negotiated. */
static gboolean
check_caps (GstOctGather *self, GstEvent *event)
{
  guint group = gather_get_settings (self).bscans, most;
  g_autoptr (GError) error = NULL;
  g_autofree char *what = NULL;
  GstOctInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_oct_info_from_caps (&info, caps, NULL))
    return TRUE;
  most = MIN (OCT_MAX_LINES, OCT_MAX_BSCAN_VALUES / info.columns) / info.rows;
  if (group <= MAX (1, most))
    return TRUE;
  if (info.bscans > 1)
    what = g_strdup_printf ("%u buffers of %u B-scans", group, info.bscans);
  else
    what = g_strdup_printf ("%u B-scans", group);
  g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s of %u lines of %u samples were asked for in one buffer; at "
      "most %u fit, set `bscans` of octgather to that or less.",
      what, info.rows / info.bscans, info.columns, MAX (1, most));
  gather_post_error (self, &error);
  return FALSE;
}

static gboolean
gst_oct_gather_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstOctGather *self = GST_OCT_GATHER (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && !check_caps (self, event)) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    gather_forget (self);
    g_atomic_int_set (&self->failed, FALSE);
  } else if (GST_EVENT_IS_SERIALIZED (event)) {
    /* the event is for the B-scans after it: another calibration, caps, a
     * segment, a gap, the end */
    push_rest (self);
  }
  return gst_oct_order_sink_event (
      trans, GST_BASE_TRANSFORM_CLASS (gst_oct_gather_parent_class), event);
}

/* The first B-scan of a group waits for the last; if as many are taken as wait,
 * none waits for another, but there is room for that many. */
static void
add_latency (GstOctGather *self, GstQuery *query)
{
  g_autoptr (GstCaps) caps =
      gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  GstOctGathered each = gather_get_each (self);
  GstClockTime least, most, more;
  gint n, d;
  gboolean live;

  gst_query_parse_latency (query, &live, &least, &most);
  if (caps == NULL
      || !gst_structure_get_fraction (
          gst_caps_get_structure (caps, 0), "framerate", &n, &d)
      || n <= 0)
    return;
  more = gst_util_uint64_scale (
      (self->threaded ? each.group : gather_get_settings (self).bscans - 1)
          * GST_SECOND,
      (guint64)d * each.info.bscans, n);
  if (self->threaded && each.group <= 1)
    more = 0;
  gst_query_set_latency (query, live, self->threaded ? least : least + more,
      GST_CLOCK_TIME_IS_VALID (most) ? most + more : most);
}

static gboolean
gst_oct_gather_query (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (!GST_BASE_TRANSFORM_CLASS (gst_oct_gather_parent_class)
           ->query (trans, direction, query))
    return FALSE;
  if (direction == GST_PAD_SRC && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    add_latency (GST_OCT_GATHER (trans), query);
  if (direction == GST_PAD_SINK && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_oct_order_widen (trans->sinkpad, trans->srcpad, query);
  return TRUE;
}

static gboolean
gst_oct_gather_stop (GstBaseTransform *trans)
{
  GstOctGather *self = GST_OCT_GATHER (trans);

  gather_forget (self);
  gst_clear_caps (&self->whole);
  self->warned = FALSE;
  g_atomic_int_set (&self->failed, FALSE);
  return TRUE;
}

/* ------------------------------------------------------------------- object */

static const GstOctHolder holder = {
  .properties = &properties,
  .offset = G_STRUCT_OFFSET (GstOctGather, settings),
};

/* How many wait for the own thread; 0: there is none. */
static guint
gather_count_waiting (GstBaseTransform *trans)
{
  GstOctGather *self = GST_OCT_GATHER (trans);
  guint group = gather_get_each (self).group;

  return self->threaded && group > 1 ? group : 0;
}

static gboolean
gather_begin_thread (GstBaseTransform *trans)
{
  GstOctGather *self = GST_OCT_GATHER (trans);

  self->threaded = gather_get_settings (self).bscans == 0;
  return self->threaded;
}

static const GstOctThreadFunctions thread_functions = {
  .begin = gather_begin_thread,
  .count = gather_count_waiting,
  .prepare = gather_prepare,
  .join = gather_join,
};

static void
gst_oct_gather_finalize (GObject *object)
{
  gst_oct_thread_free (GST_OCT_GATHER (object)->thread);
  G_OBJECT_CLASS (gst_oct_gather_parent_class)->finalize (object);
}

/* Spectra in the memory of a GPU only pass through. */
static void
gather_add_template (
    GstElementClass *klass, const char *name, GstPadDirection direction)
{
  g_autoptr (GstCaps) caps =
      gst_caps_from_string (GST_OCT_CAPS_RAW "; " SPECTRA);
  GstCaps *gpu = gst_caps_from_string (SPECTRA);

  gst_caps_set_features_simple (
      gpu, gst_caps_features_new (GST_OCT_CUDA_FEATURE, NULL));
  gst_caps_append (caps, gpu);
  gst_element_class_add_pad_template (
      klass, gst_pad_template_new (name, direction, GST_PAD_ALWAYS, caps));
}

static void
gst_oct_gather_class_init (GstOctGatherClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_gather_debug, "octgather", 0, "OCT gathering of B-scans");
  object_class->finalize = gst_oct_gather_finalize;
  gst_oct_holder_install (&holder, object_class, 1);
  gather_add_template (element_class, "sink", GST_PAD_SINK);
  gather_add_template (element_class, "src", GST_PAD_SRC);
  gst_element_class_set_static_metadata (element_class,
      "OCT gathering of B-scans", "Filter/Video",
      "Puts several B-scans of a camera into one buffer",
      "The gst-oct developers");
  trans_class->transform_caps = gst_oct_gather_transform_caps;
  trans_class->set_caps = gst_oct_gather_set_caps;
  trans_class->transform_size = gst_oct_filter_caps_transform_size;
  trans_class->get_unit_size = gst_oct_filter_caps_get_unit_size;
  trans_class->decide_allocation = gst_oct_gather_decide_allocation;
  trans_class->propose_allocation = gst_oct_gather_propose_allocation;
  trans_class->submit_input_buffer = gst_oct_gather_submit_input_buffer;
  trans_class->generate_output = gst_oct_gather_generate_output;
  trans_class->sink_event = gst_oct_gather_sink_event;
  trans_class->query = gst_oct_gather_query;
  trans_class->stop = gst_oct_gather_stop;
}

static void
gst_oct_gather_init (GstOctGather *self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_oct_order_init (trans->sinkpad);
  gst_base_transform_set_in_place (trans, FALSE);
  gst_oct_properties_init (&properties, &self->settings);
  gather_forget (self);
  self->thread = gst_oct_thread_new (trans, &thread_functions);
}
