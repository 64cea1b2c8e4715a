/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctvolumefilter.h"
#include "gstoctbus.h"
#include "gstoctallocation.h"
#include "gstocterror.h"
#include "gstoctlost.h"
#include "gstoctpinned.h"
#include "gstoctscatterevents.h"
#include "gstoctvolumecaps.h"

GST_DEBUG_CATEGORY_EXTERN (gst_oct_volume_filter_debug);
#define GST_CAT_DEFAULT gst_oct_volume_filter_debug

#define CLASS(self) GST_OCT_VOLUME_FILTER_GET_CLASS (self)

/* An error is posted once, and nothing follows. */
GstFlowReturn
gst_oct_volume_filter_fail (GstOctVolumeFilter *self, GError **error)
{
  if (!self->failed)
    gst_oct_element_error (GST_ELEMENT (self), error);
  else
    g_clear_error (error);
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

gboolean
gst_oct_volume_filter_configure (GstOctVolumeFilter *self, GError **error)
{
  gboolean changed = g_atomic_int_exchange (&self->stale, FALSE);

  if (self->configured && !changed)
    return TRUE;
  if (!gst_oct_choice_configure (&self->choice, error))
    return FALSE;
  self->configured = TRUE;
  return TRUE;
}

void
gst_oct_volume_filter_push_waiting (GstOctVolumeFilter *self)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&self->waiting)) != NULL)
    gst_pad_push_event (self->src, event);
}

/* ---------------------------------------------------------------- statistics
 */

static GstStructure *
new_stats (GstOctVolumeFilter *self, const char *name)
{
  const GstOctScanCounts *c = &self->scan.counts;
  GstStructure *stats = gst_structure_new (name, "volumes", G_TYPE_UINT64,
      c->volumes, "missing", G_TYPE_UINT64, c->missing, "repeated",
      G_TYPE_UINT64, c->repeated, "late", G_TYPE_UINT64, c->late, "pictures",
      G_TYPE_UINT64, self->pictures, "render-time", G_TYPE_DOUBLE,
      self->renderer != NULL ? gst_oct_renderer_get_time (self->renderer) : 0.0,
      NULL);

  if (CLASS (self)->add_stats != NULL)
    CLASS (self)->add_stats (self, stats);
  return stats;
}

static void
keep_stats (GstOctVolumeFilter *self)
{
  GstStructure *stats = new_stats (self, "application/x-oct-volume-stats");

  GST_OBJECT_LOCK (self);
  g_clear_pointer (&self->stats, gst_structure_free);
  self->stats = stats;
  GST_OBJECT_UNLOCK (self);
}

/* Reports B-scans that did not come as they should, with the volume. */
static void
tell_of_losses (GstOctVolumeFilter *self)
{
  const GstOctScanCounts *now = &self->scan.counts, *told = &self->told;

  if (now->missing == told->missing && now->repeated == told->repeated
      && now->late == told->late)
    return;
  self->told = *now;
  gst_oct_bus_post (GST_ELEMENT (self), new_stats (self, "oct-volume"));
}

/* --------------------------------------------------------------------- caps */

static gboolean
set_pool (GstOctVolumeFilter *self, GstCaps *caps, gboolean output_on_gpu)
{
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  g_autoptr (GstBufferPool) wanted = NULL;
  g_autoptr (GstAllocator) pinned = NULL;

  if (self->pool != NULL)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  /* nobody has to answer */
  if (!gst_pad_peer_query (self->src, query))
    GST_DEBUG_OBJECT (self, "no answer to the allocation query");
  gst_oct_renderer_set_reader (
      self->renderer, gst_oct_get_reader (self->src, query));
  if (output_on_gpu)
    wanted = gst_oct_cuda_pool_new (gst_oct_place_get_cuda (&self->place));
  else if (gst_oct_place_get_cuda (&self->place) != NULL)
    pinned = gst_oct_pinned_allocator_new (
        gst_oct_place_get_cuda (&self->place), GST_ELEMENT (self));
  if (!gst_oct_decide_allocation (GST_ELEMENT (self), query, wanted, pinned))
    return FALSE;
  gst_query_parse_nth_allocation_pool (query, 0, &self->pool, NULL, NULL, NULL);
  return self->pool != NULL && gst_buffer_pool_set_active (self->pool, TRUE);
}

