/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octrawsink
 *
 * Records raw spectra as they come from the camera, without loss. octsrc plays
 * them back by the name of the recording.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octrawsink location=taken
 * gst-launch-1.0 octsrc location=taken.oct ! octreconstruct
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctrawsink.h"
#include "gstoctbus.h"
#include "gstoctcalibration.h"
#include "gstocterror.h"
#include "gstoctframe.h"
#include "gstoctinstall.h"
#include "gstoctscanmask.h"
#include "gstoctscanmeta.h"
#include "gstoctscanpath.h"
#include "oct-raw-writer.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_raw_sink_debug);
#define GST_CAT_DEFAULT gst_oct_raw_sink_debug

/* Below 4 GiB, the limit of a file on many portable disks. */
#define DEFAULT_PART_SIZE G_GUINT64_CONSTANT (4000000000)
/* Images of patients are for their owner alone. */
#define DEFAULT_FILE_MODE 0600
/* How often it looks whether the files are still there. */
#define LOOK_TIME (500 * G_TIME_SPAN_MILLISECOND)

typedef struct {
  char *location;
  guint64 part_size;
  guint file_mode;
  char *measurements;
  OctCalibrationSettings calibration;
  OctRawWriterStats stats; /* as they are asked for */
} Settings;

static const GstOctProperty rows[] = {
  { "location", "Recording",
      "Path of the recording without ending: LOCATION.oct and "
      "LOCATION-00000.raw, ... are written, and must not exist yet",
      0, NULL, GST_OCT_STRING (Settings, location) },
  { "part-size", "Part size",
      "Largest size of a part in bytes (at least one B-scan)", 0, NULL,
      GST_OCT_UINT64 (Settings, part_size, 1, G_MAXINT64, DEFAULT_PART_SIZE) },
  { "file-mode", "File mode",
      "Permissions of the files, as in 0640 (octal), whatever the umask; the "
      "default, 0600, is for their owner alone",
      0, NULL,
      GST_OCT_UINT (Settings, file_mode, 0600, 0666, DEFAULT_FILE_MODE) },
  { "measurements", "Measurements",
      "Names of files with measurements that are written beside the recording, "
      "separated by semicolons; LOCATION.oct names them",
      0, NULL, GST_OCT_STRING (Settings, measurements) },
  { "frames", "Frames", "B-scans written so far, without those of `lost`",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Settings, stats.frames, 0, G_MAXUINT64, 0) },
  { "lost", "Lost",
      "B-scans in parts that were deleted, moved or replaced while "
      "recording",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Settings, stats.lost, 0, G_MAXUINT64, 0) },
  { "bytes", "Bytes", "Bytes of spectra written so far",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT64 (Settings, stats.bytes, 0, G_MAXUINT64, 0) },
  { "parts", "Parts", "Parts on the disk that have B-scans",
      GST_OCT_PROPERTY_READ_ONLY, NULL,
      GST_OCT_UINT (Settings, stats.parts, 0, G_MAXUINT, 0) },
  GST_OCT_CALIBRATION_ROWS (Settings, calibration, GST_OCT_PROPERTY_LIVE),
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

struct _GstOctRawSink {
  GstOctFileSink parent;

  /* under the object lock */
  Settings settings;
  OctRawWriter *writer;
  OctRawWriterStats stats; /* of the writer when it was closed */
  gboolean stale;          /* the text has to be written (again) */
  gboolean refused;        /* it has been said that the calibration is wrong */

