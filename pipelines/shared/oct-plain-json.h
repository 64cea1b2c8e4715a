/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which texts json-glib may read.  It reads more than JSON (texts in a row,
 * comments, assignments, single quotes), each version something else; 1.6
 * overflows the stack at deep ones, and 1.10 ends the program at some.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether text[length], which is UTF-8 without a NUL, may be one JSON object of
 * texts, numbers and truth values, with no object or array in it.  The parser
 * finds out whether it is one. */
gboolean oct_plain_json_is_object (const char *text, gsize length);

G_END_DECLS
