/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Scans that leave A-lines out: what octsrc delivers of a volume, and what
 * octvolumecs makes of it: values as the reference has them, times, places, and
 * what it says of masks that do not fit and of volumes that end early.
 */
#include "oct-test-order.h"
#include "oct-test-files.h"
#include "oct-test-pipelines.h"
#include "oct-test-source.h"
#include "reference-volume-cs.h"

#include <math.h>
#include <string.h>

#define BSCANS 4
#define LINES 5
#define EACH 3 /* A-lines of each of TAKEN B-scans */
#define TAKEN 3
#define DEPTHS 18
#define SAMPLES 44 /* of spectra */
#define PERIOD (10 * GST_MSECOND)

static const char *const mask_text =
    "# two in a row are left out\n10101\n00000\n11001\n10011\n";

static OctScanMask *
get_mask (void)
{
  return oct_scan_mask_parse ("Mask", mask_text, strlen (mask_text), NULL);
}

/* A wave over all lines, and one of them brighter; great depths are dark. */
static Complex
get_value (guint y, guint x, guint z)
{
  return (100.0 + 10 * x - 7 * y + (x == 2 && y == 0 ? 300 : 0))
         * cexp (I * (0.2 * x + 0.4 * y + z)) / (1 + 0.05 * z * z);
}

/* B-scan `y` of the volume, whole or what the mask takes of it. */
static GstBuffer *
make_bscan (const OctScanMask *mask, guint y, gboolean whole, guint at,
    guint bscans, guint64 volume)
{
  guint rows = whole ? LINES : EACH;
  gsize size = 2 * sizeof (float) * rows * DEPTHS;
  g_autofree float *values = g_new (float, 2 * rows * DEPTHS);
  GstBuffer *buffer;

  for (guint i = 0; i < rows; i++) {
    guint x = whole ? i : mask->places[mask->first[y] + i] - y * LINES;

    for (guint z = 0; z < DEPTHS; z++) {
      Complex v = get_value (y, x, z);
      values[2 * (i * DEPTHS + z)] = (float)creal (v);
      values[2 * (i * DEPTHS + z) + 1] = (float)cimag (v);
    }
  }
  buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_fill (buffer, 0, values, size);
  GST_BUFFER_PTS (buffer) = (volume * bscans + at) * PERIOD;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  oct_test_add_scan_meta (buffer, at, bscans, volume);
  return buffer;
}

static GstHarness *
make_harness (const char *more, gboolean whole)
{
  g_autofree char *path = oct_test_text ("mask.txt", mask_text);
  g_autofree char *launch =
      g_strdup_printf ("octvolumecs name=v scan-mask-file=%s %s", path, more);
  g_autofree char *caps = g_strdup_printf (
      "application/x-oct-ascans,format=CF32LE,samples=%d,lines=%d,framerate="
      "100/1,z-spacing=2e-6,x-spacing=1e-5,scan-lines=5,scan-bscans=4",
      DEPTHS, whole ? LINES : EACH);
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps (harness, gst_caps_from_string (caps));
  return harness;
}

/* Pushes what there is of a volume; `until`: so many of its B-scans. */
static void
push_volume (GstHarness *harness, gboolean whole, guint64 volume, guint until)
{
  g_autoptr (OctScanMask) mask = get_mask ();
  guint bscans = whole ? BSCANS : TAKEN;

  for (guint i = 0; i < until; i++)
    fail_unless_equals_int (gst_harness_push (harness,
                                make_bscan (mask, whole ? i : mask->bscan_of[i],
                                    whole, i, bscans, volume)),
        GST_FLOW_OK);
}

