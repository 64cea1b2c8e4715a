/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibrate-parts.h"
#include "oct-file-write.h"

#include <math.h>
#include <string.h>

#ifdef OCT_HAVE_CAIRO

#  include <cairo-svg.h>
#  include <cairo.h>

#  define WIDTH 900
#  define HEIGHT 720
#  define MARGIN_LEFT 62
#  define MARGIN_BOTTOM 40
#  define MARGIN_TOP 28
#  define MARGIN_RIGHT 14
/* dB below the highest peak */
#  define DEPTH_OF_PLOT 60.0
/* More curves than these cannot be distinguished by colour. */
#  define MAX_COLOURS 6

typedef struct {
  double r, g, b;
} Colour;

static const Colour colours[MAX_COLOURS] = { { 0.12, 0.40, 0.71 },
  { 0.85, 0.37, 0.05 }, { 0.10, 0.55, 0.35 }, { 0.60, 0.25, 0.60 },
  { 0.75, 0.60, 0.05 }, { 0.25, 0.60, 0.75 } };
static const Colour grey = { 0.72, 0.72, 0.72 };

/* A plot in the picture, and the ranges of its axes. */
typedef struct {
  cairo_t *cr;
  double x, y, width, height; /* of the field within the axes */
  double left, right, bottom, top;
} Panel;

static double
to_x (const Panel *p, double v)
{
  return p->x + (v - p->left) / (p->right - p->left) * p->width;
}

static double
to_y (const Panel *p, double v)
{
  return p->y + p->height - (v - p->bottom) / (p->top - p->bottom) * p->height;
}

/* 1, 2 or 5 times a power of ten, about `count` of them in `span`. */
static double
calibrate_plot_choose_step (double span, guint count)
{
  double rough = span / count, power = pow (10, floor (log10 (rough)));

  return power
         * (rough / power < 1.5    ? 1
             : rough / power < 3.5 ? 2
             : rough / power < 7.5 ? 5
                                   : 10);
}

static void
calibrate_plot_write_text (
    cairo_t *cr, double x, double y, double align, const char *text)
{
  cairo_text_extents_t size;

  cairo_text_extents (cr, text, &size);
  cairo_move_to (cr, x - align * size.x_advance, y);
  cairo_show_text (cr, text);
}

static void
draw_tick (const Panel *p, gboolean upright, double v, double step)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[] = "%.0f";

  if (step < 1)
    format[2] = (char)('0' + MIN ((guint)ceil (-log10 (step) - 1e-9), 6));
  g_ascii_formatd (text, sizeof text, format, fabs (v) < step / 1e3 ? 0 : v);
  cairo_set_source_rgb (p->cr, 0.90, 0.90, 0.90);
  if (upright) {
    cairo_move_to (p->cr, p->x, to_y (p, v));
    cairo_rel_line_to (p->cr, p->width, 0);
  } else {
    cairo_move_to (p->cr, to_x (p, v), p->y);
    cairo_rel_line_to (p->cr, 0, p->height);
  }
  cairo_stroke (p->cr);
  cairo_set_source_rgb (p->cr, 0.25, 0.25, 0.25);
  if (upright)
    calibrate_plot_write_text (p->cr, p->x - 5, to_y (p, v) + 4, 1, text);
  else
    calibrate_plot_write_text (
        p->cr, to_x (p, v), p->y + p->height + 15, 0.5, text);
}

static void
draw_axes (const Panel *p, const char *title, const char *below)
{
  double step =
      calibrate_plot_choose_step (p->right - p->left, (guint)(p->width / 55));

  cairo_set_line_width (p->cr, 1);
  cairo_set_font_size (p->cr, 11);
  for (double v = ceil (p->left / step) * step; v <= p->right; v += step)
    draw_tick (p, FALSE, v, step);
  step = calibrate_plot_choose_step (p->top - p->bottom, 5);
  for (double v = ceil (p->bottom / step) * step; v <= p->top; v += step)
    draw_tick (p, TRUE, v, step);
  cairo_set_source_rgb (p->cr, 0.4, 0.4, 0.4);
  cairo_rectangle (p->cr, p->x, p->y, p->width, p->height);
  cairo_stroke (p->cr);
  cairo_set_source_rgb (p->cr, 0.1, 0.1, 0.1);
  calibrate_plot_write_text (
      p->cr, p->x + p->width, p->y + p->height + 30, 1, below);
  cairo_set_font_size (p->cr, 13);
  calibrate_plot_write_text (p->cr, p->x, p->y - 9, 0, title);
}

