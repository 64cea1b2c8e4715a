/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Takes A-lines of another program from shared memory (digitizer.c), makes
 * B-scans of them, and says where the mirror of each is.
 *
 *   from-digitizer SOCKET
 *
 * Three things of gst-oct are shown: the calibration as an event, counts of a
 * k-clock (axis=wavenumber: nothing to resample), and the place of each B-scan
 * in its volume, which comes out of the pipeline with its A-scans.
 */
#include <math.h>
#include <string.h>

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/oct/oct.h>

#include "digitizer.h"

#define LINE_BYTES (DIGITIZER_SAMPLES * sizeof (guint16))
#define LINE_STRIDE (sizeof (DigitizerLine) + LINE_BYTES)
#define CALIBRATION_BYTES                                                      \
  (DIGITIZER_COLUMNS * DIGITIZER_SAMPLES * sizeof (double))
#define LAUNCH                                                                 \
  "appsrc name=bscans format=time block=true max-bytes=4000000 "               \
  "! octdcsub axis=wavenumber mode=background ! octdispersion ! octfft "       \
  "! appsink name=ascans sync=false caps=application/x-oct-ascans"

/* The B-scan that is being gathered. */
typedef struct {
  GstAppSrc *bscans;
  guint16 *counts; /* [DIGITIZER_BSCAN_LINES][DIGITIZER_SAMPLES] */
  guint lines;     /* that have come */
  guint64 trigger; /* of the first of them */
  guint32 volume;
  guint16 bscan;
  gboolean lost; /* one before it was left out */
  gboolean failed;
} Gathering;

static void
add_column (GstStructure *fields, const char *name, const double *values)
{
  gsize size = DIGITIZER_SAMPLES * sizeof *values;
  g_autoptr (GstBuffer) buffer = gst_buffer_new_memdup (values, size);

  gst_structure_set (fields, name, GST_TYPE_BUFFER, buffer, NULL);
}

/* columns: [DIGITIZER_COLUMNS][DIGITIZER_SAMPLES] */
static void
send_calibration (GstAppSrc *bscans, const double *columns)
{
  GstStructure *fields =
      gst_structure_new_empty (GST_OCT_CALIBRATION_EVENT_NAME);

  add_column (fields, GST_OCT_CALIBRATION_WAVELENGTH,
      columns + DIGITIZER_WAVELENGTH * DIGITIZER_SAMPLES);
  add_column (fields, GST_OCT_CALIBRATION_DISPERSION,
      columns + DIGITIZER_DISPERSION * DIGITIZER_SAMPLES);
  add_column (fields, GST_OCT_CALIBRATION_BACKGROUND,
      columns + DIGITIZER_SOURCE * DIGITIZER_SAMPLES);
  /* it goes ahead of the next B-scan */
  gst_element_send_event (GST_ELEMENT (bscans),
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, fields));
}

/* The B-scan is complete: hands it on, with its place and time. */
static gboolean
send_bscan (Gathering *g)
{
  GstBuffer *buffer =
      gst_buffer_new_memdup (g->counts, DIGITIZER_BSCAN_LINES * LINE_BYTES);
  GstCustomMeta *meta =
      gst_buffer_add_custom_meta (buffer, GST_OCT_SCAN_META_NAME);

  gst_structure_set (gst_custom_meta_get_structure (meta), GST_OCT_SCAN_BSCAN,
      G_TYPE_UINT, (guint)g->bscan, GST_OCT_SCAN_BSCANS, G_TYPE_UINT,
      DIGITIZER_BSCANS, GST_OCT_SCAN_VOLUME, G_TYPE_UINT64, (guint64)g->volume,
      NULL);
  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale (g->trigger, GST_SECOND, DIGITIZER_RATE);
  GST_BUFFER_DURATION (buffer) =
      gst_util_uint64_scale (DIGITIZER_BSCAN_LINES, GST_SECOND, DIGITIZER_RATE);
  if (g->lost)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  g->lost = FALSE;
  return gst_app_src_push_buffer (g->bscans, buffer) == GST_FLOW_OK;
}

/* A-lines come in order; some may be missing. */
static gboolean
take_line (Gathering *g, const DigitizerLine *place, const guint8 *counts)
{
  if (place->line == DIGITIZER_FLYBACK || place->line >= DIGITIZER_BSCAN_LINES)
    return TRUE;
  if (g->lines > 0
      && (place->volume != g->volume || place->bscan != g->bscan)) {
    g_print ("volume %u, B-scan %u: left out, %u of %u A-lines came\n",
        g->volume, g->bscan, g->lines, DIGITIZER_BSCAN_LINES);
    g->lines = 0;
    g->lost = TRUE;
  }
  if (g->lines == 0) {
    g->volume = place->volume;
    g->bscan = place->bscan;
    g->trigger = place->trigger - place->line;
  }
  memcpy (
      g->counts + (gsize)place->line * DIGITIZER_SAMPLES, counts, LINE_BYTES);
  if (++g->lines < DIGITIZER_BSCAN_LINES)
    return TRUE;
  g->lines = 0;
  return send_bscan (g);
}

static gboolean
take_lines (Gathering *g, const guint8 *data, guint lines)
{
  for (guint i = 0; i < lines; i++, data += LINE_STRIDE) {
    DigitizerLine place;

    memcpy (&place, data, sizeof place);
    if (!take_line (g, &place, data + sizeof place))
      return FALSE;
  }
  return TRUE;
}