  /* streaming thread */
  GstOctInfo info;
  gboolean has_info;
  OctCalibration *upstream;
  guint32 refused_event; /* see gst_oct_calibration_event_take() */
  OctScanMask *mask;     /* from upstream, not recorded yet; or NULL */
  OctScanPlaces *places; /* the same of the scan path */
  gboolean places_told;  /* that they came late, or in time */
  gboolean mask_told;    /* that it has changed */
  OctRecordingInfo recording;
  gint fps_n, fps_d;
  GstClockTime last;      /* time stamp of the buffer before */
  guint64 next_number;    /* after its B-scans, or NONE */
  guint last_count;       /* B-scans in it */
  gint64 described;       /* when the text was written last, monotonic */
  gboolean described_all; /* what is known of gaps and the calibration */
  gint64 looked;          /* after the files, monotonic */
  guint parts_seen;       /* how many there were then */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_OCT_CAPS_RAW));

G_DEFINE_TYPE (GstOctRawSink, gst_oct_raw_sink, GST_TYPE_OCT_FILE_SINK);
GST_OCT_REGISTER_DEFINE (
    octrawsink, "octrawsink", GST_RANK_NONE, GST_TYPE_OCT_RAW_SINK);

/* -------------------------------------------------------------------- start */

static gboolean
gst_oct_raw_sink_start (GstBaseSink *base)
{
  GstOctRawSink *self = GST_OCT_RAW_SINK (base);
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL;
  OctRawWriter *writer = NULL;
  guint64 part_size;
  guint file_mode;

  gst_oct_file_sink_begin (GST_OCT_FILE_SINK (self));
  self->refused_event = 0;
  GST_OBJECT_LOCK (self);
  name = g_strdup (self->settings.location);
  part_size = self->settings.part_size;
  oct_calibration_settings_forget_file (&self->settings.calibration);
  file_mode = self->settings.file_mode;
  g_clear_pointer (&self->recording.measurements, g_strfreev);
  if (self->settings.measurements != NULL)
    self->recording.measurements =
        g_strsplit (self->settings.measurements, ";", -1);
  GST_OBJECT_UNLOCK (self);
  if (name == NULL || *name == '\0') {
    g_set_error_literal (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "octrawsink has no name for the recording; set `location`");
  } else {
    if (g_str_has_suffix (name, OCT_RECORDING_SUFFIX))
      name[strlen (name) - strlen (OCT_RECORDING_SUFFIX)] = '\0';
    writer = oct_raw_writer_new (name, part_size, file_mode, &error);
  }
  if (writer == NULL) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->writer = writer;
  self->stats = (OctRawWriterStats){ 0 };
  self->stale = TRUE;
  GST_OBJECT_UNLOCK (self);
  self->last = GST_CLOCK_TIME_NONE;
  self->next_number = GST_BUFFER_OFFSET_NONE;
  self->described_all = TRUE;
  self->looked = 0;
  self->parts_seen = 0;
  return TRUE;
}

/* -------------------------------------------------------------- description */

static gboolean
gst_oct_raw_sink_set_caps (GstBaseSink *base, GstCaps *caps)
{
  GstOctRawSink *self = GST_OCT_RAW_SINK (base);
  g_autoptr (GError) error = NULL;
  GstOctInfo info;
  gint n = 0, d = 1;
  guint lines;

  if (!gst_oct_info_from_caps (&info, caps, &error)) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return FALSE;
  }
  lines = info.rows / info.bscans;
  if (self->has_info && !gst_oct_info_same_bscans (&info, &self->info)) {
    g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The spectra changed from %u lines of %u samples to %u of %u or to "
        "another format, which one recording cannot hold; begin a new one with "
        "another `location`",
        self->info.rows / self->info.bscans, self->info.columns, lines,
        info.columns);
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return FALSE;
  }
  gst_structure_get_fraction (
      gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  self->info = info;
  self->has_info = TRUE;
  self->recording.sample_format = info.format;
  self->recording.samples = info.columns;
  self->recording.lines = lines;
  self->recording.line_rate = (double)n / d * lines;
  self->recording.bscan_rate = 0.0;
  if (info.line_rate_n > 0) {
    self->recording.bscan_rate = (double)n / d;
    self->recording.line_rate = (double)info.line_rate_n / info.line_rate_d;
  }
  self->recording.repeats = info.repeats;
  self->recording.wavelength = info.wavelength;
  self->recording.k_clock = info.k_clock;
  self->fps_n = n;
  self->fps_d = d;
  return TRUE;
}