/* The next volume at the output, expected [BSCANS][LINES][depths]. */
static void
compare_volume (GstHarness *harness, const Complex *expected, guint depths,
    guint64 volume, GstClockTime start, GstClockTime time)
{
  double error = 0, norm = 0;

  for (guint y = 0; y < BSCANS; y++) {
    GstBuffer *buffer = gst_harness_try_pull (harness);
    GstOctScanPosition scan;
    GstMapInfo map;

    fail_unless (buffer != NULL, "B-scan %u", y);
    scan = oct_test_get_scan_position (buffer);
    fail_unless (scan.bscan == y && scan.bscans == BSCANS
                 && scan.volume == volume && scan.count == 1);
    fail_unless_equals_uint64 (
        GST_BUFFER_PTS (buffer), start + time * y / BSCANS);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer),
        time * (y + 1) / BSCANS - time * y / BSCANS);
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    fail_unless_equals_int (map.size, LINES * depths * 2 * sizeof (float));
    for (guint i = 0; i < LINES * depths; i++) {
      const float *v = (const float *)map.data + 2 * i;
      Complex e = expected[y * LINES * depths + i];
      error += pow (cabs (CMPLX (v[0], v[1]) - e), 2);
      norm += pow (cabs (e), 2);
    }
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  fail_unless (error <= 1e-10 * norm, "error %g", sqrt (error / norm));
}

/* The same with A-scans, of which `there` [mask->count] have come. */
static void
check_volume (GstHarness *harness, OctVolumeCsMethod method,
    const guint8 *there, guint64 volume, GstClockTime start, GstClockTime time)
{
  g_autoptr (OctScanMask) mask = get_mask ();
  OctVolumeCsParams params = { mask, FALSE, DEPTHS, OCT_WINDOW_NONE, 1, 0 };
  /* phase steps as in get_value() */
  OctVolumeCsSettings settings = { method, 3, 2, 4, 0.1, 25,
    .phase_step_x = 0.2, .phase_step_y = 0.4 };
  g_autofree Complex *given = g_new (Complex, mask->count * DEPTHS);
  g_autofree Complex *expected = g_new (Complex, BSCANS * LINES * DEPTHS);

  for (guint k = 0; k < mask->count; k++)
    for (guint z = 0; z < DEPTHS; z++)
      given[k * DEPTHS + z] =
          get_value (mask->places[k] / LINES, mask->places[k] % LINES, z);
  oct_reference_fill_volume (&params, &settings, given, there, expected);
  compare_volume (harness, expected, DEPTHS, volume, start, time);
}

static const struct {
  const char *properties;
  OctVolumeCsMethod method;
  gboolean whole;
} runs[] = {
  { "method=linear", OCT_VOLUME_CS_LINEAR, FALSE },
  { "method=linear", OCT_VOLUME_CS_LINEAR, TRUE },
  { "method=joint spot-x=3 spot-y=2 noise=4", OCT_VOLUME_CS_JOINT, FALSE },
  { "method=joint spot-x=3 spot-y=2 noise=4", OCT_VOLUME_CS_JOINT, TRUE },
};

