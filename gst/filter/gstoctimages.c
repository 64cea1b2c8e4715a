/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctimages.h"
#include "gstoctcuda.h"

#define FORMATS "{ GRAY8, NV12, GRAY16_LE }"
/* those of one plane, in which images can follow each other */
#define VOLUME_FORMATS "{ GRAY8, GRAY16_LE }"

static gint
images_get_bscans (const GstStructure *s)
{
  gint bscans;

  return gst_structure_get_int (s, GST_OCT_BSCANS_FIELD, &bscans) ? bscans : 1;
}

/* Images one by one; for several B-scans in a buffer also all of them, one
 * below the other, if an element asks for that many. */
static void
images_append (const GstStructure *from, const char *formats, gboolean grey,
    gboolean together, GstCaps *result)
{
  GstStructure *to =
      gst_oct_video_structure (formats, from, "lines", "samples");
  gint bscans = images_get_bscans (from), depth;

  gst_oct_structure_copy_field (from, "z-spacing", to, "z-spacing");
  gst_oct_structure_copy_field (
      from, GST_OCT_DEPTH_START_FIELD, to, GST_OCT_DEPTH_START_FIELD);
  if (grey)
    gst_structure_set (
        to, "colorimetry", G_TYPE_STRING, GST_OCT_FULL_RANGE, NULL);
  if (together && gst_structure_get_int (from, "samples", &depth))
    gst_structure_set (to, "height", G_TYPE_INT,
        (gint)MIN ((gint64)depth * bscans, G_MAXINT), NULL);
  if (bscans > 1)
    gst_structure_set (
        to, GST_OCT_BSCANS_FIELD, G_TYPE_INT, together ? bscans : 1, NULL);
  gst_caps_append_structure (result, to);
}

static void
images_append_ascans (const GstStructure *from, GstCaps *result)
{
  GstStructure *to = gst_structure_from_string (GST_OCT_CAPS_ASCANS, NULL);
  gint bscans = images_get_bscans (from), height;

  gst_oct_structure_copy_field (from, "height", to, "samples");
  gst_oct_structure_copy_field (from, "width", to, "lines");
  gst_oct_structure_copy_scan (from, to);
  if (bscans > 1) {
    gst_structure_set (to, GST_OCT_BSCANS_FIELD, G_TYPE_INT, bscans, NULL);
    if (gst_structure_get_int (from, "height", &height))
      gst_structure_set (
          to, "samples", G_TYPE_INT, MAX (1, height / bscans), NULL);
  }
  gst_caps_append_structure (result, to);
}

void
gst_oct_images_transform_structure (
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  if (direction == GST_PAD_SRC) {
    images_append_ascans (from, result);
    return;
  }
  images_append (from, FORMATS, TRUE, FALSE, result);
  images_append (from, "RGBA", FALSE, FALSE, result);
  if (images_get_bscans (from) > 1) {
    images_append (from, VOLUME_FORMATS, TRUE, TRUE, result);
    images_append (from, "RGBA", FALSE, TRUE, result);
  }
}

static GstCaps *
images_fixate_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *othercaps)
{
  if (direction == GST_PAD_SINK)
    othercaps = gst_oct_caps_choose_grey (
        GST_BASE_TRANSFORM_SRC_PAD (trans), othercaps);
  return GST_BASE_TRANSFORM_CLASS (g_type_class_peek (GST_TYPE_OCT_FILTER))
      ->fixate_caps (trans, direction, caps, othercaps);
}

void
gst_oct_images_class_describe (
    GstOctFilterClass *klass, const GstOctFilterDescription *description)
{
  GstOctFilterDescription all = *description;

  all.sink_caps = GST_OCT_CAPS_ASCANS;
  all.src_caps = GST_OCT_CAPS_IMAGE;
  all.gpu_src_caps = GST_OCT_CAPS_GPU_IMAGE;
  all.downloads = TRUE;
  GST_BASE_TRANSFORM_CLASS (klass)->fixate_caps = images_fixate_caps;
  gst_oct_filter_class_describe (klass, &all);
}