static GstCaps *
choose_caps (GstOctVolumeFilter *self, gconstpointer settings)
{
  GstOctVolumeFilterClass *klass = CLASS (self);
  const GstOctVolumeCommon *common =
      G_STRUCT_MEMBER_P (settings, klass->common);
  g_autoptr (GstCaps) templ = gst_oct_volume_caps_new (klass->caps,
      klass->gpu_caps, gst_oct_place_get_cuda (&self->place) != NULL, TRUE);
  g_autoptr (GstCaps) peer = gst_pad_peer_query_caps (self->src, templ);
  g_autoptr (GstCaps) any = gst_pad_peer_query_caps (self->src, NULL);
  GstCaps *possible;
  gint n, d;

  possible = gst_caps_intersect_full (templ, peer, GST_CAPS_INTERSECT_FIRST);
  if (gst_caps_is_empty (possible)) {
    gst_caps_unref (possible);
    return NULL;
  }
  if (gst_caps_is_any (any)) {
    /* if GPU memory is not asked for, host memory: every element can read it */
    gst_caps_unref (possible);
    possible = gst_caps_from_string (klass->caps);
  }
  gst_oct_volume_caps_choose_rate (self->input_caps, self->scan.bscans,
      common->update == GST_OCT_UPDATE_VOLUME, &n, &d);
  return klass->choose_caps (self, settings, possible, n, d);
}

static gboolean
volume_stream_take_caps (GstOctVolumeFilter *self, gconstpointer settings,
    GstCaps *caps, GError **error)
{
  GstOctInfo output;
  gboolean output_on_gpu = gst_oct_caps_is_on_gpu (caps);

  if (!gst_oct_info_from_caps (&output, caps, error)
      || (CLASS (self)->take_caps != NULL
          && !CLASS (self)->take_caps (self, settings, &output, error))
      || !gst_oct_renderer_set_output (
          self->renderer, &output, output_on_gpu, error))
    return FALSE;
  self->output = output;
  self->fps_n = GST_VIDEO_INFO_FPS_N (&output.video);
  self->fps_d = GST_VIDEO_INFO_FPS_D (&output.video);
  if (!gst_pad_set_caps (self->src, caps)
      || !set_pool (self, caps, output_on_gpu)) {
    g_propagate_error (
        error, gst_oct_no_memory_new (gst_oct_place_get_cuda (&self->place),
                   output_on_gpu, &output));
    return FALSE;
  }
  return TRUE;
}

/* Before a picture: caps are agreed upon where that is due. */
static GstFlowReturn
volume_stream_negotiate (GstOctVolumeFilter *self)
{
  g_autoptr (GstOctSettings) settings = NULL;
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GError) error = NULL;
  gconstpointer values;

  if (!gst_pad_check_reconfigure (self->src) && self->has_output)
    return GST_FLOW_OK;
  gst_oct_choice_negotiate (&self->choice);
  settings = gst_oct_choice_ref (&self->choice);
  values = gst_oct_settings_get (settings);
  g_atomic_int_set (&self->stale, TRUE);
  self->has_output = FALSE;
  caps = choose_caps (self, values);
  if (caps == NULL) {
    gst_pad_mark_reconfigure (self->src);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (!volume_stream_take_caps (self, values, caps, &error)) {
    gst_pad_mark_reconfigure (self->src);
    return GST_PAD_IS_FLUSHING (self->src)
               ? GST_FLOW_FLUSHING
               : gst_oct_volume_filter_fail (self, &error);
  }
  self->has_output = TRUE;
  gst_oct_volume_filter_push_waiting (self);
  return GST_FLOW_OK;
}

/* ----------------------------------------------------------------- pictures */

