/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octremap
 *
 * Makes ordinary volumes of scans that are not rasters: spirals, Lissajous
 * figures, rosettes, or any places that the stream tells. It takes images or
 * A-scans, and comes before octvolume, octenface and octslice. The action signal
 * tune finds the delay of the mirrors.
 *
 * |[
 * gst-launch-1.0 octsrc phantom=surgery scan=spiral lines=256 bscans=256
 *   num-buffers=512 ! octreconstruct range=manual ! octremap ! octenface
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctremap.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctorder.h"
#include "gstoctplace.h"
#include "gstoctremapcaps.h"
#include "gstoctremapgrid.h"
#include "gstoctremapper.h"
#include "gstoctremaptune.h"
#include "gstoctscan.h"
#include "gstoctscanmask.h"
#include "gstoctscanmeta.h"
#include "gstoctscanpath.h"
#include "gstoctscatterevents.h"
#include "gstoctvolumeevents.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_oct_remap_debug);
#define GST_CAT_DEFAULT gst_oct_remap_debug

#define AT_END                                                                 \
  "The stream has ended before the delay of the mirrors was found; begin "     \
  "again when B-scans come."

struct _GstOctRemap {
  GstElement parent;

  GstPad *sink, *src;
  GstOctRemapTune *tune;

  /* under the object lock; what is set stays as it is while it runs */
  GstOctRemapSettings settings;
  GstOctPlace place;
  GstClockTime latency; /* 0: not known */

  /* streaming thread */
  gboolean failed; /* an error was posted */
  GstCaps *caps;   /* of the input, NULL: none yet */
  GstOctInfo in;
  gboolean input_on_gpu;
  guint lines;              /* of a B-scan of the input */
  OctScanPlaces *places;    /* from upstream, or NULL */
  GstOctRemapper *remapper; /* NULL: nothing has come with these caps */
  GstOctRemapGrid grid;
  guint8 *sent;   /* [rows][columns] pixels that have a value, as was told */
  gboolean empty; /* it was told that a volume has no pixel */
  gboolean has_output;
  GstOctVolumeEvents events;

  GstOctScan scan;
  gboolean has_volume;     /* something of the volume under way was stored */
  gboolean fresh;          /* ... since the last raster */
  GstClockTime start, end; /* of those B-scans */
  GstClockTime now;        /* the time of the scan, and at the last raster */
  GstClockTime shown;
  gint64 pushed, push_time; /* when a raster was pushed, and how long it took */
  guint64 number;           /* of the next raster */
  guint64 delivered;        /* B-scans */
};

G_DEFINE_TYPE (GstOctRemap, gst_oct_remap, GST_TYPE_ELEMENT);
GST_OCT_REGISTER_DEFINE (
    octremap, "octremap", GST_RANK_NONE, GST_TYPE_OCT_REMAP);

static GstFlowReturn
remap_fail (GstOctRemap *self, GError **error)
{
  if (!self->failed)
    gst_oct_element_error (GST_ELEMENT (self), error);
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

/* -------------------------------------------------------------------- begin */

static void
remap_forget_fresh (GstOctRemap *self)
{
  self->fresh = FALSE;
  self->start = self->end = GST_CLOCK_TIME_NONE;
}

static void
remap_forget_volume (GstOctRemap *self)
{
  self->has_volume = FALSE;
  self->shown = GST_CLOCK_TIME_NONE;
  remap_forget_fresh (self);
}

static void
remap_forget_plan (GstOctRemap *self)
{
  g_clear_pointer (&self->remapper, gst_oct_remapper_free);
  g_clear_pointer (&self->sent, g_free);
  self->has_output = self->empty = FALSE;
  remap_forget_volume (self);
  gst_oct_scan_forget (&self->scan);
}

/* For the B-scans that come. */
static gboolean
remap_prepare (GstOctRemap *self, guint bscans, GError **error)
{
  const GstOctRemapSettings *settings = &self->settings;
  OctScanRemap *map;
  guint holes;

  if (!gst_oct_branch_allows_volumes (GST_ELEMENT (self), error)
      || !gst_oct_remap_grid_check (self->places, self->lines, bscans, error))
    return FALSE;
  map = gst_oct_remap_grid_make (settings, self->places, &self->grid, error);
  if (map == NULL)
    return FALSE;
  holes = map->holes;
  self->remapper = gst_oct_remapper_new (gst_oct_place_get_cuda (&self->place),
      &self->in, self->input_on_gpu, map, settings->complex,
      settings->update == GST_OCT_UPDATE_SCAN, error);
  if (self->remapper == NULL)
    return FALSE;
  GST_INFO_OBJECT (self, "%u x %u pixels, %u holes", self->grid.columns,
      self->grid.rows, holes);
  GST_OBJECT_LOCK (self);
  self->settings.holes = holes;
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "holes");
  return TRUE;
}

/* --------------------------------------------------------------------- caps */

/* How long an A-line waits until it is delivered; 0: not known. */
static GstClockTime
remap_find_latency (const GstOctRemap *self, gint n, gint d)
{
  GstClockTime volume =
      n > 0 ? gst_util_uint64_scale (self->places->bscans * GST_SECOND, d, n)
            : 0;
  GstClockTime interval = (GstClockTime)(self->settings.interval * GST_SECOND);

  if (self->settings.update == GST_OCT_UPDATE_VOLUME)
    return volume;
  return volume > 0 ? MIN (volume, interval) : interval;
}

static void
remap_set_times (GstOctRemap *self, GstStructure *to)
{
  gint n = 0, d = 1;
  gboolean known = gst_structure_get_fraction (to, "framerate", &n, &d);
  GstClockTime before, latency = remap_find_latency (self, n, d);

  GST_OBJECT_LOCK (self);
  before = self->latency;
  if (latency > 0)
    self->latency = latency;
  GST_OBJECT_UNLOCK (self);
  if (latency > 0 && latency != before)
    gst_element_post_message (
        GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  /* as often as the scan and the machine allow */
  if (known && self->settings.update == GST_OCT_UPDATE_SCAN)
    gst_structure_set (to, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
  else if (known && n > 0
           && gst_util_fraction_multiply (
               n, d, (gint)self->grid.rows, (gint)self->places->bscans, &n, &d))
    gst_structure_set (to, "framerate", GST_TYPE_FRACTION, n, d, NULL);
}

static GstCaps *
remap_make_caps (GstOctRemap *self)
{
  GstStructure *to =
      gst_structure_copy (gst_caps_get_structure (self->caps, 0));

  gst_structure_set (to, self->in.is_video ? "width" : "lines", G_TYPE_INT,
      (gint)self->grid.columns, "x-spacing", G_TYPE_DOUBLE,
      self->grid.spacing[0], "y-spacing", G_TYPE_DOUBLE, self->grid.spacing[1],
      NULL);
  if (self->in.is_video)
    gst_structure_set (to, "height", G_TYPE_INT,
        (gint)(self->in.rows / self->in.bscans), NULL);
  /* neighbours of the raster were not taken one after the other */
  gst_structure_remove_fields (to, GST_OCT_BSCANS_FIELD, GST_OCT_REPEATS_FIELD,
      GST_OCT_LINE_RATE_FIELD, GST_OCT_SCAN_LINES_FIELD,
      GST_OCT_SCAN_BSCANS_FIELD, NULL);
  remap_set_times (self, to);
  return gst_caps_new_full (to, NULL);
}

/* Tells octvolumecs which A-scans of the volume are holes, or lost; without any
 * too, as it refuses what has no mask.  FALSE: all of them are, and nothing can
 * be made of the volume. */
static gboolean
send_holes (GstOctRemap *self)
{
  gsize pixels = (gsize)self->grid.columns * self->grid.rows;
  g_autofree guint8 *taken = NULL;
  g_autoptr (OctScanMask) mask = NULL;

  if (self->in.is_video)
    return TRUE;
  taken = gst_oct_remapper_find_taken (self->remapper);
  if (self->sent != NULL && memcmp (taken, self->sent, pixels) == 0)
    return TRUE;
  if (memchr (taken, 1, pixels) == NULL) {
    /* those that are to come may be on the raster */
    if (self->has_volume)
      return FALSE;
    if (!self->empty)
      GST_ELEMENT_WARNING (self, STREAM, DECODE,
          ("No A-line on the raster has come since the scan path, and the "
           "volume is left out; look why the source loses them, or whether "
           "`columns` and `rows` are those of the path."),
          (NULL));
    self->empty = TRUE;
    return FALSE;
  }
  mask = oct_scan_mask_new_from_array (
      self->grid.columns, self->grid.rows, taken, NULL);
  if (mask == NULL)
    return TRUE;
  g_free (self->sent);
  self->sent = g_steal_pointer (&taken);
  gst_pad_push_event (self->src, gst_oct_scan_mask_event_new (mask));
  return TRUE;
}

/* Before the first B-scan that is delivered with these caps. */
static GstFlowReturn
remap_set_output (GstOctRemap *self)
{
  GstOctPassage *passage = gst_oct_remapper_get_passage (self->remapper);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) caps = NULL;

  if (self->has_output)
    return GST_FLOW_OK;
  caps = remap_make_caps (self);
  if (gst_oct_remap_caps_may_be_on_gpu (caps))
    caps = gst_oct_passage_choose_caps (passage, self->src, caps);
  if (!gst_pad_set_caps (self->src, caps))
    return GST_PAD_IS_FLUSHING (self->src) ? GST_FLOW_FLUSHING
                                           : GST_FLOW_NOT_NEGOTIATED;
  if (!gst_oct_passage_set_output (passage, self->src, caps, &error))
    return remap_fail (self, &error);
  self->has_output = TRUE;
  gst_oct_volume_events_begin (&self->events, self->src);
  return GST_FLOW_OK;
}

/* ------------------------------------------------------------------ deliver */

static void
remap_stamp (GstOctRemap *self, GstBuffer *buffer, guint row)
{
  guint rows = self->grid.rows;

  if (GST_CLOCK_TIME_IS_VALID (self->start)
      && GST_CLOCK_TIME_IS_VALID (self->end) && self->end >= self->start) {
    GstClockTime time = self->end - self->start;
    GstClockTime from = gst_util_uint64_scale (time, row, rows);
    GstClockTime to = gst_util_uint64_scale (time, row + 1, rows);

    GST_BUFFER_PTS (buffer) = self->start + from;
    GST_BUFFER_DURATION (buffer) = to - from;
  } else if (row == 0) {
    GST_BUFFER_PTS (buffer) = self->start;
  }
  GST_BUFFER_OFFSET (buffer) = self->delivered++;
  GST_BUFFER_OFFSET_END (buffer) = self->delivered;
  gst_oct_scan_meta_set (buffer,
      &(GstOctScanPosition){
          .bscan = row, .bscans = rows, .volume = self->number, .count = 1 });
  if (self->has_volume)
    gst_oct_scan_meta_set_unfinished (buffer);
}

static void
remap_count_missing (GstOctRemap *self)
{
  guint64 missing = self->scan.counts.missing;
  gboolean more;

  GST_OBJECT_LOCK (self);
  more = missing > self->settings.missing;
  self->settings.missing = missing;
  GST_OBJECT_UNLOCK (self);
  if (more)
    g_object_notify (G_OBJECT (self), "missing");
}

/* Makes a raster of the A-lines that have come, and delivers it. */
static GstFlowReturn
remap_deliver (GstOctRemap *self)
{
  gint64 began = g_get_monotonic_time ();
  guint rows = self->grid.rows;
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret = remap_set_output (self);

  if (ret == GST_FLOW_OK && !send_holes (self))
    rows = 0;
  for (guint row = 0; ret == GST_FLOW_OK && row < rows; row++) {
    GstBuffer *buffer = NULL;

    ret = gst_oct_remapper_fetch (self->remapper, row, &buffer, &error);
    if (error != NULL)
      ret = remap_fail (self, &error);
    if (ret != GST_FLOW_OK)
      break;
    remap_stamp (self, buffer, row);
    ret = gst_pad_push (self->src, buffer);
  }
  self->shown = self->now;
  remap_forget_fresh (self);
  self->number++;
  self->pushed = g_get_monotonic_time ();
  self->push_time = self->pushed - began;
  if (self->has_output)
    gst_oct_volume_events_follow (&self->events, self->src);
  return ret;
}

/* A volume ends.  Its raster comes once more if none of its A-lines have come
 * since the last one, which nobody knew to be the last. */
static GstFlowReturn
remap_finish (GstOctRemap *self)
{
  if (!self->has_volume)
    return GST_FLOW_OK;
  self->has_volume = FALSE;
  remap_count_missing (self);
  if (!self->fresh)
    self->start = self->end = self->shown;
  return remap_deliver (self);
}

/* Whether it is time for a raster between the ends of volumes.  They have no
 * more than half of the time: on a slow machine B-scans would wait for them,
 * and be lost. */
static gboolean
remap_is_due (const GstOctRemap *self)
{
  double interval = self->settings.interval;

  if (self->settings.update != GST_OCT_UPDATE_SCAN || !self->fresh)
    return FALSE;
  if (interval <= 0.0)
    return TRUE;
  if (g_get_monotonic_time () - self->pushed < self->push_time)
    return FALSE;
  return !GST_CLOCK_TIME_IS_VALID (self->now)
         || !GST_CLOCK_TIME_IS_VALID (self->shown) || self->now < self->shown
         || self->now - self->shown >= (GstClockTime)(interval * GST_SECOND);
}

/* The volume under way ends, with the B-scans that have come. */
static void
remap_end (GstOctRemap *self)
{
  GstOctScan *scan = &self->scan;
  g_autoptr (GError) error = NULL;

  if (self->has_volume && scan->begun && !scan->ended)
    scan->counts.missing += scan->bscans - scan->stored;
  /* no B-scan upstream fails for it */
  if (remap_finish (self) == GST_FLOW_NOT_NEGOTIATED) {
    g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The elements after octremap do not take its raster of %u columns and "
        "%u rows; set `columns` and `rows` to what they take, or check caps "
        "filters and their order.",
        self->grid.columns, self->grid.rows);
    (void)remap_fail (self, &error);
  }
  gst_oct_scan_forget (scan);
}

/* -------------------------------------------------------------------- store */

static void
remap_note_time (GstOctRemap *self, GstBuffer *buffer, const GstOctScanRun *run)
{
  GstClockTime time = GST_BUFFER_PTS (buffer), end = GST_CLOCK_TIME_NONE;
  GstClockTime duration = GST_BUFFER_DURATION (buffer);
  guint n = self->in.bscans;

  if (GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (duration)) {
    end = time + gst_util_uint64_scale (duration, run->image + run->n, n);
    time += gst_util_uint64_scale (duration, run->image, n);
  }
  if (!self->fresh)
    self->start = time;
  self->end = end;
  self->now = GST_CLOCK_TIME_IS_VALID (end) ? end : time;
}

static GstFlowReturn
remap_store_run (GstOctRemap *self, GstBuffer *buffer, const GstOctScanRun *run,
    const guint8 *valid)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < run->n; i++)
    if (!gst_oct_remapper_store (
            self->remapper, run->image + i, run->bscan + i, valid, &error))
      return remap_fail (self, &error);
  remap_note_time (self, buffer, run);
  self->has_volume = self->fresh = TRUE;
  return run->ends ? remap_finish (self) : GST_FLOW_OK;
}

