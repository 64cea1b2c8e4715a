/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The program of a digitizer: hands k-clocked A-lines to other programs through
 * shared memory, with their place in the scan and the calibration.  It knows
 * nothing of OCT images.  Its signal is simulated here: a tilted mirror, 20 um
 * deeper in every B-scan, seen through glass that disperses.
 *
 *   digitizer SOCKET [VOLUMES [LOST]]
 *
 * SOCKET is the name of the socket to make; LOST the number of a block that is
 * lost on purpose.  from-digitizer.c reads it.
 */
#include <math.h>
#include <string.h>

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include "digitizer.h"

#define BLOCK_LINES 32
#define FIRST_DEPTH 300.0 /* um */
#define STEP 20.0         /* um from B-scan to B-scan */
#define A2 60.0           /* um^2 of dispersion */

/* A k-clock samples at wavenumbers (rad/um) that are one step apart. */
static double
wavenumber (guint sample)
{
  const double first = 2 * G_PI / 0.9, last = 2 * G_PI / 0.79;

  return first + (last - first) * sample / (DIGITIZER_SAMPLES - 1);
}

static double
phase_of_glass (guint sample)
{
  double k = wavenumber (sample) - wavenumber (DIGITIZER_SAMPLES / 2);

  return A2 * k * k;
}

static double
light_of_source (guint sample)
{
  double x = (double)sample / (DIGITIZER_SAMPLES - 1) - 0.5;

  return 20000 * exp (-x * x * 12);
}

/* Computes an A-line of a mirror at this depth. */
static void
sample_line (double depth, guint16 *counts)
{
  for (guint i = 0; i < DIGITIZER_SAMPLES; i++)
    counts[i] = (guint16)lrint (
        light_of_source (i)
        * (1 + 0.5 * cos (2 * wavenumber (i) * depth + phase_of_glass (i))));
}

static GByteArray *
new_block (DigitizerKind kind, guint lines)
{
  DigitizerBlock head = { DIGITIZER_MAGIC, kind, DIGITIZER_SAMPLES, lines };
  GByteArray *block = g_byte_array_new ();

  g_byte_array_append (block, (const guint8 *)&head, sizeof head);
  return block;
}

/* Takes the block. */
static gboolean
deliver (GstAppSrc *source, GByteArray *block)
{
  GstBuffer *buffer =
      gst_buffer_new_wrapped_bytes (g_byte_array_free_to_bytes (block));

  return gst_app_src_push_buffer (source, buffer) == GST_FLOW_OK;
}

static gboolean
deliver_calibration (GstAppSrc *source)
{
  GByteArray *block = new_block (DIGITIZER_CALIBRATION, 0);
  double columns[DIGITIZER_COLUMNS][DIGITIZER_SAMPLES];

  for (guint i = 0; i < DIGITIZER_SAMPLES; i++) {
    columns[DIGITIZER_WAVELENGTH][i] = 2 * G_PI / wavenumber (i) * 1000;
    columns[DIGITIZER_DISPERSION][i] = -phase_of_glass (i);
    columns[DIGITIZER_SOURCE][i] = light_of_source (i);
  }
  g_byte_array_append (block, (const guint8 *)columns, sizeof columns);
  return deliver (source, block);
}

/* A-lines from number `first` on, through the flyback and through B-scans. */
static GByteArray *
acquire (guint64 first)
{
  const guint period = DIGITIZER_BSCAN_LINES + DIGITIZER_FLYBACK_LINES;
  GByteArray *block = new_block (DIGITIZER_LINES, BLOCK_LINES);

  for (guint i = 0; i < BLOCK_LINES; i++) {
    guint64 bscan = (first + i) / period;
    guint line = (guint)((first + i) % period);
    DigitizerLine place = { .trigger = first + i,
      .volume = (guint32)(bscan / DIGITIZER_BSCANS),
      .bscan = (guint16)(bscan % DIGITIZER_BSCANS),
      .line =
          line < DIGITIZER_BSCAN_LINES ? (guint16)line : DIGITIZER_FLYBACK };
    guint16 counts[DIGITIZER_SAMPLES];

    sample_line (FIRST_DEPTH + STEP * place.bscan, counts);
    g_byte_array_append (block, (const guint8 *)&place, sizeof place);
    g_byte_array_append (block, (const guint8 *)counts, sizeof counts);
  }
  return block;
}

static gboolean
run (GstAppSrc *source, guint64 volumes, guint64 lost)
{
  const guint64 per_volume =
      DIGITIZER_BSCANS * (DIGITIZER_BSCAN_LINES + DIGITIZER_FLYBACK_LINES);
  guint64 line, block = 0;

  if (!deliver_calibration (source))
    return FALSE;
  for (line = 0; line < volumes * per_volume; line += BLOCK_LINES) {
    GByteArray *lines = acquire (line);

    if (++block == lost)
      g_byte_array_unref (lines);
    else if (!deliver (source, lines))
      return FALSE;
  }
  return deliver (source, new_block (DIGITIZER_END, 0))
         && gst_app_src_end_of_stream (source) == GST_FLOW_OK;
}

int
main (int argc, char *argv[])
{
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;

  gst_init (&argc, &argv);
  if (argc < 2 || argc > 4) {
    g_printerr ("Usage: digitizer SOCKET [VOLUMES [LOST]]\n");
    return 2;
  }
  /* block=true: A-lines wait here while nobody reads them.  A digitizer that
   * cannot wait drops them here and counts on. */
  pipeline = gst_parse_launch (
      "appsrc name=source block=true max-bytes=4000000 ! "
      "shmsink name=sink shm-size=16000000 wait-for-connection=true sync=false",
      &error);
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_object_set (sink, "socket-path", argv[1], NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  run (GST_APP_SRC (source),
      argc > 2 ? g_ascii_strtoull (argv[2], NULL, 10) : 1,
      argc > 3 ? g_ascii_strtoull (argv[3], NULL, 10) : 0);
  /* what was written stays until it has been read */
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    return 1;
  }
  return 0;
}
