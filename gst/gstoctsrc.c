/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octsrc
 *
 * Delivers raw spectra, one B-scan per buffer: from a raw or NumPy file, or
 * from a virtual OCT system looking at a simulated sample.
 *
 * |[
 * gst-launch-1.0 octsrc ! octdcsub ! octkresample ! octdispersion ! octfft ! octlogscale ! videoconvert ! autovideosink
 * gst-launch-1.0 octsrc location=scan.raw samples=1024 lines=500 calibration=cal.csv ! octdcsub ! octkresample ! octfft ! octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctsrc.h"
#include "gstoctbackend.h"
#include "gstoctcalibration.h"
#include "gstoctcaps.h"
#include "gstocterror.h"
#include "gstoctinput.h"
#include "gstoctscanmeta.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_src_debug);
#define GST_CAT_DEFAULT gst_oct_src_debug

#define DEFAULT_FRAMERATE 30
#define DEFAULT_NOISE 1.0
#define DEFAULT_DEPTH 0.5e-3
#define DEFAULT_SEED 1

/* How late a live source may be before it drops B-scans, as a camera with a
 * small ring of buffers would. */
#define LIVE_TOLERANCE (100 * GST_MSECOND)

struct _GstOctSrc {
  GstPushSrc parent;

  /* properties, under the object lock */
  char *location;
  gboolean preload, loop;
  OctReaderSettings reader;
  OctPhantomSettings phantom;
  double line_rate;
  OctCalibrationSettings calibration_settings;
  GstOctBackendChoice backend;
  gint cuda_device_id;
  gint calibration_stale; /* atomic */

  /* streaming thread, from start to stop */
  GstOctInput *input;
  GstOctInfo info;
  gint fps_n, fps_d;
  gboolean downstream_strides; /* takes any stride (GstVideoMeta) */
  guint64 next;                /* B-scan to deliver, counted through loops */
  guint64 stop;                /* first B-scan not to deliver */
  gboolean discont;

  /* under the object lock */
  guint64 frames, dropped;
};

enum {
  PROP_0,
  PROP_LOCATION,
  PROP_FORMAT,
  PROP_SAMPLES,
  PROP_LINES,
  PROP_BSCANS,
  PROP_SAMPLE_FORMAT,
  PROP_HEADER_SIZE,
  PROP_LOOP,
  PROP_LINE_RATE,
  PROP_IS_LIVE,
  PROP_PRELOAD,
  PROP_PHANTOM,
  PROP_DEPTH,
  PROP_NOISE,
  PROP_SEED,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_FRAMES,
  PROP_DROPPED,
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_OCT_CAPS_RAW
        "; " GST_OCT_CAPS_SPECTRA ("F32LE", "wavelength")));

G_DEFINE_TYPE (GstOctSrc, gst_oct_src, GST_TYPE_PUSH_SRC);
GST_ELEMENT_REGISTER_DEFINE (
    octsrc, "octsrc", GST_RANK_NONE, GST_TYPE_OCT_SRC);

#define GST_TYPE_OCT_FILE_FORMAT (file_format_get_type ())
static GType
file_format_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_FILE_AUTO, "By the content of the file", "auto" },
    { OCT_FILE_RAW, "Flat samples after a header of `header-size`", "raw" },
    { OCT_FILE_NPY, "NumPy array of 1, 2 or 3 dimensions", "npy" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctFileFormat", values));
  return type;
}

#define GST_TYPE_OCT_SAMPLE_FORMAT (sample_format_get_type ())
static GType
sample_format_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_SAMPLE_U16, "Unsigned 16 bit, little endian", "gray16-le" },
    { OCT_SAMPLE_U8, "Unsigned 8 bit", "gray8" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctSampleFormat", values));
  return type;
}

#define GST_TYPE_OCT_PHANTOM (phantom_get_type ())
static GType
phantom_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_PHANTOM_LAYERS, "Layered, moving tissue and an instrument tip",
        "layers" },
    { OCT_PHANTOM_MIRROR, "A mirror at `depth`", "mirror" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctPhantom", values));
  return type;
}

