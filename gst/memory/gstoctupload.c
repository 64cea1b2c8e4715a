/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctupload.h"
#include "gstoctallocation.h"
#include "gstoctframe.h"
#include "gstoctgpushare.h"
#include "gstoctpieces.h"
#include "gstoctpinned.h"

/* One being fetched, one being computed with, one to begin with while the host
 * does other things. */
#define BLOCKS 3
/* Extra bytes begin as operations like them. */
#define ALIGNMENT 256

struct _GstOctUpload {
  GstOctUploads *uploads;
  gpointer memory;
  gpointer copied;   /* event: it has been fetched */
  gpointer computed; /* event: nothing reads it any more */
  gboolean used;
  gboolean begun;  /* something reads it, and `computed` is not recorded yet */
  GstBuffer *held; /* the source, until it has been fetched */
  gpointer there;  /* ... which is on the GPU, and read in its place; or NULL */
  GstOctMappedFrame host;
  /* of a source of several memories; none: `host` is mapped */
  GstMapInfo pieces[GST_OCT_PIECES_MOST];
  guint n_pieces;
  guint lines; /* that were fetched; 0: all */
};

struct _GstOctUploads {
  gint references;
  GstOctCuda *cuda;
  const OctDevice *device;
  GstOctInfo info;
  gsize offset; /* of the extra bytes */
  gsize size;   /* of a block */

  GMutex lock;
  GQueue idle; /* blocks that nobody has, the oldest first */
};

static void
unmap_pieces (GstOctUpload *upload)
{
  while (upload->n_pieces > 0) {
    GstMapInfo *map = &upload->pieces[--upload->n_pieces];

    gst_memory_unmap (map->memory, map);
  }
}

/* The source has been fetched: waits for that and lets it go. */
static gboolean
release_source (GstOctUpload *upload, GError **error)
{
  gboolean ok = TRUE;

  if (upload->there != NULL) {
    ok =
        !upload->used
        || upload->uploads->device->event_synchronize (upload->computed, error);
    upload->there = NULL;
    gst_clear_buffer (&upload->held);
  } else if (upload->held != NULL) {
    ok = upload->uploads->device->event_synchronize (upload->copied, error);
    if (upload->n_pieces == 0)
      gst_oct_frame_unmap (&upload->host);
    unmap_pieces (upload);
    gst_clear_buffer (&upload->held);
  }
  return ok;
}

static void
free_block (GstOctUpload *upload)
{
  const OctDevice *device = upload->uploads->device;

  release_source (upload, NULL);
  if (upload->used)
    device->event_synchronize (upload->computed, NULL);
  if (upload->computed != NULL)
    device->event_free (upload->computed);
  if (upload->copied != NULL)
    device->event_free (upload->copied);
  if (upload->memory != NULL)
    device->free (upload->memory);
  g_free (upload);
}

static GstOctUpload *
new_block (GstOctUploads *uploads, GError **error)
{
  GstOctUpload *upload = g_new0 (GstOctUpload, 1);
  const OctDevice *device = uploads->device;

  upload->uploads = uploads;
  upload->memory = device->alloc (uploads->size, NULL);
  if (upload->memory == NULL)
    g_propagate_error (
        error, gst_oct_no_memory_new (uploads->cuda, TRUE, &uploads->info));
  else if ((upload->copied = device->event_new (error)) != NULL
           && (upload->computed = device->event_new (error)) != NULL)
    return upload;
  free_block (upload);
  return NULL;
}

