/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octrefocus: phases of a plane wave, which are known, in the units of caps and
 * properties; the focus that it finds and posts; what it cannot refocus.
 */
#include "oct-test.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define BINS 4
#define SIDE 24
#define VALUES (SIDE * SIDE * BINS)
#define SIZES                                                                  \
  "application/x-oct-ascans, format=CF32LE, samples=4, lines=24, bscans=24, "  \
  "framerate=5/1"
#define SPACINGS                                                               \
  ", x-spacing=2e-6, y-spacing=3e-6, z-spacing=20e-6, wavelength=800e-9"
#define ASCANS SIZES SPACINGS

static void
set_src_caps (GstHarness *harness, const char *caps)
{
  oct_test_set_src_caps (harness, gst_caps_from_string (caps));
}

static GstBuffer *
new_buffer (const float complex *values, gsize count)
{
  return gst_buffer_new_memdup (values, count * sizeof *values);
}

/* A wave with 3 periods along x and -2 along y in every plane. */
static float complex
get_wave (guint i)
{
  guint x = i / BINS % SIDE, y = i / BINS / SIDE;

  return cexpf (I * (float)(2 * G_PI * (3. * x - 2. * y) / SIDE));
}

static GstBuffer *
new_wave (void)
{
  float complex values[VALUES];

  for (guint i = 0; i < VALUES; i++)
    values[i] = get_wave (i);
  return new_buffer (values, VALUES);
}

static void
pull_values (GstHarness *harness, float complex *values)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);

  fail_unless_equals_int (
      gst_buffer_get_size (buffer), VALUES * sizeof *values);
  gst_buffer_extract (buffer, 0, values, VALUES * sizeof *values);
}

/* Pushes the wave through; its phase has to be `out_of_focus[0]` + q times
 * `out_of_focus[1]` metres of tissue times 2 k - (4 k^2 - u)^1/2. */
static void
check_wave (GstHarness *harness, const double out_of_focus[2], double index,
    double wavelength, const double spacings[2])
{
  float complex values[VALUES];
  double k = 2 * G_PI * index / wavelength;
  double ux = 2 * G_PI * 3 / (SIDE * spacings[0]);
  double uy = 2 * G_PI * -2 / (SIDE * spacings[1]);
  double d = 2 * k - sqrt (4 * k * k - ux * ux - uy * uy);

  fail_unless_equals_int (
      oct_test_push_buffer (harness, new_wave ()), GST_FLOW_OK);
  pull_values (harness, values);
  for (guint i = 0; i < VALUES; i++) {
    double phase = (out_of_focus[0] + i % BINS * out_of_focus[1]) * d;
    float complex should = get_wave (i) * cexpf (I * (float)phase);

    fail_unless (cabsf (values[i] - should) < 1e-5f, "%g", phase);
  }
}

/* Depths are of air, distances in the sample are shorter. */
GST_START_TEST (test_caps)
{
  static const double spacings[] = { 2e-6, 3e-6 };
  const double out[] = { (30 * 20e-6 - 150e-6) / 1.38, 20e-6 / 1.38 };
  GstHarness *harness = oct_test_harness (
      "octrefocus align=false automatic=false focus-depth=150e-6");
  g_autoptr (GstStructure) caps = NULL;
  double found = 0;

  set_src_caps (harness, ASCANS ", depth-start=30");
  check_wave (harness, out, 1.38, 800e-9, spacings);
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_double (caps, "y-spacing", &found));
  fail_unless (found == 3e-6);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Properties count, whatever the caps say. */
