/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octcomedisink
 *
 * Plays the voltages of octscangen on the analog outputs of a board that Comedi
 * drives, such as those of National Instruments and USB-DUX. It is tried with a
 * false library of Comedi, and not with a real board yet.
 *
 * |[
 * gst-launch-1.0 octscangen line-rate=20000 lines=128 bscans=64 width=2
 *   volumes=2 ! octcomedisink device=/dev/comedi0
 * ]|
 */
#include "gstoctcomedisink.h"
#include "gstoctbus.h"
#include "gstoctcomedimotion.h"
#include "gstocterror.h"
#include "gstoctinstall.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_comedi_sink_debug);
#define GST_CAT_DEFAULT gst_oct_comedi_sink_debug

/* How often it looks whether it has to stop, or the board has stopped. */
#define WAIT_MS 10
/* A command ends at a sample of all channels; a board whose clock stands never
 * gets there. */
#define TORN_TIME (G_TIME_SPAN_MILLISECOND * 100)
/* The board may need more than the time of the samples. */
#define SPARE_TIME (G_TIME_SPAN_MILLISECOND * 300)
/* Boards that stop with the last part of their buffer unplayed stop at rest. */
#define HOLD_SECONDS 0.02
#define TELL_TIME G_TIME_SPAN_SECOND

typedef struct {
  GstOctComediSettings settings; /* they do not change after the start */
  /* as they are asked for */
  guint64 underruns;
  double rate;
} Properties;

static const GstOctProperty rows[] = {
  { "device", "Device", "File of the board (none = /dev/comedi0)", 0, NULL,
      GST_OCT_STRING (Properties, settings.device) },
  { "subdevice", "Subdevice",
      "Number of the analog output (-1 = the first one that takes commands)", 0,
      NULL, GST_OCT_INT (Properties, settings.subdevice, -1, 65535, -1) },
  { "channels", "Channels",
      "Numbers of the outputs for x, y and the gate, as 0,1 (none = 0, 1 and "
      "2)",
      0, NULL, GST_OCT_STRING (Properties, settings.channels) },
  { "full-scale", "Full scale",
      "Voltage of a sample of 1, that of octscangen, in V", 0, NULL,
      GST_OCT_DOUBLE (Properties, settings.full_scale, 1e-3, 1e3, 10.0) },
  { "range", "Range",
      "Upper end of the range of the outputs in V (0 = the smallest range that "
      "has the full scale in both directions)",
      0, NULL, GST_OCT_DOUBLE (Properties, settings.range, 0.0, 1e3, 0.0) },
  { "clock-input", "Clock input",
      "Input of the board with an edge for each sample (-1 = the board's own "
      "clock, at the rate of the samples)",
      0, NULL, GST_OCT_INT (Properties, settings.clock_input, -1, 65535, -1) },
  { "start-input", "Start input",
      "Input of the board whose edge starts the samples (-1 = they start when "
      "the buffer is full)",
      0, NULL, GST_OCT_INT (Properties, settings.start_input, -1, 65535, -1) },
  { "buffer-time", "Buffer time",
      "Samples that the driver holds, in s, as far as it can; changes of the "
      "scan are so much later",
      0, NULL,
      GST_OCT_DOUBLE (Properties, settings.buffer_time, 0.001, 10.0, 0.1) },
  { "library", "Library",
      "File of Comedi's library (none = libcomedi.so.0 of the system)", 0, NULL,
      GST_OCT_STRING (Properties, settings.library) },
  { "underruns", "Underruns",
      "How often the board ran out of samples since the start",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Properties, underruns, 0, G_MAXUINT64, 0) },
  { "actual-rate", "Actual rate",
      "Samples per second that the board plays (0 = not known yet)",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_DOUBLE (Properties, rate, 0.0, 1e9, 0.0) },
};
static const GstOctProperties properties =
    GST_OCT_PROPERTIES (Properties, rows);

struct _GstOctComediSink {
  GstOctFileSink parent;

  Properties properties; /* under the object lock */
  gint interrupted;      /* atomic */

