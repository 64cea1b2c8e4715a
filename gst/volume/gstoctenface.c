/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octenface
 *
 * Shows volumes from above, *en face*: images of B-scans go in, a slab of depth
 * comes out as one picture. It works on an NVIDIA GPU or on the CPU.
 *
 * |[
 * gst-launch-1.0 octsrc bscans=64 lines=128 num-buffers=192
 *   ! octreconstruct range-smoothing=0.99
 *   ! octenface flatten=true thickness=100
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctenface.h"
#include "gstoctbus.h"
#include "gstoctvolumecaps.h"
#include "oct-volume-noise.h"

#include <math.h>

typedef enum {
  RANGE_AUTO,
  RANGE_MANUAL,
} Range;

typedef enum {
  SCALING_SQUARE,
  SCALING_NONE,
} Scaling;

typedef struct {
  GstOctVolumeCommon common;
  OctEnfaceMode mode;
  double start, thickness; /* um, or depths */
  double crop_top;
  gboolean flatten;
  double surface_from; /* the same */
  guint surface_rise, surface_smoothing, threshold;
  Range range;
  double min, max;
  Scaling scaling;
} Settings;

struct _GstOctEnface {
  GstOctVolumeFilter parent;
  Settings used; /* under the stream lock of the sink pad */
  gboolean told; /* that depths are none of a length */
};

G_DEFINE_TYPE (GstOctEnface, gst_oct_enface, GST_TYPE_OCT_VOLUME_FILTER);
GST_OCT_REGISTER_DEFINE (
    octenface, "octenface", GST_RANK_NONE, GST_TYPE_OCT_ENFACE);

static const GEnumValue modes[] = {
  { OCT_ENFACE_MEAN, "Mean of the grey levels", "mean" },
  { OCT_ENFACE_MAX, "Largest of the grey levels", "max" },
  { OCT_ENFACE_SUM, "Sum of what is above `threshold`", "sum" },
  { OCT_ENFACE_DEPTH, "Depth of the brightest voxel in the slab", "depth" },
  { 0, NULL, NULL },
};
static GST_OCT_DEFINE_ENUM (enface_get_mode_type, "GstOctEnfaceMode", modes)

    static const GEnumValue ranges[] = {
      { RANGE_AUTO,
          "All grey levels but the darkest 0.5 % and the brightest 0.5 % of "
          "the A-lines",
          "auto" },
      { RANGE_MANUAL, "`min` to `max`", "manual" },
      { 0, NULL, NULL },
    };
static GST_OCT_DEFINE_ENUM (enface_get_range_type, "GstOctEnfaceRange", ranges)

    static const GEnumValue scalings[] = {
      { SCALING_SQUARE, "Square pixels, where the spacings are known",
          "square" },
      { SCALING_NONE, "A pixel for each A-line, a row for each B-scan",
          "none" },
      { 0, NULL, NULL },
    };
static GST_OCT_DEFINE_ENUM (get_scaling_type, "GstOctEnfaceScaling", scalings)

#define LIVE GST_OCT_PROPERTY_LIVE
#define MOST 100000.0

    static const GstOctProperty rows[] = {
      GST_OCT_VOLUME_COMMON_ROWS (Settings, common,
          "Depths that are averaged to one voxel: 1, 2, 4 or 8", 1, 1,
          GST_OCT_PROPERTY_CAPS),
      { "mode", "Mode", "What is shown of the slab", LIVE, NULL,
          GST_OCT_ENUM (
              Settings, mode, enface_get_mode_type, OCT_ENFACE_MEAN) },
      { "start", "Start of the slab",
          "Where the slab begins, in micrometres of tissue below the top of "
          "the image, or below the surface with flatten=true; a number of "
          "depths where `z-spacing` is not known",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_DOUBLE (Settings, start, -MOST, MOST, 0.0) },
      { "thickness", "Thickness of the slab",
          "Thickness of the slab, in the unit of `start` (0 = to the lower end "
          "of the image)",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_DOUBLE (Settings, thickness, 0.0, MOST, 0.0) },
      { "crop-top", "Upper edge",
          "First of the depths that count, in the slab or, with flatten=true, "
          "in "
          "the search for the surface, 0 to 1 from the first to the last (-1 = "
          "below the rows near zero delay)",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_DOUBLE (Settings, crop_top, -1.0, 1.0, -1.0) },
      { "flatten", "Flatten",
          "The slab follows the surface, which is found in each A-line", LIVE,
          NULL, GST_OCT_BOOLEAN (Settings, flatten, FALSE) },
      { "surface-from", "Where the surface may be",
          "flatten=true: where the search for the surface begins, in the unit "
          "of `start` below the top of the image",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_DOUBLE (Settings, surface_from, 0.0, MOST, 0.0) },
      { "surface-rise", "Rise at the surface",
          "flatten=true: the surface is where the mean of eight depths is "
          "brighter than that of the eight above by this many grey levels",
          LIVE, NULL, GST_OCT_UINT (Settings, surface_rise, 0, 255, 50) },
      { "surface-smoothing", "Smoothing of the surface",
          "flatten=true: the surface is smoothed by a median over this many "
          "A-lines and B-scans to each side",
          LIVE, NULL,
          GST_OCT_UINT (
              Settings, surface_smoothing, 0, OCT_ENFACE_MAX_RADIUS, 2) },
      { "threshold", "Threshold",
          "Grey level, 0 to 255, above which mode=sum adds up, and below which "
          "mode=depth sees nothing",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_UINT (Settings, threshold, 0, 255, 40) },
      { "range", "Range", "What is black and white", LIVE, "range",
          GST_OCT_ENUM (Settings, range, enface_get_range_type, RANGE_AUTO) },
      { "min", "Black",
          "range=manual: grey level that becomes black (mode=sum: their sum)",
          GST_OCT_PROPERTY_RAMPED, "range",
          GST_OCT_DOUBLE (Settings, min, 0.0, 1e7, 0.0) },
      { "max", "White",
          "range=manual: grey level that becomes white (mode=sum: their sum)",
          GST_OCT_PROPERTY_RAMPED, "range",
          GST_OCT_DOUBLE (Settings, max, 0.0, 1e7, 255.0) },
      { "scaling", "Scaling",
          "Size of the picture, if the next element does not set it",
          LIVE | GST_OCT_PROPERTY_CAPS, NULL,
          GST_OCT_ENUM (Settings, scaling, get_scaling_type, SCALING_SQUARE) },
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

/* ------------------------------------------------------------------- lengths
 */

/* Voxels of a length in um or, where no such are known, in depths. */
static double
enface_get_voxels (double length, const GstOctVoxel *voxel, guint decimation)
{
  if (voxel->knows_z)
    length /= voxel->z * 1e3;
  return length / decimation;
}

/* The first voxel that counts. */
static guint
get_first (const Settings *s, const OctVolumeParams *params)
{
  if (s->crop_top < 0)
    return oct_volume_levels_get_first (params);
  return (guint)floor (s->crop_top * oct_volume_get_depth (params) + 0.5);
}

/* Cuts the slab off above `first`; if nothing is left, it is outside of the
 * volume. */
static void
enface_crop (OctEnface *enface, guint first, guint all)
{
  gint begin = MAX (enface->start, (gint)first);
  gint end = enface->start + (gint)enface->thickness;

  enface->start = begin < end ? begin : (gint)all;
  enface->thickness = (guint)MAX (end - begin, 1);
}

static OctEnface
get_enface (
    const Settings *s, const GstOctVoxel *voxel, const OctVolumeParams *params)
{
  guint decimation = s->common.decimation;
  double thick =
      floor (enface_get_voxels (s->thickness, voxel, decimation) + 0.5);
  double from =
      floor (enface_get_voxels (s->surface_from, voxel, decimation) + 0.5);
  double start = floor (enface_get_voxels (s->start, voxel, decimation) + 0.5);
  guint all = oct_volume_get_depth (params), first = get_first (s, params);
  OctEnface enface = { .mode = s->mode,
    .start = (gint)CLAMP (start, -(double)all, (double)all),
    .thickness = s->thickness > 0 ? (guint)CLAMP (thick, 1, (double)all) : all,
    .threshold = s->threshold,
    .flatten = s->flatten,
    .surface_from = (guint)CLAMP (from, first, (double)all),
    .surface_rise = s->surface_rise,
    .surface_radius = s->surface_smoothing,
    .is_auto = s->range == RANGE_AUTO,
    .black = s->min,
    .white = s->max };

  if (!s->flatten)
    enface_crop (&enface, first, all);
  return enface;
}

static void
enface_tell (GstOctEnface *self, const GstOctVoxel *voxel)
{
  const Settings *s = &self->used;

  if (self->told || voxel->knows_z
      || (s->start == 0 && s->thickness == 0
          && !(s->flatten && s->surface_from > 0)))
    return;
  GST_ELEMENT_INFO (self, STREAM, FORMAT,
      ("The stream does not say how far depths are apart: `start`, `thickness` "
       "and `surface-from` are taken as numbers of depths; set `z-spacing` for "
       "micrometres."),
      (NULL));
  self->told = TRUE;
}

/* ------------------------------------------------------------------ pictures
 */

static gboolean
gst_oct_enface_configure (GstOctVolumeFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;

  if (settings->range == RANGE_MANUAL && !(settings->min < settings->max)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "range=manual of octenface needs min < max, found min=%g, max=%g; set "
        "both.",
        settings->min, settings->max);
    return FALSE;
  }
  if (purpose == GST_OCT_TO_USE)
    GST_OCT_ENFACE (filter)->used = *settings;
  return TRUE;
}

/* `n` pixels of `pitch` as pixels of `pixel`, an even number as encoders like
 * it. */
static guint
enface_scale (guint n, double pitch, double pixel)
{
  if (pitch == pixel)
    return n;
  return (guint)CLAMP (
      2 * floor (n * pitch / pixel / 2 + 0.5), 2, OCT_SECTION_MAX_PICTURE);
}

/* Adds the kind of view, and the distances of its pixels in metres, for files.
 */
static GstCaps *
add_view (GstCaps *caps, const GstOctVoxel *v, guint lines, guint bscans)
{
  GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width = 1, height = 1;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  gst_structure_set (
      s, GST_OCT_VIEW_FIELD, G_TYPE_STRING, GST_OCT_VIEW_ENFACE, NULL);
  if (v->knows_x)
    gst_structure_set (
        s, "x-spacing", G_TYPE_DOUBLE, v->x * 1e-3 * lines / width, NULL);
  if (v->knows_y)
    gst_structure_set (
        s, "y-spacing", G_TYPE_DOUBLE, v->y * 1e-3 * bscans / height, NULL);
  return caps;
}

static GstCaps *
gst_oct_enface_choose_caps (GstOctVolumeFilter *filter, gconstpointer data,
    GstCaps *possible, gint n, gint d)
{
  const Settings *settings = data;
  GstOctVoxel v =
      gst_oct_volume_filter_get_voxel_of (filter, &settings->common);
  guint lines = filter->input.columns, bscans = filter->places;
  guint width = MIN (lines, OCT_SECTION_MAX_PICTURE);
  guint height = MIN (bscans, OCT_SECTION_MAX_PICTURE);
  gboolean known = v.knows_x && v.knows_y;
  double pixel = MIN (v.x, v.y);

  double aspect = known ? v.x / v.y : 1;

  if (known && settings->scaling != SCALING_NONE) {
    pixel =
        MAX (pixel, MAX (width * v.x, height * v.y) / OCT_SECTION_MAX_PICTURE);
    width = enface_scale (width, v.x, pixel);
    height = enface_scale (height, v.y, pixel);
    aspect = 1;
  }
  return add_view (gst_oct_section_caps_fixate (
                       filter->src, possible, width, height, aspect, n, d),
      &v, lines, bscans);
}

static gboolean
gst_oct_enface_draw (GstOctVolumeFilter *filter, GstClockTime at, gboolean fine,
    GstBuffer *out, gboolean *coarse, GError **error)
{
  GstOctEnface *self = GST_OCT_ENFACE (filter);
  GstOctVoxel voxel = gst_oct_volume_filter_get_voxel (filter, FALSE);
  OctEnface enface = get_enface (
      &self->used, &voxel, gst_oct_renderer_get_params (filter->renderer));

  enface_tell (self, &voxel);
  return gst_oct_renderer_enface (filter->renderer, &enface, out, error);
}

static void
gst_oct_enface_stop (GstOctVolumeFilter *filter)
{
  GST_OCT_ENFACE (filter)->told = FALSE;
}

static void
gst_oct_enface_class_init (GstOctEnfaceClass *klass)
{
  GstOctVolumeFilterClass *filter_class = GST_OCT_VOLUME_FILTER_CLASS (klass);

  filter_class->configure = gst_oct_enface_configure;
  filter_class->choose_caps = gst_oct_enface_choose_caps;
  filter_class->draw = gst_oct_enface_draw;
  filter_class->stop = gst_oct_enface_stop;
  gst_oct_volume_filter_class_describe (filter_class,
      &(GstOctVolumeFilterDescription){ .kind = GST_OCT_RENDERER_SECTIONS,
          .properties = &properties,
          .common = G_STRUCT_OFFSET (Settings, common),
          .long_name = "OCT volumes from above (en face)",
          .description =
              "Shows volumes of B-scans from above, a slab of depth at a time",
          .caps = GST_OCT_CAPS_SECTION,
          .gpu_caps = GST_OCT_CAPS_GPU_SECTION });
}

static void
gst_oct_enface_init (GstOctEnface *self)
{
}
