/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of a real pipeline, octsrc ! ... ! octlogscale ! fakesink, from raw
 * spectra in host memory to images in host memory, beside FFTW alone in the
 * same run.
 *
 *   bench-pipeline --samples 2048 --lines 1000 --json result.json
 */
#include "bench-fftw.h"

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* B-scans of the file that is played in a loop: more than the caches hold */
#define FILE_BSCANS 16
#define WARM_UP 10

static gint samples = 2048, lines = 1000, threads = 0, bscans = 200;
static gboolean no_dispersion = FALSE, from_disk = FALSE;
static char *method = NULL, *backend = NULL, *json_path = NULL;
static char *format = NULL, *range = NULL;

static GOptionEntry options[] = {
  { "samples", 0, 0, G_OPTION_ARG_INT, &samples, "Samples of an A-line", "N" },
  { "lines", 0, 0, G_OPTION_ARG_INT, &lines, "A-lines of a B-scan", "N" },
  { "bscans", 0, 0, G_OPTION_ARG_INT, &bscans, "B-scans timed", "N" },
  { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "0 = one per core", "N" },
  { "method", 0, 0, G_OPTION_ARG_STRING, &method,
      "Resampling: cubic, linear, lanczos", "NAME" },
  { "no-dispersion", 0, 0, G_OPTION_ARG_NONE, &no_dispersion,
      "Without octdispersion: real transforms", NULL },
  { "backend", 0, 0, G_OPTION_ARG_STRING, &backend, "auto, cpu, cuda", "NAME" },
  { "format", 0, 0, G_OPTION_ARG_STRING, &format,
      "Image: GRAY8, GRAY16_LE, NV12", "NAME" },
  { "range", 0, 0, G_OPTION_ARG_STRING, &range,
      "Range of octlogscale: auto, contrast", "NAME" },
  { "from-disk", 0, 0, G_OPTION_ARG_NONE, &from_disk,
      "Read the file again and again instead of preloading it", NULL },
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json_path,
      "Write the results to FILE too", "FILE" },
  { NULL },
};

/* Times of the images that reach the sink. */
typedef struct {
  guint count;
  gint64 first, last; /* microseconds */
} Arrivals;

static GstPadProbeReturn
note_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Arrivals *arrivals = data;

  arrivals->last = g_get_monotonic_time ();
  if (arrivals->count++ == WARM_UP)
    arrivals->first = arrivals->last;
  return GST_PAD_PROBE_OK;
}

/* Runs a pipeline to its end; exits with the element's sentence on an error. */
static void
run_pipeline (const char *description, Arrivals *arrivals)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  GstMessage *message;
  GstBus *bus;

  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  if (arrivals != NULL) {
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    GstPad *pad = gst_element_get_static_pad (sink, "sink");

    gst_pad_add_probe (
        pad, GST_PAD_PROBE_TYPE_BUFFER, note_arrival, arrivals, NULL);
    gst_object_unref (pad);
    gst_object_unref (sink);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static char *
write_spectra (void)
{
  GError *error = NULL;
  char *path = NULL;
  gint file = g_file_open_tmp ("oct-bench-XXXXXX.raw", &path, &error);
  g_autofree char *description = NULL;

  if (file < 0) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  close (file);
  description = g_strdup_printf ("octsrc num-buffers=%d samples=%d lines=%d ! "
                                 "filesink location=\"%s\"",
      FILE_BSCANS, samples, lines, path);
  run_pipeline (description, NULL);
  return path;
}

static double
measure (const char *path)
{
  Arrivals arrivals = { 0 };
  g_autofree char *description = g_strdup_printf (
      "octsrc location=\"%s\" samples=%d lines=%d loop=true preload=%s "
      "num-buffers=%d wavelength-min=790 wavelength-max=900 dispersion-a2=20 "
      "! octdcsub backend=%s ! octkresample method=%s backend=%s ! %s%s "
      "octfft backend=%s ! octlogscale range=%s backend=%s ! "
      "video/x-raw,format=%s ! fakesink name=sink",
      path, samples, lines, from_disk ? "false" : "true", bscans + WARM_UP,
      backend, method, backend, no_dispersion ? "" : "octdispersion backend=",
      no_dispersion ? "" : g_strconcat (backend, " ! ", NULL), backend, range,
      backend, format);

  run_pipeline (description, &arrivals);
  return (double)lines * (arrivals.count - 1 - WARM_UP)
         / ((arrivals.last - arrivals.first) * 1e-6);
}

static void
set_defaults (char **text, const char *value)
{
  if (*text == NULL)
    *text = g_strdup (value);
}

static void
write_json (double rate, double complex_rate, double real_rate, double memory)
{
  GError *error = NULL;
  g_autofree char *text = g_strdup_printf (
      "{\n  \"backend\": \"%s\", \"samples\": %d, \"lines\": %d, "
      "\"threads\": %d, \"method\": \"%s\", \"dispersion\": %s, "
      "\"bscans\": %d,\n  \"pipeline_alines_per_s\": %.6g,\n"
      "  \"fftw_complex_alines_per_s\": %.6g,\n"
      "  \"fftw_real_alines_per_s\": %.6g,\n"
      "  \"peak_memory_mb\": %.4g\n}\n",
      backend, samples, lines, threads, method,
      no_dispersion ? "false" : "true", bscans, rate, complex_rate, real_rate,
      memory);

  if (!g_file_set_contents (json_path, text, -1, &error)) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- speed of a whole pipeline");
  g_autofree char *path = NULL;
  GError *error = NULL;
  double rate, complex_rate, real_rate, memory;
  struct rusage usage;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (samples < 2 || lines < 1 || bscans < 2 || threads < 0) {
    g_printerr ("Sizes must be positive\n");
    return 2;
  }
  if (threads == 0)
    threads = (gint)g_get_num_processors ();
  g_setenv ("OCT_THREADS", g_strdup_printf ("%d", threads), TRUE);
  set_defaults (&method, "cubic");
  set_defaults (&backend, "auto");
  set_defaults (&format, "GRAY8");
  set_defaults (&range, "auto");
  gst_init (NULL, NULL);

  path = write_spectra ();
  rate = measure (path);
  g_unlink (path);
  getrusage (RUSAGE_SELF, &usage);
  memory = usage.ru_maxrss / 1024.0;
  complex_rate =
      bench_fftw_rate (FALSE, (guint)samples, (guint)lines, (guint)threads, 50);
  real_rate =
      bench_fftw_rate (TRUE, (guint)samples, (guint)lines, (guint)threads, 50);

  g_print ("%d samples x %d A-lines, %s%s, %d threads, backend %s, %d B-scans "
           "of %s\n",
      samples, lines, method, no_dispersion ? "" : " + dispersion", threads,
      backend, bscans, from_disk ? "a file" : "host memory");
  g_print ("%-24s %12.0f A-lines/s\n", "whole pipeline", rate);
  g_print ("%-24s %12.0f A-lines/s\n", "FFTW alone, complex", complex_rate);
  g_print ("%-24s %12.0f A-lines/s\n", "FFTW alone, real", real_rate);
  g_print ("%-24s %12.0f MB (with %d B-scans of spectra)\n", "peak memory",
      memory, FILE_BSCANS);
  if (json_path != NULL)
    write_json (rate, complex_rate, real_rate, memory);
  return 0;
}
