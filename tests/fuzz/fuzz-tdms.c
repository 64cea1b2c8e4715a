/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a TDMS file, whose first channel is divided into B-scans of two
 * A-lines of four samples. */
#include "fuzz-reader.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const OctReaderSettings settings = {
    .format = OCT_FILE_TDMS, .samples = 4, .lines = 2
  };

  fuzz_open (data, size, &settings);
  return 0;
}
