/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octdaqsrc
 *
 * Delivers the A-lines of a digitizer, which another program writes into a ring
 * in shared memory (liboctdaq), as B-scans of raw spectra. A-lines that are
 * lost are counted, and leave those after them in their places.
 *
 * |[
 * gst-launch-1.0 octdaqsrc socket=daq num-buffers=50 ! octreconstruct
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctdaqsrc.h"
#include "gstoctallocation.h"
#include "gstoctbus.h"
#include "gstoctcalibration.h"
#include "gstoctdaqbscan.h"
#include "gstoctdaqsettings.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctnextpaths.h"
#include "gstoctscanmeta.h"
#include "gstoctscanpath.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_daq_src_debug);
#define GST_CAT_DEFAULT gst_oct_daq_src_debug

/* How long the thread sleeps before it looks whether it is to stop, ms. */
#define SLICE 20
/* How long the writer may take to answer, ms. */
#define ANSWER_TIME 1000
/* How often a writer is searched for, us. */
#define SEARCH_TIME (100 * G_TIME_SPAN_MILLISECOND)

struct _GstOctDaqSrc {
  GstOctLiveSrc parent;

  GstOctDaqSettings settings; /* under the object lock until the start */
  gint rested;                /* atomic: A-lines were not wanted for a time */

  /* of the ring; NULL: not known yet.  Under the object lock, written by the
   * streaming thread. */
  GstCaps *caps;

  /* streaming thread */
  GstOctDaqRing *ring; /* NULL: nobody writes */
  gboolean found;      /* there was one before */
  GstOctInfo info;
  GstOctDaqPlace place;
  OctDaqBlock head; /* of the block that has A-lines left */
  GstOctDaqBscan bscan;
  gboolean aligned;  /* the first whole B-scan has begun */
  guint64 base;      /* B-scans before this ring, in whole volumes */
  guint64 next;      /* number of the next B-scan, `base` counted */
  GstClockTime time; /* of the last B-scan */
  gboolean events_stale, misplaced, warned_overrun, warned_lost;
  OctScanPlaces *path; /* that was sent and holds; NULL: that of the ring */

  GstOctNextPaths paths;
};

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_OCT_CAPS_RAW
            "; " GST_OCT_CAPS_SPECTRA ("F32LE", "{ wavelength, wavenumber }")));

G_DEFINE_TYPE (GstOctDaqSrc, gst_oct_daq_src, GST_TYPE_OCT_LIVE_SRC);
GST_OCT_REGISTER_DEFINE (
    octdaqsrc, "octdaqsrc", GST_RANK_NONE, GST_TYPE_OCT_DAQ_SRC);

/* ------------------------------------------------------------------- losses */

static void
daq_src_warn_of_losses (GstOctLiveSrc *live, const GstOctLiveCounters *now)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (live);

  if (now->too_slow > 0 && !self->warned_overrun)
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("A-lines are lost, %" G_GUINT64_FORMAT " so far, because the elements "
         "after octdaqsrc are slower than the digitizer; make them faster, put "
         "a queue after octdaqsrc, or have the digitizer's program make a ring "
         "of more blocks, or a lossless one if it can wait.",
            now->too_slow),
        (NULL));
  self->warned_overrun |= now->too_slow > 0;
  if (now->lost > now->too_slow && !self->warned_lost)
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("The digitizer has lost A-lines, %" G_GUINT64_FORMAT
         " so far, by the word of its program; check its trigger and the load "
         "of this computer.",
            now->lost - now->too_slow),
        (NULL));
  self->warned_lost |= now->lost > now->too_slow;
}

/* --------------------------------------------------------------- connecting */

