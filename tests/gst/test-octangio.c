/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octangio and octalign: places of repeated B-scans against the reference;
 * which B-scans belong to a place, if some are missing; caps and metadata of
 * the images; streams without repeats; a repeat from elsewhere.
 */
#include "oct-test.h"

#include "signals.h"

#include <math.h>
#include <string.h>

#define DEPTH 40
#define LINES 24
#define VALUES (DEPTH * LINES)
#define REPEATS 3

#define CAPS                                                                   \
  "application/x-oct-ascans, format=CF32LE, samples=40, lines=24, "            \
  "framerate=30/1, y-spacing=(double)2e-5, z-spacing=(double)4e-6"

/* B-scan number `n`: tissue of its place with the carrier of A-scans, noise,
 * and A-lines that are new each time. */
static void
fill_bscan (guint n, guint repeats, Complex *values)
{
  g_autoptr (GRand) tissue = g_rand_new_with_seed (100 + n / repeats);
  g_autoptr (GRand) random = g_rand_new_with_seed (n);

  for (guint i = 0; i < VALUES; i++) {
    Complex still = 30 * signal_complex (tissue);

    if (i / DEPTH % 6 == 5)
      still = 30 * signal_complex (random);
    still = (i % 2 ? -still : still) + signal_complex (random);
    /* as in float32 */
    values[i] = CMPLX ((float)creal (still), (float)cimag (still));
  }
}

static GstBuffer *
new_bscan (const Complex *values, guint n)
{
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, VALUES * 2 * sizeof (float), NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < VALUES; i++) {
    ((float *)(gpointer)map.data)[2 * i] = (float)creal (values[i]);
    ((float *)(gpointer)map.data)[2 * i + 1] = (float)cimag (values[i]);
  }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (n, GST_SECOND, 30);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 30;
  return buffer;
}

static void
push_bscan (GstHarness *harness, guint n, guint repeats, gboolean has_position)
{
  g_autofree Complex *values = g_new (Complex, VALUES);
  GstBuffer *buffer;

  fill_bscan (n, repeats, values);
  buffer = new_bscan (values, n);
  if (has_position)
    oct_test_add_scan_meta (buffer, n % 12, 12, n / 12);
  fail_unless_equals_int (oct_test_push_buffer (harness, buffer), GST_FLOW_OK);
}

static GstHarness *
new_repeats_harness (const char *launch, const char *more)
{
  g_autofree char *caps = g_strconcat (CAPS, more, NULL);
  GstHarness *harness = oct_test_harness (launch);

  oct_test_set_src_caps (harness, gst_caps_from_string (caps));
  return harness;
}

static OctAngioParams
default_params (OctAverageMode mode)
{
  return (OctAngioParams){ .depth_bins = DEPTH,
    .lines = LINES,
    .mode = mode,
    .repeats = REPEATS,
    .window_lines = 3,
    .window_bins = 3,
    .still = 0.01,
    .min = 3,
    .max = 13 };
}

/* Half a level of rounding, and what sums in float32 leave: more on a GPU, which
 * adds in another order; a tenth of a level is 0.004 dB. */
static void
compare_values (GstBuffer *buffer, const Complex *expected, guint n)
{
  const double tolerance = oct_test_on_gpu () ? 0.6 : 0.51;
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, VALUES);
  for (guint i = 0; i < VALUES; i++)
    fail_unless (fabs (map.data[i] - creal (expected[i])) <= tolerance,
        "value %u of image %u is %u instead of %g", i, n, map.data[i],
        creal (expected[i]));
  gst_buffer_unmap (buffer, &map);
}

/* The next image is that of the reference for this B-scan. */
static void
compare_image (GstHarness *harness, OctReference *reference, guint n)
{
  g_autofree Complex *in = g_new (Complex, VALUES);
  g_autofree Complex *out = g_new (Complex, VALUES);
  g_autoptr (GstBuffer) buffer = NULL;

  fill_bscan (n, REPEATS, in);
  oct_reference_run (reference, in, NULL, out);
  if (harness == NULL)
    return;
  buffer = gst_harness_try_pull (harness);
  fail_unless (buffer != NULL, "B-scan %u gives no image", n);
  compare_values (buffer, out, n);
}

static void
assert_position (GstBuffer *buffer, guint bscan, guint bscans, guint64 volume)
{
  GstOctScanPosition position = oct_test_get_scan_position (buffer);

  fail_unless_equals_int (position.bscan, bscan);
  fail_unless_equals_int (position.bscans, bscans);
  fail_unless_equals_uint64 (position.volume, volume);
}

