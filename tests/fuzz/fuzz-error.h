/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The errors of fuzz targets: each is a sentence that can be shown. */
#pragma once

#include <glib.h>

static inline void
fuzz_refuse (const GError *error)
{
  g_assert_nonnull (error);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  /* for replay --tell */
  g_debug ("refused: %s", error->message);
}
