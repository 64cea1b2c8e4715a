/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-graph.h"
#include "oct-live-crop.h"
#include "oct-live-filters.h"
#include "oct-live-history.h"
#include "oct-live-keeper.h"
#include "oct-live-properties.h"
#include "oct-live-sentences.h"
#include "oct-pulse.h"

#include <gst/video/video.h>

/* Until the source is tried again, s. */
static const guint delays[] = { 1, 2, 4, 8, 10 };
/* A source that has run for so long is tried again after the shortest delay. */
#define RUNS_WELL (10 * G_TIME_SPAN_SECOND)
#define CLOSING_TIME (3 * G_TIME_SPAN_SECOND)

struct _OctLiveGraph {
  OctLiveSource source;
  OctLiveGraphEvents events;
  gpointer data;
  OctLiveStreams *streams;
  OctLiveStage *stage;

  /* From the source to the images; all of it in the main thread. */
  OctLiveFeed *feed;         /* NULL while there is none */
  gboolean closing;          /* the feed is */
  gboolean over;             /* it was a file: there is no next one */
  guint timer;               /* for the next one */
  gboolean soon;             /* the next one, once this one is closed */
  guint failures;            /* in a row */
  gint64 begun_at;           /* of the feed's first image, 0 = none yet */
  gint seen;                 /* there was an image once; atomic */
  guint64 missed;            /* by earlier feeds */
  char *trouble, *reported;  /* now, and the last one printed */
  OctLiveSettings settings;  /* method: the one wished for */
  const char *used, *former; /* methods: in use, and the previous one */
  const char *trying;        /* method that is, or NULL */
  gboolean masked;           /* the scan leaves A-lines out */
  char *filled;              /* a sentence on how, or NULL */
  OctLiveFocus focus;        /* its note is `found` */
  char *found;
  OctLiveHistory *history;
  gint64 changed_at;     /* see oct_live_graph_get_changed_at() */
  OctLiveKeeper *keeper; /* NULL: no instrument */
  OctLiveMeasuring measuring;
  OctLiveInfo info;  /* as far as it was known last */
  OctPulse pulse;    /* of the images */
  gint64 started_at; /* it was, monotonic, us */
  guint looker;      /* timer that looks at it */
  gboolean cropped;  /* --depth-um is in force, or cannot be */
  gint64 gap_from;   /* last image before a feed that was given up for
                        its method; 0 = none was */
};

static OctLiveFeed *make_feed (OctLiveGraph *graph, GError **error);
static gboolean make_streams (OctLiveGraph *graph, GError **error);

/* ------------------------------------------------------------ the settings */

/* Those of the command line count more than those of the instrument. */
static gboolean
graph_take_wishes (OctLiveGraph *graph, GError **error)
{
  if (graph->source.wishes != NULL)
    oct_live_settings_copy (
        graph->source.wishes, graph->source.wished, &graph->settings);
  return oct_live_settings_check (&graph->settings, error);
}

OctLiveGraph *
oct_live_graph_new (const OctLiveSource *source, GError **error)
{
  OctLiveGraph *graph = g_new0 (OctLiveGraph, 1);

  oct_pulse_init (&graph->pulse, g_get_monotonic_time ());
  graph->source = *source;
  graph->used = graph->former = oct_methods ()->id;
  graph->history = oct_live_history_new ();
  graph->settings.method = graph->used;
  oct_live_keeper_get_defaults (&graph->source, &graph->settings);
  if (source->instrument != NULL && source->images == NULL) {
    graph->keeper = oct_live_keeper_new (
        &graph->source, &graph->settings, &graph->used, error);
    if (graph->keeper == NULL) {
      oct_live_graph_free (graph);
      return NULL;
    }
    graph->former = graph->used;
  }
  if (source->images == NULL && oct_method_find (graph->used) == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer does not find the elements of this project; install the "
        "plugin or set GST_PLUGIN_PATH to its folder.");
    oct_live_graph_free (graph);
    return NULL;
  }
  if (source->images != NULL || graph_take_wishes (graph, error))
    graph->feed = make_feed (graph, error);
  if (graph->feed != NULL && make_streams (graph, error))
    return graph;
  oct_live_graph_free (graph);
  return NULL;
}

/* ----------------------------------------------------------------- the source
 */

