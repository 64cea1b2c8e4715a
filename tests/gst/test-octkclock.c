/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octkclock: sweeps against the reference, caps, and clocks that cannot be used,
 * which are counted, named and recovered from.
 */
#include "oct-reference.h"
#include "oct-test-files.h"
#include "oct-test.h"
#include "sweep.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#define SAMPLES 256u
#define LINES 20u

static const Sweep source = { .samples = SAMPLES,
  .cycles = 50,
  .chirp = 0.35,
  .edge = 0.4,
  .snr = 30,
  .jitter = 0.5,
  .depth = 0.6 };

/* Counts of `lines` A-lines and their clocks. */
static OctArray *
new_counts (const Sweep *sweep, guint32 seed, guint lines)
{
  gsize values = (gsize)lines * 2 * SAMPLES;
  OctArray *array = oct_array_new ('u', 2, lines, 2 * SAMPLES);
  g_autofree double *sweeps = g_new (double, values);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  sweep_fill (sweep, random, lines, sweeps);
  for (gsize i = 0; i < values; i++)
    ((guint16 *)array->data)[i] = (guint16)lrint (32768 + 15000 * sweeps[i]);
  return array;
}

/* The clocks times `factor`, about their middle. */
static void
scale_clocks (OctArray *array, double factor)
{
  guint16 *values = (guint16 *)array->data;

  for (gsize i = 0; i < (gsize)array->rows * 2 * SAMPLES; i++)
    if (i / SAMPLES % 2 == 1)
      values[i] = (guint16)lrint (32768 + factor * (values[i] - 32768.0));
}

static OctKclockParams
new_params (void)
{
  return (OctKclockParams){ .format = OCT_SAMPLE_U16,
    .samples = SAMPLES,
    .lines = LINES,
    .method = OCT_KCLOCK_STATIC,
    .order = 6,
    .average = 256,
    .max_jitter = 1,
    .min_snr = 5,
    .falling = TRUE };
}

/* `count` frames in a row by the reference. */
static OctArray *
new_expected (const OctKclockParams *params, const OctArray *in, guint count)
{
  OctArray *out = oct_array_new ('f', 4, params->lines * count, SAMPLES);
  g_autoptr (OctReference) plan =
      oct_reference_new (OCT_OPERATION_KCLOCK, params, NULL);
  gsize from = (gsize)params->lines * 2 * SAMPLES, to = from / 2;
  g_autofree Complex *values = g_new (Complex, from);
  g_autofree Complex *result = g_new (Complex, to);

  for (guint n = 0; n < count; n++) {
    for (gsize i = 0; i < from; i++)
      values[i] = ((const guint16 *)in->data)[n * from + i];
    oct_reference_run (plan, values, NULL, result);
    for (gsize i = 0; i < to; i++)
      ((float *)out->data)[n * to + i] = (float)creal (result[i]);
  }
  return out;
}

/* The values of the output for B-scan `n` of the input. */
static OctArray *
push (GstHarness *harness, const OctArray *in, guint n)
{
  g_autoptr (OctArray) rows = oct_array_rows (in, n * LINES, LINES);

  return oct_test_push (harness, oct_test_buffer (rows, 0, 0));
}

static GstHarness *
new_harness (const char *launch, const char *more)
{
  GstHarness *harness = oct_test_harness (launch);
  g_autofree char *text = g_strdup_printf (
      "video/x-raw, format=GRAY16_LE, width=%u, height=%u, framerate=10/1%s",
      2 * SAMPLES, LINES, more);

  /* messages with counts are read too; end_harness() drops the others */
  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  oct_test_set_src_caps (harness, gst_caps_from_string (text));
  return harness;
}

static void
end_harness (GstHarness *harness)
{
  gst_bus_set_flushing (oct_test_bus (harness), TRUE);
  gst_harness_teardown (harness);
}

/* Three B-scans; the reference is renewed from one to the next. */
GST_START_TEST (test_reference)
{
  OctKclockParams params = new_params ();
  g_autoptr (OctArray) in = new_counts (&source, 1, 3 * LINES);
  g_autoptr (OctArray) expected = NULL;
  GstHarness *harness =
      new_harness ("octkclock method=static average=30 delay=1.5", "");

  params.average = 30;
  params.delay = 1.5;
  expected = new_expected (&params, in, 3);
  for (guint n = 0; n < 3; n++) {
    g_autoptr (OctArray) found = push (harness, in, n);
    g_autoptr (OctArray) part = oct_array_rows (expected, n * LINES, LINES);

    oct_test_compare (found, part, 0);
  }
  oct_test_assert_quiet (oct_test_bus (harness));
  end_harness (harness);
}
GST_END_TEST

