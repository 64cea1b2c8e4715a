/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctvolumecaps.h"

#define CPU_WIDTH 640
#define CPU_HEIGHT 480
#define GPU_WIDTH 1280
#define GPU_HEIGHT 720

/* Pictures per second, of a camera that turns, and at most. */
#define FILM_RATE 25
#define MOST_RATE 60

GstCaps *
gst_oct_volume_caps_new (
    const char *host, const char *gpu, gboolean has_gpu, gboolean gpu_first)
{
  GstCaps *caps = gst_caps_from_string (host), *on_gpu;

  if (!has_gpu)
    return caps;
  on_gpu = gst_caps_from_string (gpu);
  gst_caps_set_features_simple (
      on_gpu, gst_caps_features_new (GST_OCT_CUDA_FEATURE, NULL));
  if (!gpu_first) {
    gst_caps_append (caps, on_gpu);
    return caps;
  }
  gst_caps_append (on_gpu, caps);
  return on_gpu;
}

static void
set_where_open (GstStructure *s, const char *field, const char *value)
{
  const GValue *v = gst_structure_get_value (s, field);

  if (v == NULL)
    gst_structure_set (s, field, G_TYPE_STRING, value, NULL);
  else if (!G_VALUE_HOLDS_STRING (v))
    gst_structure_fixate_field_string (s, field, value);
}

GstCaps *
gst_oct_volume_caps_fixate (
    GstCaps *possible, gboolean has_gpu, gboolean stereo, gint n, gint d)
{
  GstCaps *caps = gst_caps_truncate (possible);
  GstStructure *s;
  const char *format;

  caps = gst_caps_make_writable (caps);
  s = gst_caps_get_structure (caps, 0);
  gst_structure_fixate_field_nearest_int (
      s, "width", (has_gpu ? GPU_WIDTH : CPU_WIDTH) * (stereo ? 2 : 1));
  gst_structure_fixate_field_nearest_int (
      s, "height", has_gpu ? GPU_HEIGHT : CPU_HEIGHT);
  gst_structure_fixate_field_nearest_fraction (s, "framerate", n, d);
  if (gst_structure_has_field (s, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (s, "pixel-aspect-ratio", 1, 1);
  else
    gst_structure_set (s, "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, NULL);
  format = gst_structure_get_string (s, "format");
  set_where_open (s, "interlace-mode", "progressive");
  /* colours as monitors have them */
  set_where_open (
      s, "colorimetry", g_strcmp0 (format, "NV12") == 0 ? "bt709" : "sRGB");
  if (stereo)
    set_where_open (s, "multiview-mode", "side-by-side");
  return gst_caps_fixate (caps);
}

GstCaps *
gst_oct_section_caps_fixate (GstPad *src, GstCaps *possible, guint width,
    guint height, double aspect, gint n, gint d)
{
  GstCaps *caps = gst_caps_make_writable (
      gst_caps_truncate (gst_oct_caps_choose_grey (src, possible)));
  GstStructure *s = gst_caps_get_structure (caps, 0);
  gint wide, high;

  gst_structure_fixate_field_nearest_int (s, "width", (gint)width);
  gst_structure_fixate_field_nearest_int (s, "height", (gint)height);
  gst_structure_fixate_field_nearest_fraction (s, "framerate", n, d);
  gst_util_double_to_fraction (aspect, &wide, &high);
  if (gst_structure_has_field (s, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (
        s, "pixel-aspect-ratio", wide, high);
  else
    gst_structure_set (
        s, "pixel-aspect-ratio", GST_TYPE_FRACTION, wide, high, NULL);
  set_where_open (s, "interlace-mode", "progressive");
  return gst_caps_fixate (caps);
}

void
gst_oct_volume_caps_choose_rate (
    const GstCaps *input, guint bscans, gboolean whole, gint *n, gint *d)
{
  const GstStructure *s = gst_caps_get_structure (input, 0);
  gint in_n = 0, in_d = 1;
  double rate = 0;

  *n = FILM_RATE;
  *d = 1;
  if (!gst_structure_get_fraction (s, "framerate", &in_n, &in_d) || in_n <= 0
      || in_d <= 0)
    return;
  /* of B-scans, then of volumes */
  rate = (double)in_n / in_d;
  if (whole)
    rate /= MAX (1, bscans);
  if (rate > FILM_RATE && rate <= MOST_RATE) {
    if (!whole) {
      *n = in_n;
      *d = in_d;
    } else {
      gst_util_double_to_fraction (rate, n, d);
    }
  } else if (rate > MOST_RATE) {
    *n = MOST_RATE;
  }
}
