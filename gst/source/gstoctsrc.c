/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octsrc
 *
 * Delivers raw spectra: from a file, or from a virtual OCT system that looks at
 * a simulated sample. One buffer is one B-scan, or several.
 *
 * |[
 * gst-launch-1.0 octsrc ! octreconstruct ! videoconvert ! autovideosink
 * gst-launch-1.0 octsrc location=scan.raw samples=1024 lines=100
 *   calibration=calibration.csv ! octreconstruct
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctsrc.h"
#include "gstoctallocation.h"
#include "gstoctcalibration.h"
#include "gstoctcaps.h"
#include "gstoctcuda.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctscanmeta.h"
#include "gstoctsrcopen.h"
#include "gstoctsrcscan.h"
#include "gstoctsrcsettings.h"
#include "gstoctsrcuri.h"
#include "gstocttimeline.h"

/* also of gstoctsrcopen.c */
GST_DEBUG_CATEGORY (gst_oct_src_debug);
#define GST_CAT_DEFAULT gst_oct_src_debug

#define DEFAULT_FRAMERATE 30

/* How late a live source may be before it drops B-scans, as a camera with a
 * small ring of buffers would. */
#define LIVE_TOLERANCE (100 * GST_MSECOND)

/* B-scans that are named one by one when they turn out to be damaged. */
#define MAX_TOLD_DAMAGED 8

struct _GstOctSrc {
  GstOctPushSrc parent;

  GstOctSrcSettings settings; /* under the object lock */
  gint calibration_stale;     /* atomic: to be sent */
  gint calibration_changed;   /* atomic: since the start */
  GstOctCudaSlot cuda;

  /* written with the object lock held, by the streaming thread and by start
   * and stop */
  GstOctInput *input;
  GstOctTimeline timeline; /* counts through loops */
  guint64 frames, dropped;
  guint64 missing;  /* B-scans of the input */
  guint per_buffer; /* B-scans, as it was set */
  guint count;      /* in the next buffer */

  /* streaming thread */
  GstOctInfo info;
  gboolean downstream_strides; /* takes any stride (GstVideoMeta) */
  guint64 stop;                /* first B-scan not to deliver */
  gboolean discont;
  guint told_damaged; /* B-scans that a warning has named */
  GstOctSrcScan scan;
  OctCalibration *calibration; /* read at the start, not sent yet */
};

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_OCT_CAPS_RAW
            "; " GST_OCT_CAPS_SPECTRA ("F32LE", "wavelength")));

G_DEFINE_TYPE_WITH_CODE (GstOctSrc, gst_oct_src, GST_TYPE_OCT_PUSH_SRC,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_oct_src_uri_handler_init));
GST_OCT_REGISTER_DEFINE (octsrc, "octsrc", GST_RANK_NONE, GST_TYPE_OCT_SRC);

/* --------------------------------------------------------------------- caps */

static GstCaps *
src_list_caps (GstOctPushSrc *source)
{
  GstOctSrc *self = GST_OCT_SRC (source);
  GstCaps *caps = NULL;

  GST_OBJECT_LOCK (self);
  if (self->input != NULL)
    caps = gst_caps_new_full (gst_oct_src_settings_describe (
                                  &self->settings, self->input, self->count),
        NULL);
  GST_OBJECT_UNLOCK (self);
  return caps;
}

static GstCaps *
gst_oct_src_fixate (GstBaseSrc *base, GstCaps *caps)
{
  caps = gst_caps_make_writable (caps);
  gst_structure_fixate_field_nearest_fraction (
      gst_caps_get_structure (caps, 0), "framerate", DEFAULT_FRAMERATE, 1);
  return GST_BASE_SRC_CLASS (gst_oct_src_parent_class)->fixate (base, caps);
}

