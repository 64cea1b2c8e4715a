/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** Finds reconstructions by name. */
#pragma once

#include "oct-methods.h"

G_BEGIN_DECLS

/* The reconstruction of that name, or NULL. */
const OctMethod *oct_method_find (const char *id);

/* Their names, as "cubic, linear, ..."; to free. */
char *oct_method_list (void);

G_END_DECLS
