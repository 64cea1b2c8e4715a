/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octmeter
 *
 * Measures the stream without changing it: the light and the camera in
 * spectra, the peak of a mirror in A-scans. It takes raw spectra, spectra and
 * A-scans, in system or GPU memory, and can be used several times in a
 * pipeline.
 *
 * |[
 * gst-launch-1.0 -m octsrc num-buffers=100 phantom=mirror
 *   ! octdcsub mode=background ! octkresample ! octdispersion ! octfft
 *   ! octmeter ! octlogscale ! fakesink
 * ]|
 */
#include "gstoctmeter.h"
#include "gstoctbus.h"
#include "gstoctascans.h"
#include "gstoctcalibration.h"
#include "gstoctcuda.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctmeasure.h"
#include "gstoctmeterlog.h"
#include "gstoctorder.h"
#include "oct-meter.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_meter_debug);
#define GST_CAT_DEFAULT gst_oct_meter_debug

typedef struct {
  guint interval;
  guint first_bin, last_bin;
  double optical_density, saturation_level, black_level;
  OctWindow window;
  gboolean active, curves, source_only, roll_off;
  char *location;
  OctCalibrationSettings calibration;
  GstStructure *last; /* what was measured */
} Settings;

static const GstOctProperty rows[] = {
  { "active", "Active", "Measure; without it B-scans pass at no cost",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_BOOLEAN (Settings, active, TRUE) },
  { "interval", "Interval",
      "Time from one measurement to the next in ms (0 = as short as possible)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, interval, 0, 3600000, 1000) },
  { "first-bin", "First depth bin",
      "A-scans: first depth bin of the search for a peak, below the remains of "
      "the source near the zero delay",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, first_bin, 0, 65535, OCT_METER_FIRST_BIN) },
  { "last-bin", "Last depth bin",
      "A-scans: depth bin where the search ends (0 = the last one)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, last_bin, 0, 65535, 0) },
  { "optical-density", "Optical density",
      "Optical density of the filter in front of the mirror, passed twice: the "
      "sensitivity is the signal-to-noise ratio plus 20 dB per unit",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, optical_density, 0.0, 10.0, 0.0) },
  { "saturation-level", "Saturation level",
      "Raw spectra: counts of a full pixel (0 = the largest that are seen)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, saturation_level, 0.0, 65535.0, 0.0) },
  { "black-level", "Black level",
      "Raw spectra: counts of a pixel without light (-1 = those of the darkest "
      "pixels, if a twentieth of them is dark, else 0)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, black_level, -1.0, 65535.0, -1.0) },
  { "window", "Window",
      "Spectra: window of the reconstruction, for the resolution and the noise "
      "that follow from it",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_ENUM (
          Settings, window, gst_oct_window_get_type, OCT_WINDOW_HANN) },
  { "source-only", "Source only",
      "Raw spectra: the sample arm is blocked, so that they show the source "
      "alone; also measures the camera's gain and noise",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_BOOLEAN (Settings, source_only, FALSE) },
  { "roll-off", "Roll-off",
      "A-scans: collects the peaks of all depths that the mirror is moved to "
      "from now on, and measures the fall-off",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_BOOLEAN (Settings, roll_off, FALSE) },
  { "curves", "Curves",
      "Add the mean spectrum, or the A-scan in dB, to the messages",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_BOOLEAN (Settings, curves, FALSE) },
  GST_OCT_CALIBRATION_AXIS_ROWS (Settings, calibration, GST_OCT_PROPERTY_LIVE),
  { "location", "File of measurements",
      "Text file that is made, with a line of comma separated values for every "
      "measurement (none = no file)",
      0, NULL, GST_OCT_STRING (Settings, location) },
  { "last", "Last measurement",
      "What was measured last, with the fields of the message \"oct-meter\" "
      "(none = nothing yet)",
      GST_OCT_PROPERTY_READ_ONLY, NULL, GST_OCT_STRUCTURE (Settings, last) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* A B-scan that is to be measured. */
typedef struct {
  GstOctAside *aside;
  GstOctMeasureSettings settings;
  OctCalibrationSettings own; /* before the calibration from upstream */
  gboolean roll_off;
  GstClockTime time;
  guint64 bscans, missing, missing_lines;
} Job;

struct _GstOctMeter {
  GstBaseTransform parent;

  /* under the object lock */
  Settings settings;
  gboolean roll_off_was;    /* after it was set last */
  gboolean roll_off_is_new; /* forget what was collected */

  /* streaming thread */
  GstOctInfo info;
  gboolean has_info, on_gpu, is_ascans;
  double x_spacing, y_spacing, z_spacing; /* metres, 0: not known */
  guint depth_start;
  gint fps_n, fps_d;
  OctCalibration *calibration;
  gint64 measured;   /* when, monotonic; 0: not yet */
  GstClockTime time; /* of the buffer before */
  guint held;        /* B-scans in it */
  guint64 bscans, missing, missing_lines;

  /* the thread that measures */
  GThread *thread;
  GstOctRollOff *collected;
  gboolean warned;     /* of a calibration that cannot be used */
  GstOctMeterLog *log; /* NULL: none, or it has failed */
  GMutex lock;
  GCond cond;
  /* under the lock */
  Job *job;      /* to be taken, NULL: none */
  gboolean busy; /* there is one, or it is being measured */
  gboolean told; /* its result has been reported */
  gboolean ends;
};

G_DEFINE_TYPE (GstOctMeter, gst_oct_meter, GST_TYPE_BASE_TRANSFORM);
GST_OCT_REGISTER_DEFINE (
    octmeter, "octmeter", GST_RANK_NONE, GST_TYPE_OCT_METER);

#define ALL_CAPS                                                               \
  GST_OCT_CAPS_RAW ";" GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }",              \
      "{ wavelength, wavenumber }") ";" GST_OCT_CAPS_ASCANS

/* `calibration` is a copy, to be cleared. */
static Settings
get_settings (GstOctMeter *self)
{
  Settings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  settings.location = NULL; /* may change */
  oct_calibration_settings_copy (
      &settings.calibration, &self->settings.calibration);
  GST_OBJECT_UNLOCK (self);
  return settings;
}

static gboolean
is_active (GstOctMeter *self)
{
  gboolean active;

  GST_OBJECT_LOCK (self);
  active = self->settings.active;
  GST_OBJECT_UNLOCK (self);
  return active;
}

/* ---------------------------------------------------------------- measuring */

static void
free_job (Job *job)
{
  g_clear_pointer (&job->aside, gst_oct_aside_free);
  g_clear_pointer (&job->settings.calibration, oct_calibration_unref);
  oct_calibration_settings_clear (&job->own);
  g_free (job);
}

static void
octmeter_collect (GstOctMeter *self, const Job *job, GstStructure *measurement)
{
  gboolean is_new;

  GST_OBJECT_LOCK (self);
  is_new = self->roll_off_is_new;
  self->roll_off_is_new = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (is_new)
    gst_oct_roll_off_forget (self->collected);
  if (job->roll_off)
    gst_oct_roll_off_add (self->collected, measurement);
}

/* Images are worth more than measurements: what cannot be written is
 * reported once. */
static void
write_log (GstOctMeter *self, const GstStructure *measurement)
{
  g_autoptr (GError) error = NULL;

  if (self->log == NULL
      || gst_oct_meter_log_add (self->log, measurement, &error))
    return;
  g_clear_pointer (&self->log, gst_oct_meter_log_free);
  GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
      ("%s Nothing more is written to it.", error->message), (NULL));
}

/* Where it cannot be used, there are no wavelengths, and one warning. */
static void
use_own_calibration (GstOctMeter *self, Job *job)
{
  guint samples = gst_oct_aside_get_info (job->aside)->columns;
  g_autoptr (GError) error = NULL;
  OctCalibration *own;

  if (job->settings.is_ascans || oct_calibration_settings_empty (&job->own))
    return;
  own = oct_calibration_new_on (
      job->settings.calibration, &job->own, samples, &error);
  if (error != NULL && !self->warned)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("%s; nothing is measured in nm or um.", error->message), (NULL));
  self->warned = error != NULL;
  g_clear_pointer (&job->settings.calibration, oct_calibration_unref);
  job->settings.calibration = own;
}

static GstStructure *
octmeter_measure (GstOctMeter *self, Job *job)
{
  GstStructure *s;

  use_own_calibration (self, job);
  s = gst_oct_measure (job->aside, &job->settings);
  octmeter_collect (self, job, s);
  gst_structure_set (s, "bscans", G_TYPE_UINT64, job->bscans, "missing",
      G_TYPE_UINT64, job->missing, "missing-lines", G_TYPE_UINT64,
      job->missing_lines, NULL);
  if (GST_CLOCK_TIME_IS_VALID (job->time))
    gst_structure_set (s, "timestamp", G_TYPE_UINT64, job->time, NULL);
  GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT, s);
  write_log (self, s);
  GST_OBJECT_LOCK (self);
  gst_clear_structure (&self->settings.last);
  self->settings.last = gst_structure_copy (s);
  GST_OBJECT_UNLOCK (self);
  return s;
}

