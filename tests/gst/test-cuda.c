/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Pipelines on a GPU: the same images as on the CPU, whatever stands between
 * the elements; what is said of memory of another context and of too little;
 * nothing that grows.  Skipped where no GPU is.
 *
 *   test-cuda --soak SECONDS
 *
 * loops one pipeline for so long and prints the memory at intervals.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define CALIBRATION "wavelength-min=800 wavelength-max=880"
#define CUDA " backend=cuda"
#define CPU " backend=cpu"
/* FILTERS or NUFFT, and END, give one image after the other to "sink" */
#define FILTERS(backend, between)                                              \
  " ! octdcsub " CALIBRATION backend between                                   \
  " ! octkresample name=k" backend between                                     \
  " ! octdispersion name=d a2=40" backend between                              \
  " ! octfft name=f" backend between                                           \
  " ! octlogscale name=l range=contrast" backend between
#define NUFFT(backend, between)                                                \
  " ! octdcsub " CALIBRATION backend between                                   \
  " ! octdispersion name=d a2=40" backend between                              \
  " ! octnufft name=f" backend between                                         \
  " ! octlogscale name=l range=contrast" backend between
#define END " ! appsink name=sink sync=false max-buffers=4"
#define GRAY " ! capsfilter caps=video/x-raw,format=GRAY8" END
#define MEBIBYTE 1048576.0

static char *
source (guint samples, guint lines, guint count)
{
  return g_strdup_printf (
      "octsrc samples=%u lines=%u num-buffers=%u", samples, lines, count);
}

/* A source and two chains, GPU and CPU. */
static void
check_sizes (
    const char *gpu, const char *cpu, guint samples, guint lines, guint count)
{
  g_autofree char *from = source (samples, lines, count);
  g_autofree char *one = g_strconcat (from, gpu, NULL);
  g_autofree char *other = g_strconcat (from, cpu, NULL);
  GstElement *a = oct_test_start (one), *b = oct_test_start (other);

  oct_test_compare_pipelines (a, b, count);
  oct_test_stop (a);
  oct_test_stop (b);
}

/* --------------------------------------------------------------- same images
 */

static const struct {
  guint samples, lines, count;
} sizes[] = { { 64, 1, 3 }, { 333, 33, 4 }, { 1024, 333, 6 },
  { 2048, 1000, 12 }, { 16, 700, 3 }, { 4096, 17, 4 } };

/* The two ways to A-scans: by resampling and without. */
static const struct {
  const char *cuda, *queued, *cpu;
} chains[] = { { FILTERS (CUDA, "") GRAY, FILTERS (CUDA, " ! queue") GRAY,
                   FILTERS (CPU, "") GRAY },
  { NUFFT (CUDA, "") GRAY, NUFFT (CUDA, " ! queue") GRAY,
      NUFFT (CPU, "") GRAY } };

/* Every chain in every size. */
#define N_SIZED (G_N_ELEMENTS (chains) * G_N_ELEMENTS (sizes))

static void
check_sized (gint number, gboolean queued)
{
  guint i = (guint)number % G_N_ELEMENTS (sizes);
  guint chain = (guint)number / G_N_ELEMENTS (sizes);
  g_autofree char *behind_queue =
      g_strconcat (" ! queue", chains[chain].queued, NULL);

  check_sizes (queued ? behind_queue : chains[chain].cuda, chains[chain].cpu,
      sizes[i].samples, sizes[i].lines, sizes[i].count);
}

GST_START_TEST (test_chain)
{
  check_sized (__i__, FALSE);
}
GST_END_TEST;

GST_START_TEST (test_queues)
{
  check_sized (__i__, TRUE);
}
GST_END_TEST;

/* The end right behind the first B-scans: none is lost on its way. */
GST_START_TEST (test_end_after_few)
{
  guint count;

  for (count = 1; count <= 5; count++)
    check_sizes (
        FILTERS (CUDA, "") GRAY, FILTERS (CPU, "") GRAY, 512, 200, count);
}
GST_END_TEST;

