/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Scans that are not rasters through octdaqsrc: the places that octscangen
 * writes, A-lines that are lost, files that do not fit, and other paths.
 */
#include "oct-daq.h"
#include "oct-scan-relay.h"
#include "oct-test-files.h"
#include "oct-test.h"

#include <glib/gstdio.h>
#include <string.h>

#define SAMPLES 16u
#define LINES 8u
#define BSCANS 4u
#define LONG 20000 /* ms: for events that come at once unless it fails */

/* Runs "octscangen `properties`" to its end, or until an error that says
 * `word`. */
static void
make_scan (const char *properties, const char *file, const char *word)
{
  g_autofree char *launch =
      g_strdup_printf ("octscangen volumes=1 width=1 line-rate=1000 %s "
                       "scan-output=%s ! fakesink",
          properties, file);
  g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, LONG * GST_MSECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (word == NULL
                   ? error == NULL
                   : error != NULL && strstr (error->message, word) != NULL,
      "%s", error != NULL ? error->message : "no error");
}

static OctDaqWriter *
open_scan_writer (const char *socket, guint bscans)
{
  const OctDaqHeader ring = { .blocks = 4,
    .flags = OCT_DAQ_LOSSLESS,
    .sample_format = OCT_DAQ_U16,
    .samples = SAMPLES,
    .lines = 2,
    .channels = 1,
    .bscan_lines = LINES,
    .bscans = bscans,
    .channel_kind = { OCT_DAQ_OCT } };
  char error[OCT_DAQ_ERROR] = "";
  OctDaqWriter *writer = oct_daq_open (socket, &ring, NULL, error);

  fail_unless (writer != NULL, "%s", error);
  return writer;
}

static void
write_block (OctDaqWriter *writer)
{
  guint16 *block = oct_daq_claim (writer, LONG);

  fail_unless (block != NULL);
  for (guint i = 0; i < 2 * SAMPLES; i++)
    block[i] = 1000;
  oct_daq_publish (writer, NULL);
}

/* A reader counts until it is missed, and the next one is not taken for it. */
static void
await_no_reader (OctDaqWriter *writer)
{
  while (oct_daq_wait_for_readers (writer, 0, 0) != 0)
    g_usleep (1000);
}

/* "octdaqsrc ! appsink" */
static GstElement *
make_pipeline (const char *socket, const char *file)
{
  g_autofree char *launch =
      g_strdup_printf ("octdaqsrc name=octdaqsrc0 socket=%s scan-file=%s "
                       "reconnect=false keep-incomplete=true "
                       "timeout=%u ! appsink name=sink sync=false",
          socket, file, LONG);
  GstElement *pipeline = gst_parse_launch (launch, NULL);

  fail_unless (pipeline != NULL);
  return pipeline;
}

static GstElement *
play (const char *socket, const char *file)
{
  GstElement *pipeline = make_pipeline (socket, file);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static GstSample *
pull (GstElement *pipeline)
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample = NULL;

  g_signal_emit_by_name (
      sink, "try-pull-sample", (guint64)LONG * GST_MSECOND, &sample);
  fail_unless (sample != NULL);
  return sample;
}

/* The places in the event are those in the file: rows of x and y in mm. */
static void
check_path (GstElement *pipeline, const char *file)
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autofree char *text = NULL;
  const GstStructure *s = NULL;
  const char *at;
  guint n = 0;

  for (guint i = 0; s == NULL; i++) {
    g_autoptr (GstEvent) event =
        gst_pad_get_sticky_event (pad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i);

    fail_unless (event != NULL, "no scan path");
    if (gst_event_has_name (event, "application/x-oct-scan-path"))
      s = gst_event_get_structure (event);
  }
  fail_unless (g_file_get_contents (file, &text, NULL, NULL));
  at = strchr (text, '\n'); /* after the comment */
  for (; n < LINES * BSCANS; n++)
    for (guint axis = 0; axis < 2; axis++) {
      double mm = g_ascii_strtod (at, (char **)&at), m;
      GstBuffer *buffer = NULL;

      fail_unless (gst_structure_get (
          s, axis == 0 ? "x" : "y", GST_TYPE_BUFFER, &buffer, NULL));
      fail_unless_equals_int (
          gst_buffer_get_size (buffer), LINES * BSCANS * sizeof m);
      gst_buffer_extract (buffer, n * sizeof m, &m, sizeof m);
      fail_unless (ABS (m * 1e3 - mm) < 1e-12);
      gst_buffer_unref (buffer);
    }
}

