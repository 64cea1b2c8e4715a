/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The description of a filter in gst-inspect-1.0: its names, pads and
 * properties; and its caps.
 */
#include "gstoctcuda.h"
#include "gstocterror.h"
#include "gstoctfiltercaps.h"
#include "gstoctinstall.h"

/* The caps in GPU memory first, so that a pipeline runs there when it can. */
static void
filter_class_add_template (GstElementClass *klass, const char *name,
    GstPadDirection direction, const char *gpu_caps, const char *host_caps)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (gpu_caps);

  gst_caps_set_features_simple (
      caps, gst_caps_features_new (GST_OCT_CUDA_FEATURE, NULL));
  gst_caps_append (caps, gst_caps_from_string (host_caps));
  gst_element_class_add_pad_template (
      klass, gst_pad_template_new (name, direction, GST_PAD_ALWAYS, caps));
}

static GstOctChoice *
find_filter_choice (GObject *object)
{
  return gst_oct_filter_get_choice (GST_OCT_FILTER (object));
}

static void
filter_changed (GObject *object, gboolean affects_caps)
{
  gst_oct_filter_changed (GST_OCT_FILTER (object), affects_caps);
}

static const GstOctChooser chooser = {
  .find = find_filter_choice,
  .changed = filter_changed,
};

void
gst_oct_filter_class_describe (
    GstOctFilterClass *klass, const GstOctFilterDescription *description)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  trans_class->transform_caps = gst_oct_filter_caps_transform;
  trans_class->transform_size = gst_oct_filter_caps_transform_size;
  trans_class->get_unit_size = gst_oct_filter_caps_get_unit_size;
  klass->operation = description->operation;
  klass->properties = description->properties;
  gst_oct_chooser_install (
      &chooser, description->properties, G_OBJECT_CLASS (klass), 1);
  klass->uploads = description->uploads;
  klass->downloads = description->downloads;
  gst_element_class_set_static_metadata (element_class, description->long_name,
      "Filter/Converter/Video", description->description,
      "The gst-oct developers");
  filter_class_add_template (element_class, "sink", GST_PAD_SINK,
      description->gpu_sink_caps != NULL ? description->gpu_sink_caps
                                         : description->sink_caps,
      description->sink_caps);
  filter_class_add_template (element_class, "src", GST_PAD_SRC,
      description->gpu_src_caps != NULL ? description->gpu_src_caps
                                        : description->src_caps,
      description->src_caps);
}
