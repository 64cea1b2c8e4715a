/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams with several B-scans at each place: what the caps and the metadata
 * say of them stays right through the elements. */
#include "oct-test.h"

#include <math.h>

#define SCAN                                                                   \
  "framerate=30/1, repeats=4, line-rate=(fraction)100000/1, "                  \
  "wavelength=(double)8.5e-7"
/* of wavenumbers from 2 pi / 860 nm to 2 pi / 840 nm */
#define CENTRE (2e-9 / (1.0 / 840.0 + 1.0 / 860.0))
#define RAW "video/x-raw, format=GRAY16_LE, width=64, height=4, "
#define IMAGE "video/x-raw, format=GRAY8, width=4, height=32, "

static GstBuffer *
new_zeros (gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, size);
  return buffer;
}

/* With the sentence of an element that does not take it. */
static void
push (GstHarness *harness, GstBuffer *buffer)
{
  GstFlowReturn ret = gst_harness_push (harness, buffer);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (oct_test_bus (harness), GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message != NULL)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (ret == GST_FLOW_OK && error == NULL, "%s: %s",
      gst_flow_get_name (ret), error != NULL ? error->message : "no message");
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
  double wavelength; /* 0: as it came */
} passing[] = {
  { "octdcsub", RAW SCAN, 64 * 4 * 2 },
  { "octdcsub ! octkresample wavelength-min=840 wavelength-max=860 ! "
    "octdispersion ! octfft",
      RAW SCAN, 64 * 4 * 2, CENTRE },
  { "octdcsub ! octnufft wavelength-min=840 wavelength-max=860", RAW SCAN,
      64 * 4 * 2, CENTRE },
  { "octdcsub axis=wavenumber ! octfft ! octlogscale", RAW SCAN, 64 * 4 * 2 },
  { "octgather bscans=1 ! octreconstruct wavelength-min=840 wavelength-max=860",
      RAW SCAN, 64 * 4 * 2, CENTRE },
  { "octcolormap", IMAGE SCAN, 4 * 32 },
  { "octaverage frames=2 ! octspeckle ! octsharpen", IMAGE SCAN, 4 * 32 },
  { "octflip lateral=true", IMAGE SCAN, 4 * 32 },
};
/* The others have no place for a GPU, which has no grey images: with
 * backend=cuda they do not take any. */
#define ON_GPU 6

GST_START_TEST (test_fields_pass)
{
  GstHarness *harness = oct_test_harness (passing[__i__].launch);
  g_autoptr (GstStructure) caps = NULL;
  gint repeats = 0, n = 0, d = 0;
  double wavelength = 0.0, expected = passing[__i__].wavelength;

  if (expected == 0.0)
    expected = 8.5e-7;
  gst_harness_set_src_caps_str (harness, passing[__i__].caps);
  push (harness, new_zeros (passing[__i__].size));
  gst_buffer_unref (gst_harness_pull (harness));
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_int (caps, "repeats", &repeats)
               && gst_structure_get_fraction (caps, "line-rate", &n, &d)
               && gst_structure_get_double (caps, "wavelength", &wavelength));
  fail_unless_equals_int (repeats, 4);
  fail_unless (n == 100000 && d == 1);
  fail_unless (fabs (wavelength - expected) < 1e-15, "%g", wavelength);
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

/* ------------------------------------------------------------------- blocks */

static GstBuffer *
new_placed (guint bscan, guint place, guint repeat)
{
  GstBuffer *buffer = new_zeros (4 * 32);

  add_place (buffer, bscan, 8, place, repeat, 1);
  return buffer;
}