/* Takes the frame rate from fixed caps. */
static void
take_framerate (GstOctSrc *self, const GstCaps *caps)
{
  GstBaseSrc *base = GST_BASE_SRC (self);
  gint n = 0, d = 1;

  gst_structure_get_fraction (
      gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  GST_OBJECT_LOCK (self);
  self->timeline.fps_n = n > 0 ? n : DEFAULT_FRAMERATE;
  self->timeline.fps_d = n > 0 ? d : 1;
  base->segment.duration = gst_oct_timeline_duration (&self->timeline);
  GST_OBJECT_UNLOCK (self);
}

static void
restart_segment (GstOctSrc *self, GstClockTime old_time)
{
  GstSegment segment = GST_BASE_SRC (self)->segment;

  gst_oct_timeline_restart (&self->timeline, old_time, self->stop, &segment);
  gst_base_src_new_segment (GST_BASE_SRC (self), &segment);
  gst_element_post_message (
      GST_ELEMENT (self), gst_message_new_duration_changed (GST_OBJECT (self)));
}

static gboolean
gst_oct_src_set_caps (GstBaseSrc *base, GstCaps *caps)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  g_autoptr (GError) error = NULL;
  GstClockTime old_time =
      gst_oct_timeline_time (&self->timeline, self->timeline.next);

  if (!gst_oct_info_from_caps (&self->info, caps, &error)) {
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
    return FALSE;
  }
  take_framerate (self, caps);
  if (gst_oct_timeline_time (&self->timeline, self->timeline.next) != old_time)
    restart_segment (self, old_time);
  gst_base_src_set_blocksize (base, self->info.size);
  return TRUE;
}

static gboolean
gst_oct_src_decide_allocation (GstBaseSrc *base, GstQuery *query)
{
  GstOctSrc *self = GST_OCT_SRC (base);

  self->downstream_strides =
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return gst_oct_decide_allocation (GST_ELEMENT (self), query, NULL, NULL);
}

/* -------------------------------------------------------------- start, stop */

/* Which frame rate negotiation is going to find: a seek that was asked for
 * before the start comes before the caps. */
static void
predict_framerate (GstOctSrc *self)
{
  GstPad *pad = GST_BASE_SRC_PAD (self);
  GstCaps *caps = gst_pad_get_allowed_caps (pad);

  if (caps == NULL || gst_caps_is_empty (caps)) {
    gst_clear_caps (&caps);
    caps = gst_pad_query_caps (pad, NULL);
  }
  caps = gst_oct_src_fixate (GST_BASE_SRC (self), gst_caps_truncate (caps));
  take_framerate (self, caps);
  gst_caps_unref (caps);
}

static gboolean
gst_oct_src_start (GstBaseSrc *base)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  g_autoptr (GError) error = NULL;
  g_autofree char *location = NULL, *variable = NULL, *dataset = NULL;
  g_autofree char *mask = NULL, *mask_output = NULL, *scan = NULL;
  GstOctSrcSettings settings;
  GstOctInput *input;
  guint per_buffer = 1;

  gst_oct_push_src_begin (GST_OCT_PUSH_SRC (self));
  g_atomic_int_set (&self->calibration_changed, FALSE);
  GST_OBJECT_LOCK (self);
  oct_calibration_settings_forget_file (&self->settings.calibration);
  settings = self->settings;
  settings.input.location = location = g_strdup (settings.input.location);
  settings.input.reader.variable = variable =
      g_strdup (settings.input.reader.variable);
  settings.input.reader.dataset = dataset =
      g_strdup (settings.input.reader.dataset);
  settings.input.cut.file = mask = g_strdup (settings.input.cut.file);
  settings.input.cut.output = mask_output =
      g_strdup (settings.input.cut.output);
  settings.input.look.file = scan = g_strdup (settings.input.look.file);
  GST_OBJECT_UNLOCK (self);
  input = gst_oct_src_open (GST_ELEMENT (self), &settings, &self->cuda, &error);
  if (input != NULL)
    per_buffer = gst_oct_src_settings_count_per_buffer (
        &settings, gst_oct_input_get_info (input), &error);
  /* read here, so that a mistake in it fails the start as others do */
  if (input != NULL && error == NULL
      && (!gst_base_src_is_live (base)
          || gst_oct_src_settings_check_live (&settings, input, &error)))
    self->calibration = gst_oct_src_open_calibration (
        GST_ELEMENT (self), &self->settings, input, &error);
  if (error != NULL) {
    gst_oct_input_close (input);
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->input = input;
  self->per_buffer = self->count = per_buffer;
  self->timeline.count =
      settings.loop ? G_MAXUINT64 : gst_oct_input_get_info (input)->frames;
  self->timeline.next = 0;
  self->frames = self->dropped = 0;
  self->missing = gst_oct_input_count_missing (input);
  GST_OBJECT_UNLOCK (self);
  self->stop = G_MAXUINT64;
  self->discont = TRUE;
  self->told_damaged = 0;
  gst_oct_src_scan_begin (&self->scan);
  g_atomic_int_set (&self->calibration_stale, TRUE);
  predict_framerate (self);
  gst_oct_src_warn_about_flaws (GST_ELEMENT (self), input, location);
  return TRUE;
}