GstOctUploads *
gst_oct_uploads_new (
    GstOctCuda *cuda, const GstOctInfo *info, gsize extra, GError **error)
{
  GstOctUploads *uploads = g_new0 (GstOctUploads, 1);
  guint i;

  uploads->references = 1;
  uploads->cuda = gst_oct_cuda_ref (cuda);
  uploads->device = gst_oct_cuda_get_device (cuda);
  uploads->info = *info;
  uploads->offset = (info->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  uploads->size = uploads->offset + extra;
  g_mutex_init (&uploads->lock);
  for (i = 0; i < BLOCKS; i++) {
    GstOctUpload *upload = new_block (uploads, error);

    if (upload == NULL) {
      gst_oct_uploads_unref (uploads);
      return NULL;
    }
    g_queue_push_tail (&uploads->idle, upload);
  }
  return uploads;
}

void
gst_oct_uploads_unref (GstOctUploads *uploads)
{
  GstOctUpload *upload;

  if (!g_atomic_int_dec_and_test (&uploads->references))
    return;
  if (gst_oct_cuda_push (uploads->cuda, NULL)) {
    while ((upload = g_queue_pop_head (&uploads->idle)) != NULL)
      free_block (upload);
    gst_oct_cuda_pop (uploads->cuda);
  }
  gst_oct_cuda_unref (uploads->cuda);
  g_mutex_clear (&uploads->lock);
  g_free (uploads);
}

/* The block that has been idle for the longest time, or a new one if all are in
 * use. */
static GstOctUpload *
take_block (GstOctUploads *uploads, GError **error)
{
  GstOctUpload *upload;

  g_mutex_lock (&uploads->lock);
  upload = g_queue_pop_head (&uploads->idle);
  g_mutex_unlock (&uploads->lock);
  return upload != NULL ? upload : new_block (uploads, error);
}

/* Whether one copy does for both: parts of one memory, as those of a recording
 * that is in memory, or of a ring of a camera. */
static gboolean
follows (const GstMapInfo *map, const GstMapInfo *next)
{
  GstMemory *one = gst_oct_piece_get_origin (map->memory);
  GstMemory *other = gst_oct_piece_get_origin (next->memory);

  return one->parent != NULL && one->parent == other->parent
         && map->data + map->size == next->data;
}

static gboolean
map_pieces (GstOctUpload *upload, GstBuffer *in)
{
  while (upload->n_pieces < gst_buffer_n_memory (in)) {
    if (!gst_memory_map (gst_buffer_peek_memory (in, upload->n_pieces),
            &upload->pieces[upload->n_pieces], GST_MAP_READ))
      return FALSE;
    upload->n_pieces++;
  }
  return TRUE;
}

/* Memory after memory to one block: mapping the buffer would copy them. */
static gboolean
copy_pieces (GstOctUpload *upload, const GstOctInfo *info, GstBuffer *in,
    gpointer stream, GError **error)
{
  const OctDevice *device = upload->uploads->device;
  const GstMapInfo *map = upload->pieces;
  gboolean ok = map_pieces (upload, in);
  gsize at = 0, size;
  guint first, end;

  if (!ok)
    gst_oct_frame_set_size_error (info, gst_buffer_get_size (in), error);
  for (first = 0; ok && first < upload->n_pieces; first = end, at += size) {
    size = map[first].size;
    for (end = first + 1;
         end < upload->n_pieces && follows (&map[end - 1], &map[end]); end++)
      size += map[end].size;
    ok = device->copy (OCT_COPY_UPLOAD, (guint8 *)upload->memory + at, size,
        map[first].data, size, size, 1, stream, error);
  }
  if (ok)
    return TRUE;
  /* copies may be under way */
  device->stream_synchronize (stream, NULL);
  unmap_pieces (upload);
  return FALSE;
}

/* The source is held if that succeeds. */
static gboolean
copy_source (
    GstOctUpload *upload, GstBuffer *in, gpointer stream, GError **error)
{
  const GstOctUploads *uploads = upload->uploads;
  GstOctInfo info;
  OctFrame to;

  gst_oct_info_of_buffer (&info, &uploads->info, in);
  upload->lines = info.rows < uploads->info.rows ? info.rows : 0;
  to = gst_oct_upload_get_frame (upload);
  if (gst_oct_pieces_are_packed (&info, in)) {
    if (!copy_pieces (upload, &info, in, stream, error))
      return FALSE;
  } else if (!gst_oct_frame_map (
                 &upload->host, &info, in, GST_MAP_READ, error)) {
    return FALSE;
  } else if (!gst_oct_copy_planes (uploads->device, OCT_COPY_UPLOAD, &info, &to,
                 &upload->host.frame, stream, error)) {
    gst_oct_frame_unmap (&upload->host);
    return FALSE;
  }
  upload->held = gst_buffer_ref (in);
  return TRUE;
}

/* Whether the source is on the GPU already, as the operations want it, and does
 * not have to be fetched.  Its maker has put it into the order of the streams. */
static gboolean
is_there (GstOctUpload *upload, GstBuffer *in)
{
  const GstOctUploads *uploads = upload->uploads;
  gpointer there = gst_oct_gpu_share_peek (in, uploads->cuda);
  GstOctInfo info;

  gst_oct_info_of_buffer (&info, &uploads->info, in);
  if (there == NULL || (gsize)there % ALIGNMENT != 0
      || !gst_oct_rows_are_plain (&info, in)
      || gst_buffer_get_size (in) < info.size)
    return FALSE;
  upload->lines = info.rows < uploads->info.rows ? info.rows : 0;
  upload->there = there;
  upload->held = gst_buffer_ref (in);
  return TRUE;
}

GstOctUpload *
gst_oct_uploads_begin (GstOctUploads *uploads, GstBuffer *in, GError **error)
{
  const OctDevice *device = uploads->device;
  gpointer stream =
      gst_oct_cuda_get_stream (uploads->cuda, GST_OCT_STREAM_UPLOAD);
  gpointer compute =
      gst_oct_cuda_get_stream (uploads->cuda, GST_OCT_STREAM_COMPUTE);
  GstOctUpload *upload = take_block (uploads, error);

  if (upload == NULL)
    return NULL;
  g_atomic_int_inc (&uploads->references);
  if (!release_source (upload, error)) {
    gst_oct_upload_unref (upload);
    return NULL;
  }
  if (is_there (upload, in))
    return upload;
  if ((upload->used && !device->stream_wait (stream, upload->computed, error))
      || !copy_source (upload, in, stream, error)
      || !device->event_record (upload->copied, stream, error)
      || !device->stream_wait (compute, upload->copied, error)) {
    gst_oct_upload_unref (upload);
    return NULL;
  }
  /* A camera may have two buffers only and stand still while we keep them; of
   * our own page-locked ones there are enough. */
  if (!gst_oct_pinned_is_ours (in) && !release_source (upload, error)) {
    gst_oct_upload_unref (upload);
    return NULL;
  }
  return upload;
}

OctFrame
gst_oct_upload_get_frame (const GstOctUpload *upload)
{
  OctFrame frame =
      gst_oct_planes_in (upload->there != NULL ? upload->there : upload->memory,
          &upload->uploads->info);

  frame.lines = upload->lines;
  return frame;
}

gpointer
gst_oct_upload_get_extra (const GstOctUpload *upload)
{
  return (guint8 *)upload->memory + upload->uploads->offset;
}

void
gst_oct_upload_begun (GstOctUpload *upload)
{
  upload->begun = TRUE;
}

gboolean
gst_oct_upload_used (GstOctUpload *upload, GError **error)
{
  const GstOctUploads *uploads = upload->uploads;

  upload->begun = FALSE;
  upload->used = TRUE;
  return uploads->device->event_record (upload->computed,
      gst_oct_cuda_get_stream (uploads->cuda, GST_OCT_STREAM_COMPUTE), error);
}

void
gst_oct_upload_unref (GstOctUpload *upload)
{
  GstOctUploads *uploads = upload->uploads;

  if (upload->begun && gst_oct_cuda_push (uploads->cuda, NULL)) {
    gst_oct_upload_used (upload, NULL);
    gst_oct_cuda_pop (uploads->cuda);
  }
  g_mutex_lock (&uploads->lock);
  g_queue_push_tail (&uploads->idle, upload);
  g_mutex_unlock (&uploads->lock);
  gst_oct_uploads_unref (uploads);
}
