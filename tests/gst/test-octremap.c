/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Scans that are not rasters: the rasters that octremap makes of them, lost
 * A-lines, and errors of paths that do not fit.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

/* 4 x 3 pixels in a random order, as 6 B-scans of 2 A-lines. */
#define LINES 2
#define BSCANS 6
#define COUNT (LINES * BSCANS)
#define COLUMNS 4
#define ROWS 3
#define DEPTHS 5
#define SPACING 10e-6
#define PERIOD (10 * GST_MSECOND)

static const guint order[COUNT] = { 7, 0, 11, 3, 5, 8, 1, 10, 4, 2, 9, 6 };

static GstBuffer *
make_doubles (const double *values, guint n)
{
  return n > 0 ? gst_buffer_new_memdup (values, n * sizeof (double))
               : gst_buffer_new ();
}

/* The path, of which `outside` A-lines lie 1 mm lower, as an event of `n`
 * values; `first`: x of the first one, 0: as it is. */
static GstEvent *
make_path (guint lines, guint bscans, guint n, double first, guint outside)
{
  double x[COUNT], y[COUNT];
  GstStructure *s;

  for (guint i = 0; i < COUNT; i++) {
    x[i] = SPACING * (order[i] % COLUMNS);
    y[i] = SPACING * (order[i] / COLUMNS);
    if (i < outside)
      y[i] += 1e-3;
  }
  if (first != 0.0)
    x[0] = first;
  s = gst_structure_new ("application/x-oct-scan-path", "lines", G_TYPE_UINT,
      lines, "bscans", G_TYPE_UINT, bscans, NULL);
  for (guint axis = 0; axis < 2; axis++) {
    GstBuffer *buffer = make_doubles (axis == 0 ? x : y, n);

    gst_structure_set (s, axis == 0 ? "x" : "y", GST_TYPE_BUFFER, buffer, NULL);
    gst_buffer_unref (buffer);
  }
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s);
}

static guint8
get_grey (guint pixel, guint z)
{
  return (guint8)(10 + 17 * pixel + 5 * z);
}

/* B-scan `bscan` of the scan. */
static GstBuffer *
make_image (guint bscan, guint64 volume)
{
  guint8 rows[DEPTHS][4] = { { 0 } };
  GstBuffer *buffer;

  for (guint z = 0; z < DEPTHS; z++)
    for (guint i = 0; i < LINES; i++)
      rows[z][i] = get_grey (order[bscan * LINES + i], z);
  buffer = gst_buffer_new_memdup (rows, sizeof rows);
  GST_BUFFER_PTS (buffer) = (volume * BSCANS + bscan) * PERIOD;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  oct_test_add_scan_meta (buffer, bscan, BSCANS, volume);
  return buffer;
}

static GstHarness *
make_harness (const char *more)
{
  g_autofree char *launch = g_strdup_printf (
      "octremap name=r columns=4 rows=3 x-spacing=10e-6 y-spacing=10e-6 %s",
      more);
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps (harness,
      gst_caps_from_string ("video/x-raw,format=GRAY8,width=2,height=5,"
                            "framerate=100/1,repeats=2,line-rate=200/1"));
  return harness;
}

static void
assert_row (GstHarness *harness, guint row, gboolean bright)
{
  GstBuffer *buffer = gst_harness_pull (harness);
  GstOctScanPosition scan = oct_test_get_scan_position (buffer);
  GstMapInfo map;

  fail_unless_equals_int (scan.bscan, row);
  fail_unless_equals_int (scan.bscans, ROWS);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint x = 0; x < COLUMNS; x++)
    for (guint z = 0; z < DEPTHS; z++)
      fail_unless_equals_int (
          map.data[z * 4 + x], bright ? get_grey (row * COLUMNS + x, z) : 0);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