/* The own calibration, else the one from upstream; NULL without an error when
 * there is none. */
static OctCalibration *
raw_sink_make_calibration (GstOctRawSink *self, GError **error)
{
  OctCalibrationSettings settings;
  OctCalibration *calibration = NULL;

  /* a copy, as reading the file may take its time */
  GST_OBJECT_LOCK (self);
  oct_calibration_settings_copy (&settings, &self->settings.calibration);
  GST_OBJECT_UNLOCK (self);
  if (!oct_calibration_settings_empty (&settings)) {
    calibration = oct_calibration_new_on (
        self->upstream, &settings, self->info.columns, error);
    if (calibration == NULL)
      gst_oct_error_name_property (error, "`calibration` of octrawsink");
  } else if (self->upstream != NULL
             && oct_calibration_get_samples (self->upstream)
                    == self->info.columns) {
    calibration = oct_calibration_ref (self->upstream);
  }
  oct_calibration_settings_clear (&settings);
  return calibration;
}

/* One warning for each setting: what has been recorded is worth more. */
static void
raw_sink_refuse_calibration (GstOctRawSink *self, const GError *error)
{
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = self->refused;
  self->refused = TRUE;
  GST_OBJECT_UNLOCK (self);
  if (!known)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("%s The previous calibration stays.", error->message), (NULL));
}

/* An own calibration may be corrected at any time: the last one that fits, and
 * thus the best, holds for all of the recording. */
static gboolean
raw_sink_describe (GstOctRawSink *self, GError **error)
{
  OctRecordingInfo *recording = &self->recording;
  GError *local = NULL;
  OctCalibration *found = raw_sink_make_calibration (self, &local);

  if (local != NULL && oct_raw_writer_get_stats (self->writer).frames == 0) {
    g_propagate_error (error, local);
    return FALSE;
  }
  if (local != NULL) {
    raw_sink_refuse_calibration (self, local);
    g_error_free (local);
  } else {
    g_clear_pointer (&recording->calibration, oct_calibration_unref);
    recording->calibration = found;
  }
  self->described_all =
      oct_raw_writer_describe (self->writer, recording, error);
  if (self->described_all)
    self->described = g_get_monotonic_time ();
  return self->described_all;
}

/* Stores the values that only the first B-scan has. */
static void
raw_sink_begin (GstOctRawSink *self, GstBuffer *buffer)
{
  GstOctScanPosition position;

  self->recording.start_time = g_get_real_time ();
  self->recording.bscans = self->recording.first_bscan = 0;
  if (!gst_oct_scan_meta_get (buffer, &position) || position.bscans > G_MAXINT)
    return;
  self->recording.bscans = position.bscans;
  self->recording.first_bscan = position.bscan;
}

/* B-scans between the buffer of the time `last`, with `before` of them, and
 * this one, by the frame rate. */
static guint64
count_missing_by_time (
    GstOctRawSink *self, GstClockTime last, guint64 before, GstClockTime time)
{
  guint64 steps;

  if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (last)
      || time <= last || self->fps_n <= 0)
    return 0;
  steps = gst_util_uint64_scale_round (
      time - last, self->fps_n, self->fps_d * GST_SECOND);
  return steps - MIN (steps, before);
}

/* B-scans that never came before `frames`: by the numbers that a source gives
 * them, else by time.  Cameras are triggered at any time.  If the stream was
 * interrupted and the numbers go on all the same, only time tells. */
