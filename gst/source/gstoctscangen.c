/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octscangen
 *
 * Makes the voltages of a scanner with two mirrors, as audio with one sample
 * per A-line: raster, radial, spiral, Lissajous, rosette, or the places in a
 * file. It keeps the limits of the scanner, also between B-scans and when
 * settings change.
 *
 * |[
 * gst-launch-1.0 octscangen pattern=spiral line-rate=96000 bscans=64
 *   volumes=4 ! audioconvert ! wavenc ! filesink location=scan.wav
 * ]|
 */
#include "gstoctscangen.h"
#include "gstoctbus.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctscangensettings.h"
#include "gstoctscanpath.h"

#include <math.h>

GST_DEBUG_CATEGORY_STATIC (gst_oct_scan_gen_debug);
#define GST_CAT_DEFAULT gst_oct_scan_gen_debug

typedef enum {
  SCAN_F64,
  SCAN_F32,
  SCAN_S32,
  SCAN_S16,
} ScanFormat;

static const struct {
  const char *name;
  guint size;
} scan_formats[] = {
  [SCAN_F64] = { "F64LE", 8 },
  [SCAN_F32] = { "F32LE", 4 },
  [SCAN_S32] = { "S32LE", 4 },
  [SCAN_S16] = { "S16LE", 2 },
};

struct _GstOctScanGen {
  GstOctPushSrc parent;

  GstOctChoice choice;
  gint changed; /* atomic: settings that are not in force yet */
  gint ending;  /* atomic: an end of stream was asked for */
  gint flushed; /* atomic: what was sent before is gone */

  GThread *maker; /* NULL: no path is being made */
  gint making;    /* atomic: it is not ready */
  /* of the maker while there is one, else of the streaming thread */
  GstOctScanGenMade made; /* without a path: none */
  GError *made_error;

  /* streaming thread */
  OctScanStream *stream;     /* NULL: not begun */
  GstOctScanGenMade given;   /* that the stream was given last */
  gboolean told;             /* its places were */
  guint64 rounds;            /* of the path when another was asked for */
  gboolean late;             /* it was told that the other one is */
  GstOctScanGenSettings now; /* those that never change; owns nothing */
  ScanFormat format;
  guint64 sent;   /* samples */
  guint64 lines;  /* A-lines of them */
  guint64 before; /* of these before the stream was made */
  gboolean discont;
  OctScanPoint *points; /* scratch of now.samples */
  guint8 *gates;
};

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("audio/x-raw, "
                         "format=(string){ F64LE, F32LE, S32LE, S16LE }, "
                         "layout=(string)interleaved, channels=(int)2, "
                         "rate=(int)[ 1, 10000000 ]; audio/x-raw, "
                         "format=(string){ F64LE, F32LE, S32LE, S16LE }, "
                         "layout=(string)interleaved, channels=(int)3, "
                         "channel-mask=(bitmask)0, "
                         "rate=(int)[ 1, 10000000 ]"));

G_DEFINE_TYPE (GstOctScanGen, gst_oct_scan_gen, GST_TYPE_OCT_PUSH_SRC);
GST_OCT_REGISTER_DEFINE (
    octscangen, "octscangen", GST_RANK_NONE, GST_TYPE_OCT_SCAN_GEN);

/* ----------------------------------------------------------------- settings */