static gboolean
gst_oct_src_stop (GstBaseSrc *base)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  GstOctInput *input;

  GST_OBJECT_LOCK (self);
  input = g_steal_pointer (&self->input);
  GST_OBJECT_UNLOCK (self);
  GST_INFO_OBJECT (self,
      "%" G_GUINT64_FORMAT " B-scans delivered, %" G_GUINT64_FORMAT " dropped",
      self->frames, self->dropped);
  gst_oct_input_close (input);
  g_clear_pointer (&self->calibration, oct_calibration_unref);
  gst_oct_cuda_forget (GST_ELEMENT (self), &self->cuda);
  return TRUE;
}

/* ------------------------------------------------------------------ B-scans */

/* Sends downstream which calibration holds.  `changed`: since the start; one
 * that does not fit is a warning then, and the previous one holds. */
static void
src_send_calibration (GstOctSrc *self, gboolean changed)
{
  g_autoptr (OctCalibration) calibration = g_steal_pointer (&self->calibration);
  g_autoptr (GError) error = NULL;
  OctCalibration *found;

  if (changed || calibration == NULL) {
    found = gst_oct_src_open_calibration (
        GST_ELEMENT (self), &self->settings, self->input, &error);
    if (error != NULL)
      GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
          ("%s The previous calibration stays.", error->message), (NULL));
    else
      g_clear_pointer (&calibration, oct_calibration_unref);
    if (found != NULL)
      calibration = found;
  }
  if (calibration != NULL)
    gst_pad_push_event (
        GST_BASE_SRC_PAD (self), gst_oct_calibration_event_new (calibration));
}

static void
report_drop (GstOctSrc *self, guint64 lost, GstClockTime running_time)
{
  GstMessage *message =
      gst_message_new_qos (GST_OBJECT (self), TRUE, running_time,
          gst_oct_timeline_time (&self->timeline, self->timeline.next),
          gst_oct_timeline_time (&self->timeline, self->timeline.next),
          gst_oct_timeline_time (&self->timeline, self->timeline.next + lost)
              - gst_oct_timeline_time (&self->timeline, self->timeline.next));

  GST_WARNING_OBJECT (self,
      "too slow for the line rate, dropped %" G_GUINT64_FORMAT
      " B-scans, %" G_GUINT64_FORMAT " so far",
      lost, self->dropped);
  gst_message_set_qos_stats (
      message, GST_FORMAT_BUFFERS, self->frames, self->dropped);
  gst_element_post_message (GST_ELEMENT (self), message);
}