#define ON_GPU(format)                                                         \
  " ! capsfilter caps=video/x-raw(memory:CUDAMemory),format=" format
#define DOWNLOAD " ! cudadownload ! capsfilter caps=video/x-raw" END

GST_START_TEST (test_images_on_gpu)
{
  const char *cpu = FILTERS (CPU, "") GRAY;
  guint samples = sizes[__i__].samples, lines = sizes[__i__].lines;

  check_sizes (FILTERS (CUDA, "") ON_GPU ("NV12") DOWNLOAD, cpu, samples, lines,
      sizes[__i__].count);
  check_sizes (FILTERS (CUDA, "") ON_GPU ("RGBA") DOWNLOAD, cpu, samples, lines,
      sizes[__i__].count);
  /* the application maps what is on the GPU itself */
  check_sizes (FILTERS (CUDA, "") ON_GPU ("NV12") END, cpu, samples, lines,
      sizes[__i__].count);
  check_sizes (FILTERS (CUDA, "") ON_GPU ("RGBA") END, cpu, samples, lines,
      sizes[__i__].count);
}
GST_END_TEST;

/* Three branches from spectra on the GPU, one of which changes them. */
GST_START_TEST (test_tee)
{
  g_autofree char *from = source (1024, 300, 20);
  g_autofree char *launch = g_strconcat (from,
      " ! octdcsub " CALIBRATION CUDA " ! tee name=t t. ! queue"
      " ! octkresample" CUDA " ! octdispersion a2=40" CUDA " ! octfft" CUDA
      " ! octlogscale range=contrast" CUDA GRAY
      " t. ! queue ! octdcsub mode=bscan" CUDA " ! octkresample" CUDA
      " ! octfft" CUDA " ! octlogscale" CUDA
      " ! capsfilter caps=video/x-raw,format=GRAY8"
      " ! appsink name=other sync=false max-buffers=4"
      " t. ! queue ! octdispersion a2=40" CUDA " ! octnufft" CUDA
      " ! octlogscale range=contrast" CUDA
      " ! capsfilter caps=video/x-raw,format=GRAY8"
      " ! appsink name=nufft sync=false max-buffers=4",
      NULL);
  g_autofree char *alone = g_strconcat (from, FILTERS (CPU, "") GRAY, NULL);
  g_autofree char *gridded = g_strconcat (from, NUFFT (CPU, "") GRAY, NULL);
  GstElement *both = oct_test_start (launch),
             *expected = oct_test_start (alone);
  GstElement *without = oct_test_start (gridded);
  guint i;

  for (i = 0; i < 20; i++) {
    g_autoptr (OctArray) one = oct_test_pull (both, "sink");
    g_autoptr (OctArray) other = oct_test_pull (both, "other");
    g_autoptr (OctArray) third = oct_test_pull (both, "nufft");
    g_autoptr (OctArray) should = oct_test_pull (expected, "sink");
    g_autoptr (OctArray) should_third = oct_test_pull (without, "sink");

    oct_test_compare (one, should, 1);
    oct_test_compare (third, should_third, 1);
    fail_unless_equals_int (other->rows, should->rows);
  }
  oct_test_stop (both);
  oct_test_stop (expected);
  oct_test_stop (without);
}
GST_END_TEST;

GST_START_TEST (test_several_pipelines)
{
  enum { N = 4 };
  GstElement *gpu[N], *cpu[N];
  guint round, i;

  for (round = 0; round < 3; round++) {
    for (i = 0; i < N; i++) {
      g_autofree char *from = source (256 << i, 50 + 33 * i, 8);
      g_autofree char *one = g_strconcat (from, FILTERS (CUDA, "") GRAY, NULL);
      g_autofree char *other = g_strconcat (from, FILTERS (CPU, "") GRAY, NULL);

      gpu[i] = oct_test_start (one);
      cpu[i] = oct_test_start (other);
    }
    for (i = 0; i < N; i++)
      oct_test_compare_pipelines (gpu[i], cpu[i], 8);
    for (i = 0; i < N; i++) {
      oct_test_stop (gpu[i]);
      oct_test_stop (cpu[i]);
    }
  }
}
GST_END_TEST;

