/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octvolumecs
 *
 * Fills in the A-lines of a volume that a scan has left out. A scan that takes
 * a third of the A-lines takes a third of the time: less motion in the volume,
 * or three times as many volumes per second. It stands after the element that
 * makes A-scans, and in front of octlogscale.
 *
 * |[
 * gst-launch-1.0 octsrc phantom=surgery bscans=64 num-buffers=256
 *   scan-mask=scattered ! octdcsub ! octkresample ! octfft
 *   ! octvolumecs ! octlogscale range=manual ! octenface
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctvolumecs.h"
#include "gstoctbus.h"

#include <string.h>

#include "gstoctcalibration.h"
#include "gstocterror.h"
#include "gstoctfiller.h"
#include "gstoctinstall.h"
#include "gstoctlost.h"
#include "gstoctorder.h"
#include "gstoctplace.h"
#include "gstoctscan.h"
#include "gstoctscanmask.h"
#include "gstoctscatterevents.h"
#include "gstoctvolumecaps.h"
#include "gstoctvolumecssettings.h"
#include "gstoctvolumeevents.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_volume_cs_debug);
#define GST_CAT_DEFAULT gst_oct_volume_cs_debug

typedef GstOctVolumeCsSettings Settings;

static const GstOctProperties *const properties = &gst_oct_volume_cs_properties;

struct _GstOctVolumeCs {
  GstElement parent;

  GstPad *sink, *src;

  /* under the object lock; what is set stays as it is while it runs */
  Settings settings;
  GstOctPlace place;
  GstClockTime volume_time; /* 0: not known */

  /* streaming thread */
  gboolean failed; /* an error was posted */
  gboolean warned; /* of incomplete volumes */
  GstCaps *caps;   /* of the input, NULL: none yet */
  GstOctInfo in;
  gboolean input_on_gpu;
  OctCalibration *calibration; /* from upstream, or NULL */
  OctScanMask *sent, *mask;    /* from upstream; in use */
  GstOctFiller *filler;        /* NULL: nothing has come with these caps */
  OctVolumeCsParams params;
  gboolean whole;    /* rows are all A-lines of a volume */
  gboolean measured; /* the settings are those of the first volume */
  OctVolumeCsSettings use;
  gboolean has_output;
  GstOctVolumeEvents events;

  GstOctScan scan;
  gboolean has_volume;     /* something was stored */
  GstClockTime start, end; /* of the stored B-scans */
  guint64 number;          /* of the volume under way */
  gboolean unfinished;     /* as its B-scans say */
  guint64 delivered;       /* B-scans */
};

#define ASCANS GST_OCT_CAPS_ASCANS
#define SINK_CAPS ASCANS "; " GST_OCT_CAPS_SPECTRA ("F32LE", "wavenumber")

G_DEFINE_TYPE (GstOctVolumeCs, gst_oct_volume_cs, GST_TYPE_ELEMENT);
GST_OCT_REGISTER_DEFINE (
    octvolumecs, "octvolumecs", GST_RANK_NONE, GST_TYPE_OCT_VOLUME_CS);

static GstFlowReturn
volume_cs_fail (GstOctVolumeCs *self, GError **error)
{
  if (!self->failed)
    gst_oct_element_error (GST_ELEMENT (self), error);
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

/* ------------------------------------------------------------------- begin */

static void
forget_volume (GstOctVolumeCs *self)
{
  if (self->filler != NULL)
    gst_oct_filler_clear (self->filler);
  self->has_volume = FALSE;
  self->start = self->end = GST_CLOCK_TIME_NONE;
}

static void
forget_plan (GstOctVolumeCs *self)
{
  g_clear_pointer (&self->filler, gst_oct_filler_free);
  self->has_volume = FALSE;
  self->measured = FALSE;
  self->has_output = FALSE;
  g_clear_pointer (&self->mask, oct_scan_mask_unref);
  gst_oct_scan_clear (&self->scan);
}

/* For the B-scans that come. */
static gboolean
volume_cs_prepare (GstOctVolumeCs *self, guint bscans, GError **error)
{
  const Settings *s = &self->settings;
  guint lines = self->in.rows / self->in.bscans;

  if (!gst_oct_branch_allows_volumes (GST_ELEMENT (self), error))
    return FALSE;
  self->params = gst_oct_volume_cs_settings_get_params (s, &self->in);
  self->mask = gst_oct_volume_cs_settings_find_mask (
      s, self->sent, &self->params, lines, bscans, error);
  if (self->mask == NULL
      || !gst_oct_volume_cs_check_mask (
          self->mask, lines, bscans, &self->whole, error))
    return FALSE;
  self->params.mask = self->mask;
  self->filler = gst_oct_filler_new (gst_oct_place_get_cuda (&self->place),
      &self->in, self->input_on_gpu, &self->params, error);
  return self->filler != NULL;
}

/* -------------------------------------------------------------------- caps */

static void
set_times (GstOctVolumeCs *self, const GstStructure *from, GstStructure *to)
{
  guint taken = self->whole ? self->mask->bscans : self->mask->taken_bscans;
  GstClockTime before;
  gint n, d;

  if (!gst_structure_get_fraction (from, "framerate", &n, &d) || n <= 0)
    return;
  GST_OBJECT_LOCK (self);
  before = self->volume_time;
  self->volume_time = gst_util_uint64_scale (taken * GST_SECOND, d, n);
  GST_OBJECT_UNLOCK (self);
  if (self->volume_time != before)
    gst_element_post_message (
        GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  if (gst_util_fraction_multiply (
          n, d, (gint)self->mask->bscans, (gint)taken, &n, &d))
    gst_structure_set (to, "framerate", GST_TYPE_FRACTION, n, d, NULL);
}

static GstCaps *
make_caps (GstOctVolumeCs *self)
{
  const GstStructure *from = gst_caps_get_structure (self->caps, 0);
  GstStructure *to = gst_structure_copy (from);
  double z;

  if (self->params.spectra) {
    gst_structure_set_name (to, GST_OCT_ASCANS_NAME);
    gst_structure_remove_field (to, "axis");
    gst_structure_set (to, "format", G_TYPE_STRING, "CF32LE", NULL);
    z = self->calibration != NULL
                && oct_calibration_get_samples (self->calibration)
                       == self->in.columns
            ? oct_calibration_get_z_spacing (
                self->calibration, self->in.columns)
            : 0.0;
    if (z > 0.0)
      gst_structure_set (to, "z-spacing", G_TYPE_DOUBLE, z, NULL);
  }
  gst_structure_set (to, "samples", G_TYPE_INT,
      (gint)oct_volume_cs_get_depths (&self->params), "lines", G_TYPE_INT,
      (gint)self->mask->lines, NULL);
  gst_structure_remove_fields (to, GST_OCT_BSCANS_FIELD,
      GST_OCT_SCAN_LINES_FIELD, GST_OCT_SCAN_BSCANS_FIELD, NULL);
  set_times (self, from, to);
  return gst_caps_new_full (to, NULL);
}

/* Before the first B-scan that is delivered with these caps. */
static GstFlowReturn
set_output (GstOctVolumeCs *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstOctPassage *passage;

  if (self->has_output)
    return GST_FLOW_OK;
  passage = gst_oct_filler_get_passage (self->filler);
  caps = gst_oct_passage_choose_caps (passage, self->src, make_caps (self));
  if (!gst_pad_set_caps (self->src, caps))
    return GST_PAD_IS_FLUSHING (self->src) ? GST_FLOW_FLUSHING
                                           : GST_FLOW_NOT_NEGOTIATED;
  if (!gst_oct_passage_set_output (passage, self->src, caps, &error))
    return volume_cs_fail (self, &error);
  self->has_output = TRUE;
  gst_oct_volume_events_begin (&self->events, self->src);
  return GST_FLOW_OK;
}

/* ----------------------------------------------------------------- measure */

static void
volume_cs_choose (GstOctVolumeCs *self, const OctVolumeCsMeasures *m)
{
  Settings *s = &self->settings;
  const char *reason;

  self->use = gst_oct_volume_cs_settings_choose (s, &self->params, m, &reason);
  GST_OBJECT_LOCK (self);
  g_free (s->chosen);
  g_free (s->reason);
  s->chosen = g_strdup (gst_oct_volume_cs_get_nick (self->use.method));
  s->reason = g_strdup (reason);
  s->coherence_x = m->coherence_x;
  s->coherence_y = m->coherence_y;
  s->found_x = self->use.spot_x;
  s->found_y = self->use.spot_y;
  s->noise_found = self->use.noise;
  s->phase_step_x = self->use.phase_step_x;
  s->phase_step_y = self->use.phase_step_y;
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < properties->n_rows; i++)
    if (properties->rows[i].flags & GST_OCT_PROPERTY_READ_ONLY)
      g_object_notify (G_OBJECT (self), properties->rows[i].name);
}

static void
volume_cs_tell (GstOctVolumeCs *self, guint64 volume, guint missing)
{
  Settings *s = &self->settings;
  GstStructure *told = gst_structure_new ("oct-volume-cs", "volume",
      G_TYPE_UINT64, volume, "method", G_TYPE_STRING, s->chosen, "reason",
      G_TYPE_STRING, s->reason, "coherence-x", G_TYPE_DOUBLE, s->coherence_x,
      "coherence-y", G_TYPE_DOUBLE, s->coherence_y, "phase-step-x",
      G_TYPE_DOUBLE, s->phase_step_x, "phase-step-y", G_TYPE_DOUBLE,
      s->phase_step_y, "missing", G_TYPE_UINT, missing, NULL);

  GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT, told);
  gst_oct_bus_post (GST_ELEMENT (self), told);
}

/* Settings of the first volume hold for later ones: a picture whose method
 * changes from volume to volume flickers.  Phase steps are those of each. */
static gboolean
volume_cs_measure (GstOctVolumeCs *self, GError **error)
{
  OctVolumeCsMeasures m;
  gboolean first = !self->measured;
  guint missing;

  if (!gst_oct_filler_measure (self->filler, &m, error))
    return FALSE;
  missing = self->mask->count - m.lines;
  if (first)
    volume_cs_choose (self, &m);
  else
    gst_oct_volume_cs_settings_set_phase_steps (&self->use, &m);
  self->measured = TRUE;
  GST_OBJECT_LOCK (self);
  self->settings.phase_step_x = self->use.phase_step_x;
  self->settings.phase_step_y = self->use.phase_step_y;
  self->settings.missing += missing;
  GST_OBJECT_UNLOCK (self);
  if (first || missing > 0)
    volume_cs_tell (self, self->number, missing);
  if (missing > 0 && !self->warned) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Of the %u A-lines that the scan takes of a volume %u have not come; "
         "it is filled in from the others, and so are those after it.",
            self->mask->count, missing),
        (NULL));
    self->warned = TRUE;
  }
  return oct_volume_cs_settings_check (&self->params, &self->use, error);
}