static GstClockTime
get_stream_time (GstOctVolumeFilter *self, GstClockTime time)
{
  if (!GST_CLOCK_TIME_IS_VALID (time)
      || self->segment.format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_stream_time (&self->segment, GST_FORMAT_TIME, time);
}

/* The time between pictures at the rate in the caps; 0 if that is open. */
static GstClockTime
get_interval (const GstOctVolumeFilter *self)
{
  return self->fps_n > 0
             ? gst_util_uint64_scale (GST_SECOND, self->fps_d, self->fps_n)
             : 0;
}

/* Pictures keep to the rate of the film, where B-scans come at another. */
static void
set_due (GstOctVolumeFilter *self, GstClockTime time)
{
  GstClockTime interval = get_interval (self);

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (self->drawn) || time < self->drawn
      || time >= self->due + interval)
    self->due = time;
  self->due += interval;
}

static void
note_picture (GstOctVolumeFilter *self, GstClockTime time, gboolean coarse)
{
  set_due (self, time);
  self->drawn = time;
  self->pictures++;
  self->fresh = FALSE;
  g_mutex_lock (&self->lock);
  self->coarse = coarse;
  self->late = FALSE;
  self->drawn_at = g_get_monotonic_time ();
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  keep_stats (self);
}

static void
volume_stream_stamp (
    GstOctVolumeFilter *self, GstBuffer *buffer, GstClockTime time)
{
  GST_BUFFER_PTS (buffer) = time;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  /* the last one of a film has no other end */
  GST_BUFFER_DURATION (buffer) =
      self->fps_n > 0 ? get_interval (self) : GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = self->pictures;
  GST_BUFFER_OFFSET_END (buffer) = self->pictures + 1;
}

/* Repeated B-scans that are one row of the volume. */
static guint
volume_stream_count_together (const GstOctVolumeFilter *self)
{
  return self->common.repeated == GST_OCT_REPEATED_ALL ? 1
                                                       : self->input.repeats;
}

static guint
volume_stream_count_places (const GstOctVolumeFilter *self, guint bscans)
{
  guint together = volume_stream_count_together (self);

  return bscans / together + (bscans % together != 0);
}

/* Spacings that are given or in the caps are those of places. */
GstOctVoxel
gst_oct_volume_filter_get_voxel_of (
    GstOctVolumeFilter *self, const GstOctVolumeCommon *common)
{
  guint rows = self->has_input
                   ? self->input.repeats / volume_stream_count_together (self)
                   : 1;
  GstOctVolumeCommon given = *common;
  GstOctSpacing spacing = self->spacing;

  if (!self->has_input || self->places == 0)
    return (GstOctVoxel){ 0 };
  given.y_spacing /= rows;
  spacing.y /= rows;
  return gst_oct_volume_common_get_voxel (&given, &spacing, self->input.columns,
      self->input.rows / self->input.bscans, self->places, self->seen_part);
}

GstOctVoxel
gst_oct_volume_filter_get_voxel (GstOctVolumeFilter *self, gboolean tell)
{
  GstOctVoxel v = gst_oct_volume_filter_get_voxel_of (self, &self->common);

  if (!tell || self->told_spacing || (v.knows_x && v.knows_y && v.knows_z))
    return v;
  GST_ELEMENT_INFO (self, STREAM, FORMAT,
      ("The stream does not say how large its voxels are: %.3g x %.3g x %.3g "
       "um are assumed; set `x-spacing`, `y-spacing` and `z-spacing`.",
          v.x * 1e3, v.y * 1e3, v.z * 1e3),
      (NULL));
  self->told_spacing = TRUE;
  return v;
}

GstFlowReturn
gst_oct_volume_filter_make_picture (
    GstOctVolumeFilter *self, GstClockTime time, gboolean fine)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  gboolean coarse = FALSE;
  GstFlowReturn ret;

  gst_oct_properties_sync (GST_OBJECT (self), &self->segment, time);
  /* what is set from here on is not in this one */
  g_mutex_lock (&self->lock);
  self->moved = FALSE;
  g_mutex_unlock (&self->lock);
  ret = volume_stream_negotiate (self);
  if (ret != GST_FLOW_OK)
    return ret;
  if (!gst_oct_volume_filter_configure (self, &error))
    return gst_oct_volume_filter_fail (self, &error);
  ret = gst_buffer_pool_acquire_buffer (self->pool, &buffer, NULL);
  if (ret == GST_FLOW_ERROR) {
    error = gst_oct_no_memory_new (
        gst_oct_place_get_cuda (&self->place), FALSE, &self->output);
    return gst_oct_volume_filter_fail (self, &error);
  }
  if (ret != GST_FLOW_OK)
    return ret;
  if (!CLASS (self)->draw (
          self, get_stream_time (self, time), fine, buffer, &coarse, &error))
    return gst_oct_volume_filter_fail (self, &error);
  volume_stream_stamp (self, buffer, time);
  note_picture (self, time, coarse);
  return gst_pad_push (self->src, g_steal_pointer (&buffer));
}