/* Pixels come in their order, with the caps of a raster. */
GST_START_TEST (test_pixels)
{
  GstHarness *harness = make_harness ("method=nearest");
  double spacing = 0;
  GstStructure *s;

  fail_unless (
      gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0)));
  for (guint volume = 0; volume < 2; volume++) {
    for (guint i = 0; i < BSCANS; i++)
      fail_unless_equals_int (
          gst_harness_push (harness, make_image (i, volume)), GST_FLOW_OK);
    for (guint row = 0; row < ROWS; row++)
      assert_row (harness, row, TRUE);
  }
  s = oct_test_output (harness);
  fail_unless (gst_structure_get_double (s, "y-spacing", &spacing));
  fail_unless (fabs (spacing - SPACING) < 1e-12);
  fail_if (gst_structure_has_field (s, "repeats"));
  fail_if (gst_structure_has_field (s, "line-rate"));
  gst_structure_free (s);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* B-scans that never came: the end delivers what there is, of the volume before
 * if there was one. */
GST_START_TEST (test_missing)
{
  GstHarness *harness = make_harness ("method=nearest");
  GstElement *element = gst_harness_find_element (harness, "octremap");
  guint64 missing = 0;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0));
  for (guint i = 1; i < BSCANS; i++)
    gst_harness_push (harness, make_image (i, 0));
  for (guint i = 0; i < BSCANS - 1; i++)
    gst_harness_push (harness, make_image (i, 1));
  gst_harness_push_event (harness, gst_event_new_eos ());
  /* pixels 7 and 0 are those of B-scan 0 */
  buffer = gst_harness_pull (harness);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.data[0], 0);
  fail_unless_equals_int (map.data[1], get_grey (1, 0));
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  for (guint row = 1; row < ROWS; row++)
    gst_buffer_unref (gst_harness_pull (harness));
  for (guint row = 0; row < ROWS; row++)
    assert_row (harness, row, TRUE);
  g_object_get (element, "missing", &missing, NULL);
  fail_unless (missing >= 1);
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Values of A-lines that are lost are not used: the pixel is black, later as in
 * the volume before; numbers of other A-lines say nothing. */
GST_START_TEST (test_lost)
{
  GstHarness *harness = make_harness ("method=nearest");

  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0));
  for (guint volume = 0; volume < 3; volume++) {
    for (guint i = 0; i < BSCANS; i++) {
      GstBuffer *buffer = make_image (i, volume);

      /* pixel 3, order[3] */
      if (i == 1)
        oct_test_lose_lines (buffer, volume == 1 ? LINES + 1 : LINES, 1, 1);
      if (i == 1 && volume == 2)
        gst_buffer_memset (buffer, 0, 0, gst_buffer_get_size (buffer) - 3);
      gst_harness_push (harness, buffer);
    }
    for (guint row = 0; row < ROWS; row++) {
      GstBuffer *buffer = gst_harness_pull (harness);
      guint8 pixel[2];

      gst_buffer_extract (buffer, 2, pixel, 2);
      gst_buffer_unref (buffer);
      if (row > 0)
        continue;
      fail_unless_equals_int (pixel[0], get_grey (2, 0));
      fail_unless_equals_int (pixel[1], volume == 0 ? 0 : get_grey (3, 0));
    }
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
push_segment (GstHarness *harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
}

static void
seek (GstHarness *harness)
{
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  push_segment (harness);
}

static GstBuffer *
make_uncounted (guint bscan)
{
  g_autoptr (GstBuffer) buffer = make_image (bscan, 0);
  GstBuffer *copy = gst_buffer_new ();

  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_MEMORY, 0, -1);
  return copy;
}

/* Volumes are numbered on, though their path is another one, and B-scans that
 * are not numbered are counted anew. */
