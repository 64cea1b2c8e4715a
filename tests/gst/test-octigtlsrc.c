/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octigtlsrc: images and poses of a server, and of one that lies.
 */
#include "oct-test-peer.h"

#include <gst/app/gstappsink.h>

#include "gstoctscanmeta.h"

typedef struct {
  GstElement *pipeline, *src, *sink;
  GstBus *bus;
  int fd; /* to it */
} Client;

static void
client_begin (Client *c, const char *properties)
{
  guint port;
  int server = peer_listen (&port);
  g_autofree char *line = g_strdup_printf (
      "octigtlsrc name=src port=%u %s ! appsink name=sink sync=false", port,
      properties);

  c->pipeline = gst_parse_launch (line, NULL);
  c->src = gst_bin_get_by_name (GST_BIN (c->pipeline), "src");
  c->sink = gst_bin_get_by_name (GST_BIN (c->pipeline), "sink");
  c->bus = gst_element_get_bus (c->pipeline);
  gst_element_set_state (c->pipeline, GST_STATE_PLAYING);
  c->fd = accept (server, NULL, NULL);
  fail_unless (c->fd >= 0);
  close (server);
}

static void
client_end (Client *c)
{
  gst_element_set_state (c->pipeline, GST_STATE_NULL);
  if (c->fd >= 0)
    close (c->fd);
  gst_object_unref (c->bus);
  gst_object_unref (c->src);
  gst_object_unref (c->sink);
  gst_object_unref (c->pipeline);
}

static GstSample *
client_pull (Client *c)
{
  GstSample *sample = gst_app_sink_pull_sample (GST_APP_SINK (c->sink));

  fail_unless (sample != NULL);
  return sample;
}

/* 3 x 2 voxels in each of `slices`. */
static GBytes *
make_image (guint components, guint scalar, gboolean is_big, guint slices)
{
  guint8 data[256];
  OctIgtlImage image = { .components = components,
    .scalar = scalar,
    .is_big = is_big,
    .size = { 3, 2, slices },
    .step = { { 0.006, 0.008, 0 }, { 0, 0, 0.002 }, { 0.03, 0, 0 } },
    .data = data,
    .bytes =
        6 * (gsize)components * oct_igtl_get_scalar_size (scalar) * slices };

  for (guint i = 0; i < sizeof data; i++)
    data[i] = (guint8)i;
  return oct_igtl_make_image ("peer", 0, &image);
}

/* Row by row, as they lie in the message. */
static void
check_bytes (GstSample *sample, const guint8 *expected, gsize row)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  gsize stride = (row + 3) / 4 * 4;

  for (guint i = 0; i < 2; i++)
    fail_unless (
        gst_buffer_memcmp (buffer, i * stride, expected + i * row, row) == 0);
}

GST_START_TEST (test_images)
{
  static const guint8 grey[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
  static const guint8 big[] = { 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10 };
  static const guint8 rgb[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    14, 15, 16, 17 };
  static const struct {
    guint components, scalar;
    gboolean is_big;
    const guint8 *bytes;
    gsize row;
    const char *format;
  } cases[] = {
    { 1, OCT_IGTL_UINT8, FALSE, grey, 3, "GRAY8" },
    { 1, OCT_IGTL_UINT16, FALSE, grey, 6, "GRAY16_LE" },
    { 1, OCT_IGTL_UINT16, TRUE, big, 6, "GRAY16_LE" },
    { 3, OCT_IGTL_UINT8, FALSE, rgb, 9, "RGB" },
  };
  Client c;

  client_begin (&c, "");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstSample) sample = NULL;
    const GstStructure *s;
    double x, y, z;

    peer_put_message (c.fd,
        make_image (cases[i].components, cases[i].scalar, cases[i].is_big, 1));
    sample = client_pull (&c);
    s = gst_caps_get_structure (gst_sample_get_caps (sample), 0);
    fail_unless_equals_string (
        gst_structure_get_string (s, "format"), cases[i].format);
    check_bytes (sample, cases[i].bytes, cases[i].row);
    fail_unless (gst_structure_get (s, "x-spacing", G_TYPE_DOUBLE, &x,
        "y-spacing", G_TYPE_DOUBLE, &y, "z-spacing", G_TYPE_DOUBLE, &z, NULL));
    fail_unless (ABS (x - 1e-5) < 1e-11 && ABS (y - 3e-5) < 1e-11
                 && ABS (z - 2.76e-6) < 1e-11);
  }
  client_end (&c);
}
GST_END_TEST