/* Takes a ring that was found. */
static void
daq_src_begin_ring (GstOctDaqSrc *self)
{
  guint64 bscans = MAX (gst_oct_daq_ring_get_bscans (self->ring), 1);
  double rate = gst_oct_daq_ring_get_bscan_rate (self->ring);
  GstCaps *caps = gst_oct_daq_ring_make_caps (self->ring);

  GST_OBJECT_LOCK (self);
  gst_caps_replace (&self->caps, caps);
  self->parent.duration =
      rate >= 1e-6 ? (GstClockTime)(GST_SECOND / rate) : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  gst_caps_unref (caps);
  self->place = (GstOctDaqPlace){ 0 };
  self->aligned = FALSE;
  self->base = (self->next + bscans - 1) / bscans * bscans;
  self->parent.discont = self->events_stale = TRUE;
  gst_oct_live_src_hear (&self->parent);
  if (self->found) {
    gst_oct_next_paths_restart (&self->paths, TRUE);
    gst_oct_live_src_add (&self->parent, reconnects, 1);
    GST_ELEMENT_INFO (self, RESOURCE, READ,
        ("The program of the digitizer is there again."), (NULL));
  }
  self->found = TRUE;
}

/* A pause interrupts create(), but not negotiation, which then would fail. */
static gboolean
daq_src_is_interrupted (GstOctDaqSrc *self)
{
  return GST_PAD_IS_FLUSHING (GST_BASE_SRC_PAD (self))
         || (self->found && g_atomic_int_get (&self->parent.flushing));
}

/* Searches for the writer: at the start until `timeout`, later for ever.  FALSE
 * with an error, or without one: interrupted. */
static gboolean
daq_src_connect (GstOctDaqSrc *self, GError **error)
{
  gint64 began = g_get_monotonic_time (), next = began;
  gint64 limit = (gint64)self->settings.timeout * G_TIME_SPAN_MILLISECOND;

  while (!daq_src_is_interrupted (self)) {
    g_autoptr (GError) reason = NULL;
    gint64 now = g_get_monotonic_time ();

    if (now < next) {
      g_usleep ((gulong)MIN (next - now, SLICE * G_TIME_SPAN_MILLISECOND));
      continue;
    }
    next = now + SEARCH_TIME;
    self->ring = gst_oct_daq_ring_open (self->settings.socket,
        self->settings.channel, self->settings.k_clock,
        self->settings.scan_file, ANSWER_TIME, &reason);
    if (self->ring != NULL) {
      daq_src_begin_ring (self);
      return TRUE;
    }
    if (!g_error_matches (reason, OCT_ERROR, OCT_ERROR_NOT_FOUND)
        || (!self->found && limit > 0 && now >= began + limit)) {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
    GST_LOG_OBJECT (self, "%s", reason->message);
  }
  return FALSE;
}

static void
daq_src_forget_bscan (GstOctDaqSrc *self)
{
  if (self->bscan.buffer == NULL)
    return;
  gst_oct_live_src_add (&self->parent, incomplete, 1);
  self->parent.discont = TRUE;
  gst_oct_daq_bscan_clear (&self->bscan);
}

/* The writer is not there any more.  The stream goes on if a new one comes,
 * else it ends, with an error if the writer has crashed. */
static GstFlowReturn
daq_src_end_ring (GstOctDaqSrc *self, gboolean crashed, GError **error)
{
  const char *how = crashed ? "has ended without closing its ring; look for "
                              "a crash of it"
                            : "has ended";

  daq_src_forget_bscan (self);
  gst_oct_live_src_tell_losses (&self->parent, TRUE);
  g_clear_pointer (&self->ring, gst_oct_daq_ring_close);
  if (self->settings.reconnect) {
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("The program of the digitizer %s: octdaqsrc goes on when it is there "
         "again.",
            how),
        (NULL));
    return GST_FLOW_OK;
  }
  if (!crashed)
    return GST_FLOW_EOS;
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "The program of the digitizer %s, or set `reconnect` of octdaqsrc to "
      "wait for it.",
      how);
  return GST_FLOW_ERROR;
}

/* --------------------------------------------------------------------- caps */

static GstCaps *
daq_src_list_caps (GstOctPushSrc *source)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (source);
  GstCaps *caps = NULL;

  GST_OBJECT_LOCK (self);
  gst_caps_replace (&caps, self->caps);
  GST_OBJECT_UNLOCK (self);
  return caps;
}

