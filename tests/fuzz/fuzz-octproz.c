/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as the settings beside a recording of OCTproZ, and as the curve
 * that they may name. */
#include "fuzz-reader.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const char *const names[] = { "x_raw.raw", "x_meta.txt",
    "resampling.csv", NULL };
  const OctReaderSettings settings = { .format = OCT_FILE_OCTPROZ };

  fuzz_open_beside (names, data, size, &settings);
  return 0;
}
