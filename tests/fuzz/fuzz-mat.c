/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a file of MATLAB up to 7.2. */
#include "fuzz-reader.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const OctReaderSettings settings = { .format = OCT_FILE_MAT };

  if (!fuzz_is_hdf5 (data, size))
    fuzz_open (data, size, &settings);
  return 0;
}