/* ------------------------------------------------------------------ volumes */

static void
map_picture (GstSample *sample, GstVideoFrame *frame)
{
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (
      frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ));
}

/* Differences of all bytes of two RGBA pictures, on average. */
static double
compare_pictures (GstSample *one, GstSample *other)
{
  GstVideoFrame a, b;
  double sum = 0;
  gint width, height;

  map_picture (one, &a);
  map_picture (other, &b);
  width = 4 * GST_VIDEO_FRAME_WIDTH (&a);
  height = GST_VIDEO_FRAME_HEIGHT (&a);
  fail_unless_equals_int (width, 4 * GST_VIDEO_FRAME_WIDTH (&b));
  for (gint y = 0; y < height; y++) {
    const guint8 *p = (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&a, 0)
                      + y * GST_VIDEO_FRAME_PLANE_STRIDE (&a, 0);
    const guint8 *q = (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&b, 0)
                      + y * GST_VIDEO_FRAME_PLANE_STRIDE (&b, 0);

    for (gint x = 0; x < width; x++)
      sum += ABS ((gint)p[x] - q[x]);
  }
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
  return sum / width / height;
}

#define VOLUME " ! octvolume max-render-time=0 turn-rate=40"
#define PICTURE "format=RGBA,width=320,height=240"

/* From images on the GPU or the host to pictures on either. */
static const char *const volumes[] = {
  FILTERS (CUDA, "") ON_GPU ("NV12") VOLUME CUDA
  " ! capsfilter caps=video/x-raw," PICTURE END,
  FILTERS (CUDA, "") ON_GPU ("RGBA") VOLUME CUDA
  " ! capsfilter caps=video/x-raw(memory:CUDAMemory)," PICTURE DOWNLOAD,
  FILTERS (CUDA, "") ON_GPU (
      "NV12") " ! queue" VOLUME CUDA
              " ! capsfilter caps=video/x-raw(memory:CUDAMemory)," PICTURE END,
  FILTERS (CPU, "") " ! capsfilter caps=video/x-raw,format=GRAY8" VOLUME CUDA
                    " ! capsfilter caps=video/x-raw," PICTURE END,
};

GST_START_TEST (test_volumes)
{
  const char *from = "octsrc samples=512 lines=70 bscans=24 num-buffers=72";
  g_autofree char *gpu = g_strconcat (from, volumes[__i__], NULL);
  g_autofree char *cpu = g_strconcat (from,
      FILTERS (CPU, "") " ! capsfilter caps=video/x-raw,format=GRAY8" VOLUME CPU
                        " ! capsfilter caps=video/x-raw," PICTURE END,
      NULL);
  GstElement *a = oct_test_start (gpu), *b = oct_test_start (cpu);

  for (guint i = 0; i < 20; i++) {
    GstSample *one = oct_test_pull_from (a, "sink");
    GstSample *other = oct_test_pull_from (b, "sink");
    double difference = compare_pictures (one, other);

    /* images differ by a grey level */
    fail_unless (difference < 1.5, "picture %u: %g", i, difference);
    gst_sample_unref (one);
    gst_sample_unref (other);
  }
  oct_test_stop (a);
  oct_test_stop (b);
}
GST_END_TEST;

/* A volume that does not fit: how much it needs, how much there is, what to
 * set. */
GST_START_TEST (test_volume_out_of_memory)
{
  const char *launch =
      "octsrc samples=2048 lines=1024 bscans=1024 num-buffers=2" FILTERS (
          CUDA, "") VOLUME CUDA " decimation=1 ! fakesink";
  const char *words[] = { "MB of memory on the GPU", "MB are free",
    "`decimation`", NULL };
  OctTestHoard *hoard = oct_test_cuda_hoard ((guint64)800 << 20);

  fail_if (oct_test_plays (launch, words), "3 GB fit into 0.8");
  oct_test_cuda_free (hoard);
}
GST_END_TEST;