/* A-lines `lost` to `end` - 1 of B-scan `bscan` never come. */
static void
check_valid (GstBuffer *buffer, guint bscan, guint lost, guint end)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "GstOctScanMeta");
  GstBuffer *valid = NULL;
  guint number, bscans;

  fail_unless (meta != NULL);
  fail_unless (gst_structure_get (gst_custom_meta_get_structure (meta), "bscan",
      G_TYPE_UINT, &number, "bscans", G_TYPE_UINT, &bscans, NULL));
  fail_unless_equals_int (number, bscan);
  fail_unless_equals_int (bscans, BSCANS);
  fail_unless_equals_int (
      gst_structure_get (gst_custom_meta_get_structure (meta), "valid",
          GST_TYPE_BUFFER, &valid, NULL),
      end > lost);
  if (valid == NULL)
    return;
  fail_unless_equals_int (gst_buffer_get_size (valid), LINES);
  for (guint i = 0; i < LINES; i++) {
    guint8 is;

    gst_buffer_extract (valid, i, &is, 1);
    fail_unless_equals_int (is, i < lost || i >= end);
  }
  gst_buffer_unref (valid);
}

/* The second time the ring does not say how many B-scans a volume has, and the
 * file does. */
GST_START_TEST (test_path)
{
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  g_autofree char *file = oct_test_file_path ("scan-path.txt");
  OctDaqWriter *writer = open_scan_writer (socket, __i__ == 0 ? BSCANS : 0);
  GstElement *pipeline;

  make_scan ("pattern=spiral lines=8 bscans=4", file, NULL);
  pipeline = play (socket, file);
  fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
  for (guint block = 0; block < LINES * BSCANS / 2; block++)
    if (block == LINES / 2 + 1)
      oct_daq_lost (writer, 2);
    else
      write_block (writer);
  oct_daq_close (writer);
  for (guint i = 0; i < BSCANS; i++) {
    g_autoptr (GstSample) sample = pull (pipeline);

    if (i == 0)
      check_path (pipeline, file);
    check_valid (gst_sample_get_buffer (sample), i, 2, i == 1 ? 4 : 2);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_remove (file);
}
GST_END_TEST

/* An event of the path in `file`; `first` -1: it does not say its A-line. */
static GstEvent *
make_path_event (const char *file, guint bscans, gint64 first)
{
  g_autofree char *text = NULL;
  double *axes[2] = { g_new (double, LINES *bscans),
    g_new (double, LINES *bscans) };
  g_autoptr (GstBuffer) x = NULL;
  g_autoptr (GstBuffer) y = NULL;
  GstStructure *s;
  const char *at;

  fail_unless (g_file_get_contents (file, &text, NULL, NULL));
  at = strchr (text, '\n');
  for (guint i = 0; i < LINES * bscans; i++)
    for (guint axis = 0; axis < 2; axis++)
      axes[axis][i] = g_ascii_strtod (at, (char **)&at) / 1e3;
  x = gst_buffer_new_wrapped (axes[0], LINES * bscans * sizeof (double));
  y = gst_buffer_new_wrapped (axes[1], LINES * bscans * sizeof (double));
  s = gst_structure_new ("application/x-oct-scan-path", "lines", G_TYPE_UINT,
      LINES, "bscans", G_TYPE_UINT, bscans, "x", GST_TYPE_BUFFER, x, "y",
      GST_TYPE_BUFFER, y, "pattern", G_TYPE_STRING, "other", NULL);
  if (first >= 0)
    gst_structure_set (s, "first-line", G_TYPE_UINT64, (guint64)first, NULL);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s);
}