/* A panel of the picture at x, y, of the size given with its margins. */
static Panel
calibrate_plot_place (
    cairo_t *cr, double x, double y, double width, double height)
{
  return (Panel){ .cr = cr,
    .x = x + MARGIN_LEFT,
    .y = y + MARGIN_TOP,
    .width = width - MARGIN_LEFT - MARGIN_RIGHT,
    .height = height - MARGIN_TOP - MARGIN_BOTTOM };
}

/* Draws a line through the points, clipped to the panel. */
static void
draw_line (const Panel *p, const double *x, double x_step, const double *y,
    const double *shown, guint count, Colour colour)
{
  gboolean pen = FALSE;

  cairo_save (p->cr);
  cairo_rectangle (p->cr, p->x, p->y, p->width, p->height);
  cairo_clip (p->cr);
  cairo_set_source_rgb (p->cr, colour.r, colour.g, colour.b);
  cairo_set_line_width (p->cr, 1.4);
  cairo_set_line_join (p->cr, CAIRO_LINE_JOIN_ROUND);
  for (guint i = 0; i < count; i++) {
    double at = x != NULL ? x[i] : i * x_step;

    if (shown != NULL && !(shown[i] > 0)) {
      pen = FALSE;
      continue;
    }
    if (pen)
      cairo_line_to (p->cr, to_x (p, at), to_y (p, y[i]));
    else
      cairo_move_to (p->cr, to_x (p, at), to_y (p, y[i]));
    pen = TRUE;
  }
  cairo_stroke (p->cr);
  cairo_restore (p->cr);
}

/* A-scan of a mirror in dB, [count]; the highest value of each pixel of the
 * panel is enough of it. */
static double *
find_levels (const OctMirrorSet *set, const OctMirror *mirror,
    const double *k_index, const double *dispersion, OctWindow window,
    guint count)
{
  guint fine = OCT_MIRROR_PEAK_PADDING * set->samples / 2;
  g_autofree double *turned = g_new0 (double, set->samples);
  g_autofree double *ascan = NULL;
  double *levels = g_new0 (double, count);

  for (guint i = 0; dispersion != NULL && i < set->samples; i++)
    turned[i] = mirror->side * dispersion[i];
  ascan = oct_mirror_peak_transform_with (mirror->fringe->average, set->samples,
      k_index, dispersion != NULL ? turned : NULL, window);
  for (guint q = 0; q < fine; q++) {
    guint i = (guint)((guint64)q * count / fine);

    levels[i] = MAX (levels[i], ascan[q]);
  }
  for (guint i = 0; i < count; i++)
    levels[i] = 20 * log10 (MAX (levels[i], 1e-300));
  return levels;
}

static void
draw_peaks (cairo_t *cr, double height, OctWindow window,
    const OctMirrorSet *set, const OctCalibrateColumns *columns)
{
  g_autofree char *title = g_strdup_printf (
      "A-scans of the mirrors, dB, window %s: grey without calibration, in "
      "colour with it",
      oct_windows[window].nick);
  const guint count = 1600;
  Panel p = calibrate_plot_place (cr, 0, 0, WIDTH, height);
  double highest = -HUGE_VAL, deepest = 0;

  for (guint i = 0; i < set->used->len; i++) {
    const OctMirror *mirror = oct_mirror_set_get_used (set, i);

    highest = MAX (highest, MAX (mirror->after.level, mirror->before.level));
    deepest = MAX (deepest, mirror->after.bin);
  }
  p.left = 0;
  p.right = MIN (1.35 * deepest + 20, set->samples / 2.0);
  p.top = ceil (highest / 10) * 10 + 3;
  p.bottom = p.top - DEPTH_OF_PLOT;
  draw_axes (&p, title, "depth, bins");
  for (guint with = 0; with < 2; with++)
    for (guint i = 0; i < set->used->len; i++) {
      g_autofree double *levels = find_levels (set,
          oct_mirror_set_get_used (set, i), with ? columns->k_index : NULL,
          with ? columns->dispersion : NULL, window, count);

      draw_line (&p, NULL, set->samples / 2.0 / count, levels, NULL, count,
          with ? colours[i % MAX_COLOURS] : grey);
    }
}

/* The range of values with some room, never empty. */
static void
fit_range (Panel *p, const double *values, guint count, double least)
{
  double low = HUGE_VAL, high = -HUGE_VAL, room;

  for (guint i = 0; i < count; i++) {
    low = MIN (low, values[i]);
    high = MAX (high, values[i]);
  }
  if (!(high - low > least)) {
    double middle = (low + high) / 2;

    low = middle - least / 2;
    high = middle + least / 2;
  }
  room = 0.06 * (high - low);
  p->bottom = low - room;
  p->top = high + room;
}

