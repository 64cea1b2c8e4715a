/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-marks.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

#define TILE 64 /* pixels */
#define WIDTH 4.5
#define RIM 8.0 /* dark, to be seen on any picture */
#define DOT 8.0
#define MOST_LETTERS 48.0 /* pixels high */
#define LEAST_LETTERS 9.0
/* A place that is far outside comes from a map near its horizon; cairo's numbers
 * end at 2^23. */
#define FAR 1e5

static const double colours[][3] = {
  [OCT_LIVE_MARK_AREA] = { 1.0, 0.71, 0.33 },
  [OCT_LIVE_MARK_BSCAN] = { 0.35, 0.65, 1.0 },
  [OCT_LIVE_MARK_ACROSS] = { 0.49, 0.91, 0.53 },
};

GPtrArray *
oct_live_marks_new (void)
{
  return g_ptr_array_new_with_free_func (
      (GDestroyNotify)gst_video_overlay_rectangle_unref);
}

/* -------------------------------------------------------------------- tiles
 */

static gboolean
marks_is_empty (const guint8 *pixels, gint stride, gint width, gint height)
{
  for (gint row = 0; row < height; row++)
    for (gint i = 0; i < 4 * width; i++)
      if (pixels[(gsize)row * stride + i] != 0)
        return FALSE;
  return TRUE;
}

static void
marks_add_tile (GPtrArray *marks, const guint8 *pixels, gint stride,
    const OctLiveBox *place)
{
  gsize row_size = 4 * (gsize)place->width;
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, row_size * place->height, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gint row = 0; row < place->height; row++)
    memcpy (map.data + row * row_size, pixels + (gsize)row * stride, row_size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, place->width, place->height);
  g_ptr_array_add (
      marks, gst_video_overlay_rectangle_new_raw (buffer, place->x, place->y,
                 place->width, place->height,
                 GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA));
  gst_buffer_unref (buffer);
}

/* Cuts what was drawn for `box`. */
static void
marks_cut (GPtrArray *marks, cairo_surface_t *surface, const OctLiveBox *box)
{
  gint stride = cairo_image_surface_get_stride (surface);
  const guint8 *pixels;

  cairo_surface_flush (surface);
  pixels = cairo_image_surface_get_data (surface);
  for (gint y = 0; pixels != NULL && y < box->height; y += TILE)
    for (gint x = 0; x < box->width; x += TILE) {
      const guint8 *first = pixels + (gsize)y * stride + 4 * (gsize)x;
      const OctLiveBox tile = { box->x + x, box->y + y,
        MIN (TILE, box->width - x), MIN (TILE, box->height - y) };

      if (!marks_is_empty (first, stride, tile.width, tile.height))
        marks_add_tile (marks, first, stride, &tile);
    }
}

/* For drawing in pixels of the screen; NULL: there is nothing to draw on. */
static cairo_t *
marks_begin (const OctLiveBox *box)
{
  cairo_surface_t *surface;
  cairo_t *cr;

  if (box->width <= 0 || box->height <= 0)
    return NULL;
  surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, box->width, box->height);
  cr = cairo_create (surface);
  cairo_surface_destroy (surface);
  cairo_translate (cr, -box->x, -box->y);
  return cr;
}

static void
marks_end (GPtrArray *marks, cairo_t *cr, const OctLiveBox *box)
{
  if (cairo_status (cr) == CAIRO_STATUS_SUCCESS)
    marks_cut (marks, cairo_get_target (cr), box);
  cairo_destroy (cr);
}

/* --------------------------------------------------------------------- lines
 */