/* ---------------------------------------------------------- in mid-stream */

static void
push_random (
    GstElement *pipeline, guint bytes, guint samples, guint lines, guint32 seed)
{
  GstElement *from = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (OctArray) array = oct_array_new ('u', bytes, lines, samples);
  GRand *random = g_rand_new_with_seed (seed);
  GstCaps *caps = oct_test_caps (array, lines, NULL);
  GstBuffer *buffer;
  GstFlowReturn ret;
  guint i;

  for (i = 0; i < bytes * lines * samples; i++)
    array->data[i] = g_rand_int_range (random, 0, 256);
  g_rand_free (random);
  buffer = oct_test_buffer (array, 0, 0);
  g_object_set (from, "caps", caps, NULL);
  g_signal_emit_by_name (from, "push-buffer", buffer, &ret);
  fail_unless_equals_int (ret, GST_FLOW_OK);
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  gst_object_unref (from);
}

GST_START_TEST (test_other_sizes)
{
  const struct {
    guint bytes, samples, lines;
  } steps[] = { { 2, 512, 100 }, { 2, 512, 33 }, { 1, 512, 33 }, { 1, 333, 1 },
    { 2, 2048, 1000 }, { 2, 64, 5 }, { 2, 512, 100 } };
  const char *from = "appsrc name=source format=time";
  g_autofree char *one = g_strconcat (from, chains[__i__].cuda, NULL);
  g_autofree char *queued = g_strconcat (from, chains[__i__].queued, NULL);
  g_autofree char *other = g_strconcat (from, chains[__i__].cpu, NULL);
  GstElement *pipelines[] = { oct_test_start (one), oct_test_start (queued),
    oct_test_start (other) };
  guint i, k, n;

  for (i = 0; i < G_N_ELEMENTS (steps); i++)
    for (n = 0; n < 3; n++)
      for (k = 0; k < G_N_ELEMENTS (pipelines); k++)
        push_random (pipelines[k], steps[i].bytes, steps[i].samples,
            steps[i].lines, 3 * i + n);
  for (i = 0; i < 3 * G_N_ELEMENTS (steps); i++) {
    g_autoptr (OctArray) found = oct_test_pull (pipelines[0], "sink");
    g_autoptr (OctArray) behind = oct_test_pull (pipelines[1], "sink");
    g_autoptr (OctArray) expected = oct_test_pull (pipelines[2], "sink");

    oct_test_compare (found, expected, 1);
    oct_test_compare (behind, expected, 1);
  }
  for (k = 0; k < G_N_ELEMENTS (pipelines); k++)
    oct_test_stop (pipelines[k]);
}
GST_END_TEST;

typedef struct {
  const char *element, *property, *value;
} Change;

/* Images go on after each of them, ten times over. */
static void
change_live (const char *launch, const Change *changes, guint count)
{
  GstElement *pipeline = oct_test_start (launch);
  guint i;

  for (i = 0; i < 10 * count; i++) {
    const Change *change = &changes[i % count];
    GstElement *element =
        gst_bin_get_by_name (GST_BIN (pipeline), change->element);
    g_autoptr (OctArray) image = NULL;

    gst_util_set_object_arg (
        G_OBJECT (element), change->property, change->value);
    gst_object_unref (element);
    image = oct_test_pull (pipeline, "sink");
    fail_unless_equals_int (image->columns, 100);
  }
  oct_test_stop (pipeline);
}

GST_START_TEST (test_live_properties)
{
  const Change changes[] = { { "k", "method", "lanczos" }, { "d", "a2", "-70" },
    { "f", "window", "blackman" }, { "l", "range", "auto" },
    { "f", "depth-bins", "100" }, { "k", "upsample", "2" },
    { "l", "scale", "linear" }, { "f", "length", "1024" },
    { "k", "method", "linear" }, { "l", "scale", "log" },
    { "f", "depth-bins", "0" }, { "k", "upsample", "1" } };

  change_live ("octsrc samples=512 lines=100" FILTERS (CUDA, " ! queue") GRAY,
      changes, G_N_ELEMENTS (changes));
}
GST_END_TEST;