GST_START_TEST (test_values)
{
  gboolean whole = runs[__i__].whole;
  GstHarness *harness = make_harness (runs[__i__].properties, whole);
  GstClockTime time = (whole ? BSCANS : TAKEN) * PERIOD;
  GstElement *v = gst_harness_find_element (harness, "octvolumecs");
  g_autofree char *chosen = NULL, *reason = NULL;
  GstStructure *s;
  gint lines = 0, n = 0, d = 1;
  double step_x, step_y;

  for (guint i = 0; i < 2; i++) {
    push_volume (harness, whole, i, whole ? BSCANS : TAKEN);
    check_volume (harness, runs[__i__].method, NULL, i, i * time, time);
  }
  fail_unless (gst_harness_try_pull (harness) == NULL);
  s = oct_test_output (harness);
  fail_unless (gst_structure_get_int (s, "lines", &lines) && lines == LINES);
  fail_unless (gst_structure_get_fraction (s, "framerate", &n, &d));
  fail_unless_equals_int (n * 3, whole ? 300 * d : 400 * d);
  fail_unless (gst_structure_has_field (s, "z-spacing"));
  fail_unless (gst_structure_has_field (s, "x-spacing"));
  fail_if (gst_structure_has_field (s, "scan-lines"));
  gst_structure_free (s);
  g_object_get (v, "chosen", &chosen, "reason", &reason, NULL);
  fail_unless_equals_string (chosen, __i__ < 2 ? "linear" : "joint");
  g_object_get (v, "phase-step-x", &step_x, "phase-step-y", &step_y, NULL);
  if (__i__ >= 2)
    fail_unless (fabs (step_x - 0.2) < 1e-5 && fabs (step_y - 0.4) < 1e-5);
  fail_unless (strstr (reason, "`method` is set") != NULL);
  gst_object_unref (v);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Real, of A-line x of B-scan y: sample n. */
static double
get_sample (guint y, guint x, guint n)
{
  return 80 * cos (0.9 * n + 0.3 * x) + 30 * cos (1.9 * n - 0.2 * y)
         + 5 * cos (1.7 * n * n + x + y);
}

static void
push_spectra (GstHarness *harness, guint y)
{
  gsize size = sizeof (float) * LINES * SAMPLES;
  g_autofree float *values = g_new (float, LINES *SAMPLES);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  for (guint i = 0; i < LINES * SAMPLES; i++)
    values[i] = (float)get_sample (y, i / SAMPLES, i % SAMPLES);
  gst_buffer_fill (buffer, 0, values, size);
  GST_BUFFER_PTS (buffer) = y * PERIOD;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  oct_test_add_scan_meta (buffer, y, BSCANS, 0);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
}

static const struct {
  const char *properties;
  OctVolumeCsMethod method;
  OctVolumeCsBasis basis;
  gboolean same_samples;
  double rate;
} parts[] = {
  { "method=linear sampling-rate=0.5", OCT_VOLUME_CS_LINEAR, 0, FALSE, 0.5 },
  { "method=linear sampling-rate=0.4 same-samples=true", OCT_VOLUME_CS_LINEAR,
      0, TRUE, 0.4 },
  { "method=paper sampling-rate=0.5", OCT_VOLUME_CS_PAPER,
      OCT_VOLUME_CS_WAVELET, FALSE, 0.5 },
  { "method=paper basis=cosine sampling-rate=0.6 same-samples=true",
      OCT_VOLUME_CS_PAPER, OCT_VOLUME_CS_COSINE, TRUE, 0.6 },
  /* neighbours have nothing in common */
  { "sampling-rate=0.5", OCT_VOLUME_CS_LINEAR, 0, FALSE, 0.5 },
};

/* From spectra to the whole volume, of a part of the samples and of the
 * A-lines.
 */
GST_START_TEST (test_parts)
{
  g_autofree char *path = oct_test_text ("mask.txt", mask_text);
  g_autofree char *launch =
      g_strdup_printf ("octvolumecs name=v window=none seed=3 "
                       "scan-mask-file=%s %s",
          path, parts[__i__].properties);
  g_autofree char *caps = g_strdup_printf (
      "application/x-oct-spectra,format=F32LE,axis=wavenumber,samples=%d,"
      "lines=%d,framerate=100/1",
      SAMPLES, LINES);
  g_autoptr (OctScanMask) mask = get_mask ();
  OctVolumeCsParams params = { mask, TRUE, SAMPLES, OCT_WINDOW_NONE,
    parts[__i__].rate, 3, parts[__i__].same_samples };
  OctVolumeCsSettings settings = { .method = parts[__i__].method,
    .steps = OCT_VOLUME_CS_PAPER_STEPS,
    .basis = parts[__i__].basis };
  g_autofree Complex *given = g_new (Complex, mask->count * SAMPLES);
  g_autofree Complex *expected =
      g_new (Complex, BSCANS * LINES * (SAMPLES / 2));
  GstHarness *harness = oct_test_harness (launch);
  GstElement *v = gst_harness_find_element (harness, "octvolumecs");
  g_autofree char *chosen = NULL;

  gst_harness_set_src_caps (harness, gst_caps_from_string (caps));
  for (guint y = 0; y < BSCANS; y++)
    push_spectra (harness, y);
  for (guint k = 0; k < mask->count; k++)
    for (guint n = 0; n < SAMPLES; n++)
      given[k * SAMPLES + n] =
          get_sample (mask->places[k] / LINES, mask->places[k] % LINES, n);
  oct_reference_fill_volume (&params, &settings, given, NULL, expected);
  compare_volume (harness, expected, SAMPLES / 2, 0, 0, BSCANS * PERIOD);
  g_object_get (v, "chosen", &chosen, NULL);
  fail_unless_equals_string (
      chosen, settings.method == OCT_VOLUME_CS_PAPER ? "paper" : "linear");
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_object_unref (v);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The sentence of the only warning. */
static char *
take_warning (GstHarness *harness)
{
  GstMessage *message =
      gst_bus_pop_filtered (oct_test_bus (harness), GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (oct_test_bus (harness),
                   GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)
               == NULL);
  return g_strdup (error->message);
}

/* The end of the stream, or the next volume, comes early: nothing is lost, and
 * it is said once. */
GST_START_TEST (test_early_end)
{
  static const guint8 there[TAKEN * EACH] = { 1, 1, 1, 1, 1, 1, 0, 0, 0 };
  GstHarness *harness = make_harness ("method=linear", FALSE);
  GstElement *v = gst_harness_find_element (harness, "octvolumecs");
  g_autofree char *warning = NULL;
  guint64 missing = 0;

  push_volume (harness, FALSE, 0, 2);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  push_volume (harness, FALSE, 1, 2);
  check_volume (harness, OCT_VOLUME_CS_LINEAR, there, 0, 0, 2 * PERIOD);
  gst_harness_push_event (harness, gst_event_new_eos ());
  check_volume (
      harness, OCT_VOLUME_CS_LINEAR, there, 1, 3 * PERIOD, 2 * PERIOD);
  warning = take_warning (harness);
  fail_unless (strstr (warning, "9 A-lines") && strstr (warning, "3 have not"),
      "%s", warning);
  g_object_get (v, "missing", &missing, NULL);
  fail_unless_equals_uint64 (missing, 6);
  gst_object_unref (v);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Events come after the volume of the B-scans before them. */
GST_START_TEST (test_order)
{
  GstHarness *harness = make_harness ("method=linear", FALSE);
  g_autoptr (GString) order = g_string_new (NULL);

  push_volume (harness, FALSE, 0, TAKEN);
  watch_order (harness, order);
  push_volume (harness, FALSE, 1, 2);
  push_events (harness);
  check_order (order, "");
  push_volume (harness, FALSE, 2, 2);
  check_order (order, "bbbbtgc");
  push_events (harness);
  gst_harness_push_event (harness, gst_event_new_stream_start ("other"));
  check_order (order, "bbbbtgcs");
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A-lines that the source says are lost, which are zeros, are filled in too:
 * A-line 2 of B-scan 0, and then all of B-scan 2, in rows with and without
 * those that the mask leaves out. */
GST_START_TEST (test_lost)
{
  static const guint8 there[TAKEN * EACH] = { 1, 0, 1, 0, 0, 0, 1, 1, 1 };
  gboolean whole = __i__;
  g_autoptr (OctScanMask) mask = get_mask ();
  GstHarness *harness = make_harness ("method=linear", whole);
  guint rows = whole ? LINES : EACH, bscans = whole ? BSCANS : TAKEN;
  g_autofree char *warning = NULL;

  for (guint i = 0; i < bscans; i++) {
    guint y = whole ? i : mask->bscan_of[i];
    GstBuffer *buffer = make_bscan (mask, y, whole, i, bscans, 0);
    gsize row = gst_buffer_get_size (buffer) / rows;
    guint first = y == 0 && whole ? 2 : y == 0 ? 1 : 0;
    guint n = y == 0 ? 1 : rows;

    if (y == 0 || y == 2) {
      gst_buffer_memset (buffer, first * row, 0, n * row);
      oct_test_lose_lines (buffer, rows, first, n);
    }
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  check_volume (harness, OCT_VOLUME_CS_LINEAR, there, 0, 0, bscans * PERIOD);
  warning = take_warning (harness);
  fail_unless (strstr (warning, "9 A-lines") && strstr (warning, "4 have not"),
      "%s", warning);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Nothing is left of a volume: it is black, and the next one is as ever. */
GST_START_TEST (test_all_lost)
{
  static const guint8 there[TAKEN * EACH] = { 0 };
  g_autoptr (OctScanMask) mask = get_mask ();
  GstHarness *harness = make_harness ("method=linear", FALSE);
  GstClockTime time = TAKEN * PERIOD;
  g_autofree char *warning = NULL;

  for (guint i = 0; i < TAKEN; i++) {
    GstBuffer *buffer =
        make_bscan (mask, mask->bscan_of[i], FALSE, i, TAKEN, 0);

    oct_test_lose_lines (buffer, EACH, 0, EACH);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  check_volume (harness, OCT_VOLUME_CS_LINEAR, there, 0, 0, time);
  warning = take_warning (harness);
  fail_unless (strstr (warning, "9 have not") != NULL, "%s", warning);
  push_volume (harness, FALSE, 1, TAKEN);
  check_volume (harness, OCT_VOLUME_CS_LINEAR, NULL, 1, time, time);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A segment that comes again, as after a new link, does not end the volume. */
GST_START_TEST (test_segment_again)
{
  g_autoptr (OctScanMask) mask = get_mask ();
  GstHarness *harness = make_harness ("method=linear", FALSE);
  GstElement *v = gst_harness_find_element (harness, "octvolumecs");
  g_autoptr (GstPad) sink = gst_element_get_static_pad (v, "sink");

  push_volume (harness, FALSE, 0, TAKEN - 1);
  fail_unless (gst_pad_send_event (
      sink, gst_pad_get_sticky_event (sink, GST_EVENT_SEGMENT, 0)));
  fail_unless_equals_int (
      gst_harness_push (harness, make_bscan (mask, mask->bscan_of[TAKEN - 1],
                                     FALSE, TAKEN - 1, TAKEN, 0)),
      GST_FLOW_OK);
  check_volume (harness, OCT_VOLUME_CS_LINEAR, NULL, 0, 0, TAKEN * PERIOD);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  gst_object_unref (v);
  gst_harness_teardown (harness);
}
GST_END_TEST

static GstEvent *
make_mask_event (guint lines, gsize size, gboolean empty)
{
  g_autoptr (OctScanMask) mask = get_mask ();
  g_autofree guint8 *bytes =
      empty ? g_malloc0 (size) : g_memdup2 (mask->taken, size);
  g_autoptr (GstBuffer) taken =
      size > 0 ? gst_buffer_new_memdup (bytes, size) : gst_buffer_new ();

  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new ("application/x-oct-scan-mask", "lines", G_TYPE_UINT,
          lines, "taken", GST_TYPE_BUFFER, taken, NULL));
}

/* A camera that holds 9 ms. */
static gboolean
answer_as_camera (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 7 * GST_MSECOND, 9 * GST_MSECOND);
  return TRUE;
}

/* A volume is held back, but while it is delivered no input is accepted: an
 * upstream element or a queue downstream has to hold the next one. */
GST_START_TEST (test_latency)
{
  GstHarness *harness = make_harness ("method=linear", FALSE);
  GstQuery *query = gst_query_new_latency ();
  GstClockTime least, most;
  gboolean live;

  gst_pad_set_query_function (harness->srcpad, answer_as_camera);
  push_volume (harness, FALSE, 0, TAKEN);
  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_parse_latency (query, &live, &least, &most);
  fail_unless (live);
  fail_unless_equals_uint64 (least, 7 * GST_MSECOND + TAKEN * GST_SECOND / 100);
  fail_unless_equals_uint64 (most, 9 * GST_MSECOND);
  gst_query_unref (query);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A mask sent by an application; events without a valid mask have no effect. */
GST_START_TEST (test_mask_of_an_application)
{
  GstHarness *harness = oct_test_harness ("octvolumecs method=linear");
  GstEvent *const events[] = { make_mask_event (LINES, BSCANS * LINES, FALSE),
    make_mask_event (0, BSCANS * LINES, FALSE),
    make_mask_event (LINES, BSCANS * LINES - 1, FALSE),
    make_mask_event (LINES, BSCANS * LINES, TRUE),
    make_mask_event (LINES, 0, FALSE),
    gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
        gst_structure_new (
            "application/x-oct-scan-mask", "lines", G_TYPE_INT, LINES, NULL)) };

  gst_harness_set_src_caps (
      harness, gst_caps_from_string (
                   "application/x-oct-ascans,format=CF32LE,samples=18,lines=3,"
                   "framerate=100/1"));
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    fail_unless (gst_harness_push_event (harness, events[i]));
  push_volume (harness, FALSE, 0, TAKEN);
  check_volume (harness, OCT_VOLUME_CS_LINEAR, NULL, 0, 0, TAKEN * PERIOD);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

static const struct {
  const char *text; /* of the mask; NULL: none */
  guint bscans;     /* that the stream says a volume has */
  const char *words[3];
} mistakes[] = {
  { NULL, 3, { "does not know", "scan-mask-file", "scan-mask" } },
  { "000\n000\n", 3, { "takes none of 3 A-lines of 2 B-scans", "a 1", "" } },
  { "101\n10\n", 3, { "line 2", "3 in the first", "" } },
  { "1010\n0101\n", 2,
      { "2 A-lines of each of 2", "2 B-scans of 3 came", "scan-mask-file" } },
  { "1110\n0101\n", 2, { "more of some", "whole volumes", "of 3 came" } },
  { "11100\n11100\n", 7,
      { "3 A-lines of each of 2", "7 B-scans of 3", "scan-mask-file" } },
};

GST_START_TEST (test_mistakes)
{
  const char *text = mistakes[__i__].text;
  g_autofree char *path = text ? oct_test_text ("bad.txt", text) : NULL;
  g_autofree char *launch = g_strdup_printf (
      "octvolumecs%s%s", path ? " scan-mask-file=" : "", path ? path : "");
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctScanMask) mask = get_mask ();

  gst_harness_set_src_caps (
      harness, gst_caps_from_string (
                   "application/x-oct-ascans,format=CF32LE,samples=18,lines=3,"
                   "framerate=100/1"));
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (
        gst_harness_push (
            harness, make_bscan (mask, 0, FALSE, i, mistakes[__i__].bscans, 0)),
        GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), mistakes[__i__].words[0],
      mistakes[__i__].words[1], mistakes[__i__].words[2], NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* --------------------------------------------------------- octsrc cuts down */

#define SOURCE_LINES 20
#define SOURCE_BSCANS 6

/* The whole output of a source, one row for each A-line. */
static GBytes *
collect (const char *properties, guint *buffers)
{
  g_autoptr (Source) s = source_new ("octsrc name=src %s", properties);
  GByteArray *all = g_byte_array_new ();

  source_play (s);
  source_collect (s);
  *buffers = source_count (s);
  for (guint i = 0; i < *buffers; i++) {
    GstMapInfo map;

    fail_unless (gst_buffer_map (source_get (s, i), &map, GST_MAP_READ));
    g_byte_array_append (all, map.data, map.size);
    gst_buffer_unmap (source_get (s, i), &map);
  }
  oct_test_assert_quiet (s->bus);
  return g_byte_array_free_to_bytes (all);
}

static const struct {
  const char *input, *mask;
  guint volumes; /* whole ones */
  guint rest;    /* B-scans after them */
} cuts[] = {
  { "samples=16 lines=20 bscans=6", "scan-mask=scattered scan-rate=0.4", 2, 0 },
  { "samples=16 lines=20 bscans=6", "scan-mask=same-lines scan-rate=0.5", 2,
      0 },
  { "location=FILE samples=16 lines=20 bscans=6",
      "scan-mask=same-lines scan-rate=0.5 scan-seed=5", 2, 3 },
  { "location=FILE samples=16 lines=20 bscans=6 preload=true",
      "scan-mask=scattered scan-rate=0.25 scan-max-gap=6 bscans-per-buffer=2",
      2, 3 },
};

GST_START_TEST (test_cut)
{
  guint row = 32,
        frames = cuts[__i__].volumes * SOURCE_BSCANS + cuts[__i__].rest;
  g_autoptr (GBytes) pattern =
      oct_test_pattern ((gsize)frames * SOURCE_LINES * row);
  g_autofree char *file = oct_test_file ("whole.raw",
      g_bytes_get_data (pattern, NULL), g_bytes_get_size (pattern));
  g_autofree char *output = oct_test_file_path ("scan.txt");
  g_auto (GStrv) parts = g_strsplit (cuts[__i__].input, "FILE", 2);
  g_autofree char *input = g_strjoinv (file, parts);
  gboolean endless = strstr (cuts[__i__].input, "FILE") == NULL;
  g_autofree char *whole =
      g_strdup_printf ("%s num-buffers=%d", input, endless ? (gint)frames : -1);
  g_autofree char *first =
      g_strdup_printf ("%s %s num-buffers=1 scan-mask-output=%s", input,
          cuts[__i__].mask, output);
  guint n, taken = 0, at = 0;
  g_autoptr (GBytes) one = collect (first, &n), all = collect (whole, &n), cut;
  g_autoptr (GError) error = NULL;
  g_autoptr (OctScanMask) mask = oct_scan_mask_read (output, &error);
  g_autofree char *again = NULL;
  const guint8 *from = g_bytes_get_data (all, NULL), *to;

  fail_unless (mask != NULL && error == NULL);
  fail_unless (mask->lines == SOURCE_LINES && mask->bscans == SOURCE_BSCANS);
  fail_unless (mask->count < SOURCE_LINES * SOURCE_BSCANS);
  for (guint i = 0; i < frames; i++)
    taken +=
        mask->first[i % SOURCE_BSCANS + 1] > mask->first[i % SOURCE_BSCANS];
  again = g_strdup_printf ("%s scan-mask=file scan-mask-file=%s num-buffers=%d",
      input, output, endless ? (gint)taken : -1);
  cut = collect (again, &n);
  fail_unless_equals_int (
      g_bytes_get_size (cut), (gsize)taken * mask->lines_each * row);
  to = g_bytes_get_data (cut, NULL);
  fail_unless (
      memcmp (to, g_bytes_get_data (one, NULL), g_bytes_get_size (one)) == 0);
  for (guint i = 0; i < frames * SOURCE_LINES; i++) {
    if (!mask->taken[i % (SOURCE_LINES * SOURCE_BSCANS)])
      continue;
    fail_unless (memcmp (to + (gsize)at * row, from + (gsize)i * row, row) == 0,
        "A-line %u", i);
    at++;
  }
}
GST_END_TEST;

static const struct {
  const char *properties, *mask;
  const char *words[3];
} refused[] = {
  { "scan-mask=file", NULL, { "scan-mask-file", "empty", "text file" } },
  { "scan-mask=file", "10\n01\n", { "2 B-scans of 2", "6 of 20", "lines" } },
  { "scan-mask=file",
      "11000000000000000000\n01000000000000000000\n00000000000000000000\n"
      "00000000000000000000\n00000000000000000000\n00000000000000000000\n",
      { "more A-lines of some", "octvolumecs", "scan-mask" } },
  { "scan-mask=scattered scan-rate=0", NULL, { "above 0", "", "" } },
  { "scan-mask=scattered scan-rate=0.1 scan-max-gap=2", NULL,
      { "20 A-lines", "at most 2", "not possible" } },
};

GST_START_TEST (test_refused)
{
  const char *text = refused[__i__].mask;
  g_autofree char *path = text ? oct_test_text ("refused.txt", text) : NULL;
  g_autofree char *launch =
      g_strdup_printf ("octsrc samples=16 lines=20 bscans=6 %s%s%s ! fakesink",
          refused[__i__].properties, path ? " scan-mask-file=" : "",
          path ? path : "");
  GstElement *pipeline = oct_test_start (launch);
  g_autofree char *error = oct_test_take_error (pipeline);

  fail_unless (error != NULL);
  for (guint i = 0; i < 3; i++)
    fail_unless (strstr (error, refused[__i__].words[i]), "%s", error);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* From a source to a picture of the surface, with a mask that goes along by
 * itself, and spectra of which a part of the samples is used. */
static const char *const chains[] = {
  "octsrc samples=64 lines=20 bscans=6 num-buffers=12 scan-mask=scattered ! "
  "octdcsub ! octkresample ! octfft ! octvolumecs ! octlogscale ! octenface ! "
  "appsink name=sink sync=false",
  "octsrc samples=64 lines=20 bscans=6 num-buffers=8 scan-mask=same-lines "
  "scan-rate=0.5 bscans-per-buffer=2 ! octdcsub ! octkresample ! queue ! "
  "octvolumecs method=joint sampling-rate=0.6 ! octlogscale ! octenface ! "
  "appsink name=sink sync=false",
  "octsrc samples=64 lines=20 bscans=6 num-buffers=12 ! octdcsub ! "
  "octkresample ! octvolumecs method=joint sampling-rate=0.6 ! octlogscale ! "
  "octenface ! appsink name=sink sync=false",
  "octsrc samples=64 lines=20 bscans=6 num-buffers=12 scan-mask=same-lines ! "
  "octdcsub ! octkresample ! octvolumecs method=paper sampling-rate=0.6 "
  "! octlogscale ! octenface ! appsink name=sink sync=false",
};

GST_START_TEST (test_chain)
{
  GstElement *pipeline = oct_test_start (chains[__i__]);
  GstSample *sample = oct_test_pull_from (pipeline, "sink");
  g_autofree char *error = NULL;
  guint bright = 0;
  GstMapInfo map;

  fail_unless (sample != NULL);
  fail_unless (
      gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    bright += map.data[i] > 30;
  fail_unless (bright > map.size / 4);
  gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  gst_sample_unref (sample);
  error = oct_test_take_error (pipeline);
  fail_unless (error == NULL, "%s", error);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* Elements upstream do not learn it at the end of the stream. */
GST_START_TEST (test_refused_at_the_end)
{
  GstHarness *harness = make_harness (
      "! capsfilter caps=application/x-oct-ascans,lines=99", FALSE);

  push_volume (harness, FALSE, 0, 1);
  gst_harness_push_event (harness, gst_event_new_eos ());
  oct_test_assert_error (oct_test_bus (harness),
      "do not take its volume of 4 B-scans of 5 A-lines", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octvolumecs_suite (void)
{
  Suite *suite = suite_create ("octvolumecs");
  TCase *tcase = tcase_create ("general");

  tcase_add_unchecked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_loop_test (tcase, test_values, 0, G_N_ELEMENTS (runs));
  tcase_add_loop_test (tcase, test_parts, 0, G_N_ELEMENTS (parts));
  tcase_add_test (tcase, test_early_end);
  tcase_add_test (tcase, test_order);
  tcase_add_loop_test (tcase, test_lost, 0, 2);
  tcase_add_test (tcase, test_all_lost);
  tcase_add_test (tcase, test_segment_again);
  tcase_add_test (tcase, test_latency);
  tcase_add_test (tcase, test_mask_of_an_application);
  tcase_add_test (tcase, test_refused_at_the_end);
  tcase_add_loop_test (tcase, test_mistakes, 0, G_N_ELEMENTS (mistakes));
  tcase_add_loop_test (tcase, test_cut, 0, G_N_ELEMENTS (cuts));
  tcase_add_loop_test (tcase, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_loop_test (tcase, test_chain, 0, G_N_ELEMENTS (chains));
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (octvolumecs)
