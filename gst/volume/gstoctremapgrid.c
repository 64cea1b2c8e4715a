/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctremapgrid.h"

#include <math.h>

#define METRES 1e-3 /* a mm */
#define MOST_PIXELS 65536
#define MOST_HOLE 1000.0

static const GEnumValue remap_methods[] = {
  { OCT_SCAN_REMAP_NEAREST, "The nearest A-line", "nearest" },
  { OCT_SCAN_REMAP_LOCAL, "A plane through the 12 nearest A-lines", "local" },
  { 0, NULL, NULL },
};
static GST_OCT_DEFINE_ENUM (
    get_remap_method_type, "GstOctRemapMethod", remap_methods)

    static const GstOctProperty remap_rows[] = {
      { "method", "Method", "How a pixel is made of A-lines", 0, NULL,
          GST_OCT_ENUM (GstOctRemapSettings, method, get_remap_method_type,
              OCT_SCAN_REMAP_LOCAL) },
      { "columns", "Columns",
          "A-lines of a B-scan of the raster (0 = as wide as the path)", 0,
          NULL,
          GST_OCT_UINT (GstOctRemapSettings, columns, 0, MOST_PIXELS, 0) },
      { "rows", "Rows",
          "B-scans of a volume of the raster (0 = as high as the path)", 0,
          NULL, GST_OCT_UINT (GstOctRemapSettings, rows, 0, MOST_PIXELS, 0) },
      { "x-spacing", "Spacing of columns",
          "Distance of columns in metres (0 = from `columns`, else as many "
          "pixels as A-lines)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctRemapSettings, x_spacing, 0.0, 1.0, 0.0) },
      { "y-spacing", "Spacing of rows",
          "Distance of rows in metres (0 = from `rows`, else as many pixels as "
          "A-lines)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctRemapSettings, y_spacing, 0.0, 1.0, 0.0) },
      { "width", "Width",
          "method=local: full width at half maximum of the weights in pixels; "
          "1.4 for much noise",
          0, NULL,
          GST_OCT_DOUBLE (GstOctRemapSettings, width, 0.1, 20.0, 1.0) },
      { "hole", "Hole",
          "Distance in pixels within which a pixel needs an A-line, else it is "
          "a hole: black, and filled in by octvolumecs",
          0, NULL,
          GST_OCT_DOUBLE (GstOctRemapSettings, hole, 0.1, MOST_HOLE, 1.5) },
      { "delay-x", "Delay x",
          "A-lines and fractions of them by which the mirror of x is late, if "
          "its path was sent without a delay; `delay-lines` of tune",
          0, NULL,
          GST_OCT_DOUBLE (GstOctRemapSettings, delay_x, -OCT_SCAN_MOST_LATE,
              OCT_SCAN_MOST_LATE, 0.0) },
      { "delay-y", "Delay y", "The same of y", 0, NULL,
          GST_OCT_DOUBLE (GstOctRemapSettings, delay_y, -OCT_SCAN_MOST_LATE,
              OCT_SCAN_MOST_LATE, 0.0) },
      { "complex", "Complex",
          "A-scans: sums of complex values, for scans that keep their phase; "
          "else sums of amplitudes, with the phase of the nearest A-line",
          0, NULL, GST_OCT_BOOLEAN (GstOctRemapSettings, complex, FALSE) },
      { "update", "Update",
          "When there is a new raster: of complete volumes, or also while the "
          "beam moves, of the newest A-line of every place",
          0, NULL,
          GST_OCT_ENUM (GstOctRemapSettings, update,
              gst_oct_volume_update_get_type, GST_OCT_UPDATE_VOLUME) },
      { "interval", "Interval",
          "update=scan: time of the scan in seconds from a raster to the next "
          "(0 = one after each buffer)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctRemapSettings, interval, 0.0, 3600.0, 0.04) },
      { "holes", "Holes", "Pixels of the raster that are holes",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_UINT64 (GstOctRemapSettings, holes, 0, G_MAXUINT64, 0) },
      { "missing", "Missing",
          "B-scans of the path that never came, in whose place those of an "
          "earlier volume are used",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_UINT64 (GstOctRemapSettings, missing, 0, G_MAXUINT64, 0) },
    };
const GstOctProperties gst_oct_remap_properties =
    GST_OCT_PROPERTIES (GstOctRemapSettings, remap_rows);

gboolean
gst_oct_remap_grid_check (
    const OctScanPlaces *places, guint lines, guint bscans, GError **error)
{
  g_autofree char *come = NULL;

  if (places == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "octremap knows no places of the A-lines; set `scan` of octsrc, or "
        "send an event application/x-oct-scan-path before the first B-scan.");
    return FALSE;
  }
  if (places->lines == lines && (bscans == 0 || bscans == places->bscans))
    return TRUE;
  if (bscans > 0)
    come = g_strdup_printf ("volumes of %u B-scans of ", bscans);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The scan path has %u B-scans of %u A-lines, but %s%u A-lines come; send "
      "the path of this scan, or set `lines` and `bscans` of the source to "
      "those of the path.",
      places->bscans, places->lines, come != NULL ? come : "B-scans of ",
      lines);
  return FALSE;
}

typedef struct {
  double low[OCT_SCAN_AXES], size[OCT_SCAN_AXES];
} Box;

static Box
find_box (const OctScanPlaces *places)
{
  Box box;

  for (guint axis = 0; axis < OCT_SCAN_AXES; axis++) {
    double low = G_MAXDOUBLE, high = -G_MAXDOUBLE;

    for (guint i = 0; i < places->count; i++) {
      low = MIN (low, places->points[i].at[axis] * METRES);
      high = MAX (high, places->points[i].at[axis] * METRES);
    }
    box.low[axis] = low;
    box.size[axis] = high - low;
  }
  return box;
}

/* Round patterns fill a part of their box. */
static double
find_area (const OctScanPlaces *places, const Box *box)
{
  static const char *const round[] = { "radial", "spiral", "spiral-angular",
    "rosette", NULL };

  return box->size[0] * box->size[1]
         * (g_strv_contains (round, places->pattern) ? G_PI / 4 : 1.0);
}

/* A spacing with which there are as many pixels as A-lines. */
static double
find_spacing (const OctScanPlaces *places, const Box *box)
{
  double longest = MAX (box->size[0], box->size[1]);
  double spacing = sqrt (find_area (places, box) / places->count);

  /* all on a line, or at one place */
  spacing = MAX (spacing, longest / (places->count - 1));
  return spacing > 0.0 ? spacing : 1e-6;
}

static guint
choose_axis (
    guint set, double set_spacing, double size, double usual, double *spacing)
{
  *spacing = set_spacing > 0.0       ? set_spacing
             : set > 1 && size > 0.0 ? size / (set - 1)
                                     : usual;
  if (set > 0)
    return set;
  return (guint)MIN (rint (size / *spacing), G_MAXINT / 2) + 1;
}

OctScanRemap *
gst_oct_remap_grid_make (const GstOctRemapSettings *s,
    const OctScanPlaces *places, GstOctRemapGrid *grid, GError **error)
{
  Box box = find_box (places);
  double usual = find_spacing (places, &box);
  g_autofree double *x = g_new (double, places->count);
  g_autofree double *y = g_new (double, places->count);
  const double delay[] = { s->delay_x, s->delay_y };
  g_autoptr (OctScanPlaces) late = NULL;
  OctScanRemapSettings settings;

  grid->columns = choose_axis (
      s->columns, s->x_spacing, box.size[0], usual, &grid->spacing[0]);
  grid->rows = choose_axis (
      s->rows, s->y_spacing, box.size[1], usual, &grid->spacing[1]);
  if (grid->columns > MOST_PIXELS || grid->rows > MOST_PIXELS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The scan path is %g by %g mm, which are %u columns and %u rows of "
        "octremap; set `columns` and `rows`, or larger spacings, so that they "
        "are at most %u.",
        box.size[0] / METRES, box.size[1] / METRES, grid->columns, grid->rows,
        MOST_PIXELS);
    return NULL;
  }
  /* the raster stays that of the path */
  if (delay[0] != 0 || delay[1] != 0) {
    late = oct_scan_places_new_late (places, delay, error);
    if (late == NULL)
      return NULL;
  }
  for (guint i = 0; i < places->count; i++) {
    const double *at = late != NULL ? late->points[i].at : places->points[i].at;

    x[i] = (at[0] * METRES - box.low[0] - box.size[0] / 2) / grid->spacing[0]
           + (grid->columns - 1) / 2.0;
    y[i] = (at[1] * METRES - box.low[1] - box.size[1] / 2) / grid->spacing[1]
           + (grid->rows - 1) / 2.0;
  }
  settings = (OctScanRemapSettings){ s->method, grid->columns, grid->rows,
    s->width, s->hole };
  return oct_scan_remap_new (&settings, x, y, places->count, error);
}