/* Streaming thread of the feed. */
static void
graph_on_image (GstBuffer *image, GstCaps *caps, gpointer data)
{
  OctLiveGraph *graph = data;

  g_atomic_int_set (&graph->seen, TRUE);
  oct_pulse_beat (&graph->pulse, g_get_monotonic_time ());
  oct_live_stage_take (graph->stage, image, caps);
}

/* The same thread. */
static void
graph_on_ascans (GstBuffer *ascans, GstCaps *caps, gpointer data)
{
  OctLiveGraph *graph = data;

  oct_live_stage_take_ascans (graph->stage, ascans, caps);
}

/* Takes the sentence. */
static void
set_trouble (OctLiveGraph *graph, char *trouble)
{
  g_free (graph->trouble);
  graph->trouble = trouble;
  graph->gap_from = 0;
  (void)oct_pulse_forgive (&graph->pulse, g_get_monotonic_time ());
  if (g_strcmp0 (trouble, graph->reported) != 0) {
    g_printerr (
        "%s\n", trouble != NULL ? trouble : "Pictures are coming again.");
    g_free (graph->reported);
    graph->reported = g_strdup (trouble);
  }
  graph->events.trouble (graph->data);
}

static void
graph_tell_stopped (OctLiveGraph *graph, gint64 now)
{
  gboolean any;
  gint64 last = oct_pulse_get_last (&graph->pulse, &any);

  oct_live_print_stop (any, (now - last) / 1e6, OCT_LIVE_STALL_ADVICE);
}

/* Images are back, and `graph->trouble` had nothing to do with it. */
static void
tell_gap (OctLiveGraph *graph, gint64 from, gint64 till)
{
  gboolean first = from <= graph->started_at;

  g_printerr ("Pictures are coming%s, after %.1f s without any.\n",
      first ? "" : " again", (till - from) / 1e6);
  graph->events.gap (from, till, graph->data);
}

double
oct_live_graph_get_silence (OctLiveGraph *graph)
{
  gboolean any;
  gint64 last = oct_pulse_get_last (&graph->pulse, &any);

  return any ? (g_get_monotonic_time () - last) / 1e6 : 0.0;
}

static gint64
graph_get_period (OctLiveGraph *graph)
{
  OctLiveInfo info;

  oct_live_graph_get_info (graph, &info);
  return info.rate > 0.0 ? (gint64)(1e6 / info.rate) : 0;
}

static void
graph_end_search (OctLiveGraph *graph)
{
  gboolean looking = graph->focus.looking;

  graph->focus.looking = FALSE;
  /* not if the whole graph ends */
  if (looking && graph->looker != 0)
    graph->events.settings (OCT_LIVE_SEARCH_ENDED, graph->data);
}

/* A source may hang, or take a break that is its own affair: nothing is ended
 * for that. */
static gboolean
graph_look (gpointer data)
{
  OctLiveGraph *graph = data;
  gint64 now = g_get_monotonic_time (), from, till;
  OctPulseChange state;

  if (graph->trouble != NULL)
    return G_SOURCE_CONTINUE;
  state = oct_pulse_check (
      &graph->pulse, now, graph_get_period (graph), &from, &till);
  if (state == OCT_PULSE_STOPPED) {
    graph_tell_stopped (graph, now);
    graph_end_search (graph);
  } else if (state == OCT_PULSE_BACK && graph->gap_from == 0)
    tell_gap (graph, from, till);
  return G_SOURCE_CONTINUE;
}

static void
close_feed (OctLiveGraph *graph)
{
  if (graph->feed == NULL || graph->closing)
    return;
  graph->closing = TRUE;
  graph->trying = NULL;
  oct_live_feed_close (graph->feed);
  graph_end_search (graph);
}

static gboolean graph_begin (gpointer data);

static void
begin_in (OctLiveGraph *graph, guint seconds)
{
  if (graph->timer == 0)
    graph->timer = g_timeout_add_seconds_full (
        G_PRIORITY_HIGH, seconds, graph_begin, graph, NULL);
}

static guint
next_delay (OctLiveGraph *graph)
{
  guint delay = delays[MIN (graph->failures, G_N_ELEMENTS (delays) - 1)];

  graph->failures++;
  return delay;
}

/* The wish that there is nothing to try with any more is given up. */
static void
graph_finish (OctLiveGraph *graph)
{
  graph->over = TRUE;
  if (graph->settings.method == graph->used)
    return;
  graph->settings.method = graph->used;
  graph->events.settings (OCT_LIVE_NO_CHANGE, graph->data);
}

