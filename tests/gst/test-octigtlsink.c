/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octigtlsink: what peers get, and what peers that lie can do.
 */
#include "oct-test-peer.h"

#include <gst/check/gstharness.h>

#include "gstoctscanmeta.h"

#define WIDTH 5
#define HEIGHT 3
#define CAPS                                                                   \
  "video/x-raw,format=GRAY16_LE,width=5,height=3,framerate=100/1,"             \
  "x-spacing=1e-5,z-spacing=2.76e-6,y-spacing=3e-5"
/* Bytes of a row: GStreamer rounds 5 columns of 16 bit up. */
#define STRIDE 12

typedef struct {
  GstHarness *harness;
  GstElement *sink;
  GstBus *bus;
} Served;

static void
served_begin (Served *s, const char *properties)
{
  g_autofree char *line = g_strconcat (
      "octigtlsink name=sink sync=false port=0 ", properties, NULL);

  s->harness = gst_harness_new_parse (line);
  s->sink = gst_bin_get_by_name (GST_BIN (s->harness->element), "sink");
  s->bus = gst_bus_new ();
  gst_element_set_bus (s->harness->element, s->bus);
  gst_harness_play (s->harness);
}

static void
served_end (Served *s)
{
  gst_element_set_bus (s->harness->element, NULL);
  gst_object_unref (s->sink);
  gst_harness_teardown (s->harness);
  gst_object_unref (s->bus);
}

static guint
served_get (Served *s, const char *property)
{
  guint value;

  g_object_get (s->sink, property, &value, NULL);
  return value;
}

/* A peer that the server knows. */
static int
served_connect (Served *s)
{
  guint before = served_get (s, "connected");
  int fd = peer_connect (served_get (s, "bound-port"));

  while (served_get (s, "connected") == before)
    g_usleep (1000);
  return fd;
}

static guint16
pixel (guint image, guint row, guint column)
{
  return (guint16)(1000 * image + 10 * row + column);
}

static void
served_push (Served *s, guint image, guint bscans)
{
  GstBuffer *buffer = gst_harness_create_buffer (s->harness, HEIGHT * STRIDE);
  guint16 values[HEIGHT * STRIDE / 2] = { 0 };

  for (guint i = 0; i < HEIGHT; i++)
    for (guint k = 0; k < WIDTH; k++)
      values[i * STRIDE / 2 + k] = GUINT16_TO_LE (pixel (image, i, k));
  gst_buffer_fill (buffer, 0, values, sizeof values);
  GST_BUFFER_PTS (buffer) = image * 10 * GST_MSECOND;
  gst_oct_scan_meta_set (buffer, &(GstOctScanPosition){ .bscan = image % bscans,
                                     .bscans = bscans,
                                     .volume = image / bscans,
                                     .count = 1 });
  fail_unless_equals_int (gst_harness_push (s->harness, buffer), GST_FLOW_OK);
}

static void
check_vector (const double *got, double x, double y, double z)
{
  fail_unless (ABS (got[0] - x) < 1e-6 && ABS (got[1] - y) < 1e-6
                   && ABS (got[2] - z) < 1e-6,
      "%g %g %g", got[0], got[1], got[2]);
}

/* `image`: the first of `slices`. */
static void
check_pixels (const OctIgtlImage *got, guint image, guint slices)
{
  const guint16 *values = (const guint16 *)(gconstpointer)got->data;

  fail_unless_equals_int (got->scalar, OCT_IGTL_UINT16);
  fail_unless_equals_int (got->size[0], WIDTH);
  fail_unless_equals_int (got->size[1], HEIGHT);
  fail_unless_equals_int (got->size[2], slices);
  for (guint i = 0; i < slices * HEIGHT * WIDTH; i++) {
    guint16 value;

    memcpy (&value, values + i, sizeof value);
    fail_unless_equals_int (GUINT16_FROM_LE (value),
        pixel (image + i / (HEIGHT * WIDTH), i / WIDTH % HEIGHT, i % WIDTH));
  }
}

/* 2.76 um of air are 2 um of tissue (1.38); B-scan 1 of 4 is half a distance
 * before the centre. */
