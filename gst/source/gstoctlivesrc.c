/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctlivesrc.h"
#include "gstoctbus.h"
#include "gstocterror.h"
#include "gstoctscanmeta.h"

#define TELL_TIME G_TIME_SPAN_SECOND

G_DEFINE_ABSTRACT_TYPE (GstOctLiveSrc, gst_oct_live_src, GST_TYPE_OCT_PUSH_SRC);

/* ------------------------------------------------------------------- losses */

void
gst_oct_live_src_add_to (GstOctLiveSrc *self, guint64 *counter, guint64 more)
{
  GST_OBJECT_LOCK (self);
  *counter += more;
  GST_OBJECT_UNLOCK (self);
}

void
gst_oct_live_src_tell_losses (GstOctLiveSrc *self, gboolean last)
{
  GstOctLiveSrcClass *klass = GST_OCT_LIVE_SRC_GET_CLASS (self);
  const GstOctLiveCounters *told = &self->told;
  gint64 time = g_get_monotonic_time ();
  GstOctLiveCounters now;

  GST_OBJECT_LOCK (self);
  now = self->counters;
  GST_OBJECT_UNLOCK (self);
  if ((now.lost == told->lost && now.incomplete == told->incomplete)
      || (!last && time < self->told_at + TELL_TIME))
    return;
  klass->warn_of_losses (self, &now);
  gst_oct_bus_post (GST_ELEMENT (self),
      gst_structure_new (klass->lost_message, "lost", G_TYPE_UINT64, now.lost,
          "lost-now", G_TYPE_UINT64, now.lost - told->lost, klass->too_slow,
          G_TYPE_UINT64, now.too_slow, "incomplete", G_TYPE_UINT64,
          now.incomplete, "incomplete-now", G_TYPE_UINT64,
          now.incomplete - told->incomplete, "frames", G_TYPE_UINT64,
          now.frames, NULL));
  self->told = now;
  self->told_at = time;
}

void
gst_oct_live_src_hear (GstOctLiveSrc *self)
{
  self->heard = g_get_monotonic_time ();
  self->silent = FALSE;
}

gboolean
gst_oct_live_src_is_silent (GstOctLiveSrc *self, guint limit)
{
  if (limit == 0 || self->silent
      || g_get_monotonic_time ()
             < self->heard + (gint64)limit * G_TIME_SPAN_MILLISECOND)
    return FALSE;
  self->silent = TRUE;
  return TRUE;
}

/* ------------------------------------------------------------------- stream */

void
gst_oct_live_src_begin (GstOctLiveSrc *self)
{
  gst_oct_push_src_begin (GST_OCT_PUSH_SRC (self));
  GST_OBJECT_LOCK (self);
  self->counters = (GstOctLiveCounters){ 0 };
  self->duration = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  self->told = (GstOctLiveCounters){ 0 };
  self->told_at = 0;
}

void
gst_oct_live_src_stamp (GstOctLiveSrc *self, GstBuffer *buffer,
    GstClockTime time, guint64 number, guint bscans)
{
  GST_BUFFER_PTS (buffer) = time;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = self->duration;
  GST_BUFFER_OFFSET (buffer) = number;
  GST_BUFFER_OFFSET_END (buffer) = number + 1;
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  if (bscans > 0)
    gst_oct_scan_meta_set (
        buffer, &(GstOctScanPosition){ .bscan = (guint)(number % bscans),
                    .bscans = bscans,
                    .volume = number / bscans,
                    .count = 1 });
}

/* The base class has no words for it. */
static gboolean
gst_oct_live_src_negotiate (GstBaseSrc *base)
{
  GstOctLiveSrc *self = GST_OCT_LIVE_SRC (base);
  GstOctPushSrc *source = GST_OCT_PUSH_SRC (base);
  g_autoptr (GstCaps) able = NULL, wanted = NULL;
  g_autofree char *here = NULL, *there = NULL;
  g_autoptr (GError) error = NULL;

  if (GST_BASE_SRC_CLASS (gst_oct_live_src_parent_class)->negotiate (base))
    return TRUE;
  able = GST_OCT_PUSH_SRC_GET_CLASS (self)->list_caps (source);
  wanted = gst_pad_peer_query_caps (GST_BASE_SRC_PAD (base), NULL);
  if (gst_oct_push_src_has_failed (source) || able == NULL || wanted == NULL
      || gst_caps_can_intersect (able, wanted))
    return FALSE;
  here = gst_caps_to_string (able);
  there = gst_caps_to_string (wanted);
  g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s delivers %s, but the elements after %s ask for %s; change the caps "
      "filter after it.",
      self->device, here, gst_oct_element_type_name (GST_ELEMENT (self)),
      there);
  gst_oct_push_src_fail (source, &error);
  return FALSE;
}

static gboolean
gst_oct_live_src_unlock (GstBaseSrc *base)
{
  g_atomic_int_set (&GST_OCT_LIVE_SRC (base)->flushing, TRUE);
  return TRUE;
}

static gboolean
gst_oct_live_src_unlock_stop (GstBaseSrc *base)
{
  g_atomic_int_set (&GST_OCT_LIVE_SRC (base)->flushing, FALSE);
  return TRUE;
}

static gboolean
gst_oct_live_src_query (GstBaseSrc *base, GstQuery *query)
{
  GstOctLiveSrc *self = GST_OCT_LIVE_SRC (base);
  GstClockTime duration;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_BASE_SRC_CLASS (gst_oct_live_src_parent_class)
        ->query (base, query);
  GST_OBJECT_LOCK (self);
  duration = self->duration;
  GST_OBJECT_UNLOCK (self);
  /* how late a B-scan may be by chance */
  gst_query_set_latency (query, TRUE,
      GST_CLOCK_TIME_IS_VALID (duration) ? duration : 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* ------------------------------------------------------------------- object */

static void
gst_oct_live_src_finalize (GObject *object)
{
  g_free (GST_OCT_LIVE_SRC (object)->device);
  G_OBJECT_CLASS (gst_oct_live_src_parent_class)->finalize (object);
}

static void
gst_oct_live_src_class_init (GstOctLiveSrcClass *klass)
{
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_oct_live_src_finalize;
  base_class->negotiate = gst_oct_live_src_negotiate;
  base_class->unlock = gst_oct_live_src_unlock;
  base_class->unlock_stop = gst_oct_live_src_unlock_stop;
  base_class->query = gst_oct_live_src_query;
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_LIVE_SRC, 0);
}

static void
gst_oct_live_src_init (GstOctLiveSrc *self)
{
  self->duration = GST_CLOCK_TIME_NONE;
  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
}
