/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctaccess.h"
#include "gstoctallocation.h"
#include "gstoctframe.h"
#include "gstoctpinned.h"

/* B-scans on their way to the host at a time: one being copied, one being
 * computed, one to begin with while the host does other things. */
#define SLOTS 3
/* Images in a slot begin as operations like them. */
#define ALIGNMENT 256
/* Images up to this size are written to the host by the kernels.  A copy costs
 * calls, which take most of the time of a B-scan of 256 A-lines; but writing 1
 * MiB in this way slows down the uploads that are under way (on an H200 to 0.86
 * of their rate alone, in place of 0.99). */
#define DIRECT_SIZE (256u * 1024)

/* Memory on the GPU for the results of one input that go to the host. */
typedef struct {
  gpointer memory;   /* [n_most], `out_size` apart */
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
  GstOctInfo there; /* of the input that is expected */
  guint n_most;     /* buffers that one input gives at most */
  guint n_out;      /* ... that the expected one gives */
  gsize out_size;   /* bytes of each in a slot */
  gboolean input_on_gpu, output_on_gpu;
  gpointer stream;        /* that the operation runs in; NULL: the CPU */
  GstOctUploads *uploads; /* where the input is on the host */
  Ring downloads;         /* where the output is */
  GstOctReader reader;    /* of images on the GPU */
  gpointer image_made;    /* event, NULL if no images stay on the GPU */

  /* from begin() to end() */
  GstBuffer *in;         /* may be NULL */
  GstBuffer *const *out; /* [n_out] */
  GstOctMappedFrame mapped_in, *mapped_out;
  GstMapInfo map_in, *map_out;
  guint n_frames; /* images are one each, all else is one for all */
  OctFrame *frames;
  GstOctUpload *upload;
  Slot *download;
  gboolean direct; /* the operation writes to the buffers of the output */
};

/* -------------------------------------------------------------------- slots */