  /* under the preroll lock */
  GstOctComediBoard *board; /* NULL: not started */
  GstOctComediMotion motion;
  gboolean running;   /* the board has a command */
  gboolean triggered; /* which plays, or waits for its edge */
  gboolean torn;      /* the board has a part of a sample */
  gint64 told_at;     /* underruns */
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("audio/x-raw, format=(string)F64LE, "
                         "layout=(string)interleaved, channels=(int)[ 2, 3 ], "
                         "rate=(int)[ 1, 10000000 ]"));

G_DEFINE_TYPE (GstOctComediSink, gst_oct_comedi_sink, GST_TYPE_OCT_FILE_SINK);
GST_OCT_REGISTER_DEFINE (
    octcomedisink, "octcomedisink", GST_RANK_NONE, GST_TYPE_OCT_COMEDI_SINK);

/* ------------------------------------------------------------------ patience */

/* Until when somebody waits for the board: `until`, or `grace` after it is
 * interrupted (us of the monotonic time; 0: not yet). */
typedef struct {
  gint64 until, grace;
} Patience;

static gboolean
comedi_sink_gives_up (GstOctComediSink *self, Patience *patience)
{
  const gint64 now = g_get_monotonic_time ();

  if (patience->until == 0 && g_atomic_int_get (&self->interrupted))
    patience->until = now + patience->grace;
  return patience->until != 0 && now >= patience->until;
}

static void
comedi_sink_wait (GstOctComediSink *self)
{
  GPollFD file = { .fd = gst_oct_comedi_board_get_file (self->board),
    .events = G_IO_OUT };

  g_poll (&file, 1, WAIT_MS);
}

/* ------------------------------------------------------------------- playing */

static void
comedi_sink_tell_underrun (GstOctComediSink *self)
{
  const gint64 now = g_get_monotonic_time ();
  guint64 underruns;

  GST_OBJECT_LOCK (self);
  underruns = ++self->properties.underruns;
  GST_OBJECT_UNLOCK (self);
  if (self->told_at != 0 && now < self->told_at + TELL_TIME)
    return;
  self->told_at = now;
  GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
      ("The board has run out of samples, %" G_GUINT64_FORMAT
       " times so far: the mirrors stopped, and A-lines after it are not where "
       "the scan says; start the scan anew, with a larger `buffer-time` of "
       "octcomedisink or a lower load of this computer.",
          underruns),
      (NULL));
}

/* Hands volts[n] to the board, and starts it when it can take no more.  *done:
 * frames.  GST_OCT_COMEDI_FULL: it has given up. */
static GstOctComediResult
comedi_sink_write (GstOctComediSink *self, const double *volts, guint n,
    gboolean clip, Patience *patience, guint *done, GError **error)
{
  const gsize frame = gst_oct_comedi_board_get_frame (self->board);
  const gsize size = n * frame;
  g_autofree guint8 *samples = g_malloc (MAX (size, 1));
  GstOctComediResult result = GST_OCT_COMEDI_OK;
  gsize at = 0;

  *done = 0;
  if (!gst_oct_comedi_board_convert (
          self->board, volts, n, clip, samples, error))
    return GST_OCT_COMEDI_FAILED;
  while (at < size) {
    gsize written = 0;

    if (comedi_sink_gives_up (self, patience)
        && (at % frame == 0
            || g_get_monotonic_time () > patience->until + TORN_TIME)) {
      result = GST_OCT_COMEDI_FULL;
      break;
    }
    result = gst_oct_comedi_board_write (
        self->board, samples + at, size - at, &written, error);
    at += written;
    if (result == GST_OCT_COMEDI_FULL && !self->triggered) {
      self->triggered = TRUE;
      if (!gst_oct_comedi_board_trigger (self->board, error))
        result = GST_OCT_COMEDI_FAILED;
    } else if (result == GST_OCT_COMEDI_FULL) {
      comedi_sink_wait (self);
    }
    if (result == GST_OCT_COMEDI_STOPPED || result == GST_OCT_COMEDI_FAILED)
      break;
    result = GST_OCT_COMEDI_OK;
  }
  *done = (guint)(at / frame);
  self->torn = at % frame != 0;
  gst_oct_comedi_motion_play (&self->motion, volts, *done);
  return result;
}

