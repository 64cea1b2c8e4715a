/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octremap
 *
 * Makes ordinary volumes of scans that are not rasters: spirals, Lissajous
 * figures, rosettes, or any places that the stream tells. It takes images or
 * A-scans, and comes before octvolume, octenface and octslice.
 *
 * |[
 * gst-launch-1.0 octsrc phantom=surgery scan=spiral lines=256 bscans=256
 *   num-buffers=512 ! octreconstruct range=manual ! octremap ! octenface
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctremap.h"
#include "gstoctcaps.h"
#include "gstocterror.h"
#include "gstoctframe.h"
#include "gstoctinstall.h"
#include "gstoctorder.h"
#include "gstoctremapgrid.h"
#include "gstoctscan.h"
#include "gstoctscanmask.h"
#include "gstoctscanmeta.h"
#include "gstoctscanpath.h"
#include "gstoctvolumeevents.h"
#include "oct-parallel.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_oct_remap_debug);
#define GST_CAT_DEFAULT gst_oct_remap_debug

struct _GstOctRemap {
  GstElement parent;

  GstPad *sink, *src;

  /* under the object lock; what is set stays as it is while it runs */
  GstOctRemapSettings settings;
  GstClockTime volume_time; /* 0: not known */

  /* streaming thread */
  gboolean failed;       /* an error was posted */
  GstCaps *caps;         /* of the input, NULL: none yet */
  GstOctInfo in, out;    /* out: if has_output */
  guint lines, depths;   /* of a B-scan of the input */
  OctScanPlaces *places; /* from upstream, or NULL */
  OctScanRemap *remap;   /* NULL: nothing has come with these caps and places */
  GstOctRemapGrid grid;
  guint8 *store; /* [places][depths] values of A-lines */
  guint8 *seen;  /* [places] */
  gboolean all_seen;
  guint8 *sent;   /* [rows][columns] pixels that have a value, as was told */
  gboolean empty; /* it was told that a volume has no pixel */
  gboolean has_output;
  GQueue events; /* to be sent after the caps of the output */

  GstOctScan scan;
  gboolean has_volume;     /* something was stored */
  GstClockTime start, end; /* of the stored B-scans */
  guint64 number;          /* of the next volume */
  guint64 delivered;       /* B-scans */
};

#define REMAP_VIDEO(format)                                                    \
  "video/x-raw, format = (string) " format ", width = " GST_OCT_SIZE_RANGE     \
  ", height = " GST_OCT_SIZE_RANGE ", framerate = " GST_OCT_RATE_RANGE
#define REMAP_CAPS                                                             \
  REMAP_VIDEO ("GRAY8")                                                        \
  "; " REMAP_VIDEO ("GRAY16_LE") "; " GST_OCT_CAPS_ASCANS

static GstStaticPadTemplate remap_sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (REMAP_CAPS));
static GstStaticPadTemplate remap_src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (REMAP_CAPS));

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
remap_forget_volume (GstOctRemap *self)
{
  self->has_volume = FALSE;
  self->start = self->end = GST_CLOCK_TIME_NONE;
}

static void
remap_forget_plan (GstOctRemap *self)
{
  g_clear_pointer (&self->remap, oct_scan_remap_free);
  g_clear_pointer (&self->store, g_free);
  g_clear_pointer (&self->seen, g_free);
  g_clear_pointer (&self->sent, g_free);
  self->all_seen = self->has_output = self->empty = FALSE;
  remap_forget_volume (self);
  gst_oct_scan_forget (&self->scan);
}

static gsize
get_line_size (const GstOctRemap *self)
{
  return self->depths * oct_sample_format_size (self->in.format);
}

/* Whether the places are those of the B-scans.  `bscans`: of a volume, 0: the
 * stream does not say it. */
static gboolean
check_places (GstOctRemap *self, guint bscans, GError **error)
{
  const OctScanPlaces *places = self->places;
  g_autofree char *come = NULL;

  if (places == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "octremap knows no places of the A-lines; set `scan` of octsrc, or "
        "send an event application/x-oct-scan-path before the first B-scan.");
    return FALSE;
  }
  if (places->lines == self->lines && (bscans == 0 || bscans == places->bscans))
    return TRUE;
  if (bscans > 0)
    come = g_strdup_printf ("volumes of %u B-scans of ", bscans);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The scan path has %u B-scans of %u A-lines, but %s%u A-lines come; send "
      "the path of this scan, or set `lines` and `bscans` of the source to "
      "those of the path.",
      places->bscans, places->lines, come != NULL ? come : "B-scans of ",
      self->lines);
  return FALSE;
}

