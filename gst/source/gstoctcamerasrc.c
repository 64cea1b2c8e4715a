/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octcamerasrc
 *
 * Delivers raw spectra of a GenICam camera (GigE Vision, USB3 Vision), one
 * frame per B-scan. A frame is never overwritten while an element still uses
 * it, and frames that are lost are counted.
 *
 * |[
 * gst-launch-1.0 octcamerasrc camera=Fake_1 num-buffers=50
 *   ! octreconstruct wavelength-min=790 wavelength-max=900
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctcamerasrc.h"
#include "gstoctbus.h"
#include "gstoctcameradevice.h"
#include "gstoctcameraframes.h"
#include "gstoctcameraimage.h"
#include "gstoctcamerasettings.h"
#include "gstoctcameratime.h"
#include "gstocterror.h"
#include "gstoctinstall.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_camera_src_debug);
#define GST_CAT_DEFAULT gst_oct_camera_src_debug

/* How long the thread sleeps before it looks whether it is to stop. */
#define SLICE (20 * G_TIME_SPAN_MILLISECOND)
/* How often a camera that has vanished is searched for. */
#define SEARCH_TIME G_TIME_SPAN_SECOND

struct _GstOctCameraSrc {
  GstOctLiveSrc parent;

  GstOctCameraSettings settings; /* under the object lock until the start */
  gint resting;                  /* atomic: in PAUSED */

  /* from start to stop, with this lock */
  GMutex lock;
  GstOctCameraDevice *device; /* NULL: it has vanished */
  char *id;
  GstOctCameraLayout layout;
  GstOctCameraImages *images;
  ArvStream *stream; /* NULL: the camera is not running */
  GstAllocator *allocator;
  gboolean any_stride; /* downstream */
  GstCaps *caps;

  GstOctCameraCount count;
  GstOctCameraTime time;
  guint64 underruns; /* of this stream, as they were counted */
  gboolean warned_lost, warned_incomplete, warned_others;
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_OCT_CAPS_RAW));

G_DEFINE_TYPE (GstOctCameraSrc, gst_oct_camera_src, GST_TYPE_OCT_LIVE_SRC);
GST_OCT_REGISTER_DEFINE (
    octcamerasrc, "octcamerasrc", GST_RANK_NONE, GST_TYPE_OCT_CAMERA_SRC);

/* ------------------------------------------------------------------- losses */

static void
camera_warn_of_lost (GstOctCameraSrc *self, const GstOctLiveCounters *now)
{
  if (now->too_slow > 0)
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("Frames of the camera are lost, %" G_GUINT64_FORMAT
         " so far, because the elements after octcamerasrc hold all %u "
         "buffers; "
         "make them faster, put a leaky queue before the slow one, or set "
         "`buffers` to more.",
            now->lost, gst_oct_camera_images_count (self->images)),
        (NULL));
  else
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("Frames of the camera are lost on their way, %" G_GUINT64_FORMAT
         " so far; check the cable and the load of this computer, and for "
         "GigE Vision the packet size and the size of receive buffers.",
            now->lost),
        (NULL));
}

static void
camera_warn_of_losses (GstOctLiveSrc *live, const GstOctLiveCounters *now)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (live);

  if (now->lost > 0 && !self->warned_lost)
    camera_warn_of_lost (self, now);
  self->warned_lost |= now->lost > 0;
  if (now->incomplete > 0 && !self->warned_incomplete && !self->warned_others)
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("Frames of the camera are incomplete, %" G_GUINT64_FORMAT
         " so far; check the cable, and for GigE Vision the packet size and "
         "the "
         "size of receive buffers.",
            now->incomplete),
        (NULL));
  self->warned_incomplete |= now->incomplete > 0;
}

/* Frames of another size, or that are not images: another program has changed
 * the camera while it runs. */
