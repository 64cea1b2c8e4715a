/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * From the source to images, in a pipeline of its own that lives as long as the
 * source does: where that fails or ends, a new one is made.
 *
 * Sources can take their time to open and to close, and hang.  That happens in
 * a thread of the feed; the main thread, which calls everything here, never
 * waits for them.  What it is told comes before whatever a network has for it.
 */
#pragma once

#include "oct-chain.h"
#include "oct-launch.h"

G_BEGIN_DECLS

/* What is pointed to has to live as long as what is made of it. */
typedef struct {
  const OctSourceOptions *file; /* of spectra; all zero: virtual OCT system */
  const char *source; /* pipeline of raw spectra, or NULL; file->calibration
                         is theirs */
  const char *images; /* pipeline of finished images, or NULL */
  double line_rate;   /* of the file, A-lines per second; 0 = 30 B-scans per
                         second */
  guint bitrate;      /* of H.264 in kbit/s */
} OctLiveSource;

/* What viewers can change.  min and max in dB, a2 in um^2, a3 in um^3. */
typedef struct {
  gboolean automatic;
  double min, max;
  double a2, a3;
  const char *method; /* id of an OctMethod */
} OctLiveSettings;

/* What is known of the images; zero or NULL as long as it is not. */
typedef struct {
  gint width, height;  /* A-lines, depths */
  double rate;         /* B-scans per second by the caps */
  double z_spacing;    /* metres per depth in air */
  const char *backend; /* "CPU", "CUDA" */
  const char *encoder; /* factory of the H.264 encoder */
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
  OCT_LIVE_GUILTY,    /* it has said so itself */
} OctLiveBlame;

typedef struct _OctLiveFeed OctLiveFeed;

typedef struct {
  /* Streaming thread: the next image, stamped with the time of the system's
   * clock. */
  void (*image) (GstBuffer *image, GstCaps *caps, gpointer data);
  /* The first image has come. */
  void (*begun) (gpointer data);
  /* Once: nothing comes any more.  `message`: one sentence, NULL when it is no
   * failure. */
  void (*ended) (
      OctLiveEnd how, const char *message, OctLiveBlame method, gpointer data);
  /* The last try of a reconstruction or change to it is over: it is in use now
   * or, with one sentence on why, is not. */
  void (*changed) (const char *problem, gpointer data);
  /* What oct_live_feed_focus() has come to: the message "oct-autofocus" of
   * octreconstruct. */
  void (*focused) (const GstStructure *result, gpointer data);
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
 * source has been let go of; it is to be freed then. */
void oct_live_feed_close (OctLiveFeed *feed);
/* Waits for that, up to `timeout` in us.  FALSE when the source hangs: its
 * thread still runs then. */
gboolean oct_live_feed_wait (OctLiveFeed *feed, gint64 timeout);
void oct_live_feed_free (OctLiveFeed *feed);

/* Puts min, max, automatic, a2 and a3 in force, also for a reconstruction that
 * is being tried. */
void oct_live_feed_set (OctLiveFeed *feed, const OctLiveSettings *settings);

/* Tries another reconstruction, settings->method, and changes to it when it
 * works: `changed` says so.  One at a time: FALSE, and nothing is done, while
 * there is one. */
gboolean oct_live_feed_change (
    OctLiveFeed *feed, const OctLiveSettings *settings);

/* Looks for the dispersion of what is seen, or takes back what was found last:
 * `focused` says what came of it.  FALSE, and nothing is done, while there is a
 * search, or nothing to take back. */
gboolean oct_live_feed_focus (OctLiveFeed *feed, gboolean undo);

/* Leaves what is not known as it is. */
void oct_live_feed_get_info (OctLiveFeed *feed, OctLiveInfo *info);
/* B-scans that the source had to drop. */
guint64 oct_live_feed_get_missed (OctLiveFeed *feed);

G_END_DECLS
