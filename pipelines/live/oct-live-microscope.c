/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-microscope.h"

#include "oct-launch.h"
#include "oct-live-sentences.h"

#include <gst/app/gstappsink.h>
#include <sys/stat.h>

/* Until the source is tried again, s. */
#define LAST_DELAY 10
static const guint delays[] = { 1, 2, 4, 8, LAST_DELAY };
#define CLOSING_TIME (3 * G_TIME_SPAN_SECOND)
/* A file that is over so soon would be opened all the time, us. */
#define SHORT G_TIME_SPAN_SECOND
/* Without a picture for so long, a source that says nothing is begun again. */
#define SILENCE (5 * G_TIME_SPAN_SECOND)
/* ... and if it has not had one yet, as a connection may take its time. */
#define FIRST_SILENCE (20 * G_TIME_SPAN_SECOND)

/* It draws little time, and moves so that people see that it does. */
#define TEST                                                                   \
  "videotestsrc is-live=true pattern=smpte ! video/x-raw,format=I420,"         \
  "width=1920,height=1080,framerate=30/1"
/* Formats that can be cut and mixed; others are converted. */
#define END                                                                    \
  "videoconvert ! appsink name=end max-buffers=2 drop=true "                   \
  "enable-last-sample=false caps=\"video/x-raw,format={I420,YV12,NV12,YUY2,"   \
  "UYVY,YVYU,Y42B,Y444,BGRx,RGBx,xRGB,xBGR,BGR,RGB,GRAY8}\""

/* A try of the source; atomically counted, its thread has a reference. */
typedef struct {
  OctLiveMicroscopeEvents events;
  gpointer data;
  GstElement *pipeline, *sink;
  guint watch;
  gint closed;   /* atomic */
  gint pictures; /* atomic: there are some */
  gint64 last;   /* of them, monotonic us, atomic */
  GMutex lock;
  GCond cond;
  gboolean stop, stopped;
} Run;

struct _OctLiveMicroscope {
  char *line; /* without the end */
  OctLiveMicroscopeEvents events;
  gpointer data;
  Run *run;         /* NULL: none */
  gint64 run_at;    /* it was begun */
  gboolean closing; /* the run is */
  guint timer;      /* for the next one */
  guint looker;     /* timer */
  guint failures;   /* in a row */
  char *trouble;
};

/* -------------------------------------------------------------------- source
 */

static gboolean
microscope_is_element (const char *source)
{
  g_auto (GStrv) words = g_strsplit (source, " ", 2);
  g_autoptr (GstElementFactory) factory =
      words[0] != NULL ? gst_element_factory_find (words[0]) : NULL;

  return factory != NULL;
}

static gboolean
microscope_is_uri (const char *source)
{
  g_autofree char *protocol =
      gst_uri_is_valid (source) ? gst_uri_get_protocol (source) : NULL;

  return protocol != NULL
         && gst_uri_protocol_is_supported (GST_URI_SRC, protocol);
}

/* The launch line of a path; NULL: there is none at that path. */
static char *
microscope_describe_path (const char *source)
{
  g_autofree char *quoted = oct_launch_quote (source);
  struct stat status;

  if (stat (source, &status) != 0)
    return NULL;
  if (S_ISCHR (status.st_mode))
    return g_strdup_printf ("v4l2src device=%s ! decodebin", quoted);
  if (S_ISREG (status.st_mode))
    return g_strdup_printf ("filesrc location=%s ! decodebin", quoted);
  return NULL;
}