static void
camera_warn_of_others (GstOctCameraSrc *self, const char *reason)
{
  if (!self->warned_others)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("%s, so it is left out; leave size and PixelFormat of the camera as "
         "they are while it runs, or start again.",
            reason),
        (NULL));
  self->warned_others = TRUE;
}

/* --------------------------------------------------------------- the camera */

static GstOctCameraDevice *
open_device (GstOctCameraSrc *self, GError **error)
{
  const GstOctCameraChoice choice = {
    .camera = self->id != NULL ? self->id : self->settings.camera,
    .features = self->settings.features,
    .trigger = self->settings.trigger,
    .lines = self->settings.lines,
  };

  return gst_oct_camera_device_open (&choice, error);
}

static void
stop_camera (GstOctCameraSrc *self)
{
  if (self->stream == NULL)
    return;
  /* its thread may be filling memory */
  if (gst_oct_camera_device_is_there (self->device))
    arv_camera_stop_acquisition (
        gst_oct_camera_device_get_camera (self->device), NULL);
  g_clear_object (&self->stream);
  gst_oct_camera_images_set_stream (self->images, NULL);
}

static gboolean
fail_to_start (GstOctCameraSrc *self, GError *reason, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
      "The camera \"%s\" does not start (%s); check its cable, and that no "
      "other "
      "program uses it.",
      self->id, reason != NULL ? reason->message : "no reason is known");
  g_clear_object (&self->stream);
  gst_oct_camera_images_set_stream (self->images, NULL);
  return FALSE;
}

static gboolean
start_camera (GstOctCameraSrc *self, GError **error)
{
  ArvCamera *camera = gst_oct_camera_device_get_camera (self->device);
  g_autoptr (GError) reason = NULL;

  self->stream = arv_camera_create_stream (camera, NULL, NULL, &reason);
  if (self->stream == NULL)
    return fail_to_start (self, reason, error);
  gst_oct_camera_images_set_stream (self->images, self->stream);
  /* one that has no modes runs on by itself */
  arv_camera_set_acquisition_mode (
      camera, ARV_ACQUISITION_MODE_CONTINUOUS, NULL);
  gst_oct_camera_count_anew (&self->count);
  self->time = (GstOctCameraTime){ .time = self->time.time };
  self->underruns = 0;
  self->parent.discont = TRUE;
  gst_oct_live_src_hear (&self->parent);
  arv_camera_start_acquisition (camera, &reason);
  return reason == NULL || fail_to_start (self, reason, error);
}

static gboolean
camera_src_start (GstBaseSrc *base)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (base);
  g_autoptr (GError) error = NULL;

  gst_oct_live_src_begin (&self->parent);
  g_atomic_int_set (&self->resting, TRUE);
  self->warned_lost = self->warned_incomplete = self->warned_others = FALSE;
  self->count = (GstOctCameraCount){ 0 };
  self->time = (GstOctCameraTime){ 0 };
  self->device = open_device (self, &error);
  if (self->device == NULL) {
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
    return FALSE;
  }
  self->id = g_strdup (gst_oct_camera_device_get_id (self->device));
  g_free (self->parent.device);
  self->parent.device = g_strdup_printf ("The camera \"%s\"", self->id);
  return TRUE;
}

static gboolean
camera_src_stop (GstBaseSrc *base)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (base);

  if (self->images != NULL)
    gst_oct_live_src_tell_losses (&self->parent, TRUE);
  stop_camera (self);
  g_clear_pointer (&self->images, gst_oct_camera_images_close);
  g_clear_pointer (&self->device, gst_oct_camera_device_close);
  g_clear_pointer (&self->id, g_free);
  gst_clear_object (&self->allocator);
  gst_clear_caps (&self->caps);
  return TRUE;
}

/* --------------------------------------------------------------------- caps */