GST_START_TEST (test_live_nufft)
{
  const Change changes[] = { { "f", "method", "nudft" }, { "d", "a2", "-70" },
    { "f", "window", "blackman" }, { "f", "depth-start", "20" },
    { "f", "depth-bins", "100" }, { "f", "method", "nufft" },
    { "f", "kernel", "gaussian" }, { "f", "oversampling", "2" },
    { "f", "depth-bins", "999" } /* refused */,
    { "f", "weights", "on-the-fly" }, { "f", "kernel-width", "8" },
    { "f", "depth-bins", "0" }, { "f", "kernel", "kaiser-bessel" },
    { "f", "kernel-width", "6" }, { "f", "oversampling", "1.25" },
    { "f", "weights", "precomputed" }, { "f", "depth-start", "0" } };

  change_live ("octsrc samples=512 lines=100" NUFFT (CUDA, " ! queue") GRAY,
      changes, G_N_ELEMENTS (changes));
}
GST_END_TEST;

GST_START_TEST (test_seeks)
{
  GstElement *pipeline = oct_test_start (
      "octsrc samples=512 lines=100" FILTERS (CUDA, " ! queue") GRAY);
  g_autoptr (OctArray) first = oct_test_pull (pipeline, "sink");
  guint i;

  for (i = 0; i < 30; i++) {
    guint n;

    for (n = 0; n < i % 4; n++)
      oct_array_free (oct_test_pull (pipeline, "sink"));
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 0));
    if (i % 3 == 0) {
      g_autoptr (OctArray) again = oct_test_pull (pipeline, "sink");

      fail_unless (oct_array_equal (again, first), "after seek %u", i);
    }
  }
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* -------------------------------------------------------------------- order */

typedef struct {
  gint count; /* atomic */
} Counter;

static GstPadProbeReturn
count_image (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc (&((Counter *)data)->count);
  return GST_PAD_PROBE_OK;
}

static GstElement *
start_counted (const char *launch, Counter *counter)
{
  GstElement *pipeline = oct_test_make (launch);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, count_image, counter, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void
wait_for (GstElement *pipeline, Counter *counter, gint count)
{
  while (g_atomic_int_get (&counter->count) < count) {
    g_autofree char *error = oct_test_take_error (pipeline);

    fail_unless (error == NULL, "%s", error);
    g_usleep (2000);
  }
}

/* With computing at a standstill three B-scans are fetched, and three more
 * handed on whose memory on the GPU is not free yet; then octdcsub waits.  Were
 * fetching a part of computing, it would wait for the first of them. */
GST_START_TEST (test_upload_beside_computing)
{
  Counter counter = { 0 }, gate = { 0 };
  GstElement *pipeline = start_counted (
      "octsrc name=source samples=512 lines=100" FILTERS (
          CUDA, "") " ! fakesink name=sink sync=false enable-last-sample=false",
      &counter);
  GstElement *from = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstElement *fft = gst_bin_get_by_name (GST_BIN (pipeline), "f");
  GstPad *pad = gst_element_get_static_pad (from, "src");
  OctTestHold *hold;
  gulong probe;
  gint before, images, i;

  wait_for (pipeline, &counter, 50);
  probe = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, count_image, &gate,
      NULL);
  wait_for (pipeline, &gate, 1);
  before = g_atomic_int_get (&counter.count);
  hold = oct_test_cuda_hold (fft);
  gst_pad_remove_probe (pad, probe);
  for (i = 0; i < 100 && g_atomic_int_get (&counter.count) < before + 6; i++)
    g_usleep (20000);
  images = g_atomic_int_get (&counter.count) - before;
  oct_test_cuda_let_go (hold);
  g_print ("%d B-scans while nothing was computed\n", images);
  fail_unless (images >= 6);
  wait_for (pipeline, &counter, before + 100);
  gst_object_unref (pad);
  gst_object_unref (from);
  gst_object_unref (fft);
  oct_test_stop (pipeline);
}
GST_END_TEST

