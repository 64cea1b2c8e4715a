/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Where the voltages of a scan have left the mirrors, how far, fast and sharply
 * the scan has moved them so far, and ways that keep these limits: from a scan
 * that stops to rest, and from there to a scan that goes on.
 *
 * The first two channels are mirrors; others are 0 on these ways.
 */
#pragma once

#include "gstoctcomediboard.h"
#include "oct-scan-join.h"

G_BEGIN_DECLS

/* All V, V/s, V/s^2; zeros at first. */
typedef struct {
  guint channels;
  double rate;                              /* samples per second */
  gboolean is_used;                         /* `rest` is known */
  double rest[GST_OCT_COMEDI_MAX_CHANNELS]; /* the first sample of all */
  /* what was handed to the board, the last sample and the one before it */
  double last[GST_OCT_COMEDI_MAX_CHANNELS], before[GST_OCT_COMEDI_MAX_CHANNELS];
  /* the last two samples that have come from upstream */
  double seen[2][GST_OCT_COMEDI_MAX_CHANNELS];
  guint n_seen; /* up to 2 */
  OctScanLimits limits;
} GstOctComediMotion;

/* A stream with these sizes follows.  `full_scale` V: a way over twice of it
 * takes 0.1 s at most. */
void gst_oct_comedi_motion_set (
    GstOctComediMotion *motion, guint channels, double rate, double full_scale);
/* volts[n][channels] come from upstream: limits follow from them, and rest from
 * the first. */
void gst_oct_comedi_motion_see (
    GstOctComediMotion *motion, const double *volts, guint n);
/* The next samples do not follow those that were seen. */
void gst_oct_comedi_motion_forget (GstOctComediMotion *motion);
/* volts[n][channels] were handed to the board. */
void gst_oct_comedi_motion_play (
    GstOctComediMotion *motion, const double *volts, guint n);
/* The mirrors stand where the last sample was, or at rest. */
void gst_oct_comedi_motion_stand (GstOctComediMotion *motion, gboolean rest);

/* The samples from the last one to rest, which is the last of them, and then
 * `hold` more of it; or to the first one of volts[n][channels], without it.
 * double [][channels]. */
GArray *gst_oct_comedi_motion_to_rest (
    const GstOctComediMotion *motion, guint hold);
GArray *gst_oct_comedi_motion_to (
    const GstOctComediMotion *motion, const double *volts, guint n);

G_END_DECLS
