/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The scanner of oct-daq-sim: the voltages of octscangen, and mirrors that
 * follow them late.
 */
#pragma once

#include "oct-scan-join.h"

#include <signal.h>

G_BEGIN_DECLS

typedef struct {
  char *volts; /* file, or pipe, of octscangen gate=true in F64LE */
  double rate; /* samples per s */
  double volts_per_mm, full_scale;
  /* of the mirrors, as oct_scan_galvo_new() takes them */
  double frequency, damping, dead;
} OctDaqSimScanSettings;

typedef struct _OctDaqSimScan OctDaqSimScan;

/* Opens the voltages; waits for the other end of a pipe.  NULL with
 * OCT_ERROR_NOT_FOUND, _READ or _SETTINGS; to be freed with
 * oct_daq_sim_scan_free(). */
OctDaqSimScan *oct_daq_sim_scan_new (
    const OctDaqSimScanSettings *settings, GError **error);
void oct_daq_sim_scan_free (OctDaqSimScan *scan);

/* Where the beam is at the next `n` A-lines: samples whose gate is open.
 * Returns how many; fewer: the voltages end, `stopped` is set, or with
 * OCT_ERROR_READ or OCT_ERROR_FORMAT: they are not those of octscangen. */
guint oct_daq_sim_scan_read (OctDaqSimScan *scan, OctScanPoint *places, guint n,
    const volatile sig_atomic_t *stopped, GError **error);

G_END_DECLS