static GstFlowReturn
remap_take_runs (GstOctRemap *self, GstBuffer *buffer)
{
  guint count = self->in.bscans * self->lines;
  g_autofree guint8 *valid = g_malloc (count);
  GstFlowReturn ret = GST_FLOW_OK;
  GstOctScanRun run;

  if (!gst_oct_scan_meta_get_valid (buffer, valid, count))
    g_clear_pointer (&valid, g_free);
  while (ret == GST_FLOW_OK && gst_oct_scan_next (&self->scan, &run)) {
    if (run.drop)
      continue;
    if (run.image == 0)
      gst_oct_remap_tune_take (self->tune, buffer, &self->in,
          self->input_on_gpu, self->places, run.bscan, valid);
    if (run.ends_one)
      ret = remap_finish (self);
    if (ret == GST_FLOW_OK)
      ret = remap_store_run (self, buffer, &run, valid);
  }
  return ret;
}

static GstFlowReturn
remap_take (GstOctRemap *self, GstBuffer *buffer)
{
  GstOctScanPosition scan;
  /* 0: the stream does not say it */
  guint bscans = gst_oct_scan_meta_get (buffer, &scan) && scan.bscans > 1
                     ? scan.bscans
                     : 0;
  g_autoptr (GError) error = NULL;
  GstOctPassage *passage;
  GstFlowReturn ret;

  if (self->remapper == NULL ? !remap_prepare (self, bscans, &error)
                             : !gst_oct_remap_grid_check (
                                 self->places, self->lines, bscans, &error))
    return remap_fail (self, &error);
  passage = gst_oct_remapper_get_passage (self->remapper);
  if (!gst_oct_passage_begin (passage, buffer, &error))
    return remap_fail (self, &error);
  gst_oct_scan_begin (&self->scan, buffer, &self->in, self->places->bscans);
  ret = remap_take_runs (self, buffer);
  if (!gst_oct_passage_end (passage, &error))
    return remap_fail (self, &error);
  return ret == GST_FLOW_OK && remap_is_due (self) ? remap_deliver (self) : ret;
}

