/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-daq-sim-scan.h"
#include "oct-scan-galvo.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHANNELS 3 /* x, y, gate */

struct _OctDaqSimScan {
  OctDaqSimScanSettings settings;
  char *name; /* to be shown */
  FILE *file;
  OctScanGalvo *galvo;
  guint64 samples; /* read so far */
};

OctDaqSimScan *
oct_daq_sim_scan_new (const OctDaqSimScanSettings *s, GError **error)
{
  OctDaqSimScan *scan = g_new0 (OctDaqSimScan, 1);

  scan->settings = *s;
  scan->name = g_filename_display_name (s->volts);
  scan->galvo =
      oct_scan_galvo_new (s->frequency, s->damping, s->dead, s->rate, error);
  if (scan->galvo != NULL)
    scan->file = g_fopen (s->volts, "rbe");
  if (scan->galvo != NULL && scan->file == NULL)
    g_set_error (error, OCT_ERROR,
        errno == ENOENT ? OCT_ERROR_NOT_FOUND : OCT_ERROR_READ,
        "The voltages '%s' cannot be opened (%s); set --volts to a file or a "
        "pipe that octscangen writes.",
        scan->name, g_strerror (errno));
  if (scan->file != NULL)
    return scan;
  oct_daq_sim_scan_free (scan);
  return NULL;
}

void
oct_daq_sim_scan_free (OctDaqSimScan *scan)
{
  if (scan == NULL)
    return;
  if (scan->file != NULL)
    fclose (scan->file);
  oct_scan_galvo_free (scan->galvo);
  g_free (scan->name);
  g_free (scan);
}

/* Why there is no other sample; an interruption is the end, too. */
static void
sim_scan_explain_end (const OctDaqSimScan *scan, GError **error)
{
  if (ferror (scan->file) && errno != EINTR)
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "The voltages '%s' cannot be read (%s); set --volts to a file or a "
        "pipe that octscangen writes.",
        scan->name, g_strerror (errno));
}

/* The next sample; FALSE: there is none. */
static gboolean
sim_scan_take (
    OctDaqSimScan *scan, OctScanPoint *place, gboolean *gate, GError **error)
{
  const double mm = scan->settings.full_scale / scan->settings.volts_per_mm;
  guint64 raw[CHANNELS];
  double values[CHANNELS];

  if (fread (raw, sizeof raw, 1, scan->file) != 1) {
    sim_scan_explain_end (scan, error);
    return FALSE;
  }
  for (guint i = 0; i < CHANNELS; i++) {
    guint64 bits = GUINT64_FROM_LE (raw[i]);

    memcpy (&values[i], &bits, sizeof bits);
  }
  if (!(fabs (values[0]) <= 1 && fabs (values[1]) <= 1)
      || (values[2] != 0 && values[2] != 1)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "Sample %" G_GUINT64_FORMAT
        " of the voltages '%s' is %g, %g with a gate of %g, but -1 to 1 and a "
        "gate of 0 or 1 are expected; write them by octscangen gate=true ! "
        "audio/x-raw,format=F64LE ! filesink.",
        scan->samples, scan->name, values[0], values[1], values[2]);
    return FALSE;
  }
  scan->samples++;
  *place = oct_scan_galvo_follow (
      scan->galvo, &(OctScanPoint){ { values[0] * mm, values[1] * mm } });
  *gate = values[2] == 1;
  return TRUE;
}

guint
oct_daq_sim_scan_read (OctDaqSimScan *scan, OctScanPoint *places, guint n,
    const volatile sig_atomic_t *stopped, GError **error)
{
  guint found = 0;

  /* the gate may be closed for ever */
  while (found < n && !*stopped) {
    gboolean gate;

    if (!sim_scan_take (scan, &places[found], &gate, error))
      break;
    found += gate;
  }
  return found;
}
