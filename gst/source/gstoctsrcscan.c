/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsrcscan.h"
#include "gstoctscanmask.h"
#include "gstoctscanpath.h"

void
gst_oct_src_scan_init (GstOctSrcScan *scan)
{
  gst_oct_next_paths_init (&scan->paths);
}

void
gst_oct_src_scan_clear (GstOctSrcScan *scan)
{
  gst_oct_next_paths_clear (&scan->paths);
}

void
gst_oct_src_scan_begin (GstOctSrcScan *scan)
{
  scan->mask = NULL;
  scan->told = FALSE;
  gst_oct_next_paths_restart (&scan->paths, FALSE);
}

static void
src_scan_follow (GstOctSrcScan *scan, GstBaseSrc *src, GstOctInput *input,
    guint64 frame, guint count)
{
  const OctReaderInfo *info = gst_oct_input_get_info (input);
  g_autoptr (OctScanPlaces) places = gst_oct_next_paths_take (
      &scan->paths, GST_ELEMENT (src), frame, count, info->lines, info->bscans);

  if (places == NULL)
    return;
  if (gst_oct_input_follow (input, places))
    scan->told = FALSE;
  else
    GST_ELEMENT_WARNING (src, STREAM, FORMAT,
        ("A scan path was sent to octsrc, which does not look along one; set "
         "`scan`, without `location`, to have its virtual system do so."),
        (NULL));
}

void
gst_oct_src_scan_send (GstOctSrcScan *scan, GstBaseSrc *src, GstOctInput *input,
    guint64 frame, guint count)
{
  OctScanMask *mask = gst_oct_input_get_scan_mask (input, frame);
  OctScanPlaces *places;

  src_scan_follow (scan, src, input, frame, count);
  places = gst_oct_input_get_places (input);
  if (mask != NULL && mask != scan->mask)
    gst_pad_push_event (
        GST_BASE_SRC_PAD (src), gst_oct_scan_mask_event_new (mask));
  scan->mask = mask;
  if (places != NULL && !scan->told)
    gst_pad_push_event (
        GST_BASE_SRC_PAD (src), gst_oct_scan_path_event_new (places));
  scan->told = TRUE;
}
