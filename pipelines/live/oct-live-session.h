/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sessions that need no memory: the cookie itself contains the role, and a
 * keyed hash proves that this program made it.  The key comes from the tokens,
 * so that a cookie is right for as long as they are, also after a restart with
 * the same --token-file; new tokens end all sessions.
 *
 * Nothing of this touches a network or keeps a state; any thread.
 */
#pragma once

#include "oct-live-tokens.h"
#include "oct-places.h"

G_BEGIN_DECLS

#define OCT_LIVE_SESSION_KEY 32 /* bytes */
#define OCT_LIVE_SESSION_ID 32  /* letters, 128 bit in hex */
#define OCT_LIVE_SESSION_SECONDS (12 * 60 * 60)

typedef struct {
  OctRole role;
  char id[OCT_LIVE_SESSION_ID + 1]; /* random, of this session alone: limits
                                       per session count by it */
  gint64 expires;                   /* s since 1970 */
} OctLiveSession;

/* `key` gets OCT_LIVE_SESSION_KEY bytes, always the same for the same tokens;
 * none of the tokens can be found from it. */
void oct_live_session_make_key (const OctLiveTokens *tokens, guint8 *key);

/* A session of `role` (view or control) that lasts OCT_LIVE_SESSION_SECONDS
 * from `now`, in s since 1970: the value of a cookie, to free.  It has letters,
 * digits and '.' only.  `id`: that of a session that goes on, NULL for a new
 * one. */
char *oct_live_session_make (
    const guint8 *key, OctRole role, const char *id, gint64 now);

/* Whether `cookie`, from anybody, is one that was made with `key` and is not
 * over at `now`; `session`, which may be NULL, is filled then and otherwise
 * that of nobody.  Takes a time that does not depend on how much of it is
 * right. */
gboolean oct_live_session_check (
    const guint8 *key, const char *cookie, gint64 now, OctLiveSession *session);

G_END_DECLS