static gboolean
daq_src_set_caps (GstBaseSrc *base, GstCaps *caps)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);
  g_autoptr (GError) error = NULL;

  if (!gst_oct_info_from_caps (&self->info, caps, &error)) {
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
    return FALSE;
  }
  gst_base_src_set_blocksize (base, (guint)self->info.size);
  return TRUE;
}

/* Caps are those of a ring: it waits for the first one. */
static gboolean
daq_src_negotiate (GstBaseSrc *base)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);
  g_autoptr (GError) error = NULL;

  if (self->ring != NULL || self->found || daq_src_connect (self, &error))
    return GST_BASE_SRC_CLASS (gst_oct_daq_src_parent_class)->negotiate (base);
  if (error != NULL)
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
  return FALSE;
}

static gboolean
daq_src_decide_allocation (GstBaseSrc *base, GstQuery *query)
{
  return gst_oct_decide_allocation (GST_ELEMENT (base), query, NULL, NULL);
}

static gboolean
daq_src_start (GstBaseSrc *base)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);
  g_autoptr (GError) error = NULL;

  gst_oct_live_src_begin (&self->parent);
  g_atomic_int_set (&self->rested, FALSE);
  self->warned_overrun = self->warned_lost = FALSE;
  self->found = self->misplaced = FALSE;
  self->next = self->base = 0;
  self->time = 0;
  if (self->settings.socket != NULL && *self->settings.socket != '\0')
    return TRUE;
  g_set_error_literal (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "octdaqsrc has no `socket`; set it to the path of the socket that the "
      "program of the digitizer makes.");
  gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
  return FALSE;
}

static gboolean
daq_src_stop (GstBaseSrc *base)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);

  gst_oct_daq_bscan_clear (&self->bscan);
  gst_oct_live_src_tell_losses (&self->parent, TRUE);
  g_clear_pointer (&self->ring, gst_oct_daq_ring_close);
  gst_oct_next_paths_restart (&self->paths, FALSE);
  GST_OBJECT_LOCK (self);
  gst_clear_caps (&self->caps);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* ------------------------------------------------------------------ B-scans */

/* Running time when the A-lines of the block were published. */
static GstClockTime
daq_src_block_time (GstOctDaqSrc *self)
{
  GstClockTime now = gst_element_get_current_running_time (GST_ELEMENT (self));
  guint64 here = (guint64)g_get_monotonic_time () * 1000;
  /* a writer that lies must not make times of tomorrow */
  guint64 late = here - MIN (self->head.time, here);

  return GST_CLOCK_TIME_IS_VALID (now) ? now - MIN (late, now) : self->time;
}

static void
daq_src_stamp (GstOctDaqSrc *self, GstBuffer *buffer)
{
  const OctDaqHeader *h = gst_oct_daq_ring_get_header (self->ring);
  guint64 number = self->base + self->bscan.number;
  GstClockTime time = daq_src_block_time (self);

  /* those that come in one block are as far apart as they were taken */
  if (GST_CLOCK_TIME_IS_VALID (self->parent.duration)) {
    GstClockTime after = gst_util_uint64_scale (
        self->parent.duration, self->place.left, h->bscan_lines);

    time -= MIN (time, after + self->parent.duration);
  }
  self->time = MAX (self->time, time);
  self->parent.discont |= number != self->next;
  self->next = number + 1;
  gst_oct_live_src_stamp (&self->parent, buffer, self->time, number,
      gst_oct_daq_ring_get_bscans (self->ring));
}

/* Nothing more comes for the B-scan at hand.  NULL: it is left out. */
static GstBuffer *
daq_src_finish (GstOctDaqSrc *self)
{
  gboolean whole = self->bscan.lines == self->info.rows;
  GstBuffer *buffer;

  if (!whole && !self->settings.keep_incomplete) {
    daq_src_forget_bscan (self);
    return NULL;
  }
  buffer = gst_oct_daq_bscan_end (&self->bscan, &self->info);
  daq_src_stamp (self, buffer);
  if (!whole) {
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
    gst_oct_live_src_add (&self->parent, incomplete, 1);
    self->parent.discont = TRUE;
    if (gst_oct_daq_ring_get_bscans (self->ring) > 0)
      gst_oct_scan_meta_set_valid (buffer, self->bscan.valid, self->info.rows);
  }
  gst_oct_live_src_add (&self->parent, frames, 1);
  return buffer;
}