GST_START_TEST (test_properties)
{
  static const double spacings[] = { 4e-6, 5e-6 };
  const double out[] = { -30e-6 / 1.5, 10e-6 / 1.5 };
  static const char *const caps[] = { ASCANS, SIZES };

  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    GstHarness *harness =
        oct_test_harness ("octrefocus align=false automatic=false "
                          "focus-depth=30e-6 x-spacing=4e-6 "
                          "y-spacing=5e-6 z-spacing=10e-6 wavelength=1300e-9 "
                          "refractive-index=1.5");

    set_src_caps (harness, caps[i]);
    check_wave (harness, out, 1.5, 1300e-9, spacings);
    oct_test_assert_quiet (oct_test_bus (harness));
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* Another focus while it plays, and other caps of the same size. */
GST_START_TEST (test_live)
{
  static const double spacings[] = { 2e-6, 3e-6 }, wide[] = { 6e-6, 3e-6 };
  double out[] = { 0, 20e-6 / 1.38 };
  GstHarness *harness =
      oct_test_harness ("octrefocus align=false automatic=false");

  set_src_caps (harness, ASCANS);
  check_wave (harness, out, 1.38, 800e-9, spacings);
  oct_test_set (harness, "octrefocus", "focus-depth", "-1e-4");
  out[0] = 1e-4 / 1.38;
  check_wave (harness, out, 1.38, 800e-9, spacings);
  set_src_caps (harness, SIZES ", x-spacing=6e-6, y-spacing=3e-6, "
                               "z-spacing=20e-6, wavelength=800e-9");
  check_wave (harness, out, 1.38, 800e-9, wide);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* -------------------------------------------------------------- automatic */

/* Spots of radius 6 um in each plane, in focus `focus` bins deep. */
static GstBuffer *
new_spots (double focus)
{
  float complex values[VALUES];
  double k = 2 * G_PI * 1.38 / 800e-9, w = 6e-6;

  for (guint i = 0; i < VALUES; i++) {
    guint q = i % BINS;
    double dx = 2e-6 * (i / BINS % SIDE - (8. + 2 * q));
    double dy = 3e-6 * (i / BINS / SIDE - (15. - 2 * q));
    double complex width = w * w / 2 + I * (q - focus) * 20e-6 / 1.38 / k;

    values[i] = (float complex) (
        cexp (-(dx * dx + dy * dy) / width) / width * w * w / 2);
  }
  return new_buffer (values, VALUES);
}

static gboolean
pop_found (GstBus *bus, double *depth)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  const GstStructure *s;
  gboolean found = FALSE;

  fail_unless (message != NULL);
  s = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_name (s), "oct-refocus");
  fail_unless (gst_structure_get_boolean (s, "found", &found));
  fail_unless (gst_structure_get_double (s, "focus-depth", depth));
  return found;
}