/* ---------------------------------------------------------- foreign elements
 */

#define SPECTRA(backend)                                                       \
  " ! octdcsub " CALIBRATION backend " ! octkresample" backend

/* What maps spectra and A-scans on the GPU sees finished data. */
GST_START_TEST (test_foreign_sees_finished)
{
  check_sizes (SPECTRA (CUDA) END, SPECTRA (CPU) END, 2048, 1000, 12);
  check_sizes (SPECTRA (CUDA) " ! identity ! octfft" CUDA " ! identity" END,
      SPECTRA (CPU) " ! octfft" CPU END, 2048, 1000, 12);
  fail_unless (oct_test_plays (
      "octsrc samples=64 lines=2 num-buffers=2" SPECTRA (
          CUDA) " ! identity dump=true ! octfft" CUDA " ! fakesink dump=true",
      NULL));
}
GST_END_TEST;

GST_START_TEST (test_other_context)
{
  GstHarness *harness = oct_test_harness ("octfft");
  g_autoptr (OctArray) input = oct_array_new ('f', 4, 5, 64);
  GstObject *context = oct_test_cuda_context_new ();
  GstBuffer *buffer =
      oct_test_cuda_buffer (context, oct_test_buffer (input, 0, 0));

  oct_test_set_caps (harness, input, "wavenumber");
  fail_unless_equals_int (
      oct_test_push_buffer (harness, buffer), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness),
      "not in the memory of this GPU context", "`cuda-device-id`", NULL);
  gst_harness_teardown (harness);
  gst_object_unref (context);
}
GST_END_TEST;

/* The second GPU gives the same; half of a pipeline on each is refused. */
GST_START_TEST (test_other_device)
{
  const char *words[] = { "one GPU for the whole pipeline", NULL };

  if (oct_test_cuda_devices () < 2) {
    g_print ("SKIP of a test on the GPU: there is one only\n");
    return;
  }
  check_sizes (FILTERS (CUDA " cuda-device-id=1", "") GRAY,
      FILTERS (CPU, "") GRAY, 512, 100, 5);
  fail_if (oct_test_plays (
      "octsrc samples=64 lines=4 ! octdcsub cuda-device-id=0" CUDA
      " axis=wavenumber ! octfft cuda-device-id=1" CUDA
      " ! octlogscale cuda-device-id=1" CUDA " ! fakesink",
      words));
}
GST_END_TEST;

GST_START_TEST (test_no_such_gpu)
{
  const char *words[] = { "No CUDA context could be made on GPU 99",
    "set `cuda-device-id`", NULL };

  fail_if (oct_test_plays (
      "octsrc samples=64 lines=4 ! octdcsub cuda-device-id=99" CUDA
      " ! fakesink",
      words));
  fail_if (oct_test_plays ("octsrc samples=64 lines=4 preload=true "
                           "cuda-device-id=99" CUDA " ! fakesink",
      words));
}
GST_END_TEST;

