/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sections of a volume on the CPU: voxels, planes, and pictures of projections.
 */
#include "oct-cpu-sections-parts.h"
#include "oct-cpu-volume-parts.h"

#include <string.h>

#define ROW_ALIGNMENT 32

#define SECTIONS(volume) ((OctCpuSections *)(volume))

static void
cpu_sections_destroy (OctVolume *volume)
{
  OctCpuSections *s = SECTIONS (volume);

  oct_cpu_free (s->raw);
  oct_cpu_free (s->shown);
  oct_cpu_free (s->stale);
  oct_cpu_free (s->found);
  oct_cpu_free (s->projected);
  oct_cpu_free (s->scratch);
  oct_enface_state_clear (&s->state);
  g_free (s);
}

static gboolean
cpu_sections_alloc_all (OctCpuSections *s, GError **error)
{
  gsize rows = (gsize)s->ny * s->nz, lines = (gsize)s->ny * s->nx;

  return (s->raw = oct_cpu_alloc (s->row, rows, error))
         && (s->shown = oct_cpu_alloc (s->row, rows, error))
         && (s->stale = oct_cpu_alloc (s->ny, 1, error))
         && (s->found = oct_cpu_alloc (lines, sizeof *s->found, error))
         && (s->projected = oct_cpu_alloc (lines, sizeof *s->projected, error))
         && (s->scratch = oct_cpu_alloc (s->threads, s->scratch_size, error));
}

static gboolean
cpu_sections_clear (OctVolume *volume, gpointer stream, GError **error)
{
  OctCpuSections *s = SECTIONS (volume);
  gsize size = s->row * s->ny * s->nz;

  memset (s->raw, 0, size);
  memset (s->shown, 0, size);
  memset (s->stale, 0, s->ny);
  oct_enface_state_forget (&s->state);
  return TRUE;
}

static OctVolume *
cpu_sections_create (const OctVolumeParams *params, GError **error)
{
  OctCpuSections *s;

  if (!oct_volume_params_check (params, error)
      || !oct_cpu_volume_check_memory (
          params, oct_section_get_size (params), error))
    return NULL;
  s = g_new0 (OctCpuSections, 1);
  s->params = *params;
  s->nx = params->lines;
  s->ny = params->bscans;
  s->nz = oct_volume_get_depth (params);
  s->row = (s->nx + ROW_ALIGNMENT - 1) & ~(ROW_ALIGNMENT - 1);
  s->threads = oct_parallel_get_threads ();
  s->scratch_size = oct_cpu_pad (s->nx * sizeof (guint32));
  oct_enface_state_init (&s->state, s->ny);
  if (cpu_sections_alloc_all (s, error)) {
    cpu_sections_clear ((OctVolume *)s, NULL, NULL);
    return (OctVolume *)s;
  }
  oct_cpu_volume_set_memory_error (
      params, oct_section_get_size (params), error);
  cpu_sections_destroy ((OctVolume *)s);
  return NULL;
}

static gboolean
cpu_sections_store (OctVolume *volume, const OctFrame *images, guint first,
    guint n, gpointer stream, GError **error)
{
  OctCpuSections *s = SECTIONS (volume);

  g_return_val_if_fail (first + n <= s->ny, FALSE);
  if (!oct_cpu_volume_store_images (&s->params, &images->planes[0], n,
          s->raw + (gsize)first * s->nz * s->row, s->row, error))
    return FALSE;
  memset (s->stale + first, TRUE, n);
  return TRUE;
}

static gboolean
cpu_sections_show (OctVolume *volume, gpointer stream, GError **error)
{
  OctCpuSections *s = SECTIONS (volume);
  gsize size = s->row * s->nz;

  for (guint y = 0; y < s->ny; y++) {
    if (!s->stale[y])
      continue;
    memcpy (s->shown + y * size, s->raw + y * size, size);
    s->stale[y] = FALSE;
    oct_enface_state_change (&s->state, y);
  }
  return TRUE;
}

/* ----------------------------------------------------------------- pictures
 */

typedef void (*MakeRow) (gconstpointer data, guint y, guint8 *to);

typedef struct {
  const OctSectionPicture *picture;
  MakeRow make; /* grey levels of row y */
  gconstpointer data;
} Picture;

