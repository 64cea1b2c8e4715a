/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What programs print.  Names of files, and sentences with them, come from
 * others: they may hold what tells a terminal to do something.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on g_print() and g_printerr() show control characters, and bytes that
 * are no UTF-8, as \x1b and so on, but for ends of lines and tabs, and lines are printed when they
 * are complete.  First in main(). */
void oct_terminal_begin (void);

/* The next g_print() takes the place of the line that is there, if a terminal
 * shows what is printed. */
void oct_terminal_rewrite (void);

G_END_DECLS
