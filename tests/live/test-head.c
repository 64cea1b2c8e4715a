/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which requests reach the HTTP library, by the bytes of their heads. */
#include "oct-live-head.h"
#include "oct-head.h"

#include <string.h>

#define OURS "Host: localhost:8080\r\nOrigin: http://localhost:8080\r\n"
#define UPGRADE                                                                \
  "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"                  \
  "Sec-WebSocket-Version: 13\r\n"                                              \
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

static OctLiveHead
check_tls (const char *text, gboolean tls)
{
  g_assert_cmpuint (oct_head_find_end (text, strlen (text)), ==, strlen (text));
  return oct_live_head_check (text, strlen (text), tls);
}

static guint
check (const char *text)
{
  OctLiveHead head = check_tls (text, FALSE);

  g_assert_true ((head.status == 0) == (head.sentence == NULL));
  g_assert_false (head.status != 0 && head.upgrade);
  return head.status;
}

static guint
check_header (const char *header)
{
  g_autofree char *text = g_strdup_printf (
      "GET / HTTP/1.1\r\nHost: localhost:8080\r\n%s\r\n\r\n", header);

  return check (text);
}

static void
test_end (void)
{
  static const char text[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\nbehind";

  for (gsize length = 0; length < sizeof text; length++)
    g_assert_cmpuint (
        oct_head_find_end (text, length), ==, length >= 27 ? 27 : 0);
  g_assert_cmpuint (oct_head_find_end ("a\n\nb", 4), ==, 3);
  g_assert_cmpuint (oct_head_find_end ("a\r\n\nb", 5), ==, 4);
}

static void
test_fine (void)
{
  static const char *const fine[] = {
    "GET / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n",
    "HEAD / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n",
    "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n",
    "GET /?token=abc-_.~ HTTP/1.1\r\nhost:[::1]:8080\r\n\r\n",
    "GET /snapshot.png?1 HTTP/1.1\r\nHost: localhost:8080\r\n"
    "Content-Length: 0\r\nAccept: */*\r\nCookie: a=b; c=\"d\"\r\n"
    "Connection: keep-alive\r\nSec-Fetch-Site: same-origin\r\n\r\n",
    "GET /live.js HTTP/1.1\r\n" OURS "X-Name: \xc3\xa9\ttab\r\n\r\n",
    "GET /live.js HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: none\r\n\r\n",
    /* a link somewhere else leads to the page */
    "GET /?token=x HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: cross-site\r\n\r\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (fine); i++) {
    g_assert_cmpuint (check (fine[i]), ==, 0);
    g_assert_false (check_tls (fine[i], FALSE).upgrade);
  }
}

static void
test_upgrade (void)
{
  OctLiveHead head =
      check_tls ("GET /socket HTTP/1.1\r\n" OURS UPGRADE "\r\n", FALSE);

  g_assert_cmpuint (head.status, ==, 0);
  g_assert_true (head.upgrade);
  g_assert_true (check_tls ("GET /socket HTTP/1.1\r\nHost: LOCALHOST:8080\r\n"
                            "Origin: http://localhost:8080\r\n" UPGRADE
                            "Sec-Fetch-Site: same-origin\r\n\r\n",
      FALSE)
                     .upgrade);
  g_assert_true (check_tls ("GET /socket HTTP/1.1\r\nHost: localhost:8080\r\n"
                            "Origin: https://localhost:8080\r\n" UPGRADE "\r\n",
      TRUE)
                     .upgrade);
}

/* Whatever a library would make of it, only one path opens a WebSocket. */
static void
test_upgrade_paths (void)
{
  static const char *const paths[] = { "/socket/", "/socket/x", "/socket%2f",
    "/socket%2Fx", "/socket;x", "/socket;", "/socket?", "/socket?x", "//socket",
    "/./socket", "/x/../socket", "/%73ocket", "/socke%74", "/Socket",
    "/socket//", "/socket/..", "/", "/?x", "/snapshot.png", "/stream.mjpg",
    "/nothing", "/socket.", "/socket&", "/socket,", "/socket:80", "/socket@" };
  static const char *const asking[] = { UPGRADE, "Upgrade: websocket\r\n",
    "Sec-WebSocket-Key: x\r\n", "Connection: upgrade\r\n",
    "connection: close,  UPGRADE\r\n",
    "Upgrade: h2c\r\nHTTP2-Settings: AAA\r\n" };
  static const char *const origins[] = { "http://localhost:8080",
    "http://evil.example" };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    for (guint j = 0; j < G_N_ELEMENTS (asking); j++)
      for (guint k = 0; k < G_N_ELEMENTS (origins); k++) {
        g_autofree char *text = g_strdup_printf (
            "GET %s HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: %s\r\n%s\r\n",
            paths[i], origins[k], asking[j]);

        g_assert_cmpuint (check (text), ==, k == 0 ? 404 : 403);
      }
}

static void
test_upgrade_origins (void)
{
  static const char *const origins[] = { "Origin: http://evil.example\r\n", "",
    "Origin: null\r\n", "Origin:\r\n", "Origin: http://localhost\r\n",
    "Origin: http://localhost:8081\r\n", "Origin: https://localhost:8080\r\n",
    "Origin: http://localhost:8080/\r\n", "Origin: http://127.0.0.1:8080\r\n",
    "Origin: http://localhost:80800\r\n", "Origin: localhost:8080\r\n",
    "Origin: ws://localhost:8080\r\n", "Origin: http://x@localhost:8080\r\n",
    "Origin: http://localhost:8080\r\nSec-Fetch-Site: same-site\r\n",
    "Origin: http://localhost:8080\r\nSec-Fetch-Site: cross-site\r\n",
    "Origin: http://localhost:8080\r\nSec-Fetch-Site: none\r\n" };
  static const char *const twice[] = {
    "Origin: http://localhost:8080\r\nOrigin: http://evil.example\r\n",
    "Origin: http://localhost:8080\r\nHost: evil.example\r\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (origins); i++) {
    g_autofree char *text = g_strdup_printf (
        "GET /socket HTTP/1.1\r\nHost: localhost:8080\r\n%s" UPGRADE "\r\n",
        origins[i]);

    g_assert_cmpuint (check (text), ==, 403);
  }
  for (guint i = 0; i < G_N_ELEMENTS (twice); i++) {
    g_autofree char *text = g_strdup_printf (
        "GET /socket HTTP/1.1\r\nHost: localhost:8080\r\n%s" UPGRADE "\r\n",
        twice[i]);

    g_assert_cmpuint (check (text), ==, 400);
  }
  g_assert_cmpuint (
      check_tls ("GET /socket HTTP/1.1\r\n" OURS UPGRADE "\r\n", TRUE).status,
      ==, 403);
}

static void
test_other_sites (void)
{
  static const char *const from[] = { "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: x",
    "Origin: http://localhost:8081", "Origin: http://evil.example",
    "Origin: null" };
  static const char *const paths[] = { "/snapshot.png", "/stream.mjpg",
    "/live.js", "/nothing", "/%3ftoken", "//?" };

  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    for (guint j = 0; j < G_N_ELEMENTS (paths); j++) {
      g_autofree char *text = g_strdup_printf (
          "GET %s HTTP/1.1\r\nHost: localhost:8080\r\n%s\r\n\r\n", paths[j],
          from[i]);

      g_assert_cmpuint (check (text), ==, 403);
    }
}

/* No body, and nothing that a library may take for the beginning of one. */
static void
test_bodies (void)
{
  static const char *const sizes[] = { "Content-Length: -5",
    "Content-Length: 5", "Content-Length: 00", "Content-Length: 0, 5",
    "Content-Length: +0", "Content-Length:", "content-length: 0x0",
    "Content-Length: 99999999999999999999999", "Transfer-Encoding: chunked",
    "Transfer-Encoding: identity",
    "transfer-encoding:", "Content-Length: 0\r\nTransfer-Encoding: chunked" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    g_assert_cmpuint (check_header (sizes[i]), ==, 413);
  g_assert_cmpuint (check_header ("Expect: 100-continue"), ==, 417);
}

static void
test_methods (void)
{
  static const char *const methods[] = { "POST", "PUT", "DELETE", "OPTIONS",
    "CONNECT", "TRACE", "PATCH", "get", "GETT", "PRI" };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    g_autofree char *text =
        g_strdup_printf ("%s / HTTP/1.1\r\nHost: a\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n",
            methods[i]);

    g_assert_cmpuint (check (text), ==, 405);
  }
}

static void
test_malformed (void)
{
  static const char *const bad[] = { "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n",
    "GET / HTTP/1.1\n\n", "GET / HTTP/1.1\r\nHost: a\n\n",
    "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "GET / HTTP/1.11\r\nHost: a\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
    "GET / x HTTP/1.1\r\nHost: a\r\n\r\n", " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "G\tT / HTTP/1.1\r\nHost: a\r\n\r\n", "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET socket HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\\socket HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /%0 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\"<> HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x@a\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
    /* heads without a Host: another sentence, see below */
    "GET / HTTP/1.1\r\nX: a\r\n\r\n", "GET / HTTP/1.0\r\n\r\n" };
  static const char nul[] = "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n";

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    OctLiveHead head = oct_live_head_check (bad[i], strlen (bad[i]), FALSE);

    g_assert_cmpuint (head.status, ==, 400);
  }
  g_assert_cmpuint (
      oct_live_head_check (nul, sizeof nul - 1, FALSE).status, ==, 400);
  g_assert_nonnull (strstr (
      check_tls ("GET / HTTP/1.0\r\n\r\n", FALSE).sentence, "names no host"));
}

