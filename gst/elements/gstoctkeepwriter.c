/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctkeepwriter.h"

#include <errno.h>
#include <unistd.h>

#include "gstoctkeepring.h"
#include "oct-file-mode.h"
#include "oct-recording.h"

/* How long an error may take after an image was refused. */
#define FAILED_WAIT (5 * GST_SECOND)

typedef struct {
  GstElement *pipeline;
  GstPad *from; /* into it */
} Writer;

/* NULL: it is written. */
static void
job_free_buffer (gpointer buffer)
{
  if (buffer != NULL)
    gst_buffer_unref (buffer);
}

GstOctKeepJob *
gst_oct_keep_job_new (GPtrArray *buffers)
{
  GstOctKeepJob *job = g_new0 (GstOctKeepJob, 1);
  GstBuffer *first = g_ptr_array_index (buffers, 0);
  GstBuffer *last = g_ptr_array_index (buffers, buffers->len - 1);

  g_ptr_array_set_free_func (buffers, job_free_buffer);
  job->buffers = buffers;
  job->count = buffers->len;
  job->duration = GST_BUFFER_PTS (last) - GST_BUFFER_PTS (first);
  if (GST_BUFFER_DURATION_IS_VALID (last))
    job->duration += GST_BUFFER_DURATION (last);
  for (guint i = 0; i < buffers->len; i++)
    job->bytes += gst_buffer_get_size (g_ptr_array_index (buffers, i));
  job->kept_at = g_date_time_new_now_local ();
  return job;
}

void
gst_oct_keep_job_free (GstOctKeepJob *job)
{
  g_date_time_unref (job->kept_at);
  g_free (job->comment);
  g_ptr_array_unref (job->buffers);
  g_ptr_array_unref (job->events);
  g_ptr_array_unref (job->last_events);
  g_free (job->path);
  g_free (job);
}

static GstElement *
writer_add (
    Writer *writer, const char *factory, const char *package, GError **error)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element == NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The last seconds cannot be kept: the element %s is missing; install "
        "%s",
        factory, package);
  else
    gst_bin_add (GST_BIN (writer->pipeline), element);
  return element;
}

/* The elements that write `path`; NULL with an error. */
static GstPad *
writer_build (
    Writer *writer, const GstOctKeepJob *job, const char *path, GError **error)
{
  GstElement *muxer, *sink;

  if (job->is_raw) {
    sink = writer_add (writer, "octrawsink", "gst-oct", error);
    if (sink == NULL)
      return NULL;
    g_object_set (sink, "location", path, "file-mode", job->file_mode, "async",
        FALSE, NULL);
    return gst_element_get_static_pad (sink, "sink");
  }
  muxer =
      writer_add (writer, "matroskamux", "gstreamer1.0-plugins-good", error);
  sink = muxer != NULL ? writer_add (writer, "filesink", "gstreamer1.0", error)
                       : NULL;
  if (sink == NULL)
    return NULL;
  g_object_set (sink, "location", path, "async", FALSE, NULL);
  gst_element_link (muxer, sink);
  return gst_element_request_pad_simple (muxer, "video_%u");
}

/* Waits as long as `limit` for the end, which the muxer of GStreamer 1.26
 * reaches in a thread of its own, or for an error, as a sentence. */