/* ----------------------------------------------------------------- deliver */

static void
volume_cs_stamp (GstOctVolumeCs *self, GstBuffer *buffer, guint bscan)
{
  guint bscans = self->mask->bscans;

  if (GST_CLOCK_TIME_IS_VALID (self->start)
      && GST_CLOCK_TIME_IS_VALID (self->end) && self->end >= self->start) {
    GstClockTime time = self->end - self->start;
    GstClockTime from = gst_util_uint64_scale (time, bscan, bscans);
    GstClockTime to = gst_util_uint64_scale (time, bscan + 1, bscans);

    GST_BUFFER_PTS (buffer) = self->start + from;
    GST_BUFFER_DURATION (buffer) = to - from;
  } else if (bscan == 0) {
    GST_BUFFER_PTS (buffer) = self->start;
  }
  GST_BUFFER_OFFSET (buffer) = self->delivered++;
  GST_BUFFER_OFFSET_END (buffer) = self->delivered;
  gst_oct_scan_meta_set (buffer, &(GstOctScanPosition){ .bscan = bscan,
                                     .bscans = bscans,
                                     .volume = self->number,
                                     .count = 1 });
  if (self->unfinished)
    gst_oct_scan_meta_set_unfinished (buffer);
}

/* Fills in a volume from the A-lines that have come, and delivers it. */
static GstFlowReturn
volume_cs_finish (GstOctVolumeCs *self)
{
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret = GST_FLOW_OK;

  if (!self->has_volume)
    return GST_FLOW_OK;
  self->has_volume = FALSE;
  if (!volume_cs_measure (self, &error)
      || !gst_oct_filler_fill (self->filler, &self->use, &error))
    return volume_cs_fail (self, &error);
  ret = set_output (self);
  for (guint y = 0; ret == GST_FLOW_OK && y < self->mask->bscans; y++) {
    GstBuffer *buffer = NULL;

    ret = gst_oct_filler_fetch (self->filler, y, &buffer, &error);
    if (error != NULL)
      return volume_cs_fail (self, &error);
    if (ret != GST_FLOW_OK)
      break;
    volume_cs_stamp (self, buffer, y);
    ret = gst_pad_push (self->src, buffer);
  }
  forget_volume (self);
  if (self->has_output)
    gst_oct_volume_events_follow (&self->events, self->src);
  return ret;
}

