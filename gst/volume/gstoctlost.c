/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctlost.h"
#include "gstoctframe.h"
#include "gstoctscanmeta.h"

#include <string.h>

static guint
lost_count_lines (const GstOctInfo *info)
{
  return info->is_video ? info->columns * info->bscans : info->rows;
}

guint8 *
gst_oct_lost_get_valid (GstBuffer *buffer, const GstOctInfo *info)
{
  guint count = lost_count_lines (info);
  guint8 *valid;

  if (gst_oct_scan_meta_count_lost (buffer, count) == 0)
    return NULL;
  valid = g_malloc (count);
  (void)gst_oct_scan_meta_get_valid (buffer, valid, count);
  return valid;
}

/* All bits are set, which is not a number. */
static void
lost_mark_rows (
    const OctPlane *plane, const GstOctInfo *info, const guint8 *valid)
{
  guint8 *row = plane->data;

  for (guint i = 0; i < info->rows; i++, row += plane->stride)
    if (valid[i] == 0)
      memset (row, 0xff, gst_oct_info_row_size (info));
}

/* The column that is there nearest to `x`, which is lost, of valid[columns];
 * `columns`: there is none. */
static guint
find_nearest (const guint8 *valid, guint columns, guint x)
{
  for (guint d = 1; d < columns; d++) {
    if (d <= x && valid[x - d] != 0)
      return x - d;
    if (d < columns - x && valid[x + d] != 0)
      return x + d;
  }
  return columns;
}

/* B-scans stand below each other. */
static void
lost_fill_columns (
    const OctPlane *plane, const GstOctInfo *info, const guint8 *valid)
{
  gsize size = (gsize)GST_VIDEO_INFO_COMP_PSTRIDE (&info->video, 0);
  guint height = info->rows / info->bscans, columns = info->columns;

  for (guint n = 0; n < info->bscans; n++, valid += columns)
    for (guint x = 0; x < columns; x++) {
      guint from = valid[x] == 0 ? find_nearest (valid, columns, x) : columns;
      guint8 *row = (guint8 *)plane->data + (gsize)n * height * plane->stride;

      for (guint z = 0; from < columns && z < height; z++, row += plane->stride)
        memcpy (row + x * size, row + from * size, size);
    }
}

GstBuffer *
gst_oct_lost_mend (GstBuffer *buffer, const GstOctInfo *info, GError **error)
{
  g_autofree guint8 *valid = gst_oct_lost_get_valid (buffer, info);
  GstOctMappedFrame mapped;

  if (valid == NULL)
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  if (!gst_oct_frame_map (&mapped, info, buffer, GST_MAP_READWRITE, error)) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  if (info->is_video)
    lost_fill_columns (&mapped.frame.planes[0], info, valid);
  else
    lost_mark_rows (&mapped.frame.planes[0], info, valid);
  gst_oct_frame_unmap (&mapped);
  return buffer;
}