static char *
microscope_describe (const char *source, GError **error)
{
  g_autofree char *quoted = oct_launch_quote (source);
  char *line;

  if (g_str_equal (source, "test"))
    return g_strdup (TEST);
  if (strchr (source, '!') != NULL)
    return g_strdup (source);
  if (g_str_has_prefix (source, "rtsp://")
      || g_str_has_prefix (source, "rtsps://"))
    return g_strdup_printf (
        "rtspsrc location=%s latency=60 drop-on-latency=true ! decodebin",
        quoted);
  if (microscope_is_uri (source))
    return g_strdup_printf ("uridecodebin uri=%s caps=video/x-raw", quoted);
  line = microscope_describe_path (source);
  if (line != NULL)
    return line;
  if (microscope_is_element (source))
    return g_strdup (source);
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "--microscope '%s' is not there; it is a device as /dev/video0, an "
      "address as rtsp://HOST/PATH, a file, elements of GStreamer that end in "
      "video, or test.",
      source);
  return NULL;
}

/* Adds the source and its end to a pipeline. */
static GstElement *
microscope_add (GstBin *pipeline, const char *line, GError **error)
{
  g_autofree char *text = g_strconcat (line, " ! " END, NULL);
  g_autoptr (GError) reason = NULL;

  if (oct_launch_add_part (pipeline, text, &reason) != NULL)
    return gst_bin_get_by_name (pipeline, "end");
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "--microscope \"%s\" is not a valid pipeline: %s.", line,
      reason->message);
  return NULL;
}

OctLiveMicroscope *
oct_live_microscope_new (const char *source, GError **error)
{
  g_autofree char *line = microscope_describe (source, error);
  g_autoptr (GstElement) pipeline = NULL, sink = NULL;
  OctLiveMicroscope *microscope;

  if (line == NULL)
    return NULL;
  pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  sink = microscope_add (GST_BIN (pipeline), line, error);
  if (sink == NULL)
    return NULL;
  microscope = g_new0 (OctLiveMicroscope, 1);
  microscope->line = g_steal_pointer (&line);
  return microscope;
}

/* ---------------------------------------------------------------------- runs
 */

static void
run_clear (gpointer data)
{
  Run *run = data;

  gst_clear_object (&run->sink);
  gst_clear_object (&run->pipeline);
  g_mutex_clear (&run->lock);
  g_cond_clear (&run->cond);
}

static void
run_release (gpointer run)
{
  g_atomic_rc_box_release_full (run, run_clear);
}

/* Streaming thread. */
static GstFlowReturn
run_on_picture (GstAppSink *sink, gpointer data)
{
  Run *run = data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  g_autoptr (GstBuffer) picture = NULL;
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (sample == NULL || g_atomic_int_get (&run->closed))
    return GST_FLOW_OK;
  picture = gst_buffer_copy (gst_sample_get_buffer (sample));
  if (gst_sample_get_segment (sample)->format == GST_FORMAT_TIME)
    time = gst_segment_to_running_time (gst_sample_get_segment (sample),
        GST_FORMAT_TIME, GST_BUFFER_PTS (picture));
  GST_BUFFER_PTS (picture) =
      GST_CLOCK_TIME_IS_VALID (time)
          ? time + gst_element_get_base_time (run->pipeline)
          : gst_util_get_timestamp ();
  GST_BUFFER_DTS (picture) = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&run->lock);
  run->last = g_get_monotonic_time ();
  g_mutex_unlock (&run->lock);
  g_atomic_int_set (&run->pictures, TRUE);
  run->events.picture (picture, gst_sample_get_caps (sample), run->data);
  return GST_FLOW_OK;
}

/* The life of the pipeline: sources can take their time to open and to close,
 * and hang.  Live pictures are taken as they come; those
 * of a file wait for their times. */
static gpointer
run_run (gpointer data)
{
  Run *run = data;
  GstStateChangeReturn paused =
      gst_element_set_state (run->pipeline, GST_STATE_PAUSED);

  g_object_set (run->sink, "sync", paused != GST_STATE_CHANGE_NO_PREROLL, NULL);
  gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
  g_mutex_lock (&run->lock);
  while (!run->stop)
    g_cond_wait (&run->cond, &run->lock);
  g_mutex_unlock (&run->lock);
  gst_element_set_state (run->pipeline, GST_STATE_NULL);
  g_mutex_lock (&run->lock);
  run->stopped = TRUE;
  g_cond_broadcast (&run->cond);
  g_mutex_unlock (&run->lock);
  run_release (run);
  return NULL;
}