/* A camera does not wait: what was not fetched in time is gone. */
static void
drop_late_frames (GstOctSrc *self)
{
  GstBaseSrc *base = GST_BASE_SRC (self);
  GstClockTime ready = gst_oct_timeline_time (
                   &self->timeline, self->timeline.next + self->per_buffer),
               running_time;
  guint64 due, lost;

  if (!gst_base_src_is_live (base))
    return;
  /* a live source does not seek: times are running times */
  running_time = gst_element_get_current_running_time (GST_ELEMENT (self));
  if (!GST_CLOCK_TIME_IS_VALID (running_time)
      || running_time <= ready + LIVE_TOLERANCE)
    return;
  due = MIN (gst_oct_timeline_frame (&self->timeline, running_time, FALSE),
      MIN (self->stop, self->timeline.count));
  due = gst_oct_input_get_begin (self->input,
      MAX (due, self->per_buffer) - self->per_buffer, self->per_buffer);
  if (due <= self->timeline.next)
    return;
  lost = due - self->timeline.next;
  GST_OBJECT_LOCK (self);
  self->dropped += lost;
  GST_OBJECT_UNLOCK (self);
  report_drop (self, lost, running_time);
  GST_OBJECT_LOCK (self);
  self->timeline.next += lost;
  GST_OBJECT_UNLOCK (self);
  self->discont = TRUE;
}

/* A buffer with B-scan `frame` and those after it: the memory of the input if
 * it holds them already, else read into memory of the pool. */
static GstFlowReturn
make_buffer (GstOctSrc *self, guint64 frame, GstBuffer **buffer, GError **error)
{
  GstFlowReturn ret;

  *buffer = gst_oct_input_wrap (
      self->input, frame, &self->info, self->downstream_strides);
  if (*buffer != NULL)
    return GST_FLOW_OK;
  ret = GST_BASE_SRC_CLASS (gst_oct_src_parent_class)
            ->alloc (GST_BASE_SRC (self), 0, self->info.size, buffer);
  if (ret != GST_FLOW_OK)
    return ret;
  if (!gst_oct_input_fill (self->input, frame, &self->info, *buffer, error)) {
    gst_clear_buffer (buffer);
    return GST_FLOW_ERROR;
  }
  return GST_FLOW_OK;
}

static void
src_stamp (GstOctSrc *self, GstBuffer *buffer, guint64 n, guint64 frame)
{
  const OctReaderInfo *info = gst_oct_input_get_info (self->input);
  guint64 place = gst_oct_input_get_place (self->input, frame);
  guint64 volumes = 0, pass = 0;
  guint count = self->info.bscans;

  if (info->frames != G_MAXUINT64) {
    /* of one pass over a file, the last one may be a part */
    volumes =
        (gst_oct_input_get_place (self->input, info->frames) + info->bscans - 1)
        / info->bscans;
    pass = n / info->frames;
  }
  GST_BUFFER_PTS (buffer) = gst_oct_timeline_time (&self->timeline, n);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) =
      gst_oct_timeline_time (&self->timeline, n + count)
      - gst_oct_timeline_time (&self->timeline, n);
  GST_BUFFER_OFFSET (buffer) = n;
  GST_BUFFER_OFFSET_END (buffer) = n + count;
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  gst_oct_scan_meta_set (
      buffer, &(GstOctScanPosition){ .bscan = (guint)(place % info->bscans),
                  .bscans = info->bscans,
                  .volume = pass * volumes + place / info->bscans,
                  .count = count });
}

/* B-scans that one buffer can hold.  The places of all in it are counted from
 * the first one's, through whole volumes: a last volume that is a part ends a
 * buffer before the file starts again, and so do B-scans that are missing. */
static guint64
count_left (GstOctSrc *self, guint64 frame, guint64 end)
{
  return gst_oct_input_count_alike (
      self->input, frame, MIN (end - self->timeline.next, self->per_buffer));
}

/* A B-scan that turned out to be damaged when it was read. */
static void
tell_damaged (GstOctSrc *self, GError **error)
{
  const char *last = self->told_damaged + 1 < MAX_TOLD_DAMAGED
                         ? ""
                         : " No other one of this file is named.";

  GST_OBJECT_LOCK (self);
  self->missing = gst_oct_input_count_missing (self->input);
  GST_OBJECT_UNLOCK (self);
  if (self->told_damaged++ < MAX_TOLD_DAMAGED)
    GST_ELEMENT_WARNING (self, STREAM, DECODE,
        ("%s. It is left out, and the others are played.%s", (*error)->message,
            last),
        (NULL));
  g_clear_error (error);
}

/* Goes to the next B-scan that is there; FALSE: there is none before `end`.
 * Those that are missing have their time, and their place in the volume. */