GST_START_TEST (test_numbers)
{
  GstHarness *harness = make_harness ("method=nearest");

  for (guint volume = 0; volume < 3; volume++) {
    gst_harness_push_event (
        harness, make_path (LINES, BSCANS, COUNT, 0, volume % 2 ? 1 : 0));
    for (guint i = 0; i < BSCANS; i++)
      fail_unless_equals_int (
          gst_harness_push (harness, make_uncounted (i)), GST_FLOW_OK);
    for (guint row = 0; row < ROWS; row++) {
      GstBuffer *buffer = gst_harness_pull (harness);

      fail_unless_equals_uint64 (
          oct_test_get_scan_position (buffer).volume, volume);
      gst_buffer_unref (buffer);
    }
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static guint64
get_missing (GstElement *element)
{
  guint64 missing;

  g_object_get (element, "missing", &missing, NULL);
  return missing;
}

/* A segment that comes again, as after a new link, is none; another one ends
 * the volume, as the end of the stream does, and what it lacks is counted. */
GST_START_TEST (test_segments)
{
  GstHarness *harness = make_harness ("method=nearest");
  GstElement *element = gst_harness_find_element (harness, "octremap");
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");

  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0));
  for (guint i = 0; i < BSCANS; i++) {
    if (i == 3)
      fail_unless (gst_pad_send_event (
          sink, gst_pad_get_sticky_event (sink, GST_EVENT_SEGMENT, 0)));
    gst_harness_push (harness, make_image (i, 0));
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), ROWS);
  for (guint row = 0; row < ROWS; row++)
    assert_row (harness, row, TRUE);
  fail_unless_equals_uint64 (get_missing (element), 0);
  for (guint i = 0; i < 2; i++)
    gst_harness_push (harness, make_image (i, 1));
  push_segment (harness);
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), ROWS);
  fail_unless_equals_uint64 (get_missing (element), 4);
  gst_harness_push (harness, make_image (0, 0));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 2 * ROWS);
  fail_unless_equals_uint64 (get_missing (element), 9);
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Pixel 8 comes to lie on pixel 4, so that the box stays as it is. */
static GstEvent *
make_path_with_hole (void)
{
  GstEvent *path = make_path (LINES, BSCANS, COUNT, 0, 0);
  GstBuffer *y = NULL;
  double *moved;
  GstMapInfo map;

  gst_structure_get (
      gst_event_get_structure (path), "y", GST_TYPE_BUFFER, &y, NULL);
  y = gst_buffer_make_writable (y);
  fail_unless (gst_buffer_map (y, &map, GST_MAP_READWRITE));
  moved = (double *)(gpointer)map.data;
  for (guint i = 0; i < COUNT; i++)
    if (order[i] == 8)
      moved[i] = SPACING;
  gst_buffer_unmap (y, &map);
  gst_structure_set (
      gst_event_writable_structure (path), "y", GST_TYPE_BUFFER, y, NULL);
  gst_buffer_unref (y);
  return path;
}

typedef enum { LOST_NONE, LOST_PIXEL, LOST_ALL } Lost;

/* Both parts of a value are 3, those of pixel 8 `other`; LOST_PIXEL: the A-line
 * of that one is lost. */
