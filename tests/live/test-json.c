/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages to pages are JSON, and candidates are as libnice expects. */
#include "oct-live-json.h"
#include "oct-live-message.h"

#include <math.h>
#include <string.h>

/* A number by RFC 8259, 6. */
static gboolean
is_number (const char *text)
{
  return g_regex_match_simple (
      "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?$", text, 0, 0);
}

/* The text of a number among others. */
static char *
say (double value)
{
  JsonBuilder *builder = oct_live_json_begin ("test");
  g_autofree char *text = NULL;
  const char *start;

  oct_live_json_add_number (builder, "value", value);
  oct_live_json_add_boolean (builder, "last", TRUE);
  text = oct_live_json_finish (builder);
  g_assert_true (g_str_has_prefix (text, "{\"type\":\"test\",\"value\":"));
  g_assert_true (g_str_has_suffix (text, ",\"last\":true}"));
  start = strstr (text, "\"value\":") + strlen ("\"value\":");
  return g_strndup (start, strcspn (start, ","));
}

static void
check (double value)
{
  g_autofree char *text = say (value);

  if (!isfinite (value)) {
    g_assert_cmpstr (text, ==, "null");
    return;
  }
  if (!is_number (text))
    g_error ("%a gave %s", value, text);
  /* the number itself, or its neighbour */
  g_assert_cmpfloat (fabs (g_ascii_strtod (text, NULL) - value), <=,
      fabs (value) * 0x1p-52 + 0x1p-1074);
}

static void
test_numbers (void)
{
  static const double values[] = { 0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 0.5, 1e-5,
    2e-05, 1e-300, -1e-300, 5e-324, 1e300, -1e300, 1e9, 1e15, 1e16, 1e17, 1e18,
    1e22, 9007199254740991.0, 9007199254740992.0, 9007199254740993.0,
    18446744073709551615.0, 1.7976931348623157e308, 2.2250738585072014e-308,
    1e-4, 1e-7, 3.0e-7, INFINITY, -INFINITY, NAN };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    check (values[i]);
  for (int exponent = -324; exponent <= 308; exponent++)
    for (guint digit = 1; digit < 10; digit++) {
      g_autofree char *text = g_strdup_printf ("%ue%d", digit, exponent);

      check (g_ascii_strtod (text, NULL));
    }
}

static void
test_random_numbers (void)
{
  for (guint i = 0; i < 100000; i++) {
    guint64 bits =
        (guint64)g_test_rand_int () << 32 | (guint32)g_test_rand_int ();
    double value;

    memcpy (&value, &bits, sizeof value);
    check (value);
  }
}

static void
test_exact (void)
{
  static const struct {
    double value;
    const char *text;
  } known[] = { { 0.0, "0" }, { 3.0, "3" }, { -17.0, "-17" },
    { 9007199254740991.0, "9007199254740991" }, { 0.5, "0.5" },
    { 1.25e-3, "0.00125" } };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    g_autofree char *text = say (known[i].value);

    g_assert_cmpstr (text, ==, known[i].text);
  }
}

static void
test_strings (void)
{
  JsonBuilder *builder = oct_live_json_begin ("a\"b\\c\n\x01");
  g_autofree char *text = NULL;

  oct_live_json_add_string (builder, "none", NULL);
  oct_live_json_add_string (builder, "broken",
      "a\xff"
      "b");
  text = oct_live_json_finish (builder);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_nonnull (strstr (text, "\"none\":\"\""));
  g_assert_nonnull (strstr (text, "a\\\"b\\\\c\\n\\u0001"));
}

