/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How many samples an A-line has, from values that follow each other as in the
 * file: reading them with another number cuts them in the wrong places.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A-lines that it takes at least. */
#define OCT_REPEAT_LINES 64
/* More values than these are not needed. */
#define OCT_REPEAT_VALUES (1u << 20)

/* The number of samples after which values[count] repeat, 64 or more, or 0 if
 * that is not certain.  The fringe itself has another phase in each A-line, so
 * the square of it is compared: its mean over some samples is the spectrum of
 * the source, which is the same in all A-lines (balanced detection removes only
 * the spectrum itself). */
guint oct_repeat_find (const double *values, gsize count);

G_END_DECLS
