/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctvolumesettings.h"
#include "gstocterror.h"
#include "oct-file.h"

#include <math.h>
#include <string.h>

typedef GstOctVolumeSettings Settings;

static const GEnumValue modes[] = {
  { OCT_VOLUME_FULL, "Shaded, with shadows and occlusion", "full" },
  { OCT_VOLUME_ONCE, "As full, but light is computed once per pixel: faster",
      "once" },
  { OCT_VOLUME_ALPHA, "Without light", "alpha" },
  { OCT_VOLUME_MIP, "The brightest voxel along each ray", "mip" },
  { OCT_VOLUME_MEAN, "Sum of what is above the noise", "mean" },
  { 0, NULL, NULL },
};
static GST_OCT_DEFINE_ENUM (
    volume_settings_get_mode_type, "GstOctVolumeMode", modes)

    static const GEnumValue transfers[] = {
      { OCT_TRANSFER_TISSUE, "Colours of tissue", "tissue" },
      { OCT_TRANSFER_GREY, "Grey", "grey" },
      { OCT_TRANSFER_FILE, "`transfer-file`", "file" },
      { 0, NULL, NULL },
    };
static GST_OCT_DEFINE_ENUM (
    get_transfer_type, "GstOctTransferFunction", transfers)

    static const GEnumValue projections[] = {
      { GST_OCT_PROJECTION_PERSPECTIVE, "Perspective: nearer parts are larger",
          "perspective" },
      { GST_OCT_PROJECTION_ORTHOGRAPHIC,
          "Parallel rays: lengths can be compared", "orthographic" },
      { 0, NULL, NULL },
    };
static GST_OCT_DEFINE_ENUM (
    get_projection_type, "GstOctProjection", projections)

    static const GEnumValue fits[] = {
      { GST_OCT_FIT_SIGNAL, "The depths in which something is above the noise",
          "signal" },
      { GST_OCT_FIT_VOLUME, "All of the volume", "volume" },
      { 0, NULL, NULL },
    };
static GST_OCT_DEFINE_ENUM (get_fit_type, "GstOctFit", fits)

    static const GEnumValue stereos[] = {
      { GST_OCT_STEREO_NONE, "One picture", "none" },
      { GST_OCT_STEREO_SIDE_BY_SIDE, "One for each eye, left and right",
          "side-by-side" },
      { 0, NULL, NULL },
    };
static GST_OCT_DEFINE_ENUM (get_stereo_type, "GstOctStereo", stereos)

    static const GEnumValue corners[] = {
      { GST_OCT_CORNER_FRONT_LEFT, "First A-lines of the first B-scans",
          "front-left" },
      { GST_OCT_CORNER_FRONT_RIGHT, "Last A-lines of the first B-scans",
          "front-right" },
      { GST_OCT_CORNER_BACK_LEFT, "First A-lines of the last B-scans",
          "back-left" },
      { GST_OCT_CORNER_BACK_RIGHT, "Last A-lines of the last B-scans",
          "back-right" },
      { 0, NULL, NULL },
    };
static GST_OCT_DEFINE_ENUM (get_corner_type, "GstOctCorner", corners)

    /* ------------------------------------------------------- transfer
       functions */

    static gpointer read_transfer (const char *path, GError **error)
{
  return oct_transfer_read (path, error);
}

static gpointer
open_transfer (const char *path)
{
  return oct_file_content_new (path, read_transfer, g_free);
}

static const GstOctFileType transfer_file = { open_transfer,
  (gpointer (*) (gpointer))oct_file_content_ref,
  (void (*) (gpointer))oct_file_content_unref };

#define LIVE GST_OCT_PROPERTY_LIVE
/* end: "First" or "Last"; all: the value that cuts nothing off */
#define EDGE(name, nick, end, what, member, least, all, more)                  \
  {                                                                            \
    name, nick,                                                                \
        end " of " what                                                        \
            " that is shown, 0 to 1 from the first to the last" more,          \
        GST_OCT_PROPERTY_RAMPED, "crop",                                       \
        GST_OCT_DOUBLE (Settings, member, least, 1.0, all)                     \
  }
