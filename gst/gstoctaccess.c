/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctaccess.h"
#include "gstoctallocation.h"
#include "gstoctframe.h"
#include "gstoctpinned.h"

/* B-scans between host and GPU at a time: one being copied, one being computed
 * with, one to begin with while the host does other things. */
#define SLOTS 3

/* Memory on the GPU for one B-scan from or for the host. */
typedef struct {
  gpointer memory;
  gpointer copied;   /* event: the copy to or from the host is done */
  gpointer computed; /* event: the operation is done with `memory` */
  gboolean used;
  GstBuffer *held; /* upload: keeps the source until it has been copied */
  GstOctMappedFrame host;
} Slot;

typedef struct {
  Slot slots[SLOTS];
  guint next;
} Ring;

struct _GstOctAccess {
  GstOctCuda *cuda;
  const OctDevice *device;
  GstOctInfo input, output;
  gboolean input_on_gpu, output_on_gpu;
  Ring uploads, downloads; /* where that side is on the host */
  gboolean ordered;        /* see gst_oct_access_set_ordered() */
  gpointer image_made;     /* event, NULL where no images stay on the GPU */

  /* from begin() to end() */
  GstBuffer *in, *out;
  GstOctMappedFrame mapped_in, mapped_out;
  GstMapInfo map_in, map_out;
  Slot *upload, *download;
};

/* -------------------------------------------------------------------- slots */

static gsize
get_stride (const GstOctInfo *info, guint plane)
{
  return info->is_video
             ? (gsize)GST_VIDEO_INFO_PLANE_STRIDE (&info->video, plane)
             : gst_oct_info_row_size (info);
}

static guint
count_planes (const GstOctInfo *info)
{
  return info->is_video ? MIN (2, GST_VIDEO_INFO_N_PLANES (&info->video)) : 1;
}

static guint
count_rows (const GstOctInfo *info, guint plane)
{
  return info->is_video
             ? (guint)GST_VIDEO_INFO_COMP_HEIGHT (&info->video, plane)
             : info->rows;
}

static gsize
get_row_bytes (const GstOctInfo *info, guint plane)
{
  return info->is_video
             ? (gsize)GST_VIDEO_INFO_COMP_WIDTH (&info->video, plane)
                   * (gsize)GST_VIDEO_INFO_COMP_PSTRIDE (&info->video, plane)
             : gst_oct_info_row_size (info);
}

/* Planes of a slot: laid out as the info says. */
static OctFrame
slot_frame (const Slot *slot, const GstOctInfo *info)
{
  OctFrame frame = { 0 };
  guint i;

  for (i = 0; i < count_planes (info); i++) {
    gsize offset = info->is_video ? info->video.offset[i] : 0;

    frame.planes[i].data = (guint8 *)slot->memory + offset;
    frame.planes[i].stride = get_stride (info, i);
  }
  return frame;
}

static gboolean
init_ring (
    GstOctAccess *access, Ring *ring, const GstOctInfo *info, GError **error)
{
  guint i;

  for (i = 0; i < SLOTS; i++) {
    Slot *slot = &ring->slots[i];

    slot->memory = access->device->alloc (info->size, NULL);
    if (slot->memory == NULL) {
      g_propagate_error (
          error, gst_oct_no_memory_new (access->cuda, TRUE, info));
      return FALSE;
    }
    if (!(slot->copied = access->device->event_new (error))
        || !(slot->computed = access->device->event_new (error)))
      return FALSE;
  }
  return TRUE;
}

/* The source has been copied: waits for that and lets it go. */
static gboolean
release_source (GstOctAccess *access, Slot *slot, GError **error)
{
  gboolean ok = TRUE;

  if (slot->held != NULL) {
    ok = access->device->event_synchronize (slot->copied, error);
    gst_oct_frame_unmap (&slot->host);
    gst_clear_buffer (&slot->held);
  }
  return ok;
}