/* The paths in the stream, and the number of the first B-scan after each. */
typedef struct {
  guint paths, other; /* events, and those with pattern "other" */
  guint64 begun[4];   /* per event */
  gboolean waits;     /* for the B-scan after an event */
} Seen;

static GstPadProbeReturn
see_paths (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Seen *seen = data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    if (seen->waits)
      seen->begun[seen->paths - 1] =
          GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info));
    seen->waits = FALSE;
  } else if (gst_event_has_name (GST_PAD_PROBE_INFO_EVENT (info),
                 "application/x-oct-scan-path")) {
    const GstStructure *s =
        gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT (info));

    fail_unless (!gst_structure_has_field (s, "first-line"));
    fail_unless (seen->paths < G_N_ELEMENTS (seen->begun));
    seen->paths++;
    seen->other +=
        g_strcmp0 (gst_structure_get_string (s, "pattern"), "other") == 0;
    seen->waits = TRUE;
  }
  return GST_PAD_PROBE_OK;
}

/* Whether A-lines 2 `block` and 2 `block` + 1 are lost: two at the end of the
 * volume before the change and all of the first B-scan after it. */
static gboolean
is_block_lost (guint block, guint change)
{
  return block + 1 == change || (block >= change && block < change + LINES / 2);
}

static GstElement *
send_path (const char *name, GstElement *pipeline, GstEvent *event)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), name);

  fail_unless (source != NULL);
  fail_unless (gst_element_send_event (source, event));
  return source;
}

/* From `socket` along the path of `file`; `seen` gets the events and B-scans. */
static GstElement *
make_watched (
    const char *socket, const char *file, const char *properties, Seen *seen)
{
  g_autofree char *launch =
      g_strdup_printf ("octdaqsrc name=source socket=%s scan-file=%s %s ! "
                       "appsink name=sink sync=false",
          socket, file, properties);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstPad) pad = NULL;

  fail_unless (pipeline != NULL);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  pad = gst_element_get_static_pad (source, "src");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      see_paths, seen, NULL);
  return pipeline;
}

static void
write_volume (OctDaqWriter *writer)
{
  for (guint block = 0; block < LINES * BSCANS / 2; block++)
    write_block (writer);
}

static guint64
pull_numbers (GstElement *pipeline, guint count)
{
  guint64 last = 0;

  for (guint i = 0; i < count; i++) {
    g_autoptr (GstSample) sample = pull (pipeline);

    last = GST_BUFFER_OFFSET (gst_sample_get_buffer (sample));
  }
  return last;
}

/* Another path comes before the first B-scan of its A-lines, whatever is lost
 * about it.  Second: it came before the digitizer had begun, and says its A-line
 * all the same; third: it does not say it and waits for the end of the volume. */
GST_START_TEST (test_change)
{
  const guint volume = LINES * BSCANS / 2; /* in blocks */
  const guint change = __i__ == 2 ? volume : 2 * volume;
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  g_autofree char *file = oct_test_file_path ("scan-path.txt");
  g_autofree char *other = oct_test_file_path ("scan-other.txt");
  OctDaqWriter *writer = open_scan_writer (socket, BSCANS);
  g_autoptr (GstElement) pipeline = NULL;
  Seen seen = { 0 };

  make_scan ("pattern=spiral lines=8 bscans=4", file, NULL);
  make_scan ("pattern=lissajous lines=8 bscans=4 cycles=2", other, NULL);
  pipeline = make_watched (socket, file,
      "reconnect=false keep-incomplete=true timeout=" G_STRINGIFY (LONG),
      &seen);
  if (__i__ == 1)
    gst_object_unref (send_path (
        "source", pipeline, make_path_event (other, BSCANS, 2 * change)));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
  for (guint block = 0; block < 3 * volume; block++) {
    /* in the middle of the first volume, once a B-scan of it has come */
    if (block == volume / 2) {
      fail_unless (pull_numbers (pipeline, 1) == 0);
      if (__i__ != 1)
        gst_object_unref (send_path ("source", pipeline,
            make_path_event (
                other, BSCANS, __i__ == 0 ? (gint64)2 * change : -1)));
    }
    if (is_block_lost (block, change))
      oct_daq_lost (writer, 2);
    else
      write_block (writer);
  }
  oct_daq_close (writer);
  /* all but the one of which nothing has come */
  fail_unless_equals_uint64 (
      pull_numbers (pipeline, 3 * BSCANS - 2), 3 * BSCANS - 1);
  fail_unless_equals_int (seen.paths, 2);
  fail_unless_equals_int (seen.other, 1);
  fail_unless_equals_uint64 (seen.begun[0], 0);
  fail_unless_equals_uint64 (seen.begun[1], 2 * change / LINES + 1);
  check_path (pipeline, other);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_remove (file);
  g_remove (other);
}
GST_END_TEST

