/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octdaqsrc: A-lines of a ring come out in their places, what is lost is
 * counted to the line, and writers that end, crash, change or lie.
 */
#include "gstoctcaps.h"
#include "oct-daq.h"
#include "oct-test-files.h"
#include "oct-test.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define SAMPLES 6u
#define BSCAN 5u /* A-lines */
#define BSCANS 3u
#define LONG 20000 /* ms: for events that come at once unless it fails */

typedef struct {
  GstElement *pipeline, *source;
  GstBus *bus;
  GMutex lock;
  GCond changed;
  GPtrArray *buffers, *caps; /* with the lock */
} Watch;

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Watch *w = data;

  g_mutex_lock (&w->lock);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    g_ptr_array_add (
        w->buffers, gst_buffer_ref (GST_PAD_PROBE_INFO_BUFFER (info)));
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
             == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
    g_ptr_array_add (w->caps, gst_caps_ref (caps));
  }
  g_cond_broadcast (&w->changed);
  g_mutex_unlock (&w->lock);
  return GST_PAD_PROBE_OK;
}

static char *
socket_path (void)
{
  return oct_test_file_path ("daq");
}

/* "octdaqsrc `properties` ! `rest`" */
static Watch *
watch_new (const char *properties, const char *rest)
{
  g_autofree char *path = socket_path ();
  g_autofree char *launch = g_strdup_printf (
      "octdaqsrc name=source socket=%s %s ! %s fakesink name=sink sync=false "
      "async=false enable-last-sample=false",
      path, properties, rest);
  Watch *w = g_new0 (Watch, 1);
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstPad) pad = NULL;

  g_mutex_init (&w->lock);
  g_cond_init (&w->changed);
  w->buffers =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);
  w->caps = g_ptr_array_new_with_free_func ((GDestroyNotify)gst_caps_unref);
  w->pipeline = gst_parse_launch (launch, NULL);
  fail_unless (w->pipeline != NULL);
  w->bus = gst_element_get_bus (w->pipeline);
  w->source = gst_bin_get_by_name (GST_BIN (w->pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (w->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_data,
      w, NULL);
  return w;
}

static void
watch_play (Watch *w)
{
  gst_element_set_state (w->pipeline, GST_STATE_PLAYING);
}

static void
watch_free (Watch *w)
{
  gst_element_set_state (w->pipeline, GST_STATE_NULL);
  gst_object_unref (w->bus);
  gst_object_unref (w->source);
  gst_object_unref (w->pipeline);
  g_ptr_array_unref (w->buffers);
  g_ptr_array_unref (w->caps);
  g_mutex_clear (&w->lock);
  g_cond_clear (&w->changed);
  g_free (w);
}

static guint64
watch_get (Watch *w, const char *counter)
{
  guint64 value;

  g_object_get (w->source, counter, &value, NULL);
  return value;
}

static void
watch_wait_buffers (Watch *w, guint count)
{
  gint64 end = g_get_monotonic_time () + LONG * 1000;

  g_mutex_lock (&w->lock);
  while (w->buffers->len < count)
    fail_unless (g_cond_wait_until (&w->changed, &w->lock, end));
  g_mutex_unlock (&w->lock);
}

/* The next message of a type, whose text has `word`. */
static void
watch_wait_message (Watch *w, GstMessageType type, const char *word)
{
  for (;;) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
        w->bus, LONG * GST_MSECOND, type | GST_MESSAGE_ERROR);
    g_autoptr (GError) error = NULL;

    fail_unless (message != NULL, "no message with '%s'", word);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else if (type == GST_MESSAGE_WARNING)
      gst_message_parse_warning (message, &error, NULL);
    if (type == GST_MESSAGE_EOS && error == NULL)
      return;
    fail_unless (GST_MESSAGE_TYPE (message) == type, "%s", error->message);
    if (strstr (error->message, word) != NULL)
      return;
  }
}

/* ---------------------------------------------------------------- writer */