static void
clear_ring (GstOctAccess *access, Ring *ring)
{
  guint i;

  for (i = 0; i < SLOTS; i++) {
    Slot *slot = &ring->slots[i];

    release_source (access, slot, NULL);
    if (slot->used) {
      access->device->event_synchronize (slot->copied, NULL);
      access->device->event_synchronize (slot->computed, NULL);
    }
    if (slot->computed != NULL)
      access->device->event_free (slot->computed);
    if (slot->copied != NULL)
      access->device->event_free (slot->copied);
    if (slot->memory != NULL)
      access->device->free (slot->memory);
  }
}

static Slot *
take_slot (Ring *ring)
{
  Slot *slot = &ring->slots[ring->next];

  ring->next = (ring->next + 1) % SLOTS;
  return slot;
}

/* ------------------------------------------------------------------- copies */

static gboolean
copy_planes (GstOctAccess *access, OctCopy direction, const GstOctInfo *info,
    const OctFrame *dest, const OctFrame *src, gpointer stream, GError **error)
{
  guint i;

  for (i = 0; i < count_planes (info); i++) {
    if (!access->device->copy (direction, dest->planes[i].data,
            dest->planes[i].stride, src->planes[i].data, src->planes[i].stride,
            get_row_bytes (info, i), count_rows (info, i), stream, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_pinned (GstOctAccess *access, GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) == 1
         && gst_oct_pinned_is (
             gst_buffer_peek_memory (buffer, 0), access->cuda);
}

/* Fetches the input to the GPU in the upload stream; computing waits. */
static gboolean
begin_upload (
    GstOctAccess *access, GstBuffer *in, OctFrame *from, GError **error)
{
  const OctDevice *device = access->device;
  gpointer upload =
      gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_UPLOAD);
  gpointer compute =
      gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_COMPUTE);
  Slot *slot = take_slot (&access->uploads);

  if (!release_source (access, slot, error)
      || (slot->used && !device->stream_wait (upload, slot->computed, error))
      || !gst_oct_frame_map (
          &slot->host, &access->input, in, GST_MAP_READ, error))
    return FALSE;
  slot->held = gst_buffer_ref (in);
  *from = slot_frame (slot, &access->input);
  access->upload = slot;
  if (!copy_planes (access, OCT_COPY_UPLOAD, &access->input, from,
          &slot->host.frame, upload, error)
      || !device->event_record (slot->copied, upload, error)
      || !device->stream_wait (compute, slot->copied, error))
    return FALSE;
  /* A camera may have two buffers only and stand still while we keep them; of
   * our own page-locked ones there are enough. */
  return is_pinned (access, in) || release_source (access, slot, error);
}

static gboolean
begin_download (GstOctAccess *access, OctFrame *to, GError **error)
{
  gpointer compute =
      gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_COMPUTE);
  Slot *slot = take_slot (&access->downloads);

  *to = slot_frame (slot, &access->output);
  access->download = slot;
  return !slot->used
         || access->device->stream_wait (compute, slot->copied, error);
}

/* Whether the planes lie in the buffer as the caps say. */
static gboolean
has_plain_layout (const GstOctInfo *info, GstBuffer *buffer)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  guint i;

  if (gst_buffer_get_size (buffer) < info->size)
    return FALSE;
  for (i = 0; meta != NULL && i < meta->n_planes; i++) {
    if (!info->is_video || meta->offset[i] != info->video.offset[i]
        || meta->stride[i] != info->video.stride[i])
      return FALSE;
  }
  return TRUE;
}

/* The host planes of the output: without waiting in page-locked memory. */
static gboolean
map_output (
    GstOctAccess *access, GstMemory *pinned, OctFrame *to, GError **error)
{
  guint i;

  if (pinned == NULL) {
    if (!gst_oct_frame_map (&access->mapped_out, &access->output, access->out,
            GST_MAP_WRITE, error))
      return FALSE;
    *to = access->mapped_out.frame;
    return TRUE;
  }
  memset (to, 0, sizeof *to);
  for (i = 0; i < count_planes (&access->output); i++) {
    to->planes[i].data =
        (guint8 *)gst_oct_pinned_peek (pinned)
        + (access->output.is_video ? access->output.video.offset[i] : 0);
    to->planes[i].stride = get_stride (&access->output, i);
  }
  return TRUE;
}