static gboolean
init_ring (
    GstOctAccess *access, Ring *ring, const GstOctInfo *info, GError **error)
{
  guint i;

  for (i = 0; i < SLOTS; i++) {
    Slot *slot = &ring->slots[i];

    slot->memory =
        access->device->alloc (access->n_most * access->out_size, NULL);
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

static OctFrame
get_slot_frame (const GstOctAccess *access, const Slot *slot, guint i)
{
  return gst_oct_planes_in (
      (guint8 *)slot->memory + i * access->out_size, &access->output);
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

/* Page-locked memory that lies as in a slot. */
static gboolean
is_pinned (const GstOctAccess *access, guint i)
{
  return gst_oct_pinned_holds (access->out[i], access->cuda)
         && has_plain_layout (&access->output, access->out[i]);
}

static OctFrame
get_pinned_frame (const GstOctAccess *access, guint i)
{
  GstMemory *memory = gst_buffer_peek_memory (access->out[i], 0);

  return gst_oct_planes_in (gst_oct_pinned_peek (memory), &access->output);
}

/* Images of one block, as far apart as in a slot. */
static gboolean
access_are_parts (const GstOctAccess *access)
{
  return access->n_out > 1
         && gst_oct_pinned_are_parts (
             access->out, access->n_out, access->out_size);
}

/* Small images in page-locked memory that are all that is computed: kernels
 * write them there, which takes fewer calls than a copy and begins sooner. */
static gboolean
begin_direct (GstOctAccess *access)
{
  /* memory of one size is always written in the same way, and so in one stream */
  guint most = access->n_out > 1 ? access->n_most : 1, i;

  if (!access->output.is_video || most * access->output.size > DIRECT_SIZE)
    return FALSE;
  for (i = 0; i < access->n_out; i++)
    if (!is_pinned (access, i))
      return FALSE;
  for (i = 0; i < access->n_out; i++)
    access->frames[i] = get_pinned_frame (access, i);
  return TRUE;
}

static gboolean
end_direct (GstOctAccess *access, gpointer compute, GError **error)
{
  guint n = access_are_parts (access) ? 1 : access->n_out;

  for (guint i = 0; i < n; i++)
    if (!gst_oct_pinned_mark (
            gst_buffer_peek_memory (access->out[i], 0), compute, error))
      return FALSE;
  return TRUE;
}

static gboolean
begin_download (GstOctAccess *access, GError **error)
{
  Slot *slot = take_slot (&access->downloads);

  for (guint i = 0; i < access->n_out; i++)
    access->frames[i] = get_slot_frame (access, slot, i);
  access->download = slot;
  return !slot->used
         || access->device->stream_wait (access->stream, slot->copied, error);
}

/* Brings a buffer to the host after the operation.  In page-locked memory it
 * arrives while the host goes on; the host waits for any other. */
static gboolean
access_download (GstOctAccess *access, guint i, gpointer stream, GError **error)
{
  const OctDevice *device = access->device;
  GstBuffer *out = access->out[i];
  OctFrame from = get_slot_frame (access, access->download, i), to;
  GstOctMappedFrame mapped;
  gboolean ok;

  if (is_pinned (access, i)) {
    to = get_pinned_frame (access, i);
    return gst_oct_copy_planes (device, OCT_COPY_DOWNLOAD, &access->output, &to,
               &from, stream, error)
           && gst_oct_pinned_mark (
               gst_buffer_peek_memory (out, 0), stream, error);
  }
  if (!gst_oct_frame_map (&mapped, &access->output, out, GST_MAP_WRITE, error))
    return FALSE;
  ok = gst_oct_copy_planes (device, OCT_COPY_DOWNLOAD, &access->output,
           &mapped.frame, &from, stream, error)
       && device->stream_synchronize (stream, error);
  gst_oct_frame_unmap (&mapped);
  return ok;
}

/* All images in one copy. */
static gboolean
download_block (GstOctAccess *access, gpointer stream, GError **error)
{
  GstMemory *first = gst_buffer_peek_memory (access->out[0], 0);
  gsize bytes = (access->n_out - 1) * access->out_size + access->output.size;

  return access->device->copy (OCT_COPY_DOWNLOAD, gst_oct_pinned_peek (first),
             bytes, access->download->memory, bytes, bytes, 1, stream, error)
         && gst_oct_pinned_mark (first, stream, error);
}

static gboolean
end_download (GstOctAccess *access, GError **error)
{
  gpointer stream =
      gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_DOWNLOAD);
  Slot *slot = access->download;

  if (!access->device->stream_wait (stream, slot->computed, error))
    return FALSE;
  if (access_are_parts (access)) {
    if (!download_block (access, stream, error))
      return FALSE;
  } else {
    for (guint i = 0; i < access->n_out; i++)
      if (!access_download (access, i, stream, error))
        return FALSE;
  }
  return access->device->event_record (slot->copied, stream, error);
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
  access->there = *input;
  access->n_most = output->is_video ? input->bscans / output->bscans : 1;
  access->n_out = access->n_most;
  access->out_size = (output->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  access->mapped_out = g_new0 (GstOctMappedFrame, access->n_most);
  access->map_out = g_new0 (GstMapInfo, access->n_most);
  access->n_frames = output->is_video ? input->bscans : 1;
  access->frames = g_new0 (OctFrame, access->n_frames);
  access->input_on_gpu = input_on_gpu;
  access->output_on_gpu = output_on_gpu;
  if (cuda == NULL)
    return access;
  access->cuda = gst_oct_cuda_ref (cuda);
  access->device = gst_oct_cuda_get_device (cuda);
  access->stream = gst_oct_cuda_get_stream (cuda, GST_OCT_STREAM_COMPUTE);
  ok = gst_oct_cuda_push (cuda, error);
  if (ok) {
    if (!input_on_gpu)
      access->uploads = gst_oct_uploads_new (
          cuda, input, gst_oct_info_mean_size (input), error);
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
  g_free (access->mapped_out);
  g_free (access->map_out);
  g_free (access->frames);
  g_free (access);
}

guint
gst_oct_access_expect (
    GstOctAccess *access, GstBuffer *in, gboolean needs_all, GError **error)
{
  gst_oct_info_of_buffer (&access->there, &access->input, in);
  access->n_out = access->n_most;
  if (access->there.bscans == access->input.bscans
      || (!needs_all && !access->output.is_video))
    return access->n_out;
  if (needs_all || access->output.bscans > 1) {
    gst_oct_frame_set_size_error (&access->input, access->there.size, error);
    return 0;
  }
  access->n_out = access->there.bscans;
  return access->n_out;
}

gsize
gst_oct_access_get_block (const GstOctAccess *access, gsize *step, gsize *size)
{
  *step = access->out_size;
  *size = access->output.size;
  return access->cuda != NULL && !access->output_on_gpu
             ? access->n_most * access->out_size
             : 0;
}

/* A-lines of the input, where there are fewer than the plan is made for. */
static guint
access_count_lines (const GstOctAccess *access)
{
  return access->there.rows < access->input.rows ? access->there.rows : 0;
}

void
gst_oct_access_set_reader (GstOctAccess *access, GstOctReader reader)
{
  access->reader = reader;
}

void
gst_oct_access_set_stream (GstOctAccess *access, gpointer stream)
{
  access->stream = stream;
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

static gpointer
get_computing (GstOctAccess *access)
{
  return gst_oct_cuda_get_stream (access->cuda, GST_OCT_STREAM_COMPUTE);
}

/* Work queued in `next` from now on comes after the work queued in `first`. */
static gboolean
order_streams (
    GstOctAccess *access, gpointer first, gpointer next, GError **error)
{
  const OctDevice *device = access->device;

  return first == next
         || (device->event_record (access->image_made, first, error)
             && device->stream_wait (next, access->image_made, error));
}

/* Images that follow each other in one buffer. */
static void
divide_output (GstOctAccess *access)
{
  guint depth = access->output.rows / access->output.bscans;
  guint i;

  for (i = access->n_frames; i-- > 0 && access->n_most < access->n_frames;)
    access->frames[i] = oct_frame_get_bscan (access->frames, i, depth, 0);
}

static void
unmap_output_on_host (GstOctAccess *access, guint n)
{
  while (n > 0)
    gst_oct_frame_unmap (&access->mapped_out[--n]);
}

static gboolean
begin_on_host (GstOctAccess *access, OctFrame *from, GError **error)
{
  gboolean in_place = access->in == access->out[0];
  guint i;

  memset (from, 0, sizeof *from);
  if (access->in != NULL) {
    if (!gst_oct_frame_map (&access->mapped_in, &access->there, access->in,
            in_place ? GST_MAP_READWRITE : GST_MAP_READ, error))
      return FALSE;
    *from = access->frames[0] = access->mapped_in.frame;
    from->lines = access_count_lines (access);
  }
  for (i = 0; i < access->n_out && !in_place; i++) {
    if (!gst_oct_frame_map (&access->mapped_out[i], &access->output,
            access->out[i], GST_MAP_WRITE, error)) {
      unmap_output_on_host (access, i);
      if (access->in != NULL)
        gst_oct_frame_unmap (&access->mapped_in);
      return FALSE;
    }
    access->frames[i] = access->mapped_out[i].frame;
  }
  return TRUE;
}

/* After the operation, or instead of it. */
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

static void
unmap_output_on_gpu (GstOctAccess *access, guint n)
{
  for (; n > 0; n--)
    gst_buffer_unmap (access->out[n - 1], &access->map_out[n - 1]);
}

static gboolean
begin_output_on_gpu (GstOctAccess *access, GError **error)
{
  guint i;

  if (!access->output_on_gpu) {
    access->direct = access->in == NULL && begin_direct (access);
    return access->direct || begin_download (access, error);
  }
  /* nobody has waited for readers of the previous contents of the memory */
  if (access->image_made != NULL && access->reader == GST_OCT_READER_OWN
      && !order_streams (access, get_computing (access), access->stream, error))
    return FALSE;
  for (i = 0; i < access->n_out; i++) {
    if (!gst_oct_cuda_map (access->cuda, &access->output, access->out[i],
            GST_MAP_WRITE, &access->frames[i], &access->map_out[i], error)) {
      unmap_output_on_gpu (access, i);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
begin_on_gpu (GstOctAccess *access, OctFrame *from, GError **error)
{
  gboolean in_place = access->in == access->out[0];
  GstMapFlags flags = in_place ? GST_MAP_READWRITE : GST_MAP_READ;

  access->upload = NULL;
  access->download = NULL;
  access->direct = FALSE;
  if (access->in == NULL) {
    memset (from, 0, sizeof *from);
  } else if (!access->input_on_gpu) {
    access->upload = gst_oct_uploads_begin (access->uploads, access->in, error);
    if (access->upload == NULL)
      return FALSE;
    *from = gst_oct_upload_get_frame (access->upload);
  } else if (!gst_oct_cuda_map (access->cuda, &access->there, access->in, flags,
                 from, &access->map_in, error)) {
    return FALSE;
  } else {
    from->lines = access_count_lines (access);
  }
  access->frames[0] = *from;
  if (in_place || begin_output_on_gpu (access, error))
    return TRUE;
  end_input (access, NULL);
  return FALSE;
}

gboolean
gst_oct_access_begin (GstOctAccess *access, GstBuffer *in,
    GstBuffer *const *out, OctFrame *from, const OctFrame **to,
    gpointer *stream, GError **error)
{
  access->in = in;
  access->out = out;
  *to = access->frames;
  *stream = access->stream;
  if (!(access->cuda != NULL ? begin_on_gpu (access, from, error)
                             : begin_on_host (access, from, error)))
    return FALSE;
  divide_output (access);
  return TRUE;
}

/* Elements of this plugin read images in the stream of computing.  Foreign ones
 * work in streams of their own.  Two blocking streams know nothing
 * of each other, but both know the NULL stream: a wait that is queued there
 * comes after all that was queued in any of them, and before all that will be,
 * also before the memory is used for another image.  An encoder reads the
 * memory without a stream that we know of. */
static gboolean
hand_over_image (GstOctAccess *access, GError **error)
{
  const OctDevice *device = access->device;

  if (access->reader == GST_OCT_READER_OWN)
    return order_streams (
        access, access->stream, get_computing (access), error);
  if (access->reader == GST_OCT_READER_ANY)
    return device->stream_synchronize (access->stream, error);
  return order_streams (access, access->stream, NULL, error);
}

static gboolean
end_on_gpu (GstOctAccess *access, gboolean success, GError **error)
{
  const OctDevice *device = access->device;
  Slot *slot = access->download;

  /* the order of the streams holds even when the operation failed */
  success = end_input (access, success ? error : NULL) && success;
  if (slot != NULL) {
    success = device->event_record (
                  slot->computed, access->stream, success ? error : NULL)
              && success;
    slot->used = TRUE;
  }
  if (access->download != NULL && success)
    success = end_download (access, error);
  /* also what failed may be under way */
  if (access->direct)
    success =
        end_direct (access, access->stream, success ? error : NULL) && success;
  if (access->image_made != NULL && success)
    success = hand_over_image (access, error);
  if (access->output_on_gpu && access->out[0] != access->in)
    unmap_output_on_gpu (access, access->n_out);
  return success;
}

static void
end_on_host (GstOctAccess *access)
{
  if (access->out[0] != access->in)
    unmap_output_on_host (access, access->n_out);
  if (access->in != NULL)
    gst_oct_frame_unmap (&access->mapped_in);
}

gboolean
gst_oct_access_end (GstOctAccess *access, gboolean success, GError **error)
{
  guint lines = access_count_lines (access);

  if (access->cuda != NULL)
    success = end_on_gpu (access, success, error);
  else
    end_on_host (access);
  if (lines > 0 && !access->output.is_video && access->out[0] != access->in)
    gst_buffer_set_size (access->out[0],
        (gssize)(lines * gst_oct_info_row_size (&access->output)));
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