static OctDaqHeader
make_ring (guint lines)
{
  return (OctDaqHeader){ .blocks = 4,
    .flags = OCT_DAQ_LOSSLESS,
    .sample_format = OCT_DAQ_U16,
    .samples = SAMPLES,
    .lines = lines,
    .channels = 1,
    .bscan_lines = BSCAN,
    .bscans = BSCANS,
    .line_rate = 1000.0,
    .channel_kind = { OCT_DAQ_OCT, OCT_DAQ_K_CLOCK } };
}

static OctDaqWriter *
open_writer (const OctDaqHeader *ring)
{
  g_autofree char *path = socket_path ();
  char error[OCT_DAQ_ERROR] = "";
  OctDaqWriter *writer = oct_daq_open (path, ring, NULL, error);

  fail_unless (writer != NULL, "%s", error);
  return writer;
}

/* Every value of A-line `line`. */
static guint
value_of (guint64 line)
{
  return (guint)(1 + line * 7 % 60000);
}

static void
write_lines (OctDaqWriter *writer, guint64 first, const OctDaqPlace *place)
{
  guint lines = oct_daq_header (writer)->lines;
  guint16 *block = oct_daq_claim (writer, LONG);

  fail_unless (block != NULL);
  for (guint i = 0; i < lines; i++)
    for (guint j = 0; j < SAMPLES; j++)
      block[i * SAMPLES + j] = (guint16)value_of (first + i);
  oct_daq_publish (writer, place);
}

/* ------------------------------------------------------------- the lines */

static void
check_rows (GstBuffer *buffer, guint64 bscan, const gboolean *there)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, BSCAN * SAMPLES * 2);
  for (guint i = 0; i < BSCAN * SAMPLES; i++) {
    guint64 line = bscan * BSCAN + i / SAMPLES;

    fail_unless_equals_int (
        ((guint16 *)map.data)[i], there[line] ? (gint)value_of (line) : 0);
  }
  gst_buffer_unmap (buffer, &map);
}

static void
check_meta (GstBuffer *buffer, guint64 bscan)
{
  GstOctScanPosition position;

  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), bscan);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), bscan + 1);
  fail_unless (gst_oct_scan_meta_get (buffer, &position));
  fail_unless_equals_int (position.bscan, bscan % BSCANS);
  fail_unless_equals_int (position.bscans, BSCANS);
  fail_unless_equals_uint64 (position.volume, bscan / BSCANS);
}

/* The B-scans that the A-lines before `end` make, when those of `there` have
 * come. */
static void
check_stream (Watch *w, const gboolean *there, guint64 end, gboolean keep)
{
  guint n = 0, incomplete = 0;
  guint64 next = 0;

  for (guint b = 0; b * BSCAN < end; b++) {
    guint count = 0;
    GstBuffer *buffer;

    for (guint i = 0; i < BSCAN; i++)
      count += there[b * BSCAN + i];
    incomplete += count > 0 && count < BSCAN;
    /* also if the writer has ended in it */
    if (count == 0 || (count < BSCAN && !keep))
      continue;
    fail_unless (n < w->buffers->len);
    buffer = g_ptr_array_index (w->buffers, n++);
    check_rows (buffer, b, there);
    check_meta (buffer, b);
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED),
        count < BSCAN);
    /* after a gap; the first buffer of all, too */
    if (b == 0 || b != next)
      fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
    next = b + 1;
  }
  fail_unless_equals_int (w->buffers->len, n);
  fail_unless_equals_uint64 (watch_get (w, "incomplete"), incomplete);
  fail_unless_equals_uint64 (watch_get (w, "frames"), n);
}

