/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctpieces.h"

typedef struct {
  GstMeta meta;
  GPtrArray *pieces; /* GstBuffer without memory, shared by copies */
} PiecesMeta;

static gboolean
pieces_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  ((PiecesMeta *)meta)->pieces = NULL;
  return TRUE;
}

static void
pieces_free (GstMeta *meta, GstBuffer *buffer)
{
  g_clear_pointer (&((PiecesMeta *)meta)->pieces, g_ptr_array_unref);
}

static const GstMetaInfo *get_pieces_info (void);

static gboolean
pieces_transform (
    GstBuffer *to, GstMeta *meta, GstBuffer *from, GQuark type, gpointer data)
{
  PiecesMeta *copy;

  if (!GST_META_TRANSFORM_IS_COPY (type))
    return FALSE;
  copy = (PiecesMeta *)gst_buffer_add_meta (to, get_pieces_info (), NULL);
  copy->pieces = g_ptr_array_ref (((PiecesMeta *)meta)->pieces);
  return TRUE;
}

static GType
pieces_api_get_type (void)
{
  static gsize type = 0;
  static const char *tags[] = { NULL };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, gst_meta_api_type_register ("GstOctPiecesAPI", tags));
  return (GType)type;
}

static const GstMetaInfo *
get_pieces_info (void)
{
  static gsize info = 0;

  if (g_once_init_enter (&info))
    g_once_init_leave (&info,
        (gsize)gst_meta_register (pieces_api_get_type (), "GstOctPieces",
            sizeof (PiecesMeta), pieces_init, pieces_free, pieces_transform));
  return (const GstMetaInfo *)info;
}

static PiecesMeta *
get_pieces (GstBuffer *buffer)
{
  return (PiecesMeta *)gst_buffer_get_meta (buffer, pieces_api_get_type ());
}

/* A statement about memory is not true of the copy, and would keep the piece. */
static gboolean
copy_meta_to_piece (GstBuffer *from, GstMeta **meta, gpointer to)
{
  const GstMetaInfo *info = (*meta)->info;
  GstMetaTransformCopy all = { FALSE, 0, (gsize)-1 };

  if (info->transform_func != NULL
      && info->api != GST_PARENT_BUFFER_META_API_TYPE
      && !gst_meta_api_type_has_tag (
          info->api, g_quark_from_static_string (GST_META_TAG_MEMORY_STR)))
    info->transform_func (to, *meta, from, _gst_meta_transform_copy, &all);
  return TRUE;
}

static GstBuffer *
copy_metadata_of (GstBuffer *piece)
{
  GstBuffer *copy = gst_buffer_new ();

  gst_buffer_copy_into (copy, piece,
      GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize)-1);
  gst_buffer_foreach_meta (piece, copy_meta_to_piece, copy);
  return copy;
}

typedef struct {
  GstBuffer *buffer;
  GstMapInfo map;
} Piece;

static void
release_piece (gpointer data)
{
  Piece *piece = data;

  gst_buffer_unmap (piece->buffer, &piece->map);
  gst_buffer_unref (piece->buffer);
  g_free (piece);
}

static GQuark
origin_quark (void)
{
  return g_quark_from_static_string ("gst-oct-piece-origin");
}

/* Memory of its own kind, and not that of the piece itself: that would have two
 * owners, and a pool throws away a buffer whose memory others hold, too. */
static GstMemory *
wrap_piece (GstBuffer *buffer, gsize size)
{
  Piece *piece = g_new0 (Piece, 1);
  GstMemory *memory;

  if (!gst_buffer_map (buffer, &piece->map, GST_MAP_READ)) {
    g_free (piece);
    return NULL;
  }
  piece->buffer = gst_buffer_ref (buffer);
  if (piece->map.size < size) {
    release_piece (piece);
    return NULL;
  }
  memory = gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, piece->map.data,
      size, 0, size, piece, release_piece);
  gst_mini_object_set_qdata (
      GST_MINI_OBJECT_CAST (memory), origin_quark (), piece->map.memory, NULL);
  return memory;
}

gboolean
gst_oct_pieces_append (GstBuffer *whole, GstBuffer *piece, gsize size)
{
  GstMemory *memory = wrap_piece (piece, size);
  PiecesMeta *meta = get_pieces (whole);

  if (memory == NULL)
    return FALSE;
  if (meta == NULL) {
    meta = (PiecesMeta *)gst_buffer_add_meta (whole, get_pieces_info (), NULL);
    meta->pieces =
        g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);
  }
  gst_buffer_append_memory (whole, memory);
  g_ptr_array_add (meta->pieces, copy_metadata_of (piece));
  return TRUE;
}

guint
gst_oct_pieces_count (GstBuffer *whole)
{
  PiecesMeta *meta = get_pieces (whole);

  return meta != NULL ? meta->pieces->len : 0;
}

GstBuffer *
gst_oct_pieces_get (GstBuffer *whole, guint i)
{
  return g_ptr_array_index (get_pieces (whole)->pieces, i);
}

void
gst_oct_pieces_forget (GstBuffer *buffer)
{
  PiecesMeta *meta = get_pieces (buffer);

  if (meta != NULL)
    gst_buffer_remove_meta (buffer, &meta->meta);
}

gboolean
gst_oct_rows_are_plain (const GstOctInfo *info, GstBuffer *buffer)
{
  const GstVideoMeta *meta =
      info->is_video ? gst_buffer_get_video_meta (buffer) : NULL;

  return meta == NULL
         || (meta->offset[0] == 0
             && meta->stride[0] == GST_VIDEO_INFO_PLANE_STRIDE (&info->video, 0)
             && meta->width == info->columns && meta->height == info->rows);
}

gboolean
gst_oct_rows_are_told (const GstOctInfo *info, GstBuffer *buffer)
{
  const GstVideoMeta *meta =
      info->is_video ? gst_buffer_get_video_meta (buffer) : NULL;

  return meta != NULL && meta->width == info->columns
         && meta->height == info->rows;
}

gboolean
gst_oct_pieces_are_packed (const GstOctInfo *info, GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) > 1
         && gst_buffer_get_size (buffer) == info->size
         && (!info->is_video || GST_VIDEO_INFO_N_PLANES (&info->video) == 1)
         && gst_oct_rows_are_plain (info, buffer);
}

GstMemory *
gst_oct_piece_get_origin (GstMemory *memory)
{
  GstMemory *origin = gst_mini_object_get_qdata (
      GST_MINI_OBJECT_CAST (memory), origin_quark ());

  return origin != NULL ? origin : memory;
}
