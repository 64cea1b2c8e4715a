/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes where octsrc phantom=flow has blood: a byte for each depth of each
 * A-line of the first B-scan of each place, 0 above the surface, 1 tissue, 2
 * blood.
 *
 *   flow-truth SAMPLES LINES BSCANS REPEATS PLACES >FILE */
#include "oct-phantom.h"

#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  g_autoptr (OctPhantom) phantom = NULL;
  g_autofree guint8 *mask = NULL;
  guint n[5] = { 0 };
  gsize size;

  if (argc != 6)
    return 2;
  for (guint i = 0; i < 5; i++)
    n[i] = (guint)strtoul (argv[i + 1], NULL, 10);
  phantom = oct_phantom_new (&(OctPhantomSettings){ .kind = OCT_PHANTOM_FLOW,
                                 .samples = n[0],
                                 .lines = n[1],
                                 .bscans = n[2],
                                 .repeats = n[3],
                                 .sample_format = OCT_SAMPLE_U16,
                                 .noise = 1,
                                 .seed = 1,
                                 .motion = 1,
                                 .flow = 1 },
      NULL);
  size = (gsize)n[1] * (n[0] / 2);
  mask = g_new (guint8, size);
  for (guint place = 0; phantom != NULL && place < n[4]; place++)
    if (!oct_phantom_get_truth (phantom, place * n[3], mask, NULL)
        || fwrite (mask, 1, size, stdout) != size)
      return 1;
  return phantom == NULL;
}
