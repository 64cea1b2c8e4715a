/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Pipelines on a GPU: the same images as on the CPU, whatever stands between
 * the elements; what is said of memory of another context.  Too little memory,
 * and memory that grows: test-cuda-memory.c.  Skipped where no GPU is.
 */
#include "oct-test-cuda-chains.h"

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

/* The end right after the first B-scans: none is lost on its way. */
GST_START_TEST (test_end_after_few)
{
  guint count;

  for (count = 1; count <= 5; count++)
    check_sizes (
        FILTERS (CUDA, "") GRAY, FILTERS (CPU, "") GRAY, 512, 200, count);
}
GST_END_TEST;

#define HOST_ASCANS " ! capsfilter caps=application/x-oct-ascans" END
#define NO_MEAN " ! octdcsub " CALIBRATION CUDA

/* A-scans that the next element takes on the host alone are those that stay on
 * the GPU. */
GST_START_TEST (test_ascans_on_host)
{
  static const char *const transforms[] = {
    NO_MEAN " ! octkresample" CUDA " ! octfft" CUDA,
    NO_MEAN " ! octdispersion a2=20" CUDA " ! octnufft" CUDA,
    NO_MEAN " ! octcs iterations=3" CUDA,
  };
  g_autofree char *host = g_strconcat (transforms[__i__], HOST_ASCANS, NULL);
  g_autofree char *gpu = g_strconcat (transforms[__i__], END, NULL);

  for (guint i = 0; i < 3; i++)
    check_sizes (host, gpu, sizes[i].samples, sizes[i].lines, sizes[i].count);
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

/* With computing at a standstill three B-scans are fetched, and three more
 * handed on whose memory on the GPU is not free yet; then octdcsub waits.  Were
 * fetching a part of computing, it would wait for the first of them. */
GST_START_TEST (test_upload_beside_computing)
{
  OctTestCounter counter = { 0 }, gate = { 0 };
  GstElement *pipeline = oct_test_start_counted (
      "octsrc name=source samples=512 lines=100" FILTERS (
          CUDA, "") " ! fakesink name=sink sync=false enable-last-sample=false",
      &counter);
  GstElement *from = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstElement *fft = gst_bin_get_by_name (GST_BIN (pipeline), "f");
  GstPad *pad = gst_element_get_static_pad (from, "src");
  OctTestHold *hold;
  gulong probe;
  gint before, images, i;

  oct_test_wait_for (pipeline, &counter, 50);
  probe = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER,
      oct_test_count_buffer, &gate, NULL);
  oct_test_wait_for (pipeline, &gate, 1);
  before = g_atomic_int_get (&counter.count);
  hold = oct_test_cuda_hold (fft);
  gst_pad_remove_probe (pad, probe);
  for (i = 0; i < 100 && g_atomic_int_get (&counter.count) < before + 6; i++)
    g_usleep (20000);
  images = g_atomic_int_get (&counter.count) - before;
  oct_test_cuda_let_go (hold);
  g_print ("%d B-scans while nothing was computed\n", images);
  fail_unless (images >= 6);
  oct_test_wait_for (pipeline, &counter, before + 100);
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

/* A foreign element that maps spectra or A-scans on the GPU sees finished
 * data. */
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

typedef struct {
  GstPad *pad;
  gint over, answered; /* atomic */
} Asking;

static gpointer
ask_for_context (gpointer data)
{
  Asking *asking = data;

  while (!g_atomic_int_get (&asking->over)) {
    g_autoptr (GstQuery) query = gst_query_new_context ("gst.cuda.context");

    if (gst_pad_query (asking->pad, query))
      g_atomic_int_inc (&asking->answered);
  }
  return NULL;
}

/* Other elements ask for the context in their own threads, also while it is
 * made and while it goes. */
GST_START_TEST (test_context_is_asked_for)
{
  static const char *const names[] = { "octfft", "octvolume", "octvolumecs" };
  GstElement *element = gst_element_factory_make (names[__i__], NULL);
  Asking asking = { gst_element_get_static_pad (element, "src") };
  GThread *threads[2];

  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("asking", ask_for_context, &asking);
  for (guint i = 0; i < 20; i++) {
    gint before = g_atomic_int_get (&asking.answered);

    fail_unless (gst_element_set_state (element, GST_STATE_PAUSED)
                 != GST_STATE_CHANGE_FAILURE);
    while (g_atomic_int_get (&asking.answered) == before)
      g_usleep (100);
    gst_element_set_state (element, GST_STATE_NULL);
  }
  g_atomic_int_set (&asking.over, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  gst_object_unref (asking.pad);
  gst_object_unref (element);
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
  tcase_add_loop_test (tcase, test_ascans_on_host, 0, 3);
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
  tcase_add_loop_test (tcase, test_context_is_asked_for, 0, 3);
  tcase_add_test (tcase, test_cpu_between);
  return suite;
}

int
main (int argc, char **argv)
{
  if (!oct_test_has_device ()) {
    g_print ("SKIP: there is no GPU to use\n");
    return 77;
  }
  g_setenv ("OCT_TEST_BACKEND", "cuda", TRUE);
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (octcuda_suite (), "octcuda", __FILE__);
}