static GstFlowReturn
daq_src_begin_bscan (GstOctDaqSrc *self, guint64 number, GError **error)
{
  GstBuffer *buffer = NULL;
  GstFlowReturn ret =
      GST_BASE_SRC_CLASS (gst_oct_daq_src_parent_class)
          ->alloc (GST_BASE_SRC (self), 0, (guint)self->info.size, &buffer);

  if (ret != GST_FLOW_OK)
    return ret;
  return gst_oct_daq_bscan_begin (
             &self->bscan, number, &self->info, buffer, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* The block has nothing more. */
static void
daq_src_end_block (GstOctDaqSrc *self)
{
  self->place.left = 0;
  oct_daq_reader_next (gst_oct_daq_ring_get_reader (self->ring));
}

/* The next A-lines of the block; *buffer: a B-scan that ends with them or
 * before them. */
static GstFlowReturn
daq_src_take_run (GstOctDaqSrc *self, GstBuffer **buffer, GError **error)
{
  GstOctDaqRun run;
  GstFlowReturn ret;

  gst_oct_daq_place_get (
      &self->place, gst_oct_daq_ring_get_header (self->ring), &run);
  if (self->bscan.buffer != NULL
      && (run.bscan != self->bscan.number || run.row < self->bscan.rows)) {
    *buffer = daq_src_finish (self);
    return GST_FLOW_OK;
  }
  self->aligned |= run.row == 0;
  if (self->aligned) {
    if (self->bscan.buffer == NULL) {
      ret = daq_src_begin_bscan (self, run.bscan, error);
      if (ret != GST_FLOW_OK)
        return ret;
    }
    if (!gst_oct_daq_bscan_add (&self->bscan, &self->info, self->ring, &run)) {
      gst_oct_live_src_add (&self->parent, lost, self->place.left);
      gst_oct_live_src_add (&self->parent, too_slow, self->place.left);
      gst_oct_daq_place_advance (&self->place, self->place.left);
    }
  }
  if (self->place.left > 0)
    gst_oct_daq_place_advance (&self->place, run.count);
  if (self->bscan.buffer != NULL && self->bscan.rows == self->info.rows)
    *buffer = daq_src_finish (self);
  if (self->place.left == 0)
    daq_src_end_block (self);
  return GST_FLOW_OK;
}

/* Its numbers are impossible. */
static void
daq_src_refuse_block (GstOctDaqSrc *self)
{
  guint lines = gst_oct_daq_ring_get_header (self->ring)->lines;

  gst_oct_live_src_add (&self->parent, lost, lines);
  self->parent.discont = TRUE;
  daq_src_end_block (self);
  if (!self->misplaced)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The place in the scan of a block of %u A-lines is not possible "
         "(volume %" G_GUINT64_FORMAT
         ", B-scan %u, line %u, number %" G_GUINT64_FORMAT
         "), so it is left out; look into the program of the "
         "digitizer.",
            lines, self->head.volume, self->head.bscan,
            self->head.line_in_bscan, self->head.line),
        (NULL));
  self->misplaced = TRUE;
}

static void
daq_src_begin_block (GstOctDaqSrc *self)
{
  OctDaqReader *reader = gst_oct_daq_ring_get_reader (self->ring);
  guint64 lost, overrun;
  gboolean ok = gst_oct_daq_place_take (&self->place,
      gst_oct_daq_ring_get_header (self->ring), &self->head,
      oct_daq_reader_missed (reader), &lost, &overrun);

  gst_oct_live_src_hear (&self->parent);
  gst_oct_live_src_add (&self->parent, lost, lost);
  gst_oct_live_src_add (&self->parent, too_slow, overrun);
  if (lost > 0) {
    self->parent.discont = TRUE;
    GST_DEBUG_OBJECT (self,
        "%" G_GUINT64_FORMAT " A-lines lost, %" G_GUINT64_FORMAT
        " of them overwritten",
        lost, overrun);
  }
  if (!ok)
    daq_src_refuse_block (self);
}