static GstCaps *
camera_src_list_caps (GstOctPushSrc *source)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (source);
  GstCaps *caps = NULL;

  /* a camera that has vanished comes back with the same caps */
  GST_OBJECT_LOCK (self);
  if (self->device != NULL)
    caps = gst_oct_camera_device_get_caps (self->device);
  else
    gst_caps_replace (&caps, self->caps);
  GST_OBJECT_UNLOCK (self);
  return caps;
}

static GstCaps *
camera_src_fixate (GstBaseSrc *base, GstCaps *caps)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (base);

  if (self->device != NULL)
    caps = gst_oct_camera_device_fixate (self->device, caps);
  return GST_BASE_SRC_CLASS (gst_oct_camera_src_parent_class)
      ->fixate (base, caps);
}

static gboolean
camera_src_set_caps (GstBaseSrc *base, GstCaps *caps)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (base);
  g_autoptr (GError) error = NULL;
  GstOctInfo info;

  gboolean ok;

  g_mutex_lock (&self->lock);
  /* sizes are for the time before it runs */
  stop_camera (self);
  g_clear_pointer (&self->images, gst_oct_camera_images_close);
  ok = self->device != NULL && gst_oct_info_from_caps (&info, caps, &error)
       && gst_oct_camera_device_configure (
           self->device, caps, &self->layout, &error);
  g_mutex_unlock (&self->lock);
  if (error != NULL)
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
  if (!ok)
    return FALSE;
  GST_OBJECT_LOCK (self);
  gst_caps_replace (&self->caps, caps);
  self->parent.duration =
      info.video.fps_n > 0 ? gst_util_uint64_scale (
          GST_SECOND, (guint64)info.video.fps_d, (guint64)info.video.fps_n)
                           : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  gst_base_src_set_blocksize (base, (guint)info.size);
  return TRUE;
}

/* Memory that downstream has for it: page-locked for a GPU. */
static gboolean
camera_src_decide_allocation (GstBaseSrc *base, GstQuery *query)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (base);
  GstAllocator *allocator = gst_oct_camera_find_allocator (query);
  gboolean any_stride =
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  g_mutex_lock (&self->lock);
  if (allocator != self->allocator || any_stride != self->any_stride) {
    stop_camera (self);
    g_clear_pointer (&self->images, gst_oct_camera_images_close);
  }
  gst_object_replace ((GstObject **)&self->allocator, (GstObject *)allocator);
  self->any_stride = any_stride;
  g_mutex_unlock (&self->lock);
  gst_clear_object (&allocator);
  /* buffers are ours */
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
  return TRUE;
}

/* ------------------------------------------------------------------- frames */

static gboolean
ensure_running (GstOctCameraSrc *self, GError **error)
{
  if (self->stream != NULL)
    return TRUE;
  if (self->images == NULL) {
    guint buffers = self->settings.buffers;
    GstOctInfo info;

    if (buffers == 0)
      buffers = gst_oct_camera_images_count_default (
          &self->layout, self->parent.duration);
    if (!gst_oct_info_from_caps (&info, self->caps, error))
      return FALSE;
    self->images = gst_oct_camera_images_new (&self->layout, &info, buffers,
        self->allocator, self->any_stride, error);
    if (self->images == NULL)
      return FALSE;
  }
  return start_camera (self, error);
}

/* Frames before this one that never came. */
static void
camera_count_lost (GstOctCameraSrc *self, ArvBuffer *filled)
{
  guint64 lost = gst_oct_camera_count (
              &self->count, arv_buffer_get_frame_id (filled)),
          underruns = 0, more;

  arv_stream_get_statistics (self->stream, NULL, NULL, &underruns);
  more = underruns - MIN (underruns, self->underruns);
  self->underruns = underruns;
  if (!gst_oct_camera_device_numbers_all (self->device)) {
    lost += more;
    self->count.number += more;
  }
  if (lost == 0 && more == 0)
    return;
  self->parent.discont |= lost > 0;
  gst_oct_live_src_add (&self->parent, lost, lost);
  gst_oct_live_src_add (&self->parent, too_slow, more);
  GST_DEBUG_OBJECT (self,
      "%" G_GUINT64_FORMAT " frames lost before %" G_GUINT64_FORMAT
      ", %" G_GUINT64_FORMAT " without a buffer",
      lost, self->count.number, more);
}