/* The output begins at the smallest wavenumber: of sweeps from the longest
 * wavelength, as the property or the calibration says, it is in their order. */
GST_START_TEST (test_sweep)
{
  static const char *const launches[] = { "octkclock method=static",
    "octkclock method=static sweep=rising",
    "octkclock method=static sweep=falling" };
  static const char *const calibrations[] = { NULL,
    "wavelength-min=1010 wavelength-max=1110",
    "wavelength-min=1010 wavelength-max=1110 flip=true" };
  OctKclockParams params = new_params ();
  g_autoptr (OctArray) in = new_counts (&source, 1, LINES);

  for (guint i = 0; i < 9; i++) {
    guint set = i % 3, told = i / 3;
    g_autoptr (OctArray) expected = NULL, found = NULL;
    GstHarness *harness = new_harness (launches[set], "");

    params.falling = set == 0 ? told != 2 : set == 1;
    expected = new_expected (&params, in, 1);
    if (told > 0)
      gst_harness_push_event (
          harness, oct_test_calibration (calibrations[told], SAMPLES));
    found = push (harness, in, 0);
    oct_test_compare (found, expected, 0);
    end_harness (harness);
  }
}
GST_END_TEST

GST_START_TEST (test_caps)
{
  GstHarness *harness =
      new_harness ("octkclock", ", k-clock=(boolean)true, bscans=2");
  g_autoptr (OctArray) in = new_counts (&source, 2, LINES);
  GstStructure *s;
  gint samples = 0, lines = 0, bscans = 0;

  oct_array_free (push (harness, in, 0));
  s = oct_test_output (harness);
  fail_unless_equals_string (
      gst_structure_get_string (s, "axis"), "wavenumber");
  fail_unless (gst_structure_get_int (s, "samples", &samples));
  fail_unless (gst_structure_get_int (s, "lines", &lines));
  fail_unless (gst_structure_get_int (s, "bscans", &bscans));
  fail_unless_equals_int (samples, SAMPLES);
  fail_unless_equals_int (lines, LINES / 2);
  fail_unless_equals_int (bscans, 2);
  fail_if (gst_structure_has_field (s, "k-clock"));
  gst_structure_free (s);
  end_harness (harness);
}
GST_END_TEST

/* The other way round: a caps filter after it. */
GST_START_TEST (test_caps_upstream)
{
  g_autofree char *launch = g_strdup_printf (
      "octkclock ! capsfilter caps=\"application/x-oct-spectra%s,samples=256,"
      "lines=20\"",
      oct_test_on_gpu () ? "(memory:CUDAMemory)" : "");
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (harness->srcpad, NULL);
  g_autoptr (GstCaps) fits = gst_caps_from_string (
      "video/x-raw, format=GRAY8, width=512, height=20, framerate=10/1");
  g_autoptr (GstCaps) too_few = gst_caps_from_string (
      "video/x-raw, format=GRAY8, width=256, height=20, framerate=10/1");

  fail_unless (gst_caps_can_intersect (caps, fits));
  fail_if (gst_caps_can_intersect (caps, too_few));
  gst_harness_teardown (harness);
}
GST_END_TEST

/* The sentence of a warning with `words`, and the message with the counts. */
static void
assert_told (
    GstHarness *harness, const char *words, const char *field, guint64 count)
{
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (GstMessage) warning =
      gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  guint64 found = 0;

  fail_unless (warning != NULL, "no warning '%s'", words);
  gst_message_parse_warning (warning, &error, NULL);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL
         && !gst_structure_has_name (
             gst_message_get_structure (message), "oct-k-clock"))
    gst_clear_message (&message);
  fail_unless (message != NULL);
  fail_unless (gst_structure_get_uint64 (
      gst_message_get_structure (message), field, &found));
  fail_unless_equals_uint64 (found, count);
}

static gboolean
is_black (const OctArray *array)
{
  for (guint row = 0; row < array->rows; row++)
    for (guint i = 0; i < array->columns; i++)
      if (oct_array_get (array, row, i, 0) != 0)
        return FALSE;
  return TRUE;
}

/* On a GPU the counts of the last frames come when it has done them: the end of
 * the stream waits for that. */
static void
assert_told_at_end (
    GstHarness *harness, const char *words, const char *field, guint64 count)
{
  gst_harness_push_event (harness, gst_event_new_eos ());
  assert_told (harness, words, field, count);
}