static GstFlowReturn
gst_oct_remap_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstOctRemap *self = GST_OCT_REMAP (parent);
  GstFlowReturn ret = GST_FLOW_ERROR;

  if (self->caps == NULL)
    ret = GST_FLOW_NOT_NEGOTIATED;
  else if (!self->failed)
    ret = remap_take (self, buffer);
  gst_buffer_unref (buffer);
  return ret;
}

/* ------------------------------------------------------------------- events */

/* B-scans of the same kind go on in the volume under way, however many of them
 * are in a buffer. */
static gboolean
remap_go_on (
    GstOctRemap *self, const GstOctInfo *info, GstCaps *caps, GError **error)
{
  self->in = *info;
  self->has_output = FALSE;
  gst_caps_replace (&self->caps, caps);
  return self->remapper == NULL
         || gst_oct_passage_set_input (
             gst_oct_remapper_get_passage (self->remapper), info, error);
}

static gboolean
remap_take_caps (GstOctRemap *self, GstEvent *event)
{
  g_autoptr (GError) error = NULL;
  GstOctInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (self->caps != NULL && gst_caps_is_equal (self->caps, caps))
    return TRUE;
  if (self->caps != NULL && self->input_on_gpu == gst_oct_caps_is_on_gpu (caps)
      && gst_oct_info_from_caps (&info, caps, NULL)
      && gst_oct_info_same_bscans (&info, &self->in)) {
    if (remap_go_on (self, &info, caps, &error))
      return TRUE;
    (void)remap_fail (self, &error);
    return FALSE;
  }
  remap_end (self);
  remap_forget_plan (self);
  gst_caps_replace (&self->caps, NULL);
  self->input_on_gpu = gst_oct_caps_is_on_gpu (caps);
  if (self->input_on_gpu && gst_oct_place_get_cuda (&self->place) == NULL)
    g_set_error_literal (&error, OCT_ERROR, OCT_ERROR_DEVICE,
        "octremap was asked for memory on a GPU and was started without one; "
        "set `backend` before the start, the same on all elements.");
  if (error != NULL || !gst_oct_info_from_caps (&self->in, caps, &error)) {
    (void)remap_fail (self, &error);
    return FALSE;
  }
  self->lines =
      self->in.is_video ? self->in.columns : self->in.rows / self->in.bscans;
  gst_caps_replace (&self->caps, caps);
  return TRUE;
}

