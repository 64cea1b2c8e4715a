/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tokens, sessions, and which pages may talk to the server. */
#include "oct-live-access.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

static OctLiveAccess *
new_guarded (OctLiveTokens *tokens, gboolean tls)
{
  oct_live_tokens_make (tokens);
  return oct_live_access_new (tokens, "0.0.0.0", 8080, tls);
}

/* The cookie that a browser sends back. */
static char *
get_cookie (const char *header)
{
  return g_strndup (header, strcspn (header, ";"));
}

static void
test_tokens_are_random (void)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < 500; i++) {
    OctLiveTokens tokens = { 0 };

    oct_live_tokens_make (&tokens);
    g_assert_cmpuint (strlen (tokens.control), ==, 43); /* 256 bit, base64 */
    g_assert_true (g_hash_table_add (seen, g_strdup (tokens.control)));
    g_assert_true (g_hash_table_add (seen, g_strdup (tokens.view)));
    oct_live_tokens_clear (&tokens);
  }
}

static void
test_exchange (void)
{
  OctLiveTokens tokens = { 0 };
  OctLiveAccess *access = new_guarded (&tokens, TRUE);
  g_autofree char *control =
      oct_live_access_exchange (access, tokens.control, NULL);
  g_autofree char *view = oct_live_access_exchange (access, tokens.view, NULL);
  g_autofree char *again = oct_live_access_exchange (access, tokens.view, NULL);
  g_autofree char *control_cookie = get_cookie (control);
  g_autofree char *view_cookie = get_cookie (view);
  g_autofree char *among =
      g_strdup_printf ("a=1; %s; oct-live-80801=x", view_cookie);

  g_assert_nonnull (strstr (control, "; HttpOnly"));
  g_assert_nonnull (strstr (control, "; SameSite=Strict"));
  g_assert_nonnull (strstr (control, "; Secure"));
  g_assert_null (strstr (control, tokens.control));
  g_assert_cmpstr (view, !=, again);
  g_assert_cmpint (oct_live_access_get_role (access, control_cookie, NULL), ==,
      OCT_ROLE_CONTROL);
  g_assert_cmpint (
      oct_live_access_get_role (access, view_cookie, NULL), ==, OCT_ROLE_VIEW);
  g_assert_cmpint (
      oct_live_access_get_role (access, among, NULL), ==, OCT_ROLE_VIEW);
  oct_live_access_free (access);
  oct_live_tokens_clear (&tokens);
}

static void
test_wrong (void)
{
  OctLiveTokens tokens = { 0 };
  OctLiveAccess *access = new_guarded (&tokens, FALSE);
  g_autofree char *longer = g_strconcat (tokens.control, "a", NULL);
  g_autofree char *shorter = g_strndup (tokens.control, 42);
  g_autofree char *as_cookie =
      g_strconcat ("oct-live-8080=", tokens.control, NULL);
  const char *const wrong[] = { "", "x", longer, shorter };
  const char *const cookies[] = { NULL, "", ";;;",
    "oct-live-8080=", "oct-live-8080", as_cookie,
    "oct-live-8080=;oct-live-8080=x" };
  g_autofree char *plain = oct_live_access_exchange (access, tokens.view, NULL);

  g_assert_null (strstr (plain, "Secure"));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_null (oct_live_access_exchange (access, wrong[i], NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cookies); i++)
    g_assert_cmpint (oct_live_access_get_role (access, cookies[i], NULL), ==,
        OCT_ROLE_NOBODY);
  oct_live_access_free (access);
  oct_live_tokens_clear (&tokens);
}

/* However many there are, no session ends for another one, with the right to
 * control or to watch. */
static void
test_many_sessions (void)
{
  OctLiveTokens tokens = { 0 };
  OctLiveAccess *access = new_guarded (&tokens, FALSE);
  g_autofree char *control =
      oct_live_access_exchange (access, tokens.control, NULL);
  g_autofree char *watcher =
      oct_live_access_exchange (access, tokens.view, NULL);
  g_autofree char *control_cookie = get_cookie (control);
  g_autofree char *watcher_cookie = get_cookie (watcher);

  for (guint i = 0; i < 1000; i++) {
    g_autofree char *more = oct_live_access_exchange (
        access, i % 2 == 0 ? tokens.view : tokens.control, NULL);

    g_assert_nonnull (more);
  }
  g_assert_cmpint (oct_live_access_get_role (access, control_cookie, NULL), ==,
      OCT_ROLE_CONTROL);
  g_assert_cmpint (oct_live_access_get_role (access, watcher_cookie, NULL), ==,
      OCT_ROLE_VIEW);
  oct_live_access_free (access);
  oct_live_tokens_clear (&tokens);
}

