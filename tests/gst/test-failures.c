/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A backend that fails in mid-stream, on the CPU and, with
 * OCT_TEST_BACKEND=cuda, on a GPU: the first error comes from the element that
 * it happened in and says what, every image that is delivered is the right one
 * of its B-scan, the pipeline stops, and the process goes on.
 */
#include "gstocterror.h"
#include "oct-sequence.h"
#include "oct-test-failing.h"
#include "oct-test-faults.h"
#include "oct-test-linked.h"
#include "oct-test.h"

/* in the order of the pipeline */
static const struct {
  OctOperation operation;
  const char *name;
} operations[] = { { OCT_OPERATION_BACKGROUND, "background" },
  { OCT_OPERATION_RESAMPLE, "resample" },
  { OCT_OPERATION_DISPERSION, "dispersion" }, { OCT_OPERATION_FFT, "fft" },
  { OCT_OPERATION_LOGSCALE, "logscale" } };

#define N_OPERATIONS G_N_ELEMENTS (operations)

/* The same with the image memory of the element after octlogscale, as encoders
 * have it. */
#define CONVERTED                                                              \
  " ! video/x-raw,format=NV12 ! videoconvert ! "                               \
  "video/x-raw,format=GRAY8" FAILING_SINK

/* ---------------------------------------------------------- one B-scan fails
 */

/* Loops over operations, the B-scan that fails, and queues. */
GST_START_TEST (test_operation_fails)
{
  guint which = __i__ % N_OPERATIONS;
  guint n = __i__ / N_OPERATIONS % 2 * 5;
  gboolean queues = __i__ / N_OPERATIONS / 2;
  g_autoptr (GPtrArray) expected = failing_expect (FAILING_BSCANS),
                        found = NULL;
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, failing_backend (), queues, FAILING_SINK);
  g_autofree char *sentence =
      g_strdup_printf ("The test made the operation %s of the backend %s fail.",
          operations[which].name, failing_backend ());
  GstMessage *message;

  oct_test_fault_set (OCT_FAULT_RUN, operations[which].operation, n);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  found = failing_collect (pipeline, &message);
  fail_unless (oct_test_fault_happened ());
  failing_check_message (message, operations[which].name, sentence);
  gst_message_unref (message);
  failing_check_stopped ();
  failing_check_other_messages (pipeline);
  /* all before it and none after */
  fail_unless_equals_int (found->len, n);
  fail_unless_equals_int (failing_check_images (found, expected), n);
  failing_stop (pipeline);
  failing_check_good (failing_backend (), expected);
}
GST_END_TEST

/* An operation that the backend of this build does not have yet. */
GST_START_TEST (test_operation_is_missing)
{
  GstElement *pipeline;
  GstMessage *message;
  FailingImages *images;
  g_autofree char *sentence = g_strdup_printf (
      "The %s backend of this build cannot do what is asked of oct",
      failing_backend ());

  oct_test_offer_operation (operations[__i__].operation, FALSE);
  pipeline =
      failing_make (FAILING_BSCANS, failing_backend (), FALSE, FAILING_SINK);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  images = failing_collect (pipeline, &message);
  oct_test_offer_operation (operations[__i__].operation, TRUE);
  failing_check_message (message, operations[__i__].name, sentence);
  gst_message_unref (message);
  fail_unless_equals_int (images->len, 0);
  g_ptr_array_unref (images);
  failing_stop (pipeline);
}
GST_END_TEST

/* Several operations in one pass: the element that ends it says so. */
GST_START_TEST (test_pass_fails)
{
  guint n = __i__ % 2 * 5;
  gboolean queues = __i__ / 2;
  g_autoptr (GPtrArray) expected = failing_expect (FAILING_BSCANS),
                        found = NULL;
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, failing_backend (), queues, FAILING_SINK);
  g_autofree char *sentence = g_strdup_printf (
      "The test made the pass of the backend %s fail.", failing_backend ());
  GstMessage *message;

  if (!oct_may_fuse ()) {
    g_print ("SKIP of test_pass_fails: there are no passes with OCT_FUSE=0\n");
    failing_stop (pipeline);
    return;
  }
  oct_test_allow_passes (TRUE);
  oct_test_fault_set (OCT_FAULT_PASS, 0, n);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  found = failing_collect (pipeline, &message);
  oct_test_allow_passes (FALSE);
  fail_unless (oct_test_fault_happened ());
  failing_check_message (message, "logscale", sentence);
  gst_message_unref (message);
  failing_check_stopped ();
  failing_check_other_messages (pipeline);
  fail_unless_equals_int (found->len, n);
  fail_unless_equals_int (failing_check_images (found, expected), n);
  failing_stop (pipeline);
  failing_check_good (failing_backend (), expected);
}
GST_END_TEST