/* The volume under way ends with the A-lines that have come.  No B-scan upstream
 * fails if the elements after this one do not take it. */
static void
volume_cs_end (GstOctVolumeCs *self)
{
  g_autoptr (GError) error = NULL;

  if (volume_cs_finish (self) != GST_FLOW_NOT_NEGOTIATED)
    return;
  g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The elements after octvolumecs do not take its volume of %u B-scans of "
      "%u A-lines; check caps filters and their order.",
      self->mask->bscans, self->mask->lines);
  (void)volume_cs_fail (self, &error);
}

/* ------------------------------------------------------------------- store */

static void
note_time (GstOctVolumeCs *self, GstBuffer *buffer, const GstOctScanRun *run)
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

static gboolean
store_run (GstOctVolumeCs *self, const GstOctScanRun *run, GError **error)
{
  guint lines = self->in.rows / self->in.bscans;

  for (guint i = 0; i < run->n; i++) {
    guint at =
        self->whole ? run->bscan + i : self->mask->bscan_of[run->bscan + i];

    if (!gst_oct_filler_store (
            self->filler, run->image + i, lines, at, self->whole, error))
      return FALSE;
  }
  return TRUE;
}

static GstFlowReturn
take_runs (GstOctVolumeCs *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret = GST_FLOW_OK;
  GstOctScanRun run;

  while (ret == GST_FLOW_OK && gst_oct_scan_next (&self->scan, &run)) {
    if (run.drop)
      continue;
    if (run.ends_one)
      ret = volume_cs_finish (self);
    if (ret != GST_FLOW_OK)
      break;
    if (!store_run (self, &run, &error))
      return volume_cs_fail (self, &error);
    note_time (self, buffer, &run);
    self->has_volume = TRUE;
    self->unfinished = gst_oct_scan_meta_is_unfinished (buffer);
    self->number = self->scan.volume;
    if (run.ends)
      ret = volume_cs_finish (self);
  }
  return ret;
}