static void
put_row (const OctSectionPicture *p, guint y, const guint8 *grey)
{
  guint8 *to = oct_cpu_row (&p->frame.planes[0], y);

  for (guint x = 0; x < p->width; x++, to += 4) {
    memset (to, grey[x], 3);
    to[3] = 255;
  }
}

static void
make_rows (gpointer data, guint first, guint end, guint thread)
{
  const Picture *work = data;
  const OctSectionPicture *p = work->picture;
  guint8 grey[OCT_SECTION_MAX_PICTURE];

  for (guint y = first; y < end; y++) {
    if (p->format != OCT_IMAGE_RGBA) {
      work->make (work->data, y, oct_cpu_row (&p->frame.planes[0], y));
    } else {
      work->make (work->data, y, grey);
      put_row (p, y, grey);
    }
    if (p->format == OCT_IMAGE_NV12 && y % 2 == 0)
      memset (oct_cpu_row (&p->frame.planes[1], y / 2), 128,
          ((gsize)p->width + 1) / 2 * 2);
  }
}

static gboolean
cpu_sections_make_picture (const OctSectionPicture *p, MakeRow make,
    gconstpointer data, GError **error)
{
  Picture work = { p, make, data };

  if (!oct_section_picture_check (p, error)
      || !oct_cpu_check_plane (&p->frame.planes[0],
          (gsize)p->width * (p->format == OCT_IMAGE_RGBA ? 4 : 1), error)
      || (p->format == OCT_IMAGE_NV12
          && !oct_cpu_check_plane (
              &p->frame.planes[1], ((gsize)p->width + 1) / 2 * 2, error)))
    return FALSE;
  oct_parallel_for (
      p->height, 4, oct_cpu_threads (G_MAXUINT), make_rows, &work);
  return TRUE;
}

/* ------------------------------------------------------------------- planes
 */

typedef struct {
  const OctCpuSections *s;
  const OctSlice *slice;
  guint width;
} Slice;

static inline float
cpu_sections_lerp (float a, float b, float t)
{
  return a + (b - a) * t;
}

/* The two voxels around a position, and how far it is from the first. */
static inline float
cpu_sections_bracket (float at, guint n, guint *low, guint *high)
{
  float a = CLAMP (at - 0.5f, 0, n - 1.0f);

  *low = MIN ((guint)a, n - 1);
  *high = MIN (*low + 1, n - 1);
  return a - *low;
}

static guint8
read_voxel (const OctCpuSections *s, float x, float y, float z)
{
  guint x0, x1, y0, y1, z0, z1;
  float tx, ty, tz, rows[2][2];

  if (!(x >= 0 && y >= 0 && z >= 0 && x <= s->nx && y <= s->ny && z <= s->nz))
    return 0;
  tx = cpu_sections_bracket (x, s->nx, &x0, &x1);
  ty = cpu_sections_bracket (y, s->ny, &y0, &y1);
  tz = cpu_sections_bracket (z, s->nz, &z0, &z1);
  for (guint k = 0; k < 2; k++)
    for (guint i = 0; i < 2; i++) {
      const guint8 *row = oct_cpu_sections_row (s, k ? y1 : y0, i ? z1 : z0);

      rows[k][i] = cpu_sections_lerp (row[x0], row[x1], tx);
    }
  return (
      guint8)(cpu_sections_lerp (cpu_sections_lerp (rows[0][0], rows[0][1], tz),
                  cpu_sections_lerp (rows[1][0], rows[1][1], tz), ty)
              + 0.5f);
}

static void
make_slice_row (gconstpointer data, guint j, guint8 *to)
{
  const Slice *work = data;
  const OctPoint *o = &work->slice->origin, *r = &work->slice->right,
                 *d = &work->slice->down;
  float v = j + 0.5f;

  for (guint i = 0; i < work->width; i++) {
    float u = i + 0.5f;

    to[i] = read_voxel (work->s, o->x + u * r->x + v * d->x,
        o->y + u * r->y + v * d->y, o->z + u * r->z + v * d->z);
  }
}