static void
test_candidates (void)
{
  static const char *const right[] = {
    "candidate:1 1 udp 2130706431 192.0.2.1 50000 typ host",
    "candidate:1 2 UDP 1 ::1 1 typ host",
    "candidate:842163049 1 udp 1677729535 203.0.113.5 46154 typ srflx raddr "
    "192.0.2.1 rport 46154 generation 0 ufrag EEtu network-id 1 network-cost "
    "10",
    "candidate:0 1 UDP 2122252543 c2a5b6e0-3f4d-4d4e-9c0a-111111111111.local "
    "54400 typ host",
    "candidate:1 256 tcp 1518214911 192.0.2.1 9 typ host tcptype active "
    "generation 0 ufrag aaaa network-id 1",
    "candidate:+/aZ 1 udp 2147483647 192.0.2.1 65535 typ relay raddr 0.0.0.0 "
    "rport 0 strange thing",
  };
  static const char *const wrong[] = { "", "candidate:", "candidate:x",
    "candidate:1 0 udp 1 192.0.2.1 5 typ host",
    "candidate:1 257 udp 1 192.0.2.1 5 typ host",
    "candidate:1 -1 udp 1 192.0.2.1 5 typ host",
    "candidate:1 +1 udp 1 192.0.2.1 5 typ host",
    "candidate:1 4294967297 udp 1 192.0.2.1 5 typ host",
    "candidate:1 1 sctp 1 192.0.2.1 5 typ host",
    "candidate:1 1 udp 0 192.0.2.1 5 typ host",
    "candidate:1 1 udp 2147483648 192.0.2.1 5 typ host",
    "candidate:1 1 udp 99999999999999999999 192.0.2.1 5 typ host",
    "candidate:1 1 udp 1 192.0.2 5 typ host",
    "candidate:1 1 udp 1 evil.example 5 typ host",
    "candidate:1 1 udp 1 .local 5 typ host ", "candidate:1 1 udp 1  5 typ host",
    "candidate:1 1 udp 1 192.0.2.1 0 typ host",
    "candidate:1 1 udp 1 192.0.2.1 65536 typ host",
    "candidate:1 1 udp 1 192.0.2.1 5 typ", "candidate:1 1 udp 1 192.0.2.1 5",
    "candidate:1 1 udp 1 192.0.2.1 5 type host",
    "candidate:1 1 udp 1 192.0.2.1 5 typ other",
    "candidate:1 1 udp 1 192.0.2.1 5 typ host raddr",
    "candidate:1 1 udp 1 192.0.2.1 5 typ host raddr x rport 1",
    "candidate:1 1 udp 1 192.0.2.1 5 typ host rport 65536",
    "candidate:1 1 udp 1 192.0.2.1 5 typ host tcptype x",
    "candidate:1 1 udp 1 192.0.2.1 5 typ host generation -1",
    "candidate:1 1 udp 1 192.0.2.1 5 typ host ",
    "candidate:1  1 udp 1 192.0.2.1 5 typ host",
    "candidate:123456789012345678901234567890123 1 udp 1 192.0.2.1 5 typ host",
    "candidate:a-b 1 udp 1 192.0.2.1 5 typ host",
    "a=candidate:1 1 udp 1 192.0.2.1 5 typ host" };

  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    g_assert_true (oct_live_candidate_check (right[i]));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    if (oct_live_candidate_check (wrong[i]))
      g_error ("taken: %s", wrong[i]);
}

/* Right, and of no use: a name would be looked up while everybody waits, and
 * there is one component. */
static void
test_usable (void)
{
  g_assert_true (oct_live_candidate_is_usable (
      "candidate:1 1 udp 1 192.0.2.1 5 typ host"));
  g_assert_true (
      oct_live_candidate_is_usable ("candidate:1 1 udp 1 ::1 5 typ host"));
  g_assert_false (oct_live_candidate_is_usable (
      "candidate:1 1 udp 1 slow.local 5 typ host"));
  g_assert_false (oct_live_candidate_is_usable (
      "candidate:1 256 udp 1 192.0.2.1 5 typ host"));
  g_assert_false (oct_live_candidate_is_usable ("candidate:1 1 udp"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/json/numbers", test_numbers);
  g_test_add_func ("/live/json/random-numbers", test_random_numbers);
  g_test_add_func ("/live/json/exact", test_exact);
  g_test_add_func ("/live/json/strings", test_strings);
  g_test_add_func ("/live/json/candidates", test_candidates);
  g_test_add_func ("/live/json/usable", test_usable);
  return g_test_run ();
}