static GstPadProbeReturn
wait_for_probe (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  return GST_PAD_PROBE_OK;
}

/* octmeter computes pending results in another thread: if that fails, a
 * measurement reports it, and all images come. */
GST_START_TEST (test_measurement_fails)
{
  g_autofree char *launch = g_strdup_printf (
      "octsrc samples=256 lines=24 num-buffers=%u ! octdcsub backend=%s ! "
      "octkresample backend=%s ! octmeter name=meter interval=3600000 ! "
      "octdispersion backend=%s ! octfft backend=%s ! octlogscale "
      "backend=%s" FAILING_SINK,
      FAILING_BSCANS, failing_backend (), failing_backend (),
      failing_backend (), failing_backend (), failing_backend ());
  GstElement *pipeline = failing_launch (launch), *meter;
  g_autoptr (GPtrArray) found = NULL;
  GstMessage *message;
  GstStructure *last = NULL;
  GstPad *pad;
  gulong probe;
  guint i;

  if (!oct_may_fuse ()) {
    g_print ("SKIP of test_measurement_fails: with OCT_FUSE=0 nothing is "
             "pending\n");
    failing_stop (pipeline);
    return;
  }
  /* the pipeline waits after octmeter until that has failed */
  meter = gst_bin_get_by_name (GST_BIN (pipeline), "meter");
  pad = gst_element_get_static_pad (meter, "src");
  probe = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, wait_for_probe,
      NULL, NULL);
  oct_test_fault_set (OCT_FAULT_RUN, OCT_OPERATION_RESAMPLE, 0);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < 3000 && last == NULL; i++) {
    g_usleep (10000);
    g_object_get (meter, "last", &last, NULL);
  }
  gst_pad_remove_probe (pad, probe);
  found = failing_collect (pipeline, &message);
  fail_unless (oct_test_fault_happened ());
  fail_unless (message == NULL);
  fail_unless_equals_int (found->len, FAILING_BSCANS);
  fail_unless (last != NULL);
  fail_unless (strstr (gst_structure_get_string (last, "problem"),
                   "made the operation resample")
               != NULL);
  gst_structure_free (last);
  gst_object_unref (pad);
  gst_object_unref (meter);
  failing_stop (pipeline);
}
GST_END_TEST;

/* No failure ends the process, also one that forgets its reason. */
GST_START_TEST (test_no_reason)
{
  g_autoptr (GstElement) element =
      gst_object_ref_sink (gst_element_factory_make ("octfft", NULL));
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GError) error = NULL;
  GstMessage *message;

  gst_element_set_bus (element, bus);
  gst_oct_element_error (element, &error);
  fail_unless (error == NULL);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  failing_check_message (
      message, GST_OBJECT_NAME (element), "octfft has failed without saying");
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
}
GST_END_TEST;

static GstPadProbeReturn
map_at_probe (GstPad *pad, GstPadProbeInfo *info, gpointer buffer)
{
  GstMapInfo map;

  gst_buffer_replace (buffer, GST_PAD_PROBE_INFO_BUFFER (info));
  if (gst_buffer_map (*(GstBuffer **)buffer, &map, GST_MAP_READ))
    gst_buffer_unmap (*(GstBuffer **)buffer, &map);
  return GST_PAD_PROBE_REMOVE;
}

static GstBusSyncReply
map_at_error (GstBus *bus, GstMessage *message, gpointer buffer)
{
  GstMapInfo map;

  /* with OCT_FUSE=0 nothing is pending, and none came */
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      && *(GstBuffer **)buffer != NULL)
    fail_if (gst_buffer_map (*(GstBuffer **)buffer, &map, GST_MAP_READ));
  return GST_BUS_PASS;
}