static void
stamp_frame (GstOctCameraSrc *self, GstBuffer *buffer, guint64 camera_time)
{
  GstClockTime now = gst_element_get_current_running_time (GST_ELEMENT (self));

  if (!GST_CLOCK_TIME_IS_VALID (now))
    now = self->time.time;
  gst_oct_live_src_stamp (&self->parent, buffer,
      gst_oct_camera_time (&self->time, camera_time, now), self->count.number,
      self->settings.bscans);
}

/* Whether the frame is delivered. */
static gboolean
judge_frame (GstOctCameraSrc *self, ArvBuffer *filled, gboolean whole)
{
  g_autoptr (GError) reason = NULL;
  gboolean fits = gst_oct_camera_images_check (self->images, filled, &reason);

  if (!whole || !fits)
    gst_oct_live_src_add (&self->parent, incomplete, 1);
  /* little is known of an incomplete one */
  if (!fits
      && (whole
          || arv_buffer_get_status (filled) == ARV_BUFFER_STATUS_SIZE_MISMATCH))
    camera_warn_of_others (self, reason->message);
  return fits && (whole || self->settings.keep_incomplete);
}

/* NULL: nothing comes of it. */
static GstBuffer *
take_frame (GstOctCameraSrc *self, ArvBuffer *filled)
{
  guint64 camera_time = arv_buffer_get_timestamp (filled);
  gboolean whole;
  GstBuffer *buffer;

  gst_oct_live_src_hear (&self->parent);
  if (arv_buffer_get_status (filled) == ARV_BUFFER_STATUS_ABORTED
      || arv_buffer_get_status (filled) == ARV_BUFFER_STATUS_CLEARED) {
    gst_oct_camera_images_give_back (self->images, filled);
    return NULL;
  }
  camera_count_lost (self, filled);
  whole = arv_buffer_get_status (filled) == ARV_BUFFER_STATUS_SUCCESS;
  if (!judge_frame (self, filled, whole)) {
    gst_oct_camera_images_give_back (self->images, filled);
    self->parent.discont = TRUE;
    return NULL;
  }
  buffer = gst_oct_camera_images_take (self->images, filled);
  if (buffer == NULL) {
    gst_oct_live_src_add (&self->parent, lost, 1);
    gst_oct_live_src_add (&self->parent, too_slow, 1);
    self->parent.discont = TRUE;
    return NULL;
  }
  stamp_frame (self, buffer, camera_time);
  if (!whole)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  gst_oct_live_src_add (&self->parent, frames, 1);
  return buffer;
}

/* ----------------------------------------------------------------- vanishing */

/* Whether the streaming thread is wanted elsewhere. */
static gboolean
is_interrupted (GstOctCameraSrc *self)
{
  return g_atomic_int_get (&self->parent.flushing)
         || g_atomic_int_get (&self->resting);
}

/* FALSE: interrupted. */
static gboolean
sleep_until (GstOctCameraSrc *self, gint64 until)
{
  while (!is_interrupted (self)) {
    gint64 left = until - g_get_monotonic_time ();

    if (left <= 0)
      return TRUE;
    g_usleep ((gulong)MIN (left, SLICE));
  }
  return FALSE;
}

static void
forget_device (GstOctCameraSrc *self)
{
  GstOctCameraDevice *device;

  stop_camera (self);
  GST_OBJECT_LOCK (self);
  device = g_steal_pointer (&self->device);
  GST_OBJECT_UNLOCK (self);
  gst_oct_camera_device_close (device);
}