static gboolean
writer_has_failed (const Writer *writer, GstClockTime limit, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (writer->pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, limit, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  g_autoptr (GError) found = NULL;

  if (message == NULL || GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return FALSE;
  gst_message_parse_error (message, &found, NULL);
  g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE, "%s", found->message);
  return TRUE;
}

/* The events before the buffers, whose times begin at 0. */
static void
writer_push_events (Writer *writer, const GstOctKeepJob *job)
{
  GstBuffer *first = g_ptr_array_index (job->buffers, 0);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = GST_BUFFER_DTS_IS_VALID (first)
                      ? MIN (GST_BUFFER_DTS (first), GST_BUFFER_PTS (first))
                      : GST_BUFFER_PTS (first);
  segment.time = 0;
  gst_pad_push_event (writer->from, gst_event_new_stream_start ("kept"));
  for (guint i = 0; i < job->events->len; i++) {
    gst_pad_push_event (
        writer->from, gst_event_ref (g_ptr_array_index (job->events, i)));
    if (i == 0) /* after the caps */
      gst_pad_push_event (writer->from, gst_event_new_segment (&segment));
  }
}

/* Each is freed when it is written: the ring has new ones meanwhile. */
static guint
writer_push (Writer *writer, const GstOctKeepJob *job)
{
  GstFlowReturn result = GST_FLOW_OK;
  guint pushed = 0;

  while (pushed < job->count && result == GST_FLOW_OK) {
    GstBuffer *buffer =
        g_steal_pointer (&g_ptr_array_index (job->buffers, pushed));

    gst_oct_keep_ring_push_events (buffer, writer->from);
    result = gst_pad_push (writer->from, buffer);
    pushed += result == GST_FLOW_OK;
  }
  for (guint i = 0; i < job->last_events->len; i++)
    gst_pad_push_event (
        writer->from, gst_event_ref (g_ptr_array_index (job->last_events, i)));
  gst_pad_push_event (writer->from, gst_event_new_eos ());
  return pushed;
}

/* B-scans of a recording; a buffer may have several. */
static guint
writer_count_frames (GstPad *into)
{
  g_autoptr (GstElement) sink = gst_pad_get_parent_element (into);
  guint64 frames;

  g_object_get (sink, "frames", &frames, NULL);
  return (guint)frames;
}

/* All of the job through a pipeline of its own.  Returns: the buffers that it
 * took. */
static guint
writer_run (const GstOctKeepJob *job, const char *path, GError **error)
{
  Writer writer = { gst_pipeline_new (NULL),
    gst_pad_new ("from", GST_PAD_SRC) };
  g_autoptr (GstPad) into = writer_build (&writer, job, path, error);
  gboolean failed = FALSE;
  guint pushed = 0;

  if (into != NULL) {
    /* errors of the end are read, too */
    gst_pipeline_set_auto_flush_bus (GST_PIPELINE (writer.pipeline), FALSE);
    gst_pad_set_active (writer.from, TRUE);
    gst_pad_link_full (writer.from, into, GST_PAD_LINK_CHECK_NOTHING);
    if (gst_element_set_state (writer.pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE) {
      writer_push_events (&writer, job);
      pushed = writer_push (&writer, job);
      failed = writer_has_failed (&writer,
          pushed == job->count ? GST_CLOCK_TIME_NONE : FAILED_WAIT, error);
    }
    gst_element_set_state (writer.pipeline, GST_STATE_NULL);
    if (!failed && !writer_has_failed (&writer, 0, error)
        && pushed < job->count)
      g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
          "'%s' took %u of %u images only", path, pushed, job->count);
    if (job->is_raw)
      pushed = writer_count_frames (into);
    gst_pad_unlink (writer.from, into);
    gst_pad_set_active (writer.from, FALSE);
  }
  gst_object_unref (writer.from);
  gst_object_unref (writer.pipeline);
  return pushed;
}

/* Under another name until it is whole. */
static guint
job_write_video (const GstOctKeepJob *job, const char *path, GError **error)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  int fd = oct_file_mode_create (part, O_RDWR, job->file_mode), code = 0;
  GError *local = NULL;
  guint written;

  if (fd < 0) {
    oct_file_set_write_error (error, part, errno);
    return 0;
  }
  written = writer_run (job, part, &local);
  if (local != NULL) {
    close (fd);
    (void)unlink (part);
    g_propagate_error (error, local);
    return 0;
  }
  code = oct_file_end_as_new (fd, job->bytes, part, path);
  if (code == 0)
    return written;
  oct_file_set_write_error (error, path, code);
  return 0;
}

guint
gst_oct_keep_job_write (GstOctKeepJob *job, char **location, GError **error)
{
  *location = g_strconcat (
      job->path, job->is_raw ? OCT_RECORDING_SUFFIX : ".mkv", NULL);
  return job->is_raw ? writer_run (job, job->path, error)
                     : job_write_video (job, *location, error);
}

gboolean
gst_oct_keep_job_write_text (
    const GstOctKeepJob *job, guint images, GError **error)
{
  g_autofree char *path = g_strconcat (job->path, ".txt", NULL);
  g_autofree char *time = g_date_time_format (job->kept_at, "%H:%M:%S on %F");
  char seconds[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text = NULL;

  g_ascii_formatd (
      seconds, sizeof seconds, "%.1f", (double)job->duration / GST_SECOND);
  text = g_strdup_printf ("Kept at %s: the last %s s, %u %s\n%s%s", time,
      seconds, images, job->is_raw ? "B-scans" : "images",
      job->comment != NULL ? job->comment : "",
      job->comment != NULL ? "\n" : "");
  return oct_file_mode_write (path, text, -1, job->file_mode, error);
}
