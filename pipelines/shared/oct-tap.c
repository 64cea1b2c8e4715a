/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-tap.h"
#include "oct/oct.h"

#define MAX_BYTES ((guint64)1 << 30)
/* A camera has few buffers: if more have to wait, copies of them do. */
#define MAX_HELD 3
#define FEW 4
/* A busy computer may pass the calibration on only after the last frame, but an
 * element that hangs never does. */
#define CALIBRATION_TIME (4 * G_TIME_SPAN_SECOND)

struct _OctTap {
  OctTap *leader; /* of the times, or NULL */
  GstPad *pad, *calibration_pad;
  GstAppSrc *appsrc;
  gulong probe, calibration_probe; /* the second: 0 if the pads are one */
  gint users;                      /* atomic: the probes */
  OctTapTimes times;
  GstClockTime queue;
  OctTapEnded ended;
  gpointer data;

  GMutex lock;
  gboolean closed;
  OctTapStats stats;
  GstCaps *caps;
  GstEvent *calibration; /* the last one handed over */
  GstEvent *mask, *path; /* of the scan, the same */
  gboolean calibrated;   /* frames have passed `calibration_pad` */
  gint64 finishing;      /* since when; 0: not yet */
  gulong first_probe;    /* 0: it has run, or is being removed */
  GQueue first;          /* events to come right before the first buffer */
  gboolean flowing;      /* the first buffer has left the appsrc */
  GstClockTime base;     /* running time of the first buffer */
  GstClockTime last;     /* time stamp of the last buffer */
};

/* Call with the lock held. */
static void
tap_end (OctTap *tap, const char *reason)
{
  if (tap->closed)
    return;
  tap->closed = TRUE;
  tap->ended (reason, tap->data);
}

/* Whether frames of `a` can follow those of `b`: other fields of caps of video
 * (colorimetry, ...) are settled with the first. */
static gboolean
tap_is_same (GstCaps *a, GstCaps *b)
{
  static const char *const fields[] = { "format", "width", "height",
    "framerate" };
  const GstStructure *s = gst_caps_get_structure (a, 0);
  const GstStructure *t = gst_caps_get_structure (b, 0);
  gboolean same = gst_structure_has_name (s, gst_structure_get_name (t));

  for (guint i = 0; i < G_N_ELEMENTS (fields) && same; i++) {
    const GValue *v = gst_structure_get_value (s, fields[i]);
    const GValue *w = gst_structure_get_value (t, fields[i]);

    same = v == w
           || (v != NULL && w != NULL
               && gst_value_compare (v, w) == GST_VALUE_EQUAL);
  }
  return same;
}

/* FALSE when buffers of these caps cannot be taken. */
static gboolean
tap_take_caps (OctTap *tap)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (tap->pad);
  GstCapsFeatures *features;

  if (caps == NULL)
    return FALSE;
  if (tap->caps != NULL && tap_is_same (caps, tap->caps))
    return TRUE;
  features = gst_caps_get_features (caps, 0);
  if (!gst_caps_features_is_equal (
          features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)) {
    tap_end (tap,
        "The frames lie in GPU memory, but the recorder takes them from "
        "main memory; put a caps filter 'video/x-raw' in front.");
    return FALSE;
  }
  if (tap->caps != NULL) {
    tap_end (tap,
        "The frames changed their size, format or rate, which a recording "
        "cannot follow; start a new one.");
    return FALSE;
  }
  gst_caps_replace (&tap->caps, caps);
  gst_app_src_set_caps (tap->appsrc, caps);
  return TRUE;
}

/* Into appsrc's queue; before the first buffer, only after caps and segment
 * have gone there. */
static void
tap_send (OctTap *tap, GstEvent *event)
{
  if (tap->flowing)
    gst_element_send_event (GST_ELEMENT (tap->appsrc), event);
  else
    g_queue_push_tail (&tap->first, event);
}

static GstPadProbeReturn
on_first_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctTap *tap = data;
  GstEvent *event;
  GQueue events;
  gboolean removed;

  g_mutex_lock (&tap->lock);
  events = tap->first;
  g_queue_init (&tap->first);
  tap->flowing = TRUE;
  removed = tap->first_probe == 0;
  tap->first_probe = 0;
  g_mutex_unlock (&tap->lock);
  while ((event = g_queue_pop_head (&events)) != NULL)
    gst_pad_push_event (pad, event);
  return removed ? GST_PAD_PROBE_OK : GST_PAD_PROBE_REMOVE;
}

/* Custom sticky events are several; ours are among them.  Hands the one of that
 * name over, unless it is `*last`. */
static void
tap_take_event (OctTap *tap, GstPad *pad, const char *name, GstEvent **last)
{
  GstEvent *event;

  for (guint i = 0; (event = gst_pad_get_sticky_event (
                         pad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i))
                    != NULL;
       i++) {
    if (gst_event_has_name (event, name) && event != *last) {
      gst_event_replace (last, event);
      tap_send (tap, gst_event_ref (event));
    }
    gst_event_unref (event);
  }
}