/* Blocks of any number of A-lines, A-lines lost anywhere. */
static void
try_losses (guint lines, gboolean keep, guint32 seed)
{
  enum { ALL = 40 * BSCAN };
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  OctDaqHeader ring = make_ring (lines);
  OctDaqWriter *writer = open_writer (&ring);
  Watch *w = watch_new (
      keep ? "reconnect=false keep-incomplete=true" : "reconnect=false", "");
  gboolean there[ALL + 64] = { FALSE };
  guint64 lost = 0, line = 0;

  watch_play (w);
  oct_daq_wait_for_readers (writer, 1, LONG);
  while (line + lines <= ALL) {
    guint gap = seed != 0 && line > 0 && g_rand_int_range (random, 0, 3) == 0
                    ? (guint)g_rand_int_range (random, 1, 13)
                    : 0;

    if (line + gap + lines > ALL)
      break;
    oct_daq_lost (writer, gap);
    lost += gap;
    line += gap;
    write_lines (writer, line, NULL);
    for (guint i = 0; i < lines; i++)
      there[line++] = TRUE;
  }
  oct_daq_close (writer);
  watch_wait_message (w, GST_MESSAGE_EOS, "");
  fail_unless_equals_uint64 (watch_get (w, "lost"), lost);
  fail_unless_equals_uint64 (watch_get (w, "overrun"), 0);
  check_stream (w, there, line, keep);
  watch_free (w);
}

