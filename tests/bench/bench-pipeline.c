/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of a real pipeline, octsrc ! ... ! octlogscale ! fakesink, from raw
 * spectra in host memory to images in host memory, beside FFTW alone in the
 * same run.
 *
 *   bench-pipeline --samples 2048 --lines 1000 --json result.json
 *   bench-pipeline --sizes
 */
#include "bench-device.h"
#include "bench-fftw.h"

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* buffers of the file that is played in a loop: more than the caches hold */
#define FILE_BUFFERS 16
#define WARM_UP 10 /* buffers */

static gint samples = 2048, lines = 1000, threads = 0, bscans = 200,
            together = 1, volume = 0;
static gboolean no_dispersion = FALSE, from_disk = FALSE, queues = FALSE,
                one_thread = FALSE, sizes = FALSE, gather = FALSE,
                loads = FALSE, waits = FALSE;
static double load = 0; /* part of `full` that B-scans come with, 0: all */
static double full = 0; /* A-lines/s */
static char *method = NULL, *backend = NULL, *json_path = NULL;
static char *transform = NULL, *sensing = NULL;
static char *format = NULL, *range = NULL, *devices = NULL, *fill = NULL;
static char *filters = NULL;
static GArray *ids = NULL; /* of gint: those of `devices`, or none */

static const char *const transforms[] = { "fft", "nufft", "nudft", "fft-cs",
  "nufft-cs", "nudft-cs", NULL };

static GOptionEntry options[] = {
  { "samples", 0, 0, G_OPTION_ARG_INT, &samples, "Samples of an A-line", "N" },
  { "lines", 0, 0, G_OPTION_ARG_INT, &lines, "A-lines of a B-scan", "N" },
  { "bscans", 0, 0, G_OPTION_ARG_INT, &bscans, "B-scans timed", "N" },
  { "together", 0, 0, G_OPTION_ARG_INT, &together, "B-scans of a buffer", "N" },
  { "volume", 0, 0, G_OPTION_ARG_INT, &volume,
      "Draw volumes of so many B-scans, 1920 x 1080", "N" },
  { "fill", 0, 0, G_OPTION_ARG_STRING, &fill,
      "Scan 18 % of the A-lines of these and fill in the others (joint, "
      "envelope, paper, linear)",
      "METHOD" },
  { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "0 = one per core", "N" },
  { "method", 0, 0, G_OPTION_ARG_STRING, &method,
      "Resampling: cubic, linear, lanczos", "NAME" },
  { "transform", 0, 0, G_OPTION_ARG_STRING, &transform,
      "fft (after octkresample), nufft or nudft; with -cs after it octcs",
      "NAME" },
  { "cs", 0, 0, G_OPTION_ARG_STRING, &sensing,
      "Properties of octcs, as \"sampling-rate=0.3 noise=12\"", "TEXT" },
  { "no-dispersion", 0, 0, G_OPTION_ARG_NONE, &no_dispersion,
      "Without octdispersion: real transforms", NULL },
  { "backend", 0, 0, G_OPTION_ARG_STRING, &backend, "auto, cpu, cuda", "NAME" },
  { "devices", 0, 0, G_OPTION_ARG_STRING, &devices,
      "Several GPUs that share the B-scans, as 0,1", "LIST" },
  { "one-thread", 0, 0, G_OPTION_ARG_NONE, &one_thread,
      "With --devices: one thread feeds all GPUs in turn, in place of "
      "octscatter with a thread for each",
      NULL },
  { "format", 0, 0, G_OPTION_ARG_STRING, &format,
      "Image: GRAY8, GRAY16_LE, NV12", "NAME" },
  { "range", 0, 0, G_OPTION_ARG_STRING, &range,
      "Range of octlogscale: auto, contrast", "NAME" },
  { "filters", 0, 0, G_OPTION_ARG_STRING, &filters,
      "Filters of images after octlogscale, as \"octspeckle ! octflip\"",
      "TEXT" },
  { "from-disk", 0, 0, G_OPTION_ARG_NONE, &from_disk,
      "Read the file again and again instead of preloading it", NULL },
  { "queues", 0, 0, G_OPTION_ARG_NONE, &queues,
      "Queues after octdcsub and before octlogscale: three threads", NULL },
  { "gather", 0, 0, G_OPTION_ARG_NONE, &gather,
      "octgather bscans=0 before octdcsub: B-scans that wait go together",
      NULL },
  { "loads", 0, 0, G_OPTION_ARG_NONE, &loads,
      "Latency of B-scans that come at 0.3, 0.6 and 0.9 of the rate that "
      "single "
      "ones reach, one by one and with --gather",
      NULL },
  { "sizes", 0, 0, G_OPTION_ARG_NONE, &sizes,
      "A table of many sizes, for docs/benchmarks.md; the options of sizes and "
      "--bscans do not count",
      NULL },
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json_path,
      "Write the results to FILE too", "FILE" },
  { NULL },
};