/* A handler of the error message may map the memory that caused it. */
GST_START_TEST (test_map_at_error)
{
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, failing_backend (), FALSE, FAILING_SINK);
  GstElement *resample = gst_bin_get_by_name (GST_BIN (pipeline), "resample");
  GstPad *pad = gst_element_get_static_pad (resample, "src");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstBuffer *buffer = NULL;
  GstMessage *message;

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, map_at_probe, &buffer, NULL);
  gst_bus_set_sync_handler (bus, map_at_error, &buffer, NULL);
  oct_test_fault_set (OCT_FAULT_RUN, OCT_OPERATION_RESAMPLE, 0);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_ptr_array_unref (failing_collect (pipeline, &message));
  fail_unless (oct_test_fault_happened ());
  fail_unless_equals_int (buffer != NULL, oct_may_fuse ());
  failing_check_message (message, "resample", "made the operation resample");
  gst_message_unref (message);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (resample);
  failing_stop (pipeline);
  gst_clear_buffer (&buffer);
}
GST_END_TEST;

/* A stream that continues after an error, as after a seek, gives the output
 * of a new pipeline: no running mean and no range from half of the failed
 * B-scan. */
GST_START_TEST (test_goes_on)
{
  g_autoptr (GPtrArray) expected = failing_expect (FAILING_BSCANS),
                        before = NULL, behind = NULL;
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, failing_backend (), FALSE, FAILING_SINK);
  GstMessage *message;

  oct_test_fault_set (OCT_FAULT_RUN, operations[__i__].operation, 5);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  before = failing_collect (pipeline, &message);
  failing_check_message (message, operations[__i__].name, "The test made");
  gst_message_unref (message);
  failing_check_other_messages (pipeline);
  fail_unless_equals_int (failing_check_images (before, expected), 5);
  fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 0));
  behind = failing_collect (pipeline, &message);
  fail_unless (message == NULL);
  /* `num-buffers` counts the six before, too */
  fail_unless_equals_int (
      failing_check_images (behind, expected), FAILING_BSCANS - 6);
  failing_stop (pipeline);
}
GST_END_TEST

/* The same without a flush: the next B-scan is as the first. */
GST_START_TEST (test_begins_afresh)
{
  const struct {
    const char *launch;
    OctOperation operation;
    char kind;
    guint size;
  } cases[] = { { "octdcsub mode=running running-weight=0.2",
                    OCT_OPERATION_BACKGROUND, 'u', 2 },
    { "octlogscale range-smoothing=0.9", OCT_OPERATION_LOGSCALE, 'c', 8 } };
  GstHarness *harness = oct_test_harness (cases[__i__].launch);
  GstHarness *fresh = oct_test_harness (cases[__i__].launch);
  guint i, values = 3 * 16 * 64;
  g_autoptr (OctArray) input =
      oct_array_new (cases[__i__].kind, cases[__i__].size, 3 * 16, 64);
  g_autoptr (OctArray) one = oct_array_rows (input, 0, 16);
  g_autoptr (OctArray) found = NULL, expected = NULL;
  GRand *random = g_rand_new_with_seed (3);

  for (i = 0; i < values; i++) {
    guint16 value = g_rand_int_range (random, 0, 1 + 10 * i);

    if (cases[__i__].kind == 'u')
      ((guint16 *)input->data)[i] = value;
    else
      ((float *)input->data)[2 * i] = value;
  }
  g_rand_free (random);
  oct_test_set_caps (harness, one, "depth");
  oct_test_set_caps (fresh, one, "depth");
  oct_array_free (oct_test_push (harness, oct_test_buffer (input, 0, 16)));
  oct_test_fault_set (OCT_FAULT_RUN, cases[__i__].operation, 0);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 16, 16)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "The test made", NULL);
  found = oct_test_push (harness, oct_test_buffer (input, 32, 16));
  expected = oct_test_push (fresh, oct_test_buffer (input, 32, 16));
  oct_test_compare (found, expected, 0);
  gst_harness_teardown (harness);
  gst_harness_teardown (fresh);
}
GST_END_TEST

/* ---------------------------------------------------------------- no memory */

typedef GstBufferPool EmptyPool;
typedef GstBufferPoolClass EmptyPoolClass;
static GType empty_pool_get_type (void);
G_DEFINE_TYPE (EmptyPool, empty_pool, GST_TYPE_BUFFER_POOL)

