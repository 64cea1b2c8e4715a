/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as the XML beside an .unp file. */
#include "fuzz-reader.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const char *const names[] = { "x.unp", "x.xml", NULL };
  const OctReaderSettings settings = { .format = OCT_FILE_UNP };

  fuzz_open_beside (names, data, size, &settings);
  return 0;
}