/* Images may still be on their way to host memory when they reach the sink:
 * each is mapped, and so waited for, so many buffers later. */
#define UNDER_WAY 2
/* octgather bscans=0 puts so many B-scans into a buffer at most; fewer if they
 * are large */
#define GATHERED 16u

/* B-scans between octdcsub and the sink at most. */
#define ENTRIES 4096

/* Measurements of a running pipeline. */
typedef struct {
  guint count;
  gint64 first, last;  /* microseconds, arrivals of images */
  GQueue images;       /* the last ones */
  gboolean one_by_one; /* wait for each image: latency, not speed */
  guint of_buffer;     /* images of one buffer at most, 0: not known yet */
  /* microseconds, the B-scans at the first element, by their numbers */
  gint64 entered[ENTRIES];
  GArray *latencies;       /* of double, microseconds */
  gsize least_free_memory; /* of the GPU, bytes */
} Observation;

/* Images, or pictures of volumes, that are not timed. */
static guint
count_warm_up (void)
{
  return volume > 0 ? 2 : WARM_UP * (guint)together;
}

static void
wait_for_image (GstBuffer *image)
{
  GstMapInfo map;

  if (!gst_buffer_map (image, &map, GST_MAP_READ)) {
    g_printerr ("An image cannot be read\n");
    exit (1);
  }
  gst_buffer_unmap (image, &map);
}

/* As the caps after octgather say. */
static guint
count_gathered (GstPad *sink)
{
  g_autoptr (GstObject) element = gst_pad_get_parent (sink);
  g_autoptr (GstElement) first =
      gst_bin_get_by_name (GST_BIN (GST_OBJECT_PARENT (element)), "in");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (first, "src");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gint bscans = 1;

  if (caps != NULL)
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "bscans", &bscans);
  return (guint)bscans;
}

static GstPadProbeReturn
note_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Observation *seen = data;
  guint warm_up = count_warm_up ();
  guint64 number = GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info));
  guint under_way;

  if (seen->of_buffer == 0)
    seen->of_buffer = volume > 0                ? 1
                      : gather && ids->len == 0 ? count_gathered (pad)
                                                : (guint)together;
  under_way = seen->one_by_one ? 0 : UNDER_WAY * seen->of_buffer;

  g_queue_push_tail (
      &seen->images, gst_buffer_ref (GST_PAD_PROBE_INFO_BUFFER (info)));
  while (g_queue_get_length (&seen->images) > under_way) {
    GstBuffer *image = g_queue_pop_head (&seen->images);

    wait_for_image (image);
    gst_buffer_unref (image);
  }
  seen->last = g_get_monotonic_time ();
  if (seen->count++ >= warm_up) {
    double latency = (double)(seen->last - seen->entered[number % ENTRIES]);

    if (seen->first == 0)
      seen->first = seen->last;
    g_array_append_val (seen->latencies, latency);
  }
  if (seen->count == warm_up)
    seen->least_free_memory = bench_device_free_memory ();
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
note_entry (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Observation *seen = data;
  guint64 number = GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info));

  for (guint i = 0; i < (guint)together; i++)
    seen->entered[(number + i) % ENTRIES] = g_get_monotonic_time ();
  /* a picture has the number of its volume */
  if (volume > 0)
    for (guint i = 0; i < ENTRIES; i++)
      seen->entered[i] = g_get_monotonic_time ();
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement *pipeline, const char *name, GstPadProbeCallback callback,
    Observation *seen)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, seen, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

