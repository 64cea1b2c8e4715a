/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Several B-scans in a buffer: images, times, places in the volume and
 * recordings are those of B-scans that come one by one.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <string.h>

/* 8 B-scans, 4 a volume; 20 A-lines are not a multiple of the blocks that are
 * computed together. */
#define SOURCE "octsrc samples=%u lines=20 bscans=4 num-buffers=%u "
#define SAMPLES 256
#define ODD_SAMPLES 63
#define N_BSCANS 8
#define SINK " ! appsink name=sink sync=false"
#define GREY " ! video/x-raw,format=GRAY8"

/* Each with a history from B-scan to B-scan where the element has one. */
static const char *const chains[] = {
  "octdcsub ! octkresample ! octdispersion ! octfft ! octlogscale "
  "range-smoothing=0.7",
  "octdcsub mode=running running-weight=0.3 ! octkresample ! octfft ! "
  "octlogscale range=auto range-smoothing=0.5",
  "octdcsub mode=none ! octkresample ! octfft ! octlogscale range=manual "
  "min=0 max=60",
  "octdcsub ! octkresample upsample=2 ! octfft window=hann ! octlogscale "
  "scale=linear range=auto",
  "octdcsub mode=fixed-pattern ! octkresample ! octfft ! octlogscale",
  "octdcsub mode=fixed-pattern-scaled ! octkresample ! octfft ! octlogscale",
  "octdcsub mode=a-line ! octnufft ! octlogscale",
  "octdcsub mode=median ! octkresample ! octfft ! octlogscale",
  "octdcsub mode=high-pass high-pass-lines=5 ! octkresample ! octfft ! "
  "octlogscale",
  "octdcsub ! octnufft ! octlogscale",
  "octdcsub ! octcs iterations=4 sampling-rate=0.5 ! octlogscale",
  "octdcsub mode=running ! octreconstruct method=nufft",
};

/* How B-scans get together, `count` buffers of octsrc for N_BSCANS. */
static const struct {
  const char *source, *gather;
  guint count;
} ways[] = {
  { "bscans-per-buffer=2 ", "", 4 },
  { "bscans-per-buffer=8 ", "", 1 },
  { "bscans-per-buffer=0 ", "", 2 },
  { "", " ! octgather bscans=4", 8 },
  /* the last ones are fewer */
  { "", " ! octgather bscans=3", 8 },
  { "", " ! octgather bscans=5", 8 },
  { "bscans-per-buffer=2 ", " ! octgather bscans=2", 4 },
  { "", " ! octgather bscans=1", 8 },
  /* as it comes */
  { "bscans-per-buffer=2 ", " ! octgather bscans=0 max-bscans=6", 4 },
};

static GstElement *
start_of (guint samples, const char *source, guint count, const char *gather,
    const char *chain, const char *rest)
{
  g_autofree char *begin = g_strdup_printf (SOURCE, samples, count);
  g_autofree char *text =
      g_strconcat (begin, source, gather, " ! ", chain, rest, SINK, NULL);
  g_autofree char *launch = oct_test_launch (text);

  return oct_test_start (launch);
}

static GstElement *
start (const char *source, guint count, const char *gather, const char *chain,
    const char *rest)
{
  return start_of (SAMPLES, source, count, gather, chain, rest);
}

static OctArray *
read_sample (GstSample *sample)
{
  return oct_test_read (
      gst_sample_get_buffer (sample), gst_sample_get_caps (sample));
}

/* On a GPU sums are taken in any order. */
static void
check_values (const OctArray *found, const OctArray *expected)
{
  if (oct_test_on_gpu ())
    oct_test_compare (found, expected, 1);
  else
    fail_unless (oct_array_equal (found, expected));
}

/* Times to the nanosecond that a division leaves. */
static void
check_stamps (GstBuffer *found, GstBuffer *expected)
{
  GstOctScanPosition a = oct_test_get_scan_position (found);
  GstOctScanPosition b = oct_test_get_scan_position (expected);

  fail_unless (GST_BUFFER_PTS (found) + 1 >= GST_BUFFER_PTS (expected)
               && GST_BUFFER_PTS (found) <= GST_BUFFER_PTS (expected) + 1);
  fail_unless (
      GST_BUFFER_DURATION (found) + 1 >= GST_BUFFER_DURATION (expected)
      && GST_BUFFER_DURATION (found) <= GST_BUFFER_DURATION (expected) + 1);
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET (found), GST_BUFFER_OFFSET (expected));
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET_END (found), GST_BUFFER_OFFSET_END (expected));
  fail_unless (a.bscans != 0 && b.bscans != 0);
  fail_unless_equals_int (a.bscan, b.bscan);
  fail_unless_equals_int (a.bscans, b.bscans);
  fail_unless_equals_uint64 (a.volume, b.volume);
  fail_unless_equals_int (a.count, 1);
}