static void
run_close (Run *run)
{
  g_atomic_int_set (&run->closed, TRUE);
  g_clear_handle_id (&run->watch, g_source_remove);
  g_mutex_lock (&run->lock);
  run->stop = TRUE;
  g_cond_broadcast (&run->cond);
  g_mutex_unlock (&run->lock);
}

/* Up to `timeout` us; FALSE when it still runs. */
static gboolean
run_wait (Run *run, gint64 timeout)
{
  gint64 until = g_get_monotonic_time () + timeout;
  gboolean in_time = TRUE;

  g_mutex_lock (&run->lock);
  while (in_time && !run->stopped)
    in_time = g_cond_wait_until (&run->cond, &run->lock, until);
  in_time = run->stopped;
  g_mutex_unlock (&run->lock);
  return in_time;
}

/* ------------------------------------------------------------ begin and again
 */

static gboolean microscope_begin (gpointer data);

/* Takes the sentence, or NULL. */
static void
microscope_set_trouble (OctLiveMicroscope *microscope, char *trouble)
{
  gboolean same = g_strcmp0 (trouble, microscope->trouble) == 0;

  g_free (microscope->trouble);
  microscope->trouble = trouble;
  if (same)
    return;
  g_printerr ("%s\n", trouble != NULL
                          ? trouble
                          : "Pictures of the microscope are coming again.");
  microscope->events.trouble (microscope->data);
}

static void
microscope_again (OctLiveMicroscope *microscope, guint seconds)
{
  microscope->closing = TRUE;
  run_close (microscope->run);
  if (microscope->timer == 0)
    microscope->timer = g_timeout_add_seconds_full (
        G_PRIORITY_HIGH, seconds, microscope_begin, microscope, NULL);
}

/* `problem`: of GStreamer, or NULL. */
static void
microscope_fail (OctLiveMicroscope *microscope, const char *problem)
{
  guint delay = delays[MIN (microscope->failures, G_N_ELEMENTS (delays) - 1)];
  g_autofree char *failure =
      problem != NULL
          ? oct_live_describe_failure ("The microscope's picture", problem)
          : g_strdup ("The microscope's picture has ended.");

  microscope->failures++;
  microscope_set_trouble (
      microscope, g_strconcat (failure, " It is being tried again.", NULL));
  microscope_again (microscope, delay);
}

static gboolean
microscope_on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OctLiveMicroscope *microscope = data;
  Run *run = microscope->run;
  g_autoptr (GError) error = NULL;

  if (run == NULL || microscope->closing)
    return G_SOURCE_CONTINUE;
  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    oct_launch_parse_error (message, &error);
    microscope_fail (microscope, error->message);
    return G_SOURCE_REMOVE;
  case GST_MESSAGE_EOS:
    /* a file begins again */
    if (!g_atomic_int_get (&run->pictures)) {
      microscope_fail (microscope, NULL);
      return G_SOURCE_REMOVE;
    }
    microscope_again (microscope,
        g_get_monotonic_time () - microscope->run_at < SHORT ? 1 : 0);
    return G_SOURCE_REMOVE;
  case GST_MESSAGE_LATENCY:
    gst_bin_recalculate_latency (GST_BIN (run->pipeline));
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

static Run *
microscope_make_run (OctLiveMicroscope *microscope, GError **error)
{
  Run *run = g_atomic_rc_box_new0 (Run);
  GstAppSinkCallbacks callbacks = { .new_sample = run_on_picture };
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();

  g_mutex_init (&run->lock);
  g_cond_init (&run->cond);
  run->events = microscope->events;
  run->data = microscope->data;
  run->pipeline =
      gst_object_ref_sink (gst_pipeline_new ("oct-live-microscope"));
  gst_pipeline_use_clock (GST_PIPELINE (run->pipeline), clock);
  run->sink = microscope_add (GST_BIN (run->pipeline), microscope->line, error);
  if (run->sink == NULL) {
    run_release (run);
    return NULL;
  }
  gst_app_sink_set_callbacks (GST_APP_SINK (run->sink), &callbacks, run, NULL);
  return run;
}