/* --------------------------------------------------------------------- time */

/* Start of B-scan `n`. */
static GstClockTime
frame_time (GstOctSrc *self, guint64 n)
{
  return gst_util_uint64_scale (n, GST_SECOND * self->fps_d, self->fps_n);
}

/* The B-scan that is being taken at `time`; `round_up`: the first that starts
 * at or after it. */
static guint64
frame_at (GstOctSrc *self, GstClockTime time, gboolean round_up)
{
  guint64 scale = GST_SECOND * self->fps_d;

  /* start times were rounded down to nanoseconds: one more brings them back
   * to the B-scan that they start */
  return round_up ? gst_util_uint64_scale_ceil (time, self->fps_n, scale)
                  : gst_util_uint64_scale (time + 1, self->fps_n, scale);
}

static guint64
count_frames (GstOctSrc *self)
{
  return self->loop ? G_MAXUINT64 : gst_oct_input_get_info (self->input)->frames;
}

/* --------------------------------------------------------------------- caps */

static void
set_framerate (GstOctSrc *self, guint lines, GstStructure *s)
{
  gint n, d;

  if (self->line_rate > 0.0) {
    gst_util_double_to_fraction (self->line_rate / lines, &n, &d);
    gst_structure_set (s, "framerate", GST_TYPE_FRACTION, MAX (n, 1), d, NULL);
  } else {
    gst_structure_set (s, "framerate", GST_TYPE_FRACTION_RANGE, 1, G_MAXINT,
        G_MAXINT, 1, NULL);
  }
}

static GstCaps *
get_caps (GstBaseSrc *base, GstCaps *filter)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  GstStructure *s;
  GstCaps *caps, *both;

  GST_OBJECT_LOCK (self);
  if (self->input == NULL) {
    caps = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (base));
  } else {
    const OctReaderInfo *info = gst_oct_input_get_info (self->input);

    if (info->sample_format == OCT_SAMPLE_F32)
      s = gst_structure_new (GST_OCT_SPECTRA_NAME, "format", G_TYPE_STRING,
          "F32LE", "axis", G_TYPE_STRING, "wavelength", "samples", G_TYPE_INT,
          info->samples, "lines", G_TYPE_INT, info->lines, NULL);
    else
      s = gst_structure_new ("video/x-raw", "format", G_TYPE_STRING,
          info->sample_format == OCT_SAMPLE_U8 ? "GRAY8" : "GRAY16_LE", "width",
          G_TYPE_INT, info->samples, "height", G_TYPE_INT, info->lines, NULL);
    set_framerate (self, info->lines, s);
    caps = gst_caps_new_full (s, NULL);
  }
  GST_OBJECT_UNLOCK (self);
  if (filter == NULL)
    return caps;
  both = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return both;
}

static GstCaps *
fixate (GstBaseSrc *base, GstCaps *caps)
{
  caps = gst_caps_make_writable (caps);
  gst_structure_fixate_field_nearest_fraction (
      gst_caps_get_structure (caps, 0), "framerate", DEFAULT_FRAMERATE, 1);
  return GST_BASE_SRC_CLASS (gst_oct_src_parent_class)->fixate (base, caps);
}

static gboolean
set_caps (GstBaseSrc *base, GstCaps *caps)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  g_autoptr (GError) error = NULL;
  gint n = 0, d = 1;

  if (!gst_oct_info_from_caps (&self->info, caps, &error)) {
    gst_oct_element_error (GST_ELEMENT (self), &error);
    return FALSE;
  }
  gst_structure_get_fraction (
      gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  self->fps_n = n > 0 ? n : DEFAULT_FRAMERATE;
  self->fps_d = n > 0 ? d : 1;
  gst_base_src_set_blocksize (base, self->info.size);
  return TRUE;
}

