/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octkeep
 *
 * Holds the last seconds of a stream, encoded video or raw spectra, and writes
 * them to a file of their own when the action signal #GstOctKeep::keep says so,
 * while the stream goes on.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=300 ! tee name=t
 *   ! queue ! octreconstruct ! videoconvert ! autovideosink
 *   t. ! queue ! octkeep name=keep seconds=20 location=moment
 * ]|
 */
#include "gstoctkeep.h"
#include "gstoctbus.h"
#include "gstoctcaps.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctkeepring.h"
#include "gstoctkeepwriter.h"
#include "gstoctscanpath.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_keep_debug);
#define GST_CAT_DEFAULT gst_oct_keep_debug

#define DEFAULT_SECONDS 30.0
#define DEFAULT_MEMORY G_GUINT64_CONSTANT (2000000000)
/* Images of patients are for their owner alone. */
#define DEFAULT_FILE_MODE 0600
/* Before the first one is on the disk; each may hold memory of its own. */
#define MOST_PENDING 4
/* Encoders begin with decoding times below 0. */
#define TIME_OFFSET (1000 * 3600 * GST_SECOND)

typedef struct {
  char *location, *comment;
  double seconds;
  guint64 memory;
  guint file_mode;
  gboolean at_end;
  /* as they are asked for */
  double held;
  guint64 held_bytes;
  guint kept;
} Settings;

static const GstOctProperty rows[] = {
  { "location", "Name of the files",
      "Path of the files without ending; date and time come after it, as in "
      "LOCATION-20260504-140322.mkv (none = kept)",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_STRING (Settings, location) },
  { "comment", "Comment",
      "One line for the text beside the files, as the patient's eye "
      "(none = without)",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_STRING (Settings, comment) },
  { "seconds", "Seconds", "How much of the stream is held, in s",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, seconds, 0.001, 86400.0, DEFAULT_SECONDS) },
  { "memory", "Memory",
      "Most bytes that are held, above which fewer seconds are held; twice as "
      "many while files are written",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT64 (Settings, memory, 1, G_MAXINT64, DEFAULT_MEMORY) },
  { "file-mode", "File mode",
      "Permissions of the files, as in 0640 (octal), whatever the umask; the "
      "default, 0600, is for their owner alone",
      0, NULL,
      GST_OCT_UINT (Settings, file_mode, 0600, 0666, DEFAULT_FILE_MODE) },
  { "at-end", "At the end",
      "Keep when the stream ends, too, as with Ctrl-C of gst-launch-1.0 -e",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_BOOLEAN (Settings, at_end, FALSE) },
  { "held", "Held", "Seconds that are held now", GST_OCT_PROPERTY_READ_ONLY,
      NULL, GST_OCT_DOUBLE (Settings, held, 0.0, G_MAXDOUBLE, 0.0) },
  { "held-bytes", "Held bytes", "Bytes that are held now",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Settings, held_bytes, 0, G_MAXUINT64, 0) },
  { "kept", "Kept", "Files written as a whole since the start",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT (Settings, kept, 0, G_MAXUINT, 0) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctKeep {
  GstOctFileSink parent;

  Settings settings; /* under the object lock */

  GMutex lock; /* of the members below; the object lock is taken within it */
  GstOctKeepRing *ring;
  GstCaps *caps;         /* of all that the ring holds */
  OctScanPlaces *places; /* the same; NULL: none were told */
  GThreadPool *pool; /* writes one file after the other; NULL: not started */
  char *last_base;   /* of the file before: its path without the number */
  guint last_number; /* its number, from 1 */
  guint kept;
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            GST_OCT_CAPS_RAW "; video/x-h264, stream-format = (string) avc, "
                             "alignment = (string) au"
                             "; video/x-h265, stream-format = (string) hvc1, "
                             "alignment = (string) au"
                             "; video/x-vp8; video/x-vp9; image/jpeg"));

G_DEFINE_TYPE (GstOctKeep, gst_oct_keep, GST_TYPE_OCT_FILE_SINK);
GST_OCT_REGISTER_DEFINE (octkeep, "octkeep", GST_RANK_NONE, GST_TYPE_OCT_KEEP);

/* ------------------------------------------------------------------ writing */

static void
keep_report_failure (GstOctKeep *self, const GError *error,
    const char *location, guint written, guint all)
{
  gboolean has_stop = g_str_has_suffix (error->message, ".");

  if (written > 0)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("'%s' holds %u of %u images that were to be kept: %s%s", location,
            written, all, error->message, has_stop ? "" : "."),
        (NULL));
  else
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("The last seconds could not be kept in '%s': %s%s", location,
            error->message, has_stop ? "" : "."),
        (NULL));
}