/* The camera is there again, with the settings of before. */
static gboolean
try_again (GstOctCameraSrc *self, GError **error)
{
  GstOctCameraDevice *device = open_device (self, error);
  GstOctCameraLayout layout;
  GError *reason = NULL;

  if (device == NULL)
    return FALSE;
  if (!gst_oct_camera_device_configure (device, self->caps, &layout, error)) {
    gst_oct_camera_device_close (device);
    return FALSE;
  }
  if (layout.size != self->layout.size
      || layout.format != self->layout.format) {
    gst_oct_camera_device_close (device);
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The camera \"%s\" has come back with frames of %" G_GSIZE_FORMAT
        " bytes of %s, not %" G_GSIZE_FORMAT " of %s; start again.",
        self->id, layout.size, layout.format->name, self->layout.size,
        self->layout.format->name);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->device = device;
  GST_OBJECT_UNLOCK (self);
  if (start_camera (self, &reason))
    return TRUE;
  forget_device (self);
  g_propagate_error (error, reason);
  return FALSE;
}

/* FALSE with an error, or without one: interrupted. */
static gboolean
wait_for_camera (GstOctCameraSrc *self, GError **error)
{
  for (;;) {
    g_autoptr (GError) reason = NULL;
    gint64 began = g_get_monotonic_time ();

    if (is_interrupted (self))
      return FALSE;
    if (try_again (self, &reason)) {
      gst_oct_live_src_add (&self->parent, reconnects, 1);
      GST_ELEMENT_INFO (self, RESOURCE, READ,
          ("The camera \"%s\" is there again.", self->id), (NULL));
      return TRUE;
    }
    if (!g_error_matches (reason, OCT_ERROR, OCT_ERROR_NOT_FOUND)) {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
    GST_INFO_OBJECT (self, "%s", reason->message);
    if (!sleep_until (self, began + SEARCH_TIME))
      return FALSE;
  }
}

/* The camera has vanished: waits until it is there again. */
static gboolean
handle_vanished (GstOctCameraSrc *self, GError **error)
{
  if (self->device != NULL) {
    forget_device (self);
    if (!self->settings.reconnect) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
          "The camera \"%s\" has vanished; check its cable and power, and "
          "start "
          "again, or set `reconnect` of octcamerasrc to wait for it.",
          self->id);
      return FALSE;
    }
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("The camera \"%s\" has vanished; check its cable and power: "
         "octcamerasrc goes on when it is there again.",
            self->id),
        (NULL));
  }
  return wait_for_camera (self, error);
}

/* No frame has come for a moment. */
static void
look_into_silence (GstOctCameraSrc *self)
{
  if (!gst_oct_live_src_is_silent (&self->parent, self->settings.timeout))
    return;
  if (gst_oct_camera_images_all_held (self->images))
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("The elements after octcamerasrc have held all %u buffers for %u ms, "
         "and frames are lost meanwhile; make them faster, or set `buffers` to "
         "more.",
            gst_oct_camera_images_count (self->images), self->settings.timeout),
        (NULL));
  else if (gst_oct_camera_device_answers (self->device))
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("No frame has come from the camera \"%s\" for %u ms, although it "
         "answers; check its trigger and exposure, and for GigE Vision the "
         "firewall and the packet size.",
            self->id, self->settings.timeout),
        (NULL));
}

/* NULL with an error, or without one: interrupted. */
static GstBuffer *
wait_for_frame (GstOctCameraSrc *self, GError **error)
{
  GstBuffer *buffer = NULL;

  while (buffer == NULL && !is_interrupted (self)) {
    ArvBuffer *filled;

    if ((self->device == NULL || !gst_oct_camera_device_is_there (self->device))
        && !handle_vanished (self, error))
      break;
    if (!ensure_running (self, error))
      break;
    filled = arv_stream_timeout_pop_buffer (self->stream, SLICE);
    if (filled != NULL)
      buffer = take_frame (self, filled);
    else
      look_into_silence (self);
    gst_oct_live_src_tell_losses (&self->parent, FALSE);
  }
  return buffer;
}

