/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The change from one reconstruction to another while the pipeline is playing.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Puts `chain` (a floating reference, taken) between `before` and `after` in
 * place of `old`, as soon as `before` has no buffer under way; all of them are
 * in `pipeline`.  Returns at once: FALSE with an error of one sentence, and
 * nothing changed, when the chain does not take what comes out of `before`. */
gboolean oct_live_chain_replace (GstElement *pipeline, GstElement *before,
    GstElement *old, GstElement *chain, GstElement *after, GError **error);

G_END_DECLS