/* All images of a pipeline, to its end. */
static GPtrArray *
take_images (GstElement *pipeline)
{
  GPtrArray *images =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_sample_unref);
  GstSample *sample;

  while ((sample = oct_test_pull_from (pipeline, "sink")) != NULL)
    g_ptr_array_add (images, sample);
  oct_test_stop (pipeline);
  return images;
}

/* Plays the pipeline to its end: it gives these images, and no others. */
static void
compare_images (GPtrArray *expected, GstElement *pipeline)
{
  g_autoptr (GPtrArray) found = take_images (pipeline);

  fail_unless_equals_int (found->len, expected->len);
  for (guint i = 0; i < found->len; i++) {
    GstSample *one = expected->pdata[i], *other = found->pdata[i];
    g_autoptr (OctArray) expected_values = read_sample (one);
    g_autoptr (OctArray) found_values = read_sample (other);

    check_values (found_values, expected_values);
    check_stamps (gst_sample_get_buffer (other), gst_sample_get_buffer (one));
  }
}

static GPtrArray *
expect_images (const char *chain)
{
  GPtrArray *images = take_images (start ("", N_BSCANS, "", chain, GREY));

  fail_unless_equals_int (images->len, N_BSCANS);
  return images;
}

/* How they get together is the same for every chain. */
GST_START_TEST (test_ways)
{
  g_autoptr (GPtrArray) expected = expect_images (chains[0]);

  for (guint way = 0; way < G_N_ELEMENTS (ways); way++)
    compare_images (expected, start (ways[way].source, ways[way].count,
                                  ways[way].gather, chains[0], GREY));
}
GST_END_TEST;

/* How B-scans come to octgather and go on from it. */
typedef struct {
  GMutex lock;
  GCond changed;
  guint come, held, gone; /* buffers; held: that were, whether gone or not */
  gboolean ended;
  guint sizes[N_BSCANS]; /* B-scans of those that have gone */
  guint caps;
  gsize bytes; /* of a B-scan */
} Traffic;

static GstPadProbeReturn
note_come (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Traffic *t = data;

  g_mutex_lock (&t->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    t->come++;
    while (t->come > 1 && t->held == 0)
      g_cond_wait (&t->changed, &t->lock);
    t->bytes = gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info));
  } else {
    t->ended |=
        GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS;
  }
  g_cond_broadcast (&t->changed);
  g_mutex_unlock (&t->lock);
  return GST_PAD_PROBE_OK;
}

/* The first one, which comes alone, waits until four others have come, the next
 * until all have: then they are 1, 4 and 3. */
static GstPadProbeReturn
hold_back (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Traffic *t = data;

  g_mutex_lock (&t->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    t->held++;
    g_cond_broadcast (&t->changed);
    /* of which the last is at the door */
    while (!t->ended && t->come < (t->gone == 0 ? 6u : G_MAXUINT))
      g_cond_wait (&t->changed, &t->lock);
    t->sizes[t->gone++] =
        gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info)) / t->bytes;
  } else {
    t->caps +=
        GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS;
  }
  g_mutex_unlock (&t->lock);
  return GST_PAD_PROBE_OK;
}

static void
watch_gather (GstElement *pipeline, Traffic *t)
{
  GstElement *gather = gst_bin_get_by_name (GST_BIN (pipeline), "gather");
  g_autoptr (GstPad) sink = gst_element_get_static_pad (gather, "sink");
  g_autoptr (GstPad) src = gst_element_get_static_pad (gather, "src");

  memset (t, 0, sizeof *t);
  g_mutex_init (&t->lock);
  g_cond_init (&t->changed);
  gst_pad_add_probe (sink,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      note_come, t, NULL);
  gst_pad_add_probe (src,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      hold_back, t, NULL);
  gst_object_unref (gather);
}

/* Buffers of different numbers of B-scans with the same caps, and so with the
 * same plans: every image is that of its B-scan. */