GST_START_TEST (test_lines)
{
  static const guint sizes[] = { 1, 4, 5, 10, 20 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    try_losses (sizes[i], FALSE, 0);
}
GST_END_TEST

GST_START_TEST (test_losses)
{
  for (guint32 seed = 1; seed <= 12; seed++) {
    try_losses (1, seed % 2 == 0, seed);
    try_losses (5, seed % 2 == 0, seed);
    try_losses (7, seed % 2 == 0, seed);
  }
}
GST_END_TEST

/* The message for programs, and the sentence for people. */
GST_START_TEST (test_losses_are_told)
{
  OctDaqHeader ring = make_ring (BSCAN);
  OctDaqWriter *writer = open_writer (&ring);
  Watch *w = watch_new ("reconnect=false", "");
  g_autoptr (GstMessage) message = NULL;
  guint64 lost = 0;

  watch_play (w);
  oct_daq_wait_for_readers (writer, 1, LONG);
  write_lines (writer, 0, NULL);
  oct_daq_lost (writer, 2 * BSCAN);
  write_lines (writer, 3 * BSCAN, NULL);
  watch_wait_message (w, GST_MESSAGE_WARNING, "has lost A-lines, 10 so far");
  message = gst_bus_timed_pop_filtered (
      w->bus, LONG * GST_MSECOND, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless (gst_structure_has_name (
      gst_message_get_structure (message), "octdaqsrc-lost"));
  fail_unless (gst_structure_get_uint64 (
      gst_message_get_structure (message), "lost", &lost));
  fail_unless_equals_uint64 (lost, 10);
  oct_daq_close (writer);
  watch_wait_message (w, GST_MESSAGE_EOS, "");
  watch_free (w);
}
GST_END_TEST

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_mutex_lock (data);
  g_mutex_unlock (data);
  return GST_PAD_PROBE_OK;
}

/* The pipeline stands still while the ring is written through three times. */
GST_START_TEST (test_overrun)
{
  OctDaqHeader ring = make_ring (BSCAN);
  g_autoptr (GstPad) pad = NULL;
  OctDaqWriter *writer;
  guint64 written = 0, begin, end;
  guint seen;
  GMutex held;
  Watch *w;

  ring.flags = 0;
  writer = open_writer (&ring);
  g_mutex_init (&held);
  w = watch_new ("reconnect=false", "");
  pad = gst_element_get_static_pad (w->source, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, hold, &held, NULL);
  watch_play (w);
  oct_daq_wait_for_readers (writer, 1, LONG);
  /* what came before PLAYING is nobody's */
  do {
    write_lines (writer, BSCAN * written++, NULL);
    g_usleep (1000);
    g_mutex_lock (&w->lock);
    seen = w->buffers->len;
    g_mutex_unlock (&w->lock);
  } while (seen == 0);
  g_mutex_lock (&held);
  for (guint i = 0; i < 3 * ring.blocks; i++)
    write_lines (writer, BSCAN * written++, NULL);
  g_mutex_unlock (&held);
  oct_daq_close (writer);
  watch_wait_message (w, GST_MESSAGE_EOS, "");
  begin = GST_BUFFER_OFFSET (g_ptr_array_index (w->buffers, 0));
  end = GST_BUFFER_OFFSET (g_ptr_array_index (w->buffers, w->buffers->len - 1));
  fail_unless_equals_uint64 (end, written - 1);
  fail_unless_equals_uint64 (
      watch_get (w, "lost"), BSCAN * (end - begin + 1 - w->buffers->len));
  fail_unless_equals_uint64 (watch_get (w, "overrun"), watch_get (w, "lost"));
  fail_unless (watch_get (w, "overrun") > 0);
  watch_free (w);
  g_mutex_clear (&held);
}
GST_END_TEST

/* Places that a scanner says win over numbers. */
GST_START_TEST (test_places)
{
  OctDaqHeader ring = make_ring (BSCAN);
  OctDaqWriter *writer = open_writer (&ring);
  static const guint64 order[] = { 4, 2, 0 };
  Watch *w = watch_new ("reconnect=false", "");

  watch_play (w);
  oct_daq_wait_for_readers (writer, 1, LONG);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    write_lines (writer, order[i] * BSCAN,
        &(OctDaqPlace){ .flags = OCT_DAQ_HAS_PLACE,
            .volume = order[i] / BSCANS,
            .bscan = (guint32)(order[i] % BSCANS) });
  /* lies */
  write_lines (
      writer, 0, &(OctDaqPlace){ .flags = OCT_DAQ_HAS_PLACE, .bscan = BSCANS });
  write_lines (writer, 0,
      &(OctDaqPlace){ .flags = OCT_DAQ_HAS_PLACE, .volume = G_MAXUINT64 });
  write_lines (writer, 0,
      &(OctDaqPlace){ .flags = OCT_DAQ_HAS_PLACE, .line_in_bscan = BSCAN });
  oct_daq_close (writer);
  watch_wait_message (w, GST_MESSAGE_WARNING, "is not possible");
  watch_wait_message (w, GST_MESSAGE_EOS, "");
  fail_unless_equals_int (w->buffers->len, G_N_ELEMENTS (order));
  for (guint i = 0; i < w->buffers->len; i++)
    check_meta (g_ptr_array_index (w->buffers, i), order[i]);
  fail_unless_equals_uint64 (watch_get (w, "lost"), 3 * BSCAN);
  watch_free (w);
}
GST_END_TEST

/* --------------------------------------------------------------- formats */

/* Value `i` of the block, of this format, as a number. */
static double
format_value (guint format, guint i)
{
  switch (format) {
  case OCT_DAQ_U8:
    return i;
  case OCT_DAQ_U16:
    return (guint16)(-3 * (gint)i);
  case OCT_DAQ_I16:
    return -3.0 * i;
  default:
    return -0.5 * i;
  }
}

static void
fill_format (guint format, guint8 *block)
{
  for (guint i = 0; i < SAMPLES * BSCAN; i++) {
    double value = format_value (format, i);

    if (format == OCT_DAQ_U8)
      block[i] = (guint8)value;
    else if (format == OCT_DAQ_F32)
      ((float *)block)[i] = (float)value;
    else
      ((gint16 *)block)[i] = (gint16)(gint)value;
  }
}

static void
check_format (guint format, GstBuffer *buffer, GstCaps *caps)
{
  GstOctInfo info;
  GstMapInfo map;

  fail_unless (gst_oct_info_from_caps (&info, caps, NULL));
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint i = 0; i < SAMPLES * BSCAN; i++) {
    /* rows of video begin at multiples of four bytes */
    gsize stride = info.is_video ? (gsize)info.video.stride[0]
                                 : gst_oct_info_row_size (&info);
    const guint8 *row = map.data + i / SAMPLES * stride;
    double found = info.format == OCT_SAMPLE_U8 ? row[i % SAMPLES]
                   : info.format == OCT_SAMPLE_U16
                       ? ((const guint16 *)row)[i % SAMPLES]
                       : ((const float *)row)[i % SAMPLES];

    fail_unless (found == format_value (format, i), "value %u is %g", i, found);
  }
  gst_buffer_unmap (buffer, &map);
}