static gboolean
cpu_sections_slice (OctVolume *volume, const OctSlice *slice,
    const OctSectionPicture *picture, gpointer stream, GError **error)
{
  OctCpuSections *s = SECTIONS (volume);
  Slice work = { s, slice, picture->width };
  gint64 began = g_get_monotonic_time ();
  gboolean ok =
      oct_slice_check (slice, error)
      && cpu_sections_make_picture (picture, make_slice_row, &work, error);

  s->time = (g_get_monotonic_time () - began) * 1e-6;
  return ok;
}

/* ------------------------------------------------------------------ en face
 */

typedef struct {
  const OctCpuSections *s;
  const OctEnface *enface;
  guint width, height;
  float black, scale;
  gboolean any; /* else black */
} Enface;

static guint8
to_grey (float value)
{
  return (guint8)(CLAMP (value, 0, 255) + 0.5f);
}

/* The first depth of the slab is 1, the last 255. */
static guint8
depth_to_grey (float depth, guint thickness)
{
  return depth < 1 ? 0
                   : to_grey (
                       1 + 254 * (depth - 1) / (float)(MAX (thickness, 2) - 1));
}

static void
make_depth_row (const Enface *work, guint j, guint8 *to)
{
  const OctCpuSections *s = work->s;
  guint64 y = (2 * (guint64)j + 1) * s->ny / (2 * work->height);

  for (guint i = 0; i < work->width; i++) {
    guint64 x = (2 * (guint64)i + 1) * s->nx / (2 * work->width);

    to[i] =
        depth_to_grey (s->projected[y * s->nx + x], work->enface->thickness);
  }
}

static void
make_enface_row (gconstpointer data, guint j, guint8 *to)
{
  const Enface *work = data;
  const OctCpuSections *s = work->s;
  const float *a, *b;
  guint y0, y1;
  float t;

  if (work->enface->mode == OCT_ENFACE_DEPTH) {
    make_depth_row (work, j, to);
    return;
  }
  if (!work->any) {
    memset (to, 0, work->width);
    return;
  }
  t = cpu_sections_bracket ((j + 0.5f) * s->ny / work->height, s->ny, &y0, &y1);
  a = s->projected + (gsize)y0 * s->nx;
  b = s->projected + (gsize)y1 * s->nx;
  for (guint i = 0; i < work->width; i++) {
    guint x0, x1;
    float u = cpu_sections_bracket (
        (i + 0.5f) * s->nx / work->width, s->nx, &x0, &x1);

    to[i] = to_grey ((cpu_sections_lerp (cpu_sections_lerp (a[x0], a[x1], u),
                          cpu_sections_lerp (b[x0], b[x1], u), t)
                         - work->black)
                     * work->scale);
  }
}

static gboolean
cpu_sections_enface (OctVolume *volume, const OctEnface *enface,
    const OctSectionPicture *picture, gpointer stream, GError **error)
{
  OctCpuSections *s = SECTIONS (volume);
  Enface work = {
    .s = s, .enface = enface, .width = picture->width, .height = picture->height
  };
  gint64 began = g_get_monotonic_time ();
  float white = 0;
  gboolean ok;

  if (!oct_enface_check (enface, error))
    return FALSE;
  oct_cpu_enface_project (s, enface);
  work.any = enface->mode != OCT_ENFACE_DEPTH
             && oct_cpu_enface_get_range (s, enface, &work.black, &white);
  work.scale = 255 / (white - work.black);
  ok = cpu_sections_make_picture (picture, make_enface_row, &work, error);
  s->time = (g_get_monotonic_time () - began) * 1e-6;
  return ok;
}

static gpointer
cpu_sections_get_stream (OctVolume *volume)
{
  return NULL;
}

static double
cpu_sections_get_time (OctVolume *volume)
{
  return SECTIONS (volume)->time;
}

const OctVolumeTable oct_cpu_sections = {
  .create = cpu_sections_create,
  .store = cpu_sections_store,
  .show = cpu_sections_show,
  .slice = cpu_sections_slice,
  .enface = cpu_sections_enface,
  .clear = cpu_sections_clear,
  .get_stream = cpu_sections_get_stream,
  .get_time = cpu_sections_get_time,
  .destroy = cpu_sections_destroy,
};
