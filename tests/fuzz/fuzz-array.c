/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as an array of NumPy or MATLAB, or as a raw file, with any settings
 * of its type, its dimensions and its channels, which the first bytes choose. */
#include "fuzz-reader.h"

#define CHOICES 7

static guint
choose_zero_or (guint8 byte, guint count)
{
  return byte & 1 ? byte / 2 % count : 0;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const OctFileFormat formats[] = { OCT_FILE_NPY, OCT_FILE_MAT,
    OCT_FILE_RAW };
  OctReaderSettings settings = { 0 };

  if (size < CHOICES || fuzz_is_hdf5 (data + CHOICES, size - CHOICES))
    return 0;
  settings.format = formats[data[0] % G_N_ELEMENTS (formats)];
  settings.stored = (OctStored)(data[1] % OCT_STORED_COUNT);
  settings.lines = choose_zero_or (data[2], 8);
  settings.bscans = choose_zero_or (data[3], 8);
  settings.sample_dimension = choose_zero_or (data[4], 7);
  settings.channel = choose_zero_or (data[5], 66);
  settings.samples = choose_zero_or (data[6], 64);
  fuzz_open (data + CHOICES, size - CHOICES, &settings);
  return 0;
}