/* System memory under the caps of GPU memory. */
GST_START_TEST (test_no_gpu_memory)
{
  GstHarness *harness = oct_test_harness ("octfft");
  g_autoptr (OctArray) input = oct_array_new ('f', 4, 5, 64);

  oct_test_set_caps (harness, input, "wavenumber");
  fail_unless_equals_int (
      gst_harness_push (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (
      oct_test_bus (harness), "not in the memory of this GPU context", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_cpu_between)
{
  const char *launch = "octsrc num-buffers=2 ! octdcsub " CALIBRATION CUDA
                       " ! octkresample" CPU " ! octfft" CUDA " ! fakesink";
  g_autoptr (GError) error = NULL;
  GstElement *pipeline =
      gst_parse_launch_full (launch, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);

  fail_unless (g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK),
      "it links");
  gst_clear_object (&pipeline);
}
GST_END_TEST;

/* ------------------------------------------------------------------- memory */

/* B-scans of 64 M values need several times 256 MB at every step. */
#define HUGE_PIPELINE                                                          \
  "octsrc location=%s format=raw samples=16384 lines=4096 "                    \
  "num-buffers=3" FILTERS (CUDA, "") " ! fakesink"

GST_START_TEST (test_out_of_memory)
{
  /* for a B-scan or for an operation, whichever comes first */
  const char *words[] = { "memory", NULL };
  g_autofree char *path =
      oct_test_sparse ("huge-spectra.raw", (gsize)16384 * 4096 * 2);
  g_autofree char *huge = g_strdup_printf (HUGE_PIPELINE, path);
  guint64 before = oct_test_cuda_free_memory ();
  OctTestHoard *hoard = oct_test_cuda_hoard ((guint64)1600 << 20);
  guint i;

  for (i = 0; i < 2; i++)
    fail_if (oct_test_plays (huge, words), "it fits into 1.6 GB");
  oct_test_cuda_free (hoard);
  fail_unless (
      oct_test_plays ("octsrc samples=256 lines=16 num-buffers=4" FILTERS (
                          CUDA, "") " ! fakesink",
          NULL));
  fail_unless (oct_test_plays (huge, NULL));
  fail_unless (oct_test_cuda_free_memory () + (guint64)(64 * MEBIBYTE) > before,
      "%.0f MiB of %.0f MiB are free afterwards",
      oct_test_cuda_free_memory () / MEBIBYTE, before / MEBIBYTE);
  oct_test_remove_files ();
}
GST_END_TEST;

/* Bytes that the process has in memory. */
static double
resident (void)
{
  g_autofree char *text = NULL;
  const char *found;

  fail_unless (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  found = strstr (text, "VmRSS:");
  return found != NULL ? g_ascii_strtod (found + 6, NULL) * 1024 : 0;
}

/* Not more after some thousand B-scans than after some hundred. */
GST_START_TEST (test_nothing_grows)
{
  Counter counter = { 0 };
  GstElement *pipeline =
      start_counted ("octsrc samples=256 lines=64" FILTERS (
                         CUDA, " ! queue") " ! fakesink name=sink sync=false",
          &counter);
  double host, device, host_end, device_end;

  /* what measures takes host memory itself when it is first used */
  oct_test_cuda_free_memory ();
  wait_for (pipeline, &counter, 1000);
  host = resident ();
  device = oct_test_cuda_free_memory ();
  wait_for (pipeline, &counter, 5000);
  host_end = resident ();
  device_end = oct_test_cuda_free_memory ();
  g_print ("host %.1f to %.1f MiB, free on the device %.1f to %.1f MiB\n",
      host / MEBIBYTE, host_end / MEBIBYTE, device / MEBIBYTE,
      device_end / MEBIBYTE);
  fail_unless (host_end < host + 8 * MEBIBYTE);
  fail_unless (device_end > device - 8 * MEBIBYTE);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* --------------------------------------------------------------------- soak */

/* Spectra of eight B-scans of 1000 lines, for octsrc to loop over. */
static char *
write_spectra (void)
{
  char *path = oct_test_sparse ("soak.raw", 0);
  g_autofree char *launch = g_strdup_printf (
      "octsrc samples=2048 lines=1000 num-buffers=8 ! filesink location=%s",
      path);

  fail_unless (oct_test_plays (launch, NULL));
  return path;
}

/* 0 when memory stays as it is. */
static int
soak (guint seconds)
{
  g_autofree char *path = write_spectra ();
  g_autofree char *launch = g_strdup_printf (
      "octsrc location=%s format=raw samples=2048 lines=1000 loop=true "
      "preload=true%s ! fakesink name=sink sync=false",
      path, FILTERS (CUDA, ""));
  guint interval = MAX (1, seconds / 20), passed = 0;
  double host = 0, device = 0, host_end = 0, device_end = 0;
  Counter counter = { 0 };
  GstElement *pipeline = start_counted (launch, &counter);

  wait_for (pipeline, &counter, 100);
  oct_test_cuda_free_memory ();
  g_print ("%8s %12s %12s %14s\n", "s", "B-scans", "host MiB", "GPU free MiB");
  while (passed < seconds) {
    g_autofree char *error = NULL;

    g_usleep (interval * G_USEC_PER_SEC);
    passed += interval;
    error = oct_test_take_error (pipeline);
    if (error != NULL) {
      g_printerr ("%s\n", error);
      return 1;
    }
    host_end = resident ();
    device_end = oct_test_cuda_free_memory ();
    if (host == 0) {
      host = host_end;
      device = device_end;
    }
    g_print ("%8u %12d %12.1f %14.1f\n", passed,
        g_atomic_int_get (&counter.count), host_end / MEBIBYTE,
        device_end / MEBIBYTE);
  }
  oct_test_stop (pipeline);
  oct_test_remove_files ();
  g_print ("grown: host %.1f MiB, GPU %.1f MiB\n", (host_end - host) / MEBIBYTE,
      (device - device_end) / MEBIBYTE);
  return host_end - host > 8 * MEBIBYTE || device - device_end > 8 * MEBIBYTE;
}

static guint soak_seconds = 0;

GST_START_TEST (test_soak)
{
  fail_unless_equals_int (soak (soak_seconds), 0);
}
GST_END_TEST;

static Suite *
octsoak_suite (void)
{
  Suite *suite = suite_create ("octsoak");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, soak_seconds + 120);
  tcase_add_test (tcase, test_soak);
  return suite;
}

static Suite *
octcuda_suite (void)
{
  Suite *suite = suite_create ("octcuda");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_chain, 0, N_SIZED);
  tcase_add_loop_test (tcase, test_queues, 0, N_SIZED);
  tcase_add_test (tcase, test_end_after_few);
  /* the larger ones only take long */
  tcase_add_loop_test (tcase, test_images_on_gpu, 0, 3);
  tcase_add_test (tcase, test_tee);
  tcase_add_test (tcase, test_several_pipelines);
  tcase_add_loop_test (tcase, test_volumes, 0, G_N_ELEMENTS (volumes));
  tcase_add_loop_test (tcase, test_other_sizes, 0, G_N_ELEMENTS (chains));
  tcase_add_test (tcase, test_live_properties);
  tcase_add_test (tcase, test_live_nufft);
  tcase_add_test (tcase, test_seeks);
  tcase_add_test (tcase, test_upload_beside_computing);
  tcase_add_test (tcase, test_foreign_sees_finished);
  tcase_add_test (tcase, test_other_context);
  tcase_add_test (tcase, test_other_device);
  tcase_add_test (tcase, test_no_such_gpu);
  tcase_add_test (tcase, test_no_gpu_memory);
  tcase_add_test (tcase, test_cpu_between);
  tcase_add_test (tcase, test_out_of_memory);
  tcase_add_test (tcase, test_volume_out_of_memory);
  tcase_add_test (tcase, test_nothing_grows);
  return suite;
}

int
main (int argc, char **argv)
{
  if (!oct_test_has_device ()) {
    g_print ("SKIP: there is no GPU to use\n");
    return 77;
  }
  if (argc > 2 && g_str_equal (argv[1], "--soak")) {
    soak_seconds = strtoul (argv[2], NULL, 10);
    argc = 1; /* the rest is no option of GStreamer's */
  }
  g_setenv ("OCT_TEST_BACKEND", "cuda", TRUE);
  gst_check_init (&argc, &argv);
  if (soak_seconds > 0)
    return gst_check_run_suite (octsoak_suite (), "octsoak", __FILE__);
  return gst_check_run_suite (octcuda_suite (), "octcuda", __FILE__);
}