static gboolean
decide_allocation (GstBaseSrc *base, GstQuery *query)
{
  GstOctSrc *self = GST_OCT_SRC (base);

  self->downstream_strides
      = gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_BASE_SRC_CLASS (gst_oct_src_parent_class)
      ->decide_allocation (base, query);
}

/* -------------------------------------------------------------- start, stop */

static void
warn_about_leftover (GstOctSrc *self)
{
  const OctReaderInfo *info = gst_oct_input_get_info (self->input);
  gsize frame = (gsize) info->samples * info->lines
      * oct_sample_format_size (info->sample_format);

  if (info->leftover_bytes == 0)
    return;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The file '%s' holds %" G_GUINT64_FORMAT
       " whole B-scans and %" G_GUINT64_FORMAT
       " bytes that are no whole B-scan (%" G_GSIZE_FORMAT
       " bytes); the whole ones are used, check `samples`, `lines` and "
       "`header-size`.",
          self->location, info->frames, info->leftover_bytes, frame),
      (NULL));
}

static gboolean
start (GstBaseSrc *base)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  g_autoptr (GError) error = NULL;
  GstOctInputSettings settings = { .location = self->location,
    .preload = self->preload,
    .reader = self->reader,
    .phantom = self->phantom };
  GstOctInput *input;

  settings.phantom.samples = self->reader.samples;
  settings.phantom.lines = self->reader.lines;
  settings.phantom.bscans = self->reader.bscans;
  settings.phantom.sample_format = self->reader.sample_format;
  if (gst_oct_backend_choose (self->backend, self->cuda_device_id, &error)
      == NULL)
    goto failed;
  if (gst_base_src_is_live (base) && self->line_rate <= 0.0) {
    g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "is-live=true needs the rate of the camera; set `line-rate` in "
        "A-lines per second.");
    goto failed;
  }
  input = gst_oct_input_open (&settings, &error);
  if (input == NULL)
    goto failed;
  GST_OBJECT_LOCK (self);
  self->input = input;
  self->frames = self->dropped = 0;
  GST_OBJECT_UNLOCK (self);
  self->fps_n = 0;
  self->next = 0;
  self->stop = G_MAXUINT64;
  self->discont = TRUE;
  g_atomic_int_set (&self->calibration_stale, TRUE);
  warn_about_leftover (self);
  return TRUE;

failed:
  gst_oct_element_error (GST_ELEMENT (self), &error);
  return FALSE;
}

static gboolean
stop (GstBaseSrc *base)
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
  return TRUE;
}

/* ------------------------------------------------------------------ B-scans */

/* Tells the elements behind which calibration holds: the user's, else the one
 * that the input carries. */
static gboolean
send_calibration (GstOctSrc *self, GError **error)
{
  g_autoptr (OctCalibration) calibration = NULL;
  GError *local = NULL;

  GST_OBJECT_LOCK (self);
  if (!oct_calibration_settings_empty (&self->calibration_settings)) {
    calibration = oct_calibration_new (
        &self->calibration_settings, self->info.columns, &local);
  } else {
    calibration = gst_oct_input_get_calibration (self->input);
    if (calibration != NULL)
      oct_calibration_ref (calibration);
  }
  GST_OBJECT_UNLOCK (self);
  if (local != NULL) {
    g_propagate_error (error, local);
    return FALSE;
  }
  if (calibration != NULL)
    gst_pad_push_event (GST_BASE_SRC_PAD (self),
        gst_oct_calibration_event_new (calibration));
  return TRUE;
}

