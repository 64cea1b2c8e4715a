/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which B-scan and which row each A-line of a digitizer belongs to, by the
 * numbers in the heads of its blocks and never by counting what has come; and
 * how many are lost.
 */
#pragma once

#include <glib.h>
#include "oct-daq.h"

G_BEGIN_DECLS

/* The block at hand, of one ring.  Zeros at first. */
typedef struct {
  gboolean begun;
  guint64 lost;   /* by the digitizer, all in all, as of the last block */
  guint64 missed; /* blocks that the reader has missed, likewise */
  guint64 place;  /* of the next A-line, counted from the first volume on */
  guint left;     /* A-lines of the block that are to be placed */
} GstOctDaqPlace;

/* A-lines that follow each other in a B-scan. */
typedef struct {
  guint64 bscan; /* counted from the first volume on */
  guint row;     /* of the first A-line in that */
  guint count;   /* A-lines */
  guint first;   /* of them, in the block */
} GstOctDaqRun;

/* Takes a block; `missed`: oct_daq_reader_missed().  *lost: A-lines lost before
 * it since the block before, *overrun: those of them that were overwritten.
 * FALSE: its numbers are not possible: its A-lines are to be left out, and are
 * not among those lost. */
gboolean gst_oct_daq_place_take (GstOctDaqPlace *place,
    const OctDaqHeader *ring, const OctDaqBlock *head, guint64 missed,
    guint64 *lost, guint64 *overrun);

/* The next A-lines of the block; FALSE: there are no more. */
gboolean gst_oct_daq_place_get (
    const GstOctDaqPlace *place, const OctDaqHeader *ring, GstOctDaqRun *run);
/* They are done. */
void gst_oct_daq_place_advance (GstOctDaqPlace *place, guint count);

G_END_DECLS