static void
try_format (guint format, guint axis, const char *expected)
{
  OctDaqHeader ring = make_ring (BSCAN);
  guint each = format == OCT_DAQ_F32 ? 4 : format == OCT_DAQ_U8 ? 1 : 2;
  gsize channel = each * SAMPLES * BSCAN;
  g_autoptr (GstCaps) caps = gst_caps_from_string (expected);
  OctDaqWriter *writer;
  guint8 *block;
  Watch *w;

  ring.sample_format = format;
  ring.axis = axis;
  ring.channels = 2;
  /* the first one is not a spectrum */
  ring.channel_kind[0] = OCT_DAQ_K_CLOCK;
  ring.channel_kind[1] = OCT_DAQ_OCT;
  writer = open_writer (&ring);
  w = watch_new ("reconnect=false", "");
  watch_play (w);
  oct_daq_wait_for_readers (writer, 1, LONG);
  block = oct_daq_claim (writer, LONG);
  memset (block, 99, channel);
  fill_format (format, block + channel);
  oct_daq_publish (writer, NULL);
  oct_daq_close (writer);
  watch_wait_message (w, GST_MESSAGE_EOS, "");
  fail_unless_equals_int (w->caps->len, 1);
  fail_unless (gst_caps_is_subset (g_ptr_array_index (w->caps, 0), caps),
      "%" GST_PTR_FORMAT, g_ptr_array_index (w->caps, 0));
  check_format (format, g_ptr_array_index (w->buffers, 0),
      g_ptr_array_index (w->caps, 0));
  watch_free (w);
}

GST_START_TEST (test_formats)
{
#define SPECTRA(axis)                                                          \
  "application/x-oct-spectra,format=F32LE,axis=" axis                          \
  ",samples=6,lines=5,framerate=200/1,line-rate=(fraction)1000/1"
#define RAW(format)                                                            \
  "video/x-raw,format=" format                                                 \
  ",width=6,height=5,framerate=200/1,line-rate=(fraction)1000/1"

  try_format (OCT_DAQ_U8, OCT_DAQ_WAVELENGTH, RAW ("GRAY8"));
  try_format (OCT_DAQ_U16, OCT_DAQ_WAVELENGTH, RAW ("GRAY16_LE"));
  try_format (OCT_DAQ_I16, OCT_DAQ_WAVELENGTH, SPECTRA ("wavelength"));
  try_format (OCT_DAQ_F32, OCT_DAQ_WAVELENGTH, SPECTRA ("wavelength"));
  for (guint format = 0; format < OCT_DAQ_FORMATS; format++)
    try_format (format, OCT_DAQ_WAVENUMBER, SPECTRA ("wavenumber"));
}
GST_END_TEST

/* --------------------------------------------------------------- writers */

/* One that comes back with other sizes. */
GST_START_TEST (test_restart)
{
  OctDaqHeader ring = make_ring (BSCAN);
  OctDaqWriter *writer = open_writer (&ring);
  Watch *w = watch_new ("", "");
  GstBuffer *buffer;

  watch_play (w);
  oct_daq_wait_for_readers (writer, 1, LONG);
  for (guint i = 0; i < 4; i++)
    write_lines (writer, i * BSCAN, NULL);
  watch_wait_buffers (w, 4);
  oct_daq_close (writer);
  watch_wait_message (w, GST_MESSAGE_WARNING, "goes on when it is there again");
  ring.bscan_lines = ring.lines = BSCAN + 2;
  writer = open_writer (&ring);
  oct_daq_wait_for_readers (writer, 1, LONG);
  write_lines (writer, 0, NULL);
  watch_wait_buffers (w, 5);
  fail_unless_equals_int (w->caps->len, 2);
  fail_unless_equals_uint64 (watch_get (w, "reconnects"), 1);
  buffer = g_ptr_array_index (w->buffers, 4);
  fail_unless_equals_uint64 (
      gst_buffer_get_size (buffer), SAMPLES * (BSCAN + 2) * 2);
  /* a new volume, after all that were before */
  check_meta (buffer, 2 * BSCANS);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  fail_unless_equals_uint64 (watch_get (w, "lost"), 0);
  oct_daq_close (writer);
  watch_free (w);
}
GST_END_TEST