/* A handler of a measurement can ask for the next: the B-scan for it may come
 * before this one has been reported to all. */
static gpointer
measure_all (gpointer data)
{
  GstOctMeter *self = data;

  g_mutex_lock (&self->lock);
  while (!self->ends) {
    Job *job = g_steal_pointer (&self->job);
    GstStructure *measurement;

    if (job == NULL) {
      g_cond_wait (&self->cond, &self->lock);
      continue;
    }
    self->told = FALSE;
    g_mutex_unlock (&self->lock);
    measurement = octmeter_measure (self, job);
    free_job (job);
    g_mutex_lock (&self->lock);
    self->busy = FALSE;
    g_mutex_unlock (&self->lock);
    gst_oct_bus_post (GST_ELEMENT (self), measurement);
    g_mutex_lock (&self->lock);
    self->told = TRUE;
    g_cond_broadcast (&self->cond);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* The numbers of a short stream come before its end. */
static void
wait_for_measurement (GstOctMeter *self)
{
  g_mutex_lock (&self->lock);
  while ((self->busy || !self->told) && !self->ends)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
}

/* ------------------------------------------------------------------ B-scans */

/* B-scans that never came, by the times of those that did, and their A-lines. */
static void
octmeter_count (GstOctMeter *self, GstBuffer *buffer)
{
  GstClockTime time = GST_BUFFER_PTS (buffer), before = self->time;
  guint64 steps, held = self->held;

  self->held = self->has_info ? self->info.bscans : 1;
  self->bscans += self->held;
  self->time = time;
  if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (before)
      || time <= before || self->fps_n <= 0)
    return;
  steps = gst_util_uint64_scale_round (
      time - before, self->fps_n, self->fps_d * GST_SECOND);
  if (steps <= held)
    return;
  self->missing += steps - held;
  if (self->has_info)
    self->missing_lines +=
        (steps - held) * (self->info.rows / self->info.bscans);
}

static gboolean
octmeter_is_due (GstOctMeter *self, const Settings *settings)
{
  gint64 wait = (gint64)settings->interval * 1000;
  gboolean busy;

  if (self->measured != 0 && g_get_monotonic_time () - self->measured < wait)
    return FALSE;
  g_mutex_lock (&self->lock);
  busy = self->busy;
  g_mutex_unlock (&self->lock);
  return !busy;
}

/* Takes the calibration of `settings`. */
static Job *
new_job (GstOctMeter *self, Settings *settings, GstBuffer *buffer)
{
  Job *job = g_new0 (Job, 1);
  g_autoptr (GError) error = NULL;
  GstOctInfo there;

  gst_oct_info_of_buffer (&there, &self->info, buffer);
  job->aside = gst_oct_aside_new (
      buffer, &there, self->on_gpu, gst_oct_measure_lines (&there), &error);
  if (job->aside == NULL) {
    GST_WARNING_OBJECT (self, "%s", error->message);
    free_job (job);
    return NULL;
  }
  job->settings = (GstOctMeasureSettings){ .is_ascans = self->is_ascans,
    .x_spacing = self->x_spacing,
    .y_spacing = self->y_spacing,
    .z_spacing = self->z_spacing,
    .depth_start = self->depth_start,
    .window = settings->window,
    .first_bin = settings->first_bin,
    .last_bin = settings->last_bin,
    .optical_density = settings->optical_density,
    .saturation_level = settings->saturation_level,
    .black_level = settings->black_level,
    .source_only = settings->source_only,
    .curves = settings->curves };
  job->own = settings->calibration;
  settings->calibration = (OctCalibrationSettings){ NULL };
  if (self->calibration != NULL)
    job->settings.calibration = oct_calibration_ref (self->calibration);
  job->roll_off = settings->roll_off;
  job->time = GST_BUFFER_PTS (buffer);
  job->bscans = self->bscans;
  job->missing = self->missing;
  job->missing_lines = self->missing_lines;
  return job;
}

static GstFlowReturn
gst_oct_meter_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstOctMeter *self = GST_OCT_METER (trans);
  Settings settings;
  Job *job = NULL;

  octmeter_count (self, buffer);
  if (!self->has_info || !is_active (self))
    return GST_FLOW_OK;
  settings = get_settings (self);
  if (octmeter_is_due (self, &settings)) {
    self->measured = g_get_monotonic_time ();
    job = new_job (self, &settings, buffer);
  }
  oct_calibration_settings_clear (&settings.calibration);
  if (job == NULL)
    return GST_FLOW_OK;
  g_mutex_lock (&self->lock);
  self->job = job;
  self->busy = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  return GST_FLOW_OK;
}