/* No block has come for a moment. */
static void
daq_src_look_into_silence (GstOctDaqSrc *self)
{
  if (!gst_oct_live_src_is_silent (&self->parent, self->settings.timeout))
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, READ,
      ("No A-lines have come from the digitizer for %u ms, although its "
       "program "
       "is there; check the trigger.",
          self->settings.timeout),
      (NULL));
}

/* A new ring: caps of its own. */
static GstFlowReturn
daq_src_find_ring (GstOctDaqSrc *self, GError **error)
{
  if (!daq_src_connect (self, error))
    return *error != NULL ? GST_FLOW_ERROR : GST_FLOW_FLUSHING;
  return gst_base_src_negotiate (GST_BASE_SRC (self)) ? GST_FLOW_OK
                                                      : GST_FLOW_NOT_NEGOTIATED;
}

/* A-lines that were written while nobody wanted them are not lost.  A lossless
 * writer has waited. */
static void
daq_src_skip (GstOctDaqSrc *self)
{
  if (gst_oct_daq_ring_get_header (self->ring)->flags & OCT_DAQ_LOSSLESS)
    return;
  gst_oct_daq_bscan_clear (&self->bscan);
  oct_daq_reader_skip (gst_oct_daq_ring_get_reader (self->ring));
  self->place.begun = self->aligned = FALSE;
  self->place.left = 0;
  self->parent.discont = TRUE;
}

/* One step towards a B-scan. */
static GstFlowReturn
daq_src_step (GstOctDaqSrc *self, GstBuffer **buffer, GError **error)
{
  OctDaqStatus status;

  if (self->ring == NULL)
    return daq_src_find_ring (self, error);
  if (g_atomic_int_compare_and_exchange (&self->rested, TRUE, FALSE))
    daq_src_skip (self);
  if (self->place.left > 0)
    return daq_src_take_run (self, buffer, error);
  status = oct_daq_reader_wait (
      gst_oct_daq_ring_get_reader (self->ring), SLICE, &self->head);
  switch (status) {
  case OCT_DAQ_BLOCK:
    daq_src_begin_block (self);
    return GST_FLOW_OK;
  case OCT_DAQ_TIMEOUT:
    daq_src_look_into_silence (self);
    return GST_FLOW_OK;
  default:
    /* the rest of the last B-scan is lost; the next step comes here again */
    if (self->bscan.buffer != NULL)
      *buffer = daq_src_finish (self);
    if (*buffer != NULL)
      return GST_FLOW_OK;
    return daq_src_end_ring (self, status == OCT_DAQ_GONE, error);
  }
}

/* The path that holds from the B-scan on that was put together last. */
static gboolean
daq_src_take_path (GstOctDaqSrc *self)
{
  OctScanPlaces *path = gst_oct_next_paths_take (&self->paths,
      GST_ELEMENT (self), self->next - 1 - self->base, 1,
      gst_oct_daq_ring_get_header (self->ring)->bscan_lines,
      gst_oct_daq_ring_get_bscans (self->ring));

  if (path == NULL)
    return FALSE;
  g_clear_pointer (&self->path, oct_scan_places_unref);
  self->path = path;
  return TRUE;
}

/* Events that the first B-scan of a ring needs, or of a path. */
static void
daq_src_send_events (GstOctDaqSrc *self)
{
  OctCalibration *calibration = gst_oct_daq_ring_get_calibration (self->ring);
  gboolean other = daq_src_take_path (self);
  OctScanPlaces *places = self->path != NULL
                              ? self->path
                              : gst_oct_daq_ring_get_places (self->ring);

  if (self->events_stale && calibration != NULL)
    gst_pad_push_event (
        GST_BASE_SRC_PAD (self), gst_oct_calibration_event_new (calibration));
  if ((self->events_stale || other) && places != NULL)
    gst_pad_push_event (
        GST_BASE_SRC_PAD (self), gst_oct_scan_path_event_new (places));
  self->events_stale = FALSE;
}

