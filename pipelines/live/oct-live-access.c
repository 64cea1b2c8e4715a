/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-access.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM_BYTES 32
#define SHORTEST_TOKEN 22 /* 128 bit in base64 */
#define LONGEST_TOKEN 256
#define DIGEST 32 /* SHA-256 */
#define SESSION_TIME (12 * G_TIME_SPAN_HOUR)
#define MAX_SESSIONS 256

typedef struct {
  guint8 digest[DIGEST];
  OctLiveRole role;
  gint64 used; /* monotonic, microseconds */
} Session;

struct _OctLiveAccess {
  gboolean open, tls;
  char *cookie; /* name */
  guint8 control[DIGEST], view[DIGEST];
  GArray *sessions;
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

  oct_live_tokens_make (tokens);
  text =
      g_strdup_printf ("control %s\nview %s\n", tokens->control, tokens->view);
  return g_file_set_contents_full (
      path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, error);
}

static gboolean
read_line (OctLiveTokens *tokens, const char *line)
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
    if (*g_strstrip (lines[i]) != '\0' && !read_line (tokens, lines[i]))
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
oct_live_access_new (const OctLiveTokens *tokens, guint port, gboolean tls)
{
  OctLiveAccess *access = g_new0 (OctLiveAccess, 1);

  access->open = tokens == NULL;
  access->tls = tls;
  access->cookie = g_strdup_printf ("oct-live-%u", port);
  access->sessions = g_array_new (FALSE, FALSE, sizeof (Session));
  if (tokens != NULL) {
    make_digest (tokens->control, access->control);
    make_digest (tokens->view, access->view);
  }
  return access;
}

void
oct_live_access_free (OctLiveAccess *access)
{
  g_free (access->cookie);
  g_array_unref (access->sessions);
  g_free (access);
}

gboolean
oct_live_access_is_open (OctLiveAccess *access)
{
  return access->open;
}

/* Forgets sessions that are over, and the one not used for longest where there
 * are too many. */
static void
make_room (OctLiveAccess *access)
{
  gint64 now = g_get_monotonic_time (), oldest = G_MAXINT64;
  guint which = 0;

  for (guint i = access->sessions->len; i-- > 0;) {
    Session *session = &g_array_index (access->sessions, Session, i);

    if (now - session->used > SESSION_TIME)
      g_array_remove_index_fast (access->sessions, i);
  }
  if (access->sessions->len < MAX_SESSIONS)
    return;
  for (guint i = 0; i < access->sessions->len; i++) {
    Session *session = &g_array_index (access->sessions, Session, i);

    if (session->used < oldest) {
      oldest = session->used;
      which = i;
    }
  }
  g_array_remove_index_fast (access->sessions, which);
}

char *
oct_live_access_exchange (OctLiveAccess *access, const char *token)
{
  Session session = { .used = g_get_monotonic_time () };
  g_autofree char *secret = NULL;
  guint8 digest[DIGEST];
  gboolean control, view;

  if (access->open)
    return NULL;
  make_digest (token, digest);
  control = same_digest (digest, access->control);
  view = same_digest (digest, access->view);
  if (!control && !view)
    return NULL;
  make_room (access);
  secret = make_secret ();
  make_digest (secret, session.digest);
  session.role = control ? OCT_LIVE_CONTROL : OCT_LIVE_VIEW;
  g_array_append_val (access->sessions, session);
  return g_strdup_printf ("%s=%s; Path=/; Max-Age=%d; HttpOnly; "
                          "SameSite=Strict%s",
      access->cookie, secret, (int)(SESSION_TIME / G_TIME_SPAN_SECOND),
      access->tls ? "; Secure" : "");
}

static OctLiveRole
find_session (OctLiveAccess *access, const char *secret)
{
  gint64 now = g_get_monotonic_time ();
  OctLiveRole role = OCT_LIVE_NOBODY;
  guint8 digest[DIGEST];

  make_digest (secret, digest);
  for (guint i = 0; i < access->sessions->len; i++) {
    Session *session = &g_array_index (access->sessions, Session, i);

    if (same_digest (digest, session->digest)
        && now - session->used <= SESSION_TIME) {
      session->used = now;
      role = session->role;
    }
  }
  return role;
}

OctLiveRole
oct_live_access_get_role (OctLiveAccess *access, const char *cookies)
{
  gsize length = strlen (access->cookie);
  g_auto (GStrv) parts = NULL;
  OctLiveRole role = OCT_LIVE_NOBODY;

  if (access->open)
    return OCT_LIVE_CONTROL;
  if (cookies == NULL)
    return OCT_LIVE_NOBODY;
  parts = g_strsplit (cookies, ";", 64);
  for (guint i = 0; parts[i] != NULL && role == OCT_LIVE_NOBODY; i++) {
    const char *part = g_strstrip (parts[i]);

    if (strncmp (part, access->cookie, length) == 0 && part[length] == '=')
      role = find_session (access, part + length + 1);
  }
  return role;
}

/* ------------------------------------------------------------------- headers
 */

/* A tunnel (ssh -L) may have any port at its other end. */
gboolean
oct_live_access_host_is_ours (OctLiveAccess *access, const char *host)
{
  static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

  if (host == NULL)
    return FALSE;
  if (!access->open)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gsize length = strlen (names[i]);

    if (g_ascii_strncasecmp (host, names[i], length) == 0
        && (host[length] == '\0'
            || (host[length] == ':'
                && strspn (host + length + 1, "0123456789")
                       == strlen (host + length + 1))))
      return TRUE;
  }
  return FALSE;
}

gboolean
oct_live_access_same_origin (
    OctLiveAccess *access, const char *origin, const char *host)
{
  const char *scheme = access->tls ? "https://" : "http://";

  return origin != NULL && host != NULL && g_str_has_prefix (origin, scheme)
         && g_ascii_strcasecmp (origin + strlen (scheme), host) == 0;
}