static void
check_waiting (GPtrArray *expected, const char *chain)
{
  g_autofree char *text = g_strdup_printf (SOURCE
      "! octgather name=gather bscans=0 max-bscans=4 ! %s" GREY SINK,
      SAMPLES, N_BSCANS, chain);
  g_autofree char *launch = oct_test_launch (text);
  GstElement *pipeline = oct_test_make (launch);
  Traffic t;

  watch_gather (pipeline, &t);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  compare_images (expected, pipeline);
  fail_unless_equals_int (t.gone, 3);
  fail_unless_equals_int (t.sizes[0], 1);
  fail_unless_equals_int (t.sizes[1], 4);
  fail_unless_equals_int (t.sizes[2], 3);
  fail_unless_equals_int (t.caps, 1);
  g_mutex_clear (&t.lock);
  g_cond_clear (&t.changed);
}

/* All in one buffer; in buffers with a smaller last one; as they wait. */
GST_START_TEST (test_images)
{
  const char *chain = chains[__i__];
  g_autoptr (GPtrArray) expected = expect_images (chain);

  compare_images (expected, start ("bscans-per-buffer=8 ", 1, "", chain, GREY));
  compare_images (
      expected, start ("", N_BSCANS, " ! octgather bscans=3", chain, GREY));
  check_waiting (expected, chain);
}
GST_END_TEST;

/* Those that a camera loses, as the probe is called for every one. */
static const guint lost[] = { 2, 5, 6, 13 };
#define N_SENT 16

static GstPadProbeReturn
lose (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  guint64 number = GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info));

  for (guint i = 0; i < G_N_ELEMENTS (lost); i++)
    if (number == lost[i])
      return GST_PAD_PROBE_DROP;
  return GST_PAD_PROBE_OK;
}

static GstElement *
start_lossy (const char *gather, const char *rest)
{
  g_autofree char *text = g_strdup_printf (
      SOURCE "name=camera%s ! %s", SAMPLES, N_SENT, gather, rest);
  g_autofree char *launch = oct_test_launch (text);
  GstElement *pipeline = oct_test_make (launch);
  GstElement *camera = gst_bin_get_by_name (GST_BIN (pipeline), "camera");
  GstPad *pad = gst_element_get_static_pad (camera, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, lose, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (camera);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

/* Buffers that become smaller and larger on the way: images, histories, times
 * and places are those of the B-scans that came. */
GST_START_TEST (test_lost)
{
  g_autofree char *chain = g_strconcat (chains[__i__], GREY SINK, NULL);
  g_autoptr (GPtrArray) expected = take_images (start_lossy ("", chain));

  fail_unless_equals_int (expected->len, N_SENT - G_N_ELEMENTS (lost));
  compare_images (expected, start_lossy (" ! octgather bscans=4", chain));
}
GST_END_TEST;

/* The links between the elements, also with results that are pending. */
static const char *const stages[] = {
  "octdcsub",
  "octdcsub mode=running",
  "octdcsub ! octkresample",
  "octdcsub mode=running ! octkresample ! octdispersion",
  "octdcsub mode=a-line",
  "octdcsub mode=high-pass",
  "octdcsub mode=median ! octkresample",
  "octdcsub ! octkresample ! octdispersion ! octfft",
  "octdcsub ! octnufft",
  "octdcsub ! octcs iterations=4 sampling-rate=0.5",
};

/* `count` buffers of all B-scans, and what they say of themselves. */
static OctArray *
pull_rows (GstElement *pipeline, guint count)
{
  guint held = N_BSCANS / count, i;
  OctArray *all = NULL;

  for (i = 0; i < count; i++) {
    GstSample *sample = oct_test_pull_from (pipeline, "sink");
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    g_autoptr (OctArray) one = read_sample (sample);
    gsize size = (gsize)one->rows * one->columns * one->size;

    if (all == NULL)
      all =
          oct_array_new (one->kind, one->size, count * one->rows, one->columns);
    memcpy (all->data + i * size, one->data, size);
    fail_unless_equals_int (oct_test_get_scan_position (buffer).count, held);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i * held);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), (i + 1) * held);
    gst_sample_unref (sample);
  }
  return all;
}

GST_START_TEST (test_stages)
{
  guint samples = __i__ % 2 == 0 ? SAMPLES : ODD_SAMPLES;
  const char *stage = stages[__i__ / 2];
  GstElement *one = start_of (samples, "", N_BSCANS, "", stage, "");
  GstElement *other =
      start_of (samples, "bscans-per-buffer=4 ", 2, "", stage, "");
  g_autoptr (OctArray) expected = pull_rows (one, N_BSCANS);
  g_autoptr (OctArray) found = pull_rows (other, 2);

  check_values (found, expected);
  oct_test_stop (one);
  oct_test_stop (other);
}
GST_END_TEST;

