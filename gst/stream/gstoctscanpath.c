/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctscanpath.h"
#include "oct/oct.h"

#define MM 1e3 /* of a metre */

static GstBuffer *
copy_axis (const OctScanPlaces *places, guint axis)
{
  double *values = g_new (double, places->count);

  for (guint i = 0; i < places->count; i++)
    values[i] = places->points[i].at[axis] / MM;
  return gst_buffer_new_wrapped (values, places->count * sizeof (double));
}

GstEvent *
gst_oct_scan_path_event_new (const OctScanPlaces *places)
{
  g_autoptr (GstBuffer) x = copy_axis (places, 0);
  g_autoptr (GstBuffer) y = copy_axis (places, 1);

  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new (GST_OCT_SCAN_PATH_EVENT_NAME, GST_OCT_SCAN_PATH_LINES,
          G_TYPE_UINT, places->lines, GST_OCT_SCAN_PATH_BSCANS, G_TYPE_UINT,
          places->bscans, GST_OCT_SCAN_PATH_X, GST_TYPE_BUFFER, x,
          GST_OCT_SCAN_PATH_Y, GST_TYPE_BUFFER, y, GST_OCT_SCAN_PATH_PATTERN,
          G_TYPE_STRING, places->pattern, NULL));
}

GstEvent *
gst_oct_scan_path_event_new_from (const OctScanPlaces *places, guint64 first)
{
  GstEvent *event = gst_oct_scan_path_event_new (places);

  gst_structure_set (gst_event_writable_structure (event),
      GST_OCT_SCAN_PATH_FIRST, G_TYPE_UINT64, first, NULL);
  return event;
}

gboolean
gst_oct_scan_path_event_get_first (GstEvent *event, guint64 *first)
{
  return gst_structure_get_uint64 (
      gst_event_get_structure (event), GST_OCT_SCAN_PATH_FIRST, first);
}

static OctScanPlaces *
make_places (guint lines, guint bscans, const GstMapInfo *x,
    const GstMapInfo *y, const char *pattern, GError **error)
{
  guint64 count = (guint64)lines * bscans;

  if (x->size == y->size && x->size / sizeof (double) == count
      && x->size % sizeof (double) == 0)
    /* buffers of GStreamer are aligned, parts of them may not be */
    return oct_scan_places_new (lines, bscans,
        (const double *)(gpointer)x->data, (const double *)(gpointer)y->data,
        MM, pattern, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A scan path of %u B-scans of %u A-lines has %" G_GSIZE_FORMAT
      " bytes of x and %" G_GSIZE_FORMAT
      " of y; %u bytes for each A-line are expected.",
      bscans, lines, x->size, y->size, (guint)sizeof (double));
  return NULL;
}

/* Doubles that lie as doubles have to. */
static GstBuffer *
align (GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer), copied;
  gpointer data = g_malloc (MAX (size, 1));

  copied = gst_buffer_extract (buffer, 0, data, size);
  return gst_buffer_new_wrapped_full (
      0, data, MAX (size, 1), 0, copied, data, g_free);
}

static OctScanPlaces *
read_path (const GstStructure *s, GError **error)
{
  g_autoptr (GstBuffer) x = NULL;
  g_autoptr (GstBuffer) y = NULL;
  g_autoptr (GstBuffer) own_x = NULL;
  g_autoptr (GstBuffer) own_y = NULL;
  OctScanPlaces *places = NULL;
  GstMapInfo map_x, map_y;
  guint lines = 0, bscans = 0;

  gst_structure_get (s, GST_OCT_SCAN_PATH_X, GST_TYPE_BUFFER, &x, NULL);
  gst_structure_get (s, GST_OCT_SCAN_PATH_Y, GST_TYPE_BUFFER, &y, NULL);
  if (!gst_structure_get_uint (s, GST_OCT_SCAN_PATH_LINES, &lines)
      || !gst_structure_get_uint (s, GST_OCT_SCAN_PATH_BSCANS, &bscans)
      || x == NULL || y == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "It lacks `lines` or `bscans` (uint), or `x` or `y` (buffers of "
        "doubles); send it with all of them.");
    return NULL;
  }
  own_x = align (x);
  own_y = align (y);
  gst_buffer_map (own_x, &map_x, GST_MAP_READ);
  gst_buffer_map (own_y, &map_y, GST_MAP_READ);
  places = make_places (lines, bscans, &map_x, &map_y,
      gst_structure_get_string (s, GST_OCT_SCAN_PATH_PATTERN), error);
  gst_buffer_unmap (own_y, &map_y);
  gst_buffer_unmap (own_x, &map_x);
  return places;
}

OctScanPlaces *
gst_oct_scan_path_event_parse (GstEvent *event, GError **error)
{
  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      || !gst_event_has_name (event, GST_OCT_SCAN_PATH_EVENT_NAME))
    return NULL;
  return read_path (gst_event_get_structure (event), error);
}

OctScanPlaces *
gst_oct_scan_path_event_take (GstEvent *event, GstElement *element)
{
  g_autoptr (GError) error = NULL;
  OctScanPlaces *places = gst_oct_scan_path_event_parse (event, &error);

  if (error != NULL)
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("An event " GST_OCT_SCAN_PATH_EVENT_NAME
         " is ignored, and the path before it stays: %s",
            error->message),
        (NULL));
  return places;
}
