/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that are passed on to the RTSP library, and others. */
#include "oct-rtsp-message.h"

#include <string.h>

static OctRtspMessage
check_text (const char *text)
{
  return oct_rtsp_message_check ((const guint8 *)text, strlen (text));
}

static void
check_whole (const char *text)
{
  gsize length = strlen (text);

  /* in parts, however small, it is not there before its last byte */
  for (gsize i = 0; i <= length; i++) {
    OctRtspMessage message = oct_rtsp_message_check ((const guint8 *)text, i);

    g_assert_cmpuint (message.status, ==, 0);
    g_assert_cmpuint (message.length, ==, i == length ? length : 0);
  }
}

static void
check_refused (const char *text, guint status)
{
  OctRtspMessage message = check_text (text);

  if (message.status != status)
    g_test_message ("%s", text);
  g_assert_cmpuint (message.status, ==, status);
  g_assert_cmpuint (message.length, ==, 0);
}

static void
test_requests (void)
{
  g_autofree char *two = g_strconcat ("PLAY rtsp://h/oct RTSP/1.0\r\n"
                                      "CSeq: 4\r\n\r\n",
      "TEARDOWN rtsp://h/oct RTSP/1.0\r\n\r\n", NULL);

  check_whole ("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n");
  check_whole ("DESCRIBE rtsp://[::1]:8554/oct RTSP/1.0\r\nCSeq: 2\r\n"
               "Authorization: Digest username=\"oct\", uri=\"a b\"\r\n\r\n");
  check_whole ("SET_PARAMETER rtsp://h/oct RTSP/1.0\r\nCSeq: 3\r\n"
               "Content-Length: 5\r\n\r\n\r\n\r\nx");
  check_whole ("GET_PARAMETER rtsp://h/oct RTSP/1.0\r\n"
               "content-length: 0\r\n\r\n");
  /* the first of several */
  g_assert_cmpuint (check_text (two).length, ==, 39);
}

/* An empty line before a message, as some clients send it after a body, is
 * passed over; lines without end are not. */
static void
test_empty_lines (void)
{
  static const char request[] = "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n";
  static const char packet[] = "$\1\0\4abcd";
  g_autoptr (GString) lines = g_string_new (NULL);
  gsize size = sizeof request - 1;

  for (gsize n = 1; n <= OCT_RTSP_MAX_EMPTY; n++) {
    g_autofree char *text = NULL;

    g_string_append (lines, "\r\n");
    text = g_strconcat (lines->str, request, NULL);
    for (gsize i = 0; i <= 2 * n + size; i++) {
      OctRtspMessage message = oct_rtsp_message_check ((const guint8 *)text, i);
      gboolean whole = i == 2 * n + size;

      g_assert_cmpuint (message.status, ==, 0);
      g_assert_cmpuint (message.length, ==, whole ? size : 0);
      g_assert_cmpuint (message.empty, ==, whole ? 2 * n : 0);
    }
  }
  g_string_truncate (lines, 2);
  g_string_append_len (lines, packet, sizeof packet - 1);
  g_assert_cmpuint (
      oct_rtsp_message_check ((const guint8 *)lines->str, lines->len).length,
      ==, sizeof packet - 1);
  check_refused ("\r\n\r\n\r\n\r\n\r\n\r\n", 400);
  check_refused ("\r\nOPTIONS * RTSP/2.0\r\n\r\n", 505);
}

