/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfiltercaps.h"
#include "gstoctcuda.h"

GST_DEBUG_CATEGORY_EXTERN (gst_oct_filter_debug);
#define GST_CAT_DEFAULT gst_oct_filter_debug

/* Appends `from` in the memories that the other pad can have when this one has
 * memory on the GPU or not.  The memory decides the backend: between two pads
 * on the host the CPU works. */
static void
append_with_memory (GstOctFilter *filter, GstPadDirection direction,
    gboolean gpu, const GstCaps *from, GstCaps *all)
{
  GstOctFilterClass *klass = GST_OCT_FILTER_GET_CLASS (filter);
  gboolean sink = direction == GST_PAD_SINK;
  const GstOctPlace *place = gst_oct_filter_get_place (filter);
  gboolean cuda = gst_oct_place_may_use_cuda (place);
  gboolean crosses = sink == gpu ? klass->downloads : klass->uploads;
  gboolean to_gpu = cuda && (gpu || crosses);
  gboolean to_host = gpu ? cuda && crosses : !gst_oct_place_insists (place);

  if (to_gpu) {
    GstCaps *copy = gst_caps_copy (from);

    gst_caps_set_features_simple (
        copy, gst_caps_features_new (GST_OCT_CUDA_FEATURE, NULL));
    gst_caps_append (all, copy);
  }
  if (to_host)
    gst_caps_append (all, gst_caps_copy (from));
}

GstCaps *
gst_oct_filter_caps_transform (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *filter_caps)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterClass *klass = GST_OCT_FILTER_GET_CLASS (filter);
  GstPad *other = direction == GST_PAD_SINK ? trans->srcpad : trans->sinkpad;
  g_autoptr (GstOctSettings) settings =
      gst_oct_choice_ref (gst_oct_filter_get_choice (filter));
  g_autoptr (GstCaps) all = gst_caps_new_empty ();
  g_autoptr (GstCaps) templ = gst_pad_get_pad_template_caps (other);
  GstCaps *result;
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    g_autoptr (GstCaps) one = gst_caps_new_empty ();
    GstCapsFeatures *features = gst_caps_get_features (caps, i);

    klass->transform_structure (filter, gst_oct_settings_get (settings),
        direction, gst_caps_get_structure (caps, i), one);
    append_with_memory (filter, direction,
        gst_caps_features_contains (features, GST_OCT_CUDA_FEATURE), one, all);
  }
  result = gst_caps_intersect_full (all, templ, GST_CAPS_INTERSECT_FIRST);
  if (filter_caps != NULL) {
    GstCaps *both =
        gst_caps_intersect_full (filter_caps, result, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (result);
    result = both;
  }
  GST_DEBUG_OBJECT (
      filter, "%" GST_PTR_FORMAT " becomes %" GST_PTR_FORMAT, caps, result);
  return result;
}

gboolean
gst_oct_filter_caps_transform_size (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, gsize size, GstCaps *othercaps,
    gsize *othersize)
{
  GstOctInfo info;

  /* The caps alone decide: a buffer with padded rows is larger than they say.
   */
  if (!gst_oct_info_from_caps (&info, othercaps, NULL))
    return FALSE;
  *othersize = info.size;
  return TRUE;
}

gboolean
gst_oct_filter_caps_get_unit_size (
    GstBaseTransform *trans, GstCaps *caps, gsize *size)
{
  GstOctInfo info;

  if (!gst_oct_info_from_caps (&info, caps, NULL))
    return FALSE;
  *size = info.size;
  return TRUE;
}
