/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctframe.h"

#include <string.h>

void
gst_oct_frame_unmap (GstOctMappedFrame *mapped)
{
  if (mapped->is_video)
    gst_video_frame_unmap (&mapped->video);
  else
    gst_buffer_unmap (mapped->buffer, &mapped->map);
}

void
gst_oct_frame_set_size_error (
    const GstOctInfo *info, gsize size, GError **error)
{
  gsize one = info->size / info->bscans;

  if (info->bscans > 1 && size > 0 && size < info->size && size % one == 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "A buffer of %" G_GSIZE_FORMAT " B-scans arrived where each has to "
        "hold the %u that its caps say; set `bscans` of octgather to that.",
        size / one, info->bscans);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "A buffer of %" G_GSIZE_FORMAT " bytes arrived, one B-scan of %u x %u "
        "values has %" G_GSIZE_FORMAT " bytes; check the caps of the source.",
        size, info->columns, info->rows, info->size);
}

/* Whether a buffer's GstVideoMeta, if any, is of the size that the caps say. */
static gboolean
video_meta_fits (GstBuffer *buffer, const GstVideoInfo *info)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  return meta == NULL
         || (meta->format == GST_VIDEO_INFO_FORMAT (info)
             && (gint)meta->width == GST_VIDEO_INFO_WIDTH (info)
             && (gint)meta->height == GST_VIDEO_INFO_HEIGHT (info));
}

/* Whether the memory reaches to the end of every plane: mapping believes
 * whatever offsets and strides a GstVideoMeta has. */
static gboolean
video_frame_fits (const GstVideoFrame *frame)
{
  guint i;

  for (i = 0; i < MIN (2, GST_VIDEO_FRAME_N_PLANES (frame)); i++) {
    const GstMapInfo *map = &frame->map[frame->meta != NULL ? i : 0];
    gssize row = (gssize)GST_VIDEO_FRAME_COMP_WIDTH (frame, i)
                 * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, i);
    gssize stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, i);
    gsize start = (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (frame, i) - map->data;

    if (stride < row
        || start + (GST_VIDEO_FRAME_COMP_HEIGHT (frame, i) - 1) * stride + row
               > map->size)
      return FALSE;
  }
  return TRUE;
}

/* Operations write the pixels alone, but images that are equal shall be equal
 * as buffers, as checksums of them are compared.  NV12 of an odd height has a
 * row of padding, too. */
static void
clear_padding (const GstVideoFrame *frame)
{
  guint i;

  for (i = 0; i < MIN (2, GST_VIDEO_FRAME_N_PLANES (frame)); i++) {
    const GstMapInfo *map = &frame->map[frame->meta != NULL ? i : 0];
    guint8 *plane = GST_VIDEO_FRAME_PLANE_DATA (frame, i);
    gsize all = map->size - (gsize)(plane - map->data);
    gsize stride = (gsize)GST_VIDEO_FRAME_PLANE_STRIDE (frame, i);
    gsize rows = (gsize)GST_VIDEO_FRAME_COMP_HEIGHT (frame, i), y;
    gsize row = (gsize)GST_VIDEO_FRAME_COMP_WIDTH (frame, i)
                * (gsize)GST_VIDEO_FRAME_COMP_PSTRIDE (frame, i);
    gsize odd = i == 0 && GST_VIDEO_FRAME_N_PLANES (frame) > 1 ? rows % 2 : 0;

    for (y = 0; y < rows + odd; y++) {
      gsize from = y * stride + (y < rows ? row : 0);
      gsize end = MIN ((y + 1) * stride, all);

      if (from < end)
        memset (plane + from, 0, end - from);
    }
  }
}

/* Whether a buffer without a GstVideoMeta has the rows where the caps say.  A
 * driver may append a few bytes.  As many for each row, or for each but the
 * last, are padding. */
static gboolean
rows_are_packed (const GstVideoInfo *info, gsize size)
{
  gsize rows = GST_VIDEO_INFO_HEIGHT (info);
  gsize row = GST_VIDEO_INFO_PLANE_STRIDE (info, 0);
  gsize excess = size - GST_VIDEO_INFO_SIZE (info);

  if (size <= GST_VIDEO_INFO_SIZE (info))
    return TRUE; /* mapping refuses what is too small */
  return excess < row
         && (rows == 1 || (excess % rows != 0 && excess % (rows - 1) != 0));
}