static void
keep_report (GstOctKeep *self, const GstOctKeepJob *job, const char *location,
    guint images)
{
  gst_oct_bus_post (GST_ELEMENT (self),
      gst_structure_new ("oct-kept", "location", G_TYPE_STRING, location,
          "images", G_TYPE_UINT, images, "duration", G_TYPE_UINT64,
          job->duration, NULL));
}

/* The images are there, whether or not the text is. */
static void
keep_write_text (GstOctKeep *self, const GstOctKeepJob *job, guint images)
{
  g_autoptr (GError) error = NULL;

  if (images > 0 && !gst_oct_keep_job_write_text (job, images, &error))
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("The images are kept, and the text beside them is not: %s",
            error->message),
        (NULL));
}

/* In the thread of the pool. */
static void
keep_write (gpointer data, gpointer user_data)
{
  GstOctKeepJob *job = data;
  GstOctKeep *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *location = NULL;
  guint written = gst_oct_keep_job_write (job, &location, &error);

  if (error != NULL) {
    keep_report_failure (self, error, location, written, job->count);
    keep_write_text (self, job, written);
  } else {
    keep_write_text (self, job, written);
    g_mutex_lock (&self->lock);
    self->kept++;
    g_mutex_unlock (&self->lock);
    keep_report (self, job, location, written);
  }
  gst_oct_keep_job_free (job);
}

static gboolean
keep_take_tags (GstPad *pad, GstEvent **event, gpointer events)
{
  if (GST_EVENT_TYPE (*event) == GST_EVENT_TAG)
    g_ptr_array_add (events, gst_event_ref (*event));
  return TRUE;
}

/* Events that the file needs; others it has of its own.  Called with the
 * lock. */
static void
keep_add_events (GstOctKeep *self, GstOctKeepJob *job)
{
  job->events =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_event_unref);
  job->last_events =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_event_unref);
  gst_oct_keep_ring_get_events (self->ring, job->events);
  gst_oct_keep_ring_get_last_events (self->ring, job->last_events);
  gst_pad_sticky_events_foreach (
      GST_BASE_SINK_PAD (self), keep_take_tags, job->events);
  g_ptr_array_insert (job->events, 0, gst_event_new_caps (self->caps));
}

static gboolean
keep_is_taken (const char *path, const char *ending)
{
  g_autofree char *name = g_strconcat (path, ending, NULL);

  return g_file_test (name, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK);
}

/* LOCATION-DATE-TIME, with a number after it for more than one a second: files
 * that wait for being written have theirs already.  Called with the lock. */
static char *
keep_find_path (GstOctKeep *self, const char *location)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y%m%d-%H%M%S");
  g_autofree char *base = g_strdup_printf ("%s-%s", location, date);
  char *path = NULL;

  if (g_strcmp0 (base, self->last_base) != 0)
    self->last_number = 0;
  do {
    g_free (path);
    self->last_number++;
    path = self->last_number == 1
               ? g_strdup (base)
               : g_strdup_printf ("%s-%u", base, self->last_number);
  } while (keep_is_taken (path, ".oct") || keep_is_taken (path, ".mkv")
           || keep_is_taken (path, ".txt")
           || keep_is_taken (path, ".mkv.part"));
  g_free (self->last_base);
  self->last_base = g_strdup (base);
  return path;
}

/* Called with the lock, after caps. */
static gboolean
keep_is_raw (GstOctKeep *self)
{
  return gst_structure_has_name (
      gst_caps_get_structure (self->caps, 0), "video/x-raw");
}

/* Whether files that wait for a slow disk are too many.  They hold at most as
 * much besides the ring as that may have.  Called with the lock. */
static gboolean
keep_is_too_slow (GstOctKeep *self)
{
  guint64 most;

  GST_OBJECT_LOCK (self);
  most = self->settings.memory;
  GST_OBJECT_UNLOCK (self);
  return g_thread_pool_unprocessed (self->pool) >= MOST_PENDING
         || gst_oct_keep_ring_get_all_bytes (self->ring) > most;
}

/* The images held now, or NULL with a warning.  Called with the lock. */
static GstOctKeepJob *
keep_make_job (GstOctKeep *self, const char **refusal)
{
  g_autoptr (GPtrArray) buffers = NULL;
  g_autofree char *location = NULL;
  GstOctKeepJob *job;

  buffers = gst_oct_keep_ring_get (self->ring);
  if (self->pool == NULL || buffers->len == 0) {
    *refusal = "Nothing has come yet that could be kept.";
    return NULL;
  }
  if (keep_is_too_slow (self)) {
    *refusal =
        "The disk is too slow: files that were to be kept wait for being "
        "written; keep again when they are there.";
    return NULL;
  }
  job = gst_oct_keep_job_new (g_steal_pointer (&buffers));
  keep_add_events (self, job);
  job->is_raw = keep_is_raw (self);
  GST_OBJECT_LOCK (self);
  location = g_strdup (self->settings.location);
  job->comment = g_strdup (self->settings.comment);
  job->file_mode = self->settings.file_mode;
  GST_OBJECT_UNLOCK (self);
  job->path = keep_find_path (
      self, location != NULL && *location != '\0' ? location : "kept");
  return job;
}

