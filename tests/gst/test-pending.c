/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Results that are not computed before they are needed: at every link of the
 * chain, any reader sees the values that the elements give when each does its
 * own work (OCT_FUSE=0), and images are the same.
 */
#include "oct-test-pipelines.h"

#define MEMORY_TYPE "OctPendingMemory"

#define SOURCE "octsrc num-buffers=3 samples=128 lines=37"
#define SINK " ! appsink name=sink sync=false max-buffers=0"
#define BSCANS 3

/* An element, and something of it to change live. */
typedef struct {
  const char *element, *name, *settings, *property, *value;
  gboolean works; /* always: what it gives is never pending */
} Part;

#define DCSUB                                                                  \
  {                                                                            \
    "octdcsub", "dcsub", "mode=running", "mode", "none"                        \
  }
#define DISPERSION                                                             \
  {                                                                            \
    "octdispersion", "dispersion", "a2=20", "a2", "-300"                       \
  }
#define LOGSCALE                                                               \
  {                                                                            \
    "octlogscale", "logscale", "", NULL, NULL                                  \
  }

static const Part resampled[] = { DCSUB,
  { "octkresample", "resample", "", "method", "linear" }, DISPERSION,
  { "octfft", "fft", "", "window", "none" }, LOGSCALE };

static const Part gridded[] = { DCSUB, DISPERSION,
  { "octnufft", "nufft", "", "window", "none" }, LOGSCALE };

static const Part real[] = { DCSUB,
  { "octnufft", "nufft", "kernel-width=4", "kernel-width", "2" }, LOGSCALE };

static const Part sensed[] = { DCSUB, DISPERSION,
  { "octcs", "cs", "iterations=3", "iterations", "1", TRUE }, LOGSCALE };

static const struct {
  const Part *parts;
  guint count;
} chains[] = {
  { resampled, G_N_ELEMENTS (resampled) },
  { gridded, G_N_ELEMENTS (gridded) },
  { real, G_N_ELEMENTS (real) },
  { sensed, G_N_ELEMENTS (sensed) },
};

/* That of this test. */
static const Part *parts;
static guint n_parts;

static void
choose_chain (guint chain)
{
  parts = chains[chain].parts;
  n_parts = chains[chain].count;
}

/* The chain up to part `end`, with `inserted` after part `at`. */
static char *
describe (const char *source, guint at, const char *inserted, guint end)
{
  GString *text = g_string_new (source);
  guint i;

  for (i = 0; i < end; i++) {
    g_string_append_printf (text, " ! %s name=%s %s", parts[i].element,
        parts[i].name, parts[i].settings);
    if (i == at)
      g_string_append_printf (text, " ! %s", inserted);
  }
  return g_string_free (text, FALSE);
}

static GstElement *
start (const char *text, gboolean fuse)
{
  g_autofree char *launch = oct_test_launch (text);
  GstElement *pipeline;

  if (!fuse)
    g_setenv ("OCT_FUSE", "0", TRUE);
  pipeline = oct_test_make (launch);
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PAUSED)
               != GST_STATE_CHANGE_FAILURE);
  gst_element_get_state (pipeline, NULL, NULL, 30 * GST_SECOND);
  g_unsetenv ("OCT_FUSE");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static GstPad *
get_pad (GstElement *pipeline, const char *name, const char *pad)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *result = gst_element_get_static_pad (element, pad);

  gst_object_unref (element);
  return result;
}

/* Name of the element before link `at`. */
static const char *
before (guint at)
{
  return parts[at].name;
}

/* Within 1e-5 in values; images within a grey level. */
static void
compare (const OctArray *found, const OctArray *expected)
{
  if (expected->kind == 'u')
    oct_test_compare (found, expected, 1);
  else
    fail_unless (oct_test_error (found, expected) < 1e-5);
}

/* Results of the chain of this test up to part `end` if each element works on
 * its own; made once. */
static OctArray *expected[G_N_ELEMENTS (resampled) + 1][BSCANS];

static void
forget_expected (void)
{
  for (guint end = 0; end < G_N_ELEMENTS (expected); end++)
    for (guint i = 0; i < BSCANS; i++)
      g_clear_pointer (&expected[end][i], oct_array_free);
}