static void
find_gap (GstOctRawSink *self, GstBuffer *buffer, guint64 frames)
{
  guint64 number = GST_BUFFER_OFFSET (buffer), expected = self->next_number;
  guint64 missing = count_missing_by_time (
      self, self->last, self->last_count, GST_BUFFER_PTS (buffer));
  gboolean numbered;
  GstOctInfo there;

  gst_oct_info_of_buffer (&there, &self->info, buffer);
  numbered = number != GST_BUFFER_OFFSET_NONE
             && GST_BUFFER_OFFSET_END (buffer) == number + there.bscans;
  self->last = GST_BUFFER_PTS (buffer);
  self->last_count = there.bscans;
  self->next_number =
      numbered ? GST_BUFFER_OFFSET_END (buffer) : GST_BUFFER_OFFSET_NONE;
  if (numbered && expected != GST_BUFFER_OFFSET_NONE
      && (number > expected
          || (number == expected && !GST_BUFFER_IS_DISCONT (buffer))))
    missing = number - expected;
  if (missing == 0)
    return;
  oct_recording_info_add_gap (&self->recording, frames, missing);
  self->described_all = FALSE;
}

/* Returns what it was. */
static gboolean
set_stale (GstOctRawSink *self, gboolean stale)
{
  gboolean was;

  GST_OBJECT_LOCK (self);
  was = self->stale;
  self->stale = stale;
  GST_OBJECT_UNLOCK (self);
  return was;
}

/* Writes the text if it has to be written (again). */
static gboolean
keep_described (GstOctRawSink *self, GError **error)
{
  /* before: a calibration that is set while it is written comes next */
  gboolean stale = set_stale (self, FALSE);

  /* not for every gap, when the disk is slow anyway */
  if (!self->described_all
      && g_get_monotonic_time () - self->described > G_TIME_SPAN_SECOND)
    stale = TRUE;
  if (!stale || raw_sink_describe (self, error))
    return TRUE;
  (void)set_stale (self, TRUE);
  return FALSE;
}

/* Whether the own calibration is built on the one from upstream, or is none. */
static gboolean
needs_upstream (GstOctRawSink *self)
{
  OctCalibrationSettings alone;
  gboolean needs;

  GST_OBJECT_LOCK (self);
  alone = self->settings.calibration;
  alone.a2 = alone.a3 = 0.0;
  needs = oct_calibration_settings_empty (&alone);
  GST_OBJECT_UNLOCK (self);
  return needs;
}

/* The text has one calibration, that of the first B-scans.  A swept source may
 * have another one for every B-scan: the text says from where on it is not
 * right, and is not written for each of them. */
static void
take_upstream (GstOctRawSink *self, OctCalibration *calibration)
{
  guint64 frames =
      self->writer != NULL ? oct_raw_writer_get_stats (self->writer).frames : 0;

  if (self->upstream == NULL || frames == 0) {
    g_clear_pointer (&self->upstream, oct_calibration_unref);
    self->upstream = oct_calibration_ref (calibration);
    (void)set_stale (self, TRUE);
  } else if (self->recording.calibration_until == 0 && needs_upstream (self)
             && !oct_calibration_equal (self->upstream, calibration)) {
    self->recording.calibration_until = frames;
    self->described_all = FALSE;
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The calibration has changed at B-scan %" G_GUINT64_FORMAT
         ", but a recording holds one, which is that of the B-scans before; "
         "where it changes with every B-scan, as with the k-clock of a swept "
         "source, record the k-clock too and send it when this is played.",
            frames),
        (NULL));
  }
}

/* A mask that comes late is taken for that of all B-scans, as these are the
 * same in number of A-lines. */
static void
raw_sink_tell_mask (GstOctRawSink *self, guint64 frames)
{
  if (self->recording.masks->len == 1) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The scan mask has come with B-scan %" G_GUINT64_FORMAT
         " alone; the recording says that it is that of the B-scans before, "
         "too.",
            frames),
        (NULL));
  } else if (!self->mask_told) {
    GST_ELEMENT_INFO (self, STREAM, FORMAT,
        ("The scan mask has changed at B-scan %" G_GUINT64_FORMAT
         "; the recording keeps each with the B-scans that it holds for.",
            frames),
        (NULL));
    self->mask_told = TRUE;
  }
}

