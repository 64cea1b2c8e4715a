/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Output of programs.  Names of files, and sentences with them, come from
 * others: they may hold commands for a terminal.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on g_print() and g_printerr() show control characters, except for
 * ends of lines and tabs, and bytes that are not UTF-8, as \x1b and so on, and
 * lines are printed when they are complete.  First in main(). */
void oct_terminal_begin (void);

/* Prints UTF-8 for another program as it is, whatever the locale.  FALSE:
 * some of this, or of an earlier output, is lost, and a sentence says so. */
gboolean oct_terminal_write (const char *text);

/* The next g_print() takes the place of the line that is there, if a terminal
 * shows what is printed. */
void oct_terminal_rewrite (void);

G_END_DECLS