GST_START_TEST (test_images)
{
  g_autofree guint8 *status = NULL, *pose = NULL, *body = NULL;
  g_autofree char *text = NULL;
  OctIgtlHeader header;
  OctIgtlImage image;
  double matrix[12];
  guint code;
  Served s;
  int fd;

  served_begin (&s, "device-name=Eye pose=\"0 0 1 7  1 0 0 8  0 1 0 9\"");
  fd = served_connect (&s);
  status = peer_find (fd, "STATUS", &header);
  fail_unless (oct_igtl_parse_status (&header, status, &code, &text, NULL));
  fail_unless_equals_int (code, OCT_IGTL_NOT_READY);
  pose = peer_find (fd, "TRANSFORM", &header);
  fail_unless_equals_string (header.name, "Eye-pose");
  fail_unless (oct_igtl_parse_transform (&header, pose, matrix, NULL));
  fail_unless (matrix[2] == 1.0 && matrix[3] == 7.0 && matrix[11] == 9.0);
  gst_harness_set_src_caps_str (s.harness, CAPS);
  served_push (&s, 1, 4);
  body = peer_find (fd, "IMAGE", &header);
  fail_unless_equals_string (header.name, "Eye");
  fail_unless (ABS (header.time / 1000 - g_get_real_time ()) < 60000000);
  fail_unless (oct_igtl_parse_image (&header, body, &image, NULL));
  check_pixels (&image, 1, 1);
  check_vector (image.step[0], 0, 0.01, 0);
  check_vector (image.step[1], 0, 0, 0.002);
  check_vector (image.step[2], 0.03, 0, 0);
  check_vector (image.centre, 7 - 0.5 * 0.03, 8, 9);
  close (fd);
  served_end (&s);
}
GST_END_TEST

/* Whole ones, at their end; and the pose is followed. */
GST_START_TEST (test_volumes)
{
  g_autofree guint8 *first = NULL, *second = NULL;
  OctIgtlHeader header;
  OctIgtlImage image;
  Served s;
  int fd;

  served_begin (&s, "volumes=true");
  gst_harness_set_src_caps_str (s.harness, CAPS);
  fd = served_connect (&s);
  for (guint i = 0; i < 4; i++)
    served_push (&s, i, 4);
  first = peer_find (fd, "IMAGE", &header);
  fail_unless (oct_igtl_parse_image (&header, first, &image, NULL));
  check_pixels (&image, 0, 4);
  check_vector (image.step[2], 0, 0, 0.03);
  check_vector (image.centre, 0, 0, 0);
  g_object_set (s.sink, "pose", "1 0 0 0  0 1 0 0  0 0 1 5", NULL);
  for (guint i = 4; i < 8; i++)
    served_push (&s, i, 4);
  second = peer_find (fd, "IMAGE", &header);
  fail_unless (oct_igtl_parse_image (&header, second, &image, NULL));
  check_pixels (&image, 4, 4);
  check_vector (image.centre, 0, 0, 5);
  close (fd);
  served_end (&s);
}
GST_END_TEST

/* Images first to first + n - 1, one after the other, which say no place. */
static void
served_push_several (Served *s, guint first, guint n)
{
  GstBuffer *buffer =
      gst_harness_create_buffer (s->harness, (gsize)n * HEIGHT * STRIDE);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < n * HEIGHT; i++)
    for (guint k = 0; k < WIDTH; k++)
      GST_WRITE_UINT16_LE (map.data + i * STRIDE + 2 * k,
          pixel (first + i / HEIGHT, i % HEIGHT, k));
  gst_buffer_unmap (buffer, &map);
  fail_unless_equals_int (gst_harness_push (s->harness, buffer), GST_FLOW_OK);
}

/* Buffers of at most 2 B-scans, and volumes of 3: the last buffer of each has
 * one (see docs/caps.md), and neither it nor those after it are shifted. */
GST_START_TEST (test_short_buffers)
{
  Served s;
  int fd;

  served_begin (&s, "volumes=true bscans=3");
  gst_harness_set_src_caps_str (s.harness,
      "video/x-raw,format=GRAY16_LE,width=5,height=6,bscans=2,"
      "framerate=50/1,x-spacing=1e-5,z-spacing=2.76e-6,y-spacing=3e-5");
  fd = served_connect (&s);
  for (guint volume = 0; volume < 2; volume++) {
    g_autofree guint8 *body = NULL;
    OctIgtlHeader header;
    OctIgtlImage image;

    served_push_several (&s, 3 * volume, 2);
    served_push_several (&s, 3 * volume + 2, 1);
    body = peer_find (fd, "IMAGE", &header);
    fail_unless (oct_igtl_parse_image (&header, body, &image, NULL));
    check_pixels (&image, 3 * volume, 3);
  }
  close (fd);
  served_end (&s);
}
GST_END_TEST