static gboolean
skip_missing (GstOctSrc *self, guint64 end, guint64 *frame, GError **error)
{
  guint64 frames = gst_oct_input_get_info (self->input)->frames, skipped = 0;

  while (skipped < frames && self->timeline.next + skipped < end
         && gst_oct_input_lacks (
             self->input, (self->timeline.next + skipped) % frames))
    skipped++;
  if (skipped == frames) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_READ,
        "The file of `location` has no B-scan that can be read; copy it again");
    return FALSE;
  }
  if (skipped > 0) {
    GST_OBJECT_LOCK (self);
    self->timeline.next += skipped;
    GST_OBJECT_UNLOCK (self);
    self->discont = TRUE;
  }
  *frame = self->timeline.next % frames;
  return self->timeline.next < end;
}

/* Fewer than there are in a buffer have caps of their own. */
static gboolean
choose_count (GstOctSrc *self, guint64 left)
{
  guint count = (guint)MIN (left, self->per_buffer);

  if (count == self->info.bscans)
    return TRUE;
  GST_OBJECT_LOCK (self);
  self->count = count;
  GST_OBJECT_UNLOCK (self);
  return gst_base_src_negotiate (GST_BASE_SRC (self))
         && self->info.bscans == count;
}

/* The next buffer; GST_FLOW_CUSTOM_SUCCESS: a B-scan of it is damaged, which is
 * known now. */
static GstFlowReturn
try_buffer (GstOctSrc *self, GstBuffer **buffer, guint64 *frame, GError **error)
{
  guint64 end = MIN (self->stop, self->timeline.count);
  GstFlowReturn ret;
  guint64 count;

  if (!skip_missing (self, end, frame, error))
    return *error != NULL ? GST_FLOW_ERROR : GST_FLOW_EOS;
  count = count_left (self, *frame, end);
  gst_oct_src_scan_send (&self->scan, GST_BASE_SRC (self), self->input, *frame,
      (guint)MIN (count, self->per_buffer));
  if (!choose_count (self, count))
    return GST_FLOW_NOT_NEGOTIATED;
  ret = make_buffer (self, *frame, buffer, error);
  if (*error == NULL
      || (!gst_oct_input_lacks (self->input, *frame)
          && count_left (self, *frame, end) == count))
    return ret;
  tell_damaged (self, error);
  return GST_FLOW_CUSTOM_SUCCESS;
}

static GstFlowReturn
gst_oct_src_create (GstPushSrc *push, GstBuffer **buffer)
{
  GstOctSrc *self = GST_OCT_SRC (push);
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret;
  guint64 frame = 0;
  gboolean changed = g_atomic_int_compare_and_exchange (
      &self->calibration_changed, TRUE, FALSE);

  if (g_atomic_int_compare_and_exchange (&self->calibration_stale, TRUE, FALSE))
    src_send_calibration (self, changed);
  drop_late_frames (self);
  do {
    ret = try_buffer (self, buffer, &frame, &error);
  } while (ret == GST_FLOW_CUSTOM_SUCCESS);
  if (error != NULL)
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
  if (ret != GST_FLOW_OK)
    return ret;
  src_stamp (self, *buffer, self->timeline.next, frame);
  gst_oct_input_tell_lost (self->input, frame, &self->info, *buffer);
  GST_OBJECT_LOCK (self);
  self->timeline.next += self->info.bscans;
  self->frames += self->info.bscans;
  GST_OBJECT_UNLOCK (self);
  return GST_FLOW_OK;
}

/* ---------------------------------------------------------- seeking, timing */

static void
gst_oct_src_get_times (
    GstBaseSrc *base, GstBuffer *buffer, GstClockTime *start, GstClockTime *end)
{
  *start = *end = GST_CLOCK_TIME_NONE;
  /* a camera delivers a B-scan when its last A-line was taken */
  if (gst_base_src_is_live (base))
    *start = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
}

static gboolean
gst_oct_src_is_seekable (GstBaseSrc *base)
{
  return !gst_base_src_is_live (base);
}