static void
test_refused (void)
{
  check_refused ("GET /oct HTTP/1.0\r\nx-sessioncookie: 1\r\n\r\n", 505);
  check_refused ("POST /oct RTSP/1.0\r\n\r\n", 405);
  check_refused ("ANNOUNCE rtsp://h/oct RTSP/1.0\r\n\r\n", 405);
  check_refused ("RECORD rtsp://h/oct RTSP/1.0\r\n\r\n", 405);
  check_refused ("OPTIONS * RTSP/2.0\r\n\r\n", 505);
  check_refused ("RTSP/1.0 200 OK\r\n\r\n", 400);
  check_refused ("OPTIONS  RTSP/1.0\r\n\r\n", 400);
  check_refused ("OPTIONS\r\n\r\n", 400);
  check_refused ("OPTIONS a\tb RTSP/1.0\r\n\r\n", 400);
  check_refused ("OPTIONS * RTSP/1.0\r\nfirst\r\n\r\n", 400);
  check_refused ("OPTIONS * RTSP/1.0\nCSeq: 1\n\n", 400);
  check_refused ("OPTIONS * RTSP/1.0\r\nA: b\r\n c: d\r\n\r\n", 400);
  check_refused ("OPTIONS * RTSP/1.0\r\nA: b\rContent-Length: 1\r\n\r\n", 400);
}

/* Ambiguous lengths are not passed on. */
static void
test_lengths (void)
{
  static const char *const malformed[] = { "-1", "+1", "0x5", "1 1", "", "5,5",
    "5\r\nContent-Length: 5", "5\r\nTransfer-Encoding: chunked" };
  static const char *const large[] = { "4097", "2000000000",
    "18446744073709551617", "99999" };

  for (guint i = 0; i < G_N_ELEMENTS (malformed) + G_N_ELEMENTS (large); i++) {
    gboolean is_large = i >= G_N_ELEMENTS (malformed);
    g_autofree char *text =
        g_strdup_printf ("OPTIONS * RTSP/1.0\r\nContent-Length: %s\r\n\r\n",
            is_large ? large[i - G_N_ELEMENTS (malformed)] : malformed[i]);

    check_refused (text, is_large ? 413 : 400);
  }
  check_refused ("OPTIONS * RTSP/1.0\r\nContent-Length : 5\r\n\r\n", 400);
}

static void
test_endless_head (void)
{
  g_autoptr (GString) text = g_string_new ("OPTIONS * RTSP/1.0\r\n");
  g_autoptr (GString) many = g_string_new ("OPTIONS * RTSP/1.0\r\n");
  g_autofree char *target = g_strnfill (2000, 'a');
  g_autofree char *line =
      g_strdup_printf ("OPTIONS %s RTSP/1.0\r\n\r\n", target);

  while (text->len < OCT_RTSP_MAX_HEAD - 8)
    g_string_append (text, "A: b\r\n");
  g_assert_cmpuint (check_text (text->str).status, ==, 0);
  g_string_append (text, "A: bbbbbbbbbbbb\r\n");
  check_refused (text->str, 413);
  g_string_append (text, "\r\n");
  check_refused (text->str, 413);
  for (guint i = 0; i < 100; i++)
    g_string_append (many, "A: b\r\n");
  g_string_append (many, "\r\n");
  check_refused (many->str, 413);
  check_refused (line, 414);
}

static void
test_packets (void)
{
  guint8 bytes[OCT_RTSP_MAX_PACKET + 4] = { '$', 1, 0, 8 };
  OctRtspMessage message;

  for (guint i = 0; i < sizeof bytes; i++) {
    message = oct_rtsp_message_check (bytes, i);
    g_assert_cmpuint (message.status, ==, 0);
    g_assert_cmpuint (message.length, ==, i >= 12 ? 12 : 0);
  }
  bytes[2] = OCT_RTSP_MAX_PACKET >> 8;
  bytes[3] = OCT_RTSP_MAX_PACKET & 255;
  message = oct_rtsp_message_check (bytes, sizeof bytes);
  g_assert_cmpuint (message.length, ==, sizeof bytes);
  bytes[3]++;
  message = oct_rtsp_message_check (bytes, 4);
  g_assert_cmpuint (message.status, ==, 413);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rtsp-message/requests", test_requests);
  g_test_add_func ("/rtsp-message/empty-lines", test_empty_lines);
  g_test_add_func ("/rtsp-message/refused", test_refused);
  g_test_add_func ("/rtsp-message/lengths", test_lengths);
  g_test_add_func ("/rtsp-message/endless-head", test_endless_head);
  g_test_add_func ("/rtsp-message/packets", test_packets);
  return g_test_run ();
}