/* Pages come back by themselves after a restart with the same tokens, and with
 * other tokens nobody does. */
static void
test_restart (void)
{
  OctLiveTokens tokens = { 0 }, others = { 0 };
  OctLiveAccess *access = new_guarded (&tokens, TRUE);
  OctLiveAccess *again = oct_live_access_new (&tokens, "0.0.0.0", 8080, TRUE);
  OctLiveAccess *other = new_guarded (&others, TRUE);
  g_autofree char *control =
      oct_live_access_exchange (access, tokens.control, NULL);
  g_autofree char *view = oct_live_access_exchange (access, tokens.view, NULL);
  g_autofree char *control_cookie = get_cookie (control);
  g_autofree char *view_cookie = get_cookie (view);
  /* a proof of the right to watch does not prove the right to control */
  g_autofree char *raised =
      g_strconcat ("oct-live-8080=", strchr (view_cookie, '=') + 1, NULL);
  guint64 before, after;

  g_assert_cmpint (oct_live_access_get_role (access, control_cookie, &before),
      ==, OCT_ROLE_CONTROL);
  g_assert_cmpint (oct_live_access_get_role (again, control_cookie, &after), ==,
      OCT_ROLE_CONTROL);
  g_assert_cmpuint (before, ==, after);
  g_assert_cmpint (
      oct_live_access_get_role (again, view_cookie, NULL), ==, OCT_ROLE_VIEW);
  g_assert_cmpint (
      oct_live_access_get_role (again, raised, NULL), ==, OCT_ROLE_NOBODY);
  g_assert_cmpint (oct_live_access_get_role (other, control_cookie, NULL), ==,
      OCT_ROLE_NOBODY);
  oct_live_access_free (access);
  oct_live_access_free (again);
  oct_live_access_free (other);
  oct_live_tokens_clear (&tokens);
  oct_live_tokens_clear (&others);
}

