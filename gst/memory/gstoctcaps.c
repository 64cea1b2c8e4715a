/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcaps.h"
#include <math.h>
#include "oct-backend.h"

/* one in nanometres or micrometres is not among them */
#define SHORTEST_WAVELENGTH 1e-7
#define LONGEST_WAVELENGTH 1e-4

gboolean
gst_oct_wavelength_is_possible (double wavelength)
{
  return wavelength >= SHORTEST_WAVELENGTH && wavelength <= LONGEST_WAVELENGTH;
}

const char *
gst_oct_axis_to_string (GstOctAxis axis)
{
  return axis == GST_OCT_AXIS_WAVENUMBER ? "wavenumber" : "wavelength";
}

static gboolean
info_from_video (GstOctInfo *info, const GstCaps *caps)
{
  if (!gst_video_info_from_caps (&info->video, caps))
    return FALSE;
  info->is_video = TRUE;
  info->columns = GST_VIDEO_INFO_WIDTH (&info->video);
  info->rows = GST_VIDEO_INFO_HEIGHT (&info->video);
  info->size = GST_VIDEO_INFO_SIZE (&info->video);
  switch (GST_VIDEO_INFO_FORMAT (&info->video)) {
  case GST_VIDEO_FORMAT_GRAY16_LE:
    info->format = OCT_SAMPLE_U16;
    return TRUE;
  case GST_VIDEO_FORMAT_GRAY8:
  case GST_VIDEO_FORMAT_NV12:
  case GST_VIDEO_FORMAT_RGBA:
    info->format = OCT_SAMPLE_U8;
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean
info_from_structure (GstOctInfo *info, const GstStructure *s)
{
  const char *format = gst_structure_get_string (s, "format");
  const char *axis = gst_structure_get_string (s, "axis");
  gint samples = 0, lines = 0;

  if (g_strcmp0 (format, "F32LE") == 0)
    info->format = OCT_SAMPLE_F32;
  else if (g_strcmp0 (format, "CF32LE") == 0)
    info->format = OCT_SAMPLE_CF32;
  else
    return FALSE;
  if (!gst_structure_get_int (s, "samples", &samples)
      || !gst_structure_get_int (s, "lines", &lines) || samples < 1
      || lines < 1)
    return FALSE;
  info->axis = g_strcmp0 (axis, "wavenumber") == 0 ? GST_OCT_AXIS_WAVENUMBER
                                                   : GST_OCT_AXIS_WAVELENGTH;
  info->columns = samples;
  info->rows = (guint)MIN ((guint64)lines * info->bscans, G_MAXUINT);
  info->size =
      (gsize)samples * info->rows * oct_sample_format_size (info->format);
  return TRUE;
}

/* A field that is not valid is an error: taken for absent, several B-scans
 * would be a single wrong image, and speeds would be wrong. */
static gboolean
refuse_field (const GstStructure *s, const char *field, const char *meaning,
    const char *expected, GError **error)
{
  const GValue *found = gst_structure_get_value (s, field);
  g_autofree char *text =
      G_VALUE_HOLDS_DOUBLE (found)
          ? g_strdup_printf ("%g", g_value_get_double (found))
          : g_strdup_value_contents (found);

  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s (%s) was said to be the %s, %s was expected; set `%s` in the caps to "
      "what the source delivers.",
      text, G_VALUE_TYPE_NAME (found), meaning, expected, field);
  return FALSE;
}

static gboolean
caps_get_count (const GstStructure *s, const char *field, const char *meaning,
    guint *count, GError **error)
{
  gint value = 1;

  if (gst_structure_has_field (s, field)
      && (!gst_structure_get_int (s, field, &value) || value < 1))
    return refuse_field (s, field, meaning, "a gint from 1 on", error);
  *count = (guint)value;
  return TRUE;
}

/* Without an error: elements that need it ask for a property. */
static double
caps_get_spacing (const GstStructure *s, const char *field)
{
  double spacing = 0;

  gst_structure_get_double (s, field, &spacing);
  return spacing > 0 && isfinite (spacing) ? spacing : 0;
}

static void
caps_get_spacings (GstOctInfo *info, const GstStructure *s)
{
  gint start = 0;

  gst_structure_get_int (s, GST_OCT_DEPTH_START_FIELD, &start);
  info->depth_start = (guint)MAX (0, start);
  info->x_spacing = caps_get_spacing (s, "x-spacing");
  info->y_spacing = caps_get_spacing (s, "y-spacing");
  info->z_spacing = caps_get_spacing (s, "z-spacing");
}

static gboolean
caps_get_scan (GstOctInfo *info, const GstStructure *s, GError **error)
{
  gint rate_n, rate_d;

  info->line_rate_n = 0;
  info->line_rate_d = 1;
  if (!caps_get_count (s, GST_OCT_BSCANS_FIELD, "number of B-scans in a buffer",
          &info->bscans, error)
      || !caps_get_count (s, GST_OCT_REPEATS_FIELD,
          "number of B-scans at each place", &info->repeats, error))
    return FALSE;
  if (gst_structure_get_fraction (s, "framerate", &rate_n, &rate_d))
    info->bscan_rate = (double)rate_n / rate_d * info->bscans;
  if (gst_structure_has_field (s, GST_OCT_LINE_RATE_FIELD)
      && (!gst_structure_get_fraction (s, GST_OCT_LINE_RATE_FIELD,
              &info->line_rate_n, &info->line_rate_d)
          || info->line_rate_n < 1))
    return refuse_field (s, GST_OCT_LINE_RATE_FIELD,
        "number of A-lines per second", "a fraction above 0, such as 100000/1,",
        error);
  if (gst_structure_has_field (s, GST_OCT_WAVELENGTH_FIELD)
      && (!gst_structure_get_double (
              s, GST_OCT_WAVELENGTH_FIELD, &info->wavelength)
          || !gst_oct_wavelength_is_possible (info->wavelength)))
    return refuse_field (s, GST_OCT_WAVELENGTH_FIELD,
        "centre wavelength in metres",
        "a gdouble from 1e-7 to 1e-4, such as 850e-9,", error);
  return TRUE;
}

static gboolean
caps_check_size (const GstOctInfo *info, GError **error)
{
  if (info->rows % info->bscans != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The caps say that %u B-scans are in a buffer, but its %u rows are not "
        "a multiple of that; set `bscans` in the caps to the number that the "
        "source delivers.",
        info->bscans, info->rows);
    return FALSE;
  }
  if (info->rows > OCT_MAX_LINES
      || (guint64)info->columns * info->rows > OCT_MAX_BSCAN_VALUES) {
    if (info->bscans > 1)
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%u B-scans of %u x %u values do not fit one buffer, which can hold "
          "%u rows and %u values; set fewer B-scans per buffer.",
          info->bscans, info->columns, info->rows / info->bscans, OCT_MAX_LINES,
          OCT_MAX_BSCAN_VALUES);
    else
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "One B-scan of %u x %u values is too large, at most %u values are "
          "possible; set smaller `samples` or `lines`.",
          info->columns, info->rows, OCT_MAX_BSCAN_VALUES);
    return FALSE;
  }
  return TRUE;
}