/* Those that cannot hold are a warning, and the path before stays. */
GST_START_TEST (test_refused_change)
{
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  g_autofree char *file = oct_test_file_path ("scan-path.txt");
  g_autofree char *other = oct_test_file_path ("scan-other.txt");
  OctDaqWriter *writer = open_scan_writer (socket, BSCANS);
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GError) warning = NULL;

  make_scan ("pattern=spiral lines=8 bscans=4", file, NULL);
  make_scan ("pattern=raster lines=8 bscans=5", other, NULL);
  pipeline = play (socket, file);
  bus = gst_element_get_bus (pipeline);
  gst_object_unref (send_path ("octdaqsrc0", pipeline,
      __i__ == 0 ? make_path_event (other, BSCANS + 1, 0)
                 : make_path_event (other, BSCANS, LINES)));
  fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
  write_volume (writer);
  oct_daq_close (writer);
  for (guint i = 0; i < BSCANS; i++)
    gst_sample_unref (pull (pipeline));
  message =
      gst_bus_timed_pop_filtered (bus, LONG * GST_MSECOND, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (strstr (warning->message,
                   __i__ == 0 ? "5 B-scans of 8 A-lines" : "A-line 8")
                   != NULL,
      "%s", warning->message);
  check_path (pipeline, file);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_remove (file);
  g_remove (other);
}
GST_END_TEST

/* Paths that wait: one that replaces another needs no place, and the one for
 * which there is none is told. */
GST_START_TEST (test_many_wait)
{
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  g_autofree char *file = oct_test_file_path ("scan-path.txt");
  g_autofree char *other = oct_test_file_path ("scan-other.txt");
  OctDaqWriter *writer = open_scan_writer (socket, BSCANS);
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) warning = NULL;

  make_scan ("pattern=spiral lines=8 bscans=4", file, NULL);
  make_scan ("pattern=lissajous lines=8 bscans=4 cycles=2", other, NULL);
  pipeline = play (socket, file);
  bus = gst_element_get_bus (pipeline);
  /* the first one is of the first volume */
  gst_object_unref (
      send_path ("octdaqsrc0", pipeline, make_path_event (other, BSCANS, 0)));
  for (guint i = 0; i < 40; i++)
    gst_object_unref (send_path ("octdaqsrc0", pipeline,
        make_path_event (file, BSCANS, (gint64)(1 + i % 15) * LINES * BSCANS)));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message == NULL);
  fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
  for (guint block = 0; block < LINES * BSCANS / 2; block++)
    write_block (writer);
  for (guint i = 0; i < BSCANS; i++)
    gst_sample_unref (pull (pipeline));
  check_path (pipeline, other);
  /* 15 wait */
  for (guint i = 0; i < 2; i++)
    gst_object_unref (send_path ("octdaqsrc0", pipeline,
        make_path_event (other, BSCANS, (gint64)(100 + i) * LINES * BSCANS)));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (strstr (warning->message, "More than 16 scan paths")
                   && strstr (warning->message, "from A-line 32 on"),
      "%s", warning->message);
  oct_daq_close (writer);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_remove (file);
  g_remove (other);
}
GST_END_TEST

/* A digitizer that stalls is told each time, and its A-lines go on in their
 * places. */
