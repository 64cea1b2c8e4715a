/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a Thorlabs .srr file. */
#include "fuzz-reader.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const OctReaderSettings settings = { .format = OCT_FILE_SRR };

  fuzz_open (data, size, &settings);
  return 0;
}