static GstFlowReturn
refuse_buffer (
    GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  return GST_FLOW_ERROR;
}

static void
empty_pool_class_init (EmptyPoolClass *klass)
{
  klass->alloc_buffer = refuse_buffer;
}

static void
empty_pool_init (EmptyPool *pool)
{
}

static GstPadProbeReturn
offer_empty_pool (GstPad *pad, GstPadProbeInfo *info, gpointer min)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstBufferPool *pool;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  pool = g_object_new (empty_pool_get_type (), NULL);
  gst_object_ref_sink (pool);
  gst_query_add_allocation_pool (query, pool, 0, GPOINTER_TO_UINT (min), 0);
  gst_object_unref (pool);
  return GST_PAD_PROBE_HANDLED;
}

/* The next element has no buffers to write to, neither at the start nor
 * later. */
GST_START_TEST (test_no_buffers)
{
  GstElement *pipeline = failing_make (FAILING_BSCANS, "cpu", FALSE,
      " ! fakesink name=sink sync=false async=false");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_pad_add_probe (sink->sinkpads->data, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      offer_empty_pool, GUINT_TO_POINTER (2 * __i__), NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (
      message != NULL && GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS);
  failing_check_message (message, "logscale",
      "There is not enough memory for another B-scan of 24 x 128 values");
  gst_message_unref (message);
  failing_check_stopped ();
  failing_check_other_messages (pipeline);
  gst_object_unref (bus);
  gst_object_unref (sink);
  failing_stop (pipeline);
}
GST_END_TEST

/* ------------------------------------------------------------ the GPU fails */

/* Whatever call of the device it is, from the first ones to those of a pipeline
 * that has been running for a while. */
GST_START_TEST (test_call_fails)
{
  const guint calls[] = { 0, 1, 4, 9, 20 };
  OctFault fault = OCT_FAULT_COPY + __i__ / G_N_ELEMENTS (calls);
  guint n = calls[__i__ % G_N_ELEMENTS (calls)];
  g_autoptr (GPtrArray) expected = failing_expect (FAILING_BSCANS),
                        found = NULL;
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, "cuda", n % 2, FAILING_SINK);
  GstMessage *message;
  gboolean happened;

  oct_test_fault_set (fault, 0, n);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  found = failing_collect (pipeline, &message);
  happened = oct_test_fault_happened ();
  oct_test_fault_set (OCT_FAULT_NONE, 0, 0);
  g_print ("fault %d at call %u: %s, %u images, %u of them readable\n", fault,
      n, happened ? "happened" : "not reached", found->len,
      failing_check_images (found, expected));
  /* a source lets its buffers go only after the last of its copies: a failure
   * to wait there is known when all images have been made */
  if (happened) {
    failing_check_message (message, NULL,
        fault == OCT_FAULT_ALLOC ? "not enough memory on the GPU"
                                 : "failed on the GPU");
    gst_message_unref (message);
    /* too little memory is known before the first image, where no queue holds
     * more B-scans on the GPU from time to time */
    fail_unless (fault != OCT_FAULT_ALLOC || n % 2 || found->len == 0);
    failing_check_other_messages (pipeline);
  } else {
    fail_unless (message == NULL);
    fail_unless_equals_int (found->len, FAILING_BSCANS);
  }
  failing_check_stopped ();
  failing_stop (pipeline);
  failing_check_good ("cuda", expected);
}
GST_END_TEST

/* Without page-locked memory copies are slower, and that is all. */
GST_START_TEST (test_no_pinned_memory)
{
  const guint calls[] = { 0, 3, 4 }; /* four to upload from, and one image */
  g_autoptr (GPtrArray) expected = failing_expect (FAILING_BSCANS),
                        found = NULL;
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, "cuda", FALSE, FAILING_SINK);
  GstMessage *message;

  oct_test_fault_set (OCT_FAULT_ALLOC_HOST, 0, calls[__i__]);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  found = failing_collect (pipeline, &message);
  fail_unless (message == NULL);
  fail_unless (oct_test_fault_happened ());
  fail_unless_equals_int (found->len, FAILING_BSCANS);
  fail_unless_equals_int (
      failing_check_images (found, expected), FAILING_BSCANS);
  failing_stop (pipeline);
}
GST_END_TEST