/* Whether the film has room for another picture at that time. */
static gboolean
volume_stream_is_due (GstOctVolumeFilter *self, GstClockTime time)
{
  return !GST_CLOCK_TIME_IS_VALID (time)
         || !GST_CLOCK_TIME_IS_VALID (self->drawn)
         || time < self->drawn
         /* times are rounded */
         || time + GST_USECOND >= self->due;
}

static gboolean
picture_moves (GstOctVolumeFilter *self)
{
  gboolean moved;

  if ((CLASS (self)->moves != NULL && CLASS (self)->moves (self))
      || gst_object_has_active_control_bindings (GST_OBJECT (self)))
    return TRUE;
  g_mutex_lock (&self->lock);
  moved = self->moved;
  g_mutex_unlock (&self->lock);
  return moved;
}

/* Whether B-scans wait for a picture that shows them. */
static void
set_late (GstOctVolumeFilter *self, gboolean late)
{
  g_mutex_lock (&self->lock);
  if (late && !self->late)
    g_cond_broadcast (&self->cond);
  self->late = late;
  g_mutex_unlock (&self->lock);
}

static gboolean
is_late (GstOctVolumeFilter *self)
{
  gboolean late;

  g_mutex_lock (&self->lock);
  late = self->late;
  g_mutex_unlock (&self->lock);
  return late;
}

static void
note_arrival (GstOctVolumeFilter *self)
{
  gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&self->lock);
  self->between[1] = self->between[0];
  self->between[0] = self->came_at > 0 ? now - self->came_at : 0;
  self->came_at = now;
  g_mutex_unlock (&self->lock);
}

GstFlowReturn
gst_oct_volume_filter_show (GstOctVolumeFilter *self)
{
  g_autoptr (GError) error = NULL;

  if (!gst_oct_renderer_show (self->renderer, &error))
    return gst_oct_volume_filter_fail (self, &error);
  self->shown = self->fresh = TRUE;
  return GST_FLOW_OK;
}

/* Whether pictures have had no more than half of the time: on a slow machine
 * the B-scans would wait for them, and be lost. */
static gboolean
has_time (const GstOctVolumeFilter *self)
{
  return !self->spares_time
         || g_get_monotonic_time () - self->drew_at >= self->draw_time;
}

/* Draws a picture after B-scans, but not more often than the frame rate allows.
 */
static GstFlowReturn
volume_stream_draw (GstOctVolumeFilter *self, GstClockTime time)
{
  gint64 began = g_get_monotonic_time ();
  GstFlowReturn ret;

  if (!self->shown || !volume_stream_is_due (self, time) || !has_time (self)
      || !(self->fresh || picture_moves (self)))
    return GST_FLOW_OK;
  ret = gst_oct_volume_filter_make_picture (self, time, FALSE);
  self->drew_at = g_get_monotonic_time ();
  self->draw_time = self->drew_at - began;
  return ret;
}

static GstFlowReturn
volume_stream_end_volume (GstOctVolumeFilter *self, GstClockTime time)
{
  GstFlowReturn ret;

  tell_of_losses (self);
  keep_stats (self);
  self->row = G_MAXUINT;
  ret = gst_oct_volume_filter_show (self);
  if (ret == GST_FLOW_OK)
    ret = volume_stream_draw (self, time);
  set_late (self, self->fresh);
  return ret;
}