/* All images of a volume below each other, if downstream asks for that. */
GST_START_TEST (test_volumes)
{
  static const char *const formats[] = { "GRAY8", "GRAY16_LE" };
  g_autofree char *filter =
      g_strdup_printf (" ! video/x-raw,format=%s", formats[__i__]);
  g_autofree char *volumes = g_strconcat (filter, ",bscans=4", NULL);
  GstElement *one = start ("", N_BSCANS, "", chains[0], filter);
  GstElement *other = start ("bscans-per-buffer=0 ", 2, "", chains[0], volumes);
  g_autoptr (OctArray) expected = pull_rows (one, N_BSCANS);
  g_autoptr (OctArray) found = pull_rows (other, 2);

  /* there is no memory of 8 or 16 bit grey on the GPU */
  check_values (found, expected);
  oct_test_stop (one);
  oct_test_stop (other);
}
GST_END_TEST;

/* --------------------------------------------------------- files, recordings
 */

/* octsrc of 8 B-scans, by `together`, to a recording `name`. */
static void
record (const char *source, const char *name)
{
  g_autofree char *to = oct_test_file_path (name);
  g_autofree char *launch =
      g_strdup_printf ("%s ! octrawsink location=%s", source, to);

  fail_unless (oct_test_plays (launch, NULL));
}

static char *
read_file (const char *name, gsize *size)
{
  g_autofree char *path = oct_test_file_path (name);
  char *text = NULL;

  fail_unless (g_file_get_contents (path, &text, size, NULL));
  return text;
}

GST_START_TEST (test_recording)
{
  static const char *const ways[] = { "bscans-per-buffer=3",
    "! octgather bscans=3", "! octgather bscans=0" };
  g_autofree char *path = oct_test_file_path ("one.oct");
  g_autofree char *source =
      g_strdup_printf ("octsrc location=%s %s", path, ways[__i__]);
  g_autofree char *one = NULL, *several = NULL, *text = NULL;
  gsize size, other_size;

  record ("octsrc samples=64 lines=20 bscans=4 num-buffers=8", "one");
  record (source, "several");
  one = read_file ("one-00000.raw", &size);
  several = read_file ("several-00000.raw", &other_size);
  fail_unless (size == 8 * 64 * 20 * 2 && other_size == size);
  fail_unless (memcmp (one, several, size) == 0);
  text = read_file ("several.oct", &size);
  fail_unless (strstr (text, "lines=20\n") != NULL);
  fail_unless (strstr (text, "bscans-per-volume=4\n") != NULL);
  fail_unless (strstr (text, "gap") == NULL);
}
GST_END_TEST;

/* The text of a recording says which ones are missing. */
GST_START_TEST (test_recording_lost)
{
  static const char *const gathers[] = { "", " ! octgather bscans=4",
    " ! octgather bscans=0" };
  g_autofree char *to = oct_test_file_path ("lossy");
  g_autofree char *sink =
      g_strdup_printf ("octrawsink name=sink location=%s", to);
  GstElement *pipeline = start_lossy (gathers[__i__], sink);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_autofree char *text = NULL;
  gsize size;

  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
  oct_test_stop (pipeline);
  text = read_file ("lossy.oct", &size);
  /* in front of the B-scan of that number in the file: how many */
  fail_unless (strstr (text, "missing=2:1;4:2;10:1;\n") != NULL);
}
GST_END_TEST;

/* From B-scan number 5 on: two buffers of two, and one that is left. */
GST_START_TEST (test_seek)
{
  g_autofree char *path = oct_test_file_path ("seek.oct");
  g_autofree char *launch =
      g_strdup_printf ("octsrc location=%s bscans-per-buffer=2" SINK, path);
  GstElement *pipeline;
  guint i, counts[] = { 2, 1 };

  record ("octsrc samples=64 lines=20 num-buffers=8", "seek");
  pipeline = oct_test_start (launch);
  gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
  fail_unless (gst_element_seek (pipeline, 1.0, GST_FORMAT_DEFAULT,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 5, GST_SEEK_TYPE_NONE, 0));
  for (i = 0; i < 2; i++) {
    GstSample *sample = oct_test_pull_from (pipeline, "sink");
    GstBuffer *buffer = gst_sample_get_buffer (sample);

    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), 5 + 2 * i);
    fail_unless_equals_int (
        oct_test_get_scan_position (buffer).count, counts[i]);
    fail_unless_equals_int (gst_buffer_get_size (buffer), counts[i] * 64 * 40);
    gst_sample_unref (sample);
  }
  fail_unless (oct_test_pull_from (pipeline, "sink") == NULL);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* ------------------------------------------------------------------- errors */