/* A camera does not wait: what was not fetched in time is gone. */
static void
drop_late_frames (GstOctSrc *self)
{
  GstBaseSrc *base = GST_BASE_SRC (self);
  GstClock *clock;
  GstClockTime now, base_time, ready;
  guint64 due;

  if (!gst_base_src_is_live (base)
      || (clock = gst_element_get_clock (GST_ELEMENT (self))) == NULL)
    return;
  base_time = gst_element_get_base_time (GST_ELEMENT (self));
  now = gst_clock_get_time (clock);
  gst_object_unref (clock);
  ready = gst_segment_to_running_time (
      &base->segment, GST_FORMAT_TIME, frame_time (self, self->next + 1));
  if (!GST_CLOCK_TIME_IS_VALID (now) || !GST_CLOCK_TIME_IS_VALID (ready)
      || now < base_time || now - base_time <= ready + LIVE_TOLERANCE)
    return;
  due = frame_at (self,
      frame_time (self, self->next + 1) + (now - base_time - ready), FALSE);
  due = MIN (due, self->stop);
  if (due > self->next + 1) {
    guint64 lost = due - 1 - self->next;
    GstMessage *message;

    GST_OBJECT_LOCK (self);
    self->dropped += lost;
    GST_WARNING_OBJECT (self,
        "too slow for the line rate, dropped %" G_GUINT64_FORMAT
        " B-scans, %" G_GUINT64_FORMAT " so far",
        lost, self->dropped);
    message = gst_message_new_qos (GST_OBJECT (self), TRUE, now - base_time,
        GST_CLOCK_TIME_NONE, frame_time (self, self->next),
        frame_time (self, due - 1) - frame_time (self, self->next));
    gst_message_set_qos_stats (
        message, GST_FORMAT_BUFFERS, self->frames, self->dropped);
    GST_OBJECT_UNLOCK (self);
    gst_element_post_message (GST_ELEMENT (self), message);
    self->next += lost;
    self->discont = TRUE;
  }
}

static gboolean
fill_buffer (GstOctSrc *self, guint64 frame, GstBuffer *buffer, gsize stride,
    GError **error)
{
  GstMapInfo map;
  gboolean ok;

  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "A buffer for one B-scan cannot be written to.");
    return FALSE;
  }
  ok = gst_oct_input_read (self->input, frame, map.data, stride, error);
  gst_buffer_unmap (buffer, &map);
  return ok;
}

static void
add_video_meta (GstOctSrc *self, GstBuffer *buffer, gint stride)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 };
  gint strides[GST_VIDEO_MAX_PLANES] = { stride };

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&self->info.video), self->info.columns,
      self->info.rows, 1, offsets, strides);
}

/* A buffer with B-scan `frame`: the memory where the input holds it already,
 * else read into memory of the pool. */
static GstFlowReturn
make_buffer (
    GstOctSrc *self, guint64 frame, GstBuffer **buffer, GError **error)
{
  gsize tight = gst_oct_info_row_size (&self->info);
  gsize stride = self->info.is_video
      ? (gsize) GST_VIDEO_INFO_PLANE_STRIDE (&self->info.video, 0)
      : tight;
  gboolean padded = stride != tight;
  GstMemory *memory = NULL;
  GstFlowReturn ret = GST_FLOW_OK;

  if (!padded || self->downstream_strides)
    memory = gst_oct_input_get_memory (self->input, frame);
  if (memory != NULL) {
    *buffer = gst_buffer_new ();
    gst_buffer_append_memory (*buffer, memory);
    if (padded)
      add_video_meta (self, *buffer, tight);
    return GST_FLOW_OK;
  }
  ret = GST_BASE_SRC_CLASS (gst_oct_src_parent_class)
            ->alloc (GST_BASE_SRC (self), 0, self->info.size, buffer);
  if (ret != GST_FLOW_OK)
    return ret;
  if (!fill_buffer (self, frame, *buffer, stride, error)) {
    gst_clear_buffer (buffer);
    return GST_FLOW_ERROR;
  }
  return GST_FLOW_OK;
}