/* The part of `inside` that the line needs. */
static OctLiveBox
marks_find_box (
    const OctLiveBox *inside, const OctLiveSpot *places, guint count)
{
  double left = INFINITY, top = INFINITY, right = -INFINITY, low = -INFINITY;
  OctLiveBox box = { 0 };

  for (guint i = 0; i < count; i++) {
    left = MIN (left, places[i].x);
    right = MAX (right, places[i].x);
    top = MIN (top, places[i].y);
    low = MAX (low, places[i].y);
  }
  left = MAX (floor (left) - DOT - 2, inside->x);
  top = MAX (floor (top) - DOT - 2, inside->y);
  right = MIN (ceil (right) + DOT + 2, inside->x + inside->width);
  low = MIN (ceil (low) + DOT + 2, inside->y + inside->height);
  if (right > left && low > top)
    box = (OctLiveBox){ (gint)left, (gint)top, (gint)(right - left),
      (gint)(low - top) };
  return box;
}

static void
marks_trace (
    cairo_t *cr, const OctLiveSpot *places, guint count, gboolean closed)
{
  for (guint i = 0; i < count; i++)
    cairo_line_to (
        cr, CLAMP (places[i].x, -FAR, FAR), CLAMP (places[i].y, -FAR, FAR));
  if (closed)
    cairo_close_path (cr);
}

void
oct_live_marks_add_line (GPtrArray *marks, const OctLiveBox *inside,
    const OctLiveBox *outside, const OctLiveSpot *places, guint count,
    gboolean closed, OctLiveMark mark)
{
  OctLiveBox box = marks_find_box (inside, places, count);
  const double *colour = colours[mark];
  cairo_t *cr = marks_begin (&box);

  if (cr == NULL)
    return;
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  marks_trace (cr, places, count, closed);
  cairo_set_source_rgba (cr, 0.0, 0.0, 0.0, 0.7);
  cairo_set_line_width (cr, RIM);
  cairo_stroke_preserve (cr);
  cairo_set_source_rgb (cr, colour[0], colour[1], colour[2]);
  cairo_set_line_width (cr, WIDTH);
  cairo_stroke (cr);
  if (!closed) {
    cairo_arc (cr, CLAMP (places[0].x, -FAR, FAR),
        CLAMP (places[0].y, -FAR, FAR), DOT, 0.0, 2.0 * G_PI);
    cairo_fill (cr);
  }
  cairo_set_operator (cr, CAIRO_OPERATOR_CLEAR);
  cairo_rectangle (cr, outside->x, outside->y, outside->width, outside->height);
  cairo_fill (cr);
  marks_end (marks, cr, &box);
}

/* --------------------------------------------------------------------- words
 */

void
oct_live_marks_add_words (
    GPtrArray *marks, const OctLiveBox *box, const char *words)
{
  cairo_t *cr = marks_begin (box);
  cairo_text_extents_t size;
  double letters = MOST_LETTERS, x, y;

  if (cr == NULL)
    return;
  cairo_select_font_face (
      cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size (cr, letters);
  cairo_text_extents (cr, words, &size);
  letters = CLAMP (letters * 0.9 * box->width / MAX (1.0, size.x_advance),
      LEAST_LETTERS, MOST_LETTERS);
  cairo_set_font_size (cr, letters);
  cairo_text_extents (cr, words, &size);
  x = box->x + (box->width - size.x_advance) / 2.0;
  y = box->y + box->height / 2.0;
  cairo_rectangle (cr, x - letters / 2.0, y - 1.3 * letters,
      size.x_advance + letters, 1.9 * letters);
  cairo_set_source_rgba (cr, 0.0, 0.0, 0.0, 0.75);
  cairo_fill (cr);
  cairo_move_to (cr, x, y);
  cairo_set_source_rgb (cr, 1.0, 0.71, 0.33);
  cairo_show_text (cr, words);
  marks_end (marks, cr, box);
}

GstVideoOverlayComposition *
oct_live_marks_join (const GPtrArray *a, const GPtrArray *b)
{
  const GPtrArray *lists[] = { a, b };
  GstVideoOverlayComposition *all = NULL;

  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; i < lists[k]->len; i++) {
      GstVideoOverlayRectangle *one = g_ptr_array_index (lists[k], i);

      if (all == NULL)
        all = gst_video_overlay_composition_new (one);
      else
        gst_video_overlay_composition_add_rectangle (all, one);
    }
  return all;
}