/* One buffer for each slice, which says its place; then the end. */
GST_START_TEST (test_volume)
{
  static const guint8 bytes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    14, 15, 16, 17 };
  g_autoptr (GstMessage) message = NULL;
  guint64 images;
  Client c;

  client_begin (&c, "device-name=peer");
  peer_put_message (c.fd, make_image (1, OCT_IGTL_UINT8, FALSE, 3));
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstSample) sample = client_pull (&c);
    GstOctScanPosition position;

    check_bytes (sample, bytes + 6 * i, 3);
    fail_unless (
        gst_oct_scan_meta_get (gst_sample_get_buffer (sample), &position));
    fail_unless_equals_int (position.bscan, i);
    fail_unless_equals_int (position.bscans, 3);
  }
  g_object_get (c.src, "images", &images, NULL);
  fail_unless_equals_uint64 (images, 1);
  close (c.fd);
  c.fd = -1;
  message = gst_bus_timed_pop_filtered (
      c.bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  client_end (&c);
}
GST_END_TEST

/* A flood of poses fills no bus, and the image after it comes. */
GST_START_TEST (test_poses)
{
  const double matrix[12] = { 0, 1, 0, 4.5, -1, 0, 0, -8, 0, 0, 1, 0.25 };
  enum { FLOOD = 20000 };
  g_autoptr (GstSample) sample = NULL;
  guint posted = 0;
  guint64 skipped;
  gint64 began;
  double most;
  Client c;

  client_begin (&c, "");
  began = g_get_monotonic_time ();
  for (guint i = 0; i < FLOOD; i++)
    peer_put_message (c.fd, oct_igtl_make_transform ("probe", 7, matrix));
  peer_put_message (c.fd, make_image (1, OCT_IGTL_UINT8, FALSE, 1));
  sample = client_pull (&c);
  most = 201.0 + 200e-6 * (double)(g_get_monotonic_time () - began);
  for (;;) {
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (c.bus, GST_MESSAGE_ELEMENT);
    const GstStructure *s;
    const GValue *value;

    if (message == NULL)
      break;
    s = gst_message_get_structure (message);
    fail_unless (gst_structure_has_name (s, "oct-igtl-transform"));
    fail_unless_equals_string (gst_structure_get_string (s, "device"), "probe");
    value = gst_structure_get_value (s, "matrix");
    fail_unless_equals_int (gst_value_array_get_size (value), 12);
    fail_unless (
        g_value_get_double (gst_value_array_get_value (value, 3)) == 4.5);
    posted++;
  }
  g_object_get (c.src, "skipped", &skipped, NULL);
  fail_unless (posted > 0 && posted <= most, "%u of %g", posted, most);
  fail_unless_equals_uint64 (posted + skipped, FLOOD);
  client_end (&c);
}
GST_END_TEST

/* Others than these are left out, and counted. */
GST_START_TEST (test_others)
{
  g_autoptr (GstSample) sample = NULL;
  guint64 skipped;
  Client c;

  client_begin (&c, "");
  peer_put_message (c.fd, make_image (1, 10, FALSE, 1)); /* floats */
  peer_put_message (c.fd, make_image (2, OCT_IGTL_UINT8, FALSE, 1));
  peer_put_message (
      c.fd, oct_igtl_make_status ("peer", 0, OCT_IGTL_OK, "\33[2J hello"));
  peer_put_message (c.fd, make_image (1, OCT_IGTL_UINT8, FALSE, 1));
  sample = client_pull (&c);
  g_object_get (c.src, "skipped", &skipped, NULL);
  fail_unless_equals_uint64 (skipped, 2);
  client_end (&c);
}
GST_END_TEST