static void
push_ascans (GstHarness *harness, guint64 volume, float other, Lost lost)
{
  float values[2 * LINES * DEPTHS];

  for (guint i = 0; i < BSCANS; i++) {
    GstBuffer *buffer;

    for (guint k = 0; k < 2 * LINES * DEPTHS; k++)
      values[k] = order[i * LINES + k / (2 * DEPTHS)] == 8 ? other : 3;
    buffer = gst_buffer_new_memdup (values, sizeof values);
    GST_BUFFER_PTS (buffer) = (volume * BSCANS + i) * PERIOD;
    GST_BUFFER_DURATION (buffer) = PERIOD;
    oct_test_add_scan_meta (buffer, i, BSCANS, volume);
    if (lost == LOST_ALL)
      oct_test_lose_lines (buffer, LINES, 0, LINES);
    for (guint line = 0; lost == LOST_PIXEL && line < LINES; line++)
      if (order[i * LINES + line] == 8)
        oct_test_lose_lines (buffer, LINES, line, 1);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
}

static void
assert_ascans (GstHarness *harness, float other)
{
  guint off = 0;

  for (guint row = 0; row < ROWS; row++) {
    GstBuffer *buffer = gst_harness_pull (harness);
    const float *found;
    GstMapInfo map;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    found = (const float *)(gconstpointer)map.data;
    for (guint i = 0; i < COLUMNS * DEPTHS; i++) {
      float part = row * COLUMNS + i / DEPTHS == 8 ? other : 3;

      off +=
          fabsf (hypotf (found[2 * i], found[2 * i + 1]) - hypotf (part, part))
          > 0.3f;
    }
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (off, 0);
}

#define WITH_HOLE                                                              \
  "octremap columns=4 rows=3 x-spacing=10e-6 y-spacing=10e-6 hole=0.5 "        \
  "method=nearest ! "
#define ASCANS                                                                 \
  "application/x-oct-ascans,format=CF32LE,samples=5,lines=2,framerate=100/1"

/* A-scans: octvolumecs fills a hole in from equal neighbours, and takes the
 * pixel as it is after a path without the hole. */
GST_START_TEST (test_holes)
{
  GstHarness *harness =
      oct_test_harness (WITH_HOLE "octvolumecs method=linear ! identity");

  gst_harness_set_src_caps (harness, gst_caps_from_string (ASCANS));
  gst_harness_push_event (harness, make_path_with_hole ());
  push_ascans (harness, 0, 3, LOST_NONE);
  assert_ascans (harness, 3);
  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0));
  push_ascans (harness, 1, 9, LOST_NONE);
  assert_ascans (harness, 9);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* So it does with A-lines that are lost, if the path has no holes at all. */
GST_START_TEST (test_lost_ascans)
{
  GstHarness *harness =
      oct_test_harness (WITH_HOLE "octvolumecs method=linear ! identity");

  gst_harness_set_src_caps (harness, gst_caps_from_string (ASCANS));
  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0));
  push_ascans (harness, 0, 90, LOST_PIXEL);
  assert_ascans (harness, 3);
  push_ascans (harness, 1, 9, LOST_NONE);
  assert_ascans (harness, 9);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