/* B-scan n goes to branch n modulo the number of GPUs, in one thread. */
static GstPadProbeReturn
take_turn (GstPad *pad, GstPadProbeInfo *info, gpointer branch)
{
  guint64 number = GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info));

  return number / (guint)together % ids->len == GPOINTER_TO_UINT (branch)
             ? GST_PAD_PROBE_OK
             : GST_PAD_PROBE_DROP;
}

static void
share_in_turn (GstElement *pipeline)
{
  GstElement *tee = gst_bin_get_by_name (GST_BIN (pipeline), "in");

  for (guint i = 0; i < ids->len; i++) {
    g_autofree char *name = g_strdup_printf ("src_%u", i);
    GstPad *pad = gst_element_get_static_pad (tee, name);

    gst_pad_add_probe (
        pad, GST_PAD_PROBE_TYPE_BUFFER, take_turn, GUINT_TO_POINTER (i), NULL);
    gst_object_unref (pad);
  }
  gst_object_unref (tee);
}

/* Runs a pipeline to its end; exits with the element's sentence on an error. */
static void
run_pipeline (const char *description, Observation *seen)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  GstMessage *message;
  GstBus *bus;

  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  if (seen != NULL) {
    add_probe (pipeline, "in", note_entry, seen);
    add_probe (pipeline, "sink", note_arrival, seen);
    if (one_thread)
      share_in_turn (pipeline);
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
  if (seen != NULL)
    g_queue_clear_full (&seen->images, (GDestroyNotify)gst_buffer_unref);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Whole volumes, and whole buffers. */
static gint
count_file_bscans (void)
{
  gint most = (256 << 20) / (samples * lines * 2);
  gint of_buffer =
      gather ? CLAMP (most / FILE_BUFFERS, 1, (gint)GATHERED) : together;

  return MAX (FILE_BUFFERS * of_buffer, volume);
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
      count_file_bscans (), samples, lines, path);
  run_pipeline (description, NULL);
  return path;
}

/* From spectra to A-scans.  `place`: backend and GPU of each element. */
static char *
describe_transform (const char *place)
{
  g_autofree char *dispersion =
      no_dispersion ? g_strdup ("")
                    : g_strdup_printf ("octdispersion %s ! ", place);

  if (g_str_has_suffix (transform, "-cs")) {
    g_autofree char *kind = g_strndup (transform, strlen (transform) - 3);
    g_autofree char *uniform =
        g_strdup_printf ("octkresample method=%s %s ! ", method, place);

    return g_strdup_printf ("%s %s octcs transform=%s %s %s",
        strcmp (kind, "fft") == 0 ? uniform : "", dispersion, kind, place,
        sensing);
  }
  if (strcmp (transform, "fft") == 0)
    return g_strdup_printf ("octkresample method=%s %s ! %s octfft %s", method,
        place, dispersion, place);
  return g_strdup_printf (
      "%s octnufft method=%s %s", dispersion, transform, place);
}

/* From counts to images.  `name` of octdcsub, or "". */
static char *
describe_chain (const char *place, const char *name)
{
  const char *queue = queues ? "queue max-size-buffers=4 ! " : "";
  g_autofree char *ascans = describe_transform (place);
  g_autofree char *filled = fill != NULL ? g_strdup_printf (
                                "octvolumecs method=%s %s ! ", fill, place)
                                         : g_strdup ("");
  g_autofree char *picture =
      volume > 0
          ? g_strdup_printf ("octvolume bscans=%d x-spacing=2.34e-5 "
                             "y-spacing=3e-5 z-spacing=2.5e-6 mode=full %s ! "
                             "video/x-raw,format=NV12,width=1920,height=1080",
              volume, place)
          : g_strdup_printf ("video/x-raw,format=%s", format);
  g_autofree char *filtered =
      filters != NULL ? g_strdup_printf ("%s ! ", filters) : g_strdup ("");

  return g_strdup_printf (
      "octdcsub %s %s ! %s %s ! %s%soctlogscale range=%s %s ! %s%s", name,
      place, queue, ascans, filled, queue, range, place, filtered, picture);
}

