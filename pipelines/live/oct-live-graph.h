/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Computed once, however many people watch: the images
 * (oct-live-feed.h) and the streams made of them (oct-live-streams.h).
 *
 * When the source fails or ends, it is started again by itself, after 1, 2, 4,
 * 8 s and from then on every 10 s; everything else stays as it is.  This is
 * reported on the terminal, also if the source stops without an error.
 */
#pragma once

#include "oct-live-feed.h"
#include "oct-live-stage.h"
#include "oct-live-streams.h"

G_BEGIN_DECLS

/* Numbers since the start. */
typedef struct {
  guint64 frames;    /* images made */
  guint64 dropped;   /* of these, not sent, because encoding was too slow */
  guint64 missed;    /* B-scans that the source had to drop before */
  GstClockTime time; /* running time now */
} OctLiveCounts;

typedef struct _OctLiveGraph OctLiveGraph;

/* Called in the main context. */
typedef struct {
  /* The source has ended or failed before its first image, and is not tried
   * again: `message` is one sentence. */
  void (*not_begun) (const char *message, gpointer data);
  /* oct_live_graph_get_trouble() has changed; images come again when it is NULL
   * now. */
  void (*trouble) (gpointer data);
  /* The settings have changed by themselves: `problem` is the reason why a
   * reconstruction was not taken, NULL when the one wished for is in use. */
  void (*settings) (const char *problem, gpointer data);
  /* Images come again that had stopped without trouble() having been called:
   * the last one before was at `from`, the first one after it at `till`
   * (monotonic, us). */
  void (*gap) (gint64 from, gint64 till, gpointer data);
  /* A measurement that oct_live_graph_measure() has asked for. */
  void (*measured) (const GstStructure *measurement, gpointer data);
  /* The view, or the choice of views, has changed by itself: see
   * oct_live_graph_get_stage().  `problem`: why, one sentence, or NULL. */
  void (*shown) (const char *problem, gpointer data);
} OctLiveGraphEvents;

/* NULL with an error of one sentence. */
OctLiveGraph *oct_live_graph_new (const OctLiveSource *source, GError **error);
void oct_live_graph_start (
    OctLiveGraph *graph, const OctLiveGraphEvents *events, gpointer data);
/* Waits a little for the source to be released.  FALSE when that hangs or a
 * reconstruction is still being tried: a thread is busy with it, and the
 * program has to be left without cleaning up, or this be called again. */
gboolean oct_live_graph_free (OctLiveGraph *graph);

/* Why there are no images, in sentences for people, and the next step; NULL
 * when all is well.  The source is started again by itself. */
const char *oct_live_graph_get_trouble (OctLiveGraph *graph);

/* For people, if images stop coming without an error. */
#define OCT_LIVE_STALL_ADVICE                                                  \
  "Look at the source and its cables, and start oct-live again if none come."
/* Seconds since the last image; 0: there was none yet. */
double oct_live_graph_get_silence (OctLiveGraph *graph);

/* Whether images have stopped coming without trouble for long enough to count,
 * and event `gap` has not reported it: as that, or until now. */
gboolean oct_live_graph_get_gap (
    OctLiveGraph *graph, gint64 *from, gint64 *till);

/* The view of the B-scans, and its settings. */
OctLiveStage *oct_live_graph_get_stage (OctLiveGraph *graph);
/* To receive and to record. */
OctLiveStreams *oct_live_graph_get_streams (OctLiveGraph *graph);

/* FALSE when the images come finished and there is nothing to set. */
gboolean oct_live_graph_has_settings (OctLiveGraph *graph);
/* The method is the one that is wished for. */
void oct_live_graph_get_settings (
    OctLiveGraph *graph, OctLiveSettings *settings);
/* Whether the reconstruction that is wished for is not in use yet. */
gboolean oct_live_graph_is_changing (OctLiveGraph *graph);
/* FALSE with an error of one sentence when a value is impossible, or another
 * method when the source has ended for good; nothing has changed then.  Another
 * method is tried first and then changed to, or refused (event `settings`); of
 * several wishes the last one counts. */
gboolean oct_live_graph_set_settings (
    OctLiveGraph *graph, const OctLiveSettings *settings, GError **error);

/* Whether the scan leaves A-lines out, which are filled in by settings->fill;
 * `note`: the result, a sentence, or NULL.  Event `settings` reports changes
 * of it. */
gboolean oct_live_graph_is_masked (OctLiveGraph *graph, const char **note);

/* The search for the dispersion of the present images, or the like. */
typedef struct {
  gboolean looking;
  OctLiveFind what;   /* of the present search, or of the last one */
  gboolean undoable;  /* the last result can be taken back */
  const char *undoes; /* the result to undo, a word or two; NULL: nothing */
  const char *note;   /* the last result, a sentence, or NULL */
} OctLiveFocus;

/* Begins it: event `settings` reports the result.  FALSE with an error of one
 * sentence if that is not possible now. */
gboolean oct_live_graph_find (
    OctLiveGraph *graph, OctLiveFind what, GError **error);
/* Takes back the last result, and nothing else; event `settings`.  Called
 * again, the one before; also after the source was started again. */
gboolean oct_live_graph_undo (OctLiveGraph *graph, GError **error);
void oct_live_graph_get_focus (OctLiveGraph *graph, OctLiveFocus *focus);

/* The calibration in force, with the results of searches, as the text of a
 * file, to be freed; NULL if there is none now. */
char *oct_live_graph_get_calibration (OctLiveGraph *graph);

/* When something was set or found last, or there was another source (monotonic,
 * us): it is in force with the next B-scan. */
gint64 oct_live_graph_get_changed_at (OctLiveGraph *graph);

/* Words for the ends of a direction of the scan, "FIRST,LAST"; NULL: none. */
const char *oct_live_graph_get_ends (OctLiveGraph *graph, OctEnds ends);

/* Begins or ends measurements of the signal, reported by event `measured`; of
 * images that come finished there are none. */
void oct_live_graph_measure (
    OctLiveGraph *graph, const OctLiveMeasuring *measuring);

void oct_live_graph_get_info (OctLiveGraph *graph, OctLiveInfo *info);
void oct_live_graph_get_counts (OctLiveGraph *graph, OctLiveCounts *counts);
/* The last image shown, as it was made, NULL if there is none at present. */
GstSample *oct_live_graph_get_image (OctLiveGraph *graph);

G_END_DECLS