assert_warning (GstHarness *harness, const char *words)
{
  g_autoptr (GstMessage) warning =
      gst_bus_pop_filtered (oct_test_bus (harness), GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;

  fail_unless (warning != NULL);
  gst_message_parse_warning (warning, &error, NULL);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
}

/* Nothing can be made of volumes of which all A-lines are lost, and no mask is of
 * none: they are left out with one warning, also after a path whose mask
 * octvolumecs still has.  The next one comes. */
GST_START_TEST (test_all_lost)
{
  GstHarness *harness =
      oct_test_harness (WITH_HOLE "octvolumecs method=linear ! identity");

  gst_harness_set_src_caps (harness, gst_caps_from_string (ASCANS));
  for (guint i = 0; i < 2; i++) {
    gst_harness_push_event (
        harness, i == 0 ? make_path (LINES, BSCANS, COUNT, 0, 0)
                        : make_path_with_hole ());
    push_ascans (harness, 4 * i, 9, LOST_ALL);
    push_ascans (harness, 4 * i + 1, 9, LOST_ALL);
    fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 0);
    assert_warning (harness, "volume is left out");
    oct_test_assert_quiet (oct_test_bus (harness));
    push_ascans (harness, 4 * i + 2, 3, LOST_NONE);
    assert_ascans (harness, 3);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Pictures show holes where they are, without a warning. */
GST_START_TEST (test_picture_with_holes)
{
  GstHarness *harness = oct_test_harness (
      WITH_HOLE "octlogscale range=manual min=0 max=20 ! octenface");

  gst_harness_set_src_caps (harness,
      gst_caps_from_string (ASCANS ",x-spacing=(double)1e-5,y-spacing=(double)"
                                   "1e-5,z-spacing=(double)1e-5"));
  gst_harness_push_event (harness, make_path_with_hole ());
  push_ascans (harness, 0, 3, LOST_NONE);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Events that lie are ignored, and then no place is known; paths of other
 * scans are refused. */
static const struct {
  guint lines, bscans, n;
  double first;
  const char *word;
} lies[] = {
  { 0, 0, COUNT, 0, "knows no places" },
  { LINES, BSCANS, COUNT - 1, 0, "knows no places" },
  { LINES, BSCANS, 0, 0, "knows no places" },
  { 65536, 65536, COUNT, 0, "knows no places" },
  { G_MAXUINT, G_MAXUINT, COUNT, 0, "knows no places" },
  { LINES, BSCANS, COUNT, NAN, "knows no places" },
  { LINES, BSCANS, COUNT, INFINITY, "knows no places" },
  { LINES, BSCANS, COUNT, 1e6, "knows no places" },
  { BSCANS, LINES, COUNT, 0, "volumes of 6 B-scans of 2 A-lines come" },
  { LINES, 3, 6, 0, "3 B-scans of 2 A-lines" },
};

GST_START_TEST (test_lies)
{
  GstHarness *harness = make_harness ("");

  gst_harness_push_event (
      harness, make_path (lies[__i__].lines, lies[__i__].bscans, lies[__i__].n,
                   lies[__i__].first, 0));
  fail_unless_equals_int (
      gst_harness_push (harness, make_image (0, 0)), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), lies[__i__].word, NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A path that is not valid does not replace the one before, and a warning says
 * it. */
GST_START_TEST (test_lie_after_path)
{
  GstHarness *harness = make_harness ("method=nearest");

  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0));
  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, NAN, 0));
  assert_warning (harness, "x = nan");
  for (guint i = 0; i < BSCANS; i++)
    gst_harness_push (harness, make_image (i, 0));
  for (guint row = 0; row < ROWS; row++)
    assert_row (harness, row, TRUE);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The stream does not say how many B-scans a volume has. */
GST_START_TEST (test_other_lines)
{
  GstHarness *harness = make_harness ("");

  gst_harness_push_event (harness, make_path (BSCANS, LINES, COUNT, 0, 0));
  fail_unless_equals_int (
      gst_harness_push (harness, make_uncounted (0)), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness),
      "2 B-scans of 6 A-lines, but B-scans of 2 A-lines come", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Without fields, or of other types. */
GST_START_TEST (test_fields)
{
  static const char *const events[] = { "application/x-oct-scan-path",
    "application/x-oct-scan-path, lines=(uint)2, bscans=(uint)6",
    "application/x-oct-scan-path, lines=(string)2, x=(int)3, y=(double)0.5" };
  GstHarness *harness = make_harness ("");

  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    gst_harness_push_event (
        harness, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
                     gst_structure_from_string (events[i], NULL)));
  fail_unless_equals_int (
      gst_harness_push (harness, make_image (0, 0)), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "knows no places", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A-lines far outside of the raster: not used, and no memory for them. */
GST_START_TEST (test_outside)
{
  GstHarness *harness = make_harness ("hole=0.5");
  GstElement *element = gst_harness_find_element (harness, "octremap");
  guint64 holes = 0;

  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0.9, 1));
  for (guint i = 0; i < BSCANS; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, make_image (i, 0)), GST_FLOW_OK);
  g_object_get (element, "holes", &holes, NULL);
  fail_unless_equals_uint64 (holes, COLUMNS * ROWS);
  for (guint row = 0; row < ROWS; row++)
    assert_row (harness, row, FALSE);
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The sanitizer needs address space without a limit. */
#ifdef __SANITIZE_ADDRESS__
#  define CAN_LIMIT_MEMORY FALSE
#else
#  define CAN_LIMIT_MEMORY TRUE
#endif

/* Leaves address space for `more` bytes; returns the limit that there was. */
static struct rlimit
limit_memory (gsize more)
{
  g_autofree char *statm = NULL;
  struct rlimit before, limit;

  fail_unless (g_file_get_contents ("/proc/self/statm", &statm, NULL, NULL));
  fail_unless_equals_int (getrlimit (RLIMIT_AS, &before), 0);
  limit = before;
  limit.rlim_cur = g_ascii_strtoull (statm, NULL, 10) * 4096 + more;
  fail_unless_equals_int (setrlimit (RLIMIT_AS, &limit), 0);
  return before;
}

static GstEvent *
make_large_path (guint bscans)
{
  g_autofree double *places = g_new0 (double, bscans);
  g_autoptr (GstBuffer) values = make_doubles (places, bscans);

  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new ("application/x-oct-scan-path", "lines", G_TYPE_UINT, 1,
          "bscans", G_TYPE_UINT, bscans, "x", GST_TYPE_BUFFER, values, "y",
          GST_TYPE_BUFFER, values, NULL));
}

