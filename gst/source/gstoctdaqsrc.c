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
#include "gstoctdaqlosses.h"
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
  GstPushSrc parent;

  GstOctDaqSettings settings; /* under the object lock until the start */
  GstOctDaqCounters counters; /* under the object lock */
  gint flushing;              /* atomic */
  gint rested;                /* atomic: A-lines were not wanted for a time */
  gint failed;                /* atomic: an own error was posted */

  /* under the object lock, written by the streaming thread */
  GstCaps *caps;         /* of the ring; NULL: not known yet */
  GstClockTime duration; /* of a B-scan; NONE: not known */

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
  gboolean discont, events_stale;
  gint64 heard; /* monotonic time of the last block */
  gboolean silent, misplaced;
  GstOctDaqLosses losses;
  OctScanPlaces *path; /* that was sent and holds; NULL: that of the ring */

  GstOctNextPaths paths;
};

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_OCT_CAPS_RAW
            "; " GST_OCT_CAPS_SPECTRA ("F32LE", "{ wavelength, wavenumber }")));

G_DEFINE_TYPE (GstOctDaqSrc, gst_oct_daq_src, GST_TYPE_PUSH_SRC);
GST_OCT_REGISTER_DEFINE (
    octdaqsrc, "octdaqsrc", GST_RANK_NONE, GST_TYPE_OCT_DAQ_SRC);

/* ------------------------------------------------------------------- errors */

static void
daq_src_post_error (GstOctDaqSrc *self, GError **error)
{
  gst_oct_element_error (GST_ELEMENT (self), error);
  g_atomic_int_set (&self->failed, TRUE);
}

/* One sentence for one mistake, as octsrc does. */
static gboolean
gst_oct_daq_src_post_message (GstElement *element, GstMessage *message)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (element);

  message = gst_oct_explain_once (element, message, &self->failed);
  return message == NULL
         || GST_ELEMENT_CLASS (gst_oct_daq_src_parent_class)
                ->post_message (element, message);
}

static void
daq_src_add (GstOctDaqSrc *self, guint64 *counter, guint64 more)
{
  GST_OBJECT_LOCK (self);
  *counter += more;
  GST_OBJECT_UNLOCK (self);
}

static void
daq_src_tell_losses (GstOctDaqSrc *self, gboolean last)
{
  GstOctDaqCounters now;

  GST_OBJECT_LOCK (self);
  now = self->counters;
  GST_OBJECT_UNLOCK (self);
  gst_oct_daq_losses_tell (&self->losses, GST_ELEMENT (self), &now, last);
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
  self->duration =
      rate >= 1e-6 ? (GstClockTime)(GST_SECOND / rate) : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  gst_caps_unref (caps);
  self->place = (GstOctDaqPlace){ 0 };
  self->aligned = FALSE;
  self->base = (self->next + bscans - 1) / bscans * bscans;
  self->discont = self->events_stale = TRUE;
  self->heard = g_get_monotonic_time ();
  self->silent = FALSE;
  if (self->found) {
    gst_oct_next_paths_restart (&self->paths, TRUE);
    daq_src_add (self, &self->counters.reconnects, 1);
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
         || (self->found && g_atomic_int_get (&self->flushing));
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
  daq_src_add (self, &self->counters.incomplete, 1);
  self->discont = TRUE;
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
  daq_src_tell_losses (self, TRUE);
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
daq_src_get_caps (GstBaseSrc *base, GstCaps *filter)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);
  GstCaps *caps = NULL, *both;

  GST_OBJECT_LOCK (self);
  if (self->caps != NULL)
    caps = gst_caps_ref (self->caps);
  GST_OBJECT_UNLOCK (self);
  if (caps == NULL)
    caps = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (base));
  if (filter == NULL)
    return caps;
  both = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return both;
}