GST_START_TEST (test_stall)
{
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  OctDaqWriter *writer = open_scan_writer (socket, BSCANS);
  g_autofree char *launch = g_strdup_printf (
      "octdaqsrc name=source socket=%s reconnect=false timeout=50 ! appsink "
      "name=sink sync=false",
      socket);
  g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  guint64 lost = 9;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
  for (guint64 volume = 0; volume < 3; volume++) {
    g_autoptr (GstMessage) message = NULL;
    g_autoptr (GError) warning = NULL;

    write_volume (writer);
    fail_unless_equals_uint64 (
        pull_numbers (pipeline, BSCANS), (volume + 1) * BSCANS - 1);
    message = gst_bus_timed_pop_filtered (bus, LONG * GST_MSECOND,
        GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    fail_unless (message != NULL);
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
    gst_message_parse_warning (message, &warning, NULL);
    fail_unless (strstr (warning->message, "No A-lines have come") != NULL,
        "%s", warning->message);
  }
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_object_get (source, "lost", &lost, NULL);
  fail_unless_equals_uint64 (lost, 0);
  oct_daq_close (writer);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}
GST_END_TEST

/* A digitizer that was started again counts from 0: which of its A-lines one of
 * the scanner is nobody knows, and another path does not wait for it for ever. */
GST_START_TEST (test_change_after_reconnect)
{
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  g_autofree char *file = oct_test_file_path ("scan-path.txt");
  g_autofree char *other = oct_test_file_path ("scan-other.txt");
  OctDaqWriter *writer = open_scan_writer (socket, BSCANS);
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) source = NULL;
  Seen seen = { 0 };

  make_scan ("pattern=spiral lines=8 bscans=4", file, NULL);
  make_scan ("pattern=lissajous lines=8 bscans=4 cycles=2", other, NULL);
  pipeline = make_watched (socket, file, "", &seen);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
  write_volume (writer);
  oct_daq_close (writer);
  fail_unless_equals_uint64 (pull_numbers (pipeline, BSCANS), BSCANS - 1);
  writer = open_scan_writer (socket, BSCANS);
  fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
  write_volume (writer);
  /* a B-scan of the second ring is there */
  fail_unless_equals_uint64 (pull_numbers (pipeline, 1), BSCANS);
  fail_unless (gst_element_send_event (
      source, make_path_event (other, BSCANS, 1000 * LINES * BSCANS)));
  write_volume (writer);
  fail_unless_equals_uint64 (
      pull_numbers (pipeline, 2 * BSCANS - 1), 3 * BSCANS - 1);
  fail_unless_equals_int (seen.paths, 3);
  fail_unless_equals_int (seen.other, 1);
  fail_unless_equals_uint64 (seen.begun[2], 2 * BSCANS);
  check_path (pipeline, other);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  oct_daq_close (writer);
  g_remove (file);
  g_remove (other);
}
GST_END_TEST