/* Running time of a buffer, GST_CLOCK_TIME_NONE when it has none. */
static GstClockTime
get_running_time (OctTap *tap, GstBuffer *buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (tap->pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  GstClockTime time;

  if (event == NULL)
    return GST_CLOCK_TIME_NONE;
  gst_event_parse_segment (event, &segment);
  time = gst_segment_to_running_time (
      segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  gst_event_unref (event);
  return time;
}

/* If frames are left out already, those that wait span more time than their
 * number suggests; a crash would lose all of it. */
static gboolean
tap_is_full (OctTap *tap, GstBuffer *buffer)
{
  guint64 waiting = gst_app_src_get_current_level_buffers (tap->appsrc);
  GstClockTime frame = GST_BUFFER_DURATION_IS_VALID (buffer)
                           ? GST_BUFFER_DURATION (buffer)
                           : GST_SECOND / 30;

  if (waiting > FEW
      && gst_app_src_get_current_level_time (tap->appsrc) > tap->queue)
    return TRUE;
  return waiting > 8
         && (waiting * frame > tap->queue
             || gst_app_src_get_current_level_bytes (tap->appsrc) > MAX_BYTES);
}

/* An appsrc that stamps buffers on arrival can do so once it plays: before, it
 * may have a clock but not the time to count from, and its buffers would be due
 * in hours. */
static gboolean
tap_can_stamp (OctTap *tap)
{
  GstState state;

  if (tap->times != OCT_TAP_ARRIVAL)
    return TRUE;
  gst_element_get_state (GST_ELEMENT (tap->appsrc), &state, NULL, 0);
  return state == GST_STATE_PLAYING;
}

/* Before the first buffer; FALSE if that is not to come yet. */
static gboolean
tap_begin (OctTap *tap, GstClockTime time)
{
  OctTap *leader = tap->leader;
  gboolean begun;

  if (leader == NULL) {
    tap->base = time;
    return TRUE;
  }
  g_mutex_lock (&leader->lock);
  begun = leader->stats.frames > 0;
  tap->base = leader->base;
  g_mutex_unlock (&leader->lock);
  return begun && time >= tap->base;
}

static void
tap_take_buffer (OctTap *tap, GstBuffer *buffer)
{
  GstClockTime time = get_running_time (tap, buffer);

  if (!GST_CLOCK_TIME_IS_VALID (time) || !tap_take_caps (tap))
    return;
  if (tap->stats.frames == 0 && !tap_begin (tap, time))
    return;
  /* no file can go back in time */
  if (!tap_can_stamp (tap) || tap_is_full (tap, buffer)
      || (tap->stats.frames > 0 && time <= tap->base + tap->last)) {
    tap->stats.dropped++;
    return;
  }
  /* not those of frames that are left out: they would pile up */
  tap_take_event (tap, tap->calibration_pad, GST_OCT_CALIBRATION_EVENT_NAME,
      &tap->calibration);
  tap_take_event (tap, tap->pad, GST_OCT_SCAN_MASK_EVENT_NAME, &tap->mask);
  tap_take_event (tap, tap->pad, GST_OCT_SCAN_PATH_EVENT_NAME, &tap->path);
  buffer = gst_app_src_get_current_level_buffers (tap->appsrc) < MAX_HELD
               ? gst_buffer_copy (buffer)
               : gst_buffer_copy_deep (buffer);
  tap->last = time - tap->base;
  GST_BUFFER_PTS (buffer) =
      tap->times == OCT_TAP_FROM_ZERO ? tap->last : GST_CLOCK_TIME_NONE;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  tap->stats.frames++;
  tap->stats.time = tap->last;
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    tap->stats.time += GST_BUFFER_DURATION (buffer);
  gst_app_src_push_buffer (tap->appsrc, buffer);
}

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctTap *tap = data;

  g_mutex_lock (&tap->lock);
  if (tap->closed)
    ;
  else if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    tap_take_buffer (tap, GST_PAD_PROBE_INFO_BUFFER (info));
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    tap_end (tap, NULL);
  g_mutex_unlock (&tap->lock);
  return GST_PAD_PROBE_OK;
}

/* The calibration of a frame comes before it. */
static GstPadProbeReturn
on_calibrated (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctTap *tap = data;

  g_mutex_lock (&tap->lock);
  tap->calibrated = TRUE;
  g_mutex_unlock (&tap->lock);
  return GST_PAD_PROBE_OK;
}

/* Once a probe is gone and not running any more. */
static void
tap_leave (gpointer data)
{
  OctTap *tap = data;

  if (!g_atomic_int_dec_and_test (&tap->users))
    return;
  gst_clear_caps (&tap->caps);
  gst_clear_event (&tap->calibration);
  gst_clear_event (&tap->mask);
  gst_clear_event (&tap->path);
  g_queue_clear_full (&tap->first, (GDestroyNotify)gst_event_unref);
  gst_object_unref (tap->appsrc);
  gst_object_unref (tap->calibration_pad);
  gst_object_unref (tap->pad);
  g_mutex_clear (&tap->lock);
  g_free (tap);
}

void
oct_tap_set_up_source (GstElement *source, OctTapTimes times)
{
  gboolean arrival = times == OCT_TAP_ARRIVAL;

  /* the tap has the limit, and so appsrc never waits */
  g_object_set (source, "format", GST_FORMAT_TIME, "max-bytes", (guint64)0,
      "max-buffers", (guint64)0, "max-time", (guint64)0, "block", FALSE,
      "is-live", arrival, "do-timestamp", arrival, NULL);
}

GstElement *
oct_tap_make_source (OctTapTimes times)
{
  GstElement *source = gst_element_factory_make ("appsrc", NULL);

  if (source != NULL)
    oct_tap_set_up_source (source, times);
  return source;
}

static void
watch_first_buffer (OctTap *tap)
{
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (GST_ELEMENT (tap->appsrc), "src");

  tap->first_probe = gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, on_first_buffer, tap, tap_leave);
}