static gboolean
daq_src_set_caps (GstBaseSrc *base, GstCaps *caps)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);
  g_autoptr (GError) error = NULL;

  if (!gst_oct_info_from_caps (&self->info, caps, &error)) {
    daq_src_post_error (self, &error);
    return FALSE;
  }
  gst_base_src_set_blocksize (base, (guint)self->info.size);
  return TRUE;
}

/* The base class has no words for it. */
static void
daq_src_explain_caps (GstOctDaqSrc *self, GError **error)
{
  g_autoptr (GstCaps) wanted =
      gst_pad_peer_query_caps (GST_BASE_SRC_PAD (self), NULL);
  g_autofree char *here = NULL, *there = NULL;

  if (wanted == NULL || self->caps == NULL
      || gst_caps_can_intersect (self->caps, wanted))
    return;
  here = gst_caps_to_string (self->caps);
  there = gst_caps_to_string (wanted);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The digitizer delivers %s, but the elements after octdaqsrc ask for %s; "
      "change the caps filter after it.",
      here, there);
}

/* Caps are those of a ring: it waits for the first one. */
static gboolean
daq_src_negotiate (GstBaseSrc *base)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);
  g_autoptr (GError) error = NULL;

  if ((self->ring != NULL || self->found || daq_src_connect (self, &error))
      && GST_BASE_SRC_CLASS (gst_oct_daq_src_parent_class)->negotiate (base))
    return TRUE;
  if (error == NULL && self->ring != NULL && !g_atomic_int_get (&self->failed))
    daq_src_explain_caps (self, &error);
  if (error != NULL)
    daq_src_post_error (self, &error);
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

  g_atomic_int_set (&self->failed, FALSE);
  g_atomic_int_set (&self->rested, FALSE);
  GST_OBJECT_LOCK (self);
  self->counters = (GstOctDaqCounters){ 0 };
  self->duration = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  self->losses = (GstOctDaqLosses){ 0 };
  self->found = self->misplaced = FALSE;
  self->next = self->base = 0;
  self->time = 0;
  if (self->settings.socket != NULL && *self->settings.socket != '\0')
    return TRUE;
  g_set_error_literal (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "octdaqsrc has no `socket`; set it to the path of the socket that the "
      "program of the digitizer makes.");
  daq_src_post_error (self, &error);
  return FALSE;
}

static gboolean
daq_src_stop (GstBaseSrc *base)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);

  gst_oct_daq_bscan_clear (&self->bscan);
  daq_src_tell_losses (self, TRUE);
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
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT (self)), now;
  guint64 here = (guint64)g_get_monotonic_time () * 1000;
  /* a writer that lies must not make times of tomorrow */
  guint64 late = here - MIN (self->head.time, here);

  if (clock == NULL)
    return self->time;
  now = gst_clock_get_time (clock);
  now -= MIN (now, base);
  return now - MIN (late, now);
}

