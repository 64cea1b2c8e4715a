/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Parts of the operations on A-scans that move.
 */
#include "oct-cpu-flow.h"
#include "oct-simd.h"

#include <string.h>

gsize
oct_cpu_flow_scratch (const OctCpuWindow *window)
{
  return (gsize)window->bins + window->window_bins;
}

OCT_VECTORISED static void
flow_add_row (const float *restrict from, guint n, float *restrict to)
{
  for (guint i = 0; i < n; i++)
    to[i] += from[i];
}

void
oct_cpu_flow_sum (const OctCpuWindow *window, const float *map, guint line,
    float *scratch, float *to)
{
  guint half = window->window_lines / 2, bins = window->bins;
  guint first = line > half ? line - half : 0;
  guint end = MIN (line + half + 1, window->lines);
  float *middle = scratch + window->window_bins / 2;

  memset (scratch, 0, oct_cpu_flow_scratch (window) * sizeof (float));
  for (guint i = first; i < end; i++)
    flow_add_row (map + (gsize)i * bins, bins, middle);
  memcpy (to, scratch, bins * sizeof (float));
  for (guint i = 1; i < window->window_bins; i++)
    flow_add_row (scratch + i, bins, to);
}

void
oct_cpu_flow_count (const OctCpuWindow *window, float *counts)
{
  guint half = window->window_bins / 2;

  for (guint i = 0; i < window->bins; i++)
    counts[i] =
        (float)(MIN (i + half + 1, window->bins) - (i > half ? i - half : 0));
}

guint
oct_cpu_flow_count_lines (const OctCpuWindow *window, guint line)
{
  guint half = window->window_lines / 2;

  return MIN (line + half + 1, window->lines) - (line > half ? line - half : 0);
}

void
oct_cpu_flow_add_bands (
    const float *row, guint bins, double sums[OCT_FLOW_BANDS])
{
  guint size = bins / OCT_FLOW_BANDS;

  for (guint band = 0; band < OCT_FLOW_BANDS; band++)
    for (guint i = 0; i < size; i++)
      sums[band] += row[band * size + i];
}

/* ------------------------------------------------------------------- results
 */

static gsize
flow_get_row (OctImageFormat format, guint lines)
{
  return (gsize)lines * (format == OCT_IMAGE_RGBA ? 4 : 1);
}

static gboolean
flow_check_image (
    const OctFrame *out, OctImageFormat format, guint lines, GError **error)
{
  return oct_cpu_check_plane (
             &out->planes[0], flow_get_row (format, lines), error)
         && (format != OCT_IMAGE_NV12
             || oct_cpu_check_plane (
                 &out->planes[1], ((gsize)lines + 1) / 2 * 2, error));
}

gboolean
oct_cpu_flow_check (const OctFrame *in, const OctFrame *out, guint images,
    OctImageFormat format, guint lines, guint bins, GError **error)
{
  gsize row = (gsize)bins * sizeof (float);

  if (!oct_cpu_check_plane (&in->planes[0], 2 * row, error)
      || (images == 0 && !oct_cpu_check_plane (&out->planes[0], row, error)))
    return FALSE;
  for (guint i = 0; i < images; i++)
    if (!flow_check_image (&out[i], format, lines, error))
      return FALSE;
  return TRUE;
}

typedef struct {
  const guint8 *pixels;
  gboolean colours;
  guint valid, lines, bins;
  OctImageFormat format;
  const OctPlane *to;
} FlowImage;

/* Bins of a line that are beside each other in memory. */
#define FLOW_TILE 16u

static void
flow_put_pixel (const FlowImage *image, gsize from, guint8 *to)
{
  const guint8 *pixel = image->pixels + from * (image->colours ? 4 : 1);

  if (image->colours) {
    memcpy (to, pixel, 4);
  } else if (image->format == OCT_IMAGE_RGBA) {
    to[0] = to[1] = to[2] = *pixel;
    to[3] = 255;
  } else {
    *to = *pixel;
  }
}

static void
flow_put_tiles (gpointer data, guint first, guint end, guint thread)
{
  const FlowImage *image = data;
  guint size = image->format == OCT_IMAGE_RGBA ? 4 : 1;

  for (guint tile = first; tile < end; tile++) {
    guint top = tile * FLOW_TILE, bottom = MIN (top + FLOW_TILE, image->bins);

    for (guint x = 0; x < image->lines; x++) {
      gsize line = (gsize)MIN (x, image->valid - 1) * image->bins;

      for (guint i = top; i < bottom; i++)
        flow_put_pixel (image, line + i,
            (guint8 *)oct_cpu_row (image->to, i) + (gsize)x * size);
    }
  }
}

void
oct_cpu_flow_put_image (const guint8 *pixels, gboolean colours, guint valid,
    guint lines, guint bins, OctImageFormat format, const OctFrame *out)
{
  FlowImage image = { pixels, colours, valid, lines, bins, format,
    &out->planes[0] };

  oct_parallel_for ((bins + FLOW_TILE - 1) / FLOW_TILE, 1,
      oct_cpu_threads (G_MAXUINT), flow_put_tiles, &image);
  if (format == OCT_IMAGE_NV12)
    for (guint i = 0; i < (bins + 1) / 2; i++)
      memset (
          oct_cpu_row (&out->planes[1], i), 128, ((gsize)lines + 1) / 2 * 2);
}

void
oct_cpu_flow_put_values (
    const float *map, guint valid, guint lines, guint bins, const OctPlane *out)
{
  for (guint x = 0; x < lines; x++)
    memcpy (oct_cpu_row (out, x), map + (gsize)MIN (x, valid - 1) * bins,
        bins * sizeof (float));
}