/* The same from octsrc to the sink, on one GPU or on several. */
static char *
describe_all (void)
{
  g_autofree char *place = g_strdup_printf ("backend=%s", backend);
  g_autofree char *chain =
      describe_chain (place, gather || waits ? "" : "name=in");
  GString *text;

  if (ids->len == 0)
    return g_strdup_printf ("%s%s ! fakesink name=sink",
        gather  ? "octgather name=in bscans=0 ! "
        : waits ? "queue name=in max-size-buffers=16 ! "
                : "",
        chain);
  /* a thread for the images, as octreconstruct has */
  text = g_string_new (
      one_thread ? "tee name=in funnel name=out forward-sticky-events=false ! "
                 : "octscatter name=in octcollect name=out ! ");
  g_string_append_printf (text,
      "queue max-size-buffers=%u max-size-bytes=0 max-size-time=0 ! "
      "fakesink name=sink",
      2 * ids->len);
  for (guint i = 0; i < ids->len; i++) {
    g_autofree char *there = g_strdup_printf (
        "%s cuda-device-id=%d", place, g_array_index (ids, gint, i));
    g_autofree char *branch = describe_chain (there, "");

    g_string_append_printf (text, " in. ! %s ! out.", branch);
  }
  return g_string_free (text, FALSE);
}

