/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctimagefilter.h"
#include "gstoctcuda.h"

#define CAPS_HOST                                                              \
  "video/x-raw, format = (string) { GRAY8, NV12, GRAY16_LE, RGBA }"            \
  ", width = " GST_OCT_SIZE_RANGE ", height = " GST_OCT_SIZE_RANGE             \
  ", framerate = " GST_OCT_RATE_RANGE

G_DEFINE_ABSTRACT_TYPE (
    GstOctImageFilter, gst_oct_image_filter, GST_TYPE_OCT_FILTER);

static void
gst_oct_image_filter_transform_structure (GstOctFilter *filter,
    gconstpointer settings, GstPadDirection direction, const GstStructure *from,
    GstCaps *result)
{
  gst_caps_append_structure (result, gst_structure_copy (from));
}

static GstCaps *
gst_oct_image_filter_fixate_caps (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *othercaps)
{
  if (direction == GST_PAD_SINK)
    othercaps = gst_oct_caps_keep_readable (
        GST_BASE_TRANSFORM_SRC_PAD (trans), othercaps);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_image_filter_parent_class)
      ->fixate_caps (trans, direction, caps, othercaps);
}

/* ---------------------------------------------------------------- the format
 */

static gboolean
image_filter_is_on_host (const GstCaps *caps, guint i)
{
  return !gst_caps_features_contains (
      gst_caps_get_features (caps, i), GST_OCT_CUDA_FEATURE);
}

/* `caps` with NV12 before all other caps in host memory. */
static GstCaps *
prefer_nv12 (GstCaps *caps)
{
  g_autoptr (GstCaps) nv12 =
      gst_caps_from_string ("video/x-raw, format = (string) NV12");
  g_autoptr (GstCaps) first =
      gst_caps_intersect_full (caps, nv12, GST_CAPS_INTERSECT_FIRST);
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    if (!image_filter_is_on_host (caps, i))
      gst_caps_append (result, gst_caps_copy_nth (caps, i));
  gst_caps_append (result, gst_caps_ref (first));
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    if (image_filter_is_on_host (caps, i))
      gst_caps_append (result, gst_caps_copy_nth (caps, i));
  return result;
}

/* gst_oct_caps_choose_grey() of the element that makes the images does not see
 * the elements downstream of this one, which has no I420: NV12 comes first here
 * if YUV is understood downstream. */
static void
image_filter_answer_caps (GstBaseTransform *trans, GstQuery *query)
{
  g_autoptr (GstCaps) peer =
      gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (trans), NULL);
  g_autoptr (GstCaps) sorted = NULL;
  GstCaps *answer;

  if (!gst_oct_caps_ask_for_yuv (peer))
    return;
  gst_query_parse_caps_result (query, &answer);
  if (gst_caps_is_any (answer) || gst_caps_is_empty (answer))
    return;
  sorted = prefer_nv12 (answer);
  gst_query_set_caps_result (query, sorted);
}

static gboolean
gst_oct_image_filter_query (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (!GST_BASE_TRANSFORM_CLASS (gst_oct_image_filter_parent_class)
           ->query (trans, direction, query))
    return FALSE;
  if (direction == GST_PAD_SINK && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    image_filter_answer_caps (trans, query);
  return TRUE;
}

OctImageFormat
gst_oct_image_format (const GstOctInfo *info)
{
  switch (GST_VIDEO_INFO_FORMAT (&info->video)) {
  case GST_VIDEO_FORMAT_GRAY16_LE:
    return OCT_IMAGE_GRAY16;
  case GST_VIDEO_FORMAT_NV12:
    return OCT_IMAGE_NV12;
  case GST_VIDEO_FORMAT_RGBA:
    return OCT_IMAGE_RGBA;
  default:
    return OCT_IMAGE_GRAY8;
  }
}

void
gst_oct_image_filter_class_describe (
    GstOctFilterClass *klass, const GstOctFilterDescription *description)
{
  GstOctFilterDescription whole = *description;
  const char *more = description->sink_caps;
  g_autofree char *host = more != NULL
                              ? g_strconcat (CAPS_HOST "; ", more, NULL)
                              : g_strdup (CAPS_HOST);
  g_autofree char *gpu =
      more != NULL ? g_strconcat (GST_OCT_CAPS_GPU_IMAGE "; ", more, NULL)
                   : g_strdup (GST_OCT_CAPS_GPU_IMAGE);

  whole.sink_caps = whole.src_caps = host;
  whole.gpu_sink_caps = whole.gpu_src_caps = gpu;
  whole.uploads = whole.downloads = TRUE;
  gst_oct_filter_class_describe (klass, &whole);
}

static void
gst_oct_image_filter_class_init (GstOctImageFilterClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_OCT_FILTER_CLASS (klass)->transform_structure =
      gst_oct_image_filter_transform_structure;
  trans_class->fixate_caps = gst_oct_image_filter_fixate_caps;
  trans_class->query = gst_oct_image_filter_query;
  /* a program may switch a filter off by passthrough */
  trans_class->transform_ip_on_passthrough = FALSE;
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_IMAGE_FILTER, 0);
}

static void
gst_oct_image_filter_init (GstOctImageFilter *self)
{
}
