/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctaccess.h"
#include "gstoctallocation.h"
#include "gstoctframe.h"
#include "gstoctpinned.h"

/* B-scans on their way to the host at a time: one being copied, one being
 * computed, one to begin with while the host does other things. */
#define SLOTS 3

/* Memory on the GPU for one B-scan for the host. */
typedef struct {
  gpointer memory;
  gpointer copied;   /* event: the copy to the host is done */
  gpointer computed; /* event: the operation is done with `memory` */
  gboolean used;
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
  GstOctUploads *uploads; /* where the input is on the host */
  Ring downloads;         /* where the output is */
  gboolean ordered;       /* see gst_oct_access_set_ordered() */
  gpointer image_made;    /* event, NULL where no images stay on the GPU */

  /* from begin() to end() */
  GstBuffer *in, *out; /* `in` may be NULL */
  GstOctMappedFrame mapped_in, mapped_out;
  GstMapInfo map_in, map_out;
  GstOctUpload *upload;
  Slot *download;
};

/* -------------------------------------------------------------------- slots */

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

static void
clear_ring (GstOctAccess *access, Ring *ring)
{
  guint i;

  for (i = 0; i < SLOTS; i++) {
    Slot *slot = &ring->slots[i];

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
begin_download (GstOctAccess *access, OctFrame *to, GError **error)
{
  gpointer compute =
      gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_COMPUTE);
  Slot *slot = take_slot (&access->downloads);

  *to = gst_oct_planes_in (slot->memory, &access->output);
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
  if (pinned == NULL) {
    if (!gst_oct_frame_map (&access->mapped_out, &access->output, access->out,
            GST_MAP_WRITE, error))
      return FALSE;
    *to = access->mapped_out.frame;
    return TRUE;
  }
  *to = gst_oct_planes_in (gst_oct_pinned_peek (pinned), &access->output);
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
  OctFrame from = gst_oct_planes_in (slot->memory, &access->output), to;
  GstMemory *pinned = NULL;
  gboolean ok;

  if (gst_oct_pinned_holds (access->out, access->cuda)
      && has_plain_layout (&access->output, access->out))
    pinned = gst_buffer_peek_memory (access->out, 0);

  if (!device->stream_wait (download, slot->computed, error)
      || !map_output (access, pinned, &to, error))
    return FALSE;
  ok = gst_oct_copy_planes (device, OCT_COPY_DOWNLOAD, &access->output, &to,
           &from, download, error)
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
    if (!input_on_gpu)
      access->uploads = gst_oct_uploads_new (
          cuda, input, OCT_MEAN_SIZE (input->columns), error);
    ok = (input_on_gpu || access->uploads != NULL)
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
      g_clear_pointer (&access->uploads, gst_oct_uploads_unref);
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

  memset (from, 0, sizeof *from);
  if (access->in != NULL) {
    if (!gst_oct_frame_map (&access->mapped_in, &access->input, access->in,
            in_place ? GST_MAP_READWRITE : GST_MAP_READ, error))
      return FALSE;
    *from = *to = access->mapped_in.frame;
  }
  if (in_place)
    return TRUE;
  if (!gst_oct_frame_map (&access->mapped_out, &access->output, access->out,
          GST_MAP_WRITE, error)) {
    if (access->in != NULL)
      gst_oct_frame_unmap (&access->mapped_in);
    return FALSE;
  }
  *to = access->mapped_out.frame;
  return TRUE;
}

/* Behind the operation, or in its place. */
static gboolean
end_input (GstOctAccess *access, GError **error)
{
  gboolean ok = TRUE;

  if (access->upload != NULL) {
    ok = gst_oct_upload_used (access->upload, error);
    g_clear_pointer (&access->upload, gst_oct_upload_unref);
  } else if (access->in != NULL) {
    gst_buffer_unmap (access->in, &access->map_in);
  }
  return ok;
}

static gboolean
begin_on_gpu (
    GstOctAccess *access, OctFrame *from, OctFrame *to, GError **error)
{
  gboolean in_place = access->in == access->out;
  GstMapFlags flags = in_place ? GST_MAP_READWRITE : GST_MAP_READ;

  access->upload = NULL;
  access->download = NULL;
  if (access->in == NULL) {
    memset (from, 0, sizeof *from);
  } else if (!access->input_on_gpu) {
    access->upload = gst_oct_uploads_begin (access->uploads, access->in, error);
    if (access->upload == NULL)
      return FALSE;
    *from = gst_oct_upload_get_frame (access->upload);
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
  end_input (access, NULL);
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
  Slot *slot = access->download;

  /* the order of the streams holds even when the operation failed */
  success = end_input (access, success ? error : NULL) && success;
  if (slot != NULL) {
    success =
        device->event_record (slot->computed, compute, success ? error : NULL)
        && success;
    slot->used = TRUE;
  }
  if (access->download != NULL && success)
    success = end_download (access, error);
  if (access->image_made != NULL && success)
    success = hand_over_image (access, compute, error);
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
  if (access->in != NULL)
    gst_oct_frame_unmap (&access->mapped_in);
  return success;
}

GstOctUpload *
gst_oct_access_fetch (GstOctAccess *access, GstBuffer *in, GError **error)
{
  return gst_oct_uploads_begin (access->uploads, in, error);
}

gboolean
gst_oct_access_can_fetch (GstOctAccess *access)
{
  return access->uploads != NULL;
}

GstOctCuda *
gst_oct_access_get_cuda (GstOctAccess *access)
{
  return access->cuda;
}
