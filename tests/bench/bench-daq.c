/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The ring of a digitizer: GB/s from a process that writes every sample through
 * the ring to octdaqsrc's buffers, and the time from a block that is published
 * to its buffer on the source pad.
 *
 *   bench-daq [GB [BLOCKS]]
 *
 * GB are for the rates (default 4), BLOCKS for the times (default 2000).  The
 * load of the computer is printed, too: both need two idle cores.
 */
#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oct-daq.h"

#define SAMPLES 1024u
#define LINES 512u
#define FEW_LINES 128u
#define SIZE_OF(lines) ((gsize)SAMPLES * (lines)*2)
#define BLOCK SIZE_OF (LINES)
#define PERIOD 2000 /* us between blocks whose times are measured */
#define LONG 20000  /* ms */

typedef struct {
  guint count; /* of buffers */
  gint64 first, last;
  GArray *delays; /* us, double */
} Arrivals;

static char *path;

/* A process that writes `count` blocks and ends; each begins with the time when
 * it is published. */
static pid_t
start_writer (guint lines, guint count, guint period)
{
  const OctDaqHeader ring = { .blocks = 16,
    .flags = OCT_DAQ_LOSSLESS,
    .sample_format = OCT_DAQ_U16,
    .samples = SAMPLES,
    .lines = lines,
    .channels = 1,
    .channel_kind = { OCT_DAQ_OCT } };
  pid_t pid = fork ();
  OctDaqWriter *writer;

  if (pid != 0)
    return pid;
  writer = oct_daq_open (path, &ring, NULL, NULL);
  if (writer == NULL || oct_daq_wait_for_readers (writer, 1, LONG) != 1)
    _exit (1);
  for (guint n = 0; n < count; n++) {
    guint64 *block = oct_daq_claim (writer, LONG);

    if (block == NULL)
      _exit (1);
    for (gsize i = 0; i < SIZE_OF (lines) / 8; i++)
      block[i] = n + i;
    if (period > 0)
      g_usleep (period);
    block[0] = (guint64)g_get_monotonic_time ();
    oct_daq_publish (writer, NULL);
  }
  oct_daq_close (writer);
  _exit (0);
}

static void
end_writer (pid_t pid)
{
  int status = 0;

  if (waitpid (pid, &status, 0) != pid || status != 0)
    g_error ("the writer has failed");
}

/* By the functions of the library alone. */
static void
measure_ring (guint count)
{
  pid_t pid = start_writer (LINES, count, 0);
  g_autofree guint8 *copy = g_malloc (BLOCK);
  OctDaqReader *reader = NULL;
  gint64 began = 0;
  OctDaqBlock head;
  guint n = 0;

  while (reader == NULL) {
    reader = oct_daq_reader_open (path, LONG, NULL);
    g_usleep (1000);
  }
  while (oct_daq_reader_wait (reader, LONG, &head) == OCT_DAQ_BLOCK) {
    memcpy (copy, oct_daq_reader_data (reader, 0), BLOCK);
    if (!oct_daq_reader_holds (reader))
      g_error ("a lossless ring has lost a block");
    oct_daq_reader_next (reader);
    if (n++ == 0)
      began = g_get_monotonic_time ();
  }
  g_print ("ring, copied by a reader:  %.2f GB/s\n",
      (double)(n - 1) * BLOCK / 1e3
          / (double)(g_get_monotonic_time () - began));
  oct_daq_reader_close (reader);
  end_writer (pid);
}

static GstPadProbeReturn
on_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Arrivals *arrivals = data;
  gint64 now = g_get_monotonic_time (), then;
  double delay;

  gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, &then, sizeof then);
  delay = (double)(now - then);
  g_array_append_val (arrivals->delays, delay);
  if (arrivals->count++ == 0)
    arrivals->first = now;
  arrivals->last = now;
  return GST_PAD_PROBE_OK;
}

static void
run_element (guint lines, guint count, guint period, Arrivals *arrivals)
{
  g_autofree char *launch = g_strdup_printf (
      "octdaqsrc name=source socket=%s reconnect=false ! fakesink sync=false",
      path);
  pid_t pid = start_writer (lines, count, period);
  g_autoptr (GstElement) pipeline = NULL, source = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstPad) pad = NULL;

  gst_init (NULL, NULL);
  pipeline = gst_parse_launch (launch, NULL);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  pad = gst_element_get_static_pad (source, "src");
  bus = gst_element_get_bus (pipeline);
  *arrivals =
      (Arrivals){ .delays = g_array_new (FALSE, FALSE, sizeof (double)) };
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, on_arrival, arrivals, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS || arrivals->count != count)
    g_error ("%u of %u blocks came out of octdaqsrc", arrivals->count, count);
  end_writer (pid);
}

static gint
compare_delays (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static void
measure_element (guint count)
{
  Arrivals arrivals;

  run_element (LINES, count, 0, &arrivals);
  g_print ("ring, through octdaqsrc:   %.2f GB/s\n",
      (double)(count - 1) * BLOCK / 1e3
          / (double)(arrivals.last - arrivals.first));
  g_array_unref (arrivals.delays);
}

static void
measure_delays (guint lines, guint count)
{
  Arrivals arrivals;
  const double *delays;

  run_element (lines, count, PERIOD, &arrivals);
  g_array_sort (arrivals.delays, compare_delays);
  delays = (const double *)arrivals.delays->data;
  g_print ("published to pushed, %zu kB: median %.0f us, 99 %% %.0f us, most "
           "%.0f us\n",
      SIZE_OF (lines) / 1000, delays[count / 2], delays[count * 99 / 100],
      delays[count - 1]);
  g_array_unref (arrivals.delays);
}

int
main (int argc, char *argv[])
{
  guint gigabytes = argc > 1 ? (guint)atoi (argv[1]) : 4;
  guint blocks = argc > 2 ? (guint)atoi (argv[2]) : 2000;
  g_autofree char *folder = g_dir_make_tmp ("bench-daq-XXXXXX", NULL);
  double load[1] = { 0 };

  if (folder == NULL || gigabytes == 0 || gigabytes > 1000 || blocks == 0
      || blocks > 1000000) {
    g_printerr ("Usage: bench-daq [GB [BLOCKS]]\n");
    return 2;
  }
  path = g_build_filename (folder, "daq", NULL);
  getloadavg (load, 1);
  g_print ("load before: %.1f\n", load[0]);
  measure_ring ((guint)(gigabytes * 1e9 / BLOCK) + 1);
  measure_element ((guint)(gigabytes * 1e9 / BLOCK) + 1);
  measure_delays (FEW_LINES, blocks);
  measure_delays (LINES, blocks);
  rmdir (folder);
  g_free (path);
  return 0;
}