static const struct {
  const char *launch;
  const char *words[5];
} mistakes[] = {
  /* the first one comes alone, or with those that wait already */
  { "octsrc samples=64 lines=50 num-buffers=5 ! octgather bscans=0 ! octdcsub "
    "axis=wavenumber ! octfft ! octlogscale range=manual ! "
    "video/x-raw,format=GRAY8,bscans=16 ! fakesink",
      { "B-scan", "hold the 16", "`bscans` of octgather" } },
  { "octsrc samples=2048 lines=1000 bscans=100 bscans-per-buffer=0 ! fakesink",
      { "100 B-scans", "1000 lines", "at most 32", "bscans-per-buffer" } },
  { "octsrc samples=64 lines=50 bscans-per-buffer=2000 ! fakesink",
      { "2000 B-scans", "at most 1310", "bscans-per-buffer" } },
  { "videotestsrc num-buffers=1 ! "
    "video/x-raw,format=GRAY8,width=64,height=50 ! capssetter "
    "caps=video/x-raw,bscans=7 ! octdcsub ! fakesink",
      { "7 B-scans", "50 rows", "bscans" } },
  { "videotestsrc num-buffers=1 ! "
    "video/x-raw,format=GRAY8,width=64,height=50 ! capssetter "
    "caps=video/x-raw,bscans=0 ! octdcsub ! fakesink",
      { "0 (gint)", "from 1 on", "`bscans`" } },
  { "videotestsrc num-buffers=1 ! "
    "video/x-raw,format=GRAY8,width=64,height=50 ! capssetter "
    "caps=video/x-raw,bscans=-4 ! octgather ! octdcsub ! fakesink",
      { "-4 (gint)", "from 1 on", "`bscans`" } },
  { "videotestsrc num-buffers=1 ! "
    "video/x-raw,format=GRAY8,width=64,height=50 ! capssetter "
    "caps=video/x-raw,bscans=(uint)2 ! octdcsub ! fakesink",
      { "2 (guint)", "a gint from 1 on", "`bscans`" } },
  { "octsrc samples=64 lines=30000 num-buffers=3 ! octgather bscans=3 ! "
    "octdcsub ! fakesink",
      { "3 B-scans", "30000 lines", "at most 2", "`bscans` of octgather" } },
  { "octsrc samples=64 lines=40 num-buffers=3 bscans-per-buffer=3 ! octgather "
    "bscans=30000 ! octdcsub ! fakesink",
      { "30000 buffers of 3 B-scans", "40 lines", "at most 546",
          "`bscans` of octgather" } },
};

GST_START_TEST (test_mistakes)
{
  g_autofree char *launch = oct_test_launch (mistakes[__i__].launch);

  if (strstr (launch, "capssetter") != NULL) {
    GstElementFactory *factory = gst_element_factory_find ("capssetter");

    if (factory == NULL)
      return;
    gst_object_unref (factory);
  }
  fail_if (oct_test_plays (launch, (const char **)mistakes[__i__].words));
}
GST_END_TEST;

/* Images that wait are forgotten by a seek. */
GST_START_TEST (test_flush)
{
  /* more than come before the seek */
  GstElement *pipeline = start ("bscans-per-buffer=4 ", 10000, "",
      "octdcsub ! octkresample ! octfft ! octlogscale", GREY);
  GstSample *sample = oct_test_pull_from (pipeline, "sink");

  gst_sample_unref (sample);
  fail_unless (gst_element_seek_simple (
      pipeline, GST_FORMAT_DEFAULT, GST_SEEK_FLAG_FLUSH, 12));
  sample = oct_test_pull_from (pipeline, "sink");
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET (gst_sample_get_buffer (sample)), 12);
  gst_sample_unref (sample);
  oct_test_stop (pipeline);
}
GST_END_TEST;

static Suite *
bscans_suite (void)
{
  Suite *suite = suite_create ("octbscans");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_ways);
  tcase_add_loop_test (tcase, test_images, 0, G_N_ELEMENTS (chains));
  tcase_add_loop_test (tcase, test_lost, 0, G_N_ELEMENTS (chains));
  tcase_add_loop_test (tcase, test_stages, 0, 2 * G_N_ELEMENTS (stages));
  tcase_add_loop_test (tcase, test_volumes, 0, 2);
  tcase_add_loop_test (tcase, test_recording, 0, 3);
  tcase_add_loop_test (tcase, test_recording_lost, 0, 3);
  tcase_add_test (tcase, test_seek);
  tcase_add_loop_test (tcase, test_mistakes, 0, G_N_ELEMENTS (mistakes));
  tcase_add_test (tcase, test_flush);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (bscans)