/* `failure`: a sentence, NULL when it is none. */
static void
take_end (OctLiveGraph *graph, OctLiveEnd how, const char *failure)
{
  gboolean again = how != OCT_LIVE_AT_END;

  if (!g_atomic_int_get (&graph->seen)) {
    close_feed (graph);
    graph->events.not_begun (
        failure != NULL ? failure
                        : "The source has ended before its first picture.",
        graph->data);
    return;
  }
  if (graph->begun_at != 0
      && g_get_monotonic_time () - graph->begun_at > RUNS_WELL)
    graph->failures = 0;
  close_feed (graph);
  set_trouble (graph,
      g_strconcat (
          failure != NULL ? failure : "The source of the pictures has ended.",
          again ? " It is being tried again." : NULL, NULL));
  if (again)
    begin_in (graph, next_delay (graph));
  else
    graph_finish (graph);
}

/* The failed reconstruction is replaced by the previous one, once, which shows
 * as no more than a gap.  FALSE when it was that one already. */
static gboolean
graph_revert (OctLiveGraph *graph, OctLiveBlame blame, const char *message)
{
  const char *bad = graph->trying != NULL ? graph->trying : graph->used;
  const char *good = graph->trying != NULL ? graph->used : graph->former;
  g_autofree char *problem = NULL;
  gboolean any;

  if (bad == good || !g_atomic_int_get (&graph->seen))
    return FALSE;
  graph->used = graph->former = good;
  graph->settings.method = good;
  graph->soon = TRUE;
  graph->gap_from = oct_pulse_get_last (&graph->pulse, &any);
  close_feed (graph);
  problem = oct_live_describe_revert (bad, good, blame, message);
  g_printerr ("%s\n", problem);
  graph->events.settings (problem, graph->data);
  return TRUE;
}

static void
on_ended (
    OctLiveEnd how, const char *message, OctLiveBlame method, gpointer data)
{
  OctLiveGraph *graph = data;
  g_autofree char *failure = NULL;

  if (how == OCT_LIVE_FAILED && method != OCT_LIVE_INNOCENT
      && graph_revert (graph, method, message))
    return;
  if (how == OCT_LIVE_FAILED)
    failure = oct_live_describe_failure ("The source of the pictures", message);
  take_end (graph, how, failure);
}

static void
on_streams_failed (const char *what, const char *message, gpointer data)
{
  g_autofree char *failure = oct_live_describe_failure (what, message);

  take_end (data, OCT_LIVE_FAILED, failure);
}

static void
on_stage_changed (const char *problem, gpointer data)
{
  OctLiveGraph *graph = data;

  if (graph->feed != NULL && !graph->closing)
    oct_live_feed_smooth (
        graph->feed, oct_live_stage_get_bscans (graph->stage) > 1);
  graph->events.shown (problem, graph->data);
}

static gboolean
make_streams (OctLiveGraph *graph, GError **error)
{
  static const OctLiveStageEvents events = { on_stage_changed };
  const OctLiveSource *source = &graph->source;
  const OctLiveScan known = { .bscans = source->bscans,
    .repeats = source->repeats,
    .spectra = source->images == NULL,
    .width = source->width,
    .length = source->length,
    .refractive_index = source->refractive_index };

  graph->streams =
      oct_live_streams_new (source->bitrate, on_streams_failed, graph, error);
  if (graph->streams != NULL)
    graph->stage = oct_live_stage_new (&known,
        source->flow ? OCT_LIVE_FLOW : OCT_LIVE_BSCANS, graph->streams, &events,
        graph);
  return graph->stage != NULL;
}

/* Begins the next change, if there is a wish left. */
static void
graph_change (OctLiveGraph *graph)
{
  if (graph->feed == NULL || graph->closing || graph->begun_at == 0
      || graph->trying != NULL || graph->settings.method == graph->used)
    return;
  if (oct_live_feed_change (graph->feed, &graph->settings))
    graph->trying = graph->settings.method;
}

static void
on_changed (const char *problem, gpointer data)
{
  OctLiveGraph *graph = data;
  const char *tried = graph->trying;
  gboolean last = graph->settings.method == tried;

  graph->trying = NULL;
  if (problem == NULL) {
    graph->former = graph->used;
    graph->used = tried;
    oct_live_keeper_keep_soon (graph->keeper);
  } else if (last)
    graph->settings.method = graph->used;
  if (last)
    graph->events.settings (problem, graph->data);
  graph_change (graph);
}