/* FALSE: another event. */
static gboolean
remap_take_places (GstOctRemap *self, GstEvent *event)
{
  OctScanPlaces *places =
      gst_oct_scan_path_event_take (event, GST_ELEMENT (self));

  if (places == NULL)
    return gst_event_has_name (event, GST_OCT_SCAN_PATH_EVENT_NAME);
  if (!oct_scan_places_equal (places, self->places)) {
    remap_end (self);
    remap_forget_plan (self);
  }
  g_clear_pointer (&self->places, oct_scan_places_unref);
  self->places = places;
  gst_oct_remap_tune_restart (self->tune);
  return TRUE;
}

static gboolean
gst_oct_remap_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctRemap *self = GST_OCT_REMAP (parent);
  gboolean ok;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    ok = remap_take_caps (self, event);
    gst_event_unref (event);
    return ok;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    remap_forget_volume (self);
    gst_oct_scan_forget (&self->scan);
    self->failed = FALSE;
    return gst_oct_volume_events_flush (
        &self->events, self->has_output, self->src, event);
  }
  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_push_event (self->src, event);
  /* what goes on is a raster */
  if (remap_take_places (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    gst_oct_remap_tune_finish (self->tune, AT_END);
  if (gst_oct_volume_events_end (&self->scan, event))
    remap_end (self);
  return gst_oct_volume_events_pass (
      &self->events, self->has_output, self->fresh, self->src, event);
}

/* ------------------------------------------------------------------ queries */

/* The first A-line of a raster waits for the last. */
static gboolean
remap_answer_latency (
    GstOctRemap *self, GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstClockTime least, most, more;
  gboolean live;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  GST_OBJECT_LOCK (self);
  more = self->latency;
  GST_OBJECT_UNLOCK (self);
  gst_query_parse_latency (query, &live, &least, &most);
  gst_query_set_latency (query, live, least + more,
      GST_CLOCK_TIME_IS_VALID (most) ? most + more : most);
  return TRUE;
}

static gboolean
remap_answer_caps (GstOctRemap *self, GstPad *pad, GstQuery *query)
{
  gboolean is_sink = pad == self->sink;

  gst_oct_remap_caps_answer (query, is_sink,
      gst_oct_place_may_use_cuda (&self->place),
      is_sink ? self->src : self->sink);
  if (is_sink)
    gst_oct_order_widen (self->sink, self->src, query);
  return TRUE;
}

/* B-scans that come are copied. */
static void
remap_answer_allocation (GstOctRemap *self, GstQuery *query)
{
  GstOctCuda *cuda = gst_oct_place_get_cuda (&self->place);

  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (self->caps == NULL)
    return;
  if (self->input_on_gpu)
    gst_query_add_allocation_meta (query, GST_OCT_READER_API_TYPE, NULL);
  else if (cuda != NULL)
    gst_oct_propose_pinned_pool (cuda, &self->in, query);
}

static gboolean
gst_oct_remap_answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctRemap *self = GST_OCT_REMAP (parent);

  switch (GST_QUERY_TYPE (query)) {
  case GST_QUERY_CAPS:
    return remap_answer_caps (self, pad, query);
  case GST_QUERY_CONTEXT:
  case GST_QUERY_CUSTOM:
    if (gst_oct_place_answer_query (&self->place, GST_ELEMENT (self), query))
      return TRUE;
    break;
  case GST_QUERY_LATENCY:
    if (pad == self->src)
      return remap_answer_latency (self, pad, parent, query);
    break;
  case GST_QUERY_ALLOCATION:
    if (pad == self->src)
      break;
    remap_answer_allocation (self, query);
    return TRUE;
  default:
    break;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* ------------------------------------------------------------------- object */

static void
remap_reset (GstOctRemap *self)
{
  remap_forget_plan (self);
  gst_oct_volume_events_clear (&self->events);
  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->places, oct_scan_places_unref);
  gst_oct_scan_clear (&self->scan);
  self->failed = FALSE;
  self->delivered = self->number = 0;
  self->pushed = self->push_time = 0;
  gst_oct_place_stop (&self->place, GST_ELEMENT (self));
}

static GstStateChangeReturn
gst_oct_remap_change_state (GstElement *element, GstStateChange transition)
{
  GstOctRemap *self = GST_OCT_REMAP (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_autoptr (GError) error = NULL;

    if (!gst_oct_place_start (&self->place, element, &error)) {
      (void)remap_fail (self, &error);
      self->failed = FALSE;
      return GST_STATE_CHANGE_FAILURE;
    }
    GST_OBJECT_LOCK (self);
    self->settings.holes = self->settings.missing = 0;
    self->scan.counts = (GstOctScanCounts){ 0 };
    GST_OBJECT_UNLOCK (self);
  }
  ret = GST_ELEMENT_CLASS (gst_oct_remap_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE)) {
    gst_oct_remap_tune_end (self->tune, AT_END);
    remap_reset (self);
  }
  return ret;
}

