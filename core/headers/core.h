/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What nearly every file of core/ and cpu/ includes, compiled once for all. */
#include <glib.h>
#include <math.h>
#include <string.h>