/* B-scans per volume of the input. */
static guint
count_expected (const GstOctVolumeCs *self)
{
  return self->whole ? self->mask->bscans : self->mask->taken_bscans;
}

static GstFlowReturn
volume_cs_take (GstOctVolumeCs *self, GstBuffer *buffer)
{
  GstOctScanPosition scan;
  /* 0: the stream does not say it */
  guint bscans = gst_oct_scan_meta_get (buffer, &scan) && scan.bscans > 1
                     ? scan.bscans
                     : 0;
  g_autoptr (GError) error = NULL;
  GstOctPassage *passage;
  GstFlowReturn ret;

  /* volumes of another size begin anew */
  if (self->filler != NULL && bscans > 0 && bscans != count_expected (self)) {
    ret = volume_cs_finish (self);
    if (ret != GST_FLOW_OK)
      return ret;
    forget_plan (self);
  }
  if (self->filler == NULL && !volume_cs_prepare (self, bscans, &error))
    return volume_cs_fail (self, &error);
  gst_oct_scan_begin (&self->scan, buffer, &self->in, count_expected (self));
  passage = gst_oct_filler_get_passage (self->filler);
  if (!gst_oct_passage_begin (passage, buffer, &error))
    return volume_cs_fail (self, &error);
  ret = take_runs (self, buffer);
  if (!gst_oct_passage_end (passage, &error))
    return volume_cs_fail (self, &error);
  return ret;
}