GST_START_TEST (test_places)
{
  GstHarness *harness = new_repeats_harness ("octangio", ", repeats=(int)3");
  OctAngioParams params = default_params (OCT_AVERAGE_BLOCK);
  g_autoptr (OctReference) reference =
      oct_reference_new (OCT_OPERATION_ANGIO, &params, NULL);
  g_autoptr (GstStructure) caps = NULL;
  gint n, d;
  double spacing;

  for (guint i = 0; i < 4 * REPEATS; i++) {
    push_bscan (harness, i, REPEATS, TRUE);
    compare_image (i % REPEATS == REPEATS - 1 ? harness : NULL, reference, i);
  }
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_fraction (caps, "framerate", &n, &d));
  fail_unless (n == 10 * d);
  fail_unless (!gst_structure_has_field (caps, "repeats"));
  fail_unless (gst_structure_get_double (caps, "y-spacing", &spacing));
  fail_unless (spacing == 2e-5);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* B-scan 4 is lost, and the last two: their places show the others, as the
 * reference does with zeros in place of lost ones, and a place with one B-scan
 * is black. */
GST_START_TEST (test_lost)
{
  GstHarness *harness = new_repeats_harness ("octangio", ", repeats=(int)3");
  OctAngioParams params = default_params (OCT_AVERAGE_BLOCK);
  g_autoptr (OctReference) reference =
      oct_reference_new (OCT_OPERATION_ANGIO, &params, NULL);
  g_autofree Complex *nothing = g_new0 (Complex, VALUES);

  for (guint i = 0; i < 4 * REPEATS - 2; i++)
    if (i != 4)
      push_bscan (harness, i, REPEATS, TRUE);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  for (guint place = 0; place < 4; place++) {
    g_autofree Complex *expected = g_new (Complex, VALUES);
    g_autoptr (GstBuffer) buffer = NULL;

    for (guint i = place * REPEATS; i < (place + 1) * REPEATS; i++) {
      g_autofree Complex *in = g_new (Complex, VALUES);

      fill_bscan (i, REPEATS, in);
      oct_reference_run (reference,
          i == 4 || i >= 4 * REPEATS - 2 ? nothing : in, NULL, expected);
    }
    /* there, places that have lost B-scans have no image */
    if (oct_test_on_gpu () && place % 2 == 1)
      continue;
    buffer = gst_harness_try_pull (harness);
    fail_unless (buffer != NULL, "place %u has no image", place);
    assert_position (buffer, place, 4, 0);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer),
        gst_util_uint64_scale (place * REPEATS, GST_SECOND, 30));
    compare_values (buffer, expected, place);
  }
  fail_unless (gst_harness_try_pull (harness) == NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* An image for each B-scan, of no other place than its own. */
GST_START_TEST (test_running)
{
  GstHarness *harness =
      new_repeats_harness ("octangio mode=running", ", repeats=(int)3");
  OctAngioParams params = default_params (OCT_AVERAGE_BLOCK);
  g_autoptr (OctReference) reference = NULL;

  params.mode = OCT_AVERAGE_RUNNING;
  reference = oct_reference_new (OCT_OPERATION_ANGIO, &params, NULL);
  for (guint i = 0; i < REPEATS; i++) {
    push_bscan (harness, i, REPEATS, TRUE);
    compare_image (harness, reference, i);
  }
  /* the first of the next place is black */
  push_bscan (harness, REPEATS, REPEATS, TRUE);
  {
    g_autoptr (GstBuffer) buffer = gst_harness_try_pull (harness);
    static const guint8 black[VALUES];

    fail_unless (buffer != NULL);
    fail_unless (gst_buffer_memcmp (buffer, 0, black, VALUES) == 0);
    assert_position (buffer, REPEATS, 12, 0);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static guint
count_warnings (GstBus *bus, const char *word)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (
              bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))
         != NULL) {
    g_autoptr (GError) error = NULL;

    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING);
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, word) != NULL, "%s", error->message);
    gst_message_unref (message);
    n++;
  }
  return n;
}

GST_START_TEST (test_no_repeats)
{
  GstHarness *harness = new_repeats_harness ("octangio", "");
  GstBus *bus = oct_test_bus (harness);
  static const guint8 black[VALUES];

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = NULL;

    push_bscan (harness, i, 1, FALSE);
    buffer = gst_harness_try_pull (harness);
    fail_unless (buffer != NULL);
    fail_unless (gst_buffer_memcmp (buffer, 0, black, VALUES) == 0);
  }
  fail_unless_equals_int (count_warnings (bus, "`repeats`"), 1);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ---------------------------------------------------------------- alignment
 */

/* The output of octalign for B-scan `n` of `count`, of which number `bad` shows
 * another place; each A-line is turned by a phase of its own. */
