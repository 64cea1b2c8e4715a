/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctaside.h"
#include "gstoctframe.h"
#include "gstoctpending.h"

struct _GstOctAside {
  GstOctInfo info;
  GstOctLines lines;
  GstOctBscanNumber number;
  guint8 *values; /* of the lines; NULL: not yet */

  /* one of the two until they are read */
  GstOctPending pending;
  GstOctRunner *runner;
  GstBuffer *buffer;
};

GstOctLines
gst_oct_lines_together (guint rows, guint most)
{
  guint count = MIN (rows, most);

  return (GstOctLines){ (rows - count) / 2, 1, count };
}

GstOctLines
gst_oct_lines_spread (guint rows, guint most)
{
  guint step = MAX ((rows + most - 1) / most, 1);

  return (GstOctLines){ 0, step, (rows + step - 1) / step };
}

static void
aside_copy_lines (GstOctAside *aside, gconstpointer rows, gsize stride)
{
  gsize size = gst_oct_info_row_size (&aside->info);

  aside->values = g_malloc (size * aside->lines.count);
  for (guint i = 0; i < aside->lines.count; i++)
    memcpy (aside->values + i * size,
        (const guint8 *)rows
            + (aside->lines.first + (gsize)i * aside->lines.step) * stride,
        size);
}

static gboolean
copy_buffer (GstOctAside *aside, GstBuffer *buffer, GError **error)
{
  GstOctMappedFrame mapped;

  if (!gst_oct_frame_map (&mapped, &aside->info, buffer, GST_MAP_READ, error))
    return FALSE;
  aside_copy_lines (
      aside, mapped.frame.planes[0].data, mapped.frame.planes[0].stride);
  gst_oct_frame_unmap (&mapped);
  return TRUE;
}

GstOctAside *
gst_oct_aside_new (GstBuffer *buffer, const GstOctInfo *info, gboolean on_gpu,
    GstOctLines lines, GError **error)
{
  g_autoptr (GstOctAside) aside = g_new0 (GstOctAside, 1);

  aside->info = *info;
  aside->lines = lines;
  if (gst_oct_pending_get_aside (buffer, &aside->pending, &aside->runner))
    return g_steal_pointer (&aside);
  if (on_gpu)
    aside->buffer = gst_buffer_ref (buffer);
  else if (!copy_buffer (aside, buffer, error))
    return NULL;
  return g_steal_pointer (&aside);
}

static void
forget_source (GstOctAside *aside)
{
  gst_oct_pending_clear (&aside->pending);
  g_clear_pointer (&aside->runner, gst_oct_runner_unref);
  gst_clear_buffer (&aside->buffer);
}

void
gst_oct_aside_free (GstOctAside *aside)
{
  forget_source (aside);
  g_free (aside->values);
  g_free (aside);
}

/* Copies the lines from the result of the steps, or downloads them. */
static gboolean
fetch_result (GstOctAside *aside, gpointer result, GError **error)
{
  GstOctCuda *cuda = gst_oct_runner_get_cuda (aside->runner);
  gsize size = gst_oct_info_row_size (&aside->info);
  const OctDevice *device;
  gpointer stream;

  if (cuda == NULL) {
    aside_copy_lines (aside, result, size);
    return TRUE;
  }
  device = gst_oct_cuda_get_device (cuda);
  stream = gst_oct_cuda_get_stream (cuda, GST_OCT_STREAM_COMPUTE);
  aside->values = g_malloc (size * aside->lines.count);
  return device->copy (OCT_COPY_DOWNLOAD, aside->values, size,
             (guint8 *)result + aside->lines.first * size,
             aside->lines.step * size, size, aside->lines.count, stream, error)
         && device->stream_synchronize (stream, error);
}

static gboolean
aside_run_pending (GstOctAside *aside, GError **error)
{
  const OctBackend *backend = gst_oct_runner_get_backend (aside->runner);
  GstOctCuda *cuda = gst_oct_runner_get_cuda (aside->runner);
  gsize size = gst_oct_info_row_size (&aside->info);
  OctFrame to = { .planes = { { NULL, size } } };
  GstElement *failed;
  gboolean ok;

  if (cuda != NULL && !gst_oct_cuda_push (cuda, error))
    return FALSE;
  to.planes[0].data = backend->alloc (aside->info.rows * size, error);
  ok = to.planes[0].data != NULL
       && gst_oct_runner_run (aside->runner, &aside->pending, OCT_N_OPERATIONS,
           NULL, &to, &failed, error)
       && fetch_result (aside, to.planes[0].data, error);
  if (to.planes[0].data != NULL)
    backend->free (to.planes[0].data);
  if (cuda != NULL)
    gst_oct_cuda_pop (cuda);
  return ok;
}

gconstpointer
gst_oct_aside_read (GstOctAside *aside, GError **error)
{
  gboolean ok = TRUE;

  if (aside->runner != NULL)
    ok = aside_run_pending (aside, error);
  else if (aside->buffer != NULL)
    ok = copy_buffer (aside, aside->buffer, error);
  forget_source (aside);
  return ok ? aside->values : NULL;
}

guint
gst_oct_aside_get_lines (const GstOctAside *aside)
{
  return aside->lines.count;
}

guint
gst_oct_aside_get_place (const GstOctAside *aside, guint i)
{
  guint row = aside->lines.first + i * aside->lines.step;

  return row % (aside->info.rows / aside->info.bscans);
}

const GstOctInfo *
gst_oct_aside_get_info (const GstOctAside *aside)
{
  return &aside->info;
}

void
gst_oct_aside_set_number (GstOctAside *aside, const GstOctBscanNumber *number)
{
  aside->number = *number;
}

const GstOctBscanNumber *
gst_oct_aside_get_number (const GstOctAside *aside)
{
  return &aside->number;
}