static GstFlowReturn
draw_between (GstOctVolumeFilter *self, GstClockTime time)
{
  gint64 began, shown;
  GstFlowReturn ret;

  if (self->common.update != GST_OCT_UPDATE_SCAN)
    return volume_stream_draw (self, time);
  if (!volume_stream_is_due (self, time) || !has_time (self)) {
    set_late (self, TRUE);
    return GST_FLOW_OK;
  }
  began = g_get_monotonic_time ();
  ret = gst_oct_volume_filter_show (self);
  shown = g_get_monotonic_time ();
  if (ret == GST_FLOW_OK)
    ret = volume_stream_draw (self, time);
  if (self->drew_at >= shown)
    self->draw_time += shown - began;
  return ret;
}

void
gst_oct_volume_filter_drain (GstOctVolumeFilter *self)
{
  /* a part of a volume is more than nothing, and of one that is shown while it
   * is scanned the last B-scans belong to it */
  if (!self->failed && self->renderer != NULL && self->scan.begun
      && (!self->shown
          || (is_late (self) && self->common.update == GST_OCT_UPDATE_SCAN)))
    gst_oct_volume_filter_show (self);
  set_late (self, FALSE);
  tell_of_losses (self);
  keep_stats (self);
  if (self->fresh && !self->failed && self->renderer != NULL)
    gst_oct_volume_filter_make_picture (self, self->time, TRUE);
}

/* -------------------------------------------------------------------- images
 */

/* The part of the depths that tissue fills in many scans. */
#define USUALLY_SEEN 0.5

static gboolean
ensure_renderer (GstOctVolumeFilter *self, guint places, GError **error)
{
  OctVolumeParams params = { .lines = self->input.columns,
    .depth = self->input.rows / self->input.bscans,
    .bscans = places,
    .decimation = self->common.decimation,
    .depth_start = self->depth_start,
    .pixel_size =
        GST_VIDEO_INFO_FORMAT (&self->input.video) == GST_VIDEO_FORMAT_RGBA
            ? 4
            : 1 };

  if (self->renderer != NULL) {
    const OctVolumeParams *now = gst_oct_renderer_get_params (self->renderer);

    if (now->bscans == places && now->depth_start == params.depth_start)
      return TRUE;
    g_clear_pointer (&self->renderer, gst_oct_renderer_free);
  }
  if (!gst_oct_branch_allows_volumes (GST_ELEMENT (self), error))
    return FALSE;
  self->shown = self->fresh = self->has_output = FALSE;
  if (params.decimation == 0) {
    GstOctVoxel voxel =
        gst_oct_volume_filter_get_voxel_of (self, &self->common);

    /* so flat an assumed shape may become, once the depths that have signal are
     * known */
    if (!voxel.knows_z || !(voxel.knows_x || voxel.knows_y)) {
      voxel.x *= USUALLY_SEEN / self->seen_part;
      voxel.y *= USUALLY_SEEN / self->seen_part;
    }
    params.decimation =
        oct_volume_choose_decimation (voxel.x, voxel.y, voxel.z, params.depth);
  }
  self->row = G_MAXUINT;
  self->renderer = gst_oct_renderer_new (CLASS (self)->kind,
      gst_oct_place_get_cuda (&self->place), &self->input, self->input_on_gpu,
      &params, error);
  GST_INFO_OBJECT (self, "%u B-scans of %ux%u, %u depths a voxel, %s", places,
      params.lines, params.depth, params.decimation,
      gst_oct_place_get_cuda (&self->place) != NULL ? "cuda" : "cpu");
  return self->renderer != NULL;
}

/* The time of image `i` of a buffer. */
static GstClockTime
volume_stream_get_time (GstOctVolumeFilter *self, GstBuffer *buffer, guint i)
{
  GstClockTime time = GST_BUFFER_PTS (buffer);
  guint n = self->input.bscans;

  if (GST_CLOCK_TIME_IS_VALID (time) && n > 1
      && GST_BUFFER_DURATION_IS_VALID (buffer))
    time += gst_util_uint64_scale (GST_BUFFER_DURATION (buffer), i, n);
  return time;
}