/* A file that is set after a path was sent counts from the next start on. */
GST_START_TEST (test_file_after_change)
{
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  g_autofree char *file = oct_test_file_path ("scan-path.txt");
  g_autofree char *other = oct_test_file_path ("scan-other.txt");
  g_autofree char *third = oct_test_file_path ("scan-third.txt");
  OctDaqWriter *writer = open_scan_writer (socket, BSCANS);
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) source = NULL;

  make_scan ("pattern=spiral lines=8 bscans=4", file, NULL);
  make_scan ("pattern=lissajous lines=8 bscans=4 cycles=2", other, NULL);
  make_scan ("pattern=raster lines=8 bscans=4", third, NULL);
  pipeline = play (socket, file);
  source =
      send_path ("octdaqsrc0", pipeline, make_path_event (other, BSCANS, -1));
  for (guint i = 0; i < 3; i++) {
    if (i == 2)
      g_object_set (source, "scan-file", third, NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
    write_volume (writer);
    (void)pull_numbers (pipeline, BSCANS);
    check_path (pipeline, i == 2 ? third : other);
    gst_element_set_state (pipeline, GST_STATE_READY);
    await_no_reader (writer);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  oct_daq_close (writer);
  g_remove (file);
  g_remove (other);
  g_remove (third);
}
GST_END_TEST

/* A source that is made anew after the digitizer was started again has the path
 * on which the scanner is, and not the first one; else it is told where each
 * path has begun. */
GST_START_TEST (test_relay)
{
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  g_autofree char *file = oct_test_file_path ("scan-path.txt");
  g_autofree char *other = oct_test_file_path ("scan-other.txt");
  OctDaqWriter *writer = open_scan_writer (socket, BSCANS);
  OctScanRelay *relay = oct_scan_relay_new ();

  make_scan ("pattern=spiral lines=8 bscans=4", file, NULL);
  make_scan ("pattern=lissajous lines=8 bscans=4 cycles=2", other, NULL);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstElement) pipeline = NULL;
    g_autoptr (GstElement) source = NULL;
    g_autoptr (GstEvent) first = make_path_event (file, BSCANS, 0);
    g_autoptr (GstEvent) second =
        make_path_event (other, BSCANS, 1000 * LINES * BSCANS);

    if (i == 2) {
      oct_daq_close (writer);
      fail_unless (!oct_scan_relay_is_broken (relay));
      writer = open_scan_writer (socket, BSCANS);
    }
    pipeline = make_pipeline (socket, file);
    source = gst_bin_get_by_name (GST_BIN (pipeline), "octdaqsrc0");
    gst_element_set_state (pipeline, GST_STATE_READY);
    oct_scan_relay_set_source (relay, source, TRUE);
    fail_unless_equals_int (oct_scan_relay_is_broken (relay), i == 2);
    if (i == 0) {
      oct_scan_relay_tell (relay, first);
      oct_scan_relay_tell (relay, second);
    }
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    fail_unless (oct_daq_wait_for_readers (writer, 1, LONG) == 1);
    write_volume (writer);
    (void)pull_numbers (pipeline, BSCANS);
    check_path (pipeline, i == 2 ? other : file);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    await_no_reader (writer);
  }
  oct_daq_close (writer);
  oct_scan_relay_unref (relay);
  g_remove (file);
  g_remove (other);
}
GST_END_TEST

static void
refuse_file (const char *socket, const char *file, const char *word)
{
  GstElement *pipeline = play (socket, file);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_timed_pop_filtered (bus, LONG * GST_MSECOND, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, word) != NULL, "%s", error->message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_START_TEST (test_refused)
{
  g_autofree char *socket = oct_test_file_path ("scan-daq");
  g_autofree char *file = oct_test_file_path ("scan-path.txt");
  OctDaqWriter *writer = open_scan_writer (socket, BSCANS);

  g_remove (file);
  refuse_file (socket, file, "scan-file");
  make_scan ("pattern=spiral lines=8 bscans=5", file, NULL);
  refuse_file (socket, file, "5 B-scans of 8 A-lines");
  make_scan ("pattern=raster lines=4 bscans=8", file, NULL);
  refuse_file (socket, file, "8 B-scans of 4 A-lines");
  make_scan ("pattern=spiral bidirectional=true lines=8 bscans=4", file, NULL);
  refuse_file (socket, file, "8 B-scans of 8 A-lines");
  fail_unless (g_file_set_contents (file, "1 2\n3 nan\n", -1, NULL));
  refuse_file (socket, file, "2 or 3 numbers");
  oct_daq_close (writer);
  g_remove (file);
  make_scan ("pattern=spiral", "/nowhere/path.txt", "scan-output");
}
GST_END_TEST

static Suite *
daqscan_suite (void)
{
  Suite *s = suite_create ("octdaqscan");
  TCase *tc = tcase_create ("octdaqscan");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_path, 0, 2);
  tcase_add_loop_test (tc, test_change, 0, 3);
  tcase_add_loop_test (tc, test_refused_change, 0, 2);
  tcase_add_test (tc, test_many_wait);
  tcase_add_test (tc, test_stall);
  tcase_add_test (tc, test_change_after_reconnect);
  tcase_add_test (tc, test_file_after_change);
  tcase_add_test (tc, test_relay);
  tcase_add_test (tc, test_refused);
  return s;
}

GST_CHECK_MAIN (daqscan)
