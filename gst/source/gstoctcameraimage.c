/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcameraimage.h"
#include "gstoctcameraframes.h"
#include "gstoctpinned.h"
#include "oct-packed.h"

#include <string.h>

/* Frames that the camera can fill while one is unpacked. */
#define CAMERA_FRAMES 16

/* Memory of a second, within these limits. */
#define LEAST_BUFFERS 16
#define MOST_BUFFERS 1024
#define MOST_BYTES G_GUINT64_CONSTANT (1 << 30)
/* The same if the rate is not known, and of frames as large as a GiB. */
#define SOME_BUFFERS 64
#define FEW_BUFFERS 4

struct _GstOctCameraImages {
  GstOctCameraLayout layout;
  GstOctInfo info;
  gsize stride; /* of a buffer */
  GstOctCameraFrames *frames;
  GstOctCameraFrames *outputs; /* NULL: frames are delivered as they are */
  guint16 *unpacked;           /* a frame, where rows have gaps; or NULL */
};

static GstAllocator *
keep_pinned (GstAllocator *allocator)
{
  return allocator != NULL && gst_oct_pinned_is_allocator (allocator)
             ? gst_object_ref (allocator)
             : NULL;
}

GstAllocator *
gst_oct_camera_find_allocator (GstQuery *query)
{
  GstAllocator *found = NULL;
  guint count = gst_query_get_n_allocation_pools (query);

  for (guint i = 0; i < count && found == NULL; i++) {
    GstBufferPool *pool = NULL;
    GstAllocator *allocator = NULL;
    GstStructure *config;

    gst_query_parse_nth_allocation_pool (query, i, &pool, NULL, NULL, NULL);
    if (pool == NULL)
      continue;
    config = gst_buffer_pool_get_config (pool);
    if (gst_buffer_pool_config_get_allocator (config, &allocator, NULL))
      found = keep_pinned (allocator);
    gst_structure_free (config);
    gst_object_unref (pool);
  }
  return found;
}

guint
gst_oct_camera_images_count_default (
    const GstOctCameraLayout *layout, GstClockTime duration)
{
  guint64 count = SOME_BUFFERS;

  if (GST_CLOCK_TIME_IS_VALID (duration) && duration > 0)
    count = CLAMP (GST_SECOND / duration, LEAST_BUFFERS, MOST_BUFFERS);
  return (guint)MAX (
      FEW_BUFFERS, MIN (count, MOST_BYTES / MAX (layout->size, 1)));
}

GstOctCameraImages *
gst_oct_camera_images_new (const GstOctCameraLayout *layout,
    const GstOctInfo *info, guint count, GstAllocator *allocator,
    gboolean any_stride, GError **error)
{
  GstOctCameraImages *images = g_new0 (GstOctCameraImages, 1);
  gsize row = gst_oct_info_row_size (info);
  gboolean plain = layout->format->packing == GST_OCT_CAMERA_PLAIN;

  images->layout = *layout;
  images->info = *info;
  images->stride =
      any_stride ? row : (gsize)GST_VIDEO_INFO_PLANE_STRIDE (&info->video, 0);
  if (plain && images->stride == row) {
    images->frames = gst_oct_camera_frames_new (
        count, layout->size, row * info->rows, allocator, error);
  } else {
    images->frames = gst_oct_camera_frames_new (
        MIN (count, CAMERA_FRAMES), layout->size, layout->size, NULL, error);
    if (images->frames != NULL)
      images->outputs =
          gst_oct_camera_frames_new (count, images->stride * info->rows,
              images->stride * info->rows, allocator, error);
    if (!plain && images->stride != row)
      images->unpacked = g_new (guint16, (gsize)info->columns * info->rows);
  }
  if (error == NULL || *error == NULL)
    return images;
  gst_oct_camera_images_close (images);
  return NULL;
}

void
gst_oct_camera_images_close (GstOctCameraImages *images)
{
  if (images == NULL)
    return;
  gst_oct_camera_frames_close (images->frames);
  gst_oct_camera_frames_close (images->outputs);
  g_free (images->unpacked);
  g_free (images);
}

void
gst_oct_camera_images_set_stream (GstOctCameraImages *images, ArvStream *stream)
{
  gst_oct_camera_frames_set_stream (images->frames, stream);
}