static void
stamp (GstOctSrc *self, GstBuffer *buffer, guint64 n, guint64 frame)
{
  const OctReaderInfo *info = gst_oct_input_get_info (self->input);
  /* volumes of one pass over a file, the last one may be a part */
  guint64 volumes = info->frames == G_MAXUINT64
      ? 0
      : (info->frames + info->bscans - 1) / info->bscans;
  guint64 pass = volumes != 0 ? n / info->frames : 0;

  GST_BUFFER_PTS (buffer) = frame_time (self, n);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = frame_time (self, n + 1) - frame_time (self, n);
  GST_BUFFER_OFFSET (buffer) = n;
  GST_BUFFER_OFFSET_END (buffer) = n + 1;
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  gst_buffer_add_oct_scan_meta (buffer, frame % info->bscans, info->bscans,
      pass * volumes + frame / info->bscans);
}

static GstFlowReturn
create (GstPushSrc *push, GstBuffer **buffer)
{
  GstOctSrc *self = GST_OCT_SRC (push);
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret;
  guint64 frame;

  if (g_atomic_int_compare_and_exchange (&self->calibration_stale, TRUE, FALSE)
      && !send_calibration (self, &error)) {
    gst_oct_element_error (GST_ELEMENT (self), &error);
    return GST_FLOW_ERROR;
  }
  drop_late_frames (self);
  if (self->next >= MIN (self->stop, count_frames (self)))
    return GST_FLOW_EOS;
  frame = self->next % gst_oct_input_get_info (self->input)->frames;
  ret = make_buffer (self, frame, buffer, &error);
  if (error != NULL)
    gst_oct_element_error (GST_ELEMENT (self), &error);
  if (ret != GST_FLOW_OK)
    return ret;
  stamp (self, *buffer, self->next, frame);
  self->next++;
  GST_OBJECT_LOCK (self);
  self->frames++;
  GST_OBJECT_UNLOCK (self);
  return GST_FLOW_OK;
}

/* ---------------------------------------------------------- seeking, timing */

static void
get_times (GstBaseSrc *base, GstBuffer *buffer, GstClockTime *start,
    GstClockTime *end)
{
  *start = *end = GST_CLOCK_TIME_NONE;
  /* a camera delivers a B-scan when its last A-line was taken */
  if (gst_base_src_is_live (base))
    *start = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
}

static gboolean
is_seekable (GstBaseSrc *base)
{
  return !gst_base_src_is_live (base);
}

static gboolean
convert (GstOctSrc *self, GstFormat from, gint64 value, GstFormat to,
    gint64 *result)
{
  if (self->fps_n == 0)
    return FALSE;
  if (from == to || value == -1)
    *result = value;
  else if (from == GST_FORMAT_DEFAULT && to == GST_FORMAT_TIME)
    *result = frame_time (self, value);
  else if (from == GST_FORMAT_TIME && to == GST_FORMAT_DEFAULT)
    *result = frame_at (self, value, FALSE);
  else
    return FALSE;
  return TRUE;
}

/* Seeks by B-scan numbers become seeks by time, the format of the segment. */
static gboolean
prepare_seek_segment (GstBaseSrc *base, GstEvent *seek, GstSegment *segment)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  gdouble rate;
  GstFormat format;
  GstSeekFlags flags;
  GstSeekType start_type, stop_type;
  gint64 start, stop;

  gst_event_parse_seek (
      seek, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  if (rate <= 0.0) {
    GST_WARNING_OBJECT (self, "spectra are played forwards only");
    return FALSE;
  }
  if (!convert (self, format, start, GST_FORMAT_TIME, &start)
      || !convert (self, format, stop, GST_FORMAT_TIME, &stop))
    return FALSE;
  gst_segment_init (segment, GST_FORMAT_TIME);
  if (count_frames (self) != G_MAXUINT64)
    segment->duration = frame_time (self, count_frames (self));
  return gst_segment_do_seek (segment, rate, GST_FORMAT_TIME, flags, start_type,
      start, stop_type, stop, NULL);
}