/* After an error that CUDA does not recover from: the GPU works again in a new
 * context, or a sentence says what to do.  The CPU works. */
static void
check_after_loss (FailingImages *expected)
{
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, "cuda", FALSE, FAILING_SINK);
  GstMessage *message;
  FailingImages *found;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  found = failing_collect (pipeline, &message);
  if (message != NULL) {
    failing_check_message (message, NULL, "start");
    gst_message_unref (message);
  } else {
    g_print ("a new pipeline works\n");
    fail_unless_equals_int (found->len, FAILING_BSCANS);
    fail_unless_equals_int (
        failing_check_images (found, expected), FAILING_BSCANS);
  }
  failing_check_images (found, expected);
  g_ptr_array_unref (found);
  failing_stop (pipeline);
  failing_check_good ("cpu", expected);
}

/* CUDA tells of it in a later call, which may be another element's: the first
 * error says so, and what to do. */
static void
check_lost_message (GstMessage *message)
{
  failing_check_message (message, NULL, " or one before it: ");
  failing_check_message (message, NULL, "start it again");
}

/* A kernel of the pipeline's own context writes where no memory is. */
GST_START_TEST (test_lost)
{
  guint which = __i__ % N_OPERATIONS;
  gboolean queues = __i__ / N_OPERATIONS;
  g_autoptr (GPtrArray) expected = failing_expect (FAILING_BSCANS),
                        found = NULL;
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, "cuda", queues, FAILING_SINK);
  GstMessage *message;

  oct_test_fault_set (OCT_FAULT_STRAY, operations[which].operation, 5);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  found = failing_collect (pipeline, &message);
  fail_unless (oct_test_fault_happened ());
  g_print ("%u images, %u of them readable\n", found->len,
      failing_check_images (found, expected));
  check_lost_message (message);
  gst_message_unref (message);
  failing_check_stopped ();
  for (guint i = 5; i < found->len; i++)
    fail_unless (found->pdata[i] == NULL, "image %u came", i);
  failing_stop (pipeline);
  check_after_loss (expected);
}
GST_END_TEST

static void
look_at_image (
    GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer unused)
{
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ))
    gst_buffer_unmap (buffer, &map);
}

/* In the last B-scan, when no later call would find it and a sink does not say
 * that it could not read an image: not just an image less. */
GST_START_TEST (test_lost_at_the_end)
{
  g_autoptr (GPtrArray) expected = failing_expect (FAILING_BSCANS);
  GstElement *pipeline = failing_make (FAILING_BSCANS, "cuda", FALSE,
      " ! fakesink name=sink sync=false async=false signal-handoffs=true");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  g_signal_connect (sink, "handoff", G_CALLBACK (look_at_image), NULL);
  oct_test_fault_set (
      OCT_FAULT_STRAY, OCT_OPERATION_LOGSCALE, FAILING_BSCANS - 1);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL, "it hangs");
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR,
      "the end came without an error");
  failing_check_message (message, "logscale", "start it again");
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (sink);
  failing_stop (pipeline);
  check_after_loss (expected);
}
GST_END_TEST

/* -------------------------------------------------------------------- waits
 */

/* Takes the pipeline, whose images are to be as expected.  Nobody waits for a
 * whole stream between the spectra and whoever maps an image. */
static void
assert_waits_for_none (GstElement *pipeline, GPtrArray *expected)
{
  guint before = oct_test_count_waits ();
  g_autoptr (GPtrArray) found = NULL;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  found = failing_collect (pipeline, &message);
  fail_unless (message == NULL);
  fail_unless_equals_int (
      failing_check_images (found, expected), FAILING_BSCANS);
  fail_unless_equals_int (oct_test_count_waits (), before);
  failing_stop (pipeline);
}

/* Loops over queues. */
GST_START_TEST (test_waits_for_none)
{
  g_autoptr (GPtrArray) expected =
      failing_expect_from (FAILING_BSCANS, CONVERTED);

  assert_waits_for_none (
      failing_make (FAILING_BSCANS, failing_backend (), __i__ > 0, CONVERTED),
      expected);
}
GST_END_TEST