gboolean
gst_oct_info_from_caps (GstOctInfo *info, const GstCaps *caps, GError **error)
{
  gboolean known = FALSE;

  memset (info, 0, sizeof *info);
  if (gst_caps_is_fixed (caps)) {
    const GstStructure *s = gst_caps_get_structure (caps, 0);

    if (!caps_get_scan (info, s, error))
      return FALSE;
    caps_get_spacings (info, s);
    gst_structure_get_boolean (s, GST_OCT_K_CLOCK_FIELD, &info->k_clock);
    if (gst_structure_has_name (s, "video/x-raw"))
      known = info_from_video (info, caps);
    else if (gst_structure_has_name (s, GST_OCT_SPECTRA_NAME)
             || gst_structure_has_name (s, GST_OCT_ASCANS_NAME)
             || gst_structure_has_name (s, GST_OCT_VALUES_NAME))
      known = info_from_structure (info, s);
  }
  if (!known) {
    g_autofree char *text = gst_caps_to_string (caps);

    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The stream is described as '%s', which is none of the formats in "
        "docs/caps.md; check the order of the elements.",
        text);
    return FALSE;
  }
  return caps_check_size (info, error);
}

gboolean
gst_oct_info_check_clock (
    const GstOctInfo *info, OctOperation operation, GError **error)
{
  if (!info->k_clock || operation == OCT_OPERATION_KCLOCK)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "The A-lines come with the samples of a k-clock after their own; put "
      "octkclock after the source, or set k-clock=false on octdaqsrc.");
  return FALSE;
}

void
gst_oct_info_of_buffer (
    GstOctInfo *there, const GstOctInfo *most, GstBuffer *buffer)
{
  guint lines = most->rows / most->bscans, rows = most->rows;
  gsize one = most->size / most->bscans;
  const GstVideoMeta *meta;

  *there = *most;
  if (most->bscans == 1
      || (most->is_video && GST_VIDEO_INFO_N_PLANES (&most->video) > 1))
    return;
  meta = most->is_video ? gst_buffer_get_video_meta (buffer) : NULL;
  if (meta != NULL)
    rows = meta->height;
  else if (gst_buffer_get_size (buffer) % one == 0)
    rows = (guint)(gst_buffer_get_size (buffer) / one * lines);
  if (rows == 0 || rows >= most->rows || rows % lines != 0)
    return;
  there->rows = rows;
  there->bscans = rows / lines;
  there->size = one * there->bscans;
  if (most->is_video) {
    GST_VIDEO_INFO_HEIGHT (&there->video) = (gint)rows;
    GST_VIDEO_INFO_SIZE (&there->video) = there->size;
  }
}