/* The caller frees seen->latencies. */
static void
measure (const char *path, guint count, gboolean one_by_one, Observation *seen)
{
  g_autofree char *rest = describe_all ();
  g_autofree char *scan =
      volume > 0 ? g_strdup_printf ("bscans=%d%s", volume,
          fill != NULL ? " scan-mask=scattered scan-rate=0.18" : "")
                 : g_strdup ("");
  g_autofree char *description =
      g_strdup_printf ("octsrc location=\"%s\" samples=%d lines=%d %s "
                       "loop=true preload=%s "
                       "bscans-per-buffer=%d num-buffers=%u wavelength-min=790 "
                       "wavelength-max=900 dispersion-a2=20 backend=%s "
                       "line-rate=%.0f is-live=%s ! %s",
          path, samples, lines, scan, from_disk ? "false" : "true", together,
          (count + count_warm_up () * (guint)MAX (1, volume)) / (guint)together,
          backend, load * full, load > 0 ? "true" : "false", rest);

  *seen = (Observation){ .one_by_one = one_by_one,
    .latencies = g_array_new (FALSE, FALSE, sizeof (double)) };
  run_pipeline (description, seen);
  if (seen->latencies->len == 0) {
    g_printerr (
        "There were too few B-scans to measure; set --bscans to more\n");
    exit (1);
  }
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* part 0.5: the median */
static double
percentile (GArray *values, double part)
{
  g_array_sort (values, compare);
  return g_array_index (
      values, double, (guint)((values->len - 1) * part + 0.5));
}

static void
set_defaults (char **text, const char *value)
{
  if (*text == NULL)
    *text = g_strdup (value);
}

typedef struct {
  double rate, complex_rate, real_rate; /* A-lines/s */
  double link_rate;                     /* A-lines/s, 0 = no GPU */
  double median, late;                  /* us */
  double memory, device_memory;         /* MB */
} Results;

static void
write_json (const Results *r)
{
  GError *error = NULL;
  g_autofree char *text = g_strdup_printf (
      "{\n  \"backend\": \"%s\", \"samples\": %d, \"lines\": %d, "
      "\"threads\": %d, \"transform\": \"%s\", \"method\": \"%s\", "
      "\"dispersion\": %s, "
      "\"bscans\": %d, \"together\": %d, \"devices\": %u,\n  "
      "\"pipeline_alines_per_s\": %.6g,\n"
      "  \"link_alines_per_s\": %.6g,\n"
      "  \"fftw_complex_alines_per_s\": %.6g,\n"
      "  \"fftw_real_alines_per_s\": %.6g,\n"
      "  \"latency_median_us\": %.5g,\n"
      "  \"latency_99th_percentile_us\": %.5g,\n"
      "  \"peak_memory_mb\": %.4g,\n  \"device_memory_mb\": %.4g\n}\n",
      backend, samples, lines, threads, transform, method,
      no_dispersion ? "false" : "true", bscans, together, MAX (1, ids->len),
      r->rate, r->link_rate, r->complex_rate, r->real_rate, r->median, r->late,
      r->memory, r->device_memory);

  if (!g_file_set_contents (json_path, text, -1, &error)) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
}

/* The upload alone, in the blocks of the pipeline. */
static double
measure_link (void)
{
  gsize bytes = (gsize)samples * lines * together * 2;
  guint blocks = (guint)(bscans / together);

  return (ids->len == 0 ? bench_device_upload_rate (bytes, blocks)
                        : bench_device_upload_rate_of (ids, bytes, blocks))
         / (samples * 2.0);
}

static double
get_rate (const Observation *seen)
{
  return (double)lines * MAX (1, volume) * (seen->count - 1 - count_warm_up ())
         / ((seen->last - seen->first) * 1e-6);
}

static void
measure_all (Results *r)
{
  g_autofree char *path = write_spectra ();
  gsize unused = bench_device_free_memory ();
  struct rusage usage;
  Observation seen;

  measure (path, (guint)bscans, FALSE, &seen);
  getrusage (RUSAGE_SELF, &usage);
  r->memory = usage.ru_maxrss / 1024.0;
  r->rate = get_rate (&seen);
  if (unused > 0)
    r->device_memory = ((double)unused - (double)seen.least_free_memory) * 1e-6;
  g_array_unref (seen.latencies);
  /* after a queue, and in branches, the next B-scan enters before this one is
   * finished */
  if (!queues && !gather && ids->len == 0) {
    measure (path, (guint)MIN (bscans, 500), TRUE, &seen);
    r->median = percentile (seen.latencies, 0.5);
    r->late = percentile (seen.latencies, 0.99);
    g_array_unref (seen.latencies);
  }
  g_unlink (path);
  r->link_rate = measure_link ();
  r->complex_rate =
      bench_fftw_rate (FALSE, (guint)samples, (guint)lines, (guint)threads, 50);
  r->real_rate =
      bench_fftw_rate (TRUE, (guint)samples, (guint)lines, (guint)threads, 50);
}

static void
print_results (const Results *r)
{
  g_print ("%d samples x %d A-lines, %s%s, %d threads, backend %s, %d B-scans "
           "of %s, %d together%s\n",
      samples, lines, strcmp (transform, "fft") == 0 ? method : transform,
      no_dispersion ? "" : " + dispersion", threads, backend, bscans,
      from_disk ? "a file" : "host memory", together, queues ? ", queues" : "");
  if (ids->len > 0)
    g_print ("%-24s %12u (%s)\n", "GPUs", ids->len, devices);
  g_print ("%-24s %12.0f A-lines/s\n", "whole pipeline", r->rate);
  if (volume > 0)
    g_print ("%-24s %12.1f volumes/s, drawn, of %d B-scans\n", "",
        r->rate / lines / volume, volume);
  if (r->link_rate > 0 && fill == NULL)
    g_print ("%-24s %12.0f A-lines/s (pipeline: %.3f of it)\n",
        "upload to the GPU alone", r->link_rate, r->rate / r->link_rate);
  if (r->complex_rate > 0) {
    g_print (
        "%-24s %12.0f A-lines/s\n", "FFTW alone, complex", r->complex_rate);
    g_print ("%-24s %12.0f A-lines/s\n", "FFTW alone, real", r->real_rate);
  }
  if (r->median > 0)
    g_print ("%-24s %12.0f us median, %.0f us 99th percentile\n",
        volume > 0 ? "last B-scan to picture" : "latency of one B-scan",
        r->median, r->late);
  g_print ("%-24s %12.0f MB (with %d B-scans of spectra)\n", "peak memory",
      r->memory, count_file_bscans ());
  if (r->device_memory > 0)
    g_print ("%-24s %12.0f MB (with its CUDA context)\n", "GPU memory",
        r->device_memory);
}

static void
print_size (void)
{
  g_autofree char *path = write_spectra ();
  double rate, link;
  Observation seen;

  measure (path, (guint)bscans, FALSE, &seen);
  g_array_unref (seen.latencies);
  g_unlink (path);
  rate = get_rate (&seen);
  link = measure_link ();
  if (gather)
    g_print (
        "| %d x %d | those that wait | %.3g M |", samples, lines, rate / 1e6);
  else
    g_print ("| %d x %d | %d | %.3g M |", samples, lines, together, rate / 1e6);
  if (link > 0)
    g_print (" %.3g M | %.2f |\n", link / 1e6, rate / link);
  else
    g_print (" no GPU | |\n");
}

/* Each size for a second or so. */
static void
print_sizes (void)
{
  static const struct {
    gint samples, lines, together;
  } table[] = { { 2048, 64, 1 }, { 2048, 64, 16 }, { 1024, 256, 1 },
    { 1024, 256, 8 }, { 1024, 512, 1 }, { 1024, 512, 32 }, { 2048, 256, 1 },
    { 2048, 512, 1 }, { 2048, 1000, 1 }, { 4096, 1000, 1 } };
  gint alines = bench_device_free_memory () > 0 ? 8000000 : 300000;

  g_print ("| samples x A-lines | B-scans of a buffer | A-lines/s | upload "
           "alone | of it |\n|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    samples = table[i].samples;
    lines = table[i].lines;
    together = table[i].together;
    bscans = MAX (alines / lines / together, 2) * together;
    gather = FALSE;
    print_size ();
    gather = together == 1;
    if (gather)
      print_size ();
  }
}

/* B-scans come at a rate of their own. */
static void
print_loads (void)
{
  static const double parts[] = { 0.3, 0.6, 0.9 };
  g_autofree char *path = write_spectra ();
  Observation seen;

  gather = FALSE;
  measure (path, (guint)bscans, FALSE, &seen);
  g_array_unref (seen.latencies);
  full = get_rate (&seen);
  /* those that come meanwhile wait in both cases */
  waits = TRUE;
  g_print (
      "%d samples x %d A-lines, single B-scans reach %.3g M A-lines/s\n"
      "| part of it | latency after a queue, median, 99th percentile | after "
      "octgather bscans=0 |\n|---|---|---|\n",
      samples, lines, full / 1e6);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    load = parts[i];
    g_print ("| %.1f |", load);
    for (guint k = 0; k < 2; k++) {
      gather = k > 0;
      measure (path, (guint)bscans, TRUE, &seen);
      g_print (" %.0f us, %.0f us |", percentile (seen.latencies, 0.5),
          percentile (seen.latencies, 0.99));
      g_array_unref (seen.latencies);
    }
    g_print ("\n");
  }
  g_unlink (path);
}