static char *
gst_oct_keep_keep (GstOctKeep *self)
{
  const char *refusal = NULL;
  char *location = NULL;
  GstOctKeepJob *job;

  g_mutex_lock (&self->lock);
  job = keep_make_job (self, &refusal);
  if (job != NULL) {
    location = g_strconcat (job->path, job->is_raw ? ".oct" : ".mkv", NULL);
    g_thread_pool_push (self->pool, job, NULL);
  }
  g_mutex_unlock (&self->lock);
  if (refusal != NULL)
    GST_ELEMENT_WARNING (self, STREAM, FAILED, ("%s", refusal), (NULL));
  return location;
}

/* ------------------------------------------------------------------- stream */

static gboolean
gst_oct_keep_start (GstBaseSink *base)
{
  GstOctKeep *self = GST_OCT_KEEP (base);

  gst_oct_file_sink_begin (GST_OCT_FILE_SINK (self));
  g_mutex_lock (&self->lock);
  self->kept = 0;
  self->pool = g_thread_pool_new (keep_write, self, 1, FALSE, NULL);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/* Files under way are written as a whole first. */
static gboolean
gst_oct_keep_stop (GstBaseSink *base)
{
  GstOctKeep *self = GST_OCT_KEEP (base);
  GThreadPool *pool;

  g_mutex_lock (&self->lock);
  pool = g_steal_pointer (&self->pool);
  g_mutex_unlock (&self->lock);
  g_thread_pool_free (pool, FALSE, TRUE);
  gst_clear_caps (&self->caps);
  return TRUE;
}

static void
keep_forget (GstOctKeep *self, gboolean with_events)
{
  g_mutex_lock (&self->lock);
  if (with_events) {
    gst_oct_keep_ring_forget (self->ring);
    g_clear_pointer (&self->places, oct_scan_places_unref);
  } else {
    gst_oct_keep_ring_clear (self->ring);
  }
  g_mutex_unlock (&self->lock);
}

/* The events that a file needs go with the stream. */
static GstStateChangeReturn
gst_oct_keep_change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn result = GST_ELEMENT_CLASS (gst_oct_keep_parent_class)
                                    ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    keep_forget (GST_OCT_KEEP (element), TRUE);
  return result;
}