/* With the next B-scan: files of masks are there before a text names them. */
static gboolean
take_mask (GstOctRawSink *self, GError **error)
{
  guint64 frames = oct_raw_writer_get_stats (self->writer).frames;
  guint number;

  if (self->mask == NULL)
    return TRUE;
  if (!oct_raw_writer_add_mask (self->writer, self->mask, &number, error))
    return FALSE;
  if (!oct_recording_info_set_mask (&self->recording, frames, number)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The scan mask has changed more than %d times, which one recording "
        "cannot hold; begin a new one with another `location`",
        OCT_RECORDING_MAX_MASK_CHANGES);
    return FALSE;
  }
  g_clear_pointer (&self->mask, oct_scan_mask_unref);
  self->described_all = FALSE;
  /* the first one does not wait */
  if (self->recording.masks->len == 1)
    self->described = 0;
  if (frames > 0)
    raw_sink_tell_mask (self, frames);
  return TRUE;
}

/* The same of the places of A-lines. */
static gboolean
take_places (GstOctRawSink *self, GError **error)
{
  guint64 frames = oct_raw_writer_get_stats (self->writer).frames;
  guint lines = self->info.rows / self->info.bscans;
  g_autoptr (OctScanPlaces) places = g_steal_pointer (&self->places);

  if (places == NULL)
    return TRUE;
  if (places->lines != lines) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The scan path has B-scans of %u A-lines, but those that come have "
         "%u; it is not recorded, send that of this scan.",
            places->lines, lines),
        (NULL));
    return TRUE;
  }
  if (!oct_raw_writer_set_places (self->writer, places, error))
    return FALSE;
  if (frames > 0 && !self->places_told)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The scan path has come with B-scan %" G_GUINT64_FORMAT
         " alone; the recording says that it is that of the B-scans before, "
         "too.",
            frames),
        (NULL));
  self->places_told = TRUE;
  return TRUE;
}

static gboolean
gst_oct_raw_sink_event (GstBaseSink *base, GstEvent *event)
{
  GstOctRawSink *self = GST_OCT_RAW_SINK (base);
  OctCalibration *calibration = NULL;
  OctScanMask *mask = gst_oct_scan_mask_event_parse (event);
  OctScanPlaces *places =
      gst_oct_scan_path_event_take (event, GST_ELEMENT (self));

  if (mask != NULL) {
    g_clear_pointer (&self->mask, oct_scan_mask_unref);
    self->mask = mask;
  }
  if (places != NULL) {
    g_clear_pointer (&self->places, oct_scan_places_unref);
    self->places = places;
  }
  if (!gst_oct_calibration_event_take (
          GST_ELEMENT (self), &event, &self->refused_event, &calibration))
    return FALSE;
  if (calibration != NULL) {
    take_upstream (self, calibration);
    oct_calibration_unref (calibration);
  }
  return GST_BASE_SINK_CLASS (gst_oct_raw_sink_parent_class)
      ->event (base, event);
}

/* -------------------------------------------------------- parts that are gone
 */

/* `more`: parts besides the one of `loss`. */
static void
warn_of_loss (
    GstOctRawSink *self, const OctRawLoss *loss, guint more, guint64 frames)
{
  g_autofree char *name = g_filename_display_name (loss->path);
  g_autofree char *others =
      more > 0 ? g_strdup_printf (" and %u more", more) : g_strdup ("");

  GST_ELEMENT_WARNING (self, RESOURCE, NOT_FOUND,
      ("The file '%s'%s was deleted, moved, replaced or cut off while "
       "recording, and %" G_GUINT64_FORMAT
       " B-scans of the recording are gone with it%s.",
          name, others, frames,
          loss->current ? "; the recording goes on in a new part" : ""),
      (NULL));
}

/* The recording is what is there.  FALSE when so many parts are gone that the
 * text cannot say so. */