static gboolean
read_devices (void)
{
  g_auto (GStrv) words = g_strsplit (devices != NULL ? devices : "", ",", -1);

  ids = g_array_new (FALSE, FALSE, sizeof (gint));
  for (guint i = 0; words[i] != NULL; i++) {
    guint64 value;
    gint id;

    if (!g_ascii_string_to_unsigned (words[i], 10, 0, 63, &value, NULL))
      return FALSE;
    id = (gint)value;
    g_array_append_val (ids, id);
  }
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- speed of a whole pipeline");
  GError *error = NULL;
  Results results = { 0 };

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (samples < 2 || lines < 1 || bscans < 2 || threads < 0 || together < 1
      || bscans / together < 2) {
    g_printerr ("Sizes must be positive\n");
    return 2;
  }
  if (fill != NULL && volume < 1) {
    g_printerr ("--fill is of volumes; set --volume\n");
    return 2;
  }
  if (!read_devices ()) {
    g_printerr ("'%s' is not a list of GPUs such as 0,1\n", devices);
    return 2;
  }
  if (threads == 0)
    threads = (gint)g_get_num_processors ();
  g_setenv ("OCT_THREADS", g_strdup_printf ("%d", threads), TRUE);
  set_defaults (&method, "cubic");
  set_defaults (&transform, "fft");
  set_defaults (&backend, "auto");
  set_defaults (&format, "GRAY8");
  set_defaults (&range, "auto");
  set_defaults (&sensing, "");
  if (!g_strv_contains (transforms, transform)) {
    g_printerr ("There is no transform '%s'\n", transform);
    return 2;
  }
  gst_init (NULL, NULL);
  if (sizes || loads) {
    if (sizes)
      print_sizes ();
    else
      print_loads ();
    return 0;
  }
  measure_all (&results);
  print_results (&results);
  if (json_path != NULL)
    write_json (&results);
  return 0;
}