/* Within a hundredth of its Rayleigh length, k w^2 / 2 = 195 um. */
GST_START_TEST (test_found)
{
  static const double foci[] = { -9, 2.2, 12 };
  GstHarness *harness = oct_test_harness ("octrefocus align=false");
  GstBus *bus = oct_test_bus (harness);

  /* results are messages, too */
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  set_src_caps (harness, ASCANS);
  for (guint i = 0; i < G_N_ELEMENTS (foci); i++) {
    float complex values[VALUES];
    double depth = 0;

    fail_unless_equals_int (
        oct_test_push_buffer (harness, new_spots (foci[i])), GST_FLOW_OK);
    pull_values (harness, values);
    fail_unless (pop_found (bus, &depth));
    fail_unless (fabs (depth - foci[i] * 20e-6) < 1.38 * 2e-6, "%g um of %g",
        depth * 1e6, foci[i] * 20);
  }
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Noise has no focus: it stays, and one warning says so, not one a volume. */
GST_START_TEST (test_unclear)
{
  GstHarness *harness = oct_test_harness ("octrefocus align=false");
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (GstMessage) warning = NULL;

  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  set_src_caps (harness, ASCANS);
  for (guint n = 0; n < 2; n++) {
    float complex values[VALUES], found[VALUES];
    double depth = 1;

    for (guint i = 0; i < VALUES; i++)
      values[i] = (float)g_rand_double_range (random, -1, 1)
                  + I * (float)g_rand_double_range (random, -1, 1);
    fail_unless_equals_int (
        oct_test_push_buffer (harness, new_buffer (values, VALUES)),
        GST_FLOW_OK);
    pull_values (harness, found);
    fail_unless (memcmp (values, found, sizeof values) == 0);
    fail_if (pop_found (bus, &depth) || depth != 0);
    if (n == 0)
      warning = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  }
  fail_unless (warning != NULL);
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------------------ errors */

/* Caps that lack something, with the property to set. */
GST_START_TEST (test_missing)
{
  static const struct {
    const char *caps, *property;
  } cases[] = {
    { SIZES ", y-spacing=3e-6, z-spacing=2e-5, wavelength=8e-7",
        "`x-spacing`" },
    { SIZES ", x-spacing=3e-6, z-spacing=2e-5, wavelength=8e-7",
        "`y-spacing`" },
    { SIZES ", x-spacing=3e-6, y-spacing=3e-6, wavelength=8e-7",
        "`z-spacing`" },
    { SIZES ", x-spacing=3e-6, y-spacing=-3e-6, z-spacing=2e-5",
        "`y-spacing`" },
    { SIZES ", x-spacing=3e-6, y-spacing=3e-6, z-spacing=2e-5",
        "`wavelength`" },
    { ASCANS ", repeats=4", "octaverage mode=block frames=4" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *harness = oct_test_harness ("octrefocus");

    set_src_caps (harness, cases[i].caps);
    fail_if (oct_test_push_buffer (harness, new_wave ()) == GST_FLOW_OK);
    oct_test_assert_error (
        oct_test_bus (harness), "octrefocus", cases[i].property, NULL);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* The end of a volume and the beginning of the next. */
GST_START_TEST (test_two_volumes)
{
  GstHarness *harness = oct_test_harness ("octrefocus automatic=false");
  GstBuffer *buffer = new_wave ();
  float complex values[VALUES];

  set_src_caps (harness, ASCANS);
  /* half of a volume, and the whole of one */
  for (guint i = 0; i < 2; i++) {
    GstBuffer *part = new_wave ();

    oct_test_add_scan_meta (part, i == 0 ? 24 : 0, i == 0 ? 48 : 24, 0);
    fail_unless_equals_int (oct_test_push_buffer (harness, part), GST_FLOW_OK);
    pull_values (harness, values);
  }
  oct_test_assert_quiet (oct_test_bus (harness));
  oct_test_add_scan_meta (buffer, 36, 48, 0);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, buffer), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "36", "48",
      "`bscans-per-buffer`", "octgather", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A volume that lost B-scans on the way is left out, with one warning, and the
 * next whole one is refocused. */
GST_START_TEST (test_lost)
{
  static const guint first[] = { 5, 0, 12 }, counts[] = { SIDE, 12, 12 };
  GstHarness *harness = oct_test_harness ("octrefocus automatic=false");
  GstBus *bus = oct_test_bus (harness);
  float complex values[VALUES] = { 0 };
  GstBuffer *whole = new_wave ();

  set_src_caps (harness, ASCANS);
  for (guint i = 0; i < G_N_ELEMENTS (first); i++) {
    GstBuffer *part = new_buffer (values, counts[i] * VALUES / SIDE);
    g_autoptr (GstMessage) warning = NULL;

    oct_test_add_scan_meta (part, first[i], SIDE, i);
    fail_unless_equals_int (oct_test_push_buffer (harness, part), GST_FLOW_OK);
    fail_unless (gst_harness_try_pull (harness) == NULL);
    warning = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
    fail_unless_equals_int (warning != NULL, i == 0);
  }
  oct_test_add_scan_meta (whole, 0, SIDE, 4);
  fail_unless_equals_int (oct_test_push_buffer (harness, whole), GST_FLOW_OK);
  pull_values (harness, values);
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A-lines that are not on a raster: a warning names the element that makes one.
 */
GST_START_TEST (test_curves)
{
  static const char *const scans[][2] = { { "scan=spiral", "*octremap*" },
    { "scan=raster", NULL }, { "scan-mask=same-lines", "*octvolumecs*" } };
  g_autofree char *launch = g_strdup_printf (
      "octsrc samples=256 lines=16 bscans=12 %s bscans-per-buffer=0 "
      "num-buffers=1 ! octreconstruct mode=background output=ascans ! "
      "octrefocus x-spacing=3e-6 y-spacing=3e-6 automatic=false",
      scans[__i__][0]);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (GstMessage) warning = NULL;
  g_autoptr (GError) error = NULL;

  gst_harness_play (harness);
  gst_buffer_unref (gst_harness_pull (harness));
  warning = gst_bus_pop_filtered (oct_test_bus (harness), GST_MESSAGE_WARNING);
  fail_unless_equals_int (warning != NULL, scans[__i__][1] != NULL);
  if (warning != NULL) {
    gst_message_parse_warning (warning, &error, NULL);
    fail_unless (g_pattern_match_simple (scans[__i__][1], error->message), "%s",
        error->message);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A B-scan alone is refocused along x, with a warning for the first. */
GST_START_TEST (test_single)
{
  GstHarness *harness = oct_test_harness ("octrefocus automatic=false");
  GstBus *bus = oct_test_bus (harness);
  float complex values[SIDE * BINS] = { 0 };

  set_src_caps (harness,
      "application/x-oct-ascans, format=CF32LE, samples=4, lines=24, "
      "framerate=5/1" SPACINGS);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstMessage) warning = NULL;

    fail_unless_equals_int (
        oct_test_push_buffer (harness, new_buffer (values, SIDE * BINS)),
        GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (harness));
    warning = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
    fail_unless_equals_int (warning != NULL, i == 0);
  }
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Buffers of fewer B-scans than the caps say are refused. */
GST_START_TEST (test_fewer)
{
  GstHarness *harness = oct_test_harness ("octrefocus automatic=false");
  float complex values[VALUES / 2] = { 0 };

  set_src_caps (harness, ASCANS);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, new_buffer (values, VALUES / 2)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "12 B-scans", "24", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* From spectra, gathered by the source, to an image for each B-scan. */
GST_START_TEST (test_chain)
{
  GstHarness *harness = oct_test_harness (
      "octsrc samples=256 lines=16 bscans=12 bscans-per-buffer=0 "
      "num-buffers=2 ! octreconstruct mode=background output=ascans ! "
      "octrefocus x-spacing=3e-6 y-spacing=3e-6 automatic=false ! octlogscale");
  GstBus *bus = oct_test_bus (harness);

  gst_harness_play (harness);
  for (guint i = 0; i < 24; i++) {
    GstBuffer *buffer = gst_harness_pull (harness);
    GstOctScanPosition position;

    fail_unless (buffer != NULL);
    position = oct_test_get_scan_position (buffer);
    fail_unless_equals_int (position.bscan, i % 12);
    fail_unless_equals_uint64 (position.volume, i / 12);
    gst_buffer_unref (buffer);
  }
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A seek to the middle of a volume begins with its first B-scan. */
GST_START_TEST (test_seek)
{
  GstHarness *harness = oct_test_harness (
      "octsrc name=source samples=256 lines=16 bscans=12 bscans-per-buffer=0 "
      "line-rate=160 ! octreconstruct mode=background output=ascans ! "
      "octrefocus x-spacing=3e-6 y-spacing=3e-6 automatic=false");
  GstElement *source = gst_harness_find_element (harness, "octsrc");
  guint64 number;

  gst_harness_play (harness);
  gst_buffer_unref (gst_harness_pull (harness));
  /* ten B-scans a second: number 29, of the third volume */
  fail_unless (gst_element_seek_simple (
      source, GST_FORMAT_DEFAULT, GST_SEEK_FLAG_FLUSH, 29));
  do {
    GstBuffer *buffer = gst_harness_pull (harness);

    fail_unless (buffer != NULL);
    number = GST_BUFFER_OFFSET (buffer);
    gst_buffer_unref (buffer);
    fail_unless_equals_int (number % 12, 0);
  } while (number != 24);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_object_unref (source);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octrefocus_suite (void)
{
  Suite *suite = suite_create ("octrefocus");
  TCase *tc = tcase_create ("all");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_caps);
  tcase_add_test (tc, test_properties);
  tcase_add_test (tc, test_live);
  tcase_add_test (tc, test_found);
  tcase_add_test (tc, test_unclear);
  tcase_add_test (tc, test_missing);
  tcase_add_test (tc, test_two_volumes);
  tcase_add_test (tc, test_lost);
  tcase_add_loop_test (tc, test_curves, 0, 3);
  tcase_add_test (tc, test_single);
  tcase_add_test (tc, test_fewer);
  tcase_add_test (tc, test_chain);
  tcase_add_test (tc, test_seek);
  return suite;
}

GST_CHECK_MAIN (octrefocus);