/* Stores the part of a run that is shown. */
static gboolean
store_shown (GstOctVolumeFilter *self, const GstOctScanRun *run, GError **error)
{
  guint together = volume_stream_count_together (self);
  gboolean mean = self->common.repeated == GST_OCT_REPEATED_MEAN, ok = TRUE;

  if (together == 1)
    return gst_oct_renderer_store (
        self->renderer, run->image, run->bscan, run->n, error);
  for (guint i = 0; ok && i < run->n; i++) {
    guint bscan = run->bscan + i, at = bscan / together;

    if (mean)
      ok = gst_oct_renderer_store_mean (
          self->renderer, run->image + i, at, together, at != self->row, error);
    else if (gst_oct_scan_is_first (&self->scan, bscan, together))
      ok =
          gst_oct_renderer_store (self->renderer, run->image + i, at, 1, error);
    self->row = at;
  }
  return ok;
}

/* The same without B-scans that lost all A-lines: in their places the volume before
 * stays. */
static gboolean
store_there (GstOctVolumeFilter *self, const GstOctScanRun *run, GError **error)
{
  gsize columns = self->input.columns;
  GstOctScanRun one = *run;
  gboolean ok = TRUE;

  if (self->valid == NULL)
    return store_shown (self, run, error);
  one.n = 1;
  for (guint i = 0; ok && i < run->n; i++, one.image++, one.bscan++) {
    const guint8 *valid = self->valid + one.image * columns;

    /* any but 0 is there */
    for (guint x = 0; x < columns; x++)
      if (valid[x] != 0) {
        ok = store_shown (self, &one, error);
        break;
      }
  }
  return ok;
}

/* Stores a run of B-scans of a buffer; ends volumes and draws if it is time. */
static GstFlowReturn
volume_stream_store_run (
    GstOctVolumeFilter *self, GstBuffer *buffer, const GstOctScanRun *run)
{
  GstClockTime time =
      volume_stream_get_time (self, buffer, run->image + run->n - 1);
  GstFlowReturn ret = GST_FLOW_OK;
  g_autoptr (GError) error = NULL;

  if (run->ends_one)
    ret = volume_stream_end_volume (
        self, volume_stream_get_time (self, buffer, run->image));
  if (ret != GST_FLOW_OK || run->drop)
    return ret;
  if (!store_there (self, run, &error))
    return gst_oct_volume_filter_fail (self, &error);
  self->time = time;
  note_arrival (self);
  return run->ends ? volume_stream_end_volume (self, time)
                   : draw_between (self, time);
}

static GstFlowReturn
volume_stream_store (GstOctVolumeFilter *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret = GST_FLOW_OK;
  GstOctScanRun run;

  if (!gst_oct_renderer_begin (self->renderer, buffer, &error))
    return gst_oct_volume_filter_fail (self, &error);
  self->valid = gst_oct_lost_get_valid (buffer, &self->input);
  while (ret == GST_FLOW_OK && gst_oct_scan_next (&self->scan, &run))
    ret = volume_stream_store_run (self, buffer, &run);
  g_clear_pointer (&self->valid, g_free);
  if (!gst_oct_renderer_end (self->renderer, &error) && ret == GST_FLOW_OK)
    ret = gst_oct_volume_filter_fail (self, &error);
  return ret;
}

GstFlowReturn
gst_oct_volume_filter_take_buffer (GstOctVolumeFilter *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  guint bscans;

  if (self->failed)
    return GST_FLOW_ERROR;
  if (!self->has_input)
    return GST_FLOW_NOT_NEGOTIATED;
  if (!gst_oct_volume_filter_configure (self, &error))
    return gst_oct_volume_filter_fail (self, &error);
  bscans = gst_oct_scan_begin (
      &self->scan, buffer, &self->input, self->common.bscans);
  if (bscans == 0) {
    g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The stream does not say how many B-scans a volume has; set `bscans` "
        "of %s.",
        gst_oct_element_type_name (GST_ELEMENT (self)));
    return gst_oct_volume_filter_fail (self, &error);
  }
  self->places = volume_stream_count_places (self, bscans);
  if (!ensure_renderer (self, self->places, &error))
    return gst_oct_volume_filter_fail (self, &error);
  return volume_stream_store (self, buffer);
}