/* A B-scan in the centre needs no distance of B-scans; others would be at a
 * wrong place without it, which is said. */
GST_START_TEST (test_unknown_distance)
{
  g_autoptr (GstMessage) none = NULL, message = NULL;
  g_autoptr (GError) warning = NULL;
  Served s;
  int fd;

  served_begin (&s, "");
  gst_harness_set_src_caps_str (s.harness,
      "video/x-raw,format=GRAY16_LE,width=5,height=3,framerate=100/1,"
      "x-spacing=1e-5,z-spacing=2.76e-6");
  fd = served_connect (&s);
  served_push (&s, 0, 1);
  none = gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING);
  fail_unless (none == NULL);
  served_push (&s, 1, 4);
  message = gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (
      strstr (warning->message, "y-spacing") != NULL, "%s", warning->message);
  close (fd);
  served_end (&s);
}
GST_END_TEST

/* One that reads nothing misses images, and nobody else does or waits. */
GST_START_TEST (test_slow_peer)
{
  g_autofree guint8 *body = NULL;
  OctIgtlHeader header;
  guint64 skipped = 0;
  Served s;
  int slow, quick;

  served_begin (&s, "");
  gst_harness_set_src_caps_str (s.harness, CAPS);
  slow = served_connect (&s);
  quick = served_connect (&s);
  for (guint i = 0; skipped == 0; i++) {
    OctIgtlImage image;
    g_autofree guint8 *got = NULL;

    served_push (&s, i % 60, 60);
    got = peer_find (quick, "IMAGE", &header);
    fail_unless (oct_igtl_parse_image (&header, got, &image, NULL));
    check_pixels (&image, i % 60, 1);
    g_object_get (s.sink, "skipped", &skipped, NULL);
  }
  fail_unless_equals_int (served_get (&s, "connected"), 2);
  close (slow);
  close (quick);
  served_end (&s);
}
GST_END_TEST

/* Bodies without an end, other protocols and floods end a connection, or wait;
 * the status can be asked for. */
GST_START_TEST (test_lies)
{
  static const char *const lies[] = {
    "GET / HTTP/1.1\r\nHost: somebody.example\r\nAccept: everything\r\n\r\n",
    "\0\1IMAGE\0\0\0\0\0\0\0name\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\0"
    "\377\377\377\377\377\377\377\377\0\0\0\0\0\0\0\0",
  };
  guint8 ask[OCT_IGTL_HEADER_SIZE] = "\0\1GET_STATUS";
  g_autofree guint8 *answer = NULL;
  OctIgtlHeader header;
  Served s;
  int fd;

  served_begin (&s, "peers=2");
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    fd = served_connect (&s);
    fail_unless (peer_put (fd, lies[i], OCT_IGTL_HEADER_SIZE));
    fail_unless (peer_find (fd, "IMAGE", &header) == NULL); /* it is closed */
    close (fd);
    while (served_get (&s, "connected") > 0)
      g_usleep (1000);
  }
  fd = served_connect (&s);
  g_free (peer_find (fd, "TRANSFORM", &header));
  for (guint i = 0; i < 100; i++)
    fail_unless (peer_put (fd, ask, sizeof ask));
  answer = peer_find (fd, "STATUS", &header);
  fail_unless (answer != NULL);
  close (fd);
  served_end (&s);
}
GST_END_TEST

/* No more than there are places for; one that leaves makes room. */
GST_START_TEST (test_places)
{
  OctIgtlHeader header;
  int first, second, third;
  Served s;

  served_begin (&s, "peers=2");
  first = served_connect (&s);
  second = served_connect (&s);
  third = peer_connect (served_get (&s, "bound-port"));
  fail_unless (peer_find (third, "STATUS", &header) == NULL);
  close (third);
  fail_unless_equals_int (served_get (&s, "connected"), 2);
  close (first);
  while (served_get (&s, "connected") > 1)
    g_usleep (1000);
  third = served_connect (&s);
  close (second);
  close (third);
  served_end (&s);
}
GST_END_TEST

