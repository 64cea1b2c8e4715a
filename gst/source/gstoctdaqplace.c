/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctdaqplace.h"

/* Numbers from here on are lies: at 1 GHz they come after a century. */
#define MOST_LINES (G_GUINT64_CONSTANT (1) << 62)

static gboolean
daq_find_place (
    const OctDaqHeader *ring, const OctDaqBlock *head, guint64 *place)
{
  guint64 volume_lines = (guint64)ring->bscans * ring->bscan_lines;

  *place = head->line;
  if (head->line >= MOST_LINES)
    return FALSE;
  if (!(head->flags & OCT_DAQ_HAS_PLACE))
    return TRUE;
  if (ring->bscans == 0 || head->bscan >= ring->bscans
      || head->line_in_bscan >= ring->bscan_lines
      || head->volume >= MOST_LINES / volume_lines)
    return FALSE;
  *place = head->volume * volume_lines
           + (guint64)head->bscan * ring->bscan_lines + head->line_in_bscan;
  return TRUE;
}

gboolean
gst_oct_daq_place_take (GstOctDaqPlace *place, const OctDaqHeader *ring,
    const OctDaqBlock *head, guint64 missed, guint64 *lost, guint64 *overrun)
{
  guint64 more = missed - place->missed;
  guint64 found;
  gboolean ok = daq_find_place (ring, head, &found);

  *overrun = more * ring->lines;
  *lost = *overrun;
  /* what was lost before the first block was nobody's here */
  if (place->begun && head->lost > place->lost)
    *lost += MIN (head->lost - place->lost, MOST_LINES);
  place->begun = TRUE;
  place->lost = head->lost;
  place->missed = missed;
  place->place = found;
  place->left = ok ? ring->lines : 0;
  return ok;
}

gboolean
gst_oct_daq_place_get (
    const GstOctDaqPlace *place, const OctDaqHeader *ring, GstOctDaqRun *run)
{
  run->bscan = place->place / ring->bscan_lines;
  run->row = (guint)(place->place % ring->bscan_lines);
  run->count = MIN (place->left, ring->bscan_lines - run->row);
  run->first = ring->lines - place->left;
  return place->left > 0;
}

void
gst_oct_daq_place_advance (GstOctDaqPlace *place, guint count)
{
  place->place += count;
  place->left -= count;
}