static GstFlowReturn
gst_oct_volume_cs_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstOctVolumeCs *self = GST_OCT_VOLUME_CS (parent);
  GstFlowReturn ret = GST_FLOW_ERROR;
  g_autoptr (GError) error = NULL;

  if (self->caps == NULL) {
    ret = GST_FLOW_NOT_NEGOTIATED;
  } else if (!self->failed) {
    /* memory of a GPU is not written to from here */
    if (!self->input_on_gpu)
      buffer = gst_oct_lost_mend (buffer, &self->in, &error);
    ret = buffer != NULL ? volume_cs_take (self, buffer)
                         : volume_cs_fail (self, &error);
  }
  gst_clear_buffer (&buffer);
  return ret;
}

/* ------------------------------------------------------------------ events */

static gboolean
take_caps (GstOctVolumeCs *self, GstEvent *event)
{
  g_autoptr (GError) error = NULL;
  GstOctInfo info;
  gboolean on_gpu;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  on_gpu = gst_oct_caps_is_on_gpu (caps);
  if (self->caps != NULL && gst_caps_is_equal (self->caps, caps))
    return TRUE;
  /* as many B-scans of the same kind go on in the volume under way */
  if (self->caps != NULL && on_gpu == self->input_on_gpu
      && gst_oct_info_from_caps (&info, caps, NULL)
      && gst_oct_info_same_bscans (&info, &self->in)) {
    self->in = info;
    gst_caps_replace (&self->caps, caps);
    if (self->filler == NULL
        || gst_oct_passage_set_input (
            gst_oct_filler_get_passage (self->filler), &info, &error))
      return TRUE;
    volume_cs_fail (self, &error);
    return FALSE;
  }
  volume_cs_end (self);
  forget_plan (self);
  gst_caps_replace (&self->caps, NULL);
  if (on_gpu && gst_oct_place_get_cuda (&self->place) == NULL)
    g_set_error_literal (&error, OCT_ERROR, OCT_ERROR_DEVICE,
        "octvolumecs was asked for memory on a GPU and was started without "
        "one; set `backend` before the start, the same on all elements.");
  if (error != NULL || !gst_oct_info_from_caps (&self->in, caps, &error)) {
    volume_cs_fail (self, &error);
    return FALSE;
  }
  self->input_on_gpu = on_gpu;
  gst_caps_replace (&self->caps, caps);
  return TRUE;
}