/* Others may have been set since. */
static void
put_in_force (OctLiveGraph *graph)
{
  if (graph->feed != NULL && !graph->closing)
    oct_live_feed_set (graph->feed, &graph->settings);
  graph->changed_at = g_get_monotonic_time ();
  oct_live_keeper_keep_soon (graph->keeper);
}

/* A result becomes a setting like those that people set. */
static void
on_focused (const GstStructure *result, gpointer data)
{
  OctLiveGraph *graph = data;
  const char *text = gst_structure_get_string (result, "text");
  const char *what = gst_structure_get_string (result, "result");
  gboolean failed = g_strcmp0 (what, "failed") == 0;
  g_autoptr (GError) error = NULL;

  /* that of a search that was given up, as no B-scans came */
  if (gst_structure_has_name (result, "oct-tune")
      != (graph->focus.looking && graph->focus.what == OCT_LIVE_FIND_DELAY))
    return;
  graph->focus.looking = FALSE;
  g_clear_pointer (&graph->found, g_free);
  if (!failed && graph->focus.what == OCT_LIVE_FIND_DELAY)
    graph->found = oct_scanner_tune (graph->source.scanner, result, &error);
  else if (!failed)
    graph->found = g_strdup (text);
  if (g_strcmp0 (what, "changed") == 0) {
    oct_live_history_take (graph->history, result, &graph->settings);
    put_in_force (graph);
  }
  graph->events.settings (error != NULL ? error->message
                          : failed      ? text
                                        : NULL,
      graph->data);
}

static void
graph_on_measured (const GstStructure *measurement, gpointer data)
{
  OctLiveGraph *graph = data;

  graph->events.measured (measurement, graph->data);
}

static void
graph_on_filled (const char *note, gpointer data)
{
  OctLiveGraph *graph = data;

  if (graph->masked && g_strcmp0 (graph->filled, note) == 0)
    return;
  graph->masked = TRUE;
  g_free (graph->filled);
  graph->filled = g_strdup (note);
  graph->events.settings (NULL, graph->data);
}

/* --depth-um: depths have a size when the calibration is known. */
static void
graph_take_crop (OctLiveGraph *graph)
{
  if (graph->cropped || graph->source.depth_to <= 0.0)
    return;
  graph->cropped = TRUE;
  oct_live_crop_take (&graph->source, &graph->info, &graph->settings);
  put_in_force (graph);
  graph->events.settings (NULL, graph->data);
}

static void
graph_on_begun (gpointer data)
{
  OctLiveGraph *graph = data;

  graph->begun_at = graph->changed_at = g_get_monotonic_time ();
  oct_live_feed_get_info (graph->feed, &graph->info);
  oct_live_stage_begin (
      graph->stage, g_strcmp0 (graph->info.backend, "CUDA") == 0);
  graph_take_crop (graph);
  if (graph->gap_from != 0) {
    (void)oct_pulse_forgive (&graph->pulse, graph->begun_at);
    tell_gap (graph, graph->gap_from, graph->begun_at);
    graph->gap_from = 0;
  }
  if (graph->trouble != NULL) {
    set_trouble (graph, NULL);
    oct_live_streams_request_key_frame (graph->streams);
  }
  graph_change (graph);
}

static void
graph_on_closed (gpointer data)
{
  OctLiveGraph *graph = data;

  graph->missed += oct_live_feed_get_missed (graph->feed);
  graph->closing = FALSE;
  g_clear_pointer (&graph->feed, oct_live_feed_free);
  if (graph->soon)
    graph_begin (graph);
}

static OctLiveFeed *
make_feed (OctLiveGraph *graph, GError **error)
{
  static const OctLiveFeedEvents events = { graph_on_image, graph_on_ascans,
    graph_on_begun, on_ended, on_changed, on_focused, graph_on_measured,
    graph_on_filled, graph_on_closed };
  OctLiveSettings settings = graph->settings;
  OctLiveFeed *feed;

  settings.method = graph->used;
  graph->begun_at = 0;
  graph->masked = FALSE;
  g_clear_pointer (&graph->found, g_free);
  g_clear_pointer (&graph->filled, g_free);
  feed = oct_live_feed_new (&graph->source, &settings, &events, graph, error);
  if (feed == NULL)
    return NULL;
  oct_live_feed_measure (feed, &graph->measuring);
  if (graph->stage != NULL)
    oct_live_feed_smooth (feed, oct_live_stage_get_bscans (graph->stage) > 1);
  return feed;
}