static void
gst_oct_remap_set_context (GstElement *element, GstContext *context)
{
  gst_oct_place_set_context (&GST_OCT_REMAP (element)->place, element, context);
  GST_ELEMENT_CLASS (gst_oct_remap_parent_class)
      ->set_context (element, context);
}

static void
gst_oct_remap_finalize (GObject *object)
{
  GstOctRemap *self = GST_OCT_REMAP (object);

  remap_reset (self);
  gst_oct_properties_clear (&gst_oct_remap_properties, &self->settings);
  G_OBJECT_CLASS (gst_oct_remap_parent_class)->finalize (object);
}

static const GstOctProperty remap_place_rows[] = {
  GST_OCT_BACKEND_ROWS (GstOctRemap, place.backend, place.cuda_device_id),
};
static const GstOctProperties remap_place_properties =
    GST_OCT_PROPERTIES (GstOctRemap, remap_place_rows);
static const GstOctHolder remap_place_holder = { .properties =
                                                     &remap_place_properties };

static const GstOctHolder remap_holder = {
  .properties = &gst_oct_remap_properties,
  .offset = G_STRUCT_OFFSET (GstOctRemap, settings),
};

static void
gst_oct_remap_class_init (GstOctRemapClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_remap_debug, "octremap", 0, "OCT scans to rasters");
  object_class->finalize = gst_oct_remap_finalize;
  gst_oct_remap_tune_install (object_class);
  gst_oct_holder_install (&remap_holder, object_class,
      gst_oct_holder_install (&remap_place_holder, object_class, 1));
  gst_element_class_add_pad_template (
      element_class, gst_oct_remap_caps_new_template (GST_PAD_SINK));
  gst_element_class_add_pad_template (
      element_class, gst_oct_remap_caps_new_template (GST_PAD_SRC));
  gst_element_class_set_static_metadata (element_class, "OCT scans to rasters",
      "Filter/Video", "Makes ordinary volumes of scans that are not rasters",
      "The gst-oct developers");
  element_class->change_state = gst_oct_remap_change_state;
  element_class->set_context = gst_oct_remap_set_context;
}

static GstPad *
remap_new_pad (GstOctRemap *self, const char *name)
{
  GstPad *pad = gst_pad_new_from_template (
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name),
      name);

  gst_pad_set_query_function (pad, gst_oct_remap_answer_query);
  return pad;
}

static void
gst_oct_remap_init (GstOctRemap *self)
{
  gst_oct_properties_init (&remap_place_properties, self);
  gst_oct_properties_init (&gst_oct_remap_properties, &self->settings);
  self->tune = gst_oct_remap_tune_add (GST_ELEMENT (self));
  gst_oct_scan_clear (&self->scan);
  self->start = self->end = self->now = self->shown = GST_CLOCK_TIME_NONE;
  self->sink = remap_new_pad (self, "sink");
  self->src = remap_new_pad (self, "src");
  gst_pad_set_chain_function (self->sink, gst_oct_remap_chain);
  gst_pad_set_event_function (self->sink, gst_oct_remap_sink_event);
  gst_oct_order_init (self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->src);
}