gboolean
gst_oct_info_same_bscans (const GstOctInfo *a, const GstOctInfo *b)
{
  return a->is_video == b->is_video && a->format == b->format
         && a->columns == b->columns
         && a->rows / a->bscans == b->rows / b->bscans
         && (!a->is_video
             || GST_VIDEO_INFO_FORMAT (&a->video)
                    == GST_VIDEO_INFO_FORMAT (&b->video));
}

gboolean
gst_oct_info_same_layout (const GstOctInfo *a, const GstOctInfo *b)
{
  return gst_oct_info_same_bscans (a, b) && a->bscans == b->bscans;
}

gsize
gst_oct_info_row_size (const GstOctInfo *info)
{
  return (gsize)info->columns * oct_sample_format_size (info->format);
}

gsize
gst_oct_info_mean_size (const GstOctInfo *info)
{
  return info->bscans
         * OCT_MEAN_SIZE (info->columns, info->rows / info->bscans);
}

void
gst_oct_structure_copy_field (const GstStructure *from, const char *from_field,
    GstStructure *to, const char *to_field)
{
  const GValue *value = gst_structure_get_value (from, from_field);

  if (value != NULL)
    gst_structure_set_value (to, to_field, value);
}

void
gst_oct_structure_copy_scan (const GstStructure *from, GstStructure *to)
{
  static const char *const fields[] = { "framerate", "x-spacing", "y-spacing",
    GST_OCT_VIEW_FIELD, GST_OCT_SCAN_LINES_FIELD, GST_OCT_SCAN_BSCANS_FIELD,
    GST_OCT_REPEATS_FIELD, GST_OCT_LINE_RATE_FIELD, GST_OCT_WAVELENGTH_FIELD };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    gst_oct_structure_copy_field (from, fields[i], to, fields[i]);
}

guint
gst_oct_structure_get_repeats (const GstStructure *s)
{
  gint repeats = 1;

  gst_structure_get_int (s, GST_OCT_REPEATS_FIELD, &repeats);
  return (guint)MAX (repeats, 1);
}

double
gst_oct_structure_get_bscan_spacing (const GstStructure *s)
{
  double spacing = 0.0;

  gst_structure_get_double (s, "y-spacing", &spacing);
  return spacing / gst_oct_structure_get_repeats (s);
}

GstStructure *
gst_oct_video_structure (const char *formats, const GstStructure *from,
    const char *width_field, const char *height_field)
{
  g_autofree char *text = g_strdup_printf (
      "video/x-raw, format = (string) %s, width = " GST_OCT_SIZE_RANGE
      ", height = " GST_OCT_SIZE_RANGE ", framerate = " GST_OCT_RATE_RANGE,
      formats);
  GstStructure *s = gst_structure_from_string (text, NULL);

  gst_oct_structure_copy_field (from, width_field, s, "width");
  gst_oct_structure_copy_field (from, height_field, s, "height");
  gst_oct_structure_copy_scan (from, s);
  return s;
}

static gboolean
caps_is_on_host (
    GstCapsFeatures *features, GstStructure *structure, gpointer data)
{
  return !gst_caps_features_contains (features, GST_OCT_CUDA_FEATURE);
}

GstCaps *
gst_oct_caps_keep_readable (GstPad *src, GstCaps *possible)
{
  g_autoptr (GstCaps) peer = gst_pad_peer_query_caps (src, NULL);

  if (!gst_caps_is_any (peer))
    return possible;
  possible = gst_caps_make_writable (possible);
  gst_caps_filter_and_map_in_place (possible, caps_is_on_host, NULL);
  return possible;
}

gboolean
gst_oct_caps_ask_for_yuv (const GstCaps *caps)
{
  g_autoptr (GstCaps) i420 =
      gst_caps_from_string ("video/x-raw, format = (string) I420");

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    g_autoptr (GstCaps) one = gst_caps_copy_nth (caps, i);

    if (gst_structure_has_field (gst_caps_get_structure (one, 0), "format")
        && gst_caps_can_intersect (one, i420))
      return TRUE;
  }
  return FALSE;
}

GstCaps *
gst_oct_caps_choose_grey (GstPad *src, GstCaps *possible)
{
  g_autoptr (GstCaps) peer = gst_pad_peer_query_caps (src, NULL);
  g_autoptr (GstCaps) nv12 =
      gst_caps_from_string ("video/x-raw, format = (string) NV12");
  GstCaps *preferred;

  possible = gst_oct_caps_keep_readable (src, possible);
  if (gst_caps_is_empty (possible)
      || !caps_is_on_host (gst_caps_get_features (possible, 0), NULL, NULL)
      || !gst_oct_caps_ask_for_yuv (peer)
      || !gst_caps_can_intersect (possible, nv12))
    return possible;
  preferred = gst_caps_intersect (possible, nv12);
  gst_caps_unref (possible);
  return preferred;
}
