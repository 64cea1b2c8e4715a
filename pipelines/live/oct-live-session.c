/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-session.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

/* ROLE.EXPIRY.ID.PROOF, as v.1795000000.0f...: the role's letter, decimal
 * seconds, and the HMAC-SHA256 in hex of all that stands before its dot. */
#define PROOF 64
#define LONGEST_CLAIM (2 + 20 + 1 + OCT_LIVE_SESSION_ID)
/* Purpose of the key: other keys made of the tokens must have another one. */
#define PURPOSE "oct-live session 1\n"
/* A cookie that expires later than any of today was made by a clock that was
 * wrong. */
#define LATEST (2 * OCT_LIVE_SESSION_SECONDS)

void
oct_live_session_make_key (const OctLiveTokens *tokens, guint8 *key)
{
  g_autofree char *secret =
      g_strdup_printf ("control %s\nview %s\n", tokens->control, tokens->view);
  g_autoptr (GHmac) hmac =
      g_hmac_new (G_CHECKSUM_SHA256, (const guchar *)secret, strlen (secret));
  gsize length = OCT_LIVE_SESSION_KEY;

  g_hmac_update (hmac, (const guchar *)PURPOSE, strlen (PURPOSE));
  g_hmac_get_digest (hmac, key, &length);
}

static char *
live_session_prove (const guint8 *key, const char *claim)
{
  return g_compute_hmac_for_string (
      G_CHECKSUM_SHA256, key, OCT_LIVE_SESSION_KEY, claim, -1);
}

static void
make_id (char *id)
{
  guint8 random[OCT_LIVE_SESSION_ID / 2];

  if (getentropy (random, sizeof random) != 0)
    g_error ("The system gives no random numbers: %s.", g_strerror (errno));
  for (guint i = 0; i < sizeof random; i++)
    g_snprintf (id + 2 * i, 3, "%02x", random[i]);
}

char *
oct_live_session_make (
    const guint8 *key, OctRole role, const char *id, gint64 now)
{
  char new_id[OCT_LIVE_SESSION_ID + 1];
  g_autofree char *claim = NULL, *proof = NULL;

  g_return_val_if_fail (role != OCT_ROLE_NOBODY, NULL);
  if (id == NULL)
    make_id (new_id);
  claim = g_strdup_printf ("%c.%" G_GINT64_FORMAT ".%s",
      role == OCT_ROLE_CONTROL ? 'c' : 'v', now + OCT_LIVE_SESSION_SECONDS,
      id != NULL ? id : new_id);
  proof = live_session_prove (key, claim);
  return g_strconcat (claim, ".", proof, NULL);
}

/* Compares two proofs of PROOF letters each. */
static gboolean
same_proof (const char *a, const char *b)
{
  volatile guint8 difference = 0;

  for (guint i = 0; i < PROOF; i++)
    difference |= (guint8)a[i] ^ (guint8)b[i];
  return difference == 0;
}

/* The claim is our own: it is proven before it is read. */
static void
read_claim (const char *claim, OctLiveSession *session)
{
  session->role = *claim == 'c' ? OCT_ROLE_CONTROL : OCT_ROLE_VIEW;
  session->expires = g_ascii_strtoll (claim + 2, NULL, 10);
  g_strlcpy (session->id, strrchr (claim, '.') + 1, sizeof session->id);
}

gboolean
oct_live_session_check (
    const guint8 *key, const char *cookie, gint64 now, OctLiveSession *session)
{
  OctLiveSession found = { OCT_ROLE_NOBODY, "", 0 };
  const char *dot = strrchr (cookie, '.');
  gboolean right = FALSE;

  if (dot != NULL && dot - cookie <= LONGEST_CLAIM
      && strlen (dot + 1) == PROOF) {
    g_autofree char *claim = g_strndup (cookie, dot - cookie);
    g_autofree char *proof = live_session_prove (key, claim);

    right = same_proof (proof, dot + 1);
    if (right)
      read_claim (claim, &found);
    right = right && now < found.expires && found.expires - now <= LATEST;
  }
  if (session != NULL)
    *session = right ? found : (OctLiveSession){ OCT_ROLE_NOBODY, "", 0 };
  return right;
}