/* One that a signal ends, in the middle of its work. */
static void
run_crash (const char *properties, GstMessageType type, const char *word)
{
  g_autofree char *path = socket_path ();
  const char *const arguments[] = { OCT_TEST_DAQ_SIM, "--samples", "64",
    "--lines", "8", "--noise", "0", path, NULL };
  Watch *w = watch_new (properties, "");
  GPid pid;

  fail_unless (g_spawn_async (NULL, (char **)arguments, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, &pid,
      NULL));
  watch_play (w);
  watch_wait_buffers (w, 3);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  watch_wait_message (w, type, word);
  watch_free (w);
}

GST_START_TEST (test_crash)
{
  run_crash ("reconnect=false", GST_MESSAGE_ERROR, "without closing its ring");
  run_crash ("", GST_MESSAGE_WARNING, "goes on when it is there again");
}
GST_END_TEST

static void
refuse (const char *properties, const char *rest, const char *word)
{
  Watch *w = watch_new (properties, rest);
  g_autoptr (GstMessage) second = NULL;

  watch_play (w);
  watch_wait_message (w, GST_MESSAGE_ERROR, word);
  gst_element_set_state (w->pipeline, GST_STATE_NULL);
  second = gst_bus_pop_filtered (w->bus, GST_MESSAGE_ERROR);
  fail_unless (second == NULL);
  watch_free (w);
}

GST_START_TEST (test_refused)
{
  OctDaqHeader ring = make_ring (BSCAN);
  OctDaqWriter *writer;

  refuse ("timeout=1", "", "start the program of the digitizer");
  refuse ("socket=\"\"", "", "no `socket`");
  writer = open_writer (&ring);
  refuse ("channel=2", "", "has 1 channels");
  refuse ("k-clock=true", "", "is said to be a k-clock");
  refuse ("", "video/x-raw,format=GRAY8 !", "change the caps filter");
  oct_daq_close (writer);
  ring.channel_kind[0] = OCT_DAQ_OTHER;
  ring.channels = 2;
  writer = open_writer (&ring);
  refuse ("", "", "set `channel`");
  refuse ("channel=2 k-clock=true", "", "is the k-clock itself");
  oct_daq_close (writer);
  ring = make_ring (1);
  ring.samples = ring.bscan_lines = 65536;
  writer = open_writer (&ring);
  refuse ("", "", "set smaller ones");
  oct_daq_close (writer);
  ring = make_ring (1);
  ring.wavelength_first = ring.wavelength_last = 800.0;
  writer = open_writer (&ring);
  refuse ("", "", "calibration that is not valid");
  oct_daq_close (writer);
}
GST_END_TEST

/* Waits for a writer in any state, and ends at once. */
GST_START_TEST (test_waiting)
{
  OctDaqHeader ring = make_ring (BSCAN);
  OctDaqWriter *writer;
  Watch *w = watch_new ("timeout=0", "");

  watch_play (w);
  gst_element_set_state (w->pipeline, GST_STATE_PAUSED);
  watch_play (w);
  gst_element_set_state (w->pipeline, GST_STATE_READY);
  watch_play (w);
  writer = open_writer (&ring);
  oct_daq_wait_for_readers (writer, 1, LONG);
  write_lines (writer, 0, NULL);
  watch_wait_buffers (w, 1);
  gst_element_set_state (w->pipeline, GST_STATE_PAUSED);
  /* a lossless writer waits: nothing is lost */
  for (guint i = 1; i < 4; i++)
    write_lines (writer, i * BSCAN, NULL);
  watch_play (w);
  watch_wait_buffers (w, 4);
  for (guint i = 0; i < 4; i++)
    check_meta (g_ptr_array_index (w->buffers, i), i);
  fail_unless_equals_uint64 (watch_get (w, "lost"), 0);
  oct_daq_close (writer);
  watch_free (w);
}
GST_END_TEST

/* ------------------------------------------------------------- a picture */

#define PICTURES 6
#define SYSTEM "samples=256 lines=24 bscans=4"