/* No clock, one of too many and of too few cycles: black, and said so; when a
 * clock comes, images do. */
GST_START_TEST (test_no_clock)
{
  static const struct {
    double cycles, scale;
    const char *words, *field;
  } kinds[] = { { 50, 0,
                    "20 of 20 A-lines, which are black: mostly there is "
                    "none",
                    "none" },
    { 110, 1, "nearly half a cycle per sample", "fast" },
    { 4, 1, "fewer than 8 cycles", "slow" } };
  Sweep sweep = source;
  g_autoptr (OctArray) in = NULL, good = new_counts (&source, 3, LINES);
  g_autoptr (OctArray) black = NULL, image = NULL;
  GstHarness *harness = new_harness ("octkclock", "");

  sweep.cycles = kinds[__i__].cycles;
  in = new_counts (&sweep, 4, LINES);
  scale_clocks (in, kinds[__i__].scale);
  black = push (harness, in, 0);
  fail_unless (is_black (black));
  assert_told (harness, kinds[__i__].words, kinds[__i__].field, LINES);
  image = push (harness, good, 0);
  fail_if (is_black (image));
  oct_test_assert_quiet (oct_test_bus (harness));
  end_harness (harness);
}
GST_END_TEST

/* Single A-lines, which are resampled as the mean sweep is. */
GST_START_TEST (test_refused_lines)
{
  g_autoptr (OctArray) in = new_counts (&source, 5, LINES);
  g_autoptr (OctArray) out = NULL;
  guint16 *values = (guint16 *)in->data;
  GstHarness *harness = new_harness ("octkclock", "");

  for (guint line = 3; line < 6; line++)
    for (guint i = 120; i < SAMPLES; i++) {
      guint16 *value = values + (line * 2 + 1) * SAMPLES + i;
      *value = (guint16)(65535 - *value);
    }
  for (guint i = 0; i < SAMPLES; i++)
    values[(9 * 2 + 1) * SAMPLES + i] = 32768;
  out = push (harness, in, 0);
  fail_if (is_black (out));
  assert_told_at_end (harness,
      "4 of 20 A-lines, which are resampled as the mean sweep is: mostly it "
      "is interrupted",
      "gaps", 3);
  end_harness (harness);
}
GST_END_TEST

GST_START_TEST (test_weak)
{
  Sweep noisy = source;
  g_autoptr (OctArray) in = NULL;
  GstHarness *harness = new_harness ("octkclock min-snr=40", "");

  noisy.snr = 20;
  in = new_counts (&noisy, 6, LINES);
  oct_array_free (push (harness, in, 0));
  assert_told_at_end (harness, "SNR is below `min-snr`", "weak", LINES);
  end_harness (harness);
}
GST_END_TEST

/* Frames whose A-lines 3 to 5 the source has lost, which are zeros: no fault of
 * the clock.  That of A-line 9 in the second one is. */
GST_START_TEST (test_lost)
{
  g_autoptr (OctArray) in = new_counts (&source, 8, LINES);
  guint16 *values = (guint16 *)in->data;
  GstHarness *harness = new_harness ("octkclock", "");

  memset (values + 3 * 2 * SAMPLES, 0, 3 * 2 * SAMPLES * sizeof *values);
  for (guint n = 0; n < 2; n++) {
    GstBuffer *buffer;

    for (guint i = 0; n == 1 && i < SAMPLES; i++)
      values[(9 * 2 + 1) * SAMPLES + i] = 32768;
    buffer = oct_test_buffer (in, 0, 0);
    oct_test_add_scan_meta (buffer, n, 2, 0);
    oct_test_lose_lines (buffer, LINES, 3, 3);
    oct_array_free (oct_test_push (harness, buffer));
    if (n == 0)
      oct_test_assert_quiet (oct_test_bus (harness));
  }
  assert_told_at_end (harness, "in 1 of 34 A-lines", "weak", 1);
  end_harness (harness);
}
GST_END_TEST

/* While it plays: each value is that of an element that begins with it. */
GST_START_TEST (test_live)
{
  static const char *const settings[][2] = { { "delay", "2" },
    { "method", "fit" }, { "order", "2" }, { "max-jitter", "3" } };
  g_autoptr (OctArray) in = new_counts (&source, 7, 2 * LINES);

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autofree char *launch = g_strdup_printf (
        "octkclock method=fit %s=%s", settings[i][0], settings[i][1]);
    GstHarness *live = new_harness ("octkclock method=fit", "");
    GstHarness *other = new_harness (launch, "");
    g_autoptr (OctArray) found = NULL, expected = NULL;

    oct_array_free (push (live, in, 0));
    oct_array_free (push (other, in, 0));
    oct_test_set (live, "octkclock", settings[i][0], settings[i][1]);
    found = push (live, in, 1);
    expected = push (other, in, 1);
    oct_test_compare (found, expected, 0);
    end_harness (live);
    end_harness (other);
  }
}
GST_END_TEST