/* Seeks by B-scan numbers become seeks by time, the format of the segment. */
static gboolean
gst_oct_src_prepare_seek_segment (
    GstBaseSrc *base, GstEvent *seek, GstSegment *segment)
{
  segment->duration = base->segment.duration;
  return gst_oct_timeline_seek (&GST_OCT_SRC (base)->timeline, seek, segment);
}

/* The base class flushes before it asks do_seek(): a seek that is refused only
 * there leaves downstream elements without a segment. */
static gboolean
gst_oct_src_event (GstBaseSrc *base, GstEvent *event)
{
  gdouble rate;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_parse_seek (event, &rate, NULL, NULL, NULL, NULL, NULL, NULL);
    if (rate <= 0.0) {
      GST_WARNING_OBJECT (base, "spectra are played forwards only");
      return FALSE;
    }
  }
  return GST_BASE_SRC_CLASS (gst_oct_src_parent_class)->event (base, event);
}

static gboolean
gst_oct_src_do_seek (GstBaseSrc *base, GstSegment *segment)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  const GstSegment *old = &base->segment;

  /* prepared for B-scan numbers it knows nothing of the one that it follows */
  if (!(segment->flags & GST_SEGMENT_FLAG_RESET))
    segment->base =
        gst_segment_to_running_time (old, GST_FORMAT_TIME, old->position);
  GST_OBJECT_LOCK (self);
  self->timeline.next = gst_oct_input_get_begin (self->input,
      gst_oct_timeline_frame (&self->timeline, segment->position, FALSE),
      self->per_buffer);
  GST_OBJECT_UNLOCK (self);
  self->stop =
      GST_CLOCK_TIME_IS_VALID (segment->stop)
          ? gst_oct_timeline_frame (&self->timeline, segment->stop, TRUE)
          : G_MAXUINT64;
  self->discont = TRUE;
  return TRUE;
}

static gboolean
gst_oct_src_query (GstBaseSrc *base, GstQuery *query)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  gboolean live = gst_base_src_is_live (base), done = FALSE;

  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT
      && gst_oct_cuda_answer_query (GST_ELEMENT (self), query, &self->cuda))
    return TRUE;
  GST_OBJECT_LOCK (self);
  if (self->input != NULL && self->timeline.fps_n > 0) {
    GstClockTime duration =
        gst_oct_timeline_time (&self->timeline, self->per_buffer);

    if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY) {
      done = gst_oct_timeline_query (&self->timeline, query, !live);
    } else if (live) {
      gst_query_set_latency (query, TRUE, duration, duration + LIVE_TOLERANCE);
      done = TRUE;
    }
  }
  GST_OBJECT_UNLOCK (self);
  return done
         || GST_BASE_SRC_CLASS (gst_oct_src_parent_class)->query (base, query);
}

static void
gst_oct_src_set_context (GstElement *element, GstContext *context)
{
  GstOctSrc *self = GST_OCT_SRC (element);

  if (gst_oct_backend_may_use_cuda (self->settings.backend))
    gst_oct_cuda_set_context (
        element, context, self->settings.cuda_device_id, &self->cuda);
  GST_ELEMENT_CLASS (gst_oct_src_parent_class)->set_context (element, context);
}

/* ------------------------------------------------------------------- object */

static void
src_changed (GObject *object, const GstOctProperty *row)
{
  GstOctSrc *self = GST_OCT_SRC (object);

  if (gst_oct_src_settings_changed (&self->settings, row)) {
    g_atomic_int_set (&self->calibration_changed, TRUE);
    g_atomic_int_set (&self->calibration_stale, TRUE);
  }
}

static const GstOctHolder holder = {
  .properties = &gst_oct_src_properties,
  .offset = G_STRUCT_OFFSET (GstOctSrc, settings),
  .changed = src_changed,
};

