/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers that nearly every file of core/ and cpu/ includes, compiled once. */
#include <glib.h>
#include <math.h>
#include <string.h>