static void
daq_src_stamp (GstOctDaqSrc *self, GstBuffer *buffer)
{
  const OctDaqHeader *h = gst_oct_daq_ring_get_header (self->ring);
  guint bscans = gst_oct_daq_ring_get_bscans (self->ring);
  guint64 number = self->base + self->bscan.number;
  GstClockTime time = daq_src_block_time (self);

  /* those that come in one block are as far apart as they were taken */
  if (GST_CLOCK_TIME_IS_VALID (self->duration)) {
    GstClockTime after = gst_util_uint64_scale (
        self->duration, self->place.left, h->bscan_lines);

    time -= MIN (time, after + self->duration);
  }
  self->time = MAX (self->time, time);
  GST_BUFFER_PTS (buffer) = self->time;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = self->duration;
  GST_BUFFER_OFFSET (buffer) = number;
  GST_BUFFER_OFFSET_END (buffer) = number + 1;
  if (self->discont || number != self->next)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  self->next = number + 1;
  if (bscans > 0)
    gst_oct_scan_meta_set (
        buffer, &(GstOctScanPosition){ .bscan = (guint)(number % bscans),
                    .bscans = bscans,
                    .volume = number / bscans,
                    .count = 1 });
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
    daq_src_add (self, &self->counters.incomplete, 1);
    self->discont = TRUE;
    if (gst_oct_daq_ring_get_bscans (self->ring) > 0)
      gst_oct_scan_meta_set_valid (buffer, self->bscan.valid, self->info.rows);
  }
  daq_src_add (self, &self->counters.frames, 1);
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
      daq_src_add (self, &self->counters.lost, self->place.left);
      daq_src_add (self, &self->counters.overrun, self->place.left);
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

  daq_src_add (self, &self->counters.lost, lines);
  self->discont = TRUE;
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

  self->heard = g_get_monotonic_time ();
  self->silent = FALSE;
  daq_src_add (self, &self->counters.lost, lost);
  daq_src_add (self, &self->counters.overrun, overrun);
  if (lost > 0) {
    self->discont = TRUE;
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
  gint64 limit = (gint64)self->settings.timeout * G_TIME_SPAN_MILLISECOND;

  if (limit == 0 || self->silent
      || g_get_monotonic_time () < self->heard + limit)
    return;
  self->silent = TRUE;
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
  self->discont = TRUE;
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
    ret = g_atomic_int_get (&self->flushing)
              ? GST_FLOW_FLUSHING
              : daq_src_step (self, buffer, &error);
    daq_src_tell_losses (self, FALSE);
  }
  if (error != NULL)
    daq_src_post_error (self, &error);
  if (ret == GST_FLOW_OK)
    daq_src_send_events (self);
  return ret;
}

/* ------------------------------------------------------------------- states */

static gboolean
daq_src_unlock (GstBaseSrc *base)
{
  g_atomic_int_set (&GST_OCT_DAQ_SRC (base)->flushing, TRUE);
  return TRUE;
}

static gboolean
daq_src_unlock_stop (GstBaseSrc *base)
{
  g_atomic_int_set (&GST_OCT_DAQ_SRC (base)->flushing, FALSE);
  return TRUE;
}

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

static gboolean
daq_src_query (GstBaseSrc *base, GstQuery *query)
{
  GstOctDaqSrc *self = GST_OCT_DAQ_SRC (base);
  GstClockTime duration;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_BASE_SRC_CLASS (gst_oct_daq_src_parent_class)
        ->query (base, query);
  GST_OBJECT_LOCK (self);
  duration = self->duration;
  GST_OBJECT_UNLOCK (self);
  gst_query_set_latency (query, TRUE,
      GST_CLOCK_TIME_IS_VALID (duration) ? duration : 0, GST_CLOCK_TIME_NONE);
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
  .offset = G_STRUCT_OFFSET (GstOctDaqSrc, counters),
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
  element_class->post_message = gst_oct_daq_src_post_message;
  element_class->change_state = daq_src_change_state;
  element_class->send_event = daq_src_send_event;
  base_class->start = daq_src_start;
  base_class->stop = daq_src_stop;
  base_class->get_caps = daq_src_get_caps;
  base_class->set_caps = daq_src_set_caps;
  base_class->negotiate = daq_src_negotiate;
  base_class->decide_allocation = daq_src_decide_allocation;
  base_class->unlock = daq_src_unlock;
  base_class->unlock_stop = daq_src_unlock_stop;
  base_class->query = daq_src_query;
  GST_PUSH_SRC_CLASS (klass)->create = daq_src_create;
}

static void
gst_oct_daq_src_init (GstOctDaqSrc *self)
{
  GstBaseSrc *base = GST_BASE_SRC (self);

  gst_oct_properties_init (&gst_oct_daq_setting_properties, &self->settings);
  gst_oct_next_paths_init (&self->paths);
  gst_base_src_set_live (base, TRUE);
  gst_base_src_set_format (base, GST_FORMAT_TIME);
}
