/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program of a digitizer: daq-writer SOCKET BSCANS writes B-scans of a
 * mirror into a ring, which octdaqsrc reads.  A real one has the board fill
 * `block`. */
#include <math.h>
#include <oct-daq.h>
#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char *argv[])
{
  OctDaqHeader ring = { .flags = OCT_DAQ_LOSSLESS,
    .sample_format = OCT_DAQ_U16,
    .samples = 1024,
    .lines = 64,
    .channels = 1,
    .channel_kind = { OCT_DAQ_OCT },
    .bscans = 16,
    .line_rate = 20000,
    .wavelength_first = 790,
    .wavelength_last = 900 /* nm */ };
  char error[OCT_DAQ_ERROR] = "Usage: daq-writer SOCKET BSCANS";
  OctDaqWriter *writer =
      argc == 3 ? oct_daq_open (argv[1], &ring, NULL, error) : NULL;

  if (writer == NULL)
    return fprintf (stderr, "%s\n", error), 1;
  oct_daq_wait_for_readers (writer, 1, -1);
  for (int n = 0; n < atoi (argv[2]); n++) {
    uint16_t *block = oct_daq_claim (writer, -1); /* [lines][samples] */

    for (unsigned i = 0; i < ring.lines * ring.samples; i++) {
      double k = 2 * M_PI / (0.79 + 0.11 * (i % ring.samples) / 1023);

      block[i] = (uint16_t)lrint (2000 + 1000 * cos (2 * k * 500)); /* 500 um */
    }
    oct_daq_publish (writer, NULL);
  }
  oct_daq_close (writer);
  return 0;
}