static GstFlowReturn
daq_src_create (GstPushSrc *push, GstBuffer **buffer)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (push);
  GstFlowReturn ret = GST_FLOW_OK;
  g_autoptr (GError) error = NULL;

  *buffer = NULL;
  while (*buffer == NULL && ret == GST_FLOW_OK) {
    ret = g_atomic_int_get (&self->parent.flushing)
              ? GST_FLOW_FLUSHING
              : daq_src_step (self, buffer, &error);
    gst_oct_live_src_tell_losses (&self->parent, FALSE);
  }
  if (error != NULL)
    gst_oct_push_src_fail (GST_OCT_PUSH_SRC (self), &error);
  if (ret == GST_FLOW_OK)
    daq_src_send_events (self);
  return ret;
}

/* ------------------------------------------------------------------- states */

static GstStateChangeReturn
daq_src_change_state (GstElement *element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    g_atomic_int_set (&GST_OCT_DAQ_SRC (element)->rested, TRUE);
  return GST_ELEMENT_CLASS (gst_oct_daq_src_parent_class)
      ->change_state (element, transition);
}

/* Other events are for the base class. */
static gboolean
daq_src_send_event (GstElement *element, GstEvent *event)
{
  if (!gst_oct_next_paths_offer (
          &GST_OCT_DAQ_SRC (element)->paths, element, event))
    return GST_ELEMENT_CLASS (gst_oct_daq_src_parent_class)
        ->send_event (element, event);
  gst_event_unref (event);
  return TRUE;
}

/* ------------------------------------------------------------------- object */

/* A file that is set after a path was sent is newer. */
static void
daq_src_changed (GObject *object, const GstOctProperty *row)
{
  if (g_str_equal (row->name, "scan-file"))
    g_clear_pointer (&GST_OCT_DAQ_SRC (object)->path, oct_scan_places_unref);
}

static const GstOctHolder daq_holder = {
  .properties = &gst_oct_daq_setting_properties,
  .offset = G_STRUCT_OFFSET (GstOctDaqSrc, settings),
  .changed = daq_src_changed,
};
static const GstOctHolder daq_counter_holder = {
  .properties = &gst_oct_daq_counter_properties,
  .offset = G_STRUCT_OFFSET (GstOctLiveSrc, counters),
};

static void
gst_oct_daq_src_finalize (GObject *object)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (object);

  gst_oct_properties_clear (&gst_oct_daq_setting_properties, &self->settings);
  gst_oct_next_paths_clear (&self->paths);
  g_clear_pointer (&self->path, oct_scan_places_unref);
  G_OBJECT_CLASS (gst_oct_daq_src_parent_class)->finalize (object);
}

static void
gst_oct_daq_src_class_init (GstOctDaqSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);
  GstOctLiveSrcClass *live_class = GST_OCT_LIVE_SRC_CLASS (klass);
  guint id;

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_daq_src_debug, "octdaqsrc", 0, "OCT digitizer");
  id = gst_oct_holder_install (&daq_counter_holder, object_class, 1);
  gst_oct_holder_install (&daq_holder, object_class, id);
  object_class->finalize = gst_oct_daq_src_finalize;
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "OCT digitizer",
      "Source/Video/Hardware",
      "Delivers raw OCT spectra of a digitizer from a ring in shared memory",
      "The gst-oct developers");
  element_class->change_state = daq_src_change_state;
  element_class->send_event = daq_src_send_event;
  base_class->start = daq_src_start;
  base_class->stop = daq_src_stop;
  base_class->set_caps = daq_src_set_caps;
  base_class->negotiate = daq_src_negotiate;
  base_class->decide_allocation = daq_src_decide_allocation;
  GST_PUSH_SRC_CLASS (klass)->create = daq_src_create;
  GST_OCT_PUSH_SRC_CLASS (klass)->list_caps = daq_src_list_caps;
  live_class->lost_message = "octdaqsrc-lost";
  live_class->too_slow = "overrun";
  live_class->warn_of_losses = daq_src_warn_of_losses;
}

static void
gst_oct_daq_src_init (GstOctDaqSrc *self)
{
  self->parent.device = g_strdup ("The digitizer");
  gst_oct_properties_init (&gst_oct_daq_setting_properties, &self->settings);
  gst_oct_next_paths_init (&self->paths);
}
