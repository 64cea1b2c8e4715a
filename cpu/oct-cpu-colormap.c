/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images in colours: a table of all grey levels.
 */
#include "oct-bt709.h"
#include "oct-colormap.h"
#include "oct-cpu-private.h"

#include <string.h>

struct _OctPlan {
  guint width, height, pixel_size;
  OctImageFormat format;
  OctColormapTable table;
};

static void
cpu_colormap_apply_params (OctPlan *plan, const OctColormapParams *params)
{
  plan->width = params->width;
  plan->height = params->height;
  plan->pixel_size = params->pixel_size;
  plan->format = params->format;
  oct_colormap_make_table (params, &plan->table);
}

static OctPlan *
cpu_colormap_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_colormap (data, error))
    return NULL;
  plan = g_new (OctPlan, 1);
  cpu_colormap_apply_params (plan, data);
  return plan;
}

static gboolean
cpu_colormap_update (OctPlan *plan, gconstpointer data)
{
  if (!oct_check_colormap (data, NULL))
    return FALSE;
  cpu_colormap_apply_params (plan, data);
  return TRUE;
}

static void
cpu_colormap_destroy (OctPlan *plan)
{
  g_free (plan);
}

static void
write_rgba (const OctPlan *plan, const guint8 *from, guint8 *to)
{
  for (guint x = 0; x < plan->width; x++, from += plan->pixel_size, to += 4)
    memcpy (to, plan->table.rgba[*from], 4);
}

static void
cpu_colormap_write_luma (const OctPlan *plan, const guint8 *from, guint8 *to)
{
  for (guint x = 0; x < plan->width; x++, from += plan->pixel_size)
    to[x] = plan->table.luma[*from];
}

/* Chroma of two rows; a == b: of one. */
static void
cpu_colormap_write_chroma (
    const OctPlan *plan, const guint8 *a, const guint8 *b, guint8 *to)
{
  const OctColormapTable *t = &plan->table;
  guint step = plan->pixel_size;

  for (guint x = 0; x < plan->width; x += 2, a += 2 * step, b += 2 * step) {
    guint next = x + 1 < plan->width ? step : 0;

    to[x] = oct_bt709_chroma (
        t->blue[a[0]] + t->blue[a[next]] + t->blue[b[0]] + t->blue[b[next]]);
    to[x + 1] = oct_bt709_chroma (
        t->red[a[0]] + t->red[a[next]] + t->red[b[0]] + t->red[b[next]]);
  }
}

typedef struct {
  const OctPlan *plan;
  const OctPlane *from;
  const OctFrame *to;
} Colours;

/* Two rows at a time. */
static void
cpu_colormap_write_rows (gpointer data, guint first, guint end, guint thread)
{
  const Colours *c = data;
  const OctPlan *plan = c->plan;
  void (*write) (const OctPlan *plan, const guint8 *from, guint8 *to) =
      plan->format == OCT_IMAGE_NV12 ? cpu_colormap_write_luma : write_rgba;

  for (guint pair = first; pair < end; pair++) {
    guint y = 2 * pair, next = MIN (y + 1, plan->height - 1);
    const guint8 *a = oct_cpu_row (c->from, y);
    const guint8 *b = oct_cpu_row (c->from, next);

    write (plan, a, oct_cpu_row (&c->to->planes[0], y));
    if (next > y)
      write (plan, b, oct_cpu_row (&c->to->planes[0], next));
    if (plan->format == OCT_IMAGE_NV12)
      cpu_colormap_write_chroma (
          plan, a, b, oct_cpu_row (&c->to->planes[1], pair));
  }
}

static gboolean
cpu_colormap_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  Colours colours = { plan, &in->planes[0], out };
  gboolean nv12 = plan->format == OCT_IMAGE_NV12;

  if (!oct_cpu_check_plane (
          &in->planes[0], (gsize)plan->width * plan->pixel_size, error)
      || !oct_cpu_check_plane (
          &out->planes[0], (gsize)plan->width * (nv12 ? 1 : 4), error)
      || (nv12
          && !oct_cpu_check_plane (
              &out->planes[1], ((gsize)plan->width + 1) / 2 * 2, error)))
    return FALSE;
  oct_parallel_for ((plan->height + 1) / 2, OCT_CPU_GRAIN,
      oct_cpu_threads (G_MAXUINT), cpu_colormap_write_rows, &colours);
  return TRUE;
}

const OctOperationTable oct_cpu_colormap = {
  .create = cpu_colormap_create,
  .update = cpu_colormap_update,
  .run = cpu_colormap_run,
  .destroy = cpu_colormap_destroy,
};