static gboolean
find_losses (GstOctRawSink *self, gboolean goes_on, GError **error)
{
  OctRawLoss first = { 0 }, loss;
  guint64 frames = 0;
  guint count = 0;
  gboolean ok = TRUE;

  while (ok && oct_raw_writer_check (self->writer, &loss)) {
    ok = oct_recording_info_lose_part (
        &self->recording, loss.part, loss.first, loss.frames);
    frames += loss.frames;
    loss.current &= goes_on;
    if (count++ == 0) {
      first = loss;
    } else {
      first.current |= loss.current;
      g_free (loss.path);
    }
  }
  if (count > 0) {
    warn_of_loss (self, &first, count - 1, frames);
    self->described_all = FALSE;
    self->described = 0;
  }
  g_free (first.path);
  if (!ok)
    g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
        "More than %d parts of the recording are gone; look who deletes them "
        "and set `location` to another name",
        OCT_RECORDING_MAX_LOST_PARTS);
  return ok;
}

/* Every now and then: whether the files are where they were written. */
static gboolean
raw_sink_look_after_files (GstOctRawSink *self, GError **error)
{
  gint64 time = g_get_monotonic_time ();
  guint parts = oct_raw_writer_get_stats (self->writer).parts;

  if (time - self->looked < LOOK_TIME && parts == self->parts_seen)
    return TRUE;
  self->looked = time;
  if (!find_losses (self, TRUE, error))
    return FALSE;
  self->parts_seen = oct_raw_writer_get_stats (self->writer).parts;
  if (oct_raw_writer_has_text (self->writer))
    return TRUE;
  return raw_sink_describe (self, error);
}

/* ------------------------------------------------------------------ B-scans */

/* Which of the `count` A-lines are there, to be freed; NULL: all.  With the first
 * one that is lost the text says so, at once. */
static guint8 *
raw_sink_find_valid (GstOctRawSink *self, GstBuffer *buffer, guint count)
{
  guint8 *valid;

  if (gst_oct_scan_meta_count_lost (buffer, count) == 0)
    return NULL;
  valid = g_malloc (count);
  (void)gst_oct_scan_meta_get_valid (buffer, valid, count);
  if (!self->recording.lost_lines) {
    self->recording.lost_lines = TRUE;
    self->described_all = FALSE;
    self->described = 0;
  }
  return valid;
}

static gboolean
raw_sink_append (GstOctRawSink *self, GstBuffer *buffer, GError **error)
{
  guint lines = self->info.rows / self->info.bscans;
  g_autofree guint8 *valid = NULL;
  GstOctMappedFrame mapped;
  gboolean ok = TRUE;
  GstOctInfo there;
  guint i;

  gst_oct_info_of_buffer (&there, &self->info, buffer);
  valid = raw_sink_find_valid (self, buffer, there.rows);
  if (!gst_oct_frame_map (&mapped, &there, buffer, GST_MAP_READ, error))
    return FALSE;
  for (i = 0; ok && i < there.bscans; i++) {
    OctFrame bscan = oct_frame_get_bscan (&mapped.frame, i, lines, 0);

    ok = oct_raw_writer_append (self->writer, bscan.planes[0].data,
        bscan.planes[0].stride, valid != NULL ? valid + i * lines : NULL,
        error);
  }
  gst_oct_frame_unmap (&mapped);
  return ok;
}

static GstFlowReturn
gst_oct_raw_sink_render (GstBaseSink *base, GstBuffer *buffer)
{
  GstOctRawSink *self = GST_OCT_RAW_SINK (base);
  g_autoptr (GError) error = NULL;
  OctRawWriterStats stats;

  if (!raw_sink_look_after_files (self, &error)) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return GST_FLOW_ERROR;
  }
  stats = oct_raw_writer_get_stats (self->writer);
  if (stats.frames + stats.lost == 0)
    raw_sink_begin (self, buffer);
  if (!take_mask (self, &error) || !take_places (self, &error)
      || !keep_described (self, &error)
      || !raw_sink_append (self, buffer, &error)) {
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
    return GST_FLOW_ERROR;
  }
  find_gap (self, buffer, stats.frames);
  return GST_FLOW_OK;
}

