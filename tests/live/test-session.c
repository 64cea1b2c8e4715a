/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cookies that prove themselves. */
#include "oct-live-session.h"

#include <string.h>

#define NOW ((gint64)1795000000)

static const OctLiveTokens tokens = { (char *)"control-control-control",
  (char *)"view-view-view-view-vie" };

static void
assert_nobody (const guint8 *key, const char *cookie, gint64 now)
{
  OctLiveSession session;

  g_assert_false (oct_live_session_check (key, cookie, now, &session));
  g_assert_cmpint (session.role, ==, OCT_ROLE_NOBODY);
  g_assert_cmpstr (session.id, ==, "");
}

/* By the definition of HMAC (RFC 2104) with SHA-256, and not by our code. */
static void
compute_hmac (const guint8 *key, gsize length, const char *text, guint8 *hmac)
{
  guint8 inner[64] = { 0 }, outer[64] = { 0 };
  gsize size = 32;
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);

  g_assert_cmpuint (length, <=, 64);
  memcpy (inner, key, length);
  memcpy (outer, key, length);
  for (guint i = 0; i < 64; i++) {
    inner[i] ^= 0x36;
    outer[i] ^= 0x5c;
  }
  g_checksum_update (checksum, inner, 64);
  g_checksum_update (checksum, (const guchar *)text, -1);
  g_checksum_get_digest (checksum, hmac, &size);
  g_checksum_reset (checksum);
  g_checksum_update (checksum, outer, 64);
  g_checksum_update (checksum, hmac, 32);
  g_checksum_get_digest (checksum, hmac, &size);
  g_checksum_free (checksum);
}

static void
test_made_and_checked (void)
{
  guint8 key[OCT_LIVE_SESSION_KEY], again[OCT_LIVE_SESSION_KEY];
  const OctLiveTokens copy = tokens;
  g_autofree char *control = NULL, *view = NULL, *other = NULL;
  OctLiveSession session, second;

  oct_live_session_make_key (&tokens, key);
  control = oct_live_session_make (key, OCT_ROLE_CONTROL, NULL, NOW);
  view = oct_live_session_make (key, OCT_ROLE_VIEW, NULL, NOW);
  other = oct_live_session_make (key, OCT_ROLE_VIEW, NULL, NOW);
  /* as after a restart */
  oct_live_session_make_key (&copy, again);
  g_assert_cmpmem (key, sizeof key, again, sizeof again);
  g_assert_true (oct_live_session_check (again, control, NOW, &session));
  g_assert_cmpint (session.role, ==, OCT_ROLE_CONTROL);
  g_assert_cmpint (session.expires, ==, NOW + 12 * 60 * 60);
  g_assert_true (oct_live_session_check (again, view, NOW, &session));
  g_assert_cmpint (session.role, ==, OCT_ROLE_VIEW);
  g_assert_cmpuint (strlen (session.id), ==, OCT_LIVE_SESSION_ID);
  g_assert_true (oct_live_session_check (key, other, NOW, &second));
  g_assert_cmpstr (session.id, !=, second.id);
  g_assert_true (oct_live_session_check (key, view, NOW, NULL));
  /* it can stand in a header */
  g_assert_cmpuint (strspn (view, "abcdefghijklmnopqrstuvwxyz0123456789."), ==,
      strlen (view));
  g_assert_null (strstr (view, tokens.view));
}

/* Another program can check the proof from the tokens alone. */
static void
test_known_answer (void)
{
  const char *secret = "control control-control-control\n"
                       "view view-view-view-view-vie\n";
  const char *claim = "v.1795000060.00112233445566778899aabbccddeeff";
  guint8 key[OCT_LIVE_SESSION_KEY], expected[OCT_LIVE_SESSION_KEY], proof[32];
  g_autoptr (GString) cookie = g_string_new (claim);
  OctLiveSession session;

  compute_hmac ((const guint8 *)secret, strlen (secret), "oct-live session 1\n",
      expected);
  oct_live_session_make_key (&tokens, key);
  g_assert_cmpmem (key, sizeof key, expected, sizeof expected);
  compute_hmac (key, sizeof key, claim, proof);
  g_string_append_c (cookie, '.');
  for (guint i = 0; i < sizeof proof; i++)
    g_string_append_printf (cookie, "%02x", proof[i]);
  g_assert_true (oct_live_session_check (key, cookie->str, NOW, &session));
  g_assert_cmpint (session.role, ==, OCT_ROLE_VIEW);
  g_assert_cmpint (session.expires, ==, NOW + 60);
  g_assert_cmpstr (session.id, ==, "00112233445566778899aabbccddeeff");
}

static void
test_time (void)
{
  guint8 key[OCT_LIVE_SESSION_KEY];
  g_autofree char *cookie = NULL;

  oct_live_session_make_key (&tokens, key);
  cookie = oct_live_session_make (key, OCT_ROLE_CONTROL, NULL, NOW);
  g_assert_true (oct_live_session_check (
      key, cookie, NOW + OCT_LIVE_SESSION_SECONDS - 1, NULL));
  assert_nobody (key, cookie, NOW + OCT_LIVE_SESSION_SECONDS);
  assert_nobody (key, cookie, NOW + 1000 * OCT_LIVE_SESSION_SECONDS);
  /* made while the clock was a year ahead */
  assert_nobody (key, cookie, NOW - 365 * 24 * 3600);
  /* set back a little it may be */
  g_assert_true (oct_live_session_check (key, cookie, NOW - 3600, NULL));
}

/* Every letter counts, and none of another key's is right. */
static void
test_forged (void)
{
  static const char *const texts[] = { "", ".", "..", "...", "c", "c.", "c.1.",
    "c.9999999999.00112233445566778899aabbccddeeff",
    "c.9999999999.00112233445566778899aabbccddeeff.",
    ("c.9999999999.00112233445566778899aabbccddeeff."
     "0000000000000000000000000000000000000000000000000000000000000000") };
  const OctLiveTokens changed[] = {
    { tokens.control, (char *)"view-view-view-view-viE" },
    { (char *)"control-control-controL", tokens.view },
    { tokens.view, tokens.control },
  };
  guint8 key[OCT_LIVE_SESSION_KEY], other[OCT_LIVE_SESSION_KEY];
  g_autofree char *cookie = NULL, *huge = g_strnfill (1 << 20, 'c');

  oct_live_session_make_key (&tokens, key);
  cookie = oct_live_session_make (key, OCT_ROLE_VIEW, NULL, NOW);
  for (guint i = 0; i < strlen (cookie); i++) {
    g_autofree char *forged = g_strdup (cookie);

    forged[i] = forged[i] == 'c' ? 'd' : 'c';
    assert_nobody (key, forged, NOW);
    forged[i] = '\0';
    assert_nobody (key, forged, NOW);
    assert_nobody (key, cookie + i + 1, NOW);
  }
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    assert_nobody (key, texts[i], NOW);
  assert_nobody (key, huge, NOW);
  for (guint i = 0; i < G_N_ELEMENTS (changed); i++) {
    oct_live_session_make_key (&changed[i], other);
    assert_nobody (other, cookie, NOW);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/session/made-and-checked", test_made_and_checked);
  g_test_add_func ("/live/session/known-answer", test_known_answer);
  g_test_add_func ("/live/session/time", test_time);
  g_test_add_func ("/live/session/forged", test_forged);
  return g_test_run ();
}
