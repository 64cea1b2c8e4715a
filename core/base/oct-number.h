/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Numbers in sentences: those that are compared with a limit, and counts.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* `value` with `decimals` decimals, or with as many more as it takes until it
 * is on the same side of `limit` as it is without rounding: 14.97 dB are not
 * "15 dB, where 15 are needed".  For a limit that is not round itself, the same
 * call with the two exchanged gives as many decimals. */
char *oct_number_beside (double value, double limit, guint decimals);

/* "1 B-scan", "2 B-scans": `one` is the word for one of them, whose plural ends
 * with an s. */
char *oct_number_count (guint64 count, const char *one);

/* "is" or "are" after such a count. */
const char *oct_number_be (guint64 count);

G_END_DECLS