/* The GstOctTry of the choice. */
static gboolean
scan_gen_try (GstElement *element, gconstpointer settings,
    GstOctPurpose purpose, GError **error)
{
  GstOctScanGen *self = GST_OCT_SCAN_GEN (element);
  g_auto (GstOctScanGenMade) made = { 0 };

  if (!gst_oct_scan_gen_make (
          settings, purpose == GST_OCT_TO_USE, &made, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE) {
    gst_oct_scan_gen_made_clear (&self->made);
    self->made = made;
    made = (GstOctScanGenMade){ 0 };
  }
  return TRUE;
}

/* -------------------------------------------------------------------- paths */

/* A large path takes longer than a converter has samples for: the streaming
 * thread does not wait for it. */
static gpointer
scan_gen_run_maker (gpointer data)
{
  GstOctScanGen *self = data;

  gst_oct_choice_configure (&self->choice, &self->made_error);
  g_atomic_int_set (&self->making, FALSE);
  return NULL;
}

static void
scan_gen_ask (GstOctScanGen *self)
{
  guint64 first;

  self->late = FALSE;
  self->rounds = oct_scan_stream_count_rounds (self->stream, &first);
  g_atomic_int_set (&self->making, TRUE);
  self->maker = g_thread_new ("octscangen path", scan_gen_run_maker, self);
}

static void
scan_gen_join (GstOctScanGen *self)
{
  if (self->maker != NULL)
    g_thread_join (g_steal_pointer (&self->maker));
}

/* Takes the path that was made. */
static gboolean
scan_gen_take_made (GstOctScanGen *self, GError **error)
{
  scan_gen_join (self);
  if (self->made_error != NULL) {
    g_propagate_error (error, g_steal_pointer (&self->made_error));
    return FALSE;
  }
  if (self->made.path == NULL)
    return TRUE;
  gst_oct_scan_gen_made_clear (&self->given);
  self->given = self->made;
  self->made = (GstOctScanGenMade){ 0 };
  self->told = FALSE;
  if (self->stream != NULL)
    oct_scan_stream_change (self->stream, self->given.path, &self->given.drive);
  return TRUE;
}

/* Nothing is played yet: it waits for the path. */
static gboolean
scan_gen_begin (GstOctScanGen *self, GError **error)
{
  gboolean changed =
      g_atomic_int_compare_and_exchange (&self->changed, TRUE, FALSE);

  scan_gen_join (self);
  if ((changed && !gst_oct_choice_configure (&self->choice, error))
      || !scan_gen_take_made (self, error))
    return FALSE;
  self->stream = oct_scan_stream_new (
      self->given.path, &self->given.drive, self->now.volumes);
  self->before = self->lines;
  self->told = FALSE;
  return TRUE;
}

/* A path was asked for, and the volume under way has ended without it. */
static void
scan_gen_tell_late (GstOctScanGen *self)
{
  guint64 first, rounds = oct_scan_stream_count_rounds (self->stream, &first);

  if (self->maker == NULL || self->late || rounds == self->rounds)
    return;
  self->late = TRUE;
  gst_oct_bus_post (
      GST_ELEMENT (self), gst_structure_new ("octscangen-late", "first-line",
                              G_TYPE_UINT64, self->before + first, NULL));
}

/* Has settings that were changed come into force. */
static gboolean
scan_gen_configure (GstOctScanGen *self, GError **error)
{
  if (g_atomic_int_compare_and_exchange (&self->flushed, TRUE, FALSE)) {
    /* nobody knows where the mirrors have stopped: it begins anew */
    g_clear_pointer (&self->stream, oct_scan_stream_free);
    self->discont = TRUE;
  }
  if (self->stream == NULL && !scan_gen_begin (self, error))
    return FALSE;
  if (self->maker != NULL && !g_atomic_int_get (&self->making)
      && !scan_gen_take_made (self, error))
    return FALSE;
  if (self->maker == NULL
      && g_atomic_int_compare_and_exchange (&self->changed, TRUE, FALSE))
    scan_gen_ask (self);
  if (g_atomic_int_get (&self->ending))
    oct_scan_stream_stop (self->stream);
  return TRUE;
}

static GstOctChoice *
find_scan_gen_choice (GObject *object)
{
  return &GST_OCT_SCAN_GEN (object)->choice;
}

static void
scan_gen_settings_changed (GObject *object, gboolean affects_caps)
{
  GstOctScanGen *self = GST_OCT_SCAN_GEN (object);
  g_autoptr (GstOctSettings) wanted = gst_oct_choice_ref_wanted (&self->choice);
  const GstOctScanGenSettings *s = gst_oct_settings_get (wanted);

  g_atomic_int_set (&self->changed, TRUE);
  gst_base_src_set_live (GST_BASE_SRC (self), s->is_live);
}

static const GstOctChooser scan_gen_chooser = { find_scan_gen_choice,
  scan_gen_settings_changed };

/* --------------------------------------------------------------------- caps */

static GstCaps *
scan_gen_list_caps (GstOctPushSrc *source)
{
  GstOctScanGen *self = GST_OCT_SCAN_GEN (source);
  g_autoptr (GstOctSettings) wanted = gst_oct_choice_ref_wanted (&self->choice);
  const GstOctScanGenSettings *s = gst_oct_settings_get (wanted);
  g_autoptr (GstCaps) template =
      gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (source));
  g_autoptr (GstCaps) own =
      gst_caps_new_simple ("audio/x-raw", "rate", G_TYPE_INT,
          (gint)s->line_rate, "channels", G_TYPE_INT, s->gate ? 3 : 2, NULL);

  return gst_caps_intersect_full (template, own, GST_CAPS_INTERSECT_FIRST);
}

