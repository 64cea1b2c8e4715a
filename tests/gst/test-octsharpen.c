/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octsharpen: images of a scan against the reference; edges, levels that clip
 * and amount 0 in every format by formulas; live changes.
 */
#include "oct-reference.h"
#include "oct-test-filters.h"

#include <math.h>
#include <string.h>

#define IMAGES 2
/* Levels of 255 that sums of float32 may be away from the exact ones: such a
 * level next to a half can round the other way. */
#define MARGIN 0.01

static void
sharpen_compare (
    OctSharpenParams params, const TestImage *before, const TestImage *after)
{
  gsize n = (gsize)before->width * before->height;
  g_autofree Complex *in = g_new (Complex, n), *out = g_new (Complex, n);
  g_autoptr (OctReference) reference = NULL;
  /* on a GPU the image before can differ by a level */
  double slack = oct_test_on_gpu () ? 1 + 2 * params.amount : 0;

  params.width = before->width;
  params.height = before->height;
  reference = oct_reference_new (OCT_OPERATION_SHARPEN, &params, NULL);
  for (gsize i = 0; i < n; i++)
    in[i] = before->pixels[i];
  oct_reference_run (reference, in, NULL, out);
  for (gsize i = 0; i < n; i++)
    fail_unless (
        fabs (after->pixels[i] - creal (out[i])) <= 0.5 + MARGIN + slack,
        "amount=%g radius=%g: %u instead of %g", params.amount, params.radius,
        after->pixels[i], creal (out[i]));
}