/* A volume of 1 GB does not fit, before and after a seek; a small one does. */
GST_START_TEST (test_no_memory)
{
  enum { MANY = 65536, DEEP = 16384 };
  GstHarness *harness = make_harness ("");
  struct rlimit before;

  gst_harness_set_src_caps (harness,
      gst_caps_from_string ("video/x-raw,format=GRAY8,width=1,height=16384,"
                            "framerate=100/1"));
  gst_harness_push_event (harness, make_large_path (MANY));
  before = limit_memory (400000000);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4 * DEEP, NULL);

    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_ERROR);
    oct_test_assert_error (oct_test_bus (harness), "not as much memory", NULL);
    seek (harness);
  }
  fail_unless_equals_int (setrlimit (RLIMIT_AS, &before), 0);
  gst_harness_push_event (harness, make_large_path (2));
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (gst_harness_push (harness,
                                gst_buffer_new_allocate (NULL, 4 * DEEP, NULL)),
        GST_FLOW_OK);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------------------ late mirrors */

#define LATE_LINES 8u

/* A raster of two B-scans, forth and back. */
static GstEvent *
make_raster (void)
{
  double x[2 * LATE_LINES], y[2 * LATE_LINES];
  g_autoptr (GstBuffer) bx = NULL;
  g_autoptr (GstBuffer) by = NULL;

  for (guint i = 0; i < LATE_LINES; i++) {
    x[i] = x[2 * LATE_LINES - 1 - i] = SPACING * i;
    y[i] = 0;
    y[LATE_LINES + i] = SPACING;
  }
  bx = make_doubles (x, 2 * LATE_LINES);
  by = make_doubles (y, 2 * LATE_LINES);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new ("application/x-oct-scan-path", "lines", G_TYPE_UINT,
          LATE_LINES, "bscans", G_TYPE_UINT, 2, "x", GST_TYPE_BUFFER, bx, "y",
          GST_TYPE_BUFFER, by, NULL));
}

/* With the delay of the mirror, each pixel is of the A-line that saw it, in
 * both directions. */
