/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The links to the page: printed, and opened in the browser of a desktop.  Main
 * thread.
 */
#pragma once

#include "oct-live-access.h"
#include "oct-live-options.h"

G_BEGIN_DECLS

void oct_live_links_print (const OctLiveOptions *options, OctLiveAccess *access,
    const OctLiveTokens *tokens, guint port);

/* A file of the user, which leads a browser to the link for control. */
typedef struct _OctLiveLinks OctLiveLinks;

/* Before there is a server.  `alone`: one such program of a user is enough: FALSE
 * if there is another one, whose page was opened then.  `links`: NULL if the
 * file could not be made, which is said. */
gboolean oct_live_links_claim (gboolean alone, OctLiveLinks **links);
/* Opens a browser; a note says if there is none. */
void oct_live_links_open (OctLiveLinks *links, const OctLiveOptions *options,
    OctLiveAccess *access, const OctLiveTokens *tokens, guint port);
void oct_live_links_free (OctLiveLinks *links);

G_END_DECLS