static gboolean
gst_oct_meter_set_caps (
    GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps)
{
  GstOctMeter *self = GST_OCT_METER (trans);
  const GstStructure *s = gst_caps_get_structure (incaps, 0);
  gint start = 0;

  /* what is not understood passes all the same */
  self->has_info = gst_oct_info_from_caps (&self->info, incaps, NULL);
  self->on_gpu = gst_oct_caps_is_on_gpu (incaps);
  self->is_ascans = gst_structure_has_name (s, GST_OCT_ASCANS_NAME);
  self->x_spacing = self->z_spacing = 0;
  self->y_spacing = gst_oct_structure_get_bscan_spacing (s);
  gst_structure_get_double (s, "x-spacing", &self->x_spacing);
  gst_structure_get_double (s, "z-spacing", &self->z_spacing);
  gst_structure_get_int (s, GST_OCT_DEPTH_START_FIELD, &start);
  self->depth_start = (guint)MAX (start, 0);
  self->fps_n = 0;
  gst_structure_get_fraction (s, "framerate", &self->fps_n, &self->fps_d);
  self->time = GST_CLOCK_TIME_NONE;
  return TRUE;
}

static gboolean
gst_oct_meter_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstOctMeter *self = GST_OCT_METER (trans);
  OctCalibration *calibration = gst_oct_calibration_event_parse (&event, NULL);

  if (calibration != NULL) {
    g_clear_pointer (&self->calibration, oct_calibration_unref);
    self->calibration = calibration;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    self->time = GST_CLOCK_TIME_NONE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    wait_for_measurement (self);
  return gst_oct_order_sink_event (
      trans, GST_BASE_TRANSFORM_CLASS (gst_oct_meter_parent_class), event);
}