#define PLANE(i)                                                               \
  {                                                                            \
    "clip-plane-" #i, "Clip plane " #i,                                        \
        "\"A B C D\": points with A x + B y + C z <= D are shown, in mm from " \
        "the middle of the volume, x from A-line to A-line, y from B-scan to " \
        "B-scan, z down (none = no plane)",                                    \
        LIVE, NULL, GST_OCT_STRING (Settings, planes[i - 1])                   \
  }

static const GstOctProperty rows[] = {
  GST_OCT_VOLUME_COMMON_ROWS (Settings, common,
      "Depths that are averaged to one voxel: 1, 2, 4 or 8 (0 = chosen so that "
      "voxels are half as deep as wide)",
      0, 0, 0),
  { "max-render-time", "Longest time for a picture",
      "Pictures that take longer than this, in ms, become coarser while "
      "something moves (0 = never)",
      LIVE, NULL, GST_OCT_UINT (Settings, max_render_time, 0, 10000, 0) },
  { "mode", "Mode", "How the volume is shown", LIVE, NULL,
      GST_OCT_ENUM (
          Settings, mode, volume_settings_get_mode_type, OCT_VOLUME_FULL) },
  { "transfer-function", "Transfer function",
      "Colour and opacity of each grey level", LIVE, "transfer function",
      GST_OCT_ENUM (
          Settings, transfer, get_transfer_type, OCT_TRANSFER_TISSUE) },
  { "transfer-file", "File of the transfer function",
      "transfer-function=file: text with lines of grey level (0 to 255), red, "
      "green, blue (0 to 1) and extinction per mm",
      LIVE, "transfer function",
      GST_OCT_FILE (Settings, transfer_path, transfer_file, &transfer_file) },
  { "threshold", "Threshold",
      "Grey level, 0 to 255, below which all is transparent (0 = none, -1 = "
      "above the noise that is found in each volume)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, threshold, -1.0, 255.0, -1.0) },
  { "opacity", "Opacity",
      "Factor of the extinction of the transfer function, dimensionless",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, opacity, 0.0, 100.0, 1.0) },
  { "depth-hue", "Depth as hue",
      "Strength of colours by depth, warm above and cold below, 0 to 1",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, depth_hue, 0.0, 1.0, 0.0) },
  { "yaw", "Yaw",
      "Angle in degrees of the camera around the volume (0 = along the "
      "B-scans)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (
          Settings, view.yaw, -36000.0, 36000.0, GST_OCT_VIEW_YAW) },
  { "pitch", "Pitch",
      "Angle in degrees at which the camera looks down at the tissue (0 = "
      "level)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, view.pitch, -90.0, 90.0, GST_OCT_VIEW_PITCH) },
  { "fit", "Fit",
      "What the camera turns around, and what fits into the picture at "
      "`zoom` 1",
      LIVE, NULL,
      GST_OCT_ENUM (Settings, fit, get_fit_type, GST_OCT_FIT_SIGNAL) },
  { "zoom", "Zoom",
      "Size of the part that fits into the picture (1 = it just fits)",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, view.zoom, GST_OCT_VIEW_ZOOM_LEAST,
          GST_OCT_VIEW_ZOOM_MOST, 1.0) },
  { "pan-x", "Pan to the right",
      "Shift of the volume to the right, in heights of the picture, "
      "dimensionless",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, view.pan_x, -10.0, 10.0, 0.0) },
  { "pan-y", "Pan upwards",
      "Upward shift of the volume, in heights of the picture, dimensionless",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, view.pan_y, -10.0, 10.0, 0.0) },
  { "turn-rate", "Rate of turning",
      "Rotation of the camera in degrees per second, added to `yaw`",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, turn_rate, -3600.0, 3600.0, 0.0) },
  { "projection", "Projection", "Projection of the volume onto the picture",
      LIVE, NULL,
      GST_OCT_ENUM (Settings, projection, get_projection_type,
          GST_OCT_PROJECTION_PERSPECTIVE) },
  { "field-of-view", "Field of view",
      "projection=perspective: angle of view in degrees, over the height of "
      "the picture",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, field_of_view, 1.0, 120.0, 30.0) },
  { "stereo", "Stereo", "Pictures for two eyes", LIVE | GST_OCT_PROPERTY_CAPS,
      NULL,
      GST_OCT_ENUM (Settings, stereo, get_stereo_type, GST_OCT_STEREO_NONE) },
  { "eye-separation", "Separation of the eyes",
      "stereo: angle in degrees between the two lines of sight",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, eye_separation, 0.0, 30.0, 4.0) },
  EDGE ("crop-left", "Left edge", "First", "the A-lines", crop_left, 0.0, 0.0,
      ""),
  EDGE ("crop-front", "Front edge", "First", "the B-scans", crop_front, 0.0,
      0.0, ""),
  EDGE ("crop-top", "Upper edge", "First", "the depths", crop_top, -1.0, -1.0,
      " (-1 = below the rows near zero delay)"),
  EDGE ("crop-right", "Right edge", "Last", "the A-lines", crop_right, 0.0, 1.0,
      ""),
  EDGE (
      "crop-back", "Back edge", "Last", "the B-scans", crop_back, 0.0, 1.0, ""),
  EDGE ("crop-bottom", "Lower edge", "Last", "the depths", crop_bottom, 0.0,
      1.0, ""),
  { "cut-corner", "Cut corner", "Where a box is cut out of the volume", LIVE,
      NULL,
      GST_OCT_ENUM (
          Settings, cut_corner, get_corner_type, GST_OCT_CORNER_FRONT_LEFT) },
  { "cut-x", "Cut along A-lines",
      "Part of the A-lines that the cut box takes (0 = none), dimensionless",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, cut_x, 0.0, 1.0, 0.0) },
  { "cut-y", "Cut along B-scans",
      "Part of the B-scans that the cut box takes (0 = none), dimensionless",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, cut_y, 0.0, 1.0, 0.0) },
  { "cut-z", "Cut along the depth",
      "Part of the depth, from above, that the cut box takes (0 = none), "
      "dimensionless",
      GST_OCT_PROPERTY_RAMPED, NULL,
      GST_OCT_DOUBLE (Settings, cut_z, 0.0, 1.0, 1.0) },
  PLANE (1),
  PLANE (2),
  PLANE (3),
  PLANE (4),
};
const GstOctProperties gst_oct_volume_properties =
    GST_OCT_PROPERTIES (Settings, rows);