/* On a pad of its own. */
static void
watch_calibration (OctTap *tap)
{
  if (tap->calibration_pad == tap->pad)
    return;
  tap->users++;
  tap->calibration_probe = gst_pad_add_probe (tap->calibration_pad,
      GST_PAD_PROBE_TYPE_BUFFER, on_calibrated, tap, tap_leave);
}

static OctTap *
tap_new (OctTap *leader, GstPad *pad, GstAppSrc *appsrc, OctTapTimes times,
    GstClockTime queue, GstPad *calibration, OctTapEnded ended, gpointer data)
{
  OctTap *tap = g_new0 (OctTap, 1);

  g_mutex_init (&tap->lock);
  tap->leader = leader;
  tap->pad = gst_object_ref (pad);
  tap->calibration_pad =
      gst_object_ref (calibration != NULL ? calibration : pad);
  tap->appsrc = gst_object_ref (appsrc);
  tap->times = times;
  tap->queue = queue;
  tap->ended = ended;
  tap->data = data;
  g_queue_init (&tap->first);
  tap->users = 2;
  watch_calibration (tap);
  watch_first_buffer (tap);
  g_mutex_lock (&tap->lock);
  tap->probe = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_data,
      tap, tap_leave);
  g_mutex_unlock (&tap->lock);
  return tap;
}

OctTap *
oct_tap_new (GstPad *pad, GstAppSrc *appsrc, OctTapTimes times,
    GstClockTime queue, GstPad *calibration, OctTapEnded ended, gpointer data)
{
  return tap_new (NULL, pad, appsrc, times, queue, calibration, ended, data);
}

OctTap *
oct_tap_new_beside (OctTap *leader, GstPad *pad, GstAppSrc *appsrc,
    GstClockTime queue, OctTapEnded ended, gpointer data)
{
  return tap_new (
      leader, pad, appsrc, OCT_TAP_FROM_ZERO, queue, NULL, ended, data);
}

void
oct_tap_get_stats (OctTap *tap, OctTapStats *stats)
{
  g_mutex_lock (&tap->lock);
  *stats = tap->stats;
  g_mutex_unlock (&tap->lock);
}

void
oct_tap_close (OctTap *tap)
{
  g_mutex_lock (&tap->lock);
  tap->closed = TRUE;
  g_mutex_unlock (&tap->lock);
}

gboolean
oct_tap_finish (OctTap *tap)
{
  gint64 now = g_get_monotonic_time ();
  gboolean done;

  g_mutex_lock (&tap->lock);
  tap->closed = TRUE;
  if (tap->finishing == 0)
    tap->finishing = now;
  /* read before the event, which comes before the frame */
  done = tap->calibrated || tap->calibration_pad == tap->pad
         || tap->stats.frames == 0 || now - tap->finishing >= CALIBRATION_TIME;
  if (tap->calibration == NULL)
    tap_take_event (tap, tap->calibration_pad, GST_OCT_CALIBRATION_EVENT_NAME,
        &tap->calibration);
  done |= tap->calibration != NULL;
  g_mutex_unlock (&tap->lock);
  return done;
}

void
oct_tap_free (OctTap *tap)
{
  g_autoptr (GstPad) pad = NULL, first_pad = NULL, calibration_pad = NULL;
  gulong first_probe, probe, calibration_probe;

  if (tap == NULL)
    return;
  oct_tap_close (tap);
  pad = gst_object_ref (tap->pad);
  first_pad = gst_element_get_static_pad (GST_ELEMENT (tap->appsrc), "src");
  probe = tap->probe;
  calibration_pad = gst_object_ref (tap->calibration_pad);
  calibration_probe = tap->calibration_probe;
  g_mutex_lock (&tap->lock);
  first_probe = tap->first_probe;
  tap->first_probe = 0;
  g_mutex_unlock (&tap->lock);
  if (first_probe != 0)
    gst_pad_remove_probe (first_pad, first_probe);
  if (calibration_probe != 0)
    gst_pad_remove_probe (calibration_pad, calibration_probe);
  gst_pad_remove_probe (pad, probe);
}
