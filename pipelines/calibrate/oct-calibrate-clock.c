/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibrate-parts.h"

#include "oct-kclock-delay.h"
#include "oct-lines.h"

gboolean
oct_calibrate_clock (const OctCalibrateOptions *options, GError **error)
{
  g_autoptr (OctLines) lines =
      oct_lines_read (options->clock, &options->reader, G_MAXUINT64, error);
  g_autofree float *rows = NULL;
  double delay, deviation;
  gsize values;

  if (lines == NULL)
    return FALSE;
  if (lines->samples % 2 != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "'%s' has A-lines of %u samples, an even number of them was expected: "
        "of every A-line the spectrum and then as many samples of the k-clock; "
        "record octdaqsrc k-clock=true.",
        options->clock, lines->samples);
    return FALSE;
  }
  values = (gsize)lines->lines * lines->samples;
  rows = g_new (float, values);
  for (gsize i = 0; i < values; i++)
    rows[i] = (float)lines->values[i];
  if (!oct_kclock_find_delay (
          rows, lines->samples / 2, lines->lines, &delay, &deviation, error))
    return FALSE;
  g_print ("The spectra come %.3f samples after the k-clock (standard error "
           "%.3f): set delay=%.3f on octkclock.\n",
      delay, deviation, delay);
  return TRUE;
}