/* A mean of two of the four repeats is a repeat of the same place. */
GST_START_TEST (test_block)
{
  GstHarness *harness = oct_test_harness ("octaverage mode=block frames=2");

  gst_harness_set_src_caps_str (harness, IMAGE SCAN);
  for (guint n = 0; n < 8; n++)
    push (harness, new_placed (n, n / 4, n % 4));
  for (guint n = 0; n < 4; n++) {
    g_autoptr (GstBuffer) block = gst_harness_pull (harness);
    GstOctScanPosition scan = oct_test_get_scan_position (block);

    fail_unless (scan.has_place && scan.bscans == 4);
    fail_unless_equals_int (scan.place, n / 2);
    fail_unless_equals_int (scan.repeat, n % 2);
  }
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A mean of two places is at none of them, and a warning says it. */
GST_START_TEST (test_block_of_places)
{
  GstHarness *harness = oct_test_harness ("octaverage mode=block frames=2");
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_harness_set_src_caps_str (harness, IMAGE SCAN);
  for (guint n = 0; n < 8; n++)
    fail_unless_equals_int (
        gst_harness_push (harness, new_placed (n, n % 2, n / 2)), GST_FLOW_OK);
  for (guint n = 0; n < 4; n++) {
    g_autoptr (GstBuffer) block = gst_harness_pull (harness);

    fail_unless (!oct_test_get_scan_position (block).has_place);
  }
  message = gst_bus_pop_filtered (oct_test_bus (harness), GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (
      strstr (error->message, "from 0 and 1") != NULL, "%s", error->message);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------------------ volumes */

#define PLACES 4
#define REPEATS 2
#define LINES 16
#define DEPTH 64

/* How B-scans come: B-scan n has grey level 10 (n + 1) everywhere. */
typedef enum { IN_TURN, INTERLEAVED, FIRST_LOST } Order;

/* The place and repeat of the n-th B-scan; FALSE: it is lost. */
static gboolean
get_position (Order order, guint n, guint *place, guint *repeat)
{
  *place = order == INTERLEAVED ? n % PLACES : n / REPEATS;
  *repeat = order == INTERLEAVED ? n / PLACES : n % REPEATS;
  return order != FIRST_LOST || n != REPEATS;
}

static void
push_volume (GstHarness *harness, Order order)
{
  for (guint n = 0; n < PLACES * REPEATS; n++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, LINES * DEPTH, NULL);
    guint place, repeat;

    if (!get_position (order, n, &place, &repeat)) {
      gst_buffer_unref (buffer);
      continue;
    }
    gst_buffer_memset (buffer, 0, (guint8)(10 * (n + 1)), LINES * DEPTH);
    GST_BUFFER_PTS (buffer) = n * GST_SECOND;
    if (order == INTERLEAVED)
      add_place (buffer, n, PLACES * REPEATS, place, repeat, 1);
    else
      oct_test_add_scan_meta (buffer, n, PLACES * REPEATS, 0);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
}

/* {order, repeated, rows of the picture from above, grey levels of the rows} */
static const struct {
  Order order;
  const char *repeated;
  guint rows;
  guint8 levels[PLACES * REPEATS];
} volumes[] = {
  { IN_TURN, "first", PLACES, { 10, 30, 50, 70 } },
  { IN_TURN, "mean", PLACES, { 15, 35, 55, 75 } },
  { IN_TURN, "all", 8, { 10, 20, 30, 40, 50, 60, 70, 80 } },
  { FIRST_LOST, "first", PLACES, { 10, 40, 50, 70 } },
  { FIRST_LOST, "mean", PLACES, { 15, 40, 55, 75 } },
  { INTERLEAVED, "first", PLACES, { 10, 20, 30, 40 } },
  { INTERLEAVED, "all", 8, { 10, 50, 20, 60, 30, 70, 40, 80 } },
};

/* A volume has a row for each place, as far from the next as the caps say. */
GST_START_TEST (test_volume)
{
  guint rows = volumes[__i__].rows;
  g_autofree char *launch = g_strdup_printf (
      "octenface scaling=none range=manual max=255 crop-top=0 thickness=9999 "
      "repeated=%s ! capsfilter caps=video/x-raw,format=GRAY8",
      volumes[__i__].repeated);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (GstStructure) caps = NULL;
  g_autoptr (GBytes) picture = NULL;
  double spacing = 0.0;
  gint height = 0;

  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=16, height=64, framerate=1/1, "
      "repeats=2, x-spacing=(double)1e-5, y-spacing=(double)2e-5, "
      "z-spacing=(double)1e-5");
  push_volume (harness, volumes[__i__].order);
  /* the first one that is drawn has the whole volume */
  picture = oct_test_pull_bytes (harness);
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_int (caps, "height", &height)
               && gst_structure_get_double (caps, "y-spacing", &spacing));
  fail_unless_equals_int (height, rows);
  fail_unless (fabs (spacing - 2e-5 * PLACES / rows) < 1e-12);
  for (guint y = 0; y < rows; y++)
    for (guint x = 0; x < LINES; x++)
      fail_unless_equals_int (
          ((const guint8 *)g_bytes_get_data (picture, NULL))[y * LINES + x],
          volumes[__i__].levels[y]);
  gst_bus_set_flushing (oct_test_bus (harness), TRUE);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
repeats_suite (void)
{
  Suite *suite = suite_create ("repeats");
  TCase *fields = tcase_create ("fields");
  TCase *positions = tcase_create ("positions");
  TCase *volume = tcase_create ("volumes");

  suite_add_tcase (suite, fields);
  tcase_add_loop_test (fields, test_fields_pass, 0,
      oct_test_on_gpu () ? ON_GPU : (int)G_N_ELEMENTS (passing));
  tcase_add_loop_test (fields, test_fields_refused, 0, G_N_ELEMENTS (refused));
  suite_add_tcase (suite, positions);
  tcase_add_test (positions, test_images_of_buffer);
  if (!oct_test_skips_on_gpu ("it has no grey images to average")) {
    tcase_add_test (positions, test_block);
    tcase_add_test (positions, test_block_of_places);
  }
  suite_add_tcase (suite, volume);
  tcase_add_loop_test (volume, test_volume, 0, G_N_ELEMENTS (volumes));
  return suite;
}

GST_CHECK_MAIN (repeats);