GST_START_TEST (test_scan)
{
  static const struct {
    const char *properties;
    OctSharpenParams params;
  } settings[] = {
    { "", { .amount = 1.5, .radius = 1 } },
    { "amount=0", { .amount = 0, .radius = 1 } },
    { "amount=0.5 radius=2.5", { .amount = 0.5, .radius = 2.5 } },
    /* wider than the image */
    { "amount=1 radius=50", { .amount = 1, .radius = 50 } },
    { "amount=10 radius=0.7", { .amount = 10, .radius = 0.7 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autofree char *after =
        g_strdup_printf ("! octsharpen %s", settings[i].properties);
    GstElement *plain = oct_test_filter_start (2, IMAGES, "");
    GstElement *sharp = oct_test_filter_start (2, IMAGES, after);

    for (guint n = 0; n < IMAGES; n++) {
      g_autoptr (TestImage) image = oct_test_filter_pull (plain);
      g_autoptr (TestImage) result = oct_test_filter_pull (sharp);

      sharpen_compare (settings[i].params, image, result);
    }
    oct_test_stop (plain);
    oct_test_stop (sharp);
  }
}
GST_END_TEST;

/* `size` bytes through the element, as an image of these caps. */
static void
sharpen_bytes (
    const char *properties, const char *caps, guint8 *bytes, gsize size)
{
  g_autofree char *launch = g_strconcat ("octsharpen ", properties, NULL);
  g_autofree char *all =
      g_strconcat ("video/x-raw, framerate=10/1, ", caps, NULL);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (GstBuffer) out = NULL;

  gst_harness_set_src_caps_str (harness, all);
  out =
      gst_harness_push_and_pull (harness, gst_buffer_new_memdup (bytes, size));
  fail_unless (out != NULL);
  fail_unless_equals_int (gst_buffer_get_size (out), size);
  gst_buffer_extract (out, 0, bytes, size);
  gst_harness_teardown (harness);
}

/* Share of a Gaussian of standard deviation `sigma`, in whole pixels, that is
 * `from` pixels away or further, on one side. */
static double
share_from (double sigma, gint from)
{
  double sum = 0, all = 0;

  for (gint d = -(gint)ceil (4 * sigma); d <= (gint)ceil (4 * sigma); d++) {
    sum += d >= from ? exp (-d * d / (2 * sigma * sigma)) : 0;
    all += exp (-d * d / (2 * sigma * sigma));
  }
  return sum / all;
}

/* A step of 100 levels: the dark side, n pixels from it, loses `amount` times
 * the share of the bright side.  The same along a row and down a column, and
 * flat to the ends, as these are repeated. */
GST_START_TEST (test_step)
{
  for (guint way = 0; way < 2; way++) {
    /* rows of one pixel have three bytes after it */
    guint apart = way == 0 ? 1 : 4;
    guint8 levels[4 * 24] = { 0 };

    for (guint i = 0; i < 24; i++)
      levels[i * apart] = i < 12 ? 60 : 160;
    sharpen_bytes ("amount=0.5 radius=1.5",
        way == 0 ? "format=GRAY8, width=24, height=1"
                 : "format=GRAY8, width=1, height=24",
        levels, (gsize)24 * apart);
    for (gint i = 0; i < 12; i++) {
      double change = 50 * share_from (1.5, 12 - i);

      fail_unless_equals_int (levels[i * apart], (gint)rint (60 - change));
      fail_unless_equals_int (
          levels[(23 - i) * apart], (gint)rint (160 + change));
    }
    fail_unless_equals_int (levels[0], 60);
    fail_unless (levels[11 * apart] < 50);
  }
}
GST_END_TEST;

/* Rows of 4 bytes of GRAY8, so that there is no padding. */
GST_START_TEST (test_clip)
{
  guint8 levels[16], flat[16];

  for (guint i = 0; i < 16; i++)
    levels[i] = i / 4 % 2 ? 200 : 55;
  sharpen_bytes ("amount=10 radius=1", "format=GRAY8, width=4, height=4",
      levels, sizeof levels);
  for (guint i = 0; i < 16; i++)
    fail_unless_equals_int (levels[i], i / 4 % 2 ? 255 : 0);
  for (guint level = 0; level < 256; level += 51) {
    memset (flat, (gint)level, sizeof flat);
    sharpen_bytes ("amount=10 radius=50", "format=GRAY8, width=4, height=4",
        flat, sizeof flat);
    for (guint i = 0; i < 16; i++)
      fail_unless_equals_int (flat[i], level);
  }
}
GST_END_TEST;

/* Grey images of every format stay as they are. */
GST_START_TEST (test_identity)
{
  static const char *const formats[] = { "GRAY8", "GRAY16_LE", "NV12", "RGBA" };
  static const guint sizes[] = { 32, 64, 48, 128 };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree char *caps =
        g_strdup_printf ("format=%s, width=8, height=4", formats[i]);
    guint8 before[128] = { 0 }, after[128];

    for (guint k = 0; k < sizes[i]; k++)
      before[k] = (guint8)(i == 2 && k >= 32 ? 128
                           : i == 3 ? k % 4 == 3 ? 255 : k / 4 * 37 % 256
                                    : k * 101 % 256);
    memcpy (after, before, sizeof after);
    sharpen_bytes ("amount=0 radius=3", caps, after, sizes[i]);
    fail_unless (memcmp (before, after, sizes[i]) == 0, "%s", formats[i]);
    if (i == 2)
      continue;
    sharpen_bytes ("amount=2 radius=3", caps, after, sizes[i]);
    fail_unless (memcmp (before, after, sizes[i]) != 0, "%s", formats[i]);
  }
}
GST_END_TEST;

/* A pixel of 90 in a dark image. */
static guint
sharpen_spot (GstHarness *harness)
{
  guint8 pixels[100] = { [44] = 90 };
  g_autoptr (GstBuffer) out =
      gst_harness_push_and_pull (harness, gst_buffer_new_memdup (pixels, 100));

  fail_unless (out != NULL);
  gst_buffer_extract (out, 0, pixels, 100);
  return pixels[44];
}

GST_START_TEST (test_live)
{
  GstHarness *harness = oct_test_harness ("octsharpen amount=0 radius=0.5");
  GstBus *bus = oct_test_bus (harness);
  /* of the pixel in its own mean */
  double narrow = pow (1 - 2 * share_from (0.5, 1), 2);
  double wide = pow (1 - 2 * share_from (0.8, 1), 2);

  gst_harness_set_src_caps_str (
      harness, "video/x-raw, format=GRAY8, width=20, height=5, framerate=10/1");
  fail_unless_equals_int (sharpen_spot (harness), 90);
  oct_test_set (harness, "octsharpen", "amount", "1");
  fail_unless_equals_int (
      sharpen_spot (harness), (gint)rint (90 + 90 * (1 - narrow)));
  oct_test_set (harness, "octsharpen", "radius", "0.8");
  fail_unless_equals_int (
      sharpen_spot (harness), (gint)rint (90 + 90 * (1 - wide)));
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_formats)
{
  oct_test_filter_check_formats ("octsharpen");
}
GST_END_TEST;

static Suite *
octsharpen_suite (void)
{
  Suite *suite = suite_create ("octsharpen");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_test (cases, test_scan);
  if (oct_test_on_gpu ())
    return suite;
  tcase_add_test (cases, test_step);
  tcase_add_test (cases, test_clip);
  tcase_add_test (cases, test_identity);
  tcase_add_test (cases, test_live);
  tcase_add_test (cases, test_formats);
  return suite;
}

GST_CHECK_MAIN (octsharpen);
