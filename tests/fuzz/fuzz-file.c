/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a file of spectra.  HDF5 has a target of its own, which damages
 * none: its library is not ours to mend. */
#include "fuzz-reader.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const OctReaderSettings settings = { 0 };

  if (!fuzz_is_hdf5 (data, size))
    fuzz_open (data, size, &settings);
  return 0;
}