/* Waits until the board has played what it has. */
static void
comedi_sink_drain (GstOctComediSink *self, Patience *patience)
{
  const gint64 delay = (gint64)(gst_oct_comedi_board_get_delay (self->board)
                                * G_TIME_SPAN_SECOND)
                       + SPARE_TIME;
  gboolean empty = FALSE;

  while (gst_oct_comedi_board_is_running (self->board)
         && !comedi_sink_gives_up (self, patience)) {
    if (!empty && gst_oct_comedi_board_get_contents (self->board) == 0) {
      /* the rest is in the board, which does not tell how much */
      const gint64 until = g_get_monotonic_time () + delay;

      empty = TRUE;
      if (patience->until == 0 || until < patience->until)
        patience->until = until;
    }
    g_usleep (WAIT_MS * G_TIME_SPAN_MILLISECOND);
  }
}

/* Brings the mirrors to rest and ends the command.  With `patient` it waits as
 * long as the board takes, as for an edge, until it is interrupted. */
static void
comedi_sink_halt (GstOctComediSink *self, gboolean patient)
{
  const guint hold = (guint)(HOLD_SECONDS * self->motion.rate) + 1;
  g_autoptr (GArray) way = NULL;
  g_autoptr (GError) error = NULL;
  GstOctComediResult result = GST_OCT_COMEDI_OK;
  Patience patience = { 0 };
  guint n, done;

  if (!self->running)
    return;
  way = gst_oct_comedi_motion_to_rest (&self->motion, hold);
  n = way->len / self->motion.channels;
  patience.grace = (gint64)((gst_oct_comedi_board_get_delay (self->board)
                                + n / self->motion.rate)
                            * G_TIME_SPAN_SECOND)
                   + SPARE_TIME;
  if (!patient)
    patience.until = g_get_monotonic_time () + patience.grace;
  if (!self->torn)
    result = comedi_sink_write (self, (const double *)(gconstpointer)way->data,
        n, TRUE, &patience, &done, &error);
  if (result == GST_OCT_COMEDI_OK && !self->triggered
      && !gst_oct_comedi_board_trigger (self->board, &error))
    result = GST_OCT_COMEDI_FAILED;
  self->triggered = TRUE;
  if (result == GST_OCT_COMEDI_OK)
    comedi_sink_drain (self, &patience);
  else if (result == GST_OCT_COMEDI_STOPPED)
    comedi_sink_tell_underrun (self);
  gst_oct_comedi_board_end (self->board, self->motion.rest);
  gst_oct_comedi_motion_stand (&self->motion, TRUE);
  self->running = FALSE;
  if (error != NULL && !gst_oct_file_sink_has_failed (GST_OCT_FILE_SINK (self)))
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
}

/* Begins a command, with the way from where the mirrors are to volts[n]. */
static GstOctComediResult
comedi_sink_begin (GstOctComediSink *self, const double *volts, guint n,
    gboolean is_first, Patience *patience, GError **error)
{
  g_autoptr (GArray) way = NULL;
  guint done;

  if (!gst_oct_comedi_board_begin (self->board, error))
    return GST_OCT_COMEDI_FAILED;
  self->running = TRUE;
  self->triggered = self->torn = FALSE;
  if (is_first)
    return GST_OCT_COMEDI_OK;
  way = gst_oct_comedi_motion_to (&self->motion, volts, n);
  return comedi_sink_write (self, (const double *)(gconstpointer)way->data,
      way->len / self->motion.channels, TRUE, patience, &done, error);
}