static gboolean
gst_oct_meter_query (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (!GST_BASE_TRANSFORM_CLASS (gst_oct_meter_parent_class)
           ->query (trans, direction, query))
    return FALSE;
  if (direction == GST_PAD_SINK && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_oct_order_widen (trans->sinkpad, trans->srcpad, query);
  return TRUE;
}

static gboolean
open_log (GstOctMeter *self)
{
  g_autofree char *location = NULL;
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  location = g_strdup (self->settings.location);
  GST_OBJECT_UNLOCK (self);
  if (location == NULL || *location == '\0')
    return TRUE;
  self->log = gst_oct_meter_log_new (location, 0600, &error);
  if (self->log == NULL)
    gst_oct_element_error (GST_ELEMENT (self), &error);
  return self->log != NULL;
}

static gboolean
gst_oct_meter_start (GstBaseTransform *trans)
{
  GstOctMeter *self = GST_OCT_METER (trans);

  if (!open_log (self))
    return FALSE;
  self->has_info = FALSE;
  self->warned = FALSE;
  self->measured = 0;
  self->time = GST_CLOCK_TIME_NONE;
  self->bscans = self->missing = self->missing_lines = 0;
  self->ends = self->busy = FALSE;
  self->told = TRUE;
  gst_oct_roll_off_forget (self->collected);
  self->thread = g_thread_new ("octmeter", measure_all, self);
  return TRUE;
}

static gboolean
gst_oct_meter_stop (GstBaseTransform *trans)
{
  GstOctMeter *self = GST_OCT_METER (trans);
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&self->lock);
  self->ends = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&self->thread, g_thread_join);
  g_clear_pointer (&self->job, free_job);
  if (self->log != NULL
      && !gst_oct_meter_log_close (g_steal_pointer (&self->log), &error))
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE, ("%s", error->message), (NULL));
  g_clear_pointer (&self->calibration, oct_calibration_unref);
  return TRUE;
}