/* The images of `source`, as bytes one after the other. */
static GByteArray *
make_images (const char *source, const char *rest)
{
  g_autofree char *path = oct_test_file_path ("images.raw");
  g_autofree char *launch =
      g_strdup_printf ("%s ! %s filesink location=%s", source, rest, path);
  g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  char *data;
  gsize size;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, LONG * GST_MSECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (
      message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  fail_unless (size > 0);
  return g_byte_array_new_take ((guint8 *)data, size);
}

static void
compare_systems (const char *block_lines, const char *rest)
{
  g_autofree char *path = socket_path ();
  g_autofree char *count = g_strdup_printf ("%d", PICTURES);
  g_autofree char *daq =
      g_strdup_printf ("octdaqsrc reconnect=false socket=%s", path);
  g_autofree char *source = g_strdup_printf (
      "octsrc num-buffers=%d %s line-rate=24000", PICTURES, SYSTEM);
  const char *const arguments[] = { OCT_TEST_DAQ_SIM, "--samples", "256",
    "--lines", "24", "--bscans", "4", "--count", count, "--lossless",
    "--readers", "1", "--block-lines", block_lines, "--line-rate", "24000",
    "--k-clock", path, NULL };
  g_autoptr (GByteArray) found = NULL, expected = make_images (source, rest);
  int status;
  GPid pid;

  fail_unless (g_spawn_async (NULL, (char **)arguments, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, &pid,
      NULL));
  found = make_images (daq, rest);
  waitpid (pid, &status, 0);
  fail_unless_equals_int (status, 0);
  fail_unless_equals_int (found->len, expected->len);
  fail_unless (memcmp (found->data, expected->data, found->len) == 0);
}

/* The same system by octsrc and through the ring: to the last bit. */
GST_START_TEST (test_same_as_octsrc)
{
  compare_systems ("0", "");
  compare_systems ("9", "");
  compare_systems ("24", "octreconstruct !");
  compare_systems ("48", "octreconstruct !");
}
GST_END_TEST

/* Samples and clock of every A-line, in one row. */
GST_START_TEST (test_k_clock)
{
  OctDaqHeader ring = make_ring (BSCAN);
  OctDaqWriter *writer;
  guint16 *block;
  GstMapInfo map;
  Watch *w;

  ring.channels = 2;
  writer = open_writer (&ring);
  w = watch_new ("reconnect=false k-clock=true", "");
  watch_play (w);
  oct_daq_wait_for_readers (writer, 1, LONG);
  block = oct_daq_claim (writer, LONG);
  for (guint i = 0; i < 2 * BSCAN * SAMPLES; i++)
    block[i] = (guint16)i;
  oct_daq_publish (writer, NULL);
  oct_daq_close (writer);
  watch_wait_buffers (w, 1);
  gst_buffer_map (g_ptr_array_index (w->buffers, 0), &map, GST_MAP_READ);
  for (guint i = 0; i < 2 * BSCAN * SAMPLES; i++)
    fail_unless_equals_int (((const guint16 *)map.data)[i],
        (i / SAMPLES % 2 * BSCAN + i / SAMPLES / 2) * SAMPLES + i % SAMPLES);
  gst_buffer_unmap (g_ptr_array_index (w->buffers, 0), &map);
  watch_free (w);
}
GST_END_TEST

static Suite *
octdaqsrc_suite (void)
{
  Suite *suite = suite_create ("octdaqsrc");
  TCase *tc = tcase_create ("all");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 180);
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_test (tc, test_lines);
  tcase_add_test (tc, test_losses);
  tcase_add_test (tc, test_losses_are_told);
  tcase_add_test (tc, test_overrun);
  tcase_add_test (tc, test_places);
  tcase_add_test (tc, test_formats);
  tcase_add_test (tc, test_restart);
  tcase_add_test (tc, test_crash);
  tcase_add_test (tc, test_refused);
  tcase_add_test (tc, test_waiting);
  tcase_add_test (tc, test_same_as_octsrc);
  tcase_add_test (tc, test_k_clock);
  return suite;
}

GST_CHECK_MAIN (octdaqsrc)