/* FALSE: it was the last one, or is none. */
static gboolean
take_block (Gathering *g, const guint8 *data, gsize size)
{
  g_autofree double *columns = NULL;
  DigitizerBlock head = { 0 };
  gsize expected = sizeof head;

  if (size >= sizeof head)
    memcpy (&head, data, sizeof head);
  if (head.kind == DIGITIZER_CALIBRATION)
    expected += CALIBRATION_BYTES;
  else if (head.kind == DIGITIZER_LINES)
    expected += head.lines * LINE_STRIDE;
  if (head.magic != DIGITIZER_MAGIC || head.samples != DIGITIZER_SAMPLES
      || size != expected) {
    g_printerr (
        "What came from shared memory is not a block of the digitizer.\n");
    g->failed = TRUE;
    return FALSE;
  }
  data += sizeof head;
  if (head.kind == DIGITIZER_LINES)
    return take_lines (g, data, head.lines);
  if (head.kind != DIGITIZER_CALIBRATION)
    return FALSE;
  /* a copy, as doubles have to be aligned */
  columns = g_memdup2 (data, CALIBRATION_BYTES);
  send_calibration (g->bscans, columns);
  return TRUE;
}

/* In the thread of the A-scans: the peak of the first A-line. */
static GstFlowReturn
report (GstAppSink *sink, gpointer data)
{
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  const GstStructure *caps =
      gst_caps_get_structure (gst_sample_get_caps (sample), 0);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  guint bscan = 0, peak = 0, width = 0;
  guint64 volume = 0;
  double spacing = 0;
  gint bins = 0;
  GstMapInfo map;
  const float *values; /* real and imaginary part of each bin */

  if (meta == NULL
      || !gst_structure_get (gst_custom_meta_get_structure (meta),
          GST_OCT_SCAN_BSCAN, G_TYPE_UINT, &bscan, GST_OCT_SCAN_VOLUME,
          G_TYPE_UINT64, &volume, NULL)
      || !gst_structure_get_int (caps, "samples", &bins)
      || !gst_structure_get_double (caps, "z-spacing", &spacing)
      || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_FLOW_ERROR;
  values = (const float *)map.data;
  for (guint i = 0; i < (guint)bins; i++)
    if (hypotf (values[2 * i], values[2 * i + 1])
        > hypotf (values[2 * peak], values[2 * peak + 1]))
      peak = i;
  for (guint i = 0; i < (guint)bins; i++)
    width += 2 * hypotf (values[2 * i], values[2 * i + 1])
             >= hypotf (values[2 * peak], values[2 * peak + 1]);
  gst_buffer_unmap (buffer, &map);
  g_print ("volume %" G_GUINT64_FORMAT
           ", B-scan %u: mirror at %.1f um, %u bins "
           "wide, at %.1f ms\n",
      volume, bscan, peak * spacing * 1e6, width,
      (double)GST_BUFFER_PTS (buffer) / GST_MSECOND);
  return GST_FLOW_OK;
}

/* Until the digitizer ends. */
static void
read_blocks (GstAppSink *blocks, Gathering *gathering)
{
  gboolean more = TRUE;

  while (more) {
    g_autoptr (GstSample) sample = gst_app_sink_pull_sample (blocks);
    GstMapInfo map;

    if (sample == NULL
        || !gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ))
      return;
    more = take_block (gathering, map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  }
}

static GstCaps *
make_caps (void)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "GRAY16_LE", "width", G_TYPE_INT, DIGITIZER_SAMPLES, "height", G_TYPE_INT,
      DIGITIZER_BSCAN_LINES, "framerate", GST_TYPE_FRACTION, DIGITIZER_RATE,
      DIGITIZER_BSCAN_LINES + DIGITIZER_FLYBACK_LINES, NULL);
}

/* Prints the reason when the pipeline has failed; waits `timeout` for that or
 * for its end.  TRUE: it has not failed. */
static gboolean
is_well (GstElement *pipeline, GstClockTime timeout)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, timeout, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message == NULL || GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return TRUE;
  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s\n", error->message);
  return FALSE;
}

int
main (int argc, char *argv[])
{
  g_autoptr (GstElement) input = NULL, pipeline = NULL;
  g_autoptr (GstElement) shared = NULL, blocks = NULL, bscans = NULL;
  g_autoptr (GstElement) ascans = NULL;
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GError) error = NULL;
  GstAppSinkCallbacks callbacks = { .new_sample = report };
  Gathering gathering = { 0 };

  if (argc != 2) {
    g_printerr ("Usage: from-digitizer SOCKET\n");
    return 2;
  }
  gst_init (&argc, &argv);
  caps = make_caps ();
  input = gst_parse_launch (
      "shmsrc name=shared ! appsink name=blocks sync=false", &error);
  if (error == NULL)
    pipeline = gst_parse_launch (LAUNCH, &error);
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  shared = gst_bin_get_by_name (GST_BIN (input), "shared");
  blocks = gst_bin_get_by_name (GST_BIN (input), "blocks");
  bscans = gst_bin_get_by_name (GST_BIN (pipeline), "bscans");
  ascans = gst_bin_get_by_name (GST_BIN (pipeline), "ascans");
  g_object_set (shared, "socket-path", argv[1], NULL);
  gst_app_sink_set_callbacks (GST_APP_SINK (ascans), &callbacks, NULL, NULL);
  gst_app_src_set_caps (GST_APP_SRC (bscans), caps);
  gathering.bscans = GST_APP_SRC (bscans);
  gathering.counts = g_malloc (DIGITIZER_BSCAN_LINES * LINE_BYTES);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (gst_element_set_state (input, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    read_blocks (GST_APP_SINK (blocks), &gathering);
  gathering.failed |= !is_well (input, 0);
  gst_element_set_state (input, GST_STATE_NULL);
  gst_app_src_end_of_stream (GST_APP_SRC (bscans));
  gathering.failed |= !is_well (pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_free (gathering.counts);
  return gathering.failed;
}