/* Brings the output to the host behind the operation.  In page-locked memory
 * it arrives while the host goes on, any other is waited for. */
static gboolean
end_download (GstOctAccess *access, GError **error)
{
  const OctDevice *device = access->device;
  gpointer download =
      gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_DOWNLOAD);
  Slot *slot = access->download;
  OctFrame from = slot_frame (slot, &access->output), to;
  GstMemory *pinned = NULL;
  gboolean ok;

  if (is_pinned (access, access->out)
      && has_plain_layout (&access->output, access->out))
    pinned = gst_buffer_peek_memory (access->out, 0);

  if (!device->stream_wait (download, slot->computed, error)
      || !map_output (access, pinned, &to, error))
    return FALSE;
  ok = copy_planes (access, OCT_COPY_DOWNLOAD, &access->output, &to, &from,
           download, error)
       && device->event_record (slot->copied, download, error);
  if (pinned != NULL)
    return ok && gst_oct_pinned_mark (pinned, download, error);
  ok = ok && device->stream_synchronize (download, error);
  gst_oct_frame_unmap (&access->mapped_out);
  return ok;
}

/* ---------------------------------------------------------------- interface */

GstOctAccess *
gst_oct_access_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, const GstOctInfo *output, gboolean output_on_gpu,
    GError **error)
{
  GstOctAccess *access = g_new0 (GstOctAccess, 1);
  gboolean ok;

  access->input = *input;
  access->output = *output;
  access->input_on_gpu = input_on_gpu;
  access->output_on_gpu = output_on_gpu;
  if (cuda == NULL)
    return access;
  access->cuda = gst_oct_cuda_ref (cuda);
  access->device = gst_oct_cuda_get_device (cuda);
  ok = gst_oct_cuda_push (cuda, error);
  if (ok) {
    ok = (input_on_gpu || init_ring (access, &access->uploads, input, error))
         && (output_on_gpu
             || init_ring (access, &access->downloads, output, error));
    if (ok && output_on_gpu && output->is_video) {
      access->image_made = access->device->event_new (error);
      ok = access->image_made != NULL;
    }
    gst_oct_cuda_pop (cuda);
  }
  if (!ok)
    g_clear_pointer (&access, gst_oct_access_free);
  return access;
}

void
gst_oct_access_free (GstOctAccess *access)
{
  if (access->cuda != NULL) {
    if (gst_oct_cuda_push (access->cuda, NULL)) {
      clear_ring (access, &access->uploads);
      clear_ring (access, &access->downloads);
      if (access->image_made != NULL)
        access->device->event_free (access->image_made);
      gst_oct_cuda_pop (access->cuda);
    }
    gst_oct_cuda_unref (access->cuda);
  }
  g_free (access);
}

void
gst_oct_access_set_ordered (GstOctAccess *access, gboolean ordered)
{
  access->ordered = ordered;
}

gboolean
gst_oct_access_enter (GstOctAccess *access, GError **error)
{
  return access->cuda == NULL || gst_oct_cuda_push (access->cuda, error);
}

void
gst_oct_access_leave (GstOctAccess *access)
{
  if (access->cuda != NULL)
    gst_oct_cuda_pop (access->cuda);
}

static gboolean
begin_on_host (
    GstOctAccess *access, OctFrame *from, OctFrame *to, GError **error)
{
  gboolean in_place = access->in == access->out;

  if (!gst_oct_frame_map (&access->mapped_in, &access->input, access->in,
          in_place ? GST_MAP_READWRITE : GST_MAP_READ, error))
    return FALSE;
  *from = *to = access->mapped_in.frame;
  if (in_place)
    return TRUE;
  if (!gst_oct_frame_map (&access->mapped_out, &access->output, access->out,
          GST_MAP_WRITE, error)) {
    gst_oct_frame_unmap (&access->mapped_in);
    return FALSE;
  }
  *to = access->mapped_out.frame;
  return TRUE;
}