static GstFlowReturn
camera_src_create (GstPushSrc *push, GstBuffer **buffer)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (push);
  g_autoptr (GError) error = NULL;

  *buffer = NULL;
  while (*buffer == NULL && error == NULL
         && !g_atomic_int_get (&self->parent.flushing)) {
    /* in PAUSED, the thread stays here: the base class would end it */
    if (g_atomic_int_get (&self->resting))
      g_usleep (SLICE);
    g_mutex_lock (&self->lock);
    *buffer = wait_for_frame (self, &error);
    g_mutex_unlock (&self->lock);
  }
  if (error != NULL) {
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
    return GST_FLOW_ERROR;
  }
  return *buffer != NULL ? GST_FLOW_OK : GST_FLOW_FLUSHING;
}

/* -------------------------------------------------------------------- states */

/* In PAUSED nobody fetches frames: the camera rests, and none is lost. */
static GstStateChangeReturn
camera_src_change_state (GstElement *element, GstStateChange transition)
{
  GstOctCameraSrc *self = GST_OCT_CAMERA_SRC (element);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    g_atomic_int_set (&self->resting, FALSE);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    g_atomic_int_set (&self->resting, TRUE);
    g_mutex_lock (&self->lock);
    stop_camera (self);
    g_mutex_unlock (&self->lock);
  }
  return GST_ELEMENT_CLASS (gst_oct_camera_src_parent_class)
      ->change_state (element, transition);
}

/* -------------------------------------------------------------------- object */

static const GstOctHolder camera_holder = {
  .properties = &gst_oct_camera_setting_properties,
  .offset = G_STRUCT_OFFSET (GstOctCameraSrc, settings),
};
static const GstOctHolder counter_holder = {
  .properties = &gst_oct_camera_counter_properties,
  .offset = G_STRUCT_OFFSET (GstOctLiveSrc, counters),
};

static void
gst_oct_camera_src_finalize (GObject *object)
{
  gst_oct_properties_clear (&gst_oct_camera_setting_properties,
      &GST_OCT_CAMERA_SRC (object)->settings);
  g_mutex_clear (&GST_OCT_CAMERA_SRC (object)->lock);
  G_OBJECT_CLASS (gst_oct_camera_src_parent_class)->finalize (object);
}

static void
gst_oct_camera_src_class_init (GstOctCameraSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);
  GstOctLiveSrcClass *live_class = GST_OCT_LIVE_SRC_CLASS (klass);
  guint id;

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_camera_src_debug, "octcamerasrc", 0, "OCT camera");
  id = gst_oct_holder_install (&counter_holder, object_class, 1);
  gst_oct_holder_install (&camera_holder, object_class, id);
  object_class->finalize = gst_oct_camera_src_finalize;
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "OCT camera",
      "Source/Video/Hardware", "Delivers raw spectra of a GenICam camera",
      "The gst-oct developers");
  element_class->change_state = camera_src_change_state;
  base_class->start = camera_src_start;
  base_class->stop = camera_src_stop;
  base_class->fixate = camera_src_fixate;
  base_class->set_caps = camera_src_set_caps;
  base_class->decide_allocation = camera_src_decide_allocation;
  GST_PUSH_SRC_CLASS (klass)->create = camera_src_create;
  GST_OCT_PUSH_SRC_CLASS (klass)->list_caps = camera_src_list_caps;
  live_class->lost_message = "octcamerasrc-lost";
  live_class->too_slow = "all-held";
  live_class->warn_of_losses = camera_warn_of_losses;
}

static void
gst_oct_camera_src_init (GstOctCameraSrc *self)
{
  g_mutex_init (&self->lock);
  gst_oct_properties_init (&gst_oct_camera_setting_properties, &self->settings);
}
