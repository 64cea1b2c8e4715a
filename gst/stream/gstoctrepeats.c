/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctrepeats.h"
#include "gstoctcaps.h"

/* A block comes out less often. */
static void
repeats_divide_rate (GstStructure *to, GstPadDirection direction, gint bscans)
{
  gint n = 0, d = 1;

  if (gst_structure_get_fraction (to, "framerate", &n, &d)
      && (direction == GST_PAD_SINK || bscans > 0)
      && gst_util_fraction_multiply (n, d,
          direction == GST_PAD_SINK ? 1 : bscans,
          direction == GST_PAD_SINK ? bscans : 1, &n, &d))
    gst_structure_set (to, "framerate", GST_TYPE_FRACTION, n, d, NULL);
  else if (gst_structure_has_field (to, "framerate"))
    gst_structure_set (
        to, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);
}

/* A place has as many blocks as fit into its repeated B-scans; else blocks have
 * B-scans of several places. */
static gint
repeats_count_blocks (gint repeats, gint bscans)
{
  return repeats % bscans == 0 ? repeats / bscans : 1;
}

/* Blocks of B-scans are as far apart as their B-scans are together.  Rows of
 * pictures of octenface are not B-scans. */
static void
repeats_divide_places (GstStructure *to, GstPadDirection direction, gint bscans)
{
  gint repeats = (gint)gst_oct_structure_get_repeats (to), blocks;
  double spacing;

  if (gst_structure_has_field (to, GST_OCT_VIEW_FIELD))
    return;
  /* a quotient would not be that number again */
  if (direction == GST_PAD_SRC) {
    gst_structure_remove_fields (to, "y-spacing", GST_OCT_REPEATS_FIELD, NULL);
    return;
  }
  blocks = repeats_count_blocks (repeats, bscans);
  if (blocks > 1)
    gst_structure_set (to, GST_OCT_REPEATS_FIELD, G_TYPE_INT, blocks, NULL);
  else
    gst_structure_remove_field (to, GST_OCT_REPEATS_FIELD);
  if (gst_structure_get_double (to, "y-spacing", &spacing))
    gst_structure_set (to, "y-spacing", G_TYPE_DOUBLE,
        spacing * bscans * blocks / repeats, NULL);
}

void
gst_oct_repeats_divide (
    GstStructure *to, GstPadDirection direction, guint bscans)
{
  gint some = (gint)bscans;

  if (bscans == 0 && direction == GST_PAD_SINK)
    some = (gint)gst_oct_structure_get_repeats (to);
  if (some == 1)
    return;
  repeats_divide_rate (to, direction, some);
  repeats_divide_places (to, direction, some);
}

gboolean
gst_oct_repeats_take (GstOctRepeats *last, GstBuffer *buffer, guint repeats)
{
  GstOctScanPosition scan;
  GstOctRepeats now = { FALSE };
  gboolean is_another;
  guint repeat;

  if (gst_oct_scan_meta_get (buffer, &scan) && scan.bscans > 1) {
    now.is_known = TRUE;
    now.volume = scan.volume;
    gst_oct_scan_position_get_place (&scan, 0, repeats, &now.place, &repeat);
  }
  is_another = now.is_known && last->is_known
               && (now.volume != last->volume || now.place != last->place);
  if (now.is_known && scan.count > 1) {
    gst_oct_scan_position_get_place (
        &scan, scan.count - 1, repeats, &now.place, &repeat);
    now.volume += ((guint64)scan.bscan + scan.count - 1) / scan.bscans;
  }
  *last = now;
  return is_another;
}

void
gst_oct_repeats_stamp (GstBuffer *buffer, GstClockTime begin, guint bscans)
{
  GstOctScanPosition scan;
  guint place, repeat;

  if (GST_BUFFER_PTS_IS_VALID (buffer) && GST_CLOCK_TIME_IS_VALID (begin)
      && begin <= GST_BUFFER_PTS (buffer)) {
    if (GST_BUFFER_DURATION_IS_VALID (buffer))
      GST_BUFFER_DURATION (buffer) += GST_BUFFER_PTS (buffer) - begin;
    GST_BUFFER_PTS (buffer) = begin;
  }
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  if (!gst_oct_scan_meta_get (buffer, &scan))
    return;
  if (scan.bscans > 1 || scan.has_place) {
    gst_oct_scan_position_get_place (&scan, 0, bscans, &place, &repeat);
    /* those left over at the end of a volume are not a block */
    scan.bscans = MAX (1, scan.bscans / bscans);
    scan.bscan = MIN (place, scan.bscans - 1);
  } else {
    scan.volume /= bscans;
  }
  scan.has_place = FALSE;
  gst_oct_scan_meta_set (buffer, &scan);
}