static void
test_hosts (void)
{
  static const char *const ours[] = { "localhost", "LOCALHOST:8080",
    "127.0.0.1:9", "[::1]:8080" };
  static const char *const theirs[] = { "", "evil.example", "localhost.evil",
    "localhost:80@evil", "127.0.0.1.evil:80", "127.0.0.2", "[::1]x",
    "localhost:80:80", "evil.example:8080" };
  OctLiveTokens tokens = { 0 };
  OctLiveAccess *open = oct_live_access_new (NULL, "127.0.0.1", 8080, FALSE);
  OctLiveAccess *guarded = new_guarded (&tokens, TRUE);

  g_assert_cmpint (
      oct_live_access_get_role (open, NULL, NULL), ==, OCT_ROLE_CONTROL);
  g_assert_null (oct_live_access_exchange (open, "", NULL));
  g_assert_false (oct_live_access_host_is_ours (open, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (ours); i++)
    g_assert_true (oct_live_access_host_is_ours (open, ours[i]));
  for (guint i = 0; i < G_N_ELEMENTS (theirs); i++) {
    g_assert_false (oct_live_access_host_is_ours (open, theirs[i]));
    g_assert_true (oct_live_access_host_is_ours (guarded, theirs[i]));
  }
  oct_live_access_free (open);
  oct_live_access_free (guarded);
  oct_live_tokens_clear (&tokens);
}

/* A link that leads to an address of this computer other than 127.0.0.1. */
static void
test_other_loopback (void)
{
  OctLiveAccess *second = oct_live_access_new (NULL, "127.0.0.2", 8080, FALSE);
  OctLiveAccess *six = oct_live_access_new (NULL, "::1", 8080, FALSE);

  g_assert_true (oct_live_access_host_is_ours (second, "127.0.0.2:8080"));
  g_assert_true (oct_live_access_host_is_ours (second, "127.0.0.2"));
  g_assert_true (oct_live_access_host_is_ours (second, "localhost:8080"));
  g_assert_false (oct_live_access_host_is_ours (second, "127.0.0.20"));
  g_assert_false (oct_live_access_host_is_ours (second, "127.0.0.3:8080"));
  g_assert_true (oct_live_access_host_is_ours (six, "[::1]:8080"));
  g_assert_false (oct_live_access_host_is_ours (six, "127.0.0.2"));
  oct_live_access_free (second);
  oct_live_access_free (six);
}

/* The same browser again: the same session.  A link for watching, which a page
 * of others may open, does not reduce a right to control. */
static void
test_again (void)
{
  OctLiveTokens tokens = { 0 };
  OctLiveAccess *access = new_guarded (&tokens, FALSE);
  g_autofree char *control =
      oct_live_access_exchange (access, tokens.control, NULL);
  g_autofree char *control_cookie = get_cookie (control);
  g_autofree char *again =
      oct_live_access_exchange (access, tokens.control, control_cookie);
  g_autofree char *view =
      oct_live_access_exchange (access, tokens.view, control_cookie);
  g_autofree char *view_cookie = get_cookie (view);
  g_autofree char *both =
      g_strdup_printf ("%s; %s", view_cookie, control_cookie);
  g_autofree char *again_cookie = get_cookie (again);
  guint64 first, second;

  g_assert_cmpstr (view_cookie, !=, control_cookie);
  /* a browser keeps cookies by their names */
  g_assert_cmpint (strcspn (view, "="), !=, strcspn (control, "="));
  g_assert_cmpint (
      oct_live_access_get_role (access, both, &first), ==, OCT_ROLE_CONTROL);
  g_assert_cmpint (oct_live_access_get_role (access, control_cookie, &second),
      ==, OCT_ROLE_CONTROL);
  g_assert_cmpuint (first, ==, second);
  g_assert_cmpuint (first, >, 0);
  g_assert_cmpint (oct_live_access_get_role (access, again_cookie, &second), ==,
      OCT_ROLE_CONTROL);
  g_assert_cmpuint (first, ==, second);
  oct_live_access_free (access);
  oct_live_tokens_clear (&tokens);
}

static void
expect_refused (const char *path, const char *text, int mode)
{
  g_autoptr (GError) error = NULL;
  OctLiveTokens tokens = { 0 };

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_chmod (path, mode);
  g_assert_false (oct_live_tokens_load (&tokens, path, &error));
  g_assert_nonnull (strstr (error->message, path));
}

static void
test_token_file (void)
{
  static const char *const bad[] = { "",
    "control short\nview 1234567890123456789012\n",
    "control aaaaaaaaaaaaaaaaaaaaaaaa\n",
    "control aaaaaaaaaaaaaaaaaaaaaaaa\nview aaaaaaaaaaaaaaaaaaaaaaaa\n",
    "control aaaaaaaaaaaaaaaaaaaaaaa&\nview bbbbbbbbbbbbbbbbbbbbbbbb\n",
    "control aaaaaaaaaaaaaaaaaaaaaaaa\nview bbbbbbbbbbbbbbbbbbbbbbbb\nx\n" };
  g_autofree char *folder = g_dir_make_tmp ("oct-live-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "tokens", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "none", "tokens", NULL);
  g_autoptr (GError) error = NULL;
  OctLiveTokens made = { 0 }, read = { 0 };
  struct stat status;

  g_assert_false (oct_live_tokens_load (&made, nowhere, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "/none/tokens' cannot be written"));
  oct_live_tokens_clear (&made);
  g_assert_true (oct_live_tokens_load (&made, path, NULL));
  g_assert_cmpint (stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
  g_assert_true (oct_live_tokens_load (&read, path, NULL));
  g_assert_cmpstr (made.control, ==, read.control);
  g_assert_cmpstr (made.view, ==, read.view);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    expect_refused (path, bad[i], 0600);
  expect_refused (path,
      "control aaaaaaaaaaaaaaaaaaaaaaaa\nview bbbbbbbbbbbbbbbbbbbbbbbb\n",
      0644);
  oct_live_tokens_clear (&made);
  oct_live_tokens_clear (&read);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/access/random", test_tokens_are_random);
  g_test_add_func ("/live/access/exchange", test_exchange);
  g_test_add_func ("/live/access/wrong", test_wrong);
  g_test_add_func ("/live/access/many-sessions", test_many_sessions);
  g_test_add_func ("/live/access/restart", test_restart);
  g_test_add_func ("/live/access/hosts", test_hosts);
  g_test_add_func ("/live/access/other-loopback", test_other_loopback);
  g_test_add_func ("/live/access/again", test_again);
  g_test_add_func ("/live/access/token-file", test_token_file);
  return g_test_run ();
}
