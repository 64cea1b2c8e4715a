/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * B-scans of an input in buffers.
 */
#include "gstoctinput.h"
#include "gstoctscanmeta.h"

#include <string.h>

/* Reads the B-scans to `dest`, rows `stride` bytes apart. */
static gboolean
read_bscans (GstOctInput *input, guint64 frame, const GstOctInfo *info,
    guint8 *dest, gsize stride, GError **error)
{
  guint64 frames = gst_oct_input_get_info (input)->frames;
  guint lines = info->rows / info->bscans;
  guint i;

  for (i = 0; i < info->bscans; i++)
    if (!gst_oct_input_read (input, (frame + i) % frames,
            dest + (gsize)i * lines * stride, stride, error))
      return FALSE;
  return TRUE;
}

gboolean
gst_oct_input_fill (GstOctInput *input, guint64 frame, const GstOctInfo *info,
    GstBuffer *buffer, GError **error)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gsize row = gst_oct_info_row_size (info);
  gsize stride = row, offset = 0, needed, gap;
  GstMapInfo map;
  gboolean ok;
  guint i;

  if (meta != NULL) {
    stride = meta->stride[0];
    offset = meta->offset[0];
  } else if (info->is_video) {
    stride = GST_VIDEO_INFO_PLANE_STRIDE (&info->video, 0);
  }
  needed = offset + stride * (info->rows - 1) + row;
  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "The element after octsrc offers buffers that cannot be written to; "
        "put a queue between them");
    return FALSE;
  }
  ok = map.size >= needed && stride >= row;
  if (!ok) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "The element after octsrc offers buffers of %" G_GSIZE_FORMAT
        " bytes, but %" G_GSIZE_FORMAT " are needed; put a queue between them",
        map.size, needed);
  } else {
    ok = read_bscans (input, frame, info, map.data + offset, stride, error);
    /* the same B-scan is the same bytes, down to the gaps between its rows */
    for (i = 0; i < info->rows && stride > row; i++) {
      gap = MIN (stride - row, map.size - offset - i * stride - row);
      memset (map.data + offset + i * stride + row, 0, gap);
    }
  }
  gst_buffer_unmap (buffer, &map);
  return ok;
}

static void
add_video_meta (const GstOctInfo *info, GstBuffer *buffer, gint stride)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 };
  gint strides[GST_VIDEO_MAX_PLANES] = { stride };

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&info->video), info->columns, info->rows, 1,
      offsets, strides);
}

GstBuffer *
gst_oct_input_wrap (GstOctInput *input, guint64 frame, const GstOctInfo *info,
    gboolean any_stride)
{
  gsize row = gst_oct_info_row_size (info);
  gboolean padded = row * info->rows != info->size;
  GstMemory *memory = NULL;
  GstBuffer *buffer;

  if (!padded || any_stride)
    memory = gst_oct_input_get_memory (input, frame, info->bscans);
  if (memory == NULL)
    return NULL;
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  if (padded)
    add_video_meta (info, buffer, (gint)row);
  return buffer;
}

void
gst_oct_input_tell_lost (GstOctInput *input, guint64 frame,
    const GstOctInfo *info, GstBuffer *buffer)
{
  guint64 frames = gst_oct_input_get_info (input)->frames;
  guint lines = info->rows / info->bscans;
  g_autofree guint8 *valid = g_malloc (info->rows);
  gboolean lost = FALSE;

  memset (valid, 1, info->rows);
  for (guint i = 0; i < info->bscans; i++)
    lost |= gst_oct_input_get_valid (
        input, (frame + i) % frames, valid + (gsize)i * lines);
  if (lost)
    gst_oct_scan_meta_set_valid (buffer, valid, info->rows);
}
