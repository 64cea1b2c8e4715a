/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Access: to watch, and to control.
 *
 * Two tokens, one for each, are given out by the person who starts oct-live.  A
 * browser hands one in once and gets a session for it: a cookie that scripts
 * and other sites cannot use (oct-live-session.h).  Without tokens, which is
 * only allowed on this computer itself, everybody may control.
 *
 * Nothing of this touches a network; main thread.
 */
#pragma once

#include "oct-live-tokens.h"
#include "oct-places.h"

G_BEGIN_DECLS

typedef struct _OctLiveAccess OctLiveAccess;

/* `tokens`: copied; NULL for a server that only this computer reaches.
 * `address`: the IP address that it is served at.  `port` distinguishes the
 * cookies of several servers of a computer, `tls` restricts them to encrypted
 * connections. */
OctLiveAccess *oct_live_access_new (
    const OctLiveTokens *tokens, const char *address, guint port, gboolean tls);
void oct_live_access_free (OctLiveAccess *access);

gboolean oct_live_access_is_open (OctLiveAccess *access);
gboolean oct_live_access_is_encrypted (OctLiveAccess *access);

/* In time that does not depend on the tokens.  A token that is right gives the
 * value of a Set-Cookie header, to free; a wrong one NULL.  A client that has a
 * session of this role by `cookies` (header Cookie, or NULL) keeps it, for as
 * long as a new one.  Sessions take no memory here: however many there are,
 * none ends for another. */
char *oct_live_access_exchange (
    OctLiveAccess *access, const char *token, const char *cookies);

/* The role of a request by its Cookie header, which may be NULL: the best that
 * it gives.  `number`, if not NULL, gets a number of the session, 0 if there
 * are none. */
OctRole oct_live_access_get_role (
    OctLiveAccess *access, const char *cookies, guint64 *number);

/* Whether the request's Host header is one of this server: against pages of
 * others whose name was made to lead here (DNS rebinding).  With tokens, every
 * host is right, since the cookie belongs to one. */
gboolean oct_live_access_host_is_ours (OctLiveAccess *access, const char *host);
G_END_DECLS