/* ------------------------------------------------------------------- object */

static void
meter_changed (GObject *object, const GstOctProperty *row)
{
  GstOctMeter *self = GST_OCT_METER (object);

  self->roll_off_is_new |= self->settings.roll_off && !self->roll_off_was;
  self->roll_off_was = self->settings.roll_off;
}

static void
gst_oct_meter_finalize (GObject *object)
{
  GstOctMeter *self = GST_OCT_METER (object);

  gst_oct_properties_clear (&properties, &self->settings);
  gst_oct_roll_off_free (self->collected);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  G_OBJECT_CLASS (gst_oct_meter_parent_class)->finalize (object);
}

/* In GPU memory all but raw spectra. */
static void
octmeter_add_template (
    GstElementClass *klass, const char *name, GstPadDirection direction)
{
  GstCaps *caps = gst_caps_from_string (ALL_CAPS), *gpu = gst_caps_copy (caps);

  gst_caps_remove_structure (gpu, 0);
  gst_caps_set_features_simple (
      gpu, gst_caps_features_new (GST_OCT_CUDA_FEATURE, NULL));
  gst_caps_append (gpu, caps);
  gst_element_class_add_pad_template (
      klass, gst_pad_template_new (name, direction, GST_PAD_ALWAYS, gpu));
  gst_caps_unref (gpu);
}

static const GstOctHolder holder = {
  .properties = &properties,
  .offset = G_STRUCT_OFFSET (GstOctMeter, settings),
  .changed = meter_changed,
};

static void
gst_oct_meter_class_init (GstOctMeterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_oct_meter_debug, "octmeter", 0, "OCT meter");
  object_class->finalize = gst_oct_meter_finalize;
  gst_oct_holder_install (&holder, object_class, 1);
  octmeter_add_template (element_class, "sink", GST_PAD_SINK);
  octmeter_add_template (element_class, "src", GST_PAD_SRC);
  gst_element_class_set_static_metadata (element_class, "OCT meter",
      "Filter/Analyzer/Video",
      "Measures the light source, the camera and the peaks, in spectra or "
      "A-scans that pass through",
      "The gst-oct developers");
  trans_class->set_caps = gst_oct_meter_set_caps;
  trans_class->transform_ip = gst_oct_meter_transform_ip;
  trans_class->sink_event = gst_oct_meter_sink_event;
  trans_class->query = gst_oct_meter_query;
  trans_class->start = gst_oct_meter_start;
  trans_class->stop = gst_oct_meter_stop;
  trans_class->passthrough_on_same_caps = TRUE;
}

static void
gst_oct_meter_init (GstOctMeter *self)
{
  gst_oct_properties_init (&properties, &self->settings);
  self->collected = gst_oct_roll_off_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
  gst_oct_order_init (GST_BASE_TRANSFORM_SINK_PAD (self));
}