static gboolean
do_seek (GstBaseSrc *base, GstSegment *segment)
{
  GstOctSrc *self = GST_OCT_SRC (base);

  /* the first seek, at the start, comes before any caps */
  if (self->fps_n == 0) {
    self->next = 0;
    self->stop = G_MAXUINT64;
    return segment->start == 0;
  }
  self->next = frame_at (self, segment->position, FALSE);
  self->stop = GST_CLOCK_TIME_IS_VALID (segment->stop)
      ? frame_at (self, segment->stop, TRUE)
      : G_MAXUINT64;
  self->discont = TRUE;
  GST_DEBUG_OBJECT (self, "next B-scan %" G_GUINT64_FORMAT, self->next);
  return TRUE;
}

static gboolean
query (GstBaseSrc *base, GstQuery *query)
{
  GstOctSrc *self = GST_OCT_SRC (base);
  GstFormat from, to;
  gint64 value, result;
  GstClockTime duration;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONVERT:
      gst_query_parse_convert (query, &from, &value, &to, NULL);
      if (!convert (self, from, value, to, &result))
        return FALSE;
      gst_query_set_convert (query, from, value, to, result);
      return TRUE;
    case GST_QUERY_DURATION:
      gst_query_parse_duration (query, &to, NULL);
      GST_OBJECT_LOCK (self);
      value = self->input != NULL && count_frames (self) != G_MAXUINT64
          ? (gint64) count_frames (self)
          : -1;
      GST_OBJECT_UNLOCK (self);
      if (value == -1
          || !convert (self, GST_FORMAT_DEFAULT, value, to, &result))
        return FALSE;
      gst_query_set_duration (query, to, result);
      return TRUE;
    case GST_QUERY_POSITION:
      gst_query_parse_position (query, &to, NULL);
      if (!convert (self, GST_FORMAT_DEFAULT, self->next, to, &result))
        return FALSE;
      gst_query_set_position (query, to, result);
      return TRUE;
    case GST_QUERY_LATENCY:
      if (!gst_base_src_is_live (base) || self->fps_n == 0)
        break;
      duration = frame_time (self, 1);
      gst_query_set_latency (query, TRUE, duration, duration + LIVE_TOLERANCE);
      return TRUE;
    default:
      break;
  }
  return GST_BASE_SRC_CLASS (gst_oct_src_parent_class)->query (base, query);
}

/* ------------------------------------------------------------------- object */