/* volts[n] or the rest of it, through pauses and underruns. */
static GstFlowReturn
comedi_sink_play (
    GstOctComediSink *self, const double *volts, guint n, GError **error)
{
  gboolean is_first = !self->motion.is_used;
  g_autofree guint8 *samples =
      g_malloc (MAX (n * gst_oct_comedi_board_get_frame (self->board), 1));

  /* a value that the board cannot make is not a limit of the scanner */
  if (!gst_oct_comedi_board_convert (
          self->board, volts, n, FALSE, samples, error))
    return GST_FLOW_ERROR;
  gst_oct_comedi_motion_see (&self->motion, volts, n);
  while (n > 0) {
    GstOctComediResult result = GST_OCT_COMEDI_OK;
    Patience patience = { 0 };
    guint done = 0;

    if (!self->running)
      result = comedi_sink_begin (self, volts, n, is_first, &patience, error);
    is_first = FALSE;
    if (result == GST_OCT_COMEDI_OK)
      result =
          comedi_sink_write (self, volts, n, FALSE, &patience, &done, error);
    volts += (gsize)done * self->motion.channels;
    n -= done;
    if (result == GST_OCT_COMEDI_FAILED)
      return GST_FLOW_ERROR;
    if (result == GST_OCT_COMEDI_STOPPED) {
      comedi_sink_tell_underrun (self);
      gst_oct_comedi_board_end (self->board, NULL);
      gst_oct_comedi_motion_stand (&self->motion, FALSE);
      self->running = FALSE;
    }
    if (result == GST_OCT_COMEDI_FULL) {
      /* the thread that has interrupted it brings the mirrors to rest */
      const GstFlowReturn flow =
          gst_base_sink_wait_preroll (GST_BASE_SINK (self));

      if (flow != GST_FLOW_OK)
        return flow;
    }
  }
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_oct_comedi_sink_render (GstBaseSink *base, GstBuffer *buffer)
{
  GstOctComediSink *self = GST_OCT_COMEDI_SINK (base);
  const gsize size = self->motion.channels * sizeof (double);
  g_autoptr (GError) error = NULL;
  g_autofree double *volts = NULL;
  GstFlowReturn flow = GST_FLOW_ERROR;
  GstMapInfo map;

  if (size == 0)
    return GST_FLOW_NOT_NEGOTIATED;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_FLOW_ERROR;
  volts = g_malloc (MAX (map.size, 1));
  for (gsize i = 0; i < map.size / sizeof (double); i++)
    volts[i] = GST_READ_DOUBLE_LE (map.data + i * sizeof (double))
               * self->properties.settings.full_scale;
  if (map.size % size != 0)
    g_set_error (&error, OCT_ERROR, OCT_ERROR_FORMAT,
        "A buffer of %" G_GSIZE_FORMAT " bytes is not whole samples of %u "
        "channels (%" G_GSIZE_FORMAT " bytes); put octscangen before "
        "octcomedisink",
        map.size, self->motion.channels, size);
  else
    flow = comedi_sink_play (self, volts, (guint)(map.size / size), &error);
  gst_buffer_unmap (buffer, &map);
  if (flow == GST_FLOW_ERROR) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    comedi_sink_halt (self, FALSE);
  }
  return flow;
}

/* -------------------------------------------------------------------- stream */

/* Events in the order of buffers come under the preroll lock. */
static gboolean
gst_oct_comedi_sink_set_caps (GstBaseSink *base, GstCaps *caps)
{
  GstOctComediSink *self = GST_OCT_COMEDI_SINK (base);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  g_autofree char *warning = NULL;
  g_autoptr (GError) error = NULL;
  gint channels, rate;
  gboolean ok;

  if (!gst_structure_get_int (s, "channels", &channels)
      || !gst_structure_get_int (s, "rate", &rate))
    return FALSE;
  comedi_sink_halt (self, FALSE);
  ok = gst_oct_comedi_board_prepare (
      self->board, (guint)channels, (guint)rate, &warning, &error);
  if (ok) {
    gst_oct_comedi_motion_set (&self->motion, (guint)channels, rate,
        self->properties.settings.full_scale);
    GST_OBJECT_LOCK (self);
    self->properties.rate = gst_oct_comedi_board_get_rate (self->board);
    GST_OBJECT_UNLOCK (self);
  }
  if (!ok)
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
  else if (warning != NULL)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", warning), (NULL));
  return ok;
}

/* For other threads, when the streaming thread does not play. */
static void
comedi_sink_halt_locked (GstOctComediSink *self, gboolean patient)
{
  GST_BASE_SINK_PREROLL_LOCK (self);
  comedi_sink_halt (self, patient);
  GST_BASE_SINK_PREROLL_UNLOCK (self);
}