static gboolean
scan_gen_set_caps (GstBaseSrc *base, GstCaps *caps)
{
  GstOctScanGen *self = GST_OCT_SCAN_GEN (base);
  const char *format =
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format");

  for (guint i = 0; i < G_N_ELEMENTS (scan_formats); i++)
    if (g_strcmp0 (format, scan_formats[i].name) == 0) {
      self->format = (ScanFormat)i;
      return TRUE;
    }
  return FALSE;
}

/* ------------------------------------------------------------------ samples */

/* Writes `value`, -1 to 1, and returns the place after it. */
static guint8 *
scan_gen_write (guint8 *to, ScanFormat format, double value)
{
  switch (format) {
  case SCAN_F64:
    GST_WRITE_DOUBLE_LE (to, value);
    break;
  case SCAN_F32:
    GST_WRITE_FLOAT_LE (to, (float)value);
    break;
  case SCAN_S32:
    GST_WRITE_UINT32_LE (to, (guint32)(gint32)rint (value * G_MAXINT32));
    break;
  case SCAN_S16:
    GST_WRITE_UINT16_LE (to, (guint16)(gint16)rint (value * G_MAXINT16));
    break;
  }
  return to + scan_formats[format].size;
}

static GstBuffer *
scan_gen_make_buffer (GstOctScanGen *self, guint n)
{
  const GstOctScanGenSettings *s = &self->now;
  gsize frame = scan_formats[self->format].size * (s->gate ? 3 : 2);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, n * frame, NULL);
  GstMapInfo map;
  guint8 *to;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  to = map.data;
  for (guint i = 0; i < n; i++) {
    const double *at = self->points[i].at;

    to = scan_gen_write (
        to, self->format, (at[0] * s->volts_x + s->zero_x) / s->full_scale);
    to = scan_gen_write (
        to, self->format, (at[1] * s->volts_y + s->zero_y) / s->full_scale);
    if (s->gate)
      to = scan_gen_write (to, self->format, self->gates[i]);
    self->lines += self->gates[i];
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
scan_gen_stamp (GstOctScanGen *self, GstBuffer *buffer, guint n)
{
  guint64 end = self->sent + n, rate = self->now.line_rate;

  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale (self->sent, GST_SECOND, rate);
  GST_BUFFER_DURATION (buffer) =
      gst_util_uint64_scale (end, GST_SECOND, rate) - GST_BUFFER_PTS (buffer);
  GST_BUFFER_OFFSET (buffer) = self->sent;
  GST_BUFFER_OFFSET_END (buffer) = end;
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  self->sent = end;
}

/* Before its first A-line is sent: so nobody has data of it yet. */
static void
scan_gen_tell_path (GstOctScanGen *self)
{
  guint64 first;

  if (self->told || self->given.places == NULL
      || oct_scan_stream_get_path (self->stream, &first) != self->given.path)
    return;
  gst_pad_push_event (
      GST_BASE_SRC_PAD (self), gst_oct_scan_path_event_new_from (
                                   self->given.places, self->before + first));
  self->told = TRUE;
}

static GstFlowReturn
scan_gen_create (GstPushSrc *push, GstBuffer **buffer)
{
  GstOctScanGen *self = GST_OCT_SCAN_GEN (push);
  GError *error = NULL;
  guint n;

  if (!scan_gen_configure (self, &error)) {
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
    return GST_FLOW_ERROR;
  }
  n = oct_scan_stream_read (
      self->stream, self->points, self->gates, self->now.samples);
  if (n == 0)
    return GST_FLOW_EOS;
  scan_gen_tell_path (self);
  scan_gen_tell_late (self);
  *buffer = scan_gen_make_buffer (self, n);
  scan_gen_stamp (self, *buffer, n);
  return GST_FLOW_OK;
}

/* A live source waits for the time of a buffer. */
static void
scan_gen_get_times (
    GstBaseSrc *base, GstBuffer *buffer, GstClockTime *start, GstClockTime *end)
{
  *start = *end = GST_CLOCK_TIME_NONE;
  if (!gst_base_src_is_live (base))
    return;
  *start = GST_BUFFER_PTS (buffer);
  *end = *start + GST_BUFFER_DURATION (buffer);
}

/* ------------------------------------------------------------------- states */

static gboolean
scan_gen_start (GstBaseSrc *base)
{
  GstOctScanGen *self = GST_OCT_SCAN_GEN (base);
  g_autoptr (GstOctSettings) wanted = gst_oct_choice_ref_wanted (&self->choice);

  gst_oct_push_src_begin (GST_OCT_PUSH_SRC (self));
  self->now = *(const GstOctScanGenSettings *)gst_oct_settings_get (wanted);
  self->points = g_new (OctScanPoint, self->now.samples);
  self->gates = g_new (guint8, self->now.samples);
  self->sent = self->lines = 0;
  self->discont = TRUE;
  g_atomic_int_set (&self->changed, TRUE);
  g_atomic_int_set (&self->ending, FALSE);
  g_atomic_int_set (&self->flushed, FALSE);
  return TRUE;
}

static gboolean
scan_gen_stop (GstBaseSrc *base)
{
  GstOctScanGen *self = GST_OCT_SCAN_GEN (base);

  scan_gen_join (self);
  g_clear_error (&self->made_error);
  g_clear_pointer (&self->stream, oct_scan_stream_free);
  gst_oct_scan_gen_made_clear (&self->made);
  gst_oct_scan_gen_made_clear (&self->given);
  g_clear_pointer (&self->points, g_free);
  g_clear_pointer (&self->gates, g_free);
  gst_oct_choice_forget (&self->choice);
  return TRUE;
}

/* The end of the stream waits until the beam is at rest. */
static gboolean
gst_oct_scan_gen_send_event (GstElement *element, GstEvent *event)
{
  GstOctScanGen *self = GST_OCT_SCAN_GEN (element);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    g_atomic_int_set (&self->flushed, TRUE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    /* the base class would flush before it finds that nothing can be sought */
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && GST_BASE_SRC_IS_STARTED (self)) {
    g_atomic_int_set (&self->ending, TRUE);
    gst_event_unref (event);
    return TRUE;
  }
  return GST_ELEMENT_CLASS (gst_oct_scan_gen_parent_class)
      ->send_event (element, event);
}

/* ------------------------------------------------------------------- object */

static void
gst_oct_scan_gen_finalize (GObject *object)
{
  gst_oct_choice_clear (&GST_OCT_SCAN_GEN (object)->choice);
  G_OBJECT_CLASS (gst_oct_scan_gen_parent_class)->finalize (object);
}

static void
gst_oct_scan_gen_class_init (GstOctScanGenClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_scan_gen_debug, "octscangen", 0, "OCT scanner");
  gst_oct_chooser_install (
      &scan_gen_chooser, &gst_oct_scan_gen_properties, object_class, 1);
  object_class->finalize = gst_oct_scan_gen_finalize;
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "OCT scan patterns",
      "Source/Audio", "Makes the voltages of a scanner with two mirrors",
      "The gst-oct developers");
  element_class->send_event = gst_oct_scan_gen_send_event;
  base_class->start = scan_gen_start;
  base_class->stop = scan_gen_stop;
  base_class->set_caps = scan_gen_set_caps;
  base_class->get_times = scan_gen_get_times;
  GST_PUSH_SRC_CLASS (klass)->create = scan_gen_create;
  GST_OCT_PUSH_SRC_CLASS (klass)->list_caps = scan_gen_list_caps;
}

static void
gst_oct_scan_gen_init (GstOctScanGen *self)
{
  gst_oct_choice_init (&self->choice, GST_ELEMENT (self),
      &gst_oct_scan_gen_properties, scan_gen_try, NULL);
}
