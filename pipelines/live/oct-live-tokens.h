/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The two secrets of oct-live: one to control, one to watch.  Main thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  char *control, *view;
} OctLiveTokens;

/* New random tokens of 256 bit. */
void oct_live_tokens_make (OctLiveTokens *tokens);
/* Reads the lines "control TOKEN" and "view TOKEN" of a file that only its
 * owner may read; a file that does not exist is made, with new tokens.  FALSE
 * with an error of one sentence. */
gboolean oct_live_tokens_load (
    OctLiveTokens *tokens, const char *path, GError **error);
void oct_live_tokens_clear (OctLiveTokens *tokens);

G_END_DECLS
