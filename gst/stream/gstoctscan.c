/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctscan.h"

#include <string.h>

void
gst_oct_scan_forget (GstOctScan *scan)
{
  scan->begun = scan->ended = scan->anew = FALSE;
  scan->at = 0;
  scan->image = scan->images = 0;
  scan->last = -1;
  scan->direction = 1;
  scan->steps = 0;
}

void
gst_oct_scan_clear (GstOctScan *scan)
{
  g_free (scan->there);
  memset (scan, 0, sizeof *scan);
  gst_oct_scan_forget (scan);
}

void
gst_oct_scan_take_segment (GstOctScan *scan, GstEvent *event)
{
  guint32 number = gst_event_get_seqnum (event);
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  /* a pad that is linked again gets the same one again */
  if (number == scan->segment_number
      && gst_segment_is_equal (&segment, &scan->segment))
    return;
  scan->segment = segment;
  scan->segment_number = number;
  scan->anew = TRUE;
  /* if nothing says which B-scans they are */
  scan->at = 0;
  scan->image = scan->images = 0;
}

guint
gst_oct_scan_begin (
    GstOctScan *scan, GstBuffer *buffer, const GstOctInfo *input, guint bscans)
{
  GstOctScanPosition position;
  /* one B-scan per volume says as much as nothing if more are needed */
  gboolean has_meta = gst_oct_scan_meta_get (buffer, &position)
                      && (position.bscans > 1 || bscans == 0);

  if (has_meta)
    bscans = position.bscans;
  if (bscans != scan->bscans || has_meta != scan->has_meta) {
    gst_oct_scan_forget (scan);
    scan->bscans = bscans;
    scan->has_meta = has_meta;
    g_free (scan->there);
    scan->there = g_malloc0 (MAX (1, bscans));
  } else if (!has_meta) {
    scan->at += scan->images;
  }
  if (has_meta)
    scan->at = position.volume * position.bscans
               + gst_oct_scan_position_get_index (&position, input->repeats);
  scan->image = 0;
  scan->images = input->bscans;
  return bscans;
}

gboolean
gst_oct_scan_is_first (const GstOctScan *scan, guint bscan, guint repeats)
{
  for (guint before = bscan - bscan % repeats; before < bscan; before++)
    if (scan->there[before] != 0)
      return FALSE;
  return TRUE;
}

static void
scan_begin_volume (GstOctScan *scan, guint64 volume)
{
  scan->volume = volume;
  scan->begun = TRUE;
  scan->ended = scan->anew = FALSE;
  scan->stored = scan->steps = 0;
  scan->last = -1;
  memset (scan->there, 0, scan->bscans);
}

static void
scan_end_volume (GstOctScan *scan)
{
  scan->ended = TRUE;
  scan->counts.volumes++;
  scan->counts.missing += scan->bscans - scan->stored;
}

static void
scan_take (GstOctScan *scan, guint bscan)
{
  if (scan->last >= 0 && scan->last != (gint)bscan) {
    gint direction = (gint)bscan > scan->last ? 1 : -1;

    scan->steps = direction == scan->direction ? scan->steps + 1 : 1;
    scan->direction = direction;
  }
  scan->last = (gint)bscan;
  scan->counts.repeated += scan->there[bscan] != 0;
  scan->stored += scan->there[bscan] == 0;
  scan->there[bscan] = 1;
}

/* One step alone does not show a direction: the first two B-scans may have
 * changed places. */
static gboolean
is_last (const GstOctScan *scan)
{
  gint end = scan->direction > 0 ? (gint)scan->bscans - 1 : 0;

  return scan->stored == scan->bscans || (scan->last == end && scan->steps > 1);
}

gboolean
gst_oct_scan_next (GstOctScan *scan, GstOctScanRun *run)
{
  guint64 at = scan->at + scan->image, volume;
  guint left = scan->images - scan->image;

  memset (run, 0, sizeof *run);
  if (left == 0 || scan->bscans == 0)
    return FALSE;
  volume = at / scan->bscans;
  run->image = scan->image;
  run->bscan = (guint)(at % scan->bscans);
  run->n = MIN (left, scan->bscans - run->bscan);
  scan->image += run->n;
  if (scan->begun && !scan->anew
      && (volume < scan->volume || (volume == scan->volume && scan->ended))) {
    run->drop = TRUE;
    scan->counts.late += run->n;
    return TRUE;
  }
  if (!scan->begun || scan->anew || volume > scan->volume) {
    run->ends_one = scan->begun && !scan->ended;
    if (run->ends_one)
      scan_end_volume (scan);
    scan_begin_volume (scan, volume);
  }
  for (guint i = 0; i < run->n; i++)
    scan_take (scan, run->bscan + i);
  run->ends = is_last (scan);
  if (run->ends)
    scan_end_volume (scan);
  return TRUE;
}
