/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-depthgain
 *
 * An element of your own between those of gst-oct: it makes A-scans brighter
 * with depth, by `gain` dB per mm, as deep structures return less light.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=1 ! octdcsub ! octnufft ! depthgain gain=6 ! octlogscale ! fakesink
 * ]|
 *
 * Two things make it fit in: it has the caps of A-scans, and it leaves fields
 * and events alone that it does not know.  GstBaseTransform passes on the rest:
 * times, the position of the B-scan, the calibration.  It takes system memory;
 * put cudadownload after an element that works on a GPU.
 */
#include <math.h>

#include <gst/base/gstbasetransform.h>
#include <gst/oct/oct.h>

#define DEFAULT_GAIN 0.0

typedef struct {
  GstBaseTransform parent;
  double gain; /* dB per mm; under the object lock */

  /* of the caps */
  guint bins;
  double z_spacing; /* mm; 0: not known yet */
  double start;     /* mm, of the first bin */
} DepthGain;

typedef struct {
  GstBaseTransformClass parent_class;
} DepthGainClass;

enum { PROP_0, PROP_GAIN };

#define DEPTH_GAIN(object) ((DepthGain *)(object))
#define CAPS GST_OCT_ASCANS_NAME ", format = (string) CF32LE"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

GType depth_gain_get_type (void);
G_DEFINE_TYPE (DepthGain, depth_gain, GST_TYPE_BASE_TRANSFORM)

/* Caps come twice, the second time with the scale of depth, which the elements
 * know when they have got the calibration. */
static gboolean
depth_gain_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  DepthGain *self = DEPTH_GAIN (trans);
  const GstStructure *s = gst_caps_get_structure (in, 0);
  gint samples = 0, start = 0;
  double spacing = 0;

  gst_structure_get_int (s, GST_OCT_DEPTH_START_FIELD, &start);
  gst_structure_get_double (s, "z-spacing", &spacing);
  if (!gst_structure_get_int (s, "samples", &samples) || samples < 1)
    return FALSE;
  self->bins = (guint)samples;
  self->z_spacing = spacing * 1e3;
  self->start = start * self->z_spacing;
  return TRUE;
}

/* Before a buffer: controlled properties (a ramp of the gain) get the value
 * that they have at its time. */
static void
depth_gain_before_transform (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstClockTime time = gst_segment_to_stream_time (
      &trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (trans), time);
}

static GstFlowReturn
depth_gain_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  DepthGain *self = DEPTH_GAIN (trans);
  GstMapInfo map;
  gsize pairs, i;
  float *values;
  double gain;

  if (self->z_spacing <= 0) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("The A-scans have no scale of depth; give a calibration with "
         "wavelengths."),
        (NULL));
    return GST_FLOW_ERROR;
  }
  GST_OBJECT_LOCK (self);
  gain = self->gain;
  GST_OBJECT_UNLOCK (self);
  if (!gst_buffer_map (buffer, &map, GST_MAP_READWRITE))
    return GST_FLOW_ERROR;
  values = (float *)map.data;
  pairs = map.size / (2 * sizeof (float));
  for (i = 0; i < pairs; i++) {
    double depth = self->start + (double)(i % self->bins) * self->z_spacing;
    float factor = (float)pow (10, gain * depth / 20);

    values[2 * i] *= factor;
    values[2 * i + 1] *= factor;
  }
  gst_buffer_unmap (buffer, &map);
  return GST_FLOW_OK;
}

static void
depth_gain_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (id != PROP_GAIN) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    return;
  }
  GST_OBJECT_LOCK (object);
  DEPTH_GAIN (object)->gain = g_value_get_double (value);
  GST_OBJECT_UNLOCK (object);
}

static void
depth_gain_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  if (id != PROP_GAIN) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    return;
  }
  GST_OBJECT_LOCK (object);
  g_value_set_double (value, DEPTH_GAIN (object)->gain);
  GST_OBJECT_UNLOCK (object);
}

static void
depth_gain_class_init (DepthGainClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = depth_gain_set_property;
  object_class->get_property = depth_gain_get_property;
  g_object_class_install_property (object_class, PROP_GAIN,
      g_param_spec_double ("gain", "Gain", "dB to add per mm of depth, in air",
          -1000, 1000, DEFAULT_GAIN,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE));
  trans_class->set_caps = depth_gain_set_caps;
  trans_class->before_transform = depth_gain_before_transform;
  trans_class->transform_ip = depth_gain_transform_ip;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Depth gain", "Filter",
      "Makes A-scans brighter with depth", "You <you@example.org>");
}

static void
depth_gain_init (DepthGain *self)
{
  self->gain = DEFAULT_GAIN;
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  return gst_element_register (
      plugin, "depthgain", GST_RANK_NONE, depth_gain_get_type ());
}

#define PACKAGE "depthgain"
/* clang-format off */
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, depthgain,
    "Depth gain of A-scans", plugin_init, "1.0", "LGPL", "depthgain",
    "https://example.org/")