/* Caps that no clock can be in, and elements that a clock is none of the
 * business of. */
GST_START_TEST (test_errors)
{
  static const struct {
    const char *launch, *caps, *words;
  } cases[] = {
    { "octkclock", "width=511, height=20", "A-lines of 511 samples came" },
    { "octkclock", "width=200, height=20", "A-lines of 100 samples" },
    { "octdcsub", "width=512, height=20, k-clock=(boolean)true",
        "put octkclock after the source" },
  };
  g_autofree char *text = g_strdup_printf (
      "video/x-raw, format=GRAY16_LE, framerate=10/1, %s", cases[__i__].caps);
  GstHarness *harness = oct_test_harness (cases[__i__].launch);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1024, NULL);

  oct_test_set_src_caps (harness, gst_caps_from_string (text));
  gst_harness_push (harness, buffer);
  oct_test_assert_error (oct_test_bus (harness), cases[__i__].words, NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST

#ifdef OCT_TEST_DAQ_SIM
/* How much the A-scans of a mirror have in common at its depth, 0 to 1. */
static double
get_coherence (GstSample *sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  double best = 0, common = 0;
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, 32 * 256 * 8);
  for (guint q = 10; q < 256; q++) {
    double re = 0, im = 0, sum = 0;

    for (guint line = 0; line < 32; line++) {
      const float *value = (const float *)map.data + 2 * (line * 256 + q);

      re += value[0];
      im += value[1];
      sum += hypot (value[0], value[1]);
    }
    common = sum > best ? hypot (re, im) / sum : common;
    best = MAX (best, sum);
  }
  gst_buffer_unmap (buffer, &map);
  return common;
}

/* That of the last B-scan of a digitizer whose sweeps begin at any moment. */
static double
digitize (const char *properties, const char *elements)
{
  g_autofree char *path = oct_test_file_path ("sweeps");
  g_autofree char *launch =
      g_strdup_printf ("octdaqsrc reconnect=false socket=%s %s ! %s ! octfft"
                       " ! fakesink name=sink sync=false",
          path, properties, elements);
  const char *const arguments[] = { OCT_TEST_DAQ_SIM, "--samples", "512",
    "--lines", "32", "--bscans", "1", "--count", "3", "--lossless", "--readers",
    "1", "--k-clock", "--sweep-jitter", "1.5", "--phantom", "mirror", "--noise",
    "0.1", path, NULL };
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstSample) sample = NULL;
  double coherence;
  GPid pid;

  fail_unless (g_spawn_async (NULL, (char **)arguments, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, &pid,
      NULL));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (
      message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  waitpid (pid, NULL, 0);
  g_object_get (sink, "last-sample", &sample, NULL);
  coherence = get_coherence (sample);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return coherence;
}

/* By the k-clock, and without. */
GST_START_TEST (test_jitter)
{
  double without = digitize ("", "octdcsub mode=a-line ! octkresample");
  double with_clock = digitize ("k-clock=true",
      "octkclock backend=cpu max-jitter=2 ! octdcsub backend=cpu mode=a-line");

  fail_unless (without < 0.8, "%g without the clock", without);
  fail_unless (with_clock > 0.99, "%g by the clock", with_clock);
}
GST_END_TEST
#endif

static Suite *
octkclock_suite (void)
{
  Suite *suite = suite_create ("octkclock");
  TCase *tc = tcase_create ("all");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_reference);
  tcase_add_test (tc, test_sweep);
  tcase_add_test (tc, test_caps);
  tcase_add_test (tc, test_caps_upstream);
  tcase_add_loop_test (tc, test_no_clock, 0, 3);
  tcase_add_test (tc, test_refused_lines);
  tcase_add_test (tc, test_weak);
  tcase_add_test (tc, test_lost);
  tcase_add_test (tc, test_live);
  tcase_add_loop_test (tc, test_errors, 0, 3);
#ifdef OCT_TEST_DAQ_SIM
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_test (tc, test_jitter);
#endif
  return suite;
}

GST_CHECK_MAIN (octkclock)