static gboolean
begin_on_gpu (
    GstOctAccess *access, OctFrame *from, OctFrame *to, GError **error)
{
  gboolean in_place = access->in == access->out;
  GstMapFlags flags = in_place ? GST_MAP_READWRITE : GST_MAP_READ;

  access->upload = access->download = NULL;
  if (!access->input_on_gpu) {
    if (!begin_upload (access, access->in, from, error))
      return FALSE;
  } else if (!gst_oct_cuda_map (access->cuda, &access->input, access->in, flags,
                 from, &access->map_in, error)) {
    return FALSE;
  }
  *to = *from;
  if (in_place)
    return TRUE;
  if (access->output_on_gpu ? gst_oct_cuda_map (access->cuda, &access->output,
          access->out, GST_MAP_WRITE, to, &access->map_out, error)
                            : begin_download (access, to, error))
    return TRUE;
  if (access->input_on_gpu)
    gst_buffer_unmap (access->in, &access->map_in);
  return FALSE;
}

gboolean
gst_oct_access_begin (GstOctAccess *access, GstBuffer *in, GstBuffer *out,
    OctFrame *from, OctFrame *to, gpointer *stream, GError **error)
{
  access->in = in;
  access->out = out;
  *stream = access->cuda != NULL
                ? gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_COMPUTE)
                : NULL;
  return access->cuda != NULL ? begin_on_gpu (access, from, to, error)
                              : begin_on_host (access, from, to, error);
}

/* Images on the GPU are for foreign elements: no element of this plugin takes
 * them.  Those work in streams of their own.  Two blocking streams know nothing
 * of each other, but both know the NULL stream: a wait that is queued there
 * comes after all that was queued in any of them, and before all that will be,
 * also before the memory is used for another image.  An encoder reads the
 * memory without a stream that we know of. */
static gboolean
hand_over_image (GstOctAccess *access, gpointer compute, GError **error)
{
  const OctDevice *device = access->device;

  if (!access->ordered)
    return device->stream_synchronize (compute, error);
  return device->event_record (access->image_made, compute, error)
         && device->stream_wait (NULL, access->image_made, error);
}

static gboolean
end_on_gpu (GstOctAccess *access, gboolean success, GError **error)
{
  const OctDevice *device = access->device;
  gpointer compute =
      gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_COMPUTE);
  Slot *slots[] = { access->upload, access->download };
  guint i;

  /* the order of the streams holds even when the operation failed */
  for (i = 0; i < G_N_ELEMENTS (slots); i++) {
    if (slots[i] == NULL)
      continue;
    success = device->event_record (
                  slots[i]->computed, compute, success ? error : NULL)
              && success;
    slots[i]->used = TRUE;
  }
  if (access->download != NULL && success)
    success = end_download (access, error);
  if (access->image_made != NULL && success)
    success = hand_over_image (access, compute, error);
  if (access->input_on_gpu)
    gst_buffer_unmap (access->in, &access->map_in);
  if (access->output_on_gpu && access->out != access->in)
    gst_buffer_unmap (access->out, &access->map_out);
  return success;
}

gboolean
gst_oct_access_end (GstOctAccess *access, gboolean success, GError **error)
{
  if (access->cuda != NULL)
    return end_on_gpu (access, success, error);
  if (access->out != access->in)
    gst_oct_frame_unmap (&access->mapped_out);
  gst_oct_frame_unmap (&access->mapped_in);
  return success;
}

gboolean
gst_oct_access_begin_output (
    GstOctAccess *access, GstBuffer *out, OctFrame *to, GError **error)
{
  if (!gst_oct_frame_map (
          &access->mapped_out, &access->output, out, GST_MAP_WRITE, error))
    return FALSE;
  *to = access->mapped_out.frame;
  return TRUE;
}

void
gst_oct_access_end_output (GstOctAccess *access)
{
  gst_oct_frame_unmap (&access->mapped_out);
}
