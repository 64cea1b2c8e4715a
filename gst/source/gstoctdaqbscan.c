/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctdaqbscan.h"

#include <string.h>

gboolean
gst_oct_daq_bscan_begin (GstOctDaqBscan *bscan, guint64 number,
    const GstOctInfo *info, GstBuffer *buffer, GError **error)
{
  bscan->number = number;
  bscan->rows = bscan->lines = 0;
  if (!gst_oct_frame_map (&bscan->mapped, info, buffer, GST_MAP_WRITE, error)) {
    gst_buffer_unref (buffer);
    return FALSE;
  }
  bscan->buffer = buffer;
  /* the same memory for all B-scans, until clear() */
  bscan->valid = g_realloc (bscan->valid, info->rows);
  memset (bscan->valid, 0, info->rows);
  return TRUE;
}

static guint8 *
daq_bscan_row (GstOctDaqBscan *bscan, guint row)
{
  const OctPlane *plane = &bscan->mapped.frame.planes[0];

  return (guint8 *)plane->data + (gsize)row * plane->stride;
}

/* Rows up to this one that have not come. */
static void
daq_bscan_fill (GstOctDaqBscan *bscan, const GstOctInfo *info, guint until)
{
  for (; bscan->rows < until; bscan->rows++)
    memset (
        daq_bscan_row (bscan, bscan->rows), 0, gst_oct_info_row_size (info));
}

gboolean
gst_oct_daq_bscan_add (GstOctDaqBscan *bscan, const GstOctInfo *info,
    const GstOctDaqRing *ring, const GstOctDaqRun *run)
{
  gboolean whole;

  daq_bscan_fill (bscan, info, run->row);
  whole = gst_oct_daq_ring_copy (ring, run->first, run->count,
      daq_bscan_row (bscan, run->row),
      (gsize)bscan->mapped.frame.planes[0].stride);
  if (whole) {
    memset (bscan->valid + run->row, 1, run->count);
    bscan->rows += run->count;
    bscan->lines += run->count;
  } else {
    daq_bscan_fill (bscan, info, run->row + run->count);
  }
  return whole;
}

GstBuffer *
gst_oct_daq_bscan_end (GstOctDaqBscan *bscan, const GstOctInfo *info)
{
  daq_bscan_fill (bscan, info, info->rows);
  gst_oct_frame_unmap (&bscan->mapped);
  return g_steal_pointer (&bscan->buffer);
}

void
gst_oct_daq_bscan_clear (GstOctDaqBscan *bscan)
{
  if (bscan->buffer != NULL)
    gst_oct_frame_unmap (&bscan->mapped);
  gst_clear_buffer (&bscan->buffer);
  g_clear_pointer (&bscan->valid, g_free);
}
