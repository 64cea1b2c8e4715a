/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-levels.h"

#include <gst/video/video.h>

static void
reduce_rows (const GstVideoFrame *from, GstVideoFrame *to)
{
  for (gint row = 0; row < GST_VIDEO_FRAME_HEIGHT (from); row++) {
    const guint8 *deep = (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA (from, 0)
                         + (gsize)row * GST_VIDEO_FRAME_PLANE_STRIDE (from, 0);
    guint8 *grey = (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (to, 0)
                   + (gsize)row * GST_VIDEO_FRAME_PLANE_STRIDE (to, 0);

    for (gint i = 0; i < GST_VIDEO_FRAME_WIDTH (from); i++)
      grey[i] = (guint8)((GST_READ_UINT16_LE (deep + 2 * i) + 128u) / 257u);
  }
}

/* That of the image has other distances of rows. */
static gboolean
drop_layout (GstBuffer *image, GstMeta **meta, gpointer data)
{
  if ((*meta)->info->api == GST_VIDEO_META_API_TYPE)
    *meta = NULL;
  return TRUE;
}

GstBuffer *
oct_live_levels_reduce (GstBuffer *image, GstCaps **caps)
{
  GstVideoInfo deep, grey;
  GstVideoFrame from, to;
  GstBuffer *reduced;

  if (!gst_video_info_from_caps (&deep, *caps)
      || GST_VIDEO_INFO_FORMAT (&deep) != GST_VIDEO_FORMAT_GRAY16_LE)
    return gst_buffer_ref (image);
  if (!gst_video_frame_map (&from, &deep, image, GST_MAP_READ))
    return NULL;
  gst_video_info_set_format (
      &grey, GST_VIDEO_FORMAT_GRAY8, deep.width, deep.height);
  reduced = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&grey), NULL);
  gst_video_frame_map (&to, &grey, reduced, GST_MAP_WRITE);
  reduce_rows (&from, &to);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  gst_buffer_copy_into (reduced, image, GST_BUFFER_COPY_METADATA, 0, -1);
  gst_buffer_foreach_meta (reduced, drop_layout, NULL);
  /* the fields of OCT stay: sizes, B-scans per volume */
  *caps = gst_caps_make_writable (*caps);
  gst_caps_set_simple (*caps, "format", G_TYPE_STRING, "GRAY8", NULL);
  return reduced;
}