/* For the B-scans that come. */
static gboolean
remap_prepare (GstOctRemap *self, guint bscans, GError **error)
{
  guint count;

  if (!check_places (self, bscans, error))
    return FALSE;
  count = self->places->count;
  self->remap = gst_oct_remap_grid_make (
      &self->settings, self->places, &self->grid, error);
  if (self->remap == NULL)
    return FALSE;
  self->store = g_try_malloc0_n (count, get_line_size (self));
  self->seen = g_malloc0 (count);
  if (self->store == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "A volume of %u A-lines of %u depths takes %" G_GUINT64_FORMAT
        " MB, and there is not as much memory for octremap; make the scan "
        "smaller, or put octremap after octlogscale.",
        count, self->depths, (guint64)count * get_line_size (self) / 1000000);
    remap_forget_plan (self);
    return FALSE;
  }
  GST_INFO_OBJECT (self, "%u x %u pixels, %u holes", self->grid.columns,
      self->grid.rows, self->remap->holes);
  GST_OBJECT_LOCK (self);
  self->settings.holes = self->remap->holes;
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "holes");
  return TRUE;
}

/* --------------------------------------------------------------------- caps */

static void
remap_set_times (GstOctRemap *self, GstStructure *to)
{
  GstClockTime before;
  gint n, d;

  if (!gst_structure_get_fraction (to, "framerate", &n, &d) || n <= 0)
    return;
  GST_OBJECT_LOCK (self);
  before = self->volume_time;
  self->volume_time =
      gst_util_uint64_scale (self->places->bscans * GST_SECOND, d, n);
  GST_OBJECT_UNLOCK (self);
  if (self->volume_time != before)
    gst_element_post_message (
        GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  if (gst_util_fraction_multiply (
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
    gst_structure_set (to, "height", G_TYPE_INT, (gint)self->depths, NULL);
  /* neighbours of the raster were not taken one after the other */
  gst_structure_remove_fields (to, GST_OCT_BSCANS_FIELD, GST_OCT_REPEATS_FIELD,
      GST_OCT_LINE_RATE_FIELD, NULL);
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
  taken = g_malloc (pixels);
  oct_scan_remap_find_taken (
      self->remap, self->all_seen ? NULL : self->seen, taken);
  if (self->sent != NULL && memcmp (taken, self->sent, pixels) == 0)
    return TRUE;
  if (memchr (taken, 1, pixels) == NULL) {
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
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) caps = NULL;

  if (self->has_output)
    return GST_FLOW_OK;
  caps = remap_make_caps (self);
  if (!gst_oct_info_from_caps (&self->out, caps, &error))
    return remap_fail (self, &error);
  if (!gst_pad_set_caps (self->src, caps))
    return GST_PAD_IS_FLUSHING (self->src) ? GST_FLOW_FLUSHING
                                           : GST_FLOW_NOT_NEGOTIATED;
  self->has_output = TRUE;
  gst_oct_volume_events_send (&self->events, self->src);
  return GST_FLOW_OK;
}

/* ------------------------------------------------------------------ deliver */

/* Rows that are made at the same time. */
typedef struct {
  GstOctRemap *self;
  guint first;   /* row of the raster */
  guint8 **rows; /* [threads] of columns x depths values, scratch */
  GstOctMappedFrame *frames;
} Making;

/* Images have a depth in each row, A-lines of `from` follow each other. */
static void
turn_image (const GstOctRemap *self, const guint8 *from, const OctFrame *to)
{
  gsize stride = to->planes[0].stride;
  guint8 *data = to->planes[0].data;
  guint depths = self->depths;

  for (guint column = 0; column < self->grid.columns; column++)
    for (guint z = 0; z < depths; z++) {
      gsize at = (gsize)column * depths + z;

      if (self->in.format == OCT_SAMPLE_U8)
        data[z * stride + column] = from[at];
      else
        memcpy (data + z * stride + 2 * column, from + 2 * at, 2);
    }
}

static void
remap_make_rows (gpointer data, guint first, guint end, guint thread)
{
  const Making *making = data;
  const GstOctRemap *self = making->self;
  const guint8 *seen = self->all_seen ? NULL : self->seen;
  gpointer row = making->rows[thread], store = self->store;

  for (; first < end; first++) {
    const OctFrame *to = &making->frames[first].frame;
    guint at = making->first + first;

    if (!self->in.is_video)
      oct_scan_remap_row_cf32 (self->remap, at, store, seen, self->depths,
          self->settings.complex ? OCT_SCAN_REMAP_COMPLEX
                                 : OCT_SCAN_REMAP_AMPLITUDES,
          to->planes[0].data);
    else if (self->in.format == OCT_SAMPLE_U8)
      oct_scan_remap_row_u8 (self->remap, at, store, seen, self->depths, row);
    else
      oct_scan_remap_row_u16 (self->remap, at, store, seen, self->depths, row);
    if (self->in.is_video)
      turn_image (self, row, to);
  }
}

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
}

/* Makes `n` rows and passes them on. */
static GstFlowReturn
push_rows (GstOctRemap *self, guint first, guint n, guint8 **scratch)
{
  g_autofree GstOctMappedFrame *frames = g_new (GstOctMappedFrame, n);
  g_autofree GstBuffer **buffers = g_new0 (GstBuffer *, n);
  Making making = { self, first, scratch, frames };
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret = GST_FLOW_OK;
  guint mapped;

  for (mapped = 0; mapped < n; mapped++) {
    buffers[mapped] = gst_buffer_new_allocate (NULL, self->out.size, NULL);
    if (buffers[mapped] == NULL
        || !gst_oct_frame_map (&frames[mapped], &self->out, buffers[mapped],
            GST_MAP_WRITE, &error))
      break;
  }
  if (mapped == n)
    oct_parallel_for (
        n, 1, oct_parallel_get_threads (), remap_make_rows, &making);
  for (guint i = 0; i < mapped; i++)
    gst_oct_frame_unmap (&frames[i]);
  if (mapped < n && error == NULL)
    g_set_error_literal (&error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory for the B-scans of octremap; set `columns` to "
        "less.");
  if (error != NULL)
    ret = remap_fail (self, &error);
  for (guint i = 0; i < n; i++) {
    if (ret != GST_FLOW_OK) {
      gst_clear_buffer (&buffers[i]);
      continue;
    }
    remap_stamp (self, buffers[i], first + i);
    ret = gst_pad_push (self->src, buffers[i]);
  }
  return ret;
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
  self->all_seen = memchr (self->seen, 0, self->places->count) == NULL;
}

/* Makes a raster of the A-lines that have come, and delivers it. */
static GstFlowReturn
remap_finish (GstOctRemap *self)
{
  guint threads = oct_parallel_get_threads (), batch = 2 * threads;
  guint rows = self->grid.rows;
  g_autofree guint8 **scratch = NULL;
  GstFlowReturn ret;

  if (!self->has_volume)
    return GST_FLOW_OK;
  self->has_volume = FALSE;
  remap_count_missing (self);
  ret = remap_set_output (self);
  if (ret == GST_FLOW_OK && !send_holes (self))
    rows = 0;
  scratch = g_new0 (guint8 *, threads);
  for (guint i = 0; i < threads && self->in.is_video; i++)
    scratch[i] = g_malloc (self->grid.columns * get_line_size (self));
  for (guint row = 0; ret == GST_FLOW_OK && row < rows; row += batch)
    ret = push_rows (self, row, MIN (batch, rows - row), scratch);
  for (guint i = 0; i < threads; i++)
    g_free (scratch[i]);
  remap_forget_volume (self);
  self->number++;
  return ret;
}

/* The volume under way ends, with the B-scans that have come. */
static void
remap_end (GstOctRemap *self)
{
  GstOctScan *scan = &self->scan;

  if (self->has_volume && scan->begun && !scan->ended)
    scan->counts.missing += scan->bscans - scan->stored;
  (void)remap_finish (self);
  gst_oct_scan_forget (scan);
}

/* -------------------------------------------------------------------- store */

static void
remap_note_time (GstOctRemap *self, GstBuffer *buffer, const GstOctScanRun *run)
{
  GstClockTime time = GST_BUFFER_PTS (buffer), end = GST_CLOCK_TIME_NONE;
  GstClockTime duration = GST_BUFFER_DURATION (buffer);
  guint n = self->in.bscans;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (GST_CLOCK_TIME_IS_VALID (duration)) {
    end = time + gst_util_uint64_scale (duration, run->image + run->n, n);
    time += gst_util_uint64_scale (duration, run->image, n);
  }
  if (!self->has_volume)
    self->start = time;
  self->end = end;
}

/* B-scan `image` of the buffer to place `bscan` of the path.  `valid`: of its
 * A-lines, NULL: all. Those that are lost stay as they were in the volume
 * before. */
static void
remap_store (GstOctRemap *self, const OctFrame *frame, guint image, guint bscan,
    const guint8 *valid)
{
  gsize size = get_line_size (self), stride = frame->planes[0].stride;
  gsize value = oct_sample_format_size (self->in.format);
  gsize first = (gsize)bscan * self->lines;
  guint8 *to = self->store + first * size;
  const guint8 *from = frame->planes[0].data;

  if (self->in.is_video)
    from += (gsize)image * self->depths * stride;
  else
    from += (gsize)image * self->lines * stride;
  for (guint i = 0; i < self->lines; i++) {
    if (valid != NULL && valid[image * self->lines + i] == 0)
      continue;
    self->seen[first + i] = 1;
    for (guint z = 0; z < self->depths && self->in.is_video; z++)
      memcpy (to + i * size + z * value, from + z * stride + i * value, value);
    if (!self->in.is_video)
      memcpy (to + i * size, from + i * stride, size);
  }
}

static GstFlowReturn
remap_take_runs (GstOctRemap *self, GstBuffer *buffer, const OctFrame *frame)
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
    if (run.ends_one)
      ret = remap_finish (self);
    if (ret != GST_FLOW_OK)
      break;
    for (guint i = 0; i < run.n; i++)
      remap_store (self, frame, run.image + i, run.bscan + i, valid);
    remap_note_time (self, buffer, &run);
    self->has_volume = TRUE;
    if (run.ends)
      ret = remap_finish (self);
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
  GstOctMappedFrame mapped;
  GstFlowReturn ret;

  if (self->remap == NULL ? !remap_prepare (self, bscans, &error)
                          : !check_places (self, bscans, &error))
    return remap_fail (self, &error);
  if (!gst_oct_frame_map (&mapped, &self->in, buffer, GST_MAP_READ, &error))
    return remap_fail (self, &error);
  gst_oct_scan_begin (&self->scan, buffer, &self->in, self->places->bscans);
  ret = remap_take_runs (self, buffer, &mapped.frame);
  gst_oct_frame_unmap (&mapped);
  return ret;
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

static gboolean
remap_take_caps (GstOctRemap *self, GstEvent *event)
{
  g_autoptr (GError) error = NULL;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (self->caps != NULL && gst_caps_is_equal (self->caps, caps))
    return TRUE;
  remap_end (self);
  remap_forget_plan (self);
  gst_caps_replace (&self->caps, NULL);
  if (!gst_oct_info_from_caps (&self->in, caps, &error)) {
    (void)remap_fail (self, &error);
    return FALSE;
  }
  self->lines =
      self->in.is_video ? self->in.columns : self->in.rows / self->in.bscans;
  self->depths =
      self->in.is_video ? self->in.rows / self->in.bscans : self->in.columns;
  gst_caps_replace (&self->caps, caps);
  return TRUE;
}

/* FALSE: the event has no places. */
static gboolean
remap_take_places (GstOctRemap *self, GstEvent *event)
{
  OctScanPlaces *places =
      gst_oct_scan_path_event_take (event, GST_ELEMENT (self));

  if (places == NULL)
    return FALSE;
  if (!oct_scan_places_equal (places, self->places)) {
    remap_end (self);
    remap_forget_plan (self);
  }
  g_clear_pointer (&self->places, oct_scan_places_unref);
  self->places = places;
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
  }
  if (!GST_EVENT_IS_SERIALIZED (event)
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    return gst_pad_push_event (self->src, event);
  /* what goes on is a raster */
  if (remap_take_places (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (gst_oct_volume_events_end (&self->scan, event))
    remap_end (self);
  return gst_oct_volume_events_pass (
      &self->events, self->has_output, self->src, event);
}

/* ------------------------------------------------------------------ queries */

/* The first A-line of a volume waits for the last. */
static gboolean
remap_answer_latency (
    GstOctRemap *self, GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstClockTime least, most, more;
  gboolean live;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  GST_OBJECT_LOCK (self);
  more = self->volume_time;
  GST_OBJECT_UNLOCK (self);
  gst_query_parse_latency (query, &live, &least, &most);
  gst_query_set_latency (query, live, least + more,
      GST_CLOCK_TIME_IS_VALID (most) ? most + more : most);
  return TRUE;
}

/* The kinds that octremap knows and the other side can take. */
static GstCaps *
find_kinds (GstOctRemap *self, GstPad *pad)
{
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
  g_autoptr (GstCaps) there = gst_pad_peer_query_caps (
      pad == self->sink ? self->src : self->sink, NULL);
  GstCaps *kinds = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (all); i++) {
    g_autoptr (GstCaps) kind = gst_caps_copy_nth (all, i);

    if (gst_caps_can_intersect (kind, there))
      gst_caps_append (kinds, gst_caps_ref (kind));
  }
  return kinds;
}

static gboolean
remap_answer_caps (GstOctRemap *self, GstPad *pad, GstQuery *query)
{
  GstCaps *caps = find_kinds (self, pad), *filter, *both;

  gst_query_parse_caps (query, &filter);
  if (filter != NULL) {
    both = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (caps);
    caps = both;
  }
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  if (pad == self->sink)
    gst_oct_order_widen (self->sink, self->src, query);
  return TRUE;
}

static gboolean
gst_oct_remap_answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctRemap *self = GST_OCT_REMAP (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    return remap_answer_caps (self, pad, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY && pad == self->src)
    return remap_answer_latency (self, pad, parent, query);
  /* what comes is copied */
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION && pad == self->sink) {
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    return TRUE;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* ------------------------------------------------------------------- object */

static void
remap_reset (GstOctRemap *self)
{
  remap_forget_plan (self);
  g_queue_clear_full (&self->events, (GDestroyNotify)gst_event_unref);
  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->places, oct_scan_places_unref);
  gst_oct_scan_clear (&self->scan);
  self->failed = FALSE;
  self->delivered = self->number = 0;
}

static GstStateChangeReturn
gst_oct_remap_change_state (GstElement *element, GstStateChange transition)
{
  GstOctRemap *self = GST_OCT_REMAP (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    GST_OBJECT_LOCK (self);
    self->settings.holes = self->settings.missing = 0;
    self->scan.counts = (GstOctScanCounts){ 0 };
    GST_OBJECT_UNLOCK (self);
  }
  ret = GST_ELEMENT_CLASS (gst_oct_remap_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    remap_reset (self);
  return ret;
}

static void
gst_oct_remap_finalize (GObject *object)
{
  GstOctRemap *self = GST_OCT_REMAP (object);

  remap_reset (self);
  gst_oct_properties_clear (&gst_oct_remap_properties, &self->settings);
  G_OBJECT_CLASS (gst_oct_remap_parent_class)->finalize (object);
}

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
  gst_oct_holder_install (&remap_holder, object_class, 1);
  gst_element_class_add_static_pad_template (
      element_class, &remap_sink_template);
  gst_element_class_add_static_pad_template (
      element_class, &remap_src_template);
  gst_element_class_set_static_metadata (element_class, "OCT scans to rasters",
      "Filter/Video", "Makes ordinary volumes of scans that are not rasters",
      "The gst-oct developers");
  element_class->change_state = gst_oct_remap_change_state;
}

static void
gst_oct_remap_init (GstOctRemap *self)
{
  gst_oct_properties_init (&gst_oct_remap_properties, &self->settings);
  g_queue_init (&self->events);
  gst_oct_scan_clear (&self->scan);
  self->start = self->end = GST_CLOCK_TIME_NONE;
  self->sink = gst_pad_new_from_static_template (&remap_sink_template, "sink");
  self->src = gst_pad_new_from_static_template (&remap_src_template, "src");
  gst_pad_set_query_function (self->sink, gst_oct_remap_answer_query);
  gst_pad_set_query_function (self->src, gst_oct_remap_answer_query);
  gst_pad_set_chain_function (self->sink, gst_oct_remap_chain);
  gst_pad_set_event_function (self->sink, gst_oct_remap_sink_event);
  gst_oct_order_init (self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->src);
}
