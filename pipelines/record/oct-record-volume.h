/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The film of oct-record's volumes: a branch of its pipeline, from
 * the A-scans to rendered pictures, which holds up nothing else.
 */
#pragma once

#include "oct-launch.h"

G_BEGIN_DECLS

typedef struct {
  gboolean wanted;
  gint bscans;      /* per volume; 0 = as the source says, or the virtual OCT
                       system's own */
  double width_um;  /* of a B-scan, 0 = as the caps say, else assumed */
  double length_um; /* from the first B-scan to the last, the same */
  double turn_rate; /* of the camera around the volume, degrees per second */
} OctRecordVolume;

/* NULL, or the error, one sentence.  `scans`: --bscans is for --scan too, which
 * has a size of its own. */
const char *oct_record_volume_check (
    const OctRecordVolume *volume, gboolean scans);

/* The branch, after a tee called `ascans`. */
const char *oct_record_volume_describe (void);

/* Sets up the elements of the pipeline: those of the branch, and octsrc if it
 * is one of volumes.  `virtual_system`: it scans surgery then. */
void oct_record_volume_set_up (const OctRecordVolume *volume,
    GstElement *pipeline, gboolean virtual_system);

/* A-lines of a B-scan of the virtual OCT system that a film is made of, and how
 * many of them are scanned per second. */
#define OCT_RECORD_VOLUME_LINES 160
#define OCT_RECORD_VOLUME_LINE_RATE 10240.0

/* Source pad of the film. */
GstPad *oct_record_volume_get_film (GstElement *pipeline);

G_END_DECLS