const char *const gst_oct_view_properties[5] = { "yaw", "pitch", "zoom",
  "pan-x", "pan-y" };

/* ---------------------------------------------------------------------- look
 */

static gboolean
parse_plane (const char *text, guint i, double plane[4], GError **error)
{
  const char *at = text;
  char *end;
  guint n = 0;

  memset (plane, 0, 4 * sizeof *plane);
  if (text == NULL)
    return TRUE;
  while (TRUE) {
    double value;

    while (g_ascii_isspace (*at) || *at == ',')
      at++;
    if (*at == '\0')
      break;
    value = g_ascii_strtod (at, &end);
    if (end == at || n == 4 || !isfinite (value) || fabs (value) > 1e6) {
      n = 5;
      break;
    }
    plane[n++] = value;
    at = end;
  }
  if (n == 0 || (n == 4 && (plane[0] != 0 || plane[1] != 0 || plane[2] != 0)))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "\"%s\" was found where octvolume needs four numbers A B C D, the first "
      "three not all 0, such as \"1 0 0 0.5\"; set `clip-plane-%u` to them, or "
      "to nothing.",
      text, i + 1);
  return FALSE;
}

static gboolean
check_crop (const char *low_name, const char *high_name, double low,
    double high, GError **error)
{
  if (low < high)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Nothing is left of the volume between %s=%g and %s=%g; set %s to less "
      "than %s.",
      low_name, low, high_name, high, low_name, high_name);
  return FALSE;
}