/* Sets what upstream tells; FALSE: it tells nothing of the kind. */
static gboolean
take_custom (GstOctVolumeCs *self, GstEvent **event)
{
  OctScanMask *mask = gst_oct_scan_mask_event_parse (*event);
  OctCalibration *calibration;

  if (mask != NULL) {
    if (!oct_scan_mask_equal (mask, self->sent)) {
      volume_cs_end (self);
      forget_plan (self);
    }
    g_clear_pointer (&self->sent, oct_scan_mask_unref);
    self->sent = mask;
    return TRUE;
  }
  calibration = gst_oct_calibration_event_parse (event, NULL);
  if (calibration != NULL) {
    g_clear_pointer (&self->calibration, oct_calibration_unref);
    self->calibration = calibration;
  }
  return FALSE;
}

static gboolean
gst_oct_volume_cs_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctVolumeCs *self = GST_OCT_VOLUME_CS (parent);
  gboolean ok;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    ok = take_caps (self, event);
    gst_event_unref (event);
    return ok;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    forget_volume (self);
    gst_oct_scan_forget (&self->scan);
    self->failed = FALSE;
    return gst_oct_volume_events_flush (
        &self->events, self->has_output, self->src, event);
  }
  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_push_event (self->src, event);
  if (take_custom (self, &event)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (gst_oct_volume_events_end (&self->scan, event))
    volume_cs_end (self);
  return gst_oct_volume_events_pass (
      &self->events, self->has_output, self->has_volume, self->src, event);
}

/* The first B-scan of a volume waits for the last.  While those of a volume are
 * delivered nothing is taken: a sink that keeps time needs a queue, and without
 * one GStreamer warns. */
static gboolean
answer_latency (
    GstOctVolumeCs *self, GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstClockTime least, most, more;
  gboolean live;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  GST_OBJECT_LOCK (self);
  more = self->volume_time;
  GST_OBJECT_UNLOCK (self);
  gst_query_parse_latency (query, &live, &least, &most);
  gst_query_set_latency (query, live, least + more, most);
  return TRUE;
}