gboolean
gst_oct_camera_images_check (
    GstOctCameraImages *images, ArvBuffer *filled, GError **error)
{
  const GstOctCameraLayout *layout = &images->layout;
  ArvBufferPayloadType type = arv_buffer_get_payload_type (filled);
  gint padding = 0;

  if (arv_buffer_get_status (filled) == ARV_BUFFER_STATUS_SIZE_MISMATCH) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "A frame of the camera has another size than %u x %u", layout->width,
        layout->height);
    return FALSE;
  }
  if (type != ARV_BUFFER_PAYLOAD_TYPE_IMAGE
      && type != ARV_BUFFER_PAYLOAD_TYPE_EXTENDED_CHUNK_DATA) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "A frame of the camera is not an image (payload type %d)", type);
    return FALSE;
  }
  /* Aravis says nothing more of an incomplete one */
  if (arv_buffer_get_status (filled) != ARV_BUFFER_STATUS_SUCCESS)
    return TRUE;
  arv_buffer_get_image_padding (filled, &padding, NULL);
  if (arv_buffer_get_image_width (filled) == (gint)layout->width
      && arv_buffer_get_image_height (filled) == (gint)layout->height
      && arv_buffer_get_image_pixel_format (filled) == layout->format->code
      && padding == 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "A frame of the camera has %d x %d values of format 0x%08x and %d bytes "
      "of "
      "padding in a line, not %u x %u of 0x%08x without padding",
      arv_buffer_get_image_width (filled), arv_buffer_get_image_height (filled),
      arv_buffer_get_image_pixel_format (filled), padding, layout->width,
      layout->height, layout->format->code);
  return FALSE;
}

/* All values of a frame, without gaps, little endian. */
static void
unpack_frame (
    const GstOctCameraImages *images, const guint8 *packed, guint16 *values)
{
  const GstOctCameraFormat *format = images->layout.format;
  gsize count = (gsize)images->info.columns * images->info.rows;

  if (format->packing == GST_OCT_CAMERA_BITS)
    oct_unpack_bits (packed, values, count, format->bits);
  else
    oct_unpack_pairs (packed, values, count, format->bits);
  if (G_BYTE_ORDER == G_BIG_ENDIAN)
    for (gsize i = 0; i < count; i++)
      values[i] = GUINT16_SWAP_LE_BE (values[i]);
}

static void
convert_frame (const GstOctCameraImages *images, const guint8 *from, guint8 *to)
{
  gsize row = gst_oct_info_row_size (&images->info);

  if (images->layout.format->packing != GST_OCT_CAMERA_PLAIN) {
    guint16 *values =
        images->unpacked != NULL ? images->unpacked : (guint16 *)(gpointer)to;

    unpack_frame (images, from, values);
    from = (const guint8 *)values;
    if (images->unpacked == NULL)
      return;
  }
  for (guint i = 0; i < images->info.rows; i++) {
    memcpy (to + i * images->stride, from + i * row, row);
    memset (to + i * images->stride + row, 0, images->stride - row);
  }
}

static GstMemory *
convert_to_memory (GstOctCameraImages *images, ArvBuffer *filled)
{
  GstMemory *memory = gst_oct_camera_frames_take_idle (images->outputs);
  gsize size;
  const guint8 *from = arv_buffer_get_data (filled, &size);
  GstMapInfo map;

  if (memory != NULL && gst_memory_map (memory, &map, GST_MAP_WRITE)) {
    convert_frame (images, from, map.data);
    gst_memory_unmap (memory, &map);
  }
  gst_oct_camera_frames_give_back (images->frames, filled);
  return memory;
}

GstBuffer *
gst_oct_camera_images_take (GstOctCameraImages *images, ArvBuffer *filled)
{
  const GstVideoInfo *video = &images->info.video;
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 };
  gint strides[GST_VIDEO_MAX_PLANES] = { (gint)images->stride };
  GstMemory *memory = images->outputs != NULL
                          ? convert_to_memory (images, filled)
                          : gst_oct_camera_frames_take (images->frames, filled);
  GstBuffer *buffer;

  if (memory == NULL)
    return NULL;
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  if (strides[0] != GST_VIDEO_INFO_PLANE_STRIDE (video, 0))
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT (video), images->info.columns, images->info.rows,
        1, offsets, strides);
  return buffer;
}

void
gst_oct_camera_images_give_back (GstOctCameraImages *images, ArvBuffer *filled)
{
  gst_oct_camera_frames_give_back (images->frames, filled);
}

static GstOctCameraFrames *
get_delivered (GstOctCameraImages *images)
{
  return images->outputs != NULL ? images->outputs : images->frames;
}

guint
gst_oct_camera_images_count (GstOctCameraImages *images)
{
  return gst_oct_camera_frames_count (get_delivered (images));
}

gboolean
gst_oct_camera_images_all_held (GstOctCameraImages *images)
{
  GstOctCameraFrames *frames = get_delivered (images);

  return gst_oct_camera_frames_count_held (frames)
         == gst_oct_camera_frames_count (frames);
}