/* A CUDA filter of GStreamer works after ours in the order of the streams. */
GST_START_TEST (test_waits_for_no_filter)
{
  g_autoptr (GPtrArray) expected = failing_expect_from (
      FAILING_BSCANS, " ! video/x-raw,format=NV12" FAILING_SINK);

  assert_waits_for_none (
      failing_make (FAILING_BSCANS, "cuda", FALSE,
          " ! video/x-raw(memory:CUDAMemory),format=NV12 ! cudadownload"
          " ! video/x-raw,format=NV12" FAILING_SINK),
      expected);
}
GST_END_TEST

/* Our own image filters do not wait either, whatever element passes on their
 * queries. */
GST_START_TEST (test_waits_for_no_own_filter)
{
  static const char *const links[] = { "", "! queue ", "! identity ",
    "! capsfilter caps=video/x-raw(memory:CUDAMemory) " };
  g_autofree char *filters = g_strdup_printf (
      " ! video/x-raw(memory:CUDAMemory),format=NV12 %s! octspeckle "
      "backend=cuda ! video/x-raw(memory:CUDAMemory) %s! octflip depth=true "
      "backend=cuda ! cudadownload ! video/x-raw,format=NV12" FAILING_SINK,
      links[__i__], links[__i__]);
  g_autoptr (GPtrArray) expected = failing_expect_from (FAILING_BSCANS,
      " ! video/x-raw,format=NV12 ! octspeckle backend=cpu ! octflip "
      "depth=true backend=cpu" FAILING_SINK);

  assert_waits_for_none (
      failing_make (FAILING_BSCANS, "cuda", FALSE, filters), expected);
}
GST_END_TEST

/* FailingImages that stay on the GPU are for others, and complete. */
GST_START_TEST (test_waits_for_foreign)
{
  GstElement *pipeline = failing_make (FAILING_BSCANS, "cuda", FALSE,
      " ! video/x-raw(memory:CUDAMemory),format=NV12 ! fakesink async=false");
  GstBus *bus = gst_element_get_bus (pipeline);
  guint before = oct_test_count_waits ();
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL, "it hangs");
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  fail_unless_equals_int (oct_test_count_waits (), before + FAILING_BSCANS);
  gst_object_unref (bus);
  failing_stop (pipeline);
}
GST_END_TEST

/* --------------------------------------------------------------------- main */

static Suite *
octfailures_suite (void)
{
  Suite *suite = suite_create ("octfailures");
  TCase *tcase = tcase_create ("general");
  /* not in the process of the others */
  TCase *lost = tcase_create ("lost");

  tcase_add_checked_fixture (tcase, failing_begin, failing_end);
  tcase_add_checked_fixture (lost, failing_begin, failing_end);
  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_operation_fails, 0, 4 * N_OPERATIONS);
  tcase_add_loop_test (tcase, test_operation_is_missing, 0, N_OPERATIONS);
  tcase_add_loop_test (tcase, test_pass_fails, 0, 4);
  tcase_add_test (tcase, test_measurement_fails);
  tcase_add_test (tcase, test_map_at_error);
  tcase_add_test (tcase, test_no_reason);
  tcase_add_loop_test (tcase, test_goes_on, 0, N_OPERATIONS);
  tcase_add_loop_test (tcase, test_begins_afresh, 0, 2);
  tcase_add_loop_test (tcase, test_no_buffers, 0, 2);
  tcase_add_loop_test (tcase, test_waits_for_none, 0, 2);
  suite_add_tcase (suite, lost);
  if (oct_test_on_gpu ()) {
    tcase_add_loop_test (tcase, test_call_fails, 0, 5 * 5);
    tcase_add_loop_test (tcase, test_no_pinned_memory, 0, 3);
    tcase_add_test (tcase, test_waits_for_no_filter);
    tcase_add_loop_test (tcase, test_waits_for_no_own_filter, 0, 4);
    tcase_add_test (tcase, test_waits_for_foreign);
    tcase_add_loop_test (lost, test_lost, 0, 2 * N_OPERATIONS);
    tcase_add_test (lost, test_lost_at_the_end);
  }
  return suite;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  oct_test_register_elements ();
  return gst_check_run_suite (octfailures_suite (), "octfailures", __FILE__);
}