static void
test_sizes (void)
{
  g_autofree char *path = g_strnfill (9000, 'a');
  g_autofree char *line =
      g_strdup_printf ("GET /%s HTTP/1.1\r\nHost: a\r\n\r\n", path);
  g_autofree char *value = g_strnfill (OCT_LIVE_MAX_HEAD, 'a');
  g_autofree char *large =
      g_strdup_printf ("GET / HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n", value);
  GString *many = g_string_new ("GET / HTTP/1.1\r\nHost: a\r\n");

  for (guint i = 0; i < 200; i++)
    g_string_append (many, "X: a\r\n");
  g_string_append (many, "\r\n");
  g_assert_cmpuint (check (line), ==, 414);
  g_assert_cmpuint (check (large), ==, 431);
  g_assert_cmpuint (check (many->str), ==, 431);
  g_string_free (many, TRUE);
}

/* Any bytes give an answer, and none but the right ones an upgrade. */
static void
test_random (void)
{
  static const char right[] = "GET /socket HTTP/1.1\r\n" OURS UPGRADE "\r\n";
  gsize length = strlen (right);

  for (guint i = 0; i < 200000; i++) {
    g_autofree char *text = g_strdup (right);
    gsize at = g_test_rand_int_range (0, length);
    OctLiveHead head;

    text[at] = g_test_rand_int_range (0, 256);
    head = oct_live_head_check (text, length, FALSE);
    /* a path or an origin with another letter */
    if (g_ascii_tolower (text[at]) != g_ascii_tolower (right[at])
        && (at < strlen ("GET /socket ") || (at >= 52 && at < 73)))
      g_assert_false (head.upgrade);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/head/end", test_end);
  g_test_add_func ("/live/head/fine", test_fine);
  g_test_add_func ("/live/head/upgrade", test_upgrade);
  g_test_add_func ("/live/head/upgrade-paths", test_upgrade_paths);
  g_test_add_func ("/live/head/upgrade-origins", test_upgrade_origins);
  g_test_add_func ("/live/head/other-sites", test_other_sites);
  g_test_add_func ("/live/head/bodies", test_bodies);
  g_test_add_func ("/live/head/methods", test_methods);
  g_test_add_func ("/live/head/malformed", test_malformed);
  g_test_add_func ("/live/head/sizes", test_sizes);
  g_test_add_func ("/live/head/random", test_random);
  return g_test_run ();
}
