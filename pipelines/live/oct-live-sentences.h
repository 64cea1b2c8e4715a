/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Sentences on failures, for people at the page and at the terminal. */
#pragma once

#include "oct-live-feed.h"

G_BEGIN_DECLS

#define OCT_LIVE_NOTHING_TO_SET                                                \
  "These pictures come finished from their source; there is nothing to set "   \
  "here."
#define OCT_LIVE_NOTHING_TO_TRY                                                \
  "The source of the pictures has ended, and another reconstruction has "      \
  "nothing to be tried with; start oct-live again to choose one."
#define OCT_LIVE_NO_CHANGE                                                     \
  "The source of the pictures has ended before the reconstruction could be "   \
  "changed; the one before stays."
#define OCT_LIVE_SEARCH_ENDED                                                  \
  "The search has ended without a result, as no pictures come any more; "      \
  "begin "                                                                     \
  "again when they do."

/* `what` has failed, with the message of its element; to be freed. */
char *oct_live_describe_failure (const char *what, const char *message);

/* Method `bad` has failed, and `good` is used again; to be freed. */
char *oct_live_describe_revert (
    const char *bad, const char *good, OctLiveBlame blame, const char *message);

/* Why no search can begin now, NULL: one can.  `finished`: the images come so;
 * `none`: no images come. */
const char *oct_live_describe_no_search (
    gboolean finished, gboolean none, gboolean looking);

/* On the terminal: no pictures have come for so many seconds; `any`: some had
 * come before. */
void oct_live_print_stop (gboolean any, double seconds, const char *advice);

G_END_DECLS
