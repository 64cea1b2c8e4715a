/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Options of programs: the sections of --help, --help and --version themselves. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The version of this project; static. */
const char *oct_version_get (void);

/* Adds options, which --help lists below the heading `section`; a program has each
 * section once.  `data`: for callbacks of the options. */
void oct_options_add (GOptionContext *context, const char *section,
    const GOptionEntry *entries, gpointer data);

/* Adds --help, which lists the options of all sections in their order, and then
 * the main entries; and --version, which prints the program's name and the version
 * of this project.  Both end the program. */
void oct_options_add_help (GOptionContext *context);

G_END_DECLS