/* --------------------------------------------------------------------- stop */

/* Where all is gone, the text too, nothing is left to be described. */
static gboolean
finish_text (GstOctRawSink *self, GError **error)
{
  gboolean has_text = oct_raw_writer_has_text (self->writer);
  guint64 frames = oct_raw_writer_get_stats (self->writer).frames;

  if (!has_text && frames == 0)
    return TRUE;
  /* a calibration that was set after the last B-scan */
  if (frames > 0 && set_stale (self, FALSE))
    self->described_all = FALSE;
  return (has_text && self->described_all) || raw_sink_describe (self, error);
}

/* Written data are on the disk when the state has changed. */
static gboolean
gst_oct_raw_sink_stop (GstBaseSink *base)
{
  GstOctRawSink *self = GST_OCT_RAW_SINK (base);
  g_autoptr (GError) error = NULL;
  OctRawWriter *writer;

  if (self->writer != NULL
      && (!find_losses (self, FALSE, &error) || !finish_text (self, &error)))
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
  GST_OBJECT_LOCK (self);
  writer = g_steal_pointer (&self->writer);
  if (writer != NULL)
    self->stats = oct_raw_writer_get_stats (writer);
  GST_OBJECT_UNLOCK (self);
  if (writer != NULL && !oct_raw_writer_close (writer, &error))
    gst_oct_file_sink_fail (GST_OCT_FILE_SINK (self), &error);
  g_clear_pointer (&self->upstream, oct_calibration_unref);
  g_clear_pointer (&self->mask, oct_scan_mask_unref);
  g_clear_pointer (&self->places, oct_scan_places_unref);
  self->mask_told = self->places_told = FALSE;
  oct_recording_info_clear (&self->recording);
  self->has_info = FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------- object */

/* The calibration can be set while it records. */
static void
raw_sink_changed (GObject *object, const GstOctProperty *row)
{
  GstOctRawSink *self = GST_OCT_RAW_SINK (object);

  if ((row->flags & GST_OCT_PROPERTY_LIVE) != 0) {
    self->stale = TRUE;
    self->refused = FALSE;
  }
}

static void
raw_sink_refresh (GObject *object)
{
  GstOctRawSink *self = GST_OCT_RAW_SINK (object);

  self->settings.stats = self->writer != NULL
                             ? oct_raw_writer_get_stats (self->writer)
                             : self->stats;
}

static const GstOctHolder holder = {
  .properties = &properties,
  .offset = G_STRUCT_OFFSET (GstOctRawSink, settings),
  .changed = raw_sink_changed,
  .refresh = raw_sink_refresh,
};

static void
gst_oct_raw_sink_finalize (GObject *object)
{
  gst_oct_properties_clear (&properties, &GST_OCT_RAW_SINK (object)->settings);
  G_OBJECT_CLASS (gst_oct_raw_sink_parent_class)->finalize (object);
}

static void
gst_oct_raw_sink_class_init (GstOctRawSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_raw_sink_debug, "octrawsink", 0, "OCT raw sink");
  object_class->finalize = gst_oct_raw_sink_finalize;
  gst_oct_holder_install (&holder, object_class, 1);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "OCT raw sink",
      "Sink/File", "Records raw OCT spectra without loss",
      "The gst-oct developers");
  base_class->start = gst_oct_raw_sink_start;
  base_class->stop = gst_oct_raw_sink_stop;
  base_class->set_caps = gst_oct_raw_sink_set_caps;
  base_class->event = gst_oct_raw_sink_event;
  base_class->render = gst_oct_raw_sink_render;
}

static void
gst_oct_raw_sink_init (GstOctRawSink *self)
{
  gst_oct_properties_init (&properties, &self->settings);
}