static gboolean
graph_begin (gpointer data)
{
  OctLiveGraph *graph = data;
  g_autofree char *failure = NULL;
  g_autoptr (GError) error = NULL;

  if (graph->timer != 0)
    g_source_remove (graph->timer);
  graph->timer = 0;
  /* no source can be opened twice, and some take their time to be released */
  graph->soon = graph->feed != NULL;
  if (graph->soon)
    return G_SOURCE_REMOVE;
  oct_live_streams_repair (graph->streams);
  graph->over = FALSE;
  graph->feed = make_feed (graph, &error);
  if (graph->feed != NULL) {
    oct_live_feed_start (graph->feed);
    return G_SOURCE_REMOVE;
  }
  failure =
      oct_live_describe_failure ("The source of the pictures", error->message);
  take_end (graph, OCT_LIVE_FAILED, failure);
  return G_SOURCE_REMOVE;
}

/* ------------------------------------------------------------ start and end */

void
oct_live_graph_start (
    OctLiveGraph *graph, const OctLiveGraphEvents *events, gpointer data)
{
  graph->events = *events;
  graph->data = data;
  graph->started_at = g_get_monotonic_time ();
  (void)oct_pulse_forgive (&graph->pulse, graph->started_at);
  graph->looker =
      g_timeout_add_seconds_full (G_PRIORITY_HIGH, 1, graph_look, graph, NULL);
  oct_live_streams_start (graph->streams);
  oct_live_feed_start (graph->feed);
}

gboolean
oct_live_graph_free (OctLiveGraph *graph)
{
  g_clear_handle_id (&graph->timer, g_source_remove);
  g_clear_handle_id (&graph->looker, g_source_remove);
  g_clear_pointer (&graph->keeper, oct_live_keeper_free);
  close_feed (graph);
  if (graph->feed != NULL && !oct_live_feed_wait (graph->feed, CLOSING_TIME))
    return FALSE;
  g_clear_pointer (&graph->stage, oct_live_stage_free);
  g_clear_pointer (&graph->streams, oct_live_streams_free);
  g_clear_pointer (&graph->feed, oct_live_feed_free);
  oct_pulse_clear (&graph->pulse);
  g_free (graph->trouble);
  g_free (graph->reported);
  g_free (graph->found);
  g_free (graph->filled);
  oct_live_history_free (graph->history);
  oct_live_settings_clear (&graph->settings);
  g_free (graph);
  return TRUE;
}

gboolean
oct_live_graph_get_gap (OctLiveGraph *graph, gint64 *from, gint64 *till)
{
  return graph->trouble == NULL
         && oct_pulse_get_gap (&graph->pulse, g_get_monotonic_time (),
             graph_get_period (graph), from, till);
}

OctLiveStage *
oct_live_graph_get_stage (OctLiveGraph *graph)
{
  return graph->stage;
}

OctLiveStreams *
oct_live_graph_get_streams (OctLiveGraph *graph)
{
  return graph->streams;
}

const char *
oct_live_graph_get_trouble (OctLiveGraph *graph)
{
  return graph->trouble;
}

/* ------------------------------------------------------------------ settings
 */

gboolean
oct_live_graph_has_settings (OctLiveGraph *graph)
{
  return graph->source.images == NULL;
}

void
oct_live_graph_get_settings (OctLiveGraph *graph, OctLiveSettings *settings)
{
  *settings = graph->settings;
}

gboolean
oct_live_graph_is_masked (OctLiveGraph *graph, const char **note)
{
  *note = graph->filled;
  return graph->masked;
}

gboolean
oct_live_graph_is_changing (OctLiveGraph *graph)
{
  return graph->settings.method != graph->used;
}

static gboolean
graph_refuse (const char *problem, GError **error)
{
  if (problem != NULL)
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, problem);
  return problem == NULL;
}

static gboolean
graph_check_settings (
    OctLiveGraph *graph, OctLiveSettings *settings, GError **error)
{
  g_autofree char *calibration = NULL;

  if (!oct_live_graph_has_settings (graph))
    return graph_refuse (OCT_LIVE_NOTHING_TO_SET, error);
  calibration = oct_live_graph_get_calibration (graph);
  if (!oct_live_settings_check (settings, error)
      || !oct_live_settings_check_background (
          settings, &graph->settings, calibration, error))
    return FALSE;
  if (graph->over && settings->method != graph->used)
    return graph_refuse (OCT_LIVE_NOTHING_TO_TRY, error);
  return TRUE;
}