static void
set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctSrc *self = GST_OCT_SRC (object);

  if (id == PROP_IS_LIVE) {
    gst_base_src_set_live (GST_BASE_SRC (self), g_value_get_boolean (value));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LOCATION:
      g_free (self->location);
      self->location = g_value_dup_string (value);
      if (self->location != NULL && *self->location == '\0')
        g_clear_pointer (&self->location, g_free);
      break;
    case PROP_FORMAT:
      self->reader.format = g_value_get_enum (value);
      break;
    case PROP_SAMPLES:
      self->reader.samples = g_value_get_uint (value);
      break;
    case PROP_LINES:
      self->reader.lines = g_value_get_uint (value);
      break;
    case PROP_BSCANS:
      self->reader.bscans = g_value_get_uint (value);
      break;
    case PROP_SAMPLE_FORMAT:
      self->reader.sample_format = g_value_get_enum (value);
      break;
    case PROP_HEADER_SIZE:
      self->reader.header_size = g_value_get_uint64 (value);
      break;
    case PROP_LOOP:
      self->loop = g_value_get_boolean (value);
      break;
    case PROP_LINE_RATE:
      self->line_rate = g_value_get_double (value);
      break;
    case PROP_PRELOAD:
      self->preload = g_value_get_boolean (value);
      break;
    case PROP_PHANTOM:
      self->phantom.kind = g_value_get_enum (value);
      break;
    case PROP_DEPTH:
      self->phantom.depth = g_value_get_double (value);
      break;
    case PROP_NOISE:
      self->phantom.noise = g_value_get_double (value);
      break;
    case PROP_SEED:
      self->phantom.seed = g_value_get_uint (value);
      break;
    case PROP_BACKEND:
      self->backend = g_value_get_enum (value);
      break;
    case PROP_CUDA_DEVICE_ID:
      self->cuda_device_id = g_value_get_int (value);
      break;
    default:
      if (gst_oct_calibration_set_property (
              &self->calibration_settings, id, value))
        g_atomic_int_set (&self->calibration_stale, TRUE);
      else
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctSrc *self = GST_OCT_SRC (object);

  if (id == PROP_IS_LIVE) {
    g_value_set_boolean (value, gst_base_src_is_live (GST_BASE_SRC (self)));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LOCATION:
      g_value_set_string (value, self->location);
      break;
    case PROP_FORMAT:
      g_value_set_enum (value, self->reader.format);
      break;
    case PROP_SAMPLES:
      g_value_set_uint (value, self->reader.samples);
      break;
    case PROP_LINES:
      g_value_set_uint (value, self->reader.lines);
      break;
    case PROP_BSCANS:
      g_value_set_uint (value, self->reader.bscans);
      break;
    case PROP_SAMPLE_FORMAT:
      g_value_set_enum (value, self->reader.sample_format);
      break;
    case PROP_HEADER_SIZE:
      g_value_set_uint64 (value, self->reader.header_size);
      break;
    case PROP_LOOP:
      g_value_set_boolean (value, self->loop);
      break;
    case PROP_LINE_RATE:
      g_value_set_double (value, self->line_rate);
      break;
    case PROP_PRELOAD:
      g_value_set_boolean (value, self->preload);
      break;
    case PROP_PHANTOM:
      g_value_set_enum (value, self->phantom.kind);
      break;
    case PROP_DEPTH:
      g_value_set_double (value, self->phantom.depth);
      break;
    case PROP_NOISE:
      g_value_set_double (value, self->phantom.noise);
      break;
    case PROP_SEED:
      g_value_set_uint (value, self->phantom.seed);
      break;
    case PROP_BACKEND:
      g_value_set_enum (value, self->backend);
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, self->cuda_device_id);
      break;
    case PROP_FRAMES:
      g_value_set_uint64 (value, self->frames);
      break;
    case PROP_DROPPED:
      g_value_set_uint64 (value, self->dropped);
      break;
    default:
      if (!gst_oct_calibration_get_property (
              &self->calibration_settings, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
finalize (GObject *object)
{
  GstOctSrc *self = GST_OCT_SRC (object);

  g_free (self->location);
  oct_calibration_settings_clear (&self->calibration_settings);
  G_OBJECT_CLASS (gst_oct_src_parent_class)->finalize (object);
}

#define READY                                                                 \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void
install_file_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_LOCATION,
      g_param_spec_string ("location", "File",
          "Raw or .npy file of spectra (none = the virtual OCT system)", NULL,
          READY));
  g_object_class_install_property (klass, PROP_FORMAT,
      g_param_spec_enum ("format", "File format", "How the file is stored",
          GST_TYPE_OCT_FILE_FORMAT, OCT_FILE_AUTO, READY));
  g_object_class_install_property (klass, PROP_SAMPLES,
      g_param_spec_uint ("samples", "Samples",
          "Samples per A-line (0 = as the file says; virtual system: 2048)", 0,
          OCT_MAX_SAMPLES, 0, READY));
  g_object_class_install_property (klass, PROP_LINES,
      g_param_spec_uint ("lines", "Lines",
          "A-lines per B-scan (0 = as the file says; virtual system: 512)", 0,
          OCT_MAX_LINES, 0, READY));
  g_object_class_install_property (klass, PROP_BSCANS,
      g_param_spec_uint ("bscans", "B-scans",
          "B-scans per volume (0 = as the file says; virtual system: 256)", 0,
          G_MAXINT, 0, READY));
  g_object_class_install_property (klass, PROP_SAMPLE_FORMAT,
      g_param_spec_enum ("sample-format", "Sample format",
          "Stored samples of raw files and of the virtual system",
          GST_TYPE_OCT_SAMPLE_FORMAT, OCT_SAMPLE_U16, READY));
  g_object_class_install_property (klass, PROP_HEADER_SIZE,
      g_param_spec_uint64 ("header-size", "Header size",
          "Bytes before the first sample of a raw file", 0, G_MAXINT64, 0,
          READY));
  g_object_class_install_property (klass, PROP_LOOP,
      g_param_spec_boolean ("loop", "Loop",
          "Start again at the end of the file", FALSE, READY));
  g_object_class_install_property (klass, PROP_PRELOAD,
      g_param_spec_boolean ("preload", "Preload",
          "Hold the whole file in memory and deliver from there", FALSE,
          READY));
}

static void
install_other_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_LINE_RATE,
      g_param_spec_double ("line-rate", "Line rate",
          "A-lines per second, for time stamps and is-live (0 = as fast as "
          "possible, stamped as 30 B-scans per second)",
          0.0, 1e9, 0.0, READY));
  g_object_class_install_property (klass, PROP_IS_LIVE,
      g_param_spec_boolean ("is-live", "Live",
          "Deliver at the line rate and drop what is not fetched in time, as "
          "a camera does",
          FALSE, READY));
  g_object_class_install_property (klass, PROP_PHANTOM,
      g_param_spec_enum ("phantom", "Phantom",
          "What the virtual system looks at", GST_TYPE_OCT_PHANTOM,
          OCT_PHANTOM_LAYERS, READY));
  g_object_class_install_property (klass, PROP_DEPTH,
      g_param_spec_double ("depth", "Depth",
          "phantom=mirror: depth of the mirror in metres", 0.0, 1.0,
          DEFAULT_DEPTH, READY));
  g_object_class_install_property (klass, PROP_NOISE,
      g_param_spec_double ("noise", "Noise",
          "Virtual system: shot and read noise as a multiple of a real "
          "camera's (0 = none)",
          0.0, 1000.0, DEFAULT_NOISE, READY));
  g_object_class_install_property (klass, PROP_SEED,
      g_param_spec_uint ("seed", "Seed",
          "Virtual system: the same seed gives the same spectra", 0, G_MAXUINT,
          DEFAULT_SEED, READY));
  g_object_class_install_property (klass, PROP_FRAMES,
      g_param_spec_uint64 ("frames", "Frames", "B-scans delivered so far", 0,
          G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_DROPPED,
      g_param_spec_uint64 ("dropped", "Dropped frames",
          "B-scans that a live source had to drop so far", 0, G_MAXUINT64, 0,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_oct_backend_install_properties (
      klass, PROP_BACKEND, PROP_CUDA_DEVICE_ID);
  gst_oct_calibration_install_properties (klass, TRUE);
}

static void
gst_oct_src_class_init (GstOctSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_oct_src_debug, "octsrc", 0, "OCT source");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  install_file_properties (object_class);
  install_other_properties (object_class);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "OCT source",
      "Source/Video",
      "Delivers raw OCT spectra from a file or a virtual OCT system",
      "The gst-oct developers");
  base_class->get_caps = get_caps;
  base_class->fixate = fixate;
  base_class->set_caps = set_caps;
  base_class->decide_allocation = decide_allocation;
  base_class->start = start;
  base_class->stop = stop;
  base_class->get_times = get_times;
  base_class->is_seekable = is_seekable;
  base_class->prepare_seek_segment = prepare_seek_segment;
  base_class->do_seek = do_seek;
  base_class->query = query;
  GST_PUSH_SRC_CLASS (klass)->create = create;
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_FILE_FORMAT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_SAMPLE_FORMAT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_PHANTOM, 0);
}

static void
gst_oct_src_init (GstOctSrc *self)
{
  self->reader.sample_format = OCT_SAMPLE_U16;
  self->phantom.noise = DEFAULT_NOISE;
  self->phantom.depth = DEFAULT_DEPTH;
  self->phantom.seed = DEFAULT_SEED;
  self->cuda_device_id = -1;
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
