/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octcolormap
 *
 * Shows the grey levels of images as colours: of B-scans, or of the sections of
 * volumes that octenface and octslice make.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct ! octcolormap map=hot
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctcolormap.h"
#include "gstoctbus.h"
#include "gstoctcuda.h"
#include "gstocterror.h"
#include "oct-colormap.h"
#include "oct-file.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_colormap_debug);
#define GST_CAT_DEFAULT gst_oct_colormap_debug

#define OF_ANY_SIZE                                                            \
  ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE             \
  ", framerate = " GST_OCT_RATE_RANGE

#define CAPS_GREY "video/x-raw, format = (string) { GRAY8, NV12 }" OF_ANY_SIZE
#define CAPS_COLOURS                                                           \
  "video/x-raw, format = (string) NV12, colorimetry = (string) "               \
  "bt709" OF_ANY_SIZE "; video/x-raw, format = (string) RGBA" OF_ANY_SIZE

/* The maps of the table, and one more: */
#define MAP_FILE OCT_N_COLORMAPS

typedef struct {
  gint map;
  char *path;
  gpointer file;
} Settings;

struct _GstOctColormap {
  GstOctFilter parent;
};

G_DEFINE_TYPE (GstOctColormap, gst_oct_colormap, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octcolormap, "octcolormap", GST_RANK_NONE, GST_TYPE_OCT_COLORMAP);

static GType
get_map_type (void)
{
  static gsize type = 0;
  static GEnumValue maps[OCT_N_COLORMAPS + 2];

  if (g_once_init_enter (&type)) {
    for (guint i = 0; i < OCT_N_COLORMAPS; i++)
      maps[i] = (GEnumValue){ (gint)i, oct_colormaps[i].description,
        oct_colormaps[i].nick };
    maps[MAP_FILE] = (GEnumValue){ MAP_FILE, "`map-file`", "file" };
    g_once_init_leave (&type, g_enum_register_static ("GstOctColors", maps));
  }
  return type;
}

static gpointer
read_map (const char *path, GError **error)
{
  return oct_colormap_read (path, error);
}

static gpointer
open_map (const char *path)
{
  return oct_file_content_new (path, read_map, g_free);
}

static const GstOctFileType map_file = { open_map,
  (gpointer (*) (gpointer))oct_file_content_ref,
  (void (*) (gpointer))oct_file_content_unref };

static const GstOctProperty rows[] = {
  { "map", "Map", "Colours of the grey levels", GST_OCT_PROPERTY_LIVE, "map",
      GST_OCT_ENUM (Settings, map, get_map_type, OCT_COLORMAP_VIRIDIS) },
  { "map-file", "File of the map",
      "map=file: text with lines of grey level (0 to 255), red, green and blue "
      "(0 to 1)",
      GST_OCT_PROPERTY_LIVE, "map",
      GST_OCT_FILE (Settings, path, file, &map_file) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* --------------------------------------------------------------------- caps */

/* The templates know which formats are in which memory. */
static void
append_grey (const GstStructure *from, GstCaps *result)
{
  g_autoptr (GstCaps) formats =
      gst_caps_from_string ("video/x-raw, format = { GRAY8, NV12, RGBA }");
  GstStructure *to = gst_structure_copy (from);

  gst_structure_remove_fields (to, "colorimetry", "chroma-site", NULL);
  gst_structure_set_value (to, "format",
      gst_structure_get_value (gst_caps_get_structure (formats, 0), "format"));
  gst_caps_append_structure (result, to);
}

static void
append_colours (const GstStructure *from, const char *format,
    const char *colorimetry, GstCaps *result)
{
  GstStructure *to = gst_structure_copy (from);

  gst_structure_remove_field (to, "chroma-site");
  gst_structure_set (to, "format", G_TYPE_STRING, format, "colorimetry",
      G_TYPE_STRING, colorimetry, NULL);
  gst_caps_append_structure (result, to);
}

static void
gst_oct_colormap_transform_structure (GstOctFilter *filter,
    gconstpointer settings, GstPadDirection direction, const GstStructure *from,
    GstCaps *result)
{
  if (direction == GST_PAD_SRC) {
    append_grey (from, result);
    return;
  }
  append_colours (from, "NV12", "bt709", result);
  append_colours (from, "RGBA", "sRGB", result);
}

static GstCaps *
gst_oct_colormap_fixate_caps (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *othercaps)
{
  if (direction == GST_PAD_SINK)
    othercaps = gst_oct_caps_keep_readable (
        GST_BASE_TRANSFORM_SRC_PAD (trans), othercaps);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_colormap_parent_class)
      ->fixate_caps (trans, direction, caps, othercaps);
}

/* ------------------------------------------------------------------- colours
 */

static const OctTransferStops *
colormap_get_stops (const Settings *settings, GError **error)
{
  const OctTransferStops *stops;
  GError *local = NULL;

  if (settings->map < MAP_FILE)
    return &oct_colormaps[settings->map].stops;
  if (settings->file == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "map=file of octcolormap needs a file; set `map-file` to one, or map "
        "to %s.",
        oct_colormap_get_names ());
    return NULL;
  }
  stops = oct_file_content_get (settings->file, &local);
  if (stops == NULL) {
    gst_oct_error_name_property (&local, "`map-file` of octcolormap");
    g_propagate_error (error, local);
  }
  return stops;
}

static gboolean
gst_oct_colormap_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  const GstOctInfo *output = gst_oct_filter_get_output (filter);
  guint8 colors[OCT_COLORMAP_VALUES];
  OctColormapParams params = { .width = input->columns,
    .height = input->rows,
    .pixel_size =
        GST_VIDEO_INFO_FORMAT (&input->video) == GST_VIDEO_FORMAT_RGBA ? 4 : 1,
    .format = GST_VIDEO_INFO_FORMAT (&output->video) == GST_VIDEO_FORMAT_RGBA
                  ? OCT_IMAGE_RGBA
                  : OCT_IMAGE_NV12,
    .values = OCT_COLORMAP_VALUES,
    .colors = colors };
  const OctTransferStops *stops = colormap_get_stops (settings, error);

  if (stops == NULL)
    return FALSE;
  oct_colormap_fill (stops, colors);
  return gst_oct_filter_set_plan (
      filter, OCT_OPERATION_COLORMAP, &params, error);
}

static void
gst_oct_colormap_class_init (GstOctColormapClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_colormap_debug, "octcolormap", 0, "OCT colour maps");
  filter_class->transform_structure = gst_oct_colormap_transform_structure;
  filter_class->configure = gst_oct_colormap_configure;
  GST_BASE_TRANSFORM_CLASS (klass)->fixate_caps = gst_oct_colormap_fixate_caps;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_COLORMAP,
          .properties = &properties,
          .long_name = "OCT colour maps",
          .description = "Shows the grey levels of images as colours",
          .sink_caps = CAPS_GREY,
          .src_caps = CAPS_COLOURS,
          .gpu_sink_caps = GST_OCT_CAPS_GPU_IMAGE,
          .uploads = TRUE,
          .downloads = TRUE });
}

static void
gst_oct_colormap_init (GstOctColormap *self)
{
}
