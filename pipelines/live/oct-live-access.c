/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-access.h"
#include "oct-live-session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

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
