/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * From the source to images, in a pipeline of its own that lives as long as the
 * source does: if that fails or ends, a new one is made.
 *
 * Sources can take their time to open and to close, and hang.  That happens in
 * a thread of the feed; the main thread, which calls everything here, never
 * waits for them.  Calls of it come before whatever a network has for it.
 */
#pragma once

#include "oct-fill.h"
#include "oct-live-settings.h"
#include "oct-live-source.h"

G_BEGIN_DECLS

/* Properties of the images; zero or NULL as long as they are not known. */
typedef struct {
  gint width, height;  /* A-lines, depths */
  double rate;         /* B-scans per second by the caps */
  double x_spacing;    /* metres per A-line, by the caps */
  double z_spacing;    /* metres per depth in air */
  gint depth_start;    /* depths that are left out above */
  gint all_depths;     /* without any crop */
  double black, white; /* range in use, dB; the same: not known */
  const char *backend; /* "CPU", "CUDA" */
  const char *encoder; /* factory of the H.264 encoder */
  guint64 lost_lines;  /* A-lines of a digitizer that never came */
} OctLiveInfo;

typedef enum {
  OCT_LIVE_FAILED, /* an error */
  OCT_LIVE_ENDED,  /* a camera or connection that delivers no more */
  OCT_LIVE_AT_END, /* a file that was played to its end */
} OctLiveEnd;

/* Whether the reconstruction that was changed to last is why it ended. */
typedef enum {
  OCT_LIVE_INNOCENT,
  OCT_LIVE_SUSPECTED, /* it happened right after the change to it */
  OCT_LIVE_GUILTY,    /* it has reported the error itself */
} OctLiveBlame;

typedef struct _OctLiveFeed OctLiveFeed;

typedef struct {
  /* Streaming thread: the next image, stamped with the time of the system's
   * clock. */
  void (*image) (GstBuffer *image, GstCaps *caps, gpointer data);
  /* The same thread, before the image of them: A-scans, which must not be
   * changed; of finished images there are none. */
  void (*ascans) (GstBuffer *ascans, GstCaps *caps, gpointer data);
  /* The first image has come. */
  void (*begun) (gpointer data);
  /* Once: nothing comes any more.  `message`: one sentence, NULL if nothing
   * failed. */
  void (*ended) (
      OctLiveEnd how, const char *message, OctLiveBlame method, gpointer data);
  /* The last try of a reconstruction or change to it is over: it is in use now
   * or, with one sentence on why, is not. */
  void (*changed) (const char *problem, gpointer data);
  /* The result of oct_live_feed_find(): the message "oct-autofocus" or
   * "oct-background" of octreconstruct. */
  void (*focused) (const GstStructure *result, gpointer data);
  /* A measurement of raw spectra or A-scans, see oct_live_feed_measure(): the
   * message "oct-meter" of octmeter. */
  void (*measured) (const GstStructure *measurement, gpointer data);
  /* The source leaves A-lines out, which are filled in by settings->fill.
   * `note`: the result, a sentence; NULL as long as it is not known. */
  void (*filled) (const char *note, gpointer data);
  /* Once, after oct_live_feed_close() of a feed that was started. */
  void (*closed) (gpointer data);
} OctLiveFeedEvents;

/* NULL with an error of one sentence. */
OctLiveFeed *oct_live_feed_new (const OctLiveSource *source,
    const OctLiveSettings *settings, const OctLiveFeedEvents *events,
    gpointer data, GError **error);

/* Opens the source and plays; returns at once. */
void oct_live_feed_start (OctLiveFeed *feed);

/* Ends it; returns at once.  No event is called any more but `closed`, when the
 * source has been released; it is to be freed then. */
void oct_live_feed_close (OctLiveFeed *feed);
/* Waits for that, up to `timeout` in us.  FALSE when the source hangs: its
 * thread still runs then. */
gboolean oct_live_feed_wait (OctLiveFeed *feed, gint64 timeout);
void oct_live_feed_free (OctLiveFeed *feed);

/* Puts all but the method in force, also for a reconstruction that
 * is being tried. */
void oct_live_feed_set (OctLiveFeed *feed, const OctLiveSettings *settings);

/* Tries another reconstruction, settings->method, and changes to it when it
 * works: `changed` says so.  One at a time: FALSE, and nothing is done, while
 * there is one. */
gboolean oct_live_feed_change (
    OctLiveFeed *feed, const OctLiveSettings *settings);

typedef enum {
  OCT_LIVE_FIND_DISPERSION,
  OCT_LIVE_FIND_WAVENUMBERS, /* with the dispersion */
  OCT_LIVE_FIND_BACKGROUND,  /* takes the next B-scans for it */
  OCT_LIVE_FIND_DELAY,       /* of the scanner's mirrors */
  OCT_LIVE_N_FINDS,
} OctLiveFind;

/* Looks for the dispersion of the present images, or the like; `focused` gets
 * the result.  FALSE, and nothing is done, during such a search. */
gboolean oct_live_feed_find (OctLiveFeed *feed, OctLiveFind what);

/* The calibration in force as the text of a file, to be freed; NULL if there is
 * none. */
char *oct_live_feed_get_calibration (OctLiveFeed *feed);

/* The measurements of the signal that are wanted. */
typedef struct {
  gboolean looking;   /* some per second, with their curves */
  gboolean recording; /* one per second */
} OctLiveMeasuring;

/* Begins or ends them; of finished images there are none.  Nothing is measured,
 * and nothing of it costs time, unless they are wanted. */
void oct_live_feed_measure (
    OctLiveFeed *feed, const OctLiveMeasuring *measuring);

/* B-scans that belong to volumes need a range of grey levels that changes
 * slowly: one of each of them draws stripes. */
void oct_live_feed_smooth (OctLiveFeed *feed, gboolean volumes);

/* Leaves unknown values as they are. */
void oct_live_feed_get_info (OctLiveFeed *feed, OctLiveInfo *info);
/* B-scans that the source had to drop. */
guint64 oct_live_feed_get_missed (OctLiveFeed *feed);

G_END_DECLS