static void
check_error (Client *c, const char *words)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      c->bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
}

GST_START_TEST (test_lies)
{
  static const struct {
    guint at;
    guint8 value;
    gsize size; /* that is sent, 0: all */
    const char *words;
  } lies[] = {
    { 1, 77, 0, "version 77" },
    { 42, 1, 0, "too large" },
    { OCT_IGTL_HEADER_SIZE + 75, 99, 0, "checksum" },
    { 0, 0, 70, "closed within a message" },
    { 0, 0, 30, "closed within a message" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    g_autoptr (GBytes) image = make_image (1, OCT_IGTL_UINT8, FALSE, 1);
    gsize size = g_bytes_get_size (image);
    g_autofree guint8 *bytes = g_memdup2 (g_bytes_get_data (image, NULL), size);
    Client c;

    client_begin (&c, "");
    bytes[lies[i].at] = lies[i].value;
    fail_unless (
        peer_put (c.fd, bytes, lies[i].size > 0 ? lies[i].size : size));
    shutdown (c.fd, SHUT_WR);
    check_error (&c, lies[i].words);
    client_end (&c);
  }
}
GST_END_TEST

/* One that stops within a message is told; one that is silent ends nothing, and
 * waiting for it can be ended. */
GST_START_TEST (test_silence)
{
  g_autoptr (GstMessage) message = NULL;
  guint8 half[20] = { 0, 1, 'I' };
  Client c;

  client_begin (&c, "timeout=100");
  message = gst_bus_timed_pop_filtered (
      c.bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  fail_unless (peer_put (c.fd, half, sizeof half));
  check_error (&c, "stands still within a message");
  client_end (&c);
  client_begin (&c, "");
  client_end (&c);
}
GST_END_TEST

GST_START_TEST (test_nobody)
{
  guint port;
  int server = peer_listen (&port);
  Client c = { .fd = -1 };
  g_autofree char *line = g_strdup_printf (
      "octigtlsrc name=src timeout=100 port=%u ! fakesink name=sink", port);

  close (server); /* nobody is there now */
  c.pipeline = gst_parse_launch (line, NULL);
  c.src = gst_bin_get_by_name (GST_BIN (c.pipeline), "src");
  c.sink = gst_bin_get_by_name (GST_BIN (c.pipeline), "sink");
  c.bus = gst_element_get_bus (c.pipeline);
  gst_element_set_state (c.pipeline, GST_STATE_PLAYING);
  check_error (&c, "Nobody serves OpenIGTLink");
  client_end (&c);
}
GST_END_TEST

/* As somebody may send one in any state. */
GST_START_TEST (test_flush_stopped)
{
  GstElement *src =
      gst_object_ref_sink (gst_element_factory_make ("octigtlsrc", NULL));

  for (GstState state = GST_STATE_NULL; state <= GST_STATE_READY; state++) {
    fail_unless_equals_int (
        gst_element_set_state (src, state), GST_STATE_CHANGE_SUCCESS);
    gst_element_send_event (src, gst_event_new_flush_start ());
    gst_element_send_event (src, gst_event_new_flush_stop (TRUE));
  }
  gst_element_set_state (src, GST_STATE_NULL);
  gst_object_unref (src);
}
GST_END_TEST

static Suite *
octigtlsrc_suite (void)
{
  Suite *suite = suite_create ("octigtlsrc");
  TCase *tc = tcase_create ("octigtlsrc");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_images);
  tcase_add_test (tc, test_volume);
  tcase_add_test (tc, test_poses);
  tcase_add_test (tc, test_others);
  tcase_add_test (tc, test_lies);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_nobody);
  tcase_add_test (tc, test_flush_stopped);
  return suite;
}

GST_CHECK_MAIN (octigtlsrc)