static void
draw_column (
    Panel p, const char *title, const double *values, guint count, double least)
{
  p.left = 0;
  p.right = count - 1;
  fit_range (&p, values, count, least);
  draw_axes (&p, title, "uniform wavenumber");
  draw_line (&p, NULL, 1, values, NULL, count, colours[0]);
}

static void
draw_residuals (Panel p, const OctMirrorSet *set)
{
  double limit = 0.05;

  for (guint m = 0; m < set->fit->mirrors; m++)
    limit = MAX (limit, 4 * set->fit->residuals[m]);
  p.left = 0;
  p.right = set->samples - 1;
  p.bottom = -limit;
  p.top = limit;
  draw_axes (&p, "residual phases, rad", "sample");
  for (guint m = 0; m < set->fit->mirrors; m++) {
    const double *at, *weights, *residuals;
    guint count;

    residuals =
        oct_mirror_fit_get_residuals (set->fit, m, &at, &weights, &count);
    draw_line (&p, at, 0, residuals, weights, count, colours[m % MAX_COLOURS]);
  }
}

static void
draw_all (cairo_t *cr, OctWindow window, const OctMirrorSet *set,
    const OctCalibrateColumns *columns)
{
  guint n = columns->samples;
  guint panels = 1 + (columns->dispersion != NULL) + (set->fit != NULL);
  double width = (double)WIDTH / panels, top = 0.58 * HEIGHT;
  g_autofree double *bend = g_new (double, n);
  gboolean falls = columns->k_index[n - 1] < columns->k_index[0];

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_select_font_face (
      cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  draw_peaks (cr, top, window, set, columns);
  for (guint i = 0; i < n; i++)
    bend[i] = columns->k_index[i] - (falls ? n - 1.0 - i : i);
  draw_column (calibrate_plot_place (cr, 0, top, width, HEIGHT - top),
      "k_index less a straight line, samples", bend, n, 1);
  if (columns->dispersion != NULL)
    draw_column (calibrate_plot_place (cr, width, top, width, HEIGHT - top),
        "dispersion, rad", columns->dispersion, n, 0.1);
  if (set->fit != NULL)
    draw_residuals (
        calibrate_plot_place (cr, 2 * width, top, width, HEIGHT - top), set);
}

gboolean
oct_calibrate_plot_check (const char *path, GError **error)
{
  if (g_str_has_suffix (path, ".svg") || g_str_has_suffix (path, ".png"))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--plot draws to a file whose name ends with .svg or .png, not '%s'.",
      path);
  return FALSE;
}

static cairo_status_t
keep_bytes (void *data, const unsigned char *bytes, unsigned int size)
{
  g_byte_array_append (data, bytes, size);
  return CAIRO_STATUS_SUCCESS;
}

/* The bytes of the whole file, as cairo does not report a full disk. */
static cairo_status_t
draw_to_memory (gboolean png, GByteArray *bytes, OctWindow window,
    const OctMirrorSet *set, const OctCalibrateColumns *columns)
{
  cairo_surface_t *surface =
      png ? cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT)
          : cairo_svg_surface_create_for_stream (
              keep_bytes, bytes, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  draw_all (cr, window, set, columns);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS && png)
    status = cairo_surface_write_to_png_stream (surface, keep_bytes, bytes);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  return status;
}

gboolean
oct_calibrate_plot (const char *path, OctWindow window, const OctMirrorSet *set,
    const OctCalibrateColumns *columns, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_status_t status = draw_to_memory (
      g_str_has_suffix (path, ".png"), bytes, window, set, columns);
  int code = status == CAIRO_STATUS_SUCCESS
                 ? oct_file_replace (path, bytes->data, bytes->len, -1)
                 : 0;

  if (status == CAIRO_STATUS_SUCCESS && code == 0) {
    g_print ("Drawn: %s\n", path);
    return TRUE;
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
      "The plot '%s' cannot be written: %s; name a file in a folder that can "
      "be written to.",
      path, code != 0 ? g_strerror (code) : cairo_status_to_string (status));
  return FALSE;
}

#else

gboolean
oct_calibrate_plot_check (const char *path, GError **error)
{
  return TRUE;
}

gboolean
oct_calibrate_plot (const char *path, OctWindow window, const OctMirrorSet *set,
    const OctCalibrateColumns *columns, GError **error)
{
  g_printerr ("Note: The plot '%s' is left out: this program was built without "
              "cairo (Debian: libcairo2-dev).\n",
      path);
  return TRUE;
}

#endif