/* No source can be opened twice: this waits for the one before. */
static gboolean
microscope_begin (gpointer data)
{
  OctLiveMicroscope *microscope = data;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GError) error = NULL;

  if (microscope->run != NULL && !run_wait (microscope->run, 0)) {
    g_clear_handle_id (&microscope->timer, g_source_remove);
    microscope->timer = g_timeout_add_full (
        G_PRIORITY_HIGH, 200, microscope_begin, microscope, NULL);
    return G_SOURCE_REMOVE;
  }
  microscope->timer = 0;
  g_clear_pointer (&microscope->run, run_release);
  microscope->run = microscope_make_run (microscope, &error);
  microscope->closing = FALSE;
  microscope->run_at = g_get_monotonic_time ();
  /* it was possible at the start */
  if (microscope->run == NULL) {
    microscope_set_trouble (microscope, g_strdup (error->message));
    microscope->timer = g_timeout_add_seconds_full (
        G_PRIORITY_HIGH, LAST_DELAY, microscope_begin, microscope, NULL);
    return G_SOURCE_REMOVE;
  }
  bus = gst_element_get_bus (microscope->run->pipeline);
  microscope->run->watch = gst_bus_add_watch_full (
      bus, G_PRIORITY_HIGH, microscope_on_message, microscope, NULL);
  g_thread_unref (g_thread_new (
      "oct-microscope", run_run, g_atomic_rc_box_acquire (microscope->run)));
  return G_SOURCE_REMOVE;
}

/* Pictures that come end the trouble, and those that do not begin it. */
static gboolean
microscope_look (gpointer data)
{
  OctLiveMicroscope *microscope = data;
  Run *run = microscope->run;
  gint64 last, now = g_get_monotonic_time ();

  if (run == NULL || microscope->closing)
    return G_SOURCE_CONTINUE;
  g_mutex_lock (&run->lock);
  last = run->last;
  g_mutex_unlock (&run->lock);
  if (last != 0 && now - last < SILENCE) {
    microscope->failures = 0;
    if (microscope->trouble != NULL)
      microscope_set_trouble (microscope, NULL);
  } else if (now - MAX (last, microscope->run_at)
             > (last != 0 ? SILENCE : FIRST_SILENCE)) {
    microscope_fail (microscope, "no picture comes, and no error");
  }
  return G_SOURCE_CONTINUE;
}

void
oct_live_microscope_start (OctLiveMicroscope *microscope,
    const OctLiveMicroscopeEvents *events, gpointer data)
{
  microscope->events = *events;
  microscope->data = data;
  microscope->looker = g_timeout_add_full (
      G_PRIORITY_HIGH, 250, microscope_look, microscope, NULL);
  microscope_begin (microscope);
}

const char *
oct_live_microscope_get_trouble (OctLiveMicroscope *microscope)
{
  return microscope->trouble;
}

gboolean
oct_live_microscope_free (OctLiveMicroscope *microscope)
{
  gboolean ended = TRUE;

  g_clear_handle_id (&microscope->timer, g_source_remove);
  g_clear_handle_id (&microscope->looker, g_source_remove);
  if (microscope->run != NULL) {
    run_close (microscope->run);
    ended = run_wait (microscope->run, CLOSING_TIME);
    /* a thread that hangs may still give a picture, which is not taken */
    if (ended)
      run_release (microscope->run);
  }
  g_free (microscope->trouble);
  g_free (microscope->line);
  g_free (microscope);
  return ended;
}
