/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-access.h"
#include "oct-file-write.h"
#include "oct-live-session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM_BYTES 32
#define SHORTEST_TOKEN 22 /* 128 bit in base64 */
#define LONGEST_TOKEN 256
#define DIGEST 32   /* SHA-256 */
#define MAX_TRIES 8 /* cookies of one name: each takes its time */

struct _OctLiveAccess {
  gboolean open, tls;
  char *host; /* that it is served at */
  /* names of the cookies: a link for watching, which anybody may hand to a
   * browser, must not take the place of a session for control */
  char *cookies[OCT_ROLE_CONTROL + 1];
  guint8 control[DIGEST], view[DIGEST], key[OCT_LIVE_SESSION_KEY];
};

/* ------------------------------------------------------------------- secrets
 */

static char *
make_secret (void)
{
  guint8 bytes[RANDOM_BYTES];
  char *text;

  if (getentropy (bytes, sizeof bytes) != 0)
    g_error ("The system gives no random numbers: %s.", g_strerror (errno));
  text = g_base64_encode (bytes, sizeof bytes);
  /* as it can stand in an address */
  g_strdelimit (text, "+", '-');
  g_strdelimit (text, "/", '_');
  *strchr (text, '=') = '\0';
  return text;
}

static void
make_digest (const char *secret, guint8 *digest)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize length = DIGEST;

  g_checksum_update (checksum, (const guchar *)secret, -1);
  g_checksum_get_digest (checksum, digest, &length);
}

/* Takes the same time whatever the digests are. */
static gboolean
same_digest (const guint8 *a, const guint8 *b)
{
  volatile guint8 difference = 0;

  for (guint i = 0; i < DIGEST; i++)
    difference |= a[i] ^ b[i];
  return difference == 0;
}

/* -------------------------------------------------------------------- tokens
 */

void
oct_live_tokens_make (OctLiveTokens *tokens)
{
  tokens->control = make_secret ();
  tokens->view = make_secret ();
}

void
oct_live_tokens_clear (OctLiveTokens *tokens)
{
  g_clear_pointer (&tokens->control, g_free);
  g_clear_pointer (&tokens->view, g_free);
}

static gboolean
write_tokens (OctLiveTokens *tokens, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  int code;

  oct_live_tokens_make (tokens);
  text =
      g_strdup_printf ("control %s\nview %s\n", tokens->control, tokens->view);
  code = oct_file_replace (path, text, strlen (text), 0600);
  if (code != 0)
    oct_file_set_write_error (error, path, code);
  return code == 0;
}

static gboolean
access_read_line (OctLiveTokens *tokens, const char *line)
{
  char **token = g_str_has_prefix (line, "control ") ? &tokens->control
                 : g_str_has_prefix (line, "view ")  ? &tokens->view
                                                     : NULL;
  gsize length;

  if (token == NULL || *token != NULL)
    return FALSE;
  *token = g_strstrip (g_strdup (strchr (line, ' ')));
  length = strlen (*token);
  if (length < SHORTEST_TOKEN || length > LONGEST_TOKEN)
    return FALSE;
  for (const char *c = *token; *c; c++)
    if (!g_ascii_isalnum (*c) && strchr ("-_.~", *c) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
read_tokens (OctLiveTokens *tokens, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", 8);

  for (guint i = 0; lines[i] != NULL; i++)
    if (*g_strstrip (lines[i]) != '\0' && !access_read_line (tokens, lines[i]))
      return FALSE;
  return tokens->control != NULL && tokens->view != NULL
         && !g_str_equal (tokens->control, tokens->view);
}

gboolean
oct_live_tokens_load (OctLiveTokens *tokens, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  struct stat status;

  if (stat (path, &status) != 0 && errno == ENOENT)
    return write_tokens (tokens, path, error);
  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  if (status.st_mode & 077) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM,
        "Others than its owner may read '%s'; make it private with chmod 600, "
        "and use new tokens.",
        path);
    return FALSE;
  }
  if (read_tokens (tokens, text))
    return TRUE;
  oct_live_tokens_clear (tokens);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
      "'%s' has to hold two lines, \"control TOKEN\" and \"view TOKEN\", with "
      "different tokens of at least %d letters and digits; without the file "
      "oct-live makes one.",
      path, SHORTEST_TOKEN);
  return FALSE;
}

/* ------------------------------------------------------------------ sessions
 */