/* A file has one format. */
static gboolean
gst_oct_keep_set_caps (GstBaseSink *base, GstCaps *caps)
{
  GstOctKeep *self = GST_OCT_KEEP (base);

  g_mutex_lock (&self->lock);
  if (self->caps == NULL || !gst_caps_is_equal (caps, self->caps)) {
    gst_oct_keep_ring_clear (self->ring);
    gst_caps_replace (&self->caps, caps);
  }
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/* A file of spectra says one scan path.  Called with the lock. */
static void
keep_take_path (GstOctKeep *self, GstEvent *event)
{
  OctScanPlaces *places = gst_oct_scan_path_event_parse (event, NULL);

  if (places == NULL)
    return;
  if (self->places != NULL && self->caps != NULL && keep_is_raw (self)
      && !oct_scan_places_equal (self->places, places))
    gst_oct_keep_ring_clear (self->ring);
  g_clear_pointer (&self->places, oct_scan_places_unref);
  self->places = places;
}

static gboolean
gst_oct_keep_event (GstBaseSink *base, GstEvent *event)
{
  GstOctKeep *self = GST_OCT_KEEP (base);
  gboolean at_end;

  GST_OBJECT_LOCK (self);
  at_end = self->settings.at_end;
  GST_OBJECT_UNLOCK (self);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    keep_forget (self, FALSE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY) {
    g_mutex_lock (&self->lock);
    keep_take_path (self, event);
    gst_oct_keep_ring_take_event (self->ring, event);
    g_mutex_unlock (&self->lock);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS && at_end)
    g_free (gst_oct_keep_keep (self));
  return GST_BASE_SINK_CLASS (gst_oct_keep_parent_class)->event (base, event);
}

/* The running time of `time`, or when it came. */
static GstClockTime
keep_find_time (const GstSegment *segment, GstClockTime time)
{
  guint64 running;
  gint sign = GST_CLOCK_TIME_IS_VALID (time)
                  ? gst_segment_to_running_time_full (
                      segment, GST_FORMAT_TIME, time, &running)
                  : 0;

  if (sign == 0)
    return GST_CLOCK_TIME_NONE;
  return sign > 0 ? TIME_OFFSET + running
                  : TIME_OFFSET - MIN (running, TIME_OFFSET);
}

static GstFlowReturn
gst_oct_keep_render (GstBaseSink *base, GstBuffer *buffer)
{
  GstOctKeep *self = GST_OCT_KEEP (base);
  gboolean is_timed = base->segment.format == GST_FORMAT_TIME, ok;
  GstClockTime pts = GST_CLOCK_TIME_NONE, dts = GST_CLOCK_TIME_NONE, length;
  guint64 most;

  GST_OBJECT_LOCK (self);
  length = (GstClockTime)(self->settings.seconds * GST_SECOND);
  most = self->settings.memory;
  GST_OBJECT_UNLOCK (self);
  if (is_timed) {
    pts = keep_find_time (&base->segment, GST_BUFFER_PTS (buffer));
    dts = keep_find_time (&base->segment, GST_BUFFER_DTS (buffer));
  }
  if (!GST_CLOCK_TIME_IS_VALID (pts))
    pts = TIME_OFFSET + (guint64)g_get_monotonic_time () * GST_USECOND;
  g_mutex_lock (&self->lock);
  /* a source that began anew: no file goes back in time */
  if (keep_is_raw (self) && gst_oct_keep_ring_is_past (self->ring, pts))
    gst_oct_keep_ring_clear (self->ring);
  ok = gst_oct_keep_ring_push (self->ring, buffer, pts, dts, length, most);
  g_mutex_unlock (&self->lock);
  if (ok)
    return GST_FLOW_OK;
  GST_ELEMENT_ERROR (self, RESOURCE, READ,
      ("An image of %" G_GSIZE_FORMAT
       " bytes could not be copied, for lack of memory or because it is not "
       "readable; set `memory` to less.",
          gst_buffer_get_size (buffer)),
      (NULL));
  return GST_FLOW_ERROR;
}

/* ------------------------------------------------------------------- object */

static const GstOctHolder holder = {
  .properties = &properties,
  .offset = G_STRUCT_OFFSET (GstOctKeep, settings),
};

/* The ring is under another lock than the settings. */
static void
gst_oct_keep_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctKeep *self = GST_OCT_KEEP (object);

  g_mutex_lock (&self->lock);
  GST_OBJECT_LOCK (self);
  self->settings.held =
      (double)gst_oct_keep_ring_get_length (self->ring) / GST_SECOND;
  self->settings.held_bytes = gst_oct_keep_ring_get_bytes (self->ring);
  self->settings.kept = self->kept;
  GST_OBJECT_UNLOCK (self);
  g_mutex_unlock (&self->lock);
  gst_oct_installed_get_property (object, id, value, pspec);
}

static void
gst_oct_keep_finalize (GObject *object)
{
  GstOctKeep *self = GST_OCT_KEEP (object);

  gst_oct_keep_ring_free (self->ring);
  gst_clear_caps (&self->caps);
  g_free (self->last_base);
  g_mutex_clear (&self->lock);
  gst_oct_properties_clear (&properties, &self->settings);
  G_OBJECT_CLASS (gst_oct_keep_parent_class)->finalize (object);
}

static void
gst_oct_keep_class_init (GstOctKeepClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_oct_keep_debug, "octkeep", 0, "OCT keep");
  gst_oct_holder_install (&holder, object_class, 1);
  object_class->get_property = gst_oct_keep_get_property;
  object_class->finalize = gst_oct_keep_finalize;
  /**
   * GstOctKeep::keep:
   *
   * Writes what is held to a new file, in a thread of its own.  When it is on
   * the disk, a message "oct-kept" says so: location (string), images (uint),
   * duration (uint64, ns).  Any thread.
   *
   * Returns: (transfer full) (nullable): the name of the file that will be
   * there, or %NULL after a warning.
   */
  g_signal_new_class_handler ("keep", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (gst_oct_keep_keep), NULL,
      NULL, NULL, G_TYPE_STRING, 0);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "OCT keep", "Sink/File",
      "Holds the last seconds of video or spectra and writes them on demand",
      "The gst-oct developers");
  element_class->change_state = gst_oct_keep_change_state;
  base_class->start = gst_oct_keep_start;
  base_class->stop = gst_oct_keep_stop;
  base_class->set_caps = gst_oct_keep_set_caps;
  base_class->event = gst_oct_keep_event;
  base_class->render = gst_oct_keep_render;
}

static void
gst_oct_keep_init (GstOctKeep *self)
{
  gst_oct_properties_init (&properties, &self->settings);
  g_mutex_init (&self->lock);
  self->ring = gst_oct_keep_ring_new ();
  /* beside an encoder that takes many images before its first one, no other branch
   * may wait */
  gst_base_sink_set_async_enabled (GST_BASE_SINK (self), FALSE);
  /* it would hold an image of a camera that has few */
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
}