static const OctArray *
expect (guint end, guint bscan)
{
  if (expected[end][bscan] == NULL) {
    g_autofree char *text = describe (SOURCE, end, "", end);
    g_autofree char *launch = g_strconcat (text, SINK, NULL);
    GstElement *separate = start (launch, FALSE);

    for (guint i = 0; i < BSCANS; i++)
      expected[end][i] = oct_test_pull (separate, "sink");
    oct_test_stop (separate);
  }
  return expected[end][bscan];
}

static void
compare_sink (GstElement *pipeline, const char *sink, guint end)
{
  for (guint i = 0; i < BSCANS; i++) {
    g_autoptr (OctArray) found = oct_test_pull (pipeline, sink);

    compare (found, expect (end, i));
  }
  fail_unless (oct_test_pull_from (pipeline, sink) == NULL);
}

/* --------------------------------------------------------------- what passes
 */

typedef struct {
  gint buffers; /* atomic */
  guint pending;
  gboolean map, write;
  GstBuffer *kept; /* the first */
  GPtrArray *arrays;
} Seen;

static GstPadProbeReturn
look (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Seen *seen = data;
  GstMapInfo map;

  g_atomic_int_inc (&seen->buffers);
  if (gst_memory_is_type (gst_buffer_peek_memory (buffer, 0), MEMORY_TYPE))
    seen->pending++;
  if (seen->kept == NULL && !seen->write)
    seen->kept = gst_buffer_ref (buffer);
  if (seen->map) {
    GstCaps *caps = gst_pad_get_current_caps (pad);

    g_ptr_array_add (seen->arrays, oct_test_read (buffer, caps));
    gst_caps_unref (caps);
  }
  if (seen->write) {
    buffer = gst_buffer_make_writable (buffer);
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READWRITE));
    memset (map.data, 0, map.size);
    gst_buffer_unmap (buffer, &map);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  return GST_PAD_PROBE_OK;
}

static void
watch (GstElement *pipeline, guint at, Seen *seen)
{
  GstPad *pad = get_pad (pipeline, before (at), "src");

  seen->arrays =
      g_ptr_array_new_with_free_func ((GDestroyNotify)oct_array_free);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, look, seen, NULL);
  gst_object_unref (pad);
}