static gboolean
answer_caps (GstOctVolumeCs *self, GstPad *pad, GstQuery *query)
{
  const char *host = pad == self->sink ? SINK_CAPS : ASCANS;
  GstCaps *caps = gst_oct_volume_caps_new (
      host, host, gst_oct_place_may_use_cuda (&self->place), TRUE);
  GstCaps *filter, *both;

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
gst_oct_volume_cs_answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctVolumeCs *self = GST_OCT_VOLUME_CS (parent);
  GstOctCuda *cuda = gst_oct_place_get_cuda (&self->place);

  switch (GST_QUERY_TYPE (query)) {
  case GST_QUERY_CAPS:
    return answer_caps (self, pad, query);
  case GST_QUERY_CONTEXT:
    if (gst_oct_place_answer_query (&self->place, GST_ELEMENT (self), query))
      return TRUE;
    break;
  case GST_QUERY_LATENCY:
    if (pad == self->src)
      return answer_latency (self, pad, parent, query);
    break;
  case GST_QUERY_ALLOCATION:
    if (pad == self->src)
      break;
    /* what comes is copied */
    if (cuda == NULL || self->caps == NULL || self->input_on_gpu)
      return FALSE;
    gst_oct_propose_pinned_pool (cuda, &self->in, query);
    return TRUE;
  default:
    break;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* ------------------------------------------------------------------ object */

static void
volume_cs_reset (GstOctVolumeCs *self)
{
  forget_plan (self);
  gst_oct_volume_events_clear (&self->events);
  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->sent, oct_scan_mask_unref);
  g_clear_pointer (&self->calibration, oct_calibration_unref);
  self->failed = self->warned = FALSE;
  self->delivered = 0;
  self->start = self->end = GST_CLOCK_TIME_NONE;
  gst_oct_place_stop (&self->place, GST_ELEMENT (self));
}

static GstStateChangeReturn
gst_oct_volume_cs_change_state (GstElement *element, GstStateChange transition)
{
  GstOctVolumeCs *self = GST_OCT_VOLUME_CS (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_autoptr (GError) error = NULL;

    if (!gst_oct_place_start (&self->place, element, &error)) {
      volume_cs_fail (self, &error);
      self->failed = FALSE;
      return GST_STATE_CHANGE_FAILURE;
    }
    GST_OBJECT_LOCK (self);
    self->settings.missing = 0;
    GST_OBJECT_UNLOCK (self);
  }
  ret = GST_ELEMENT_CLASS (gst_oct_volume_cs_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    volume_cs_reset (self);
  return ret;
}

static void
gst_oct_volume_cs_set_context (GstElement *element, GstContext *context)
{
  gst_oct_place_set_context (
      &GST_OCT_VOLUME_CS (element)->place, element, context);
  GST_ELEMENT_CLASS (gst_oct_volume_cs_parent_class)
      ->set_context (element, context);
}

static void
gst_oct_volume_cs_finalize (GObject *object)
{
  GstOctVolumeCs *self = GST_OCT_VOLUME_CS (object);

  volume_cs_reset (self);
  gst_oct_properties_clear (properties, &self->settings);
  G_OBJECT_CLASS (gst_oct_volume_cs_parent_class)->finalize (object);
}

static void
add_template (GstElementClass *klass, const char *name,
    GstPadDirection direction, const char *caps)
{
  g_autoptr (GstCaps) both = gst_oct_volume_caps_new (caps, caps, TRUE, TRUE);

  gst_element_class_add_pad_template (
      klass, gst_pad_template_new (name, direction, GST_PAD_ALWAYS, both));
}

static GstPad *
add_pad (GstOctVolumeCs *self, const char *name)
{
  GstPad *pad = gst_pad_new_from_template (
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name),
      name);

  gst_pad_set_query_function (pad, gst_oct_volume_cs_answer_query);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static const GstOctProperty place_rows[] = {
  GST_OCT_BACKEND_ROWS (GstOctVolumeCs, place.backend, place.cuda_device_id),
};
static const GstOctProperties place_properties =
    GST_OCT_PROPERTIES (GstOctVolumeCs, place_rows);
static const GstOctHolder place_holder = { .properties = &place_properties };

static const GstOctHolder holder = {
  .properties = &gst_oct_volume_cs_properties,
  .offset = G_STRUCT_OFFSET (GstOctVolumeCs, settings),
};

static void
gst_oct_volume_cs_class_init (GstOctVolumeCsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_volume_cs_debug, "octvolumecs", 0, "OCT filling in of volumes");
  object_class->finalize = gst_oct_volume_cs_finalize;
  gst_oct_holder_install (&holder, object_class,
      gst_oct_holder_install (&place_holder, object_class, 1));
  add_template (element_class, "sink", GST_PAD_SINK, SINK_CAPS);
  add_template (element_class, "src", GST_PAD_SRC, ASCANS);
  gst_element_class_set_static_metadata (element_class,
      "OCT filling in of volumes", "Filter/Video",
      "Fills in the A-lines of a volume that a scan has left out",
      "The gst-oct developers");
  element_class->change_state = gst_oct_volume_cs_change_state;
  element_class->set_context = gst_oct_volume_cs_set_context;
  gst_oct_volume_cs_settings_mark ();
}

static void
gst_oct_volume_cs_init (GstOctVolumeCs *self)
{
  gst_oct_properties_init (&place_properties, self);
  gst_oct_properties_init (properties, &self->settings);
  gst_oct_scan_clear (&self->scan);
  self->start = self->end = GST_CLOCK_TIME_NONE;
  self->sink = add_pad (self, "sink");
  gst_pad_set_chain_function (self->sink, gst_oct_volume_cs_chain);
  gst_pad_set_event_function (self->sink, gst_oct_volume_cs_sink_event);
  gst_oct_order_init (self->sink);
  self->src = add_pad (self, "src");
}
