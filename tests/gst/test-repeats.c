/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams with several B-scans at each place: what the caps and the metadata say
 * of them stays right through the elements. */
#include "oct-test.h"

#define SCAN                                                                   \
  "framerate=30/1, repeats=4, line-rate=(fraction)100000/1, "                  \
  "wavelength=(double)8.5e-7"
#define RAW "video/x-raw, format=GRAY16_LE, width=64, height=4, "
#define IMAGE "video/x-raw, format=GRAY8, width=4, height=32, "

static GstBuffer *
new_zeros (gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, size);
  return buffer;
}

static void
add_place (GstBuffer *buffer, guint bscan, guint bscans, guint place,
    guint repeat, guint count)
{
  GstCustomMeta *meta;

  oct_test_add_scan_meta (buffer, bscan, bscans, 0);
  meta = gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  gst_structure_set (gst_custom_meta_get_structure (meta), GST_OCT_SCAN_PLACE,
      G_TYPE_UINT, place, GST_OCT_SCAN_REPEAT, G_TYPE_UINT, repeat,
      GST_OCT_SCAN_COUNT, G_TYPE_UINT, count, NULL);
}

/* ------------------------------------------------------------------- fields */

/* {elements, caps, bytes of a B-scan} */
static const struct {
  const char *launch, *caps;
  gsize size;
} passing[] = {
  { "octdcsub", RAW SCAN, 64 * 4 * 2 },
  { "octdcsub ! octkresample wavelength-min=840 wavelength-max=860 ! "
    "octdispersion ! octfft",
      RAW SCAN, 64 * 4 * 2 },
  { "octdcsub ! octnufft wavelength-min=840 wavelength-max=860", RAW SCAN,
      64 * 4 * 2 },
  { "octdcsub axis=wavenumber ! octfft ! octlogscale", RAW SCAN, 64 * 4 * 2 },
  { "octgather bscans=1 ! octreconstruct wavelength-min=840 wavelength-max=860",
      RAW SCAN, 64 * 4 * 2 },
  { "octaverage frames=2 ! octspeckle ! octsharpen", IMAGE SCAN, 4 * 32 },
  { "octflip lateral=true", IMAGE SCAN, 4 * 32 },
  { "octcolormap", IMAGE SCAN, 4 * 32 },
};

GST_START_TEST (test_fields_pass)
{
  GstHarness *harness = oct_test_harness (passing[__i__].launch);
  g_autoptr (GstStructure) caps = NULL;
  gint repeats = 0, n = 0, d = 0;
  double wavelength = 0.0;

  gst_harness_set_src_caps_str (harness, passing[__i__].caps);
  gst_buffer_unref (
      gst_harness_push_and_pull (harness, new_zeros (passing[__i__].size)));
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_int (caps, "repeats", &repeats)
               && gst_structure_get_fraction (caps, "line-rate", &n, &d)
               && gst_structure_get_double (caps, "wavelength", &wavelength));
  fail_unless_equals_int (repeats, 4);
  fail_unless (n == 100000 && d == 1 && wavelength == 8.5e-7);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* {field, words of the sentence} */
static const struct {
  const char *field, *found, *expected;
} refused[] = {
  { "repeats=0", "0 (gint)", "a gint from 1 on" },
  { "repeats=(string)four", "\"four\" (gchararray)", "set `repeats`" },
  { "line-rate=(int)100000", "100000 (gint)", "such as 100000/1" },
  { "line-rate=(fraction)0/1", "0/1 (GstFraction)", "above 0" },
  { "wavelength=(double)850", "850 (gdouble)", "centre wavelength in metres" },
  { "wavelength=(int)1", "1 (gint)", "such as 850e-9" },
  { "wavelength=(double)-8.5e-7", "-8.5e-07 (gdouble)", "set `wavelength`" },
};

GST_START_TEST (test_fields_refused)
{
  g_autofree char *caps =
      g_strconcat (RAW "framerate=30/1, ", refused[__i__].field, NULL);
  GstHarness *harness = oct_test_harness ("octdcsub");
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (GError) error = NULL;
  GstMessage *message;

  gst_harness_set_src_caps_str (harness, caps);
  fail_unless (
      gst_harness_push (harness, new_zeros (64 * 4 * 2)) != GST_FLOW_OK);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, refused[__i__].found) != NULL
                   && strstr (error->message, refused[__i__].expected) != NULL,
      "%s", error->message);
  gst_message_unref (message);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* --------------------------------------------------------------- positions */

/* Three B-scans in a buffer that begins with the last but one repeat of place
 * 1 are repeats 2 and 3 of it and repeat 0 of place 2. */
GST_START_TEST (test_images_of_buffer)
{
  static const struct {
    guint place, repeat;
  } expected[] = { { 1, 2 }, { 1, 3 }, { 2, 0 } };
  GstHarness *harness =
      oct_test_harness ("octdcsub axis=wavenumber ! octfft ! octlogscale");
  GstBuffer *buffer = new_zeros (64 * 12 * 2);

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY16_LE, width=64, height=12, bscans=3, " SCAN);
  add_place (buffer, 6, 16, 1, 2, 3);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_autoptr (GstBuffer) image = gst_harness_pull (harness);
    GstOctScanPosition scan = oct_test_get_scan_position (image);

    fail_unless (scan.has_place);
    fail_unless_equals_int (scan.bscan, 6 + i);
    fail_unless_equals_int (scan.place, expected[i].place);
    fail_unless_equals_int (scan.repeat, expected[i].repeat);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
repeats_suite (void)
{
  Suite *suite = suite_create ("repeats");
  TCase *fields = tcase_create ("fields"),
        *positions = tcase_create ("positions");

  suite_add_tcase (suite, fields);
  tcase_add_loop_test (fields, test_fields_pass, 0, G_N_ELEMENTS (passing));
  tcase_add_loop_test (fields, test_fields_refused, 0, G_N_ELEMENTS (refused));
  suite_add_tcase (suite, positions);
  tcase_add_test (positions, test_images_of_buffer);
  return suite;
}

GST_CHECK_MAIN (repeats);