GST_START_TEST (test_delay)
{
  const gint late = __i__ == 0 ? 2 : -2;
  g_autofree char *launch = g_strdup_printf (
      "octremap columns=8 rows=2 x-spacing=10e-6 y-spacing=10e-6 "
      "method=nearest delay-x=%d",
      late);
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps (harness,
      gst_caps_from_string (
          "video/x-raw,format=GRAY8,width=8,height=1,framerate=100/1"));
  gst_harness_push_event (harness, make_raster ());
  for (guint bscan = 0; bscan < 2; bscan++) {
    guint8 row[8]; /* the stride is a multiple of 4 */
    GstBuffer *buffer;

    for (gint i = 0; i < (gint)LATE_LINES; i++)
      row[i] = (guint8)(100
                        + 10
                              * (bscan == 0 ? i - late
                                            : (gint)LATE_LINES - 1 - i + late));
    buffer = gst_buffer_new_memdup (row, sizeof row);
    oct_test_add_scan_meta (buffer, bscan, 2, 0);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  for (guint bscan = 0; bscan < 2; bscan++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);
    guint8 row[8];

    fail_unless_equals_int (
        gst_buffer_extract (buffer, 0, row, sizeof row), sizeof row);
    for (guint i = 2; i < LATE_LINES - 2; i++)
      fail_unless_equals_int (row[i], 100 + 10 * i);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static gboolean
has_come (guint pixel, guint bscan)
{
  guint i = 0;

  while (order[i] != pixel)
    i++;
  return i / LINES <= bscan;
}

/* After each buffer a raster of the newest A-line of every place: in the second
 * volume all A-lines are black, and the others are those of the first. */
GST_START_TEST (test_update)
{
  GstHarness *harness = make_harness ("method=nearest update=scan interval=0");

  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0));
  for (guint i = 0; i < 2 * BSCANS; i++) {
    GstBuffer *image = make_image (i % BSCANS, i / BSCANS);

    gst_buffer_memset (
        image, 0, 0, i < BSCANS ? 0 : gst_buffer_get_size (image));
    fail_unless_equals_int (gst_harness_push (harness, image), GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_buffers_in_queue (harness), ROWS);
    for (guint pixel = 0; pixel < COUNT; pixel += COLUMNS) {
      g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);
      GstOctScanPosition scan = oct_test_get_scan_position (buffer);
      guint8 greys[COLUMNS];

      fail_unless_equals_int (scan.bscan, pixel / COLUMNS);
      fail_unless_equals_uint64 (scan.volume, i);
      gst_buffer_extract (buffer, 0, greys, COLUMNS);
      for (guint x = 0; x < COLUMNS; x++)
        fail_unless_equals_int (
            greys[x], (has_come (pixel + x, i % BSCANS) == (i < BSCANS))
                          * get_grey (pixel + x, 0));
    }
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Rasters come after the interval, and at the end of the volume. */
GST_START_TEST (test_interval)
{
  static const guint rasters[BSCANS] = { 1, 0, 0, 1, 0, 1 };
  GstHarness *harness = make_harness ("update=scan interval=0.025");

  gst_harness_push_event (harness, make_path (LINES, BSCANS, COUNT, 0, 0));
  for (guint i = 0; i < BSCANS; i++) {
    gint64 before = g_get_monotonic_time (), after;

    gst_harness_push (harness, make_image (i, 0));
    after = g_get_monotonic_time ();
    fail_unless_equals_int (
        gst_harness_buffers_in_queue (harness), rasters[i] * ROWS);
    while (gst_harness_buffers_in_queue (harness) > 0)
      gst_buffer_unref (gst_harness_pull (harness));
    while (g_get_monotonic_time () - after < after - before)
      g_thread_yield ();
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octremap_suite (void)
{
  Suite *suite = suite_create ("octremap");
  TCase *tcase = tcase_create ("general");

  tcase_add_unchecked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_pixels);
  tcase_add_test (tcase, test_missing);
  tcase_add_test (tcase, test_numbers);
  tcase_add_test (tcase, test_segments);
  tcase_add_test (tcase, test_holes);
  tcase_add_test (tcase, test_lost);
  tcase_add_test (tcase, test_lost_ascans);
  tcase_add_test (tcase, test_all_lost);
  tcase_add_test (tcase, test_picture_with_holes);
  tcase_add_test (tcase, test_lie_after_path);
  tcase_add_loop_test (tcase, test_lies, 0, G_N_ELEMENTS (lies));
  tcase_add_test (tcase, test_other_lines);
  tcase_add_test (tcase, test_fields);
  tcase_add_test (tcase, test_outside);
  if (CAN_LIMIT_MEMORY && !oct_test_skips_on_gpu ("it has the memory"))
    tcase_add_test (tcase, test_no_memory);
  tcase_add_loop_test (tcase, test_delay, 0, 2);
  tcase_add_test (tcase, test_update);
  tcase_add_test (tcase, test_interval);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (octremap)