OctLiveAccess *
oct_live_access_new (
    const OctLiveTokens *tokens, const char *address, guint port, gboolean tls)
{
  OctLiveAccess *access = g_new0 (OctLiveAccess, 1);

  access->open = tokens == NULL;
  access->tls = tls;
  access->host = strchr (address, ':') != NULL
                     ? g_strdup_printf ("[%s]", address)
                     : g_strdup (address);
  access->cookies[OCT_ROLE_CONTROL] = g_strdup_printf ("oct-live-%u", port);
  access->cookies[OCT_ROLE_VIEW] = g_strdup_printf ("oct-live-%u-view", port);
  if (tokens != NULL) {
    make_digest (tokens->control, access->control);
    make_digest (tokens->view, access->view);
    oct_live_session_make_key (tokens, access->key);
  }
  return access;
}

void
oct_live_access_free (OctLiveAccess *access)
{
  g_free (access->host);
  g_free (access->cookies[OCT_ROLE_CONTROL]);
  g_free (access->cookies[OCT_ROLE_VIEW]);
  g_free (access);
}

gboolean
oct_live_access_is_open (OctLiveAccess *access)
{
  return access->open;
}

gboolean
oct_live_access_is_encrypted (OctLiveAccess *access)
{
  return access->tls;
}

static gint64
access_get_time (void)
{
  return g_get_real_time () / G_TIME_SPAN_SECOND;
}

/* The session of a role by the header Cookie. */
static gboolean
find_cookie (OctLiveAccess *access, OctRole role, const char *cookies,
    OctLiveSession *session)
{
  const char *name = access->cookies[role];
  gsize length = strlen (name);
  g_auto (GStrv) parts = NULL;
  guint tried = 0;

  if (cookies == NULL)
    return FALSE;
  parts = g_strsplit (cookies, ";", 64);
  for (guint i = 0; parts[i] != NULL && tried < MAX_TRIES; i++) {
    const char *part = g_strstrip (parts[i]);

    if (strncmp (part, name, length) != 0 || part[length] != '=')
      continue;
    tried++;
    if (oct_live_session_check (
            access->key, part + length + 1, access_get_time (), session)
        && session->role == role)
      return TRUE;
  }
  return FALSE;
}

char *
oct_live_access_exchange (
    OctLiveAccess *access, const char *token, const char *cookies)
{
  g_autofree char *secret = NULL;
  guint8 digest[DIGEST];
  gboolean control, view;
  OctLiveSession session;
  OctRole role;

  if (access->open)
    return NULL;
  make_digest (token, digest);
  control = same_digest (digest, access->control);
  view = same_digest (digest, access->view);
  if (!control && !view)
    return NULL;
  role = control ? OCT_ROLE_CONTROL : OCT_ROLE_VIEW;
  secret = oct_live_session_make (access->key, role,
      find_cookie (access, role, cookies, &session) ? session.id : NULL,
      access_get_time ());
  return g_strdup_printf ("%s=%s; Path=/; Max-Age=%d; HttpOnly; "
                          "SameSite=Strict%s",
      access->cookies[role], secret, OCT_LIVE_SESSION_SECONDS,
      access->tls ? "; Secure" : "");
}

OctRole
oct_live_access_get_role (
    OctLiveAccess *access, const char *cookies, guint64 *number)
{
  OctLiveSession session;

  if (number != NULL)
    *number = 0;
  if (access->open)
    return OCT_ROLE_CONTROL;
  if (!find_cookie (access, OCT_ROLE_CONTROL, cookies, &session)
      && !find_cookie (access, OCT_ROLE_VIEW, cookies, &session))
    return OCT_ROLE_NOBODY;
  /* 63 bit of its name, and never that of none */
  if (number != NULL)
    *number =
        g_ascii_strtoull (session.id + OCT_LIVE_SESSION_ID / 2, NULL, 16) | 1;
  return session.role;
}

/* ------------------------------------------------------------------- headers
 */

/* A tunnel (ssh -L) may have any port at its other end. */
static gboolean
access_is_host (const char *host, const char *name)
{
  gsize length = strlen (name);
  const char *rest = host + length;

  return g_ascii_strncasecmp (host, name, length) == 0
         && (*rest == '\0'
             || (*rest == ':'
                 && strspn (rest + 1, "0123456789") == strlen (rest + 1)));
}

gboolean
oct_live_access_host_is_ours (OctLiveAccess *access, const char *host)
{
  static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

  if (host == NULL)
    return FALSE;
  if (!access->open)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (access_is_host (host, names[i]))
      return TRUE;
  return access_is_host (host, access->host);
}
