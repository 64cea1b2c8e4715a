/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thorlabs' chirp: where each pixel lies on the axis of uniform wavenumbers, 0
 * the shortest wavelength. */
#include "oct-opening.h"

#include <math.h>

void
oct_chirp_invert (const float *chirp, guint n, double *positions)
{
  for (guint j = 0, i = 0; j < n; j++) {
    while (i + 2 < n && chirp[i + 1] <= j)
      i++;
    positions[n - 1 - j] =
        i + (j - (double)chirp[i]) / (chirp[i + 1] - chirp[i]);
  }
}

gboolean
oct_chirp_check (const char *file, const float *chirp, guint n, GError **error)
{
  gboolean ok = n >= 2 && isfinite (chirp[0]);

  for (guint i = 1; ok && i < n; i++)
    ok = isfinite (chirp[i]) && chirp[i] > chirp[i - 1];
  if (!ok)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s: its chirp does not rise from each pixel to the next; copy it "
        "again, or give a `calibration`",
        file);
  return ok;
}