static const GstOctProperty counters[] = {
  { "frames", "Frames", "B-scans delivered so far", GST_OCT_PROPERTY_READ_ONLY,
      NULL, GST_OCT_UINT64 (GstOctSrc, frames, 0, G_MAXUINT64, 0) },
  { "dropped", "Dropped frames",
      "B-scans that a live source had to drop so far",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctSrc, dropped, 0, G_MAXUINT64, 0) },
  { "missing", "Missing B-scans",
      "B-scans that the file announces and that are not in it, or turned out "
      "to be damaged so far",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (GstOctSrc, missing, 0, G_MAXUINT64, 0) },
};
static const GstOctProperties counter_properties =
    GST_OCT_PROPERTIES (GstOctSrc, counters);
static const GstOctHolder counter_holder = {
  .properties = &counter_properties,
};

/* `is-live` is kept by the base class, the others are in tables. */
#define PROP_IS_LIVE 1

static void
gst_oct_src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id != PROP_IS_LIVE)
    gst_oct_installed_set_property (object, id, value, pspec);
  else if (!gst_oct_element_refuses_property (GST_ELEMENT (object), pspec))
    gst_base_src_set_live (GST_BASE_SRC (object), g_value_get_boolean (value));
}

static void
gst_oct_src_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id != PROP_IS_LIVE)
    gst_oct_installed_get_property (object, id, value, pspec);
  else
    g_value_set_boolean (value, gst_base_src_is_live (GST_BASE_SRC (object)));
}

static gboolean
gst_oct_src_send_event (GstElement *element, GstEvent *event)
{
  if (!gst_oct_next_paths_offer (
          &GST_OCT_SRC (element)->scan.paths, element, event))
    return GST_ELEMENT_CLASS (gst_oct_src_parent_class)
        ->send_event (element, event);
  gst_event_unref (event);
  return TRUE;
}

static void
gst_oct_src_finalize (GObject *object)
{
  gst_oct_properties_clear (
      &gst_oct_src_properties, &GST_OCT_SRC (object)->settings);
  gst_oct_cuda_forget (GST_ELEMENT (object), &GST_OCT_SRC (object)->cuda);
  gst_oct_src_scan_clear (&GST_OCT_SRC (object)->scan);
  G_OBJECT_CLASS (gst_oct_src_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  guint id = gst_oct_holder_install (&counter_holder, klass, PROP_IS_LIVE + 1);

  gst_oct_holder_install (&holder, klass, id);
  klass->set_property = gst_oct_src_set_property;
  klass->get_property = gst_oct_src_get_property;
  g_object_class_install_property (klass, PROP_IS_LIVE,
      g_param_spec_boolean ("is-live", "Live",
          "Deliver at the line rate and drop B-scans that are not fetched in "
          "time, as a camera does",
          FALSE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
}

static void
gst_oct_src_class_init (GstOctSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_oct_src_debug, "octsrc", 0, "OCT source");
  object_class->finalize = gst_oct_src_finalize;
  install_properties (object_class);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "OCT source",
      "Source/Video",
      "Delivers raw OCT spectra from a file or a virtual OCT system",
      "The gst-oct developers");
  element_class->set_context = gst_oct_src_set_context;
  element_class->send_event = gst_oct_src_send_event;
  base_class->fixate = gst_oct_src_fixate;
  base_class->set_caps = gst_oct_src_set_caps;
  base_class->decide_allocation = gst_oct_src_decide_allocation;
  base_class->start = gst_oct_src_start;
  base_class->stop = gst_oct_src_stop;
  base_class->get_times = gst_oct_src_get_times;
  base_class->is_seekable = gst_oct_src_is_seekable;
  base_class->prepare_seek_segment = gst_oct_src_prepare_seek_segment;
  base_class->event = gst_oct_src_event;
  base_class->do_seek = gst_oct_src_do_seek;
  base_class->query = gst_oct_src_query;
  GST_PUSH_SRC_CLASS (klass)->create = gst_oct_src_create;
  GST_OCT_PUSH_SRC_CLASS (klass)->list_caps = src_list_caps;
}

static void
gst_oct_src_init (GstOctSrc *self)
{
  gst_oct_properties_init (&gst_oct_src_properties, &self->settings);
  gst_oct_src_scan_init (&self->scan);
  self->per_buffer = self->count = 1;
}