static void
align_bscans (GstHarness *harness, guint count, guint bad, float *const *found)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (8);

  for (guint n = 0; n < count; n++) {
    g_autofree Complex *values = g_new (Complex, VALUES);
    g_autoptr (GstBuffer) out = NULL;

    fill_bscan (n == bad ? 1000 : n, n == bad ? 1 : count, values);
    for (guint line = 0; line < LINES; line++) {
      double phase = g_rand_double_range (random, -3, 3);

      for (guint q = 0; q < DEPTH && n > 0; q++)
        values[line * DEPTH + q] *= cexp (I * phase);
    }
    fail_unless_equals_int (
        oct_test_push_buffer (harness, new_bscan (values, n)), GST_FLOW_OK);
    out = gst_harness_pull (harness);
    fail_unless (out != NULL);
    gst_buffer_extract (out, 0, found[n], VALUES * 2 * sizeof (float));
  }
}

/* sum |a - b|^2 over sum |a|^2 of the A-lines that are still */
static double
get_change (const float *a, const float *b)
{
  double change = 0, all = 0;

  for (guint i = 0; i < 2 * VALUES; i++)
    if (i / 2 / DEPTH % 6 != 5) {
      change += pow (a[i] - b[i], 2);
      all += a[i] * a[i];
    }
  return change / all;
}

GST_START_TEST (test_align)
{
  static const struct {
    const char *launch;
    double least, most; /* of the difference between repeats */
  } kinds[] = {
    { "octalign phase=none registration=none", 1, 3 },
    { "octalign phase=mean", 0, 0.01 },
    { "octalign", 0, 0.01 },
    { "octalign phase=line", 0, 0.01 },
    { "octalign registration=translation", 0, 0.01 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    GstHarness *harness =
        new_repeats_harness (kinds[i].launch, ", repeats=(int)4");
    float *found[4];

    for (guint n = 0; n < 4; n++)
      found[n] = g_new (float, 2 * VALUES);
    align_bscans (harness, 4, 99, found);
    for (guint n = 1; n < 4; n++) {
      double change = get_change (found[0], found[n]);

      fail_unless (change >= kinds[i].least && change <= kinds[i].most,
          "%s: %g", kinds[i].launch, change);
    }
    for (guint n = 0; n < 4; n++)
      g_free (found[n]);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* The third repeat becomes zeros, the others stay; reject=1 keeps it. */
GST_START_TEST (test_reject)
{
  for (guint keeps = 0; keeps < 2; keeps++) {
    GstHarness *harness = new_repeats_harness (
        keeps ? "octalign reject=1" : "octalign", ", repeats=(int)4");
    float *found[4];
    static const float zeros[2 * VALUES];

    for (guint n = 0; n < 4; n++)
      found[n] = g_new (float, 2 * VALUES);
    align_bscans (harness, 4, 2, found);
    fail_unless ((memcmp (found[2], zeros, sizeof zeros) == 0) == !keeps);
    fail_unless (get_change (found[0], found[1]) < 0.01);
    fail_unless (get_change (found[0], found[3]) < 0.01);
    for (guint n = 0; n < 4; n++)
      g_free (found[n]);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* A background that is found from A-lines is warned of, once, also if other
 * elements and a bin are between; one that is not keeps phases. */
GST_START_TEST (test_phases)
{
  static const struct {
    const char *mode, *element;
    guint warnings;
  } kinds[] = {
    { "bscan", "octangio repeats=2", 1 },
    { "a-line", "octangio repeats=2", 0 },
    { "high-pass", "octdoppler quantity=phase", 1 },
    { "none", "octdoppler quantity=phase", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *launch = g_strdup_printf (
        "octsrc num-buffers=4 samples=64 lines=8 bscans=4 ! octreconstruct "
        "mode=%s output=ascans ! queue ! %s ! video/x-raw ! fakesink",
        kinds[i].mode, kinds[i].element);
    GstElement *pipeline = gst_parse_launch (launch, NULL);
    g_autoptr (GstBus) bus = NULL;
    g_autoptr (GstMessage) end = NULL;
    GstMessage *message;
    guint warnings = 0;

    fail_unless (pipeline != NULL);
    bus = gst_element_get_bus (pipeline);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    while (end == NULL) {
      message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
        g_autoptr (GError) error = NULL;

        gst_message_parse_warning (message, &error, NULL);
        warnings += strstr (error->message, kinds[i].mode) != NULL
                    && strstr (error->message, "phases") != NULL;
        gst_message_unref (message);
      } else {
        end = message;
      }
    }
    fail_unless_equals_int (GST_MESSAGE_TYPE (end), GST_MESSAGE_EOS);
    fail_unless_equals_int (warnings, kinds[i].warnings);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
}
GST_END_TEST;

static Suite *
octangio_suite (void)
{
  Suite *suite = suite_create ("octangio");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_test (cases, test_places);
  tcase_add_test (cases, test_lost);
  tcase_add_test (cases, test_running);
  tcase_add_test (cases, test_no_repeats);
  tcase_add_test (cases, test_align);
  tcase_add_test (cases, test_reject);
  tcase_add_test (cases, test_phases);
  return suite;
}

GST_CHECK_MAIN (octangio);