static gboolean
gst_oct_comedi_sink_event (GstBaseSink *base, GstEvent *event)
{
  GstOctComediSink *self = GST_OCT_COMEDI_SINK (base);
  const GstEventType type = GST_EVENT_TYPE (event);
  gboolean ok;

  if (type == GST_EVENT_EOS)
    comedi_sink_halt (self, TRUE);
  ok = GST_BASE_SINK_CLASS (gst_oct_comedi_sink_parent_class)
           ->event (base, event);
  if (type == GST_EVENT_FLUSH_START) {
    comedi_sink_halt_locked (self, FALSE);
    gst_oct_comedi_motion_forget (&self->motion);
  }
  return ok;
}

static gboolean
gst_oct_comedi_sink_unlock (GstBaseSink *base)
{
  g_atomic_int_set (&GST_OCT_COMEDI_SINK (base)->interrupted, TRUE);
  return TRUE;
}

static gboolean
gst_oct_comedi_sink_unlock_stop (GstBaseSink *base)
{
  g_atomic_int_set (&GST_OCT_COMEDI_SINK (base)->interrupted, FALSE);
  return TRUE;
}

/* -------------------------------------------------------------------- states */

static gboolean
gst_oct_comedi_sink_start (GstBaseSink *base)
{
  GstOctComediSink *self = GST_OCT_COMEDI_SINK (base);
  g_autoptr (GError) error = NULL;

  gst_oct_file_sink_begin (GST_OCT_FILE_SINK (self));
  self->motion = (GstOctComediMotion){ 0 };
  self->told_at = 0;
  GST_OBJECT_LOCK (self);
  self->properties.underruns = 0;
  self->properties.rate = 0;
  GST_OBJECT_UNLOCK (self);
  self->board = gst_oct_comedi_board_new (&self->properties.settings, &error);
  if (self->board == NULL)
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
  return self->board != NULL;
}

static gboolean
gst_oct_comedi_sink_stop (GstBaseSink *base)
{
  GstOctComediSink *self = GST_OCT_COMEDI_SINK (base);

  comedi_sink_halt_locked (self, FALSE);
  g_clear_pointer (&self->board, gst_oct_comedi_board_free);
  return TRUE;
}

static GstStateChangeReturn
gst_oct_comedi_sink_change_state (
    GstElement *element, GstStateChange transition)
{
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_oct_comedi_sink_parent_class)
          ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    comedi_sink_halt_locked (GST_OCT_COMEDI_SINK (element), FALSE);
  return result;
}

/* -------------------------------------------------------------------- object */

static const GstOctHolder holder = {
  .properties = &properties,
  .offset = G_STRUCT_OFFSET (GstOctComediSink, properties),
};

static void
gst_oct_comedi_sink_finalize (GObject *object)
{
  gst_oct_properties_clear (
      &properties, &GST_OCT_COMEDI_SINK (object)->properties);
  G_OBJECT_CLASS (gst_oct_comedi_sink_parent_class)->finalize (object);
}

static void
gst_oct_comedi_sink_class_init (GstOctComediSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_comedi_sink_debug, "octcomedisink", 0, "OCT Comedi sink");
  gst_oct_holder_install (&holder, object_class, 1);
  object_class->finalize = gst_oct_comedi_sink_finalize;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "OCT scanner by Comedi",
      "Sink/Audio",
      "Plays a scan on the analog outputs of a board that Comedi drives (not "
      "tried with a real board yet)",
      "The gst-oct developers");
  element_class->change_state = gst_oct_comedi_sink_change_state;
  base_class->start = gst_oct_comedi_sink_start;
  base_class->stop = gst_oct_comedi_sink_stop;
  base_class->unlock = gst_oct_comedi_sink_unlock;
  base_class->unlock_stop = gst_oct_comedi_sink_unlock_stop;
  base_class->set_caps = gst_oct_comedi_sink_set_caps;
  base_class->event = gst_oct_comedi_sink_event;
  base_class->render = gst_oct_comedi_sink_render;
}

static void
gst_oct_comedi_sink_init (GstOctComediSink *self)
{
  gst_oct_properties_init (&properties, &self->properties);
}