/* Peers hear of the end. */
GST_START_TEST (test_end)
{
  OctIgtlHeader header;
  guint code = 0;
  Served s;
  int fd;

  served_begin (&s, "");
  fd = served_connect (&s);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  while (code != OCT_IGTL_SHUTDOWN) {
    g_autofree guint8 *body = peer_find (fd, "STATUS", &header);
    g_autofree char *text = NULL;

    fail_unless (body != NULL);
    fail_unless (oct_igtl_parse_status (&header, body, &code, &text, NULL));
  }
  fail_unless (peer_find (fd, "STATUS", &header) == NULL);
  close (fd);
  served_end (&s);
}
GST_END_TEST

static void
check_status (int fd, guint expected)
{
  OctIgtlHeader header;
  g_autofree guint8 *body = peer_find (fd, "STATUS", &header);
  g_autofree char *text = NULL;
  guint code;

  fail_unless (body != NULL);
  fail_unless (oct_igtl_parse_status (&header, body, &code, &text, NULL));
  fail_unless_equals_int (code, expected);
}

/* After a seek from the end they hear that images come again. */
GST_START_TEST (test_seek_from_the_end)
{
  guint8 ask[OCT_IGTL_HEADER_SIZE] = "\0\1GET_STATUS";
  GstSegment segment;
  Served s;
  int fd;

  served_begin (&s, "");
  fd = served_connect (&s);
  check_status (fd, OCT_IGTL_NOT_READY);
  gst_harness_set_src_caps_str (s.harness, CAPS);
  check_status (fd, OCT_IGTL_OK);
  fail_unless (gst_harness_push_event (s.harness, gst_event_new_eos ()));
  check_status (fd, OCT_IGTL_NOT_READY);
  gst_harness_push_event (s.harness, gst_event_new_flush_start ());
  gst_harness_push_event (s.harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (s.harness, gst_event_new_segment (&segment));
  served_push (&s, 0, 1);
  fail_unless (peer_put (fd, ask, sizeof ask));
  check_status (fd, OCT_IGTL_OK);
  close (fd);
  served_end (&s);
}
GST_END_TEST

static void
check_refused (const char *properties, const char *words)
{
  g_autofree char *line =
      g_strconcat ("octigtlsink name=sink ", properties, NULL);
  g_autoptr (GstElement) sink =
      gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_bus (sink, bus);
  fail_unless_equals_int (
      gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message =
      gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
  gst_element_set_bus (sink, NULL);
  gst_element_set_state (sink, GST_STATE_NULL);
}

GST_START_TEST (test_refused)
{
  g_autofree char *taken = NULL;
  guint port;
  int fd = peer_listen (&port);

  taken = g_strdup_printf ("port=%u", port);
  check_refused (taken, "cannot be opened");
  check_refused ("port=0 address=somewhere.example", "not an IP address");
  check_refused ("port=0 device-name=\"a much longer name\"", "15 characters");
  check_refused ("port=0 pose=\"1 2 3\"", "not 12 numbers");
  check_refused ("port=0 pose=\"1 0 0 0 0 1 0 0 0 0 2 0\"", "product 4");
  check_refused ("port=0 pose=\"1 0 0 0 0 1 0 0 0 0 1 nan\"", "not 12 numbers");
  close (fd);
}
GST_END_TEST

static Suite *
octigtlsink_suite (void)
{
  Suite *suite = suite_create ("octigtlsink");
  TCase *tc = tcase_create ("octigtlsink");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_images);
  tcase_add_test (tc, test_volumes);
  tcase_add_test (tc, test_short_buffers);
  tcase_add_test (tc, test_unknown_distance);
  tcase_add_test (tc, test_slow_peer);
  tcase_add_test (tc, test_lies);
  tcase_add_test (tc, test_places);
  tcase_add_test (tc, test_end);
  tcase_add_test (tc, test_seek_from_the_end);
  tcase_add_test (tc, test_refused);
  return suite;
}

GST_CHECK_MAIN (octigtlsink)