gboolean
oct_live_graph_set_settings (
    OctLiveGraph *graph, const OctLiveSettings *settings, GError **error)
{
  OctLiveSettings former = graph->settings, wished = *settings;

  if (!graph_check_settings (graph, &wished, error))
    return FALSE;
  graph->settings = wished;
  /* these are found, and not set */
  graph->settings.k_warp = former.k_warp;
  graph->settings.background = former.background;
  if (graph->settings.fill != former.fill)
    g_clear_pointer (&graph->filled, g_free);
  put_in_force (graph);
  graph_change (graph);
  return TRUE;
}

gboolean
oct_live_graph_find (OctLiveGraph *graph, OctLiveFind what, GError **error)
{
  gint64 from, till;
  const char *problem =
      oct_live_describe_no_search (!oct_live_graph_has_settings (graph),
          graph->trouble != NULL || graph->begun_at == 0 || graph->over
              || oct_live_graph_get_gap (graph, &from, &till),
          graph->focus.looking);

  if (problem == NULL && !oct_live_feed_find (graph->feed, what))
    problem = "The search cannot begin now; try again.";
  if (!graph_refuse (problem, error))
    return FALSE;
  graph->focus.looking = TRUE;
  graph->focus.what = what;
  return TRUE;
}

gboolean
oct_live_graph_undo (OctLiveGraph *graph, GError **error)
{
  char *text = oct_live_history_undo (graph->history, &graph->settings);

  if (text == NULL)
    return graph_refuse ("There is nothing to undo.", error);
  g_free (graph->found);
  graph->found = text;
  put_in_force (graph);
  graph->events.settings (NULL, graph->data);
  return TRUE;
}

char *
oct_live_graph_get_calibration (OctLiveGraph *graph)
{
  return graph->feed != NULL && !graph->closing
             ? oct_live_feed_get_calibration (graph->feed)
             : NULL;
}

const char *
oct_live_graph_get_ends (OctLiveGraph *graph, OctEnds ends)
{
  return oct_live_keeper_get_ends (graph->keeper, &graph->source, ends);
}

gint64
oct_live_graph_get_changed_at (OctLiveGraph *graph)
{
  return graph->changed_at;
}

void
oct_live_graph_get_focus (OctLiveGraph *graph, OctLiveFocus *focus)
{
  *focus = graph->focus;
  focus->note = graph->found;
  focus->undoes = oct_live_history_describe (graph->history);
  focus->undoable = focus->undoes != NULL;
}

void
oct_live_graph_measure (OctLiveGraph *graph, const OctLiveMeasuring *measuring)
{
  if (graph->measuring.looking == measuring->looking
      && graph->measuring.recording == measuring->recording)
    return;
  graph->measuring = *measuring;
  if (graph->feed != NULL)
    oct_live_feed_measure (graph->feed, measuring);
}

/* --------------------------------------------------------------- information
 */

void
oct_live_graph_get_info (OctLiveGraph *graph, OctLiveInfo *info)
{
  g_autoptr (GstCaps) caps = oct_live_streams_get_caps (graph->streams);
  GstVideoInfo video;

  if (graph->feed != NULL && !graph->closing)
    oct_live_feed_get_info (graph->feed, &graph->info);
  if (caps != NULL && gst_video_info_from_caps (&video, caps)) {
    graph->info.width = video.width;
    graph->info.height = video.height;
    graph->info.rate =
        video.fps_d > 0 ? (double)video.fps_n / video.fps_d : 0.0;
  }
  graph->info.encoder = oct_live_streams_get_encoder (graph->streams);
  *info = graph->info;
}

void
oct_live_graph_get_counts (OctLiveGraph *graph, OctLiveCounts *counts)
{
  oct_live_streams_get_counts (
      graph->streams, &counts->frames, &counts->dropped, &counts->time);
  counts->missed = graph->missed;
  if (graph->feed != NULL)
    counts->missed += oct_live_feed_get_missed (graph->feed);
}

GstSample *
oct_live_graph_get_image (OctLiveGraph *graph)
{
  /* an old picture must not be taken for a present one */
  return graph->trouble == NULL ? oct_live_streams_get_image (graph->streams)
                                : NULL;
}
