/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The version, and the answer of every program to --version. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The version of this project; static. */
const char *oct_version_get (void);

/* Adds --version, which prints the program's name and the version of this
 * project and ends the program. */
void oct_version_add (GOptionContext *context);

G_END_DECLS