static void
seen_clear (Seen *seen)
{
  gst_clear_buffer (&seen->kept);
  g_ptr_array_unref (seen->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Seen, seen_clear)

/* The whole chain with something at link `at`, from READY on. */
static GstElement *
prepare (guint at, const char *inserted)
{
  g_autofree char *text = describe (SOURCE, at, inserted, n_parts);
  g_autofree char *whole = g_strconcat (text, SINK, NULL);
  g_autofree char *launch = oct_test_launch (whole);

  return oct_test_make (launch);
}

/* When the first image is there, the elements have agreed. */
static void
play (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, 30 * GST_SECOND);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

/* --------------------------------------------------------------------- tests
 */

/* Alone, nothing is computed before the end; images are never pending. */
GST_START_TEST (test_chain)
{
  Seen seen[G_N_ELEMENTS (resampled)] = { 0 };
  GstElement *pipeline;
  GstSample *sample;
  guint i;

  choose_chain ((guint)__i__);
  pipeline = prepare (G_MAXUINT, "");
  for (i = 0; i + 1 < n_parts; i++)
    watch (pipeline, i, &seen[i]);
  play (pipeline);
  sample = oct_test_pull_from (pipeline, "sink");
  fail_if (gst_memory_is_type (
      gst_buffer_peek_memory (gst_sample_get_buffer (sample), 0), MEMORY_TYPE));
  gst_sample_unref (sample);
  while ((sample = oct_test_pull_from (pipeline, "sink")) != NULL)
    gst_sample_unref (sample);
  for (i = 0; i + 1 < n_parts; i++) {
    fail_unless_equals_int (seen[i].buffers, BSCANS);
    fail_unless_equals_int (seen[i].pending, parts[i].works ? 0 : BSCANS);
  }
  oct_test_stop (pipeline);
  for (i = 0; i + 1 < n_parts; i++)
    seen_clear (&seen[i]);
}
GST_END_TEST;

/* An application gets values in memory like any other. */
static void
check_appsink (guint at)
{
  guint end = at + 1;
  g_autofree char *text = describe (SOURCE, end, "", end);
  g_autofree char *launch = g_strconcat (text, SINK, NULL);
  GstElement *pipeline = start (launch, TRUE);
  GstSample *sample = NULL;

  compare_sink (pipeline, "sink", end);
  oct_test_stop (pipeline);
  pipeline = start (launch, TRUE);
  sample = oct_test_pull_from (pipeline, "sink");
  fail_if (gst_memory_is_type (
      gst_buffer_peek_memory (gst_sample_get_buffer (sample), 0), MEMORY_TYPE));
  gst_sample_unref (sample);
  oct_test_stop (pipeline);
}

static void
check_inserted (guint at, const char *inserted)
{
  GstElement *pipeline = prepare (at, inserted);
  g_auto (Seen) seen = { 0 };

  watch (pipeline, at, &seen);
  play (pipeline);
  compare_sink (pipeline, "sink", n_parts);
  fail_unless_equals_int (seen.buffers, BSCANS);
  fail_unless_equals_int (seen.pending, parts[at].works ? 0 : BSCANS);
  oct_test_stop (pipeline);
}

static void
check_queue (guint at)
{
  check_inserted (at, "queue");
}

/* It maps what it agreed to by passing the question on. */
static void
check_dump (guint at)
{
  check_inserted (at, "identity dump=true");
}

static void
check_probe (guint at)
{
  GstElement *pipeline = prepare (at, "queue");
  g_auto (Seen) seen = { .map = TRUE };

  watch (pipeline, at, &seen);
  play (pipeline);
  compare_sink (pipeline, "sink", n_parts);
  for (guint i = 0; i < BSCANS; i++)
    compare (seen.arrays->pdata[i], expect (at + 1, i));
  fail_unless_equals_int (seen.pending, parts[at].works ? 0 : BSCANS);
  oct_test_stop (pipeline);
}

/* If a probe writes to the buffer, the next element gets the written values. */
static void
check_written (guint at)
{
  guint i, k;
  GstElement *pipeline = prepare (at, "queue");
  g_auto (Seen) seen = { .write = TRUE };

  watch (pipeline, at, &seen);
  play (pipeline);
  for (i = 0; i < BSCANS; i++) {
    g_autoptr (OctArray) found = oct_test_pull (pipeline, "sink");

    /* a range of no extent */
    for (k = 0; k < found->rows * found->columns; k++)
      fail_unless_equals_int (found->data[k], 0);
  }
  oct_test_stop (pipeline);
}

/* A tee with a foreign branch: nothing is pending there, both are right. */
static void
check_foreign_branch (guint at)
{
  GstElement *pipeline = prepare (at,
      "tee name=t ! queue max-size-buffers=0 max-size-bytes=0 ! appsink "
      "name=side sync=false max-buffers=0 t. ! queue max-size-buffers=0 "
      "max-size-bytes=0");
  g_auto (Seen) seen = { 0 };

  watch (pipeline, at, &seen);
  play (pipeline);
  compare_sink (pipeline, "sink", n_parts);
  compare_sink (pipeline, "side", at + 1);
  fail_unless_equals_int (seen.pending, 0);
  oct_test_stop (pipeline);
}

/* A tee of which all branches are ours: both get the pending results. */
static void
check_own_branches (guint at)
{
  guint i;
  GString *inserted = g_string_new ("tee name=t ! queue");
  g_auto (Seen) seen = { 0 };
  GstElement *pipeline;

  for (i = at + 1; i < n_parts; i++) {
    /* its name is that of the other */
    g_string_append_printf (
        inserted, " ! %s %s", parts[i].element, parts[i].settings);
  }
  g_string_append (
      inserted, " ! appsink name=side sync=false max-buffers=0 t. ! queue");
  pipeline = prepare (at, inserted->str);
  watch (pipeline, at, &seen);
  play (pipeline);
  compare_sink (pipeline, "sink", n_parts);
  compare_sink (pipeline, "side", n_parts);
  fail_unless_equals_int (seen.pending, parts[at].works ? 0 : BSCANS);
  oct_test_stop (pipeline);
  g_string_free (inserted, TRUE);
}

/* A buffer that outlives its pipeline. */
static void
check_kept (guint at)
{
  GstElement *pipeline = prepare (at, "queue");
  g_autoptr (OctArray) found = NULL;
  GstSample *sample;
  GstCaps *caps;
  GstPad *pad;
  g_auto (Seen) seen = { 0 };

  watch (pipeline, at, &seen);
  play (pipeline);
  while ((sample = oct_test_pull_from (pipeline, "sink")) != NULL)
    gst_sample_unref (sample);
  pad = get_pad (pipeline, before (at), "src");
  caps = gst_pad_get_current_caps (pad);
  gst_object_unref (pad);
  oct_test_stop (pipeline);
  fail_unless_equals_int (seen.pending, parts[at].works ? 0 : BSCANS);
  found = oct_test_read (seen.kept, caps);
  compare (found, expect (at + 1, 0));
  gst_caps_unref (caps);
}

/* A deep copy, and a part, have values of their own. */
static void
check_copies (guint at)
{
  /* GstCudaMemory, which is what is not pending there, has no parts */
  gboolean has_parts = !(oct_test_on_gpu () && parts[at].works);
  GstElement *pipeline = prepare (at, "queue");
  g_auto (Seen) seen = { 0 };
  GstBuffer *copy, *part = NULL;
  GstMapInfo whole, map;
  GstSample *sample;

  watch (pipeline, at, &seen);
  play (pipeline);
  while ((sample = oct_test_pull_from (pipeline, "sink")) != NULL)
    gst_sample_unref (sample);
  if (has_parts)
    part =
        gst_buffer_copy_region (seen.kept, GST_BUFFER_COPY_MEMORY, 512, 1024);
  copy = gst_buffer_copy_deep (seen.kept);
  fail_unless (gst_buffer_map (seen.kept, &whole, GST_MAP_READ));
  fail_unless (gst_buffer_map (copy, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, whole.size);
  fail_unless (memcmp (map.data, whole.data, map.size) == 0);
  gst_buffer_unmap (copy, &map);
  if (has_parts) {
    fail_unless (gst_buffer_map (part, &map, GST_MAP_READ));
    fail_unless_equals_int (map.size, 1024);
    fail_unless (memcmp (map.data, whole.data + 512, 1024) == 0);
    gst_buffer_unmap (part, &map);
    gst_buffer_unref (part);
  }
  gst_buffer_unmap (seen.kept, &whole);
  gst_buffer_unref (copy);
  oct_test_stop (pipeline);
}

/* ------------------------------------------------------------- live changes
 */

/* Until as many have left the element that is watched. */
static void
wait_for (Seen *seen, gint buffers)
{
  guint tries;

  for (tries = 0; tries < 3000 && g_atomic_int_get (&seen->buffers) < buffers;
       tries++)
    g_usleep (10000);
  fail_unless_equals_int (g_atomic_int_get (&seen->buffers), buffers);
}

/* not the queries to elements downstream */
#define BLOCK (GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER)

static GstPadProbeReturn
stay (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

static void
push (GstElement *pipeline, GstBuffer *buffer)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstFlowReturn ret;

  g_signal_emit_by_name (source, "push-buffer", buffer, &ret);
  fail_unless_equals_int (ret, GST_FLOW_OK);
  gst_object_unref (source);
}

/* The chain from a source of ours, with a queue at link `at`. */
static GstElement *
make_with_queue (guint at, GstCaps *caps)
{
  g_autofree char *text = describe ("appsrc name=source format=time", at,
      "queue name=queue max-size-bytes=0 max-size-time=0", n_parts);
  g_autofree char *whole = g_strconcat (text, SINK, NULL);
  g_autofree char *launch = oct_test_launch (whole);
  GstElement *pipeline = oct_test_make (launch);
  GstElement *dcsub = gst_bin_get_by_name (GST_BIN (pipeline), "dcsub");
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");

  g_object_set (dcsub, "wavelength-min", 800.0, "wavelength-max", 880.0, NULL);
  g_object_set (source, "caps", caps, NULL);
  gst_object_unref (dcsub);
  gst_object_unref (source);
  return pipeline;
}

/* The same B-scan, twice before a change and once after it, all waiting in a
 * queue: each has the setting of its own time. */
static void
check_change_behind_queue (guint at)
{
  g_autoptr (OctTestCase) test = oct_test_get_case ("image-", 0);
  GstCaps *caps = oct_test_caps (test->input, test->input->rows, NULL);
  GstElement *pipeline = make_with_queue (at, caps), *element;
  GstBuffer *buffer = oct_test_buffer (test->input, 0, 0);
  OctArray *images[3];
  GstPad *pad;
  gulong block;
  g_auto (Seen) seen = { 0 };

  element = gst_bin_get_by_name (GST_BIN (pipeline), "dcsub");
  gst_util_set_object_arg (G_OBJECT (element), "mode", "bscan");
  gst_object_unref (element);
  watch (pipeline, at, &seen);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push (pipeline, buffer);
  images[0] = oct_test_pull (pipeline, "sink");
  pad = get_pad (pipeline, "queue", "src");
  block = gst_pad_add_probe (pad, BLOCK, stay, NULL, NULL);
  push (pipeline, buffer); /* is held by the block */
  push (pipeline, buffer);
  wait_for (&seen, 3);
  element = gst_bin_get_by_name (GST_BIN (pipeline), before (at));
  gst_util_set_object_arg (
      G_OBJECT (element), parts[at].property, parts[at].value);
  gst_object_unref (element);
  push (pipeline, buffer);
  wait_for (&seen, 4);
  gst_pad_remove_probe (pad, block);
  for (guint i = 0; i < 2; i++) {
    images[1] = oct_test_pull (pipeline, "sink");
    fail_unless (oct_array_equal (images[0], images[1]), "B-scan %u", i);
    oct_array_free (images[1]);
  }
  images[2] = oct_test_pull (pipeline, "sink");
  fail_if (oct_array_equal (images[0], images[2]));
  oct_array_free (images[0]);
  oct_array_free (images[2]);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  oct_test_stop (pipeline);
}

/* ----------------------------------------------------------------- a camera
 */

/* A source with two buffers does not stand still because we keep them. */
GST_START_TEST (test_few_buffers)
{
  g_autoptr (OctTestCase) test = oct_test_get_case ("image-", 0);
  GstCaps *caps = oct_test_caps (test->input, test->input->rows, NULL);
  GstElement *pipeline;
  GstBuffer *values = oct_test_buffer (test->input, 0, 0), *buffer;
  gsize size = gst_buffer_get_size (values);
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstMapInfo map;
  GstPad *pad;
  gulong block;
  guint i;

  gst_buffer_pool_config_set_params (config, caps, (guint)size, 2, 2);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless (gst_buffer_map (values, &map, GST_MAP_READ));
  choose_chain (0);
  pipeline = make_with_queue (0, caps);
  pad = get_pad (pipeline, "queue", "src");
  block = gst_pad_add_probe (pad, BLOCK, stay, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  /* one more than there are would wait for ever */
  for (i = 0; i < 8; i++) {
    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
    gst_buffer_fill (buffer, 0, map.data, size);
    push (pipeline, buffer);
    gst_buffer_unref (buffer);
  }
  gst_pad_remove_probe (pad, block);
  for (i = 0; i < 8; i++) {
    g_autoptr (OctArray) image = oct_test_pull (pipeline, "sink");

    fail_unless (image != NULL);
  }
  gst_buffer_unmap (values, &map);
  gst_buffer_unref (values);
  gst_object_unref (pad);
  oct_test_stop (pipeline);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_caps_unref (caps);
}
GST_END_TEST;

/* Done at every link of every chain. */
static void (*const checks[]) (guint at) = { check_appsink, check_queue,
  check_dump, check_probe, check_written, check_foreign_branch,
  check_own_branches, check_kept, check_copies, check_change_behind_queue };

GST_START_TEST (test_links)
{
  choose_chain ((guint)__i__ % G_N_ELEMENTS (chains));
  for (guint at = 0; at + 1 < n_parts; at++) {
    GST_INFO ("link %u", at);
    checks[(guint)__i__ / G_N_ELEMENTS (chains)](at);
  }
}
GST_END_TEST;

static Suite *
octpending_suite (void)
{
  Suite *suite = suite_create ("octpending");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, forget_expected);
  tcase_add_loop_test (tcase, test_chain, 0, G_N_ELEMENTS (chains));
  tcase_add_loop_test (
      tcase, test_links, 0, G_N_ELEMENTS (checks) * G_N_ELEMENTS (chains));
  tcase_add_test (tcase, test_few_buffers);
  return suite;
}

GST_CHECK_MAIN (octpending);
