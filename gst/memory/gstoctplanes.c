/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctplanes.h"

gsize
gst_oct_plane_stride (const GstOctInfo *info, guint plane)
{
  return info->is_video
             ? (gsize)GST_VIDEO_INFO_PLANE_STRIDE (&info->video, plane)
             : gst_oct_info_row_size (info);
}

guint
gst_oct_count_planes (const GstOctInfo *info)
{
  return info->is_video ? MIN (2, GST_VIDEO_INFO_N_PLANES (&info->video)) : 1;
}

guint
gst_oct_plane_rows (const GstOctInfo *info, guint plane)
{
  return info->is_video
             ? (guint)GST_VIDEO_INFO_COMP_HEIGHT (&info->video, plane)
             : info->rows;
}

gsize
gst_oct_plane_row_bytes (const GstOctInfo *info, guint plane)
{
  return info->is_video
             ? (gsize)GST_VIDEO_INFO_COMP_WIDTH (&info->video, plane)
                   * (gsize)GST_VIDEO_INFO_COMP_PSTRIDE (&info->video, plane)
             : gst_oct_info_row_size (info);
}

OctFrame
gst_oct_planes_in (gpointer memory, const GstOctInfo *info)
{
  OctFrame frame = { 0 };
  guint i;

  for (i = 0; i < gst_oct_count_planes (info); i++) {
    gsize offset = info->is_video ? info->video.offset[i] : 0;

    frame.planes[i].data = (guint8 *)memory + offset;
    frame.planes[i].stride = gst_oct_plane_stride (info, i);
  }
  return frame;
}

gboolean
gst_oct_copy_planes (const OctDevice *device, OctCopy direction,
    const GstOctInfo *info, const OctFrame *dest, const OctFrame *src,
    gpointer stream, GError **error)
{
  guint i;

  for (i = 0; i < gst_oct_count_planes (info); i++) {
    if (!device->copy (direction, dest->planes[i].data, dest->planes[i].stride,
            src->planes[i].data, src->planes[i].stride,
            gst_oct_plane_row_bytes (info, i), gst_oct_plane_rows (info, i),
            stream, error))
      return FALSE;
  }
  return TRUE;
}
