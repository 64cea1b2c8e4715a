/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The CPU backend: its table, its number of threads and its memory.
 */
#include "oct-cpu-private.h"

#include <stdlib.h>
#include <string.h>

static gpointer
cpu_alloc_bytes (gsize size, GError **error)
{
  return oct_cpu_alloc (size, 1, error);
}

#define ROW(NAME, name, params) [OCT_OPERATION_##NAME] = &oct_cpu_##name,

static const OctBackend backend = {
  .name = "cpu",
  .operations = { OCT_OPERATIONS (ROW) },
  .fused = &oct_cpu_fused,
  .volume = &oct_cpu_volume,
  .sections = &oct_cpu_sections,
  .volume_cs = &oct_cpu_volume_cs,
  .remap = &oct_cpu_remap,
  .alloc = cpu_alloc_bytes,
  .free = oct_cpu_free,
};

const OctBackend *
oct_backend_cpu (void)
{
  return &backend;
}

void
oct_backend_cpu_set_threads (guint threads)
{
  oct_parallel_set_threads (threads);
}

guint
oct_backend_cpu_get_threads (void)
{
  return oct_parallel_get_threads ();
}

guint
oct_cpu_threads (guint prepared)
{
  return MIN (prepared, oct_parallel_get_threads ());
}

gpointer
oct_cpu_alloc (gsize count, gsize size, GError **error)
{
  gpointer memory = NULL;

  if (size == 0 || count <= (G_MAXSIZE - 64) / size)
    memory = aligned_alloc (64, oct_cpu_pad (MAX (1, count * size)));
  if (memory == NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory for %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
        " bytes: use fewer samples per A-line or fewer threads",
        count, size);
  return memory;
}

void
oct_cpu_free (gpointer memory)
{
  free (memory);
}

gpointer
oct_cpu_reserve (OctCpuBuffer *buffer, gsize count, gsize size, GError **error)
{
  if (buffer->data != NULL && (size == 0 || count <= buffer->size / size))
    return buffer->data;
  oct_cpu_release (buffer);
  buffer->data = oct_cpu_alloc (count, size, error);
  if (buffer->data != NULL)
    buffer->size = count * size;
  return buffer->data;
}

void
oct_cpu_release (OctCpuBuffer *buffer)
{
  oct_cpu_free (buffer->data);
  buffer->data = NULL;
  buffer->size = 0;
}

gsize
oct_cpu_pad (gsize bytes)
{
  return (bytes + 63) & ~(gsize)63;
}

gboolean
oct_cpu_check_plane (const OctPlane *plane, gsize row_bytes, GError **error)
{
  if (plane->data != NULL && plane->stride >= row_bytes)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The buffer has rows of %" G_GSIZE_FORMAT " bytes where %" G_GSIZE_FORMAT
      " are needed",
      plane->data != NULL ? plane->stride : 0, row_bytes);
  return FALSE;
}

gboolean
oct_cpu_filter_image (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    OctImageFormat format, guint width, guint height, guint threads,
    OctParallelTask rows, GError **error)
{
  OctCpuLoop loop = {
    .plan = plan, .from = &in->planes[0], .to = &out->planes[0]
  };
  gsize row = (gsize)width
              * (format == OCT_IMAGE_RGBA      ? 4
                  : format == OCT_IMAGE_GRAY16 ? 2
                                               : 1);
  gsize chroma = ((gsize)width + 1) / 2 * 2;
  gboolean nv12 = format == OCT_IMAGE_NV12;

  if (!oct_cpu_check_plane (loop.from, row, error)
      || !oct_cpu_check_plane (loop.to, row, error)
      || (nv12 && !oct_cpu_check_plane (&out->planes[1], chroma, error)))
    return FALSE;
  oct_parallel_for (
      height, OCT_CPU_GRAIN, oct_cpu_threads (threads), rows, &loop);
  for (guint y = 0; nv12 && y < (height + 1) / 2; y++)
    memset (oct_cpu_row (&out->planes[1], y), 128, chroma);
  return TRUE;
}