static void
set_padding_error (const GstVideoInfo *info, gsize size, GError **error)
{
  gsize rows = GST_VIDEO_INFO_HEIGHT (info);
  gsize row = GST_VIDEO_INFO_PLANE_STRIDE (info, 0);
  g_autofree char *text = NULL;

  if (GST_VIDEO_INFO_N_PLANES (info) == 1 && size % rows == 0)
    text =
        g_strdup_printf ("rows may be padded to %" G_GSIZE_FORMAT
                         " bytes in place of %" G_GSIZE_FORMAT
                         "; set rawvideoparse plane-strides=\"<%" G_GSIZE_FORMAT
                         ">\" after the source, or have it add a GstVideoMeta",
            size / rows, row, size / rows);
  else
    text = g_strdup ("check the width and the height in the caps of the "
                     "source, or have it add a GstVideoMeta");
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "A buffer of %" G_GSIZE_FORMAT " bytes without a GstVideoMeta arrived, "
      "one frame of %d x %d has %" G_GSIZE_FORMAT " bytes: %s.",
      size, GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info),
      GST_VIDEO_INFO_SIZE (info), text);
}

gboolean
gst_oct_frame_map (GstOctMappedFrame *mapped, const GstOctInfo *info,
    GstBuffer *buffer, GstMapFlags flags, GError **error)
{
  gsize size = gst_buffer_get_size (buffer);
  guint i;

  memset (&mapped->frame, 0, sizeof mapped->frame);
  mapped->is_video = info->is_video;
  mapped->buffer = buffer;
  if (info->is_video) {
    /* buffers that are written come from our own pools, or have a meta */
    if (!(flags & GST_MAP_WRITE) && gst_buffer_get_video_meta (buffer) == NULL
        && !rows_are_packed (&info->video, size)) {
      set_padding_error (&info->video, size, error);
      return FALSE;
    }
    if (video_meta_fits (buffer, &info->video)
        && gst_video_frame_map (&mapped->video, (GstVideoInfo *)&info->video,
            buffer, flags | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
      if (!video_frame_fits (&mapped->video)) {
        gst_video_frame_unmap (&mapped->video);
        goto wrong;
      }
      if ((flags & GST_MAP_READWRITE) == GST_MAP_WRITE)
        clear_padding (&mapped->video);
      for (i = 0; i < MIN (2, GST_VIDEO_FRAME_N_PLANES (&mapped->video)); i++) {
        mapped->frame.planes[i].data =
            GST_VIDEO_FRAME_PLANE_DATA (&mapped->video, i);
        mapped->frame.planes[i].stride =
            GST_VIDEO_FRAME_PLANE_STRIDE (&mapped->video, i);
      }
      return TRUE;
    }
  } else if (size == info->size
             && gst_buffer_map (buffer, &mapped->map, flags)) {
    mapped->frame.planes[0].data = mapped->map.data;
    mapped->frame.planes[0].stride = gst_oct_info_row_size (info);
    return TRUE;
  }

wrong:
  gst_oct_frame_set_size_error (info, size, error);
  return FALSE;
}

gboolean
gst_oct_frame_copy_rows (const GstOctInfo *to_info, GstBuffer *to, guint row,
    const GstOctInfo *from_info, GstBuffer *from, guint count, GError **error)
{
  gsize bytes = gst_oct_info_row_size (from_info);
  GstOctMappedFrame dest, source;
  guint i;

  if (!gst_oct_frame_map (&source, from_info, from, GST_MAP_READ, error))
    return FALSE;
  if (!gst_oct_frame_map (&dest, to_info, to,
          row == 0 ? GST_MAP_WRITE : GST_MAP_READWRITE, error)) {
    gst_oct_frame_unmap (&source);
    return FALSE;
  }
  for (i = 0; i < count; i++) {
    const OctPlane *a = &source.frame.planes[0], *b = &dest.frame.planes[0];

    memcpy ((guint8 *)b->data + (gsize)(row + i) * b->stride,
        (const guint8 *)a->data + (gsize)i * a->stride, bytes);
  }
  gst_oct_frame_unmap (&dest);
  gst_oct_frame_unmap (&source);
  return TRUE;
}