static void
get_cut (const Settings *s, OctVolumeLook *look)
{
  gboolean right = s->cut_corner == GST_OCT_CORNER_FRONT_RIGHT
                   || s->cut_corner == GST_OCT_CORNER_BACK_RIGHT;
  gboolean back = s->cut_corner == GST_OCT_CORNER_BACK_LEFT
                  || s->cut_corner == GST_OCT_CORNER_BACK_RIGHT;

  look->cut_low[0] = right ? 1 - s->cut_x : 0;
  look->cut_high[0] = right ? 1 : s->cut_x;
  look->cut_low[1] = back ? 1 - s->cut_y : 0;
  look->cut_high[1] = back ? 1 : s->cut_y;
  look->cut_low[2] = 0;
  look->cut_high[2] = s->cut_z;
}

static const OctTransferStops *
volume_settings_get_stops (const Settings *settings, GError **error)
{
  const OctTransferStops *stops = oct_transfer_get_stops (settings->transfer);
  GError *local = NULL;

  if (stops != NULL)
    return stops;
  if (settings->transfer_file == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "transfer-function=file of octvolume needs a file; set `transfer-file` "
        "to one, or transfer-function to tissue or grey.");
    return NULL;
  }
  stops = oct_file_content_get (settings->transfer_file, &local);
  if (stops == NULL) {
    gst_oct_error_name_property (&local, "`transfer-file` of octvolume");
    g_propagate_error (error, local);
  }
  return stops;
}

gboolean
gst_oct_volume_settings_fill_transfer (
    const Settings *s, double threshold, OctTransfer *transfer, GError **error)
{
  const OctTransferStops *stops = volume_settings_get_stops (s, error);

  if (stops == NULL)
    return FALSE;
  oct_transfer_fill (stops, threshold, s->opacity, transfer);
  return TRUE;
}

gboolean
gst_oct_volume_settings_get_look (
    const Settings *s, OctVolumeLook *look, GError **error)
{
  memset (look, 0, sizeof *look);
  if (!check_crop (
          "crop-left", "crop-right", s->crop_left, s->crop_right, error)
      || !check_crop (
          "crop-front", "crop-back", s->crop_front, s->crop_back, error)
      || !check_crop (
          "crop-top", "crop-bottom", s->crop_top, s->crop_bottom, error))
    return FALSE;
  for (guint i = 0; i < OCT_VOLUME_PLANES; i++)
    if (!parse_plane (s->planes[i], i, look->planes[i], error))
      return FALSE;
  if (volume_settings_get_stops (s, error) == NULL)
    return FALSE;
  look->window = (OctVolumeWindow)OCT_VOLUME_WINDOW;
  look->mode = s->mode;
  look->depth_hue = s->depth_hue;
  look->crop_low[0] = s->crop_left;
  look->crop_low[1] = s->crop_front;
  look->crop_low[2] = s->crop_top;
  look->crop_high[0] = s->crop_right;
  look->crop_high[1] = s->crop_back;
  look->crop_high[2] = s->crop_bottom;
  get_cut (s, look);
  look->coarseness = 1;
  return TRUE;
}

OctVolumeCamera
gst_oct_volume_settings_get_camera (const Settings *s, double seconds)
{
  return (OctVolumeCamera){ .yaw = s->view.yaw + s->turn_rate * seconds,
    .pitch = s->view.pitch,
    .zoom = s->view.zoom,
    .pan_x = s->view.pan_x,
    .pan_y = s->view.pan_y,
    .field_of_view =
        s->projection == GST_OCT_PROJECTION_PERSPECTIVE ? s->field_of_view : 0,
    .eye_separation = s->eye_separation };
}
