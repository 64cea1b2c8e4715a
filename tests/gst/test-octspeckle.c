/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octspeckle: images of a scan against the reference, in every method; live
 * changes and refused settings.
 */
#include "oct-reference.h"
#include "oct-test-filters.h"

#include <math.h>
#include <string.h>

#define IMAGES 2

typedef struct {
  const char *properties;
  OctSpeckleParams params;
} Method;

static void
compare (const Method *method, const TestImage *before, const TestImage *after)
{
  OctSpeckleParams params = method->params;
  gsize n = (gsize)before->width * before->height;
  g_autofree double *in = g_new (double, n), *out = g_new (double, n);

  params.width = before->width;
  params.height = before->height;
  for (gsize i = 0; i < n; i++)
    in[i] = before->pixels[i];
  oct_reference_speckle (&params, in, out);
  for (gsize i = 0; i < n; i++)
    /* on a GPU the image before is not the same to the bit */
    fail_unless (
        fabs (after->pixels[i] - out[i]) <= (oct_test_on_gpu () ? 2.5 : 0.501),
        "%s: %u instead of %g", method->properties, after->pixels[i], out[i]);
}

GST_START_TEST (test_scan)
{
  static const Method methods[] = {
    { "", { .size = 5, .sigma = 25, .spatial_sigma = 2 } },
    { "size=7 sigma=40 spatial-sigma=1.5",
        { .size = 7, .sigma = 40, .spatial_sigma = 1.5 } },
    { "method=median size=3", { .method = OCT_SPECKLE_MEDIAN, .size = 3 } },
    { "method=median size=5", { .method = OCT_SPECKLE_MEDIAN, .size = 5 } },
    { "method=lee size=7 sigma=30",
        { .method = OCT_SPECKLE_LEE, .size = 7, .sigma = 30 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    g_autofree char *behind =
        g_strdup_printf ("! octspeckle %s", methods[i].properties);
    GstElement *plain = oct_test_filter_start (2, IMAGES, "");
    GstElement *smooth = oct_test_filter_start (2, IMAGES, behind);

    for (guint n = 0; n < IMAGES; n++) {
      g_autoptr (TestImage) before = oct_test_filter_pull (plain);
      g_autoptr (TestImage) after = oct_test_filter_pull (smooth);

      compare (&methods[i], before, after);
    }
    oct_test_stop (plain);
    oct_test_stop (smooth);
  }
}
GST_END_TEST;

static GstHarness *
new_harness (const char *properties)
{
  g_autofree char *launch = g_strconcat ("octspeckle ", properties, NULL);
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps_str (
      harness, "video/x-raw, format=GRAY8, width=4, height=4, framerate=10/1");
  return harness;
}

/* A bright pixel among dark ones. */
static guint
filter_spot (GstHarness *harness)
{
  guint8 pixels[16] = { [5] = 90 };
  g_autoptr (GstBuffer) out =
      gst_harness_push_and_pull (harness, gst_buffer_new_memdup (pixels, 16));

  fail_unless (out != NULL);
  gst_buffer_extract (out, 0, pixels, 16);
  return pixels[5];
}

GST_START_TEST (test_live)
{
  GstHarness *harness = new_harness ("sigma=1");
  GstBus *bus = oct_test_bus (harness);

  fail_unless_equals_int (filter_spot (harness), 90);
  oct_test_set (harness, "octspeckle", "method", "median");
  fail_unless_equals_int (filter_spot (harness), 0);
  oct_test_set (harness, "octspeckle", "method", "lee");
  oct_test_set (harness, "octspeckle", "sigma", "255");
  oct_test_set (harness, "octspeckle", "size", "3");
  fail_unless_equals_int (filter_spot (harness), 10);
  oct_test_assert_quiet (bus);
  /* what makes no sense is told, and what was before stays */
  oct_test_set (harness, "octspeckle", "size", "4");
  fail_unless_equals_int (filter_spot (harness), 10);
  oct_test_assert_refused_live (
      bus, "filter lee over 4 x 4 pixels", "`size`", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_even_size)
{
  GstHarness *harness = new_harness ("method=median size=6");

  fail_unless_equals_int (
      gst_harness_push (harness, gst_buffer_new_allocate (NULL, 16, NULL)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness),
      "filter median over 6 x 6 pixels", "set `size` to 3, 5 or 7", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_formats)
{
  oct_test_filter_check_formats ("octspeckle");
}
GST_END_TEST;

static Suite *
octspeckle_suite (void)
{
  Suite *suite = suite_create ("octspeckle");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_test (cases, test_scan);
  if (oct_test_on_gpu ())
    return suite;
  tcase_add_test (cases, test_live);
  tcase_add_test (cases, test_even_size);
  tcase_add_test (cases, test_formats);
  return suite;
}

GST_CHECK_MAIN (octspeckle);
